"""Make the pictures of the README by headless Chromium: the top of a real report, and the page of `aslant explore`.

python scripts/make_pictures.py [report] [explore] [--chromium /usr/bin/chromium]    (pip install ".[dev]" first)
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import aslant

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
#: Width and height of each picture.
SIZES = {"report": (1120, 1275), "explore": (1280, 860)}
#: A picture may be no larger than this, so that the README stays quick to open.
MOST_BYTES = 300_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[*SIZES, []], help="report, explore; both unless named")
    parser.add_argument("--chromium", default=shutil.which("chromium"))
    options = parser.parse_args()
    if options.chromium is None:
        raise SystemExit("Chromium is needed to take the pictures; name it with --chromium.")
    IMAGES.mkdir(parents=True, exist_ok=True)
    for name in options.names or SIZES:
        {"report": picture_report, "explore": picture_page}[name](options.chromium)
        size = (IMAGES / f"{name}.png").stat().st_size
        if size > MOST_BYTES:
            raise SystemExit(f"{name}.png has {size:,} bytes; make it smaller than {MOST_BYTES:,}.")
        print(f"{name}.png: {size / 1e3:.0f} kB")


def picture_report(chromium: str) -> None:
    """Take the picture of the top of a report on the bundled sample."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        aslant.audit().save(page)
        take(page.as_uri(), "report", chromium, lambda opened: None)


def picture_page(chromium: str) -> None:
    """Take the picture of the page, with a word struck out and one that was typed."""
    command = [sys.executable, "-m", "aslant", "explore", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            take(server.stdout.readline().split()[-1], "explore", chromium, tried)
        finally:
            server.terminate()


def tried(page: Any) -> None:
    """Strike out a word and begin to type one, as a reader of the picture would."""
    page.wait_for_selector(".tries:not([hidden])")
    page.locator('.chip[data-word="Diana"] .word').click()
    page.get_by_text("tried 2 questions").wait_for()
    page.get_by_role("combobox", name="Add a word to the first targets").press_sequentially("rob")
    page.locator(".completions li").first.wait_for()
    page.mouse.move(0, 0)


def take(address: str, name: str, chromium: str, prepare: Any) -> None:
    """Take the picture of the top of a page, in light colours."""
    from playwright.sync_api import sync_playwright

    width, height = SIZES[name]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        opened = browser.new_page(viewport={"width": width, "height": height}, color_scheme="light")
        opened.goto(address)
        prepare(opened)
        opened.screenshot(path=IMAGES / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
