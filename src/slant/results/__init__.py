"""What every measure returns: frozen facts with their provenance. Nothing here computes or draws."""

from __future__ import annotations

from slant.results.audit import AuditResult
from slant.results.codec import Result
from slant.results.polarity import (
    ComparisonResult,
    Difference,
    PolarityComparison,
    PolarityResult,
    TrendPoint,
    TrendResult,
    TrendTest,
    WeatDifference,
    WordPolarity,
)
from slant.results.provenance import Provenance, Representation
from slant.results.replication import ReplicatedCell, ReplicationResult
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
    "ComparisonResult",
    "Correlation",
    "Difference",
    "GeneralisedWeatResult",
    "GroupAssociation",
    "HumanComparison",
    "Interval",
    "LeaveOneOut",
    "PolarityComparison",
    "PolarityResult",
    "Provenance",
    "ReplicatedCell",
    "ReplicationResult",
    "Representation",
    "Result",
    "SkippedTest",
    "TrendPoint",
    "TrendResult",
    "TrendTest",
    "WeatDifference",
    "WeatResult",
    "WeatSuiteResult",
    "WefatResult",
    "WefatWord",
    "WordAssociation",
    "WordPolarity",
    "WordsUsed",
]
