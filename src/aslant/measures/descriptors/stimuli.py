"""HolisticBias: descriptors of people on several axes, the nouns they go with, and the sentences they stand in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from aslant.data import given_path
from aslant.errors import StimuliError
from aslant.stimuli.descriptor_sets import DATA, FILE, read_descriptors, read_part

FILES = (FILE, "nouns.json", "sentence_templates.json")
SINGULAR, PLURAL = "{noun_phrase}", "{plural_noun_phrase}"
#: The axis of made-up words, which say nothing about anybody.
NONCE = "nonce"


@dataclass(frozen=True)
class Descriptor:
    """A descriptor, what it is about, and what its makers say of it: "dispreferred", "polarizing", "reviewed" or ""."""

    text: str
    axis: str
    bucket: str = ""
    preference: str = ""
    article: str = ""

    def phrase(self, noun: tuple[str, str], *, plural: bool) -> str:
        """Return the descriptor with a noun, given in both numbers.

        >>> deaf = Descriptor("Deaf", "ability")
        >>> deaf.phrase(("person", "people"), plural=False), deaf.phrase(("person", "people"), plural=True)
        ('a Deaf person', 'Deaf people')
        """
        return f"{self.text} {noun[1]}" if plural else f"{self.article or article(self.text)} {self.text} {noun[0]}"


@dataclass(frozen=True)
class DescriptorSet:
    """Descriptors, nouns in both numbers, templates, and the descriptors that cannot be measured."""

    descriptors: tuple[Descriptor, ...]
    nouns: tuple[tuple[str, str], ...]
    templates: tuple[str, ...]
    left_out: tuple[Descriptor, ...]


def article(text: str) -> str:
    """Return the indefinite article by the first letter, as the makers of the set do.

    >>> article("old"), article("young")
    ('an', 'a')
    """
    return "an" if text[:1].lower() in tuple("aeiou") else "a"


def holistic_set(source: str | PathLike[str] = DATA) -> DescriptorSet:
    """Read HolisticBias from a folder with its files, or by its data name.

    >>> holistic_set("/no/such/folder")
    Traceback (most recent call last):
    aslant.errors.StimuliError: there is no folder '/no/such/folder'; give holisticbias, or a folder with ...
    """
    path = given_path(source, "benchmark")
    if path is None or not path.is_dir():
        raise StimuliError(f"there is no folder '{source}'; give {DATA}, or a folder with {', '.join(FILES)}.")
    return read_holistic_bias(path)


def read_holistic_bias(folder: Path) -> DescriptorSet:
    """Read the three files; descriptors that go with nouns of one gender only are left out, so that all can be paired.

    A descriptor that is on two axes is measured on both.
    """
    listed = read_descriptors(folder / FILES[0])
    nouns = read_part(folder / FILES[1], dict[str, list[tuple[str, str]]])
    templates = read_part(folder / FILES[2], dict[str, dict[str, Any]])
    found, left_out = dict[tuple[str, str], Descriptor](), list[Descriptor]()
    for axis, buckets in listed.items():
        for bucket, items in buckets.items():
            for item in items:
                text = item.descriptor.strip()
                made = Descriptor(text, axis, bucket, item.preference, item.article)
                if item.gender:
                    left_out.append(made)
                elif text:
                    found.setdefault((axis, text), made)
    usable = tuple(text for text in templates if (SINGULAR in text) + (PLURAL in text) == 1)
    both = tuple(dict.fromkeys(pair for pairs in nouns.values() for pair in pairs if all(map(str.strip, pair))))
    if not found or not usable or not both:
        lacking = "descriptors" if not found else "templates" if not usable else "nouns"
        raise StimuliError(f"'{folder}' has no {lacking} that can be used; see 'aslant data get {DATA}'.")
    return DescriptorSet(tuple(found.values()), both, usable, tuple(left_out))


@dataclass(frozen=True)
class Contexts:
    """Templates, each with its own nouns: `nouns[i]` are those of `templates[i]`."""

    templates: tuple[str, ...]
    nouns: tuple[tuple[tuple[str, str], ...], ...]

    def sentences(self, descriptor: Descriptor | None) -> list[str]:
        """Return the sentences of a descriptor, template by template; None: of the nouns alone."""
        return [
            self._filled(template, descriptor, noun)
            for template, nouns in zip(self.templates, self.nouns, strict=True)
            for noun in nouns
        ]

    def _filled(self, template: str, descriptor: Descriptor | None, noun: tuple[str, str]) -> str:
        plural = PLURAL in template
        if descriptor is not None:
            phrase = descriptor.phrase(noun, plural=plural)
        else:
            phrase = noun[1] if plural else f"{article(noun[0])} {noun[0]}"
        return template.replace(PLURAL if plural else SINGULAR, phrase)


def contexts(
    templates: Sequence[str], nouns: Sequence[tuple[str, str]], each: int, random: np.random.Generator
) -> Contexts:
    """Give every template `each` nouns of its own, in random order: as long as there are enough, none is used twice.

    >>> found = contexts(["I'm {noun_phrase}.", "I like {plural_noun_phrase}."], [("man", "men"), ("kid", "kids")], 1,
    ...                  np.random.default_rng(0))
    >>> found.sentences(Descriptor("old", "age"))
    ["I'm an old man.", 'I like old kids.']
    """
    order, each = random.permutation(len(nouns)).tolist(), min(each, len(nouns))
    chosen = (
        tuple(nouns[order[(place * each + k) % len(nouns)]] for k in range(each)) for place in range(len(templates))
    )
    return Contexts(tuple(templates), tuple(chosen))
