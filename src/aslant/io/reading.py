"""Small files, read whole and not trusted: regular files only, up to a size, as text, TOML or JSON of finite numbers.

What is read here is a word set, a policy, a report, a table of names: something that fits into memory many times over.
Large files are streamed (see `aslant.io.packed_files`).
"""

from __future__ import annotations

import json
import math
import re
import stat
import tomllib
from pathlib import Path
from typing import Any

from aslant.errors import AslantError

#: The most bytes of a file that is read whole, unless its reader sets another limit.
MAX_BYTES = 64 << 20
#: Parts of a dotted key in TOML: reading time grows with their square, and nothing that aslant reads has three.
MAX_KEY_PARTS = 50
_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+"""
_LONG_KEY = re.compile(rf"(?<![\w.-])(?:{_PART}){{{MAX_KEY_PARTS}}}", re.ASCII)


def read_bytes(path: Path, error: type[AslantError] = AslantError, *, most: int = MAX_BYTES) -> bytes:
    """Return the content of a regular file of up to `most` bytes; links are followed, to files only."""
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise error(f"cannot open '{path}': Is a directory.")
        if not stat.S_ISREG(status.st_mode):  # a pipe would block for ever, and a device would never end
            raise error(f"'{path}' is not a regular file; give a file.")
        if status.st_size <= most:
            with path.open("rb") as file:
                content = file.read(status.st_size + 1)
            if len(content) <= most:
                return content
    except (OSError, ValueError) as problem:  # a name with a zero byte in it is a ValueError
        raise error(f"cannot open '{path}': {getattr(problem, 'strerror', None) or problem}.") from None
    raise error(f"'{path}' is larger than {most >> 20:,} MB; check which file it is.")


def read_text(path: Path, error: type[AslantError] = AslantError, *, most: int = MAX_BYTES) -> str:
    """Return a text file in UTF-8, without its byte-order mark, every line end as a newline."""
    try:
        text = read_bytes(path, error, most=most).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise error(f"'{path}' is not UTF-8 text; save it as such ('CSV UTF-8' in a spreadsheet).") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def parse_toml(text: str) -> dict[str, Any]:
    """Return the content of TOML without NaN and infinities; anything wrong with it is a ValueError."""
    if _LONG_KEY.search(text):
        raise ValueError(f"it has a key of over {MAX_KEY_PARTS} parts")
    try:
        return tomllib.loads(text, parse_float=_finite)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def delimiter(table: str) -> str:
    """Return what separates the cells of a table: a tab if its first line has one, else the more of ; and comma.

    >>> delimiter("job;salary\\nnurse;1,5"), delimiter("job"), delimiter("first, last\\tcount")
    (';', ',', '\\t')
    """
    first = table.partition("\n")[0]
    return "\t" if "\t" in first else max(",;", key=first.count)


def parse_json(text: str) -> Any:
    """Return the content of JSON without NaN and infinities; anything wrong with it is a ValueError."""
    try:
        return json.loads(text, parse_float=_finite, parse_constant=_finite)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _finite(text: str) -> float:
    if not math.isfinite(value := float(text)):
        raise ValueError(f"it holds {text:.20}, which is not a finite number")
    return value
