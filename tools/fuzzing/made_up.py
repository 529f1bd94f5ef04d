"""An instance of any dataclass, made from its type hints: so every kind of result has a seed, the next one too."""

from __future__ import annotations

import collections.abc
import dataclasses
import types
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

#: Values of plain types; `Any` stands for settings.
PLAIN: dict[Any, Any] = {str: "x", int: 0, float: 0.5, bool: True, Any: 1, type(None): None}


def made_up(hint: Any, depth: int = 0) -> Any:
    """Return a value that `hint` allows; unions take their first part, but None where they get deep."""
    if hint in PLAIN:
        return PLAIN[hint]
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return None if depth > 4 and type(None) in inner else made_up(inner[0], depth + 1)
    if origin is Literal:
        return inner[0]
    if origin is tuple:
        return tuple(made_up(h, depth + 1) for h in inner if h is not Ellipsis)
    if origin in (list, collections.abc.Sequence):
        return [made_up(inner[0], depth + 1)]
    if origin in (dict, collections.abc.Mapping):
        return {made_up(inner[0]): made_up(inner[1], depth + 1)}
    if hasattr(hint, "__metadata__"):
        return made_up(origin or hint.__origin__, depth)
    return _instance(hint, depth)


def _instance(cls: Any, depth: int) -> Any:
    from aslant.results.codec import MeasuredResult, kinds

    if cls is MeasuredResult:
        return made_up(kinds()["weat"], depth)
    if not dataclasses.is_dataclass(cls):
        raise TypeError(f"no value of {cls} is known; add one to PLAIN")
    hints = get_type_hints(cls)
    return cls(**{f.name: made_up(hints[f.name], depth + 1) for f in dataclasses.fields(cls) if f.init})
