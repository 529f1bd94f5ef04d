"""`aslant geometry`: gives what the function gives, before and after, and draws it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import numpy as np
import pytest

import aslant
from aslant.auditing.running import glances

Run = Callable[..., "CompletedProcess[str]"]
QUICK = ("--top", "6000", "--seeds", "1", "--classified", "200", "--random-pairs", "9")


def test_it_gives_what_the_function_gives(run: Run) -> None:
    answer = run("geometry", *QUICK, "--seed", "4", "--most-biased", "300", "--neighbours", "50", "--json", "-")
    v = aslant.load(top=6_000)
    expected = aslant.geometry(v, seeds=1, classified=200, random_pairs=9, top=300, k=50, rng=4)
    assert json.loads(answer.stdout) == json.loads(expected.to_json())


def test_a_second_embedding_stands_beside_the_first(run: Run, tmp_path: Path) -> None:
    v = aslant.load(top=6_000)
    g = np.array(aslant.gender_subspace(v, random_pairs=0).direction)
    flat = v.matrix - np.outer(v.matrix @ g, g)
    aslant.WordVectors.from_arrays(v.words, flat, name="flat").save(tmp_path / "flat.safetensors")
    answer = run("geometry", *QUICK, "--against", "flat.safetensors", "--csv", "g.csv", "--drop-specific")
    assert answer.returncode == 0
    assert "flat.safetensors" in answer.stdout
    assert "by chance" in answer.stdout
    content = (tmp_path / "g.csv").read_text(encoding="utf-8")
    direct = next(line for line in content.splitlines() if line.startswith("direct bias")).split(",")
    assert float(direct[1]) > 0.05


def test_poles_specific_words_and_gamma_reach_the_residual_tests(run: Run, tmp_path: Path) -> None:
    options = ["--poles", "woman,man", "--specific", "mother,father", "--gamma", "auto", "--json", "g.json"]
    assert run("geometry", *QUICK, *options).returncode == 0
    v = aslant.load(top=6_000)
    r = aslant.residual_bias(
        v,
        poles=("woman", "man"),
        specific=["mother", "father"],
        gamma="auto",
        seeds=1,
        classified=200,
        picture="none",
        chance=9,
    )
    content = json.loads((tmp_path / "g.json").read_text(encoding="utf-8"))["before"]["residual"]
    assert content["classification"] == json.loads(r.to_json())["classification"]
    assert content["words"] == json.loads(r.to_json())["words"]


def test_pairs_of_another_concept_are_not_tested_by_he_and_she() -> None:
    v = aslant.load(top=6_000)
    pairs = [("rich", "poor"), ("wealthy", "needy")]
    options: dict[str, Any] = {"seeds": 1, "classified": 200, "random_pairs": 9}
    g = aslant.geometry(v, v, pairs=pairs, **options)
    assert g.before.residual is None
    assert g.after is not None
    assert g.after.residual is None
    assert "name two words" in g.not_run["residual bias"]
    assert [row["measure"] for row in g.rows()] == ["first component, share of variance", "direct bias of the words"]
    from aslant.measures.geometry.show import geometry_chart
    from aslant.report import render

    assert "not measured: residual bias" in render(g, ".md")
    assert "share of variance" in geometry_chart(g)
    named = aslant.geometry(v, pairs=pairs, poles=("rich", "poor"), specific=["wealthy", "needy"], **options)
    assert named.before.residual is not None
    assert named.before.residual.poles == ("rich", "poor")
    assert named.not_run == {}
    assert aslant.geometry(v, **options).before.residual is not None


def test_an_embedding_alone_is_measured_without_its_direction_beside_random_poles_and_pairs() -> None:
    v = aslant.load(top=6_000)
    g = aslant.geometry(v, seeds=1, classified=200, random_pairs=9)
    rows = {row["measure"]: row for row in g.rows()}
    chance = g.before.direct.chance
    assert chance is not None
    direct = rows["direct bias of the words"]
    assert (direct["chance"], direct["pvalue"]) == (chance.mean, chance.pvalue)
    assert (direct["chance_low"], direct["chance_high"]) == (chance.low, chance.high)
    left = aslant.residual_bias(v, seeds=1, classified=200, picture="none", chance=9)
    assert g.before.residual == left
    poles = left.clustering.random_poles
    assert poles is not None
    row = rows["clustering, accuracy, direction taken out"]
    assert [row[f"chance{end}"] for end in ("", "_low", "_high")] == [poles.mean, poles.low, poles.high]
    assert (row["pvalue"], poles.draws) == (poles.pvalue, 9)
    assert g.provenance.representation.name == v.name
    both = aslant.geometry(v, v, seeds=1, classified=200, random_pairs=9)
    assert {row["measure"]: row["pvalue"] for row in both.rows()}["neighbours, correlation"] is None
    assert {line.evidence for line in glances("geometry", [both])[2:]} == {"not tested"}


@pytest.mark.parametrize("suffix", [".svg", ".png", ".html"])
def test_the_chart_is_written_in_every_format(run: Run, tmp_path: Path, suffix: str) -> None:
    answer = run("geometry", *QUICK, "--quiet", "--chart", f"g{suffix}")
    assert (answer.returncode, answer.stdout) == (0, "")
    content = (tmp_path / f"g{suffix}").read_bytes()
    assert content.startswith({".svg": b"<svg", ".png": b"\x89PNG", ".html": b"<!doctype"}[suffix])
    if suffix == ".svg":
        for shown in (b"random words", b"share of variance", b"cosine with the direction", b"most biased words"):
            assert shown in content


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--chart", "g.gif"], "a chart cannot be written as '.gif'"),
        (["--pairs", "weat-1"], "kind 'pairs' is needed"),
        (["--poles", "he"], "is not two words"),
        (["--gamma", "wide"], "gamma='wide' is neither"),
        (["--gamma", "-1"], "gamma=-1.0 is neither"),
        (["--against", "nowhere.bin"], "there is no file 'nowhere.bin'"),
    ],
)
def test_bad_input_is_one_sentence(run: Run, tmp_path: Path, arguments: list[str], words: str) -> None:
    answer = run("geometry", *QUICK, *arguments)
    assert answer.returncode == 2
    assert words in answer.stderr
    assert len(answer.stderr.strip().splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_charts_of_single_results_draw_their_own_numbers() -> None:
    from aslant.errors import AslantError
    from aslant.measures.geometry.show import projections_picture, variance_picture
    from aslant.measures.residuals.show import clusters_picture
    from aslant.report.charts import svg

    v = aslant.load(top=6_000)
    assert "component" in svg(variance_picture(aslant.gender_subspace(v, random_pairs=0)))
    direct = aslant.direct_bias(v)
    drawn = svg(projections_picture(direct))
    assert all(word.word in drawn for side in direct.extremes(12) for word in side)
    without = aslant.residual_bias(v, v, seeds=1, classified=200, picture="none")
    with pytest.raises(AslantError, match="has no picture"):
        clusters_picture(without)


def test_outputs_never_eat_an_input_or_each_other(run: Run, tmp_path: Path) -> None:
    aslant.load(top=300).save(tmp_path / "in.safetensors")
    before = (tmp_path / "in.safetensors").read_bytes()
    (tmp_path / "in.svg").write_bytes(before)
    for arguments, words in (
        (["in.svg", "--chart", "in.svg"], "would be overwritten"),
        (["in.safetensors", "--chart", "c.svg", "--json", "./c.svg"], "the same file"),
        (["in.safetensors", "--chart", "nodir/x.svg", "--json", "half.json"], "there is no folder 'nodir'"),
    ):
        answer = run("geometry", *arguments)
        assert answer.returncode == 2
        assert words in answer.stderr
    assert (tmp_path / "in.svg").read_bytes() == before
    assert not (tmp_path / "half.json").exists()


def test_a_small_vocabulary_has_what_can_be_measured(run: Run, tmp_path: Path) -> None:
    aslant.load(top=1500).save(tmp_path / "small.safetensors")
    words = aslant.load(top=1500).words
    small = aslant.WordVectors.from_arrays(words[:400], aslant.load(top=1500).matrix[:400])
    small.save(tmp_path / "small.safetensors")
    answer = run("geometry", "small.safetensors", "--words", "she,he,people", "--random-pairs", "10")
    assert answer.returncode == 0
    assert "not measured: residual bias" in " ".join(answer.stdout.split())
    assert "direct bias" in answer.stdout
