"""`aslant data`: external data by name, and what aslant keeps on this machine."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aslant.cli.options import JsonOption, QuietOption, argument, examples, option
from aslant.errors import plural

if TYPE_CHECKING:
    from aslant.data import Entry

app = typer.Typer(help="External data by name, and what aslant keeps on this machine.", no_args_is_help=True)

FIRST_USE = "no published checksum: that of the first copy is recorded, and every later use is checked against it"
NameArgument = Annotated[str, argument("A data name ('aslant data list' shows them).", "NAME")]


@app.callback()
def data_command() -> None:
    """External data by name, and what aslant keeps on this machine."""


@app.command(
    "list",
    epilog=examples("aslant data list", "aslant data list --kind vectors", "aslant data list --json data.json"),
)
def list_command(
    kind: Annotated[
        str | None,
        option("Only one kind: vectors, encoder, language model, corpus, benchmark, names, words."),
    ] = None,
    json: JsonOption = None,
) -> None:
    """List the data that have a name: what they are, how large, under which licence, and where from."""
    from aslant.data import entries
    from aslant.errors import DataError

    wanted = [found for found in entries() if kind in (None, found.kind)]
    if not wanted:
        raise DataError(f"there is no kind '{kind}'; the kinds are {', '.join(sorted({e.kind for e in entries()}))}.")
    if json is not None:
        _write_json([_facts(found) for found in wanted], json)
        return
    _print_table(wanted)


def _where(found: Entry) -> str:
    from aslant.data.fetching import present

    if present(found.name):
        return "here"
    return ", ".join(dict.fromkeys(source.kind for source in found.sources))


def _facts(found: Entry) -> dict[str, Any]:
    return {
        "name": found.name, "title": found.title, "kind": found.kind, "size": found.size, "licence": found.licence,
        "citation": found.citation, "note": found.note, "where": _where(found),
        "sources": [source.where for source in found.sources if not source.by_hand],
        "checksums": "published" if found.published_checksums else "recorded at first use",
    }  # fmt: skip


def _write_json(content: list[dict[str, Any]], path: Path) -> None:
    import json
    import sys

    from aslant.cli.printing import STANDARD_OUTPUT
    from aslant.io.files import write_text

    text = json.dumps(content, ensure_ascii=False, indent=1) + "\n"
    if path == STANDARD_OUTPUT:
        sys.stdout.write(text)
    else:
        write_text(path, text)


def _print_table(wanted: list[Entry]) -> None:
    from rich.table import Table
    from rich.text import Text

    from aslant.cli.printing import table_console
    from aslant.report.tables import plain

    table = Table(box=None, pad_edge=False)
    for title in ("name", "kind", "size", "where", "licence"):
        table.add_column(title, justify="right" if title == "size" else "left", no_wrap=title != "licence")
    for found in wanted:
        mark = "" if found.published_checksums else "*"
        cells = (found.name, found.kind, _size(found.size), _where(found) + mark, found.licence)
        table.add_row(*(Text(plain(cell)) for cell in cells))
    console = table_console()
    console.print(table)
    if not all(found.published_checksums for found in wanted):
        console.print(Text(f"* {FIRST_USE}.", style="dim"))


def _size(size: int | None) -> str:
    return "unknown" if size is None else f"{size / 1e6:,.1f} MB"


@app.command(
    "get",
    epilog=examples(
        "aslant data get glove-6b-50d", "aslant data get gap winobias         several, one after the other"
    ),
)
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


@app.command(
    "path",
    epilog=examples("aslant data path gap                 where it is; exit code 2, and what to do, if it is missing"),
)
def path_command(name: NameArgument) -> None:
    """Print where data are; exit code 2, and what to do, if they are missing."""
    from aslant.data import entry, find
    from aslant.data.fetching import what_to_do
    from aslant.errors import DataError

    path = find(name)
    if path is None:
        raise DataError(what_to_do(entry(name)))
    print(path)


@app.command(
    "licence",
    epilog=examples("aslant data licence crows-pairs      licence, what to cite, what to know, where it comes from"),
)
def licence_command(name: NameArgument) -> None:
    """Print the licence of data, what to cite, what to know, and where they come from."""
    from aslant.data import entry
    from aslant.report.tables import plain

    found = entry(name)
    print(f"{found.name}: {plain(found.title)}")
    print(f"licence: {plain(found.licence)}")
    print(f"cite: {plain(found.citation)}")
    if found.note:
        print(f"note: {plain(found.note)}")
    for source in found.sources:
        print(f"source: {plain(source.by_hand or source.where)}")
    if not found.published_checksums:
        print(f"checksum: {FIRST_USE}.")


@app.command(
    "cache",
    epilog=examples(
        "aslant data cache              what is in it, and where it is",
        "aslant data cache --clear      delete all of it; embeddings are read again when next used",
    ),
)
def cache_command(
    clear: Annotated[bool, option("Delete everything in the cache.", None, "--clear")] = False,
) -> None:
    """List or clear the cache: what was read, converted or computed by a model (set ASLANT_CACHE to move it)."""
    import time

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
