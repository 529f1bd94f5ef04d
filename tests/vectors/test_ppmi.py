"""HistWords' PPMI decades: sparse matrices opened as vectors with the same cosines."""

from __future__ import annotations

import json
import pickle
import struct
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner

import aslant
from aslant.cli.app import app
from aslant.errors import VectorsError
from aslant.vectors.formats import histwords
from aslant.vectors.rows import UNDECODABLE, decode_words

Matrix = NDArray[np.float64]
SIZE = 60
WORDS = ["she", "he", "nurse", "engineer", "clerk", "judge", "café", *(f"w{i}" for i in range(SIZE - 7))]


def ppmi(seed: int) -> Matrix:
    """A sparse matrix with the lengths of rows far apart, two rows alike but for length, and one of zeros."""
    rng = np.random.default_rng(seed)
    matrix = np.where(rng.random((SIZE, SIZE)) < 0.3, rng.exponential(size=(SIZE, SIZE)), 0)
    matrix *= 10.0 ** rng.integers(-3, 2, size=(SIZE, 1))
    matrix[11] = 3 * matrix[10]
    matrix[12] = 0
    return matrix


def python2_index(words: list[str]) -> bytes:
    """What Python 2's `pickle.dump(index, file)` writes for byte strings (protocol 0), in an order of its own."""
    items = [(f"{word.encode()!r}"[1:], i) for i, word in enumerate(words)][::-1]
    return b"(dp1\n" + b"".join(f"S{word}\np{i + 2}\nI{i}\ns".encode() for word, i in items) + b"."


def write(folder: Path, matrix: Matrix, year: int = 1990, index: str = "index.pkl") -> Path:
    # representations/sparse_io.pyx, export_mat_eff: int, int, double for each cell, here in any order
    cells = np.random.default_rng(0).permutation(np.argwhere(matrix))
    path = folder / f"{year}.bin"
    path.write_bytes(b"".join(struct.pack("<iid", row, column, matrix[row, column]) for row, column in cells))
    (folder / index).write_bytes(python2_index(WORDS))
    return path


def unit(matrix: NDArray[np.floating]) -> Matrix:
    dense = matrix.astype(np.float64)
    return np.asarray(dense / np.linalg.norm(dense, axis=1, keepdims=True))


@pytest.mark.parametrize("index", ["1990-index.pkl", "index.pkl"])
def test_a_ppmi_decade_has_the_inner_products_of_its_sparse_rows(
    index: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(histwords, "CELLS_AT_ONCE", 100)  # several blocks
    matrix = ppmi(0)
    path = write(tmp_path, matrix, index=index)
    kept = [row for row in range(SIZE) if row != 12]
    for source in (path, tmp_path / "1990", tmp_path):
        loaded = aslant.load(source)
        assert loaded.words == [WORDS[row] for row in kept]
        assert (loaded.name, loaded.format) == ("1990", "HistWords PPMI decade")
        assert loaded.repairs == {"zero vectors left out": 1}
        assert loaded.dimensions == SIZE - 2  # one row is 0, one a multiple of another
        expected = unit(matrix[kept])
        cosines = unit(loaded.matrix)
        np.testing.assert_allclose(cosines @ cosines.T, expected @ expected.T, atol=1e-5)
        np.testing.assert_allclose(np.linalg.norm(loaded.matrix, axis=1), np.linalg.norm(matrix[kept], axis=1), 1e-5)


def test_sgns_and_svd_vectors_go_before_a_ppmi_matrix(tmp_path: Path) -> None:
    write(tmp_path, ppmi(0))
    np.save(tmp_path / "1990-w.npy", np.eye(2))
    (tmp_path / "1990-vocab.pkl").write_bytes(pickle.dumps(["a", "b"], protocol=2))
    for source in (tmp_path, tmp_path / "1990"):
        assert aslant.load(source).words == ["a", "b"]


def test_a_bin_without_an_index_is_not_ppmi(tmp_path: Path) -> None:
    path = write(tmp_path, ppmi(0))
    (tmp_path / "index.pkl").unlink()
    assert histwords.decade_of(path) is None
    assert histwords.decades_in(tmp_path) == {}


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_an_index_of_any_protocol_is_read(protocol: int, tmp_path: Path) -> None:
    words = [f"é{i}" for i in range(70_000)]  # numbers of one, two and four bytes
    path = tmp_path / "index.pkl"
    path.write_bytes(pickle.dumps({word: i for i, word in reversed(list(enumerate(words)))}, protocol=protocol))
    assert histwords.read_index(path) == (words, {})


def test_only_so_many_words_of_a_ppmi_decade_are_opened_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(histwords, "MAX_PPMI_WORDS", 20)
    matrix = ppmi(0)
    write(tmp_path, matrix)
    with pytest.raises(VectorsError, match=r"'1990.bin' is a PPMI matrix of 59 words, of which 20.*--top.*words"):
        aslant.load(tmp_path)
    first = aslant.load(tmp_path, top=15)
    assert first.words == [WORDS[row] for row in range(16) if row != 12]
    assert first.repairs == {"zero vectors left out": 1}
    assert aslant.load(tmp_path, top=12).repairs == {}
    few = aslant.load(tmp_path, words=["Judge", WORDS[-1], "nowhere", "she", WORDS[12]])
    assert few.words == ["she", "judge", WORDS[-1]]
    expected = unit(matrix[[0, 5, SIZE - 1]])
    cosines = unit(few.matrix)
    np.testing.assert_allclose(cosines @ cosines.T, expected @ expected.T, atol=1e-5)
    assert aslant.load(tmp_path, words=["judge", WORDS[-1]], top=12).words == ["judge"]
    with pytest.raises(VectorsError, match="no contexts for any"):
        aslant.load(tmp_path, words=["nowhere"])


@pytest.mark.parametrize("cell", [(0, SIZE, 1.0), (SIZE, 0, 1.0), (-1, 0, 1.0), (0, -5, 1.0)])
def test_a_cell_outside_the_index_is_an_error(cell: tuple[int, int, float], tmp_path: Path) -> None:
    path = write(tmp_path, ppmi(0))
    path.write_bytes(path.read_bytes() + struct.pack("<iid", *cell))
    outside = next(f"{way} {n}" for way, n in zip(("row", "column"), cell, strict=False) if not 0 <= n < SIZE)
    with pytest.raises(VectorsError, match=rf"'1990.bin' has a cell in {outside}; its index has 60 words\.$"):
        aslant.load(tmp_path)


def test_what_is_not_a_ppmi_matrix_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path, ppmi(0))
    whole = path.read_bytes()
    for content, problem in (
        (whole[:-3], "'1990.bin' is cut off"),
        (b"", "no contexts for any"),
        (whole + struct.pack("<iid", 0, 0, 53_112), "holds the value 53112, which is not a PPMI"),
        (whole + struct.pack("<iid", 0, 0, np.nan), "holds the value nan"),
    ):
        path.write_bytes(content)
        with pytest.raises(VectorsError, match=problem):
            aslant.load(tmp_path)


class Runs:
    """A pickle that makes a file when it is opened."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return Path.touch, (self.mark,)


def test_an_index_is_a_dict_of_strings_to_numbers_or_refused(tmp_path: Path) -> None:
    write(tmp_path, ppmi(0))
    mark = tmp_path / "it-was-run"
    for content in (
        pickle.dumps({"she": Runs(mark)}, protocol=2),
        pickle.dumps({Runs(mark): 0}, protocol=2),
        pickle.dumps(WORDS, protocol=2),
        pickle.dumps({"she": 0, "he": 2}, protocol=2),
        pickle.dumps({"she": 0, "he": 0}, protocol=2),
        pickle.dumps({"she": "he"}, protocol=2),
        pickle.dumps({0: 1, 1: 0}, protocol=2),
        pickle.dumps({"she": {"he": 0}}, protocol=2),
        python2_index(WORDS)[:-9],
        b"",
    ):
        (tmp_path / "index.pkl").write_bytes(content)
        with pytest.raises(
            VectorsError, match=r"^'index.pkl' is not a plain pickled dict of words to numbers \(.*\)\.$"
        ):
            aslant.load(tmp_path)
    assert not mark.exists()


@pytest.mark.parametrize("more", [[], ["--classes", "w1,w2,w3:one-vs-rest"]])
def test_trend_and_polarity_on_ppmi_decades_are_those_of_the_dense_rows(
    more: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(histwords, "MAX_PPMI_WORDS", 10)  # enough for what is measured, not for the vocabulary
    sparse, dense = tmp_path / "ppmi", tmp_path / "dense"
    sparse.mkdir()
    dense.mkdir()
    for year in range(1950, 2000, 10):
        matrix = ppmi(year)
        write(sparse, matrix, year)
        np.save(dense / f"{year}-w.npy", matrix)
        (dense / f"{year}-vocab.pkl").write_bytes(pickle.dumps(WORDS, protocol=2))
    given = ["--classes", "she,he", *more, "--words", "Nurse,engineer,clerk,judge,nowhere", "--json", "-", "-q"]
    for command, where in (("trend", ""), ("polarity", "/1990")):
        if command == "polarity" and more:
            continue
        ours, theirs = (
            json.loads(CliRunner().invoke(app, [command, f"{folder}{where}", *given]).stdout)
            for folder in (sparse, dense)
        )
        assert close(ours, theirs), (ours, theirs)


def close(ours: object, theirs: object) -> bool:
    """Compare results but for what says where the vectors are from."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        left_out = {"provenance", "representations"}
        return ours.keys() == theirs.keys() and all(close(ours[k], theirs[k]) for k in ours.keys() - left_out)
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(close, ours, theirs))
    if isinstance(ours, float) and isinstance(theirs, float):
        return abs(ours - theirs) < 1e-5
    return ours == theirs


def test_load_keeps_the_words_asked_for_of_any_format(tmp_path: Path) -> None:
    path = tmp_path / "v.txt"
    path.write_text("she 1 0\nnew_york 0 1\nHe 1 1\n")
    for source in (path, path, aslant.load(path)):  # read anew, from the cache, in memory
        few = aslant.load(source, words=["New York", "she"])
        assert few.words == ["she", "new_york"]
        assert few.matrix.tolist() == [[1, 0], [0, 1]]
        assert len(aslant.load(path)) == 3
    exact = aslant.LookupPolicy(case="exact", phrases="mean")
    assert aslant.load(path, words=["He or she"], policy=exact).words == ["she", "He"]
    for wrong in ("she", ["she", 1]):
        with pytest.raises(VectorsError, match="give a list of strings"):
            aslant.load(path, words=wrong)  # type: ignore[arg-type]
    with pytest.raises(VectorsError, match=r"'v.txt' has none of the requested words"):
        aslant.load(path, words=["nowhere"])


def test_vocabularies_are_plain_pickles(tmp_path: Path) -> None:
    (tmp_path / "1990-vocab.pkl").write_bytes(pickle.dumps(["the", "of"], protocol=2))
    assert histwords.read_vocabulary(tmp_path / "1990-vocab.pkl") == (["the", "of"], {})
    (tmp_path / "1990-index.pkl").write_bytes(pickle.dumps({"of": 1, "the": 0}, protocol=2))
    assert histwords.read_index(tmp_path / "1990-index.pkl") == (["the", "of"], {})


def test_words_that_are_not_utf_8_are_mended_and_counted() -> None:
    assert decode_words([b"the", b"caf\xe9"]) == (["the", "caf\ufffd"], {UNDECODABLE: 1})
