"""A worker process: `python -m aslant.parallel.process_worker` answers tasks on standard input, one by one, to the end.

Messages are a length and a pickle, between a process and the one that started it. What libraries print goes to standard
error. Ctrl-C is for the process that started it, whose end ends this one too, at once: no more input comes.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import struct
import sys
import threading
import traceback
import warnings
from typing import IO, Any

from aslant.parallel.worker import Kept, run

_LENGTH = struct.Struct("<Q")
_mapped = Kept()


def send(stream: IO[bytes], message: bytes) -> None:
    """Write a message, its length first."""
    stream.write(_LENGTH.pack(len(message)))
    stream.write(message)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes:
    """Return the next message; an `EOFError` where the other side has ended.

    >>> import io
    >>> channel = io.BytesIO()
    >>> send(channel, b"hello")
    >>> _ = channel.seek(0)
    >>> receive(channel)
    b'hello'
    """
    (length,) = _LENGTH.unpack(_exactly(stream, _LENGTH.size))
    return _exactly(stream, length)


def _exactly(stream: IO[bytes], size: int) -> bytes:
    found = stream.read(size)
    if len(found) < size:
        raise EOFError
    return found


def answer(call: tuple[Any, ...]) -> tuple[bool, Any]:
    """Run a task (function, file of what is shared or None, item, versions); return whether it went well, and what.

    >>> import operator
    >>> from aslant.parallel.worker import software
    >>> answer((operator.eq, None, 0, software())), answer((operator.add, None, 0, software()))[0]
    ((True, False), False)
    """
    task, path, item, expected = call
    try:
        return True, run(task, None if path is None else _mapped.get(path, lambda: _map(path)), item, expected)
    except Exception as error:
        error.add_note(f"in a worker process:\n{traceback.format_exc()}")
        return False, error


def _map(path: str) -> Any:
    import joblib

    return joblib.load(path, mmap_mode="r")  # a file of ours, in a folder that nobody else can write to


def _packed(found: tuple[bool, Any]) -> bytes:
    try:
        return pickle.dumps(found, protocol=pickle.HIGHEST_PROTOCOL)
    except Exception as problem:  # an answer or an error that cannot be sent
        return pickle.dumps((False, TypeError(f"{found[1]!r:.200} cannot be sent back: {problem}")))


def main() -> None:
    """Answer until there is no more input; then end at once, in the middle of a task too."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.filterwarnings("ignore", message="Number of distinct clusters")  # of k-means: an error where it matters
    with os.fdopen(os.dup(0), "rb") as coming, os.fdopen(os.dup(1), "wb") as going:
        os.dup2(2, 1)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        messages: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=_listen, args=(coming, messages), daemon=True).start()
        sys.path[:] = pickle.loads(messages.get())
        while True:
            found = _packed(answer(pickle.loads(messages.get())))
            try:
                send(going, found)
            except BrokenPipeError:
                os._exit(0)


def _listen(coming: IO[bytes], messages: queue.SimpleQueue[bytes]) -> None:
    try:
        while True:
            messages.put(receive(coming))
    except EOFError:
        os._exit(0)  # nobody is there any more


if __name__ == "__main__":
    main()
