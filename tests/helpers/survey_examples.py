"""An enumeration built by hand, and workers of known skill who answer a survey of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from aslant.measures.enumeration.result import (
    EnumeratedCell,
    EnumerationResult,
    IndirectBias,
    NameGroup,
    RotationsUsed,
    WordCategory,
)
from aslant.measures.enumeration.survey import Survey
from aslant.results.provenance import Provenance, Representation

Row = dict[str, str]


def enumeration(
    groups: int = 12,
    categories: int = 14,
    significant: Sequence[int] | None = None,
    *,
    names: int = 20,
    words: Sequence[tuple[str, ...]] | None = None,
    name: str = "tiny",
) -> EnumerationResult:
    """Give category j `significant[j]` significant cells; `words` replace those of the first cells."""
    counts = significant or [2 + j % 5 for j in range(categories)]
    cells: list[Any] = []
    for j, count in enumerate(counts):
        for g in range(groups):
            known = words[len(cells)] if words and len(cells) < len(words) else tuple(f"w{j}-{g}-{k}" for k in "abc")
            cells.append(EnumeratedCell(g, j, known, 9, 0.1, 0.001, 0.002, g < count, 0, 999))
    return EnumerationResult(
        groups=tuple(_group(g, names) for g in range(groups)),
        categories=tuple(WordCategory(f"category {j}", 40, (f"centre{j}",), ()) for j in range(len(counts))),
        cells=tuple(cells),
        ordering=tuple(range(len(counts)))[::-1],
        critical_pvalue=0.001,
        indirect_bias=IndirectBias(0, 0, ()),
        left_out_names=(),
        rotations=RotationsUsed(999, 999, 1.0, 0.0),
        provenance=Provenance(
            "names", Representation(name, "0" * 12, "text", 99, 3), (), 0, {"per_cell": 3, "left_out": 0.2}, "0"
        ),
    )  # fmt: skip


def _group(g: int, names: int) -> NameGroup:
    listed = tuple(f"Name{g}x{k}" for k in range(names))
    return NameGroup(f"label {g}", names, listed[:5], listed, None, listed)


def exam_answers(survey: Survey, worker: str, right: int) -> list[Row]:
    """Answer the whole exam, `right` questions of it rightly."""
    ids = [group.id for group in survey.groups]
    wrong = {group: ids[(i + 1) % len(ids)] for i, group in enumerate(ids)}
    key = survey.key.exam
    return [
        row(survey, worker, "exam", q.id, key[q.id] if i < right else wrong[key[q.id]])
        for i, q in enumerate(survey.exam)
    ]


def matching_answers(survey: Survey, worker: str, skill: float, random: np.random.Generator) -> list[Row]:
    """Name the embedding's group with probability `skill`, else any group on offer, each as likely."""
    rows = []
    for task in survey.matching:
        for question in task.questions:
            known = random.random() < skill
            guess = task.groups[random.integers(len(task.groups))]
            rows.append(
                row(survey, worker, "matching", question.id, survey.key.matching[question.id] if known else guess)
            )
    return rows


def row(survey: Survey, worker: str, task: str, question: str, answer: object) -> Row:
    return {"worker": worker, "task": task, "item": survey.public_id(question), "answer": str(answer)}


def crowd(survey: Survey, workers: int, skill: float, seed: int = 0) -> list[Row]:
    """Workers who all pass the exam, and match with the same skill."""
    random = np.random.default_rng(seed)
    rows = []
    for i in range(workers):
        rows += exam_answers(survey, f"w{i}", len(survey.exam))
        rows += matching_answers(survey, f"w{i}", skill, random)
    return rows
