"""GloVe and GN-GloVe: counts, losses and steps against slow, obvious versions; what planted text must give."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import aslant
from aslant.training import glove
from aslant.training.glove import APART, ETA, EVEN, Counts, Sides, cooccurrences, train_glove
from aslant.training.texts import Text, read_texts
from planted_sentences import FILLER, FIRST, PAIRS, SECOND, planted_sentences

X_MAX, D = 4.0, 6


def text_of(sentences: list[str]) -> Text:
    return read_texts(aslant.load_corpus(sentences, items="texts"), None).periods["all"].frequent(1)[2]


@pytest.fixture(scope="module")
def text() -> Text:
    return text_of(planted_sentences(30))


def slow_counts(text: Text, window: int) -> Any:
    found = np.zeros((len(text.words), len(text.words)))
    for start, end in itertools.pairwise(text.starts.tolist()):
        for a, b in itertools.permutations(range(start, end), 2):
            if abs(a - b) <= window:
                found[text.tokens[a], text.tokens[b]] += 1 / abs(a - b)
    return found


def pair_loss(w: Any, c: Any, i: int, j: int, x: float, sides: Sides | None, direction: Any) -> float:
    """The loss of one pair as the papers have it, in double precision."""
    error = w[i, :D] @ c[j, :D] + w[i, D] + c[j, D] - np.log(x)
    loss = 0.5 * min(x / X_MAX, 1) ** 0.75 * error**2
    if sides is not None:
        for vector, side in ((w[i], sides.of_words[i]), (c[j], sides.of_words[j])):
            loss += EVEN * (direction @ vector[: D - 1]) ** 2 if side == 0 else APART * (side - vector[D - 1]) ** 2
    return float(loss)


def slow_training(counts: Counts, n: int, epochs: int, seed: int, sides: Sides | None) -> tuple[Any, list[float]]:
    """One AdaGrad step after the other; gradients by central differences of the loss."""
    random = np.random.default_rng(seed)
    w, c = (((random.random((n, D + 1), dtype=np.float32) - 0.5) / D).astype(np.float64) for _ in range(2))
    if sides is not None:
        for half in (w, c):
            half[sides.of_words != 0, D - 1] = sides.of_words[sides.of_words != 0]
    squares, losses, direction = [np.ones_like(w), np.ones_like(c)], [], None
    for _ in range(epochs):
        if sides is not None:
            direction = np.mean([(w + c)[b] - (w + c)[a] for a, b in sides.pairs], axis=0)[: D - 1] / 2
        total = 0.0
        for i, j, x in zip(counts.rows, counts.columns, counts.values, strict=True):
            total += pair_loss(w, c, i, j, x, sides, direction)
            steps = []
            for half, row in ((w, i), (c, j)):
                gradient = np.empty(D + 1)
                for b in range(D + 1):
                    kept, sums = half[row, b], []
                    for h in (1e-4, -1e-4):
                        half[row, b] = kept + h
                        sums.append(pair_loss(w, c, i, j, x, sides, direction))
                    half[row, b] = kept
                    gradient[b] = (sums[0] - sums[1]) / 2e-4
                steps.append(ETA * gradient)
            for half, row, step, square in zip((w, c), (i, j), steps, squares, strict=True):
                half[row] -= step / np.sqrt(square[row])
                square[row] += step**2
                if sides is not None:
                    half[row, D - 1] = np.clip(half[row, D - 1], -1, 1)
        losses.append(total / len(counts.rows))
    return (w + c)[:, :D], losses


@pytest.mark.parametrize("window", [1, 3, 20])
def test_counts_are_those_of_a_loop_over_all_pairs(text: Text, window: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(glove, "BLOCK", 50)  # several blocks
    found = cooccurrences(text, window)
    dense = np.zeros((len(text.words),) * 2)
    np.add.at(dense, (found.rows, found.columns), found.values)
    assert len(found.rows) == np.count_nonzero(dense)  # no cell twice
    assert np.allclose(dense, slow_counts(text, window))


@pytest.mark.parametrize("neutral", [False, True])
def test_training_takes_the_steps_that_the_losses_of_the_papers_give(neutral: bool) -> None:
    text = text_of(["she met a kind man", "he saw a girl", "a boy and she slept", "the man met her", "he woke"])
    n, rows = len(text.words), {word: row for row, word in enumerate(text.words)}
    sides = None
    if neutral:
        of_words = np.zeros(n, dtype=np.int8)
        of_words[[rows["she"], rows["girl"]]] = -1
        of_words[[rows["he"], rows["boy"]]] = 1
        sides = Sides(of_words, np.array([[rows["she"], rows["he"]], [rows["girl"], rows["boy"]]]))
    counts = cooccurrences(text, 3).shuffled(np.random.default_rng(1))
    ours, losses = train_glove(counts, n, D, 3, X_MAX, np.random.default_rng(7), sides)
    slow, slow_losses = slow_training(counts, n, 3, 7, sides)
    assert np.allclose(ours, slow, atol=2e-5)
    assert losses == pytest.approx(slow_losses, rel=1e-4)
    assert losses[2] < losses[0]


def test_the_reserved_dimension_separates_the_pairs_and_takes_gender_out_of_the_others() -> None:
    text = text_of(planted_sentences(2_000, gendered=True))
    rows = {word: row for row, word in enumerate(text.words)}
    first, second = ([rows[pair[side]] for pair in PAIRS] for side in (0, 1))
    of_words = np.zeros(len(text.words), dtype=np.int8)
    of_words[first], of_words[second] = -1, 1
    counts = cooccurrences(text, 10).shuffled(np.random.default_rng(0))
    arguments = (counts, len(text.words), 30, 40, 10.0)
    plain, _ = train_glove(*arguments, np.random.default_rng(0))
    neutral, _ = train_glove(*arguments, np.random.default_rng(0), Sides(of_words, np.array([first, second]).T))
    reserved = neutral[:, -1]
    assert reserved[first].max() < -1.5
    assert reserved[second].min() > 1.5
    filler = reserved[[rows[word] for word in FILLER if word in rows]]
    assert filler.std() < 0.25 * (reserved[second].mean() - reserved[first].mean())
    assert abs(filler.mean()) < 0.5

    def leans(vectors: Any) -> float:
        direction = (vectors[second] - vectors[first]).mean(axis=0)
        chosen = vectors[[rows[word] for word in FIRST + SECOND]]
        cosines = chosen @ direction / np.linalg.norm(chosen, axis=1) / np.linalg.norm(direction)
        return float(np.abs(cosines).mean())

    assert leans(neutral[:, :-1]) < 0.25 * leans(plain)  # what the text planted is gone from the other dimensions
