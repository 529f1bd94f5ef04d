"""What files of text hold: lines of plain text, columns of tables (TSV and CSV with a header), strings in JSON.

Everything is a stream: a file of any size takes no more memory than its longest line, or string, in pieces.
"""

from __future__ import annotations

import codecs
import csv
import difflib
import io
from collections.abc import Iterable, Iterator
from itertools import islice

from aslant.corpus.splitting import PIECE, Lines
from aslant.errors import CorpusError
from aslant.io.packed_files import ByteStream

BLOCK = 1 << 18
#: What a column of texts is called where none is given; the first of these that exists, in any case.
USUAL = ("text", "sentence", "sentences", "texts", "content")
#: How many strings of JSON are read to find out what a file holds.
LOOKED_AT = 1000
#: Bytes of one value of JSON, and levels of nesting: nothing that people write has more (and the time that a value
#: takes grows with its square).
LONGEST, DEEPEST = 16 << 20, 1_000_000


def check_encoding(encoding: str) -> str:
    """Return the usual name of an encoding.

    >>> check_encoding("UTF8")
    'utf-8'
    """
    try:
        codecs.getincrementaldecoder(encoding)
        "".encode(encoding)
        return codecs.lookup(encoding).name
    except (LookupError, TypeError, ValueError):
        raise CorpusError(f"there is no encoding {encoding!r}; give one such as 'utf-8' or 'latin-1'.") from None


def read_lines(stream: ByteStream, encoding: str) -> Lines:
    """Yield the lines of a text, a very long one in pieces that end between words where there are any."""
    held = ""
    for text in _decoded(stream, encoding):
        lines = (held + text).split("\n")
        held = lines.pop()
        for line in lines:
            yield line, True
        if len(held) > PIECE:
            cut = held.rfind(" ", PIECE // 2) + 1 or len(held)
            yield held[:cut], False
            held = held[cut:]
    if held:
        yield held, True


def _decoded(stream: ByteStream, encoding: str) -> Iterator[str]:
    """Yield text block by block, every kind of line end as a newline; what is not text is refused where it shows."""
    name, done, line = stream.location.name, 0, 1
    head = stream.peek(3)
    if encoding == "utf-8" and head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise CorpusError(f"'{name}' is UTF-16, not UTF-8; give its encoding (encoding='utf-16', --encoding).")
    if encoding == "utf-8" and head == codecs.BOM_UTF8:
        done = len(stream.read(3))
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder(encoding)(), translate=True)
    ended = False
    while not ended:
        block = stream.read(BLOCK)
        ended = not block
        waiting = decoder.getstate()[0]
        try:
            text = decoder.decode(block, final=ended)
        except UnicodeDecodeError as error:
            at = line + error.object.count(b"\n", 0, error.start)
            byte, value = done - len(waiting) + error.start, error.object[error.start]
            raise CorpusError(
                f"'{name}' is not {encoding}: byte {byte:,} (line {at:,}) is 0x{value:02x}; if it is "
                "text, give its encoding (such as encoding='latin-1', --encoding), or convert it."
            ) from None
        except UnicodeError as error:
            raise CorpusError(f"'{name}' is not {encoding} ({error}); give its encoding.") from None
        done += len(block)
        if "\0" in text:
            at = line + text.count("\n", 0, text.index("\0"))
            raise CorpusError(f"'{name}' is not text: line {at:,} holds a zero byte; give a text file.")
        line += text.count("\n")
        yield text


def usual_column(columns: Iterable[str]) -> str | None:
    """Return the column that usually holds texts, or None.

    >>> usual_column(["ID", "Text", "Pronoun"])
    'Text'
    """
    by_name = {column.casefold(): column for column in reversed(list(columns))}
    return next((by_name[name] for name in USUAL if name in by_name), None)


def choose_column(columns: list[str], wanted: str | None, name: str) -> str:
    """Return the column to read, or raise an error that lists them.

    >>> choose_column(["ID", "Text"], "Txt", "gap.tsv")
    Traceback (most recent call last):
    aslant.errors.CorpusError: 'gap.tsv' has no column 'Txt'; did you mean 'Text'? It has: ID, Text.
    """
    if wanted is not None and wanted in columns:
        return wanted
    listed = ", ".join(columns[:20]) + (", …" if len(columns) > 20 else "")
    if wanted is not None:
        near = difflib.get_close_matches(wanted, columns, n=1)
        hint = f"did you mean '{near[0]}'? It" if near else "it"
        raise CorpusError(f"'{name}' has no column '{wanted}'; {hint} has: {listed}.")
    if usual := usual_column(columns):
        return usual
    raise CorpusError(f"'{name}' has the columns {listed}; name the one that holds the text (column=…, --column).")


def rows(lines: Lines, delimiter: str, name: str) -> Iterator[list[str]]:
    """Yield the rows of a table, the header first; blank lines are skipped.

    >>> list(rows([("ID\\tText", True), ("1\\t'No'", True), ("2\\tsay \\"no", True)], "\\t", "t.tsv"))
    [['ID', 'Text'], ['1', "'No'"], ['2', 'say "no']]
    """
    whole = _whole(lines, name)
    if delimiter == "\t":
        # A tab or a line end cannot be in a cell, and a quote is literal, unless it was put around the whole cell.
        yield from ([_unquoted(cell) for cell in line.split("\t")] for line in whole if line.strip())
        return
    reader = csv.reader((f"{line}\n" for line in whole), delimiter=delimiter, strict=True)
    try:
        yield from filter(None, reader)
    except csv.Error as error:
        raise CorpusError(f"'{name}' is not a usable table: line {reader.line_num:,}: {error}.") from None


def _whole(lines: Lines, name: str) -> Iterator[str]:
    for number, (line, ends) in enumerate(lines, 1):
        if not ends:
            raise CorpusError(f"line {number:,} of '{name}' is too long for a row of a table; check its line ends.")
        yield line


def _unquoted(cell: str) -> str:
    inside = cell[1:-1]
    quoted = len(cell) > 1 and cell[0] == cell[-1] == '"' and '"' not in inside.replace('""', "")
    return inside.replace('""', '"') if quoted else cell


def cells(lines: Lines, delimiter: str, column: str, name: str) -> Iterator[str]:
    """Yield the cells of a column."""
    table = rows(lines, delimiter, name)
    header = next(table)
    place = header.index(column)
    for number, row in enumerate(table, 1):
        if len(row) <= place:
            raise CorpusError(
                f"row {number:,} of '{name}' has {len(row)} columns, its header {len(header)}; fix or delete it."
            )
        yield row[place]


def strings(stream: ByteStream) -> Iterator[tuple[str | None, bool, str]]:
    """Yield every string value of JSON (one value, or several one after the other) with the nearest key above it.

    Between the two is whether it is directly under that key.
    """
    import ijson

    name = stream.location.name
    if stream.peek(3) == codecs.BOM_UTF8:
        stream.read(3)
    source = _Watched(stream)
    key: str | None = None
    above: list[tuple[str, str | None]] = []
    try:
        for event, value in ijson.basic_parse(source, multiple_values=True, use_float=True):
            source.since = 0
            if event == "string":
                yield key, bool(above) and above[-1][0] == "start_map", value
            elif event == "map_key":
                key = value
            elif event in ("start_map", "start_array"):
                above.append((event, key))
                if len(above) > DEEPEST:
                    raise CorpusError(f"'{name}' is nested deeper than {DEEPEST:,} levels; give a text file.")
            elif event in ("end_map", "end_array"):
                _, key = above.pop()
    except (ijson.JSONError, UnicodeDecodeError) as error:
        problem = " ".join(str(error).split("\n")[0].split())
        raise CorpusError(f"'{name}' is not valid JSON ({problem}); fix it, or give a text file.") from None


class _Watched:
    """The stream, as long as no value in it is too long: it would have to fit into memory."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream, self.since = stream, 0

    def read(self, size: int) -> bytes:
        """Return some bytes; none are requested while the previous ones still hold values."""
        data = self._stream.read(size)
        self.since += len(data)
        if self.since > LONGEST:
            name = self._stream.location.name
            raise CorpusError(f"'{name}' holds a value of over {LONGEST >> 20} MB; give a text file.")
        return data


def key_of_texts(stream: ByteStream, wanted: str | None, name: str) -> str | None:
    """Return the key of JSON whose strings are the texts, or None where all strings are in plain lists."""
    keys: dict[str, None] = {}
    records = False
    for key, record, _ in islice(strings(stream), LOOKED_AT):
        records = records or record
        if key is not None:
            keys.setdefault(key)
    if wanted is not None and wanted in keys:
        return wanted
    usual = usual_column(keys)
    if not records and (wanted is None or usual is None):
        return usual
    return choose_column(list(keys), wanted, name)
