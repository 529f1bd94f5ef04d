"""What is saved opens again, here and in gensim, with identical values; nothing is ever half-written."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import aslant
from aslant.errors import VectorsError
from aslant.vectors.debiasing_record import Treatment, WordsTaken
from aslant.vectors.formats import RECORDED, WRITERS
from aslant.vectors.formats.aslant_file import dump
from aslant.vectors.formats.number_tables import write_table
from aslant.vectors.formats.text import BLOCK_WORDS, encoded_blocks
from embedding_files import MATRIX, WORDS

SPACED = (".safetensors", ".npz")
every_suffix = pytest.mark.parametrize("suffix", list(WRITERS))


@pytest.fixture
def vectors() -> aslant.WordVectors:
    return aslant.WordVectors.from_arrays(WORDS, MATRIX)


@every_suffix
def test_what_is_saved_opens_again_with_identical_values(
    vectors: aslant.WordVectors, suffix: str, tmp_path: Path
) -> None:
    vectors.save(tmp_path / f"v{suffix}")
    again = aslant.load(tmp_path / f"v{suffix}")
    assert list(again.words) == WORDS
    assert (again.matrix == vectors.matrix).all()
    assert [path.name for path in tmp_path.iterdir()] == [f"v{suffix}"]


@pytest.mark.parametrize("suffix", [".bin", ".txt", ".vec"])
def test_gensim_opens_it_with_identical_values(vectors: aslant.WordVectors, suffix: str, tmp_path: Path) -> None:
    from gensim.models import KeyedVectors

    path = tmp_path / f"v{suffix}"
    vectors.save(path)
    model = KeyedVectors.load_word2vec_format(str(path), binary=suffix == ".bin")
    assert model.index_to_key == WORDS
    assert (model.vectors == vectors.matrix).all()


@every_suffix
def test_several_blocks_and_a_mapped_matrix_are_written_whole(suffix: str, tmp_path: Path) -> None:
    words = [f"w{i}" for i in range(2 * BLOCK_WORDS + 7)]
    matrix = np.random.default_rng(0).normal(size=(len(words), 3)).astype(np.float32)
    aslant.WordVectors.from_arrays(words, matrix).save(tmp_path / "a.safetensors")
    mapped = aslant.load(tmp_path / "a.safetensors")
    mapped.save(tmp_path / f"b{suffix}")
    again = aslant.load(tmp_path / f"b{suffix}")
    assert (again.matrix == matrix).all()
    assert list(again.words) == words


@pytest.mark.parametrize("suffix", [suffix for suffix in WRITERS if suffix not in SPACED])
@pytest.mark.parametrize("word", ["new york", "a\nb", "a\tb", "a\rb", "\ud800"])
def test_a_word_that_the_format_cannot_hold_leaves_the_old_file(suffix: str, word: str, tmp_path: Path) -> None:
    path = tmp_path / f"v{suffix}"
    path.write_bytes(b"old")
    rows = np.ones((BLOCK_WORDS + 2, 2), np.float32)
    words = [*(f"w{i}" for i in range(BLOCK_WORDS)), "fine", word]  # the fault comes after a block was written
    with pytest.raises(VectorsError, match=r"the word .*(cannot hold; save as|not valid Unicode)"):
        aslant.WordVectors(words, rows).save(path)
    assert path.read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("suffix", SPACED)
def test_words_with_spaces_are_kept_by_our_own_formats(suffix: str, tmp_path: Path) -> None:
    aslant.WordVectors.from_arrays(["new york", "b"], [[1.0], [2.0]]).save(tmp_path / f"v{suffix}")
    assert list(aslant.load(tmp_path / f"v{suffix}").words) == ["new york", "b"]


@pytest.mark.parametrize("name", ["v", "v.kv", "v.glove", "v.bin.gz"])
def test_an_unknown_suffix_says_which_are_known(vectors: aslant.WordVectors, name: str, tmp_path: Path) -> None:
    with pytest.raises(
        VectorsError, match=r"use a name that ends in \.safetensors or \.npz or \.bin or \.txt or \.vec"
    ):
        vectors.save(tmp_path / name)


def test_a_place_that_cannot_be_written_is_one_sentence(vectors: aslant.WordVectors, tmp_path: Path) -> None:
    with pytest.raises(VectorsError, match="cannot write"):
        vectors.save(tmp_path / "nowhere" / "v.bin")


@settings(deadline=None)
@given(hnp.arrays(np.float32, (3, 4), elements=st.floats(allow_nan=False, allow_infinity=False, width=32)))
def test_text_brings_every_float32_back_exactly(rows: np.ndarray) -> None:
    lines = write_table([b"a", b"b", b"c"], rows).decode().splitlines()
    again = np.array([[np.float32(field) for field in line.split(" ")[1:]] for line in lines])
    assert (again == rows).all()
    assert [line.split(" ")[0] for line in lines] == ["a", "b", "c"]


@pytest.mark.parametrize("suffix", RECORDED)
def test_what_was_done_is_kept_with_every_missing_word(
    vectors: aslant.WordVectors, suffix: str, tmp_path: Path
) -> None:
    taken = WordsTaken("pairs", "own", 3, tuple(f"word-{i}" for i in range(500)))
    w = vectors.treated(vectors.matrix * 2, Treatment("doubled", {"by": 2, "tried": (1.5, 2.0)}, (taken,), 7))
    w.save(tmp_path / f"v{suffix}")
    again = aslant.load(tmp_path / f"v{suffix}")
    assert again.treatments == w.treatments
    assert again.note == w.note
    (record,) = aslant.polarity(again, WORDS[:1] + WORDS[1:2], WORDS[2:], bootstrap=0).to_dict()["provenance"][
        "representation"
    ]["treatments"]
    assert record["words"][0]["missing"][-1] == "word-499"
    twice = again.treated(again.matrix, Treatment("again", {}, (), None))
    twice.save(tmp_path / f"twice{suffix}")
    assert [t.method for t in aslant.load(tmp_path / f"twice{suffix}").treatments] == ["doubled", "again"]


def test_a_very_long_record_is_kept_whole(vectors: aslant.WordVectors, tmp_path: Path) -> None:
    taken = WordsTaken("pairs", "own", 3, tuple(f"word-{i}" for i in range(120_000)))
    w = vectors.treated(vectors.matrix, Treatment("doubled", {}, (taken,), 7))
    w.save(tmp_path / "v.safetensors")
    assert aslant.load(tmp_path / "v.safetensors").treatments == w.treatments
    w.save(tmp_path / "v.npz")
    assert aslant.load(tmp_path / "v.npz").treatments == w.treatments


@pytest.mark.parametrize(
    "treatments",
    [5, ["x"], [{}], [{"method": "m", "settings": 3, "words": [], "seed": 1}], [{"method": "m"}], {"a": 1}],
)
def test_a_record_that_is_none_is_one_clear_error(
    vectors: aslant.WordVectors, treatments: object, tmp_path: Path
) -> None:
    record = json.dumps({"treatments": treatments})
    arrays = {"words": "\n".join(WORDS).encode(), "record": record.encode()}
    np.savez(
        tmp_path / "v.npz",
        matrix=vectors.matrix,
        **{name: np.frombuffer(b, np.uint8) for name, b in arrays.items()},  # type: ignore[arg-type]
    )
    with pytest.raises(VectorsError, match=r"the 'record' of 'v\.npz' is not what aslant writes"):
        aslant.load(tmp_path / "v.npz")
    with (tmp_path / "v.safetensors").open("wb") as file:
        dump(file, WORDS, vectors.matrix, json.loads(record))
    with pytest.raises(VectorsError, match=r"the 'record' of 'v\.safetensors' is not what aslant writes"):
        aslant.load(tmp_path / "v.safetensors")


def test_a_long_record_is_kept_whole_and_the_matrix_stays_aligned(vectors: aslant.WordVectors, tmp_path: Path) -> None:
    missing = tuple(f"word-{i}" for i in range(10))
    w = vectors
    for number in range(60):
        taken = WordsTaken(f"role {number}", "own", 3, missing)
        w = w.treated(w.matrix, Treatment(f"method {number}", {"a": 1}, (taken,), number))
    assert len(w.note) > 8192
    path = tmp_path / "v.safetensors"
    w.save(path)
    again = aslant.load(path)
    assert again.note == w.note
    assert (again.matrix == w.matrix).all()
    assert again.matrix.ctypes.data % 4096 == 0


def test_the_official_package_opens_a_file_with_a_long_record(vectors: aslant.WordVectors, tmp_path: Path) -> None:
    from safetensors.numpy import load_file

    taken = WordsTaken("x", "own", 3, tuple(f"w{i}" for i in range(9)))
    w = vectors.treated(vectors.matrix, Treatment("m" * 5000, {}, (taken,), None))
    w.save(tmp_path / "v.safetensors")
    assert (load_file(tmp_path / "v.safetensors")["matrix"] == vectors.matrix).all()


def test_a_treatment_of_another_shape_is_refused(vectors: aslant.WordVectors) -> None:
    with pytest.raises(VectorsError, match="cannot stand for"):
        vectors.treated(vectors.matrix[:2], Treatment("cut", {}, (), None))


def test_a_word_that_text_cannot_hold_is_named() -> None:
    vectors = aslant.WordVectors.from_arrays(["new york"], [[1.0]])
    with pytest.raises(VectorsError, match=r"^the word 'new york' has white space inside, which text cannot hold; "):
        next(encoded_blocks(vectors, "text"))
