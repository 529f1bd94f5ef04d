"""The direction of a concept such as gender, and direct and indirect bias along it (docs/definitions.md §5)."""

from __future__ import annotations

import numbers
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from aslant.errors import MeasureError, plural
from aslant.measures.geometry.chance import direct_bias_chance, indirect_bias_chances, subspace_chance
from aslant.measures.geometry.result import (
    DirectBiasResult,
    IndirectBiasResult,
    IndirectWord,
    SubspaceResult,
    WordProjection,
)
from aslant.measures.polarities.measure import Words, word_list
from aslant.measures.shared.chance import lean_by_frequency
from aslant.measures.shared.directions import DEFAULT_PAIRS, Direction, Pairs, find_direction, find_sets
from aslant.measures.shared.open_subject import opening
from aslant.measures.shared.statistic import correlation, spread
from aslant.measures.shared.wordsets import (
    FloatArray,
    check_vectors,
    checked_words,
    find,
    need_distinct,
    need_words,
    provenance,
)
from aslant.statistics import (
    check_count,
    contrasts,
    explained_ratios,
    generator,
    known_qvalues,
    seed_of,
    subspace,
    unit_rows,
)
from aslant.stimuli import WordList, WordSet, load_set
from aslant.vectors import WordVectors

DEFAULT_WORDS = "professions"
SPECIFIC_WORDS = "gender-specific-words"
#: Projections that differ by less than this (of cosines in single precision) do not differ.
NO_SPREAD = 1e-6


def projections(words: NDArray[np.floating], direction: FloatArray) -> FloatArray:
    """Return the cosine of each word with a direction; shape (words,), from (words, d) and (d,)."""
    return np.asarray(unit_rows(words) @ unit_rows(direction))


def direct_bias_value(cosines: FloatArray, strictness: float) -> float:
    """Return the mean of |cos|^c over words (Bolukbasi et al. §5.2)."""
    return float(np.mean(np.abs(cosines) ** strictness))


@opening("vectors")
def direct_bias(
    vectors: WordVectors,
    words: Words = DEFAULT_WORDS,
    *,
    direction: Direction = DEFAULT_PAIRS,
    strictness: float = 1.0,
    keep_specific: bool = True,
    specific: Words = SPECIFIC_WORDS,
    chance: int = 2_000,
    rng: int | np.random.Generator | None = 0,
) -> DirectBiasResult:
    """Measure the direct bias of `words`: the mean of |cos(w, g)| to the power of `strictness`.

    `direction` g is a pair set or pairs (their first component, see `gender_subspace`), or the numbers themselves.
    `keep_specific=False` leaves out the words that `specific` lists, which are gendered by definition; the published
    0.08 for GoogleNews keeps them. Ratings that a word set carries are correlated with the projections. `chance` random
    pairs of the same frequency, in place of those that the direction comes from, say what these pairs add.

    >>> import aslant
    >>> r = aslant.direct_bias(aslant.load())
    >>> r.poles, [word.word for word in r.extremes(2)[0]]
    (('female', 'male'), ['ballerina', 'homemaker'])
    >>> round(r.value, 2), r.chance.low < r.value < r.chance.high  # what random pairs give
    (0.15, True)
    """
    check_vectors(vectors)
    if isinstance(strictness, bool) or not isinstance(strictness, numbers.Real) or not 0 < strictness <= 100:
        raise MeasureError(f"strictness is {strictness!r}; give a number above 0, such as 1.")
    listed, words_id = word_list(words)
    by_definition, source = word_list(specific)
    gone = set() if keep_specific else {_spelled(word) for word in by_definition}
    removed = tuple(word for word in listed if _spelled(word) in gone)
    found = find(vectors, WordList("words", tuple(word for word in listed if _spelled(word) not in gone)))
    if not found.words.used:
        raise MeasureError(f"'{vectors.name}' has none of the words ({len(listed)}), so nothing can be measured.")
    chosen = find_direction(vectors, direction)
    cosines = projections(found.raw, chosen.vector)
    columns: dict[str, dict[str, float]] = {}  # the numbers that the word set carries, by name and word
    if isinstance(words, str | PathLike):
        carried = load_set(words, WordSet)
        columns = {name: carried.column(name) for name in carried.columns[1:]}
    varied = columns if np.ptp(cosines) >= NO_SPREAD else {}
    rated = [correlation(name, cosines, [column[w] for w in found.words.used]) for name, column in varied.items()]
    settings = {"strictness": strictness, "direction": chosen.id, "keep_specific": keep_specific, "specific": source}
    value, seed = direct_bias_value(cosines, strictness), seed_of(rng)
    check_count("chance", chance, 0, 100_000)
    apart = [find(vectors, WordList("specific", by_definition)).words]
    correlated = [one for one in rated if one is not None]
    numbers_of = [np.array([columns[one.figure][w] for w in found.words.used]) for one in correlated]
    by_chance = direct_bias_chance(
        vectors, found, chosen.found, apart, strictness, cosines, numbers_of, chance, generator(seed)
    )
    beside, shares, others = by_chance or (None, np.full(len(cosines), None), [])
    return DirectBiasResult(
        value=value,
        strictness=float(strictness),
        poles=chosen.poles,
        by_word=tuple(
            WordProjection(word, cosine, tuple(column[word] for column in columns.values()), p, q)
            for word, cosine, p, q in zip(
                found.words.used, cosines.tolist(), shares.tolist(), known_qvalues(shares.tolist()), strict=True
            )
        ),
        ratings=tuple(columns),
        correlations=tuple(correlated),
        specific="kept" if keep_specific else "removed",
        removed=removed,
        provenance=provenance(vectors, words_id, (found.words, *chosen.found), seed, {**settings, "chance": chance}),
        chance=beside,
        frequency=lean_by_frequency(vectors, cosines, found.words),
        correlation_chances=tuple(others),
    )


def _spelled(word: str) -> str:
    return word.lower().replace(" ", "_")


#: A similarity closer to 0 than this has no share.
NO_SIMILARITY = 1e-9


def beta(word: FloatArray, others: FloatArray, direction: FloatArray) -> FloatArray:
    """Return β(w, v) = (w·v − cos(w⊥, v⊥)) / w·v for each v; shape (others,), from (d,), (others, d) and (d,).

    ⊥ removes the part along the direction; all vectors are at unit length first. NaN marks w·v = 0.
    """
    w, vs, g = unit_rows(word), unit_rows(others), unit_rows(direction)
    similarity = vs @ w
    apart = unit_rows(vs - np.outer(vs @ g, g)) @ unit_rows(w - (w @ g) * g)
    safe = np.where(np.abs(similarity) > NO_SIMILARITY, similarity, np.nan)
    return np.asarray((similarity - apart) / safe)


@opening("vectors")
def indirect_bias(
    vectors: WordVectors,
    word: str,
    other: str,
    *,
    direction: Direction = DEFAULT_PAIRS,
    words: Words = DEFAULT_WORDS,
    chance: int = 2_000,
    rng: int | np.random.Generator | None = 0,
) -> IndirectBiasResult:
    """Measure the indirect bias of `word` and `other`, and of `words` ranked between them.

    `value` is β(word, other). `by_word` orders `words` by their cosine with word − other, as Figure 3 of the paper
    does between softball and football, each with its β to the nearer end: 0.67 means that two thirds of the
    similarity come from the direction. `chance` random pairs of the same frequency, in place of those that the
    direction comes from, say how much of a similarity any direction explains.

    >>> import aslant
    >>> r = aslant.indirect_bias(aslant.load(), "softball", "football")
    >>> r.by_word[0].end, r.by_word[-1].end
    ('softball', 'football')
    """
    ends = [find(vectors, WordList(name, checked_words([name]))) for name in (word, other)]
    for end in ends:
        need_words(end, 1, vectors)
    need_distinct(*ends)
    if ends[0].words.tokens == ends[1].words.tokens:
        raise MeasureError(f"'{word}' and '{other}' have the same vector in '{vectors.name}'; choose two others.")
    chosen, (listed, words_id) = find_direction(vectors, direction), word_list(words)
    at = {end.words.tokens[0] for end in ends}
    found = find(vectors, WordList("words", listed))
    rows = [row for row, token in enumerate(found.words.tokens) if token not in at]
    if not rows:
        raise MeasureError(f"'{vectors.name}' has none of the words ({len(listed)}), so nothing can be ranked.")
    first, second = (end.unit[0] for end in ends)
    value = float(beta(first, second[None], chosen.vector)[0])
    if np.isnan(value):
        raise MeasureError(f"'{word}' and '{other}' have a similarity of 0, so no share of it can be computed.")
    cosines = projections(found.unit[rows], first - second)
    nearer = (cosines < 0).astype(int)
    both = np.array([beta(end, found.unit[rows], chosen.vector) for end in (first, second)])
    betas, seed = both[nearer, np.arange(len(rows))], seed_of(rng)
    check_count("chance", chance, 0, 100_000)
    by_chance = indirect_bias_chances(
        vectors, np.vstack([first, np.array([first, second])[nearer]]), np.vstack([second, found.unit[rows]]),
        np.append(value, betas), chosen.found, [*(end.words for end in ends), found.words], chance, generator(seed),
    )  # fmt: skip
    ranked = []
    for i in np.argsort(-cosines, kind="stable").tolist():
        value_of, given = None if np.isnan(betas[i]) else float(betas[i]), by_chance[i + 1]
        side, p = (word, other)[nearer[i]], given.pvalue if given else None
        ranked.append(IndirectWord(found.words.used[rows[i]], float(cosines[i]), side, value_of, p))
    groups = (*(end.words for end in ends), found.words, *chosen.found)
    return IndirectBiasResult(
        first=word,
        second=other,
        value=value,
        similarity=float(first @ second),
        poles=chosen.poles,
        by_word=tuple(ranked),
        provenance=provenance(vectors, words_id, groups, seed, {"direction": chosen.id, "chance": chance}),
        chance=by_chance[0],
    )


#: Random words come from this many of the most frequent.
RANDOM_FROM = 50_000
_BLOCK = 1 << 22  # numbers at a time


def random_ratios(
    rows: NDArray[np.floating], sizes: tuple[int, ...], count: int, repeats: int, random: np.random.Generator
) -> FloatArray:
    """Return shares of variance of random sets of these sizes, drawn from `rows` (words, d) and scaled to length one.

    The answer has shape (repeats, count).
    """
    total, ends = sum(sizes), np.cumsum(sizes)[:-1]
    block = max(1, _BLOCK // (total * rows.shape[1]))
    done = []
    for start in range(0, repeats, block):
        draws = min(block, repeats - start)
        picked = np.array([random.choice(len(rows), total, replace=False) for _ in range(draws)])
        drawn = unit_rows(rows[picked])
        parts = [contrasts(part) for part in np.split(drawn, ends, axis=1)]
        done.append(explained_ratios(np.concatenate(parts, axis=1), count))
    return np.concatenate(done)


@opening("vectors")
def gender_subspace(
    vectors: WordVectors,
    pairs: Pairs = DEFAULT_PAIRS,
    *,
    components: int = 10,
    random_pairs: int = 1_000,
    rng: int | np.random.Generator | None = 0,
) -> SubspaceResult:
    """Find the subspace that `pairs` span: PCA of unit vectors, each set centred on its own mean.

    `pairs` may stand for any concept, and hold more than two words each (Manzini et al. 2019). The share of
    variance of each component is compared with that of as many random words, drawn `random_pairs` times (0: not drawn);
    that of the first also with random words of the pairs' own frequency (`chance`).

    >>> import aslant
    >>> s = aslant.gender_subspace(aslant.load(), random_pairs=100)
    >>> s.explained[0] > s.random[0].maximum
    True
    >>> faiths = [["judaism", "christianity", "islam"], ["rabbi", "priest", "imam"], ["synagogue", "church", "mosque"]]
    >>> len(aslant.gender_subspace(aslant.load(), faiths).explained)
    6
    """
    check_count("components", components, 1, 10_000)
    check_count("random_pairs", random_pairs, 0, 100_000)
    sets, seed = find_sets(vectors, pairs), seed_of(rng)
    found, ratios = subspace(sets.vectors)
    explained = ratios[:components]
    random, pvalue, drawn = np.empty((0, 0)), None, generator(seed)
    if random_pairs:
        own = {token for words in sets.found for token in words.tokens}
        others = [row for row, word in enumerate(vectors.words[:RANDOM_FROM]) if word not in own]
        sizes = tuple(len(words) for words in sets.vectors)
        if len(others) < sum(sizes):
            raise MeasureError(
                f"'{vectors.name}' has {plural(len(others), 'word')} besides the pairs, too few for random pairs; "
                "give random_pairs=0."
            )
        rows = vectors.matrix[np.array(others, dtype=np.intp)]
        random = random_ratios(rows, sizes, len(explained), random_pairs, drawn)
        pvalue = (1 + int(np.count_nonzero(random[:, 0] >= explained[0]))) / (1 + random_pairs)
    settings = {"components": components, "random_pairs": random_pairs, "random_from": RANDOM_FROM, "length": "unit"}
    return SubspaceResult(
        sets=sets.words,
        sets_left_out=sets.left_out,
        poles=sets.poles,
        explained=tuple(explained.tolist()),
        random=tuple(spread(column) for column in random.T),
        pvalue=pvalue,
        direction=tuple(found[0].tolist()),
        provenance=provenance(vectors, sets.id, sets.found, seed, settings),
        chance=subspace_chance(vectors, sets.found, float(explained[0]), random_pairs, drawn),
    )
