"""What an audit returns: the results of every measure that was run on one representation, and audits side by side.

Also what checking a report against a policy returns: one line for each rule and measurement that it applies to.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from aslant.results.codec import MeasuredResult, Result
from aslant.results.parts import Interval, bounds, chance_row
from aslant.results.provenance import Representation
from aslant.statistics.chance import Chance

if TYPE_CHECKING:  # results import no measure; these are only names of what properties give
    from aslant.measures.association.result import WeatSuiteResult
    from aslant.measures.enumeration.result import EnumerationResult
    from aslant.measures.polarities.result import PolarityResult

Profile = Literal["quick", "standard", "full"]
Strength = Literal["none", "small", "medium", "large"]
Evidence = Literal["strong", "some", "none", "not tested"]
#: What makes two lines of different audits the same line: measure, stimuli, effect.
GlanceKey = tuple[str, str, str]
Verdict = Literal["passed", "violated", "missing", "not measured"]
#: Verdicts with which a check fails; "not measured" is a missing measurement of a rule that is optional.
FAILING: tuple[Verdict, ...] = ("violated", "missing")
#: What `not_run` says about a measure that the user left out.
ON_REQUEST = "left out on request"
#: How it begins where a measure lacks a corpus, which nobody gave.
NEEDS_TEXT = "needs text to draw sentences from; give a corpus (--corpus PATH, corpus= in Python)"


@dataclass(frozen=True)
class AuditPart:
    """The results of one measure of an audit; `measure` is its id, such as "weat", and `seconds` how long it took."""

    measure: str
    title: str
    results: tuple[MeasuredResult, ...]
    seconds: float


@dataclass(frozen=True)
class Glance:
    """One line of an audit: what one measure found with one set of stimuli, in numbers and in one plain sentence.

    `category` is the social category of the stimuli ("gender", "race", …; "none" where they have none, "several" where
    they mix them). `effect_name` says what `effect` is ("d", "polarity", "share" …). `strength` follows a convention
    for effects of that name, and is None where there is none. `chance` is what random words give in place of those that
    carry the meaning. `qvalue` and `chance_qvalue` control the false-discovery rate over the lines of an audit.
    `evidence` is the weaker of the measure's own test and chance, each judged by its q-value, or by its p-value where
    there is no q-value: "strong" up to 0.01, "some" up to 0.05; it is "not tested" where chance was to be known and is
    not, for the reason `untested`. `interval` is the measure's own interval of the effect, where it has one.
    """

    measure: str
    category: str
    stimuli: str
    effect: float | None
    effect_name: str
    strength: Strength | None
    pvalue: float | None
    qvalue: float | None
    evidence: Evidence
    sentence: str
    chance: Chance | None = None
    chance_qvalue: float | None = None
    untested: str = ""
    interval: Interval | None = None

    @property
    def key(self) -> GlanceKey:
        """What makes it the same line in another audit."""
        return self.measure, self.stimuli, self.effect_name

    @property
    def standardised(self) -> float | None:
        """The effect in standard deviations of chance from its mean; None where chance is not known."""
        return self.chance.standardised(self.effect) if self.chance and self.effect is not None else None

    def row(self) -> dict[str, Any]:
        """Return the line as a table row, with the columns of its interval and of chance one by one."""
        own = {name: value for name, value in asdict(self).items() if name not in ("chance", "interval")}
        low, high = bounds(self.interval)
        return {**own, "low": low, "high": high, **chance_row(self.chance)}


@dataclass(frozen=True)
class AuditResult(Result):
    """Everything that was measured on one representation.

    `not_run` says which measure, or which set of stimuli of one, was not run and why; `failed` which measure broke
    off, with the error.
    """

    kind: ClassVar[str] = "audit"

    representation: Representation
    profile: Profile
    seed: int
    parts: tuple[AuditPart, ...]
    glance: tuple[Glance, ...]
    not_run: dict[str, str]
    failed: dict[str, str]
    created: str
    version: str

    def part(self, measure: str) -> AuditPart | None:
        """Return the part of one measure; None where it was not run."""
        return next((part for part in self.parts if part.measure == measure), None)

    def results_of(self, measure: str, kind: str) -> tuple[Any, ...]:
        """Return the results of one measure that are of one kind."""
        return tuple(r for part in self.parts if part.measure == measure for r in part.results if r.kind == kind)

    @property
    def weat(self) -> WeatSuiteResult | None:
        """The WEAT suite; None where it was not run."""
        return next(iter(self.results_of("weat", "weat-suite")), None)

    @property
    def polarity(self) -> tuple[PolarityResult, ...]:
        """Polarity, one result per setting."""
        return self.results_of("polarity", "polarity")

    @property
    def enumeration(self) -> EnumerationResult | None:
        """The bias enumeration; None where it was not run."""
        return next(iter(self.results_of("enumeration", "enumeration")), None)

    @property
    def missing(self) -> tuple[str, ...]:
        """The words of any measure that have no vector; names missing from the enumeration are in its own result."""
        named = [r for part in self.parts for r in part.results if r.names_missing]
        return tuple(dict.fromkeys(word for r in named for word in r.missing))

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per line of the glance."""
        return [line.row() for line in self.glance]


@dataclass(frozen=True)
class ModelDifference:
    """How far one model's effect is from the first model's.

    Where `words` is given, the difference is paired: over that many words that both have, with an interval over the
    choice of words and a p-value where the measure has a paired test. Without it, it is the gap between the two values.
    """

    model: str
    difference: float | None
    interval: Interval | None = None
    pvalue: float | None = None
    words: int | None = None


@dataclass(frozen=True)
class AuditDifference:
    """One line of several audits: the effect in each model, in the order of the audits, and differences to the first.

    A value is None where a model's audit does not have it. `standardised` are the same in standard deviations of chance
    from its mean, which models of other dimensions or training share as a scale.
    """

    measure: str
    stimuli: str
    category: str
    effect_name: str
    values: tuple[float | None, ...]
    differences: tuple[ModelDifference, ...]
    standardised: tuple[float | None, ...] = ()


@dataclass(frozen=True)
class AuditComparison(Result):
    """Audits of several models side by side, and how far each model's effects are from those of the first.

    `not_compared` says for which lines no paired difference could be made, and why.
    """

    kind: ClassVar[str] = "audit-comparison"

    audits: tuple[AuditResult, ...]
    differences: tuple[AuditDifference, ...]
    not_compared: dict[str, str]
    created: str
    version: str

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the models, in the order of the audits."""
        return tuple(audit.representation.name for audit in self.audits)

    @property
    def missing(self) -> tuple[str, ...]:
        """The words missing from some model."""
        return tuple(dict.fromkeys(word for audit in self.audits for word in audit.missing))

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per line and further model."""
        return [
            {
                "measure": line.measure, "stimuli": line.stimuli, "category": line.category,
                "effect_name": line.effect_name, "first": line.values[0], "model": gap.model, "value": value,
                "difference": gap.difference, "low": gap.interval.low if gap.interval else None,
                "high": gap.interval.high if gap.interval else None, "pvalue": gap.pvalue, "words": gap.words,
                "first_standardised": next(iter(line.standardised), None), "standardised": in_sd,
            }
            for line in self.differences
            for gap, value, in_sd in zip_longest(line.differences, line.values[1:], line.standardised[1:])
        ]  # fmt: skip


@dataclass(frozen=True)
class PolicyLine:
    """One rule on one measurement of one model; `limit` is the rule in words, `reason` says why it does not apply."""

    rule: str
    model: str
    measure: str
    stimuli: str
    field: str
    value: float | None
    limit: str
    verdict: Verdict
    reason: str = ""


@dataclass(frozen=True)
class PolicyCheck(Result):
    """A report checked against a policy; it passes when no line is violated or missing.

    `coverage` says of each model what its audit covers.
    """

    kind: ClassVar[str] = "policy-check"

    policy: str
    models: tuple[str, ...]
    lines: tuple[PolicyLine, ...]
    version: str
    coverage: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether every rule is met."""
        return not self.failures

    @property
    def failures(self) -> tuple[PolicyLine, ...]:
        """The lines with which the check fails."""
        return tuple(line for line in self.lines if line.verdict in FAILING)

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per line."""
        return [asdict(line) for line in self.lines]
