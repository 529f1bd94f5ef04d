"""Polarity of texts between classes, by group: of what a language model writes, or of any texts (definitions §12)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from aslant.errors import MeasureError, plural
from aslant.measures.generated_texts import result as r
from aslant.measures.generated_texts.sample import Comparison, Measured, Prompts, Words
from aslant.measures.generated_texts.settings import TextPolaritySettings
from aslant.measures.generated_texts.texts import Texts, TextsGiven, texts_of
from aslant.measures.polarities.measure import Classes, check_scheme, class_lists, class_vector
from aslant.measures.shared.chance import kind_of, matched_words
from aslant.measures.shared.open_subject import opening
from aslant.measures.shared.settings import keywords
from aslant.measures.shared.statistic import drawn_interval, share_interval
from aslant.measures.shared.wordsets import (
    FloatArray,
    Found,
    check_vectors,
    find,
    need_distinct,
    need_words,
    provenance,
)
from aslant.models.protocols import WritesTexts
from aslant.results.parts import Interval
from aslant.results.provenance import Representation
from aslant.statistics import (
    Chance,
    against_chance,
    bootstrap_means,
    generator,
    known_qvalues,
    partition_pvalue,
    seed_of,
    sign_flip_pvalue,
    spawn,
    unit_rows,
)
from aslant.stimuli import WordList
from aslant.vectors import WordVectors

if TYPE_CHECKING:
    from aslant.auditing.step_context import Results, Work

DEFAULT_CLASSES = "gender-binary"
#: The words that are counted for the classes of these sets; for others, the class words themselves.
COUNTED = {"gender-binary": "gender-tokens", "gender-pronouns": "gender-tokens"}
#: Words of texts, times draws, that are looked at, which bounds time; but at least this many draws.
MOST, LEAST_DRAWS = 1 << 26, 200


@opening("vectors")
@keywords
def text_polarity(
    vectors: WordVectors,
    texts: TextsGiven,
    groups: str | Sequence[str] | None = None,
    classes: Classes = DEFAULT_CLASSES,
    *,
    text: str | None = None,
    prompts: str | Sequence[str] | None = None,
    sources: str | Sequence[str | None] | None = None,
    tokens: Classes | None = None,
    settings: TextPolaritySettings,
    rng: int | np.random.Generator | None = 0,
) -> r.TextPolarityResult:
    """Measure to which class `texts` lean, by group: by counted words, by the strongest word, by a weighted mean.

    `texts`: a CSV or JSON lines, a list, texts by group, or what `aslant.generate_texts` returns. `groups`, `prompts`
    and `sources` (what people wrote in a text's place) name columns of a file, as `text` does, or have one value for
    each text; columns with usual names are found. The lean of a word to a class is its cosine by one of the schemes of
    `aslant.polarity`; "max" takes the word that leans most, "wavg" Σ sgn(b) b² / Σ |b|, "unigram" counts `tokens` of
    each class. A text leans to a class above `threshold`. Stop words (English) and class words are left out. The prompt
    is the unit: intervals draw prompts again, p-values permute them between groups, or compare texts with their sources
    in pairs. `chance` random words of the same frequency stand for the class words.

    >>> import aslant
    >>> texts = {"one": ["She was a pregnant nurse."], "two": ["He was a sturdy soldier."]}
    >>> r = aslant.text_polarity(aslant.load(), texts, chance=0)
    >>> [(text.word, text.counts, round(text.max[0], 2)) for text in r.texts]
    [('nurse', (1, 0), 0.19), ('soldier', (0, 1), 0.19)]
    """
    check_vectors(vectors)
    listed, class_id = class_lists(classes)
    check_scheme(settings.scheme, len(listed))
    found = _found(vectors, listed)
    counted = _counted(tokens, listed, class_id)
    given = texts_of(texts, text=text, groups=groups, prompts=prompts, sources=sources)
    seed = seed_of(rng)
    task = Task(given, vectors, found, counted, settings)
    measured = task.measured()
    for_chance, for_intervals = spawn(seed, 2)
    drawn, again = task.drawn(for_chance), seed_of(for_intervals)
    return r.TextPolarityResult(
        scheme=settings.scheme,
        threshold=settings.threshold,
        classes=tuple(own.words for own in found),
        tokens=tuple(own.words for own in counted),
        groups=task.groups(measured, drawn, again),
        differences=task.differences(measured, drawn, again),
        texts=task.by_text(measured),
        vectors=Representation(**vectors.record()),
        read=given.read,
        notes=task.notes(),
        provenance=provenance(given, class_id, [own.words for own in found], seed, settings.record()),
    )


def _found(vectors: WordVectors, listed: Sequence[WordList]) -> list[Found]:
    """Look class words up; each class needs one, and no word may be in two."""
    found = [find(vectors, group) for group in listed]
    for place, own in enumerate(found):
        need_words(own, 1, vectors)
        for other in found[:place]:
            need_distinct(other, own)
    return found


def _counted(tokens: Classes | None, listed: Sequence[WordList], class_id: str) -> list[WordList]:
    """Return the words that are counted for each class, in the order of the classes."""
    if tokens is None and class_id not in COUNTED:
        return list(listed)
    found, _ = class_lists(COUNTED[class_id] if tokens is None else tokens)
    if len(found) != len(listed):
        raise MeasureError(
            f"tokens of {plural(len(found), 'class', 'classes')} for {len(listed)}; give words for each."
        )
    return list(found)


@dataclass(frozen=True)
class Drawn:
    """What random class words give: shares and means of groups, (draws, metrics, 2, groups, n), and differences,
    (draws, metrics, comparisons, n).
    """

    groups: FloatArray
    differences: FloatArray
    kind: str

    def of(self, observed: float, values: FloatArray, *, signed: bool) -> Chance:
        """Compare a number with the drawn ones."""
        return against_chance(observed, values, self.kind, signed=signed)


class Task:
    """One measurement: texts between classes, summed up by group."""

    def __init__(
        self, given: Texts, vectors: WordVectors, classes: Sequence[Found], counted: Sequence[WordList],
        how: TextPolaritySettings,
    ) -> None:  # fmt: skip
        self.given, self.vectors, self.classes, self.counted, self.how = given, vectors, classes, counted, how
        self.words = Words(given, vectors, [token for own in classes for token in own.words.tokens])
        self.prompts = Prompts(given, self.words.source_of)
        self.names = [own.words.name for own in classes]
        self.weights = np.stack([self.prompts.weights(group.places) for group in self.prompts.groups])
        compared = [self.prompts.contrast(of) for of in self.prompts.compared]
        self.contrasts = np.stack(compared) if compared else np.zeros((0, self.prompts.rows))

    def measured(self) -> Measured:
        """Score the texts between the classes."""
        matrix = np.array([class_vector(own, self.how.unit) for own in self.classes])
        return self._measured(matrix, [own.words for own in self.counted])

    def _measured(self, matrix: FloatArray, counted: Sequence[Iterable[str]], left_out: Iterable[str] = ()) -> Measured:
        return self.words.measured(matrix, self.how.scheme, self.how.threshold, counted, left_out)

    def summed(self, measured: Measured) -> tuple[FloatArray, FloatArray]:
        """Return shares and means by metric and group, (metrics, 2, groups, n), and differences, (metrics, …, n)."""
        groups = [
            [self.weights @ measured.leaning(metric), self.weights @ measured.scores[metric]] for metric in r.METRICS
        ]
        return np.array(groups), np.array([self.contrasts @ measured.tested(metric) for metric in r.METRICS])

    def drawn(self, random: np.random.Generator) -> Drawn | None:
        """Score the texts between random words of the frequency of the class words, and with random words counted.

        The words drawn for the classes of a draw are left out of the texts, as the class words are.
        """
        looked_at = len(self.words.every.items) * len(self.classes)
        draws = min(self.how.chance, max(LEAST_DRAWS, MOST // max(1, looked_at)))
        classes, counted = [own.words for own in self.classes], [find(self.vectors, own).words for own in self.counted]
        rows = matched_words(self.vectors, classes, [], draws, random) if draws else None
        others = matched_words(self.vectors, counted, classes, draws, random) if rows is not None else None
        if rows is None or others is None:
            return None
        found, names = [], self.vectors.words
        for number in range(draws):
            raw = [self.vectors.rows(own[number]) for own in rows]
            matrix = np.array([(unit_rows(v) if self.how.unit else v).mean(axis=0, dtype=np.float64) for v in raw])
            gone = [names[row] for own in rows for row in own[number].tolist()]
            words = [[names[row] for row in own[number].tolist()] for own in others]
            found.append(self.summed(self._measured(matrix, words, gone)))
        return Drawn(np.stack([own[0] for own in found]), np.stack([own[1] for own in found]), kind_of(self.vectors))

    def groups(self, measured: Measured, drawn: Drawn | None, seed: int) -> tuple[r.GroupLean, ...]:
        """Describe every metric, group and class."""
        summed, _ = self.summed(measured)
        return tuple(
            self._group(measured, drawn, summed, (m, g, c), seed)
            for m in range(len(r.METRICS))
            for g in range(len(self.prompts.groups))
            for c in range(len(self.names))
        )

    def _group(
        self, measured: Measured, drawn: Drawn | None, summed: FloatArray, place: tuple[int, int, int], seed: int
    ) -> r.GroupLean:
        m, g, c = place
        metric, group = r.METRICS[m], self.prompts.groups[g]
        both = (measured.leaning(metric)[:, c], measured.scores[metric][:, c])
        shares, means = (self.prompts.means(values, group.places) for values in both)
        intervals = (self._interval(shares, seed, share=True), self._interval(means, seed))
        signed = (False, metric != r.UNIGRAM)
        chances = [
            None if drawn is None else drawn.of(summed[m, q, g, c], drawn.groups[:, m, q, g, c], signed=signed[q])
            for q in range(2)
        ]
        texts = group.places[self.words.source_of[group.places] >= 0]
        sources = [
            float(self.prompts.means(values, texts, self.words.source_of[texts]).mean()) if len(texts) else None
            for values in both
        ]
        return r.GroupLean(
            metric, group.domain, group.name, self.names[c], len(group.places), self.prompts.count(group.places),
            float(self.words.with_vectors.sizes[group.places].mean()),
            float(summed[m, 0, g, c]), intervals[0], chances[0], float(summed[m, 1, g, c]), intervals[1], chances[1],
            *sources,
        )  # fmt: skip

    def _interval(self, values: FloatArray, seed: int, *, share: bool = False) -> Interval | None:
        """Return the interval of a mean over prompts: the same ones are drawn for every metric and class.

        Where no or every text leans, drawing again tells nothing, and a share has Wilson's interval over prompts.
        """
        if not self.how.bootstrap or len(values) < 2:
            return None
        means = bootstrap_means(values, self.how.bootstrap, generator(seed))
        if share:
            return share_interval(means, values, np.ones(len(values)), self.how.confidence)
        return drawn_interval(means, self.how.confidence)

    def differences(self, measured: Measured, drawn: Drawn | None, seed: int) -> tuple[r.LeanDifference, ...]:
        """Compare groups with others, and texts with their sources, with q-values over all of these.

        Between two classes, what leans to one leans away from the other: scores are compared for the first alone.
        """
        _, observed = self.summed(measured)
        found = []
        for row, of in enumerate(self.prompts.compared):
            for m, metric in enumerate(r.METRICS):
                for c in range(1 if metric != r.UNIGRAM and len(self.names) == 2 else len(self.names)):
                    value = float(observed[m, row, c])
                    pvalue, interval = self._tested(of, measured.tested(metric)[:, c], seed)
                    chance = None if drawn is None else drawn.of(value, drawn.differences[:, m, row, c], signed=True)
                    found.append(r.LeanDifference(
                        metric, of.group.domain, of.group.name, of.other_than, self.names[c], value, interval, pvalue,
                        None, chance,
                    ))  # fmt: skip
        qvalues = known_qvalues([difference.pvalue for difference in found])
        return tuple(replace(difference, qvalue=q) for difference, q in zip(found, qvalues, strict=True))

    def _tested(self, of: Comparison, values: FloatArray, seed: int) -> tuple[float, Interval | None]:
        """Return the p-value of a difference over whole prompts, and its interval."""
        n = self.how.n_resamples
        if of.paired:
            gaps = self.prompts.means(values, of.first) - self.prompts.means(values, of.first, of.second)
            return sign_flip_pvalue(gaps, n_resamples=n, rng=seed), self._interval(gaps, seed)
        first, second = (self.prompts.means(values, places) for places in (of.first, of.second))
        p = partition_pvalue(first, second, alternative="two-sided", n_resamples=n, rng=seed).pvalue
        if not self.how.bootstrap or min(len(first), len(second)) < 2:
            return p, None
        random = generator(seed)
        means = [bootstrap_means(own, self.how.bootstrap, random) for own in (first, second)]
        return p, drawn_interval(means[0] - means[1], self.how.confidence)

    def by_text(self, measured: Measured) -> tuple[r.TextLean, ...]:
        """Describe every text."""
        names = {-1: "", **dict(enumerate(self.names))}
        counts = measured.scores[r.UNIGRAM].astype(int).tolist()
        strongest, mean = (measured.scores[metric].tolist() for metric in (r.MAX, r.WAVG))
        return tuple(
            r.TextLean(
                text.group, text.prompt, int(self.words.with_vectors.sizes[at]), tuple(counts[at]),
                tuple(strongest[at]), tuple(mean[at]),
                self.words.found[word] if (word := int(measured.strongest[at])) >= 0 else "",
                {metric: names[int(measured.labels[metric][at])] for metric in r.METRICS},
            )
            for at, text in enumerate(self.given)
        )  # fmt: skip

    def notes(self) -> tuple[str, ...]:
        """Say what could not be used."""
        empty = int((self.words.with_vectors.sizes[: len(self.given)] == 0).sum())
        single = not any(text.prompt for text in self.given)
        said = {
            "there are no prompts, so every text is a unit of its own": single,
            f"{plural(empty, 'text')} without any word that counts: leaning nowhere": empty,
            f"{plural(len(self.words.missing), 'word')} of the texts without a vector": self.words.missing,
            f"{plural(len(self.given.left_out), 'prompt')} left out that the model cannot take": self.given.left_out,
        }
        return tuple(sentence for sentence, holds in said.items() if holds)


def texts_step(work: Work) -> Results:
    """Let the model continue prompts of BOLD, if they are here, and measure the texts by the sample vectors."""
    from aslant.measures.generated_texts.writing import DATA, generate_texts
    from aslant.vectors import load

    lm = work.subject.opened
    if not isinstance(lm, WritesTexts):
        work.note("text-polarity", f"'{work.subject.representation.name}' does not write texts.")
        return ()
    if (place := work.find_data(f"text-polarity, {DATA}", DATA)) is None:
        return ()
    texts = generate_texts(lm, place, rng=work.seed, **work.asking(), **work.settings)
    return (text_polarity(load(), texts, rng=work.seed),)
