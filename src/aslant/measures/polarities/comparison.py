"""The same polarity in several embeddings, with paired differences (Lu et al.: GloVe against GN-GloVe)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from aslant.errors import MeasureError, plural
from aslant.measures.polarities.measure import (
    Classes,
    Scheme,
    Words,
    class_lists,
    magnitude,
    mean_interval,
    measure,
    word_list,
)
from aslant.measures.polarities.result import Difference, PolarityComparison, PolarityResult
from aslant.measures.shared.wordsets import FloatArray, find
from aslant.statistics import generator, seed_of, sign_flip_pvalue
from aslant.stimuli import WordList
from aslant.vectors import WordVectors


def compare_polarity(
    embeddings: Sequence[WordVectors],
    classes: Classes,
    words: Words = "bold-professions",
    *,
    scheme: Scheme = "binary",
    bootstrap: int = 2_000,
    confidence: float = 0.95,
    rng: int | np.random.Generator | None = 0,
) -> PolarityComparison:
    """Measure the polarity of the words that all `embeddings` have, and their paired differences to the first.

    A difference is the mean over words of (other − first), with a bootstrap interval over words and the p-value of a
    sign-flip permutation test.

    >>> import aslant
    >>> v = aslant.load()
    >>> c = aslant.compare_polarity([v, aslant.load(top=20_000)], "gender-binary", ["nurse", "engineer", "clerk"])
    >>> c.differences[0].difference
    0.0
    """
    if len(embeddings) < 2:
        raise MeasureError(f"only {plural(len(embeddings), 'embedding')} given; give at least two to compare.")
    listed, words_id = word_list(words)
    groups, class_id = class_lists(classes)
    named = _distinct_names(embeddings)
    left_out = {v.name: find(v, WordList("words", listed)).words.missing for v in named}
    absent = {word for missing in left_out.values() for word in missing}
    shared = tuple(word for word in listed if word not in absent)
    if not shared:
        raise MeasureError(f"none of the words ({len(listed)}) is in all {len(embeddings)} embeddings.")
    seed = seed_of(rng)
    settings = {"scheme": scheme, "bootstrap": bootstrap, "confidence": confidence, "words": words_id}
    # Measured on the shared words only, so that scores differ because of the vectors, not of the words.
    results = [measure(v, groups, class_id, shared, settings, seed) for v in named]
    differences = [_difference(results[0], other, bootstrap, confidence, seed) for other in results[1:]]
    return PolarityComparison(tuple(results), tuple(differences), shared, left_out)


def _distinct_names(embeddings: Sequence[WordVectors]) -> list[WordVectors]:
    """Number embeddings that share a name, to tell their rows apart."""
    names = [v.name for v in embeddings]
    return [
        v if names.count(v.name) == 1 else replace(v, name=f"{v.name} ({place})")
        for place, v in enumerate(embeddings, 1)
    ]


def _magnitudes(result: PolarityResult) -> FloatArray:
    return magnitude(np.array([word.score for word in result.by_word]), result.scheme)


def _difference(
    first: PolarityResult, second: PolarityResult, bootstrap: int, confidence: float, seed: int
) -> Difference:
    ours, others = (
        dict(zip((w.word for w in r.by_word), _magnitudes(r).tolist(), strict=True)) for r in (first, second)
    )
    gaps = np.array([others[word] - ours[word] for word in ours if word in others])
    names = [result.provenance.representation.name for result in (first, second)]
    interval = mean_interval(gaps, bootstrap, confidence, generator(seed))
    return Difference(names[0], names[1], float(gaps.mean()), interval, sign_flip_pvalue(gaps, rng=seed), len(gaps))
