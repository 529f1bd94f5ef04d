"""Caliskan, Bryson & Narayanan 2017: effect sizes and p-values of WEAT 1 to 10 on GloVe and on word2vec."""

from __future__ import annotations

from functools import partial

from aslant.errors import plural
from aslant.measures.association.measure import weat
from aslant.measures.association.result import WeatResult
from aslant.replicate.framework import Cell, Measured, Run, described, holds, once, printed
from aslant.vectors import WordVectors, load

#: Tests with names (of people, or "NASA" and "Einstein"), which a lower-cased vocabulary has under other vectors.
WITH_NAMES = frozenset({"weat-3", "weat-4", "weat-5", "weat-6", "weat-8", "weat-10"})
#: Half a unit of the last printed digit; for p, in powers of ten, where it is printed as one, and where in digits.
ROUNDING, DECADES, DIGITS = 0.005, 0.5, 0.02
P_WHY = "the authors' p is an estimate; ours is the exact share of partitions"


@once
def _weat(run: Run, vectors: WordVectors, *, test: str) -> WeatResult:
    return weat(vectors, test, bootstrap=0, rng=run.seed)


def _figure(run: Run, vectors: WordVectors, *, test: str, field: str) -> Measured:
    result = _weat(run, vectors, test=test)
    count = len(result.missing)
    note = f"{plural(count, 'word')} missing from the vectors" if count else ""
    return Measured(getattr(result, field), result.missing, note)


def _cells(table: str, column: str, role: str) -> list[Cell]:
    made = []
    for test, said in printed("caliskan")["tests"].items():
        row, (d, p) = f"{test}: {said['title']}", said[role]
        needs = (f"{role}-cased" if role == "glove" and test in WITH_NAMES else role,)
        why = said.get("why", "") if role == "word2vec" else ""
        effect, pvalue = (partial(_figure, test=test, field=field) for field in ("effect_size", "pvalue"))
        made += [
            Cell(table, row, f"{column}, d", d, needs, effect, ROUNDING, why=why),
            Cell(table, row, f"{column}, p", p, needs, pvalue, DECADES if "e" in p else DIGITS, in_decades=True,
                 why=why or P_WHY),
        ]  # fmt: skip
    return made


PAPER = described(
    "caliskan",
    [*_cells("Table 1", "GloVe", "glove"), *_cells("supplementary", "word2vec", "word2vec")],
    {
        "glove": {"is_own": holds("glove-840b"), "bundled": load},
        "glove-cased": {"is_own": holds("glove-840b", capitals=True), "bundled": load},
        "word2vec": {"is_own": holds("googlenews", capitals=True)},
    },
)
