"""Relative norm distance in an audit."""

from __future__ import annotations

from typing import Any


def run(work: Any) -> tuple[Any, ...]:
    """Measure the words that ship."""
    from aslant.measures.relative_norms.measure import relative_norm

    return (relative_norm(work.subject.opened),)
