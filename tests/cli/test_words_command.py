"""`aslant words new` and `check`: sets of one's own, and what an embedding has of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import aslant
from aslant.stimuli import load_set
from command_line import Run

LISTS = ("--targets", "old: elderly,aged", "--targets", "young: youth,teenage", "--attributes", "calm,slow")


def test_a_new_set_can_be_measured_as_it_is(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "ages.toml"
    answer = run("words", "new", str(path), *LISTS, "--attributes", "wild,fast", "--category", "age")
    assert answer.returncode == 0, answer.stderr
    assert "written:" in answer.stdout
    measured = run("weat", "--words", str(path), "--chance", "0", "--bootstrap", "0")
    assert measured.returncode == 0
    assert "old, young: calm, slow, wild, fast" in measured.stdout
    again = run("words", "new", str(path), *LISTS)
    assert again.returncode == 2
    assert "already exists" in again.stderr


def test_without_lists_and_without_a_terminal_nobody_is_asked(run: Run, tmp_path: Path) -> None:
    answer = run("words", "new", str(tmp_path / "x.toml"))
    assert answer.returncode == 2
    assert "not a terminal that can be asked" in answer.stderr
    assert not (tmp_path / "x.toml").exists()


def test_on_a_terminal_the_words_are_asked_for_and_asked_again_where_an_answer_is_not_a_list(tmp_path: Path) -> None:
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    answers = ("old", " , ", "elderly, aged", "old", "young", "youth; teenage", "calm", "slow", "wild", "fast")
    os.write(ours, "".join(f"{answer}\n" for answer in answers).encode())
    command = [sys.executable, "-m", "aslant", "words", "new", str(tmp_path / "ages.toml")]
    done = subprocess.run(command, stdin=theirs, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "is not a list of words" in done.stdout
    assert "the first targets are called that already" in done.stdout
    asked = load_set(tmp_path / "ages.toml")
    assert [(group.name, group.words) for group in asked.groups][:2] == [
        ("old", ("elderly", "aged")),
        ("young", ("youth", "teenage")),
    ]


def test_how_a_file_was_read_is_said_where_it_cannot_be_used_too(run: Run, tmp_path: Path) -> None:
    (tmp_path / "w.csv").write_text("old,elderly,aged\nyoung,youth,teenage\n")
    answer = run("weat", "--words", str(tmp_path / "w.csv"))
    assert answer.returncode == 2
    assert "note: w.csv: a list in each column: 'old', 'elderly', 'aged'." in answer.stderr


def test_a_check_shows_ranks_and_suggests_spellings(run: Run, tmp_path: Path) -> None:
    (tmp_path / "w.csv").write_text("good,bad\nlove,war\nhappy,terribl\n")
    answer = run("words", "check", str(tmp_path / "w.csv"), "--model", "sample")
    assert answer.returncode == 0
    assert "a list in each column: 'good', 'bad'" in answer.stderr
    assert "missing: terribl; did you mean" in answer.stdout
    assert "terrible" in answer.stdout
    assert "love 781" in answer.stdout


def test_a_measure_suggests_spellings_for_words_of_ones_own_and_none_for_a_set_that_ships(
    run: Run, tmp_path: Path
) -> None:
    few = ("--chance", "0", "--bootstrap", "0")
    own = run("weat", *LISTS, "--attributes", "wild,terribl,nice", *few)
    assert "note: no vector for 'terribl'; did you mean" in own.stderr
    assert "terrible" in own.stderr
    assert "did you mean" not in run("weat", *LISTS, "--attributes", "wild,terribl,nice", *few, "-q").stderr
    aslant.load(top=2_000).save(tmp_path / "small.txt")
    two = run("scores", str(tmp_path / "small.txt"), "sample", *LISTS, "--attributes", "wild,furious,nice", *few)
    assert "furious" in two.stdout
    assert "did you mean" not in two.stderr  # the second embedding has it
    shipped = run("weat", "--test", "weat-1", *few)
    assert "gladiola" in shipped.stdout
    assert "did you mean" not in shipped.stderr


def test_how_a_file_was_read_is_said_once(run: Run, tmp_path: Path) -> None:
    (tmp_path / "jobs.txt").write_text("nurse\nengineer\n")
    words, said = ("--words", str(tmp_path / "jobs.txt"), "--chance", "0"), "note: jobs.txt: one list of 2 words"
    assert run("polarity", "--classes", "she,he", *words).stderr.count(said) == 1
    (tmp_path / "years").mkdir()
    for name in ("1990.bin", "2000.bin", "2000.run-2.bin"):
        aslant.load(top=5000).save(tmp_path / "years" / name)
    assert run("trend", str(tmp_path / "years"), "--classes", "she,he", *words).stderr.count(said) == 1


def test_where_too_few_words_of_ones_own_are_found_the_command_that_suggests_others_is_named(
    run: Run, tmp_path: Path
) -> None:
    (tmp_path / "w.csv").write_text("a,b,c,d\nroze,ant,love,war\ntulipp,bee,joy,hate\n")
    for measure in ("weat", "ripa"):
        said = run(measure, "--words", str(tmp_path / "w.csv")).stderr
        assert "'aslant words check FILE --model …' suggests spellings" in said
    assert "suggests" not in run("weat", "--test", "weat-1", "--top", "5000").stderr


def test_lists_on_the_command_line_make_a_test(run: Run) -> None:
    answer = run("weat", *LISTS, "--attributes", "wild: fast,loud", "--chance", "0", "--bootstrap", "0")
    assert answer.returncode == 0
    assert "old, young: calm, slow, wild" in answer.stdout
    assert "needed together" in run("weat", "--targets", "a,b").stderr


def test_a_number_or_another_spelling_names_a_weat(run: Run) -> None:
    options = ("--chance", "0", "--bootstrap", "0")
    outputs = {run("weat", "--test", name, *options).stdout for name in ("6", "WEAT-6", "weat6", "weat-6")}
    assert len(outputs) == 1


def test_help_shows_flags_as_flags(run: Run) -> None:
    assert "<bool>" not in run("weat", "--help").stdout


def test_a_reader_that_leaves_early_does_not_fail_the_command() -> None:
    shell = "set -o pipefail; {} -m aslant weat --chance 0 --bootstrap 0 | head -1"
    done = subprocess.run(["bash", "-c", shell.format(sys.executable)], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stderr == ""
