"""Full disks: a small tmpfs where that may be mounted, and writes that fail from the n-th on, which need no rights."""

from __future__ import annotations

import errno
import os
import pathlib
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from aslant.errors import AslantError
from aslant.io import keeper
from faulting.outcomes import Outcome, Work, quietly, read_result
from faulting.processes import Ended, end, leftovers, start


class CannotMountError(Exception):
    """This user may not mount a file system."""


@contextmanager
def small_disk(kilobytes: int) -> Iterator[Path]:
    """Give a file system of that size."""
    with tempfile.TemporaryDirectory(prefix="aslant-disk-") as place:
        made = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", place],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if made.returncode:
            raise CannotMountError(made.stderr.strip())
        try:
            yield Path(place)
        finally:
            subprocess.run(["umount", "-l", place], check=True)


def freeze(disk: Path) -> None:
    """Let nothing be written to a small disk any more."""
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)


@contextmanager
def failing_writes(first: int) -> Iterator[list[int]]:
    """Let every write of ours from number `first` on fail as on a full disk; gives a list with their count."""
    count = [0]
    fdopen, path_open, whole = os.fdopen, pathlib.Path.open, keeper.database

    class Full:
        """A file whose writes fail once the disk is full; everything else is the file's own."""

        def __init__(self, file: Any) -> None:
            self.file = file

        def write(self, data: Any) -> int:
            count[0] += 1
            if count[0] >= first:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return int(self.file.write(data))

        def __enter__(self) -> Any:
            return self

        def __exit__(self, *exception: object) -> None:
            self.file.close()

        def __getattr__(self, name: str) -> Any:
            return getattr(self.file, name)

    def opened(path: Path, mode: str = "r", *given: Any, **options: Any) -> Any:
        file = path_open(path, mode, *given, **options)
        return Full(file) if set(mode) & set("wa") else file

    def database(*given: Any, write: bool = False) -> Any:
        count[0] += write
        if write and count[0] >= first:
            raise sqlite3.OperationalError("database or disk is full")
        return whole(*given, write=write)

    with (
        mock.patch.object(keeper, "database", database),
        mock.patch("aslant.io.files.os.fdopen", lambda *given, **options: Full(fdopen(*given, **options))),
        mock.patch.object(pathlib.Path, "open", opened),
    ):
        yield count


def every_write_fails_once(work: Work) -> Outcome:
    """Do the work as often as it writes, with a disk that is full from the first, second, … write on."""
    outcome = Outcome(f"{work.name}: disk full from the n-th write on")
    with tempfile.TemporaryDirectory(prefix="aslant-faults-") as place:
        with failing_writes(1 << 30) as count:
            expected = quietly(work, Path(place, "whole"))
        for first in range(1, count[0] + 1):
            folder = Path(place, str(first))
            with failing_writes(first):
                _compare(work, folder, expected, outcome, f"write {first}")
            _compare(work, folder, expected, outcome, f"after write {first}", count=False)
    outcome.lost = "what could not be written"
    return outcome


def on_small_disks(work: Work, sizes: tuple[int, ...] = (4, 8, 12, 16, 20, 24, 32, 48, 64, 128)) -> Outcome:
    """Do the work in folders on disks of so many kilobytes, each twice."""
    outcome = Outcome(f"{work.name} on a full disk")
    with tempfile.TemporaryDirectory(prefix="aslant-faults-") as place:
        expected = quietly(work, Path(place, "whole"))
    for kilobytes in sizes:
        with small_disk(kilobytes) as disk:
            _compare(work, disk / "kept", expected, outcome, f"{kilobytes} kB")
            _compare(work, disk / "kept", expected, outcome, f"{kilobytes} kB, again", count=False)
    outcome.lost = "what could not be written"
    return outcome


def _compare(work: Work, folder: Path, expected: Any, outcome: Outcome, what: str, *, count: bool = True) -> None:
    outcome.tries += count
    try:
        outcome.different += quietly(work, folder) != expected
    except AslantError as error:
        if not work.needs_room:
            outcome.blame(f"{what}: {error}")
    except Exception as error:
        outcome.blame(f"{what}: {type(error).__name__}: {error}")
    if left := leftovers(folder):
        outcome.blame(f"{what}: left {left[0]}")


#: Commands that write files whose names begin with {out}, from an embedding in place of {file}.
WRITING = {
    "weat": ("weat", "{file}", "--test", "weat-7", "-q", "--json", "{out}.json", "--csv", "{out}.csv"),
    "enumerate": (
        "enumerate", "{file}", "--groups", "gender-binary", "--categories", "4", "--words", "500", "--rotations", "50",
        "-q", "--json", "{out}.json", "--html", "{out}.html", "--heatmap", "{out}.svg",
    ),
    "audit": ("audit", "{file}", "--quick", "--only", "weat,polarity", "-q", "-o", "{out}"),
    "debias": ("debias", "{file}", "-q", "-o", "{out}.bin"),
}  # fmt: skip


def filled(name: str, file: Path, out: Path) -> list[str]:
    """Return the arguments of a command with its files."""
    return [part.format(file=file, out=out) for part in WRITING[name]]


def cache_is_full(name: str, file: Path, sizes: tuple[int, ...]) -> Outcome:
    """Give a command a cache of so many kilobytes: it must end as with a large one, and leave nothing unfinished."""
    outcome = Outcome(f"`aslant {name}` with a full cache")
    with tempfile.TemporaryDirectory(prefix="aslant-faults-") as place:
        folder = Path(place)
        expected = _written(name, file, folder / "whole", folder / "cache", outcome, (0,))
        for kilobytes in sizes:
            with small_disk(kilobytes) as disk:
                out = folder / f"with-{kilobytes}"
                outcome.tries += 1
                found = _written(name, file, out, disk, outcome, (0,))
                outcome.different += found != expected
                if left := leftovers(disk, folder):
                    outcome.blame(f"{kilobytes} kB: left {left[0]}")
    outcome.lost = "nothing but the cache"
    return outcome


def _written(name: str, file: Path, out: Path, cache: Path, outcome: Outcome, codes: tuple[int, ...]) -> Any:
    """Run a command; return the content of what it wrote, by suffix."""
    ended = _run(name, file, out, cache)
    if complaint := ended.complaint(codes):
        outcome.blame(complaint)
    return {
        path.suffix: read_result(path) if path.suffix == ".json" else len(path.read_bytes()) > 0
        for path in sorted(out.parent.glob(f"{out.name}.*"))
    }


def _run(name: str, file: Path, out: Path, cache: Path, **options: Any) -> Ended:
    return end(start(*filled(name, file, out), cache=cache, cwd=out.parent, **options))


def output_is_full(name: str, file: Path, sizes: tuple[int, ...]) -> Outcome:
    """Let a command write its output to a disk of so many kilobytes, where older output is: all is written, or none."""
    outcome = Outcome(f"`aslant {name}` writing to a full disk")
    refused = 0
    with tempfile.TemporaryDirectory(prefix="aslant-faults-") as place:
        for kilobytes in sizes:
            with small_disk(kilobytes) as disk:
                old = [disk / f"report{suffix}" for suffix in (".json", ".csv", ".html", ".svg", ".bin")]
                for path in old:
                    path.write_text("old")
                outcome.tries += 1
                ended = _run(name, file, disk / "report", Path(place, "cache"))
                refused += ended.code == 2
                _judge_output(ended, old, disk, outcome, f"{kilobytes} kB")
    outcome.lost = f"nothing: {refused} times one sentence and exit code 2, the old files as they were"
    return outcome


def _judge_output(ended: Ended, old: list[Path], disk: Path, outcome: Outcome, what: str) -> None:
    if complaint := ended.complaint((0, 2)):
        outcome.blame(f"{what}: {complaint}")
    if ended.code == 2 and (ended.err.count("\n") != 1 or "No space left on device" not in ended.err):
        outcome.blame(f"{what}: not one sentence: {ended.err!r}")
    names = {path.name for path in old}
    if strangers := [path.name for path in disk.iterdir() if path.name not in names]:
        outcome.blame(f"{what}: left {strangers[0]}")
    if halves := [path.name for path in old if path.stat().st_size < 3]:
        outcome.blame(f"{what}: {halves[0]} was destroyed")


def run_folder_is_full(file: Path, sizes: tuple[int, ...]) -> Outcome:
    """Keep an audit's run on a disk of so many kilobytes: it ends all the same, or is refused before any work."""
    outcome = Outcome("`aslant audit --run-folder` on a full disk")
    refused = 0
    with tempfile.TemporaryDirectory(prefix="aslant-faults-") as place:
        folder = Path(place)
        expected = _written("audit", file, folder / "whole", folder / "cache", outcome, (0,))
        for kilobytes in sizes:
            with small_disk(kilobytes) as disk:
                outcome.tries += 1
                arguments = [*filled("audit", file, folder / f"with-{kilobytes}"), "--run-folder", str(disk / "run")]
                ended = end(start(*arguments, cache=folder / "cache", cwd=folder))
                refused += ended.code == 2
                if complaint := ended.complaint((0, 2)):
                    outcome.blame(complaint)
                if ended.code == 2 and "as a run folder" not in ended.err:
                    outcome.blame(f"refused after work: {ended.err}")
                if ended.code == 0:
                    outcome.different += read_result(folder / f"with-{kilobytes}.json") != expected[".json"]
                if left := leftovers(disk):
                    outcome.blame(f"{kilobytes} kB: left {left[0]}")
    outcome.lost = f"nothing but what is kept of the run; {refused} times refused before any work"
    return outcome


def standard_output_is_full(file: Path) -> Outcome:
    """Write to /dev/full, as a shell does that redirects to a full disk."""
    outcome = Outcome("standard output to a full disk")
    with tempfile.TemporaryDirectory(prefix="aslant-faults-") as place, Path("/dev/full").open("w") as full:
        for more in ((), ("--json", "-"), ("--csv", "-")):
            arguments = ("weat", str(file), "--test", "weat-7", *more)
            ended = end(start(*arguments, cache=Path(place, "cache"), cwd=Path(place), stdout=full))
            outcome.tries += 1
            if complaint := ended.complaint((2,)):
                outcome.blame(complaint)
            if ended.err.count("\n") != 1:
                outcome.blame(f"not one sentence: {ended.err!r}")
    outcome.lost = "the output: one sentence and exit code 2"
    return outcome


def temporary_folder_is_full() -> Outcome:
    """Open a packed fastText model, which is unpacked to TMPDIR, with too little room there."""
    import gzip

    from embedding_files import fasttext_binary

    outcome = Outcome("packed fastText model, TMPDIR full", lost="nothing: one sentence and exit code 2")
    with tempfile.TemporaryDirectory(prefix="aslant-faults-") as place, small_disk(64) as disk:
        words = [f"word{number}" for number in range(2000)]
        file = Path(place, "v.bin.gz")
        file.write_bytes(gzip.compress(fasttext_binary(words, np.ones((2000, 20), np.float32))))
        for _ in range(2):
            outcome.tries += 1
            asked = ("weat", str(file), "--test", "weat-7")
            ended = end(start(*asked, cache=Path(place, "cache"), cwd=Path(place), env={"TMPDIR": str(disk)}))
            if complaint := ended.complaint((2,)):
                outcome.blame(complaint)
            if "set TMPDIR to another folder" not in ended.err or list(disk.iterdir()):
                outcome.blame(f"not said, or something is left: {ended.err!r} {list(disk.iterdir())}")
    return outcome


def data_folder_is_full(data: str, wheels: Path) -> Outcome:
    """Fetch data from a folder of wheels to a disk that is too small."""
    outcome = Outcome(f"`aslant data get {data}` to a full disk", lost="nothing: one sentence and exit code 2")
    env = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels), "PIP_CONFIG_FILE": os.devnull}
    for kilobytes in (8, 1024, 30_000):
        with small_disk(kilobytes) as disk, tempfile.TemporaryDirectory(prefix="aslant-faults-") as place:
            outcome.tries += 1
            unset = ("ASLANT_DATA", "ASLANT_OFFLINE")
            ended = end(start("data", "get", data, cache=disk, cwd=Path(place), env=env, unset=unset))
            if complaint := ended.complaint((2,)):
                outcome.blame(complaint)
            left = [path.name for path in (disk / "data").glob("*")]
            if ended.err.count("\n") != 1 or left:
                outcome.blame(f"not one sentence, or something is left: {ended.err!r} {left}")
    return outcome
