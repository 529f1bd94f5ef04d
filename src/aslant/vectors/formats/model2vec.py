"""Folders of Model2Vec and of sentence-transformers' StaticEmbedding: one vector for each token of a tokenizer.

What such a model gives for a text is the mean of its tokens' vectors, weighted where the file has weights, at unit
length where its settings say so. The words of the vocabulary are those that the tokenizer turns into exactly one token:
neither special tokens nor pieces that only continue a word. Any other word is made of its pieces, as the model does it.
They are in the order of the tokenizer, which by custom is that of frequency (Model2Vec weights tokens by their rank).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.errors import MissingExtraError, VectorsError
from aslant.io.reading import parse_json, read_text
from aslant.vectors.content import content_of
from aslant.vectors.rows import Block, in_memory
from aslant.vectors.word_vectors import FloatMatrix, WordVectors, as_matrix

NAME = "Model2Vec"
STATIC, NORMALISED = "StaticEmbedding", "Normalize"
#: Tensors that hold the vectors: Model2Vec's own name, and that of sentence-transformers.
TENSORS = ("embeddings", "embedding.weight")
WEIGHTS, TOKENIZER = "model.safetensors", "tokenizer.json"
MAX_TOKENIZER_BYTES = 256 << 20
TOKENS_AT_ONCE = 8192


def folder_of(path: Path) -> Path | None:
    """Return the folder of the static model that `path` names (the folder itself, or the weights in it), or None."""
    folder = path.parent if path.name == WEIGHTS and path.is_file() else path
    if not folder.is_dir():
        return None
    modules = _modules(folder)
    first = modules[0][0] if modules else ""
    is_model2vec = not modules and _settings(folder / "config.json").get("model_type") == "model2vec"
    return folder if first == STATIC or is_model2vec else None


def read(path: Path, name: str, top: int | None = None) -> WordVectors:
    """Open the static model in a folder; with `top`, only the first `top` words, and none made of pieces."""
    modules = _modules(path)
    other = [kind for kind, _ in modules[1:] if kind != NORMALISED]
    if other:
        raise VectorsError(
            f"'{path}' has {' and '.join(other)} after its static embedding, so that a word's vector is not in a "
            "table; measure it as an encoder (aslant seat, or aslant.load_encoder)."
        )
    inside = path / modules[0][1] if modules else path
    settings = _settings(inside / "config.json")
    unit = any(kind == NORMALISED for kind, _ in modules) or settings.get("normalize") is True
    tokens = _tokens(inside, unit)
    rows, words = tokens.whole_words()
    if not words:
        raise VectorsError(f"the tokenizer of '{path}' has no word of one token.")
    vectors = in_memory([tokens.block(words, rows)], name=name, format_name=NAME, top=top)
    return replace(vectors, subwords=None if len(vectors) == top else tokens)


@dataclass(frozen=True, eq=False)
class StaticTokens:
    """The vectors of tokens, and what turns a word into tokens; builds the vector of a word of several."""

    tokenizer: Any
    matrix: NDArray[Any]
    weights: NDArray[np.float32] | None
    mapping: NDArray[np.int64] | None
    unknown: int | None
    keeps_unknown: bool
    unit: bool

    @cached_property
    def content(self) -> str:
        """What identifies the tokens: a digest of the tokenizer, of all rows and of what is done to them."""
        how = [self.tokenizer.to_str(), str((self.unknown, self.keeps_unknown, self.unit))]
        parts = (part for part in (self.weights, self.mapping) if part is not None)
        return content_of([*how, *(part.astype("<f8").tobytes().hex() for part in parts)], self.matrix)

    def vector(self, word: str) -> FloatMatrix | None:
        """Return the mean of the vectors of a word's tokens, shape (dimensions,); None where it has only unknown ones.

        Model2Vec leaves unknown tokens out of the mean, sentence-transformers does not.
        """
        if any("\ud800" <= c <= "\udfff" for c in word):  # half a pair, which is not text
            return None
        ids = [i for i in self._encoded([word])[0] if i < self.n_tokens]
        known = [i for i in ids if i != self.unknown]
        if not known:
            return None
        mean = self.rows(ids if self.keeps_unknown else known).mean(axis=0, dtype=np.float64, keepdims=True)
        built = self._sized(mean)[0]
        return built if np.isfinite(built).all() and built.any() else None

    @property
    def n_tokens(self) -> int:
        """How many tokens have vectors."""
        return len(self.matrix) if self.mapping is None else len(self.mapping)

    def rows(self, ids: list[int]) -> FloatMatrix:
        """Return the vectors of tokens, weighted, shape (ids, dimensions)."""
        picked = self.matrix[ids if self.mapping is None else self.mapping[ids]].astype(np.float32)
        return picked if self.weights is None else picked * self.weights[ids, None]

    def whole_words(self) -> tuple[list[int], list[str]]:
        """Return the tokens that stand for a word by themselves, and the words."""
        ids: list[int] = []
        words: list[str] = []
        for start in range(0, self.n_tokens, TOKENS_AT_ONCE):
            some = range(start, min(start + TOKENS_AT_ONCE, self.n_tokens))
            texts = [text.strip() for text in _asked(self.tokenizer.decode_batch, [[i] for i in some])]
            for i, text, encoded in zip(some, texts, self._encoded(texts), strict=True):
                if encoded == [i] and i != self.unknown:
                    ids.append(i)
                    words.append(text)
        return ids, words

    def block(self, words: list[str], ids: list[int]) -> Block:
        """Return words of one token with what the model gives for them."""
        return Block(words, self._sized(self.rows(ids)))

    def _encoded(self, texts: list[str]) -> list[list[int]]:
        return [found.ids for found in _asked(self.tokenizer.encode_batch, texts, add_special_tokens=False)]

    def _sized(self, vectors: Any) -> FloatMatrix:
        with np.errstate(over="ignore", invalid="ignore"):
            if self.unit:
                lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
                vectors = vectors / np.where(lengths > 0, lengths, 1)
            return as_matrix(vectors)


def _tokens(folder: Path, unit: bool) -> StaticTokens:
    """Read the two files of a static model, of which neither can run anything."""
    try:
        from safetensors import SafetensorError, safe_open
        from tokenizers import Tokenizer
    except ImportError:
        raise MissingExtraError("reading Model2Vec folders needs tokenizers: pip install '.[static]'.") from None
    weights, described = folder / WEIGHTS, read_text(folder / TOKENIZER, VectorsError, most=MAX_TOKENIZER_BYTES)
    if not weights.is_file():
        raise VectorsError(f"'{folder}' has no {WEIGHTS}; get the model again.")
    try:
        with safe_open(str(weights), framework="numpy") as file:
            tensors = {key: file.get_tensor(key) for key in file.keys() if key in (*TENSORS, "weights", "mapping")}  # noqa: SIM118 (not a dict)
    except (SafetensorError, OSError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise VectorsError(f"'{weights}' is not a safetensors file that can be read ({_told(error)}).") from None
    stored = next((key for key in TENSORS if key in tensors), None)
    if stored is None:
        raise VectorsError(f"'{weights}' has no tensor '{TENSORS[0]}' or '{TENSORS[1]}'; it is not a static embedding.")
    try:
        tokenizer = _asked(Tokenizer.from_str, described)
        tokenizer.no_padding()
        tokenizer.no_truncation()
        unknown = _unknown(tokenizer, described)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise VectorsError(f"'{folder / TOKENIZER}' is not a tokenizer that can be read ({_told(error)}).") from None
    matrix = tensors[stored]
    if matrix.ndim != 2 or 0 in matrix.shape or matrix.dtype.kind not in "fiu":
        raise VectorsError(f"the vectors in '{weights}' have shape {matrix.shape}; expected tokens × dimensions.")
    mapping, own_weights = _by_token(tensors, len(matrix), weights)
    found = StaticTokens(tokenizer, matrix, own_weights, mapping, unknown, stored == TENSORS[1], unit)
    if tokenizer.get_vocab_size(with_added_tokens=True) != found.n_tokens:
        raise VectorsError(
            f"the tokenizer of '{folder}' has {tokenizer.get_vocab_size(with_added_tokens=True):,} tokens, and "
            f"{WEIGHTS} vectors for {found.n_tokens:,}; the two do not belong together."
        )
    return found


def _by_token(tensors: dict[str, Any], rows: int, path: Path) -> tuple[Any, Any]:
    """Return the row and the weight of each token, where the file has them."""
    mapping, weights = tensors.get("mapping"), tensors.get("weights")
    if mapping is not None and (
        mapping.ndim != 1 or mapping.dtype.kind not in "iu" or not len(mapping)
        or int(mapping.min()) < 0 or int(mapping.max()) >= rows
    ):  # fmt: skip
        raise VectorsError(f"the tensor 'mapping' in '{path}' does not give each token one of {rows:,} vectors.")
    n_tokens = rows if mapping is None else len(mapping)
    if weights is not None and (weights.shape != (n_tokens,) or weights.dtype.kind != "f"):
        raise VectorsError(f"the tensor 'weights' in '{path}' does not give each of {n_tokens:,} tokens a weight.")
    return (
        None if mapping is None else mapping.astype(np.int64),
        None if weights is None else weights.astype(np.float32),
    )


def _unknown(tokenizer: Any, described: str) -> int | None:
    """Return the token that stands for what a tokenizer does not know."""
    model = parse_json(described)["model"]
    token = model.get("unk_token")
    found = tokenizer.token_to_id(token) if isinstance(token, str) else model.get("unk_id")
    return found if isinstance(found, int) else None


def _modules(folder: Path) -> list[tuple[str, str]]:
    """Return the kinds and folders of a sentence-transformers model's parts, in order; [] if there are none."""
    if not (folder / "modules.json").is_file():
        return []
    try:
        content = parse_json(read_text(folder / "modules.json", VectorsError))
        parts = [(str(part["type"]).rpartition(".")[2], str(part.get("path", ""))) for part in content]
    except (ValueError, TypeError, KeyError, AttributeError):
        raise VectorsError(f"'{folder / 'modules.json'}' is not a list of modules; get the model again.") from None
    for _, inside in parts:
        if not inside.isprintable() or Path(inside).is_absolute() or ".." in Path(inside).parts:
            raise VectorsError(f"'{folder / 'modules.json'}' names a folder outside its own; get the model again.")
    return parts


def _settings(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        content = parse_json(read_text(path, VectorsError))
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def _asked(function: Any, *given: Any, **more: Any) -> Any:
    """Call the tokenizer; where its own files make it fail, in Rust's way or Python's, raise a VectorsError."""
    try:
        return function(*given, **more)
    except BaseException as error:
        if isinstance(error, Exception) or type(error).__name__ == "PanicException":
            raise VectorsError(f"the tokenizer in {TOKENIZER} cannot be used ({_told(error)}).") from None
        raise


def _told(error: BaseException) -> str:
    return "".join(c for c in " ".join(str(error).split()) if c.isprintable())[:160] or type(error).__name__
