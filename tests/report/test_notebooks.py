"""What a real notebook holds after it is run: results as HTML without a script, an audit with all of its measures."""

from __future__ import annotations

from typing import Any

import pytest

CELLS = ("import aslant; a = aslant.audit(only=['weat'], profile='quick')", "a", "a.weat", "a.weat.chart()")


@pytest.fixture(scope="module")
def outputs() -> list[dict[str, Any]]:
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    client = pytest.importorskip("nbclient", reason="nbclient is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    client.NotebookClient(made, timeout=300).execute()
    return [cell.outputs[0].data for cell in made.cells[1:]]


@pytest.mark.filterwarnings("default")
def test_a_notebook_shows_a_whole_audit_a_result_and_a_chart(outputs: list[dict[str, Any]]) -> None:
    audit, suite, chart = outputs
    assert "What was found" in audit["text/html"]
    assert "<summary>Association tests (WEAT)</summary>" in audit["text/html"]
    assert audit["text/html"].count("<svg") > 1
    assert "weat-10" in suite["text/html"]
    for shown in (audit, suite):
        assert "<script" not in shown["text/html"]
        assert "\n" not in shown["text/plain"]
    assert any("vega" in kind or kind == "text/html" for kind in chart)
