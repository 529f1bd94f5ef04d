"""How descriptors are put into sentences and compared: every setting, declared once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from aslant.measures.shared.settings import Settings, Twins, setting


@dataclass(frozen=True, kw_only=True)
class HolisticBiasSettings(Settings):
    """How many sentences are made, how they are compared, and with what."""

    nouns: Annotated[
        int, setting("Nouns in each template, others in each; from 4 on, the published share too.", ge=1, le=1_000)
    ] = 1
    descriptors: Annotated[
        int, setting("At most this many descriptors of each axis, drawn at random; 0 for all.", ge=0, le=10_000)
    ] = 0
    alpha: Annotated[float, setting("A pair differs if its q-value is at most this.", gt=0, lt=1)] = 0.05
    per_piece: Annotated[
        bool, setting("Compare the mean log-likelihood per word piece, as perplexity does, not the sum.")
    ] = True
    chance: Annotated[
        int, setting("Random sets of adjectives that each axis is compared with; 0 for none.", ge=0, le=100_000)
    ] = 1_000
    twins: Twins = 0
