"""Log-probability scores, WEAT in templates and the choice of pronouns, on language models that know of nothing."""

from __future__ import annotations

import tempfile
from functools import lru_cache, partial
from math import erf, sqrt
from pathlib import Path
from typing import Any

import numpy as np

import aslant
from aslant.models.protocols import MaskedScore, Sentence
from aslant.stimuli import TemplateSet, WeatSet, load_set
from aslant.stimuli.pronoun_sets import GENDERS
from calibrating.null_data import NullMaskedLM, words
from calibrating.rows import Row, Study, Values
from calibrating.weat_studies import FDR, NO_DISCOVERY, discovery

TESTS = ("career-family", "math-arts", "pleasant-flowers", "pleasant-names", "science-arts")
#: Spread of log-odds between occupations, and between the sentences of one.
BETWEEN, WITHIN = 1.0, 0.5
#: Mean gap where an interval must cover it.
GAP = 0.5


def leanings(test: str, effect: float) -> dict[str, float]:
    """Return what makes the first targets go with the first attributes, and the second with the second."""
    groups = load_set(test, TemplateSet).groups
    return {word: effect * sign for group, sign in zip(groups, (1, -1, 1, -1), strict=True) for word in group.words}


def weat(random: np.random.Generator, planted: bool) -> Values:
    """One test by scores per attribute, by the authors' rows, and by vectors in templates."""
    lean = leanings("career-family", 1.0) if planted else {}
    by_word, rows = (
        aslant.log_probability_weat(NullMaskedLM(random, lean), "career-family", as_published=published, rng=random,
                                   method="monte carlo" if published else "auto", n_resamples=999)
        for published in (False, True)
    )  # fmt: skip
    vectors = aslant.template_weat(NullMaskedLM(random, lean), "career-family", rng=random)
    return {
        "log_probability_weat": by_word.pvalue,
        "log_probability_weat, as published": rows.pvalue,
        "template_weat": vectors.pvalue,
    }


def masked_weat(random: np.random.Generator, planted: bool) -> Values:
    """One WEAT with masks, its larger target set cut at random: eight names of men, six of women."""
    groups = load_set("weat-6", WeatSet).groups
    signs = (1, -1, 1, -1) if planted else (0, 0, 0, 0)
    lean = {word: float(sign) for group, sign in zip(groups, signs, strict=True) for word in group.words}
    first, second, *attributes = (group.words for group in groups)
    result = aslant.masked_weat(
        NullMaskedLM(random, lean), targets=(first, second[:6]), attributes=attributes, bootstrap=0, rng=random,
        templates=["[TARGET] likes [ATTRIBUTE]", "[TARGET] is interested in [ATTRIBUTE]"],
    )  # fmt: skip
    return {"masked_weat, sizes made equal": result.pvalue}


def suite(random: np.random.Generator, planted: bool, *, mixed: bool) -> Values:
    """Run every test that ships; mixed: the first has an effect, and others none."""
    lean = leanings("career-family", 1.0) if planted or mixed else {}
    found = aslant.log_probability_suite(NullMaskedLM(random, lean), method="dynamic programming", rng=random)
    if [result.test for result in found.results] != list(TESTS):
        raise AssertionError("the tests that ship have changed; see which of them share words")
    real = np.array([bool(lean) and test == "career-family" for test in TESTS])
    what = "one of five tests with an effect" if mixed else "no test with an effect"
    return {f"log_probability_suite, q, {what}": discovery(random, np.array(found.qvalues), real, planted)}


def share(random: np.random.Generator, planted: bool) -> Values:
    """Draw 40 attributes, of which a known share goes with the first target; planted: nearly all do."""
    truth = 0.95 if planted else float(random.uniform(0.1, 0.9))
    named = words("w", 40)
    from scipy.stats import norm

    # A score is half the difference of two numbers of variance 1 + 1/4, plus twice the leaning of the attribute.
    lean = float(norm.ppf(truth)) * 0.5 * sqrt(2.5) / 2
    model = NullMaskedLM(random, {"he": 1.0, "she": -1.0, **dict.fromkeys(named, lean)})
    got = aslant.log_probability_bias(model, "[TARGET] is a [ATTRIBUTE].", (["he"], ["she"]), named).share
    shown = 0.5 if planted else truth
    return {"log_probability_bias, interval of the share": float(not got.low <= shown <= got.high)}


def contrasts(random: np.random.Generator, planted: bool) -> Values:
    """Three target sets and 40 attributes, associations skewed; planted: the first goes with every attribute."""
    model = SkewedLM(random, {"he": 1.5} if planted else {})
    got = aslant.log_probability_bias(
        model, "[TARGET] worked as a [ATTRIBUTE].", ["he", "she", "they"], words("w", 40), rng=random
    )
    pair, rest = got.contrasts[0], got.contrasts[3]
    assert pair.pvalue is not None
    assert rest.pvalue is not None
    real = np.array([planted and (c.first, c.second) != ("she", "they") for c in got.contrasts])
    qvalues = np.array([c.qvalue for c in got.contrasts])
    return {
        "log_probability_bias, a pair of classes": pair.pvalue,
        "log_probability_bias, a class against the rest": rest.pvalue,
        "log_probability_bias, q over six contrasts": discovery(random, qvalues, real, planted),
    }


class SkewedLM(NullMaskedLM):
    """Associations are exponential, so that the difference from the mean of two others is not symmetric."""

    def _score(self, s: Sentence) -> MaskedScore:
        drawn = float(np.exp(self.drawn(s.target, s.attribute))) + self.leanings.get(s.target, 0.0)
        return MaskedScore(-3.0 + drawn, -3.0, (s.target,), (s.attribute,))


class NullPronounLM(NullMaskedLM):
    """Log-odds of a female pronoun: `gap` towards the stereotype, plus what was drawn for occupation and sentence."""

    def __init__(self, random: np.random.Generator, gap: float) -> None:
        super().__init__(random)
        self.gap = gap

    def _score(self, s: Sentence) -> MaskedScore:
        side = 1 if s.attribute.startswith("f") else -1
        drawn = BETWEEN * self.drawn(s.attribute, "") + WITHIN * self.drawn(s.template, s.attribute, "")
        sign = {"female": 0.5, "male": -0.5}.get(GENDERS.get(s.target, ""), -2.0)
        prior = -3.0 + sign * 0.1 * self.drawn(s.template, "prior")
        return MaskedScore(-3.0 + sign * (self.gap * side + drawn), prior, (s.target,), (s.attribute,))


@lru_cache(4)
def winogender(n: int) -> Path:
    """Write sentences about n occupations with a female stereotype and n with a male one."""
    folder = Path(tempfile.mkdtemp(prefix="calibration-"))
    rows, shares = ["sentid\tsentence"], ["occupation\tbls_pct_female\tbls_year"]
    for place, occupation in enumerate(
        name for pair in zip(words("f", n), words("m", n), strict=True) for name in pair
    ):
        shares.append(f"{occupation}\t{(75 if occupation[0] == 'f' else 25) + 20 * place / (2 * n) - 10:.2f}\t2015")
        for other in ("visitor", "someone"):
            who = other if other == "someone" else f"the {other}"
            for gender, pronoun in (("male", "he"), ("female", "she"), ("neutral", "they")):
                sentence = f"The {occupation} told {who} that {pronoun} could help."
                rows.append(f"{occupation}.{other}.0.{gender}.txt\t{sentence}")
    (folder / "all_sentences.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (folder / "occupations-stats.tsv").write_text("\n".join(shares) + "\n", encoding="utf-8")
    return folder


def pronouns(random: np.random.Generator, planted: bool, *, n: int) -> Values:
    """Ask about 2n occupations; planted: every stereotype is there."""
    lm = NullPronounLM(random, 3.0 * planted)
    group = aslant.pronoun_choice(lm, winogender(n), bootstrap=0, n_resamples=999, rng=random).groups[0]
    assert group.preference is not None
    assert group.corrected is not None
    assert group.contrast is not None
    assert group.correlation is not None
    return {
        f"pronoun_choice, gap, {2 * n} occupations": group.preference.pvalue,
        f"pronoun_choice, corrected gap, {2 * n} occupations": group.corrected.pvalue,
        f"pronoun_choice, contrast, {2 * n} occupations": group.contrast.pvalue,
        f"pronoun_choice, correlation (Pearson), {2 * n} occupations": group.correlation.pearson_pvalue,
        f"pronoun_choice, correlation (Spearman), {2 * n} occupations": group.correlation.spearman_pvalue,
    }


def pronoun_intervals(random: np.random.Generator, planted: bool) -> Values:
    """Draw 15 + 15 occupations from a population whose mean gap is known; planted: it is far from none."""
    lm = NullPronounLM(random, 3.0 if planted else GAP)
    group = aslant.pronoun_choice(lm, winogender(15), bootstrap=999, n_resamples=99, rng=random).groups[0]
    assert group.preference is not None
    assert group.contrast is not None
    truths = (0.0, 0.5, 0.0) if planted else (GAP, 0.5 + erf(GAP / sqrt(2 * (BETWEEN**2 + WITHIN**2))) / 2, 2 * GAP)
    intervals = (group.preference.gap_interval, group.preference.share_interval, group.contrast.interval)
    found = {}
    for name, got, truth in zip(INTERVALS, intervals, truths, strict=True):
        assert got is not None
        found[f"pronoun_choice, interval of the {name}"] = float(not got.low <= truth <= got.high)
    return found


INTERVALS = {
    "gap": "Preference.gap_interval",
    "share": "Preference.share_interval",
    "contrast": "OccupationContrast.interval",
}
SIGNS = "the gaps of an occupation could all have had the other sign"
SWAPPED = "the stereotypes of occupations are exchangeable"
SHARES = "log-odds have nothing to do with the share of women"
CLASSES = "the classes are exchangeable within an attribute"
ATTRIBUTES = "attributes are exchangeable: which set one is in has nothing to do with its score"


def _pronouns(n: int, full: int) -> Study:
    pair = ("OccupationContrast.pvalue", "OccupationContrast.pvalue_bounds")
    given = (
        ("gap", ("Preference.pvalue",), SIGNS),
        ("corrected gap", ("Preference.pvalue",), SIGNS),
        ("contrast", pair, SWAPPED),
        ("correlation (Pearson)", ("Correlation.pearson_pvalue",), SHARES),
        ("correlation (Spearman)", ("Correlation.spearman_pvalue",), SHARES),
    )
    rows = tuple(Row(f"pronoun_choice, {name}, {2 * n} occupations", *rest, uniform=True) for name, *rest in given)  # type: ignore[arg-type]
    return Study("pronoun-choice", partial(pronouns, n=n), rows, full // 20, full)


STUDIES: tuple[Any, ...] = (
    Study("log-probability", weat, (
        Row(
            "log_probability_weat", ("LogProbabilityWeatResult.pvalue", "LogProbabilityWeatResult.pvalue_bounds"),
            ATTRIBUTES, uniform=True,
        ),
        Row(
            "log_probability_weat, as published", ("LogProbabilityWeatResult.pvalue",), ATTRIBUTES, limit=0.08,
            off="as published: rows of template × attribute are re-partitioned as if they were independent; the "
            "default takes one score per attribute",
        ),
        Row("template_weat", ("TemplateWeatResult.pvalue", "TemplateWeatResult.pvalue_bounds"), ATTRIBUTES,
            uniform=True),
    ), 40, 300),
    Study("masked-weat", masked_weat, (
        Row("masked_weat, sizes made equal", ("MaskedWeatResult.pvalue", "MaskedWeatResult.pvalue_bounds"),
            "targets are exchangeable: which set one is in has nothing to do with its association", uniform=True),
    ), 40, 300),
    Study("log-probability-suite", partial(suite, mixed=False), (
        Row("log_probability_suite, q, no test with an effect", ("LogProbabilitySuiteResult.qvalues",), NO_DISCOVERY,
            "rate"),
    ), 20, 200, 20),
    Study("log-probability-suite", partial(suite, mixed=True), (
        Row("log_probability_suite, q, one of five tests with an effect", ("LogProbabilitySuiteResult.qvalues",), FDR,
            "rate"),
    ), 20, 200, 20),
    Study("log-probability-share", share, (
        Row(
            "log_probability_bias, interval of the share", ("Contrast.low", "Contrast.high"),
            "the share in the population that the attributes were drawn from", "miss", 0.075,
        ),
    ), 100, 1000),
    Study("log-probability-contrasts", contrasts, (
        Row("log_probability_bias, a pair of classes", ("Contrast.pvalue",), CLASSES, uniform=True),
        Row("log_probability_bias, a class against the rest", ("Contrast.pvalue",), CLASSES),
        Row("log_probability_bias, q over six contrasts", ("Contrast.qvalue",), NO_DISCOVERY, "rate"),
    ), 100, 1000),
    _pronouns(6, 500),
    _pronouns(12, 300),
    Study("pronoun-choice-interval", pronoun_intervals, tuple(
        Row(
            f"pronoun_choice, interval of the {name}", (field,),
            "its value in the population that the occupations were drawn from", "miss", 0.1,
        )
        for name, field in INTERVALS.items()
    ), 40, 300),
)  # fmt: skip
