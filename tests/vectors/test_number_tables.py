"""The compiled reader of numbers gives what Python's float gives, and refuses what is not a plain table."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aslant.vectors.formats.number_tables import read_table

DIGITS = st.text("0123456789", max_size=30)
WRITTEN = st.builds(
    lambda sign, whole, rest, power: f"{sign}{whole}{rest}{power}",
    st.sampled_from(["", "-", "+"]),
    DIGITS.filter(bool),
    st.one_of(st.just(""), DIGITS.map(lambda d: f".{d}")),
    st.one_of(st.just(""), st.integers(-400, 400).map(lambda n: f"e{n}"), st.just("E+3")),
)
FLOATS = st.floats(allow_nan=False, allow_infinity=False).map(repr)
#: Close to the middle between two float32: 16777217, and half a unit in the last place of others.
MIDDLES = st.integers(2**24, 2**25).map(lambda n: repr((n + 0.5) * 2.0**-24))


@settings(deadline=None, max_examples=400)
@given(st.lists(st.one_of(WRITTEN, FLOATS, MIDDLES), min_size=1, max_size=8))
def test_every_number_is_python_s_float_as_float32(written: list[str]) -> None:
    found = read_table(f"word {' '.join(written)}\n".encode(), len(written), b" ")
    assert found is not None
    with np.errstate(over="ignore", under="ignore"):
        expected = np.array([float(text) for text in written]).astype(np.float32)
    assert found[0] == ["word"]
    np.testing.assert_array_equal(found[1][0], expected)
    assert (np.signbit(found[1][0]) == np.signbit(expected)).all()


@pytest.mark.parametrize(
    "line",
    [
        "a 1", "a 1 2 3", "a  1 2", " 1 2", "a 1 2 ", "a 1,5 2", "a nan 1", "a inf 1", "a 1e 2", "a 1e+ 2", "a . 1",
        "a - 1", "a 1.2.3 4", "a 0x1 2", "a 1_0 2", "a 1 2\r\r", "", "a", "a ", "a 1 2\n\nb 1 2", "a 1\n2 b 1 2",
    ],
)  # fmt: skip
def test_what_is_not_a_plain_table_is_left_to_the_slow_reader(line: str) -> None:
    for ending in ("\n", ""):
        assert read_table(f"{line}{ending}".encode(), 2, b" ") is None or not line


def test_bytes_that_are_not_utf_8_are_left_to_the_slow_reader() -> None:
    assert read_table(b"\xff 1 2\n", 2, b" ") is None


def test_line_ends_and_separators_of_either_system_are_read() -> None:
    expected = [[1, 2], [3, 4]]
    for data, separator, trailing in (
        (b"a 1 2\r\nb 3 4\r\n", b" ", False),
        (b"a\t1\t2\nb\t3\t4", b"\t", False),
        (b"a 1 2 \nb 3 4 \n", b" ", True),
        (b"a 1 2 \r\nb 3 4 ", b" ", True),
    ):
        found = read_table(data, 2, separator, trailing=trailing)
        assert found is not None
        assert found[0] == ["a", "b"]
        assert found[1].tolist() == expected
