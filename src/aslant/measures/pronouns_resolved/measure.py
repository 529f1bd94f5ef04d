"""Gendered pronoun resolution with a model's vectors, on GAP (Kurita et al. 2019, §4; docs/definitions.md §8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aslant.errors import MeasureError
from aslant.measures.pronouns_resolved import statistics
from aslant.measures.pronouns_resolved.gap_files import FEMALE, GENDERS, LABELS, Gap, GapSample, read_gap
from aslant.measures.pronouns_resolved.predictions import (
    HELD_OUT,
    FloatArray,
    check_samples,
    features,
    groups_and_kinds,
    plan,
    predictions,
)
from aslant.measures.pronouns_resolved.result import (
    Counterfactual,
    PronounResolutionResult,
    PronounSample,
    TopicCorrelation,
)
from aslant.measures.pronouns_resolved.settings import PronounSettings
from aslant.measures.pronouns_resolved.statistics import NEITHER, TARGETS, Leanings, Topics
from aslant.measures.pronouns_resolved.swapping import gender_of_names, is_ambiguous, swapped
from aslant.measures.sentence_tests.clustered_words import check_encoder
from aslant.measures.shared.open_subject import opening
from aslant.measures.shared.settings import keywords
from aslant.measures.shared.statistic import spread
from aslant.measures.template_tests.scoring import asking
from aslant.measures.template_tests.settings import Asking
from aslant.models.classifier import Classifier
from aslant.models.protocols import Encoder, Progress
from aslant.results.provenance import Provenance, Representation
from aslant.statistics import against_chance, seed_of, spawn
from aslant.version import __version__

if TYPE_CHECKING:
    from aslant.auditing.step_context import Results, Work

#: The kind of chance: what takes the place of the texts as they are.
RETRAINED = "classifiers trained on texts with randomly swapped pronouns"


@opening("encoder", "lm")
@keywords
def pronoun_resolution(
    encoder: Encoder,
    gap: Gap = "gap",
    *,
    lm: Any = None,
    train: Gap | None = None,
    classifier: Classifier | None = None,
    targets: Any = None,
    settings: PronounSettings,
    journal: str | PathLike[str] | None = None,
    store: str | PathLike[str] | None = None,
    progress: Progress | None = None,
    rng: int | np.random.Generator | None = 0,
) -> PronounResolutionResult:
    """Resolve ambiguous pronouns with an encoder's vectors, and compare how often "neither" comes up by gender.

    `gap` is measured: a file of GAP, its folder, or the data name "gap" (its development file); several are put
    together. The vectors of the pronoun and of the names A and B train a small `classifier` into A, B or neither; each
    sample is predicted by one that has seen neither it nor its page (`folds`), for several `seeds`, whose mean is
    taken. With `train` (other files) the classifiers learn from these instead. The texts' `topics` (NMF) get a bias
    from the `top_words` words of each by the log-probability score of `lm` in `template`; `sample bias` is that of its
    topics, and is correlated with the probability of "neither". Without `lm` topics have no bias.

    Each text is also read with its pronouns swapped, by the same classifiers (`counterfactual`). These have learned the
    gap that their labels have by chance; classifiers trained `retrained` times anew, on texts of which a random half is
    swapped, show how much that is (`chance`; each time takes as long as all training). `journal` is a folder
    that keeps vectors, answers of the model and predictions, so that a killed run resumes; with `store`,
    vectors are kept there instead, where other measures on the same encoder find them.

    >>> import aslant  # here, models and samples are small; aslant.load_encoder(…) and aslant.load_lm(…) open real ones
    >>> quick = aslant.models.Classifier(units=4, epochs=3)
    >>> r = aslant.pronoun_resolution(encoder, gap_samples, lm=any_lm, seeds=1, classifier=quick, topics=2, bootstrap=9)
    >>> [(o.gender, o.n, o.neither) for o in r.outcomes], round(r.label_gap, 3)
    ([('male', 39, 9), ('female', 39, 24)], 0.385)
    """
    encoder = check_encoder(encoder)
    if lm is not None:
        asking(lm, Asking())
    classifier = classifier if classifier is not None else Classifier()
    measured, source = read_gap(gap)
    samples, train_source = read_gap(train) if train is not None else ((), None)
    texts = {sample.text for sample in measured}  # not to be trained on
    learnt_from = [sample for sample in samples if sample.text not in texts]
    if samples and not learnt_from:
        raise MeasureError(
            f"every text of {train_source} is also measured; train on other files, or leave out `train`."
        )
    check_samples(measured, learnt_from, settings.folds)
    seed = seed_of(rng)
    found = statistics.find_topics([sample.text for sample in measured], settings.topics, settings.top_words, seed)
    journal_of_model, step = _inside(journal, "language-model"), _step(progress, "words of topics")
    first_words = list(dict.fromkeys(word for words in found.words for word, _ in words))
    said = statistics.leanings(lm, first_words, settings.template, targets or TARGETS, journal_of_model, step)
    everything = [*measured, *learnt_from]
    kept = store or _inside(journal, "vectors")
    x = features(encoder, everything, kept, _step(progress, "texts"))
    other = features(
        encoder, [swapped(sample) for sample in everything], kept, _step(progress, "texts, pronouns swapped")
    )
    fits, shape = plan(measured, learnt_from, settings.folds, settings.seeds, seed), (settings.seeds, len(measured))
    labels, training = _labels(everything), (shape, classifier, _inside(journal, "folds"), progress)
    probabilities, swaps = predictions(fits, x, other, labels, *training)
    differences = _differences(everything, probabilities, swaps)
    clear = ~np.array([is_ambiguous(sample) for sample in everything])
    told, drawn = clear[: len(measured)], []
    for random in spawn(seed + 3, settings.retrained if told.any() else 0):
        flip = random.integers(0, 2, len(everything)).astype(bool) & clear
        given = [swapped(sample) if flipped else sample for sample, flipped in zip(everything, flip, strict=True)]
        asis, turned = np.where(flip[:, None], other, x), np.where(flip[:, None], x, other)
        drawn.append(float(_differences(given, *predictions(fits, asis, turned, labels, *training))[told].mean()))
    stopping = "the fold left out" if train is not None else f"1 in {HELD_OUT} of the rows trained on"
    record = {
        **settings.record(), "train": train_source, "held_out_to_stop": stopping,
        "targets": _plain(targets or TARGETS), "classifier": classifier.record(),
    }  # fmt: skip
    return PronounResolutionResult(
        **_numbers(measured, probabilities, settings, seed),
        **_topical(measured, probabilities, found, said, settings, seed),
        language_model=Representation(**lm.record()) if lm is not None else None,
        notes=_notes(found, said, [sample.id for sample in samples if sample.text in texts], int((~told).sum())),
        provenance=Provenance(source, Representation(**encoder.record()), said.unplaced, seed, record, __version__),
        counterfactual=_counterfactual(measured, differences, told, settings, seed),
        chance=against_chance(float(differences[told].mean()), drawn, RETRAINED) if drawn else None,
    )


def _differences(samples: Sequence[GapSample], asis: FloatArray, swaps: FloatArray) -> FloatArray:
    """Return P(neither) of the female version of each text minus that of the male one; arrays (seeds, n, 3)."""
    signs = np.where([sample.gender == FEMALE for sample in samples], 1.0, -1.0)[: asis.shape[1]]
    return np.asarray(signs * (asis - swaps)[:, :, NEITHER].mean(axis=0))


def _counterfactual(
    samples: Sequence[GapSample], differences: FloatArray, told: NDArray[np.bool_], how: PronounSettings, seed: int
) -> tuple[Counterfactual, ...]:
    """Compare both versions of the texts that are `told` apart, (n,): of all, and of those with names of one gender."""
    names = np.array([gender_of_names(sample) or "" for sample in samples])
    page = np.array(groups_and_kinds(samples)[0])
    found = []
    for which, random in zip(("all", *GENDERS), spawn(seed + 2, 3), strict=True):
        chosen = told & ((names == which) | (which == "all"))
        if chosen.sum() > 1:
            found.append(statistics.counterfactual(which, differences[chosen], page[chosen], how, random))
    return tuple(found)


def _plain(targets: Any) -> Any:
    """Return target sets as a record keeps them: names and lists."""
    if isinstance(targets, str | PathLike):
        return str(targets)
    if isinstance(targets, Mapping):
        return {str(name): list(words) for name, words in targets.items()}
    return [side if isinstance(side, str) else list(side) for side in targets]


def _step(progress: Progress | None, name: str) -> Progress | None:
    """Show progress under our own name: models give their steps the same names."""
    return progress and (lambda _, done, total: progress(name, done, total))


def _inside(folder: str | PathLike[str] | None, name: str) -> Path | None:
    return None if folder is None else Path(folder) / name


def _labels(samples: Sequence[GapSample]) -> NDArray[np.intp]:
    return np.array([LABELS.index(sample.label) for sample in samples], dtype=np.intp)


def _numbers(
    samples: Sequence[GapSample], probabilities: FloatArray, how: PronounSettings, seed: int
) -> dict[str, Any]:
    """Return the parts of the result that need no topics; `probabilities` is (seeds, samples, 3)."""
    labels, genders = _labels(samples), np.array([sample.gender for sample in samples])
    outcomes, gap, beyond = statistics.by_gender(probabilities.mean(axis=0), labels, genders, how, seed)
    neither = probabilities[:, :, NEITHER]
    gaps = neither[:, genders == FEMALE].mean(axis=1) - neither[:, genders != FEMALE].mean(axis=1)
    losses = np.array([statistics.log_losses(repeat, labels).mean() for repeat in probabilities])
    accuracy = spread((probabilities.argmax(axis=2) == labels).mean(axis=1))
    return {
        "outcomes": outcomes, "accuracy": accuracy, "log_loss": spread(losses), "gap": gap, "gap_by_seed": spread(gaps),
        "label_gap": outcomes[1].prior - outcomes[0].prior, "beyond_labels": beyond,
    }  # fmt: skip


def _topical(
    samples: Sequence[GapSample],
    probabilities: FloatArray,
    topics: Topics,
    said: Leanings,
    how: PronounSettings,
    seed: int,
) -> dict[str, Any]:
    """Return the parts of the result that come from topics, and the samples with their bias."""
    bias = topics.weights @ statistics.topic_biases(topics, said.scores)
    mean, genders = probabilities.mean(axis=0), np.array([sample.gender for sample in samples])
    correlations: list[TopicCorrelation] = []
    why_none = said.why_none
    if not why_none:
        for gender, random in zip(GENDERS, spawn(seed + 1, 2), strict=True):
            side = genders == gender
            if found := statistics.topic_correlation(gender, bias[side], mean[side, NEITHER], how, random):
                correlations.append(found)
        why_none = "" if correlations else "all samples have one bias or one probability"
    largest = topics.weights.argmax(axis=1) + 1
    listed = tuple(
        PronounSample(
            sample.id, sample.gender, sample.label, float(row[0]), float(row[1]), float(row[2]), int(topic),
            None if said.why_none else float(lean),
        )
        for sample, row, topic, lean in zip(samples, mean, largest, bias, strict=True)
    )  # fmt: skip
    return {
        "topics": statistics.described(topics, said), "correlations": tuple(correlations), "without_bias": why_none,
        "samples": listed,
    }  # fmt: skip


def _notes(topics: Topics, said: Leanings, left_out: Sequence[str], unclear: int) -> tuple[str, ...]:
    notes = []
    if unclear:
        notes.append(
            f"not compared with pronouns swapped, because their “her” may be “him” or “his”: {unclear:,} texts"
        )
    if left_out:
        notes.append(f"not trained on, because the text is also measured ({len(left_out)}): {', '.join(left_out[:5])}")
    if not topics.converged:
        notes.append("the topics had not settled when their search ended; more texts or fewer topics may help")
    if said.unplaced:
        notes.append(f"words of topics that the language model cannot place, left out: {', '.join(said.unplaced)}")
    if said.why_none:
        notes.append(f"topics have no bias: {said.why_none}")
    return tuple(notes)


def pronouns_resolved(work: Work) -> Results:
    """Resolve the pronouns of GAP, if it is on this machine."""
    if (place := work.find_data("pronoun-resolution", "gap")) is None:
        return ()
    lm = work.subject.opened if {"masked LM", "causal LM"} & work.subject.traits else None
    found = pronoun_resolution(work.subject.encoder, place, lm=lm, rng=work.seed, **work.asking(), **work.settings)
    return (found,)
