"""What every measure returns: frozen facts with their provenance. Nothing here computes or draws."""

from __future__ import annotations

from slant.results.audit import AuditResult
from slant.results.codec import Result
from slant.results.provenance import Provenance, Representation
from slant.results.weat import (
    Correlation,
    GeneralisedWeatResult,
    GroupAssociation,
    HumanComparison,
    Interval,
    LeaveOneOut,
    SkippedTest,
    WeatResult,
    WeatSuiteResult,
    WefatResult,
    WefatWord,
    WordAssociation,
    WordsUsed,
)

__all__ = [
    "AuditResult",
    "Correlation",
    "GeneralisedWeatResult",
    "GroupAssociation",
    "HumanComparison",
    "Interval",
    "LeaveOneOut",
    "Provenance",
    "Representation",
    "Result",
    "SkippedTest",
    "WeatResult",
    "WeatSuiteResult",
    "WefatResult",
    "WefatWord",
    "WordAssociation",
    "WordsUsed",
]
