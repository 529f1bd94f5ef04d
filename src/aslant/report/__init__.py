"""Results as tables, charts and pages. Sees results only; computes nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from aslant.errors import AslantError
from aslant.io.files import write_text
from aslant.results.codec import Result


def _html(result: Result) -> str:
    from aslant.report.html import page

    return page(result)


def _csv(result: Result) -> str:
    from aslant.report.result_tables import table_of
    from aslant.report.tables import to_csv

    return to_csv(table_of(result))


def _document(renderer: str) -> Callable[[Result], str]:
    def render(result: Result) -> str:
        from aslant.report import tables
        from aslant.report.result_tables import documents_of

        described = documents_of(result)
        return "\n".join(getattr(tables, renderer)(table, titled=len(described) > 1) for table in described)

    return render


#: Suffix to renderer; what `render` and `save` know.
RENDERERS: dict[str, Callable[[Result], str]] = {
    ".html": _html,
    ".json": lambda result: result.to_json() + "\n",
    ".csv": _csv,
    ".md": _document("to_markdown"),
    ".tex": _document("to_latex"),
}


def render(result: Result, suffix: str) -> str:
    """Return `result` as text in the format that `suffix` names, such as ".md"."""
    if suffix not in RENDERERS:
        raise AslantError(f"'{suffix}' files cannot be written; use one of {', '.join(RENDERERS)}.")
    return RENDERERS[suffix](result)


def save(result: Result, path: str | Path) -> None:
    """Write `result` in the format of the suffix of `path`."""
    target = Path(path)
    write_text(target, render(result, target.suffix.lower()))
