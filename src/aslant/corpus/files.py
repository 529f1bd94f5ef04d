"""Which files a corpus is made of, what each holds, and how it is read."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from aslant.corpus import json_texts, tables
from aslant.corpus.splitting import PIECE, Lines, Splitter, lines_of, way_of
from aslant.corpus.text import read_lines
from aslant.errors import CorpusError
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
            if self.kind == "text":
                yield from read_lines(stream, self.encoding)
                return
            if self.kind == "json":
                cells = json_texts.texts(stream, self.column)
            else:
                lines = read_lines(stream, self.encoding)
                cells = tables.texts(lines, DELIMITERS[self.kind], self.column or "", self.label)
            yield from lines_of(cells, self.split)


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
    home = folder.resolve()
    taken: list[Path] = []
    others: list[Path] = []
    seen: set[tuple[int, int]] = set()
    for place, folders, names in os.walk(folder, followlinks=True, onerror=_refuse):
        status = Path(place).stat()
        if (status.st_dev, status.st_ino) in seen:
            folders.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        shown = sorted(name for name in folders if not name.startswith("."))
        folders[:] = [name for name in shown if _within(Path(place, name), home)]
        others += [Path(place, name) for name in shown if name not in folders]
        for path in (Path(place, name) for name in sorted(names) if not name.startswith(".")):
            if path.is_file():
                beside = path.name.lower().split(".")[0] in BESIDE
                wanted = kind_of(path.name) and not beside and _within(path, home)
                (taken if wanted else others).append(path)
    return sorted(taken), sorted(others)


def _within(path: Path, home: Path) -> bool:
    return not path.is_symlink() or path.resolve().is_relative_to(home)


def _refuse(error: OSError) -> None:
    raise CorpusError(f"cannot open '{error.filename}': {error.strerror}.") from None


def examine(
    location: Location, label: str, *, column: str | None, split: str, encoding: str, splitter: Splitter
) -> TextFile:
    """Open a file to see what it holds, which column is meant, and how its text becomes sentences."""
    kind = kind_of(location.name) or "text"
    if kind == "text" and column is not None:
        kind = _table_kind(location, encoding, column)
    file = TextFile(location, label, kind, encoding)
    if kind == "json":
        with open_stream(location) as stream:
            found = json_texts.column_of(json_texts.shape_of(stream), column, label)
        file = TextFile(location, label, kind, "utf-8", found)
    elif kind in DELIMITERS:
        with open_stream(location) as stream:
            header = next(tables.rows(read_lines(stream, encoding), DELIMITERS[kind], label), None)
        if header is None:
            return TextFile(location, label, kind, encoding, empty=True)
        file = TextFile(location, label, kind, encoding, tables.choose_column(header, column, label))
    lines = _first_lines(file)
    way = way_of(lines, splitter, wrapped=kind == "text") if split == "auto" else split
    empty = not any(line.strip() for line in lines)
    return TextFile(location, label, kind, file.encoding, file.column, way, empty)


def _table_kind(location: Location, encoding: str, column: str) -> str:
    """Tell what a file with an uninformative name holds, where a column is given: its first line shows."""
    with open_stream(location) as stream:
        first = next((line for line, _ in islice(read_lines(stream, encoding), 1)), "")
    for kind, delimiter in DELIMITERS.items():
        if column in (cell.strip('" ') for cell in first.split(delimiter)):
            return kind
    return "json" if first.lstrip()[:1] in ("{", "[") else "text"


def _first_lines(file: TextFile) -> list[str]:
    found: list[str] = []
    filled = size = 0
    for line, _ in file.lines():
        text = line.strip()
        if text or (found and found[-1]):
            found.append(text)
        filled += bool(text)
        size += len(text)
        if filled == LOOKED_AT or size >= PIECE:  # lines may be of any length
            break
    return found


def fingerprint_of(location: Location) -> bytes:
    """Return what identifies the content: its size, and samples of its bytes."""
    size = location.path.stat().st_size
    digest = hashlib.sha256(f"{size}\0{location.member}\0".encode("utf-8", "surrogateescape"))
    with location.path.open("rb") as file:
        for position in (0, size // 2, max(0, size - SAMPLE_BYTES)):
            file.seek(position)
            digest.update(file.read(SAMPLE_BYTES))
    return digest.digest()
