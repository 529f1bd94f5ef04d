"""The steps of one enumeration, from names and words to a result (MEASURES §3)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slant.errors import MeasureError
from slant.journal import Journal
from slant.measures import enumeration_groups as steps
from slant.measures.enumeration_cells import Cells, choose_cells, indirect_bias
from slant.measures.polarity import class_lists
from slant.measures.wordsets import FloatArray, Found, find, need_distinct, need_words, provenance
from slant.paging import picked_rows
from slant.results import EnumeratedCell, EnumerationResult, NameGroup, RotationsUsed, WordCategory, WordsUsed
from slant.statistics import (
    RotationCounts,
    RotationPlan,
    RotationProblem,
    benjamini_hochberg,
    check_count,
    count_reached,
)
from slant.stimuli import NameFacts, NameTable, WordList, bundled_names
from slant.vectors import WordVectors
from slant.version import __version__

#: Called with the step, how much of it is done, and how much there is.
Progress: TypeAlias = Callable[[str, int, int], None]

#: More of anything than this only takes memory.
MOST = 10_000_000
#: Names shown for a group (the survey shows all five), and words for a category.
ILLUSTRATIVE, CENTRE_WORDS = 5, 5
#: A group of one's own with fewer words is not taken for names.
LEAST_NAMES = 5
#: Centre words that label a category.
IN_LABEL = 3


@dataclass(frozen=True, eq=False)
class Grouped:
    """The name groups: words used for each, their unit vectors, and what the tables know of them."""

    labels: tuple[str, ...]
    members: tuple[tuple[str, ...], ...]
    vectors: tuple[FloatArray, ...]
    facts: Mapping[str, NameFacts]
    excluded: frozenset[str]
    left_out: tuple[str, ...]
    used: tuple[WordsUsed, ...]
    source: str
    found: bool

    @property
    def means(self) -> FloatArray:
        """The mean unit vector of each group, shape (groups, d)."""
        return np.array([unit.mean(axis=0) for unit in self.vectors])

    def described(self) -> tuple[NameGroup, ...]:
        """Return the groups as a result shows them."""
        return tuple(
            NameGroup(
                label=label,
                size=len(names),
                illustrative=tuple(names[row] for row in steps.illustrative(unit, ILLUSTRATIVE)),
                names=names,
                demographics=steps.demographics(names, self.facts),
            )
            for label, names, unit in zip(self.labels, self.members, self.vectors, strict=True)
        )


@dataclass(frozen=True, eq=False)
class _Words:
    """The words in order of category, most frequent first within each; categories begin at `starts`."""

    tokens: tuple[str, ...]
    unit: NDArray[np.float32]
    starts: NDArray[np.int64]

    def described(self) -> tuple[WordCategory, ...]:
        found = []
        for start, end in pairwise(self.starts.tolist()):
            nearest = steps.nearest_to_mean(self.unit[start:end], CENTRE_WORDS)
            centre = tuple(self.tokens[start + row] for row in nearest)
            found.append(WordCategory(", ".join(centre[:IN_LABEL]), end - start, centre, self.tokens[start:end]))
        return tuple(found)


@dataclass(frozen=True)
class EnumerationRun:
    """One enumeration: what it is made from, and its steps."""

    vectors: WordVectors
    settings: dict[str, Any]
    seeds: list[int]
    workers: int | None
    journal: Journal | None
    progress: Progress | None

    def own_groups(self, groups: Any) -> Grouped:
        """Take the groups as given: step 1 is skipped."""
        if groups is None or isinstance(groups, bool | float):
            raise MeasureError(
                f"groups={groups!r} are no groups; give a number from 2 up, a class set, or words by group."
            )
        lists, identity = class_lists(groups)
        if len(lists) < 2:
            raise MeasureError(f"{len(lists)} groups were given; at least two are needed.")
        found = [find(self.vectors, group) for group in lists]
        for place, group in enumerate(found):
            need_words(group, 1, self.vectors)
            for other in found[:place]:
                need_distinct(other, group)
        return Grouped(
            labels=tuple(group.words.name for group in found),
            members=tuple(group.words.used for group in found),
            vectors=tuple(group.unit for group in found),
            facts=_facts_of_names(lists),
            excluded=_spellings(found, [word for group in lists for word in group.words]),
            left_out=(),
            used=tuple(group.words for group in found),
            source=identity,
            found=False,
        )

    def found_groups(self, table: NameTable, groups: Any) -> Grouped:
        """Clean the names and cluster them: step 1."""
        count = check_count("groups", groups, 2, MOST)
        found = find(self.vectors, WordList("names", table.names))
        excluded = _spellings([found], table.names)
        unit = found.unit.astype(np.float32)
        keep = self._cleaned(unit, excluded)
        if keep.sum() < count:
            raise MeasureError(
                f"{keep.sum():,} of {len(table.names):,} names are in '{self.vectors.name}' and like names; "
                f"{count} groups need at least as many."
            )
        labels = self._clusters("names", unit[keep], count, self.seeds[2])
        names = np.array(found.words.used, dtype=object)[keep]
        kept = found.unit[keep]
        return Grouped(
            labels=tuple(f"group {number}" for number in range(1, count + 1)),
            members=tuple(tuple(names[labels == group]) for group in range(count)),
            vectors=tuple(kept[labels == group] for group in range(count)),
            facts=table.facts,
            excluded=excluded,
            left_out=tuple(np.array(found.words.used, dtype=object)[~keep]),
            used=(found.words,),
            source=table.id,
            found=True,
        )

    def _cleaned(self, unit: NDArray[np.float32], excluded: frozenset[str]) -> NDArray[np.bool_]:
        """Tell names from as many other frequent words, and drop those that are least like names."""
        share = self.settings["left_out"]
        if share == 0 or not len(unit):
            return np.ones(len(unit), dtype=bool)
        frequent = steps.frequent_words(
            self.vectors.words[: steps.FREQUENT], excluded, steps.FREQUENT, lower_case=False
        )
        if not len(frequent.rows):
            raise MeasureError(
                f"'{self.vectors.name}' has no words but names to tell names from; use left_out=0 to keep every name."
            )
        size = min(len(unit), len(frequent.rows))
        drawn = np.random.default_rng(self.seeds[0]).choice(frequent.rows, size, replace=False)
        return steps.keep_by_margin(steps.margins(unit, self._unit(np.sort(drawn)), self.seeds[1]), share)

    def _unit(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        picked = picked_rows(self.vectors.matrix, rows)
        return np.asarray(picked / np.linalg.norm(picked, axis=1, keepdims=True))

    def _clusters(self, step: str, unit: NDArray[np.float32], count: int, seed: int) -> NDArray[np.int64]:
        """Cluster, or recall what the journal has of it."""
        import sklearn

        digest = hashlib.sha256(np.ascontiguousarray(unit).tobytes())
        made_by = (sklearn.__version__, np.__version__, __version__)
        digest.update(repr((unit.shape, count, seed, steps.STARTS, made_by)).encode())
        key = f"{step}-{digest.hexdigest()[:24]}"
        kept = self.journal.recall(key) if self.journal else None
        if kept is not None and _are_labels(kept.get("labels"), len(unit), count):
            return kept["labels"]
        labels = steps.cluster(unit, count, seed, self.workers, self._progress_of(f"clustering {step}"))
        if self.journal:
            self.journal.keep(key, {"labels": labels})
        return labels

    def _progress_of(self, step: str) -> Callable[[int, int], None] | None:
        if self.progress is None:
            return None
        report = self.progress
        return lambda done, total: report(step, done, total)

    def words(self, excluded: frozenset[str]) -> _Words:
        """Cluster the most frequent words that are no names: step 2."""
        found = steps.frequent_words(self.vectors.words, excluded, self.settings["words"])
        categories = self.settings["categories"]
        if len(found.rows) < categories:
            raise MeasureError(
                f"{len(found.rows):,} words in lower case that are no names can be used of '{self.vectors.name}' "
                f"(words={self.settings['words']:,}); {categories} categories need at least as many."
            )
        unit = self._unit(found.rows)
        labels = self._clusters("words", unit, categories, self.seeds[3])
        order = np.argsort(labels, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(labels, minlength=categories))])
        return _Words(tuple(found.tokens[row] for row in order), unit[order], starts)

    def measure(self, grouped: Grouped, seed: int) -> EnumerationResult:
        """Choose the cells, draw the null, and put the result together: steps 2 to 6."""
        words = self.words(grouped.excluded)
        cells = choose_cells(words.unit, words.starts, grouped.means, self.settings["per_cell"])
        problem = RotationProblem(words.unit, words.starts, grouped.means, cells.scores, self.settings["per_cell"])
        risk = self.settings["precision"] or 0.0
        plan = RotationPlan(self.settings["rotations"], self.seeds[4], self.settings["alpha"], risk, self.workers)
        counted = count_reached(problem, plan, journal=self.journal, progress=self._progress_of("rotations"))
        pvalues = np.where(np.isnan(cells.scores), 1.0, counted.pvalues(plan.rotations))
        qvalues = benjamini_hochberg(pvalues.ravel()).reshape(pvalues.shape)
        significant = qvalues <= plan.alpha
        settings = {
            "names": grouped.source,
            "groups": len(grouped.labels),
            **self.settings,
            "left_out": self.settings["left_out"] if grouped.found else None,
            "words_used": len(words.tokens),
        }
        return EnumerationResult(
            groups=grouped.described(),
            categories=words.described(),
            cells=_cells(cells, words.tokens, counted, pvalues, qvalues, significant),
            ordering=_ordering(cells.scores, significant),
            indirect_bias=indirect_bias(words.unit, cells, significant),
            left_out_names=grouped.left_out,
            rotations=_rotations(counted, plan, words.starts, cells.scores),
            provenance=provenance(self.vectors, grouped.source, grouped.used, seed, settings),
        )


def _facts_of_names(groups: Sequence[WordList]) -> Mapping[str, NameFacts]:
    """Return what the tables know of groups of names; nothing of groups that are not names.

    "gay" and "christian" are also rare first names: a group counts as names if it has several and the tables know
    most of them.
    """
    facts = bundled_names().facts
    known = [sum(word.lower() in facts for word in group.words) / len(group.words) for group in groups]
    return facts if min(known) > 0.5 and min(len(group.words) for group in groups) >= LEAST_NAMES else {}


def _are_labels(kept: NDArray[Any] | None, points: int, count: int) -> bool:
    """Tell whether what a journal holds are the cluster numbers of so many points."""
    if kept is None or kept.shape != (points,) or kept.dtype != np.int64:
        return False
    return np.array_equal(np.unique(kept), np.arange(count))


def _spellings(found: Iterable[Found], asked: Iterable[str]) -> frozenset[str]:
    """Return the names in lower case, as asked for and as the vocabulary has them."""
    tokens = (token for group in found for token in group.words.tokens)
    return frozenset(word.lower() for words in (asked, tokens) for word in words)


def _cells(
    cells: Cells,
    tokens: tuple[str, ...],
    counted: RotationCounts,
    pvalues: FloatArray,
    qvalues: FloatArray,
    significant: NDArray[np.bool_],
) -> tuple[EnumeratedCell, ...]:
    made = []
    for category, group in np.ndindex(cells.scores.shape):
        at = category, group
        tested = not np.isnan(cells.scores[at])
        made.append(
            EnumeratedCell(
                group=group,
                category=category,
                words=tuple(tokens[row] for row in cells.words[at]) if tested else (),
                candidates=int(cells.candidates[at]),
                score=float(cells.scores[at]) if tested else None,
                pvalue=float(pvalues[at]),
                qvalue=float(qvalues[at]),
                significant=bool(significant[at]),
                exceeding=int(counted.reached[at]),
                rotations=int(counted.drawn[category]) if tested else 0,
            )
        )
    return tuple(made)


def _ordering(scores: FloatArray, significant: NDArray[np.bool_]) -> tuple[int, ...]:
    """Return the categories by the total score of their significant cells, largest first."""
    totals = np.where(significant, scores, 0.0).sum(axis=1)
    return tuple(int(category) for category in np.argsort(-totals, kind="stable"))


def _rotations(
    counted: RotationCounts, plan: RotationPlan, starts: NDArray[np.int64], scores: FloatArray
) -> RotationsUsed:
    run = int(counted.drawn.max(initial=0))
    words = int(np.diff(starts)[~np.isnan(scores).all(axis=1)].sum())  # those with anything to test
    return RotationsUsed(plan.rotations, run, counted.work / max(1, plan.rotations * words), plan.risk)
