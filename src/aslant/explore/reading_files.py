"""Files of one's own that the page sends: their content is read by the readers of own lists, their name only shown."""

from __future__ import annotations

import base64
import binascii
import tempfile
import warnings
import zipfile
from io import BytesIO
from pathlib import Path
from threading import Lock

from aslant.errors import AslantError
from aslant.explore.asked import FileRequest, RequestError
from aslant.stimuli import KINDS, StimulusSet, load_set
from aslant.stimuli.own_lists import ENDINGS

KNOWN = (*ENDINGS, ".toml")
#: Bytes that a spreadsheet may unpack to: many times what any list of words that fits into a request does.
MOST_UNPACKED = 16 << 20
#: Catching warnings changes the whole process: files are read one at a time.
READING = Lock()


def read_file(asked: FileRequest) -> tuple[StimulusSet, list[str]]:
    """Return the set that a file holds, and what was guessed about how it is to be read.

    No path is made of the file's name: its ending is one of a few, and it is written under a name of ours.
    """
    ending = next((known for known in KNOWN if asked.name.lower().endswith(known)), None)
    if ending is None:
        raise AslantError(f"'{asked.name}' is not a list of words; give one of {', '.join(KNOWN)}.")
    try:
        content = base64.b64decode(asked.content, validate=True)
    except (binascii.Error, ValueError):
        raise RequestError("the content of a file is sent as base64.") from None
    _need_small(asked.name, content)
    with READING, tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        path = Path(folder) / f"own{ending}"
        path.write_bytes(content)
        try:
            found = load_set(path) if asked.kind is None else load_set(path, KINDS[asked.kind])
        except AslantError as error:
            raise AslantError(_named(str(error), path, asked.name)) from None
        told = [str(warning.message) for warning in caught]  # other threads warn of other things meanwhile
    return found, [_named(text, path, asked.name) for text in told if text.startswith(path.name)]


def _need_small(name: str, content: bytes) -> None:
    """Refuse a spreadsheet that unpacks to far more than a list of words would."""
    try:
        unpacked = sum(part.file_size for part in zipfile.ZipFile(BytesIO(content)).infolist())
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        return  # is not a spreadsheet, as its reader says, if it has to be one
    if unpacked > MOST_UNPACKED:
        raise AslantError(f"'{name}' unpacks to {unpacked >> 20:,} MB; the page takes {MOST_UNPACKED >> 20} MB.")


def _named(text: str, path: Path, name: str) -> str:
    """Name the file as its owner does, and no folder of this machine."""
    return text.replace(str(path), name).replace(path.name, name).replace(str(path.parent), "")
