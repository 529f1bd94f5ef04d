"""Targets: folders with one damaged file: of Model2Vec, of sentence-transformers, of spaCy, and any other."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import numpy as np

from fuzzing.embedding_targets import FORMATS, sound
from fuzzing.mutation import LEAVES, as_json, mutated_tree
from fuzzing.targets import Target, demand

ROWS = {"he": 0, "she": 1, "nurse": 2, "agent": 3, "He": 0, "hospital": 2, "日本": 4}
TABLE = np.random.default_rng(5).normal(size=(5, 3)).astype(np.float32)
ASKED = ["Lakisha", "nurses", "He", "hospital", "", "zzz 日", "\ud800"]


def _made(kind: str, folder: Path) -> Path:
    import static_folders as made

    if kind == "spaCy":
        return made.spacy_pipeline(folder, ROWS, TABLE)
    return made.model2vec(folder) if kind == "Model2Vec" else made.static_embedding(folder, "Normalize")


@cache
def _file(kind: str, name: str) -> bytes:
    with TemporaryDirectory() as folder:
        return (_made(kind, Path(folder)) / name).read_bytes()


def _with(kind: str, name: str) -> Callable[[bytes, Path], str]:
    """Return what writes a whole folder with the input in place of one file, and loads it."""

    def run(data: bytes, folder: Path) -> str:
        import aslant

        place = _made(kind, folder / kind)
        (place / name).write_bytes(data)
        vectors = aslant.load(place, top=3 if len(data) % 5 == 0 else None)
        demand(bool(np.isfinite(vectors.lookup(ASKED).vectors).all()), "vectors that are built are not finite")
        return sound(vectors)

    return run


def _trees(kind: str, name: str) -> Callable[[Random], bytes]:
    def made(chance: Random) -> bytes:
        return as_json(mutated_tree(json.loads(_file(kind, name)), chance))

    return made


def _rows(chance: Random) -> bytes:
    """Build a table of keys and rows that may be anything."""
    table: dict[Any, Any] = msgspec.msgpack.decode(_file("spaCy", "vocab/key2row"), strict=False)
    for _ in range(chance.randrange(1, 4)):
        kept = [leaf for leaf in LEAVES if not isinstance(leaf, int) or abs(leaf) < 2**63]
        table[chance.choice([*table, 1, -1, 2**64 - 1, "x"])] = chance.choice([-1, 5, 2**63 - 1, *kept])
    try:
        return msgspec.msgpack.encode(table)
    except UnicodeEncodeError:
        return b"\x80"


def _folder(data: bytes, folder: Path) -> str:
    """Ask what a folder with any config.json is: it is told, or refused, in one sentence."""
    from aslant.vectors.folders import static_folder, what_folder

    (folder / "config.json").write_bytes(data)
    demand(static_folder(folder) is None or b"model2vec" in data, "a folder is taken for an embedding")
    demand(what_folder(folder).isprintable(), "a folder is described by what cannot be printed")
    return "told"


def _target(kind: str, name: str, module: str, made: Callable[[Random], bytes] | None = None) -> Target:
    needs = () if kind == "spaCy" else ("tokenizers", "safetensors")
    return Target(
        f"{kind} {Path(name).name}", (FORMATS + module, "aslant.vectors.folders"), lambda: [_file(kind, name)],
        _with(kind, name), made, needs=needs,
    )  # fmt: skip


def targets() -> Sequence[Target]:
    """Return the targets of this file."""
    modules = _trees("StaticEmbedding", "modules.json")
    return (
        _target("Model2Vec", "model.safetensors", "model2vec"),
        _target("Model2Vec", "tokenizer.json", "model2vec", _trees("Model2Vec", "tokenizer.json")),
        _target("Model2Vec", "config.json", "model2vec", _trees("Model2Vec", "config.json")),
        _target("StaticEmbedding", "modules.json", "model2vec", modules),
        _target("spaCy", "vocab/vectors", "spacy_table"),
        _target("spaCy", "vocab/key2row", "spacy_table", _rows),
        _target("spaCy", "vocab/strings.json", "spacy_table", _trees("spaCy", "vocab/strings.json")),
        _target("spaCy", "vocab/vectors.cfg", "spacy_table", _trees("spaCy", "vocab/vectors.cfg")),
        Target(
            "folder config.json", ("aslant.vectors.folders",), lambda: [b'{"architectures": ["BertModel"]}'], _folder,
            lambda chance: as_json(mutated_tree({"architectures": ["BertModel"]}, chance)),
        ),
    )  # fmt: skip
