"""Numba, loaded when first needed: functions are compiled at first use and kept on disk where that is possible."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any


@functools.cache
def compiled(function: Callable[..., Any], *, nogil: bool = False, regroup: bool = False) -> Callable[..., Any]:
    """Return `function` as machine code; `nogil` lets several threads run it at once.

    `regroup` lets sums be taken in another order, several terms at once: the same on one machine, whatever it is doing.

    Failures of the cache on disk are ignored: a full disk or a damaged file must not end a measure.
    """
    import numba

    how: dict[str, Any] = {"nogil": nogil}
    if regroup:  # nor is every division checked, which would also keep terms from being taken several at once
        how |= {"fastmath": {"reassoc", "contract"}, "error_model": "numpy"}
    try:
        made: Callable[..., Any] = numba.njit(cache=True, **how)(function)
    except RuntimeError:  # no folder that can be written to: compile for this process only
        made = numba.njit(**how)(function)
    cache: Any = getattr(made, "_cache", None)
    load, save = getattr(cache, "load_overload", None), getattr(cache, "save_overload", None)
    if load is None or save is None:  # another version of numba
        return made

    def load_if_sound(*given: Any) -> Any:
        try:
            return load(*given)
        except Exception:  # a damaged pickle can fail in any way; the function is compiled and written again
            with contextlib.suppress(Exception):
                cache.flush()
            return None

    def save_if_possible(*given: Any) -> None:
        with contextlib.suppress(Exception):
            save(*given)

    cache.load_overload, cache.save_overload = load_if_sound, save_if_possible
    return made
