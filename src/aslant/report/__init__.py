"""Results as tables, charts and pages. Sees results only; computes nothing."""

from __future__ import annotations

from pathlib import Path

from aslant.errors import AslantError
from aslant.io.files import write_text
from aslant.results.codec import Result

#: What `render` and `save` know.
SUFFIXES = (".html", ".json", ".csv", ".md", ".tex")


def render(result: Result, suffix: str) -> str:
    """Return `result` as text in the format that `suffix` names, such as ".md"."""
    from aslant.report.assembly import documents_of, table_of
    from aslant.report.html import page
    from aslant.report.tables import to_csv, to_latex, to_markdown

    if suffix not in SUFFIXES:
        raise AslantError(f"'{suffix}' files cannot be written; use one of {', '.join(SUFFIXES)}.")
    if suffix == ".html":
        return page(result)
    if suffix == ".json":
        return result.to_json() + "\n"
    if suffix == ".csv":
        return to_csv(table_of(result))
    write, tables = to_markdown if suffix == ".md" else to_latex, documents_of(result)
    return "\n".join(write(table, titled=len(tables) > 1) for table in tables)


def save(result: Result, path: str | Path) -> None:
    """Write `result` in the format of the suffix of `path`."""
    target = Path(path)
    write_text(target, render(result, target.suffix.lower()))
