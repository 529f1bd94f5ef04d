"""How commands behave among others: pipes, standard input, redirected runs, help that wraps once, files named."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

import aslant
from aslant import catalogue
from aslant.cli import progress
from aslant.cli.app import unwrapped
from aslant.cli.standard_input import ending
from aslant.stimuli import text_of
from command_line import Run


def given(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    """Let standard input hold `content`."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


@pytest.fixture(scope="module")
def result() -> bytes:
    return aslant.weat(aslant.load(), "weat-6", bootstrap=0, chance=0).to_json().encode()


@pytest.fixture(scope="module")
def report() -> bytes:
    return aslant.audit(only=["weat"], profile="quick").to_json().encode()


def test_a_result_is_read_from_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch, result: bytes) -> None:
    given(monkeypatch, result)
    assert "@misc{caliskan2017semantics" in run("cite", "-").stdout
    given(monkeypatch, result)
    assert "Association test (WEAT)" in run("cite", "-", "--method").stdout


@pytest.mark.parametrize("command", ["check", "card"])
def test_a_report_is_read_from_standard_input(
    run: Run, monkeypatch: pytest.MonkeyPatch, report: bytes, command: str
) -> None:
    given(monkeypatch, report)
    answer = run(command, "-")
    assert answer.returncode == 0, answer.stderr
    assert "sample" in answer.stdout


@pytest.mark.parametrize(
    "words",
    [
        text_of("weat-6").encode(),
        b"men: John, Paul\nwomen: Amy, Joan\nwork: office, salary\nhome: home, family\n",
        b"men,women,work,home\nJohn,Amy,office,home\nPaul,Joan,salary,family\n",
        json.dumps({"men": ["John"], "women": ["Amy"], "work": ["office"], "home": ["family"]}).encode(),
    ],
)
def test_words_are_read_from_standard_input_in_every_format(
    run: Run, monkeypatch: pytest.MonkeyPatch, words: bytes
) -> None:
    given(monkeypatch, words)
    answer = run("weat", "--words", "-", "--bootstrap", "0", "--chance", "0", "--json", "-")
    assert answer.returncode == 0, answer.stderr
    assert json.loads(answer.stdout)["test"] in ("standard-input", "weat-6")


def test_texts_are_read_from_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\n".join(f"He said, on day {n}, that she was a doctor. She said he was a nurse." for n in range(60))
    given(monkeypatch, text.encode())
    answer = run("pmi", "-", "--min-count", "1", "--json", "-")
    assert answer.returncode in (0, 2)  # few words may be too few, but they were read
    assert "standard" not in answer.stderr or "standard input" in answer.stderr
    assert "no file" not in answer.stderr


def test_a_mistake_in_standard_input_names_it_and_no_file(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, b'{"kind": "prophecy"}')
    answer = run("check", "-")
    assert answer.returncode == 2
    assert "'standard input'" in answer.stderr
    assert "/aslant-" not in answer.stderr


@pytest.mark.parametrize(
    ("head", "suffix"),
    [
        (b"", ".txt"), (b'[{"a": 1}]', ".json"), (b"# note\n[words]\na = 1", ".toml"), (b"a\tb\n1\t2\n", ".tsv"),
        (b"the 0.1 0.2\nof 0.3 0.4\n", ".txt"), (b"PK\x03\x04....xl/workbook.xml", ".xlsx"),
        (b"Old, new, borrowed.\nOne, two, three.\n", ".txt"), (b'{\n "kind": "weat"\n}', ".json"),
    ],
)  # fmt: skip
def test_what_standard_input_holds_is_told_from_its_beginning(head: bytes, suffix: str) -> None:
    assert ending(head) == suffix


def test_a_reader_that_leaves_does_not_fail_a_pipe() -> None:
    code = f'set -o pipefail; "{sys.executable}" -m aslant words list | head -n 1'
    answer = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=False)
    assert (answer.returncode, answer.stderr) == (0, "")


def test_a_redirected_run_says_now_and_then_how_far_it_is(capfd: pytest.CaptureFixture[str]) -> None:
    with progress.now_and_then(every=0.01) as show:
        show("weat", 1, 10)
        show("weat", 2, 10)
        deadline = time.monotonic() + 30
        said = ""
        while "weat: 2 of 10" not in said and time.monotonic() < deadline:
            time.sleep(0.01)
            said += capfd.readouterr().err
    assert re.search(r"^aslant: after 1 minute: weat: 2 of 10", said, re.M)
    time.sleep(0.05)
    capfd.readouterr()
    time.sleep(0.05)
    assert capfd.readouterr().err == ""  # it stops with the work


def test_a_quick_run_and_a_quiet_one_say_nothing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("weat", "--test", "weat-6", "--chance", "0").stderr == ""
    monkeypatch.setattr(progress, "EVERY", 0.001)
    assert run("weat", "--test", "weat-6", "--chance", "0", "--quiet").stderr == ""


def test_the_time_left_is_told_from_what_was_done_since_it_began() -> None:
    resumed = progress.Step("cells", 60, 100, began=0.0, before=50)
    assert resumed.line(60.0) == "cells: 60 of 100, about 4 minutes left"
    assert progress.Step("cells", 100, 100, 0.0, 0).line(60.0) == "cells: 100 of 100"
    assert progress.Step("cells", 5, 10, 0.0, 0).line(5.0) == "cells: 5 of 10"
    assert progress.Step("reading", 5_000_000, 9_000_000, 0.0, 0, True).line(5.0) == "reading: 5 MB of 9 MB"


@pytest.mark.parametrize("command", list(catalogue.commands()))
def test_help_shows_flags_as_flags_and_values_by_names(run: Run, command: str) -> None:
    shown = run(command, "--help").stdout
    assert not re.findall(r"<(?:bool|str|float|int|path|list)\b.*?>", shown)
    assert "Usage: aslant" in shown
    assert "  [OPTIONS]" not in shown


def test_a_paragraph_of_help_is_wrapped_by_the_terminal_alone() -> None:
    assert unwrapped("One line\nand another.\n\nA paragraph.") == "One line and another.\n\nA paragraph."
    assert unwrapped(None) is None


#: Commands that write files, each with what makes it quick; {} is a report, a result or a store that is there.
WRITING = {
    "weat": ["--test", "weat-6", "--chance", "0", "--json", "a.json", "--csv", "a.csv", "--latex", "a.tex"],
    "wefat": ["--chance", "0", "--markdown", "a.md"],
    "polarity": ["--chance", "0", "--json", "a.json"],
    "audit": ["--only", "polarity", "--quick", "--markdown", "a.md", "--tables", "tables"],
    "check": ["report.json", "--junit", "a.xml", "--json", "a.json"],
    "card": ["report.json", "-o", "card.md"],
    "results add": ["a.db", "report.json"],
    "data list": ["--json", "a.json"],
    "words new": ["a.toml", "--words", "one, two"],
    "replicate": ["lu", "--html", "a.html"],
    "enumerate": [
        "--groups",
        "gender-binary",
        "--words",
        "2000",
        "--categories",
        "8",
        "--rotations",
        "100",
        "--html",
        "a.html",
    ],
}


@pytest.mark.parametrize("command", WRITING)
def test_every_file_that_is_written_is_named(run: Run, tmp_path: Path, report: bytes, command: str) -> None:
    (tmp_path / "report.json").write_bytes(report)
    answer = run(*command.split(), *WRITING[command])
    assert answer.returncode in (0, 1), answer.stderr
    made = {path.name for path in tmp_path.iterdir()} - {"report.json"}
    told = re.findall(r"^(?:written: |stored: .* in )(\S+)", answer.stdout + answer.stderr, re.M)
    assert made == set(told)
    assert made


def test_a_check_that_fails_names_its_files_too(run: Run, tmp_path: Path, report: bytes) -> None:
    (tmp_path / "report.json").write_bytes(report)
    (tmp_path / "p.toml").write_text('[[rule]]\nname = "r"\nmeasure = "weat"\nmax = 0.1\n', encoding="utf-8")
    answer = run("check", "report.json", "--policy", "p.toml", "--junit", "a.xml")
    assert (answer.returncode, "written: a.xml" in answer.stdout) == (1, True)
