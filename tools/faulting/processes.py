"""The command line in processes of its own: started, stopped, and looked at afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).resolve().parents[2] / "src"


@dataclass(frozen=True)
class Ended:
    """How a process ended."""

    code: int
    out: str
    err: str
    seconds: float = 0.0

    def complaint(self, codes: tuple[int, ...]) -> str | None:
        """Say what must not be: a traceback, or another exit code than these."""
        if "Traceback (most recent call last)" in self.err:
            return f"a traceback: {self.err.strip().splitlines()[-1]}"
        if self.code not in codes:
            return f"exit code {self.code}: {self.err.strip()[-200:]}"
        return None


def start(
    *arguments: str,
    cache: Path,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    unset: Iterable[str] = (),
    before: Callable[[], None] | None = None,
    stdout: Any = subprocess.PIPE,
) -> subprocess.Popen[str]:
    """Start `aslant` in a process group of its own; `before` is called in the new process first."""
    paths = [str(SOURCE), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "ASLANT_CACHE": str(cache), **(env or {})}
    for name in unset:
        environment.pop(name, None)
    return subprocess.Popen(
        [sys.executable, "-m", "aslant", *arguments],
        cwd=cwd, env=environment, start_new_session=True, preexec_fn=before, text=True,
        stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE,
    )  # fmt: skip


def end(process: subprocess.Popen[str], after: float | None = None, number: int = signal.SIGKILL) -> Ended:
    """Wait for a process, or send it and its group a signal after so many seconds, unless it has ended by then."""
    begun = time.monotonic()
    try:
        out, err = process.communicate(timeout=after)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, number)
        begun = time.monotonic()
        out, err = process.communicate(timeout=600)
    return Ended(process.returncode, out or "", err, time.monotonic() - begun)


def group_is_gone(process: subprocess.Popen[str]) -> bool:
    """Tell whether nothing is left of the process and of what it has started."""
    try:
        os.killpg(process.pid, 0)
    except ProcessLookupError:
        return True
    return False


def leftovers(*folders: Path) -> list[str]:
    """Return the names of unfinished files."""
    return [path.name for folder in folders for path in folder.rglob("*.partial")]
