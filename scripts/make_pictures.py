"""Make the picture of the README: the top of a real report on the bundled sample, taken by headless Chromium.

python scripts/make_pictures.py [--chromium /usr/bin/chromium]
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
from pathlib import Path

import slant

TARGET = Path(__file__).resolve().parents[1] / "docs" / "images" / "report.png"
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--window-size=1080,900",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chromium", default=shutil.which("chromium"))
    chromium = parser.parse_args().chromium
    if chromium is None:
        raise SystemExit("Chromium is needed to take the picture; name it with --chromium.")
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        slant.audit().save(page)
        command = [chromium, *FLAGS, f"--user-data-dir={folder}/profile", f"--screenshot={TARGET}", page.as_uri()]
        subprocess.run(command, check=True, capture_output=True)
    print(f"{TARGET.name}: {TARGET.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
