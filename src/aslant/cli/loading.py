"""Open an embedding for a command, with a progress bar on a terminal and notes about repairs."""

from __future__ import annotations

import warnings
from contextlib import suppress
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
    from aslant.io.packed_files import path_of
    from aslant.vectors import LookupPolicy, load
    from aslant.vectors.formats.histwords import decade_of, is_ppmi

    policy = LookupPolicy(case=reading.case, phrases=reading.phrases)  # type: ignore[arg-type]
    settings: dict[str, Any] = {"top": reading.top, "policy": policy, "drop_last": drop_last}
    settings |= {name: getattr(reading, name) for name in ("allow_pickle", "subwords")} | {
        "cache": not reading.no_cache
    }
    if model and needed:
        with suppress(OSError):  # a name that no file can have, as `load` will say
            if (decade := decade_of(path_of(model))) is not None and is_ppmi(decade):
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
