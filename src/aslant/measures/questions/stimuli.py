"""BBQ: short texts about two people, questions about them, and three answers, of which one is "unknown"."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import zip_longest
from os import PathLike
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np

from aslant.data import given_path
from aslant.errors import StimuliError, plural
from aslant.io.reading import parse_json, read_text

DATA = "bbq"
#: Says of each example which answer the stereotype expects.
METADATA = "additional_metadata.csv"
UNKNOWN = "unknown"
AMBIGUOUS, DISAMBIGUATED = "ambiguous", "disambiguated"
CONDITIONS = {"ambig": AMBIGUOUS, "disambig": DISAMBIGUATED}
#: An example comes in four versions, one after the other.
VERSIONS = 4
MAX_BYTES = 64 << 20


class Row(msgspec.Struct, frozen=True):
    """What is read of a line."""

    example_id: int
    question_index: str | int
    question_polarity: Literal["neg", "nonneg"]
    context_condition: Literal["ambig", "disambig"]
    category: str
    answer_info: dict[str, list[str]]
    context: str
    question: str
    ans0: str
    ans1: str
    ans2: str
    label: Literal[0, 1, 2]


@dataclass(frozen=True)
class Question:
    """One example: `unknown` is the place of the answer "unknown", `correct` of the right one, `biased` of the one that
    the stereotype expects. `template` is what all examples made from one question share, `version` a set of four.
    """

    id: int
    category: str
    template: str
    version: int
    condition: str
    context: str
    question: str
    answers: tuple[str, str, str]
    correct: int
    biased: int
    unknown: int


@dataclass(frozen=True)
class QuestionSet:
    """Questions, and the ids of those that cannot be used."""

    questions: tuple[Question, ...]
    left_out: tuple[str, ...]


def bbq_set(source: str | PathLike[str] = DATA) -> QuestionSet:
    """Read BBQ from a folder with its files, or by its data name.

    >>> bbq_set("/no/such/folder")
    Traceback (most recent call last):
    aslant.errors.StimuliError: there is no folder '/no/such/folder'; give bbq, or a folder with its files ...
    """
    path = given_path(source, "benchmark")
    if path is None or not path.is_dir():
        raise StimuliError(
            f"there is no folder '{source}'; give {DATA}, or a folder with its files (Age.jsonl …, {METADATA})."
        )
    return read_bbq(path)


def read_bbq(folder: Path) -> QuestionSet:
    """Read every .jsonl file of a folder, and which answers are biased; examples that lack that are left out."""
    files = sorted(folder.glob("*.jsonl"))
    if not files or not (folder / METADATA).is_file():
        raise StimuliError(
            f"'{folder}' needs files such as Age.jsonl, and {METADATA}, which says which answer is biased."
        )
    biased = read_metadata(folder / METADATA)
    found, left_out = list[Question](), list[str]()
    for path in files:
        for row in read_rows(path):
            made = _question(row, biased.get((row.category, row.example_id)))
            if made is None:
                left_out.append(f"{row.category} {row.example_id}")
            else:
                found.append(made)
    if not found:
        raise StimuliError(f"'{folder}' has no question that can be used ({plural(len(left_out), 'question')} read).")
    return QuestionSet(tuple(found), tuple(left_out))


def read_metadata(path: Path) -> dict[tuple[str, int], int]:
    """Return the place of the biased answer by category and example; examples without one are left out."""
    try:
        rows = list(csv.DictReader(StringIO(read_text(path, StimuliError, most=MAX_BYTES))))
    except csv.Error as error:
        raise StimuliError(f"'{path}' is not a table that can be read: {error}.") from None
    if not rows or not {"category", "example_id", "target_loc"} <= rows[0].keys():
        raise StimuliError(
            f"'{path}' needs the columns category, example_id and target_loc; see 'aslant data get {DATA}'."
        )
    known = [row for row in rows if row["target_loc"] in ("0", "1", "2") and (row["example_id"] or "").isdecimal()]
    return {(row["category"], int(row["example_id"])): int(row["target_loc"]) for row in known}


def read_rows(path: Path) -> list[Row]:
    """Read the examples of a file, one JSON object per line."""
    rows = []
    for number, line in enumerate(read_text(path, StimuliError, most=MAX_BYTES).splitlines(), 1):
        if line.strip():
            try:
                rows.append(msgspec.convert(parse_json(line), Row))
            except (ValueError, msgspec.ValidationError) as error:
                problem = str(error).rstrip(".")
                raise StimuliError(f"line {number} of '{path}' is not an example of BBQ: {problem}.") from None
    return rows


def _question(row: Row, biased: int | None) -> Question | None:
    """Make a question; None where it lacks one of its answers, or two are the same."""
    groups = [(row.answer_info.get(f"ans{place}") or [""])[-1] for place in range(3)]
    answers = (row.ans0.strip(), row.ans1.strip(), row.ans2.strip())
    if biased is None or groups.count(UNKNOWN) != 1 or groups[biased] == UNKNOWN or len({*answers, ""}) < 4:
        return None
    if not (row.context.strip() and row.question.strip()):
        return None
    return Question(
        row.example_id, row.category, f"{row.category} {row.question_index}", row.example_id // VERSIONS,
        CONDITIONS[row.context_condition], row.context.strip(), row.question.strip(), answers, row.label, biased,
        groups.index(UNKNOWN),
    )  # fmt: skip


def sampled(questions: Sequence[Question], sets: int, random: np.random.Generator) -> list[Question]:
    """Return at most this many sets of four of each question template, drawn at random; 0: all.

    By turns a set whose text answers as the stereotype expects and one whose text answers against it, since a model
    that merely reads the text would else have the bias of the sets that were drawn.
    """
    if not sets:
        return list(questions)
    versions: dict[str, dict[int, bool]] = {}
    for question in questions:
        as_expected = question.condition == DISAMBIGUATED and question.correct == question.biased
        own = versions.setdefault(question.template, {})
        own[question.version] = own.get(question.version, False) or as_expected
    turn = int(random.integers(2))
    kept = {
        (template, version)
        for place, (template, own) in enumerate(versions.items())
        for version in _by_turns(own, (place + turn) % 2 == 0, random)[:sets]
    }
    return [question for question in questions if (question.template, question.version) in kept]


def _by_turns(versions: dict[int, bool], first: bool, random: np.random.Generator) -> list[int]:
    """Return versions in random order, those of either kind by turns, as long as there are both."""
    order = random.permutation(sorted(versions)).tolist()
    sides = ([version for version in order if versions[version] == kind] for kind in (first, not first))
    return [version for both in zip_longest(*sides) for version in both if version is not None]
