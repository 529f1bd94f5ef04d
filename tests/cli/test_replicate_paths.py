"""A path that is given for data must be there: a typing error is not taken for data that are not at hand."""

from __future__ import annotations

from collections.abc import Callable
from subprocess import CompletedProcess

import pytest

from slant.errors import MeasureError
from slant.measures.template_stimuli import asked


def test_a_path_that_is_not_there_is_refused(run: Callable[..., CompletedProcess[str]]) -> None:
    answer = run("replicate", "lu", "--data", "glove-6b-100d=/no/such/file.txt")
    assert answer.returncode == 2
    assert "there is no file or folder '/no/such/file.txt' for --data glove-6b-100d" in answer.stderr


def test_a_template_without_its_slots_is_named() -> None:
    with pytest.raises(MeasureError, match=r"has no \[TARGET\] and \[ATTRIBUTE\]"):
        asked("no slots here", [["he"], ["she"]])
