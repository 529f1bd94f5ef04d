"""A user's own stimuli in an audit: each set goes to the measure that fits its kind and the representation."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from aslant.auditing.step_context import Results, Work
from aslant.auditing.subjects import CALLED
from aslant.catalogue import steps
from aslant.errors import StimuliError
from aslant.results.codec import MeasuredResult
from aslant.stimuli import StimulusSet, load_set


def own_sets(words: Any) -> tuple[StimulusSet, ...]:
    """Load a user's own sets: a path, a name, a set, or several of them; two must not have one name.

    >>> [found.id for found in own_sets(["weat-6", "gender-three"])]
    ['weat-6', 'gender-three']
    """
    several = words if isinstance(words, Iterable) and not isinstance(words, str | PathLike) else [words]
    found = tuple(item if isinstance(item, StimulusSet) else load_set(_source(item)) for item in several)
    for place, item in enumerate(found):
        if item.id in {other.id for other in found[:place]}:
            raise StimuliError(f"two sets of words are called '{item.id}'; rename one of the files.")
    return found


def _source(item: Any) -> str | PathLike[str]:
    if not isinstance(item, str | PathLike):
        raise StimuliError(f"words={item!r:.60} does not name a word set; give the path of a TOML file.")
    return item


def digest(sets: Iterable[StimulusSet]) -> str:
    """Return twelve characters that identify the content of sets.

    >>> digest([load_set("weat-6")]) == digest([load_set("weat-7")])
    False
    """
    import msgspec

    return hashlib.sha256(msgspec.json.encode(tuple(sets))).hexdigest()[:12]


def measure_own(work: Work) -> Results:
    """Measure with every set that some step takes; what does not fit is noted, with what it would need."""
    done: list[MeasuredResult] = []
    taken: set[str] = set()
    for step in steps().values():
        if not step.own_words or not step.fits & work.subject.traits:
            continue
        sets = [found for found in work.own if _kind(found) in step.takes and found.id not in taken]
        if sets:
            taken |= {found.id for found in sets}
            settings = {name: value for name, value in work.settings.items() if name in step.profiles[work.profile]}
            done += step.resolve(step.own_words)(replace(work, settings=settings), sets)
    for found in work.own:
        if found.id not in taken:
            work.note(f"own words, {found.id}", f"a set of this kind needs {_needs(_kind(found))}.")
    return tuple(done)


def _kind(found: StimulusSet) -> str:
    return str(type(found).__struct_config__.tag)


def _needs(kind: str) -> str:
    """Say what a set of this kind can be measured on."""
    fits = frozenset[str]().union(*(step.fits for step in steps().values() if kind in step.takes))
    names = [CALLED[trait] for trait in CALLED if trait in fits]
    return " or ".join(names) or "a command of its own"


def absolute(words: Iterable[str]) -> tuple[str, ...]:
    """Return paths that mean the same from any folder; names of sets that ship stay as they are.

    >>> absolute(["weat-6"])
    ('weat-6',)
    """
    from aslant.stimuli import names

    return tuple(word if word in names() else str(Path(word).resolve()) for word in words)
