"""What every measure returns: frozen facts with their provenance. Nothing here computes or draws."""

from __future__ import annotations

from slant.results.audit import AuditResult
from slant.results.codec import Result
from slant.results.enumeration import (
    CONTENT_NOTE,
    Demographics,
    EnumeratedCell,
    EnumerationResult,
    IndirectBias,
    NameGroup,
    RotationsUsed,
    WordCategory,
)
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
from slant.results.survey import SurveyResult
from slant.results.survey_plan import Survey
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
    "CONTENT_NOTE",
    "AuditResult",
    "ComparisonResult",
    "Correlation",
    "Demographics",
    "Difference",
    "EnumeratedCell",
    "EnumerationResult",
    "GeneralisedWeatResult",
    "GroupAssociation",
    "HumanComparison",
    "IndirectBias",
    "Interval",
    "LeaveOneOut",
    "NameGroup",
    "PolarityComparison",
    "PolarityResult",
    "Provenance",
    "ReplicatedCell",
    "ReplicationResult",
    "Representation",
    "Result",
    "RotationsUsed",
    "SkippedTest",
    "Survey",
    "SurveyResult",
    "TrendPoint",
    "TrendResult",
    "TrendTest",
    "WeatDifference",
    "WeatResult",
    "WeatSuiteResult",
    "WefatResult",
    "WefatWord",
    "WordAssociation",
    "WordCategory",
    "WordPolarity",
    "WordsUsed",
]
