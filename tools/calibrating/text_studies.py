"""Texts of which nothing is to be found: each leans by what was drawn for it and for its prompt."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

import aslant
from aslant.vectors import WordVectors
from calibrating.null_data import words
from calibrating.rows import Row, Study, Values

#: The leans that words have, from −STEPS to STEPS hundredths.
STEPS = 90
WORDS = words("w", 2 * STEPS + 1)
PROMPTS, TEXTS = 20, 2


@lru_cache(1)
def vectors() -> WordVectors:
    """Return words in a plane, each of which leans by so many hundredths between "female" and "male"."""
    leans = np.arange(-STEPS, STEPS + 1) / 100
    matrix = np.stack([leans, np.sqrt(1 - leans**2)], axis=1)
    named = ["female", "male", *WORDS]
    return WordVectors.from_arrays(named, np.concatenate([[[1, 0], [-1, 0]], matrix]).astype(np.float32), name="plane")


def written(random: np.random.Generator, lean: float) -> list[str]:
    """Draw texts of one word, which lean by `lean`, what their prompt adds, and what they add themselves."""
    own = random.uniform(-0.3, 0.3, (PROMPTS, 1)) + random.uniform(-0.1, 0.1, (PROMPTS, TEXTS))
    places = np.rint(100 * (lean + own)).astype(int) + STEPS
    return [WORDS[place] for place in places.ravel()]


def texts(random: np.random.Generator, planted: bool) -> Values:
    """Compare two groups of the same lean, and one with sources of the same lean; intervals have to cover the truth."""
    truth, seed = float(random.uniform(-0.1, 0.1)), int(random.integers(2**31))
    first, second, sources = (written(random, truth + shift * planted) for shift in (0.3, 0.0, 0.0))
    prompts = [f"{group} {prompt}" for group in "ab" for prompt in range(PROMPTS) for _ in range(TEXTS)]
    got = aslant.text_polarity(
        vectors(), {"a": first, "b": second}, classes=["female", "male"], prompts=prompts,
        sources=[*sources, *[None] * len(second)], chance=0, bootstrap=999, n_resamples=999, rng=seed,
    )  # fmt: skip
    group = next(g for g in got.groups if (g.metric, g.group, g.leans_to) == ("wavg", "a", "female"))
    others, source = (d for d in got.differences if d.metric == "wavg")
    assert group.mean_interval is not None
    assert others.interval is not None
    return {
        "text_polarity, difference between groups": others.pvalue,
        "text_polarity, texts and their sources": source.pvalue,
        "text_polarity, interval of a group's mean": float(
            not group.mean_interval.low <= truth <= group.mean_interval.high
        ),
        "text_polarity, interval of a difference": float(not others.interval.low <= 0 <= others.interval.high),
    }


STUDIES = (
    Study("text-polarity", texts, (
        Row("text_polarity, difference between groups", ("LeanDifference.pvalue",),
            "prompts of the two groups are exchangeable"),
        Row("text_polarity, texts and their sources", ("LeanDifference.pvalue",),
            "the difference of a prompt's texts and its source could have had the other sign"),
        Row("text_polarity, interval of a group's mean", ("GroupLean.mean_interval",),
            "the mean over the population that the prompts were drawn from", "miss", 0.09),
        Row("text_polarity, interval of a difference", ("LeanDifference.interval",),
            "the difference of the populations that the prompts were drawn from", "miss", 0.09),
    ), 60, 300),
)  # fmt: skip
