"""How a paper is replicated: cells with a printed value, how to compute it, and what that needs.

A paper is one file with a `PAPER`; to add one, write it and name it in `slant.replicate.PAPERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from os import PathLike

from slant.data import find
from slant.errors import MeasureError
from slant.results import ReplicatedCell, ReplicationResult
from slant.vectors import WordVectors, load
from slant.version import __version__


@dataclass(frozen=True)
class Measured:
    """A recomputed value and the words that were missing for it."""

    value: float
    missing: tuple[str, ...]


@dataclass(frozen=True)
class Cell:
    """One printed number; `printed` is None where the print was not at hand.

    `needs` is a data name, `compute` gets its vectors and the seed. `tolerance` allows for rounding in print.
    `fitted` marks a cell whose words were chosen because they give the printed value: that it is met proves nothing.
    """

    row: str
    column: str
    printed: float | None
    needs: str
    compute: Callable[[WordVectors, int], Measured]
    tolerance: float
    fitted: bool = False


@dataclass(frozen=True)
class StandIn:
    """What is used, with its own tolerance, where the real vectors are not here; always labelled as such."""

    label: str
    open: Callable[[], WordVectors]
    tolerance: float


@dataclass(frozen=True)
class Paper:
    """A published table as data. `options` are loading options by data name; `by_hand` says how to get the data."""

    id: str
    title: str
    citation: str
    cells: tuple[Cell, ...]
    notes: tuple[str, ...] = ()
    stand_ins: Mapping[str, StandIn] = field(default_factory=dict)
    drop_last: Mapping[str, int] = field(default_factory=dict)
    by_hand: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Opened:
    """Vectors for a data name, how they are called in the table, and the tolerance they allow (None: the cell's)."""

    vectors: WordVectors
    label: str
    tolerance: float | None


def run(paper: Paper, data: Mapping[str, str | PathLike[str]], seed: int) -> ReplicationResult:
    """Compute every cell whose vectors are here; `data` gives paths by data name."""
    opened = {name: _open(paper, name, data) for name in dict.fromkeys(cell.needs for cell in paper.cells)}
    cells = tuple(_cell(paper, cell, opened[cell.needs], seed) for cell in paper.cells)
    lacking = [name for name, found in opened.items() if found is None or found.tolerance is not None]
    advice = [_advice(paper, name) for name in lacking]
    return ReplicationResult(paper.id, paper.title, paper.citation, cells, (*paper.notes, *advice), seed, __version__)


def _open(paper: Paper, name: str, data: Mapping[str, str | PathLike[str]]) -> Opened | None:
    drop_last = paper.drop_last.get(name, 0)
    given = data.get(name) or find(name)
    if given is not None:
        vectors = load(given, drop_last=drop_last)
        dropped = f", without the last {drop_last}" if drop_last else ""
        return Opened(vectors, f"{vectors.name} ({vectors.fingerprint}{dropped})", None)
    if (stand_in := paper.stand_ins.get(name)) is not None:
        return Opened(stand_in.open(), stand_in.label, stand_in.tolerance)
    return None


def _cell(paper: Paper, cell: Cell, opened: Opened | None, seed: int) -> ReplicatedCell:
    if opened is None:
        return ReplicatedCell(
            cell.row, cell.column, cell.printed, None, cell.tolerance, "not run", "", f"needs {cell.needs}"
        )
    try:
        measured = cell.compute(opened.vectors, seed)
    except MeasureError as error:
        return ReplicatedCell(
            cell.row, cell.column, cell.printed, None, cell.tolerance, "not run", opened.label, str(error)
        )
    tolerance = cell.tolerance if opened.tolerance is None else opened.tolerance
    return ReplicatedCell(
        cell.row, cell.column, cell.printed, measured.value, tolerance, _verdict(cell, measured.value, tolerance),
        opened.label, "", measured.missing,
    )  # fmt: skip


def _verdict(cell: Cell, value: float, tolerance: float) -> str:
    if cell.printed is None:
        return "no printed value at hand"
    # Half a unit of the last printed digit is lost in print; comparing needs a little room for that.
    if abs(value - cell.printed) > tolerance + 1e-9:
        return "differs"
    return "met, words fitted to it" if cell.fitted else "met"


def _advice(paper: Paper, name: str) -> str:
    how = paper.by_hand.get(name, "get it with 'slant data get " + name + "'")
    return f"{name}: {how}; or pass --data {name}=PATH."
