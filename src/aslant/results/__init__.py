"""What every measure returns: frozen facts with their provenance. Nothing here computes or draws.

The class of each kind of result is found here by its name (`aslant.results.WeatResult`), and lives with its measure.
"""

from __future__ import annotations

from typing import Any

from aslant.catalogue import kinds as _kinds
from aslant.results.codec import CONTENT_NOTE, MeasuredResult, Result, kinds, result_from_dict
from aslant.results.provenance import Provenance, Representation

__all__ = [
    "CONTENT_NOTE", "MeasuredResult", "Provenance", "Representation", "Result", "kinds", "result_from_dict",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    for kind in _kinds().values():
        if kind.made.endswith(f":{name}"):
            return kind.resolve(kind.made)
    raise AttributeError(f"module 'aslant.results' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *(kind.made.partition(":")[2] for kind in _kinds().values())])
