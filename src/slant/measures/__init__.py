"""One file per published measure: a pure statistic on arrays, then one public function that returns a result."""

from __future__ import annotations

from slant.measures.generalised_weat import generalised_weat
from slant.measures.weat import weat, weat_suite
from slant.measures.wefat import wefat

__all__ = ["generalised_weat", "weat", "weat_suite", "wefat"]
