"""Words that go with people who share two traits, and with neither trait alone (docs/definitions.md §15)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from aslant.errors import MeasureError
from aslant.measures.association.chance import BLOCK, drawn_cosines
from aslant.measures.intersections.result import IntersectionalResult, IntersectionalWord
from aslant.measures.intersections.settings import IntersectionalSettings
from aslant.measures.intersections.statistic import Sums, as_dealt, labels, relabelled
from aslant.measures.shared import wordsets as w
from aslant.measures.shared.chance import kind_of, matched_words
from aslant.measures.shared.open_subject import opening
from aslant.measures.shared.settings import keywords
from aslant.statistics import against_chance, benjamini_hochberg, generator, known_qvalues, seed_of
from aslant.stimuli import ClassSet, WordList, WordSet, load_set
from aslant.vectors import WordVectors

if TYPE_CHECKING:
    from aslant.auditing.step_context import Results, Work

#: The groups of an audit.
GROUPS = ("names-african-american-women", "names-mexican-american-women")
FOUR = ("group", "same first trait", "same second trait", "neither trait")


@opening("vectors")
@keywords
def intersectional_bias(
    vectors: WordVectors,
    groups: str | PathLike[str] | ClassSet | w.WordSets = GROUPS[0],
    words: str | PathLike[str] | Iterable[str] = "intersectional-traits",
    *,
    settings: IntersectionalSettings,
    rng: int | np.random.Generator | None = 0,
) -> IntersectionalResult:
    """Find words that go with people who share two traits, such as race and gender (Guo & Caliskan 2021).

    `groups` are four lists of names: the group, those who share its first trait, those who share its second, and those
    who share neither; or a class set with four classes in that order. A word is *intersectional* (IBD) if its effect
    size d, as in WEFAT, between the group and some other group is above `threshold`; it is *emergent* (EIBD) if,
    moreover, neither trait by itself is. `n_resamples` random re-partitions of the names say how often so many words,
    or so large a d, come about if names are exchangeable; `chance` draws put random words of the names' frequency in
    their place.

    >>> import aslant
    >>> r = aslant.intersectional_bias(aslant.load(), n_resamples=999, chance=200)
    >>> r.groups[0].name, len(r.words), 0 <= r.emergent_share <= r.share <= 1
    ('African American women', 49, True)
    >>> own = aslant.intersectional_bias(aslant.load(), [["aisha", "keisha"], ["jamal", "tyrone"],
    ...     ["emily", "anne"], ["greg", "todd"]], ["loud", "rich"], n_resamples=999, chance=0)
    >>> [word.word for word in own.words]
    ['loud', 'rich']
    """
    w.check_vectors(vectors)
    four, stimuli = _groups(groups)
    listed, about = _words(words)
    names = [w.find(vectors, group) for group in four]
    found = w.find(vectors, listed)
    w.need_words(found, 1, vectors)
    for place, group in enumerate(names):
        w.need_words(group, 2, vectors)
        for other in names[:place]:
            w.need_distinct(other, group)
    seed = seed_of(rng)
    kept = {**settings.record(), "words": about}
    made = _measured(vectors, names, found, settings, generator(seed))
    first, second, third, fourth = (group.words for group in names)
    used = first, second, third, fourth
    return IntersectionalResult(
        groups=used,
        threshold=settings.threshold,
        provenance=w.provenance(vectors, stimuli, (*used, found.words), seed, kept),
        **made,
    )


def _measured(
    vectors: WordVectors, names: Sequence[w.Found], found: w.Found, how: IntersectionalSettings,
    random: np.random.Generator,
) -> dict[str, Any]:  # fmt: skip
    """Return the words with their effect sizes, labels and p-values, and the shares of labelled words."""
    cosines = found.unit @ np.concatenate([group.unit for group in names]).T
    sizes = tuple(len(group.raw) for group in names)
    observed = as_dealt(cosines, sizes)
    against, traits = observed.against(), observed.traits()
    marked, emergent = (label[0] for label in labels(against, traits, how.threshold))
    largest = against.max(axis=0)[0]
    by_names = relabelled(cosines, sizes, how.n_resamples, random).against()
    pvalues = _share_reached(largest, by_names.max(axis=0))
    share, emergent_share = float(marked.mean()), float(emergent.mean())
    shares = (by_names > how.threshold).any(axis=0).mean(axis=1)
    kind, drawn = kind_of(vectors), _drawn(vectors, names, found, how.chance, random)
    chances: list[Any] = [None] * len(largest)
    of_shares: list[Any] = [None, None]
    if drawn is not None:
        others, of_traits = drawn.against(), drawn.traits()
        highest = others.max(axis=0).T
        chances = [against_chance(d, own, kind, signed=False) for d, own in zip(largest, highest, strict=True)]
        both = zip((share, emergent_share), labels(others, of_traits, how.threshold), strict=True)
        of_shares = [against_chance(of, label.mean(axis=1), kind, signed=False) for of, label in both]
    fields = zip(
        found.words.used, map(tuple, against[:, 0].T.tolist()), map(tuple, traits[:, 0].T.tolist()), largest.tolist(),
        marked.tolist(), emergent.tolist(), pvalues.tolist(), benjamini_hochberg(pvalues).tolist(), chances,
        known_qvalues(c.pvalue if c else None for c in chances), strict=True,
    )  # fmt: skip
    return {
        "words": tuple(IntersectionalWord(*each) for each in fields), "share": share, "emergent_share": emergent_share,
        "pvalue": float(_share_reached(np.array([share]), shares[:, None])[0]),
        "chance": of_shares[0], "emergent_chance": of_shares[1],
    }  # fmt: skip


def _share_reached(observed: w.FloatArray, drawn: w.FloatArray) -> w.FloatArray:
    """Return how often draws (draws, n) are at least as large as what was observed (n,), which counts among them."""
    reached = (drawn >= observed - 1e-9).sum(axis=0)
    return np.asarray((1 + reached) / (1 + len(drawn)))


def _drawn(
    vectors: WordVectors, names: Sequence[w.Found], found: w.Found, draws: int, random: np.random.Generator
) -> Sums | None:
    """Return the sums that random words of the same frequency give in place of the names; None where none are drawn."""
    sets = [group.words for group in names]
    rows = matched_words(vectors, sets, [found.words], draws, random) if draws else None
    if rows is None:
        return None
    sizes = tuple(of_group.shape[1] for of_group in rows)
    values = np.empty((len(sizes), draws, len(found.raw)))
    squares = np.empty_like(values)
    for at in range(0, len(found.raw), BLOCK):
        cosines, places = drawn_cosines(vectors, rows, found.unit[at : at + BLOCK])
        for group, own in enumerate(np.split(places, np.cumsum(sizes)[:-1], axis=1)):
            picked = cosines[own].astype(np.float64)
            values[group, :, at : at + BLOCK] = picked.sum(axis=1)
            squares[group, :, at : at + BLOCK] = (picked**2).sum(axis=1)
    return Sums(values, squares, sizes)


def _groups(groups: Any) -> tuple[tuple[WordList, ...], str]:
    """Return four lists of names, and what they are called."""
    if isinstance(groups, str | PathLike):
        groups = load_set(groups, ClassSet)
    if isinstance(groups, ClassSet):
        if len(groups.classes) != len(FOUR):
            raise MeasureError(
                f"'{groups.id}' has {len(groups.classes)} classes; four are needed: the group, those who share its "
                "first trait, those who share its second, and those who share neither."
            )
        return groups.classes, groups.id
    return w.word_lists(groups, FOUR), "own"


def _words(words: Any) -> tuple[WordList, str]:
    if isinstance(words, str | PathLike):
        found = load_set(words, WordSet)
        return found.groups[0], found.id
    return WordList("words", w.checked_words(words)), "own"


def intersections(work: Work) -> Results:
    """Look for the words of every group that ships."""
    found = []
    for group in GROUPS:
        with work.noting(f"intersectional, {group}"):
            found.append(intersectional_bias(work.subject.opened, group, rng=work.seed, **work.settings))
    if not found:
        raise MeasureError(next(iter(work.not_run.values())))
    return tuple(found)
