"""Scores of language models as tables: attributes ranked, target sets compared, tests with their effect sizes."""

from __future__ import annotations

from typing import Any

from aslant.errors import plural
from aslant.measures.association.tables import (
    PVALUES,
    SCALE,
    opening_columns,
    pvalue_note,
    tests_of,
    tests_table,
)
from aslant.measures.template_tests.result import (
    MODEL_CONTENT_NOTE,
    LogProbabilityResult,
    LogProbabilitySuiteResult,
    LogProbabilityWeatResult,
    TemplateWeatResult,
)
from aslant.report.conventions import Category, line
from aslant.report.tables import Column, Table, bar, plain, small
from aslant.results.audit import Glance

#: A terminal shows this many attributes from each end of the ranking.
EACH_END = 10
#: Side by side, up to this many target sets have their own columns for probabilities.
MOST_SIDES = 3
TEST_COLUMNS = (*opening_columns("d", 110), *PVALUES, Column("scores", "scores", str, min_width=68))


def scores_table(result: LogProbabilityResult) -> Table:
    """Describe every attribute, largest score first."""
    columns = [
        Column("attribute", "attribute", plain, "left", wraps=True),
        Column("score", "score", small),
        Column("score", SCALE, bar, "left", terminal_only=True, min_width=76),
        Column("leans_to", "leans to", plain, "left"),
    ]
    if result.scores and result.scores[0].sides[0].p_target is not None:
        for side in result.targets[:MOST_SIDES]:
            name, width = plain(side.name), 76 + 14 * len(result.targets)
            columns += [
                Column(f"{side.name}: p_target", f"p {name}", probability, min_width=width),
                Column(f"{side.name}: p_prior", f"prior {name}", probability, min_width=width),
            ]
    rows = sorted(result.rows(), key=lambda row: -float(row["score"]))
    title = f"Log-probability bias ({_names(result)}) in {result.provenance.representation.name}"
    return Table(title, tuple(columns), rows, _notes(result), first_line=MODEL_CONTENT_NOTE)


def terminal_tables(result: LogProbabilityResult, width: int = 140) -> tuple[Table, ...]:
    """Describe both ends of the ranking and, with more than two target sets, how each compares with the others."""
    whole = scores_table(result)
    rows, notes = whole.rows, whole.notes
    if len(rows) > 2 * EACH_END:
        rows = [{**row, "end": 0} for row in rows[:EACH_END]] + [{**row, "end": 1} for row in rows[-EACH_END:]]
        said = f"shown: {EACH_END} attributes from each end of {len(whole.rows):,}; --csv or --json gives all."
        notes = (said, *notes)
    ends = Table(whole.title, whole.columns, rows, notes, first_line=whole.first_line, section_key="end")
    return (ends, contrasts_table(result)) if len(result.targets) > 2 else (ends,)


def contrasts_table(result: LogProbabilityResult) -> Table:
    """Describe every pair of target sets, and each against the rest."""
    columns = (
        Column("first", "target", plain, "left"),
        Column("second", "against", plain, "left"),
        Column("mean", "mean score", small),
        Column("share", "share ≥ 0", percent),
        Column("interval", "interval", str, min_width=70),
    )
    rows = [
        {
            "first": c.first,
            "second": c.second,
            "mean": c.mean,
            "share": c.share,
            "interval": f"{percent(c.low)} to {percent(c.high)}",
        }
        for c in result.contrasts
    ]
    notes = (
        f"over {plural(len(result.scores), 'attribute')}; one-vs-one {small(result.one_vs_one)} (mean absolute "
        f"difference of the pairs), one-vs-rest {small(result.one_vs_rest)} (mean of the largest difference from the "
        "others).",
    )
    return Table("Target sets compared", columns, rows, notes)


def documents(result: LogProbabilityResult) -> tuple[Table, ...]:
    """Describe everything, for a Markdown or LaTeX file."""
    return (scores_table(result), contrasts_table(result)) if len(result.targets) > 2 else (scores_table(result),)


def _notes(result: LogProbabilityResult) -> tuple[str, ...]:
    first = plain(result.targets[0].name)
    if len(result.targets) == 2:
        c = result.share
        said = [
            f"score > 0: associated with {first} rather than {plain(result.targets[1].name)}; natural logarithm.",
            f"{c.count:,} of {plural(c.n, 'attribute')} (≥ 0: {percent(c.share)}, {percent(result.confidence)} Wilson "
            f"interval {percent(c.low)} to {percent(c.high)}) are associated with {first}; mean score {small(c.mean)}.",
        ]
    else:
        said = ["score: the association with the class that the attribute leans to, minus the mean of the others."]
    said.append(f"compared: {result.method}, in {'; '.join(plain(text) for text in result.templates)}")
    said += [plain(note) for note in result.notes]
    return (*said, *_about(result))


def _names(result: LogProbabilityResult) -> str:
    return ", ".join(target.name for target in result.targets)


def _about(result: Any) -> tuple[str, ...]:
    note = result.provenance.representation.note
    return (f"the model: {plain(note)}",) if note else ()


def tests_in_templates(result: LogProbabilityWeatResult | LogProbabilitySuiteResult | TemplateWeatResult) -> Table:
    """Describe one test on words in templates, by log-probabilities or by vectors, or a suite."""
    vectors, tests = isinstance(result, TemplateWeatResult), tests_of(result)
    unit = "template and attribute" if any(getattr(t, "as_published", False) for t in tests) else "attribute"
    notes = [
        "d > 0: the first of each pair in the title are associated, and so are the second; 0: no "
        "association; sets of equal size reach ±2.",
        pvalue_note(result, f"over re-partitions of one score per {unit}"),
        *dict.fromkeys(plain(note) for test in tests for note in getattr(test, "notes", ())),
        *_about(result),
    ]
    what = "WEAT in templates, last layer," if vectors else "Log-probability tests"
    lacking = "not one piece of the vocabulary:" if vectors else ""
    return tests_table(what, result, TEST_COLUMNS, notes, lacking, first_line=MODEL_CONTENT_NOTE)


def probability(value: float | None) -> str:
    """Write a probability with two significant digits.

    >>> probability(0.0321), probability(1.23e-7), probability(None)
    ('0.032', '1.2e-07', '–')
    """
    return "–" if value is None else f"{value:.2g}"


def percent(share: float) -> str:
    """Write a share as per cent with one decimal, none where it is whole.

    >>> percent(0.885), percent(0.95), percent(1.0)
    ('88.5 %', '95 %', '100 %')
    """
    return f"{100 * share:.1f}".removesuffix(".0") + " %"


#: Target sets that stand for gender, whatever the words beside them are about.
GENDERED = {"female", "he", "her", "him", "male", "man", "men", "she", "they", "woman", "women"}


def glance(r: LogProbabilityResult, about: Category) -> list[Glance]:
    """Say at a glance what was found."""
    c, (source, listed) = r.share, (r.provenance.stimuli, str(r.provenance.settings["attributes"]))
    sentence = (
        f"{c.count:,} of {c.n:,} words go with “{c.first}” rather than “{c.second}” ({c.share:.0%}, interval "
        f"{c.low:.0%} to {c.high:.0%})."
    )
    stimuli = listed if source == "own" else source if listed in ("own", source) else f"{source}, {listed}"
    gendered = {target.name.lower() for target in r.targets} <= GENDERED
    category = "gender" if gendered else about(source if source != "own" else listed)
    return [line(category, stimuli, c.share, "share", sentence)]
