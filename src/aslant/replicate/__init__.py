"""Published tables next to ours, cell by cell. One file per paper."""

from __future__ import annotations

import difflib
import importlib
import os
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any

import numpy as np

from aslant.errors import MeasureError
from aslant.replicate.framework import Given, Paper, Progress, run
from aslant.results.replication import ReplicationResult, ReplicationsResult
from aslant.statistics import seed_of

#: Papers that can be replicated, each in the module of its name.
PAPERS = ("basta", "bolukbasi", "caliskan", "gonen", "kurita", "lu", "nadeem", "nangia", "swinger")
#: Every paper, one after the other.
ALL = "all"


def paper(name: str) -> Paper:
    """Return the description of a paper.

    >>> paper("lu").title
    'Lu, Sujichantararat & Lohanimit, BOLD and Beyond'
    """
    if name not in PAPERS:
        near = difflib.get_close_matches(name.lower(), PAPERS, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise MeasureError(f"there is no paper '{name}'; {hint}the papers are {', '.join(PAPERS)}.")
    found: Paper = importlib.import_module(f"aslant.replicate.{name}").PAPER
    return found


def replicate_paper(
    name: str,
    *,
    data: Mapping[str, str | PathLike[str]] | None = None,
    instead: Mapping[str, Any] | None = None,
    get: bool = False,
    rng: int | np.random.Generator | None = 0,
    progress: Progress | None = None,
) -> ReplicationResult:
    """Recompute a paper's tables and compare them with the printed ones; `data` gives paths by data name.

    What is bundled or already downloaded is used; with `get`, everything that has a data name is downloaded first.
    `instead` names what to use in place of the paper's own: "with" (vectors or a language model), "encoder",
    "corpus"; such cells are computed, labelled, and never "met".

    >>> import aslant
    >>> [cell.verdict for cell in aslant.replicate_paper("lu").cells if cell.row == "GloVe" and not cell.way]
    ['met', 'met', 'met', 'met', 'met', 'met']
    """
    described = paper(name)
    given = Given(dict(data or {}), dict(instead or {}), get)
    for option in given.instead:
        if option not in described.options:
            known = ", ".join(f"--{known}" for known in described.options)
            raise MeasureError(
                f"'{name}' does not accept another {option}; it accepts {known or 'nothing in place of its own'}."
            )
    if unknown := sorted(set(given.data) - set(described.data)):
        raise MeasureError(f"'{name}' has no data named '{unknown[0]}'; it has {', '.join(sorted(described.data))}.")
    for key, path in given.data.items():
        if isinstance(path, str | PathLike) and not os.path.exists(path):  # noqa: PTH110 (too long a name)
            raise MeasureError(f"there is no file or folder '{path}' for {key}; check the path.")
    return run(described, given, seed_of(rng), progress)


def replicate_all(
    papers: Iterable[str] = PAPERS,
    *,
    get: bool = False,
    rng: int | np.random.Generator | None = 0,
    progress: Progress | None = None,
) -> ReplicationsResult:
    """Recompute every paper (or `papers`), and count what was met, what differs, and what was not run.

    >>> import aslant
    >>> aslant.replicate_all(["lu"]).rows()[0]["met"]
    6
    """
    seed = seed_of(rng)
    results = tuple(replicate_paper(name, get=get, rng=seed, progress=progress) for name in papers)
    more = "For more: aslant replicate all --get, or aslant replicate PAPER for what each paper still needs."
    return ReplicationsResult(results, "" if get else more)
