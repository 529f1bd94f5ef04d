"""The sample embedding that ships with aslant: a float16 part of GloVe 6B, 100 dimensions (SOURCES.toml)."""

from __future__ import annotations

from importlib.resources import files

import numpy as np

from aslant.io.packed_files import zstandard
from aslant.vectors.formats import aslant_file
from aslant.vectors.word_vectors import WordVectors

FILE = "glove.6B.100d.sample.safetensors.zst"
NAME = "sample"


def load_sample(top: int | None = None) -> WordVectors:
    """Open the bundled sample, cut to its `top` most frequent words."""
    zstd = zstandard()
    with files("aslant.vectors.sample").joinpath(FILE).open("rb") as packed:
        frame = zstd.get_frame_info(packed.read(18))  # the longest header that a frame can have
        packed.seek(0)
        content = np.empty(frame.decompressed_size or 0, np.uint8)
        with zstd.open(packed) as unpacked:  # into place: zstd.decompress holds the content twice, and takes longer
            unpacked.readinto(content.data)
    return aslant_file.from_bytes(content, name=NAME, top=top)
