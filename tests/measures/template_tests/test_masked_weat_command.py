"""`aslant masked-weat`: what is typed reaches the measure, and what was left out is said."""

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
from fake_encoder import FakeEncoder
from fake_lm import FakeMaskedLM

Run = Callable[..., "subprocess.CompletedProcess[str]"]
UNKNOWN = ("John", "aster", "filth")


@pytest.fixture(autouse=True)
def loaded(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Stands for aslant.load_encoder; what was asked for comes first."""
    calls: list[Any] = []

    def load(source: Any = None, **options: Any) -> Any:
        calls.append((source, options["layer"]))
        return FakeEncoder() if source == "unmasked" else FakeMaskedLM(unknown=UNKNOWN)

    monkeypatch.setattr("aslant.models.loading.load_encoder", load)
    return calls


def test_the_command_gives_what_the_function_gives(run: Run, loaded: list[Any]) -> None:
    answer = run("masked-weat", "some-model", "--test", "weat-6", "--seed", "4", "--bootstrap", "20", "--json", "-")
    assert answer.returncode == 0, answer.stderr
    expected = aslant.masked_weat(FakeMaskedLM(unknown=UNKNOWN), "weat-6", bootstrap=20, rng=4)
    assert json.loads(answer.stdout) == json.loads(expected.to_json())
    assert loaded == [("some-model", None)]


def test_the_suite_says_what_was_left_out_and_why(run: Run, tmp_path: Path) -> None:
    answer = run("masked-weat", "--bootstrap", "0", "--csv", "a.csv")
    assert answer.returncode == 0, answer.stderr
    shown = " ".join(answer.stdout.split())
    assert shown.startswith(MODEL_CONTENT_NOTE)
    assert "weat-1: not one piece of the vocabulary: aster, filth" in shown
    assert "weat-6: removed at random, for target sets of equal size: " in shown
    assert "97/100" in shown
    rows = list(csv.DictReader((tmp_path / "a.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["test"] for row in rows] == ["weat-1", "weat-3", "weat-6", "weat-7", "weat-8"]
    assert rows[2]["missing"] == "John"


def test_settings_reach_the_measure(run: Run) -> None:
    answer = run(
        "masked-weat", "--test", "weat-9", "--template", "[TARGET] is [ATTRIBUTE].", "--template",
        "[ATTRIBUTE] is what [TARGET] is.", "--no-equalise", "--alternative", "two-sided", "--method", "monte carlo",
        "--n-resamples", "99", "--bootstrap", "0", "--confidence", "0.5", "--chance", "50", "--json", "-",
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    assert json.loads(answer.stdout)["provenance"]["settings"] == {
        "alternative": "two-sided", "method": "monte carlo", "n_resamples": 99, "bootstrap": 0, "confidence": 0.5,
        "chance": 50, "equalise": False, "templates": ["[TARGET] is [ATTRIBUTE].", "[ATTRIBUTE] is what [TARGET] is."],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["unmasked", "--test", "weat-6"], "cannot hide a word behind a mask"),
        (["--test", "weat-2"], "'kurita-table-1' has no sentences for 'weat-2'"),
        (["--test", "weat-6", "--template", "he likes [ATTRIBUTE]"], "must contain [TARGET] exactly once"),
        (["--test", "weat-6", "--template", "career-family"], "kind 'weat-templates' is needed"),
        (["--test", "career-family"], "kind 'weat' is needed"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(run: Run, arguments: list[str], words: str) -> None:
    answer = run("masked-weat", *arguments)
    assert answer.returncode == 2
    assert words in answer.stderr
    assert len(answer.stderr.strip().splitlines()) == 1
