"""The steps of bias enumeration on arrays: groups and categories by clustering, and cells (docs/definitions.md §3)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from contextlib import closing
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np
from numpy.typing import NDArray

from aslant.errors import MeasureError
from aslant.measures.enumeration.result import Demographics, EnumeratedCell, IndirectBias, PotentialProxy, Weights
from aslant.measures.shared.wordsets import FloatArray
from aslant.parallel import one_thread_each, spread
from aslant.statistics import RotationCounts
from aslant.stimuli import NameFacts
from aslant.stimuli.name_files import RACES

Unit = NDArray[np.float32]
Integers = NDArray[np.int64]
#: As many starts as scikit-learn made when the paper was written; the best one counts.
STARTS = 10
#: Non-names to contrast with names are drawn from this many of the most frequent words.
FREQUENT = 50_000
#: A vocabulary with a smaller share of tokens with capitals (such as "UNK") counts as lower-cased.
CASED_SHARE = 0.01
#: A result lists this many potential indirect biases, the strongest; the paper's embeddings have up to 2,713 in all.
MOST_PROXIES = 10_000


def margins(names: Unit, others: Unit, seed: int, *, dual: bool = True) -> FloatArray:
    """Return how far each name is on the names' side of a linear classifier of names against other words; (names,).

    Not `dual`, the same problem is solved several times as fast where there are many more names than dimensions.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import LinearSVC

    samples = np.concatenate([names, others]).astype(np.float64)
    labels = np.repeat([1, 0], [len(names), len(others)])
    # Margins that are not quite the best still order the names.
    with one_thread_each(), warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        model = LinearSVC(dual=dual, random_state=seed % 2**32).fit(samples, labels)
    return np.asarray(model.decision_function(samples[: len(names)]))


def keep_by_margin(margin: FloatArray, left_out: float) -> NDArray[np.bool_]:
    """Return which names stay when the share `left_out` with the smallest margin goes, and all words; (names,).

    What is on the other words' side of the classifier is a word.
    """
    keep = margin >= 0
    keep[np.argsort(margin, kind="stable")[: int(left_out * len(margin))]] = False
    return keep


def one_start(shared: tuple[Unit, int], child: np.random.SeedSequence) -> tuple[float, NDArray[np.int32]]:
    """Return the inertia and the labels of one start of k-means on `shared`: points, and how many clusters."""
    from sklearn.cluster import KMeans

    points, count = shared
    state = int(child.generate_state(1)[0])
    model = KMeans(count, init=plus_plus, n_init=1, random_state=state).fit(points)
    return float(model.inertia_), model.labels_


def plus_plus(points: Unit, count: int, random_state: np.random.RandomState) -> Unit:
    """Choose where k-means begins, as scikit-learn's k-means++ does (Arthur & Vassilvitskii 2007), number by number.

    Scikit-learn makes points of single precision double anew for every cluster; here that is done once.
    """
    double = points.astype(np.float64)
    norms = np.einsum("ij,ij->i", double, double)
    weights = np.ones(len(points), dtype=points.dtype)

    def distances(rows: NDArray[np.intp]) -> Unit:
        found = -2 * (double[rows] @ double.T)
        found += norms[rows][:, None]
        found += norms
        return np.asarray(np.maximum(found.astype(points.dtype), 0))

    chosen = [int(random_state.choice(len(points), p=weights / weights.sum()))]
    closest = distances(np.array(chosen))
    pot = closest @ weights
    for _ in range(1, count):
        at = random_state.uniform(size=2 + int(np.log(count))) * pot
        candidates = np.minimum(np.searchsorted(np.cumsum(weights * closest), at), closest.size - 1)
        reached = np.minimum(closest, distances(candidates))
        pots = reached @ weights.reshape(-1, 1)
        best = int(np.argmin(pots))
        pot, closest = pots[best], reached[best]
        chosen.append(int(candidates[best]))
    return points[chosen]


def cluster(
    points: Unit, count: int, seed: int, workers: int | None, done: Callable[[int, int], None] | None = None
) -> NDArray[np.int64]:
    """Cluster unit vectors by k-means++ (ten starts, the best kept) and number the clusters by size; (points,).

    Each start has its own seed and one thread, so the answer does not depend on the number of workers.
    """
    from sklearn.exceptions import ConvergenceWarning

    found = []
    started = spread(one_start, np.random.SeedSequence(seed).spawn(STARTS), (points, count), workers)
    # Fewer distinct points than clusters are an error below. Filters belong to the process, so tasks leave them alone.
    quiet = warnings.catch_warnings(action="ignore", category=ConvergenceWarning)
    with one_thread_each(), quiet, closing(started):
        for start in started:
            found.append(start)
            if done:
                done(len(found), STARTS)
    labels = min(found, key=lambda start: start[0])[1]
    met, first, sizes = np.unique(labels, return_index=True, return_counts=True)
    if len(met) < count:
        raise MeasureError(f"only {len(met)} of {count} clusters could be told apart; request fewer.")
    return np.argsort(np.lexsort((first, -sizes)))[labels]


def illustrative(unit: NDArray[np.floating], how_many: int) -> list[int]:
    """Choose names greedily: each brings the mean of those chosen nearest, by cosine, to the mean of all."""
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


def demographics(
    names: Sequence[str], facts: Mapping[str, NameFacts], weighted_by: Weights = "names"
) -> Demographics | None:
    """Return means over names that the tables know, each counting once or by its bearers; None if they know none."""
    known = [facts[name.lower()] for name in names if name.lower() in facts]
    if not known:
        return None

    def mean(values: Iterable[float | None]) -> float | None:
        given = [(value, fact.bearers) for value, fact in zip(values, known, strict=True) if value is not None]
        if not given:
            return None
        array, bearers = np.array(given, dtype=np.float64).T
        return float(np.average(array, weights=bearers if weighted_by == "bearers" else None))

    shares = [fact.share_by_race for fact in known]
    return Demographics(
        names=len(known),
        weighted_by=weighted_by,
        share_female=mean(fact.share_female for fact in known),
        mean_birth_year=mean(fact.mean_birth_year for fact in known),
        names_with_race=sum(share is not None for share in shares),
        share_by_race={r: mean(share[r] if share else None for share in shares) or 0.0 for r in RACES}
        if any(share is not None for share in shares)
        else None,
    )


def by_share_female(groups: Sequence[Demographics | None]) -> list[int] | None:
    """Return the order of groups by share of women, largest first (Table 2), unknown last; None if all are."""
    known = {place: d.share_female for place, d in enumerate(groups) if d is not None and d.share_female is not None}
    return sorted(range(len(groups)), key=lambda place: -known.get(place, -1.0)) if known else None


def is_cased(words: Sequence[str]) -> bool:
    """Tell whether a vocabulary has capital letters: at least 1 % of its most frequent tokens with one."""
    frequent = words[:FREQUENT]
    return sum(token != token.lower() for token in frequent) >= CASED_SHARE * len(frequent)


def frequent_words(words: Sequence[str], left_out: Set[str], most: int, *, lower_case: bool = True) -> list[int]:
    """Return the rows of the `most` frequent tokens except those `left_out`, as they are written or in lower case.

    With `lower_case` only tokens in lower case count (or in a script without case), and only those with a letter.
    """
    rows = (
        row
        for row, token in enumerate(words)
        if token not in left_out
        and (lower := token.lower()) not in left_out
        and not (lower_case and (token != lower or not (token.isalpha() or any(map(str.isalpha, token)))))
    )
    return list(islice(rows, most))


@dataclass(frozen=True, eq=False)
class Cells:
    """What was chosen: `words` (m, n, t) rows of the words, best first, −1 where a cell has no test.

    `candidates` (m, n) counts the words that belong to each cell; `scores` (m, n) is NaN where there is no test.
    """

    words: Integers
    candidates: Integers
    scores: FloatArray


def choose_cells(
    words: NDArray[np.floating], starts: Integers, means: FloatArray, per_cell: int, *, voronoi: bool = True
) -> Cells:
    """Choose the words of every cell and score them.

    `words` (M, d) are unit vectors in order of category, which begin at `starts` (m + 1); `means` (n, d) are the
    group means. A word belongs to the group argmax_i ŵ·X̄_i (without `voronoi` to every group: the paper's footnote
    2); a cell takes the `per_cell` words with the largest (X̄_i − μ)·ŵ, and scores σ_ij = (X̄_i − μ)·(Ā_ij − 𝒜̄).
    """
    m, n = len(starts) - 1, len(means)
    products = np.asarray(words, dtype=np.float64) @ means.T
    everyone = np.arange(len(words))
    if voronoi:
        rows, groups = everyone, products.argmax(axis=1)
    else:
        rows, groups = np.repeat(everyone, n), np.tile(np.arange(n), len(words))
    values = products[rows, groups] - products.mean(axis=1)[rows]
    category = np.repeat(np.arange(m), np.diff(starts))
    cell = category[rows] * n + groups
    candidates = np.bincount(cell, minlength=m * n)
    order = np.lexsort((-values, cell))  # by cell, then best first; equals stay in the order of frequency
    begins = np.concatenate([[0], np.cumsum(candidates)[:-1]])
    tested = candidates >= per_cell
    best = order[begins[tested][:, None] + np.arange(per_cell)]
    chosen = np.full((m * n, per_cell), -1, dtype=np.int64)
    chosen[tested] = rows[best]
    # (X̄_i − μ)·𝒜̄, the same for every category
    offsets = (means - means.mean(axis=0)) @ np.asarray(words).mean(axis=0, dtype=np.float64)
    scores = np.full(m * n, np.nan)
    scores[tested] = values[best].mean(axis=1) - np.tile(offsets, m)[tested]
    return Cells(chosen.reshape(m, n, per_cell), candidates.reshape(m, n), scores.reshape(m, n))


def indirect_bias(
    words: NDArray[np.floating], tokens: Sequence[str], cells: Cells, significant: NDArray[np.bool_]
) -> IndirectBias:
    """Count the 4-tuples i < i', j < j' of significant cells, and those with (Ā_ij − Ā_i'j)·(Ā_ij' − Ā_i'j') > 0.

    `significant` is (m, n), categories by groups. The strongest are listed, with the `tokens` of the words.
    """
    tuples = aligned = 0
    strongest: list[tuple[float, tuple[int, int, int, int]]] = []
    means = np.asarray(words, dtype=np.float64)[cells.words].mean(axis=2)  # Ā_ij; rows of −1 are never significant
    for first, second in combinations(range(significant.shape[1]), 2):
        both = np.flatnonzero(significant[:, first] & significant[:, second])
        apart = means[both, first] - means[both, second]
        one, other = np.triu_indices(len(both), 1)
        values = np.einsum("ij,kj->ik", apart, apart)[one, other]
        tuples += len(values)
        aligned += int((values > 0).sum())
        largest = np.argsort(-values, kind="stable")[:MOST_PROXIES]
        strongest += [(float(values[k]), (first, second, int(both[one[k]]), int(both[other[k]]))) for k in largest]
    strongest = sorted(strongest, key=lambda found: -found[0])[:MOST_PROXIES]

    def chosen(category: int, group: int) -> tuple[str, ...]:
        return tuple(tokens[row] for row in cells.words[category, group])

    listed = [
        PotentialProxy((g, h), (j, k), ((chosen(j, g), chosen(j, h)), (chosen(k, g), chosen(k, h))), value)
        for value, (g, h, j, k) in strongest
        if value > 0
    ]
    return IndirectBias(tuples, aligned, tuple(listed))


def enumerated_cells(
    cells: Cells, tokens: Sequence[str], counted: RotationCounts, pvalues: FloatArray, qvalues: FloatArray, alpha: float
) -> tuple[EnumeratedCell, ...]:
    """Return the cells as a result holds them, group by group within each category."""
    made = []
    for at in np.ndindex(cells.scores.shape):
        tested = not np.isnan(cells.scores[at])
        words = tuple(tokens[row] for row in cells.words[at]) if tested else ()
        score = float(cells.scores[at]) if tested else None
        p, q, drawn = float(pvalues[at]), float(qvalues[at]), int(counted.drawn[at[0]]) if tested else 0
        figures = (int(cells.candidates[at]), score, p, q, q <= alpha, int(counted.reached[at]), drawn)
        made.append(EnumeratedCell(at[1], at[0], words, *figures))
    return tuple(made)
