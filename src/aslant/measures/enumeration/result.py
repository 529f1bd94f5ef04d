"""What unsupervised bias enumeration returns: name groups, word categories, and a test for every pair of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

from aslant.results.codec import CONTENT_NOTE as CONTENT_NOTE
from aslant.results.codec import MeasuredResult
from aslant.results.parts import Spread
from aslant.results.provenance import Provenance
from aslant.statistics.chance import Chance

#: How the figures of a group's names are averaged.
Weights: TypeAlias = Literal["names", "bearers"]


@dataclass(frozen=True)
class Demographics:
    """What name tables say about a group, looked up afterwards.

    `names` of the group are in the tables, `names_with_race` of them with shares by race. Figures are means over
    these names: each name counts equally (`weighted_by` "names"), or by how many people bear it ("bearers"). The
    computation never sees them.
    """

    names: int
    share_female: float | None
    mean_birth_year: float | None
    names_with_race: int
    share_by_race: dict[str, float] | None
    weighted_by: Weights = "names"


@dataclass(frozen=True)
class NameGroup:
    """One group of names: found by clustering, or given. `illustrative` come nearest to the group's mean.

    `tokens[i]` is the entry of the vocabulary that stands for `names[i]`: in a lower-cased one "mary" for "Mary".
    """

    label: str
    size: int
    illustrative: tuple[str, ...]
    names: tuple[str, ...]
    demographics: Demographics | None
    tokens: tuple[str, ...] = ()


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

    `words` are the cell's strongest, out of `candidates` words of the category that belong to this group. With fewer
    candidates than words per cell there is no test: no words, `score` None, p = 1. `exceeding` of the `rotations`
    that were drawn for this cell reached its score. Where drawing stopped early, `pvalue` and `qvalue` are estimates
    from these; only the verdict is that of the full run. `chance_pvalue` is the share of random groups (of words of the
    names' frequency) whose score in this category is as large, where any were drawn.
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
    chance_pvalue: float | None = None

    @property
    def tested(self) -> bool:
        """Whether the cell had enough words for a test."""
        return self.score is not None


@dataclass(frozen=True)
class PotentialProxy:
    """Two groups and two categories whose words divide the groups in the same way (Swinger et al., eq. 1).

    `words[0]` are those of the first category for `groups[0]` and for `groups[1]`, `words[1]` those of the second;
    `value` is (Ā_ij − Ā_i'j)·(Ā_ij' − Ā_i'j'). Where it is positive, the embedding matches the one pair of word sets
    to the other as the names do, without any name.
    """

    groups: tuple[int, int]
    categories: tuple[int, int]
    words: tuple[tuple[tuple[str, ...], tuple[str, ...]], tuple[tuple[str, ...], tuple[str, ...]]]
    value: float


@dataclass(frozen=True)
class IndirectBias:
    """Potential indirect bias (Swinger et al., eq. 1): how often two categories divide two groups the same way.

    Over all `tuples` of two groups and two categories with four significant cells, `aligned` have
    (Ā_ij − Ā_i'j)·(Ā_ij' − Ā_i'j') > 0; `share` is None where there is no such tuple. `strongest` lists the
    aligned ones, the largest value first (10,000 at most; the paper's embeddings have up to 2,713).
    """

    tuples: int
    aligned: int
    strongest: tuple[PotentialProxy, ...] = ()

    @property
    def share(self) -> float | None:
        """The aligned share of the tuples."""
        return self.aligned / self.tuples if self.tuples else None


@dataclass(frozen=True)
class RotationsUsed:
    """How much of the null distribution was drawn: `work` is the share of rotations × words actually computed.

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
    significant cells, largest first. `critical_pvalue` is the largest p-value that Benjamini and Hochberg's procedure
    still accepts, None where nothing is significant. `left_out_names` were too unlike the other names to be clustered.

    `chance` has the shares of significant cells that random words give in place of the names, with `chance_rotations`
    each; `chance_share` is that of the names with as many. `spread` is how far it differs between clusterings of them.
    """

    kind: ClassVar[str] = "enumeration"
    names_missing: ClassVar[bool] = False

    groups: tuple[NameGroup, ...]
    categories: tuple[WordCategory, ...]
    cells: tuple[EnumeratedCell, ...]
    ordering: tuple[int, ...]
    indirect_bias: IndirectBias
    left_out_names: tuple[str, ...]
    rotations: RotationsUsed
    provenance: Provenance
    critical_pvalue: float | None = None
    chance: Chance | None = None
    chance_share: float | None = None
    chance_rotations: int | None = None
    spread: Spread | None = None

    def __post_init__(self) -> None:
        groups, categories = range(len(self.groups)), range(len(self.categories))
        if not all(cell.group in groups and cell.category in categories for cell in self.cells):
            raise ValueError("a cell belongs to a group or category that does not exist")
        if not all(category in categories for category in self.ordering):
            raise ValueError("the ordering has a category that does not exist")
        for proxy in self.indirect_bias.strongest:
            if not all(g in groups for g in proxy.groups) or not all(c in categories for c in proxy.categories):
                raise ValueError("a proxy belongs to a group or category that does not exist")
        if not all(len(group.tokens) in (0, len(group.names)) for group in self.groups):  # files before 0.2 have none
            raise ValueError("a group does not have one token for each name")

    @property
    def own_groups(self) -> bool:
        """Whether the groups were given, rather than found among names."""
        return self.provenance.settings["left_out"] is None

    @property
    def significant(self) -> tuple[EnumeratedCell, ...]:
        """The cells that are significant at the chosen false-discovery rate, strongest category first."""
        return tuple(cell for category in self.ordering for cell in self.of_category(category) if cell.significant)

    def of_category(self, category: int) -> tuple[EnumeratedCell, ...]:
        """Return the cells of one category, one per group."""
        n = len(self.groups)
        return self.cells[category * n : (category + 1) * n]

    @property
    def share(self) -> float | None:
        """The share of the tested cells that are significant; None where no cell had a test."""
        tested = len(self.cells) - len(self.not_tested)
        return len(self.significant) / tested if tested else None

    @property
    def not_tested(self) -> tuple[EnumeratedCell, ...]:
        """The cells with too few words for a test."""
        return tuple(cell for cell in self.cells if not cell.tested)

    @property
    def words_per_cell(self) -> int:
        """How many words were requested for each cell."""
        return int(self.provenance.settings["per_cell"])

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per cell, in the order of the tests."""
        figures = ("score", "pvalue", "qvalue", "significant", "candidates", "exceeding", "rotations", "chance_pvalue")
        rows = []
        for rank, category in enumerate(self.ordering, 1):
            words = self.categories[category]
            said = {"rank": rank, "category": words.label, "centre_words": ", ".join(words.centre_words)}
            for cell in self.of_category(category):
                group = self.groups[cell.group]
                named = {"group": group.label, "illustrative_names": ", ".join(group.illustrative)}
                rows.append(
                    {**said, **named, "words": ", ".join(cell.words)} | {name: getattr(cell, name) for name in figures}
                )
        return rows


Change: TypeAlias = Literal["remains", "vanishes", "new"]


@dataclass(frozen=True)
class EnumerationComparison(MeasuredResult):
    """An enumeration before and after debiasing: the same groups and categories, words chosen and tested in each space.

    `after` has its own null distribution, in the debiased space; its cells are in the order of those of `before`.
    """

    kind: ClassVar[str] = "enumeration-comparison"

    before: EnumerationResult
    after: EnumerationResult
    provenance: Provenance

    def __post_init__(self) -> None:
        first, second = ([(c.group, c.category) for c in result.cells] for result in (self.before, self.after))
        if first != second:
            raise ValueError("the two enumerations are not of the same groups and categories")

    def changes(self) -> list[tuple[Change, EnumeratedCell, EnumeratedCell]]:
        """Return what happened to every cell that is significant in one space or both, in the order of the tests."""
        pairs = [
            pair
            for j in self.before.ordering
            for pair in zip(self.before.of_category(j), self.after.of_category(j), strict=True)
        ]
        return [
            ("new" if not a.significant else "remains" if b.significant else "vanishes", a, b)
            for a, b in pairs
            if a.significant or b.significant
        ]

    def count(self, change: Change) -> int:
        """Count the cells that are significant in both ("remains"), only before ("vanishes") or only after ("new")."""
        return sum(met == change for met, _, _ in self.changes())

    def rows(self) -> list[dict[str, Any]]:
        """Return one table row per cell that is significant in one space or both."""
        rows = []
        for change, a, b in self.changes():
            category, group = self.before.categories[a.category].label, self.before.groups[a.group].label
            words = {"words_before": ", ".join(a.words), "words_after": ", ".join(b.words)}
            figures = {
                f"{name}_{when}": getattr(c, name)
                for name in ("score", "qvalue")
                for when, c in (("before", a), ("after", b))
            }
            rows.append({"category": category, "group": group, "change": change, **words, **figures})
        return rows
