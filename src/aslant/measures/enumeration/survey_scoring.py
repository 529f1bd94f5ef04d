"""The statistics of a survey: exam scores, pluralities, agreement and ratings, from checked answers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import TypeAlias

from aslant.measures.enumeration.survey_answers import Answer
from aslant.measures.enumeration.survey_plan import PASS_ABOVE, MatchingTask, Survey
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
