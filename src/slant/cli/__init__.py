"""The command line: parse, call, print. One file per command; heavy libraries load when a command runs."""

from __future__ import annotations

import errno
import sys

from slant.errors import SlantError


def main() -> None:
    """Run `slant`; what the user can mend is one sentence and exit code 2."""
    from slant.cli.app import app

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
