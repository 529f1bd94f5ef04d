"""The folder of a run: each finished measure is written there at once, so that a run that was stopped goes on."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from aslant.errors import AslantError
from aslant.io.digests import sealed_json, unsealed_json
from aslant.io.files import PARTIAL, written_whole
from aslant.io.reading import parse_json, read_bytes
from aslant.results.audit import AuditPart
from aslant.results.codec import MeasuredResult, part_from_dict

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
    identity are refused, or, with `fresh_if_other` (in a folder that nobody asked for), thrown away. A step's file that
    is damaged, or was left by a run of another identity, counts as absent. Where a step cannot be written, the run goes
    on, and says so once.

    >>> import tempfile
    >>> run = RunFolder(Path(tempfile.mkdtemp()) / "run", {"seed": 0})
    >>> run.keep("weat", Finished(None, {"weat-3": "too few words"}))
    >>> run.recall("weat").not_run, run.recall("polarity")
    ({'weat-3': 'too few words'}, None)
    >>> RunFolder(run.folder, {"seed": 1})
    Traceback (most recent call last):
    aslant.errors.AslantError: the run in '...' was made with seed 0, not 1; give the same settings, or another folder.
    """

    def __init__(
        self, folder: str | PathLike[str], identity: Mapping[str, Any], *, fresh_if_other: bool = False
    ) -> None:
        self.folder = Path(folder)
        self.identity = json.loads(json.dumps({"format": FORMAT, **identity}, default=list))
        self._told = False
        before = self._identity_there(strangers_allowed=fresh_if_other)
        if before is not None and before != self.identity and not (before == {} and self._has_steps_of_ours()):
            if not fresh_if_other:
                raise AslantError(self._difference(before))
            self.remove()
            before = None
        if before != self.identity:
            self._begin(may_do_without=fresh_if_other)

    def recall(self, step: str) -> Finished | None:
        """Return what a step left behind, or None."""
        try:
            content = self._read(self._path(step))
            if content["run"] != self._mark():
                return None
            part = None if content["part"] is None else part_from_dict(AuditPart, content["part"])
            return Finished(part, {str(k): str(v) for k, v in content["not_run"].items()})
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, AslantError):
            return None

    def keep(self, step: str, finished: Finished) -> None:
        """Write what a step left behind, through to the disk, and drop what it kept while it was under way."""
        part = None if finished.part is None else _part_to_dict(finished.part)
        content = {"run": self._mark(), "part": part, "not_run": finished.not_run}
        if self._kept(self._path(step).name, content):
            self._failure(step).unlink(missing_ok=True)
            shutil.rmtree(self.journal(step), ignore_errors=True)

    def keep_failure(self, step: str, trace: str) -> Path | None:
        """Write the traceback of a step that broke off, if possible; the step is tried again when the run goes on."""
        path = self._failure(step)
        return path if self._kept(path.name, trace) else None

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

    def _identity_there(self, *, strangers_allowed: bool) -> dict[str, Any] | None:
        """Return whose run is there: nobody's (None), or one whose file is damaged ({})."""
        strangers = not strangers_allowed and self._holds_strangers()
        if not (self.folder / IDENTITY).exists():  # looked for last: another process may be about to begin this run
            if strangers:
                raise AslantError(f"'{self.folder}' holds other files and no run; give a new folder.")
            return None
        try:
            found = self._read(self.folder / IDENTITY)
        except ValueError:
            found = None
        return found if isinstance(found, dict) else {}

    def _holds_strangers(self) -> bool:
        """Tell whether there is anything but the beginnings of a run, such as a killed one leaves."""
        try:
            entries = self.folder.iterdir() if self.folder.exists() else ()
            return any(entry.name != REQUEST and not entry.name.endswith(PARTIAL) for entry in entries)
        except OSError as error:
            raise AslantError(f"cannot use '{self.folder}' as a run folder: {error.strerror or error}.") from None

    def _has_steps_of_ours(self) -> bool:
        """Tell whether finished steps say that the run is ours, where the file that should is damaged."""
        for name in self.done():
            try:
                if self._read(self.folder / name)["run"] == self._mark():
                    return True
            except (ValueError, KeyError, TypeError):
                continue
        return False

    def _begin(self, *, may_do_without: bool) -> None:
        try:
            self._write(IDENTITY, self.identity)
        except OSError as error:
            if not may_do_without:
                raise AslantError(f"cannot use '{self.folder}' as a run folder: {error.strerror or error}.") from None
            self._tell(error)

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

    def _kept(self, name: str, content: Any) -> bool:
        try:
            self._write(name, content)
        except OSError as error:
            self._tell(error)
            return False
        return True

    def _tell(self, error: OSError) -> None:
        if not self._told:
            why = error.strerror or error
            warnings.warn(
                f"finished measures are not kept, since '{self.folder}' cannot be written: {why}", stacklevel=4
            )
        self._told = True

    def _write(self, name: str, content: Any) -> None:
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, allow_nan=False)
        written = text.encode("utf-8", "surrogatepass")
        for attempts_left in reversed(range(5)):
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                write_through(self.folder / name, written if isinstance(content, str) else sealed_json(written))
            except FileNotFoundError:  # another run of the same command has ended and cleaned up
                if not attempts_left:
                    raise
            else:
                return

    def _read(self, path: Path) -> Any:
        """Read what `_write` wrote; a ValueError if it is not that to the letter."""
        try:
            content = unsealed_json(read_bytes(path, most=MAX_PART))
        except AslantError as error:
            raise ValueError(str(error)) from None
        if content is None:
            raise ValueError(f"'{path}' is not as it was written")
        return parse_json(content.decode("utf-8", "surrogatepass"))


#: What the command line was asked for, beside or above the folder of a model's run.
REQUEST = "request.json"


def write_through(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all, and wait until it is on the disk: a power cut must not take it away."""
    with written_whole(path) as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    if hasattr(os, "O_DIRECTORY"):
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


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
