"""What a page says about each kind of result, and the charts it draws: both as the room's about.toml has them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from aslant.catalogue import Kind, Picture, kinds
from aslant.report.tables import plain
from aslant.results.codec import Result


def section_of(result: Result) -> Kind:
    """Return what is said about results of this kind; one that no catalogue has is headed by its name."""
    kind = result.kind
    found = kinds().get(kind) or Kind(made="", title=kind.replace("-", " ").capitalize())
    if not found.names_itself:
        return found
    named: Any = result
    return replace(found, title=plain(named.title), citation=plain(named.citation))


def pictures_of(result: Result) -> list[tuple[Picture, Any]]:
    """Return the charts of a result that have something to show, each with its Altair chart."""
    kind = kinds().get(result.kind)
    if kind and kind.drawn:
        own: list[tuple[Picture, Any]] = kind.resolve(kind.drawn)(result)
        return own
    drawn = [(picture, _drawn(picture, result)) for picture in (kind.pictures if kind else ())]
    return [(picture, chart) for picture, chart in drawn if chart is not None]


def _drawn(picture: Picture, result: Result) -> Any | None:
    """Draw a chart, in the width that it gets if it is wide: in a file charts may stand side by side."""
    from aslant.report.pictures import fluid

    if picture.needs and not getattr(result, picture.needs):
        return None
    chart = picture.resolve(picture.draw)(result)
    return fluid(chart) if picture.wide and chart is not None else chart
