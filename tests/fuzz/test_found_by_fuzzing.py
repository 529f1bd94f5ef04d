"""What `scripts/fuzz.py` has found: each fault with the smallest input that showed it."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

import slant
from slant.errors import LONGEST, SlantError, VectorsError


def test_a_message_is_one_line_of_limited_length_whatever_it_quotes() -> None:
    assert str(SlantError("no word 'a\x1b[2J\nb\ud800\u202e\u2028'.")) == r"no word 'a\x1b[2J\nb\ud800\u202e\u2028'."
    assert str(VectorsError("no word 'é 日本\xa0x'.")) == "no word 'é 日本\xa0x'."
    long = str(SlantError(f"there is no word '{'a' * 10**6}'; check it."))
    assert len(long) <= LONGEST
    assert len(str(SlantError(chr(1) * LONGEST))) <= LONGEST
    assert long.startswith("there is no word 'aaa")
    assert long.endswith("aaa'; check it.")


@pytest.mark.parametrize("start", [b"\x1f\x8b", b"x\x01", b"x\x9c", b"x\xda", b"\x28\xb5\x2f\xfd"])
def test_a_word_that_begins_like_packed_data_is_a_word(start: bytes, tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_bytes(b"2 2\n" + start + b"he 0.5 1\nshe 1 2\n")
    assert slant.load(tmp_path / "v.txt", cache=False).words == [f"{start.decode('utf-8', 'replace')}he", "she"]


def test_what_is_packed_inside_lines_of_text_is_not_unpacked(tmp_path: Path) -> None:
    packed = zlib.compress(b"he 0.5 1\nshe 1 2\n")
    (tmp_path / "v.txt").write_bytes(b"2 2\n" + packed + b" 1 2\nshe 1 2\n")
    words = slant.load(tmp_path / "v.txt", cache=False).words
    assert words[-1] == "she"
    assert "he" not in words
