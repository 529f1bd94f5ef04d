"""`aslant audit --models`, `aslant results`: tables for people, JSON and CSV for programs, a sentence for bad input."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import aslant

JANUARY, MARCH = (f"2026-0{month}-10T12:00:00+00:00" for month in (1, 3))


@pytest.fixture(scope="module")
def audit() -> aslant.AuditResult:
    return replace(aslant.audit(only=["polarity"], profile="quick"), created=JANUARY)


@pytest.fixture
def store(tmp_path: Path, audit: aslant.AuditResult) -> str:
    """'ours' in January and March, when its first figure is 0.5."""
    made = aslant.ResultsStore(tmp_path / "results.db")
    made.append(audit, "ours")
    first = replace(audit.glance[0], effect=0.5)
    made.append(replace(audit, created=MARCH, seed=4, glance=(first, *audit.glance[1:])), "ours")
    return "results.db"


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_a_list_is_audited_into_a_store_and_its_table_is_a_summary(run: Any, tmp_path: Path) -> None:
    aslant.load(top=4_000).save(tmp_path / "few.txt")
    (tmp_path / "bad.bin").write_bytes(b"\1\2\3" * 99)
    (tmp_path / "models.txt").write_text("few.txt\nbroken = bad.bin\nall = sample\n")
    command = ("audit", "--models", "models.txt", "--quick", "--only", "polarity")
    answer = run(*command, "--reports", "pages", "--json", "run.json")
    assert answer.returncode == 3
    assert "3 audits" in answer.stdout
    assert "stored: aslant-results.db" in answer.stdout
    assert "aslant: not complete: broken." in answer.stderr
    assert "2 of 3: broken: failed" in answer.stderr
    found = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    assert [(a["label"], a["state"]) for a in found["audits"]] == [
        ("few.txt", "complete"), ("broken", "failed"), ("all", "complete"),
    ]  # fmt: skip
    ids = [a["id"] for a in found["audits"]]
    assert sorted(page.name for page in (tmp_path / "pages").iterdir()) == [
        f"all-{ids[2]}.html",
        f"few.txt-{ids[0]}.html",
    ]
    again = run(*command, "--quiet")
    assert (again.returncode, again.stdout) == (3, "")
    (tmp_path / "models.txt").write_text("few.txt\nall = sample\n")
    done = run(*command)
    assert done.returncode == 0
    assert "1 of 2: few.txt: not run again, because the store has it" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--models", "nowhere.txt"], "cannot open 'nowhere.txt'"),
        (["--models", "models.txt"], "there is no file 'missing.txt'"),
        (["--models", "good.txt", "sample"], "leave out a model"),
        (["--models", "good.txt", "-o", "x"], "leave out --output"),
        (["--models", "good.txt", "--resume", "x"], "leave out --resume"),
        (["--models", "good.txt", "--run-folder", "x"], "leave out --run-folder"),
        (["--models", "good.txt", "--figures", "x"], "leave out --figures"),
        (["--models", "good.txt", "--store", "good.txt"], "is not a store of results"),
        (["--models", "good.txt", "--store", "no/such/r.db"], "there is no folder 'no/such'"),
        (["--models", "good.txt", "--reports", "good.txt"], "cannot use 'good.txt' for reports"),
        (["--models", "good.txt", "--json", "good.txt"], "would be overwritten"),
        (["--models", "good.txt", "--only", "wheat"], "did you mean weat"),
        (["--models", "good.txt", "--quick", "--full"], "--quick and --full"),
        (["--store", "r.db"], "--store is for a list of models"),
        (["--again"], "--again is for a list of models"),
    ],
)
def test_bad_input_is_refused_before_any_work(run: Any, tmp_path: Path, arguments: list[str], words: str) -> None:
    (tmp_path / "models.txt").write_text("missing.txt\n")
    (tmp_path / "good.txt").write_text("sample\n")
    answer = run("audit", *arguments)
    assert answer.returncode == 2
    assert words in answer.stderr
    assert len(answer.stderr.splitlines()) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["good.txt", "models.txt"]


def test_audits_are_listed_as_a_table_json_and_csv(run: Any, store: str) -> None:
    shown = run("results", "list", store)
    assert shown.returncode == 0
    assert "2026-01-10 12:00" in shown.stdout
    listed = json.loads(run("results", "list", store, "--json", "-").stdout)
    assert [a["audited"] for a in listed["audits"]] == [JANUARY, MARCH]
    [newest] = rows(run("results", "list", store, "--latest", "--csv", "-").stdout)
    assert (newest["label"], newest["seed"], newest["state"]) == ("ours", "4", "complete")


def test_figures_are_asked_for(run: Any, store: str, audit: aslant.AuditResult) -> None:
    asked = ("results", "figures", store, "--stimuli", "gender-binary*", "--model", "ours")
    found = rows(run(*asked, "--csv", "-").stdout)
    assert [float(row["effect"]) for row in found] == [audit.glance[0].effect, 0.5]
    [late] = json.loads(run(*asked, "--since", "2026-02-01", "--json", "-").stdout)["figures"]
    assert late["line"]["effect"] == 0.5
    assert "nothing matches" in run("results", "figures", store, "--measure", "wheat").stdout


def test_a_history_shows_each_difference_and_what_else_differs(run: Any, store: str, audit: aslant.AuditResult) -> None:
    asked = ("results", "history", store, "--stimuli", "gender-binary*")
    assert "the seed: 0, then 4" in run(*asked).stdout
    first, second = rows(run(*asked, "--csv", "-").stdout)
    assert first["difference"] == ""
    assert float(second["difference"]) == 0.5 - float(first["effect"])


def test_an_audit_is_shown_again_with_its_report(
    run: Any, store: str, tmp_path: Path, audit: aslant.AuditResult
) -> None:
    answer = run("results", "show", store, "ours~1", "-o", "old.html")
    assert answer.returncode == 0
    assert "Audit of sample" in answer.stdout
    assert (tmp_path / "old.json").read_text(encoding="utf-8") == audit.to_json() + "\n"
    assert (tmp_path / "old.html").is_file()
    assert len(rows((tmp_path / "old.csv").read_text(encoding="utf-8"))) == len(audit.glance)


def test_a_comparison_is_shown_and_its_report_can_be_held_to_limits(run: Any, store: str, tmp_path: Path) -> None:
    answer = run("results", "compare", store, "ours", "-o", "change", "--json", "-")
    assert answer.returncode == 0
    assert json.loads(answer.stdout)["unlike"] == ["the seed: 0, then 4"]
    (tmp_path / "policy.toml").write_text(
        "[[rule]]\nname='no worse'\nmeasure='polarity'\nstimuli='gender-binary*'\nfield='difference'\nmax=0.1\n"
    )
    checked = run("check", "change.json", "--policy", "policy.toml")
    assert checked.returncode == 1
    assert "violated" in checked.stdout
    assert "they differ in the seed: 0, then 4" in run("results", "compare", store, "ours~1", "ours").stdout


def test_reports_that_were_made_before_are_added(
    run: Any, store: str, tmp_path: Path, audit: aslant.AuditResult
) -> None:
    audit.save(tmp_path / "report.json")
    answer = run("results", "add", store, "report.json", "--label", "theirs")
    assert answer.stdout.startswith("stored: theirs as ")
    assert aslant.ResultsStore(store).audit("theirs") == audit
    assert run("results", "add", "new.db", "report.json", "-q").stdout == ""
    assert [a.label for a in aslant.ResultsStore("new.db").audits().audits] == ["sample"]


def test_audits_are_exported_as_lines_and_added_to_another_store(run: Any, store: str) -> None:
    lines = run("results", "export", store, "-").stdout.splitlines()
    assert [json.loads(line)["record"]["audited"] for line in lines] == [JANUARY, MARCH]
    assert run("results", "export", store, "out.jsonl").returncode == 0
    assert run("results", "add", "other.db", "out.jsonl").stdout.count("stored: ours as ") == 2
    assert aslant.ResultsStore("other.db").audits() == aslant.ResultsStore(store).audits()
    assert run("results", "add", "other.db", "out.jsonl", "--label", "x").returncode == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["list", "nowhere.db"], "there is no store 'nowhere.db'"),
        (["list", "report.json"], "is not a store of results"),
        (["list", "results.db", "--since", "May"], "'May' is not a date such as"),
        (["figures", "results.db", "--json", "no/such/x.json"], "there is no folder 'no/such'"),
        (["list", "results.db", "--json", "results.db"], "would be overwritten"),
        (["show", "results.db", "theirs"], "there is no audit 'theirs'"),
        (["show", "results.db", "ours", "-o", "no/such/x"], "there is no folder 'no/such'"),
        (["show", "link", "ours", "-o", "results"], "is the store and would be overwritten"),
        (["compare", "results.db", "ours~1"], "there is no audit 'ours~1~1'"),
        (["compare", "results.db", "ours~7", "ours"], "there is no 'ours~7'"),
        (["add", "results.db", "nowhere.json"], "cannot open 'nowhere.json'"),
        (["add", "report.json", "report.json"], "is not a store of results"),
    ],
)
def test_questions_that_cannot_be_answered_are_one_sentence(
    run: Any, store: str, tmp_path: Path, audit: aslant.AuditResult, arguments: list[str], words: str
) -> None:
    audit.save(tmp_path / "report.json")
    (tmp_path / "results.json").symlink_to("results.db")
    (tmp_path / "link").symlink_to("results.db")
    before = (tmp_path / store).read_bytes()
    answer = run("results", *arguments)
    assert answer.returncode == 2
    assert words in answer.stderr
    assert len(answer.stderr.splitlines()) == 1
    assert (tmp_path / store).read_bytes() == before
