"""How fast sentences are drawn from a corpus: ten million tokens, 6,000 words in four queries, against a bare loop.

    python benchmarks/corpus.py                      # 10 million tokens, one sentence in each line
    python benchmarks/corpus.py --tokens 1000000 --running

The corpus is made of the bundled sample's words, in its order of frequency (Zipf), in sentences of 5 to 35 words, and
written to a temporary file. Every measurement is a fresh process with one thread; the time of the processor is given
beside the time that passed, which is longer on a busy machine. Prints a table in Markdown.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import aslant

#: Words in each query, and how many sentences of each are kept; two of them bar the words of the first.
QUERIES = {"definitional": (20, 100), "professions": (320, 100), "leaning": (1_000, 10), "words": (4_660, 10)}
PROBE = """
import json, sys, time
path, words = sys.argv[1], json.load(open(sys.argv[2]))
{prepare}
start, used = time.perf_counter(), time.process_time()
{run}
seconds, used = time.perf_counter() - start, time.process_time() - used
# The peak that the system reports may be that of the process which started this one; Linux has our own.
status = open("/proc/self/status").read() if sys.platform == "linux" else "VmHWM: 0"
print(json.dumps([used, seconds, int(status.split("VmHWM:")[1].split()[0]) / 1024, {result}]))
"""
BARE = ("", "n = 0\nfor line in open(path, encoding='utf-8'): n += len(line.split())", "n")
READ = ("import aslant; aslant.load_corpus", "n = sum(1 for _ in aslant.load_corpus(path))", "n")
OURS = (
    """
import aslant
from aslant.corpus import Query, sample_contexts
barred = tuple(words["definitional"][0])
queries = {name: Query(tuple(given), n, barred if name in ("professions", "leaning") else ())
           for name, (given, n) in words.items()}""",
    "found = sample_contexts(aslant.load_corpus(path), queries, rng=0)",
    "[found.tokens, sum(sum(c.counts.values()) for c in found.contexts.values())]",
)


def write_corpus(path: Path, tokens: int, *, running: bool) -> None:
    """Write about so many tokens: Zipf's law over the sample's lower-case words."""
    words = np.array([word for word in aslant.load(top=40_000).words if word.isalpha()])
    rng = np.random.default_rng(0)
    share = 1 / (np.arange(len(words)) + 2.7)
    with path.open("w", encoding="utf-8") as file:
        while tokens > 0:
            lengths = rng.integers(5, 36, size=min(20_000, tokens // 20 + 1))
            drawn = rng.choice(words, size=lengths.sum(), p=share / share.sum())
            for n, part in enumerate(np.split(drawn, np.cumsum(lengths)[:-1])):
                file.write(" ".join(part).capitalize() + (". " if running and n % 5 else ".\n"))
            tokens -= int(lengths.sum())


def queries() -> dict[str, tuple[list[str], int]]:
    """Choose words of all frequencies, a few phrases among them."""
    words = [word for word in aslant.load(top=40_000).words if word.isalpha()]
    rng, chosen = np.random.default_rng(1), {}
    for name, (n, kept) in QUERIES.items():
        few = [str(word) for word in rng.choice(words[: 300 if n == 20 else 30_000], size=n, replace=False)]
        few[-n // 50 :] = [f"{a} {b}" for a, b in zip(few[-n // 50 :], reversed(few), strict=False)]
        chosen[name] = (few, kept)
    return chosen


def measure(steps: tuple[str, str, str], path: Path, words: Path, repeats: int) -> list[float]:
    prepare, run, result = steps
    code = PROBE.format(prepare=prepare, run=run, result=result)
    answers = [
        subprocess.run([sys.executable, "-c", code, str(path), str(words)], check=True, capture_output=True, text=True)
        for _ in range(repeats)
    ]
    return min(json.loads(answer.stdout) for answer in answers)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", type=int, default=10_000_000)
    parser.add_argument("--running", action="store_true", help="five sentences in a line, to be split")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path, words = Path(folder) / "corpus.txt", Path(folder) / "words.json"
        write_corpus(path, options.tokens, running=options.running)
        words.write_text(json.dumps(queries()), encoding="utf-8")
        size = path.stat().st_size / 1e6
        rows = {
            "bare loop: for line in file: line.split()": measure(BARE, path, words, options.repeats),
            "aslant, reading only": measure(READ, path, words, options.repeats),
            "aslant, 6,000 words in four queries": measure(OURS, path, words, options.repeats),
        }
    print(f"{rows['bare loop: for line in file: line.split()'][3]:,} tokens, {size:.0f} MB\n")
    print("| what | seconds of processor | ratio | seconds | peak MB |\n|---|---:|---:|---:|---:|")
    bare = next(iter(rows.values()))[0]
    for what, (used, seconds, peak, _) in rows.items():
        print(f"| {what} | {used:.2f} | {used / bare:.1f} | {seconds:.1f} | {peak:.0f} |")
    print(f"\n(tokens, sentences with one of the words): {rows['aslant, 6,000 words in four queries'][3]}")


if __name__ == "__main__":
    main()
