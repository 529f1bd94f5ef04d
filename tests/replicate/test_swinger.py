"""Swinger et al.: groups are matched to the printed ones, words are looked for, and nothing is met by a stand-in."""

from __future__ import annotations

import re

import polars as pl
import pytest

import aslant
from aslant.replicate import swinger
from aslant.replicate.framework import printed
from aslant.report.replication import document_tables
from aslant.results.replication import ReplicationResult


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> ReplicationResult:
    """The paper on the bundled sample, with fewer words and rotations."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASLANT_OFFLINE", "1")
        patch.setenv("ASLANT_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.delenv("ASLANT_DATA", raising=False)
        measure = aslant.enumerate_biases
        patch.setattr(
            swinger, "enumerate_biases",
            lambda v, names, rotations, **k: measure(v, names, words=4_000, categories=16, rotations=200, **k),
        )  # fmt: skip
        return aslant.replicate_paper("swinger")


def test_stand_ins_are_never_met_and_the_rest_is_grouped(result: ReplicationResult) -> None:
    groups = [cell for cell in result.cells if cell.table == "Table 2"]
    assert len(groups) == 12 * 8
    assert {cell.verdict for cell in groups} <= {"stand-in", "not run"}  # not run: no group shares a name
    assert all("bundled sample" in cell.used for cell in groups)
    what = {lack.what: lack.cells for lack in result.lacking}
    assert what["answers of people"] == 8
    assert what["fastText, Common Crawl, 2 million words"] == 7 - 1
    assert result.counts["stand-in"] > result.counts["not run"]


def test_each_printed_group_has_one_of_ours_that_holds_its_names(result: ReplicationResult) -> None:
    names = [cell for cell in result.cells if cell.column == "illustrative names"]
    found = [cell.ours_text for cell in names if cell.verdict == "stand-in"]
    assert len(set(found)) == len(found) >= 9
    held = {cell.row: cell.ours or 0 for cell in names}
    assert held["w2v F1"] >= 2  # Amanda, Renee, Zoe
    assert sum(held.values()) >= 15


def test_words_of_table_5_are_looked_for_in_the_significant_cells_of_the_matched_group(
    result: ReplicationResult,
) -> None:
    words = [cell for cell in result.cells if cell.table == "Table 5"]
    for cell in words:
        if cell.verdict == "stand-in":
            assert cell.ours == len(cell.ours_text.split(", ") if cell.ours_text else [])
            assert re.search("printed words ha(s|ve) a vector", cell.note)


def test_a_page_has_table_5_as_the_paper_lays_it_out_and_says_what_was_not_compared(result: ReplicationResult) -> None:
    (grid,) = (table for table in document_tables(result) if table.title.endswith("Table 5"))
    groups = [column.key for column in grid.columns[1:]]
    assert groups == [f"w2v F{number}" for number in range(1, 13) if number != 10]
    for row, test in zip(grid.rows, printed("swinger")["tests"], strict=True):
        shown = {name.removeprefix("w2v "): row[name].split("\n")[0] for name in groups if row[name]}
        assert shown == test
    without = [cell.note for cell in result.cells if cell.table == "Table 5" and cell.verdict == "not run"]
    assert {f"not compared: {note}" for note in without} == set(grid.notes[1:])


def test_the_defaults_of_table_1_are_ours() -> None:
    cells = [cell for cell in swinger.PAPER.cells if cell.table == "Table 1"]
    assert [str(cell.compute(swinger.Run(0)).value) for cell in cells] == [cell.printed for cell in cells]  # type: ignore[attr-defined]


def test_the_share_of_births_is_counted_over_the_years_of_the_paper(tmp_path: object) -> None:
    rows = [("Ann", 1937, 9_000), ("Ann", 1938, 600), ("Ann", 2017, 500), ("Bo", 1990, 900), ("Cy", 2018, 5_000)]
    table = pl.DataFrame({"name": [r[0] for r in rows], "year": [r[1] for r in rows], "n": [r[2] for r in rows]})
    path = tmp_path / "births.parquet"
    table.write_parquet(path)
    assert swinger._covered(swinger.Run(0), path).value == pytest.approx(100 * 1_100 / 2_000)  # type: ignore[attr-defined]


def test_people_are_never_replaced_by_a_number() -> None:
    crowd = [cell for cell in swinger.PAPER.cells if cell.needs == ("people",)]
    assert [cell.printed for cell in crowd] == ["72%", "35%", "80%", "38%", "48%", "24%", "65%", "37%"]
