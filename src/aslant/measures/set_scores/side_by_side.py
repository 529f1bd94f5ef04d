"""Scores of word sets side by side: several scores, sets and embeddings, and how far the scores agree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from aslant.errors import MeasureError, TooFewWordsError
from aslant.measures.set_scores import result as r
from aslant.measures.set_scores.kinds import chosen_scores
from aslant.measures.set_scores.scoring import score_sets
from aslant.measures.set_scores.sets import asked_of
from aslant.measures.set_scores.settings import ScoresSettings
from aslant.measures.set_scores.statistic import FloatArray
from aslant.measures.shared.association import SkippedTest
from aslant.measures.shared.open_subject import opening
from aslant.measures.shared.settings import keywords
from aslant.measures.shared.suite import weat_sets
from aslant.measures.shared.wordsets import check_vectors, provenance
from aslant.statistics import against_chance, benjamini_hochberg, known_qvalues, rank_correlations, seed_of
from aslant.stimuli import WeatSet
from aslant.vectors import WordVectors

if TYPE_CHECKING:
    from aslant.auditing.step_context import Results, Work

#: A rank correlation over fewer word sets says nothing.
LEAST_SETS = 4
Scored = tuple[r.WordSetScore, FloatArray]


@opening("vectors")
@keywords
def word_set_scores(
    vectors: WordVectors | Sequence[WordVectors],
    tests: Iterable[str | PathLike[str] | WeatSet] | None = None,
    *,
    scores: Sequence[str] | None = None,
    language: str | None = None,
    settings: ScoresSettings,
    rng: int | np.random.Generator | None = 0,
) -> r.WordSetScoresResult:
    """Give every score (or `scores`) of the ten WEATs of Caliskan et al. (or `tests`), and say how far they agree.

    `agreement` has, for each two scores, Spearman's correlation over the word sets of how far beyond chance they are;
    with several embeddings also how often both put these in the same order. `categories` sums up each social category
    against chance, with the same random attributes for all scores of a set. A test of which a set has fewer than the
    share `min_found` in the vocabulary is not run, and listed as such. The settings are those of each score.

    >>> import aslant
    >>> found = aslant.word_set_scores(aslant.load(), ["weat-6", "weat-7"], scores=["ect", "same"], chance=100)
    >>> [(row["measure"], row["test"]) for row in found.rows()][:2]
    [('ect', 'weat-6'), ('same', 'weat-6')]
    >>> found.agreement[0].n_scored, found.categories[0].category
    (2, 'gender')
    """
    models: list[Any] = [vectors] if isinstance(vectors, WordVectors) else list(vectors)
    for each in models or [None]:
        check_vectors(each)
    chosen, asked, seed = (
        chosen_scores(scores),
        weat_sets(tests, "a function such as aslant.ect", language),
        seed_of(rng),
    )
    done: list[list[Scored]] = []
    skipped: list[SkippedTest] = []
    for model in models:
        for test in asked:
            try:
                done.append(score_sets(model, asked_of(test), chosen, settings, seed))
            except MeasureError as error:
                lacking = error.missing if isinstance(error, TooFewWordsError) else ()
                skipped.append(SkippedTest(test.id, test.title, str(error).rstrip("."), lacking))
    results = [score for row in done for score, _ in row]
    chance_q = known_qvalues(score.chance.pvalue if score.chance else None for score in results)
    qvalues = known_qvalues(score.pvalue for score in results)
    beyond = r.beyond_chance(qvalues, chance_q)
    lists = [score.missing for score in results] + [test.missing for test in skipped]
    kept = {**settings.record(), "scores": [score.name for score in chosen]}
    stimuli = " ".join(test.id for test in asked)
    return r.WordSetScoresResult(
        scores=tuple(score.name for score in chosen),
        results=tuple(results),
        qvalues=qvalues,
        chance_qvalues=chance_q,
        agreement=tuple(_agreement(a.name, b.name, results, beyond) for a, b in combinations(chosen, 2)),
        categories=_categories(done, beyond),
        skipped=tuple(skipped),
        provenance=provenance(models[0], stimuli, sum(lists, ()), seed, kept),
    )


def _agreement(first: str, second: str, results: Sequence[r.WordSetScore], beyond: Sequence[bool]) -> r.Agreement:
    """Compare two scores: the order of word sets, the verdicts, and the order of embeddings."""
    found: dict[tuple[str, str], list[tuple[float, bool]]] = {}
    for score, sure in zip(results, beyond, strict=True):
        if score.kind in (first, second) and score.strength is not None:
            found.setdefault((_model(score), score.test), []).append((score.strength, sure))
    both = {key: pair for key, pair in found.items() if len(pair) == 2}
    rhos, sizes = [], []
    for model in dict.fromkeys(model for model, _ in both):
        strengths = np.array([[a, b] for (of, _), ((a, _), (b, _)) in both.items() if of == model]).T
        sizes.append(strengths.shape[1])
        rho = rank_correlations(strengths[:1], strengths[1:])[0] if sizes[-1] >= LEAST_SETS else np.nan
        rhos += [float(rho)] if np.isfinite(rho) else []
    same = sum(a == b for (_, a), (_, b) in both.values())
    mean = float(np.mean(rhos)) if rhos else None
    return r.Agreement(first, second, mean, max(sizes, default=0), same, len(both), _order(both))


def _order(both: dict[tuple[str, str], list[tuple[float, bool]]]) -> float | None:
    """Return Kendall's tau over pairs of embeddings on the same word set; None with one embedding."""
    signs = []
    for (one, test), (other, same) in combinations(both, 2):
        if test == same and one != other:
            (a, _), (b, _) = both[one, test]
            (c, _), (d, _) = both[other, test]
            signs.append(np.sign((a - c) * (b - d)))
    return float(np.mean(signs)) if signs else None


def _model(score: r.WordSetScore) -> str:
    return score.provenance.representation.fingerprint


def _categories(done: Sequence[list[Scored]], beyond: Sequence[bool]) -> tuple[r.CategoryStrength, ...]:
    """Sum up the scores of each embedding and category."""
    groups: dict[tuple[str, str], list[tuple[Scored, bool]]] = {}
    sure = iter(beyond)
    for row in done:
        for scored in row:
            groups.setdefault((_model(scored[0]), scored[0].category), []).append((scored, next(sure)))
    made = (_category([one for one in group if one[0][0].strength is not None]) for group in groups.values())
    return tuple(found for found in made if found is not None)


def _category(group: Sequence[tuple[Scored, bool]]) -> r.CategoryStrength | None:
    """Compare the mean strength of some scores with that of random attributes, draw by draw."""
    if not group:
        return None
    scores = [score for (score, _), _ in group]
    fewest = min(len(drawn) for (_, drawn), _ in group)
    strength = float(np.mean([score.strength for score in scores]))
    drawn = np.mean([drawn[:fewest] for (_, drawn), _ in group], axis=0)
    own = [score.pvalue for score in scores if score.pvalue is not None]
    first = scores[0]
    assert first.chance is not None  # since it has a strength
    return r.CategoryStrength(
        first.category, first.provenance.representation.name, tuple(dict.fromkeys(score.test for score in scores)),
        len(scores), sum(sure for _, sure in group), strength,
        float(benjamini_hochberg(own).min()) if own else None,  # the smallest q-value is Simes' p-value
        against_chance(strength, drawn, first.chance.kind, signed=False),
    )  # fmt: skip


def scores_of_sets(work: Work) -> Results:
    """Give every score of the ten WEATs of Caliskan et al."""
    found: Any = word_set_scores(work.subject.opened, rng=work.seed, **work.settings)
    return (work.noted("word-set-scores", found),)
