"""Arrays of finished pieces of work, kept so that a run that was killed resumes where it stopped."""

from __future__ import annotations

import io
import warnings
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.io.keeper import Keeper


class Journal:
    """Arrays under keys, in `folder`; a key must name all that its arrays depend on. See `Keeper`.

    >>> import tempfile
    >>> journal = Journal(tempfile.mkdtemp())
    >>> journal.keep("step-1", {"x": np.arange(3)})
    >>> journal.recall("step-1")["x"].tolist(), journal.recall("step-2")
    ([0, 1, 2], None)
    """

    def __init__(self, folder: str | PathLike[str]) -> None:
        self._keeper = Keeper(folder)
        self.folder = self._keeper.folder

    def recall(self, key: str) -> dict[str, NDArray[Any]] | None:
        """Return what was kept under `key`, or None."""
        try:
            found = self._keeper.under(f"{key}/")
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # what `keep` writes gives no cause to warn
                return {name[len(key) + 1 :]: _array(content) for name, content in found.items()} or None
        except Exception:  # of another version, or made by somebody else: as good as absent
            return None

    def keep(self, key: str, arrays: dict[str, NDArray[Any]]) -> None:
        """Keep `arrays` under `key`, in place of what was there."""
        blocks = {}
        for name, array in arrays.items():
            content = io.BytesIO()
            np.save(content, array, allow_pickle=False)
            blocks[f"{key}/{name}"] = content.getvalue()
        self._keeper.keep(blocks)


def _array(content: bytes) -> NDArray[Any]:
    found: NDArray[Any] = np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)
    return found
