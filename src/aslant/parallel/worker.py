"""What a worker does with a task, whoever sent it: the same software, one thread, what is large kept from before."""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypeAlias

from aslant.errors import WorkersError
from aslant.parallel.threads import as_worker

Versions: TypeAlias = tuple[tuple[str, str | None], ...]
#: What numbers depend on: a worker with other versions could give other last digits.
PACKAGES = ("aslant", "numpy", "scipy", "scikit-learn", "numba", "torch", "transformers")
#: So many large things are kept for tasks to come.
KEPT = 4


@functools.cache
def software() -> Versions:
    """Return the versions of everything that numbers depend on; None for what is not installed.

    >>> dict(software())["numpy"] is not None
    True
    """
    return tuple((name, _version(name)) for name in PACKAGES)


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def run(task: Callable[[Any, Any], Any], shared: Any, item: Any, expected: Versions) -> Any:
    """Run one task, if the software here is that of the process that sent it.

    >>> run(lambda shared, item: shared + item, 40, 2, software())
    42
    """
    if (mine := software()) != expected:
        here, there = next((a, b) for a, b in zip(mine, expected, strict=True) if a != b)
        raise WorkersError(
            f"a worker has {here[0]} {here[1] or 'not installed'} and this process {there[1] or 'has none'}; install "
            "the same versions everywhere, since results must not depend on where they are computed."
        )
    with as_worker():
        return task(shared, item)


class Kept:
    """The few large things that were used last, by name; whoever asks says how to get one that is not here.

    >>> kept = Kept(2)
    >>> kept.get("a", lambda: 1), kept.get("a", lambda: 2)
    (1, 1)
    """

    def __init__(self, most: int = KEPT, drop: Callable[[Any], None] = lambda _: None) -> None:
        self._things: OrderedDict[Any, Any] = OrderedDict()
        self._most, self._drop = most, drop

    def get(self, name: Any, make: Callable[[], Any]) -> Any:
        """Return what has this name, made now if it is not here; what was not used for longest goes."""
        if name not in self._things:
            self._things[name] = make()
            while len(self._things) > self._most:
                self._drop(self._things.popitem(last=False)[1])
        self._things.move_to_end(name)
        return self._things[name]

    def forget(self, name: Any) -> None:
        """Let one go, if it is here: it will be made anew."""
        if name in self._things:
            self._drop(self._things.pop(name))

    def clear(self) -> None:
        """Let everything go."""
        for name in list(self._things):
            self.forget(name)
