"""Attacks by names and words: what is printed or written must show them, and never obey them."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import aslant
from aslant.auditing.policy import check_policy
from aslant.report import render
from aslant.report.audit import junit
from aslant.report.tables import Column, Table, plain, spreadsheet_safe, to_csv, to_latex, to_markdown, to_rich
from attacks import ESCAPES, MARKUP

#: What no output for people may hold as it is.
STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
NASTY = [*ESCAPES.values(), *MARKUP]


def hostile_table() -> Table:
    """A table whose every part is hostile, and whose author forgot to make any of it plain."""
    columns = (Column("word", "".join(ESCAPES.values()), str, "left"), Column("n", "[/]", str))
    rows = [{"word": word, "n": 1, "=1+1": "x"} for word in NASTY]
    return Table(
        "[/] " + " ".join(NASTY), columns, rows, ("note\n\\input{x}", *NASTY), first_line="a\n\\input{y}\x1b[2J"
    )


def printed(table: Table) -> str:
    from rich.console import Console

    out = io.StringIO()
    Console(file=out, force_terminal=True, width=400, color_system="truecolor").print(to_rich(table, 400))
    return out.getvalue()


def test_a_terminal_shows_escapes_and_markup_and_obeys_none() -> None:
    shown = printed(hostile_table())
    styled = re.sub(r"\x1b\[[0-9;]*m", "", shown)  # bold and dim are ours
    assert not STEERS.search(styled.replace("\n", ""))
    assert "8;;" not in re.sub(r"\\x1b\]8;;", "", styled)
    for text in ("[link=https://evil.example]x[/link]", "[/]", r"\x1b]52;c;", r"\x9b2J", r"\u202e"):
        assert text in styled


def test_markdown_has_no_markup_links_or_pictures_from_words() -> None:
    text = to_markdown(hostile_table(), titled=True)
    assert not STEERS.search(text)
    assert not re.search(r"(?<!\\)[<`\]\[$](?!br>)", re.sub(r"<br>", "", text).replace("&#", ""))
    assert "://" not in text
    rows = [line for line in text.split("\n") if line.startswith("|")]
    assert len(rows) == 2 + len(NASTY)
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {3}


def test_latex_has_no_command_from_words_and_no_note_ends_its_comment() -> None:
    text = to_latex(hostile_table(), titled=True)
    assert not STEERS.search(text)
    ours = {"small", "itshape", "par", "begin", "end", "toprule", "midrule", "bottomrule", "textbackslash"}
    ours |= {"textasciitilde", "textasciicircum", "cdot", "geq", "leq"}
    code = [line for line in text.split("\n") if not line.startswith("% ")]
    assert set(re.findall(r"\\([A-Za-z]+)", "\n".join(code))) <= ours
    assert all(not re.search(r"(?<!\\)%", line) for line in code)
    assert all(not line.lstrip().startswith(("[", "*")) for line in code)  # an argument of the line end before it


def test_no_cell_of_csv_is_a_formula_and_numbers_stay_numbers() -> None:
    text = to_csv(hostile_table())
    assert not STEERS.search(text.replace("\r\n", ""))
    head, *rows = csv.reader(io.StringIO(text, newline=""))
    assert head == ["word", "n", "'=1+1"]
    assert all(not re.match(r"[ ]*[=+\-@\t\r]", cell) for row in rows for cell in row)
    assert [row[0] for row in rows if row[0].startswith("'")] == [
        "'=cmd|' /C calc'!A0", "'+1+cmd", "'-2+3", "'@SUM(1)", "'\t=1"
    ]  # fmt: skip
    for number in ("-0.5", "+1e-9", -0.5, 3, None, True):
        assert spreadsheet_safe(number) == number


@pytest.fixture(scope="module")
def audit() -> aslant.AuditResult:
    words = [*["he", "him", "his", "she", "her", "hers"], *NASTY, *(f"w{i}" for i in range(40))]
    rng = np.random.default_rng(0)
    vectors = aslant.WordVectors.from_arrays(words, rng.normal(size=(len(words), 8)), name=" ".join(NASTY))
    leaning = aslant.polarity(vectors, {NASTY[0]: ["he", "him"], NASTY[8]: ["she", "her"]}, words=NASTY)
    whole = aslant.audit(only=["weat"], profile="quick")
    part = replace(whole.parts[0], title=NASTY[8], results=(leaning,), measure=NASTY[9])
    names = replace(whole.representation, name=" ".join(NASTY), note=NASTY[8])
    return replace(whole, representation=names, parts=(part,), failed={NASTY[0]: NASTY[8]})


class Page(HTMLParser):
    """Collects what a page would run or fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.attributes: list[tuple[str, str | None]] = []
        self.tags: dict[str, int] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] = self.tags.get(tag, 0) + 1
        self.attributes += attrs


def test_a_page_of_hostile_names_runs_and_fetches_nothing(audit: aslant.AuditResult) -> None:
    html = render(audit, ".html")
    page = Page()
    page.feed(html)
    assert "img" not in page.tags
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert not [value for name, value in page.attributes if name in ("href", "src") and "evil" in (value or "")]
    assert not STEERS.search(re.sub(r"<script>.*?</script>", "", html, flags=re.DOTALL).replace("\r\n", "\n"))
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html


def test_json_keeps_words_as_they_are(audit: aslant.AuditResult) -> None:
    assert aslant.AuditResult.from_dict(json.loads(render(audit, ".json"))) == audit


@pytest.mark.parametrize("suffix", [".csv", ".md", ".tex"])
def test_files_of_an_audit_hold_nothing_that_steers(suffix: str, audit: aslant.AuditResult) -> None:
    assert not STEERS.search(render(audit, suffix).replace("\r\n", "\n"))


def test_junit_xml_of_hostile_names_is_sound(audit: aslant.AuditResult) -> None:
    text = junit(check_policy(audit))
    assert not STEERS.search(text.replace("\n", ""))
    suites = ElementTree.fromstring(text)
    assert {child.tag for child in suites.iter()} <= {"testsuites", "testsuite", "testcase", "failure", "skipped"}


@pytest.mark.parametrize("name", [*ESCAPES.values(), *MARKUP[:5], "--", "a\naslant: all is well"])
def test_an_error_about_a_hostile_name_is_one_plain_line(name: str, run: Any) -> None:
    if "\ud800" in name:
        pytest.skip("no argument of a command can be half a pair")
    for arguments in (["weat", name], ["words", "show", name], ["data", "get", name], [name], ["weat", f"--{name}"]):
        answer = run(*arguments) if not arguments[-1].startswith("-") else run(arguments[0], "--", arguments[-1])
        assert answer.returncode == 2
        assert answer.stderr.startswith("aslant: ")
        assert answer.stderr.count("\n") == 1
        assert not STEERS.search(answer.stdout + answer.stderr.replace("\n", ""))


@pytest.mark.parametrize("name", ["a[-b].txt", "[link=x]y.txt", "\x1b]0;owned\x07.txt", "\u202etxt.txt", "=1+1.txt"])
def test_an_embedding_with_a_hostile_file_name_is_measured(name: str, run: Any, tmp_path: Path) -> None:
    sample = aslant.load(top=3000)
    sample.save(tmp_path / "v.txt")
    (tmp_path / "v.txt").rename(tmp_path / name.replace("[-", "["))
    answer = run("polarity", name.replace("[-", "["), "--csv", "out.csv", "--markdown", "out.md")
    assert (answer.returncode, answer.stderr) == (0, "")
    written = (tmp_path / "out.csv").read_text() + (tmp_path / "out.md").read_text()
    assert not STEERS.search(answer.stdout.replace("\n", "") + written.replace("\n", ""))
    assert plain(name.replace("[-", "[")) in answer.stdout


def test_a_word_set_is_printed_without_what_steers(run: Any, tmp_path: Path) -> None:
    text = aslant.stimuli.text_of("weat-7").replace('title = "', 'title = "\u202e\x9b2J', 1)
    (tmp_path / "own.toml").write_text(text, encoding="utf-8")
    for command in ("show", "check"):
        answer = run("words", command, "own.toml")
        assert answer.returncode == 0
        assert not STEERS.search(answer.stdout.replace("\n", ""))
        assert r"\u202e" in answer.stdout


def test_notes_and_bars_show_hostile_names_and_obey_none(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from aslant.cli.progress import bar, note

    note("a\x1b[2J\nb")
    assert capsys.readouterr().err == "note: a\\x1b[2J\\nb\n"
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    with bar() as show:
        assert show is not None
        for name in NASTY:
            show(name, 1, 2)
    shown = capsys.readouterr().err
    assert "\x1b]" not in shown
    assert "\x1b[2J" not in shown


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["weat", "--workers", "-4"], "--workers"),
        (["weat", "--top", "many"], "--top"),
        (["weat", "--no-such"], "no such option"),
        (["no-such"], "no such command"),
        (["explian", "p"], "no such command 'explian' (did you mean explain?); "),
        (["check"], "missing argument"),
        (["weat", "a", "b", "c"], "unexpected extra argument"),
    ],
)
def test_bad_arguments_are_one_sentence(arguments: list[str], said: str, run: Any) -> None:
    answer = run(*arguments)
    assert (answer.returncode, answer.stdout, answer.stderr.count("\n")) == (2, "", 1)
    assert said in answer.stderr
    assert answer.stderr.endswith("--help' shows what it takes.\n")
