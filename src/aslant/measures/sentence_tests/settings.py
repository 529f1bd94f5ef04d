"""How SEATs and CEATs are run: every setting, declared once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from aslant.measures.shared.settings import Alternative, Draws, MinFound, Partitions, Resampled, Twins, setting


@dataclass(frozen=True, kw_only=True)
class SeatSettings(Resampled):
    """How a SEAT is run."""

    chance: Draws = 2_000
    twins: Twins = 0
    pooling: Annotated[
        Literal["served", "mean", "first"],
        setting("A sentence's vector: as the model is served, mean of its words, or first token."),
    ] = "served"
    unit: Annotated[
        Literal["word", "sentence"], setting("What the p-value re-partitions: word, or sentence (as published).")
    ] = "word"
    min_found: MinFound = 0.0


@dataclass(frozen=True, kw_only=True)
class SeatSuiteSettings(SeatSettings):
    """How several SEATs are run."""

    min_found: MinFound = 0.5


@dataclass(frozen=True, kw_only=True)
class CeatSettings(Partitions):
    """How a CEAT is run."""

    samples: Annotated[int, setting("Draws of one context for each word.", ge=1, le=10**7)] = 10_000
    contexts_per_word: Annotated[
        int, setting("At most this many sentences for each word.", ge=1, le=10**6, option="--contexts")
    ] = 1_000
    case: Annotated[
        Literal["as written", "any"], setting("Words count 'as written' (Bill, not bill) or in any case: any.")
    ] = "as written"
    alternative: Alternative = "two-sided"
    chance: Draws = 2_000
    twins: Twins = 0
    min_found: MinFound = 0.0


@dataclass(frozen=True, kw_only=True)
class CeatSuiteSettings(CeatSettings):
    """How several CEATs are run."""

    min_found: MinFound = 0.5
