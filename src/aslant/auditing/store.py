"""A store of audits: one SQLite file, safe against crashes, that several processes may write to and any tool can read.

The table `audits` has a row for each audit, which is never changed: what it is (see `StoredAudit`), its figures
(`glance`) and all of it (`result`), as JSON. The view `figures` has a row for each figure. `id` is a digest of the
rest of the row, so that whatever a disk or an editor did to it is noticed. It guards against damage, not people.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Any

import msgspec

from aslant.auditing import store_queries as q
from aslant.auditing.store_queries import Held, as_utc
from aslant.errors import AslantError
from aslant.io.keeper import ForeignFileError, database, digest, is_damage
from aslant.io.reading import parse_json
from aslant.results.audit import AuditResult, Glance
from aslant.results.codec import unsteered_json
from aslant.results.stored import AuditChange, FigureHistory, StoredAudit, StoredAudits, StoredFigures
from aslant.version import __version__

#: The name of a store where none is given.
DEFAULT_STORE = "aslant-results.db"
#: Digits of the digest by which people name an audit.
ID_DIGITS = 10
#: So many damaged audits are told one by one.
MOST_TOLD = 5
#: What is kept of an audit besides its id; its digest stands for the result, which is read only in full.
COLUMNS = (*(field.name for field in fields(StoredAudit) if field.name != "id"), "glance", "result_digest")
_FIGURE = ("measure", "category", "stimuli", "effect", "effect_name", "strength", "pvalue", "qvalue", "evidence")
SCHEMA = (
    f"CREATE TABLE audits (id TEXT PRIMARY KEY, {', '.join(COLUMNS)}, result)",
    "CREATE VIEW figures AS SELECT substr(audits.id, 1, 10) AS audit, label, audited, model, fingerprint, version, "
    "profile, seed, "
    + ", ".join(f"json_extract(line.value, '$.{name}') AS {name}" for name in _FIGURE)
    + " FROM audits, json_each(audits.glance) AS line",
)
#: How a line of JSON Lines begins and ends: the checksum is of the bytes of the record.
_LINE = re.compile(rb'\{"aslant-store":1,"sha256":"([0-9a-f]{64})","record":(\{.*\})\}\s*', re.DOTALL)
_RECORD = ("label", "source", "state", "audited", "reason", "seconds", "key", "settings")
#: Bytes of one line.
MAX_LINE = 1 << 28


class ResultsStore:
    """Audits in a file, to add to, to ask and to compare over time. `aslant.audit_list` fills one.

    The file is made when the first audit is added. Any number of processes may add to it at the same time; nothing in
    it is ever changed. An audit is named by its label (the newest is meant), by `label~1` (the one before it, and so
    on), or by the first digits of its id. `model`, `measure`, `stimuli` and `category` may hold * and ?; `since` and
    `until` are dates or times in ISO format, in UTC.

    >>> import tempfile, aslant
    >>> store = aslant.ResultsStore(tempfile.mkdtemp() + "/results.db")
    >>> audit = aslant.audit(only=["weat"], profile="quick")
    >>> store.append(audit, label="ours").state
    'complete'
    >>> [(f.line.stimuli, round(f.line.effect, 2)) for f in store.figures(stimuli="weat-[67]").figures]
    [('weat-6', 1.72), ('weat-7', 1.28)]
    >>> store.audit("ours") == audit
    True
    """

    def __init__(self, path: str | PathLike[str] = DEFAULT_STORE) -> None:
        self.path = Path(path)

    def append(self, audit: AuditResult, label: str | None = None, *, source: str = "") -> StoredAudit:
        """Add a finished audit under a label (default: the model's name), and return it as it is stored."""
        reason = "; ".join(f"{what}: {why}" for what, why in audit.failed.items())
        record: dict[str, Any] = {
            "label": audit.representation.name if label is None else label,
            "source": source,
            "state": "partly" if audit.failed else "complete",
        }
        record |= {"audited": audit.created, "reason": reason, "seconds": None, "key": "", "settings": {}}
        return self.append_record(record, as_line(audit))

    def append_record(self, record: dict[str, Any], result: bytes | None) -> StoredAudit:
        """Add a record with the JSON of an audit, or none; for `aslant.audit_list`, which knows its settings."""
        audit = None if result is None else AuditResult.from_dict(parse_json(result.decode("utf-8")))
        if (audit is None) != (record["state"] == "failed"):
            raise AslantError(f"the record of '{record['label']}' has a state that does not fit its result.")
        values = _values(_stored(record, audit), () if audit is None else audit.glance, result)
        row = (digest(json.dumps(values).encode()), *values, None if result is None else result.decode("utf-8"))
        try:
            held = _held(row[:-1])
        except (ValueError, TypeError, msgspec.MsgspecError) as error:
            raise AslantError(f"this record cannot be kept in a store: {error}.") from None
        with self._opened(write=True) as connection:
            connection.execute(f"INSERT OR IGNORE INTO audits VALUES ({', '.join('?' * len(row))})", row)
        return held.audit

    def check_writable(self) -> None:
        """Refuse, before any work, a file that could not be added to; nothing is made."""
        if self.path.exists() or self.path.is_symlink():
            self.held()
        elif not self.path.parent.is_dir():
            raise AslantError(f"there is no folder '{self.path.parent}' for the store; make it, or choose another.")
        if not os.access(self.path if self.path.exists() else self.path.parent, os.W_OK):
            raise AslantError(f"'{self.path}' cannot be written to; choose another file for the store.")

    def audits(
        self, model: str = "*", *, since: str | None = None, until: str | None = None, latest: bool = False
    ) -> StoredAudits:
        """Return the audits, oldest first; `latest`: only the newest of each label."""
        held, notes = self.held()
        chosen = q.chosen(held, q.Asked(model=model, since=since, until=until, latest=latest))
        return StoredAudits(tuple(each.audit for each in chosen), notes, __version__)

    def figures(
        self,
        measure: str = "*",
        stimuli: str = "*",
        category: str = "*",
        model: str = "*",
        *,
        since: str | None = None,
        until: str | None = None,
        latest: bool = False,
    ) -> StoredFigures:
        """Return the figures that match, audit after audit, oldest first."""
        held, notes = self.held()
        asked = q.Asked(measure, stimuli, category, model, since, until, latest)
        found = tuple(q.figures(q.chosen(q.with_result(held), asked), asked))
        return StoredFigures(found, notes if found else (*notes, q.nothing(held)), __version__)

    def history(
        self,
        measure: str = "*",
        stimuli: str = "*",
        category: str = "*",
        model: str = "*",
        *,
        since: str | None = None,
        until: str | None = None,
    ) -> FigureHistory:
        """Return each figure that matches over time, with the difference to the audit before, label by label."""
        held, notes = self.held()
        asked = q.Asked(measure, stimuli, category, model, since, until)
        found = tuple(q.history(q.figures(q.chosen(q.with_result(held), asked), asked)))
        return FigureHistory(found, notes if found else (*notes, q.nothing(held)), __version__)

    def compare(self, before: str, after: str | None = None) -> AuditChange:
        """Compare two audits, figure by figure; with one label, its newest audit with the one before it."""
        held = self._held_told()
        first, second = (before, after) if after is not None else (f"{before}~1", before)
        return q.change(q.find(held, first, self.path), q.find(held, second, self.path))

    def find(self, which: str) -> StoredAudit:
        """Return what is stored about one audit: by its label, `label~1`, or the first digits of its id."""
        return q.find(self._held_told(), which, self.path).audit

    def audit(self, which: str) -> AuditResult:
        """Return one audit in full."""
        meant = q.find(self._held_told(), which, self.path)
        return AuditResult.from_dict(parse_json(self._result(meant).decode("utf-8")))

    def lines(self) -> Iterator[bytes]:
        """Yield every audit as a line of JSON, oldest first, for other programs and other stores."""
        for held in self._held_told():
            record = {name: getattr(held.audit, name) for name in _RECORD}
            result = b"null" if held.audit.state == "failed" else self._result(held)
            body = unsteered_json(record, separators=(",", ":")).encode()[:-1] + b',"result":' + result + b"}"
            checksum = hashlib.sha256(body).hexdigest().encode()
            yield b'{"aslant-store":1,"sha256":"' + checksum + b'","record":' + body + b"}\n"

    def add_lines(self, path: str | PathLike[str]) -> list[StoredAudit]:
        """Add the audits of a file that `lines` made, or that was a store before version 0.2; each counts once."""
        added = []
        with Path(path).open("rb") as file:
            for number, line in enumerate(iter(lambda: file.readline(MAX_LINE), b""), 1):
                met = _LINE.fullmatch(line)
                try:
                    if met is None or hashlib.sha256(met[2]).hexdigest().encode() != met[1]:
                        raise ValueError("it was changed or damaged after it was written")  # noqa: TRY301
                    record = parse_json(met[2].decode("utf-8"))
                    result = record.pop("result")
                    content = None if result is None else unsteered_json(result, separators=(",", ":")).encode()
                    added.append(self.append_record(record, content))
                except (ValueError, KeyError, TypeError, AslantError) as error:
                    warnings.warn(f"line {number} of '{path}' is skipped: {str(error).rstrip('.')}.", stacklevel=2)
        return added

    def held(self, after: int = 0) -> tuple[list[Held], tuple[str, ...]]:
        """Return what the store holds (`after`: in later rows), oldest first, and what could not be read."""
        with self._opened() as connection:
            rows = connection.execute(
                f"SELECT rowid, id, {', '.join(COLUMNS)} FROM audits WHERE rowid > ? ORDER BY rowid", [after]
            ).fetchall()
        found, told = [], []
        for number, *row in rows:
            try:
                found.append(replace(_held(row), number=number))
            except (ValueError, TypeError, msgspec.MsgspecError) as error:
                told.append(f"audit {number} is skipped: {error}")
        if len(told) > MOST_TOLD:
            told[MOST_TOLD:] = [f"{len(told) - MOST_TOLD:,} more audits are skipped"]
        return sorted(found, key=lambda held: held.audit.audited), tuple(told)

    def _held_told(self) -> list[Held]:
        """Return what the store holds, and warn of what cannot be read: the newest audit may be among it."""
        held, notes = self.held()
        for note in notes:
            warnings.warn(f"'{self.path}': {note}", stacklevel=3)
        return held

    def _result(self, held: Held) -> bytes:
        with self._opened() as connection:
            row = connection.execute(
                "SELECT result_digest, result FROM audits WHERE rowid = ?", [held.number]
            ).fetchone()
        result = str(row[1]).encode("utf-8")
        if digest(result) != row[0]:
            raise AslantError(f"audit {held.audit.id} of '{self.path}' was changed or damaged after it was written.")
        return result

    @contextmanager
    def _opened(self, *, write: bool = False) -> Iterator[sqlite3.Connection]:
        """Open the file; whatever is wrong with it is one sentence."""
        try:
            if not write and not self.path.exists():
                raise AslantError(
                    f"there is no store '{self.path}'; 'aslant audit --models LIST --store FILE' makes one."
                )
            with database(self.path, SCHEMA, write=write) as connection:
                yield connection
        except (sqlite3.Error, ForeignFileError) as error:
            if not is_damage(error) and not isinstance(error, ForeignFileError):
                raise AslantError(f"cannot {'write' if write else 'read'} '{self.path}': {error}.") from None
            if is_lines(self.path):
                raise AslantError(
                    f"'{self.path}' holds JSON lines; put them into a store with 'aslant results add STORE FILE'."
                ) from None
            raise AslantError(
                f"'{self.path}' is not a store of results, or is damaged ({error}); check which file it is."
            ) from None
        except (OSError, ValueError) as error:  # a name with a zero byte in it is a ValueError
            raise AslantError(f"cannot open '{self.path}': {getattr(error, 'strerror', None) or error}.") from None


def as_line(audit: AuditResult) -> bytes:
    """Return an audit as JSON in one line."""
    return unsteered_json(audit.to_dict(), separators=(",", ":")).encode("utf-8")


def is_lines(path: Path) -> bool:
    """Tell whether a file holds audits as lines of JSON."""
    if not path.is_file():  # a pipe would wait for ever
        return False
    with path.open("rb") as file:
        return file.read(16) == b'{"aslant-store":'


def now() -> str:
    """Return the time, as a store has it.

    >>> len(now())
    25
    """
    return datetime.now(UTC).isoformat(timespec="seconds")


def _stored(record: dict[str, Any], found: AuditResult | None) -> StoredAudit:
    """Return what a record says, with the most used parts of the audit."""
    settings = dict(record["settings"])
    try:
        audited = as_utc(record["audited"]).isoformat(timespec="seconds")
    except ValueError as error:
        raise AslantError(f"this report cannot be kept in a store: its time, {error}.") from None
    made = StoredAudit("", **{**{name: record[name] for name in _RECORD}, "audited": audited, "settings": settings})
    if found is None:
        return replace(made, version=str(settings.get("version") or ""), profile=str(settings.get("profile") or ""))
    settings["lookup"] = found.representation.lookup
    return replace(
        made,
        model=found.representation.name,
        fingerprint=found.representation.fingerprint,
        version=found.version,
        profile=found.profile,
        seed=found.seed,
        figures=len(found.glance),
    )


def _values(audit: StoredAudit, glance: tuple[Glance, ...], result: bytes | None) -> list[Any]:
    """Return what the columns hold."""
    kept = {name: getattr(audit, name) for name in COLUMNS[:-2]}
    kept |= {"settings": json.dumps(audit.settings), "glance": json.dumps([line.row() for line in glance])}
    kept["result_digest"] = None if result is None else digest(result)
    return [_plain(value) for value in kept.values()]


def _plain(value: Any) -> Any:
    """Return a value as SQLite keeps it: half a pair of surrogates written out, a huge seed as text, no -0.0."""
    if isinstance(value, float):
        return value + 0.0
    if isinstance(value, int) and abs(value) >= 1 << 63:
        return str(value)
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


def _held(row: Any) -> Held:
    """Return what a row holds, if it is as it was written; whatever is wrong with it is a ValueError."""
    id_, *values = row
    if digest(json.dumps(values).encode()) != id_:
        raise ValueError("it was changed or damaged after it was written")
    content = dict(zip(COLUMNS, values, strict=True))
    content |= {"id": id_[:ID_DIGITS], "settings": parse_json(content["settings"])}
    if content["seed"] is not None:
        content["seed"] = int(content["seed"])
    glance = msgspec.convert(parse_json(content.pop("glance")), tuple[Glance, ...])
    del content["result_digest"]
    return Held(msgspec.convert(content, StoredAudit), glance)
