"""Distance to groups as a table, and at a glance."""

from __future__ import annotations

from aslant.measures.group_distances.result import GroupDistanceResult

from aslant.report.conventions import Category, line
from aslant.report.tables import Column, Table, plain, small
from aslant.results.audit import Glance


def table(result: GroupDistanceResult) -> Table:
    """Describe words between two groups."""
    columns = (Column("word", "word", plain, "left"), Column("difference", "difference", small))
    return Table("Distance to groups", columns, result.rows())


def glance(result: GroupDistanceResult, about: Category) -> list[Glance]:
    """Say at a glance what was found."""
    return [line("gender", "own", result.value, "distance", f"Words lie nearer by {result.value:.2f}.")]
