"""Questions to a store: which audits and figures match, which audit is meant, what changed between two."""

from __future__ import annotations

import difflib
import fnmatch
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

from aslant.errors import AslantError
from aslant.results.audit import Evidence, Glance
from aslant.results.stored import AuditChange, Change, FigureChange, HistoryPoint, StoredAudit, StoredFigure
from aslant.version import __version__

#: What makes two lines of different audits the same figure.
Key = tuple[str, str, str]
#: The fewest digits of an id that name an audit.
FEWEST_DIGITS = 4
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
#: What is said of settings that only one of two audits tells: one of them came into the store as a report.
UNKNOWN = "not known"


@dataclass(frozen=True)
class Held:
    """An audit as a store holds it: what it is, its figures, and the number of its row."""

    audit: StoredAudit
    glance: tuple[Glance, ...]
    number: int = 0


@dataclass(frozen=True)
class Asked:
    """What is asked of a store; * and ? stand for anything in the first four, dates are in ISO format."""

    measure: str = "*"
    stimuli: str = "*"
    category: str = "*"
    model: str = "*"
    since: str | None = None
    until: str | None = None
    latest: bool = False

    def fits(self, line: Glance) -> bool:
        """Tell whether a figure matches."""
        pairs = ((line.measure, self.measure), (line.stimuli, self.stimuli), (line.category, self.category))
        return all(fnmatch.fnmatchcase(value, pattern) for value, pattern in pairs)


def chosen(lines: Sequence[Held], asked: Asked) -> list[Held]:
    """Return the matching audits, oldest first, by label or by the model's own name."""
    since, until = _time("since", asked.since), _time("until", asked.until)
    fitting = [held for held in lines if _like(held.audit, asked.model)]
    fitting = [held for held in fitting if since is None or held.audit.audited >= since]
    fitting = [held for held in fitting if until is None or held.audit.audited[: len(until)] <= until]
    if asked.latest:
        newest = {held.audit.label: held for held in fitting}
        fitting = [held for held in fitting if newest[held.audit.label] is held]
    return fitting


def with_result(lines: Sequence[Held]) -> list[Held]:
    """Return the audits that came to something."""
    return [held for held in lines if held.audit.state != "failed"]


def _like(audit: StoredAudit, pattern: str) -> bool:
    return pattern in (audit.label, audit.model) or any(
        fnmatch.fnmatchcase(name, pattern) for name in (audit.label, audit.model)
    )


def as_utc(text: str) -> datetime:
    """Return a date or time in ISO format, in UTC where it does not say; whatever is wrong with it is a ValueError.

    >>> as_utc("2026-03-01T12:00:00+02:00").isoformat()
    '2026-03-01T10:00:00+00:00'
    >>> as_utc("yesterday")
    Traceback (most recent call last):
    ValueError: 'yesterday' is not a date such as 2026-03-31 or 2026-03-31T12:00
    """
    try:
        found = datetime.fromisoformat(text)
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(f"'{text:.40}' is not a date such as 2026-03-31 or 2026-03-31T12:00") from None


def _time(option: str, text: str | None) -> str | None:
    """Return a time as the store writes them, which sort like text; a date without a time stays one."""
    if text is None:
        return None
    try:
        found = as_utc(text).isoformat(timespec="seconds")
    except ValueError as error:
        raise AslantError(f"{option}: {error}.") from None
    return found[:10] if re.fullmatch(r"\d{4}-?\d\d-?\d\d", text) else found


def figures(lines: Iterable[Held], asked: Asked) -> Iterator[StoredFigure]:
    """Yield the matching figures."""
    for held in lines:
        for line in held.glance:
            if asked.fits(line):
                yield StoredFigure(held.audit, line)


def nothing(lines: Sequence[Held]) -> str:
    """Say what there is, where nothing matches."""
    measures = dict.fromkeys(line.measure for held in lines for line in held.glance)
    labels = list(dict.fromkeys(held.audit.label for held in lines))
    shown = ", ".join(labels[:8]) + (", …" if len(labels) > 8 else "")
    return f"nothing matches; the store has {', '.join(measures) or 'no figures'}, of {shown or 'no model'}"


def history(found: Iterable[StoredFigure]) -> Iterator[HistoryPoint]:
    """Yield figures over time, one figure of one label after the other, each with the difference to the one before."""
    series: dict[tuple[str, Key], list[StoredFigure]] = {}
    for figure in found:
        series.setdefault((figure.audit.label, key_of(figure.line)), []).append(figure)
    for points in series.values():
        yield HistoryPoint(points[0], None)
        for before, after in pairwise(points):
            gap = _difference(before.line.effect, after.line.effect)
            yield HistoryPoint(after, gap, unlike(before.audit, after.audit))


def key_of(line: Glance) -> Key:
    """Return what makes a line the same figure in another audit."""
    return line.measure, line.stimuli, line.effect_name


def find(lines: Sequence[Held], which: str, path: Path) -> Held:
    """Return the audit that is meant: `label`, `label~2` (the second before the newest), or digits of an id."""
    usable = with_result(lines)
    by_label: dict[str, list[Held]] = {}
    for held in usable:
        by_label.setdefault(held.audit.label, []).append(held)
    label, back = which, 0
    if which not in by_label and (met := re.fullmatch(r"(.+)~(\d{1,6})", which, re.DOTALL)):
        label, back = met[1], int(met[2])
    if label in by_label:
        if back >= len(by_label[label]):
            count = len(by_label[label])
            audits = "one audit" if count == 1 else f"{count} audits"
            raise AslantError(f"'{path}' has {audits} of '{label}', so that there is no '{label}~{back}'.")
        return by_label[label][-1 - back]
    named = [held for held in usable if len(which) >= FEWEST_DIGITS and held.audit.id.startswith(which)]
    if len(named) == 1:
        return named[0]
    raise AslantError(_not_found(lines, which, list(by_label), len(named), path))


def _not_found(lines: Sequence[Held], which: str, labels: list[str], named: int, path: Path) -> str:
    if named > 1:
        return f"{named} audits in '{path}' have an id that begins with '{which}'; give more digits."
    failed = [held.audit for held in lines if held.audit.label == which]
    if failed:
        return f"'{which}' could not be audited: {failed[-1].reason}"
    near = difflib.get_close_matches(which, labels, n=1)
    hint = f"did you mean '{near[0]}'? " if near else ""
    listed = ", ".join(labels[:8]) + (", …" if len(labels) > 8 else "")
    return f"there is no audit '{which}' in '{path}'; {hint}it has {listed or 'none'}."


def change(before: Held, after: Held) -> AuditChange:
    """Compare two audits, figure by figure, and say what else differs."""
    first, second = ({key_of(line): line for line in held.glance} for held in (before, after))
    made = tuple(_change(first.get(key), second.get(key)) for key in {**first, **second})
    return AuditChange(before.audit, after.audit, made, unlike(before.audit, after.audit), __version__)


def _change(before: Glance | None, after: Glance | None) -> FigureChange:
    either = after or before
    assert either is not None
    return FigureChange(
        either.measure,
        either.stimuli,
        either.category,
        either.effect_name,
        before.effect if before else None,
        after.effect if after else None,
        _difference(before.effect if before else None, after.effect if after else None),
        before.evidence if before else None,
        after.evidence if after else None,
        _verdict(before, after),
    )


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
        was, now = (_setting(audit, name) for audit in (before, after))
        if was != now:
            told.append(f"{called}: {_said(was)}, then {_said(now)}")
    return tuple(told)


def _setting(audit: StoredAudit, name: str) -> object:
    if name in ("version", "profile", "seed"):
        return getattr(audit, name)
    return audit.settings.get(name, UNKNOWN)


def _said(value: object) -> str:
    return "none" if value in (None, "") else f"{value!s:.60}"
