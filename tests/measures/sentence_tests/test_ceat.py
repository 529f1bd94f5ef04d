"""CEAT: draws without a loop are those of a loop; its own p-value shrinks with the draws, ours does not."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import kstest, norm

import aslant
from aslant.errors import MeasureError
from aslant.measures.sentence_tests.chance import IN_CORPUS, _drawn, _known_ranks, ceat_chance, random_words, ranks
from aslant.measures.sentence_tests.clustered_words import Clustered, clustered
from aslant.measures.sentence_tests.contexts import context_vectors
from aslant.measures.sentence_tests.contexts_statistic import distribution, sampled_effects, word_associations
from aslant.measures.sentence_tests.show import ceat_table
from aslant.measures.shared.suite import NoSpreadError
from aslant.statistics import combine, unit_rows
from aslant.stimuli import WordList, load_set
from fake_encoder import FakeEncoder

GENDER = load_set("weat-7")
X, Y, A, B = (group.words for group in GENDER.groups)
PLANTED = dict.fromkeys(X + A, 0.6) | dict.fromkeys(Y + B, -0.6)
PLACES = ("north", "south", "east", "west", "centre")


def corpus(words: tuple[str, ...], places: tuple[str, ...] = PLACES) -> list[str]:
    """Each word in one sentence for each place."""
    return [f"In the {place} they spoke of {word}." for place in places for word in words]


SENTENCES = corpus(GENDER.words)


def test_a_planted_association_is_found_with_its_sign_and_none_where_none_is() -> None:
    planted = aslant.ceat(FakeEncoder(leanings=PLANTED), SENTENCES, "weat-7", samples=500)
    assert planted.effect_size > 1
    assert planted.pvalue < 0.001
    assert planted.distribution.share_positive == 1
    none = aslant.ceat(FakeEncoder(), SENTENCES, "weat-7", samples=500)
    assert abs(none.effect_size) < 1
    assert none.pvalue > 0.05


def test_swapping_targets_flips_the_sign() -> None:
    encoder = FakeEncoder(leanings=PLANTED)
    there = aslant.ceat(encoder, SENTENCES, targets=(X, Y), attributes=(A, B), samples=2_000)
    back = aslant.ceat(encoder, SENTENCES, targets=(Y, X), attributes=(A, B), samples=2_000)
    assert there.effect_size == pytest.approx(-back.effect_size, abs=0.02)
    assert there.effect_size_words == pytest.approx(-back.effect_size_words)
    assert there.pvalue == back.pvalue


def test_the_published_p_value_shrinks_with_the_draws_and_ours_does_not() -> None:
    encoder = FakeEncoder(16, noise=0.5, seed=1)
    few, many = (aslant.ceat(encoder, SENTENCES, "weat-7", samples=n) for n in (100, 4_000))
    assert many.pvalue == few.pvalue > 0.05
    assert many.effect_size == pytest.approx(few.effect_size, abs=0.2)
    assert abs(many.published_z) > 4 * abs(few.published_z)
    assert many.published_pvalue < 1e-12


def test_without_an_association_our_p_values_are_uniform_and_the_published_ones_are_not() -> None:
    test: dict[str, Any] = {
        "targets": (["ant", "bee", "fly", "moth", "wasp"], ["rose", "iris", "lily", "tulip", "daisy"]),
        "attributes": (["love", "peace", "joy"], ["filth", "grief", "agony"]),
    }
    sentences = corpus(tuple(w for pair in test.values() for words in pair for w in words), PLACES[:3])
    results = [aslant.ceat(FakeEncoder(16, seed=s), sentences, **test, samples=300, chance=0) for s in range(120)]
    assert kstest([r.pvalue for r in results], "uniform").pvalue > 0.005  # two-sided and discrete: p = 1 now and then
    assert np.mean([r.pvalue <= 0.05 for r in results]) < 0.1
    assert np.mean([r.published_pvalue <= 0.05 for r in results]) > 0.9


def sets(seed: int = 0, sizes: tuple[int, ...] = (3, 1, 4)) -> list[Clustered]:
    """Four sets of three words with a few contexts each."""
    rng = np.random.default_rng(seed)
    words = ("u", "v", "w")
    return [
        clustered(
            WordList(name, words), {w: unit_rows(rng.normal(size=(n, 6))) for w, n in zip(words, sizes, strict=False)}
        )
        for name in ("x", "y", "p", "q")
    ]


def literal_draws(groups: list[Clustered], samples: int, seed: int) -> tuple[list[float], list[float]]:
    """Effect size and variance of each draw, by loops, as the authors' code has them."""
    rng = np.random.default_rng(seed)
    drawn = [g.starts + rng.integers(0, g.sizes, (samples, len(g.sizes))) for g in groups]

    def cosine(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
        return float(a @ b / math.sqrt((a @ a) * (b @ b)))

    effects, variances = [], []
    for i in range(samples):
        x, y, a, b = ([g.unit[row] for row in rows[i]] for g, rows in zip(groups, drawn, strict=True))
        sx, sy = ([np.mean([cosine(w, v) for v in a]) - np.mean([cosine(w, v) for v in b]) for w in t] for t in (x, y))
        deviation = np.std(sx + sy, ddof=1)
        effects.append(float((np.mean(sx) - np.mean(sy)) / deviation))
        variances.append(float(deviation**2))
    return effects, variances


def test_draws_are_those_of_a_loop() -> None:
    groups = sets()
    effects, variances = sampled_effects(*groups, 40, np.random.default_rng(7))  # type: ignore[arg-type, call-arg]
    by_loop = literal_draws(groups, 40, 7)
    assert effects == pytest.approx(by_loop[0])
    assert variances == pytest.approx(by_loop[1])


def test_contexts_are_chosen_for_some_draws_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aslant.measures.sentence_tests.contexts_statistic._DRAWS", 20)
    together, apart = np.random.default_rng(7), np.random.default_rng(7)
    parts = [sampled_effects(*sets(), n, apart) for n in (20, 20, 10)]  # type: ignore[arg-type, call-arg]
    for found, expected in zip(sampled_effects(*sets(), 50, together), zip(*parts, strict=True), strict=True):  # type: ignore[arg-type, call-arg]
        assert found.tolist() == np.concatenate(expected).tolist()


def test_draws_do_not_depend_on_how_many_are_made_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = sets()
    whole = sampled_effects(*groups, 50, np.random.default_rng(7))  # type: ignore[arg-type, call-arg]
    monkeypatch.setattr("aslant.measures.sentence_tests.contexts_statistic._BYTES", 4 * 6 * 8)
    # New memory often is what the line above has freed, right numbers included: a row left out must not find them.
    with monkeypatch.context() as spoilt:
        spoilt.setattr("numpy.empty", lambda shape, kind=float: np.full(shape, math.nan if kind is float else 0, kind))
        parts = sampled_effects(*groups, 50, np.random.default_rng(7))  # type: ignore[arg-type, call-arg]
    assert parts[0] == pytest.approx(whole[0])


def test_effects_are_combined_as_in_the_authors_code() -> None:
    effects, variances = (np.array(found) for found in literal_draws(sets(), 60, 3))
    w = 1 / variances
    q = np.sum(w * effects**2) - np.sum(effects * w) ** 2 / np.sum(w)
    between = max(0.0, (q - 59) / (np.sum(w) - np.sum(w**2) / np.sum(w)))
    v = 1 / (variances + between)
    combined, z = np.sum(v * effects) / np.sum(v), np.sum(v * effects) / np.sum(v) / np.sqrt(1 / np.sum(v))
    ours = combine(effects, variances)
    assert ours.effect == pytest.approx(combined)
    assert ours.tau_squared == pytest.approx(between)
    assert ours.q == pytest.approx(q)
    assert ours.z == pytest.approx(z)
    assert ours.pvalue == pytest.approx(2 * norm.sf(abs(z)))


def test_word_associations_are_means_over_all_pairs_of_contexts() -> None:
    x, y, a, b = groups = sets(1, (2, 3, 1))
    first, second = word_associations(*groups)
    for group, ours in ((x, first), (y, second)):
        for word, value in enumerate(ours):
            own = group.unit[group.starts[word] : group.starts[word] + group.sizes[word]]
            sides = [
                np.mean(
                    [np.mean(own @ s.unit[start : start + n].T) for start, n in zip(s.starts, s.sizes, strict=True)]
                )
                for s in (a, b)
            ]
            assert value == pytest.approx(sides[0] - sides[1])


def test_the_same_seed_gives_the_same_result_and_another_one_other_draws() -> None:
    encoder = FakeEncoder()
    first, again, other = (aslant.ceat(encoder, SENTENCES, "weat-7", samples=50, rng=seed) for seed in (1, 1, 2))
    assert first == again
    assert first.distribution != other.distribution
    assert first.provenance.seed == 1


def test_words_short_of_contexts_are_recorded_and_those_without_are_missing() -> None:
    kept = [s for s in SENTENCES if not s.endswith("algebra.")]
    result = aslant.ceat(FakeEncoder(), kept, "weat-7", samples=50, contexts_per_word=8)
    assert result.missing == ("algebra",)
    by_word = {word.word: word for word in result.words}
    assert (by_word["algebra"].found, by_word["algebra"].contexts, by_word["algebra"].association) == (0, 0, None)
    assert (by_word["math"].found, by_word["math"].contexts) == (5, 5)
    assert len(result.short_of_contexts) == 31
    assert (result.corpus.sentences, result.corpus.name) == (155, "own sentences")
    cut = aslant.ceat(FakeEncoder(), kept, "weat-7", samples=50, contexts_per_word=2)
    assert {word.contexts for word in cut.words} == {0, 2}
    with pytest.raises(
        MeasureError, match="7 of 8 words of 'Math' of 'weat-7' have a context in the corpus, less than"
    ):
        aslant.ceat(FakeEncoder(), kept, "weat-7", min_found=0.9)


def test_case_counts_unless_any_will_do() -> None:
    names = load_set("weat-6").words
    lower = [sentence.lower() for sentence in corpus(names)]
    with pytest.raises(MeasureError, match="0 of 8 words of 'Male names'"):
        aslant.ceat(FakeEncoder(), lower, "weat-6", samples=20)
    found = aslant.ceat(FakeEncoder(), lower, "weat-6", samples=20, case="any")
    assert found.missing == ()


def test_a_suite_reads_once_encodes_once_and_lists_what_it_skips() -> None:
    encoder = FakeEncoder(leanings=PLANTED)
    sentences = SENTENCES + corpus(("science", "physics"))
    once = iter(sentences)
    suite = aslant.ceat_suite(encoder, once, ["weat-6", "weat-7", "weat-8"], samples=50, min_found=0.2, chance=0)
    assert encoder.passes == len(sentences)
    assert [r.test for r in suite.results] == ["weat-7", "weat-8"]
    assert [t.test for t in suite.skipped] == ["weat-6"]
    assert "John" in suite.missing
    assert len(suite.qvalues) == 2


def test_a_suite_holds_the_vectors_of_one_test_and_of_what_later_ones_need(monkeypatch: pytest.MonkeyPatch) -> None:
    held, asked = [], []

    def encoded(encoder: Any, contexts: dict[str, Any], *others: Any) -> Any:
        asked.extend(contexts)
        return context_vectors(encoder, contexts, *others)

    def measured(encoder: Any, test: Any, drawn: Any, vectors: dict[str, Any], *others: Any) -> Any:
        held.append(set(vectors))
        assert all(rows.base is None for rows in vectors.values())  # no part of something larger that stays in memory
        raise NoSpreadError("nothing")

    module = sys.modules["aslant.measures.sentence_tests.contexts"]  # the name leads to the function
    monkeypatch.setattr(module, "context_vectors", encoded)
    monkeypatch.setattr(module, "_measure", measured)
    tests = [load_set(name) for name in ("weat-7", "weat-6", "weat-8")]
    aslant.ceat_suite(FakeEncoder(), SENTENCES, tests, chance=0)
    seven, six, eight = (set(test.words) for test in tests)
    assert held == [seven, six | (seven & eight), eight]
    assert len(asked) == len(seven | six | eight)


@pytest.mark.parametrize("wrong", [{"alternative": "more"}, {"method": "guess"}, {"n_resamples": 0}])
def test_settings_of_the_p_value_are_checked_before_anything_is_read(wrong: dict[str, Any]) -> None:
    def unread() -> Any:
        raise AssertionError("the corpus was read")
        yield

    for run in (aslant.ceat, aslant.ceat_suite):
        with pytest.raises(MeasureError, match=next(iter(wrong))):
            run(FakeEncoder(), unread(), *(["weat-7"] if run is aslant.ceat else [["weat-7"]]), **wrong)


def test_a_test_gives_the_same_alone_as_in_a_suite() -> None:
    settings: dict[str, Any] = {"samples": 50, "contexts_per_word": 2, "rng": 3, "min_found": 0.5}
    suite = aslant.ceat_suite(
        FakeEncoder(), SENTENCES + corpus(load_set("weat-6").words), ["weat-6", "weat-7"], **settings
    )
    alone = aslant.ceat(FakeEncoder(), SENTENCES + corpus(load_set("weat-6").words), "weat-7", **settings)
    assert suite.results[1] == alone


def test_a_corpus_is_recorded() -> None:
    given = aslant.load_corpus(SENTENCES, name="places")
    result = aslant.ceat(FakeEncoder(), given, "weat-7", samples=20)
    assert (result.corpus.name, result.corpus.sentences) == ("places", len(SENTENCES))
    assert result.corpus.record is not None
    assert result.corpus.record["fingerprint"] == given.fingerprint
    assert result.provenance.settings["corpus"] == "places"


def test_one_context_for_each_word_is_weat_of_those_vectors() -> None:
    encoder = FakeEncoder(seed=2)
    result = aslant.ceat(encoder, corpus(GENDER.words, PLACES[:1]), "weat-7", samples=10)
    assert result.effect_size == pytest.approx(result.effect_size_words, abs=1e-6)
    assert result.distribution.standard_deviation == pytest.approx(0, abs=1e-9)
    assert (result.heterogeneity.i_squared, result.heterogeneity.tau_squared) == (0, 0)


def test_the_spread_of_draws_is_summed_up() -> None:
    spread = aslant.ceat(FakeEncoder(16, noise=1.0), SENTENCES, "weat-7", samples=400).distribution
    values = list(spread.quantiles.values())
    assert values == sorted(values)
    assert sum(b.count for b in spread.bins) == 400
    assert spread.share_positive + spread.share_negative == 1
    above = sum(b.count for b in spread.bins if b.low > -1e-9)
    assert above == round(400 * spread.share_positive)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"corpus": "text.txt"}, "open one with aslant.load_corpus"),
        ({"corpus": 7}, "is not a corpus"),
        ({"samples": 0}, "samples is 0"),
        ({"contexts_per_word": 0}, "contexts_per_word is 0"),
        ({"case": "loud"}, "case is 'loud'; choose one of as written, any"),
        ({"corpus": []}, "0 of 8 words of 'Math'"),
        ({"encoder": None}, "is not an encoder"),
        ({"alternative": "more"}, "alternative is 'more'"),
    ],
)
def test_bad_input_is_one_sentence(given: dict[str, Any], words: str) -> None:
    with pytest.raises(MeasureError) as caught:
        aslant.ceat(**{"encoder": FakeEncoder(), "corpus": SENTENCES, "test": "weat-7", "samples": 10, **given})
    assert words in str(caught.value)


def test_vectors_kept_in_the_cache_folder_are_listed_and_cleared_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASLANT_CACHE", str(tmp_path))
    aslant.ceat(FakeEncoder(), SENTENCES, "weat-7", samples=10, store=aslant.data.cache_folder() / "encoders")
    kept = sorted(path for path in tmp_path.rglob("*") if path.is_file())
    assert sorted(entry.path for entry in aslant.data.cache_entries()) == kept
    assert aslant.data.clear_cache()[0] == len(kept) == 1


def test_chance_is_what_random_words_of_the_corpus_give_in_place_of_the_attributes() -> None:
    words = random_words(FakeEncoder(), 0)[:IN_CORPUS]
    text = SENTENCES + corpus(tuple(words[:80]), PLACES[:2])
    planted = aslant.ceat(FakeEncoder(leanings=PLANTED), text, "weat-7", samples=50)
    assert planted.chance is not None
    assert (planted.chance.draws, planted.chance.pvalue < 0.01) == (2_000, True)
    assert any("chance is of this d" in note for note in ceat_table(planted).notes)
    few = aslant.ceat(FakeEncoder(leanings=PLANTED), SENTENCES, "weat-7", samples=50)
    assert few.chance is None
    assert any("the corpus has too few of the random words" in note for note in ceat_table(few).notes)
    off = aslant.ceat(FakeEncoder(leanings=PLANTED), text, "weat-7", samples=50, chance=0)
    assert (off.effect_size, off.pvalue, off.chance) == (planted.effect_size, planted.pvalue, None)


def test_the_draws_of_chance_are_those_of_a_loop() -> None:
    rng = np.random.default_rng(5)
    X, Y, A, B = sets()
    pool = {word: unit_rows(rng.normal(size=(4, X.unit.shape[1]))) for word in random_words(FakeEncoder(), 0)[:40]}
    found = ceat_chance(GENDER, (X, Y, A, B), pool, 0.5, 20, np.random.default_rng(1))  # type: ignore[arg-type]
    known = _known_ranks((*A.words.used, *B.words.used))
    means, places = _drawn(GENDER, known, pool, 20, np.random.default_rng(1)) or ()  # type: ignore[arg-type]
    effects = []
    for rows in places:
        axis = means[rows[: len(A.sizes)]].mean(axis=0) - means[rows[len(A.sizes) :]].mean(axis=0)
        x, y = (group.means(group.unit @ axis) for group in (X, Y))
        effects.append((x.mean() - y.mean()) / np.concatenate([x, y]).std(ddof=1))
    assert found is not None
    assert (found.mean, found.sd) == pytest.approx((np.mean(effects), np.std(effects)))


def test_an_effect_of_zero_is_on_neither_side() -> None:
    found = distribution(np.array([-1.0, 0.0, 0.0, 2.0, 3.0]))
    assert (found.share_positive, found.share_negative) == (0.4, 0.2)
    assert found.standard_deviation == pytest.approx(np.std([-1.0, 0.0, 0.0, 2.0, 3.0], ddof=1))
    assert distribution(np.array([1.0])).standard_deviation == 0


def test_words_of_unknown_frequency_count_as_the_middle_of_the_others() -> None:
    by_rank = {rank: word for word, rank in ranks().items()}
    assert _known_ranks((by_rank[0], by_rank[10], "qqzzx")).tolist() == [0, 10, 5]
    assert _known_ranks(("qqzzx",)).tolist() == [len(ranks()) // 2]


def test_a_row_says_how_few_contexts_a_word_has() -> None:
    more = [f"Once more: {sentence}" for sentence in SENTENCES if "algebra" in sentence]
    found = aslant.ceat(FakeEncoder(leanings=PLANTED), [*SENTENCES, *more], "weat-7", samples=20, chance=0)
    contexts = [word.contexts for word in found.words if word.contexts]
    assert found.row()["fewest_contexts"] == min(contexts) < max(contexts)
