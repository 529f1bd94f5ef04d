"""WEFAT: each word by its definition, with an exact p-value, beside an outside figure."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import aslant
from aslant.errors import MeasureError, StimuliError
from aslant.measures.association.show import wefat_table
from aslant.measures.shared.chance import matched_words
from aslant.measures.shared.wordsets import find
from aslant.stimuli import WordList

A, B = ["male", "man", "boy", "he"], ["female", "woman", "girl", "she"]


def test_effect_size_and_pvalue_are_the_definitions() -> None:
    v = aslant.load()
    r = aslant.wefat(v, ["nurse", "engineer"], attributes=(A, B))
    vectors = v.lookup(["nurse", *A, *B]).vectors.astype(float)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    a, b = unit[1:5] @ unit[0], unit[5:] @ unit[0]
    nurse = r.words[0]
    assert nurse.effect_size == pytest.approx((a.mean() - b.mean()) / np.concatenate([a, b]).std(ddof=1))
    expected = stats.permutation_test((a, b), lambda x, y: np.mean(x) - np.mean(y), n_resamples=np.inf)
    assert nurse.pvalue == pytest.approx(expected.pvalue)
    assert nurse.effect_size < 0 < r.words[1].effect_size


def test_correlation_is_scipys_over_the_words_that_have_a_figure() -> None:
    r = aslant.wefat(aslant.load())
    pairs = [(w.effect_size, w.figure) for w in r.words if w.figure is not None]
    effects, figures = zip(*pairs, strict=True)
    assert r.correlation is not None
    assert r.correlation.n == len(pairs) == 39
    assert r.correlation.pearson == pytest.approx(stats.pearsonr(effects, figures).statistic)
    assert r.correlation.spearman == pytest.approx(stats.spearmanr(effects, figures).statistic)
    assert r.correlation.pearson < -0.4  # occupations with more women lean to the female terms
    assert r.missing == ("construction_worker",)


def test_own_words_and_figures() -> None:
    r = aslant.wefat(
        aslant.load(), ["nurse", "engineer", "clerk"], figure={"nurse": 0.9, "engineer": 0.1, "clerk": 0.5}
    )
    assert r.correlation is not None
    assert r.correlation.n == 3
    assert aslant.wefat(aslant.load(), ["nurse"]).correlation is None
    assert (
        aslant.wefat(aslant.load(), ["nurse", "clerk", "judge"], figure=dict.fromkeys(["nurse"], 1.0)).correlation
        is None
    )


def test_own_figures_go_with_a_set_by_name() -> None:
    figures = {"nurse": 0.9, "judge": 0.1, "clerk": 0.5}
    r = aslant.wefat(aslant.load(), "professions", figure=figures)
    assert r.correlation is not None
    assert (r.correlation.n, r.correlation.figure) == (3, "own")
    assert {word.word: word.figure for word in r.words if word.figure is not None} == figures
    own = aslant.wefat(aslant.load(), ["nurse"])
    assert (own.provenance.stimuli, own.provenance.settings["figure"], own.words[0].figure) == ("own", "", None)


def test_two_words_in_each_attribute_set_are_enough() -> None:
    r = aslant.wefat(aslant.load(), ["nurse"], attributes=(A[:2], B[:2]), chance=0)
    assert [len(group.used) for group in r.attributes] == [2, 2]
    assert r.words[0].pvalue in {k / 6 for k in range(1, 7)}


def test_bad_input_is_one_clear_error() -> None:
    v = aslant.load()
    with pytest.raises(StimuliError, match="has no column 'salary'"):
        aslant.wefat(v, "professions", figure="salary")
    with pytest.raises(MeasureError, match="names a column"):
        aslant.wefat(v, ["nurse"], figure="share_women")
    with pytest.raises(MeasureError, match="at least 2"):
        aslant.wefat(v, ["nurse"], attributes=(["he"], ["she", "her"]))
    with pytest.raises(StimuliError, match="kind 'words' is needed"):
        aslant.wefat(v, "weat-1")


def test_qvalues_are_scipys_over_the_words() -> None:
    r = aslant.wefat(aslant.load())
    expected = stats.false_discovery_control([w.pvalue for w in r.words])
    assert [w.qvalue for w in r.words] == pytest.approx(list(expected))


@pytest.mark.parametrize("figures", [{"nurse": float("nan")}, {"nurse": "high"}, {"nures": 1.0}])
def test_figures_that_are_no_numbers_or_for_no_word_are_refused(figures: dict[str, Any]) -> None:
    with pytest.raises(MeasureError, match="figure"):
        aslant.wefat(aslant.load(), ["nurse", "clerk", "judge"], figure=figures)


def test_effect_sizes_are_compared_with_the_frequency_of_words() -> None:
    v = aslant.load()
    r = aslant.wefat(v, "professions")
    assert r.frequency is not None
    tokens = [v.lookup([word.word]).tokens[0] for word in r.words]
    rho = stats.spearmanr([word.effect_size for word in r.words], [v.index[token] for token in tokens]).statistic
    assert (r.frequency.rho, r.frequency.n) == (pytest.approx(rho), len(r.words))
    assert any(note.startswith("frequency: the more frequent a word") for note in wefat_table(r).notes)
    assert aslant.wefat(v, ["nurse", "clerk"]).frequency is None, "too few words"


def test_chance_of_each_word_and_of_the_correlation_is_that_of_a_loop_over_random_attributes() -> None:
    v = aslant.load()
    words = {"nurse": 0.9, "engineer": 0.1, "clerk": 0.5, "judge": 0.3}
    r = aslant.wefat(v, list(words), attributes=(A, B), figure=words, chance=60, rng=4)
    sets = [find(v, WordList("set", tuple(some))).words for some in (A, B, words)]
    rows = matched_words(v, sets[:2], sets[2:], 60, np.random.default_rng(4))
    assert rows is not None
    drawn = [
        [w.effect_size for w in aslant.wefat(v, list(words), attributes=sets_of, chance=0).words]
        for a, b in zip(*rows, strict=True)
        for sets_of in [([v.words[row] for row in a], [v.words[row] for row in b])]
    ]
    for place, word in enumerate(r.words):
        assert word.chance is not None
        own = [effects[place] for effects in drawn]
        assert word.chance.mean == pytest.approx(np.mean(own), abs=1e-5)
        assert word.chance.pvalue == (1 + sum(abs(d) >= abs(word.effect_size) for d in own)) / 61
    assert r.correlation is not None
    assert r.correlation_chance is not None
    correlations = [stats.pearsonr(effects, list(words.values())).statistic for effects in drawn]
    assert r.correlation_chance.low == pytest.approx(np.quantile(correlations, 0.025), abs=1e-4)
    expected = stats.false_discovery_control([w.chance.pvalue for w in r.words if w.chance])
    assert [w.chance_qvalue for w in r.words] == pytest.approx(list(expected))


def test_what_chance_gives_is_in_the_table_and_in_every_row_and_changes_no_other_number() -> None:
    r, without = (aslant.wefat(aslant.load(), chance=n) for n in (200, 0))
    assert [(w.effect_size, w.pvalue) for w in r.words] == [(w.effect_size, w.pvalue) for w in without.words]
    assert {"chance_low", "chance_high", "chance_pvalue", "chance_qvalue"} <= r.rows()[0].keys()
    said = " ".join(wefat_table(r).notes)
    assert "in place of the attributes, give d in this range" in said
    assert "give a Pearson correlation of" in said
    assert without.correlation_chance is None
    assert "chance" not in {c.key for c in wefat_table(without).columns}


def test_figures_may_be_whole_numbers() -> None:
    found = aslant.wefat(aslant.load(), ["nurse", "judge"], figure={"nurse": 9, "judge": np.int64(1)}, chance=0)
    assert [word.figure for word in found.words] == [9, 1]
