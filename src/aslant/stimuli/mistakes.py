"""Every mistake of a word set's file in one error: what is refused is mended or taken out, and the rest read again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeVar

import msgspec

from aslant.errors import StimuliError
from aslant.stimuli.schema import StimulusSet

#: Mistakes that are named in one error.
MOST_PROBLEMS = 20
#: What stands for a name or words that are missing while the rest is read.
STANDS_IN: dict[str, Any] = {"name": "list {}", "words": ["word {}"]}

Kind = TypeVar("Kind", bound=StimulusSet)
Place = tuple[str | int, ...]


def converted(content: dict[str, Any], kind: type[Kind]) -> Kind:
    """Return the set that `content` describes, or raise one error that names all of its mistakes, not only the first.

    >>> from aslant.stimuli.schema import WordSet
    >>> converted({"kind": "words", "language": 3, "words": ["a", "a", 1]}, WordSet)
    Traceback (most recent call last):
    aslant.errors.StimuliError: ... got `int` - at `$.language`; ... at `$.words[2]`; 'words' lists 'a' twice
    """
    problems: list[str] = []
    taken: set[Place] = set()
    while len(problems) < MOST_PROBLEMS:
        try:
            found = msgspec.convert(content, kind)
        except (msgspec.ValidationError, StimuliError) as error:
            said = str(error).rstrip(".")
            missing = _missing(said)
            if missing is None or missing not in taken:
                problems.append(said)
            if not (_filled(content, missing, len(problems)) if missing else _mended(content, said, taken)):
                break
        else:
            if not problems:
                return found
            break
    raise StimuliError("; ".join(dict.fromkeys(problems)))


def _missing(said: str) -> Place | None:
    """Return where an error says that a field is missing."""
    found = re.search(r"missing required field `([^`]*)`", said)
    return (*_place(said), found[1]) if found else None


def _filled(content: Any, missing: Place, number: int) -> bool:
    """Put something where a field is missing, so that the rest can be read; tell whether it could be done."""
    *before, name = missing
    if name not in STANDS_IN or not before:
        return False
    value = STANDS_IN[name]
    _at(content, before)[name] = [value[0].format(number)] if isinstance(value, list) else value.format(number)
    return True


def _mended(content: Any, said: str, taken: set[Place]) -> bool:
    """Take out of `content` what an error is about, and of words that stand twice the second; tell whether it did."""
    if " lists " in said and _once(content, said):
        return True
    place = _place(said)
    if unknown := re.search(r"contains unknown field `([^`]*)`", said):
        place = (*place, unknown[1])
    if not place:
        return False
    if found := re.search(r"`array` of length (\d+), got", said):
        return _of_length(_at(content, place), int(found[1]), str(place))
    *before, name = place
    try:
        if before[-1:] == ["words"]:
            _at(content, before)[name] = f"word at {place}"  # the places of those after it stay as they are
        else:
            del _at(content, before)[name]
    except (KeyError, IndexError, TypeError):
        return False
    taken.add(place)
    return True


def _of_length(lists: Any, length: int, place: str) -> bool:
    """Cut or fill up a list of word lists, so that those in it can be read; tell whether it is one."""
    if not all(isinstance(each, dict) for each in lists):
        return False
    lists += [{"name": f"{place} {n}", "words": [f"word of {place} {n}"]} for n in range(len(lists), length)]
    del lists[length:]
    return True


def _once(content: Any, said: str) -> bool:
    """Leave each item once in the lists that an error names; tell whether that changed any."""
    changed = False
    for table in _tables(content):
        for field, items in table.items():
            named = field if field in ("words", "pairs", "columns") and table is content else table.get("name")
            if isinstance(items, list) and f"{named!r} lists " in said:
                once = [item for at, item in enumerate(items) if item not in items[:at]]
                changed, table[field] = changed or len(once) < len(items), once
    return changed


def _tables(content: Any) -> Iterator[dict[str, Any]]:
    """Yield every table within `content`, itself first."""
    if isinstance(content, dict):
        yield content
    for part in content.values() if isinstance(content, dict) else content if isinstance(content, list) else ():
        yield from _tables(part)


def _place(said: str) -> Place:
    """Return where an error says that it is: `$.targets[0].words[3]`."""
    found = re.search(r"at `\$([^`]*)`", said)
    parts = re.findall(r"\.(\w+)|\[(\d+)\]", found[1]) if found else []
    return tuple(int(number) if number else key for key, number in parts)


def _at(content: Any, place: Place | list[str | int]) -> Any:
    for part in place:
        content = content[part]
    return content
