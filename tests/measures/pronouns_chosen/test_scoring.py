"""Groups and occupations are summed up as a loop over sentences would."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from aslant.measures.pronouns_chosen import scoring
from aslant.measures.pronouns_chosen.result import PronounChoiceResult, PronounScore
from aslant.measures.pronouns_chosen.scoring import Drawing, groups_of, occupations_of
from aslant.measures.pronouns_chosen.settings import PronounChoiceSettings
from aslant.results.parts import Interval
from aslant.statistics import cluster_bootstrap_means, clustered_wilson, sign_flip_pvalue

JOBS = {"Nurse": "female", "clerk": "female", "judge": "male", "boss": "male", "guard": "male", "cook": None}
SHARES = {"nurse": 0.9, "Clerk": 0.6, "judge": 0.3, "boss": 0.2, "guard": 0.1}
HOW = Drawing(PronounChoiceSettings(bootstrap=40, confidence=0.8, n_resamples=99), seed=3)
RNG = np.random.default_rng


def made(count: int = 40) -> tuple[Any, list[PronounScore]]:
    scores = []
    drawn = RNG(0).normal(size=count)
    drawn[3] = 0.0  # no preference at all is not one for the stereotype
    for i, odds in enumerate(drawn):
        job = list(JOBS)[i % 6]
        sign = {"female": 1, "male": -1}.get(JOBS[job] or "")
        corrected = None if i % 5 == 0 else float(odds + 0.1 * i)
        scores.append(
            PronounScore(
                id=str(i), groups=("all", "odd" if i % 2 else "even"), sentence="", occupation=job,
                stereotype=JOBS[job], log_odds=float(odds), log_odds_corrected=corrected,
                gap=None if sign is None else float(sign * odds),
                gap_corrected=None if sign is None or corrected is None else sign * corrected,
                p_male=1 / (1 + math.exp(odds)), p_neutral=0.01 * i if i % 3 else None,
            )
        )  # fmt: skip
    asked: Any = SimpleNamespace(groups=("all", "none", "even", "odd"), shares=SHARES, figure="share of women")
    return asked, scores


def mean(values: Any) -> Any:
    known = [value for value in values if value is not None]
    return pytest.approx(sum(known) / len(known)) if known else None


def test_a_group_is_the_sum_of_its_sentences() -> None:
    asked, scores = made()
    groups = groups_of(asked, scores, HOW)
    assert [group.name for group in groups] == ["all", "even", "odd"]
    for group in groups:
        part = [score for score in scores if group.name in score.groups]
        assert (group.sentences, group.occupations) == (len(part), len({score.occupation for score in part}))
        assert group.gap_of_male == mean([s.gap for s in part if s.stereotype == "male"])
        assert group.gap_of_female == mean([s.gap for s in part if s.stereotype == "female"])
        assert (group.log_odds, group.p_male) == (mean([s.log_odds for s in part]), mean([s.p_male for s in part]))
        assert group.p_against == mean([1 / (1 + math.exp(s.gap)) for s in part if s.gap is not None])
        assert group.p_neutral == mean([s.p_neutral for s in part])
        for found, name in ((group.preference, "gap"), (group.corrected, "gap_corrected")):
            gaps = [getattr(s, name) for s in part if getattr(s, name) is not None]
            assert found is not None
            assert (found.count, found.n) == (sum(gap > 0 for gap in gaps), len(gaps))
            assert (found.share, found.gap) == (found.count / len(gaps), mean(gaps))


def test_preference_is_drawn_by_occupation_within_the_stereotypes() -> None:
    _, scores = made()
    found = scoring.preference([(s.occupation, s.stereotype or "", s.gap) for s in scores], HOW)
    jobs = [job for job, kind in JOBS.items() if kind]
    gaps = [[s.gap for s in scores if s.occupation == job and s.gap is not None] for job in jobs]
    sums = np.array([[sum(some), sum(gap > 0 for gap in some)] for some in gaps])
    means = cluster_bootstrap_means(sums, [len(some) for some in gaps], [JOBS[job] or "" for job in jobs], 40, RNG(3))
    assert found is not None
    for interval, drawn in ((found.gap_interval, means[:, 0]), (found.share_interval, means[:, 1])):
        assert interval is not None
        assert (interval.low, interval.high) == pytest.approx(tuple(np.quantile(drawn, [0.1, 0.9])))
        assert (interval.confidence, interval.n_resamples) == (0.8, 40)
    assert found.pvalue == sign_flip_pvalue(sums[:, 0])
    assert scoring.preference([("nurse", "female", None)], HOW) is None
    always = scoring.preference([(job, JOBS[job] or "", 1.0) for job in jobs], HOW)
    assert always is not None
    assert (always.share, always.gap_interval) == (1, None)
    assert always.share_interval == Interval(*clustered_wilson(np.ones(len(jobs)), np.ones(len(jobs)), 0.8), 0.8, 0)
    none = scoring.preference(
        [("nurse", "female", 0.0), ("judge", "male", 1.0)], Drawing(PronounChoiceSettings(bootstrap=0), 3)
    )
    assert none is not None
    assert (none.count, none.gap_interval, none.share_interval) == (1, None, None)


def test_the_contrast_and_the_correlation_are_those_of_the_means_of_occupations() -> None:
    asked, scores = made()
    (group, *_) = groups_of(asked, scores, HOW)
    odds = {job: np.mean([s.log_odds for s in scores if s.occupation == job]) for job in JOBS}
    female, male = ([odds[job] for job in JOBS if JOBS[job] == side] for side in ("female", "male"))
    contrast = group.contrast
    assert contrast is not None
    assert contrast.difference == pytest.approx(np.mean(female) - np.mean(male))
    known = stats.permutation_test((female, male), lambda x, y: np.mean(x) - np.mean(y), n_resamples=np.inf)
    assert contrast.pvalue == pytest.approx(known.pvalue)
    assert contrast.interval is not None
    assert contrast.interval.low < contrast.difference < contrast.interval.high
    shares = {name.lower(): share for name, share in SHARES.items()}
    listed = [job for job in JOBS if job.lower() in shares]
    expected = stats.pearsonr([odds[job] for job in listed], [shares[job.lower()] for job in listed])
    assert scoring.contrast([("nurse", "female", 1.0), ("cook", "", 2.0)], HOW) is None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scoring, "LEAST_OCCUPATIONS", 5)
        (group, *_) = groups_of(asked, scores, HOW)
        assert group.correlation is not None
        assert (group.correlation.n, group.correlation.pearson) == (5, pytest.approx(expected.statistic))
        patch.setattr(scoring, "LEAST_OCCUPATIONS", 6)
        assert groups_of(asked, scores, HOW)[0].correlation is None


def test_an_occupation_is_summed_up_in_the_first_group_and_by_group() -> None:
    asked, scores = made()
    found = occupations_of(asked, scores)
    assert [one.occupation for one in found] == sorted(JOBS, key=str.lower)
    for one in found:
        part = [s for s in scores if s.occupation == one.occupation]
        assert (one.sentences, one.stereotype) == (len(part), JOBS[one.occupation])
        assert one.stereotyped == sum(s.gap is not None and s.gap > 0 for s in part)
        assert (one.log_odds, one.gap) == (mean([s.log_odds for s in part]), mean([s.gap for s in part]))
        assert one.log_odds_corrected == mean([s.log_odds_corrected for s in part])
        assert one.gap_corrected == mean([s.gap_corrected for s in part])
        expected = [mean([s.log_odds for s in part if name in s.groups]) for name in ("all", "even", "odd")]
        assert list(one.by_group) == expected
    assert [one.share_women for one in found] == [0.2, 0.6, None, 0.1, 0.3, 0.9]
    given: Any = SimpleNamespace(occupations=found)
    ranked = PronounChoiceResult.ranked.fget(given)  # type: ignore[attr-defined]
    assert [one.gap for one in ranked] == sorted((one.gap for one in found if one.gap is not None), reverse=True)
    asked.groups = ("even", "all")
    assert "clerk" not in [one.occupation for one in occupations_of(asked, scores)]  # it stands in odd sentences only
