"""A folder of finished pieces of work, so that a run that was killed resumes where it stopped."""

from __future__ import annotations

import io
import warnings
import zipfile
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.io.digests import sealed, unsealed
from aslant.io.files import sweep_partial, written_whole


class Journal:
    """Arrays stored by key, one file each, in `folder`; a key must name everything its arrays depend on.

    A file appears complete or not at all, with a seal; a damaged one counts as absent, and whoever recalls arrays
    checks that they are what was kept. If the folder cannot be written to, the work continues without it, and says so
    once.

    >>> import tempfile
    >>> journal = Journal(Path(tempfile.mkdtemp()))
    >>> journal.keep("step-1", {"x": np.arange(3)})
    >>> journal.recall("step-1")["x"].tolist(), journal.recall("step-2")
    ([0, 1, 2], None)
    """

    def __init__(self, folder: str | PathLike[str]) -> None:
        self.folder = Path(folder)
        self._works, self._swept = True, False

    def recall(self, key: str) -> dict[str, NDArray[Any]] | None:
        """Return what was kept under `key`, or None."""
        try:
            content = unsealed(self._path(key).read_bytes())
            if content is None:
                return None
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                if any(info.file_size > info.compress_size for info in archive.infolist()):  # `keep` packs nothing
                    return None
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # what `keep` writes gives no cause to
                kept = np.load(io.BytesIO(content), allow_pickle=False)
                return {name: kept[name] for name in kept.files}
        except Exception:  # damaged in any way: as good as absent
            return None

    def keep(self, key: str, arrays: dict[str, NDArray[Any]]) -> None:
        """Keep `arrays` under `key`, in place of what was there."""
        if not self._works:
            return
        content = io.BytesIO()
        np.savez(content, **arrays)  # type: ignore[arg-type]
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if not self._swept:
                sweep_partial(self.folder)
                self._swept = True
            with written_whole(self._path(key)) as file:
                file.write(sealed(content.getvalue()))
        except OSError as error:
            self._works = False
            warnings.warn(f"no journal is kept, because '{self.folder}' cannot be written to: {error}", stacklevel=2)

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}.npz"
