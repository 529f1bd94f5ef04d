"""What a page is put together from: sentences, the grid, sections, charts, covered words, files, notebooks."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import aslant
from aslant import catalogue
from aslant.errors import AslantError
from aslant.measures.association.result import WeatSuiteResult
from aslant.measures.association.show import suite_picture
from aslant.measures.enumeration.page import enumeration_fragment, heatmap_picture
from aslant.report import render
from aslant.report.assembly import measures_of_audit, pictures_of, section_of
from aslant.report.audit import glance_table
from aslant.report.charts import svg, vega
from aslant.report.figures import save_figures, save_tables
from aslant.report.glance import SOCIAL, Cell, comparison_sentences, grid, not_covered, sentences
from aslant.report.html import environment, script_json
from aslant.report.offensive_words import COVER, covered, may_offend
from aslant.report.pictures import audits_picture
from aslant.report.tables import Column
from aslant.results.audit import (
    NEEDS_TEXT,
    ON_REQUEST,
    AuditComparison,
    AuditDifference,
    AuditPart,
    AuditResult,
    Glance,
    ModelDifference,
)
from aslant.results.codec import Result
from aslant.results.parts import Interval
from aslant.results.provenance import Representation
from report_examples import Text, enumeration, nasty_audit


def line(measure: str = "weat", category: str = "gender", **given: Any) -> Glance:
    values: dict[str, Any] = {
        "stimuli": "weat-6", "effect": 0.9, "effect_name": "d", "strength": "large", "pvalue": 0.001, "qvalue": 0.002,
        "evidence": "strong", "sentence": "A with B.",
    } | given  # fmt: skip
    return Glance(measure=measure, category=category, **values)


def audit(*lines: Glance, **given: Any) -> AuditResult:
    values: dict[str, Any] = {
        "representation": Representation("m", "f", "text", 10, 3), "profile": "quick", "seed": 0, "parts": (),
        "glance": lines, "not_run": {}, "failed": {}, "created": "2026-01-01T00:00:00+00:00", "version": "0",
    } | given  # fmt: skip
    return AuditResult(**values)


@pytest.fixture(scope="module")
def suite() -> WeatSuiteResult:
    return aslant.weat_suite(aslant.load(), ["weat-6", "weat-7"], bootstrap=50)


def test_the_dots_of_an_audit_are_filled_where_its_lines_have_evidence() -> None:
    found = aslant.audit(only=["weat"], profile="quick")
    lines = tuple(replace(line, chance_qvalue=q) for line, q in zip(found.glance, [0.04, *[0.2] * 9], strict=True))
    [shown] = measures_of_audit(replace(found, glance=lines))
    drawn = shown.figures[0].chart.to_dict()["datasets"].values()
    rows = next(found for found in drawn if "series" in found[0])
    assert [row["label"].partition(" ")[0] for row in rows if row["significant"]] == ["weat-1"]
    assert rows[0]["series"] == "this embedding, beyond chance, both q ≤ 0.05"
    notes = shown.tables[0].notes
    assert any("Benjamini–Hochberg over all lines of this audit that have one" in note for note in notes)


def test_three_sentences_say_what_was_audited_found_and_how_sure(suite: WeatSuiteResult) -> None:
    lines = (
        line(),
        line(stimuli="weat-7", effect=-1.5, evidence="none", qvalue=0.4),
        line(category="none", effect=9.0),
    )
    about = dict(sentences(audit(*lines, parts=(AuditPart("weat", "WEAT", (suite,), 1.0),))))
    assert list(about) == ["What was audited", "What was found", "How sure that is"]
    assert "“m” (10 words in 3 dimensions), with 1 measure: WEAT." in about["What was audited"]
    assert (
        "2 of 3 lines are beyond chance (1 of them not about people); the largest effect, about gender: A with B."
        in about["What was found"]
    )
    assert "2 with strong evidence (q ≤ 0.01)" in about["How sure that is"]
    clear = sum(not r.interval.low <= 0 <= r.interval.high for r in suite.results if r.interval)
    assert f"for {clear} of 2 association tests the interval" in about["How sure that is"]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ((line(evidence="none", qvalue=0.5),), "No line passes after allowing for 1 line: "),
        ((line(evidence="not tested", qvalue=None, pvalue=None),), "nothing can be said about chance"),
        ((), "nothing can be said about chance"),
    ],
)
def test_sentences_claim_nothing_that_was_not_found(lines: tuple[Glance, ...], said: str) -> None:
    assert said in dict(sentences(audit(*lines)))["What was found"]


def test_effects_of_different_scales_are_not_ranked() -> None:
    said = dict(sentences(audit(line(effect_name="r", effect=0.4), line(effect_name="log-odds", effect=2.0))))
    assert "2 of 2 lines are beyond chance; one of them, about gender: " in said["What was found"]


def test_a_measure_that_broke_off_is_told_apart_from_one_that_was_not_run() -> None:
    said = dict(sentences(audit(line(), not_run={"a": "no words"}, failed={"b": "KeyError: 3"})))["What was audited"]
    assert "; 1 measure or test not run (see the end); " in said
    assert "; 1 broke off, so this report is incomplete. Not covered: race, " in said


def test_what_no_line_is_about_is_said_and_nothing_where_all_is_covered() -> None:
    some = [line(category=category) for category in SOCIAL if category not in ("age", "religion")]
    assert not_covered(audit(*some)) == "Not covered: religion, age."
    assert "not covered: religion, age." in glance_table(audit(*some)).notes
    every = audit(*(line(category=category) for category in SOCIAL))
    assert not_covered(every) == ""
    assert not any("not covered" in note for note in glance_table(every).notes)


def test_what_could_not_be_run_stands_beside_what_was_found_unless_nobody_asked_for_it() -> None:
    lost = {"a": "no words", "b": ON_REQUEST, "c": f"{NEEDS_TEXT}: give one"}
    said = dict(sentences(audit(line(), not_run=lost)))["What was found"]
    assert said.endswith(" 1 measure or test could not be run, and q allows only for those that were.")
    del lost["a"]
    assert "could not be run" not in dict(sentences(audit(line(), not_run=lost)))["What was found"]


def test_a_row_of_the_page_is_bold_only_if_chance_agrees() -> None:
    macros: Any = environment().get_template("macros.html.j2").module
    columns = (Column("test", "test", str),)
    rows = [{"test": "t", "qvalue": 1e-9, "chance_qvalue": q} for q in (0.3, 0.01)]
    assert ['class="strong"' in macros.rows(columns, [row]) for row in rows] == [False, True]


def test_the_page_names_the_command_that_measures_the_same(suite: WeatSuiteResult) -> None:
    parts = tuple(AuditPart(name, name, (suite,), 1.0) for name in ("weat", "own words"))
    model = Representation("my model", "f", "text", 10, 3)
    asked = audit(line(), parts=parts, not_run={"geometry": "left out on request"}, representation=model)
    shown = Text(render(asked, ".html")).text
    assert "aslant audit 'my model' --quick --only 'weat,own words' --words … --seed 0" in shown


def test_pictures_on_one_page_share_no_ids() -> None:
    few, more = (svg(heatmap_picture(enumeration(*size))) for size in ((3, 2), (4, 3)))
    ids = [set(re.findall(r'id="([^"]+)"', drawn)) for drawn in (few, more)]
    assert all(ids)
    assert not ids[0] & ids[1]
    assert set(re.findall(r"url\(#([^)]+)\)", few)) <= ids[0]


def test_the_grid_shows_the_line_with_the_most_evidence_not_the_largest_effect() -> None:
    weak = line(effect=1.9, evidence="none", qvalue=0.2)
    made = grid(audit(line(effect=0.3, strength="small"), weak, line("polarity", "race", strength=None)))
    assert made.categories == ("gender", "race")
    (_, (gender, race)), (_, (none, leaning)) = made.rows
    assert race is None
    assert none is None
    assert gender is not None
    assert (gender.effect, gender.level, gender.evidence[1], gender.count) == (
        "0.30",
        1,
        "strong",
        "1 of 2 with evidence",
    )
    assert isinstance(leaning, Cell)
    assert leaning.level is None


def test_categories_that_are_not_social_stand_last() -> None:
    made = grid(audit(line(category="none"), line(category="several"), line(category="age")))
    assert made.categories == ("age", "several at once", "not social")


def test_every_kind_of_result_has_words_for_its_page() -> None:
    for name, kind in catalogue.kinds().items():
        assert kind.title, name
        assert kind.reads, name


def test_a_kind_without_an_entry_is_shown_as_a_plain_table() -> None:
    class Fortune(Result):
        kind = "fortune-<b>"
        missing = ("tea",)

        def rows(self) -> list[dict[str, Any]]:
            return [{"what": "<i>luck</i>", "how_much": 0.5}, {"what": None, "how_much": 2}]

        def to_dict(self) -> dict[str, Any]:
            return {}

    said = Text(render(Fortune(), ".html"))
    assert section_of(Fortune()).title == "Fortune <b>"
    assert not {"b", "i", "script"} & set(said.tags) - {"script"}
    for shown in ("<i>luck</i>", "how much", "0.500", "no vector for tea"):
        assert shown in said.text


def test_charts_compile_to_vega_without_outside_data(suite: WeatSuiteResult) -> None:
    specification = vega(suite_picture(suite))
    assert "vega/v6" in specification["$schema"]
    assert not [data for data in specification["data"] if "url" in data]
    assert "url" not in json.dumps(specification).replace("$schema", "")


def test_the_chart_of_a_suite_holds_every_effect_interval_and_study(suite: WeatSuiteResult) -> None:
    text = "".join(ElementTree.fromstring(svg(suite_picture(suite))).itertext())
    assert "weat-6 · Male and female names: career and family" in text
    assert "people (published study)" in text


def test_a_suite_that_ran_no_test_has_no_chart(suite: WeatSuiteResult) -> None:
    import dataclasses

    empty = dataclasses.replace(suite, results=(), qvalues=())
    assert pictures_of(empty) == []
    assert "<figure" not in render(empty, ".html")


def test_data_in_a_script_element_cannot_end_it() -> None:
    text = str(script_json({"a": "</script><!--", "b": "\u2028&"}))
    assert not re.search("[<>&\u2028]", text)
    assert json.loads(text) == {"a": "</script><!--", "b": "\u2028&"}


def test_assets_are_those_that_their_sources_name() -> None:
    folder = files("aslant.report") / "assets"
    sources = tomllib.loads((folder / "SOURCES.toml").read_text())
    assert set(sources) == {"vega", "vega-interpreter", "vega-lite", "cuss"}
    for name, source in sources.items():
        content = (folder / source["made"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == source["sha256"], name
        assert source["licence"] in ("BSD-3-Clause", "MIT")


def test_words_that_may_offend_are_covered_until_asked_for() -> None:
    assert covered("Murder") == "M" + 5 * COVER
    assert not may_offend("nurse")
    page = enumeration_fragment(enumeration(token="murder "))
    assert page.count('class="enum-reveal"') == 1
    cover = re.search(r'<span class="enum-cover">(.*?)<', page)
    assert cover is not None
    assert set(cover[1][1:]) == {COVER}
    plainly = enumeration_fragment(enumeration())
    assert 'class="enum-reveal"' not in plainly
    assert "No word of the table is on a public list" in plainly


def test_the_heat_map_never_shows_a_word_that_may_offend() -> None:
    [(_, chart)] = pictures_of(enumeration(token="murder "))
    assert "murder" not in json.dumps([vega(chart)["axes"], vega(chart)["data"][0]]).replace("murder Name", "").replace(
        "murder g", ""
    )


def test_figures_and_tables_become_files(suite: WeatSuiteResult, tmp_path: Path) -> None:
    whole = audit(line(), parts=(AuditPart("weat", "WEAT", (suite,), 1.0), AuditPart("e", "E", (enumeration(),), 1.0)))
    figures = save_figures(whole, tmp_path / "figures")
    assert [path.name for path in figures] == [
        "weat-1-effect-sizes.svg", "weat-1-effect-sizes.png", "e-1-scores.svg", "e-1-scores.png",
    ]  # fmt: skip
    for path in figures:
        start = path.read_bytes()[:8]
        assert start == b"\x89PNG\r\n\x1a\n" if path.suffix == ".png" else start.startswith(b"<svg")
    written = "".join(ElementTree.fromstring(figures[2].read_text()).itertext())
    assert "offensive stereotypes" in written
    tables = save_tables(whole, tmp_path / "tables")
    assert {path.stem for path in tables} == {"glance", "weat", "e"}
    assert {path.suffix for path in tables} == {".csv", ".tex", ".md"}
    assert all(path.stat().st_size > 100 for path in tables)


def test_a_folder_for_figures_that_is_none_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "no" / "where"):
        with pytest.raises(AslantError, match="as a folder"):
            save_figures(enumeration(), place)


def test_results_show_in_a_notebook_without_a_script(suite: WeatSuiteResult) -> None:
    for result in (suite, suite.results[0], nasty_audit(), enumeration(token="<b>x</b>")):
        shown = result._repr_html_()
        read = Text(shown)
        assert not {"script", "b", "img", "i", "u"} & set(read.tags)
        assert not [name for name, _ in read.attributes if name.startswith("on")]
        assert "stereotypes" in read.text
    assert "<svg" in suite._repr_html_()
    style = re.sub(r"/\*.*?\*/", "", notebook_style(), flags=re.DOTALL)
    assert all(rule.strip().startswith((".aslant", "@")) for rule in re.findall(r"([^{}]+)\{", style))


def notebook_style() -> str:
    return (files("aslant.report") / "templates" / "notebook.css").read_text()


def comparison(*gaps: ModelDifference) -> AuditComparison:
    first = audit(line(), representation=Representation("<b>a</b>", "f", "text", 10, 3))
    second = audit(line(effect=0.2), representation=Representation("b", "f", "text", 10, 3))
    row = AuditDifference("weat", "weat-6", "gender", "d", (0.9, 0.2), gaps or (ModelDifference("b", -0.7),))
    return AuditComparison((first, second), (row,), {"x": "why"}, first.created, "0")


def test_a_comparison_stands_side_by_side_on_a_page() -> None:
    gap = ModelDifference("b", -0.7, Interval(-0.9, -0.5, 0.95, 100), 0.01, 30)
    read = Text(render(comparison(gap), ".html"))
    assert "b" not in read.tags
    for shown in (
        "2 models side by side",
        "<b>a</b>",
        "−0.70",
        "−0.900 to −0.500",
        "excludes 0 for 1 of 1 paired difference",
    ):
        assert shown in read.text, shown


def test_a_comparison_without_intervals_claims_no_difference() -> None:
    about = dict(comparison_sentences(comparison()))
    assert "No difference could be paired, so none has an interval" in about["What was found"]
    assert "1 line has no paired difference" in about["How sure that is"]
    assert audits_picture(comparison()) is not None
