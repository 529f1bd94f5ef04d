"""Charts and tables of a result as files: each chart as PNG and SVG, each table as CSV, LaTeX and Markdown."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

from aslant.errors import AslantError
from aslant.io.files import write_bytes, write_text
from aslant.report import charts
from aslant.report.assembly import Figure, Measure, documents_of, measures_of, measures_of_audit, slug, table_of
from aslant.report.tables import plain, to_csv, to_latex, to_markdown
from aslant.results.audit import AuditComparison, AuditResult
from aslant.results.codec import CONTENT_NOTE, Result


def save_figures(result: Result, folder: str | Path) -> list[Path]:
    """Write every chart of `result` into `folder` as PNG and SVG, dark on white; return the files.

    >>> import aslant, tempfile
    >>> r = aslant.weat(aslant.load(), "weat-6", bootstrap=0)
    >>> [path.name for path in save_figures(r, tempfile.mkdtemp())]
    ['weat-1-words.svg', 'weat-1-words.png']
    """
    charts.check_suffix(".png")
    target, written = _folder(folder), []
    if isinstance(result, AuditResult):
        measures, names = measures_of_audit(result), [result.representation.name]
    else:
        measures, provenance = measures_of(result.kind, (result,)), getattr(result, "provenance", None)
        alone = [provenance.representation.name if provenance else "aslant"]
        names = [*result.names] if isinstance(result, AuditComparison) else alone
    for measure in measures:
        for figure in measure.figures:
            picture = standalone(", ".join(map(plain, names)), measure, figure)
            for suffix in (".svg", ".png"):
                path = target / (figure.id + suffix)
                write_bytes(path, charts.as_file(picture, suffix))
                written.append(path)
    return written


def save_tables(result: Result, folder: str | Path) -> list[Path]:
    """Write every table of `result` into `folder` as CSV (all fields), LaTeX and Markdown; return the files.

    >>> import aslant, tempfile
    >>> r = aslant.weat(aslant.load(), "weat-6", bootstrap=0)
    >>> [path.name for path in save_tables(r, tempfile.mkdtemp())]
    ['weat.csv', 'weat.tex', 'weat.md']
    """
    target, written = _folder(folder), []
    named = [("glance" if isinstance(result, AuditResult) else result.kind, result)]
    for part in result.parts if isinstance(result, AuditResult) else ():
        several = len(part.results) > 1
        named += [(f"{part.measure}-{n}" if several else part.measure, r) for n, r in enumerate(part.results, 1)]
    for name, found in named:
        documents = documents_of(found)
        texts = {
            ".csv": to_csv(table_of(found)),
            ".tex": "\n".join(to_latex(table, titled=True) for table in documents),
            ".md": "\n".join(to_markdown(table, titled=True) for table in documents),
        }
        for suffix, text in texts.items():
            path = target / (slug(name) + suffix)
            write_text(path, text)
            written.append(path)
    return written


def standalone(model: str, measure: Measure, figure: Figure) -> str:
    """Return a chart as SVG for a separate file: it says what it shows, and of which model."""
    import altair as alt

    chart = figure.chart
    said = textwrap.wrap(f"{model}: {figure.shows}", 90)
    note = textwrap.wrap(CONTENT_NOTE, 90) if measure.own is not None else []
    if chart.title is alt.Undefined:
        title: Any = alt.Title(measure.title, subtitle=[*note, *said], anchor="start", offset=12)
        chart = chart.properties(title=title)
    return charts.svg(chart, ink=charts.INK, paper=charts.PAPER)


def _folder(folder: str | Path) -> Path:
    target = Path(folder)
    try:
        target.mkdir(exist_ok=True)
    except OSError as error:
        raise AslantError(f"cannot use '{target}' as a folder: {error.strerror or error}.") from None
    return target
