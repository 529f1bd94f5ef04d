"""The models that the page may ask about: opened once, known to the page by number, never by path."""

from __future__ import annotations

import heapq
import os
import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aslant.errors import AslantError, DataError
from aslant.statistics import unit_rows
from aslant.vectors import WordVectors

if TYPE_CHECKING:
    from aslant.cli.shared import Reading

#: Words that completion knows, the most frequent ones; any other word can be typed in full.
MOST_COMPLETED = 500_000
#: Words among which neighbours are looked for.
MOST_NEAR = 50_000
#: Bytes of vectors that are held in memory.
MOST_HELD = 4 << 30
LAST = "\U0010ffff"
BY_YEAR = re.compile(r"(\d{1,4})=(.+)", re.DOTALL)


@dataclass(frozen=True, eq=False)
class Opened:
    """A model of the page: `given` is what opens it (None: the sample), `settings` what it was read with.

    `vectors` are None for a language model, which is opened in a process of its own when it is first asked.
    """

    number: int
    given: str | None
    name: str
    kind: str
    year: int | None
    vectors: WordVectors | None
    reading: Reading
    settings: dict[str, Any]

    @cached_property
    def completed(self) -> tuple[list[str], list[int]]:
        """The words in lower case, sorted, and their rows."""
        assert self.vectors is not None
        known = sorted((word.lower(), row) for row, word in enumerate(islice(self.vectors.words, MOST_COMPLETED)))
        return [word for word, _ in known], [row for _, row in known]

    def complete(self, prefix: str, limit: int) -> list[int]:
        """Return the rows of the most frequent words that begin so, capitals and small letters alike."""
        words, rows = self.completed
        small = prefix.lower()
        return heapq.nsmallest(limit, rows[bisect_left(words, small) : bisect_left(words, small + LAST)])

    def rank(self, row: int) -> int | None:
        """Return how many words are as frequent as that of a row or more so; None: they do not stand in that order."""
        return row + 1 if self.static().by_frequency else None

    @cached_property
    def frequent(self) -> NDArray[np.float32]:
        """The vectors of the most frequent words, up to 50,000, at unit length."""
        return np.asarray(unit_rows(self.static().rows(np.arange(min(MOST_NEAR, len(self.static()))))), np.float32)

    def static(self) -> WordVectors:
        """Return its word vectors, or say that it has none."""
        if self.vectors is None:
            raise AslantError(f"'{self.name}' is a {self.kind}, which has no word vectors; choose an embedding.")
        return self.vectors


def open_models(given: Sequence[str], reading: Reading, *, quiet: bool = False) -> tuple[Opened, ...]:
    """Open every embedding, and find out of every language model which kind it is; nothing is the bundled sample."""
    return tuple(_opened(number, text, reading, quiet) for number, text in enumerate(given or [""]))


def _opened(number: int, text: str, reading: Reading, quiet: bool) -> Opened:
    from aslant.auditing.subjects import kind_of

    found = BY_YEAR.fullmatch(text)
    year, given = (int(found[1]), found[2]) if found else (None, text or None)
    kind = kind_of(given)
    if kind == "encoder":
        raise AslantError(
            f"'{given}' is an encoder, which the page cannot measure; give an embedding or a language model "
            "('aslant seat' and 'aslant audit' measure encoders)."
        )
    settings = {name: value for name, value in vars(reading).items() if value != getattr(type(reading), name)}
    if kind == "language model":
        _need_place(str(given))
        return Opened(number, given, _short(str(given)), kind, year, None, reading, {})
    vectors = reading.open(given, quiet=quiet)
    return Opened(number, given, vectors.name, "vectors", year, held(vectors), reading, settings)


def _need_place(given: str) -> None:
    """Refuse a path that leads nowhere at once: a language model is opened only when it is first asked."""
    from aslant.models.model_loading import HUB_NAME, unknown
    from aslant.models.server_client import is_address

    named = is_address(given) or (HUB_NAME.fullmatch(given) and not given.startswith("."))
    if not named and not os.path.exists(os.path.expanduser(given)):  # noqa: PTH110, PTH111 (as in `given_path`)
        raise DataError(unknown(given))


def held(vectors: WordVectors) -> WordVectors:
    """Return vectors in memory rather than in a file: random rows of them are needed at each key.

    What is too large for that stays in its file, and takes several times as long.
    """
    if vectors.matrix.nbytes > MOST_HELD:
        return vectors
    return replace(vectors, matrix=vectors.rows(np.arange(len(vectors))), seal=None)


def _short(name: str) -> str:
    """Name a model without the folders that it is in."""
    return name.rstrip("/\\").replace("\\", "/").rpartition("/")[2] or name
