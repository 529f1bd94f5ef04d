"""Claims about ELMo: AllenNLP's numbers, whatever the batch; files that do not fit are one clear error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aslant
from aslant.errors import DataError, MeasureError
from aslant.models import Encoder, Passage
from aslant.models.elmo import Elmo, ElmoEncoder, StatefulElmo, words_of
from aslant.models.elmo_files import elmo_files
from tiny_elmo import OPTIONS, changed, h5py, literal, random_weights, save_weights, write

SENTENCES = [
    ["The", "nurse", ",", "who", "was", "late", ",", "said", "so", "."],
    ["Oui"],
    ["Électriciens", "naïfs", "日本語", "a-word-of-more-than-twenty-characters"],
    ["He", "did", "n't", "know", "that", "she", "is", "a", "good", "doctor", "in", "the", "U.S.", "and", "elsewhere"],
    ["A", "b"],
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("elmo"))


@pytest.fixture(scope="module")
def encoder(folder: Path) -> ElmoEncoder:
    found = aslant.load_encoder(folder)
    assert isinstance(found, ElmoEncoder)
    return found


@pytest.fixture(scope="module")
def fixture(real_data: Path) -> Path:
    if not (real_data / "elmo_fixture").is_dir():
        pytest.skip("no elmo_fixture in the real data")
    return real_data / "elmo_fixture"


def reference(fixture: Path, k: int, i: int) -> Any:
    with h5py.File(fixture / f"lm_embeddings_{k}.hdf5") as file:
        return np.concatenate(list(file[str(i)][...]), axis=-1)  # forward beside backward


def sentences_of(fixture: Path) -> list[list[list[str]]]:
    return [[text.split() for text in texts] for texts in json.loads((fixture / "sentences.json").read_text())]


def test_allennlps_thirty_sentences_are_met_with_states_carried(fixture: Path) -> None:
    sentences = sentences_of(fixture)
    stateful = aslant.load_encoder(fixture).stateful()
    for i in range(10):
        batch = stateful.layers([sentences[k][i] for k in range(3)])
        for k, layers in enumerate(batch):
            np.testing.assert_allclose(layers[-1], reference(fixture, k, i), rtol=0, atol=1e-5)


def test_allennlps_first_sentences_are_met_without_states_and_later_ones_are_not(fixture: Path) -> None:
    sentences, encoder = sentences_of(fixture), aslant.load_encoder(fixture)
    for k in range(3):
        np.testing.assert_allclose(encoder.layers(sentences[k][0])[-1], reference(fixture, k, 0), rtol=0, atol=1e-5)
        assert np.abs(encoder.layers(sentences[k][1])[-1] - reference(fixture, k, 1)).max() > 1e-3


def test_allennlps_vectors_of_words_alone_are_met(fixture: Path) -> None:
    words = (fixture / "vocab_test.txt").read_text("utf-8").splitlines()
    with h5py.File(fixture / "elmo_token_embeddings.hdf5") as file:
        expected = file["embedding"][...]
    elmo = Elmo.read(fixture / "options.json", fixture / "lm_weights.hdf5")
    np.testing.assert_allclose(elmo.token_vectors(words).numpy(), expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    "options",
    [
        OPTIONS,
        changed(char_cnn={"activation": "tanh", "n_highway": 0, "n_characters": 261}),
        changed(lstm={"use_skip_connections": False, "cell_clip": None, "proj_clip": None, "n_layers": 3}),
    ],
)
def test_every_layer_is_what_it_is_step_by_step(options: dict[str, Any], tmp_path: Path) -> None:
    encoder = aslant.load_encoder(write(tmp_path, options))
    weights = random_weights(tmp_path / "options.json")
    for words in SENTENCES:
        np.testing.assert_allclose(encoder.layers(words), literal(words, weights, options), rtol=0, atol=1e-5)


def test_clipping_happens_in_these_tests(encoder: ElmoEncoder) -> None:
    top = np.abs(encoder.layers(SENTENCES[3])[1])
    assert (top == np.float32(OPTIONS["lstm"]["proj_clip"])).any()


def texts() -> list[Passage]:
    found = []
    for words in SENTENCES * 3:
        text = " ".join(words)
        found.append(Passage(text, ((0, len(words[0])), (len(text) - len(words[-1]), len(text)))))
    return found


@pytest.mark.parametrize("budget", [None, 1, 17])
def test_in_batches_and_alone_vectors_are_the_same(budget: int | None, folder: Path, encoder: ElmoEncoder) -> None:
    together = list(aslant.load_encoder(folder, token_budget=budget).span_vectors(texts()))
    for passage, vectors in zip(texts(), together, strict=True):
        (alone,) = encoder.span_vectors([passage])
        np.testing.assert_allclose(vectors, alone, rtol=0, atol=1e-5)
    sentences = encoder.sentence_vectors([passage.text for passage in texts()])
    for passage, vector in zip(texts(), sentences, strict=True):
        np.testing.assert_allclose(vector, encoder.sentence_vectors([passage.text])[0], rtol=0, atol=1e-5)


def test_nothing_is_carried_from_one_text_to_the_next(encoder: ElmoEncoder) -> None:
    before = encoder.layers(SENTENCES[0])
    encoder.layers(SENTENCES[3])
    np.testing.assert_array_equal(encoder.layers(SENTENCES[0]), before)


def test_a_layer_is_chosen_or_all_are_averaged(folder: Path, encoder: ElmoEncoder) -> None:
    layers = encoder.layers(["He", "is", "late"])
    passage = Passage("He is late", ((3, 5),))
    wanted = {None: layers.mean(axis=0), "mean": layers.mean(axis=0), "last": layers[2], 0: layers[0], -2: layers[1]}
    for layer, expected in wanted.items():
        (found,) = aslant.load_encoder(folder, layer=layer).span_vectors([passage])  # type: ignore[arg-type]
        np.testing.assert_allclose(found[0], expected[1], rtol=0, atol=1e-5)
    np.testing.assert_array_equal(layers[0, :, :6], layers[0, :, 6:])
    with pytest.raises(MeasureError, match=r"layer is 3; .* has layers 0 \(before the first\) to 2"):
        aslant.load_encoder(folder, layer=3)


def test_a_span_is_the_mean_or_the_first_of_the_words_it_overlaps(folder: Path, encoder: ElmoEncoder) -> None:
    passage = Passage("The chief medical examiner didn't.", ((4, 26), (27, 33), (6, 13), (33, 34)))
    layers = encoder.layers(["The", "chief", "medical", "examiner", "did", "n't", "."]).mean(axis=0)
    (found,) = encoder.span_vectors([passage])
    expected = [layers[1:4].mean(axis=0), layers[4:6].mean(axis=0), layers[1:3].mean(axis=0), layers[6]]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)
    (first,) = aslant.load_encoder(folder, pieces="first").span_vectors([passage])
    np.testing.assert_allclose(first, layers[[1, 4, 1, 6]], rtol=0, atol=1e-5)
    np.testing.assert_allclose(encoder.sentence_vectors([passage.text])[0], layers.mean(axis=0), rtol=0, atol=1e-5)


def test_a_long_text_is_read_whole(encoder: ElmoEncoder) -> None:
    words = SENTENCES[3] * 200
    text = " ".join(words)
    (found,) = encoder.span_vectors([Passage(text, ((0, 2), (len(text) - 9, len(text))))])
    np.testing.assert_allclose(found, encoder.layers(words).mean(axis=0)[[0, -1]], rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Can't we'll he’d o'clock", "Ca n't we 'll he ’d o ' clock"),
        ("“Yes!” said e\u0301lan_1 (3.5%)…", "“ Yes ! ” said e\u0301lan_1 ( 3.5 % ) …"),
        ("Dr. Who of the U.K. -- well-known.", "Dr. Who of the U.K. - - well-known ."),
        (" \t\n", ""),
    ],
)
def test_texts_are_cut_into_words_and_punctuation(text: str, words: str) -> None:
    assert [text[start:end] for start, end in words_of(text)] == words.split()


def test_states_go_with_the_rows_of_a_batch(encoder: ElmoEncoder) -> None:
    a, b, c, d, e = SENTENCES
    stateful = encoder.stateful()
    batches = [stateful.layers(batch) for batch in ([a, b], [c], [d, e, a])]
    for row, read in enumerate(([a, c, d], [b, e], [a])):
        alone = StatefulElmo(encoder.elmo)
        expected = [alone.layers([words])[0] for words in read][-1]
        np.testing.assert_allclose(batches[-1][row], expected, rtol=0, atol=1e-5)
    np.testing.assert_allclose(batches[0][0], encoder.layers(a), rtol=0, atol=1e-5)
    assert np.abs(batches[1][0] - encoder.layers(c)).max() > 1e-3


def test_the_record_says_what_it_is_and_its_fingerprint_covers_weights_and_choices(
    folder: Path, tmp_path: Path, encoder: ElmoEncoder
) -> None:
    assert isinstance(encoder, Encoder)
    record = encoder.record()
    assert record["format"] == "encoder (ELMo; layer: mean, pieces: mean)"
    assert record["dimensions"] == encoder.dimensions == 12
    others = [
        aslant.load_encoder(folder, layer="last"),
        aslant.load_encoder(folder, pieces="first"),
        aslant.load_encoder(folder, dtype="bfloat16"),
        aslant.load_encoder(write(tmp_path / "other", seed=1)),
        aslant.load_encoder(write(tmp_path / "clip", changed(lstm={"cell_clip": 0.9}))),
    ]
    assert len({record["fingerprint"], *(other.record()["fingerprint"] for other in others)}) == 6
    assert aslant.load_encoder(write(tmp_path / "same")).record()["fingerprint"] == record["fingerprint"]


def test_half_precision_gives_nearly_the_same_numbers(folder: Path, encoder: ElmoEncoder) -> None:
    half = aslant.load_encoder(folder, dtype="bfloat16")
    np.testing.assert_allclose(half.layers(SENTENCES[0]), encoder.layers(SENTENCES[0]), rtol=0, atol=0.3)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (lambda e: e.sentence_vectors(["a"], pooling="first"), "ELMo has no token that stands for a sentence"),
        (lambda e: e.sentence_vectors(["a"], pooling="max"), "pooling is 'max'"),
        (lambda e: e.sentence_vectors([" "]), "' ' has no words that the model reads"),
        (lambda e: list(e.span_vectors([Passage("a  b", ((1, 2),))])), "' ' in 'a  b' has no tokens for the model"),
        (lambda e: list(e.span_vectors([Passage("a", ((0, 2),))])), "the span 0 to 2 is not inside 'a'"),
        (lambda e: list(e.span_vectors([Passage("a", ((0, 0),))])), "the span 0 to 0 is not inside 'a'"),
        (lambda e: e.layers(["a", ""]), "an empty word"),
    ],
)
def test_what_has_no_vector_is_one_error(asked: Any, message: str, encoder: ElmoEncoder) -> None:
    with pytest.raises(MeasureError, match=message):
        asked(encoder)


PUBLISHED = "elmo_2x1024_128_2048cnn_1xhighway_"


def test_files_are_found_by_the_names_that_allennlp_gives_them(tmp_path: Path) -> None:
    published = write(tmp_path / "published", prefix=PUBLISHED)
    write(published, prefix="elmo_other_", seed=1)
    one = published / f"{PUBLISHED}options.json"
    assert elmo_files(one) == (one, published / f"{PUBLISHED}weights.hdf5")
    with pytest.raises(DataError, match="has several options files"):
        aslant.load_encoder(published)
    (published / "elmo_other_options.json").unlink()
    plain = write(tmp_path / "plain")
    same = {aslant.load_encoder(place).record()["fingerprint"] for place in (one, published, plain, str(plain))}
    assert len(same) == 1
    (plain / "lm_weights.hdf5").unlink()
    with pytest.raises(DataError, match="has no file of weights"):
        aslant.load_encoder(plain)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "cannot be used"),
        ("[]", "cannot be used"),
        ("[" * 9999, "cannot be used"),
        (" " * 10**6 + "{}", "it has 1,000,002 bytes, too many for options"),
        ("{}", "lack 'char_cnn'"),
        (changed(lstm={"dim": 0}), "lstm.dim is 0; it must be a whole number from 1 to 100,000"),
        (changed(lstm={"dim": 10**12}), "lstm.dim is 1000000000000"),
        (changed(lstm={"dim": 99_999, "projection_dim": 99_999}), "at most 1,000,000,000 are allowed"),
        (changed(lstm={"n_layers": True}), "n_layers is True"),
        (changed(lstm={"cell_clip": "3"}), "cell_clip is '3'"),
        (changed(char_cnn={"activation": "gelu"}), "activation is 'gelu'"),
        (changed(char_cnn={"filters": []}), "there must be some"),
        (changed(char_cnn={"filters": [[21, 3]]}), "none wider than a word"),
        (changed(char_cnn={"n_characters": 60}), "n_characters is 60"),
    ],
)
def test_options_that_make_no_sense_are_one_error(content: Any, message: str, tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "options.json").write_text(content if isinstance(content, str) else json.dumps(content))
    with pytest.raises(DataError, match=message) as caught:
        aslant.load_encoder(tmp_path)
    assert "\n" not in str(caught.value)


def replaced(weights: Path, name: str, make: Any) -> None:
    with h5py.File(weights, "r+") as file:
        del file[name]
        make(file)


CELL = "RNN_1/RNN/MultiRNNCell/Cell1/LSTMCell"


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda path: path.write_bytes(b"damaged" * 999), "cannot be used"),
        (lambda path: path.write_bytes(path.read_bytes()[:9000]), "cannot be used"),
        (lambda path: path.write_bytes(b""), "it has 0 bytes, too few"),
        (lambda path: replaced(path, f"{CELL}/B", lambda file: None), f"'{CELL}/B' is missing"),
        (lambda path: replaced(path, "CNN", lambda file: file.create_dataset("CNN", data=[1.0])), "is missing"),
        (
            lambda path: replaced(path, "CNN_proj/b_proj", lambda f: f.create_dataset("CNN_proj/b_proj", data=[1.0])),
            r"'CNN_proj/b_proj' is \(1,\), where the options require \(6,\)",
        ),
        (
            lambda path: replaced(path, f"{CELL}/B", lambda f: f.create_dataset(f"{CELL}/B", data=np.arange(36))),
            "is not an array of numbers kept in this file",
        ),
        (
            lambda path: replaced(
                path, f"{CELL}/B", lambda f: f.create_dataset(f"{CELL}/B", data=np.full(36, np.nan, np.float32))
            ),
            "holds values that are not numbers",
        ),
        (
            lambda path: replaced(path, "CNN", lambda f: f.__setitem__("CNN", h5py.ExternalLink("other.hdf5", "/"))),
            "'CNN/W_cnn_0' is",
        ),
        (lambda path: replaced(path, "CNN", lambda f: f.__setitem__("CNN", h5py.SoftLink("/CNN_proj"))), "is a link"),
        (
            lambda path: replaced(
                path,
                f"{CELL}/B",
                lambda f: f.create_dataset(f"{CELL}/B", (36,), "f4", external=[("/etc/hostname", 0, 144)]),
            ),
            "is not an array of numbers kept in this file",
        ),
    ],
)
def test_weights_that_do_not_fit_are_one_error(spoil: Any, message: str, tmp_path: Path) -> None:
    write(tmp_path)
    save_weights(tmp_path / "other.hdf5", random_weights(tmp_path / "options.json"))
    spoil(tmp_path / "lm_weights.hdf5")
    with pytest.raises(DataError, match=message) as caught:
        aslant.load_encoder(tmp_path)
    assert "\n" not in str(caught.value)


def test_a_small_file_that_claims_much_takes_no_memory(tmp_path: Path) -> None:
    write(tmp_path)
    big = changed(lstm={"dim": 9_000, "projection_dim": 2_000})
    (tmp_path / "options.json").write_text(json.dumps(big))
    with pytest.raises(DataError, match=r"it has [\d,]+ bytes, too few for the weights"):
        aslant.load_encoder(tmp_path)
