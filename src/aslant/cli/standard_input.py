"""What `-` stands for where a command reads a file: standard input, kept in a file for as long as the command runs."""

from __future__ import annotations

import csv
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from aslant.errors import AslantError

#: Bytes that are looked at to tell what standard input holds.
HEAD = 1 << 16
TOML = re.compile(r"^\s*(\[\[?[\w.\-\"]+\]\]?|[\w\-]+\s*=\s*\S.*)\s*$")
#: The name of a column: neither a sentence nor "old: aged".
NAME = re.compile(r"[^.:!?;]*\w[^.:!?;]*")
#: Words in a cell of the first row of a table; more are a sentence.
MOST_WORDS = 3


@contextmanager
def standard_input(given: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Give a command's arguments with a file in place of each `-` that is read; it is read once, however often named.

    A single path is an output in all commands (`-` is then standard output), and stays as it is; several are inputs.
    """
    if not any("-" in map(str, value) if isinstance(value, list | tuple) else value == "-" for value in given.values()):
        yield given
        return
    with ExitStack() as stack:
        file = str(_kept(Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="aslant-")))))
        try:
            yield {name: _in_place(value, file) for name, value in given.items()}
        except AslantError as error:
            said = str(error).replace(file, "standard input").replace(Path(file).name, "standard input")
            raise type(error)(said) from None


def _in_place(value: Any, file: str) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(type(item)(file) if str(item) == "-" else item for item in value)
    return file if value == "-" else value


def _kept(folder: Path) -> Path:
    if sys.stdin.isatty():
        print("aslant: reading standard input; Ctrl-D ends it.", file=sys.stderr)
    source = sys.stdin.buffer
    head = source.read(HEAD)
    path = folder / f"standard-input{ending(head)}"
    with path.open("wb") as file:
        file.write(head)
        shutil.copyfileobj(source, file)
    return path


def ending(head: bytes) -> str:
    """Return how the name of a file with this content would end, since readers of small files go by that.

    >>> ending(b'{"kind": "weat"}'), ending(b'{"text": "a"}\\n{"text": "b"}\\n'), ending(b'kind = "weat"')
    ('.json', '.jsonl', '.toml')
    >>> ending(b"group,word\\nold,aged\\n"), ending(b"Well, it rains.\\nIt rains, it pours."), ending(b"old: aged")
    ('.csv', '.txt', '.txt')
    """
    if head.startswith(b"PK"):
        return ".xlsx" if b"[Content_Types].xml" in head or b"xl/" in head else ".zip"
    lines = [line for line in head.decode("utf-8-sig", "replace").splitlines() if line.strip()][:20]
    if not lines:
        return ".txt"
    first = lines[0].strip()
    if first.startswith(("{", "[{", '["')) or first == "[":
        whole = [line.strip() for line in lines[:-1] or lines]  # the last one may be cut
        several = len(lines) > 1 and all(line.startswith("{") and line.endswith("}") for line in whole)
        return ".jsonl" if several else ".json"
    shown = [line for line in lines if not line.lstrip().startswith("#")]
    if shown and TOML.match(shown[0]):
        return ".toml"
    for suffix, delimiter in ((".tsv", "\t"), (".csv", ",")):
        if _is_table(lines, delimiter):
            return suffix
    return ".txt"


def _is_table(lines: list[str], delimiter: str) -> bool:
    """Tell whether the first row has names of columns, and the others as many cells."""
    rows = list(csv.reader(lines, delimiter=delimiter))
    names, others = rows[0], rows[1:-1] or rows[1:]  # the last one may be cut
    short = all(NAME.fullmatch(cell) and len(cell.split()) <= MOST_WORDS for cell in names)
    return len(names) > 1 and short and bool(others) and all(len(row) == len(names) for row in others)
