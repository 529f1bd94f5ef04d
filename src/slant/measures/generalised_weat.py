"""The multi-group generalisation of WEAT (Swinger et al. 2019, §2.1; MEASURES §2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from slant.errors import MeasureError
from slant.measures.wordsets import FloatArray, WordSets, find, need_words, provenance, word_lists
from slant.results import GeneralisedWeatResult, GroupAssociation
from slant.stimuli import WordList
from slant.vectors import WordVectors


def group_terms(
    targets: Sequence[FloatArray],
    attributes: Sequence[FloatArray],
    all_targets: FloatArray | None = None,
    all_attributes: FloatArray | None = None,
) -> FloatArray:
    """Return the terms (X̄_i − μ)·(Ā_i − 𝒜̄), one per group; their sum is g(X1, A1, …, Xn, An).

    Each set is an array of unit vectors (words × dimensions). μ is the mean of the group means for n ≥ 2, and the
    mean of `all_targets` for n = 1. 𝒜̄ is the mean of `all_attributes`; it cancels in the sum for n ≥ 2, where the
    mean of the attribute means stands in if it is not given.

    >>> e = np.eye(2)
    >>> group_terms([e[:1], e[1:]], [e[:1], e[1:]]).tolist()
    [0.5, 0.5]
    """
    means = np.array([group.mean(axis=0) for group in targets])
    words = np.array([group.mean(axis=0) for group in attributes])
    if len(means) == 1:
        if all_targets is None or all_attributes is None:
            raise MeasureError("one group alone needs all_targets and all_attributes to be compared with.")
        centre = all_targets.mean(axis=0)
    else:
        centre = means.mean(axis=0)
    ambient = words.mean(axis=0) if all_attributes is None else all_attributes.mean(axis=0)
    return np.asarray(np.einsum("ij,ij->i", means - centre, words - ambient))


def generalised_weat(
    vectors: WordVectors,
    groups: WordSets,
    attributes: WordSets,
    *,
    all_targets: Iterable[str] | None = None,
    all_attributes: Iterable[str] | None = None,
) -> GeneralisedWeatResult:
    """Measure how n groups go with n attribute sets, one each, by the statistic g of Swinger et al. (2019, §2.1).

    With one group, `all_targets` and `all_attributes` are what it is compared with. For two groups of equal size,
    2·|X1|·g equals the difference of sums of the ordinary WEAT (Lemma 1).

    >>> import slant
    >>> r = slant.generalised_weat(
    ...     slant.load(),
    ...     {"men": ["he", "man"], "women": ["she", "woman"]},
    ...     {"career": ["salary", "office"], "family": ["home", "children"]},
    ... )
    >>> r.value > 0, [part.group.name for part in r.groups]
    (True, ['men', 'women'])
    """
    count = len(groups)
    if count != len(attributes) or count < 1:
        raise MeasureError(f"{count} groups but {len(attributes)} attribute sets were given; one each is needed.")
    X = [find(vectors, g) for g in word_lists(groups, [f"group {i + 1}" for i in range(count)])]
    A = [find(vectors, g) for g in word_lists(attributes, [f"attributes {i + 1}" for i in range(count)])]
    ambient = [
        None if words is None else find(vectors, WordList(name, tuple(words)))
        for name, words in (("all targets", all_targets), ("all attributes", all_attributes))
    ]
    given = [group for group in ambient if group is not None]
    for group in (*X, *A, *given):
        need_words(group, 1, vectors)
    everything = [None if group is None else group.unit for group in ambient]
    terms = group_terms([g.unit for g in X], [g.unit for g in A], *everything)
    return GeneralisedWeatResult(
        value=float(terms.sum()),
        groups=tuple(
            GroupAssociation(x.words, a.words, value) for x, a, value in zip(X, A, terms.tolist(), strict=True)
        ),
        provenance=provenance(vectors, "own", [g.words for g in (*X, *A, *given)], None, {}),
    )
