"""Lu et al., Table 1: polarity of profession words by class sets and schemes (MEASURES §4)."""

from __future__ import annotations

from collections.abc import Callable

from slant.measures import polarity
from slant.measures.polarity import Scheme
from slant.replicate.framework import Cell, Measured, Paper, StandIn
from slant.vectors import WordVectors, load

#: Columns whose class words are not known, and were fitted to the printed value.
FITTED = ("third column", "sixth column")
#: Printed column, class set that it really uses, scheme, and the printed value of the GloVe row.
COLUMNS: tuple[tuple[str, str, Scheme, float], ...] = (
    ("Baseline", "gender-binary", "binary", 0.0976),
    ("ovo (g1)", "gender-three-as-printed", "one-vs-one", 0.1090),
    ("third column", "race-four", "one-vs-one", 0.0978),
    ("ovr (g1)", "gender-three", "one-vs-rest", 0.1103),
    ("ovr (g2)", "gender-five", "one-vs-rest", 0.1528),
    ("sixth column", "race-four", "one-vs-rest", 0.1475),
)


def _compute(classes: str, scheme: Scheme) -> Callable[[WordVectors, int], Measured]:
    def compute(vectors: WordVectors, seed: int) -> Measured:
        result = polarity(vectors, classes, "bold-professions", scheme=scheme, bootstrap=0, rng=seed)
        return Measured(result.score, result.missing)

    return compute


PAPER = Paper(
    id="lu",
    title="Lu et al., Table 1",
    citation="Lu et al., multi-class polarity measures of social bias in word embeddings (one-vs-one and one-vs-rest)",
    cells=tuple(
        Cell(
            row, column, printed if row == "GloVe" else None, needs, _compute(classes, scheme), 0.0002, column in FITTED
        )
        for row, needs in (("GloVe", "glove-6b-100d"), ("GN-GloVe", "gn-glove"))
        for column, classes, scheme, printed in COLUMNS
    ),
    notes=(
        "The words are the single-word profession titles of BOLD; words without a vector are left out.",
        "Class sets: Baseline female, male; ovo (g1) man, woman, gay; ovr (g1) male, female, gay; ovr (g2) male, "
        "female, gay, lesbian, queer.",
        "What the third and sixth columns hold is not known. white, black, asian, native was picked, for being "
        "plausible, out of 49 sets (of some 280,000 tried) that give both values; that it meets them is no "
        "replication. The sixth is met as well by one-vs-rest of man, woman, gay (0.1474).",
        "The printed GN-GloVe row was not at hand, so those cells have no printed value.",
        "The history over decades needs HistWords: 'slant data get histwords-eng-all-sgns', or unpack it into a "
        "folder; then 'slant trend histwords-eng-all-sgns' or 'slant trend FOLDER'.",
    ),
    stand_ins={"glove-6b-100d": StandIn("bundled sample (float16)", load, 0.002)},
    drop_last={"gn-glove": 1},  # its last dimension holds gender on purpose
    by_hand={
        "gn-glove": "the link is in 'slant data licence gn-glove'; put the file at "
        "gn-glove/gn_glove.txt in the folder that the environment variable SLANT_DATA names",
        "glove-6b-100d": "for the full vocabulary and precision, 'slant data get glove-6b-100d'",
    },
)
