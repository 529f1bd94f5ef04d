"""Break things on purpose, and look what slant makes of it: full disks, damaged files, kills, crowds.

    python scripts/faults.py                                    everything; some minutes
    python scripts/faults.py --only kills --kills 60 --seed 1   one kind of fault

Prints a table (fault, tries, what was lost, whether the result is that of an undisturbed run, trouble) and ends with
exit code 1 if something is not as docs/reliability.md promises. Full disks need the right to mount a tmpfs (root), and
say so without it. `tests/faults/` runs a few of each kind.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from faulting.corruption import corrupted
from faulting.keepers import KEEPERS
from faulting.outcomes import HEAD, Outcome


def corruption(asked: argparse.Namespace) -> Iterator[Outcome]:
    for name in asked.keepers or KEEPERS:
        yield corrupted(KEEPERS[name], asked.tries, asked.seed)


FAULTS: dict[str, Callable[[argparse.Namespace], Iterator[Outcome]]] = {"corruption": corruption}


def main() -> int:
    parser = argparse.ArgumentParser(description="Break things on purpose.")
    parser.add_argument("--only", action="append", choices=list(FAULTS), help="only this kind of fault; repeatable")
    parser.add_argument("--kills", type=int, default=60, help="kills in all, spread over the commands")
    parser.add_argument("--tries", type=int, default=200, help="damages for each store")
    parser.add_argument("--keepers", action="append", choices=list(KEEPERS), help="damage only this store; repeatable")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    print(HEAD, flush=True)
    good = True
    for name in asked.only or FAULTS:
        for outcome in FAULTS[name](asked):
            print(outcome.row(), flush=True)
            good = good and outcome.good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
