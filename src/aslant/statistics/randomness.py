"""One seed in, generators out: the same numbers however many workers draw them."""

from __future__ import annotations

import numbers

import numpy as np

from aslant.errors import MeasureError

#: More bootstrap resamples than this only take memory.
MOST_BOOTSTRAP = 100_000


def check_count(name: str, value: int, least: int, most: int) -> int:
    """Return a number of draws, or raise an error if it is not one or too large.

    >>> check_count("bootstrap", 100, 0, 1000)
    100
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or not least <= value <= most:
        raise MeasureError(f"{name} is {value!r}; give a whole number from {least} to {most:,}.")
    return int(value)


def generator(rng: int | np.random.Generator | None = None) -> np.random.Generator:
    """Turn a seed into a generator; a generator is returned as it is, None takes fresh entropy.

    >>> bool(generator(7).random() == generator(7).random())
    True
    """
    if isinstance(rng, np.random.Generator):
        return rng
    return np.random.default_rng(None if rng is None else seed_of(rng))


def seed_of(rng: int | np.random.Generator | None) -> int:
    """Return one number that everything random can flow from, and that a result can record.

    A seed is returned as it is; a generator gives its next number; None takes fresh entropy.

    >>> seed_of(7)
    7
    >>> seed_of(generator(7)) == seed_of(generator(7))
    True
    """
    if rng is None or isinstance(rng, np.random.Generator):
        return int(generator(rng).integers(2**63))
    if isinstance(rng, bool) or not isinstance(rng, numbers.Integral) or rng < 0:
        raise MeasureError(f"rng is {rng!r}; give a whole number from 0 up, or a numpy Generator.")
    return int(rng)


def spawn(rng: int | np.random.Generator | None, n: int) -> list[np.random.Generator]:
    """Spawn n independent generators, one per task, so that results do not depend on who runs which.

    >>> [child.random() for child in spawn(7, 2)] == [child.random() for child in spawn(7, 2)]
    True
    """
    return generator(rng).spawn(n)
