"""Lu, Sujichantararat & Lohanimit: polarity by class sets and schemes, and its history (definitions: polarity)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from aslant.errors import MeasureError, plural
from aslant.measures.polarities.measure import polarity
from aslant.measures.polarities.result import TrendsResult
from aslant.measures.polarities.settings import Scheme
from aslant.measures.polarities.trend import polarity_trends
from aslant.replicate.framework import Cell, Drawing, Measured, Run, described, holds, once, printed
from aslant.vectors import WordVectors, load
from aslant.vectors.formats.histwords import decades_in

#: What §5 says about the trends, and the name of our test's direction.
TRENDS = {"down": "downwards", "up": "upwards", "none": "none clear"}


def _score(run: Run, vectors: WordVectors, *, classes: str, scheme: Scheme) -> Measured:
    result = polarity(vectors, classes, "bold-professions", scheme=scheme, bootstrap=0, rng=run.seed)
    return Measured(result.score, result.missing)


@once
def _drawn(run: Run, decades: Mapping[int, WordVectors], *, figure: int) -> TrendsResult:
    return polarity_trends(decades, figure, rng=run.seed)


def _direction(run: Run, decades: Any, *, figure: int, setting: str) -> Measured:
    """The paper judges by eye; ours is the Mann–Kendall test."""
    trend = _drawn(run, decades, figure=figure).trends.get(setting)
    if trend is None or trend.test is None:
        raise MeasureError("fewer than four decades have vectors for every class, so there is no test for trend.")
    tau = f"{trend.test.kendall:z.2f}".replace("-", "−")
    note = f"Kendall's tau {tau}, p = {trend.test.kendall_pvalue:.2g}"
    if chance := trend.test.chance:
        note += f"; beside random classes p = {chance.pvalue:.2g}"
    return Measured(None, note=note, text=TRENDS[trend.test.direction])


def _is_histwords(decades: Mapping[int, WordVectors]) -> bool:
    """Nobody publishes checksums of HistWords: it is recognised by twenty decades of 300 dimensions and many words."""
    whole = all(v.matrix.shape[1] == 300 and len(v) > 10_000 for v in decades.values())
    return whole and sorted(decades) == list(range(1800, 2000, 10))


def _decades(source: Any) -> dict[int, WordVectors]:
    found = decades_in(Path(source))
    if not found:
        raise MeasureError(f"'{source}' has no HistWords decades (files such as 1990-w.npy); give their folder.")
    return {int(name): load(path) for name, path in sorted(found.items()) if name.isdigit()}


def _row(name: str, role: str) -> list[Cell]:
    return [
        Cell("Table 1", name, said["column"], said[role], (role,),
             partial(_score, classes=said["classes"], scheme=said["scheme"]), 0.0002)
        for said in printed("lu")["table_1"]
    ]  # fmt: skip


PAPER = described(
    "lu",
    [
        *_row("GloVe", "glove"),
        Cell(
            "Table 1", "GloVe", "Baseline", "0.0976", ("glove",),
            partial(_score, classes="gender-pronouns", scheme="binary"), 0.0002, way="the words of eq. 1: she, he",
            why="the printed value comes out with female and male, not with the words of eq. 1",
        ),
        *_row("GN-GloVe", "gn-glove"),
        *(
            Cell(f"Figure {figure}", setting, "trend", says, ("histwords",),
                 partial(_direction, figure=int(figure), setting=setting))
            for figure, trends in printed("lu")["trends"].items() for setting, says in trends.items()
        ),
    ],
    {
        "glove": {"is_own": holds("glove-6b"), "bundled": load},
        "gn-glove": {  # its last dimension holds gender on purpose
            "open": partial(load, drop_last=1),
            "is_own": lambda vectors: vectors.matrix.shape[1] == 299 and len(vectors) > 100_000,
        },
        "histwords": {
            "open": _decades, "label": lambda decades: plural(len(decades), "decade"), "is_own": _is_histwords,
        },
    },
    tuple(
        Drawing(f"Figure {figure}", says, ("histwords",), partial(_drawn, figure=figure), ("trend",))
        for figure, says in (
            (1, "gender bias falls over time, except for g2."), (2, "race bias falls over time by one-vs-one."),
        )
    ),
)  # fmt: skip
