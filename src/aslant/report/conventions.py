"""What counts as a small or large effect, and as evidence: conventions, each with its source.

They are rules of thumb for reading, not verdicts: an effect that is "small" for d may still matter to people.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from aslant.results.audit import Evidence, Glance, Strength

#: Cohen (1988), Statistical Power Analysis for the Behavioral Sciences: d (p. 25), r (p. 79), h (p. 184).
THRESHOLDS: dict[str, tuple[float, float, float]] = {"d": (0.2, 0.5, 0.8), "r": (0.1, 0.3, 0.5), "h": (0.2, 0.5, 0.8)}
#: Gives the social category of a set of stimuli, by its name.
Category = Callable[[str], str]
STRONG, SOME = 0.01, 0.05
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


def line(
    category: str, stimuli: str, effect: float | None, effect_name: str, sentence: str,
    pvalue: float | None = None, qvalue: float | None = None,
) -> Glance:  # fmt: skip
    """Return one line of an audit's glance, its strength and evidence judged by convention; the audit adds the measure.

    >>> line("gender", "mine", 0.9, "d", "A large effect.", pvalue=0.001).evidence
    'strong'
    """
    strength, evidence = strength_of(effect, effect_name), evidence_of(pvalue, qvalue)
    return Glance("", category, stimuli, effect, effect_name, strength, pvalue, qvalue, evidence, sentence)


def listed(names: Sequence[str]) -> str:
    """Join names as people do.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    *most, last = names or [""]
    return f"{', '.join(most)} and {last}" if most else last
