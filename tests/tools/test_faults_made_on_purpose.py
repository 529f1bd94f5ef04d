"""A few of each fault that `tools/faults.py` makes: results stay the same, nothing is left or lost unseen."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from faulting import corruption, full_disk, kills, read_only
from faulting.keepers import KEEPERS, embedding_file
from faulting.outcomes import Outcome, Work


@pytest.fixture(params=KEEPERS)
def work(request: pytest.FixtureRequest) -> Work:
    if request.param in ("scores", "vectors", "model"):
        pytest.importorskip("safetensors", reason="models need the extra lm")
    if request.param in ("scores", "model"):
        pytest.importorskip("transformers", reason="models need the extra lm")
    if request.param == "model":
        pytest.importorskip("gguf", reason="GGUF files need gguf")
    return KEEPERS[request.param]


@pytest.fixture
def may_mount() -> None:
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("a small disk can be mounted by root only")
    try:
        with full_disk.small_disk(4):
            pass
    except full_disk.CannotMountError as error:
        pytest.skip(f"a small disk cannot be mounted here: {error}")


def good(outcome: Outcome) -> None:
    assert outcome.good, f"{outcome.row()}\n{outcome.trouble}"


def test_damage_at_random_places_is_noticed_and_the_result_the_same(work: Work) -> None:
    good(corruption.corrupted(work, tries=8, seed=1))


@pytest.mark.parametrize("name", [name for name in KEEPERS if name != "model"])
def test_a_disk_that_is_full_from_any_write_on_costs_nothing_but_what_is_kept(name: str) -> None:
    if name in ("scores", "vectors"):
        pytest.importorskip("transformers", reason="models need the extra lm")
    good(full_disk.every_write_fails_once(KEEPERS[name]))


@pytest.mark.usefixtures("may_mount")
def test_a_small_disk_costs_nothing_but_what_is_kept(work: Work) -> None:
    good(full_disk.on_small_disks(work, (4, 20)))


@pytest.mark.usefixtures("may_mount")
def test_output_that_does_not_fit_leaves_the_old_files_and_one_sentence() -> None:
    good(full_disk.output_is_full("weat", embedding_file(), (20,)))


@pytest.mark.usefixtures("may_mount")
def test_a_read_only_cache_is_a_note() -> None:
    good(read_only.cannot_be_written("read-only cache", "weat", embedding_file()))


@pytest.fixture
def audit() -> kills.Command:
    asked = ("audit", str(embedding_file()), "--quick", "--only", "polarity", "-q", "-o", "report")
    return kills.Command("aslant audit", asked, "report.json", kills.steps_kept, "measures")


def test_a_killed_command_goes_on_and_ends_the_same(audit: kills.Command) -> None:
    good(kills.killed(audit, 1, seed=3, warm=False, most=4))


@pytest.mark.parametrize("now", [{"weat": 9, "answers": 5}, {"weat": 3, "answers": 4}], ids=["again", "fewer"])
def test_work_that_is_done_again_is_noticed(now: kills.Kept) -> None:
    before = {"weat": 3, "answers": 5}
    assert len(kills.lost(before, now)) == 1
    assert kills.lost(before, {**before, "answers": 7, "polarity": 4}) == []


def test_a_wrong_result_a_traceback_or_a_leftover_is_noticed(tmp_path: Path) -> None:
    """The makers of faults can fail: a store that does not look at what it reads is found out."""

    def careless(folder: Path) -> bytes:
        folder.mkdir(exist_ok=True)
        (folder / "a.partial").touch()
        if not (folder / "kept").exists():
            (folder / "kept").write_bytes(b"0123456789" * 20)
        return (folder / "kept").read_bytes()

    outcome = corruption.corrupted(Work("careless", careless), tries=20)
    assert not outcome.good
    assert outcome.different > 10
    assert any("left a.partial" in trouble for trouble in outcome.trouble or ())
