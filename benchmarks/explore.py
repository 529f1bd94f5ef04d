"""Latencies of `aslant explore`, as milliseconds and as processor seconds of the server.

    python benchmarks/explore.py                 400,000 × 300, one person and twenty; takes about two minutes
    python benchmarks/explore.py --words 50000   a smaller embedding

Goals: a draft of 25 + 25 words within 100 ms for one person; 20 people who type at once on 2 cores under 500 ms at the
median; the first answer on the bundled sample within 5 s of the command. On a busy machine look at processor seconds.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice, product
from pathlib import Path
from string import ascii_lowercase
from typing import Any
from urllib.parse import urlsplit

#: Seconds between two keys of somebody who types fast, keys of a word, and seconds that people type.
KEY, LETTERS, TYPING = 0.2, 5, 20.0


class Person:
    """A connection that stays open, as a browser's does."""

    def __init__(self, address: str, name: str) -> None:
        self.to = urlsplit(address)
        self.connection = http.client.HTTPConnection(self.to.hostname or "", self.to.port)
        self.headers = {"content-type": "application/json", "x-aslant-person": name, "x-aslant-tab": name}

    def ask(self, api: str, **body: Any) -> tuple[float, Any]:
        began = time.perf_counter()
        self.connection.request("POST", f"{self.to.path}api/{api}", json.dumps(body), self.headers)
        answer = json.loads(self.connection.getresponse().read())
        return time.perf_counter() - began, answer


@contextmanager
def served(*words: str) -> Iterator[tuple[str, int]]:
    command = [sys.executable, "-m", "aslant", "explore", "--no-browser", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split()[-1], process.pid
        finally:
            process.terminate()


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def made_up(words: int, dimensions: int, folder: str) -> tuple[str, list[str]]:
    """Write an embedding of random vectors with words of four letters."""
    import numpy as np

    from aslant import WordVectors

    listed = ["".join(letters) for letters in islice(product(ascii_lowercase, repeat=4), words)]
    matrix = np.random.default_rng(0).standard_normal((words, dimensions), dtype=np.float32)
    path = Path(folder) / "made-up.safetensors"
    WordVectors.from_arrays(listed, matrix).save(path)
    return str(path), listed


def question(listed: list[str], size: int, *, draft: bool, panel: str = "weat") -> dict[str, Any]:
    chosen = iter(random.sample(listed[:50_000], 4 * size))
    groups = [{"name": str(n), "words": list(islice(chosen, size))} for n in range(4)]
    return {"panel": panel, "model": 0, "targets": groups[:2], "attributes": groups[2:], "draft": draft}


def told(what: str, seconds: list[float], processor: float | None = None) -> None:
    ordered = sorted(seconds)
    median, late = statistics.median(ordered), ordered[int(0.95 * (len(ordered) - 1))]
    spent = "" if processor is None else f"   {1000 * processor / len(seconds):6.0f} ms of processor each"
    print(f"{what:<46} median {1000 * median:6.0f} ms   95 % {1000 * late:6.0f} ms   n {len(seconds):4}{spent}")


def alone(address: str, pid: int, listed: list[str]) -> None:
    person = Person(address, "alone")
    for what, size, draft in (
        ("draft, 8 + 8 words", 8, True), ("draft, 15 + 15", 15, True), ("draft, 25 + 25", 25, True),
        ("settled, 8 + 8", 8, False), ("settled, 25 + 25", 25, False),
    ):  # fmt: skip
        before = processor_seconds(pid)
        found = [person.ask("bench", **question(listed, size, draft=draft))[0] for _ in range(20)]
        told(f"one person, {what}", found, processor_seconds(pid) - before)
    prefixes = [word[: random.randint(1, 3)] for word in random.sample(listed, 50)]
    told("one person, completion", [person.ask("complete", model=0, prefix=prefix)[0] for prefix in prefixes])
    told("one person, 50 words looked up", [
        person.ask("words", model=0, words=random.sample(listed, 50))[0] for _ in range(20)
    ])  # fmt: skip


def typing(address: str, pid: int, listed: list[str], people: int, *, drafts_only: bool) -> None:
    """Let people type: a completion at each key and a draft at each word, or a draft at each key."""
    drafts: list[float] = []
    completions: list[float] = []

    def type_on(name: int) -> None:
        person, asked = Person(address, f"person-{name}"), random.Random(name)
        time.sleep(asked.random() * KEY)
        end, key = time.perf_counter() + TYPING, 0
        while (began := time.perf_counter()) < end:
            key += 1
            if not drafts_only:
                completions.append(person.ask("complete", model=0, prefix=asked.choice(listed)[:2])[0])
            if drafts_only or key % LETTERS == 0:
                drafts.append(person.ask("bench", **question(listed, asked.randint(5, 15), draft=True))[0])
            time.sleep(max(0.0, KEY - (time.perf_counter() - began)))

    before, threads = processor_seconds(pid), [threading.Thread(target=type_on, args=(n,)) for n in range(people)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    how = "a draft at each key" if drafts_only else "drafts word by word"
    told(f"{people} people, {how}", drafts, processor_seconds(pid) - before)
    if completions:
        told(f"{people} people, completion at each key", completions)


def first_answer() -> None:
    """Measure from the command to the first answer on the sample."""
    began = time.perf_counter()
    with served() as (address, pid):
        listening = time.perf_counter() - began
        words = ["he", "she", "man", "woman", "war", "love", "gun", "tea"]
        groups = [{"name": str(n), "words": words[n::4]} for n in range(4)]
        Person(address, "first").ask("bench", panel="weat", model=0, targets=groups[:2], attributes=groups[2:])
        total, spent = time.perf_counter() - began, processor_seconds(pid)
    print(f"the sample: address after {listening:.1f} s, first answer after {total:.1f} s ({spent:.1f} s of processor)")


def main() -> None:
    parser = argparse.ArgumentParser(description="Latencies of aslant explore.")
    parser.add_argument("--words", type=int, default=400_000)
    parser.add_argument("--dimensions", type=int, default=300)
    parser.add_argument("--people", type=int, default=20)
    given = parser.parse_args()
    random.seed(0)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; {given.words:,} × {given.dimensions}")
    first_answer()
    with tempfile.TemporaryDirectory() as folder:
        path, listed = made_up(given.words, given.dimensions, folder)
        began = time.perf_counter()
        with served(path) as (address, pid):
            print(f"address after {time.perf_counter() - began:.1f} s")
            before = None
            while before is None or processor_seconds(pid) - before > 0.1:  # until all is ready
                before = processor_seconds(pid)
                time.sleep(1)
            alone(address, pid, listed)
            typing(address, pid, listed, given.people, drafts_only=False)
            typing(address, pid, listed, given.people, drafts_only=True)


if __name__ == "__main__":
    main()
