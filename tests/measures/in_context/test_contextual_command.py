"""`aslant contextual`: tables, files and charts from a corpus and an encoder; bad input is one sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from aslant.measures.in_context.result import ContextualBiasResult
from planted_text import Planted, planted

Run = Callable[..., "CompletedProcess[str]"]
QUICK = ("--repeats", "2", "--swaps", "4", "--random-pairs", "20", "--chance", "9", "--picture", "pca")


@pytest.fixture
def text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Planted:
    """A corpus and a static embedding in files, and a toy encoder behind every name."""
    made = planted(leaning=1.5, words=250)
    (tmp_path / "text.txt").write_text("\n".join(made.corpus) + "\n", encoding="utf-8")
    made.original.save(tmp_path / "static.safetensors")
    asked: list[Any] = []

    def load(model: Any, **settings: Any) -> Any:
        asked.append((model, settings))
        return made.encoder

    monkeypatch.setattr("aslant.models.loading.load_encoder", load)
    monkeypatch.setattr(made.encoder, "asked", asked, raising=False)
    return made


def test_everything_comes_out_of_one_command(run: Run, text: Planted, tmp_path: Path) -> None:
    answer = run(
        "contextual", "some-encoder", "--corpus", "text.txt", "--original", "static.safetensors", "--layer", "-2",
        "--compare", *QUICK, "--random-as", "words", "--json", "r.json", "--csv", "r.csv", "--markdown", "r.md",
        "--chart", "r.svg",
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    assert "Bias in context: toy encoder on text.txt" in answer.stdout
    assert "Static and contextual, side by side" in answer.stdout
    result = ContextualBiasResult.from_dict(json.loads((tmp_path / "r.json").read_text(encoding="utf-8")))
    assert [space.column for space in result.compared] == ["static", "debiased"]
    assert result.compared[1].representation.treatments
    assert (result.corpus.record or {})["fingerprint"]
    assert len(result.subspace.random_words) == len(result.subspace.explained)
    assert text.encoder.asked[0][1]["layer"] == -2  # type: ignore[attr-defined]
    assert (tmp_path / "r.csv").read_text(encoding="utf-8").startswith("measure,space,name,mean")
    assert "| static | debiased | contextual |" in (tmp_path / "r.md").read_text(encoding="utf-8")
    drawn = (tmp_path / "r.svg").read_text(encoding="utf-8")
    assert "random words" in drawn
    assert "cluster 1" in drawn
    assert "professions (PCA)" in drawn


def test_a_second_run_finds_the_vectors_of_the_first_unless_told_not_to(run: Run, text: Planted) -> None:
    call = ("contextual", "--corpus", "text.txt", "--original", "static.safetensors", *QUICK, "--quiet", "--json", "-")
    first = run(*call)
    assert first.returncode == 0, first.stderr
    passes = text.encoder.passes
    assert run(*call).stdout == first.stdout
    assert text.encoder.passes == passes
    assert run(*call, "--no-cache").stdout == first.stdout
    assert text.encoder.passes == 2 * passes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "no corpus was given; name a file, a folder or data with --corpus."),
        (("--corpus", "no-such-file.txt"), "no-such-file.txt"),
        (("--corpus", "bald"), "there is no file 'bald', nor data of that name; did you mean bold? check the path"),
        (("--corpus", "no such", "--corpus", "nor this"), "there is no file 'no such', nor data of that name"),
        (("--corpus", "text.txt", "--corpus", "Nurses"), "there is no file 'Nurses', nor data of that name"),
        (("--corpus", "text.txt", "--random-as", "noise"), "--random-as is 'noise'; choose one of"),
        (("--corpus", "text.txt", "--picture", "oil"), "--picture is 'oil'; choose one of"),
        (("--corpus", "text.txt", "--json", "text.txt"), "'text.txt' is an input and would be overwritten"),
        (("--corpus", "text.txt", "--poles", "he"), "--poles he is not two words"),
        (("--corpus", "text.txt", "--chart", "r.gif"), "a chart cannot be written as '.gif'"),
    ],
)
def test_bad_input_is_one_sentence(run: Run, text: Planted, arguments: tuple[str, ...], message: str) -> None:
    answer = run("contextual", *arguments)
    assert answer.returncode == 2
    assert message in answer.stderr
    assert "Traceback" not in answer.stderr


def test_several_corpora_are_drawn_from_together(run: Run, text: Planted, tmp_path: Path) -> None:
    lines = (tmp_path / "text.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "first").write_text("".join(lines[:700]), encoding="utf-8")
    (tmp_path / "the second").write_text("".join(lines[700:]), encoding="utf-8")
    given = ("--original", "static.safetensors", *QUICK, "--quiet", "--json", "-")
    answer = run("contextual", "--corpus", "first", "--corpus", "the second", *given)
    assert answer.returncode == 0, answer.stderr
    corpus = json.loads(answer.stdout)["corpus"]
    assert (corpus["name"], corpus["sentences"]) == ("first + the second", len(lines))


def test_help_has_examples(run: Run) -> None:
    assert "aslant contextual elmo-original" in run("contextual", "--help").stdout
