"""Effect sizes and p-values on language models: checked against brute force, and the authors' own scores."""

from __future__ import annotations

import csv
import itertools
import math
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import numpy as np
import pytest

import aslant
from aslant.errors import AslantError, MeasureError
from aslant.measures.association.designs import one_word_each
from aslant.measures.shared.settings import Partitions
from aslant.measures.shared.statistic import effect_size
from aslant.measures.shared.suite import compared
from aslant.models.protocols import MaskedScore, Sentence
from aslant.stimuli import Template, TemplateSet, WordList, load_set
from fake_lm import FakeCausalLM, FakeMaskedLM, uniform

TESTS = ["career-family", "math-arts", "pleasant-flowers", "pleasant-names", "science-arts"]


def small(**changes: Any) -> TemplateSet:
    fields: dict[str, Any] = {
        "title": "small: a test", "category": "own", "language": "en", "licence": "own", "citation": "own",
        "id": "small",
        "templates": (
            Template("[TARGET] likes [ATTRIBUTE].", (("he",), ("she",))),
            Template("[TARGET] like [ATTRIBUTE].", (("boys", "men"), ("girls", "women"))),
        ),
        "targets": (WordList("Male", ("he", "boys", "men")), WordList("Female", ("she", "girls", "women"))),
        "attributes": (WordList("A", ("math", "algebra", "numbers")), WordList("B", ("art", "dance", "drama"))),
        **changes,
    }  # fmt: skip
    return TemplateSet(**fields)


def score(lm: FakeMaskedLM, template: str, sides: tuple[list[str], list[str]], word: str) -> float:
    """One score from the fake's probabilities, by hand."""
    log_ratios = []
    for side in sides:
        shown = sum(lm.joint(template, w, word) / lm.evidence(template, word) for w in side)
        log_ratios.append(math.log(shown / sum(lm.prior(template, w) for w in side)))
    return log_ratios[0] - log_ratios[1]


def rows_of(lm: FakeMaskedLM, words: tuple[str, ...]) -> list[list[float]]:
    """Scores of each word in each template of the small test."""
    sides = (("[TARGET] likes [ATTRIBUTE].", (["he"], ["she"])),
             ("[TARGET] like [ATTRIBUTE].", (["boys", "men"], ["girls", "women"])))  # fmt: skip
    return [[score(lm, text, pair, word) for text, pair in sides] for word in words]


def brute_pvalue(first: list[float], second: list[float]) -> float:
    pool = first + second
    observed = mean(first) - mean(second)
    count = total = 0
    for chosen in itertools.combinations(range(len(pool)), len(first)):
        rest = [pool[i] for i in range(len(pool)) if i not in chosen]
        count += mean(pool[i] for i in chosen) - mean(rest) >= observed - 1e-12
        total += 1
    return count / total


def test_effect_size_and_pvalue_are_those_of_brute_force() -> None:
    lm = FakeMaskedLM()
    result = aslant.log_probability_weat(lm, small(), alternative="greater")
    first, second = ([mean(row) for row in rows_of(lm, group.words)] for group in small().attributes)
    assert result.effect_size == pytest.approx((mean(first) - mean(second)) / stdev(first + second))
    assert result.pvalue == pytest.approx(brute_pvalue(first, second))
    assert [s.score for s in result.scores] == pytest.approx(first + second)
    assert (result.n_scores, result.n_partitions, result.as_published) == (6, 20, False)
    assert [group.name for group in result.attributes] == ["A", "B"]


def test_as_published_pools_rows_of_template_and_attribute_and_asks_as_the_code_does() -> None:
    lm = FakeMaskedLM()
    result = aslant.log_probability_weat(lm, small(), as_published=True, alternative="greater")
    assert (result.n_scores, result.as_published, lm.settings[-1]["prior_place"]) == (12, True, "published")
    lm.prior = lambda template, target: uniform("published", template, target)  # type: ignore[method-assign]
    first, second = ([value for row in rows_of(lm, g.words) for value in row] for g in small().attributes)
    assert result.effect_size == pytest.approx((mean(first) - mean(second)) / stdev(first + second))
    assert result.pvalue == pytest.approx(brute_pvalue(first, second))


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("model", [FakeMaskedLM, FakeCausalLM])
def test_every_test_that_ships_runs_with_an_exact_pvalue(test: str, model: type) -> None:
    result = aslant.log_probability_weat(model(), test, chance=0)
    assert 0 < result.pvalue <= 1
    assert result.pvalue_bounds[0] == result.pvalue_bounds[1]
    assert result.n_scores == len(load_set(test, TemplateSet).attributes[0].words) * 2
    swapped = aslant.log_probability_weat(model(), mirrored(test), chance=0)
    assert swapped.effect_size == pytest.approx(-result.effect_size)


def mirrored(test: str) -> TemplateSet:
    """The test with its target sets in the other order."""
    from msgspec.structs import replace

    chosen = load_set(test, TemplateSet)
    templates = tuple(Template(t.text, t.targets[::-1]) for t in chosen.templates)
    return replace(chosen, targets=chosen.targets[::-1], templates=templates)


def test_the_suite_runs_every_test_with_q_values_and_lists_what_it_skips() -> None:
    lm = FakeMaskedLM()
    suite = aslant.log_probability_suite(lm, chance=0)
    assert [r.test for r in suite.results] == TESTS
    order = np.argsort([r.pvalue for r in suite.results])
    p, q = np.array([r.pvalue for r in suite.results])[order], np.array(suite.qvalues)[order]
    assert q == pytest.approx([min(p[k] * 5 / (k + 1) for k in range(i, 5)) for i in range(5)])
    assert suite.results[0] == aslant.log_probability_weat(lm, "career-family", chance=0)
    flat = aslant.log_probability_suite(Flat(), ["math-arts"])
    assert (flat.results, flat.qvalues) == ((), ())
    assert "no effect size exists" in flat.skipped[0].reason
    with pytest.raises(MeasureError, match="tests='math-arts' is one string"):
        aslant.log_probability_suite(lm, "math-arts")
    with pytest.raises(MeasureError, match="no test was given"):
        aslant.log_probability_suite(lm, [])


class Flat(FakeMaskedLM):
    """Sees no difference anywhere."""

    def _score(self, s: Sentence, prior_place: str) -> MaskedScore:
        return MaskedScore(-1.0, -2.0, (s.target,), (s.attribute,))

    def word_vectors_in_place(self, sentences: Any, word: str, *, progress: Any = None) -> Any:
        return np.ones((len(sentences), 4), np.float32)


@pytest.mark.parametrize("measure", [aslant.log_probability_weat, aslant.template_weat])
@pytest.mark.parametrize(
    ("test", "words"),
    [
        ("kurita-generic", "has 2 target sets and 0 attribute sets; two of each"),
        ("weat-6", "kind 'templates' is needed"),
        (3, "does not name a test"),
        (small(attributes=(WordList("A", ("math",)), WordList("B", ("math", "art")))), "'math' is in both"),
        (small(attributes=(WordList("A", ("math",)), WordList("B", ()))), "two of each, with words"),
    ],
)
def test_bad_tests_are_one_clear_error(measure: Any, test: Any, words: str) -> None:
    with pytest.raises(AslantError, match=words):
        measure(FakeMaskedLM(), test)


def test_scores_without_spread_have_no_effect_size() -> None:
    for measure in (aslant.log_probability_weat, aslant.template_weat):
        with pytest.raises(MeasureError, match="so no effect size exists"):
            measure(Flat(), "math-arts")
    with pytest.raises(MeasureError, match="alternative"):
        aslant.log_probability_weat(FakeMaskedLM(), "math-arts", alternative="bigger")


def test_template_weat_is_weat_on_mean_vectors_in_their_templates() -> None:
    lm = FakeMaskedLM()
    result = aslant.template_weat(lm, small(), alternative="greater")

    def vector(word: str, templates: list[str]) -> Any:
        rows = [np.array([uniform(t, word, i) - 0.5 for i in range(8)], np.float32).astype(float) for t in templates]
        mean_row = np.mean([row / np.linalg.norm(row) for row in rows], axis=0)
        return mean_row / np.linalg.norm(mean_row)

    likes, like = "[TARGET] likes [ATTRIBUTE].", "[TARGET] like [ATTRIBUTE]."
    x, y = ([vector(one, [likes]), *(vector(word, [like]) for word in rest)]
            for one, rest in (("he", ("boys", "men")), ("she", ("girls", "women"))))  # fmt: skip
    scores = [
        float(np.mean([a @ v for v in x]) - np.mean([a @ v for v in y]))
        for group in small().attributes
        for a in (vector(word, [likes, like]) for word in group.words)
    ]
    assert [a.value for a in result.associations] == pytest.approx(scores, abs=1e-6)
    assert result.effect_size == pytest.approx((mean(scores[:3]) - mean(scores[3:])) / stdev(scores), abs=1e-5)
    assert result.pvalue == pytest.approx(brute_pvalue(scores[:3], scores[3:]))
    masked = {(s.template, s.target) for s in lm.asked if s.attribute == "algebra"}
    assert masked == {(likes, "he"), (like, "boys")}


def test_one_word_in_each_target_set_leaves_d_of_the_attributes_free_and_one_attribute_each_does_not() -> None:
    result = aslant.template_weat(FakeMaskedLM(), small())
    one = lambda groups: tuple(replace(g, used=g.used[:1], tokens=g.tokens[:1]) for g in groups)  # noqa: E731
    assert not one_word_each(replace(result, targets=one(result.targets)))
    assert one_word_each(replace(result, attributes=one(result.attributes)))


def test_words_that_are_not_one_piece_are_left_out_and_listed() -> None:
    result = aslant.template_weat(FakeMaskedLM(unknown=["algebra", "girls"]), small())
    assert result.missing == ("girls", "algebra")
    assert result.attributes[0].used == ("math", "numbers")
    assert len(result.associations) == 5
    with pytest.raises(MeasureError, match="no word of 'B' is one piece of the vocabulary of 'fake masked'"):
        aslant.template_weat(FakeMaskedLM(unknown=["art", "dance", "drama"]), small())
    with pytest.raises(MeasureError, match="not a masked language model"):
        aslant.template_weat(FakeCausalLM(), small())
    lonely = small(targets=(WordList("Male", ("he", "boys", "men", "lads")), small().targets[1]))
    with pytest.raises(MeasureError, match=r"'lads' of .* fits no template"):
        aslant.template_weat(FakeMaskedLM(), lonely)


def test_the_authors_effect_sizes_come_out_of_their_scores(real_data: Path) -> None:
    with (real_data / "kurita" / "kurita_weat_scores.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    printed = {"career_family": 1.1255, "math_art": 0.8495, "science_art": 0.9572, "black_white": -0.8864}
    for test, value in printed.items():
        sides: dict[str, list[float]] = defaultdict(list)
        for row in rows:
            if row["test"] == test:
                sides[row["side"]].append(float(row["difference"]))
        pooled = np.array(sides["A"]), np.array(sides["B"])
        assert round(effect_size(*pooled), 4) == value
        assert effect_size(*pooled, ddof=0) != pytest.approx(value, abs=0.004)
        p = compared(load_set("career-family", TemplateSet), *pooled, Partitions(n_resamples=1000), 0)["pvalue"]
        assert p < 0.01 or value < 0


class Partial(FakeMaskedLM):
    """Cannot place some attributes."""

    def unplaceable(self, sentences: Any) -> dict[int, str]:
        return {i: f"'{s.attribute}' is unknown" for i, s in enumerate(sentences) if s.attribute in self.unknown}


def test_attributes_that_cannot_be_placed_are_left_out_of_their_set_and_listed() -> None:
    lm = Partial(unknown=["algebra"])
    result = aslant.log_probability_weat(lm, small())
    without = small(attributes=(WordList("A", ("math", "numbers")), WordList("B", ("art", "dance", "drama"))))
    assert result.effect_size == aslant.log_probability_weat(FakeMaskedLM(), without).effect_size
    assert result.attributes[0].words == ("math", "numbers")
    assert result.missing == ("algebra",)
    assert "algebra" not in {s.attribute for s in lm.asked}
    suite = aslant.log_probability_suite(Partial(unknown=["math", "algebra", "numbers"]), [small(), "career-family"])
    assert [(s.test, s.reason) for s in suite.skipped] == [("small", "no word of 'A' of 'small' can be scored")]
    with pytest.raises(MeasureError, match="no attribute can be scored"):
        aslant.log_probability_bias(Partial(unknown=["x"]), "[TARGET] is [ATTRIBUTE].", ("he", "she"), ["x"])


class Placed(FakeMaskedLM):
    """One word is of several pieces in one template only, as an attribute."""

    def in_vocabulary(self, word: str, template: str = "", role: str = "target") -> bool:
        return (word, template, role) != ("algebra", "[TARGET] like [ATTRIBUTE].", "attribute")


def test_template_weat_asks_for_one_piece_at_each_place() -> None:
    assert aslant.template_weat(Placed(), small()).missing == ("algebra",)


def test_the_published_p_value_says_what_it_is_worth() -> None:
    published = aslant.log_probability_weat(FakeMaskedLM(), small(), as_published=True)
    assert "as if they were independent" in published.notes[-2]
    assert aslant.log_probability_weat(FakeMaskedLM(), small(), chance=0).notes == ()


def test_the_statistic_is_the_difference_of_mean_scores_in_logarithms() -> None:
    """An effect size and a p-value stay the same if every score is three times as large; the statistic does not."""
    lm = FakeMaskedLM()
    result = aslant.log_probability_weat(lm, small())
    first, second = ([mean(row) for row in rows_of(lm, group.words)] for group in small().attributes)
    assert result.statistic == pytest.approx(mean(first) - mean(second))
    assert [s.score for s in result.scores] == pytest.approx(first + second)
    rows = aslant.log_probability_weat(Published(), small(), as_published=True)
    assert rows.statistic == pytest.approx(mean(s for a in rows.scores[:3] for s in a.by_template)
                                           - mean(s for a in rows.scores[3:] for s in a.by_template))  # fmt: skip


class Published(FakeMaskedLM):
    """A model of its own, so that the two are not compared with each other."""


@pytest.mark.parametrize("word", ["she", "women"])  # alone, and one of two
@pytest.mark.parametrize(("target", "prior"), [(-math.inf, -1.0), (-1.0, -math.inf), (math.nan, -1.0)])
def test_a_probability_of_nought_is_an_error_for_a_masked_model_too(target: float, prior: float, word: str) -> None:
    class Sure(FakeMaskedLM):
        def _score(self, s: Sentence, prior_place: str) -> MaskedScore:
            usual = super()._score(s, prior_place)
            return MaskedScore(target, prior, usual.pieces, usual.attribute_pieces) if s.target == word else usual

    with pytest.raises(MeasureError, match="no finite log-probability"):
        aslant.log_probability_weat(Sure(), small())


def test_a_suite_records_every_setting_and_starts_each_test_from_one_seed() -> None:
    lm = FakeMaskedLM()
    suite = aslant.log_probability_suite(lm, ["career-family", "math-arts"], rng=3, alternative="two-sided")
    assert suite.provenance.seed == 3
    assert {**suite.provenance.settings, "pool": 200} == suite.results[0].provenance.settings
    assert suite.provenance.settings == {
        "target_pieces": "chain", "single_mask": False, "as_published": False, "alternative": "two-sided",
        "method": "auto", "n_resamples": 100_000, "chance": 2_000, "twins": 0,
    }  # fmt: skip
    assert suite.results[1] == aslant.log_probability_weat(lm, "math-arts", rng=3, alternative="two-sided")
