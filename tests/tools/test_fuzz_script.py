"""`tools/fuzz.py` itself: it finds faults of every kind, keeps them small, and says how to see them again."""

from __future__ import annotations

import gc
import json
import tempfile
import time
import warnings
from pathlib import Path

import pytest

import fuzz
from aslant.errors import AslantError
from fuzzing import worker
from fuzzing.mutation import as_json, as_toml, mutated_tree
from fuzzing.targets import ABSENT, Target


@pytest.fixture(autouse=True)
def few_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Collecting garbage takes long in a process that has run other tests, unless what they left is set aside."""
    monkeypatch.setattr(worker, "SAMPLES", 1)
    monkeypatch.setattr(worker, "WARM", 20)
    gc.freeze()


def target(run: object, **more: object) -> Target:
    return Target("toy", ("aslant.errors",), lambda: [b"a sound input"], run, **more)  # type: ignore[arg-type]


def found(run: object, tmp_path: Path, **more: object) -> list[str]:
    """What fuzzing a toy for some hundred inputs says; only damaged input may be faulty."""

    def careful(data: bytes, folder: Path) -> str:
        return "accepted" if data.startswith(b"a sound input") else run(data, folder)

    report = worker.work(target(careful, **more), 60, 0, tmp_path / "out", most=150)
    return [failure["what"] for failure in report["failures"]]


def crash(data: bytes, folder: Path) -> str:
    return {}[data]  # type: ignore[index]


def warn(data: bytes, folder: Path) -> str:
    warnings.warn("of nothing", stacklevel=1)
    return "accepted"


def mumble(data: bytes, folder: Path) -> str:
    raise AslantError("there is no end to this")


def refuse(data: bytes, folder: Path) -> str:
    raise AslantError("this is refused.")


def litter(data: bytes, folder: Path) -> str:
    tempfile.mkstemp(dir=tempfile.gettempdir())
    return "accepted"


def hang(data: bytes, folder: Path) -> str:
    until = time.process_time() + 60
    while time.process_time() < until:
        pass
    return "accepted"


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(("run", "says"), [
    (crash, "KeyError: b"), (warn, "UserWarning at test_fuzz_script.py"), (mumble, "a message has no end"),
    (litter, "files are still open"), (litter, "temporary files were left behind"),
])  # fmt: skip
def test_every_kind_of_fault_is_found(run: object, says: str, tmp_path: Path) -> None:
    assert [what for what in found(run, tmp_path) if says in what]


@pytest.mark.filterwarnings("default")
def test_a_hang_is_found_and_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "SLOWEST", 0.5)
    monkeypatch.setattr(worker, "WARM", 3)
    toy = target(lambda data, folder: "accepted" if data.startswith(b"a") else hang(data, folder))
    report = worker.work(toy, 60, 0, tmp_path, most=30)
    assert [failure["what"] for failure in report["failures"]] == ["more than 0.5 s of processor time"]


@pytest.mark.filterwarnings("default")
def test_what_keeps_its_promises_has_no_failures(tmp_path: Path) -> None:
    assert found(refuse, tmp_path) == []
    assert found(lambda data, folder: ABSENT, tmp_path, never_refuses=True) == []
    assert "should count as absent" in found(refuse, tmp_path, never_refuses=True)[0]
    report = worker.work(target(refuse), 60, 0, tmp_path / "out", most=250)
    assert report["failures"][0]["what"].startswith("a seed came out as refused"), "else it would test nothing"


@pytest.mark.filterwarnings("default")
def test_a_failure_is_made_small_and_kept_with_the_command_that_shows_it(tmp_path: Path) -> None:
    def run(data: bytes, folder: Path) -> str:
        return crash(data, folder) if b"i" in data and b"\n" in data else "accepted"

    report = worker.work(target(run), 60, 0, tmp_path, most=600) | {"engine": "mutate"}
    (failure,) = report["failures"]
    assert sorted(Path(failure["file"]).read_bytes()) == sorted(b"\ni")
    assert f'--targets "toy" --replay {failure["file"]}' in fuzz.failures([report])[0]


def test_the_command_runs_a_target_in_a_process_of_its_own_and_prints_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fuzz, "find_spec", lambda name: None)  # as if atheris were not installed
    arguments = ["--seconds", "0.5", "--targets", "stamps", "--out", str(tmp_path), "--jobs", "1"]
    assert fuzz.main(arguments) == 0
    said = capsys.readouterr().out
    assert "atheris is not installed" in said
    assert "nothing failed" in said
    (report,) = json.loads((tmp_path / "reports.json").read_text())
    assert report["inputs"] > 100
    assert f"| **all** | **{report['inputs']:,}** |" in said
    (tmp_path / "sound").write_bytes(b"{}")
    assert fuzz.main(["--targets", "stamps", "--replay", str(tmp_path / "sound")]) == 0


def test_a_process_that_dies_is_a_failure_with_its_last_input(tmp_path: Path) -> None:
    job = fuzz.Job("no such target", "mutate", 1, 0, tmp_path)
    (report,) = fuzz.run_all([job], 1, quiet=True)
    assert "ended with code 1" in report["failures"][0]["what"]


def test_trees_are_written_as_they_should_be_read() -> None:
    import tomllib
    from random import Random

    tree = {"a": [1, 2.5, "x\n\"'"], "b c": {"d": [{"e": True}]}}
    assert json.loads(as_json(tree)) == tomllib.loads(as_toml(tree).decode()) == tree
    before = as_json(tree)
    assert len({as_json(mutated_tree(tree, Random(seed))) for seed in range(200)}) > 100
    assert as_json(tree) == before
