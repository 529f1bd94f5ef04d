"""The plan of a crowd survey (Swinger et al. §4.1; docs/definitions.md §3): what workers are shown, and the key."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import msgspec
import numpy as np

from aslant.errors import AslantError, MeasureError
from aslant.measures.enumeration.result import EnumeratedCell, EnumerationResult, NameGroup
from aslant.results.provenance import Provenance
from aslant.statistics import check_count, generator, seed_of
from aslant.version import __version__

MOST_TESTS, MOST_NAMES = 1_000, 100
#: Ratings of offensiveness go from 1 to this.
MOST_OFFENSIVE = 7
RATING_ENDS = ("politically correct, inoffensive, or just random", "politically incorrect, possibly very offensive")
#: A worker qualifies with more than this share of the exam right.
PASS_ABOVE = 0.5
#: How many people Swinger et al. (§4.1) asked: at least this many matched each test, and between these many rated.
MATCHERS, RATERS = 18, (13, 15)


@dataclass(frozen=True)
class ShownGroup:
    """A name group as workers see it: a neutral id such as "G3", and names that illustrate it."""

    id: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class ExamQuestion:
    """One name; the question is its group."""

    id: str
    name: str


@dataclass(frozen=True)
class MatchingQuestion:
    """The words of one significant cell; the question is which group society stereotypically associates with them."""

    id: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class MatchingTask:
    """One test (a category): the groups that have a significant cell in it, and the words of these cells, shuffled."""

    id: str
    groups: tuple[str, ...]
    questions: tuple[MatchingQuestion, ...]


@dataclass(frozen=True)
class RatingQuestion:
    """One association as the embedding has it; the question is how offensive it is."""

    id: str
    group: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class SurveyKey:
    """What workers must not see: the groups of exam names and word sets, and what ids stand for.

    `exam` and `matching` give a question's group, `rating` the matching question that a rating is about, `categories`
    the label of a matching task's category, `labels` the label of a group.
    """

    exam: dict[str, str]
    matching: dict[str, str]
    rating: dict[str, str]
    categories: dict[str, str]
    labels: dict[str, str]


@dataclass(frozen=True)
class Survey:
    """A qualification exam, matching tasks and questions to rate, made from one enumeration (Swinger et al. §4.1).

    `rating` has a question for every word set; only those matched to the embedding's group are asked.
    `significant` counts the associations of the whole enumeration, whose provenance the plan carries; `enumeration` is
    its fingerprint. `id` is made from all the rest, and every question's public id begins with it.
    """

    kind: ClassVar[str] = "survey-plan"

    id: str
    groups: tuple[ShownGroup, ...]
    exam: tuple[ExamQuestion, ...]
    matching: tuple[MatchingTask, ...]
    rating: tuple[RatingQuestion, ...]
    key: SurveyKey
    significant: int
    enumeration: str
    seed: int
    settings: dict[str, Any]
    version: str
    provenance: Provenance

    @property
    def code(self) -> str:
        """What every public id begins with; a letter first, so that no spreadsheet reads it as a number."""
        return f"s{self.id[:8]}"

    def public_id(self, question: str) -> str:
        """Return a question's id as pages, tables and answers have it: that of the survey, then its own."""
        return f"{self.code}-{question}"

    def identified(self) -> Survey:
        """Return the same plan under the id that its content gives."""
        return replace(self, id=fingerprint(msgspec.to_builtins(replace(self, id=""))))

    def to_json(self) -> str:
        """Return the plan with its key as indented JSON."""
        content = {"kind": self.kind, **msgspec.to_builtins(self)}
        return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_dict(cls, content: Any) -> Survey:
        """Rebuild the plan that `to_json` wrote; one that was changed since is refused."""
        if not isinstance(content, dict) or content.get("kind") != cls.kind:
            met = content.get("kind") if isinstance(content, dict) else type(content).__name__
            raise AslantError(f"this is not a survey's plan but {met!r}; give the survey.json that the export wrote.")
        try:
            survey = msgspec.convert({k: v for k, v in content.items() if k != "kind"}, cls)
        except (msgspec.ValidationError, UnicodeEncodeError) as error:  # msgspec fails on a lone surrogate in a string
            raise AslantError(f"this is not a complete survey plan: {error}.") from None
        if survey.identified().id != survey.id:
            raise AslantError("this survey's plan was changed after it was made; use the survey.json as exported.")
        return survey


def fingerprint(content: Any) -> str:
    """Return twelve characters that identify plain data; the order of keys does not matter."""
    text = json.dumps(content, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


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

    >>> import aslant
    >>> v = aslant.load()
    >>> found = aslant.enumerate_biases(v, groups="race-four", words=5_000, categories=8, rotations=200)
    >>> survey = aslant.make_survey(found, tests=2, exam_names=1)
    >>> [group.names for group in survey.groups][:2], len(survey.exam), len(survey.matching)
    ([('black',), ('white',)], 4, 2)
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
    key = SurveyKey({}, {}, {}, {}, {f"G{i}": group.label for i, group in enumerate(enumeration.groups, 1)})
    exam = _exam(enumeration.groups, shown, exam_names, key, random)
    each = ([c for c in enumeration.of_category(j) if c.significant] for j in enumeration.ordering)
    chosen = [cells for cells in each if len(cells) >= 2][:tests]  # with one cell there is nothing to match
    if not chosen:
        raise MeasureError(
            f"no test of {len(enumeration.categories)} has two significant cells, so there is nothing to match; "
            "enumerate with more groups, words or rotations."
        )
    key.categories.update((f"m{i:02}", enumeration.categories[c[0].category].label) for i, c in enumerate(chosen, 1))
    matching = tuple(_matching(f"m{i:02}", cells, key, random) for i, cells in enumerate(chosen, 1))
    mixed = _shuffled([question for task in matching for question in task.questions], random)
    rating = tuple(RatingQuestion(f"r{i:02}", key.matching[q.id], q.words) for i, q in enumerate(mixed, 1))
    key.rating.update((r.id, q.id) for r, q in zip(rating, mixed, strict=True))
    return Survey(
        id="",
        groups=shown,
        exam=exam,
        matching=matching,
        rating=rating,
        key=key,
        significant=len(enumeration.significant),
        enumeration=fingerprint(enumeration.to_dict()),
        seed=seed,
        settings=settings,
        version=__version__,
        provenance=enumeration.provenance,
    ).identified()


def _shown(number: int, group: NameGroup, names: int) -> ShownGroup:
    first = tuple(dict.fromkeys((*group.illustrative, *group.names)))[:names]
    if not first:
        raise MeasureError(f"the group '{group.label}' has no names, so it cannot be shown.")
    return ShownGroup(f"G{number}", first)


def _exam(
    groups: Sequence[NameGroup], shown: Sequence[ShownGroup], names: int, key: SurveyKey, random: np.random.Generator
) -> tuple[ExamQuestion, ...]:
    """Draw names of every group that are in no other group, those not shown first, and shuffle them all."""
    member_of = Counter(name for group in groups for name in set(group.names))
    asked: list[tuple[str, str]] = []
    for group, seen in zip(groups, shown, strict=True):
        own = [name for name in dict.fromkeys(group.names) if member_of[name] == 1]
        unseen = _shuffled([name for name in own if name not in seen.names], random)
        fallback = _shuffled([name for name in own if name in seen.names], random)
        asked += [(name, seen.id) for name in (unseen + fallback)[:names]]
    asked = _shuffled(asked, random)
    key.exam.update((f"e{i:02}", group) for i, (_, group) in enumerate(asked, 1))
    return tuple(ExamQuestion(f"e{i:02}", name) for i, (name, _) in enumerate(asked, 1))


def _matching(task: str, cells: list[EnumeratedCell], key: SurveyKey, random: np.random.Generator) -> MatchingTask:
    """Shuffle a test's word sets and, separately, its groups, so that no order gives an answer away."""
    mixed = _shuffled(cells, random)
    groups = _shuffled([f"G{cell.group + 1}" for cell in cells], random)
    key.matching.update((f"{task}-{i}", f"G{cell.group + 1}") for i, cell in enumerate(mixed, 1))
    questions = tuple(MatchingQuestion(f"{task}-{i}", cell.words) for i, cell in enumerate(mixed, 1))
    return MatchingTask(task, tuple(groups), questions)


def _shuffled(items: list[Any], random: np.random.Generator) -> list[Any]:
    return [items[i] for i in random.permutation(len(items))]
