"""What counts as a small or large effect, and as evidence: conventions, each with its source.

They are rules of thumb for reading, not verdicts: an effect that is "small" for d may still matter to people.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from aslant.errors import plural
from aslant.report.tables import LIMITS, Column, number, percentage, plain, small
from aslant.report.tables import pvalue as pvalue_text
from aslant.results.audit import Evidence, Glance, Strength
from aslant.results.parts import Interval
from aslant.statistics import Chance, FrequencyLean, against_chance, known_qvalues

#: Cohen (1988), Statistical Power Analysis for the Behavioral Sciences: d (p. 25), r (p. 79), h (p. 184).
THRESHOLDS: dict[str, tuple[float, float, float]] = {"d": (0.2, 0.5, 0.8), "r": (0.1, 0.3, 0.5), "h": (0.2, 0.5, 0.8)}
#: Gives the social category of a set of stimuli, by its name.
Category = Callable[[str], str]
STRONG, SOME = LIMITS
#: Of fewer draws, the number that reach a score is said, not their share.
FEW = 100
#: The first line of every human-readable output about a language model's associations.
MODEL_CONTENT_NOTE = (
    "Note: the associations below are what a language model has learnt from text, not statements about people; "
    "they may repeat offensive stereotypes."
)
NO_CHANCE = "no chance level: too few other words"
NAMES: tuple[Strength, ...] = ("none", "small", "medium", "large")


def strength_of(effect: float | None, effect_name: str) -> Strength | None:
    """Return how strong an effect is by convention; None where none exists for effects of that name.

    A share is compared with one half, by Cohen's h = 2·arcsin √share − 2·arcsin √½.

    >>> strength_of(-0.9, "d"), strength_of(0.5, "share"), strength_of(0.3, "polarity")
    ('large', 'none', None)
    """
    if effect is None:
        return None
    name = effect_name
    if name == "share":
        name, effect = "h", 2 * math.asin(math.sqrt(effect)) - 2 * math.asin(math.sqrt(0.5))
    limits = THRESHOLDS.get(name)
    return None if limits is None else NAMES[sum(abs(effect) >= limit for limit in limits)]


def evidence_of(pvalue: float | None, qvalue: float | None) -> Evidence:
    """Judge by the q-value, or by the p-value where there is none.

    >>> evidence_of(0.001, 0.03), evidence_of(0.001, None), evidence_of(None, None)
    ('some', 'strong', 'not tested')
    """
    value = pvalue if qvalue is None else qvalue
    if value is None:
        return "not tested"
    return "strong" if value <= STRONG else "some" if value <= SOME else "none"


def weaker(first: Evidence, second: Evidence) -> Evidence:
    """Return the weaker of two answers; what was not tested says nothing.

    >>> weaker("strong", "none"), weaker("not tested", "some")
    ('none', 'some')
    """
    tested = [answer for answer in (first, second) if answer != "not tested"]
    return max(tested, key=("strong", "some", "none").index) if tested else "not tested"


def line(
    category: str, stimuli: str, effect: float | None, effect_name: str, sentence: str,
    pvalue: float | None = None, qvalue: float | None = None, chance: Chance | None = None, draws: Any = 0,
    interval: Interval | None = None,
) -> Glance:  # fmt: skip
    """Return one line of an audit's glance, its strength and evidence judged by convention; the audit adds the measure.

    The sentence is followed by what random words give, if that is known, or by why it is not, where `draws` of them
    were requested.

    >>> line("gender", "mine", 0.9, "d", "A large effect.", pvalue=0.001).evidence
    'strong'
    >>> found = line("gender", "mine", 0.9, "d", "A large effect.", pvalue=0.001, draws=2000)
    >>> found.evidence, found.sentence
    ('not tested', 'A large effect. No chance level: too few other words.')
    """
    untested = NO_CHANCE if draws and not chance else ""
    strength, told = strength_of(effect, effect_name), beyond(chance) if chance else _sentence(untested)
    said = f"{sentence} {told}".rstrip()
    found = Glance(
        "", category, stimuli, effect, effect_name, strength, pvalue, qvalue, "none", said, chance, untested=untested,
        interval=interval,
    )  # fmt: skip
    return replace(found, evidence=_evidence(found, chance.pvalue if chance else None))


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _evidence(found: Glance, of_chance: float | None) -> Evidence:
    """Return the weaker of a line's own test and of chance, whose p- or q-value is given; no grade if chance failed."""
    own = evidence_of(found.pvalue, found.qvalue)
    return "not tested" if found.untested and own != "none" else weaker(own, evidence_of(of_chance, None))


#: What was drawn in place of the words that carry the meaning, by kind of chance.
DRAWN = {
    "matched words": "random word sets of the same frequency",
    "coherent words": "sets of a random word and its nearest neighbours",
    "random poles": "random poles of the same frequency",
    "swapped words": "random words swapped alike",
    "random words in place of names": "random word sets of the same frequency",
    "words in sentences": "random word sets in the same sentences",
    "words in a corpus": "random word sets of the corpus",
    "scored words": "random word sets scored in the same templates",
    "names": "pairs of first names of one gender",
    "random adjectives": "sets of random adjectives",
    "names against others": "first names against others of their gender",
    "words of the text": "sets of other words of the text of the same frequency",
    "untrained twins": "untrained models of the same architecture",
}
#: Where the order of a vocabulary does not tell frequencies, they are of any.
DRAWN |= {f"{kind}, any frequency": drawn.removesuffix(" of the same frequency") for kind, drawn in DRAWN.items()}


def beyond(chance: Chance) -> str:
    """Say how a score compares with chance.

    >>> from aslant.statistics import against_chance
    >>> beyond(against_chance(2.0, [0.5] * 196 + [2.5] * 3))
    'Larger than 98 % of random word sets of the same frequency.'
    >>> beyond(against_chance(2.0, [0.5, 2.5, 3.0]))
    '2 of 3 random word sets of the same frequency reach as much.'
    """
    drawn = DRAWN.get(chance.kind, chance.kind)
    if chance.draws < FEW:
        few = ", too few for evidence" if not chance.reached and 1 / (1 + chance.draws) >= SOME else ""
        return f"{chance.reached} of {chance.draws} {drawn} reach as much{few}."
    if chance.pvalue > SOME:
        return f"{drawn[0].upper()}{drawn[1:]} reach as much in {percentage(chance.reached / chance.draws)} of draws."
    share = "99.9" if chance.pvalue < 0.001 else f"{math.floor(1000 * (1 - chance.pvalue)) / 10:g}"
    larger = "Farther from one half" if chance.kind.startswith("names") else "Larger"  # a share, either way
    return f"{larger} than {share} % of {drawn}."


def weakest_chance(effect: float, twins: Sequence[float], chance: Chance | None, middle: float = 0.0) -> Chance | None:
    """Return the comparison with untrained models where any of them reaches the effect, else that with other words.

    An effect reaches another that is not farther from the `middle`; the range is that of all the untrained models.

    >>> found = weakest_chance(0.6, (0.2, 0.55), None, middle=0.5)
    >>> found.low, found.high, round(found.pvalue, 2), weakest_chance(0.9, (0.2, 0.55), None, middle=0.5)
    (0.2, 0.55, 0.67, None)
    """
    sizes = [twin - middle for twin in twins]
    if not any(abs(size) >= abs(effect - middle) for size in sizes):
        return chance
    found = against_chance(effect - middle, sizes, "untrained twins")
    return replace(found, mean=found.mean + middle, low=min(twins), high=max(twins))


def chance_note(chance: Chance | None, replaced: str, what: str = "") -> list[str]:
    """Say under a table `what` random words give in place of what was `replaced`; nothing where that is not known.

    >>> from aslant.statistics import against_chance
    >>> chance_note(against_chance(0.5, [0.25] * 99), "the classes")[0][-66:]
    'frequency, in place of the classes, give 0.250 to 0.250; p = 0.010'
    """
    if chance is None:
        return []
    drawn, low, high = DRAWN.get(chance.kind, chance.kind), small(chance.low), small(chance.high)
    given = f"{what}{low} to {high}; p = {pvalue_text(chance.pvalue)}"
    return [f"chance: 95 % of {chance.draws:,} {drawn}, in place of {replaced}, give {given}"]


def word_chances(drawn: str, qvalues: Sequence[float | None]) -> tuple[Column, Column]:
    """Return the columns that compare each word with what random `drawn` give; the note counts the words beyond it."""
    beyond = sum(q is not None and q <= SOME for q in qvalues)
    note = (
        f"p (chance): the share of random {drawn} along which the word leans as far; q (chance): Benjamini–Hochberg "
        f"over the words; {beyond:,} of {plural(len(qvalues), 'word')} {'is' if beyond == 1 else 'are'} beyond chance "
        f"(q ≤ {SOME:g}). Some words lean most along any direction."
    )
    return (
        Column("chance_pvalue", "p (chance)", pvalue_text, note=note),
        Column("chance_qvalue", "q (chance)", pvalue_text),
    )


def frequency_note(found: FrequencyLean | None, first: str, score: str = "the score") -> list[str]:
    """Say under a table how leans go with frequency, and what is left without it; nothing where that is not known."""
    if found is None:
        return []
    which = "more frequent" if found.rho < 0 else "rarer"
    return [
        f"frequency: the {which} a word, the more it leans to '{plain(first)}' (Spearman's rho of lean and log "
        f"rank {number(found.rho)}, {plural(found.n, 'word')}); with log rank regressed out, {score} is "
        f"{small(found.without)} instead of {small(found.score)}"
    ]


def judged(lines: Sequence[Glance]) -> list[Glance]:
    """Judge the lines of an audit together: q-values over all of them, for their own tests and for chance.

    >>> one = line("gender", "mine", 0.9, "d", "A large effect.", pvalue=0.03)
    >>> [found.evidence for found in judged([one, one, replace(one, pvalue=0.5)])], one.evidence
    (['some', 'some', 'none'], 'some')
    """
    own = known_qvalues([found.pvalue for found in lines])
    chance = known_qvalues([found.chance.pvalue if found.chance else None for found in lines])
    several = sum(q is not None for q in chance)
    return [_judged(found, q, c, several) for found, q, c in zip(lines, own, chance, strict=True)]


def _judged(found: Glance, own: float | None, of_chance: float | None, lines: int) -> Glance:
    """Judge a line by its q-values; what no draw reaches may still be too little, among so many lines."""
    found, chance = replace(found, qvalue=found.qvalue if own is None else own, chance_qvalue=of_chance), found.chance
    if chance and not chance.reached and (of_chance or 0) > SOME:
        untested = f"too few draws to tell among {plural(lines, 'line')}"
        found = replace(found, untested=untested, sentence=f"{found.sentence} {_sentence(untested)}")
    return replace(found, evidence=_evidence(found, of_chance))


def listed(names: Sequence[str]) -> str:
    """Join names as people do.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    *most, last = names or [""]
    return f"{', '.join(most)} and {last}" if most else last
