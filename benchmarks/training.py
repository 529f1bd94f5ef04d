"""How fast GloVe trains against a plain NumPy loop over pairs, and what WEAT finds in text without associations.

    python benchmarks/training.py                    # 200,000 tokens, 100 dimensions
    python benchmarks/training.py --null 40          # also: what WEAT sees in vectors of shuffled text

Both versions take the same steps in the same run, and the time of the processor is taken, so that the ratio holds on a
busy machine. The text is Zipf's law over
10,000 words. Prints a table in Markdown.
"""

from __future__ import annotations

import argparse
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import aslant
from aslant.training.glove import ETA, Counts, cooccurrences, train_glove
from aslant.training.texts import Text

X_MAX, WINDOW = 10.0, 10


def made_text(tokens: int, words: int = 10_000) -> Text:
    share = 1 / (np.arange(words) + 2.7)
    numbers = np.random.default_rng(0).choice(words, size=tokens, p=share / share.sum()).astype(np.int32)
    starts = np.arange(0, tokens + 1, 20)
    return Text([f"w{n}" for n in range(words)], numbers[: starts[-1]], starts, starts[:1]).frequent(5)[2]


def plain_counts(text: Text) -> Any:
    """Add every pair to an array, one at a time."""
    found = np.zeros((len(text.words),) * 2)
    for start, end in pairwise(text.starts):
        for at in range(start, end):
            for before in range(max(start, at - WINDOW), at):
                word, other = text.tokens[at], text.tokens[before]
                found[word, other] += 1 / (at - before)
                found[other, word] += 1 / (at - before)
    return found


def plain_steps(counts: Counts, n: int, dimensions: int, random: np.random.Generator) -> Any:
    """One epoch, a pair at a time, each step vectorised by NumPy: what one would write first."""
    w, c = (((random.random((n, dimensions + 1), dtype=np.float32) - 0.5) / dimensions) for _ in range(2))
    w_squares, c_squares = np.ones_like(w), np.ones_like(c)
    logs, weights = np.log(counts.values), np.minimum(counts.values / X_MAX, 1) ** 0.75
    for i, j, log, weight in zip(counts.rows, counts.columns, logs, weights, strict=True):
        error = w[i, :-1] @ c[j, :-1] + w[i, -1] + c[j, -1] - log
        slope = np.float32(ETA * weight * error)
        w_step, c_step = slope * c[j], slope * w[i]
        w_step[-1] = c_step[-1] = slope
        w[i] -= w_step / np.sqrt(w_squares[i])
        c[j] -= c_step / np.sqrt(c_squares[j])
        w_squares[i] += w_step**2
        c_squares[j] += c_step**2
    return (w + c)[:, :dimensions]


def seconds(run: Any) -> tuple[float, Any]:
    start = time.process_time()
    result = run()
    return time.process_time() - start, result


def speed(tokens: int, dimensions: int, pairs: int) -> None:
    text = made_text(tokens)
    n = len(text.words)
    cooccurrences(made_text(2_000, 50), WINDOW)  # compiled now, not on the clock
    few = Text(text.words, text.tokens[: text.starts[100]], text.starts[:101], text.parts)
    slow, found = seconds(lambda: plain_counts(few))
    counting, matrix = seconds(lambda: cooccurrences(text, WINDOW))
    assert np.isclose(found.sum(), cooccurrences(few, WINDOW).values.sum())
    ratio = slow / few.starts[-1] / (counting / len(text.tokens))
    print("| | plain loop | ours | ratio |\n|---|---|---|---|")
    print(
        f"| counting, µs a token | {1e6 * slow / few.starts[-1]:.1f} | {1e6 * counting / len(text.tokens):.2f} | ",
        end="",
    )
    print(f"{ratio:.0f}× |")
    counts = matrix.shuffled(np.random.default_rng(0))
    part = Counts(counts.rows[:pairs], counts.columns[:pairs], counts.values[:pairs])
    train_glove(Counts(*(x[:10] for x in vars(part).values())), n, dimensions, 1, X_MAX, np.random.default_rng(0))
    slow, theirs = seconds(lambda: plain_steps(part, n, dimensions, np.random.default_rng(1)))
    _, (ours, _) = seconds(lambda: train_glove(part, n, dimensions, 1, X_MAX, np.random.default_rng(1)))
    assert np.allclose(ours, theirs, atol=1e-4)
    epoch, _ = seconds(lambda: train_glove(counts, n, dimensions, 2, X_MAX, np.random.default_rng(1)))
    slow, fast = slow / pairs, epoch / 2 / len(counts.rows)
    print(f"| a step, µs a pair | {1e6 * slow:.1f} | {1e6 * fast:.2f} | {slow / fast:.0f}× |")


def null(trainings: int) -> None:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests/helpers"))
    from planted_sentences import FIRST, FIRST_NEAR, SECOND, SECOND_NEAR, planted_sentences

    for method, epochs in (("glove", 20), ("word2vec", 10)):
        found = []
        for seed in range(trainings):
            text = planted_sentences(2_000, seed=seed, shuffle=True)
            vectors = aslant.train(text, method=method, epochs=epochs, dimensions=30, rng=seed).vectors
            test = {"targets": (FIRST, SECOND), "attributes": (FIRST_NEAR, SECOND_NEAR)}
            r = aslant.weat(vectors, **test, bootstrap=0, chance=200)
            found.append((r.pvalue <= 0.05, r.chance.pvalue <= 0.05, r.pvalue <= 0.05 and r.chance.pvalue <= 0.05))
        test, chance, both = np.mean(found, axis=0)
        print(
            f"{method}, {trainings} shuffled texts: p ≤ .05 in {test:.0%}, beyond chance {chance:.0%}, both {both:.0%}"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokens", type=int, default=200_000)
    parser.add_argument("--dimensions", type=int, default=100)
    parser.add_argument("--pairs", type=int, default=20_000, help="pairs that the plain loop takes steps for")
    parser.add_argument("--null", type=int, default=0, help="trainings on shuffled text")
    given = parser.parse_args()
    speed(given.tokens, given.dimensions, given.pairs)
    if given.null:
        null(given.null)
