"""Contextual bias: what is planted in a toy encoder comes back, what is not planted stays at chance."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import aslant
from aslant.errors import MeasureError, TooFewWordsError
from aslant.measures.in_context.result import ContextualBiasResult, RepeatedMeasure
from fake_encoder import FakeEncoder
from planted_text import Planted, planted

SMALL: dict[str, Any] = {"repeats": 3, "swaps": 6, "random_pairs": 50, "chance": 0, "picture": "none"}


def measured(what: Planted, **settings: Any) -> ContextualBiasResult:
    return aslant.contextual_bias(what.encoder, what.corpus, original=what.original, **{**SMALL, **settings})


@pytest.fixture(scope="module")
def leaning() -> Planted:
    return planted(leaning=1.5)


@pytest.fixture(scope="module")
def found(leaning: Planted) -> ContextualBiasResult:
    return measured(leaning, picture="pca", compare={"static": leaning.original})


@pytest.fixture(scope="module")
def nothing() -> list[ContextualBiasResult]:
    """Encoders without a direction, of several seeds."""
    return [measured(planted(leaning=0, definitional=0, words=300, seed=seed), rng=seed) for seed in range(1, 6)]


def test_the_planted_direction_comes_back_towards_the_first_words_of_the_pairs(
    leaning: Planted, found: ContextualBiasResult
) -> None:
    assert np.dot(found.subspace.direction, leaning.encoder.direction) > 0.95
    assert found.subspace.poles == ("female", "male")
    assert found.subspace.agreement.minimum > 0.99


def test_the_first_component_holds_the_planted_direction_and_random_words_have_less(
    found: ContextualBiasResult,
) -> None:
    share = found.measures.share_of_variance
    assert share.over is not None
    assert share.chance is not None
    assert share.over.mean > 0.9 > share.chance.maximum
    assert share.pvalue == pytest.approx(1 / 51)
    assert found.subspace.explained[0] == share.over
    assert sum(spread.mean for spread in found.subspace.explained) <= 1 + 1e-9


def test_random_words_are_taken_by_themselves_where_that_is_asked_for(
    leaning: Planted, found: ContextualBiasResult
) -> None:
    asked = measured(leaning, picture="pca", compare={"static": leaning.original}, random_as="words")
    subspace = dataclasses.replace(asked.subspace, random_words=())
    assert found.subspace.random_words == ()
    assert (subspace, asked.measures) == (found.subspace, found.measures)  # everything else is as it was
    shares = asked.subspace.random_words
    assert len(shares) == len(asked.subspace.explained) == 10
    assert {share.n for share in shares} == {3}
    assert asked.provenance.settings["random_as"] == "words"


def test_random_words_without_a_direction_have_components_that_fall_off_smoothly() -> None:
    found = measured(planted(leaning=0, words=300), random_as="words", random_pairs=0).subspace
    assert found.explained[0].mean > 0.8
    shares = [share.mean for share in found.random_words]
    assert shares == sorted(shares, reverse=True)
    assert 1 / 64 < shares[0] < 2 * shares[9] < 0.1  # 64 dimensions, none before the others


def test_every_repeat_of_a_correlation_has_its_own_p_value(found: ContextualBiasResult) -> None:
    m = found.measures
    for measure in (m.neighbours, m.neighbours_within):
        n = found.numbers.professions_with_bias
        expected = []
        for r in measure.by_repeat:
            assert r is not None
            expected.append(2 * stats.t.sf(abs(r) * np.sqrt((n - 2) / (1 - r**2)), n - 2))
        assert measure.parametric_pvalues == pytest.approx(expected, rel=1e-4)
        assert measure.largest_pvalue == max(p for p in measure.parametric_pvalues if p is not None)
    assert (m.clustering.parametric_pvalues, m.clustering.largest_pvalue) == ((), None)
    rows = {row["measure"]: row for row in found.rows() if row["space"] == "contextual"}
    assert rows["neighbours, correlation"]["parametric_pvalue"] == m.neighbours.largest_pvalue


def test_results_of_an_older_version_are_read(found: ContextualBiasResult) -> None:
    content = found.to_dict()
    del content["subspace"]["random_words"]
    for measure in content["measures"].values():
        del measure["parametric_pvalues"]
    read = ContextualBiasResult.from_dict(content)
    assert read.subspace == found.subspace
    assert read.measures.neighbours.over == found.measures.neighbours.over


def test_direct_bias_is_the_planted_one(leaning: Planted, found: ContextualBiasResult) -> None:
    by_word = {word.word: word for word in found.professions}
    assert set(by_word) == set(leaning.professions)
    cosines = []
    for word in by_word:
        vector = leaning.encoder.layers([word])[0, 0]
        cosines.append(abs(vector @ leaning.encoder.direction) / np.linalg.norm(vector))
        assert np.sign(by_word[word].projection.mean) == np.sign(leaning.leanings[word])
    assert found.measures.direct_bias.over is not None
    assert found.measures.direct_bias.over.mean == pytest.approx(np.mean(cosines), abs=0.02)


def test_planted_sides_are_clustered_classified_and_kept_as_neighbours(found: ContextualBiasResult) -> None:
    m = found.measures
    for measure in (m.clustering, m.classification, m.neighbours, m.neighbours_within):
        assert measure.over is not None
        assert measure.over.mean > 0.95
    assert m.clustering.pvalue == m.neighbours.pvalue == m.neighbours_within.pvalue == 1 / 1000
    assert m.classification.chance is not None
    assert 0.35 < m.classification.chance.mean < 0.65


def test_an_encoder_without_a_direction_stays_at_chance(nothing: list[ContextualBiasResult]) -> None:
    for name in ("share_of_variance", "clustering", "neighbours", "neighbours_within"):
        measures: list[RepeatedMeasure] = [getattr(result.measures, name) for result in nothing]
        assert np.median([m.pvalue for m in measures if m.pvalue is not None]) > 0.1, name
        assert all(m.over and m.chance and m.over.mean < m.chance.maximum + 0.05 for m in measures), name
    accuracy = [result.measures.classification.over.mean for result in nothing if result.measures.classification.over]
    assert 0.4 < np.mean(accuracy) < 0.6
    direct = [result.measures.direct_bias for result in nothing]
    assert all(d.over and d.chance and d.over.mean < 2 * d.chance.mean for d in direct)


def test_the_mean_lies_between_least_and_most_of_what_each_repeat_gives(found: ContextualBiasResult) -> None:
    for field in dataclasses.fields(found.measures):
        measure: RepeatedMeasure = getattr(found.measures, field.name)
        assert measure.over is not None
        values = [value for value in measure.by_repeat if value is not None]
        assert len(values) == measure.over.n == 3
        assert min(values) == measure.over.minimum <= measure.over.mean <= measure.over.maximum == max(values)


def test_a_seed_gives_one_answer_and_another_seed_another(leaning: Planted, found: ContextualBiasResult) -> None:
    again = measured(leaning, picture="pca", compare={"static": leaning.original})
    assert again == found
    other = measured(leaning, rng=1)
    assert other.subspace.direction != found.subspace.direction


def test_every_repeat_takes_other_sentences(leaning: Planted, monkeypatch: pytest.MonkeyPatch) -> None:
    import aslant.measures.in_context.swaps as vectors

    seen: list[str] = []

    def spy(encoder: Any, passages: Any, **kwargs: Any) -> Any:
        seen.extend(passage.text for passage in passages if passage.words[0] == "architect")
        return original(encoder, passages, **kwargs)

    original = vectors.vectors_of  # type: ignore[attr-defined]
    monkeypatch.setattr(vectors, "vectors_of", spy)
    measured(leaning, random_pairs=0)
    assert len(seen) == 6 or len(seen) == 3  # as a profession, and as a biased word if it is one
    assert len(set(seen)) == 3


def test_a_sentence_is_encoded_once_for_all_words_and_repeats(leaning: Planted) -> None:
    encoder = FakeEncoder(leanings=leaning.leanings)
    aslant.contextual_bias(encoder, leaning.corpus, original=leaning.original, **{**SMALL, "repeats": 5})
    swapped = 2 * 10 * 6 * 5 * 2  # the two words of ten pairs, and of as many random ones
    assert encoder.passes <= len(set(leaning.corpus)) + swapped


def test_words_that_the_corpus_lacks_are_listed_by_what_they_were_wanted_for(
    leaning: Planted, found: ContextualBiasResult
) -> None:
    strongest = found.words[0][:5]
    gone = {"gal", "guy", "she", "accountant", *strongest}
    corpus = [text for text in leaning.corpus if not gone & {word.lower() for word in text.split()}]
    result = measured(dataclasses.replace(leaning, corpus=corpus))
    assert set(result.lacking["definitional words"]) == {"gal", "guy", "she"}
    assert "accountant" in result.lacking["professions"]
    assert set(strongest) <= set(result.lacking["most biased words"])
    assert result.subspace.pairs_left_out == (("gal", "guy"),)
    assert [pair.sentences for pair in result.subspace.pairs if pair.words == ("she", "he")] == [6]
    assert set(result.missing) >= gone
    assert not set(strongest) & {word for side in result.words for word in side}


def test_what_was_asked_and_what_was_used_are_both_recorded(found: ContextualBiasResult) -> None:
    n = found.numbers
    assert (n.asked_clustered, n.asked_classified, n.asked_k) == (500, 2_500, 100)
    assert n.clustered_per_side == n.classified_per_side == n.candidates // 10 == len(found.words[0])
    assert n.k == (2 * n.classified_per_side - 1) // 3
    assert found.corpus.sentences == 3 * 456 + 6 * 20
    assert n.fewer_sentences == {"biased words": 0, "professions": 0}


def test_words_with_fewer_sentences_than_repeats_use_them_again_and_are_counted(leaning: Planted) -> None:
    result = measured(leaning, repeats=4)
    assert result.numbers.fewer_sentences["professions"] == len(result.professions)
    assert result.measures.clustering.over is not None
    assert result.measures.clustering.over.n == 4


def test_biased_words_are_those_of_residual_bias_where_the_corpus_holds_all(
    leaning: Planted, found: ContextualBiasResult
) -> None:
    static = aslant.residual_bias(leaning.original, leaning.original, seeds=1, picture="none")
    assert found.words == static.words
    (compared,) = found.compared
    assert compared.measures.clustering.over is not None
    assert compared.measures.clustering.over.mean == static.clustering.accuracy
    assert static.neighbours_within is not None
    assert compared.measures.neighbours_within.over is not None
    assert compared.measures.neighbours_within.over.mean == pytest.approx(static.neighbours_within.correlation)


def test_static_columns_are_measured_on_the_same_words_and_professions(
    leaning: Planted, found: ContextualBiasResult
) -> None:
    (compared,) = found.compared
    jobs = [word.word for word in found.professions]
    pairs = [pair.words for pair in found.subspace.pairs]
    assert compared.column == "static"
    assert compared.measures.direct_bias.over is not None
    expected = aslant.direct_bias(leaning.original, jobs, direction=pairs).value
    assert compared.measures.direct_bias.over.mean == pytest.approx(expected)
    assert {row["space"] for row in found.rows()} == {"contextual", "static"}


def test_pictures_have_the_clustered_words_and_the_professions(found: ContextualBiasResult) -> None:
    assert found.clusters is not None
    assert found.picture is not None
    assert [point.word for point in found.clusters.points] == [word for side in found.words for word in side]
    assert {point.word for point in found.picture.points} == {word.word for word in found.professions}
    assert measured(planted(words=250)).picture is None


def test_gendered_professions_can_be_left_out(leaning: Planted) -> None:
    corpus = [*leaning.corpus, "An actress slept .", "An actress dreamt ."]
    kept = measured(dataclasses.replace(leaning, corpus=corpus), random_pairs=0)
    dropped = measured(dataclasses.replace(leaning, corpus=corpus), random_pairs=0, keep_specific=False)
    assert {w.word for w in kept.professions} - {w.word for w in dropped.professions} == {"actress"}
    assert kept.numbers.professions_with_bias == dropped.numbers.professions_with_bias


def test_without_random_pairs_nothing_stands_beside(leaning: Planted) -> None:
    result = measured(leaning, random_pairs=0)
    assert result.subspace.random == ()
    assert result.measures.share_of_variance.pvalue is result.measures.share_of_variance.chance is None
    assert result.measures.direct_bias.chance is None


def test_vectors_that_are_kept_give_the_same_answer_and_are_not_encoded_again(leaning: Planted, tmp_path: Path) -> None:
    encoders = [FakeEncoder(leanings=leaning.leanings) for _ in range(2)]
    results = [
        aslant.contextual_bias(encoder, leaning.corpus, original=leaning.original, store=tmp_path, **SMALL)
        for encoder in encoders
    ]
    assert results[0] == results[1]
    assert encoders[0].passes > 0
    assert encoders[1].passes == 0


NO_WORDS = r"no sentence of the corpus 'own sentences' holds any definitional word \(20 in all\), such as 'woman'; give"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p: {"corpus": [t for t in p.corpus if t.startswith("It")]}, NO_WORDS),
        (lambda p: {"corpus": []}, "the corpus 'own sentences' holds no sentences"),
        (lambda p: {"corpus": ["She slept ."]}, "the corpus 'own sentences' holds 0 words to choose from"),
        (lambda p: {"corpus": "She slept ."}, "'She slept .' is not a corpus; open one with aslant.load_corpus"),
        (lambda p: {"corpus": ["She slept .", 3]}, "sentence 2 of the corpus is 3; give sentences as text"),
        (lambda p: {"corpus": 3}, "3 is not a corpus"),
        (lambda p: {"encoder": 7}, "7 is not an encoder; open one with aslant.load_encoder"),
        (lambda p: {"pairs": [["she", "he", "they"]]}, "has 3 words; give pairs, which are swapped"),
        (lambda p: {"professions": ["nobody", "noone"]}, "holds 0 of 2 professions in sentences without"),
        (lambda p: {"poles": ("he", "HE")}, "are one word in 'planted'; give two"),
        (lambda p: {"repeats": 0}, "repeats is 0; give a whole number from 1"),
        (lambda p: {"swaps": 0}, "swaps is 0"),
        (lambda p: {"top": 3}, "top is 3"),
        (lambda p: {"random_as": "noise"}, "random_as is 'noise'; choose one of differences, words"),
        (lambda p: {"picture": "oil"}, "picture is 'oil'; choose one of"),
        (lambda p: {"compare": [p.original]}, "is not a mapping of names to word vectors"),
        (lambda p: {"compare": {"contextual": p.original}}, "compare names a static space 'contextual'"),
        (lambda p: {"compare": {"static": aslant.load(top=300)}}, "'sample' has no vector for .* words?, such as"),
        (lambda p: {"compare": {"static": None}}, "None is not word vectors"),
    ],
)
def test_what_cannot_be_measured_is_one_clear_error(
    leaning: Planted, change: Callable[[Planted], dict[str, Any]], message: str
) -> None:
    given = {"encoder": leaning.encoder, "corpus": leaning.corpus, "original": leaning.original, **change(leaning)}
    encoder, corpus = given.pop("encoder"), given.pop("corpus")
    with pytest.raises(MeasureError, match=message) as raised:
        aslant.contextual_bias(encoder, corpus, **{**SMALL, "random_pairs": 0, **given})
    assert "\n" not in str(raised.value)


def test_too_few_words_in_the_corpus_are_said_so(leaning: Planted) -> None:
    corpus = leaning.corpus[: 3 * 200] + leaning.corpus[-120:]
    with pytest.raises(TooFewWordsError, match="holds 200 words to choose from; at least 250"):
        measured(dataclasses.replace(leaning, corpus=corpus))


def test_an_encoder_that_does_not_tell_words_apart_is_refused(leaning: Planted) -> None:
    class Flat(FakeEncoder):
        def span_vectors(self, passages: Any, *, progress: Any = None) -> Any:
            for passage in passages:
                yield np.ones((len(passage.spans), self.dimensions), np.float32)

    with pytest.raises(MeasureError, match="does not tell them apart"):
        measured(dataclasses.replace(leaning, encoder=Flat()))
