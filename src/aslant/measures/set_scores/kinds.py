"""The table of scores: what each takes, which way it leans, and which words may be reassigned to test it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from aslant.errors import MeasureError
from aslant.measures.set_scores import result as r
from aslant.measures.set_scores import statistic as s

#: A score needs as many sets as the first number says, and takes no more than the second.
Sets = tuple[int, int]
MANY = 100
#: RNSB fits a classifier for each draw, so that it is drawn less often.
FEWER = 500


@dataclass(frozen=True)
class Score:
    """One score of word sets; its `made` is the class of its results, whose kind is its name.

    `extreme` says what counts as more bias: "both" ends of a signed score, "high" or "low" values. `dealt` are the
    words that the score's own test reassigns: "targets", "means" (targets, for a difference of their means, whose
    p-value is exact), "attributes", the two words of "pairs", or "" where no words could change places. `about` are the
    words whose parts in the score are told. `cosines`: vectors are taken at unit length. No more than `most` draws are
    made.
    """

    made: type[r.WordSetScore]
    short: str
    statistic: Callable[[s.Batch], s.Scores]
    targets: Sets
    attributes: Sets
    extreme: Literal["both", "high", "low"]
    dealt: Literal["targets", "means", "attributes", "pairs", ""]
    about: Literal["targets", "attributes"]
    cosines: bool = False
    most: int = 10**9

    @property
    def name(self) -> str:
        """The kind of its results, which is also the name of its command."""
        return self.made.kind


TWO, ONE_OR_TWO, SOME = (2, 2), (1, 2), (1, MANY)
SCORES: dict[str, Score] = {
    score.name: score
    for score in (
        Score(r.RelativeNormResult, "RND", s.relative_norm, TWO, ONE_OR_TWO, "both", "targets", "attributes"),
        Score(r.RipaResult, "RIPA", s.ripa, TWO, ONE_OR_TWO, "both", "pairs", "attributes"),
        Score(r.MacResult, "MAC", s.mac, SOME, SOME, "low", "", "targets", cosines=True),
        Score(r.EctResult, "ECT", s.ect, TWO, ONE_OR_TWO, "low", "targets", "attributes"),
        Score(r.RnsbResult, "RNSB", s.rnsb, SOME, TWO, "high", "attributes", "targets", most=FEWER),
        Score(r.SameResult, "SAME", s.same, SOME, TWO, "high", "attributes", "targets", cosines=True),
        Score(r.MlEatResult, "ML-EAT", s.ml_eat, TWO, TWO, "both", "means", "targets", cosines=True),
    )
}


def chosen_scores(names: Any) -> list[Score]:
    """Return the scores that are named, or all; refuse a name that none has.

    >>> [score.short for score in chosen_scores(["ect", "mac"])]
    ['ECT', 'MAC']
    """
    if names is None:
        return list(SCORES.values())
    asked = list(dict.fromkeys(names)) if isinstance(names, list | tuple) else [names]
    if not asked or (unknown := [name for name in asked if name not in SCORES]):
        said = f"{unknown[0]!r:.60} does not name a score" if asked else "no score was given"
        raise MeasureError(f"{said}; choose from {', '.join(SCORES)}.")
    return [SCORES[name] for name in asked]
