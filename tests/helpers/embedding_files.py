"""Writers for every file format and packing, made here by hand so that the readers have something to disagree with."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import zipfile
from collections.abc import Callable, Sequence

import numpy as np
from backports import zstd
from numpy.typing import NDArray

Matrix = NDArray[np.float32]
Write = Callable[[Sequence[str], Matrix], bytes]

#: No spaces, but all that a careless reader trips over: other white space, quotes, numbers, NaN.
WORDS = [
    "the", "naïve", "日本", "Zürich", "new_york", "nan", "inf", "1", "2.5", "-1e5", '"', "'", "#", ",", "it's",
    "a\u00a0b", "c\u2028d", "e\x85f", "g\x0bh", "i\x1cj", "🙂", "null", "None", "\\N", "\ufffd", "e\u0301", "NA", '"x',
]  # fmt: skip
MATRIX: Matrix = np.random.default_rng(7).normal(size=(len(WORDS), 5)).astype(np.float32)


def number(value: float) -> str:
    """Nine digits bring any float32 back exactly."""
    return f"{value:.9g}"


def text(
    words: Sequence[str],
    matrix: Matrix,
    *,
    header: bool = False,
    separator: str = " ",
    line_end: str = "\n",
    trailing: str = "",
    bom: bool = False,
    final_newline: bool = True,
) -> bytes:
    lines = [f"{len(words)} {matrix.shape[1]}"] if header else []
    for word, row in zip(words, matrix.tolist(), strict=True):
        lines.append(separator.join([word, *map(number, row)]) + trailing)
    whole = line_end.join(lines) + (line_end if final_newline else "")
    return (b"\xef\xbb\xbf" if bom else b"") + whole.encode("utf-8")


def word2vec_binary(words: Sequence[str], matrix: Matrix, *, newline: bool = False) -> bytes:
    rows = (
        word.encode("utf-8") + b" " + row.astype("<f4").tobytes() + (b"\n" if newline else b"")
        for word, row in zip(words, matrix, strict=True)
    )
    return f"{len(words)} {matrix.shape[1]}\n".encode() + b"".join(rows)


def fasttext_binary(
    words: Sequence[str],
    matrix: Matrix,
    *,
    buckets: Matrix | None = None,
    minn: int = 0,
    maxn: int = 0,
    version: int = 12,
    quantised: bool = False,
    pruned: int = -1,
    labels: Sequence[str] = (),
) -> bytes:
    """A model in the layout of `FastText::saveModel`; without buckets a word's row is its vector."""
    dimensions = matrix.shape[1]
    rows = matrix if buckets is None else np.concatenate([matrix, buckets])
    bucket = 0 if buckets is None else len(buckets)
    out = struct.pack("<ii12id", 793712314, version, dimensions, 5, 5, 1, 5, 1, 2, 2, bucket, minn, maxn, 100, 1e-4)
    size = len(words) + len(labels)
    out += struct.pack("<iiiqq", size, len(words), len(labels), 1000, pruned)
    for kind, entries in enumerate((words, labels)):
        for entry in entries:
            out += entry.encode("utf-8") + b"\0" + struct.pack("<qb", 10, kind)
    out += struct.pack("<?qq", quantised, *rows.shape) + rows.astype("<f4").tobytes()
    return out + struct.pack("<?qq", False, *matrix.shape) + matrix.astype("<f4").tobytes()


#: Streamed formats, by name. Each gives the same words and the same matrix.
FORMATS: dict[str, Write] = {
    "glove": text,
    "glove-tabs": lambda w, m: text(w, m, separator="\t"),
    "glove-trailing-space": lambda w, m: text(w, m, trailing=" "),
    "glove-trailing-tab": lambda w, m: text(w, m, separator="\t", trailing="\t"),
    "glove-crlf": lambda w, m: text(w, m, line_end="\r\n"),
    "glove-crlf-trailing-space": lambda w, m: text(w, m, line_end="\r\n", trailing=" "),
    "glove-bom": lambda w, m: text(w, m, bom=True),
    "glove-no-final-newline": lambda w, m: text(w, m, final_newline=False),
    "glove-blank-lines": lambda w, m: text(w, m, line_end="\n\n"),
    "glove-leading-blank-lines": lambda w, m: b"\n\n" + text(w, m),
    "word2vec-text": lambda w, m: text(w, m, header=True),
    "word2vec-text-bom-crlf": lambda w, m: text(w, m, header=True, bom=True, line_end="\r\n"),
    "word2vec-text-leading-blank-line": lambda w, m: b"\n" + text(w, m, header=True),
    "fasttext-vec": lambda w, m: text(w, m, header=True, trailing=" "),
    "word2vec-binary": word2vec_binary,
    "word2vec-binary-newlines": lambda w, m: word2vec_binary(w, m, newline=True),
    "fasttext-binary": fasttext_binary,
}


def zipped(data: bytes, member: str = "vectors.txt", method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr(member, data)
    return file.getvalue()


PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstd.compress,
    "zip": zipped,
}
