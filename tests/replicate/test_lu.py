"""Lu et al., Table 1: every cell of the GloVe row is met; what cannot be run says what to get."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest

import slant
from slant.errors import MeasureError
from slant.replicate import PAPERS, paper
from slant.replicate.framework import Cell, Measured, Paper, run


@pytest.mark.parametrize("name", PAPERS)
def test_every_paper_describes_its_cells(name: str) -> None:
    described = paper(name)
    assert described.id == name
    assert described.citation
    places = [(cell.row, cell.column) for cell in described.cells]
    assert len(set(places)) == len(places)
    assert importlib.import_module(f"slant.replicate.{name}").PAPER is described


def test_the_glove_row_is_met_on_the_sample_and_labelled_so() -> None:
    result = slant.replicate_paper("lu")
    glove = [cell for cell in result.cells if cell.row == "GloVe"]
    fitted = {cell.column for cell in glove if cell.verdict == "met, words fitted to it"}
    assert fitted == {"third column", "sixth column"}
    assert [cell.verdict for cell in glove if cell.column not in fitted] == ["met"] * 4
    assert {cell.used for cell in glove} == {"bundled sample (float16)"}
    assert all(abs(cell.difference or 1) <= 0.002 for cell in glove)
    assert all(len(cell.missing) == 43 for cell in glove)


def test_cells_whose_vectors_are_not_here_say_what_to_get() -> None:
    result = slant.replicate_paper("lu")
    other = [cell for cell in result.cells if cell.row == "GN-GloVe"]
    assert {cell.verdict for cell in other} == {"not run"}
    assert {cell.note for cell in other} == {"needs gn-glove"}
    assert any("gn-glove" in note and "--data gn-glove=PATH" in note for note in result.notes)


def test_given_vectors_are_used_with_the_strict_tolerance(tmp_path: Path) -> None:
    v = slant.load()
    matrix = np.hstack([v.matrix, np.full((len(v), 1), 7, np.float32)])
    slant.WordVectors.from_arrays(v.words, matrix).save(tmp_path / "gn.safetensors")
    v.save(tmp_path / "glove.safetensors")
    data = {"gn-glove": tmp_path / "gn.safetensors", "glove-6b-100d": tmp_path / "glove.safetensors"}
    result = slant.replicate_paper("lu", data=data)
    by_row = {row: [c.ours for c in result.cells if c.row == row] for row in ("GloVe", "GN-GloVe")}
    assert by_row["GloVe"] == pytest.approx(by_row["GN-GloVe"])  # the dimension that was added was dropped
    assert {c.tolerance for c in result.cells} == {0.0002}
    assert {c.verdict for c in result.cells if c.row == "GN-GloVe"} == {"no printed value at hand"}


def test_a_value_outside_the_tolerance_differs() -> None:
    cells = tuple(Cell("r", f"c{p}", p, "own", lambda v, seed: Measured(0.5, ()), 0.01) for p in (0.5, 0.505, 0.52))
    v = slant.load(top=10)
    result = run(Paper("x", "X", "c", cells), {"own": v}, 0)  # type: ignore[dict-item]
    assert [cell.verdict for cell in result.cells] == ["met", "met", "differs"]


def test_an_unknown_paper_is_one_clear_error() -> None:
    with pytest.raises(MeasureError, match="there is no paper 'lou'; did you mean lu"):
        slant.replicate_paper("lou")


def test_a_class_that_the_vectors_lack_costs_its_cells_only() -> None:
    v = slant.load()
    lacking = slant.WordVectors.from_arrays(
        [w for w in v.words if w != "asian"], v.matrix[[i for i, w in enumerate(v.words) if w != "asian"]]
    )
    result = slant.replicate_paper("lu", data={"glove-6b-100d": lacking})  # type: ignore[dict-item]
    verdicts = {cell.column: cell.verdict for cell in result.cells if cell.row == "GloVe"}
    assert verdicts["sixth column"] == "not run"
    assert verdicts["Baseline"] == "met"
    assert any("'asian'" in cell.note for cell in result.cells)
