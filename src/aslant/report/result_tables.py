"""What each kind of result looks like as a table: one function per kind, found by type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aslant.measures.association.result import (
    GeneralisedWeatResult,
    MaskedWeatResult,
    MaskedWeatSuiteResult,
    WeatResult,
    WeatSuiteResult,
    WefatResult,
)
from aslant.measures.association.show import association_table, associations_table, generalised_table, wefat_table
from aslant.measures.enumeration.comparison_show import covered_table, enumeration_comparison_table
from aslant.measures.enumeration.result import EnumerationComparison, EnumerationResult
from aslant.measures.enumeration.show import cells_table, document_tables, terminal_tables
from aslant.measures.enumeration.survey_result import SurveyResult
from aslant.measures.enumeration.survey_show import survey_table
from aslant.measures.geometry.result import DirectBiasResult, GeometryResult, IndirectBiasResult, SubspaceResult
from aslant.measures.geometry.show import (
    direct_bias_table,
    geometry_table,
    indirect_bias_table,
    residual_table,
    subspace_table,
)
from aslant.measures.in_context.result import ContextualBiasResult
from aslant.measures.in_context.show import contextual_table, contextual_tables
from aslant.measures.polarities.result import (
    ComparisonResult,
    PolarityComparison,
    PolarityResult,
    TrendResult,
    TrendsResult,
)
from aslant.measures.polarities.show import (
    comparison_table,
    polarity_comparison_table,
    polarity_table,
    trend_table,
    trends_table,
)
from aslant.measures.pronouns_chosen.result import PronounChoiceResult
from aslant.measures.pronouns_chosen.show import groups_table, occupations_table
from aslant.measures.pronouns_resolved.result import PronounResolutionResult
from aslant.measures.pronouns_resolved.show import documents as pronoun_documents
from aslant.measures.pronouns_resolved.show import outcomes_table
from aslant.measures.pronouns_resolved.show import terminal_tables as pronoun_tables
from aslant.measures.residuals.result import ResidualBiasResult
from aslant.measures.sentence_tests.result import CeatResult, CeatSuiteResult, SeatResult, SeatSuiteResult
from aslant.measures.sentence_tests.show import ceat_table, seat_table
from aslant.measures.template_tests.result import (
    LogProbabilityResult,
    LogProbabilitySuiteResult,
    LogProbabilityWeatResult,
    TemplateWeatResult,
)
from aslant.measures.template_tests.show import documents, scores_table, suite_table, template_weat_table, weat_table
from aslant.measures.template_tests.show import terminal_tables as model_tables
from aslant.report import replication
from aslant.report.audit import differences_table, glance_table
from aslant.report.debias import check_table, similarity_table
from aslant.report.policy import policy_table
from aslant.report.stored import audits_table, change_table, figures_table, history_table
from aslant.report.tables import Column, Table, missing_words, plain, small
from aslant.results.audit import AuditComparison, AuditResult
from aslant.results.codec import Result
from aslant.results.debias import DebiasCheck, SimilarityResult
from aslant.results.policy import PolicyCheck
from aslant.results.replication import ReplicationResult, ReplicationsResult
from aslant.results.stored import AuditChange, FigureHistory, StoredAudits, StoredFigures


def table_of(result: Result) -> Table:
    """Describe `result` as a table; a kind without a description of its own shows all fields of its rows."""
    return TABLES.get(type(result), _any_table)(result)


def _any_table(result: Any) -> Table:
    rows = result.rows() if hasattr(result, "rows") else [_fields(result)]
    columns = tuple(Column(key, key.replace("_", " "), _value, "left", wraps=True) for key in (rows[0] if rows else ()))
    return Table(result.kind.replace("-", " "), columns, rows, missing_words(result) if _has_missing(result) else ())


def _fields(result: Result) -> dict[str, Any]:
    """Return what of a result can stand in one row."""
    return {key: value for key, value in result.to_dict().items() if isinstance(value, str | int | float)}


def _has_missing(result: Any) -> bool:
    return bool(getattr(result, "missing", ()))


def _value(value: Any) -> str:
    return "–" if value is None else small(value) if isinstance(value, float) else plain(value)


def tables_of(result: Result, width: int = 140) -> tuple[Table, ...]:
    """Describe `result` as the tables that a terminal shows: one, or several where a result has more to show."""
    if isinstance(result, EnumerationResult):
        return terminal_tables(result, width)
    if isinstance(result, LogProbabilityResult):
        return model_tables(result)
    if isinstance(result, PronounChoiceResult):
        return groups_table(result), occupations_table(result, ends=True)
    if isinstance(result, PronounResolutionResult):
        return pronoun_tables(result)
    if isinstance(result, ContextualBiasResult):
        return contextual_tables(result)
    if isinstance(result, ReplicationResult):
        return replication.terminal_tables(result)
    return (table_of(result),)


def documents_of(result: Result) -> tuple[Table, ...]:
    """Describe `result` as the tables of a Markdown or LaTeX file."""
    if isinstance(result, LogProbabilityResult):
        return documents(result)
    if isinstance(result, PronounChoiceResult):
        return groups_table(result), occupations_table(result)
    if isinstance(result, PronounResolutionResult):
        return pronoun_documents(result)
    if isinstance(result, ContextualBiasResult):
        return contextual_tables(result)
    if isinstance(result, ReplicationResult):
        return replication.document_tables(result)
    if isinstance(result, EnumerationComparison):
        return (covered_table(result),)
    return document_tables(result) if isinstance(result, EnumerationResult) else (table_of(result),)


#: How each kind of result is shown; a new kind adds a line.
TABLES: dict[type[Result], Callable[[Any], Table]] = {
    CeatResult: ceat_table,
    CeatSuiteResult: ceat_table,
    AuditChange: change_table,
    AuditComparison: differences_table,
    AuditResult: glance_table,
    ComparisonResult: comparison_table,
    ContextualBiasResult: contextual_table,
    EnumerationComparison: enumeration_comparison_table,
    EnumerationResult: cells_table,
    FigureHistory: history_table,
    DebiasCheck: check_table,
    DirectBiasResult: direct_bias_table,
    GeneralisedWeatResult: generalised_table,
    GeometryResult: geometry_table,
    IndirectBiasResult: indirect_bias_table,
    LogProbabilityResult: scores_table,
    LogProbabilitySuiteResult: suite_table,
    LogProbabilityWeatResult: weat_table,
    MaskedWeatResult: association_table,
    MaskedWeatSuiteResult: associations_table,
    PolarityComparison: polarity_comparison_table,
    PolarityResult: polarity_table,
    PronounChoiceResult: occupations_table,
    PolicyCheck: policy_table,
    PronounResolutionResult: outcomes_table,
    SurveyResult: survey_table,
    ReplicationResult: replication.cells_table,
    ReplicationsResult: replication.summary_table,
    ResidualBiasResult: residual_table,
    SeatResult: seat_table,
    SeatSuiteResult: seat_table,
    SimilarityResult: similarity_table,
    StoredAudits: audits_table,
    StoredFigures: figures_table,
    SubspaceResult: subspace_table,
    TemplateWeatResult: template_weat_table,
    TrendResult: trend_table,
    TrendsResult: trends_table,
    WeatResult: association_table,
    WeatSuiteResult: associations_table,
    WefatResult: wefat_table,
}
