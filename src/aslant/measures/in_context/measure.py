"""Bias in contextual vectors: words in sentences of a corpus, new sentences in each repeat (Basta et al. 2019)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from aslant.errors import MeasureError
from aslant.measures.geometry.directional import DEFAULT_WORDS, SPECIFIC_WORDS, projections
from aslant.measures.in_context.result import (
    CONTEXTUAL,
    ContextualBiasResult,
    ProfessionInContext,
    ProfessionPicture,
    ProfessionPoint,
    RepeatedMeasure,
    SwappedPair,
    SwappedSubspace,
    WordNumbers,
)
from aslant.measures.in_context.sentences import (
    BIASED,
    PROFESSIONS,
    BiasedWords,
    Drawn,
    Professions,
    choose_biased,
    choose_professions,
    draw_sentences,
    fewer_sentences,
    held_candidates,
    lacking,
)
from aslant.measures.in_context.space import Plan, SpaceFound, check_compared, compared_space, measure_space
from aslant.measures.in_context.swaps import (
    Encoded,
    component_spreads,
    encode,
    random_shares,
    random_words,
    swap_pairs,
    swap_random,
    variance_measure,
    word_shares,
)
from aslant.measures.polarities.measure import Words, word_list
from aslant.measures.residuals.measure import FEWEST, check_poles, select
from aslant.measures.residuals.result import Picture
from aslant.measures.residuals.separation import Gamma, check_gamma, check_picture, picture_of, plane_of, training_size
from aslant.measures.shared.directions import DEFAULT_PAIRS, Pairs
from aslant.measures.shared.spreads import spread
from aslant.measures.shared.wordsets import FloatArray, check_vectors
from aslant.models.protocols import Encoder, Progress
from aslant.parallel import one_thread_each
from aslant.results.provenance import Provenance, Representation
from aslant.statistics import check_count, seed_of, spawn, unit_rows
from aslant.stimuli import DEFAULT_POLES, MOST_FREQUENT
from aslant.vectors import WordVectors, load
from aslant.version import __version__

if TYPE_CHECKING:
    from aslant.auditing.step_context import Results, Work

#: What the components of the pairs are compared with: random words swapped, or also random words themselves.
RANDOM_AS = ("differences", "words")
MOST_REPEATS, MOST_SWAPS, MOST_DRAWS = 100, 1_000, 100_000


def contextual_bias(
    encoder: Encoder,
    corpus: Iterable[str],
    *,
    original: WordVectors | None = None,
    pairs: Pairs = DEFAULT_PAIRS,
    professions: Words = DEFAULT_WORDS,
    poles: tuple[str, str] = DEFAULT_POLES,
    specific: Words = SPECIFIC_WORDS,
    keep_specific: bool = True,
    repeats: int = 10,
    swaps: int = 20,
    top: int = 500,
    classified: int = 2_500,
    k: int = 100,
    gamma: Gamma = "scale",
    random_pairs: int = 1_000,
    random_as: str = "differences",
    picture: str = "auto",
    compare: Mapping[str, WordVectors] | None = None,
    store: str | PathLike[str] | None = None,
    progress: Progress | None = None,
    rng: int | np.random.Generator | None = 0,
) -> ContextualBiasResult:
    """Measure bias in the vectors of `encoder` for words in sentences of `corpus`, as Basta et al. (2019) do.

    The corpus is what `aslant.load_corpus` gives, or sentences. In each of `repeats` repeats a word is one vector, that
    of the word in one random sentence; the gender direction comes from up to `swaps` sentences for each of `pairs`, in
    which the two words take each other's place; direct bias from professions in sentences without words of `pairs`.
    Biased words to cluster (`top` per side) and classify (`classified` per side) come from `original`, a static space
    (nothing: the bundled sample), among the words that the corpus holds; the neighbours of professions are
    sought among these words, and among the professions. The components of the pairs are compared with those of random
    words swapped alike, `random_pairs` draws of them, and with `random_as="words"` also those of the vectors of random
    words themselves, as in Figure 1 of the paper. `compare` measures static spaces on the same words, as
    columns of the names given, such as {"static": v, "debiased": aslant.hard_debias(v)}. `store` is a folder that
    keeps vectors, so that a run that was stopped can resume.

    >>> import aslant
    >>> v = aslant.load(top=8_000)
    >>> text = [f"{who} met the {word} ." for word in v.words[:600] for who in ("She", "he")]
    >>> text += [f"A {w} slept ." for w in ("nurse", "lawyer", "teacher", "writer", "artist", "actor", "officer")]
    >>> r = aslant.contextual_bias(encoder, text, original=v, repeats=2, random_pairs=20, picture="none")
    >>> r.measures.clustering.over.n, "dancer" in r.missing, len(r.subspace.direction)
    (2, True, 64)
    """
    space = load() if original is None else original
    _check(encoder, space, compare, repeats, swaps, top, classified, k, random_pairs)
    check_poles(poles)
    check_gamma(gamma)
    check_picture(picture)
    check_random_as(random_as)
    seed = seed_of(rng)
    drawing, swapping, measuring, comparing, picking = spawn(seed, 5)
    everything, asked = select(space, space, poles, specific), word_list(professions)[0]
    drawn = draw_sentences(
        corpus, pairs, everything.words, asked, repeats=repeats, swaps=swaps, rng=drawing, progress=progress
    )
    chosen = held_candidates(everything, drawn.contexts(BIASED), drawn.corpus.name)
    words = choose_biased(chosen, top, classified)
    jobs = choose_professions(
        space, asked, drawn.contexts(PROFESSIONS), chosen.poles, specific, keep_specific=keep_specific
    )
    plan = Plan(
        words.clustered, words.classified, words.bias > 0, jobs.queries, jobs.query_bias,
        words.places(jobs.query_tokens), k, gamma,
    )  # fmt: skip
    plan.check()
    for static in (compare or {}).values():
        check_compared(static, words, jobs)
    made, used = swap_pairs(drawn, repeats, swaps)
    sizes = [pair.swapped for pair in used]
    beside = swap_random(drawn.contexts(BIASED), sizes, repeats, swapping) if random_pairs else []
    alone = random_words(drawn.contexts(BIASED), sum(sizes), repeats, picking) if random_as == "words" else []
    vectors = encode(encoder, drawn, words, jobs, made, beside, alone, store=store, progress=progress)
    with one_thread_each():  # sums in one order: a seed gives one answer on any machine
        directions, subspace, variance = _subspace(vectors, drawn, used, random_pairs, swapping)
        others = [one.components()[0][0] for one in vectors.beside]
        found = measure_space(vectors.repeats(directions, others), plan, variance, spawn(measuring, repeats))
        how = {"random_pairs": random_pairs, "repeats": repeats, "seed": seed_of(comparing)}
        compared = tuple(
            compared_space(column, static, words, jobs, plan, used, **how) for column, static in (compare or {}).items()
        )
    absent, fewer = lacking(drawn, everything, top, classified), fewer_sentences(drawn, words, jobs, repeats)
    settings = {
        "pairs": drawn.pairs_id, "professions": word_list(professions)[1], "specific": word_list(specific)[1],
        "keep_specific": keep_specific, "repeats": repeats, "swaps": swaps, "top": top, "classified": classified,
        "k": k, "gamma": gamma, "random_pairs": random_pairs, "random_as": random_as, "picture": picture,
        "length": "unit", "most_frequent": MOST_FREQUENT, "compare": [*(compare or {})],
    }  # fmt: skip
    return ContextualBiasResult(
        original=Representation(**space.record()),
        corpus=drawn.corpus,
        poles=poles,
        subspace=subspace,
        measures=found.measures,
        professions=_in_context(drawn, jobs, found),
        words=words.strongest(),
        numbers=_numbers(plan, words, jobs, len(chosen.words), top, classified, fewer),
        lacking=absent,
        clusters=_clusters(vectors, words, plan, found, poles, picture, seed),
        picture=_picture(vectors, jobs, picture, seed),
        compared=compared,
        provenance=Provenance(
            word_list(professions)[1], Representation(**encoder.record()),
            tuple(dict.fromkeys(word for part in absent.values() for word in part)), seed, settings, __version__,
        ),
    )  # fmt: skip


def _subspace(
    vectors: Encoded, drawn: Drawn, used: tuple[SwappedPair, ...], draws: int, random: np.random.Generator
) -> tuple[list[FloatArray], SwappedSubspace, RepeatedMeasure]:
    """Return the direction of each repeat, the summary of all of them, and the first component with random words."""
    found = [one.components() for one in vectors.swaps]
    directions, shares = [components[0] for components, _ in found], [ratios for _, ratios in found]
    together = unit_rows(np.mean(directions, axis=0))
    explained = component_spreads(shares)
    beside = random_shares(vectors.beside, len(used), len(explained), draws, random) if draws else None
    mixed = random_shares([vectors.swaps[0], *vectors.beside], len(used), 1, draws, random) if draws else None
    subspace = SwappedSubspace(
        poles=drawn.poles,
        pairs=used,
        pairs_left_out=tuple(pair for pair in drawn.pairs if pair not in {one.words for one in used}),
        explained=explained,
        random=() if beside is None else tuple(spread(column) for column in beside.T),
        direction=tuple(together.tolist()),
        agreement=spread(projections(np.array(directions), together)),
        random_words=component_spreads([word_shares(rows) for rows in vectors.random]) if vectors.random else (),
    )
    return directions, subspace, variance_measure(shares, beside, mixed)


def _in_context(drawn: Drawn, jobs: Professions, found: SpaceFound) -> tuple[ProfessionInContext, ...]:
    counts = drawn.contexts(PROFESSIONS).counts
    return tuple(
        ProfessionInContext(word, spread(cosines), bias, counts[word])
        for word, cosines, bias in zip(jobs.words, found.projections.T, jobs.bias, strict=True)
    )


def _numbers(
    plan: Plan, words: BiasedWords, jobs: Professions, candidates: int, top: int, classified: int,
    fewer: dict[str, int],
) -> WordNumbers:  # fmt: skip
    return WordNumbers(
        candidates=candidates, clustered_per_side=words.clustered, asked_clustered=top,
        classified_per_side=words.classified, asked_classified=classified,
        training_words=training_size(2 * words.classified), professions=len(jobs.words),
        professions_with_bias=len(jobs.queries), k=plan.k_used, k_within=plan.k_within, asked_k=plan.k,
        fewer_sentences=fewer,
    )  # fmt: skip


def _clusters(
    vectors: Encoded, words: BiasedWords, plan: Plan, found: SpaceFound, poles: tuple[str, str], method: str, seed: int
) -> Picture | None:
    rows, labels = plan.both_sides(plan.clustered)
    sides = [poles[0] if first else poles[1] for first in labels]
    names = [words.words[row] for row in rows]
    return picture_of(unit_rows(vectors.words[0][rows]), names, sides, found.clusters, method, seed)


def _picture(vectors: Encoded, jobs: Professions, method: str, seed: int) -> ProfessionPicture | None:
    if method == "none":
        return None
    used, plane = plane_of(unit_rows(vectors.professions[0][jobs.queries]), method, seed)
    points = zip(jobs.queries, jobs.query_bias.tolist(), plane.tolist(), strict=True)
    return ProfessionPicture(used, tuple(ProfessionPoint(jobs.words[row], bias, x, y) for row, bias, (x, y) in points))


def check_random_as(random_as: str) -> None:
    """Refuse an unknown kind of random words."""
    if random_as not in RANDOM_AS:
        raise MeasureError(f"random_as={random_as!r:.60} is not one of {', '.join(RANDOM_AS)}.")


def _check(
    encoder: Any, original: Any, compare: Any, repeats: int, swaps: int, top: int, classified: int, k: int,
    random_pairs: int,
) -> None:  # fmt: skip
    if not isinstance(encoder, Encoder):
        raise MeasureError(f"{encoder!r:.60} is not an encoder; open one with aslant.load_encoder(…) first.")
    check_vectors(original)
    if compare is not None and not isinstance(compare, Mapping):
        raise MeasureError(f"compare={compare!r:.60} is not a mapping of names to word vectors.")
    for column, vectors in (compare or {}).items():
        check_vectors(vectors)
        if column == CONTEXTUAL:
            raise MeasureError(f"compare names a static space '{column}', which is the name of the encoder's column.")
    check_count("repeats", repeats, 1, MOST_REPEATS)
    check_count("swaps", swaps, 1, MOST_SWAPS)
    check_count("k", k, 1, MOST_FREQUENT)
    check_count("random_pairs", random_pairs, 0, MOST_DRAWS)
    for name, value in (("top", top), ("classified", classified)):
        check_count(name, value, FEWEST, MOST_FREQUENT)


def contextual(work: Work) -> Results:
    """Measure bias in context; biased words come from the bundled sample."""
    found = contextual_bias(
        work.subject.encoder, work.subject.corpus, rng=work.seed, store=work.journal, progress=work.progress,
        **work.settings,
    )  # fmt: skip
    return (found,)
