"""Answers to a survey: read and checked against the plan, then scored."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from statistics import fmean
from typing import Any, TypeAlias

from aslant.errors import MeasureError, plural
from aslant.io.reading import MAX_BYTES, read_bytes
from aslant.measures.enumeration.survey_plan import MOST_OFFENSIVE, PASS_ABOVE, MatchingTask, Survey
from aslant.measures.enumeration.survey_result import (
    Proportion,
    SurveyedAssociation,
    SurveyedGroup,
    SurveyResult,
    SurveyWorker,
)
from aslant.results.provenance import Provenance
from aslant.statistics import clopper_pearson
from aslant.version import __version__

Answers: TypeAlias = str | PathLike[str] | Iterable[str | PathLike[str] | Mapping[str, Any]]

#: Columns of the long format, and their names on crowd platforms.
COLUMNS = {
    "worker": ("worker", "workerid", "worker_id"),
    "task": ("task", "input.task"),
    "item": ("item", "input.item"),
    "answer": ("answer", "answer.answer"),
}
ITEM = re.compile(r"(?:answer\.)?(s[0-9a-f]{8})-(\S+)", re.IGNORECASE)
RATING = re.compile(rf"([1-{MOST_OFFENSIVE}])(?:\.0+)?")


@dataclass(frozen=True)
class Answer:
    """One worker's answer to one question (its own id, without the survey's): a group's id, or a rating's digit."""

    worker: str
    item: str
    answer: str


@dataclass(frozen=True)
class _Given:
    """A row as it was given, and where it was."""

    where: str
    cells: dict[str, str]


def read_answers(survey: Survey, given: Answers) -> tuple[Answer, ...]:
    """Return all answers, or raise an error for the first bad one; an empty cell is a question left out."""
    questions = _questions(survey)
    first: dict[tuple[str, str], str] = {}
    answers = []
    for row in _given_rows(given):
        for answer in _answers_of(survey, questions, row):
            if before := first.get((answer.worker, answer.item)):
                raise MeasureError(
                    f"{row.where}: worker {answer.worker!r} answers {survey.public_id(answer.item)} a second time "
                    f"(first: {before}); keep one of the two."
                )
            first[answer.worker, answer.item] = row.where
            answers.append(answer)
    if not answers:
        raise MeasureError("there are no answers; give files in which at least one worker has answered.")
    return tuple(answers)


def _questions(survey: Survey) -> dict[str, tuple[str, Sequence[str]]]:
    """Return for every question its task and the groups it may be answered by (none: a rating)."""
    everyone = [group.id for group in survey.groups]
    found: dict[str, tuple[str, Sequence[str]]] = {question.id: ("exam", everyone) for question in survey.exam}
    found |= {question.id: ("matching", task.groups) for task in survey.matching for question in task.questions}
    return found | {question.id: ("rating", ()) for question in survey.rating}


def _answers_of(survey: Survey, questions: Mapping[str, tuple[str, Sequence[str]]], row: _Given) -> Iterator[Answer]:
    """Read one row of either format."""
    cells, (columns, items) = row.cells, _layout(row.cells, row.where)
    worker = cells[columns["worker"]]
    if not worker:
        raise MeasureError(f"{row.where}: the worker is not named; fill in the column 'worker'.")
    pairs = [(item, cells[item]) for item in items] or [(cells[columns["item"]], cells[columns["answer"]])]
    for public, answer in pairs:
        question = _question(survey, questions, public, row.where)
        task, groups = questions[question]
        if not items and cells[columns["task"]].lower() != task:
            raise MeasureError(
                f"{row.where}: the task is {cells[columns['task']]!r}, but {public} belongs to the task '{task}'."
            )
        if answer:
            yield Answer(worker, question, _checked(answer, groups, public, row.where))


def _layout(names: Iterable[str], where: str) -> tuple[dict[str, str], list[str]]:
    """Return what each known column is called here, and the columns that are items: any of these make it wide."""
    met = list(names)
    columns = {name: c for name, known in COLUMNS.items() for c in known[::-1] if c in met}
    items = [name for name in met if ITEM.fullmatch(name)]
    lacking = [name for name in (("worker",) if items else COLUMNS) if name not in columns]
    if lacking:
        raise MeasureError(
            f"{where}: there is no column {' or '.join(map(repr, lacking))}, only "
            f"{', '.join(map(repr, met[:6])) or 'none'}; give worker, task, item and answer, or a page's own file."
        )
    return columns, items


def _question(survey: Survey, questions: Mapping[str, Any], public: str, where: str) -> str:
    met = ITEM.fullmatch(public)
    if met and met[1].lower() != survey.code:
        raise MeasureError(
            f"{where}: {public!r} belongs to another survey (this one's items begin with {survey.code}); "
            "score it with the survey.json that it was exported with."
        )
    question = met[2].lower() if met else ""
    if question not in questions:
        raise MeasureError(f"{where}: there is no item {public!r} in this survey; leave its id as it was exported.")
    return question


def _checked(answer: str, groups: Sequence[str], public: str, where: str) -> str:
    if not groups:
        rating = RATING.fullmatch(answer)
        if not rating:
            raise MeasureError(f"{where}: {answer!r} is not a rating of {public}; give 1 to {MOST_OFFENSIVE}.")
        return rating[1]
    if answer.upper() not in groups:
        raise MeasureError(f"{where}: {answer!r} is not an answer to {public}; it has {', '.join(groups)}.")
    return answer.upper()


def _given_rows(given: Answers) -> Iterator[_Given]:
    if isinstance(given, str | PathLike):
        given = [given]
    if not isinstance(given, Iterable) or isinstance(given, Mapping):
        raise MeasureError(f"{given!r:.60} are not answers; give paths of CSV files, or rows.")
    for number, item in enumerate(given, 1):
        if isinstance(item, str | PathLike):
            yield from _file_rows(Path(item))
        elif isinstance(item, Mapping):
            yield _Given(f"row {number}", _cells(item.items()))
        else:
            raise MeasureError(f"row {number}: {item!r:.60} is not an answer; give worker, task, item and answer.")


def _cells(pairs: Iterable[tuple[Any, Any]]) -> dict[str, str]:
    return {str(column).strip().lower(): "" if cell is None else str(cell).strip() for column, cell in pairs}


def _file_rows(path: Path) -> Iterator[_Given]:
    """Read a CSV file; its rows must be as long as its header."""
    rows = _parsed(path)
    line, header = next(rows, (1, []))
    if not header:
        raise MeasureError(f"'{path}' is empty; give a CSV file of answers.")
    names = [name.strip().lower() for name in header]
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise MeasureError(f"'{path}', line {line}: the column {twice!r} appears twice; keep one.")
    _layout(names, f"'{path}', line {line}")
    for line, row in rows:
        where = f"'{path}', line {line}"
        if row and len(row) != len(header):
            raise MeasureError(
                f"{where}: {plural(len(row), 'cell')}, but {plural(len(header), 'column')}; fix the line."
            )
        if row:
            yield _Given(where, _cells(zip(header, row, strict=True)))


def _parsed(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a CSV file with the number of the line that each ends on."""
    content = read_bytes(path, MeasureError, most=4 * MAX_BYTES)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise MeasureError(f"'{path}', line {line}: this is not UTF-8; save it as CSV in UTF-8.") from None
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise MeasureError(f"'{path}', line {reader.line_num}: this is not CSV ({error}).") from None
        yield reader.line_num, row


#: Answers by worker, then by question.
ByWorker: TypeAlias = Mapping[str, Mapping[str, str]]


def plurality(counts: Mapping[str, int]) -> str | None:
    """Return what was chosen most; None for no choices, and for a tie.

    >>> plurality({"a": 3, "b": 2}), plurality({"a": 2, "b": 2, "c": 1}), plurality({})
    ('a', None, None)
    """
    most = max(counts.values(), default=0)
    first = [choice for choice, n in counts.items() if n == most]
    return first[0] if most and len(first) == 1 else None


def proportion(outcomes: Sequence[bool], confidence: float) -> Proportion | None:
    """Return the share of true outcomes with its interval; None for none.

    >>> proportion([True, True], 0.95).share, proportion([], 0.95)
    (1.0, None)
    """
    if not outcomes:
        return None
    count, n = sum(outcomes), len(outcomes)
    low, high = clopper_pearson(count, n, confidence)
    return Proportion(count / n, count, n, low, high, confidence)


def scored(survey: Survey, answers: Iterable[Answer], offensive_from: float, confidence: float) -> SurveyResult:
    """Score the answers; only workers who passed the exam count."""
    by_worker: dict[str, dict[str, str]] = defaultdict(dict)
    for answer in answers:
        by_worker[answer.worker][answer.item] = answer.answer
    qualified = {worker: given for worker, given in by_worker.items() if passed(survey, given)}
    choices = {q: Counter(a[q] for a in qualified.values() if q in a) for q in survey.key.matching}
    associations = tuple(
        _association(survey, task, question.id, choices[question.id], qualified, offensive_from)
        for task in survey.matching
        for question in task.questions
    )
    answered = [a for a in associations if a.agrees is not None]
    rated = [a.mean_rating for a in associations if a.agrees and a.mean_rating is not None]
    single = [a.chosen[a.group] for a in answered]
    settings = {**survey.settings, "pass_above": PASS_ABOVE, "offensive_from": offensive_from, "confidence": confidence}
    made = survey.provenance
    return SurveyResult(
        survey=survey.id,
        enumeration=survey.enumeration,
        significant=survey.significant,
        tests=len(survey.matching),
        workers_given=len(by_worker),
        workers_qualified=len(qualified),
        groups=tuple(SurveyedGroup(g.id, survey.key.labels[g.id], g.names) for g in survey.groups),
        associations=associations,
        accuracy=proportion([bool(a.agrees) for a in answered], confidence),
        single_accuracy=sum(single) / sum(a.answers for a in answered) if answered else None,
        chance=fmean(1 / len(a.chosen) for a in answered) if answered else None,
        mean_groups=fmean(len(a.chosen) for a in answered) if answered else None,
        offensive=proportion([rating >= offensive_from for rating in rated], confidence),
        offensive_from=offensive_from,
        mean_rating=fmean(rated) if rated else None,
        workers=tuple(_worker(survey, worker, by_worker[worker], qualified, choices) for worker in sorted(by_worker)),
        provenance=Provenance(made.stimuli, made.representation, made.missing, survey.seed, settings, __version__),
    )


def exam_right(survey: Survey, given: Mapping[str, str]) -> int:
    """Count the exam questions answered correctly; one left out is wrong."""
    return sum(given.get(question) == group for question, group in survey.key.exam.items())


def passed(survey: Survey, given: Mapping[str, str]) -> bool:
    """Whether more than half of the exam is right; without an exam everyone passes."""
    return not survey.exam or exam_right(survey, given) > PASS_ABOVE * len(survey.exam)


def _association(
    survey: Survey,
    task: MatchingTask,
    question: str,
    counts: Mapping[str, int],
    qualified: ByWorker,
    offensive_from: float,
) -> SurveyedAssociation:
    group = survey.key.matching[question]
    about = [rating for rating, asked in survey.key.rating.items() if asked == question]
    ratings = [int(given[r]) for given in qualified.values() for r in about if r in given]
    mean = fmean(ratings) if ratings else None
    chosen = plurality(counts)
    return SurveyedAssociation(
        test=task.id,
        category=survey.key.categories[task.id],
        group=group,
        words=next(q.words for q in task.questions if q.id == question),
        chosen={offered: counts.get(offered, 0) for offered in task.groups},
        answers=sum(counts.values()),
        plurality=chosen,
        agrees=chosen == group if counts else None,
        ratings=len(ratings),
        mean_rating=mean,
        offensive=mean >= offensive_from if mean is not None and chosen == group else None,
    )


def _worker(
    survey: Survey,
    worker: str,
    given: Mapping[str, str],
    qualified: ByWorker,
    choices: Mapping[str, Mapping[str, int]],
) -> SurveyWorker:
    """Compare a worker's choices with the plurality of the other qualified workers."""
    own = {question: given[question] for question in survey.key.matching if question in given}
    agreed = []
    for question, choice in own.items():
        others = Counter(choices[question])
        if worker in qualified:
            others[choice] -= 1
        most = plurality(others)
        if most is not None:
            agreed.append(most == choice)
    return SurveyWorker(
        worker=worker,
        exam_right=exam_right(survey, given),
        exam_questions=len(survey.exam),
        qualified=worker in qualified,
        answers=len(own),
        ratings=sum(question in given for question in survey.key.rating),
        compared=len(agreed),
        agreement=sum(agreed) / len(agreed) if agreed else None,
    )
