"""Hard debiasing of 341,479 words of 100 dimensions, against WEFE's HardDebias on the same vectors.

    python benchmarks/debiasing.py glove.6B.100d.txt                          # makes an environment for WEFE
    python benchmarks/debiasing.py glove.6B.100d.txt --wefe-python PATH       # uses one that has wefe==1.0.1

Both start from vectors in memory and use the same definitional and equalise pairs and gender-specific words; libraries
are loaded before the clock starts. WEFE runs once, aslant five times (best). Needs GloVe 6B, 100 dimensions, as text.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import aslant
from aslant.stimuli import PairSet, load_set

WEFE = "wefe==1.0.1"
WEFE_RUN = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
from gensim.models import KeyedVectors
from wefe.debias.hard_debias import HardDebias
from wefe.word_embedding_model import WordEmbeddingModel
model = WordEmbeddingModel(KeyedVectors.load_word2vec_format(sys.argv[1], binary=True), "glove")
words = json.load(open(sys.argv[2]))
start = time.perf_counter()
method = HardDebias(verbose=False, criterion_name="gender")
method.fit(model, definitional_pairs=words["pairs"], equalize_pairs=words["equalise"])
done = method.transform(model, ignore=words["specific"], copy=True)
seconds = time.perf_counter() - start
rows = [[float(x) for x in done[word]] for word in words["shown"]]
print(json.dumps({"seconds": seconds, "rows": rows}))
"""


def environment(folder: Path) -> Path:
    """An environment with WEFE, apart from ours."""
    subprocess.run([sys.executable, "-m", "venv", folder / "wefe"], check=True)
    python = folder / "wefe" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", WEFE], check=True)
    return python


def run_wefe(
    python: Path, vectors: aslant.WordVectors, words: dict[str, list[object]], folder: Path
) -> dict[str, object]:
    vectors.save(folder / "vectors.bin")
    (folder / "words.json").write_text(json.dumps(words), encoding="utf-8")
    answer = subprocess.run(
        [python, "-c", WEFE_RUN, folder / "vectors.bin", folder / "words.json"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if answer.returncode:
        sys.exit(answer.stderr[-2000:])
    found: dict[str, object] = json.loads(answer.stdout.splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("glove", type=Path)
    parser.add_argument("--wefe-python", type=Path, help=f"a Python that has {WEFE}")
    arguments = parser.parse_args()
    loaded = aslant.load(arguments.glove)
    vectors = aslant.WordVectors(list(loaded.words), np.array(loaded.matrix), name="glove")  # in memory, not mapped
    pairs, equalised = (
        [pair for pair in load_set(name, PairSet).pairs if all(w in vectors for w in pair)]
        for name in ("definitional-pairs", "equalise-pairs")
    )
    specific = [word for word in load_set("gender-specific-words").words if word in vectors]
    # WEFE neutralises the words to equalise unless they are ignored; aslant never does.
    specific = list(dict.fromkeys([*specific, *(word for pair in equalised for word in pair)]))
    shown = ["nurse", "engineer", "table", "she", "he"]
    aslant.hard_debias(loaded, pairs=pairs, equalise=equalised, specific=specific)  # warm
    times = []
    for _ in range(5):
        vectors = aslant.WordVectors(vectors.words, vectors.matrix, name="glove")  # without the index made before
        start = time.perf_counter()
        debiased = aslant.hard_debias(vectors, pairs=pairs, equalise=equalised, specific=specific)
        times.append(time.perf_counter() - start)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        python = arguments.wefe_python or environment(folder)
        words: dict[str, list[object]] = {
            "pairs": [*pairs], "equalise": [*equalised], "specific": [*specific], "shown": [*shown]
        }  # fmt: skip
        wefe = run_wefe(python, vectors, words, folder)
    ours, theirs = min(times), float(wefe["seconds"])  # type: ignore[arg-type]
    rows = np.array(wefe["rows"])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    agree = np.abs(rows - debiased.lookup(shown).vectors).max(axis=1)
    print(f"{len(vectors):,} words × {vectors.dimensions} dimensions\n\n| what | seconds |\n|---|---:|")
    print(f"| aslant | {ours:.3f} |\n| WEFE's HardDebias | {theirs:.2f} |")
    print("\n| goal | measured | wanted | met |\n|---|---:|---:|---|")
    print(f"| WEFE / aslant | {theirs / ours:.1f} | >= 5 | {'yes' if theirs / ours >= 5 else 'NO'} |")
    print(f"\nlargest difference to WEFE: {', '.join(f'{w} {d:.1e}' for w, d in zip(shown, agree, strict=True))}")


if __name__ == "__main__":
    main()
