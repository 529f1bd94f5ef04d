"""Hard debiasing: neutralise and equalise (Bolukbasi, Chang, Zou, Saligrama & Kalai 2016, section 6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.debias.linear import mapped
from aslant.debias.words import (
    FloatArray,
    FoundSets,
    Rows,
    Sets,
    Words,
    check_vectors,
    concept_basis,
    find_sets,
    find_words,
)
from aslant.errors import DebiasError
from aslant.statistics import unit_rows
from aslant.vectors import WordVectors
from aslant.vectors.debiasing_record import Treatment, WordsTaken
from aslant.vectors.word_vectors import FloatMatrix


def hard_debiased(
    matrix: NDArray[Any],
    basis: FloatArray,
    specific: Rows,
    equalised: Sequence[Rows],
    words: Sequence[str] | None = None,
) -> FloatMatrix:
    """Return (words, d) at unit length: neutral rows have no component in `basis` (k, d), sets of rows are equalised.

    `specific` rows keep their direction, and so do those to equalise until then.
    """
    neutral = np.ones(len(matrix), dtype=bool)
    neutral[specific] = False
    for rows in equalised:
        neutral[rows] = False

    def neutralised(block: FloatArray, where: slice) -> FloatArray:
        parts = block @ basis.T
        parts[~neutral[where]] = 0
        block -= parts @ basis
        return block

    out = mapped(matrix, neutralised, words, unit=True)
    # Sets may share words (Manzini et al. 2019): one after the other, as the papers' programs do it.
    exact = {row: unit_rows(matrix[row]) for rows in equalised for row in rows.tolist()}
    for rows in equalised:
        named = f"'{', '.join(words[row] for row in rows.tolist())}'" if words else "the words of a set to equalise"
        changed = equalise(np.array([exact[row] for row in rows.tolist()]), basis, named)
        exact.update(zip(rows.tolist(), changed, strict=True))
    for row, vector in exact.items():
        out[row] = vector
    return out


def equalise(rows: FloatArray, basis: FloatArray, named: str = "the words of a set to equalise") -> FloatArray:
    """Return unit rows (n, d) that share all but their components in `basis` (k, d), which get one length.

    ν = μ − μ_B; w = ν + √(1 − |ν|²) (w_B − μ_B) / |w_B − μ_B|, with μ the mean of the rows. `named`: for messages.

    >>> equalise(np.array([[0.6, 0.8], [-1.0, 0.0]]), np.array([[1.0, 0.0]])).round(3).tolist()
    [[0.917, 0.4], [-0.917, 0.4]]
    """
    parts = rows @ basis.T
    shared = (rows - parts @ basis).mean(axis=0)
    apart = parts - parts.mean(axis=0)
    sizes = np.linalg.norm(apart, axis=1, keepdims=True)
    if (sizes < 1e-9).any():
        raise DebiasError(f"{named} do not differ in the subspace; leave that set out of `equalise`.")
    return np.asarray(shared + np.sqrt(max(0.0, 1 - shared @ shared)) * (apart / sizes) @ basis)


def hard_debias(
    vectors: WordVectors,
    *,
    pairs: Sets = "definitional-pairs",
    equalise: Sets = "equalise-pairs",
    specific: Words = "gender-specific-words",
    components: int = 1,
) -> WordVectors:
    """Remove a concept from all but `specific` words, and make the words of each `equalise` set differ in it alone.

    The subspace is that of the first `components` of `pairs`. Afterwards every vector has unit length, neutral words
    have no component in the subspace, and words of a pair are equally far from each neutral word (unless a later pair
    has one of them, too). Pairs are also equalised in Title Case and UPPER CASE where the embedding has both words.

    >>> import aslant
    >>> w = aslant.hard_debias(aslant.load(top=20_000))
    >>> nurse, she, he = w.lookup(["nurse", "she", "he"]).vectors
    >>> bool(abs(nurse @ she - nurse @ he) < 1e-6)
    True
    >>> w.name, w.treatments[0].settings
    ('sample (hard debiasing)', {'components': 1})
    """
    check_vectors(vectors)
    defining = find_sets(vectors, pairs, "pairs")
    basis = concept_basis(vectors, defining, components)
    kept, kept_words = find_words(vectors, specific, "specific words")
    equalised = find_sets(vectors, equalise, "equalised")
    rows, cases = with_cases(vectors, equalised)
    matrix = hard_debiased(vectors.matrix, basis, kept, rows, vectors.words)
    taken = (defining.taken, equalised.taken, cases, kept_words)
    return vectors.treated(matrix, Treatment("hard debiasing", {"components": components}, taken, None))


def with_cases(vectors: WordVectors, sets: FoundSets) -> tuple[list[Rows], WordsTaken]:
    """Return the rows of the sets, and of their Title Case and UPPER CASE forms where all of them exist.

    What the other cases add is recorded separately.
    """
    rows = {tuple(sorted(found.tolist())): found for found in sets.rows}
    before = len(rows)
    for words in sets.words:
        for form in (str.title, str.upper):
            other = [vectors.index[form(word)] for word in words if form(word) in vectors.index]
            if len(other) == len(words) == len(set(other)):
                rows.setdefault(tuple(sorted(other)), np.array(other, dtype=np.intp))
    added = {row for found in list(rows)[before:] for row in found}
    return list(rows.values()), WordsTaken("equalised in Title or UPPER CASE", sets.taken.stimuli, len(added))
