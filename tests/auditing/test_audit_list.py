"""Many models into a store: nothing is run twice, nothing finished is lost, and no model stops another."""

from __future__ import annotations

import json
import pickle
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import aslant
from aslant.auditing import many_models as jobs
from aslant.auditing import running
from aslant.auditing.many_models import AuditJob, audit_entry
from aslant.auditing.model_list import AuditSettings, Entry
from aslant.auditing.running import STEPS
from aslant.errors import AslantError
from aslant.io.keeper import FILE, Keeper

QUICK: dict[str, Any] = {"profile": "quick", "only": ["polarity", "geometry"]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three small embeddings, and a list of them."""
    made = tmp_path_factory.mktemp("models")
    v = aslant.load(top=6_000)
    for name, words in (("one", 4_000), ("two", 5_000), ("three", 6_000)):
        part = aslant.WordVectors.from_arrays(v.words[:words], v.matrix[:words], name=name)
        part.save(made / f"{name}.safetensors")
    (made / "models.txt").write_text("".join(f"{n} = {n}.safetensors\n" for n in ("one", "two", "three")))
    return made


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The measures that are really run, while a test lasts."""
    done: list[str] = []

    def told(step: Any) -> Any:
        return lambda work: (done.append(f"{work.subject.opened.name}: {step.id}"), step.resolve(step.run)(work))[1]

    monkeypatch.setattr(running, "STEPS", tuple(replace(step, run=told(step)) for step in STEPS))
    return done


def stored(path: Path) -> dict[str, Any]:
    """What a store holds by label, but for when it was audited and how long that took."""
    found = {}
    for line in aslant.ResultsStore(path).lines():
        record = json.loads(line)["record"]
        if "label" not in record:
            continue  # of the run, which is another one
        del record["id"], record["audited"], record["seconds"], record["result"]["created"]
        for part in record["result"]["parts"]:
            del part["seconds"]
        found[record["label"]] = record
    return found


def left(runs: Path) -> list[str]:
    """What is left of runs that are complete."""
    return [*Keeper(runs).under(""), *(path.name for path in runs.iterdir() if path.name != FILE)]


KILLED = """
import os, signal, sys
from aslant.auditing import running, store
from aslant.cli import main
from dataclasses import replace

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

def in_geometry_of_the_second(work):
    die() if work.subject.opened.name.startswith("two") else None
    return geometry.resolve(geometry.run)(work)

opened, written = store.database, []

@store.contextmanager
def before_the_second_is_committed(path, schema, *, write=False, older=()):
    with opened(path, schema, write=write, older=older) as connection:
        yield connection
        written.extend([path] * write)
        if len(written) == 3:  # the run, the first audit, the second
            die()

[geometry] = [s for s in running.STEPS if s.id == "geometry"]
if sys.argv.pop(1) == "measure":
    running.STEPS = tuple(
        replace(s, run=in_geometry_of_the_second) if s.id == "geometry" else s for s in running.STEPS
    )
else:
    store.database = before_the_second_is_committed
main()
"""


@pytest.mark.parametrize("moment", ["measure", "line"])
def test_a_kill_loses_only_what_was_under_way_and_the_same_command_ends_the_same(
    folder: Path, tmp_path: Path, run: Any, ran: list[str], moment: str
) -> None:
    command = ["audit", "--models", str(folder / "models.txt"), "--quick", "--only", "polarity,geometry", "-q"]
    whole = tmp_path / "whole.db"
    assert run(*command, "--store", str(whole)).returncode == 0
    assert len(ran) == 6
    ran.clear()
    killed = subprocess.run([sys.executable, "-c", KILLED, moment, *command, "--store", "r.db"], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert [audit.label for audit in aslant.ResultsStore("r.db").audits().audits] == ["one"]
    assert run(*command, "--store", "r.db").returncode == 0
    two = ["two.safetensors: geometry"] if moment == "measure" else []  # what is finished of a model is kept as well
    assert ran == ["three.safetensors: polarity", "three.safetensors: geometry", *two]
    assert stored(tmp_path / "r.db") == stored(whole)


def test_a_model_on_which_every_run_dies_does_not_keep_the_others_from_their_turn(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = jobs.opened  # type: ignore[attr-defined]

    class Killed(BaseException):
        """What stands for an end of the process here: nothing of ours catches it."""

    def dies(model: str, **how: Any) -> Any:
        if "one" in model:
            raise Killed
        return opened(model, **how)

    monkeypatch.setattr(jobs, "opened", dies)
    for _ in range(2):
        with pytest.raises(Killed):
            aslant.audit_list(folder / "models.txt", tmp_path / "r.db", runs=tmp_path / "runs", **QUICK)
    assert [a.label for a in aslant.ResultsStore(tmp_path / "r.db").audits().audits] == ["two", "three"]
    monkeypatch.setattr(jobs, "opened", opened)
    done = aslant.audit_list(folder / "models.txt", tmp_path / "r.db", runs=tmp_path / "runs", **QUICK)
    assert [a.label for a in done.audits] == ["one", "two", "three"]
    assert left(tmp_path / "runs") == []


def test_what_is_finished_leaves_no_run_folder_behind(folder: Path, tmp_path: Path) -> None:
    aslant.audit_list({"one": folder / "one.safetensors"}, tmp_path / "r.db", runs=tmp_path / "runs", **QUICK)
    assert left(tmp_path / "runs") == []


def test_what_the_store_has_is_not_run_again(folder: Path, tmp_path: Path, ran: list[str]) -> None:
    for _ in range(2):
        done = aslant.audit_list(folder / "models.txt", tmp_path / "r.db", **QUICK)
        assert [audit.label for audit in done.audits] == ["one", "two", "three"]
    assert len(ran) == 6
    assert done.notes == ("not run again, because the store has it: one, two, three",)
    assert len(aslant.ResultsStore(tmp_path / "r.db").audits().audits) == 3
    aslant.audit_list(folder / "models.txt", tmp_path / "r.db", again=True, **QUICK)
    assert len(ran) == 12
    assert len(aslant.ResultsStore(tmp_path / "r.db").audits().audits) == 6


@pytest.mark.parametrize(
    "changed",
    [{"seed": 1}, {"only": ["polarity"]}, {"top": 3_000}, {"case": "exact"}, {"words": ["weat-6"]},
     {"profile": "standard", "only": ["polarity"]}, "version", "model"],
    ids=str,
)  # fmt: skip
def test_other_settings_another_version_or_content_are_run(
    folder: Path, tmp_path: Path, ran: list[str], monkeypatch: pytest.MonkeyPatch, changed: Any
) -> None:
    model = tmp_path / "m.safetensors"
    model.write_bytes((folder / "one.safetensors").read_bytes())
    first = aslant.audit_list({"m": model}, tmp_path / "r.db", **QUICK)
    before = len(ran)
    if changed == "version":
        monkeypatch.setattr(running, "__version__", "99")
    elif changed == "model":
        v = aslant.load(model)
        aslant.WordVectors.from_arrays(v.words, v.matrix[:, ::-1].copy(), name="one").save(model)
    more = changed if isinstance(changed, dict) else {}
    second = aslant.audit_list({"m": model}, tmp_path / "r.db", **{**QUICK, **more})
    assert len(ran) > before
    assert first.audits[0].key != second.audits[0].key
    assert not second.notes


def test_the_same_model_under_another_label_is_stored_again_but_not_run_again(
    folder: Path, tmp_path: Path, ran: list[str]
) -> None:
    model = folder / "one.safetensors"
    done = aslant.audit_list({"march": model, "newest": model}, tmp_path / "r.db", **QUICK)
    assert len(ran) == 2
    assert [audit.label for audit in done.audits] == ["march", "newest"]
    store = aslant.ResultsStore(tmp_path / "r.db")
    assert store.audit("march") == store.audit("newest")
    assert {line.difference for line in store.compare("march", "newest").figures} == {0.0}


def test_one_bad_model_among_three_stops_nobody_and_is_told(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.bin").write_bytes(bytes(range(1, 256)) * 40)
    models = {"one": folder / "one.safetensors", "bad": tmp_path / "bad.bin", "two": folder / "two.safetensors"}
    done = aslant.audit_list(models, tmp_path / "r.db", **QUICK)
    assert [audit.state for audit in done.audits] == ["complete", "failed", "complete"]
    [bad] = done.failed
    assert "not in a format that aslant knows" in bad.reason
    with pytest.raises(AslantError, match=r"'bad' could not be audited: 'bad\.bin' is not in a format"):
        aslant.ResultsStore(tmp_path / "r.db").audit("bad")


def test_a_fault_of_ours_in_one_model_stops_nobody_and_keeps_its_traceback(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = jobs.opened  # type: ignore[attr-defined]

    def fails(model: str, **how: Any) -> Any:
        if "one" in model:
            raise ZeroDivisionError("a fault\nof ours")
        return opened(model, **how)

    monkeypatch.setattr(jobs, "opened", fails)
    ends = []
    done = aslant.audit_list(
        folder / "models.txt", tmp_path / "r.db", on_end=lambda *told: ends.append(told[2]), **QUICK
    )
    assert [audit.state for audit in done.audits] == ["failed", "complete", "complete"]
    assert done.audits[0].reason == "ZeroDivisionError: a fault of ours"
    assert "Traceback" in ends[0].traces[0]


def test_a_measure_that_broke_off_is_tried_again_and_the_rest_is_not(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ran: list[str]
) -> None:
    def fail(work: Any) -> Any:
        raise ZeroDivisionError("a fault of ours")

    model = {"one": folder / "one.safetensors"}
    how: dict[str, Any] = {"runs": tmp_path / "runs", **QUICK}
    with monkeypatch.context() as m:
        steps = tuple(replace(s, run=fail) if s.id == "geometry" else s for s in vars(running)["STEPS"])
        m.setattr(running, "STEPS", steps)
        done = aslant.audit_list(model, tmp_path / "r.db", **how)
    assert [(a.state, a.reason) for a in done.audits] == [("partly", "geometry: ZeroDivisionError: a fault of ours")]
    assert aslant.audit_list(model, tmp_path / "r.db", **how).audits[0].state == "complete"
    assert ran == ["one.safetensors: polarity", "one.safetensors: geometry"]


def test_settings_of_a_model_in_toml_are_its_own(folder: Path, tmp_path: Path) -> None:
    text = "".join(
        f"[[model]]\nname = '{label}'\nsource = '{folder / 'two.safetensors'}'\n{more}\n"
        for label, more in (("all", ""), ("few", "top = 3000\nseed = 3\nonly = 'polarity'"))
    )
    (tmp_path / "models.toml").write_text(text)
    aslant.audit_list(tmp_path / "models.toml", tmp_path / "r.db", **QUICK)
    store = aslant.ResultsStore(tmp_path / "r.db")
    every, few = store.audit("all"), store.audit("few")
    assert (every.representation.words, every.seed, len(every.parts)) == (5_000, 0, 2)
    assert (few.representation.words, few.seed, len(few.parts)) == (3_000, 3, 1)


def test_models_audited_at_once_have_the_figures_of_one_after_the_other(folder: Path, tmp_path: Path, run: Any) -> None:
    pytest.importorskip("distributed", reason="the extra 'dask' is not installed")
    asked = ("audit", "--models", str(folder / "models.txt"), "--quick", "--only", "polarity", "-q")
    found = []
    for store, how in (("one.db", ()), ("two.db", ("--at-once", "2"))):
        answer = run(*asked, "--store", store, *how)
        assert (answer.returncode, answer.stderr) == (0, "")
        figures = aslant.ResultsStore(tmp_path / store).figures().figures
        found.append({(figure.audit.label, figure.line.stimuli): figure.line for figure in figures})
    assert len(found[0]) > 2
    assert found[0] == found[1]


def test_jobs_and_outcomes_go_to_another_process_and_back(folder: Path) -> None:
    job = AuditJob(Entry("one", str(folder / "one.safetensors"), AuditSettings("quick", only=("polarity",))))
    outcome = audit_entry(pickle.loads(pickle.dumps(job)))
    assert pickle.loads(pickle.dumps(outcome)) == outcome
    assert outcome.state == "complete"
    assert audit_entry(replace(job, known=frozenset({outcome.key}))).state == "known"


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"only": ["wheat"]}, "did you mean weat"),
        ({"skip": "wheat"}, "did you mean weat"),
        ({"profile": "slow"}, "profile='slow'"),
        ({"seed": -1}, "is not a seed"),
        ({"words": ["nowhere.toml"]}, r"cannot open 'nowhere\.toml'"),
        ({"corpus": ["text.txt"]}, "the models have no encoder"),
        ({"case": "LOUD"}, "case='LOUD'"),
        ({"colour": "red"}, "'colour' is not a setting"),
    ],
)
def test_settings_that_suit_no_model_are_refused_before_any_work(
    folder: Path, tmp_path: Path, asked: dict[str, Any], words: str
) -> None:
    with pytest.raises(AslantError, match=words):
        aslant.audit_list(folder / "models.txt", tmp_path / "r.db", **asked)
    assert not (tmp_path / "r.db").exists()


def test_a_store_that_cannot_be_written_is_refused_before_any_work(
    folder: Path, tmp_path: Path, ran: list[str]
) -> None:
    with pytest.raises(AslantError, match=r"there is no folder '.*' for the store"):
        aslant.audit_list(folder / "models.txt", tmp_path / "none" / "r.db", **QUICK)
    with pytest.raises(AslantError, match="is not a store of results"):
        aslant.audit_list(folder / "models.txt", folder / "models.txt", **QUICK)
    assert ran == []


def test_a_corpus_that_is_not_there_is_refused_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(AslantError, match=r"there is no file 'nowhere\.txt', nor data of that name"):
        aslant.audit_list({"lm": "sample-mlm"}, tmp_path / "r.db", corpus="nowhere.txt")
    with pytest.raises(AslantError, match="there is no file 'bald', nor data of that name; did you mean bold"):
        aslant.audit_list({"lm": "sample-mlm"}, tmp_path / "r.db", corpus=["gap", "bald"])
    assert not (tmp_path / "r.db").exists()


def test_an_audit_that_another_process_stored_meanwhile_is_not_run(
    folder: Path, tmp_path: Path, ran: list[str]
) -> None:
    elsewhere = tmp_path / "elsewhere.db"
    aslant.audit_list({"three": folder / "three.safetensors"}, elsewhere, **QUICK)
    ran.clear()

    def as_if_another_had(number: int, *_: Any) -> None:
        if number == 1:
            (tmp_path / "lines").write_bytes(b"".join(aslant.ResultsStore(elsewhere).lines()))
            aslant.ResultsStore(tmp_path / "r.db").add_lines(tmp_path / "lines")

    done = aslant.audit_list(folder / "models.txt", tmp_path / "r.db", on_end=as_if_another_had, **QUICK)
    assert [line.partition(".")[0] for line in ran] == ["one", "one", "two", "two"]
    assert done.notes == ("not run again, because the store has it: three",)
