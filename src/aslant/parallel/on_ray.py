"""A Ray cluster that the user already has, or one of this machine: what is large lies in each node's object store."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from aslant.errors import MissingExtraError, WorkersError
from aslant.parallel.cluster import LostError, first_line, reach
from aslant.parallel.worker import Kept, Versions, run, software

_fetched = Kept()


def run_fetched(
    task: Callable[[Any, Any], Any], name: str | None, held: Sequence[Any], item: Any, expected: Versions
) -> Any:
    """Run a task in a worker of Ray, which fetches what is shared once: arrays stay in the node's store, unread."""
    import ray

    shared = None if name is None else _fetched.get(name, lambda: ray.get(held[0]))
    return run(task, shared, item, expected)


@contextmanager
def signals_kept() -> Iterator[None]:
    """Put back who listens to SIGTERM: Ray takes it over, and then a command that is told to stop cannot clean up."""
    listener = signal.getsignal(signal.SIGTERM)
    yield
    with suppress(ValueError):  # not the main thread, in which Ray does not listen either
        signal.signal(signal.SIGTERM, listener)


class RayCluster:
    """The workers of a Ray cluster; see `Cluster`. `address`: "auto", an address, or "local" for one of this machine.

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
        self._join(address)
        self._run = ray.remote(max_retries=0, num_cpus=1)(run_fetched)
        self._placed = Kept()

    def _join(self, address: str) -> None:
        try:
            there = reach(address)  # Ray itself tries for minutes
            if self._ours:
                with signals_kept():
                    self.ray.init(
                        address=address, log_to_driver=False, logging_level=logging.ERROR,
                        include_dashboard=False if address == "local" else None,
                    )  # fmt: skip
        except (ConnectionError, ValueError, RuntimeError, OSError) as error:
            raise WorkersError(
                f"cannot join a Ray cluster by '{address}' ({first_line(error)}); start one (ray start --head), then "
                "give 'auto' or its address."
            ) from None
        joined = self.ray.get_runtime_context().gcs_address
        if there and not self._ours and address.rpartition("//")[2] != joined:
            raise WorkersError(
                f"this process is in the Ray cluster at '{joined}' already, not in that at '{address}'; leave it first "
                "(ray.shutdown()), or give 'auto'."
            )

    def size(self) -> int:
        """Return how many processors the cluster has, by now."""
        return int(self.ray.cluster_resources().get("CPU", 1))

    def submit(self, task: Callable[[Any, Any], Any], shared: Any, item: Any) -> Any:
        """Hand out a task; what is shared goes by reference."""
        if shared is None:
            return self._run.remote(task, None, (), item, software())
        _, held = self._placed.get(id(shared), lambda: (shared, self.ray.put(shared)))
        return self._run.remote(task, held.hex(), [held], item, software())

    def result(self, future: Any) -> Any:
        """Wait for an answer."""
        from ray.exceptions import RayError, RayTaskError

        try:
            return self.ray.get(future)
        except RayTaskError as error:
            if isinstance(error.cause, RayError):  # what is shared was lost, with the node that had it
                raise LostError(type(error.cause).__name__) from None
            if "failed to import on the worker" in str(error.cause):  # it has no aslant
                raise ImportError(first_line(error.cause)) from None
            raise error.cause from None
        except RayError as error:  # its worker or its node died, or took too much memory
            raise LostError(type(error).__name__) from None

    def wait(self, futures: Sequence[Any]) -> Any:
        """Wait until one has an answer."""
        (ready, *_), _ = self.ray.wait(list(futures), num_returns=1)
        return next(each for each in futures if each == ready)

    def cancel(self, future: Any) -> None:
        """Let go of an answer; its task goes on to its end.

        `ray.cancel` of a task that ends at that moment ends the whole process (Ray 2.60: "Tried to complete task that
        was not pending").
        """

    def close(self) -> None:
        """Leave the cluster; one that was started here ends."""
        self._placed.clear()
        if self._ours:
            self.ray.shutdown()
