"""Predict to whom pronouns refer: folds, one trained classifier for each, and a journal of what they predict."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aslant.errors import MeasureError, plural
from aslant.io.journal import Journal
from aslant.measures.pronouns_resolved.gap_files import GENDERS, LABELS, GapSample
from aslant.models.classifier import Classifier, class_probabilities
from aslant.models.protocols import Encoder, Progress
from aslant.models.vector_store import vectors_of
from aslant.statistics import spawn

FloatArray = NDArray[np.float64]
Rows = NDArray[np.intp]
#: One in this many of the training rows is held out for early stopping, where the fold itself must not be seen.
HELD_OUT = 10
#: Changes when the same settings would no longer give the same predictions, so that old journals are not used.
METHOD = "1"


@dataclass(frozen=True, eq=False)
class Fit:
    """One classifier to train: the rows to train on, to stop by and to predict; all are indices of the samples."""

    repeat: int
    train: Rows
    held: Rows
    wanted: Rows
    seed: int


def features(
    encoder: Encoder, samples: Sequence[GapSample], store: str | PathLike[str] | None, progress: Progress | None
) -> NDArray[np.float32]:
    """Return the vectors of pronoun, A and B of each sample, side by side: (samples, 3 · dimensions)."""
    vectors = vectors_of(encoder, [sample.passage for sample in samples], store=store, progress=progress)
    found = vectors.reshape(len(samples), 3 * encoder.dimensions)
    if not np.isfinite(found).all():
        worst = samples[int(np.argmin(np.isfinite(found).all(axis=1)))].id
        raise MeasureError(f"'{encoder.name}' gives no finite vector for sample '{worst}'; its weights are damaged.")
    return found


def plan(measured: Sequence[GapSample], train: Sequence[GapSample], folds: int, seeds: int, seed: int) -> list[Fit]:
    """List every classifier to train; samples are numbered with the measured ones first, then those to train on.

    Without `train`, each fold of the measured samples is predicted by a classifier that has seen none of it: it is
    trained on the other folds, of which one row in ten is held out to stop by. With `train`, each classifier is
    trained on all folds of these but one, stops by that one, and predicts all measured samples, as in the kernel.
    Samples from one page share a fold.
    """
    fits = []
    for repeat, random in enumerate(spawn(seed, seeds)):
        pool = list(train) or list(measured)
        offset = len(measured) if train else 0
        fold = grouped_folds(*groups_and_kinds(pool), folds, random)
        for number in range(folds):
            inside, outside = np.flatnonzero(fold == number), np.flatnonzero(fold != number)
            if train:
                parts = outside + offset, inside + offset, np.arange(len(measured))
            else:
                pages, kinds = groups_and_kinds([pool[row] for row in outside])
                if (count := len(set(pages))) < HELD_OUT:  # as where one page has most of the samples
                    raise MeasureError(
                        f"without fold {number + 1} of {folds}, {count} pages are left to train on, and {HELD_OUT} are "
                        "needed; use more folds, or samples from more pages."
                    )
                held = grouped_folds(pages, kinds, HELD_OUT, random) == 0
                parts = outside[~held], outside[held], inside
            fits.append(Fit(repeat, *parts, int(random.integers(2**31))))
    return fits


def groups_and_kinds(samples: Sequence[GapSample]) -> tuple[list[str], list[str]]:
    """Return the page of each sample, one name for pages that share a text, and its label and gender."""
    page_of_text: dict[str, str] = {}
    goes_with: dict[str, str] = {}  # a page, and the one that it shares a text with

    def named(page: str) -> str:
        while page in goes_with:
            page = goes_with[page]
        return page

    for sample in samples:
        page = named(sample.page or sample.text)
        other = named(page_of_text.setdefault(sample.text, page))
        if other != page:
            goes_with[page] = other
    pages = [named(sample.page or sample.text) for sample in samples]
    return pages, [f"{sample.label} {sample.gender}" for sample in samples]


def check_samples(measured: Sequence[GapSample], train: Sequence[GapSample], folds: int) -> None:
    """Refuse data that are too few to learn from or to compare."""
    for gender in GENDERS:
        if (count := sum(sample.gender == gender for sample in measured)) < 2:
            said = f"{plural(count, 'sample')} with a {gender} pronoun"
            raise MeasureError(f"{said}; at least 2 of each gender are needed.")
    pool = train or measured
    pages = len(set(groups_and_kinds(pool)[0]))
    least = folds if train else 2 * HELD_OUT
    if pages < least:
        raise MeasureError(f"{plural(pages, 'page')} of samples cannot be trained on; at least {least} are needed.")
    for label in LABELS:
        if (count := sum(sample.label == label for sample in pool)) < folds:
            said = f"{plural(count, 'sample')} labelled '{label}'"
            raise MeasureError(f"{said}; at least one for each of {folds} folds is needed.")


def predictions(
    fits: Sequence[Fit], x: NDArray[np.float32], other: NDArray[np.float32], labels: NDArray[np.intp],
    shape: tuple[int, int], settings: Classifier, folder: str | PathLike[str] | None, progress: Progress | None,
) -> tuple[FloatArray, FloatArray]:  # fmt: skip
    """Return the probabilities of A, B and neither, (seeds, measured samples, 3); `shape` is (seeds, measured).

    The second array is of the `other` vectors of the measured samples, by the same classifiers.
    """
    total, count = np.zeros((2, *shape, len(LABELS))), np.zeros(shape)
    journal = Journal(Path(folder)) if folder is not None else None
    data = "".join(hashlib.sha256(part.tobytes()).hexdigest() for part in (x, other, labels))
    for number, fit in enumerate(fits, 1):
        described = repr((METHOD, data, sorted(settings.record().items()), fit.seed)).encode()
        rows = b"|".join(part.astype(np.int64).tobytes() for part in (fit.train, fit.held, fit.wanted))
        key = "fold-" + hashlib.sha256(described + rows).hexdigest()[:24]
        kept = journal.recall(key) if journal else None
        if kept is None:
            found = class_probabilities(
                x[fit.train], labels[fit.train], x[fit.held], labels[fit.held],
                np.concatenate([x[fit.wanted], other[fit.wanted]]),
                classes=len(LABELS), settings=settings, seed=fit.seed,
            )  # fmt: skip
            kept = {"probabilities": found}
            if journal:
                journal.keep(key, kept)
        total[:, fit.repeat, fit.wanted] += np.stack(np.split(kept["probabilities"], 2))
        count[fit.repeat, fit.wanted] += 1
        if progress:
            progress("classifiers", number, len(fits))
    mean = total / count[..., None]
    return mean[0], mean[1]


def grouped_folds(groups: ArrayLike, kinds: ArrayLike, n_folds: int, random: np.random.Generator) -> NDArray[np.intp]:
    """Return the fold, 0 to n_folds − 1, of each of n rows.

    Rows of one group (`groups`, (n,)) share a fold, so that what was trained on is never tested; each kind (`kinds`,
    (n,)) is spread over the folds as evenly as its groups allow. Groups come in random order, larger ones first, and
    each goes to the fold that has fewest of its kinds so far.
    """
    _, group = np.unique(np.asarray(groups), return_inverse=True)
    _, kind = np.unique(np.asarray(kinds), return_inverse=True)
    n_groups, n_kinds = int(group.max()) + 1, int(kind.max()) + 1
    if n_groups < n_folds:
        raise MeasureError(
            f"{plural(n_groups, 'group')} cannot be split into {n_folds} folds; use fewer folds or more data."
        )
    made_of = np.zeros((n_groups, n_kinds))
    np.add.at(made_of, (group, kind), 1)
    order = random.permutation(n_groups)
    order = order[np.argsort(-made_of.sum(axis=1)[order], kind="stable")]
    held, chosen = np.zeros((n_folds, n_kinds)), np.empty(n_groups, dtype=np.intp)
    for place in order:
        # Ties by how full a fold is: whole folds stay of about one size.
        fullness = held @ made_of[place] + held.sum(axis=1) / (held.sum() + 1)
        chosen[place] = int(np.argmin(fullness))
        held[chosen[place]] += made_of[place]
    return np.asarray(chosen[group])
