"""The log-probability bias score of attributes between target sets (Kurita et al. 2019; docs/definitions.md §7)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from os import PathLike
from typing import Any

import numpy as np

from aslant.errors import MeasureError
from aslant.io.journal import Journal
from aslant.measures.shared.open_subject import opening
from aslant.measures.shared.settings import keywords
from aslant.measures.shared.wordsets import FloatArray, provenance
from aslant.measures.template_tests import result as r
from aslant.measures.template_tests import scoring
from aslant.measures.template_tests.chance import Ask, asker, names_chance, some_of, with_twins
from aslant.measures.template_tests.settings import Asking, LogProbabilitySettings
from aslant.measures.template_tests.stimuli import Asked, Attributes, Prompt, Targets, Templates, asked, attribute_list
from aslant.models.protocols import Progress
from aslant.statistics import known_qvalues, seed_of, sign_flip_pvalue, wilson

DEFAULT_TEMPLATE = "[TARGET] is a [ATTRIBUTE]."
#: What the command line scores by default: 40 occupations.
DEFAULT_ATTRIBUTES = "occupations-share-of-women"


def against_rest(association: FloatArray) -> FloatArray:
    """Return each target set's association minus the mean of the others'; shape (attributes, target sets) kept.

    >>> against_rest(np.array([[3.0, 1.0, 0.0]])).tolist()
    [[2.5, -0.5, -2.0]]
    """
    k = association.shape[-1]
    return np.asarray((k * association - association.sum(axis=-1, keepdims=True)) / (k - 1))


def bias_scores(association: FloatArray) -> FloatArray:
    """Return the score of each row of (attributes, target sets): the difference of two, else the largest to the rest.

    >>> bias_scores(np.array([[1.0, 3.0]])).tolist(), bias_scores(np.array([[3.0, 1.0, 0.0]])).tolist()
    ([-2.0], [2.5])
    """
    if association.shape[-1] == 2:
        return np.asarray(association[..., 0] - association[..., 1])
    return np.asarray(against_rest(association).max(axis=-1))


@opening("lm")
@keywords
def log_probability_bias(
    lm: scoring.Model,
    template: Templates = DEFAULT_TEMPLATE,
    targets: Targets | None = None,
    attributes: Attributes | None = None,
    *,
    column: str | None = None,
    settings: LogProbabilitySettings,
    journal: str | PathLike[str] | Journal | None = None,
    rng: int | np.random.Generator | None = 0,
    progress: Progress | None = None,
) -> r.LogProbabilityResult:
    """Score how much more a language model associates `attributes` with one target set than another (Kurita et al.).

    For a masked model an association is log(p_target / p_prior): the probability of the target at its mask, with the
    attribute shown and with it masked too. For a causal one it is the log-likelihood of the attribute and what
    follows it. The score is the difference between the target sets; with more than two, every pair and each against
    the rest.

    `template`: a sentence with [TARGET] and [ATTRIBUTE], several, or a template set; scores are averaged over them.
    `targets`: sets of words, probabilities summed within each, or a class set. `attributes`: words, a word set, a file
    (with its `column`) or a data name, in lower case if `lower`. Each contrast between target sets has a p-value over
    the signs of the attributes' differences; above 16 attributes, over random signs by `rng`. `chance` pairs of first
    names of one gender, in place of the targets, say how far from one half the share of attributes on one side is
    anyway; so do `twins` untrained models of the same architecture. `target_pieces`: a target of several pieces counts
    whole ("chain") or by its "first" piece; `single_mask`: one mask for an attribute of several pieces; `as_published`:
    as the authors' code has it. `journal` is a folder from which a killed run resumes. Attributes that the model cannot
    place (unknown characters, too long) are left out and listed.

    >>> import aslant  # here, lm is a small model; aslant.load_lm(…) opens real ones
    >>> s = aslant.log_probability_bias(lm, "[TARGET] is a [ATTRIBUTE].", (["he"], ["she"]), ["nurse", "engineer"])
    >>> [(score.attribute, round(score.score, 2), score.leans_to) for score in s.scores]
    [('nurse', -1.79, 'she'), ('engineer', 1.1, 'he')]
    >>> s.share.count, s.share.n
    (1, 2)
    """
    how = scoring.asking(lm, settings)
    question = asked(template, targets)
    own = question.chosen
    if attributes is not None:
        listed, source = attribute_list(attributes, column=column, lower=how.lower)
    elif own is None or not own.attributes:
        raise MeasureError("no attributes were given; give words, a word set such as 'bold-professions', or a file.")
    else:
        words = [word for group in own.attributes for word in group.words]
        listed, source = attribute_list(words, lower=how.lower)[0], own.id
    ask, seed = asker(lm, how, journal, progress), seed_of(rng)
    scored = ask(question.prompts, listed.words)
    kept = {**how.record(), "templates": [prompt.text for prompt in question.prompts], "attributes": source}
    contrasts = _contrasts([group.name for group in question.targets], scored, how.confidence, seed)
    contrasts, reach = _by_chance(lm, question.prompts, scored, contrasts, how, ask, progress)
    association = scored.association.mean(axis=1)
    pairs = _weights(association.shape[1])[: math.comb(association.shape[1], 2)]
    return r.LogProbabilityResult(
        **described(question, scored, how),
        contrasts=contrasts,
        one_vs_one=float(np.abs(association @ pairs.T).mean()),
        one_vs_rest=float(against_rest(association).max(axis=1).mean()),
        confidence=how.confidence,
        provenance=provenance(lm, question.source, tuple(scored.missing), seed, kept),
        chance=contrasts[0].chance,
        names_reach=reach,
        twins=contrasts[0].twins,
    )


def _weights(targets: int) -> FloatArray:
    """Return what each target set counts in each contrast: every pair and, of three or more, each against the rest.

    >>> _weights(3).tolist()[:4]
    [[1.0, -1.0, 0.0], [1.0, 0.0, -1.0], [0.0, 1.0, -1.0], [1.0, -0.5, -0.5]]
    """
    each = np.eye(targets)
    pairs = [each[j] - each[k] for j, k in combinations(range(targets), 2)]
    return np.array([*pairs, *against_rest(each).T] if targets > 2 else pairs)


def _contrasts(
    names: Sequence[str], scored: scoring.Scored, confidence: float, seed: int | None
) -> tuple[r.Contrast, ...]:
    """Return the contrasts between target sets over all attributes, each with its p-value and q-value."""
    gaps = scored.association.mean(axis=1) @ _weights(len(names)).T
    titles = [*combinations(names, 2), *((name, r.REST) for name in names if len(names) > 2)]
    pvalues = [sign_flip_pvalue(gap, rng=seed) for gap in gaps.T]
    return tuple(
        replace(contrast(*title, gap, confidence), pvalue=p, qvalue=q)
        for title, gap, p, q in zip(titles, gaps.T, pvalues, known_qvalues(pvalues), strict=True)
    )


def _by_chance(
    lm: scoring.Model, prompts: tuple[Prompt, ...], scored: scoring.Scored, contrasts: tuple[r.Contrast, ...],
    how: LogProbabilitySettings, ask: Ask, progress: Progress | None,
) -> tuple[tuple[r.Contrast, ...], float | None]:  # fmt: skip
    """Return the contrasts with what names, and untrained models, give for their shares; and how far names reach."""
    weights = _weights(len(prompts[0].targets))

    def shares(asks: Ask) -> Sequence[float]:
        gaps = asks(prompts, some_of(scored.attributes)).association.mean(axis=1) @ weights.T
        return list((gaps >= 0).mean(axis=0).tolist())

    twins = with_twins(lm, how, progress, shares) or [()] * len(contrasts)
    sides = weights.shape[1]
    others = [1 if place < math.comb(sides, 2) else sides - 1 for place in range(len(contrasts))]
    found = [
        names_chance(lm, prompts, scored.attributes, own.share, how.chance, ask, count) or (None, None)
        for own, count in zip(contrasts, others, strict=True)
    ]
    qvalues = known_qvalues([chance.pvalue if chance else None for chance, _ in found])
    made = tuple(
        replace(own, chance=chance, chance_qvalue=q, twins=of_twins)
        for own, (chance, _), q, of_twins in zip(contrasts, found, qvalues, twins, strict=True)
    )
    return made, found[0][1] if sides == 2 else None  # with more, a score is the largest of several differences


def described(question: Asked, scored: scoring.Scored, how: Asking) -> dict[str, Any]:
    """Return the fields that results on language models share: what was asked, how it was scored, and the scores."""
    pieces = scored.target_pieces
    return {
        "templates": tuple(prompt.text for prompt in question.prompts),
        "targets": tuple(
            r.TargetSet(group.name, group.words, tuple(pieces.get(word, ()) for word in group.words))
            for group in question.targets
        ),
        "method": " and ".join(dict.fromkeys(scored.methods.values())),
        "scores": _attribute_scores([group.name for group in question.targets], scored),
        "notes": scoring.notes_on(question.prompts, scored, how),
    }


def _attribute_scores(names: Sequence[str], scored: scoring.Scored) -> tuple[r.AttributeScore, ...]:
    """Return one score per attribute: associations and probabilities over its templates (geometric means)."""
    mean = scored.association.mean(axis=1)
    scores, leaning = bias_scores(mean), mean.argmax(axis=1)
    by_template = bias_scores(scored.association)
    if len(names) > 2:  # that of the class that the attribute leans to over all templates
        by_template = np.take_along_axis(against_rest(scored.association), leaning[:, None, None], axis=2)[..., 0]
    p_target, p_prior = (
        np.exp(part.mean(axis=1)).tolist() if part is not None else [[None] * len(names)] * len(scored.attributes)
        for part in (scored.target, scored.prior)
    )
    return tuple(
        r.AttributeScore(
            word, score, names[lean], tuple(map(r.SideScore, names, target, prior, association)), tuple(parts), pieces
        )
        for word, score, lean, target, prior, association, parts, pieces in zip(
            scored.attributes, scores.tolist(), leaning.tolist(), p_target, p_prior, mean.tolist(),
            by_template.tolist(), scored.pieces.tolist(), strict=True,
        )
    )  # fmt: skip


def contrast(first: str, second: str, scores: FloatArray, confidence: float = 0.95) -> r.Contrast:
    """Summarise scores, shape (attributes,): their mean, and the share that is 0 or more with a Wilson interval.

    >>> c = contrast("he", "she", np.array([1.0, 0.0, -1.0, 2.0]))
    >>> c.share, c.count, round(c.low, 3), round(c.high, 3)
    (0.75, 3, 0.301, 0.954)
    """
    count, n = int((scores >= 0).sum()), len(scores)
    low, high = wilson(count, n, confidence)
    return r.Contrast(first, second, float(scores.mean()), count, n, count / n, low, high)
