"""Several processes at once, with one cache: each must end as if it were alone, and the cache be whole afterwards."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from faulting.full_disk import filled
from faulting.outcomes import Outcome, read_result
from faulting.processes import end, leftovers, start


def crowd(name: str, file: Path, processes: int = 3, *, run_folder: bool = False, once_more: bool = True) -> Outcome:
    """Start the same command several times at once, with an empty cache; then once more, with what they left."""
    shared = ("--run-folder", "run") if run_folder else ()
    outcome = Outcome(f"{processes} × `{' '.join(('aslant', name, *shared[:1]))}` at once", lost="nothing")
    with tempfile.TemporaryDirectory(prefix="aslant-faults-") as place:
        folder = Path(place)
        _run([_asked(name, file, folder / "alone")], folder, "cache-of-one", outcome)
        outs = [f"out-{number}" for number in range(processes)]
        _run([[*_asked(name, file, folder / out), *shared] for out in outs], folder, "cache", outcome)
        outcome.tries = processes
        if once_more:
            outs.append("later")
            _run([_asked(name, file, folder / "later")], folder, "cache", outcome)
        outcome.different = sum(_result(folder, out) != _result(folder, "alone") for out in outs)
        if left := leftovers(folder):
            outcome.blame(f"left behind: {left[0]}")
        if runs := list((folder / "cache" / "audits").glob("*/")):
            outcome.blame(f"a run was left in the cache: {runs[0].name}")
    return outcome


def _asked(name: str, file: Path, out: Path) -> list[str]:
    if name == "logprob":
        words = "nurse,doctor,teacher,engineer,clerk,poet"
        return ["logprob", str(file), "--attributes", words, "-q", "--json", f"{out}.json"]
    return filled(name, file, out)


def _run(commands: list[list[str]], folder: Path, cache: str, outcome: Outcome) -> None:
    """Start all commands, then wait for all."""
    for process in [start(*arguments, cache=folder / cache, cwd=folder) for arguments in commands]:
        if complaint := end(process).complaint((0,)):
            outcome.blame(complaint)


def _result(folder: Path, out: str) -> Any:
    path = folder / f"{out}.json"
    return read_result(path) if path.exists() else out


def fetching_crowd(data: str, wheels: Path, processes: int = 3) -> Outcome:
    """Fetch the same data in several processes at once, from a folder of wheels."""
    outcome = Outcome(f"{processes} × `aslant data get {data}` at once", lost="nothing")
    env = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels), "PIP_CONFIG_FILE": os.devnull}
    with tempfile.TemporaryDirectory(prefix="aslant-faults-") as place:
        folder = Path(place)
        options: dict[str, Any] = {"env": env, "unset": ("ASLANT_DATA", "ASLANT_OFFLINE")}
        asked = ("data", "get", data)
        for process in [start(*asked, cache=folder / "cache", cwd=folder, **options) for _ in range(processes)]:
            outcome.tries += 1
            if complaint := end(process).complaint((0,)):
                outcome.blame(complaint)
        there = [path.name for path in (folder / "cache" / "data").iterdir()]
        if there != [data]:
            outcome.blame(f"the folder of data holds {there}")
    return outcome
