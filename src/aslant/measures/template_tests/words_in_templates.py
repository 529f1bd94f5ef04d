"""WEAT on last-layer vectors in the templates of the log-probability score; Kurita's own baseline is `masked_weat`."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Literal

import numpy as np

from aslant.errors import MeasureError
from aslant.measures.shared.settings import Partitions, keywords
from aslant.measures.shared.statistic import associations, effect_size
from aslant.measures.shared.suite import by_word, compared
from aslant.measures.shared.wordsets import provenance
from aslant.measures.template_tests.association import two_by_two
from aslant.measures.template_tests.result import TemplateWeatResult
from aslant.measures.template_tests.scoring import FloatArray
from aslant.measures.template_tests.stimuli import Prompt, asked
from aslant.models.protocols import MaskedLM, Progress, Sentence
from aslant.results.parts import WordsUsed
from aslant.statistics import seed_of, unit_rows
from aslant.stimuli import TemplateSet, WordList


@keywords
def template_weat(
    lm: MaskedLM,
    test: str | PathLike[str] | TemplateSet,
    *,
    settings: Partitions,
    rng: int | np.random.Generator | None = 0,
    progress: Progress | None = None,
) -> TemplateWeatResult:
    """Run WEAT on contextual vectors: of a target with the attribute masked, of an attribute with the target masked.

    A word's vector is the mean, over the templates that it fits, of its last-layer vectors at unit length; words that
    are not one piece there are left out and listed. Attribute words take the place of WEAT's targets: their
    associations with the two target sets are compared and re-partitioned, as `aslant.log_probability_weat` does, so
    that the two effect sizes can be compared. The procedure of Kurita et al. (§3.1) is `aslant.masked_weat`.

    >>> import aslant  # here, any_lm is a small model; aslant.load_lm(…) opens real ones
    >>> r = aslant.template_weat(any_lm, "math-arts")
    >>> len(r.associations), 0 < r.pvalue <= 1, r.missing
    (16, True, ())
    """
    if not isinstance(lm, MaskedLM):
        raise MeasureError(f"{getattr(lm, 'name', lm)!r:.60} is not a masked language model, which this measure needs.")
    chosen = two_by_two(test)
    prompts = asked(chosen, None).prompts
    used = [_in_vocabulary(lm, group, place, prompts) for place, group in enumerate(chosen.groups)]
    x, y, a, b = _unit_vectors(lm, prompts, used, progress)
    scores = associations(np.concatenate([a, b]), x, y)
    halves = scores[: len(a)], scores[len(a) :]
    seed = seed_of(rng)
    return TemplateWeatResult(
        **compared(chosen, *halves, settings, seed),
        effect_size=effect_size(*halves),
        effect_size_population=effect_size(*halves, ddof=0),
        templates=tuple(prompt.text for prompt in prompts),
        targets=(used[0], used[1]), attributes=(used[2], used[3]),
        associations=by_word(used[2:], scores),
        provenance=provenance(lm, chosen.id, used, seed, settings.record()),
    )  # fmt: skip


def _in_vocabulary(lm: MaskedLM, group: WordList, place: int, prompts: Sequence[Prompt]) -> WordsUsed:
    """Keep the words that are one piece in every position; the first two groups are targets, others attributes."""

    def one_piece(word: str) -> bool:
        if place > 1:
            return all(lm.in_vocabulary(word, prompt.text, "attribute") for prompt in prompts)
        return all(lm.in_vocabulary(word, p.text, "target") for p in prompts if word in p.targets[place])

    known = tuple(word for word in group.words if one_piece(word))
    if not known:
        raise MeasureError(f"no word of '{group.name}' is one piece of the vocabulary of '{lm.name}'.")
    return WordsUsed(group.name, known, known, tuple(word for word in group.words if word not in known))


def _unit_vectors(
    lm: MaskedLM, prompts: Sequence[Prompt], used: Sequence[WordsUsed], progress: Progress | None
) -> list[FloatArray]:
    """Return the vectors of the words of each set, (words, dimensions): target sets, then attribute sets."""
    some_attribute = used[2].used[0]  # the other word is masked, so any one-piece word will do
    fitting = [
        (prompt.text, [w for words, group in zip(prompt.targets, used, strict=False) for w in words if w in group.used])
        for prompt in prompts
    ]
    of_targets = [Sentence(text, word, some_attribute) for text, words in fitting for word in words]
    of_attributes = [
        Sentence(text, words[0], word) for text, words in fitting if words for group in used[2:] for word in group.used
    ]
    vectors = _mean_vectors(lm, of_targets, "target", progress), _mean_vectors(lm, of_attributes, "attribute", progress)
    found = []
    for group, known in zip(used, (vectors[0], vectors[0], vectors[1], vectors[1]), strict=True):
        if lacking := [word for word in group.used if word not in known]:
            raise MeasureError(f"'{lacking[0]}' of '{group.name}' fits no template; name it in one, or leave it out.")
        found.append(unit_rows(np.array([known[word] for word in group.used])))
    return found


def _mean_vectors(
    lm: MaskedLM, sentences: Sequence[Sentence], word: Literal["target", "attribute"], progress: Progress | None
) -> dict[str, FloatArray]:
    if not sentences:
        return {}
    unit = unit_rows(lm.word_vectors_in_place(sentences, word, progress=progress))
    rows: dict[str, list[FloatArray]] = {}
    for sentence, row in zip(sentences, unit, strict=True):
        rows.setdefault(sentence.target if word == "target" else sentence.attribute, []).append(row)
    return {name: np.mean(found, axis=0) for name, found in rows.items()}
