"""The command line: parse, call, print. One file per command; heavy libraries load when a command runs."""

from __future__ import annotations

import errno
import io
import sys

from slant.errors import SlantError


def main() -> None:
    """Run `slant`; what the user can mend is one sentence and exit code 2."""
    from slant.cli.app import app

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # words of any language must print, whatever the locale
            stream.reconfigure(errors="backslashreplace")
    try:
        app(prog_name="slant")
    except SlantError as error:
        print(f"slant: {error}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        print("slant: there is no space left where the output goes.", file=sys.stderr)
        sys.exit(2)
