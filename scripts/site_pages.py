"""Pages of the site that are not written by hand in docs/: mkdocs calls the functions here (`hooks` in mkdocs.yml).

The changelog and the guide for contributors live at the top of the repository, where people look for them; links to
them from docs/ work on GitHub, and are turned here to the copies in the site. The page of results lists whatever
catalogue has, and the page of measures their functions, so that none can be forgotten.
"""

from __future__ import annotations

import re
from importlib.util import resolve_name
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

from aslant.catalogue import kinds, rooms
from aslant.cli.explain import glossary

ROOT = Path(__file__).resolve().parents[1]
#: Page of the site to file of the repository.
COPIED = {"changelog.md": "CHANGELOG.md", "contributing.md": "CONTRIBUTING.md"}
RESULTS = """# Results

Every measure returns one of these: frozen, with its provenance, as plain data by `to_dict()`, as a file by `save()`,
as rows for a data frame by `rows()`. `None` means "not computed". See [results and reports](../reports.md).
"""


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are made from other files."""
    pages = {page: from_top((ROOT / name).read_text(encoding="utf-8")) for page, name in COPIED.items()}
    made = {"reference/results.md": results_page(), "glossary.md": glossary_page()}
    for page, text in (pages | made).items():
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Lead links to files at the top of the repository to their copies in the site."""
    up = "../" * (page.file.src_uri.count("/") + 1)
    if page.file.src_uri == "reference/measures.md":
        markdown += measures_part()
    for copy, name in COPIED.items():
        markdown = markdown.replace(f"]({up}{name}", f"]({up[3:]}{copy}")
    return markdown


def from_top(text: str) -> str:
    """Return a page of the top folder with its links as they are within docs/.

    >>> from_top("[a](docs/weat.md#words), [b](CHANGELOG.md)")
    '[a](weat.md#words), [b](changelog.md)'
    """
    for copy, name in COPIED.items():
        text = text.replace(f"]({name}", f"]({copy}")
    return re.sub(r"\]\(docs/", "](", text)


def glossary_page() -> str:
    """Return the page of terms, which `aslant explain` shows one by one."""
    parts = ["# Glossary", "What words in tables and reports mean; `aslant explain TERM` says the same in a terminal."]
    for term in glossary().values():
        see = ", ".join(
            f"[{glossary()[other]['title']}](#{_anchor(glossary()[other]['title'])})" for other in term["see"]
        )
        parts += [f"## {term['title']}", term["says"], f"See also: {see}."]
    return "\n\n".join(parts) + "\n"


def _anchor(title: str) -> str:
    return "-".join(re.sub(r"[^\w\s-]", "", title.lower()).split())


def results_page() -> str:
    """Return the page of every kind of result."""
    places = sorted({_place(kind.home, kind.made) for kind in kinds().values()}, key=lambda place: place.split(".")[-1])
    return RESULTS + "".join(f"\n::: {place}\n" for place in places)


def measures_part() -> str:
    """Return the public functions of every measure, room by room."""
    return "".join(
        f"\n## {room.title}\n" + "".join(f"\n::: aslant.{where.partition(':')[2]}\n" for where in room.functions)
        for room in rooms() if room.functions
    )  # fmt: skip


def _place(home: str, where: str) -> str:
    module, _, name = where.partition(":")
    return f"{resolve_name(module if module.startswith('.') else f'.{module}', home)}.{name}"
