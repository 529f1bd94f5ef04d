"""What a measure says of itself so that it can be followed over time: its words, and one function of arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from numpy.typing import NDArray

from aslant.measures.shared.wordsets import FloatArray
from aslant.stimuli import WordList

#: From vectors of kept words, (words, d) each, and of D draws of the replaced ones, (D, words, d) each, to D scores.
Scoring: TypeAlias = Callable[[Sequence[NDArray[Any]], Sequence[NDArray[Any]]], FloatArray]


@dataclass(frozen=True)
class Followed:
    """A measure with its words chosen, ready to be computed on any vectors; an about.toml names what makes it.

    The score of an embedding and what chance gives it come from the same function, `scores`: once with the vectors of
    the words asked for, once with those of random words in place of the `replaced` sets, while the `kept` sets stay.
    `label` names the score. `extreme` says what counts as more bias. Words at the same place of the kept sets are
    `paired`: one does not go without the other. Replaced sets with fewer than `least` words are left out where they are
    `spare` (pairs that define a direction); otherwise every set needs a word. `apart` are never drawn, and no more than
    `most` draws are made.
    """

    stimuli: str
    label: str
    kept: tuple[WordList, ...]
    replaced: tuple[WordList, ...]
    scores: Scoring
    extreme: Literal["both", "high", "low"] = "both"
    paired: bool = False
    spare: bool = False
    least: int = 1
    apart: tuple[str, ...] = ()
    most: int = 100_000
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def words(self) -> tuple[str, ...]:
        """Every word that is asked for, once."""
        return tuple(dict.fromkeys(word for sets in (*self.kept, *self.replaced) for word in sets.words))
