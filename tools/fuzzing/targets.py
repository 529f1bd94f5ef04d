"""What a fuzz target is, and what every message of ours must look like."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from fuzzing.mutation import mutated

#: Writers and small stand-ins that the tests have already.
HELPERS = str(Path(__file__).resolve().parents[2] / "tests" / "helpers")
if HELPERS not in sys.path:
    sys.path.insert(0, HELPERS)

#: Characters of a message: one sentence.
LONGEST_MESSAGE = 1_200
#: What `run` returns for input that a cache or a journal passes over.
ABSENT = "absent"
#: Input for a sealed file that begins so is written as it is, without a seal or with one that may not fit.
AS_IT_IS = b"="
Seeds = Callable[[], Sequence[bytes]]
Make = Callable[[Random], bytes]
Seal = Callable[[bytes], bytes]


class BrokenPromiseError(AssertionError):
    """Input was taken, and what came of it is not sound; or a message is not one plain sentence."""


@dataclass(frozen=True)
class Target:
    """A reader, and how to feed it.

    `run(data, folder)` reads `data` and returns a word for what came of it; a `AslantError` is a refusal, anything else
    a failure. `folder` is empty at first, and may keep the files that `run` puts there under names that stay the same.
    `covers` are the modules whose readers it drives. `seeds` are inputs that are read. `made` builds input that fits
    the format but not its rules. `needs` are libraries, without which the target is left out.
    """

    name: str
    covers: tuple[str, ...]
    seeds: Seeds
    run: Callable[[bytes, Path], str]
    made: Make | None = None
    tokens: tuple[bytes, ...] = ()
    needs: tuple[str, ...] = ()
    #: MB that one input may add to the most memory ever used.
    most_memory: int = 400
    #: Nothing may be refused: what is damaged counts as absent.
    never_refuses: bool = False
    #: Seeds too are refused: there is nothing of this kind that aslant takes.
    always_refuses: bool = False


def demand(sound: bool, what: str) -> None:
    """Raise if what was read is not sound."""
    if not sound:
        raise BrokenPromiseError(what)


def check_message(message: str) -> None:
    """Raise unless a message is one plain sentence: no line ends, no control characters, an end."""
    steering = [c for c in message if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")]
    demand(not steering, f"a message holds {''.join(steering[:5])!a}")
    demand(15 < len(message) <= LONGEST_MESSAGE, f"a message has {len(message)} characters")
    demand(message.rstrip().endswith((".", "…", ")", "?")), f"a message has no end: …{message[-40:]!a}")


def written(folder: Path, name: str, data: bytes) -> Path:
    """Write the input where its reader looks for it."""
    path = folder / name
    path.write_bytes(data)
    return path


def kept(data: bytes, seal: Seal) -> bytes:
    """Return input as a file with a seal that fits, so that what is behind the seal is fuzzed, or as it is."""
    return data.removeprefix(AS_IT_IS) if data.startswith(AS_IT_IS) else seal(data)


def with_seals(seeds: Seeds, made: Make, seal: Seal) -> tuple[Seeds, Make]:
    """Return seeds and a maker whose input `kept` mostly seals; the rest has no seal, or one that was damaged."""

    def sometimes(chance: Random) -> bytes:
        data = made(chance)
        if chance.random() < 0.8:
            return data
        return AS_IT_IS + chance.choice((data, seal(data), mutated(seal(data), chance)))

    return lambda: [*seeds(), *(AS_IT_IS + seal(seed) for seed in seeds())], sometimes
