"""Texts with their groups and prompts: from files, from lists, and back to JSON lines."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import StringIO
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from aslant.errors import StimuliError, plural
from aslant.io.files import write_text
from aslant.io.keeper import digest
from aslant.io.reading import delimiter, parse_json, read_text
from aslant.results.codec import unsteered_json

#: A file, texts, or texts by group.
TextsGiven: TypeAlias = "str | PathLike[str] | Texts | Mapping[str, Iterable[str]] | Iterable[str]"
#: What a column is called where none is named, the first that exists, in any case: text, group, prompt, domain, source.
USUAL = {
    "text": ("continuation", "text", "generation", "generated", "generated_text", "completion", "output", "response",
             "sentence", "content"),
    "group": ("group", "groups", "category", "label"),
    "prompt": ("prompt_id", "promptid", "prompt", "id"),
    "domain": ("domain",),
    "source": ("source", "reference", "wikipedia"),
}  # fmt: skip
#: What texts without a group are in.
ALL = "all"
MAX_BYTES = 1 << 30


@dataclass(frozen=True)
class Text:
    """One text: what it is about (`group`, within a `domain`), its prompt's id, and what people wrote there (`source`).

    Of a text that a model wrote, `beginning` is the prompt itself, and `seed` the text's own.
    """

    text: str
    group: str = ALL
    prompt: str = ""
    domain: str = ""
    source: str | None = None
    topic: str = ""
    beginning: str = ""
    seed: int | None = None


@dataclass(frozen=True)
class Texts(Sequence[Text]):
    """Texts in their order; `read` says what was read as what, `origin` is the record of the model that wrote them."""

    texts: tuple[Text, ...]
    name: str = "own texts"
    read: str = ""
    origin: dict[str, Any] | None = None
    left_out: tuple[str, ...] = field(default=())

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.texts)

    def __getitem__(self, place: Any) -> Any:
        """Return a text, or several."""
        return self.texts[place]

    def record(self) -> dict[str, Any]:
        """Return the fields of `aslant.results.Representation`: the model that wrote them, or the texts themselves."""
        if self.origin is not None:
            return self.origin
        content = "\0".join(text.text for text in self.texts).encode("utf-8", "surrogatepass")
        words = sum(len(text.text.split()) for text in self.texts)
        return {"name": self.name, "fingerprint": digest(content)[:12], "format": "texts", "words": words,
                "dimensions": 0}  # fmt: skip

    def to_jsonl(self) -> str:
        """Return one line of JSON for each text, with its prompt id, prompt, continuation and seed."""
        return "".join(f"{unsteered_json(_line(text))}\n" for text in self.texts)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the texts as JSON lines, completely or not at all."""
        write_text(Path(path), self.to_jsonl())


def _line(text: Text) -> dict[str, Any]:
    return {
        "prompt_id": text.prompt, "domain": text.domain, "group": text.group, "topic": text.topic,
        "prompt": text.beginning, "continuation": text.text, "source": text.source, "seed": text.seed,
    }  # fmt: skip


def texts_of(
    given: TextsGiven, *, text: str | None = None, groups: Any = None, prompts: Any = None, sources: Any = None
) -> Texts:
    """Return texts as they are given; `groups`, `prompts`, `sources` name columns of a file, or have one for each text.

    >>> found = texts_of({"a": ["One.", "Two."], "b": ["Three."]})
    >>> [(text.text, text.group) for text in found]
    [('One.', 'a'), ('Two.', 'a'), ('Three.', 'b')]
    >>> texts_of(["One."], groups=["a", "b"])
    Traceback (most recent call last):
    aslant.errors.StimuliError: 2 groups for 1 text; give one for each.
    """
    if isinstance(given, Texts):
        return given
    if isinstance(given, str | PathLike):
        names = {"text": text, "group": groups, "prompt": prompts, "domain": None, "source": sources}
        if odd := next((value for value in names.values() if not isinstance(value, str | None)), None):
            raise StimuliError(f"{odd!r:.60} does not name a column of '{given}'; give its name.")
        return read_texts(Path(given).expanduser(), names)
    if isinstance(given, Mapping):
        pairs = [(each, str(group)) for group, own in given.items() for each in _strings(own, f"texts of '{group}'")]
        given, groups = [each for each, _ in pairs], groups or [group for _, group in pairs]
    found = tuple(Text(each) for each in _strings(given, "texts"))
    for name, values in (("group", groups), ("prompt", prompts), ("source", sources)):
        if values is not None:
            own = [None if value is None and name == "source" else str(value) for value in _listed(values, f"{name}s")]
            if len(own) != len(found):
                raise StimuliError(f"{plural(len(own), name)} for {plural(len(found), 'text')}; give one for each.")
            found = tuple(replace(each, **{name: value}) for each, value in zip(found, own, strict=True))  # type: ignore[arg-type]
    return _checked(Texts(found))


def _listed(values: Any, what: str) -> list[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise StimuliError(f"{what}={values!r:.60} is not one for each text; give a list.")
    return list(values)


def _strings(values: Any, what: str) -> list[str]:
    found = _listed(values, what)
    if odd := next((value for value in found if not isinstance(value, str)), None):
        raise StimuliError(f"{odd!r:.60} among the {what} is not a string; give texts as strings.")
    return found


def _checked(texts: Texts) -> Texts:
    if not texts.texts:
        raise StimuliError(f"'{texts.name}' has no texts; give some.")
    homes: dict[str, str] = {}
    for text in texts:
        if text.prompt and homes.setdefault(text.prompt, text.group) != text.group:
            raise StimuliError(
                f"the prompt '{text.prompt}' is in the groups '{homes[text.prompt]}' and '{text.group}'; a prompt is "
                "the unit that groups are compared by, so give it one group, or name another column of prompts."
            )
    return texts


def read_texts(path: Path, names: Mapping[str, str | None], usual: Mapping[str, tuple[str, ...]] = USUAL) -> Texts:
    """Read texts from CSV or TSV with a header, or JSON lines; columns that are not named have a `usual` name."""
    rows = _rows(path)
    known = list(dict.fromkeys(name for row in rows for name in row))
    columns = {what: _column(names.get(what), usual[what], known, path) for what in usual}
    if (column := columns["text"]) is None:
        raise StimuliError(
            f"'{path}' has the columns {', '.join(known[:20])}; name the one that holds the texts (text=…, --text)."
        )
    found = []
    for number, row in enumerate(rows, 1):
        cells = {what: row.get(name) for what, name in columns.items() if name is not None}
        cells = {what: cell for what, cell in cells.items() if cell is not None}
        if odd := next((what for what, cell in cells.items() if not isinstance(cell, str | int | float)), None):
            raise StimuliError(f"the {odd} in row {number:,} of '{path}' is not text; give one value in each field.")
        if "text" not in cells:
            raise StimuliError(f"row {number:,} of '{path}' has no '{column}'; give one for each text.")
        own = {what: str(cell) for what, cell in cells.items()}
        own["group"] = own.get("group", "").strip() or ALL
        found.append(Text(**{what: cell for what, cell in own.items() if what != "source" or cell.strip()}))  # type: ignore[arg-type]
    said = ", ".join(f"{what}: '{name}'" for what, name in columns.items() if name is not None)
    return _checked(Texts(tuple(found), path.name, f"columns read as {said}"))


def _rows(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a table by column; cells of JSON may be of any type."""
    text = read_text(path, StimuliError, most=MAX_BYTES)
    if path.suffix.lower() in (".jsonl", ".ndjson", ".json") or text.lstrip().startswith("{"):
        return [_object(line, number, path) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    # Lines end with line feeds, not with whatever else splits a text: models write such characters too.
    mark = "\t" if path.suffix.lower() == ".tsv" else delimiter(text)
    try:
        reader = csv.DictReader(StringIO(text, newline=""), delimiter=mark, strict=True)
        rows: list[dict[str, Any]] = [{k: v for k, v in row.items() if isinstance(k, str)} for row in reader]
    except csv.Error as error:
        raise StimuliError(f"'{path}' is not a table that can be read: {error}.") from None
    return rows


def _object(line: str, number: int, path: Path) -> dict[str, Any]:
    try:
        found = parse_json(line)
    except ValueError as error:
        raise StimuliError(
            f"line {number:,} of '{path}' is not JSON ({str(error).rstrip('.')}); give one object on each line."
        ) from None
    if not isinstance(found, dict):
        raise StimuliError(f"line {number:,} of '{path}' is not an object of JSON; give one on each line.")
    return found


def _column(wanted: str | None, usual: tuple[str, ...], known: Sequence[str], path: Path) -> str | None:
    """Return the column that was named, or the one whose name is usual, if there is one."""
    if wanted is not None:
        if wanted not in known:
            raise StimuliError(f"'{path}' has no column '{wanted}'; it has {', '.join(known[:20])}.")
        return wanted
    by_name = {name.casefold(): name for name in reversed(known)}
    return next((by_name[name] for name in usual if name in by_name), None)
