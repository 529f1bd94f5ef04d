"""`aslant seat` and `aslant ceat`: what is typed reaches the measures, and nothing is half-written."""

from __future__ import annotations

import csv
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import aslant
from aslant.report.conventions import MODEL_CONTENT_NOTE
from aslant.stimuli import load_set
from fake_encoder import FakeEncoder

Run = Callable[..., "subprocess.CompletedProcess[str]"]
WORDS = load_set("weat-7").words


class Loading:
    """Stands for aslant.load_encoder, and remembers what it was asked for."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, dict[str, Any]]] = []

    def __call__(self, source: Any = None, **options: Any) -> Any:
        self.calls.append((source, options))
        return FakeEncoder()


@pytest.fixture
def loading(monkeypatch: pytest.MonkeyPatch) -> Loading:
    fake = Loading()
    monkeypatch.setattr("aslant.models.loading.load_encoder", fake)
    return fake


@pytest.fixture
def corpus(tmp_path: Path) -> list[str]:
    sentences = [f"They {verb} of {word}." for verb in ("spoke", "heard") for word in WORDS]
    (tmp_path / "corpus.txt").write_text("\n".join(sentences) + "\n", encoding="utf-8")
    return sentences


def test_seat_gives_what_the_function_gives(run: Run, loading: Loading) -> None:
    answer = run(
        "seat", "some-model", "--test", "weat-7", "--seed", "4", "--layer", "-2", "--bootstrap", "50", "--json", "-"
    )
    assert answer.returncode == 0, answer.stderr
    expected = aslant.seat(FakeEncoder(), "weat-7", min_found=0.5, bootstrap=50, rng=4)
    assert json.loads(answer.stdout) == json.loads(expected.to_json())
    asked = {"layer": -2, "pieces": "mean", "device": None, "dtype": "float32", "prompt": None}
    assert loading.calls == [("some-model", asked)]


def test_seat_takes_sentences_and_units(run: Run, loading: Loading) -> None:
    given = ("--templates", "I met {word}.", "--templates", "We saw {word}.", "--unit", "sentence")
    content = json.loads(run("seat", "--test", "weat-6", *given, "--bootstrap", "0", "--json", "-").stdout)
    assert content["sentences"] == [16, 16, 16, 16]
    assert (content["unit"], content["templates"]) == ("sentence", "own")
    one = run("seat", "--test", "weat-6", "--templates", "I met {word}.", "--bootstrap", "0").stdout
    assert "64" in one


def test_a_suite_of_seats_is_shown_and_written(run: Run, loading: Loading, tmp_path: Path) -> None:
    answer = run(
        "seat", "--test", "weat-6", "--test", "weat-7", "--bootstrap", "20", "--csv", "s.csv", "--chart", "s.svg"
    )
    assert answer.returncode == 0, answer.stderr
    assert " ".join(answer.stdout.split()).startswith(MODEL_CONTENT_NOTE)
    rows = list(csv.DictReader((tmp_path / "s.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["test"] for row in rows] == ["weat-6", "weat-7"]
    assert "weat-7" in (tmp_path / "s.svg").read_text(encoding="utf-8")


def test_ceat_gives_what_the_function_gives(run: Run, loading: Loading, corpus: list[str]) -> None:
    settings = ("--samples", "50", "--contexts", "3", "--seed", "2")
    answer = run("ceat", "m", "--corpus", "corpus.txt", "--test", "weat-7", *settings, "--json", "-")
    assert answer.returncode == 0, answer.stderr
    content = json.loads(answer.stdout)
    same = aslant.ceat(FakeEncoder(), corpus, "weat-7", samples=50, contexts_per_word=3, min_found=0.5, rng=2)
    expected = json.loads(same.to_json())
    assert content["corpus"].pop("record")["files"]
    for given in (content, expected):
        given.pop("corpus")
        given["provenance"]["settings"].pop("corpus")
    assert content == expected


def test_a_suite_of_ceats_warns_of_the_published_p_value(
    run: Run, loading: Loading, corpus: list[str], tmp_path: Path
) -> None:
    answer = run("ceat", "--corpus", "corpus.txt", "--samples", "50", "--chart", "c.svg", "--markdown", "c.md")
    assert answer.returncode == 0, answer.stderr
    shown = " ".join(answer.stdout.split())
    assert "goes to 0 as more are drawn" in shown
    assert "weat-6 was not run: 0 of 8 words of 'Male names'" in shown
    assert "fewer contexts than requested" in shown
    assert "weat-7" in (tmp_path / "c.svg").read_text(encoding="utf-8")
    assert (tmp_path / "c.md").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["seat", "--templates", "nowhere"], "there is no word set 'nowhere'"),
        (["seat", "--templates", "{word} {word}"], "exactly once"),
        (["seat", "--unit", "letter"], "--unit is 'letter'; choose one of word, sentence."),
        (["seat", "--pooling", "max"], "--pooling is 'max'; choose one of"),
        (["seat", "--test", "career-family"], "one of kind 'weat' is needed"),
        (["seat", "--words", "nowhere.toml"], "cannot open 'nowhere.toml'"),
        (["seat", "--chart", "a.gif"], "cannot be written as '.gif'"),
        (["ceat", "--corpus", "nowhere.txt"], "nowhere.txt"),
        (["ceat", "--corpus", "corpus.txt", "--corpus", "bald"], "there is no file 'bald', nor data of that name; did"),
        (["ceat", "--corpus", "corpus.txt", "--case", "loud"], "--case is 'loud'; choose one of"),
        (["ceat", "--corpus", "corpus.txt", "--test", "weat-6"], "0 of 8 words of 'Male names'"),
        (["ceat", "--corpus", "corpus.txt", "--json", "corpus.txt"], "would be overwritten"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(
    run: Run, loading: Loading, corpus: list[str], arguments: list[str], words: str, tmp_path: Path
) -> None:
    answer = run(*arguments)
    assert answer.returncode == 2
    assert words in answer.stderr
    assert len(answer.stderr.strip().splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["corpus.txt"]


def test_a_corpus_is_needed(run: Run, loading: Loading) -> None:
    answer = run("ceat")
    assert answer.returncode == 2
    assert "--corpus" in answer.stderr


def test_a_corpus_may_be_in_another_encoding(run: Run, loading: Loading, corpus: list[str], tmp_path: Path) -> None:
    (tmp_path / "latin.txt").write_text("Für\n" + "\n".join(corpus), encoding="latin-1")
    command = ("ceat", "--corpus", "latin.txt", "--test", "weat-7", "--samples", "9", "--no-cache", "--json", "a.json")
    refused = run(*command)
    assert refused.returncode == 2
    assert (
        "byte 1 (line 1) is 0xfc; if it is text, give its encoding (such as encoding='latin-1', --encoding)"
        in refused.stderr
    )
    assert not (tmp_path / "a.json").exists()
    assert run(*command, "--encoding", "latin-1").returncode == 0
    assert json.loads((tmp_path / "a.json").read_text())["corpus"]["sentences"] == len(corpus) + 1


@pytest.mark.parametrize("layer", ["9" * 5000, "٣", "--1", "one"])
def test_a_layer_that_is_no_number_is_left_to_the_encoder_to_refuse(run: Run, loading: Loading, layer: str) -> None:
    run("seat", "--test", "weat-7", "--bootstrap", "0", "--layer", layer, "--quiet")
    assert loading.calls[0][1]["layer"] == layer


def test_quiet_prints_nothing(run: Run, loading: Loading, corpus: list[str]) -> None:
    for command in (("seat", "--bootstrap", "0"), ("ceat", "--corpus", "corpus.txt", "--samples", "9")):
        answer = run(*command, "--test", "weat-7", "--quiet")
        assert (answer.returncode, answer.stdout, answer.stderr) == (0, "", "")


@pytest.mark.parametrize("width", [60, 80, 140])
def test_no_number_is_cut_whatever_the_width(
    run: Run, loading: Loading, corpus: list[str], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    for command in (("seat", "--bootstrap", "20"), ("ceat", "--corpus", "corpus.txt", "--samples", "99")):
        shown = run(*command, "--test", "weat-7").stdout
        table = shown[shown.index("toy encoder") : shown.index("\nd: WEAT's" if "seat" in command else "\nCES: ")]
        assert max(map(len, table.splitlines())) <= width
        assert "…" not in table
