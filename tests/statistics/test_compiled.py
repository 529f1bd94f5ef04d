"""Machine code is kept on disk where that is possible, and compiled anew where it is not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROGRAM = """
import resource, sys
from aslant.statistics.compiled import compiled
from doubling import double
if sys.argv[1:]:
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
print(compiled(double)(21))
"""


@pytest.fixture
def double(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    (tmp_path / "doubling.py").write_text("def double(x):\n    return 2 * x\n")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kept"))

    def call(*limit: str) -> list[Path]:
        command = [sys.executable, "-c", PROGRAM, *limit]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.stdout, done.stderr) == ("42\n", "")
        return sorted(path for path in tmp_path.glob("kept/**/*") if path.is_file())

    return call


def test_a_full_disk_or_damage_does_no_harm(double: Any) -> None:
    pytest.importorskip("resource", reason="limits to files are Unix's")
    assert double("100") == [], "nothing fits, and nothing half-written is left"
    kept = double()
    assert len(kept) == 2
    for path in kept:
        path.write_bytes(path.read_bytes()[:50])
    assert double() == kept
    assert all(path.stat().st_size > 50 for path in kept), "they are written anew"
