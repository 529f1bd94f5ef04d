"""`aslant data`: external data by name, and what aslant keeps on this machine."""

from __future__ import annotations

import sys
import time
from functools import partial
from json import dumps
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aslant.cli.options import JsonOption, QuietOption, argument, option
from aslant.cli.printing import STANDARD_OUTPUT, print_table
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
"""
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
) -> None:
    """List the data that have a name: what they are, how large, under which licence, and where from."""
    from aslant.data import entries

    wanted = [found for found in entries() if kind in (None, found.kind)]
    if not wanted:
        raise DataError(f"there is no kind '{kind}'; the kinds are {', '.join(sorted({e.kind for e in entries()}))}.")
    if json is not None:
        text = dumps([_facts(found) for found in wanted], ensure_ascii=False, indent=1) + "\n"
        if json == STANDARD_OUTPUT:
            sys.stdout.write(text)
        else:
            write_text(json, text)
        return
    rows = []
    for found in wanted:
        size = "unknown" if found.size is None else f"{found.size / 1e6:,.1f} MB"
        mark = "" if found.published_checksums else "*"
        rows.append((found.name, found.kind, size, _where(found) + mark, found.licence))
    note = "" if all(found.published_checksums for found in wanted) else f"* {FIRST_USE}."
    print_table(("name", "kind", "size", "where", "licence"), rows, right="size", wraps=("licence",), note=note)


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
def path_command(name: NameArgument) -> None:
    """Print where data are; exit code 2, and what to do, if they are missing."""
    from aslant.data import entry, find
    from aslant.data.fetching import what_to_do

    path = find(name)
    if path is None:
        raise DataError(what_to_do(entry(name)))
    print(path)


@app.command("licence")
def licence_command(name: NameArgument) -> None:
    """Print the licence of data, what to cite, what to know, and where they come from."""
    from aslant.data import entry
    from aslant.report.tables import plain

    found = entry(name)
    facts = [(found.name, found.title), ("licence", found.licence), ("cite", found.citation), ("note", found.note)]
    facts += [("source", source.by_hand or source.where) for source in found.sources]
    facts += [] if found.published_checksums else [("checksum", f"{FIRST_USE}.")]
    print("\n".join(f"{name}: {plain(fact)}" for name, fact in facts if fact))


@app.command("cache")
def cache_command(
    clear: Annotated[bool, option("Delete everything in the cache.", None, "--clear")] = False,
) -> None:
    """List or clear the cache: what was read, converted or computed by a model (set ASLANT_CACHE to move it)."""
    from aslant.data import cache_entries, cache_folder, clear_cache

    if clear:
        count, size = clear_cache()
        print(f"{plural(count, 'file')} deleted, {size / 1e6:,.1f} MB freed")
        return
    entries = cache_entries()
    for entry in entries:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.modified))
        state = "  (unfinished)" if entry.partial else ""
        print(f"{entry.size / 1e6:10,.1f} MB  {when}  {entry.path.name}{state}")
    total = sum(entry.size for entry in entries)
    print(f"{total / 1e6:10,.1f} MB  in {plural(len(entries), 'file')}, {cache_folder()}")
