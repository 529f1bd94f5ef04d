"""`aslant bbq` gives what the function gives, refuses bad input in one sentence, and fits a narrow terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aslant.measures.questions.measure import bbq
from fake_texts import FakeTexts
from made_sets import write_bbq


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("aslant.models.loading.load_lm", lambda *_, **__: FakeTexts())
    return write_bbq(tmp_path)


def test_the_command_gives_what_the_function_gives(run: Any, folder: Path) -> None:
    options = ("--category", "Age", "--sets", "1", "--bootstrap", "50", "--seed", "3")
    content = json.loads(run("bbq", "m", "--data", str(folder), *options, "--json", "-").stdout)
    expected = bbq(FakeTexts(), folder, categories=["Age"], sets=1, bootstrap=50, rng=3).to_dict()
    assert content["groups"] == json.loads(json.dumps(expected["groups"]))


@pytest.mark.parametrize("width", [80, 140])
def test_the_note_on_content_comes_first_and_nothing_is_cut(
    run: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    shown = run("bbq", "m", "--data", str(folder), "--sets", "1", "--bootstrap", "50", "--twins", "1").stdout
    assert " ".join(shown.split()).startswith("Note: the associations below are what a language model has learnt")
    assert max(map(len, shown.splitlines())) <= width
    assert "disambiguated" in shown


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--data", "nowhere"], "there is no folder 'nowhere'"),
        (["--category", "Height"], "there is no category 'Height'"),
        (["--prompt", "[CONTEXT]"], "must have [CONTEXT] and [QUESTION]"),
        (["--csv", "no/folder/x.csv"], "cannot write 'no/folder/x.csv'"),
    ],
)
def test_bad_input_is_one_sentence_before_a_model_is_loaded(
    run: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: str
) -> None:
    monkeypatch.setattr("aslant.models.loading.load_lm", lambda *_, **__: pytest.fail("a model was loaded"))
    answer = run("bbq", "m", *(["--data", str(folder)] if "--data" not in arguments else []), *arguments)
    assert answer.returncode == 2
    assert words in answer.stderr
    assert len(answer.stderr.strip().splitlines()) == 1
