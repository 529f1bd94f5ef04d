"""Ask a language model which pronoun it prefers in a sentence: one item becomes sentences, each scored once."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TypeAlias

import numpy as np

from aslant.errors import MeasureError
from aslant.io.journal import Journal
from aslant.measures.pronouns_chosen.result import PronounScore
from aslant.measures.template_tests.scoring import MASKS, WHOLE, Model
from aslant.models.protocols import ATTRIBUTE, TARGET, MaskedLM, Progress, Sentence
from aslant.models.table import Tables
from aslant.stimuli.pronoun_sets import FEMALE, MALE, OCCUPATION, PRONOUN, PronounItem, PronounText, Remark

#: Log-probability of a pronoun, and with the occupation masked too (None: not computed).
Pair: TypeAlias = tuple[float, float | None]
SIGNS = {MALE: -1.0, FEMALE: 1.0}


def sentence_for(text: PronounText, wording: Sequence[str], *, masked: bool) -> Sentence:
    """Return what is put to the model: the first pronoun is the target, and the occupation the attribute.

    Where a masked model would see a second pronoun of the same person, which gives the answer away, that one is the
    attribute, so both are masked in what is called the prior.

    >>> text = PronounText("The [OCCUPATION] said [PRONOUN] lost [PRONOUN] key.", "cook", (("he", "his"),), ())
    >>> sentence_for(text, ("he", "his"), masked=True).template
    'The cook said [TARGET] lost [ATTRIBUTE] key.'
    >>> sentence_for(text, ("he", "his"), masked=False).template
    'The [ATTRIBUTE] said [TARGET] lost his key.'
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
) -> tuple[tuple[PronounScore, ...], list[Remark], str]:
    """Return the model's choice in each item that it can score, the other items, and what was compared."""
    masked = isinstance(lm, MaskedLM)
    asked = [(item, _sentences(item, masked=masked)) for item in items]
    every = list(dict.fromkeys(sentence for _, sentences in asked for sentence in sentences))
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


def _score(item: PronounItem, known: dict[Sentence, Pair], *, masked: bool) -> PronounScore:
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
    return PronounScore(
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
    """Return 1 / (1 + exp(−x)).

    >>> logistic(0.0), round(logistic(-2.0), 4)
    (0.5, 0.1192)
    """
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
