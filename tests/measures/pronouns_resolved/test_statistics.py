"""The numbers of resolved pronouns are those of slow loops over samples."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats

import aslant
from aslant.errors import MeasureError
from aslant.measures.pronouns_resolved import measure, statistics
from aslant.measures.pronouns_resolved.gap_files import GENDERS, GapSample
from aslant.measures.pronouns_resolved.gap_files import LABELS as NAMES
from aslant.measures.pronouns_resolved.measure import _numbers, _topical
from aslant.measures.pronouns_resolved.settings import PronounSettings
from aslant.measures.pronouns_resolved.statistics import (
    NEITHER,
    Leanings,
    Topics,
    by_gender,
    calibration,
    counterfactual,
    described,
    log_losses,
    outcome,
    topic_biases,
    topic_correlation,
)
from aslant.results.parts import Interval
from fake_encoder import FakeEncoder

HOW = PronounSettings(bootstrap=50, n_resamples=99, confidence=0.9, bins=4)
NONE = PronounSettings(bootstrap=0, n_resamples=99, confidence=0.9, bins=4)
RNG = np.random.default_rng
PROBABILITIES = RNG(0).dirichlet([1, 1, 1], 30)
LABELS = RNG(1).integers(0, 3, 30)


def test_the_loss_is_that_of_the_probability_of_the_label_and_never_infinite() -> None:
    expected = [-math.log(row[label]) for row, label in zip(PROBABILITIES, LABELS, strict=True)]
    np.testing.assert_allclose(log_losses(PROBABILITIES, LABELS), expected)
    sure = log_losses(np.array([[1.0, 0.0, 0.0]] * 2), np.array([0, 1]))
    assert sure.tolist() == [0.0, -math.log(np.finfo(float).eps)]


def test_bins_and_calibration_error_are_those_of_a_loop() -> None:
    predicted, true = np.append(PROBABILITIES[:, 0], [1.0, 0.75]), np.append(LABELS == 0, [True, False])
    bins, error = calibration(predicted, true, 4)
    total = 0.0
    for b in bins:
        inside = [i for i, p in enumerate(predicted) if b.low <= p and (p < b.high or b.high == 1)]
        assert (b.n, b.predicted, b.observed) == (
            len(inside), pytest.approx(predicted[inside].mean()), pytest.approx(true[inside].mean()),
        )  # fmt: skip
        total += len(inside) / 32 * abs(predicted[inside].mean() - true[inside].mean())
    assert [(b.low, b.high) for b in bins] == [(0, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 1)]
    assert error == pytest.approx(total)


def test_the_outcome_of_a_gender_is_that_of_its_samples() -> None:
    found = outcome("female", PROBABILITIES, LABELS, HOW, RNG(2))
    right = PROBABILITIES.argmax(axis=1) == LABELS
    assert (found.gender, found.n, found.neither) == ("female", 30, sum(LABELS == NEITHER))
    assert (found.prior, found.predicted) == pytest.approx(
        (np.mean(LABELS == NEITHER), PROBABILITIES[:, NEITHER].mean())
    )
    assert (found.accuracy, found.log_loss) == pytest.approx((right.mean(), log_losses(PROBABILITIES, LABELS).mean()))
    expected = calibration(PROBABILITIES[:, NEITHER], LABELS == NEITHER, 4)
    assert (found.calibration, found.calibration_error) == expected
    assert found.confidence_error == calibration(PROBABILITIES.max(axis=1), right, 4)[1]
    means = [PROBABILITIES[row, NEITHER].mean() for row in RNG(2).integers(0, 30, (50, 30))]
    assert found.interval == Interval(np.quantile(means, 0.05), np.quantile(means, 0.95), 0.9, 50)
    assert outcome("male", PROBABILITIES, LABELS, NONE, RNG(2)).interval is None


def test_texts_of_a_page_are_flipped_and_redrawn_together() -> None:
    differences, pages = RNG(3).normal(0.2, 1, 9), np.array(list("abcabcadd"))
    found = counterfactual("x", differences, pages, HOW, RNG(4))
    sums = np.array([differences[pages == page].sum() for page in "abcd"])
    flipped = [abs(sum(s if n >> i & 1 else -s for i, s in enumerate(sums))) for n in range(16)]
    assert found.pvalue == np.mean(np.array(flipped) >= abs(sums.sum()) - 1e-9)
    drawn = RNG(4).multinomial(4, [0.25] * 4, 50)
    means = [sum(row * sums) / sum(row * [3, 2, 2, 2]) for row in drawn]
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx(tuple(np.quantile(means, [0.05, 0.95])))
    assert (found.names, found.difference, found.texts, found.pages) == ("x", pytest.approx(differences.mean()), 9, 4)
    two, one = (counterfactual("x", differences, np.arange(9) % n, HOW, RNG(4)) for n in (2, 1))
    assert (two.interval is None, one.interval is None) == (False, True)
    assert counterfactual("x", differences, pages, NONE, RNG(4)).interval is None


def test_gaps_are_those_between_the_genders_alone_and_beyond_their_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    genders = np.array([GENDERS[i % 3 == 0] for i in range(30)])
    (male, female), gap, beyond = by_gender(PROBABILITIES, LABELS, genders, HOW, 5)
    assert (male.gender, female.gender, male.n, female.n) == (*GENDERS, 20, 10)
    neither, rest = PROBABILITIES[:, NEITHER], PROBABILITIES[:, NEITHER] - (LABELS == NEITHER)
    for found, values in ((gap, neither), (beyond, rest)):
        m, f = (values[genders == gender] for gender in GENDERS)
        assert found.difference == pytest.approx(f.mean() - m.mean())
        known = stats.permutation_test((f, m), lambda x, y: x.mean() - y.mean(), n_resamples=2000, rng=0)
        assert found.pvalue == pytest.approx(known.pvalue, abs=0.05)
        assert found.interval is not None
        assert found.interval.low < found.difference < found.interval.high
        assert found.pvalue_method != "monte carlo"
    monkeypatch.setattr(statistics, "EXACT", 30)
    assert by_gender(PROBABILITIES, LABELS, genders, NONE, 5)[1].pvalue == gap.pvalue
    monkeypatch.setattr(statistics, "EXACT", 29)
    assert by_gender(PROBABILITIES, LABELS, genders, NONE, 5)[1].pvalue_method == "monte carlo"
    assert by_gender(PROBABILITIES, LABELS, genders, NONE, 5)[1].interval is None


def test_the_correlation_with_topics_is_spearmans_over_samples_and_their_redraws() -> None:
    x, y = RNG(6).normal(size=(2, 12))
    found = topic_correlation("male", x, y, HOW, RNG(7))
    assert found is not None
    rows = RNG(7).integers(0, 12, (50, 12))
    drawn = [stats.spearmanr(x[row], y[row]).statistic for row in rows]
    assert (found.gender, found.n, found.rho) == ("male", 12, pytest.approx(stats.spearmanr(x, y).statistic))
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx(tuple(np.quantile(drawn, [0.05, 0.95])))
    assert topic_correlation("male", x[:3], y[:3], NONE, RNG(7)) is not None
    assert topic_correlation("male", x[:2], y[:2], NONE, RNG(7)) is None
    assert topic_correlation("male", np.ones(12), y, HOW, RNG(7)) is None


def test_the_bias_of_a_topic_is_the_weighed_sum_over_the_words_that_have_a_score() -> None:
    weights = np.array([[0.1, 0.9], [0.2, 0.3], [0.6, 0.5]])
    topics = Topics(weights, ((("tea", 2.0), ("war", 0.5)), (("sun", 1.0),)), True)
    assert topic_biases(topics, {"tea": -0.5, "war": 2.0, "moon": 9.0}).tolist() == [0.0, 0.0]
    first, second = described(topics, Leanings({"tea": -0.5}, ("war", "sun")))
    assert (first.bias, first.mean_score, first.samples, first.number) == (-1.0, -0.5, 1, 1)
    assert [(word.word, word.weight, word.score) for word in first.words] == [("tea", 2.0, -0.5), ("war", 0.5, None)]
    assert (second.bias, second.mean_score, second.samples, second.number) == (0.0, None, 2, 2)
    nothing = described(topics, Leanings({}, why_none="no language model was given"))
    assert [(topic.bias, topic.mean_score) for topic in nothing] == [(None, None)] * 2


def samples() -> list[GapSample]:
    made: Any = [
        SimpleNamespace(id=f"s{i}", gender=GENDERS[i % 3 == 0], label=NAMES[label]) for i, label in enumerate(LABELS)
    ]
    return list(made)


def test_what_classifiers_of_several_seeds_say_is_averaged_and_its_spread_is_told() -> None:
    seeds = RNG(8).dirichlet([1, 1, 1], (3, 30))
    found = _numbers(samples(), seeds, HOW, 5)
    genders = np.array([sample.gender for sample in samples()])
    outcomes, gap, beyond = by_gender(seeds.mean(axis=0), LABELS, genders, HOW, 5)
    assert (found["outcomes"], found["gap"], found["beyond_labels"]) == (outcomes, gap, beyond)
    assert found["label_gap"] == pytest.approx(
        np.mean(LABELS[genders == "female"] == NEITHER) - np.mean(LABELS[genders == "male"] == NEITHER)
    )
    gaps, losses, rights = [], [], []
    for one in seeds:
        gaps.append(one[genders == "female", NEITHER].mean() - one[genders == "male", NEITHER].mean())
        losses.append(np.mean([-math.log(row[label]) for row, label in zip(one, LABELS, strict=True)]))
        rights.append(np.mean([row.argmax() == label for row, label in zip(one, LABELS, strict=True)]))
    for name, values in (("gap_by_seed", gaps), ("log_loss", losses), ("accuracy", rights)):
        spread = found[name]
        assert (spread.mean, spread.minimum, spread.maximum) == pytest.approx(
            (np.mean(values), min(values), max(values))
        )


def test_the_bias_of_a_sample_is_that_of_its_topics_weighed() -> None:
    weights = RNG(9).random((30, 2))
    topics = Topics(weights, ((("tea", 2.0),), (("war", 0.5),)), True)
    said = Leanings({"tea": -0.5, "war": 3.0})
    found = _topical(samples(), PROBABILITIES[None], topics, said, HOW, 5)
    biases = weights @ [-1.0, 1.5]
    genders = np.array([sample.gender for sample in samples()])
    for correlation, gender in zip(found["correlations"], GENDERS, strict=True):
        side = genders == gender
        assert correlation.gender == gender
        assert correlation.rho == pytest.approx(stats.spearmanr(biases[side], PROBABILITIES[side, NEITHER]).statistic)
    for i, sample in enumerate(found["samples"]):
        assert (sample.id, sample.gender, sample.label) == (f"s{i}", genders[i], NAMES[LABELS[i]])
        assert (sample.p_a, sample.p_b, sample.p_neither) == pytest.approx(tuple(PROBABILITIES[i]))
        assert (sample.topic, sample.bias) == (1 + weights[i].argmax(), pytest.approx(biases[i]))
    assert found["without_bias"] == ""
    flat = _topical(samples(), np.full((1, 30, 3), 1 / 3), topics, said, HOW, 5)
    assert (flat["correlations"], flat["without_bias"]) == ((), "all samples have one bias or one probability")
    silent = _topical(samples(), PROBABILITIES[None], topics, Leanings({}, why_none="no model"), HOW, 5)
    assert (silent["without_bias"], silent["correlations"], silent["samples"][0].bias) == ("no model", (), None)


class ReachedError(Exception):
    """All settings were accepted."""


@pytest.mark.parametrize(
    ("name", "least"),
    [("folds", 2), ("seeds", 1), ("topics", 1), ("top_words", 1), ("bins", 1), ("bootstrap", 0), ("n_resamples", 1),
     ("retrained", 0)],
)  # fmt: skip
def test_the_least_that_makes_sense_is_accepted(name: str, least: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise ReachedError

    monkeypatch.setattr(measure, "read_gap", stop)
    with pytest.raises(ReachedError):
        aslant.pronoun_resolution(FakeEncoder(), "gap", **{name: least})
    with pytest.raises(MeasureError, match=f"{name} is {least - 1}"):
        aslant.pronoun_resolution(FakeEncoder(), "gap", **{name: least - 1})


def test_a_difference_is_that_of_the_female_version_minus_the_male_one() -> None:
    asis, swaps = RNG(10).dirichlet([1, 1, 1], (2, 3, 30))
    found = measure._differences(samples(), asis, swaps)
    for i, sample in enumerate(samples()):
        pair = (asis, swaps) if sample.gender == "female" else (swaps, asis)
        female, male = (np.mean([seed[i, NEITHER] for seed in version]) for version in pair)
        assert found[i] == pytest.approx(female - male)
