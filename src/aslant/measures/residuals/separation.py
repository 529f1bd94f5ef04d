"""Can biased words still be told apart? By clusters, a classifier and neighbours (Gonen & Goldberg 2019)."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aslant.errors import MeasureError, MissingExtraError, TooFewWordsError, plural
from aslant.measures.residuals.result import (
    NeighbourShare,
    Picture,
    PicturePoint,
    ResidualClassification,
    ResidualClustering,
    ResidualNeighbours,
)
from aslant.measures.shared.statistic import correlation, spread
from aslant.measures.shared.wordsets import FloatArray
from aslant.parallel import one_thread_each
from aslant.statistics import clustering_accuracy, nearest, two_clusters

Places: TypeAlias = NDArray[np.intp]
PICTURES = ("auto", "umap", "pca", "none")


def silhouette(vectors: FloatArray, clusters: Places) -> float:
    """Return the mean silhouette of two clusters of vectors (n, d), between −1 and 1."""
    from sklearn.metrics import silhouette_score

    with one_thread_each():
        return float(silhouette_score(vectors, clusters))


def measure_clustering(
    vectors: FloatArray, labels: NDArray[np.bool_], asked_per_side: int, randoms: Sequence[np.random.Generator]
) -> tuple[ResidualClustering, Places]:
    """Cluster vectors (n, d) once per generator; returns the result and the clusters of the first.

    `labels` (n,) are True for the words of the first side. The baseline compares the clusters with shuffled labels.
    """
    found, accuracies, chances, silhouettes = [], [], [], []
    for random in randoms:
        clusters = two_clusters(vectors, random)
        found.append(clusters)
        accuracies.append(clustering_accuracy(clusters, labels))
        chances.append(clustering_accuracy(clusters, random.permutation(labels)))
        silhouettes.append(silhouette(vectors, clusters))
    over = spread(accuracies)
    result = ResidualClustering(
        accuracy=over.mean, lowest=over.minimum, highest=over.maximum, silhouette=spread(silhouettes),
        chance=spread(chances), words_per_side=len(labels) // 2, asked_per_side=asked_per_side, seeds=over.n,
    )  # fmt: skip
    return result, found[0]


def picture_of(
    vectors: FloatArray, words: Sequence[str], sides: Sequence[str], clusters: Places, method: str, seed: int
) -> Picture | None:
    """Lay vectors (n, d) out in the plane, by UMAP where it is installed ("auto") or requested, else by PCA."""
    check_picture(method)
    if method == "none":
        return None
    chosen, plane = plane_of(vectors, method, seed)
    points = zip(words, sides, clusters.tolist(), plane.tolist(), strict=True)
    return Picture(chosen, tuple(PicturePoint(word, side, cluster, x, y) for word, side, cluster, (x, y) in points))


def plane_of(vectors: FloatArray, method: str, seed: int) -> tuple[str, FloatArray]:
    """Return the method that is used ("auto": what is installed) and vectors (n, d) in the plane, (n, 2)."""
    from importlib.util import find_spec

    here = find_spec("umap") is not None
    if method == "pca" or (method == "auto" and not here):
        rows, values, axes = np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=False)
        largest = np.abs(axes[:2]).argmax(axis=1)
        signs = np.where(axes[np.arange(len(largest)), largest] < 0, -1.0, 1.0)  # one picture, not its mirror image
        plane = rows[:, :2] * values[:2] * signs
        return "pca", np.pad(plane, ((0, 0), (0, 2 - plane.shape[1])))
    if not here:
        raise MissingExtraError("a UMAP picture needs umap-learn: pip install '.[umap]', or picture='pca'.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its own dependencies, about things that users cannot change
        import umap

        plane = umap.UMAP(n_components=2, random_state=seed % 2**32, n_jobs=1).fit_transform(vectors)
    return "umap", np.asarray(plane, dtype=np.float64)


def check_picture(method: str) -> None:
    """Refuse an unknown way of drawing."""
    if method not in PICTURES:
        raise MeasureError(f"picture={method!r} is not one of {', '.join(PICTURES)}.")


Gamma: TypeAlias = Literal["scale", "auto"] | float

#: 1,000 of 5,000 words train the classifier, half of them from each side; of fewer words, the same share.
TRAINING_WORDS, ONE_IN = 1_000, 5


def classification_accuracy(
    vectors: NDArray[Any], labels: NDArray[np.bool_], training: int, random: np.random.Generator, gamma: Gamma = "scale"
) -> float:
    """Train an RBF support vector machine (C = 1) on `training` random rows of (n, d); return its accuracy on the rest.

    Half of the training rows are from each side. Unequal halves would let a classifier with a wide kernel (gamma="auto"
    on unit vectors) settle for the larger one: its accuracy falls to chance for that reason alone. The kernel is made
    by matrix products, ten times as fast as inside the machine.
    """
    from sklearn.svm import SVC

    half = training // 2
    sides = [random.permutation(np.flatnonzero(labels == side)) for side in (True, False)]
    if half < 1 or 2 * half == len(labels) or min(map(len, sides)) < half:
        raise MeasureError(f"{training} of {len(labels)} words cannot train a classifier; give words of both sides.")
    train, test = (np.concatenate([side[part] for side in sides]) for part in (slice(half), slice(half, None)))
    learnt, asked = vectors[train].astype(np.float64), vectors[test].astype(np.float64)
    width = _width(learnt, gamma)
    machine = SVC(C=1.0, kernel="precomputed").fit(_rbf(learnt, learnt, width), labels[train])
    found = _rbf(asked, learnt[machine.support_], width) @ machine.dual_coef_[0] + machine.intercept_[0] > 0
    return float(np.mean(found == labels[test]))


def _width(vectors: FloatArray, gamma: Gamma) -> float:
    """Return what scikit-learn means by a kernel width, for training rows (n, d)."""
    if not isinstance(gamma, str):
        return float(gamma)
    variance = float(vectors.var()) if gamma == "scale" else 1.0
    return 1 / (vectors.shape[1] * variance) if variance else 1.0


def _rbf(first: FloatArray, second: FloatArray, width: float) -> FloatArray:
    """Return exp(−width · |a − b|²) for rows (n, d) and (m, d); shape (n, m)."""
    squares = [np.einsum("ij,ij->i", rows, rows) for rows in (first, second)]
    return np.asarray(np.exp(-width * np.maximum(squares[0][:, None] + squares[1] - 2 * first @ second.T, 0)))


def check_gamma(gamma: Any) -> None:
    """Refuse an invalid kernel width."""
    number = isinstance(gamma, numbers.Real) and not isinstance(gamma, bool) and 0 < float(gamma) < float("inf")
    if not (number or (isinstance(gamma, str) and gamma in ("scale", "auto"))):
        raise MeasureError(f"gamma={gamma!r:.60} is neither 'scale', 'auto' nor a number above 0.")


def training_size(words: int) -> int:
    """Return how many of `words` train the classifier: a fifth, and an even number."""
    return min(TRAINING_WORDS, 2 * (words // (2 * ONE_IN)))


def measure_classification(
    vectors: FloatArray, labels: NDArray[np.bool_], asked_per_side: int, randoms: Sequence[np.random.Generator],
    gamma: Gamma = "scale",
) -> ResidualClassification:  # fmt: skip
    """Classify vectors (n, d) once per generator, with their labels (n,) and with shuffled ones."""
    training = training_size(len(labels))
    accuracies, chances = [], []
    for random in randoms:
        accuracies.append(classification_accuracy(vectors, labels, training, random, gamma))
        chances.append(classification_accuracy(vectors, random.permutation(labels), training, random, gamma))
    over = spread(accuracies)
    return ResidualClassification(
        accuracy=over.mean, lowest=over.minimum, highest=over.maximum, chance=spread(chances),
        words_per_side=len(labels) // 2, asked_per_side=asked_per_side, training_words=training,
        testing_words=len(labels) - training, seeds=over.n,
    )  # fmt: skip


#: Neighbours are at most this share of the words among which they are sought, so that they are a choice.
MOST_OF_POOL = 1 / 3
SHUFFLES = 999


def neighbour_shares(neighbours: Places, leans: NDArray[np.bool_]) -> FloatArray:
    """Return the share of each row's neighbours that lean to the first side; (queries,), from (queries, k), (pool,)."""
    return np.asarray(leans[neighbours].mean(axis=1))


def shuffled_correlations(
    near: Places, leans: NDArray[np.bool_], bias: FloatArray, own: Places, random: np.random.Generator
) -> FloatArray:
    """Return Pearson's correlation of shares and biases after each of 999 shuffles; constant shares give 0.

    Biases are shuffled among the queries, together with the leanings of the queries where these are neighbours
    themselves (`own`, their place in the pool, or −1); other leanings are shuffled separately. A word's own leaning
    is never among its neighbours', which by itself makes correlations among few words negative, and words that share
    neighbours are not independent: this way of shuffling accounts for both.
    """
    members = own >= 0
    others = np.setdiff1d(np.arange(len(leans)), own[members])
    seen = np.intersect1d(others, near)  # of a shuffle of all others, only what some neighbour is needs to be known
    first_side = int(leans[others].sum())
    biases, shares = np.empty((SHUFFLES, len(bias))), np.empty((SHUFFLES, len(bias)))
    shuffled = np.zeros(len(leans), dtype=bool)
    for i in range(SHUFFLES):
        biases[i] = random.permutation(bias)
        if len(seen):
            count = random.hypergeometric(first_side, len(others) - first_side, len(seen))
            shuffled[seen] = random.permutation(np.arange(len(seen)) < count)
        shuffled[own[members]] = biases[i, members] > 0
        shares[i] = neighbour_shares(near, shuffled)
    biases -= biases.mean(axis=1, keepdims=True)
    shares -= shares.mean(axis=1, keepdims=True)
    lengths = np.linalg.norm(biases, axis=1) * np.linalg.norm(shares, axis=1)
    return np.asarray(np.divide((biases * shares).sum(axis=1), lengths, out=np.zeros(SHUFFLES), where=lengths > 0))


def measure_neighbours(
    words: Sequence[str],
    queries: FloatArray,
    bias: FloatArray,
    pool: NDArray[Any],
    pool_bias: FloatArray,
    own: Places,
    k: int,
    random: np.random.Generator,
) -> ResidualNeighbours:
    """Correlate the share of first-side words among the k nearest of each query with the query's original bias.

    `queries` (n, d) and `pool` (m, d) are unit vectors in the space under test; `bias` (n,) and `pool_bias` (m,) come
    from the original one; `own` as in `nearest`.
    """
    used = min(k, int((len(pool) - 1) * MOST_OF_POOL))
    if used < 1 or len(words) < 3:
        raise TooFewWordsError(
            f"{plural(len(words), 'word')} and {plural(len(pool), 'possible neighbour')}: too few for a correlation."
        )
    found, leans = nearest(queries, pool, used, own), pool_bias > 0
    shares = neighbour_shares(found, leans)
    chances, pearson = shuffled_correlations(found, leans, bias, own, random), correlation("", shares, bias)
    as_far = None if pearson is None else int(np.count_nonzero(np.abs(chances) >= abs(pearson.pearson) - 1e-12))
    return ResidualNeighbours(
        correlation=getattr(pearson, "pearson", None),
        pvalue=getattr(pearson, "pearson_pvalue", None),
        spearman=getattr(pearson, "spearman", None),
        spearman_pvalue=getattr(pearson, "spearman_pvalue", None),
        shuffled_pvalue=None if as_far is None else (1 + as_far) / (1 + SHUFFLES),
        chance=spread(chances),
        k=used,
        asked_k=k,
        among=len(pool),
        by_word=tuple(map(NeighbourShare, words, bias.tolist(), shares.tolist())),
    )
