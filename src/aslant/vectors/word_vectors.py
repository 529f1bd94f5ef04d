"""`WordVectors`: words, one float32 row each, and look-up by an explicit policy. Nothing here knows about files."""

from __future__ import annotations

import difflib
import re
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aslant.errors import VectorsError
from aslant.io.memory_maps import picked_rows, row_sums
from aslant.vectors.content import content_of, fingerprint_of
from aslant.vectors.debiasing_record import Treatment
from aslant.vectors.mapped_words import MappedWords

if TYPE_CHECKING:
    from pathlib import Path

FloatMatrix = NDArray[np.float32]
Case = Literal["fallback", "exact"]
#: How many of the most frequent words are compared with one that is missing.
MOST_COMPARED = 200_000
#: Words that are among the most frequent of any English vocabulary.
FREQUENT = ["the", "of", "and", "in", "to", "a", "for", "is", "on", "that", "with", "was", "as", "by", "it"]
Phrases = Literal["join", "exact", "mean"]


def title_case(word: str) -> str:
    """Capitalise the first letter of each part of a word or phrase, and nothing after an apostrophe."""
    return re.sub(r"(?:^|[\s_-])\w", lambda first: first[0].upper(), word.lower())


#: Shapes of words, as `shape_of` gives them.
LOWER, CAPITALISED, UPPER, CASELESS, MIXED = range(5)


def shape_of(word: str) -> int:
    """Return the shape of a word: in lower case, capitalised, in upper case, of a script without case, or mixed.

    >>> [shape_of(word) for word in ("he", "Anna", "HE", "他", "iPod")]
    [0, 1, 2, 3, 4]
    """
    if word.islower():
        return LOWER
    if word.istitle():
        return CAPITALISED
    return UPPER if word.isupper() else CASELESS if word.lower() == word.upper() else MIXED


def _is_letters(word: str) -> bool:
    """Tell whether a word is letters only, with the marks that some scripts write vowels with."""
    return word.isalpha() or (not word.isascii() and all(unicodedata.category(c)[0] in "LM" for c in word))


@dataclass(frozen=True)
class LookupPolicy:
    """The spellings tried for a word, in order; the first one in the vocabulary is taken.

    `case`: ``"fallback"`` tries the word as written, then lower case, then Title Case; ``"exact"`` only
    the first. `phrases`: ``"join"`` also tries spaces as underscores and back; ``"mean"`` after that takes
    the mean of the parts' vectors, if every part is there; ``"exact"`` does neither.

    >>> list(LookupPolicy().spellings("New York"))
    ['New York', 'New_York', 'new york', 'new_york']
    >>> list(LookupPolicy(case="exact", phrases="exact").spellings("New York"))
    ['New York']
    """

    case: Case = "fallback"
    phrases: Phrases = "join"

    def __post_init__(self) -> None:
        for name, allowed in (("case", get_args(Case)), ("phrases", get_args(Phrases))):
            if (value := getattr(self, name)) not in allowed:
                raise VectorsError(f"{name}={value!r} is not a lookup policy; use one of {', '.join(allowed)}.")

    def spellings(self, word: str) -> Iterator[str]:
        """Yield the tokens to try for `word`, best first, none twice."""
        yield word
        forms: tuple[str, ...] = (word,) if self.case == "exact" else (word, word.lower(), title_case(word))
        if self.phrases != "exact":
            forms = tuple(t for form in forms for t in (form, form.replace(" ", "_"), form.replace("_", " ")))
        yield from (token for token in dict.fromkeys(forms) if token != word)

    def parts(self, word: str) -> list[str]:
        """Return the words of a phrase, where the policy allows their mean; otherwise nothing."""
        pieces = word.replace("_", " ").replace("-", " ").split()
        return pieces if self.phrases == "mean" and len(pieces) > 1 else []

    def tokens(self, words: Iterable[str]) -> frozenset[str]:
        """Return every token that a look-up of `words` may try.

        >>> sorted(LookupPolicy().tokens(["she", "Paris"]))
        ['Paris', 'She', 'paris', 'she']
        """
        return frozenset(t for word in words for part in (word, *self.parts(word)) for t in self.spellings(part))

    def describe(self) -> str:
        """Describe the policy in words, for provenance.

        >>> LookupPolicy().describe()
        'case: as written, then lower, then Title; phrases: spaces and underscores alike'
        """
        case = {"fallback": "as written, then lower, then Title", "exact": "as written"}[self.case]
        phrases = {
            "join": "spaces and underscores alike",
            "exact": "as written",
            "mean": "spaces and underscores alike, then the mean of the parts",
        }[self.phrases]
        return f"case: {case}; phrases: {phrases}"


class Subwords(Protocol):
    """Builds a vector for a word outside the vocabulary (fastText's character n-grams)."""

    def vector(self, word: str) -> FloatMatrix | None:
        """Return the vector of `word`, shape (dimensions,), or None where it cannot be built."""


@dataclass(frozen=True)
class Lookup:
    """What a look-up found: one row of `vectors` per word of `found`, in the order asked.

    `tokens[i]` is the vocabulary entry that stands for `found[i]` (another case, an underscore, several
    parts); `missing` are the words that have no vector, in the order asked.
    """

    vectors: FloatMatrix
    found: tuple[str, ...]
    tokens: tuple[str, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Seal:
    """What is known of a cached matrix: checksums of all rows (`row_sums`), and a digest of rows and words.

    `remake` makes the matrix again if a row is damaged; None right after it was made.
    """

    sums: NDArray[np.uint32]
    content: str
    remake: Callable[[], FloatMatrix] | None


@dataclass(frozen=True, eq=False)
class WordVectors:
    """A static embedding: `words[i]` has the vector `matrix[i]` (float32, C order, maybe memory-mapped).

    Rows of the cache have checksums (`seal`), which are looked at whenever words are looked up. `shared` has words
    without a row of their own, and for each the word of the vocabulary whose vector it shares, and as which it counts.

    >>> v = WordVectors.from_arrays(["king", "queen"], [[1.0, 0.0], [0.8, 0.6]])
    >>> v.lookup(["Queen", "prince"]).found, v.lookup(["Queen", "prince"]).missing
    (('Queen',), ('prince',))
    >>> v
    <WordVectors 'arrays': 2 words × 2 dimensions>
    """

    words: Sequence[str]
    matrix: FloatMatrix
    name: str = "arrays"
    format: str = "arrays"
    repairs: Mapping[str, int] = field(default_factory=dict)
    policy: LookupPolicy = field(default_factory=LookupPolicy)
    subwords: Subwords | None = None
    note: str = ""
    treatments: tuple[Treatment, ...] = ()
    seal: Seal | None = field(default=None, repr=False)
    shared: Mapping[str, str] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if self.matrix.flags.writeable:  # a number changed in place would keep the old identity
            object.__setattr__(self, "matrix", self.matrix.view())
            self.matrix.flags.writeable = False

    @classmethod
    def from_arrays(cls, words: Iterable[str], matrix: ArrayLike, *, name: str = "arrays") -> WordVectors:
        """Make vectors from words and an array (words × dimensions) that you already have.

        Duplicate words, rows of zeros and rows with NaN or infinity are left out and counted in `repairs`. A float32
        array is not copied, so leave it as it is; `matrix` is read-only.

        >>> WordVectors.from_arrays(["a", "b", "a"], [[1, 2], [3, 4], [5, 6]]).repairs
        {'duplicate words left out': 1}
        """
        from aslant.vectors.rows import checked_block, in_memory

        return in_memory([checked_block(list(words), matrix)], name=name, format_name="arrays")

    def __repr__(self) -> str:
        return f"<WordVectors {self.name!r}: {len(self.words):,} words × {self.dimensions} dimensions>"

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.index

    @property
    def dimensions(self) -> int:
        """The length of each vector."""
        return int(self.matrix.shape[1])

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Row number of each word."""
        if isinstance(self.words, MappedWords):
            return self.words.by_word
        return dict(zip(self.words, range(len(self.words)), strict=True))

    @cached_property
    def plain_words(self) -> tuple[NDArray[np.intp], ...]:
        """The rows of the words that are letters only, by shape: in lower case, capitalised, in upper case, no case."""
        shapes = np.fromiter((shape_of(word) if _is_letters(word) else MIXED for word in self.words), np.int8)
        return tuple(np.flatnonzero(shapes == shape) for shape in range(MIXED))

    @cached_property
    def by_frequency(self) -> bool:
        """Whether the words may stand in order of frequency, as is usual.

        They do not if they are in alphabetical order, if at least five of the most frequent English words are there
        and most of them are beyond the first third, or if words share rows.

        >>> WordVectors.from_arrays(["and", "of", "the"], [[1.0], [2.0], [3.0]]).by_frequency
        False
        """
        rows = [self.index[word] for word in FREQUENT if word in self.index]
        late = len(rows) >= 5 and float(np.median(rows)) > len(self) / 3
        return not late and not self.shared and any(first > second for first, second in pairwise(self.words))

    @cached_property
    def fingerprint(self) -> str:
        """Twelve hex digits from every word and every number, and from what builds vectors of other words.

        The same vectors have the same fingerprint in any file. The cache knows that of a whole file; of its first
        words, it is made by reading them.
        """
        known = self.seal.content if self.seal is not None and len(self.seal.sums) == len(self) else ""
        beyond = getattr(self.subwords, "content", "")
        return fingerprint_of(known or content_of(self.words, self.matrix), self.shared, beyond)

    def similar_words(self, word: str, most: int = 3) -> list[str]:
        """Return frequent words that are spelled like `word`, the likeliest first, for one that is missing.

        >>> WordVectors.from_arrays(["the", "terrible", "horrible"], [[1.0]] * 3).similar_words("terribl")
        ['terrible']
        """
        small = word.lower()
        words = (other for other in self.words[:MOST_COMPARED] if other[:1].lower() == small[:1])
        near = (other for other in words if abs(len(other) - len(small)) <= 2)
        return difflib.get_close_matches(small, near, n=most, cutoff=0.8)

    def with_policy(self, policy: LookupPolicy) -> WordVectors:
        """Return the same vectors with another look-up policy."""
        return replace(self, policy=policy)

    def without_last(self, dimensions: int) -> WordVectors:
        """Return the vectors without their last `dimensions`; the note records it.

        >>> WordVectors.from_arrays(["a"], [[1.0, 2.0, 9.0]]).without_last(1).matrix.tolist()
        [[1.0, 2.0]]
        """
        if not 0 < dimensions < self.dimensions:
            raise VectorsError(f"{dimensions} dimensions cannot be left off vectors that have {self.dimensions}.")
        if self.subwords is not None:
            raise VectorsError("dimensions cannot be left off vectors that are built from sub-words.")
        note = f"{self.note}; " if self.note else ""
        kept = self.matrix[:, :-dimensions]
        told = f"{note}without the last {dimensions} of {self.dimensions} dimensions"
        return replace(self, matrix=kept, note=told, seal=None)

    def treated(self, matrix: FloatMatrix, treatment: Treatment) -> WordVectors:
        """Return vectors that a treatment, such as debiasing, has made of these; name and note say which.

        Sub-words are left behind: what they would build has not been treated.

        >>> v = WordVectors.from_arrays(["a", "b"], [[1.0, 2.0], [2.0, 1.0]])
        >>> v.treated(v.matrix / 2, Treatment("halved", {}, (), None)).note
        'halved; no random choices'
        """
        if matrix.shape != self.matrix.shape:
            raise VectorsError(f"treated vectors of shape {matrix.shape} cannot stand for {self.matrix.shape}.")
        left_behind = "; without sub-words" if self.subwords is not None else ""
        return replace(
            self,
            matrix=matrix,
            name=f"{self.name} ({treatment.method})",
            note="; ".join(filter(None, (self.note, treatment.describe() + left_behind))),
            treatments=(*self.treatments, treatment),
            subwords=None,
            seal=None,
        )

    def lookup(self, words: Iterable[str], *, policy: LookupPolicy | None = None) -> Lookup:
        """Return the vectors of `words`; what has none is listed as missing, never dropped silently.

        >>> v = WordVectors.from_arrays(["new_york", "big"], [[1, 0], [0, 1]])
        >>> v.lookup(["New York"]).tokens
        ('new_york',)
        """
        if isinstance(words, str):
            raise VectorsError(f"lookup({words!r}) was given one string; give a list of words.")
        chosen = policy or self.policy
        found, tokens, missing, matches = [], [], [], []
        for word in words:
            if not isinstance(word, str):
                raise VectorsError(f"lookup was given {word!r}, a {type(word).__name__}; words are strings.")
            if (match := self._match(word, chosen)) is None:
                missing.append(word)
            else:
                found.append(word)
                tokens.append(match[0])
                matches.append(match[1])
        return Lookup(self._vectors_of(matches), tuple(found), tuple(tokens), tuple(missing))

    def row_of(self, token: str) -> tuple[str, int] | None:
        """Return the word of the vocabulary that `token` is, or shares the vector of, and its row; None without one."""
        if (row := self.index.get(token)) is not None:
            return token, row
        own = self.shared.get(token) if self.shared else None
        return None if own is None or (row := self.index.get(own)) is None else (own, row)

    def _match(self, word: str, policy: LookupPolicy) -> tuple[str, int | FloatMatrix] | None:
        """Return the token for `word` with its row, or with a vector where one had to be composed."""
        for token in policy.spellings(word):
            if (found := self.row_of(token)) is not None:
                return found
        parts = [self._match(part, policy) for part in policy.parts(word)]
        if parts and None not in parts:
            known = [part for part in parts if part is not None]
            mean = self._vectors_of([match for _, match in known]).mean(axis=0, dtype=np.float64)
            return " + ".join(token for token, _ in known), mean.astype(np.float32)
        if self.subwords is not None and (built := self.subwords.vector(word)) is not None:
            return f"{word} (from sub-words)", built
        return None

    def _vectors_of(self, matches: list[int | FloatMatrix]) -> FloatMatrix:
        """Return one row per match, shape (matches, dimensions)."""
        rows = np.array([match if isinstance(match, int) else 0 for match in matches], dtype=np.intp)
        vectors = self.rows(rows)
        for place, match in enumerate(matches):
            if not isinstance(match, int):
                vectors[place] = match
        return vectors

    def rows(self, rows: NDArray[np.integer[Any]]) -> FloatMatrix:
        """Return a copy of rows; where one is damaged, the cache is made again, and all of them are read from there."""
        picked = picked_rows(self.matrix, rows)
        remake = None if self.seal is None else self.seal.remake
        if self.seal is None or remake is None or np.array_equal(row_sums(picked), self.seal.sums[rows]):
            return picked
        warnings.warn(f"the cache of '{self.name}' was damaged and is being rebuilt", stacklevel=4)
        object.__setattr__(self, "matrix", remake()[: len(self)])
        object.__setattr__(self, "seal", None)
        return picked_rows(self.matrix, rows)

    def save(self, path: str | Path) -> None:
        """Write a file that `aslant.load` opens again, in the format that the suffix names.

        .safetensors and .npz (both keep note, repairs and treatments), .bin (word2vec binary), .txt and .vec
        (word2vec text: a header, then a word and its numbers per line), which keep none of these. gensim opens the
        last three. The file appears complete or not at all; words that a format cannot hold are an error.

        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "tiny.safetensors"
        >>> WordVectors.from_arrays(["a"], [[1.0, 2.0]]).save(path)
        >>> import aslant
        >>> aslant.load(path).words
        ['a']
        """
        from aslant.vectors.formats import save

        save(self, path)

    def record(self) -> dict[str, Any]:
        """Return what provenance keeps of an embedding."""
        return {
            "name": self.name,
            "fingerprint": self.fingerprint,
            "format": self.format,
            "words": len(self.words),
            "dimensions": self.dimensions,
            "repairs": dict(self.repairs),
            "lookup": self.policy.describe() + ("; sub-words for missing words" if self.subwords else ""),
            "note": self.note,
            "treatments": tuple(treatment.to_dict() for treatment in self.treatments),
        }


def as_matrix(matrix: ArrayLike, origin: str = "the vectors") -> FloatMatrix:
    """Return `matrix` as a two-dimensional float32 array in C order, or say what is wrong with it."""
    try:
        array = np.asarray(matrix)
        if array.dtype.kind in "cmM":
            raise TypeError(f"{array.dtype}")  # noqa: TRY301 (all that are not numbers end in one message)
        if array.dtype.kind not in "fiu":
            array = array.astype(np.float32)
    except (TypeError, ValueError, OverflowError, SystemError) as error:  # the last: empty strings
        raise VectorsError(f"{origin} are not an array of numbers ({error}).") from None
    if array.ndim != 2 or 0 in array.shape:
        raise VectorsError(f"{origin} have shape {array.shape}; expected words × dimensions, none of them 0.")
    # Too large for float32 becomes infinity, which is counted as a repair; so is NaN of every kind.
    with np.errstate(over="ignore", invalid="ignore"):
        return np.ascontiguousarray(array, dtype=np.float32)
