"""Enumerated biases as HTML: a fragment for any page, and a page by itself. Possibly offensive words stay covered."""

from __future__ import annotations

from typing import Any

from aslant.catalogue import kinds
from aslant.measures.enumeration import charts
from aslant.measures.enumeration import notes as noted
from aslant.measures.enumeration import show as described
from aslant.measures.enumeration.result import EnumeratedCell, EnumerationResult
from aslant.report import tables
from aslant.report.offensive_words import cover, may_offend
from aslant.report.templating import asset, environment

#: What q is at most, for each weight of the words; what is significant beyond that is "weak".
WEIGHTS = {"strong": described.STRONG, "medium": described.MEDIUM}

#: A page has room for this many potential indirect biases.
MOST_PROXIES = 20


def enumeration_fragment(
    result: EnumerationResult, *, level: int = 2, figure: str | None = None, styled: bool = True, headed: bool = True
) -> str:
    """Return a block with its own scoped style, headed by an `<h2>` (or other `level`).

    A page that has the style and the heading already leaves them out; `figure` is its own markup for the heat map.
    """
    from markupsafe import Markup

    tests = [_test(result, rank, category) for rank, category in noted.shown_tests(result, None)]
    if figure is None and tests:
        shows = kinds()["enumeration"].pictures[0].shows
        picture = f'<div class="enum-scroll">{charts.enumeration_heatmap(result)}</div>'
        figure = f'<figure>{picture}<figcaption class="enum-soft enum-small">{shows}</figcaption></figure>'
    template = environment().get_template("enumeration.html.j2")
    return template.render(
        level=level,
        headed=headed,
        style=Markup(asset("templates/enumeration.css")) if styled else "",
        result=result,
        groups=described.groups_table(result),
        proxies=result.indirect_bias.strongest[:MOST_PROXIES],
        proxies_note=described.proxies_note(result, MOST_PROXIES),
        small=tables.small,
        named=[tables.plain(described.named(group)) for group in result.groups],
        headings=[described.head(group).split("\n") for group in result.groups],
        shown=tests[: noted.MOST_TESTS],
        more=tests[noted.MOST_TESTS :],
        figure=Markup(figure or ""),
        notes=noted.notes(result, all_shown=True),
        weights=WEIGHTS,
        alpha=result.provenance.settings["alpha"],
        offending=_offending(tests),
        cover=cover,
        may_offend=may_offend,
        plain=tables.plain,
    )


def enumeration_page(result: EnumerationResult) -> str:
    """Return a self-contained page around the fragment."""
    from aslant.report.assembly import measures_of
    from aslant.report.html import render_page

    measures = measures_of("enumeration", (result,))
    title = f"aslant enumeration: {tables.plain(result.provenance.representation.name)}"
    return render_page("enumeration_page.html.j2", measures, title=title, result=result, level=1)


def _test(result: EnumerationResult, rank: int, category: int) -> dict[str, Any]:
    cells = [{**_figures(cell), "words": cell.words} for cell in result.of_category(category)]
    return {"rank": rank, "centre": described.centre(result.categories[category]), "cells": cells}


def _figures(cell: EnumeratedCell) -> dict[str, str]:
    if not cell.tested:
        return {"kind": "untested", "figures": "no test: too few words"}
    score, p, q = tables.small(cell.score), tables.pvalue(cell.pvalue), tables.pvalue(cell.qvalue)
    kind = next((name for name, most in WEIGHTS.items() if cell.qvalue <= most), "weak")
    figures = f"score {score}, p {p}, q {q}"
    return {"kind": kind if cell.significant else "none", "figures": figures}


def _offending(tests: list[dict[str, Any]]) -> int:
    """Count the words of the table that are initially covered."""
    cells = [cell for test in tests for cell in test["cells"] if cell["kind"] not in ("none", "untested")]
    words = [word for cell in cells for word in cell["words"]] + [word for test in tests for word in test["centre"]]
    return len({word for word in words if may_offend(word)})
