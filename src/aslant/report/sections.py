"""What a page says about each kind of result, and which charts it draws. The words are data, in sections.toml.

A new kind of result adds a table to sections.toml and, where it has charts, a line to `PICTURES`. A kind without an
entry is shown as a plain table.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from aslant.measures.geometry.result import GeometryResult, SpaceGeometry
from aslant.report.tables import plain
from aslant.results.codec import Result
from aslant.results.replication import ReplicatedFigure, ReplicationResult


@dataclass(frozen=True)
class Section:
    """What is said about one kind of result; a part that is empty is left out of the page."""

    title: str
    question: str = ""
    reads: str = ""
    definition: str = ""
    citation: str = ""
    caveats: tuple[str, ...] = ()
    lacks: str = "Not in the vocabulary"


@dataclass(frozen=True)
class Picture:
    """A chart of one kind of result: the name of its file, what it shows, and the function that draws it."""

    name: str
    shows: str
    draw: Callable[[Any], Any]


@cache
def sections() -> dict[str, Section]:
    """Return what is said about each kind of result.

    >>> sections()["weat-suite"].title
    'Association tests (WEAT)'
    """
    content = tomllib.loads((files("aslant.report") / "sections.toml").read_text(encoding="utf-8"))
    return {kind: Section(**{**said, "caveats": tuple(said.get("caveats", ()))}) for kind, said in content.items()}


def section_of(result: Result) -> Section:
    """Return what is said about results of this kind; a kind without an entry has its name as a title."""
    kind = result.kind
    found = sections().get(kind) or Section(kind.replace("-", " ").capitalize())
    if isinstance(result, ReplicationResult):
        return replace(found, title=plain(result.title), citation=plain(result.citation))
    return found


def pictures_of(result: Result) -> list[tuple[Picture, Any]]:
    """Return the charts of a result that have something to show, each with its Altair chart."""
    if isinstance(result, GeometryResult):
        return [drawn for space in (result.before, result.after) if space for drawn in _of_space(space)]
    if isinstance(result, ReplicationResult):
        return [drawn for figure in result.figures for drawn in _of_figure(figure)]
    drawn = [(picture, picture.draw(result)) for picture in PICTURES.get(result.kind, ())]
    return [(picture, chart) for picture, chart in drawn if chart is not None]


def _of_space(space: SpaceGeometry) -> list[tuple[Picture, Any]]:
    parts = [part for part in (space.subspace, space.direct, space.residual) if part is not None]
    return [
        (replace(picture, name=f"{picture.name}-{space.name}", shows=f"{picture.shows} ({plain(space.name)})"), chart)
        for part in parts for picture, chart in pictures_of(part)
    ]  # fmt: skip


def _of_figure(figure: ReplicatedFigure) -> list[tuple[Picture, Any]]:
    """Return the charts that redraw a figure of a paper, with what the paper says of it."""
    return [
        (replace(picture, name=f"{figure.title} {picture.name}", shows=plain(
            f"{figure.title}, redrawn with {figure.used}. The paper: {figure.paper_says}"
        )), chart)
        for picture, chart in pictures_of(figure.result) if picture.name in figure.pictures
    ]  # fmt: skip


def _from(module: str, name: str) -> Callable[[Any], Any]:
    """Return a function that is looked up when it is called: the charts' modules know the tables', not these."""

    def draw(result: Any) -> Any:
        from importlib import import_module

        return getattr(import_module(f"aslant.{module}"), name)(result)

    return draw


def _wide(draw: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function that draws a chart in the width that it gets: in a file charts may stand side by side."""

    def drawn(result: Any) -> Any:
        from aslant.report.pictures import fluid

        return fluid(draw(result))

    return drawn


_variance = _wide(_from("measures.geometry.charts", "variance_picture"))
_projections = _wide(_from("measures.geometry.charts", "projections_picture"))
_clusters = _wide(_from("measures.geometry.charts", "clusters_picture"))
_trend = _wide(_from("measures.polarities.trend_charts", "trend_picture"))
_histogram = _wide(_from("measures.template_tests.charts", "histogram_picture"))


def _picture_of_clusters(residual: Any) -> Any:
    return None if residual is None or residual.picture is None else _clusters(residual)


def _some(draw: Callable[[Any], Any], field: str) -> Callable[[Any], Any]:
    """Return a function that draws a result only where `field` of it is not empty."""
    return lambda result: draw(result) if getattr(result, field) else None


_suite = _some(_from("report.pictures", "suite_picture"), "results")
_in_context = _from("measures.in_context.charts", "measures_picture")
_swapped = _wide(_from("measures.in_context.charts", "swapped_picture"))
_biased = _some(_wide(_from("measures.in_context.charts", "biased_picture")), "clusters")
_professions = _some(_from("measures.in_context.charts", "professions_picture"), "picture")
_neither = _from("measures.pronouns_resolved.charts", "neither_picture")
_by_topic = _some(_from("measures.pronouns_resolved.charts", "topics_picture"), "correlations")
_occupations = _from("measures.pronouns_chosen.charts", "occupations_picture")
_gaps = _from("measures.pronouns_chosen.charts", "gaps_picture")
_heatmap = _some(_from("report.charts", "heatmap_picture"), "significant")

HEAT_MAP = (
    "Score of each group (column) and test (row), for the first tests with a significant cell; a dot marks what is "
    "significant, a cross where there was no test. Possibly offensive words stay covered here."
)

#: The charts of each kind of result; a new kind adds a line.
PICTURES: dict[str, tuple[Picture, ...]] = {
    "weat-suite": (Picture("effect-sizes", "Effect sizes of the tests, and of studies with people.", _suite),),
    "log-probability-suite": (Picture("effect-sizes", "Effect sizes of the tests.", _suite),),
    "weat": (
        Picture(
            "words",
            "How close each target word is to the attributes.",
            _from("report.pictures", "associations_picture"),
        ),
    ),
    "wefat": (
        Picture("words", "Words between the two sets of attributes.", _from("report.pictures", "wefat_picture")),
    ),
    "polarity": (Picture("words", "The words that lean most.", _from("report.pictures", "leaning_picture")),),
    "polarity-trend": (Picture("trend", "The score over the years.", _trend),),
    "replications": (
        Picture("verdicts", "Cells met, different, and not run.", _from("report.replication", "summary_picture")),
    ),
    "polarity-trends": (Picture("trend", "The score over the years in each setting.", _trend),),
    "comparison": (
        Picture("models", "Each measure in both embeddings.", _from("report.pictures", "comparison_picture")),
    ),
    "audit-comparison": (
        Picture("models", "Effect sizes in every model.", _from("report.pictures", "audits_picture")),
    ),
    "enumeration": (Picture("scores", HEAT_MAP, _heatmap),),
    "subspace": (Picture("variance", "Share of variance of each component.", _variance),),
    "direct-bias": (Picture("projections", "Words furthest along the direction.", _projections),),
    "residual-bias": (Picture("clusters", "The most biased words in the plane.", _picture_of_clusters),),
    "log-probability": (
        Picture("histogram", "How the scores are spread.", _histogram),
        Picture("ranking", "Attributes at both ends.", _from("measures.template_tests.charts", "bars_picture")),
    ),
    "masked-weat-suite": (Picture("effect-sizes", "Effect sizes of the tests, and of studies with people.", _suite),),
    "masked-weat": (
        Picture(
            "words",
            "How close each target word is to the attributes.",
            _from("report.pictures", "associations_picture"),
        ),
    ),
    "seat-suite": (Picture("effect-sizes", "Effect sizes of the tests, and of studies with people.", _suite),),
    "seat": (
        Picture(
            "words",
            "How close each target word is to the attributes.",
            _from("report.pictures", "associations_picture"),
        ),
    ),
    "ceat-suite": (Picture("effect-sizes", "Combined effect sizes of the tests; lines: 95 % of the draws.", _suite),),
    "ceat": (Picture("draws", "Effect sizes of the draws.", _from("measures.sentence_tests.charts", "draws_picture")),),
    "contextual-bias": (
        Picture("measures", "Each measure over the repeats, beside chance.", _in_context),
        Picture("variance", "Share of variance of each component of the swapped pairs.", _swapped),
        Picture("clusters", "The most biased words, in context, in the plane.", _biased),
        Picture("professions", "Professions in the plane, by their bias in the static embedding.", _professions),
    ),
    "pronoun-choice": (
        Picture("occupations", "Preference for “she” over the share of women in each occupation.", _occupations),
        Picture("gaps", "Occupations at both ends, by the gap.", _gaps),
    ),
    "pronoun-resolution": (
        Picture("neither", "Probability of “neither” by gender, and its share in the labels.", _neither),
        Picture("topics", "Probability of “neither” over the bias of a text's topics.", _by_topic),
    ),
}
