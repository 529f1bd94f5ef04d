"""The multi-group statistic: Lemmas 1–3 of Swinger et al. 2019 (as in docs/definitions.md §2) hold to rounding."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aslant
from aslant.errors import MeasureError
from aslant.measures.association.multi_group import group_terms, word_scores
from aslant.measures.association.show import generalised_table
from aslant.measures.shared.chance import matched_words
from aslant.measures.shared.wordsets import FloatArray, find
from aslant.statistics import regrouping_pvalue, resampled_pvalues, unit_rows
from aslant.stimuli import WordList

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 7)


def units(seed: int, *counts: int, dimensions: int = 5) -> list[FloatArray]:
    random = np.random.default_rng(seed)
    return [unit_rows(random.normal(size=(count, dimensions))) for count in counts]


def g1(X: FloatArray, A: FloatArray, everyone: FloatArray, everything: FloatArray) -> float:
    return float(group_terms([X], [A], everyone, everything).sum())


@settings(deadline=None)
@given(seeds, sizes, sizes, sizes)
def test_lemma_1_two_equal_groups_are_weat(seed: int, x: int, a1: int, a2: int) -> None:
    X1, X2, A1, A2 = units(seed, x, x, a1, a2)
    weat_sum = (X1.sum(axis=0) - X2.sum(axis=0)) @ (A1.mean(axis=0) - A2.mean(axis=0))
    assert weat_sum == pytest.approx(2 * x * group_terms([X1, X2], [A1, A2]).sum(), abs=1e-9)


@settings(deadline=None)
@given(seeds, sizes, sizes, sizes, sizes)
def test_lemma_2_one_group_against_all_and_against_the_rest(seed: int, x: int, xc: int, a: int, ac: int) -> None:
    X, Xc, A, Ac = units(seed, x, xc, a, ac)
    everyone, everything = np.concatenate([X, Xc]), np.concatenate([A, Ac])
    alone = g1(X, A, everyone, everything)
    assert alone == pytest.approx(2 * group_terms([X, everyone], [A, everything]).sum(), abs=1e-9)
    share = 2 * (xc / (x + xc)) * (ac / (a + ac))
    assert alone == pytest.approx(share * group_terms([X, Xc], [A, Ac]).sum(), abs=1e-9)


@settings(deadline=None)
@given(seeds, st.lists(st.tuples(sizes, sizes), min_size=2, max_size=5))
def test_lemma_3_many_groups_from_single_ones(seed: int, counts: list[tuple[int, int]]) -> None:
    n = len(counts)
    groups = units(seed, *(c[0] for c in counts), *(c[1] for c in counts), 9, 11)
    X, A, (everyone, everything) = groups[:n], groups[n : 2 * n], groups[2 * n :]
    single = sum(g1(X[i], A[i], everyone, everything) for i in range(n))
    crossed = sum(g1(X[i], A[j], everyone, everything) for i in range(n) for j in range(n))
    assert group_terms(X, A).sum() == pytest.approx(single - crossed / n, abs=1e-9)


def test_the_ambient_attributes_cancel_for_two_or_more_groups() -> None:
    X1, X2, A1, A2, anything = units(3, 4, 2, 3, 5, 8)
    with_ambient = group_terms([X1, X2], [A1, A2], None, anything).sum()
    assert with_ambient == pytest.approx(group_terms([X1, X2], [A1, A2]).sum(), abs=1e-12)


@pytest.mark.parametrize("ambient", [True, False])
def test_the_part_of_each_group_is_that_of_a_loop(ambient: bool) -> None:
    X, A, everything = units(5, 4, 2, 3), units(6, 3, 5, 2), units(7, 8)[0]
    means = [sum(group) / len(group) for group in A]
    centre = sum(everything) / 8 if ambient else sum(means) / 3
    middle = sum(sum(group) / len(group) for group in X) / 3
    expected = [(sum(x) / len(x) - middle) @ (mean - centre) for x, mean in zip(X, means, strict=True)]
    np.testing.assert_allclose(group_terms(X, A, None, everything if ambient else None), expected)


def test_result_lists_missing_words_and_each_groups_part() -> None:
    r = aslant.generalised_weat(
        aslant.load(), [["he", "zzzzy"], ["she"], ["it"]], [["war"], ["love"], ["thing"]], all_attributes=["a", "the"]
    )
    assert r.missing == ("zzzzy", "a")
    assert r.value == pytest.approx(sum(part.value for part in r.groups))


def literal_pvalue(targets: list[FloatArray], attributes: list[FloatArray]) -> tuple[float, int]:
    """Deal the words out in every order, and count each partition once."""
    words = np.concatenate(targets)
    cuts = np.cumsum([len(group) for group in targets])[:-1]
    observed = group_terms(targets, attributes).sum()
    values = {}
    for order in permutations(range(len(words))):
        parts = np.split(np.array(order), cuts)
        partition = tuple(tuple(sorted(part.tolist())) for part in parts)
        if partition not in values:
            values[partition] = group_terms([words[part] for part in parts], attributes).sum()
    return float(np.mean([value >= observed - 1e-12 for value in values.values()])), len(values)


def embedded(sets: list[FloatArray], letter: str) -> tuple[list[list[str]], list[tuple[str, FloatArray]]]:
    named = [[f"{letter}{i}x{k}" for k in range(len(group))] for i, group in enumerate(sets)]
    rows = [
        (word, row) for words, group in zip(named, sets, strict=True) for word, row in zip(words, group, strict=True)
    ]
    return named, rows


def measured(targets: list[FloatArray], attributes: list[FloatArray], **settings: Any) -> Any:
    (x, rows), (a, more) = embedded(targets, "x"), embedded(attributes, "a")
    words, matrix = zip(*rows, *more, strict=True)
    return aslant.generalised_weat(aslant.WordVectors.from_arrays(words, np.array(matrix)), x, a, **settings)


@pytest.mark.parametrize("sizes", [(2, 2, 3), (1, 1, 1), (4, 1, 2), (2, 1, 2, 2), (3, 4)])
def test_the_p_value_is_the_share_of_all_re_partitions(sizes: tuple[int, ...]) -> None:
    for seed in range(4):
        groups = units(seed, *sizes, *(3 for _ in sizes))
        targets, attributes = groups[: len(sizes)], groups[len(sizes) :]
        result = measured(targets, attributes)
        assert (result.pvalue, result.n_partitions) == (
            pytest.approx(literal_pvalue(targets, attributes)[0]), literal_pvalue(targets, attributes)[1],
        )  # fmt: skip
        assert result.pvalue_bounds == (result.pvalue, result.pvalue)
        assert result.pvalue_method == "enumeration"


def test_two_groups_have_the_p_value_of_weat() -> None:
    v = aslant.load()
    for test in ("weat-6", "weat-7", "weat-9"):
        ours, theirs = aslant.generalised_weat(v, test, test), aslant.weat(v, test, bootstrap=0)
        assert ours.pvalue == pytest.approx(theirs.pvalue, rel=1e-9)
        assert ours.provenance.stimuli == test


def test_random_partitions_estimate_the_exact_p_value() -> None:
    groups = units(1, 4, 4, 4, 3, 3, 3)
    targets, attributes = groups[:3], groups[3:]
    exact = measured(targets, attributes)
    scores, sizes = word_scores(targets, attributes, targets[0][:0], None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resampled_pvalues, "ENUMERATION_LIMIT", 0)
        drawn = regrouping_pvalue(scores, sizes, n_resamples=20_000, rng=1)
        again = regrouping_pvalue(scores, sizes, n_resamples=20_000, rng=1)
    assert (drawn.method, drawn.n_partitions, drawn.n_resamples) == ("monte carlo", exact.n_partitions, 20_000)
    assert drawn == again
    assert drawn.bounds[0] <= exact.pvalue <= drawn.bounds[1]
    assert drawn.pvalue == pytest.approx(exact.pvalue, abs=0.02)


def test_many_words_take_random_partitions_and_never_give_zero() -> None:
    X = [unit_rows(np.eye(8)[i] + 0.1 * np.random.default_rng(i).normal(size=(10, 8))) for i in range(3)]
    result = measured(X, [np.eye(8)[i : i + 1] for i in range(3)], n_resamples=999, rng=5)
    assert result.pvalue_method == "monte carlo"
    assert result.pvalue == 1 / 1000
    assert (result.provenance.seed, result.provenance.settings["n_resamples"]) == (5, 999)


def test_one_group_is_dealt_out_among_all_targets() -> None:
    X, others, A, everything = units(7, 2, 4, 2, 9)
    pool = np.concatenate([X, others])
    lean = A.mean(axis=0) - everything.mean(axis=0)
    sums = [pool[list(chosen)].mean(axis=0) @ lean for chosen in combinations(range(6), 2)]
    expected = np.mean([value >= X.mean(axis=0) @ lean - 1e-12 for value in sums])
    (x, rows), (a, more), (o, rest), (e, most) = (
        embedded([sets], letter) for sets, letter in ((X, "x"), (A, "a"), (others, "o"), (everything, "e"))
    )
    words, matrix = zip(*rows, *more, *rest, *most, strict=True)
    v = aslant.WordVectors.from_arrays(words, np.array(matrix))
    result = aslant.generalised_weat(v, x, a, all_targets=x[0] + o[0], all_attributes=e[0])
    assert result.pvalue == pytest.approx(expected)
    alone = aslant.generalised_weat(v, x, a, all_targets=x[0], all_attributes=e[0])
    assert (alone.pvalue, alone.value) == (1.0, pytest.approx(0, abs=1e-7))
    assert (alone.pvalue_bounds, alone.n_partitions) == ((1.0, 1.0), 1)


def test_p_values_are_uniform_where_groups_mean_nothing() -> None:
    found = [measured(g[:3], g[3:]).pvalue for g in (units(seed, 3, 3, 2, 2, 2, 2) for seed in range(400))]
    for level in (0.05, 0.1, 0.5):
        assert abs(np.mean(np.array(found) <= level) - level) < 3 * np.sqrt(level * (1 - level) / 400)


def test_bad_input_is_one_clear_error() -> None:
    v = aslant.load()
    with pytest.raises(MeasureError, match="'he' of 'men' is the token 'he', which is also in 'one'"):
        aslant.generalised_weat(
            v, {"one": ["he"], "men": ["he", "man"], "women": ["she"]}, [["war"], ["love"], ["the"]]
        )
    with pytest.raises(MeasureError, match="of kind 'words'; one of kind 'classes' or 'weat'"):
        aslant.generalised_weat(v, "professions", "weat-6")
    with pytest.raises(MeasureError, match="4 groups but 2 attribute sets"):
        aslant.generalised_weat(v, "religions-four", "weat-6")
    with pytest.raises(MeasureError, match="n_resamples is 0"):
        aslant.generalised_weat(v, "weat-6", "weat-6", n_resamples=0)
    with pytest.raises(MeasureError, match="1 attribute set given"):
        aslant.generalised_weat(v, [["he"], ["she"]], [["war"]])
    with pytest.raises(MeasureError, match="all_targets"):
        aslant.generalised_weat(v, [["he"]], [["war"]])


@pytest.mark.parametrize("alone", [False, True])
def test_chance_is_g_of_random_attributes_by_a_loop(alone: bool) -> None:
    v = aslant.load()
    groups = {"men": ["he", "man"], "women": ["she", "woman"], "young": ["boy", "girl", "child"]}
    attributes = {"career": ["salary", "office"], "family": ["home", "marriage", "parents"], "school": ["pupils"]}
    if alone:
        groups, attributes = ({name: sets[name]} for sets, name in ((groups, "men"), (attributes, "career")))
    around: dict[str, Any] = {"all_targets": ["he", "man", "she"], "all_attributes": ["salary", "home"]}
    around = around if alone else {}
    found = aslant.generalised_weat(v, groups, attributes, **around, n_resamples=1, chance=12, rng=3)
    sets = [[find(v, WordList(n, tuple(words))).words for n, words in s.items()] for s in (attributes, groups)]
    rows = matched_words(v, sets[0], sets[1], 12, np.random.default_rng(3))
    assert rows is not None
    values = [
        aslant.generalised_weat(
            v, groups, [[v.words[i] for i in of] for of in drawn], **around, n_resamples=1, chance=0
        ).value
        for drawn in zip(*rows, strict=True)
    ]
    assert found.chance is not None
    assert (found.chance.mean, found.chance.sd) == pytest.approx((np.mean(values), np.std(values)), abs=1e-6)
    assert found.chance.pvalue == (1 + sum(abs(g) >= abs(found.value) for g in values)) / 13
    assert any("give g of" in note for note in generalised_table(found).notes)
