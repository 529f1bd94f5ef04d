"""What unsupervised bias enumeration returns: name groups, word categories, and a test for every pair of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from slant.results.codec import MeasuredResult
from slant.results.provenance import Provenance

#: The first line of everything that people read of an enumeration.
CONTENT_NOTE = (
    "Note: the associations below were found in the vectors, not chosen by anyone; "
    "they may repeat offensive stereotypes or contain slurs."
)


@dataclass(frozen=True)
class Demographics:
    """What name tables say of a group, looked up afterwards; each name counts alike.

    `names` of the group are in the table of first names, `names_with_race` of them with shares by race. The
    computation never sees these figures.
    """

    names: int
    share_female: float | None
    mean_birth_year: float | None
    names_with_race: int
    share_by_race: dict[str, float] | None


@dataclass(frozen=True)
class NameGroup:
    """One group of names: found by clustering, or given. `illustrative` come nearest to the group's mean."""

    label: str
    size: int
    illustrative: tuple[str, ...]
    names: tuple[str, ...]
    demographics: Demographics | None


@dataclass(frozen=True)
class WordCategory:
    """One cluster of words, most frequent first; `centre_words` are the nearest to its centre, and label it."""

    label: str
    size: int
    centre_words: tuple[str, ...]
    words: tuple[str, ...]


@dataclass(frozen=True)
class EnumeratedCell:
    """The association of one group with one category (indices into `groups` and `categories`).

    `words` are the cell's strongest, out of `candidates` words of the category that fall to this group. With fewer
    candidates than words per cell there is no test: no words, `score` None, p = 1. `exceeding` of the `rotations`
    that were drawn for this cell reached its score. Where drawing stopped early, `pvalue` and `qvalue` are estimates
    from these; only the verdict is that of the full run.
    """

    group: int
    category: int
    words: tuple[str, ...]
    candidates: int
    score: float | None
    pvalue: float
    qvalue: float
    significant: bool
    exceeding: int
    rotations: int

    @property
    def tested(self) -> bool:
        """Whether the cell had words enough for a test."""
        return self.score is not None


@dataclass(frozen=True)
class IndirectBias:
    """Potential indirect bias (Swinger et al., eq. 1): how often two categories part two groups the same way.

    Over all `tuples` of two groups and two categories with four significant cells, `aligned` have
    (Ā_ij − Ā_i'j)·(Ā_ij' − Ā_i'j') > 0; `share` is None where there is no such tuple.
    """

    tuples: int
    aligned: int

    @property
    def share(self) -> float | None:
        """The aligned share of the tuples."""
        return self.aligned / self.tuples if self.tuples else None


@dataclass(frozen=True)
class RotationsUsed:
    """How much of the null distribution was drawn: `work` is the share of rotations × words really computed.

    Words of categories in which no cell has a test are never drawn, and count for nothing.

    `risk` is the probability, at most, that early stopping changed any verdict; 0 without it.
    """

    asked: int
    run: int
    work: float
    risk: float


@dataclass(frozen=True)
class EnumerationResult(MeasuredResult):
    """Biases found without naming any in advance (Swinger et al. 2019): one cell for each group and category.

    `cells` go group by group within each category; `ordering` lists the categories by the total score of their
    significant cells, largest first. `left_out_names` were too unlike the other names to be clustered.
    """

    kind: ClassVar[str] = "enumeration"

    groups: tuple[NameGroup, ...]
    categories: tuple[WordCategory, ...]
    cells: tuple[EnumeratedCell, ...]
    ordering: tuple[int, ...]
    indirect_bias: IndirectBias
    left_out_names: tuple[str, ...]
    rotations: RotationsUsed
    provenance: Provenance

    def __post_init__(self) -> None:
        groups, categories = range(len(self.groups)), range(len(self.categories))
        if not all(cell.group in groups and cell.category in categories for cell in self.cells):
            raise ValueError("a cell is of a group or category that is not there")
        if not all(category in categories for category in self.ordering):
            raise ValueError("the ordering has a category that is not there")

    @property
    def own_groups(self) -> bool:
        """Whether the groups were given, rather than found among names."""
        return self.provenance.settings["left_out"] is None

    @property
    def significant(self) -> tuple[EnumeratedCell, ...]:
        """The cells that are significant at the false-discovery rate asked for, strongest category first."""
        return tuple(cell for category in self.ordering for cell in self.of_category(category) if cell.significant)

    def of_category(self, category: int) -> tuple[EnumeratedCell, ...]:
        """Return the cells of one category, one per group."""
        n = len(self.groups)
        return self.cells[category * n : (category + 1) * n]

    @property
    def not_tested(self) -> tuple[EnumeratedCell, ...]:
        """The cells with too few words for a test."""
        return tuple(cell for cell in self.cells if not cell.tested)

    @property
    def words_per_cell(self) -> int:
        """How many words were asked for in each cell."""
        return int(self.provenance.settings["per_cell"])

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per cell, in the order of the tests."""
        return [self._row(rank, cell) for rank, c in enumerate(self.ordering, 1) for cell in self.of_category(c)]

    def _row(self, rank: int, cell: EnumeratedCell) -> dict[str, Any]:
        group, category = self.groups[cell.group], self.categories[cell.category]
        return {
            "rank": rank,
            "category": category.label,
            "centre_words": ", ".join(category.centre_words),
            "group": group.label,
            "illustrative_names": ", ".join(group.illustrative),
            "words": ", ".join(cell.words),
            "score": cell.score,
            "pvalue": cell.pvalue,
            "qvalue": cell.qvalue,
            "significant": cell.significant,
            "candidates": cell.candidates,
            "exceeding": cell.exceeding,
            "rotations": cell.rotations,
        }
