"""A file as a stream of bytes, unpacked if need be (.gz .bz2 .xz .zst .zip .tar), recognised by content."""

from __future__ import annotations

import bz2
import gzip
import importlib
import io
import lzma
import os
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from aslant.errors import AslantError

#: Called with (bytes read of the file on disk, its size).
Progress = Callable[[int, int], None]

MAGIC = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\0": "xz",
    b"\x28\xb5\x2f\xfd": "zstandard",
    b"PK\x03\x04": "zip",
}


@dataclass(frozen=True)
class Location:
    """A file, the member to read where the file is an archive, and the kind of error that says what is wrong."""

    path: Path
    member: str | None = None
    error: type[AslantError] = AslantError

    @property
    def name(self) -> str:
        """The name that people know the data by."""
        return Path(self.member).name if self.member else self.path.name


#: Environment variables for genuine data beyond the limits of unpacking: how many times its packed size a file may
#: unpack to (small ones are exempt), and how many bytes in all.
RATIO, UNPACKED = "ASLANT_MAX_RATIO", "ASLANT_MAX_UNPACKED"
MAX_RATIO, MAX_UNPACKED, FREE_BYTES = 200, 1 << 38, 256 << 20

#: How many members of an archive a message names.
LISTED = 8


def path_of(source: str | os.PathLike[str]) -> Path:
    """Return `source` as a path, '~' expanded where it names somebody's home."""
    try:
        return Path(source).expanduser()
    except RuntimeError:
        return Path(source)


def locate(source: str | os.PathLike[str], error: type[AslantError] = AslantError) -> Location:
    """Find the file that `source` names; 'archive.zip/member.txt' names a member of a zip or tar archive."""
    path = path_of(source)
    if path.exists():
        return Location(path, error=error)
    for parent in path.parents:
        if parent.is_file():
            return Location(parent, path.relative_to(parent).as_posix(), error)
    raise error(f"there is no file '{source}'; check the path.")


def packing(head: bytes) -> str | None:
    """Tell how a file that begins with `head` is packed, or None."""
    return next((name for magic, name in MAGIC.items() if head.startswith(magic)), None)


def most_unpacked(packed_bytes: int) -> int:
    """Return how many bytes a file of that size may unpack to: enough for real data, not for a decompression bomb."""
    return min(_limit(UNPACKED, MAX_UNPACKED), max(FREE_BYTES, _limit(RATIO, MAX_RATIO) * packed_bytes))


def _limit(variable: str, usual: int) -> int:
    given = os.environ.get(variable, "").strip().replace("_", "")
    if not given:
        return usual
    if not (given.isascii() and given.isdigit() and len(given) < 19 and int(given) > 0):
        raise AslantError(f"{variable} is {given!r:.40}; give a whole number above 0, or unset it.")
    return int(given)


@dataclass(eq=False)
class ByteStream:
    """Sequential reads with lookahead; damaged packing becomes one clear error, and so does a decompression bomb."""

    raw: IO[bytes]
    location: Location
    packed: str | None
    most: int | None = None
    left: int | None = None
    told: Callable[[], None] | None = None
    _ahead: bytes = b""
    _unpacked: int = 0

    def peek(self, size: int) -> bytes:
        """Return the next `size` bytes (fewer at the end of the file) without moving on."""
        while len(self._ahead) < size and (more := self._read_raw(size - len(self._ahead))):
            self._ahead += more
        return self._ahead[:size]

    def read(self, size: int) -> bytes:
        """Return between 1 and `size` bytes, or b"" at the end."""
        if self._ahead:
            data, self._ahead = self._ahead[:size], self._ahead[size:]
            return data + self._read_raw(size - len(data)) if len(data) < size else data
        return self._read_raw(size)

    def _read_raw(self, size: int) -> bytes:
        try:
            data = self.raw.read(size if self.left is None else min(size, self.left))
        except EOFError:
            raise self.location.error(
                f"'{self.location.name}' ends in the middle of its {self.packed} data; download it again."
            ) from None
        except AslantError:  # of the stream that an archive is read from
            raise
        except Exception as error:  # each way of packing fails in its own ways, some of them undocumented
            if not (self.packed or isinstance(error, OSError)):
                raise
            what = f"cannot be unpacked as {self.packed}" if self.packed else "cannot be read"
            raise self.location.error(f"'{self.location.name}' {what} ({error}); download it again.") from None
        if self.told is not None:
            self.told()
        self._unpacked += len(data)
        self.left = None if self.left is None else self.left - len(data)
        if self.most is not None and self._unpacked > self.most:
            raise self.location.error(
                f"'{self.location.path.name}' unpacks to over {self.most:,} bytes, more than real data would; if you "
                f"trust it, unpack it first, or raise {RATIO} ({_limit(RATIO, MAX_RATIO)} times) or {UNPACKED} (bytes)."
            )
        return data


@contextmanager
def open_stream(
    location: Location, progress: Progress | None = None, span: tuple[int, int] | None = None
) -> Iterator[ByteStream]:
    """Open `location` for sequential reading, unpacked on the way; a `span` of bytes only, if it is not packed."""
    with ExitStack() as stack:
        try:
            raw: Any = stack.enter_context(location.path.open("rb", buffering=0))
            size, packed = os.fstat(raw.fileno()).st_size, packing(raw.read(8))
            raw.seek(span[0] if span else 0)
        except OSError as error:
            raise location.error(f"cannot open '{location.path}': {error.strerror}.") from None
        file = raw
        told = None if progress is None else lambda: progress(file.tell(), size)
        if packed is not None:
            raw = stack.enter_context(io.BufferedReader(raw, 1 << 20))
            raw = stack.enter_context(UNPACKING[packed](raw) if packed != "zip" else _zip_member(raw, location))
        most = most_unpacked(size)
        stream = ByteStream(raw, location, packed, most if packed else None, span[1] - span[0] if span else None, told)
        if packed != "zip" and (packed or location.member is not None or location.path.suffix == ".tar"):
            if stream.peek(262)[257:] == b"ustar":  # where a header of POSIX or GNU says so
                # The limit is the member's too: one with holes may be longer than its archive.
                stream = ByteStream(_tar_member(stream), location, "tar", most)
            elif location.member is not None:
                name = location.path.name
                raise location.error(
                    f"'{name}' is neither a zip nor a tar archive, so it has no '{location.member}' in it."
                )
        yield stream


def zstandard() -> Any:
    """Return Python's module of Zstandard; before 3.14, its backport."""
    return importlib.import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")


UNPACKING: dict[str, Callable[[Any], Any]] = {
    "gzip": lambda file: gzip.GzipFile(fileobj=file), "bzip2": bz2.BZ2File, "xz": lzma.LZMAFile,
    "zstandard": lambda file: zstandard().ZstdFile(file),
}  # fmt: skip


def _zip_member(file: IO[bytes], location: Location) -> IO[bytes]:
    name = location.path.name
    try:
        archive = zipfile.ZipFile(file)
        members = [info.filename for info in archive.infolist() if not info.is_dir()]
    except Exception:  # a damaged directory can fail in any way
        raise location.error(f"'{name}' is a damaged zip archive; download it again.") from None
    if not members:
        raise location.error(f"'{name}' is a zip archive without files; download it again.")
    wanted = location.member or (members[0] if len(members) == 1 else None)
    if wanted not in members:
        listed = ", ".join(members[:LISTED]) + (", …" if len(members) > LISTED else "")
        problem = f"has no '{wanted}'" if wanted else f"holds {len(members)} files"
        raise location.error(f"'{name}' {problem}; name one of its files, such as '{name}/{members[0]}' ({listed}).")
    try:
        return archive.open(wanted)
    except Exception as error:  # encrypted, damaged, or packed in an unknown way
        raise location.error(f"'{wanted}' inside '{name}' cannot be unpacked ({error}).") from None


def _tar_member(stream: ByteStream) -> Any:
    """Read through a tar archive to a member; links and devices do not count as members."""
    location, name = stream.location, stream.location.path.name
    others: list[str] = []
    try:
        archive: Any = tarfile.open(fileobj=stream, mode="r|")  # type: ignore[call-overload]  # noqa: SIM115 (no file)
        for info in filter(tarfile.TarInfo.isreg, archive):
            if info.name.removeprefix("./") == location.member:
                return archive.extractfile(info)
            others += [info.name] if len(others) <= LISTED else []
            archive.members = []  # so that one with a million members does not fill the memory
            if location.member is None and len(others) > LISTED:
                break
    except AslantError:
        raise
    except Exception as error:  # a damaged header can fail in any way
        raise location.error(f"'{name}' is a damaged tar archive ({error}); download it again.") from None
    if not others:
        raise location.error(f"'{name}' is a tar archive without files; download it again.")
    listed = ", ".join(others[:LISTED]) + (", …" if len(others) > LISTED else "")
    problem = f"has no '{location.member}'" if location.member else "is a tar archive"
    raise location.error(f"'{name}' {problem}; name one of its files, such as '{name}/{others[0]}' ({listed}).")


@contextmanager
def on_disk(stream: ByteStream) -> Iterator[Path]:
    """Provide the content of `stream` as a plain file: the file itself, or a temporary unpacked copy."""
    if stream.packed is None:
        yield stream.location.path
        return
    with ExitStack() as stack:
        try:
            copy = stack.enter_context(tempfile.NamedTemporaryFile(prefix="aslant-", suffix=".unpacked"))
            while data := stream.read(8 << 20):
                copy.write(data)
            copy.flush()
        except OSError as error:
            where = "any folder for temporary files"  # where none of them can be written
            with suppress(OSError):
                where = f"'{tempfile.gettempdir()}'"
            raise stream.location.error(
                f"'{stream.location.name}' could not be unpacked into {where} ({error.strerror}); free some space "
                "there, set TMPDIR to another folder, or unpack it first."
            ) from None
        yield Path(copy.name)
