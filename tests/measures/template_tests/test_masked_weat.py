"""WEAT on a masked model (Kurita et al. 2019, §3.1): against the definition written out, and across kinds of models."""

from __future__ import annotations

import itertools
import math
import statistics
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aslant
from aslant.errors import MeasureError, StimuliError
from aslant.stimuli import WeatSet, WordList, load_set
from fake_encoder import FakeEncoder
from fake_lm import FakeCausalLM, FakeMaskedLM, uniform

TEMPLATES = ("[TARGET] likes [ATTRIBUTE]", "[ATTRIBUTE] is what [TARGET] has.")


def small(x: int = 4, y: int = 3, a: int = 3, b: int = 2) -> WeatSet:
    numbers = itertools.count()
    sizes = {"X": x, "Y": y, "A": a, "B": b}
    groups = [WordList(name, tuple(f"w{next(numbers)}" for _ in range(n))) for name, n in sizes.items()]
    return WeatSet(
        title="small", category="none", language="en", licence="own", citation="own", id="small",
        targets=(groups[0], groups[1]), attributes=(groups[2], groups[3]),
    )  # fmt: skip


def cosine(u: list[float], v: list[float]) -> float:
    return sum(p * q for p, q in zip(u, v, strict=True)) / math.hypot(*u) / math.hypot(*v)


def vector(template: str, word: str) -> list[float]:
    """What FakeMaskedLM says of a word in a template, whatever the other word is."""
    return [float(np.float32(uniform(template, word, i) - 0.5)) for i in range(8)]


def similarity(t: str, a: str) -> float:
    """The mean cosine over every pair of a template of the target's and one of the attribute's, as the authors do."""
    pairs = itertools.product(TEMPLATES, TEMPLATES)
    return statistics.fmean(cosine(vector(one, t), vector(other, a)) for one, other in pairs)


def slow(X: tuple[str, ...], Y: tuple[str, ...], A: tuple[str, ...], B: tuple[str, ...]) -> tuple[float, float]:
    """d and p of the definition, in plain Python, p by listing the partitions of the targets."""
    mean = statistics.fmean
    s = {t: mean(similarity(t, a) for a in A) - mean(similarity(t, b) for b in B) for t in X + Y}
    observed = mean(s[t] for t in X) - mean(s[t] for t in Y)
    partitions = list(itertools.combinations(X + Y, len(X)))
    others = [mean(s[t] for t in p) - mean(s[t] for t in X + Y if t not in p) for p in partitions]
    return observed / statistics.stdev(s.values()), mean(other >= observed - 1e-12 for other in others)


def test_it_is_weat_on_the_mean_cosines_of_words_whose_counterparts_are_masked() -> None:
    test = small()
    r = aslant.masked_weat(FakeMaskedLM(), test, templates=TEMPLATES, equalise=False, alternative="greater")
    X, Y, A, B = (group.words for group in test.groups)
    assert (r.effect_size, r.pvalue) == pytest.approx(slow(X, Y, A, B), rel=1e-5)
    assert r.pvalue_bounds == (r.pvalue, r.pvalue)
    assert r.n_partitions == math.comb(7, 4)
    assert [a.word for a in r.associations] == [*X, *Y]
    assert r.templates == TEMPLATES


def test_the_larger_target_set_is_cut_at_random_seeded_and_listed() -> None:
    test = small(x=7, y=3)
    asked: Any = {"templates": TEMPLATES, "rng": 3, "alternative": "greater"}
    first, again = (aslant.masked_weat(FakeMaskedLM(), test, **asked) for _ in range(2))
    assert first == again
    X, Y, A, B = (group.used for group in first.targets + first.attributes)
    assert len(X) == len(Y) == 3
    assert set(X) | set(first.removed) == set(test.targets[0].words)
    assert (first.effect_size, first.pvalue) == pytest.approx(slow(X, Y, A, B), rel=1e-5)
    assert [len(group.used) for group in first.attributes] == [3, 2]
    cut = {aslant.masked_weat(FakeMaskedLM(), test, templates=TEMPLATES, rng=seed).removed for seed in range(8)}
    assert len(cut) > 1


def test_words_that_are_not_one_piece_are_left_out_before_sizes_are_made_equal() -> None:
    lm = FakeMaskedLM(unknown=["w0", "w1", "w7"])
    r = aslant.masked_weat(lm, small(x=4, y=3), templates=TEMPLATES, bootstrap=0)
    assert r.missing == ("w0", "w1", "w7")
    assert r.targets[0].used == ("w2", "w3")
    assert len(r.targets[1].used) == 2
    assert r.attributes[0].missing == ("w7",)
    assert not {"w0", "w1", "w7"} & {word for s in lm.asked for word in (s.target, s.attribute)}
    with pytest.raises(MeasureError, match="no word of 'B' is one piece of the vocabulary of 'fake masked'"):
        aslant.masked_weat(FakeMaskedLM(unknown=["w10", "w11"]), small(), templates=TEMPLATES)


class Placed(FakeMaskedLM):
    """One word is of several pieces where it begins a sentence."""

    def in_vocabulary(self, word: str, template: str = "", role: str = "target") -> bool:
        return not (word == "w0" and template.startswith("[TARGET]") and role == "target")


def test_a_word_has_to_be_one_piece_in_every_template() -> None:
    assert aslant.masked_weat(Placed(), small(), templates=TEMPLATES).missing == ("w0",)
    assert aslant.masked_weat(Placed(), small(), templates=TEMPLATES[1]).missing == ()


def test_table_1_says_which_sentences_a_test_has() -> None:
    table = load_set("kurita-table-1", aslant.stimuli.WeatTemplateSet)
    lm = FakeMaskedLM()
    for found in table.tests:
        r = aslant.masked_weat(lm, found.test, bootstrap=0)
        assert r.templates == found.templates
        assert r.provenance.settings["templates"] == list(found.templates)
    asked = {(s.template, s.attribute) for s in lm.asked if s.target == "algebra"}
    assert {template for template, _ in asked} == set(table.templates_of("weat-7"))
    with pytest.raises(MeasureError, match="'kurita-table-1' has no sentences for 'weat-2'"):
        aslant.masked_weat(lm, "weat-2")
    assert aslant.masked_weat(lm, "weat-2", templates=TEMPLATES, bootstrap=0).templates == TEMPLATES


def test_a_file_of_ones_own_names_the_sentences_of_tests(tmp_path: Path) -> None:
    text = aslant.stimuli.text_of("kurita-table-1").replace('test = "weat-1"', 'test = "weat-9"', 1)
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    r = aslant.masked_weat(FakeMaskedLM(), "weat-9", templates=tmp_path / "mine.toml", bootstrap=0)
    assert r.templates == ("[TARGET] are [ATTRIBUTE]", "[TARGET] is [ATTRIBUTE]")


def test_the_suite_has_the_five_tests_of_the_paper_and_lists_what_cannot_be_run() -> None:
    lm = FakeMaskedLM(unknown=load_set("weat-1").groups[0].words)
    suite = aslant.masked_weat_suite(lm, bootstrap=0, rng=5)
    assert [r.test for r in suite.results] == ["weat-3", "weat-6", "weat-7", "weat-8"]
    assert [(s.test, "no word of 'Flowers'" in s.reason) for s in suite.skipped] == [("weat-1", True)]
    assert suite.results[1] == aslant.masked_weat(lm, "weat-6", bootstrap=0, rng=5)
    assert all(q >= r.pvalue for q, r in zip(suite.qvalues, suite.results, strict=True))


@pytest.mark.parametrize(
    ("model", "arguments", "error", "words"),
    [
        (FakeCausalLM(), {"test": "weat-6"}, MeasureError, "'fake causal' cannot hide a word behind a mask"),
        (FakeEncoder(), {"test": "weat-6"}, MeasureError, "'toy encoder' cannot hide a word behind a mask"),
        (FakeMaskedLM(), {}, MeasureError, "either the name of a test"),
        (FakeMaskedLM(), {"test": "weat-6", "templates": []}, MeasureError, "no template was given"),
        (FakeMaskedLM(), {"test": "weat-6", "templates": "[TARGET] sleeps"}, StimuliError, "exactly once"),
        (FakeMaskedLM(), {"test": "weat-6", "templates": "career-family"}, StimuliError, "kind 'weat-templates'"),
        (FakeMaskedLM(), {"test": "weat-6", "alternative": "up"}, MeasureError, "up"),
    ],
)
def test_bad_input_is_one_clear_error(
    model: Any, arguments: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        aslant.masked_weat(model, **arguments)


def test_targets_that_cannot_be_told_apart_are_skipped_by_a_suite() -> None:
    class Flat(FakeMaskedLM):
        def word_vectors_in_place(self, sentences: Any, word: str, *, progress: Any = None) -> Any:
            return np.ones((len(sentences), 4), np.float32)

    suite = aslant.masked_weat_suite(Flat(), ["weat-6"])
    assert suite.results == ()
    assert "same association" in suite.skipped[0].reason
