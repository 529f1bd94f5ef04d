"""A command that is told to stop, by Ctrl-C or a scheduler's SIGTERM, cleans up and says how to resume."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

#: Ctrl-C, what schedulers send, and what a closed terminal sends; the last two end a process that does not listen.
LISTENED = ("SIGINT", "SIGTERM", "SIGHUP")
_received: list[int] = []


@contextmanager
def stoppable() -> Iterator[None]:
    """Treat SIGTERM and SIGHUP like Ctrl-C, unless something else listens to them or ignores them (nohup)."""
    _received.clear()
    numbers = [getattr(signal, name) for name in LISTENED if hasattr(signal, name)]
    before = {}
    try:
        for number in numbers:
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                before[number] = signal.signal(number, _stop)
    except ValueError:  # not the main thread, which alone may listen
        pass
    try:
        yield
    finally:
        for number, listener in before.items():
            signal.signal(number, listener)


def stopped() -> bool:
    """Tell whether a signal was received: some libraries turn it into another error, such as a failed import.

    >>> stopped()
    False
    """
    return bool(_received)


def exit_code() -> int:
    """Return the exit code that shells use for the received signal: 130 for Ctrl-C, 143 for SIGTERM.

    >>> exit_code()
    130
    """
    return 128 + (_received[-1] if _received else signal.SIGINT)


def _stop(number: int, frame: FrameType | None) -> None:
    _received.append(number)
    raise KeyboardInterrupt
