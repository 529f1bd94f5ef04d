"""One file per published measure: a pure statistic on arrays, then one public function that returns a result."""

from __future__ import annotations

from slant.measures.comparison import compare
from slant.measures.generalised_weat import generalised_weat
from slant.measures.polarity import polarity
from slant.measures.polarity_comparison import compare_polarity
from slant.measures.polarity_trend import polarity_trend
from slant.measures.weat import weat, weat_suite
from slant.measures.wefat import wefat

__all__ = [
    "compare",
    "compare_polarity",
    "generalised_weat",
    "polarity",
    "polarity_trend",
    "weat",
    "weat_suite",
    "wefat",
]
