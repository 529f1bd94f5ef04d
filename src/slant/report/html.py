"""The report as one self-contained page: no script, no outside host, every token escaped."""

from __future__ import annotations

from slant.report import charts, tables
from slant.report.described import table_of
from slant.report.enumeration_html import enumeration_fragment
from slant.report.polarity import polarity_summary
from slant.report.templating import environment
from slant.results import AuditComparison, AuditResult


def page(audit: AuditResult) -> str:
    """Return the report of an audit as HTML."""
    from markupsafe import Markup

    suite = audit.weat
    if suite is None:
        return tables_page(audit)
    table = table_of(suite)
    columns = [column for column in table.columns if not column.terminal_only]
    return (
        environment()
        .get_template("report.html.j2")
        .render(
            audit=audit,
            suite=suite,
            columns=columns,
            rows=table.rows,
            polarity=polarity_summary(audit),
            notes=table.notes,
            enumeration=Markup(enumeration_fragment(audit.enumeration)) if audit.enumeration else "",
            chart=Markup(charts.weat_chart(suite)) if suite.results else "",
            found=_summary(audit) + _enumerated(audit),
            number=tables.number,
            plain=tables.plain,
        )
    )


def tables_page(result: AuditResult | AuditComparison) -> str:
    """Return a plain page with one table: of an audit without WEAT, or of several side by side."""
    from html import escape

    table = table_of(result)
    columns = [column for column in table.columns if not column.terminal_only]
    heads = "".join(f'<th scope="col">{escape(column.title)}</th>' for column in columns)
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(column.write(row[column.key]))}</td>" for column in columns) + "</tr>"
        for row in table.rows
    )
    notes = "".join(f"<li>{escape(note)}</li>" for note in table.notes)
    title = escape(tables.plain(table.title))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>'
        f"<body><h1>{title}</h1>"
        "<p><strong>Content note.</strong> These tests reproduce stereotypes in order to measure them.</p>"
        f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table><ul>{notes}</ul></body></html>\n"
    )


def _summary(audit: AuditResult) -> str:
    suite = audit.weat
    if suite is None or not suite.results:
        return "No test could be run: too few of the words are in the vocabulary."
    significant = [r for r, q in zip(suite.results, suite.qvalues, strict=True) if q < 0.05]
    largest = max(suite.results, key=lambda r: abs(r.effect_size))
    steady = sum(1 for r in significant if r.interval and not r.interval.low <= 0 <= r.interval.high)
    share = (
        f"{len(significant)} of {len(suite.results)} association tests show an association that chance does not explain"
    )
    return (
        f"{share} (false-discovery rate 5 %); for {steady} of these the interval over the choice of words also leaves "
        f"out 0, while the others hang more on which words were chosen. The largest effect is in “{largest.title}”: "
        f"d = {tables.number(largest.effect_size)}, p = {tables.pvalue(largest.pvalue)}."
    )


def _enumerated(audit: AuditResult) -> str:
    if (found := audit.enumeration) is None:
        return ""
    return (
        f" Without naming any association in advance, {len(found.significant):,} of {len(found.cells):,} pairs of a "
        f"group of names and a category of words stand out from chance (false-discovery rate "
        f"{100 * float(found.provenance.settings['alpha']):g} %)."
    )
