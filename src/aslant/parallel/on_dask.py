"""A Dask cluster that the user already has: what is large is scattered to its workers, tasks name it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from aslant.errors import MissingExtraError, WorkersError
from aslant.parallel.cluster import PATIENCE, GivenUpError, LostError, first_line, reach
from aslant.parallel.worker import Kept, run, software

#: Seconds between two looks at whether there are any workers left.
LOOK = 2


class DaskCluster:
    """The workers of a Dask scheduler; see `Cluster`."""

    def __init__(self, address: str) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise MissingExtraError("Dask is not installed; pip install '.[dask]'.") from None
        self.address = address
        try:
            if not reach(address):
                raise ValueError("that is no address")  # noqa: TRY301 (said below, with all other reasons)
            self.client = Client(address, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            raise WorkersError(
                f"cannot reach a Dask scheduler at '{address}' ({first_line(error)}); give its address, such as "
                "tcp://host:8786."
            ) from None
        try:
            self.client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            self.client.close()
            raise WorkersError(f"the Dask scheduler at '{address}' has no workers; start some (dask worker).") from None
        self._placed = Kept()
        self._seen = time.monotonic()

    def size(self) -> int:
        """Return how many threads the workers have, by now."""
        with self._there():
            return sum(self.client.nthreads().values())

    def submit(self, task: Callable[[Any, Any], Any], shared: Any, item: Any) -> Any:
        """Hand out a task; what is shared is on every worker from its first task on."""
        placed = None if shared is None else self._place(shared)
        # Dask itself gives a task whose worker dies to another one, as often as its own setting says.
        with self._there():
            return self.client.submit(run, task, placed, item, software(), pure=False)

    def _place(self, shared: Any) -> Any:
        name = id(shared)
        future = self._placed.get(name, lambda: (shared, self._scatter(shared)))[1]
        if future.status in ("cancelled", "lost", "error"):  # every worker that had it is gone
            self._placed.forget(name)
            future = self._placed.get(name, lambda: (shared, self._scatter(shared)))[1]
        return future

    def _scatter(self, shared: Any) -> Any:
        with self._there():
            (future,) = self.client.scatter([shared], broadcast=True, hash=False)  # alone, a dictionary is taken apart
            return future

    def result(self, future: Any) -> Any:
        """Wait for an answer."""
        from concurrent.futures import CancelledError

        from distributed.scheduler import KilledWorker

        self.wait([future])
        try:
            return future.result()
        except KilledWorker as error:
            said = f"several workers were lost with the same piece of work ({first_line(error)})."
            raise GivenUpError(said) from None
        except CancelledError:
            raise LostError("every worker that had what is shared is gone") from None
        except RuntimeError as error:
            if "deserializ" in str(error):  # the worker has no aslant
                raise ImportError(first_line(error)) from None
            raise

    def wait(self, futures: Sequence[Any]) -> Any:
        """Wait until one has an answer, as long as there are workers."""
        from concurrent.futures import CancelledError

        from distributed import wait

        while True:
            with self.client.as_current(), suppress(CancelledError, TimeoutError):
                wait(list(futures), timeout=LOOK, return_when="FIRST_COMPLETED")
            ready = next((each for each in futures if each.done()), None)
            if ready is not None:
                return ready
            self._need_workers()

    def _need_workers(self) -> None:
        """Raise where there have been no workers for a while: Dask itself would wait for new ones for ever."""
        if self.size():
            self._seen = time.monotonic()
        elif time.monotonic() - self._seen > PATIENCE:
            raise WorkersError(f"the Dask cluster at '{self.address}' has lost all its workers; start some, and go on.")

    @contextmanager
    def _there(self) -> Iterator[None]:
        try:
            yield
        except (OSError, TimeoutError) as error:
            raise WorkersError(
                f"the Dask cluster at '{self.address}' does not answer any more ({first_line(error)})."
            ) from None

    def cancel(self, future: Any) -> None:
        """Let go of an answer; a task that is under way goes on to its end."""
        with suppress(OSError, TimeoutError):
            future.cancel()

    def close(self) -> None:
        """Leave the cluster, which goes on."""
        self._placed.clear()
        with suppress(OSError, TimeoutError):
            self.client.close()
