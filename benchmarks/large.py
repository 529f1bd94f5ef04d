"""What an embedding larger than memory takes: files of 3,000,000 × 300, opened for the first time and again.

    python benchmarks/large.py --folder /big/disk                     # word2vec binary: build, then each command
    python benchmarks/large.py --folder /big/disk --format text       # or npy, fasttext, bin.gz, text.zst …
    python benchmarks/large.py --words 300000 --commands weat,polarity

The files are made here, some thousand rows at a time (3.6 GB, text 8 GB; one folder for them and for the cache, both
deleted at the end unless --keep). Each command is a process of its own, watched from outside (Linux only): the highest
resident memory that the kernel has seen (VmHWM), how much of it was the process's own (RssAnon) and how much pages of
files (RssFile), which the kernel takes back when it needs them. Prints a table in Markdown, and whether the goals hold.
"""

from __future__ import annotations

import argparse
import gzip
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

BLOCK = 8192
GOAL_MB = 500
FREQUENT = 20_000
SYLLABLES = [a + b for a in ("b", "br", "c", "d", "f", "g", "l", "m", "n", "p", "r", "s", "st", "t", "tr", "v")
             for b in ("a", "e", "i", "o", "u", "an", "er", "in", "on", "ö")]  # fmt: skip
FIRST = "weat, first time (builds the cache)"
COMMANDS: dict[str, list[str]] = {
    "weat": ["weat", "FILE"],
    "weat, weat-7 only": ["weat", "FILE", "--test", "weat-7"],
    "wefat": ["wefat", "FILE"],
    "polarity": ["polarity", "FILE"],
    "geometry": ["geometry", "FILE"],
    "enumerate": ["enumerate", "FILE", "--rotations", "100"],
    "debias": ["debias", "FILE", "-o", "OUT"],
    "double-hard debias": ["debias", "FILE", "--method", "double-hard", "-o", "OUT"],
    "weat on what debias wrote": ["weat", "OUT"],
    "weat on it again": ["weat", "OUT"],
    "compare": ["compare", "FILE", "sample"],
    "audit --quick": ["audit", "FILE", "--quick", "-o", "REPORT"],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, help="where files and cache go (a temporary folder by default)")
    parser.add_argument("--words", type=int, default=3_000_000)
    parser.add_argument("--dimensions", type=int, default=300)
    parser.add_argument("--format", default="bin", help="bin, text, npy or fasttext; bin.gz, text.zst …")
    parser.add_argument("--commands", help="comma-separated; all by default: " + "; ".join(COMMANDS))
    parser.add_argument("--keep", action="store_true", help="keep files and cache")
    options = parser.parse_args()
    if options.folder:
        options.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=options.folder, prefix="aslant-large-") as temporary:
        folder = options.folder if options.folder and options.keep else Path(temporary)
        run(folder, options)


def run(folder: Path, options: argparse.Namespace) -> None:
    path = make(folder, options.format, options.words, options.dimensions)
    print(f"{options.words:,} words × {options.dimensions}, {options.format}: {path.stat().st_size / 1e9:.2f} GB\n")
    print("| command | seconds | CPU | resident MB | own | of files |\n|---|---:|---:|---:|---:|---:|", flush=True)
    shutil.rmtree(folder / "cache", ignore_errors=True)
    chosen = options.commands.split(",") if options.commands else list(COMMANDS)
    takes = {}
    for name in [FIRST, *chosen]:
        takes[name] = watched(COMMANDS["weat" if name == FIRST else name], path, folder)
        print(takes[name].row(name), flush=True)
    first = takes[FIRST]
    for name, value in (("building, own memory", first.own), ("weat after that", takes.get("weat", first).resident)):
        print(f"{name}: {value:.0f} MB, wanted under {GOAL_MB}: {'met' if value < GOAL_MB else 'NOT MET'}")


# Measuring


@dataclass(frozen=True)
class Taken:
    """What one process took: seconds and MB."""

    wall: float
    cpu: float
    resident: float
    own: float
    files: float
    failed: bool

    def row(self, name: str) -> str:
        figures = f"{self.wall:.1f} | {self.cpu:.1f} | {self.resident:.0f} | {self.own:.0f} | {self.files:.0f}"
        return f"| {name}{' (FAILED)' if self.failed else ''} | {figures} |"


def watched(arguments: list[str], path: Path, folder: Path) -> Taken:
    """Run one command of aslant's on `path` and watch its memory."""
    places = {"FILE": str(path), "OUT": str(folder / "debiased.safetensors"), "REPORT": str(folder / "report.html")}
    command = [sys.executable, "-m", "aslant", *(places.get(argument, argument) for argument in arguments)]
    environment = {**os.environ, "ASLANT_CACHE": str(folder / "cache")}
    start = time.perf_counter()
    with (folder / "log.txt").open("wb") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd=folder)
        peaks = dict.fromkeys(("VmHWM", "RssAnon", "RssFile"), 0)
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            for name, value in memory_of(process.pid).items():
                peaks[name] = max(peaks[name], value)
            time.sleep(0.01)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        print((folder / "log.txt").read_text(errors="replace")[-1500:], file=sys.stderr)
    own, files = peaks["RssAnon"] / 1024, peaks["RssFile"] / 1024
    resident = max(peaks["VmHWM"], usage.ru_maxrss) / 1024
    return Taken(wall, usage.ru_utime + usage.ru_stime, resident, own, files, process.returncode != 0)


def memory_of(pid: int) -> dict[str, int]:
    """Return resident memory in kB: the highest so far, and what of now's is the process's own or of files."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except (OSError, UnicodeDecodeError):  # it has just ended
        return {}
    fields = dict(line.split(":", 1) for line in lines if ":" in line)
    return {name: int(fields[name].split()[0]) for name in ("VmHWM", "RssAnon", "RssFile") if name in fields}


# Making files


def make(folder: Path, format_name: str, count: int, dimensions: int) -> Path:
    """Write the embedding in the format asked for, unless it is there."""
    kind, _, packing = format_name.partition(".")
    suffix = {"text": "vec"}.get(kind, kind)
    target = folder / f"large-{count}-{dimensions}.{'.'.join(filter(None, (suffix, packing)))}"
    words = Words(count, dimensions)
    if kind == "npy":
        with target.with_suffix(".words").open("wb") as file:
            for listed, _ in words.blocks():
                file.write("".join(f"{word}\n" for word in listed).encode())
    if not target.exists():
        part = target.with_name(target.name + ".part")
        with opened(part, packing) as file:
            WRITERS[kind](file, words)
        part.rename(target)
    return target


def opened(path: Path, packing: str) -> Any:
    if packing == "gz":
        return gzip.open(path, "wb", compresslevel=1)
    if packing == "zst":
        from backports import zstd

        return zstd.open(path, "wb")
    return path.open("wb")


@dataclass(frozen=True)
class Words:
    """Words and vectors, made block by block.

    Those of the sample stand among words that are made up: the first `FREQUENT` at the top, the others all over the
    file, which is worse than in real ones, where the words that measures ask for are frequent.
    """

    count: int
    dimensions: int

    def blocks(self) -> Iterator[tuple[list[str], np.ndarray[Any, Any]]]:
        import aslant

        sample = aslant.load()
        spread = np.random.default_rng(0).normal(size=(sample.dimensions, self.dimensions)) / sample.dimensions**0.5
        rest = np.linspace(FREQUENT, self.count - 1, max(0, len(sample) - FREQUENT)).astype(np.int64)
        real = np.full(self.count, -1, np.int32)  # which word of the sample stands where
        real[:FREQUENT] = np.arange(FREQUENT)
        real[rest] = np.arange(FREQUENT, len(sample))
        taken = set(sample.words)
        for start in range(0, self.count, BLOCK):
            own = real[start : start + BLOCK]
            words = [sample.words[w] if w >= 0 else made_up(start + i, taken) for i, w in enumerate(own.tolist())]
            rows = np.random.default_rng([1, start]).standard_normal((len(own), self.dimensions), np.float32)
            rows *= np.float32(0.2)
            rows[own >= 0] = 0.2 * rows[own >= 0] + sample.matrix[own[own >= 0]] @ spread
            yield words, np.round(rows, 5)


def made_up(number: int, taken: set[str]) -> str:
    """Return a word of its own for `number`: syllables, a third of them Capitalised, a fifth phrases, as in news."""
    left, parts = number * 2_654_435_761 % len(SYLLABLES) ** 4, []
    for _ in range(4):
        left, which = divmod(left, len(SYLLABLES))
        parts.append(SYLLABLES[which])
    word = "".join(parts)
    if number % 5 == 0:
        word = f"{parts[0]}{parts[1]}_{parts[2]}{parts[3]}ing".title()
    elif number % 3 == 0:
        word = word.capitalize()
    return word if word not in taken else f"{word}{number}"


def write_bin(file: IO[bytes], made: Words) -> None:
    file.write(f"{made.count} {made.dimensions}\n".encode())
    for words, rows in made.blocks():
        pairs = zip(words, rows, strict=True)
        file.write(b"".join(word.encode() + b" " + row.tobytes() for word, row in pairs))


def write_text(file: IO[bytes], made: Words) -> None:
    from aslant.vectors.formats.number_tables import write_table

    file.write(f"{made.count} {made.dimensions}\n".encode())
    for words, rows in made.blocks():
        file.write(write_table([word.encode() for word in words], rows))


def write_npy(file: IO[bytes], made: Words) -> None:
    header = {"descr": "<f4", "fortran_order": False, "shape": (made.count, made.dimensions)}
    np.lib.format.write_array_header_1_0(file, header)  # type: ignore[arg-type]
    for _, rows in made.blocks():
        file.write(rows.tobytes())


def write_fasttext(file: IO[bytes], made: Words) -> None:
    """A model with 200,000 buckets of character n-grams, as `FastText::saveModel` lays it out."""
    import struct

    buckets = 200_000
    numbers = (793712314, 12, made.dimensions, 5, 5, 1, 5, 1, 2, 2, buckets, 3, 6, 100, 1e-4)
    file.write(struct.pack("<ii12id", *numbers) + struct.pack("<iiiqq", made.count, made.count, 0, 1000, -1))
    for words, _ in made.blocks():
        file.write(b"".join(word.encode() + b"\0" + struct.pack("<qb", 10, 0) for word in words))
    file.write(struct.pack("<?qq", False, made.count + buckets, made.dimensions))
    for _, rows in made.blocks():
        file.write(rows.tobytes())
    for start in range(0, buckets, BLOCK):
        shape = (min(BLOCK, buckets - start), made.dimensions)
        file.write((np.float32(0.05) * np.random.default_rng([2, start]).standard_normal(shape, np.float32)).tobytes())


WRITERS = {"bin": write_bin, "text": write_text, "npy": write_npy, "fasttext": write_fasttext}

if __name__ == "__main__":
    main()
