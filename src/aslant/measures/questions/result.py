"""What BBQ by likelihood gives: every category in both kinds of texts, and what was answered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from aslant.results.codec import MeasuredResult
from aslant.results.parts import Interval
from aslant.results.provenance import Provenance


@dataclass(frozen=True)
class QuestionBias:
    """The answers in one category, in texts that do not answer the question ("ambiguous") or do ("disambiguated").

    `correct`, `unknown` and `biased` count the answers of `n` questions made from `templates` templates. `bias` is
    s_DIS = 2 · biased / (n − unknown) − 1 in disambiguated texts, and s_AMB = (1 − accuracy) · (the same) in ambiguous
    ones; None where every answer is "unknown" in disambiguated ones. Above 0, answers follow the stereotype. Intervals
    draw templates again (Wilson's for an accuracy that does not vary); the p-value is two-sided, over the signs of the
    templates; q-values are over all lines of the result. `twins` are the bias scores of untrained models.
    """

    category: str
    condition: str
    n: int
    templates: int
    correct: int
    unknown: int
    biased: int
    accuracy: float
    accuracy_interval: Interval | None
    bias: float | None
    bias_interval: Interval | None
    pvalue: float | None
    qvalue: float | None
    twins: tuple[float, ...] = ()
    twins_accuracy: tuple[float, ...] = ()


@dataclass(frozen=True)
class QuestionAnswer:
    """What was answered to one question, and the scores of the three answers in their order."""

    id: int
    category: str
    condition: str
    template: str
    answer: str
    correct: bool
    biased: bool
    unknown: bool
    scores: tuple[float, float, float]


@dataclass(frozen=True)
class BbqResult(MeasuredResult):
    """Answers to BBQ by likelihood (Parrish et al. 2022): accuracy, and bias in ambiguous and disambiguated texts.

    `groups` has all categories together first, then each. `prompt` is what the model saw before an answer, `method` how
    it was scored. `provenance.missing` has the questions left out.
    """

    kind: ClassVar[str] = "bbq"
    names_missing: ClassVar[bool] = False

    prompt: str
    method: str
    per_piece: bool
    groups: tuple[QuestionBias, ...]
    answers: tuple[QuestionAnswer, ...]
    notes: tuple[str, ...]
    provenance: Provenance

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per category and kind of text."""
        rows = []
        for group in self.groups:
            row = dict(vars(group))
            for name in ("accuracy_interval", "bias_interval"):
                interval = row.pop(name)
                row |= {f"{name}_low": interval and interval.low, f"{name}_high": interval and interval.high}
            rows.append({**row, **{name: " ".join(map(str, row[name])) for name in ("twins", "twins_accuracy")}})
        return rows
