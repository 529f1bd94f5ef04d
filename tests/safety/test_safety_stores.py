"""Attacks by lists of models and stores of results that come from a stranger."""

from __future__ import annotations

import hashlib
import json
import pickle
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import aslant
from aslant.errors import AslantError
from attacks import ESCAPES, MARKUP, Runs, is_one_sentence


@pytest.fixture(scope="module")
def audit() -> aslant.AuditResult:
    return aslant.audit(only=["polarity"], profile="quick")


def test_a_list_of_models_cannot_have_pickles_opened(tmp_path: Path, run: Any) -> None:
    mark = tmp_path / "it-was-run"
    for name in ("v.kv", "v.bin", "v.npy"):
        (tmp_path / name).write_bytes(pickle.dumps(Runs(mark)))
    (tmp_path / "models.toml").write_text("[[model]]\nsource = 'v.kv'\nallow_pickle = true\n")
    refused = run("audit", "--models", "models.toml", "-q")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    (tmp_path / "models.txt").write_text("v.kv\nv.bin\nv.npy\n")
    answer = run("audit", "--models", "models.txt", "--quick", "--json", "run.json")
    assert answer.returncode == 3
    states = [audit["state"] for audit in json.loads((tmp_path / "run.json").read_text())["audits"]]
    assert states == ["failed"] * 3
    assert not mark.exists()


def test_labels_of_a_list_lead_to_no_other_folder(tmp_path: Path, run: Any) -> None:
    aslant.load(top=3_000).save(tmp_path / "v.txt")
    labels = ["../../up", "..", "-rf|*?", "/" + "a" * 190]
    (tmp_path / "models.txt").write_text("".join(f"{label} = v.txt\n" for label in labels))
    answer = run("audit", "--models", "models.txt", "--quick", "--only", "polarity", "--reports", "pages/inner", "-q")
    assert answer.returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "aslant-results.db", "aslant-results.db-claims", "models.txt", "pages", "v.txt"
    ]  # fmt: skip
    pages = [path.name for path in (tmp_path / "pages").rglob("*") if path.is_file()]
    assert len(pages) == len(labels)
    assert all(page[0] not in ".-" and len(page) < 120 for page in pages)


def sealed(record: bytes) -> bytes:
    """Return a line with a checksum that fits: an attacker can compute it too."""
    return (
        b'{"aslant-store":1,"sha256":"' + hashlib.sha256(record).hexdigest().encode() + b'","record":' + record + b"}\n"
    )


RECORD = {"label": "x", "source": "", "state": "failed", "audited": "2026-01-01", "reason": "", "seconds": 1.0}
RECORD |= {"key": "", "settings": {}, "result": None}


def record(**changed: Any) -> bytes:
    return json.dumps(RECORD | changed).encode()


HOSTILE_RECORDS = {
    "nested": b'{"label":' + b"[" * 200_000,
    "nested where nobody looks": b'{"more":' + b"[" * 100_000 + b"]" * 100_000 + b"," + record()[1:],
    "no numbers": record().replace(b"1.0", b"NaN"),
    "infinite": record().replace(b"1.0", b"1e999"),
    "thousands of digits": record().replace(b"1.0", b"9" * 5000),
    "no time": record(audited="yesterday"),
    "a time before all": record(audited="0001-01-01T00:00:00+23:59"),
    "another state": record(state="perfect"),
    "an audit that is none": record(state="complete", result={"kind": "audit"}),
    "another kind": record(state="complete", result={"kind": "weat"}),
    "bytes that are not text": record().replace(b'"x"', b'"\xff"'),
    "half a pair and no result": record(state="complete", label="\ud800"),
    "nothing": b"{}",
}


@pytest.mark.parametrize("content", HOSTILE_RECORDS.values(), ids=HOSTILE_RECORDS)
def test_a_hostile_line_costs_that_line(tmp_path: Path, audit: aslant.AuditResult, content: bytes) -> None:
    store, lines = aslant.ResultsStore(tmp_path / "r.db"), tmp_path / "lines"
    store.append(audit, "first")
    lines.write_bytes(sealed(content) + next(store.lines()).replace(b"first", b"other"))
    with pytest.warns(UserWarning, match="line [12] of .* is skipped: ") as told:
        assert store.add_lines(lines) == []
    assert len(told) == 2
    assert max(len(str(each.message)) for each in told) < 1200
    assert [stored.label for stored in store.audits().audits] == ["first"]


def test_a_store_of_hostile_names_steers_nothing(tmp_path: Path, run: Any, audit: aslant.AuditResult) -> None:
    store = aslant.ResultsStore(tmp_path / "r.db")
    names = (*ESCAPES.values(), *MARKUP)
    for name in names:
        line = replace(audit.glance[0], stimuli=name, category=name, measure=name)
        store.append(replace(audit, glance=(line,), representation=replace(audit.representation, name=name)), name)
        store.append(replace(audit, glance=(line,), failed={name: name}), name)
    assert not any(c in b"".join(store.lines()).decode() for c in "\x1b\x9b\x9d\x07\r\u202e")
    for asked in (["list"], ["figures"], ["history"], ["compare", names[0]], ["show", names[0]]):
        answer = run("results", asked[0], "r.db", *asked[1:])
        assert answer.returncode == 0
        assert not any(c in answer.stdout + answer.stderr for c in "\x1b\x9b\x9d\x07\r\u202e")
    cells = run("results", "figures", "r.db", "--csv", "-").stdout
    assert not any(cell.startswith(("=", "+", "@")) for cell in cells.replace("\r\n", ",").split(","))
    kept = json.loads(run("results", "list", "r.db", "--json", "-").stdout)["audits"]
    assert {stored["label"] for stored in kept} == {name.replace("\ud800", "\\ud800") for name in names}
    is_one_sentence(run("results", "show", "r.db", "\x1b[2J").stderr.rstrip("\n"))


def test_a_database_of_a_stranger_is_refused_and_left_as_it_is(tmp_path: Path, audit: aslant.AuditResult) -> None:
    path = tmp_path / "r.db"
    aslant.ResultsStore(path).append(audit, "first")
    connection = sqlite3.connect(path)
    connection.execute("CREATE TRIGGER t AFTER INSERT ON audits BEGIN DELETE FROM audits; END")
    connection.close()
    before = path.read_bytes()
    for ask in (lambda store: store.append(audit), lambda store: store.audits()):
        with pytest.raises(AslantError, match="is not a store of results"):
            ask(aslant.ResultsStore(path))
    assert path.read_bytes() == before
