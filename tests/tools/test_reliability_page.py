"""The page on faults: every promise names tests that are there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")


def test_every_promise_about_faults_names_tests_that_are_there() -> None:
    promises = re.findall(r"^\| .+ \| .+ \| (`test_.+) \|$", PAGE, re.MULTILINE)
    assert len(promises) == 9
    written = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    there = set(re.findall(r"^def (test_\w+)", written, re.MULTILINE))
    named = {name for promise in promises for name in re.findall(r"`(\w+)`", promise)}
    assert named <= there, named - there
    made_on_purpose = (ROOT / "tests" / "tools" / "test_faults_made_on_purpose.py").read_text(encoding="utf-8")
    of_the_makers = {
        "test_work_that_is_done_again_is_noticed",
        "test_a_wrong_result_a_traceback_or_a_leftover_is_noticed",
    }
    assert set(re.findall(r"^def (test_\w+)", made_on_purpose, re.MULTILINE)) - of_the_makers <= named
