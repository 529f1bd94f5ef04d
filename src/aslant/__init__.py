"""aslant finds, measures and explains social bias in word embeddings and language models.

Everything public is here by name; modules load when first used, so that importing aslant costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from aslant.version import __version__

_HOMES = {
    "AuditResult": "aslant.results",
    "ResultsStore": "aslant.auditing",
    "LookupPolicy": "aslant.vectors",
    "WeatResult": "aslant.results",
    "AslantError": "aslant.errors",
    "WordVectors": "aslant.vectors",
    "audit": "aslant.auditing",
    "ceat": "aslant.measures",
    "ceat_suite": "aslant.measures",
    "audit_list": "aslant.auditing",
    "audit_models": "aslant.auditing",
    "check_policy": "aslant.auditing.policy",
    "compare": "aslant.measures",
    "compare_enumerations": "aslant.measures",
    "compare_polarity": "aslant.measures",
    "enumerate_biases": "aslant.measures",
    "EnumerationResult": "aslant.results",
    "contextual_bias": "aslant.measures",
    "direct_bias": "aslant.measures",
    "gender_subspace": "aslant.measures",
    "geometry": "aslant.measures",
    "indirect_bias": "aslant.measures",
    "residual_bias": "aslant.measures",
    "polarity": "aslant.measures",
    "polarity_trend": "aslant.measures",
    "polarity_trends": "aslant.measures",
    "pronoun_choice": "aslant.measures",
    "generalised_weat": "aslant.measures",
    "Corpus": "aslant.corpus",
    "load": "aslant.vectors",
    "load_encoder": "aslant.models.encoder_loading",
    "load_corpus": "aslant.corpus",
    "load_lm": "aslant.models.loading",
    "log_probability_bias": "aslant.measures",
    "log_probability_suite": "aslant.measures",
    "log_probability_weat": "aslant.measures",
    "make_survey": "aslant.measures",
    "masked_weat": "aslant.measures",
    "masked_weat_suite": "aslant.measures",
    "pronoun_resolution": "aslant.measures",
    "questions_to_rate": "aslant.measures",
    "score_survey": "aslant.measures",
    "seat": "aslant.measures",
    "seat_suite": "aslant.measures",
    "template_weat": "aslant.measures",
    "use_workers": "aslant.parallel",
    "weat": "aslant.measures",
    "weat_suite": "aslant.measures",
    "replicate_paper": "aslant.replicate",
    "replicate_all": "aslant.replicate",
    "hard_debias": "aslant.debias",
    "project_out": "aslant.debias",
    "multiclass_hard_debias": "aslant.debias",
    "multiclass_soft_debias": "aslant.debias",
    "double_hard_debias": "aslant.debias",
    "half_sibling_debias": "aslant.debias",
    "nullspace_debias": "aslant.debias",
    "leace_debias": "aslant.debias",
    "word_similarity": "aslant.measures",
    "debias_check": "aslant.debias.check",
    "wefat": "aslant.measures",
}

#: Rooms that are reached as attributes, such as `aslant.stimuli.first_names()`.
_ROOMS = (
    "corpus", "data", "debias", "measures", "models", "policies", "replicate", "report", "results", "statistics",
    "stimuli", "vectors",
)  # fmt: skip

if TYPE_CHECKING:
    from aslant.auditing import (ResultsStore, audit, audit_list, audit_models)
    from aslant.debias.check import debias_check
    from aslant.corpus import Corpus, load_corpus
    from aslant.debias import (double_hard_debias, half_sibling_debias, hard_debias, leace_debias, multiclass_hard_debias, multiclass_soft_debias, nullspace_debias, project_out)
    from aslant.errors import AslantError
    from aslant.measures.sentence_tests.contexts import ceat, ceat_suite
    from aslant.measures.side_by_side.measure import compare
    from aslant.measures.in_context.measure import contextual_bias
    from aslant.measures.geometry.direct import direct_bias
    from aslant.measures.enumeration.measure import enumerate_biases
    from aslant.measures.enumeration.comparison import compare_enumerations
    from aslant.measures.association.multi_group import generalised_weat
    from aslant.measures.geometry.measure import geometry
    from aslant.measures.geometry.indirect import indirect_bias
    from aslant.measures.template_tests.scores import log_probability_bias
    from aslant.measures.template_tests.association import log_probability_suite, log_probability_weat
    from aslant.measures.template_tests.masked_words import masked_weat, masked_weat_suite
    from aslant.measures.polarities.measure import polarity
    from aslant.measures.polarities.comparison import compare_polarity
    from aslant.measures.polarities.trend import polarity_trend, polarity_trends
    from aslant.measures.pronouns_chosen.measure import pronoun_choice
    from aslant.measures.pronouns_resolved.measure import pronoun_resolution
    from aslant.measures.residuals.measure import residual_bias
    from aslant.measures.sentence_tests.sentences import seat, seat_suite
    from aslant.measures.similarities.measure import word_similarity
    from aslant.measures.geometry.subspace import gender_subspace
    from aslant.measures.enumeration.survey import (make_survey, questions_to_rate, score_survey)
    from aslant.measures.template_tests.words_in_templates import template_weat
    from aslant.measures.association.measure import weat, weat_suite
    from aslant.measures.association.single_words import wefat
    from aslant.models.encoder_loading import load_encoder
    from aslant.models.loading import load_lm
    from aslant.parallel import use_workers
    from aslant.auditing.policy import check_policy
    from aslant.replicate import replicate_all, replicate_paper
    from aslant.results.audit import AuditResult
    from aslant.measures.enumeration.result import EnumerationResult
    from aslant.measures.association.result import WeatResult
    from aslant.vectors import (LookupPolicy, WordVectors, load)

__all__ = [
    "AuditResult",
    "Corpus",
    "EnumerationResult",
    "LookupPolicy",
    "ResultsStore",
    "AslantError",
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
        return importlib.import_module(f"aslant.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'aslant' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
