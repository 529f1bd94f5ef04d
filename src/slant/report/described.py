"""What each kind of result looks like as a table: one function per kind, found by type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

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
from slant.report.survey_table import survey_table
from slant.report.tables import Column, Table, bar, number, plain, pvalue, small
from slant.results import (
    AuditResult,
    ComparisonResult,
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

#: A terminal shows this many words of a long list.
MOST_WORDS = 20
SCALE = "−2     0     2"
WEAT_COLUMNS = (
    Column("test", "test", plain, "left"),
    Column("title", "what is compared", plain, "left", wraps=True),
    Column("effect_size", "d", number),
    Column("effect_size", SCALE, bar, "left", terminal_only=True, min_width=118),
    Column("interval", "interval", str, min_width=134),
    Column("people_effect_size", "d, people", number, min_width=78),
    Column("pvalue", "p", pvalue),
    Column("qvalue", "q", pvalue),
    Column("words", "words", str, min_width=68),
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
    if isinstance(result, AuditResult):
        found = terminal_tables(result.enumeration, width) if result.enumeration else ()
        return (table_of(result.weat), polarity_summary(result), *found)
    return (table_of(result),)


def documents_of(result: Result) -> tuple[Table, ...]:
    """Describe `result` as the tables of a Markdown or LaTeX file."""
    if isinstance(result, LogProbabilityResult):
        return documents(result)
    return document_tables(result) if isinstance(result, EnumerationResult) else (table_of(result),)


def polarity_summary(audit: AuditResult) -> Table:
    """Describe the polarity scores of an audit, one row per setting."""
    columns = (
        Column("classes", "classes", plain, "left", wraps=True),
        Column("scheme", "scheme", plain, "left"),
        Column("score", "score", small),
        Column("interval", "interval", str, min_width=80),
        Column("words", "words", str),
    )
    rows = [
        {
            "classes": ", ".join(group.name for group in result.classes),
            "scheme": result.scheme,
            "score": result.score,
            "interval": _pair(*((i.low, i.high) if (i := result.interval) else (None, None))),
            "words": len(result.by_word),
        }
        for result in audit.polarity
    ]
    notes = ["score: how far professions lean between the classes on average; compare embeddings rather than read one."]
    notes += [f"not run: {plain(what)}: {plain(why)}" for what, why in audit.not_run.items()]
    return Table(f"Polarity on {audit.representation.name}", columns, rows, tuple(notes))


def _weat_one(result: WeatResult) -> Table:
    return _weat_table(result, (result,), ())


def _weat_suite(result: WeatSuiteResult) -> Table:
    skipped = tuple(f"{plain(s.test)} was not run: {plain(s.reason)}." for s in result.skipped)
    return _weat_table(result, result.results, skipped)


def _weat_table(result: WeatResult | WeatSuiteResult, tests: Sequence[WeatResult], notes: tuple[str, ...]) -> Table:
    rows = [
        {
            **row,
            "words": f"{row['words_used']}/{row['words_used'] + row['words_missing']}",
            "interval": _pair(row["low"], row["high"], number),
        }
        for row in result.rows()
    ]
    several = isinstance(result, WeatSuiteResult)
    columns = tuple(c for c in WEAT_COLUMNS if several or c.key != "qvalue")
    said = [
        "d > 0: of what is compared, the first goes with the first attribute and the second with the second; 0: no "
        "association; sets of equal size reach ±2.",
        "people: the effect in the study that a test mirrors; interval: over the choice of words.",
        f"p ({plain(tests[0].alternative) if tests else 'greater'}): over every re-partition of the targets, "
        + ("exact for all tests" if all(_exact(t) for t in tests) else _inexact(tests))
        + (f"; q: Benjamini–Hochberg over the {len(tests)} tests." if several else "."),
    ]
    missing = [f"{plain(t.test)}: no vector for {plain(', '.join(t.missing))}" for t in tests if t.missing]
    missing += [f"{plain(t.test)}: {plain(swapped)}" for t in tests if (swapped := _stand_ins(t))]
    title = f"WEAT on {result.provenance.representation.name}"
    return Table(title, columns, rows, (*said, *missing, *notes))


def _stand_ins(test: WeatResult) -> str:
    """Say which capitalised words fell back to another token, where others of the test did not."""
    pairs = [(w, t) for g in test.targets + test.attributes for w, t in zip(g.used, g.tokens, strict=True)]
    other = [f"{t} stands for {w}" for w, t in pairs if t != w and w != w.lower()]
    return ", ".join(other) if any(t == w and w != w.lower() for w, t in pairs) else ""


def _exact(test: WeatResult) -> bool:
    return test.pvalue_bounds[0] == test.pvalue_bounds[1]


def _inexact(tests: Sequence[WeatResult]) -> str:
    parts = []
    for test in tests:
        if not _exact(test):
            low, high = test.pvalue_bounds
            how = "random partitions, 99 % interval" if test.pvalue_method == "monte carlo" else "guaranteed"
            parts.append(f"{plain(test.test)}: between {low:.4g} and {high:.4g}, {how}")
    return "exact unless said otherwise (" + "; ".join(parts) + ")"


def _wefat(result: WefatResult) -> Table:
    columns = (
        Column("word", "word", plain, "left"),
        Column("effect_size", "d", number),
        Column("effect_size", SCALE, bar, "left", terminal_only=True, min_width=70),
        Column("pvalue", "p", pvalue),
        Column("qvalue", "q", pvalue),
        Column("figure", plain(result.correlation.figure) if result.correlation else "figure", number),
    )
    first, second = (group.name for group in result.attributes)
    notes = [f"d > 0: closer to '{plain(first)}' than to '{plain(second)}'; q: Benjamini–Hochberg over the words."]
    if c := result.correlation:
        notes.append(
            f"correlation of d with {plain(c.figure)} over {c.n} words: Pearson {number(c.pearson)} "
            f"(p {pvalue(c.pearson_pvalue)}), Spearman {number(c.spearman)} (p {pvalue(c.spearman_pvalue)})."
        )
    rows = sorted(result.rows(), key=lambda row: -float(row["effect_size"]))
    return Table(f"WEFAT on {result.provenance.representation.name}", columns, rows, (*notes, *_missing(result)))


def _generalised(result: GeneralisedWeatResult) -> Table:
    columns = (
        Column("group", "group", plain, "left"),
        Column("attributes", "attributes", plain, "left"),
        Column("value", "share of g", small),
    )
    title = f"Multi-group association on {result.provenance.representation.name}"
    return Table(title, columns, result.rows(), (f"g = {small(result.value)}", *_missing(result)))


def _polarity(result: PolarityResult) -> Table:
    columns = (
        Column("word", "word", plain, "left"),
        Column("score", "polarity", small),
        Column("leans_to", "leans to", plain, "left"),
    )
    rows = sorted(result.rows(), key=lambda row: -abs(float(row["score"])))
    interval = _between(result.interval.low, result.interval.high) if result.interval else ""
    classes = ", ".join(plain(group.name) for group in result.classes)
    notes = [f"score of the embedding: {small(result.score)}{interval}, over {len(rows)} words"]
    if len(rows) > MOST_WORDS:
        notes.append(f"shown: the {MOST_WORDS} words that lean most; --csv or --json gives all.")
    title = f"Polarity ({result.scheme}: {classes}) on {result.provenance.representation.name}"
    return Table(title, columns, rows, (*notes, *_missing(result)), shown_rows=MOST_WORDS)


def _polarity_comparison(result: PolarityComparison) -> Table:
    columns = (
        Column("representation", "embedding", plain, "left"),
        Column("score", "score", small),
        Column("interval", "interval", str, min_width=100),
        Column("difference", "difference to the first", small),
        Column("difference_interval", "interval", str, min_width=80),
        Column("difference_pvalue", "p", pvalue),
        Column("words", "words", str, min_width=110),
    )
    rows = [
        {
            **row,
            "interval": _pair(row["low"], row["high"]),
            "difference_interval": _pair(row["difference_low"], row["difference_high"]),
        }
        for row in result.rows()
    ]
    first = result.results[0]
    classes = ", ".join(plain(group.name) for group in first.classes)
    notes = [f"measured on the {len(result.shared_words)} words that all have; p: sign-flip test"]
    notes += [f"{plain(name)} lacks {plain(', '.join(words))}" for name, words in result.left_out.items() if words]
    return Table(f"Polarity ({first.scheme}: {classes})", columns, rows, tuple(notes))


def _trend(result: TrendResult) -> Table:
    columns = (
        Column("year", "year", str),
        Column("score", "score", small),
        Column("interval", "interval", str),
        Column("words", "words", str),
    )
    rows = [{**row, "interval": _pair(row["low"], row["high"])} for row in result.rows()]
    notes = [f"{result.basis}: {len(result.words)}"]
    if t := result.test:
        notes.append(
            f"trend: Kendall's tau {number(t.kendall)} (Mann–Kendall p {pvalue(t.kendall_pvalue)}), "
            f"Spearman {number(t.spearman)} (p {pvalue(t.spearman_pvalue)}), {small(t.slope_per_century)} a century"
        )
    notes += [f"{year} was left out: {plain(why)}" for year, why in result.years_left_out.items()]
    title = f"Polarity over time ({result.scheme}: {', '.join(plain(c) for c in result.classes)})"
    return Table(title, columns, rows, (*notes, *_missing(result)))


def _comparison(result: ComparisonResult) -> Table:
    columns = (
        Column("measure", "measure", plain, "left", wraps=True),
        Column("first", _short(result.first), small),
        Column("second", _short(result.second), small),
        Column("difference", "difference", small),
        Column("interval", "interval", str, min_width=92),
        Column("pvalue", "p", pvalue, min_width=104),
        Column("words", "words", str, min_width=110),
    )
    rows = [{**row, "interval": _pair(row["low"], row["high"])} for row in result.rows()]
    notes = ["only words that both have; the intervals draw the same words in both."]
    notes += [f"not compared: {plain(what)}: {plain(why)}" for what, why in result.not_compared.items()]
    return Table(f"{result.first} and {result.second}", columns, rows, (*notes, *_missing(result)))


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
    return Table(f"{result.title}: printed and recomputed", columns, result.rows(), (*notes, *_missing(result)))


def _short(name: str, most: int = 20) -> str:
    """Return a name that fits the head of a column."""
    shown = plain(name)
    return shown if len(shown) <= most else shown[: most - 1] + "…"


def _digits(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}".replace("-", "−")


def _pair(low: float | None, high: float | None, write: Callable[[float | None], str] = small) -> str:
    return "–" if low is None or high is None else f"{write(low)} to {write(high)}"


def _between(low: float, high: float) -> str:
    return f" (interval {small(low)} to {small(high)})"


def _missing(result: Any) -> tuple[str, ...]:
    return (f"no vector for {plain(', '.join(result.missing))}",) if result.missing else ()


def _audit(result: AuditResult) -> Table:
    return table_of(result.weat)


#: How each kind of result is shown; a new kind adds a line.
TABLES: dict[type[Result], Callable[[Any], Table]] = {
    AuditResult: _audit,
    ComparisonResult: _comparison,
    EnumerationResult: cells_table,
    DebiasCheck: check_table,
    DirectBiasResult: direct_bias_table,
    GeneralisedWeatResult: _generalised,
    GeometryResult: geometry_table,
    IndirectBiasResult: indirect_bias_table,
    LogProbabilityResult: scores_table,
    LogProbabilitySuiteResult: suite_table,
    LogProbabilityWeatResult: weat_table,
    PolarityComparison: _polarity_comparison,
    PolarityResult: _polarity,
    SurveyResult: survey_table,
    ReplicationResult: _replication,
    ResidualBiasResult: residual_table,
    SimilarityResult: similarity_table,
    SubspaceResult: subspace_table,
    TemplateWeatResult: template_weat_table,
    TrendResult: _trend,
    WeatResult: _weat_one,
    WeatSuiteResult: _weat_suite,
    WefatResult: _wefat,
}
