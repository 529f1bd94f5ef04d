"""Scores of word sets that other tools have: RND, RIPA, MAC, ECT, RNSB, SAME and ML-EAT (docs/definitions.md §10)."""

from __future__ import annotations

from os import PathLike
from typing import TypeAlias, TypeVar

import numpy as np

from aslant.measures.set_scores import result as r
from aslant.measures.set_scores.kinds import SCORES
from aslant.measures.set_scores.scoring import score_sets
from aslant.measures.set_scores.sets import Asked, chosen_sets
from aslant.measures.set_scores.settings import ScoreSettings
from aslant.measures.shared.open_subject import opening
from aslant.measures.shared.settings import keywords
from aslant.measures.shared.wordsets import WordSets, check_vectors
from aslant.statistics import seed_of
from aslant.stimuli import WeatSet, WordList
from aslant.vectors import WordVectors

#: The name of a test that ships, in a `language` ("de") if one is given, a TOML file, or a loaded set.
Test: TypeAlias = str | PathLike[str] | WeatSet | None
#: One word set, or several.
Words: TypeAlias = WordSets | WordList | list[str] | tuple[str, ...] | None
Rng: TypeAlias = int | np.random.Generator | None
S = TypeVar("S", bound=r.WordSetScore)


@opening("vectors")
@keywords
def relative_norm(
    vectors: WordVectors, test: Test = None, *, targets: Words = None, attributes: Words = None,
    language: str | None = None, settings: ScoreSettings, rng: Rng = 0,
) -> r.RelativeNormResult:  # fmt: skip
    """Measure the relative norm distance of attributes to two target sets (Garg et al. 2018).

    The value is the mean over attributes a of ‖X̄ − a‖ − ‖Ȳ − a‖: below 0, they are nearer to the first targets. Of two
    attribute sets, that of the second is subtracted. `unit` takes all vectors at unit length first. The p-value
    reassigns the targets; `chance` random attributes of the same frequency say what these add.

    >>> import aslant
    >>> r = aslant.relative_norm(
    ...     aslant.load(), targets=(["she", "woman"], ["he", "man"]), attributes=["nurse", "maid", "midwife"]
    ... )
    >>> r.value < 0, r.words[0].word, r.n_partitions
    (True, 'nurse', 6)
    >>> r = aslant.relative_norm(aslant.load(), "weat-6")
    >>> [(part.name, round(part.mean, 1)) for part in r.sets]
    [('Career', -0.5), ('Family', 0.6)]
    """
    return _scored(r.RelativeNormResult, vectors, chosen_sets(test, targets, attributes, language), settings, rng)


@opening("vectors")
@keywords
def ripa(
    vectors: WordVectors, test: Test = None, *, targets: Words = None, attributes: Words = None,
    language: str | None = None, settings: ScoreSettings, rng: Rng = 0,
) -> r.RipaResult:  # fmt: skip
    """Measure the relational inner product association of attributes with pairs of words (Ethayarajh et al. 2019).

    The value is the mean over pairs and attributes of a·(x − y) / ‖x − y‖: above 0, they lean to the first targets. A
    pair has the words at the same place of both target lists; a word without its counterpart is left out. Of two
    attribute sets, that of the second is subtracted. The p-value turns pairs around.

    >>> import aslant
    >>> r = aslant.ripa(
    ...     aslant.load(), targets=(["she", "woman", "girl"], ["he", "man", "boy"]), attributes=["nurse", "maid"]
    ... )
    >>> r.value > 0, r.n_partitions, [word.word for word in r.words]
    (True, 8, ['nurse', 'maid'])
    """
    return _scored(r.RipaResult, vectors, chosen_sets(test, targets, attributes, language), settings, rng)


@opening("vectors")
@keywords
def mac(
    vectors: WordVectors, test: Test = None, *, targets: Words = None, attributes: Words = None,
    language: str | None = None, settings: ScoreSettings, rng: Rng = 0,
) -> r.MacResult:  # fmt: skip
    """Measure the mean average cosine distance of target words to attribute sets (Manzini et al. 2019).

    The lower, the closer the targets are to the attributes; 1 means at right angles. It has no p-value of its own: all
    targets are one set, and no words could change places. `chance` says how low random attributes are.

    >>> import aslant
    >>> r = aslant.mac(aslant.load(), targets=["she", "woman"], attributes=[["nurse", "maid"], ["sister", "mother"]])
    >>> 0 < r.value < r.chance.low, r.pvalue
    (True, None)
    """
    return _scored(r.MacResult, vectors, chosen_sets(test, targets, attributes, language), settings, rng)


@opening("vectors")
@keywords
def ect(
    vectors: WordVectors, test: Test = None, *, targets: Words = None, attributes: Words = None,
    language: str | None = None, settings: ScoreSettings, rng: Rng = 0,
) -> r.EctResult:  # fmt: skip
    """Run the embedding coherence test: do two target sets rank the attributes alike (Dev & Phillips 2019)?

    The value is Spearman's correlation of the attributes' cosines with the means of both target sets: 1 without bias.
    Two attribute sets are taken together. The p-value reassigns the targets, and asks for values as low.

    >>> import aslant
    >>> r = aslant.ect(aslant.load(), "weat-6")
    >>> r.value < r.chance.low, r.pvalue < 0.05
    (True, True)
    """
    return _scored(r.EctResult, vectors, chosen_sets(test, targets, attributes, language), settings, rng)


@opening("vectors")
@keywords
def rnsb(
    vectors: WordVectors, test: Test = None, *, targets: Words = None, attributes: Words = None,
    language: str | None = None, settings: ScoreSettings, rng: Rng = 0,
) -> r.RnsbResult:  # fmt: skip
    """Measure relative negative sentiment bias: is "negative" spread evenly over targets (Sweeney & Najafian 2019)?

    A logistic regression learns the first attributes (positive) from the second (negative), from all of their words;
    the value is the Kullback–Leibler divergence of the targets' probabilities "negative", as shares, from equal shares:
    0 without bias. `words` has the probabilities, `sets` their means. The p-value reassigns the attributes. As
    each draw needs a fit, at most 500 are made for each purpose.

    >>> import aslant
    >>> r = aslant.rnsb(
    ...     aslant.load(), targets={"insects": ["wasp", "flea"], "flowers": ["rose", "tulip"]},
    ...     attributes=(["love", "peace", "happy"], ["hatred", "death", "filth"]),
    ... )
    >>> r.value > 0, r.sets[0].mean > r.sets[1].mean, r.chance.draws
    (True, True, 500)
    """
    return _scored(r.RnsbResult, vectors, chosen_sets(test, targets, attributes, language), settings, rng)


@opening("vectors")
@keywords
def same(
    vectors: WordVectors, test: Test = None, *, targets: Words = None, attributes: Words = None,
    language: str | None = None, settings: ScoreSettings, rng: Rng = 0,
) -> r.SameResult:  # fmt: skip
    """Measure SAME: how far target words lean to either of two attribute sets (Schröder et al. 2022).

    The value is the mean over target words of |cos(w, Ā − B̄)|, with means of unit vectors: 0 without bias. `words` has
    the cosines with their sign; of `sets`, mean and standard deviation are what the authors call skew and stereotype.
    The p-value reassigns the attributes.

    >>> import aslant
    >>> r = aslant.same(
    ...     aslant.load(), targets=["nurse", "maid", "smith", "lawyer"], attributes=(["he", "man"], ["she", "woman"])
    ... )
    >>> 0 < r.value < 1, {word.word: word.value > 0 for word in r.words}["nurse"]
    (True, False)
    """
    return _scored(r.SameResult, vectors, chosen_sets(test, targets, attributes, language), settings, rng)


@opening("vectors")
@keywords
def ml_eat(
    vectors: WordVectors, test: Test = None, *, targets: Words = None, attributes: Words = None,
    language: str | None = None, settings: ScoreSettings, rng: Rng = 0,
) -> r.MlEatResult:  # fmt: skip
    """Run the multilevel embedding association test: WEAT's d, and what it is made of (Wolfe et al. 2024).

    The value is the first level, d of WEAT. `levels` has the second, each target set's own effect size between both
    attributes (its p-value reassigns the attributes), and the third, the mean cosine of each target set with each
    attribute set and its standard deviation. P-values are two-sided.

    >>> import aslant
    >>> r = aslant.ml_eat(aslant.load(), "weat-6")
    >>> [(level.targets, round(level.value, 1)) for level in r.levels if level.level == 2]
    [('Male names', 0.8), ('Female names', -1.3)]
    """
    return _scored(r.MlEatResult, vectors, chosen_sets(test, targets, attributes, language), settings, rng)


def _scored(made: type[S], vectors: WordVectors, asked: Asked, settings: ScoreSettings, rng: Rng) -> S:
    check_vectors(vectors)
    found = score_sets(vectors, asked, [SCORES[made.kind]], settings, seed_of(rng))[0][0]
    assert isinstance(found, made)
    return found
