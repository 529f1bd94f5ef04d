"""The command line: parse, call, print. One file per command; heavy libraries load when a command runs."""

from __future__ import annotations

import errno
import gc
import io
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

from aslant.cli.exit_codes import BAD_INPUT, FAILED, LOST
from aslant.errors import AslantError, DiskError, LostWorkersError

#: What typer returns when Ctrl-C has ended a command.
STOPPED = 130
#: Ctrl-C, what schedulers send, and what a closed terminal sends; the last two end a process that does not listen.
LISTENED = ("SIGINT", "SIGTERM", "SIGHUP")
_received: list[int] = []
#: Objects made before Python looks for garbage; by default 700, which suits programs that throw away what they make. At
#: the start, nearly all that is made are modules and classes, and looking through them took a twentieth of the time.
GARBAGE_THRESHOLD = 50_000


def main() -> None:
    """Run `aslant`; what the user can fix is one sentence and exit code 2, what is ours a traceback and 3."""
    gc.set_threshold(GARBAGE_THRESHOLD)
    if sys.stdout is sys.__stdout__ and isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout = _patient(sys.stdout)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # words of any language must print in any locale
            stream.reconfigure(errors="backslashreplace")
    with stoppable():
        try:
            code = _run()
        except KeyboardInterrupt:  # before typer was there to see it
            code = STOPPED
        except Exception:
            code = STOPPED
            if not _received:  # some libraries turn a signal into another error, such as a failed import
                import traceback

                traceback.print_exc()
                code = FAILED
    if code == STOPPED:
        sys.exit(128 + (_received[-1] if _received else signal.SIGINT))  # what shells use: 130 for Ctrl-C
    if isinstance(code, int) and code:
        sys.exit(code)


class _Patient(io.FileIO):
    """Standard output whose reader may leave (`aslant weat | head`): the command still ends with its own exit code."""

    def write(self, content: Any, /) -> int:
        try:
            return super().write(content) or 0
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
            return len(content)


def _patient(stream: io.TextIOWrapper) -> io.TextIOWrapper:
    raw = io.BufferedWriter(_Patient(stream.fileno(), "w", closefd=False))
    return io.TextIOWrapper(raw, stream.encoding, stream.errors, line_buffering=stream.line_buffering)


def _run() -> Any:
    """Run the command and return its exit code, if it has one."""
    from aslant.cli.app import app

    try:
        return app(prog_name="aslant", standalone_mode=False)
    except AslantError as error:
        told = [*(f"{label}: {why}" for label, why in getattr(error, "missing_models", {}).items()), str(error)]
        for sentence in () if error.logged else told:
            _say(sentence)
        return LOST if isinstance(error, LostWorkersError) else FAILED if isinstance(error, DiskError) else BAD_INPUT
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        _say("there is no space left for the output.")
        return FAILED
    except Exception as error:
        if type(error).__name__ == "Abort":  # older versions of typer report Ctrl-C this way
            return STOPPED
        if type(error).__module__.partition(".")[0] in ("ray", "distributed"):
            _say(f"the cluster is lost ({type(error).__name__}: {' '.join(str(error).split())[:300]}).")
            return LOST
        if not hasattr(error, "format_message"):  # what typer says about bad arguments
            raise
        message = " ".join(str(error.format_message()).split())
        if type(error).__name__ != "NoArgsIsHelpError":
            where = getattr(getattr(error, "ctx", None), "command_path", "aslant")
            _say(f"{message[:1].lower()}{message[1:].rstrip('.')}; '{where} --help' shows what it takes.")
        elif message:  # a command without arguments shows its help instead
            error.show()  # type: ignore[attr-defined]
        return getattr(error, "exit_code", 2)


def _say(sentence: str) -> None:
    """Print one line on standard error in which no name or word can control the terminal."""
    from aslant.report.tables import plain

    print(f"aslant: {plain(sentence)}", file=sys.stderr)


@contextmanager
def stoppable() -> Iterator[None]:
    """Treat SIGTERM and SIGHUP like Ctrl-C, unless something else listens to them or ignores them (nohup)."""
    _received.clear()
    before = {}
    with suppress(ValueError):  # not the main thread, which alone may listen
        for number in (getattr(signal, name) for name in LISTENED if hasattr(signal, name)):
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                before[number] = signal.signal(number, _stop)
    try:
        yield
    finally:
        for number, listener in before.items():
            signal.signal(number, listener)


def _stop(number: int, frame: FrameType | None) -> None:
    _received.append(number)
    raise KeyboardInterrupt
