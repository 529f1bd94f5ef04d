"""Which functions of the core each test calls, and how long it takes: run once, and kept."""

from __future__ import annotations

import hashlib
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

from mutating.changes import ROOT, SOURCE, Mutant
from mutating.processes import in_a_process

#: Plain: what is imported is not rewritten. Functions: `tests_of` in the core is not a test, nor is a class `Tests`.
OPTIONS = (
    "-n", "0", "-s", "-q", "-p", "no:cacheprovider", "--assert=plain", "-o", "python_functions=test_*",
    "-o", "python_classes=Test[A-Z]*",
)  # fmt: skip
#: {file of tests: [digest, {test: [seconds, functions that it calls]}]}
Noted = dict[str, Any]


class Recorder:
    """Notes how long each test takes and which functions of the core it calls."""

    def __init__(self, slowest: float) -> None:
        self.slowest = slowest
        self.tests: dict[str, Any] = {}
        self.seen: set[CodeType] = set()

    def trace(self, frame: FrameType, event: str, argument: Any) -> None:
        """Note a call."""
        self.seen.add(frame.f_code)

    def calls(self) -> list[str]:
        """Return the functions of the core among those that were called."""
        start = f"{SOURCE}/"
        ours = [code for code in self.seen if code.co_filename.startswith(start)]
        return sorted({f"{code.co_filename.removeprefix(start)}:{code.co_name}" for code in ours})

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Run a test while its calls are noted; end it when it takes too long."""
        self.seen.clear()
        start = time.process_time()
        signal.signal(signal.SIGPROF, lambda *_: pytest.fail("too slow"))
        signal.setitimer(signal.ITIMER_PROF, self.slowest)
        threading.settrace(self.trace)
        sys.settrace(self.trace)
        yield
        sys.settrace(None)
        threading.settrace(None)
        signal.setitimer(signal.ITIMER_PROF, 0)
        self.tests.setdefault(item.nodeid, [time.process_time() - start, self.calls()])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Leave out tests that do not pass as they are, or not soon enough."""
        if not report.passed:
            self.tests[report.nodeid] = None


def note_calls(place: str, noted: Noted, slowest: float) -> None:
    """Run the test files of a folder that `noted` lacks, and add them."""
    files = [file for file in sorted((ROOT / place).glob("*.py")) if file.name not in ("__init__.py", "conftest.py")]
    digests = {str(file.relative_to(ROOT)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
    stale = [file for file, digest in digests.items() if noted.get(file, [""])[0] != digest]
    if not stale:
        return

    def job() -> dict[str, Any] | None:
        recorder = Recorder(slowest)
        ended = pytest.main([*OPTIONS, *stale], plugins=[recorder])
        usual = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED)
        return {test: found for test, found in recorder.tests.items() if found} if ended in usual else None

    if (found := in_a_process(job, 1800)) is None:
        raise SystemExit(f"the tests in '{place}' do not run without any change.")
    for file in stale:
        tests = {test: calls for test, calls in found.items() if test.startswith(f"{file}::")}
        noted[file] = [digests[file], tests]
    print(f"{len(found)} tests in {place}", flush=True)


def mirrors(path: Path) -> list[str]:
    """Return where the tests of a module are: its folder's doctests, the folder that mirrors it, and those above."""
    inside = path.relative_to(SOURCE).parent
    above = [f"tests/{folder}" for folder in inside.parents if folder.name]
    return [place for place in (f"src/aslant/{inside}", f"tests/{inside}", *above) if (ROOT / place).exists()]


def chosen(mutant: Mutant, noted: Noted, most: float) -> list[tuple[float, str]]:
    """Return (seconds, test) of those that call the changed function or are named after its module.

    Where none does, those of the module, or of its folder: compiled code and constants are not seen to be called.
    """
    tests = [(found[0], test, found[1]) for _, file in noted.values() for test, found in file.items()]
    module = f"{mutant.path.relative_to(SOURCE)}:"
    calling = [test for test in tests if mutant.function and module + mutant.function in test[2]]
    calling = calling or [test for test in tests if any(call.startswith(module) for call in test[2])]
    own = f"/test_{mutant.path.stem}.py::"
    calling += [test for test in tests if own in test[1] and test not in calling]
    mirrored = [test for test in tests if any(test[1].startswith(place) for place in mirrors(mutant.path))]
    total, taken = 0.0, []
    for seconds, test, _ in sorted(calling or mirrored):
        total += seconds
        if total < most:
            taken.append((seconds, test))
    return taken
