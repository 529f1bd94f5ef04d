"""Sentences that hold given words, drawn evenly in one reading of a corpus.

Every text has a random key for each word of each query, made from the seed, the query, the word and the text alone; the
n texts with the smallest keys are the draw. So the draw is even, does not depend on the order of the corpus nor on who
reads which part, and the first n of a larger draw are the smaller one. A text that occurs more than once in the corpus
can be drawn once (its vectors would be the same), but counts each time. Memory holds the drawn texts, no more.

A corpus may be read in shards, each by another worker. A file is cut where a line ends, so that every sentence is in
one shard; what cannot be cut there (packed files, tables, JSON, paragraphs, other encodings) is one shard as a whole.
"""

from __future__ import annotations

import heapq
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from contextlib import closing
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import pairwise
from typing import Any

import numpy as np

from aslant.corpus.corpus import Corpus, TextFile, checked
from aslant.corpus.matching import Finder, canonical
from aslant.errors import CorpusError
from aslant.io.packed_files import packing
from aslant.parallel import spread, workers_in_use

Progress = Callable[[str, int, int], None]
#: Drawn from a part of a corpus: count and texts by key of each word of each query; sentences, tokens, too long ones.
Part = tuple[list[tuple[int, dict[int, str]]], int, int, int]

STEP = "sentences"
#: Keys are whole numbers below this.
KEYS = 1 << 64
#: Sentences between two calls of `progress`, where these are counted and not bytes.
EVERY = 10_000
#: Bytes of a shard, about.
SHARD = 16 << 20
BLOCK = 1 << 16
#: A byte-order mark begins like this; no file is cut before such a line, so that a reader does not take it for one.
MARK = b"\xef"


@dataclass(frozen=True)
class Query:
    """Words to find, how many sentences of each to keep, and words that a sentence must not hold.

    A word is matched as a whole, in any case, or `as_written` (see `Context.has_written`); a phrase has its words
    joined by spaces or underscores. Words to avoid are matched in any case.
    """

    words: tuple[str, ...]
    per_word: int
    without: tuple[str, ...] = ()
    as_written: bool = False


@dataclass(frozen=True)
class Context:
    """One word in one sentence: it stands at text[start:end].

    >>> context = Context("The nurse slept.", 4, 9)
    >>> context.word, context.swapped("man").text
    ('nurse', 'The man slept.')
    """

    text: str
    start: int
    end: int

    @property
    def word(self) -> str:
        """The word as it is written in the sentence."""
        return self.text[self.start : self.end]

    def has_written(self, word: str) -> bool:
        """Tell whether a word is here as it is written, except for a capital where the sentence begins.

        >>> Context("“Rose petals.”", 1, 5).has_written("rose"), Context("I met Rose.", 6, 10).has_written("rose")
        (True, False)
        """
        shown, plain = _spelling(self.word), _spelling(word)
        if shown == plain:
            return True
        begins = not any(character.isalnum() for character in self.text[: self.start])
        return begins and shown == plain[:1].upper() + plain[1:]

    def swapped(self, word: str) -> Context:
        """Return the same sentence with another word in its place."""
        return Context(self.text[: self.start] + word + self.text[self.end :], self.start, self.start + len(word))


def _spelling(word: str) -> str:
    """Return a word with equivalent spellings unified: spaces, apostrophes, composed characters."""
    if word.isascii() and word.isalpha():
        return word
    return " ".join(unicodedata.normalize("NFC", word).replace("_", " ").replace("’", "'").split())


@dataclass(frozen=True)
class Contexts:
    """What was found for a query: up to `per_word` sentences for each word, drawn evenly from all that hold it.

    `counts` are the sentences that hold the word (and none of the words to avoid); `missing` have none. The drawn
    sentences of a word are in random order, so the first n of them are a fair draw too.
    """

    by_word: dict[str, tuple[Context, ...]]
    counts: dict[str, int]
    missing: tuple[str, ...]


@dataclass(frozen=True)
class ContextSample:
    """The contexts of every query, by its name, from one reading of a corpus of that many sentences and tokens."""

    contexts: dict[str, Contexts]
    sentences: int
    tokens: int


def sample_contexts(
    sentences: Iterable[str],
    queries: Mapping[str, Query],
    *,
    rng: int | np.random.Generator | None = 0,
    progress: Progress | None = None,
) -> ContextSample:
    """Return, for every query, sentences that hold its words: one reading for all, drawn evenly by reservoirs.

    Where a word is in a sentence more than once, one of the places is drawn. `progress` is called with a step, how
    much is done and how much there is (bytes of a corpus; 0 if unknown).

    >>> found = sample_contexts(["A nurse slept.", "He is a nurse."], {"jobs": Query(("nurse",), 5, without=("he",))})
    >>> found.contexts["jobs"].counts
    {'nurse': 1}
    """
    try:
        seed = int(np.random.default_rng(rng).integers(2**63)).to_bytes(8, "little")
    except (TypeError, ValueError):
        raise CorpusError(f"rng is {rng!r}; give a whole number from 0 up, or a numpy Generator.") from None
    draw = _Draw(queries, seed)
    if isinstance(sentences, Corpus) and len(sentences.files) == len(sentences.parts) and workers_in_use() is not None:
        _read_shards(sentences, draw, progress)
    else:
        for text in watched(sentences, progress):
            draw.add(text)
    return draw.result()


def draw_part(shared: tuple[dict[str, Any], dict[str, Query], bytes], shard: TextFile) -> Part:
    """Draw from one shard, on any worker; `shared` has the corpus' settings, the queries and the seed."""
    settings, queries, seed = shared
    draw, corpus = _Draw(queries, seed), Corpus(shard.label, (shard,), settings)
    for text in corpus:
        draw.add(text)
    return [(each.count, each.texts) for each in draw.all], draw.sentences, draw.tokens, corpus.too_long or 0


def _read_shards(corpus: Corpus, draw: _Draw, progress: Progress | None) -> None:
    """Let the workers in use draw from every shard, and put together what they found."""
    total, too_long, done = corpus.bytes, 0, 0
    shards = list(shards_of(corpus))
    shared = (corpus.settings, dict(draw.queries), draw.seed)
    try:
        with closing(spread(draw_part, shards, shared)) as parts:
            for shard, part in zip(shards, parts, strict=True):
                too_long += draw.merge(part)
                done += shard.span[1] - shard.span[0] if shard.span else shard.size
                if progress is not None:
                    progress(STEP, done, total)
    except CorpusError:
        for _ in corpus:  # reading the whole names the line
            pass
        raise
    corpus.too_long = too_long


def watched(sentences: Iterable[str], progress: Progress | None) -> Iterator[str]:
    """Yield the sentences of a corpus, or given ones, and tell `progress` how far that is."""
    if isinstance(sentences, str):
        raise CorpusError("one string was given, not sentences; give a list of strings or aslant.load_corpus(…).")
    if progress is None:
        yield from checked(sentences)
    elif isinstance(sentences, Corpus) and sentences.bytes:
        yield from sentences.read(lambda done, total: progress(STEP, done, total))
    else:
        total = len(sentences) if isinstance(sentences, Sized) else 0
        done = 0
        for done, text in enumerate(checked(sentences), 1):
            yield text
            if done % EVERY == 0:
                progress(STEP, done, total)
        progress(STEP, done, total or done)


def _hashed(text: str, seed: bytes) -> int:
    """Return a whole number below KEYS that looks random, the same for the same text and seed."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8, key=seed).digest(), "little")


class _Reservoir:
    """The texts with the smallest keys among those that hold one word of one query."""

    def __init__(self, label: str, word: str, bit: int, query: Query, seed: bytes) -> None:
        self.word, self.as_written, self.size, self.bit = word, query.as_written, query.per_word, bit
        self.count, self.limit = 0, KEYS
        # An odd factor turns the hash of a text into a key of its own for each word, without collisions.
        self.factor = _hashed(label, seed) | 1
        self.texts: dict[int, str] = {}
        self._largest: list[int] = []

    def keep(self, key: int, text: str) -> None:
        """Add a text whose key is below the limit, and drop the one with the largest key."""
        if key in self.texts:
            return
        self.texts[key] = text
        if len(self.texts) > self.size:
            del self.texts[-heapq.heapreplace(self._largest, -key)]
        else:
            heapq.heappush(self._largest, -key)
        if len(self.texts) == self.size:
            self.limit = -self._largest[0]


class _Draw:
    """All reservoirs, and which words of a sentence lead to which."""

    def __init__(self, queries: Mapping[str, Query], seed: bytes) -> None:
        self.queries, self.seed = queries, seed
        self.sentences = self.tokens = 0
        numbers: dict[str, int] = {}
        for query in queries.values():
            if isinstance(query.per_word, bool) or not isinstance(query.per_word, int) or query.per_word < 1:
                raise CorpusError(f"per_word is {query.per_word!r}; give a whole number from 1 up.")
            for word in (*query.words, *query.without):
                numbers.setdefault(canonical(word), len(numbers))
        self.finder, self.numbers = Finder(numbers), numbers
        self.bars = [0] * len(numbers)
        self.reservoirs: list[list[_Reservoir]] = [[] for _ in numbers]
        self.by_query: dict[str, dict[str, _Reservoir]] = {}
        for place, (name, query) in enumerate(queries.items()):
            self.by_query[name] = {}
            for word in dict.fromkeys(query.words):
                reservoir = _Reservoir(f"{name}\0{word}", word, 1 << place, query, seed)
                self.by_query[name][word] = reservoir
                self.reservoirs[numbers[canonical(word)]].append(reservoir)
            for word in query.without:
                self.bars[numbers[canonical(word)]] |= 1 << place
        self.all = [reservoir for reservoirs in self.by_query.values() for reservoir in reservoirs.values()]
        self.barring = frozenset(number for number, bars in enumerate(self.bars) if bars)

    def add(self, text: str) -> None:
        """Process one sentence."""
        held, tokens = self.finder.held(text)
        self.sentences += 1
        self.tokens += tokens
        if not held:
            return
        barred = 0
        for number in self.barring & held:
            barred |= self.bars[number]
        hashed = _hashed(text, self.seed)
        for number in held:
            for reservoir in self.reservoirs[number]:
                if not reservoir.bit & barred and (not reservoir.as_written or self._places(text, number, reservoir)):
                    reservoir.count += 1
                    key = hashed * reservoir.factor % KEYS
                    if key < reservoir.limit:
                        reservoir.keep(key, text)

    def _places(self, text: str, number: int, reservoir: _Reservoir) -> list[Context]:
        """Return every place at which a text holds the word of a reservoir, in a spelling that counts."""
        found = [Context(text, *place) for place in self.finder.places(text, number)]
        return [c for c in found if c.has_written(reservoir.word)] if reservoir.as_written else found

    def merge(self, part: Part) -> int:
        """Add what was found in another part of the corpus; return how many sentences were too long there."""
        found, sentences, tokens, too_long = part
        self.sentences += sentences
        self.tokens += tokens
        for reservoir, (count, texts) in zip(self.all, found, strict=True):
            reservoir.count += count
            for key, text in texts.items():
                if key < reservoir.limit:
                    reservoir.keep(key, text)
        return too_long

    def result(self) -> ContextSample:
        """Return what was found, the texts of each word in the order of their keys."""
        found = {}
        for name, reservoirs in self.by_query.items():
            by_word: dict[str, tuple[Context, ...]] = {}
            for word, reservoir in reservoirs.items():
                number = self.numbers[canonical(word)]
                by_key = ((key, self._places(text, number, reservoir)) for key, text in sorted(reservoir.texts.items()))
                by_word[word] = tuple(at[_hashed(str(key), self.seed) % len(at)] for key, at in by_key if at)
            counts = {word: reservoir.count for word, reservoir in reservoirs.items()}
            found[name] = Contexts(by_word, counts, tuple(word for word, n in counts.items() if not n))
        return ContextSample(found, self.sentences, self.tokens)


def shards_of(corpus: Corpus, size: int = SHARD) -> Iterator[TextFile]:
    """Yield the parts of a corpus of files, in their order; together they hold every sentence once.

    >>> import aslant, tempfile
    >>> path = tempfile.NamedTemporaryFile(suffix=".txt", delete=False)
    >>> _ = path.write("He left. She slept.".replace(". ", chr(46) + chr(10)).encode())
    >>> path.close()
    >>> [shard.span for shard in shards_of(aslant.load_corpus(path.name), size=4)]
    [(0, 9), (9, 19)]
    """
    for file in corpus.files:
        here = replace(file, location=replace(file.location, path=file.location.path.resolve()))
        if file.kind != "text" or file.encoding not in ("utf-8", "ascii") or file.split == "paragraphs":
            yield here
            continue
        cuts = list(_cuts(here, size))
        yield from (replace(here, span=span) for span in pairwise(cuts)) if len(cuts) > 2 else [here]


def _cuts(file: TextFile, size: int) -> Iterator[int]:
    """Yield where the shards of a file begin, and where the last one ends; nothing for a file that is packed."""
    total = file.size
    with file.location.path.open("rb") as stream:
        if file.location.member is not None or packing(stream.read(8)):
            return
        at = 0
        yield at
        while at + size < total:
            stream.seek(at + size)
            while line := stream.readline(BLOCK):  # up to a line that can be read by itself
                if line.endswith(b"\n") and stream.peek(1)[:1] != MARK:
                    break
            at = stream.tell()
            if at < total:
                yield at
    yield total
