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
    #: The request of the run that was there, as its file had it.
    before: bytes | None = None

    def put_back(self) -> None:
        """Leave the folder as it was found, since the request cannot be carried out; what is finished stays."""
        from aslant.auditing.run_folder import REQUEST
        from aslant.io.files import write_bytes

        with suppress(OSError, AslantError):
            if self.before is not None:
                write_bytes(self.folder / REQUEST, self.before)
            elif [entry.name for entry in self.folder.iterdir()] == [REQUEST]:
                (self.folder / REQUEST).unlink()
                self.folder.rmdir()

    def of_model(self, number: int) -> Path:
        """Return the folder of one model's results."""
        return self.folder / f"model-{number}"

    def keeps_results(self) -> bool:
        """Tell whether any finished results are there: the disk may be full."""
        from aslant.auditing.run_folder import IDENTITY

        return any(path.name != IDENTITY for path in self.folder.glob("model-*/*.json"))

    def to_go_on(self) -> str:
        """Return the command that resumes the run."""
        import shlex

        return f"aslant audit --resume {shlex.quote(str(self.folder))}"


def place_for(request: Request, run_folder: Path | None, *, kept: bool) -> Place | None:
    """Return where the run is kept: the given folder, or one in the cache; None where that cannot be written."""
    from aslant.auditing.run_folder import REQUEST, write_through
    from aslant.data import cache_folder
    from aslant.io.digests import sealed_json

    if run_folder is None and not kept:
        return None
    place = Place(cache_folder() / "audits" / request.key(), True) if run_folder is None else Place(run_folder, False)
    before = None
    try:
        _refuse_strangers(place)
        if (place.folder / REQUEST).is_file():
            before = (place.folder / REQUEST).read_bytes()
        place.folder.mkdir(parents=True, exist_ok=True)
        write_through(place.folder / REQUEST, sealed_json(json.dumps(asdict(request), indent=2).encode()))
    except (OSError, AslantError) as error:
        if not place.ours:
            raise (
                error
                if isinstance(error, AslantError)
                else AslantError(f"cannot use '{place.folder}' as a run folder: {error.strerror or error}.")
            ) from None
        note(f"this run is not kept, because '{place.folder}' cannot be written to.")
        return None
    return Place(place.folder.resolve(), place.ours, before)


def _refuse_strangers(place: Place) -> None:
    from aslant.auditing.run_folder import REQUEST
    from aslant.io.files import PARTIAL

    if (
        not place.ours
        and place.folder.is_dir()
        and any(not entry.name.endswith(PARTIAL) for entry in place.folder.iterdir())  # what a killed run had begun
        and not (place.folder / REQUEST).is_file()  # checked last: another process may begin the same run
    ):
        raise AslantError(f"'{place.folder}' holds other files and no run; give a new folder with --run-folder.")


def resumed(folder: Path, *, allow_pickle: bool = False) -> tuple[Request, Place]:
    """Read a run's request from its folder, which alone may not say that pickles are opened, since they run code."""
    import msgspec

    from aslant.auditing.run_folder import REQUEST
    from aslant.data import cache_folder
    from aslant.io.digests import unsealed_json
    from aslant.io.reading import read_bytes

    path = folder / REQUEST
    if not path.exists():
        raise AslantError(f"there is no run in '{folder}'; it may have finished, or this is the wrong folder.")
    content = read_bytes(path)
    try:
        asked = unsealed_json(content)
        if asked is None:
            raise msgspec.DecodeError("it has been altered")  # noqa: TRY301 (all damage ends in one message)
        request = msgspec.json.decode(asked, type=Request)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:  # bytes that are not UTF-8 are a ValueError
        raise AslantError(f"'{path}' is damaged ({error}); start the audit again.") from None
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
    from aslant.auditing.open_subject import check_use, opened
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
