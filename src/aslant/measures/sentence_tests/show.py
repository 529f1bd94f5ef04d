"""Association tests on words in sentences as tables: SEAT and CEAT, alone and in suites."""

from __future__ import annotations

from collections.abc import Sequence

from aslant.errors import plural
from aslant.measures.association.result import SkippedTest
from aslant.measures.association.show import SCALE, WEAT_COLUMNS, exactness
from aslant.measures.sentence_tests.result import CeatResult, CeatSuiteResult, ContextWord, SeatResult, SeatSuiteResult
from aslant.measures.template_tests.result import MODEL_CONTENT_NOTE
from aslant.report.tables import Column, Table, bar, between, number, plain, pvalue

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
    Column("test", "test", plain, "left"),
    Column("title", "what is compared", plain, "left", wraps=True),
    Column("effect_size", "CES", number),
    Column("effect_size", SCALE, bar, "left", terminal_only=True, min_width=130),
    Column("interval", "95 % of draws", str, min_width=100),
    Column("positive", "above 0", str, min_width=110),
    Column("people_effect_size", "d, people", number, min_width=118),
    Column("pvalue", "p", pvalue),
    Column("qvalue", "q", pvalue),
    Column("published_pvalue", "p, published", published, min_width=68),
)
SIGN = (
    "above 0: the first target set is associated with the first attribute and the second with the second; 0: no "
    "association."
)
#: How many words a note names at most.
NAMED = 12


def seat_table(result: SeatResult | SeatSuiteResult) -> Table:
    """Describe one SEAT, or a suite with the tests that were not run under it."""
    tests, several = (result.results, True) if isinstance(result, SeatSuiteResult) else ((result,), False)
    rows = [{**row, "interval": between(row["low"], row["high"], number)} for row in result.rows()]
    notes = [
        f"d: WEAT's effect size over sentences, as published; {SIGN}",
        "people: the effect in the study that a test mirrors; interval: over the choice of words.",
        *(_unit_note(tests[0].unit, tests[0].alternative, tests, several) if tests else ()),
    ]
    notes += [
        f"{plain(t.test)}: of no known kind, so put into sentences without an article: {_some(t.assumed)}"
        for t in tests
        if t.assumed
    ]
    return _table("SEAT", result, SEAT_COLUMNS, rows, notes, several)


def _unit_note(unit: str, alternative: str, tests: Sequence[SeatResult], several: bool) -> tuple[str, ...]:
    over = (
        "over every re-partition of the target words, all sentences of a word together"
        if unit == "word"
        else "over re-partitions of sentences, as published: too small, since sentences of a word are not independent"
    )
    return (f"p ({plain(alternative)}): {over}, {exactness(tests)}{_qvalues(len(tests), several)}",)


def _qvalues(n: int, several: bool) -> str:
    return f"; q: Benjamini–Hochberg over {plural(n, 'test')}." if several else "."


def ceat_table(result: CeatResult | CeatSuiteResult) -> Table:
    """Describe one CEAT, or a suite with the tests that were not run under it."""
    tests, several = (result.results, True) if isinstance(result, CeatSuiteResult) else ((result,), False)
    rows = [
        {
            **row,
            "interval": between(row["low"], row["high"], number),
            "positive": f"{row['share_positive']:.0%}",
        }
        for row in result.rows()
    ]
    notes = [f"CES: effect sizes of draws of one context for each word, combined by random effects; {SIGN}"]
    if tests:
        first = tests[0]
        notes += [
            f"p ({plain(first.alternative)}): over every re-partition of the target words, {exactness(tests)}"
            + _qvalues(len(tests), several),
            f"p, published: assumes that draws ({first.samples:,}) are independent, but they share words and "
            "contexts, so it goes to 0 as more are drawn; it is not evidence.",
            f"corpus: {plain(first.corpus.name)}, {plural(first.corpus.sentences, 'sentence')}; up to "
            f"{plural(first.contexts_per_word, 'context')} for each word.",
        ]
    for test in tests:
        if short := test.short_of_contexts:
            notes.append(f"{plain(test.test)}: fewer contexts than requested: {_counted(short)}")
    return _table("CEAT", result, CEAT_COLUMNS, rows, notes, several)


def _counted(words: Sequence[ContextWord]) -> str:
    fewest = sorted(words, key=lambda word: word.contexts)
    return _some([f"{word.word} ({word.contexts:,})" for word in fewest])


def _some(words: Sequence[str]) -> str:
    more = f" and {len(words) - NAMED} more" if len(words) > NAMED else ""
    return plain(", ".join(words[:NAMED])) + more


def _table(
    name: str,
    result: SeatResult | SeatSuiteResult | CeatResult | CeatSuiteResult,
    columns: tuple[Column, ...],
    rows: list[dict[str, object]],
    notes: Sequence[str],
    several: bool,
) -> Table:
    tests: Sequence[SeatResult | CeatResult] = ()
    skipped: tuple[SkippedTest, ...] = ()
    if isinstance(result, SeatSuiteResult | CeatSuiteResult):
        tests, skipped = result.results, result.skipped
    else:
        tests = (result,)
    shown = tuple(column for column in columns if several or column.key != "qvalue")
    said = [*notes]
    said += [f"{plain(t.test)}: left out, {_lacking(name)}: {plain(', '.join(t.missing))}" for t in tests if t.missing]
    said += [f"{plain(s.test)} was not run: {plain(s.reason)}." for s in skipped]
    title = f"{name} on {result.provenance.representation.name}"
    return Table(title, shown, rows, tuple(said), first_line=MODEL_CONTENT_NOTE)


def _lacking(name: str) -> str:
    return "without a context" if name == "CEAT" else "without a vector"
