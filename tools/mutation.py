"""Change the core in small ways, one at a time, and say how many changes the tests notice.

    python tools/mutation.py --mutants 60 --seed 0 --touched touched.json
    python tools/mutation.py --only auditing/policy.py --mutants 20

The doctests of a module's folder and the tests that mirror it are run once, to note how long each takes and which
functions of the core it calls. Each mutant, one changed line, then meets the tests that call the changed function, the
quickest first, in a process of its own; tests that take longer than `--slowest` seconds are left out, so the rate is
rather too low than too high. A mutant that no test notices is a survivor: a hole in the tests, or a change that makes
no difference. `--touched` keeps what was noted, for the next time; files of tests that have changed are run again.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import random
from pathlib import Path

from mutating.changes import ROOT, SOURCE, Mutant, core, mutants
from mutating.noting import Noted, chosen, mirrors, note_calls
from mutating.processes import in_a_process
from mutating.trying import Tries, collect, load_heavy, noticed_when_imported


def try_functions(drawn: list[Mutant], noted: Noted, most: float) -> list[str]:
    """Return the test that notices each mutant, "" where none does; only changes within functions are tried."""
    found: list[str] = []

    def work(tries: Tries) -> None:
        finds = collections.Counter[str]()
        for number, mutant in enumerate(drawn, 1):
            tests = sorted(chosen(mutant, noted, most), key=lambda test: (-min(finds[test[1]], 3), test))
            noticed = tries.noticed_by(mutant, [test for _, test in tests], sum(test[0] for test in tests))
            finds[noticed] += 1
            found.append(noticed)
            print(f"{number:>4} {'caught' if noticed else '?':<8} {said(mutant)}  {noticed[-60:]}", flush=True)

    collect(sorted({str(Path(file).parent) for file in noted}), work)
    return found


def said(mutant: Mutant) -> str:
    """Return where a change is and what it is."""
    return f"{mutant.path.relative_to(SOURCE)}:{mutant.line}  {mutant.change}"


def try_all(drawn: list[Mutant], noted: Noted, most: float) -> None:
    """Try mutants, and print each, the survivors, how many are caught in each folder, and the rate."""
    found = in_a_process(lambda: try_functions(drawn, noted, most), 1e6, silent=False)
    if found is None:
        raise SystemExit("the tests cannot be collected.")
    folders: dict[str, list[bool]] = {}
    for number, mutant in enumerate(drawn):
        if not found[number]:  # not in a function, or in one that runs when it is imported
            tests = chosen(mutant, noted, most)
            noticed = noticed_when_imported(mutant, [test for _, test in tests], sum(seconds for seconds, _ in tests))
            found[number] = noticed if tests else ""
            how = "caught" if found[number] else "SURVIVED"
            print(f"{number + 1:>4} {how:<8} {said(mutant)}  {found[number][-60:]}", flush=True)
        folders.setdefault(str(mutant.path.relative_to(SOURCE).parent), []).append(bool(found[number]))
    for folder, caught in sorted(folders.items()):
        print(f"{folder}: {sum(caught)} of {len(caught)}")
    caught = [bool(test) for test in found]
    print(f"{sum(caught)} of {len(caught)} caught ({sum(caught) / max(len(caught), 1):.1%})")


def main() -> None:
    """Draw mutants, try them, and print the rate and every survivor."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutants", type=int, default=60, help="how many to draw (60)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="part of a path: files with it in their names")
    parser.add_argument("--touched", type=Path, help="file that keeps what each test calls")
    parser.add_argument("--slowest", type=float, default=2, help="seconds of a processor that a test may take (2)")
    parser.add_argument("--most", type=float, default=60, help="seconds of tests for one mutant (60)")
    given = parser.parse_args()
    os.chdir(ROOT)
    load_heavy()
    every = [mutant for file in core() if given.only in str(file) for mutant in mutants(file)]
    drawn = random.Random(given.seed).sample(every, min(given.mutants, len(every)))
    noted = json.loads(given.touched.read_text()) if given.touched and given.touched.exists() else {}
    places = sorted({place for mutant in drawn for place in mirrors(mutant.path)})
    for place in places:
        note_calls(place, noted, given.slowest)
        if given.touched:
            given.touched.write_text(json.dumps(noted), encoding="utf-8")
    try_all(drawn, noted, given.most)


if __name__ == "__main__":
    main()
