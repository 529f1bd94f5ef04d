"""Numba, loaded when first needed: functions are compiled at first use and kept on disk where that is possible."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


@functools.cache
def compiled(function: Callable[..., Any], *, nogil: bool = False) -> Callable[..., Any]:
    """Return `function` as machine code; `nogil` lets several threads run it at once.

    >>> def double(x):
    ...     return 2 * x
    >>> compiled(double)(21)
    42
    """
    import numba

    try:
        made: Callable[..., Any] = numba.njit(cache=True, nogil=nogil)(function)
    except RuntimeError:  # no folder that can be written to: compile for this process only
        made = numba.njit(nogil=nogil)(function)
    return made
