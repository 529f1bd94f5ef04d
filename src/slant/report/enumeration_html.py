"""Enumerated biases as HTML: a fragment for any page, and a page of its own. No script, no outside host."""

from __future__ import annotations

from typing import Any

from slant.report import charts, tables
from slant.report import enumeration as described
from slant.report import enumeration_notes as noted
from slant.report.templating import environment
from slant.results import EnumeratedCell, EnumerationResult

#: What q is at most, for each weight of the words; what is significant beyond that is "weak".
WEIGHTS = {"strong": described.STRONG, "medium": described.MEDIUM}


def enumeration_fragment(result: EnumerationResult, *, level: int = 2) -> str:
    """Return a `<section>` with its own scoped style, headed by an `<h2>` (or other `level`)."""
    from markupsafe import Markup

    tests = [_test(result, rank, category) for rank, category in noted.shown_tests(result, None)]
    groups = described.groups_table(result)
    template = environment().get_template("enumeration.html.j2")
    return template.render(
        level=level,
        result=result,
        groups=groups,
        named=[tables.plain(described.named(group)) for group in result.groups],
        headings=[described.head(group).split("\n") for group in result.groups],
        shown=tests[: noted.MOST_TESTS],
        more=tests[noted.MOST_TESTS :],
        chart=Markup(charts.enumeration_heatmap(result)) if tests else "",
        charted=min(len(tests), charts.MOST_CATEGORIES),
        notes=noted.notes(result, all_shown=True),
        weights=WEIGHTS,
        alpha=result.provenance.settings["alpha"],
        plain=tables.plain,
    )


def enumeration_page(result: EnumerationResult) -> str:
    """Return a self-contained page around the fragment."""
    from markupsafe import Markup

    fragment = Markup(enumeration_fragment(result, level=1))
    template = environment().get_template("enumeration_page.html.j2")
    return template.render(result=result, fragment=fragment, plain=tables.plain)


def _test(result: EnumerationResult, rank: int, category: int) -> dict[str, Any]:
    cells = [{**_figures(cell), "words": cell.words} for cell in result.of_category(category)]
    return {"heading": described.heading(result, rank, category), "cells": cells}


def _figures(cell: EnumeratedCell) -> dict[str, str]:
    if not cell.tested:
        return {"kind": "untested", "figures": "no test: too few words"}
    score, p, q = tables.small(cell.score), tables.pvalue(cell.pvalue), tables.pvalue(cell.qvalue)
    kind = next((name for name, most in WEIGHTS.items() if cell.qvalue <= most), "weak")
    figures = f"score {score}, p {p}, q {q}"
    return {"kind": kind if cell.significant else "none", "figures": figures}
