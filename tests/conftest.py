"""What every test gets: a cache folder of its own, the real data if it is there, and a tiny embedding."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from aslant.vectors import WordVectors
from command_line import Run

collect_ignore = ["measures/new_room"]  # which test_one_room.py copies into a copy of the package

# No deadline: the first example pays for imports and compiling, and a busy machine for everything.
hypothesis.settings.register_profile("aslant", deadline=None, max_examples=50)
hypothesis.settings.load_profile("aslant")


def pytest_collection_finish() -> None:
    """Set aside what importing and collecting made: to look through it at every collection of garbage takes long."""
    gc.freeze()


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh cache folder, so that no test sees what another one has read."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("ASLANT_CACHE", str(folder))
    monkeypatch.delenv("COLUMNS", raising=False)  # which pytest's workers have, though they are no terminals
    return folder


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real data (see its README); tests that need it are skipped where it is absent."""
    chosen = os.environ.get("ASLANT_TEST_DATA")
    folder = Path(chosen) if chosen else Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"no real data in '{folder}'; set ASLANT_TEST_DATA to its folder")
    return folder


@pytest.fixture(scope="session")
def papers(real_data: Path) -> Path:
    """The folder of the papers' texts, beside the real data; tests that need it are skipped where it is absent."""
    folder = real_data.parent / "papers"
    if not folder.is_dir():
        pytest.skip(f"no texts of papers in '{folder}', beside the real data")
    return folder


@pytest.fixture
def tiny() -> WordVectors:
    """Six words in three dimensions."""
    words = ["he", "she", "doctor", "nurse", "new_york", "Paris"]
    matrix = [[1, 0, 0.5], [-1, 0, 0.5], [0.5, 1, 0], [-0.5, 1, 0], [0, 0.25, 1], [0.125, 0, 1]]
    return WordVectors.from_arrays(words, matrix, name="tiny")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Run the command line in this process, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        from aslant.cli import main

        monkeypatch.setattr(sys, "argv", ["aslant", *arguments])
        capfd.readouterr()
        try:
            main()
            code = 0
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1
        out, err = capfd.readouterr()
        return subprocess.CompletedProcess(arguments, code, out, err)

    return call


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """Start servers of a tiny model in this process (see `model_server.TinyServer`), and stop them; nothing waits."""
    from threading import Thread

    from model_server import TinyServer

    for name in ("ASLANT_API_KEY", "OPENAI_API_KEY", "ASLANT_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("aslant.models.server_client.FIRST_WAIT", 0.001)
    running: list[TinyServer] = []

    def start(*given: Any, **more: Any) -> TinyServer:
        server = TinyServer(0, *given, **more)
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        running.append(server)
        return server

    yield start
    for server in running:
        server.shutdown()
        server.server_close()
