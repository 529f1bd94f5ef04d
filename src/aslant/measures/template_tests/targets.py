"""The words of target sets as a model reads them: each spelling once, and only where it has a probability."""

from __future__ import annotations

from collections.abc import Sequence

from aslant.errors import MeasureError
from aslant.measures.template_tests.stimuli import Prompt
from aslant.models.protocols import CausalScore, MaskedScore


def distinct(
    prompt: Prompt, side: int, words: Sequence[str], scores: Sequence[MaskedScore | CausalScore],
    seen: dict[tuple[str, ...], tuple[int, str]], repeated: dict[str, str],
) -> list[MaskedScore | CausalScore]:  # fmt: skip
    """Return the scores of a set's words, each spelling once; no spelling may be in two sets.

    `seen` has the spellings so far with their set and word, `repeated` gets the words that are spelt like another.

    >>> score = MaskedScore(-1.0, -2.0, ("he",), ("nurse",))
    >>> repeated: dict[str, str] = {}
    >>> prompt = Prompt("[TARGET] is a [ATTRIBUTE].", (("he", "He"),))
    >>> len(distinct(prompt, 0, ("he", "He"), [score, score], {}, repeated)), repeated
    (1, {'He': 'he'})
    """
    kept = []
    for word, score in zip(words, scores, strict=True):
        spelling = tuple(score.pieces)
        if not spelling or spelling not in seen:
            seen[spelling] = (side, word)
            kept.append(score)
            continue
        home, first = seen[spelling]
        if home != side:
            raise MeasureError(
                f"in {prompt.text!r} the model reads '{first}' and '{word}' alike ({' '.join(spelling)}), and they "
                "are in two target sets; leave one out."
            )
        repeated.setdefault(word, first)
    return kept


def check_weighed(prompt: Prompt, scores: Sequence[MaskedScore | CausalScore]) -> None:
    """Refuse to sum over words of which a causal model cannot tell how probable they are."""
    if any(getattr(score, "unweighed", False) for score in scores):
        raise MeasureError(
            f"the model has no beginning token, so a target at the beginning of {prompt.text!r} has no "
            "probability to weight the words of a set by; give single words, or put something before it."
        )
