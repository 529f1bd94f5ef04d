"""Small files are read whole, and what is wrong with them is one sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from aslant.errors import AslantError
from aslant.io.memory_maps import row_sums
from aslant.io.reading import parse_json, parse_toml, read_bytes, read_text


def test_a_file_that_is_absent_or_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AslantError, match=r"^cannot open '/no/such/file': No such file or directory\.$"):
        read_bytes(Path("/no/such/file"))
    (tmp_path / "a.txt").write_bytes(b"\xff")
    with pytest.raises(AslantError, match=r"a\.txt' is not UTF-8 text; save it as such"):
        read_text(tmp_path / "a.txt")


def test_toml_has_no_endless_keys_and_json_only_finite_numbers() -> None:
    assert parse_toml("a = [1, 2]") == {"a": [1, 2]}
    with pytest.raises(ValueError, match=r"^it has a key of over 50 parts$"):
        parse_toml(".".join("a" * 1000) + " = 1")
    assert parse_json('{"a": 0.5}') == {"a": 0.5}
    with pytest.raises(ValueError, match=r"^it holds 1e999, which is not a finite number$"):
        parse_json("[1e999]")


def test_rows_that_differ_have_other_sums() -> None:
    one, same, other = row_sums(np.array([[1, 2], [1, 2], [2, 1]], dtype=np.float32))
    assert one == same != other
