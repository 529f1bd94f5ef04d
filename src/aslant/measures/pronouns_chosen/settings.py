"""How models are asked which pronoun they prefer: every setting, declared once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from aslant.measures.shared.settings import Bootstrap, Confidence, Settings, Twins, setting


@dataclass(frozen=True, kw_only=True)
class PronounChoiceSettings(Settings):
    """What is drawn, and who else is asked."""

    bootstrap: Bootstrap = 2_000
    confidence: Confidence = 0.95
    n_resamples: Annotated[int, setting("Random draws for each p-value that is not exact.", ge=1, le=10**7)] = 9_999
    twins: Twins = 0
