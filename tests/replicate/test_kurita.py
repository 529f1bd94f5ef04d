"""Kurita et al.: the statistics meet the authors' own scores; models are labelled for what they are."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

import aslant
import gap_like
from aslant.models.classifier import Classifier
from aslant.models.vocabulary import open_vocabulary
from aslant.replicate import kurita, kurita_pronouns
from aslant.replicate.framework import Run
from aslant.results.replication import ReplicatedCell, ReplicationResult
from fake_lm import FakeMaskedLM

AUTHORS = "our statistic on the authors' scores"


@pytest.fixture(autouse=True)
def nothing_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    """No model is at hand, whatever this machine has fetched."""
    monkeypatch.setenv("ASLANT_OFFLINE", "1")


def cells(result: ReplicationResult, table: str, way: str = "", column: str = "") -> list[ReplicatedCell]:
    return [c for c in result.cells if c.table == table and c.way == way and column in ("", c.column)]


def test_the_statistics_meet_what_the_authors_have_stored(real_data: Path) -> None:
    result = aslant.replicate_paper("kurita", data={"kurita-scores": real_data / "kurita"})
    own = cells(result, "Table 3", AUTHORS)
    assert [round(c.ours or 0, 4) for c in own] == [c.authors for c in own]
    assert [c.verdict for c in own] == ["differs", "differs", "met", "met", "met"]  # 1.1255 is printed as 1.126
    assert "bugs" in own[0].note
    assert "drops the sign" in own[1].note
    shares = cells(result, "Table 5", "our share of the authors' scores")
    assert [round(c.ours or 0, 1) for c in shares] == [88.5, 80.0, 78.9, 56.0]
    assert [c.verdict for c in shares] == ["met", "met", "met", "differs"]
    assert "can do" in shares[3].note
    assert not any(c.counts for c in [*own, *shares])


def test_authors_outputs_stand_in_a_column_of_their_own() -> None:
    printed = {(c.row, c.column): c for c in kurita.PAPER.cells if c.table == "Table 3" and not c.way}
    names = "Pleasant/Unpleasant (EA/AA)"
    assert printed[names, "WEAT on GloVe"].authors == -1.003
    assert printed[names, "WEAT on BERT"].authors == -1.012
    assert printed[names, "log-probability score"].authors == -0.8864
    assert "in each other's column" in printed[names, "WEAT on GloVe"].why


def test_five_names_are_in_the_vocabulary_as_the_notebook_counts_them() -> None:
    """bert-base-uncased has these names of WEAT 3 and of the field experiment as one piece."""
    known = open_vocabulary(["theo", "jerome", "leroy", "lamar", "tyrone", "ebony", "jamal", "kenya"])
    measured = kurita._names(Run(0), known)
    assert (measured.value, measured.text) == (5, "Ebony, Kenya, Jamal, Leroy, Tyrone")
    assert "of the 32 of WEAT 3 it has 6" in measured.note


def test_a_model_fills_its_cells_labelled_and_never_met(real_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lm = FakeMaskedLM(unknown=["algebra"])
    monkeypatch.setattr("aslant.models.loading.load_lm", lambda path: lm)
    result = aslant.replicate_paper(
        "kurita", data={"kurita-lists": real_data / "kurita", "kurita-job-titles": real_data / "kurita"},
        instead={"with": "bert-base-uncased"},
    )  # fmt: skip
    score = cells(result, "Table 3", column="log-probability score")
    assert {c.verdict for c in score} == {"stand-in"}
    assert {c.used for c in score} == {"fake masked, not the paper's"}
    assert score[2].ours == aslant.log_probability_weat(lm, "career-family", as_published=True).effect_size
    (defined,) = (
        c for c in cells(result, "Table 3", "one score per attribute, prior read at the target")
        if c.row.startswith("Career")
    )  # fmt: skip
    assert defined.ours == aslant.log_probability_weat(lm, "career-family").effect_size
    shares = cells(result, "Table 5")
    assert [c.verdict for c in shares] == ["stand-in"] * 3 + ["not run"]  # O*NET's skills are not here
    (in_demand,) = cells(result, "Table 5", "25 skills in demand, after 'good at'")
    assert in_demand.verdict == "stand-in"
    assert "good at cloud computing" in {s.attribute for s in lm.asked}
    sizes = {c.row: c.ours for c in cells(result, "§5")}
    assert sizes["positive traits"] == 230
    assert "algebra" in result.missing


def test_a_folder_that_lacks_a_file_costs_its_cells_only(real_data: Path, tmp_path: Path) -> None:
    shutil.copy(real_data / "kurita" / "kurita_weat_scores.tsv", tmp_path)
    result = aslant.replicate_paper("kurita", data={"kurita-scores": tmp_path})
    assert all(c.ours is not None for c in cells(result, "Table 3", AUTHORS))
    lost = cells(result, "Table 5", "our share of the authors' scores")
    assert {c.verdict for c in lost} == {"not run"}
    assert "kurita_table5_scores.tsv" in lost[0].note


def test_data_that_are_given_and_cannot_be_opened_are_an_error(
    tmp_path: Path, run: Callable[..., CompletedProcess[str]]
) -> None:
    (tmp_path / "bert-base-uncased").mkdir()
    (tmp_path / "bert-base-uncased" / "config.json").write_text("{")
    answer = run("replicate", "kurita", "--data", f"bert-base-uncased={tmp_path / 'bert-base-uncased'}")
    assert answer.returncode == 2
    assert len(answer.stderr.strip().splitlines()) == 1


def test_printed_topics_are_matched_one_to_one_with_their_overlap(real_data: Path) -> None:
    result = aslant.replicate_paper("kurita", data={"gap": real_data / "gap"})
    topics = cells(result, "Table 6")
    assert len({c.ours_text for c in topics}) == len(topics) == 20
    shared = {c.row: c.ours for c in topics}
    assert shared["topic 9"] == 4  # medal, gold, won, world
    assert sum(value or 0 for value in shared.values()) == 46
    assert all("of the best match" in c.note for c in topics)
    counts = {(c.row, c.column): c for c in cells(result, "§4")}
    assert {
        c.verdict for c in counts.values() if c.column in ("samples", "neither", "pairs of a pronoun and a name")
    } == {"met"}


def test_any_encoder_fills_table_4_and_is_labelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lm = FakeMaskedLM()
    monkeypatch.setattr("aslant.models.loading.load_lm", lambda path: lm)
    monkeypatch.setattr("aslant.models.loading.load_encoder", lambda path: gap_like.encoder())
    quick = Classifier(units=4, epochs=3)
    monkeypatch.setattr("aslant.measures.pronouns_resolved.measure.Classifier", lambda: quick)
    monkeypatch.setattr(kurita_pronouns, "TOPICS", 3)
    (tmp_path / "gap-development.tsv").write_text(gap_like.as_tsv(gap_like.gap_like(120, {"male": 0.2, "female": 0.5})))
    section_4 = tuple(cell for cell in kurita_pronouns.cells() if cell.table != "Table 6")
    monkeypatch.setattr(kurita, "PAPER", replace(kurita.PAPER, cells=section_4))
    result = aslant.replicate_paper("kurita", data={"gap": tmp_path}, instead={"encoder": "x", "with": "y"})
    found: dict[Any, ReplicatedCell] = {(c.row, c.column): c for c in result.cells}
    assert found["male pronouns", "prior"].ours == 20
    assert found["female pronouns", "prior"].ours == 50
    predicted = found["female pronouns", "predicted"]
    assert predicted.verdict == "stand-in"
    assert "toy encoder, not the paper's" in predicted.used
    assert 20 < (predicted.ours or 0) < 80
    assert found["bias and 'neither', female pronouns", "Spearman's ρ"].ours is not None
    assert found["GAP", "pairs of a pronoun and a name"].verdict == "not run"  # two of its files are not there
