"""Workers outside of this process: a Dask or a Ray cluster, each seen as an executor of `concurrent.futures`.

Both give the task of a worker that dies to another one by themselves. What is large goes to each worker once.
"""

from __future__ import annotations

import functools
import logging
import math
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypeAlias

from aslant.errors import LostWorkersError, MissingExtraError, WorkersError
from aslant.parallel.threads import as_worker

Versions: TypeAlias = tuple[tuple[str, str | None], ...]
#: What numbers depend on: a worker with other versions could give other last digits.
PACKAGES = ("aslant", "numpy", "scipy", "scikit-learn", "numba", "torch", "transformers")
#: Seconds to wait for a cluster to answer, and for a Dask cluster to start new workers where all have died.
PATIENCE, GONE = 10, 30
#: How often Ray gives a task whose worker dies to another one, since it may be the task that kills them.
RETRIES = 4


@contextmanager
def local_dask(workers: int) -> Iterator[Any]:
    """Start a Dask cluster of this many processes here; on a busy machine their end is not waited for."""
    from distributed import LocalCluster

    cluster = LocalCluster(
        n_workers=workers, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0",
        silence_logs=logging.ERROR,
    )  # fmt: skip
    try:
        yield cluster
    finally:
        with suppress(TimeoutError):  # Dask gives them a few seconds; they end with this process
            cluster.close()


class GivenUpError(LostWorkersError):
    """A piece of work that cost several workers."""


@functools.cache
def software() -> Versions:
    """Return the versions of everything that numbers depend on; None for what is not installed."""
    found: dict[str, str | None] = dict.fromkeys(PACKAGES)
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return tuple(found.items())


def run(task: Callable[[Any, Any], Any], shared: Any, item: Any, expected: Versions) -> Any:
    """Run one task in a worker, if the software there is that of the process that sent it."""
    if (mine := software()) != expected:
        here, there = next((a, b) for a, b in zip(mine, expected, strict=True) if a != b)
        raise WorkersError(
            f"a worker has {here[0]} {here[1] or 'not installed'} and this process {there[1] or 'has none'}; install "
            "the same versions everywhere, since results must not depend on where they are computed."
        )
    with as_worker():
        return task(shared, item)


class DaskCluster:
    """The workers of the Dask scheduler at `address`."""

    def __init__(self, address: str) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise MissingExtraError("Dask is not installed; pip install '.[dask]'.") from None
        self.address = address
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # a lost cluster is an error of ours
        try:
            if not reach(address):
                raise ValueError("that is not an address")  # noqa: TRY301 (said below, with all other reasons)
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
        self._executor = self.client.get_executor(pure=False)
        self._placed: tuple[Any, Any] = (None, None)
        self._seen = time.monotonic()

    def size(self) -> int:
        """Return how many threads the workers have, by now; an error where there have been none for a while."""
        try:
            found = int(sum(self.client.nthreads().values()))
        except OSError as error:
            raise LostWorkersError(
                f"the Dask cluster at '{self.address}' does not answer ({first_line(error)})."
            ) from None
        if found:
            self._seen = time.monotonic()
        elif time.monotonic() - self._seen > GONE:  # Dask itself would wait for new ones for ever
            raise LostWorkersError(
                f"the Dask cluster at '{self.address}' has lost all its workers; start some, and run this again."
            )
        return max(1, found)

    def submit(self, task: Callable[[Any, Any], Any], shared: Any, item: Any) -> Future[Any]:
        """Hand out `task(shared, item)`; what is shared is scattered to every worker before the first."""
        known, placed = self._placed
        if shared is None:  # what is scattered is lost with the last worker that has it
            self._placed = (None, None)
        elif shared is not known or placed.status in ("cancelled", "lost", "error"):
            (future,) = self.client.scatter([shared], broadcast=True, hash=False)  # alone, a dictionary is taken apart
            self._placed = (shared, future)
        found: Future[Any] = self._executor.submit(run, task, self._placed[1], item, software())
        return found

    def explained(self, error: BaseException) -> BaseException:
        """Tell a worker that died, or lacks aslant, from an error of the task."""
        from distributed.scheduler import KilledWorker

        if isinstance(error, KilledWorker):
            return GivenUpError(f"several workers were lost with the same piece of work ({first_line(error)}).")
        if isinstance(error, CancelledError):
            return LostWorkersError(
                f"the Dask cluster at '{self.address}' has lost what workers share; run this again."
            )
        if isinstance(error, RuntimeError) and "deserializ" in str(error):
            return ImportError(first_line(error))
        return error

    def close(self) -> None:
        """Leave the cluster, which keeps running."""
        self._placed = (None, None)
        with suppress(OSError, TimeoutError):
            self.client.close()


class RayCluster:
    """The workers of a Ray cluster. `address`: "auto", an address, or "local" for one of this machine.

    Where the process has joined a cluster already (`ray.init`), that is used and left as it is.
    """

    def __init__(self, address: str) -> None:
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # workers without a GPU see what we see
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing about a run is told to anybody
        try:
            import ray
        except ImportError:
            raise MissingExtraError("Ray is not installed; pip install '.[ray]'.") from None
        self.ray = ray
        self._ours = not ray.is_initialized()
        self._placed: tuple[Any, Any] = (None, None)
        try:
            there = reach(address)  # Ray itself tries for minutes
            if self._ours:
                with signals_kept():
                    ray.init(
                        address=address, log_to_driver=False, logging_level=logging.ERROR,
                        include_dashboard=False if address == "local" else None,
                    )  # fmt: skip
        except (ConnectionError, ValueError, RuntimeError, OSError) as error:
            raise WorkersError(
                f"cannot join a Ray cluster by '{address}' ({first_line(error)}); start one (ray start --head), then "
                "give 'auto' or its address."
            ) from None
        joined = ray.get_runtime_context().gcs_address
        if there and not self._ours and address.rpartition("//")[2] != joined:
            raise WorkersError(
                f"this process is already in the Ray cluster at '{joined}', not in that at '{address}'; leave it first "
                "(ray.shutdown()), or give 'auto'."
            )
        self._seen = math.inf
        self._run = ray.remote(max_retries=RETRIES, num_cpus=1)(run_fetched)

    def size(self) -> int:
        """Return how many processors the workers have, by now; an error where those that there were are gone."""
        try:
            found = int(self.ray.cluster_resources().get("CPU", 0))
        except (self.ray.exceptions.RayError, RuntimeError, OSError) as error:
            raise LostWorkersError(f"the Ray cluster no longer answers ({first_line(error)}).") from None
        if found:
            self._seen = time.monotonic()
        elif time.monotonic() - self._seen > GONE:  # as with Dask; one that grows on demand may begin with none
            raise LostWorkersError("the Ray cluster has lost all its workers; start some, and run this again.")
        return max(1, found)

    def submit(self, task: Callable[[Any, Any], Any], shared: Any, item: Any) -> Future[Any]:
        """Hand out `task(shared, item)`; what is shared goes by reference."""
        try:
            if shared is not self._placed[0] or self._placed[1] is None:
                self._placed = (shared, self.ray.put(shared))
            found: Future[Any] = self._run.remote(task, [self._placed[1]], item, software()).future()
        except (self.ray.exceptions.RayError, ConnectionError) as error:
            raise LostWorkersError(f"the Ray cluster no longer takes work ({first_line(error)}).") from None
        return found

    def explained(self, error: BaseException) -> BaseException:
        """Tell a worker that died, or lacks aslant, from an error of the task."""
        from ray.exceptions import RayError, RayTaskError

        if isinstance(error, RayTaskError):
            cause: BaseException = error.cause
            if "failed to import on the worker" in str(cause):
                return ImportError(first_line(cause))
            return self.explained(cause) if isinstance(cause, RayError) else cause
        if isinstance(error, RayError):  # its worker or its node died, or took too much memory
            return GivenUpError(
                f"several workers were lost with the same piece of work ({type(error).__name__}); look into their "
                "logs: most often they have run out of memory."
            )
        return error

    def close(self) -> None:
        """Leave the cluster; one that was started here ends."""
        self._placed = (None, None)
        if self._ours:
            self.ray.shutdown()


Cluster: TypeAlias = DaskCluster | RayCluster
_fetched: tuple[str, Any] = ("", None)


def run_fetched(task: Callable[[Any, Any], Any], held: list[Any], item: Any, expected: Versions) -> Any:
    """Run a task in a worker of Ray, which fetches what is shared once: arrays stay in the node's store, unread."""
    global _fetched
    import ray

    if _fetched[0] != held[0].hex():
        _fetched = (held[0].hex(), ray.get(held[0]))
    return run(task, _fetched[1], item, expected)


@contextmanager
def signals_kept() -> Iterator[None]:
    """Put back who listens to SIGTERM: Ray takes it over, and then a command that is told to stop cannot clean up."""
    listener = signal.getsignal(signal.SIGTERM)
    yield
    with suppress(ValueError):  # not the main thread, in which Ray does not listen either
        signal.signal(signal.SIGTERM, listener)


def first_line(error: BaseException) -> str:
    """Return what an error says, or is, in one line."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def reach(address: str) -> bool:
    """Raise at once where nobody answers at "host:port" or "tcp://host:port"; False where it is not an address."""
    host, _, port = address.rpartition("//")[2].rpartition(":")
    if not host or not port.isdecimal():
        return False
    socket.create_connection((host.strip("[]"), int(port)), PATIENCE).close()
    return True
