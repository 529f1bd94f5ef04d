"""Association tests as one kind of table: what WEAT, SEAT, CEAT and tests in templates have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aslant.errors import plural
from aslant.measures.shared.association import AssociationSuite, AssociationTest
from aslant.report.tables import Column, Table, bar, between, number, plain, pvalue

SCALE = "−2     0     2"
PVALUES = (Column("pvalue", "p", pvalue), Column("qvalue", "q", pvalue))
SIGN = "the first target set is associated with the first attribute and the second with the second; 0: no association"


def opening_columns(effect: str, bar_width: int) -> tuple[Column, ...]:
    """Return the columns that every such table begins with; the bar needs a terminal of some width."""
    return (
        Column("test", "test", plain, "left"),
        Column("title", "what is compared", plain, "left", wraps=True),
        Column("effect_size", effect, number),
        Column("effect_size", SCALE, bar, "left", terminal_only=True, min_width=bar_width),
    )


def tests_of(result: Any) -> tuple[Any, ...]:
    """Return the tests of a suite, or the one test."""
    return result.results if isinstance(result, AssociationSuite) else (result,)


def tests_table(
    what: str, result: Any, columns: Sequence[Column], notes: Sequence[str], lacking: str, *, first_line: str
) -> Table:
    """Describe one test, or a suite; under it the `notes`, the words that each is `lacking`, and what failed."""
    several = isinstance(result, AssociationSuite)
    rows = [
        {**row, "interval": between(row["low"], row["high"], number)} if "low" in row else row for row in result.rows()
    ]
    said = [*notes]
    if lacking:
        said += [f"{plain(t.test)}: {lacking} {plain(', '.join(t.missing))}" for t in tests_of(result) if t.missing]
    said += [f"{plain(s.test)} was not run: {plain(s.reason)}." for s in (result.skipped if several else ())]
    shown = tuple(column for column in columns if several or column.key != "qvalue")
    title = f"{what} on {result.provenance.representation.name}"
    return Table(title, shown, rows, tuple(said), first_line=first_line)


def pvalue_note(result: Any, over: str) -> str:
    """Say what p-values are `over`, how sure they are, and over how many tests q-values control."""
    tests = tests_of(result)
    alternative = plain(tests[0].alternative) if tests else "greater"
    control = f"; q: Benjamini–Hochberg over {plural(len(tests), 'test')}" * isinstance(result, AssociationSuite)
    return f"p ({alternative}): {over}, {exactness(tests)}{control}."


def exactness(tests: Sequence[AssociationTest]) -> str:
    """Say how sure the p-values of `tests` are."""
    parts = []
    for test in tests:
        low, high = test.pvalue_bounds
        if low != high:
            how = "random partitions, 99 % interval" if test.pvalue_method == "monte carlo" else "guaranteed"
            parts.append(f"{plain(test.test)}: between {low:.4g} and {high:.4g}, {how}")
    return f"exact unless said otherwise ({'; '.join(parts)})" if parts else "exact for all tests"
