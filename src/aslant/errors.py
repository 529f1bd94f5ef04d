"""Every error that `aslant` raises on purpose: what was wrong, the value met, what to do.

The command line turns an `AslantError` into one sentence and exit code 2; anything else keeps its
traceback, because then the fault is ours.
"""

from __future__ import annotations

import unicodedata

#: The most characters in a message; a longer one, which quotes something long, loses its middle.
LONGEST = 1_000
#: Categories of characters that control something, are not characters, or end a line.
UNSEEN = ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp")


def plural(count: int, noun: str, several: str = "") -> str:
    """Return a count with its noun, which agrees with it; `several` is the plural where that is not `noun` with an s.

    >>> plural(1, "test"), plural(1200, "cell"), plural(0, "category", "categories")
    ('1 test', '1,200 cells', '0 categories')
    """
    return f"{count:,} {noun if count == 1 else several or f'{noun}s'}"


def plain(text: object) -> str:
    """Return `text` with control characters, line separators and marks of direction made visible.

    So no token can control a terminal, break a line, or reverse the text after it.

    >>> plain("a" + chr(27) + "[31m")
    'a\\\\x1b[31m'
    """
    return "".join(ascii(c)[1:-1] if unicodedata.category(c) in UNSEEN else c for c in str(text))


class AslantError(Exception):
    """Something the user gave cannot be used; the message says what, and what to do about it.

    It is always one line: characters that would control a terminal or end a line are escaped.

    >>> raise AslantError("'x.bin' is empty; download it again.")
    Traceback (most recent call last):
    aslant.errors.AslantError: 'x.bin' is empty; download it again.
    >>> str(AslantError("there is no word '" + chr(27) + "[2J'."))
    "there is no word '\\\\x1b[2J'."
    """

    #: Whether a log for machines has it already.
    logged = False

    def __init__(self, message: object = "") -> None:
        super().__init__(_cut(plain(_cut(str(message)))))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST * 3 // 4]} … {text[-LONGEST // 5 :]}"


class VectorsError(AslantError):
    """An embedding file that cannot be read, or vectors that make no sense."""


class CorpusError(AslantError):
    """Text that cannot be read (not text, or a missing column), or a request that makes no sense for it."""


class StimuliError(AslantError):
    """A word set that does not exist or does not validate."""


class DataError(AslantError):
    """External data that cannot be found, fetched or trusted; the message says what to do by hand."""


class MeasureError(AslantError):
    """A measure that cannot be computed from what was found (too few words, zero variance)."""


class TooFewWordsError(MeasureError):
    """Too few words of a set or a vocabulary for a measure; `missing` are the requested words that were not found."""

    def __init__(self, message: object = "", missing: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.missing = missing


class DiskError(AslantError):
    """A disk that is full or fails, or a file that others hold for too long: not the user's input is at fault."""


class DebiasError(AslantError):
    """Debiasing that cannot be done with what was found (too few pairs, a subspace that takes up everything)."""


class WorkersError(AslantError):
    """Workers that cannot be reached or used, or that were lost repeatedly."""


class LostWorkersError(WorkersError):
    """A cluster that was there, and is not any more, or does not answer: not the user's input is at fault."""


class MissingExtraError(AslantError):
    """An optional dependency is needed; the message gives the exact `pip install`."""
