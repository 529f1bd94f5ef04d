"""Repeat studies, in processes; what comes out depends on the seed alone, not on how many there are."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from zlib import crc32

import numpy as np

from aslant.parallel import one_thread_each
from calibrating.rows import Judged, Study, Table, Values, judged

#: Repetitions that one task makes: enough that starting a task costs nothing.
BLOCK = 10
#: Called with the study, how many repetitions are done, and how many there are.
Progress = Callable[[str, int, int], None]


def randoms(study: Study, seed: int, count: int, *, planted: bool) -> list[np.random.Generator]:
    """Return one generator for each repetition; other studies, or a longer run, leave them as they are."""
    source = np.random.SeedSequence([seed, crc32(study.rows[0].name.encode()), int(planted)])
    return [np.random.default_rng(child) for child in source.spawn(count)]


def _block(study: Study, drawn: Sequence[np.random.Generator], planted: bool) -> list[Values]:
    with one_thread_each(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of degenerate draws; what they give is judged all the same
        return [study.repeat(random, planted) for random in drawn]


def run_study(
    study: Study, *, seed: int, count: int, planted: int, workers: int = 1, progress: Progress | None = None
) -> tuple[Judged, ...]:
    """Repeat one study on null data `count` times and with an effect `planted` times, and sort the numbers by row."""
    from joblib import Parallel, delayed

    tasks = []
    for flag, n in ((False, count), (True, planted)):
        drawn = randoms(study, seed, n, planted=flag)
        tasks += [(drawn[start : start + BLOCK], flag) for start in range(0, n, BLOCK)]
    found: dict[bool, list[Values]] = {False: [], True: []}
    jobs = (delayed(_block)(study, drawn, flag) for drawn, flag in tasks)
    for (_, flag), values in zip(tasks, Parallel(n_jobs=workers, return_as="generator")(jobs), strict=True):
        found[flag] += values
        if progress:
            progress(study.name, sum(map(len, found.values())), count + planted)
    return judged(study, found[False], found[True])


def run(
    studies: Sequence[Study], *, seed: int, quick: bool, workers: int = 1, progress: Progress | None = None
) -> Table:
    """Repeat every study, one after the other."""
    rows: list[Judged] = []
    for study in studies:
        count, planted = (study.quick, max(10, study.planted // 4)) if quick else (study.full, study.planted)
        rows += run_study(study, seed=seed, count=count, planted=planted, workers=workers, progress=progress)
    return Table(tuple(rows))
