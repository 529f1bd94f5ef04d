"""A corpus in shards, each read by another worker: what is drawn does not depend on who reads which part.

A file is cut where a line ends, so that every sentence is in one shard; what cannot be cut there (packed files, tables,
JSON, paragraphs, other encodings) is one shard as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from aslant.corpus.corpus import Corpus
from aslant.corpus.files import TextFile
from aslant.io.packed_files import packing

#: Bytes of a shard, about.
SHARD = 16 << 20
BLOCK = 1 << 16
#: A byte-order mark begins like this; no file is cut before such a line, so that a reader does not take it for one.
MARK = 0xEF


@dataclass(frozen=True, eq=False)
class Shards:
    """How the shards of a corpus are read: its settings, which are those of every shard."""

    settings: dict[str, Any]

    def corpus(self, shard: TextFile) -> Corpus:
        """Return a shard as a corpus of its own."""
        return Corpus(shard.label, (shard,), self.settings)


def shards_of(corpus: Corpus, size: int = SHARD) -> Iterator[TextFile]:
    """Yield the parts of a corpus of files, in their order; together they hold every sentence once.

    >>> import aslant, tempfile
    >>> path = tempfile.NamedTemporaryFile(suffix=".txt", delete=False)
    >>> _ = path.write("He left. She slept.".replace(". ", chr(46) + chr(10)).encode())
    >>> path.close()
    >>> [shard.span for shard in shards_of(aslant.load_corpus(path.name), size=4)]
    [(0, 9), (9, 19)]
    """
    for file in corpus.files:
        here = replace(file, location=replace(file.location, path=file.location.path.resolve()))
        if file.kind != "text" or file.encoding not in ("utf-8", "ascii") or file.split == "paragraphs":
            yield here
            continue
        cuts = list(_cuts(here, size))
        yield from (replace(here, span=span) for span in pairwise(cuts)) if len(cuts) > 2 else [here]


def _cuts(file: TextFile, size: int) -> Iterator[int]:
    """Yield where the shards of a file begin, and where the last one ends; nothing for a file that is packed."""
    total = file.size
    with file.location.path.open("rb") as stream:
        if file.location.member is not None or packing(stream.read(8)):
            return
        at = 0
        yield at
        while at + size < total:
            at = _line_start(stream, at + size, total)
            if at < total:
                yield at
    yield total


def _line_start(stream: Any, at: int, total: int) -> int:
    """Return where the first line after `at` begins that can be read by itself."""
    stream.seek(at)
    after_newline = False
    while block := stream.read(BLOCK):
        for place, byte in enumerate(block):
            if after_newline and byte != MARK:
                return int(at + place)
            after_newline = byte == 0x0A
        at += len(block)
    return total
