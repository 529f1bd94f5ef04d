"""`aslant pronoun-choice`: what is typed reaches the measure; tables, chart and files tell what was found."""

from __future__ import annotations

import csv
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from aslant.measures.pronouns_chosen.result import PronounChoiceResult
from aslant.report.assembly import documents_of, tables_of
from aslant.report.conventions import MODEL_CONTENT_NOTE
from fake_pronouns import MaskedPronounLM, write_sets

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("aslant.models.loading.load_lm", lambda *_, **__: MaskedPronounLM(planted=1.5, noise=0.5))
    write_sets(tmp_path / "sets")
    return tmp_path / "sets"


def test_tables_chart_and_files_come_from_one_run(run: Run, folder: Path, tmp_path: Path) -> None:
    files = ("--csv", "o.csv", "--json", "o.json", "--markdown", "o.md", "--chart", "o.svg")
    done = run("pronoun-choice", "any", "--data", str(folder / "winobias"), "--bootstrap", "50", "--seed", "3", *files)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(MODEL_CONTENT_NOTE[:40])
    assert "type 1" in done.stdout
    assert "not a coreference decision" in done.stdout
    result = PronounChoiceResult.from_dict(json.loads((tmp_path / "o.json").read_text()))
    assert result.provenance.seed == 3
    assert result.provenance.settings["bootstrap"] == 50
    rows = list(csv.DictReader((tmp_path / "o.csv").read_text(encoding="utf-8").splitlines()))
    assert len(rows) == 18
    assert rows[0]["occupation"] == result.ranked[0].occupation
    ElementTree.parse(tmp_path / "o.svg")
    assert "carpenter" in (tmp_path / "o.svg").read_text()
    assert (tmp_path / "o.md").read_text().count("| carpenter |") == 1


def test_winogender_shows_its_six_groups_and_both_ends(run: Run, folder: Path, tmp_path: Path) -> None:
    done = run("pronoun-choice", "any", "--data", str(folder / "winogender"), "--bootstrap", "0", "--json", "o.json")
    assert done.returncode == 0, done.stderr
    result = PronounChoiceResult.from_dict(json.loads((tmp_path / "o.json").read_text()))
    groups, ends = tables_of(result)
    assert [row["group"] for row in groups.rows] == [group.name for group in result.groups]
    assert len(groups.rows) == 6
    assert len(ends.rows) == 16
    assert len(documents_of(result)[1].rows) == 18
    assert all(row["gap_interval"] == "–" for row in groups.rows)


def test_answers_are_kept_in_the_cache_folder_unless_told_otherwise(
    run: Run, folder: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lm = MaskedPronounLM(planted=1)
    monkeypatch.setattr("aslant.models.loading.load_lm", lambda *_, **__: lm)
    for option in ((), ("--no-cache",)):
        assert run("pronoun-choice", "any", "--data", str(folder / "winobias"), "-q", *option).returncode == 0
    assert [tables.folder for tables in lm.journals] == [cache / "language-models", None]


def test_a_wrong_source_is_told_before_a_model_is_loaded(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aslant.models.loading.load_lm", lambda *_, **__: pytest.fail("a model was loaded"))
    done = run("pronoun-choice", "any", "--data", "no-such-set", "--chart", "o.svg")
    assert done.returncode == 2
    assert "there is no 'no-such-set'" in done.stderr
    assert not Path("o.svg").exists()


def test_a_chart_of_an_unknown_kind_is_refused_first(run: Run, folder: Path) -> None:
    done = run("pronoun-choice", "any", "--data", str(folder / "winobias"), "--chart", "o.gif")
    assert done.returncode == 2
    assert "cannot be written as '.gif'" in done.stderr
