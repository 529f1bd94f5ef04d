"""Contextual models: masked and causal language models. The only room that knows torch and transformers."""

from __future__ import annotations

from slant.models.classifier import Classifier
from slant.models.protocols import CausalLM, CausalScore, LanguageModel, MaskedLM, MaskedScore, Sentence

__all__ = ["CausalLM", "CausalScore", "Classifier", "LanguageModel", "MaskedLM", "MaskedScore", "Sentence"]
