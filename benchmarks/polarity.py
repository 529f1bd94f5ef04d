"""One-vs-one polarity with 20 classes over 100,000 words: ours, the obvious triple loop, the bare matrix product.

    python benchmarks/polarity.py

One run on this machine. The loop is timed on a few words and scaled; the bare product is float32 words × all 190
directions between classes, which is what a direct implementation would multiply.
"""

from __future__ import annotations

import time

import numpy as np

from aslant.measures.polarities.measure import polarity_scores

WORDS, CLASSES, DIMENSIONS, LOOPED = 100_000, 20, 100, 100


def triple_loop(words: np.ndarray, classes: np.ndarray) -> list[float]:
    scores = []
    for w in words:
        total, pairs = 0.0, 0
        for j in range(len(classes)):
            for k in range(len(classes)):
                if j != k:
                    g = classes[j] - classes[k]
                    total += abs(np.dot(w, g) / (np.linalg.norm(w) * np.linalg.norm(g)))
                    pairs += 1
        scores.append(total / pairs)
    return scores


def best(repeats: int, call: object) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()  # type: ignore[operator]
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    random = np.random.default_rng(0)
    words = random.normal(size=(WORDS, DIMENSIONS)).astype(np.float32)
    classes = random.normal(size=(CLASSES, DIMENSIONS))
    first, second = np.triu_indices(CLASSES, 1)
    directions = (classes[first] - classes[second]).astype(np.float32)
    ours = best(7, lambda: polarity_scores(words, classes, "one-vs-one"))
    bare = best(7, lambda: words @ directions.T)
    start = time.perf_counter()
    looped = triple_loop(words[:LOOPED].astype(float), classes)
    loop = (time.perf_counter() - start) * WORDS / LOOPED
    agree = np.abs(polarity_scores(words[:LOOPED], classes, "one-vs-one")[0] - looped).max()
    print("| what | seconds |\n|---|---:|")
    print(f"| aslant | {ours:.3f} |\n| bare float32 product, words × 190 directions | {bare:.3f} |")
    print(f"| triple loop (scaled from {LOOPED} words) | {loop:.0f} |")
    print("\n| goal | measured | wanted | met |\n|---|---:|---:|---|")
    print(f"| triple loop / aslant | {loop / ours:.0f} | >= 100 | {'yes' if loop / ours >= 100 else 'NO'} |")
    print(f"| aslant / bare product | {ours / bare:.2f} | <= 2 | {'yes' if ours / bare <= 2 else 'NO'} |")
    print(f"\nlargest difference to the loop: {agree:.1e}")


if __name__ == "__main__":
    main()
