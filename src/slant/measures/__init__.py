"""One file per published measure: a pure statistic on arrays, then one public function that returns a result."""

from __future__ import annotations

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

__all__ = [
    "ceat",
    "ceat_suite",
    "compare",
    "compare_enumerations",
    "compare_polarity",
    "contextual_bias",
    "direct_bias",
    "enumerate_biases",
    "gender_subspace",
    "generalised_weat",
    "geometry",
    "indirect_bias",
    "log_probability_bias",
    "log_probability_suite",
    "log_probability_weat",
    "make_survey",
    "masked_weat",
    "masked_weat_suite",
    "polarity",
    "polarity_trend",
    "polarity_trends",
    "pronoun_choice",
    "pronoun_resolution",
    "questions_to_rate",
    "residual_bias",
    "score_survey",
    "seat",
    "seat_suite",
    "template_weat",
    "weat",
    "weat_suite",
    "wefat",
    "word_similarity",
]
