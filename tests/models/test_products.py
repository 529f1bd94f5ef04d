"""Linear layers by oneDNN, and at few places: the same numbers as torch's own; what is needed elsewhere is computed."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from aslant.errors import MeasureError
from aslant.models.language_models import TransformersMaskedLM
from aslant.models.network import Network
from aslant.models.plan import Query
from aslant.models.products import inference, onednn
from tiny_lms import MASKED, causal, masked, torch

TEXTS = ["He is a nurse.", "The chief medical examiner said that she was late."]


def layers(network: Network) -> list[str]:
    """Names of the weights that are applied at the requested places only."""
    return [name for name, weight in network.model.named_parameters() if id(weight) in network.partial]


@pytest.mark.parametrize("bias", [True, False])
def test_a_linear_layer_is_that_of_torch_up_to_rounding(bias: bool) -> None:
    torch.manual_seed(0)
    layer, given = torch.nn.Linear(300, 70, bias=bias), torch.randn(4, 11, 300)
    with inference(fast=False):
        expected = layer(given)
    with inference(fast=True):
        found = layer(given)
        assert layer(given[:0]).shape == (0, 11, 70)
    np.testing.assert_allclose(found.numpy(), expected.numpy(), atol=1e-5)


def test_onednn_is_asked_only_for_float32(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    mode_product = onednn() or torch.nn.functional.linear
    monkeypatch.setattr(
        "aslant.models.products.onednn", lambda: lambda *args: (asked.append(args[0].dtype), mode_product(*args))[1]
    )
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        layer = torch.nn.Linear(5, 3).to(dtype)
        with inference(fast=True):
            layer(torch.ones(2, 5, dtype=dtype))
        layer(torch.ones(2, 5, dtype=dtype))  # outside: torch's own
    assert asked == [torch.float32]


def test_a_layer_of_gpt2_is_that_of_torch_too() -> None:
    model, _ = causal("gpt2")
    ids = torch.arange(5, 21).reshape(2, 8)
    found = []
    for fast in (False, True):
        with inference(fast):
            found.append(model(input_ids=ids).logits.numpy())
    np.testing.assert_allclose(found[1], found[0], atol=1e-5)


@pytest.mark.parametrize("name", [name for name in MASKED if name != "albert"])
def test_of_the_last_layer_only_keys_and_values_are_computed_everywhere(name: str) -> None:
    model, tokenizer = masked(name)
    lm = TransformersMaskedLM(model, tokenizer, name)
    found = layers(lm.network)
    assert 3 <= len(found) <= 8
    assert not any("key" in weight or "value" in weight or "k_lin" in weight or "v_lin" in weight for weight in found)
    expected = lm.text_scores(TEXTS)
    lm.network.partial = frozenset()
    np.testing.assert_allclose(
        [score.total for score in expected],
        [score.total for score in TransformersMaskedLM(model, tokenizer, name).text_scores(TEXTS)], atol=1e-4,
    )  # fmt: skip
    np.testing.assert_allclose(
        [score.total for score in lm.text_scores(TEXTS)], [score.total for score in expected], atol=1e-4
    )


def test_layers_that_share_their_weights_are_computed_everywhere() -> None:
    assert not layers(TransformersMaskedLM(*masked("albert"), "albert").network)


def test_a_layer_that_is_needed_elsewhere_gives_no_wrong_number() -> None:
    model, tokenizer = masked("bert")
    network = TransformersMaskedLM(copy.deepcopy(model), tokenizer, "bert").network
    keys = next(w for name, w in reversed(list(network.model.named_parameters())) if "key.weight" in name)
    network.partial = network.partial | {id(keys)}
    with pytest.raises(MeasureError, match="NaN"):
        network.log_probabilities([Query((2, 5, 6, 7, 3), ((1, 5),))])


def test_a_network_that_was_sent_computes_the_same_layers() -> None:
    network = TransformersMaskedLM(*masked("bert"), "bert").network
    sent = pickle.loads(pickle.dumps(network))
    assert layers(sent) == layers(network) != []
    query = Query((2, 5, 6, 7, 3), ((1, 5), (2, 9)))
    assert sent.log_probabilities([query]) == network.log_probabilities([query])


def test_attention_is_computed_everywhere() -> None:
    lm = TransformersMaskedLM(*masked("bert"), "bert")
    assert lm.network.partial
    assert not lm.network.attending().partial
    assert np.isfinite([score.total for score in lm.text_scores(TEXTS, score="aula")]).all()
