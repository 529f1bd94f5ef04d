"""Clustering the most biased words: if two clusters separate them, the bias is still there (Gonen & Goldberg 2019)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from aslant.errors import MeasureError
from aslant.measures.residuals.result import Picture, PicturePoint, ResidualClustering
from aslant.measures.shared.spreads import spread
from aslant.measures.shared.wordsets import FloatArray
from aslant.parallel import one_thread_each
from aslant.statistics import clustering_accuracy, two_clusters

PICTURES = ("auto", "umap", "pca", "none")


def silhouette(vectors: FloatArray, clusters: NDArray[np.intp]) -> float:
    """Return the mean silhouette of two clusters of vectors (n, d), between −1 and 1."""
    from sklearn.metrics import silhouette_score

    with one_thread_each():
        return float(silhouette_score(vectors, clusters))


def measure_clustering(
    vectors: FloatArray, labels: NDArray[np.bool_], asked_per_side: int, randoms: Sequence[np.random.Generator]
) -> tuple[ResidualClustering, NDArray[np.intp]]:
    """Cluster vectors (n, d) once per generator; returns the result and the clusters of the first.

    `labels` (n,) are True for the words of the first side. The baseline compares the clusters with shuffled labels.
    """
    accuracies, chances, silhouettes, first = [], [], [], None
    for random in randoms:
        clusters = two_clusters(vectors, random)
        first = clusters if first is None else first
        accuracies.append(clustering_accuracy(clusters, labels))
        chances.append(clustering_accuracy(clusters, random.permutation(labels)))
        silhouettes.append(silhouette(vectors, clusters))
    if first is None:
        raise MeasureError("no seed was given; clustering needs at least one.")
    over = spread(accuracies)
    result = ResidualClustering(
        accuracy=over.mean, lowest=over.minimum, highest=over.maximum, silhouette=spread(silhouettes),
        chance=spread(chances), words_per_side=len(labels) // 2, asked_per_side=asked_per_side, seeds=over.n,
    )  # fmt: skip
    return result, first


def picture_of(
    vectors: FloatArray, words: Sequence[str], sides: Sequence[str], clusters: NDArray[np.intp], method: str, seed: int
) -> Picture | None:
    """Lay vectors (n, d) out in the plane, by UMAP where it is installed ("auto") or requested, else by PCA."""
    check_picture(method)
    if method == "none":
        return None
    chosen, plane = plane_of(vectors, method, seed)
    points = zip(words, sides, clusters.tolist(), plane.tolist(), strict=True)
    return Picture(chosen, tuple(PicturePoint(word, side, cluster, x, y) for word, side, cluster, (x, y) in points))


def plane_of(vectors: FloatArray, method: str, seed: int) -> tuple[str, FloatArray]:
    """Return the method that is used ("auto": what is installed) and vectors (n, d) in the plane, (n, 2).

    >>> method, plane = plane_of(np.eye(4), "pca", 0)
    >>> method, plane.shape
    ('pca', (4, 2))
    """
    chosen = ("umap" if _umap_is_here() else "pca") if method == "auto" else method
    return chosen, _umap(vectors, seed) if chosen == "umap" else _pca(vectors)


def check_picture(method: str) -> None:
    """Refuse an unknown way of drawing."""
    if method not in PICTURES:
        raise MeasureError(f"picture={method!r} is not one of {', '.join(PICTURES)}.")


def _umap_is_here() -> bool:
    from importlib.util import find_spec

    return find_spec("umap") is not None


def _umap(vectors: FloatArray, seed: int) -> FloatArray:
    from aslant.errors import MissingExtraError

    if not _umap_is_here():
        raise MissingExtraError("a UMAP picture needs umap-learn: pip install '.[umap]', or picture='pca'.")
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its own dependencies, about things that users cannot change
        import umap

        plane = umap.UMAP(n_components=2, random_state=seed % 2**32, n_jobs=1).fit_transform(vectors)
    return np.asarray(plane, dtype=np.float64)


def _pca(vectors: FloatArray) -> FloatArray:
    rows, values, axes = np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=False)
    largest = np.abs(axes[:2]).argmax(axis=1)
    signs = np.where(axes[np.arange(len(largest)), largest] < 0, -1.0, 1.0)  # one picture, not its mirror image
    plane = rows[:, :2] * values[:2] * signs
    return np.asarray(np.pad(plane, ((0, 0), (0, 2 - plane.shape[1]))))
