"""One input to one target: what came of it, and whether that is a failure."""

from __future__ import annotations

import re
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from fuzzing.mutation import LONGEST, mutated
from fuzzing.targets import BrokenPromiseError, Target, check_message

_VALUES = re.compile(r"'[^']*'|\"[^\"]*\"|b'.*'|[-+]?[\d.,]+(?:e[-+]?\d+)?|\(.*\)", re.DOTALL)


class HangError(BaseException):
    """An input takes too long. Not an `Exception`, so that no reader can catch it."""


@dataclass(frozen=True)
class Outcome:
    """A word or message kind for what came of an input; `failure` says what is wrong, `key` where."""

    kind: str
    failure: str = ""
    key: str = ""


class Witness:
    """Collects warnings and exceptions that nobody caught, since readers may swallow them if they were errors."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def take(self) -> list[str]:
        """Return what was seen since the last time."""
        seen, self.seen = self.seen, []
        return seen

    def warned(self, message: Any, category: type, filename: str, lineno: int, *_: Any) -> None:
        self.seen.append(f"{category.__name__} at {Path(filename).name}:{lineno}: {message}")

    def unraisable(self, hook: Any) -> None:
        self.seen.append(f"{type(hook.exc_value).__name__} in {hook.object!r:.60}: {hook.exc_value}")


@contextmanager
def witnessed() -> Iterator[Witness]:
    """Give a witness of every warning, each time it is given."""
    import sys

    witness, before = Witness(), sys.unraisablehook
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = witness.warned  # type: ignore[assignment]
        sys.unraisablehook = witness.unraisable
        try:
            yield witness
        finally:
            sys.unraisablehook = before


def judge(target: Target, data: bytes, folder: Path, witness: Witness) -> Outcome:
    """Give an input to a target."""
    from aslant.errors import AslantError

    try:
        kind = target.run(data, folder)
    except AslantError as error:
        kind = f"refused: {_kind(str(error))}"
        if target.never_refuses:
            return Outcome(kind, f"refused, where it should count as absent: {error}", _where(error))
        try:
            check_message(str(error))
        except BrokenPromiseError as broken:
            return Outcome(kind, f"{broken}: {ascii(str(error))[:300]}", f"message: {_kind(str(error))}")
    except (KeyboardInterrupt, SystemExit, HangError):
        raise
    except BaseException as error:  # panics of polars are not Exceptions
        return Outcome(f"{type(error).__name__}", f"{type(error).__name__}: {error}"[:600], _where(error))
    if seen := witness.take():
        return Outcome(kind, seen[0], f"warning: {_kind(seen[0])}")
    return Outcome(kind)


def _kind(message: str) -> str:
    """Return a message without the values in it."""
    return _VALUES.sub("…", message)[:70]


def _where(error: BaseException) -> str:
    """Return the kind of an exception and the last place in our own code that it came through."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "aslant" in Path(frame.filename).parts] or frames
    place = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "nowhere"
    said = str(error)[:60] if isinstance(error, BrokenPromiseError) else ""
    return f"{type(error).__name__} {place} {said}".strip()


class Inputs:
    """An endless supply: seeds first, then damaged ones, made ones, and damage to what was new."""

    def __init__(self, target: Target, chance: Random) -> None:
        self.target, self.chance = target, chance
        self.seeds = [bytes(seed) for seed in target.seeds()]
        self.pool = list(self.seeds)
        self._met: set[str] = set()

    def next(self) -> bytes:
        """Return another input."""
        chance = self.chance
        if self.target.made is not None and chance.random() < 0.5:
            data = self.target.made(chance)
            if chance.random() < 0.7:
                return data[: 10 * LONGEST]
        else:
            data = chance.choice(self.pool if chance.random() < 0.5 else self.seeds)
        return mutated(data, chance, tokens=self.target.tokens, others=self.pool)

    def met(self, data: bytes, outcome: Outcome) -> None:
        """Remember inputs that came out in a way not seen before: they are worth more damage."""
        if outcome.kind not in self._met and len(self.pool) < 300:
            self._met.add(outcome.kind)
            self.pool.append(data)
