"""Swinger et al. 2019: unsupervised bias enumeration on three embeddings. The printed tables are in swinger.toml."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from aslant.data import cache_folder
from aslant.errors import MeasureError, MissingExtraError
from aslant.measures.enumeration.measure import enumerate_biases
from aslant.measures.enumeration.result import CONTENT_NOTE, EnumerationResult, NameGroup
from aslant.measures.enumeration.steps import FREQUENT
from aslant.measures.enumeration.survey import MATCHERS, PASS_ABOVE, RATERS, make_survey
from aslant.replicate import framework as f
from aslant.replicate.framework import Cell, Measured, Run, printed, words_of
from aslant.vectors import WordVectors, load

EMBEDDINGS = ("w2v", "fast", "glove")
#: What a crowd answered (§4.1): plurality agreement, and how many passed the exam.
CROWD = (("plurality agrees with the embedding", "65%"), ("workers who pass the exam", "37%"))
SURNAMES = ("Yu, Tamashiro, Heng, Feng, Nakamura", "393")
#: Printed column, and what the name tables call it.
RACES = {"black": "black", "hispanic": "hispanic", "asian": "api", "white": "white"}
BIRTHS, FIRST_YEAR, LAST_YEAR = 1_000, 1938, 2017
TOP_TESTS = 12
WHY = "k-means starts at random, so groups and categories differ from run to run"


@f.once
def _run(run: Run, vectors: WordVectors, *, names: str | None = None) -> EnumerationResult:
    rotations = 10_000 if names is None else 1  # only the groups of surnames are needed, and they need no rotations
    folder = cache_folder() / "enumeration"
    kept: dict[str, Any] = {"rng": run.seed, "journal": folder, "progress": run.progress}
    return enumerate_biases(vectors, names, rotations=rotations, chance=0, **kept)


def _settings() -> list[Cell]:
    """What Table 1, §3.1 and §4.1 say about their settings, next to ours; only those of Table 1 count."""
    ours = {name: parameter.default for name, parameter in inspect.signature(enumerate_biases).parameters.items()}
    survey = {name: parameter.default for name, parameter in inspect.signature(make_survey).parameters.items()}
    defaults = [
        Cell("Table 1", said["input"], "default", said["printed"], (),
             lambda run, value=ours[said["argument"]]: Measured(value))
        for said in printed("swinger")["table_1"]
    ]  # fmt: skip
    return defaults + f.settings_of_ours((
        ("§3.1", "names left out by the classifier", "20%", 100 * ours["left_out"]),
        ("§3.1", "frequent words to draw non-names from", "50000", FREQUENT),
        ("§4.1", "names in the exam", "36", survey["exam_names"] * ours["groups"]),
        ("§4.1", "names shown of each group", "5", survey["names_per_group"]),
        ("§4.1", "workers who match, at least", "18", MATCHERS),
        ("§4.1", "workers who rate, at least", "13", RATERS[0]),
        ("§4.1", "workers who rate, at most", "15", RATERS[1]),
        ("§4.1", "share of the exam to exceed, in %", "50%", 100 * PASS_ABOVE),
    ))  # fmt: skip


def _match(result: EnumerationResult, number: int) -> NameGroup:
    """Return our group that matches one of Table 2; refuse one that shares no name with it."""
    theirs = printed("swinger")["groups"]
    if len(result.groups) != len(theirs):
        raise MeasureError(f"{len(result.groups)} groups cannot be matched to the twelve of the paper.")
    places = f.matched([group["names"] for group in theirs], [group.names for group in result.groups])
    found = result.groups[places[number]]
    if not set(theirs[number]["names"]) & set(found.names):
        raise MeasureError(f"no group of ours is left that has a printed name of {theirs[number]['label']}.")
    return found


def _known(group: NameGroup, *, field: str, race: str = "", scale: int = 100) -> Measured:
    found = getattr(group.demographics, field, None)
    if found is None:
        raise MeasureError("the name tables have no name of this group.")
    return Measured(scale * (found[race] if race else found))


def _names(group: NameGroup, wanted: Sequence[str], where: str = "this group") -> Measured:
    """How many printed names a group of ours holds; the table shows its own first names."""
    held = [name for name in wanted if name in group.names]
    note = f"{len(held)} of the {len(wanted)} printed names are in {where}{': ' if held else ''}{', '.join(held)}"
    return Measured(len(held), (), note, ", ".join(group.illustrative))


def _table_2() -> list[Cell]:
    cells = []
    for place, group in enumerate(printed("swinger")["groups"]):
        columns: list[tuple[str, str, Callable[[NameGroup], Measured], float]] = [
            ("illustrative names", ", ".join(group["names"]), partial(_names, wanted=group["names"]), 0.0),
            ("further names", str(group["others"]), lambda ours: Measured(ours.size - len(ours.illustrative)), 0.0),
            ("female", group["female"], partial(_known, field="share_female"), 0.5),
            ("mean year of birth", group["year"], partial(_known, field="mean_birth_year", scale=1), 0.5),
            *(
                (race, group[race], partial(_known, field="share_by_race", race=ours), 0.5)
                for race, ours in RACES.items()
            ),
        ]
        cells += [
            Cell("Table 2", f"w2v {group['label']}", column, text, ("w2v",),
                 lambda run, vectors, place=place, read=read: read(_match(_run(run, vectors), place)), within, why=WHY)
            for column, text, read, within in columns
        ]  # fmt: skip
    return cells


def _significant(run: Run, vectors: WordVectors) -> Measured:
    result = _run(run, vectors)
    return Measured(len(result.significant), (), f"of {len(result.cells) - len(result.not_tested)} tested")


def _indirect(run: Run, vectors: WordVectors) -> Measured:
    share = _run(run, vectors).indirect_bias.share
    if share is None:
        raise MeasureError("no two categories have four significant cells with the same two groups.")
    return Measured(100 * share)


def _choices(run: Run, *embeddings: WordVectors) -> Measured:
    """The mean number c of significant groups over the first tests of every embedding."""
    first = [(result, place) for result in (_run(run, v) for v in embeddings) for place in result.ordering[:TOP_TESTS]]
    counts = [sum(cell.significant for cell in result.of_category(place)) for result, place in first]
    if not any(counts):
        raise MeasureError("no test has a significant cell.")
    return Measured(float(np.mean([count for count in counts if count])))


def _shared(run: Run, vectors: WordVectors, *, words: str, number: int | None) -> Measured:
    """Which printed words are together in one of our significant cells: of the matched group, or else of any."""
    wanted = [word.replace(" ", "_") for word in words_of(words)]
    result = _run(run, vectors)
    group = None if number is None else result.groups.index(_match(result, number))
    cells = [set(cell.words) for cell in result.significant if group in (None, cell.group)]
    best = max(cells, key=lambda words: len(words & set(wanted)), default=set())
    found = [word for word in wanted if word in best]
    held = len(vectors.lookup(wanted).found)
    note = f"{held} of the {len(wanted)} printed words {'has' if held == 1 else 'have'} a vector"
    return Measured(len(found), (), note, ", ".join(word.replace("_", " ") for word in found))


def _words(table: str, row: str, column: str, words: str, embedding: str, group: str) -> Cell:
    """Return a cell of words; which of our groups is meant is known for those of Table 2."""
    labels = [found["label"] for found in printed("swinger")["groups"]]
    number = labels.index(group) if embedding == "w2v" else None
    return Cell(table, row, column, words, (embedding,), partial(_shared, words=words, number=number), why=WHY)


def _surnames(run: Run, vectors: WordVectors, names: Path) -> Measured:
    wanted = words_of(SURNAMES[0])
    groups = _run(run, vectors, names=str(names)).groups
    group = max(groups, key=lambda g: len(set(wanted) & set(g.names)))
    return replace(_names(group, wanted, "one group"), value=group.size - len(group.illustrative))


def _covered(run: Run, table: Path) -> Measured:
    """The share of births from 1938 to 2017 with names that have at least 1,000 of them."""
    if find_spec("polars") is None:
        raise MissingExtraError("counting births needs polars: pip install '.[frames]'.")
    import polars as pl

    births = pl.scan_parquet(table).filter(pl.col("year").is_between(FIRST_YEAR, LAST_YEAR))
    counts = births.group_by("name").agg(pl.col("n").sum()).collect()["n"].to_numpy()
    return Measured(100 * float(counts[counts >= BIRTHS].sum() / counts.sum()))


def _answers(run: Run, answers: Any) -> Measured:  # pragma: no cover (nothing fills the role: only people can)
    raise AssertionError


def _cells() -> list[Cell]:
    cells = _settings()
    cells += [
        Cell("§4", "names with at least 1,000 births", "share of births", ">99%", ("ssa",), _covered,
             why="counted over names; the paper's figure does not come out"),
        *_table_2(),
    ]  # fmt: skip
    for embedding, said in printed("swinger")["table_3"].items():
        own = (embedding,)
        cells += [
            Cell("Table 3", embedding, "significant", said["significant"], own, _significant, why=WHY),
            Cell("Table 3", embedding, "accurate", said["accurate"], ("people",), _answers),
            Cell("Table 3", embedding, "offensive", said["offensive"], ("people",), _answers),
            Cell("§4.2", embedding, "potential indirect biases", said["potential"], own, _indirect, 0.5, why=WHY),
            Cell("§4.2", embedding, "fourtuples", said["fourtuples"], own,
                 lambda run, vectors: Measured(_run(run, vectors).indirect_bias.tuples), why=WHY),
        ]  # fmt: skip
    cells += [Cell("§4.1", what, "share", text, ("people",), _answers) for what, text in CROWD]
    cells.append(Cell("§4.1", "groups to choose from", "mean c", "8.1", EMBEDDINGS, _choices, 0.05, why=WHY))
    for said in printed("swinger")["offensive"]:
        embedding, group = said["embedding"], said["group"]
        cells.append(_words("Table 4", f"{embedding} {group}", "words", said["words"], embedding, group))
    for place, test in enumerate(printed("swinger")["tests"], 1):
        cells += [_words("Table 5", f"test {place}", f"w2v {group}", test[group], "w2v", group) for group in test]
    row = f"surnames with {SURNAMES[0]}"
    return [*cells, Cell("§5", row, "further names", SURNAMES[1], ("w2v", "surnames"), _surnames, why=WHY)]


PAPER = f.described(
    "swinger",
    _cells(),
    {
        "w2v": {"is_own": f.holds("googlenews", words=1_000_000), "bundled": load},
        "fast": {"is_own": lambda vectors: vectors.matrix.shape[1] == 300 and len(vectors) > 1_000_000},
        "glove": {"is_own": f.holds("glove-840b", words=1_000_000)},
        "ssa": {"open": Path, "label": lambda path: str(path.name)},
        "surnames": {"open": Path, "label": lambda path: str(path.name)},
        "people": {},
    },
    first_line=CONTENT_NOTE,
)
