"""`aslant data`: external data by name, and what aslant keeps on this machine."""

from __future__ import annotations

import re
import sys
import time
from functools import partial
from json import dumps
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aslant.cli.options import JsonOption, QuietOption, argument, option
from aslant.cli.printing import STANDARD_OUTPUT, table_console
from aslant.cli.progress import written
from aslant.errors import DataError, plural
from aslant.io.files import write_text

if TYPE_CHECKING:
    from aslant.data import Entry

EXAMPLES = """
aslant data list
aslant data list --kind vectors
aslant data list --json data.json
aslant data get glove-6b-50d
aslant data get gap winobias         several, one after the other
aslant data path gap                 where it is; exit code 2, and what to do, if it is missing
aslant data licence crows-pairs      licence, what to cite, what to know, where it comes from
aslant data cache              what is in it, and where it is
aslant data cache --clear      delete all of it; embeddings are read again when next used
aslant data cache --older-than 30d              delete what was not written for 30 days
aslant data cache --max-size 5GB                delete the oldest, until 5 GB are left
aslant data cache --model glove.6B.300d         delete what is kept of one model
"""
#: Units of age, in seconds, and of size, in bytes.
AGES = {"h": 3600.0, "d": 86400.0, "w": 7 * 86400.0}
SIZES = {"kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12}
app = typer.Typer(help="External data by name, and what aslant keeps on this machine.", no_args_is_help=True)

FIRST_USE = "no published checksum: that of the first copy is recorded, and every later use is checked against it"
NameArgument = Annotated[str, argument("A data name ('aslant data list' shows them).", "NAME")]


@app.command("list")
def list_command(
    kind: Annotated[
        str | None,
        option("Only one kind: vectors, encoder, language model, corpus, benchmark, names, words."),
    ] = None,
    json: JsonOption = None,
    quiet: QuietOption = False,
) -> None:
    """List the data that have a name: what they are, how large, under which licence, and where from."""
    from rich.text import Text

    from aslant.data import entries
    from aslant.report.tables import Column, Table, fitted, plain, to_rich

    wanted = [found for found in entries() if kind in (None, found.kind)]
    if not wanted:
        raise DataError(f"there is no kind '{kind}'; the kinds are {', '.join(sorted({e.kind for e in entries()}))}.")
    if json is not None:
        text = dumps([_facts(found) for found in wanted], ensure_ascii=False, indent=1) + "\n"
        if json == STANDARD_OUTPUT:
            sys.stdout.write(text)
        else:
            write_text(json, text)
            written(json)
        return
    if quiet:
        return
    rows = []
    for found in wanted:
        size = "unknown" if found.size is None else f"{found.size / 1e6:,.1f} MB"
        mark = "" if found.published_checksums else "*"
        rows.append({"name": found.name, "kind": found.kind, "size": size, "where": _where(found) + mark,
                     "licence": found.licence})  # fmt: skip
    notes = () if all(found.published_checksums for found in wanted) else (f"* {FIRST_USE}.",)
    columns = (
        Column("name", "name", plain, "left"), Column("kind", "kind", plain, "left"), Column("size", "size", plain),
        Column("where", "where", plain, "left"),
        Column("licence", "licence", plain, "left", wraps=True, spare=1, least=25),
    )  # fmt: skip
    table, console = Table("Data by name", columns, rows, notes), table_console()
    console.print(to_rich(table, console.width), "")
    if len(fitted(table, console.width)) < len(columns):
        notes = ("licences: aslant data licence NAME, --json, or a wider terminal.", *notes)
    for note in notes:
        console.print(Text(note, style="dim"))


def _where(found: Entry) -> str:
    from aslant.data.fetching import present

    return "here" if present(found.name) else ", ".join(dict.fromkeys(source.kind for source in found.sources))


def _facts(found: Entry) -> dict[str, Any]:
    return {
        "name": found.name, "title": found.title, "kind": found.kind, "size": found.size, "licence": found.licence,
        "citation": found.citation, "note": found.note, "where": _where(found),
        "sources": [source.where for source in found.sources if not source.by_hand],
        "checksums": "published" if found.published_checksums else "recorded at first use",
    }  # fmt: skip


@app.command("get")
def get_command(
    names: Annotated[list[str], argument("Data names ('aslant data list' shows them).", "NAME...")],
    quiet: QuietOption = False,
) -> None:
    """Download data, verify them, and print where they are."""
    from aslant.cli.progress import bar
    from aslant.data import entry, fetch

    for found in [entry(name) for name in names]:
        with bar(quiet=quiet, in_bytes=True) as progress:
            path = fetch(found.name, progress=None if progress is None else partial(progress, found.name))
        if not quiet:
            print(f"{found.name}: {path}")
            if not found.published_checksums:
                print(f"note: {found.name}: {FIRST_USE}.")


@app.command("path")
def path_command(name: NameArgument, quiet: QuietOption = False) -> None:
    """Print where data are; exit code 2, and what to do, if they are missing."""
    from aslant.data import entry, find
    from aslant.data.fetching import what_to_do

    path = find(name)
    if path is None:
        raise DataError(what_to_do(entry(name)))
    if not quiet:
        print(path)


@app.command("licence")
def licence_command(name: NameArgument, quiet: QuietOption = False) -> None:
    """Print the licence of data, what to cite, what to know, and where they come from."""
    from aslant.data import entry
    from aslant.report.tables import plain

    found = entry(name)
    facts = [(found.name, found.title), ("licence", found.licence), ("cite", found.citation), ("note", found.note)]
    facts += [("source", source.by_hand or source.where) for source in found.sources]
    facts += [] if found.published_checksums else [("checksum", f"{FIRST_USE}.")]
    if not quiet:
        print("\n".join(f"{name}: {plain(fact)}" for name, fact in facts if fact))


@app.command("cache")
def cache_command(
    clear: Annotated[bool, option("Delete everything in the cache.", None, "--clear")] = False,
    older_than: Annotated[str | None, option("Delete what was not written for this long: 12h, 30d, 8w.", "AGE")] = None,
    max_size: Annotated[str | None, option("Delete the oldest until this much is left: 500MB, 5GB.", "SIZE")] = None,
    model: Annotated[str | None, option("Delete what is kept of an embedding or a converted model.", "NAME")] = None,
    quiet: QuietOption = False,
) -> None:
    """List or clear the cache: what was read, converted or computed by a model (set ASLANT_CACHE to move it).

    Everything in it can be made again. What was downloaded is not part of it, and is only counted.
    """
    from aslant.data import cache_entries, cache_folder, clear_cache, data_folder

    limits: dict[str, Any] = {"model": model}
    limits |= {"older_than": None if older_than is None else _amount(older_than, "--older-than", AGES)}
    limits |= {"max_size": None if max_size is None else int(_amount(max_size, "--max-size", SIZES))}
    if clear or any(value is not None for value in limits.values()):
        count, size = clear_cache(**limits)
        if not quiet:
            print(f"{plural(count, 'file')} deleted, {size / 1e6:,.1f} MB freed")
        return
    entries = cache_entries()
    total = sum(entry.size for entry in entries)
    downloaded = sum(path.stat().st_size for path in data_folder().glob("**/*") if path.is_file())
    for entry in entries if not quiet else ():
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.modified))
        state = "  (unfinished)" if entry.partial else ""
        print(f"{entry.size / 1e6:10,.1f} MB  {when}  {entry.path.relative_to(cache_folder())}{state}")
    if not quiet:
        print(f"{total / 1e6:10,.1f} MB  in {plural(len(entries), 'file')}, {cache_folder()}")
        print(f"{downloaded / 1e6:10,.1f} MB  of downloaded data, which are not part of the cache, {data_folder()}")


def _amount(text: str, option: str, units: dict[str, float]) -> float:
    """Return a number with a unit, such as 30d or 5GB, in seconds or bytes."""
    met = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z]+)", text.strip().lower())
    if met is None or met[2] not in units:
        raise DataError(f"{option} '{text:.20}' is not a number with a unit; the units are {', '.join(units)}.")
    return float(met[1]) * units[met[2]]
