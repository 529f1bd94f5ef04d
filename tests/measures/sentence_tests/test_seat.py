"""SEAT: WEAT on sentences; words, not sentences, are re-partitioned unless the published way is asked for."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from msgspec import structs
from numpy.typing import NDArray
from scipy.stats import kstest

import aslant
from aslant.errors import MeasureError, StimuliError
from aslant.measures.association.measure import bootstrap_effects
from aslant.measures.sentence_tests.chance import drawn_words, pools, ranks, seat_chance
from aslant.measures.sentence_tests.clustered_words import clustered
from aslant.measures.sentence_tests.show import glance, seat_table
from aslant.measures.shared.statistic import effect_size, target_scores
from aslant.measures.shared.suite import chosen_test
from aslant.report.conventions import judged
from aslant.statistics import generator
from aslant.stimuli import SentenceSet, WordList, load_set
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
OWN = chosen_test(None, **SMALL)


class Known(FakeEncoder):
    """An encoder whose sentence vectors are those given; unknown sentences have vectors of zeros."""

    def __init__(self, vectors: dict[str, Any]) -> None:
        super().__init__(len(next(iter(vectors.values()))))
        self.vectors = vectors

    def sentence_vectors(self, texts: Any, *, pooling: Any = "mean", progress: Any = None) -> NDArray[np.float32]:
        return np.array([self.vectors.get(text, np.zeros(self.dimensions)) for text in texts], np.float32)


def test_a_planted_association_is_found_with_its_sign_and_none_where_none_is() -> None:
    planted = aslant.seat(FakeEncoder(leanings=PLANTED), "weat-7", bootstrap=200, chance=0)
    assert planted.effect_size > 1.5
    assert planted.pvalue < 0.001
    assert planted.interval is not None
    assert planted.interval.low > 0
    none = aslant.seat(FakeEncoder(), "weat-7", bootstrap=0, chance=0)
    assert abs(none.effect_size) < 1
    assert none.pvalue > 0.05
    assert none.interval is None


def test_swapping_targets_flips_the_sign() -> None:
    encoder = FakeEncoder(leanings=PLANTED)
    there = aslant.seat(encoder, targets=(X, Y), attributes=(A, B), alternative="less", bootstrap=0, chance=0)
    back = aslant.seat(encoder, targets=(Y, X), attributes=(A, B), alternative="greater", bootstrap=0, chance=0)
    assert there.effect_size == pytest.approx(-back.effect_size)
    assert there.effect_size_words == pytest.approx(-back.effect_size_words)
    assert there.pvalue == back.pvalue


def test_with_one_sentence_a_word_it_is_weat() -> None:
    encoder = FakeEncoder(leanings=dict.fromkeys(X + A, 0.3))
    words = GENDER.words
    vectors = WordVectors.from_arrays(words, encoder.sentence_vectors([word.capitalize() for word in words]))
    ours = aslant.seat(encoder, "weat-7", templates=["{word}"], bootstrap=300, chance=0, rng=5)
    weat = aslant.weat(vectors, "weat-7", bootstrap=300, chance=0, rng=5)
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
    result = aslant.seat(encoder, **SMALL, bootstrap=0, chance=0, alternative="greater")
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
    result = aslant.seat(FakeEncoder(seed=3), **SMALL, bootstrap=0, chance=0, unit="sentence")
    assert (result.unit, result.provenance.settings["unit"]) == ("sentence", "sentence")
    assert result.sentences[:2] == (70, 70)
    assert result.n_partitions > 10**40
    by_word = aslant.seat(FakeEncoder(seed=3), **SMALL, bootstrap=0, chance=0)
    assert result.effect_size == by_word.effect_size


TEMPLATES = ("This is {word}.", "That is {word}.", "Here is {word}.", "There is {word}.", "It is {word}.")


def chance(seed: int) -> Known:
    """An encoder by chance: sentences of a word are near each other, and words know nothing of their sets."""
    rng = np.random.default_rng(seed)
    words = {w: rng.normal(size=8) for pair in SMALL.values() for side in pair for w in side}
    return Known({t.format(word=w): v + 0.3 * rng.normal(size=8) for w, v in words.items() for t in TEMPLATES})


def test_p_values_over_words_are_uniform_without_an_association_and_those_over_sentences_are_not() -> None:
    settings: dict[str, Any] = {**SMALL, "templates": TEMPLATES, "bootstrap": 0, "n_resamples": 200, "chance": 0}
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
    result = aslant.seat(known, **test, templates="{word}", bootstrap=0, chance=0)
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
        FakeEncoder(),
        targets=(["nurse", "Ann"], ["ant", "clerk"]),
        attributes=(["love"], ["grief"]),
        bootstrap=0,
        chance=0,
    )
    assert result.assumed == ("nurse", "clerk")
    assert [(w.kind, w.listed) for w in result.words[:3]] == [("mass noun", False), ("name", False), ("noun", True)]
    own = aslant.seat(FakeEncoder(), **SMALL, templates=["We saw {a} {word}."], bootstrap=0, chance=0)
    assert own.assumed == ()
    assert own.provenance.settings["sentences"] == ["We saw {a} {word}."]


def test_a_suite_encodes_each_sentence_once_and_gives_what_a_test_gives_alone() -> None:
    encoder = FakeEncoder(leanings=PLANTED)
    suite = aslant.seat_suite(encoder, ["weat-7", "weat-8", "weat-7"], bootstrap=50, chance=0, rng=4)
    texts = {t for r in suite.results for w in r.words for t in load_set("seat-templates").sentences_of(w.word)}  # type: ignore[attr-defined]
    assert encoder.passes == len(texts)
    alone = aslant.seat(encoder, "weat-8", bootstrap=50, chance=0, rng=4, min_found=0.5)
    assert suite.results[1] == alone
    assert len(suite.qvalues) == 2
    assert all(q >= r.pvalue for q, r in zip(suite.qvalues, suite.results, strict=True))


def test_a_suite_lists_what_it_skips() -> None:
    rng = np.random.default_rng(0)
    known = Known({w[:1].upper() + w[1:]: rng.normal(size=4) for w in GENDER.words})
    suite = aslant.seat_suite(known, ["weat-6", "weat-7"], templates="{word}", bootstrap=0, chance=0)
    assert [r.test for r in suite.results] == ["weat-7"]
    assert suite.skipped[0].test == "weat-6"
    assert "John" in suite.skipped[0].missing
    assert "John" in suite.missing


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"pooling": "max"}, "pooling is 'max'; choose one of served, mean, first"),
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


def test_chance_is_what_random_words_in_sentences_of_the_same_kind_give_in_place_of_the_attributes() -> None:
    encoder, sentences = FakeEncoder(seed=1), load_set("seat-templates")
    assert isinstance(sentences, SentenceSet)
    pool = pools(encoder, sentences, 3)
    encoded = {key: unit(encoder, texts) for key, texts in pool.of([OWN]).items()}
    own = {word: unit(encoder, sentences.sentences_of(word)) for word in OWN.words}
    sets = [clustered(group, own) for group in OWN.groups]
    found = seat_chance(OWN, sets, pool, encoded, 0.4, 30, generator(3))
    words = [*OWN.attributes[0].words, *OWN.attributes[1].words]
    means, places = drawn_words(OWN, words, pool, encoded, 30, generator(3)) or ()
    weights, effects = [len(own[word]) for word in words], []
    for rows in places:  # by loops: the mean sentence of each side, then WEAT over the sentences of the targets
        first, second = (np.average(means[rows[s]], axis=0, weights=weights[s]) for s in (slice(3), slice(3, 6)))
        x, y = ([float(v @ first - v @ second) for v in group.unit] for group in sets[:2])
        effects.append((np.mean(x) - np.mean(y)) / np.std(x + y, ddof=1))
    assert found is not None
    assert (found.mean, found.sd) == pytest.approx((np.mean(effects), np.std(effects)), abs=1e-4)
    assert found.pvalue == (1 + sum(abs(effect) >= 0.4 for effect in effects)) / 31


def unit(encoder: FakeEncoder, texts: Any) -> NDArray[np.float64]:
    vectors = encoder.sentence_vectors(texts).astype(np.float64)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def test_pools_hold_no_word_twice_and_a_draw_none_of_the_tests_own() -> None:
    pool = pools(FakeEncoder(), load_set("seat-templates"), 0)  # type: ignore[arg-type]
    words = [word for kind in pool.words.values() for word in kind]
    assert len(set(words)) == len(words)
    assert pool.sizes(load_set("weat-1"))["noun"] == 66  # type: ignore[arg-type]
    assert pool.sizes(load_set("weat-6"))["noun"] == 60  # type: ignore[arg-type]
    taken = pool.words["mass noun"][:10]
    own = chosen_test(None, (["a"], ["b"]), (taken[:5], taken[5:]))
    encoded = {key: np.ones((1, 1)) * ranks()[key[1]] for key in pool.of([own])}
    means, places = drawn_words(own, taken, pool, encoded, 50, generator(0)) or ()
    assert not {ranks()[word] for word in taken} & set(means[places.ravel(), 0])
    assert all(len(set(row)) == 10 for row in places.tolist())


def test_a_planted_association_is_beyond_chance_and_one_with_any_words_is_not() -> None:
    planted = aslant.seat(FakeEncoder(leanings=PLANTED), "weat-7", bootstrap=0)
    assert planted.chance is not None
    assert planted.chance.pvalue < 0.01
    everywhere = FakeEncoder(leanings=dict.fromkeys(X, 1.0) | {word: 0.2 * (i % 5) for i, word in enumerate(ranks())})
    any_words = aslant.seat(everywhere, "weat-7", bootstrap=0)
    assert any_words.chance is not None
    assert any_words.chance.pvalue > 0.05


def test_a_test_in_another_language_has_no_chance_level_and_says_why() -> None:
    german = structs.replace(OWN, language="de")
    result = aslant.seat(FakeEncoder(), german, bootstrap=0)
    assert result.chance is None
    assert any("no chance level, since its language is not English" in note for note in seat_table(result).notes)


def test_a_suite_in_two_languages_says_in_which_sentences_each_was_asked() -> None:
    german = structs.replace(OWN, language="de", id="eigener")
    suite = aslant.seat_suite(FakeEncoder(), [OWN, german], bootstrap=0, chance=0)
    alone = [aslant.seat_suite(FakeEncoder(), [test], bootstrap=0, chance=0) for test in (OWN, german)]
    each = [one.provenance.settings["sentences"] for one in alone]
    assert each[0] != each[1]
    assert suite.provenance.settings["sentences"] == each


class WithPieces(FakeEncoder):
    """A toy whose words have as many pieces as syllables of "ba"; with more pieces, they lean."""

    class speller:  # noqa: N801 (an attribute of encoders)
        @staticmethod
        def counts(words: Any) -> list[int]:
            return [max(1, word.lower().count("ba")) for word in words]


LONG = {
    "targets": ([f"ba{c}" for c in "cdfghk"], [f"ba{c}" for c in "lm"] + [f"baba{c}" for c in "lmnp"]),
    "attributes": (["love", "peace", "joy"], ["filth", "grief", "agony"]),
}


def test_the_effect_without_word_pieces_stands_beside_one_that_they_make() -> None:
    leanings = {word: 1.0 * (word.count("ba") < 2) for words in LONG["targets"] for word in words}
    leanings |= dict.fromkeys(LONG["attributes"][0], 1.0)
    result = aslant.seat(WithPieces(leanings=leanings), **LONG, bootstrap=0)
    assert result.pieces == pytest.approx((1, 10 / 6, 1, 1))
    values = np.array([word.association for word in result.words[:12]], np.float64)
    counts = np.array([1] * 8 + [2] * 4)
    rest = values - np.polyval(np.polyfit(counts, values, 1), counts)
    assert result.effect_size_words > 1
    assert result.effect_size_one_piece == pytest.approx(effect_size(values[:6], values[6:8]))
    assert result.effect_size_without_pieces == pytest.approx(effect_size(rest[:6], rest[6:]))
    assert any("word pieces on average: 'targets 1' 1.0, 'targets 2' 1.7" in note for note in seat_table(result).notes)
    assert "without the number of word pieces" in glance(result, str)[0].sentence
    plain = aslant.seat(FakeEncoder(leanings=leanings), **LONG, bootstrap=0)
    assert (plain.pieces, plain.effect_size_one_piece, plain.effect_size_without_pieces) == (None, None, None)


def test_an_effect_that_an_untrained_model_reaches_is_not_evidence() -> None:
    found = aslant.seat(FakeEncoder(leanings=PLANTED), "weat-7", bootstrap=0)
    assert glance(found, str)[0].evidence == "strong"
    beside = replace(found, twins=(0.3, -0.2, 1.0))
    assert glance(beside, str)[0].evidence == "strong"
    assert [beside.rows()[0][f"twins_{end}"] for end in ("low", "high")] == [-0.2, 1.0]
    reached = glance(replace(found, twins=(0.3, -0.2, -1.99)), str)[0]
    assert reached.evidence == judged([reached])[0].evidence == "none"
    assert reached.sentence.endswith("1 of 3 untrained models of the same architecture reach as much.")
    none = aslant.seat(FakeEncoder(), **SMALL, bootstrap=0, chance=0, twins=2)
    assert none.twins == ()
    assert any("cannot be rebuilt" in note for note in seat_table(none).notes)
