"""The page in real Chromium: one server for the tests of a file, and a new person for each."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from explore_pages import PATIENCE, Served, Visit

CHROMIUM = next((found for name in ("chromium", "chromium-browser") if (found := shutil.which(name))), None)


@pytest.fixture(scope="module")  # while it is open, nothing else in this process can run an event loop
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed (apt-get install chromium)")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (pip install playwright)")
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def served(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The bundled sample, three noisy years of it, and the bundled language model."""
    folder = tmp_path_factory.mktemp("explored")
    years = [f"{year}={write_year(folder, year)}" for year in (1900, 1950, 1990)]
    server = Served(["sample", *years, "sample-mlm"], folder / "cache")
    yield server
    server.stop()


def write_year(folder: Path, year: int) -> Path:
    """Write the most frequent words of the sample with noise that grows smaller over the years."""
    import numpy as np

    import aslant

    v = aslant.load(top=6_000)
    noise = np.random.default_rng(year).normal(size=v.matrix.shape) * (2_000 - year) / 1_000
    path = folder / f"{year}.txt"
    rows = (f"{word} {' '.join(f'{x:.3f}' for x in row)}" for word, row in zip(v.words, v.matrix + noise, strict=True))
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def visit(browser: Any) -> Iterator[Visit]:
    """Open a page as a new person; nothing may be said on the console, pop up, or come from elsewhere."""
    contexts: list[Any] = []
    heard: list[str] = []

    def listen(page: Any, address: str) -> None:
        origin = "/".join(address.split("/")[:3])
        page.on("console", lambda message: heard.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: heard.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (heard.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on(
            "request",
            lambda asked: None if asked.url.startswith((origin, "data:", "blob:")) else heard.append(asked.url),
        )

    def open_page(
        address: str, *, width: int = 1280, scheme: str = "light", context: Any = None, quiet: bool = True
    ) -> Any:
        if context is None:
            context = browser.new_context(
                viewport={"width": width, "height": 900}, color_scheme=scheme,
                permissions=["clipboard-read", "clipboard-write"],
            )  # fmt: skip
            context.set_default_timeout(PATIENCE)
            contexts.append(context)
        page = context.new_page()
        if quiet:
            listen(page, address)
        page.goto(address)
        page.wait_for_selector("[role=tab]")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert heard == []
