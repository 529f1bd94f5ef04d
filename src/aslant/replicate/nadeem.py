"""Nadeem et al. 2021: language-model score, stereotype score and ICAT on the development set of StereoSet."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from aslant.data import find
from aslant.errors import DataError, MeasureError
from aslant.measures.paired_sentences.measure import sentence_pairs
from aslant.measures.paired_sentences.result import SentencePairsResult
from aslant.replicate.framework import Cell, Measured, Run, described, once, printed
from aslant.replicate.kurita import open_model

COLUMNS = ("lms", "ss", "icat")
WHY = "another model, or other weights"


@once
def _scored(run: Run, lm: Any, pairs: Path) -> SentencePairsResult:
    score = "likelihood-per-piece" if "likelihood" in lm.scorings else "auto"
    return sentence_pairs(lm, pairs, score=score, bootstrap=0, twins=0, rng=run.seed, progress=run.progress)


def _value(run: Run, lm: Any, pairs: Path, *, part: str, column: str) -> Measured:
    found = next((each for each in _scored(run, lm, pairs).language_model if each.part == part), None)
    if found is None:
        raise MeasureError(f"no sentence of the part '{part}' could be scored.")
    return Measured(getattr(found, column), note=f"{found.terms} terms")


def _bundled() -> Any:
    """Open SmolLM2, if it is on this machine; nothing is downloaded for a stand-in."""
    if find("smollm2-135m") is None:
        raise DataError("it is smollm2-135m, which 'aslant data get smollm2-135m' downloads.")
    return open_model("smollm2-135m")


def _cell(said: dict[str, Any], column: str, stored: float) -> Cell:
    needs = ("model" if said["part"] == "intrasentence" else "heads", "pairs")
    compute = partial(_value, part=said["part"], column=column)
    where = f"development set, {said['part']}"
    return Cell(where, said["model"], column, f"{stored:.1f}", needs, compute, 0.5, authors=stored, why=WHY)


PAPER = described(
    "nadeem",
    [_cell(said, *pair) for said in printed("nadeem")["scores"] for pair in zip(COLUMNS, said["stored"], strict=True)],
    {
        "model": {
            "open": open_model,
            "label": lambda lm: str(lm.name),
            "is_own": lambda lm: False,
            "bundled": _bundled,
        },
        "heads": {"open": open_model},
        "pairs": {"open": Path, "label": lambda path: f"StereoSet in {Path(path).name}"},
    },
    first_line=printed("nadeem")["first_line"],
)
