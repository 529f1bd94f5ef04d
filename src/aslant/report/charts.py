"""Charts of results, as SVG made by Altair and Vega: no browser, no network."""

from __future__ import annotations

import hashlib
import re
from importlib.util import find_spec
from typing import Any

from aslant.errors import AslantError, MissingExtraError
from aslant.report import drawing

#: These two differ in lightness too, and stand out from white as from a dark page (contrast 3:1 at least).
MODEL_COLOUR = "#3b6fd4"
PEOPLE_COLOUR = "#d27300"
INK, PAPER = "#1c2430", "white"
FONT = "Arial, Helvetica, 'Liberation Sans', sans-serif"


def tips(*fields: str) -> list[Any]:
    """Return what shows when the pointer rests on a mark: fields that hold text, "title:field" where they differ."""
    import altair as alt

    parted = [(field.partition(":")[0], field.partition(":")[2] or field) for field in fields]
    return [alt.Tooltip(field, type="nominal", title=title) for title, field in parted]


def svg(chart: Any, *, ink: str = "currentColor", paper: str = "transparent") -> str:
    """Return `chart` as SVG; by default its text takes the colour of the page around it."""
    return svg_of(vega(chart, ink=ink, paper=paper))


def svg_of(specification: dict[str, Any]) -> str:
    """Return a Vega specification as SVG; the ids in it are its own, for a page that holds several."""
    drawn = drawing.svg_of(specification)
    own = hashlib.sha256(drawn.encode()).hexdigest()[:8]
    return re.sub(r'(id="|url\(#|href="#)((?:gradient|clip)_?\d+)', rf"\1\2-{own}", drawn)


def vega(chart: Any, *, ink: str = "currentColor", paper: str = "transparent") -> dict[str, Any]:
    """Return `chart` as a Vega specification for a page, whose script then needs no Vega-Lite."""
    specification = chart.to_dict(validate=False)  # each part was checked when it was made
    specification["background"] = paper
    config = specification.setdefault("config", {})
    styles: dict[str, Any] = {
        "font": FONT,
        "title": {"color": ink, "subtitleColor": ink},
        "axis": {
            **dict.fromkeys(("labelColor", "titleColor", "gridColor", "domainColor", "tickColor"), ink),
            **{"gridOpacity": 0.12, "domainOpacity": 0.4, "tickOpacity": 0.4},
            **{"titleFontWeight": "normal", "labelFontSize": 12},
        },
        "legend": {
            "labelColor": ink, "titleColor": ink, "labelFontSize": 12, "columnPadding": 24, "symbolType": "square",
        },
        "view": {"stroke": None},
    }  # fmt: skip
    for name, style in styles.items():
        config[name] = {**config.get(name, {}), **style} if isinstance(style, dict) else style
    return drawing.vega_of(specification)


def check_suffix(suffix: str) -> None:
    """Refuse a suffix that no chart can be written as, before anything is measured for it."""
    if suffix not in (".svg", ".png", ".html"):
        raise AslantError(f"a chart cannot be written as '{suffix}'; use .svg, .png or .html.")
    if suffix == ".png" and find_spec("vl_convert") is None:
        raise MissingExtraError("a chart as .png needs vl-convert: pip install '.[figures]', or use .svg.")


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


def chart_title(text: str) -> Any:
    """Return a left-aligned title."""
    import altair as alt

    return alt.Title(text, anchor="start", fontSize=12)
