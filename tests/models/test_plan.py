"""Claims about the query plan and its table: nothing lost, nothing twice, within the budget."""

from __future__ import annotations

import weakref
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aslant.io.keeper import Keeper
from aslant.models.plan import (
    Limits,
    Query,
    Runner,
    ScoreTable,
    Tables,
    answered,
    batches,
    cost,
    merged,
    table_in,
)

IDS = st.lists(st.integers(0, 9), min_size=1, max_size=8).map(tuple)
ASKS = st.lists(st.tuples(IDS, st.integers(0, 3), st.integers(0, 9)), max_size=40)


def planned(asks: list[tuple[tuple[int, ...], int, int]]) -> list[Query]:
    return merged((ids, (position, token)) for ids, position, token in asks)


@given(ASKS)
def test_each_distinct_sequence_is_one_query_with_all_that_is_asked(
    asks: list[tuple[tuple[int, ...], int, int]],
) -> None:
    queries = planned(asks)
    assert len({query.ids for query in queries}) == len(queries)
    assert {(q.ids, *ask) for q in queries for ask in q.asks} == set(asks)
    assert planned(asks[::-1]) == queries


@given(ASKS, st.integers(1, 40), st.integers(1, 10))
def test_batches_hold_every_query_once_within_the_limits(
    asks: list[tuple[tuple[int, ...], int, int]], tokens: int, positions: int
) -> None:
    queries = planned(asks)
    found = list(batches(queries, Limits(tokens, positions)))
    assert sorted((q for batch in found for q in batch), key=lambda q: q.ids) == queries
    for batch in found:
        asked = sum(len({position for position, _ in query.asks}) for query in batch)
        assert len(batch) == 1 or (cost(batch) <= tokens and asked <= positions)
        assert len({len(query.ids) for query in batch}) == 1  # nothing is padded


def test_of_sequences_that_are_run_stepwise_one_token_counts_at_a_time() -> None:
    queries = [Query((*range(30), token), ((29, 1), (30, 1)), stepwise=True) for token in range(20)]
    assert cost(queries) == 20 * 31 / 4  # four are held for one that is run
    assert [len(batch) for batch in batches(queries, Limits(tokens=40, positions=999))] == [5, 5, 5, 5]
    assert [len(batch) for batch in batches(queries, Limits(tokens=999, positions=7))] == [7, 7, 6]
    mixed = [Query((1, 2), ((1, 1),)), Query((1, 3), ((1, 1),), stepwise=True)]
    assert [len(batch) for batch in batches(mixed, Limits(tokens=40, positions=999))] == [1, 1]


def test_answers_are_given_back_by_what_was_asked() -> None:
    def forward(batch: object) -> list[tuple[float, ...]]:
        return [tuple(float(-10 * position - token) for position, token in query.asks) for query in batch]  # type: ignore[attr-defined]

    queries = planned([((1, 2), 0, 5), ((1, 2), 1, 6), ((3,), 0, 7)])
    runner = Runner(forward, Limits(2, 9))
    table = ScoreTable()
    expected = {((1, 2), (0, 5)): -5.0, ((1, 2), (1, 6)): -16.0, ((3,), (0, 7)): -7.0}
    assert answered(queries, runner, table) == expected
    assert runner.passes == 2
    assert answered(queries, runner, table) == expected
    assert runner.passes == 2


def test_a_table_reads_what_another_has_written_exactly(tmp_path: Path) -> None:
    keeper = Keeper(tmp_path / "a")
    ScoreTable(keeper, "lm").keep([((1,), ((0, 1), (0, 2)), (-0.1, -1 / 3))])
    ScoreTable(keeper, "lm").keep([((2,), ((0, 1),), (-2.5e-7,))])
    ScoreTable(keeper, "other").keep([((2,), ((0, 2),), (-1.0,))])
    keeper.keep({"lm/x": b'{"abc": [1.0, 2', "lm/y": b"[1, 2]", "lm/z": b"\xff"})
    table = ScoreTable(keeper, "lm")
    assert table.get((1,), ((0, 1), (0, 2))) == (-0.1, -1 / 3)
    assert table.get((2,), ((0, 1),)) == (-2.5e-7,)
    assert table.get((2,), ((0, 2),)) is None


def test_tables_of_one_piece_of_work_are_read_once(tmp_path: Path) -> None:
    tables = Tables(tmp_path)
    assert table_in(tables, "a") is table_in(tables, "a")
    assert table_in(tables, "a") is not table_in(tables, "b")
    table_in(tables, "a").keep([((1,), ((0, 1),), (-1.0,))])
    assert table_in(tmp_path, "a").get((1,), ((0, 1),)) == (-1.0,)
    table_in(Tables(), "c", tmp_path).keep([((1,), ((0, 1),), (-1.0,))])
    assert table_in(tmp_path, "c").get((1,), ((0, 1),)) == (-1.0,)


def test_memory_is_given_back_when_the_failed_pass_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[weakref.ref[object]] = []
    alive: list[bool] = []

    class Large:
        pass

    def forward(batch: object) -> list[tuple[float, ...]]:
        large = Large()
        held.append(weakref.ref(large))
        if len(batch) > 1:  # type: ignore[arg-type]
            raise MemoryError
        return [(0.0,)]

    monkeypatch.setattr("aslant.models.plan.release", lambda: alive.append(held[-1]() is not None))
    runner = Runner(forward, Limits(9, 9))
    answered([Query((1,), ((0, 1),)), Query((2,), ((0, 1),))], runner, ScoreTable())
    assert alive == [False]
