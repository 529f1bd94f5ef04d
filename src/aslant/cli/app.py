"""The table of commands, from the catalogue: --help reads only that, and a command is imported when it is run."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from functools import partial
from itertools import groupby
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from aslant import catalogue
from aslant.cli.options import examples
from aslant.cli.standard_input import standard_input
from aslant.version import __version__


class Light:
    """What shows --help as the flag that it is, and reads options that need no conversion without typer's machinery."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Parse the options; typer has added its own by now."""
        for option in self.params:  # type: ignore[attr-defined]
            option.process_value = partial(_processed, option)
        return super().parse_args(ctx, args)  # type: ignore[misc]

    def get_help_option(self, ctx: Any) -> Any:
        """Return the option without '<bool>' behind it."""
        found = super().get_help_option(ctx)  # type: ignore[misc]
        if found is not None:
            found.metavar = ""
            found.process_value = partial(_processed, found)
        return found


class Command(Light, TyperCommand):
    """A command whose flags are shown as flags, whose help wraps once, and that reads standard input for '-'."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.help = unwrapped(self.help)
        for option in self.params:
            if getattr(option, "is_flag", False):
                option.metavar = ""  # typer writes <bool> otherwise, as if a value followed
            elif option.param_type_name == "argument":
                # <str> behind a name that says more
                option.display_type_rich = lambda ctx: None  # type: ignore[attr-defined]

    def invoke(self, ctx: Any) -> Any:
        """Run the command; what '-' stands for is a file that holds standard input until the command ends."""
        with standard_input(ctx.params) as given:
            ctx.params = given
            return super().invoke(ctx)


def _processed(option: Any, ctx: Any, value: Any) -> Any:
    """Return the value of an option; only what must be converted is left to typer, which imports pydantic for it.

    Text is what it should be, and so is the default of an option.
    """
    wanted = getattr(getattr(option, "type_descriptor", None), "annotation", None)
    by_default = getattr(ctx.get_parameter_source(option.name), "name", "") == "DEFAULT"
    if wanted is None or option.required or not (by_default or wanted in (str, list[str])):
        return type(option).process_value(option, ctx, value)
    if option.multiple or option.nargs == -1:
        value = () if value is None else list(value)  # as typer gives them
    return option.callback(ctx, option, value) if option.callback else value


def unwrapped(text: str | None) -> str | None:
    """Return a docstring with each paragraph in one line, which a terminal wraps to its own width.

    >>> unwrapped("One\\n    sentence.\\n\\n    Another.")
    'One sentence.\\n\\nAnother.'
    """
    return text and "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


class Commands(Light, TyperGroup):
    """The commands of the catalogue; each is only a name and a line of help until it is run."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands in the order of --help."""
        return list(catalogue.commands())

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return what --help shows of a command."""
        entry = catalogue.commands().get(_today(cmd_name))
        return entry and TyperCommand(cmd_name, help=entry.help)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands group by group, as plain text: rich alone takes longer to load than all of this."""
        width = max(map(len, catalogue.commands()))
        for group, entries in groupby(catalogue.commands().items(), lambda item: item[1].group):
            with formatter.section(group):
                formatter.write_dl([(name.ljust(width), entry.help) for name, entry in entries])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Import the command that is run."""
        if self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            near = get_close_matches(args[0], catalogue.commands(), n=1)
            ctx.fail(f"No such command '{args[0]}'{f' (did you mean {near[0]}?)' if near else ''}")
        name, found, rest = super().resolve_command(ctx, args)
        return name, found and command_of(_today(str(name))), rest


def _today(name: str) -> str:
    """Return what a command that had this name is called today."""
    return next((now for now, entry in catalogue.commands().items() if name in entry.formerly), name)


def command_of(name: str) -> Any:
    """Import a command and return it as typer runs it, with the examples of its module in its help."""
    entry = catalogue.commands()[name]
    found = entry.resolve(entry.run)
    shown = entry.resolve(f"{entry.run.partition(':')[0]}:EXAMPLES")
    lines = (shown[name] if isinstance(shown, dict) else shown).splitlines()  # several commands have them by name
    if isinstance(found, typer.Typer):
        found._add_completion = False  # which is an option of the whole, not of a part
        for group in filter(None, (found, *(inner.typer_instance for inner in found.registered_groups))):
            group.info.cls = _with(Light, group.info.cls or TyperGroup)
        for sub in _every_command(found):
            sub.cls = _with(Command, sub.cls or TyperCommand)
            sub.epilog = sub.epilog or examples(*(line for line in lines if line.split()[1:3] == [name, sub.name]))
    else:
        one = typer.Typer(add_completion=False, **SETTINGS)
        one.command(name, cls=Command, epilog=examples(*lines))(found)
        found = one
    made = typer.main.get_command(found)
    made.name = name
    return made


def _with(mixin: Any, cls: Any) -> Any:
    """Return a class that is also a `mixin`."""
    return cls if issubclass(cls, mixin) else type(mixin.__name__, (mixin, cls), {})


def _every_command(app: typer.Typer) -> Iterator[Any]:
    """Return the commands of an app and of those inside it."""
    yield from app.registered_commands
    for group in app.registered_groups:
        yield from _every_command(group.typer_instance) if group.typer_instance else ()


SETTINGS: dict[str, Any] = {
    "pretty_exceptions_enable": False,
    "context_settings": {"help_option_names": ["-h", "--help"]},
    "rich_markup_mode": "rich",
}
app = typer.Typer(
    name="aslant",
    cls=Commands,
    help="Find, measure and explain social bias in word embeddings and language models.",
    epilog="Start with: aslant audit  (a full report on the bundled sample)",
    no_args_is_help=True,
    **{**SETTINGS, "rich_markup_mode": None},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"aslant {__version__}")
        raise typer.Exit


@app.callback()
def aslant_command(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Find, measure and explain social bias in word embeddings and language models."""
