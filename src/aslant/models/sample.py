"""The demonstration masked language model: all-MiniLM-L6-v2's encoder with what scripts/train_sample_lm.py trained.

Only the trained part ships (float16): low-rank adapters, biases, layer norms, the vector of [MASK] and the head. It is
merged into the encoder, which comes by data name, when the model is loaded.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aslant.errors import DataError, MissingExtraError

if TYPE_CHECKING:
    from torch import Tensor

#: The name under which it is loaded.
NAME = "sample-mlm"
#: The data name of the encoder and of its tokenizer.
ENCODER = "all-minilm-l6-v2"
#: What every output shows beside the model's name.
NOTE = (
    "demonstration model: a small masked LM trained for an hour on the text of a few packages; it shows how the "
    "measures work, and its scores say nothing about models that are in use"
)
WEIGHTS, CARD = "sample_mlm.safetensors", "sample_mlm.json"
#: An adapted matrix is W + SCALE · up · down.
SCALE = 2.0
UP, DOWN, MASK_VECTOR = ".up", ".down", "mask_vector"
_WORDS, _HEAD = "bert.embeddings.word_embeddings.weight", "cls.predictions."


def card() -> dict[str, Any]:
    """Return how the model was made and how well it predicts text that it has not seen.

    >>> card()["model"]
    'sample-mlm'
    """
    return dict(json.loads(_folder().joinpath(CARD).read_text("utf-8")))


def load_sample() -> tuple[Any, Any]:
    """Return the merged `transformers.BertForMaskedLM` and its tokenizer; the encoder is downloaded if need be."""
    with as_file(_folder().joinpath(WEIGHTS)) as path:
        return load_with(path)


def load_with(weights: Path) -> tuple[Any, Any]:
    """Return the model and the tokenizer with the trained part in `weights`."""
    try:
        from safetensors.torch import load_file
        from transformers import AutoTokenizer
    except ImportError as error:
        raise MissingExtraError(f"the model '{NAME}' needs {error.name}: pip install '.[lm]'.") from None
    from aslant.data import fetch

    folder = fetch(ENCODER)
    model = untrained(folder)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model.load_state_dict(merged(model.state_dict(), load_file(weights), int(tokenizer.mask_token_id)))
    return model.eval(), tokenizer


def untrained(folder: Path) -> Any:
    """Return a `BertForMaskedLM` without dropout: the encoder of `folder`, and a head whose dense layer is identity."""
    import torch
    from safetensors.torch import load_file
    from transformers import BertConfig, BertForMaskedLM

    config = BertConfig.from_pretrained(folder, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    model = BertForMaskedLM(config)
    encoder = {f"bert.{name}": tensor for name, tensor in load_file(folder / "model.safetensors").items()}
    state = model.state_dict()
    absent = [name for name in state if name not in encoder and not name.startswith(_HEAD)]
    if absent:
        raise DataError(f"'{folder}' is not a BERT encoder: it has no '{absent[0]}'; fetch '{ENCODER}' again.")
    model.load_state_dict({name: encoder.get(name, tensor) for name, tensor in state.items()})
    with torch.no_grad():
        torch.nn.init.eye_(model.cls.predictions.transform.dense.weight)
        torch.nn.init.zeros_(model.cls.predictions.transform.dense.bias)
    model.tie_weights()
    return model


def merged(state: Mapping[str, Tensor], trained: Mapping[str, Tensor], mask: int) -> dict[str, Tensor]:
    """Return the weights of `state` with the trained part in them, float32.

    `NAME.up` (out, r) and `NAME.down` (r, in) are added to `NAME.weight`; `mask_vector` replaces row `mask` of the word
    vectors, which are the decoder's too; everything else replaces the tensor of the same name.
    """
    result = {name: tensor.clone() for name, tensor in state.items()}
    for name, tensor in trained.items():
        given = tensor.float()
        if name.endswith(UP):
            matrix = name.removesuffix(UP)
            result[f"{matrix}.weight"] += SCALE * given @ trained[matrix + DOWN].float()
        elif name == MASK_VECTOR:
            for tied in (_WORDS, f"{_HEAD}decoder.weight"):
                result[tied][mask] = given
        elif not name.endswith(DOWN):
            if name not in result:
                raise DataError(f"the trained part has '{name}', which the encoder does not have; reinstall aslant.")
            result[name] = given
    result[f"{_HEAD}decoder.bias"] = result[f"{_HEAD}bias"]
    return result


def _folder() -> Any:
    return files("aslant.models").joinpath("sample_files")
