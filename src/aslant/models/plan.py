"""The query plan: many requests become few distinct sequences of tokens, in batches of similar length.

A `Query` is one sequence with all requests for it; a `Plan` merges requests into queries; `answered` sends the
batches that a table does not know yet through a model, on the workers in use, and halves them where memory runs out.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import tee
from typing import Generic, TypeVar

from aslant.errors import MeasureError
from aslant.models.protocols import Progress
from aslant.models.table import Ask, Ids, ScoreTable, Values
from aslant.parallel import one_thread_each, spread, workers_in_use

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Query:
    """One sequence of tokens, and the (position, token) pairs whose log-probabilities are wanted.

    The first `shared` tokens are also the beginning of other sequences, so that they may be run once for all.
    """

    ids: Ids
    asks: tuple[Ask, ...]
    shared: int = field(default=0, compare=False)


class Plan:
    """Collects requests; each distinct sequence becomes one query, with all requests for it.

    >>> plan = Plan()
    >>> plan.ask((0, 4, 9), 1, token=7)
    >>> plan.ask((0, 4, 9), 1, token=8)
    >>> plan.queries()
    [Query(ids=(0, 4, 9), asks=((1, 7), (1, 8)), shared=0)]
    """

    def __init__(self) -> None:
        self._asked: dict[Ids, dict[Ask, None]] = {}

    def ask(self, ids: Ids, position: int, token: int) -> None:
        """Ask for the log-probability of `token` at `position` of the sequence."""
        self._asked.setdefault(ids, {})[position, token] = None

    def queries(self) -> list[Query]:
        """Return one query for each distinct sequence, in an order that does not depend on that of the requests."""
        return [Query(ids, tuple(sorted(asks))) for ids, asks in sorted(self._asked.items())]


@dataclass(frozen=True)
class Limits:
    """How much goes through the model at once: tokens, padding included, and positions that the head looks at."""

    tokens: int
    positions: int


def cost(batch: Sequence[Query]) -> int:
    """Return how many tokens a batch is, padding included; what is shared too, since each row has it in its cache.

    >>> cost([Query((1, 2, 3), ()), Query((1,), ())])
    6
    """
    return len(batch) * max(len(query.ids) for query in batch)


def batches(queries: Sequence[Query], limits: Limits) -> Iterator[list[Query]]:
    """Yield the queries by length, in batches within the limits (one query may exceed them alone).

    >>> queries = [Query((1, 2, 3), ((0, 5),)), Query((1,), ((0, 5),)), Query((2,), ((0, 5),))]
    >>> [len(batch) for batch in batches(queries, Limits(tokens=4, positions=99))]
    [2, 1]
    """
    batch: list[Query] = []
    positions = 0
    for query in sorted(queries, key=lambda q: (q.shared, len(q.ids), q.ids)):
        asked = len({position for position, _ in query.asks})
        full = batch and (
            query.shared != batch[0].shared
            or (len(batch) + 1) * len(query.ids) > limits.tokens
            or positions + asked > limits.positions
        )
        if full:
            yield batch
            batch, positions = [], 0
        batch.append(query)
        positions += asked
    if batch:
        yield batch


@dataclass
class Runner(Generic[Answer]):
    """Sends batches through `forward`; `passes` counts the sequences that were run.

    `out_of_memory` recognises such an error. What did not fit is halved, and so is everything after it; `release`
    is called before, when nothing holds the failed pass any more. `alone`: on a device that takes one batch at a time.
    """

    forward: Callable[[Sequence[Query]], Sequence[Answer]]
    out_of_memory: Callable[[BaseException], bool]
    limits: Limits
    release: Callable[[], None] = lambda: None
    alone: bool = False
    passes: int = 0

    def __getstate__(self) -> dict[str, object]:
        return {**vars(self), "passes": 0}

    def parts(self, batch: list[Query]) -> Iterator[list[tuple[Query, Answer]]]:
        """Yield the answers for a batch, whole or in parts that fit into memory."""
        waiting = [batch] if batch else []
        while waiting:
            part = waiting.pop()
            if len(part) > 1 and cost(part) > self.limits.tokens:
                half = (len(part) + 1) // 2
                waiting += [part[half:], part[:half]]
                continue
            answers = self._try(part)
            if answers is None:
                self.release()
                self._retreat(part)
                waiting.append(part)
                continue
            yield list(zip(part, answers, strict=True))

    def _try(self, part: list[Query]) -> Sequence[Answer] | None:
        try:
            return self.forward(part)
        except (MemoryError, RuntimeError) as error:
            if not self.out_of_memory(error):
                raise
        return None

    def _retreat(self, part: list[Query]) -> None:
        if len(part) == 1:
            pieces = len(part[0].ids)
            raise MeasureError(f"not enough memory for one sentence of {pieces} pieces; use a smaller model.")
        self.limits = replace(self.limits, tokens=cost(part) // 2)


def run_batch(runner: Runner[Answer], batch: list[Query]) -> list[Answer]:
    """Return the answers for a batch, wherever this is run."""
    return [answer for part in runner.parts(batch) for _, answer in part]


def run_batches(
    runner: Runner[Answer], found: Iterable[list[Query]]
) -> Generator[list[tuple[Query, Answer]], None, None]:
    """Yield the answers for each batch, in order, by the workers in use.

    Each batch has one thread: the number and place of the workers change no digit.
    """
    first, second = tee(found)
    here = 1 if runner.alone and workers_in_use() is None else None
    answers = spread(run_batch, first, runner, here)
    with one_thread_each(), closing(answers):
        for batch, values in zip(second, answers, strict=True):
            runner.passes += len(batch)
            yield list(zip(batch, values, strict=True))


def answered(
    queries: Sequence[Query], runner: Runner[Values], table: ScoreTable, progress: Progress | None = None
) -> dict[tuple[Ids, Ask], float]:
    """Return the log-probability of everything requested; what the table does not know is run and kept there."""
    planned = list(batches(queries, runner.limits))  # as if nothing were known: a resumed run has the same batches
    unknown = [[query for query in batch if table.get(query.ids, query.asks) is None] for batch in planned]
    with closing(run_batches(runner, filter(None, unknown))) as answers:
        done = sum(map(len, planned)) - sum(map(len, unknown))
        for part in answers:
            table.keep([(query.ids, query.asks, values) for query, values in part])
            done += len(part)
            if progress is not None:
                progress("sentences", done, len(queries))
    found: dict[tuple[Ids, Ask], float] = {}
    for query in queries:
        values = table.get(query.ids, query.asks) or ()
        found.update(zip(((query.ids, ask) for ask in query.asks), values, strict=True))
    return found
