"""The parts of contextual bias: swapped sentences, shares of variance, p-values that hold."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from aslant.corpus import Context
from aslant.errors import TooFewWordsError
from aslant.measures.in_context import measure
from aslant.measures.in_context.result import RepeatedMeasure, SwappedPair
from aslant.measures.in_context.sentences import DEFINITIONAL, alternating, draw_sentences, written_like
from aslant.measures.in_context.space import Plan, Repeat, measure_space, over_repeats
from aslant.measures.in_context.swaps import (
    Swaps,
    SwapVectors,
    beside_random,
    random_components,
    random_words,
    swap_pairs,
    swap_random,
    word_shares,
)
from aslant.measures.residuals.separation import shuffled_correlations
from aslant.statistics import spawn, subspace, unit_rows

TEXT = ["He slept.", "Then she left.", "HE SHOUTED.", "John met Mary.", "A nurse came."]


def swapped(text: list[str], pairs: list[list[str]], repeats: int = 1, swaps: int = 9) -> list[Swaps]:
    drawn = draw_sentences(text, pairs, [], [], repeats=repeats, swaps=swaps, rng=np.random.default_rng(0))
    return swap_pairs(drawn, repeats, swaps)[0]


def test_words_take_each_others_place_with_their_capitals() -> None:
    (made,) = swapped(TEXT, [["she", "he"], ["Mary", "John"]])
    texts = {(first.text, second.text) for pair in made.by_pair for first, second in pair}
    assert texts == {
        ("She slept.", "He slept."),
        ("Then she left.", "Then he left."),
        ("SHE SHOUTED.", "HE SHOUTED."),
        ("Mary met Mary.", "John met Mary."),
        ("John met Mary.", "John met John."),
    }
    for context in made.contexts():
        assert context.word.lower() in {"she", "he", "mary", "john"}


def test_phrases_are_written_with_spaces() -> None:
    assert written_like("flight_attendant", "Nurse") == "Flight attendant"


def test_the_words_of_a_pair_give_sentences_in_turn() -> None:
    first, second = ([Context(f"{word} {n}", 0, 1) for n in range(count)] for word, count in (("a", 1), ("b", 3)))
    assert [context.text for context, _ in alternating(first, second)] == ["a 0", "b 0", "b 1", "b 2"]


def test_repeats_share_no_sentence_while_there_are_enough() -> None:
    text = [f"She came at {n}." for n in range(12)]
    made = swapped(text, [["she", "he"]], repeats=3, swaps=4)
    texts = [{first.text for first, _ in one.by_pair[0]} for one in made]
    assert [len(one) for one in texts] == [4, 4, 4]
    assert len(set.union(*texts)) == 12


def test_a_repeat_never_counts_a_sentence_twice() -> None:
    (made,) = swapped(["She slept."], [["she", "he"]], swaps=5)
    assert len(made.by_pair[0]) == 1


def test_a_pair_counts_its_sentences_and_those_that_are_swapped_in_a_repeat() -> None:
    text = [*(f"She came at {n}." for n in range(7)), *(f"John left at {n}." for n in range(2))]
    pairs = [["she", "he"], ["Mary", "John"], ["mother", "father"]]
    drawn = draw_sentences(text, pairs, [], [], repeats=1, swaps=4, rng=np.random.default_rng(0))
    made, found = swap_pairs(drawn, 1, 4)
    assert found == (SwappedPair(("she", "he"), 7, 4), SwappedPair(("Mary", "John"), 2, 2))
    assert [len(swaps) for swaps in made[0].by_pair] == [4, 2]


def test_the_picture_of_clusters_is_of_the_vectors_that_were_clustered(monkeypatch: pytest.MonkeyPatch) -> None:
    random, rows = np.random.default_rng(0), np.array([0, 3])
    vectors: Any = SimpleNamespace(words=random.normal(size=(2, 4, 5)))
    plan: Any = SimpleNamespace(clustered=1, both_sides=lambda count: (rows, [True, False]))
    words: Any = SimpleNamespace(words="abcd")
    found: Any = SimpleNamespace(clusters="found")
    monkeypatch.setattr(measure, "picture_of", lambda *given: given)
    drawn: Any = measure._clusters(vectors, words, plan, found, ("she", "he"), "pca", 7)
    np.testing.assert_allclose(drawn[0], unit_rows(vectors.words[0][rows]))
    assert drawn[1:] == (["a", "d"], ["she", "he"], "found", "pca", 7)


def test_random_words_are_as_many_pairs_of_as_many_sentences() -> None:
    words = [f"w{chr(97 + n)}" for n in range(12)]
    text = ["She slept.", *(f"the {word} at {n}" for word in words for n in range(4))]
    drawn = draw_sentences(text, [["she", "he"]], words, [], repeats=2, swaps=8, rng=np.random.default_rng(0))
    made = swap_random(drawn.contexts("biased words"), [8, 3], 2, np.random.default_rng(0))
    assert [[len(pair) for pair in one.by_pair] for one in made] == [[8, 3], [8, 3]]
    for one in made:
        used = [{c.word for swap in pair for c in swap} for pair in one.by_pair]
        assert all(len(pair) == 2 for pair in used)
        assert not used[0] & used[1]


def test_random_words_have_enough_sentences_for_the_pair_that_needs_most() -> None:
    words = [f"w{chr(97 + n)}" for n in range(12)]
    text = ["She slept.", *(f"the {word} at {n}" for word in words for n in range(4 if word < "we" else 1))]
    drawn = draw_sentences(text, [["she", "he"]], words, [], repeats=2, swaps=8, rng=np.random.default_rng(0))
    made = swap_random(drawn.contexts("biased words"), [1, 8], 2, np.random.default_rng(0))
    assert {c.word for one in made for c in one.contexts()} == set(words[:4])
    assert [[len(pair) for pair in one.by_pair] for one in made] == [[1, 8], [1, 8]]


def test_random_words_of_one_repeat_are_in_no_other_while_there_are_enough() -> None:
    words = [f"w{chr(97 + n)}" for n in range(14)]
    text = ["She slept.", *(f"the {word} at {n}" for word in words for n in range(2))]
    drawn = draw_sentences(text, [["she", "he"]], words, [], repeats=3, swaps=2, rng=np.random.default_rng(0))
    for repeats, used in ((3, 12), (4, None)):  # four repeats would need 16 words
        made = swap_random(drawn.contexts("biased words"), [2, 2], repeats, np.random.default_rng(0))
        per_repeat = [{context.word for context in one.contexts()} for one in made]
        assert [len(one) for one in per_repeat] == [4] * repeats
        assert used is None or len(set.union(*per_repeat)) == used


def test_the_p_value_of_a_share_of_variance_is_even_where_pairs_are_random_words() -> None:
    """The pairs are drawn like those beside them: one in five p-values is up to 0.2, give or take."""
    n_words, d, pvalues = 60, 32, []
    words = [f"w{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(n_words)]
    text = ["She slept.", *(f"the {word} at {n}" for word in words for n in range(2))]
    drawn = draw_sentences(text, [["she", "he"]], words, [], repeats=3, swaps=2, rng=np.random.default_rng(0))
    for seed in range(100):
        random = np.random.default_rng(seed)
        own = dict(zip(words, random.normal(size=(n_words, d)), strict=True))
        beside = swap_random(drawn.contexts("biased words"), [2] * 6, 3, random)
        sets = [SwapVectors.of(one, np.array([own[c.word] for c in one.contexts()], np.float32)) for one in beside]
        other = np.repeat(random.normal(size=(6, 1, 2, d)), 2, axis=1).reshape(12, 2, d)
        pairs = SwapVectors(unit_rows(other), np.repeat(np.arange(6), 2))
        drawn_beside, mixed = (random_components(of, 6, 3, 49, random)[0][:, 0] for of in (sets, [pairs, *sets]))
        found = beside_random([float(pairs.components()[1][0])], [drawn_beside, mixed])
        pvalues.append(found.pvalue)
    assert 0.1 < np.mean(np.array(pvalues, dtype=np.float64) <= 0.2) < 0.32


def test_few_random_pairs_do_not_make_random_words_stand_out() -> None:
    """One repeat has as many random pairs as there are pairs: draws from these alone are all the same one."""
    mixed_pvalues, alone_pvalues = [], []
    for seed in range(80):
        random = np.random.default_rng(seed)
        rows = np.repeat(random.normal(size=(2, 6, 2, 12)), 2, axis=1)
        pairs, others = (SwapVectors(unit_rows(one.reshape(12, 2, 12)), np.repeat(np.arange(6), 2)) for one in rows)
        beside, mixed = (random_components(of, 6, 1, 99, random)[0][:, 0] for of in ([others], [pairs, others]))
        shares = [float(pairs.components()[1][0])]
        mixed_pvalues.append(beside_random(shares, [beside, mixed]).pvalue)
        alone_pvalues.append(beside_random(shares, [beside, beside]).pvalue)
    assert np.mean(np.array(mixed_pvalues, dtype=np.float64) <= 0.05) < 0.1
    assert np.mean(np.array(alone_pvalues, dtype=np.float64) <= 0.05) > 0.4  # why the pairs are drawn from too


def test_shares_of_random_draws_are_those_of_the_subspace() -> None:
    rows = np.random.default_rng(1).normal(size=(10, 2, 6))
    vectors = SwapVectors(unit_rows(rows), np.repeat([0, 1], 5))
    shares, firsts = random_components([vectors], 2, 4, 3, np.random.default_rng(0))
    components, expected = subspace(list(vectors.vectors))
    assert shares == pytest.approx(np.tile(expected[:4], (3, 1)))
    assert np.abs(firsts @ components[0]) == pytest.approx(np.ones(3))


def test_the_shares_of_random_words_are_those_of_a_principal_component_analysis() -> None:
    from sklearn.decomposition import PCA

    rows = np.random.default_rng(2).normal(size=(30, 12)).astype(np.float32) + 1
    assert word_shares(rows) == pytest.approx(PCA().fit(unit_rows(rows)).explained_variance_ratio_[:10], abs=1e-6)


def test_random_words_are_others_in_each_repeat_and_no_more_than_there_are() -> None:
    text = ["She slept.", *(f"the w{chr(97 + w)} at {n}" for w in range(9) for n in range(3))]
    words = [f"w{chr(97 + w)}" for w in range(9)]
    drawn = draw_sentences(text, [["she", "he"]], words, [], repeats=3, swaps=2, rng=np.random.default_rng(0))
    for count in (4, 50):
        made = random_words(drawn.contexts("biased words"), count, 3, np.random.default_rng(0))
        assert [len({context.word for context in one}) for one in made] == [min(count, 9)] * 3
    texts = [{context.text for context in one} for one in made]
    assert not texts[0] & texts[1] | texts[1] & texts[2]


def test_no_swapped_word_is_missing_from_the_first_reading() -> None:
    drawn = draw_sentences(TEXT, [["she", "he"]], [], [], repeats=1, swaps=1, rng=np.random.default_rng(0))
    assert drawn.contexts(DEFINITIONAL).missing == ()


def test_values_that_no_repeat_has_are_none() -> None:
    empty = over_repeats([None, None], [np.zeros(9), np.zeros(9)])
    assert (empty.over, empty.pvalue) == (None, None)
    assert over_repeats([None, 0.5], [np.zeros(9), np.zeros(9)]).pvalue == pytest.approx(0.1)


def test_p_values_are_even_where_there_is_nothing_to_find() -> None:
    """Each repeat has nearly the same vectors, so the p-value of their mean must not count them as independent."""
    n, p, d, runs = 40, 24, 12, 20
    nothing, pvalues = RepeatedMeasure(None, (), None, None), []
    for seed in range(runs):
        random = np.random.default_rng(seed)
        own = random.normal(size=(n + p, d))
        repeats = [unit_rows(own + 0.1 * random.normal(size=own.shape)) for _ in range(2)]
        plan = Plan(
            n // 2, n // 2, np.repeat([True, False], n // 2), np.arange(p), random.uniform(-1, 1, p),
            np.full(p, -1), 100, "scale",
        )  # fmt: skip
        spaces = (Repeat(rows[:n], rows[n:], np.eye(d)[0]) for rows in repeats)
        m = measure_space(spaces, plan, nothing, spawn(seed, 2)).measures
        pvalues.append([m.clustering.pvalue, m.neighbours.pvalue, m.neighbours_within.pvalue])
    shares = np.mean(np.array(pvalues, dtype=np.float64) <= 0.2, axis=0)
    assert (shares < 0.4).all()
    assert np.array(pvalues).min() > 0


def test_shuffled_biases_stay_with_their_words() -> None:
    """With every other word as a neighbour, a word's own leaning is what its neighbours lack, whatever the shuffle."""
    bias = np.array([1.0, 1.0, -1.0, -1.0])
    near = np.array([[other for other in range(4) if other != word] for word in range(4)])
    assert shuffled_correlations(near, bias > 0, bias, np.arange(len(bias)), np.random.default_rng(0)) == pytest.approx(
        -1.0
    )


def test_four_professions_are_enough_and_three_are_not() -> None:
    plan = Plan(1, 1, np.tile([True, False], 8), np.arange(4), np.arange(4.0), np.arange(4), 3, "scale")
    plan.check()
    with pytest.raises(TooFewWordsError, match="3 professions with a bias"):
        replace(plan, queries=np.arange(3)).check()
