"""What a scored crowd survey returns: whether people's stereotypes agree with an embedding's, and how offensive."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, ClassVar

from aslant.results.codec import MeasuredResult
from aslant.results.provenance import Provenance


@dataclass(frozen=True)
class Proportion:
    """`count` of `n`, with an exact (Clopper–Pearson) interval of the share at `confidence`."""

    share: float
    count: int
    n: int
    low: float
    high: float
    confidence: float


@dataclass(frozen=True)
class SurveyedGroup:
    """A name group: its id in the survey, its label in the enumeration, and the names that workers saw."""

    id: str
    label: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class SurveyedAssociation:
    """One significant cell and what qualified workers answered; groups are ids.

    `chosen` counts the `answers` for each of the groups on offer. `plurality` is the group chosen most; a tie for the
    most has none, and is not agreement even if the embedding's `group` is part of it. `agrees` is None without
    an answer, `mean_rating` without a rating, `offensive` without a rating or where people do not agree.
    """

    test: str
    category: str
    group: str
    words: tuple[str, ...]
    chosen: dict[str, int]
    answers: int
    plurality: str | None
    agrees: bool | None
    ratings: int
    mean_rating: float | None
    offensive: bool | None


@dataclass(frozen=True)
class SurveyWorker:
    """One worker's exam, and agreement with the others.

    Over the word sets for which the other qualified workers have a plurality (`compared` of them), `agreement` is the
    share on which this worker chose the same group; None where there is none.
    """

    worker: str
    exam_right: int
    exam_questions: int
    qualified: bool
    answers: int
    ratings: int
    compared: int
    agreement: float | None

    @property
    def exam_score(self) -> float | None:
        """The share of the exam that was right; a question without an answer is wrong; None without an exam."""
        return self.exam_right / self.exam_questions if self.exam_questions else None


@dataclass(frozen=True)
class SurveyResult(MeasuredResult):
    """A crowd's view of an enumeration (Swinger et al. §4.1): only workers who passed the exam count.

    `significant` counts the associations of the whole enumeration, of which the survey covers those of the first tests.
    `accuracy` is the share of answered word sets whose plurality is the embedding's group; beside it `chance`, the
    mean of 1/c, and `mean_groups`, the mean of c, over the same word sets. `single_accuracy` is the share of single
    answers that name the embedding's group. Of the associations whose plurality is the embedding's group, and that were
    rated, `offensive` is the share with a mean rating of `offensive_from` or more (our threshold: the paper does not
    give its own), `mean_rating` the mean of their means; both are None where there is none.
    """

    kind: ClassVar[str] = "survey"

    survey: str
    enumeration: str
    significant: int
    tests: int
    workers_given: int
    workers_qualified: int
    groups: tuple[SurveyedGroup, ...]
    associations: tuple[SurveyedAssociation, ...]
    accuracy: Proportion | None
    single_accuracy: float | None
    chance: float | None
    mean_groups: float | None
    offensive: Proportion | None
    offensive_from: float
    mean_rating: float | None
    workers: tuple[SurveyWorker, ...]
    provenance: Provenance

    @property
    def matched(self) -> tuple[SurveyedAssociation, ...]:
        """The associations whose plurality is the embedding's group: those that are rated."""
        return tuple(a for a in self.associations if a.agrees)

    @property
    def embedding(self) -> str:
        """The name of the embedding that was enumerated."""
        return self.provenance.representation.name

    def table_row(self) -> dict[str, Any]:
        """Return the row of the paper's Table 3: embedding, associations, % accurate, % offensive."""
        return {
            "embedding": self.embedding,
            "significant": self.significant,
            "accurate_percent": 100 * self.accuracy.share if self.accuracy else None,
            "offensive_percent": 100 * self.offensive.share if self.offensive else None,
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per association, in the order of the tests."""
        groups = {group.id: group for group in self.groups}
        rows = []
        for a in self.associations:
            group, chosen = groups[a.group], Counter(a.chosen).most_common()
            row: dict[str, Any] = {"test": a.test, "category": a.category, "group": group.label}
            row |= {"names": ", ".join(group.names), "words": ", ".join(a.words), "groups_on_offer": len(a.chosen)}
            row |= {"chosen": "; ".join(f"{groups[g].label}: {n}" for g, n in chosen if n), "answers": a.answers}
            row |= {"plurality": groups[a.plurality].label if a.plurality else None, "agrees": a.agrees}
            rows.append(row | {"ratings": a.ratings, "mean_rating": a.mean_rating, "offensive": a.offensive})
        return rows
