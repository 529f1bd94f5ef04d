"""What the reference needs besides the source: doctests as code blocks, and settings as keyword arguments.

Markdown takes `>>>` for a quotation inside quotations; and the settings of a measure are declared in a class.
"""

from __future__ import annotations

import importlib
import inspect
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

    def on_function(self, *, func: Any, **_: Any) -> None:
        """Show the settings of a measure as the keyword arguments that `keywords` makes of them."""
        if not any(str(decorator.value) == "keywords" for decorator in func.decorators):
            return
        real = inspect.signature(getattr(importlib.import_module(func.module.path), func.name)).parameters
        shown = {parameter.name: parameter for parameter in func.parameters}
        func.parameters = griffe.Parameters(*(shown.get(name) or _parameter(own) for name, own in real.items()))


def _parameter(own: inspect.Parameter) -> griffe.Parameter:
    kind = griffe.ParameterKind.keyword_only
    written = inspect.formatannotation(own.annotation).replace("typing.", "")
    return griffe.Parameter(own.name, kind=kind, annotation=written, default=repr(own.default))
