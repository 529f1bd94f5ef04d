"""How words are tokenised in place: the pieces of target and attribute in a sentence.

Words are found by offsets in the whole sentence, never tokenised alone: the space before a word, a capital at the
beginning of a sentence and lower-casing tokenizers are then handled correctly. Masks replace pieces in the sequence
of tokens, as in training, so that the other tokens stay what they were.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from aslant.errors import MeasureError
from aslant.models.protocols import ATTRIBUTE, INSIDE, TARGET, Sentence

_SLOTS = re.compile(f"({re.escape(TARGET)}|{re.escape(ATTRIBUTE)})")
#: Sentences per call of the tokenizer.
CHUNK = 4096
Span: TypeAlias = tuple[int, int]


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
    token to put before each sentence, beside those that the tokenizer adds.
    """

    def __init__(
        self, tokenizer: Any, *, capitalise: bool = True, longest: int | None = None, begin: int | None = None
    ) -> None:
        if not getattr(tokenizer, "is_fast", False):
            raise MeasureError(
                f"{type(tokenizer).__name__} does not say where its pieces are in a sentence; "
                "save the model with a fast tokenizer (tokenizer.json)."
            )
        self.tokenizer = tokenizer
        self.cased = tokenizer("He")["input_ids"] != tokenizer("he")["input_ids"]
        self.capital = capitalise and self.cased
        self.longest = longest
        self.begin = [] if begin is None else [begin]
        self.special = set(tokenizer.all_special_ids)

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
            cut = self.tokenizer(
                [text for text, _, _ in texts], return_offsets_mapping=True, return_special_tokens_mask=True
            )
            for row, sentence in enumerate(chunk):
                ids = [*self.begin, *cut["input_ids"][row]]
                offsets = [*((0, 0) for _ in self.begin), *cut["offset_mapping"][row]]
                special = [*(1 for _ in self.begin), *cut["special_tokens_mask"][row]]
                spelt.append(self._locate(sentence, texts[row], ids, offsets, special))
        return spelt

    def one_piece(self, word: str, template: str = INSIDE, role: Literal["target", "attribute"] = "target") -> bool:
        """Tell whether the word is a single piece as [TARGET] or [ATTRIBUTE] of a template; else inside a sentence."""
        words = {"target": "it", "attribute": "it", role: word}
        (found,) = self.try_spell([Sentence(template, **words)])
        return isinstance(found, Spelling) and len(getattr(found, role)) == 1

    def pieces(self, ids: Iterable[int]) -> tuple[str, ...]:
        """Return the pieces that tokens stand for, as the vocabulary writes them."""
        return tuple(self.tokenizer.convert_ids_to_tokens(list(ids)))

    def _locate(
        self, sentence: Sentence, text: tuple[str, Span, Span], ids: list[int], offsets: list[Span], special: list[int]
    ) -> Spelling | str:
        if self.longest is not None and len(ids) > self.longest:
            return f"'{text[0][:60]}…' has {len(ids)} pieces, but the model takes at most {self.longest}"
        places = []
        for word, span in zip((sentence.target, sentence.attribute), text[1:], strict=True):
            found = _place(text[0], span, offsets, special)
            if isinstance(found, str):
                return f"'{word}' in '{text[0]}' {found}"
            if self.tokenizer.unk_token_id in [ids[i] for i in found]:
                return f"'{word}' in '{text[0]}' is unknown to the model's tokenizer"
            if self.special.intersection(ids[i] for i in found):
                return f"'{word}' in '{text[0]}' is a special token of the model, not a word"
            places.append(found)
        content = [i for i, is_special in enumerate(special) if not is_special]
        return Spelling(tuple(ids), places[0], places[1], range(content[0], content[-1] + 1))


def _place(text: str, span: Span, offsets: list[Span], special: list[int]) -> range | str:
    """Return the places of the pieces of text[span], or what is wrong with them.

    A space belongs to the word after it, whether it is part of the word's first piece or a piece of its own.
    """
    start, end = span
    if not text[start:end].strip() or text[start:end] != text[start:end].strip():
        return "is empty or has spaces around it"
    found: list[int] = []
    spaces: list[int] = []
    for i, (left, right) in enumerate(offsets):
        while left < right and text[left].isspace():
            left += 1
        if not special[i] and left >= right:
            spaces.append(i)
            continue
        if not special[i] and left < end and right > start:
            if left < start or right > end:
                return "shares a piece with the text beside it"
            found += [*spaces, i]
        spaces = []
    if not found or found != list(range(found[0], found[-1] + 1)):
        return "has no pieces of its own"
    return range(found[0], found[-1] + 1)
