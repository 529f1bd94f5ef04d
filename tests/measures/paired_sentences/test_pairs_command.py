"""`aslant pairs`: what is typed reaches the measure; tables, chart and files tell what was found."""

from __future__ import annotations

import csv
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from aslant.measures.paired_sentences.result import PairsComparisonResult, SentencePairsResult
from aslant.measures.paired_sentences.show import CONTENT_NOTE
from aslant.report.assembly import documents_of, tables_of
from fake_lm import FakeTextLM
from fake_pronouns import write_pairs

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def pairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("aslant.models.loading.load_lm", lambda name, **_: FakeTextLM(name=name or "default"))
    return write_pairs(tmp_path)


def test_tables_chart_and_files_come_from_one_run(
    run: Run, pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = ("--csv", "p.csv", "--json", "p.json", "--markdown", "p.md", "--chart", "p.svg")
    monkeypatch.setenv("COLUMNS", "80")
    done = run("pairs", "any", "--set", str(pairs), "--bootstrap", "50", "--seed", "3", *files)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(CONTENT_NOTE[:40])
    assert max(map(len, done.stdout.splitlines())) <= 80
    result = SentencePairsResult.from_dict(json.loads((tmp_path / "p.json").read_text()))
    assert (result.provenance.seed, result.provenance.settings["bootstrap"]) == (3, 50)
    rows = list(csv.DictReader((tmp_path / "p.csv").read_text(encoding="utf-8").splitlines()))
    assert len(rows) == len(result.pairs) == 36
    assert float(rows[0]["difference"]) == max(pair.difference for pair in result.pairs)
    ElementTree.parse(tmp_path / "p.svg")
    groups, ends = tables_of(result)
    assert [row["name"] for row in groups.rows] == [group.name for group in result.groups]
    assert len(ends.rows) == len(documents_of(result)[1].rows) == 6
    assert "untrained models: none" in "".join(groups.notes)


def test_another_model_is_asked_the_same(run: Run, pairs: Path, tmp_path: Path) -> None:
    done = run("pairs", "one", "--set", str(pairs), "--against", "two", "--bootstrap", "0", "--json", "c.json")
    assert done.returncode == 0, done.stderr
    found = PairsComparisonResult.from_dict(json.loads((tmp_path / "c.json").read_text()))
    assert (found.first, found.second, found.groups[0].n) == ("one", "two", 36)
    assert "only second" in done.stdout


def test_a_wrong_source_is_told_before_a_model_is_loaded(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aslant.models.loading.load_lm", lambda *_, **__: pytest.fail("a model was loaded"))
    for options in (("--set", "nowhere.csv"), ("--set", "crows-pairs", "--language", "xx")):
        done = run("pairs", "any", *options)
        assert done.returncode == 2
        assert done.stderr.count("\n") <= 3
