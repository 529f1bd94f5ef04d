"""What the association tests share: words looked up once, few imports, reasons for tests that are not run."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import aslant
from aslant.errors import TooFewWordsError
from aslant.measures.shared.settings import Partitions
from aslant.measures.shared.suite import NoSpreadError, compared, need_share
from aslant.results.parts import WordsUsed
from aslant.stimuli import load_set
from aslant.vectors import WordVectors

KINDS = ("aslant", "scipy.stats", "pydantic")
LISTED = f"import json; print(json.dumps([name for name in sys.modules if name.startswith({KINDS})]))"
FUNCTION = "import aslant, sys; aslant.weat(aslant.load(), 'weat-6', bootstrap=10)"
COMMAND = "import aslant.cli, sys; sys.argv = ['aslant', 'weat', '--test', 'weat-6']; aslant.cli.main()"


@pytest.fixture
def lookups(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every call of `WordVectors.lookup`."""
    calls: list[Any] = []
    real = WordVectors.lookup

    def counted(self: WordVectors, words: Any, **more: Any) -> Any:
        calls.append(words)
        return real(self, words, **more)

    monkeypatch.setattr(WordVectors, "lookup", counted)
    return calls


def test_a_weat_looks_each_of_its_four_sets_up_once(lookups: list[Any]) -> None:
    aslant.weat(aslant.load(), "weat-6", bootstrap=0)
    assert len(lookups) == 4


def test_so_does_each_test_of_a_suite(lookups: list[Any]) -> None:
    suite = aslant.weat_suite(aslant.load(), ["weat-6", "weat-7"], bootstrap=0)
    assert len(lookups) == 4 * len(suite.results) == 8


@pytest.mark.parametrize(("does", "most"), [(FUNCTION, 80), (COMMAND, 110)], ids=["function", "command"])
def test_one_weat_imports_little_of_ours_and_nothing_of_scipy_stats(does: str, most: int) -> None:
    script = f"try:\n    {does}\nexcept SystemExit:\n    pass\n{LISTED}"
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    found = json.loads(shown.splitlines()[-1])
    assert {"scipy.stats", "pydantic", "aslant.vectors.file_loading", "aslant.data.downloads"}.isdisjoint(found)
    assert "aslant.measures.association.measure" in found
    assert len(found) < most
    rooms = {name.split(".")[2] for name in found if name.startswith("aslant.measures.")}
    assert rooms == {"association", "shared"}


def test_scores_are_compared_as_they_are_not_only_up_to_scale() -> None:
    """The effect size and the p-value do not change with the unit of the scores; the statistic does."""
    test, first, second = load_set("weat-6"), np.array([3.0, 5.0, 1.0]), np.array([1.0, 2.0, 0.0])
    found = compared(test, first, second, Partitions(), 0)
    assert found["statistic"] == 2.0
    assert compared(test, 10 * first, 10 * second, Partitions(), 0) == {**found, "statistic": 20.0}


def test_scores_without_spread_have_no_effect_size() -> None:
    with pytest.raises(NoSpreadError, match="so no effect size exists"):
        compared(load_set("weat-6"), np.ones(3), np.ones(2), Partitions(), 0)


def test_a_share_of_a_set_is_needed_and_what_is_missing_anywhere_is_listed() -> None:
    half = WordsUsed("X", ("a",), ("a",), ("b",))
    other = WordsUsed("Y", ("c", "d"), ("c", "d"), ("e",))
    need_share(load_set("weat-6"), [half, other], 0.5, "a vector")
    with pytest.raises(TooFewWordsError) as caught:
        need_share(load_set("weat-6"), [half, other], 0.51, "a vector")
    assert str(caught.value) == (
        "1 of 2 words of 'X' of 'weat-6' have a vector, less than the required share of 0.51 (missing: b)."
    )
    assert caught.value.missing == ("b", "e")


def test_words_that_share_a_token_count_as_found_and_those_outside_a_vocabulary_not_at_all() -> None:
    words = WordsUsed("X", ("a",), ("a",), ("b",), same_token=("A",), not_in_vocabulary=("c", "d"))
    need_share(load_set("weat-6"), [words], 2 / 3, "a vector")
    nothing = WordsUsed("X", (), (), (), not_in_vocabulary=("c", "d"))
    with pytest.raises(TooFewWordsError, match=r"^no words of 'X' .* \(not in the vocabulary given: c, d\)\.$"):
        need_share(load_set("weat-6"), [nothing], 0.0, "a vector")


def test_a_suite_lists_a_test_that_cannot_be_run_with_the_reason_and_the_words_it_lacks() -> None:
    words = aslant.stimuli.load_set("weat-7").words
    rows = np.random.default_rng(0).normal(size=(len(words), 8))
    v = aslant.WordVectors.from_arrays(words, rows)
    suite = aslant.weat_suite(v, ["weat-6", "weat-7"], bootstrap=0)
    assert [r.test for r in suite.results] == ["weat-7"]
    assert suite.qvalues == (suite.results[0].pvalue,)
    assert suite.skipped[0].reason.startswith("the words of 'weat-6' are English (en), and 'arrays' has none of them; ")
    assert set(suite.skipped[0].missing) == set(load_set("weat-6").words) == set(suite.provenance.missing)
    assert suite.provenance.settings["min_found"] == 0.5
    assert suite.provenance.stimuli == "weat-6 weat-7"
