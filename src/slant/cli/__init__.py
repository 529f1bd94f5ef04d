"""The command line: parse, call, print. One file per command; heavy libraries load when a command runs."""

from __future__ import annotations

import errno
import io
import sys
from typing import Any

from slant.errors import SlantError


def main() -> None:
    """Run `slant`; what the user can mend is one sentence and exit code 2."""
    from slant.cli.app import app

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # words of any language must print, whatever the locale
            stream.reconfigure(errors="backslashreplace")
    try:
        code = app(prog_name="slant", standalone_mode=False)
    except SlantError as error:
        _say(str(error))
        sys.exit(2)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        _say("there is no space left where the output goes.")
        sys.exit(2)
    except Exception as error:
        if type(error).__name__ == "Abort":  # as older versions of typer call Ctrl-C
            sys.exit(130)
        if not (hasattr(error, "format_message") and hasattr(error, "exit_code")):  # what typer says of bad arguments
            raise
        _say_usage(error)
        sys.exit(error.exit_code)
    if isinstance(code, int) and code:
        sys.exit(code)


def _say(sentence: str) -> None:
    """Print one line on standard error that no name or word in it can steer."""
    from slant.report.tables import plain

    print(f"slant: {plain(sentence)}", file=sys.stderr)


def _say_usage(error: Any) -> None:
    """Say what is wrong with the arguments in one sentence; a command without any has shown its help instead."""
    message = " ".join(str(error.format_message()).split())
    if type(error).__name__ == "NoArgsIsHelpError":
        if message:
            error.show()
        return
    where = getattr(getattr(error, "ctx", None), "command_path", "slant")
    _say(f"{message[:1].lower()}{message[1:].rstrip('.')}; '{where} --help' shows what it takes.")
