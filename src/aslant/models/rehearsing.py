"""A run that only counts what a server would be asked (`--dry-run`): answers are made up, and results thrown away."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeVar

from aslant.errors import DataError, plural

_tally: ContextVar[Tally | None] = ContextVar("tally", default=None)
Model = TypeVar("Model")


@dataclass
class Tally:
    """The models that were rehearsed with."""

    models: list[Any] = field(default_factory=list)

    def lines(self) -> list[str]:
        """Return what each server would be asked."""
        found = []
        for model in self.models:
            way = model.way
            cost = f"about {plural(way.requests, 'request')} and {plural(round(way.tokens), 'token')}"
            found.append(
                f"{model.name}: {cost} ({way.characters:.1f} characters each, {way.source}), less what is kept from "
                f"earlier; nothing was measured, and {plural(model.client.requests, 'request')} sent to probe it."
            )
        return found


@contextmanager
def rehearsing(*, wanted: bool = True) -> Iterator[Tally]:
    """Let every model behind a server that is opened meanwhile count its requests instead of sending them.

    >>> with rehearsing() as tally:
    ...     is_rehearsal(), tally.lines()
    (True, [])
    """
    tally = Tally()
    before = _tally.set(tally if wanted else None)
    try:
        yield tally
    finally:
        _tally.reset(before)


def is_rehearsal() -> bool:
    """Tell whether requests are only counted now."""
    return _tally.get() is not None


def rehearsed(model: Model) -> Model:
    """Return the model, or, in a rehearsal, one that counts the requests that it would send."""
    tally: Tally | None = _tally.get()
    if tally is None:
        return model
    found: Model = model.rehearsal()  # type: ignore[attr-defined]
    tally.models.append(found)
    return found


def refuse_in_rehearsal(name: object) -> None:
    """Refuse a model that is not behind a server: there is nothing to count."""
    if is_rehearsal():
        raise DataError(f"'{name}' is not behind a server, so --dry-run has nothing to count; leave --dry-run out.")
