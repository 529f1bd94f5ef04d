"""Indirect bias: how much of the similarity of two words a direction explains (Bolukbasi et al. 2016, §3.5)."""

from __future__ import annotations

import numpy as np

from aslant.errors import MeasureError
from aslant.measures.geometry.direct import DEFAULT_WORDS, projections
from aslant.measures.geometry.result import IndirectBiasResult, IndirectWord
from aslant.measures.polarities.measure import Words, word_list
from aslant.measures.shared.directions import DEFAULT_PAIRS, Direction, find_direction
from aslant.measures.shared.wordsets import FloatArray, checked_words, find, need_distinct, need_words, provenance
from aslant.statistics import unit_rows
from aslant.stimuli import WordList
from aslant.vectors import WordVectors

#: A similarity closer to 0 than this has no share.
NO_SIMILARITY = 1e-9


def beta(word: FloatArray, others: FloatArray, direction: FloatArray) -> FloatArray:
    """Return β(w, v) = (w·v − cos(w⊥, v⊥)) / w·v for each v; shape (others,), from (d,), (others, d) and (d,).

    ⊥ removes the part along the direction; all vectors are at unit length first. NaN marks w·v = 0.

    >>> beta(np.array([1.0, 1.0]), np.array([[1.0, 0.0], [-1.0, 2.0]]), np.array([0.0, 1.0])).round(3).tolist()
    [-0.414, 4.162]
    """
    w, vs, g = unit_rows(word), unit_rows(others), unit_rows(direction)
    similarity = vs @ w
    apart = unit_rows(vs - np.outer(vs @ g, g)) @ unit_rows(w - (w @ g) * g)
    safe = np.where(np.abs(similarity) > NO_SIMILARITY, similarity, np.nan)
    return np.asarray((similarity - apart) / safe)


def indirect_bias(
    vectors: WordVectors,
    word: str,
    other: str,
    *,
    direction: Direction = DEFAULT_PAIRS,
    words: Words = DEFAULT_WORDS,
) -> IndirectBiasResult:
    """Measure the indirect bias of `word` and `other`, and of `words` ranked between them.

    `value` is β(word, other). `by_word` orders `words` by their cosine with word − other, as Figure 3 of the paper
    does between softball and football, each with its β to the nearer end: 0.67 means that two thirds of the
    similarity come from the direction.

    >>> import aslant
    >>> r = aslant.indirect_bias(aslant.load(), "softball", "football")
    >>> r.by_word[0].end, r.by_word[-1].end
    ('softball', 'football')
    """
    ends = [find(vectors, WordList(name, checked_words([name]))) for name in (word, other)]
    for end in ends:
        need_words(end, 1, vectors)
    need_distinct(*ends)
    chosen, (listed, words_id) = find_direction(vectors, direction), word_list(words)
    at = {end.words.tokens[0] for end in ends}
    found = find(vectors, WordList("words", listed))
    rows = [row for row, token in enumerate(found.words.tokens) if token not in at]
    if not rows:
        raise MeasureError(f"'{vectors.name}' has none of the words ({len(listed)}), so nothing can be ranked.")
    first, second = (end.unit[0] for end in ends)
    value = float(beta(first, second[None], chosen.vector)[0])
    if np.isnan(value):
        raise MeasureError(f"'{word}' and '{other}' have a similarity of 0, so no share of it can be computed.")
    cosines = projections(found.unit[rows], first - second)
    betas = np.array([beta(end, found.unit[rows], chosen.vector) for end in (first, second)])
    ranked = [
        IndirectWord(
            found.words.used[rows[i]], float(cosines[i]), word if cosines[i] >= 0 else other,
            None if np.isnan(b := float(betas[0 if cosines[i] >= 0 else 1, i])) else b,
        )
        for i in np.argsort(-cosines, kind="stable").tolist()
    ]  # fmt: skip
    groups = (*(end.words for end in ends), found.words, *chosen.found)
    return IndirectBiasResult(
        first=word,
        second=other,
        value=value,
        similarity=float(first @ second),
        poles=chosen.poles,
        by_word=tuple(ranked),
        provenance=provenance(vectors, words_id, groups, None, {"direction": chosen.id}),
    )
