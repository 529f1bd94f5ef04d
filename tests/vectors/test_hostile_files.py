"""Every broken or hostile file gets one clear error, or a repair that is recorded; nothing is left behind."""

from __future__ import annotations

import gzip
import io
import json
import os
import pickle
import random
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from backports import zstd

import aslant
from aslant.errors import VectorsError
from aslant.vectors import WordVectors, rows
from aslant.vectors.formats import aslant_file, text, word2vec_binary
from aslant.vectors.rows import DUPLICATE, EMPTY, LINE_END, NON_FINITE, UNDECODABLE, ZERO
from embedding_files import MATRIX, PACKINGS, WORDS, fasttext_binary, zipped
from embedding_files import text as as_text
from embedding_files import word2vec_binary as as_binary

GLOVE = as_text(WORDS, MATRIX)
BINARY = as_binary(WORDS, MATRIX)
FASTTEXT = fasttext_binary(WORDS, MATRIX)


def saved(suffix: str) -> bytes:
    file = io.BytesIO()
    vectors = WordVectors.from_arrays(WORDS, MATRIX)
    if suffix == ".npz":
        aslant_file.save_npz(file, vectors)
    else:
        aslant_file.dump(file, vectors.words, vectors.matrix, {})
    return file.getvalue()


def npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def lying_npy(shape: str, data: bytes = b"", dtype: str = "<f4") -> bytes:
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}".encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


def npz(**members: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in members.items():
            archive.writestr(f"{name}.npy", data)
    return file.getvalue()


def safetensors(header: object, data: bytes = b"") -> bytes:
    encoded = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(encoded)) + encoded + data


def tensors(shape: object, matrix: object, words: object, size: int = 4 * 6 + 3, **more: object) -> bytes:
    header = {
        "matrix": {"dtype": "F32", "shape": shape, "data_offsets": matrix},
        "words": {"dtype": "U8", "shape": [3], "data_offsets": words},
    }
    return safetensors(header | more, b"a\nb".rjust(size, b"\x01"))


def two_members() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("glove.50d.txt", GLOVE)
        archive.writestr("glove.100d.txt", GLOVE)
    return file.getvalue()


def encrypted_zip() -> bytes:
    data = bytearray(zipped(GLOVE))
    data[6] |= 1  # the flag in the member's own header
    data[data.find(b"PK\x01\x02") + 8] |= 1  # and in the directory
    return bytes(data)


def cut(data: bytes, share: float = 0.5) -> bytes:
    return data[: int(len(data) * share)]


def flipped(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes(255 - byte for byte in data[middle : middle + 20]) + data[middle + 20 :]


LONG_GLOVE = as_text([f"w{i}" for i in range(3000)], np.random.default_rng(0).normal(size=(3000, 5)).astype(np.float32))

#: name: (content, what the message says). Each must give exactly one VectorsError.
REFUSED: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "is empty"),
    "only-white-space": (b" \r\n\n\t\n", "is empty"),
    "only-a-bom": (b"\xef\xbb\xbf", "is empty"),
    "only-a-header": (b"400000 100\n", "ends after its first line, '400000 100'"),
    "only-a-header-without-newline": (b"400000 100", "ends after its first line"),
    "no-dimensions": (b"3 0\na\nb\nc\n", "promises 0 dimensions"),
    "no-rows-promised": (b"0 2\na 1 2\n", "no usable"),
    "text-promises-more-rows": (b"5 2\na 1 2\nb 3 4\n", "promises 5 words .* ends after 2"),
    "text-promises-astronomical-rows": (b"100000000000000000 2\na 1 2\n", "promises 100,000,000,000,000,000"),
    "text-promises-astronomical-dimensions": (b"2 1000000000\na 1 2\nb 3 4\n", "promises 1,000,000,000 dim"),
    "binary-promises-more-rows": (b"99 5\n" + BINARY.partition(b"\n")[2], "promises 99 words .* ends after 28"),
    "binary-promises-astronomical-rows": (b"100000000000000000 5\n" + BINARY.partition(b"\n")[2], "ends after 28"),
    "binary-promises-astronomical-dimensions": (b"3 1000000000\n" + BINARY[5:], "promises 1,000,000,000 dim"),
    "binary-promises-many-dimensions": (b"3 100000\n" + BINARY.partition(b"\n")[2], "ends after 0"),
    "binary-cut": (cut(BINARY), r"promises 28 words .* ends after \d+; download"),
    "binary-cut-by-a-byte": (BINARY[:-1], "ends after 27"),
    "binary-without-words": (b"5 3\n" + b"\xff" * 50_000, "damaged: no word"),
    "fasttext-cut-in-header": (FASTTEXT[:30], "cut off"),
    "fasttext-cut-in-dictionary": (FASTTEXT[:150], "cut off"),
    "fasttext-cut-in-matrix": (cut(FASTTEXT), "cut off|damaged"),
    "fasttext-magic-only": (FASTTEXT[:4], "cut off"),
    "fasttext-other-version": (fasttext_binary(WORDS, MATRIX, version=99), "version 99"),
    "fasttext-quantised": (fasttext_binary(WORDS, MATRIX, quantised=True), "quantised"),
    "fasttext-pruned": (fasttext_binary(WORDS, MATRIX, pruned=5), "pruned"),
    "fasttext-absurd-n-grams": (
        fasttext_binary(WORDS, MATRIX, buckets=MATRIX, minn=1, maxn=2**31 - 1), "n-grams of up to"
    ),
    "fasttext-without-words": (fasttext_binary([], MATRIX[:0]), "no usable|damaged"),
    "gzip-cut": (cut(gzip.compress(LONG_GLOVE)), "ends in the middle of its gzip"),
    "bz2-cut": (cut(PACKINGS["bz2"](LONG_GLOVE)), "ends in the middle of its bzip2"),
    "xz-cut": (cut(PACKINGS["xz"](LONG_GLOVE)), "ends in the middle of its xz"),
    "zst-cut": (cut(PACKINGS["zst"](LONG_GLOVE)), "ends in the middle of its zstandard"),
    "zst-cut-by-a-byte": (PACKINGS["zst"](LONG_GLOVE)[:-1], "ends in the middle of its zstandard"),
    "zst-cut-between-blocks": (
        zstd.ZstdCompressor().compress(LONG_GLOVE * 20)
        or PACKINGS["zst"](LONG_GLOVE * 20)[:4000], "ends in the middle of its zstandard"
    ),
    "gzip-flipped": (flipped(gzip.compress(LONG_GLOVE)), "gzip"),
    "bz2-flipped": (flipped(PACKINGS["bz2"](LONG_GLOVE)), "bzip2"),
    "xz-flipped": (flipped(PACKINGS["xz"](LONG_GLOVE)), "xz"),
    "zst-flipped": (flipped(PACKINGS["zst"](LONG_GLOVE)), "zstandard|where a number|numbers where"),
    "zip-flipped": (flipped(zipped(LONG_GLOVE)), "zip"),
    "gzip-of-nothing": (gzip.compress(b""), "is empty"),
    "gzip-magic-only": (b"\x1f\x8b", "gzip"),
    "zst-magic-only": (b"\x28\xb5\x2f\xfd", "zstandard"),
    "xz-of-nothing": (PACKINGS["xz"](b""), "is empty"),
    "zst-of-nothing": (PACKINGS["zst"](b""), "is empty"),
    "zip-cut": (cut(zipped(LONG_GLOVE)), "damaged zip"),
    "zip-magic-only": (b"PK\x03\x04", "damaged zip"),
    "zip-encrypted": (encrypted_zip(), "encrypted|password"),
    "zip-with-several-members": (two_members(), "holds 2 files.*such as .*glove.50d.txt"),
    "zip-without-members": (zipped(b"", "folder/"), "without files"),
    "zip-of-unknown-method": (zipped(GLOVE).replace(b"\x00\x00\x08\x00", b"\x00\x00\x61\x00"), "unpacked"),
    "row-too-short": (as_text(WORDS, MATRIX) + b"last 1 2 3\n", "line 29 .* has 3 numbers where 5 were expected"),
    "row-too-long": (as_text(WORDS, MATRIX) + b"last 1 2 3 4 5 6\n", "line 29 .* has 6 numbers where 5 were expected"),
    "short-row-after-header": (as_text(WORDS, MATRIX, header=True).replace(b"28 5", b"29 5") + b"x 1\n", "line 30 "),
    "only-a-word": (GLOVE + b"word\n", "line 29 .* has 0 numbers"),
    "not-a-number": (GLOVE + b"last 1 2 x 4 5\n", "line 29 .* has 'x' where a number was expected"),
    "not-a-number-nor-utf8": (GLOVE + b"last 1 2 \xff 4 5\n", "line 29 .* where a number was expected"),
    "two-embeddings-joined": (GLOVE + as_text(WORDS, MATRIX[:, :3]), "line 29 .* has 3 numbers"),
    "all-nan": (as_text(WORDS, MATRIX * np.nan), "corrupt: 28 of 28"),
    "many-inf": (as_text(WORDS, np.where(MATRIX > 0.5, np.inf, MATRIX)), "corrupt: .* of 28"),
    "all-zero": (as_binary(WORDS, MATRIX * 0), "no usable"),
    "utf-16": (GLOVE.decode().encode("utf-16"), "UTF-16"),
    "utf-16-big-endian": (b"\xfe\xff" + GLOVE.decode().encode("utf-16-be"), "UTF-16"),
    "prose": (b"Call me Ishmael. Some years ago,\nnever mind how long precisely\n", "not in a format"),
    "csv": (b"word,a,b\nthe,0.1,0.2\n", "not in a format"),
    "html": (b"<!DOCTYPE html>\n<html><body>404 not found</body></html>\n", "not in a format"),
    "git-lfs-pointer": (b"version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 12345\n",
                        "not in a format|numbers where"),
    "pickle": (pickle.dumps({"the": [1.0, 2.0]}), "pickle.*allow_pickle=True"),
    "pickle-of-protocol-0": (pickle.dumps({"the": [1.0, 2.0]}, protocol=0), "not in a format"),
    "random": (random.Random(0).randbytes(5000), "not in a format"),
    "npy-without-words": (npy(MATRIX), "needs its words"),
    "npz-without-words": (npz(matrix=npy(MATRIX)), "'words' and 'matrix'"),
    "npz-with-foreign-arrays": (npz(a=npy(MATRIX), b=npy(MATRIX)), "'words' and 'matrix'"),
    "npz-of-objects": (npz(words=npy(np.array(WORDS)), matrix=lying_npy("(1,1)", pickle.dumps(1), "|O")), "promises"),
    "npz-promises-too-much": (npz(words=npy(np.array(WORDS)), matrix=lying_npy("(100000000, 100000)")), "promises"),
    "npz-cut-array": (npz(words=npy(np.array(WORDS)), matrix=lying_npy("(28, 1)", b"")), "'words' and 'matrix'"),
    "npz-of-other-length": (npz(words=npy(np.array(WORDS[:5])), matrix=npy(MATRIX)), "expected a string per row"),
    "npz-words-of-other-length": (
        npz(words=npy(np.frombuffer(b"a\nb", np.uint8)), matrix=npy(MATRIX)), "2 words for 28 vectors"
    ),
    "npz-words-not-utf8": (npz(words=npy(np.frombuffer(b"a\xff", np.uint8)), matrix=npy(MATRIX[:1])), "not UTF-8"),
    "npz-of-integers-as-words": (npz(words=npy(np.arange(28)), matrix=npy(MATRIX)), "expected a string per row"),
    "npz-one-dimensional": (npz(words=npy(np.array(WORDS)), matrix=npy(MATRIX[:, 0])), "shape"),
    "npz-complex": (npz(words=npy(np.array(WORDS)), matrix=npy(MATRIX * 1j)), "not an array of numbers"),
    "npz-damaged-header": (npz(words=npy(np.array(WORDS)), matrix=lying_npy("((((")), "'words' and 'matrix'"),
    "safetensors-cut": (cut(saved(".safetensors"), 0.99), "not a complete safetensors"),
    "safetensors-cut-in-header": (saved(".safetensors")[:100], "not a complete safetensors"),
    "safetensors-with-more-behind": (saved(".safetensors") + b"x", "not a complete safetensors"),
    "safetensors-of-other-tensors": (safetensors({"weight": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}},
                                                 b"1234"), "not a complete safetensors"),
    "safetensors-lying-shape": (tensors([10**9, 10**9], [0, 24], [24, 27]), "not a complete safetensors"),
    "safetensors-lying-offsets": (tensors([2, 3], [0, 24], [24, 10**15]), "not a complete safetensors"),
    "safetensors-negative-offsets": (tensors([2, 3], [-24, 0], [24, 27]), "not a complete safetensors"),
    "safetensors-infinite-shape": (tensors([float("inf"), 3], [0, 24], [24, 27]), "not a complete safetensors"),
    "safetensors-fractional-shape": (tensors(["a", 3], [0, 24], [24, 27]), "not a complete safetensors"),
    "safetensors-three-axes": (tensors([1, 2, 3], [0, 24], [24, 27]), "not a complete safetensors"),
    "safetensors-odd-metadata": (tensors([2, 3], [0, 24], [24, 27], __metadata__=[1]), "not a complete safetensors"),
    "safetensors-odd-record": (
        tensors([2, 3], [0, 24], [24, 27], __metadata__={"record": '{"repairs": "many"}'}), "not what aslant writes"
    ),
    "safetensors-nested-header": (safetensors(b'{"a":' + b"[" * 100_000), "not a complete safetensors"),
    "safetensors-words-not-utf8": (
        tensors([2, 3], [3, 27], [0, 3]).replace(b"\x01\x01\x01", b"\xff\n\xff", 1), "not UTF-8"
    ),
    "safetensors-of-fewer-words": (tensors([2, 3], [0, 24], [26, 27]), "1 words for 2 vectors|not a complete"),
}  # fmt: skip


def is_one_clear_sentence(message: str, name: str) -> None:
    assert name in message
    assert "\n" not in message
    assert message.endswith(".")
    assert len(message) < 500
    for jargon in ("Traceback", "Error(", "<class"):
        assert jargon not in message


@pytest.mark.parametrize("cached", [True, False])
@pytest.mark.parametrize("case", REFUSED)
def test_a_file_that_cannot_be_used_gets_one_clear_error(case: str, cached: bool, tmp_path: Path, cache: Path) -> None:
    content, problem = REFUSED[case]
    path = tmp_path / f"glove-{case}"
    path.write_bytes(content)
    with pytest.raises(VectorsError, match=problem) as caught:
        aslant.load(path, cache=cached)
    inside = "vectors.txt" if case.startswith("zip") else path.name  # a member of an archive is the file then
    is_one_clear_sentence(str(caught.value), path.name if path.name in str(caught.value) else inside)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    assert not [entry for entry in cache.rglob("*") if entry.is_file()], "something was left in the cache"


@pytest.mark.parametrize(
    ("array", "problem"),
    [
        (npy(np.array([["a", object()]], dtype=object)), "not a plain NumPy array"),
        (lying_npy("(1000000000, 1000000000)"), "not a plain NumPy array"),
        (lying_npy("(10000000000000000000000000000000, 3)"), "not a plain NumPy array"),
        (lying_npy("(-1, 3)"), "not a plain NumPy array|shape"),
        (lying_npy("(28, 5)", b"\0" * 100), "not a plain NumPy array"),
        (lying_npy("(((("), "not a plain NumPy array"),
        (b"\x93NUMPY", "not a plain NumPy array"),
        (b"\x93NUMPY\x09\x09garbage", "not a plain NumPy array"),
        (npy(MATRIX[0]), "shape"),
        (npy(MATRIX[:, :0]), "shape|not a plain"),
        (npy(MATRIX[:5]), "28 words but .* 5 rows"),
        (npy(MATRIX.astype(complex)), "not an array of numbers"),
        (npy(np.zeros((28, 2), dtype="M8[s]")), "not an array of numbers"),
        (npy(np.zeros((28, 2), dtype=[("a", "f4"), ("b", "f4")])), "not an array of numbers"),
    ],
)
@pytest.mark.parametrize("histwords", [False, True])
def test_an_array_that_cannot_be_used_gets_one_clear_error(
    array: bytes, problem: str, histwords: bool, tmp_path: Path
) -> None:
    path = tmp_path / ("1990-w.npy" if histwords else "vectors.npy")
    path.write_bytes(array)
    (tmp_path / "vectors.words").write_text("\n".join(WORDS), encoding="utf-8", newline="\n")
    (tmp_path / "1990-vocab.pkl").write_bytes(pickle.dumps(WORDS, protocol=2))
    with pytest.raises(VectorsError, match=rf"{problem}|rows for 28 words|28 words but .* rows") as caught:
        aslant.load(path)
    is_one_clear_sentence(str(caught.value), path.name)


def test_a_word_list_that_is_not_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "vectors.npy"
    np.save(path, MATRIX[:1])
    (tmp_path / "vectors.txt").write_bytes(b"caf\xe9\n")
    with pytest.raises(VectorsError, match=r"'vectors.txt' is not UTF-8"):
        aslant.load(path)


@pytest.mark.parametrize("source", ["", ".", "/", "..", "absent.txt", "~nobody-of-this-name/x.txt", "a\0b", "x" * 5000])
def test_a_path_without_an_embedding_gets_one_clear_error(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for path in (source, Path(source)):
        with pytest.raises(VectorsError) as caught:
            aslant.load(path)
        assert "\n" not in str(caught.value)


def test_other_things_than_embeddings_get_one_clear_error(tmp_path: Path, tiny: WordVectors) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "glove.txt").write_bytes(GLOVE)
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    cases: list[tuple[object, str]] = [
        (tmp_path, "folder without HistWords"),
        (tmp_path / "pipe", "not a regular file"),
        (tmp_path / "loop", "no file|cannot open"),
        (tmp_path / "glove.txt" / "member.txt", "neither a zip nor a tar archive"),
        (42, "cannot load an int; give a path, a data name, a data frame, a dict of words to vectors, or a pair"),
        (b"glove.txt", "cannot load a bytes"),
        ([1, 2], "cannot load a list"),
    ]
    for source, problem in cases:
        with pytest.raises(VectorsError, match=problem):
            aslant.load(source)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_gets_one_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "glove.txt"
    path.write_bytes(GLOVE)
    path.chmod(0)
    for cached in (True, False):
        with pytest.raises(VectorsError, match=r"cannot open .*glove.txt.*Permission denied"):
            aslant.load(path, cache=cached)


def test_a_file_that_the_system_refuses_gets_one_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "glove.txt"
    path.write_bytes(GLOVE)
    ordinary = Path.open

    def refuse(self: Path, *args: object, **kwargs: object) -> object:
        if self == path:
            raise PermissionError(13, "Permission denied")
        return ordinary(self, *args, **kwargs)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", refuse)
    for cached in (True, False):
        with pytest.raises(VectorsError, match=r"cannot open .*glove.txt.*Permission denied"):
            aslant.load(path, cache=cached)


def test_a_member_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "glove.zip"
    path.write_bytes(two_members())
    with pytest.raises(VectorsError, match=r"has no 'x.txt'.*glove.50d.txt"):
        aslant.load(path / "x.txt")
    assert aslant.load(path / "glove.100d.txt").words == WORDS


@pytest.mark.parametrize("content", [saved(".safetensors"), npy(MATRIX), pickle.dumps(WORDS)])
def test_formats_that_are_mapped_ask_to_be_unpacked(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "vectors.zst"
    path.write_bytes(PACKINGS["zst"](content))
    with pytest.raises(VectorsError, match=r"vectors.zst.*unpack it first"):
        aslant.load(path)


def test_an_endless_line_is_refused_and_not_collected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "MAX_LINE_BYTES", 10_000)
    monkeypatch.setattr(text, "BLOCK_BYTES", 1000)
    path = tmp_path / "glove.txt"
    path.write_bytes(GLOVE + b"x" * 1_000_000)
    with pytest.raises(VectorsError, match="line"):
        aslant.load(path)


# Repairs


def load_bytes(content: bytes, folder: Path, **options: Any) -> WordVectors:
    path = folder / "vectors"
    path.write_bytes(content)
    loaded = aslant.load(path, **options)
    assert aslant.load(path, **options).repairs == loaded.repairs, "the cache forgot the repairs"
    return loaded


def bad_rows(matrix: np.ndarray, **rows: float) -> np.ndarray:
    changed = np.tile(matrix, (2, 1)).copy()
    for row, value in rows.items():
        changed[int(row[1:])] = value
    return changed


MANY = [f"w{i}" for i in range(2 * len(WORDS))]


@pytest.mark.parametrize("write", [as_text, as_binary, fasttext_binary])
def test_a_few_vectors_with_nan_or_infinity_are_left_out_and_counted(
    write: Callable[..., bytes], tmp_path: Path
) -> None:
    matrix = bad_rows(MATRIX, r3=np.nan, r7=np.inf, r11=-np.inf)
    loaded = load_bytes(write(MANY, matrix), tmp_path)
    assert loaded.repairs == {NON_FINITE: 3}
    assert loaded.words == [word for row, word in enumerate(MANY) if row not in (3, 7, 11)]
    assert np.isfinite(loaded.matrix).all()


@pytest.mark.parametrize("write", [as_text, as_binary, fasttext_binary])
def test_zero_vectors_are_left_out_and_counted(write: Callable[..., bytes], tmp_path: Path) -> None:
    loaded = load_bytes(write(MANY, bad_rows(MATRIX, r0=0, r55=0)), tmp_path)
    assert loaded.repairs == {ZERO: 2}
    assert loaded.words == MANY[1:-1]


@pytest.mark.parametrize("size", [7, 4 << 20])
@pytest.mark.parametrize("write", [as_text, as_binary, fasttext_binary])
def test_the_first_of_duplicate_words_wins(
    write: Callable[..., bytes], size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text, "BLOCK_BYTES", size)
    monkeypatch.setattr(word2vec_binary, "BLOCK_BYTES", size)
    words = ["a", "b", "a", "c", "a", "b"]
    loaded = load_bytes(write(words, MATRIX[:6]), tmp_path)
    assert loaded.words == ["a", "b", "c"]
    np.testing.assert_array_equal(loaded.matrix, MATRIX[[0, 1, 3]])
    assert loaded.repairs == {DUPLICATE: 3}


def test_a_duplicate_of_an_unusable_vector_takes_its_place(tmp_path: Path) -> None:
    matrix = MATRIX[:3].copy()
    matrix[0] = 0
    loaded = load_bytes(as_text(["a", "b", "a"], matrix), tmp_path)
    assert loaded.words == ["b", "a"]
    assert loaded.repairs == {ZERO: 1}


@pytest.mark.parametrize("write", [as_text, as_binary, fasttext_binary])
def test_words_that_are_not_utf8_are_mended_and_counted(write: Callable[..., bytes], tmp_path: Path) -> None:
    content = write(["the", "cafXX", "\ufffd"], MATRIX[:3]).replace(b"cafXX", b"caf\xe9\xff")
    loaded = load_bytes(content, tmp_path)
    assert loaded.words == ["the", "caf\ufffd\ufffd", "\ufffd"]
    assert loaded.repairs == {UNDECODABLE: 1}


@pytest.mark.parametrize("write", [as_text, as_binary, fasttext_binary])
def test_empty_words_are_left_out_and_counted(write: Callable[..., bytes], tmp_path: Path) -> None:
    loaded = load_bytes(write(["the", "", "of", ""], MATRIX[:4]), tmp_path)
    assert loaded.words == ["the", "of"]
    np.testing.assert_array_equal(loaded.matrix, MATRIX[[0, 2]])
    assert loaded.repairs == {EMPTY: 2}


@pytest.mark.parametrize("newline", [True, False])
def test_a_line_end_inside_a_word_becomes_a_space_and_is_counted(newline: bool, tmp_path: Path) -> None:
    words = ["the", "new\nyork", "of"]
    loaded = load_bytes(as_binary(words, MATRIX[:3], newline=newline), tmp_path)
    assert loaded.words == ["the", "new york", "of"]
    assert loaded.repairs == {LINE_END: 1}


def test_numbers_too_large_for_float32_are_infinite_and_left_out(tmp_path: Path) -> None:
    loaded = load_bytes(as_text(MANY, bad_rows(MATRIX)) + b"big 1e99 1 1 1 1\n", tmp_path)
    assert loaded.words == MANY
    assert loaded.repairs == {NON_FINITE: 1}


def test_rows_beyond_those_promised_are_not_read_but_recorded(tmp_path: Path) -> None:
    content = as_text(WORDS, MATRIX, header=True).replace(b"28 5\n", b"3 5\n")
    for longer in (content, b"3 5\n" + BINARY.partition(b"\n")[2]):
        loaded = load_bytes(longer, tmp_path)
        assert loaded.words == WORDS[:3]
        assert loaded.repairs == {rows.BEYOND: 1}


def test_a_header_with_much_white_space_is_still_a_header(tmp_path: Path) -> None:
    rows = BINARY.partition(b"\n")[2]
    loaded = load_bytes(b"28 " + b" " * 200 + b"5" + b" " * 200 + b"\n" + rows, tmp_path)
    assert loaded.words == WORDS


# Astronomical promises, with little memory

PROMISES = {
    "rows.txt": b"100000000000000000 5\n" + GLOVE,
    "dimensions.txt": b"28 1000000000\n" + GLOVE,
    "most-dimensions.txt": b"28 100000\n" + GLOVE,
    "rows.bin": b"100000000000000000 5\n" + BINARY.partition(b"\n")[2],
    "most-dimensions.bin": b"100000000000000000 100000\n" + BINARY.partition(b"\n")[2],
    "fasttext-rows.bin": FASTTEXT.replace(struct.pack("<qq", 28, 5), struct.pack("<qq", 2**61, 5), 1),
    "fasttext-words.bin": FASTTEXT.replace(struct.pack("<ii", 28, 28), struct.pack("<ii", 2**31 - 1, 2**31 - 1), 1),
    "npz.npz": npz(words=npy(np.array(WORDS)), matrix=lying_npy("(1000000000000, 100)")),
    "npz-words.npz": npz(words=lying_npy("(1000000000000,)", dtype="|u1"), matrix=npy(MATRIX)),
    "safetensors.safetensors": tensors([2**40, 2**20], [0, 2**62], [2**62, 2**62 + 3]),
    "safetensors-header.safetensors": struct.pack("<Q", 90 << 20) + b"{" + b" " * 100,
    "1990-w.npy": lying_npy("(1000000000000, 100)"),
    "zst-window.zst": b"\x28\xb5\x2f\xfd\x00\xb8" + b"\x01\x00\x00" * 3,
    "zst-bomb.zst": PACKINGS["zst"](b"the " + b"0" * (1 << 28)),
    "xz-bomb.xz": PACKINGS["xz"](b"the " + b"0" * (1 << 26)),
}

CHILD = """
import json, resource, sys
from pathlib import Path
import aslant

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << (0 if sys.platform == "darwin" else 10)

folder = Path(sys.argv[1])
aslant.load(folder / "good.txt", cache=False), aslant.load(folder / "good.bin", cache=False)
before = peak()
for path in sorted(folder.glob("*")):
    if path.name.startswith("good") or path.suffix in (".words", ".pkl"):
        continue
    try:
        aslant.load(path)
    except aslant.AslantError as error:
        print(json.dumps([path.name, str(error), peak() - before]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="asks the kernel for the peak of memory")
def test_astronomical_promises_take_no_memory(tmp_path: Path) -> None:
    for name, content in PROMISES.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "1990-vocab.pkl").write_bytes(pickle.dumps(WORDS))
    (tmp_path / "good.txt").write_bytes(GLOVE)
    (tmp_path / "good.bin").write_bytes(FASTTEXT)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", CHILD, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert {name for name, _, _ in said} == set(PROMISES)
    for name, message, taken in said:
        is_one_clear_sentence(message, name)
        assert taken < 300 << 20, name


def test_an_npz_whose_directory_lies_about_its_size_is_refused(tmp_path: Path) -> None:
    content = bytearray(npz(words=npy(np.array(WORDS)), matrix=lying_npy("(10000000, 100)")))
    directory = content.rfind(b"PK\x01\x02")
    content[directory + 24 : directory + 28] = struct.pack("<I", 0xFFFFFFF0)
    path = tmp_path / "v.npz"
    path.write_bytes(content)
    with pytest.raises(VectorsError, match="promises"):
        aslant.load(path)


@pytest.mark.parametrize("packing", ["gz", "zst"])
def test_a_packed_fasttext_model_is_unpacked_beside_and_removed(
    packing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tempfile

    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    path = tmp_path / "model"
    path.write_bytes(PACKINGS[packing](FASTTEXT))
    assert aslant.load(path).words == WORDS
    path.write_bytes(PACKINGS[packing](cut(FASTTEXT)))
    with pytest.raises(VectorsError, match=r"cut off|damaged"):
        aslant.load(path)
    assert not list(scratch.iterdir())
