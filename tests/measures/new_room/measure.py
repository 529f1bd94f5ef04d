"""Distance to groups (Garg et al. 2018): words between the means of two groups."""

from __future__ import annotations

import numpy as np
from aslant.measures.group_distances.result import GroupDistanceResult, WordDistance

from aslant.measures.shared.wordsets import find, provenance
from aslant.stimuli import WordList
from aslant.vectors import WordVectors

GROUPS = (WordList("women", ("she", "woman")), WordList("men", ("he", "man")))
WORDS = WordList("words", ("nurse", "engineer"))


def group_distance(vectors: WordVectors) -> GroupDistanceResult:
    """Sum how much nearer each word is to the first group than to the second."""
    words, *groups = (find(vectors, group) for group in (WORDS, *GROUPS))
    near, far = (np.linalg.norm(words.unit - group.unit.mean(axis=0), axis=1) for group in groups)
    by_word = tuple(WordDistance(w, float(x)) for w, x in zip(words.words.used, near - far, strict=True))
    used = [words.words, *(group.words for group in groups)]
    return GroupDistanceResult(float((near - far).sum()), by_word, provenance(vectors, "own", used, None, {}))
