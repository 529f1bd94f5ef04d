"""What is shown of a result: tables and charts, as its room's about.toml says, and a page's section, made of these."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from aslant.catalogue import Kind, Picture, kinds
from aslant.report import charts
from aslant.report.tables import Column, Table, missing_words, plain, small
from aslant.results.audit import AuditPart, AuditResult
from aslant.results.codec import Result


def table_of(result: Result) -> Table:
    """Describe `result` as one table, with all of its fields."""
    kind = kinds().get(result.kind)
    if kind is not None:
        table: Table = kind.resolve(kind.table)(result)
        return table
    known: Any = result
    plain_fields = {key: value for key, value in result.to_dict().items() if isinstance(value, str | int | float)}
    rows = known.rows() if hasattr(result, "rows") else [plain_fields]
    columns = tuple(Column(key, key.replace("_", " "), _value, "left", wraps=True) for key in (rows[0] if rows else ()))
    missing = missing_words(result) if getattr(result, "missing", ()) else ()
    return Table(result.kind.replace("-", " "), columns, rows, missing)


def _value(value: Any) -> str:
    return "–" if value is None else small(value) if isinstance(value, float) else plain(value)


def tables_of(result: Result, width: int = 140) -> tuple[Table, ...]:
    """Describe `result` as the tables that a terminal shows: one, or several where a result has more to show."""
    kind = kinds().get(result.kind)
    return kind.resolve(kind.terminal)(result, width) if kind and kind.terminal else (table_of(result),)


def documents_of(result: Result) -> tuple[Table, ...]:
    """Describe `result` as the tables of a page, or of a Markdown or LaTeX file."""
    kind = kinds().get(result.kind)
    return kind.resolve(kind.documents)(result) if kind and kind.documents else (table_of(result),)


def section_of(result: Result) -> Kind:
    """Return what is said about results of this kind; one that no catalogue has is headed by its name."""
    found = kinds().get(result.kind) or Kind(made="", title=result.kind.replace("-", " ").capitalize())
    if not found.names_itself:
        return found
    named: Any = result
    return replace(found, title=plain(named.title), citation=plain(named.citation))


def pictures_of(result: Result) -> list[tuple[Picture, Any]]:
    """Return the charts of a result that have something to show, each with its Altair chart.

    A wide one is drawn in the width that it gets: in a file charts may stand side by side.
    """
    from aslant.report.pictures import fluid

    kind = kinds().get(result.kind)
    if kind and kind.drawn:
        own: list[tuple[Picture, Any]] = kind.resolve(kind.drawn)(result)
        return own
    drawn = []
    for picture in kind.pictures if kind else ():
        if not picture.needs or getattr(result, picture.needs):
            chart = picture.resolve(picture.draw)(result)
            if chart is not None:
                drawn.append((picture, fluid(chart) if picture.wide else chart))
    return drawn


@dataclass(frozen=True)
class Figure:
    """A chart on a page, ready to be drawn; `fluid` ones fill the available width."""

    id: str
    shows: str
    chart: Any

    @cached_property
    def vega(self) -> dict[str, Any]:
        """The chart as a Vega specification, which says what it shows."""
        return {**charts.vega(self.chart), "description": self.shows}

    @property
    def svg(self) -> Any:
        """The chart as SVG in the colours of the page, for where no script runs."""
        from markupsafe import Markup

        return Markup(charts.svg_of(self.vega))

    @property
    def fluid(self) -> bool:
        """Whether the chart fills the available width."""
        import altair as alt

        return self.chart.autosize is not alt.Undefined


@dataclass(frozen=True)
class Detail:
    """One of several results of a measure: its own heading, charts and tables."""

    title: str
    figures: tuple[Figure, ...]
    tables: tuple[Table, ...]


@dataclass(frozen=True)
class Measure:
    """Everything that a page shows of the results of one kind."""

    id: str
    section: Kind
    figures_first: tuple[Figure, ...]
    tables: tuple[Table, ...]
    missing: tuple[str, ...]
    details: tuple[Detail, ...] = ()
    #: Whose words can be shown one by one.
    tests: tuple[Any, ...] = ()
    #: A result that brings its own markup (see `Kind.fragment`).
    own: Result | None = None
    heading: str = ""

    @property
    def title(self) -> str:
        """The text above it: its own heading, or that of its kind."""
        return self.heading or self.section.title

    @property
    def figures(self) -> tuple[Figure, ...]:
        """All charts, in the order of the page."""
        return (*self.figures_first, *(figure for detail in self.details for figure in detail.figures))


def measures_of_audit(audit: AuditResult) -> list[Measure]:
    """Return what a page shows of every part of an audit."""
    return [found for part in audit.parts for found in measures_of(part.measure, _as_judged(audit, part), part.title)]


def _as_judged(audit: AuditResult, part: AuditPart) -> list[Result]:
    """Return the results of a part, suites of tests with the q-values of the audit's own lines."""
    lines = {line.stimuli: line for line in audit.glance if line.measure == part.measure}
    found: list[Any] = []
    results: tuple[Any, ...] = part.results
    for result in results:
        judged = [lines.get(test.test) for test in getattr(result, "results", ())]
        if judged and all(judged) and hasattr(result, "family"):
            own, chance = ([getattr(line, key) for line in judged] for key in ("qvalue", "chance_qvalue"))
            family = "all lines of this audit that have one"
            result = replace(result, qvalues=tuple(own), chance_qvalues=tuple(chance), family=family)
        found.append(result)
    return found


def measures_of(name: str, results: Sequence[Result], title: str = "") -> list[Measure]:
    """Return one `Measure` for each kind of result, in their order; `title` heads it where there is only one."""
    by_kind: dict[str, list[Result]] = {}
    for result in results:
        by_kind.setdefault(result.kind, []).append(result)
    several = len(by_kind) > 1
    made = [_measure(slug(f"{name}-{kind}" if several else name), found) for kind, found in by_kind.items()]
    return [replace(made[0], heading=plain(title))] if title and not several else made


def _measure(name: str, results: list[Result]) -> Measure:
    first = results[0]
    missing = tuple(dict.fromkeys(word for r in results for word in getattr(r, "missing", ())))
    said = section_of(first)
    if len(results) == 1 and not said.summary:
        own = first if said.fragment else None
        one_by_one = ("associations", "n_partitions")
        words = tuple(t for t in getattr(first, "results", (first,)) if all(hasattr(t, name) for name in one_by_one))
        return Measure(name, said, _figures(name, first), documents_of(first), missing, tests=words, own=own)
    details = []
    for place, result in enumerate(results, 1):
        tables = documents_of(result)
        details.append(Detail(plain(tables[0].title), _figures(f"{name}-{place}", result), tables))
    if not said.summary:
        return Measure(name, said, (), (), missing, tuple(details))
    chart, shows, table = said.resolve(said.summary)(results)
    return Measure(name, said, (Figure(f"{name}-scores", shows, chart),), (table,), missing, tuple(details))


def _figures(name: str, result: Result) -> tuple[Figure, ...]:
    drawn = enumerate(pictures_of(result), 1)
    return tuple(Figure(slug(f"{name}-{place}-{p.name}"), p.shows, chart) for place, (p, chart) in drawn)


def slug(text: str) -> str:
    """Return a name for an anchor or a file: letters, digits and dashes only.

    >>> slug("words/of ../<GloVe>")
    'words-of-GloVe'
    """
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-") or "result"
