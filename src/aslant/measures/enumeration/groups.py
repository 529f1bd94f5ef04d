"""Steps 1 and 2 of bias enumeration: name groups and word categories, by clustering (docs/definitions.md §3)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import closing, contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aslant.errors import MeasureError
from aslant.measures.enumeration.result import Demographics, Weights
from aslant.measures.shared.wordsets import FloatArray
from aslant.parallel import one_thread_each, spread
from aslant.stimuli import NameFacts
from aslant.stimuli.name_files import RACES

Unit = NDArray[np.float32]
#: As many starts as scikit-learn made when the paper was written; the best one counts.
STARTS = 10
#: Non-names to contrast with names are drawn from this many of the most frequent words.
FREQUENT = 50_000
#: A vocabulary with a smaller share of tokens with capitals (such as "UNK") counts as lower-cased.
CASED_SHARE = 0.01


def margins(names: Unit, others: Unit, seed: int) -> FloatArray:
    """Return how far each name lies on the names' side of a linear classifier of names against other words; (names,).

    >>> margins(np.array([[1, 0], [0.9, 0.1]], np.float32), np.array([[0, 1], [0.1, 1]], np.float32), 0) > 0
    array([ True,  True])
    """
    from sklearn.svm import LinearSVC

    samples = np.concatenate([names, others]).astype(np.float64)
    labels = np.repeat([1, 0], [len(names), len(others)])
    with one_thread_each(), no_convergence_warnings():  # margins that are not quite the best still order the names
        model = LinearSVC(random_state=seed % 2**32).fit(samples, labels)
    return np.asarray(model.decision_function(samples[: len(names)]))


def keep_by_margin(margin: FloatArray, left_out: float) -> NDArray[np.bool_]:
    """Return which names stay when the share `left_out` with the smallest margin goes; (names,).

    >>> keep_by_margin(np.array([3.0, 1.0, 2.0, 4.0, 5.0]), 0.2).tolist()
    [True, False, True, True, True]
    """
    keep = np.ones(len(margin), dtype=bool)
    keep[np.argsort(margin, kind="stable")[: int(left_out * len(margin))]] = False
    return keep


@contextmanager
def no_convergence_warnings() -> Iterator[None]:
    """Silence warnings about fewer distinct points than clusters (an error later) and about margins not quite optimal.

    Filters belong to the process, so tasks, which may share one, must leave them alone.
    """
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def one_start(shared: tuple[Unit, int], child: np.random.SeedSequence) -> tuple[float, NDArray[np.int32]]:
    """Return the inertia and the labels of one start of k-means on `shared`: points, and how many clusters."""
    from sklearn.cluster import KMeans

    points, count = shared
    state = int(child.generate_state(1)[0])
    model = KMeans(count, init="k-means++", n_init=1, random_state=state).fit(points)
    return float(model.inertia_), model.labels_


def cluster(
    points: Unit, count: int, seed: int, workers: int | None, done: Callable[[int, int], None] | None = None
) -> NDArray[np.int64]:
    """Cluster unit vectors by k-means++ (ten starts, the best kept) and number the clusters by size; (points,).

    Each start has its own seed and one thread, so the answer does not depend on the number of workers.

    >>> cluster(np.array([[1, 0], [0.9, 0.1], [0, 1]], np.float32), 2, seed=0, workers=1).tolist()
    [0, 0, 1]
    """
    best: tuple[float, NDArray[np.int32]] | None = None
    children = np.random.SeedSequence(seed).spawn(STARTS)
    started = spread(one_start, children, (points, count), workers)
    with one_thread_each(), no_convergence_warnings(), closing(started):
        for number, found in enumerate(started, 1):
            best = found if best is None or found[0] < best[0] else best
            if done:
                done(number, STARTS)
    assert best is not None
    return _numbered_by_size(best[1], count)


def _numbered_by_size(labels: NDArray[np.int32], count: int) -> NDArray[np.int64]:
    sizes = np.bincount(labels, minlength=count)
    if (sizes == 0).any():
        raise MeasureError(f"only {(sizes > 0).sum()} of {count} clusters could be told apart; request fewer.")
    first = np.array([np.flatnonzero(labels == c)[0] for c in range(count)])
    order = np.lexsort((first, -sizes))
    rank = np.empty(count, dtype=np.int64)
    rank[order] = np.arange(count)
    return np.asarray(rank[labels])


def illustrative(unit: NDArray[np.floating], how_many: int) -> list[int]:
    """Choose names greedily: each brings the mean of those chosen nearest, by cosine, to the mean of all.

    >>> illustrative(np.array([[1.0, 0], [0, 1.0], [0.8, 0.6]]), 2)
    [2, 1]
    """
    vectors = np.asarray(unit, dtype=np.float64)
    target, total = vectors.mean(axis=0), np.zeros(vectors.shape[1])
    chosen: list[int] = []
    for _ in range(min(how_many, len(vectors))):
        sums = total + vectors
        lengths = np.linalg.norm(sums, axis=1)
        cosines = np.divide(sums @ target, lengths, out=np.full(len(sums), -np.inf), where=lengths > 0)
        cosines[chosen] = -np.inf
        chosen.append(int(cosines.argmax()))
        total = sums[chosen[-1]]
    return chosen


def nearest_to_mean(unit: NDArray[np.floating], how_many: int) -> list[int]:
    """Return the rows nearest to the mean of all, nearest first.

    >>> nearest_to_mean(np.array([[1.0, 0], [0, 1.0], [0.8, 0.6]]), 1)
    [2]
    """
    vectors = np.asarray(unit, dtype=np.float64)
    return [int(row) for row in np.argsort(-(vectors @ vectors.mean(axis=0)), kind="stable")[:how_many]]


def demographics(
    names: Sequence[str], facts: Mapping[str, NameFacts], weighted_by: Weights = "names"
) -> Demographics | None:
    """Return what the tables know about a group; None where they know none of its names.

    Figures are means over the known names, each counting equally, or `weighted_by` how many people bear it.

    >>> facts = {"ann": NameFacts(3_000, 1.0, 1950.0, None), "bob": NameFacts(1_000, 0.0, 1970.0, None)}
    >>> demographics(["Ann", "Bob"], facts).share_female, demographics(["Ann", "Bob"], facts, "bearers").share_female
    (0.5, 0.75)
    """
    known = [facts[name.lower()] for name in names if name.lower() in facts]
    if not known:
        return None

    def mean(of: Callable[[NameFacts], float | None]) -> float | None:
        given = [(value, fact.bearers) for fact in known if (value := of(fact)) is not None]
        if not given:
            return None
        values, bearers = np.array(given, dtype=np.float64).T
        return float(np.average(values, weights=bearers if weighted_by == "bearers" else None))

    with_race = sum(fact.share_by_race is not None for fact in known)

    def share_of(race: str) -> float:
        return mean(lambda fact: fact.share_by_race[race] if fact.share_by_race else None) or 0.0

    return Demographics(
        names=len(known),
        weighted_by=weighted_by,
        share_female=mean(lambda fact: fact.share_female),
        mean_birth_year=mean(lambda fact: fact.mean_birth_year),
        names_with_race=with_race,
        share_by_race={race: share_of(race) for race in RACES} if with_race else None,
    )


def by_share_female(groups: Sequence[Demographics | None]) -> list[int] | None:
    """Return the order of groups by share of women, largest first (the paper's Table 2), those without one last.

    None where no table knows any, as for surnames.

    >>> by_share_female([None, Demographics(9, "names", 0.1, 1980.0, 0, None), None])
    [1, 0, 2]
    """
    known = {place: d.share_female for place, d in enumerate(groups) if d is not None and d.share_female is not None}
    return sorted(range(len(groups)), key=lambda place: -known.get(place, -1.0)) if known else None


def is_cased(words: Sequence[str]) -> bool:
    """Tell whether a vocabulary has capital letters: at least 1 % of its most frequent tokens with one.

    >>> is_cased(["the", "Mary", "mary"]), is_cased(["the", "mary"] * 60 + ["UNK"])
    (True, False)
    """
    frequent = words[:FREQUENT]
    return sum(token != token.lower() for token in frequent) >= CASED_SHARE * len(frequent)


@dataclass(frozen=True)
class Vocabulary:
    """The rows of the embedding that count as words, most frequent first, and the tokens there."""

    rows: NDArray[np.int64]
    tokens: tuple[str, ...]


def frequent_words(words: Sequence[str], left_out: Set[str], most: int, *, lower_case: bool = True) -> Vocabulary:
    """Return the `most` frequent tokens except those `left_out`, as they are written or in lower case.

    With `lower_case` only tokens in lower case count (or in a script without case), and only those with a letter.

    >>> frequent_words(["the", "Ann", "ann", ",", "new_york", "Paris"], {"ann"}, 10).tokens
    ('the', 'new_york')
    >>> frequent_words(["the", "Ann", "ann", "Paris"], {"Ann"}, 10, lower_case=False).tokens
    ('the', 'ann', 'Paris')
    """
    rows, tokens = [], []
    for row, token in enumerate(words):
        lower = token.lower()
        if token in left_out or lower in left_out:
            continue
        if lower_case and (token != lower or not any(map(str.isalpha, token))):
            continue
        rows.append(row)
        tokens.append(token)
        if len(rows) == most:
            break
    return Vocabulary(np.array(rows, dtype=np.int64), tuple(tokens))
