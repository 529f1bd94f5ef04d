"""What is done once, before anybody asks: words are indexed, kernels compiled, charts' libraries imported."""

from __future__ import annotations

from contextlib import suppress

from aslant.errors import AslantError
from aslant.explore.bench import Question, answer
from aslant.explore.opened import Opened

#: Words on each side: so many that the exact count takes its compiled way.
SIDE = 12


def warm(opened: Opened) -> None:
    """Ask an embedding something, so that the first person's question is as quick as all others."""
    if opened.vectors is None:
        return
    vectors = opened.vectors
    few = [vectors.words[int(row)] for row in vectors.plain_words[0][: 4 * SIDE]]
    x, y, a, b = (few[place::4] for place in range(4))
    question = Question("weat", 0, {"targets": {"x": x, "y": y}, "attributes": {"a": a, "b": b}})
    with suppress(AslantError):  # a vocabulary that is too small for this is quick anyway
        answer(opened, question)
    opened.complete("a", 1)
    _ = vectors.fingerprint
