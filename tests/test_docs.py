"""What the README and the guides show is run as it stands; a number in a comment must be the number that comes out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
#: docs/vectors.md opens files that a reader has and we do not.
PAGES = [
    "README.md",
    *(
        f"docs/{name}.md"
        for name in (
            "weat",
            "enumeration",
            "polarity",
            "geometry",
            "debiasing",
            "language-models",
            "encoders",
            "corpus",
            "contextual",
            "reports",
        )
    ),
]
NUMBER = re.compile(r"#\s*([−-]?\d+(?:\.\d+)?(?:e-?\d+)?)(?=:)")


@pytest.mark.parametrize("page", PAGES)
def test_python_in_the_guides_runs_and_gives_the_numbers_shown(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    namespace: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, page, "exec"), namespace)
        for line in block.splitlines():
            if shown := NUMBER.search(line):
                text = shown[1].replace("−", "-")
                value = eval(line.partition("#")[0], namespace)
                digits = len(text.partition("e")[0].partition(".")[2])
                expected = f"{value:.{digits}e}" if "e" in text else f"{value:.{digits}f}"
                assert expected == text, line


@pytest.mark.parametrize("page", ["README.md", *(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md"))])
def test_links_between_pages_lead_somewhere(page: str) -> None:
    source = ROOT / page
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", source.read_text(encoding="utf-8")):
        assert (source.parent / target).exists(), target
