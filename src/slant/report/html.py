"""The report as one self-contained page: no script, no outside host, every token escaped."""

from __future__ import annotations

from slant.errors import SlantError
from slant.report import charts, tables
from slant.report.described import table_of
from slant.report.enumeration_html import enumeration_fragment
from slant.report.polarity import polarity_summary
from slant.report.templating import environment
from slant.results import AuditResult


def page(audit: AuditResult) -> str:
    """Return the report of an audit as HTML."""
    from markupsafe import Markup

    suite = audit.weat
    if suite is None:
        raise SlantError("this page needs the WEAT suite; save this audit as .json, .csv, .md or .tex.")
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
