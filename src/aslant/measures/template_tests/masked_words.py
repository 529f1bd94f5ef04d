"""WEAT on a masked model: its own targets and attributes in sentences, one masked (Kurita et al. 2019, §3.1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Any, Literal, TypeAlias

import numpy as np

from aslant.errors import MeasureError
from aslant.measures.association.measure import association_fields, equalised
from aslant.measures.association.result import MaskedWeatResult, MaskedWeatSuiteResult
from aslant.measures.shared.settings import keywords
from aslant.measures.shared.suite import chosen_test, run_suite, weat_sets
from aslant.measures.shared.wordsets import FloatArray, Found, WordSets, checked_words, provenance
from aslant.measures.template_tests.settings import MaskedWeatSettings
from aslant.models.protocols import ATTRIBUTE, TARGET, MasksWords, Progress, Sentence
from aslant.results.parts import WordsUsed
from aslant.statistics import generator, seed_of, unit_rows
from aslant.stimuli import Template, WeatSet, WeatTemplateSet, WordList, load_set

DEFAULT_TEMPLATES = "kurita-table-1"
#: Sentences with [TARGET] and [ATTRIBUTE], or a set that names some for each WEAT set: its name, file, or itself.
WeatTemplates: TypeAlias = str | PathLike[str] | WeatTemplateSet | Sequence[str]


@dataclass(frozen=True)
class InPlace(Found):
    """A word set with, for each word, the mean over templates of its vectors at unit length, (used, dimensions)."""

    @cached_property
    def unit(self) -> FloatArray:
        """The means as they are: a product of two is the mean cosine over all pairs of templates, as published."""
        return self.raw.astype(np.float64)


@keywords
def masked_weat(
    model: MasksWords,
    test: str | PathLike[str] | WeatSet | None = None,
    *,
    targets: WordSets | None = None,
    attributes: WordSets | None = None,
    templates: WeatTemplates | None = None,
    settings: MaskedWeatSettings,
    rng: int | np.random.Generator | None = 0,
    progress: Progress | None = None,
) -> MaskedWeatResult:
    """Run one WEAT on the last-layer vectors of a masked language model, or of an encoder with a mask token.

    The words of a WEAT set are put into sentences (`templates`; default: Table 1 of Kurita et al., which has WEAT 1, 3,
    6, 7 and 8): a target is read while the attribute is masked, and an attribute while the target is; a cosine is the
    mean over the templates. Words that are not one piece of the vocabulary are left out and listed (`missing`), and
    then words are removed at random from the larger target set (`equalise`, seeded, listed in `removed`). All else is
    as in `aslant.weat`: the p-value re-partitions the targets, exactly where it can.

    >>> import aslant  # here, any_lm is a small model; aslant.load_lm(…) and aslant.load_encoder(…) open real ones
    >>> r = aslant.masked_weat(any_lm, "weat-6")
    >>> r.templates[0], r.n_partitions, r.missing, -2 < r.effect_size < 2
    ('[TARGET] likes [ATTRIBUTE]', 12870, (), True)
    """
    _check(model)
    chosen = chosen_test(test, targets, attributes)
    return _measure(model, chosen, _templates(templates, chosen), settings, seed_of(rng), progress)


def _check(model: Any) -> None:
    if not isinstance(model, MasksWords):
        raise MeasureError(
            f"{getattr(model, 'name', model)!r:.60} cannot hide a word behind a mask; give a masked language model, or "
            "an encoder such as BERT's."
        )


def _templates(given: Any, test: WeatSet) -> tuple[str, ...]:
    """Return the sentences for one test, from a set that names some for it or as they are given."""
    sentences = given
    if given is None or isinstance(given, PathLike | WeatTemplateSet) or (isinstance(given, str) and "[" not in given):
        found = _template_set(given)
        sentences = found.templates_of(test.id)
        if not sentences:
            raise MeasureError(
                f"'{found.id}' has no sentences for '{test.id}'; give templates of your own, such as "
                f"'{TARGET} is {ATTRIBUTE}.'."
            )
    texts = checked_words([sentences] if isinstance(sentences, str) else sentences)
    if not texts:
        raise MeasureError(f"no template was given; give a sentence with {TARGET} and {ATTRIBUTE}.")
    return tuple(Template(text).text for text in dict.fromkeys(texts))


def _template_set(given: Any) -> WeatTemplateSet:
    if isinstance(given, WeatTemplateSet):
        return given
    return load_set(DEFAULT_TEMPLATES if given is None else given, WeatTemplateSet)


def _measure(
    model: MasksWords, test: WeatSet, templates: tuple[str, ...], settings: MaskedWeatSettings, seed: int,
    progress: Progress | None,
) -> MaskedWeatResult:  # fmt: skip
    used = [_one_piece(model, group, role, templates) for group, role in zip(test.groups, ROLES, strict=True)]
    others = used[2].used[0], used[0].used[0]  # the other word is masked, so any one-piece word will do
    found: list[Found] = [
        _in_place(model, words, role, templates, other, progress)
        for words, role, other in zip(used, ROLES, (others[0], others[0], others[1], others[1]), strict=True)
    ]
    random = generator(seed)
    if settings.equalise:
        found[:2] = equalised(found[0], found[1], random)
    return MaskedWeatResult(
        **association_fields(test, found, settings, random),
        templates=templates,
        provenance=provenance(model, test.id, used, seed, {**settings.record(), "templates": list(templates)}),
    )


Role: TypeAlias = Literal["target", "attribute"]
#: What the four word sets of a WEAT are in a template.
ROLES: tuple[Role, ...] = ("target", "target", "attribute", "attribute")


def _one_piece(model: MasksWords, group: WordList, role: Role, templates: Sequence[str]) -> WordsUsed:
    """Keep the words that are one piece of the vocabulary in every position."""
    known = tuple(word for word in group.words if all(model.in_vocabulary(word, text, role) for text in templates))
    if not known:
        raise MeasureError(f"no word of '{group.name}' is one piece of the vocabulary of '{model.name}'.")
    return WordsUsed(group.name, known, known, tuple(word for word in group.words if word not in known))


def _in_place(
    model: MasksWords, words: WordsUsed, role: Role, templates: Sequence[str], other: str, progress: Progress | None
) -> InPlace:
    """Return the words with their vectors, while `other` (any word) is masked."""
    sentences = [
        Sentence(text, word, other) if role == "target" else Sentence(text, other, word)
        for word in words.used
        for text in templates
    ]
    unit = unit_rows(model.word_vectors_in_place(sentences, role, progress=progress))
    return InPlace(words, unit.reshape(len(words.used), len(templates), -1).mean(axis=1))


@keywords
def masked_weat_suite(
    model: MasksWords,
    tests: Iterable[str | PathLike[str] | WeatSet] | None = None,
    *,
    templates: WeatTemplates | None = None,
    settings: MaskedWeatSettings,
    rng: int | np.random.Generator | None = 0,
    progress: Progress | None = None,
) -> MaskedWeatSuiteResult:
    """Run every WEAT of Table 1 of Kurita et al. (or `tests`) and control the false-discovery rate over them.

    The settings are those of `aslant.masked_weat`. A test that has no effect size, or of which a word set has no word
    in the model's vocabulary, is listed as skipped.

    >>> import aslant  # here, any_lm is a small model; aslant.load_lm(…) and aslant.load_encoder(…) open real ones
    >>> [r.test for r in aslant.masked_weat_suite(any_lm, bootstrap=0).results]
    ['weat-1', 'weat-3', 'weat-6', 'weat-7', 'weat-8']
    """
    _check(model)
    if tests is None:
        tests = [found.test for found in load_set(DEFAULT_TEMPLATES, WeatTemplateSet).tests]
    chosen = weat_sets(tests, "aslant.masked_weat")
    sentences = {test.id: _templates(templates, test) for test in chosen}
    seed = seed_of(rng)
    kept = {**settings.record(), "templates": {test: list(texts) for test, texts in sentences.items()}}
    return run_suite(
        MaskedWeatSuiteResult,
        chosen,
        lambda test: _measure(model, test, sentences[test.id], settings, seed, progress),
        lambda ids, missing: provenance(model, ids, missing, seed, kept),
    )
