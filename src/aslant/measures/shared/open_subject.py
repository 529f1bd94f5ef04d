"""What a user gives for vectors, a language model or an encoder: an opened one, or whatever its loader opens."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from os import PathLike
from typing import Any, TypeVar

from aslant.parallel import one_thread_each
from aslant.vectors import WordVectors, load

R = TypeVar("R")


def opening(*names: str) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Let a measure take, for the parameters `names`, also what opens: a path, a data name, a dict, a frame.

    The measure runs with one thread in each library, since threads split sums, which shows in the last digits: the same
    question has the same answer on a machine with more cores, and while other measures run. `lm` is opened by
    `aslant.load_lm`, `encoder` by `aslant.load_encoder`, `model` by whichever of the two fits, and anything else by
    `aslant.load`, also each of several in a list, or in a dict by year. None stays None.

    >>> @opening("vectors")
    ... def dimensions(vectors, scale=1):
    ...     return vectors.dimensions * scale
    >>> dimensions("sample"), dimensions({"he": [1.0, 2.0, 3.0]}, scale=2)
    (100, 6)
    """

    def decorate(function: Callable[..., R]) -> Callable[..., R]:
        signature = inspect.signature(function)
        openers = {name: OPENERS.get(name, vectors_of) for name in names}

        @functools.wraps(function)
        def run(*args: Any, **given: Any) -> R:
            bound = signature.bind(*args, **given)  # names what is missing or unknown, before anything is opened
            for name in openers.keys() & bound.arguments.keys():
                bound.arguments[name] = openers[name](bound.arguments[name])
            with one_thread_each():
                return function(*bound.args, **bound.kwargs)

        run.opens = names  # type: ignore[attr-defined]
        return run

    return decorate


def vectors_of(given: Any) -> Any:
    """Return word vectors as they are, and open anything else by `aslant.load`; each of several in a list.

    A tuple is a pair of words and a matrix, unless something in it is an embedding by itself.

    >>> [v.name for v in vectors_of([load(), "sample"])]
    ['sample', 'sample']
    """
    if given is None or isinstance(given, WordVectors):
        return given
    alone = (WordVectors, str, PathLike, Mapping)
    if isinstance(given, list) or (isinstance(given, tuple) and any(isinstance(each, alone) for each in given)):
        return [vectors_of(each) for each in given]
    return load(given)


def _by_label(given: Any) -> Any:
    """Open every embedding of a mapping of years or labels, or of a list."""
    if isinstance(given, Mapping):
        return {label: vectors_of(each) for label, each in given.items()}
    return vectors_of(given)


def _lm(given: Any) -> Any:
    from aslant.models.loading import is_pair, load_lm

    return load_lm(given) if isinstance(given, str | PathLike) or is_pair(given) else given


def _encoder(given: Any) -> Any:
    from aslant.models.loading import is_pair, load_encoder
    from aslant.models.sentence_transformers_encoder import is_library_model

    named = isinstance(given, str | PathLike) or is_pair(given) or is_library_model(given)
    return load_encoder(given) if named else given


def _model(given: Any) -> Any:
    """Open a language model, or an encoder where a model has no head to predict words with."""
    from aslant.models.loading import NoHeadError

    try:
        return _lm(given)
    except NoHeadError:
        return _encoder(given)


OPENERS: dict[str, Callable[[Any], Any]] = {
    "lm": _lm, "encoder": _encoder, "model": _model, "embeddings": _by_label, "compare": _by_label,
}  # fmt: skip
