"""Kill a command at random moments until it has ended once; the result must be that of a run that was left alone."""

from __future__ import annotations

import json
import random
import shutil
import signal
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aslant.io.keeper import FILE, Keeper
from faulting.outcomes import Outcome, read_result
from faulting.processes import end, group_is_gone, leftovers, start

#: What has been finished so far, by name: rows that must not change, or numbers that must not go down.
Kept = dict[str, int]

#: Kills of one run, before it is left alone.
MOST = 12


@dataclass(frozen=True)
class Command:
    """A command, the file that it writes, and what it has kept in a cache after a kill."""

    name: str
    arguments: tuple[str, ...]
    output: str
    kept: Callable[[Path], Kept]
    unit: str
    files: dict[str, str] = field(default_factory=dict)


#: Names of numbers that must not go down; all others are rows, which must not be written again.
COUNTS = ("blocks of rotations", "answers", "never asked twice")


def steps_kept(folder: Path) -> Kept:
    """The finished measures of an audit, by the row of each."""
    return _rows(folder.glob(f"**/model-*/{FILE}"))


def pieces_kept(folder: Path) -> Kept:
    """The clusterings of an enumeration by their rows, and how many blocks of rotations are counted."""
    from aslant.io.journal import Journal

    place = folder / "cache" / "enumeration"
    found = _rows(place.glob(FILE))
    for key in [key for key in found if key.startswith("rotations")]:
        del found[key]
        kept = Journal(place).recall(key.split("/")[0])
        found["blocks of rotations"] = int(kept["blocks"]) if kept else 0
    return found


def answers_kept(folder: Path) -> Kept:
    """The answers of a language model: how many are kept, and how many more than once."""
    blocks = Keeper(folder / "cache" / "language-models").under("")
    keys = [key for block in blocks.values() for key in json.loads(block)]
    return {"answers": len(set(keys)), "never asked twice": len(set(keys)) - len(keys)}


def vectors_kept(folder: Path) -> Kept:
    """The vectors of words in sentences, by their rows."""
    return _rows(folder.glob(f"cache/encoders/{FILE}"))


def _rows(files: Iterable[Path]) -> Kept:
    found: Kept = {}
    for path in files:
        with closing(sqlite3.connect(path)) as connection:
            found |= connection.execute("SELECT key, rowid FROM blocks WHERE key <> 'identity'").fetchall()
    return found


def lost(before: Kept, now: Kept) -> list[str]:
    """Return what was finished before and is not any more, or was done again."""
    return [
        name
        for name, value in before.items()
        if name in now and (now[name] < value if name in COUNTS else now[name] != value)
    ]


def killed(command: Command, kills: int, seed: int = 0, *, warm: bool = True, most: int = MOST) -> Outcome:
    """Kill the command `kills` times in all, in as many rounds as that takes, each until the command ends by itself.

    A run is left alone after `most` starts; `warm`: once all is compiled.
    """
    rng, outcome = random.Random(f"{seed} {command.name}"), Outcome(f"SIGKILL at random moments of `{command.name}`")
    redone, rounds = 0, 0
    with tempfile.TemporaryDirectory(prefix="aslant-faults-") as place:
        expected, seconds = undisturbed(command, Path(place, "alone"), warm=warm)
        while outcome.tries < kills:
            rounds += 1
            folder = fresh(command, Path(place, "killed"))
            redone += _round(command, folder, seconds, expected, rng, outcome, most)
    outcome.lost = f"{redone} finished {command.unit} done again; {rounds} runs ended"
    return outcome


def fresh(command: Command, folder: Path) -> Path:
    """Make an empty folder with what the command reads."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "cache").mkdir(parents=True)
    for name, text in command.files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def undisturbed(command: Command, folder: Path, *, warm: bool = True) -> tuple[Any, float]:
    """Return what comes out if nothing happens, and how long that takes; `warm`: the second time, all compiled."""
    for _ in range(1 + warm):
        fresh(command, folder)
        begun = time.monotonic()
        ended = end(start(*command.arguments, cache=folder / "cache", cwd=folder))
        if ended.code:
            raise RuntimeError(f"'{command.name}' does not run here: {ended.err[-300:]}")
    return read_result(folder / command.output), time.monotonic() - begun


def _round(
    command: Command, folder: Path, seconds: float, expected: Any, rng: random.Random, outcome: Outcome, most: int
) -> int:
    """Start and kill until the command ends by itself; return how many finished units were done again."""
    before: Kept = {}
    redone = begun = 0
    while True:
        begun += 1
        process = start(*command.arguments, cache=folder / "cache", cwd=folder)
        ended = end(process, rng.uniform(0, seconds) if begun < most else None)
        now = command.kept(folder)
        redone += len(lost(before, now))
        before = now
        if ended.code == -signal.SIGKILL:
            outcome.tries += 1
            _whole_or_absent(folder / command.output, outcome)
        if complaint := ended.complaint((0, -signal.SIGKILL)):
            outcome.blame(complaint)
            return redone
        if ended.code == 0:
            break
    if read_result(folder / command.output) != expected:
        outcome.different += 1
    if left := leftovers(folder):
        outcome.blame(f"left behind: {left[0]}")
    if redone:
        outcome.blame(f"{redone} finished {command.unit} were done again")
    return redone


def _whole_or_absent(path: Path, outcome: Outcome) -> None:
    try:
        if path.exists():
            read_result(path)
    except ValueError:
        outcome.blame(f"half of '{path.name}' was left")


def stopped(command: Command, number: signal.Signals, tries: int, seed: int = 0) -> Outcome:
    """Send a signal that can be listened to, at random moments, then let the command end by itself."""
    rng, outcome = (
        random.Random(f"{seed} {command.name}"),
        Outcome(f"{number.name} at random moments of `{command.name}`"),
    )
    slowest, told = 0.0, 0
    with tempfile.TemporaryDirectory(prefix="aslant-faults-") as place:
        expected, seconds = undisturbed(command, Path(place, "alone"))
        folder = fresh(command, Path(place, "stopped"))
        while outcome.tries < tries:
            process = start(*command.arguments, cache=folder / "cache", cwd=folder)
            ended = end(process, rng.uniform(0.15, seconds), number)
            outcome.tries += ended.code != 0
            slowest = max(slowest, ended.seconds) if ended.code else slowest
            told += "aslant: stopped" in ended.err
            early = () if ended.err else (-number,)  # before Python could listen: nothing was begun
            if complaint := ended.complaint((0, 128 + number, *early)):
                outcome.blame(complaint)
            if not group_is_gone(process):
                outcome.blame("a process was left behind")
            if left := leftovers(folder):
                outcome.blame(f"left behind: {left[0]}")
            if ended.code == 0:
                outcome.different += read_result(folder / command.output) != expected
                fresh(command, folder)
    outcome.lost = f"the unit in flight; gone within {slowest:.1f} s, {told} said how to go on"
    return outcome


def commands(model: str, encoder: str = "") -> dict[str, Command]:
    """Return the commands that are killed; with a masked language model's and an encoder's name or folder, theirs."""
    found = {
        "audit": Command(
            "aslant audit", ("audit", "--quick", "-q", "-o", "report"), "report.json", steps_kept, "measures"
        ),
        "audit --run-folder": Command(
            "aslant audit --run-folder", ("audit", "--quick", "-q", "-o", "report", "--run-folder", "run"),
            "report.json", steps_kept, "measures",
        ),
        "enumerate": Command(
            "aslant enumerate", ("enumerate", "--rotations", "4000", "--words", "12000", "-q", "--json", "found.json"),
            "found.json", pieces_kept, "clusterings or blocks",
        ),
    }  # fmt: skip
    if model:
        asked = ("logprob", model, "--attributes", "words.txt", "-q", "--json", "scores.json")
        found["logprob"] = Command(
            "aslant logprob", asked, "scores.json", answers_kept, "answers", {"words.txt": _words()}
        )
    if encoder:
        asked = ("ceat", encoder, "--corpus", "text.txt", "--test", "weat-7", "--samples", "200", "-q")
        found["ceat"] = Command(
            "aslant ceat", (*asked, "--json", "ceat.json"), "ceat.json", vectors_kept, "vectors", {"text.txt": _text()}
        )
    return found


def _words() -> str:
    """Return some thousand words, one on each line."""
    import aslant

    return "\n".join(word for word in aslant.load().words[2000:4000] if word.isalpha() and word.islower())


def _text() -> str:
    """Return two thousand sentences with the words of WEAT 7."""
    from aslant.stimuli import WeatSet, load_set

    words = [word for group in load_set("weat-7", WeatSet).groups for word in group.words]
    tails = (
        "stood at the gate",
        "was gone by noon",
        "came back in June",
        "is what they spoke of",
        "had a long history",
    )
    return "\n".join(f"On day {day} the {word} {tail}." for day in range(12) for word in words for tail in tails) + "\n"
