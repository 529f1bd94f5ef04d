"""One file per published measure: a pure statistic on arrays, then one public function that returns a result."""

from __future__ import annotations

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
