"""What debiasing leaves behind: against slow versions, planted bias and none, and the published figures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.neighbors import NearestNeighbors

import aslant
from aslant.errors import MeasureError
from aslant.measures.residuals.measure import bias_by_projection, most_biased
from aslant.measures.residuals.result import ResidualBiasResult
from aslant.measures.residuals.separation import classification_accuracy, measure_neighbours, picture_of, training_size
from aslant.statistics import clustering_accuracy, nearest, nearest_rows, two_clusters, unit_rows
from aslant.stimuli import PairSet, is_plain, load_set
from geometry_vectors import googlenews, letters, planted

PROFESSIONS = [letters(i) for i in range(0, 400, 3)]


def run(original: aslant.WordVectors, measured: aslant.WordVectors, **options: Any) -> ResidualBiasResult:
    chosen = {"seeds": 3, "professions": PROFESSIONS, "within": PROFESSIONS, "picture": "none", **options}
    return aslant.residual_bias(original, measured, **chosen)


def without(v: aslant.WordVectors, dimensions: list[int]) -> aslant.WordVectors:
    matrix = v.matrix.copy()
    matrix[:, dimensions] = 0
    return aslant.WordVectors.from_arrays(v.words, matrix, name="projected")


def test_planted_bias_is_found_and_none_is_chance() -> None:
    v = planted(3.0)
    r = run(v, v)
    assert r.clustering.accuracy > 0.95
    assert r.classification.accuracy > 0.95
    assert r.neighbours.correlation is not None
    assert r.neighbours.correlation > 0.8
    assert r.neighbours.shuffled_pvalue == 1 / 1000
    for part in (r.clustering, r.classification):
        assert part.lowest <= part.accuracy <= part.highest
        assert abs(part.chance.mean - 0.5) < 0.15


def test_hiding_one_dimension_leaves_the_bias_in_the_other() -> None:
    v = planted(3.0)
    hidden, removed = run(v, without(v, [0])), run(v, without(v, [0, 1]))
    assert hidden.clustering.accuracy > 0.95
    assert hidden.neighbours.correlation is not None
    assert removed.neighbours.correlation is not None
    assert hidden.neighbours.correlation > 0.5 > abs(removed.neighbours.correlation)
    assert removed.clustering.accuracy < 0.7
    assert removed.classification.accuracy < 0.7


def test_biased_words_are_chosen_in_the_original_and_measured_in_the_other() -> None:
    v = planted(3.0)
    shuffled = aslant.WordVectors.from_arrays(v.words, np.random.default_rng(1).permutation(v.matrix), name="shuffled")
    before, after = run(v, v), run(v, shuffled)
    assert before.words == after.words
    assert before.clustering.accuracy > 0.95 > 0.7 > after.clustering.accuracy
    assert after.original.name == "planted"
    assert after.provenance.representation.name == "shuffled"
    order = np.argsort(-bias_by_projection(v.matrix[:1000], v.matrix[1000], v.matrix[1001]), kind="stable")
    assert before.words[0] == tuple(v.words[i] for i in order[:100])
    assert before.words[1] == tuple(v.words[i] for i in order[::-1][:100])


def test_a_small_vocabulary_scales_every_number_and_says_so() -> None:
    v = planted(3.0, words=400)
    r = run(v, v)
    assert (r.clustering.words_per_side, r.clustering.asked_per_side) == (40, 500)
    assert (r.classification.words_per_side, r.classification.asked_per_side) == (40, 2500)
    assert (r.classification.training_words, r.classification.testing_words) == (16, 64)
    assert r.neighbours.k == 100
    assert r.neighbours_within is not None
    assert (r.neighbours_within.k, r.neighbours_within.asked_k) == (44, 100)
    from aslant.report.assembly import table_of

    notes = " ".join(table_of(r).notes)
    assert "40 words per side instead of 500" in notes
    assert "44 instead of 100" in notes


def test_a_seed_gives_one_result_and_another_gives_another() -> None:
    v = planted(0.3)
    assert run(v, v, rng=3) == run(v, v, rng=3)
    assert run(v, v, rng=3).classification != run(v, v, rng=4).classification


@settings(deadline=None, max_examples=5)
@given(st.integers(0, 100), st.floats(0.1, 10))
def test_rotating_and_rescaling_the_space_changes_no_choice_and_no_neighbour(seed: int, scale: float) -> None:
    v = planted(1.0, seed=seed)
    turn = stats.ortho_group.rvs(10, random_state=seed)
    turned = aslant.WordVectors.from_arrays(v.words, scale * v.matrix @ turn)
    a, b = run(v, v, seeds=1), run(turned, turned, seeds=1)
    assert len(set(a.words[0]) ^ set(b.words[0])) <= 2
    assert a.neighbours.correlation == pytest.approx(b.neighbours.correlation, abs=0.01)


def test_swapping_the_poles_swaps_the_sides_and_keeps_the_correlation() -> None:
    v = planted(2.0)
    a, b = run(v, v), run(v, v, poles=("she", "he"))
    assert a.words == b.words[::-1]
    assert a.neighbours.correlation == pytest.approx(b.neighbours.correlation, abs=1e-9)


def test_candidates_are_counted_by_the_reason_they_were_left_out() -> None:
    v = planted(1.0)
    odd = ["Upper", "two words", "num8er", "x" * 20, "mother"]
    more = aslant.WordVectors.from_arrays([*v.words, *odd], np.vstack([v.matrix, np.ones((5, 10))]))
    fewer = aslant.WordVectors.from_arrays(v.words[7:], v.matrix[7:])
    r = run(more, fewer)
    assert r.pool.left_out == {
        "not lower-case letters or too long": 4, "specific": 3, "not in the embedding measured": 7
    }  # fmt: skip
    assert r.pool.candidates == 993
    assert [is_plain(word) for word in ("a_b", "_", "élan", "x" * 19)] == [True, False, True, True]


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10_000), st.integers(1, 12), st.integers(20, 300))
def test_nearest_is_a_sort_of_all_cosines(seed: int, k: int, size: int) -> None:
    random = np.random.default_rng(seed)
    pool = unit_rows(random.normal(size=(size, 6))).astype(np.float32)
    own = np.array([0, 5, -1, 7])
    queries = np.vstack([pool[[0, 5]], unit_rows(random.normal(size=(1, 6))), pool[[7]]]).astype(np.float32)
    found = nearest(queries, pool, k, own)
    for query, mine, places in zip(queries, own, found, strict=True):
        cosines = pool @ query
        order = [i for i in np.argsort(-cosines, kind="stable") if i != mine]
        assert sorted(cosines[places]) == pytest.approx(sorted(cosines[order[:k]]), abs=1e-6)
        assert len(set(places.tolist())) == k
        assert mine not in places


def test_nearest_agrees_with_scikit_learn_over_several_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = unit_rows(np.random.default_rng(0).normal(size=(5_000, 20))).astype(np.float32)
    monkeypatch.setattr(nearest_rows, "QUERIES", 7)
    monkeypatch.setattr(nearest_rows, "ROWS", 333)
    peer = NearestNeighbors(n_neighbors=31, algorithm="brute", metric="cosine").fit(pool)
    theirs = peer.kneighbors(pool[:50], return_distance=False)[:, 1:]
    assert (np.sort(theirs, axis=1) == nearest(pool[:50], pool, 30, np.arange(50))).all()


def test_nearest_finds_k_even_where_all_are_alike() -> None:
    pool = np.ones((9, 4), np.float32) / 2
    found = nearest(pool[:2], pool, 8, np.arange(2))
    assert [sorted({*range(9)} - {*row}) for row in found.tolist()] == [[0], [1]]
    with pytest.raises(MeasureError, match="9 neighbours cannot be found among 8"):
        nearest(pool, pool, 9, np.arange(9))


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10_000), st.integers(1, 40), st.integers(2, 6))
def test_of_equally_near_rows_the_first_count(seed: int, k: int, distinct: int) -> None:
    random = np.random.default_rng(seed)
    corners = np.array([[1, 0], [0, 1], [-1, 0], [0, -1], [0.5, 0.5], [0.5, -0.5]], np.float32)  # exact products
    pool, queries = corners[random.integers(0, distinct, 60)], corners[:4]
    found = nearest(queries, pool, k)
    for query, places in zip(queries, found, strict=True):
        assert places.tolist() == sorted(np.argsort(-(pool @ query), kind="stable")[:k].tolist())


def test_neighbours_are_the_definition_written_out() -> None:
    random = np.random.default_rng(0)
    pool, bias = unit_rows(random.normal(size=(60, 5))), random.normal(size=60)
    r = measure_neighbours(
        [f"p{i}" for i in range(20)], pool[:20], bias[:20], pool, bias, np.arange(20), 10, np.random.default_rng(1)
    )
    shares = []
    for i in range(20):
        others = sorted((j for j in range(60) if j != i), key=lambda j: -float(pool[i] @ pool[j]))[:10]
        shares.append(sum(bias[j] > 0 for j in others) / 10)
    assert [w.share for w in r.by_word] == pytest.approx(shares)
    expected = stats.pearsonr(shares, bias[:20])
    assert (r.correlation, r.pvalue) == pytest.approx((expected.statistic, expected.pvalue))
    assert r.spearman == pytest.approx(stats.spearmanr(shares, bias[:20]).statistic)
    assert r.chance.n == 999


@pytest.mark.parametrize(("among", "queries"), [(80, 30), (40, 40)])
def test_shuffles_give_uniform_p_values_where_there_is_nothing(among: int, queries: int) -> None:
    random = np.random.default_rng(3)
    found = []
    for _ in range(60):
        pool, bias = unit_rows(random.normal(size=(among, 4))), random.normal(size=among)
        own = np.arange(queries)
        r = measure_neighbours(["p"] * queries, pool[:queries], bias[:queries], pool, bias, own, 10, random)
        found.append(r.shuffled_pvalue)
    assert stats.kstest(found, "uniform").pvalue > 0.001


def test_equal_shares_have_no_correlation_rather_than_nan() -> None:
    pool = unit_rows(np.random.default_rng(0).normal(size=(30, 4)))
    r = measure_neighbours(
        ["a"] * 5, pool[:5], np.arange(5.0), pool, np.ones(30), np.arange(5), 5, np.random.default_rng(0)
    )
    assert (r.correlation, r.pvalue, r.spearman, r.shuffled_pvalue) == (None, None, None, None)


def test_clustering_and_classification_on_arrays() -> None:
    random = np.random.default_rng(0)
    vectors = np.vstack([random.normal(size=(50, 3)), random.normal(size=(50, 3)) + 6])
    labels = np.repeat([True, False], 50)
    assert clustering_accuracy(two_clusters(vectors, random), labels) == 1
    assert clustering_accuracy(np.array([0, 1, 0, 1]), np.array([True, True, False, False])) == 0.5
    assert classification_accuracy(vectors, labels, 20, random) == 1
    with pytest.raises(MeasureError, match="both sides"):
        classification_accuracy(vectors, np.ones(100, bool), 20, random)
    assert [side.tolist() for side in most_biased(np.array([3.0, 1.0, 2.0, 0.0]), 1)] == [[0], [3]]


def test_half_of_the_training_words_are_of_each_side_whatever_the_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    import sklearn.svm

    counts = []

    class Counting(sklearn.svm.SVC):
        def fit(self, X: object, y: np.ndarray) -> object:
            counts.append((int(y.sum()), len(y)))
            return super().fit(X, y)

    monkeypatch.setattr(sklearn.svm, "SVC", Counting)
    rows = np.random.default_rng(0).normal(size=(60, 3))
    for seed in range(20):
        classification_accuracy(rows, np.repeat([True, False], 30), 12, np.random.default_rng(seed))
    assert set(counts) == {(6, 12)}


def test_a_wide_kernel_on_unit_vectors_does_not_fall_to_chance() -> None:
    """gamma="auto" (1 / dimensions) keeps every coefficient at C, so that the larger half of a draw would win."""
    random = np.random.default_rng(1)
    rows = random.normal(size=(600, 300))
    rows[:300, 0] += 4
    labels = np.repeat([True, False], 300)
    found = [
        classification_accuracy(unit_rows(rows), labels, 120, np.random.default_rng(seed), "auto") for seed in range(5)
    ]
    assert min(found) > 0.8


def test_the_p_of_the_table_is_by_shuffling_and_the_parametric_one_has_its_own_name() -> None:
    v = planted(3.0)
    r = run(v, v)
    rows = {row["test"]: row for row in r.rows()}
    assert {tuple(row) for row in rows.values()} == {tuple(rows["clustering accuracy"])}
    near = rows["neighbours, Pearson"]
    assert (near["pvalue"], near["parametric_pvalue"]) == (r.neighbours.shuffled_pvalue, r.neighbours.pvalue)
    assert near["pvalue"] == 1 / 1000 > near["parametric_pvalue"]
    assert rows["neighbours, Spearman"]["pvalue"] is None


def test_the_picture_has_one_point_for_each_word_and_pca_keeps_the_clusters_apart() -> None:
    v = planted(3.0)
    r = run(v, v, picture="pca")
    assert r.picture is not None
    assert r.picture.method == "pca"
    assert [p.word for p in r.picture.points] == [*r.words[0], *r.words[1]]
    sides = {p.side: p.cluster for p in r.picture.points}
    assert set(sides) == {"he", "she"}
    x = {side: np.mean([p.x for p in r.picture.points if p.side == side]) for side in sides}
    assert abs(x["he"] - x["she"]) > 0.5
    with pytest.raises(MeasureError, match="picture='x'"):
        run(v, v, picture="x")
    assert picture_of(np.eye(3), ["a"] * 3, ["s"] * 3, np.zeros(3, np.intp), "none", 0) is None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"seeds": 0}, "seeds is 0"),
        ({"top": 3}, "top is 3"),
        ({"k": 0}, "k is 0"),
        ({"poles": ("he", "nowhere")}, "'nowhere' is not in 'planted'"),
        ({"poles": "he"}, "poles='he' are not two words"),
        ({"poles": ("he", "he")}, "are one word in 'planted'; give two"),
        ({"poles": ("he", "she", "they")}, "are not two words"),
        ({"gamma": "wide"}, "gamma='wide' is neither"),
        ({"gamma": 0.0}, r"gamma=0\.0 is neither"),
        ({"professions": ["nowhere"]}, "too few for a correlation"),
    ],
)
def test_bad_input_is_one_clear_error(options: dict[str, object], words: str) -> None:
    v = planted(1.0)
    with pytest.raises(MeasureError, match=words):
        run(v, v, **options)


def test_embeddings_that_share_nothing_are_an_error() -> None:
    v = planted(1.0)
    with pytest.raises(MeasureError, match="at least 250 are needed"):
        run(v, aslant.WordVectors.from_arrays(["a", "b"], [[1, 2], [2, 1]]))


def literal_hard_debias(v: aslant.WordVectors) -> aslant.WordVectors:
    """Bolukbasi et al. §6, word by word: neutralise what is not specific, then equalise."""
    g = np.array(aslant.gender_subspace(v, random_pairs=0).direction)
    specific = set(load_set("gender-specific-words").words)
    rows = {word: row / np.linalg.norm(row) for word, row in zip(v.words, v.matrix.astype(float), strict=True)}
    for word, row in rows.items():
        if word not in specific:
            rest = row - (row @ g) * g
            rows[word] = rest / np.linalg.norm(rest)
    for pair in load_set("equalise-pairs", PairSet).pairs:
        for a, b in (
            pair,
            tuple(w.lower() for w in pair),
            tuple(w.title() for w in pair),
            tuple(w.upper() for w in pair),
        ):
            if a in rows and b in rows:
                middle = (rows[a] + rows[b]) / 2
                middle = middle - (middle @ g) * g
                gap = np.sqrt(1 - middle @ middle) * np.sign((rows[a] - rows[b]) @ g)
                rows[a], rows[b] = middle + gap * g, middle - gap * g
    return aslant.WordVectors.from_arrays(rows, np.array(list(rows.values())), name="debiased")


def test_googlenews_gives_the_published_figures_before_and_after_hard_debiasing() -> None:
    """Gonen & Goldberg 2019: clustering 99.9 % and 92.5 %; the classifier 98.25 % and 88.88 %, with gamma="auto"."""
    v = googlenews()
    before = aslant.residual_bias(v, v, seeds=1, picture="none", gamma="auto")
    after = aslant.residual_bias(v, literal_hard_debias(v), seeds=1, picture="none", gamma="auto")
    assert round(before.clustering.accuracy, 3) == 0.999
    assert after.clustering.accuracy == pytest.approx(0.925, abs=0.02)
    assert after.clustering.silhouette.mean < before.clustering.silhouette.mean
    assert before.classification.accuracy == pytest.approx(0.9825, abs=0.01)
    assert after.classification.accuracy == pytest.approx(0.8888, abs=0.015)
    for r in (before, after):
        assert r.classification.chance.maximum < 0.55
        assert r.clustering.chance.maximum < 0.55
        for near in (r.neighbours, r.neighbours_within):
            assert near is not None
            assert near.correlation is not None
            assert near.correlation > 0.35
            assert near.shuffled_pvalue == 1 / 1000
    assert (before.clustering.words_per_side, before.classification.words_per_side) == (500, 2500)


@pytest.mark.parametrize("gamma", [0.02, 1, np.float32(0.5)])
def test_a_number_for_gamma_is_used_and_recorded(gamma: float) -> None:
    v = planted(3.0, words=400)
    r = run(v, v, gamma=gamma, seeds=1)
    assert r.provenance.settings["gamma"] == gamma
    assert r.classification.accuracy > 0.5


def test_a_kernel_so_narrow_that_nothing_is_alike_learns_nothing() -> None:
    v = planted(3.0, words=400)
    assert (
        run(v, v, gamma=1e6, seeds=1).classification.accuracy
        < 0.7
        < run(v, v, gamma=0.02, seeds=1).classification.accuracy
    )


def test_a_fifth_of_the_words_trains_the_classifier_and_an_even_number() -> None:
    assert [training_size(words) for words in (5_000, 1_000, 56)] == [1000, 200, 10]
