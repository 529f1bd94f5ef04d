"""What every measure returns: frozen facts with their provenance. Nothing here computes or draws.

A class of results lives in the room of its measure, and can be had from here by its name: `aslant.results.WeatResult`.
"""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    from aslant.results.codec import result_modules

    if not name.startswith("_"):
        for module in result_modules():
            if name in vars(module):
                return vars(module)[name]
    raise AttributeError(f"module 'aslant.results' has no attribute '{name}'")
