"""How WEATs are run: every setting, declared once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from aslant.measures.shared.settings import (
    Alternative,
    Draws,
    MinFound,
    Partitions,
    Resampled,
    Resamples,
    Settings,
    setting,
)


@dataclass(frozen=True, kw_only=True)
class WeatSettings(Resampled):
    """How a WEAT is run."""

    chance: Draws = 2_000
    chance_words: Annotated[
        Literal["matched", "coherent"],
        setting("matched: random words of the same frequency; coherent: a random word and its nearest neighbours."),
    ] = "matched"
    equalise: Annotated[bool, setting("Remove words at random until both target sets are of equal size.")] = False
    vocabulary: Annotated[
        Any,
        setting(
            "Keep only words that this tokenizer has as one piece, or that this file lists, one per line.",
            metavar="MODEL|FILE",
        ),
    ] = None
    min_found: MinFound = 0.0

    def opened(self) -> WeatSettings:
        """Return the settings with their vocabulary open."""
        if self.vocabulary is None:
            return self
        from aslant.models.vocabulary import open_vocabulary

        return replace(self, vocabulary=open_vocabulary(self.vocabulary))

    def record(self) -> dict[str, Any]:
        """Return the settings as provenance keeps them; of a vocabulary, whose it is."""
        kept = super().record()
        vocabulary = kept.pop("vocabulary")
        return kept | ({"vocabulary": vocabulary.record()} if vocabulary else {})


@dataclass(frozen=True, kw_only=True)
class WeatSuiteSettings(WeatSettings):
    """How several WEATs are run."""

    min_found: MinFound = 0.5


@dataclass(frozen=True, kw_only=True)
class WefatSettings(Partitions):
    """How single words are tested."""

    alternative: Alternative = "two-sided"
    chance: Draws = 2_000


@dataclass(frozen=True, kw_only=True)
class GroupsSettings(Settings):
    """How several groups are tested."""

    n_resamples: Resamples = 100_000
    chance: Draws = 2_000
