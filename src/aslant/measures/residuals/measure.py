"""What debiasing leaves behind: biased words chosen in one embedding, looked for in another (Gonen & Goldberg 2019)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aslant.errors import MeasureError, TooFewWordsError, plural
from aslant.measures.geometry.directional import SPECIFIC_WORDS
from aslant.measures.polarities.measure import Words, word_list
from aslant.measures.residuals.chance import (
    Poles,
    clustered,
    random_poles,
    without_direction,
)
from aslant.measures.residuals.result import (
    CandidatePool,
    ResidualBiasResult,
    ResidualClassification,
    ResidualClustering,
    ResidualNeighbours,
)
from aslant.measures.residuals.separation import (
    Gamma,
    check_gamma,
    check_picture,
    classification_accuracy,
    measure_classification,
    measure_clustering,
    measure_neighbours,
    picture_of,
)
from aslant.measures.shared.open_subject import opening
from aslant.measures.shared.wordsets import FloatArray, Found, check_vectors, checked_words, find, provenance
from aslant.parallel import one_thread_each
from aslant.results.parts import WordsUsed
from aslant.results.provenance import Representation
from aslant.statistics import check_count, seed_of, spawn, unit_rows
from aslant.stimuli import DEFAULT_POLES, MOST_FREQUENT, WordList, is_plain
from aslant.vectors import WordVectors
from aslant.vectors.debiasing_record import Treatment, WordsTaken

if TYPE_CHECKING:
    from aslant.auditing.step_context import Results, Work

#: At most a tenth of the candidates are on each side, so that "most biased" keeps its meaning in a small vocabulary.
TENTH, FEWEST = 10, 25
_BLOCK = 1 << 13
#: Clusters, classifier, and neighbours among all words and among those of a list.
Left: TypeAlias = tuple[ResidualClustering, ResidualClassification, ResidualNeighbours, ResidualNeighbours | None]
#: Random poles that the result is compared with, at most.
DRAWS = 499


@dataclass(frozen=True)
class Chosen:
    """The candidate words, their rows in the embedding under test, and their bias in the original one, each (n,)."""

    words: list[str]
    rows: NDArray[np.intp]
    bias: FloatArray
    pool: CandidatePool
    poles: FloatArray
    found: tuple[WordsUsed, ...]

    def sides(self, asked: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the most biased candidates of either side, strongest first, scaled to what there is."""
        return most_biased(self.bias, min(asked, len(self.words) // TENTH))


def bias_by_projection(vectors: NDArray[Any], first: NDArray[Any], second: NDArray[Any]) -> FloatArray:
    """Return cos(w, first) − cos(w, second) for each word; shape (words,), from (words, d), (d,) and (d,)."""
    gap = unit_rows(first) - unit_rows(second)
    parts = [unit_rows(vectors[start : start + _BLOCK]) @ gap for start in range(0, len(vectors), _BLOCK)]
    return np.concatenate(parts) if parts else np.empty(0)


def most_biased(bias: FloatArray, per_side: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the places of the `per_side` largest and of the `per_side` smallest values, most extreme first."""
    order = np.argsort(-bias, kind="stable")
    return order[:per_side], order[::-1][:per_side]


@opening("original", "measured")
def residual_bias(
    original: WordVectors,
    measured: WordVectors | None = None,
    *,
    poles: tuple[str, str] = DEFAULT_POLES,
    top: int = 500,
    classified: int = 2_500,
    seeds: int = 10,
    k: int = 100,
    professions: Words = "professions",
    within: Words | None = "professions",
    specific: Words = SPECIFIC_WORDS,
    gamma: Gamma = "scale",
    picture: str = "auto",
    chance: int = DRAWS,
    rng: int | np.random.Generator | None = 0,
) -> ResidualBiasResult:
    """Test whether words that are biased in `original` can still be told apart in `measured`, in three ways.

    `measured` is a debiased embedding; None: `original` after hard debiasing with the poles as the only pair. Only then
    can what is left be compared with what up to `chance` random poles of the same frequency leave, for which words are
    chosen, debiased and measured in the same way. One embedding given twice shows the values before debiasing, which
    are not evidence: words picked by a direction are separated by it.

    Clustering separates the `top` most biased words of either side by k-means; classification learns the sides from
    a fifth of the `classified` most biased; neighbours correlates a profession's bias with the share of its `k`
    nearest that lean to the first pole, among all candidates and among the words of `within` (None: not done). Each is
    repeated `seeds` times, and compared with shuffled labels.

    >>> import aslant
    >>> v = aslant.load(top=8_000)
    >>> r = aslant.residual_bias(v, v, seeds=1, classified=100, picture="none")
    >>> r.clustering.accuracy > 0.9 > r.clustering.chance.mean
    True
    >>> left = aslant.residual_bias(v, seeds=1, classified=100, picture="none", chance=19)
    >>> left.clustering.accuracy > left.clustering.chance.maximum, left.clustering.random_poles.pvalue > 0.05
    (True, True)
    """
    for vectors in (original,) if measured is None else (original, measured):
        check_vectors(vectors)
    for name, value in (("top", top), ("classified", classified)):
        check_count(name, value, FEWEST, MOST_FREQUENT)
    check_count("seeds", seeds, 1, 1_000)
    check_count("k", k, 1, MOST_FREQUENT)
    check_count("chance", chance, 0, 100_000)
    check_picture(picture)
    check_poles(poles)
    check_gamma(gamma)
    seed, draws = seed_of(rng), chance if measured is None else 0
    measured = hard_debiased(original, poles, professions, within) if measured is None else measured
    chosen = select(original, measured, poles, specific)
    for_clusters, classed, near, nearer, at_random = spawn(seed, 5)
    first, second = chosen.sides(top)
    unit, labels = labelled(measured, chosen, first, second)
    clustering, clusters = measure_clustering(unit, labels, top, spawn(for_clusters, seeds))
    words = [chosen.words[place] for place in (*first, *second)]
    sides = [poles[0]] * len(first) + [poles[1]] * len(second)
    drawn = picture_of(unit, words, sides, clusters, picture, seed)
    classification = measure_classification(
        *labelled(measured, chosen, *chosen.sides(classified)), classified, spawn(classed, seeds), gamma
    )
    neighbours, looked_up = neighbours_of(original, measured, chosen, professions, specific, None, k, near)
    inside = None
    if within is not None:
        inside = neighbours_of(original, measured, chosen, professions, specific, within, k, nearer)[0]
    apart = [looked_up, find(original, _without(specific, set())).words]
    if (rows := random_poles(original, chosen.found, apart, draws, at_random)) is not None:
        members = None if within is None else find(original, _without(within, _excluded(specific))).words.tokens
        clustering, classification, neighbours, inside = _against_poles(
            Poles(original, rows), chosen, (clustering, classification, neighbours, inside), members, gamma, at_random
        )
    settings = {
        "top": top, "classified": classified, "seeds": seeds, "k": k, "professions": _named(professions),
        "within": None if within is None else _named(within), "specific": _named(specific), "gamma": gamma,
        "picture": picture, "chance": draws, "most_frequent": MOST_FREQUENT, "length": "unit",
    }  # fmt: skip
    return ResidualBiasResult(
        original=Representation(**original.record()),
        poles=poles,
        pool=chosen.pool,
        words=(tuple(words[: len(first)]), tuple(words[len(first) :])),
        clustering=clustering,
        classification=classification,
        neighbours=neighbours,
        neighbours_within=inside,
        picture=drawn,
        provenance=provenance(measured, _named(professions), (*chosen.found, looked_up), seed, settings),
    )


def hard_debiased(
    original: WordVectors, poles: tuple[str, str], professions: Words, within: Words | None
) -> WordVectors:
    """Take the direction between the poles out of all words that are measured; unit length (Bolukbasi et al. 2016)."""
    first, second = (end.unit[0] for end in _ends(original, poles))
    lists = [words for words in (professions, within) if words is not None]
    tokens = [token for words in lists for token in find(original, _without(words, set())).words.tokens]
    asked = [original.index[token] for token in tokens if token in original.index]
    rows = np.union1d(np.arange(min(len(original), MOST_FREQUENT)), np.array(asked, dtype=np.intp))
    there = replace(
        original, words=[original.words[row] for row in rows.tolist()], matrix=original.rows(rows), seal=None
    )
    unit = unit_rows(there.matrix).astype(np.float32)
    pair = WordsTaken("pairs", ", ".join(poles), 2)
    return there.treated(
        without_direction(unit, unit_rows(first - second).astype(np.float32)),
        Treatment("hard debiasing", {"components": 1}, (pair,), None),
    )


def _against_poles(
    poles: Poles, chosen: Chosen, found: Left, members: Sequence[str] | None, gamma: Gamma, random: np.random.Generator
) -> Left:
    """Put what random poles leave beside clusters, classifier and neighbours, and those among `members` of a list."""
    clustering, classification, neighbours, inside = found
    index, draws = poles.vectors.index, len(poles.rows)
    candidates = np.array([index[word] for word in chosen.words])

    def classified(rows: NDArray[Any], labels: NDArray[np.bool_], own: np.random.Generator) -> float:
        return classification_accuracy(rows, labels, classification.training_words, own, gamma)

    if inside is not None:
        inside = poles.near(inside, np.array([index[token] for token in members or () if token in index]))
    return (
        poles.beside(clustering, candidates, random.spawn(draws), clustered),
        poles.beside(classification, candidates, random.spawn(draws), classified),
        poles.near(neighbours, candidates),
        inside,
    )


def _ends(original: WordVectors, poles: tuple[str, str]) -> list[Found]:
    """Find two words that differ."""
    ends = [find(original, WordList(pole, checked_words([pole]))) for pole in poles]
    for end in ends:
        if not end.words.used:
            raise MeasureError(f"'{end.words.name}' is not in '{original.name}'; give two words with poles=….")
    if ends[0].words.tokens == ends[1].words.tokens:
        raise MeasureError(f"poles={poles!r:.60} are one word in '{original.name}'; give two, such as ('he', 'she').")
    return ends


def select(original: WordVectors, measured: WordVectors, poles: tuple[str, str], specific: Words) -> Chosen:
    """Choose the candidates: frequent, lower-case, short, letters and underscores only, not specific, in both."""
    ends = _ends(original, poles)
    excluded = _excluded(specific)
    excluded.update(token for end in ends for token in end.words.tokens)
    words, reasons = [], ("not lower-case letters or too long", "specific", "not in the embedding measured")
    left_out = dict.fromkeys(reasons, 0)
    for word in original.words[:MOST_FREQUENT]:
        unfit = (not is_plain(word), word in excluded, word not in measured.index)
        if any(unfit):
            left_out[reasons[unfit.index(True)]] += 1
        else:
            words.append(word)
    if len(words) < FEWEST * TENTH:
        both = repr(original.name) if original is measured else f"{original.name!r} and {measured.name!r} together"
        raise TooFewWordsError(
            f"{both} have {plural(len(words), 'word')} to choose from; at least {FEWEST * TENTH} are needed."
        )
    rows = np.array([original.index[word] for word in words], dtype=np.intp)
    vectors = np.array([end.raw[0] for end in ends])
    there = np.array([measured.index[word] for word in words], dtype=np.intp)
    bias, pool = bias_by_projection(original.matrix[rows], *vectors), CandidatePool(len(words), left_out)
    return Chosen(words, there, bias, pool, vectors, tuple(end.words for end in ends))


def neighbours_of(
    original: WordVectors, measured: WordVectors, chosen: Chosen, professions: Words, specific: Words,
    within: Words | None, k: int, random: np.random.Generator,
) -> tuple[ResidualNeighbours, WordsUsed]:  # fmt: skip
    """Measure the neighbours of professions among the candidates, or among the words of `within`."""
    excluded = _excluded(specific)
    asked = find(original, _without(professions, excluded))
    tokens, vectors, bias = _in_both(original, measured, asked.words, chosen.poles)
    if within is None:
        members, pool, pool_bias = chosen.words, unit_rows(measured.matrix[chosen.rows]), chosen.bias
    else:
        inside = find(original, _without(within, excluded)).words
        members, pool, pool_bias = _in_both(original, measured, inside, chosen.poles)
    places = {word: place for place, word in enumerate(members)}
    own = np.array([places.get(token, -1) for token in tokens], dtype=np.intp)
    return measure_neighbours(tokens, vectors, bias, pool, pool_bias, own, k, random), asked.words


def _excluded(specific: Words) -> set[str]:
    return {word.replace(" ", "_") for word in word_list(specific)[0]}


def _without(words: Words, excluded: set[str]) -> WordList:
    return WordList("words", tuple(w for w in word_list(words)[0] if w.replace(" ", "_") not in excluded))


def _in_both(
    original: WordVectors, measured: WordVectors, words: WordsUsed, poles: FloatArray
) -> tuple[list[str], FloatArray, FloatArray]:
    """Return the tokens that both embeddings have, their unit vectors where measured, and their original bias."""
    tokens = [token for token in words.tokens if token in original.index and token in measured.index]
    rows = [original.index[token] for token in tokens]
    unit = unit_rows(measured.matrix[[measured.index[token] for token in tokens]])
    return tokens, unit, bias_by_projection(original.matrix[rows], *poles)


def labelled(
    measured: WordVectors, chosen: Chosen, first: NDArray[np.intp], second: NDArray[np.intp]
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return the unit vectors of both sides where measured, (words, d), and True for those of the first, (words,)."""
    rows = chosen.rows[np.concatenate([first, second])]
    return unit_rows(measured.matrix[rows]), np.repeat([True, False], [len(first), len(second)])


def _named(words: Words) -> str:
    return word_list(words)[1]


def check_poles(poles: Any) -> None:
    """Refuse anything but two words."""
    if isinstance(poles, str) or not isinstance(poles, Sequence) or len(poles) != 2:
        raise MeasureError(f"poles={poles!r:.60} are not two words, such as ('he', 'she').")


def residual(work: Work) -> Results:
    """Debias one embedding, and measure what is left beside what random poles leave."""
    # Many small clusterings fight for cores where others use them too: with one thread they take a third of the time
    # then, and as long as before otherwise.
    with one_thread_each():
        return (residual_bias(work.subject.opened, rng=work.seed, **work.settings),)
