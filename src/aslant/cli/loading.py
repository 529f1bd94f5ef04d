"""Open an embedding for a command, with a progress bar on a terminal and notes about repairs."""

from __future__ import annotations

import warnings
from functools import partial
from typing import TYPE_CHECKING, Any

from aslant.cli.progress import bar, note

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aslant.cli.shared import Reading
    from aslant.vectors import WordVectors


def open_vectors(
    model: str | None, reading: Reading, *, quiet: bool = False, drop_last: int = 0, needed: Iterable[str] | None = None
) -> WordVectors:
    """Load `model`; on a terminal show how far reading has come, and say what was repaired.

    Of a PPMI matrix, which is too large as a whole, only the words `needed` are read.
    """
    from aslant.vectors import LookupPolicy, load

    settings: dict[str, Any] = {
        "top": reading.top,
        "policy": LookupPolicy(case=reading.case, phrases=reading.phrases),  # type: ignore[arg-type]
        "allow_pickle": reading.allow_pickle,
        "subwords": reading.subwords,
        "cache": not reading.no_cache,
        "drop_last": drop_last,
    }
    if model and needed and _is_ppmi(model):
        settings["words"] = needed
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with bar(quiet=quiet or model is None, in_bytes=True) as progress:
            vectors = load(model, progress=None if progress is None else partial(progress, "reading"), **settings)
    if not quiet:
        for warning in caught:
            note(warning.message)
        for what, count in vectors.repairs.items():
            note(f"{vectors.name}: {what}: {count:,}")
    return vectors


def _is_ppmi(model: str) -> bool:
    from aslant.io.packed_files import path_of
    from aslant.vectors.formats.histwords import decade_of, is_ppmi

    try:
        decade = decade_of(path_of(model))
    except OSError:  # a name that no file can have, as `load` will say
        return False
    return decade is not None and is_ppmi(decade)
