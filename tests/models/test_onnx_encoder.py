"""Claims about encoders in ONNX files: the vectors that the runtime gives, as served; hostile files are refused."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aslant
from aslant.errors import DataError, MissingExtraError
from aslant.models import Encoder, Passage
from tiny_lms import masked
from tiny_sentence_transformers import NORMALISE, pooling, write

TEXTS = ["He is a doctor.", "She said that the electrician is here", "The doctor " * 30]


def graph(
    vocabulary: int, *, operator: str = "Gather", outside: str = "", extra: str = "", mean: bool = False
) -> bytes:
    """A model whose token vectors are rows of a table; `mean`: plus the mean over the batch, padding included."""
    onnx = pytest.importorskip("onnx")
    from onnx import TensorProto, helper, numpy_helper

    table = np.random.default_rng(0).normal(size=(vocabulary, 8)).astype(np.float32)
    weights = numpy_helper.from_array(table, "w")
    if outside:
        weights = TensorProto(name="w", data_type=1, dims=table.shape, data_location=TensorProto.EXTERNAL)
        weights.external_data.add(key="location", value=outside)
    whole = helper.make_tensor_value_info("last_hidden_state", 1, ["b", "t", 8])
    names = ["input_ids", "attention_mask", *([extra] if extra else [])]
    inputs = [helper.make_tensor_value_info(name, 7, ["b", "t"]) for name in names]
    domain = "" if operator == "Gather" else "elsewhere"
    nodes = [helper.make_node(operator, ["w", "input_ids"], ["x" if mean else "last_hidden_state"], domain=domain)]
    if mean:
        nodes += [
            helper.make_node("ReduceMean", ["x"], ["m"], keepdims=1),
            helper.make_node("Add", ["x", "m"], ["last_hidden_state"]),
        ]
    made = helper.make_graph(nodes, "g", inputs, [whole], [weights])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("elsewhere", 1)]
    found: bytes = helper.make_model(made, opset_imports=opsets, ir_version=9).SerializeToString()
    assert onnx
    return found


def folder_with(folder: Path, content: bytes | None = None, **options: Any) -> Path:
    pytest.importorskip("onnxruntime")
    _, tok = masked("bert")
    (folder / "onnx").mkdir(parents=True)
    tok.save_pretrained(folder)
    (folder / "onnx" / "model.onnx").write_bytes(content if content is not None else graph(len(tok), **options))
    return folder


def table_rows(text: str) -> Any:
    _, tok = masked("bert")
    rows = np.random.default_rng(0).normal(size=(len(tok), 8)).astype(np.float32)
    return rows[tok(text)["input_ids"]]


def test_token_vectors_and_their_means_are_the_models_own(tmp_path: Path) -> None:
    folder = folder_with(tmp_path / "m")
    for source in (folder, folder / "onnx" / "model.onnx"):
        encoder = aslant.load_encoder(source)
        assert isinstance(encoder, Encoder)
        expected = [table_rows(text)[1:-1].mean(axis=0) for text in TEXTS]
        np.testing.assert_allclose(encoder.sentence_vectors(TEXTS), expected, rtol=0, atol=1e-6)
    spans = next(iter(encoder.span_vectors([Passage("they", ((0, 4),))])))
    np.testing.assert_allclose(spans[0], table_rows("they")[1:-1].mean(axis=0), rtol=0, atol=1e-6)
    assert "its files do not say how it is served" in encoder.record()["note"]
    assert encoder.layers(["they"]).shape == (1, 1, 8)


def test_modules_beside_it_say_how_it_is_served(tmp_path: Path) -> None:
    folder = folder_with(tmp_path / "m")
    other = write(tmp_path / "other", [pooling("cls"), NORMALISE])
    for name in ("modules.json", "sentence_bert_config.json", "1_Pooling/config.json"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text((other / name).read_text())
    encoder = aslant.load_encoder(folder)
    expected = table_rows(TEXTS[0])[0]
    np.testing.assert_allclose(encoder.sentence_vectors(TEXTS)[0], expected / np.linalg.norm(expected), atol=1e-6)
    assert "sentence encoder (ONNX; first-token pooling, normalised" in encoder.record()["format"]


def test_it_is_lower_cased_where_it_is_served_so(tmp_path: Path) -> None:
    folder = folder_with(tmp_path / "m")
    other = write(tmp_path / "other", [pooling("mean")], first={"do_lower_case": True})
    for name in ("modules.json", "sentence_bert_config.json", "1_Pooling/config.json"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text((other / name).read_text())
    (cased := masked("bert-cased")[1]).save_pretrained(folder)
    assert cased("HE")["input_ids"] != cased("he")["input_ids"]
    found = aslant.load_encoder(folder).sentence_vectors(["HE is a Doctor.", "he is a doctor."])
    np.testing.assert_array_equal(found[0], found[1])


def test_a_model_whose_numbers_depend_on_the_batch_is_run_one_text_at_a_time(tmp_path: Path) -> None:
    encoder = aslant.load_encoder(folder_with(tmp_path / "m", mean=True))
    alone = np.concatenate([encoder.sentence_vectors([text]) for text in TEXTS])
    np.testing.assert_allclose(encoder.sentence_vectors(TEXTS), alone, rtol=0, atol=1e-6)
    assert "one at a time" in encoder.record()["note"]


def test_weights_in_a_file_of_any_name_beside_it_count_for_its_identity(tmp_path: Path) -> None:
    _, tok = masked("bert")
    folder = folder_with(tmp_path / "m", outside="onnx__Gather_7")
    weights = np.zeros((len(tok), 8), np.float32)
    prints = []
    for weights[3, 5] in (0.5, 0.5, 0.6):
        (folder / "onnx" / "onnx__Gather_7").write_bytes(weights.tobytes())
        prints.append(aslant.load_encoder(folder).fingerprint)
    assert prints[0] == prints[1] != prints[2]


def test_it_can_be_sent_to_workers(tmp_path: Path) -> None:
    body = aslant.load_encoder(folder_with(tmp_path / "m")).body
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(body))([(1, 2, 3)]), body([(1, 2, 3)]))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"outside": "../secret.dat"}, "cannot be opened by onnxruntime"),
        ({"outside": "link.dat"}, "cannot be opened by onnxruntime"),
        ({"outside": "/etc/hostname"}, "cannot be opened by onnxruntime"),
        ({"operator": "Boom"}, "cannot be opened by onnxruntime"),
        ({"content": b"not a model"}, "cannot be opened by onnxruntime"),
        ({"extra": "pixel_values"}, "needs 'pixel_values' beside tokens"),
    ],
)
def test_hostile_and_unsuitable_files_are_one_sentence(options: dict[str, Any], said: str, tmp_path: Path) -> None:
    _, tok = masked("bert")
    folder = folder_with(tmp_path / "m", **options)
    for secret in (folder / "secret.dat", tmp_path / "secret.dat"):
        secret.write_bytes(np.zeros((len(tok), 8), np.float32).tobytes())
    (folder / "onnx" / "link.dat").symlink_to(tmp_path / "secret.dat")
    with pytest.raises(DataError, match=said):
        aslant.load_encoder(folder)


def test_what_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folder_with(tmp_path / "m")
    with pytest.raises(DataError, match="gives its last layer only; layer is 'mean'"):
        aslant.load_encoder(folder, layer="mean")
    (folder / "onnx" / "model.onnx").rename(folder / "onnx" / "a.onnx")
    (folder / "onnx" / "b.onnx").write_bytes(b"")
    with pytest.raises(DataError, match="has several models"):
        aslant.load_encoder(folder)
    (folder / "tokenizer.json").unlink()
    with pytest.raises(DataError, match=r"there is no tokenizer\.json beside"):
        aslant.load_encoder(folder / "onnx" / "a.onnx")
    from importlib import util

    monkeypatch.setattr(util, "find_spec", lambda name, *_: None if name == "onnxruntime" else object())
    with pytest.raises(MissingExtraError, match=r"ONNX encoders need onnxruntime: pip install '\.\[lm,onnx\]'"):
        aslant.load_encoder(folder / "onnx" / "a.onnx")


def test_an_untrained_twin_is_built_from_the_configuration_beside_it(tmp_path: Path) -> None:
    folder = folder_with(tmp_path / "m")
    encoder = aslant.load_encoder(folder)
    assert encoder.untrained(0) is None
    (folder / "config.json").write_text(json.dumps(masked("bert")[0].config.to_dict(), default=str))
    assert aslant.load_encoder(folder).untrained(0).sentence_vectors(TEXTS).shape == (3, 16)
