"""Caliskan, Bryson & Narayanan 2017: effect sizes and p-values of WEAT 1 to 10 on GloVe and on word2vec."""

from __future__ import annotations

from collections.abc import Callable

from aslant.errors import plural
from aslant.measures.association.measure import weat
from aslant.measures.association.result import WeatResult
from aslant.replicate.framework import Cell, Measured, Paper, Role, Run, Source, bundled_glove, holds
from aslant.vectors import WordVectors

#: Test, what it compares, and d and p as printed: on GloVe (Table 1), on word2vec (supplementary materials).
PRINTED: tuple[tuple[str, str, str, str, str, str], ...] = (
    ("weat-1", "flowers, insects: pleasant, unpleasant", "1.50", "1e-7", "1.54", "1e-7"),
    ("weat-2", "instruments, weapons: pleasant, unpleasant", "1.53", "1e-7", "1.63", "1e-8"),
    ("weat-3", "European, African American names: pleasant, unpleasant", "1.41", "1e-8", "0.58", "1e-2"),
    ("weat-4", "the same, names of the field experiment", "1.50", "1e-4", "1.24", "1e-3"),
    ("weat-5", "the same, other attributes", "1.28", "1e-3", "0.72", "1e-2"),
    ("weat-6", "men's, women's names: career, family", "1.81", "1e-3", "1.89", "1e-4"),
    ("weat-7", "math, arts: male, female terms", "1.06", "0.018", "0.97", "0.027"),
    ("weat-8", "science, arts: male, female terms", "1.24", "1e-2", "1.24", "1e-2"),
    ("weat-9", "mental, physical disease: temporary, permanent", "1.38", "1e-2", "1.30", "0.012"),
    ("weat-10", "young, old people's names: pleasant, unpleasant", "1.21", "1e-2", "-0.08", "0.57"),
)
#: Tests with names (of people, or "NASA" and "Einstein"), which a lower-cased vocabulary has under other vectors.
WITH_NAMES = frozenset({"weat-3", "weat-4", "weat-5", "weat-6", "weat-8", "weat-10"})
#: Half a unit of the last printed digit; for p, in powers of ten, where it is printed as one, and where in digits.
ROUNDING, DECADES, DIGITS = 0.005, 0.5, 0.02
WHY = {
    ("weat-5", "word2vec"): "0.72 comes out only with the 18 names per group of the field experiment, not with the 16 "
    "that the paper prints",
    ("weat-9", "word2vec"): "1.30 comes out only with 'short' in place of 'short-term'",
    ("weat-10", "word2vec"): "'Billy' is missing from the 13,013 words",
}
P_WHY = "the authors' p is an estimate; ours is the exact share of partitions"


def _weat(vectors: WordVectors, seed: int, test: str) -> WeatResult:
    return weat(vectors, test, bootstrap=0, rng=seed)


def _effect(test: str) -> Callable[[Run, WordVectors], Measured]:
    def compute(run: Run, vectors: WordVectors) -> Measured:
        result = run.once(_weat, vectors, run.seed, test=test)
        return Measured(result.effect_size, result.missing, _without(result))

    return compute


def _pvalue(test: str) -> Callable[[Run, WordVectors], Measured]:
    def compute(run: Run, vectors: WordVectors) -> Measured:
        result = run.once(_weat, vectors, run.seed, test=test)
        return Measured(result.pvalue, result.missing, _without(result))

    return compute


def _without(result: WeatResult) -> str:
    count = len(result.missing)
    return f"without {plural(count, 'word')} missing from the vectors" if count else ""


def _cells(column: str, role: str, place: int) -> tuple[Cell, ...]:
    made = []
    for row in PRINTED:
        test, title, (d, p) = row[0], row[1], row[place : place + 2]
        needs = (f"{role}-cased" if role == "glove" and test in WITH_NAMES else role,)
        table = "Table 1" if role == "glove" else "supplementary"
        made += [
            Cell(table, f"{test}: {title}", f"{column}, d", d, needs, _effect(test), ROUNDING,
                 why=WHY.get((test, role), "")),
            Cell(table, f"{test}: {title}", f"{column}, p", p, needs, _pvalue(test), DECADES if "e" in p else DIGITS,
                 in_decades=True, why=WHY.get((test, role), P_WHY)),
        ]  # fmt: skip
    return tuple(made)


def _glove(*, cased: bool) -> Role:
    wanted = "GloVe 840B, 300 dimensions" + (", cased (for names)" if cased else "")
    lower = "GloVe 840B, 33,860 words in lower case" + (", so not the names as the paper has them" if cased else "")
    return Role(
        wanted,
        (
            Source("glove-840b-300d", "GloVe 840B"),
            Source("glove-840b-34k", lower, own=not cased),
        ),
        "with", is_own=holds("glove-840b", capitals=cased),
        bundled=bundled_glove, bundled_label="bundled sample of GloVe 6B, 100 dimensions",
    )  # fmt: skip


GLOVE = {"glove": _glove(cased=False), "glove-cased": _glove(cased=True)}

PAPER = Paper(
    id="caliskan",
    title="Caliskan, Bryson & Narayanan 2017, WEAT 1 to 10",
    citation="Caliskan, A., Bryson, J. J., & Narayanan, A. (2017). Semantics derived automatically from language "
    "corpora contain human-like biases. Science 356(6334), 183–186. doi:10.1126/science.aal4230",
    cells=_cells("GloVe", "glove", 2) + _cells("word2vec", "word2vec", 4),
    notes=(
        "d is met within rounding of its last digit; p, where the paper prints a power of ten, within half a power, "
        "else within 5 %.",
        "This paper's own text was not available. The printed effect sizes appear in several other places; the "
        "printed p-values could not be checked against a copy, so look them up before you cite them from here.",
    ),
    roles={
        **GLOVE,
        "word2vec": Role(
            "word2vec GoogleNews, cased",
            (
                Source("googlenews-300d", "word2vec GoogleNews"),
                Source("googlenews-13k", "word2vec GoogleNews, 13,013 of its words"),
            ),
            is_own=holds("googlenews", capitals=True),
        ),
    },
)  # fmt: skip
