"""Lu, Sujichantararat & Lohanimit: polarity by class sets and schemes, and its history (definitions: polarity)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from slant.errors import MeasureError
from slant.measures import polarity, polarity_trend
from slant.measures.polarity import Scheme
from slant.replicate.framework import Cell, Measured, Paper, Role, Run, Source, bundled_glove, is_glove_6b_100d
from slant.results import TrendResult
from slant.vectors import WordVectors, load

TABLE = "Table 1"
#: Printed column, class set that it really uses, scheme, and what the rows GloVe and GN-GloVe print.
COLUMNS: tuple[tuple[str, str, Scheme, str, str], ...] = (
    ("Baseline", "gender-binary", "binary", "0.0976", "0.0519"),
    ("ovo (g1)", "gender-three-as-printed", "one-vs-one", "0.1090", "0.0595"),
    ("ovo (r)", "race-four", "one-vs-one", "0.0978", "0.0827"),
    ("ovr (g1)", "gender-three", "one-vs-rest", "0.1103", "0.0657"),
    ("ovr (g2)", "gender-five", "one-vs-rest", "0.1528", "0.1456"),
    ("ovr (r)", "race-four", "one-vs-rest", "0.1475", "0.1224"),
)
DOWN, UP, UNCLEAR = "downwards", "upwards", "none clear"
#: Figure, setting, class set, scheme, and the trend that §5 describes.
TRENDS: tuple[tuple[str, str, str, Scheme, str], ...] = (
    ("Figure 1", "gender polarity", "gender-binary", "binary", DOWN),
    ("Figure 1", "ovo (g1)", "gender-three-as-printed", "one-vs-one", DOWN),
    ("Figure 1", "ovr (g1)", "gender-three-as-printed", "one-vs-rest", DOWN),
    ("Figure 1", "ovr (g2)", "gender-five-as-printed", "one-vs-rest", UNCLEAR),
    ("Figure 2", "ovo (r)", "race-four", "one-vs-one", DOWN),
    ("Figure 2", "ovr (r)", "race-four", "one-vs-rest", UNCLEAR),
)
SIGNIFICANT = 0.05


def _score(classes: Any, scheme: Scheme) -> Callable[[Run, WordVectors], Measured]:
    def compute(run: Run, vectors: WordVectors) -> Measured:
        result = polarity(vectors, classes, "bold-professions", scheme=scheme, bootstrap=0, rng=run.seed)
        return Measured(result.score, result.missing)

    return compute


def _trend(decades: Mapping[int, WordVectors], seed: int, classes: str, scheme: Scheme) -> TrendResult:
    return polarity_trend(decades, classes, "bold-professions", scheme=scheme, rng=seed)


def _direction(classes: str, scheme: Scheme) -> Callable[[Run, Any], Measured]:
    """The paper judges by eye; ours is the Mann–Kendall test."""

    def compute(run: Run, decades: Any) -> Measured:
        test = run.once(_trend, decades, run.seed, classes=classes, scheme=scheme).test
        if test is None:
            raise MeasureError("fewer than four decades have vectors for every class, so there is no test for trend.")
        found = UNCLEAR if test.kendall_pvalue > SIGNIFICANT else DOWN if test.kendall < 0 else UP
        note = f"Kendall's tau {test.kendall:.2f}, p {test.kendall_pvalue:.3g}"
        return Measured(None, note=note, text=found)

    return compute


def _gn_glove(source: Any) -> WordVectors:
    return load(source, drop_last=1)  # its last dimension holds gender on purpose


PAPER = Paper(
    id="lu",
    title="Lu, Sujichantararat & Lohanimit, BOLD and Beyond",
    citation="Lu, K., Sujichantararat, S., & Lohanimit, R. BOLD and Beyond: Better automated metrics for word "
    "embedding bias. Massachusetts Institute of Technology (no venue or year printed).",
    cells=(
        *(
            Cell(TABLE, "GloVe", column, glove, ("glove",), _score(classes, scheme), 0.0002)
            for column, classes, scheme, glove, _ in COLUMNS
        ),
        Cell(
            TABLE, "GloVe", "Baseline", "0.0976", ("glove",), _score(["she", "he"], "binary"), 0.0002,
            way="the words of eq. 1: she, he",
            why="the printed value comes out with female and male, not with the words of eq. 1",
        ),
        *(
            Cell(TABLE, "GN-GloVe", column, gn, ("gn-glove",), _score(classes, scheme), 0.0002)
            for column, classes, scheme, _, gn in COLUMNS
        ),
        *(
            Cell(figure, setting, "trend", says, ("histwords",), _direction(classes, scheme))
            for figure, setting, classes, scheme, says in TRENDS
        ),
    ),
    notes=(
        "The words are the single-word profession titles of BOLD, in lower case; words without a vector are left out.",
        "Class words: ovo (g1) man, woman, gay and the race columns black, white, asian, native, as printed. Baseline "
        "(female, male), ovr (g1) (male, female, gay) and ovr (g2) (male, female, gay, lesbian, queer) differ from the "
        "text of the paper, which has she and he, and man and woman: these sets were found by recomputing the row.",
        "The released GN-GloVe has 300 dimensions (one, which holds gender, is dropped here), the GloVe row has 100. "
        "The mean |cos| of random vectors is √(2/(πd)): 0.080 at 100 dimensions, 0.046 at 300. Most of the printed fall "
        "from 0.0976 to 0.0519 is what the change of dimension alone would give.",
        "Figures 1 and 2: the paper describes the trends of HistWords in words; ours is the Mann–Kendall test at 0.05.",
    ),
    roles={
        "glove": Role(
            "GloVe 6B, 100 dimensions", (Source("glove-6b-100d"),), "with", is_own=is_glove_6b_100d,
            bundled=bundled_glove, bundled_label="bundled sample of GloVe 6B (44,437 words, float16)", bundled_own=True,
        ),
        "gn-glove": Role(
            "GN-GloVe", (Source("gn-glove"),), open=_gn_glove,
            how="the authors share it by a link that only a person can follow: slant data licence gn-glove",
        ),
        "histwords": Role("HistWords, all English, SGNS", (Source("histwords-eng-all-sgns"),)),
    },
)  # fmt: skip
