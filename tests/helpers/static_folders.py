"""Tiny folders as Model2Vec, sentence-transformers and spaCy write them, and the slow obvious hash of spaCy's."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import safetensors.numpy

TOKENS = ["[PAD]", "[UNK]", "!", "the", "he", "she", "nurse", "##s", "la", "##kis", "##ha", "naive", "of", "and", "in"]
MATRIX = np.random.default_rng(3).normal(size=(len(TOKENS), 4)).astype(np.float32)


def tokenizer(tokens: Sequence[str] = TOKENS) -> dict[str, Any]:
    """Return the tokenizer.json of a WordPiece tokenizer in lower case, as BERT's."""
    special = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [{"id": place, "content": tokens[place], **special} for place in (0, 1)],
        "normalizer": {
            "type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None,
            "lowercase": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"}, "post_processor": None,
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {
            "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": {token: place for place, token in enumerate(tokens)},
        },
    }  # fmt: skip


def model2vec(folder: Path, *, normalize: bool = True, **tensors: Any) -> Path:
    """Write a folder as Model2Vec does; `tensors` are those of its weights, by default one row per token."""
    folder.mkdir(parents=True, exist_ok=True)
    safetensors.numpy.save_file({"embeddings": MATRIX, **tensors}, folder / "model.safetensors")
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer()))
    settings = {"model_type": "model2vec", "architectures": ["StaticModel"], "normalize": normalize}
    (folder / "config.json").write_text(json.dumps(settings))
    return folder


def static_embedding(folder: Path, *others: str) -> Path:
    """Write a folder as sentence-transformers does for StaticEmbedding, with other modules after it."""
    inside = folder / "0_StaticEmbedding"
    inside.mkdir(parents=True, exist_ok=True)
    safetensors.numpy.save_file({"embedding.weight": MATRIX}, inside / "model.safetensors")
    (inside / "tokenizer.json").write_text(json.dumps(tokenizer()))
    kinds = ["StaticEmbedding", *others]
    modules = [
        {"idx": place, "name": str(place), "path": f"{place}_{kind}", "type": f"sentence_transformers.models.{kind}"}
        for place, kind in enumerate(kinds)
    ]
    (folder / "modules.json").write_text(json.dumps(modules))
    return folder


def key_of(word: str) -> int:
    """Return spaCy's key of a word: MurmurHash64A of its UTF-8 bytes, seed 1, one number at a time."""
    from spacy_vectors import key_of

    return key_of(word)


def spacy_pipeline(folder: Path, rows: Mapping[str, int], matrix: Any, mode: str = "default") -> Path:
    """Write the part of a spaCy pipeline that holds vectors: `rows` has the row of each word."""
    vocab = folder / "vocab"
    vocab.mkdir(parents=True, exist_ok=True)
    with (vocab / "vectors").open("wb") as file:
        np.save(file, matrix)
    keys = {"agent": 401}
    table = {keys.get(word, key_of(word)): row for word, row in rows.items()}
    (vocab / "key2row").write_bytes(msgspec.msgpack.encode(table))
    (vocab / "strings.json").write_text(json.dumps([*sorted(word for word in rows if word not in keys), "unused"]))
    (vocab / "vectors.cfg").write_text(json.dumps({"mode": mode}))
    (folder / "meta.json").write_text(json.dumps({"lang": "en", "name": "tiny", "version": "1"}))
    return folder
