"""Lu et al.: every cell of the GloVe row is met on the bundled sample; the others say what they need."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import aslant


def test_the_glove_row_is_met_and_the_words_of_equation_1_do_not_meet_it() -> None:
    result = aslant.replicate_paper("lu")
    glove = [cell for cell in result.cells if cell.row == "GloVe"]
    assert [cell.verdict for cell in glove if not cell.way] == ["met"] * 6
    assert all("44,437 words, float16" in cell.used for cell in glove)
    (eq_1,) = (cell for cell in glove if cell.way)
    assert eq_1.ours == pytest.approx(0.0955, abs=0.0001)
    assert eq_1.verdict == "differs"


def test_cells_whose_vectors_are_not_here_are_grouped_by_what_they_need() -> None:
    result = aslant.replicate_paper("lu")
    assert [(lack.what, lack.cells) for lack in result.lacking] == [
        ("GN-GloVe", 6),
        ("HistWords, all English, SGNS", 6),
    ]
    assert result.counts == {"met": 6, "differs": 0, "stand-in": 0, "not run": 12}


def test_the_dimension_of_gn_glove_that_holds_gender_is_dropped(tmp_path: Path) -> None:
    v = aslant.load()
    matrix = np.hstack([v.matrix, np.full((len(v), 1), 7, np.float32)])
    aslant.WordVectors.from_arrays(v.words, matrix).save(tmp_path / "gn.safetensors")
    result = aslant.replicate_paper("lu", data={"gn-glove": tmp_path / "gn.safetensors"})
    by_row = {row: [c.ours for c in result.cells if c.row == row and not c.way] for row in ("GloVe", "GN-GloVe")}
    assert by_row["GloVe"] == pytest.approx(by_row["GN-GloVe"])


def test_a_class_that_the_vectors_lack_costs_its_cells_only(tmp_path: Path) -> None:
    v = aslant.load()
    keep = [i for i, w in enumerate(v.words) if w != "asian"]
    aslant.WordVectors.from_arrays([v.words[i] for i in keep], v.matrix[keep]).save(tmp_path / "v.safetensors")
    result = aslant.replicate_paper("lu", data={"glove-6b-100d": tmp_path / "v.safetensors"})
    verdicts = {cell.column: cell.verdict for cell in result.cells if cell.row == "GloVe" and not cell.way}
    assert verdicts["ovr (r)"] == "not run"
    assert verdicts["Baseline"] == "met"
    assert any("'asian'" in cell.note for cell in result.cells)


def test_the_notes_say_what_the_paper_does_not() -> None:
    notes = " ".join(aslant.replicate_paper("lu").notes)
    assert "0.080 at 100 dimensions, 0.046 at 300" in notes
    assert "fitted" not in notes
