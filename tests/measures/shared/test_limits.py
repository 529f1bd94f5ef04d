"""Every setting of every measure: its limits are themselves accepted, what lies beyond them is refused."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import pkgutil
from typing import Any

import pytest

import aslant.measures
from aslant.errors import AslantError
from aslant.measures.shared.settings import Settings, declared


def limits() -> list[Any]:
    """Return (class, field, type, smallest accepted, largest accepted) of every number that is declared."""
    rooms = [room.name for room in pkgutil.iter_modules(aslant.measures.__path__)]
    modules = [importlib.util.find_spec(f"aslant.measures.{room}.settings") for room in rooms]
    found: dict[str, Any] = {}
    for spec in modules:
        module = importlib.import_module(spec.name) if spec else None
        for name, kind in inspect.getmembers(module, inspect.isclass) if module else ():
            if issubclass(kind, Settings):
                found[f"{kind.__module__}.{name}"] = kind
    rows = []
    for kind in found.values():
        for field, (hint, meta) in declared(kind).items():
            if hint in (int, float) and (meta.ge, meta.gt) != (None, None):
                tiny = 1e-9 if hint is float else 1
                low = meta.ge if meta.ge is not None else meta.gt + tiny
                high = meta.le if meta.le is not None else meta.lt - tiny
                rows.append(pytest.param(kind, field, hint, low, high, id=f"{kind.__name__}-{field}"))
    return rows


@pytest.mark.parametrize(("kind", "field", "hint", "low", "high"), limits())
def test_limits_are_accepted_and_what_is_beyond_them_is_not(
    kind: Any, field: str, hint: type, low: float, high: float
) -> None:
    for value in (low, high):
        found = getattr(kind(**{field: hint(value)}), field)
        assert found == value
        assert type(found) is hint
    step = 1 if hint is int else 1e-6
    for wrong in (low - step, high + step, True, "1", None if field != "precision" else "1"):
        with pytest.raises(AslantError, match=field):
            kind(**{field: wrong})


def test_there_are_settings_to_look_at() -> None:
    assert len(limits()) > 60
