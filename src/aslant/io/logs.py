"""Messages for machines: `logging` under the package's name, and lines of JSON with time, run, model, step, seconds.

Nothing is shown unless a program adds a handler, or the command line is told to (`--log`).
"""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from aslant.errors import AslantError

#: The logger of the package; a program that uses it sets the level and adds handlers.
logger = logging.getLogger("aslant")
logger.addHandler(logging.NullHandler())
#: What a line of JSON says besides its message, in this order, where it is known.
FIELDS = ("run", "model", "step", "state", "seconds", "done", "total")
#: Seconds between two lines on the progress of one step.
EVERY = 10.0
_about: ContextVar[dict[str, Any] | None] = ContextVar("log_about", default=None)


@contextmanager
def about(**fields: Any) -> Iterator[None]:
    """Add these fields to every message inside the block.

    >>> with about(model="ours"):
    ...     told("measured", step="weat", seconds=0.2)
    """
    token = _about.set({**(_about.get() or {}), **fields})
    try:
        yield
    finally:
        _about.reset(token)


def told(message: str, level: int = logging.INFO, **fields: Any) -> None:
    """Log a message with its fields; quick where nobody listens."""
    if logger.isEnabledFor(level):
        logger.log(level, message, extra={"aslant": {**(_about.get() or {}), **fields}})


class JsonLines(logging.Formatter):
    """One object a line.

    >>> record = logging.makeLogRecord({"msg": "measured", "levelname": "INFO", "aslant": {"step": "weat"}})
    >>> json.loads(JsonLines().format(record))["step"]
    'weat'
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the line; whatever is in a name stays within it."""
        fields = getattr(record, "aslant", {})
        when = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = {"time": when, "level": record.levelname.lower(), "message": record.getMessage()}
        return json.dumps(line | {name: fields[name] for name in FIELDS if name in fields})


class TextLines(logging.Formatter):
    """One line for people who read logs.

    >>> record = logging.makeLogRecord({"msg": "measured", "aslant": {"step": "weat", "seconds": 0.2}, "created": 0.0})
    >>> TextLines().format(record)
    '1970-01-01T00:00:00+00:00 measured step=weat seconds=0.2'
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        fields = getattr(record, "aslant", {})
        when = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="seconds")
        said = " ".join(f"{name}={_word(fields[name])}" for name in FIELDS if name in fields)
        return f"{when} {record.getMessage()} {said}".rstrip()


def _word(value: Any) -> str:
    text = str(value)
    return json.dumps(text) if not text.isprintable() or " " in text or '"' in text else text


def lines_wanted() -> bool:
    """Tell whether the command line was told to write lines for machines."""
    return any(isinstance(handler.formatter, JsonLines | TextLines) for handler in logger.handlers)


@contextmanager
def logging_to_stderr(kind: str | None) -> Iterator[None]:
    """Write messages to standard error while the block lasts, as "json" or "text"; None: nothing."""
    if kind is None:
        yield
        return
    if kind not in ("json", "text"):
        raise AslantError(f"--log '{kind:.20}' is not a log format; give json or text.")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if kind == "json" else TextLines())
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    except AslantError as error:
        for label, why in getattr(error, "missing_models", {}).items():
            told(f"missing: {why}", logging.ERROR, model=label)
        told(str(error), logging.ERROR)
        error.logged = True
        raise
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


def progress_lines() -> Callable[[str, int, int], None]:
    """Return what logs progress as lines: the first and the last word on a step, and one every ten seconds between."""
    last: dict[str, float] = {}

    def show(step: str, done: int, total: int) -> None:
        now = time.monotonic()
        if step not in last or done == total or now - last[step] >= EVERY:
            last[step] = now
            told("progress", step=step, done=done, total=total)

    return show
