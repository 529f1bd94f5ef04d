"""Processes of this machine (loky, from joblib): each has its own executor, so that one that dies takes no other along.

What is large is written once to a folder that only this user can read, and each process maps it from there.
"""

from __future__ import annotations

import tempfile
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from slant.parallel.cluster import LostError
from slant.parallel.worker import Kept, Versions, run, software

#: Libraries that read these when they start have one thread from the beginning.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
_mapped = Kept()


def run_mapped(task: Callable[[Any, Any], Any], path: str | None, item: Any, expected: Versions) -> Any:
    """Run a task in a process of this machine; what is shared is mapped from a file."""
    return run(task, None if path is None else _mapped.get(path, lambda: _map(path)), item, expected)


def _map(path: str) -> Any:
    import joblib

    return joblib.load(path, mmap_mode="r")  # a file of ours, in a folder that nobody else can write to


@dataclass(eq=False)
class _Sent:
    """A task on its way: its future, and the process that has it."""

    future: Future[Any]
    process: _Process


class _Process:
    """One process, started when it is first needed, and again after it died."""

    def __init__(self) -> None:
        self._executor: Any = None
        self.busy: deque[Future[Any]] = deque()

    def submit(self, *call: Any) -> Future[Any]:
        future: Future[Any]
        try:
            future = self._started().submit(*call)
        except BrokenProcessPool:  # it died since
            self.stop()
            future = self._started().submit(*call)
        self.busy = deque(each for each in self.busy if not each.done())
        self.busy.append(future)
        return future

    def load(self) -> int:
        return sum(not future.done() for future in self.busy)

    def _started(self) -> Any:
        if self._executor is None:
            from joblib.externals.loky import ProcessPoolExecutor

            self._executor = ProcessPoolExecutor(1, env=ONE_THREAD)
        return self._executor

    def stop(self) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=True, kill_workers=True)
            self._executor = None


class Processes:
    """So many processes of this machine; see `Cluster`.

    >>> import operator
    >>> workers = Processes(1)
    >>> workers.result(workers.submit(operator.add, 40, 2))
    42
    >>> workers.close()
    """

    def __init__(self, size: int) -> None:
        self._processes = [_Process() for _ in range(size)]
        self._folder = tempfile.TemporaryDirectory(prefix="slant-workers-", ignore_cleanup_errors=True)
        self._number = 0
        self._placed = Kept(drop=lambda placed: Path(placed[1]).unlink(missing_ok=True))

    def size(self) -> int:
        """Return how many processes there are."""
        return len(self._processes)

    def submit(self, task: Callable[[Any, Any], Any], shared: Any, item: Any) -> _Sent:
        """Give a task to the process with the fewest."""
        path = None if shared is None else self._placed.get(id(shared), lambda: (shared, self._write(shared)))[1]
        process = min(self._processes, key=_Process.load)
        return _Sent(process.submit(run_mapped, task, path, item, software()), process)

    def _write(self, shared: Any) -> str:
        import joblib

        self._number += 1
        path = Path(self._folder.name) / f"{self._number}.joblib"
        joblib.dump(shared, path)
        return str(path)

    def result(self, future: _Sent) -> Any:
        """Wait for an answer."""
        try:
            return future.future.result()
        except BrokenProcessPool:
            raise LostError("a process of this machine ended") from None

    def wait(self, futures: Sequence[_Sent]) -> _Sent:
        """Wait until one has an answer."""
        ready = wait([each.future for each in futures], return_when=FIRST_COMPLETED).done
        return next(each for each in futures if each.future in ready)

    def cancel(self, future: _Sent) -> None:
        """Let go of an answer; its task goes on to its end.

        A cancelled one would break loky's manager when the process is stopped (InvalidStateError), and hang the stop.
        """

    def close(self) -> None:
        """End the processes, whatever they are doing."""
        for process in self._processes:
            process.stop()
        self._placed.clear()
        self._folder.cleanup()
