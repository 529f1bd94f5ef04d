"""Small work that keeps something on disk, one for each kind of store: quick enough to be done hundreds of times."""

from __future__ import annotations

import atexit
import functools
import os
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from faulting.outcomes import Work, timeless

HELPERS = str(Path(__file__).resolve().parents[2] / "tests" / "helpers")
if HELPERS not in sys.path:
    sys.path.append(HELPERS)


@contextmanager
def cache_in(folder: Path) -> Any:
    """Let `folder` be the cache meanwhile."""
    before = os.environ.get("ASLANT_CACHE")
    os.environ["ASLANT_CACHE"] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ["ASLANT_CACHE"]
        else:
            os.environ["ASLANT_CACHE"] = before


@functools.cache
def _embedding() -> Any:
    import numpy as np

    from aslant import WordVectors

    rng = np.random.default_rng(0)
    words = [f"{a}{b}" for a in "abcdefghij" for b in "klmnopqrst"]
    return WordVectors.from_arrays(words, rng.normal(size=(100, 12)), name="random")


def enumeration(folder: Path) -> Any:
    """An enumeration of 100 random words, two groups and four categories."""
    import aslant

    groups = {"one": ["ak", "bk", "ck", "dk"], "two": ["al", "bl", "cl", "dl"]}
    found = aslant.enumerate_biases(
        _embedding(), groups=groups, categories=4, words=90, per_cell=2, rotations=200, journal=folder, workers=1
    )
    return timeless(found.to_dict())


def score_table(folder: Path) -> Any:
    """Scores of a tiny masked language model."""
    from aslant.models.protocols import Sentence

    words = ("doctor", "nurse", "teacher", "engineer", "boys", "girls", "science", "art")
    asked = [Sentence("[TARGET] is a [ATTRIBUTE].", side, word) for word in words for side in ("he", "she")]
    return _masked_lm().masked_scores(asked, journal=folder)


@functools.cache
def _masked_lm() -> Any:
    from aslant.models.language_models import TransformersMaskedLM
    from tiny_lms import masked

    model, tokenizer = masked("bert")
    return TransformersMaskedLM(model, tokenizer, "bert", token_budget=60)


def vector_store(folder: Path) -> Any:
    """Vectors of nine sentences, in shards of four."""
    from aslant.models import Passage, vector_store
    from fake_encoder import FakeEncoder

    asked = [Passage(f"The nurse saw number {i}.", ((4, 9),)) for i in range(9)]
    before, vector_store.SHARD = vector_store.SHARD, 4
    try:
        return vector_store.vectors_of(FakeEncoder(dimensions=8), asked, store=folder).tobytes()
    finally:
        vector_store.SHARD = before


def run_folder(folder: Path) -> Any:
    """An audit of a random embedding with words of its own names."""
    import aslant

    found = aslant.audit(_named(), only=["weat", "polarity"], profile="quick", run_folder=folder / "run")
    return timeless(found.to_dict())


@functools.cache
def _named() -> Any:
    """A small embedding with the words that WEAT 7 and polarity ask for."""
    import aslant
    from aslant.stimuli import WeatSet, load_set

    whole, asked = aslant.load(), load_set("weat-7", WeatSet)
    named = [word for group in asked.groups for word in group.words]
    words = list(dict.fromkeys([*whole.words[:6_000], *whole.lookup(named).tokens]))
    return aslant.WordVectors.from_arrays(words, whole.lookup(words).vectors[:, :10], name="small")


def embedding_cache(folder: Path) -> Any:
    """A small text embedding, read through the cache."""
    import aslant

    with cache_in(folder):
        found = aslant.load(_embedding_file())
        return list(found.words), found.lookup(found.words).vectors.tobytes()


@functools.cache
def _embedding_file() -> Path:
    path = scratch() / "random.txt"
    rows = zip(_embedding().words, _embedding().matrix.tolist(), strict=True)
    path.write_text("".join(f"{word} {' '.join(map(str, row))}\n" for word, row in rows), encoding="utf-8")
    return path


@functools.cache
def scratch() -> Path:
    """Return a folder for what the work reads, gone when the process ends."""
    folder = tempfile.TemporaryDirectory(prefix="aslant-faults-")
    atexit.register(folder.cleanup)
    return Path(folder.name)


def converted_model(folder: Path) -> Any:
    """A tiny GGUF file as the folder that transformers reads: its answers."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils import logging

    from tiny_gguf import TEXT

    logging.disable_progress_bar()

    from aslant.models.conversion import converted

    with cache_in(folder):
        made = converted(_gguf(), "tiny")
        model, tokenizer = AutoModelForCausalLM.from_pretrained(made), AutoTokenizer.from_pretrained(made)
        with torch.inference_mode():
            answers = [model(torch.tensor([tokenizer(text)["input_ids"]])).logits for text in TEXT]
        return [answer.numpy().tobytes() for answer in answers]


@functools.cache
def _gguf() -> Path:
    from tiny_gguf import bpe, llama, write

    path = scratch() / "tiny.gguf"
    tokenizer = bpe()
    write(path, llama(tokenizer.get_vocab_size()), tokenizer)
    return path


#: Everything that keeps something, by a short name.
KEEPERS = {
    "enumeration": Work("journal of an enumeration", enumeration),
    "scores": Work("table of scores", score_table),
    "vectors": Work("vectors of sentences", vector_store),
    "run": Work("run folder of an audit", run_folder, needs_room=True),
    "embedding": Work("cache of an embedding", embedding_cache),
    "model": Work("converted language model", converted_model, needs_room=True),
}


def embedding_file() -> Path:
    """Return a small embedding as text, with the words that published tests ask for."""
    path = scratch() / "small.txt"
    if not path.exists():
        _named().save(path)
    return path
