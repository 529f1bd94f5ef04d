"""The runs of a store: which lists were audited when, by which settings, and what became of each model in them.

A run is one pass over a list. A process that is started with the same list and settings while a run is unfinished joins
it, whether another process is still at it or was killed; so a run that was resumed, or shared out, is one run, and
comparisons are between passes, not between pieces of one.
"""

from __future__ import annotations

import json
import os
import platform
import secrets
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

import msgspec

from aslant.auditing.store_schema import OUTCOME, RUN
from aslant.errors import AslantError, plural
from aslant.io.keeper import digest
from aslant.io.reading import parse_json
from aslant.results.stored import OutcomeState, StoredAudit, StoredOutcome, StoredRun
from aslant.version import __version__

#: An unfinished run without a name, of which nothing was heard for so long, is not joined any more.
JOINED_WITHIN = timedelta(hours=24)
#: The most characters of a run's name.
MAX_NAME = 100


class Opened(Protocol):
    """What opens the file of a store."""

    def __call__(self, *, write: bool = False) -> AbstractContextManager[sqlite3.Connection]:
        """Open it for one transaction."""


@dataclass(frozen=True)
class Visit:
    """One label in one run: what became of it, and its audit there; None where there is none, or it is damaged."""

    run: str
    started: str
    label: str
    state: OutcomeState
    reason: str = ""
    audit: StoredAudit | None = None

    @property
    def has_figures(self) -> bool:
        """Whether there is something to compare."""
        return self.audit is not None and self.audit.state != "failed"


class Runs:
    """The runs in the file that `opened` opens."""

    def __init__(self, opened: Opened) -> None:
        self._opened = opened

    def begin(
        self, models: Mapping[str, str], settings: Mapping[str, Any], *, name: str | None = None, list_: str = ""
    ) -> tuple[StoredRun, int]:
        """Begin a run, or join the unfinished one of the same models and settings; return it, and the last row then.

        A run with a `name` is joined whenever it is named, finished or not: what failed is then tried again.
        """
        text = json.dumps([sorted(models), dict(settings), __version__], sort_keys=True, default=list)
        key, now = digest(text.encode("utf-8", "surrogatepass"))[:16], datetime.now(UTC)
        if name is not None and (not name.strip() or len(name) > MAX_NAME or not name.isprintable()):
            raise AslantError(f"{name!r:.60} cannot name a run; give up to {MAX_NAME} visible characters.")
        with self._opened(write=True) as connection:  # one writer at a time: two that begin together agree
            runs, outcomes, _ = _read(connection)
            last = max((number for number, _ in outcomes), default=0)
            found = _named(runs, name, key) if name else _unfinished(runs, outcomes, key, now)
            if found is None:
                started = now.isoformat(timespec="milliseconds")
                id_ = name or f"{now:%Y%m%dT%H%M%S}-{secrets.token_hex(2)}"
                found = StoredRun(id_, started, list_, __version__, key, dict(models), json.loads(
                    json.dumps(dict(settings), default=list)
                ))  # fmt: skip
                insert(connection, found)
        return found, last

    def record(self, outcome: StoredOutcome) -> None:
        """Say what became of a model; the newest word about a label in a run counts."""
        with self._opened(write=True) as connection:
            insert(connection, outcome)

    def add(self, rows: Iterable[StoredRun | StoredOutcome]) -> dict[str, str]:
        """Add runs and outcomes of another store, each once; return which runs got another name, and which.

        Every machine may have a run of March: one whose name is taken by another run gets four digits more.
        """
        renamed: dict[str, str] = {}
        with self._opened(write=True) as connection:

            def known(table: str, column: str, value: str) -> bool:
                return connection.execute(f"SELECT 1 FROM {table} WHERE {column} = ?", [value]).fetchone() is not None

            for row in rows:
                added = row
                if isinstance(row, StoredOutcome):
                    added = replace(row, run=renamed.get(row.run, row.run))
                elif known("runs", "id", row.id) and not known("runs", "digest", sum_ := _values(row)[-1]):
                    renamed[row.id] = f"{row.id}-{sum_[:4]}"
                    added = replace(row, id=renamed[row.id])
                table = "runs" if isinstance(row, StoredRun) else "outcomes"
                if not known(table, "digest", _values(added)[-1]):
                    insert(connection, added)
        return renamed

    def read(self, after: int = 0) -> tuple[list[StoredRun], list[tuple[int, StoredOutcome]], tuple[str, ...]]:
        """Return the runs, what became of their models (with the number of the row), and what could not be read."""
        with self._opened() as connection:
            return _read(connection, after)


def outcome_of(
    run: str, label: str, state: OutcomeState, audit: str | None, *, seconds: float | None = None, reason: str = "",
    stamp: str = "",
) -> StoredOutcome:  # fmt: skip
    """Return what is recorded now, by this process.

    >>> outcome_of("march", "ours", "missing", None, reason="there is no file").state
    'missing'
    """
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return StoredOutcome(run, label, state, audit, now, seconds, reason, stamp, platform.node(), os.getpid())


def visits(runs: Iterable[StoredRun], outcomes: Iterable[StoredOutcome], audits: Iterable[StoredAudit]) -> list[Visit]:
    """Return what became of each label in each run, oldest first; the view `timeline` says the same.

    An audit that no run tells of (a report that was added, or one of version 1) is a run by itself, under its own id;
    of several with the same key, made by processes side by side, the last one counts.
    """
    by_run = {run.id: run for run in runs}
    newest = {(outcome.run, outcome.label): outcome for outcome in outcomes if outcome.run in by_run}
    by_id = {audit.id: audit for audit in audits}
    found = [
        Visit(o.run, by_run[o.run].started, o.label, o.state, o.reason, by_id.get(o.audit or ""))
        for o in newest.values()
    ]
    told = {outcome.audit for outcome in outcomes}
    alone = {(a.label, a.key or a.id): a for a in by_id.values() if a.id not in told}
    found += [
        Visit(a.id, a.audited, a.label, "audited" if a.state == "complete" else a.state, a.reason, a)
        for a in alone.values()
    ]
    return sorted(found, key=lambda visit: (visit.started, visit.run))


def _named(runs: list[StoredRun], name: str, key: str) -> StoredRun | None:
    found = next((run for run in runs if run.id == name), None)
    if found is not None and found.key != key:
        raise AslantError(
            f"the run '{name}' of {found.started[:10]} was begun with another list, other settings or another version "
            "of aslant; give another name."
        )
    return found


def _unfinished(
    runs: list[StoredRun], outcomes: list[tuple[int, StoredOutcome]], key: str, now: datetime
) -> StoredRun | None:
    """Return the newest run of this key, if some of its models have no outcome and it was heard of lately."""
    found = next((run for run in reversed(runs) if run.key == key), None)
    if found is None:
        return None
    own = [outcome for _, outcome in outcomes if outcome.run == found.id]
    heard = datetime.fromisoformat(max([found.started, *(outcome.recorded for outcome in own)]))
    done = {outcome.label for outcome in own} >= set(found.models)
    return None if done or now - heard > JOINED_WITHIN else found


def _values(row: StoredRun | StoredOutcome) -> list[Any]:
    kept: list[Any] = []
    for name in RUN if isinstance(row, StoredRun) else OUTCOME:
        value = getattr(row, name)
        value = json.dumps(value) if isinstance(value, dict) else value
        kept.append(value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value)
    return [*kept, digest(json.dumps(kept).encode())]


def insert(connection: sqlite3.Connection, row: StoredRun | StoredOutcome) -> None:
    """Add a row to its table, in a transaction that is under way."""
    table, values = "runs" if isinstance(row, StoredRun) else "outcomes", _values(row)
    connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(values))})", values)


def _read(
    connection: sqlite3.Connection, after: int = 0
) -> tuple[list[StoredRun], list[tuple[int, StoredOutcome]], tuple[str, ...]]:
    runs, outcomes, damaged = [], [], 0
    for row in connection.execute(f"SELECT {', '.join(RUN)}, digest FROM runs ORDER BY started, rowid"):
        try:
            content = dict(zip(RUN, _whole(row), strict=True))
            content |= {name: parse_json(content[name]) for name in ("models", "settings")}
            runs.append(msgspec.convert(content, StoredRun))
        except (ValueError, TypeError, msgspec.MsgspecError):
            damaged += 1
    asked = f"SELECT rowid, {', '.join(OUTCOME)}, digest FROM outcomes WHERE rowid > ? ORDER BY rowid"
    for number, *row in connection.execute(asked, [after]):
        try:
            content = dict(zip(OUTCOME, _whole(row), strict=True))
            outcomes.append((number, msgspec.convert(content, StoredOutcome)))
        except (ValueError, TypeError, msgspec.MsgspecError):
            damaged += 1
    what = plural(damaged, "row about runs", "rows about runs")
    told = (f"skipped, because it was changed or damaged: {what}",) if damaged else ()
    return runs, outcomes, told


def _whole(row: Any) -> list[Any]:
    values: list[Any]
    *values, sum_ = row
    if digest(json.dumps(values).encode()) != sum_:
        raise ValueError("it was changed or damaged after it was written")
    return values
