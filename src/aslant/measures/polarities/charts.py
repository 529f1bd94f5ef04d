"""Charts of polarity: scores of several settings, words that lean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aslant.measures.polarities.result import PolarityResult
from aslant.report.pictures import Row, rows_chart, words_chart
from aslant.report.tables import between, plain, small


def polarities_picture(results: Sequence[PolarityResult]) -> Any:
    """Draw the score of each setting with its interval."""
    rows = [_polarity(place, result) for place, result in enumerate(results)]
    return rows_chart(rows, "polarity: how far words lean on average", [], "score", [0.0])


def _polarity(place: int, result: PolarityResult) -> Row:
    classes = ", ".join(plain(group.name) for group in result.classes)
    low, high = (result.interval.low, result.interval.high) if result.interval else (None, None)
    return {
        "row": place, "label": f"{classes} ({plain(result.scheme)})", "test": f"{plain(result.scheme)}: {classes}",
        "value": result.score, "low": low, "high": high, "other": None, "series": "score", "other series": "",
        "score": small(result.score), "interval": between(low, high),
    }  # fmt: skip


def leaning_picture(result: PolarityResult) -> Any:
    """Draw the words that lean most; under the binary scheme, from either end."""
    named = [(w.word, w.score, plain(w.leans_to)) for w in result.by_word]
    return words_chart(named, "polarity")
