"""Throw damaged input at every reader that aslant has, for as long as you like, and say what came of it.

    python tools/fuzz.py --seconds 600 --seed 0
    python tools/fuzz.py --targets "GAP,policy" --engine mutate --seconds 20
    python tools/fuzz.py --replay fuzz-out/…/failure-1 --targets GAP

Two engines: `mutate` damages good files by what is known of their formats; `atheris` (pip install atheris) watches
which lines an input reaches. A failure is anything but an answer or one plain sentence: another exception, a warning,
a number that is none, a hang, memory that grows, a file that stays. Each is kept, made small, with the command that
shows it again. Exit code 1 if there is any.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ENGINES = ("mutate", "atheris")
#: Seconds without a new input after which a process is ended, and to import and compile before the first.
STUCK, BEGIN = 90, 180
HERE = Path(__file__).resolve()


@dataclass
class Job:
    """One target with one engine, in a process of its own."""

    target: str
    engine: str
    seconds: float
    seed: int
    out: Path
    process: subprocess.Popen[bytes] | None = None
    seen: tuple[int, float] = (-1, 0.0)
    died: str = ""
    report: dict[str, Any] = field(default_factory=dict)

    def start(self) -> None:
        """Begin."""
        self.out.mkdir(parents=True, exist_ok=True)
        command = [
            sys.executable, str(HERE), "--worker", self.engine, "--targets", self.target, "--seconds",
            str(self.seconds), "--seed", str(self.seed), "--out", str(self.out),
        ]  # fmt: skip
        threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"), "1")
        with (self.out / "log").open("wb") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, **threads})
        self.seen = (-1, time.monotonic())

    def done(self) -> bool:
        """Tell whether it has ended; one that hangs where no signal reaches it is ended."""
        assert self.process is not None
        if self.process.poll() is not None:
            return True
        count = self._under_way()[0]
        if count != self.seen[0]:
            self.seen = (count, time.monotonic())
        if time.monotonic() - self.seen[1] > (STUCK if count > 0 else BEGIN):
            self.process.kill()
            self.process.wait()
            self.died = f"no new input for {STUCK} s"
            return True
        return False

    def _under_way(self) -> tuple[int, bytes]:
        from fuzzing.worker import Current

        path = self.out / "under-way"
        return Current.read(path) if path.exists() else (0, b"")

    def finish(self) -> dict[str, Any]:
        """Return the report, with the input under way as a failure if the process died."""
        assert self.process is not None
        path = self.out / "report.json"
        report: dict[str, Any] = {
            "failures": [],
            "kinds": {},
            "inputs": 0,
            "seconds": self.seconds,
            "slowest": 0,
            "growth": 0,
        }
        if path.exists():
            report |= json.loads(path.read_text())
        if self.engine == "atheris":
            report["inputs"] = self._under_way()[0]
        if (self.out / "place").exists():
            shutil.rmtree((self.out / "place").read_text(), ignore_errors=True)
        if self.died or self.process.returncode:
            count, data = self._under_way()
            kept = self.out / "failure-last"
            kept.write_bytes(data)
            log = (self.out / "log").read_text(errors="replace").strip().split("\n")
            what = self.died or f"the process ended with code {self.process.returncode}: {' / '.join(log[-3:])[:300]}"
            report["failures"].append({"what": what, "key": "died", "file": str(kept), "times": 1})
            report["inputs"] = max(report["inputs"], count)
        return {**report, "target": self.target, "engine": self.engine}


def run_all(jobs: Sequence[Job], at_once: int, *, quiet: bool = False) -> list[dict[str, Any]]:
    """Run jobs, so many at a time, and return their reports."""
    waiting, running, reports = list(jobs), [], []
    while waiting or running:
        while waiting and len(running) < at_once:
            running.append(waiting.pop(0))
            running[-1].start()
        time.sleep(0.2)
        for job in [job for job in running if job.done()]:
            running.remove(job)
            reports.append(job.finish())
            if not quiet:
                print(_line(reports[-1]), flush=True)
    return reports


def _line(report: dict[str, Any]) -> str:
    accepted, refused = _kinds(report)
    return (
        f"{report['target']:<24} {report['engine']:<8} {report['inputs']:>9,} inputs {accepted:>3} ways accepted "
        f"{refused:>3} refused  {1000 * report['slowest']:>7.1f} ms at most  {report['growth']:>+6.1f} MB  "
        f"{len(report['failures'])} failures"
    )


def _kinds(report: dict[str, Any]) -> tuple[int, int]:
    """Return in how many ways input was accepted (or taken for absent), and refused."""
    refused = sum(kind.startswith("refused") for kind in report["kinds"])
    return len(report["kinds"]) - refused, refused


def table(reports: Sequence[dict[str, Any]]) -> str:
    """Return the table of the guide: a line for each target, both engines together."""
    lines = [
        "| target | inputs | accepted as | refusals | seconds | slowest | memory |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    names = dict.fromkeys(report["target"] for report in reports)
    for name in names:
        own = [report for report in reports if report["target"] == name]
        kinds: dict[str, int] = {kind: 1 for report in own for kind in report["kinds"]}
        accepted, refused = _kinds({"kinds": kinds})
        slowest, growth = max(r["slowest"] for r in own), max(r["growth"] for r in own)
        lines.append(
            f"| {name} | {_total(own, 'inputs')} | {accepted} | {refused} | {_total(own, 'seconds')} "
            f"| {1000 * slowest:,.0f} ms | {growth:+.1f} MB |"
        )
    lines.append(f"| **all** | **{_total(reports, 'inputs')}** | | | {_total(reports, 'seconds')} | | |")
    return "\n".join(lines)


def _total(reports: Sequence[dict[str, Any]], name: str) -> str:
    return f"{sum(report[name] for report in reports):,.0f}"


def failures(reports: Sequence[dict[str, Any]]) -> list[str]:
    """Return what failed, each with the command that shows it again."""
    found = []
    for report in reports:
        for failure in report["failures"]:
            again = (
                f'python tools/fuzz.py --targets "{report["target"]}" --replay {failure["file"]}'
                if failure["file"]
                else "(all of it)"
            )
            found.append(
                f"{report['target']} ({report['engine']}, {failure['times']} times): {failure['what']}\n    {again}"
            )
    return found


def replay(target: str, path: Path) -> int:
    """Give one input to a target, and say what came of it."""
    from fuzzing.judging import judge, witnessed
    from fuzzing.table import every_target
    from fuzzing.worker import working_folder

    with working_folder() as folder, witnessed() as witness:
        outcome = judge(every_target()[target], path.read_bytes(), folder / "work", witness)
    print(f"{outcome.kind}\n{outcome.failure or 'no failure'}")
    return 1 if outcome.failure else 0


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600, help="for all targets together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--targets", default="", help="names, separated by commas (nothing: all)")
    parser.add_argument("--engine", choices=(*ENGINES, "both"), default="both")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1), help="processes at a time")
    parser.add_argument("--out", type=Path, default=Path("fuzz-out"), help="a folder for reports and failures")
    parser.add_argument("--list", action="store_true", help="list the targets")
    parser.add_argument("--replay", type=Path, help="one input again, to the target of --targets")
    parser.add_argument("--worker", choices=ENGINES, help=argparse.SUPPRESS)
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> int:
    """Run the command."""
    asked = arguments(given)
    names = [name.strip() for name in asked.targets.split(",") if name.strip()]
    if asked.worker:
        from fuzzing import guided, worker

        engine = worker if asked.worker == "mutate" else guided
        engine.main(asked.targets, asked.seconds, asked.seed, asked.out)
        return 0
    if asked.replay:
        return replay(asked.targets, asked.replay)
    from fuzzing.table import chosen, every_target

    if asked.list:
        print("\n".join(f"{target.name:<24} {', '.join(target.covers)}" for target in every_target().values()))
        return 0
    engines = ENGINES if asked.engine == "both" else (asked.engine,)
    if "atheris" in engines and find_spec("atheris") is None:
        print("atheris is not installed (pip install atheris): the engine 'mutate' runs alone.")
        engines = ("mutate",)
    targets = chosen(names)
    for left in [] if names else [t for t in every_target().values() if t not in targets]:
        print(f"left out, since {' or '.join(left.needs)} is not installed: {left.name}")
    share = asked.seconds * asked.jobs / (len(targets) * len(engines))
    jobs = [
        Job(t.name, engine, share, asked.seed, asked.out / engine / t.name.replace(" ", "-").replace("/", "-"))
        for t in targets for engine in engines
    ]  # fmt: skip
    reports = run_all(jobs, asked.jobs)
    text = table(reports)
    (asked.out / "table.md").write_text(text + "\n")
    (asked.out / "reports.json").write_text(json.dumps(reports, indent=1))
    print(f"\n{text}\n")
    broken = failures(reports)
    print("\n".join(broken) or "nothing failed")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
