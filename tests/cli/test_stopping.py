"""A command that is told to stop, by whatever signal, cleans up, says how to go on, and ends with the signal's code."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from aslant.auditing import running
from aslant.auditing.running import STEPS
from aslant.io.keeper import FILE

ASKED = ("audit", "--quick", "--only", "polarity,geometry", "--run-folder", "run", "-q")


@pytest.fixture(autouse=True)
def listening() -> Iterator[None]:
    """Listen to the signals, which a process in the background or under nohup is started without."""
    usual: dict[signal.Signals, Any] = dict.fromkeys((signal.SIGTERM, signal.SIGHUP), signal.SIG_DFL)
    usual[signal.SIGINT] = signal.default_int_handler
    before = {number: signal.signal(number, listener) for number, listener in usual.items()}
    yield
    for number, listener in before.items():
        signal.signal(number, listener)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_a_run_that_then_goes_on(
    number: signal.Signals, run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def signalled(work: Any) -> Any:
        os.kill(os.getpid(), number)
        time.sleep(60)

    with monkeypatch.context() as patch:
        patch.setattr(
            running, "STEPS", tuple(replace(s, run=cast("Any", signalled)) if s.id == "geometry" else s for s in STEPS)
        )
        answer = run(*ASKED)
    assert answer.returncode == 128 + number
    assert answer.stderr.startswith("aslant: stopped; what is finished is kept. To resume: aslant audit --resume ")
    assert [path.name for path in (tmp_path / "run" / "model-1").iterdir()] == [FILE]
    assert signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler)
    assert run("audit", "--resume", "run", "-q").returncode == 0


def test_a_signal_while_a_file_is_written_leaves_nothing_of_it(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "w.json").write_text("old")
    monkeypatch.setattr("pathlib.Path.replace", lambda *_: os.kill(os.getpid(), signal.SIGTERM))
    answer = run("weat", "--test", "weat-6", "--json", "w.json", "-q")
    assert (answer.returncode, answer.stderr) == (143, "")
    assert [path.name for path in tmp_path.iterdir()] == ["w.json"]
    assert (tmp_path / "w.json").read_text() == "old"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_that_a_library_makes_another_error_of_is_no_traceback(
    number: signal.Signals, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def importing(*_: Any, **__: Any) -> None:
        try:
            os.kill(os.getpid(), number)
            time.sleep(60)
        except KeyboardInterrupt:
            raise ImportError("initialization failed") from None  # as extensions do that are loaded meanwhile

    monkeypatch.setattr("aslant.cli.shared.Reading.open", importing)
    answer = run("weat")
    assert (answer.returncode, answer.stderr) == (128 + number, "")


def test_a_signal_that_is_ignored_stays_ignored(run: Any, tmp_path: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as under nohup
    try:
        assert run("words", "list").returncode == 0
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_what_a_model_warns_of_is_a_note(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import warnings

    from fake_lm import FakeMaskedLM

    lm = FakeMaskedLM()
    scores = lm.masked_scores

    def scoring(*given: Any, **options: Any) -> Any:
        warnings.warn("no journal is kept", stacklevel=1)
        return scores(*given, **options)

    monkeypatch.setattr(lm, "masked_scores", scoring)
    monkeypatch.setattr("aslant.models.loading.load_lm", lambda *_, **__: lm)
    for command in (("logprob", "m", "--attributes", "nurse,"), ("logprob", "suite", "m", "--test", "career-family")):
        answer = run(*command)
        assert answer.returncode == 0
        assert set(answer.stderr.splitlines()) == {"note: no journal is kept"}
