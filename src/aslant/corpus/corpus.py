"""`Corpus`: sentences that are read from files, or from what a user already has, as often as needed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from aslant.corpus.files import TextFile, fingerprint_of
from aslant.corpus.splitting import Lines, Tally, lines_of, sentences, splitter
from aslant.errors import CorpusError, plural


@dataclass(frozen=True)
class GivenTexts:
    """Texts that a user already has, in anything that can be iterated over again."""

    texts: Iterable[str]
    split: str = "lines"

    def lines(self) -> Lines:
        """Yield the lines that the texts make."""
        return lines_of(checked(self.texts), self.split)


def checked(texts: Iterable[Any]) -> Iterator[str]:
    """Yield texts, or raise an error that says which one is not a text."""
    for number, text in enumerate(texts, 1):
        if not isinstance(text, str):
            raise CorpusError(f"item {number:,} is a {type(text).__name__}, not a text; give strings.")
        yield text


@dataclass
class Corpus:
    """Sentences, streamed: iterate over it as often as you like; it is never in memory as a whole.

    `too_long` is the number of sentences over `longest` characters that the last complete reading left out (None
    before it). `fingerprint` is made from the sizes of the files and samples of their bytes. `passed_over` are the
    files of a folder whose names say that they hold no text.

    >>> import aslant
    >>> corpus = aslant.load_corpus(["A nurse slept.", "He is a clerk."])
    >>> corpus, list(corpus) == list(corpus)
    (<Corpus 'given': 2 texts>, True)
    """

    name: str
    parts: tuple[TextFile | GivenTexts, ...]
    settings: dict[str, Any]
    passed_over: tuple[str, ...] = ()
    too_long: int | None = field(default=None, init=False)

    def __repr__(self) -> str:
        given = sum(_length(part.texts) for part in self.parts if isinstance(part, GivenTexts))
        counted = {"file": len(self.files), "text": given}
        shown = [plural(n, what) for what, n in counted.items() if n]
        return f"<Corpus '{self.name}': {', '.join(shown) or 'texts'}>"

    @property
    def files(self) -> tuple[TextFile, ...]:
        """The files it is read from."""
        return tuple(part for part in self.parts if isinstance(part, TextFile))

    @property
    def bytes(self) -> int:
        """Size of all files on disk."""
        return sum(file.size for file in self.files)

    @property
    def kind(self) -> str:
        """What it is read from: "text", "table", "json", "given", or "mixed"."""
        tables = {"tsv": "table", "csv": "table"}
        kinds = {
            tables.get(part.kind, part.kind) if isinstance(part, TextFile) else "given" for part in self.parts
        }  # fmt: skip
        return kinds.pop() if len(kinds) == 1 else "mixed"

    @property
    def fingerprint(self) -> str:
        """A short string that distinguishes this text from another, regardless of file names."""
        digest = hashlib.sha256()
        for part in self.parts:
            if isinstance(part, TextFile):
                digest.update(fingerprint_of(part.location))
            else:
                for text in checked(part.texts):
                    digest.update(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())
        return digest.hexdigest()[:16]

    def record(self) -> dict[str, Any]:
        """Return what a result records about it: name, fingerprint, kind, files, settings, and what was left out."""
        return {
            "name": self.name,
            "kind": self.kind,
            "files": [file.record() for file in self.files],
            "fingerprint": self.fingerprint,
            "settings": dict(self.settings),
            "passed_over": list(self.passed_over),
            "too_long": self.too_long,
        }

    def __iter__(self) -> Iterator[str]:
        return self.read()

    def read(self, progress: Callable[[int, int], None] | None = None) -> Iterator[str]:
        """Yield every sentence; `progress` is called with (bytes read, bytes in all)."""
        split, tally, total, before = splitter(self.settings["language"]), Tally(), self.bytes, 0
        for part in self.parts:
            if isinstance(part, TextFile):
                lines = part.lines(_shifted(progress, before, total))
                before += part.size
            else:
                lines = part.lines()
            yield from sentences(lines, part.split, split, self.settings["longest"], tally)
        self.too_long = tally.too_long


def _shifted(progress: Callable[[int, int], None] | None, before: int, total: int) -> Callable[[int, int], None] | None:
    return None if progress is None else lambda done, _: progress(before + done, total)


def _length(texts: Any) -> int:
    return len(texts) if hasattr(texts, "__len__") else 0
