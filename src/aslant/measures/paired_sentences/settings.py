"""How pairs of sentences are compared: every setting, declared once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from aslant.measures.shared.settings import Bootstrap, Confidence, Settings, Twins, setting

Score = Literal["auto", "within-word", "pll", "crows", "aul", "aula", "likelihood", "likelihood-per-piece"]


@dataclass(frozen=True, kw_only=True)
class SentencePairsSettings(Settings):
    """How sentences are scored, how many are, and what is drawn."""

    score: Annotated[
        Score,
        setting(
            "within-word, pll, crows, aul or aula of a masked model; likelihood or likelihood-per-piece of a causal "
            "one; auto: within-word or likelihood."
        ),
    ] = "auto"
    sample: Annotated[int, setting("Pairs that are drawn, in proportion to categories; 0: all.", ge=0, le=10**6)] = 0
    bootstrap: Bootstrap = 2_000
    confidence: Confidence = 0.95
    n_resamples: Annotated[int, setting("Random draws for each p-value that is not exact.", ge=1, le=10**7)] = 9_999
    twins: Twins = 3
