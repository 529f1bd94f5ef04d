"""Words for files in which a space ends a word and a line ends an entry: encoded block by block, or refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from aslant.errors import VectorsError
from aslant.io.memory_maps import release

if TYPE_CHECKING:
    from aslant.vectors.word_vectors import FloatMatrix, WordVectors

BLOCK_WORDS = 8192
#: What no word of such a file can hold.
BREAKS = re.compile(r"[ \t\r\n]")


def encoded_blocks(vectors: WordVectors, format_name: str) -> Iterator[tuple[list[bytes], FloatMatrix]]:
    """Yield the words as UTF-8 with their rows, some thousand at a time; a word that cannot be held is refused.

    >>> from aslant.vectors import WordVectors
    >>> next(encoded_blocks(WordVectors.from_arrays(["new york"], [[1.0]]), "text"))
    Traceback (most recent call last):
    aslant.errors.VectorsError: the word 'new york' has white space inside, which text cannot hold; ...
    """
    for start in range(0, len(vectors), BLOCK_WORDS):
        words = list(vectors.words[start : start + BLOCK_WORDS])
        if BREAKS.search("".join(words)) or "" in words:
            bad = next(word for word in words if BREAKS.search(word) or not word)
            what = "has white space inside" if bad else "is empty"
            raise VectorsError(
                f"the word {bad!r} {what}, which {format_name} cannot hold; save as .safetensors or .npz instead."
            )
        yield [_encoded(word) for word in words], vectors.matrix[start : start + BLOCK_WORDS]
        release(vectors.matrix)


def _encoded(word: str) -> bytes:
    try:
        return word.encode("utf-8")
    except UnicodeEncodeError:
        raise VectorsError(f"the word {word!r} is not valid Unicode and cannot be written.") from None
