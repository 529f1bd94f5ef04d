"""The sample embedding that ships with aslant: a float16 part of GloVe 6B, 100 dimensions (SOURCES.toml)."""

from __future__ import annotations

from importlib.resources import files

import numpy as np

from aslant.io.packed_files import zstandard
from aslant.vectors.formats import aslant_file
from aslant.vectors.word_vectors import WordVectors

FILE = "glove.6B.100d.sample.safetensors.zst"
NAME = "sample"
#: Bytes that are unpacked at a time.
PIECE = 1 << 18


def load_sample(top: int | None = None) -> WordVectors:
    """Open the bundled sample, cut to its `top` most frequent words."""
    zstd = zstandard()
    packed = memoryview(files("aslant.vectors.sample").joinpath(FILE).read_bytes())
    content = np.empty(zstd.get_frame_info(packed).decompressed_size or 0, np.uint8)
    unpacking, end = zstd.ZstdDecompressor(), 0
    for start in range(0, len(packed), PIECE):  # into place: in one go, the content is held twice, and takes longer
        piece = unpacking.decompress(packed[start : start + PIECE])
        content[end : end + len(piece)] = np.frombuffer(piece, np.uint8)
        end += len(piece)
    return aslant_file.from_bytes(content, name=NAME, top=top)
