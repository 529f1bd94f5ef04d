"""`aslant pronoun-resolution` on a small file: tables, files, pictures, and errors before any model is loaded."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import gap_like
from aslant.measures.pronouns_resolved.show import neither_by_bias
from command_line import Run
from fake_lm import FakeMaskedLM

QUICK = ("--epochs", "3", "--units", "4", "--seeds", "1", "--topics", "3", "--bootstrap", "50", "--n-resamples", "99")


@pytest.fixture
def gap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of samples, and models that need no files."""
    monkeypatch.setattr("aslant.models.loading.load_encoder", lambda *_, **__: gap_like.encoder())
    monkeypatch.setattr("aslant.models.loading.load_lm", lambda *_, **__: FakeMaskedLM())
    path = tmp_path / "mine.tsv"
    path.write_text(gap_like.as_tsv(gap_like.gap_like(60, {"male": 0.2, "female": 0.6})), encoding="utf-8")
    return path


def test_everything_is_shown_and_written(run: Run, gap: Path, tmp_path: Path, cache: Path) -> None:
    done = run(
        "pronoun-resolution", "any", "--gap", "mine.tsv", "--lm", "any", *QUICK, "--json", "r.json",
        "--samples", "s.csv", "--markdown", "r.md", "--chart", "n.svg", "--bias-chart", "b.svg",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "not statements about people" in done.stdout
    assert "female minus male: predicted" in done.stdout
    assert "Topics of the texts, scored by fake masked" in done.stdout
    content = json.loads((tmp_path / "r.json").read_text())
    assert content["kind"] == "pronoun-resolution"
    assert content["provenance"]["settings"]["classifier"]["units"] == 4
    rows = list(csv.DictReader((tmp_path / "s.csv").read_text().splitlines()))
    assert len(rows) == 60
    assert float(rows[0]["p_a"]) + float(rows[0]["p_b"]) + float(rows[0]["p_neither"]) == pytest.approx(1)
    assert "Calibration of “neither”" in (tmp_path / "r.md").read_text()
    for picture, said in (("n.svg", "female pronouns"), ("b.svg", "Spearman")):
        assert said in (tmp_path / picture).read_text()
    assert list((cache / "pronouns" / "folds").iterdir())


def test_without_a_language_model_there_is_no_picture_of_bias(run: Run, gap: Path, tmp_path: Path, cache: Path) -> None:
    refused = run("pronoun-resolution", "any", "--gap", "mine.tsv", "--bias-chart", "b.svg")
    assert (refused.returncode, "--lm MODEL" in refused.stderr) == (2, True)
    done = run("pronouns", "any", "--gap", "mine.tsv", *QUICK, "--no-cache")  # the former name
    assert done.returncode == 0
    assert "topics have no bias: no language model was given" in done.stdout
    assert not (cache / "pronouns").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--gap", "no.tsv"), "there is no GAP file 'no.tsv'"),
        (("--gap", "mine.tsv", "--dropout", "1"), "dropout is 1.0; give a number from 0 to below 1"),
        (("--gap", "mine.tsv", "--samples", "mine.tsv"), "is an input and would be overwritten"),
        (("--gap", "mine.tsv", "--samples", "x.csv", "--csv", "x.csv"), "two output options name the same file"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(run: Run, gap: Path, arguments: Any, said: str) -> None:
    done = run("pronoun-resolution", "any", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_a_picture_that_cannot_be_drawn_leaves_no_file_behind(
    run: Run, gap: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Mute(FakeMaskedLM):
        def unplaceable(self, sentences: Any) -> dict[int, str]:
            return dict.fromkeys(range(len(sentences)), "it is unknown")

    monkeypatch.setattr("aslant.models.loading.load_lm", lambda *_, **__: Mute())
    files = ("--samples", "s.csv", "--chart", "n.svg", "--bias-chart", "b.svg", "--json", "r.json")
    done = run("pronoun-resolution", "any", "--gap", "mine.tsv", "--lm", "any", *QUICK, *files)
    assert (done.returncode, done.stdout) == (2, "")
    assert "topics have no bias to draw" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine.tsv"]


def test_the_picture_of_bias_says_why_there_is_none(run: Run, gap: Path) -> None:
    import aslant
    from aslant.errors import AslantError

    quick = aslant.models.Classifier(units=2, epochs=1)
    result = aslant.pronoun_resolution(gap_like.encoder(), gap, seeds=1, topics=2, classifier=quick, bootstrap=0)
    assert result.gap.interval is None
    with pytest.raises(AslantError, match="no language model was given; give a language model"):
        neither_by_bias(result)
