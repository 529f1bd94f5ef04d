"""How intersectional bias is detected: every setting, declared once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from aslant.measures.shared.settings import Draws, Settings, setting


@dataclass(frozen=True, kw_only=True)
class IntersectionalSettings(Settings):
    """How intersectional bias is detected."""

    threshold: Annotated[
        float, setting("A word goes with the group if an effect size d is above this.", ge=0, le=2)
    ] = 0.8  # fmt: skip
    n_resamples: Annotated[int, setting("Random re-partitions of the names.", ge=99, le=1_000_000)] = 10_000
    chance: Draws = 2_000
