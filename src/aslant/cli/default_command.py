"""A command that also has sub-commands: `aslant enumerate MODEL` runs it, `aslant enumerate survey …` goes further."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup

#: The sub-command that runs when none is named; it does not show in help or usage.
DEFAULT = "run"


class DefaultCommandGroup(TyperGroup):
    """A group whose command `run` is used where the first argument names no other one."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the default command before arguments that are not for a sub-command."""
        known = [name for name in self.commands if name != DEFAULT]
        return super().parse_args(ctx, args if args and args[0] in known else [DEFAULT, *args])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Call the default command by the group's own name, so that its usage reads as it is typed."""
        name, found, rest = super().resolve_command(ctx, args)
        return ("" if name == DEFAULT else name), found, rest


class _Context(TyperCommand.context_class):  # type: ignore[misc, valid-type]
    """The context of the default command, which is called by the group's name alone."""

    @property
    def command_path(self) -> str:
        return str(super().command_path).rstrip()


class DefaultCommand(TyperCommand):
    """A command whose usage shows the group's name and nothing after it."""

    context_class = _Context
