"""Embeddings by year: a folder, files with years in their names, a mapping, or what `aslant.train` returns."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from aslant.errors import AslantError, MeasureError
from aslant.io.reading import parse_json, read_text
from aslant.measures.shared.open_subject import vectors_of
from aslant.vectors import WordVectors, load

YEAR = re.compile(r"(?<!\d)(1[0-9]\d\d|20\d\d)(?!\d)")
RUN = re.compile(r"\.run-(\d+)(?=\.|$)")
RECORD = "training.json"
#: What lies beside embeddings and is none.
BESIDE = frozenset(
    (".json", ".csv", ".tsv", ".md", ".toml", ".log", ".pkl", ".html", ".svg", ".png", ".pdf", ".xlsx", ".py", ".ipynb")
)


@dataclass(frozen=True)
class Dated:
    """The trainings of one period, and how many tokens its text has, if known."""

    vectors: tuple[WordVectors, ...]
    tokens: int | None = None


def dated(models: Any, load_file: Callable[[Path], WordVectors] = load) -> dict[int, Dated]:
    """Return the trainings of each year, in order.

    >>> import aslant
    >>> {year: len(found.vectors) for year, found in dated({"1990": "sample", 1980: ["sample", "sample"]}).items()}
    {1980: 2, 1990: 1}
    """
    if isinstance(models, str | PathLike):
        models = [Path(models)]
    if isinstance(models, list | tuple) and models and all(isinstance(each, str | PathLike) for each in models):
        paths = [Path(each) for each in models]
        found, tokens = files_by_year(paths), tokens_of(paths)
        return {y: Dated(tuple(load_file(path) for path in runs), tokens.get(y)) for y, runs in found.items()}
    told = getattr(models, "result", None)
    by_year = getattr(models, "by_period", models)
    if not isinstance(by_year, Mapping) or not by_year:
        raise MeasureError(f"models={models!r:.60} are not embeddings by year; give a folder, or {{1900: …, 1910: …}}.")
    tokens = {year_of(p.period): p.tokens for p in getattr(told, "periods", ()) if YEAR.search(p.period)}
    if all(isinstance(given, Dated) for given in by_year.values()):
        return dict(sorted(by_year.items()))
    opened = {year_of(year): vectors_of(given) for year, given in by_year.items()}
    runs = {year: tuple(v) if isinstance(v, list | tuple) else (v,) for year, v in sorted(opened.items())}
    return {year: Dated(given, tokens.get(year)) for year, given in runs.items()}


def year_of(given: Any) -> int:
    """Return a year, or the first one in the name of a period."""
    if isinstance(given, int):
        return given
    found = YEAR.search(str(given))
    if found is None:
        raise MeasureError(f"'{given}' has no year in its name, so that it has no place in a history.")
    return int(found[1])


def files_by_year(sources: list[Path]) -> dict[int, list[Path]]:
    """Return the files of each year, its first training before others: of a folder, or those that are given."""
    from aslant.data import resolve

    if len(sources) == 1 and (fetched := resolve(str(sources[0]), kinds=["vectors"])):
        sources = [fetched]
    in_folder = len(sources) == 1 and os.path.isdir(sources[0])  # noqa: PTH112 (a name may be too long for a file)
    if in_folder:
        from aslant.vectors.formats.histwords import decades_in

        folder = sources[0]
        if decades := {int(n): [path] for n, path in sorted(decades_in(folder).items()) if n.isdigit()}:
            return decades
        sources = _embeddings_in(folder)
        if not sources:
            raise AslantError(
                f"'{folder}' holds no HistWords decades (files such as 1990-w.npy with 1990-vocab.pkl, or 1990.bin "
                "with 1990-index.pkl), and no embeddings with a year in their names, such as 1990.safetensors."
            )
    found: dict[int, dict[int, Path]] = {}
    for path in sources:
        if not os.path.exists(path):  # noqa: PTH110 (likewise)
            raise AslantError(f"there is no file '{path}'; check the path.")
        match, run = YEAR.search(path.name), RUN.search(path.name)
        if match is None:
            raise AslantError(f"'{path.name}' has no year in its name; rename it, such as 'vectors-1990.txt'.")
        runs, number = found.setdefault(int(match[1]), {}), int(run[1]) if run else 1
        if number in runs:
            raise AslantError(
                f"the year {match[1]} is in two names ('{runs[number].name}', '{path.name}'); give each year once, or "
                f"call further trainings '{match[1]}.run-2{path.suffix}'."
            )
        runs[number] = path
    return {year: [path for _, path in sorted(runs.items())] for year, runs in sorted(found.items())}


def _embeddings_in(folder: Path) -> list[Path]:
    """Return what may be an embedding: not what lies beside one, and not the arrays of a gensim file."""
    names = {path.name for path in folder.iterdir()}
    return [
        path
        for path in sorted(folder.iterdir())
        if YEAR.search(path.name) and not path.name.startswith(".") and path.suffix.lower() not in BESIDE
        and not any(path.name.startswith(f"{other}.") for other in names if other != path.name)
    ]  # fmt: skip


def tokens_of(sources: Iterable[Path]) -> dict[int, int]:
    """Return the tokens of each year that a training.json beside the files tells of."""
    told: dict[int, int] = {}
    for folder in {path if path.is_dir() else path.parent for path in sources}:
        with suppress(AslantError, OSError, ValueError, TypeError, KeyError):
            for period in parse_json(read_text(folder / RECORD))["periods"]:
                if (found := YEAR.search(str(period["period"]))) and isinstance(period["tokens"], int):
                    told[int(found[1])] = period["tokens"]
    return told
