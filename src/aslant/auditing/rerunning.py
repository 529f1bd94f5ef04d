"""Measuring again what a result's provenance says, and what came out differently."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from aslant import catalogue
from aslant.auditing import audit
from aslant.auditing.policy import MAX_REPORT
from aslant.auditing.subjects import opened
from aslant.errors import AslantError
from aslant.io.reading import parse_json, read_text
from aslant.results.audit import AuditResult
from aslant.results.codec import MeasuredResult, Result, result_from_dict
from aslant.results.provenance import Provenance, Representation
from aslant.stimuli.name_files import bundled_names
from aslant.vectors import WordVectors, load
from aslant.version import __version__

R = TypeVar("R", bound=Result)
#: What differs between two runs that are otherwise the same.
OF_A_RUN = ("created", "version", "seconds")


def read_result(path: str | PathLike[str]) -> Result:
    """Read a result of any kind, or a whole audit, from the JSON that was saved.

    >>> import aslant, pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "r.json"
    >>> aslant.weat(aslant.load(), "weat-6", bootstrap=0, chance=0).save(file)
    >>> aslant.read_result(file).test
    'weat-6'
    """
    try:
        return result_from_dict(parse_json(read_text(Path(path), most=MAX_REPORT)))
    except (ValueError, RecursionError) as error:
        raise AslantError(f"'{path}' is not JSON: {error}.") from None


def rerun(result: R, model: Any) -> R:
    """Measure again what `result` says it is, with its stimuli, settings and seed, on `model`; return what came out.

    `model` is what was measured: vectors, a language model or an encoder, or the path or name of one; an embedding of
    which only the most frequent words were measured is cut to them. What has another fingerprint is refused, and so
    is a result whose provenance does not hold everything it was made with (word lists given in memory, say). Whole
    audits are run again with the measures that they have. `differences` tells whether every number is the same.

    >>> import aslant
    >>> r = aslant.weat(aslant.load(), "weat-6", chance=100, bootstrap=100, rng=3)
    >>> again = aslant.rerun(r, aslant.load())
    >>> again.effect_size == r.effect_size, again.chance == r.chance, aslant.differences(r, again)
    (True, True, [])
    """
    if isinstance(result, AuditResult):
        audited: R = _audited(result, _opened(result.representation, model))
        return audited
    if not isinstance(result, MeasuredResult):
        raise AslantError(f"a result of kind '{result.kind}' is made of others; rerun those.")
    made, function, arguments = result.provenance, _function(result), _arguments(result)
    subject = _opened(made.representation, model)
    _check(made, subject)
    again: R = function(subject, **arguments)
    _same_call(made, again.provenance)  # type: ignore[attr-defined]
    return again


def _opened(measured: Representation, model: Any) -> Any:
    """Open what is named, an embedding with as many words as were measured; anything else stays as it is."""
    if model is not None and not isinstance(model, str | PathLike):
        return model
    found = opened(model).opened
    if isinstance(found, WordVectors) and len(found) > measured.words and found.fingerprint != measured.fingerprint:
        return load(model, top=measured.words)
    return found


def _check(made: Provenance, model: Any) -> None:
    if made.version != __version__:
        warnings.warn(f"version {made.version} made this result, and this is {__version__}.", UserWarning, stacklevel=3)
    met = model.record()["fingerprint"]
    if met != made.representation.fingerprint:
        raise AslantError(
            f"the result is of '{made.representation.name}' with fingerprint {made.representation.fingerprint}, and "
            f"'{model.record()['name']}' has {met}; give the same content, with the same words and the same treatment."
        )


def _function(result: MeasuredResult) -> Callable[..., Any]:
    """Return the public function whose annotation says that it returns results of this class."""
    for room in catalogue.rooms():
        for function, returned in (_returned(room, where) for where in room.functions):
            if returned == type(result).__name__:
                return function
    raise AslantError(f"a result of kind '{result.kind}' does not come from one function; it cannot be rerun.")


def _returned(room: catalogue.Room, where: str) -> tuple[Callable[..., Any], str]:
    function: Callable[..., Any] = catalogue.Entry(home=room.home).resolve(where)
    return function, str(inspect.signature(function).return_annotation).rpartition(".")[2]


def _arguments(result: MeasuredResult) -> dict[str, Any]:
    """Return the settings that the function takes, the seed, and the stimuli as its second argument."""
    made, taken = result.provenance, inspect.signature(_function(result)).parameters
    if "own" in made.stimuli.split():
        raise AslantError("this result is of words of your own, which its file does not name; measure them again.")
    given = {name: value for name, value in made.settings.items() if name in taken}
    _, second, *_ = taken.values()
    if "WordVectors" in str(second.annotation):
        raise AslantError(f"a result of kind '{result.kind}' is made of two embeddings; it cannot be rerun.")
    given[second.name] = made.stimuli.split() if second.name == "tests" else made.stimuli
    ours = bundled_names().id
    seed = {} if made.seed is None else {"rng": made.seed}
    return {name: None if value == ours else value for name, value in given.items()} | seed


def _same_call(made: Provenance, again: Provenance) -> None:
    """Refuse a result that was not made by the same call: its provenance does not say everything about it."""
    if replace(again, version=made.version) == made:
        return
    names = [name for name in ("stimuli", "representation", "missing", "seed", "settings")
             if getattr(made, name) != getattr(again, name)]  # fmt: skip
    raise AslantError(
        f"this result cannot be rebuilt from its provenance ({', '.join(names)} differ); "
        "it was made with words or options that its file does not hold."
    )


def _audited(result: AuditResult, model: Any) -> Any:
    known = catalogue.steps()
    if unknown := [part.measure for part in result.parts if part.measure not in known]:
        raise AslantError(f"this audit has {unknown[0]}, whose words its file does not hold; use 'aslant audit'.")
    _check(Provenance("", result.representation, (), result.seed, {}, result.version), model)
    return audit(model, profile=result.profile, only=[part.measure for part in result.parts], rng=result.seed)


@dataclass(frozen=True)
class Change:
    """One value that differs: where it is in the result, what it was and what it is now; None: it is not there."""

    where: str
    before: Any
    after: Any


def differences(before: Result, after: Result) -> list[Change]:
    """Return every value that differs between two results, to the last digit; times and versions apart.

    >>> import aslant
    >>> r, s = (aslant.weat(aslant.load(), "weat-6", bootstrap=0, chance=50, rng=seed) for seed in (0, 1))
    >>> [change.where for change in differences(r, s)][:2]
    ['provenance.seed', 'chance.mean']
    """
    return _changes("", before.to_dict(), after.to_dict())


def _changes(where: str, a: Any, b: Any) -> list[Change]:
    if isinstance(a, dict) and isinstance(b, dict):
        names = [name for name in {**a, **b} if name not in OF_A_RUN]
        return [c for name in names for c in _changes(f"{where}.{name}".lstrip("."), a.get(name), b.get(name))]
    if isinstance(a, list | tuple) and isinstance(b, list | tuple) and len(a) == len(b):
        return [c for place, pair in enumerate(zip(a, b, strict=True)) for c in _changes(f"{where}[{place}]", *pair)]
    return [] if a == b else [Change(where, a, b)]
