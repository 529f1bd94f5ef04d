"""The table of commands, from the catalogue: --help reads only that, and a command is imported when it is run."""

from __future__ import annotations

from itertools import groupby
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from aslant import catalogue
from aslant.cli.options import examples
from aslant.version import __version__


class Commands(TyperGroup):
    """The commands of the catalogue; each is only a name and a line of help until it is run."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands in the order of --help."""
        return list(catalogue.commands())

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return what --help shows of a command."""
        entry = catalogue.commands().get(_today(cmd_name))
        return entry and typer.core.TyperCommand(cmd_name, help=entry.help)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands group by group, as plain text: rich alone takes longer to load than all of this."""
        width = max(map(len, catalogue.commands()))
        for group, entries in groupby(catalogue.commands().items(), lambda item: item[1].group):
            with formatter.section(group):
                formatter.write_dl([(name.ljust(width), entry.help) for name, entry in entries])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Import the command that is run."""
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
        for sub in found.registered_commands:
            sub.epilog = sub.epilog or examples(*(line for line in lines if line.split()[1:3] == [name, sub.name]))
    else:
        one = typer.Typer(add_completion=False, **SETTINGS)
        one.command(name, epilog=examples(*lines))(found)
        found = one
    made = typer.main.get_command(found)
    made.name = name
    return made


SETTINGS: dict[str, Any] = {
    "pretty_exceptions_enable": False,
    "context_settings": {"help_option_names": ["-h", "--help"]},
    "rich_markup_mode": "rich",
}
app = typer.Typer(
    name="aslant",
    cls=Commands,
    help="Find, measure and explain social bias in word embeddings and language models.",
    epilog="Start with: aslant audit      (a full report on the bundled sample embedding)",
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
