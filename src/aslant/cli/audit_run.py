"""The request to `aslant audit`, kept in a run folder, so that a run that was stopped can resume."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from aslant.auditing.model_list import AuditSettings
from aslant.cli.progress import note, say
from aslant.errors import AslantError

if TYPE_CHECKING:
    from aslant.auditing.subjects import Subject

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

    def put_back(self) -> None:
        """Leave the folder as it was found, since the request cannot be carried out; what is finished stays."""
        from aslant.io.keeper import FILE, Keeper

        if self.before is not None:
            Keeper(self.folder).keep({REQUEST: self.before})
            return
        with suppress(OSError):
            if [entry.name for entry in self.folder.iterdir()] == [FILE]:
                (self.folder / FILE).unlink()
                self.folder.rmdir()

    def of_model(self, number: int) -> Path:
        """Return the folder of one model's results."""
        return self.folder / f"model-{number}"

    def keeps_results(self) -> bool:
        """Tell whether any finished results are there: the disk may be full."""
        from aslant.auditing.run_folder import STEP
        from aslant.io.keeper import Keeper

        return any(Keeper(folder).under(STEP) for folder in self.folder.glob("model-*"))

    def to_go_on(self) -> str:
        """Return the command that resumes the run."""
        import shlex

        return f"aslant audit --resume {shlex.quote(str(self.folder))}"


def place_for(request: Request, run_folder: Path | None, *, kept: bool) -> Place | None:
    """Return where the run is kept: the given folder, or one in the cache; None where that cannot be written."""
    from aslant.auditing.run_folder import refuse_strangers
    from aslant.data import cache_folder
    from aslant.io.keeper import Keeper

    if run_folder is None and not kept:
        return None
    ours = run_folder is None
    folder = cache_folder() / "audits" / request.key() if run_folder is None else run_folder
    if not ours:
        refuse_strangers(folder, " with --run-folder")
    keeper = Keeper(folder, what="")
    before = keeper.get(REQUEST)
    if not keeper.keep({REQUEST: json.dumps(asdict(request)).encode()}):
        if not ours:
            raise AslantError(f"cannot use '{folder}' as a run folder: {keeper.problem}.")
        note(f"this run is not kept, because '{folder}' cannot be written to.")
        return None
    return Place(folder.resolve(), ours, before)


def resumed(folder: Path, *, allow_pickle: bool = False) -> tuple[Request, Place]:
    """Read a run's request from its folder, which alone may not say that pickles are opened, since they run code."""
    import msgspec

    from aslant.data import cache_folder
    from aslant.io.keeper import FILE, Keeper

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
def kept_for_later(place: Place | None) -> Iterator[None]:
    """Say, where the report cannot be written or the user stops it, that results are kept, and how to resume."""
    try:
        yield
    except AslantError as error:
        if place is None or not place.keeps_results():
            raise
        raise AslantError(f"{error} What was measured is kept; to resume: {place.to_go_on()}") from None
    except KeyboardInterrupt:
        _say_stopped(place)
        raise


def _say_stopped(place: Place | None) -> None:
    if place is not None:
        again = " (or the same command again)" if place.ours else ""
        say(f"stopped; what is finished is kept. To resume{again}: {place.to_go_on()}")


@contextmanager
def going_on(place: Place | None) -> Iterator[None]:
    """Say, when the user stops the work, the exact command that resumes it; restore what a refusal leaves."""
    try:
        yield
    except KeyboardInterrupt:
        _say_stopped(place)
        raise
    except AslantError:
        if place is not None:
            place.put_back()
        raise


def open_subjects(request: Request, *, quiet: bool) -> list[Subject]:
    """Open every model of any kind, and the corpus; messages while loading go to standard error."""
    from aslant.auditing.subjects import check_use, opened
    from aslant.cli.encoders import Text
    from aslant.cli.loading import open_vectors
    from aslant.cli.progress import noted
    from aslant.cli.shared import Reading

    asked = request.settings
    reading = Reading(asked.top, asked.case, asked.phrases, asked.allow_pickle, asked.subwords, not asked.cache)
    corpus = Text(asked.column, asked.split, asked.encoding).open_if_given(list(asked.corpus))
    models: tuple[str | None, ...] = request.models or (None,)
    with noted(quiet=quiet):
        subjects = [
            opened(
                model, corpus=corpus, device=asked.device,
                load_vectors=lambda source: open_vectors(source, reading, quiet=quiet),
            )
            for model in models
        ]  # fmt: skip
    check_use(corpus, subjects)
    return subjects
