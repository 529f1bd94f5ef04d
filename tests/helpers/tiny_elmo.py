"""A tiny ELMo with random weights in AllenNLP's files, and the same network written out step by step."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

h5py = pytest.importorskip("h5py", reason="ELMo needs h5py: pip install '.[lm]'")
torch = pytest.importorskip("torch", reason="ELMo needs torch: pip install '.[lm]'")

torch.set_num_threads(1)

from aslant.models.elmo_files import read_options  # noqa: E402

OPTIONS: dict[str, Any] = {
    "lstm": {
        "use_skip_connections": True, "projection_dim": 6, "cell_clip": 0.8, "proj_clip": 0.7, "dim": 9, "n_layers": 2,
    },
    "char_cnn": {
        "activation": "relu", "filters": [[1, 3], [2, 4], [4, 5]], "n_highway": 2, "embedding": {"dim": 4},
        "n_characters": 262, "max_characters_per_token": 20,
    },
}  # fmt: skip


def changed(**sections: Mapping[str, Any]) -> dict[str, Any]:
    """The options with some entries replaced."""
    return {name: {**section, **sections.get(name, {})} for name, section in OPTIONS.items()}


def random_weights(options: Path, seed: int = 0) -> dict[str, NDArray[np.float32]]:
    """Weights large enough that clipping happens."""
    rng = np.random.default_rng(seed)
    shapes = read_options(options).shapes()
    return {name: rng.normal(scale=0.7, size=shape).astype(np.float32) for name, shape in shapes.items()}


def save_weights(path: Path, weights: Mapping[str, Any]) -> None:
    with h5py.File(path, "w") as file:
        for name, array in weights.items():
            file.create_dataset(name, data=array)


def write(folder: Path, options: Mapping[str, Any] = OPTIONS, *, prefix: str = "", seed: int = 0) -> Path:
    """Write both files into a folder, by AllenNLP's names."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{prefix}options.json").write_text(json.dumps(options))
    name = f"{prefix}weights.hdf5" if prefix else "lm_weights.hdf5"
    save_weights(folder / name, random_weights(folder / f"{prefix}options.json", seed))
    return folder


def literal(words: Sequence[str], weights: Mapping[str, Any], options: Mapping[str, Any]) -> NDArray[np.float64]:
    """All layers (layers, words, dimensions) of one sentence, one word, one direction and one place at a time."""
    w = {name: np.asarray(array, np.float64) for name, array in weights.items()}
    tokens = np.array([_token(word, w, options) for word in ["<S>", *words, "</S>"]])
    layers = [np.concatenate([tokens, tokens], axis=1)]
    inputs = [tokens, tokens[::-1]]
    for layer in range(options["lstm"]["n_layers"]):
        for direction in (0, 1):
            outputs = _lstm(inputs[direction], w, options["lstm"], direction, layer)
            if layer and options["lstm"]["use_skip_connections"]:
                outputs = outputs + inputs[direction]
            inputs[direction] = outputs
        layers.append(np.concatenate([inputs[0], inputs[1][::-1]], axis=1))
    return np.array(layers)[:, 1:-1]


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def _token(word: str, w: Mapping[str, Any], options: Mapping[str, Any]) -> Any:
    cnn = options["char_cnn"]
    width = cnn["max_characters_per_token"]
    inside = {"<S>": [256], "</S>": [257]}.get(word) or list(word.encode())[: width - 2]
    ids = [258, *inside, 259, *[260] * width][:width]
    characters = w["char_embed"][ids]
    found: list[float] = []
    for i, (size, n) in enumerate(cnn["filters"]):
        values = [
            (characters[at : at + size, :, None] * w[f"CNN/W_cnn_{i}"][0]).sum(axis=(0, 1)) + w[f"CNN/b_cnn_{i}"]
            for at in range(width - size + 1)
        ]
        assert np.shape(values) == (width - size + 1, n)
        found += list(np.max(values, axis=0))
    x = np.maximum(found, 0) if cnn["activation"] == "relu" else np.tanh(found)
    for i in range(cnn["n_highway"]):
        carry = _sigmoid(x @ w[f"CNN_high_{i}/W_carry"] + w[f"CNN_high_{i}/b_carry"])
        new = np.maximum(x @ w[f"CNN_high_{i}/W_transform"] + w[f"CNN_high_{i}/b_transform"], 0)
        x = carry * new + (1 - carry) * x
    return x @ w["CNN_proj/W_proj"] + w["CNN_proj/b_proj"]


def _lstm(inputs: Any, w: Mapping[str, Any], lstm: Mapping[str, Any], direction: int, layer: int) -> Any:
    cell = {k: w[f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell/{k}"] for k in ("W_0", "B", "W_P_0")}
    output, memory, outputs = np.zeros(lstm["projection_dim"]), np.zeros(lstm["dim"]), []
    for x in inputs:
        i, j, f, o = np.split(np.concatenate([x, output]) @ cell["W_0"] + cell["B"], 4)
        memory = _sigmoid(f + 1) * memory + _sigmoid(i) * np.tanh(j)
        if lstm["cell_clip"]:
            memory = np.clip(memory, -lstm["cell_clip"], lstm["cell_clip"])
        output = (_sigmoid(o) * np.tanh(memory)) @ cell["W_P_0"]
        if lstm["proj_clip"]:
            output = np.clip(output, -lstm["proj_clip"], lstm["proj_clip"])
        outputs.append(output)
    return np.array(outputs)
