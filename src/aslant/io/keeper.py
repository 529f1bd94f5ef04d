"""The keeper of finished work: SQLite files, safe against kills and power cuts, one writer and any readers at a time.

`Keeper` holds blocks of bytes under keys, each with a digest, in a folder: steps of audits, pieces of long measures,
scores, vectors. What is damaged there counts as absent, as it can be made again. A store that people ask questions of
has a schema of its own, and opens its file by `database`.
"""

from __future__ import annotations

import hashlib
import sqlite3
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import Any

from aslant.errors import AslantError

#: The file of a keeper in its folder.
FILE = "kept.db"
#: What files of ours carry in their header.
APPLICATION = int.from_bytes(b"asln", "big")
#: Seconds that a process waits for others to write.
PATIENCE = 60
#: Keys in one question; older SQLite takes 999.
MOST_KEYS = 900
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_OF_DISK = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_BLOCKS = ("CREATE TABLE blocks (key TEXT PRIMARY KEY, digest TEXT NOT NULL, content BLOB NOT NULL)",)


class ForeignFileError(AslantError):
    """A file that is not what is kept there."""


@contextmanager
def database(
    path: Path, schema: Sequence[str], *, write: bool = False, older: Sequence[Sequence[str]] = ()
) -> Iterator[sqlite3.Connection]:
    """Open a file with exactly this schema (more views and tables may be there, but no triggers), for one transaction.

    With `write` it is made if it is not there, and what was written is on the disk when the block is left; what an
    error or a kill cuts short is undone. A file of others is a `ForeignFileError`. One with an `older` schema, of which
    the tables are also in this one, gets what it lacks when it is written to; a reader sees it as if it had.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.db"
    >>> with database(path, ["CREATE TABLE a (x)"], write=True) as found:
    ...     _ = found.execute("INSERT INTO a VALUES (1)")
    >>> with database(path, ["CREATE TABLE a (x)"]) as found:
    ...     found.execute("SELECT * FROM a").fetchall()
    [(1,)]
    """
    if path.exists() and not path.is_file():
        raise ForeignFileError(f"'{path}' is not a regular file; give another name.")
    address = f"{path.absolute().as_uri()}?mode={'rwc' if write else 'rw'}"
    connection = sqlite3.connect(address, uri=True, timeout=PATIENCE, isolation_level=None)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA synchronous = EXTRA")
        connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
        [[application]] = connection.execute("PRAGMA application_id")
        found = connection.execute("SELECT type, sql FROM sqlite_master").fetchall()
        if not found and not application:  # an empty file gets the schema, for a reader beside it
            for statement in (*schema, f"PRAGMA application_id = {APPLICATION}") if write else map(_beside, schema):
                connection.execute(statement)
        elif application != APPLICATION or "trigger" in dict(found):
            raise ForeignFileError(f"'{path}' is a database of something else; give another name.")
        elif not (there := {sql for _, sql in found}).issuperset(schema):
            before = next((one for one in older if there.issuperset(one)), None)
            if before is None:
                raise ForeignFileError(f"'{path}' is a database of something else; give another name.")
            _renew(connection, schema, before, kept=write)
        yield connection
        if write:
            connection.execute("COMMIT")
    finally:
        connection.close()


def _renew(connection: sqlite3.Connection, schema: Sequence[str], before: Sequence[str], *, kept: bool) -> None:
    """Give a file of an older schema what it lacks; for a reader, beside the file, which need not be writable."""
    for statement in before:
        if kept and statement not in schema and statement.startswith("CREATE VIEW "):
            connection.execute(f"DROP VIEW {statement.split()[2]}")
    for statement in schema:
        if statement not in before:
            connection.execute(statement if kept else _beside(statement))


def _beside(statement: str) -> str:
    """Return a statement of a schema for a reader, who must not wait for a writer: what it makes is beside the file."""
    return statement.replace("CREATE ", "CREATE TEMP ", 1)


def digest(*parts: bytes) -> str:
    """Return what stands for these bytes, one part after the other: 32 hexadecimal digits."""
    made = hashlib.blake2b(digest_size=16)
    for part in parts:
        made.update(part)
    return made.hexdigest()


def is_damage(error: BaseException) -> bool:
    """Tell whether an error of SQLite says that a file is damaged, or none of its own."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED


def is_of_disk(error: BaseException) -> bool:
    """Tell whether an error of SQLite says that a disk is full or fails, or that others hold a file for too long."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _OF_DISK


class Keeper:
    """Blocks of bytes under keys, in `folder`; a key must name all that its block depends on.

    What is damaged counts as absent. Where the folder cannot be written to, `keep` says once that `what` is "not kept"
    (nothing: it is silent), and the work continues.

    >>> import tempfile
    >>> keeper = Keeper(tempfile.mkdtemp())
    >>> keeper.keep({"step/1": b"one", "step/2": b"two"})
    True
    >>> keeper.get("step/1"), keeper.get("step/3"), sorted(keeper.under("step/"))
    (b'one', None, ['step/1', 'step/2'])
    """

    def __init__(self, folder: str | PathLike[str], what: str = "finished work is") -> None:
        self.folder, self.what = Path(folder), what
        self.path = self.folder / FILE
        #: Why nothing could be kept, the last time.
        self.problem = ""

    def get(self, key: str) -> bytes | None:
        """Return a block, or None."""
        return self.among([key]).get(key)

    def among(self, keys: Iterable[str]) -> dict[str, bytes]:
        """Return those blocks that are there, and whole."""
        asked = list(keys)
        found: dict[str, bytes] = {}
        for start in range(0, len(asked), MOST_KEYS):
            some = asked[start : start + MOST_KEYS]
            found |= self._found(f"key IN ({', '.join('?' * len(some))})", some)
        return found

    def under(self, beginning: str) -> dict[str, bytes]:
        """Return all whole blocks whose key begins so."""
        return self._found("key >= ? AND key < ?", [beginning, f"{beginning}\U0010ffff"])

    def _found(self, where: str, values: Sequence[Any]) -> dict[str, bytes]:
        try:
            if not self.path.exists():
                return {}
            with database(self.path, _BLOCKS) as connection:
                rows = connection.execute(f"SELECT key, digest, content FROM blocks WHERE {where}", values).fetchall()
        except (sqlite3.Error, OSError, AslantError):
            return {}
        return {
            key: content for key, sum_, content in rows if isinstance(content, bytes) and sum_ == _sum(key, content)
        }

    def keep(self, blocks: Mapping[str, bytes]) -> bool:
        """Keep blocks, all of them or none, in place of what was there; tell whether that was possible."""
        rows = [(key, _sum(key, content), content) for key, content in blocks.items()]
        for last in (False, False, True):
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                with database(self.path, _BLOCKS, write=True) as connection:
                    connection.executemany("INSERT OR REPLACE INTO blocks VALUES (?, ?, ?)", rows)
            except (sqlite3.Error, OSError, AslantError) as error:
                if is_damage(error) and not last:
                    for path in (self.path, self.path.with_name(f"{FILE}-journal")):
                        path.unlink(missing_ok=True)
                elif last or self.folder.is_dir():  # else another process has ended this work and cleaned up
                    told, self.problem = self.problem, str(getattr(error, "strerror", None) or error)
                    if self.what and not told:
                        said = f"{self.what} not kept, since '{self.folder}' cannot be written: {self.problem}"
                        warnings.warn(said, stacklevel=3)
                    return False
            else:
                return True
        return False

    def drop(self, keys: Iterable[str]) -> None:
        """Delete blocks, where that is possible."""
        with suppress(sqlite3.Error, OSError, AslantError):
            if self.path.exists():
                with database(self.path, _BLOCKS, write=True) as connection:
                    connection.executemany("DELETE FROM blocks WHERE key = ?", [(key,) for key in keys])


def _sum(key: Any, content: Any) -> str | None:
    """Return the digest of a block; None where it cannot be one of ours."""
    return digest(key.encode(), b"\0", content) if isinstance(key, str) and isinstance(content, bytes) else None
