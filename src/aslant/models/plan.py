"""The query plan: many requests become few distinct sequences of tokens, in batches of one length each.

A `Query` is one sequence with all requests for it, merged by `merged`; `answered` sends the
batches that a table does not know yet through a model, on the workers in use, and halves them where memory runs out.
A `ScoreTable` has log-probabilities by sequence of tokens, kept so that a killed run resumes where it was.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import tee
from os import PathLike
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar

import msgspec

from aslant.errors import MeasureError
from aslant.io.journal import Journal
from aslant.io.keeper import Keeper, digest
from aslant.models.protocols import Progress
from aslant.parallel import one_thread_each, spread, workers_in_use

Answer = TypeVar("Answer")
Ids: TypeAlias = tuple[int, ...]
#: Where to look in a sequence, and for which token.
Ask: TypeAlias = tuple[int, int]
#: Log-probabilities, in the order in which they were requested.
Values: TypeAlias = tuple[float, ...]
#: Where answers are kept.
Folder: TypeAlias = Journal | str | PathLike[str] | None
#: Tokens of sequences run stepwise that are held for one that is run: only one of each is run at a time.
HELD = 4
#: How running out of memory is reported, in lower case: by torch on a processor, by its devices, by cuBLAS, by Windows.
NO_MEMORY = ("out of memory", "can't allocate memory", "cannot allocate memory", "not enough memory", "alloc_failed")


@dataclass(frozen=True)
class Query:
    """One sequence of tokens, and the (position, token) pairs whose log-probabilities are wanted.

    `stepwise`, of a model that never looks ahead: a batch is run token by token, and what its sequences begin with
    alike is run once.
    """

    ids: Ids
    asks: tuple[Ask, ...]
    stepwise: bool = field(default=False, compare=False)


def merged(requests: Iterable[tuple[Ids, Ask]]) -> list[Query]:
    """Return one query for each distinct sequence, with all requests for it; the order of requests does not matter.

    >>> merged([((0, 4, 9), (1, 7)), ((0, 4, 9), (1, 8))])
    [Query(ids=(0, 4, 9), asks=((1, 7), (1, 8)), stepwise=False)]
    """
    asked: dict[Ids, set[Ask]] = {}
    for ids, ask in requests:
        asked.setdefault(ids, set()).add(ask)
    return [Query(ids, tuple(sorted(asks))) for ids, asks in sorted(asked.items())]


@dataclass(frozen=True)
class Limits:
    """How much goes through the model at once: tokens, and positions that the head looks at."""

    tokens: int
    positions: int


def cost(batch: Sequence[Query]) -> int:
    """Return how many tokens a batch counts as.

    >>> cost([Query((1, 2, 3), ()), Query((3, 2, 1), ())])
    6
    >>> cost([Query((1, 2), (), stepwise=True), Query((1, 3), (), stepwise=True)])
    1
    """
    return _cost(batch[0], len(batch), max(len(query.ids) for query in batch))


def _cost(query: Query, count: int, longest: int) -> int:
    return -(-count * longest // HELD) if query.stepwise else count * longest


def batches(queries: Sequence[Query], limits: Limits) -> Iterator[list[Query]]:
    """Yield the queries in batches within the limits; one query may exceed them alone.

    Batches hold queries of one length, or such as are run stepwise, in the order of what they begin with. Nothing is
    padded, so that a query has the same numbers beside any others.

    >>> queries = [Query((1, 2, 3), ((0, 5),)), Query((1,), ((0, 5),)), Query((2,), ((0, 5),))]
    >>> [len(batch) for batch in batches(queries, Limits(tokens=4, positions=99))]
    [2, 1]
    """
    batch: list[Query] = []
    positions = longest = 0
    for query in sorted(queries, key=lambda q: (0 if q.stepwise else len(q.ids), q.ids)):
        asked = 1 if query.stepwise else len({position for position, _ in query.asks})  # at a time
        longest = max(longest, len(query.ids))
        full = _cost(query, len(batch) + 1, longest) > limits.tokens or positions + asked > limits.positions
        if batch and (full or _kind(query) != _kind(batch[0])):
            yield batch
            batch, positions, longest = [], 0, len(query.ids)
        batch.append(query)
        positions += asked
    if batch:
        yield batch


def _kind(query: Query) -> int:
    """Return what the queries of a batch have in common: their length; 0 where they are run stepwise."""
    return 0 if query.stepwise else len(query.ids)


def out_of_memory(error: BaseException) -> bool:
    """Tell whether an error means that memory ran out, on any device.

    >>> out_of_memory(RuntimeError("MPS backend out of memory (MPS allocated: 9 GB)")), out_of_memory(RuntimeError("x"))
    (True, False)
    """
    import torch

    if isinstance(error, MemoryError | getattr(torch, "OutOfMemoryError", MemoryError)):  # torch 2.4 has no such class
        return True
    return isinstance(error, RuntimeError) and any(name in str(error).lower() for name in NO_MEMORY)


def release() -> None:
    """Release memory that is held for later use; effective only once the error has been cleared."""
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    if torch.backends.mps.is_available():
        torch.mps.empty_cache()


@dataclass
class Runner(Generic[Answer]):
    """Sends batches through `forward`; `passes` counts the sequences that were run.

    A batch that memory did not suffice for is halved, and so is everything after it. `alone`: on a device that takes
    one batch at a time.
    """

    forward: Callable[[Sequence[Query]], Sequence[Answer]]
    limits: Limits
    alone: bool = False
    passes: int = 0

    def __getstate__(self) -> dict[str, object]:
        return {**vars(self), "passes": 0}

    def run(self, batch: list[Query]) -> list[Answer]:
        """Return the answers for a batch, run whole or in parts that fit into memory, wherever this is."""
        found: list[Answer] = []
        waiting = [batch] if batch else []
        while waiting:
            part, answers = waiting.pop(), None
            if len(part) > 1 and cost(part) > self.limits.tokens:
                half = (len(part) + 1) // 2
                waiting += [part[half:], part[:half]]
                continue
            try:
                answers = self.forward(part)
            except (MemoryError, RuntimeError) as error:
                if not out_of_memory(error):
                    raise
            if answers is not None:
                found += answers
                continue
            release()  # here, where nothing holds the failed pass any more
            if len(part) == 1:
                pieces = len(part[0].ids)
                raise MeasureError(f"not enough memory for one sentence of {pieces} pieces; use a smaller model.")
            self.limits = replace(self.limits, tokens=cost(part) // 2)
            waiting.append(part)
        return found


class ScoreTable:
    """What a model has answered. With a `keeper`, each batch becomes a block there, before the next one starts.

    >>> table = ScoreTable()
    >>> table.keep([((1, 2), ((0, 5),), (-0.5,))])
    >>> table.get((1, 2), ((0, 5),)), table.get((1, 2), ((0, 6),))
    ((-0.5,), None)
    """

    def __init__(self, keeper: Keeper | None = None, name: str = "") -> None:
        self._keeper, self._name = keeper, name
        self._values: dict[str, Values] = {}
        for block in keeper.under(f"{name}/").values() if keeper else ():
            try:
                self._values |= msgspec.json.decode(block, type=dict[str, Values])
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):  # made by somebody else
                continue

    def get(self, ids: Ids, asks: tuple[Ask, ...]) -> Values | None:
        """Return the known answers to a query, or None."""
        found = self._values.get(_key(ids, asks))
        return found if found is not None and len(found) == len(asks) else None

    def keep(self, answers: Iterable[tuple[Ids, tuple[Ask, ...], Values]]) -> None:
        """Remember answers to queries."""
        new = {_key(ids, asks): values for ids, asks, values in answers}
        self._values.update(new)
        if self._keeper is not None and new:
            content = json.dumps(new).encode()
            self._keeper.keep({f"{self._name}/{digest(content)}": content})


class Tables:
    """The tables of one piece of work, which asks a model several times: each is read once, and kept to the end.

    >>> tables = Tables()
    >>> table_in(tables, "x") is table_in(tables, "x")
    True
    """

    def __init__(self, journal: Folder = None) -> None:
        given = journal.folder if isinstance(journal, Journal) else journal
        self.folder = None if given is None else Path(given)
        self.open: dict[str, ScoreTable] = {}


def table_in(journal: Tables | Folder, name: str, own: Folder = None) -> ScoreTable:
    """Return the table `name` of a journal (or of a folder), else of the model's `own` one, else in memory only.

    >>> table_in(None, "x").get((1,), ()) is None
    True
    """
    if isinstance(journal, Tables):
        if name not in journal.open:
            journal.open[name] = table_in(journal.folder, name, own)
        return journal.open[name]
    folder = Tables(journal).folder or Tables(own).folder
    return ScoreTable(Keeper(folder) if folder else None, name)


def ask_ahead(lm: Any, texts: Sequence[Any], journal: Any = None, progress: Progress | None = None) -> None:
    """Let a model that is asked over a network be asked for all these texts or sentences at once; others need not.

    What it says is kept, so that it is not asked again when it is to say which of them it can score, and to score them.

    >>> ask_ahead(any_lm, ["She is a nurse."])  # here, any_lm is on this machine
    """
    if (ask := getattr(lm, "ask_ahead", None)) is not None:
        ask(texts, journal, progress)


def _key(ids: Ids, asks: tuple[Ask, ...]) -> str:
    return digest(repr((ids, asks)).encode())


def run_batches(
    runner: Runner[Answer], found: Iterable[list[Query]]
) -> Generator[list[tuple[Query, Answer]], None, None]:
    """Yield the answers for each batch, in order, by the workers in use.

    Each batch has one thread: the number and place of the workers change no digit.
    """
    first, second = tee(found)
    here = 1 if runner.alone and workers_in_use() is None else None
    answers = spread(Runner.run, first, runner, here)
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
