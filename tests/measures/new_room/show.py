"""Relative norm distance as a table, and at a glance."""

from __future__ import annotations

from aslant.measures.relative_norms.result import RelativeNormResult

from aslant.report.conventions import Category, line
from aslant.report.tables import Column, Table, plain, small
from aslant.results.audit import Glance


def table(result: RelativeNormResult) -> Table:
    """Describe words between two groups."""
    columns = (Column("word", "word", plain, "left"), Column("difference", "difference", small))
    return Table("Relative norm distance", columns, result.rows())


def glance(result: RelativeNormResult, about: Category) -> list[Glance]:
    """Say at a glance what was found."""
    return [line("gender", "own", result.value, "relative norm", f"Words lie nearer by {result.value:.2f}.")]
