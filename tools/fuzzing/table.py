"""The table of all targets."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec

from fuzzing import (
    cache_targets,
    embedding_targets,
    folder_targets,
    result_targets,
    small_file_targets,
    store_targets,
    text_and_model_targets,
)
from fuzzing.targets import Target

PARTS = (
    embedding_targets, folder_targets, cache_targets, small_file_targets, text_and_model_targets, result_targets,
    store_targets,
)  # fmt: skip


@cache
def every_target() -> dict[str, Target]:
    """Return all targets by name."""
    return {target.name: target for part in PARTS for target in part.targets()}


def chosen(names: Sequence[str] = ()) -> list[Target]:
    """Return the targets of those names (nothing: all) whose libraries are installed."""
    known = every_target()
    unknown = [name for name in names if name not in known]
    if unknown:
        raise SystemExit(f"there is no target '{unknown[0]}'; there are: {', '.join(known)}.")
    asked = [known[name] for name in names] or list(known.values())
    return [target for target in asked if all(find_spec(library) for library in target.needs)]
