"""How a paper is replicated: cells with a printed value, how to compute it, and what that needs.

A paper is one file with a `PAPER`; to add one, write it and name it in `slant.replicate.PAPERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

from slant.data import find
from slant.data import names as data_names
from slant.errors import SlantError
from slant.results import ReplicatedCell, ReplicationResult
from slant.vectors import WordVectors, load
from slant.version import __version__


@dataclass(frozen=True)
class Measured:
    """A recomputed value, the words that were missing for it, and what to say of it."""

    value: float
    missing: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True)
class Cell:
    """One printed number; `printed` is None where the print was not at hand.

    `needs` names data, one or several; `compute` gets what each of them is opened as (vectors, unless the paper says
    otherwise), and the seed. `tolerance` allows for rounding in print.
    `fitted` marks a cell whose words were chosen because they give the printed value: that it is met proves nothing.
    """

    row: str
    column: str
    printed: float | None
    needs: str | tuple[str, ...]
    compute: Callable[..., Measured]
    tolerance: float
    fitted: bool = False

    @property
    def data(self) -> tuple[str, ...]:
        """The names of the data that the cell needs."""
        return (self.needs,) if isinstance(self.needs, str) else self.needs


@dataclass(frozen=True)
class StandIn:
    """What is used, with its own tolerance, where the real vectors are not here; always labelled as such."""

    label: str
    open: Callable[[], WordVectors]
    tolerance: float


@dataclass(frozen=True)
class Opener:
    """How data that are no vectors are opened, and what they are called in the table."""

    open: Callable[[str | PathLike[str]], Any]
    label: Callable[[Any], str]


@dataclass(frozen=True)
class Paper:
    """A published table as data. `drop_last` and `openers` say how data are loaded, `by_hand` how to get them.

    `roles` are what a cell may need that a user may choose ("encoder", "corpus"), each with the data that the paper has
    in that role, which are taken, opened in the role's own way, where nothing else is given.
    """

    id: str
    title: str
    citation: str
    cells: tuple[Cell, ...]
    notes: tuple[str, ...] = ()
    stand_ins: Mapping[str, StandIn] = field(default_factory=dict)
    drop_last: Mapping[str, int] = field(default_factory=dict)
    by_hand: Mapping[str, str] = field(default_factory=dict)
    openers: Mapping[str, Opener] = field(default_factory=dict)
    roles: Mapping[str, str] = field(default_factory=dict)

    @property
    def data(self) -> tuple[str, ...]:
        """The names of all data, and roles, that some cell needs."""
        return tuple(dict.fromkeys(name for cell in self.cells for name in cell.data))

    @property
    def known(self) -> tuple[str, ...]:
        """Every name that data may be given by."""
        return tuple(dict.fromkeys((*self.data, *self.roles.values())))

    def named(self, name: str) -> str:
        """Return the name of data: for a role, of those that the paper has in it."""
        return self.roles.get(name, name)


@dataclass(frozen=True)
class Opened:
    """What a data name was opened as, how it is called in the table, and the tolerance it allows (None: the cell's).

    `other`: the user gave something else in place of what the paper used, so that no printed value is to be met.
    """

    content: Any
    label: str
    tolerance: float | None
    other: bool = False


@dataclass(frozen=True)
class Unusable:
    """Data that are here and cannot be opened; the cells that need them say why."""

    reason: str


def run(paper: Paper, data: Mapping[str, Any], seed: int) -> ReplicationResult:
    """Compute every cell whose data are here; `data` gives paths by data name, and what takes a role by its name."""
    opened = {name: _try_open(paper, name, data) for name in paper.data}
    cells = tuple(_cell(paper, cell, {name: opened[name] for name in cell.data}, seed) for cell in paper.cells)
    lacking = [name for name, found in opened.items() if found is None or getattr(found, "tolerance", None) is not None]
    advice = [_advice(paper, name) for name in lacking if paper.named(name) == name or paper.named(name) not in lacking]
    return ReplicationResult(paper.id, paper.title, paper.citation, cells, (*paper.notes, *advice), seed, __version__)


def _try_open(paper: Paper, name: str, data: Mapping[str, Any]) -> Opened | Unusable | None:
    try:
        return _open(paper, name, data)
    except SlantError as error:
        return Unusable(f"{name}: {error}")


def _open(paper: Paper, name: str, data: Mapping[str, Any]) -> Opened | None:
    drop_last = paper.drop_last.get(name, 0)
    given = data.get(name) or _place(paper.named(name), data)
    if given is not None and (opener := paper.openers.get(name)) is not None:
        content = opener.open(given)
        label, own = opener.label(content), paper.named(name)
        if name in paper.roles and name in data and own not in label:
            return Opened(content, f"{label}, not {own}", None, other=True)
        return Opened(content, label, None)
    if given is not None:
        vectors = load(given, drop_last=drop_last)
        dropped = f", without the last {drop_last}" if drop_last else ""
        return Opened(vectors, f"{vectors.name} ({vectors.fingerprint}{dropped})", None)
    if (stand_in := paper.stand_ins.get(name)) is not None:
        return Opened(stand_in.open(), stand_in.label, stand_in.tolerance)
    return None


def _place(name: str, data: Mapping[str, Any]) -> Any:
    return data.get(name) or (find(name) if name in data_names() else None)


def _cell(paper: Paper, cell: Cell, opened: Mapping[str, Opened | Unusable | None], seed: int) -> ReplicatedCell:
    here = [found for found in opened.values() if isinstance(found, Opened)]
    if len(here) < len(opened):
        why = _why_not(paper, opened)
        return ReplicatedCell(cell.row, cell.column, cell.printed, None, cell.tolerance, "not run", "", why)
    label = ", ".join(found.label for found in here)
    try:
        measured = cell.compute(*(found.content for found in here), seed)
    except SlantError as error:
        return ReplicatedCell(cell.row, cell.column, cell.printed, None, cell.tolerance, "not run", label, str(error))
    tolerance = max((found.tolerance for found in here if found.tolerance is not None), default=cell.tolerance)
    verdict = _verdict(cell, measured.value, tolerance)
    if any(found.other for found in here):
        verdict = "not compared: other data than the paper's"
    return ReplicatedCell(
        cell.row, cell.column, cell.printed, measured.value, tolerance, verdict, label, measured.note, measured.missing
    )


def _why_not(paper: Paper, opened: Mapping[str, Opened | Unusable | None]) -> str:
    lacking = " and ".join(dict.fromkeys(paper.named(name) for name, found in opened.items() if found is None))
    unusable = [found.reason for found in opened.values() if isinstance(found, Unusable)]
    return "; ".join([*unusable, *([f"needs {lacking}"] if lacking else [])])


def _verdict(cell: Cell, value: float, tolerance: float) -> str:
    if cell.printed is None:
        return "no printed value at hand"
    # Half a unit of the last printed digit is lost in print; comparing needs a little room for that.
    if abs(value - cell.printed) > tolerance + 1e-9:
        return "differs"
    return "met, words fitted to it" if cell.fitted else "met"


def _advice(paper: Paper, name: str) -> str:
    own = paper.named(name)
    known = f"get it with 'slant data get {own}'" if own in data_names() else "it has to be given"
    other = "".join(f", or another {role} by --{role}" for role, data in paper.roles.items() if data == own)
    return f"{own}: {paper.by_hand.get(own, known)}; or pass --data {own}=PATH{other}."
