"""Published tables beside ours, cell by cell. One file per paper."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np

from slant.errors import MeasureError
from slant.replicate.framework import Paper, run
from slant.results import ReplicationResult
from slant.statistics import seed_of

#: Papers that can be replicated, each in the module of its name.
PAPERS = ("basta", "bolukbasi", "gonen", "kurita", "lu")


def paper(name: str) -> Paper:
    """Return the description of a paper.

    >>> paper("lu").title
    'Lu et al., Table 1'
    """
    if name not in PAPERS:
        near = difflib.get_close_matches(name, PAPERS, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise MeasureError(f"there is no paper '{name}'; {hint}there are: {', '.join(PAPERS)}.")
    found: Paper = importlib.import_module(f"slant.replicate.{name}").PAPER
    return found


def replicate_paper(
    name: str,
    *,
    data: Mapping[str, str | PathLike[str]] | None = None,
    instead: Mapping[str, Any] | None = None,
    rng: int | np.random.Generator | None = 0,
) -> ReplicationResult:
    """Recompute a paper's table and put it beside the printed one; `data` gives paths by data name.

    What is not on this machine is not fetched: such cells are marked, with what to do. `instead` gives another
    "encoder" or "corpus" than the paper's, where it uses one; such cells are computed, and labelled.

    >>> import slant
    >>> [cell.verdict for cell in slant.replicate_paper("lu").cells if cell.column == "Baseline"]
    ['met', 'not run']
    """
    described = paper(name)
    for role in instead or ():
        if role not in described.roles:
            known = ", ".join(described.roles) or "nothing"
            raise MeasureError(f"'{name}' has no {role} that could be another one; what can be replaced: {known}.")
    return run(described, {**(data or {}), **(instead or {})}, seed_of(rng))
