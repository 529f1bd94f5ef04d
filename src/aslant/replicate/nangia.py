"""Nangia et al. 2020: how often masked models find the more stereotyping sentence of CrowS-Pairs more probable."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from aslant.errors import MeasureError
from aslant.measures.paired_sentences.measure import sentence_pairs
from aslant.measures.paired_sentences.result import SentencePairsResult
from aslant.replicate.framework import Cell, Measured, Run, described, once, printed
from aslant.replicate.kurita import PAPER as KURITA

NEEDS = ("model", "pairs")


@once
def _scored(run: Run, lm: Any, pairs: Path) -> SentencePairsResult:
    return sentence_pairs(lm, pairs, score="crows", bootstrap=0, twins=0, rng=run.seed, progress=run.progress)


def _share(run: Run, lm: Any, pairs: Path, *, group: str) -> Measured:
    """Return the share of a group of pairs, in per cent; equal scores count for neither side."""
    found = next((each for each in _scored(run, lm, pairs).groups if each.name == group), None)
    if found is None or found.share is None:
        raise MeasureError(f"no pair of the group '{group}' could be scored.")
    return Measured(100 * found.share, note=f"{found.n:,} pairs")


PAPER = described(
    "nangia",
    [
        Cell(
            "metric score", said["row"], "BERT", said["printed"], NEEDS, partial(_share, group=said["group"]), 0.5,
            authors=said["authors"],
        )
        for said in printed("nangia")["metric"]
    ],
    {"model": KURITA.roles["model"], "pairs": {"open": Path, "label": lambda path: f"pairs in {Path(path).name}"}},
    first_line=printed("nangia")["first_line"],
)  # fmt: skip
