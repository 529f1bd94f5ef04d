"""`aslant holistic` gives what the function gives, refuses bad input in one sentence, and fits a narrow terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aslant.measures.descriptors.measure import holistic_bias
from fake_texts import FakeTexts
from made_sets import write_holistic


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("aslant.models.loading.load_lm", lambda *_, **__: FakeTexts())
    return write_holistic(tmp_path)


def test_the_command_gives_what_the_function_gives(run: Any, folder: Path) -> None:
    said = run("holistic", "m", "--data", str(folder), "--axis", "age", "--chance", "20", "--seed", "3", "--json", "-")
    content = json.loads(said.stdout)
    expected = json.loads(json.dumps(holistic_bias(FakeTexts(), folder, axes=["age"], chance=20, rng=3).to_dict()))
    assert content["axes"] == expected["axes"]
    assert content["descriptors"] == expected["descriptors"]


@pytest.mark.parametrize("width", [80, 140])
def test_the_note_on_content_comes_first_and_nothing_is_cut(
    run: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    shown = run("holistic", "m", "--data", str(folder), "--chance", "20", "--twins", "1").stdout
    assert " ".join(shown.split()).startswith("Note: the associations below are what a language model has learnt")
    assert max(map(len, shown.splitlines())) <= width
    assert "dispreferred" in shown
    assert "pairs that differ" in " ".join(shown.split())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--data", "nowhere"], "there is no folder 'nowhere'"),
        (["--axis", "height"], "there is no axis 'height'"),
        (["--alpha", "2"], "--alpha is 2"),
        (["--json", "no/folder/x.json"], "cannot write 'no/folder/x.json'"),
    ],
)
def test_bad_input_is_one_sentence_before_a_model_is_loaded(
    run: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: str
) -> None:
    monkeypatch.setattr("aslant.models.loading.load_lm", lambda *_, **__: pytest.fail("a model was loaded"))
    answer = run("holistic", "m", *(["--data", str(folder)] if "--data" not in arguments else []), *arguments)
    assert answer.returncode == 2
    assert words in answer.stderr
    assert len(answer.stderr.strip().splitlines()) == 1
