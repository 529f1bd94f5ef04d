"""Which words a tokenizer has as one piece, or a list has: the words that a test is reduced to (Kurita et al. §3.1)."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from aslant.errors import DataError
from aslant.io.packed_files import path_of
from aslant.io.reading import read_text
from aslant.models.model_loading import first_that_opens, folder_by_data_name, need_extra, quiet, tokenizer_of

#: A model or an encoder, its folder, data name or hub name, a file with one word on each line, or words.
VocabularySource: TypeAlias = Any
KINDS = ("encoder", "language model", "words")
#: Bytes of a list of words: the vocabularies of large multilingual models have a tenth of it.
MAX_BYTES = 64 << 20
EITHER = "give a model, its folder or name, a file with one word on each line, or words"


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Known words: `has` tells whether a word is one of them, `name` and `fingerprint` say whose they are."""

    name: str
    fingerprint: str
    has: Callable[[str], bool]

    @classmethod
    def of(cls, name: str, entries: Iterable[str], has: Callable[[str], bool]) -> Vocabulary:
        """Return a vocabulary with a fingerprint of its entries."""
        digest = hashlib.sha256("\n".join(sorted(entries)).encode("utf-8", "surrogatepass")).hexdigest()
        return cls(name, digest[:12], has)

    def record(self) -> dict[str, str]:
        """Return what a result records about it."""
        return {"name": self.name, "fingerprint": self.fingerprint}


def open_vocabulary(source: VocabularySource) -> Vocabulary:
    """Return the words that a model's tokenizer has as one piece, or that a list has.

    A folder with a vocab.txt (such as BERT's) is read without torch and transformers. Where no entry has a capital,
    words are looked up in lower case, as an uncased model does.

    >>> known = open_vocabulary(["john", "nurse"])
    >>> known.has("John"), known.has("Mary")
    (True, False)
    >>> open_vocabulary(["John"]).has("john")
    False
    """
    if isinstance(source, Vocabulary):
        return source
    if isinstance(source, str | os.PathLike):
        return _named(source)
    speller = getattr(source, "speller", None)
    if has := getattr(source, "in_vocabulary", None) or getattr(speller, "one_piece", None):
        return Vocabulary(source.name, source.record()["fingerprint"], has)
    if not isinstance(source, Iterable):
        raise DataError(f"{getattr(source, 'name', source)!r:.60} has no vocabulary that can be read; {EITHER}.")
    return _listed("own words", source)


def _named(source: str | os.PathLike[str]) -> Vocabulary:
    path = path_of(str(source))
    if not os.path.exists(path):  # noqa: PTH110 (a name too long for any file is not an error here)
        found = None
        if isinstance(source, str):
            found = folder_by_data_name(source, KINDS, lambda found: found.suffix != ".gguf")
        if found is None:
            return _tokenizer(str(source), None)
        path = found
    folder = path if path.is_dir() else path.parent
    if path.is_dir() or path.name == "tokenizer.json":
        path = folder / "vocab.txt"
    if not path.is_file():
        return _tokenizer(str(source), folder)
    return _listed(str(source), read_text(path, DataError, most=MAX_BYTES).split("\n"))


def _listed(name: str, words: Iterable[Any]) -> Vocabulary:
    entries = frozenset(word.strip() for word in words if isinstance(word, str) and word.strip())
    if not entries:
        raise DataError(f"the vocabulary '{name:.60}' has no words; {EITHER}.")
    # [UNK] and <s> are not words; what is left tells whether capitals are known.
    uncased = all(word == word.lower() for word in entries if word[0] not in "[<")
    return Vocabulary.of(name, entries, lambda word: word in entries or (uncased and word.lower() in entries))


def _tokenizer(name: str, folder: Path | None) -> Vocabulary:
    need_extra("tokenizers without a vocab.txt", "transformers")
    from aslant.models.spelling import Speller

    with quiet():
        speller = Speller(first_that_opens(name, folder, tokenizer_of))
    return Vocabulary.of(name, speller.tokenizer.get_vocab(), speller.one_piece)
