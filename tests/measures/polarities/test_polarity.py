"""Polarity against the triple loop of its definition, its invariances, and the published row of Lu et al."""

from __future__ import annotations

import itertools
import math
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import aslant
from aslant.errors import MeasureError, StimuliError
from aslant.measures.polarities.measure import mean_interval
from aslant.measures.polarities.settings import PolaritySettings
from aslant.measures.polarities.show import polarity_comparison_table, polarity_table
from aslant.results.parts import Interval
from aslant.statistics import bootstrap_means, sign_flip_pvalue


def embedding(seed: int, words: int = 30, dimensions: int = 5) -> aslant.WordVectors:
    matrix = np.random.default_rng(seed).normal(size=(words, dimensions))
    return aslant.WordVectors.from_arrays([f"w{i}" for i in range(words)], matrix, name=f"seed {seed}")


def cosine(u: list[float], v: list[float]) -> float:
    return sum(a * b for a, b in zip(u, v, strict=True)) / math.hypot(*u) / math.hypot(*v)


def slow(w: list[float], classes: list[list[float]], scheme: str) -> float:
    """The definitions of docs/definitions.md §4, written out."""
    n = len(classes)
    minus = lambda a, b: [x - y for x, y in zip(a, b, strict=True)]  # noqa: E731
    if scheme == "binary":
        return cosine(w, minus(*classes))
    if scheme == "one-vs-one":
        pairs = [(j, k) for j in range(n) for k in range(n) if j != k]
        return sum(abs(cosine(w, minus(classes[j], classes[k]))) for j, k in pairs) / len(pairs)
    rests = [[sum(c[d] for i, c in enumerate(classes) if i != j) / (n - 1) for d in range(len(w))] for j in range(n)]
    return max(cosine(w, minus(classes[j], rests[j])) for j in range(n))


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10_000), st.integers(2, 6), st.sampled_from(["binary", "one-vs-one", "one-vs-rest"]))
def test_scores_are_the_definitions_written_out(seed: int, n: int, scheme: Any) -> None:
    n = 2 if scheme == "binary" else n
    v = embedding(seed)
    classes, words = [f"w{i}" for i in range(n)], [f"w{i}" for i in range(10, 30)]
    rows = [[float(x) for x in row] for row in v.matrix]
    r = aslant.polarity(v, classes, words, scheme=scheme, bootstrap=0)
    expected = [slow(rows[int(w[1:])], rows[:n], scheme) for w in words]
    assert [w.score for w in r.by_word] == pytest.approx(expected, abs=1e-9)
    mean = sum(map(abs, expected) if scheme == "binary" else expected) / len(expected)
    assert r.score == pytest.approx(mean)


@pytest.mark.parametrize("scheme", ["one-vs-one", "one-vs-rest"])
def test_blocks_make_no_difference(scheme: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    v = embedding(1, words=50)
    run = lambda: aslant.polarity(v, ["w0", "w1", "w2"], v.words[3:], scheme=scheme)  # noqa: E731
    whole = run()
    monkeypatch.setattr(sys.modules["aslant.measures.polarities.measure"], "BLOCK", 7)
    assert [w.score for w in run().by_word] == pytest.approx([w.score for w in whole.by_word], abs=1e-14)


def test_the_winning_class_is_the_one_with_the_largest_cosine() -> None:
    v = aslant.WordVectors.from_arrays(["a", "b", "c", "near b"], [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 1, 0.2]])  # type: ignore[arg-type]
    for scheme in ("one-vs-one", "one-vs-rest"):
        r = aslant.polarity(v, ["a", "b", "c"], ["near b"], scheme=scheme)
        assert r.by_word[0].leans_to == "b"
    assert aslant.polarity(v, ["a", "b"], ["near b"]).by_word[0].leans_to == "b"
    assert aslant.polarity(v, ["b", "a"], ["near b"]).by_word[0].score > 0


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 1000), st.sampled_from(["binary", "one-vs-one", "one-vs-rest"]), st.floats(0.1, 10))
def test_rotating_and_rescaling_the_space_changes_nothing(seed: int, scheme: Any, scale: float) -> None:
    v = embedding(seed)
    turned = aslant.WordVectors.from_arrays(v.words, scale * v.matrix @ stats.ortho_group.rvs(5, random_state=seed))
    classes = ["w0", "w1"] if scheme == "binary" else ["w0", "w1", "w2"]
    a, b = (aslant.polarity(e, classes, v.words[5:], scheme=scheme, bootstrap=0).score for e in (v, turned))
    assert a == pytest.approx(b, abs=1e-5)


def test_two_classes_agree_across_schemes() -> None:
    v = embedding(3)
    scores = {
        s: aslant.polarity(v, ["w0", "w1"], v.words[2:], scheme=s).score
        for s in ("binary", "one-vs-one", "one-vs-rest")
    }
    assert scores["binary"] == pytest.approx(scores["one-vs-one"]) == pytest.approx(scores["one-vs-rest"])


def test_a_class_of_several_words_is_their_mean() -> None:
    v = embedding(4)
    mean = (v.matrix[0].astype(float) + v.matrix[1]) / 2
    w = aslant.WordVectors.from_arrays([*v.words, "both"], np.vstack([v.matrix, mean]))
    a = aslant.polarity(v, {"x": ["w0", "w1"], "y": ["w2"]}, ["w5", "w6"]).score
    assert a == pytest.approx(aslant.polarity(w, ["both", "w2"], ["w5", "w6"]).score, abs=1e-6)


def test_missing_words_are_listed_and_a_missing_class_is_an_error() -> None:
    v = embedding(5)
    assert aslant.polarity(v, ["w0", "w1"], ["w2", "nowhere"]).missing == ("nowhere",)
    with pytest.raises(MeasureError, match="'lost'"):
        aslant.polarity(v, ["w0", "lost"], ["w2"])


def test_interval_encloses_the_score_and_is_seeded() -> None:
    v = embedding(6)
    r, again = (aslant.polarity(v, ["w0", "w1"], v.words[2:], rng=3) for _ in range(2))
    assert r == again
    assert r.interval is not None
    assert r.interval.low < r.score < r.interval.high
    assert aslant.polarity(v, ["w0", "w1"], ["w5"]).interval is None


#: The GloVe row of Table 1, in the paper's order; class words by the notes of the sets.
PUBLISHED = [
    ("gender-binary", "binary", 0.0976),
    ("gender-three-as-printed", "one-vs-one", 0.1090),
    ("race-four", "one-vs-one", 0.0978),
    ("gender-three", "one-vs-rest", 0.1103),
    ("gender-five", "one-vs-rest", 0.1528),
    ("race-four", "one-vs-rest", 0.1475),
]


@pytest.mark.parametrize(("classes", "scheme", "printed"), PUBLISHED)
def test_the_sample_gives_the_published_glove_row_within_0_002(classes: str, scheme: Any, printed: float) -> None:
    r = aslant.polarity(aslant.load(), classes, scheme=scheme)
    assert r.score == pytest.approx(printed, abs=0.002)
    assert len(r.missing) == 43
    assert "moldmaker" in r.missing


@pytest.mark.parametrize(
    ("classes", "scheme", "score"),
    [
        ("gender-pronouns", "binary", 0.0955),  # equation 1: she - he
        ("gender-three-as-printed", "one-vs-rest", 0.1474),
        ("gender-five-as-printed", "one-vs-rest", 0.1908),
    ],
)
def test_words_as_the_text_has_them_miss_the_table_in_three_columns(classes: str, scheme: Any, score: float) -> None:
    column = {"gender-pronouns": 0.0976, "gender-three-as-printed": 0.1103, "gender-five-as-printed": 0.1528}[classes]
    found = aslant.polarity(aslant.load(), classes, scheme=scheme, bootstrap=0).score
    assert found == pytest.approx(score, abs=0.0001)
    assert abs(found - column) > 0.002


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((["w0"], ["w1"]), MeasureError, "exactly two"),
        ((["w0", "w1", "w2"], ["w3"]), MeasureError, "exactly two"),
        ((["w0", "w0"], ["w3"]), MeasureError, "named twice"),
        (("weat-1", ["w3"]), StimuliError, "kind 'classes' is needed"),
        ((["w0", "w1"], "gender-binary"), StimuliError, "kind 'words' is needed"),
        ((["w0", "w1"], ["nowhere"]), MeasureError, "none of the words"),
        ((["w0", "w1"], []), MeasureError, "none of the words"),
        (({"a": ["w0"], "b": ["w0"]}, ["w3"]), MeasureError, "same vector"),
    ],
)
def test_bad_input_is_one_clear_error(arguments: tuple[Any, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        aslant.polarity(embedding(0), *arguments)
    with pytest.raises(MeasureError, match="scheme is 'x'; choose one of binary"):
        aslant.polarity(embedding(0), ["w0", "w1"], ["w2"], scheme="x")


def test_bootstrap_means_have_the_standard_error_of_the_mean() -> None:
    values = np.random.default_rng(0).normal(size=200)
    means = bootstrap_means(values, 4000, np.random.default_rng(1))
    assert means.std() == pytest.approx(values.std() / math.sqrt(200), rel=0.06)
    assert means.mean() == pytest.approx(values.mean(), abs=0.01)


def test_an_interval_needs_two_words_and_one_draw() -> None:
    values = np.array([1.0, 2.0])

    def found(values: Any, draws: int) -> Any:
        return mean_interval(values, PolaritySettings(bootstrap=draws, confidence=0.8), np.random.default_rng(1))

    means = bootstrap_means(values, 30, np.random.default_rng(1))
    assert found(values, 30) == Interval(np.quantile(means, 0.1), np.quantile(means, 0.9), 0.8, 30)
    assert found(values, 1) is not None
    assert found(values, 0) is None
    assert found(values[:1], 30) is None


def test_sign_flip_is_exact_for_few_and_close_to_exact_for_many() -> None:
    values = [0.3, -0.1, 0.4, 0.2, 0.5, -0.2]
    listed = [
        abs(sum(s * v for s, v in zip(signs, values, strict=True))) for signs in itertools.product([1, -1], repeat=6)
    ]
    assert sign_flip_pvalue(values) == np.mean(np.array(listed) >= abs(sum(values)) - 1e-9)
    many = np.random.default_rng(0).normal(0.1, 1, 60)
    expected = stats.permutation_test(
        (many,), np.mean, permutation_type="samples", n_resamples=9999, rng=np.random.default_rng(1)
    )
    assert sign_flip_pvalue(many) == pytest.approx(expected.pvalue, abs=0.03)
    assert 0 < sign_flip_pvalue(np.full(100, 5.0)) < 0.001


def test_sign_flip_is_uniform_under_the_null() -> None:
    random = np.random.default_rng(2)
    pvalues = [sign_flip_pvalue(random.normal(size=12)) for _ in range(300)]
    assert stats.kstest(pvalues, "uniform").pvalue > 0.001


class TestComparison:
    def test_differences_are_paired_over_the_shared_words(self) -> None:
        a, b = embedding(0), embedding(1, words=20)
        c = aslant.compare_polarity([a, b], ["w0", "w1"], [f"w{i}" for i in range(2, 30)])
        assert c.shared_words == tuple(f"w{i}" for i in range(2, 20))
        assert c.left_out == {"seed 0": (), "seed 1": tuple(f"w{i}" for i in range(20, 30))}
        assert c.missing == tuple(f"w{i}" for i in range(20, 30))
        gaps = [abs(y.score) - abs(x.score) for x, y in zip(c.results[0].by_word, c.results[1].by_word, strict=True)]
        assert c.differences[0].difference == pytest.approx(np.mean(gaps))
        assert c.differences[0].difference == pytest.approx(c.results[1].score - c.results[0].score)

    def test_embeddings_of_one_name_can_be_told_apart(self) -> None:
        v = embedding(0)
        c = aslant.compare_polarity([v, v], ["w0", "w1"], ["w2", "w3"])
        assert [row["representation"] for row in c.rows()] == ["seed 0 (1)", "seed 0 (2)"]
        assert c.differences[0].pvalue == 1

    def test_one_embedding_or_nothing_shared_is_an_error(self) -> None:
        with pytest.raises(MeasureError, match="at least two"):
            aslant.compare_polarity([embedding(0)], ["w0", "w1"])
        with pytest.raises(MeasureError, match="none of the words"):
            aslant.compare_polarity([embedding(0), embedding(1)], ["w0", "w1"], ["zz"])

    def test_compare_uses_only_shared_words_and_agrees_with_weat_on_them(self) -> None:
        v, small = aslant.load(), aslant.load(top=20_000)
        c = aslant.compare(v, small, bootstrap=50)
        test = next(w for w in c.weat if w.test == "weat-7")
        assert test.second == pytest.approx(aslant.weat(small, "weat-7").effect_size)
        assert test.first == pytest.approx(test.second)
        assert set(test.left_out) == set(small.lookup(aslant.stimuli.load_set("weat-7").words).missing) != set()
        assert set(test.left_out) <= set(c.provenance.missing)
        assert not set(c.provenance.missing) & set(small.lookup(c.provenance.missing).found)
        assert test.difference.interval is not None
        assert test.difference.interval.low == test.difference.interval.high == 0
        assert "weat-3" in c.not_compared
        assert len(c.polarity) == 4

    def test_an_embedding_with_the_bias_removed_differs_significantly(self) -> None:
        v = aslant.load()
        rows = v.lookup(["female", "male"]).vectors.astype(float)
        g = (rows[0] - rows[1]) / np.linalg.norm(rows[0] - rows[1])
        neutral = v.matrix - 0.9 * np.outer(v.matrix @ g, g)
        neutral[[v.index["female"], v.index["male"]]] = rows
        c = aslant.compare_polarity([v, aslant.WordVectors.from_arrays(v.words, neutral)], "gender-binary")
        d = c.differences[0]
        assert d.interval is not None
        assert d.interval.high < 0
        assert d.pvalue is not None
        assert d.pvalue < 0.001


def test_lists_that_are_not_what_their_name_says_are_called_what_they_are() -> None:
    found = aslant.polarity(aslant.load(), "gender-three", scheme="one-vs-rest", bootstrap=0, chance=0)
    notes = " ".join(polarity_table(found).notes)
    assert "gender-three: the classes are the paper's, not genders: gay names an orientation" in notes
    assert "bold-professions: the list is the paper's and holds more than professions" in notes
    own = aslant.polarity(aslant.load(), ["female", "male"], ["nurse", "clerk"], bootstrap=0, chance=0)
    assert "the paper's" not in " ".join(polarity_table(own).notes)


def test_at_unit_length_an_embedding_does_not_differ_from_its_copy_at_unit_length() -> None:
    v = aslant.load(top=20_000)
    even = aslant.WordVectors.from_arrays(
        v.words, v.matrix / np.linalg.norm(v.matrix, axis=1, keepdims=True), name="even"
    )
    raw, unit = (
        aslant.compare_polarity([v, even], "gender-binary", unit=unit, bootstrap=0, chance=40) for unit in (False, True)
    )
    assert raw.differences[0].pvalue == 1e-4
    assert raw.lengths_differ
    assert "--unit takes them at unit length" in " ".join(polarity_comparison_table(raw).notes)
    assert (unit.differences[0].difference, unit.differences[0].pvalue) == (0, 1)
    assert not unit.lengths_differ
    assert replace(unit, lengths=((2.0, 1.0), (4.0, 1.7))).lengths_differ
    assert not replace(unit, lengths=((2.0, 1.0), (4.0, 1.9))).lengths_differ
    first, second = unit.results
    assert first.score == pytest.approx(raw.results[1].score, abs=1e-6)
    assert first.chance is not None
    assert second.chance is not None
    assert first.chance.mean == pytest.approx(second.chance.mean, abs=1e-6)
    assert "class words at unit length" in polarity_table(first).notes


def test_at_unit_length_a_class_is_the_mean_of_unit_vectors() -> None:
    v = aslant.load()
    classes = {"she": ["she", "woman", "queen"], "he": ["he", "man"]}
    r = aslant.polarity(v, classes, ["nurse"], unit=True, chance=0)
    unit = {w: v.matrix[v.index[w]] / np.linalg.norm(v.matrix[v.index[w]]) for w in sum(classes.values(), ["nurse"])}
    she, he = (np.mean([unit[w] for w in words], axis=0) for words in classes.values())
    assert r.by_word[0].score == pytest.approx(unit["nurse"] @ (she - he) / np.linalg.norm(she - he), abs=1e-6)
    assert r.provenance.settings["unit"] is True
