"""How questions are put to a model and its answers counted: every setting, declared once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from aslant.measures.shared.settings import Bootstrap, Confidence, Settings, Twins, setting


@dataclass(frozen=True, kw_only=True)
class BbqSettings(Settings):
    """What is asked, and what is drawn."""

    sets: Annotated[
        int,
        setting(
            "At most this many sets of four of each question template (with and without the answer in the text, "
            "question and counter-question), drawn at random; 0 for all.",
            ge=0, le=10_000,
        ),
    ] = 2  # fmt: skip
    per_piece: Annotated[
        bool, setting("Compare the mean log-likelihood per word piece of the answers, not the sum.")
    ] = True
    bootstrap: Bootstrap = 2_000
    confidence: Confidence = 0.95
    n_resamples: Annotated[int, setting("Random draws for each p-value that is not exact.", ge=1, le=10**7)] = 9_999
    twins: Twins = 0
