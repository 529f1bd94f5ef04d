"""CrowS-Pairs and StereoSet: cells are what the measure gives, a stand-in is never met, printed values agree."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import aslant
from aslant.models.language_models import TransformersCausalLM, TransformersMaskedLM
from aslant.replicate import paper
from tiny_lms import causal, masked

ROWS = """,sent_more,sent_less,stereo_antistereo,bias_type
0,She is a nurse.,He is a nurse.,stereo,gender
1,He is a doctor.,She is a doctor.,antistereo,gender
2,The teachers like art.,The doctors like art.,stereo,socioeconomic
"""


def test_crows_cells_are_the_shares_of_the_measure(tmp_path: Path) -> None:
    path = tmp_path / "crows_pairs_anonymized.csv"
    path.write_text(ROWS, encoding="utf-8")
    lm = TransformersMaskedLM(*masked("bert"), "tiny")
    found = aslant.replicate_paper("nangia", data={"crows-pairs": path}, instead={"with": lm})
    p = aslant.sentence_pairs(lm, path, score="crows", twins=0, bootstrap=0)
    shares = {group.name: group.share for group in p.groups}
    expected = [100 * shares[name] for name in ("all pairs", "direction: stereo", "direction: antistereo")]
    assert [cell.ours for cell in found.cells] == pytest.approx(expected)
    assert {cell.verdict for cell in found.cells} == {"stand-in"}
    assert found.first_line


def test_stereoset_cells_are_scores_within_sentences_and_the_rest_says_what_it_needs(tmp_path: Path) -> None:
    labels = {"stereotype": "a nurse", "anti-stereotype": "a doctor", "unrelated": "good art"}
    sentences = [
        {"sentence": f"She is {text}.", "gold_label": label, "id": label, "labels": []}
        for label, text in labels.items()
    ]
    item = {"id": "a", "target": "she", "bias_type": "gender", "context": "She is BLANK.", "sentences": sentences}
    path = tmp_path / "dev.json"
    path.write_text(json.dumps({"data": {"intrasentence": [item], "intersentence": []}}), encoding="utf-8")
    lm = TransformersCausalLM(*causal("gpt2"), "tiny")
    found = aslant.replicate_paper("nadeem", data={"stereoset": path}, instead={"with": lm})
    within = aslant.sentence_pairs(lm, path, score="likelihood-per-piece", twins=0, bootstrap=0).language_model[0]
    run = [cell for cell in found.cells if cell.verdict != "not run"]
    assert [(cell.row, cell.column, cell.ours) for cell in run] == [
        ("GPT2", "lms", within.lms), ("GPT2", "ss", within.ss), ("GPT2", "icat", within.icat)
    ]  # fmt: skip
    assert {cell.verdict for cell in run} == {"stand-in"}
    assert any("heads" in lacking.what for lacking in found.lacking)


def test_the_stored_numbers_obey_their_own_definition() -> None:
    """ICAT = lms · min(ss, 100 − ss) / 50, to the digits that are entered."""
    cells = {(cell.table, cell.row, cell.column): cell.authors for cell in paper("nadeem").cells}
    for table, row in {(table, row) for table, row, _ in cells}:
        lms, ss, icat = (cells[table, row, column] for column in ("lms", "ss", "icat"))
        assert lms is not None
        assert ss is not None
        assert icat == pytest.approx(lms * min(ss, 100 - ss) / 50, abs=0.001)
