"""The classifier: it learns, the same seed gives the same bits, and it is the network it says it is."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from aslant.errors import MeasureError

torch = pytest.importorskip("torch", reason="the classifier needs torch: pip install '.[lm]'")

from aslant.models.classifier import ADAM_EPSILON, Classifier, _Adam, _Network, class_probabilities  # noqa: E402


def blobs(n: int = 120, seed: int = 0) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    y = random.integers(0, 3, n)
    return (np.eye(3)[y] * 3 + random.normal(size=(n, 3))).astype(np.float32), y


def fitted(seed: int = 0, **settings: Any) -> Any:
    x, y = blobs()
    how = Classifier(**{"units": 8, "epochs": 15, "learning_rate": 0.01, "dropout": 0.3, **settings})
    return class_probabilities(x[:80], y[:80], x[80:100], y[80:100], x[100:], classes=3, settings=how, seed=seed)


def test_it_learns_what_can_be_learnt_and_gives_probabilities() -> None:
    p = fitted(l2=0.0)
    assert p.shape == (20, 3)
    assert np.allclose(p.sum(axis=1), 1)
    assert (p.argmax(axis=1) == blobs()[1][100:]).mean() > 0.7


def test_a_seed_gives_the_same_bits_whatever_else_draws_numbers() -> None:
    first = fitted(3)
    torch.manual_seed(1)
    torch.rand(5)
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(fitted(3))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((other == first).all() for other in found)
    assert (fitted(4) != first).any()


def test_it_leaves_torchs_own_random_numbers_alone() -> None:
    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    fitted()
    assert (torch.rand(3) == expected).all()


def test_a_penalty_draws_the_classes_together() -> None:
    assert np.ptp(fitted(l2=10.0), axis=0).max() < np.ptp(fitted(l2=0.0), axis=0).max() / 2


def test_the_best_epoch_on_held_out_rows_is_kept() -> None:
    x, y = blobs(60)
    wrong = (y + 1) % 3  # whatever is learnt makes these worse, so that nothing learnt may be kept
    how = Classifier(units=8, epochs=60, patience=3, learning_rate=0.05, l2=0.0, dropout=0.0)
    p = class_probabilities(x, y, x, wrong, x, classes=3, settings=how, seed=0)
    assert (p.argmax(axis=1) == y).mean() < 0.9


def test_adam_steps_as_torchs_own_would_by_the_published_equations() -> None:
    start, gradients = torch.tensor([1.0, -2.0]), [torch.tensor([0.5, -1.0]), torch.tensor([0.1, 3.0])]
    parameter = start.clone()
    adam = _Adam([parameter], 0.01)
    m = v = np.zeros(2)
    expected = start.double().numpy()
    for t, g in enumerate(gradients, 1):
        adam.step([g])
        m, v = 0.9 * m + 0.1 * g.numpy(), 0.999 * v + 0.001 * g.numpy() ** 2
        expected = expected - 0.01 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + ADAM_EPSILON)
    assert parameter.numpy() == pytest.approx(expected, abs=1e-6)


def test_the_network_is_dense_normalised_rectified_dense() -> None:
    network = _Network(4, 3, Classifier(units=5), torch.Generator().manual_seed(0))
    x = torch.randn((7, 4), generator=torch.Generator().manual_seed(1))
    h = x @ network.hidden / np.sqrt(1 + 1e-3)  # the running mean and variance begin at 0 and 1
    expected = torch.relu(h) @ network.output
    assert torch.allclose(network.logits(x), expected, atol=1e-6)


@pytest.mark.parametrize(
    "settings",
    [
        {"units": 0}, {"units": 2.5}, {"dropout": 1.0}, {"dropout": -0.1}, {"l2": -1.0}, {"learning_rate": 0.0},
        {"batch": True}, {"l2": float("nan")},
    ],
)  # fmt: skip
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(MeasureError, match=f"{next(iter(settings))} is .*; give a"):
        Classifier(**settings)
