"""Processes of this machine. What is large is written once, to a folder of this user, and each process maps it there.

Each process has a thread here that takes one task after the other from a queue, so that none waits while a process is
free, and one that dies takes no other along and is missed at once. (loky and the standard library give up a whole pool
then; loky hangs at times when a process is killed while a task is handed over.)
"""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from aslant.errors import WorkersError
from aslant.parallel.cluster import LostError
from aslant.parallel.process_worker import receive, send
from aslant.parallel.worker import Kept, software

try:
    import fcntl
except ImportError:  # a system without such locks: what the killed leave stays there
    fcntl = None  # type: ignore[assignment]

#: How folders of what workers share are called, and the file in each that its owner holds locked.
FOLDER, LOCK = "aslant-workers-", "lock"
#: Libraries that read these when they start have one thread from the beginning.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class _Process:
    """One process, started when it is first needed, and again after it died."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._ended = False
        self._lock = threading.Lock()

    def ask(self, call: bytes) -> Any:
        """Return the answer to a task, raise what it raised, or `LostError`."""
        try:
            process = self._started()
            assert process.stdin is not None
            assert process.stdout is not None
            send(process.stdin, call)
            well, answer = pickle.loads(receive(process.stdout))
        except (EOFError, OSError):
            self._drop()
            raise LostError("a process of this machine ended") from None
        if not well:
            raise answer
        return answer

    def _started(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._ended:
                raise EOFError
            if self._process is None:
                # -P: nothing is imported from the current folder, which may be anybody's.
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-m", "aslant.parallel.process_worker"],
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, **ONE_THREAD, **_path()},
                )  # fmt: skip
                assert self._process.stdin is not None
                send(self._process.stdin, pickle.dumps(sys.path))
            return self._process

    def _drop(self) -> None:
        with self._lock:
            process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            assert stream is not None
            with suppress(OSError):  # of what was still to be written
                stream.close()

    def end(self) -> None:
        """End the process for good, in the middle of a task too: who waits for its answer finds it lost."""
        with self._lock:
            self._ended = True
            if self._process is not None:
                self._process.kill()

    def clean_up(self) -> None:
        """Take leave of a process that has ended, when nobody waits for it any more."""
        self._drop()


def _path() -> dict[str, str]:
    """Let the process find aslant where this one has it, before it is told more."""
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
        sweep()
        self._size = size
        self._processes: list[_Process] = []
        self._mine = threading.local()
        self._threads = ThreadPoolExecutor(size, thread_name_prefix="aslant-worker")
        self._folder = tempfile.TemporaryDirectory(prefix=FOLDER, ignore_cleanup_errors=True)
        self._lock = locked(Path(self._folder.name))
        self._number = 0
        self._placed = Kept(drop=lambda placed: Path(placed[1]).unlink(missing_ok=True))

    def size(self) -> int:
        """Return how many processes there are."""
        return self._size

    def submit(self, task: Callable[[Any, Any], Any], shared: Any, item: Any) -> Future[Any]:
        """Queue a task for the first process that is free."""
        import cloudpickle

        path = None if shared is None else self._placed.get(id(shared), lambda: (shared, self._write(shared)))[1]
        return self._threads.submit(self._ask, cloudpickle.dumps((task, path, item, software())))

    def _ask(self, call: bytes) -> Any:
        """Give a task to the process of this thread."""
        if not hasattr(self._mine, "process"):
            self._mine.process = _Process()
            self._processes.append(self._mine.process)
        return self._mine.process.ask(call)

    def _write(self, shared: Any) -> str:
        import joblib

        self._number += 1
        path = Path(self._folder.name) / f"{self._number}.joblib"
        try:
            joblib.dump(shared, path)
        except OSError as error:
            raise WorkersError(
                f"what workers need cannot be written to '{path.parent}' ({error.strerror}); make room there, or set "
                "TMPDIR to another folder."
            ) from None
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
        self._threads.shutdown(wait=False, cancel_futures=True)
        for process in self._processes:
            process.end()
        self._threads.shutdown(wait=True)
        for process in self._processes:
            process.clean_up()
        self._placed.clear()
        self._lock.close()
        self._folder.cleanup()


def locked(folder: Path) -> IO[bytes]:
    """Return a file in `folder` that this process holds locked for as long as it lives."""
    held = (folder / LOCK).open("wb")
    if fcntl is not None:
        fcntl.flock(held, fcntl.LOCK_EX)
    return held


def sweep() -> None:
    """Remove the folders of processes that were killed; those under a minute old may not be locked yet."""
    for folder in Path(tempfile.gettempdir()).glob(f"{FOLDER}*"):
        with suppress(OSError):  # somebody else's, or in use
            if fcntl is not None and time.time() - folder.stat().st_mtime > 60:
                with (folder / LOCK).open("rb") as held:
                    fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(folder, ignore_errors=True)
