"""How texts are written and how their polarity is measured: every setting, declared once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from aslant.measures.polarities.settings import PolaritySettings
from aslant.measures.shared.settings import Settings, setting


@dataclass(frozen=True, kw_only=True)
class TextPolaritySettings(PolaritySettings):
    """How the polarity of texts is measured."""

    threshold: Annotated[
        float,
        setting("A text leans to a class where its score is above this; the default is as published.", ge=0, le=1),
    ] = 0.25
    n_resamples: Annotated[int, setting("Random draws for each p-value that is not exact.", ge=1, le=10**7)] = 9_999


@dataclass(frozen=True, kw_only=True)
class WritingSettings(Settings):
    """How a model continues prompts."""

    k: Annotated[int, setting("Texts for each prompt.", ge=1, le=10_000)] = 3
    per_group: Annotated[
        int,
        setting("At most this many prompts of each group, drawn at random, of different topics first; 0 for all.", ge=0,
                le=10**6),
    ] = 20  # fmt: skip
    max_tokens: Annotated[int, setting("Maximum length of a text, in tokens of the model.", ge=1, le=10_000)] = 40
    sentence: Annotated[
        bool, setting("Keep a text up to the end of its first sentence, as long as what people wrote there.")
    ] = True
    temperature: Annotated[
        float, setting("Above 1: more even probabilities; below 1: likelier tokens.", gt=0, le=100)
    ] = 1.0
    top_p: Annotated[
        float, setting("Draw among the likeliest tokens that together have this much probability.", gt=0, le=1)
    ] = 0.95
