"""Results to plain data and back: what the JSON files hold."""

from __future__ import annotations

import dataclasses
import importlib
import json
import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, TypeVar, get_args, get_type_hints

import msgspec

from aslant import catalogue
from aslant.errors import AslantError, MissingExtraError
from aslant.results.provenance import Provenance
from aslant.version import __version__

#: Characters that JSON may hold as they are and that control a terminal, reverse text, or are lone surrogates: they are
#: written as escapes, which mean the same.
_STEERING = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
#: What msgspec raises for data of another form; it fails on a lone surrogate in a string that should be something else.
UNFIT = (msgspec.ValidationError, UnicodeEncodeError)
#: Stands first wherever words may be shown that an embedding or a model itself came up with.
CONTENT_NOTE = (
    "Note: the associations below were found in the vectors, not chosen by anyone; "
    "they may repeat offensive stereotypes or contain slurs."
)
#: Facts in the one line that `repr` gives.
MOST_FACTS = 5
R = TypeVar("R", bound="Result")
D = TypeVar("D")


class Result:
    """What every result of a measure can do: become plain data, and come back from it unchanged."""

    kind: ClassVar[str]

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        cls.__repr__ = Result.__repr__  # type: ignore[method-assign]  # before `dataclass` writes one of many lines

    def __repr__(self) -> str:
        """Return one line: the kind of result and its first plain facts; `str` is the whole table."""
        facts = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}  # type: ignore[arg-type]
        plain = [
            (name, fact) for name, fact in facts.items() if isinstance(fact, str | int | float | tuple) and fact != ""
        ]
        numbers = [(name, fact) for name, fact in plain if isinstance(fact, float)]
        first = dict([*plain[:1], *numbers, *plain])
        shown = [f"{name}={_brief(fact)}" for name, fact in list(first.items())[:MOST_FACTS]]
        return f"{type(self).__name__}({', '.join([*shown, '…'])})"

    def to_frame(self) -> Any:
        """Return the rows of the result as a data frame: of pandas where that is installed, else of polars.

        >>> import aslant
        >>> aslant.weat(aslant.load(), "weat-6", bootstrap=0, chance=0).to_frame().shape[0]
        1
        """
        rows: Any = self.rows()  # type: ignore[attr-defined]
        if find_spec("pandas") is not None:
            return importlib.import_module("pandas").DataFrame(rows)
        if find_spec("polars") is None:
            raise MissingExtraError("a data frame needs pandas or polars: pip install '.[frames]', or use rows().")
        return importlib.import_module("polars").DataFrame(rows, infer_schema_length=None)

    def chart(self, name: str | None = None) -> Any:
        """Return a chart of the result, to restyle or save: an Altair chart; the first, or the one of that `name`.

        >>> import aslant
        >>> type(aslant.weat(aslant.load(), "weat-6", bootstrap=0, chance=0).chart()).__module__.split(".")[0]
        'altair'
        """
        drawn = importlib.import_module("aslant.report.assembly").pictures_of(self)
        charts = {picture.name: chart for picture, chart in drawn}
        if not charts:
            parts = "chart one of its parts, such as .weat.chart()" if hasattr(self, "parts") else "print it"
            raise AslantError(f"a result of kind '{self.kind}' has no chart; {parts}, or use to_frame().")
        if name is not None and name not in charts:
            raise AslantError(f"there is no chart '{name}' of this result; there are {', '.join(charts)}.")
        return charts[name] if name else next(iter(charts.values()))

    def to_dict(self) -> dict[str, Any]:
        """Return the result as dictionaries, lists, strings and numbers, ready for JSON."""
        return {"kind": self.kind, **part_to_dict(self)}

    def to_json(self) -> str:
        """Return the result as indented JSON."""
        return unsteered_json(self.to_dict(), indent=2)

    def save(self, path: str | Path) -> None:
        """Write the result as .html, .json, .csv, .md or .tex, by the suffix of `path`."""
        # The only way from results to rendering, imported by name: results themselves do not know about it.
        importlib.import_module("aslant.report").save(self, path)

    def __str__(self) -> str:
        """Return the result as the terminal shows it: a table with what chance gives, and the notes under it."""
        return str(importlib.import_module("aslant.report").text(self))

    def _repr_html_(self) -> str:
        """Show the result in a notebook as a table and charts."""
        return str(importlib.import_module("aslant.report.html").notebook_html(self))

    @classmethod
    def from_dict(cls: type[R], content: dict[str, Any]) -> R:
        """Rebuild the result that `to_dict` gave."""
        met, found = _met(content)
        if found is not cls:
            raise AslantError(f"this is not a result of kind '{cls.kind}' but {met!r}; check which file it is.")
        what = f"result of kind '{cls.kind}'{_other_version(content)}"
        return part_from_dict(cls, {k: v for k, v in content.items() if k != "kind"}, what)


def _brief(fact: object) -> str:
    if isinstance(fact, tuple):
        return f"<{len(fact)}>"
    return f"{fact:.4g}" if isinstance(fact, float) else f"{fact!r:.60}"


def unsteered_json(content: Any, **layout: Any) -> str:
    """Return plain data as JSON that cannot control a terminal; without a layout it is one line.

    >>> unsteered_json({"word": "a" + chr(0x9B)})
    '{"word": "a\\\\u009b"}'
    """
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, **layout)
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class MeasuredResult(Result):
    """A result of one measure on one representation: it has a provenance, which lists the words without a vector."""

    #: Whether an audit names the words that this lacks; not so where names are looked up by the thousand.
    names_missing: ClassVar[bool] = True

    provenance: Provenance

    @property
    def missing(self) -> tuple[str, ...]:
        """The words that were requested and not used, because they have no vector."""
        return self.provenance.missing


def kinds() -> dict[str, type[Result]]:
    """Return the class of every kind of result, by the name that its JSON carries.

    >>> kinds()["weat"].__name__
    'WeatResult'
    """
    return {name: kind.resolve(kind.made) for name, kind in catalogue.kinds().items()}


def _met(content: Any) -> tuple[Any, type[Result] | None]:
    """Return the kind that data say they are, or their type, and the class of that kind; None where there is none."""
    if not isinstance(content, dict):
        return type(content).__name__, None
    kind = content.get("kind")
    if not isinstance(kind, str):
        return kind, None
    if (known := catalogue.kinds().get(kind)) is not None:
        return kind, known.resolve(known.made)
    return kind, next((cls for cls in _subclasses(Result) if vars(cls).get("kind") == kind), None)


def _other_version(content: dict[str, Any]) -> str:
    """Name the version that wrote a file, and reads it, where it is not this one."""
    within = content.get("provenance")
    version = content.get("version") or (within.get("version") if isinstance(within, dict) else None)
    return "" if version in (None, __version__) else f" (version {version} wrote it, and reads it)"


def _subclasses(cls: type[Result]) -> list[type[Result]]:
    """Return the classes of results that somebody's own code defines: no catalogue has them."""
    return [found for child in cls.__subclasses__() for found in (child, *_subclasses(child))]


def result_from_dict(content: Any) -> Result:
    """Rebuild a result of the kind that `content` says it is.

    >>> result_from_dict({"kind": "prophecy"})
    Traceback (most recent call last):
    aslant.errors.AslantError: this is not a result of a kind that aslant knows but 'prophecy'; check which file it is.
    """
    met, cls = _met(content)
    if met is None:
        raise AslantError(
            "this is not a result of aslant, since it does not say of which kind; check which file it is."
        )
    if cls is None:
        raise AslantError(f"this is not a result of a kind that aslant knows but {met!r}; check which file it is.")
    return cls.from_dict(content)


def part_from_dict(cls: type[D], content: Any, what: str = "") -> D:
    """Rebuild a part of a result that is not a result itself, such as one part of an audit."""
    try:
        return msgspec.convert(content, cls, str_keys=True, dec_hook=_by_kind)
    except UNFIT as error:
        raise AslantError(f"this is not a complete {what or cls.__name__}: {error}.") from None


def _by_kind(declared: type, content: Any) -> Any:
    """Rebuild a result where any kind of measure's result is allowed; msgspec names the place of errors."""
    if declared is not MeasuredResult:
        raise NotImplementedError(declared)
    met, cls = _met(content)
    if cls is None or not issubclass(cls, MeasuredResult):
        raise ValueError(f"there is no measure's result of kind {met!r}")
    try:
        return cls.from_dict(content)
    except AslantError as error:
        raise ValueError(str(error).rstrip(".")) from None


#: What stays as it is.
LEAVES = frozenset({str, int, float, bool, type(None)})


def part_to_dict(content: Any) -> dict[str, Any]:
    """Return a dataclass as plain data; results that may be of any kind carry their kind."""
    cls: Any = type(content)  # a type is hashable, although mypy does not see it for a dataclass
    return {name: _plain(getattr(content, name), tagged=tagged) for name, tagged in _tagged(cls).items()}


def _plain(content: Any, *, tagged: bool) -> Any:
    if type(content) in LEAVES:  # most of a result, by far
        return content
    if tagged and isinstance(content, Result):
        return content.to_dict()
    if dataclasses.is_dataclass(content):
        return part_to_dict(content)
    if isinstance(content, dict):
        return {key: _plain(value, tagged=tagged) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_plain(item, tagged=tagged) for item in content]
    return msgspec.to_builtins(content)


@cache
def _tagged(cls: Any) -> dict[str, bool]:
    """Return for each field of a dataclass whether it holds results of any kind."""
    hints = get_type_hints(cls)
    return {f.name: _mentions(hints[f.name]) for f in dataclasses.fields(cls)}


def _mentions(hint: Any) -> bool:
    return hint is MeasuredResult or any(_mentions(inner) for inner in get_args(hint))
