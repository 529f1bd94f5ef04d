"""The plan of a crowd survey: what workers are shown, and separately the key that their answers are checked against."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import msgspec

from aslant.errors import AslantError
from aslant.results.provenance import Provenance

#: Ratings of offensiveness go from 1 to this.
MOST_OFFENSIVE = 7
RATING_ENDS = ("politically correct, inoffensive, or just random", "politically incorrect, possibly very offensive")
#: A worker qualifies with more than this share of the exam right.
PASS_ABOVE = 0.5
#: How many people Swinger et al. (§4.1) asked: at least this many matched each test, and between these many rated.
MATCHERS, RATERS = 18, (13, 15)
#: The share of workers who passed the paper's exam.
PASSED_IN_PAPER = 0.37


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
    """Return twelve characters that identify plain data; the order of keys does not matter.

    >>> fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})
    True
    """
    text = json.dumps(content, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:12]
