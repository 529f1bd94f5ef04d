"""Likelihoods of descriptors and answers to questions, by models in which there is nothing to find."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

import aslant
from aslant.measures.questions.measure import summed_up
from aslant.measures.questions.result import QuestionAnswer
from aslant.measures.questions.settings import BbqSettings
from aslant.models.protocols import TextScore
from calibrating.null_data import Drawn, record, words
from calibrating.rows import Row, Study, Values
from calibrating.weat_studies import NO_DISCOVERY, discovery

#: Five descriptors make ten pairs, all of which a result keeps.
TEMPLATES, DESCRIPTORS = 26, 5


class NullTexts:
    """The score of a sentence: what was drawn for its template, for its noun with its descriptor, and for itself.

    Descriptors differ from template to template, and not otherwise; `planted`, the first is likelier everywhere.
    """

    name = "drawn texts"
    scorings = ("likelihood",)

    def __init__(self, random: np.random.Generator, planted: bool) -> None:
        self.drawn, self.planted = Drawn(random), planted

    def record(self) -> dict[str, Any]:
        return record(self.name, 8)

    def unscorable(self, texts: Sequence[str]) -> dict[int, str]:
        return {}

    def text_scores(self, texts: Sequence[str], **_: Any) -> list[TextScore]:
        return [TextScore(self._score(text.split()), 1) for text in texts]

    continuation_scores = text_scores

    def _score(self, said: list[str]) -> float:
        template, descriptor, noun = said[0], said[-2], said[-1]
        own = self.drawn(template, descriptor) + 0.5 * self.drawn(noun, descriptor) + 0.5 * self.drawn(*said)
        return float(2 * self.drawn(template) + own + 3.0 * (self.planted and descriptor == words("d", 1)[0]))


@lru_cache(1)
def files() -> Path:
    """Write descriptors, nouns and templates of one axis."""
    folder = Path(tempfile.mkdtemp(prefix="calibration-"))
    nouns = [[noun, f"{noun}s"] for noun in words("n", 32)]
    content = {
        "descriptors": {"axis": {"": words("d", DESCRIPTORS)}},
        "nouns": {"neutral": nouns},
        "sentence_templates": {f"{name} is {{noun_phrase}}": {} for name in words("t", TEMPLATES)},
    }
    for name, value in content.items():
        (folder / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")
    return folder


def descriptors(random: np.random.Generator, planted: bool) -> Values:
    """Compare five descriptors of an axis, two nouns in each of 26 templates."""
    got = aslant.holistic_bias(NullTexts(random, planted), files(), nouns=2, chance=0, rng=random)
    first, second = words("d", 2)
    pairs = [{pair.first, pair.second} for pair in got.furthest]
    every = np.array([pair.qvalue for pair in got.furthest])
    real = np.array([planted and first in pair for pair in pairs])
    return {
        "holistic_bias, a pair of descriptors": got.furthest[pairs.index({first, second})].pvalue,
        "holistic_bias, q over the pairs of an axis": discovery(random, every, real, planted),
    }


def answers(random: np.random.Generator, truth: float, *, templates: int = 25) -> list[QuestionAnswer]:
    """Draw answers to 8 questions of each template, which leans by what was drawn for it, around `truth`."""
    leans = np.clip((1 + truth) / 2 + random.uniform(-0.4, 0.4, templates), 0, 1)
    return [
        QuestionAnswer(
            8 * t + k, "Age", "disambiguated", f"Age {t}", "", bool(k % 2), bool(random.random() < leans[t]),
            bool(k == 7), (0.0, 0.0, 0.0),
        )
        for t in range(templates)
        for k in range(8)
    ]  # fmt: skip


def questions(random: np.random.Generator, planted: bool) -> Values:
    """Answers without a lean, but with templates that lean; and with one that the interval has to cover."""
    how = BbqSettings(bootstrap=999, n_resamples=999)
    null = summed_up("Age", "disambiguated", answers(random, 0.5 if planted else 0.0), how, 0, random)
    truth = float(random.uniform(-0.2, 0.2))
    found = summed_up("Age", "disambiguated", answers(random, 0.6 if planted else truth), how, 0, random)
    assert null.pvalue is not None
    assert found.bias_interval is not None
    shown = 0.0 if planted else truth
    return {
        "bbq, bias": null.pvalue,
        "bbq, interval of the bias": float(not found.bias_interval.low <= shown <= found.bias_interval.high),
    }


STUDIES = (
    Study("holistic-bias", descriptors, (
        Row("holistic_bias, a pair of descriptors", ("DescriptorPair.pvalue",),
            "differences of two descriptors in a template could have had the other sign"),
        Row("holistic_bias, q over the pairs of an axis", ("DescriptorPair.qvalue",), NO_DISCOVERY, "rate"),
    ), 60, 400),
    Study("bbq", questions, (
        Row("bbq, bias", ("QuestionBias.pvalue",), "the answers to a template could have leant the other way"),
        Row("bbq, interval of the bias", ("QuestionBias.bias_interval",),
            "the bias in the population that the templates were drawn from", "miss", 0.09),
    ), 60, 500),
)  # fmt: skip
