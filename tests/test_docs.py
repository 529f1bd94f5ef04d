"""What the README and the guides show is run as it stands; a number in a comment must be the number that comes out."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import aslant
from aslant.vectors import formats

ROOT = Path(__file__).resolve().parents[1]
#: Pages that open files or fetch data that a reader has and we do not.
NOT_RUN = {"vectors", "data"}
PAGES = [
    "README.md",
    *(
        f"docs/{page.name}"
        for page in sorted((ROOT / "docs").glob("*.md"))
        if page.stem not in NOT_RUN and "```python\n" in page.read_text(encoding="utf-8")
    ),
]
NUMBER = re.compile(r"#\s*([−-]?\d+(?:\.\d+)?(?:e-?\d+)?)(?=:)")


@pytest.mark.parametrize("page", PAGES)
def test_python_in_the_guides_runs_and_gives_the_numbers_shown(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(formats, "STREAMED", formats.STREAMED)  # a page may add to these, for itself
    text_of_page = (ROOT / page).read_text(encoding="utf-8")
    for file, content in re.findall(r"```toml\n# (\S+\.toml)\n(.*?)```", text_of_page, re.DOTALL):
        (tmp_path / file).write_text(content, encoding="utf-8")  # what a page names, its code may open
    blocks = re.findall(r"```python\n(.*?)```", text_of_page, re.DOTALL)
    assert blocks
    namespace: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, page, "exec", dont_inherit=True), namespace)
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


def test_every_public_name_is_in_the_reference_once() -> None:
    from aslant.catalogue import kinds, rooms

    pages = [page.read_text(encoding="utf-8") for page in (ROOT / "docs/reference").glob("*.md")]
    listed = [name for page in pages for name in re.findall(r"^::: aslant\.(\w+)$", page, re.MULTILINE)]
    listed += [where.partition(":")[2] for room in rooms() for where in room.functions]  # on pages that the site makes
    results = {kind.made.partition(":")[2] for kind in kinds().values()} & set(aslant.__all__)  # type: ignore[attr-defined]
    modules = {name for name in aslant.__all__ if inspect.ismodule(getattr(aslant, name))}  # type: ignore[attr-defined]
    assert sorted([*listed, *results, *modules, "__version__"]) == sorted(aslant.__all__)  # type: ignore[attr-defined]


def test_every_guide_is_in_the_navigation_of_the_site_and_on_its_first_page() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[2]
    start = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        assert re.search(rf"[ /]{re.escape(page.name)}$", navigation, re.MULTILINE), page.name
        assert page.name == "index.md" or f"]({page.name})" in start, page.name


def test_every_section_of_the_definitions_that_is_cited_exists() -> None:
    definitions = (ROOT / "docs/definitions.md").read_text(encoding="utf-8")
    sections = set(re.findall(r"^## (\d+)\. ", definitions, re.MULTILINE))
    files = [file for folder in ("src", "tests", "docs") for file in (ROOT / folder).rglob("*.py")]
    cited = {n for file in files for n in re.findall(r"definitions\.md §(\d+)", file.read_text(encoding="utf-8"))}
    assert {"1", "3", "7"} <= cited <= sections


@pytest.mark.parametrize(
    "page", ["CHANGELOG.md", "CONTRIBUTING.md", *(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md"))]
)
def test_lists_begin_after_an_empty_line_so_that_the_site_shows_them_as_github_does(page: str) -> None:
    prose = re.sub(r"```.*?```", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)
    assert not re.findall(r"^(?![-#]|\d+\. |\s).+\n(?:-|\d+\.) .*", prose, re.MULTILINE)


def test_the_tree_of_the_architecture_names_every_folder_that_there_is_and_no_other() -> None:
    tree = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").partition("src/aslant/\n")[2]
    named = re.findall(r"^ +(\w+)/\s", tree.partition("```")[0], re.MULTILINE)
    package = Path(aslant.__file__).parent
    folders = [path.parent for path in [*package.glob("*/__init__.py"), *package.glob("measures/*/__init__.py")]]
    assert sorted(named) == sorted(folder.name for folder in folders)
