"""How a paper is replicated: cells with what is printed, how to compute it, and what that needs.

A paper is one module with a `PAPER`, and one TOML file of its name with what is printed and where its data are; to add
one, write them and name it in `aslant.replicate.PAPERS`. What a cell needs are *roles* (vectors, a model, a corpus),
each of which says where its content may come from, best first.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, wraps
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from aslant.data import cache_folder, entry, fetch, find, names
from aslant.errors import AslantError, DataError
from aslant.results import replication as results
from aslant.results.codec import MeasuredResult
from aslant.vectors import WordVectors, load
from aslant.version import __version__

T = TypeVar("T")
#: Called with a step, how much of it is done, and how much there is.
Progress = Callable[[str, int, int], None]
_NUMBER = re.compile(r"([<>]?)\s*(-?\d+(?:\.\d+)?(?:e-?\d+)?)\s*%?")


@dataclass(frozen=True)
class Measured:
    """The outcome: a number, or `text` where the paper prints words; words without a vector; a note."""

    value: float | None
    missing: tuple[str, ...] = ()
    note: str = ""
    text: str = ""


@dataclass(frozen=True)
class Cell:
    """One thing that a paper prints, as it prints it ("0.8744", "88.5%", "<1e-40", "yes", words after commas).

    `compute` gets the run and the content of each role in `needs`. `tolerance` allows for rounding in print and for
    what is random; `in_decades` counts it in powers of ten. `why` says what is known about a difference. See
    `ReplicatedCell` for the rest.
    """

    table: str
    row: str
    column: str
    printed: str
    needs: tuple[str, ...]
    compute: Callable[..., Measured]
    tolerance: float = 0.0
    way: str = ""
    authors: float | None = None
    why: str = ""
    in_decades: bool = False


def settings_of_ours(rows: Iterable[tuple[str, str, str, float]]) -> list[Cell]:
    """Return cells of settings that a paper states (where, what, as printed, ours); constants, which do not count."""
    return [
        Cell(where, what, "setting", text, (), lambda run, value=value: Measured(value), way="a setting of ours")
        for where, what, text, value in rows
    ]


@dataclass(frozen=True)
class Drawing:
    """A figure of the paper: what the paper says about it, and how to compute the result whose pictures redraw it."""

    title: str
    paper_says: str
    needs: tuple[str, ...]
    compute: Callable[..., MeasuredResult]
    pictures: tuple[str, ...]


@dataclass(frozen=True)
class Source:
    """One place that a role's content may come from: data of a name, or of several that go together.

    `own` says that it is what the paper used, or part of it; anything else is a stand-in.
    """

    data: Sequence[str]
    label: str = ""
    own: bool = True


@dataclass(frozen=True)
class Role:
    """Something that cells need: where it may come from, best first; how it is opened; how to get it.

    `option` is the command's option that names another one. `open` gets a path, a data name, or what the user has in
    memory; `label` names it in the table; `is_own` tells, where it can be told, whether what a user gave is the
    paper's, by its content.
    """

    what: str
    sources: tuple[Source, ...] = ()
    option: str = ""
    open: Callable[[Any], Any] = load
    label: Callable[[Any], str] = lambda content: f"{content.name} ({content.fingerprint})"
    is_own: Callable[[Any], bool] | None = None
    bundled: Callable[[], Any] | None = None
    bundled_label: str = ""
    bundled_own: bool = False
    how: str = ""


@dataclass(frozen=True)
class Paper:
    """A paper as data: its cells and figures, the roles that they need, and notes on it all."""

    id: str
    title: str
    citation: str
    cells: tuple[Cell, ...]
    roles: Mapping[str, Role]
    notes: tuple[str, ...] = ()
    figures: tuple[Drawing, ...] = ()
    first_line: str = ""

    @property
    def data(self) -> tuple[str, ...]:
        """Every data name that some role may come from."""
        sources = (source for role in self.roles.values() for source in role.sources)
        return tuple(dict.fromkeys(name for source in sources for name in source.data))

    @property
    def options(self) -> tuple[str, ...]:
        """What a user may replace."""
        return tuple(dict.fromkeys(role.option for role in self.roles.values() if role.option))


@cache
def printed(paper: str) -> dict[str, Any]:
    """Return what a paper's TOML file has: title, citation, notes, printed tables, and where its data are.

    >>> printed("swinger")["groups"][0]["names"][0], len(printed("swinger")["tests"])
    ('Amanda', 12)
    """
    return tomllib.loads((files("aslant.replicate") / f"{paper}.toml").read_text(encoding="utf-8"))


def described(
    paper: str, cells: Iterable[Cell], roles: Mapping[str, Role | dict[str, Any]], figures: tuple[Drawing, ...] = (),
    first_line: str = "",
) -> Paper:  # fmt: skip
    """Return a paper: what its TOML file says, with its cells; a role that is not ready has only its functions here."""
    said, made = printed(paper), {}
    for name, role in roles.items():
        if not isinstance(role, Role):
            facts = said["roles"][name]
            role = Role(**facts | role | {"sources": tuple(Source(**source) for source in facts.get("sources", ()))})
        made[name] = role
    return Paper(paper, said["title"], said["citation"], tuple(cells), made, tuple(said["notes"]), figures, first_line)


@dataclass(frozen=True)
class Opened:
    """The content of a role, what the table calls it, and whether it is the paper's own."""

    content: Any
    label: str
    own: bool


@dataclass
class Run:
    """One replication: the seed, the progress callback, and what cells share so that nothing is computed twice."""

    seed: int
    progress: Progress | None = None
    kept: dict[Any, tuple[Any, AslantError | None]] = field(default_factory=dict)


def journal() -> Path:
    """Return the folder of what language models answered, from which a run that was stopped resumes."""
    return cache_folder() / "language-models"


def once(measure: Callable[..., T]) -> Callable[..., T]:
    """Let a run call `measure` once for the same contents and settings, and keep what it gives, or its error."""

    @wraps(measure)
    def kept(run: Run, *contents: Any, **settings: Any) -> T:
        key = (measure, *map(id, contents), *settings.items())
        if key not in run.kept:
            try:
                run.kept[key] = (measure(run, *contents, **settings), None)
            except AslantError as error:
                run.kept[key] = (None, error)
        result, failure = run.kept[key]
        if failure is not None:
            raise failure
        return result  # type: ignore[no-any-return]

    return kept


def number_of(printed: str) -> tuple[str, float] | None:
    """Return the number that a paper prints, with "<" or ">" where it is a bound; None where it prints words.

    >>> number_of("88.5%"), number_of("<1e-40"), number_of("yes")
    (('', 88.5), ('<', 1e-40), None)
    """
    found = _NUMBER.fullmatch(printed)
    return (found[1], float(found[2])) if found else None


def words_of(text: str) -> list[str]:
    """Return the words of a printed list.

    >>> words_of("match, round,team")
    ['match', 'round', 'team']
    """
    return [word.strip() for word in text.split(",") if word.strip()]


def matched(theirs: Iterable[Collection[str]], ours: Sequence[Collection[str]]) -> list[int]:
    """Return for each printed list of words the place of the one of ours that shares most with it, one to one.

    >>> matched([["a", "b"], ["c", "d"]], [["d"], ["b", "c"]])
    [1, 0]
    """
    from scipy.optimize import linear_sum_assignment

    shared = [[-len(set(words) & set(held)) for held in ours] for words in theirs]
    return [int(place) for place in linear_sum_assignment(np.array(shared))[1]]


@dataclass(frozen=True)
class Given:
    """What the user gives: content by data name (`data`), and by option ("with", "encoder", "corpus")."""

    data: Mapping[str, Any]
    instead: Mapping[str, Any]
    get: bool = False


def run(paper: Paper, given: Given, seed: int, progress: Progress | None = None) -> results.ReplicationResult:
    """Compute every cell and figure whose roles can be filled: given, cached, bundled or (with `get`) downloaded."""
    notes: list[str] = []

    def is_given(name: str) -> bool:
        role = paper.roles[name]
        return role.option in given.instead or any(
            name in given.data for source in role.sources for name in source.data
        )

    # What the user names comes first, so that a wrong path is an error before anything is downloaded.
    order = sorted(paper.roles, key=is_given, reverse=True)
    opened = {name: _open(paper.roles[name], given, notes, progress) for name in order}
    running = Run(seed, progress)
    cells = []
    for place, cell in enumerate(paper.cells, 1):
        if progress is not None:
            progress(f"{paper.id}: cells", place, len(paper.cells))
        cells.append(_cell(paper, cell, opened, running))
    figures = [made for drawing in paper.figures if (made := _figure(drawing, opened, running, notes)) is not None]
    return results.ReplicationResult(
        paper.id, paper.title, paper.citation, tuple(cells), tuple(figures), _lacking(paper, opened),
        (*paper.notes, *dict.fromkeys(notes)), _more(paper, given, opened), seed, __version__, paper.first_line,
    )  # fmt: skip


def _open(role: Role, given: Given, notes: list[str], progress: Progress | None) -> Opened | None:
    """Fill a role: with what the user names, else with the best source available, else with what is bundled."""
    if role.option and (named := given.instead.get(role.option)) is not None:
        content = role.open(named)
        if role.is_own is not None:
            return _labelled(role, content, role.is_own(content))
        own = [name for source in role.sources if source.own for name in source.data]
        given_as = named[0] if isinstance(named, list) and len(named) == 1 else named
        by_name = isinstance(given_as, str) and given_as in own and not Path(given_as).exists()
        return _labelled(role, content, by_name or any(_verified(name, given_as) for name in own))
    for source in sorted(
        role.sources, key=lambda source: not given.data.keys() >= set(source.data)
    ):  # the user's first
        if (found := _from(role, source, given, notes, progress)) is not None:
            return found
    if role.bundled is not None:
        try:
            return _labelled(role, role.bundled(), role.bundled_own, role.bundled_label)
        except AslantError as error:  # an extra that is not installed, or data that it is made of
            notes.append(f"{role.bundled_label} could not be used: {error}")
    return None


def _from(role: Role, source: Source, given: Given, notes: list[str], progress: Progress | None) -> Opened | None:
    """Fill a role from one source: with the user's copy of it, or a local one."""
    if given.data.keys() >= set(source.data):
        paths = [given.data[name] for name in source.data]
        content = role.open(paths if len(paths) > 1 else paths[0])
        known = all(map(_verified, source.data, paths)) or (role.is_own is not None and role.is_own(content))
        opened = _labelled(role, content, source.own and known, source.label if known else "")
        registered = [entry(name) for name in source.data if name in names()]
        checked = any(file.sha256 for found in registered for place in found.sources for file in place.files)
        return opened if checked else replace(opened, label=f"{opened.label}, unverified")
    here = [path for name in source.data if (path := _here(name, notes, given.get, progress)) is not None]
    if len(here) < len(source.data):
        return None
    try:
        return _labelled(role, role.open(here if len(here) > 1 else here[0]), source.own, source.label)
    except AslantError as error:  # it exists and cannot be opened: another source may do
        notes.append(f"{' and '.join(source.data)} could not be used: {error}")
        return None


def _labelled(role: Role, content: Any, own: bool, label: str = "") -> Opened:
    named = label or role.label(content)
    return Opened(content, named if own else f"{named}, not the paper's", own)


def _here(name: str, notes: list[str], get: bool, progress: Progress | None) -> Path | None:
    """Return where data are; with `get` they are downloaded, and a note says where that failed."""
    if name not in names():  # nobody hosts it: a user either has it or does not
        return None
    if not get:
        return find(name)
    try:
        return fetch(name, progress=None if progress is None else lambda done, total: progress(name, done, total))
    except DataError:
        by_hand = all(source.by_hand for source in entry(name).sources)
        problem = "has to be downloaded by hand" if by_hand else "could not be downloaded from here"
        notes.append(f"{name} {problem}; 'aslant data get {name}' says how")
        return None


def _verified(name: str, given: Any) -> bool:
    """Tell whether a file or folder that the user gave is what the registry knows, by checksums."""
    from aslant.data.verifying import digest

    path = Path(given) if isinstance(given, str | PathLike) else None
    if name not in names() or path is None or not path.exists():
        return False
    for source in entry(name).sources:
        files = {path if path.is_file() else path / file.name: file.sha256 for file in source.files}
        if len(files) == len(source.files) and all(f.is_file() and digest(f) == known for f, known in files.items()):
            return True
    return False


def _filled(needs: Iterable[str], opened: Mapping[str, Opened | None]) -> tuple[list[Opened], str]:
    """Return what was opened for the roles in `needs`, and what the table calls it all."""
    here = [found for name in needs if (found := opened[name]) is not None]
    return here, ", ".join(dict.fromkeys(found.label for found in here))


def _cell(paper: Paper, cell: Cell, opened: Mapping[str, Opened | None], running: Run) -> results.ReplicatedCell:
    number, measured, verdict = number_of(cell.printed), Measured(None), results.NOT_RUN
    here, used = _filled(cell.needs, opened)
    if lacks := [paper.roles[name].what for name in cell.needs if opened[name] is None]:
        used, note = "", f"needs {' and '.join(lacks)}"
    else:
        try:
            measured = cell.compute(running, *(found.content for found in here))
            verdict = (
                results.STAND_IN if cell.printed and not all(found.own for found in here) else _verdict(cell, measured)
            )
            why = cell.why if verdict == results.DIFFERS or _authors_differ(cell) else ""
            unexplained = verdict == results.DIFFERS and not cell.way
            note = "; ".join(filter(None, (measured.note, why))) or ("the reason is not known" if unexplained else "")
        except AslantError as error:
            note = str(error)
    return results.ReplicatedCell(
        cell.table, cell.row, cell.column, cell.way, None if number is None else number[1], cell.printed, cell.authors,
        measured.value, measured.text, cell.tolerance, verdict, used, note, measured.missing,
    )  # fmt: skip


def _authors_differ(cell: Cell) -> bool:
    """Tell whether the authors' stored output is another number than the printed one, rounded as that is."""
    number = number_of(cell.printed)
    if cell.authors is None or number is None:
        return False
    digits = len(cell.printed.rstrip("%").partition(".")[2])
    return abs(cell.authors - number[1]) > 0.5 * 10.0**-digits + 1e-9


def _verdict(cell: Cell, measured: Measured) -> str:
    number, ours = number_of(cell.printed), measured.value
    if not cell.printed:
        return results.NOT_PRINTED
    if number is None or ours is None:
        met = set(words_of(cell.printed)) <= set(words_of(measured.text))
    elif number[0]:
        met = (ours < number[1]) == (number[0] == "<")
    elif cell.in_decades:
        met = ours > 0 and abs(math.log10(ours / number[1])) <= cell.tolerance + 1e-9
    else:  # half a unit of the last printed digit is lost in print; comparing needs a little room for that
        met = abs(ours - number[1]) <= cell.tolerance + 1e-9
    return results.MET if met else results.DIFFERS


def _figure(
    drawing: Drawing, opened: Mapping[str, Opened | None], running: Run, notes: list[str]
) -> results.ReplicatedFigure | None:
    here, used = _filled(drawing.needs, opened)
    if len(here) < len(drawing.needs):
        return None
    try:
        result = drawing.compute(running, *(found.content for found in here))
    except AslantError as error:
        notes.append(f"{drawing.title} could not be drawn: {error}")
        return None
    return results.ReplicatedFigure(drawing.title, drawing.paper_says, used, result, drawing.pictures)


def _lacking(paper: Paper, opened: Mapping[str, Opened | None]) -> tuple[results.Lacking, ...]:
    """Group the cells that were not run by what they need."""

    def how(role: Role) -> str:
        first = [name for source in role.sources[:1] for name in source.data]
        ways = [role.how] if role.how else [f"aslant data get {name}" for name in first]
        ways += [f"--data {name}=PATH" for name in first]
        return ", or ".join([*ways, *([f"--{role.option} NAME|PATH"] if role.option else [])])

    counted = [cell for cell in paper.cells if cell.printed and not cell.way]
    needs = Counter(tuple(name for name in cell.needs if opened[name] is None) for cell in counted)
    lacking = [(count, [paper.roles[name] for name in names]) for names, count in needs.items() if names]
    return tuple(
        results.Lacking(" and ".join(role.what for role in roles), count, "; ".join(dict.fromkeys(map(how, roles))))
        for count, roles in lacking
    )


def _more(paper: Paper, given: Given, opened: Mapping[str, Opened | None]) -> str:
    """Say in one line how more cells can be filled; nothing where all are."""
    wanting = [paper.roles[name] for name, found in opened.items() if found is None or not found.own]
    if not wanting:
        return ""
    ways = [] if given.get else [f"aslant replicate {paper.id} --get"]
    ways += [f"--data {name}=PATH" for role in wanting for source in role.sources[:1] for name in source.data]
    ways += [f"--{role.option} NAME|PATH" for role in wanting if role.option]
    return f"For more: {', or '.join(dict.fromkeys(ways))}." if ways else ""


def open_encoder(source: Any) -> Any:
    """Open what gives vectors of words in sentences."""
    from aslant.models.loading import load_encoder

    return load_encoder(source)


#: The beginning of a word's vector at unit length, by which published vectors are recognised in any file.
_NURSE = {
    "googlenews": (300, (-0.0291, -0.0607, -0.0077, 0.0071)),
    "glove-840b": (300, (0.0395, -0.0801, -0.0381, 0.0665)),
    "glove-6b": (100, (-0.0279, -0.0071, -0.1304, 0.0180)),
}


def holds(name: str, *, words: int = 0, capitals: bool = False) -> Callable[[WordVectors], bool]:
    """Return a function that tells whether vectors are GoogleNews' or a GloVe's, and as many words of them."""
    dimensions, beginning = _NURSE[name]

    def check(vectors: WordVectors) -> bool:
        found = vectors.lookup(["nurse"])
        if found.missing or vectors.matrix.shape[1] != dimensions or len(vectors) < words:
            return False
        unit = found.vectors[0] / np.linalg.norm(found.vectors[0])
        same = bool(np.allclose(unit[: len(beginning)], beginning, atol=1e-4))
        return same and (not capitals or vectors.lookup(["Emily"]).tokens == ("Emily",))

    return check
