"""What the pre-commit hooks run: `python -m aslant.integrations.hook FILE…`, reports to check or models to audit."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path


def main(arguments: Sequence[str] | None = None) -> int:
    """Check each report, audit and check each model; 0 if all meet the policy, 1 if one does not, 2 for bad input."""
    parser = argparse.ArgumentParser(prog="aslant hook", description=main.__doc__)
    parser.add_argument("files", nargs="*", metavar="FILE", help="reports (.json) or files of models")
    parser.add_argument("--policy", metavar="FILE", help="rules (TOML); default: the built-in policy")
    parser.add_argument("--baseline", metavar="FILE", help="an earlier report: any figure that has moved since fails")
    parser.add_argument("--profile", choices=("quick", "standard", "full"), default="quick", help="of an audit")
    given = parser.parse_args(arguments)
    how = {"policy": given.policy, "baseline": given.baseline, "profile": given.profile}
    return max((_checked(model, how) for model in dict.fromkeys(map(model_of, given.files))), default=0)


def model_of(file: str) -> str:
    """Return what a file is checked as: itself, or the folder of the model that it is a part of.

    >>> model_of("vectors.txt")
    'vectors.txt'
    """
    path = Path(file)
    return str(path.parent) if path.suffix != ".json" and (path.parent / "config.json").is_file() else file


def _checked(model: str, how: dict[str, str | None]) -> int:
    from aslant.errors import AslantError, plain
    from aslant.integrations.testing import assert_audit

    try:
        check = assert_audit(model, **how)  # type: ignore[arg-type]
    except AssertionError as broken:
        print("\n".join(map(plain, str(broken).split("\n"))))
        return 1
    except AslantError as error:
        print(f"aslant: {plain(error)}", file=sys.stderr)
        return 2
    print(f"{plain(model)}: every rule of the policy '{plain(check.policy)}' is met")
    return 0


if __name__ == "__main__":
    sys.exit(main())
