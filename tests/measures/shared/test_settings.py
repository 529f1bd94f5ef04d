"""The settings of a measure are declared once: signature, checks, record and options follow from it."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import aslant
from aslant.errors import MeasureError
from aslant.measures.association.settings import WeatSettings, WeatSuiteSettings
from aslant.measures.descriptors.settings import HolisticBiasSettings
from aslant.measures.enumeration.settings import EnumerationSettings
from aslant.measures.paired_sentences.settings import SentencePairsSettings
from aslant.measures.polarities.settings import PolaritySettings, TrendSettings, TrendsSettings
from aslant.measures.pronouns_chosen.settings import PronounChoiceSettings
from aslant.measures.pronouns_resolved.settings import PronounSettings
from aslant.measures.questions.settings import BbqSettings
from aslant.measures.sentence_tests.settings import CeatSettings, SeatSettings
from aslant.measures.shared.settings import Settings, declared
from aslant.measures.template_tests.settings import LogProbabilityWeatSettings, MaskedWeatSettings

MEASURES: dict[str, tuple[Any, type[Settings]]] = {
    "weat": (aslant.weat, WeatSettings),
    "weat_suite": (aslant.weat_suite, WeatSuiteSettings),
    "seat": (aslant.seat, SeatSettings),
    "ceat": (aslant.ceat, CeatSettings),
    "masked_weat": (aslant.masked_weat, MaskedWeatSettings),
    "log_probability_weat": (aslant.log_probability_weat, LogProbabilityWeatSettings),
    "enumerate_biases": (aslant.enumerate_biases, EnumerationSettings),
    "polarity": (aslant.polarity, PolaritySettings),
    "compare_polarity": (aslant.compare_polarity, PolaritySettings),
    "polarity_trend": (aslant.polarity_trend, TrendSettings),
    "polarity_trends": (aslant.polarity_trends, TrendsSettings),
    "pronoun_choice": (aslant.pronoun_choice, PronounChoiceSettings),
    "sentence_pairs": (aslant.sentence_pairs, SentencePairsSettings),
    "holistic_bias": (aslant.holistic_bias, HolisticBiasSettings),
    "bbq": (aslant.bbq, BbqSettings),
    "pronoun_resolution": (aslant.pronoun_resolution, PronounSettings),
}


@pytest.mark.parametrize("name", MEASURES)
def test_the_signature_shows_every_setting_with_its_default(name: str) -> None:
    function, settings = MEASURES[name]
    parameters = inspect.signature(function).parameters
    assert not any("Settings" in str(parameter.annotation) for parameter in parameters.values())
    for field, value in vars(settings()).items():
        assert parameters[field].default == value
        assert parameters[field].kind is inspect.Parameter.KEYWORD_ONLY
        assert "setting" not in str(parameters[field].annotation)


@pytest.mark.parametrize("name", MEASURES)
def test_every_setting_is_described(name: str) -> None:
    settings: Any = MEASURES[name][1]
    assert set(declared(settings)) == set(vars(settings()))
    assert all(meta.description for _, meta in declared(settings).values())


def test_a_suite_runs_no_test_with_fewer_than_half_of_a_set_unless_told() -> None:
    assert (WeatSettings().min_found, WeatSuiteSettings().min_found) == (0.0, 0.5)


@pytest.mark.parametrize(
    ("kind", "wrong", "said"),
    [
        (WeatSettings, {"confidence": 1.0}, "confidence is 1.0; give a number between 0 and 1."),
        (WeatSettings, {"confidence": 0.0}, "confidence is 0.0"),
        (WeatSettings, {"min_found": -0.1}, "min_found is -0.1; give a number between 0 and 1."),
        (WeatSettings, {"min_found": True}, "min_found is True"),
        (WeatSettings, {"min_found": "half"}, "min_found is 'half'"),
        (WeatSettings, {"bootstrap": 100_001}, "bootstrap is 100001; give a whole number from 0 to 100,000."),
        (WeatSettings, {"n_resamples": 0}, "n_resamples is 0; give a whole number from 1"),
        (WeatSettings, {"method": "guess"}, "method is 'guess'; choose one of auto, enumeration"),
        (SeatSettings, {"pooling": "max"}, "pooling is 'max'; choose one of served, mean, first."),
        (CeatSettings, {"samples": 0}, "samples is 0; give a whole number from 1"),
        (EnumerationSettings, {"voronoi": None}, "voronoi is None; give True or False."),
        (EnumerationSettings, {"drop_names": "yes"}, "drop_names is 'yes'; give True or False."),
        (EnumerationSettings, {"precision": 1}, "precision is 1; give a number between 0 and 1."),
        (EnumerationSettings, {"left_out": None}, "left_out is None; give a number between 0 and 1."),
        (LogProbabilityWeatSettings, {"alternative": "more"}, "alternative is 'more'; choose one of"),
    ],
)
def test_what_a_setting_does_not_allow_is_refused(kind: type[Settings], wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(MeasureError) as caught:
        kind(**wrong)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "given", [{"min_found": 0}, {"min_found": 1}, {"bootstrap": 0}, {"bootstrap": 100_000}, {"method": "monte-carlo"}]
)
def test_the_ends_of_what_is_allowed_are_allowed(given: dict[str, Any]) -> None:
    assert WeatSettings(**given).record().items() >= given.items()


def test_an_unknown_setting_is_refused_as_python_does() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'layer'"):
        aslant.weat_suite(aslant.load(), layer=1)
