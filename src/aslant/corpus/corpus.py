"""`Corpus`: sentences that are read from files, or from what a user already has, as often as needed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sized
from dataclasses import dataclass, field
from typing import Any

from aslant.corpus.files import DELIMITERS, TextFile, fingerprint_of
from aslant.corpus.splitting import Lines, Tally, lines_of, sentences, splitter
from aslant.errors import CorpusError, plural
from aslant.io.packed_files import Progress


def checked(texts: Iterable[Any]) -> Iterator[str]:
    """Yield texts, or raise an error that says which one is not a text."""
    for number, text in enumerate(texts, 1):
        if not isinstance(text, str):
            raise CorpusError(f"item {number:,} is a {type(text).__name__}, not a text; give strings.")
        yield text


@dataclass(frozen=True)
class GivenTexts:
    """Texts that a user already has, in anything that can be iterated over again."""

    texts: Iterable[str]
    split: str = "lines"
    kind, size = "given", 0

    def __len__(self) -> int:
        return len(self.texts) if isinstance(self.texts, Sized) else 0

    def lines(self, _: Progress | None = None) -> Lines:
        """Yield the lines that the texts make."""
        return lines_of(checked(self.texts), self.split)


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
        given = sum(len(part) for part in self.parts if isinstance(part, GivenTexts))
        shown = [plural(n, what) for n, what in ((len(self.files), "file"), (given, "text")) if n]
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
        kinds = {"table" if part.kind in DELIMITERS else part.kind for part in self.parts}
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

    def read(self, progress: Progress | None = None) -> Iterator[str]:
        """Yield every sentence; `progress` is called with (bytes read, bytes in all)."""
        split, tally, total, before = splitter(self.settings["language"]), Tally(), self.bytes, 0

        def told(done: int, _: int) -> None:
            if progress is not None:
                progress(before + done, total)

        for part in self.parts:
            yield from sentences(part.lines(told), part.split, split, self.settings["longest"], tally)
            before += part.size
        self.too_long = tally.too_long
