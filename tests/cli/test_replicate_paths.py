"""A path that is given for data must be there: a typing error is not taken for data that are not at hand."""

from __future__ import annotations

from collections.abc import Callable
from subprocess import CompletedProcess


def test_a_path_that_is_not_there_is_refused(run: Callable[..., CompletedProcess[str]]) -> None:
    answer = run("replicate", "lu", "--data", "glove-6b-100d=/no/such/file.txt")
    assert answer.returncode == 2
    assert "there is no file or folder '/no/such/file.txt' for --data glove-6b-100d" in answer.stderr
