"""What was trained, on how much text, and how far several trainings agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from aslant.results.codec import MeasuredResult
from aslant.results.provenance import Provenance


@dataclass(frozen=True)
class TrainedRun:
    """One training: its seed, whether its documents were drawn anew, tokens and words that it had.

    `loss` is the mean loss of a pair in GloVe's last epoch; `file` where the vectors were written, if they were.
    """

    run: int
    seed: int
    resampled: bool
    tokens: int
    words: int
    loss: float | None
    file: str | None


@dataclass(frozen=True)
class Agreement:
    """How far the trainings of one period agree, on its most frequent words.

    `overlap` is the mean share of the `neighbours` nearest words that two trainings have in common, among `pool` words;
    `chance` what random neighbours give. `cosine_sd` is the standard deviation of a cosine over trainings (root mean
    square over random pairs of these words), `cosine_spread` that of cosines over pairs in one training.
    """

    trainings: int
    words: int
    pool: int
    neighbours: int
    overlap: float
    chance: float
    cosine_sd: float
    cosine_spread: float

    def means(self) -> str:
        """Say what this much text can support; where the lines are drawn is a rule of thumb."""
        if self.overlap >= 0.8:
            return "single neighbours are steady"
        if self.overlap >= 0.5:
            return "single neighbours are not steady, and small differences are the draw of a training: look at means"
        return "what one training says of single words is mostly its draw: rely only on sets of words, over trainings"


@dataclass(frozen=True)
class TrainedPeriod:
    """The trainings of one period, and how much text it has; `agreement` is None with one training."""

    period: str
    documents: int
    sentences: int
    tokens: int
    runs: tuple[TrainedRun, ...]
    agreement: Agreement | None


@dataclass(frozen=True)
class TrainingResult(MeasuredResult):
    """What was trained: settings as used, and each period; `too_small` are periods with too little text (tokens).

    `unit` is what counts as a document; `undated` documents have no period and were left out. `pairs` are the pairs of
    words that GN-GloVe separated.
    """

    kind: ClassVar[str] = "training"

    method: str
    by: str | None
    unit: str
    periods: tuple[TrainedPeriod, ...]
    too_small: dict[str, int]
    undated: int
    pairs: tuple[tuple[str, str], ...]
    corpus: dict[str, Any]
    provenance: Provenance

    def rows(self) -> list[dict[str, Any]]:
        """Return one row for each period."""
        return [
            {
                "period": p.period, "documents": p.documents, "tokens": p.tokens, "words": p.runs[0].words,
                "trainings": len(p.runs), "overlap": p.agreement.overlap if p.agreement else None,
                "cosine_sd": p.agreement.cosine_sd if p.agreement else None,
            }
            for p in self.periods
        ]  # fmt: skip
