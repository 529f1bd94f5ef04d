"""Contextual models: masked and causal language models, encoders. The only room that knows torch and transformers."""

from __future__ import annotations

from aslant.models.classifier import Classifier
from aslant.models.identity import identity_of, is_registered
from aslant.models.protocols import (
    CausalLM,
    CausalScore,
    Encoder,
    LanguageModel,
    MaskedLM,
    MaskedScore,
    MasksWords,
    Passage,
    ScoresTexts,
    Sentence,
    SentenceEncoder,
    TextScore,
    WritesTexts,
)

__all__ = [
    "CausalLM",
    "CausalScore",
    "Classifier",
    "Encoder",
    "LanguageModel",
    "MaskedLM",
    "MaskedScore",
    "MasksWords",
    "Passage",
    "ScoresTexts",
    "Sentence",
    "SentenceEncoder",
    "TextScore",
    "WritesTexts",
    "identity_of",
    "is_registered",
]
