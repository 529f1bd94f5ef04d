"""Where a number comes from: every result has this, so that it can be defended and repeated."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Representation:
    """The embedding or model that was measured; `fingerprint` is made from all of its content.

    `treatments` is what was done to it since it was read (debiasing), one after the other: method, settings, words
    found and missing, seed, version. `note` says the same briefly.
    """

    name: str
    fingerprint: str
    format: str
    words: int
    dimensions: int
    repairs: dict[str, int] = field(default_factory=dict)
    lookup: str = ""
    note: str = ""
    treatments: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class Provenance:
    """What was measured with which stimuli, settings and seed, by which version, and what was missing."""

    stimuli: str
    representation: Representation
    missing: tuple[str, ...]
    seed: int | None
    settings: dict[str, Any]
    version: str
