"""The same embedding comes back from every format, packing and block size, whatever the file is called."""

from __future__ import annotations

import io
import pickle
import struct
import sys
import zipfile
from pathlib import Path
from typing import IO, Any

import numpy as np
import pytest
import safetensors.numpy

import aslant
from aslant.errors import VectorsError
from aslant.vectors import WordVectors
from aslant.vectors.formats import (
    WRITERS,
    aslant_file,
    fasttext_binary,
    keyed_vectors,
    numpy_array,
    text,
    word2vec_binary,
)
from embedding_files import FORMATS, MATRIX, PACKINGS, WORDS
from embedding_files import fasttext_binary as as_fasttext
from embedding_files import text as as_text
from embedding_files import word2vec_binary as as_binary


def same(vectors: WordVectors, words: list[str] = WORDS, matrix: Any = MATRIX) -> None:
    assert list(vectors.words) == words
    np.testing.assert_array_equal(vectors.matrix, matrix)
    assert vectors.matrix.dtype == np.float32
    assert vectors.matrix.flags.c_contiguous


# One embedding, every format × packing


@pytest.fixture(params=FORMATS)
def content(request: pytest.FixtureRequest) -> bytes:
    return FORMATS[request.param](WORDS, MATRIX)


MISLEADING = ["vectors.bin.zst", "vectors.txt.bz2", "no-suffix", "x.npz", "v.safetensors", "w-w.npy"]


@pytest.mark.parametrize(
    ("module", "head"),
    [
        (text, b"the 0.1 0.2\nof 0.3 0.4\n"),
        (text, b"2 2\nthe 0.1 0.2\n"),
        (word2vec_binary, b"1 2\nthe " + np.array([0.5, 1.5], "<f4").tobytes()),
        (fasttext_binary, bytes.fromhex("ba164f2f")),
        (numpy_array, b"\x93NUMPY\x01\0"),
        (keyed_vectors, b"\x80\x04\x95"),
        (aslant_file, (16).to_bytes(8, "little") + b'{"matrix":{}}   '),
    ],
)
def test_a_format_is_known_by_its_beginning_and_taken_for_no_other(module: Any, head: bytes) -> None:
    modules = (text, word2vec_binary, fasttext_binary, numpy_array, keyed_vectors, aslant_file)
    assert [known for known in modules if known.recognise(head)] == [module]


@pytest.mark.parametrize(("packing", "misleading"), list(zip(PACKINGS, MISLEADING, strict=True)))
def test_every_format_and_packing_is_recognised_by_content(
    content: bytes, packing: str, misleading: str, tmp_path: Path
) -> None:
    path = tmp_path / misleading
    path.write_bytes(PACKINGS[packing](content))
    loaded = aslant.load(path, cache=False)
    same(loaded)
    assert loaded.repairs == {}
    assert loaded.name == misleading


@pytest.mark.parametrize("packing", PACKINGS)
def test_the_cache_gives_back_what_was_read(content: bytes, packing: str, tmp_path: Path) -> None:
    path = tmp_path / "any"
    path.write_bytes(PACKINGS[packing](content))
    first, second = aslant.load(path), aslant.load(path)
    same(first)
    same(second)
    assert second.record() == first.record() == aslant.load(path, cache=False).record()


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
@pytest.mark.parametrize("packing", ["plain", "gz"])
def test_block_boundaries_do_not_show(
    content: bytes, packing: str, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text, "BLOCK_BYTES", size)
    monkeypatch.setattr(word2vec_binary, "BLOCK_BYTES", size)
    path = tmp_path / "any"
    path.write_bytes(PACKINGS[packing](content))
    loaded = aslant.load(path, cache=False)
    same(loaded)
    assert loaded.repairs == {}


def test_the_format_is_named(tmp_path: Path) -> None:
    expected = {
        "glove": "GloVe text",
        "word2vec-text": "word2vec text",
        "word2vec-binary": "word2vec binary",
        "fasttext-binary": "fastText binary",
    }
    for name, described in expected.items():
        path = tmp_path / name
        path.write_bytes(FORMATS[name](WORDS, MATRIX))
        assert aslant.load(path).format == described


def test_a_member_of_an_archive_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "glove.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("README", "not vectors")
        archive.writestr("deep/glove.txt", as_text(WORDS, MATRIX))
    loaded = aslant.load(path / "deep" / "glove.txt")
    same(loaded)
    assert loaded.name == "glove.txt"
    same(aslant.load(path / "deep/glove.txt"))


def test_several_packed_streams_one_after_another_are_one_file(tmp_path: Path) -> None:
    data = as_text(WORDS, MATRIX)
    for packing in ("gz", "bz2", "xz", "zst"):
        path = tmp_path / packing
        path.write_bytes(PACKINGS[packing](data[:300]) + PACKINGS[packing](data[300:]))
        same(aslant.load(path))


# Text: tokens with spaces, odd numbers, the slow path


GLOVE_840B = [". . .", "at name@domain.com", "the", ". . . . .", "to name@domain.com", "• name@domain.com", "of"]


@pytest.mark.parametrize("header", [False, True])
@pytest.mark.parametrize("size", [7, 64, 4 << 20])
def test_tokens_with_spaces_are_read_as_in_glove_840b(
    header: bool, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text, "BLOCK_BYTES", size)
    path = tmp_path / "glove.840B.txt"
    path.write_bytes(as_text(GLOVE_840B, MATRIX[: len(GLOVE_840B)], header=header))
    same(aslant.load(path), GLOVE_840B, MATRIX[: len(GLOVE_840B)])


def test_only_the_block_that_needs_it_is_read_line_by_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = [f"w{i}" for i in range(400)]
    words[200] = "at name@domain.com"
    matrix = np.random.default_rng(0).normal(size=(400, 6)).astype(np.float32)
    path = tmp_path / "glove.txt"
    path.write_bytes(as_text(words, matrix))
    slow = []
    line_by_line = text._read_line_by_line
    monkeypatch.setattr(text, "BLOCK_BYTES", 4096)
    monkeypatch.setattr(text, "SMALL_BYTES", 0)
    monkeypatch.setattr(text, "_read_line_by_line", lambda *args: slow.append(1) or line_by_line(*args))
    same(aslant.load(path, cache=False), words, matrix)
    assert len(slow) == 1


def test_a_plain_file_never_takes_the_slow_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "SMALL_BYTES", 0)
    monkeypatch.setattr(text, "_read_line_by_line", lambda *args: pytest.fail("slow path taken"))
    for name in ("glove", "glove-trailing-space", "glove-tabs", "glove-crlf", "fasttext-vec", "word2vec-text"):
        path = tmp_path / name
        path.write_bytes(FORMATS[name](WORDS, MATRIX))
        same(aslant.load(path, cache=False))


@pytest.mark.parametrize("size", [7, 4 << 20])
def test_a_byte_order_mark_inside_the_file_belongs_to_its_word(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text, "BLOCK_BYTES", size)
    words = ["the", "\ufeffthe", "\ufeff", "of"]
    path = tmp_path / "glove.txt"
    path.write_bytes(as_text(words, MATRIX[:4]))
    same(aslant.load(path), words, MATRIX[:4])
    path.write_bytes(as_text(words[1:], MATRIX[1:4], bom=True))
    same(aslant.load(path), words[1:], MATRIX[1:4])


def test_numbers_in_any_notation_are_read(tmp_path: Path) -> None:
    path = tmp_path / "odd.txt"
    path.write_bytes(b"a 1 -2 +3 4.\nb .5 1e-3 -1E+2 0\nc 1e-46 3.4e38 -0 00012\n")
    expected = np.array([[1, -2, 3, 4], [0.5, 1e-3, -100, 0], [0, 3.4e38, 0, 12]], np.float32)
    same(aslant.load(path), ["a", "b", "c"], expected)


def test_a_file_of_numbers_as_words_has_no_header(tmp_path: Path) -> None:
    words = ["1", "2", "3", "10"]
    path = tmp_path / "numbers.txt"
    matrix = np.arange(1, 13, dtype=np.float32).reshape(4, 3)
    path.write_bytes(as_text(words, matrix))
    same(aslant.load(path), words, matrix)


@pytest.mark.parametrize("header", [False, True])
def test_many_dimensions_make_long_lines(header: bool, tmp_path: Path) -> None:
    matrix = np.random.default_rng(0).normal(size=(3, 30_000)).astype(np.float32)
    path = tmp_path / "wide.txt"
    path.write_bytes(as_text(["a", "b", "c"], matrix, header=header))
    same(aslant.load(path), ["a", "b", "c"], matrix)


def test_words_with_tabs_or_spaces_do_not_decide_the_separator(tmp_path: Path) -> None:
    path = tmp_path / "odd.txt"
    words = ["a\tb\tc\td", "e"]
    path.write_bytes(as_text(words, MATRIX[:2, :2]))
    same(aslant.load(path), words, MATRIX[:2, :2])
    words = ["a b c d", "e"]
    path.write_bytes(as_text(words, MATRIX[:2, :2], separator="\t"))
    same(aslant.load(path), words, MATRIX[:2, :2])


def test_numbers_in_columns_are_read(tmp_path: Path) -> None:
    path = tmp_path / "aligned.txt"
    path.write_bytes(b"the  0.1  0.2 -0.3\nof   0.4 -0.5  0.6\n")
    loaded = aslant.load(path)
    same(loaded, ["the", "of"], np.array([[0.1, 0.2, -0.3], [0.4, -0.5, 0.6]], np.float32))


# gensim as the oracle


@pytest.fixture
def keyed() -> Any:
    models = pytest.importorskip("gensim.models")
    vectors = models.KeyedVectors(MATRIX.shape[1])
    vectors.add_vectors(WORDS, MATRIX)
    return vectors


@pytest.mark.parametrize("binary", [True, False])
def test_files_that_gensim_writes_are_read(keyed: Any, binary: bool, tmp_path: Path) -> None:
    path = tmp_path / "vectors"
    keyed.save_word2vec_format(str(path), binary=binary)
    same(aslant.load(path))


@pytest.mark.parametrize("name", ["word2vec-text", "word2vec-binary", "word2vec-binary-newlines", "fasttext-vec"])
def test_gensim_reads_the_same_from_our_hand_written_files(name: str, tmp_path: Path) -> None:
    models = pytest.importorskip("gensim.models")
    # gensim strips Unicode white space off the lines of a text file
    words, matrix = WORDS[:15], MATRIX[:15]
    path = tmp_path / "vectors"
    path.write_bytes(FORMATS[name](words, matrix))
    oracle = models.KeyedVectors.load_word2vec_format(str(path), binary="binary" in name)
    same(aslant.load(path), oracle.index_to_key, oracle.vectors)


def test_gensim_vectors_in_memory_are_taken(keyed: Any) -> None:
    loaded = aslant.load(keyed)
    same(loaded)
    assert loaded.format == "gensim KeyedVectors"
    same(aslant.load(keyed, top=3), WORDS[:3], MATRIX[:3])


def test_a_gensim_model_gives_its_vectors() -> None:
    models = pytest.importorskip("gensim.models")
    model = models.Word2Vec([["a", "b", "c", "d"]] * 5, vector_size=4, min_count=1, workers=1, seed=1)
    same(aslant.load(model), model.wv.index_to_key, model.wv.vectors)


def test_gensim_keys_that_are_not_words_are_refused() -> None:
    models = pytest.importorskip("gensim.models")
    with pytest.raises(VectorsError, match="strings"):
        aslant.load(models.KeyedVectors(3, count=4))
    vectors = models.KeyedVectors(3)
    vectors.add_vectors([0, 1], np.ones((2, 3)))
    with pytest.raises(VectorsError, match="strings"):
        aslant.load(vectors)


def test_a_kv_file_is_read_without_gensim_and_without_trust(
    keyed: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "vectors.kv"
    keyed.save(str(path))
    monkeypatch.setitem(sys.modules, "gensim.models", None)
    same(aslant.load(path))


def test_a_kv_file_with_more_than_vectors_needs_an_explicit_word(keyed: Any, tmp_path: Path) -> None:
    path = tmp_path / "vectors.kv"
    keyed.extra = Path("somewhere")
    keyed.save(str(path))
    with pytest.raises(VectorsError, match=r"it asks for pathlib.*allow_pickle=True"):
        aslant.load(path)
    same(aslant.load(path, allow_pickle=True))


def test_a_kv_file_with_its_matrix_beside_it_is_read(tmp_path: Path) -> None:
    models = pytest.importorskip("gensim.models")
    vectors = models.KeyedVectors(5)
    vectors.add_vectors(WORDS, MATRIX)
    path = tmp_path / "vectors.kv"
    vectors.save(str(path), sep_limit=1)
    assert path.with_name("vectors.kv.vectors.npy").is_file()
    same(aslant.load(path))


@pytest.mark.parametrize("kind", ["Word2Vec", "FastText"])
@pytest.mark.parametrize("sep_limit", [1, 10**6])
def test_what_gensim_trained_and_saved_is_read_without_trust(kind: str, sep_limit: int, tmp_path: Path) -> None:
    models = pytest.importorskip("gensim.models")
    text = [["he", "she", "nurse", "日本語", "naïve"]] * 9
    trained = getattr(models, kind)(text, vector_size=4, min_count=1, workers=1, seed=1, **SMALL[kind])
    trained.wv.save(str(tmp_path / "v.kv"), sep_limit=sep_limit)
    trained.save(str(tmp_path / "v.model"), sep_limit=sep_limit)
    for name in ("v.kv", "v.model"):
        loaded = aslant.load(tmp_path / name)
        assert list(loaded.words) == trained.wv.index_to_key
        np.testing.assert_allclose(loaded.matrix, trained.wv.vectors, rtol=1e-5, atol=1e-8)


SMALL: dict[str, dict[str, int]] = {"Word2Vec": {}, "FastText": {"bucket": 300, "min_n": 1, "max_n": 4}}


def test_a_whole_gensim_model_in_a_file_gives_its_vectors(tmp_path: Path) -> None:
    models = pytest.importorskip("gensim.models")
    vectors = models.KeyedVectors(5)
    vectors.add_vectors(WORDS, MATRIX)
    holder = models.KeyedVectors(5)
    holder.wv = vectors
    path = tmp_path / "model"
    path.write_bytes(pickle.dumps(holder, protocol=4))
    same(aslant.load(path))


def nested(depth: int) -> bytes:
    """A dictionary whose one key is a tuple in a tuple in a tuple …, which would take the process down when hashed."""
    return b"\x80\x04}(" + b")" + b"\x85" * depth + b"K\x01u."


@pytest.mark.parametrize(
    "content", [nested(200_000), b"\x80\x05\x96" + (1 << 40).to_bytes(8, "little") + b".", b"\x80\x04}."]
)
def test_hostile_pickles_are_refused_and_take_neither_memory_nor_the_process(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "vectors.kv"
    path.write_bytes(content)
    with pytest.raises(VectorsError, match="is not plain gensim vectors"):
        aslant.load(path)


def test_a_file_of_doc2vec_is_refused_and_its_words_open(tmp_path: Path) -> None:
    doc2vec = pytest.importorskip("gensim.models.doc2vec")
    documents = [doc2vec.TaggedDocument(["he", "is", "late"], [0])]
    model = doc2vec.Doc2Vec(documents, vector_size=4, min_count=1, epochs=1, workers=1)
    model.save(str(tmp_path / "d.model"))
    model.wv.save(str(tmp_path / "w.kv"))
    with pytest.raises(VectorsError, match=r"'d\.model' is .* not plain gensim vectors \(it asks for .*Doc2Vec\)"):
        aslant.load(tmp_path / "d.model")
    assert set(aslant.load(tmp_path / "w.kv").words) == {"he", "is", "late"}


def test_a_kv_file_that_was_cut_short_is_said_to_be(keyed: Any, tmp_path: Path) -> None:
    path = tmp_path / "vectors.kv"
    keyed.save(str(path))
    whole = path.read_bytes()
    for part in (0.1, 0.5, 0.9):
        path.write_bytes(whole[: int(part * len(whole))])
        with pytest.raises(VectorsError, match=r"'vectors\.kv' is a Python pickle that ends too early or is damaged"):
            aslant.load(path)


# fastText


@pytest.fixture(scope="module")
def fasttext(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """A small trained model as Facebook's file, and gensim's reading of it."""
    module = pytest.importorskip("gensim.models.fasttext")
    sentences = [["the", "queen", "naïve", "日本語", "straße"], ["king", "the", "Ωμέγα", "</s>", "a"]] * 20
    model = module.FastText(
        sentences, vector_size=8, min_count=1, bucket=200, min_n=2, max_n=4, epochs=2, workers=1, seed=1
    )
    path = tmp_path_factory.mktemp("fasttext") / "model.bin"
    module.save_facebook_model(model, str(path))
    return path, module.load_facebook_vectors(str(path))


def test_fasttext_words_agree_with_gensim(fasttext: tuple[Path, Any]) -> None:
    path, oracle = fasttext
    loaded = aslant.load(path)
    assert loaded.words == oracle.index_to_key
    for word, row in zip(loaded.words, loaded.matrix, strict=True):
        if word == "</s>":  # gensim adds n-grams to the end of a sentence; fastText itself does not
            continue
        np.testing.assert_allclose(row, oracle.get_vector(word), rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("word", ["queens", "kingdom", "日本", "Übergröße", "ωμέγα", "🙂🙂", "xy", "naïveté"])
def test_fasttext_missing_words_agree_with_gensim(fasttext: tuple[Path, Any], word: str) -> None:
    path, oracle = fasttext
    assert aslant.load(path).lookup([word], policy=aslant.LookupPolicy("exact", "exact")).missing == (word,)
    found = aslant.load(path, subwords=True).lookup([word], policy=aslant.LookupPolicy("exact", "exact"))
    assert found.tokens == (f"{word} (from sub-words)",)
    np.testing.assert_allclose(found.vectors[0], oracle.get_vector(word), rtol=1e-5, atol=1e-8)


def test_fasttext_sub_words_are_recorded_and_only_for_missing_words(fasttext: tuple[Path, Any]) -> None:
    loaded = aslant.load(fasttext[0], subwords=True, top=2)
    assert loaded.record()["lookup"].endswith("sub-words for missing words")
    assert loaded.lookup(["the"]).tokens == ("the",)


def test_fasttext_sub_words_need_an_unpacked_model_with_n_grams(fasttext: tuple[Path, Any], tmp_path: Path) -> None:
    packed = tmp_path / "model.bin.gz"
    packed.write_bytes(PACKINGS["gz"](fasttext[0].read_bytes()))
    assert aslant.load(packed).words == aslant.load(fasttext[0]).words
    plain = tmp_path / "plain.bin"
    plain.write_bytes(as_fasttext(WORDS, MATRIX))
    glove = tmp_path / "glove.txt"
    glove.write_bytes(as_text(WORDS, MATRIX))
    for path, problem in ((packed, "unpacked"), (plain, "without character n-grams"), (glove, "unpacked fastText")):
        with pytest.raises(VectorsError, match=problem):
            aslant.load(path, subwords=True)


def test_fasttext_labels_are_not_words(tmp_path: Path) -> None:
    rows = np.concatenate([MATRIX, MATRIX[:2]])
    data = as_fasttext(WORDS, MATRIX, labels=["__label__a", "__label__b"])
    path = tmp_path / "supervised.bin"
    path.write_bytes(data)
    same(aslant.load(path))
    assert len(rows) == len(MATRIX) + 2


def test_fasttext_words_are_means_of_their_rows(tmp_path: Path) -> None:
    buckets = np.full((1, 5), 2, np.float32)  # every n-gram falls into the only bucket
    path = tmp_path / "model.bin"
    path.write_bytes(as_fasttext(["ab", "</s>"], np.ones((2, 5), np.float32), buckets=buckets, minn=2, maxn=2))
    loaded = aslant.load(path)
    np.testing.assert_allclose(loaded.matrix[0], (1 + 3 * 2) / 4)  # the word, <a, ab, b>
    np.testing.assert_array_equal(loaded.matrix[1], 1)  # the end of a sentence has no n-grams


# HistWords


def python2_pickle(words: list[str]) -> bytes:
    """What Python 2's `pickle.dump(words, file, 2)` writes for byte strings."""
    out = b"\x80\x02]q\x00("
    for word in words:
        data = word.encode("utf-8")
        out += b"U" + bytes([len(data)]) + data if len(data) < 256 else b"T" + struct.pack("<i", len(data)) + data
    return out + b"e."


@pytest.fixture
def decade(tmp_path: Path) -> Path:
    folder = tmp_path / "sgns"
    folder.mkdir()
    np.save(folder / "1990-w.npy", MATRIX.astype(np.float64))
    (folder / "1990-vocab.pkl").write_bytes(python2_pickle(WORDS))
    return folder


def test_a_histwords_folder_is_read(decade: Path) -> None:
    for source in (decade, decade / "1990", decade / "1990-w.npy", str(decade) + "/"):
        loaded = aslant.load(source)
        same(loaded)
        assert loaded.name == "1990"
        assert loaded.format == "HistWords decade"


def python2_text_pickle(words: list[str]) -> bytes:
    """What Python 2's `pickle.dump(words, file)` writes, as HistWords' own code calls it (protocol 0)."""
    lines = [f"{word.encode()!r}"[1:] for word in words]
    return b"(lp1\n" + b"".join(f"S{line}\np{i}\na".encode() for i, line in enumerate(lines, 2)) + b"."


def test_svd_decades_are_read_as_their_authors_read_them(tmp_path: Path) -> None:
    # representations/makelowdim.py: u, s, v of the PPMI matrix; SVDEmbedding(eig=0.0) takes u alone
    u, s, v = np.linalg.svd(np.random.default_rng(0).random((len(WORDS), len(WORDS))))
    u = np.ascontiguousarray(u[:, :5])
    u[3] = 1e-15  # a word without contexts: zeros but for rounding
    for year in (1980, 1990):
        for name, array in (("u", u), ("s", s[:5]), ("v", v[:5])):
            np.save(tmp_path / f"{year}-{name}.npy", array)
        (tmp_path / f"{year}-vocab.pkl").write_bytes(python2_text_pickle(WORDS))
    kept = [row for row in range(len(WORDS)) if row != 3]
    for source in (tmp_path / "1990", tmp_path / "1990-u.npy"):
        loaded = aslant.load(source)
        same(loaded, [WORDS[row] for row in kept], u[kept].astype(np.float32))
        assert loaded.name == "1990"
        assert loaded.repairs == {"zero vectors left out": 1}
    np.save(tmp_path / "1990-w.npy", MATRIX)  # the aligned vectors, which are what is published
    same(aslant.load(tmp_path / "1990"))
    with pytest.raises(VectorsError, match="1980, 1990"):
        aslant.load(tmp_path)


def test_words_too_rare_for_a_decade_are_missing(decade: Path) -> None:
    matrix = MATRIX.copy()
    matrix[[1, 5]] = 0
    np.save(decade / "1990-w.npy", matrix)
    loaded = aslant.load(decade)
    assert loaded.lookup([WORDS[0], WORDS[1]]).missing == (WORDS[1],)
    assert loaded.repairs == {"zero vectors left out": 2}


def test_a_folder_of_several_decades_asks_which(decade: Path) -> None:
    np.save(decade / "1890-w.npy", MATRIX)
    (decade / "1890-vocab.pkl").write_bytes(pickle.dumps(WORDS, protocol=2))
    with pytest.raises(VectorsError, match=r"1890, 1990.*sgns/1890'"):
        aslant.load(decade)
    same(aslant.load(decade / "1890"))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_histwords_vocabulary_of_any_protocol_is_read(decade: Path, protocol: int) -> None:
    words = [*WORDS[:-2], "x" * 300, "y" * 70_000]
    (decade / "1990-vocab.pkl").write_bytes(pickle.dumps(words, protocol=protocol))
    same(aslant.load(decade), words)


def test_a_word_that_a_histwords_vocabulary_repeats_is_a_duplicate(decade: Path) -> None:
    words = [*WORDS[:-1], WORDS[0]]  # the pickle refers back to the first string
    (decade / "1990-vocab.pkl").write_bytes(pickle.dumps(words, protocol=2))
    loaded = aslant.load(decade)
    same(loaded, WORDS[:-1], MATRIX[:-1])
    assert loaded.repairs == {"duplicate words left out": 1}


def test_words_of_a_histwords_vocabulary_that_are_not_utf8_are_counted(decade: Path) -> None:
    content = python2_pickle(WORDS).replace("naïve".encode(), b"na\xef\xffve")
    (decade / "1990-vocab.pkl").write_bytes(content)
    loaded = aslant.load(decade)
    assert loaded.words[1] == "na\ufffd\ufffdve"
    assert loaded.repairs == {"words that are not UTF-8 (bad bytes replaced)": 1}


@pytest.mark.parametrize("bomb", [b"\x80\x02]r\xff\xff\xff\xff.", b"\x80\x05]\x96\xff\xff\xff\xff\x0f\x00\x00\x00a."])
def test_a_histwords_vocabulary_cannot_ask_for_much_memory(decade: Path, bomb: bytes) -> None:
    (decade / "1990-vocab.pkl").write_bytes(bomb)
    with pytest.raises(VectorsError, match=r"rows for 0 words|not a plain pickled list"):
        aslant.load(decade)


class Bomb:
    """Leaves a mark when unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> Any:
        return Path.touch, (self.mark,)


@pytest.mark.parametrize("protocol", [0, 2, 5])
def test_code_in_a_histwords_vocabulary_is_refused_and_not_run(decade: Path, protocol: int) -> None:
    mark = decade / "run"
    (decade / "1990-vocab.pkl").write_bytes(pickle.dumps([Bomb(mark)], protocol=protocol))
    with pytest.raises(VectorsError, match=r"1990-vocab.pkl.*not a plain pickled list"):
        aslant.load(decade)
    assert not mark.exists()


@pytest.mark.parametrize("protocol", [2, 5])
def test_code_in_a_pickle_is_not_run_without_allow_pickle(tmp_path: Path, protocol: int) -> None:
    mark = tmp_path / "run"
    path = tmp_path / "vectors.kv"
    path.write_bytes(pickle.dumps(Bomb(mark), protocol=protocol))
    with pytest.raises(VectorsError, match="can run code"):
        aslant.load(path)
    assert not mark.exists()


@pytest.mark.parametrize(
    ("vocabulary", "problem"),
    [
        (pickle.dumps(WORDS[:-1]), "rows for"),
        (pickle.dumps({"the": 0}), "not a plain pickled list"),
        (pickle.dumps([1, 2, 3]), "not a plain pickled list"),
        (pickle.dumps([["the"]]), "it holds more than words"),
        (pickle.dumps("the"), "it holds a str"),
        (pickle.dumps(WORDS)[:-10], "not a plain pickled list"),
        (b"", "not a plain pickled list"),
        (b"\x80\x02]q\x00U\x7f.", "not a plain pickled list"),
        (None, "cannot open"),
    ],
)
def test_a_histwords_vocabulary_that_does_not_fit_is_refused(
    decade: Path, vocabulary: bytes | None, problem: str
) -> None:
    path = decade / "1990-vocab.pkl"
    path.unlink()
    if vocabulary is not None:
        path.write_bytes(vocabulary)
    with pytest.raises(VectorsError, match=problem):
        aslant.load(decade)


# aslant's own files, NumPy arrays


@pytest.mark.parametrize("suffix", [".safetensors", ".npz", ".SAFETENSORS"])
def test_saved_vectors_come_back(suffix: str, tmp_path: Path) -> None:
    words = [*WORDS, "two words", "tab\tbed"]
    matrix = np.concatenate([MATRIX, MATRIX[:2]])
    path = tmp_path / f"saved{suffix}"
    WordVectors.from_arrays(words, matrix).save(path)
    path = path.rename(tmp_path / "renamed.txt")
    same(aslant.load(path), words, matrix)
    same(aslant.load(path, top=2), words[:2], matrix[:2])


def test_the_safetensors_library_reads_what_we_save(tmp_path: Path) -> None:
    path = tmp_path / "saved.safetensors"
    WordVectors.from_arrays(WORDS, MATRIX).save(path)
    tensors = safetensors.numpy.load_file(path)
    np.testing.assert_array_equal(tensors["matrix"], MATRIX)
    assert tensors["words"].tobytes().decode().split("\n") == WORDS


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_we_read_what_the_safetensors_library_saves(dtype: type, tmp_path: Path) -> None:
    matrix = MATRIX.astype(dtype)
    words = np.frombuffer("\n".join(WORDS).encode(), np.uint8)
    path = tmp_path / "foreign.safetensors"
    safetensors.numpy.save_file({"words": words, "matrix": matrix}, path)
    same(aslant.load(path), WORDS, matrix.astype(np.float32))


def test_a_safetensors_file_from_elsewhere_is_cleaned_like_any_other(tmp_path: Path) -> None:
    matrix = np.concatenate([MATRIX, MATRIX])
    matrix[3] = 0
    matrix[4, 1] = np.nan
    words = [*WORDS, *WORDS]
    path = tmp_path / "foreign.safetensors"
    safetensors.numpy.save_file({"words": np.frombuffer("\n".join(words).encode(), np.uint8), "matrix": matrix}, path)
    expected = WordVectors.from_arrays(words, matrix)
    loaded = aslant.load(path)
    same(loaded, list(expected.words), expected.matrix)
    assert loaded.repairs == expected.repairs


def test_our_safetensors_file_is_mapped_and_not_read(tmp_path: Path) -> None:
    path = tmp_path / "saved.safetensors"
    WordVectors.from_arrays(WORDS, MATRIX).save(path)
    base: Any = aslant.load(path).matrix
    while isinstance(base, np.ndarray) and not isinstance(base, np.memmap):
        base = base.base
    assert isinstance(base, np.memmap)


def test_an_npz_with_an_array_of_strings_is_read(tmp_path: Path) -> None:
    path = tmp_path / "vectors.npz"
    np.savez_compressed(path, words=np.array(WORDS), matrix=MATRIX.astype(np.float64))
    same(aslant.load(path))


@pytest.mark.parametrize("suffix", [".txt", ".words", ".vocab"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("final", [True, False])
def test_an_array_with_a_word_list_beside_it_is_read(suffix: str, ending: str, final: bool, tmp_path: Path) -> None:
    path = tmp_path / "vectors.npy"
    np.save(path, MATRIX)
    path.with_suffix(suffix).write_bytes((ending.join(WORDS) + (ending if final else "")).encode())
    same(aslant.load(path))


def test_an_array_in_fortran_order_or_integers_becomes_float32_in_c_order(tmp_path: Path) -> None:
    path = tmp_path / "vectors.npy"
    path.with_suffix(".txt").write_text("a\nb\n")
    for array in (np.asfortranarray(MATRIX[:2]), np.array([[1, 2], [3, 4]]), MATRIX[:2].astype(">f8")):
        np.save(path, array)
        same(aslant.load(path), ["a", "b"], array.astype(np.float32))


def test_words_of_a_numpy_array_become_plain_strings() -> None:
    """NumPy's own strings do not go into the JSON of a result that holds tokens."""
    vectors = WordVectors.from_arrays(np.array(["a", "b"]), np.eye(2))
    assert {type(word) for word in vectors.words} == {str}


def test_arrays_in_memory_become_vectors() -> None:
    same(WordVectors.from_arrays(iter(WORDS), MATRIX.tolist()))
    same(WordVectors.from_arrays(np.array(WORDS), np.asfortranarray(MATRIX, dtype=np.float64)))


@pytest.mark.parametrize(
    ("words", "matrix", "problem"),
    [
        (["a"], [[1, 2], [3, 4]], "1 words but 2 vectors"),
        (["a", "b"], [[1, 2], [3]], "not an array of numbers"),
        (["a"], [["x", "y"]], "not an array of numbers"),
        (["a"], [[1 + 2j, 3]], "not an array of numbers"),
        (["a"], [[10**400, 1]], "not an array of numbers"),
        (["a"], [1, 2], "shape"),
        ([], np.empty((0, 3)), "shape"),
        (["a"], np.empty((1, 0)), "shape"),
        ([0, 1], [[1, 2], [3, 4]], "must be strings"),
        ([None, "a"], [[1, 2], [3, 4]], "must be strings"),
        ([b"", "a"], [[1, 2], [3, 4]], "must be strings"),
        (["a"], [[0, 0]], "no usable"),
        (["a"], [[np.nan, 0]], "corrupt"),
    ],
)
def test_arrays_that_make_no_sense_are_refused(words: Any, matrix: Any, problem: str) -> None:
    with pytest.raises(VectorsError, match=problem):
        WordVectors.from_arrays(words, matrix)


def test_values_that_are_extreme_but_finite_are_kept() -> None:
    matrix = np.array([[3e38, 3e38], [1e-40, 0], [1, 1]], np.float32)
    loaded = WordVectors.from_arrays(["huge", "small", "one"], matrix)
    same(loaded, ["huge", "small", "one"], matrix)
    assert loaded.repairs == {}


# Saving


def test_saving_refuses_other_suffixes(tiny: WordVectors, tmp_path: Path) -> None:
    for name in ("vectors.kv", "vectors", "vectors.safetensors.gz"):
        with pytest.raises(VectorsError, match=r"\.safetensors or \.npz"):
            tiny.save(tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", [".safetensors", ".npz", ".bin", ".vec"])
def test_saving_where_one_cannot_write_is_one_error(tiny: WordVectors, suffix: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / f"folder{suffix}").mkdir()
    for target in (tmp_path / "absent" / f"v{suffix}", tmp_path / "file" / f"v{suffix}", tmp_path / f"folder{suffix}"):
        with pytest.raises(VectorsError, match="cannot write"):
            tiny.save(target)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", f"folder{suffix}"]


@pytest.mark.parametrize("suffix", [".safetensors", ".npz", ".bin", ".txt"])
def test_a_failed_save_leaves_the_old_file(
    tiny: WordVectors, suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"vectors{suffix}"
    tiny.save(path)
    before = path.read_bytes()

    def full(file: IO[bytes], vectors: WordVectors) -> None:
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setitem(WRITERS, suffix, full)
    with pytest.raises(VectorsError, match="No space left"):
        tiny.save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("word", ["two\nlines", "lone \ud800 surrogate"])
@pytest.mark.parametrize("suffix", [".safetensors", ".npz"])
def test_words_that_a_file_cannot_hold_are_refused(word: str, suffix: str, tmp_path: Path) -> None:
    vectors = WordVectors.from_arrays(["a", word], [[1, 2], [3, 4]])
    with pytest.raises(VectorsError, match="word"):
        vectors.save(tmp_path / f"v{suffix}")
    assert not list(tmp_path.iterdir())


def test_saving_over_the_file_that_is_mapped_is_safe(tmp_path: Path) -> None:
    path = tmp_path / "saved.safetensors"
    WordVectors.from_arrays(WORDS, MATRIX).save(path)
    mapped = aslant.load(path)
    mapped.save(path)
    same(mapped)
    same(aslant.load(path))


def test_repairs_and_origin_survive_saving(tmp_path: Path) -> None:
    vectors = WordVectors.from_arrays(["a", "a", "b"], [[1, 2], [3, 4], [5, 6]])
    vectors.save(tmp_path / "v.safetensors")
    assert aslant.load(tmp_path / "v.safetensors").repairs == vectors.repairs


def test_a_word2vec_binary_with_hand_made_bytes_is_as_documented() -> None:
    file = io.BytesIO(as_binary(["ab"], np.array([[1.0, 2.0]], np.float32)))
    assert file.getvalue() == b"1 2\nab \x00\x00\x80?\x00\x00\x00@"


def test_plain_pickles_are_read_and_others_refused() -> None:
    assert keyed_vectors.PlainUnpickler(io.BytesIO(pickle.dumps(["the", 1]))).load() == ["the", 1]
    with pytest.raises(ValueError, match=r"^it asks for builtins\.len$"):
        keyed_vectors.PlainUnpickler(io.BytesIO(pickle.dumps(len))).load()
