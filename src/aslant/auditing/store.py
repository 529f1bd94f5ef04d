"""A store of audits: a file of JSON lines, one for each audit, that outlives crashes and that several may write to.

Why lines of JSON, and not SQLite or DuckDB, which were weighed against them:

- *Crashes.* The file only grows. A line is written under a lock and fsync'd; one that a kill or a power cut left
  unfinished is told by its missing end, ignored by readers and cut off by the next writer. Each line has a checksum, so
  that damage anywhere costs that line and no other; a damaged page of a database can cost all of it.
- *Writers.* Audits take seconds to hours and are written in milliseconds: there is nothing to gain from a database's
  concurrency. `flock` works on local disks and on NFS; SQLite advises against the latter.
- *Strangers.* A store may come from anyone. Lines are read by the JSON code that reads reports, with its limits;
  a hostile SQLite file has a schema of its own (views, triggers) and speaks to a C library that was not made for it.
- *People.* `grep`, `jq`, `git diff` and `cat monday.jsonl tuesday.jsonl` (which merges stores) work.
- *Queries.* The whole file is read for each, and the bulk of each audit skipped over: a thousand quick audits
  (0.5 MB each) took 1.3 s. Beyond some tens of thousands of audits, begin a new store for each year, or export the
  figures (7 kB an audit) as CSV to a database.
"""

from __future__ import annotations

import os
import stat
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import IO, Any

from aslant.auditing import store_queries as q
from aslant.auditing.appending import append_line
from aslant.auditing.stored_lines import BEGINS, Held, as_line, check_audit, decode, decode_audit, encode
from aslant.errors import AslantError
from aslant.results.audit import AuditResult
from aslant.results.stored import AuditChange, FigureHistory, StoredAudit, StoredAudits, StoredFigures
from aslant.version import __version__

#: The name of a store where none is given.
DEFAULT_STORE = "aslant-results.jsonl"
#: Bytes of one line, and of a store.
MAX_LINE, MAX_STORE = 1 << 28, 1 << 36
#: So many damaged lines are told one by one.
MOST_TOLD = 5


@dataclass(frozen=True)
class StoreLine:
    """A line of the file: what it holds, or why it cannot be read, and where it ends."""

    number: int
    end: int
    held: Held | None
    problem: str = ""


class ResultsStore:
    """Audits in a file, to add to, to ask and to compare over time. `aslant.audit_list` fills one.

    The file is made when the first audit is added. Any number of processes may add to it at the same time; nothing in
    it is ever changed. An audit is named by its label (the newest is meant), by `label~1` (the one before it, and so
    on), or by the first digits of its id. `model`, `measure`, `stimuli` and `category` may hold * and ?; `since` and
    `until` are dates or times in ISO format, in UTC.

    >>> import tempfile, aslant
    >>> store = aslant.ResultsStore(tempfile.mkdtemp() + "/results.jsonl")
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
        check_audit(audit)
        state = "partly" if audit.failed else "complete"
        reason = "; ".join(f"{what}: {why}" for what, why in audit.failed.items())
        record: dict[str, Any] = {
            "label": audit.representation.name if label is None else label,
            "source": source,
            "state": state,
        }
        record |= {"audited": audit.created, "reason": reason, "seconds": None, "key": "", "settings": {}}
        return self.append_record(record, as_line(audit))

    def append_record(self, record: dict[str, Any], result: bytes | None) -> StoredAudit:
        """Add a record with the JSON of an audit, or none; for `aslant.audit_list`, which knows its settings."""
        line = encode(record, result)
        if len(line) > MAX_LINE:
            raise AslantError(f"this audit takes {len(line) >> 20} MB, and a store takes {MAX_LINE >> 20} for each.")
        held = decode(line)
        append_line(self.path, line, BEGINS, _is_whole, MAX_LINE)
        return held.audit

    def check_writable(self) -> None:
        """Refuse, before any work, a file that could not be added to; nothing is made."""
        if self.path.exists() or self.path.is_symlink():
            self._opened().close()
        elif not self.path.parent.is_dir():
            raise AslantError(f"there is no folder '{self.path.parent}' for the store; make it, or choose another.")
        if not os.access(self.path if self.path.exists() else self.path.parent, os.W_OK):
            raise AslantError(f"'{self.path}' cannot be written to; choose another file for the store.")

    def audits(
        self, model: str = "*", *, since: str | None = None, until: str | None = None, latest: bool = False
    ) -> StoredAudits:
        """Return the audits, oldest first; `latest`: only the newest of each label."""
        lines, notes = self._read()
        chosen = q.chosen(lines, q.Asked(model=model, since=since, until=until, latest=latest))
        return StoredAudits(tuple(held.audit for held in chosen), notes, __version__)

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
        lines, notes = self._read()
        asked = q.Asked(measure, stimuli, category, model, since, until, latest)
        found = tuple(q.figures(q.chosen(q.with_result(lines), asked), asked))
        return StoredFigures(found, notes if found else (*notes, q.nothing(lines)), __version__)

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
        lines, notes = self._read()
        asked = q.Asked(measure, stimuli, category, model, since, until)
        found = tuple(q.history(q.figures(q.chosen(q.with_result(lines), asked), asked)))
        return FigureHistory(found, notes if found else (*notes, q.nothing(lines)), __version__)

    def compare(self, before: str, after: str | None = None) -> AuditChange:
        """Compare two audits, figure by figure; with one label, its newest audit with the one before it."""
        lines = self._lines_told()
        first, second = (before, after) if after is not None else (f"{before}~1", before)
        return q.change(q.find(lines, first, self.path), q.find(lines, second, self.path))

    def find(self, which: str) -> StoredAudit:
        """Return what is stored about one audit: by its label, `label~1`, or the first digits of its id."""
        return q.find(self._lines_told(), which, self.path).audit

    def audit(self, which: str) -> AuditResult:
        """Return one audit in full."""
        return self._whole(q.find(self._lines_told(), which, self.path))

    def lines(self, start: int = 0) -> Iterator[StoreLine]:
        """Read the store from the byte `start` on, line by line; a store that is not there is an error."""
        with self._opened() as file:
            file.seek(start)
            number = 0
            while content := file.readline(MAX_LINE + 1):
                number += 1
                end = file.tell()
                if len(content) > MAX_LINE:
                    raise AslantError(f"line {number} of '{self.path}' is longer than {MAX_LINE >> 20} MB; check it.")
                yield _parsed(number, start, end, content)
                start = end

    def _read(self) -> tuple[list[Held], tuple[str, ...]]:
        """Return what the store holds, each audit once, oldest first, and what could not be read."""
        found: dict[str, Held] = {}
        damaged = 0
        told: list[str] = []
        for line in self.lines():
            if line.held is not None:
                found.setdefault(line.held.audit.id, line.held)
                continue
            damaged += 1
            if damaged <= MOST_TOLD:
                told.append(f"line {line.number} is passed over: {line.problem}")
        if damaged > MOST_TOLD:
            told.append(f"{damaged - MOST_TOLD:,} more lines are passed over")
        return sorted(found.values(), key=lambda held: held.audit.audited), tuple(told)

    def _lines_told(self) -> list[Held]:
        """Return what the store holds, and warn of lines that cannot be read: the newest audit may be among them."""
        lines, notes = self._read()
        for note in notes:
            warnings.warn(f"'{self.path}': {note}", stacklevel=3)
        return lines

    def _whole(self, held: Held) -> AuditResult:
        number, start, end = held.place
        with self._opened() as file:
            file.seek(start)
            content = file.read(end - start)
        try:
            return decode_audit(content.rstrip(b"\r\n"))
        except (ValueError, AslantError) as error:
            raise AslantError(f"line {number} of '{self.path}' cannot be read: {str(error).rstrip('.')}.") from None

    def _opened(self) -> IO[bytes]:
        try:
            status = self.path.stat()
            if not stat.S_ISREG(status.st_mode):
                raise AslantError(f"'{self.path}' is not a regular file; give the file of a store.")
            if status.st_size > MAX_STORE:
                raise AslantError(f"'{self.path}' is larger than {MAX_STORE >> 20:,} MB; check which file it is.")
            file = self.path.open("rb")
        except (FileNotFoundError, NotADirectoryError):
            raise AslantError(
                f"there is no store '{self.path}'; 'aslant audit --models LIST --store FILE' makes one."
            ) from None
        except (OSError, ValueError) as error:
            raise AslantError(f"cannot open '{self.path}': {getattr(error, 'strerror', None) or error}.") from None
        head = file.read(len(BEGINS))
        if head != BEGINS[: len(head)]:
            file.close()
            raise AslantError(f"'{self.path}' is no store of results; check which file it is.")
        file.seek(0)
        return file


def now() -> str:
    """Return the time, as a store has it.

    >>> len(now())
    25
    """
    return datetime.now(UTC).isoformat(timespec="seconds")


def _is_whole(tail: bytes) -> bool:
    try:
        decode(tail.rstrip(b"\r\n"))  # as readers do: half a line end of Windows is no reason to lose an audit
    except ValueError:
        return False
    return True


def _parsed(number: int, start: int, end: int, content: bytes) -> StoreLine:
    try:
        held = replace(decode(content.rstrip(b"\r\n")), place=(number, start, end))
        return StoreLine(number, end, held)
    except ValueError as error:
        problem = str(error) if content.endswith(b"\n") else "it is not finished, or is being written just now"
        return StoreLine(number, end, None, problem)
