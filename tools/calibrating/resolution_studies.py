"""Pronoun resolution (Table 4), on samples whose labels and topics have nothing to do with gender."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import aslant
from aslant.measures.pronouns_resolved.gap_files import GapSample
from aslant.measures.pronouns_resolved.settings import PronounSettings
from aslant.measures.pronouns_resolved.statistics import by_gender, topic_correlation
from calibrating.null_data import NullEncoder, NullMaskedLM, words
from calibrating.rows import Row, Study, Values

PRONOUNS = {"male": "he", "female": "she"}
TOPICS = (("football", "goals", "league"), ("ballet", "dance", "stage"), ("garden", "flowers", "trees"))
SAMPLES = 200
QUICK = aslant.models.Classifier(units=8, epochs=40, patience=40, dropout=0.2, l2=0.01, learning_rate=0.01)


class KnowsAnswers(NullEncoder):
    """An encoder with a direction for the name that is meant; no word of the text tells it, so that topics do not."""

    def __init__(self, random: np.random.Generator, asked: Sequence[GapSample]) -> None:
        super().__init__(random, noise=0.5, dimensions=12)
        self.meant = {
            (name, sample.text): 0.5 if sample.label == side else -0.5
            for sample in asked
            for side, name in zip("AB", sample.passage.words[1:], strict=True)
        }

    def _word(self, word: str, text: str) -> NDArray[np.float64]:
        vector = super()._word(word, text)
        vector[0] += self.meant.get((word, text), 0.0)
        return vector


def samples(random: np.random.Generator, neither: dict[str, float]) -> list[GapSample]:
    """Draw samples with any topic; "neither" by the share of each gender.

    No name comes twice: a name would be part of a topic, and classifiers would learn it too.
    """
    made, names = [], words("n", 2 * SAMPLES)
    for number in range(SAMPLES):
        gender = ("male", "female")[number % 2]
        topic = int(random.integers(len(TOPICS)))
        label = "neither" if random.random() < neither[gender] else str(random.choice(["A", "B"]))
        a, b = names[2 * number], names[2 * number + 1]
        said = " ".join(random.permutation(TOPICS[topic]))
        text = f"{a} met {b} and {PRONOUNS[gender]} enjoyed {said} at visit {number}"
        start = len(a) + len(b) + 10
        spans = (start, start + len(PRONOUNS[gender])), (0, len(a)), (len(a) + 5, len(a) + 5 + len(b))
        made.append(GapSample(str(number), text, *spans, gender, label))
    return made


def studied(random: np.random.Generator, planted: bool) -> Values:
    """Make a whole study, training included; planted: female pronouns refer to neither name more often."""
    logging.disable(logging.WARNING)
    neither = {"male": 0.15, "female": 0.65} if planted else {"male": 0.35, "female": 0.35}
    asked = samples(random, neither)
    found = aslant.pronoun_resolution(
        KnowsAnswers(random, asked), asked, folds=2, seeds=1, classifier=QUICK, topics=3, top_words=3,
        bootstrap=199, n_resamples=499, lm=NullMaskedLM(random), rng=int(random.integers(2**31)),
    )  # fmt: skip
    values = {"pronoun_resolution, gap, over studies": found.gap.pvalue}
    if not planted:
        values["pronoun_resolution, gap beyond labels, over studies"] = found.beyond_labels.pvalue
        if found.correlations:  # none where all samples of a gender have one bias
            values["pronoun_resolution, topics, over studies"] = found.correlations[0].pvalue
    else:
        values |= _planted_beyond(random)
    return values


def _planted_beyond(random: np.random.Generator) -> dict[str, float]:
    """Classifiers that learnt elsewhere that "neither" is for women, and topics by which they go."""
    genders = np.array(["male", "female"] * (SAMPLES // 2))
    labels = random.integers(3, size=SAMPLES)
    sure = np.clip(0.3 + 0.3 * (genders == "female") + 0.1 * random.normal(size=SAMPLES), 0.01, 0.98)
    beyond = by_gender(_three(sure), labels, genders, HOW, 0)[2]
    bias = sure + 0.1 * random.normal(size=SAMPLES)
    topics = topic_correlation("female", bias, sure, HOW, random)
    assert topics is not None
    return {
        "pronoun_resolution, gap beyond labels, over studies": beyond.pvalue,
        "pronoun_resolution, topics, over studies": topics.pvalue,
    }


HOW = PronounSettings(bootstrap=199, n_resamples=499)


def _three(neither: Any) -> Any:
    return np.column_stack([(1 - neither) / 2, (1 - neither) / 2, neither])


def given_classifiers(random: np.random.Generator, planted: bool) -> Values:
    """Take classifiers as they are: predictions for samples drawn one like the other, for both genders."""
    genders, how = np.array(["male", "female"] * 60), PronounSettings(bootstrap=499, n_resamples=499)
    shift = 1.0 * planted
    neither = random.beta(2, 4 - 3 * shift * (genders == "female"), 120)
    bias = neither + 0.1 * random.normal(size=120) if planted else random.gamma(1.0, size=120)
    labels = np.where(random.random(120) < neither, 2, random.integers(2, size=120))
    outcomes, gap, beyond = by_gender(_three(neither), labels, genders, how, int(random.integers(2**31)))
    female = genders == "female"
    topics = topic_correlation("female", bias[female], neither[female], how, random)
    assert outcomes[1].interval is not None
    assert gap.interval is not None
    assert topics is not None
    assert topics.interval is not None
    covered = ((outcomes[1].interval, 1 / 3), (gap.interval, 0.0), (topics.interval, 0.0))
    found = {
        f"pronoun_resolution, interval of the {name}": float(not got.low <= truth <= got.high)
        for name, (got, truth) in zip(("mean prediction", "gap", "topic correlation"), covered, strict=True)
    }
    if not planted:
        found["pronoun_resolution, gap beyond labels, given the classifiers"] = beyond.pvalue
    else:
        found["pronoun_resolution, gap beyond labels, given the classifiers"] = _planted_beyond(random)[
            "pronoun_resolution, gap beyond labels, over studies"
        ]
    return found | {
        "pronoun_resolution, gap, given the classifiers": gap.pvalue,
        "pronoun_resolution, topics, given the classifiers": topics.pvalue,
    }


UNRELATED = "labels have nothing to do with gender, in studies made anew with all their training"
EXCHANGEABLE = "genders are exchangeable among samples, for the classifiers as trained"
LEARNT = (
    "classifiers learn the gap that the labels of their own samples have by chance and predict it for all, so that a "
    "small p tells of these classifiers, not of other samples; `label_gap` and `beyond_labels` stand beside it"
)
GAP = ("GenderGap.pvalue", "GenderGap.pvalue_bounds")
STUDIES: tuple[Any, ...] = (
    Study("pronouns", studied, (
        Row("pronoun_resolution, gap, over studies", GAP, UNRELATED, limit=0.08, off=LEARNT),
        Row("pronoun_resolution, gap beyond labels, over studies", GAP, UNRELATED),
        Row("pronoun_resolution, topics, over studies", ("TopicCorrelation.pvalue",),
            "topics have nothing to do with labels, in studies made anew with all their training"),
    ), 10, 200, 20),
    Study("pronouns-given", given_classifiers, (
        Row("pronoun_resolution, gap, given the classifiers", GAP, EXCHANGEABLE, uniform=True),
        Row("pronoun_resolution, gap beyond labels, given the classifiers", GAP, EXCHANGEABLE, uniform=True),
        Row("pronoun_resolution, topics, given the classifiers", ("TopicCorrelation.pvalue",),
            "topics and predictions are drawn apart", uniform=True),
        Row("pronoun_resolution, interval of the mean prediction", ("GenderOutcome.interval",),
            "the mean over all samples that could have been drawn", "miss", 0.1),
        Row("pronoun_resolution, interval of the gap", ("GenderGap.interval",),
            "the gap over all samples that could have been drawn, for the classifiers as trained", "miss", 0.1),
        Row("pronoun_resolution, interval of the topic correlation", ("TopicCorrelation.interval",),
            "rho over all samples that could have been drawn", "miss", 0.1),
    ), 40, 300),
)  # fmt: skip
