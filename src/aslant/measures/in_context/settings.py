"""How bias in context is measured: every setting with limits, declared once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from aslant.measures.shared.settings import Settings, setting

#: The heading that a command's help puts the choice of words under.
WORDS = "Choosing words"


@dataclass(frozen=True, kw_only=True)
class ContextualSettings(Settings):
    """How many sentences and words are used, and what is drawn."""

    repeats: Annotated[int, setting("Repeats, each with different sentences.", ge=1, le=100, metavar="N")] = 10
    swaps: Annotated[int, setting("Swapped sentences for each pair and repeat.", ge=1, le=1_000, metavar="N")] = 20
    random_pairs: Annotated[int, setting("Draws of random pairs; 0 for none.", ge=0, le=100_000, metavar="N")] = 1_000
    chance: Annotated[
        int, setting("Random poles that the biased words are compared with; 0 for none.", ge=0, le=100_000, metavar="N")
    ] = 499
    random_as: Annotated[
        Literal["differences", "words"],
        setting("Random words to compare with: differences (swapped), or also as words (Figure 1)."),
    ] = "differences"
    picture: Annotated[
        Literal["auto", "umap", "pca", "none"], setting("How words are laid out: auto, umap, pca, or none.")
    ] = "auto"
    top: Annotated[
        int, setting("Words to cluster per side.", ge=25, le=50_000, option="--top --most-biased", panel=WORDS)
    ] = 500
    classified: Annotated[int, setting("Words to classify per side.", ge=25, le=50_000, panel=WORDS)] = 2_500
    k: Annotated[
        int, setting("Neighbours of a profession.", ge=1, le=50_000, option="--k --neighbours", panel=WORDS)
    ] = 100
