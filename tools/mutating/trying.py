"""Mutants meet tests: each in a child of a process that has imported the package and collected the tests."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import signal
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from mutating.changes import SOURCE, Mutant
from mutating.noting import OPTIONS
from mutating.processes import in_a_process

#: Imported once, before any test: what takes longest to load.
HEAVY = ("hypothesis", "numba", "numpy.testing", "rich.console", "scipy.stats", "sklearn.svm", "torch", "typer")
#: Seconds of a processor after which a test counts as one that never ends.
PATIENCE = 10
#: Read by this process, and as sitecustomize.py by those that tests start.
HOOK = """
import importlib.machinery

USUAL = importlib.machinery.SourceFileLoader.get_code


def get_code(self, name):
    return compile(SOURCE, self.path, "exec") if self.path == PATH else USUAL(self, name)


importlib.machinery.SourceFileLoader.get_code = get_code
"""


def load_heavy() -> None:
    """Import what takes long to import, where it is installed."""
    for name in HEAVY:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


class Finder:
    """Notes the test that fails; one that takes much longer than any did before ends the process."""

    failed = ""

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Give the test its time."""
        signal.setitimer(signal.ITIMER_PROF, PATIENCE)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a failure."""
        if report.failed:
            self.failed = report.nodeid


def use_own_cache(mutant: Mutant) -> str:
    """Return a new folder; where the file has compiled functions, numba keeps those of this process in it."""
    import numba

    folder = tempfile.mkdtemp()
    if "compiled" in mutant.path.read_text(encoding="utf-8"):
        os.environ["NUMBA_CACHE_DIR"] = numba.config.CACHE_DIR = folder  # type: ignore[attr-defined]
    return folder


def import_changed(mutant: Mutant) -> None:
    """Let this process, and those that it starts, import the changed source."""
    hook = f"PATH = {str(mutant.path)!r}\nSOURCE = {mutant.source()!r}\n{HOOK}"
    folder = use_own_cache(mutant)
    Path(folder, "sitecustomize.py").write_text(hook, encoding="utf-8")
    os.environ["PYTHONPATH"] = os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")])
    exec(compile(hook, "sitecustomize.py", "exec"), {})


def noticed_when_imported(mutant: Mutant, tests: list[str], seconds: float) -> str:
    """Return the first test that fails in a process that imports the changed file, or "" if all pass."""

    def job() -> str:
        import_changed(mutant)
        finder = Finder()
        return "" if not pytest.main([*OPTIONS, "-x", *tests], plugins=[finder]) else finder.failed or "(not collected)"

    found = in_a_process(job, 60 + 20 * seconds)
    return "(no end, or a crash)" if found is None else str(found)


def key(code: CodeType) -> tuple[str, str, int]:
    """Return what tells one function from another."""
    return code.co_filename, code.co_qualname, code.co_firstlineno


def differences(old: CodeType, new: CodeType, live: dict[Any, list[FunctionType]]) -> Iterator[CodeType | None]:
    """Yield the new code of each function that exists and differs; None for a difference outside such functions."""
    if old == new:
        return
    if key(old) in live:
        yield new
        return
    consts = [[part for part in code.co_consts if not isinstance(part, CodeType)] for code in (old, new)]
    if (old.co_code, old.co_names, consts[0]) != (new.co_code, new.co_names, consts[1]):
        yield None
    inner = [[part for part in code.co_consts if isinstance(part, CodeType)] for code in (old, new)]
    for first, second in zip(*inner, strict=True):
        yield from differences(first, second, live)


class Tries:
    """Tries mutants once tests are collected: functions that exist get the changed code, in a child of this process."""

    def __init__(self, work: Callable[[Tries], None]) -> None:
        self.work = work
        self.items: dict[str, pytest.Item] = {}
        self.live: dict[Any, list[FunctionType]] = {}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Let `work` try mutants in place of running every test."""
        self.items = {item.nodeid: item for item in session.items}
        gc.unfreeze()
        for found in gc.get_objects():
            if type(found) is FunctionType and found.__code__.co_filename.startswith(str(SOURCE)):
                self.live.setdefault(key(found.__code__), []).append(found)
        gc.collect()
        gc.freeze()
        self.work(self)
        return True

    def put_in_place(self, mutant: Mutant) -> bool:
        """Give the functions that exist the changed code; False if the change is not in one of them."""
        old = compile(mutant.path.read_text(encoding="utf-8"), str(mutant.path), "exec", dont_inherit=True)
        found = list(differences(old, mutant.code(), self.live))
        if not found or None in found:
            return False
        use_own_cache(mutant)
        for code in found:
            for function in self.live[key(code)] if code else ():
                function.__code__ = code  # type: ignore[assignment]
        return True

    def first_failure(self, tests: list[str]) -> str:
        """Return the first test that fails, or ""."""
        items = [self.items[test] for test in tests]
        for item, following in zip(items, [*items[1:], None], strict=True):
            signal.setitimer(signal.ITIMER_PROF, PATIENCE)
            if any(report.failed for report in runtestprotocol(item, log=False, nextitem=following)):
                return item.nodeid
        return ""

    def noticed_by(self, mutant: Mutant, tests: list[str], seconds: float) -> str:
        """Return the first test that fails with the change; "" if all pass, or if it is not in a function."""
        tests = [test for test in tests if test in self.items]
        job = lambda: self.first_failure(tests) if tests and self.put_in_place(mutant) else ""  # noqa: E731
        found = in_a_process(job, 60 + 20 * seconds)
        return "(no end, or a crash)" if found is None else str(found)


def collect(places: list[str], work: Callable[[Tries], None]) -> None:
    """Collect the tests of folders and let `work` try mutants on them."""
    for file in sorted(SOURCE.rglob("*.py")):
        if not file.name.startswith("__"):
            name = ".".join(file.relative_to(SOURCE.parent).with_suffix("").parts)
            with contextlib.suppress(Exception):  # what is not installed
                importlib.import_module(name)
    if pytest.main([*OPTIONS, *places], plugins=[Tries(work)]) not in (0, 1, 5):
        raise SystemExit("the tests cannot be collected.")
