"""The plain engine: one target in one process, as many inputs as its time allows, watched for hangs and leaks."""

from __future__ import annotations

import gc
import json
import mmap
import os
import resource
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

from fuzzing.judging import HangError, Inputs, Outcome, Witness, judge, witnessed
from fuzzing.targets import Target

#: Seconds of processor time that one input may take.
SLOWEST = 5.0
#: MB that all inputs together may leave behind.
MOST_LEFT = 48
#: Memory is looked at so often, after a first part that fills caches.
SAMPLES, WARM = 20, 200
#: Room for the input under way, which the parent finds if this process dies.
UNDER_WAY = 1 << 20


def memory() -> float:
    """Return resident MB; where there is no /proc, growth is not seen."""
    there = Path("/proc/self/statm")
    return int(there.read_text().split()[1]) * resource.getpagesize() / 2**20 if there.exists() else 0.0


def peak() -> float:
    """Return the most MB that were ever resident."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / 2**20 if sys.platform == "darwin" else most / 1024


@contextmanager
def working_folder() -> Iterator[Path]:
    """Give a folder, in memory where that can be, with a place for temporary files that must stay empty."""
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="aslant-fuzz-", dir=base) as name:
        folder = Path(name)
        for part in ("work", "tmp", "cache"):
            (folder / part).mkdir()
        before = dict(os.environ)
        os.environ |= {"ASLANT_CACHE": str(folder / "cache"), "ASLANT_OFFLINE": "1", "HF_HUB_OFFLINE": "1"}
        os.environ["TMPDIR"] = tempfile.tempdir = str(folder / "tmp")
        try:
            yield folder
        finally:
            tempfile.tempdir = None
            os.environ.clear()
            os.environ.update(before)


class Current:
    """The input under way, in a file that outlives this process."""

    def __init__(self, path: Path) -> None:
        path.write_bytes(bytes(UNDER_WAY))
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), UNDER_WAY)

    def put(self, count: int, data: bytes) -> None:
        self._map[:16] = count.to_bytes(8, "little") + len(data).to_bytes(8, "little")
        self._map[16 : 16 + len(data)] = data

    @staticmethod
    def read(path: Path) -> tuple[int, bytes]:
        """Return the number of the input under way, and the input."""
        content = path.read_bytes()
        return int.from_bytes(content[:8], "little"), content[16 : 16 + int.from_bytes(content[8:16], "little")]


class Run:
    """One target under way: counts, failures, and what it left behind."""

    def __init__(self, target: Target, seed: int, folder: Path, out: Path) -> None:
        self.target, self.folder, self.out = target, folder, out
        self.inputs = Inputs(target, Random(f"{seed} {target.name}"))
        self.kinds: Counter[str] = Counter()
        self.failures: dict[str, dict[str, Any]] = {}
        self.slowest, self.count = 0.0, 0
        self.current = Current(out / "under-way")
        self.peak = 0.0

    def one(self, data: bytes, witness: Witness) -> Outcome:
        """Run one input, with a limit on its time and memory."""
        self.count += 1
        self.current.put(self.count, data)
        before = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, SLOWEST)
        try:
            outcome = judge(self.target, data, self.folder / "work", witness)
        except HangError:
            outcome = Outcome("hang", f"more than {SLOWEST:g} s of processor time", "hang")
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        self.slowest = max(self.slowest, time.process_time() - before)
        now = peak()
        if self.peak and now > self.peak + self.target.most_memory:
            outcome = Outcome("memory", f"one input took {now - self.peak:.0f} MB", "memory")
        self.peak = max(self.peak, now)
        return outcome

    def failed(self, data: bytes, outcome: Outcome, witness: Witness) -> None:
        """Keep the first input of each failure, as small as it gets in a few tries."""
        known = self.failures.get(outcome.key)
        if known is not None:
            known["times"] += 1
            return
        small = data if outcome.key in ("hang", "memory") else self._smaller(data, outcome.key, witness)
        path = self.out / f"failure-{len(self.failures) + 1}"
        path.write_bytes(small)
        self.failures[outcome.key] = {"what": outcome.failure, "key": outcome.key, "file": str(path), "times": 1}

    def _smaller(self, data: bytes, key: str, witness: Witness) -> bytes:
        until, step = time.monotonic() + 3, max(1, len(data) // 2)
        while step and time.monotonic() < until:
            at = 0
            while at < len(data) and time.monotonic() < until:
                shorter = data[:at] + data[at + step :]
                witness.take()
                if judge(self.target, shorter, self.folder / "work", witness).key == key:
                    data = shorter
                else:
                    at += step
            step //= 2
        return data

    def left_behind(self, before: tuple[int, int, set[str]], rss: list[float]) -> list[dict[str, Any]]:
        """Return what stayed: files, descriptors, threads, memory that grows from quarter to quarter."""
        gc.collect()
        found = []
        files, threads, names = held(self.folder)
        if files > before[0] + 3:
            found.append(f"{files - before[0]} files are still open")
        if threads > before[1] + 8:  # pools of polars, numba and BLAS begin when they are first used
            found.append(f"{threads - before[1]} threads are still there")
        if new := names - before[2]:
            found.append(f"temporary files were left behind: {', '.join(sorted(new)[:3])}")
        if len(rss) >= 12 and min(rss[-3:]) - max(rss[3:6]) > MOST_LEFT:
            found.append(f"memory grew from {max(rss[3:6]):.0f} to {min(rss[-3:]):.0f} MB")
        return [{"what": what, "key": "leak", "file": "", "times": 1} for what in found]


def held(folder: Path) -> tuple[int, int, set[str]]:
    """Return open files, threads, and the temporary files there are."""
    names = {path.name for path in (folder / "tmp").iterdir()}
    names |= {path.name for path in (folder / "work").rglob("*.partial")}
    return len(os.listdir("/dev/fd")), threading.active_count(), names  # noqa: PTH208


def _hang(*_: Any) -> None:
    raise HangError


def work(target: Target, seconds: float, seed: int, out: Path, most: int | None = None) -> dict[str, Any]:
    """Run a target for so many seconds (or inputs) and return what there is to report."""
    out.mkdir(parents=True, exist_ok=True)
    with working_folder() as folder, witnessed() as witness:
        run = Run(target, seed, folder, out)
        faults = [_seed_fault(run, data, witness) for data in run.inputs.seeds]
        previous = signal.signal(signal.SIGPROF, _hang)
        for _ in range(WARM):  # what is imported, compiled or cached at first use is not a leak
            _next(run, witness)
        run.peak = peak()
        gc.collect()
        before, start = held(folder), time.monotonic()
        rss = _loop(run, witness, start, seconds, most)
        left = run.left_behind(before, rss)
        signal.signal(signal.SIGPROF, previous)
    wrong = [fault for fault in faults if fault]
    return {
        "target": target.name,
        "inputs": run.count,
        "seconds": time.monotonic() - start,
        "kinds": dict(run.kinds.most_common()),
        "slowest": run.slowest,
        "growth": min(rss[-3:]) - max(rss[3:6]) if len(rss) >= 12 else 0.0,
        "failures": [*run.failures.values(), *left, *wrong],
    }


def _loop(run: Run, witness: Witness, start: float, seconds: float, most: int | None) -> list[float]:
    rss: list[float] = []
    while (done := _share(run, start, seconds, most)) < 1:
        _next(run, witness)
        if done * SAMPLES >= len(rss):
            gc.collect()
            rss.append(memory())
    return rss


def _share(run: Run, start: float, seconds: float, most: int | None) -> float:
    return max((time.monotonic() - start) / seconds, run.count / most if most else 0.0)


def _next(run: Run, witness: Witness) -> None:
    data = run.inputs.next()
    witness.take()
    outcome = run.one(data, witness)
    run.kinds[outcome.kind] += 1
    run.inputs.met(data, outcome)
    if outcome.failure:
        run.failed(data, outcome, witness)


def _seed_fault(run: Run, data: bytes, witness: Witness) -> dict[str, Any] | None:
    """Seeds must be read (or refused, where everything is): else the target tests nothing."""
    witness.take()
    outcome = judge(run.target, data, run.folder / "work", witness)
    run.inputs.met(data, outcome)
    fits = outcome.kind.startswith("refused") if run.target.always_refuses else not outcome.kind.startswith("refused")
    if fits and not outcome.failure and outcome.kind != "absent":
        return None
    return {"what": f"a seed came out as {outcome.kind} {outcome.failure}", "key": "seed", "file": "", "times": 1}


def main(name: str, seconds: float, seed: int, out: Path) -> None:
    """Run one target in this process and write its report."""
    from fuzzing.table import every_target

    resource.setrlimit(resource.RLIMIT_AS, (24 << 30, 24 << 30))
    report = work(every_target()[name], seconds, seed, out)
    (out / "report.json").write_text(json.dumps(report, indent=1))
    sys.stdout.flush()
