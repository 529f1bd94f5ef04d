"""SEAT: WEAT on sentences; words, not sentences, are re-partitioned unless the published way is asked for."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import kstest

import aslant
from aslant.errors import MeasureError, StimuliError
from aslant.measures.association.measure import bootstrap_effects
from aslant.measures.sentence_tests.clustered_words import clustered
from aslant.measures.shared.statistic import target_scores
from aslant.stimuli import WordList, load_set
from aslant.vectors import WordVectors
from fake_encoder import FakeEncoder

GENDER = load_set("weat-7")
X, Y, A, B = (group.words for group in GENDER.groups)
#: Mathematics and male terms lean one way, arts and female terms the other.
PLANTED = dict.fromkeys(X + A, 1.0) | dict.fromkeys(Y + B, -1.0)
SMALL: dict[str, Any] = {
    "targets": (["ant", "bee", "fly", "moth", "wasp"], ["rose", "iris", "lily", "tulip", "daisy"]),
    "attributes": (["love", "peace", "joy"], ["filth", "grief", "agony"]),
}


class Known(FakeEncoder):
    """An encoder whose sentence vectors are those given; unknown sentences have vectors of zeros."""

    def __init__(self, vectors: dict[str, Any]) -> None:
        super().__init__(len(next(iter(vectors.values()))))
        self.vectors = vectors

    def sentence_vectors(self, texts: Any, *, pooling: Any = "mean", progress: Any = None) -> NDArray[np.float32]:
        return np.array([self.vectors.get(text, np.zeros(self.dimensions)) for text in texts], np.float32)


def test_a_planted_association_is_found_with_its_sign_and_none_where_none_is() -> None:
    planted = aslant.seat(FakeEncoder(leanings=PLANTED), "weat-7", bootstrap=200)
    assert planted.effect_size > 1.5
    assert planted.pvalue < 0.001
    assert planted.interval is not None
    assert planted.interval.low > 0
    none = aslant.seat(FakeEncoder(), "weat-7", bootstrap=0)
    assert abs(none.effect_size) < 1
    assert none.pvalue > 0.05
    assert none.interval is None


def test_swapping_targets_flips_the_sign() -> None:
    encoder = FakeEncoder(leanings=PLANTED)
    there = aslant.seat(encoder, targets=(X, Y), attributes=(A, B), alternative="less", bootstrap=0)
    back = aslant.seat(encoder, targets=(Y, X), attributes=(A, B), alternative="greater", bootstrap=0)
    assert there.effect_size == pytest.approx(-back.effect_size)
    assert there.effect_size_words == pytest.approx(-back.effect_size_words)
    assert there.pvalue == back.pvalue


def test_with_one_sentence_a_word_it_is_weat() -> None:
    encoder = FakeEncoder(leanings=dict.fromkeys(X + A, 0.3))
    words = GENDER.words
    vectors = WordVectors.from_arrays(words, encoder.sentence_vectors([word.capitalize() for word in words]))
    ours = aslant.seat(encoder, "weat-7", templates=["{word}"], bootstrap=300, rng=5)
    weat = aslant.weat(vectors, "weat-7", bootstrap=300, rng=5)
    assert ours.effect_size == pytest.approx(weat.effect_size)
    assert ours.effect_size_words == pytest.approx(weat.effect_size)
    assert ours.effect_size_population == pytest.approx(weat.effect_size_population)
    assert ours.pvalue == weat.pvalue
    assert ours.interval is not None
    assert weat.interval is not None
    assert (ours.interval.low, ours.interval.high) == pytest.approx((weat.interval.low, weat.interval.high))


def literal(encoder: FakeEncoder) -> tuple[list[list[float]], list[list[float]]]:
    """Associations of each word's sentences, by loops: first targets, second targets."""
    templates = load_set("seat-templates")
    unit = {}
    for word in [w for pair in SMALL.values() for words in pair for w in words]:
        vectors = encoder.sentence_vectors(templates.sentences_of(word)).astype(float)  # type: ignore[attr-defined]
        unit[word] = [v / np.sqrt(v @ v) for v in vectors]
    first, second = ([v for word in words for v in unit[word]] for words in SMALL["attributes"])

    def score(v: NDArray[np.float64]) -> float:
        return float(np.mean([v @ a for a in first]) - np.mean([v @ b for b in second]))

    scored = [[[score(v) for v in unit[word]] for word in words] for words in SMALL["targets"]]
    return scored[0], scored[1]


def test_the_effect_size_is_over_sentences_and_the_p_value_over_words() -> None:
    encoder = FakeEncoder(seed=3)
    first, second = literal(encoder)
    x, y = [s for word in first for s in word], [s for word in second for s in word]
    result = aslant.seat(encoder, **SMALL, bootstrap=0, alternative="greater")
    assert result.effect_size == pytest.approx((np.mean(x) - np.mean(y)) / np.std(x + y, ddof=1), abs=1e-6)
    means = [float(np.mean(word)) for word in first + second]
    observed = np.mean(means[:5]) - np.mean(means[5:])
    assert result.statistic == pytest.approx(observed, abs=1e-6)
    every = [
        np.mean([means[i] for i in chosen]) - np.mean([means[i] for i in range(10) if i not in chosen])
        for chosen in combinations(range(10), 5)
    ]
    assert result.pvalue == sum(value >= observed - 1e-12 for value in every) / len(every)
    assert (result.n_partitions, result.pvalue_method) == (252, "enumeration")
    words = {w.word: w for w in result.words}
    assert words["ant"].association == pytest.approx(means[0], abs=1e-6)
    assert words["love"].association is None


def test_the_published_unit_is_the_sentence() -> None:
    result = aslant.seat(FakeEncoder(seed=3), **SMALL, bootstrap=0, unit="sentence")
    assert (result.unit, result.provenance.settings["unit"]) == ("sentence", "sentence")
    assert result.sentences[:2] == (70, 70)
    assert result.n_partitions > 10**40
    by_word = aslant.seat(FakeEncoder(seed=3), **SMALL, bootstrap=0)
    assert result.effect_size == by_word.effect_size


TEMPLATES = ("This is {word}.", "That is {word}.", "Here is {word}.", "There is {word}.", "It is {word}.")


def chance(seed: int) -> Known:
    """An encoder by chance: sentences of a word are near each other, and words know nothing of their sets."""
    rng = np.random.default_rng(seed)
    words = {w: rng.normal(size=8) for pair in SMALL.values() for side in pair for w in side}
    return Known({t.format(word=w): v + 0.3 * rng.normal(size=8) for w, v in words.items() for t in TEMPLATES})


def test_p_values_over_words_are_uniform_without_an_association_and_those_over_sentences_are_not() -> None:
    settings: dict[str, Any] = {**SMALL, "templates": TEMPLATES, "bootstrap": 0, "n_resamples": 200}
    encoders = [chance(seed) for seed in range(200)]
    words = np.array([aslant.seat(e, **settings).pvalue for e in encoders])
    sentences = np.array([aslant.seat(e, **settings, unit="sentence", method="monte carlo").pvalue for e in encoders])
    assert kstest(words, "uniform").pvalue > 0.01
    assert 0.01 < (words <= 0.05).mean() < 0.1
    assert (sentences <= 0.05).mean() > 0.12
    assert kstest(sentences, "uniform").pvalue < 1e-6


def test_the_interval_draws_words_with_all_their_sentences() -> None:
    rng = np.random.default_rng(0)
    sets = [
        clustered(WordList(name, tuple("abcd")), {w: rng.normal(size=(1, 5)) for w in "abcd"})
        for name in ("x", "y", "p", "q")
    ]
    ours = _effects(sets)
    assert ours == pytest.approx(bootstrap_effects([s.unit for s in sets], 50, np.random.default_rng(1)))
    # A word's sentences three times over: the same draws of words, and the same means.
    tripled = [clustered(WordList(s.words.name, tuple("abcd")), _tripled(s)) for s in sets]
    means = [target_scores(*(s.unit for s in some))[0].mean() for some in (sets, tripled)]
    assert means[0] == pytest.approx(means[1])
    spread = np.sqrt((3 * 8 - 1) / (3 * (8 - 1)))
    assert _effects(tripled) == pytest.approx(ours * spread)


def _effects(sets: list[Any]) -> Any:
    return bootstrap_effects([s.unit for s in sets], 50, np.random.default_rng(1), [s.sizes for s in sets])


def _tripled(group: Any) -> dict[str, Any]:
    return {w: np.repeat(group.unit[i : i + 1], 3, axis=0) for i, w in enumerate(group.words.used)}


def test_words_without_a_vector_are_listed_and_too_many_are_refused() -> None:
    rng = np.random.default_rng(0)
    known = Known({word: rng.normal(size=4) for word in ("A", "B", "C", "D", "P", "Q")})
    test: dict[str, Any] = {"targets": (["a", "b"], ["c", "d", "e"]), "attributes": (["p"], ["q"])}
    result = aslant.seat(known, **test, templates="{word}", bootstrap=0)
    assert result.missing == ("e",)
    assert result.targets[1].missing == ("e",)
    with pytest.raises(MeasureError, match="2 of 3 words of 'targets 2' of 'own' have a vector, less than"):
        aslant.seat(known, **test, templates="{word}", min_found=0.7)
    with pytest.raises(MeasureError, match="0 of 1 word of 'attributes 2'"):
        aslant.seat(known, targets=(["a"], ["b"]), attributes=(["p"], ["z"]), templates="{word}")


def test_a_space_without_spread_has_no_effect_size() -> None:
    same = Known({word: [1.0, 0.0] for word in "ABPQ"})
    with pytest.raises(MeasureError, match="same association"):
        aslant.seat(same, targets=(["a"], ["b"]), attributes=(["p"], ["q"]), templates="{word}")


def test_kinds_that_were_assumed_are_said() -> None:
    result = aslant.seat(
        FakeEncoder(), targets=(["nurse", "Ann"], ["ant", "clerk"]), attributes=(["love"], ["grief"]), bootstrap=0
    )
    assert result.assumed == ("nurse", "clerk")
    assert [(w.kind, w.listed) for w in result.words[:3]] == [("mass noun", False), ("name", False), ("noun", True)]
    own = aslant.seat(FakeEncoder(), **SMALL, templates=["We saw {a} {word}."], bootstrap=0)
    assert own.assumed == ()
    assert own.provenance.settings["sentences"] == ["We saw {a} {word}."]


def test_a_suite_encodes_each_sentence_once_and_gives_what_a_test_gives_alone() -> None:
    encoder = FakeEncoder(leanings=PLANTED)
    suite = aslant.seat_suite(encoder, ["weat-7", "weat-8", "weat-7"], bootstrap=50, rng=4)
    texts = {t for r in suite.results for w in r.words for t in load_set("seat-templates").sentences_of(w.word)}  # type: ignore[attr-defined]
    assert encoder.passes == len(texts)
    alone = aslant.seat(encoder, "weat-8", bootstrap=50, rng=4, min_found=0.5)
    assert suite.results[1] == alone
    assert len(suite.qvalues) == 2
    assert all(q >= r.pvalue for q, r in zip(suite.qvalues, suite.results, strict=True))


def test_a_suite_lists_what_it_skips() -> None:
    rng = np.random.default_rng(0)
    known = Known({w[:1].upper() + w[1:]: rng.normal(size=4) for w in GENDER.words})
    suite = aslant.seat_suite(known, ["weat-6", "weat-7"], templates="{word}", bootstrap=0)
    assert [r.test for r in suite.results] == ["weat-7"]
    assert suite.skipped[0].test == "weat-6"
    assert "John" in suite.skipped[0].missing
    assert "John" in suite.missing


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"pooling": "max"}, "pooling is 'max'; choose one of mean, first"),
        ({"unit": "letter"}, "unit is 'letter'; choose one of word, sentence"),
        ({"templates": ["no slot"]}, "must contain {word}"),
        ({"templates": []}, "no sentence was given"),
        ({"templates": ["{plural} are here."]}, "needs a sentence with {word}"),
        ({"min_found": 2}, "min_found is 2"),
        ({"test": None}, "give either the name of a test"),
    ],
)
def test_bad_settings_are_one_sentence(given: dict[str, Any], words: str) -> None:
    with pytest.raises(MeasureError) as caught:
        aslant.seat(FakeEncoder(), **{"test": "weat-7", **given})
    assert words in str(caught.value)


def test_other_bad_input_is_refused_too() -> None:
    with pytest.raises(MeasureError, match=r"is not an encoder; open one with aslant\.load_encoder"):
        aslant.seat(aslant.load(), "weat-7")
    with pytest.raises(StimuliError, match="one of kind 'sentences' is needed here"):
        aslant.seat(FakeEncoder(), "weat-7", templates="weat-7")
    with pytest.raises(TypeError, match="unexpected keyword argument 'layer'"):
        aslant.seat_suite(FakeEncoder(), layer=1)
    with pytest.raises(MeasureError, match=r"or use aslant\.seat"):
        aslant.seat_suite(FakeEncoder(), "weat-7")


@pytest.mark.parametrize("wrong", [{"alternative": "more"}, {"method": "guess"}, {"n_resamples": 0}])
def test_settings_of_the_p_value_are_checked_before_anything_is_encoded(wrong: dict[str, Any]) -> None:
    encoder = FakeEncoder()
    with pytest.raises(MeasureError, match=next(iter(wrong))):
        aslant.seat(encoder, **SMALL, **wrong)
    assert encoder.passes == 0
