"""A policy is checked when read, and a report is held to each of its rules."""

from __future__ import annotations

import dataclasses
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import aslant
from aslant.auditing.policy import Policy, check_policy, parse_policy, read_policy, read_report
from aslant.errors import AslantError
from aslant.report.audit import junit
from aslant.results.audit import NEEDS_TEXT, ON_REQUEST, AuditComparison, AuditDifference, ModelDifference


@pytest.fixture(scope="module")
def audit() -> aslant.AuditResult:
    return aslant.audit(only=["weat", "polarity"], profile="quick")


def policy(*rules: str, head: str = "") -> Policy:
    return parse_policy(head + "".join(f'[[rule]]\nname = "r{i}"\n{rule}\n' for i, rule in enumerate(rules)), "p.toml")


def verdicts(report: object, *rules: str, head: str = "") -> list[tuple[str, str]]:
    return [(line.stimuli, line.verdict) for line in check_policy(report, policy(*rules, head=head)).lines]  # type: ignore[arg-type]


def test_limits_hold_every_line_that_a_rule_matches(audit: aslant.AuditResult) -> None:
    assert verdicts(audit, 'measure = "weat"\nstimuli = "weat-6"\nmax = 1.0') == [("weat-6", "violated")]
    assert verdicts(audit, 'measure = "weat"\nstimuli = "weat-6"\nmax = 1.8\nmin = 1.0') == [("weat-6", "passed")]
    assert verdicts(audit, 'measure = "weat"\nstimuli = "weat-6"\nmin = 1.9') == [("weat-6", "violated")]
    assert len(verdicts(audit, 'measure = "weat"\nstimuli = "weat-?"\nmax = 9')) == 9
    assert {s for s, _ in verdicts(audit, 'measure = "*"\ncategory = ["race", "age"]\nmax = 9')} == {
        "weat-3", "weat-4", "weat-5", "weat-10", "race-four, one-vs-one", "race-four, one-vs-rest",
    }  # fmt: skip
    assert len(verdicts(audit, 'measure = "*"\neffect = "polarity"\nmax = 9')) == 4


def test_only_stars_and_question_marks_match_other_characters(audit: aslant.AuditResult) -> None:
    lines = tuple(replace(line, stimuli="mine [6]") if line.stimuli == "weat-6" else line for line in audit.glance)
    renamed = replace(audit, glance=lines)
    assert verdicts(renamed, 'measure = "weat"\nstimuli = "mine [6]"\nmax = 9') == [("mine [6]", "passed")]
    assert verdicts(audit, 'measure = "weat"\nstimuli = "weat-[67]"\nmax = 9') == [("weat-[67]", "missing")]


def test_a_limit_itself_is_kept(audit: aslant.AuditResult) -> None:
    line = next(line for line in audit.glance if line.stimuli == "weat-6")
    assert verdicts(audit, f'measure = "weat"\nstimuli = "weat-6"\nmax = {line.effect!r}') == [("weat-6", "passed")]


def test_the_sign_counts_unless_the_rule_is_absolute(audit: aslant.AuditResult) -> None:
    lines = tuple(replace(line, effect=-1.5) if line.stimuli == "weat-6" else line for line in audit.glance)
    negative = replace(audit, glance=lines)
    rule = 'measure = "weat"\nstimuli = "weat-6"\nmax = 0.8\n'
    assert verdicts(negative, rule) == [("weat-6", "passed")]
    assert verdicts(negative, rule + "absolute = true") == [("weat-6", "violated")]


def test_a_large_effect_against_the_direction_of_a_test_is_not_spared(audit: aslant.AuditResult) -> None:
    given: dict[str, Any] = {"category": "race", "effect": -1.3, "pvalue": 0.999, "chance_qvalue": 0.01}
    line = dataclasses.replace(audit.glance[0], qvalue=0.999, **given)
    turned = dataclasses.replace(audit, glance=(line,))
    assert [found.verdict for found in aslant.check_policy(turned).lines][-1] == "violated"
    unsure = dataclasses.replace(turned, glance=(dataclasses.replace(line, pvalue=0.9, qvalue=0.9),))
    assert [found.verdict for found in aslant.check_policy(unsure).lines][-1] == "passed"


def test_lines_without_the_evidence_asked_for_are_spared(audit: aslant.AuditResult) -> None:
    rule = 'measure = "weat"\nstimuli = "weat-6"\nmax = 0.8\nonly_if_qvalue_below = 0.05'
    assert verdicts(audit, rule) == [("weat-6", "violated")]
    lines = tuple(replace(line, qvalue=0.2) if line.stimuli == "weat-6" else line for line in audit.glance)
    assert verdicts(replace(audit, glance=lines), rule) == [("weat-6", "passed")]


def test_counts_of_significant_lines_have_limits_too(audit: aslant.AuditResult) -> None:
    count = sum(line.qvalue is not None and line.qvalue <= 0.05 for line in audit.glance)
    rule = 'measure = "weat"\nfield = "count_significant"\nmax = '
    assert verdicts(audit, f"{rule}{count}") == [("*", "passed")]
    assert verdicts(audit, f"{rule}{count - 1}") == [("*", "violated")]


def test_the_count_of_an_enumeration_is_that_of_its_pairs() -> None:
    v = aslant.load()
    found = aslant.enumerate_biases(v, groups="religions-four", words=5000, categories=4, rotations=200)
    from aslant.auditing.running import glances
    from aslant.results.audit import AuditPart

    base = aslant.audit(v, only=["polarity"], profile="quick")
    part = AuditPart("enumeration", "t", (found,), 0.0)
    full = replace(base, parts=(part,), glance=tuple(glances("enumeration", [found])))
    [line] = check_policy(full, policy('measure = "enumeration"\nfield = "count_significant"\nmax = 0')).lines
    assert line.value == len(found.significant) > 1
    other = replace(full, glance=(replace(full.glance[0], stimuli="of another run", pvalue=None, qvalue=0.01),))
    [line] = check_policy(other, policy('measure = "enumeration"\nfield = "count_significant"\nmax = 0')).lines
    assert line.value == 1, "by its own q-value, for those pairs are not its"


def test_a_missing_measurement_fails_unless_it_is_optional(audit: aslant.AuditResult) -> None:
    rule = 'measure = "enumeration"\nfield = "count_significant"\nmax = 10\n'
    [line] = check_policy(audit, policy(rule)).lines
    assert (line.verdict, line.reason) == ("missing", "enumeration: left out on request")
    assert not check_policy(audit, policy(rule)).passed
    assert verdicts(audit, rule + "optional = true") == [("*", "not measured")]
    assert check_policy(audit, policy(rule + "optional = true")).passed
    assert verdicts(audit, 'measure = "polarity"\nfield = "qvalue"\nmax = 1\nstimuli = "gender-b*"')[0][1] == "missing"


def test_a_measure_that_broke_off_fails_the_check_unless_allowed(audit: aslant.AuditResult) -> None:
    broken = replace(audit, failed={"geometry": "KeyError: 3"})
    rule = 'measure = "weat"\nmax = 9'
    assert not check_policy(broken, policy(rule)).passed
    assert check_policy(broken, policy(rule, head="allow_failed = true\n")).passed


KEPT = 'measure = "weat"\nmax = 9'


def failures(report: aslant.AuditResult, head: str = "", **given: Any) -> list[tuple[str, str, str]]:
    check = check_policy(report, policy(KEPT, head=head), **given)
    return [(line.rule, line.measure, line.stimuli) for line in check.failures]


def test_a_report_whose_tests_could_not_be_run_fails_however_few_rules_are_broken(audit: aslant.AuditResult) -> None:
    lines = tuple(line for line in audit.glance if line.stimuli == "weat-6")
    gone = {f"weat, weat-{n}": "too few words (missing: a, b, …)" for n in (1, 2)}
    thin = replace(audit, glance=lines, not_run=gone)
    assert failures(thin) == [("everything is run", "weat", "weat-1"), ("everything is run", "weat", "weat-2")]
    assert check_policy(thin, policy(KEPT)).lines[0].reason == "too few words"
    assert failures(thin, 'may_not_run = ["weat, weat-1"]\n') == [("everything is run", "weat", "weat-2")]
    assert not failures(thin, 'may_not_run = ["weat*"]\n')
    assert not aslant.check_policy(thin).passed


def test_what_was_left_out_on_request_or_needs_a_corpus_does_not_fail_a_check(audit: aslant.AuditResult) -> None:
    assert not failures(replace(audit, not_run={"geometry": ON_REQUEST, "ceat": f"{NEEDS_TEXT}."}))


def test_tests_can_be_named_that_must_have_run(audit: aslant.AuditResult) -> None:
    head = 'must_run = ["weat, weat-?", "polarity", "geometry"]\n'
    assert failures(audit, head) == [("what must run is run", "geometry", "*")]


def test_the_default_policy_wants_every_test_of_its_kind_of_model_unless_the_report_says_why_not(
    audit: aslant.AuditResult,
) -> None:
    def gone(report: aslant.AuditResult) -> list[str]:
        failed = aslant.check_policy(report).failures
        return [line.stimuli for line in failed if line.rule == "what must run is run"]

    assert gone(audit) == [], "the rest was left out on request"
    unchecked = aslant.check_policy(audit).coverage[0].partition("checked: ")[2]
    left = "weat-categories, word-set-scores, geometry, intersectional, residual, enumeration;"
    assert unchecked.startswith(left)
    others = tuple(line for line in audit.glance if line.stimuli != "weat-6")
    assert gone(replace(audit, glance=others)) == ["weat-6"]
    last = tuple(line for line in audit.glance if line.stimuli == "weat-9")
    assert len(gone(replace(audit, glance=last))) == 10, "nine tests, and polarity"
    assert gone(replace(audit, glance=last, not_run={**audit.not_run, "polarity": ON_REQUEST, "weat": "no"})) == []
    assert gone(replace(audit, not_run={})) == ["*", "*", "*"]
    untested = tuple(replace(line, pvalue=None, qvalue=None) for line in audit.glance)
    assert not aslant.check_policy(replace(audit, glance=untested)).passed
    model = replace(audit, glance=(replace(audit.glance[0], measure="attribute-lists"),), parts=(), not_run={})
    assert gone(model) == ["career-family", "math-arts", "pleasant-flowers", "pleasant-names", "science-arts"]


def test_a_measure_that_found_too_few_words_fails(audit: aslant.AuditResult) -> None:
    assert not failures(audit)
    head = "min_found = 0.9\n"
    assert failures(audit, head) == [("words are found", "polarity", "*")]
    [line] = check_policy(audit, policy(KEPT, head=head)).failures
    assert (line.value, line.reason) == (288 / 331, "288 of 331 of 'words'")
    assert failures(audit, "min_found = 0.97\n")[0] == ("words are found", "weat", "*")  # 24 of 25 flowers


def changed(audit: aslant.AuditResult, stimuli: str, **changes: Any) -> aslant.AuditResult:
    lines = tuple(replace(line, **changes) if line.stimuli == stimuli else line for line in audit.glance)
    return replace(audit, glance=lines)


def test_a_report_is_held_to_an_earlier_one(audit: aslant.AuditResult) -> None:
    assert not failures(audit, baseline=audit)
    six = next(line for line in audit.glance if line.stimuli == "weat-6")
    assert six.effect is not None
    moved = [("as in the baseline", "weat", "weat-6")]
    for gap, broken in ((0.19, []), (0.21, moved), (-0.21, moved)):
        assert failures(changed(audit, "weat-6", effect=six.effect + gap), baseline=audit) == broken
    wide = 'tolerance = { "*" = 0.3 }\n'
    assert not failures(changed(audit, "weat-6", effect=six.effect + 0.21), wide, baseline=audit)
    weak, firm = (changed(audit, "weat-6", evidence=grade) for grade in ("some", "strong"))
    assert failures(firm, baseline=weak) == moved
    assert not failures(weak, baseline=firm)


def test_a_line_that_only_the_baseline_has_fails(audit: aslant.AuditResult) -> None:
    shorter = replace(audit, glance=audit.glance[1:])
    assert failures(shorter, baseline=audit) == [("as in the baseline", "weat", "weat-1")]
    assert not failures(audit, baseline=shorter)


def test_a_new_line_with_evidence_fails_and_another_name_or_profile_is_noted(audit: aslant.AuditResult) -> None:
    shorter = replace(audit, glance=audit.glance[1:])
    assert failures(changed(audit, "weat-1", evidence="some"), baseline=shorter) == [
        ("as in the baseline", "weat", "weat-1")
    ]
    other = replace(audit, profile="full", representation=replace(audit.representation, name="v2"))
    assert not failures(other, baseline=audit)
    noted = [line for line in check_policy(other, policy(KEPT), audit).lines if line.verdict == "not measured"]
    assert [line.reason for line in noted] == [
        "the baseline's name: sample; the report's: v2", "the baseline's profile: quick; the report's: full",
    ]  # fmt: skip
    encoder = replace(audit, glance=(), parts=(), not_run={"seat": ON_REQUEST})
    assert failures(audit, baseline=encoder)[0] == ("as in the baseline", "*", "*")


def test_a_baseline_of_several_models_has_each_by_its_name(audit: aslant.AuditResult) -> None:
    other = replace(audit, representation=replace(audit.representation, name="other"))
    both = AuditComparison((audit, other), (), {}, audit.created, audit.version)
    assert not failures(other, baseline=both)
    third = replace(audit, representation=replace(audit.representation, name="third"))
    assert failures(third, baseline=both) == [("as in the baseline", "*", "*")]


def test_rules_can_ask_about_chance(audit: aslant.AuditResult) -> None:
    rule = 'measure = "weat"\nstimuli = "weat-6"\nfield = "chance_pvalue"\nmin = '
    assert verdicts(audit, rule + "0.01", rule + "0.05") == [("weat-6", "passed"), ("weat-6", "violated")]
    assert verdicts(audit, rule.replace("pvalue", "qvalue") + "0.05") == [("weat-6", "passed")]
    spared = 'measure = "weat"\nstimuli = "weat-[36]"\nmax = 0.8\nonly_if_beyond_chance = 0.05'
    assert verdicts(audit, spared.replace("[36]", "3")) == [("weat-3", "passed")]
    six = next(line for line in audit.glance if line.stimuli == "weat-6")
    assert six.chance
    assert (six.chance.pvalue < 0.05, six.evidence) == (True, "none"), "by its q-value, as in the audit"
    assert verdicts(audit, spared.replace("[36]", "6")) == [("weat-6", "passed")]
    for changes in ({"chance_qvalue": 0.04}, {"untested": "too few draws"}):
        assert verdicts(changed(audit, "weat-6", **changes), spared.replace("[36]", "6")) == [("weat-6", "violated")]
    at_limit, beyond = (changed(audit, "weat-3", effect=1.0, chance_qvalue=q) for q in (0.05, 0.051))
    assert [verdicts(one, spared.replace("[36]", "3"))[0][1] for one in (at_limit, beyond)] == ["violated", "passed"]
    untold = changed(audit, "weat-3", chance=None)
    assert verdicts(untold, spared.replace("[36]", "3")) == [("weat-3", "violated")], "not known is not spared"


def test_differences_between_models_have_limits(audit: aslant.AuditResult) -> None:
    rows = tuple(
        AuditDifference("weat", test, "gender", "d", (1.0, value), (ModelDifference("new", gap),))
        for test, value, gap in (("weat-6", 1.5, 0.5), ("weat-7", 0.9, -0.1), ("weat-8", None, None))
    )
    both = AuditComparison((audit, audit), rows, {}, audit.created, audit.version)
    rule = 'measure = "weat"\nfield = "difference"\nmax = 0.2'
    assert verdicts(both, rule) == [("weat-6", "violated"), ("weat-7", "passed"), ("weat-8", "missing")]
    assert verdicts(audit, rule) == [("*", "missing")]
    assert len(verdicts(both, 'measure = "weat"\nstimuli = "weat-6"\nmax = 9')) == 2  # each model is held to it
    assert verdicts(both, 'measure = "weat"\nmodel = "other*"\nmax = 9') == [("*", "missing")]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "rule"),
        ("rule = []", "length >= 1"),
        ("rule = 3", "array"),
        ('[[rule]]\nname = "a"\nmeasure = "weat"', "neither max nor min"),
        ('[[rule]]\nname = "a"\nmeasure = "weat"\nmax = nan', "not a finite number"),
        ('[[rule]]\nname = "a"\nmeasure = "weat"\nmax = 1\nmin = 2', "max below its min"),
        (
            '[[rule]]\nname = "a"\nmeasure = "weat"\nmax = -1\nabsolute = true',
            "an absolute size, which cannot be at most -1",
        ),
        ('[[rule]]\nname = "a"\nmeasure = "weat"\nmax = 1\ncategory = []', "category"),
        (
            '[[rule]]\nname = "a"\nmeasure = "weat"\nmax = 1\nfield = "difference"\nonly_if_qvalue_below = 0.05',
            "has no meaning for the field difference",
        ),
        (
            '[[rule]]\nname = "a"\nmeasure = "*"\nmax = 1\nfield = "count_significant"\nonly_if_qvalue_below = 0.05',
            "has no meaning for the field count_significant",
        ),
        ('[[rule]]\nname = "a"\nmeasure = "weat"\nmax = "1"', "Expected `float"),
        ('[[rule]]\nname = "a"\nmeasur = "weat"\nmax = 1', "did you mean measure"),
        ('nmae = "x"\n[[rule]]\nname = "a"\nmeasure = "weat"\nmax = 1', "did you mean name"),
        ('[[rule]]\nname = "a"\nmeasure = "weat"\nmax = 1\nfield = "effect"', "Invalid enum value 'effect'"),
        ('[[rule]]\nname = "a"\nmeasure = "weat"\nmax = 1\nonly_if_qvalue_below = 2', "<= 1"),
        ("[[rule]", "Expected"),
    ],
)
def test_a_policy_that_cannot_be_used_is_one_clear_error(text: str, words: str) -> None:
    with pytest.raises(AslantError, match=r"'p\.toml' is not a usable policy") as caught:
        parse_policy(text, "p.toml")
    assert words in str(caught.value)


def test_files_that_are_no_policy_or_report_are_refused(tmp_path: Path, audit: aslant.AuditResult) -> None:
    with pytest.raises(AslantError, match="cannot open"):
        read_policy(tmp_path / "nowhere.toml")
    for content, words in (
        (b"{", "is not JSON"),
        (b"\xff\xfe\xff", "not UTF-8"),
        (b"[]", "not a result"),
        (b"{}", "not a"),
    ):
        (tmp_path / "r.json").write_bytes(content)
        with pytest.raises(AslantError, match=words):
            read_report(tmp_path / "r.json")
    assert audit.weat is not None
    audit.weat.save(tmp_path / "w.json")
    with pytest.raises(AslantError, match="of kind 'weat-suite'"):
        read_report(tmp_path / "w.json")


def test_junit_xml_parses_and_escapes_what_it_must(audit: aslant.AuditResult) -> None:
    nasty = replace(audit, representation=replace(audit.representation, name="<a & b>\x1b\x00\ud800\"'"))
    check = check_policy(
        nasty,
        policy(
            'measure = "weat"\nstimuli = "weat-6"\nmax = 0.1',
            'measure = "weat"\nstimuli = "weat-7"\nmax = 9',
            'measure = "gone"\nmax = 1\noptional = true',
            head='name = "<p>"\n',
        ),
    )
    root = ElementTree.fromstring(junit(check))
    assert root.tag == "testsuites"
    assert {key: root.get(key) for key in ("tests", "failures", "skipped")} == {
        "tests": "3",
        "failures": "1",
        "skipped": "1",
    }
    [suite] = root
    assert str(suite.get("name")).startswith("<a & b>")
    assert [[child.tag for child in case] for case in suite] == [["failure"], [], ["skipped"]]


def test_the_default_policy_is_the_one_that_the_docs_show() -> None:
    from aslant.auditing.policy import DEFAULT_POLICY

    docs = (Path(__file__).parents[2] / "docs" / "audit.md").read_text(encoding="utf-8")
    assert DEFAULT_POLICY.strip() in docs


def test_the_narrowest_limits_are_accepted() -> None:
    point, size, shares, tested = policy(
        'measure = "*"\nmax = 1\nmin = 1',
        'measure = "*"\nmax = 0\nabsolute = true',
        'measure = "*"\nmax = 1\nonly_if_qvalue_below = 1\nalpha = 1',
        'measure = "*"\nmax = -1\nfield = "pvalue"\nonly_if_qvalue_below = 0.05',
    ).rule
    assert point.judged("m", 1.0).verdict == "passed"
    assert point.judged("m", 0.99).verdict == "violated"
    assert point.judged("m", 1.01).verdict == "violated"
    assert size.judged("m", 0.0).verdict == "passed"
    assert size.judged("m", -0.1).verdict == "violated"
    assert (shares.only_if_qvalue_below, shares.alpha, tested.max) == (1, 1, -1)


def test_a_rule_says_its_limits_in_words() -> None:
    rules = policy(
        'measure = "*"\nmax = 1', 'measure = "*"\nmin = -1', 'measure = "*"\nmin = 0\nmax = 2\nabsolute = true',
        'measure = "*"\nmax = 1\nonly_if_qvalue_below = 0.001',
    ).rule  # fmt: skip
    assert [rule.limit() for rule in rules] == [
        "at most 1", "at least -1", "size at least 0 and at most 2", "at most 1, if q < 0.001",
    ]  # fmt: skip


def only(audit: aslant.AuditResult, **changes: object) -> aslant.AuditResult:
    """The report of one line."""
    line = next(line for line in audit.glance if line.stimuli == "weat-6")
    return replace(audit, glance=(replace(line, **changes),))  # type: ignore[arg-type]


@pytest.mark.parametrize(("field", "absent"), [("effect_size", "effect"), ("pvalue", "pvalue"), ("qvalue", "qvalue")])
def test_a_number_that_a_line_lacks_is_missing_and_one_that_it_has_is_judged(
    field: str, absent: str, audit: aslant.AuditResult
) -> None:
    rule = policy(f'measure = "weat"\nfield = "{field}"\nmin = -9')
    [line] = check_policy(only(audit, **{absent: None}), rule).lines
    assert (line.verdict, line.reason, line.value, line.measure, line.stimuli) == (
        "missing", f"it has no {field}", None, "weat", "weat-6",
    )  # fmt: skip
    [line] = check_policy(only(audit, **{absent: 0.25}), rule).lines
    assert (line.verdict, line.reason, line.value, line.field) == ("passed", "", 0.25, field)


@pytest.mark.parametrize(
    ("pvalue", "qvalue", "verdict", "reason"),
    [
        (None, None, "missing", "it has neither q-value nor p-value"),
        (0.04, None, "violated", ""),
        (0.05, None, "passed", "q = 0.05"),
        (0.001, 0.05, "passed", "q = 0.05"),
        (0.2, 0.049, "violated", ""),
    ],
)
def test_evidence_is_the_qvalue_or_else_the_pvalue_and_must_be_below_what_is_asked_for(
    pvalue: float | None, qvalue: float | None, verdict: str, reason: str, audit: aslant.AuditResult
) -> None:
    rule = policy('measure = "weat"\nmax = 0.8\nonly_if_qvalue_below = 0.05')
    [line] = check_policy(only(audit, effect=1.5, pvalue=pvalue, qvalue=qvalue), rule).lines
    assert (line.verdict, line.reason, line.value) == (verdict, reason, None if verdict == "missing" else 1.5)


@pytest.mark.parametrize(
    ("effect", "pvalue", "absolute", "verdict"),
    [
        (-1.5, 0.99, True, "violated"),
        (-1.5, 0.99, False, "passed"),  # below its max
        (1.5, 0.99, True, "passed"),  # a test that looks both ways
        (0.9, 0.99, True, "passed"),
        (-1.5, 0.5, True, "passed"),
        (-1.5, None, True, "violated"),  # judged by q alone
    ],
)
def test_the_other_tail_counts_only_for_sizes_of_effects_that_go_the_other_way(
    effect: float, pvalue: float | None, absolute: bool, verdict: str, audit: aslant.AuditResult
) -> None:
    rule = policy(f'measure = "weat"\nmax = 0.8\nonly_if_qvalue_below = 0.05\nabsolute = {str(absolute).lower()}')
    qvalue = 0.01 if pvalue is None else 0.999
    [line] = check_policy(only(audit, effect=effect, pvalue=pvalue, qvalue=qvalue), rule).lines
    assert line.verdict == verdict


@pytest.mark.parametrize(
    ("pvalue", "qvalue", "count"),
    [(None, None, 0), (0.05, None, 1), (0.051, None, 0), (0.01, 0.05, 1), (0.01, 0.06, 0)],
)
def test_a_line_is_significant_at_alpha_by_its_qvalue_or_else_its_pvalue(
    pvalue: float | None, qvalue: float | None, count: int, audit: aslant.AuditResult
) -> None:
    rule = policy('measure = "weat"\nfield = "count_significant"\nmax = 9')
    [line] = check_policy(only(audit, pvalue=pvalue, qvalue=qvalue), rule).lines
    assert line.value == count


def test_no_effect_at_all_is_judged_by_its_own_evidence(audit: aslant.AuditResult) -> None:
    rule = policy('measure = "weat"\nmin = 0.5\nabsolute = true\nonly_if_qvalue_below = 0.05')
    [line] = check_policy(only(audit, effect=0.0, pvalue=0.99, qvalue=0.99), rule).lines
    assert (line.verdict, line.reason) == ("passed", "q = 0.99")


def test_a_missing_line_says_what_the_audit_says_of_its_measure(audit: aslant.AuditResult) -> None:
    for what in ("seat", "seat on an encoder", "seat, ceat"):
        told = replace(audit, not_run={"seats": "not this", what: "no encoder was given"})
        [line] = check_policy(told, policy('measure = "seat"\nmax = 1', head='may_not_run = ["*"]\n')).lines
        assert line.reason == f"{what}: no encoder was given"
    told = replace(audit, not_run={"seats": "not this"})
    assert check_policy(told, policy('measure = "seat"\nmax = 1')).lines[1].reason == "no line of the report matches"


def test_a_rule_is_held_to_the_models_that_it_names(audit: aslant.AuditResult) -> None:
    other = replace(audit, representation=replace(audit.representation, name="other"))
    row = AuditDifference("weat", "weat-6", "gender", "d", (1.0, 1.5), (ModelDifference("other", 0.5),))
    both = AuditComparison((audit, other), (row,), {}, audit.created, audit.version)
    rule = 'measure = "weat"\nstimuli = "weat-6"\nmax = 9\nmodel = '
    lines = check_policy(both, policy(f'{rule}"oth*"', f'{rule}"oth*"\nfield = "difference"')).lines
    assert [(line.model, line.field, line.value) for line in lines] == [
        ("other", "effect_size", lines[0].value), ("other", "difference", 0.5),
    ]  # fmt: skip
    [line] = check_policy(both, policy(f'{rule}"sample"\nfield = "difference"')).lines
    assert (line.verdict, line.reason) == ("missing", "no line of the report matches")


def test_an_unknown_key_is_answered_with_the_nearest_one_or_with_all() -> None:
    for key, words in (
        ("maxi", r"did you mean max\? docs/audit.md"),
        ("zzzz", r"it has name, .*optional\. docs/audit"),
    ):
        with pytest.raises(AslantError, match=words):
            policy(f'measure = "*"\nmax = 1\n{key} = 1')


@pytest.mark.parametrize("setting", ["min_found = 0", "min_found = 1", "tolerance = { d = 0 }"])
def test_limits_of_a_policy_may_be_what_they_may_just_be(setting: str) -> None:
    rule = "[[rule]]\nname = 'a'\nmeasure = 'weat'\nmax = 1\nalpha = 1"
    name, _, value = setting.partition(" = ")
    found = getattr(parse_policy(f"{setting}\n{rule}", "mine.toml"), name)
    assert found == ({"d": 0.0} if name == "tolerance" else float(value))


def test_a_test_in_both_directions_is_judged_by_its_own_q(audit: aslant.AuditResult) -> None:
    rule = policy('measure = "weat"\nmax = 0.8\nonly_if_qvalue_below = 0.05\nabsolute = true')
    one_sided = only(audit, effect=-0.9, pvalue=0.97, qvalue=0.99)
    part: Any = one_sided.part("weat")
    suite = part.results[0]
    both = replace(suite, results=tuple(replace(test, alternative="two-sided") for test in suite.results))
    asked = one_sided.glance[0].stimuli
    its_own = tuple(replace(test, alternative="two-sided") if test.test == asked else test for test in suite.results)
    for results in (both, replace(suite, results=its_own)):
        parts = tuple(replace(each, results=(results,)) if each is part else each for each in one_sided.parts)
        [line] = check_policy(replace(one_sided, parts=parts), rule).lines
        assert (line.verdict, line.reason) == ("passed", "q = 0.99")
    assert check_policy(one_sided, rule).lines[0].verdict == "violated"


def test_lines_may_be_as_far_from_a_baseline_as_the_guide_says() -> None:
    assert read_policy().tolerance == {"d": 0.2, "sd of chance": 0.5, "*": 0.05}


def test_a_figure_may_differ_by_the_documented_tolerance_of_its_kind() -> None:
    assert Policy(rule=()).tolerance == {"d": 0.2, "sd of chance": 0.5, "*": 0.05}
