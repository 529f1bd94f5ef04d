"""WEAT on a masked model's vectors of words in templates, the other word masked (Kurita et al. 2019, §3.1).

`masked_weat` is the procedure of the paper; `template_weat` compares what the log-probability tests compare.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aslant.errors import MeasureError
from aslant.measures.association.chance import effect_sizes, weighted
from aslant.measures.association.measure import association_fields, equalised
from aslant.measures.association.result import MaskedWeatResult, MaskedWeatSuiteResult
from aslant.measures.shared.open_subject import opening
from aslant.measures.shared.settings import keywords
from aslant.measures.shared.statistic import associations, effect_size, target_scores
from aslant.measures.shared.suite import by_word, chosen_test, compared, run_suite, weat_sets
from aslant.measures.shared.wordsets import FloatArray, Found, WordSets, checked_words, provenance
from aslant.measures.template_tests.association import two_by_two
from aslant.measures.template_tests.chance import drawn_rows, pool_of
from aslant.measures.template_tests.result import TemplateWeatResult
from aslant.measures.template_tests.settings import MaskedWeatSettings, TemplateWeatSettings
from aslant.measures.template_tests.stimuli import Prompt, asked
from aslant.models.protocols import ATTRIBUTE, TARGET, MaskedLM, MasksWords, Progress, Sentence
from aslant.results.parts import WordsUsed
from aslant.statistics import Chance, against_chance, generator, seed_of, unit_rows
from aslant.stimuli import Template, TemplateSet, WeatSet, WeatTemplateSet, WordList, load_set

DEFAULT_TEMPLATES = "kurita-table-1"
#: Sentences with [TARGET] and [ATTRIBUTE], or a set that names some for each WEAT set: its name, file, or itself.
WeatTemplates: TypeAlias = str | PathLike[str] | WeatTemplateSet | Sequence[str]


@opening("model")
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
    then words are removed at random from the larger target set (`equalise`, seeded, listed in `removed`). `chance`
    random sets of words in place of the attributes, from a pool of 200 that is read in the same sentences, say what
    these words add. All else is as in `aslant.weat`: the p-value re-partitions the targets, exactly where it can.

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
        source = DEFAULT_TEMPLATES if given is None else given
        found = source if isinstance(source, WeatTemplateSet) else load_set(source, WeatTemplateSet)
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


def _measure(
    model: MasksWords, test: WeatSet, templates: tuple[str, ...], settings: MaskedWeatSettings, seed: int,
    progress: Progress | None,
) -> MaskedWeatResult:  # fmt: skip
    settings = settings.towards(test)
    prompts = [Prompt(text, tuple(group.words for group in test.groups[:2])) for text in templates]
    *found, pool = _in_place(model, test, prompts, settings.chance, progress)
    random = generator(seed)
    if settings.equalise:
        found[:2] = equalised(found[0], found[1], random)
    used = [group.words for group in found]
    # A product of two means of unit vectors is the mean cosine over all pairs of templates, as published.
    X, Y, A, B = units = [group.raw for group in found]
    fields = association_fields(test, units, used, settings, random)

    def drawn(rows: NDArray[np.int64]) -> FloatArray:
        weights = np.repeat([1 / len(A), -1 / len(B)], [len(A), len(B)])
        return effect_sizes(weighted(pool.raw @ np.concatenate([X, Y]).T, rows, weights), len(X))

    return MaskedWeatResult(
        **fields,
        templates=templates,
        chance=_chance(model, found, pool, fields["effect_size"], settings.chance, generator(seed), drawn),
        provenance=provenance(model, test.id, used, seed, {**settings.record(), "templates": list(templates)}),
    )


@opening("model")
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
    measure = lambda test: _measure(model, test, sentences[test.id], settings, seed, progress)  # noqa: E731
    return run_suite(MaskedWeatSuiteResult, chosen, measure, model, seed, kept)


@opening("lm")
@keywords
def template_weat(
    lm: MaskedLM,
    test: str | PathLike[str] | TemplateSet,
    *,
    settings: TemplateWeatSettings,
    rng: int | np.random.Generator | None = 0,
    progress: Progress | None = None,
) -> TemplateWeatResult:
    """Run WEAT on contextual vectors: of a target with the attribute masked, of an attribute with the target masked.

    A word's vector is the mean, over the templates that it fits, of its last-layer vectors at unit length; words that
    are not one piece there are left out and listed. Attribute words take the place of WEAT's targets: their
    associations with the two target sets are compared and re-partitioned, as `aslant.log_probability_weat` does, so
    that the two effect sizes can be compared; `chance` random sets of words in their place come from a pool of 200,
    read in the same templates. The procedure of Kurita et al. (§3.1) is `aslant.masked_weat`.

    >>> import aslant  # here, any_lm is a small model; aslant.load_lm(…) opens real ones
    >>> r = aslant.template_weat(any_lm, "math-arts")
    >>> len(r.associations), 0 < r.pvalue <= 1, r.missing
    (16, True, ())
    """
    if not isinstance(lm, MaskedLM):
        raise MeasureError(f"{getattr(lm, 'name', lm)!r:.60} is not a masked language model, which this measure needs.")
    chosen = two_by_two(test)
    settings, prompts = settings.towards(chosen), asked(chosen, None).prompts
    *found, pool = _in_place(lm, chosen, prompts, settings.chance, progress)
    X, Y, A, B = found
    halves, used, seed = target_scores(A.unit, B.unit, X.unit, Y.unit), [group.words for group in found], seed_of(rng)
    fields = compared(chosen, *halves, settings, seed)
    size = effect_size(*halves)

    def drawn(rows: NDArray[np.int64]) -> FloatArray:
        return effect_sizes(associations(pool.unit, X.unit, Y.unit)[rows], len(A.unit))

    return TemplateWeatResult(
        **fields,
        chance=_chance(lm, found, pool, size, settings.chance, generator(seed), drawn),
        effect_size=size,
        effect_size_population=effect_size(*halves, ddof=0),
        templates=tuple(prompt.text for prompt in prompts),
        targets=(used[0], used[1]), attributes=(used[2], used[3]),
        associations=by_word(used[2:], *halves),
        provenance=provenance(lm, chosen.id, used, seed, settings.record()),
    )  # fmt: skip


def _chance(
    model: MasksWords, found: Sequence[Found], pool: Found, size: float, draws: int, random: np.random.Generator,
    measure: Callable[[NDArray[np.int64]], FloatArray],
) -> Chance | None:  # fmt: skip
    """Compare an effect size with those that words of the pool give in place of the attributes; None with too few."""
    words = [group.words.used for group in found]
    replaced = (*words[2], *words[3])
    pieces = [[1] * len(some) for some in (pool.words.used, replaced)]
    of_pool, own = (pool.words.used, pieces[0]), (replaced, pieces[1])
    rows = drawn_rows(model, of_pool, own, {w for some in words for w in some}, draws, random) if draws else None
    return None if rows is None else against_chance(size, measure(rows), "scored words")


#: What the four word sets of a test are in a template, and the words that may take the place of attributes.
ROLES: tuple[Literal["target", "attribute"], ...] = ("target", "target", "attribute", "attribute", "attribute")


def _in_place(
    model: MasksWords, test: WeatSet | TemplateSet, prompts: Sequence[Prompt], draws: int, progress: Progress | None
) -> list[Found]:
    """Return two target and two attribute sets with the mean of each word's vectors, over the templates that it fits.

    A vector is that of the word at unit length, while the other word of the sentence is masked. Words that are not one
    piece of the vocabulary in every position are missing. Last stand words to draw from, none for no `draws`.
    """
    used = []
    groups = (*test.groups, WordList("pool", pool_of(model, test.language) if draws else ()))
    for place, (group, role) in enumerate(zip(groups, ROLES, strict=True)):
        fit = {w: [p.text for p in prompts if place > 1 or w in p.targets[place]] for w in group.words}
        known = tuple(w for w, texts in fit.items() if all(model.in_vocabulary(w, text, role) for text in texts))
        if not known and place < len(test.groups):
            raise MeasureError(f"no word of '{group.name}' is one piece of the vocabulary of '{model.name}'.")
        used.append(WordsUsed(group.name, known, known, tuple(word for word in group.words if word not in known)))
    fitting = [
        (prompt.text, [w for words, group in zip(prompt.targets, used, strict=False) for w in words if w in group.used])
        for prompt in prompts
    ]
    any_attribute = used[2].used[0]  # the other word is masked, so any one-piece word will do
    of_targets = [Sentence(text, word, any_attribute) for text, words in fitting for word in words]
    others = dict.fromkeys(word for group in used[2:] for word in group.used)
    of_attributes = [Sentence(text, words[0], word) for text, words in fitting if words for word in others]
    rows: dict[tuple[str, str], list[FloatArray]] = defaultdict(list)
    for role, sentences in ((ROLES[0], of_targets), (ROLES[2], of_attributes)):
        unit = unit_rows(model.word_vectors_in_place(sentences, role, progress=progress)) if sentences else ()
        for sentence, row in zip(sentences, unit, strict=True):
            rows[role, getattr(sentence, role)].append(row)
    for words, role in zip(used, ROLES, strict=True):
        if lacking := [word for word in words.used if (role, word) not in rows]:
            raise MeasureError(f"'{lacking[0]}' of '{words.name}' fits no template; name it in one, or leave it out.")
    means = {key: np.mean(found, axis=0) for key, found in rows.items()}
    return [Found(g, np.array([means[role, word] for word in g.used])) for g, role in zip(used, ROLES, strict=True)]
