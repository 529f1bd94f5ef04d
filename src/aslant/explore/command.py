"""`aslant explore`: serve the page on this machine and open the browser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from aslant.cli import options as o
from aslant.cli.shared import Reading, command

EXAMPLES = """
aslant explore                                      the bundled sample; the browser opens
aslant explore glove.6B.100d.txt                    your embedding
aslant explore before.bin after.bin                 two, to compare on the same words
aslant explore 1900=a.vec 1950=b.vec 2000=c.vec     several years: trends too
aslant explore glove.txt bert-base-uncased          an embedding and a language model
aslant explore --no-browser --port 8123             only print the address
"""


@dataclass(frozen=True)
class Address:
    """Where the page is served."""

    port: Annotated[int, o.option("The port to listen on; 0: one that is free.", "N", min=0, max=65_535)] = 0
    host: Annotated[
        str, o.option("The address to listen on; any but 127.0.0.1 can be reached from other machines.", "ADDRESS")
    ] = "127.0.0.1"
    no_browser: Annotated[bool, o.option("Print the address only; do not open a browser.")] = False


@command
def explore_command(
    models: Annotated[
        list[str] | None,
        o.argument("Embeddings and language models, also as YEAR=MODEL; default: the bundled sample.", "MODEL…"),
    ] = None,
    seed: o.SeedOption = 0,
    quiet: o.QuietOption = False,
    *,
    address: Address,
    reading: Reading,
) -> None:
    """Serve a page on which you try words of your own: tests, axes, enumeration, templates, sentence pairs.

    It is for this machine only, works without a network, and counts your tries: every number stands beside what chance
    gives, and beside the correction that so many tries call for. Ctrl-C ends it.
    """
    from aslant.explore.opened import open_models
    from aslant.explore.server import need_extra, serve

    need_extra()
    opened = open_models(models or [], reading, quiet=quiet)
    serve(opened, address.host, address.port, seed, browser=not address.no_browser)
