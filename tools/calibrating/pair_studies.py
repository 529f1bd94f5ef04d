"""Pairs of sentences on language models that know of nothing: shares, differences, contrasts, two models."""

from __future__ import annotations

import tempfile
from functools import lru_cache, partial
from math import erf, sqrt
from pathlib import Path
from typing import Any

import numpy as np

import aslant
from aslant.models.protocols import TextScore
from calibrating.null_data import NullMaskedLM
from calibrating.rows import Row, Study, Values
from calibrating.weat_studies import FDR, NO_DISCOVERY, discovery

#: Spread of differences between clusters of pairs, and between the pairs of one.
BETWEEN, WITHIN = 1.0, 0.5
#: Mean difference where an interval must cover it.
MEAN = 0.5
CATEGORIES = ("age", "class", "faith", "race")


class NullTextLM(NullMaskedLM):
    """The first sentence of a pair, “old …”, scores `mean` more, plus what was drawn for its cluster and for it."""

    scorings = ("within-word",)

    def __init__(self, random: np.random.Generator, mean: dict[str, float]) -> None:
        super().__init__(random)
        self.mean = mean

    def unscorable(self, texts: Any) -> dict[int, str]:
        """Nothing cannot be scored."""
        return {}

    def text_scores(self, texts: Any, **_options: Any) -> list[TextScore]:
        """Return one score for each text, which is `old|young category cluster number`."""
        return [self._text(text) for text in texts]

    def continuation_scores(self, pairs: Any, **_options: Any) -> list[TextScore]:
        """Return one score for each continuation."""
        return [self._text(text) for _, text in pairs]

    def _text(self, text: str) -> TextScore:
        age, category, cluster, number = text.split()
        if age.startswith("young"):
            return TextScore(-3.0, 4)
        drawn = BETWEEN * self.drawn(category, cluster, "") + WITHIN * self.drawn(category, cluster, number)
        return TextScore(-3.0 + self.mean.get(category, 0.0) + drawn, 4)


@lru_cache(8)
def written(clusters: int, each: int, categories: int = 1) -> Path:
    """Write pairs: `clusters` contrasts in each category, with `each` pairs."""
    path = Path(tempfile.mkdtemp(prefix="calibration-")) / "pairs.csv"
    rows = ["sent_more,sent_less,bias_type"]
    for category in CATEGORIES[:categories]:
        for cluster in range(clusters):
            for number in range(each):
                rest = f"{category} c{cluster} n{number}"
                rows.append(f"old{category}{cluster} {rest},young{category}{cluster} {rest},{category}")
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def pairs(random: np.random.Generator, planted: bool, *, each: int) -> Values:
    """Ask about 24 clusters of pairs; planted: every stereotype is there."""
    path = written(24, each)
    lms = [NullTextLM(random, {"age": 3.0 * planted}), NullTextLM(random, {"age": -3.0 * planted})]
    first, second = (aslant.sentence_pairs(lm, path, bootstrap=0, n_resamples=999, twins=0, rng=random) for lm in lms)
    group = first.groups[0]
    assert group.share_pvalue is not None
    return {
        f"sentence_pairs, share, clusters of {each}": group.share_pvalue,
        f"sentence_pairs, difference, clusters of {each}": group.mean_pvalue,
        f"compare_pairs, clusters of {each}": aslant.compare_pairs(first, second).groups[0].pvalue,
    }


def qvalues(random: np.random.Generator, planted: bool, *, mixed: bool) -> Values:
    """Ask about four categories; mixed: the first has an effect, and the others none."""
    mean = {"age": 4.0} if planted or mixed else {}
    path = written(16, 2, 4)
    lms = [NullTextLM(random, mean), NullTextLM(random, {})]
    first, second = (aslant.sentence_pairs(lm, path, bootstrap=0, n_resamples=9, twins=0, rng=random) for lm in lms)
    real = np.array([name in mean for name in CATEGORIES])
    what = "one of four categories with an effect" if mixed else "no category with an effect"
    shares = np.array([group.share_qvalue for group in first.by_category.values()], dtype=float)
    both = np.array([group.qvalue for group in aslant.compare_pairs(first, second).groups[1:]], dtype=float)
    return {
        f"sentence_pairs, q, {what}": discovery(random, shares, real, planted),
        f"compare_pairs, q, {what}": discovery(random, both, real, planted),
    }


def intervals(random: np.random.Generator, planted: bool) -> Values:
    """Draw 40 clusters of four pairs from a population whose share and mean are known; planted: far from none."""
    lm = NullTextLM(random, {"age": 3.0 if planted else MEAN})
    group = aslant.sentence_pairs(lm, written(40, 4), bootstrap=999, n_resamples=9, twins=0, rng=random).groups[0]
    assert group.share_interval is not None
    assert group.mean_interval is not None
    share = 0.5 if planted else 0.5 + erf(MEAN / sqrt(2 * (BETWEEN**2 + WITHIN**2))) / 2
    mean = 0.0 if planted else MEAN
    return {
        "sentence_pairs, interval of the share": float(
            not group.share_interval.low <= share <= group.share_interval.high
        ),
        "sentence_pairs, interval of the difference": float(
            not group.mean_interval.low <= mean <= group.mean_interval.high
        ),
    }


@lru_cache(1)
def bec_pro() -> Path:
    """Write sentences about 16 professions of men and 16 of women."""
    path = Path(tempfile.mkdtemp(prefix="calibration-")) / "BEC-Pro_EN.tsv"
    rows = ["\tSentence\tTemplate\tPerson\tGender\tProfession\tProf_Gender"]
    for group in ("male", "female"):
        for number in range(16):
            for gender, word in (("male", "young"), ("female", "old")):
                sentence = f"{word} {group} c{number} n0"
                rows.append(f"0\t{sentence}\t<p> is <j>\t{word}\t{gender}\t{group}{number}\t{group}")
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def contrast(random: np.random.Generator, planted: bool) -> Values:
    """Compare professions of women with those of men; planted: women go with the former."""
    lm = NullTextLM(random, {"female": 3.0 * planted, "male": -3.0 * planted})
    found = aslant.sentence_pairs(lm, bec_pro(), bootstrap=999, n_resamples=999, twins=0, rng=random).contrast
    assert found is not None
    assert found.interval is not None
    return {
        "sentence_pairs, contrast of professions": found.pvalue,
        "sentence_pairs, interval of the contrast": float(not found.interval.low <= 0 <= found.interval.high),
    }


SIGNS = "the pairs of a cluster could all have had the other sign"
POPULATION = "its value in the population that the clusters were drawn from"


def _pairs(each: int) -> Study:
    rows = (
        Row(f"sentence_pairs, share, clusters of {each}", ("PairGroup.share_pvalue",), SIGNS),
        Row(f"sentence_pairs, difference, clusters of {each}", ("PairGroup.mean_pvalue",), SIGNS, uniform=True),
        Row(
            f"compare_pairs, clusters of {each}", ("PairsDisagreement.pvalue",),
            "which of the two models stereotypes a cluster is a matter of chance",
        ),
    )  # fmt: skip
    return Study("sentence-pairs", partial(pairs, each=each), rows, 40, 300)


def _qvalues(mixed: bool, null: str) -> Study:
    what = "one of four categories with an effect" if mixed else "no category with an effect"
    rows = (
        Row(f"sentence_pairs, q, {what}", ("PairGroup.share_qvalue",), null, "rate"),
        Row(f"compare_pairs, q, {what}", ("PairsDisagreement.qvalue",), null, "rate"),
    )
    return Study("sentence-pairs-q", partial(qvalues, mixed=mixed), rows, 40, 300)


STUDIES: tuple[Any, ...] = (
    _pairs(1),
    _pairs(5),
    _qvalues(False, NO_DISCOVERY),
    _qvalues(True, FDR),
    Study("sentence-pairs-interval", intervals, (
        Row("sentence_pairs, interval of the share", ("PairGroup.share_interval",), POPULATION, "miss", 0.1),
        Row("sentence_pairs, interval of the difference", ("PairGroup.mean_interval",), POPULATION, "miss", 0.1),
    ), 40, 300),
    Study("sentence-pairs-contrast", contrast, (
        Row("sentence_pairs, contrast of professions", ("ProfessionContrast.pvalue",),
            "the stereotypes of professions are exchangeable", uniform=True),
        Row("sentence_pairs, interval of the contrast", ("ProfessionContrast.interval",), POPULATION, "miss", 0.1),
    ), 40, 300),
)  # fmt: skip
