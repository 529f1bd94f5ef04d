"""What functions of `aslant.statistics` give on small inputs stays as it is (see `kept.py`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from kept import compare
from kept_statistics import every


@pytest.mark.parametrize("name", every())
def test_numbers_are_those_that_were_kept(name: str) -> None:
    compare(Path(__file__).with_name("kept_numbers.json"), name, every()[name]())
