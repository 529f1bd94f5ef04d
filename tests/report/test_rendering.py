"""Tables and pages: nothing a vocabulary holds can act, and every number is the result's own."""

from __future__ import annotations

import dataclasses
import io
import itertools
import re
from pathlib import Path

import pytest

import aslant
from aslant.errors import AslantError
from aslant.report import SUFFIXES, render
from aslant.report.assembly import table_of
from aslant.report.html import hashed
from aslant.report.tables import bar, plain, to_csv, to_latex, to_markdown, to_rich
from aslant.results.audit import AuditComparison
from report_examples import Text, nasty_audit

Page = Text


@pytest.fixture(scope="module")
def nasty() -> aslant.AuditResult:
    return nasty_audit()


@pytest.fixture(scope="module")
def audit() -> aslant.AuditResult:
    return aslant.audit(only=["weat", "polarity"], profile="quick")


@pytest.fixture(scope="module")
def html(audit: aslant.AuditResult) -> str:
    return render(audit, ".html")


def test_every_token_shows_as_text_in_the_page(nasty: aslant.AuditResult) -> None:
    page = Page(render(nasty, ".html"))
    assert page.tags.count("script") == 6, "three charts and three scripts, none of them from a word"
    assert not {"b", "i", "u", "s", "img"} & set(page.tags)
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    for shown in ("<script>alert(1)</script>", "<u>title</u>", "<i>gone0</i>", "{{ 7*7 }}", "own<1>", "</script><b>x"):
        assert shown in page.text
    assert not re.search("[\x1b\u202e\u2028]", page.text)


def test_the_page_fetches_nothing_and_runs_only_what_its_policy_names(html: str) -> None:
    page = Page(html)
    policy = next(str(value) for name, value in page.attributes if name == "content" and "default-src" in str(value))
    assert "default-src 'none'" in policy
    assert not {"'unsafe-eval'", "'unsafe-inline'", "http:", "https:", "*"} & set(re.split(r"[\s;]+", policy))
    for text in re.findall(r"<script>(.*?)</script>", html, re.DOTALL) + re.findall(
        r"<style>(.*?)</style>", html, re.S
    ):
        assert hashed(text) in policy
    links = [value for name, value in page.attributes if name in ("src", "href", "xlink:href", "action", "data")]
    assert [link for link in links if link and not link.startswith("#")] == []
    assert "style" not in dict(page.attributes), "a style attribute would be refused"
    assert len(html.encode()) < 3_000_000


def test_the_page_has_one_h1_a_language_and_the_content_note_before_any_test(html: str) -> None:
    page = Page(html)
    assert page.tags.count("h1") == 1
    assert ("lang", "en") in page.attributes
    assert html.index("Content note") < html.index("<table")


def test_headings_never_skip_a_level(html: str) -> None:
    levels = [int(tag[1]) for tag in Page(html).tags if re.fullmatch("h[1-6]", tag)]
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


def test_the_page_shows_every_test_with_its_effect_size_and_missing_words(audit: aslant.AuditResult, html: str) -> None:
    assert audit.weat is not None
    text = Page(html).text
    for r in audit.weat.results:
        assert r.title in text
        assert f"{r.effect_size:.2f}" in text
    assert "gladiola" in text


def test_terminal_tables_cannot_be_steered_by_a_token(nasty: aslant.AuditResult) -> None:
    from rich.console import Console

    console = Console(width=200, record=True, force_terminal=False, file=io.StringIO())
    table = table_of(nasty)
    console.print(to_rich(table))
    assert "\x1b" not in console.export_text() + "".join(table.notes)


def test_latex_and_markdown_escape_what_they_must(nasty: aslant.AuditResult) -> None:
    assert nasty.weat is not None
    latex, markdown = to_latex(table_of(nasty.weat)), to_markdown(table_of(nasty.weat))
    body = latex[latex.index(r"\midrule") :]
    assert r"\& \%" in body
    assert not re.search(r"(?<!\\)%", body)
    assert r"\<u\>title" in markdown
    rows = [line for line in markdown.splitlines() if line.startswith("|")]
    assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) == 1


def test_csv_has_every_field_of_the_rows() -> None:
    suite = aslant.weat_suite(aslant.load(), bootstrap=0)
    header = to_csv(table_of(suite)).splitlines()[0].split(",")
    assert set(suite.rows()[0]) <= set(header)


@pytest.mark.parametrize(("value", "left", "right"), [(0.0, 0, 0), (2.0, 0, 6), (-1.0, 3, 0)])
def test_bars_point_the_right_way_and_never_overflow(value: float, left: int, right: int) -> None:
    before, _, after = bar(value).partition("│")
    assert (before.count("█"), after.count("█"), len(bar(value))) == (left, right, 13)


def test_a_bar_that_is_too_long_says_so() -> None:
    assert (bar(9.0), bar(-9.0)) == ("      │█████▶", "◀█████│      ")


def test_control_characters_become_visible() -> None:
    assert plain("a\x1b[0m\u202eb\n") == "a\\x1b[0m\\u202eb\\n"


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_an_audit_saves_in_every_format(suffix: str, audit: aslant.AuditResult, tmp_path: Path) -> None:
    target = tmp_path / f"r{suffix}"
    audit.save(target)
    assert target.stat().st_size > 500


def test_saving_to_an_unknown_or_unwritable_place_is_one_clear_error(audit: aslant.AuditResult, tmp_path: Path) -> None:
    with pytest.raises(AslantError, match=r"'\.docx' files cannot be written"):
        audit.save(tmp_path / "r.docx")
    with pytest.raises(AslantError, match="cannot write"):
        audit.save(tmp_path / "nowhere" / "r.json")
    assert list(tmp_path.iterdir()) == []


def test_the_page_shows_polarity_and_what_could_not_be_run(audit: aslant.AuditResult, html: str) -> None:
    text = Page(html).text
    assert len(audit.polarity) == 4
    for result in audit.polarity:
        assert f"{result.score:.3f}" in text
    v = aslant.load()
    keep = [i for i, w in enumerate(v.words) if w != "asian"]
    lacking = aslant.audit(
        aslant.WordVectors.from_arrays([v.words[i] for i in keep], v.matrix[keep]), only=["polarity"], profile="quick"
    )
    assert len(lacking.polarity) == 2
    assert "polarity one-vs-one, race-four" in Page(render(lacking, ".html")).text


def test_a_printed_result_is_its_table_with_chance_beside_the_number() -> None:
    result = aslant.weat(aslant.load(), "weat-6", bootstrap=0)
    printed = str(result)
    assert "WEAT on sample" in printed
    assert "p (chance)" in printed
    assert "random word sets of the same frequency" in printed
    assert max(map(len, printed.splitlines())) <= 100
    assert repr(result).startswith("WeatResult(")


def test_a_comparison_says_which_lines_of_each_model_have_evidence(audit: aslant.AuditResult) -> None:
    line = dataclasses.replace(audit.glance[0], evidence="strong")
    sure = dataclasses.replace(audit, glance=(line,))
    unsure = dataclasses.replace(audit, glance=(dataclasses.replace(line, evidence="none"),))
    printed = str(AuditComparison((sure, unsure), (), {}, audit.created, audit.version))
    assert f"strong evidence: {line.measure} {line.stimuli}." in " ".join(printed.split())
    assert "no line with evidence" in printed
