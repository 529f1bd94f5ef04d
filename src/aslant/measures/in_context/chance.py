"""What chance gives bias in context: random poles in place of those that the biased words are chosen by.

For as many draws, words would have to be chosen and encoded anew. So a sample of the candidates is encoded once, and
the poles themselves are measured on it as random ones are: the most biased tenth of it on either side
(docs/definitions.md §9).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from aslant.measures.in_context.result import SpaceMeasures
from aslant.measures.in_context.sentences import Professions
from aslant.measures.residuals.chance import directions_of, in_two_steps, random_poles
from aslant.measures.residuals.measure import TENTH, Chosen, most_biased
from aslant.measures.residuals.separation import MOST_OF_POOL, Gamma, classification_accuracy, training_size
from aslant.measures.shared.wordsets import FloatArray
from aslant.results.parts import WordsUsed
from aslant.statistics import clustering_accuracy, nearest, two_clusters, unit_rows
from aslant.vectors import WordVectors

#: How many candidates are encoded, each in one sentence, for random poles.
SAMPLE = 1_000


@dataclass(frozen=True)
class Leans:
    """How sampled words (n, draws) and professions (p, draws) lean along the poles, and then along random ones."""

    words: FloatArray
    professions: FloatArray

    @classmethod
    def drawn(
        cls, static: WordVectors, chosen: Chosen, sample: Sequence[int], jobs: Professions, draws: int,
        rng: np.random.Generator,
    ) -> Leans | None:  # fmt: skip
        """Draw random poles of the poles' frequency; None with too few words, or no draws."""
        asked = WordsUsed("words", (), tuple(jobs.query_tokens), ())
        rows = random_poles(static, chosen.found, [asked], draws, rng)
        if rows is None:
            return None
        first, second = unit_rows(chosen.poles)
        ways = np.vstack([first - second, directions_of(static, rows)]).T
        there = [static.index[token] for token in jobs.query_tokens]
        words, queries = (unit_rows(static.matrix[places]) for places in (chosen.rows[sample], there))
        return cls(words @ ways, queries @ ways)


def sampled(candidates: int, draws: int, rng: np.random.Generator) -> list[int]:
    """Draw places of candidates, all of them where they are few; none for no draws."""
    size = min(SAMPLE, candidates) if draws else 0
    return sorted(rng.choice(candidates, size, replace=False).tolist())


def beside_poles(
    measures: SpaceMeasures, leans: Leans, words: FloatArray, queries: FloatArray, own: NDArray[np.intp], k: int,
    gamma: Gamma, rng: np.random.Generator,
) -> SpaceMeasures:  # fmt: skip
    """Put random poles beside clusters, classifier and neighbours of words (n, d) and professions (p, d), unit length.

    `own` (p,) is the place of each profession among the words, −1 where it is not one of them.
    """
    draws, per_side = leans.words.shape[1] - 1, len(words) // TENTH
    labels, seeds = np.repeat([True, False], per_side), rng.integers(2**63, size=draws + 1)
    near = nearest(queries, words, min(k, int((len(words) - 1) * MOST_OF_POOL)), own)

    def clustered(i: int) -> float:
        return clustering_accuracy(two_clusters(sides(i), np.random.default_rng(seeds[i])), labels)

    def classified(i: int) -> float:
        random = np.random.default_rng(seeds[i])
        return classification_accuracy(sides(i), labels, training_size(len(labels)), random, gamma)

    def sides(i: int) -> FloatArray:
        return words[np.concatenate(most_biased(leans.words[:, i], per_side))]

    def correlated(i: int) -> float:
        lean = leans.words[:, i]
        shares = (lean > np.median(lean))[near].mean(axis=1)
        return float(np.corrcoef(shares, leans.professions[:, i])[0, 1]) if np.ptp(shares) else 0.0

    def compared(name: str, measure: Callable[[int], float]) -> None:
        value = measure(0)
        chance = in_two_steps(value, lambda part: np.array([measure(1 + i) for i in range(draws)[part]]), draws)
        found[name] = replace(getattr(measures, name), sampled=value, beside=chance)

    found: dict[str, object] = {}
    for name, measure in (("clustering", clustered), ("classification", classified), ("neighbours", correlated)):
        compared(name, measure)
    return replace(measures, **found)  # type: ignore[arg-type]
