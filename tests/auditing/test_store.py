"""A store keeps what it was given through damage and several writers, and answers from what is whole."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import aslant
from aslant.errors import AslantError
from aslant.results.audit import Glance

JANUARY, FEBRUARY, MARCH = (f"2026-0{month}-10T12:00:00+00:00" for month in (1, 2, 3))


@pytest.fixture(scope="module")
def audit() -> aslant.AuditResult:
    return replace(aslant.audit(only=["polarity"], profile="quick"), created=JANUARY)


@pytest.fixture
def store(tmp_path: Path, audit: aslant.AuditResult) -> aslant.ResultsStore:
    """'ours' in January and March, 'theirs' in February."""
    made = aslant.ResultsStore(tmp_path / "results.db")
    made.append(audit, "ours")
    made.append(replace(audit, created=FEBRUARY, seed=1), "theirs")
    made.append(changed(audit, created=MARCH), "ours")
    return made


def changed(audit: aslant.AuditResult, **more: Any) -> aslant.AuditResult:
    """The audit of a later version of the model: the first figure is larger and tested, the last one is gone."""
    first = replace(audit.glance[0], effect=0.5, pvalue=0.001, evidence="strong")
    model = replace(audit.representation, fingerprint="f" * 12)
    return replace(audit, glance=(first, *audit.glance[1:-1]), representation=model, **more)


def labels(store: aslant.ResultsStore, **asked: Any) -> list[str]:
    return [audit.label for audit in store.audits(**asked).audits]


def test_an_audit_comes_back_as_it_was(store: aslant.ResultsStore, audit: aslant.AuditResult) -> None:
    assert store.audit("ours~1") == audit
    assert store.audit("ours") == changed(audit, created=MARCH)
    assert [a.state for a in store.audits().audits] == ["complete"] * 3


def test_every_figure_is_a_row_that_any_program_reads(store: aslant.ResultsStore, audit: aslant.AuditResult) -> None:
    with closing(sqlite3.connect(store.path)) as connection:
        found = connection.execute("SELECT label, stimuli, effect FROM figures WHERE audited < '2026-02'").fetchall()
        [[result]] = connection.execute("SELECT result FROM audits WHERE label = 'theirs'")
    assert found == [("ours", line.stimuli, line.effect) for line in audit.glance]
    assert json.loads(result) == json.loads(replace(audit, created=FEBRUARY, seed=1).to_json())
    connection.close()


def test_audits_go_out_as_lines_of_json_and_come_back_the_same(
    store: aslant.ResultsStore, audit: aslant.AuditResult, tmp_path: Path
) -> None:
    lines = list(store.lines())
    assert json.loads(lines[0])["record"]["result"] == json.loads(audit.to_json())
    (tmp_path / "out.jsonl").write_bytes(lines[2] + b"".join(lines))  # one of them twice
    other = aslant.ResultsStore(tmp_path / "other.db")
    assert len(other.add_lines(tmp_path / "out.jsonl")) == 4
    assert other.audits() == store.audits()
    (tmp_path / "bad.jsonl").write_bytes(lines[0].replace(b"quick", b"quack"))
    with pytest.warns(UserWarning, match="line 1 of .* is skipped: it was changed or damaged"):
        assert other.add_lines(tmp_path / "bad.jsonl") == []


def test_words_that_steer_or_are_no_text_are_kept(tmp_path: Path, audit: aslant.AuditResult) -> None:
    name = "a\ud800\x9b2J\u2028\n\x1b"
    odd = replace(audit, representation=replace(audit.representation, name=name), seed=10**30)
    store = aslant.ResultsStore(tmp_path / "r.db")
    stored = store.append(odd)
    assert stored.label == store.audits().audits[0].label == name.replace("\ud800", "\\ud800")
    assert stored.seed == 10**30
    assert store.audit(stored.id) == odd


@pytest.mark.parametrize("column", ["label", "audited", "settings", "glance", "result_digest", "state", "seconds"])
def test_a_row_that_was_changed_is_skipped_and_no_other(store: aslant.ResultsStore, column: str) -> None:
    connection = sqlite3.connect(store.path)
    connection.execute(f"UPDATE audits SET {column} = 'x' WHERE rowid = 3")
    connection.commit()
    connection.close()
    assert labels(store) == ["ours", "theirs"]
    assert store.audits().notes == ("audit 3 is skipped: it was changed or damaged after it was written",)
    with pytest.warns(UserWarning, match="audit 3 is skipped"):
        assert store.find("ours").audited == JANUARY


def test_a_result_that_was_changed_is_refused(store: aslant.ResultsStore) -> None:
    connection = sqlite3.connect(store.path)
    connection.execute("UPDATE audits SET result = replace(result, '0.1', '0.2')")
    connection.commit()
    connection.close()
    assert labels(store) == ["ours", "theirs", "ours"]
    with pytest.raises(AslantError, match="was changed or damaged after it was written"):
        store.audit("theirs")


def test_a_damaged_file_is_one_sentence(store: aslant.ResultsStore, audit: aslant.AuditResult) -> None:
    whole = store.path.read_bytes()
    store.path.write_bytes(whole[:5000] + b"\xff" * 8000 + whole[13000:])
    for ask in (lambda: store.audits(), lambda: store.audit("ours"), lambda: store.append(audit)):
        with pytest.raises(AslantError, match="is not a store of results, or is damaged"):
            ask()


def test_a_store_of_lines_says_how_to_bring_it_along(store: aslant.ResultsStore, tmp_path: Path) -> None:
    old = tmp_path / "aslant-results.jsonl"
    old.write_bytes(b"".join(store.lines()))
    with pytest.raises(AslantError, match=r"holds JSON lines; put them into a store with 'aslant results add"):
        aslant.ResultsStore(old).audits()


@pytest.mark.parametrize("content", [b"my thesis\n", b'{"a": 1}\n', b"\0" * 100, b"SQLite format 3\0" + b"x" * 99])
def test_a_file_that_is_no_store_is_refused_and_left_as_it_is(
    tmp_path: Path, audit: aslant.AuditResult, content: bytes
) -> None:
    path = tmp_path / "thesis.txt"
    path.write_bytes(content)
    for ask in (lambda s: s.append(audit), lambda s: s.audits(), lambda s: s.check_writable()):
        with pytest.raises(AslantError, match="is not a store of results"):
            ask(aslant.ResultsStore(path))
    assert path.read_bytes() == content


APPEND = """
import sys, time
from pathlib import Path
from aslant.auditing.store import ResultsStore
store, name = ResultsStore("results.db"), sys.argv[1]
record = {"source": "x" * 20_000, "state": "failed", "audited": "2026-01-01", "reason": "", "seconds": None}
Path(f"{name}.ready").touch()
while not Path("go").exists():
    time.sleep(0.001)
for number in range(25):
    store.append_record(record | {"label": f"{name}{number}", "key": "", "settings": {}}, None)
"""


def test_processes_that_write_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", APPEND, name], cwd=tmp_path) for name in "ab"]
    while not all((tmp_path / f"{name}.ready").exists() for name in "ab"):
        assert all(writer.poll() is None for writer in writers)
        time.sleep(0.01)
    (tmp_path / "go").touch()
    assert [writer.wait() for writer in writers] == [0, 0]
    found = aslant.ResultsStore(tmp_path / "results.db").audits()
    assert sorted(audit.label for audit in found.audits) == sorted(f"{name}{n}" for name in "ab" for n in range(25))
    assert found.notes == ()


def test_audits_are_asked_for_by_label_time_and_newest(store: aslant.ResultsStore) -> None:
    assert labels(store, model="our*") == ["ours", "ours"]
    assert labels(store, model="sample") == ["ours", "theirs", "ours"]  # the model's own name
    assert labels(store, since="2026-02-10") == ["theirs", "ours"]
    assert labels(store, until="2026-02-10") == ["ours", "theirs"]
    assert labels(store, since="2026-02-10T12:00:01", until="2026-03-10T14:00+02:00") == ["ours"]
    assert labels(store, latest=True) == ["theirs", "ours"]
    with pytest.raises(AslantError, match=r"since: 'May' is not a date such as 2026-03-31"):
        store.audits(since="May")


def test_figures_are_asked_for_by_what_they_are_about(store: aslant.ResultsStore) -> None:
    found = store.figures(measure="polarity", stimuli="race*", category="race", model="theirs")
    assert [figure.line.stimuli for figure in found.figures] == ["race-four, one-vs-one", "race-four, one-vs-rest"]
    assert {figure.audit.seed for figure in found.figures} == {1}
    nothing = store.figures("weat")
    assert nothing.figures == ()
    assert nothing.notes == ("nothing matches; the store has polarity, of ours, theirs",)


def test_a_comparison_tells_every_change_and_what_else_differs(
    store: aslant.ResultsStore, audit: aslant.AuditResult
) -> None:
    change = store.compare("ours")
    first, *middle, last = change.figures
    assert audit.glance[0].effect is not None
    assert (first.before, first.after) == (audit.glance[0].effect, 0.5)
    assert first.difference == 0.5 - audit.glance[0].effect
    assert (first.evidence_before, first.evidence_after, first.change) == ("none", "strong", "more evidence")
    assert {(line.difference, line.change) for line in middle} == {(0.0, "same")}
    assert (last.after, last.difference, last.change) == (None, None, "only before")
    assert change.unlike == ()
    assert "where the figure does not" not in str(change)  # what has more evidence has another figure too
    assert store.compare("theirs", "ours").unlike == ("the seed: 1, then 0",)
    assert {line.change for line in store.compare("ours", "ours~1").figures[3:]} == {"only after"}


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [("none", "strong", "more evidence"), ("strong", "some", "less evidence"), ("some", "some", "same")],
)
def test_evidence_has_an_order(tmp_path: Path, audit: aslant.AuditResult, before: Any, after: Any, told: str) -> None:
    store = aslant.ResultsStore(tmp_path / "r.db")
    line: Glance = audit.glance[0]
    for evidence, created in ((before, JANUARY), (after, FEBRUARY)):
        store.append(replace(audit, glance=(replace(line, evidence=evidence),), created=created), "m")
    assert store.compare("m").figures[0].change == told
    said = " ".join(str(store.compare("m")).split())
    assert ("evidence can change where the figure does not" in said) == (told != "same")


def test_a_history_goes_figure_by_figure_with_differences(store: aslant.ResultsStore) -> None:
    points = store.history(stimuli="gender-binary*").points
    assert [p.figure.audit.label for p in points] == ["ours", "ours", "theirs"]
    effects = [p.figure.line.effect for p in points]
    assert effects[1] == 0.5
    assert points[0].difference is None
    assert points[1].difference == 0.5 - effects[0]
    assert points[2].difference is None


def test_a_history_names_settings_that_changed(tmp_path: Path, audit: aslant.AuditResult) -> None:
    store = aslant.ResultsStore(tmp_path / "r.db")
    store.append(audit, "m")
    store.append(replace(audit, created=MARCH, seed=7, version="9.9", profile="full"), "m")
    told = store.history(stimuli="gender-binary*").points[1].unlike
    assert told == (f"the version of aslant: {audit.version}, then 9.9", "the profile: quick, then full",
                    "the seed: 0, then 7")  # fmt: skip


@pytest.mark.parametrize(
    ("which", "words"),
    [
        ("our", "there is no audit 'our' in '.*'; did you mean 'ours'. it has ours, theirs"),
        ("ours~2", "has 2 runs of 'ours', so that there is no 'ours~2'"),
        ("theirs~1", "has one run of 'theirs'"),
        ("", "there is no audit ''"),
        ("0" * 64, "there is no audit"),
    ],
)
def test_an_audit_that_is_not_there_is_one_sentence(store: aslant.ResultsStore, which: str, words: str) -> None:
    with pytest.raises(AslantError, match=words):
        store.audit(which)


def test_an_audit_is_found_by_its_id(store: aslant.ResultsStore, audit: aslant.AuditResult) -> None:
    first = store.audits().audits[0]
    assert store.find(first.id[:6]) == first
    assert store.audit(first.id) == audit


def test_a_store_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(AslantError, match=r"there is no store '.*'; 'aslant audit --models LIST"):
        aslant.ResultsStore(tmp_path / "none.db").audits()


def test_a_report_without_a_time_is_refused(store: aslant.ResultsStore, audit: aslant.AuditResult) -> None:
    with pytest.raises(AslantError, match="'some day' is not a date"):
        store.append(replace(audit, created="some day"))


def test_a_record_whose_parts_do_not_go_together_is_refused(store: aslant.ResultsStore) -> None:
    record = {"label": "a", "source": "", "state": "complete", "audited": JANUARY, "reason": "", "seconds": None}
    with pytest.raises(AslantError, match="does not fit its result"):
        store.append_record(record | {"key": "", "settings": {}}, None)
