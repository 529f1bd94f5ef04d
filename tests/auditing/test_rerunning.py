"""A result is measured again from its own file: the same call gives the same numbers, another is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aslant
from aslant.catalogue import rooms
from aslant.errors import AslantError
from aslant.results.codec import result_from_dict
from command_line import Run

FEW: dict[str, Any] = {"chance": 20, "bootstrap": 20}
MADE: dict[str, Callable[[aslant.WordVectors], Any]] = {
    "weat": lambda v: aslant.weat(v, "weat-6", rng=5, n_resamples=500, **FEW),
    "weat-suite": lambda v: aslant.weat_suite(v, ["weat-6", "weat-7"], rng=2, **FEW),
    "relative-norm": lambda v: aslant.relative_norm(v, "weat-7", n_resamples=50, **FEW),
    "rnsb": lambda v: aslant.rnsb(v, "weat-1", n_resamples=50, **FEW),
    "word-set-scores": lambda v: aslant.word_set_scores(v, ["weat-7"], scores=["ripa", "mac"], n_resamples=50, **FEW),
    "polarity": lambda v: aslant.polarity(v, "gender-binary", **FEW),
    "subspace": lambda v: aslant.gender_subspace(v, random_pairs=50),
    "direct-bias": lambda v: aslant.direct_bias(v, strictness=0.5, chance=20),
    "intersectional": lambda v: aslant.intersectional_bias(v, n_resamples=100, chance=20),
    "wefat": lambda v: aslant.wefat(v, chance=20),
    "audit": lambda v: aslant.audit(v, only=["polarity", "geometry"], profile="quick", rng=4),
}


@pytest.fixture(scope="module")
def v() -> aslant.WordVectors:
    return aslant.load()


@pytest.mark.parametrize("kind", MADE)
def test_a_result_is_the_same_when_it_is_measured_again_from_its_json(kind: str, v: aslant.WordVectors) -> None:
    made = MADE[kind](v)
    assert made.kind == kind
    read = result_from_dict(json.loads(made.to_json()))
    again = aslant.rerun(read, v)
    assert type(again) is type(made)
    assert aslant.differences(made, again) == []


def test_the_seed_of_a_generator_is_kept_too(v: aslant.WordVectors) -> None:
    made = aslant.weat(v, "weat-6", rng=np.random.default_rng(0), **FEW)
    assert aslant.differences(made, aslant.rerun(made, v)) == []


def test_another_embedding_and_words_that_the_file_does_not_hold_are_refused(v: aslant.WordVectors) -> None:
    made = MADE["weat"](v)
    with pytest.raises(AslantError, match=f"with fingerprint {v.fingerprint}, and 'sample' has "):
        aslant.rerun(made, aslant.load(top=19_000))
    own = aslant.weat(v, targets=(["he", "him"], ["she", "her"]), attributes=(["good", "nice"], ["bad", "evil"]), **FEW)
    with pytest.raises(AslantError, match="is of words of your own, which its file does not name"):
        aslant.rerun(own, v)
    with pytest.raises(AslantError, match="is made of two embeddings"):
        aslant.rerun(aslant.residual_bias(v, top=50, classified=100, seeds=1, chance=0, picture="none"), v)


def test_what_is_named_is_opened_and_cut_to_the_words_that_were_measured(v: aslant.WordVectors, tmp_path: Path) -> None:
    path = tmp_path / "v.safetensors"
    v.save(path)
    for top in (None, 19_000):
        made = aslant.weat(aslant.load(path, top=top), "weat-6", **FEW)
        assert aslant.differences(made, aslant.rerun(made, path)) == []
    assert made.provenance.representation.words == 19_000


def test_another_version_is_said(v: aslant.WordVectors) -> None:
    content = json.loads(MADE["direct-bias"](v).to_json())
    content["provenance"]["version"] = "0.1.0"
    with pytest.warns(UserWarning, match="version 0.1.0 made this result"):
        again = aslant.rerun(result_from_dict(content), v)
    assert aslant.differences(again, result_from_dict(content)) == []


def test_differences_name_each_value_that_changed(v: aslant.WordVectors) -> None:
    first, second = (aslant.weat(v, "weat-6", rng=seed, **FEW) for seed in (0, 1))
    changed = {change.where: change for change in aslant.differences(first, second)}
    assert "effect_size" not in changed
    assert changed["chance.mean"].before == first.chance.mean
    assert changed["chance.mean"].after == second.chance.mean
    assert changed["provenance.seed"].after == 1


def test_every_public_function_says_what_it_returns() -> None:
    from aslant.auditing.rerunning import _returned

    for room in rooms():
        assert all(_returned(room, where)[1] for where in room.functions)


def test_the_command_says_whether_every_value_is_the_same(run: Run, tmp_path: Path) -> None:
    file, result = tmp_path / "r.json", aslant.direct_bias(aslant.load(), chance=20)
    file.write_text(result.to_json())
    done = run("rerun", "r.json", "--json", "again.json")
    assert done.returncode == 0, done.stderr
    assert "every value is the same to the last digit" in done.stdout
    assert result_from_dict(json.loads((tmp_path / "again.json").read_text())) == result
    assert "written: again.json" in done.stdout
    done = run("rerun", "r.json", "--json", "-")
    assert result_from_dict(json.loads(done.stdout)) == result
    assert "every value is the same" in done.stderr
    assert not (tmp_path / "-").exists()
    content = json.loads(result.to_json())
    content["value"] += 1e-9
    file.write_text(json.dumps(content))
    done = run("rerun", "r.json")
    assert done.returncode == 1
    assert done.stdout.startswith("value: ")
    assert "1 value differs." in done.stdout
    file.write_text("{")
    done = run("rerun", "r.json")
    assert done.returncode == 2
    assert "'r.json' is not JSON" in done.stderr
