"""Charts of results, as SVG made by Altair and vl-convert: no browser, no network."""

from __future__ import annotations

import hashlib
import json
import re
import textwrap
from typing import Any, Literal

from aslant.errors import AslantError, plural
from aslant.measures.enumeration.notes import shown_tests
from aslant.measures.enumeration.result import CONTENT_NOTE, EnumeratedCell, EnumerationResult
from aslant.measures.enumeration.show import IN_HEADINGS, heading, named
from aslant.report.offensive_words import covered
from aslant.report.tables import plain, pvalue, small

#: These two differ in lightness too, and stand out from white as from a dark page (contrast 3:1 at least).
MODEL_COLOUR = "#3b6fd4"
PEOPLE_COLOUR = "#d27300"
INK, PAPER = "#1c2430", "white"
FONT = "Arial, Helvetica, 'Liberation Sans', sans-serif"
HEAT_TIPS = ("names", "words about", "score:written", "p", "q")
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
    which = (
        f"{shown} of {plural(significant, 'test')} with significant cells" if significant else "nothing is significant"
    )
    subtitle = f"Score of groups × categories of words, {plain(result.provenance.representation.name)}: {which}"
    title = alt.Title(note, subtitle=subtitle, anchor="start", offset=16, fontWeight="normal")
    return svg(chart.properties(title=title), ink=INK, paper=PAPER)


def heatmap_picture(result: EnumerationResult, *, categories: int = MOST_CATEGORIES) -> Any:
    """Draw the scores of groups × categories, possibly offensive words covered; returns an Altair chart."""
    import altair as alt

    tests = _charted(result, categories)
    heads = {rank: heading(result, rank, c, write=covered) for rank, c in tests}
    rows = [_square(result, heads[rank], rank, cell) for rank, c in tests for cell in result.of_category(c)]
    base = alt.Chart(alt.InlineData(values=rows))
    groups = ["\n".join([plain(g.label), *map(plain, g.illustrative[:IN_HEADINGS])]) for g in result.groups]
    x = alt.X("group:O", title=None, **_named(dict(enumerate(groups)), "top", _step(groups)))
    y = alt.Y("test:O", title=None, **_named(heads, "left", 260))
    squares = (
        base.transform_filter("isValid(datum.score)")
        .mark_rect(stroke="currentColor", strokeOpacity=0.25, strokeWidth=0.5)
        .encode(x=x, y=y, color=_score_colour(), tooltip=tips(*HEAT_TIPS))
    )
    return alt.layer(squares, _verdicts(base, x, y)).properties(width=alt.Step(_step(groups)), height=alt.Step(24))


def _charted(result: EnumerationResult, categories: int) -> list[tuple[int, int]]:
    return shown_tests(result, categories) or list(enumerate(result.ordering, 1))[:categories]


def _verdicts(base: Any, x: Any, y: Any) -> Any:
    """Mark the significant cells by a dot that contrasts with every colour, those without a test by a cross."""
    import altair as alt

    marks = {"significant": "circle", "no test": "M-.5,-.5L.5,.5M-.5,.5L.5,-.5"}
    symbols: dict[str, Any] = {"symbolFillColor": "transparent", "symbolStrokeColor": "currentColor", "symbolSize": 60}
    significant = alt.datum.verdict == "significant"
    return (
        base.transform_filter("isValid(datum.verdict)")
        .mark_point(size=60, strokeWidth=1.3, opacity=1, tooltip=None)
        .encode(
            x=x,
            y=y,
            shape=alt.Shape(
                "verdict:N",
                scale=alt.Scale(domain=list(marks), range=list(marks.values())),
                legend=alt.Legend(title="mark", orient="bottom", direction="vertical", **symbols),
            ),
            fill=alt.condition(significant, alt.value("white"), alt.value("transparent")),
            stroke=alt.condition(significant, alt.value("black"), alt.value("currentColor")),
        )
    )


def tips(*fields: str) -> list[Any]:
    """Return what shows when the pointer rests on a mark: fields that hold text, "title:field" where they differ."""
    import altair as alt

    parted = [(field.partition(":")[0], field.partition(":")[2] or field) for field in fields]
    return [alt.Tooltip(field, type="nominal", title=title) for title, field in parted]


def _score_colour() -> Any:
    import altair as alt

    legend = alt.Legend(title="score", orient="bottom", gradientLength=220)
    return alt.Color("score:Q", scale=alt.Scale(scheme="viridis", domainMin=0), legend=legend)


def _square(result: EnumerationResult, head: str, rank: int, cell: EnumeratedCell) -> dict[str, Any]:
    verdict = "significant" if cell.significant else None if cell.tested else "no test"
    said = {"names": plain(named(result.groups[cell.group])), "words about": head}
    figures = {"written": small(cell.score), "p": pvalue(cell.pvalue), "q": pvalue(cell.qvalue)}
    return {"group": cell.group, "test": rank, "score": cell.score, "verdict": verdict, **said, **figures}


def _step(names: list[str]) -> int:
    """Return a width in pixels for the longest line of `names`, within reason."""
    return min(8 * max(len(line) for name in names for line in name.split("\n")) + 6, 130)


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


def svg(chart: Any, *, ink: str = "currentColor", paper: str = "transparent") -> str:
    """Return `chart` as SVG; by default its text takes the colour of the page around it."""
    return svg_of(vega(chart, ink=ink, paper=paper))


def svg_of(specification: dict[str, Any]) -> str:
    """Return a Vega specification as SVG; the ids in it are its own, for a page that holds several."""
    import vl_convert

    drawn = str(vl_convert.vega_to_svg(specification))
    own = hashlib.sha256(drawn.encode()).hexdigest()[:8]
    return re.sub(r'(id="|url\(#|href="#)((?:gradient|clip)_?\d+)', rf"\1\2-{own}", drawn)


def vega(chart: Any, *, ink: str = "currentColor", paper: str = "transparent") -> dict[str, Any]:
    """Return `chart` as a Vega specification for a page, whose script then needs no Vega-Lite."""
    import altair as alt
    import vl_convert

    specification = chart.to_dict(validate=False)  # each part was checked when it was made
    specification["background"] = paper
    config = specification.setdefault("config", {})
    for name, style in _style(ink).items():
        config[name] = {**config.get(name, {}), **style} if isinstance(style, dict) else style
    return dict(vl_convert.vegalite_to_vega(specification, vl_version=alt.SCHEMA_VERSION.rsplit(".", 1)[0]))


def _style(ink: str) -> dict[str, Any]:
    return {
        "font": FONT,
        "title": {"color": ink, "subtitleColor": ink},
        "axis": {
            "labelColor": ink,
            "titleColor": ink,
            "gridColor": ink,
            "domainColor": ink,
            "tickColor": ink,
            "gridOpacity": 0.12,
            "domainOpacity": 0.4,
            "tickOpacity": 0.4,
            "titleFontWeight": "normal",
            "labelFontSize": 12,
        },
        "legend": {
            "labelColor": ink, "titleColor": ink, "labelFontSize": 12, "columnPadding": 24, "symbolType": "square",
        },
        "view": {"stroke": None},
    }  # fmt: skip


def check_suffix(suffix: str) -> None:
    """Refuse a suffix that no chart can be written as, before anything is measured for it."""
    if suffix not in (".svg", ".png", ".html"):
        raise AslantError(f"a chart cannot be written as '{suffix}'; use .svg, .png or .html.")


def as_file(svg: str, suffix: str) -> bytes:
    """Return a chart as the content of a .svg, .png or .html file.

    >>> as_file("<svg/>", ".svg")
    b'<svg/>'
    """
    check_suffix(suffix)
    if suffix == ".svg":
        return svg.encode()
    if suffix == ".png":
        import vl_convert

        return bytes(vl_convert.svg_to_png(svg, scale=2))
    page = f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>aslant chart</title>\n{svg}\n</html>\n'
    return page.encode()
