"""Make the picture of the README: the top of a real report on the bundled sample, taken by headless Chromium.

python scripts/make_pictures.py [--chromium /usr/bin/chromium]        needs playwright (pip install ".[dev]")
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path

import aslant

TARGET = Path(__file__).resolve().parents[1] / "docs" / "images" / "report.png"
WIDTH, HEIGHT = 1120, 1275
#: The picture may be no larger than this, so that the README stays quick to open.
MOST_BYTES = 300_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chromium", default=shutil.which("chromium"))
    chromium = parser.parse_args().chromium
    if chromium is None:
        raise SystemExit("Chromium is needed to take the picture; name it with --chromium.")
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        aslant.audit().save(page)
        take(page, chromium)
    size = TARGET.stat().st_size
    if size > MOST_BYTES:
        raise SystemExit(f"{TARGET.name} has {size:,} bytes; make it smaller than {MOST_BYTES:,}.")
    print(f"{TARGET.name}: {size / 1e3:.0f} kB")


def take(page: Path, chromium: str) -> None:
    """Take the picture of the top of a page, in light colours."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        opened = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        opened.goto(page.as_uri())
        opened.screenshot(path=TARGET)
        browser.close()


if __name__ == "__main__":
    main()
