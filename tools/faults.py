"""Break things on purpose, and look what aslant makes of it: full disks, damaged files, kills, crowds.

    python tools/faults.py                                    everything; some twenty minutes
    python tools/faults.py --only kills --kills 60 --seed 1   one kind of fault

Prints a table (fault, tries, what was lost, whether the result is that of an undisturbed run, trouble) and ends with
exit code 1 if something is not as docs/reliability.md promises. Full disks and read-only ones need the right to mount a
tmpfs (root), and are left out, with a word, without it. `aslant logprob` and `aslant ceat` are run if a `--model`
and an `--encoder` are given; data are fetched from ASLANT_TEST_PACKAGES, if that is set. `tests/tools/` runs a few of
each kind.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from faulting import crowds, full_disk, read_only
from faulting.corruption import corrupted
from faulting.keepers import KEEPERS, embedding_file
from faulting.kills import Command, commands, killed, stopped
from faulting.outcomes import HEAD, Outcome

#: Kilobytes of the disks: nothing fits, something, nearly all.
CACHES, OUTPUTS, RUNS = (4, 16, 300, 400), (20, 28, 40, 80, 400, 3000), (4, 8, 12, 16, 24, 40)


def kills(asked: argparse.Namespace) -> Iterator[Outcome]:
    found = _commands(asked)
    for command in found:
        yield killed(command, -(-asked.kills // len(found)), asked.seed)


def _commands(asked: argparse.Namespace) -> list[Command]:
    found = commands(asked.model, asked.encoder)
    return [found[name] for name in asked.command or found]


def signals(asked: argparse.Namespace) -> Iterator[Outcome]:
    for command in _commands(asked):
        for number in (signal.SIGTERM, signal.SIGINT):
            yield stopped(command, number, max(1, asked.kills // 15), asked.seed)


def corruption(asked: argparse.Namespace) -> Iterator[Outcome]:
    for name in asked.keepers or KEEPERS:
        yield corrupted(KEEPERS[name], asked.tries, asked.seed)


def disks(asked: argparse.Namespace) -> Iterator[Outcome]:
    file = embedding_file()
    yield from (full_disk.every_write_fails_once(work) for name, work in KEEPERS.items() if name != "model")
    yield from map(full_disk.on_small_disks, KEEPERS.values())
    yield from (full_disk.cache_is_full(name, file, CACHES) for name in ("weat", "enumerate", "audit"))
    yield full_disk.run_folder_is_full(file, RUNS)
    yield from (full_disk.output_is_full(name, file, OUTPUTS) for name in full_disk.WRITING)
    yield full_disk.standard_output_is_full(file)
    yield full_disk.temporary_folder_is_full()
    if wheels := os.environ.get("ASLANT_TEST_PACKAGES"):
        yield full_disk.data_folder_is_full("all-minilm-l6-v2", Path(wheels))


def unwritable(asked: argparse.Namespace) -> Iterator[Outcome]:
    for place in read_only.PLACES:
        for name in ("weat", "enumerate", "audit"):
            yield read_only.cannot_be_written(place, name, embedding_file())
    yield read_only.cannot_be_written("read-only home", "weat", embedding_file(), as_nobody=True)


def crowded(asked: argparse.Namespace) -> Iterator[Outcome]:
    for name in ("weat", "enumerate", "audit"):
        yield crowds.crowd(name, embedding_file())
    yield crowds.crowd("audit", embedding_file(), run_folder=True)
    if asked.model:
        yield crowds.crowd("logprob", Path(asked.model), 2)
    if wheels := os.environ.get("ASLANT_TEST_PACKAGES"):
        yield crowds.fetching_crowd("all-minilm-l6-v2", Path(wheels))


FAULTS: dict[str, Callable[[argparse.Namespace], Iterator[Outcome]]] = {
    "corruption": corruption,
    "disks": disks,
    "unwritable": unwritable,
    "crowds": crowded,
    "kills": kills,
    "signals": signals,
}


def main() -> int:
    parser = argparse.ArgumentParser(description="Break things on purpose.")
    parser.add_argument("--only", action="append", choices=list(FAULTS), help="only this kind of fault; repeatable")
    parser.add_argument("--kills", type=int, default=60, help="kills in all, spread over the commands")
    parser.add_argument("--model", default="", help="masked language model for `aslant logprob`, such as sample-mlm")
    parser.add_argument("--encoder", default="", help="encoder for `aslant ceat`, such as all-minilm-l6-v2")
    parser.add_argument("--command", action="append", help="kill or stop only this command; repeatable")
    parser.add_argument("--tries", type=int, default=200, help="damages for each store")
    parser.add_argument("--keepers", action="append", choices=list(KEEPERS), help="damage only this store; repeatable")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    print(HEAD, flush=True)
    good = True
    for name in asked.only or FAULTS:
        try:
            for outcome in FAULTS[name](asked):
                print(outcome.row(), flush=True)
                good = good and outcome.good
        except (full_disk.CannotMountError, PermissionError) as error:  # another user may not even run this Python
            print(f"| the rest of '{name}' | 0 | left out: {error} | | |", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
