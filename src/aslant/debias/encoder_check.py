"""Before and after, for encoders of whole texts: SEAT, what a classifier still tells, and what was damaged."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.debias.encoders import DebiasedEncoder, LinearMap
from aslant.debias.swapped_sentences import HELD_OUT, HELD_OUT_FRAMES, OTHER_PAIRS, templated, word_pairs
from aslant.errors import AslantError
from aslant.measures.sentence_tests.clustered_words import check_sentence_encoder
from aslant.measures.sentence_tests.sentences import seat_suite
from aslant.measures.shared.wordsets import provenance
from aslant.models.protocols import SentenceEncoder
from aslant.results.debias import CheckedMeasure, DebiasCheck, StateTest
from aslant.results.parts import Spread
from aslant.results.provenance import Representation
from aslant.statistics import generator, seed_of

#: Subjects that name no group, which give neutral sentences.
NEUTRAL = (
    "the neighbour", "the person", "the visitor", "a friend", "the student", "the tourist", "the cook", "the reader",
    "the driver", "a guest",
)  # fmt: skip
DRAWS, FOLDS, SHUFFLES = 20, 5, 20
BOOTSTRAP = 1_000
TOLD = "accuracy of a linear classifier on pairs that it has not seen, nor the map; 0.5: nothing is told"
KEPT = "Spearman of the similarities of neutral sentences with those before; lower: damage"


def encoder_check(
    before: Any, after: DebiasedEncoder, *, tests: Any = None, rng: int | np.random.Generator | None = 0
) -> DebiasCheck:
    """Measure an encoder before and after debiasing: SEAT, swapped sentences told apart, similarities kept.

    `tests`: those of `aslant.seat_suite` (None: the ten WEATs). The other sentences are not those that the map was
    learned from, nor are their words: what is left of the pairs that a map is learned from adds up to nothing, so that
    a classifier which knows some of them is wrong about the others. Beside what is told stands what shuffled labels
    give, beside what is kept, as many random directions removed instead.
    """
    base, seed = check_sentence_encoder(before), seed_of(rng)
    done: list[CheckedMeasure] = []
    not_run: dict[str, str] = {}
    try:
        first, second = (seat_suite(encoder, tests, bootstrap=BOOTSTRAP, rng=seed) for encoder in (base, after))
        not_run |= {skipped.test: skipped.reason for skipped in first.skipped}
        later = {r.test: r for r in second.results}
        for r in first.results:
            if (other := later.get(r.test)) is not None:
                states = [StateTest(s.chance, s.statistic, s.interval, s.pvalue) for s in (r, other)]
                done.append(
                    CheckedMeasure(
                        "SEAT", f"{r.test}: {r.title}", r.effect_size, other.effect_size,
                        "effect size d; 0: no association", before_test=states[0], after_test=states[1],
                    )
                )  # fmt: skip
    except AslantError as error:
        not_run["SEAT"] = str(error)
    if (told := _told(base, after, seed)) is None:
        not_run["told apart"] = "what was removed is not gender, and no other pairs are known to check it with."
    done += [*([] if told is None else [told]), _kept(base, after, seed)]
    both = (Representation(**base.record()), Representation(**after.record()))
    settings = {"bootstrap": BOOTSTRAP, "draws": DRAWS, "folds": FOLDS, "shuffles": SHUFFLES}
    return DebiasCheck(*both, tuple(done), not_run, (), provenance(after, "debias-check", (), seed, settings))


def _told(before: SentenceEncoder, after: DebiasedEncoder, seed: int) -> CheckedMeasure | None:
    """Tell swapped sentences apart, in pairs that neither the map nor the classifier has seen; None if not gender."""
    gender, _ = word_pairs("definitional-pairs")
    if after.learned.isdisjoint(word.lower() for pair in (*gender, *OTHER_PAIRS) for word in pair):
        return None
    pairs = [pair for pair in OTHER_PAIRS if after.learned.isdisjoint(pair)]
    if len(pairs) < FOLDS:
        return None
    swaps = templated(pairs, HELD_OUT_FRAMES, HELD_OUT)
    texts = [text for swap in swaps for text in swap]
    groups, labels = np.repeat(np.arange(len(swaps)) % len(pairs), 2), np.tile([0, 1], len(swaps))
    first, second = (_accuracy(encoder.sentence_vectors(texts), labels, groups) for encoder in (before, after))
    vectors, random = after.sentence_vectors(texts), generator(seed)
    turned = [random.random(len(pairs)) < 0.5 for _ in range(SHUFFLES)]  # which side is which, pair by pair
    drawn = [_accuracy(vectors, np.where(turn[groups], 1 - labels, labels), groups) for turn in turned]
    chance = Spread(float(np.mean(drawn)), min(drawn), max(drawn), len(drawn))
    return CheckedMeasure(
        "told apart", "swapped sentences about women and men, accuracy", first, second, TOLD, after_chance=chance
    )


def _accuracy(vectors: NDArray[np.float32], labels: NDArray[np.int64], groups: NDArray[np.int64]) -> float:
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=500))
    return float(cross_val_score(model, vectors, labels, groups=groups, cv=GroupKFold(FOLDS)).mean())


def _kept(before: SentenceEncoder, after: DebiasedEncoder, seed: int) -> CheckedMeasure:
    """Compare the similarities of neutral sentences before and after, and after removing random directions instead."""
    texts = [swap[0] for swap in templated([(who,) * 2 for who in NEUTRAL], ("{} {}.",), HELD_OUT)]
    own = before.sentence_vectors(texts)
    similar = _similarities(own)
    removed, size, random = after.change.removed, own.shape[1], generator(seed)
    drawn = []
    for _ in range(DRAWS):
        basis = np.linalg.qr(random.normal(size=(size, max(removed, 1))))[0].T[:removed]
        other = LinearMap(np.eye(size) - basis.T @ basis, np.zeros(size), after.change.unit, removed)
        drawn.append(_spearman(similar, _similarities(other(own))))
    chance = Spread(float(np.mean(drawn)), min(drawn), max(drawn), len(drawn))
    value = _spearman(similar, _similarities(after.change(own)))
    what = "similarities of neutral sentences, Spearman (shuffled: random directions removed)"
    return CheckedMeasure("quality", what, 1.0, value, KEPT, after_chance=chance)


def _similarities(vectors: NDArray[Any]) -> NDArray[np.float64]:
    """Return the cosines of all pairs of rows."""
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray((unit @ unit.T)[np.triu_indices(len(unit), 1)], np.float64)


def _spearman(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    from scipy.stats import spearmanr

    return float(spearmanr(first, second).statistic)
