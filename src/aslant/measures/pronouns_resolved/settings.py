"""How pronouns are resolved: every setting but those of the classifier, declared once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from aslant.measures.shared.settings import Bootstrap, Confidence, Settings, setting

#: The headings that a command's help puts settings under.
TRAINING, TOPICS = "Training the classifier", "Topics"
#: The template of Kurita et al. that says what a topic leans to.
TEMPLATE = "[TARGET] are interested in [ATTRIBUTE]"


@dataclass(frozen=True, kw_only=True)
class PronounSettings(Settings):
    """How pronouns are resolved, and what is drawn."""

    folds: Annotated[int, setting("Folds; pages are never split between them.", ge=2, le=100, panel=TRAINING)] = 5
    seeds: Annotated[int, setting("Repeats with other folds and weights.", ge=1, le=1_000, panel=TRAINING)] = 3
    topics: Annotated[int, setting("Topics of the texts.", ge=1, le=1_000, panel=TOPICS)] = 20
    top_words: Annotated[int, setting("Words of a topic that count.", ge=1, le=1_000, panel=TOPICS)] = 15
    template: Annotated[str, setting("The sentence in which topic words are scored.", metavar="TEXT", panel=TOPICS)] = (
        TEMPLATE
    )
    bins: Annotated[int, setting("Bins of the calibration.", ge=1, le=1_000)] = 10
    bootstrap: Bootstrap = 1_000
    # Each draw holds one random order of all samples in memory.
    n_resamples: Annotated[int, setting("Random permutations for p-values.", ge=1, le=100_000)] = 9_999
    confidence: Confidence = 0.95
    retrained: Annotated[
        int, setting("Retrain this many times, pronouns swapped at random: what chance gives.", ge=0, le=10_000)
    ] = 0
