"""A list of embeddings into a store: quick audits an hour, a rerun with nothing to do, and questions about all of them.

    python benchmarks/fleet.py                   # 4 embeddings of 44,437 x 100, two at a time
    python benchmarks/fleet.py --models 36 --at-once 2

The embeddings are the bundled sample with a little noise. On a machine that does other work, too, look at the processor
seconds: cores x 3,600 / (processor seconds of an audit) is the rate that a quiet machine of this kind reaches. What
shares a list by claims needs no Dask: this starts the same command several times, each with one core.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import aslant


def make(folder: Path, models: int) -> None:
    v = aslant.load()
    for number in range(models):
        noise = np.random.default_rng(number).normal(0, 0.002, v.matrix.shape).astype(np.float32)
        path = folder / f"m{number}.safetensors"
        aslant.WordVectors.from_arrays(v.words, v.matrix + noise, name=path.stem).save(path)
        os.utime(path, (time.time() - 60, time.time() - 60))  # as if nobody were writing to it
    lines = (f"m{number} = m{number}.safetensors\n" for number in range(models))
    (folder / "models.txt").write_text("".join(lines))


def timed(folder: Path, *arguments: str, processes: int = 1) -> tuple[float, float]:
    """Return the seconds and the processor seconds of a command, run by several processes at once."""
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"} if processes > 1 else {}
    env = {**os.environ, "ASLANT_CACHE": str(folder / "cache"), **threads}
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    started = [
        subprocess.Popen([sys.executable, "-m", "aslant", *arguments], cwd=folder, env=env) for _ in range(processes)
    ]
    codes = [process.wait() for process in started]
    spent, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    assert max(codes) < 2, codes
    return spent, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=int, default=4)
    parser.add_argument("--at-once", type=int, default=2)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(folder, asked.models)
        command = ["audit", "--models", "models.txt", "--store", "r.db", "--quick", "-q", "--workers", "1"]
        seconds, spent = timed(folder, *command, "--run", "first", processes=asked.at_once)
        each = spent / asked.models
        print(f"{asked.models} quick audits, {asked.at_once} at a time: {seconds:.1f} s, {spent:.1f} processor seconds")
        print(f"  {each:.2f} processor seconds an audit: {asked.at_once * 3600 / each:,.0f} an hour on as many cores")
        print(f"  {asked.models / seconds * 3600:,.0f} an hour as it ran here")
        for what, arguments in (
            ("rerun, nothing to do", [*command, "--run", "second"]),
            ("check STORE", ["check", "r.db", "-q"]),
            ("results worse", ["results", "worse", "r.db", "-q"]),
            ("results unmeasured", ["results", "unmeasured", "r.db", "-q"]),
        ):
            seconds, spent = timed(folder, *arguments)
            print(f"{what}: {seconds:.2f} s, {spent:.2f} processor seconds")
        print(f"store: {(folder / 'r.db').stat().st_size / asked.models / 1e6:.2f} MB an audit")
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e3
        print(f"largest process: {peak:,.0f} MB")


if __name__ == "__main__":
    main()
