"""Any words and numbers survive every writer and reader; any damage gives vectors or one of our errors."""

from __future__ import annotations

import io
import pickle
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import aslant
from aslant.errors import AslantError
from aslant.vectors import WordVectors
from aslant.vectors.formats import aslant_file, text, word2vec_binary
from embedding_files import FORMATS, MATRIX, PACKINGS, WORDS, Matrix, fasttext_binary
from embedding_files import text as as_text
from embedding_files import word2vec_binary as as_binary

FEW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

ANY_WORD = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), min_size=1, max_size=8)
#: In a line of text, ASCII white space separates; NUL ends a word in fastText's dictionary.
LINE_WORD = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters=" \t\n\r\x0b\x0c\0"), min_size=1, max_size=8
)
NUMBERS = st.floats(width=32, allow_nan=False, allow_infinity=False)


@st.composite
def embeddings(draw: st.DrawFn, words: st.SearchStrategy[str] = LINE_WORD) -> tuple[list[str], Matrix]:
    listed = draw(st.lists(words, min_size=1, max_size=12, unique=True))
    shape = (len(listed), draw(st.integers(2, 6)))
    matrix = draw(hnp.arrays(np.float32, shape, elements=NUMBERS, fill=st.just(np.float32(0.5))))
    assume(matrix.any(axis=1).all())
    return listed, matrix


def load(content: bytes, folder: Path, **options: Any) -> WordVectors:
    path = folder / "vectors"
    path.write_bytes(content)
    return aslant.load(path, cache=False, **options)


def same(loaded: WordVectors, words: list[str], matrix: Matrix) -> None:
    assert loaded.words == words
    np.testing.assert_array_equal(loaded.matrix, matrix)
    assert not loaded.repairs


@pytest.mark.parametrize("name", FORMATS)
@FEW
@given(embeddings())
def test_any_embedding_survives_every_streamed_format(
    name: str, tmp_path: Path, embedding: tuple[list[str], Matrix]
) -> None:
    words, matrix = embedding
    assume(not words[0].startswith("\ufeff"))  # it would be taken for the file's byte order mark
    same(load(FORMATS[name](words, matrix), tmp_path), words, matrix)


@pytest.mark.parametrize("name", ["glove", "fasttext-vec", "word2vec-binary", "word2vec-binary-newlines"])
@FEW
@given(embeddings(), st.integers(1, 40))
def test_any_embedding_survives_any_block_size(
    name: str, tmp_path: Path, embedding: tuple[list[str], Matrix], size: int
) -> None:
    words, matrix = embedding
    assume(not words[0].startswith("\ufeff"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text, "BLOCK_BYTES", size)
        patch.setattr(word2vec_binary, "BLOCK_BYTES", size)
        same(load(FORMATS[name](words, matrix), tmp_path), words, matrix)


@pytest.mark.parametrize("suffix", [".safetensors", ".npz"])
@FEW
@given(embeddings(ANY_WORD))
def test_any_embedding_survives_saving(suffix: str, tmp_path: Path, embedding: tuple[list[str], Matrix]) -> None:
    words, matrix = embedding
    path = tmp_path / f"saved{suffix}"
    WordVectors.from_arrays(words, matrix).save(path)
    same(aslant.load(path), words, matrix)


@FEW
@given(embeddings(ANY_WORD))
def test_any_embedding_survives_histwords_and_npy(tmp_path: Path, embedding: tuple[list[str], Matrix]) -> None:
    words, matrix = embedding
    np.save(tmp_path / "1990-w.npy", matrix)
    (tmp_path / "1990-vocab.pkl").write_bytes(pickle.dumps(words, protocol=2))
    same(aslant.load(tmp_path / "1990"), words, matrix)
    assume(not any(word.endswith("\r") for word in words) and not words[0].startswith("\ufeff"))
    np.save(tmp_path / "vectors.npy", matrix)
    (tmp_path / "vectors.words").write_bytes("\n".join(words).encode() + b"\n")
    same(aslant.load(tmp_path / "vectors.npy"), words, matrix)


@FEW
@given(embeddings(ANY_WORD))
def test_the_cache_changes_nothing(tmp_path: Path, embedding: tuple[list[str], Matrix]) -> None:
    words, matrix = embedding
    assume(not any(" " in word for word in words))
    path = tmp_path / "vectors"
    path.write_bytes(as_binary(words, matrix))
    same(aslant.load(path), words, matrix)
    same(aslant.load(path), words, matrix)


# Damage


def _saved(suffix: str) -> bytes:
    file = io.BytesIO()
    vectors = WordVectors.from_arrays(WORDS, MATRIX)
    if suffix == "npz":
        aslant_file.save_npz(file, vectors)
    else:
        aslant_file.dump(file, vectors.words, vectors.matrix, vectors.record())
    return file.getvalue()


def _npy() -> bytes:
    file = io.BytesIO()
    np.save(file, MATRIX)
    return file.getvalue()


_NGRAMS = fasttext_binary(WORDS, MATRIX, buckets=np.ones((50, 5), np.float32), minn=2, maxn=4)

VALID: dict[str, tuple[str, bytes]] = {
    "glove": ("vectors", as_text(WORDS, MATRIX)),
    "word2vec-text": ("vectors", as_text(WORDS, MATRIX, header=True)),
    "fasttext-vec": ("vectors", as_text(WORDS, MATRIX, header=True, trailing=" ")),
    "word2vec-binary": ("vectors", as_binary(WORDS, MATRIX)),
    "word2vec-binary-newlines": ("vectors", as_binary(WORDS, MATRIX, newline=True)),
    "fasttext-binary": ("vectors", _NGRAMS),
    "safetensors": ("vectors", _saved("safetensors")),
    "npz": ("vectors", _saved("npz")),
    "npy": ("vectors.npy", _npy()),
    "histwords-matrix": ("1990-w.npy", _npy()),
    "histwords-vocabulary": ("1990-vocab.pkl", pickle.dumps(WORDS, protocol=2)),
    **{
        f"glove-{name}": ("vectors", pack(as_text(WORDS, MATRIX))) for name, pack in PACKINGS.items() if name != "plain"
    },
    "fasttext-binary-zst": ("vectors", PACKINGS["zst"](_NGRAMS)),
}


def flip(data: bytearray, chance: random.Random, at: int) -> None:
    data[at] ^= 1 << chance.randrange(8)


def overwrite(data: bytearray, chance: random.Random, at: int) -> None:
    data[at] = chance.choice([0, 1, 9, 10, 13, 32, 45, 46, 48, 57, 101, 127, 128, 255])


def delete(data: bytearray, chance: random.Random, at: int) -> None:
    del data[at : at + chance.choice([1, 1, 4, 100])]


def insert(data: bytearray, chance: random.Random, at: int) -> None:
    data[at:at] = chance.randbytes(chance.choice([1, 1, 4, 100]))


def repeat(data: bytearray, chance: random.Random, at: int) -> None:
    data[at:at] = data[at : at + chance.randrange(1, 50)] * chance.choice([1, 2, 20])


def cut(data: bytearray, chance: random.Random, at: int) -> None:
    del data[at:]


def large(data: bytearray, chance: random.Random, at: int) -> None:
    data[at : at + 4] = chance.choice([b"\xff\xff\xff\x7f", b"\xff\xff\xff\xff", b"9999", b"\x00\x00\x00\x80"])


DAMAGE: list[Callable[[bytearray, random.Random, int], None]] = [flip, overwrite, delete, insert, repeat, cut, large]


def damaged(content: bytes, chance: random.Random) -> bytes:
    data = bytearray(content)
    for _ in range(chance.choice([1, 1, 1, 2, 5])):
        if data:
            # Half of the damage goes to the first bytes, where headers are
            at = chance.randrange(min(len(data), 150) if chance.random() < 0.5 else len(data))
            chance.choice(DAMAGE)(data, chance, at)
    return bytes(data)


@pytest.fixture
def no_code_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    monkeypatch.setattr(os, "system", lambda *args: pytest.fail("code was run"))


@pytest.mark.usefixtures("no_code_runs")
@pytest.mark.parametrize("name", VALID)
def test_damage_gives_vectors_or_one_of_our_errors(name: str, tmp_path: Path, cache: Path) -> None:
    file, content = VALID[name]
    np.save(tmp_path / "1990-w.npy", MATRIX)
    (tmp_path / "1990-vocab.pkl").write_bytes(pickle.dumps(WORDS, protocol=2))
    (tmp_path / "vectors.words").write_bytes("\n".join(WORDS).encode())
    path = tmp_path / file
    source = tmp_path / "1990" if file.startswith("1990") else path
    path.write_bytes(content)
    assert aslant.load(source, cache=False).words == WORDS
    outcomes, messages = set(), []
    for seed in range(150):
        broken = damaged(content, random.Random(f"{name} {seed}"))
        path.write_bytes(broken)
        try:
            loaded = aslant.load(source, cache=seed % 5 == 0, top=None if seed % 3 else 10)
        except AslantError as error:
            outcomes.add("error")
            messages.append(str(error))
        except BaseException as error:
            error.add_note(f"seed {seed}")
            raise
        else:
            outcomes.add("vectors")
            assert len(loaded.words) == len(loaded.matrix) == len(set(loaded.words)) > 0, f"seed {seed}"
            assert np.isfinite(loaded.matrix).all(), f"seed {seed}"
            assert loaded.matrix.any(axis=1).all(), f"seed {seed}"
    assert "error" in outcomes
    assert [message for message in messages if "\n" in message or not message.endswith(".")] == []
    assert not [left for left in cache.rglob("*") if left.suffix == ".partial"]


@pytest.mark.parametrize("magic", [
    b"", b"\x1f\x8b\x08", b"BZh9", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd", b"PK\x03\x04", b"\x93NUMPY\x01\x00",
    b"\x80\x04", b"\xba\x16\x4f\x2f\x0c\x00\x00\x00", b"\x40\x00\x00\x00\x00\x00\x00\x00{", b"\xef\xbb\xbf",
    b"99 4\nthe ",
])  # fmt: skip
def test_random_bytes_behind_any_magic_number_give_one_of_our_errors(magic: bytes, tmp_path: Path) -> None:
    path = tmp_path / "vectors"
    for seed in range(40):
        path.write_bytes(magic + random.Random(seed).randbytes(seed * 20))
        with pytest.raises(AslantError):
            aslant.load(path, cache=False)


def test_word2vec_words_are_cut_out_as_a_slow_reader_would(tmp_path: Path) -> None:
    for seed in range(200):
        chance = random.Random(seed)
        names = [bytes(chance.choices(b"ab\n\xc3\xa9", k=chance.randrange(4))) for _ in range(chance.randrange(1, 8))]
        expected = []
        content = f"{len(names)} 2\n".encode()
        for row, name in enumerate(names):
            content += name + b" " + np.array([row + 1, chance.random()], "<f4").tobytes()
            content += b"\n" if chance.random() < 0.5 else b""
            word = name.strip(b"\n").decode("utf-8", "replace").replace("\n", " ")
            expected += [(word, row + 1)] if word and word not in dict(expected) else []
        if not expected:
            continue
        loaded = load(content, tmp_path)
        assert list(zip(loaded.words, loaded.matrix[:, 0].tolist(), strict=True)) == expected, f"seed {seed}"
