"""Pickles of plain data, read so that nothing in them can run: no class is known but what a caller puts in its place.

It is Python's own slow unpickler: the fast one allocates whatever a damaged file asks for.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any, ClassVar

#: Instructions that hash what is on the stack, and which of it: what is nested without end would end the process.
_HASHED = {
    pickle.SETITEM: slice(-2, -1), pickle.SETITEMS: slice(0, None, 2), pickle.DICT: slice(0, None, 2),
    pickle.ADDITEMS: slice(None), pickle.FROZENSET: slice(None),
}  # fmt: skip
_BASE: Any = pickle._Unpickler  # whose parts are not typed


def _with_plain_keys(instruction: Callable[[Any], None], keys: slice) -> Callable[[Any], None]:
    def checked(self: Any) -> None:
        if not all(isinstance(key, str | int | bytes) for key in self.stack[keys]):
            raise ValueError("it has keys that are not plain")
        instruction(self)

    return checked


def _refuse(module: str, name: str) -> Any:
    raise ValueError(f"it asks for {module}.{name}")


class PlainUnpickler(_BASE):  # type: ignore[misc]
    """Reads a binary file, or a mapped one; `known` gives what stands for a class or raises a ValueError.

    >>> import io
    >>> PlainUnpickler(io.BytesIO(pickle.dumps(["the", 1]))).load()
    ['the', 1]
    >>> PlainUnpickler(io.BytesIO(pickle.dumps(len))).load()
    Traceback (most recent call last):
    ValueError: it asks for builtins.len
    """

    dispatch: ClassVar[dict[int, Any]] = {
        **_BASE.dispatch, **{code[0]: _with_plain_keys(_BASE.dispatch[code[0]], keys) for code, keys in _HASHED.items()}
    }  # fmt: skip

    def __init__(self, file: Any, known: Callable[[str, str], Any] = _refuse) -> None:
        super().__init__(file, encoding="bytes")
        self._known = known

    def find_class(self, module: str, name: str) -> Any:
        """Return what stands for a class of that name."""
        return self._known(module, name)
