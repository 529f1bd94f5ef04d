"""Check every p-value, q-value, interval and bracket of aslant on data in which nothing is to be found.

    python tools/calibration.py                          # quick: a first look
    python tools/calibration.py --full --write           # the table of docs/calibration.md: 500 s of CPU time
    python tools/calibration.py --only weat,enumeration  # studies whose names begin so
    python tools/calibration.py --markdown FILE

Ends with 1 if a number that is promised to be valid is anti-conservative, an effect is missed that was planted, or a
number that is listed as off is not off any more. All tests of a run are judged together: if every promise is kept, 1
seed in 100 fails at most. The result depends on --seed and on how often studies are repeated, not on --workers. The
studies of pronoun resolution train classifiers, which needs the extra: pip install '.[lm]'.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from aslant.parallel import cores
from calibrating.rows import FALSE_ALARMS, Study, Table
from calibrating.running import run
from calibrating.showing import markdown, show, write
from calibrating.studies import STUDIES, selected

PAGE = Path(__file__).resolve().parents[1] / "docs" / "calibration.md"
#: Of the table where nobody's terminal says how wide it is.
WIDTH = 130


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="few repetitions (the default)")
    size.add_argument("--full", action="store_true", help="as many as the documentation shows")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=cores(), help="processes; one for each core by default")
    parser.add_argument("--only", default="", metavar="NAMES", help="how names of studies begin, separated by commas")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table as Markdown")
    parser.add_argument("--write", action="store_true", help=f"put the table into docs/{PAGE.name}")
    given = parser.parse_args(arguments)
    if given.workers < 1 or given.seed < 0:
        parser.error("--workers is a number from 1 up, --seed from 0 up.")
    studies = selected(given.only)
    if given.write and len(studies) < len(STUDIES):
        parser.error("--write needs every study; leave --only out, or use --markdown.")
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    table = _run(studies, given)
    show(table, console)
    text = markdown(table, command(given))
    if given.markdown:
        given.markdown.write_text(text, encoding="utf-8")
    if given.write:
        write(PAGE, text)
    return _verdict(table)


def _run(studies: tuple[Study, ...], given: argparse.Namespace) -> Table:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def tell(name: str, done: int, total: int) -> None:
            bar.update(task, description=name, completed=done, total=total)

        return run(studies, seed=given.seed, quick=not given.full, workers=given.workers, progress=tell)


def command(given: argparse.Namespace) -> str:
    """Return what gives the same table again."""
    only = f" --only {given.only}" if given.only else ""
    return f"python tools/calibration.py {'--full' if given.full else '--quick'} --seed {given.seed}{only}"


def _verdict(table: Table) -> int:
    off = sum(bool(judged.row.off) for judged in table.rows)
    kept = len(table.rows) - off - sum(not judged.row.off for judged in table.failed)
    print(f"{kept} of {len(table.rows) - off} promises kept; {off} numbers are known to be off, and say so.")
    for judged in table.failed:
        print(f"FAILED {judged.row.name}: {'; '.join(table.faults(judged))}")
    print(f"A run in which every promise is kept fails for {FALSE_ALARMS:.0%} of seeds at most.")
    return int(bool(table.failed))


if __name__ == "__main__":
    sys.exit(main())
