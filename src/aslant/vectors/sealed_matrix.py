"""A mapped matrix that notices damage: each row has a checksum, which is checked when the row is read.

A whole file of gigabytes cannot be checked whenever it is opened; the few rows that a measure reads can. The checksum
of a row is the sum of its 32-bit words, each times an odd number of its own, modulo 2³²: a row in which one of them was
changed, in any way, never has the same, and any other row seldom (1 in 2³²). It costs less than reading the row.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Sums = NDArray[np.uint32]


@cache
def _weights(dimensions: int) -> Sums:
    """Return odd numbers that look random, the same on every machine (the finaliser of MurmurHash3)."""
    mixed = np.arange(1, dimensions + 1, dtype=np.uint32) * np.uint32(0x9E3779B9)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        mixed = (mixed ^ (mixed >> np.uint32(shift))) * np.uint32(factor)
    return mixed | np.uint32(1)


def sums_of(rows: NDArray[np.float32]) -> Sums:
    """Return the checksums of float32 rows; (rows,) from (rows, dimensions).

    >>> a = np.array([[1, 2], [1, 2], [2, 1]], dtype=np.float32)
    >>> one, same, other = sums_of(a)
    >>> bool(one == same), bool(one == other)
    (True, False)
    """
    words = np.ascontiguousarray(rows, dtype="<f4").view("<u4").astype(np.uint32, copy=False)
    return np.asarray(np.einsum("ij,j->i", words, _weights(rows.shape[1])), dtype=np.uint32)


@dataclass
class Seal:
    """The checksums of all rows of a `plain` array, and how to rebuild it if damaged (None: it cannot be rebuilt)."""

    sums: Sums
    name: str
    plain: NDArray[np.float32]
    remake: Callable[[], NDArray[np.float32]] | None = None
    instead: NDArray[np.float32] | None = None

    def mended(self) -> NDArray[np.float32]:
        """Return the rebuilt matrix; it is built only once."""
        from aslant.errors import VectorsError

        if self.instead is None:
            if self.remake is None:
                raise VectorsError(f"the vectors of '{self.name}' are damaged; run 'aslant data cache --clear'.")
            warnings.warn(f"the cache of '{self.name}' was damaged and is being rebuilt", stacklevel=4)
            self.instead = np.asarray(self.remake())
        return self.instead


class SealedMatrix(np.ndarray[Any, Any]):
    """A mapped matrix whose rows are checked against their checksums when they are picked or sliced.

    The results are plain arrays. Where a row is damaged, the whole matrix is rebuilt and used instead. A function
    of NumPy on the whole matrix has all rows checked; what reads its memory directly (`np.asarray`, a method such as
    `tobytes`) has none.
    """

    seal: Seal | None = None

    @classmethod
    def around(cls, mapped: NDArray[Any], sums: Sums, name: str) -> SealedMatrix:
        """Return a mapped float32 matrix (rows, dimensions) with the checksums of its rows."""
        sealed: SealedMatrix = mapped.view(cls)
        sealed.seal = Seal(sums, name, np.asarray(mapped))
        return sealed

    def __array_finalize__(self, parent: Any) -> None:
        self.seal = None  # a part, or what is computed from it, has other rows

    def __getitem__(self, key: Any) -> Any:
        seal = self.seal
        if seal is None:
            return super().__getitem__(key)
        if seal.instead is None:
            rows = _rows_in(key)
            if np.array_equal(sums_of(np.atleast_2d(seal.plain[rows])), np.atleast_1d(seal.sums[rows])):
                return seal.plain[key]
        return seal.mended()[key]

    def copy(self, order: Any = "C") -> Any:
        """Return a plain array."""
        return np.array(_checked(self), order=order)

    def astype(self, dtype: Any, *rest: Any, **options: Any) -> Any:
        """Return a plain array."""
        return _checked(self).astype(dtype, *rest, **options)

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **options: Any) -> Any:  # type: ignore[override]
        if "out" in options:
            options["out"] = tuple(_plain(each) for each in options["out"])
        return getattr(function, method)(*map(_checked, inputs), **options)

    def __array_function__(self, function: Any, types: Any, given: Any, options: Any) -> Any:
        return function(*map(_checked, given), **{name: _checked(value) for name, value in options.items()})


def _checked(value: Any) -> Any:
    """Return a sealed matrix as a plain array whose rows were checked, and anything else as it is."""
    if isinstance(value, SealedMatrix):
        return np.asarray(value) if value.seal is None else value[:]
    return type(value)(map(_checked, value)) if type(value) in (list, tuple) else value


def _plain(value: Any) -> Any:
    return np.asarray(value) if isinstance(value, SealedMatrix) else value


def _rows_in(key: Any) -> Any:
    """Return which rows a key picks: itself, its first part, or all rows where that is hard to tell."""
    first = key[0] if isinstance(key, tuple) and key else key
    plain = isinstance(first, int | np.integer | slice) and not isinstance(first, bool)
    return first if plain or (isinstance(first, list | np.ndarray) and np.ndim(first) == 1) else slice(None)
