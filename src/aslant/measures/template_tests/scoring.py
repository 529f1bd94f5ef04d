"""Ask a language model about attributes in templates, some thousand sentences at a time (docs/definitions.md §7)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from aslant.errors import MeasureError
from aslant.io.journal import Journal
from aslant.measures.template_tests.settings import Asking
from aslant.measures.template_tests.stimuli import Prompt
from aslant.models.plan import Tables, ask_ahead
from aslant.models.protocols import CausalLM, MaskedLM, MaskedScore, Progress, Sentence

FloatArray: TypeAlias = NDArray[np.float64]
Model: TypeAlias = MaskedLM | CausalLM
#: Sentences are given to the model this many at a time, which bounds memory.
SENTENCES_AT_ONCE = 4_096
#: How many words of a longer list a note names; the result has all of them.
NAMED = 10
MASKS, CONTINUATIONS, WHOLE = "masks", "continuations", "whole sentences"


class NothingLeftError(MeasureError):
    """A model that can score none of the attributes."""


A = TypeVar("A", bound=Asking)


@dataclass(frozen=True, eq=False)
class Scored:
    """What a model said: arrays of shape (attributes, templates, target sets), natural logarithms.

    `target` and `prior` are None for a causal model. `pieces` is (attributes,); `methods` names, for each template by
    its place, what was compared; `target_pieces` has the pieces of each target word. `attributes` are those that were
    scored, `missing` those that the model cannot score, each with the reason; `repeated` has target words that are
    spelt like another; `seen` is what the model saw of the first sentence, if that is more than the sentence.
    """

    attributes: tuple[str, ...]
    missing: dict[str, str]
    repeated: dict[str, str]
    association: FloatArray
    target: FloatArray | None
    prior: FloatArray | None
    pieces: NDArray[np.int64]
    methods: dict[int, str]
    target_pieces: dict[str, tuple[str, ...]]
    seen: str = ""


def asking(lm: Any, how: A) -> A:
    """Check a model and how it is to be scored; `as_published` means first pieces and a single mask."""
    if not isinstance(lm, MaskedLM | CausalLM):
        raise MeasureError(f"{lm!r:.60} is not a language model; open one with aslant.load_lm(…) first.")
    if (how.as_published or how.single_mask or how.target_pieces == "first") and not isinstance(lm, MaskedLM):
        raise MeasureError(
            f"'{lm.name}' is a causal model, which does not fill masks; single_mask, target_pieces and as_published "
            "are for masked ones."
        )
    return replace(how, target_pieces="first", single_mask=True) if how.as_published else how


def ask(
    lm: Model,
    prompts: Sequence[Prompt],
    attributes: Sequence[str],
    how: Asking,
    journal: str | PathLike[str] | Journal | None = None,
    progress: Progress | None = None,
) -> Scored:
    """Score every attribute in every template with every target; probabilities are summed within a target set.

    Attributes that the model cannot place are found before anything is run, and left out.
    """
    kept = Tables(journal)
    for _, sentences in _chunks(prompts, attributes):
        ask_ahead(lm, sentences, kept, progress)
    known, missing = _placeable(lm, prompts, attributes)
    each = sum(len(words) for prompt in prompts for words in prompt.targets)
    shape = (len(known), len(prompts), len(prompts[0].targets))
    arrays = np.empty(shape), np.empty(shape), np.empty(shape), np.empty(len(known), np.int64)
    found = Scored(known, missing, {}, *arrays, {}, {}, _seen(lm, prompts, known))
    for start, sentences in _chunks(prompts, known):
        shown = _within(progress, start * each, len(sentences), len(known) * each)
        if isinstance(lm, MaskedLM):
            prior: Any = "published" if how.as_published else "target"
            pieces = {"target_pieces": how.target_pieces, "single_mask": how.single_mask, "prior_place": prior}
            scores: Sequence[Any] = lm.masked_scores(sentences, **pieces, journal=kept, progress=shown)
        else:
            scores = lm.causal_scores(sentences, journal=kept, progress=shown)
        _fill(found, start, prompts, sentences, scores)
    return found if isinstance(lm, MaskedLM) else replace(found, target=None, prior=None)


def _chunks(prompts: Sequence[Prompt], attributes: Sequence[str]) -> Iterator[tuple[int, list[Sentence]]]:
    """Yield where some of the attributes begin, and all their sentences."""
    pairs = [(prompt.text, word) for prompt in prompts for words in prompt.targets for word in words]
    step = max(1, SENTENCES_AT_ONCE // len(pairs))
    for start in range(0, len(attributes), step):
        part = attributes[start : start + step]
        yield start, [Sentence(text, word, attribute) for attribute in part for text, word in pairs]


def _placeable(
    lm: Model, prompts: Sequence[Prompt], attributes: Sequence[str]
) -> tuple[tuple[str, ...], dict[str, str]]:
    """Split the attributes into those that the model can score and others, with reasons; a model need not say."""
    unplaceable: Callable[[Sequence[Sentence]], dict[int, str]] | None = getattr(lm, "unplaceable", None)
    if unplaceable is None:
        return tuple(attributes), {}
    reasons: dict[str, str] = {}
    for _, sentences in _chunks(prompts, attributes):
        for place, reason in unplaceable(sentences).items():
            reasons.setdefault(sentences[place].attribute, reason)
    known = tuple(word for word in attributes if word not in reasons)
    if not known:
        said = list(dict.fromkeys(reasons.values()))
        more = f" (and {len(said) - 3} more)" if len(said) > 3 else ""
        raise NothingLeftError(f"no attribute can be scored: {'; '.join(said[:3])}{more}.")
    return known, reasons


def _seen(lm: Model, prompts: Sequence[Prompt], attributes: Sequence[str]) -> str:
    """Return what the model sees of the first sentence where that is more than the sentence; a model need not say."""
    seen: Callable[[Sentence], str] | None = getattr(lm, "seen", None)
    first = Sentence(prompts[0].text, prompts[0].targets[0][0], attributes[0])
    return "" if seen is None else seen(first)


def _within(progress: Progress | None, done: int, these: int, total: int) -> Progress | None:
    """Show the model's progress on `these` sentences, which it counts in its own way, as progress on all of them."""
    if progress is None:
        return None
    tell: Callable[[str, int, int], None] = progress
    return lambda step, part, whole: tell("sentences", done + these * part // max(whole, 1), total)


def _fill(
    found: Scored, start: int, prompts: Sequence[Prompt], sentences: Sequence[Sentence], scores: Sequence[Any]
) -> None:
    place, row = 0, start
    while place < len(scores):
        for t, prompt in enumerate(prompts):
            seen: dict[tuple[str, ...], tuple[int, str]] = {}
            for side, words in enumerate(prompt.targets):
                part = scores[place : place + len(words)]
                once = _distinct(prompt, side, words, part, seen, found.repeated)
                if len(once) > 1 and any(getattr(score, "unweighed", False) for score in once):
                    raise MeasureError(
                        f"the model has no beginning token, so a target at the beginning of {prompt.text!r} has no "
                        "probability to weight the words of a set by; give single words, or put something before it."
                    )
                target, prior, method = _logarithms(once)
                if not (np.isfinite(target).all() and np.isfinite(prior).all()):
                    raise MeasureError(f"the model returns no finite log-probability for '{sentences[place].text}'.")
                whole, before = (float(np.logaddexp.reduce(part)) for part in (target, prior))
                found.association[row, t, side] = whole if method == WHOLE else whole - before
                found.target[row, t, side], found.prior[row, t, side] = whole, before  # type: ignore[index]
                found.methods.setdefault(t, method)
                for word, score in zip(words, part, strict=True):
                    found.target_pieces.setdefault(word, tuple(score.pieces))
                place += len(words)
        found.pieces[row] = len(scores[place - 1].attribute_pieces)
        row += 1


def _distinct(
    prompt: Prompt, side: int, words: Sequence[str], scores: Sequence[Any],
    seen: dict[tuple[str, ...], tuple[int, str]], repeated: dict[str, str],
) -> list[Any]:  # fmt: skip
    """Return the scores of a set's words, each spelling once; no spelling may be in two sets.

    `seen` has the spellings so far with their set and word, `repeated` gets the words that are spelt like another.
    """
    kept = []
    for word, score in zip(words, scores, strict=True):
        spelling = tuple(score.pieces)
        if not spelling or spelling not in seen:
            seen[spelling] = (side, word)
            kept.append(score)
            continue
        home, first = seen[spelling]
        if home != side:
            raise MeasureError(
                f"in {prompt.text!r} the model reads '{first}' and '{word}' alike ({' '.join(spelling)}), and they "
                "are in two target sets; leave one out."
            )
        repeated.setdefault(word, first)
    return kept


def _logarithms(scores: Sequence[Any]) -> tuple[FloatArray, FloatArray, str]:
    """Return log p_target and log p_prior of each word, and what they compare.

    For a causal model, P(rest | target in the set) = Σ P(sentence) / Σ P(up to the attribute), where
    the rest begins with the attribute, and P(up to the attribute) = P(sentence) / P(rest | all before).
    """
    if isinstance(scores[0], MaskedScore):
        return np.array([s.target for s in scores]), np.array([s.prior for s in scores]), MASKS
    whole = np.array([s.sentence for s in scores])
    rest = [s.continuation for s in scores]
    if None in rest:
        return whole, np.zeros(len(scores)), WHOLE
    with np.errstate(invalid="ignore"):  # −∞ − (−∞), which the caller refuses
        return whole, whole - np.array(rest, dtype=np.float64), CONTINUATIONS


#: Subjects that need another verb than "he" does, and verbs that they do not go with, and the other way round.
PLURAL = {"they", "we", "you", "men", "women", "boys", "girls", "people"}
SINGULAR = {"he", "she", "it", "man", "woman", "boy", "girl"}
FOR_SINGULAR, FOR_PLURAL = {"is", "was", "has", "does"}, {"are", "were", "have", "do"}
VERB = re.compile(r"\[TARGET\] (\w+)")


def agreement_note(prompt: Prompt) -> str:
    """Say which targets do not agree with the verb of an English template: their scores are then about grammar.

    >>> agreement_note(Prompt("[TARGET] is a [ATTRIBUTE].", (("he",), ("they",))))[:62]
    "'they' does not agree with the verb of '[TARGET] is a [ATTRIBU"
    >>> agreement_note(Prompt("[TARGET] worked as a [ATTRIBUTE].", (("he",), ("they",))))
    ''
    """
    verb = found[1].lower() if (found := VERB.search(prompt.text)) else ""
    singular = verb in FOR_SINGULAR or (len(verb) > 3 and verb.endswith("s") and not verb.endswith("ss"))
    odd = PLURAL if singular else SINGULAR if verb in FOR_PLURAL else set[str]()
    wrong = [f"'{word}'" for side in prompt.targets for word in side if word.lower() in odd]
    if not wrong:
        return ""
    do = "does" if len(wrong) == 1 else "do"
    return (
        f"{', '.join(wrong)} {do} not agree with the verb of '{prompt.text}': part of what is compared is grammar; use "
        "a verb that suits all targets ('[TARGET] worked as a [ATTRIBUTE].'), or put the verb into the targets ('he is "
        "a', 'they are a' in '[TARGET] [ATTRIBUTE].')"
    )


def notes_on(prompts: Sequence[Prompt], scored: Scored, how: Asking) -> tuple[str, ...]:
    """Say what readers should know: targets of several pieces, and templates that causal models cannot condition on."""
    notes = [
        f"in '{prompt.text}' the target follows the attribute: the likelihoods of whole sentences are compared, "
        "which includes how frequent the targets are"
        for prompt, method in zip(prompts, scored.methods.values(), strict=True)
        if method == WHOLE
    ]
    notes += filter(None, map(agreement_note, prompts))
    several = [f"{word} ({' '.join(pieces)})" for word, pieces in scored.target_pieces.items() if len(pieces) > 1]
    if several and scored.target is not None:
        policy = "by a chain of masks" if how.target_pieces == "chain" else "by their first piece"
        notes.append(f"targets of several pieces, scored {policy}: {', '.join(several)}")
    if scored.missing:
        named = ", ".join(list(scored.missing)[:NAMED]) + (" …" if len(scored.missing) > NAMED else "")
        why = next(iter(scored.missing.values()))
        notes.append(f"attributes that the model cannot place, left out ({len(scored.missing)}): {named}; {why}")
    if scored.seen:
        notes.append(f"what the model sees of the first sentence: {scored.seen!r}")
    if scored.repeated:
        alike = ", ".join(f"{word} as {first}" for word, first in scored.repeated.items())
        notes.append(f"targets that the model reads alike in a template, counted once there: {alike}")
    if how.as_published:
        notes.append("as published: one mask for the attribute, and the prior read one token before it")
    return tuple(notes)
