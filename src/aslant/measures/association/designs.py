"""Designs that cannot answer, said beside their numbers: too few words, words on both sides, one-sided questions."""

from __future__ import annotations

from typing import Any

from aslant.report.conventions import SOME
from aslant.report.tables import first_of, number, plain, pvalue

#: Of one word against one, the effect size is the same whatever the vectors are.
ONE_WORD = "one word in each set that is compared, so d is ±√2 whatever the vectors are"


def one_word_each(test: Any) -> bool:
    """Tell whether each set that is compared, and re-partitioned, has one word; only a test on words can."""
    return all(len(getattr(group, "used", ())) == 1 for group in getattr(test, test.partitioned))


def goes_against(test: Any) -> bool:
    """Tell whether the effect goes the other way than a one-sided test asks about."""
    return bool(test.effect_size * {"greater": 1, "less": -1}.get(test.alternative, 0) < 0)


def least_pvalue(test: Any) -> float:
    """Return the smallest p-value that sets of these sizes can have; a two-sided one counts both ends."""
    return min(1.0, (2 if test.alternative == "two-sided" else 1) / int(test.n_partitions))


def design_notes(test: Any) -> list[str]:
    """Say what a test cannot answer because of its words, and which way it asks."""
    said = [f"{ONE_WORD}: it says which way, not how much"] if one_word_each(test) else []
    if (least := least_pvalue(test)) > SOME:
        said.append(f"with sets of this size, p cannot be below {pvalue(least)}; take more words")
    if goes_against(test):
        said.append(
            f"d goes the other way than its test asks about ('{test.alternative}'), so a large p is not a sign of no "
            "effect; a two-sided test asks about both ways"
        )
    aimed, given = ([w for g in some for w in getattr(g, "used", ())] for some in (test.targets, test.attributes))
    if both := [word for word in aimed if word in given]:
        said.append(f"both target and attribute: {first_of(both)}; such a word is as close to itself as can be")
    return [f"{plain(test.test)}: {note}." for note in said]


def interval_note(test: Any) -> str:
    """Say that an effect holds for these words, where other words might not show it; "" where that is not so."""
    found = getattr(test, "interval", None)
    if found is None or test.pvalue > SOME or not found.low <= 0 <= found.high:
        return ""
    return (
        f" This holds for these words: the interval over the choice of words, {number(found.low)} to "
        f"{number(found.high)}, includes 0."
    )
