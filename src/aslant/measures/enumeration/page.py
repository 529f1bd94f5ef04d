"""Enumerated biases as HTML and as a heat map. Possibly offensive words stay covered."""

from __future__ import annotations

import json
import textwrap
from typing import Any, Literal

from aslant.catalogue import kinds
from aslant.errors import plural
from aslant.measures.enumeration import show as described
from aslant.measures.enumeration.notes import MOST_TESTS, notes, shown_tests
from aslant.measures.enumeration.result import CONTENT_NOTE, EnumerationResult
from aslant.report.charts import INK, PAPER, svg, tips
from aslant.report.html import asset, environment
from aslant.report.offensive_words import cover, covered, may_offend
from aslant.report.tables import plain, pvalue, small

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

    tests = [_test(result, rank, category) for rank, category in shown_tests(result, None)]
    if figure is None and tests:
        shows = kinds()["enumeration"].pictures[0].shows
        picture = f'<div class="enum-scroll">{enumeration_heatmap(result)}</div>'
        figure = f'<figure>{picture}<figcaption class="enum-soft enum-small">{shows}</figcaption></figure>'
    # Of the words of the table, those that may offend are initially covered.
    words = [w for t in tests for c in t["cells"] if c["kind"] not in ("none", "untested") for w in c["words"]]
    words += [word for test in tests for word in test["centre"]]
    template = environment().get_template("enumeration.html.j2")
    return template.render(
        level=level,
        headed=headed,
        style=Markup(asset("templates/enumeration.css")) if styled else "",
        result=result,
        groups=described.groups_table(result),
        proxies=result.indirect_bias.strongest[:MOST_PROXIES],
        proxies_note=described.proxies_note(result, MOST_PROXIES),
        small=small,
        named=[plain(described.named(group)) for group in result.groups],
        headings=[described.head(group).split("\n") for group in result.groups],
        shown=tests[:MOST_TESTS],
        more=tests[MOST_TESTS:],
        figure=Markup(figure or ""),
        notes=notes(result, all_shown=True),
        weights=WEIGHTS,
        alpha=result.provenance.settings["alpha"],
        offending=len({word for word in words if may_offend(word)}),
        cover=cover,
        may_offend=may_offend,
        plain=plain,
    )


def enumeration_page(result: EnumerationResult) -> str:
    """Return a self-contained page around the fragment."""
    from aslant.report.assembly import measures_of
    from aslant.report.cited import references_of
    from aslant.report.html import render_page

    measures = measures_of("enumeration", (result,))
    title = f"aslant enumeration: {plain(result.provenance.representation.name)}"
    return render_page(
        "enumeration_page.html.j2", measures, title=title, result=result, level=1, cited=references_of(result)
    )


def _test(result: EnumerationResult, rank: int, category: int) -> dict[str, Any]:
    cells = []
    for cell in result.of_category(category):
        kind = next((name for name, most in WEIGHTS.items() if cell.qvalue <= most), "weak")
        kind = kind if cell.significant else "none" if cell.tested else "untested"
        figures = f"score {small(cell.score)}, p {pvalue(cell.pvalue)}, q {pvalue(cell.qvalue)}"
        figures = figures if cell.tested else "no test: too few words"
        cells.append({"kind": kind, "figures": figures, "words": cell.words})
    return {"rank": rank, "centre": described.centre(result.categories[category]), "cells": cells}


#: A heat map draws at most this many tests.
MOST_CATEGORIES = 24


def enumeration_heatmap(
    result: EnumerationResult, *, categories: int = MOST_CATEGORIES, standalone: bool = False
) -> str:
    """Draw the scores of groups × categories: the first `categories` tests with a significant cell; returns SVG.

    `standalone` is for a separate file: dark ink on white, and the content note above. Where nothing is
    significant, the first tests are drawn without a mark.
    """
    import altair as alt

    chart = heatmap_picture(result, categories=categories)
    if not standalone:
        return svg(chart)
    note = textwrap.wrap(CONTENT_NOTE, 70)
    shown, significant = len(_charted(result, categories)), len(shown_tests(result, None))
    which = f"{shown} of {plural(significant, 'test')} with significant cells"
    subtitle = f"Score of groups × categories of words, {plain(result.provenance.representation.name)}: "
    subtitle += which if significant else "nothing is significant"
    title = alt.Title(note, subtitle=subtitle, anchor="start", offset=16, fontWeight="normal")
    return svg(chart.properties(title=title), ink=INK, paper=PAPER)


def heatmap_picture(result: EnumerationResult, *, categories: int = MOST_CATEGORIES) -> Any:
    """Draw the scores of groups × categories, possibly offensive words covered; returns an Altair chart."""
    import altair as alt

    tests = _charted(result, categories)
    heads = {rank: described.heading(result, rank, c, write=covered) for rank, c in tests}
    rows = []
    for rank, cell in ((rank, cell) for rank, category in tests for cell in result.of_category(category)):
        verdict = "significant" if cell.significant else None if cell.tested else "no test"
        said = {"names": plain(described.named(result.groups[cell.group])), "words about": heads[rank]}
        figures = {"written": small(cell.score), "p": pvalue(cell.pvalue), "q": pvalue(cell.qvalue)}
        rows.append({"group": cell.group, "test": rank, "score": cell.score, "verdict": verdict, **said, **figures})
    groups = ["\n".join([plain(g.label), *map(plain, g.illustrative[: described.IN_HEADINGS])]) for g in result.groups]
    longest = max(len(line) for name in groups for line in name.split("\n"))
    width = min(8 * longest + 6, 130)  # in pixels, within reason
    x = alt.X("group:O", title=None, **_named(dict(enumerate(groups)), "top", width))
    y = alt.Y("test:O", title=None, **_named(heads, "left", 260))
    base = alt.Chart(alt.InlineData(values=rows)).encode(x=x, y=y)
    legend = alt.Legend(title="score", orient="bottom", gradientLength=220)
    colour = alt.Color("score:Q", scale=alt.Scale(scheme="viridis", domainMin=0), legend=legend)
    squares = base.transform_filter("isValid(datum.score)")
    squares = squares.mark_rect(stroke="currentColor", strokeOpacity=0.25, strokeWidth=0.5)
    squares = squares.encode(color=colour, tooltip=tips("names", "words about", "score:written", "p", "q"))
    # The significant cells have a dot that contrasts with every colour, those without a test a cross.
    marks = {"significant": "circle", "no test": "M-.5,-.5L.5,.5M-.5,.5L.5,-.5"}
    symbols: dict[str, Any] = {"symbolFillColor": "transparent", "symbolStrokeColor": "currentColor", "symbolSize": 60}
    significant = alt.datum.verdict == "significant"
    verdicts = base.transform_filter("isValid(datum.verdict)")
    verdicts = verdicts.mark_point(size=60, strokeWidth=1.3, opacity=1, tooltip=None).encode(
        shape=alt.Shape(
            "verdict:N",
            scale=alt.Scale(domain=list(marks), range=list(marks.values())),
            legend=alt.Legend(title="mark", orient="bottom", direction="vertical", **symbols),
        ),
        fill=alt.condition(significant, alt.value("white"), alt.value("transparent")),
        stroke=alt.condition(significant, alt.value("black"), alt.value("currentColor")),
    )
    return alt.layer(squares, verdicts).properties(width=alt.Step(width), height=alt.Step(24))


def _charted(result: EnumerationResult, categories: int) -> list[tuple[int, int]]:
    return shown_tests(result, categories) or list(enumerate(result.ordering, 1))[:categories]


def _named(names: dict[int, str], orient: Literal["top", "left"], limit: int) -> dict[str, Any]:
    """Return an axis that shows `names` for whole numbers: looked up, since two names may be the same."""
    import altair as alt

    lookup = f"split({json.dumps(names)}[datum.value], '\\n')"
    lines = max(name.count("\n") for name in names.values()) if orient == "top" else 0
    axis = alt.Axis(
        orient=orient, labelExpr=lookup, labelAngle=0, labelLimit=limit, labelPadding=6 + 14 * lines, ticks=False,
        domain=False,
    )  # fmt: skip
    return {"axis": axis, "scale": alt.Scale(domain=list(names))}
