"""One line of a store: an audit with its label and settings, as JSON, with a checksum of its bytes.

    {"aslant-store":1,"sha256":"…","record":{"label":…, "state":…, …, "result":{…}}}

The layout up to the record is fixed to the byte, so that the checksum can be held against the record without parsing
it: whatever a disk, an editor or a merge did to a line is noticed. It guards against damage, not against people.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec

from aslant.errors import AslantError
from aslant.io.reading import parse_json
from aslant.results.audit import AuditResult, Glance, Profile
from aslant.results.codec import unsteered_json
from aslant.results.stored import State, StoredAudit

#: What every line begins with; the number is that of the format.
BEGINS = b'{"aslant-store":1,"sha256":"'
_LAYOUT = re.compile(re.escape(BEGINS) + rb'([0-9a-f]{64})","record":(?=\{)')
_PREFIX_LENGTH = len(BEGINS) + 64 + len(b'","record":')
#: Digits of the checksum by which people name an audit.
ID_DIGITS = 10


class _Representation(msgspec.Struct):
    name: str
    fingerprint: str
    lookup: str = ""


class _Audit(msgspec.Struct):
    kind: str
    representation: _Representation
    profile: Profile
    seed: int
    glance: tuple[Glance, ...]
    version: str


class _Record(msgspec.Struct):
    """What of a record is looked at in a query; the rest of the audit is skipped over, unread."""

    label: str
    source: str
    state: State
    audited: str
    reason: str
    seconds: float | None
    key: str
    settings: dict[str, str | int | list[str] | None]
    result: _Audit | None


_decoder = msgspec.json.Decoder(_Record)


@dataclass(frozen=True)
class Held:
    """An audit as a line holds it: what it is, its figures, and where the line stands (its number, first byte, end)."""

    audit: StoredAudit
    glance: tuple[Glance, ...]
    place: tuple[int, int, int] = (0, 0, 0)


def as_line(audit: AuditResult) -> bytes:
    """Return an audit as JSON in one line."""
    return unsteered_json(audit.to_dict(), separators=(",", ":")).encode("utf-8")


def encode(record: Mapping[str, Any], result: bytes | None) -> bytes:
    """Return a line (without its end) for a record; `result` is the JSON of an audit, in one line."""
    content = unsteered_json(dict(record), separators=(",", ":")).encode("utf-8")
    body = content[:-1] + b',"result":' + (b"null" if result is None else result) + b"}"
    if b"\n" in body:
        raise ValueError("a record of a store is one line")
    return BEGINS + hashlib.sha256(body).hexdigest().encode() + b'","record":' + body + b"}"


def decode(line: bytes) -> Held:
    """Return what a line holds; whatever is wrong with it is a ValueError.

    >>> made = {"label": "a", "source": "a.txt", "state": "failed", "audited": "2026-01-02", "reason": "it is empty"}
    >>> line = encode(made | {"seconds": None, "key": "", "settings": {}}, None)
    >>> decode(line).audit.label, decode(line).audit.audited
    ('a', '2026-01-02T00:00:00+00:00')
    >>> decode(line.replace(b"empty", b"emptx"))
    Traceback (most recent call last):
    ValueError: it was changed or damaged after it was written
    """
    digest, body = _parts(line)
    try:
        record = _decoder.decode(body)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None
    except msgspec.DecodeError:  # half a pair of surrogates is JSON, but not to msgspec
        record = _slowly(body)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    return _held(digest, record)


def decode_audit(line: bytes) -> AuditResult:
    """Return the whole audit of a line, checked like any report."""
    return AuditResult.from_dict(parse_json(_parts(line)[1].decode("utf-8"))["result"])


def _parts(line: bytes) -> tuple[str, bytes]:
    """Return the checksum and the bytes of the record, which it fits."""
    met = _LAYOUT.match(line)
    if met is None or not line.endswith(b"}}"):
        raise ValueError("it is no line of a store" if met is None else "it is cut off")
    digest, body = met[1].decode(), line[_PREFIX_LENGTH:-1]
    if hashlib.sha256(body).hexdigest() != digest:
        raise ValueError("it was changed or damaged after it was written")
    return digest, body


def _slowly(body: bytes) -> _Record:
    try:
        return msgspec.convert(parse_json(body.decode("utf-8")), _Record)
    except (msgspec.ValidationError, UnicodeDecodeError) as error:
        raise ValueError(str(error)) from None


def _held(digest: str, record: _Record) -> Held:
    found, settings = record.result, dict(record.settings)
    if (found is None) != (record.state == "failed") or (found is not None and found.kind != "audit"):
        raise ValueError("its state and its result do not go together")
    if found is not None:
        settings["lookup"] = found.representation.lookup
    audit = StoredAudit(
        id=digest[:ID_DIGITS],
        label=record.label,
        source=record.source,
        state=record.state,
        audited=as_utc(record.audited).isoformat(timespec="seconds"),
        model=found.representation.name if found else "",
        fingerprint=found.representation.fingerprint if found else "",
        version=found.version if found else str(settings.get("version") or ""),
        profile=found.profile if found else str(settings.get("profile") or ""),
        seed=found.seed if found else None,
        figures=len(found.glance) if found else 0,
        reason=record.reason,
        seconds=record.seconds,
        key=record.key,
        settings=settings,
    )
    return Held(audit, found.glance if found else ())


def as_utc(text: str) -> datetime:
    """Return a date or time in ISO format, in UTC where it does not say; whatever is wrong with it is a ValueError.

    >>> as_utc("2026-03-01T12:00:00+02:00").isoformat()
    '2026-03-01T10:00:00+00:00'
    >>> as_utc("yesterday")
    Traceback (most recent call last):
    ValueError: 'yesterday' is no date such as 2026-03-31 or 2026-03-31T12:00
    """
    try:
        found = datetime.fromisoformat(text)
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(f"'{text:.40}' is no date such as 2026-03-31 or 2026-03-31T12:00") from None


def check_audit(result: AuditResult) -> None:
    """Refuse a report whose time cannot be put in order with others."""
    try:
        as_utc(result.created)
    except ValueError as error:
        raise AslantError(f"this report cannot be kept in a store: its time, {error}.") from None
