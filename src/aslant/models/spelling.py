"""How words are tokenised in place: which tokens of a text they are, and which part of too long a text a model sees.

Words are found by offsets in the whole sentence, never tokenised alone: the space before a word, a capital at the
beginning of a sentence and lower-casing tokenizers are then handled correctly. Masks replace pieces in the sequence
of tokens, as in training, so that the other tokens stay what they were.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, TypeAlias

from aslant.errors import MeasureError
from aslant.models.plan import Ids
from aslant.models.protocols import ATTRIBUTE, INSIDE, TARGET, Sentence

_SLOTS = re.compile(f"({re.escape(TARGET)}|{re.escape(ATTRIBUTE)})")
#: Sentences per call of the tokenizer.
CHUNK = 4096
#: Lone surrogates, which no tokenizer accepts, and their replacement: as long, so that spans stay where they are.
LONE, UNREADABLE = re.compile("[\ud800-\udfff]"), "\ufffd"
Span: TypeAlias = tuple[int, int]


@dataclass(frozen=True)
class Cut:
    """A text as tokens: their numbers, the characters that each stands for, and which are its own (not special)."""

    text: str
    ids: Ids
    offsets: Sequence[Span]
    content: range
    words: Sequence[int | None] = ()  #: which word each token belongs to, where that was requested

    def places(self, span: Span) -> tuple[int, ...]:
        """Return the tokens that a span overlaps, even in part; a space belongs to the word after it.

        >>> cut = Cut("a nurse.", (0, 7, 8, 9, 1), [(0, 0), (0, 1), (1, 5), (5, 8), (0, 0)], range(1, 4))
        >>> cut.places((2, 7)), cut.places((0, 1))
        ((2, 3), (1,))
        """
        start, end = span
        if not 0 <= start < end <= len(self.text):
            raise MeasureError(f"the span {start} to {end} is not inside {shown(self.text)} ({len(self.text)} long).")
        found: list[int] = []
        for i in range(bisect_right(self.visible, start, key=lambda token: token[1]), len(self.visible)):
            left, _, places = self.visible[i]
            if left >= end:
                break
            found += places
        if not found:
            raise MeasureError(f"{self.text[start:end]!r} in {shown(self.text)} has no tokens for the model.")
        return tuple(found)

    def word_at(self, span: Span) -> range | str:
        """Return the tokens of a word, which must be its own, or why it has none.

        >>> cut = Cut("a nurse.", (0, 7, 8, 9, 1), [(0, 0), (0, 1), (1, 5), (5, 8), (0, 0)], range(1, 4))
        >>> cut.word_at((2, 8)), cut.word_at((2, 7))
        (range(2, 4), 'shares a piece with the text beside it')
        """
        start, end = span
        pieces = [piece for piece in self.visible if piece[0] < end and piece[1] > start]
        found = [place for _, _, at in pieces for place in at]
        if not self.text[start:end].strip() or self.text[start:end] != self.text[start:end].strip():
            return "is empty or has spaces around it"
        if any(left < start or right > end for left, right, _ in pieces):
            return "shares a piece with the text beside it"
        if not found or found != list(range(found[0], found[-1] + 1)):
            return "has no pieces of its own"
        return range(found[0], found[-1] + 1)

    @cached_property
    def visible(self) -> list[tuple[int, int, range]]:
        """The tokens that are more than space: from where to where they stand, and their places with spaces before."""
        found = []
        first = self.content.start
        for i in self.content:
            left, right = self.offsets[i]
            while left < right and self.text[left].isspace():
                left += 1
            if left < right:
                found.append((left, right, range(first, i + 1)))
                first = i + 1
        return found

    def through(self, window: range) -> Ids:
        """Return the tokens of a window, between the special ones that stand around the text."""
        return (*self.ids[: self.content.start], *self.ids[window.start : window.stop], *self.ids[self.content.stop :])

    def room(self, sees: int | None) -> int:
        """Return how many tokens of the text a model sees at once that takes `sees` tokens (None: any number)."""
        if sees is None:
            return len(self.content)
        room = sees - (len(self.ids) - len(self.content))
        if room < 1:
            raise MeasureError(f"the model takes {sees} tokens, which leaves none for a text.")
        return min(room, len(self.content))


def cut_texts(
    tokenizer: Any, texts: Sequence[str], begin: Sequence[int] = (), *, words: bool = False, frame: str | None = None
) -> list[Cut]:
    """Return texts as a fast tokenizer cuts them, none truncated; `begin`: tokens to put before those that it adds.

    `words`: also say which word, by the tokenizer's own rules, each token belongs to. `frame`: text that comes before
    and is not content; with one, even an empty one, the tokenizer adds no tokens.
    """
    before = frame or ""
    found = tokenizer(
        [before + LONE.sub(UNREADABLE, text) for text in texts], add_special_tokens=frame is None,
        return_offsets_mapping=True, return_special_tokens_mask=True,
        return_attention_mask=False, return_token_type_ids=False, truncation=False, padding=False, verbose=False,
    )  # fmt: skip
    cuts = []
    rows = zip(texts, found["input_ids"], found["offset_mapping"], found["special_tokens_mask"], strict=True)
    for row, (text, ids, spans, special) in enumerate(rows):
        offsets = [(max(0, left - len(before)), max(0, right - len(before))) for left, right in spans]
        own = [
            i
            for i, (is_special, (_, right)) in enumerate(zip(special, spans, strict=True), len(begin))
            if not is_special and right >= len(before) + bool(before)
        ]
        content = range(own[0], own[-1] + 1) if own else range(0)
        belongs = [*(None for _ in begin), *found.word_ids(row)] if words else ()
        cuts.append(Cut(text, (*begin, *ids), [*((0, 0) for _ in begin), *offsets], content, belongs))
    return cuts


@dataclass(frozen=True)
class Spelling:
    """One sentence as tokens, and the places of its two words; `content` is what stands between special tokens."""

    ids: tuple[int, ...]
    target: range
    attribute: range
    content: range

    def masked(self, mask: int, *, target: int | None, attribute: int | None) -> tuple[tuple[int, ...], int, int]:
        """Return the tokens with that many masks for target and attribute (None: shown), and where each word begins.

        >>> Spelling((0, 7, 5, 8, 9, 1), range(1, 2), range(3, 5), range(1, 5)).masked(4, target=1, attribute=1)
        ((0, 4, 5, 4, 1), 1, 3)
        """
        ids, starts = list(self.ids), {"target": self.target.start, "attribute": self.attribute.start}
        words = [("target", self.target, target), ("attribute", self.attribute, attribute)]
        for _, place, masks in sorted(words, key=lambda word: -word[1].start):
            if masks is not None:
                ids[place.start : place.stop] = [mask] * masks
        (_, first, masks), (later, _, _) = sorted(words, key=lambda word: word[1].start)
        starts[later] += 0 if masks is None else masks - len(first)
        return tuple(ids), starts["target"], starts["attribute"]


def written(sentence: Sentence, *, capital: bool) -> tuple[str, Span, Span]:
    """Return the sentence's text, and the (start, end) of target and attribute in it.

    `capital`: with a capital at its beginning.

    >>> written(Sentence("[TARGET] is a [ATTRIBUTE].", "she", "nurse"), capital=True)
    ('She is a nurse.', (0, 3), (9, 14))
    """
    parts = _SLOTS.split(sentence.template)
    if sorted(parts[1::2]) != [ATTRIBUTE, TARGET]:
        raise MeasureError(f"the template {sentence.template!r} must contain [TARGET] and [ATTRIBUTE] exactly once.")
    text, spans = "", {}
    for part in parts:
        word = {TARGET: sentence.target, ATTRIBUTE: sentence.attribute}.get(part, part)
        spans[part] = (len(text), len(text) + len(word))
        text += word
    first = text[:1].upper()
    if capital and len(first) == 1:  # 'ß' has no single capital
        text = first + text[1:]
    return text, spans[TARGET], spans[ATTRIBUTE]


class Speller:
    """Tokenises sentences with a fast tokenizer and finds the words in them.

    `capitalise`: where the tokenizer distinguishes capitals, a sentence begins with one. `begin`: a
    token to put before each sentence, beside those that the tokenizer adds. `frame`: what comes before each sentence in
    a chat, beginning token included. `markup` finds what a text may begin with that needs no beginning token, or those
    `before_markup` only.
    """

    def __init__(
        self,
        tokenizer: Any,
        *,
        capitalise: bool = True,
        longest: int | None = None,
        begin: int | None = None,
        frame: str | None = None,
        markup: re.Pattern[str] | None = None,
        before_markup: Sequence[int] = (),
    ) -> None:
        if not getattr(tokenizer, "is_fast", False):
            raise MeasureError(
                f"{type(tokenizer).__name__} does not say where its pieces are in a text; "
                "save the model with a fast tokenizer (tokenizer.json)."
            )
        self.tokenizer, self.longest = tokenizer, longest
        self.cased = tokenizer("He")["input_ids"] != tokenizer("he")["input_ids"]
        self.capital = capitalise and self.cased
        self.begin = [] if begin is None else [begin]
        self.special = set(tokenizer.all_special_ids)
        self.frame, self.markup, self.before_markup = frame, markup, list(before_markup)

    def cuts(self, texts: Sequence[str], *, words: bool = False) -> list[Cut]:
        """Return texts as tokens, with the beginning token once, also where they bring it or chat markup themselves."""
        if self.frame is not None:
            return cut_texts(self.tokenizer, texts, words=words, frame=self.frame)
        begins = str(self.tokenizer.bos_token)
        groups: dict[str, list[int]] = {"plain": [], "markup": [], "begun": []}
        for i, text in enumerate(texts):
            marked = self.markup is not None and self.markup.match(text)
            groups["plain" if not marked else "begun" if text.startswith(begins) else "markup"].append(i)
        begin = {"plain": self.begin, "markup": self.before_markup, "begun": []}
        found: dict[int, Cut] = {}
        for kind, places in groups.items():
            if not places:
                continue
            chosen, frame = [texts[i] for i in places], None if kind == "plain" else ""
            for i, cut in zip(
                places, cut_texts(self.tokenizer, chosen, begin[kind], words=words, frame=frame), strict=True
            ):
                first = cut.content.start + (kind != "plain")  # the markup itself is not content
                found[i] = replace(cut, content=range(min(first, cut.content.stop), cut.content.stop))
        return [found[i] for i in range(len(texts))]

    def seen(self, sentence: Sentence) -> str:
        """Return exactly what a model sees of a sentence in a chat, or of one with markup; "" for any other."""
        text, *_ = written(sentence, capital=self.capital)
        if self.frame is None and not (self.markup is not None and self.markup.match(text)):
            return ""
        (cut,) = self.cuts([text])
        return str(self.tokenizer.decode(cut.ids, clean_up_tokenization_spaces=False))

    def spell(self, sentences: Sequence[Sentence]) -> list[Spelling]:
        """Return how each sentence is spelt; words that cannot be placed are named in one error."""
        spelt = self.try_spell(sentences)
        reasons = list(dict.fromkeys(reason for reason in spelt if isinstance(reason, str)))
        if reasons:
            more = f" (and {len(reasons) - 3} more)" if len(reasons) > 3 else ""
            raise MeasureError(f"{'; '.join(reasons[:3])}{more}; leave such words out.")
        return [found for found in spelt if isinstance(found, Spelling)]

    def try_spell(self, sentences: Sequence[Sentence]) -> list[Spelling | str]:
        """Return how each sentence is spelt, or the reason why one of its words cannot be placed."""
        spelt: list[Spelling | str] = []
        for start in range(0, len(sentences), CHUNK):
            chunk = sentences[start : start + CHUNK]
            texts = [written(sentence, capital=self.capital) for sentence in chunk]
            cuts = self.cuts([text for text, *_ in texts])
            for sentence, (_, *spans), cut in zip(chunk, texts, cuts, strict=True):
                spelt.append(self._locate(cut, zip((sentence.target, sentence.attribute), spans, strict=True)))
        return spelt

    def one_piece(self, word: str, template: str = INSIDE, role: Literal["target", "attribute"] = "target") -> bool:
        """Tell whether the word is a single piece as [TARGET] or [ATTRIBUTE] of a template; else inside a sentence."""
        words = {"target": "it", "attribute": "it", role: word}
        (found,) = self.try_spell([Sentence(template, **words)])
        return isinstance(found, Spelling) and len(getattr(found, role)) == 1

    def counts(self, words: Sequence[str]) -> list[int]:
        """Return how many pieces each word has inside a sentence; an unknown one counts as one."""
        spelt = self.try_spell([Sentence(INSIDE, word, "it") for word in words])
        return [len(found.target) if isinstance(found, Spelling) else 1 for found in spelt]

    def pieces(self, found: Spelling, places: range) -> tuple[str, ...]:
        """Return the pieces at some places, as the vocabulary writes them."""
        return tuple(self.tokenizer.convert_ids_to_tokens([found.ids[i] for i in places]))

    def _locate(self, cut: Cut, words: Iterable[tuple[str, Span]]) -> Spelling | str:
        if self.longest is not None and len(cut.ids) > self.longest:
            return f"'{cut.text[:60]}…' has {len(cut.ids)} pieces, but the model takes at most {self.longest}"
        places = []
        for word, span in words:
            found = cut.word_at(span)
            ids = set() if isinstance(found, str) else {cut.ids[i] for i in found}
            if self.tokenizer.unk_token_id in ids:
                found = "is unknown to the model's tokenizer"
            elif self.special & ids:
                found = "is a special token of the model, not a word"
            if isinstance(found, str):
                return f"'{word}' in '{cut.text}' {found}"
            places.append(found)
        return Spelling(cut.ids, places[0], places[1], cut.content)


def longest(model: Any, tokenizer: Any) -> int | None:
    """Return how many tokens the model takes at most, if it says so."""
    limit = getattr(model.config, "max_position_embeddings", None) or getattr(model.config, "n_positions", None)
    for name, module in model.named_modules():  # RoBERTa and its relatives count positions from that of padding on
        if limit and name.endswith("position_embeddings") and getattr(module, "padding_idx", None) is not None:
            limit -= int(module.padding_idx) + 1
            break
    return min((int(n) for n in (limit, tokenizer.model_max_length) if n and 0 < n < 10**9), default=None)


def shown(text: str) -> str:
    """Return the beginning of a text, quoted.

    >>> shown("x" * 99)[:5], len(shown("x" * 99))
    ("'xxxx", 63)
    """
    return repr(text if len(text) <= 60 else f"{text[:60]}…")


def windows(content: range, places: Sequence[tuple[int, ...]], room: int) -> list[range]:
    """Return, for each span (by its places), the part of `content` it is read in: `room` tokens around it.

    One part for all spans if it can hold them, else one for each; with as much on both sides as possible.

    >>> windows(range(1, 11), [(3,), (5, 6)], 4)
    [range(3, 7), range(3, 7)]
    >>> windows(range(1, 11), [(2,), (9, 10)], 4)
    [range(1, 5), range(7, 11)]
    """
    if len(content) <= room:
        return [content] * len(places)
    hull = [min(map(min, places)), max(map(max, places))] if places else [0, 0]
    if hull[1] - hull[0] < room:
        return [_around(content, hull[0], hull[1] + 1, room)] * len(places)
    return [_around(content, place[0], place[-1] + 1, room) for place in places]


def _around(content: range, start: int, stop: int, room: int) -> range:
    if stop - start > room:
        raise MeasureError(f"a span of {stop - start} tokens is longer than the {room} that the model sees at once.")
    first = max(content.start, min(start - (room - (stop - start)) // 2, content.stop - room))
    return range(first, first + room)


def tiles(content: range, room: int) -> list[range]:
    """Return all of `content` in parts of at most `room`, as even as possible.

    >>> tiles(range(1, 8), 3)
    [range(1, 3), range(3, 5), range(5, 8)]
    """
    count = max(1, -(-len(content) // room))
    edges = [content.start + len(content) * i // count for i in range(count + 1)]
    return [range(left, right) for left, right in pairwise(edges)]


def written_out(tokenizer: Any) -> str:
    """Return all that decides how a tokenizer cuts texts, except lengths, which calls change."""
    special = {name: str(token) for name, token in tokenizer.special_tokens_map.items()}
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        settings = {"vocabulary": tokenizer.get_vocab()}
    else:
        settings = {**json.loads(backend.to_str()), "truncation": None, "padding": None}
    return json.dumps([settings, special], sort_keys=True)
