"""Association tests on words in sentences as tables: SEAT and CEAT, alone and in suites."""

from __future__ import annotations

from collections.abc import Sequence

from aslant.errors import plural
from aslant.measures.association.show import WEAT_COLUMNS
from aslant.measures.association.tables import (
    PVALUES,
    SIGN,
    opening_columns,
    pvalue_note,
    tests_of,
    tests_table,
)
from aslant.measures.sentence_tests.result import CeatResult, CeatSuiteResult, SeatResult, SeatSuiteResult
from aslant.measures.template_tests.result import MODEL_CONTENT_NOTE
from aslant.report.tables import Column, Table, number, plain, pvalue

#: Below this the normal tail is smaller than a number can be.
SMALLEST = 1e-300


def published(value: float | None) -> str:
    """Write a p-value that may be too small for a float.

    >>> published(0.0123), published(2.3e-308)
    ('0.012', '< 1e-300')
    """
    return "< 1e-300" if value is not None and value < SMALLEST else pvalue(value)


SEAT_COLUMNS = (*WEAT_COLUMNS[:-1], Column("sentences", "sentences", str, min_width=68))
CEAT_COLUMNS = (
    *opening_columns("CES", 130),
    Column("interval", "95 % of draws", str, min_width=100),
    Column("share_positive", "above 0", "{:.0%}".format, min_width=110),
    Column("people_effect_size", "d, people", number, min_width=118),
    *PVALUES,
    Column("published_pvalue", "p, published", published, min_width=68),
)
#: How many words a note names at most.
NAMED = 12


def seat_table(result: SeatResult | SeatSuiteResult) -> Table:
    """Describe one SEAT, or a suite with the tests that were not run under it."""
    tests = tests_of(result)
    over = (
        "over every re-partition of the target words, all sentences of a word together"
        if not tests or tests[0].unit == "word"
        else "over re-partitions of sentences, as published: too small, since sentences of a word are not independent"
    )
    notes = [
        f"d: WEAT's effect size over sentences, as published; above 0: {SIGN}.",
        "people: the effect in the study that a test mirrors; interval: over the choice of words.",
        pvalue_note(result, over),
    ]
    notes += [
        f"{plain(t.test)}: of no known kind, so put into sentences without an article: {_some(t.assumed)}"
        for t in tests
        if t.assumed
    ]
    lacking = "left out, without a vector:"
    return tests_table("SEAT", result, SEAT_COLUMNS, notes, lacking, first_line=MODEL_CONTENT_NOTE)


def ceat_table(result: CeatResult | CeatSuiteResult) -> Table:
    """Describe one CEAT, or a suite with the tests that were not run under it."""
    tests = tests_of(result)
    notes = [f"CES: effect sizes of draws of one context for each word, combined by random effects; above 0: {SIGN}."]
    for first in tests[:1]:
        notes += [
            pvalue_note(result, "over every re-partition of the target words"),
            f"p, published: assumes that draws ({first.samples:,}) are independent, but they share words and "
            "contexts, so it goes to 0 as more are drawn; it is not evidence.",
            f"corpus: {plain(first.corpus.name)}, {plural(first.corpus.sentences, 'sentence')}; up to "
            f"{plural(first.contexts_per_word, 'context')} for each word.",
        ]
    for test in tests:
        if short := sorted(test.short_of_contexts, key=lambda word: word.contexts):
            counted = _some([f"{word.word} ({word.contexts:,})" for word in short])
            notes.append(f"{plain(test.test)}: fewer contexts than requested: {counted}")
    lacking = "left out, without a context:"
    return tests_table("CEAT", result, CEAT_COLUMNS, notes, lacking, first_line=MODEL_CONTENT_NOTE)


def _some(words: Sequence[str]) -> str:
    more = f" and {len(words) - NAMED} more" if len(words) > NAMED else ""
    return plain(", ".join(words[:NAMED])) + more
