"""Every study, and the numbers in results that need none, with the reason."""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
import re

import aslant.measures
import aslant.results
from calibrating import (
    choice_studies,
    model_studies,
    pair_studies,
    resolution_studies,
    score_studies,
    sentence_studies,
    structure_studies,
    text_studies,
    vector_studies,
    weat_studies,
)
from calibrating.rows import Row, Study

MODULES = (
    weat_studies,
    score_studies,
    vector_studies,
    structure_studies,
    sentence_studies,
    model_studies,
    pair_studies,
    resolution_studies,
    choice_studies,
    text_studies,
)
STUDIES: tuple[Study, ...] = tuple(study for module in MODULES for study in module.STUDIES)
ROWS: tuple[Row, ...] = tuple(row for study in STUDIES for row in study.rows)

#: Fields of results with such names promise something that can be checked.
PROMISING = re.compile(r"(pvalue|qvalue|interval|bounds)s?$|^(low|high)$")
_COPIED = "copied from the result of a measure"
_RANGE = "an edge, not an interval: it says where, and promises nothing"
_OF_WEAT = "made by the code of aslant.weat, which is in the table"
CHANCE_BY_WORD = ("WefatWord", "WordPolarity", "WordProjection", "IntersectionalWord", "PmiWord")
SUITES = ("Weat", "Seat", "Ceat", "LogProbability", "MaskedWeat")
EXEMPT = {
    "MaskedWeatResult.interval": _OF_WEAT,
    "MaskedWeatSuiteResult.qvalues": _OF_WEAT,
    "Glance.pvalue": _COPIED,
    "Glance.qvalue": _COPIED,
    "Glance.interval": _COPIED,
    "WorseLine.chance_pvalue": _COPIED,
    "Glance.chance_qvalue": "whole audits of meaningless vectors are counted by tools/audits_of_nothing.py",
    "EnumeratedCell.chance_pvalue": "as Chance.pvalue, over the groups of a few draws, which share their words",
    **{
        f"{word}.chance_pvalue": "that of a Chance"
        for word in ("IndirectWord", "WordPolarity", "WordProjection", "PmiWord")
    },
    **dict.fromkeys(
        (
            "Contrast.chance_qvalue",
            "AxisBias.chance_qvalue",
            *(f"{word}.chance_qvalue" for word in CHANCE_BY_WORD),
            *(f"{suite}SuiteResult.chance_qvalues" for suite in SUITES),
        ),
        "Benjamini–Hochberg over those of Chance.pvalue, which are uniform",
    ),
    "QuestionBias.accuracy_interval": "made by the code of its bias_interval, which is in the table",
    "QuestionBias.qvalue": "Benjamini–Hochberg over its pvalue, which is in the table",
    "GroupLean.share_interval": "made by the code of its mean_interval, which is in the table",
    "LeanDifference.qvalue": "Benjamini–Hochberg over its pvalue, which is in the table",
    "MacResult.pvalue": "None: all targets are one set, and no words could change places",
    "WordSetScoresResult.chance_qvalues": "Benjamini–Hochberg over those of Chance.pvalue, which are uniform",
    "EctResult.interval": "where words are drawn twice, ranks are tied: it tells how much the words matter, no more",
    "RnsbResult.interval": "the score grows with the number of attribute words, so that a population has none",
    "ModelDifference.interval": _COPIED,
    "ModelDifference.pvalue": _COPIED,
    "RepeatedMeasure.parametric_pvalues": "those of ResidualNeighbours.pvalue, one for each repeat",
    "EnumerationResult.critical_pvalue": "the largest p-value of the table that Benjamini–Hochberg accepts",
    "GeneralisedWeatResult.pvalue_bounds": "WEAT's bracket, or the same exact interval of random partitions as WEAT's",
    **dict.fromkeys(("Chance.low", "Chance.high"), "the range of draws, not an interval"),
    "Chance.pvalue": "uniform for a score that is itself a draw (tests/statistics/test_chance.py)",
    "StateTest.pvalue": _COPIED,
    "StateTest.interval": _COPIED,
    "Counterfactual.pvalue": "for the classifiers as trained, as that of the gap, which is listed as off",
    "Counterfactual.interval": "a bootstrap of means, as that of polarity, over pages",
    "Interval.low": "holds what other fields of this table promise",
    "Interval.high": "holds what other fields of this table promise",
    "LeaveOneOut.low": "the range when any one word is left out, not an interval",
    "LeaveOneOut.high": "the range when any one word is left out, not an interval",
    **dict.fromkeys(
        ("PeriodScore.low", "PeriodScore.high"), "how often it holds is in tests/measures/histories/test_history.py"
    ),
    "CalibrationBin.low": _RANGE,
    "CalibrationBin.high": _RANGE,
    "EffectBin.low": _RANGE,
    "EffectBin.high": _RANGE,
}


def promising_fields() -> set[str]:
    """Return every field of a result, as Class.field, whose name promises something."""
    found = set()
    rooms = pkgutil.walk_packages(aslant.measures.__path__, "aslant.measures.")
    names = [module.name for module in pkgutil.iter_modules(aslant.results.__path__, "aslant.results.")]
    for path in [*names, *(module.name for module in rooms if module.name.endswith("result"))]:
        members = vars(importlib.import_module(path))
        for name, kind in members.items():
            if isinstance(kind, type) and dataclasses.is_dataclass(kind):
                if issubclass(kind, aslant.results.Result) and "kind" not in vars(kind):
                    continue  # what kinds of results share is counted with each of them
                found |= {f"{name}.{field.name}" for field in dataclasses.fields(kind) if PROMISING.search(field.name)}
    return found


def selected(only: str) -> tuple[Study, ...]:
    """Return the studies whose names begin with one of the names given, separated by commas; default: all."""
    wanted = [name.strip() for name in only.split(",") if name.strip()]
    if unknown := [name for name in wanted if not any(study.name.startswith(name) for study in STUDIES)]:
        known = ", ".join(dict.fromkeys(study.name for study in STUDIES))
        raise SystemExit(f"there is no study '{unknown[0]}'; give one of {known}.")
    return tuple(study for study in STUDIES if not wanted or study.name.startswith(tuple(wanted)))
