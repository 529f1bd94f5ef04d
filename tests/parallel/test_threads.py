"""Workers: results in order, no more taken than needed, and libraries that keep to one thread meanwhile."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from aslant.errors import MeasureError
from aslant.parallel import cores, in_order, is_worker, one_thread_each, workers_in_use
from aslant.parallel.clusters import first_line, reach, run, software
from aslant.parallel.threads import as_worker


def blas_threads() -> set[int]:
    np.ones((2, 2)) @ np.ones((2, 2))
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_results_come_in_the_order_of_the_items(workers: int) -> None:
    def slow_at_first(number: int) -> int:
        time.sleep(0.02 if number < 3 else 0)
        return number

    assert list(in_order(slow_at_first, range(20), workers)) == list(range(20))


def test_only_a_few_items_are_taken_ahead() -> None:
    taken = []

    def endless() -> Iterator[int]:
        number = 0
        while True:
            taken.append(number)
            yield number
            number += 1

    results = in_order(lambda x: x, endless(), workers=2)
    for expected in range(10):
        assert next(results) == expected
        time.sleep(0.005)
    results.close()
    assert len(taken) <= 10 + 4


def test_an_error_of_a_task_is_raised_where_its_result_is_due() -> None:
    results = in_order(lambda x: 1 // x, [1, 0, 1], workers=2)
    assert next(results) == 1
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_threads_are_given_back_even_if_two_callers_overlap() -> None:
    before = blas_threads()
    inside, leave = threading.Event(), threading.Event()

    def other() -> None:
        with one_thread_each():
            inside.set()
            leave.wait()

    thread = threading.Thread(target=other)
    with one_thread_each():
        thread.start()
        inside.wait()
        assert blas_threads() == {1}
    assert blas_threads() == {1}  # the other is still at work
    leave.set()
    thread.join()
    assert blas_threads() == before


def test_every_thread_can_hold_and_give_back() -> None:
    """Since 3.7, threadpoolctl lets the first thread that sets BLAS' threads do so, and ignores all others."""
    before, first = threadpool_limits(3, user_api="blas"), blas_threads()
    held: list[set[int]] = []

    def hold() -> None:
        with one_thread_each():
            held.append(blas_threads())

    for _ in range(3):
        thread = threading.Thread(target=hold)
        thread.start()
        thread.join()
        assert blas_threads() == first
    with one_thread_each():
        held.append(blas_threads())
    assert held == [{1}] * 4
    before.restore_original_limits()


def test_workers_must_be_a_number() -> None:
    for wrong in (0, -1, 1.5, True, "2"):
        with pytest.raises(MeasureError, match="workers is"):
            cores(wrong)  # type: ignore[arg-type]


def test_a_task_of_a_worker_has_no_workers_of_its_own() -> None:
    assert not is_worker()
    assert workers_in_use() is None
    with as_worker():
        assert is_worker()
        assert cores(5) == 1


def test_small_parts_of_clusters() -> None:
    assert dict(software())["numpy"] is not None
    assert run(lambda shared, item: shared + item, 40, 2, software()) == 42
    assert (first_line(ValueError("no\nmore")), first_line(ValueError())) == ("no", "ValueError")
    assert not reach("auto")
