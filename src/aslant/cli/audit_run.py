"""The request to `aslant audit`, kept in a run folder, so that a run that was stopped can resume."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from aslant.auditing.model_list import AuditSettings
from aslant.auditing.run_folder import STEP, refuse_strangers
from aslant.auditing.subjects import Subject, check_use, opened
from aslant.cli.encoders import Text
from aslant.cli.progress import note, noted, say
from aslant.cli.shared import Reading
from aslant.data import cache_folder
from aslant.errors import AslantError
from aslant.io.keeper import FILE, Keeper

#: The key of the request in the folder of a run.
REQUEST = "request"


@dataclass(frozen=True)
class Request:
    """What an audit measures and how, and the name of its report; paths are absolute."""

    models: tuple[str, ...]
    output: str
    settings: AuditSettings

    def key(self) -> str:
        """Return twelve characters that identify what is measured; where the report goes is not part of it."""
        content = {name: value for name, value in asdict(self).items() if name != "output"}
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:12]


@dataclass(frozen=True)
class Place:
    """The folder of a run; `ours` says that it is in the cache, not requested by the user, and deleted when done."""

    folder: Path
    ours: bool
    #: The request of the run that was there.
    before: bytes | None = None

    def to_go_on(self) -> str:
        """Return the command that resumes the run."""
        return f"aslant audit --resume {shlex.quote(str(self.folder))}"


def place_for(request: Request, run_folder: Path | None, *, kept: bool) -> Place | None:
    """Return where the run is kept: the given folder, or one in the cache; None where that cannot be written."""
    if run_folder is None and not kept:
        return None
    if run_folder is not None:
        refuse_strangers(run_folder, " with --run-folder")
    folder = cache_folder() / "audits" / request.key() if run_folder is None else run_folder
    keeper = Keeper(folder, what="")
    before = keeper.get(REQUEST)
    if not keeper.keep({REQUEST: json.dumps(asdict(request)).encode()}):
        if run_folder is not None:
            raise AslantError(f"cannot use '{folder}' as a run folder: {keeper.problem}.")
        note(f"this run is not kept, because '{folder}' cannot be written to.")
        return None
    return Place(folder.resolve(), run_folder is None, before)


def resumed(folder: Path, *, allow_pickle: bool = False) -> tuple[Request, Place]:
    """Read a run's request from its folder, which alone may not say that pickles are opened, since they run code."""
    if not (folder / FILE).exists():
        raise AslantError(f"there is no run in '{folder}'; it may have finished, or this is the wrong folder.")
    content = Keeper(folder).get(REQUEST)
    try:
        request = msgspec.json.decode(content or b"", type=Request)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:  # bytes that are not UTF-8 are a ValueError
        raise AslantError(f"the run in '{folder}' is damaged ({error}); start the audit again.") from None
    if request.settings.allow_pickle and not allow_pickle:
        raise AslantError(
            "this run was started with --allow-pickle, and opening a pickle can run code; if you trust the run's "
            "folder and the pickles, add --allow-pickle."
        )
    ours = folder.resolve().parent == (cache_folder() / "audits").resolve()
    return request, Place(folder.resolve(), ours, content)


@contextmanager
def going_on(place: Place | None, *, measured: bool) -> Iterator[None]:
    """Say, when the user stops the work, the exact command that resumes it.

    A refusal before anything was `measured` leaves the folder as it was found; a later one says that results are kept.
    """
    try:
        yield
    except KeyboardInterrupt:
        if place is not None:
            again = " (or the same command again)" if place.ours else ""
            say(f"stopped; what is finished is kept. To resume{again}: {place.to_go_on()}")
        raise
    except AslantError as error:
        if place is None:
            raise
        if measured and any(
            Keeper(folder).under(STEP) for folder in place.folder.glob("model-*")
        ):  # or the disk is full
            raise AslantError(f"{error} What was measured is kept; to resume: {place.to_go_on()}") from None
        if not measured and place.before is not None:
            Keeper(place.folder).keep({REQUEST: place.before})
        elif not measured:
            with suppress(OSError):
                if [entry.name for entry in place.folder.iterdir()] == [FILE]:
                    (place.folder / FILE).unlink()
                    place.folder.rmdir()
        raise


def open_subjects(request: Request, *, quiet: bool) -> list[Subject]:
    """Open every model of any kind, and the corpus; messages while loading go to standard error."""
    asked = request.settings
    reading = Reading(asked.top, asked.case, asked.phrases, asked.allow_pickle, asked.subwords, not asked.cache)
    corpus = Text(asked.column, asked.split, asked.encoding).open_if_given(list(asked.corpus))
    load = partial(reading.open, quiet=quiet)
    models: tuple[str | None, ...] = request.models or (None,)
    with noted(quiet=quiet):
        how: dict[str, Any] = {"device": asked.device, "load_vectors": load, "keep": asked.cache}
        subjects = [opened(model, corpus=corpus, **how) for model in models]
    check_use(corpus, subjects)
    return subjects
