"""What GloVe spends its time on: pairs of words within a window, and AdaGrad steps. Compiled by numba."""

from __future__ import annotations

from typing import Any

import numpy as np


def places_of(tokens: Any, heads: Any, places: Any) -> None:
    """Fill in where each word stands: those of word i from places[heads[i]] on; `heads` is changed."""
    for at in range(len(tokens)):
        places[heads[tokens[at]]] = at
        heads[tokens[at]] += 1


def count_near(
    tokens: Any, places: Any, heads: Any, sentences: Any, starts: Any, weights: Any, first: int, last: int, sums: Any,
    rows: Any, columns: Any, values: Any,
) -> int:  # fmt: skip
    """Count what stands near each of the words first … last − 1, weights[d] for a word d places away.

    `sentences` has the number of each token's sentence, `starts` the edges of sentences; `sums` (words,) is zero before
    and after. Fills in rows, columns and values of the cells that are not zero, and returns how many these are.
    """
    n, window = 0, len(weights) - 1
    for word in range(first, last):
        begun = n
        for k in range(heads[word], heads[word + 1]):
            at = places[k]
            s = sentences[at]
            for near in range(max(starts[s], at - window), min(starts[s + 1], at + window + 1)):
                if near == at:
                    continue
                other = tokens[near]
                if sums[other] == 0:
                    rows[n], columns[n] = word, other
                    n += 1
                sums[other] += weights[abs(near - at)]
        for k in range(begun, n):
            values[k] = sums[columns[k]]
            sums[columns[k]] = 0
    return n


def step_through(
    rows: Any, columns: Any, logs: Any, weights: Any, words: Any, contexts: Any, words_squares: Any,
    contexts_squares: Any, eta: float, sides: Any, direction: Any, apart: float, even: float,
) -> float:  # fmt: skip
    """Take one AdaGrad step for each pair, in the order given; return the sum of the pairs' losses before their steps.

    `words` and `contexts` (words, dimensions + 1) have a bias in their last column. The loss of a pair is
    ½ f(X) (w·c + b_w + b_c − log X)². GN-GloVe (Zhao et al. 2018) adds for both words of a pair: `apart` (side − g)²,
    where g is the reserved, last dimension of a word with a side (±1), and `even` (direction · a)², where a is all but
    that dimension of a neutral word (side 0); the reserved dimension stays within ±1. As in GloVe's own code,
    squares of steps are summed, starting at 1.
    """
    d = words.shape[1] - 1
    total = 0.0
    for k in range(len(rows)):
        i, j = rows[k], columns[k]
        w, c, w_squares, c_squares = words[i], contexts[j], words_squares[i], contexts_squares[j]
        product = w[d] + c[d] - logs[k]
        for b in range(d):
            product += w[b] * c[b]
        slope = weights[k] * product
        total += 0.5 * slope * product
        w_lean, c_lean, w_pull, c_pull = w[0] * 0, w[0] * 0, w[0] * 0, w[0] * 0
        if len(direction):
            if sides[i] == 0:
                for b in range(d - 1):
                    w_lean += direction[b] * w[b]
                total += even * w_lean * w_lean
                w_lean *= 2 * even
            else:
                w_pull = w[d - 1] - sides[i]
                total += apart * w_pull * w_pull
                w_pull *= 2 * apart
            if sides[j] == 0:
                for b in range(d - 1):
                    c_lean += direction[b] * c[b]
                total += even * c_lean * c_lean
                c_lean *= 2 * even
            else:
                c_pull = c[d - 1] - sides[j]
                total += apart * c_pull * c_pull
                c_pull *= 2 * apart
            for b in range(d):
                w_step, c_step = slope * c[b], slope * w[b]
                if b < d - 1:
                    w_step += w_lean * direction[b]
                    c_step += c_lean * direction[b]
                else:
                    w_step += w_pull
                    c_step += c_pull
                w_step, c_step = eta * w_step, eta * c_step
                w[b] -= w_step / np.sqrt(w_squares[b])
                c[b] -= c_step / np.sqrt(c_squares[b])
                w_squares[b] += w_step * w_step
                c_squares[b] += c_step * c_step
            w[d - 1] = min(max(w[d - 1], -1), 1)
            c[d - 1] = min(max(c[d - 1], -1), 1)
        else:
            slope_here = eta * slope
            for b in range(d):
                w_step, c_step = slope_here * c[b], slope_here * w[b]
                w[b] -= w_step / np.sqrt(w_squares[b])
                c[b] -= c_step / np.sqrt(c_squares[b])
                w_squares[b] += w_step * w_step
                c_squares[b] += c_step * c_step
        step = eta * slope
        w[d] -= step / np.sqrt(w_squares[d])
        c[d] -= step / np.sqrt(c_squares[d])
        w_squares[d] += step * step
        c_squares[d] += step * step
    return total
