"""Results to plain data and back: what the JSON files hold."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import msgspec

from slant.errors import SlantError
from slant.results.provenance import Provenance

R = TypeVar("R", bound="Result")


class Result:
    """What every result of a measure can do: become plain data, and come back from it unchanged."""

    kind: ClassVar[str]

    def to_dict(self) -> dict[str, Any]:
        """Return the result as dictionaries, lists, strings and numbers, ready for JSON."""
        return {"kind": self.kind, **_lists(msgspec.to_builtins(self))}

    def to_json(self) -> str:
        """Return the result as indented JSON."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)

    def save(self, path: str | Path) -> None:
        """Write the result as .html, .json, .csv, .md or .tex, by the suffix of `path`."""
        # The one door from results to rendering, opened by name: results themselves know nothing of it.
        importlib.import_module("slant.report").save(self, path)

    @classmethod
    def from_dict(cls: type[R], content: dict[str, Any]) -> R:
        """Rebuild the result that `to_dict` gave."""
        if not isinstance(content, dict) or content.get("kind") != cls.kind:
            met = content.get("kind") if isinstance(content, dict) else type(content).__name__
            raise SlantError(f"this is not a result of kind '{cls.kind}' but {met!r}; check which file it is.")
        try:
            return msgspec.convert({k: v for k, v in content.items() if k != "kind"}, cls)
        except msgspec.ValidationError as error:
            raise SlantError(f"this is not a complete result of kind '{cls.kind}': {error}.") from None


class MeasuredResult(Result):
    """A result of one measure on one representation: it has a provenance, which lists the words without a vector."""

    provenance: Provenance

    @property
    def missing(self) -> tuple[str, ...]:
        """The words that were asked for and not used, because a vector is missing."""
        return self.provenance.missing


def _lists(content: Any) -> Any:
    """Turn tuples into the lists that JSON would make of them."""
    if isinstance(content, dict):
        return {key: _lists(value) for key, value in content.items()}
    return [_lists(item) for item in content] if isinstance(content, list | tuple) else content
