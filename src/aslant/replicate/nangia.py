"""Nangia et al. 2020: how often masked models find the more stereotyping sentence of CrowS-Pairs more probable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from aslant.errors import MeasureError
from aslant.measures.paired_sentences.measure import sentence_pairs
from aslant.measures.paired_sentences.result import SentencePairsResult
from aslant.models.identity import is_built
from aslant.replicate.framework import Cell, Measured, Run, described, journal, once, printed
from aslant.replicate.kurita import PAPER as KURITA

NEEDS = ("model", "pairs")


@once
def _scored(run: Run, lm: Any, pairs: Path) -> SentencePairsResult:
    return sentence_pairs(
        lm, pairs, score="crows", bootstrap=0, twins=0, journal=journal(), rng=run.seed, progress=run.progress
    )


def refuse_another(lm: Any, model: str, built: Mapping[str, str | int]) -> None:
    """Refuse a model for the cells of another one; anything stands in where nothing is said about how it is built."""
    if not is_built(lm, built):
        raise MeasureError(f"'{lm.name}' is not built like {model}; give that with --with.")


def _share(run: Run, lm: Any, pairs: Path, *, model: str, built: Mapping[str, str | int], group: str) -> Measured:
    """Return the share of a group of pairs, in per cent; equal scores count for neither side."""
    refuse_another(lm, model, built)
    found = next((each for each in _scored(run, lm, pairs).groups if each.name == group), None)
    if found is None or found.share is None:
        raise MeasureError(f"no pair of the group '{group}' could be scored.")
    return Measured(100 * found.share, note=f"{found.n:,} pairs")


def _cell(said: dict[str, Any]) -> Cell:
    built = printed("nangia")["built"].get(said["model"], {})
    compute = partial(_share, model=said["model"], built=built, group=said["group"])
    return Cell("Table 2", said["group"], said["model"], said["printed"], NEEDS, compute, 0.5, authors=said.get("run"))


PAPER = described(
    "nangia",
    [_cell(said) for said in printed("nangia")["metric"]],
    {
        "model": replace(KURITA.roles["model"], what=printed("nangia")["models"]),
        "pairs": {"open": Path, "label": lambda path: f"pairs in {Path(path).name}"},
    },
    first_line=printed("nangia")["first_line"],
)
