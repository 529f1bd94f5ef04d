"""Which words are measured in which period."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from aslant.errors import MeasureError, plural
from aslant.measures.shared.following import Followed
from aslant.measures.shared.wordsets import Found, find, need_distinct
from aslant.stimuli import WordList
from aslant.vectors import WordVectors


@dataclass(frozen=True)
class Chosen:
    """The words of each set that one period uses, and how many of those asked for all of its trainings have."""

    kept: tuple[WordList, ...]
    replaced: tuple[WordList, ...]
    found: int

    @property
    def words(self) -> tuple[str, ...]:
        """Every word that is used, once."""
        return tuple(dict.fromkeys(word for sets in (*self.kept, *self.replaced) for word in sets.words))


def choose(
    followed: Followed, series: Mapping[int, Sequence[WordVectors]], any_words: bool
) -> tuple[dict[int, Chosen], dict[int, str]]:
    """Return the words of each year that has some of every set, and why other years are left out."""
    has = {year: _found_in_all(followed, runs) for year, runs in sorted(series.items())}
    own = {year: cut(followed, words, len(words)) for year, words in has.items()}
    left_out = {year: lacking for year, chosen in own.items() if (lacking := _lacking(followed, chosen))}
    own = {year: chosen for year, chosen in own.items() if year not in left_out}
    if len(own) < 2:
        why = f" ({next(iter(left_out.values()))})" if left_out else ""
        raise MeasureError(f"{len(own)} of {plural(len(series), 'year')} with words of every set{why}; two are needed.")
    if not any_words:
        common = set.intersection(*(has[year] for year in own))
        own = {year: cut(followed, common, len(has[year])) for year in own}
        if lacking := _lacking(followed, next(iter(own.values()))):
            fewest = min(own, key=lambda year: len(has[year]))
            raise MeasureError(
                f"no words that every year has: {lacking}; {fewest} has the fewest. Leave out years, use longer "
                "periods or any_words=True (--any)."
            )
    for year, chosen in own.items() if not followed.spare else ():
        for sets in (chosen.kept, chosen.replaced):
            for first, second in combinations(looked_up(series[year][0], sets), 2):
                need_distinct(first, second)
    return own, left_out


def _found_in_all(followed: Followed, runs: Sequence[WordVectors]) -> set[str]:
    return set.intersection(*(set(vectors.lookup(followed.words).found) for vectors in runs))


def cut(followed: Followed, words: set[str], found: int) -> Chosen:
    """Keep only these words of each set; of paired sets only places that are whole, of spare ones only whole sets."""
    kept = followed.kept
    if followed.paired:
        whole = [all(w in words for w in place) for place in zip(*(sets.words for sets in kept), strict=False)]
        kept = tuple(
            WordList(sets.name, tuple(w for w, ok in zip(sets.words, whole, strict=False) if ok)) for sets in kept
        )
    replaced = [_only(sets, words) for sets in followed.replaced]
    if followed.spare:
        replaced = [sets for sets in replaced if len(sets.words) >= followed.least]
    return Chosen(tuple(_only(sets, words) for sets in kept), tuple(replaced), found)


def _only(sets: WordList, words: set[str]) -> WordList:
    return WordList(sets.name, tuple(word for word in sets.words if word in words))


def _lacking(followed: Followed, chosen: Chosen) -> str:
    """Say which sets have no words; an empty text if none."""
    if followed.spare and not chosen.replaced:
        return f"no set with {followed.least} words"
    lacking = [sets.name for sets in (*chosen.kept, *chosen.replaced) if not sets.words]
    return f"no word of '{lacking[0]}'" if lacking else ""


def looked_up(vectors: WordVectors, sets: Sequence[WordList]) -> list[Found]:
    """Return the vectors of each set."""
    return [find(vectors, words) for words in sets]
