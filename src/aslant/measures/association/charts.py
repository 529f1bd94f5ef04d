"""Charts of association tests: effect sizes of several, the words of one."""

from __future__ import annotations

from typing import Any

from aslant.measures.association.result import WeatResult, WefatResult
from aslant.report.pictures import tests_picture, words_chart
from aslant.report.tables import plain


def suite_picture(suite: Any) -> Any:
    """Draw each test's effect size with its interval, and what a study found in people."""
    return tests_picture(suite.rows(), "this embedding" if suite.kind == "weat-suite" else "this model")


def associations_picture(result: WeatResult) -> Any:
    """Draw how much closer each target word is to the first attributes than to the second."""
    first, second = (plain(group.name) for group in result.attributes)
    named = [(a.word, a.value, plain(a.target)) for a in result.associations]
    return words_chart(named, f"← {second} · closer to · {first} →")


def wefat_picture(result: WefatResult) -> Any:
    """Draw the effect size of the words at either end."""
    first, second = (plain(group.name) for group in result.attributes)
    named = [(w.word, w.effect_size, first if w.effect_size > 0 else second) for w in result.words]
    return words_chart(named, f"← {second} · effect size d · {first} →")
