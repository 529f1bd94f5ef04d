"""What counts as small, large, and evidence: at the limits themselves, and where there is nothing to judge."""

from __future__ import annotations

import math

import pytest

from aslant.report.conventions import beyond, evidence_of, line, strength_of
from aslant.report.tables import number
from aslant.statistics import against_chance


@pytest.mark.parametrize(("name", "limits"), [("d", (0.2, 0.5, 0.8)), ("r", (0.1, 0.3, 0.5))])
def test_an_effect_has_a_strength_from_its_limit_on_whatever_its_sign(name: str, limits: tuple[float, ...]) -> None:
    for limit, below, strength in zip(limits, ("none", "small", "medium"), ("small", "medium", "large"), strict=True):
        for sign in (1, -1):
            assert strength_of(sign * limit, name) == strength
            assert strength_of(sign * math.nextafter(limit, 0), name) == below


def test_a_share_is_as_strong_as_its_distance_from_one_half_in_angles() -> None:
    # Cohen's h of 0.2 is sin²(π/4 + 0.1) = 0.5993 against 0.5
    found = [strength_of(share, "share") for share in (0.5, 0.599, 0.6, 0.4, 0.74, 0.9, 0.0, 1.0)]
    assert found == ["none", "none", "small", "small", "medium", "large", "large", "large"]


@pytest.mark.parametrize(
    ("pvalue", "qvalue", "evidence"),
    [
        (None, None, "not tested"), (0.01, None, "strong"), (0.011, None, "some"), (0.05, None, "some"),
        (0.051, None, "none"), (None, 0.01, "strong"), (0.001, 0.2, "none"), (0.9, 0.0, "strong"),
    ],
)  # fmt: skip
def test_evidence_is_judged_by_the_qvalue_or_else_by_the_pvalue(
    pvalue: float | None, qvalue: float | None, evidence: str
) -> None:
    assert evidence_of(pvalue, qvalue) == evidence


def test_a_line_without_an_effect_or_a_pvalue_says_so() -> None:
    empty = line("gender", "mine", None, "d", "Nothing was measured.")
    assert (empty.effect, empty.strength, empty.pvalue, empty.qvalue, empty.evidence) == (
        None, None, None, None, "not tested",
    )  # fmt: skip
    assert strength_of(0.0, "d") == "none", "an effect of zero is one"


def test_what_rounds_to_zero_has_no_sign() -> None:
    assert [number(value) for value in (-0.004, 0.004, -0.006, -10.0, 0.5)] == [
        "0.00",
        "0.00",
        "−0.01",
        "−10.00",
        "0.50",
    ]


def test_few_draws_are_counted_and_many_are_a_share() -> None:
    def said(reached: int, draws: int) -> str:
        return beyond(against_chance(1.0, [2.0] * reached + [0.1] * (draws - reached), "random poles", signed=False))

    poles = "random poles of the same frequency"
    assert said(5, 19) == f"5 of 19 {poles} reach as much."
    assert said(0, 19) == f"0 of 19 {poles} reach as much, too few for evidence."
    assert said(0, 20) == f"0 of 20 {poles} reach as much."
    assert said(39, 99) == f"39 of 99 {poles} reach as much."
    assert said(50, 200) == f"R{poles[1:]} reach as much in 25 % of draws."
    assert said(1, 199) == f"Larger than 99 % of {poles}."
