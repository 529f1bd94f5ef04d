"""What a test cannot answer is said beside its numbers, and only there."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from aslant.measures.association.designs import (
    ONE_WORD,
    design_notes,
    goes_against,
    interval_note,
    least_pvalue,
    one_word_each,
)


def made(x: int = 3, y: int = 3, **changes: Any) -> Any:
    sets = [
        SimpleNamespace(used=tuple(f"{letter}{i}" for i in range(n)))
        for letter, n in zip("xyab", (x, y, 2, 2), strict=True)
    ]
    given = {"test": "t", "targets": sets[:2], "attributes": sets[2:], "alternative": "greater", "effect_size": 1.0}
    more = {"n_partitions": 100, "pvalue": 0.01, "partitioned": "targets"}
    return SimpleNamespace(**given | more | changes)


@pytest.mark.parametrize(
    ("alternative", "partitions", "least"),
    [("greater", 20, 1 / 20), ("less", 20, 1 / 20), ("two-sided", 20, 2 / 20), ("two-sided", 1, 1.0), ("less", 1, 1.0)],
)
def test_the_least_pvalue_is_the_share_of_the_observed_partition(
    alternative: str, partitions: int, least: float
) -> None:
    assert least_pvalue(made(alternative=alternative, n_partitions=partitions)) == least


@pytest.mark.parametrize(("alternative", "effects"), [("greater", [-1.0]), ("less", [1.0]), ("two-sided", [])])
def test_only_a_one_sided_test_can_be_gone_against(alternative: str, effects: list[float]) -> None:
    assert [d for d in (-1.0, 0.0, 1.0) if goes_against(made(alternative=alternative, effect_size=d))] == effects


def test_each_flaw_of_a_design_is_said_and_none_of_a_sound_one() -> None:
    assert design_notes(made()) == []
    assert design_notes(made(n_partitions=20)) == []  # p = 0.05 can be reached
    assert [one_word_each(made(x, y)) for x, y in ((1, 1), (1, 2), (2, 1))] == [True, False, False]
    assert not one_word_each(made(targets=[SimpleNamespace(), SimpleNamespace()]))
    (one,) = design_notes(made(1, 1))
    assert one == f"t: {ONE_WORD}: it says which way, not how much."
    (few,) = design_notes(made(n_partitions=19))
    assert few.startswith("t: with sets of this size, p cannot be below 0.053")
    (against,) = design_notes(made(effect_size=-1.0))
    assert "the other way than its test asks about ('greater')" in against
    (shared,) = design_notes(made(attributes=[SimpleNamespace(used=("x1", "b"))]))
    assert shared.startswith("t: both target and attribute: x1;")


@pytest.mark.parametrize(
    ("low", "high", "pvalue", "said"),
    [(-1.0, 1.0, 0.01, True), (0.0, 1.0, 0.05, True), (-1.0, 0.0, 0.05, True), (0.1, 1.0, 0.01, False),
     (-1.0, -0.1, 0.01, False), (-1.0, 1.0, 0.06, False)],
)  # fmt: skip
def test_an_effect_whose_interval_includes_zero_holds_for_these_words(
    low: float, high: float, pvalue: float, said: bool
) -> None:
    test = made(interval=SimpleNamespace(low=low, high=high), pvalue=pvalue)
    assert bool(interval_note(test)) == said
    assert interval_note(made(interval=None)) == interval_note(made()) == ""
