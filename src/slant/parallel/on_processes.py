"""Processes of this machine. What is large is written once, to a folder of this user, and each process maps it there.

Each process has a thread here that hands it one task after the other, so that one that dies takes no other along, and
is missed at once. (loky and the standard library give up a whole pool then; loky hangs at times when a process is
killed while a task is handed over.)
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path
from typing import Any

from slant.parallel.cluster import LostError
from slant.parallel.process_worker import receive, send
from slant.parallel.worker import Kept, software

#: Libraries that read these when they start have one thread from the beginning.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class _Process:
    """One process, started when it is first needed, and again after it died."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="slant-worker")
        self._process: subprocess.Popen[bytes] | None = None
        self._sent: list[Future[Any]] = []

    def submit(self, call: bytes) -> Future[Any]:
        self._sent = [future for future in self._sent if not future.done()]
        self._sent.append(self._thread.submit(self._ask, call))
        return self._sent[-1]

    def load(self) -> int:
        return sum(not future.done() for future in self._sent)

    def _ask(self, call: bytes) -> Any:
        try:
            process = self._started()
            assert process.stdin is not None
            assert process.stdout is not None
            send(process.stdin, call)
            well, answer = pickle.loads(receive(process.stdout))
        except (EOFError, OSError):
            self._end()
            raise LostError("a process of this machine ended") from None
        if not well:
            raise answer
        return answer

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            command = [sys.executable, "-m", "slant.parallel.process_worker"]
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, **ONE_THREAD, **_path()}
            )
            assert self._process.stdin is not None
            send(self._process.stdin, pickle.dumps(sys.path))
        return self._process

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                assert stream is not None
                with suppress(OSError):  # of what was still to be written
                    stream.close()
            self._process = None

    def close(self) -> None:
        """End the process, in the middle of a task too."""
        if self._process is not None:
            self._process.kill()  # its thread then finds no answer
        self._thread.shutdown(wait=True, cancel_futures=True)
        self._end()


def _path() -> dict[str, str]:
    """Let the process find slant where this one has it, before it is told more."""
    home = str(Path(__file__).resolve().parents[2])
    return {"PYTHONPATH": os.pathsep.join(filter(None, [home, os.environ.get("PYTHONPATH")]))}


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

    def submit(self, task: Callable[[Any, Any], Any], shared: Any, item: Any) -> Future[Any]:
        """Give a task to the process with the fewest."""
        import cloudpickle

        path = None if shared is None else self._placed.get(id(shared), lambda: (shared, self._write(shared)))[1]
        process = min(self._processes, key=_Process.load)
        return process.submit(cloudpickle.dumps((task, path, item, software())))

    def _write(self, shared: Any) -> str:
        import joblib

        self._number += 1
        path = Path(self._folder.name) / f"{self._number}.joblib"
        joblib.dump(shared, path)
        return str(path)

    def result(self, future: Future[Any]) -> Any:
        """Wait for an answer."""
        return future.result()

    def wait(self, futures: Sequence[Future[Any]]) -> Future[Any]:
        """Wait until one has an answer."""
        ready = wait(futures, return_when=FIRST_COMPLETED).done
        return next(each for each in futures if each in ready)

    def cancel(self, future: Future[Any]) -> None:
        """Let go of an answer; a task that is under way goes on to its end."""
        future.cancel()

    def close(self) -> None:
        """End the processes, whatever they are doing."""
        for process in self._processes:
            process.close()
        self._placed.clear()
        self._folder.cleanup()
