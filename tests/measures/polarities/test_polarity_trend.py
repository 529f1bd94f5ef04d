"""Polarity over time: a planted trend is found, a flat one is not, and vocabularies are handled openly."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import aslant
from aslant.errors import MeasureError, StimuliError
from aslant.measures.polarities.command import settings_of
from aslant.measures.polarities.result import TrendsResult, TrendTest
from aslant.measures.polarities.show import trend_picture, trend_table
from aslant.measures.polarities.trend import FIGURES, needed_words
from aslant.measures.shared.chance import matched_words
from aslant.results.parts import WordsUsed

WORDS = [f"w{i}" for i in range(40)]


def decade(lean: float, seed: int, words: list[str] = WORDS) -> aslant.WordVectors:
    """Words lean by `lean` along the first axis, on which the two classes differ."""
    random = np.random.default_rng(seed)
    matrix = random.normal(size=(len(words), 8))
    matrix[:, 0] = lean + 0.1 * random.normal(size=len(words))
    classes = np.zeros((2, 8))
    classes[:, 0], classes[:, 1] = (1, -1), 1
    return aslant.WordVectors.from_arrays([*words, "x", "y"], np.vstack([matrix, classes]), name=f"d{seed}")


def test_a_planted_trend_is_found_with_scipys_numbers() -> None:
    series = {1900 + 10 * i: decade(0.2 + 0.3 * i, i) for i in range(8)}
    t = aslant.polarity_trend(series, ["x", "y"], WORDS)
    assert t.test is not None
    scores = [p.score for p in t.points]
    assert t.test.kendall == pytest.approx(stats.kendalltau(range(8), scores).statistic) == 1
    assert t.test.kendall_pvalue < 0.001
    slopes = [(b - a) / (10 * (j - i)) for i, a in enumerate(scores) for j, b in enumerate(scores) if i < j]
    assert min(slopes) > 0
    assert t.test.slope_per_century == pytest.approx(100 * np.median(slopes))


def test_no_trend_is_found_where_there_is_none() -> None:
    found = 0
    for run in range(40):
        series = {1900 + 10 * i: decade(0.5, 100 * run + i) for i in range(8)}
        test = aslant.polarity_trend(series, ["x", "y"], WORDS, bootstrap=0).test
        found += test is not None and test.kendall_pvalue < 0.05
    assert found <= 6


def test_only_words_that_every_year_has_are_used_unless_asked() -> None:
    series = {1900: decade(0.5, 0, WORDS[:30]), 1910: decade(0.5, 1, WORDS[10:])}
    t = aslant.polarity_trend(series, ["x", "y"], WORDS)
    assert t.words == tuple(WORDS[10:30])
    assert [p.words for p in t.points] == [20, 20]
    assert set(t.missing) == set(WORDS) - set(WORDS[10:30])
    anyway = aslant.polarity_trend(series, ["x", "y"], WORDS, any_words=True)
    assert [p.words for p in anyway.points] == [30, 30]


def test_a_year_without_a_class_is_left_out_and_listed() -> None:
    lacking = aslant.WordVectors.from_arrays([*WORDS, "x"], np.random.default_rng(0).normal(size=(41, 8)))
    t = aslant.polarity_trend({1900: decade(0.5, 0), 1910: lacking, 1920: decade(0.5, 2)}, ["x", "y"], WORDS)
    assert [p.year for p in t.points] == [1900, 1920]
    assert t.years_left_out == {1910: "no vector for y"}


def test_years_come_in_order_and_few_years_have_no_test() -> None:
    t = aslant.polarity_trend({1920: decade(0.5, 0), 1900: decade(0.5, 1)}, ["x", "y"], WORDS)
    assert [p.year for p in t.points] == [1900, 1920]
    assert t.test is None


def test_bad_input_is_one_clear_error() -> None:
    with pytest.raises(MeasureError, match="two are needed"):
        aslant.polarity_trend({1900: decade(0.5, 0)}, ["x", "y"], WORDS)
    with pytest.raises(MeasureError, match=r"none of the words \(1\)"):
        aslant.polarity_trend({1900: decade(0.5, 0), 1910: decade(0.5, 1)}, ["x", "y"], ["zz"])


def test_with_any_words_those_are_listed_that_some_year_has() -> None:
    series = {1900: decade(0.5, 0, WORDS[:30]), 1910: decade(0.5, 1, WORDS[10:])}
    t = aslant.polarity_trend(series, ["x", "y"], [*WORDS, "nowhere"], any_words=True)
    assert t.words == tuple(WORDS)
    assert t.missing == ("nowhere",)
    assert [r.name for r in t.representations] == ["d0", "d1"]


def test_spearman_is_by_permutation_and_never_zero() -> None:
    from aslant.statistics import rank_correlation_pvalue

    t = aslant.polarity_trend({1900 + i: decade(0.2 + 0.3 * i, i) for i in range(4)}, ["x", "y"], WORDS)
    assert t.test is not None
    assert t.test.spearman == 1
    assert t.test.spearman_pvalue == pytest.approx(2 / 24)
    random = np.random.default_rng(0)
    x, y = random.normal(size=(2, 7))
    expected = stats.permutation_test(
        (x,), lambda a: stats.spearmanr(a, y).statistic, permutation_type="pairings", n_resamples=np.inf
    )
    assert rank_correlation_pvalue(x, y) == pytest.approx(expected.pvalue)
    x, y = random.normal(size=(2, 20))
    assert rank_correlation_pvalue(x, y) == pytest.approx(stats.spearmanr(x, y).pvalue, abs=0.02)
    assert 0 < rank_correlation_pvalue(range(30), range(30)) < 1e-4


def test_the_settings_of_both_figures_are_those_that_meet_table_1() -> None:
    scores = {"baseline": 0.0976, "ovo (g1)": 0.1090, "ovo (r)": 0.0978}
    scores |= {"ovr (g1)": 0.1103, "ovr (g2)": 0.1528, "ovr (r)": 0.1475}
    settings = {**FIGURES[1], **FIGURES[2]}
    assert settings.keys() == scores.keys()
    for label, (classes, scheme) in settings.items():
        found = aslant.polarity(aslant.load(), classes, scheme=scheme, bootstrap=0, chance=0).score
        assert found == pytest.approx(scores[label], abs=0.0003)


def test_each_line_of_a_figure_is_what_its_setting_gives_alone() -> None:
    v = aslant.load()
    series = {1980: v, 1990: v.without_last(20), 2000: v.without_last(40), 2010: v.without_last(50)}
    figure = aslant.polarity_trends(series, 1, bootstrap=20, chance=5)
    assert list(figure.trends) == ["baseline", "ovo (g1)", "ovr (g1)", "ovr (g2)"]
    for label, (classes, scheme) in FIGURES[1].items():
        assert figure.trends[label] == aslant.polarity_trend(series, classes, scheme=scheme, bootstrap=20, chance=5)
    assert len(figure.rows()) == 16
    assert set(figure.missing) == set(figure.trends["baseline"].missing)


def test_a_setting_whose_classes_are_too_rare_is_listed_and_the_others_are_measured() -> None:
    series = {1900 + 10 * i: decade(0.2 + 0.3 * i, i) for i in range(5)}
    trends = aslant.polarity_trends(series, {"kept": (["x", "y"], "binary"), "rare": (["x", "zz"], "binary")}, WORDS)
    assert list(trends.trends) == ["kept"]
    assert trends.trends["kept"].test is not None
    assert trends.trends["kept"].test.direction == "up"
    assert trends.not_measured == {
        "rare": "0 of 5 years with vectors for every class (no vector for zz); two are needed"
    }
    assert TrendsResult.from_dict(json.loads(trends.to_json())) == trends
    with pytest.raises(MeasureError, match="no setting can be measured; 'rare'"):
        aslant.polarity_trends(series, {"rare": (["x", "zz"], "binary")}, WORDS)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (3, "no figure 3"),
        ({}, "not pairs of classes and scheme"),
        ({"a": ["x", "y"]}, "not pairs of classes and scheme"),
        ({"a": (["x", "y"], "all")}, "scheme is 'all'; choose one of"),
        ({"a": (["x", "y", "w1"], "binary")}, "exactly two"),
    ],
)
def test_settings_that_are_none_get_one_clear_error(settings: object, words: str) -> None:
    with pytest.raises(MeasureError, match=words):
        aslant.polarity_trends({1900: decade(0.5, 0), 1910: decade(0.5, 1)}, settings, WORDS)


@pytest.mark.parametrize(
    ("kendall", "pvalue", "direction"), [(0.6, 0.01, "up"), (-0.6, 0.01, "down"), (-0.6, 0.06, "none")]
)
def test_a_direction_is_claimed_only_where_the_test_finds_one(kendall: float, pvalue: float, direction: str) -> None:
    assert TrendTest(kendall, pvalue, 0.0, 1.0, 0.0).direction == direction


CHANGING = """
kind = "classes"
title = "Two classes, one of which changes its word"
category = "none"
language = "en"
licence = "MIT"
citation = "none"

[[classes]]
name = "first"
words = ["x"]

[[classes]]
name = "second"
words = ["w0"]
from = 1900

[[classes]]
name = "second"
words = ["y"]
from = 1920
"""


def changing(form: str, folder: Path) -> object:
    if form == "python":
        return {1900: {"first": ["x"], "second": ["w0"]}, 1920: {"first": ["x"], "second": ["y"]}}
    (folder / "changing.toml").write_text(CHANGING, encoding="utf-8")
    return str(folder / "changing.toml")


@pytest.mark.parametrize("form", ["python", "toml"])
def test_class_words_that_change_over_the_years_are_used_and_recorded_by_year(form: str, tmp_path: Path) -> None:
    series = {year: decade(0.5, year) for year in range(1890, 1940, 10)}
    t = aslant.polarity_trend(series, changing(form, tmp_path), WORDS[1:])
    lacking = "second" if form == "toml" else "first, second"
    assert t.years_left_out == {1890: f"no words are given for {lacking} that early"}
    assert [p.classes["second"] for p in t.points] == [("w0",), ("w0",), ("y",), ("y",)]
    for point in t.points:
        words = ["x", "w0" if point.year < 1920 else "y"]
        assert point.score == aslant.polarity(series[point.year], words, WORDS[1:], bootstrap=0).score
    assert t.rows()[0]["classes"] == "first: x; second: w0"
    assert type(t).from_dict(json.loads(t.to_json())) == t


def test_a_set_whose_words_change_has_its_latest_words_elsewhere(tmp_path: Path) -> None:
    v, source = decade(0.5, 0), changing("toml", tmp_path)
    assert aslant.polarity(v, source, WORDS).score == aslant.polarity(v, ["x", "y"], WORDS).score


def test_periods_that_do_not_fit_together_get_one_clear_error(tmp_path: Path) -> None:
    series = {1900: decade(0.5, 0), 1910: decade(0.5, 1)}
    with pytest.raises(MeasureError, match="x, y from 1900 on, but x, w0 from 1910 on; name the same classes"):
        aslant.polarity_trend(series, {1900: ["x", "y"], 1910: ["x", "w0"]}, WORDS)
    with pytest.raises(MeasureError, match="classes by year are for polarity_trend"):
        aslant.polarity(series[1900], {1900: ["x"], 1910: ["y"]}, WORDS)
    path = tmp_path / "twice.toml"
    path.write_text(CHANGING.replace("from = 1900", "from = 1920"), encoding="utf-8")
    with pytest.raises(StimuliError, match="'second from 1920' twice"):
        aslant.polarity_trend(series, path, WORDS)
    path.write_text(CHANGING.replace('"first"', '"second"'), encoding="utf-8")
    with pytest.raises(StimuliError, match="only 'second'; two classes are needed"):
        aslant.polarity_trend(series, path, WORDS)


def test_the_words_needed_are_those_measured_and_those_of_the_classes() -> None:
    found = needed_words({"mine": (["she", "he"], "binary")}, ["nurse", "engineer"])
    assert found == ("nurse", "engineer", "she", "he")


def test_classes_may_name_their_scheme() -> None:
    assert settings_of(["she,he", "race-four:one-vs-rest"], None, "binary") == {
        "she,he": (["she", "he"], "binary"),
        "race-four:one-vs-rest": ("race-four", "one-vs-rest"),
    }


def test_classes_of_several_words_are_written_on_the_command_line() -> None:
    classes = {"old": ("elderly", "aged"), "young": ("youth",)}
    for given, scheme in (
        ("old: elderly, aged; young: youth", "binary"),
        ("old: elderly,aged;young:youth:one-vs-rest", "one-vs-rest"),
    ):
        assert settings_of([given], None, "binary") == {given: (classes, scheme)}
    found = needed_words({"own": (classes, "binary")}, ["nurse"])
    assert found == ("nurse", "elderly", "aged", "youth")


def test_a_trend_says_first_how_many_of_the_words_it_is_about() -> None:
    v = aslant.load()
    words = ["nurse", "engineer", *(f"nowhere{i}" for i in range(5))]
    few = aslant.polarity_trend({1990: v, 2000: v}, ["female", "male"], words, bootstrap=0)
    assert trend_table(few).notes[0] == (
        "measured on 2 of 7 words (words that every year has); the trend is that of these few"
    )
    most = aslant.polarity_trend({1990: v, 2000: v}, ["female", "male"], words[:3], bootstrap=0)
    assert trend_table(few).first_line == "Measured on only 2 of 7 words."
    assert trend_table(most).first_line == ""
    assert trend_table(most).notes[0] == "measured on 2 of 3 words (words that every year has)"


def lettered(seed: int) -> aslant.WordVectors:
    """Vectors of 300 words of letters only, in which x and y are among the words; each year lacks one."""
    random = np.random.default_rng(seed)
    words = [f"{a}{b}{c}" for a in "abcde" for b in "abcdef" for c in "abcdefghij"]
    words[20], words[40], words[60] = "x", "y", "z"
    del words[100 + seed]
    return aslant.WordVectors.from_arrays(words, random.normal(size=(len(words), 6)), name=f"d{seed}")


def test_chance_of_each_year_and_of_the_trend_is_that_of_a_loop_with_the_same_random_words_in_every_year() -> None:
    series = {1900 + 10 * i: lettered(i) for i in range(5)}
    shared = set.intersection(*(set(v.words) for v in series.values()))
    dated = {1900: {"X": ["x", "z"], "Y": ["y"]}, 1920: {"Y": ["y"], "X": ["x"]}}  # X is one word from 1920 on
    words = ["aab", "abc", "cde"]
    t = aslant.polarity_trend(series, dated, words, bootstrap=0, chance=15, rng=2)
    groups = [WordsUsed(name, (), tokens, ()) for name, tokens in {"Y": ("y",), "X": ("x", "z")}.items()]
    measured = [WordsUsed("words", (), tuple(words), ())]
    rows = matched_words(series[1940], groups, measured, 15, np.random.default_rng(2), shared)
    assert rows is not None
    taus, scores = [], []
    for y, (x, z) in zip(*rows, strict=True):
        first, second, third = (series[1940].words[row] for row in (y[0], x, z))
        assert {first, second, third} <= shared
        random = {1900: {"X": [second, third], "Y": [first]}, 1920: {"X": [second], "Y": [first]}}
        drawn = aslant.polarity_trend(series, random, words, bootstrap=0, chance=0)
        assert drawn.test is not None
        taus.append(drawn.test.kendall)
        scores.append([point.score for point in drawn.points])
    assert t.test is not None
    assert t.test.chance is not None
    assert t.test.chance.mean == pytest.approx(np.mean(taus))
    assert t.test.chance.pvalue == (1 + sum(abs(tau) >= abs(t.test.kendall) - 1e-9 for tau in taus)) / 16
    for place, point in enumerate(t.points):
        assert point.chance is not None
        assert point.chance.high == pytest.approx(np.quantile([score[place] for score in scores], 0.975), abs=1e-5)
    assert "chance_low" in t.rows()[0]
    assert "chance_low" in json.dumps(trend_picture(t).to_dict())
    assert any("give a tau of" in note for note in trend_table(t).notes)


def test_a_trend_that_random_classes_have_too_is_said_to_be_no_more_than_theirs() -> None:
    """All of the space drifts together, so that any two words come apart: a trend, but not one of x and y."""
    base, series = lettered(0).matrix.astype(float), {}
    for i in range(6):
        matrix = base + (5 - i) * np.eye(6)[0]
        series[1900 + 10 * i] = aslant.WordVectors.from_arrays(lettered(0).words, matrix)
    t = aslant.polarity_trend(series, ["x", "y"], ["aab", "abc", "cde", "abe"], bootstrap=0, chance=200)
    assert t.test is not None
    assert t.test.chance is not None
    assert t.test.direction != "none"
    assert t.test.chance.pvalue > 0.05
    assert ", but no more than between random words: Kendall" in trend_table(t).notes[1]


def test_vocabularies_too_small_to_draw_from_have_no_chance_and_say_so() -> None:
    t = aslant.polarity_trend({1900 + 10 * i: decade(0.5, i) for i in range(4)}, ["x", "y"], WORDS)
    assert [point.chance for point in t.points] == [None] * 4
    assert any(note.startswith("no chance level") for note in trend_table(t).notes)
