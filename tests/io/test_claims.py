"""A claim keeps others from a piece of work, and ends with the process that has it, however it ends."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from aslant.io import claims as module
from aslant.io.claims import Claims

HOLDS = """
import sys, time
from pathlib import Path
from aslant.io.claims import Claims
print(Claims(Path(sys.argv[1])).take(sys.argv[2]), flush=True)
time.sleep(60)
"""


def holder(path: Path, name: str) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", HOLDS, str(path), name], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "True\n"
    return process


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_claim_of_another_process_holds_until_that_is_killed(tmp_path: Path, number: signal.Signals) -> None:
    claims = Claims(tmp_path / "claims")
    with holder(claims.path, "one") as process:
        assert not claims.take("one")
        assert claims.take("two")
        process.send_signal(number)
        process.wait()
        assert claims.take("one")
    assert claims.path.stat().st_size == 0


def test_threads_of_one_process_keep_each_other_out(tmp_path: Path) -> None:
    got = []

    def take() -> None:
        got.append(Claims(tmp_path / "claims").take("one"))

    threads = [threading.Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got) == [False] * 7 + [True]


def test_only_who_has_a_claim_lets_go_of_it(tmp_path: Path) -> None:
    mine, other = Claims(tmp_path / "claims"), Claims(tmp_path / "claims")
    assert mine.take("one")
    other.drop("one")
    assert not other.take("one")
    mine.drop("one")
    assert other.take("one")


def test_a_disk_without_locks_is_noticed_and_does_not_stop_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(file: int, place: int) -> bool:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(module, "_lock", refuse)
    claims = Claims(tmp_path / "claims")
    assert claims.take("one")
    assert not claims.works
    claims.drop("one")
