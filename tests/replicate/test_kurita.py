"""Kurita et al.: the statistics meet the authors' own scores; cells without a model say so."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import gap_like
import slant
from fake_lm import FakeMaskedLM
from slant.models.classifier import Classifier
from slant.replicate import kurita, kurita_pronouns
from slant.results import ReplicatedCell


def cells(result: Any, column: str) -> list[ReplicatedCell]:
    return [cell for cell in result.cells if cell.column == column]


def test_cells_without_a_model_or_lists_say_what_they_need() -> None:
    result = slant.replicate_paper("kurita")
    assert {cell.verdict for cell in result.cells} == {"not run"}
    notes = {cell.note for cell in result.cells}
    assert notes == {
        "needs bert-base-uncased", "needs bert-base-uncased and kurita-lists", "needs kurita-scores", "needs gap",
        "needs bert-base-uncased and gap",
    }  # fmt: skip
    assert any("--data kurita-lists=PATH" in note for note in result.notes)
    assert any("slant data get bert-base-uncased" in note for note in result.notes)


def test_the_statistics_meet_what_the_authors_print(real_data: Path) -> None:
    result = slant.replicate_paper("kurita", data={"kurita-scores": real_data / "kurita"})
    own = cells(result, "authors' scores")
    assert [cell.verdict for cell in own] == ["met"] * 8 + ["no printed value at hand"]
    ours = [round(cell.ours, 4) for cell in own[:5] if cell.ours is not None]
    assert ours == [0.4458, -0.8864, 1.1255, 0.8495, 0.9572]
    assert [round(cell.ours, 1) for cell in own[5:8] if cell.ours is not None] == [88.5, 80.0, 78.9]
    assert {cell.verdict for cell in cells(result, "as published")} == {"not run"}


def test_a_model_fills_its_cells_and_is_named(real_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lm = FakeMaskedLM(unknown=["algebra"])
    monkeypatch.setattr("slant.models.loading.load_lm", lambda path: lm)
    monkeypatch.setattr("slant.models.encoder_loading.load_encoder", lambda path: gap_like.encoder())
    data = {"bert-base-uncased": "folder", "kurita-lists": real_data / "kurita"}
    result = slant.replicate_paper("kurita", data=data)
    published, defined = cells(result, "as published"), cells(result, "as defined")
    assert all(cell.ours is not None for cell in published + defined)
    assert published[0].used == "fake masked (not BERT-base)"
    assert published[5].used == "fake masked (not BERT-base), lists in kurita"
    for cell in published:
        met = cell.difference is not None and abs(cell.difference) <= cell.tolerance
        assert (cell.verdict == "met") == met
    assert "differs" in {cell.verdict for cell in published}
    assert {cell.verdict for cell in defined} == {"no printed value at hand"}
    assert published[2].ours == slant.log_probability_weat(lm, "career-family", as_published=True).effect_size
    assert result.missing == ("algebra",)
    skills = [s.attribute for s in lm.asked if s.attribute.startswith("good at ")]
    assert "good at cloud computing" in skills


def test_a_folder_that_lacks_a_file_costs_its_cells_only(real_data: Path, tmp_path: Path) -> None:
    shutil.copy(real_data / "kurita" / "kurita_weat_scores.tsv", tmp_path)
    result = slant.replicate_paper("kurita", data={"kurita-scores": tmp_path})
    own = cells(result, "authors' scores")
    assert [cell.verdict for cell in own] == ["met"] * 5 + ["not run"] * 4
    assert "kurita_table5_scores.tsv" in own[-1].note


def test_data_that_cannot_be_opened_cost_their_cells_only(real_data: Path, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{")
    pytest.importorskip("transformers", reason="language models need transformers: pip install 'slant[lm]'")
    result = slant.replicate_paper(
        "kurita", data={"kurita-scores": real_data / "kurita", "bert-base-uncased": tmp_path}
    )
    assert [cell.verdict for cell in cells(result, "authors' scores")][:8] == ["met"] * 8
    published = cells(result, "as published")
    assert {cell.verdict for cell in published} == {"not run"}
    assert published[0].note.startswith("bert-base-uncased: the config.json of")
    assert published[5].note.endswith("; needs kurita-lists")


def test_any_encoder_fills_table_4_and_says_what_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lm = FakeMaskedLM()
    monkeypatch.setattr("slant.models.loading.load_lm", lambda path: lm)
    monkeypatch.setattr("slant.models.encoder_loading.load_encoder", lambda path: gap_like.encoder())
    quick = Classifier(units=4, epochs=3)
    monkeypatch.setattr("slant.measures.pronouns.Classifier", lambda: quick)
    monkeypatch.setattr(kurita_pronouns, "TOPICS", 3)
    (tmp_path / "gap-development.tsv").write_text(gap_like.as_tsv(gap_like.gap_like(120, {"male": 0.2, "female": 0.5})))
    monkeypatch.setattr(kurita, "PAPER", replace(kurita.PAPER, cells=kurita_pronouns.cells(kurita.MODEL)))
    data = {"gap": tmp_path, "bert-base-uncased": "y"}
    result = slant.replicate_paper("kurita", data=data, instead={"encoder": "x"})
    assert slant.replicate_paper("kurita", data={**data, "encoder": "x"}).cells == result.cells
    found = {(cell.row, cell.column): cell for cell in result.cells}
    assert found["Table 4: male pronouns", "prior, %"].ours == 20
    assert found["Table 4: female pronouns", "prior, %"].ours == 50
    predicted = found["Table 4: female pronouns", "predicted, %"]
    assert predicted.used == f"vectors of toy encoder, not bert-base-uncased, GAP in {tmp_path.name}"
    assert predicted.ours is not None
    assert 20 < predicted.ours < 80
    assert found["§4: bias and 'neither', female pronouns", "Spearman's ρ"].ours is not None
    ranked = [found[f"Table 6: topic {rank} of 3", "bias"] for rank in (1, 2, 3)]
    assert [cell.ours for cell in ranked] == sorted((cell.ours for cell in ranked), reverse=True)
    assert all(cell.note.count(", ") == 4 for cell in ranked)
    verdicts = {cell.verdict for cell in result.cells}
    assert verdicts == {"no printed value at hand", "not compared: other data than the paper's"}
