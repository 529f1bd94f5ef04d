"""The compiled passes give what NumPy gives."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from aslant.statistics import subset_sums as sorted_lists


@pytest.fixture(params=["numpy", "compiled"])
def either_path(request: Any, monkeypatch: Any) -> Any:
    monkeypatch.setattr(sorted_lists, "COMPILED_FROM", {"numpy": 1 << 40, "compiled": 0}[request.param])


@pytest.mark.usefixtures("either_path")
@pytest.mark.parametrize(("n", "m"), [(1, 1), (1, 50), (50, 1), (40, 60), (3, 0)])
def test_merge_and_count_equal_the_obvious(n: Any, m: Any) -> None:
    rng = np.random.default_rng(n + m)
    first, second = (np.sort(rng.integers(-20, 20, size)) for size in (n, m))
    assert sorted_lists.merge(first, second, 7).tolist() == sorted([*first, *(second + 7)])
    for threshold in (-100, -5, 0, 3, 100):
        obvious = sum(int(a + b >= threshold) for a in first for b in second)
        assert sorted_lists.count_pairs(first, second, threshold) == obvious


@pytest.mark.parametrize("seed", range(40))
def test_the_uncompiled_passes_are_right_too(seed: int) -> None:
    random = np.random.default_rng(seed)
    first, second = (np.sort(random.integers(-5, 6, size)) for size in random.integers(1, 7, 2))
    merged = np.empty(len(first) + len(second), np.int64)
    sorted_lists._merge_into(first, second, 3, merged)
    assert merged.tolist() == sorted([*first, *(second + 3)])
    for threshold in range(-11, 13):
        obvious = sum(int(a + b >= threshold) for a in first for b in second)
        assert sorted_lists._count_pairs(first, second, threshold) == obvious


def test_importing_statistics_loads_neither_numba_nor_scipy() -> None:
    code = "import sys, aslant.statistics as s; s.partition_pvalue(range(16), range(16)); " + (
        "print([m for m in ('numba', 'scipy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
