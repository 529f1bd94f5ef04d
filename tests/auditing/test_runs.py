"""Runs are recorded and joined; older stores are read and brought along; lines of JSON carry runs, too."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import aslant
from aslant.auditing import fleet, policy, runs
from aslant.auditing.store_schema import OLDER
from aslant.errors import AslantError
from aslant.io.keeper import database

QUICK: dict[str, Any] = {"profile": "quick", "only": ["polarity"]}
#: A policy that lets nearly everything pass, and a rule beside it.
LENIENT = 'min_found = 0.0\nmay_not_run = ["*"]\n[[rule]]\nname = "any"\nmeasure = "polarity"\nmax = 9\n'
DIFFERENCE = '[[rule]]\nname = "the same"\nmeasure = "{}"\nfield = "difference"\nmax = 9\n'


@pytest.fixture(scope="module")
def audit() -> aslant.AuditResult:
    return aslant.audit(only=["weat"], profile="quick")


@pytest.fixture
def models(tmp_path: Path) -> dict[str, Path]:
    v = aslant.load(top=4_000)
    for name in ("one", "two"):
        v.save(tmp_path / f"{name}.safetensors")
    return {name: tmp_path / f"{name}.safetensors" for name in ("one", "two")}


def test_a_run_that_was_cut_short_is_joined_and_a_finished_one_is_not(
    models: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = aslant.ResultsStore(tmp_path / "r.db")

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        aslant.audit_list(models, store, on_end=stop, **QUICK)
    done = aslant.audit_list(models, store, **QUICK)
    assert [run.id for run in store.runs().runs] == [done.run]
    assert [outcome.state for outcome in done.outcomes] == ["audited", "audited"]
    assert aslant.audit_list(models, store, **QUICK).run != done.run
    with pytest.raises(KeyboardInterrupt):
        aslant.audit_list(models, store, on_end=stop, **{**QUICK, "seed": 1})
    before = store.runs().runs[-1].id
    monkeypatch.setattr(runs, "JOINED_WITHIN", timedelta(0))  # as if nothing had been heard of it for a day
    assert aslant.audit_list(models, store, **{**QUICK, "seed": 1}).run != before
    assert store.runs().rows()[2]["unfinished"] == 1


def test_a_name_is_of_one_list_and_its_settings(models: dict[str, Path], tmp_path: Path) -> None:
    for _ in range(2):
        assert aslant.audit_list(models, tmp_path / "r.db", run="march", **QUICK).run == "march"
    assert len(aslant.ResultsStore(tmp_path / "r.db").runs().runs) == 1
    with pytest.raises(AslantError, match=r"the run 'march' of .* was begun with another list, other settings"):
        aslant.audit_list(models, tmp_path / "r.db", run="march", **{**QUICK, "seed": 1})
    with pytest.raises(AslantError, match="cannot name a run"):
        aslant.audit_list(models, tmp_path / "r.db", run="\n", **QUICK)


def test_all_missing_files_are_named_and_the_rest_is_audited_on_request(
    models: dict[str, Path], tmp_path: Path, run: Any
) -> None:
    asked = {**models, "three": tmp_path / "3.bin", "four": tmp_path / "4.bin"}
    with pytest.raises(AslantError, match="2 models of the list have no file: 'three', 'four'"):
        aslant.audit_list(asked, tmp_path / "r.db", **QUICK)
    assert not (tmp_path / "r.db").exists()
    done = aslant.audit_list(asked, tmp_path / "r.db", skip_missing=True, **QUICK)
    assert [outcome.label for outcome in done.missing] == ["three", "four"]
    (tmp_path / "models.txt").write_text("one.safetensors\nx.bin\ny.bin\n")
    refused = run("audit", "--models", "models.txt", "--quick", "--only", "polarity")
    assert (refused.returncode, refused.stderr.count("there is no file")) == (2, 2)
    skipped = run("audit", "--models", "models.txt", "--quick", "--only", "polarity", "--skip-missing", "-q")
    assert skipped.returncode == 1


def test_what_models_have_in_common_is_told_once(models: dict[str, Path], tmp_path: Path) -> None:
    aslant.audit_list(models, store := aslant.ResultsStore(tmp_path / "r.db"), **QUICK)
    assert str(fleet.worse(store)).count("it has no earlier run") == 1
    assert "not compared: one, two: it has no earlier run" in str(fleet.worse(store))


def old_store(path: Path, audit: aslant.AuditResult) -> aslant.ResultsStore:
    """A store as version 0.2.0 wrote it: two audits, the second of them twice, by processes side by side."""
    made = aslant.ResultsStore(path.with_name("new.db"))
    for month, effect in ((1, 1.0), (2, 1.5), (2, 1.5)):
        found = replace(audit, created=f"2026-0{month}-01T00:00:00+00:00", seed=month)
        found = replace(found, glance=(replace(found.glance[0], effect=effect, interval=None), *found.glance[1:]))
        made.append(found, "ours", source=str(len(made.audits().audits)) if made.path.exists() else "")
    with sqlite3.connect(made.path) as connection:
        rows = connection.execute("SELECT * FROM audits").fetchall()
    connection.close()
    with database(path, OLDER[0], write=True) as written:
        written.executemany(f"INSERT INTO audits VALUES ({', '.join('?' * len(rows[0]))})", rows)
    return aslant.ResultsStore(path)


def test_an_older_store_is_read_as_it_is_and_gets_runs_when_it_is_written_to(
    tmp_path: Path, audit: aslant.AuditResult, run: Any
) -> None:
    store = old_store(tmp_path / "old.db", audit)
    before = store.path.read_bytes()
    store.path.chmod(0o444)
    assert len(store.audits().audits) == 3
    assert store.compare("ours").figures[0].difference == pytest.approx(0.0)
    assert store.compare("ours~2", "ours").figures[0].difference == pytest.approx(0.5)
    assert run("results", "worse", "old.db", "-q").returncode == 0
    assert store.path.read_bytes() == before
    store.path.chmod(0o644)
    aslant.audit_list({"sample": "sample"}, store, **QUICK)
    assert len(store.audits().audits) == 4
    with sqlite3.connect(store.path) as connection:
        shown = connection.execute("SELECT run, state FROM timeline ORDER BY started").fetchall()
        figures = connection.execute("SELECT chance_sd FROM figures WHERE label = 'ours'").fetchall()
    connection.close()
    assert len(shown) == 4
    assert all(sd[0] > 0 for sd in figures)


def test_chance_of_version_1_is_found_with_the_result(tmp_path: Path, audit: aslant.AuditResult) -> None:
    store = aslant.ResultsStore(tmp_path / "r.db")
    store.append(audit, "ours")
    [held] = store.held()[0]
    with sqlite3.connect(store.path) as connection:
        [[glance]] = connection.execute("SELECT glance FROM audits")
        fewer = [{k: v for k, v in line.items() if k not in ("chance", "interval")} for line in json.loads(glance)]
        connection.execute("UPDATE audits SET glance = ?", [json.dumps(fewer)])
        sds = [row[0] for row in connection.execute("SELECT chance_sd FROM figures")]
    connection.close()
    assert sds == [line.chance.sd if line.chance else None for line in held.glance]


def test_twins_are_one_run(tmp_path: Path, audit: aslant.AuditResult) -> None:
    store = aslant.ResultsStore(tmp_path / "r.db")
    for number, key in enumerate(("a", "b", "b")):
        values = {"label": "ours", "source": str(number), "state": "complete", "reason": "", "seconds": 1.0, "key": key}
        made = replace(audit, seed=ord(key))
        line = aslant.auditing.store.as_line(made)
        store.append_record({**values, "audited": f"2026-0{number + 1}-01T00:00:00+00:00", "settings": {}}, line)
    assert [visit.started[:7] for visit in store.visits()] == ["2026-01", "2026-03"]
    assert store.compare("ours").before.source == "0"
    assert not store.compare("ours").unchanged


def test_runs_go_out_as_lines_and_come_back(models: dict[str, Path], tmp_path: Path, run: Any) -> None:
    store, other = aslant.ResultsStore(tmp_path / "r.db"), aslant.ResultsStore(tmp_path / "s.db")
    for name in ("january", "february"):
        aslant.audit_list(models, store, run=name, **QUICK)
    (tmp_path / "lines").write_bytes(b"".join(store.lines()))
    for _ in range(2):
        other.add_lines(tmp_path / "lines")
    assert other.visits() == store.visits()
    assert fleet.worse(other).unchanged == ("one", "two")
    flat = run("results", "export", "r.db", "-", "--figures").stdout.splitlines()
    rows = [json.loads(line) for line in flat]
    assert {(row["run"], row["label"], row["state"]) for row in rows} == {
        ("january", "one", "audited"), ("january", "two", "audited"),
        ("february", "one", "unchanged"), ("february", "two", "unchanged"),
    }  # fmt: skip
    assert {"low", "high", "chance_mean", "chance_sd", "standardised"} <= rows[0].keys()


def test_a_row_about_a_run_that_was_changed_is_skipped_with_a_note(models: dict[str, Path], tmp_path: Path) -> None:
    store = aslant.ResultsStore(tmp_path / "r.db")
    aslant.audit_list(models, store, **QUICK)
    with sqlite3.connect(store.path) as connection:
        connection.execute("UPDATE outcomes SET state = 'missing' WHERE label = 'one'")
    connection.close()
    assert store.runs().notes == ("skipped, because it was changed or damaged: 1 row about runs",)


def cut_short(models: dict[str, Path], store: aslant.ResultsStore, name: str) -> None:
    """Begin a run, and stop it after its first model."""

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        aslant.audit_list(models, store, on_end=stop, run=name, **QUICK)


def test_a_model_that_the_newest_run_has_not_come_to_fails_and_is_not_compared_as_it_was(
    models: dict[str, Path], tmp_path: Path
) -> None:
    store, lenient = aslant.ResultsStore(tmp_path / "r.db"), policy.parse_policy(LENIENT, "lenient")
    aslant.audit_list(models, store, run="march", **QUICK)
    assert aslant.check_store(store, lenient).passed
    cut_short(models, store, "april")
    aslant.audit_list({"three": str(models["one"])}, store, run="another list", **QUICK)
    [line] = aslant.check_store(store, lenient).failures
    assert (line.model, line.verdict) == ("two", "missing")
    assert fleet.worse(store).unchanged == ("one",)
    assert "april" in fleet.worse(store).skipped["two"]
    assert [(line.label, line.run, line.state) for line in fleet.not_measured(store).models] == [
        ("two", "april", "unfinished")
    ]
    assert not fleet.not_measured(store, run="march").models
    store.append(replace(aslant.audit(models["two"], **QUICK), created="2100-01-01T00:00:00+00:00"), label="two")
    assert not fleet.not_measured(store).models, "it was audited by itself since"
    assert aslant.check_store(store, lenient).passed
    assert fleet.not_measured(store, run="april").models[0].state == "unfinished"


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"model": "tow"}, "has no model 'tow'; it has one, two."),
        ({"run": "may"}, "there is no run 'may'"),
        ({"run": "april", "model": "two"}, "run april of"),
    ],
)
def test_what_was_never_there_is_not_fine(
    models: dict[str, Path], tmp_path: Path, asked: dict[str, Any], words: str
) -> None:
    store = aslant.ResultsStore(tmp_path / "r.db")
    aslant.audit_list(models, store, run="march", **QUICK)
    aslant.audit_list({"one": models["one"]}, store, run="april", **QUICK)
    for question in (fleet.worse, fleet.not_measured, fleet.check_store):
        with pytest.raises(AslantError, match=words):
            question(store, **asked)
    (tmp_path / "empty.db").touch()
    with pytest.raises(AslantError, match="has no audits"):
        fleet.worse(aslant.ResultsStore(tmp_path / "empty.db"))


def test_a_run_is_not_compared_with_itself(models: dict[str, Path], tmp_path: Path) -> None:
    store = aslant.ResultsStore(tmp_path / "r.db")
    for name in ("march", "april"):
        aslant.audit_list(models, store, run=name, **QUICK)
    with pytest.raises(AslantError, match="'april' is the one that is looked at"):
        fleet.worse(store, against="april")
    assert fleet.worse(store, against="march").unchanged == ("one", "two")


def test_what_was_measured_before_and_is_not_now_is_told_and_breaks_a_rule_on_differences(
    models: dict[str, Path], tmp_path: Path
) -> None:
    store = aslant.ResultsStore(tmp_path / "r.db")
    aslant.audit_list(models, store, profile="quick", only=["polarity", "geometry"])
    aslant.audit_list(models, store, profile="quick", only=["polarity"])
    assert "figures of geometry in the run before, not now: one, two" in fleet.worse(store).notes
    for measure, why in (("geometry", "the run before has it"), ("weat", "no figure of the two runs matches")):
        rules = policy.parse_policy(LENIENT + DIFFERENCE.format(measure), "rules")
        failures = aslant.check_store(store, rules).failures
        assert {(line.model, line.verdict) for line in failures} == {("one", "missing"), ("two", "missing")}
        assert all(why in line.reason for line in failures)


def test_a_figure_that_grew_within_the_limit_and_gained_evidence_is_named(
    audit: aslant.AuditResult, tmp_path: Path
) -> None:
    store = aslant.ResultsStore(tmp_path / "r.db")
    line = next(line for line in audit.glance if line.evidence == "none" and line.chance)
    store.append(audit, "ours")
    grown = replace(line, effect=line.effect + 0.3 * line.chance.sd, evidence="some")
    glance = tuple(grown if each == line else each for each in audit.glance)
    model = replace(audit.representation, fingerprint="another")
    store.append(replace(audit, glance=glance, representation=model, created="2099-01-01T00:00:00+00:00"), "ours")
    found = fleet.worse(store)
    assert not found.worse
    assert f"has evidence now that it lacked: ours: {line.measure}, {line.stimuli}" in " ".join(found.notes)
    assert "nothing got worse (limit: growth by 0.5 sd of chance)" in str(found)
    assert [each.change.stimuli for each in fleet.worse(store, limit=0.2).lines] == [line.stimuli]
    assert not any("lacked" in note for note in fleet.worse(store, limit=0.2).notes)


def test_stores_with_runs_of_the_same_name_can_be_put_together(models: dict[str, Path], tmp_path: Path) -> None:
    both = aslant.ResultsStore(tmp_path / "both.db")
    for name, path in models.items():
        store = aslant.ResultsStore(tmp_path / f"{name}.db")
        aslant.audit_list({name: path}, store, run="march", **QUICK)
        (tmp_path / f"{name}.jsonl").write_bytes(b"".join(store.lines()))
    both.add_lines(tmp_path / "one.jsonl")
    for _ in range(2):  # each row once
        with pytest.warns(UserWarning, match=r"has another run 'march'; that of .* is 'march-"):
            both.add_lines(tmp_path / "two.jsonl")
    first, second = both.runs().runs
    assert (first.id, second.id[:6]) == ("march", "march-")
    assert [(o.run, o.label, o.state) for o in both.runs().outcomes] == [
        ("march", "one", "audited"), (second.id, "two", "audited")
    ]  # fmt: skip
    assert {visit.run for visit in both.visits()} == {"march", second.id}


def test_a_store_that_others_hold_is_not_bad_input(
    models: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Any
) -> None:
    aslant.audit_list(models, tmp_path / "r.db", **QUICK)
    monkeypatch.setattr("aslant.io.keeper.PATIENCE", 0)
    with closing(sqlite3.connect(tmp_path / "r.db", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        answer = run("results", "worse", "r.db")
    assert (answer.returncode, answer.stderr) == (3, "aslant: cannot read 'r.db': database is locked.\n")
