"""Claims about sentence encoders: what their files say about serving is what comes out, or one clear refusal."""

from __future__ import annotations

import json
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aslant
from aslant.errors import DataError, MeasureError
from aslant.models import Encoder, Passage, SentenceEncoder
from aslant.models.twins import untrained
from tiny_lms import causal, torch
from tiny_sentence_transformers import KEYS, NORMALISE, dense, pooled, pooling, tokens_of, write

TEXTS = ["He is a doctor.", "She said that the electrician and the nurse are here", "they", "The doctor " * 30]


@pytest.fixture(autouse=True)
def no_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASLANT_OFFLINE", "1")


def served(folder: Path, *texts: str, **options: Any) -> Any:
    return aslant.load_encoder(folder, **options).sentence_vectors(texts or TEXTS)


@pytest.mark.parametrize("mode", KEYS)
@pytest.mark.parametrize("name", ["bert", "roberta"])
def test_every_way_to_pool_is_what_its_name_says_with_special_tokens_and_truncation(
    mode: str, name: str, tmp_path: Path
) -> None:
    found = served(write(tmp_path, [pooling(mode)], name=name))
    expected = [pooled(tokens_of(text, name=name), mode) for text in TEXTS]
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-5)


LAYER_NORM = ("LayerNorm", {"dimension": 8}, {"norm.weight": torch.arange(8.0) / 8, "norm.bias": torch.ones(8) / 3})


@pytest.mark.parametrize(
    ("modules", "more"),
    [
        *(([pooling(mode)], {}) for mode in KEYS),
        ([pooling("cls", "mean", "lasttoken"), dense(48, 8), LAYER_NORM, NORMALISE], {}),
        ([pooling("mean"), dense(16, 16, "activation.GELU", residual=True), ("Dropout", {"dropout": 0.5}, {})], {}),
        ([pooling("mean"), NORMALISE], {"settings": {"prompts": {"q": "he said: "}, "default_prompt_name": "q"}}),
        (
            [pooling("mean", include_prompt=False)],
            {"settings": {"prompts": {"q": "he said: "}, "default_prompt_name": "q"}},
        ),
        ([pooling("mean")], {"settings": {"truncate_dim": 5}}),
        ([pooling("mean")], {"first": {"max_seq_length": 6}}),
        ([pooling("lasttoken"), NORMALISE], {"name": "roberta"}),
    ],
)
def test_the_library_serves_the_same_folder_alike_from_disk_and_in_memory(
    modules: Any, more: dict[str, Any], tmp_path: Path
) -> None:
    library = pytest.importorskip("sentence_transformers")
    folder = write(tmp_path, modules, **more)
    model = library.SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    expected = model.encode(TEXTS)
    np.testing.assert_allclose(served(folder), expected, rtol=0, atol=1e-5)
    given = aslant.load_encoder(model)
    np.testing.assert_allclose(given.sentence_vectors(TEXTS), expected, rtol=0, atol=1e-5)
    assert given.name == str(folder)  # two models in memory are told apart


def test_newer_settings_name_the_modes_in_their_own_order(tmp_path: Path) -> None:
    config = {"embedding_dimension": 16, "pooling_mode": ["mean", "cls"]}
    encoder = aslant.load_encoder(write(tmp_path, [("Pooling", config, {})]))
    expected = [np.r_[pooled(tokens_of(text), "mean"), pooled(tokens_of(text), "cls")] for text in TEXTS]
    np.testing.assert_allclose(encoder.sentence_vectors(TEXTS), expected, rtol=0, atol=2e-5)
    assert encoder.record()["dimensions"] == 32
    assert "mean + first-token pooling" in encoder.record()["format"]
    spans = next(iter(encoder.span_vectors([Passage("He is a doctor.", ((0, 2),))])))
    assert spans.shape == (1, 16)  # words have the transformer's own vectors


@pytest.mark.parametrize("residual", [False, True])
@pytest.mark.parametrize(("activation", "acts"), [("activation.Tanh", np.tanh), ("linear.Identity", lambda x: x)])
def test_dense_layers_and_length_one_are_applied_in_order(
    activation: str, acts: Any, residual: bool, tmp_path: Path
) -> None:
    layer = dense(32, 32, activation, residual=residual)
    found = served(write(tmp_path, [pooling("cls", "mean"), layer, NORMALISE]))
    weight, bias = (layer[2][f"linear.{part}"].double().numpy() for part in ("weight", "bias"))
    for text, vector in zip(TEXTS, found, strict=True):
        x = np.r_[pooled(tokens_of(text), "cls"), pooled(tokens_of(text), "mean")]
        x = acts(weight @ x + bias) + (x if residual else 0)
        np.testing.assert_allclose(vector, x / np.linalg.norm(x), rtol=0, atol=2e-5)


def test_layer_norm_and_fewer_dimensions_are_applied(tmp_path: Path) -> None:
    random = torch.Generator().manual_seed(1)
    weights = {"norm.weight": torch.rand(16, generator=random), "norm.bias": torch.rand(16, generator=random)}
    modules = [pooling("mean"), ("LayerNorm", {"dimension": 16}, weights), ("Dropout", {"dropout": 0.5}, {})]
    found = served(write(tmp_path, modules, settings={"truncate_dim": 5}), TEXTS[0])[0]
    x = pooled(tokens_of(TEXTS[0]), "mean")
    x = (x - x.mean()) / np.sqrt(x.var() + 1e-5) * weights["norm.weight"].numpy() + weights["norm.bias"].numpy()
    np.testing.assert_allclose(found, x[:5], rtol=0, atol=2e-5)


def test_two_models_that_differ_in_what_follows_the_transformer_differ(tmp_path: Path) -> None:
    one = aslant.load_encoder(write(tmp_path / "a", [pooling("mean"), NORMALISE]))
    other = aslant.load_encoder(write(tmp_path / "b", [pooling("mean"), dense(16, 8), NORMALISE]))
    words: dict[str, Any] = {
        "targets": (["he", "doctor"], ["she", "nurse"]),
        "attributes": (["the", "a"], ["so", "is"]),
    }
    how: dict[str, Any] = {**words, "templates": ["{word} is here."], "bootstrap": 0, "chance": 0}
    first, second = (aslant.seat(encoder, **how) for encoder in (one, other))
    assert first.effect_size != pytest.approx(second.effect_size, abs=1e-3)
    assert first.pooling == "served"
    assert first.provenance.representation.fingerprint != second.provenance.representation.fingerprint
    plain = [aslant.seat(encoder, **how, pooling="mean") for encoder in (one, other)]
    assert plain[0].effect_size == pytest.approx(plain[1].effect_size, abs=1e-6)
    assert plain[0].pooling == "mean"


def test_prompts_are_put_before_the_text_by_default_by_name_or_as_given(tmp_path: Path) -> None:
    settings = {"prompts": {"query": "he said: ", "document": "the doctor: "}, "default_prompt_name": "query"}
    folder = write(tmp_path, [pooling("mean")], settings=settings)
    encoder = aslant.load_encoder(folder)
    assert "prompt 'he said: '" in encoder.record()["format"]
    assert "prompts not used: document" in encoder.record()["note"]
    for options, prompt in (({}, "he said: "), ({"prompt": "document"}, "the doctor: "), ({"prompt": "a: "}, "a: ")):
        expected = pooled(tokens_of(prompt + TEXTS[0]), "mean")
        np.testing.assert_allclose(served(folder, TEXTS[0], **options)[0], expected, rtol=0, atol=2e-5)
    with pytest.raises(DataError, match="there is no prompt 'qery'; the model has: query, document"):
        aslant.load_encoder(folder, prompt="qery")


def test_a_prompt_that_is_not_pooled_is_seen_but_does_not_count(tmp_path: Path) -> None:
    settings = {"prompts": {"q": "he said: "}, "default_prompt_name": "q"}
    folder = write(tmp_path, [pooling("mean", include_prompt=False)], settings=settings)
    from tiny_lms import masked

    before = len(masked("bert")[1]("he said: ")["input_ids"]) - 1
    expected = tokens_of("he said: " + TEXTS[0])[before:].mean(axis=0)
    np.testing.assert_allclose(served(folder, TEXTS[0])[0], expected, rtol=0, atol=2e-5)


def test_a_model_that_is_lower_cased_when_served_does_not_see_capitals(tmp_path: Path) -> None:
    as_is = write(tmp_path / "a", [pooling("mean")], name="bert-cased")
    lower = write(tmp_path / "b", [pooling("mean")], name="bert-cased", first={"do_lower_case": True})
    assert not np.allclose(served(as_is, "HE is a Doctor."), served(as_is, "he is a doctor."))
    np.testing.assert_allclose(served(lower, "HE is a Doctor."), served(as_is, "he is a doctor."), rtol=0, atol=1e-6)


def test_a_transformer_in_a_folder_of_its_own_is_found_and_an_empty_text_is_its_special_tokens(tmp_path: Path) -> None:
    folder = write(tmp_path, [pooling("mean")], inner="0_Transformer")
    np.testing.assert_allclose(served(folder, "")[0], pooled(tokens_of(""), "mean"), rtol=0, atol=2e-5)
    assert served(folder, TEXTS[0]).shape == (1, 16)


def test_a_batch_and_single_texts_give_the_same_and_no_texts_give_none(tmp_path: Path) -> None:
    encoder = aslant.load_encoder(write(tmp_path, [pooling("lasttoken", "max"), dense(32, 4), NORMALISE]))
    alone = np.concatenate([encoder.sentence_vectors([text]) for text in TEXTS])
    np.testing.assert_allclose(encoder.sentence_vectors(TEXTS), alone, rtol=0, atol=1e-5)
    assert encoder.sentence_vectors([]).shape == (0, 4)
    assert "a text is cut after 24 tokens, as served" in encoder.record()["note"]


def test_an_untrained_twin_has_the_same_modules_with_weights_of_its_own(tmp_path: Path) -> None:
    encoder = aslant.load_encoder(write(tmp_path, [pooling("mean"), dense(16, 8), NORMALISE]))
    twin, again, other = (untrained(encoder, seed).sentence_vectors(TEXTS) for seed in (1, 1, 2))
    np.testing.assert_array_equal(twin, again)
    assert twin.shape == (len(TEXTS), 8)
    assert not np.allclose(twin, other)
    np.testing.assert_allclose(np.linalg.norm(twin, axis=1), 1, atol=1e-5)


def test_another_layer_is_read_without_what_follows_the_last_one(tmp_path: Path) -> None:
    folder = write(tmp_path, [pooling("cls"), NORMALISE])
    encoder = aslant.load_encoder(folder, layer=1)
    assert "not as served" in encoder.record()["note"]
    with pytest.raises(DataError, match="takes no prompt"):
        aslant.load_encoder(folder, layer=1, prompt="a: ")


def test_a_model_without_modules_is_still_its_words_mean(tmp_path: Path) -> None:
    folder = write(tmp_path, [pooling("cls")])
    (folder / "modules.json").unlink()
    encoder: Any = aslant.load_encoder(folder)
    np.testing.assert_array_equal(encoder.sentence_vectors(TEXTS), encoder.sentence_vectors(TEXTS, pooling="mean"))
    assert encoder.record()["format"].startswith("encoder (")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"type": "sentence_transformers.models.CNN"}, "has a module 'sentence_transformers.models.CNN', which only"),
        ({"type": "custom_code.Pooling"}, "has a module 'custom_code.Pooling', which is code of its own"),
        ({"path": "../elsewhere"}, "names files in '../elsewhere', outside its folder"),
        ({"path": "/etc"}, "names files in '/etc', outside its folder"),
    ],
)
def test_a_module_that_is_not_read_is_named_with_what_to_do(
    change: dict[str, Any], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name, *_: None if "sentence" in name else object())
    folder = write(tmp_path, [pooling("mean")])
    listed = json.loads((folder / "modules.json").read_text())
    listed[1] |= change
    (folder / "modules.json").write_text(json.dumps(listed))
    with pytest.raises(DataError, match=said):
        aslant.load_encoder(folder)


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("modules.json", "{", "is not a list of modules"),
        ("modules.json", "[]", "is not a list of modules"),
        ("modules.json", '[{"path": ""}]', "is not a list of modules"),
        ("1_Pooling/config.json", "[1]", "is not a table of settings"),
        ("1_Pooling/config.json", '{"pooling_mode": "median"}', "a module 'Pooling' by 'median'"),
        (
            "2_Dense/config.json",
            '{"activation_function": "os.system"}',
            "the activation 'os.system', which is code",
        ),
        ("2_Dense/model.safetensors", "no numbers", "cannot be read"),
        ("sentence_bert_config.json", '{"max_seq_length": "x"}', "max_seq_length is 'x'"),
        ("sentence_bert_config.json", '{"query_expansion": {"length": 32}}', "the setting 'query_expansion'"),
    ],
)
def test_damaged_files_are_one_sentence(file: str, content: str, said: str, tmp_path: Path) -> None:
    folder = write(tmp_path, [pooling("mean"), dense(16, 8)])
    (folder / file).write_text(content)
    with pytest.raises(DataError, match=said):
        aslant.load_encoder(folder)


def test_pickled_weights_that_are_more_than_numbers_are_not_run(tmp_path: Path) -> None:
    import pickle

    class Bomb:
        def __reduce__(self) -> Any:
            return print, ("boom",)

    folder = write(tmp_path, [pooling("mean"), dense(16, 8)])
    (folder / "2_Dense" / "model.safetensors").unlink()
    (folder / "2_Dense" / "pytorch_model.bin").write_bytes(pickle.dumps({"linear.weight": Bomb()}))
    with pytest.raises(DataError, match=r"hold more than numbers|cannot be read"):
        aslant.load_encoder(folder)


class TextsOnly:
    """An encoder of whole texts, as an embeddings endpoint is."""

    name, dimensions = "endpoint", 64

    def record(self) -> dict[str, Any]:
        how = {"format": "embeddings", "words": 0, "dimensions": 64, "note": ""}
        return {"name": self.name, "fingerprint": "0", **how}

    def sentence_vectors(self, texts: Any, *, progress: Any = None) -> Any:
        words = {word for text in texts for word in text.split()}
        drawn = {word: np.random.default_rng(zlib.crc32(word.encode())).normal(size=64) for word in words}
        return np.array([np.mean([drawn[word] for word in text.split()], axis=0) for text in texts], np.float32)


def test_an_encoder_of_whole_texts_runs_sentence_tests_and_is_audited_but_not_asked_for_words() -> None:
    encoder = TextsOnly()
    assert isinstance(encoder, SentenceEncoder)
    assert not isinstance(encoder, Encoder)
    found = aslant.seat(encoder, "weat-7", chance=200, bootstrap=0)
    assert found.chance is not None
    assert found.pooling == "served"
    with pytest.raises(MeasureError, match="'endpoint' gives one vector for a whole text and none for the words in it"):
        aslant.seat(encoder, "weat-7", pooling="first")
    with pytest.raises(MeasureError, match="gives one vector for a whole text"):
        aslant.ceat(encoder, ["a man and a woman"], "weat-7")
    audit = aslant.audit(encoder, profile="quick")
    assert {part.measure.partition(",")[0] for part in audit.parts} == {"seat"}


def test_pieces_that_an_encoder_of_whole_texts_counts_are_told() -> None:
    class Counting(TextsOnly):
        def piece_counts(self, words: Any) -> list[int]:
            return [1 + len(word) // 5 for word in words]

    found = aslant.seat(Counting(), "weat-6", chance=0, bootstrap=0)
    assert found.pieces is not None
    assert found.effect_size_without_pieces is not None


def test_a_left_to_right_model_is_served_without_a_token_that_it_is_not_served_with(tmp_path: Path) -> None:
    model, tok = causal("llama")
    folder = write(tmp_path, [pooling("lasttoken")])
    model.base_model.save_pretrained(folder)
    tok.save_pretrained(folder)
    found = served(folder, TEXTS[0])[0]
    with torch.inference_mode():
        expected = model.base_model(**{"input_ids": tok(TEXTS[0], return_tensors="pt")["input_ids"]})[0][0, -1]
    np.testing.assert_allclose(found, expected.numpy(), rtol=0, atol=2e-5)


def test_what_is_served_is_loaded_as_it_was_asked_for(tmp_path: Path) -> None:
    pytest.importorskip("accelerate")
    folder = write(tmp_path, [pooling("mean")])
    plain = served(folder, TEXTS[0])
    spread = aslant.load_encoder(folder, device_map={"": "cpu"}).sentence_vectors([TEXTS[0]])
    np.testing.assert_allclose(spread[0], np.ravel(plain), rtol=0, atol=1e-6)
    rounded = aslant.load_encoder(folder, dtype="bfloat16")
    assert rounded.network.dtype == torch.bfloat16
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode": "median"}')
    with pytest.raises(DataError, match="so its library runs it: leave dtype and device_map out"):
        aslant.load_encoder(folder, dtype="bfloat16")


def test_an_older_library_which_runs_code_of_a_folder_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("sentence_transformers")
    monkeypatch.setattr("importlib.metadata.version", lambda _: "5.9.1")
    folder = write(tmp_path, [pooling("mean"), ("Router", {"types": {"0": "own_code.Part"}}, {})])
    with pytest.raises(DataError, match=r"a module 'sentence_transformers.models.Router'.*sentence-transformers>=6"):
        aslant.load_encoder(folder)


def test_a_model_in_memory_that_lower_cases_texts_itself_is_lower_cased_here(tmp_path: Path) -> None:
    library = pytest.importorskip("sentence_transformers")
    model = library.SentenceTransformer(str(write(tmp_path, [pooling("mean")], name="bert-cased")), device="cpu")
    model[0].do_lower_case = True  # as versions before 6 have it: not in the tokenizer
    found = aslant.load_encoder(model).sentence_vectors(["HE is a Doctor.", "he is a doctor."])
    np.testing.assert_array_equal(found[0], found[1])


def test_what_the_library_runs_is_what_it_gives_for_whole_texts_only(tmp_path: Path) -> None:
    library = pytest.importorskip("sentence_transformers")
    from aslant.models.sentence_transformers_encoder import LibraryEncoder

    folder = write(tmp_path, [pooling("mean")])
    model = library.SentenceTransformer(str(folder), device="cpu")
    encoder = LibraryEncoder(model, "m")
    np.testing.assert_allclose(encoder.sentence_vectors(TEXTS), model.encode(TEXTS), rtol=0, atol=1e-6)
    assert isinstance(encoder, SentenceEncoder)
    assert not isinstance(encoder, Encoder)
    long = "Instruct: " + "x " * 60
    prints = {LibraryEncoder(model, "m", prompt=long + end).fingerprint for end in ("one: ", "two: ")}
    assert len({*prints, encoder.fingerprint}) == 3
    model.tokenizer.add_tokens(["electrician"])
    assert LibraryEncoder(model, "m").fingerprint != encoder.fingerprint
