"""The table of first names: how often given, to whom, and when (US Social Security Administration, 1938–2017)."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

RACES = ("white", "black", "api", "native", "multiple", "hispanic")
#: What the Social Security Administration's table has in place of a name, where a child had none yet.
PLACEHOLDERS = frozenset({
    "Baby", "Babyboy", "Babygirl", "Female", "Infant", "Infantboy", "Infantgirl", "Infantof", "Male", "Newborn",
    "Noname", "Notnamed", "Unknown", "Unnamed",
})  # fmt: skip


@dataclass(frozen=True)
class FirstName:
    """One name with at least 1,000 births; `share_by_race` is None where no source knows it."""

    name: str
    births: int
    share_female: float
    mean_birth_year: float
    share_by_race: dict[str, float] | None


@cache
def first_names() -> tuple[FirstName, ...]:
    """Return the names that ship, most frequent first.

    >>> first_names()[0].name, len(first_names())
    ('Michael', 9656)
    """
    source = files("aslant.stimuli").joinpath("names", "first_names.csv")
    lines = source.read_text(encoding="utf-8").splitlines()
    return tuple(_row(record) for record in csv.DictReader(lines))


def _row(record: dict[str, str]) -> FirstName:
    shares = {race: float(record[race]) for race in RACES} if record[RACES[0]] else None
    return FirstName(
        record["name"], int(record["births"]), float(record["share_female"]), float(record["mean_birth_year"]), shares
    )
