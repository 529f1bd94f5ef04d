"""Options that many commands share, declared once: a command takes a group of them as one argument.

`@command` spreads the fields of each group over the command's own options, so that typer shows and parses them like
any other, and puts them together again when the command runs.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, get_type_hints

import typer

from aslant.cli import options as o
from aslant.measures.shared.settings import declared, setting


@dataclass(frozen=True)
class Reading:
    """How an embedding is read."""

    top: o.TopOption = None
    case: o.CaseOption = "fallback"
    phrases: o.PhrasesOption = "join"
    allow_pickle: o.PickleOption = False
    subwords: o.SubwordsOption = False
    no_cache: o.NoCacheOption = False


@dataclass(frozen=True)
class Running:
    """How a measure is run."""

    seed: o.SeedOption = 0
    workers: o.WorkersOption = 1
    quiet: o.QuietOption = False


@dataclass(frozen=True)
class RunningOnCores(Running):
    """How a measure is run that uses several cores, or a cluster."""

    workers: o.CoresOption = None  # type: ignore[assignment]
    dask: o.DaskOption = None
    ray: o.RayOption = None

    def used(self) -> AbstractContextManager[None]:
        """Return the requested workers, to be used while the command runs."""
        from aslant.errors import AslantError
        from aslant.parallel import use_workers

        if self.workers is not None and (self.dask or self.ray):
            raise AslantError(
                f"--workers {self.workers} is for this machine, but a cluster has its own; leave one of them out."
            )
        return use_workers(threads=self.workers, dask=self.dask, ray=self.ray)


@dataclass(frozen=True)
class Output:
    """Where results are written, besides the table on the terminal."""

    #: Fields of a subclass that are files for pictures.
    PICTURES: ClassVar[tuple[str, ...]] = ()

    json: o.JsonOption = None
    csv: o.CsvOption = None
    markdown: o.MarkdownOption = None
    latex: o.LatexOption = None

    def by_suffix(self) -> dict[str, Path]:
        """Return the requested files, by the suffix of their format."""
        asked = {".json": self.json, ".csv": self.csv, ".md": self.markdown, ".tex": self.latex}
        return {suffix: path for suffix, path in asked.items() if path is not None}

    def files(self) -> list[Path]:
        """Return every requested file."""
        return [*self.by_suffix().values(), *self.pictures()]

    def pictures(self) -> list[Path]:
        """Return the requested files for pictures."""
        return [path for name in self.PICTURES if (path := getattr(self, name)) is not None]

    def check(self, inputs: Iterable[str] = ()) -> None:
        """Refuse, before any work is done, files that could not be written, or are among the `inputs`."""
        from aslant.errors import AslantError

        wanted = self.files()
        if len({_resolved(path) for path in wanted}) < len(wanted):
            raise AslantError("two output options name the same file ('-' is standard output); give each its own.")
        for path in wanted:
            if not path.parent.is_dir():
                raise AslantError(f"cannot write '{path}': there is no folder '{path.parent}'.")
            if path.exists() and any(Path(text).exists() and path.samefile(text) for text in inputs):
                raise AslantError(f"'{path}' is an input and would be overwritten; name another file.")
        if pictures := self.pictures():
            from aslant.report.charts import check_suffix

            for path in pictures:
                check_suffix(path.suffix.lower())


@dataclass(frozen=True)
class ChartOutput(Output):
    """Where a result is written: also as a picture."""

    PICTURES: ClassVar[tuple[str, ...]] = ("chart",)

    chart: o.ChartOption = None


def _resolved(path: Path) -> Path:
    """Return the file that `path` means, however it is written; '-' is standard output and stays."""
    return path if path == Path("-") else path.expanduser().resolve()


def command(function: Callable[..., None]) -> Callable[..., None]:
    """Let typer see the fields of every group in the signature of `function` as separate options."""
    parameters = inspect.signature(function, eval_str=True).parameters
    groups: dict[str, Any] = {name: p.annotation for name, p in parameters.items() if is_dataclass(p.annotation)}
    options = [parameter for name, parameter in parameters.items() if name not in groups]
    for group in groups.values():
        options += _options(group)

    @functools.wraps(function)
    def run(**given: Any) -> None:
        made = {n: _made(group, {f.name: given.pop(f.name) for f in fields(group)}) for n, group in groups.items()}
        for group in made.values():
            if isinstance(group, Output):
                group.check(inputs=[text for value in given.values() for text in _texts(value)])
        running = next((group for group in made.values() if isinstance(group, RunningOnCores)), None)
        with nullcontext() if running is None else running.used():
            function(**given, **made)

    run.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    run.__annotations__ = {option.name: option.annotation for option in options}
    return run


def _texts(value: Any) -> list[str]:
    """Return the arguments that may be names of files to read."""
    return [text for text in (value if isinstance(value, list) else [value]) if isinstance(text, str) and text]


def _options(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    hints |= {name: _declared(name, *found, getattr(group, name)) for name, found in declared(group).items()}
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return [
        inspect.Parameter(
            field.name,
            kind,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(group)
    ]


def _made(group: Any, given: dict[str, Any]) -> Any:
    """Put a group together; where a setting is refused, name the option."""
    from aslant.errors import MeasureError

    try:
        return group(**given)
    except MeasureError as error:
        name, _, rest = str(error).partition(" ")
        raise MeasureError(f"{_option_of(name, declared(group)[name][1])} {rest}") from None


def _option_of(name: str, meta: setting) -> str:
    return meta.option or "--" + name.replace("_", "-")


def _declared(name: str, hint: Any, meta: setting, default: Any) -> Any:
    """Return a setting of a measure as an option; what is neither a number nor a switch is text, which it checks."""
    option = _option_of(name, meta)
    if default is True:
        option = f"{option}/--no-{option[2:]}"
    kind = hint if hint in (bool, int, float) else str if default is not None else str | None
    limits: dict[str, Any] = {"min": meta.ge, "max": meta.le} if kind is int else {}
    return Annotated[
        kind,
        typer.Option(option, metavar=meta.metavar, help=meta.description, rich_help_panel=meta.panel, **limits),
    ]
