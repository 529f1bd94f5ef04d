"""slant finds, measures and explains social bias in word embeddings and language models.

Everything public is here by name; modules load when first used, so that importing slant costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from slant.version import __version__

_HOMES = {
    "AuditResult": "slant.results",
    "ResultsStore": "slant.auditing",
    "LookupPolicy": "slant.vectors",
    "WeatResult": "slant.results",
    "SlantError": "slant.errors",
    "WordVectors": "slant.vectors",
    "audit": "slant.auditing",
    "ceat": "slant.measures",
    "ceat_suite": "slant.measures",
    "audit_list": "slant.auditing",
    "audit_models": "slant.auditing",
    "check_policy": "slant.policies",
    "compare": "slant.measures",
    "compare_enumerations": "slant.measures",
    "compare_polarity": "slant.measures",
    "enumerate_biases": "slant.measures",
    "EnumerationResult": "slant.results",
    "contextual_bias": "slant.measures",
    "direct_bias": "slant.measures",
    "gender_subspace": "slant.measures",
    "geometry": "slant.measures",
    "indirect_bias": "slant.measures",
    "residual_bias": "slant.measures",
    "polarity": "slant.measures",
    "polarity_trend": "slant.measures",
    "polarity_trends": "slant.measures",
    "pronoun_choice": "slant.measures",
    "generalised_weat": "slant.measures",
    "Corpus": "slant.corpus",
    "load": "slant.vectors",
    "load_encoder": "slant.models.encoder_loading",
    "load_corpus": "slant.corpus",
    "load_lm": "slant.models.loading",
    "log_probability_bias": "slant.measures",
    "log_probability_suite": "slant.measures",
    "log_probability_weat": "slant.measures",
    "make_survey": "slant.measures",
    "masked_weat": "slant.measures",
    "masked_weat_suite": "slant.measures",
    "pronoun_resolution": "slant.measures",
    "questions_to_rate": "slant.measures",
    "score_survey": "slant.measures",
    "seat": "slant.measures",
    "seat_suite": "slant.measures",
    "template_weat": "slant.measures",
    "use_workers": "slant.parallel",
    "weat": "slant.measures",
    "weat_suite": "slant.measures",
    "replicate_paper": "slant.replicate",
    "replicate_all": "slant.replicate",
    "hard_debias": "slant.debias",
    "project_out": "slant.debias",
    "multiclass_hard_debias": "slant.debias",
    "multiclass_soft_debias": "slant.debias",
    "double_hard_debias": "slant.debias",
    "half_sibling_debias": "slant.debias",
    "nullspace_debias": "slant.debias",
    "leace_debias": "slant.debias",
    "word_similarity": "slant.measures",
    "debias_check": "slant.checking",
    "wefat": "slant.measures",
}

#: Rooms that are reached as attributes, such as `slant.stimuli.first_names()`.
_ROOMS = (
    "corpus", "data", "debias", "measures", "models", "policies", "replicate", "report", "results", "statistics",
    "stimuli", "vectors",
)  # fmt: skip

if TYPE_CHECKING:
    from slant.auditing import ResultsStore, audit, audit_list, audit_models
    from slant.checking import debias_check
    from slant.corpus import Corpus, load_corpus
    from slant.debias import (
        double_hard_debias,
        half_sibling_debias,
        hard_debias,
        leace_debias,
        multiclass_hard_debias,
        multiclass_soft_debias,
        nullspace_debias,
        project_out,
    )
    from slant.errors import SlantError
    from slant.measures.ceat import ceat, ceat_suite
    from slant.measures.comparison import compare
    from slant.measures.contextual import contextual_bias
    from slant.measures.direct_bias import direct_bias
    from slant.measures.enumeration import enumerate_biases
    from slant.measures.enumeration_comparison import compare_enumerations
    from slant.measures.generalised_weat import generalised_weat
    from slant.measures.geometry import geometry
    from slant.measures.indirect_bias import indirect_bias
    from slant.measures.log_probability import log_probability_bias
    from slant.measures.log_probability_weat import log_probability_suite, log_probability_weat
    from slant.measures.masked_weat import masked_weat, masked_weat_suite
    from slant.measures.polarity import polarity
    from slant.measures.polarity_comparison import compare_polarity
    from slant.measures.polarity_trend import polarity_trend, polarity_trends
    from slant.measures.pronoun_choice import pronoun_choice
    from slant.measures.pronouns import pronoun_resolution
    from slant.measures.residual import residual_bias
    from slant.measures.seat import seat, seat_suite
    from slant.measures.similarity import word_similarity
    from slant.measures.subspace import gender_subspace
    from slant.measures.survey import make_survey, questions_to_rate, score_survey
    from slant.measures.template_weat import template_weat
    from slant.measures.weat import weat, weat_suite
    from slant.measures.wefat import wefat
    from slant.models.encoder_loading import load_encoder
    from slant.models.loading import load_lm
    from slant.parallel import use_workers
    from slant.policies import check_policy
    from slant.replicate import replicate_all, replicate_paper
    from slant.results import AuditResult, EnumerationResult, WeatResult
    from slant.vectors import LookupPolicy, WordVectors, load

__all__ = [
    "AuditResult",
    "Corpus",
    "EnumerationResult",
    "LookupPolicy",
    "ResultsStore",
    "SlantError",
    "WeatResult",
    "WordVectors",
    "__version__",
    "audit",
    "audit_list",
    "audit_models",
    "ceat",
    "ceat_suite",
    "check_policy",
    "compare",
    "compare_enumerations",
    "compare_polarity",
    "contextual_bias",
    "debias_check",
    "direct_bias",
    "double_hard_debias",
    "enumerate_biases",
    "gender_subspace",
    "generalised_weat",
    "geometry",
    "half_sibling_debias",
    "hard_debias",
    "indirect_bias",
    "leace_debias",
    "load",
    "load_corpus",
    "load_encoder",
    "load_lm",
    "log_probability_bias",
    "log_probability_suite",
    "log_probability_weat",
    "make_survey",
    "masked_weat",
    "masked_weat_suite",
    "multiclass_hard_debias",
    "multiclass_soft_debias",
    "nullspace_debias",
    "polarity",
    "polarity_trend",
    "polarity_trends",
    "project_out",
    "pronoun_choice",
    "pronoun_resolution",
    "questions_to_rate",
    "replicate_all",
    "replicate_paper",
    "residual_bias",
    "score_survey",
    "seat",
    "seat_suite",
    "template_weat",
    "use_workers",
    "weat",
    "weat_suite",
    "wefat",
    "word_similarity",
]


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return importlib.import_module(f"slant.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'slant' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
