"""A fleet for three months: changes, a missing and a broken model, overlapping runs, kills; and what is asked of it."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aslant
from aslant.auditing.fleet import not_measured, worse
from aslant.stimuli import WeatSet, load_set

MODELS = [f"m{number}" for number in range(8)]
CHANGED, MISSING, BROKEN = ("m1", "m3", "m5"), "m6", "m7"
#: What a process tells of the models that it really measures, and how slow that is, so that others get a chance.
SLOW = """
import os, sys, time
from dataclasses import replace
from aslant.auditing import running
from aslant.cli import main

def told(step):
    def run(work):
        with open(os.environ["TOLD"], "a") as file:
            file.write(f"{work.subject.opened.name}\\n")
        time.sleep(float(os.environ["SLOW"]))
        found = step.resolve(step.run)(work)
        with open(os.environ["TOLD"], "a") as file:
            file.write(f"{work.subject.opened.name} done\\n")
        return found
    return run

running.STEPS = tuple(replace(step, run=told(step)) for step in running.STEPS)
main()
"""


class Fleet:
    """A folder with models, a list of them and a store, and commands about it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.store = folder, aslant.ResultsStore(folder / "fleet.db")
        self.told = folder / "told"
        v = aslant.load(top=8_000)
        self.words, self.matrix = list(v.words), np.array(v.matrix)
        for number, name in enumerate(MODELS):
            self.save(name, number)
        (folder / "models.txt").write_text("".join(f"{name} = {name}.safetensors\n" for name in MODELS))

    def save(self, name: str, seed: int, *, more_biased: bool = False) -> None:
        matrix = self.matrix + np.random.default_rng(seed).normal(0, 0.002, self.matrix.shape).astype(np.float32)
        if more_biased:  # each set of targets of WEAT 8 moves towards its attributes
            place = {word: row for row, word in enumerate(self.words)}
            asked = load_set("weat-8")
            assert isinstance(asked, WeatSet)
            for targets, attributes in zip(asked.targets, asked.attributes, strict=True):
                rows = [place[word] for word in targets.words if word in place]
                toward = matrix[[place[word] for word in attributes.words if word in place]].mean(axis=0)
                matrix[rows] += toward
        path = self.folder / f"{name}.safetensors"
        aslant.WordVectors.from_arrays(self.words, matrix, name=name).save(path)
        os.utime(path, (time.time() - 60, time.time() - 60))  # as if nobody were writing to it

    def start(self, run: str, slow: float = 0.0) -> subprocess.Popen[str]:
        command = ["audit", "--models", "models.txt", "--store", "fleet.db", "--quick", "--only", "weat", "--run", run]
        return subprocess.Popen(
            [sys.executable, "-c", SLOW, *command, "--skip-missing", "--quiet"],
            cwd=self.folder, env={**os.environ, "TOLD": str(self.told), "SLOW": str(slow)}, text=True,
            stderr=subprocess.PIPE,
        )  # fmt: skip

    def measured(self) -> Counter[str]:
        """How often each model was begun (``name``) and finished (``name done``) since this was last asked."""
        found = Counter(self.told.read_text().splitlines()) if self.told.exists() else Counter[str]()
        self.told.unlink(missing_ok=True)
        return Counter({name.replace(".safetensors", ""): count for name, count in found.items()})

    def begun(self) -> int:
        return len(self.told.read_text().splitlines()) if self.told.exists() else 0

    def states(self, run: str) -> dict[str, str]:
        return {o.label: o.state for o in self.store.runs().outcomes if o.run == run}


def ended(process: subprocess.Popen[str]) -> int:
    _, stderr = process.communicate(timeout=120)
    assert "Traceback" not in stderr
    return process.returncode


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Fleet:
    """Three months of it."""
    monkeypatch = pytest.MonkeyPatch()
    found = Fleet(tmp_path_factory.mktemp("fleet"))
    monkeypatch.setenv("ASLANT_CACHE", str(found.folder / "cache"))
    assert ended(found.start("january")) == 0
    assert found.measured() == Counter([*MODELS, *(f"{name} done" for name in MODELS)])
    for number, name in enumerate(CHANGED):
        found.save(name, 100 + number, more_biased=name == "m3")
    (found.folder / f"{MISSING}.safetensors").unlink()
    (found.folder / f"{BROKEN}.safetensors").write_bytes(bytes(range(1, 256)) * 40)
    monkeypatch.undo()
    return found


def test_the_three_months(fleet: Fleet, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(fleet.folder)
    monkeypatch.setenv("ASLANT_CACHE", str(fleet.folder / "cache"))

    # February: five runs are killed while they measure, then two share the list out.
    for _ in range(5):
        before = fleet.begun()
        with fleet.start("february", slow=60) as killed:
            while fleet.begun() == before:
                assert killed.poll() is None
                time.sleep(0.02)
            killed.send_signal(signal.SIGKILL)
    assert sum(count for name, count in fleet.measured().items() if name.endswith("done")) == 0
    pair = [fleet.start("february", slow=0.2) for _ in range(2)]
    assert [ended(process) for process in pair] == [3, 3]  # both know of the broken model
    assert fleet.measured() == Counter([*CHANGED, *(f"{name} done" for name in CHANGED)])  # nothing twice
    states = fleet.states("february")
    assert states == {
        **dict.fromkeys(MODELS, "unchanged"), **dict.fromkeys(CHANGED, "audited"), MISSING: "missing", BROKEN: "failed"
    }  # fmt: skip
    failures = [audit for audit in fleet.store.audits(state="failed").audits if audit.label == BROKEN]
    assert len(failures) == 1

    # What got worse, what was not measured, what fails the policy: one command each.
    answer = run("results", "worse", "fleet.db", "--json", "-")
    assert answer.returncode == 1
    found = json.loads(answer.stdout)
    assert {line["label"] for line in found["lines"] if line["verdict"] == "worse"} == {"m3"}
    assert "weat-8" in {line["change"]["stimuli"] for line in found["lines"]}
    assert (found["compared"], found["unchanged"]) == (["m1", "m3", "m5"], ["m0", "m2", "m4"])
    answer = run("results", "unmeasured", "fleet.db", "--csv", "-")
    assert answer.returncode == 1
    assert [line.split(",")[:3:2] for line in answer.stdout.splitlines()[1:] if "not run" not in line][:2] == [
        [MISSING, "missing"], [BROKEN, "failed"]
    ]  # fmt: skip
    (fleet.folder / "policy.toml").write_text(
        'may_not_run = ["*"]\n[[rule]]\nname = "family"\nmeasure = "weat"\nstimuli = "weat-6"\nmax = 1.9\n'
    )
    answer = run("check", "fleet.db", "--policy", "policy.toml", "--json", "-")
    assert answer.returncode == 1
    failing = {(line["model"], line["rule"]) for line in json.loads(answer.stdout)["lines"]
               if line["verdict"] in ("violated", "missing")}  # fmt: skip
    assert failing == {
        (MISSING, "every model is audited"), (BROKEN, "every model is audited"), ("m3", "no worse than before")
    }  # fmt: skip

    # March: what was missing and broken is back, and nothing else has changed.
    for name in (MISSING, BROKEN):
        fleet.save(name, MODELS.index(name))
    assert ended(fleet.start("march")) == 0
    assert fleet.measured() == Counter()  # the same content as in January
    assert set(fleet.states("march").values()) == {"unchanged"}
    for command in (["results", "worse"], ["results", "unmeasured"]):
        assert run(*command, "fleet.db", "-q").returncode == 0
    assert run("check", "fleet.db", "--policy", "policy.toml", "-q").returncode == 0
    answer = run("results", "compare", "fleet.db", "m3", "--json", "-")
    assert (answer.returncode, json.loads(answer.stdout)["unchanged"]) == (0, True)
    answer = run("results", "worse", "fleet.db", "--against", "january", "-q")
    assert answer.returncode == 1  # since January, m3 is worse still

    # A history has no gaps, and SQL sees what Python sees.
    points = [p for p in fleet.store.history("weat", "weat-6").points if p.figure.audit.label == "m0"]
    assert [p.figure.run for p in points] == ["january", "february", "march"]
    assert points[0].figure.line.interval is not None
    assert points[0].figure.line.chance is not None
    connection = sqlite3.connect(fleet.folder / "fleet.db")
    timeline = connection.execute("SELECT run, label, state FROM timeline").fetchall()
    assert sorted(timeline) == sorted((v.run, v.label, v.state) for v in fleet.store.visits())
    rows = connection.execute(
        "SELECT run, standardised, low, chance_mean FROM history WHERE label = 'm0' AND stimuli = 'weat-6' "
        "ORDER BY started"
    ).fetchall()
    connection.close()
    expected = points[0].figure.row()
    assert rows == [
        (name, pytest.approx(expected["standardised"]), expected["low"], expected["chance_mean"])
        for name in ("january", "february", "march")
    ]
    assert not worse(fleet.store).worse
    assert not not_measured(fleet.store).models
