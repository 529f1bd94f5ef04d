"""What there is: measures, their commands, the steps of an audit, and the kinds of results.

Each room says so in its about.toml, and nothing else keeps a list. Code is named as "module:name", relative to the
room, and imported when it is first needed; reading the catalogue imports nothing.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import import_module
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

import msgspec

from aslant.errors import AslantError


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something that a room has; `home` is the room's package."""

    home: str = ""

    def load(self, where: str) -> Any:
        """Import what "module:name" means in this room.

        >>> commands()["weat"].load("statistic:effect_size").__name__
        'effect_size'
        """
        module, _, name = where.partition(":")
        return getattr(import_module(module if module.startswith(".") else f".{module}", self.home), name)


class Command(Entry, frozen=True, kw_only=True):
    """A command: what runs it (a function, or an app with sub-commands), and its place and line in --help."""

    run: str = "command:command_line"
    help: str
    group: str
    order: int = 1_000


class Step(Entry, frozen=True, kw_only=True):
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


class Picture(Entry, frozen=True, kw_only=True):
    """A chart of one kind of result: the name of its file, what it shows, and the function that draws it.

    It is drawn only where the field that it `needs` is not empty; a `wide` one takes the width that it gets.
    """

    name: str
    shows: str
    draw: str
    needs: str = ""
    wide: bool = False


class Kind(Entry, frozen=True, kw_only=True, rename={"made": "class"}):
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


class Room(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one about.toml says."""

    commands: dict[str, Command] = {}
    steps: dict[str, Step] = {}
    results: dict[str, Kind] = {}


@cache
def commands() -> dict[str, Command]:
    """Return every command by name, in the order of --help.

    >>> list(commands())[:2]
    ['audit', 'check']
    """
    return _ordered({name: found for room in _rooms() for name, found in room.commands.items()})


@cache
def steps() -> dict[str, Step]:
    """Return every measure of an audit by name, in the order of the report.

    >>> list(steps())[:3]
    ['weat', 'polarity', 'geometry']
    """
    return _ordered({name: found for room in _rooms() for name, found in room.steps.items()})


@cache
def kinds() -> dict[str, Kind]:
    """Return every kind of result by the name that its JSON carries, older names included.

    >>> kinds()["weat-suite"].title
    'Association tests (WEAT)'
    """
    named = [(name, kind) for room in _rooms() for name, kind in room.results.items()]
    return {known: kind for name, kind in named for known in (*kind.aliases, name)}


def _ordered(entries: dict[str, Any]) -> dict[str, Any]:
    return dict(sorted(entries.items(), key=lambda item: (GROUPS.get(getattr(item[1], "group", ""), 0), item[1].order)))


#: The panels of --help, in their order; a group that is not named here comes last.
GROUPS = {
    name: place
    for place, name in enumerate(
        ("Audit", "Measures of vectors", "Measures of models", "Results", "Data and words", "")
    )
}


@cache
def _rooms() -> tuple[Room, ...]:
    top = files("aslant")
    return tuple(
        _room(about, f"aslant.{prefix}{folder.name}")
        for prefix, parent in (("", top), ("measures.", top / "measures"))
        for folder in sorted(parent.iterdir(), key=lambda found: found.name)
        if folder.is_dir() and (about := folder / "about.toml").is_file()
    )


def _room(about: Traversable, home: str) -> Room:
    said = tomllib.loads(about.read_text(encoding="utf-8"))
    for entries in said.values():
        for entry in entries.values():
            entry["home"] = home
            for picture in entry.get("pictures", ()):
                picture["home"] = home
    try:
        return msgspec.convert(said, Room)
    except msgspec.ValidationError as error:
        raise AslantError(f"the about.toml of {home} is not as it should be: {error}.") from None
