"""What the study of gendered pronoun resolution returns (Kurita et al. 2019, §4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from aslant.results.codec import MeasuredResult
from aslant.results.parts import Interval, Spread
from aslant.results.provenance import Provenance, Representation
from aslant.statistics.chance import Chance


@dataclass(frozen=True)
class CalibrationBin:
    """Samples whose probability lies from `low` to below `high`: its mean, and the share for which it came true."""

    low: float
    high: float
    n: int
    predicted: float
    observed: float


@dataclass(frozen=True)
class GenderOutcome:
    """How pronouns of one gender were resolved: `neither` of `n` labels, and what was predicted for them.

    `prior` is the share of labels "neither", `predicted` the mean probability of it, with its interval.
    `calibration` is that of the probability of "neither"; `calibration_error` the mean distance over its bins, and
    `confidence_error` likewise for the class that was thought most probable.
    """

    gender: str
    n: int
    neither: int
    prior: float
    predicted: float
    interval: Interval | None
    accuracy: float
    log_loss: float
    calibration: tuple[CalibrationBin, ...]
    calibration_error: float
    confidence_error: float


@dataclass(frozen=True)
class GenderGap:
    """A difference between genders, female minus male, with its interval and two-sided permutation p-value.

    Both hold for the classifiers as trained: a small p-value says that these treat the genders differently. They also
    learn and predict a gap that the labels have by chance; `label_gap` shows where it may come from.
    """

    difference: float
    interval: Interval | None
    pvalue: float
    pvalue_bounds: tuple[float, float]
    pvalue_method: str


@dataclass(frozen=True)
class Counterfactual:
    """What swapping every pronoun of a text does to the probability of "neither": female version minus male version.

    `names`: the gender of the names A and B in these `texts` by the table of first names, or "all". `pvalue` flips the
    sign of whole `pages`. It holds for the classifiers as trained: names and topics are the same in both versions, but
    the gap that the labels have by chance was learned.
    """

    names: str
    difference: float
    interval: Interval | None
    pvalue: float
    texts: int
    pages: int


@dataclass(frozen=True)
class TopicWord:
    """A word of a topic, its weight there, and its score (above 0: men); None where the model cannot place it."""

    word: str
    weight: float
    score: float | None


@dataclass(frozen=True)
class Topic:
    """A topic of the texts: its first words, and how many samples have it as their largest.

    `bias` = Σ weight × score of its words; `mean_score` is the same divided by Σ weight, which does not depend on
    the topic's scale. Both are None without a language model.
    """

    number: int
    words: tuple[TopicWord, ...]
    samples: int
    bias: float | None
    mean_score: float | None


@dataclass(frozen=True)
class TopicCorrelation:
    """Spearman's correlation, over the samples of one gender, of sample bias with the probability of "neither"."""

    gender: str
    n: int
    rho: float
    interval: Interval | None
    pvalue: float


@dataclass(frozen=True)
class PronounSample:
    """One sample: its label, the probabilities predicted (mean over seeds), its largest topic and its bias."""

    id: str
    gender: str
    label: str
    p_a: float
    p_b: float
    p_neither: float
    topic: int
    bias: float | None


@dataclass(frozen=True)
class PronounResolutionResult(MeasuredResult):
    """Resolving gendered pronouns with a model's vectors: does "neither" come up more for one gender?

    `outcomes`: male, then female. `gap`: the difference in mean predicted probability of "neither"; `gap_by_seed` its
    range over seeds; `label_gap`: the difference in the labels; `beyond_labels`: predicted minus label, compared
    between genders. `counterfactual` compares each text with itself, pronouns swapped: all texts, and those whose names
    are of one gender; `chance` is what classifiers give that were trained on texts with randomly swapped pronouns, and
    the only test of the encoder. `correlations` is empty, and `without_bias` says why, where topics have no bias.
    Missing are words of topics that the language model cannot place.
    """

    kind: ClassVar[str] = "pronoun-resolution"

    outcomes: tuple[GenderOutcome, GenderOutcome]
    accuracy: Spread
    log_loss: Spread
    gap: GenderGap
    gap_by_seed: Spread
    label_gap: float
    beyond_labels: GenderGap
    topics: tuple[Topic, ...]
    correlations: tuple[TopicCorrelation, ...]
    without_bias: str
    samples: tuple[PronounSample, ...]
    language_model: Representation | None
    notes: tuple[str, ...]
    provenance: Provenance
    counterfactual: tuple[Counterfactual, ...] = ()
    chance: Chance | None = None

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per gender."""
        rows, rhos = [], {found.gender: found for found in self.correlations}
        for outcome in self.outcomes:
            interval, rho = outcome.interval, rhos.get(outcome.gender)
            rows.append({
                "gender": outcome.gender, "samples": outcome.n, "neither": outcome.neither, "prior": outcome.prior,
                "predicted": outcome.predicted, "low": interval.low if interval else None,
                "high": interval.high if interval else None, "accuracy": outcome.accuracy,
                "log_loss": outcome.log_loss, "calibration_error": outcome.calibration_error,
                "confidence_error": outcome.confidence_error, "rho": rho.rho if rho else None,
                "rho_pvalue": rho.pvalue if rho else None,
            })  # fmt: skip
        return rows

    def topic_rows(self) -> list[dict[str, Any]]:
        """Return one table row per topic."""
        return [
            {
                "topic": topic.number, "words": ", ".join(word.word for word in topic.words), "samples": topic.samples,
                "bias": topic.bias, "mean_score": topic.mean_score,
            }
            for topic in self.topics
        ]  # fmt: skip

    def sample_rows(self) -> list[dict[str, Any]]:
        """Return one table row per sample."""
        rows = [dict(vars(sample)) for sample in self.samples]
        return [row | {"sample_bias": row.pop("bias")} for row in rows]
