"""A small classifier on vectors: one hidden layer, trained with torch; arrays in, probabilities out.

Built like the public kernel that Kurita et al. (2019) cite ("Taming the BERT", Ionita 2019): a dense layer, batch
normalisation, ReLU, dropout, and a dense output whose kernel (alone) has the L2 penalty; Adam; the weights of the epoch
with the smallest loss on held-out rows are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aslant.errors import MeasureError, MissingExtraError
from aslant.parallel import one_thread_each

if TYPE_CHECKING:
    import torch

#: As Keras has them: how much of the running mean is kept for each batch, and what keeps divisions finite.
BATCH_MOMENTUM, BATCH_EPSILON, ADAM_EPSILON = 0.01, 1e-3, 1e-7
#: Of Adam's running means of gradients and of their squares.
FIRST_DECAY, SECOND_DECAY = 0.9, 0.999
FloatArray = NDArray[np.float32]


@dataclass(frozen=True)
class Classifier:
    """Settings: those of Kurita et al. (31 units, dropout 0.6, L2 0.1), the rest from the kernel they cite.

    Training ends after `epochs`, or when the loss on held-out rows has not fallen for `patience` epochs.

    >>> Classifier(units=37).record()["units"]
    37
    """

    units: int = 31
    dropout: float = 0.6
    l2: float = 0.1
    learning_rate: float = 0.001
    batch: int = 32
    epochs: int = 1000
    patience: int = 100

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            whole = field.type == "int"
            usable = isinstance(value, int if whole else (int, float)) and not isinstance(value, bool)
            most = 1 if field.name == "dropout" else float("inf")
            if not usable or not (1 if whole else 0) <= value < most or (field.name == "learning_rate" and value == 0):
                wanted = "a whole number from 1 up" if whole else f"a number from 0{' to below 1' if most == 1 else ''}"
                raise MeasureError(f"{field.name} is {value!r}; give {wanted}.")

    def record(self) -> dict[str, Any]:
        """Return the settings as a result keeps them."""
        return asdict(self)


def class_probabilities(
    x: FloatArray, y: NDArray[np.intp], held_x: FloatArray, held_y: NDArray[np.intp], wanted: FloatArray,
    *, classes: int, settings: Classifier, seed: int,
) -> NDArray[np.float64]:  # fmt: skip
    """Train on rows `x` (n, d) with classes `y` (n,), stop by `held_x`, and return P(class) of `wanted`: (m, classes).

    The same seed gives the same bits, regardless of what else the process does: one thread, its own random numbers.

    >>> x = np.array([[0.0], [1.0]] * 40, np.float32)
    >>> y = np.array([0, 1] * 40)
    >>> quick = Classifier(units=4, dropout=0.0, l2=0.0, learning_rate=0.05, epochs=30)
    >>> p = class_probabilities(x, y, x, y, x[:2], classes=2, settings=quick, seed=0)
    >>> bool(p[0, 0] > 0.9), bool(p[1, 1] > 0.9)
    (True, True)
    """
    try:
        import torch
    except ImportError:
        raise MissingExtraError("training the classifier needs torch: pip install '.[lm]'.") from None
    from torch.nn.functional import cross_entropy

    random = torch.Generator().manual_seed(seed)
    rows, labels, held_rows, held_labels, asked = (
        torch.from_numpy(np.ascontiguousarray(part)) for part in (x, y, held_x, held_y, wanted)
    )
    with one_thread_each():
        network = _Network(x.shape[1], classes, settings, random)
        adam = _Adam(network.parameters, settings.learning_rate)
        best, best_state, since = float("inf"), network.state(), 0
        for _ in range(settings.epochs):
            for batch in torch.randperm(len(rows), generator=random).split(settings.batch):
                if len(batch) < 2:  # one row has no variance to normalise by
                    continue
                loss = cross_entropy(network.logits(rows[batch], training=True), labels[batch])
                loss = loss + settings.l2 * network.output.square().sum()
                adam.step(torch.autograd.grad(loss, network.parameters))
            with torch.no_grad():
                held = float(cross_entropy(network.logits(held_rows), held_labels))
            since = since + 1 if held >= best else 0
            if held < best:
                best, best_state = held, network.state()
            if since >= settings.patience:
                break
        network.restore(best_state)
        with torch.no_grad():
            return np.asarray(torch.softmax(network.logits(asked).double(), dim=1).numpy())


class _Network:
    """The layers as plain tensors: nothing draws from torch's shared random numbers."""

    def __init__(self, dimensions: int, classes: int, settings: Classifier, random: torch.Generator) -> None:
        import torch

        def glorot(rows: int, columns: int) -> torch.Tensor:
            """Draw weights evenly between ±√(6 / (rows + columns)), as Keras does."""
            limit = (6 / (rows + columns)) ** 0.5
            return ((torch.rand((rows, columns), generator=random) * 2 - 1) * limit).requires_grad_()

        units = settings.units
        self.dropout, self.random = settings.dropout, random
        # No bias before batch normalisation, which would remove it again.
        self.hidden, self.output = glorot(dimensions, units), glorot(units, classes)
        self.bias = torch.zeros(classes, requires_grad=True)
        self.scale, self.shift = torch.ones(units, requires_grad=True), torch.zeros(units, requires_grad=True)
        self.mean, self.variance = torch.zeros(units), torch.ones(units)

    @property
    def parameters(self) -> list[torch.Tensor]:
        return [self.hidden, self.scale, self.shift, self.output, self.bias]

    def logits(self, x: torch.Tensor, *, training: bool = False) -> torch.Tensor:
        import torch
        from torch.nn import functional

        h = functional.batch_norm(
            x @ self.hidden, self.mean, self.variance, self.scale, self.shift, training, BATCH_MOMENTUM, BATCH_EPSILON
        )
        h = torch.relu(h)
        if training and self.dropout:
            kept = torch.rand(h.shape, generator=self.random) >= self.dropout
            h = h * kept / (1 - self.dropout)
        return h @ self.output + self.bias

    def state(self) -> list[torch.Tensor]:
        return [tensor.detach().clone() for tensor in (*self.parameters, self.mean, self.variance)]

    def restore(self, state: list[torch.Tensor]) -> None:
        for tensor, kept in zip((*self.parameters, self.mean, self.variance), state, strict=True):
            tensor.data.copy_(kept)


class _Adam:
    """Adam (Kingma and Ba 2015). Written out, because torch's own imports a compiler, which takes seconds."""

    def __init__(self, parameters: list[torch.Tensor], rate: float) -> None:
        import torch

        self.parameters, self.rate, self.steps = parameters, rate, 0
        self.first, self.second = ([torch.zeros_like(p) for p in parameters] for _ in range(2))

    def step(self, gradients: Sequence[torch.Tensor]) -> None:
        import torch

        self.steps += 1
        rate = self.rate / (1 - FIRST_DECAY**self.steps)
        correction = (1 - SECOND_DECAY**self.steps) ** 0.5
        with torch.no_grad():
            for p, g, m, v in zip(self.parameters, gradients, self.first, self.second, strict=True):
                m.mul_(FIRST_DECAY).add_(g, alpha=1 - FIRST_DECAY)
                v.mul_(SECOND_DECAY).addcmul_(g, g, value=1 - SECOND_DECAY)
                p.addcdiv_(m, v.sqrt().div_(correction).add_(ADAM_EPSILON), value=-rate)
