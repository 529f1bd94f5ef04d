"""The crowd survey of an enumeration (Swinger et al. §4.1; docs/definitions.md §3): plan it, and score its answers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from aslant.errors import MeasureError
from aslant.measures.enumeration.result import EnumeratedCell, EnumerationResult, NameGroup
from aslant.measures.enumeration.survey_answers import Answers, read_answers, scored
from aslant.measures.enumeration.survey_plan import (
    MOST_OFFENSIVE,
    ExamQuestion,
    MatchingQuestion,
    MatchingTask,
    RatingQuestion,
    ShownGroup,
    Survey,
    SurveyKey,
    fingerprint,
)
from aslant.measures.enumeration.survey_result import SurveyResult
from aslant.statistics import check_confidence, check_count, generator, seed_of
from aslant.version import __version__

T = TypeVar("T")
MOST_TESTS, MOST_NAMES = 1_000, 100


def make_survey(
    enumeration: EnumerationResult,
    *,
    tests: int = 12,
    names_per_group: int = 5,
    exam_names: int = 3,
    rng: int | np.random.Generator | None = 0,
) -> Survey:
    """Plan a survey of the first `tests` tests of an enumeration that have two or more significant cells.

    Groups are shown by `names_per_group` names. The exam asks for the group of `exam_names` names of each, which are
    not among those shown where the group is large enough; 0: no exam. All orders are shuffled from one seed.

    >>> from aslant.measures.enumeration.result import *
    >>> from aslant.results.provenance import Provenance, Representation
    >>> names = [(n, n + "a", n + "b", n + "c") for n in ("Jo", "Al")]
    >>> groups = [NameGroup(n[0][0], 4, n[:2], n, n, None) for n in names]
    >>> cells = [EnumeratedCell(g, 0, w, 9, 0.1, 0.001, 0.002, True, 0, 999) for g, w in ((0, ("tea",)), (1, ("ale",)))]
    >>> source = Provenance("own", Representation("tiny", "0" * 12, "text", 9, 3), (), 0, {"per_cell": 1}, "0")
    >>> result = EnumerationResult(
    ...     tuple(groups), (WordCategory("drinks", 9, ("tea",), ()),), tuple(cells), (0,), 0.001,
    ...     IndirectBias(0, 0, ()), (), RotationsUsed(999, 999, 1.0, 0.0), source)
    >>> survey = make_survey(result, names_per_group=2, exam_names=2)
    >>> [group.names for group in survey.groups], len(survey.exam), len(survey.rating)
    ([('Jo', 'Joa'), ('Al', 'Ala')], 4, 2)
    """
    if not isinstance(enumeration, EnumerationResult):
        raise MeasureError(f"{enumeration!r:.60} is not the result of an enumeration; make one first.")
    settings = {
        "tests": check_count("tests", tests, 1, MOST_TESTS),
        "names_per_group": check_count("names_per_group", names_per_group, 1, MOST_NAMES),
        "exam_names": check_count("exam_names", exam_names, 0, MOST_NAMES),
    }
    seed = seed_of(rng)
    random = generator(seed)
    shown = tuple(_shown(i, group, names_per_group) for i, group in enumerate(enumeration.groups, 1))
    exam, exam_key = _exam(enumeration.groups, shown, exam_names, random)
    chosen = _useful(enumeration, tests)
    made = [_matching(f"m{i:02}", cells, random) for i, cells in enumerate(chosen, 1)]
    matching_key = {question: group for _, key in made for question, group in key.items()}
    rating, rating_key = _rating([task for task, _ in made], matching_key, random)
    labels = {group.id: found.label for group, found in zip(shown, enumeration.groups, strict=True)}
    categories = {
        task.id: enumeration.categories[cells[0].category].label
        for (task, _), cells in zip(made, chosen, strict=True)
    }  # fmt: skip
    return Survey(
        id="",
        groups=shown,
        exam=exam,
        matching=tuple(task for task, _ in made),
        rating=rating,
        key=SurveyKey(exam_key, matching_key, rating_key, categories, labels),
        significant=len(enumeration.significant),
        enumeration=fingerprint(enumeration.to_dict()),
        seed=seed,
        settings=settings,
        version=__version__,
        provenance=enumeration.provenance,
    ).identified()


def _useful(enumeration: EnumerationResult, tests: int) -> list[list[EnumeratedCell]]:
    """Return the significant cells of the first tests with at least two of them: with one there is nothing to match."""
    each = ([c for c in enumeration.of_category(j) if c.significant] for j in enumeration.ordering)
    useful = [cells for cells in each if len(cells) >= 2]
    if not useful:
        raise MeasureError(
            f"no test of {len(enumeration.categories)} has two significant cells, so there is nothing to match; "
            "enumerate with more groups, words or rotations."
        )
    return useful[:tests]


def _shown(number: int, group: NameGroup, names: int) -> ShownGroup:
    first = tuple(dict.fromkeys((*group.illustrative, *group.names)))[:names]
    if not first:
        raise MeasureError(f"the group '{group.label}' has no names, so it cannot be shown.")
    return ShownGroup(f"G{number}", first)


def _exam(
    groups: Sequence[NameGroup], shown: Sequence[ShownGroup], names: int, random: np.random.Generator
) -> tuple[tuple[ExamQuestion, ...], dict[str, str]]:
    """Draw names of every group that are in no other group, those not shown first, and shuffle them all."""
    member_of = Counter(name for group in groups for name in set(group.names))
    asked: list[tuple[str, str]] = []
    for group, seen in zip(groups, shown, strict=True):
        own = [name for name in dict.fromkeys(group.names) if member_of[name] == 1]
        unseen = _shuffled([name for name in own if name not in seen.names], random)
        fallback = _shuffled([name for name in own if name in seen.names], random)
        asked += [(name, seen.id) for name in (unseen + fallback)[:names]]
    asked = _shuffled(asked, random)
    questions = tuple(ExamQuestion(f"e{i:02}", name) for i, (name, _) in enumerate(asked, 1))
    return questions, {question.id: group for question, (_, group) in zip(questions, asked, strict=True)}


def _matching(
    task: str, cells: Sequence[EnumeratedCell], random: np.random.Generator
) -> tuple[MatchingTask, dict[str, str]]:
    """Shuffle a test's word sets and, separately, its groups, so that no order gives an answer away."""
    mixed = _shuffled(list(cells), random)
    groups = _shuffled([f"G{cell.group + 1}" for cell in cells], random)
    questions = tuple(MatchingQuestion(f"{task}-{i}", cell.words) for i, cell in enumerate(mixed, 1))
    key = {question.id: f"G{cell.group + 1}" for question, cell in zip(questions, mixed, strict=True)}
    return MatchingTask(task, tuple(groups), questions), key


def _rating(
    tasks: Sequence[MatchingTask], key: dict[str, str], random: np.random.Generator
) -> tuple[tuple[RatingQuestion, ...], dict[str, str]]:
    mixed = _shuffled([question for task in tasks for question in task.questions], random)
    ratings = tuple(RatingQuestion(f"r{i:02}", key[q.id], q.words) for i, q in enumerate(mixed, 1))
    return ratings, {rating.id: question.id for rating, question in zip(ratings, mixed, strict=True)}


def _shuffled(items: list[T], random: np.random.Generator) -> list[T]:
    return [items[i] for i in random.permutation(len(items))]


def questions_to_rate(survey: Survey, answers: Answers) -> tuple[RatingQuestion, ...]:
    """Return the questions of the rating task: those whose word set people matched to the embedding's group.

    In the paper (§4.1) only these were rated. `answers` are those of the exam and the matching, as for `score_survey`.

    >>> from aslant.results import Provenance, Representation
    >>> source = Provenance("own", Representation("tiny", "0" * 12, "text", 9, 3), (), 0, {}, "0")
    >>> sets = MatchingQuestion("m01-1", ("tea",)), MatchingQuestion("m01-2", ("ale",))
    >>> ratings = RatingQuestion("r01", "G2", ("tea",)), RatingQuestion("r02", "G1", ("ale",))
    >>> key = SurveyKey(
    ...     {}, {"m01-1": "G2", "m01-2": "G1"}, {"r01": "m01-1", "r02": "m01-2"}, {"m01": "drinks"},
    ...     {"G1": "J", "G2": "A"})
    >>> groups = (ShownGroup("G1", ("Jo",)), ShownGroup("G2", ("Al",)))
    >>> task = MatchingTask("m01", ("G1", "G2"), sets)
    >>> plan = Survey("", groups, (), (task,), ratings, key, 2, "", 0, {}, "0", source).identified()
    >>> given = {"worker": "w1", plan.public_id("m01-1"): "G2", plan.public_id("m01-2"): "G2"}
    >>> [question.words for question in questions_to_rate(plan, [given])]
    [('tea',)]
    """
    result = score_survey(survey, answers)
    asked = [question.id for task in survey.matching for question in task.questions]
    matched = {question for question, found in zip(asked, result.associations, strict=True) if found.agrees}
    if not matched:
        nobody = f"no worker passed the exam ({result.workers_given} took part)"
        nothing = "people's most frequent choice is the embedding's group for no word set"
        raise MeasureError(f"{nothing if result.workers_qualified else nobody}, so there is nothing to rate.")
    return tuple(question for question in survey.rating if survey.key.rating[question.id] in matched)


def score_survey(
    survey: Survey | EnumerationResult, answers: Answers, *, offensive_from: float = 4.0, confidence: float = 0.95
) -> SurveyResult:
    """Score answers: agreement of the plurality with the embedding, ratings of what agrees, and each worker's exam.

    `answers` are CSV files (one path or several) or rows, with worker, task, item and answer in each row, or as the
    pages write them, one worker per row and one item per column. An enumeration stands for the survey that
    `make_survey` makes of it by default. The threshold `offensive_from` for a mean rating is our choice.

    >>> from aslant.results import Provenance, Representation
    >>> source = Provenance("own", Representation("tiny", "0" * 12, "text", 9, 3), (), 0, {}, "0")
    >>> task = MatchingTask("m01", ("G1", "G2"), (MatchingQuestion("m01-1", ("tea",)),))
    >>> key = SurveyKey({}, {"m01-1": "G2"}, {}, {"m01": "drinks"}, {"G1": "J", "G2": "A"})
    >>> groups = (ShownGroup("G1", ("Jo",)), ShownGroup("G2", ("Al",)))
    >>> survey = Survey("", groups, (), (task,), (), key, 2, "", 0, {}, "0", source).identified()
    >>> item = survey.public_id("m01-1")
    >>> result = score_survey(survey, [{"worker": "w1", "task": "matching", "item": item, "answer": "G2"}])
    >>> result.accuracy.share, result.chance
    (1.0, 0.5)
    """
    plan = make_survey(survey) if isinstance(survey, EnumerationResult) else survey
    if not isinstance(plan, Survey):
        raise MeasureError(f"{survey!r:.60} is not a survey; make one of an enumeration with make_survey.")
    number = isinstance(offensive_from, int | float) and not isinstance(offensive_from, bool)
    if not number or not math.isfinite(offensive_from) or not 1 <= offensive_from <= MOST_OFFENSIVE:
        raise MeasureError(f"offensive_from is {offensive_from!r}; give a rating from 1 to {MOST_OFFENSIVE}.")
    check_confidence(confidence)
    return scored(plan, read_answers(plan, answers), float(offensive_from), confidence)
