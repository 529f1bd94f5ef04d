"""The folder of a run: each finished measure is written there at once, so that a run that was stopped goes on."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from slant.errors import SlantError
from slant.files import written_whole
from slant.reading import parse_json, read_text
from slant.results import AuditPart, MeasuredResult
from slant.results.codec import part_from_dict

#: Says what the results in the folder belong to.
IDENTITY = "run.json"
FORMAT = 1
#: Bytes of a step's results.
MAX_PART = 1 << 30


@dataclass(frozen=True)
class Finished:
    """What a step left behind: its part, and what it could not do, by name, and why."""

    part: AuditPart | None
    not_run: dict[str, str]


class RunFolder:
    """Finished steps of one audit in `folder`, each in a file that appears whole or not at all.

    `identity` names all that results depend on: the representation, the settings, the version. Results of another
    identity are refused, or, with `fresh_if_other`, thrown away. A step's file that is damaged, or was left by a run of
    another identity, counts as absent.

    >>> import tempfile
    >>> run = RunFolder(Path(tempfile.mkdtemp()) / "run", {"seed": 0})
    >>> run.keep("weat", Finished(None, {"weat-3": "too few words"}))
    >>> run.recall("weat").not_run, run.recall("polarity")
    ({'weat-3': 'too few words'}, None)
    >>> RunFolder(run.folder, {"seed": 1})
    Traceback (most recent call last):
    slant.errors.SlantError: the run in '...' was made with seed 0, not 1; give the same settings, or another folder.
    """

    def __init__(
        self, folder: str | PathLike[str], identity: Mapping[str, Any], *, fresh_if_other: bool = False
    ) -> None:
        self.folder = Path(folder)
        self.identity = json.loads(json.dumps({"format": FORMAT, **identity}, default=list))
        before = self._identity_there()
        if before is not None and before != self.identity:
            if not fresh_if_other:
                raise SlantError(self._difference(before))
            self.remove()
            before = None
        if before is None:
            self._make(may_hold_files=fresh_if_other)
            self._write(IDENTITY, self.identity)

    def recall(self, step: str) -> Finished | None:
        """Return what a step left behind, or None."""
        try:
            content = parse_json(read_text(self._path(step), most=MAX_PART))
            if content["run"] != self._mark():
                return None
            part = None if content["part"] is None else part_from_dict(AuditPart, content["part"])
            return Finished(part, {str(k): str(v) for k, v in content["not_run"].items()})
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, SlantError):
            return None

    def keep(self, step: str, finished: Finished) -> None:
        """Write what a step left behind, through to the disk, and drop what it kept while it was under way."""
        part = None if finished.part is None else _part_to_dict(finished.part)
        content = {"run": self._mark(), "part": part, "not_run": finished.not_run}
        self._write(self._path(step).name, content)
        self._failure(step).unlink(missing_ok=True)
        shutil.rmtree(self.journal(step), ignore_errors=True)

    def keep_failure(self, step: str, trace: str) -> Path:
        """Write the traceback of a step that broke off; the step is tried again when the run goes on."""
        path = self._failure(step)
        self._write(path.name, trace)
        return path

    def journal(self, step: str) -> Path:
        """Return the folder where a long step may keep its own pieces while it is under way."""
        return self.folder / f"{_plain(step)}-pieces"

    def done(self) -> list[str]:
        """Return the names of the files of finished steps."""
        return sorted(path.name for path in self.folder.glob("*.json") if path.name != IDENTITY)

    def remove(self) -> None:
        """Delete the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _mark(self) -> str:
        """Return what stands for the identity in each step's file, since run.json may come and go apart from it."""
        return hashlib.sha256(json.dumps(self.identity, sort_keys=True).encode()).hexdigest()[:12]

    def _path(self, step: str) -> Path:
        return self.folder / f"{_plain(step)}.json"

    def _failure(self, step: str) -> Path:
        return self.folder / f"{_plain(step)}-failed.txt"

    def _identity_there(self) -> dict[str, Any] | None:
        try:
            if not (self.folder / IDENTITY).exists():
                return None
            found = parse_json(read_text(self.folder / IDENTITY))
        except (OSError, ValueError, SlantError):
            found = None
        return found if isinstance(found, dict) else {}

    def _make(self, *, may_hold_files: bool) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if not may_hold_files and any(entry.name != REQUEST for entry in self.folder.iterdir()):
                raise SlantError(f"'{self.folder}' holds other files and no run; give a new folder.")
        except OSError as error:
            raise SlantError(f"cannot use '{self.folder}' as a run folder: {error.strerror or error}.") from None

    def _difference(self, before: dict[str, Any]) -> str:
        if not before:
            return f"'{self.folder / IDENTITY}' is damaged, so that nobody knows whose run it is; give another folder."
        for key in {**self.identity, **before}:
            was, now = before.get(key), self.identity.get(key)
            if was != now:
                what = key
                if isinstance(was, dict) and isinstance(now, dict):  # the representation: say which field
                    inner = next(name for name in {**now, **was} if was.get(name) != now.get(name))
                    what, was, now = f"{key} {inner}", was.get(inner), now.get(inner)
                return (
                    f"the run in '{self.folder}' was made with {what} {_shown(was)}, not {_shown(now)}; give the same "
                    "settings, or another folder."
                )
        return f"the run in '{self.folder}' is another one; give another folder."

    def _write(self, name: str, content: Any) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)  # another run of the same command may have ended and cleaned up
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, allow_nan=False)
        write_through(self.folder / name, text)


#: What the command line was asked for, beside or above the folder of a model's run.
REQUEST = "request.json"


def write_through(path: Path, text: str) -> None:
    """Write a file, whole or not at all, and wait until it is on the disk: a power cut must not take it away."""
    try:
        with written_whole(path) as file:
            file.write(text.encode("utf-8", "surrogatepass"))
            file.flush()
            os.fsync(file.fileno())
        if hasattr(os, "O_DIRECTORY"):
            folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
    except OSError as error:
        raise SlantError(f"cannot write '{path}': {error.strerror or error}.") from None


def _part_to_dict(part: AuditPart) -> dict[str, Any]:
    results: list[MeasuredResult] = list(part.results)
    return {
        "measure": part.measure,
        "title": part.title,
        "results": [result.to_dict() for result in results],
        "seconds": part.seconds,
    }


def _plain(step: str) -> str:
    return step.replace(" ", "-")


def _shown(value: Any) -> str:
    return f"{value!r:.60}"
