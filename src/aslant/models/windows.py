"""Where words are among a text's tokens, and which part of too long a text a model gets to see."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

from aslant.errors import MeasureError
from aslant.models.table import Ids

Span: TypeAlias = tuple[int, int]


@dataclass(frozen=True)
class Cut:
    """A text as tokens: their numbers, the characters that each stands for, and which are its own (not special)."""

    text: str
    ids: Ids
    offsets: Sequence[Span]
    content: range

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
        for i in range(bisect_right(self._visible, start, key=lambda token: token[1]), len(self._visible)):
            left, _, places = self._visible[i]
            if left >= end:
                break
            found += places
        if not found:
            raise MeasureError(f"{self.text[start:end]!r} in {shown(self.text)} has no tokens for the model.")
        return tuple(found)

    @cached_property
    def _visible(self) -> list[tuple[int, int, range]]:
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
