"""Sentences that hold given words, drawn evenly in one reading of a corpus.

Every text has a random key for each word of each query, made from the seed, the query, the word and the text alone; the
n texts with the smallest keys are the draw. So the draw is even, does not depend on the order of the corpus nor on who
reads which part, and the first n of a larger draw are the smaller one. A text that occurs more than once in the corpus
can be drawn once (its vectors would be the same), but counts each time. Memory holds the drawn texts, no more.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from contextlib import closing
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from aslant.corpus.contexts import Context, Contexts, ContextSample, Query
from aslant.corpus.corpus import Corpus, checked
from aslant.corpus.files import TextFile
from aslant.corpus.matching import Finder, canonical
from aslant.corpus.shards import Shards, shards_of
from aslant.errors import CorpusError
from aslant.parallel import spread, workers_in_use

Progress = Callable[[str, int, int], None]

STEP = "sentences"
#: Keys are whole numbers below this.
KEYS = 1 << 64
#: Sentences between two calls of `progress`, where these are counted and not bytes.
EVERY = 10_000


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
    draw = _Draw(queries, _seed(rng))
    if isinstance(sentences, Corpus) and len(sentences.files) == len(sentences.parts) and workers_in_use() is not None:
        _read_shards(sentences, draw, progress)
        return draw.result()
    for text in _counted(sentences, progress):
        draw.add(text)
    return draw.result()


@dataclass(frozen=True)
class Part:
    """What was drawn from a part of a corpus: the count and the texts, by key, of each word of each query."""

    found: dict[str, dict[str, tuple[int, dict[int, str]]]]
    sentences: int
    tokens: int
    too_long: int


def draw_part(shared: tuple[Shards, dict[str, Query], bytes], shard: TextFile) -> Part:
    """Draw from one shard, on any worker; `shared` has how it is read, the queries and the seed."""
    shards, queries, seed = shared
    draw, corpus = _Draw(queries, seed), shards.corpus(shard)
    for text in corpus:
        draw.add(text)
    return draw.part(corpus.too_long or 0)


def _read_shards(corpus: Corpus, draw: _Draw, progress: Progress | None) -> None:
    """Let the workers in use draw from every shard, and put together what they found."""
    total, too_long, done = corpus.bytes, 0, 0
    shards = list(shards_of(corpus))
    shared = (Shards(corpus.settings), dict(draw.queries), draw.seed)
    try:
        with closing(spread(draw_part, shards, shared)) as parts:
            for shard, part in zip(shards, parts, strict=True):
                draw.merge(part)
                too_long += part.too_long
                done += shard.span[1] - shard.span[0] if shard.span else shard.size
                if progress is not None:
                    progress(STEP, done, total)
    except CorpusError:
        for _ in corpus:  # reading the whole names the line
            pass
        raise
    corpus.too_long = too_long


def _seed(rng: int | np.random.Generator | None) -> bytes:
    try:
        return int(np.random.default_rng(rng).integers(2**63)).to_bytes(8, "little")
    except (TypeError, ValueError):
        raise CorpusError(f"rng is {rng!r}; give a whole number from 0 up, or a numpy Generator.") from None


def _counted(sentences: Iterable[str], progress: Progress | None) -> Iterator[str]:
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
        self.word, self.as_written = word, query.as_written
        self.bit = bit
        self.size = query.per_word
        self.count = 0
        self.limit = KEYS
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
            _check(query)
            for word in (*query.words, *query.without):
                numbers.setdefault(canonical(word), len(numbers))
        self.finder = Finder(numbers)
        self.numbers = numbers
        self.bars = [0] * len(numbers)
        self.reservoirs: list[list[_Reservoir]] = [[] for _ in numbers]
        self.by_query: dict[str, dict[str, _Reservoir]] = {}
        for place, (name, query) in enumerate(queries.items()):
            self._set_up(name, query, 1 << place)
        self.barring = frozenset(number for number, bars in enumerate(self.bars) if bars)

    def _set_up(self, name: str, query: Query, bit: int) -> None:
        self.by_query[name] = {}
        for word in dict.fromkeys(query.words):
            reservoir = _Reservoir(f"{name}\0{word}", word, bit, query, self.seed)
            self.by_query[name][word] = reservoir
            self.reservoirs[self.numbers[canonical(word)]].append(reservoir)
        for word in query.without:
            self.bars[self.numbers[canonical(word)]] |= bit

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

    def part(self, too_long: int) -> Part:
        """Return what was found so far, to be merged elsewhere."""
        found = {
            name: {word: (reservoir.count, reservoir.texts) for word, reservoir in reservoirs.items()}
            for name, reservoirs in self.by_query.items()
        }
        return Part(found, self.sentences, self.tokens, too_long)

    def merge(self, part: Part) -> None:
        """Add what was found in another part of the corpus."""
        self.sentences += part.sentences
        self.tokens += part.tokens
        for name, words in part.found.items():
            for word, (count, texts) in words.items():
                reservoir = self.by_query[name][word]
                reservoir.count += count
                for key, text in texts.items():
                    if key < reservoir.limit:
                        reservoir.keep(key, text)

    def result(self) -> ContextSample:
        """Return what was found, the texts of each word in the order of their keys."""
        found = {}
        for name, reservoirs in self.by_query.items():
            by_word = {word: self._contexts(word, reservoir) for word, reservoir in reservoirs.items()}
            counts = {word: reservoir.count for word, reservoir in reservoirs.items()}
            found[name] = Contexts(by_word, counts, tuple(word for word, n in counts.items() if not n))
        return ContextSample(found, self.sentences, self.tokens)

    def _contexts(self, word: str, reservoir: _Reservoir) -> tuple[Context, ...]:
        number = self.numbers[canonical(word)]
        drawn: list[Context] = []
        for key, text in sorted(reservoir.texts.items()):
            places = self._places(text, number, reservoir)
            if places:
                drawn.append(places[_hashed(str(key), self.seed) % len(places)])
        return tuple(drawn)


def _check(query: Query) -> None:
    if isinstance(query.per_word, bool) or not isinstance(query.per_word, int) or query.per_word < 1:
        raise CorpusError(f"per_word is {query.per_word!r}; give a whole number from 1 up.")
