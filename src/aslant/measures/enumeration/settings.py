"""How biases are enumerated: every setting, declared once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from aslant.measures.shared.settings import Settings, setting

#: More than this of anything only takes memory.
MOST = 10_000_000


@dataclass(frozen=True, kw_only=True)
class EnumerationSettings(Settings):
    """How biases are enumerated."""

    categories: Annotated[int, setting("Word categories.", ge=1, le=MOST)] = 64
    words: Annotated[int, setting("Most frequent words to use.", ge=1, le=MOST)] = 30_000
    per_cell: Annotated[int, setting("Words of each group and category.", ge=1, le=1_000)] = 3
    rotations: Annotated[int, setting("Random rotations for the p-values.", ge=1, le=MOST)] = 10_000
    alpha: Annotated[float, setting("False-discovery rate.", gt=0, lt=1)] = 0.05
    left_out: Annotated[
        float, setting("Share of names to leave out, those least like names.", ge=0, lt=1, metavar="SHARE")
    ] = 0.2
    min_found: Annotated[
        float, setting("Minimum share of the names that must have a vector.", ge=0, lt=1, metavar="SHARE")
    ] = 0.05
    min_names: Annotated[int, setting("Minimum number of names for each group.", ge=1, le=MOST)] = 12
    drop_names: Annotated[
        bool | None,
        setting(
            "Leave out words that are spelled like a name; default: only where the vocabulary is lower-cased.",
            option="--drop-names/--keep-names",
        ),
    ] = None
    voronoi: Annotated[bool, setting("A word belongs to the nearest group, or to any number.")] = True
    demographics_by: Annotated[
        Literal["names", "bearers"], setting("Names count once, or by how many bear them.", metavar="names|bearers")
    ] = "names"
    precision: Annotated[
        float | None,
        setting(
            "Stop once verdicts are settled, at this risk (such as 0.001) of changing any; default: never.",
            gt=0, lt=1, metavar="RISK",
        ),
    ] = None  # fmt: skip
    chance: Annotated[
        int, setting("Draws of random words in place of the names; from 19 on, p can be 0.05.", ge=0, le=10_000)
    ] = 5
