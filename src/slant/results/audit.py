"""What an audit returns: the result of every measure that was run on one representation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from slant.results.codec import Result
from slant.results.enumeration import EnumerationResult
from slant.results.polarity import PolarityResult
from slant.results.provenance import Representation
from slant.results.weat import WeatSuiteResult


@dataclass(frozen=True)
class AuditResult(Result):
    """Everything that was measured on one representation; `not_run` says what was not, and why."""

    kind: ClassVar[str] = "audit"

    representation: Representation
    weat: WeatSuiteResult
    polarity: tuple[PolarityResult, ...]
    enumeration: EnumerationResult | None
    not_run: dict[str, str]
    created: str
    version: str

    @property
    def missing(self) -> tuple[str, ...]:
        """The words of any measure that have no vector; the names that enumeration lacks are in its own result."""
        lists = (self.weat.missing, *(result.missing for result in self.polarity))
        return tuple(dict.fromkeys(word for words in lists for word in words))

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per test that was run."""
        return self.weat.rows()
