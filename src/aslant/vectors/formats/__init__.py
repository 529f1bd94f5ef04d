"""One file per file format; here, the table of them, recognition by content, and saving by suffix.

A *streamed* format offers `NAME`, `recognise(head)` and `read(stream)`; it is read through any packing and kept in the
cache. To add one: write the file, add it to `STREAMED`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from aslant.errors import VectorsError
from aslant.io.files import written_whole
from aslant.vectors.formats import aslant_file, fasttext_binary, text, word2vec_binary

if TYPE_CHECKING:
    from aslant.vectors.word_vectors import WordVectors

#: In the order in which they are tried; each reads a sequence of bytes.
STREAMED: tuple[Any, ...] = (fasttext_binary, text, word2vec_binary)


def streamed_format(head: bytes, name: str) -> Any:
    """Return the format module for a stream that begins with `head`, or raise an error that says what was seen."""
    for module in STREAMED:
        if module.recognise(head):
            return module
    content = head.removeprefix(text.BOM).strip()
    if not content:
        raise VectorsError(f"'{name}' is empty; download it again.")
    if header := text.HEADER.match(content.partition(b"\n")[0]):
        if header[0] == content:
            raise VectorsError(f"'{name}' ends after its first line, {content.decode()!r}; download it again.")
        if not 1 <= int(header[2]) <= text.MAX_DIMENSIONS:
            raise VectorsError(
                f"'{name}' promises {int(header[2]):,} dimensions in its first line; "
                f"aslant reads 1 to {text.MAX_DIMENSIONS:,}."
            )
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise VectorsError(f"'{name}' is UTF-16 text; convert it to UTF-8.")
    if name.lower().endswith((".csv", ".tsv", ".xlsx", ".toml")):
        raise VectorsError(
            f"'{name}' does not hold vectors; words of your own go beside an embedding, as in 'aslant weat --words "
            f"{name}', or as targets= and attributes= in Python."
        )
    raise VectorsError(
        f"'{name}' is not in a format that aslant knows (it begins with {head[:24]!r}); it reads GloVe and word2vec "
        "text, word2vec and fastText binary, .npy with a word list, HistWords decades, .safetensors and .npz."
    )


#: Suffix to the function that writes a file of that kind: (file, vectors) -> None.
WRITERS: dict[str, Callable[[IO[bytes], WordVectors], None]] = {
    ".safetensors": lambda file, vectors: aslant_file.dump(file, vectors.words, vectors.matrix, vectors.record()),
    ".npz": aslant_file.save_npz,
    ".bin": word2vec_binary.write,
    ".txt": text.write,
    ".vec": text.write,
}
#: Those that keep note, repairs and treatments.
RECORDED = (".safetensors", ".npz")


def check_suffix(path: str | Path) -> Path:
    """Return `path` if files of its suffix can be written, or say which can."""
    target = Path(path).expanduser()
    if target.suffix.lower() not in WRITERS:
        raise VectorsError(f"cannot save to '{target.name}'; use a name that ends in {' or '.join(WRITERS)}.")
    return target


def save(vectors: WordVectors, path: str | Path) -> None:
    """Write `vectors` in the format that the suffix of `path` names, completely or not at all."""
    target = check_suffix(path)
    try:
        with written_whole(target) as file:
            WRITERS[target.suffix.lower()](file, vectors)
    except OSError as error:
        raise VectorsError(f"cannot write '{path}': {error.strerror}.") from None
