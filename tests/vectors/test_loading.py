"""`aslant.load`: what it stops at, what it reports, what it hands on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import aslant
from aslant.errors import DataError, VectorsError
from aslant.io.packed_files import ByteStream, Location, open_stream
from aslant.vectors import LookupPolicy, WordVectors
from aslant.vectors.formats import text, word2vec_binary
from aslant.vectors.rows import DUPLICATE, NON_FINITE
from embedding_files import FORMATS, MATRIX, PACKINGS, WORDS
from embedding_files import text as as_text
from embedding_files import word2vec_binary as as_binary

BIG = 40_000
BIG_WORDS = [f"w{i}" for i in range(BIG)]
BIG_MATRIX = np.random.default_rng(0).normal(size=(BIG, 30)).astype(np.float32)


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Files of many blocks once the blocks are small."""
    folder = tmp_path_factory.mktemp("big")
    for name, write in (("text", as_text), ("binary", as_binary)):
        (folder / name).write_bytes(write(BIG_WORDS, BIG_MATRIX))
        (folder / f"{name}.gz").write_bytes(PACKINGS["gz"](write(BIG_WORDS[:8000], BIG_MATRIX[:8000])))
    return {path.name: path for path in folder.iterdir()}


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "BLOCK_BYTES", 64 << 10)
    monkeypatch.setattr(text, "HEAD_BYTES", 64 << 10)
    monkeypatch.setattr(word2vec_binary, "BLOCK_BYTES", 64 << 10)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("name", ["text", "binary"])
def test_top_stops_reading(big: dict[str, Path], name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[int] = []
    ordinary = ByteStream._read_raw

    def counted(self: ByteStream, size: int) -> bytes:
        data = ordinary(self, size)
        taken.append(len(data))
        return data

    monkeypatch.setattr(ByteStream, "_read_raw", counted)
    loaded = aslant.load(big[name], top=10, cache=False)
    assert loaded.words == BIG_WORDS[:10]
    np.testing.assert_array_equal(loaded.matrix, BIG_MATRIX[:10])
    assert sum(taken) < 1 << 20 < big[name].stat().st_size


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("name", ["text", "binary"])
def test_top_never_sees_a_damaged_tail(big: dict[str, Path], name: str, tmp_path: Path) -> None:
    path = tmp_path / "tail"
    path.write_bytes(big[name].read_bytes()[: 2 << 20] + b"\n\xff\xff garbage " * 1000)
    assert aslant.load(path, top=100).words == BIG_WORDS[:100]
    with pytest.raises(VectorsError):
        aslant.load(path)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("name", ["text.gz", "binary.gz"])
def test_top_never_sees_where_a_packed_file_is_cut_off(big: dict[str, Path], name: str, tmp_path: Path) -> None:
    path = tmp_path / "cut.gz"
    path.write_bytes(big[name].read_bytes()[:-100])
    assert aslant.load(path, top=100).words == BIG_WORDS[:100]
    with pytest.raises(VectorsError, match="ends in the middle"):
        aslant.load(path)


@pytest.mark.parametrize("packing", PACKINGS)
def test_blocks_are_filled_whatever_the_packing(big: dict[str, Path], packing: str, tmp_path: Path) -> None:
    path = tmp_path / "packed"
    path.write_bytes(PACKINGS[packing](big["text"].read_bytes()[: 3 << 20]))
    with open_stream(Location(path)) as stream:
        assert [len(stream.read(1 << 20)) for _ in range(4)] == [1 << 20] * 3 + [0]


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("cached", [True, False])
def test_top_takes_the_first_words_of_every_format(name: str, cached: bool, tmp_path: Path) -> None:
    path = tmp_path / "vectors"
    path.write_bytes(FORMATS[name](WORDS, MATRIX))
    for top in (1, 3, len(WORDS), len(WORDS) + 1, 10**12):
        loaded = aslant.load(path, top=top, cache=cached)
        assert loaded.words == WORDS[:top]
        np.testing.assert_array_equal(loaded.matrix, MATRIX[:top])


def test_top_counts_words_and_not_duplicates(tmp_path: Path) -> None:
    path = tmp_path / "glove.txt"
    path.write_bytes(as_text(["a", "a", "b", "a", "c", "c", "d"], MATRIX[:7]))
    loaded = aslant.load(path, top=3)
    assert loaded.words == ["a", "b", "c"]
    assert loaded.repairs == {DUPLICATE: 2}
    np.testing.assert_array_equal(loaded.matrix, MATRIX[[0, 2, 4]])


def test_faults_behind_the_top_words_do_not_count(tmp_path: Path) -> None:
    matrix = np.concatenate([MATRIX, MATRIX])
    matrix[[30, 31, 32]] = np.nan
    words = [f"w{i}" for i in range(len(matrix))]
    path = tmp_path / "glove.txt"
    path.write_bytes(as_text([*words, "w0"], np.concatenate([matrix, MATRIX[:1]])))
    assert aslant.load(path, top=5).repairs == {}
    assert aslant.load(path, top=30).repairs == {}
    path.write_bytes(as_text(words[:33], matrix[:33]))
    assert aslant.load(path, top=30).repairs == {}
    path.write_bytes(as_text([*words, "w0"], np.concatenate([matrix, MATRIX[:1]])))
    assert aslant.load(path).repairs == {NON_FINITE: 3, DUPLICATE: 1}


@pytest.mark.parametrize("top", [0, -1])
def test_a_top_of_nothing_is_refused(top: int, tiny: WordVectors) -> None:
    for source in (None, tiny, "absent"):
        with pytest.raises(VectorsError, match=f"top={top}"):
            aslant.load(source, top=top)


def test_vectors_pass_through_and_keep_all_they_have(tiny: WordVectors) -> None:
    assert aslant.load(tiny) is tiny
    strict = tiny.with_policy(LookupPolicy("exact", "exact"))
    part = aslant.load(strict, top=2)
    assert part.words == ["he", "she"]
    assert part.policy == strict.policy
    assert (part.name, part.format, part.note) == (tiny.name, tiny.format, tiny.note)


def test_the_policy_given_is_kept_and_recorded(tmp_path: Path) -> None:
    path = tmp_path / "glove.txt"
    path.write_bytes(as_text(WORDS, MATRIX))
    assert aslant.load(path, policy=LookupPolicy("exact", "exact")).lookup(["The"]).missing == ("The",)
    assert aslant.load(path).lookup(["The"]).tokens == ("the",)
    assert aslant.load(path, policy=LookupPolicy("exact")).record()["lookup"].startswith("case: as written;")


@pytest.mark.parametrize("packing", PACKINGS)
def test_progress_grows_to_the_size_of_the_file(packing: str, tmp_path: Path) -> None:
    path = tmp_path / "glove"
    path.write_bytes(PACKINGS[packing](as_text(WORDS, MATRIX)))
    seen: list[tuple[int, int]] = []
    aslant.load(path, progress=lambda done, size: seen.append((done, size)))
    assert {size for _, size in seen} == {path.stat().st_size}
    assert max(done for done, _ in seen) == path.stat().st_size
    assert all(0 <= done <= size for done, size in seen)


def test_the_sample_holds_words_in_order_of_frequency() -> None:
    sample = aslant.load()
    assert sample.dimensions == 100
    assert sample.words[:3] == ["the", ",", "."]
    assert len(sample) >= 40_000
    assert np.isfinite(sample.matrix).all()
    assert len(set(sample.words)) == len(sample)
    assert aslant.load(top=7).words == sample.words[:7]


def test_the_same_vectors_have_the_same_fingerprint_in_every_format(tmp_path: Path) -> None:
    prints = set()
    for name, write in FORMATS.items():
        (tmp_path / name).write_bytes(write(WORDS, MATRIX))
        prints.add(aslant.load(tmp_path / name).fingerprint)
    assert prints == {WordVectors.from_arrays(WORDS, MATRIX).fingerprint}
    assert WordVectors.from_arrays(WORDS, MATRIX + 1).fingerprint not in prints
    assert WordVectors.from_arrays(WORDS[::-1], MATRIX).fingerprint not in prints


def test_vectors_of_real_words_are_found_in_the_sample(real_data: Path) -> None:
    import json

    professions = [row[0] for row in json.loads((real_data / "debiaswe" / "professions.json").read_text())]
    looked_up = aslant.load().lookup(professions)
    assert len(looked_up.found) + len(looked_up.missing) == len(professions)
    assert len(looked_up.found) > 0.8 * len(professions)


def test_what_is_no_embedding_is_said_to_be_what_it_is() -> None:
    with pytest.raises(VectorsError, match="'sample-mlm' is a language model; measure it with 'aslant audit"):
        aslant.load("sample-mlm")
    with pytest.raises(VectorsError, match=r"'WEAT6' is a word set, not an embedding; .* --test weat-6"):
        aslant.load("WEAT6")
    with pytest.raises(DataError, match=r"is data of kind 'encoder'; needed here: vectors; 'aslant audit' takes it"):
        aslant.load("all-minilm-l6-v2")
