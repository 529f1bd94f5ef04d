"""What there is: measures, their commands, the steps of an audit, and the kinds of results.

Each room says so in its about.toml, and nothing else keeps a list. Code is named as "module:name", relative to the
room, and imported when it is first needed; reading the catalogue imports nothing.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any, TypeVar

E = TypeVar("E", bound="Entry")
#: The sections of --help, in their order; other groups come after them.
GROUPS = ("Audit", "Measures of vectors", "Measures of models", "Results", "Data and words")


@dataclass(frozen=True, kw_only=True)
class Entry:
    """Something that a room has; `id` is its name in the about.toml, `home` the room's package."""

    id: str = ""
    home: str = ""

    def resolve(self, where: Any) -> Any:
        """Import what "module:name" means in this room; what is a function already stays as it is.

        >>> commands()["weat"].resolve("measure:weat").__name__
        'weat'
        """
        if callable(where):
            return where
        module, _, name = where.partition(":")
        return getattr(import_module(module if module.startswith(".") else f".{module}", self.home), name)


@dataclass(frozen=True, kw_only=True)
class Command(Entry):
    """A command: what runs it (a function, or an app with sub-commands), and its place and line in --help.

    `formerly` are names that it had; they still run it. `data` are the data names that it measures, so that another
    command that is given one of them can say where it belongs.
    """

    run: str = "command:command_line"
    help: str
    group: str
    order: int = 1_000
    formerly: tuple[str, ...] = ()
    data: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Step(Entry):
    """One measure of an audit.

    `fits`: the traits of which a subject needs at least one. `run` is called with the work (`auditing.Work`) and gives
    results. `profiles` has the settings of each, and lacks a profile that leaves the measure out. `categories` are the
    social categories that its stimuli are about. `own_words` measures the user's own sets of the kinds that it `takes`.
    """

    title: str
    fits: frozenset[str]
    profiles: dict[str, dict[str, Any]]
    run: str = "step:run"
    categories: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    own_words: str = ""
    order: int = 900


@dataclass(frozen=True, kw_only=True)
class Picture(Entry):
    """A chart of one kind of result: the name of its file, what it shows, and the function that draws it.

    It is drawn only where the field that it `needs` is not empty; a `wide` one takes the width that it gets.
    """

    name: str
    shows: str
    draw: str
    needs: str = ""
    wide: bool = False


@dataclass(frozen=True, kw_only=True)
class Kind(Entry):
    """One kind of result: its class, how it is shown, and what a page says about it; what is empty is left out.

    `table` is the table with all fields; `terminal` and `documents` give the tables for a terminal and for a file,
    where these are several. `glance` gives an audit's lines; `summary` opens a section with several results; `drawn`
    gives the charts of a result that is made of others; `page` and `fragment` are for kinds with a page of their own.
    A kind that `names_itself` has title and citation as fields. `aliases` are kinds that older files have.
    """

    made: str
    title: str
    table: str = "show:table"
    terminal: str = ""
    documents: str = ""
    glance: str = ""
    summary: str = ""
    drawn: str = ""
    page: str = ""
    fragment: str = ""
    question: str = ""
    reads: str = ""
    definition: str = ""
    citation: str = ""
    caveats: tuple[str, ...] = ()
    lacks: str = "Not in the vocabulary"
    pictures: tuple[Picture, ...] = ()
    names_itself: bool = False
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class History(Entry):
    """A measure that `aslant trend` can follow over the years; `follow` makes it of what a user asks (`Followed`)."""

    title: str
    follow: str
    order: int = 1_000


@dataclass(frozen=True)
class Room:
    """What one about.toml says; `functions` are the public functions of a measure, which stand in the reference."""

    home: str
    title: str
    order: int
    functions: tuple[str, ...]
    commands: dict[str, Command]
    steps: dict[str, Step]
    results: dict[str, Kind]
    histories: dict[str, History]


@cache
def commands() -> dict[str, Command]:
    """Return every command by name, in the order of --help.

    >>> list(commands())[:2]
    ['audit', 'check']
    """
    named = {name: found for room in rooms() for name, found in room.commands.items()}
    place = {group: number for number, group in enumerate(GROUPS)}
    by_group = sorted(named.values(), key=lambda c: (place.get(c.group, len(GROUPS)), c.group, c.order))
    return {command.id: command for command in by_group}


@cache
def steps() -> dict[str, Step]:
    """Return every measure of an audit by name, in the order of the report.

    >>> list(steps())[:2]
    ['weat', 'weat-categories']
    """
    named = {name: found for room in rooms() for name, found in room.steps.items()}
    return dict(sorted(named.items(), key=lambda item: item[1].order))


@cache
def kinds() -> dict[str, Kind]:
    """Return every kind of result by the name that its JSON carries, older names included.

    >>> kinds()["weat-suite"].title
    'Association tests (WEAT)'
    """
    named = [(name, kind) for room in rooms() for name, kind in room.results.items()]
    return {known: kind for name, kind in named for known in (*kind.aliases, name)}


@cache
def histories() -> dict[str, History]:
    """Return every measure that can be followed over the years, by name.

    >>> list(histories())[:3]
    ['polarity', 'weat', 'relative-norm']
    """
    named = {name: found for room in rooms() for name, found in room.histories.items()}
    return dict(sorted(named.items(), key=lambda item: item[1].order))


@cache
def rooms() -> tuple[Room, ...]:
    """Return every room that has an about.toml, in the order of the reference."""
    top = files("aslant")
    found = (
        _room(tomllib.loads(about.read_text(encoding="utf-8")), f"aslant.{prefix}{folder.name}")
        for prefix, parent in (("", top), ("measures.", top / "measures"))
        for folder in sorted(parent.iterdir(), key=lambda found: found.name)
        if folder.is_dir() and (about := folder / "about.toml").is_file()
    )
    return tuple(sorted(found, key=lambda room: room.order))


def _room(said: dict[str, Any], home: str) -> Room:
    parts = {"commands": Command, "steps": Step, "results": Kind, "histories": History}
    if unknown := said.keys() - {*parts, "title", "order", "functions"}:
        raise TypeError(f"the about.toml of {home} has a part '{min(unknown)}', which nothing reads")
    made: dict[str, Any] = {
        part: {name: _entry(cls, entry, home, name) for name, entry in said.get(part, {}).items()}
        for part, cls in parts.items()
    }
    return Room(home, said.get("title", ""), said.get("order", 1_000), tuple(said.get("functions", ())), **made)


def _entry(cls: type[E], said: dict[str, Any], home: str, name: str = "") -> E:
    """Make an entry of what a file says; TOML's "class" cannot be a field's name."""
    made = {"made" if key == "class" else key: tuple(v) if isinstance(v, list) else v for key, v in said.items()}
    if "fits" in made:
        made["fits"] = frozenset(made["fits"])
    if "pictures" in made:
        made["pictures"] = tuple(_entry(Picture, picture, home) for picture in made["pictures"])
    return cls(**made, id=name, home=home)
