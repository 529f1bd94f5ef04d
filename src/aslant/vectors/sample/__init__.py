"""The sample embedding that ships with aslant: a float16 part of GloVe 6B, 100 dimensions (SOURCES.toml)."""

from __future__ import annotations

from importlib.resources import files

from aslant.vectors.formats import aslant_file
from aslant.vectors.word_vectors import WordVectors

FILE = "glove.6B.100d.sample.safetensors"  # not compressed: that would save a tenth, and take most of the time
NAME = "sample"


def load_sample(top: int | None = None) -> WordVectors:
    """Open the bundled sample, cut to its `top` most frequent words."""
    return aslant_file.from_bytes(files("aslant.vectors.sample").joinpath(FILE).read_bytes(), name=NAME, top=top)
