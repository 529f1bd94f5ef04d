"""The inner loop of fastText: hash every character n-gram of a word and average its rows (compiled)."""

from __future__ import annotations

from typing import Any

import numpy as np

from aslant.statistics.compiled import compiled


@compiled
def _hash_on(value: Any, data: Any, start: int, end: int) -> Any:
    # FNV-1a as fastText has it: bytes are sign-extended before the exclusive or (Dictionary::hash).
    for position in range(start, end):
        value = np.uint32(value ^ np.uint32(np.int8(data[position])))
        value = np.uint32(value * np.uint32(16777619))
    return value


@compiled
def mean_rows(
    data: Any, ends: Any, whole: Any, rows: Any, first_row: int, nwords: int, bucket: int, minn: int, maxn: int
) -> Any:
    """Return the mean row of each word and how many rows went into it (Dictionary::computeSubwords)."""
    dimensions = rows.shape[1]
    total = np.zeros((len(ends), dimensions), np.float32)
    counts = np.zeros(len(ends), np.int64)
    begin = 0
    for word in range(len(ends)):
        end = ends[word]
        if first_row >= 0:
            total[word] += rows[first_row + word]
            counts[word] += 1
        if whole[word] and maxn > 0 and bucket > 0:
            for i in range(begin, end):
                if (data[i] & 0xC0) == 0x80:
                    continue
                j = i
                n = 1
                value = np.uint32(2166136261)
                while j < end and n <= maxn:
                    last = j
                    j += 1
                    while j < end and (data[j] & 0xC0) == 0x80:
                        j += 1
                    value = _hash_on(value, data, last, j)  # a longer n-gram continues the shorter one
                    if n >= minn and not (n == 1 and (i == begin or j == end)):
                        row = nwords + value % np.uint32(bucket)
                        for d in range(dimensions):
                            total[word, d] += rows[row, d]
                        counts[word] += 1
                    n += 1
        if counts[word] > 0:
            for d in range(dimensions):
                total[word, d] /= counts[word]
        begin = end
    return total, counts
