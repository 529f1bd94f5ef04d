"""How scores of word sets are found: every setting, declared once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from aslant.measures.shared.settings import Bootstrap, Confidence, Draws, MinFound, Settings, setting


@dataclass(frozen=True, kw_only=True)
class ScoreSettings(Settings):
    """How one score is found."""

    chance: Draws = 2_000
    bootstrap: Bootstrap = 2_000
    confidence: Confidence = 0.95
    n_resamples: Annotated[
        int, setting("Ways to reassign words; if there are no more than this, p is exact.", ge=1, le=10**6)
    ] = 20_000
    unit: Annotated[bool, setting("Take all vectors at unit length first.")] = False
    min_found: MinFound = 0.0


@dataclass(frozen=True, kw_only=True)
class ScoresSettings(ScoreSettings):
    """How scores of several word sets are found."""

    min_found: MinFound = 0.5
