"""Nadeem et al. 2021: language-model score, stereotype score and ICAT on StereoSet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from aslant.data import find
from aslant.errors import DataError, MeasureError, plural
from aslant.measures.paired_sentences.measure import sentence_pairs
from aslant.measures.paired_sentences.result import SentencePairsResult
from aslant.measures.paired_sentences.statistic import language_model_scores
from aslant.replicate.framework import Cell, Measured, Run, described, journal, once, printed
from aslant.replicate.kurita import open_model
from aslant.replicate.nangia import refuse_another

COLUMNS = ("lms", "ss", "icat")
ALL = "overall"
WHY = "another model, or other weights"


@once
def _scored(run: Run, lm: Any, pairs: Path) -> SentencePairsResult:
    score = "likelihood-per-piece" if "likelihood" in lm.scorings else "auto"
    return sentence_pairs(
        lm, pairs, score=score, bootstrap=0, twins=0, journal=journal(), rng=run.seed, progress=run.progress
    )


def _value(
    run: Run, lm: Any, pairs: Path, *, model: str, built: Mapping[str, str | int], part: str, domain: str, column: str
) -> Measured:
    refuse_another(lm, model, built)
    kept = [pair for pair in _scored(run, lm, pairs).pairs if domain in (ALL, pair.category)]
    found = next((each for each in language_model_scores(kept) if each.part == part), None)
    if found is None:
        raise MeasureError(f"no sentence of the part '{part}' and the domain '{domain}' could be scored.")
    about = "" if domain == ALL else f" on {domain}"
    return Measured(getattr(found, column), note=plural(found.terms, "term") + about)


def _bundled() -> Any:
    """Open SmolLM2, if it is on this machine; nothing is downloaded for a stand-in."""
    if find("smollm2-135m") is None:
        raise DataError("it is smollm2-135m, which 'aslant data get smollm2-135m' downloads.")
    return open_model("smollm2-135m")


def _stored(said: dict[str, Any]) -> Iterator[Cell]:
    """Return what the authors' output has of a model: lms, ss and ICAT on the development set."""
    model, part, domain = said["model"], said["part"], said.get("domain", ALL)
    needs = ("model" if part == "intrasentence" else "heads", "pairs")
    facts = {"model": model, "built": printed("nadeem")["built"].get(model, {}), "part": part, "domain": domain}
    where = f"development set, {part}" + ("" if domain == ALL else f", {domain}")
    for column, stored in zip(COLUMNS, said["stored"], strict=True):
        compute = partial(_value, **facts, column=column)
        yield Cell(where, model, column, f"{stored:.1f}", needs, compute, 0.5, authors=stored, why=WHY)


def _printed(said: dict[str, Any]) -> Iterator[Cell]:
    """Return what the paper prints of a model on its test set, as far as it is known."""
    for column in (column for column in COLUMNS if column in said):
        run = said.get("run", {}).get(column)
        compute = partial(_value, model=said["model"], built={}, part="both", domain=ALL, column=column)
        yield Cell("test set, both", said["model"], column, said[column], ("heads", "pairs"), compute, 0.5, authors=run)


PAPER = described(
    "nadeem",
    [
        *(cell for said in printed("nadeem")["test"] for cell in _printed(said)),
        *(cell for said in printed("nadeem")["scores"] for cell in _stored(said)),
    ],
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
