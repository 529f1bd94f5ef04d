"""Lines of a word and numbers, to arrays and back, about as fast as memory allows.

The reader is compiled by numba and lets go of the interpreter's lock, so that threads read several blocks at once.
Every number comes out as Python's `float` gives it, rounded to float32.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from aslant.statistics.compiled import compiled

if TYPE_CHECKING:
    from aslant.vectors.word_vectors import FloatMatrix

LINE_END, RETURN, POINT, MINUS, PLUS, ZERO, EXPONENT = b"\n\r.-+0e"
#: Up to these, powers of ten and mantissas are doubles exactly, and so one operation on them rounds as `float` does.
EXACT_POWER, EXACT_MANTISSA = 22, 2**53
POWERS = np.array([float(f"1e{power}") for power in range(61)])
#: Digits after this one do not matter but to numbers that Python reads anyway.
MOST_MANTISSA = 10**17
#: A double has 29 bits more than a float32; if they are close to this, rounding might go either way.
MORE_BITS, MIDDLE, CLOSE = 2**29 - 1, 2**28, 8
#: Beyond these, float32 overflows or has fewer digits.
LEAST, MOST = 1e-37, 3e38


def read_table(
    data: bytes, dimensions: int, separator: bytes, *, trailing: bool = False
) -> tuple[list[str], FloatMatrix] | None:
    """Return the words and numbers of whole lines, or None where they are not a plain table.

    Plain: a word, then `dimensions` decimal numbers, each after one `separator`; one more at the end if `trailing`.

    >>> read_table(b"the 0.5 -1e-2\\nof 2 3\\n", 2, b" ")
    (['the', 'of'], array([[ 0.5 , -0.01],
           [ 2.  ,  3.  ]], dtype=float32))
    >>> read_table(b"new york 0.5 1\\n", 2, b" ")
    """
    data = data if data.endswith(b"\n") else data + b"\n"
    lines = data.count(b"\n")
    matrix, words = np.empty((lines, dimensions), np.float32), np.empty(len(data), np.uint8)
    doubtful = np.empty((64 + len(data) // 10_000, 4), np.int64)
    read = compiled(_read, nogil=True)
    rows, length, doubts = read(np.frombuffer(data, np.uint8), separator[0], trailing, POWERS, matrix, words, doubtful)
    if rows < lines:
        return None
    with np.errstate(over="ignore", under="ignore"):
        for row, column, start, end in doubtful[:doubts]:
            matrix[row, column] = np.float32(float(data[start:end]))
    try:
        return words[:length].tobytes().decode("utf-8").split("\n")[:-1], matrix
    except UnicodeDecodeError:
        return None


def _read(
    data: NDArray[np.uint8],
    separator: int,
    trailing: bool,
    powers: NDArray[np.float64],
    matrix: FloatMatrix,
    words: NDArray[np.uint8],
    doubtful: NDArray[np.int64],
) -> tuple[int, int, int]:
    """Fill `matrix` with the numbers and `words` with the words, a line each; `data` end in a line end.

    Return how many lines were plain (it stops at the first that is not), how long the words are, and how many numbers
    are doubtful: their row, column, first place and the one after the last are for Python. It is one long function,
    because numba would have to be imported to compile several that call each other.
    """
    at, row, length, doubts, double = 0, 0, 0, 0, np.empty(1, np.float64)
    while at < len(data):
        if data[at] == separator:
            break
        while data[at] != separator and data[at] != LINE_END:
            words[length] = data[at]
            length, at = length + 1, at + 1
        words[length] = LINE_END
        length += 1
        for column in range(matrix.shape[1]):
            if data[at] != separator:
                return row, length, doubts
            first = at = at + 1
            if data[at] == MINUS or data[at] == PLUS:
                at += 1
            mantissa, power, digits, points = 0, 0, 0, 0
            while np.uint8(data[at] - ZERO) < 10 or (data[at] == POINT and points == 0):
                if data[at] == POINT:
                    points = 1
                else:
                    digits += 1
                    if mantissa < MOST_MANTISSA:
                        mantissa = 10 * mantissa + (data[at] - ZERO)
                        power -= points
                    else:
                        power += 1 - points
                at += 1
            if digits == 0:
                return row, length, doubts
            if data[at] | 32 == EXPONENT:
                at += 1
                sign = -1 if data[at] == MINUS else 1
                if data[at] == MINUS or data[at] == PLUS:
                    at += 1
                given, exponent = at, 0
                while np.uint8(data[at] - ZERO) < 10:
                    exponent, at = min(10 * exponent + (data[at] - ZERO), 100_000), at + 1
                if at == given:
                    return row, length, doubts
                power += sign * exponent
            size = min(abs(power), len(powers) - 1)
            double[0] = mantissa / powers[size] if power < 0 else mantissa * powers[size]
            matrix[row, column] = -double[0] if data[first] == MINUS else double[0]
            exact = size <= EXACT_POWER and mantissa <= EXACT_MANTISSA
            sure = exact or abs((double.view(np.int64)[0] & MORE_BITS) - MIDDLE) > CLOSE
            if mantissa != 0 and not (sure and size == abs(power) and LEAST < double[0] < MOST):
                if doubts == len(doubtful):
                    return row, length, doubts
                doubtful[doubts, 0], doubtful[doubts, 1] = row, column
                doubtful[doubts, 2], doubtful[doubts, 3] = first, at
                doubts += 1
        if trailing and data[at] == separator:
            at += 1
        elif trailing:
            break
        if data[at] == RETURN:
            at += 1
        if data[at] != LINE_END:
            break
        at, row = at + 1, row + 1
    return row, length, doubts


def write_table(words: list[bytes], rows: FloatMatrix) -> bytes:
    """Return lines of a word and its numbers, in as few digits as recover each float32 exactly.

    >>> write_table([b"the"], np.array([[0.1, -2.0]], np.float32))
    b'the 0.1 -2.0\\n'
    """
    import orjson

    numbers = orjson.dumps(np.ascontiguousarray(rows, dtype=np.float32), option=orjson.OPT_SERIALIZE_NUMPY)
    lines = numbers[2:-2].replace(b",", b" ").split(b"] [")
    return b"".join(b"%b %b\n" % entry for entry in zip(words, lines, strict=True))
