"""The settings of a measure, declared once: a frozen class whose fields say what is allowed and what it is for.

From the class come the keyword arguments of the public function (`keywords`), the checks, what provenance records
(`Settings.record`) and the options of the command (`aslant.cli.shared.command`).
"""

from __future__ import annotations

import functools
import inspect
import numbers
import operator
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from aslant.errors import MeasureError

if TYPE_CHECKING:
    import numpy as np

    from aslant.measures.shared.wordsets import FloatArray
    from aslant.statistics import PermutationPvalue

R = TypeVar("R")
P = TypeVar("P", bound="Partitions")
#: The direction that a set of stimuli states.
AUTO = "auto"


@dataclass(frozen=True)
class setting:  # noqa: N801 (reads as what it declares)
    """Describe a field: what it is for, and its limits (`ge`, `gt`, `le`, `lt`): two for a float.

    Of a command's option, `option` has its names, separated by spaces, where they are not the field's, `metavar` is
    what stands for a value in the help, and `panel` the heading that it stands under.
    """

    description: str
    ge: float | None = None
    gt: float | None = None
    le: float | None = None
    lt: float | None = None
    option: str | None = None
    metavar: str | None = None
    panel: str | None = None


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings of a measure: every field is checked against its declaration."""

    def __post_init__(self) -> None:
        """Refuse values that a field does not allow."""
        kind: Any = type(self)
        for name, (hint, meta) in declared(kind).items():
            if (value := getattr(self, name)) is not None or getattr(kind, name) is not None:
                object.__setattr__(self, name, _checked(name, value, hint, meta))

    def record(self) -> dict[str, Any]:
        """Return the settings as provenance keeps them."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@functools.cache
def declared(kind: Any) -> dict[str, tuple[Any, setting]]:
    """Return the type, but for None, and the description of every field that has one."""
    hints = get_type_hints(kind, include_extras=True)
    found = {name: get_args(hint) for name, hint in hints.items() if get_origin(hint) is Annotated}
    kinds = {n: get_args(args[0])[0] if isinstance(args[0], UnionType) else args[0] for n, args in found.items()}
    return {name: (kinds[name], args[1]) for name, args in found.items() if isinstance(args[1], setting)}


def _checked(name: str, value: Any, hint: Any, meta: setting) -> Any:
    """Return a value as it is recorded, or refuse it."""
    if hint is bool and not isinstance(value, bool):
        raise MeasureError(f"{name} is {value!r}; give True or False.")
    if get_origin(hint) is Literal and value not in get_args(hint):
        raise MeasureError(f"{name} is {value!r}; choose one of {', '.join(get_args(hint))}.")
    if hint is int:
        from aslant.statistics import check_count  # here, since commands that only list their options need no NumPy

        return check_count(name, value, int(meta.ge or 0), int(meta.le or 2**63))
    if hint is float and (not isinstance(value, numbers.Real) or isinstance(value, bool) or not _within(value, meta)):
        low, high = (next(x for x in pair if x is not None) for pair in ((meta.ge, meta.gt), (meta.le, meta.lt)))
        raise MeasureError(f"{name} is {value!r}; give a number between {low} and {high}.")
    return float(value) if hint is float else value


def _within(value: Any, meta: setting) -> bool:
    limits = ((operator.ge, meta.ge), (operator.gt, meta.gt), (operator.le, meta.le), (operator.lt, meta.lt))
    return all(limit is None or compare(value, limit) for compare, limit in limits)


def keywords(function: Callable[..., R]) -> Callable[..., R]:
    """Let a function take every field of its keyword-only parameter of settings as a keyword argument of its own.

    >>> @keywords
    ... def sketch(words, *, settings: Partitions, rng=0):
    ...     return settings.alternative
    >>> sketch(["tea"], alternative="less")
    'less'
    >>> str(inspect.signature(sketch))[:50]
    "(words, *, alternative: str = 'auto', method: str "
    """
    signature = inspect.signature(function)
    known: Any = {name: function.__globals__.get(hint) for name, hint in function.__annotations__.items()}
    place, kind = next((n, k) for n, k in known.items() if isinstance(k, type) and issubclass(k, Settings))
    hints = get_type_hints(kind)
    own = [
        inspect.Parameter(f.name, inspect.Parameter.KEYWORD_ONLY, default=f.default, annotation=hints[f.name])
        for f in fields(kind)
    ]
    names = {parameter.name for parameter in own}

    @functools.wraps(function)
    def run(*args: Any, **given: Any) -> R:
        settings = {place: kind(**{name: given.pop(name) for name in names & given.keys()})}
        return function(*args, **settings, **given)

    shown = [[p] if p.name != place else own for p in signature.parameters.values()]
    run.__signature__ = signature.replace(parameters=[p for some in shown for p in some])  # type: ignore[attr-defined]
    return run


Alternative = Annotated[
    str, setting("greater, less, two-sided, or auto: the direction that the set states, two-sided if it states none.")
]
Bootstrap = Annotated[int, setting("Resamples for intervals; 0 for none.", ge=0, le=100_000)]
Confidence = Annotated[float, setting("Confidence of the intervals.", gt=0, lt=1)]
Draws = Annotated[int, setting("Random word sets that a score is compared with; 0 for none.", ge=0, le=100_000)]
Resamples = Annotated[int, setting("Random partitions, if Monte Carlo is used.", ge=1, le=10**8)]
Twins = Annotated[int, setting("Untrained models of the same architecture that get the same questions.", ge=0, le=100)]
MinFound = Annotated[float, setting("Do not run a test if a smaller share of any word set is found.", ge=0, le=1)]


@dataclass(frozen=True, kw_only=True)
class Partitions(Settings):
    """How the p-value of a test is found."""

    alternative: Alternative = "auto"
    method: Annotated[
        str,
        setting(
            "auto (exact where possible), enumeration, meet-in-the-middle, 'dynamic programming' or 'monte carlo'."
        ),
    ] = "auto"
    n_resamples: Resamples = 100_000

    def __post_init__(self) -> None:
        """Refuse what the permutation test would refuse after a long wait."""
        from aslant.statistics import check_choices

        super().__post_init__()
        check_choices("two-sided" if self.alternative == AUTO else self.alternative, self.method, self.n_resamples)

    def towards(self: P, test: Any) -> P:
        """Return the settings with the direction that a set of stimuli states, unless one was chosen."""
        return replace(self, alternative=test.alternative) if self.alternative == AUTO else self

    def pvalue(self, first: FloatArray, second: FloatArray, rng: int | np.random.Generator) -> PermutationPvalue:
        """Return the p-value of two sets of scores over their re-partitions."""
        from aslant.statistics import partition_pvalue

        how: Any = {"alternative": self.alternative, "method": self.method, "n_resamples": self.n_resamples}
        return partition_pvalue(first, second, rng=rng, **how)


@dataclass(frozen=True, kw_only=True)
class Resampled(Partitions):
    """How the p-value of a test is found, and the interval of its effect size over the choice of words."""

    bootstrap: Bootstrap = 2_000
    confidence: Confidence = 0.95


@dataclass(frozen=True, kw_only=True)
class SampledSettings(Settings):
    """How intervals and chance are drawn, and how long the vectors of class words are."""

    bootstrap: Bootstrap = 2_000
    confidence: Confidence = 0.95
    chance: Draws = 2_000
    unit: Annotated[bool, setting("For polarity, take the vectors of class words at unit length.")] = False


@dataclass(frozen=True, kw_only=True)
class ComparisonSettings(SampledSettings):
    """How two embeddings are compared."""

    min_found: MinFound = 0.5
