"""The folder of a run: each finished measure is kept there at once, so that a run that was stopped resumes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from aslant.errors import AslantError
from aslant.io.files import write_bytes
from aslant.io.keeper import FILE, Keeper, digest
from aslant.io.reading import parse_json
from aslant.results.audit import AuditPart
from aslant.results.codec import part_from_dict, part_to_dict

#: What keys of finished steps begin with, and that of what the results in the folder belong to.
STEP, IDENTITY = "step/", "identity"
KEPT = "finished measures are"


@dataclass(frozen=True)
class Finished:
    """What a step left behind: its part, and what it could not do, by name, and why."""

    part: AuditPart | None
    not_run: dict[str, str]


class RunFolder:
    """Finished steps of one audit in `folder`.

    `identity` names all that results depend on: the representation, the settings, the version. A folder of another
    identity is refused, or, with `fresh_if_other` (in a folder nobody named), emptied. What is damaged counts
    as absent. Where a step cannot be written, the run continues, and says so once.

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
        self._keeper = Keeper(folder, KEPT if fresh_if_other else "")
        self._identity = json.dumps({"format": 1, **identity}, default=list).encode()
        if not fresh_if_other:
            refuse_strangers(self.folder)
        before = self._keeper.get(IDENTITY)
        if before is not None and before != self._identity:
            if not fresh_if_other:
                raise AslantError(self._difference(json.loads(before)))
            shutil.rmtree(self.folder, ignore_errors=True)
        if before != self._identity and not self._keeper.keep({IDENTITY: self._identity}) and not fresh_if_other:
            raise AslantError(f"cannot use '{self.folder}' as a run folder: {self._keeper.problem}.")
        self._keeper.what = KEPT

    def recall(self, step: str) -> Finished | None:
        """Return what a step left behind, or None."""
        try:
            return part_from_dict(Finished, parse_json((self._keeper.get(self._key(step)) or b"null").decode()))
        except (ValueError, AslantError):
            return None

    def keep(self, step: str, finished: Finished) -> None:
        """Write what a step left behind, through to the disk, and drop what it kept while it was under way."""
        content = json.dumps(part_to_dict(finished), allow_nan=False).encode()
        if self._keeper.keep({IDENTITY: self._identity, self._key(step): content}):
            self._beside(step, "failed.txt").unlink(missing_ok=True)
            shutil.rmtree(self.journal(step), ignore_errors=True)

    def keep_failure(self, step: str, trace: str) -> Path | None:
        """Write the traceback of a step that broke off, if possible; the step is tried again when the run resumes."""
        path = self._beside(step, "failed.txt")
        try:
            write_bytes(path, trace.encode("utf-8", "surrogatepass"))
        except AslantError:
            return None
        return path

    def journal(self, step: str) -> Path:
        """Return the folder where a long step may keep its own pieces while it is under way."""
        return self._beside(step, "pieces")

    def _key(self, step: str) -> str:
        """Return the key of a step, in which the run is: two that share a folder do not take each other's results."""
        return f"{STEP}{digest(self._identity)}/{step}"

    def _beside(self, step: str, what: str) -> Path:
        return self.folder / f"{step.replace(' ', '-')}-{what}"

    def _difference(self, before: dict[str, Any]) -> str:
        mine = json.loads(self._identity)
        what = next(key for key in {**mine, **before} if before.get(key) != mine.get(key))
        was, now = before.get(what), mine.get(what)
        if isinstance(was, dict) and isinstance(now, dict):  # the representation: say which field
            inner = next(name for name in {**now, **was} if was.get(name) != now.get(name))
            what, was, now = f"{what} {inner}", was.get(inner), now.get(inner)
        return (
            f"the run in '{self.folder}' was made with {what} {was!r:.60}, not {now!r:.60}; give the same settings, or "
            "another folder."
        )


def refuse_strangers(folder: Path, option: str = "") -> None:
    """Refuse a folder that holds other files and no run."""
    try:
        strange = folder.exists() and any(not entry.name.startswith(FILE) for entry in folder.iterdir())
    except OSError as error:
        raise AslantError(f"cannot use '{folder}' as a run folder: {error.strerror or error}.") from None
    if strange and not (folder / FILE).is_file():  # looked for last: another process may be about to begin this run
        raise AslantError(f"'{folder}' holds other files and no run; give a new folder{option}.")
