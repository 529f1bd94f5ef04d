"""Two embeddings side by side on the vocabulary they share: WEAT and polarity, with paired intervals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike

import numpy as np

from aslant.errors import MeasureError
from aslant.measures.association.chance import weat_chance
from aslant.measures.association.measure import bootstrap_effects, finite_interval
from aslant.measures.polarities.measure import POLARITIES, Classes, Words, compare_polarity, word_list
from aslant.measures.polarities.result import Difference, PolarityComparison
from aslant.measures.polarities.settings import Scheme
from aslant.measures.shared.open_subject import opening
from aslant.measures.shared.settings import ComparisonSettings, keywords
from aslant.measures.shared.statistic import effect_size, target_scores
from aslant.measures.shared.suite import weat_sets
from aslant.measures.shared.wordsets import check_vectors, find, provenance
from aslant.measures.side_by_side.result import ComparisonResult, WeatDifference
from aslant.results.provenance import Representation
from aslant.statistics import generator, seed_of
from aslant.stimuli import WeatSet, WordList
from aslant.vectors import WordVectors


@opening("first", "second")
@keywords
def compare(
    first: WordVectors,
    second: WordVectors,
    *,
    words: Words = "bold-professions",
    classes: Classes | None = None,
    scheme: Scheme = "binary",
    tests: Iterable[str | PathLike[str] | WeatSet] | None = None,
    settings: ComparisonSettings,
    rng: int | np.random.Generator | None = 0,
) -> ComparisonResult:
    """Compare two embeddings by every WEAT that ships and by polarity, using only words that both have.

    The interval of a WEAT difference comes from drawing the same words in both embeddings. Polarity is compared in
    the settings of `POLARITIES`, or for `classes` by `scheme`. With `tests` only these WEATs are compared, and polarity
    only for `classes`. `chance` random word sets of the same frequency give
    each value in standard deviations of chance, too: embeddings of other dimensions differ in what chance gives. With
    `unit`, polarity takes the vectors of class words at unit length.

    >>> import aslant
    >>> c = aslant.compare(aslant.load(), aslant.load(top=30_000), bootstrap=100)
    >>> [round(w.difference.difference, 6) for w in c.weat if w.test == "weat-7"]
    [0.0]
    """
    check_vectors(first)
    check_vectors(second)
    seed = seed_of(rng)
    compared: list[WeatDifference] = []
    polarities: list[PolarityComparison] = []
    not_compared: dict[str, str] = {}
    for test in weat_sets(tests, "a list of it"):
        shared = [set(v.lookup(test.words).found) for v in (first, second)]
        in_both = [tuple(w for w in g.words if w in shared[0] & shared[1]) for g in test.groups]
        if any(len(w) < max(2, settings.min_found * len(g.words)) for w, g in zip(in_both, test.groups, strict=True)):
            not_compared[test.id] = "fewer than half the words of a set are in both embeddings"
        else:
            compared.append(_weat_difference(test, in_both, first, second, settings, seed))
    for group, how in _settings_of(classes, scheme, only_tests=tests is not None):
        resampled = {name: value for name, value in vars(settings).items() if name != "min_found"}
        try:
            polarities.append(compare_polarity((first, second), group, words, scheme=how, rng=seed, **resampled))
        except MeasureError as error:
            not_compared[f"polarity {how}, {group}"] = str(error)
    lists = [test.left_out for test in compared] + [comparison.missing for comparison in polarities]
    kept = {**settings.record(), "words": word_list(words)[1]}
    return ComparisonResult(
        first=first.name,
        second=second.name,
        representations=(Representation(**first.record()), Representation(**second.record())),
        weat=tuple(compared),
        not_compared=not_compared,
        polarity=tuple(polarities),
        provenance=provenance(first, "weat polarity", sum(lists, ()), seed, kept),
    )


def _settings_of(
    classes: Classes | None, scheme: Scheme, *, only_tests: bool
) -> Sequence[tuple[Classes, Scheme]]:  # fmt: skip
    """Return the classes and schemes by which polarity is compared."""
    if classes is not None:
        return ((classes, scheme),)
    return () if only_tests else POLARITIES


def _weat_difference(
    test: WeatSet, words: Sequence[tuple[str, ...]], first: WordVectors, second: WordVectors, how: ComparisonSettings,
    seed: int,
) -> WeatDifference:  # fmt: skip
    effects, draws, chances = [], [], []
    for vectors in (first, second):
        found = [find(vectors, WordList(g.name, own)) for g, own in zip(test.groups, words, strict=True)]
        units = [group.unit for group in found]
        effects.append(effect_size(*target_scores(*units)))
        chances.append(weat_chance(vectors, found, effects[-1], how.chance, generator(seed)))
        draws.append(bootstrap_effects(units, how.bootstrap, generator(seed)))  # one seed: the same words are drawn
    interval, count = finite_interval(draws[1] - draws[0], how.confidence), sum(map(len, words))
    difference = Difference(first.name, second.name, effects[1] - effects[0], interval, None, count)
    left_out = tuple(word for word in test.words if not any(word in own for own in words))
    return WeatDifference(
        test.id, test.title, effects[0], effects[1], difference, count, left_out, (chances[0], chances[1])
    )
