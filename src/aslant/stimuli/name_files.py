"""Names and what is known of them: the bundled first names, the US census of surnames, or a user's file."""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import msgspec

from aslant.errors import MissingExtraError, StimuliError
from aslant.io.reading import MAX_BYTES, delimiter, read_bytes, read_text

RACES = ("white", "black", "api", "native", "multiple", "hispanic")
#: What the Social Security Administration's table has in place of a name, where a child had none yet.
PLACEHOLDERS = frozenset({
    "Baby", "Babyboy", "Babygirl", "Female", "Infant", "Infantboy", "Infantgirl", "Infantof", "Male", "Newborn",
    "Noname", "Notnamed", "Unknown", "Unnamed",
})  # fmt: skip
#: Names of which at least this share is in the table of first names are first names; of the hundred commonest US
#: surnames 57 % are in it.
FIRST_NAMES = 0.8
#: A name counts if at least this many people bear it, as in the table of first names.
LEAST_BEARERS = 1_000
ALL_OTHERS = "ALL OTHER NAMES"  # the last row of the census, which is not a name
#: Writes the frequent names of the table of births on standard input, most frequent first, in at most 8 GB of memory.
READ_PARQUET = """
import io, json, sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
except (ImportError, ValueError, OSError):
    pass
import polars as pl
table = pl.read_parquet(io.BytesIO(sys.stdin.buffer.read()), columns=["name", "n"])
if table.schema["name"] != pl.String or not table.schema["n"].is_numeric():
    sys.exit("it needs a column 'name' of text and a column 'n' of numbers of births")
named = table.drop_nulls().filter(~pl.col("name").is_in(sys.argv[2:]))
births = named.group_by("name").agg(pl.col("n").cast(pl.Int64, strict=False).sum())
often = births.filter(pl.col("n") >= int(sys.argv[1])).sort(["n", "name"], descending=[True, False])
print(json.dumps(often["name"].to_list()))
"""
#: The shares of the census of surnames, in the order of `RACES`.
CENSUS_SHARES = ("pctwhite", "pctblack", "pctapi", "pctaian", "pct2prace", "pcthispanic")


@dataclass(frozen=True)
class NameFacts:
    """What a table knows of one name, and how many people it counts with that name; None: nothing."""

    bearers: int
    share_female: float | None
    mean_birth_year: float | None
    share_by_race: Mapping[str, float] | None


@dataclass(frozen=True)
class NameTable:
    """Names to be clustered, and facts about some of them, by the name in lower case."""

    id: str
    names: tuple[str, ...]
    facts: Mapping[str, NameFacts]


@cache
def bundled_names() -> NameTable:
    """Return the first names that ship, most frequent first, with their facts.

    Names with at least 1,000 births (US Social Security Administration, 1938–2017); shares by race are None where no
    source knows them.

    >>> bundled_names().names[0], len(bundled_names().names), bundled_names().facts["mary"].share_female > 0.99
    ('Michael', 9656, True)
    """
    text = files("aslant.stimuli").joinpath("names", "first_names.csv").read_text(encoding="utf-8")
    names, facts = [], {}
    for row in csv.DictReader(text.splitlines()):
        shares = {race: float(row[race]) for race in RACES} if row[RACES[0]] else None
        female, year = float(row["share_female"]), float(row["mean_birth_year"])
        names.append(row["name"])
        facts[row["name"].lower()] = NameFacts(int(row["births"]), female, year, shares)
    return NameTable("first names (bundled)", tuple(names), facts)


def named(identity: str, names: Iterable[str], *, first_names: bool = False) -> NameTable:
    """Return a user's table of names; if they are first names, with what the bundled first names know about them.

    Unless it is known that they are `first_names`, four fifths of them have to be in that table: many surnames are too,
    but nobody is born in the mean year of a surname.

    >>> sorted(named("own", ["Mary", "John", "Ann", "James", "Zzyzx"]).facts)
    ['ann', 'james', 'john', 'mary']
    >>> named("own", ["Jackson", "Taylor", "Smith", "Hernandez"]).facts
    {}
    """
    listed = tuple(dict.fromkeys(names))
    known, wanted = bundled_names().facts, {name.lower() for name in listed}
    facts = {name: known[name] for name in wanted if name in known}
    return NameTable(identity, listed, facts if first_names or len(facts) >= FIRST_NAMES * len(wanted) else {})


def read_names(path: Path) -> NameTable:
    """Read names from a file: one per line or separated by commas, or a .csv or .tsv with a column "name" or no other.

    The files of the data names `ssa-names` and `census-surnames` are recognised; of these, names with fewer than
    1,000 bearers are left out, and what stands in place of a name ("Unknown", "Infant").

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "names.txt"
    >>> _ = file.write_text("Ann\\nBob\\n")
    >>> read_names(file).names
    ('Ann', 'Bob')
    """
    if path.suffix == ".parquet":
        if find_spec("polars") is None:
            raise MissingExtraError("a .parquet table of names needs polars: pip install '.[frames]', or use .csv.")
        # In a process of its own: where a table's counts lie, polars asks for any memory and dies of it.
        done = subprocess.run(
            [sys.executable, "-P", "-c", READ_PARQUET, str(LEAST_BEARERS), *PLACEHOLDERS],
            input=read_bytes(path, StimuliError, most=4 * MAX_BYTES), env={**os.environ, "POLARS_MAX_THREADS": "1"},
            capture_output=True, check=False,
        )  # fmt: skip
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip().split("\n")[-1].rstrip(".")
            raise StimuliError(f"the names in '{path}' cannot be read: {said[:200] or 'polars failed'}.")
        names = _not_empty(path, msgspec.json.decode(done.stdout, type=list[str]))
        return named(path.stem, names, first_names=True)
    lines = read_text(path, StimuliError, most=4 * MAX_BYTES).splitlines()
    mark = delimiter("".join(lines[:1]))
    if path.suffix.lower() not in (".csv", ".tsv") and mark != "\t":
        return named(path.name, _not_empty(path, (name for line in lines for name in re.split("[,;]", line))))
    try:
        rows = list(csv.DictReader(lines, delimiter=mark))
        if rows and {"name", "count", *CENSUS_SHARES} <= set(rows[0]):
            return _surnames(path, rows)
        return named(path.name, _not_empty(path, _column(path, lines, mark)))
    except csv.Error as error:
        raise StimuliError(f"'{path}' is not a table that can be read: {error}.") from None


def _column(path: Path, lines: list[str], mark: str) -> list[str]:
    """Return the column "name"; a file of one column without that head is names from its first line on."""
    table = list(csv.reader(lines, delimiter=mark))
    heads = [head.strip().lower() for head in table[0]] if table else []
    if "name" in heads:
        place = heads.index("name")
        return [row[place] for row in table[1:] if len(row) > place]
    if any(len(row) > 1 for row in table):
        raise StimuliError(f"'{path}' has no column 'name' but {', '.join(map(repr, table[0][:6]))}; name one 'name'.")
    return [row[0] for row in table if row]


def _not_empty(path: Path, names: Iterable[str | None]) -> list[str]:
    found = [name.strip() for name in names if name and name.strip()]
    if not found:
        raise StimuliError(f"'{path}' has no names; give one per line, or a column 'name'.")
    return found


def _surnames(path: Path, rows: list[dict[str, str]]) -> NameTable:
    names, facts = [], {}
    for number, row in enumerate(rows, 2):
        try:
            bearers = int(row["count"])
            if bearers < LEAST_BEARERS or row["name"] == ALL_OTHERS:
                continue
            shares = dict(zip(RACES, _shares([row[column] for column in CENSUS_SHARES]), strict=True))
            _not_empty(path, [row["name"]])
        except (TypeError, ValueError, StimuliError):
            raise StimuliError(
                f"'{path}', line {number}: no name, no count or shares by race; is it the census file?"
            ) from None
        names.append(surname(row["name"]))
        facts[row["name"].lower()] = NameFacts(bearers, None, None, shares)
    return NameTable("census surnames", tuple(names), facts)


def _shares(percentages: list[str]) -> list[float]:
    """Return the shares; those that the census suppresses, "(S)", get equal parts of the rest of 100 %."""
    known = [None if value == "(S)" else float(value) / 100 for value in percentages]
    if not all(value is None or 0 <= value <= 1 for value in known):
        raise ValueError("a share is not a percentage")
    rest = max(0.0, 1 - sum(value for value in known if value is not None)) / max(1, known.count(None))
    return [rest if value is None else value for value in known]


def surname(capitals: str) -> str:
    """Write a surname that is in capitals in a table the way people do.

    >>> surname("SMITH"), surname("MCDONALD")
    ('Smith', 'McDonald')
    """
    name = capitals.capitalize()
    return f"Mc{name[2:].capitalize()}" if name.startswith("Mc") and len(name) > 4 else name
