"""What a report covers, and how it is held to an earlier one: at the borders, and where numbers are absent."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import pytest

from aslant.auditing import coverage
from aslant.auditing.policy import Policy, parse_policy
from aslant.results.audit import NEEDS_TEXT, ON_REQUEST, Glance
from aslant.results.parts import WordsUsed

LINE = Glance("weat", "gender", "weat-6", 0.5, "d", None, 0.01, None, "some", "")


@dataclass(frozen=True)
class Measured:
    """A result with word sets, of which some are within others, and perhaps words one by one."""

    sets: tuple[WordsUsed, ...]
    own: WordsUsed | None = None
    by_word: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    names_missing: bool = True


def words(name: str, found: int, missing: int, same: int = 0) -> WordsUsed:
    used, gone, again = (
        tuple(f"{name}{kind}{i}" for i in range(n)) for kind, n in zip("fma", (found, missing, same), strict=True)
    )
    return WordsUsed(name, used, used, gone, same_token=again)


def audit(*results: Any, glance: tuple[Glance, ...] = (LINE,), **changes: Any) -> Any:
    given = {"glance": glance, "not_run": {}, "failed": {}, "parts": (SimpleNamespace(measure="m", results=results),)}
    return SimpleNamespace(**given | changes)


def policy(head: str = "") -> Policy:
    return parse_policy(f'{head}\n[[rule]]\nname = "r"\nmeasure = "*"\nmax = 9', "p.toml")


def lacking(report: Any, head: str = "") -> list[tuple[str, str, float | None]]:
    return [(line.rule, line.measure, line.value) for line in coverage.not_covered(policy(head), "model", report)]


def test_the_least_share_of_any_set_is_held_to_the_limit_and_the_limit_itself_is_kept() -> None:
    report = audit(Measured((words("a", 9, 1), words("b", 1, 1, same=2))), Measured((), own=words("c", 4, 1)))
    assert lacking(report, "min_found = 0.75") == []
    assert lacking(report, "min_found = 0.76") == [("words are found", "m", 0.75)]
    [line] = coverage.not_covered(policy("min_found = 0.76"), "model", report)
    assert (line.reason, line.limit, line.stimuli) == ("3 of 4 of 'b'", "at least 0.76", "*")
    assert coverage.covered(report) == "1 line; not run: 0; fewest words found: 3 of 4 of 'b' (m)"
    assert lacking(audit(Measured((words("none", 0, 0),))), "min_found = 0.1") == [("words are found", "m", 0.0)]


def test_words_that_are_measured_one_by_one_count_too_and_names_by_the_thousand_do_not() -> None:
    alone = Measured((words("a", 2, 1),), by_word=("x", "y"), missing=("am0", "z", "w", "v"))
    assert lacking(audit(alone), "min_found = 0.5") == [("words are found", "m", 2 / 5)]
    assert lacking(audit(replace(alone, names_missing=False)), "min_found = 1") == []


def test_what_was_not_run_counts_unless_it_was_left_out_on_request() -> None:
    report = audit(not_run={"a": ON_REQUEST, "b, c": "why (missing: x)", "d": f"{NEEDS_TEXT}."}, failed={"e": "broke"})
    assert coverage.covered(report) == f"1 line; not run: 3; {ON_REQUEST}, so not checked: a"
    assert lacking(report) == [("no measure breaks off", "e", None), ("everything is run", "b", None)]
    assert lacking(report, 'allow_failed = true\nmay_not_run = ["b*"]') == []
    assert lacking(audit(), 'must_run = ["weat", "weat, weat-?", "weat-6"]') == [
        ("what must run is run", "weat-6", None)
    ]


@pytest.mark.parametrize(
    ("old", "new", "verdict", "field"),
    [
        ({}, {"effect": 0.75}, "passed", "effect_size"),  # the tolerance itself
        ({}, {"effect": 0.25}, "passed", "effect_size"),
        ({}, {"effect": 0.76}, "violated", "effect_size"),
        ({}, {"effect": 0.24}, "violated", "effect_size"),
        ({}, {"effect": None}, "missing", "effect_size"),
        ({"effect": None}, {}, "missing", "effect_size"),
        ({"effect": None}, {"effect": None}, "passed", "evidence"),
        ({"evidence": "not tested"}, {"evidence": "none"}, "passed", "effect_size"),
        ({"evidence": "not tested"}, {"evidence": "some"}, "violated", "evidence"),
        ({"evidence": "none"}, {"evidence": "some"}, "violated", "evidence"),
        ({"evidence": "strong"}, {"evidence": "not tested"}, "passed", "effect_size"),
        ({"effect_name": "polarity"}, {"effect_name": "polarity"}, "passed", "effect_size"),
        ({"effect_name": "polarity"}, {"effect_name": "polarity", "effect": 0.5001}, "violated", "effect_size"),
    ],
)
def test_a_line_is_held_to_the_baseline(old: Any, new: Any, verdict: str, field: str) -> None:
    before, after = (replace(LINE, **changes) for changes in (old, new))
    found = coverage._held(policy("tolerance = { d = 0.25 }"), "model", before, after)
    assert (found.verdict, found.field) == (verdict, field)
    assert coverage._held(policy(), "model", before, None).verdict == "missing"


def test_a_grade_and_a_limit_are_said_in_words() -> None:
    [grade] = [coverage._held(policy(), "m", LINE, replace(LINE, evidence="strong"))]
    assert (grade.limit, grade.reason, grade.value) == ("evidence at most 'some'", "evidence: strong", 0.5)
    assert coverage._held(policy(), "m", LINE, LINE).limit == "0.5 ± 0.2"
