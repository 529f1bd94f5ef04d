"""How cells are judged: by the print, by what they were computed with, and never without saying so."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import numpy as np
import pytest

import aslant
from aslant.errors import DataError, MeasureError
from aslant.replicate import PAPERS, framework, paper, replicate_paper
from aslant.replicate.framework import Cell, Given, Measured, Paper, Role, Run, Source, number_of, once
from aslant.results.codec import result_from_dict
from aslant.results.replication import ReplicationResult, ReplicationsResult

OWN = Role("the paper's vectors", open=lambda given: given, label=str, bundled=lambda: "x", bundled_own=True)
OTHER = Role("other vectors", open=lambda given: given, label=str, bundled=lambda: "y", bundled_label="another")
ABSENT = Role("something that nobody has", (Source(["not-registered"]),), "encoder", how="ask the authors")


def measured(value: float | None, text: str = "") -> Callable[..., Measured]:
    return lambda run, *contents: Measured(value, text=text)


def replicated(*cells: Cell, **roles: Role) -> ReplicationResult:
    described = Paper("x", "X", "c", cells, {"own": OWN, "other": OTHER, **roles})
    return framework.run(described, Given({}, {}), 0)


@pytest.mark.parametrize("name", PAPERS)
def test_every_paper_describes_its_cells(name: str) -> None:
    described = paper(name)
    assert described.id == name
    assert described.citation
    places = [(cell.table, cell.row, cell.column, cell.way) for cell in described.cells]
    assert len(set(places)) == len(places)
    for cell in described.cells:
        assert set(cell.needs) <= set(described.roles)
        assert cell.printed or not cell.why
    assert importlib.import_module(f"aslant.replicate.{name}").PAPER is described


def test_a_value_within_the_tolerance_is_met_and_another_differs_with_its_reason() -> None:
    cells = [Cell("t", f"r{p}", "c", p, ("own",), measured(0.5), 0.01, why="known") for p in ("0.5", "0.505", "0.52")]
    result = replicated(*cells)
    assert [cell.verdict for cell in result.cells] == ["met", "met", "differs"]
    assert [cell.note for cell in result.cells] == ["", "", "known"]
    assert result.cells[2].difference == pytest.approx(-0.02)


def test_a_difference_that_nobody_can_explain_says_so() -> None:
    own, other = (Cell("t", "r", "c", "1", ("own",), measured(2.0), way=way) for way in ("", "another"))
    assert [cell.note for cell in replicated(own, other).cells] == ["the reason is not known", ""]


@pytest.mark.parametrize(
    ("printed", "value", "text", "verdict"),
    [
        ("<1e-40", 1e-41, "", "met"),
        ("<1e-40", 1e-39, "", "differs"),
        ("88.5%", 88.5, "", "met"),
        ("yes", None, "yes", "met"),
        ("yes", None, "no", "differs"),
        ("match, round", 2, "round, season, match", "met"),
        ("match, round", 1, "round, season", "differs"),
        ("", 3.0, "", "not printed"),
    ],
)
def test_bounds_shares_stars_and_words_are_compared_as_what_they_are(
    printed: str, value: float | None, text: str, verdict: str
) -> None:
    (cell,) = replicated(Cell("t", "r", "c", printed, ("own",), measured(value, text))).cells
    assert (cell.verdict, cell.printed_text) == (verdict, printed)


def test_powers_of_ten_are_compared_in_decades() -> None:
    made = [Cell("t", str(v), "c", "1e-7", ("own",), measured(v), 0.5, in_decades=True) for v in (2e-7, 4e-8, 1e-9)]
    assert [cell.verdict for cell in replicated(*made).cells] == ["met", "met", "differs"]


def test_a_stand_in_is_labelled_and_never_met() -> None:
    result = replicated(Cell("t", "r", "c", "0.5", ("own", "other"), measured(0.5), 0.1))
    assert result.cells[0].verdict == "stand-in"
    assert "another" in result.cells[0].used
    assert result.counts == {"met": 0, "differs": 0, "stand-in": 1, "not run": 0}


def test_what_is_lacking_is_grouped_and_the_last_line_says_how_to_fill_more() -> None:
    cells = [Cell("t", str(i), "c", "1", ("absent",), measured(1.0)) for i in range(3)]
    result = replicated(*cells, absent=ABSENT)
    assert {cell.verdict for cell in result.cells} == {"not run"}
    (lack,) = result.lacking
    assert (lack.what, lack.cells) == ("something that nobody has", 3)
    assert "ask the authors" in lack.how
    assert "--data not-registered=PATH" in result.more
    assert "--encoder NAME|PATH" in result.more
    assert "aslant replicate x --get" in result.more


def test_another_way_to_a_printed_number_is_shown_and_not_counted() -> None:
    cell = Cell("t", "r", "c", "0.5", ("own",), measured(0.5), 0.1)
    result = replicated(cell, Cell("t", "r", "c", "0.5", ("own",), measured(0.9), way="as defined"))
    assert [c.verdict for c in result.cells] == ["met", "differs"]
    assert sum(result.counts.values()) == 1


def test_a_measure_that_fails_costs_its_cell_only() -> None:
    def fails(run: Run, *contents: Any) -> Measured:
        raise MeasureError("too few words.")

    result = replicated(Cell("t", "a", "c", "1", ("own",), fails), Cell("t", "b", "c", "1", ("own",), measured(1.0)))
    assert [cell.verdict for cell in result.cells] == ["not run", "met"]
    assert result.cells[0].note == "too few words."


def test_what_cells_share_is_computed_once_and_so_is_its_failure() -> None:
    calls: list[Any] = []

    @once
    def measure(run: Run, content: Any, *, fail: bool) -> int:
        calls.append(content)
        if fail:
            raise MeasureError("no.")
        return len(calls)

    running, content = Run(0), object()
    assert measure(running, content, fail=False) == measure(running, content, fail=False) == 1
    for _ in range(2):
        with pytest.raises(MeasureError):
            measure(running, content, fail=True)
    assert len(calls) == 2


def test_numbers_are_read_off_the_print() -> None:
    assert number_of("0.8744") == ("", 0.8744)
    assert number_of("<1e-40") == ("<", 1e-40)
    assert number_of("-0.08") == ("", -0.08)
    assert number_of("downwards") is None


def test_a_replication_survives_json() -> None:
    result = aslant.replicate_paper("lu")
    again = result_from_dict(json.loads(result.to_json()))
    assert again == result
    both = ReplicationsResult((result,), "more")
    assert result_from_dict(json.loads(both.to_json())) == both
    assert both.rows()[0]["met"] == 6


# what is given


def test_only_what_a_paper_uses_can_be_replaced(run: Callable[..., CompletedProcess[str]]) -> None:
    with pytest.raises(MeasureError, match="'lu' does not accept another encoder; it accepts --with"):
        replicate_paper("lu", instead={"encoder": "x"})
    answer = run("replicate", "lu", "--corpus", "x.txt")
    assert answer.returncode == 2
    assert "'lu' does not accept another corpus" in answer.stderr
    with pytest.raises(MeasureError, match="'lu' has no data named 'gap'; it has"):
        replicate_paper("lu", data={"gap": "x"})


def test_an_unknown_paper_is_one_clear_error() -> None:
    with pytest.raises(MeasureError, match="there is no paper 'lou'; did you mean lu"):
        replicate_paper("lou")


@pytest.mark.parametrize(
    "arguments",
    [
        ("lu", "--data", "glove-6b-100d=no-such-file.txt"),
        ("lu", "--with", "no-such-file.txt"),
        ("basta", "--corpus", "no-such-text.txt"),
        ("basta", "--encoder", "no-such-folder"),
        ("kurita", "--with", "no-such-folder"),
        ("all", "--with", "sample"),
        ("lu", "--data", "glove-6b-100d"),
    ],
)
def test_what_is_not_there_is_an_error_and_never_a_silent_not_run(
    arguments: tuple[str, ...], run: Callable[..., CompletedProcess[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASLANT_OFFLINE", "1")
    answer = run("replicate", *arguments)
    assert answer.returncode == 2
    assert len(answer.stderr.strip().splitlines()) == 1
    assert not answer.stdout


def test_vectors_are_the_papers_by_content_and_not_by_name(tmp_path: Path) -> None:
    v = aslant.load()
    v.save(tmp_path / "mine.safetensors")
    same = aslant.replicate_paper("lu", data={"glove-6b-100d": tmp_path / "mine.safetensors"})
    assert {c.verdict for c in same.cells if c.row == "GloVe" and not c.way} == {"met"}
    rng = np.random.default_rng(0)
    noise = aslant.WordVectors.from_arrays(v.words, rng.normal(size=v.matrix.shape).astype(np.float32))
    noise.save(tmp_path / "glove.6B.100d.safetensors")
    for given in (
        {"data": {"glove-6b-100d": tmp_path / "glove.6B.100d.safetensors"}},
        {"instead": {"with": str(tmp_path / "glove.6B.100d.safetensors")}},
    ):
        other = aslant.replicate_paper("lu", **given)
        cells = [c for c in other.cells if c.row == "GloVe" and not c.way]
        assert {c.verdict for c in cells} == {"stand-in"}
        assert all("not the paper's" in c.used for c in cells)


def test_random_numbers_are_not_taken_for_data_whose_checksum_nobody_knows(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    v = aslant.load(top=30_000)
    aslant.WordVectors.from_arrays(v.words, rng.normal(size=(len(v), 300))).save(tmp_path / "gn_glove.safetensors")
    result = aslant.replicate_paper("lu", data={"gn-glove": tmp_path / "gn_glove.safetensors"})
    cells = [cell for cell in result.cells if cell.row == "GN-GloVe"]
    assert {cell.verdict for cell in cells} == {"stand-in"}
    assert all(cell.used.endswith("not the paper's, unverified") for cell in cells)


def test_a_name_or_a_copy_of_the_papers_own_data_is_the_papers_own(monkeypatch: pytest.MonkeyPatch) -> None:
    by_name = Role("v", (Source(["gap"]),), "with", open=lambda given: given, label=str)
    by_content = replace(by_name, is_own=lambda content: content == "copy")
    cell = Cell("t", "r", "c", "1", ("v",), measured(1.0))
    for role, given, verdict in (
        (by_name, "gap", "met"), (by_name, "bold", "stand-in"),
        (by_content, "copy", "met"), (by_content, "gap", "stand-in"),
    ):  # fmt: skip
        made = framework.run(Paper("x", "X", "c", (cell,), {"v": role}), Given({}, {"with": given}), 0)
        assert made.cells[0].verdict == verdict


def test_what_the_user_names_is_opened_before_anything_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(given: object) -> None:
        raise MeasureError("there is no such file.")

    monkeypatch.setattr(framework, "fetch", lambda name, progress=None: pytest.fail("fetched first"))
    roles = {"a": Role("a", (Source(["gap"]),)), "b": Role("b", option="corpus", open=refuse)}
    with pytest.raises(MeasureError):
        framework.run(Paper("x", "X", "c", (), roles), Given({}, {"corpus": "typo.txt"}, get=True), 0)


def test_a_copy_that_the_user_gives_wins_over_a_better_source_that_is_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(framework, "find", lambda name: Path("cached"))
    role = Role("v", (Source(["gap"]), Source(["bold", "winobias"])), open=str, label=str)
    given = Given({"bold": "x", "winobias": "y"}, {})
    assert "['x', 'y']" in (framework._open(role, given, [], None) or pytest.fail("not opened")).label


def test_the_reason_why_authors_store_another_number_is_shown_whatever_the_verdict() -> None:
    cell = Cell("t", "r", "c", "84.0%", ("other",), measured(70.0), authors=56.0, why="another list")
    same = Cell("t", "s", "c", "1.126", ("other",), measured(1.0), authors=1.1255, why="not to be shown")
    assert [c.note for c in replicated(cell, same).cells] == ["another list", ""]


def test_a_pvalue_of_zero_differs_and_ends_nothing() -> None:
    (cell,) = replicated(Cell("t", "r", "c", "1e-7", ("own",), measured(0.0), 0.5, in_decades=True)).cells
    assert cell.verdict == "differs"


def test_with_get_what_can_be_fetched_is_fetched_and_the_rest_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def fetch(name: str, *, progress: Any = None) -> Path:
        asked.append(name)
        raise DataError(f"'{name}' is far away.")

    monkeypatch.setattr(framework, "fetch", fetch)
    result = aslant.replicate_paper("lu", get=True)
    assert asked == ["glove-6b-100d", "gn-glove", "histwords-eng-all-sgns"]
    assert any("gn-glove has to be downloaded by hand" in note for note in result.notes)
    assert "--get" not in result.more


def test_list_names_every_paper_with_its_count(run: Callable[..., CompletedProcess[str]]) -> None:
    lines = run("replicate", "list").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(PAPERS)
    assert all("printed cells)" in line for line in lines)
