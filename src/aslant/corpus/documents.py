"""The documents of a corpus, each with its period: rows of a table, records of JSON, files, lines or paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from aslant.corpus.corpus import DELIMITERS, Corpus, GivenTexts, TextFile, checked
from aslant.corpus.reading import choose_column, read_lines, rows, strings
from aslant.corpus.splitting import Lines, Tally, lines_of, paragraphs, sentences, splitter
from aslant.errors import CorpusError
from aslant.io.packed_files import Progress, open_stream

#: A document: its period (None where it has none), and its sentences.
Document = tuple[str | None, Iterable[str]]
#: What has no period belongs to this one if none are asked for.
ALL = "all"
#: Periods that are found in dates and in the names of files.
DATED = ("year", "decade")
YEAR = re.compile(r"(?<!\d)(1\d{3}|20\d{2})(?!\d)")
#: Files are documents if each period has at least this many; otherwise lines, or paragraphs, are.
FILES = 10


def period_of(value: Any, by: str) -> str | None:
    """Return the period that a cell, or the name of a file, stands for; None where it stands for none.

    >>> period_of("3 May 1912", "decade"), period_of("speech-1861.txt", "year"), period_of("n.d.", "year")
    ('1910', '1861', None)
    """
    if by not in DATED:
        return None if value is None else str(value).strip() or None
    found = YEAR.search(str(value))
    return None if found is None else found[1] if by == "year" else f"{int(found[1]) // 10 * 10}"


def period_of_file(label: str, by: str) -> str | None:
    """Return the period in the name of a file, or else in those of its folders.

    >>> period_of_file("1900s/1912.txt", "year"), period_of_file("1861/lincoln.txt", "decade")
    ('1912', '1860')
    """
    return next((found for part in reversed(label.split("/")) if (found := period_of(part, by))), None)


def unit_of(corpus: Corpus, by: str | None) -> str:
    """Return what a document of the corpus is: "row", "text", "file", or "line" (or paragraph)."""
    files = [part for part in corpus.files if part.kind == "text"]
    if not files:
        return "text" if not corpus.files else "row"
    periods = [period_of_file(file.label, by) if by in DATED else ALL for file in files]
    return "file" if min(map(periods.count, periods)) >= FILES else "line"


def documents(
    corpus: Corpus, by: str | Sequence[Any] | None = None, tally: Tally | None = None, progress: Progress | None = None
) -> Iterator[Document]:
    """Yield every document with its period; `by` is "year", "decade", a column, or, for given texts, one for each.

    >>> import aslant
    >>> corpus = aslant.load_corpus(["He left. She slept.", "They met. It rained."])
    >>> [(period, list(found)) for period, found in documents(corpus, [1900, 1910])]
    [('1900', ['He left.', 'She slept.']), ('1910', ['They met.', 'It rained.'])]
    """
    split, tally = splitter(corpus.settings["language"]), tally or Tally()
    total, before, labels = corpus.bytes, 0, None if by is None or isinstance(by, str) else list(by)
    if labels is not None and corpus.files:
        raise CorpusError("periods were given as a list, but the text is in files; name a column, or 'year'.")
    column = by if isinstance(by, str) else None
    unit, longest = unit_of(corpus, column), corpus.settings["longest"]

    def told(done: int, _: int) -> None:
        if progress is not None:
            progress(before + done, total)

    for part in corpus.parts:
        found = _given(part, labels, column) if isinstance(part, GivenTexts) else _of_file(part, column, unit, told)
        for period, lines in found:
            yield period, sentences(lines, _way(part, unit), split, longest, tally)
        before += part.size


def _way(part: TextFile | GivenTexts, unit: str) -> str:
    """Return how a document becomes sentences: lines that were joined to a paragraph are running text."""
    return "sentences" if part.kind == "text" and unit == "line" and part.split == "paragraphs" else part.split


def _given(part: GivenTexts, labels: list[Any] | None, by: str | None) -> Iterator[tuple[str | None, Lines]]:
    if by is not None:
        raise CorpusError(f"given texts have no column '{by}'; give a list of periods, one for each text.")
    texts = list(checked(part.texts))
    if labels is not None and len(labels) != len(texts):
        raise CorpusError(f"{len(labels):,} periods were given for {len(texts):,} texts; give one for each text.")
    for number, text in enumerate(texts):
        yield ALL if labels is None else period_of(labels[number], ""), lines_of([text], part.split)


def _of_file(file: TextFile, by: str | None, unit: str, progress: Progress) -> Iterator[tuple[str | None, Lines]]:
    named = ALL if by is None else period_of_file(file.label, by) if by in DATED else None
    if file.kind == "text":
        if by is not None and by not in DATED:
            raise CorpusError(f"'{file.label}' is plain text and has no column '{by}'; say 'year' for years in names.")
        if unit == "file":
            yield named, file.lines(progress)
        else:
            yield from ((named, document) for document in _each(file, progress))
    elif not file.empty:
        for period, text in _cells(file, by, named, progress):
            yield period, lines_of([text], file.split)


def _each(file: TextFile, progress: Progress) -> Iterator[Lines]:
    """Yield the lines, or paragraphs, of a file of text, each in its pieces."""
    held: list[tuple[str, bool]] = []
    lines = file.lines(progress)
    for text, ends in paragraphs(lines) if file.split == "paragraphs" else lines:
        held.append((text, ends))
        if ends:
            yield held
            held = []


def _cells(file: TextFile, by: str | None, named: str | None, progress: Progress) -> Iterator[tuple[str | None, str]]:
    """Yield the texts of a table or of JSON, each with its period."""
    with open_stream(file.location, progress, file.span) as stream:
        if file.kind == "json" and by is None:
            yield from ((ALL, text) for key, _, text in strings(stream) if file.column in (None, key))
        elif file.kind == "json":
            yield from _records(stream, file, str(by), named)
        else:
            table = rows(read_lines(stream, file.encoding), DELIMITERS[file.kind], file.label)
            header = next(table)
            place, other = header.index(file.column or ""), _dated(header, by, named, file.label)
            for number, row in enumerate(table, 1):
                if len(row) <= max(place, other or 0):
                    raise CorpusError(
                        f"row {number:,} of '{file.label}' has {len(row)} columns, its header {len(header)}; fix or "
                        "delete it."
                    )
                yield named if other is None else period_of(row[other], str(by)), row[place]


def _dated(header: list[str], by: str | None, named: str | None, label: str) -> int | None:
    """Return the place of the column that has the periods; None where the name of the file has it."""
    if by is None:
        return None
    if by in DATED:
        small = [name.strip().casefold() for name in header]
        for usual in (by, "year", "date"):
            with suppress(ValueError):
                return small.index(usual)
        if named is not None:
            return None
    return header.index(choose_column(header, by, label))


def _records(stream: Any, file: TextFile, by: str, named: str | None) -> Iterator[tuple[str | None, str]]:
    """Yield the text and the period of every record: JSON lines, or one list of records."""
    import ijson

    first = stream.peek(64).lstrip()[:1]
    names = (by, "year", "date") if by in DATED else (by,)
    try:
        for record in ijson.items(stream, "item" if first == b"[" else "", multiple_values=True, use_float=True):
            if isinstance(record, dict) and isinstance(text := record.get(file.column), str):
                value = next((value for key, value in record.items() if key in names), None)
                yield named if value is None else period_of(value, by), text
    except (ijson.JSONError, UnicodeDecodeError) as error:
        problem = " ".join(str(error).split("\n")[0].split())
        raise CorpusError(f"'{file.label}' is not valid JSON ({problem}); fix it.") from None
