"""Statistics of resolved pronouns, and topics of texts with their bias (Kurita et al. 2019, §4, Table 4)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.errors import MeasureError, plural
from aslant.measures.pronouns_resolved import result
from aslant.measures.pronouns_resolved.gap_files import GENDERS, LABELS
from aslant.measures.pronouns_resolved.result import CalibrationBin, GenderGap, GenderOutcome, TopicCorrelation
from aslant.measures.pronouns_resolved.settings import PronounSettings
from aslant.measures.template_tests.scores import log_probability_bias
from aslant.measures.template_tests.scoring import NothingLeftError
from aslant.models.protocols import Progress
from aslant.parallel import one_thread_each
from aslant.results.parts import Interval
from aslant.statistics import bootstrap_means, partition_pvalue, percentile_interval, rank_correlations, spawn
from aslant.statistics.resampled_pvalues import rank_correlation_pvalue, sign_flip_pvalue

FloatArray = NDArray[np.float64]
NEITHER = LABELS.index("neither")
#: Up to this many samples the p-value of a gap is exact.
EXACT = 50
#: The smallest probability that the log-loss counts, as in scikit-learn for these numbers.
SMALLEST = float(np.finfo(np.float64).eps)


def log_losses(probabilities: FloatArray, labels: NDArray[np.intp]) -> FloatArray:
    """Return −log P(label) of each row of (n, classes)."""
    chosen = probabilities[np.arange(len(labels)), labels]
    return np.asarray(-np.log(np.clip(chosen, SMALLEST, 1.0)) + 0.0)


def calibration(predicted: FloatArray, true: NDArray[np.bool_], bins: int) -> tuple[tuple[CalibrationBin, ...], float]:
    """Bin probabilities (n,) evenly from 0 to 1, and return the bins in use and the expected calibration error."""
    place = np.minimum((predicted * bins).astype(np.intp), bins - 1)
    found = tuple(
        CalibrationBin(
            b / bins, (b + 1) / bins, int((place == b).sum()), float(predicted[place == b].mean()),
            float(true[place == b].mean()),
        )
        for b in np.unique(place).tolist()
    )  # fmt: skip
    return found, sum(b.n * abs(b.predicted - b.observed) for b in found) / len(predicted)


def outcome(
    gender: str, probabilities: FloatArray, labels: NDArray[np.intp], how: PronounSettings, random: np.random.Generator
) -> GenderOutcome:
    """Describe the samples of one gender: probabilities (n, 3) and labels (n,)."""
    neither, is_neither = probabilities[:, NEITHER], labels == NEITHER
    top = probabilities.argmax(axis=1)
    bins, error = calibration(neither, is_neither, how.bins)
    return GenderOutcome(
        gender=gender,
        n=len(labels),
        neither=int(is_neither.sum()),
        prior=float(is_neither.mean()),
        predicted=float(neither.mean()),
        interval=_interval(bootstrap_means(neither, how.bootstrap, random), how) if how.bootstrap else None,
        accuracy=float((top == labels).mean()),
        log_loss=float(log_losses(probabilities, labels).mean()),
        calibration=bins,
        calibration_error=error,
        confidence_error=calibration(probabilities.max(axis=1), top == labels, how.bins)[1],
    )


def _interval(samples: FloatArray, how: PronounSettings) -> Interval:
    return Interval(*percentile_interval(samples, how.confidence), how.confidence, len(samples))


def counterfactual(
    names: str, differences: FloatArray, pages: NDArray[Any], how: PronounSettings, random: np.random.Generator
) -> result.Counterfactual:
    """Test differences (texts,) against 0, with the texts of a page flipped and redrawn together."""
    unique, place = np.unique(pages, return_inverse=True)
    sums = np.bincount(place, differences, len(unique))
    pvalue = sign_flip_pvalue(sums, n_resamples=how.n_resamples, rng=random)
    interval = None
    if how.bootstrap and len(unique) > 1:
        counts = np.bincount(place, minlength=len(unique))
        drawn = random.multinomial(len(unique), np.full(len(unique), 1 / len(unique)), how.bootstrap)
        interval = _interval((drawn @ sums) / (drawn @ counts), how)
    return result.Counterfactual(names, float(differences.mean()), interval, pvalue, len(differences), len(unique))


def _gender_gap(male: FloatArray, female: FloatArray, how: PronounSettings, random: np.random.Generator) -> GenderGap:
    """Compare the means of two groups; p is exact only for small ones, as it would take longer than training."""
    method: Any = "auto" if len(female) + len(male) <= EXACT else "monte carlo"
    found = partition_pvalue(
        female, male, alternative="two-sided", method=method, n_resamples=how.n_resamples, rng=random
    )
    interval = None
    if how.bootstrap:
        drawn = [bootstrap_means(values, how.bootstrap, random) for values in (female, male)]
        interval = _interval(drawn[0] - drawn[1], how)
    difference = float(female.mean() - male.mean())
    return GenderGap(difference, interval, found.pvalue, found.bounds, found.method)


def topic_correlation(
    gender: str, bias: FloatArray, neither: FloatArray, how: PronounSettings, random: np.random.Generator
) -> TopicCorrelation | None:
    """Correlate sample bias with P(neither) by ranks, over the samples of one gender, each (n,); None if flat."""
    rho = float(rank_correlations(bias[None], neither[None])[0]) if len(bias) > 2 else float("nan")
    if not np.isfinite(rho):
        return None
    interval = None
    if how.bootstrap:
        rows = random.integers(0, len(bias), (how.bootstrap, len(bias)))
        drawn = rank_correlations(bias[rows], neither[rows])
        interval = _interval(drawn[np.isfinite(drawn)], how)
    pvalue = rank_correlation_pvalue(bias, neither, n_resamples=how.n_resamples, rng=random)
    return TopicCorrelation(gender, len(bias), rho, interval, pvalue)


def by_gender(
    probabilities: FloatArray, labels: NDArray[np.intp], genders: NDArray[np.str_], how: PronounSettings, seed: int
) -> tuple[tuple[GenderOutcome, GenderOutcome], GenderGap, GenderGap]:
    """Return the outcome of each gender, the gap in P(neither), and the gap beyond that in the labels."""
    random = spawn(seed, 4)
    sides = [genders == gender for gender in GENDERS]
    male, female = (
        outcome(gender, probabilities[side], labels[side], how, rng)
        for gender, side, rng in zip(GENDERS, sides, random[:2], strict=True)
    )
    neither = probabilities[:, NEITHER]
    gap, beyond_gap = (
        _gender_gap(values[sides[0]], values[sides[1]], how, rng)
        for values, rng in ((neither, random[2]), (neither - (labels == NEITHER), random[3]))
    )
    return (male, female), gap, beyond_gap


TARGETS = {"men": ["men"], "women": ["women"]}
#: What counts as a word of a topic: letters only, at least two, in lower case; English stop words are left out.
WORD = r"(?u)\b[^\W\d_]{2,}\b"
#: Words in fewer texts say nothing about topics, nor do those in a larger share of texts.
FEWEST_TEXTS, LARGEST_SHARE = 2, 0.5
ITERATIONS = 1000


@dataclass(frozen=True, eq=False)
class Topics:
    """Topics of texts: `weights` (texts, topics) and, for each topic, its first words with their weights there."""

    weights: FloatArray
    words: tuple[tuple[tuple[str, float], ...], ...]
    converged: bool


@dataclass(frozen=True, eq=False)
class Leanings:
    """What a language model says about words: scores (above 0: men), words it cannot place, why there are none."""

    scores: dict[str, float]
    unplaced: tuple[str, ...] = ()
    why_none: str = ""


def find_topics(texts: Sequence[str], n_topics: int, top_words: int, seed: int) -> Topics:
    """Factorise the texts' TF-IDF into non-negative topics (NMF)."""
    from sklearn.decomposition import NMF
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectoriser = TfidfVectorizer(
        stop_words="english", token_pattern=WORD, min_df=FEWEST_TEXTS, max_df=LARGEST_SHARE, dtype=np.float64
    )
    try:
        counted = vectoriser.fit_transform(texts)
    except ValueError:  # no word is left
        raise MeasureError(
            f"no word is in {FEWEST_TEXTS} of {plural(len(texts), 'text')} and in at most {100 * LARGEST_SHARE:.0f} % "
            "of them; so no topics can be found."
        ) from None
    if min(counted.shape) < n_topics:
        raise MeasureError(
            f"{plural(counted.shape[0], 'text')} with {plural(counted.shape[1], 'word')} cannot give {n_topics} "
            "topics; request fewer."
        )
    with one_thread_each(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = NMF(n_components=n_topics, init="nndsvda", random_state=seed % 2**32, max_iter=ITERATIONS)
        weights = np.asarray(model.fit_transform(counted))
    names = vectoriser.get_feature_names_out()
    words = []
    for component in model.components_:
        first = np.argsort(-component, kind="stable")[:top_words]
        words.append(tuple((str(names[i]), float(component[i])) for i in first if component[i] > 0))
    return Topics(weights, tuple(words), not any(issubclass(w.category, ConvergenceWarning) for w in caught))


def leanings(
    lm: Any, words: Sequence[str], template: str, targets: Any,
    journal: str | PathLike[str] | None, progress: Progress | None,
) -> Leanings:  # fmt: skip
    """Score words between men and women by the log-probability bias score; without a model, say so."""
    if lm is None:
        return Leanings({}, why_none="no language model was given")
    try:
        found = log_probability_bias(lm, template, targets, words, journal=journal, progress=progress)
    except NothingLeftError as error:
        return Leanings({}, tuple(words), f"'{lm.name}' can place no word of a topic: {error}".rstrip("."))
    return Leanings({score.attribute: score.score for score in found.scores}, found.missing)


def topic_biases(topics: Topics, scores: dict[str, float]) -> FloatArray:
    """Return Σ weight × score over the first words of each topic; words without a score add nothing."""
    return np.array([sum(weight * scores.get(word, 0.0) for word, weight in words) for words in topics.words])


def described(topics: Topics, said: Leanings) -> tuple[result.Topic, ...]:
    """Describe the topics, each with its bias if there is one."""
    largest = np.bincount(topics.weights.argmax(axis=1), minlength=len(topics.words)).tolist()
    found = []
    for number, bias in enumerate(topic_biases(topics, said.scores).tolist()):
        words = tuple(result.TopicWord(word, weight, said.scores.get(word)) for word, weight in topics.words[number])
        scored = sum(word.weight for word in words if word.score is not None)
        biases = (None, None) if said.why_none else (bias, bias / scored if scored else None)
        found.append(result.Topic(number + 1, words, largest[number], *biases))
    return tuple(found)
