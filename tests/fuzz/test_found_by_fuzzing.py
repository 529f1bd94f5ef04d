"""What `scripts/fuzz.py` has found: each fault with the smallest input that showed it."""

from __future__ import annotations

from slant.errors import LONGEST, SlantError, VectorsError


def test_a_message_is_one_line_of_limited_length_whatever_it_quotes() -> None:
    assert str(SlantError("no word 'a\x1b[2J\nb\ud800\u202e\u2028'.")) == r"no word 'a\x1b[2J\nb\ud800\u202e\u2028'."
    assert str(VectorsError("no word 'é 日本\xa0x'.")) == "no word 'é 日本\xa0x'."
    long = str(SlantError(f"there is no word '{'a' * 10**6}'; check it."))
    assert len(long) <= LONGEST
    assert len(str(SlantError(chr(1) * LONGEST))) <= LONGEST
    assert long.startswith("there is no word 'aaa")
    assert long.endswith("aaa'; check it.")
