"""Options that many commands share, declared once: a command takes a group of them as one argument.

`@command` spreads the fields of each group over the command's own options, so that typer shows and parses them like
any other, and puts them together again when the command runs.
"""

from __future__ import annotations

import functools
import inspect
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TextIO, get_type_hints

from aslant.cli import options as o
from aslant.cli.progress import noted, written
from aslant.errors import AslantError, MeasureError
from aslant.io.logs import logging_to_stderr
from aslant.measures.shared.settings import declared, setting

if TYPE_CHECKING:
    from aslant.vectors import WordVectors

#: The embedding that a command has opened.
OPENED: ContextVar[WordVectors | None] = ContextVar("OPENED", default=None)
#: For how many missing words others are suggested.
MOST_SUGGESTED = 5


@dataclass(frozen=True)
class Reading:
    """How an embedding is read."""

    PANEL: ClassVar[str] = o.MODEL

    top: Annotated[int | None, o.option("Read only the first N words.", "N", min=1)] = None
    case: Annotated[str, o.option("fallback: as written, then lower, then Title; exact: as written.")] = "fallback"
    phrases: Annotated[
        str, o.option("join: spaces and underscores alike; mean: then the mean of the parts; exact: as written.")
    ] = "join"
    allow_pickle: Annotated[
        bool, o.option("Open gensim .kv files that hold more than vectors, which can run code; only if you trust them.")
    ] = False
    subwords: Annotated[bool, o.option("fastText .bin: build missing words from sub-words.")] = False
    no_cache: Annotated[bool, o.option("Neither use nor write the cache.")] = False

    def open(
        self, model: str | None, *, quiet: bool = False, drop_last: int = 0, needed: Iterable[str] | None = None
    ) -> WordVectors:
        """Load `model`; on a terminal show how far reading has come, and say what was repaired.

        Of a PPMI matrix, which is too large as a whole, only the words `needed` are read.
        """
        from aslant.cli.progress import bar, note
        from aslant.vectors import LookupPolicy, load

        policy = LookupPolicy(case=self.case, phrases=self.phrases)  # type: ignore[arg-type]
        settings: dict[str, Any] = {
            "top": self.top, "policy": policy, "drop_last": drop_last, "allow_pickle": self.allow_pickle,
            "subwords": self.subwords, "cache": not self.no_cache,
        }  # fmt: skip
        if model and needed:
            from aslant.io.packed_files import path_of
            from aslant.vectors.formats.histwords import decade_of, is_ppmi

            with suppress(OSError):  # a name that no file can have, as `load` will say
                if (decade := decade_of(path_of(model))) is not None and is_ppmi(decade):
                    settings["words"] = needed
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with bar(quiet=quiet or model is None, in_bytes=True) as progress:
                shown = None if progress is None else functools.partial(progress, "reading")
                vectors = load(model, progress=shown, **settings)
        repairs = [f"{vectors.name}: {what}: {count:,}" for what, count in vectors.repairs.items()]
        for remark in () if quiet else (*(warning.message for warning in caught), *repairs):
            note(remark)
        OPENED.set(vectors)
        return vectors


@dataclass(frozen=True)
class Running:
    """How a measure is run."""

    seed: o.SeedOption = 0
    workers: Annotated[int, o.option("Cores to use (this command needs only one).", "N", min=1)] = 1
    quiet: o.QuietOption = False
    log: Annotated[
        str | None,
        o.option("Log lines for machines on standard error: time, run, model, step, seconds.", "json|text"),
    ] = None

    @contextmanager
    def watched(self, *, kept: bool = False) -> Iterator[Any]:
        """Show progress; say, when the user stops the work, that what is finished is `kept`."""
        from aslant.cli.progress import bar, resumable

        with resumable(kept=kept), bar(quiet=self.quiet) as progress:
            yield progress


@dataclass(frozen=True)
class RunningOnCores(Running):
    """How a measure is run that uses several cores, or a cluster."""

    workers: Annotated[
        int | None, o.option("Cores to use (default: all); results do not depend on it.", "N", min=1)
    ] = None  # type: ignore[assignment]
    dask: Annotated[
        str | None, o.option("A Dask scheduler, such as tcp://host:8786.", "ADDRESS", panel=o.WHERE)
    ] = None  # fmt: skip
    ray: Annotated[
        str | None, o.option("A Ray cluster: the one this machine is in, or by address.", "auto|ADDRESS", panel=o.WHERE)
    ] = None

    def used(self) -> AbstractContextManager[None]:
        """Return the requested workers, to be used while the command runs."""
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

    PANEL: ClassVar[str] = o.OUT

    json: o.JsonOption = None
    csv: Annotated[Path | None, o.option("Write CSV ('-': standard output).", "FILE")] = None
    markdown: Annotated[Path | None, o.option("Write a Markdown table.", "FILE")] = None
    latex: Annotated[Path | None, o.option("Write a LaTeX table (booktabs).", "FILE")] = None

    def by_suffix(self) -> dict[str, Path]:
        """Return the requested files, by the suffix of their format."""
        asked = {".json": self.json, ".csv": self.csv, ".md": self.markdown, ".tex": self.latex}
        return {suffix: path for suffix, path in asked.items() if path is not None}

    def spare(self) -> TextIO:
        """Return where messages go: standard error where a file goes to standard output."""
        return sys.stderr if Path("-") in self.by_suffix().values() else sys.stdout

    def files(self) -> list[Path]:
        """Return every requested file."""
        return [path for field in fields(self) if isinstance(path := getattr(self, field.name), Path)]

    def pictures(self) -> list[Path]:
        """Return the requested files for pictures."""
        return [path for name in self.PICTURES if (path := getattr(self, name)) is not None]

    def draw(self, result: Any, **pictures: Callable[[Any], str]) -> None:
        """Draw the requested pictures, each by its function; what cannot be drawn is reported before any is written."""
        from aslant.io.files import write_bytes
        from aslant.report.charts import as_file

        wanted = {path: draw(result) for name, draw in pictures.items() if (path := getattr(self, name)) is not None}
        for path, svg in wanted.items():
            write_bytes(path, as_file(svg, path.suffix.lower()))

    def check(self, inputs: Iterable[str] = ()) -> None:
        """Refuse, before any work is done, files that could not be written, or are among the `inputs`."""
        wanted = self.files()
        if len({path if path == Path("-") else path.expanduser().resolve() for path in wanted}) < len(wanted):
            raise AslantError("two output options name the same file ('-' is standard output); give each its own.")
        for path in wanted:
            if not path.parent.is_dir():
                raise AslantError(f"cannot write '{path}': there is no folder '{path.parent}'.")
        refuse_overwriting(wanted, inputs)
        if pictures := self.pictures():
            from aslant.report.charts import check_suffix

            for path in pictures:
                check_suffix(path.suffix.lower())


@dataclass(frozen=True)
class ChartOutput(Output):
    """Where a result is written: also as a picture."""

    PICTURES: ClassVar[tuple[str, ...]] = ("chart",)

    chart: Annotated[Path | None, o.option("Draw it (.svg, .png or .html).", "FILE")] = None


def refuse_overwriting(
    written: Iterable[Path], inputs: Iterable[str | Path], advice: str = "name another file"
) -> None:
    """Refuse, before any work, to write a file that is read."""
    read = [text for text in inputs if os.path.exists(text)]  # noqa: PTH110 (a name may be too long for a file)
    for path in written:
        if path.exists() and any(path.samefile(text) for text in read):
            raise AslantError(f"'{path}' is an input and would be overwritten; {advice}.")


def report_files(output: Path) -> list[Path]:
    """Return the files of a report of this name, with or without an ending; refuse what cannot be written."""
    suffixes = (".html", ".json", ".csv")
    if not output.name:
        raise AslantError(f"-o '{output}' does not name a file; give a name such as 'aslant-report'.")
    if not output.parent.is_dir():
        raise AslantError(f"there is no folder '{output.parent}' for the report; make it, or choose another with -o.")
    base = output.with_suffix("") if output.suffix in suffixes else output
    return [base.with_name(base.name + suffix) for suffix in suffixes]


def command(function: Callable[..., Any]) -> Callable[..., None]:
    """Let typer see the fields of every group in the signature of `function` as options; deliver what it returns."""
    parameters = inspect.signature(function, eval_str=True).parameters
    groups: dict[str, Any] = {name: p.annotation for name, p in parameters.items() if is_dataclass(p.annotation)}
    options = [_option(p.name, p.annotation, p.default) for name, p in parameters.items() if name not in groups]
    for group in groups.values():
        hints = get_type_hints(group, include_extras=True)
        hints |= {name: _declared(name, *found, getattr(group, name)) for name, found in declared(group).items()}
        panel = getattr(group, "PANEL", None)
        options += [_option(field.name, hints[field.name], field.default, panel) for field in fields(group)]

    @functools.wraps(function)
    def run(**given: Any) -> None:
        made = {n: _made(group, {f.name: given.pop(f.name) for f in fields(group)}) for n, group in groups.items()}
        output = next((group for group in made.values() if isinstance(group, Output)), None)
        if output is not None:
            values = [v for value in given.values() for v in (value if isinstance(value, list) else [value])]
            output.check(inputs=[text for text in values if isinstance(text, str) and text])
        running = next((group for group in made.values() if isinstance(group, Running)), None)
        quiet = running.quiet if running else given.get("quiet", False)
        dry = any(getattr(group, "dry_run", False) for group in made.values())
        used = running.used() if isinstance(running, RunningOnCores) else nullcontext()
        logged = logging_to_stderr(running.log if running else None)
        OPENED.set(None)
        with logged, used, _counted(output, dry=dry), _told(output, quiet=quiet):
            with noted(quiet=quiet):  # such as how a list of one's own was read
                result = function(**given, **made)
            if dry:
                return
            if output is not None and result is not None:
                from aslant.cli.printing import deliver

                deliver(result, output, quiet=quiet)
                _suggest(result, quiet=quiet)

    run.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    run.__annotations__ = {option.name: option.annotation for option in options}
    return run


def _suggest(result: Any, *, quiet: bool) -> None:
    """Name words that are spelled like those of the user's own which have no vector."""
    from aslant.cli.progress import note

    missing = getattr(getattr(result, "provenance", None), "missing", ())
    if (vectors := OPENED.get()) is None or quiet or not missing:
        return
    from aslant.stimuli import all_sets

    shipped = {word for each in all_sets() for word in each.words}
    # Of several embeddings, only another may lack a word.
    lacked = [word for word in missing if word not in shipped and word not in vectors]
    for word in lacked[:MOST_SUGGESTED]:
        if near := vectors.similar_words(word):
            note(f"no vector for '{word}'; did you mean {', '.join(near)}?")


@contextmanager
def _told(output: Output | None, *, quiet: bool) -> Iterator[None]:
    """Say which files a command wrote, also where it ends with an exit code of its own, such as a check that fails."""
    import typer

    code: typer.Exit | None = None
    try:
        yield
    except typer.Exit as stop:
        code = stop
    if output is not None and not quiet:
        written(*(path for path in output.files() if path != Path("-")), to=output.spare())
    if code is not None:
        raise code


@contextmanager
def _counted(output: Output | None, *, dry: bool) -> Iterator[None]:
    """Let servers only be rehearsed with (--dry-run), and say what they would be asked."""
    if not dry:
        yield
        return
    from aslant.models.rehearsing import rehearsing

    if output is not None and output.files():
        raise AslantError("--dry-run measures nothing, so there is nothing to write; leave out the output files.")
    with rehearsing() as tally:
        yield
    for line in tally.lines():
        print(line)


def _option(name: str, hint: Any, default: Any, panel: str | None = None) -> inspect.Parameter:
    """Return an option as typer reads it: a flag without its opposite, in the panel of its group."""
    declared = copy(hint.__metadata__[0])
    declared.rich_help_panel = declared.rich_help_panel or panel
    if hint.__origin__ is bool:
        declared.metavar = ""  # typer writes <bool> otherwise, as if a value followed
        if declared.default is ...:  # where typer has the first name until it reads this
            declared.default = f"--{name.replace('_', '-')}"
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Parameter(name, kind, default=default, annotation=Annotated[hint.__origin__, declared])


def _made(group: Any, given: dict[str, Any]) -> Any:
    """Put a group together; where a setting is refused, name the option."""
    try:
        return group(**given)
    except MeasureError as error:
        name, _, rest = str(error).partition(" ")
        raise MeasureError(f"{_option_of(name, declared(group)[name][1])} {rest}") from None


def _option_of(name: str, meta: setting) -> str:
    """Return the option's name, the first if it has several."""
    return meta.option.split()[0] if meta.option else "--" + name.replace("_", "-")


def _declared(name: str, hint: Any, meta: setting, default: Any) -> Any:
    """Return a setting of a measure as an option; what is neither a number nor a switch is text, which it checks."""
    names = (meta.option or _option_of(name, meta)).split()
    if default is True:
        names = [f"{option}/--no-{option[2:]}" for option in names]
    kind = hint if hint in (bool, int, float) else str
    limits: dict[str, Any] = {"min": meta.ge, "max": meta.le} if kind is int else {}
    metavar = meta.metavar or {bool: None, int: "N", float: "X"}.get(kind, "NAME")
    kind = kind | None if default is None else kind
    return Annotated[kind, o.option(meta.description, metavar, *names, panel=meta.panel, **limits)]
