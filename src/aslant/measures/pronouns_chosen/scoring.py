"""Ask a language model which pronoun it prefers in a sentence: one item becomes sentences, each scored once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TypeAlias

import numpy as np

from aslant.errors import MeasureError
from aslant.io.journal import Journal
from aslant.measures.template_tests.scoring import MASKS, WHOLE, Model
from aslant.models.plan import Tables
from aslant.models.protocols import ATTRIBUTE, TARGET, MaskedLM, Progress, Sentence
from aslant.stimuli.pronoun_items import OCCUPATION, PRONOUN, PronounItem, PronounText, Remark

#: Log-probability of a pronoun, and with the occupation masked too (None: not computed).
Pair: TypeAlias = tuple[float, float | None]


@dataclass(frozen=True)
class Chosen:
    """What a model said about one item: log-odds of female against male, as they are and corrected by the prior.

    `neutral` is log P(neutral) − log(P(male) + P(female)).
    """

    item: PronounItem
    log_odds: float
    log_odds_corrected: float | None
    neutral: float | None


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
) -> tuple[list[Chosen], list[Remark], str]:
    """Return the model's choice in each item that it can score, the other items, and what was compared."""
    masked = isinstance(lm, MaskedLM)
    asked = [(item, _sentences(item, masked=masked)) for item in items]
    reasons = _unplaceable(lm, list(dict.fromkeys(sentence for _, sentences in asked for sentence in sentences)))
    refused = [
        Remark(item.id, f"the model cannot score it: {next(reasons[s] for s in sentences if s in reasons)}")
        for item, sentences in asked
        if not reasons.keys().isdisjoint(sentences)
    ]
    usable = [(item, sentences) for item, sentences in asked if reasons.keys().isdisjoint(sentences)]
    if not usable:
        raise MeasureError(f"no sentence can be scored: {refused[0].reason}.")
    wanted = list(dict.fromkeys(sentence for _, sentences in usable for sentence in sentences))
    known = dict(zip(wanted, _ask(lm, wanted, journal, progress), strict=True))
    return [_chosen(item, known, masked=masked) for item, _ in usable], refused, MASKS if masked else WHOLE


def _unplaceable(lm: Model, sentences: list[Sentence]) -> dict[Sentence, str]:
    """Return why sentences cannot be scored; a model need not say."""
    tell: Callable[[Sequence[Sentence]], dict[int, str]] | None = getattr(lm, "unplaceable", None)
    return {sentences[i]: reason for i, reason in tell(sentences).items()} if tell else {}


def _sentences(item: PronounItem, *, masked: bool) -> list[Sentence]:
    return [
        sentence_for(text, wording, masked=masked)
        for text in item.texts
        for wording in (*text.male, *text.female, *([(text.neutral,)] if text.neutral else []))
    ]


def _ask(
    lm: Model, sentences: list[Sentence], journal: str | PathLike[str] | Journal | None, progress: Progress | None
) -> list[Pair]:
    """Return log P(pronoun), the occupation shown and masked; of a causal model, the whole sentence's."""
    kept = Tables(journal)
    found: list[Pair]
    if isinstance(lm, MaskedLM):
        masked = lm.masked_scores(sentences, journal=kept, progress=progress)
        found = [(score.target, score.prior) for score in masked]
    else:
        found = [(score.sentence, None) for score in lm.causal_scores(sentences, journal=kept, progress=progress)]
    for sentence, values in zip(sentences, found, strict=True):
        if not all(value is None or np.isfinite(value) for value in values):
            raise MeasureError(f"the model returns no finite log-probability for '{sentence.text}'.")
    return found


def _chosen(item: PronounItem, known: dict[Sentence, Pair], *, masked: bool) -> Chosen:
    """Put an item's sentences together; the mean over its texts."""
    sides = [_sides(text, known, masked=masked) for text in item.texts]
    odds = [female[0] - male[0] for male, female, _ in sides]
    corrected = [
        (female[0] - female[1]) - (male[0] - male[1])
        for male, female, _ in sides
        if female[1] is not None and male[1] is not None
    ]
    neutral = [
        said - float(np.logaddexp(male[0], female[0])) for male, female, said in sides if said is not None
    ]  # fmt: skip
    whole = len(item.texts)
    return Chosen(
        item,
        float(np.mean(odds)),
        float(np.mean(corrected)) if len(corrected) == whole else None,
        float(np.mean(neutral)) if len(neutral) == whole else None,
    )


def _sides(text: PronounText, known: dict[Sentence, Pair], *, masked: bool) -> tuple[Pair, Pair, float | None]:
    male, female = (_sum(text, wordings, known, masked=masked) for wordings in (text.male, text.female))
    neutral = known[sentence_for(text, (text.neutral,), masked=masked)][0] if text.neutral else None
    return male, female, neutral


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
