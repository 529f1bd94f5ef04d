"""A store of audits: one SQLite file, safe against crashes, that several processes may write to and any tool can read.

The table `audits` has a row for each audit, which is never changed: what it is (see `StoredAudit`), its figures
(`glance`) and all of it (`result`), as JSON. `id` is a digest of the rest of the row, so that whatever a disk or an
editor did to it is noticed. It guards against damage, not people. `aslant.auditing.runs` tells which run an audit
belongs to, `aslant.auditing.store_schema` what any tool may ask the file for.
"""

from __future__ import annotations

import difflib
import fnmatch
import hashlib
import json
import math
import os
import re
import sqlite3
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any, get_args

import msgspec

from aslant.auditing.runs import Runs, Visit, insert, visits
from aslant.auditing.store_schema import COLUMNS, OLDER, SCHEMA
from aslant.errors import AslantError, DiskError
from aslant.io.keeper import ForeignFileError, database, digest, is_damage, is_of_disk
from aslant.io.reading import parse_json
from aslant.results.audit import AuditResult, Evidence, Glance, GlanceKey
from aslant.results.codec import unsteered_json
from aslant.results.stored import (
    AuditChange,
    Change,
    FigureChange,
    FigureHistory,
    HistoryPoint,
    State,
    StoredAudit,
    StoredAudits,
    StoredFigure,
    StoredFigures,
    StoredOutcome,
    StoredRun,
    StoredRuns,
)
from aslant.version import __version__

#: The name of a store where none is given.
DEFAULT_STORE = "aslant-results.db"
#: Digits of the digest by which people name an audit, and the fewest that they may give.
ID_DIGITS, FEWEST_DIGITS = 10, 4
#: So many damaged audits are told one by one.
MOST_TOLD = 5
#: How a line of JSON Lines begins and ends: the checksum is of the bytes of the record.
_LINE = re.compile(rb'\{"aslant-store":[12],"sha256":"([0-9a-f]{64})","record":(\{.*\})\}\s*', re.DOTALL)
RECORD = ("label", "source", "state", "audited", "reason", "seconds", "key", "settings")
#: Bytes of one line.
MAX_LINE = 1 << 28
#: Evidence, weakest last; what was not tested has no place in the order.
ORDER: tuple[Evidence, ...] = ("strong", "some", "none")
#: What audits may differ in besides the model, and how it is called.
SETTINGS = {
    "version": "the version of aslant",
    "profile": "the profile",
    "seed": "the seed",
    "words": "the user's own words",
    "corpus": "the corpus",
    "lookup": "how words are looked up",
}


@dataclass(frozen=True)
class Held:
    """An audit as a store holds it: what it is, its figures, and the number of its row."""

    audit: StoredAudit
    glance: tuple[Glance, ...]
    number: int = 0

    def same_as(self, other: Held) -> bool:
        """Tell whether model, settings and version are the same, so that there is nothing to compare."""
        mine, its = ((a.key, a.fingerprint, a.version, a.profile, a.seed) for a in (self.audit, other.audit))
        return self.audit.id == other.audit.id or (bool(mine[0]) and mine == its)


class ResultsStore:
    """Audits in a file, to add to, to ask and to compare over time. `aslant.audit_list` fills one.

    The file is made when the first audit is added. Any number of processes may add to it at the same time; nothing in
    it is ever changed. An audit is named by its label (that of the newest run is meant), by `label~1` (that of the run
    before, and so on), by `label@run`, or by the first digits of its id. `model`, `measure`, `stimuli` and `category`
    may hold * and ?; `since` and `until` are dates or times in ISO format, in UTC.

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
        label = audit.representation.name if label is None else label
        reason = "; ".join(f"{what}: {why}" for what, why in audit.failed.items())
        state = "partly" if audit.failed else "complete"
        values: tuple[Any, ...] = (label, source, state, audit.created, reason, None, "", {})
        return self.append_record(dict(zip(RECORD, values, strict=True)), as_line(audit))

    def append_record(
        self, record: dict[str, Any], result: bytes | None, outcome: StoredOutcome | None = None
    ) -> StoredAudit:
        """Add a record with the JSON of an audit, or none; for `aslant.audit_list`, which knows its settings.

        With the `outcome` of a model in a run, both are added or neither.
        """
        audit = None if result is None else AuditResult.from_dict(parse_json(result.decode("utf-8")))
        if (audit is None) != (record["state"] == "failed"):
            raise AslantError(f"the record of '{record['label']}' has a state that does not fit its result.")
        values = _values(_stored(record, audit), () if audit is None else audit.glance, result)
        row = (digest(json.dumps(values).encode()), *values, None if result is None else result.decode("utf-8"))
        try:
            held = _held(row[:-1])
        except (ValueError, TypeError, msgspec.MsgspecError) as error:
            raise AslantError(f"this record cannot be kept in a store: {error}.") from None
        with self.opened(write=True) as connection:
            connection.execute(f"INSERT OR IGNORE INTO audits VALUES ({', '.join('?' * len(row))})", row)
            if outcome is not None:
                insert(connection, replace(outcome, audit=held.audit.id))
        return held.audit

    def check_writable(self) -> None:
        """Refuse, before any work, a file that could not be added to; nothing is made."""
        if self.path.exists() or self.path.is_symlink():
            self.held()
        elif not self.path.parent.is_dir():
            raise AslantError(f"there is no folder '{self.path.parent}' for the store; make it, or choose another.")
        if not os.access(self.path if self.path.exists() else self.path.parent, os.W_OK):
            raise AslantError(f"'{self.path}' cannot be written to; choose another file for the store.")

    def runs(self) -> StoredRuns:
        """Return the runs, oldest first, with what became of each model in them."""
        runs, outcomes, notes = Runs(self.opened).read()
        newest = {(outcome.run, outcome.label): outcome for _, outcome in outcomes}
        return StoredRuns(tuple(runs), tuple(newest.values()), notes, __version__)

    def visits(self, held: Sequence[Held] | None = None) -> list[Visit]:
        """Return what became of each label in each run, oldest first."""
        found = self._held_told() if held is None else held
        runs, outcomes, notes = Runs(self.opened).read()
        for note in notes:
            warnings.warn(f"'{self.path}': {note}", stacklevel=3)
        return visits(runs, [outcome for _, outcome in outcomes], [each.audit for each in found])

    def audits(
        self,
        model: str = "*",
        *,
        state: str | None = None,
        since: str | None = None,
        until: str | None = None,
        latest: bool = False,
    ) -> StoredAudits:
        """Return the audits, oldest first; `latest`: only the newest of each label, `state`: only those in this."""
        if state not in (None, *get_args(State)):
            raise AslantError(f"'{state}' is not a state of an audit; these are: {', '.join(get_args(State))}.")
        held, notes = self.held()
        chosen = [e for e in _chosen(held, model, since, until, latest) if state in (None, e.audit.state)]
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
        found, notes = self._figures((measure, stimuli, category), model, since, until, latest)
        return StoredFigures(tuple(found), notes, __version__)

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
        """Return each figure that matches in every run, with the difference to the run before, label by label.

        A run in which a model was unchanged has the figures of the audit that it reused, so a history has no gaps.
        `since` and `until` are about when a run began.
        """
        held, notes = self.held()
        by_id = {each.audit.id: each for each in held}
        begin, end = _range(since, until)
        series: dict[tuple[str, GlanceKey], list[StoredFigure]] = {}
        for visit in self.visits(held):
            each = by_id[visit.audit.id] if visit.audit is not None and visit.has_figures else None
            if each is None or not (begin <= visit.started and visit.started[: len(end)] <= end):
                continue
            for line in each.glance if _named_so(each, model) else ():
                if _asked(line, (measure, stimuli, category)):
                    figure = StoredFigure(each.audit, line, visit.run, visit.started, visit.state)
                    series.setdefault((visit.label, line.key), []).append(figure)
        points: list[HistoryPoint] = []
        for one in series.values():
            points.append(HistoryPoint(one[0], None))
            for before, after in pairwise(one):
                gap = _difference(before.line.effect, after.line.effect)
                points.append(HistoryPoint(after, gap, unlike(before.audit, after.audit)))
        notes = notes if points else (*notes, _what_there_is(held))
        return FigureHistory(tuple(points), notes, __version__)

    def _figures(self, asked: tuple[str, str, str], *which: Any) -> tuple[list[StoredFigure], tuple[str, ...]]:
        """Return the figures that match, and notes, which say what there is where nothing matches."""
        held, notes = self.held()
        found = [
            StoredFigure(each.audit, line)
            for each in _chosen([each for each in held if each.audit.state != "failed"], *which)
            for line in each.glance
            if _asked(line, asked)
        ]
        return found, notes if found else (*notes, _what_there_is(held))

    def compare(self, before: str, after: str | None = None) -> AuditChange:
        """Compare two audits, figure by figure; with one label, that of its newest run with that of the run before.

        Where model and settings are the same, the comparison is `unchanged`.
        """
        first, second = (before, after) if after is not None else (f"{before}~1", before)
        was, now = self._found(first, second)
        return changed(was[0], now[0], (was[1], now[1]))

    def find(self, which: str) -> StoredAudit:
        """Return what is stored about one audit: by its label, `label~1`, or the first digits of its id."""
        return self._found(which)[0][0].audit

    def audit(self, which: str) -> AuditResult:
        """Return one audit in full."""
        return self.in_full(self._found(which)[0][0])

    def in_full(self, held: Held) -> AuditResult:
        """Return an audit that was met in the store in full."""
        return AuditResult.from_dict(parse_json(self._result(held).decode("utf-8")))

    def lines(self) -> Iterator[bytes]:
        """Yield every audit, then every run and outcome, as a line of JSON, for other programs and other stores."""
        for held in self._held_told():
            record = {"id": held.audit.id, **{name: getattr(held.audit, name) for name in RECORD}}
            result = b"null" if held.audit.state == "failed" else self._result(held)
            body = unsteered_json(record, separators=(",", ":")).encode()[:-1] + b',"result":' + result + b"}"
            yield _line(1, body)
        runs, outcomes, _ = Runs(self.opened).read()
        rows = [{"run": asdict(run)} for run in runs] + [{"outcome": asdict(outcome)} for _, outcome in outcomes]
        for row in rows:
            yield _line(2, unsteered_json(row, separators=(",", ":")).encode())

    def add_lines(self, path: str | PathLike[str]) -> list[StoredAudit]:
        """Add what a file that `lines` made has, or that was a store before version 0.2; each counts once."""
        added, ids, rows = [], dict[str, str](), list[StoredRun | StoredOutcome]()
        with Path(path).open("rb") as file:
            for number, line in enumerate(iter(lambda: file.readline(MAX_LINE), b""), 1):
                met = _LINE.fullmatch(line)
                try:
                    if met is None or hashlib.sha256(met[2]).hexdigest().encode() != met[1]:
                        raise ValueError("it was changed or damaged after it was written")  # noqa: TRY301
                    record = parse_json(met[2].decode("utf-8"))
                    if "run" in record:
                        rows.append(msgspec.convert(record["run"], StoredRun))
                    elif "outcome" in record:
                        rows.append(msgspec.convert(record["outcome"], StoredOutcome))
                    else:
                        result, known = record.pop("result"), record.pop("id", "")
                        content = None if result is None else unsteered_json(result, separators=(",", ":")).encode()
                        added.append(self.append_record(record, content))
                        ids[known] = added[-1].id
                except (ValueError, KeyError, TypeError, AslantError, msgspec.MsgspecError) as error:
                    warnings.warn(f"line {number} of '{path}' is skipped: {str(error).rstrip('.')}.", stacklevel=2)
        if rows:
            told = (
                replace(row, audit=ids.get(row.audit or "", row.audit)) if isinstance(row, StoredOutcome) else row
                for row in rows
            )
            for name, other in Runs(self.opened).add(told).items():
                warnings.warn(f"'{self.path}' has another run '{name}'; that of '{path}' is '{other}'.", stacklevel=2)
        return added

    def held(self, after: int = 0) -> tuple[list[Held], tuple[str, ...]]:
        """Return what the store holds (`after`: in later rows), oldest first, and what could not be read."""
        with self.opened() as connection:
            # Audits of version 1 have chance with the result only.
            glance = "CASE WHEN instr(glance, '\"chance\":') THEN NULL ELSE json_extract(result, '$.glance') END"
            rows = connection.execute(
                f"SELECT rowid, {glance}, id, {', '.join(COLUMNS)} FROM audits WHERE rowid > ? ORDER BY rowid", [after]
            ).fetchall()
        found, told = [], []
        for number, in_full, *row in rows:
            try:
                found.append(replace(_held(row, in_full), number=number))
            except (ValueError, TypeError, msgspec.MsgspecError) as error:
                told.append(f"audit {number} is skipped: {error}")
        if len(told) > MOST_TOLD:
            told[MOST_TOLD:] = [f"{len(told) - MOST_TOLD:,} more audits are skipped"]
        return sorted(found, key=lambda held: held.audit.audited), tuple(told)

    def _found(self, *asked: str) -> list[tuple[Held, str]]:
        """Return the audits that are meant, and the runs they were met in; see the class for how they are named."""
        held = self._held_told()
        by_id = {each.audit.id: each for each in held if each.audit.state != "failed"}
        by_label: dict[str, list[Visit]] = {}
        for visit in self.visits(held):
            if visit.audit is not None and visit.audit.id in by_id:
                by_label.setdefault(visit.label, []).append(visit)
        found = []
        for which in asked:
            label, back = which, 0
            if which not in by_label and (met := re.fullmatch(r"(.+)~(\d{1,6})", which, re.DOTALL)):
                label, back = met[1], int(met[2])
            of_run, _, run = which.rpartition("@")
            in_run = [v for v in by_label.get(of_run, ()) if v.run == run and which not in by_label]
            named = [id_ for id_ in by_id if len(which) >= FEWEST_DIGITS and id_.startswith(which)]
            if back < len(by_label.get(label, ())) or in_run:
                visit = in_run[0] if in_run else by_label[label][-1 - back]
                found.append((by_id[visit.audit.id if visit.audit else ""], visit.run))
            elif label not in by_label and len(named) == 1:
                found.append((by_id[named[0]], ""))
            else:
                failed = [each.audit for each in held if each.audit.label == which]
                raise AslantError(self._not_found(which, label, by_label, len(named), failed))
        return found

    def _not_found(
        self, which: str, label: str, by_label: dict[str, list[Visit]], named: int, failed: list[StoredAudit]
    ) -> str:
        if label in by_label:
            count = len(by_label[label])
            runs = "one run" if count == 1 else f"{count} runs"
            return f"'{self.path}' has {runs} of '{label}', so that there is no '{which}'."
        if named > 1:
            return f"{named} audits in '{self.path}' have an id that begins with '{which}'; give more digits."
        if failed:
            return f"'{which}' could not be audited: {failed[-1].reason}"
        near = difflib.get_close_matches(which, by_label, n=1)
        hint = f"did you mean '{near[0]}'? " if near else ""
        return f"there is no audit '{which}' in '{self.path}'; {hint}it has {first(list(by_label)) or 'none'}."

    def _held_told(self) -> list[Held]:
        """Return what the store holds, and warn of what cannot be read: the newest audit may be among it."""
        held, notes = self.held()
        for note in notes:
            warnings.warn(f"'{self.path}': {note}", stacklevel=3)
        return held

    def _result(self, held: Held) -> bytes:
        with self.opened() as connection:
            row = connection.execute(
                "SELECT result_digest, result FROM audits WHERE rowid = ?", [held.number]
            ).fetchone()
        result = str(row[1]).encode("utf-8")
        if digest(result) != row[0]:
            raise AslantError(f"audit {held.audit.id} of '{self.path}' was changed or damaged after it was written.")
        return result

    @contextmanager
    def opened(self, *, write: bool = False) -> Iterator[sqlite3.Connection]:
        """Open the file; whatever is wrong with it is one sentence."""
        try:
            if not write and not self.path.exists():
                raise AslantError(
                    f"there is no store '{self.path}'; 'aslant audit --models LIST --store FILE' makes one."
                )
            with database(self.path, SCHEMA, write=write, older=OLDER) as connection:
                yield connection
        except (sqlite3.Error, ForeignFileError) as error:
            told = f"'{self.path}' is not a store of results, or is damaged ({error}); check which file it is."
            if not is_damage(error) and not isinstance(error, ForeignFileError):
                told = f"cannot {'write' if write else 'read'} '{self.path}': {error}."
            elif is_lines(self.path):
                told = f"'{self.path}' holds JSON lines; put them into a store with 'aslant results add STORE FILE'."
            kind = DiskError if is_of_disk(error) else AslantError
            raise kind(told) from None
        except (OSError, ValueError) as error:  # a name with a zero byte in it is a ValueError
            raise AslantError(f"cannot open '{self.path}': {getattr(error, 'strerror', None) or error}.") from None


def as_line(audit: AuditResult) -> bytes:
    """Return an audit as JSON in one line."""
    return unsteered_json(audit.to_dict(), separators=(",", ":")).encode("utf-8")


def _line(version: int, body: bytes) -> bytes:
    checksum = hashlib.sha256(body).hexdigest().encode()
    return b'{"aslant-store":%d,"sha256":"' % version + checksum + b'","record":' + body + b"}\n"


def is_store(path: Path) -> bool:
    """Tell whether a file is a database, as stores are."""
    if not os.path.isfile(path):  # noqa: PTH113 (a name may be too long for a file)
        return False
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\0"


def is_lines(path: Path) -> bool:
    """Tell whether a file holds audits as lines of JSON."""
    if not path.is_file():  # a pipe would wait for ever
        return False
    with path.open("rb") as file:
        return file.read(16) == b'{"aslant-store":'


def _chosen(
    lines: Sequence[Held], model: str, since: str | None, until: str | None, latest: bool = False
) -> list[Held]:
    """Return the matching audits, oldest first, by label or by the model's own name."""
    begin, end = _range(since, until)
    fitting = [
        held
        for held in lines
        if _named_so(held, model) and begin <= held.audit.audited and held.audit.audited[: len(end)] <= end
    ]
    newest = {held.audit.label: held for held in fitting}
    return [held for held in fitting if newest[held.audit.label] is held] if latest else fitting


def _range(since: str | None, until: str | None) -> tuple[str, str]:
    """Return the first time, and what the last one may begin with."""
    end = "9" if until is None else _utc(until, "until:")
    if re.fullmatch(r"\d{4}-?\d\d-?\d\d", until or ""):
        end = end[:10]  # all of that day
    return "" if since is None else _utc(since, "since:"), end


def _named_so(held: Held, model: str) -> bool:
    return any(name == model or fnmatch.fnmatchcase(name, model) for name in (held.audit.label, held.audit.model))


def _asked(line: Glance, asked: tuple[str, str, str]) -> bool:
    return all(map(fnmatch.fnmatchcase, (line.measure, line.stimuli, line.category), asked))


def _what_there_is(held: Sequence[Held]) -> str:
    measures = ", ".join(dict.fromkeys(line.measure for each in held for line in each.glance)) or "no figures"
    models = first(list(dict.fromkeys(each.audit.label for each in held))) or "no model"
    return f"nothing matches; the store has {measures}, of {models}"


def first(labels: Sequence[str]) -> str:
    """Return a few labels, for a sentence."""
    return ", ".join(labels[:8]) + (", …" if len(labels) > 8 else "")


def _utc(text: str, told: str) -> str:
    """Return a date or time in ISO format (in UTC, if it does not say) as the store writes it, which sorts like text.

    >>> _utc("2026-03-01T12:00:00+02:00", "since:")
    '2026-03-01T10:00:00+00:00'
    """
    try:
        found = datetime.fromisoformat(text)
        found = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        raise AslantError(f"{told} '{text:.40}' is not a date such as 2026-03-31 or 2026-03-31T12:00.") from None
    return found.isoformat(timespec="seconds")


def changed(was: Held, now: Held, runs: tuple[str, str] = ("", "")) -> AuditChange:
    """Compare two audits, figure by figure."""
    by_key = [{line.key: line for line in held.glance} for held in (was, now)]
    made = tuple(_change(by_key[0].get(key), by_key[1].get(key)) for key in {**by_key[0], **by_key[1]})
    told = unlike(was.audit, now.audit)
    return AuditChange(was.audit, now.audit, made, told, __version__, runs, was.same_as(now))


def _change(before: Glance | None, after: Glance | None) -> FigureChange:
    line = after or before
    assert line is not None
    (was, evidence), (now, evidence_now) = ((g.effect, g.evidence) if g else (None, None) for g in (before, after))
    about, gap = (line.measure, line.stimuli, line.category, line.effect_name), _difference(was, now)
    in_sd = (g.standardised if g else None for g in (before, after))
    return FigureChange(*about, was, now, gap, evidence, evidence_now, _verdict(before, after), *in_sd)


def _verdict(before: Glance | None, after: Glance | None) -> Change:
    if before is None:
        return "only after"
    if after is None:
        return "only before"
    if before.evidence == after.evidence:
        return "same"
    if not {before.evidence, after.evidence} <= set(ORDER):
        return "not comparable"
    return "more evidence" if ORDER.index(after.evidence) < ORDER.index(before.evidence) else "less evidence"


def _difference(before: float | None, after: float | None) -> float | None:
    gap = None if before is None or after is None else after - before
    return gap if gap is None or math.isfinite(gap) else None  # a store of strangers may hold numbers of any size


def unlike(before: StoredAudit, after: StoredAudit) -> tuple[str, ...]:
    """Say what two audits differ in besides the model, so that nobody takes its effect for the model's.

    >>> a = StoredAudit("1", "m", "", "complete", "2026-01-01", seed=0, profile="quick")
    >>> unlike(a, StoredAudit("2", "m", "", "complete", "2026-01-02", seed=1, profile="quick"))
    ('the seed: 0, then 1',)
    """
    told = []
    for name, called in SETTINGS.items():
        own = name in ("version", "profile", "seed")  # an audit that came into the store as a report has no settings
        values = [getattr(a, name) if own else a.settings.get(name, "not known") for a in (before, after)]
        if values[0] != values[1]:
            was, now = ("none" if value in (None, "") else f"{value!s:.60}" for value in values)
            told.append(f"{called}: {was}, then {now}")
    return tuple(told)


def _stored(record: dict[str, Any], found: AuditResult | None) -> StoredAudit:
    """Return what a record says, with the most used parts of the audit."""
    settings = dict(record["settings"])
    audited = _utc(record["audited"], "this report cannot be kept in a store: its time,")
    made = StoredAudit("", **{**{name: record[name] for name in RECORD}, "audited": audited, "settings": settings})
    if found is None:
        return replace(made, version=str(settings.get("version") or ""), profile=str(settings.get("profile") or ""))
    model, figures = found.representation, len(found.glance)
    settings["lookup"] = model.lookup
    made = replace(made, model=model.name, fingerprint=model.fingerprint, figures=figures)
    return replace(made, version=found.version, profile=found.profile, seed=found.seed)


def _values(audit: StoredAudit, glance: tuple[Glance, ...], result: bytes | None) -> list[Any]:
    """Return what the columns hold."""
    kept = {name: getattr(audit, name) for name in COLUMNS[:-2]}
    kept |= {"settings": json.dumps(audit.settings), "glance": json.dumps([_in_full(line) for line in glance])}
    kept["result_digest"] = None if result is None else digest(result)
    return [_plain(value) for value in kept.values()]


def _in_full(line: Glance) -> dict[str, Any]:
    """Return a figure as the store has it: flat for those who ask in SQL, with all that is known of its chance."""
    whole = asdict(line)
    return {**line.row(), "chance": whole["chance"], "interval": whole["interval"]}


def _plain(value: Any) -> Any:
    """Return a value as SQLite keeps it: half a pair of surrogates written out, a huge seed as text, no -0.0."""
    if isinstance(value, float):
        return value + 0.0
    if isinstance(value, int) and abs(value) >= 1 << 63:
        return str(value)
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


def _held(row: Any, in_full: str | None = None) -> Held:
    """Return what a row holds, if it is as it was written; whatever is wrong with it is a ValueError.

    `in_full` are its figures as the result has them, where the row itself does not have all of them.
    """
    id_, *values = row
    if digest(json.dumps(values).encode()) != id_:
        raise ValueError("it was changed or damaged after it was written")
    content = dict(zip(COLUMNS, values, strict=True))
    content |= {"id": id_[:ID_DIGITS], "settings": parse_json(content["settings"])}
    if content["seed"] is not None:
        content["seed"] = int(content["seed"])
    kept = content.pop("glance")
    glance = msgspec.convert(parse_json(in_full or kept), tuple[Glance, ...])
    del content["result_digest"]
    return Held(msgspec.convert(content, StoredAudit), glance)
