"""Work in a child that is a copy of this process."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def in_a_process(job: Callable[[], Any], seconds: float, *, silent: bool = True) -> Any:
    """Return what `job` returns in a child that is a copy of this process; None if it ends badly or never."""
    with tempfile.TemporaryDirectory(prefix="aslant-mutants-") as folder:
        answer = Path(folder, "answer")
        sys.stdout.flush()
        child = os.fork()
        if not child:
            os.setsid()
            sink = os.open(os.devnull, os.O_RDWR)
            for stream in range(3 if silent else 0):
                os.dup2(sink, stream)
            os.environ["TMPDIR"] = tempfile.tempdir = folder
            with contextlib.suppress(BaseException):
                answer.write_text(json.dumps(job()), encoding="utf-8")
            os._exit(0)
        end, ended = time.monotonic() + seconds, 0
        try:
            while not (ended := os.waitpid(child, os.WNOHANG)[0]) and time.monotonic() < end:
                time.sleep(0.01)
        finally:
            if not ended:  # it takes too long, or the user has had enough
                os.killpg(child, signal.SIGKILL)
                os.waitpid(child, 0)
        return json.loads(answer.read_text(encoding="utf-8")) if answer.exists() else None
