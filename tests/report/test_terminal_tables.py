"""Tables in a terminal: what is cut first when there is little room, and that the reader is told."""

from __future__ import annotations

import io
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from rich.console import Console
from rich.text import Text

from aslant.measures.association.show import WEAT_COLUMNS
from aslant.report.audit import check_table, glance_table, policy_table
from aslant.report.conventions import judged, line
from aslant.report.tables import Column, Table, fitted, fold, left_out, to_rich
from aslant.results.audit import AuditPart, AuditResult, PolicyCheck, PolicyLine
from aslant.results.debias import CheckedMeasure, DebiasCheck, StateTest
from aslant.results.parts import Interval, Spread
from aslant.results.provenance import Provenance, Representation
from aslant.statistics import against_chance

ROW: dict[str, Any] = {
    "test": "gender-binary, one-vs-rest", "effect": "1.169", "interval": "−1.010 to 0.956", "count": "1,234,567"
}  # fmt: skip
TABLE = Table(
    "t",
    (
        Column("test", "test", str, "left", wraps=True),
        Column("effect", "effect", str),
        Column("interval", "interval", str),
        Column("count", "words found", str, spare=1),
        Column("effect", "picture", str, spare=2),
    ),
    [ROW],
)


def shown(table: Table, width: int) -> str:
    console = Console(width=width, file=io.StringIO(), force_terminal=False, highlight=False)
    console.print(to_rich(table, width))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_every_column_is_whole_or_named_as_left_out() -> None:
    for width in range(10, 90):
        text, missing = shown(TABLE, width), " ".join(left_out(TABLE, width))
        assert max(map(len, text.splitlines())) <= width
        for column in TABLE.columns[1:]:
            whole = ROW[column.key] in text and column.title.split()[0] in text
            assert whole != (column.title in missing)


def test_what_can_be_spared_goes_first_and_the_interval_last() -> None:
    gone = [left_out(TABLE, width) for width in range(90, 30, -1)]
    order = list(dict.fromkeys(text.partition(": ")[2].partition(";")[0] for said in gone for text in said))
    assert order[:3] == ["picture", "words found, picture", "interval, words found, picture"]


def test_text_is_broken_after_spaces_commas_and_hyphens_and_within_a_word_only_if_it_must_be() -> None:
    assert fold("definitional-pairs, subspace", 15) == ["definitional-", "pairs, subspace"]
    assert fold("classification", 6) == ["classi", "ficati", "on"]
    assert fold("a\nlong word", 4) == ["a", "long", "word"]
    assert fold("", 4) == [""]


def test_a_check_says_in_a_narrow_terminal_why_a_line_passed_and_its_rule_once() -> None:
    about = ("no large association", "sample", "weat")
    lines = (
        PolicyLine(
            *about, "weat-5", "effect_size", 1.38, "size at most 0.8", "passed", "random words reach it in 10 %"
        ),
        PolicyLine(*about, "weat-6", "effect_size", 1.72, "size at most 0.8", "violated"),
        PolicyLine(*about, "weat-7", "effect_size", 0.72, "size at most 0.8", "passed"),
    )
    table = policy_table(PolicyCheck("default", ("sample",), lines, "0"))
    text = [" ".join(line.split()) for line in shown(table, 70).splitlines()]
    assert [line for line in text if "weat" in line] == [
        "violated weat weat-6 1.72 required: size at most 0.8",
        "passed weat weat-5 1.38 random words reach it in 10 %",
        "passed weat weat-7 0.72 within the limit",
    ]
    assert table.notes[0] == "rule: no large association: effect_size: size at most 0.8"
    assert left_out(table, 70) == []


def audit_of(*stimuli: tuple[str, str], **others: Any) -> AuditResult:
    chance = against_chance(1.2, [-1.0, 1.0] * 50)
    lines = [line("gender", name, 1.2, "d", "A sentence.", 1e-5, 1e-5, chance) for _, name in stimuli]
    glance = tuple(replace(found, measure=measure) for found, (measure, _) in zip(judged(lines), stimuli, strict=True))
    about = Representation("toy", "0" * 12, "text", 9, 3)
    return AuditResult(
        about, "quick", 0, **{"parts": (), **others}, glance=glance, not_run={}, failed={}, created="", version="0"
    )


def test_an_audit_says_what_each_line_compares_and_ends_with_what_was_found() -> None:
    table = glance_table(
        audit_of(("weat", "weat-6"), ("polarity", "gender-binary, binary"), ("residual", "clustering"))
    )
    compared = [row["compares"] for row in table.rows]
    assert compared == [
        "Male and female names: career and family",
        "Female and male",
        "What hard debiasing leaves behind",
    ]
    assert table.remarks()[-1].startswith("found: 3 of 3 lines are beyond chance")
    for width in (72, 80, 90, 120):
        assert "strong" in shown(table, width)
        assert "…" not in shown(table, width)
    assert "what it compares" in left_out(table, 80)[0]
    assert "Male and female names:" in shown(table, 120)


def test_of_a_weat_the_interval_is_kept_and_only_what_is_shown_is_explained() -> None:
    row = {
        "test": "weat-6", "title": "Male and female names: career and family", "effect_size": 1.72,
        "interval": "1.51 to 1.86", "pvalue": 7.8e-05, "qvalue": 1.7e-04, "chance": "−1.38 to 1.66",
        "chance_pvalue": 0.016, "chance_qvalue": 0.08, "words": "32/32", "people_effect_size": 0.72,
    }  # fmt: skip
    table = Table("WEAT", WEAT_COLUMNS, [row])
    for width, explained in ((60, 1), (80, 1), (140, 2)):
        assert "1.51 to 1.86" in shown(table, width)
        assert "0.016" in shown(table, width)
        assert len(table.remarks([column for column, *_ in fitted(table, width)])) == explained
    assert "what is compared" in left_out(table, 80)[0]
    assert "Male and female names:" in shown(table, 120)


def test_the_check_of_a_debiasing_has_intervals_and_chance_at_80_columns() -> None:
    chance = against_chance(1.2, [-1.0, 1.0] * 50)
    before, after = (StateTest(chance, raw, Interval(-0.4, 1.7, 0.95, 99), 0.5) for raw in (0.046, -0.006))
    test = CheckedMeasure("weat", "weat-7: arts", 1.281, -0.572, "d", before_test=before, after_test=after)
    seeds, labels = Spread(0.98, 0.97, 0.99, 3), Spread(0.506, 0.5, 0.51, 3)
    left = CheckedMeasure("residual", "clustering", 1.0, 0.981, "accuracy", after_seeds=seeds, after_chance=labels)
    about = Representation("toy", "0" * 12, "text", 9, 3)
    table = check_table(DebiasCheck(about, about, (test, left), {}, (), Provenance("weat", about, (), 0, {}, "0")))
    text = [" ".join(line.split()) for line in shown(table, 80).splitlines()[-4:]]
    assert text == [
        "weat-7: arts 1.281 [−0.40, 1.70] −0.572 [−0.40, 1.70] 0.500 → 0.500",
        "0.010 → 0.010",
        "clustering 1.000 0.981 [0.97, 0.99] –",
        "shuffled 0.506",
    ]
    assert any(note.startswith("weat-7 (0.046 → −0.006): the spread") for note in table.notes)


@pytest.mark.parametrize(
    ("judged_by", "style"),
    [
        ({"qvalue": 0.05, "chance_pvalue": 0.05}, "bold"),
        ({"qvalue": 1e-9, "chance_pvalue": 0.06}, "dim"),
        ({"qvalue": 0.06, "chance_pvalue": 0.01}, "dim"),
        ({"qvalue": 1e-9, "chance_pvalue": 0.01, "chance_qvalue": 0.06}, "dim"),
        ({"pvalue": 0.01}, "bold"),
        ({"pvalue": 0.001, "poles_pvalue": 0.45}, "dim"),
        ({}, "dim"),
    ],
)
def test_a_row_is_bold_only_if_its_own_test_and_chance_both_say_so(judged_by: dict[str, float], style: str) -> None:
    table = to_rich(Table("t", (Column("a", "a", str),), [{"a": 1, **judged_by}]))
    [cell] = table.columns[0].cells
    assert isinstance(cell, Text)
    assert cell.style == style


def test_words_that_several_measures_lack_are_named_once_and_few_of_them() -> None:
    words = tuple(f"word{i}" for i in range(29))
    part = AuditPart("geometry", "Geometry", (cast(Any, SimpleNamespace(missing=words, names_missing=True)),), 0.0)
    audit = audit_of(parts=(part, replace(part, measure="residual"), replace(part, results=(), measure="weat")))
    assert glance_table(audit).notes[-1:] == (
        "geometry and residual: not found: word0, word1, word2, word3, word4 and 24 more (--json lists all)",
    )


@pytest.mark.parametrize("rows", [[{"b": 1}], [{"a": 1}, {"b": 1}]])
def test_a_column_whose_key_a_row_lacks_is_refused(rows: list[dict[str, Any]]) -> None:
    with pytest.raises(KeyError, match="the rows of 't' have no 'a'; they have b"):
        Table("t", (Column("a", "a", str),), rows)
