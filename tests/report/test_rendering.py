"""Tables and pages: nothing a vocabulary holds can act, and every number is the result's own."""

from __future__ import annotations

import io
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import slant
from slant.errors import SlantError
from slant.report import RENDERERS, render
from slant.report.described import table_of
from slant.report.tables import bar, plain, to_csv, to_latex, to_markdown, to_rich

NASTY = ["<script>alert(1)</script>", "a|b", "x_y", "50%", "\x1b[31mred", "{{ 7*7 }}", "[bold]b[/bold]", "é"]


@pytest.fixture(scope="module")
def nasty() -> slant.AuditResult:
    """An audit in which every word is out to do harm."""
    from slant.auditing.glances import glances
    from slant.results import AuditPart, AuditResult
    from slant.stimuli import WeatSet, WordList

    matrix = np.random.default_rng(0).normal(size=(len(NASTY), 4))
    v = slant.WordVectors.from_arrays(NASTY, matrix, name="<img src=x onerror=alert(2)>\x1b]0;t\x07")
    w = [WordList(f"<b>{i}</b>", (NASTY[2 * i], NASTY[2 * i + 1], f"<i>gone{i}</i>")) for i in range(4)]
    test = WeatSet(
        title="<u>title</u>: | & %", category="own", language="en", licence="own", citation="own", id="own<1>",
        targets=(w[0], w[1]), attributes=(w[2], w[3]),
    )  # fmt: skip
    suite = slant.weat_suite(v, [test], min_found=0.1)
    return AuditResult(
        suite.provenance.representation, "standard", 0, (AuditPart("weat", "WEAT", (suite,), 0.1),),
        tuple(glances("weat", [suite])), {}, {}, "2026-01-01T00:00:00+00:00", "0",
    )  # fmt: skip


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


def test_every_token_shows_as_text_in_the_page(nasty: slant.AuditResult) -> None:
    page = Page(render(nasty, ".html"))
    assert "script" not in page.tags
    assert not {"b", "i", "u", "img"} & set(page.tags)
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    for shown in ("<script>alert(1)</script>", "<u>title</u>", "<i>gone0</i>", "{{ 7*7 }}", "own<1>"):
        assert shown in page.text
    assert "\x1b" not in page.text


def test_the_page_fetches_nothing_and_runs_nothing(nasty: slant.AuditResult) -> None:
    text = render(slant.audit(only=["weat", "polarity"], profile="quick"), ".html")
    page = Page(text)
    policy = dict(page.attributes).get("content")
    assert "default-src 'none'" in str([v for k, v in page.attributes if k == "content"])
    assert policy is not None
    links = [value for name, value in page.attributes if name in ("src", "href", "xlink:href", "action", "data")]
    assert [link for link in links if link and not link.startswith("#")] == []
    assert not re.search(r"url\((?!#)", text)
    assert len(text.encode()) < 3_000_000


def test_the_page_has_one_h1_a_language_and_the_content_note_before_any_test() -> None:
    text = render(slant.audit(only=["weat", "polarity"], profile="quick"), ".html")
    page = Page(text)
    assert page.tags.count("h1") == 1
    assert ("lang", "en") in page.attributes
    assert text.index("Content note") < text.index("<table")


def test_the_page_shows_every_test_with_its_effect_size_and_missing_words() -> None:
    audit = slant.audit(only=["weat", "polarity"], profile="quick")
    text = Page(render(audit, ".html")).text
    for r in audit.weat.results:
        assert r.title in text
        assert f"{r.effect_size:.2f}" in text
    assert "gladiola" in text


def test_terminal_tables_cannot_be_steered_by_a_token(nasty: slant.AuditResult) -> None:
    from rich.console import Console

    console = Console(width=200, record=True, force_terminal=False, file=io.StringIO())
    table = table_of(nasty)
    console.print(to_rich(table))
    assert "\x1b" not in console.export_text() + "".join(table.notes)


def test_latex_and_markdown_escape_what_they_must(nasty: slant.AuditResult) -> None:
    assert nasty.weat is not None
    latex, markdown = to_latex(table_of(nasty.weat)), to_markdown(table_of(nasty.weat))
    body = latex[latex.index(r"\midrule") :]
    assert r"\& \%" in body
    assert not re.search(r"(?<!\\)%", body)
    assert r"\<u\>title" in markdown
    rows = [line for line in markdown.splitlines() if line.startswith("|")]
    assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) == 1


def test_csv_has_every_field_of_the_rows() -> None:
    suite = slant.weat_suite(slant.load(), bootstrap=0)
    header = to_csv(table_of(suite)).splitlines()[0].split(",")
    assert set(suite.rows()[0]) <= set(header)


@pytest.mark.parametrize(("value", "left", "right"), [(0.0, 0, 0), (2.0, 0, 6), (9.0, 0, 6), (-1.0, 3, 0)])
def test_bars_point_the_right_way_and_never_overflow(value: float, left: int, right: int) -> None:
    before, _, after = bar(value).partition("│")
    assert (before.count("█"), after.count("█"), len(bar(value))) == (left, right, 13)


def test_control_characters_become_visible() -> None:
    assert plain("a\x1b[0m\u202eb\n") == "a\\x1b[0m\\u202eb\\n"


@pytest.mark.parametrize("suffix", list(RENDERERS))
def test_an_audit_saves_in_every_format(suffix: str, tmp_path: Path) -> None:
    target = tmp_path / f"r{suffix}"
    slant.audit(only=["weat", "polarity"], profile="quick").save(target)
    assert target.stat().st_size > 500


def test_saving_to_an_unknown_or_unwritable_place_is_one_clear_error(tmp_path: Path) -> None:
    audit = slant.audit(only=["weat", "polarity"], profile="quick")
    with pytest.raises(SlantError, match=r"nothing writes '\.docx' files"):
        audit.save(tmp_path / "r.docx")
    with pytest.raises(SlantError, match="cannot write"):
        audit.save(tmp_path / "nowhere" / "r.json")
    with pytest.raises(SlantError, match="whole audit"):
        audit.weat.save(tmp_path / "r.html")
    assert list(tmp_path.iterdir()) == []


def test_the_page_shows_polarity_and_what_could_not_be_run() -> None:
    audit = slant.audit(only=["weat", "polarity"], profile="quick")
    text = Page(render(audit, ".html")).text
    assert len(audit.polarity) == 4
    for result in audit.polarity:
        assert f"{result.score:.3f}" in text
    v = slant.load()
    keep = [i for i, w in enumerate(v.words) if w != "asian"]
    lacking = slant.audit(
        slant.WordVectors.from_arrays([v.words[i] for i in keep], v.matrix[keep]), only=["weat", "polarity"]
    )
    assert len(lacking.polarity) == 2
    assert "not run: polarity one-vs-one, race-four" in Page(render(lacking, ".html")).text
