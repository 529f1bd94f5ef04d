"""Lu, Sujichantararat & Lohanimit: polarity by class sets and schemes, and its history (definitions: polarity)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from aslant.errors import MeasureError, plural
from aslant.measures.polarities.measure import Scheme, polarity
from aslant.measures.polarities.result import TrendsResult
from aslant.measures.polarities.trend import polarity_trends
from aslant.replicate.framework import (
    Cell,
    Drawing,
    Measured,
    Paper,
    Role,
    Run,
    Source,
    bundled_glove,
    is_glove_6b_100d,
)
from aslant.vectors import WordVectors, load
from aslant.vectors.formats.histwords import decades_in

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
#: What §5 says about the trends, and the name of our test's direction.
TRENDS = {"down": "downwards", "up": "upwards", "none": "none clear"}
#: Figure, setting of `polarity_trends`, and the trend that §5 describes.
FIGURES = (
    (1, "baseline", "downwards"),
    (1, "ovo (g1)", "downwards"),
    (1, "ovr (g1)", "downwards"),
    (1, "ovr (g2)", "none clear"),
    (2, "ovo (r)", "downwards"),
    (2, "ovr (r)", "none clear"),
)


def _score(classes: Any, scheme: Scheme) -> Callable[[Run, WordVectors], Measured]:
    def compute(run: Run, vectors: WordVectors) -> Measured:
        result = polarity(vectors, classes, "bold-professions", scheme=scheme, bootstrap=0, rng=run.seed)
        return Measured(result.score, result.missing)

    return compute


def _history(decades: Mapping[int, WordVectors], *, figure: int, seed: int) -> TrendsResult:
    return polarity_trends(decades, figure, rng=seed)


def _direction(figure: int, setting: str) -> Callable[[Run, Any], Measured]:
    """The paper judges by eye; ours is the Mann–Kendall test."""

    def compute(run: Run, decades: Any) -> Measured:
        result = run.once(_history, decades, figure=figure, seed=run.seed)
        trend = result.trends.get(setting)
        if trend is None or trend.test is None:
            raise MeasureError("fewer than four decades have vectors for every class, so there is no test for trend.")
        note = f"Kendall's tau {trend.test.kendall:z.2f}, p {trend.test.kendall_pvalue:.3g}"
        return Measured(None, note=note, text=TRENDS[trend.test.direction])

    return compute


def _drawn(figure: int) -> Callable[[Run, Any], TrendsResult]:
    return lambda run, decades: run.once(_history, decades, figure=figure, seed=run.seed)


def _is_histwords(decades: Mapping[int, WordVectors]) -> bool:
    """Nobody publishes checksums of HistWords: it is recognised by twenty decades of 300 dimensions and many words."""
    whole = all(v.matrix.shape[1] == 300 and len(v) > 10_000 for v in decades.values())
    return whole and sorted(decades) == list(range(1800, 2000, 10))


def _decades(source: Any) -> dict[int, WordVectors]:
    found = decades_in(Path(source))
    if not found:
        raise MeasureError(f"'{source}' has no HistWords decades (files such as 1990-w.npy); give their folder.")
    return {int(name): load(path) for name, path in sorted(found.items()) if name.isdigit()}


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
            TABLE, "GloVe", "Baseline", "0.0976", ("glove",), _score("gender-pronouns", "binary"), 0.0002,
            way="the words of eq. 1: she, he",
            why="the printed value comes out with female and male, not with the words of eq. 1",
        ),
        *(
            Cell(TABLE, "GN-GloVe", column, gn, ("gn-glove",), _score(classes, scheme), 0.0002)
            for column, classes, scheme, _, gn in COLUMNS
        ),
        *(
            Cell(f"Figure {figure}", setting, "trend", says, ("histwords",), _direction(figure, setting))
            for figure, setting, says in FIGURES
        ),
    ),
    notes=(
        "The words are the single-word profession titles of BOLD, in lower case; words without a vector are left out.",
        "Class words: ovo (g1) man, woman, gay and the race columns black, white, asian, native, as printed. Baseline "
        "(female, male), ovr (g1) (male, female, gay) and ovr (g2) (male, female, gay, lesbian, queer) differ from the "
        "text of the paper, which has she and he, and man and woman: these sets were found by recomputing the row.",
        "The released GN-GloVe has 300 dimensions (one, which holds gender, is dropped here), the GloVe row has 100. "
        "The mean |cos| of random vectors is √(2/(πd)): 0.080 at 100 dimensions, 0.046 at 300. Most of the printed "
        "fall from 0.0976 to 0.0519 is what the change of dimension alone would give.",
        "Figures 1 and 2: the paper describes the trends of HistWords in words; ours is the Mann–Kendall test at 0.05.",
    ),
    figures=(
        Drawing("Figure 1", "gender bias falls over time, except for g2.", ("histwords",), _drawn(1), ("trend",)),
        Drawing("Figure 2", "race bias falls over time by one-vs-one.", ("histwords",), _drawn(2), ("trend",)),
    ),
    roles={
        "glove": Role(
            "GloVe 6B, 100 dimensions", (Source("glove-6b-100d"),), "with", is_own=is_glove_6b_100d,
            bundled=bundled_glove, bundled_label="bundled sample of GloVe 6B (44,437 words, float16)", bundled_own=True,
        ),
        "gn-glove": Role(
            "GN-GloVe", (Source("gn-glove"),), open=_gn_glove,
            is_own=lambda vectors: vectors.matrix.shape[1] == 299 and len(vectors) > 100_000,
            how="the authors share it by a link that only a person can follow: aslant data licence gn-glove",
        ),
        "histwords": Role(
            "HistWords, all English, SGNS", (Source("histwords-eng-all-sgns", "HistWords, all English, SGNS"),),
            open=_decades, label=lambda decades: plural(len(decades), "decade"), is_own=_is_histwords,
        ),
    },
)  # fmt: skip
