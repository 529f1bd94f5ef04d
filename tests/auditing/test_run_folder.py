"""A run that was stopped goes on where it was, and ends as if it had never been stopped."""

from __future__ import annotations

import json
import shutil
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from threadpoolctl import threadpool_limits

import aslant
from aslant.auditing import running
from aslant.auditing.run_folder import Finished, RunFolder
from aslant.auditing.running import STEPS, Plan
from aslant.auditing.subjects import subject_of
from aslant.catalogue import Step
from aslant.errors import AslantError
from aslant.io.keeper import FILE, Keeper

ONLY = ("weat", "polarity", "geometry")


def same(result: aslant.AuditResult) -> dict[str, Any]:
    """What two runs must agree on: everything but when, and how long."""
    content = result.to_dict()
    del content["created"]
    for part in content["parts"]:
        del part["seconds"]
    return content


@pytest.fixture(scope="module")
def uninterrupted() -> aslant.AuditResult:
    return aslant.audit(only=ONLY, profile="quick")


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_threads_of_blas_change_no_digit(uninterrupted: aslant.AuditResult, threads: int) -> None:
    with threadpool_limits(threads, user_api="blas"):
        assert same(aslant.audit(only=ONLY, profile="quick")) == same(uninterrupted)


def steps(folder: Path) -> list[str]:
    return sorted(key.rpartition("/")[2] for key in Keeper(folder).under("step/"))


def replaced(name: str, run: Any) -> tuple[Step, ...]:
    from dataclasses import replace

    return tuple(replace(step, run=run) if step.id == name else step for step in STEPS)


def stop(work: Any) -> Any:
    raise KeyboardInterrupt


def refuse(work: Any) -> Any:
    raise AssertionError("this step is finished, and must not run again")


def test_after_ctrl_c_the_run_goes_on_and_ends_the_same(
    uninterrupted: aslant.AuditResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as m:
        m.setattr(running, "STEPS", replaced("geometry", stop))
        with pytest.raises(KeyboardInterrupt):
            aslant.audit(only=ONLY, profile="quick", run_folder=tmp_path / "run")
    assert steps(tmp_path / "run") == ["polarity", "weat"]
    assert [path.name for path in (tmp_path / "run").iterdir()] == [FILE]
    with monkeypatch.context() as m:
        m.setattr(running, "STEPS", replaced("weat", refuse))
        result = aslant.audit(only=ONLY, profile="quick", run_folder=tmp_path / "run")
    assert same(result) == same(uninterrupted)
    assert not result.failed


KILLED = """
import os, signal, sys
from dataclasses import replace
from aslant.auditing import running
from aslant.cli import main

def die(work):
    os.kill(os.getpid(), signal.SIGKILL)

running.STEPS = tuple(replace(s, run=die) if s.id == "geometry" else s for s in running.STEPS)
sys.argv = ["aslant", "audit", "--quick", "--only", "weat,polarity,geometry", "--run-folder", "run", "-q"]
main()
"""


def test_after_a_kill_the_command_line_goes_on_and_ends_the_same(
    uninterrupted: aslant.AuditResult, run: Any, tmp_path: Path
) -> None:
    killed = subprocess.run([sys.executable, "-c", KILLED], cwd=tmp_path, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert not (tmp_path / "aslant-report.json").exists()
    before = Keeper(tmp_path / "run" / "model-1").under("step/")
    assert len(before) == 2
    answer = run("audit", "--resume", "run")
    assert answer.returncode == 0
    assert before.items() <= Keeper(tmp_path / "run" / "model-1").under("step/").items()  # with the same seconds
    content = json.loads((tmp_path / "aslant-report.json").read_text(encoding="utf-8"))
    assert same(aslant.AuditResult.from_dict(content)) == same(uninterrupted)
    assert (tmp_path / "run").is_dir()  # the user asked for this folder, so it stays


def test_a_step_that_failed_is_tried_again(
    uninterrupted: aslant.AuditResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as m:
        m.setattr(running, "STEPS", replaced("polarity", refuse))
        broken = aslant.audit(only=ONLY, profile="quick", run_folder=tmp_path / "r", on_failure=lambda *_: None)
    assert set(broken.failed) == {"polarity"}
    assert (tmp_path / "r" / "polarity-failed.txt").is_file()
    result = aslant.audit(only=ONLY, profile="quick", run_folder=tmp_path / "r")
    assert same(result) == same(uninterrupted)
    assert not (tmp_path / "r" / "polarity-failed.txt").exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rng": 1}, "was made with seed 0, not 1"),
        ({"profile": "standard"}, "was made with profile 'quick', not 'standard'"),
        ({"words": "weat-6"}, "was made with words None, not "),
    ],
)
def test_a_folder_of_other_settings_is_refused(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    aslant.audit(only=["polarity"], profile="quick", run_folder=tmp_path / "r")
    with pytest.raises(AslantError, match=words):
        aslant.audit(**{"only": ["polarity"], "profile": "quick", "run_folder": tmp_path / "r", **change})


def test_a_folder_of_another_model_or_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    aslant.audit(only=["polarity"], profile="quick", run_folder=tmp_path / "r")
    v = aslant.load()
    other = aslant.WordVectors.from_arrays(v.words, v.matrix[:, ::-1].copy(), name="sample")
    with pytest.raises(AslantError, match="was made with representation fingerprint"):
        aslant.audit(other, only=["polarity"], profile="quick", run_folder=tmp_path / "r")
    monkeypatch.setattr(running, "__version__", "99")
    with pytest.raises(AslantError, match=r"was made with version .*, not '99'"):
        aslant.audit(only=["polarity"], profile="quick", run_folder=tmp_path / "r")


def test_other_measures_may_be_chosen_when_a_run_goes_on(tmp_path: Path) -> None:
    aslant.audit(only=["polarity"], profile="quick", run_folder=tmp_path / "r")
    more = aslant.audit(only=["polarity", "geometry"], profile="quick", run_folder=tmp_path / "r")
    assert [part.measure for part in more.parts] == ["polarity", "geometry"]


def test_a_folder_with_other_files_is_never_written_to(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(AslantError, match="holds other files and no run"):
        aslant.audit(only=["polarity"], run_folder=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"part": 3, "not_run": {}}', '{"part": null}', "\xff"])
def test_a_step_that_cannot_be_read_counts_as_absent(tmp_path: Path, damage: str) -> None:
    folder = RunFolder(tmp_path / "r", {})
    folder.keep("a b", Finished(None, {"x": "y"}))
    assert folder.recall("a b") == Finished(None, {"x": "y"})
    keeper = Keeper(tmp_path / "r")
    keeper.keep(dict.fromkeys(keeper.under("step/"), damage.encode("latin-1")))
    assert folder.recall("a b") is None


def test_a_step_that_another_run_left_behind_counts_as_absent(tmp_path: Path) -> None:
    mine, twin = (RunFolder(tmp_path / "r", {"model": "old"}, fresh_if_other=True) for _ in range(2))
    shutil.rmtree(mine.folder)  # the same command, run twice at once: one is complete and cleans up
    twin.keep("weat", Finished(None, {"of": "the old model"}))  # the other one is killed after this
    later = RunFolder(tmp_path / "r", {"model": "new"}, fresh_if_other=True)
    assert later.recall("weat") is None


def test_what_a_run_that_was_killed_at_its_beginning_left_is_no_stranger(tmp_path: Path, run: Any) -> None:
    asked = ("audit", "--quick", "--only", "polarity", "--run-folder", "r", "-q")
    (tmp_path / "r" / "model-1").mkdir(parents=True)
    assert "holds other files" in run(*asked).stderr, "a folder 'model-1' without a request is a stranger's"
    (tmp_path / "r" / "model-1").rmdir()
    for name in (FILE, f"{FILE}-journal"):
        (tmp_path / "r" / name).touch()
    assert run(*asked).returncode == 0


def test_several_that_begin_one_run_at_once_all_end_the_same(uninterrupted: aslant.AuditResult, tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: aslant.audit(only=ONLY, profile="quick", run_folder=tmp_path / "r"), range(4)))
    assert all(same(result) == same(uninterrupted) for result in found)
    assert steps(tmp_path / "r") == sorted(ONLY)


def test_a_run_whose_folder_another_process_removes_keeps_its_steps(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "r", {})
    shutil.rmtree(folder.folder)
    folder.keep("weat", Finished(None, {"x": "y"}))
    assert RunFolder(tmp_path / "r", {}).recall("weat") == Finished(None, {"x": "y"})


def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing be written by any keeper but a request, as on a disk that is full by then."""
    from aslant.io import keeper

    def full(path: Path, schema: Any, *, write: bool = False) -> Any:
        if write and path.parent.name != "r":
            raise sqlite3.OperationalError("database or disk is full")
        return database(path, schema, write=write)

    database = keeper.database
    monkeypatch.setattr(keeper, "database", full)


def test_an_audit_whose_folder_fills_up_goes_on_and_says_so_once(
    uninterrupted: aslant.AuditResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    RunFolder(
        tmp_path / "run",
        Plan(subject_of(aslant.load()), profile="quick").identity(),
    )
    full_disk(monkeypatch)
    with pytest.warns(UserWarning, match="finished measures are not kept, since .* disk is full") as said:
        result = aslant.audit(only=ONLY, profile="quick", run_folder=tmp_path / "run")
    assert len(said) == 1
    assert same(result) == same(uninterrupted)
    assert steps(tmp_path / "run") == []


def test_a_full_cache_is_done_without_and_a_folder_asked_for_is_refused(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full_disk(monkeypatch)
    asked = ("audit", "--quick", "--only", "polarity")
    answer = run(*asked)
    assert (answer.returncode, answer.stderr.count("is not kept, because")) == (0, 1)
    assert (tmp_path / "aslant-report.json").is_file()
    refused = run(*asked, "--run-folder", "r")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "as a run folder: database or disk is full" in refused.stderr


def test_a_report_that_cannot_be_written_leaves_the_old_one_and_says_how_to_go_on(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = {tmp_path / f"aslant-report.{suffix}": b"old" for suffix in ("csv", "html")}
    for path, content in old.items():
        path.write_bytes(content)
    (tmp_path / "aslant-report.json").mkdir()
    answer = run("audit", "--quick", "--only", "polarity", "-q")
    assert (answer.returncode, answer.stderr.count("\n")) == (2, 1)
    assert {path: path.read_bytes() for path in old} == old
    assert "cannot write" in answer.stderr
    (tmp_path / "aslant-report.json").rmdir()
    monkeypatch.setattr(running, "STEPS", replaced("polarity", refuse))
    assert run(*answer.stderr.split("to resume: aslant ")[1].split()).returncode == 0
    assert (tmp_path / "aslant-report.html").read_bytes() != b"old"


def test_a_folder_that_cannot_be_made_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(AslantError, match=r"cannot use '.*' as a run folder"):
        RunFolder(tmp_path / "file" / "r", {})
