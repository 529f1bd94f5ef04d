"""`aslant debias`: every method from the command line, files that open again, and nothing written where it fails."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import aslant
from aslant.debias import METHODS
from command_line import Run
from tiny_sentence_transformers import NORMALISE, pooling, write

SMALL = ["--top", "12000"]
OPTIONS = {
    "multiclass-hard": ["--sets", "jew:christian:muslim,rabbi:priest:imam"],
    "multiclass-soft": ["--sets", "jew:christian:muslim", "--strength", "0.5"],
    "double-hard": ["--candidates", "2"],
    "half-sibling": ["--ridge", "1.5"],
    "nullspace": ["--words", "300", "--iterations", "2", "--poles", "she,he"],
    "leace": ["--words", "300"],
    "projection": ["--pairs", "she:he,woman:man", "--components", "2"],
}


@pytest.mark.parametrize("method", list(METHODS))
def test_every_method_writes_a_file_that_opens_again(run: Run, method: str, tmp_path: Path) -> None:
    answer = run("debias", "--method", method, "-o", "out.bin", *SMALL, *OPTIONS.get(method, []))
    assert (answer.returncode, answer.stderr) == (0, "")
    assert "12,000 words × 100 dimensions" in answer.stdout
    assert answer.stdout.count("written: out.bin") == 1
    again = aslant.load(tmp_path / "out.bin")
    assert list(again.words) == list(aslant.load(top=12_000).words)
    assert not np.array_equal(again.matrix, aslant.load(top=12_000).matrix)


def test_the_file_holds_what_the_function_gives(run: Run, tmp_path: Path) -> None:
    expected = aslant.hard_debias(aslant.load(top=12_000))
    for name in ("out.bin", "out.vec", "out.txt", "out.safetensors", "out.npz"):
        assert run("debias", "-o", name, "--quiet", *SMALL).returncode == 0
        again = aslant.load(tmp_path / name)
        assert (again.matrix == expected.matrix).all()
        assert again.treatments == (expected.treatments if name in ("out.safetensors", "out.npz") else ())
    assert "hard debiasing (components=1)" in aslant.load(tmp_path / "out.safetensors").note


def test_every_setting_of_a_method_has_an_option(run: Run) -> None:
    import inspect

    text = run("debias", "--help").stdout
    for method in METHODS.values():
        for name in inspect.signature(method).parameters:
            assert name in ("vectors", "rng") or f"--{name}" in text, name


def test_settings_reach_the_method_and_the_seed_does_too(run: Run, tmp_path: Path) -> None:
    options = ["--method", "nullspace", "--words", "300", "--iterations", "3", "--seed", "7", *SMALL]
    assert run("debias", *options, "-o", "a.safetensors").returncode == 0
    note = aslant.load(tmp_path / "a.safetensors").note
    assert "iterations=3, words_per_side=300, trained_on=600" in note
    assert "seed 7" in note


def test_the_check_is_printed_and_written(run: Run, tmp_path: Path) -> None:
    (tmp_path / "rated.tsv").write_text("king\tqueen\t8.6\ncar\ttrain\t6.3\nking\tcabbage\t0.2\n", encoding="utf-8")
    options = ["--check", "--similarity", "rated.tsv", "--json", "check.json", "--seeds", "1", "--top", "20000"]
    answer = run("debias", "-o", "a.bin", *options)
    assert answer.returncode == 0
    assert "direct bias" in answer.stdout
    assert "hides more than it removes" in " ".join(answer.stdout.split())
    content = json.loads((tmp_path / "check.json").read_text(encoding="utf-8"))
    assert content["kind"] == "debias-check"
    assert content["measures"][-1]["measure"] == "rated.tsv, Spearman"


def test_the_command_says_which_formats_keep_no_record(run: Run) -> None:
    for name in ("a.bin", "a.vec", "a.txt"):
        assert f"{name[1:]} files keep no record of what was done" in run("debias", "-o", name, *SMALL).stdout
    for name in ("a.safetensors", "a.npz"):
        assert "no record" not in run("debias", "-o", name, *SMALL).stdout


@pytest.mark.parametrize("spelling", ["in.bin", "./in.bin", "sub/../in.bin", "link.bin"])
def test_the_input_is_never_written_over(run: Run, tmp_path: Path, spelling: str) -> None:
    aslant.load(top=2000).save(tmp_path / "in.bin")
    (tmp_path / "link.bin").symlink_to("in.bin")
    (tmp_path / "sub").mkdir()
    content = (tmp_path / "in.bin").read_bytes()
    answer = run("debias", "in.bin", "-o", spelling)
    assert answer.returncode == 2
    assert "is an input and would be overwritten" in answer.stderr
    assert (tmp_path / "in.bin").read_bytes() == content


@pytest.mark.parametrize("other", ["o.bin", "./o.bin", "sub/../o.bin"])
def test_vectors_and_check_never_go_to_one_file(run: Run, tmp_path: Path, other: str) -> None:
    (tmp_path / "sub").mkdir()
    answer = run("debias", "-o", "o.bin", "--check", "--similarity", "none", "--json", other, *SMALL)
    assert answer.returncode == 2
    assert "name the same file" in answer.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["sub"]


def test_json_to_standard_output_is_only_json(run: Run) -> None:
    answer = run(
        "debias", "-o", "a.bin", "--check", "--similarity", "none", "--json", "-", "--top", "10000", "--seeds", "2"
    )
    content = json.loads(answer.stdout)
    assert (content["kind"], content["provenance"]["settings"]["seeds"]) == ("debias-check", 2)
    assert "written: a.bin" in answer.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "name the file to write with -o"),
        (["-o", "a.kv"], "cannot save to 'a.kv'"),
        (["-o", "no/such/a.bin"], "there is no folder 'no/such'"),
        (["-o", "a.bin", "--method", "hrad"], "there is no method 'hrad'; did you mean hard?"),
        (["-o", "a.bin", "--ridge", "3"], "--ridge is not a setting of 'hard', which takes --pairs"),
        (["-o", "a.bin", "--method", "multiclass-hard"], "'multiclass-hard' needs --sets"),
        (["-o", "a.bin", "--json", "x.json"], "add --check"),
        (["-o", "a.bin", "--pairs", "qzxq:zzqx"], "no set of 'own' has two words"),
        (["nowhere.txt", "-o", "a.bin"], "there is no file 'nowhere.txt'"),
        (["-o", "a.bin", "--method", "half-sibling", "--ridge", "-1"], "ridge=-1.0 is not a penalty"),
    ],
)
def test_bad_input_is_one_sentence_and_nothing_is_written(
    run: Run, arguments: list[str], words: str, tmp_path: Path
) -> None:
    import re

    answer = run("debias", *arguments)
    assert answer.returncode == 2
    assert re.search(words.replace("?", r"\?"), answer.stderr)
    assert answer.stderr.startswith("aslant: ")
    assert len(answer.stderr.strip().splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_ratings_that_cannot_be_read_are_refused_before_the_work(run: Run, tmp_path: Path) -> None:
    answer = run("debias", "--check", "--similarity", "nosuch", "-o", "out.bin")
    assert answer.returncode == 2
    assert "'nosuch' is neither a file nor similarity data" in answer.stderr
    assert not (tmp_path / "out.bin").exists()


def test_a_sentence_encoder_becomes_a_new_folder_by_a_method_for_encoders(run: Run, tmp_path: Path) -> None:
    folder = str(write(tmp_path / "m", [pooling("mean"), NORMALISE]))
    answer = run("debias", folder, "--method", "leace", "-o", "out")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert answer.stdout.count("written: out") == 1
    assert aslant.load_encoder(tmp_path / "out").sentence_vectors(["a doctor"]).shape == (1, 16)
    for options, said in (
        (["-o", "new"], "'hard' does not debias encoders; choose --method projection, nullspace or leace."),
        (["--method", "leace", "-o", "new.bin"], "looks like a file; an encoder is written as a new folder."),
        (["--method", "leace", "-o", "new", "--poles", "she,he"], "--poles is not a setting of 'leace' for encoders"),
    ):
        refused = run("debias", folder, *options)
        assert refused.returncode == 2
        assert said in refused.stderr
    assert not (tmp_path / "new").exists()
