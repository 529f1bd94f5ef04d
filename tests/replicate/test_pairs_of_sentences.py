"""CrowS-Pairs and StereoSet: cells are what the measure gives, a stand-in is never met, printed values agree."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

import aslant
from aslant.measures.paired_sentences.measure import pair_set
from aslant.models.identity import is_built
from aslant.models.language_models import TransformersCausalLM, TransformersMaskedLM
from aslant.replicate import nangia, paper
from aslant.results.replication import ReplicatedCell
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
    run = {cell.row: cell.ours for cell in found.cells if cell.verdict != "not run"}
    known = ("all pairs", "direction: stereo", "direction: antistereo", "gender", "socioeconomic")
    assert run == {name: pytest.approx(100 * shares[name]) for name in known}
    assert {cell.verdict for cell in found.cells} == {"stand-in", "not run"}
    assert found.first_line


def test_sentences_that_were_scored_are_not_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "crows_pairs_anonymized.csv"
    path.write_text(ROWS, encoding="utf-8")
    lm = TransformersMaskedLM(*masked("bert"), "tiny")
    first = aslant.replicate_paper("nangia", data={"crows-pairs": path}, instead={"with": lm})
    monkeypatch.setattr(lm.network.model, "forward", lambda *_, **__: pytest.fail("a sentence was run again"))
    again = aslant.replicate_paper("nangia", data={"crows-pairs": path}, instead={"with": lm})
    assert [cell.ours for cell in again.cells] == [cell.ours for cell in first.cells]


def test_a_column_takes_only_a_model_that_is_built_like_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "crows_pairs_anonymized.csv"
    path.write_text(ROWS, encoding="utf-8")
    lm = TransformersMaskedLM(*masked("roberta"), "tiny")

    def cells() -> dict[tuple[str, str], ReplicatedCell]:
        found = aslant.replicate_paper("nangia", data={"crows-pairs": path}, instead={"with": lm})
        return {(cell.column, cell.row): cell for cell in found.cells}

    refused = cells()["RoBERTa", "all pairs"]
    assert (refused.ours, refused.verdict) == (None, "not run")
    assert refused.note == "'tiny' is not built like RoBERTa; give that with --with."
    monkeypatch.setattr(nangia, "is_built", lambda model, built: built.get("model_type") in (None, "roberta"))
    found = cells()
    assert found["RoBERTa", "all pairs"].ours == found["BERT", "all pairs"].ours is not None
    assert found["RoBERTa", "all pairs"].verdict == "stand-in"
    assert found["ALBERT", "all pairs"].verdict == "not run"


def test_what_a_model_is_built_like_is_read_from_its_configuration() -> None:
    lm = TransformersMaskedLM(*masked("roberta"), "tiny")
    layers = lm.network.model.config.num_hidden_layers
    assert is_built(lm, {"model_type": "roberta", "num_hidden_layers": layers})
    assert not is_built(lm, {"model_type": "roberta", "num_hidden_layers": layers + 1})
    assert not is_built(lm, {"model_type": "albert"})
    assert is_built(lm, {})


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
    expected = [("GPT2", "lms", within.lms), ("GPT2", "ss", within.ss), ("GPT2", "icat", within.icat)]
    for domain in ("", ", gender"):  # all pairs here are on gender
        where = f"development set, intrasentence{domain}"
        assert [(cell.row, cell.column, cell.ours) for cell in run if cell.table == where] == expected
    assert len(run) == 2 * len(expected)
    assert {cell.verdict for cell in run} == {"stand-in"}
    assert {cell.note for cell in run} == {"1 term", "1 term on gender"}  # which tell tables apart below all of them
    assert any("heads" in lacking.what for lacking in found.lacking)


def test_the_stored_numbers_obey_their_own_definition() -> None:
    """ICAT = lms · min(ss, 100 − ss) / 50, to the digits that are entered."""
    cells = {(cell.table, cell.row, cell.column): cell.authors for cell in paper("nadeem").cells}
    whole = {(table, row) for table, row, _ in cells if cells[table, row, "icat"] is not None}
    assert len(whole) == 11 + 3 * 5 + 1
    for table, row in whole:
        lms, ss, icat = (cells[table, row, column] for column in ("lms", "ss", "icat"))
        assert lms is not None
        assert ss is not None
        assert icat == pytest.approx(lms * min(ss, 100 - ss) / 50, abs=0.001)


@pytest.mark.parametrize("name", ["nangia", "nadeem"])
def test_what_a_run_of_the_authors_code_gave_rounds_to_what_is_printed(name: str) -> None:
    for cell in paper(name).cells:
        if cell.authors is not None:
            digits = len(cell.printed.partition(".")[2])
            assert float(cell.printed) == pytest.approx(cell.authors, abs=0.5001 * 10**-digits), cell.row


def test_the_shares_of_bert_are_of_the_numbers_of_pairs_that_each_category_has(real_data: Path) -> None:
    """A share that is not k / n, to two decimals, for the n of the published file was not read correctly."""
    counts = Counter(pair.category for pair in pair_set(real_data / "crows_pairs" / "crows_pairs_anonymized.csv").pairs)
    shares = {cell.row: cell.authors for cell in paper("nangia").cells if cell.column == "BERT"}
    assert set(counts) < set(shares)
    for category, n in counts.items():
        share = shares[category]
        assert share is not None
        assert abs(share - 100 * round(share * n / 100) / n) < 0.006, category
