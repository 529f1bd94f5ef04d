"""Swinger et al. 2019: unsupervised bias enumeration on three embeddings. The printed tables are in swinger.toml."""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from aslant.data import cache_folder
from aslant.errors import MeasureError
from aslant.measures.enumeration.groups import FREQUENT
from aslant.measures.enumeration.measure import enumerate_biases
from aslant.measures.enumeration.result import CONTENT_NOTE, Demographics, EnumerationResult, NameGroup
from aslant.measures.enumeration.survey import make_survey
from aslant.measures.enumeration.survey_plan import MATCHERS, PASS_ABOVE, RATERS
from aslant.replicate.framework import (
    Cell,
    Measured,
    Paper,
    Progress,
    Role,
    Run,
    Source,
    bundled_glove,
    holds,
    words_of,
)
from aslant.vectors import WordVectors

EMBEDDINGS = ("w2v", "fast", "glove")
#: Input of the algorithm, our argument, and the default that Table 1 (and, for rotations, §3.4) prints.
TABLE_1 = (
    ("number of target groups n", "groups", "12"),
    ("number of categories m", "categories", "64"),
    ("frequent lower-case words M", "words", "30000"),
    ("words per WEAT t", "per_cell", "3"),
    ("false discovery rate α", "alpha", "0.05"),
    ("rotations R", "rotations", "10000"),
)
#: Embedding: significant associations, % accurate, % offensive; then share of potential indirect biases, of fourtuples.
TABLE_3 = {
    "w2v": ("235", "72%", "35%", "99%", "2713"),
    "fast": ("160", "80%", "38%", "98%", "1125"),
    "glove": ("442", "48%", "24%", "97%", "1796"),
}
#: What a crowd answered (§4.1): plurality agreement, and how many passed the exam.
CROWD = (("plurality agrees with the embedding", "65%"), ("workers who pass the exam", "37%"))
SURNAMES = ("Yu, Tamashiro, Heng, Feng, Nakamura", "393")
#: Printed column, and what the name tables call it.
RACES = {"black": "black", "hispanic": "hispanic", "asian": "api", "white": "white"}
BIRTHS, FIRST_YEAR, LAST_YEAR = 1_000, 1938, 2017
TOP_TESTS = 12
WHY = "k-means starts at random, so groups and categories differ from run to run"


@cache
def printed() -> dict[str, Any]:
    """Return Tables 2, 4 and 5 as printed.

    >>> printed()["groups"][0]["names"][0], len(printed()["tests"])
    ('Amanda', 12)
    """
    return tomllib.loads((files("aslant.replicate") / "swinger.toml").read_text(encoding="utf-8"))


def _enumerated(vectors: WordVectors, seed: int, progress: Progress | None, *, names: Any = None) -> EnumerationResult:
    # Only the groups of surnames are needed, and they need no rotations.
    rotations = 10_000 if names is None else 1
    return enumerate_biases(
        vectors, names, rotations=rotations, rng=seed, journal=cache_folder() / "enumeration", progress=progress
    )


def _run(run: Run, vectors: WordVectors) -> EnumerationResult:
    return run.once(_enumerated, vectors, run.seed, run.progress)


def matched(groups: tuple[NameGroup, ...]) -> tuple[NameGroup, ...]:
    """Return for each group of Table 2 the one of ours that holds most of its printed names, one to one."""
    from scipy.optimize import linear_sum_assignment

    ours = [frozenset(group.names) for group in groups]
    shared = np.array([[len(held & set(group["names"])) for held in ours] for group in printed()["groups"]])
    _, chosen = linear_sum_assignment(-shared)
    return tuple(groups[place] for place in chosen)


def _default(argument: str) -> Callable[[Run], Measured]:
    ours = inspect.signature(enumerate_biases).parameters[argument].default
    return lambda run: Measured(ours)


def _settings() -> tuple[Cell, ...]:
    """What §3.1 and §4.1 say about their settings, next to ours; constants, which do not count."""
    ours = {name: parameter.default for name, parameter in inspect.signature(enumerate_biases).parameters.items()}
    survey = {name: parameter.default for name, parameter in inspect.signature(make_survey).parameters.items()}
    rows = (
        ("§3.1", "names left out by the classifier", "20%", 100 * ours["left_out"]),
        ("§3.1", "frequent words to draw non-names from", "50000", FREQUENT),
        ("§4.1", "names in the exam", "36", survey["exam_names"] * ours["groups"]),
        ("§4.1", "names shown of each group", "5", survey["names_per_group"]),
        ("§4.1", "workers who match, at least", "18", MATCHERS),
        ("§4.1", "workers who rate, at least", "13", RATERS[0]),
        ("§4.1", "workers who rate, at most", "15", RATERS[1]),
        ("§4.1", "share of the exam to exceed, in %", "50%", 100 * PASS_ABOVE),
    )
    return tuple(
        Cell(where, what, "setting", text, (), lambda run, value=value: Measured(value), way="a setting of ours")
        for where, what, text, value in rows
    )


def _of_group(number: int, read: Callable[[NameGroup], Measured]) -> Callable[[Run, WordVectors], Measured]:
    return lambda run, vectors: read(_match(_run(run, vectors), number))


def _match(result: EnumerationResult, number: int) -> NameGroup:
    """Return our group that matches one of Table 2; refuse one that shares no name with it."""
    wanted = printed()["groups"][number]
    if len(result.groups) != len(printed()["groups"]):
        raise MeasureError(f"{len(result.groups)} groups cannot be matched to the twelve of the paper.")
    found = matched(result.groups)[number]
    if not set(wanted["names"]) & set(found.names):
        raise MeasureError(f"no group of ours is left that has a printed name of {wanted['label']}.")
    return found


def _known(read: Callable[[Demographics], float | None]) -> Callable[[NameGroup], Measured]:
    def of(group: NameGroup) -> Measured:
        found = None if group.demographics is None else read(group.demographics)
        if found is None:
            raise MeasureError("the name tables have no name of this group.")
        return Measured(found)

    return of


def _names(number: int) -> Callable[[NameGroup], Measured]:
    wanted = printed()["groups"][number]["names"]

    def of(group: NameGroup) -> Measured:
        held = [name for name in wanted if name in group.names]
        note = f"{len(held)} of the {len(wanted)} printed names are in this group" + (
            f": {', '.join(held)}" if held else ""
        )
        return Measured(len(held), (), note, ", ".join(group.illustrative))

    return of


def _share_of(race: str) -> Callable[[Demographics], float | None]:
    return lambda known: None if known.share_by_race is None else 100 * known.share_by_race[RACES[race]]


def _table_2() -> tuple[Cell, ...]:
    cells = []
    for number, group in enumerate(printed()["groups"]):
        columns: list[tuple[str, str, Callable[[NameGroup], Measured], float]] = [
            ("illustrative names", ", ".join(group["names"]), _names(number), 0.0),
            ("further names", str(group["others"]), lambda g: Measured(g.size - len(g.illustrative)), 0.0),
            (
                "female",
                group["female"],
                _known(lambda d: None if d.share_female is None else 100 * d.share_female),
                0.5,
            ),
            ("mean year of birth", group["year"], _known(lambda d: d.mean_birth_year), 0.5),
            *((race, group[race], _known(_share_of(race)), 0.5) for race in RACES),
        ]
        cells += [
            Cell(
                "Table 2", f"w2v {group['label']}", column, text, ("w2v",), _of_group(number, read), tolerance, why=WHY
            )
            for column, text, read, tolerance in columns
        ]
    return tuple(cells)


def _significant(run: Run, vectors: WordVectors) -> Measured:
    result = _run(run, vectors)
    return Measured(len(result.significant), (), f"of {len(result.cells) - len(result.not_tested)} tested")


def _indirect(run: Run, vectors: WordVectors) -> Measured:
    share = _run(run, vectors).indirect_bias.share
    if share is None:
        raise MeasureError("no two categories have four significant cells with the same two groups.")
    return Measured(100 * share)


def _tuples(run: Run, vectors: WordVectors) -> Measured:
    return Measured(_run(run, vectors).indirect_bias.tuples)


def _choices(run: Run, *embeddings: WordVectors) -> Measured:
    """The mean number c of significant groups over the first tests of every embedding."""
    counts = []
    for vectors in embeddings:
        result = _run(run, vectors)
        each = [sum(cell.significant for cell in result.of_category(place)) for place in result.ordering[:TOP_TESTS]]
        counts += [count for count in each if count]
    if not counts:
        raise MeasureError("no test has a significant cell.")
    return Measured(float(np.mean(counts)))


def _shared(words: str, number: int | None) -> Callable[[Run, WordVectors], Measured]:
    """Which printed words are together in one of our significant cells: of the matched group, or else of any."""
    wanted = [word.replace(" ", "_") for word in words_of(words)]

    def compute(run: Run, vectors: WordVectors) -> Measured:
        result = _run(run, vectors)
        group = None if number is None else result.groups.index(_match(result, number))
        cells = [set(cell.words) for cell in result.significant if group in (None, cell.group)]
        best = max(cells, key=lambda words: len(words & set(wanted)), default=set())
        found = [word for word in wanted if word in best]
        known = len(vectors.lookup(wanted).found)
        note = f"{known} of the {len(wanted)} printed words have a vector"
        return Measured(len(found), (), note, ", ".join(word.replace("_", " ") for word in found))

    return compute


def _table_5() -> tuple[Cell, ...]:
    labels = [group["label"] for group in printed()["groups"]]
    return tuple(
        Cell("Table 5", f"test {place}", f"w2v {label}", words, ("w2v",), _shared(words, labels.index(label)), why=WHY)
        for place, test in enumerate(printed()["tests"], 1) for label, words in test.items()
    )  # fmt: skip


def _table_4() -> tuple[Cell, ...]:
    labels = [group["label"] for group in printed()["groups"]]
    cells = []
    for row in printed()["offensive"]:
        number = labels.index(row["group"]) if row["embedding"] == "w2v" else None
        where = f"{row['embedding']} {row['group']}"
        cells.append(
            Cell("Table 4", where, "words", row["words"], (row["embedding"],), _shared(row["words"], number), why=WHY)
        )
    return tuple(cells)


def _surnames(run: Run, vectors: WordVectors, names: Path) -> Measured:
    groups = run.once(_enumerated, vectors, run.seed, run.progress, names=str(names)).groups
    wanted = set(words_of(SURNAMES[0]))
    group = max(groups, key=lambda g: len(wanted & set(g.names)))
    held = [name for name in words_of(SURNAMES[0]) if name in group.names]
    note = f"{len(held)} of the 5 printed names are in one group" + (f": {', '.join(held)}" if held else "")
    return Measured(group.size - len(group.illustrative), (), note, ", ".join(group.illustrative))


def _covered(run: Run, table: Path) -> Measured:
    """The share of births from 1938 to 2017 with names that have at least 1,000 of them."""
    import polars as pl

    births = pl.scan_parquet(table).filter(pl.col("year").is_between(FIRST_YEAR, LAST_YEAR))
    counts = births.group_by("name").agg(pl.col("n").sum()).collect()["n"].to_numpy()
    return Measured(100 * float(counts[counts >= BIRTHS].sum() / counts.sum()))


def _answers(run: Run, answers: Any) -> Measured:  # pragma: no cover (nothing fills the role: only people can)
    raise AssertionError


def _cells() -> tuple[Cell, ...]:
    cells = [Cell("Table 1", what, "default", text, (), _default(argument)) for what, argument, text in TABLE_1]
    cells += _settings()
    cells += [
        Cell("§4", "names with at least 1,000 births", "share of births", ">99%", ("ssa",), _covered,
             why="counted over names; the paper's figure does not come out"),
        *_table_2(),
    ]  # fmt: skip
    for embedding, (significant, accurate, offensive, share, tuples) in TABLE_3.items():
        own = (embedding,)
        cells += [
            Cell("Table 3", embedding, "significant", significant, own, _significant, why=WHY),
            Cell("Table 3", embedding, "accurate", accurate, ("people",), _answers),
            Cell("Table 3", embedding, "offensive", offensive, ("people",), _answers),
            Cell("§4.2", embedding, "potential indirect biases", share, own, _indirect, 0.5, why=WHY),
            Cell("§4.2", embedding, "fourtuples", tuples, own, _tuples, why=WHY),
        ]
    cells += [Cell("§4.1", what, "share", text, ("people",), _answers) for what, text in CROWD]
    cells += [
        Cell("§4.1", "groups to choose from", "mean c", "8.1", EMBEDDINGS, _choices, 0.05, why=WHY),
        *_table_4(),
        *_table_5(),
        Cell(
            "§5", f"surnames with {SURNAMES[0]}", "further names", SURNAMES[1], ("w2v", "surnames"), _surnames, why=WHY
        ),
    ]
    return tuple(cells)


PAPER = Paper(
    id="swinger",
    title="Swinger et al. 2019, what are the biases in my word embedding?",
    citation="Swinger, N., De-Arteaga, M., Heffernan IV, N. T., Leiserson, M. D. M., & Kalai, A. T. (2019). What are "
    "the biases in my word embedding? AAAI/ACM Conference on AI, Ethics, and Society, 305–311. "
    "doi:10.1145/3306618.3314270",
    cells=_cells(),
    first_line=CONTENT_NOTE,
    notes=(
        "Table 2: each printed group with the one of ours that holds most of its five printed names, one to one.",
        "Tables 4 and 5: ours are the printed words that are together in one significant cell of the matched group "
        "(of any group for fast and glove, whose groups the paper does not list). Slurs are masked as in the print.",
        "A number of significant cells does not measure bias: random words in place of the names give more "
        "(docs/enumeration.md).",
        "Lemma 2 is garbled in print; the form that holds is tested (docs/weat.md).",
    ),
    roles={
        "w2v": Role(
            "word2vec GoogleNews, all 3 million words",
            (Source("googlenews-300d", "word2vec GoogleNews"),),
            is_own=holds("googlenews", words=1_000_000),
            option="with", bundled=bundled_glove, bundled_label="bundled sample of GloVe 6B, 100 dimensions",
        ),
        "fast": Role(
            "fastText, Common Crawl, 2 million words", (Source("fasttext-crawl-300d", "fastText"),),
            is_own=lambda vectors: vectors.matrix.shape[1] == 300 and len(vectors) > 1_000_000,
        ),
        "glove": Role(
            "GloVe 840B, all 2.2 million words",
            (
                Source("glove-840b-300d", "GloVe 840B"),
                Source("glove-840b-34k", "GloVe 840B, 33,860 words in lower case", own=False),
            ),
            is_own=holds("glove-840b", words=1_000_000),
        ),
        "ssa": Role(
            "births by name and year, US Social Security Administration", (Source("ssa-names", "births by name"),),
            open=Path, label=lambda path: str(path.name),
        ),
        "surnames": Role(
            "surnames of the US census of 2010", (Source("census-surnames", "surnames of the census of 2010"),),
            open=Path, label=lambda path: str(path.name),
        ),
        "people": Role(
            "answers of people", how="ask them: aslant enumerate survey export, then aslant enumerate survey score",
        ),
    },
)  # fmt: skip
