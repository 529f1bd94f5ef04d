"""The check measures both states alike, says what could not be measured, and shows what debiasing hides."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import aslant
from aslant.debias import METHODS
from aslant.errors import DebiasError
from aslant.report import render
from aslant.results.debias import CheckedMeasure, DebiasCheck, StateTest

RATED = "king\tqueen\t8.6\ncar\ttrain\t6.3\nking\tcabbage\t0.2\ntiger\tcat\t7.4\nstock\tegg\t1.8\n"


@pytest.fixture(scope="module")
def check(tmp_path_factory: pytest.TempPathFactory) -> DebiasCheck:
    path = tmp_path_factory.mktemp("rated") / "rated.tsv"
    path.write_text(RATED, encoding="utf-8")
    v = aslant.load()
    return aslant.debias_check(v, aslant.hard_debias(v), similarity=[str(path), "no-such-data"], seeds=1)


def value(check: DebiasCheck, what: str) -> tuple[float, float]:
    found = next(m for m in check.measures if m.measure.startswith(what))
    assert found.before is not None
    assert found.after is not None
    return found.before, found.after


def test_every_static_measure_is_there(check: DebiasCheck) -> None:
    families = [m.family for m in check.measures]
    assert {name: families.count(name) for name in dict.fromkeys(families)} == {
        "WEAT": 10, "polarity": 4, "direct bias": 2, "residual": 3, "quality": 1
    }  # fmt: skip


def test_each_number_is_what_the_measure_itself_gives(check: DebiasCheck) -> None:
    v = aslant.load()
    w = aslant.hard_debias(v)
    assert value(check, "weat-8") == tuple(aslant.weat(x, "weat-8", bootstrap=0).effect_size for x in (v, w))
    assert value(check, "direct bias") == (aslant.direct_bias(v).value, aslant.direct_bias(w).value)
    g = np.array(aslant.gender_subspace(v, random_pairs=0).direction)
    along = tuple(aslant.direct_bias(x, direction=g).value for x in (v, w))
    assert value(check, "direct bias of professions, original") == pytest.approx(along)
    assert along[1] < value(check, "direct bias")[1]  # hard debiasing empties the old direction, not the new one
    assert value(check, "polarity binary")[1] == aslant.polarity(w, "gender-binary", bootstrap=0).score
    assert value(check, "clustering")[1] == aslant.residual_bias(original=v, measured=w, seeds=1).clustering.accuracy


def test_the_bias_seems_gone_and_is_still_there(check: DebiasCheck) -> None:
    before, after = value(check, "polarity binary")
    assert after < before / 20
    for what in ("clustering", "classification"):
        assert value(check, what)[1] > 0.9
    assert value(check, "professions' neighbours")[1] > 0.5


def test_chance_and_the_range_over_seeds_stand_beside_the_residual_tests(check: DebiasCheck) -> None:
    v = aslant.load()
    r = aslant.residual_bias(original=v, measured=aslant.hard_debias(v), seeds=1, picture="none")
    by_name = {m.measure.split()[0]: m for m in check.measures if m.family == "residual"}
    for name, part in (("clustering", r.clustering), ("classification", r.classification)):
        found = by_name[name]
        assert found.after_chance == part.chance
        assert found.after_seeds is not None
        assert (found.after_seeds.minimum, found.after_seeds.maximum) == (part.lowest, part.highest)
        assert found.before_seeds is not None
    assert by_name["clustering"].after_chance is not None
    assert by_name["clustering"].after_chance.mean >= 0.5  # the better of two namings is never below
    assert by_name["professions'"].after_chance == r.neighbours.chance
    assert {m.after_chance for m in check.measures if m.family != "residual"} == {None}


def test_the_raw_statistic_interval_and_p_stand_beside_d_before_and_after(check: DebiasCheck) -> None:
    v = aslant.load()
    row = next(row for row in check.rows() if row["measure"].startswith("weat-7"))
    for state, vectors in (("before", v), ("after", aslant.hard_debias(v))):
        found = aslant.weat(vectors, "weat-7", bootstrap=1_000)
        assert found.interval is not None
        assert found.chance is not None
        told = (found.statistic, found.interval.low, found.interval.high, found.pvalue, found.chance.pvalue)
        assert tuple(row[f"{state}_{n}"] for n in ("statistic", "low", "high", "pvalue", "chance_pvalue")) == told
    assert abs(row["after_statistic"]) < abs(row["before_statistic"]) / 5
    assert abs(row["after"]) > abs(row["before"]) / 3  # d hardly tells
    text = render(check, ".md")
    assert "0.046 → −0.006" in text
    shrunk = (
        "weat-7 (0.046 → −0.006), weat-8 (0.043 → 0.000): the spread of the associations, which d is divided by, fell"
    )
    assert shrunk in text


def test_random_words_stand_beside_polarity_and_direct_bias(check: DebiasCheck) -> None:
    v = aslant.load()
    rows = {row["measure"]: row for row in check.rows()}
    direct, lean = aslant.direct_bias(v).chance, aslant.polarity(v, "gender-binary", bootstrap=0).chance
    assert direct is not None
    assert lean is not None
    assert rows["direct bias of professions"]["before_chance_pvalue"] == direct.pvalue
    assert rows["polarity binary, gender-binary"]["before_chance_pvalue"] == lean.pvalue
    assert rows["direct bias of professions, original direction"]["before_chance_pvalue"] is None


@pytest.mark.parametrize(("after", "statistic", "shrank"), [(-1.098, -0.008, True), (0.4, 0.010, False)])
def test_a_spread_that_fell_to_less_than_half_is_told_from_an_effect_that_fell(
    after: float, statistic: float, shrank: bool
) -> None:
    states = StateTest(None, 0.025), StateTest(None, statistic)
    measure = CheckedMeasure("WEAT", "weat-8", 0.883, after, "d", before_test=states[0], after_test=states[1])
    assert measure.spread_shrank == shrank
    assert not CheckedMeasure("WEAT", "weat-8", 0.883, after, "d").spread_shrank  # as in older files


def test_the_difference_in_word_similarity_has_a_paired_interval(check: DebiasCheck) -> None:
    (quality,) = [m for m in check.measures if m.family == "quality"]
    assert quality.interval is not None
    assert quality.difference is not None
    assert quality.interval.low <= quality.difference <= quality.interval.high
    row = next(row for row in check.rows() if row["family"] == "quality")
    assert (row["difference_low"], row["difference_high"]) == (quality.interval.low, quality.interval.high)


@pytest.mark.parametrize("method", ["leace", "nullspace", "double-hard"])
def test_the_table_says_when_a_method_is_judged_on_the_words_it_learned_from(method: str) -> None:
    v = aslant.load(top=12_000)
    options = {"candidates": 2} if method == "double-hard" else {"words": 300}
    check = aslant.debias_check(v, METHODS[method](v, **options), similarity=(), seeds=1)
    (named,) = check.learned_from_leaning
    assert f"{named} learned from the words that lean most between two poles" in render(check, ".md")


def test_no_such_thing_is_said_of_methods_that_learn_from_other_words(check: DebiasCheck) -> None:
    assert check.learned_from_leaning == ()
    assert "learned from" not in render(check, ".md")
    v = aslant.load(top=12_000)
    w = aslant.leace_debias(v, words=300)
    assert aslant.debias_check(w, aslant.project_out(w), similarity=(), seeds=1).learned_from_leaning == ()


def test_what_cannot_be_measured_is_named_with_the_reason(check: DebiasCheck) -> None:
    assert list(check.not_run) == ["no-such-data"]
    assert "neither a file nor similarity data" in check.not_run["no-such-data"]


def test_the_table_says_what_was_done_and_that_debiasing_hides(check: DebiasCheck) -> None:
    text = render(check, ".md")
    assert "hides more than it removes" in text
    assert "hard debiasing (components=1)" in text
    assert "not measured: no-such-data" in text
    assert check.provenance.representation.name == "sample (hard debiasing)"
    assert check.before.name == "sample"


def test_an_embedding_compared_with_itself_shows_no_difference() -> None:
    v = aslant.load(top=8_000)
    check = aslant.debias_check(v, v, similarity=(), seeds=1)
    assert {m.difference for m in check.measures} == {0.0}


def test_tests_for_which_words_are_lacking_are_named() -> None:
    v = aslant.load()
    few = aslant.WordVectors(v.words[:3000], v.matrix[:3000])
    check = aslant.debias_check(few, few, similarity=(), seeds=1)
    assert "weat-3" in check.not_run
    assert not any(m.measure.startswith("weat-3") for m in check.measures)


def test_a_number_of_seeds_that_is_none_is_refused() -> None:
    with pytest.raises(aslant.AslantError, match="seeds is 0"):
        aslant.debias_check(aslant.load(top=100), aslant.load(top=100), seeds=0)


def test_anything_but_vectors_is_refused() -> None:
    with pytest.raises(DebiasError, match="is not word vectors"):
        aslant.debias_check(aslant.load(top=100), None)
    with pytest.raises(aslant.AslantError, match="there is no file 'x'"):
        aslant.debias_check(aslant.load(top=100), Path("x"))
