"""A language model's scores as tables and charts: both ends, every number the result's own, nothing that acts."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

import aslant
from aslant.measures.template_tests.result import LogProbabilityResult
from aslant.measures.template_tests.show import EACH_END, _binned, percent, ranked_bars, score_histogram
from aslant.report import render
from aslant.report.assembly import tables_of
from aslant.report.tables import small
from fake_lm import FakeMaskedLM

WORDS = [f"word{number}" for number in range(100)]


@pytest.fixture(scope="module")
def result() -> LogProbabilityResult:
    return aslant.log_probability_bias(FakeMaskedLM(), targets=("he", "she"), attributes=WORDS)


def test_a_terminal_shows_both_ends_and_csv_all(result: LogProbabilityResult) -> None:
    (table,) = tables_of(result)
    ranked = [s.attribute for s in result.ranked]
    assert [row["attribute"] for row in table.rows] == ranked[:EACH_END] + ranked[-EACH_END:]
    lines = render(result, ".csv").splitlines()
    assert len(lines) == 101
    assert lines[1].startswith(ranked[0])
    share = result.share
    assert any(f"{share.count} of 100 attributes" in note and percent(share.low) in note for note in table.notes)
    assert small(result.ranked[0].score) in render(result, ".md")


def test_a_short_list_is_shown_whole() -> None:
    short = aslant.log_probability_bias(FakeMaskedLM(), targets=("he", "she"), attributes=WORDS[:20])
    (table,) = tables_of(short)
    assert len(table.rows) == 20
    assert not any(note.startswith("shown:") for note in table.notes)


def test_bins_meet_at_zero_and_count_every_score(result: LogProbabilityResult) -> None:
    scores = [s.score for s in result.scores]
    bins = _binned(scores)
    assert sum(row["count"] for row in bins) == 100
    assert not any(row["low"] < 0 < row["high"] for row in bins)
    assert sum(row["count"] for row in bins if row["low"] >= 0) == result.share.count
    assert len(bins) <= 41
    assert sum(row["count"] for row in _binned([0.25])) == 1


def test_charts_are_svg_that_tells_the_share_and_the_model(result: LogProbabilityResult) -> None:
    for svg in (score_histogram(result), ranked_bars(result)):
        ElementTree.fromstring(svg)
        assert percent(result.share.share) in svg
        assert "fake masked" in svg
        assert "made for tests" in svg
    bars = ranked_bars(result, most=10)
    ranked = [s.attribute for s in result.ranked]
    assert all(f">{word}<" in bars for word in ranked[:5] + ranked[-5:])
    assert f">{ranked[50]}<" not in bars


def test_words_that_would_act_are_only_shown() -> None:
    nasty = ["<script>alert(1)</script>", "a'b\"c\\", "x" + chr(27) + "[31m", "]}; alert(2)//"]
    result = aslant.log_probability_bias(FakeMaskedLM(), targets={"<b>": ["he"], "|": ["she"]}, attributes=nasty)
    for svg in (score_histogram(result), ranked_bars(result)):
        assert "<script" not in svg
        assert chr(27) not in svg
        ElementTree.fromstring(svg)
    markdown = render(result, ".md")
    assert r"\<script\>" in markdown
    assert chr(27) not in markdown
    assert re.search(r"(?<!\\)\| *\|", markdown) is None


def test_three_classes_make_two_tables_of_a_document() -> None:
    result = aslant.log_probability_bias(FakeMaskedLM(), targets=("he", "she", "they"), attributes=WORDS)
    assert [table.title.split(" (")[0] for table in tables_of(result)] == [
        "Log-probability bias",
        "Target sets compared",
    ]
    assert "Target sets compared" in render(result, ".md")
    assert "score against the mean of the other target sets" in score_histogram(result)
