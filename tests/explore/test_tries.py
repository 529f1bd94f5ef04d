"""Tries are counted once each, and corrected for as textbooks say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aslant.explore.tries import Tries
from aslant.statistics import benjamini_hochberg, holm
from exploring import GROUPS, MEN, WOMEN, Asker

PVALUES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def slow_holm(pvalues: list[float], at: int) -> float:
    """The smallest level at which Holm's steps reject one of them: steps from the smallest p, none left out."""
    ranked, corrected = sorted(range(len(pvalues)), key=pvalues.__getitem__), 0.0
    for step, place in enumerate(ranked):
        corrected = max(corrected, min(1.0, (len(pvalues) - step) * pvalues[place]))
        if place == at:
            return corrected
    raise AssertionError


@given(PVALUES)
def test_holm_is_as_the_slow_obvious_version_says(pvalues: list[float]) -> None:
    expected = [slow_holm(pvalues, at) for at in range(len(pvalues))]
    assert holm(pvalues).tolist() == pytest.approx(expected)


@given(PVALUES)
def test_tries_are_corrected_by_holm_and_benjamini_hochberg(pvalues: list[float]) -> None:
    tries = Tries()
    for place, p in enumerate(pvalues):
        tries.add(place, f"question {place}", p, None)
    found = tries.corrected(0)
    assert found is not None
    assert found["count"] == len(pvalues)
    assert found["corrected_pvalue"] == pytest.approx(slow_holm(pvalues, 0))
    assert found["qvalue"] == pytest.approx(benjamini_hochberg(pvalues)[0])


def test_the_share_of_series_with_a_small_p_is_that_of_simulated_ones() -> None:
    tries = Tries()
    for place in range(20):
        tries.add(place, "", 0.02 if place == 3 else 0.9, None)
    found = tries.corrected(3)
    random = np.random.default_rng(0).random((20_000, 20))
    share = (random.min(axis=1) <= 0.05).mean()
    assert found is not None
    assert round(100 * share) == 64
    assert "some p of 0.05 or less in 64 % of such series" in found["says"]


def test_one_question_counts_once_and_keeps_its_larger_p() -> None:
    tries = Tries()
    for p in (0.04, 0.2, 0.01):
        tries.add("same", "question", p, None)
    found = tries.corrected("same")
    assert found is not None
    assert (found["count"], found["pvalue"]) == (1, 0.2)


def test_what_is_not_counted_any_more_is_not_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aslant.explore.tries.MOST", 1)
    asker = Asker()
    assert asker.bench()["tries"]["count"] == 1
    assert "restart the server" in asker.bench(alternative="greater")["incomplete"]
    assert asker.bench()["tries"]["count"] == 1


def test_words_in_another_order_under_other_names_or_swapped_are_the_same_question() -> None:
    asker = Asker()
    assert asker.bench()["tries"]["count"] == 1
    swapped = [{"name": "x", "words": WOMEN[::-1]}, {"name": "y", "words": [w.upper() for w in MEN]}]
    assert asker.bench(targets=swapped)["tries"]["count"] == 1
    assert asker.bench(seed=5)["tries"]["count"] == 1


@pytest.mark.parametrize(
    "other",
    [
        {"targets": [{"name": "men", "words": MEN[1:]}, GROUPS["targets"][1]]},
        {"alternative": "greater"},
        {"panel": "rnd"},
    ],
)
def test_other_words_another_direction_or_score_is_another_question(other: dict[str, Any]) -> None:
    asker = Asker()
    asker.bench()
    assert asker.bench(**other)["tries"]["count"] == 2


def test_drafts_do_not_count_and_each_person_has_tries_of_their_own() -> None:
    asker = Asker()
    assert "tries" not in asker.bench(draft=True)
    assert asker.bench(person="other")["tries"]["count"] == 1
    assert asker.ask("tries")["tries"] == []
    assert len(asker.ask("tries", "other")["tries"]) == 1


def test_a_reload_does_not_reset_tries_and_nothing_else_does() -> None:
    asker = Asker()
    asker.bench()
    asker.bench(alternative="greater")
    questions = [row["question"] for row in asker.ask("tries")["tries"]]
    sets = "men (5), women (5), career (4), home (4)"
    assert questions == [f"weat: {sets}; {way}; on sample" for way in ("two-sided", "greater")]
    assert asker.post("tries/reset", {}).status_code == 404


def test_both_axes_are_counted_and_said_and_turned_around_they_are_no_new_tries() -> None:
    asker = Asker()
    x, y = ({"name": "", "first": first, "second": second} for first, second in ((["she"], ["he"]), (["war"], ["art"])))
    said = asker.ask("axes", model=0, x=x, y=y, words=MEN[1:])["tries"]
    assert said["count"] == 2
    assert 0 < said["says"].index("Horizontal axis: p (chance)") < said["says"].index("Vertical axis: p (chance)")
    turned = {**x, "first": x["second"], "second": x["first"]}
    assert asker.ask("axes", model=0, x=turned, y=y, words=MEN[1:])["tries"]["count"] == 2
