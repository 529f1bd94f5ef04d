"""Every error that `slant` raises on purpose: what was wrong, the value met, what to do.

The command line turns a `SlantError` into one sentence and exit code 2; anything else keeps its
traceback, because then the fault is ours.
"""

from __future__ import annotations


class SlantError(Exception):
    """Something the user gave cannot be used; the message says what, and what to do about it.

    >>> raise SlantError("'x.bin' is empty; download it again.")
    Traceback (most recent call last):
    slant.errors.SlantError: 'x.bin' is empty; download it again.
    """


class VectorsError(SlantError):
    """An embedding file that cannot be read, or vectors that make no sense."""


class CorpusError(SlantError):
    """Text that cannot be read (no text, a column that is not there), or a question to it that makes no sense."""


class StimuliError(SlantError):
    """A word set that does not exist or does not validate."""


class DataError(SlantError):
    """External data that cannot be found, fetched or trusted; the message says what to do by hand."""


class MeasureError(SlantError):
    """A measure that cannot be computed from what was found (too few words, zero variance)."""


class TooFewWordsError(MeasureError):
    """A vocabulary that is too small for a measure."""


class DebiasError(SlantError):
    """A debiasing that cannot be done with what was found (too few pairs, a subspace that takes all)."""


class WorkersError(SlantError):
    """Workers that cannot be reached or used, or that were lost again and again."""


class MissingExtraError(SlantError):
    """An optional dependency is needed; the message gives the exact `pip install`."""
