"""Doctests in docstrings as code blocks of the reference: Markdown takes `>>>` for a quotation inside quotations."""

from __future__ import annotations

import re
from typing import Any

import griffe

#: A prompt, and all lines up to the next empty one: what a doctest is.
DOCTEST = re.compile(r"^>>> .*(?:\n(?!\s*$).*)*", re.MULTILINE)


def fenced(docstring: str) -> str:
    """Return a docstring with each of its doctests in a fence.

    >>> fenced(chr(10).join(["Add.", "", ">>> 1 + 1", "2"])).splitlines()
    ['Add.', '', '```pycon', '>>> 1 + 1', '2', '```']
    """
    return DOCTEST.sub(lambda found: f"```pycon\n{found[0]}\n```", docstring)


class FencedDoctests(griffe.Extension):
    """What mkdocstrings runs over everything it reads."""

    def on_object(self, *, obj: Any, **_: Any) -> None:
        """Fence the doctests of one object."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)
