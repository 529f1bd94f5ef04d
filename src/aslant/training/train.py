"""`aslant.train`: from texts to vectors, one embedding for each period and run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from aslant.corpus import Corpus, load_corpus
from aslant.corpus.documents import ALL
from aslant.corpus.matching import fold
from aslant.errors import AslantError, CorpusError, MeasureError, plural
from aslant.io.files import write_text
from aslant.measures.shared.settings import keywords
from aslant.parallel import spread, workers_in_use
from aslant.results.provenance import Provenance, Representation
from aslant.statistics import seed_of
from aslant.stimuli import PairSet, load_set
from aslant.training.agreement import agreement
from aslant.training.gensim_methods import METHODS, need_gensim
from aslant.training.result import TrainedPeriod, TrainedRun, TrainingResult
from aslant.training.running import Progress, Shared, Task, Watch, facts_of, finished, note_of, run_task, seed_for
from aslant.training.settings import FEWEST_TOKENS, TrainingSettings, chosen
from aslant.training.texts import Text, Texts, read_texts
from aslant.vectors import WordVectors, load
from aslant.version import __version__

#: Pairs whose words GN-GloVe separates: the second words (male) get 1 in the reserved dimension, the first −1.
DEFAULT_PAIRS = ("definitional-pairs", "equalise-pairs")
SUFFIX, RECORD = ".safetensors", "training.json"
#: What a period may be called, since files carry its name.
NAME = re.compile(r"[\w+ ,()-]+(?:\.[\w+ ,()-]+)*")


@dataclass(frozen=True, eq=False)
class Training:
    """What `aslant.train` returns: the vectors of each period, run by run, and the facts about them.

    `vectors` are those of the first period's first run, which are all there is without `by`, `runs` and `bootstrap`.
    """

    by_period: dict[str, tuple[WordVectors, ...]]
    result: TrainingResult

    @property
    def vectors(self) -> WordVectors:
        """The first training of the first period."""
        return next(iter(self.by_period.values()))[0]

    def __repr__(self) -> str:
        shown = ", ".join(f"{name} × {len(runs)}" for name, runs in self.by_period.items())
        return f"<Training by {self.result.method}: {shown}>"

    def __str__(self) -> str:
        return str(self.result)


@keywords
def train(
    texts: Any,
    *,
    settings: TrainingSettings,
    by: str | Sequence[Any] | None = None,
    pairs: str | PathLike[str] | Iterable[Sequence[str]] | None = None,
    output: str | PathLike[str] | None = None,
    column: str | None = None,
    rng: int | np.random.Generator | None = 0,
    progress: Progress | None = None,
) -> Training:
    """Train word vectors on texts of your own, several times or by period if you like.

    `texts` is whatever `aslant.load_corpus` opens, or a corpus. `by` is "year" or "decade" (a column, or years in the
    names of files), another column, or a list with the period of each given text. One training is one draw: `runs`
    repeats it with other seeds, and `bootstrap` adds trainings on documents drawn anew with replacement (Antoniak &
    Mimno 2018), after a first one on the text as it is. What is None among dimensions, window, min_count and epochs
    depends on the amount of text, in the smallest period. `pairs` are the words that GN-GloVe separates. With an
    `output`, vectors are written as soon as they are finished, and what an earlier call has finished is not trained
    again: a file for one training, otherwise a folder with PERIOD.safetensors, PERIOD.run-2.safetensors, …

    >>> import aslant
    >>> texts = ["The nurse met a doctor, and the pilot saw the clerk in town."] * 1000
    >>> aslant.train(texts, method="glove", epochs=1)
    Traceback (most recent call last):
    aslant.errors.MeasureError: 'all' has 11 words that occur 2 times or more, too few to train on; ...
    """
    if settings.runs > 1 and settings.bootstrap:
        raise MeasureError("runs and bootstrap were both given; choose one: a bootstrap also has a new seed each time.")
    if settings.method in METHODS:
        need_gensim()
    corpus = texts if isinstance(texts, Corpus) and column is None else load_corpus(texts, column=column)
    known = _pairs(pairs) if settings.method == "gn-glove" else ()
    read = read_texts(corpus, by, None if progress is None else lambda done, total: progress("reading", done, total))
    taken, too_small = _large_enough(read, corpus, by)
    how = chosen(settings, min(len(text.tokens) for text in taken.periods.values()))
    seed = seed_of(rng)
    runs = settings.bootstrap + 1 if settings.bootstrap else settings.runs
    told = {"method": settings.method, "text": corpus.name, "fingerprint": corpus.fingerprint, **how}
    if known:
        told["pairs"] = "default" if pairs is None else [" ".join(pair) for pair in known]
    tasks = _tasks(taken, runs, bool(settings.bootstrap), seed, told, output)
    shared = Shared(
        taken.periods,
        settings.method,
        how,
        known,
        Watch(_step(settings.method, how), how["epochs"] * _words(tasks, taken.periods), progress),
    )
    made = _trained(shared, tasks)
    found = {period: [made[task] for task in tasks if task.period == period] for period in taken.periods}
    periods = tuple(_period(name, taken, found[name]) for name in taken.periods)
    vectors = {name: tuple(each for _, each in runs) for name, runs in found.items()}
    first = next(iter(vectors.values()))[0]
    result = TrainingResult(
        method=settings.method,
        by=by if by is None or isinstance(by, str) else "given",
        unit=read.unit,
        periods=periods,
        too_small=too_small,
        undated=read.undated,
        pairs=known,
        corpus=corpus.record(),
        provenance=_provenance(corpus, first, seed, settings, how),
    )
    if output is not None and len(tasks) > 1:
        write_text(Path(output) / RECORD, result.to_json())
    return Training(vectors, result)


def _words(tasks: Iterable[Task], texts: dict[str, Text]) -> int:
    """Count the words that trainings read in one epoch."""
    return sum(len(texts[task.period].tokens) for task in tasks)


def _step(method: str, how: dict[str, Any]) -> str:
    """Return what the progress bar says: also the settings, which nobody may have chosen."""
    return f"{method}, {how['dimensions']} dimensions, window {how['window']}, {plural(how['epochs'], 'epoch')}; words"


def _provenance(
    corpus: Corpus, first: WordVectors, seed: int, settings: TrainingSettings, how: dict[str, Any]
) -> Provenance:
    text = Representation(corpus.name, corpus.fingerprint[:12], "text", len(first), first.dimensions)
    return Provenance("", text, (), seed, settings.record() | how, __version__)


def _large_enough(read: Texts, corpus: Corpus, by: Any) -> tuple[Texts, dict[str, int]]:
    """Return the texts with enough tokens, and how many tokens each of the others has."""
    if not read.periods:
        named = f"'{by}'" if isinstance(by, str) else "period"
        raise CorpusError(f"no document of '{corpus.name}' has a {named}; see --by (by=…) for where it is looked for.")
    sizes = {name: len(text.tokens) for name, text in read.periods.items()}
    small = {name: size for name, size in sizes.items() if size < FEWEST_TOKENS}
    if len(small) == len(sizes):
        largest = max(sizes, key=lambda name: sizes[name])
        which = f"'{corpus.name}'" if largest == ALL else f"the largest of {len(sizes)} periods, '{largest}',"
        raise MeasureError(
            f"{which} has {plural(sizes[largest], 'token')}, too few to train on; give at least {FEWEST_TOKENS:,}."
        )
    return Texts({n: text for n, text in read.periods.items() if n not in small}, read.unit, read.undated), small


def _pairs(pairs: Any) -> tuple[tuple[str, str], ...]:
    """Return pairs of single words as the text has them: in lower case."""
    if pairs is None:
        found = [pair for name in DEFAULT_PAIRS for pair in load_set(name, PairSet).pairs]
    elif isinstance(pairs, str | PathLike):
        found = list(load_set(pairs, PairSet).pairs)
    else:
        found = [tuple(pair) for pair in pairs]
        if any(len(pair) != 2 or not all(isinstance(word, str) for word in pair) for pair in found):
            raise MeasureError("pairs are not pairs of words; give a list such as [('she', 'he'), ('woman', 'man')].")
    return tuple(dict.fromkeys((fold(first), fold(second)) for first, second in found))


def _tasks(
    texts: Texts, runs: int, bootstrap: bool, seed: int, told: dict[str, Any], output: str | PathLike[str] | None
) -> tuple[Task, ...]:
    """Plan every training; refuse, before any work, what could not be written."""
    if bad := next((name for name in texts.periods if not NAME.fullmatch(name) or ".run-" in name), None):
        raise CorpusError(f"'{bad}' cannot be the name of a file, so it cannot be the name of a period; rename it.")
    tasks = []
    for period in texts.periods:
        for run in range(1, runs + 1):
            target = None
            if output is not None:
                name = f"{period}{SUFFIX}" if run == 1 else f"{period}.run-{run}{SUFFIX}"
                target = Path(output) if len(texts.periods) * runs == 1 else Path(output) / name
            plain = Task(period, run, seed_for(seed, period, run), bootstrap and run > 1, target, "")
            tasks.append(Task(**{**vars(plain), "note": note_of(told, plain)}))
    if output is not None:
        _check_output(Path(output), tasks)
    return tuple(tasks)


def _check_output(output: Path, tasks: list[Task]) -> None:
    if len(tasks) == 1:
        from aslant.vectors.formats import check_suffix

        if output.is_dir():
            raise AslantError(f"'{output}' is a folder; for one training, name a file such as vectors{SUFFIX}.")
        check_suffix(output)
        if not output.parent.is_dir():
            raise AslantError(f"cannot write '{output}': there is no folder '{output.parent}'.")
        return
    if output.suffix == SUFFIX or output.is_file():
        raise AslantError(f"{len(tasks)} trainings cannot go to one file '{output}'; name a folder.")
    if not output.parent.is_dir():
        raise AslantError(f"cannot write '{output}': there is no folder '{output.parent}'.")
    planned = {task.target: task for task in tasks}
    for path in sorted(output.glob(f"*{SUFFIX}")):
        if path not in planned or finished(planned[path]) is None:
            raise AslantError(
                f"'{output}' has vectors of another training ({path.name}); name another folder, or delete those."
            )


def _trained(shared: Shared, tasks: tuple[Task, ...]) -> dict[Task, tuple[TrainedRun, WordVectors]]:
    """Train what an earlier call has not finished, side by side on the workers in use."""
    epochs, watch = shared.settings["epochs"], shared.watch
    made: dict[Task, tuple[TrainedRun, WordVectors]] = {}
    for task in tasks:
        if (done := finished(task)) is not None:
            text = shared.texts[task.period]
            made[task] = facts_of(task, done, text, shared.settings["min_count"]), done
    rest = [task for task in tasks if task not in made]
    assert watch is not None
    if made:
        # At once, or they would count as fast work where the time left is estimated.
        watch.advance(epochs * _words(made, shared.texts))
    away = workers_in_use() is not None  # progress cannot be told from other processes
    there = Shared(shared.texts, shared.method, shared.settings, shared.pairs, None) if away else shared
    with watch.stops_on_interrupt(), closing(spread(run_task, rest, there)) as results:
        for task, (facts, vectors) in zip(rest, results, strict=True):
            made[task] = facts, load(task.target, cache=False) if vectors is None else vectors
            if away:
                watch.advance(epochs * _words([task], shared.texts))
    return made


def _period(name: str, texts: Texts, made: list[tuple[TrainedRun, WordVectors]]) -> TrainedPeriod:
    text = texts.periods[name]
    runs, vectors = (tuple(part) for part in zip(*made, strict=True))
    # Seeds alone: all trainings. Documents drawn anew: those, since the first has the text as it is.
    compared = [v for run, v in made if run.resampled] or list(vectors)
    compared = list(vectors) if len(compared) < 2 else compared
    sentences = len(text.starts) - 1
    return TrainedPeriod(name, text.documents, sentences, len(text.tokens), runs, agreement(compared))
