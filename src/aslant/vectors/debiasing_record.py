"""What was done to an embedding after it was read: kept with the vectors and in every result's provenance."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from aslant.version import __version__

#: How many missing words a note names; all of them are in the record.
NAMED = 12


@dataclass(frozen=True)
class WordsTaken:
    """Words that a treatment needed: in what `role`, from which stimuli, how many were used, which were missing.

    `alone` are words that were found without the other words of their set, so they were not used.
    """

    role: str
    stimuli: str
    found: int
    missing: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()

    def describe(self) -> str:
        """Return one phrase, such as 'pairs: definitional-pairs, 20 of 20 words'."""
        asked = self.found + len(self.missing) + len(self.alone)
        text = f"{self.role}: {self.stimuli}, {self.found:,} of {asked:,} words"
        reasons = []
        for reason, words in (("missing", self.missing), ("without the others of their set", self.alone)):
            more = f" and {len(words) - NAMED:,} more" if len(words) > NAMED else ""
            reasons += [f"{reason}: {', '.join(words[:NAMED])}{more}"] if words else []
        return f"{text} ({'; '.join(reasons)})" if reasons else text


@dataclass(frozen=True)
class Treatment:
    """A method with its settings, words and seed; `seed` is None where nothing random was done."""

    method: str
    settings: Mapping[str, Any]
    words: tuple[WordsTaken, ...]
    seed: int | None
    version: str = __version__

    def to_dict(self) -> dict[str, Any]:
        """Return the treatment as plain data, every missing word included, ready for JSON.

        >>> Treatment("halved", {"by": (2, 2)}, (), None, "1.0").to_dict()
        {'method': 'halved', 'settings': {'by': [2, 2]}, 'words': [], 'seed': None, 'version': '1.0'}
        """
        content: dict[str, Any] = json.loads(json.dumps(asdict(self), default=float))
        return content

    @classmethod
    def from_dict(cls, content: Any) -> Treatment:
        """Rebuild the treatment that `to_dict` gave; anything else is a ValueError."""
        try:
            settings = {name: _tuple(value) for name, value in content["settings"].items()}
            words = tuple(WordsTaken(**{n: _tuple(value) for n, value in taken.items()}) for taken in content["words"])
            made = cls(**{**content, "settings": settings, "words": words})
            made.describe()
        except (TypeError, KeyError, AttributeError, ValueError) as error:
            raise ValueError(f"not a treatment ({error})") from None
        return made

    def describe(self) -> str:
        """Return the treatment as one line for notes.

        >>> taken = WordsTaken("pairs", "own", 2, ("gal",))
        >>> Treatment("projection", {"components": 1}, (taken,), None).describe()
        'projection (components=1); pairs: own, 2 of 3 words (missing: gal); no random choices'
        """
        settings = ", ".join(f"{name}={value}" for name, value in self.settings.items())
        head = f"{self.method} ({settings})" if settings else self.method
        seed = "no random choices" if self.seed is None else f"seed {self.seed}"
        return "; ".join((head, *(taken.describe() for taken in self.words), seed))


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
