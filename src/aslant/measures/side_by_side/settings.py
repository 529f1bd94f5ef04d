"""How two embeddings are compared: every setting, declared once."""

from __future__ import annotations

from dataclasses import dataclass

from aslant.measures.shared.settings import Bootstrap, Confidence, MinFound, Settings


@dataclass(frozen=True, kw_only=True)
class ComparisonSettings(Settings):
    """How two embeddings are compared."""

    min_found: MinFound = 0.5
    bootstrap: Bootstrap = 2_000
    confidence: Confidence = 0.95
