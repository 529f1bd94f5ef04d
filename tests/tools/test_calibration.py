"""The script that checks p-values on null data: it covers every number, passes sound ones and catches broken ones."""

from __future__ import annotations

import dataclasses
import importlib
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aslant.results import WeatResult
from aslant.statistics import partition_pvalue

ROOT = Path(__file__).resolve().parents[2]
rows = importlib.import_module("calibrating.rows")
running = importlib.import_module("calibrating.running")
showing = importlib.import_module("calibrating.showing")
studies = importlib.import_module("calibrating.studies")
script = importlib.import_module("calibration")

#: Studies that take no time, of every kind: p-values, q-values, intervals and brackets.
CHEAP = "weat-brackets,wefat-few,wefat-mixed,polarity-comparison,survey"


def table_of(repeat: Any, n: int = 400, **promise: Any) -> Any:
    """Run a made-up study of one row, `x`, and judge it."""
    study = rows.Study("made up", repeat, (rows.Row("x", ("X.pvalue",), "true", **promise),), n, n)
    return rows.Table(running.run_study(study, seed=0, count=n, planted=40))


def faults_of(repeat: Any, **promise: Any) -> tuple[str, ...]:
    table = table_of(repeat, **promise)
    return tuple(table.faults(table.rows[0]))


def sound(random: np.random.Generator, planted: bool) -> dict[str, float]:
    return {"x": 0.001 if planted else 1 - random.random()}


def test_every_number_of_every_result_is_in_the_table_or_has_a_reason_not_to_be() -> None:
    listed = {field for row in studies.ROWS for field in row.fields}
    found = studies.promising_fields()
    assert found - listed - set(studies.EXEMPT) == set()
    assert set(studies.EXEMPT) - found == set()
    assert {field for field in listed if studies.PROMISING.search(field.partition(".")[2])} - found == set()
    assert not listed & set(studies.EXEMPT)


@pytest.mark.parametrize("field", ["pvalue", "joint_pvalue", "qvalues", "gap_interval", "pvalue_bounds", "low"])
def test_a_result_that_gains_a_number_is_noticed(field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    gained = dataclasses.make_dataclass("NewResult", [(field, float), ("pvalue_method", str)])
    monkeypatch.setattr(sys.modules[WeatResult.__module__], "NewResult", gained, raising=False)
    assert {name for name in studies.promising_fields() if name.startswith("NewResult")} == {f"NewResult.{field}"}


def test_rows_have_names_of_their_own_and_say_what_is_true() -> None:
    names = [row.name for row in studies.ROWS]
    assert len(set(names)) == len(names) > 90
    assert all(row.null and row.fields for row in studies.ROWS)


def test_sound_numbers_pass_and_planted_effects_are_found() -> None:
    table = running.run(studies.selected(CHEAP), seed=1, quick=True)
    assert [(judged.row.name, table.verdict(judged)) for judged in table.failed] == []
    assert {judged.row.kind for judged in table.rows} == {"p", "rate", "miss"}


def test_an_anti_conservative_p_value_is_caught() -> None:
    def small(random: np.random.Generator, planted: bool) -> dict[str, float]:
        return {"x": sound(random, planted)["x"] ** 1.5}

    assert faults_of(sound, uniform=True) == ()
    assert "too often at 0.05" in faults_of(small)
    assert "not uniform" in faults_of(small, uniform=True)


def test_a_real_permutation_test_that_forgets_the_dependence_is_caught() -> None:
    """Five copies of each word, re-partitioned as if they were fifty words."""

    def copies(random: np.random.Generator, planted: bool) -> dict[str, float]:
        first, second = np.repeat(random.normal(size=(2, 5)), 5, axis=1)
        p = partition_pvalue(first + 2 * planted, second, method="monte carlo", n_resamples=99, rng=random)
        return {"x": p.pvalue}

    assert "too often at 0.05" in faults_of(copies)


def test_p_values_that_are_always_large_or_none_at_all_are_caught() -> None:
    assert faults_of(lambda random, planted: {"x": 1.0}) == ("misses planted effects",)
    assert faults_of(lambda random, planted: {"x": 0.0}) == ("a p-value is not above 0 and at most 1",)
    assert faults_of(lambda random, planted: {}) == ("no number came out",)


def test_false_discoveries_narrow_intervals_and_wrong_brackets_are_caught() -> None:
    def happens(share: float) -> Any:
        return lambda random, planted: {"x": float(planted or random.random() < share)}

    assert faults_of(happens(0.05), kind="rate") == faults_of(happens(0.0), kind="miss", limit=0.0) == ()
    assert faults_of(happens(0.15), kind="rate") == faults_of(happens(0.15), kind="miss") == ("too often at 0.05",)
    assert faults_of(happens(0.02), kind="miss", limit=0.0) == ("too often at 0",)


def test_what_is_listed_as_off_must_stay_off() -> None:
    def off(random: np.random.Generator, planted: bool) -> dict[str, float]:
        return {"x": sound(random, planted)["x"] ** 3}

    table = table_of(off, off="a reason", limit=0.1)
    assert (table.failed, table.verdict(table.rows[0])) == ((), "known off")
    assert faults_of(sound, off="a reason", limit=0.1) == ("no longer off as listed",)


def test_a_table_of_sound_numbers_hardly_ever_fails() -> None:
    row = rows.Row("x", ("X.pvalue",), "true", uniform=True)
    random, failed = np.random.default_rng(0), 0
    for _ in range(150):
        drawn = [rows.Judged(row, tuple(1 - random.random(200)), (0.001,) * 20) for _ in range(5)]
        failed += bool(rows.Table(tuple(drawn)).failed)
    assert failed <= 6  # 1.5 expected, at most


def test_a_discovery_picked_at_random_is_false_as_often_as_the_share_of_false_ones() -> None:
    discovery = importlib.import_module("calibrating.weat_studies").discovery
    q, real, random = np.array([0.01, 0.02, 0.03, 0.9]), np.array([True, True, False, False]), np.random.default_rng(0)
    assert 0.25 < np.mean([discovery(random, q, real, False) for _ in range(500)]) < 0.42
    assert discovery(random, np.ones(4), real, False) == 0
    assert (discovery(random, q, real, True), discovery(random, q, ~real & (q > 0.5), True)) == (1, 0)


def test_the_result_does_not_depend_on_the_number_of_workers() -> None:
    (survey,) = studies.selected("survey")
    one, two = (running.run_study(survey, seed=3, count=45, planted=12, workers=workers) for workers in (1, 2))
    assert [(judged.null, judged.planted) for judged in one] == [(judged.null, judged.planted) for judged in two]
    longer = running.run_study(survey, seed=3, count=60, planted=12)
    assert longer[0].null[:45] == one[0].null


def test_the_page_lists_every_row_once_and_no_broken_promise() -> None:
    page = (ROOT / "docs/calibration.md").read_text(encoding="utf-8")
    shown = page.partition(showing.BEGIN)[2].partition(showing.END)[0]
    lines = [line for line in shown.splitlines() if line.startswith("| ") and not re.search(r"\| runs \|", line)]
    assert sorted(line.split(" | ")[0].removeprefix("| ") for line in lines) == sorted(r.name for r in studies.ROWS)
    assert {line.split(" | ")[-1].removesuffix(" |") for line in lines} == {"kept", "known off"}
    assert " --full " in shown


def test_the_table_goes_between_its_marks_and_nothing_else_is_touched(tmp_path: Path) -> None:
    page, table = tmp_path / "page.md", table_of(sound)
    page.write_text(f"before\n\n{showing.BEGIN}\nold\n{showing.END}\n\nafter\n", encoding="utf-8")
    showing.write(page, showing.markdown(table, "a command"))
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"before\n\n{showing.BEGIN}\n\nMade by `a command`: 1 numbers")
    assert text.endswith(f"\n{showing.END}\n\nafter\n")
    assert "old" not in text
    page.write_text("no marks", encoding="utf-8")
    with pytest.raises(SystemExit, match="no place for the table"):
        showing.write(page, "x")


def test_the_script_prints_and_writes_the_table_and_ends_with_0_or_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "table.md"
    assert script.main(["--only", "survey", "--workers", "1", "--markdown", str(file)]) == 0
    assert "1 of 1 promises kept" in capsys.readouterr().out
    assert "| score_survey, share of word sets |" in file.read_text(encoding="utf-8")
    row = rows.Row("broken", ("X.pvalue",), "true")
    broken = rows.Study("broken", lambda random, planted: {"broken": 0.001}, (row,), 100, 100)
    monkeypatch.setattr(script, "selected", lambda only: (broken,))
    assert script.main(["--only", "broken", "--workers", "1"]) == 1
    assert "FAILED broken: too often at 0.01" in capsys.readouterr().out


def test_a_study_that_there_is_not_is_refused_and_so_is_half_a_table_for_the_page() -> None:
    with pytest.raises(SystemExit, match="there is no study 'nothing'"):
        script.main(["--only", "nothing"])
    with pytest.raises(SystemExit):
        script.main(["--only", "survey", "--write"])
