"""Damage what is kept, at random places, and do the work again: the result must be the same, or the damage be told."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from pathlib import Path

from faulting.outcomes import Outcome, Work, quietly

KINDS = ("flip a bit", "zero some bytes", "random bytes", "cut off", "append")


def damage(path: Path, rng: random.Random) -> str:
    """Damage one file at a random offset, as a bad disk would: its times stay as they were. Say what was done."""
    before = path.stat()
    content = bytearray(path.read_bytes())
    kind = rng.choice(KINDS) if content else "append"
    place, length = rng.randrange(max(1, len(content))), rng.choice((1, 8, 64, 512))
    if kind == "flip a bit":
        content[place] ^= 1 << rng.randrange(8)
    elif kind == "zero some bytes":
        content[place : place + length] = bytes(len(content[place : place + length]))
    elif kind == "random bytes":
        content[place : place + length] = rng.randbytes(len(content[place : place + length]))
    elif kind == "cut off":
        del content[place:]
    else:
        content += rng.randbytes(length)
    path.write_bytes(bytes(content))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    return f"{kind} at {place} of {path.name}"


def corrupted(work: Work, tries: int, seed: int = 0) -> Outcome:
    """Damage one file of what the work has kept, and do it again, `tries` times."""
    rng, outcome = random.Random(seed), Outcome(f"{work.name} corrupted at random offsets")
    redone = 0
    with tempfile.TemporaryDirectory(prefix="aslant-faults-") as place:
        whole, again = Path(place, "whole"), Path(place, "again")
        expected = quietly(work, whole)
        files = sorted(path.relative_to(whole) for path in whole.rglob("*") if path.is_file())
        if not files or quietly(work, whole) != expected:
            outcome.blame("an undisturbed run keeps nothing, or differs from another")
        for _ in range(tries):
            shutil.rmtree(again, ignore_errors=True)
            shutil.copytree(whole, again)
            redone += _try(work, again, rng.choice(files), expected, rng, outcome)
    outcome.lost = f"what was damaged: made again in {redone} tries, harmless in {tries - redone}"
    return outcome


def _try(work: Work, folder: Path, file: Path, expected: object, rng: random.Random, outcome: Outcome) -> bool:
    """Damage, do the work, compare; return whether the damaged file was made anew."""
    outcome.tries += 1
    what = damage(folder / file, rng)
    damaged = (folder / file).read_bytes()
    try:
        found = quietly(work, folder)
    except Exception as error:
        outcome.blame(f"{what}: {type(error).__name__}: {error}")
        return False
    if found != expected:
        outcome.different += 1
        outcome.blame(f"{what}: another result, unnoticed")
    if left := list(folder.rglob("*.partial")):
        outcome.blame(f"{what}: left {left[0].name}")
    return not (folder / file).exists() or (folder / file).read_bytes() != damaged
