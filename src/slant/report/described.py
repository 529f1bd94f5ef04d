"""What each kind of result looks like as a table: one function per kind, found by type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from slant.report.contextual import contextual_table, contextual_tables
from slant.report.debias import check_table, similarity_table
from slant.report.enumeration import cells_table, document_tables, terminal_tables
from slant.report.geometry import (
    direct_bias_table,
    geometry_table,
    indirect_bias_table,
    residual_table,
    subspace_table,
)
from slant.report.log_probability import (
    documents,
    scores_table,
    suite_table,
    template_weat_table,
    weat_table,
)
from slant.report.log_probability import terminal_tables as model_tables
from slant.report.polarity import (
    comparison_table,
    polarity_comparison_table,
    polarity_summary,
    polarity_table,
    trend_table,
)
from slant.report.survey_table import survey_table
from slant.report.tables import Column, Table, missing_words, plain
from slant.report.weat import association_table, associations_table, generalised_table, wefat_table
from slant.results import (
    AuditResult,
    ComparisonResult,
    ContextualBiasResult,
    DebiasCheck,
    DirectBiasResult,
    EnumerationResult,
    GeneralisedWeatResult,
    GeometryResult,
    IndirectBiasResult,
    LogProbabilityResult,
    LogProbabilitySuiteResult,
    LogProbabilityWeatResult,
    PolarityComparison,
    PolarityResult,
    ReplicationResult,
    ResidualBiasResult,
    Result,
    SimilarityResult,
    SubspaceResult,
    SurveyResult,
    TemplateWeatResult,
    TrendResult,
    WeatResult,
    WeatSuiteResult,
    WefatResult,
)


def table_of(result: Result) -> Table:
    """Describe `result` as a table."""
    return TABLES[type(result)](result)


def tables_of(result: Result, width: int = 140) -> tuple[Table, ...]:
    """Describe `result` as the tables that a terminal shows: one, or for an audit one per measure."""
    if isinstance(result, EnumerationResult):
        return terminal_tables(result, width)
    if isinstance(result, LogProbabilityResult):
        return model_tables(result)
    if isinstance(result, ContextualBiasResult):
        return contextual_tables(result)
    if isinstance(result, AuditResult):
        found = terminal_tables(result.enumeration, width) if result.enumeration else ()
        return (table_of(result.weat), polarity_summary(result), *found)
    return (table_of(result),)


def documents_of(result: Result) -> tuple[Table, ...]:
    """Describe `result` as the tables of a Markdown or LaTeX file."""
    if isinstance(result, LogProbabilityResult):
        return documents(result)
    if isinstance(result, ContextualBiasResult):
        return contextual_tables(result)
    return document_tables(result) if isinstance(result, EnumerationResult) else (table_of(result),)


def _replication(result: ReplicationResult) -> Table:
    columns = (
        Column("row", "row", plain, "left"),
        Column("column", "column", plain, "left"),
        Column("printed", "printed", _digits),
        Column("ours", "ours", _digits),
        Column("difference", "difference", _digits),
        Column("verdict", "verdict", plain, "left", wraps=True),
        Column("used", "with", plain, "left", wraps=True, min_width=90),
    )
    notes = [plain(note) for note in result.notes]
    notes += [f"{plain(c.row)}, {plain(c.column)}: {plain(c.note)}" for c in result.cells if c.used and c.note]
    return Table(f"{result.title}: printed and recomputed", columns, result.rows(), (*notes, *missing_words(result)))


def _digits(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}".replace("-", "−")


def _audit(result: AuditResult) -> Table:
    return table_of(result.weat)


#: How each kind of result is shown; a new kind adds a line.
TABLES: dict[type[Result], Callable[[Any], Table]] = {
    AuditResult: _audit,
    ComparisonResult: comparison_table,
    ContextualBiasResult: contextual_table,
    EnumerationResult: cells_table,
    DebiasCheck: check_table,
    DirectBiasResult: direct_bias_table,
    GeneralisedWeatResult: generalised_table,
    GeometryResult: geometry_table,
    IndirectBiasResult: indirect_bias_table,
    LogProbabilityResult: scores_table,
    LogProbabilitySuiteResult: suite_table,
    LogProbabilityWeatResult: weat_table,
    PolarityComparison: polarity_comparison_table,
    PolarityResult: polarity_table,
    SurveyResult: survey_table,
    ReplicationResult: _replication,
    ResidualBiasResult: residual_table,
    SimilarityResult: similarity_table,
    SubspaceResult: subspace_table,
    TemplateWeatResult: template_weat_table,
    TrendResult: trend_table,
    WeatResult: association_table,
    WeatSuiteResult: associations_table,
    WefatResult: wefat_table,
}
