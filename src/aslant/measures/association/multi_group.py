"""The multi-group generalisation of WEAT (Swinger et al. 2019, §2.1; docs/definitions.md §2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from os import PathLike
from typing import Any

import numpy as np

from aslant.errors import MeasureError, plural
from aslant.measures.association.chance import group_chance
from aslant.measures.association.result import GeneralisedWeatResult, GroupAssociation
from aslant.measures.association.settings import GroupsSettings
from aslant.measures.shared import wordsets as w
from aslant.measures.shared.open_subject import opening
from aslant.measures.shared.settings import keywords
from aslant.measures.shared.wordsets import FloatArray
from aslant.statistics import PermutationPvalue, generator, regrouping_pvalue, seed_of
from aslant.stimuli import ClassSet, WeatSet, WordList, kind_of, load_set
from aslant.vectors import WordVectors


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
    if len(targets) == 1 and (all_targets is None or all_attributes is None):
        raise MeasureError("one group alone needs all_targets and all_attributes to be compared with.")
    words = np.array([group.mean(axis=0) for group in attributes])
    ambient = words.mean(axis=0) if all_attributes is None else all_attributes.mean(axis=0)
    return np.asarray(np.einsum("ij,ij->i", centred_means(targets, all_targets), words - ambient))


def centred_means(targets: Sequence[FloatArray], all_targets: FloatArray | None) -> FloatArray:
    """Return X̄_i − μ for each group, (groups, d)."""
    means = np.array([group.mean(axis=0) for group in targets])
    alone = len(means) == 1 and all_targets is not None
    return np.asarray(means - (all_targets if alone else means).mean(axis=0))  # type: ignore[union-attr]


def word_scores(
    targets: Sequence[FloatArray], attributes: Sequence[FloatArray], rest: FloatArray, all_attributes: FloatArray | None
) -> tuple[FloatArray, list[int]]:
    """Return the score of each target word in each group, (words, groups), and the sizes of the groups.

    g is the sum over groups of the mean score of their words, up to a constant: of ŵ·(Ā_i − mean of the Ā_j) for
    n ≥ 2. One group is compared with the `rest` of all targets, which have a score of zero.

    >>> e = np.eye(2)
    >>> word_scores([e[:1], e[1:]], [e[:1], e[1:]], e[:0], None)[0].tolist()
    [[0.5, -0.5], [-0.5, 0.5]]
    """
    means = np.array([group.mean(axis=0) for group in attributes])
    if len(targets) == 1:
        assert all_attributes is not None  # else there is no statistic either
        first = np.concatenate([targets[0], rest]) @ (means[0] - all_attributes.mean(axis=0))
        return np.stack([first, np.zeros(len(first))], axis=1), [len(targets[0]), len(rest)]
    return np.concatenate(targets) @ (means - means.mean(axis=0)).T, [len(group) for group in targets]


@opening("vectors")
@keywords
def generalised_weat(
    vectors: WordVectors,
    groups: w.WordSets | str | PathLike[str],
    attributes: w.WordSets | str | PathLike[str],
    *,
    all_targets: Iterable[str] | None = None,
    all_attributes: Iterable[str] | None = None,
    settings: GroupsSettings,
    rng: int | np.random.Generator | None = 0,
) -> GeneralisedWeatResult:
    """Measure how n groups are associated with n attribute sets by the statistic g of Swinger et al. (2019, §2.1).

    Both are word sets, or the name or TOML file of a class set or a WEAT (its targets, its attributes). With one
    group, `all_targets` and `all_attributes` are what it is compared with. For two groups of equal size, 2·|X1|·g
    equals the difference of sums of the ordinary WEAT (Lemma 1).

    The p-value is the share of re-partitions of the groups' words into groups of the same sizes (for one group: of
    all targets) whose g is as large: exact where it can be, else from `n_resamples` random ones. For two groups it
    is WEAT's. `chance` random attribute sets of the same frequency say what these attributes add.

    >>> import aslant
    >>> r = aslant.generalised_weat(
    ...     aslant.load(),
    ...     {"men": ["he", "man", "king"], "women": ["she", "woman", "queen"], "children": ["boy", "girl", "child"]},
    ...     {"career": ["salary", "office"], "family": ["home", "marriage"], "school": ["pupils", "playground"]},
    ... )
    >>> r.value > 0, [part.group.name for part in r.groups], r.n_partitions, r.pvalue < 0.05
    (True, ['men', 'women', 'children'], 1680, True)
    >>> r.value > r.chance.high  # more than random attributes give
    True
    """
    w.check_vectors(vectors)
    seed = seed_of(rng)
    (target_lists, first_id), (attribute_lists, second_id) = _listed(groups, "group"), _listed(attributes, "attributes")
    if len(target_lists) != len(attribute_lists) or not target_lists:
        raise MeasureError(
            f"{plural(len(target_lists), 'group')} but {plural(len(attribute_lists), 'attribute set')} given; "
            "one each is needed."
        )
    X, A = ([w.find(vectors, words) for words in lists] for lists in (target_lists, attribute_lists))
    ambient = [
        None if words is None else w.find(vectors, WordList(name, w.checked_words(words)))
        for name, words in (("all targets", all_targets), ("all attributes", all_attributes))
    ]
    given = [group for group in ambient if group is not None]
    for group in (*X, *A, *given):
        w.need_words(group, 1, vectors)
    for first, second in combinations(X, 2):
        w.need_distinct(first, second)
    targets, (around, whole) = [g.unit for g in X], (None if g is None else g.unit for g in ambient)
    terms = group_terms(targets, [g.unit for g in A], around, whole)
    rest, everyone = X[0].unit[:0], ambient[0]
    if everyone is not None and len(X) == 1:
        rest = everyone.unit[[token not in X[0].words.tokens for token in everyone.words.tokens]]
    p = PermutationPvalue(1.0, (1.0, 1.0), "enumeration", 1)  # one group, and nothing to exchange words with
    if len(X) > 1 or len(rest):
        scores, sizes = word_scores(targets, [g.unit for g in A], rest, whole)
        p = regrouping_pvalue(scores, sizes, n_resamples=settings.n_resamples, rng=seed)
    centred = centred_means(targets, around)
    taken_off = 0.0 if whole is None else float((centred @ whole.mean(axis=0)).sum())
    stimuli = first_id if first_id == second_id else f"{first_id}, {second_id}"
    return GeneralisedWeatResult(
        value=float(terms.sum()),
        pvalue=p.pvalue, pvalue_bounds=p.bounds, pvalue_method=p.method, n_partitions=p.n_partitions,
        groups=tuple(map(GroupAssociation, [x.words for x in X], [a.words for a in A], terms.tolist())),
        provenance=w.provenance(vectors, stimuli, [g.words for g in (*X, *A, *given)], seed, settings.record()),
        chance=group_chance(vectors, X, A, centred, float(terms.sum()), taken_off, settings.chance, generator(seed)),
    )  # fmt: skip


def _listed(sets: Any, role: str) -> tuple[tuple[WordList, ...], str]:
    """Return named word lists, and the id of the set they come from ("own" if none)."""
    if not isinstance(sets, str | PathLike):
        return w.word_lists(sets, [f"{role} {place}" for place in range(1, len(sets) + 1)]), "own"
    chosen = load_set(sets)
    if isinstance(chosen, ClassSet):
        return chosen.classes, chosen.id
    if isinstance(chosen, WeatSet):
        return chosen.targets if role == "group" else chosen.attributes, chosen.id
    raise MeasureError(
        f"'{sets}' is a set of kind '{kind_of(chosen)}'; one of kind 'classes' or 'weat' is needed here."
    )
