"""The contextual column of Basta et al.: says what it needs, and runs with other data, labelled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

import slant
from planted_text import planted
from slant.errors import MeasureError
from slant.replicate import basta, paper


@pytest.fixture
def nothing_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SLANT_DATA", raising=False)
    monkeypatch.setattr("slant.replicate.framework.find", lambda name: None)


@pytest.mark.usefixtures("nothing_here")
def test_without_encoder_and_corpus_it_says_how_to_get_them() -> None:
    result = slant.replicate_paper("basta")
    cells = [cell for cell in result.cells if cell.column == "contextual"]
    assert len(cells) == 4
    for cell in cells:
        assert (cell.verdict, cell.printed) == ("not run", None)
        assert cell.note == "needs elmo-original and wmt18-news and googlenews-26k"
    advice = "\n".join(result.notes)
    assert "slant data get elmo-original" in advice
    assert "wmt18/translation-task" in advice
    assert "--data wmt18-news=PATH" in advice


@pytest.mark.usefixtures("nothing_here")
def test_another_encoder_and_corpus_run_and_are_labelled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made = planted(leaning=1.5, words=250)
    made.original.save(tmp_path / "static.safetensors")
    monkeypatch.setattr("slant.models.encoder_loading.load_encoder", lambda source: made.encoder)
    monkeypatch.setattr(basta, "REPEATS", 2)
    runs: list[Any] = []
    measure = basta.contextual_bias
    monkeypatch.setattr(basta, "contextual_bias", lambda *a, **k: runs.append(a) or measure(*a, **k))
    result = slant.replicate_paper(
        "basta", data={"googlenews-26k": tmp_path / "static.safetensors"},
        instead={"encoder": "toy", "corpus": made.corpus},
    )  # fmt: skip
    cells = {cell.row: cell for cell in result.cells if cell.column == "contextual"}
    assert {cell.verdict for cell in cells.values()} == {"not compared: other data than the paper's"}
    assert all("toy encoder, not elmo-original" in cell.used for cell in cells.values())
    assert all("not wmt18-news" in cell.used for cell in cells.values())
    assert (cells["clustering"].ours or 0) > 0.95
    assert len(runs) == 1  # measured once for all four cells


def test_only_what_a_paper_uses_can_be_replaced(run: Callable[..., CompletedProcess[str]]) -> None:
    with pytest.raises(MeasureError, match="'lu' has no encoder that could be another one"):
        slant.replicate_paper("lu", instead={"encoder": "x"})
    answer = run("replicate", "lu", "--corpus", "x.txt")
    assert answer.returncode == 2
    assert "'lu' has no corpus" in answer.stderr
    assert paper("basta").roles == {"encoder": "elmo-original", "corpus": "wmt18-news"}
