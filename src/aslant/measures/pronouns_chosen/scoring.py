"""Ask a language model which pronoun it prefers in each sentence, and sum up its choices by group and occupation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TypeAlias

import numpy as np

from aslant import statistics
from aslant.errors import MeasureError
from aslant.io.journal import Journal
from aslant.measures.pronouns_chosen import result
from aslant.measures.pronouns_chosen.result import OccupationContrast, OccupationPreference, Preference, PronounGroup
from aslant.measures.pronouns_chosen.settings import PronounChoiceSettings
from aslant.measures.shared.statistic import drawn_interval, share_interval
from aslant.measures.template_tests.scoring import MASKS, WHOLE, Model
from aslant.models.plan import Tables, ask_ahead
from aslant.models.protocols import ATTRIBUTE, TARGET, MaskedLM, Progress, Sentence
from aslant.results.parts import Correlation
from aslant.stimuli.pronoun_sets import FEMALE, MALE, OCCUPATION, PRONOUN, PronounItem, PronounSet, PronounText, Remark

#: Log-probability of a pronoun, and with the occupation masked too (None: not computed).
Pair: TypeAlias = tuple[float, float | None]
#: Fewer occupations give no correlation.
LEAST_OCCUPATIONS = 3
SIGNS = {MALE: -1.0, FEMALE: 1.0}


def sentence_for(text: PronounText, wording: Sequence[str], *, masked: bool) -> Sentence:
    """Return what is put to the model: the first pronoun is the target, and the occupation the attribute.

    Where a masked model would see a second pronoun of the same person, which gives the answer away, that one is the
    attribute, so both are masked in what is called the prior.
    """
    template = text.text.replace(PRONOUN, TARGET, 1)
    if masked and len(wording) > 1:
        template = template.replace(PRONOUN, ATTRIBUTE, 1).replace(OCCUPATION, text.occupation)
        return Sentence(template, wording[0], wording[1])
    for word in wording[1:]:
        template = template.replace(PRONOUN, word, 1)
    return Sentence(template.replace(OCCUPATION, ATTRIBUTE), wording[0], text.occupation)


def choose(
    lm: Model,
    items: Sequence[PronounItem],
    journal: str | PathLike[str] | Journal | None = None,
    progress: Progress | None = None,
) -> tuple[tuple[result.PronounScore, ...], list[Remark], str]:
    """Return the model's choice in each item that it can score, the other items, and what was compared."""
    masked = isinstance(lm, MaskedLM)
    asked = [(item, _sentences(item, masked=masked)) for item in items]
    every = list(dict.fromkeys(sentence for _, sentences in asked for sentence in sentences))
    ask_ahead(lm, every, journal, progress)
    tell = getattr(lm, "unplaceable", None)  # a model need not say what it cannot score
    reasons: dict[Sentence, str] = {every[i]: reason for i, reason in tell(every).items()} if tell else {}
    refused = [
        Remark(item.id, f"the model cannot score it: {next(reasons[s] for s in sentences if s in reasons)}")
        for item, sentences in asked
        if not reasons.keys().isdisjoint(sentences)
    ]
    usable = [(item, sentences) for item, sentences in asked if reasons.keys().isdisjoint(sentences)]
    if not usable:
        raise MeasureError(f"no sentence can be scored: {refused[0].reason}.")
    wanted = list(dict.fromkeys(sentence for _, sentences in usable for sentence in sentences))
    found: list[Pair]
    if isinstance(lm, MaskedLM):
        shown = lm.masked_scores(wanted, journal=Tables(journal), progress=progress)
        found = [(score.target, score.prior) for score in shown]
    else:
        whole = lm.causal_scores(wanted, journal=Tables(journal), progress=progress)
        found = [(score.sentence, None) for score in whole]
    for sentence, values in zip(wanted, found, strict=True):
        if not all(value is None or np.isfinite(value) for value in values):
            raise MeasureError(f"the model returns no finite log-probability for '{sentence.text}'.")
    known = dict(zip(wanted, found, strict=True))
    scores = tuple(_score(item, known, masked=masked) for item, _ in usable)
    return scores, refused, MASKS if masked else WHOLE


def _sentences(item: PronounItem, *, masked: bool) -> list[Sentence]:
    return [
        sentence_for(text, wording, masked=masked)
        for text in item.texts
        for wording in (*text.male, *text.female, *([(text.neutral,)] if text.neutral else []))
    ]


def _score(item: PronounItem, known: dict[Sentence, Pair], *, masked: bool) -> result.PronounScore:
    """Put an item's sentences together; the mean over its texts."""
    every, every_corrected, every_neutral = [], [], []
    for text in item.texts:
        male, female = (_sum(text, wordings, known, masked=masked) for wordings in (text.male, text.female))
        every.append(female[0] - male[0])
        if female[1] is not None and male[1] is not None:
            every_corrected.append((female[0] - female[1]) - (male[0] - male[1]))
        if text.neutral:  # log P(neutral) − log(P(male) + P(female))
            neutral = known[sentence_for(text, (text.neutral,), masked=masked)][0]
            every_neutral.append(neutral - float(np.logaddexp(male[0], female[0])))
    odds, sign = float(np.mean(every)), SIGNS.get(item.stereotype or "")
    corrected = float(np.mean(every_corrected)) if len(every_corrected) == len(every) else None
    return result.PronounScore(
        id=item.id,
        groups=item.groups,
        sentence=item.texts[0].shown,
        occupation=item.occupation,
        stereotype=item.stereotype,
        log_odds=odds,
        log_odds_corrected=corrected,
        gap=None if sign is None else sign * odds,
        gap_corrected=None if sign is None or corrected is None else sign * corrected,
        p_male=logistic(-odds),
        p_neutral=logistic(float(np.mean(every_neutral))) if len(every_neutral) == len(every) else None,
    )


def logistic(x: float) -> float:
    """Return 1 / (1 + exp(−x))."""
    return float(np.exp(-np.logaddexp(0.0, -x)))


def _sum(
    text: PronounText, wordings: Sequence[tuple[str, ...]], known: dict[Sentence, Pair], *, masked: bool
) -> Pair:  # fmt: skip
    """Add up the probabilities of the wordings of one gender."""
    if masked and len(wordings[0]) > 1:  # both pronouns are masked; only the first is scored
        once = {wording[0]: known[sentence_for(text, wording, masked=True)][1] for wording in wordings}
        return float(np.logaddexp.reduce([prior for prior in once.values() if prior is not None])), None
    pairs = [known[sentence_for(text, wording, masked=masked)] for wording in wordings]
    priors = [prior for _, prior in pairs if prior is not None]
    return (
        float(np.logaddexp.reduce([shown for shown, _ in pairs])),
        float(np.logaddexp.reduce(priors)) if len(priors) == len(pairs) else None,
    )


@dataclass(frozen=True)
class Drawing:
    """How intervals and p-values are drawn; every group draws from the same seed."""

    how: PronounChoiceSettings
    seed: int


def groups_of(asked: PronounSet, scores: Sequence[result.PronounScore], drawing: Drawing) -> tuple[PronounGroup, ...]:
    """Sum up every group that has a sentence."""
    members = {name: [score for score in scores if name in score.groups] for name in asked.groups}
    return tuple(_group(name, part, asked, drawing) for name, part in members.items() if part)


def _group(name: str, scores: Sequence[result.PronounScore], asked: PronounSet, drawing: Drawing) -> PronounGroup:
    return PronounGroup(
        name=name,
        sentences=len(scores),
        occupations=len({s.occupation for s in scores}),
        preference=preference([(s.occupation, s.stereotype or "", s.gap) for s in scores], drawing),
        corrected=preference([(s.occupation, s.stereotype or "", s.gap_corrected) for s in scores], drawing),
        contrast=contrast([(s.occupation, s.stereotype or "", s.log_odds) for s in scores], drawing),
        gap_of_male=_mean([s.gap for s in scores if s.stereotype == MALE]),
        gap_of_female=_mean([s.gap for s in scores if s.stereotype == FEMALE]),
        log_odds=float(np.mean([s.log_odds for s in scores])),
        p_male=float(np.mean([s.p_male for s in scores])),
        p_against=_mean([logistic(-s.gap) for s in scores if s.gap is not None]),
        p_neutral=_mean([s.p_neutral for s in scores]),
        correlation=_correlation(asked, [(s.occupation, s.log_odds) for s in scores], drawing),
        correlation_corrected=_correlation(asked, [(s.occupation, s.log_odds_corrected) for s in scores], drawing),
    )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def preference(gaps: Sequence[tuple[str, str, float | None]], drawing: Drawing) -> Preference | None:
    """Sum up (occupation, stereotype, gap) of sentences; None where no sentence has a gap."""
    known = [(occupation, stereotype, gap) for occupation, stereotype, gap in gaps if gap is not None]
    if not known:
        return None
    occupations = {occupation: place for place, occupation in enumerate(dict.fromkeys(row[0] for row in known))}
    strata = {occupation: stereotype for occupation, stereotype, _ in known}
    place = np.array([occupations[row[0]] for row in known])
    values = np.array([row[2] for row in known], dtype=np.float64)
    sums = np.stack([np.bincount(place, values), np.bincount(place, values > 0)], axis=1)
    gap_interval = within = None
    if drawing.how.bootstrap:
        random, sizes = np.random.default_rng(drawing.seed), np.bincount(place)
        strata_of = [strata[name] for name in occupations]
        means = statistics.cluster_bootstrap_means(sums, sizes, strata_of, drawing.how.bootstrap, random)
        gap_interval = drawn_interval(means[:, 0], drawing.how.confidence)
        within = share_interval(means[:, 1], sums[:, 1], sizes, drawing.how.confidence)
    count, n = int((values > 0).sum()), len(known)
    p = statistics.sign_flip_pvalue(sums[:, 0], n_resamples=drawing.how.n_resamples, rng=drawing.seed)
    return Preference(count, n, count / n, within, float(values.mean()), gap_interval, p)


def contrast(log_odds: Sequence[tuple[str, str, float]], drawing: Drawing) -> OccupationContrast | None:
    """Compare (occupation, stereotype, log-odds) of sentences by stereotype; None where one of the two is absent."""
    sides: dict[str, dict[str, list[float]]] = {FEMALE: {}, MALE: {}}
    for occupation, stereotype, value in log_odds:
        if stereotype in sides:
            sides[stereotype].setdefault(occupation, []).append(value)
    female, male = (np.array([np.mean(values) for values in side.values()]) for side in sides.values())
    if not len(female) or not len(male):
        return None
    draws = {"n_resamples": drawing.how.n_resamples, "rng": drawing.seed}
    p = statistics.partition_pvalue(female, male, alternative="two-sided", **draws)  # type: ignore[arg-type]
    interval = None
    if drawing.how.bootstrap and min(len(female), len(male)) > 1:
        random = np.random.default_rng(drawing.seed)
        first, second = (statistics.bootstrap_means(side, drawing.how.bootstrap, random) for side in (female, male))
        interval = drawn_interval(first - second, drawing.how.confidence)
    difference = float(female.mean() - male.mean())
    return OccupationContrast(difference, interval, p.pvalue, p.bounds, len(female), len(male))


def _correlation(asked: PronounSet, scored: Sequence[tuple[str, float | None]], drawing: Drawing) -> Correlation | None:
    """Correlate the occupations' mean log-odds with the share of women; None with too few, or where one is constant."""
    shares = {name.lower(): share for name, share in asked.shares.items()}
    by_occupation: dict[str, list[float]] = {}
    for occupation, value in scored:
        if value is not None and occupation.lower() in shares:
            by_occupation.setdefault(occupation, []).append(value)
    odds = np.array([np.mean(values) for values in by_occupation.values()])
    women = np.array([shares[occupation.lower()] for occupation in by_occupation])
    if len(odds) < LEAST_OCCUPATIONS or np.ptp(odds) == 0 or np.ptp(women) == 0:
        return None
    draws = {"n_resamples": drawing.how.n_resamples, "rng": drawing.seed}
    return Correlation(
        asked.figure,
        float(np.corrcoef(odds, women)[0, 1]),
        statistics.correlation_pvalue(odds, women, **draws),
        float(statistics.rank_correlations([odds], [women])[0]),
        statistics.rank_correlation_pvalue(odds, women, **draws),
        len(odds),
    )


def occupations_of(asked: PronounSet, scores: Sequence[result.PronounScore]) -> tuple[OccupationPreference, ...]:
    """Sum up every occupation, in the first group that has sentences, by name."""
    shares = {name.lower(): share for name, share in asked.shares.items()}
    names = [name for name in asked.groups if any(name in score.groups for score in scores)]
    by_occupation: dict[str, list[result.PronounScore]] = {}
    for score in scores:
        by_occupation.setdefault(score.occupation, []).append(score)
    found = []
    for occupation, every in sorted(by_occupation.items(), key=lambda entry: entry[0].lower()):
        part = [score for score in every if names[0] in score.groups]
        if not part:
            continue
        by_group = tuple(_mean([score.log_odds for score in every if name in score.groups]) for name in names)
        found.append(
            OccupationPreference(
                occupation=occupation,
                stereotype=part[0].stereotype,
                share_women=shares.get(occupation.lower()),
                sentences=len(part),
                stereotyped=sum(score.gap is not None and score.gap > 0 for score in part),
                log_odds=float(np.mean([score.log_odds for score in part])),
                log_odds_corrected=_mean([score.log_odds_corrected for score in part]),
                gap=_mean([score.gap for score in part]),
                gap_corrected=_mean([score.gap_corrected for score in part]),
                by_group=by_group,
            )
        )
    return tuple(found)
