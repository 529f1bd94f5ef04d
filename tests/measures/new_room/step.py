"""Distance to groups in an audit."""

from __future__ import annotations

from typing import Any


def run(work: Any) -> tuple[Any, ...]:
    """Measure the words that ship."""
    from aslant.measures.group_distances.measure import group_distance

    return (group_distance(work.subject.opened),)
