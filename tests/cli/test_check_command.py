"""`aslant check`: exit codes for a pipeline, a short table, JUnit XML."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import aslant

RULE = '[[rule]]\nname = "careers"\nmeasure = "polarity"\nstimuli = "gender-binary*"\nmax = {}\n'


@pytest.fixture
def report(run: Any, tmp_path: Path) -> Path:
    aslant.audit(only=["polarity"], profile="quick").save(tmp_path / "r.json")
    return tmp_path / "r.json"


@pytest.mark.parametrize(("limit", "code"), [(0.9, 0), (0.01, 1)])
def test_the_exit_code_tells_whether_the_rules_are_kept(
    run: Any, report: Path, tmp_path: Path, limit: float, code: int
) -> None:
    (tmp_path / "p.toml").write_text(RULE.format(limit))
    answer = run("check", "r.json", "--policy", "p.toml", "--junit", "j.xml", "--json", "c.json")
    assert answer.returncode == code
    assert ("violated" in answer.stdout) == bool(code)
    root = ElementTree.fromstring((tmp_path / "j.xml").read_bytes())
    assert root.get("failures") == str(code)
    assert json.loads((tmp_path / "c.json").read_text())["kind"] == "policy-check"


def test_an_audit_that_lacks_what_the_default_policy_is_about_fails_the_check(run: Any, report: Path) -> None:
    answer = run("check", "r.json")
    assert answer.returncode == 1
    assert "missing" in answer.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere.json"], "cannot open 'nowhere.json'"),
        (["r.json", "--policy", "nowhere.toml"], "cannot open 'nowhere.toml'"),
        (["r.json", "--policy", "bad.toml"], "did you mean max"),
        (["r.json", "--junit", "no/such/j.xml"], "there is no folder 'no/such'"),
        (["r.json", "--junit", "r.json"], "is an input and would be overwritten"),
    ],
)
def test_bad_input_has_exit_code_2_and_writes_nothing(run: Any, report: Path, arguments: list[str], words: str) -> None:
    (report.parent / "bad.toml").write_text('[[rule]]\nname = "x"\nmeasure = "weat"\nmaximum = 1\n')
    before = report.read_bytes()
    answer = run("check", *arguments)
    assert answer.returncode == 2
    assert words in answer.stderr
    assert report.read_bytes() == before
    assert sorted(path.name for path in report.parent.iterdir()) == ["bad.toml", "r.json"]
