"""The steps of one enumeration, from names and words to a result (docs/definitions.md §3)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aslant.errors import MeasureError, plural
from aslant.io.journal import Journal
from aslant.io.memory_maps import picked_rows
from aslant.measures.enumeration import steps
from aslant.measures.enumeration.result import EnumerationResult, NameGroup, RotationsUsed, WordCategory
from aslant.measures.enumeration.settings import MOST
from aslant.measures.polarities.measure import class_lists
from aslant.measures.shared.wordsets import FloatArray, find, need_distinct, need_words, provenance
from aslant.results.parts import WordsUsed
from aslant.statistics import (
    RotationCounts,
    RotationPlan,
    RotationProblem,
    benjamini_hochberg,
    check_count,
    count_reached,
)
from aslant.stimuli import NameFacts, NameTable, WordList, bundled_names
from aslant.stimuli.name_files import FIRST_NAMES
from aslant.vectors import LookupPolicy, WordVectors
from aslant.version import __version__

#: Called with the step, how much of it is done, and how much there is.
Progress: TypeAlias = Callable[[str, int, int], None]

#: A user's group with fewer words does not count as names.
LEAST_NAMES = 5
#: Names shown for a group (the survey shows all five), words for a category, and those of them that label it.
ILLUSTRATIVE, CENTRE_WORDS, IN_LABEL = 5, 5, 3


def need_names(where: str, listed: int, found: int, kept: int, groups: int, settings: Mapping[str, Any]) -> None:
    """Refuse to make groups of names where few of those listed were found, or few are kept for each group."""
    share, each = settings["min_found"], settings["min_names"]
    lower = "lower --{} of 'aslant enumerate' ({}= in Python)."
    if found < share * listed:
        raise MeasureError(
            f"'{where}' has {found:,} of {plural(listed, 'name')}, less than the required share of {share:g}; "
            f"give names that it has, or {lower.format('min-found', 'min_found')}"
        )
    if kept < each * groups:
        raise MeasureError(
            f"'{where}' has {kept:,} of {plural(listed, 'name')} that look like names; {groups} groups need "
            f"{each * groups:,}, {each:,} for each: request fewer groups, or {lower.format('min-names', 'min_names')}"
        )


@dataclass(frozen=True, eq=False)
class Grouped:
    """The name groups, the unit vectors of each (names, d), and with `listed` all names that were requested."""

    groups: tuple[NameGroup, ...]
    vectors: tuple[FloatArray, ...]
    used: tuple[WordsUsed, ...]
    source: str
    ordered_by: str
    listed: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def means(self) -> FloatArray:
        """The mean vector of each group, (groups, d)."""
        return np.array([unit.mean(axis=0) for unit in self.vectors])

    @property
    def unit(self) -> NDArray[np.float32]:
        """The unit vectors of all groups, (names, d)."""
        return np.concatenate(self.vectors).astype(np.float32)


@dataclass(frozen=True, eq=False)
class CategorisedWords:
    """The words in order of category, most frequent first within each; categories begin at `starts`."""

    tokens: tuple[str, ...]
    unit: NDArray[np.float32]
    starts: NDArray[np.int64]
    categories: tuple[WordCategory, ...]

    def without(self, left_out: Set[str]) -> CategorisedWords:
        """Return the same without some words; what describes the categories stays."""
        keep = np.array([token not in left_out for token in self.tokens])
        tokens = tuple(token for token in self.tokens if token not in left_out)
        return replace(self, tokens=tokens, unit=self.unit[keep], starts=np.append(0, keep.cumsum())[self.starts])


@dataclass(frozen=True)
class EnumerationRun:
    """One enumeration: what it is made from, and its steps."""

    vectors: WordVectors
    settings: dict[str, Any]
    seeds: list[int]
    workers: int | None
    journal: Journal | None
    progress: Progress | None

    @cached_property
    def cased(self) -> bool:
        """Whether the vocabulary distinguishes capitals from small letters."""
        return steps.is_cased(self.vectors.words)

    @property
    def as_names(self) -> LookupPolicy:
        """How names are looked up: as written in a cased vocabulary, where "Love" is a name and "love" is not."""
        return replace(self.vectors.policy, case="exact") if self.cased else self.vectors.policy

    def own_groups(self, groups: Any) -> Grouped:
        """Take the groups as given: step 1 is skipped."""
        if groups is None or isinstance(groups, bool | float):
            raise MeasureError(
                f"groups={groups!r} are not groups; give a number from 2 up, a class set, or words by group."
            )
        lists, identity = class_lists(groups)
        if len(lists) < 2:
            raise MeasureError(f"only {plural(len(lists), 'group')} given; at least two are needed.")
        # "gay" and "christian" are also rare first names: a group counts as names if it has several, mostly known ones.
        facts = bundled_names().facts
        known = min(sum(word.lower() in facts for word in group.words) / len(group.words) for group in lists)
        facts = facts if known >= FIRST_NAMES and min(len(group.words) for group in lists) >= LEAST_NAMES else {}
        found = [find(self.vectors, group, policy=self.as_names if facts else None) for group in lists]
        for place, group in enumerate(found):
            need_words(group, 1, self.vectors)
            for other in found[:place]:
                need_distinct(other, group)
        groups = tuple(self._group(g.words.name, g.words.used, g.words.tokens, g.unit, facts) for g in found)
        vectors, used = tuple(group.unit for group in found), tuple(group.words for group in found)
        return Grouped(groups, vectors, used, identity, "given", tuple(word for group in lists for word in group.words))

    def _group(
        self, label: str, names: Sequence[str], tokens: Sequence[str], unit: FloatArray, facts: Mapping[str, NameFacts]
    ) -> NameGroup:
        """Describe one group: its illustrative names, and what the tables know about it."""
        shown = tuple(names[row] for row in steps.illustrative(unit, ILLUSTRATIVE))
        known = steps.demographics(names, facts, self.settings["demographics_by"])
        return NameGroup(label, len(names), shown, tuple(names), known, tuple(tokens))

    def found_groups(self, table: NameTable, groups: Any) -> Grouped:
        """Clean and cluster the names (step 1); groups are ordered by share of women where known, else by size."""
        count = check_count("groups", groups, 2, MOST)
        found = find(self.vectors, WordList("names", table.names), policy=self.as_names)
        unit = found.unit.astype(np.float32)
        keep = self._cleaned(unit, table.names)
        need_names(self.vectors.name, len(table.names), len(unit), int(keep.sum()), count, self.settings)
        labels = np.full(len(unit), -1)
        labels[keep] = self._clusters("names", unit[keep], count, self.seeds[2])
        names, tokens = (np.array(words, dtype=object) for words in (found.words.used, found.words.tokens))
        members = [labels == group for group in range(count)]
        made = [self._group("", names[own], tokens[own], found.unit[own], table.facts) for own in members]
        by_women = steps.by_share_female([group.demographics for group in made])
        order = by_women or list(range(count))
        label = "F{}" if by_women else "group {}"  # F as in the paper's tables: first names
        groups = tuple(replace(made[place], label=label.format(n)) for n, place in enumerate(order, 1))
        vectors = tuple(found.unit[members[place]] for place in order)
        ordered_by = "share_female" if by_women else "size"
        return Grouped(groups, vectors, (found.words,), table.id, ordered_by, table.names, tuple(names[~keep]))

    def _cleaned(self, unit: NDArray[np.float32], names: Sequence[str]) -> NDArray[np.bool_]:
        """Tell names from as many other frequent words, and drop those that are least like names."""
        share = self.settings["left_out"]
        if share == 0 or not len(unit):
            return np.ones(len(unit), dtype=bool)
        return steps.keep_by_margin(self.margins(unit, names, dual=True), share)

    def margins(self, unit: NDArray[np.float32], names: Iterable[str], *, dual: bool = False) -> FloatArray:
        """Return how much more each of `unit` is like the others than like frequent words that are not in `names`."""
        written = frozenset(names if self.cased else (name.lower() for name in names))
        frequent = steps.frequent_words(self.vectors.words[: steps.FREQUENT], written, steps.FREQUENT, lower_case=False)
        if not frequent:
            raise MeasureError(
                f"'{self.vectors.name}' has no other words to compare names with; use left_out=0 to keep every name."
            )
        size = min(len(unit), len(frequent))
        drawn = np.random.default_rng(self.seeds[0]).choice(frequent, size, replace=False)
        return steps.margins(unit, self.unit(np.sort(drawn)), self.seeds[1], dual=dual)

    def clustered_means(self, unit: NDArray[np.float32], count: int) -> FloatArray:
        """Cluster unit vectors (names, d) and return the mean of each cluster, (count, d)."""
        labels = self._clusters("names", unit, count, self.seeds[2])
        return np.array([unit[labels == group].mean(axis=0, dtype=np.float64) for group in range(count)])

    def seeded(self, seed: np.random.SeedSequence) -> EnumerationRun:
        """Return the same run with the random numbers of another seed."""
        return replace(self, seeds=[int(state) for state in seed.generate_state(5, np.uint64)])

    def unit(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the vectors of these rows at unit length, (rows, d)."""
        picked = picked_rows(self.vectors.matrix, rows)
        return np.asarray(picked / np.linalg.norm(picked, axis=1, keepdims=True))

    def _clusters(self, step: str, unit: NDArray[np.float32], count: int, seed: int) -> NDArray[np.int64]:
        """Cluster, or recall the clusters from the journal."""
        import sklearn

        digest = hashlib.sha256(np.ascontiguousarray(unit).tobytes())
        made_by = (sklearn.__version__, np.__version__, __version__)
        digest.update(repr((unit.shape, count, seed, steps.STARTS, made_by)).encode())
        key = f"{step}-{digest.hexdigest()[:24]}"
        if kept := self.journal.recall(key) if self.journal else None:
            return kept["labels"]
        labels = steps.cluster(unit, count, seed, self.workers, self.progress_of(f"clustering {step}"))
        if self.journal:
            self.journal.keep(key, {"labels": labels})
        return labels

    def progress_of(self, step: str) -> Callable[[int, int], None] | None:
        """Return what to call with how much of a step is done, and how much there is."""
        return partial(self.progress, step) if self.progress else None

    def words(self, left_out: frozenset[str]) -> CategorisedWords:
        """Cluster the most frequent words, except those left out: step 2."""
        rows = np.array(steps.frequent_words(self.vectors.words, left_out, self.settings["words"]), dtype=np.int64)
        count = self.settings["categories"]
        if len(rows) < count:
            raise MeasureError(
                f"'{self.vectors.name}' has {plural(len(rows), 'usable word')} in lower case "
                f"(words={self.settings['words']:,}); {count} categories need at least as many."
            )
        unit = self.unit(rows)
        labels = self._clusters("words", unit, count, self.seeds[3])
        order = np.argsort(labels, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(labels, minlength=count))])
        tokens, unit = tuple(self.vectors.words[row] for row in rows[order]), unit[order]
        categories = []
        for start, end in pairwise(starts.tolist()):  # each described by the words nearest to its centre
            own = np.asarray(unit[start:end], dtype=np.float64)
            nearest = np.argsort(-(own @ own.mean(axis=0)), kind="stable")[:CENTRE_WORDS]
            centre = tuple(tokens[start + row] for row in nearest)
            categories.append(WordCategory(", ".join(centre[:IN_LABEL]), end - start, centre, tokens[start:end]))
        return CategorisedWords(tokens, unit, starts, tuple(categories))

    def categorised(self, grouped: Grouped) -> tuple[CategorisedWords, dict[str, Any]]:
        """Find the word categories (step 2); return them with the settings that are put on record."""
        asked = self.settings["drop_names"]
        drop_names = not self.cased if asked is None else bool(asked)  # nothing asked: where case does not tell
        left_out = frozenset(token for group in grouped.groups for token in group.tokens)
        if drop_names:
            spelled = (token for words in grouped.used for token in words.tokens)
            left_out = frozenset(word.lower() for word in (*spelled, *grouped.listed))
        words = self.words(left_out)
        settings = {
            "names": grouped.source,
            "groups": len(grouped.groups),
            **self.settings,
            "left_out": self.settings["left_out"] if grouped.ordered_by != "given" else None,
            "drop_names": drop_names,
            "vocabulary": "cased" if self.cased else "lower-cased",
            "ordered_by": grouped.ordered_by,
            "words_used": len(words.tokens),
        }
        return words, settings

    def tested(
        self, grouped: Grouped, words: CategorisedWords, seed: int, settings: dict[str, Any]
    ) -> EnumerationResult:
        """Choose the cells, draw the null, and put the result together: steps 3 to 6."""
        cells, counted, pvalues, qvalues = self._judged(grouped.means, words)
        plan = self._plan
        significant = qvalues <= plan.alpha
        order = np.argsort(-np.where(significant, cells.scores, 0.0).sum(axis=1), kind="stable")
        run, to_test = int(counted.drawn.max(initial=0)), ~np.isnan(cells.scores).all(axis=1)
        work = counted.work / max(1, plan.rotations * int(np.diff(words.starts)[to_test].sum()))
        return EnumerationResult(
            groups=grouped.groups,
            categories=words.categories,
            cells=steps.enumerated_cells(cells, words.tokens, counted, pvalues, qvalues, plan.alpha),
            ordering=tuple(order.tolist()),
            critical_pvalue=float(pvalues[significant].max()) if significant.any() else None,
            indirect_bias=steps.indirect_bias(words.unit, words.tokens, cells, significant),
            left_out_names=grouped.left_out,
            rotations=RotationsUsed(plan.rotations, run, work, plan.risk),
            provenance=provenance(self.vectors, grouped.source, grouped.used, seed, settings),
        )

    @property
    def _plan(self) -> RotationPlan:
        """How the null is drawn."""
        risk = self.settings["precision"] or 0.0
        return RotationPlan(self.settings["rotations"], self.seeds[4], self.settings["alpha"], risk, self.workers)

    def _judged(
        self, means: FloatArray, words: CategorisedWords
    ) -> tuple[steps.Cells, RotationCounts, FloatArray, FloatArray]:
        """Choose the cells and draw the null; p- and q-values are (categories, groups)."""
        per_cell, voronoi, plan = self.settings["per_cell"], self.settings["voronoi"], self._plan
        cells = steps.choose_cells(words.unit, words.starts, means, per_cell, voronoi=voronoi)
        problem = RotationProblem(words.unit, words.starts, means, cells.scores, per_cell, voronoi)
        counted = count_reached(problem, plan, journal=self.journal, progress=self.progress_of("rotations"))
        pvalues = np.where(np.isnan(cells.scores), 1.0, counted.pvalues(plan.rotations))
        return cells, counted, pvalues, benjamini_hochberg(pvalues.ravel()).reshape(pvalues.shape)

    def share_and_scores(self, means: FloatArray, words: CategorisedWords) -> tuple[float, FloatArray]:
        """Return the share of the tested cells that are significant, for group means (groups, d); 0 with no test.

        With it come the scores of the cells, (categories, groups); NaN where a cell has no test.
        """
        cells, _, _, qvalues = self._judged(means, words)
        tested = ~np.isnan(cells.scores)
        share = float((qvalues[tested] <= self.settings["alpha"]).mean()) if tested.any() else 0.0
        return share, cells.scores
