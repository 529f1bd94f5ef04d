"""`Corpus`: sentences that are read from files, or from what a user already has, as often as needed.

Also which files a corpus is made of, what each holds, and how it is read.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sized
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from aslant.corpus.reading import cells, choose_column, key_of_texts, read_lines, rows, strings
from aslant.corpus.splitting import PIECE, Lines, Splitter, Tally, lines_of, sentences, splitter, way_of
from aslant.errors import CorpusError, plural
from aslant.io.packed_files import Location, Progress, open_stream

KINDS = {
    "": "text", ".txt": "text", ".text": "text", ".tsv": "tsv", ".tab": "tsv", ".csv": "csv", ".json": "json",
    ".jsonl": "json", ".ndjson": "json",
}  # fmt: skip
PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip")
ARCHIVES = (*PACKED, ".tgz", ".tar")
DELIMITERS = {"tsv": "\t", "csv": ","}
#: Files that come with a corpus and are not part of it.
BESIDE = ("licence", "license", "readme", "copying", "notice", "citation", "changelog", "sources")
#: How many lines with text are read to find out how a file is split.
LOOKED_AT = 500
SAMPLE_BYTES = 64 << 10


@dataclass(frozen=True)
class TextFile:
    """One file of a corpus: what it holds ("text", "tsv", "csv", "json"), the column, and how it becomes sentences."""

    location: Location
    label: str
    kind: str
    encoding: str
    column: str | None = None
    split: str = "lines"
    empty: bool = False
    #: The bytes that are read, where that is only a part of the file.
    span: tuple[int, int] | None = None

    @property
    def size(self) -> int:
        """Bytes on disk."""
        try:
            return self.location.path.stat().st_size
        except OSError as error:
            raise CorpusError(f"cannot open '{self.location.path}': {error.strerror}.") from None

    def record(self) -> dict[str, str | int | None]:
        """Return what a result records about the file."""
        return {
            "file": self.label, "kind": self.kind, "bytes": self.size, "column": self.column, "split": self.split
        }  # fmt: skip

    def lines(self, progress: Progress | None = None) -> Lines:
        """Yield the lines of the file, or those that the texts in its column make."""
        with open_stream(self.location, progress, self.span) as stream:
            if self.kind == "json":
                found = (text for key, _, text in strings(stream) if self.column is None or key == self.column)
                yield from lines_of(found, self.split)
                return
            lines = read_lines(stream, self.encoding)
            if self.kind != "text":
                lines = lines_of(cells(lines, DELIMITERS[self.kind], self.column or "", self.label), self.split)
            yield from lines

    def first_lines(self) -> list[str]:
        """Return enough lines to find out how the file is split."""
        found: list[str] = []
        filled = size = 0
        for line, _ in self.lines():
            text = line.strip()
            if text or (found and found[-1]):
                found.append(text)
            filled += bool(text)
            size += len(text)
            if filled == LOOKED_AT or size >= PIECE:  # lines may be of any length
                break
        return found


def kind_of(name: str) -> str | None:
    """Tell by its name what a file holds, or None where the name says something else.

    >>> kind_of("gap-test.tsv.gz"), kind_of("wiki_00"), kind_of("photo.jpg")
    ('tsv', 'text', None)
    """
    path = Path(name.lower())
    if path.suffix in PACKED:
        path = path.with_suffix("")
    return KINDS.get(path.suffix)


def files_in(folder: Path) -> tuple[list[Path], list[Path]]:
    """Return the files of text in a folder and those below it, and the other files, both in order of their names.

    Hidden files and folders are skipped silently. Links are followed, but no folder twice; those that lead
    out of the folder are among the others, so that a corpus from elsewhere cannot bring private files into a report.
    """

    def within(path: Path) -> bool:
        return not path.is_symlink() or path.resolve().is_relative_to(home)

    def refuse(error: OSError) -> None:
        raise CorpusError(f"cannot open '{error.filename}': {error.strerror}.") from None

    home, seen, taken, others = folder.resolve(), set[Path](), list[Path](), list[Path]()
    for place, folders, names in os.walk(folder, followlinks=True, onerror=refuse):
        if (real := Path(place).resolve()) in seen:
            folders.clear()
            continue
        seen.add(real)
        shown = sorted(name for name in folders if not name.startswith("."))
        folders[:] = [name for name in shown if within(Path(place, name))]
        others += [Path(place, name) for name in shown if name not in folders]
        for path in (Path(place, name) for name in sorted(names) if not name.startswith(".")):
            if path.is_file():
                beside = path.name.lower().split(".")[0] in BESIDE
                wanted = kind_of(path.name) and not beside and within(path)
                (taken if wanted else others).append(path)
    return sorted(taken), sorted(others)


@dataclass(frozen=True)
class Ways:
    """How files are to be read, as far as the user says."""

    column: str | None
    split: str
    encoding: str
    splitter: Splitter

    def way_of(self, lines: list[str], *, wrapped: bool) -> str:
        """Return how a text that begins with these lines becomes sentences."""
        return way_of(lines, self.splitter, wrapped=wrapped) if self.split == "auto" else self.split

    def examine(self, location: Location, label: str) -> TextFile:
        """Open a file to see what it holds, which column is meant, and how its text becomes sentences."""
        kind, column, encoding = kind_of(location.name) or "text", None, self.encoding
        if kind == "text" and self.column is not None:  # the name says nothing, but the first line may
            with open_stream(location) as stream:
                first = next((line for line, _ in islice(read_lines(stream, encoding), 1)), "")
            kind = "json" if first.lstrip()[:1] in ("{", "[") else "text"
            for table, delimiter in reversed(DELIMITERS.items()):
                if self.column in (cell.strip('" ') for cell in first.split(delimiter)):
                    kind = table
        if kind == "json":
            with open_stream(location) as stream:
                column, encoding = key_of_texts(stream, self.column, label), "utf-8"
        elif kind in DELIMITERS:
            with open_stream(location) as stream:
                header = next(rows(read_lines(stream, encoding), DELIMITERS[kind], label), None)
            if header is None:
                return TextFile(location, label, kind, encoding, empty=True)
            column = choose_column(header, self.column, label)
        file = TextFile(location, label, kind, encoding, column)
        lines = file.first_lines()
        empty = not any(line.strip() for line in lines)
        return replace(file, split=self.way_of(lines, wrapped=kind == "text"), empty=empty)


def fingerprint_of(location: Location) -> bytes:
    """Return what identifies the content: its size, and samples of its bytes."""
    size = location.path.stat().st_size
    digest = hashlib.sha256(f"{size}\0{location.member}\0".encode("utf-8", "surrogateescape"))
    with location.path.open("rb") as file:
        for position in (0, size // 2, max(0, size - SAMPLE_BYTES)):
            file.seek(position)
            digest.update(file.read(SAMPLE_BYTES))
    return digest.digest()


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
