"""The measures of Basta et al. on arrays: a contextual or static space on the same words, repeat by repeat."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.errors import MeasureError, TooFewWordsError, plural
from aslant.measures.geometry.directional import direct_bias_value, gender_subspace, projections
from aslant.measures.in_context.result import ComparedSpace, RepeatedMeasure, SpaceMeasures, SwappedPair
from aslant.measures.in_context.sentences import FEWEST_PROFESSIONS, BiasedWords, Professions
from aslant.measures.residuals import separation
from aslant.measures.shared.statistic import correlation, spread
from aslant.measures.shared.wordsets import FloatArray
from aslant.results.provenance import Representation
from aslant.statistics import clustering_accuracy, generator, nearest, spawn, two_clusters, unit_rows
from aslant.vectors import WordVectors


@dataclass(frozen=True)
class Repeat:
    """Unit vectors of one repeat: biased words (n, d), professions (p, d), and the direction (d,)."""

    words: FloatArray
    professions: FloatArray
    direction: FloatArray


@dataclass(frozen=True)
class Plan:
    """What is done with the vectors of every repeat.

    Of the n words the first half lean to the first side, strongest first, the others to the second. Neighbours are
    sought for the professions at the rows `queries`, whose original biases are `bias`; `own` is their place among the
    words, −1 where they are not among them.
    """

    clustered: int
    classified: int
    leans: NDArray[np.bool_]
    queries: NDArray[np.intp]
    bias: FloatArray
    own: NDArray[np.intp]
    k: int
    gamma: separation.Gamma

    @property
    def k_used(self) -> int:
        """Neighbours among the words: at most a third of them."""
        return min(self.k, int((len(self.leans) - 1) * separation.MOST_OF_POOL))

    @property
    def k_within(self) -> int:
        """Neighbours among the professions: at most a third of them."""
        return min(self.k, int((len(self.queries) - 1) * separation.MOST_OF_POOL))

    def check(self) -> None:
        """Refuse words that are too few for a correlation, before anything is encoded for them."""
        if len(self.queries) < FEWEST_PROFESSIONS or self.k_used < 1:
            raise TooFewWordsError(
                f"{plural(len(self.queries), 'profession')} with a bias in the static space and a sentence without "
                f"definitional words; at least {FEWEST_PROFESSIONS} are needed, so give a larger corpus."
            )

    def both_sides(self, per_side: int) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Return the rows of the strongest words of both sides, and which of them are of the first."""
        half = len(self.leans) // 2
        rows = np.concatenate([np.arange(per_side), half + np.arange(per_side)])
        return rows, np.repeat([True, False], per_side)


@dataclass(frozen=True)
class SpaceFound:
    """The measures of a space, the clusters of its first repeat, and the professions' projections (repeats, p)."""

    measures: SpaceMeasures
    clusters: NDArray[np.intp]
    projections: FloatArray


def shuffled_accuracies(
    clusters: NDArray[np.intp], labels: NDArray[np.bool_], random: np.random.Generator
) -> FloatArray:
    """Return how well clusters (n,) agree with labels (n,) after each of 999 shuffles of the labels.

    >>> set(shuffled_accuracies(np.array([0, 1]), np.array([True, False]), np.random.default_rng(0)).tolist())
    {1.0}
    """
    shuffled = random.permuted(np.tile(labels, (separation.SHUFFLES, 1)), axis=1)
    agree = np.mean(shuffled == (clusters == 1), axis=1)
    return np.asarray(np.maximum(agree, 1 - agree))


def over_repeats(
    values: Sequence[float | None],
    shuffled: Sequence[FloatArray] = (),
    chances: Sequence[float] = (),
    parametric: Sequence[float | None] = (),
) -> RepeatedMeasure:
    """Put the values of all repeats together; `shuffled` has for each what every shuffle gives, the same for all.

    The p-value is how often the mean over repeats is reached when leanings are shuffled among the words: one
    shuffle holds for all repeats, as the words are the same in each.

    >>> over_repeats([0.5, 0.7], [np.zeros(3), np.zeros(3)]).pvalue
    0.25
    """
    numbers = [value for value in values if value is not None]
    over = spread(numbers) if numbers else None
    if not len(shuffled):
        return RepeatedMeasure(over, tuple(values), spread(chances) if len(chances) else None, None)
    means = np.mean(np.array(shuffled), axis=0)
    reached = 0 if over is None else int(np.count_nonzero(np.abs(means) >= abs(over.mean) - 1e-12))
    pvalue = None if over is None else (1 + reached) / (1 + len(means))
    return RepeatedMeasure(over, tuple(values), spread(means), pvalue, tuple(parametric))


def measure_space(
    repeats: Iterable[Repeat], plan: Plan, variance: RepeatedMeasure, randoms: Sequence[np.random.Generator]
) -> SpaceFound:
    """Measure a space, one repeat for each generator; `variance` is known from its pairs already."""
    shuffles = int(generator(randoms[0]).integers(2**63))
    found: dict[str, list[Any]] = defaultdict(list)
    for vectors, random in zip(repeats, randoms, strict=True):
        for name, value in _measure(vectors, plan, random, shuffles).items():
            found[name].append(value)
    near, within = (tuple(zip(*found[name], strict=True)) for name in ("near", "within"))
    measures = SpaceMeasures(
        share_of_variance=variance,
        direct_bias=over_repeats(found["direct"]),
        clustering=over_repeats(found["separated"], found["separated by chance"]),
        silhouette=over_repeats(found["silhouette"]),
        classification=over_repeats(found["accuracy"], chances=found["accuracy by chance"]),
        neighbours=over_repeats(near[0], near[2], parametric=near[1]),
        neighbours_within=over_repeats(within[0], within[2], parametric=within[1]),
    )
    return SpaceFound(measures, found["clusters"][0], np.array(found["cosines"]))


def _measure(vectors: Repeat, plan: Plan, random: np.random.Generator, shuffles: int) -> dict[str, Any]:
    """Return what one repeat gives."""
    cosines = projections(vectors.professions, vectors.direction)
    rows, labels = plan.both_sides(plan.clustered)
    clusters = two_clusters(vectors.words[rows], random)
    many, sides = plan.both_sides(plan.classified)
    learnt, training, mixed = vectors.words[many], separation.training_size(len(many)), random.permutation
    queries = vectors.professions[plan.queries]
    each = np.arange(len(queries), dtype=np.intp)
    return {
        "cosines": cosines,
        "direct": direct_bias_value(cosines, 1.0),
        "clusters": clusters,
        "separated": clustering_accuracy(clusters, labels),
        "separated by chance": shuffled_accuracies(clusters, labels, generator(shuffles)),
        "silhouette": separation.silhouette(vectors.words[rows], clusters),
        "accuracy": separation.classification_accuracy(learnt, sides, training, random, plan.gamma),
        "accuracy by chance": separation.classification_accuracy(learnt, mixed(sides), training, random, plan.gamma),
        "near": _neighbours(queries, vectors.words, plan.leans, plan.own, plan.bias, plan.k_used, shuffles),
        "within": _neighbours(queries, queries, plan.bias > 0, each, plan.bias, plan.k_within, shuffles),
    }


def _neighbours(
    queries: FloatArray, pool: FloatArray, leans: NDArray[np.bool_], own: NDArray[np.intp], bias: FloatArray, k: int,
    shuffles: int,
) -> tuple[float | None, float | None, FloatArray]:  # fmt: skip
    """Correlate the neighbours' leanings with the bias: Pearson's, its own p-value, and what shuffled leanings give."""
    near = nearest(queries, pool, k, own)
    found = correlation("", separation.neighbour_shares(near, leans), bias)
    shuffled = separation.shuffled_correlations(near, leans, bias, own, generator(shuffles))
    return found.pearson if found else None, found.pearson_pvalue if found else None, shuffled


def check_compared(vectors: WordVectors, words: BiasedWords, jobs: Professions) -> None:
    """Refuse a space in which words are missing, before anything is encoded."""
    wanted = [*words.words, *(token for token in jobs.tokens if token is not None)]
    absent = [token for token in wanted if token not in vectors.index]
    if absent:
        raise MeasureError(
            f"'{vectors.name}' has no vector for {plural(len(absent), 'word')}, such as '{absent[0]}'; use one with "
            "the original's vocabulary."
        )


def compared_space(
    column: str, vectors: WordVectors, words: BiasedWords, jobs: Professions, plan: Plan,
    pairs: tuple[SwappedPair, ...], *, random_pairs: int, repeats: int, seed: int,
) -> ComparedSpace:  # fmt: skip
    """Measure a static space on the same words; its own direction, from the same pairs. Repeats differ in seeds."""
    known = [row for row, token in enumerate(jobs.tokens) if token is not None]
    tokens = [*words.words, *(str(jobs.tokens[row]) for row in known)]
    subspace = gender_subspace(vectors, [pair.words for pair in pairs], random_pairs=random_pairs, rng=seed)
    first = subspace.explained[0]
    beside = subspace.random[0] if subspace.random else None
    variance = RepeatedMeasure(spread([first]), (first,), beside, subspace.pvalue)
    unit = unit_rows(vectors.matrix[[vectors.index[token] for token in tokens]])
    places = {row: place for place, row in enumerate(known)}
    own = replace(plan, queries=np.array([places[row] for row in plan.queries], dtype=np.intp))
    count = len(words.words)
    same = Repeat(unit[:count], unit[count:], np.array(subspace.direction))
    found = measure_space((same for _ in range(repeats)), own, variance, spawn(seed, repeats))
    return ComparedSpace(column, Representation(**vectors.record()), found.measures)
