"""The whole WEAT suite with exact p-values, against WEFE with 1,000 permutations and NumPy Monte Carlo with 10,000.

    python benchmarks/weat.py                          # makes an environment for WEFE in a temporary folder
    python benchmarks/weat.py --wefe-python PATH       # uses an environment that has wefe==1.0.1

All three measure the same ten tests on the same vectors (GoogleNews, 13,013 words, which the WEFE wheel carries),
one after the other on this machine; libraries and vectors are loaded before the clock starts. Needs the `dev` extra.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import numpy as np

import aslant
from aslant.statistics import unit_rows
from aslant.stimuli import WeatSet, suite_sets

WEFE = "wefe==1.0.1"
MODEL = "wefe/datasets/data/test_model.kv"
WEFE_RUN = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
from gensim.models import KeyedVectors
from wefe.metrics import WEAT
from wefe.query import Query
from wefe.word_embedding_model import WordEmbeddingModel
model = WordEmbeddingModel(KeyedVectors.load(sys.argv[1]), "googlenews")
tests = json.load(open(sys.argv[2]))
weat = WEAT()
out = {}
for test in tests:
    query = Query(test["targets"], test["attributes"])
    start = time.perf_counter()
    r = weat.run_query(query, model, calculate_p_value=True, p_value_iterations=int(sys.argv[3]))
    out[test["id"]] = [time.perf_counter() - start, r["effect_size"], r["p_value"]]
print(json.dumps(out))
"""


def fetch_vectors(folder: Path) -> Path:
    """Take the vectors out of the WEFE wheel; nothing of it is run here."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), WEFE]
    subprocess.run(command, check=True)
    with zipfile.ZipFile(next(folder.glob("wefe-*.whl"))) as wheel:
        return Path(wheel.extract(MODEL, folder))


def run_wefe(python: str, model: Path, folder: Path, permutations: int) -> dict[str, list[float]]:
    tests = [
        {"id": t.id, "targets": [g.words for g in t.targets], "attributes": [g.words for g in t.attributes]}
        for t in suite_sets()
    ]
    (folder / "tests.json").write_text(json.dumps(tests))
    command = [python, "-c", WEFE_RUN, str(model), str(folder / "tests.json"), str(permutations)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    return dict(json.loads(answer.stdout.splitlines()[-1]))


def numpy_monte_carlo(v: aslant.WordVectors, test: WeatSet, draws: int) -> float:
    """The obvious fast approximation: shuffle all draws at once."""
    X, Y, A, B = (unit_rows(v.lookup(group.words).vectors) for group in test.groups)
    s = np.concatenate([X, Y]) @ (A.mean(axis=0) - B.mean(axis=0))
    order = np.random.default_rng(0).random((draws, len(s))).argsort(axis=1)[:, : len(X)]
    return float((1 + np.count_nonzero(s[order].sum(axis=1) >= s[: len(X)].sum() - 1e-12)) / (draws + 1))


def best(repeats: int, call: object, *arguments: object) -> tuple[float, object]:
    times, value = [], None
    for _ in range(repeats):
        start = time.perf_counter()
        value = call(*arguments)  # type: ignore[operator]
        times.append(time.perf_counter() - start)
    return min(times), value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wefe-python", help=f"a Python that has {WEFE}; by default an environment is made")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        python = options.wefe_python
        if python is None:
            subprocess.run([sys.executable, "-m", "venv", str(folder / "env")], check=True)
            python = str(folder / "env" / "bin" / "python")
            subprocess.run([python, "-m", "pip", "install", "--quiet", WEFE], check=True)
        model = fetch_vectors(folder)
        v = aslant.load(model, allow_pickle=True)
        wefe = run_wefe(python, model, folder, 1_000)
    start = time.perf_counter()
    aslant.weat_suite(v, bootstrap=0)
    first = time.perf_counter() - start
    ours = {t.id: best(options.repeats, lambda t=t: aslant.weat(v, t, bootstrap=0)) for t in suite_sets()}
    drawn = {t.id: best(options.repeats, numpy_monte_carlo, v, t, 10_000) for t in suite_sets()}
    whole, _ = best(options.repeats, lambda: aslant.weat_suite(v, bootstrap=0))
    print("| test | aslant: p | how | ms | WEFE: p, 1,000 draws | ms | NumPy: p, 10,000 draws | ms |")
    print("|---|---:|---|---:|---:|---:|---:|---:|")
    for test, (seconds, result) in ours.items():
        theirs, mc = wefe[test], drawn[test]
        p = "none (words lost)" if theirs[2] is None or math.isnan(theirs[2]) else f"{theirs[2]:.3g}"
        print(
            f"| {test} | {result.pvalue:.3g} | {result.pvalue_method} | {1e3 * seconds:.1f} | {p} | "  # type: ignore[attr-defined]
            f"{1e3 * theirs[0]:.0f} | {mc[1]:.3g} | {1e3 * mc[0]:.1f} |"
        )
    total_wefe, total_mc = sum(t[0] for t in wefe.values()), sum(t[0] for t in drawn.values())
    print(
        f"\nwhole suite: aslant {whole:.3f} s (first call in a process {first:.2f} s), WEFE {total_wefe:.1f} s, ",
        end="",
    )
    print(f"NumPy Monte Carlo {total_mc:.3f} s")
    print(f"WEFE / aslant: {total_wefe / whole:.0f}×; NumPy Monte Carlo / aslant: {total_mc / whole:.2f}×")


if __name__ == "__main__":
    main()
