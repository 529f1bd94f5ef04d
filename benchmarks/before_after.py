"""Time the same work in two checkouts, one after the other and again: is this one slower than that one?

    git worktree add ../before SOME_COMMIT
    python benchmarks/before_after.py ../before --rounds 5

Each round starts a process in each checkout, which loads what it needs, does the work once, and then again for a
second. The best of all rounds counts, in processor time, which a busy machine changes least. Work that the other
checkout cannot do is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
PREPARED = """
import inspect, json, os, sys, time
import PACKAGE as aslant
def quick(function, *given, **more):
    if "chance" in inspect.signature(function).parameters:
        more["chance"] = 0  # newer than some checkouts; benchmarks/chance.py has its cost
    return function(*given, **more)
v = aslant.load()
"""
#: What is timed, as Python that each checkout can run; `work` is called several times.
WORK = {
    "load the sample": "work = lambda: aslant.load().lookup(['she', 'he'])",
    "load a text file of 30,000 words": (
        "w = aslant.load(top=30_000); w.save(os.environ['FOLDER'] + '/v.txt')\n"
        "work = lambda: aslant.load(os.environ['FOLDER'] + '/v.txt', cache=False)"
    ),
    "ten WEATs with intervals": "work = lambda: quick(aslant.weat_suite, v)",
    "WEAT of 25 + 25 words": "work = lambda: quick(aslant.weat, v, 'weat-2', bootstrap=0)",
    "polarity, four classes": "work = lambda: quick(aslant.polarity, v, 'race-four', scheme='one-vs-rest')",
    "subspace and direct bias": "work = lambda: (quick(aslant.gender_subspace, v), quick(aslant.direct_bias, v))",
    "residual bias": (
        "h = aslant.hard_debias(v)\nwork = lambda: quick(aslant.residual_bias, v, h, seeds=1, picture='none')"
    ),
    "enumeration, 1,000 rotations": (
        "work = lambda: quick(aslant.enumerate_biases, v, words=10_000, groups=6, rotations=1_000)"
    ),
    "hard debiasing": "work = lambda: aslant.hard_debias(v)",
    "language model, 320 professions": (
        "lm = aslant.load_lm('sample-mlm')\n"
        "jobs = [p for p in aslant.stimuli.load_set('professions').words if p in v][:300]\n"
        "work = lambda: quick(aslant.log_probability_bias, lm, targets=['he', 'she'], attributes=jobs)"
    ),
    "results to JSON and back": (
        "r = quick(aslant.weat_suite, v)\nwork = lambda: type(r).from_dict(json.loads(json.dumps(r.to_dict())))"
    ),
}
TIMED = """
work(); best, end = 1e9, time.process_time() + 1
while best == 1e9 or time.process_time() < end:
    began = time.process_time(); work()
    best = min(best, time.process_time() - began)
print(json.dumps(best))
"""


def package(checkout: Path) -> str:
    """Return the name of the package in a checkout, which was another one until 0.2."""
    return next(path.parent.name for path in (checkout / "src").glob("*/__init__.py"))


def environment(checkout: Path, folder: str) -> dict[str, str]:
    """Return what makes a process use a checkout, with a cache of its own."""
    cache = f"{package(checkout).upper()}_CACHE"
    return {**os.environ, "PYTHONPATH": str(checkout / "src"), "FOLDER": folder, cache: folder}


def seconds(checkout: Path, code: str, folder: str) -> float | None:
    """Return what the work takes in a checkout; None where it cannot be done there."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PREPARED.replace("PACKAGE", package(checkout)) + code + TIMED],
        env=environment(checkout, folder), cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return float(json.loads(done.stdout.splitlines()[-1])) if done.returncode == 0 else None


def command_seconds(checkout: Path, arguments: list[str], folder: str) -> float:
    """Return the processor time of a command."""
    before = os.times()
    subprocess.run(
        [sys.executable, "-m", package(checkout), *arguments],
        env=environment(checkout, folder), cwd=folder, capture_output=True, check=True,
    )  # fmt: skip
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path, help="the other checkout")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    checkouts = (given.before.resolve(), HERE)
    print(f"{'work':36} {'before':>9} {'after':>9} {'ratio':>6}")
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        folders = (one, other)
        for name, code in WORK.items():
            taken = [
                [seconds(c, code, f) for c, f in zip(checkouts, folders, strict=True)] for _ in range(given.rounds)
            ]
            told(name, taken)
        for arguments in (["--help"], ["weat", "--test", "weat-6"]):
            both = list(zip(checkouts, folders, strict=True))
            told(f"aslant {' '.join(arguments)} (CPU)", [[command_seconds(c, arguments, f) for c, f in both]
                 for _ in range(given.rounds)])  # fmt: skip


def told(name: str, taken: list[list[float | None]] | list[list[float]]) -> None:
    """Print the best of each checkout."""
    best = [min((t for t in column if t is not None), default=None) for column in zip(*taken, strict=True)]
    if best[0] is None or best[1] is None:
        print(f"{name:36} not to be had in {'the other checkout' if best[0] is None else 'this one'}", flush=True)
    else:
        print(f"{name:36} {best[0]:8.3f}s {best[1]:8.3f}s {best[1] / best[0]:6.2f}", flush=True)


if __name__ == "__main__":
    main()
