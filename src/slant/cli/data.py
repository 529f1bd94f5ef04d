"""`slant data`: what slant keeps on this machine."""

from __future__ import annotations

from typing import Annotated

import typer

app = typer.Typer(help="What slant keeps on this machine.", no_args_is_help=True)

CACHE_EXAMPLES = """
[bold]Examples[/bold]

slant data cache              what is in it, and where it is

slant data cache --clear      delete all of it; embeddings are read anew when next used
"""


@app.callback()
def data_command() -> None:
    """What slant keeps on this machine."""


@app.command("cache", epilog=CACHE_EXAMPLES)
def cache_command(
    clear: Annotated[bool, typer.Option("--clear", help="Delete everything in the cache.")] = False,
) -> None:
    """List or clear the cache of embeddings that were read once (set SLANT_CACHE to move it)."""
    import time

    from slant.data import cache_entries, cache_folder, clear_cache

    if clear:
        count, size = clear_cache()
        print(f"{count} files deleted, {size / 1e6:,.1f} MB freed")
        return
    entries = cache_entries()
    for entry in entries:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.modified))
        state = "  (unfinished)" if entry.partial else ""
        print(f"{entry.size / 1e6:10,.1f} MB  {when}  {entry.path.name}{state}")
    total = sum(entry.size for entry in entries)
    print(f"{total / 1e6:10,.1f} MB  in {len(entries)} files, {cache_folder()}")
