"""How co-occurrences are counted and judged: every setting, declared once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from aslant.measures.shared.settings import Bootstrap, Confidence, Draws, Settings, setting


@dataclass(frozen=True, kw_only=True)
class PmiSettings(Settings):
    """What counts as near, which words are too rare, and what is drawn."""

    window: Annotated[int, setting("Words on either side that count as near, within a sentence.", ge=1, le=1_000)] = 10
    min_near: Annotated[int, setting("Leave out words that stand near the contexts less often.", ge=1, le=10**9)] = 10
    bootstrap: Bootstrap = 2_000
    confidence: Confidence = 0.95
    chance: Draws = 2_000
