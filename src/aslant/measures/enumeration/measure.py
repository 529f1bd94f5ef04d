"""Unsupervised bias enumeration: biases that nobody named in advance (Swinger et al. 2019; docs/definitions.md §3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aslant.data import given_path, resolve
from aslant.errors import MeasureError, StimuliError, plural
from aslant.io.journal import Journal
from aslant.io.memory_maps import picked_rows
from aslant.measures.enumeration.chance import with_chance
from aslant.measures.enumeration.result import EnumerationComparison, EnumerationResult, NameGroup, WordCategory
from aslant.measures.enumeration.run import CategorisedWords, EnumerationRun, Grouped, Progress
from aslant.measures.enumeration.settings import EnumerationSettings
from aslant.measures.enumeration.steps import is_cased
from aslant.measures.shared.open_subject import opening
from aslant.measures.shared.settings import keywords
from aslant.measures.shared.wordsets import Found, check_vectors, checked_words, find
from aslant.parallel import one_thread_each
from aslant.results.parts import WordsUsed
from aslant.statistics import seed_of, unit_rows
from aslant.stimuli import NameTable, WordList, bundled_names, named, read_names
from aslant.vectors import LookupPolicy, WordVectors

if TYPE_CHECKING:
    from aslant.auditing.step_context import Results, Work

Names: TypeAlias = str | PathLike[str] | Iterable[str] | None
#: Groups: how many to find among the names, or the groups themselves: a class set, or words by group.
Groups: TypeAlias = int | str | PathLike[str] | Mapping[str, Iterable[str]]


@opening("vectors")
@keywords
def enumerate_biases(
    vectors: WordVectors,
    names: Names = None,
    groups: Groups = 12,
    *,
    settings: EnumerationSettings,
    rng: int | np.random.Generator | None = 0,
    workers: int | None = None,
    journal: str | PathLike[str] | None = None,
    progress: Progress | None = None,
) -> EnumerationResult:
    """Find associations of name groups with words, none of them specified in advance (Swinger et al. 2019).

    `names` (nothing: the bundled first names; a list, a file, a data name, "surnames", or "embedding": those that a
    classifier finds among the capitalised words) are cleaned of the share `left_out` that is least like a name, and
    clustered into `groups`, of which each needs `min_names` on average, and the share `min_found` of the names a
    vector; the most frequent `words` in lower case are clustered into `categories`. Each cell, a
    group and a category, takes the `per_cell` words of the category that lean most to the group. Its p-value comes
    from `rotations` of the names against the words, and the false-discovery rate over all cells is held at `alpha`
    (Benjamini–Hochberg). Groups of your own (a class set, or words by group) skip the first step.

    Names are looked up as written in a cased vocabulary. `drop_names` leaves words that are spelled like a name out
    of the words (None: only in a lower-cased vocabulary). With `voronoi` a word belongs to the group that it is nearest
    to, without it any number of groups (the paper's footnote 2). `demographics_by` "names" or "bearers" says how
    figures about a group's names are averaged.

    `chance` times, random words of the names' frequency are cleaned, grouped and tested in place of the names: the
    number of significant cells measures bias only as far as it is beyond theirs.

    `precision` stops drawing rotations where the verdict is settled, at that risk (such as 0.001) that any verdict
    differs from the full run's. `workers`: threads, by default one for each core; the result does not depend on it.
    `journal` is a folder where finished work is kept, so that a run that was killed resumes where it stopped.

    >>> import aslant
    >>> v = aslant.load()
    >>> own = {"women": ["woman", "she", "her"], "men": ["man", "he", "his"]}
    >>> u = aslant.enumerate_biases(v, groups=own, words=5_000, categories=8, rotations=200)
    >>> [group.label for group in u.groups], len(u.cells), len(u.significant) > 4
    (['women', 'men'], 16, True)
    """
    check_vectors(vectors)
    seed = seed_of(rng)
    kept = Journal(journal) if journal is not None else None
    run = EnumerationRun(vectors, settings.record(), seeds_of(seed), workers, kept, progress)
    if isinstance(groups, int | np.integer) and not isinstance(groups, bool):
        table = embedding_names(vectors) if names == EMBEDDING else name_table(names)
        return run_all(run, run.found_groups(table, groups), seed)
    if names is not None:
        raise MeasureError("both names and groups were given; leave one of them out.")
    return run_all(run, run.own_groups(groups), seed)


def run_all(run: EnumerationRun, grouped: Grouped, seed: int) -> EnumerationResult:
    """Find the word categories, test every cell, and compare with random words: steps 2 to 6."""
    words, settings = run.categorised(grouped)
    return with_chance(run, run.tested(grouped, words, seed, settings), grouped, words)


def seeds_of(seed: int) -> list[int]:
    """Return a seed for each of the five steps that draw at random."""
    return [int(s) for s in np.random.SeedSequence(seed).generate_state(5, np.uint64)]


def enumerated(work: Work) -> Results:
    """Enumerate biases of the first names that ship."""
    kept: dict[str, Any] = {"workers": work.workers, "journal": work.journal, "progress": work.progress}
    return (enumerate_biases(work.subject.opened, rng=work.seed, **kept, **work.settings),)


#: Names are to be taken from the vocabulary itself.
EMBEDDING = "embedding"
#: Where names are looked for: this many of the most frequent tokens.
SEARCHED = 200_000
#: How many parts tell each other's names from other capitalised words; each needs several known names.
PARTS, LEAST_KNOWN = 5, 20


def name_table(names: Names) -> NameTable:
    """Return the names to cluster: None gives the bundled first names, "surnames" those of the US census."""
    if names is None:
        return bundled_names()
    if isinstance(names, str | PathLike):
        path = given_path(names, "names") or (resolve("census-surnames") if str(names) == "surnames" else None)
        if path is None:
            raise StimuliError(
                f"there is no file '{names}' with names, and no data of that name (see aslant data list)."
            )
        return read_names(path)
    if not isinstance(names, Iterable):
        raise MeasureError(f"names={names!r:.60} are not names; give a list, a file, a data name, or nothing.")
    return named("own", checked_words(names))


def embedding_names(vectors: WordVectors) -> NameTable:
    """Return the first names that a cased vocabulary holds, also those that no table has (the paper's footnote 1).

    Candidates are words that are more frequent capitalised than in lower case. A linear classifier of the bundled
    first names among them against the others judges each candidate, trained on the four fifths without it.
    """
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.svm import LinearSVC

    if not is_cased(vectors.words):
        raise MeasureError(
            f"names={EMBEDDING!r} needs capital letters to tell names from words, and '{vectors.name}' is "
            "lower-cased; give names, or nothing for the bundled first names."
        )
    rows, tokens = _capitalised(vectors.words[:SEARCHED])
    bundled = bundled_names()
    known = np.isin(tokens, bundled.names)
    if min(known.sum(), (~known).sum()) < LEAST_KNOWN:
        raise MeasureError(
            f"aslant knows {known.sum()} of {plural(len(known), 'capitalised word')} of '{vectors.name}' as names; "
            f"names={EMBEDDING!r} needs at least {LEAST_KNOWN} of them, and as many others, to learn what a name is."
        )
    unit, folds = unit_rows(picked_rows(vectors.matrix, rows)), StratifiedKFold(PARTS)
    model = LinearSVC(class_weight="balanced", dual=False)  # as many of each kind, in effect
    with one_thread_each():
        like_names = cross_val_predict(model, unit, known, cv=folds, method="decision_function") > 0
    found = tokens[like_names].tolist()
    return named(f"names of the embedding ({SEARCHED:,} words searched)", found, first_names=True)


def _capitalised(words: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.str_]]:
    """Return the rows and tokens of words such as "Ann" that come before "ann", in the order of frequency."""
    first = {token: row for row, token in enumerate(words)}
    rows = [
        row for token, row in first.items()
        if len(token) > 1 and token.isalpha() and token == token.capitalize() != token.lower()
        and first.get(token.lower(), row + 1) > row
    ]  # fmt: skip
    return np.array(rows, dtype=np.int64), np.array([words[row] for row in rows], dtype=str)


#: Words are tokens of the first vocabulary, and sought as such in the second.
AS_WRITTEN = LookupPolicy(case="exact", phrases="exact")


@opening("vectors")
def compare_enumerations(
    before: EnumerationResult,
    vectors: WordVectors,
    *,
    workers: int | None = None,
    journal: str | PathLike[str] | None = None,
    progress: Progress | None = None,
) -> EnumerationComparison:
    """Test what an enumeration found again in `vectors`, the same embedding after debiasing.

    Groups of names, categories of words, settings and seed are those of `before`; which words belong to which group,
    their scores and the rotations are those of `vectors`. A cell whose significance remains is what debiasing left.
    `workers`, `journal` and `progress` are those of `enumerate_biases`.

    >>> import aslant
    >>> v = aslant.load(top=3_000)
    >>> own = {"women": ["woman", "she", "her"], "men": ["man", "he", "his"]}
    >>> u = aslant.enumerate_biases(v, groups=own, categories=8, rotations=200)
    >>> c = aslant.compare_enumerations(u, aslant.hard_debias(v))
    >>> c.count("vanishes") > 0, c.count("remains") + c.count("vanishes") == len(u.significant)
    (True, True)
    """
    if not isinstance(before, EnumerationResult):
        raise MeasureError(f"{before!r:.60} is not the result of an enumeration; make one first.")
    if not all(group.tokens for group in before.groups):
        raise MeasureError("this enumeration was written by an older version, without its tokens; make it again.")
    check_vectors(vectors)
    seed, settings = before.provenance.seed or 0, before.provenance.settings
    run = EnumerationRun(vectors, settings, seeds_of(seed), workers, Journal(journal) if journal else None, progress)
    names = [_found(vectors, group.label, group.tokens) for group in before.groups]
    words = [_found(vectors, category.label, category.words) for category in before.categories]
    tokens = [found.words.tokens for found in words]
    every = tuple(token for some in tokens for token in some)
    categories = tuple(
        WordCategory(category.label, len(some), category.centre_words, some)
        for category, some in zip(before.categories, tokens, strict=True)
    )
    unit = run.unit(np.array([vectors.index[token] for token in every], dtype=np.int64))
    categorised = CategorisedWords(every, unit, np.cumsum([0, *map(len, tokens)]), categories)
    groups = tuple(_kept(group, found.words) for group, found in zip(before.groups, names, strict=True))
    used = tuple(found.words for found in (*names, *words))  # everything missing is recorded
    left_out, source, units = before.left_out_names, before.provenance.stimuli, tuple(found.unit for found in names)
    grouped = Grouped(groups, units, used, source, settings["ordered_by"], left_out=left_out)
    after = run.tested(grouped, categorised, seed, {**settings, "words_used": len(every), "chance": 0})
    return EnumerationComparison(before, after, after.provenance)


def _found(vectors: WordVectors, name: str, tokens: tuple[str, ...]) -> Found:
    found = find(vectors, WordList(name, tokens), policy=AS_WRITTEN)
    if not found.words.used:
        raise MeasureError(
            f"'{vectors.name}' has none of the words of '{name}' ({len(tokens):,}); give the same embedding after "
            "debiasing."
        )
    return found


def _kept(group: NameGroup, used: WordsUsed) -> NameGroup:
    """Return a group without the names missing from the other vocabulary."""
    there = set(used.tokens)
    pairs = [pair for pair in zip(group.names, group.tokens, strict=True) if pair[1] in there]
    names = tuple(name for name, _ in pairs)
    shown = tuple(name for name in group.illustrative if name in names)
    return replace(group, size=len(pairs), names=names, tokens=tuple(token for _, token in pairs), illustrative=shown)
