"""Bias in contextual vectors: words in sentences of a corpus, new sentences in each repeat (Basta et al. 2019)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np

from aslant.errors import MeasureError
from aslant.measures.geometry.directional import DEFAULT_WORDS, SPECIFIC_WORDS
from aslant.measures.in_context import chance, sentences, swaps
from aslant.measures.in_context import result as r
from aslant.measures.in_context.sentences import BIASED, PROFESSIONS, BiasedWords, Professions
from aslant.measures.in_context.settings import ContextualSettings
from aslant.measures.in_context.space import Plan, SpaceFound, check_compared, compared_space, measure_space
from aslant.measures.polarities.measure import Words, word_list
from aslant.measures.residuals.measure import check_poles, select
from aslant.measures.residuals.result import Picture
from aslant.measures.residuals.separation import Gamma, check_gamma, picture_of, plane_of, training_size
from aslant.measures.sentence_tests.clustered_words import check_encoder
from aslant.measures.shared.directions import DEFAULT_PAIRS, Pairs
from aslant.measures.shared.open_subject import opening
from aslant.measures.shared.settings import keywords
from aslant.measures.shared.statistic import spread
from aslant.measures.shared.wordsets import check_vectors, provenance
from aslant.models.protocols import Encoder, Progress
from aslant.parallel import one_thread_each
from aslant.results.provenance import Representation
from aslant.statistics import seed_of, spawn, unit_rows
from aslant.stimuli import DEFAULT_POLES, MOST_FREQUENT
from aslant.vectors import WordVectors, load

if TYPE_CHECKING:
    from aslant.auditing.step_context import Results, Work


@opening("encoder", "original", "compare")
@keywords
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
    gamma: Gamma = "scale",
    settings: ContextualSettings,
    compare: Mapping[str, WordVectors] | None = None,
    store: str | PathLike[str] | None = None,
    progress: Progress | None = None,
    rng: int | np.random.Generator | None = 0,
) -> r.ContextualBiasResult:
    """Measure bias in the vectors of `encoder` for words in sentences of `corpus`, as Basta et al. (2019) do.

    The corpus is what `aslant.load_corpus` gives, or sentences. In each of `repeats` repeats a word is one vector, that
    of the word in one random sentence; the gender direction comes from up to `swaps` sentences for each of `pairs`, in
    which the two words take each other's place; direct bias from professions in sentences without words of `pairs`.
    Biased words to cluster (`top` per side) and classify (`classified` per side) come from `original`, a static space
    (nothing: the bundled sample), among the words that the corpus holds; the neighbours of professions are
    sought among these words, and among the professions. The components of the pairs are compared with those of random
    words swapped alike, `random_pairs` draws of them, and with `random_as="words"` also those of the vectors of random
    words themselves, as in Figure 1 of the paper. What the words chosen by `poles` show is compared with what up to
    `chance` random poles of the same frequency give, on a sample of 1,000 words. `compare` measures static spaces on
    the same words, as columns of the names given, such as {"static": v, "debiased": aslant.hard_debias(v)}. `store` is
    a folder that keeps vectors, so that a run that was stopped can resume.

    >>> import aslant
    >>> v = aslant.load(top=8_000)
    >>> text = [f"{who} met the {word} ." for word in v.words[:600] for who in ("She", "he")]
    >>> text += [f"A {w} slept ." for w in ("nurse", "lawyer", "teacher", "writer", "artist", "actor", "officer")]
    >>> r = aslant.contextual_bias(encoder, text, original=v, repeats=2, chance=0, random_pairs=20, picture="none")
    >>> r.measures.clustering.over.n, "dancer" in r.missing, len(r.subspace.direction)
    (2, True, 64)
    """
    static, columns, how = load() if original is None else original, compare or {}, settings
    encoder = check_encoder(encoder)
    check_vectors(static)
    if not isinstance(columns, Mapping):
        raise MeasureError(f"compare={compare!r:.60} is not a mapping of names to word vectors.")
    for column, vectors in columns.items():
        check_vectors(vectors)
        if column == r.CONTEXTUAL:
            raise MeasureError(f"compare names a static space '{column}', which is the name of the encoder's column.")
    check_poles(poles)
    check_gamma(gamma)
    seed = seed_of(rng)
    drawing, swapping, measuring, comparing, picking, sampling = spawn(seed, 6)
    everything, (asked, asked_id) = select(static, static, poles, specific), word_list(professions)
    drawn = sentences.draw_sentences(
        corpus, pairs, everything.words, asked, repeats=how.repeats, swaps=how.swaps, rng=drawing, progress=progress
    )
    of_words, of_jobs = drawn.contexts(BIASED), drawn.contexts(PROFESSIONS)
    chosen = sentences.held_candidates(everything, of_words, drawn.corpus.name)
    words = sentences.choose_biased(chosen, how.top, how.classified)
    jobs = sentences.choose_professions(static, asked, of_jobs, chosen.poles, specific, keep_specific=keep_specific)
    own = words.places(jobs.query_tokens)
    plan = Plan(words.clustered, words.classified, words.bias > 0, jobs.queries, jobs.query_bias, own, how.k, gamma)
    plan.check()
    for vectors in columns.values():
        check_compared(vectors, words, jobs)
    made, used = swaps.swap_pairs(drawn, how.repeats, how.swaps)
    sizes = [pair.swapped for pair in used]
    beside = swaps.swap_random(of_words, sizes, how.repeats, swapping) if how.random_pairs else []
    alone = swaps.random_words(of_words, sum(sizes), how.repeats, picking) if how.random_as == "words" else []
    sample = chance.sampled(len(chosen.words), how.chance, sampling)
    leans = chance.Leans.drawn(static, chosen, sample, jobs, how.chance, sampling)
    held = [chosen.words[place] for place in sample if leans]
    shown = [of_words.by_word[word][0] for word in held]
    encoded = swaps.encode(encoder, drawn, words, jobs, made, beside, alone, shown, store=store, progress=progress)
    with one_thread_each():  # sums in one order: a seed gives one answer on any machine
        directions, subspace, variance, direct = swaps.summed_up(encoded, drawn, used, how.random_pairs, swapping)
        found = measure_space(encoded.repeats(directions), plan, variance, spawn(measuring, how.repeats))
        measures = replace(found.measures, direct_bias=direct)
        if leans:
            queries, at = unit_rows(encoded.professions[0][jobs.queries]), {word: i for i, word in enumerate(held)}
            within = np.array([at.get(token, -1) for token in jobs.query_tokens], dtype=np.intp)
            measures = chance.beside_poles(
                measures, leans, unit_rows(encoded.sample), queries, within, how.k, gamma, sampling
            )
        same = {"random_pairs": how.random_pairs, "repeats": how.repeats, "seed": seed_of(comparing)}
        compared = [compared_space(column, v, words, jobs, plan, used, **same) for column, v in columns.items()]
    absent = sentences.lacking(drawn, everything, how.top, how.classified)
    kept = {
        "pairs": drawn.pairs_id, "professions": asked_id, "specific": word_list(specific)[1],
        "keep_specific": keep_specific, "gamma": gamma, **how.record(), "length": "unit",
        "most_frequent": MOST_FREQUENT, "compare": [*columns],
    }  # fmt: skip
    return r.ContextualBiasResult(
        original=Representation(**static.record()),
        corpus=drawn.corpus,
        poles=poles,
        subspace=subspace,
        measures=measures,
        professions=tuple(
            r.ProfessionInContext(word, spread(cosines), bias, of_jobs.counts[word])
            for word, cosines, bias in zip(jobs.words, found.projections.T, jobs.bias, strict=True)
        ),
        words=words.strongest(),
        numbers=r.WordNumbers(
            candidates=len(chosen.words), clustered_per_side=words.clustered, asked_clustered=how.top,
            classified_per_side=words.classified, asked_classified=how.classified,
            training_words=training_size(2 * words.classified), professions=len(jobs.words),
            professions_with_bias=len(jobs.queries), k=plan.k_used, k_within=plan.k_within, asked_k=plan.k,
            fewer_sentences={
                what: sum(len(drawn.contexts(what).by_word[word]) < how.repeats for word in used)
                for what, used in ((BIASED, words.words), (PROFESSIONS, jobs.words))
            },
        ),
        lacking=absent,
        clusters=_clusters(encoded, words, plan, found, poles, how.picture, seed),
        picture=_picture(encoded, jobs, how.picture, seed),
        compared=tuple(compared),
        provenance=provenance(encoder, asked_id, sum(absent.values(), ()), seed, kept),
    )  # fmt: skip


def _clusters(
    vectors: swaps.Encoded, words: BiasedWords, plan: Plan, found: SpaceFound, poles: tuple[str, str], method: str,
    seed: int,
) -> Picture | None:  # fmt: skip
    rows, labels = plan.both_sides(plan.clustered)
    sides = [poles[0] if first else poles[1] for first in labels]
    names = [words.words[row] for row in rows]
    return picture_of(unit_rows(vectors.words[0][rows]), names, sides, found.clusters, method, seed)


def _picture(vectors: swaps.Encoded, jobs: Professions, method: str, seed: int) -> r.ProfessionPicture | None:
    if method == "none":
        return None
    used, plane = plane_of(unit_rows(vectors.professions[0][jobs.queries]), method, seed)
    points = zip(jobs.queries, jobs.query_bias.tolist(), plane.tolist(), strict=True)
    return r.ProfessionPicture(used, tuple(r.ProfessionPoint(jobs.words[i], bias, x, y) for i, bias, (x, y) in points))


def contextual(work: Work) -> Results:
    """Measure bias in context; biased words come from the bundled sample."""
    how = {"rng": work.seed, "store": work.journal, "progress": work.progress, **work.settings}
    return (contextual_bias(work.subject.encoder, work.subject.corpus, **how),)
