"""Answers to a survey: read and checked against the plan, then scored."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from statistics import fmean
from typing import Any, TypeAlias

from aslant.errors import MeasureError, plural
from aslant.io.reading import MAX_BYTES, delimiter, read_bytes
from aslant.measures.enumeration.result import EnumerationResult
from aslant.measures.enumeration.survey import (
    MOST_OFFENSIVE,
    PASS_ABOVE,
    MatchingQuestion,
    MatchingTask,
    RatingQuestion,
    Survey,
    make_survey,
)
from aslant.measures.enumeration.survey_result import (
    Proportion,
    SurveyedAssociation,
    SurveyedGroup,
    SurveyResult,
    SurveyWorker,
)
from aslant.statistics import check_confidence, clopper_pearson
from aslant.version import __version__

#: Answers by worker, then by question.
ByWorker: TypeAlias = dict[str, dict[str, str]]
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


def read_answers(survey: Survey, given: Answers) -> ByWorker:
    """Return the answers by worker and question (its own id), or refuse the first bad one; empty cells are none."""
    everyone = [group.id for group in survey.groups]
    # The task of every question, and the groups that may answer it (none: a rating)
    questions: dict[str, tuple[str, Sequence[str]]] = {question.id: ("exam", everyone) for question in survey.exam}
    questions |= {question.id: ("matching", task.groups) for task in survey.matching for question in task.questions}
    questions |= {question.id: ("rating", ()) for question in survey.rating}
    first: dict[tuple[str, str], str] = {}
    answers: ByWorker = defaultdict(dict)
    for where, cells in _given_rows(given):
        for worker, question, answer in _answers_of(survey, questions, where, cells):
            if before := first.get((worker, question)):
                raise MeasureError(
                    f"{where}: worker {worker!r} answers {survey.public_id(question)} a second time "
                    f"(first: {before}); keep one of the two."
                )
            first[worker, question] = where
            answers[worker][question] = answer
    if not answers:
        raise MeasureError("there are no answers; give files in which at least one worker has answered.")
    return answers


def _answers_of(
    survey: Survey, questions: Mapping[str, tuple[str, Sequence[str]]], where: str, cells: Mapping[str, str]
) -> Iterator[tuple[str, str, str]]:
    """Read one row of either format."""
    columns, items = _layout(cells, where)
    worker = cells[columns["worker"]]
    if not worker:
        raise MeasureError(f"{where}: the worker is not named; fill in the column 'worker'.")
    for public in items or [cells[columns["item"]]]:
        answer = cells[public if items else columns["answer"]]
        met = ITEM.fullmatch(public)
        if met and met[1].lower() != survey.code:
            raise MeasureError(
                f"{where}: {public!r} belongs to another survey (this one's items begin with {survey.code}); "
                "score it with the survey.json that it was exported with."
            )
        question = met[2].lower() if met else ""
        if question not in questions:
            raise MeasureError(f"{where}: there is no item {public!r} in this survey; leave its id as it was exported.")
        task, groups = questions[question]
        if not items and (said := cells[columns["task"]]).lower() != task:
            raise MeasureError(f"{where}: the task is {said!r}, but {public} belongs to the task '{task}'.")
        if answer:
            yield worker, question, _checked(answer, groups, public, where)


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


def _checked(answer: str, groups: Sequence[str], public: str, where: str) -> str:
    if groups and answer.upper() not in groups:
        raise MeasureError(f"{where}: {answer!r} is not an answer to {public}; it has {', '.join(groups)}.")
    if not groups and not RATING.fullmatch(answer):
        raise MeasureError(f"{where}: {answer!r} is not a rating of {public}; give 1 to {MOST_OFFENSIVE}.")
    return answer.upper() if groups else answer[0]


def _given_rows(given: Answers) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield where each row was, and its cells by column."""
    if isinstance(given, str | PathLike):
        given = [given]
    if not isinstance(given, Iterable) or isinstance(given, Mapping):
        raise MeasureError(f"{given!r:.60} are not answers; give paths of CSV files, or rows.")
    for number, item in enumerate(given, 1):
        if isinstance(item, str | PathLike):
            yield from _file_rows(Path(item))
        elif isinstance(item, Mapping):
            yield f"row {number}", _cells(item.items())
        else:
            raise MeasureError(f"row {number}: {item!r:.60} is not an answer; give worker, task, item and answer.")


def _cells(pairs: Iterable[tuple[Any, Any]]) -> dict[str, str]:
    return {str(column).strip().lower(): "" if cell is None else str(cell).strip() for column, cell in pairs}


def _file_rows(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Read a CSV file; its rows must be as long as its header."""
    rows = _parsed(path)
    where, header = next(rows, ("", []))
    if not header:
        raise MeasureError(f"'{path}' is empty; give a CSV file of answers.")
    names = [name.strip().lower() for name in header]
    if twice := [name for i, name in enumerate(names) if name in names[:i]]:
        raise MeasureError(f"{where}: the column {twice[0]!r} appears twice; keep one.")
    _layout(names, where)
    for where, row in rows:
        if row and len(row) != len(header):
            raise MeasureError(
                f"{where}: {plural(len(row), 'cell')}, but {plural(len(header), 'column')}; fix the line."
            )
        if row:
            yield where, _cells(zip(header, row, strict=True))


def _parsed(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the rows of a CSV file, each after the line that it ends on."""
    content = read_bytes(path, MeasureError, most=4 * MAX_BYTES)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise MeasureError(f"'{path}', line {line}: this is not UTF-8; save it as CSV in UTF-8.") from None
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter(text), strict=True)
    try:
        for row in reader:
            yield f"'{path}', line {reader.line_num}", row
    except csv.Error as error:
        raise MeasureError(f"'{path}', line {reader.line_num}: this is not CSV ({error}).") from None


def plurality(counts: Mapping[str, int]) -> str | None:
    """Return what was chosen most; None for no choices, and for a tie."""
    most = max(counts.values(), default=0)
    first = [choice for choice, n in counts.items() if n == most]
    return first[0] if most and len(first) == 1 else None


def proportion(outcomes: Sequence[bool], confidence: float) -> Proportion | None:
    """Return the share of true outcomes with its interval; None for none."""
    if not outcomes:
        return None
    count, n = sum(outcomes), len(outcomes)
    low, high = clopper_pearson(count, n, confidence)
    return Proportion(count / n, count, n, low, high, confidence)


def score_survey(
    survey: Survey | EnumerationResult, answers: Answers, *, offensive_from: float = 4.0, confidence: float = 0.95
) -> SurveyResult:
    """Score answers: agreement of the plurality with the embedding, ratings of what agrees, and each worker's exam.

    `answers` are CSV files (one path or several) or rows, with worker, task, item and answer in each row, or as the
    pages write them, one worker per row and one item per column. An enumeration stands for the survey that
    `make_survey` makes of it by default. The threshold `offensive_from` for a mean rating is our choice.

    >>> import aslant
    >>> v = aslant.load()
    >>> found = aslant.enumerate_biases(v, groups="race-four", words=5_000, categories=8, rotations=200)
    >>> survey = aslant.make_survey(found, exam_names=0)
    >>> given = {survey.public_id(question): group for question, group in survey.key.matching.items()}
    >>> result = aslant.score_survey(survey, [{"worker": "w1", **given}])
    >>> result.accuracy.share > result.chance
    True
    """
    plan = make_survey(survey) if isinstance(survey, EnumerationResult) else survey
    if not isinstance(plan, Survey):
        raise MeasureError(f"{survey!r:.60} is not a survey; make one of an enumeration with make_survey.")
    number = isinstance(offensive_from, int | float) and not isinstance(offensive_from, bool)
    if not number or not 1 <= offensive_from <= MOST_OFFENSIVE:
        raise MeasureError(f"offensive_from is {offensive_from!r}; give a rating from 1 to {MOST_OFFENSIVE}.")
    check_confidence(confidence)
    return scored(plan, read_answers(plan, answers), float(offensive_from), confidence)


def scored(survey: Survey, by_worker: ByWorker, offensive_from: float, confidence: float) -> SurveyResult:
    """Score the answers; only workers who passed the exam count: more than half is right, or there was none."""
    right = {worker: sum(given.get(q) == g for q, g in survey.key.exam.items()) for worker, given in by_worker.items()}
    least = PASS_ABOVE * len(survey.exam)
    qualified = {worker: given for worker, given in by_worker.items() if right[worker] > least or not survey.exam}
    choices = {q: Counter(a[q] for a in qualified.values() if q in a) for q in survey.key.matching}
    associations = tuple(
        _association(survey, task, question, choices[question.id], qualified, offensive_from)
        for task in survey.matching
        for question in task.questions
    )
    answered = [a for a in associations if a.agrees is not None]
    rated = [a.mean_rating for a in associations if a.agrees and a.mean_rating is not None]
    single = [a.chosen[a.group] for a in answered]
    settings = {**survey.settings, "pass_above": PASS_ABOVE, "offensive_from": offensive_from, "confidence": confidence}
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
        workers=tuple(_worker(survey, w, by_worker[w], right[w], w in qualified, choices) for w in sorted(by_worker)),
        provenance=replace(survey.provenance, seed=survey.seed, settings=settings, version=__version__),
    )


def _association(
    survey: Survey, task: MatchingTask, asked: MatchingQuestion, counts: Counter[str], qualified: ByWorker, least: float
) -> SurveyedAssociation:
    """Describe one word set: what was chosen, and how it was rated; from a mean of `least` on it is offensive."""
    group, chosen = survey.key.matching[asked.id], plurality(counts)
    about = [rating for rating, question in survey.key.rating.items() if question == asked.id]
    ratings = [int(given[r]) for given in qualified.values() for r in about if r in given]
    mean = fmean(ratings) if ratings else None
    return SurveyedAssociation(
        test=task.id,
        category=survey.key.categories[task.id],
        group=group,
        words=asked.words,
        chosen={offered: counts[offered] for offered in task.groups},
        answers=sum(counts.values()),
        plurality=chosen,
        agrees=chosen == group if counts else None,
        ratings=len(ratings),
        mean_rating=mean,
        offensive=mean >= least if mean is not None and chosen == group else None,
    )


def _worker(
    survey: Survey, worker: str, given: dict[str, str], right: int, qualified: bool, choices: dict[str, Counter[str]]
) -> SurveyWorker:
    """Compare a worker's choices with the plurality of the other qualified workers."""
    own = {question: given[question] for question in survey.key.matching if question in given}
    others = [(plurality(choices[q] - Counter([choice] * qualified)), choice) for q, choice in own.items()]
    agreed = [most == choice for most, choice in others if most is not None]
    return SurveyWorker(
        worker=worker,
        exam_right=right,
        exam_questions=len(survey.exam),
        qualified=qualified,
        answers=len(own),
        ratings=sum(question in given for question in survey.key.rating),
        compared=len(agreed),
        agreement=fmean(agreed) if agreed else None,
    )


def questions_to_rate(survey: Survey, answers: Answers) -> tuple[RatingQuestion, ...]:
    """Return the questions of the rating task: those whose word set people matched to the embedding's group.

    In the paper (§4.1) only these were rated. `answers` are those of the exam and the matching, as for `score_survey`.

    >>> import aslant
    >>> v = aslant.load()
    >>> found = aslant.enumerate_biases(v, groups="race-four", words=5_000, categories=8, rotations=200)
    >>> survey = aslant.make_survey(found, exam_names=0)
    >>> first, group = next(iter(survey.key.matching.items()))
    >>> asked = aslant.questions_to_rate(survey, [{"worker": "w1", survey.public_id(first): group}])
    >>> [question.group == group for question in asked]
    [True]
    """
    result = score_survey(survey, answers)
    asked = [question.id for task in survey.matching for question in task.questions]
    matched = {question for question, found in zip(asked, result.associations, strict=True) if found.agrees}
    if not matched:
        nobody = f"no worker passed the exam ({result.workers_given} took part)"
        nothing = "people's most frequent choice is the embedding's group for no word set"
        raise MeasureError(f"{nothing if result.workers_qualified else nobody}, so there is nothing to rate.")
    return tuple(question for question in survey.rating if survey.key.rating[question.id] in matched)
