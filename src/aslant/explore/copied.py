"""What was asked, as Python, as a command and as TOML, each of which gives the same numbers."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from textwrap import indent
from typing import Any

WIDTH = 100
#: The file of a command whose words do not fit into its line.
OWN = "own.toml"


def call(function: str, subject: str, arguments: Mapping[str, Any]) -> str:
    """Return a call of a public function as Python that runs.

    >>> print(call("weat", "vectors", {"test": "weat-6", "rng": 0}))
    result = aslant.weat(vectors, test='weat-6', rng=0)
    """
    given = [subject, *(f"{name}={_written(value, 4)}" for name, value in arguments.items())]
    line = f"result = aslant.{function}({', '.join(given)})"
    if len(line) <= WIDTH and "\n" not in line:
        return line
    return "\n".join([f"result = aslant.{function}(", *(f"    {one}," for one in given), ")"])


def _written(value: Any, indent: int) -> str:
    """Write a value as Python; a mapping that is too long for a line has a line for each of its items."""
    if not isinstance(value, dict) or len(repr(value)) + indent <= WIDTH - 20:
        return repr(value)
    inner = "".join(f"\n{' ' * (indent + 4)}{key!r}: {_written(v, indent + 4)}," for key, v in value.items())
    return f"{{{inner}\n{' ' * indent}}}"


def opening(given: str | None, settings: Mapping[str, Any], *, function: str = "load") -> str:
    """Return how a model is opened in Python.

    >>> opening("glove.txt", {"top": 1000})
    "aslant.load('glove.txt', top=1000)"
    """
    options = {k: v for k, v in settings.items() if k in ("top", "allow_pickle", "subwords")}
    policy = {k: v for k, v in settings.items() if k in ("case", "phrases")}
    arguments = ([] if given is None else [repr(given)]) + [f"{k}={v!r}" for k, v in options.items()]
    if policy:
        arguments.append(f"policy=aslant.LookupPolicy({', '.join(f'{k}={v!r}' for k, v in policy.items())})")
    if settings.get("no_cache"):
        arguments.append("cache=False")
    return f"aslant.{function}({', '.join(arguments)})"


def script(*lines: str) -> str:
    """Return lines of Python as a script that prints the result."""
    return "\n".join(["import aslant", "", *lines, "print(result)", ""])


def of_each(openings: Sequence[str], name: str, asked: str, *last: str) -> str:
    """Return a script that asks one model, or several in turn and then the `last` of all.

    >>> print(of_each(["aslant.load()", "aslant.load('b')"], "v", "result = aslant.mac(v)"))
    import aslant
    <BLANKLINE>
    models = [aslant.load(), aslant.load('b')]
    for v in models:
        result = aslant.mac(v)
        print(result)
    <BLANKLINE>
    """
    if len(openings) == 1:
        return script(f"{name} = {openings[0]}", asked)
    inner = indent(f"{asked}\nprint(result)", "    ")
    lines = ["import aslant", "", f"models = [{', '.join(openings)}]", f"for {name} in models:", inner]
    return "\n".join([*lines, *last, *["print(result)"] * bool(last), ""])


def command(name: str, models: Sequence[str | None], settings: Mapping[str, Any], *words: str) -> str:
    """Return a command for a shell; what needs quotes has them.

    >>> command("weat", ["my glove.txt"], {"top": 10}, "--seed", "0")
    "aslant weat 'my glove.txt' --seed 0 --top 10"
    """
    options: list[str] = []
    for key, value in settings.items():
        options += [f"--{key.replace('_', '-')}", *([] if value is True else [str(value)])]
    given = [f"./{model}" if model.startswith("-") else model for model in models if model is not None]
    line = " ".join(map(shlex.quote, ["aslant", name, *given, *words, *options]))
    return f"{line}  # own.toml: what 'Copy as TOML' gives" if OWN in words else line


def as_lists(option: str, groups: Mapping[str, Sequence[str]]) -> list[str] | None:
    """Return sets of words as options, such as --targets "old: aged, elderly"; None where a comma is in the way.

    >>> as_lists("--targets", {"old": ["aged"]}), as_lists("--targets", {"old": ["a,b"]})
    (['--targets', 'old: aged'], None)
    """
    if not all(_fits(word) for words in groups.values() for word in words):
        return None
    return [part for name, words in groups.items() for part in (option, f"{name}: {','.join(words)}")]


def as_classes(groups: Mapping[str, Sequence[str]]) -> str | None:
    """Return classes as one argument, such as "old: aged, elderly; young: youth"; None where a mark is in the way.

    >>> as_classes({"old": ["aged", "elderly"], "she, her": ["she"]}), as_classes({"a;b": ["c"], "d": ["e"]})
    ('old: aged, elderly; she, her: she', None)
    """
    every = [word for words in groups.values() for word in words]
    if not all(map(_fits, every)) or any(";" in text for text in (*groups, *every)):
        return None
    return "; ".join(f"{name}: {', '.join(words)}" for name, words in groups.items())


def joined(words: Sequence[str]) -> str | None:
    """Return words as one argument, separated by commas; None where a comma is in the way.

    >>> joined(["a", "b"]), joined(["a"]), joined(["a,b"])
    ('a,b', 'a,', None)
    """
    return ",".join(words) + "," * (len(words) == 1) if all(map(_fits, words)) else None


def _fits(word: str) -> bool:
    return "," not in word and ":" not in word and word == word.strip()
