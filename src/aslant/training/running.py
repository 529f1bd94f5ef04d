"""One training: its seed, its file, and how it is stopped."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from aslant.errors import AslantError, MeasureError, plural
from aslant.training.gensim_methods import METHODS, train_gensim
from aslant.training.glove import Sides, cooccurrences, train_glove
from aslant.training.result import TrainedRun
from aslant.training.texts import Text
from aslant.vectors import WordVectors, load
from aslant.version import __version__

Progress = Callable[[str, int, int], None]
#: With fewer words than this no measure has anything to compare.
FEWEST_WORDS = 50


class Watch:
    """Counts the words that all trainings have read, and lets every thread know that the user has stopped the work."""

    def __init__(self, step: str, total: int, progress: Progress | None) -> None:
        self._step, self._total, self._progress, self._done = step, total, progress, 0.0
        self._lock, self._stopped = threading.Lock(), threading.Event()

    def advance(self, words: float) -> None:
        """Add words that were read; InterruptedError where the work is to end."""
        if self._stopped.is_set():
            raise InterruptedError
        with self._lock:
            self._done += words
            if self._progress is not None:
                self._progress(self._step, min(round(self._done), self._total), self._total)

    @contextmanager
    def stops_on_interrupt(self) -> Iterator[None]:
        """Let Ctrl-C end the trainings in other threads too, which would otherwise be waited for."""
        ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN  # as in jobs in the background
        if ignored or threading.current_thread() is not threading.main_thread():
            yield
            return

        def stop(number: int, frame: Any) -> None:
            self._stopped.set()
            if callable(before):
                before(number, frame)

        before = signal.signal(signal.SIGINT, stop)
        try:
            yield
        finally:
            self._stopped.set()
            signal.signal(signal.SIGINT, before)


@dataclass(frozen=True)
class Task:
    """One training of one period; `target` is the file for its vectors, `note` what they carry."""

    period: str
    run: int
    seed: int
    resampled: bool
    target: Path | None
    note: str


@dataclass(frozen=True, eq=False)
class Shared:
    """What all trainings need."""

    texts: dict[str, Text]
    method: str
    settings: dict[str, Any]
    pairs: tuple[tuple[str, str], ...]
    watch: Watch | None


def seed_for(seed: int, period: str, run: int) -> int:
    """Return the seed of one training, whatever other periods and runs there are.

    >>> seed_for(0, "1900", 2) == seed_for(0, "1900", 2) != seed_for(0, "1900", 3)
    True
    """
    return int(np.random.SeedSequence([seed, crc32(period.encode("utf-8", "surrogatepass")), run]).generate_state(1)[0])


def note_of(told: dict[str, Any], task: Task) -> str:
    """Return in one line how vectors were trained; files with the same note hold the same training."""
    head = f"trained by aslant {__version__}: "
    own = {"period": task.period, "run": task.run, "resampled": task.resampled, "seed": task.seed}
    return head + "; ".join(f"{name} {json.dumps(value, ensure_ascii=False)}" for name, value in (told | own).items())


def finished(task: Task) -> WordVectors | None:
    """Return the vectors of a training that an earlier call has finished."""
    if task.target is None or not task.target.is_file():
        return None
    try:
        found = load(task.target, cache=False)
    except AslantError:
        return None
    return found if found.note == task.note else None


def run_task(shared: Shared, task: Task) -> tuple[TrainedRun, WordVectors | None]:
    """Train, and write the vectors if they have a file; otherwise return them."""
    random = np.random.default_rng(task.seed)
    text = whole = shared.texts[task.period]
    if task.resampled:
        text = text.resampled(random)
    words, counts, kept = text.frequent(shared.settings["min_count"])
    if len(words) < FEWEST_WORDS:
        often = plural(shared.settings["min_count"], "time")
        raise MeasureError(
            f"'{task.period}' has {plural(len(words), 'word')} that occur {often} or more, "
            "too few to train on; give more text, or a smaller min_count (--min-count)."
        )

    def watch(share: float) -> None:
        if shared.watch is not None:
            shared.watch.advance(share * len(whole.tokens))

    loss = None
    if shared.method in METHODS:
        matrix = train_gensim(shared.method, kept, counts, shared.settings, int(random.integers(2**32)), watch)
    else:
        how = shared.settings
        found = cooccurrences(kept, how["window"]).shuffled(random)
        sides = _sides(words, shared.pairs) if shared.method == "gn-glove" else None
        matrix, losses = train_glove(
            found, len(words), how["dimensions"], how["epochs"], how["x_max"], random, sides, watch
        )
        loss = losses[-1]
    if not np.isfinite(matrix).all():
        raise MeasureError(f"the training of '{task.period}' did not converge; try other settings.")
    name = task.period if task.run == 1 else f"{task.period}, run {task.run}"
    vectors = replace(WordVectors.from_arrays(words, matrix, name=name), note=task.note)
    if task.target is not None:
        task.target.parent.mkdir(exist_ok=True)
        vectors.save(task.target)
    return _facts(task, vectors, len(kept.tokens), loss), None if task.target else vectors


def _facts(task: Task, vectors: WordVectors, tokens: int, loss: float | None) -> TrainedRun:
    file = None if task.target is None else task.target.name
    return TrainedRun(task.run, task.seed, task.resampled, tokens, len(vectors), loss, file)


def facts_of(task: Task, vectors: WordVectors, text: Text, least: int) -> TrainedRun:
    """Return the facts of a training that an earlier call has finished; its loss is not known any more."""
    if task.resampled:
        text = text.resampled(np.random.default_rng(task.seed))
    return _facts(task, vectors, len(text.frequent(least)[2].tokens), None)


def _sides(words: list[str], pairs: tuple[tuple[str, str], ...]) -> Sides:
    """Return which words have a side; pairs of which a word is missing, or that meet in one word, are left out."""
    rows = {word: row for row, word in enumerate(words)}
    known = [(rows[a], rows[b]) for a, b in pairs if a in rows and b in rows and a != b]
    if not known:
        raise MeasureError(
            "no pair of words that GN-GloVe could separate is in the text; give others (pairs=…, --pairs)."
        )
    sides = np.zeros(len(words), dtype=np.int8)
    for place, side in ((0, -1), (1, 1)):
        sides[[rows[pair[place]] for pair in pairs if pair[place] in rows]] = side
    return Sides(sides, np.array(known))
