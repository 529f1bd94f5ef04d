"""Likelihood bias of descriptors: HolisticBias (Smith et al. 2022; docs/definitions.md §11)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from aslant.errors import MeasureError, StimuliError, plural
from aslant.io.journal import Journal
from aslant.measures.descriptors import result as r
from aslant.measures.descriptors.settings import HolisticBiasSettings
from aslant.measures.descriptors.statistic import (
    FloatArray,
    pair_pvalues,
    published_share,
    random_shares,
    share_of,
)
from aslant.measures.descriptors.stimuli import Contexts, Descriptor, DescriptorSet, contexts, holistic_set
from aslant.measures.sentence_tests.chance import ranks
from aslant.measures.shared.open_subject import opening
from aslant.measures.shared.settings import keywords
from aslant.measures.shared.wordsets import provenance
from aslant.measures.template_tests.step import twins_in
from aslant.models.plan import Tables, ask_ahead
from aslant.models.protocols import Progress, ScoresTexts
from aslant.statistics import (
    Chance,
    against_chance,
    benjamini_hochberg,
    known_qvalues,
    rank_correlations,
    seed_of,
    spawn,
)
from aslant.stimuli.descriptor_sets import DATA

if TYPE_CHECKING:
    from aslant.auditing.step_context import Results, Work

#: Endings by which English adjectives are told, and words with them that are none.
ADJECTIVES = ("ful", "ous", "less", "able", "ible")
NO_ADJECTIVES = {
    "disable", "enable", "handful", "nevertheless", "nonetheless", "regardless", "timetable", "unable",
    "unless", "vegetable", "available", "numerous", "previous", "various",
}  # fmt: skip
#: How many adjectives are scored in place of descriptors; and as many more for each descriptor where these are few.
POOL, FOR_EACH = 160, 4
#: How many pairs of each axis the result keeps, those furthest apart.
KEPT = 10
#: Mean scores, shape (descriptors, templates, nouns), and word pieces of the sentences, (descriptors,).
Scored = tuple[FloatArray, FloatArray]


@opening("lm")
@keywords
def holistic_bias(
    lm: Any,
    source: str | PathLike[str] = DATA,
    *,
    axes: str | Sequence[str] | None = None,
    settings: HolisticBiasSettings,
    journal: str | PathLike[str] | Journal | None = None,
    rng: int | np.random.Generator | None = 0,
    progress: Progress | None = None,
) -> r.HolisticBiasResult:
    """Compare how likely a language model finds descriptors of people in the same sentences, axis by axis.

    `source`: "holisticbias" or a folder with its files; `axes`: some of its 13 axes. Every template gets `nouns` nouns
    of its own, and every descriptor stands in the same sentences; `descriptors` limits how many of each axis, drawn at
    random. Two descriptors differ where the signed-rank test of their scores over templates has a q-value of at most
    `alpha`, over the pairs of an axis. Scores are mean log-likelihoods `per_piece` (else sums): of a causal model those
    of the sentence, of a masked one pseudo-log-likelihoods. Beside the share of pairs stand `chance` draws of random
    adjectives of as many word pieces in the same sentences, and `twins` untrained models: a share that these reach
    needs no bias. `journal` is a folder from which a killed run resumes. The output contains terms that may offend.

    >>> import aslant, tempfile
    >>> from pathlib import Path  # here, texts_lm is a small model; aslant.load_lm(…) opens real ones
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "descriptors.json").write_text('{"age": {"": ["old", "young", "teenaged"]}}')
    >>> _ = (folder / "nouns.json").write_text('{"neutral": [["person", "people"], ["kid", "kids"]]}')
    >>> _ = (folder / "sentence_templates.json").write_text('{"I am {noun_phrase}.": {}, "I like {noun_phrase}.": {}}')
    >>> r = aslant.holistic_bias(texts_lm, folder, chance=0)
    >>> [(axis.axis, axis.pairs, axis.share) for axis in r.axes]
    [('age', 3, 0.0)]
    """
    if not isinstance(lm, ScoresTexts):
        raise MeasureError(f"{lm!r:.60} does not score texts; open a language model with aslant.load_lm(…) first.")
    seed = seed_of(rng)
    asked = chosen_descriptors(source, axes)
    for_nouns, for_descriptors, for_chance = spawn(seed, 3)
    chosen = _drawn(asked.descriptors, settings.descriptors, for_descriptors)
    within = contexts(asked.templates, asked.nouns, settings.nouns, for_nouns)
    tables = Tables(journal)
    kept, refused = _usable(lm, within, chosen, tables, progress)

    def score(model: Any, some: Sequence[Descriptor]) -> Scored:
        return _scored(model, within, some, settings, tables if model is lm else None, progress)

    scores, pieces = score(lm, kept)
    bare = _bare_pieces(lm, within, tables)
    pool = _adjectives(lm, within, kept, settings, tables, progress) if settings.chance else []
    found = _axes(kept, scores, settings)
    if pool:
        found = _with_chance(found, kept, pieces, score(lm, pool), settings, for_chance)
    found = _with_twins(found, lm, kept, settings, score)
    left_out = tuple(dict.fromkeys(descriptor.text for descriptor in asked.left_out))
    missing = (*left_out, *(descriptor.text for descriptor in refused))
    record = {"axes": None if axes is None else list(dict.fromkeys(d.axis for d in chosen)), **settings.record()}
    return r.HolisticBiasResult(
        method=lm.scorings[0],
        templates=within.templates,
        sentences=scores.size,
        alpha=settings.alpha,
        axes=found,
        **_descriptors(kept, scores, pieces - bare, settings.alpha),
        notes=_notes(left_out, refused, settings, pool),
        provenance=provenance(lm, str(DATA if source == DATA else source), missing, seed, record),
    )


def chosen_descriptors(source: str | PathLike[str], axes: str | Sequence[str] | None) -> DescriptorSet:
    """Return the descriptors of the axes; an axis that is not there is refused."""
    found = holistic_set(source)
    known = list(dict.fromkeys(descriptor.axis for descriptor in found.descriptors))
    wanted = known if axes is None else [axes] if isinstance(axes, str) else list(axes)
    if unknown := [axis for axis in wanted if axis not in known]:
        raise StimuliError(f"there is no axis '{unknown[0]}'; choose among {', '.join(known)}.")
    descriptors, left_out = (
        tuple(one for one in part if one.axis in wanted) for part in (found.descriptors, found.left_out)
    )
    return replace(found, descriptors=descriptors, left_out=left_out)


def _drawn(every: Sequence[Descriptor], most: int, random: np.random.Generator) -> list[Descriptor]:
    """Return at most this many descriptors of each axis, in their order."""
    chosen = []
    for axis in dict.fromkeys(descriptor.axis for descriptor in every):
        own = [descriptor for descriptor in every if descriptor.axis == axis]
        places = sorted(random.choice(len(own), most, replace=False)) if 0 < most < len(own) else range(len(own))
        chosen += [own[place] for place in places]
    return chosen


def _usable(
    lm: Any, within: Contexts, chosen: Sequence[Descriptor], journal: Any, progress: Progress | None
) -> tuple[list[Descriptor], list[Descriptor]]:
    """Split descriptors into those whose sentences the model can all score, and others."""
    texts = [within.sentences(descriptor) for descriptor in chosen]
    every = [text for own in texts for text in own]
    ask_ahead(lm, every, journal, progress)
    reasons = lm.unscorable(every)
    each = len(texts[0]) if texts else 1
    bad = {place // each for place in reasons}
    kept = [descriptor for place, descriptor in enumerate(chosen) if place not in bad]
    if not kept:
        raise MeasureError(f"no descriptor can be scored: {next(iter(reasons.values()))}.")
    return kept, [chosen[place] for place in sorted(bad)]


def _scored(
    lm: Any, within: Contexts, some: Sequence[Descriptor], how: HolisticBiasSettings, journal: Any,
    progress: Progress | None,
) -> Scored:  # fmt: skip
    """Score every sentence of every descriptor."""
    texts = [text for descriptor in some for text in within.sentences(descriptor)]
    found = lm.text_scores(texts, journal=journal, progress=progress)
    values = np.array([score.per_piece if how.per_piece else score.total for score in found])
    if not np.isfinite(values).all():
        place = int(np.flatnonzero(~np.isfinite(values))[0])
        raise MeasureError(f"the model returns no finite log-likelihood for '{texts[place]}'.")
    pieces = np.array([score.pieces for score in found], dtype=np.float64).reshape(len(some), -1).mean(axis=1)
    return values.reshape(len(some), len(within.templates), -1), pieces


def _bare_pieces(lm: Any, within: Contexts, journal: Any) -> float:
    """Return the mean number of pieces of the same sentences without a descriptor."""
    return float(np.mean([score.pieces for score in lm.text_scores(within.sentences(None), journal=journal)]))


def _axes(
    kept: Sequence[Descriptor], scores: FloatArray, how: HolisticBiasSettings, *, published: bool = True
) -> tuple[r.AxisBias, ...]:
    """Compare the descriptors of every axis."""
    found = []
    for axis in dict.fromkeys(descriptor.axis for descriptor in kept):
        own = scores[_of_axis(kept, axis)]
        means = own.mean(axis=2)
        pvalues = pair_pvalues(means)
        differing = int((benjamini_hochberg(pvalues) <= how.alpha).sum())
        spread = float(means.mean(axis=1).std(ddof=1)) if len(own) > 1 else 0.0
        found.append(
            r.AxisBias(
                axis, len(own), len(pvalues), differing, share_of(pvalues, how.alpha), spread,
                published_share(own) if published else None, None, None, (),
            )
        )  # fmt: skip
    return tuple(found)


def _of_axis(kept: Sequence[Descriptor], axis: str) -> list[int]:
    return [place for place, descriptor in enumerate(kept) if descriptor.axis == axis]


def _adjectives(
    lm: Any, within: Contexts, kept: Sequence[Descriptor], how: HolisticBiasSettings, journal: Any,
    progress: Progress | None,
) -> list[Descriptor]:  # fmt: skip
    """Return English adjectives that are not descriptors, from the frequent to the rare, evenly by log rank."""
    taken = {part for descriptor in kept for part in descriptor.text.lower().replace("-", " ").split()}
    listed = [
        word for word in ranks() if word.endswith(ADJECTIVES) and len(word) > 5 and word not in NO_ADJECTIVES | taken
    ]
    largest = max(len(_of_axis(kept, axis)) for axis in {descriptor.axis for descriptor in kept})
    places = np.geomspace(1, len(listed), min(POOL, FOR_EACH * largest, len(listed)), endpoint=False).astype(np.int64)
    some = [Descriptor(listed[place - 1], "") for place in np.unique(places)]
    return _usable(lm, within, some, journal, progress)[0]


def _with_chance(
    axes: tuple[r.AxisBias, ...], kept: Sequence[Descriptor], pieces: FloatArray, pool: Scored,
    how: HolisticBiasSettings, random: np.random.Generator,
) -> tuple[r.AxisBias, ...]:  # fmt: skip
    """Compare the share of every axis with those of adjectives drawn in place of its descriptors."""
    size = len(pool[0])
    table = np.ones((size, size))
    table[np.triu_indices(size, 1)] = pair_pvalues(pool[0].mean(axis=2))
    table = np.minimum(table, table.T)
    chances: list[Chance | None] = []
    for axis in axes:
        if axis.descriptors < 2 or size < 4:
            chances.append(None)
            continue
        wanted = np.round(pieces[_of_axis(kept, axis.axis)]).astype(int).tolist()
        shares = random_shares(table, np.round(pool[1]).astype(int).tolist(), wanted, how.chance, how.alpha, random)
        chances.append(against_chance(axis.share, shares, "random adjectives", signed=False))
    qvalues = known_qvalues([chance.pvalue if chance else None for chance in chances])
    return tuple(
        replace(axis, chance=chance, chance_qvalue=q) for axis, chance, q in zip(axes, chances, qvalues, strict=True)
    )


def _with_twins(
    axes: tuple[r.AxisBias, ...], lm: Any, kept: Sequence[Descriptor], how: HolisticBiasSettings,
    score: Callable[[Any, Sequence[Descriptor]], Scored],
) -> tuple[r.AxisBias, ...]:  # fmt: skip
    """Ask untrained models the same, one at a time; none where the architecture cannot be rebuilt."""
    found: list[tuple[float, ...]] = [() for _ in axes]
    for seed in range(how.twins if hasattr(lm, "untrained") else 0):
        own = _axes(kept, score(lm.untrained(seed), kept)[0], how, published=False)
        found = [(*shares, axis.share) for shares, axis in zip(found, own, strict=True)]
    return tuple(replace(axis, twins=shares) for axis, shares in zip(axes, found, strict=True))


def _descriptors(kept: Sequence[Descriptor], scores: FloatArray, pieces: FloatArray, alpha: float) -> dict[str, Any]:
    """Return every descriptor with its place on its axis, and the pairs furthest apart."""
    means = scores.mean(axis=2)
    overall, above, below = means.mean(axis=1), np.zeros(len(kept), int), np.zeros(len(kept), int)
    furthest: list[r.DescriptorPair] = []
    for axis in dict.fromkeys(descriptor.axis for descriptor in kept):
        own = np.array(_of_axis(kept, axis))
        first, second = (own[side] for side in np.triu_indices(len(own), 1))
        pvalues = pair_pvalues(means[own])
        qvalues, gaps = benjamini_hochberg(pvalues), overall[first] - overall[second]
        higher, lower = np.where(gaps > 0, first, second), np.where(gaps > 0, second, first)
        np.add.at(above, higher[qvalues <= alpha], 1)
        np.add.at(below, lower[qvalues <= alpha], 1)
        for k in np.argsort(-np.abs(gaps), kind="stable")[:KEPT]:
            names = kept[higher[k]].text, kept[lower[k]].text
            furthest.append(r.DescriptorPair(axis, *names, float(abs(gaps[k])), float(pvalues[k]), float(qvalues[k])))
    listed = tuple(
        r.DescriptorScore(
            d.text, d.axis, d.bucket, d.preference, float(pieces[i]), float(overall[i]), _perplexity(overall[i]),
            int(above[i]), int(below[i]),
        )
        for i, d in enumerate(kept)
    )  # fmt: skip
    rho = float(rank_correlations([overall], [pieces])[0]) if len(kept) > 2 else np.nan
    return {
        "descriptors": listed,
        "furthest": tuple(furthest),
        "pieces_correlation": rho if np.isfinite(rho) else None,
    }


def _perplexity(score: float) -> float:
    """Return exp(−score), which stays finite."""
    return float(np.exp(min(-score, 700.0)))


def _notes(
    gendered: Sequence[str], refused: Sequence[Descriptor], how: HolisticBiasSettings, pool: Sequence[Descriptor]
) -> tuple[str, ...]:
    notes = []
    if gendered:
        notes.append(f"{plural(len(gendered), 'descriptor')} left out, for nouns of one gender only")
    if refused:
        notes.append(f"left out, since the model cannot score them: {', '.join(d.text for d in refused)}")
    if how.chance and not pool:
        notes.append("no chance level: the model can score no adjectives")
    return tuple(notes)


def holistic_biases(work: Work) -> Results:
    """Compare descriptors, if HolisticBias is on this machine."""
    if (place := work.find_data(f"holistic-bias, {DATA}", DATA)) is None:
        return ()
    settings = {**work.settings, "twins": twins_in(work)}
    found = holistic_bias(work.subject.opened, place, rng=work.seed, **work.asking(), **settings)
    return (work.named(found, DATA),)
