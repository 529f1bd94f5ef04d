"""The other engine: atheris, which watches what code each input reaches, for one target in a process of its own."""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

from fuzzing.judging import Inputs, judge, witnessed
from fuzzing.mutation import LONGEST
from fuzzing.targets import Target
from fuzzing.worker import Current, working_folder

#: libFuzzer's own limits: seconds for one input, MB of memory.
TIMEOUT, MOST_MEMORY = 30, 6000
#: The report is written again after so many inputs: libFuzzer ends the process without a word to us.
OFTEN = 200


def main(name: str, seconds: float, seed: int, out: Path) -> None:
    """Run one target; does not return, since libFuzzer ends the process."""
    import atheris

    from fuzzing.table import every_target

    target = every_target()[name]
    corpus = out / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    place = working_folder()
    folder = place.__enter__()  # removed by the parent, if libFuzzer ends us first
    watching = witnessed()
    witness = watching.__enter__()
    with atheris.instrument_imports(include=["aslant"], exclude=_compiled()):
        for module in target.covers:
            importlib.import_module(module)
        inputs = Inputs(target, Random(seed))
        for number, data in enumerate(inputs.seeds):
            judge(target, data, folder / "work", witness)
            (corpus / f"seed-{number}").write_bytes(data)
    (out / "place").write_text(str(folder))
    tried = _Tried(target, folder, witness, out)
    words = out / "words"
    words.write_text("".join(f'"{"".join(f"{b:02x}".join((chr(92) + "x", "")) for b in t)}"\n' for t in target.tokens))
    longest = max(LONGEST, *(2 * len(seed) for seed in inputs.seeds))
    arguments = [
        "fuzz", f"-max_total_time={max(1, int(seconds))}", f"-seed={seed + 1}", f"-timeout={TIMEOUT}",
        f"-max_len={longest}", f"-rss_limit_mb={MOST_MEMORY}", f"-artifact_prefix={out}/crash-", "-print_final_stats=1",
        "-len_control=0",
        *([f"-dict={words}"] if target.tokens else []), str(corpus),
    ]  # fmt: skip

    def mutator(data: bytes, most: int, number: int) -> bytes:
        chance = Random(number)
        if chance.random() < 0.5:
            return atheris.Mutate(data, most)  # type: ignore[no-any-return]
        inputs.chance = chance
        return inputs.next()[:most]

    atheris.Setup(arguments, tried.one, custom_mutator=mutator)
    sys.stdout.flush()
    atheris.Fuzz()


def _compiled() -> list[str]:
    """Return the modules that numba compiles: it cannot take what atheris adds."""
    root = Path(importlib.import_module("aslant.version").__file__ or "").parents[1]
    sources = (path for path in root.joinpath("aslant").rglob("*.py") if "import compiled" in path.read_text("utf-8"))
    return [".".join(path.relative_to(root).with_suffix("").parts) for path in sources]


class _Tried:
    """What libFuzzer calls: failures are kept, and the run goes on."""

    def __init__(self, target: Target, folder: Path, witness: Any, out: Path) -> None:
        self.target, self.folder, self.witness, self.out = target, folder, witness, out
        self.count, self.slowest, self.kinds = 0, 0.0, Counter[str]()
        self.failures: dict[str, dict[str, Any]] = {}
        self.current = Current(out / "under-way")

    def one(self, data: bytes) -> None:
        self.count += 1
        self.current.put(self.count, data)
        self.witness.take()
        before = time.process_time()
        outcome = judge(self.target, data, self.folder / "work", self.witness)
        self.slowest = max(self.slowest, time.process_time() - before)
        self.kinds[outcome.kind] += 1
        if outcome.failure and outcome.key not in self.failures:
            path = self.out / f"failure-{len(self.failures) + 1}"
            path.write_bytes(data)
            self.failures[outcome.key] = {"what": outcome.failure, "key": outcome.key, "file": str(path), "times": 1}
            self.report()
        if self.count % OFTEN == 0:
            self.report()

    def report(self) -> None:
        found = {
            "target": self.target.name, "kinds": dict(self.kinds), "failures": list(self.failures.values()),
            "slowest": self.slowest,
        }  # fmt: skip
        partial = self.out / "report.partial"
        partial.write_text(json.dumps(found))
        partial.replace(self.out / "report.json")
