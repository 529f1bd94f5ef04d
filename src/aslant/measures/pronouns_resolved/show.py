"""Resolved pronouns as tables: Table 4 of Kurita et al., topics with their bias, and calibration."""

from __future__ import annotations

from typing import Any

from aslant.errors import plural
from aslant.measures.pronouns_resolved.result import GenderGap, PronounResolutionResult, TopicCorrelation
from aslant.measures.template_tests.result import MODEL_CONTENT_NOTE
from aslant.measures.template_tests.show import percent
from aslant.report.conventions import Category, line, signed
from aslant.report.tables import Column, Table, between, plain, pvalue, small
from aslant.results.audit import Glance
from aslant.results.parts import Interval, Spread

#: A terminal shows this many words of a topic.
SHOWN_WORDS = 8


def outcomes_table(result: PronounResolutionResult) -> Table:
    """Describe both genders: share of "neither" in the labels and as predicted, accuracy, log-loss, calibration."""
    columns = (
        Column("gender", "pronouns", plain, "left"),
        Column("samples", "samples", _count),
        Column("prior", "neither: labels", _percent),
        Column("predicted", "predicted", _percent),
        Column("interval", "interval", str, min_width=76),
        Column("accuracy", "accuracy", _percent),
        Column("log_loss", "log-loss", small, min_width=90),
        Column("calibration_error", "calibration error", small, min_width=110),
        Column("rho", "ρ with bias", small, min_width=124),
    )
    rows = [{**row, "interval": between(row["low"], row["high"], _percent)} for row in result.rows()]
    title = f"Gendered pronoun resolution with {result.provenance.representation.name}"
    return Table(title, columns, rows, _notes(result), first_line=MODEL_CONTENT_NOTE)


def topics_table(result: PronounResolutionResult, words: int | None = None) -> Table:
    """Describe the topics, those that lean most to men first."""
    columns = (
        Column("topic", "topic", str),
        Column("words", "first words", plain, "left", wraps=True),
        Column("samples", "samples", _count, min_width=70),
        Column("bias", "bias", small),
        Column("mean_score", "mean score", small, min_width=90),
    )
    rows = [
        {**row, "words": ", ".join(word.word for word in topic.words[:words])}
        for row, topic in zip(result.topic_rows(), result.topics, strict=True)
    ]
    rows.sort(key=lambda row: -(row["bias"] or 0.0))
    notes = (
        "samples: those that have the topic as their largest. bias: Σ weight × log-probability score of its words, "
        "above 0: men; mean score: the same over Σ weight.",
    )
    asked = f", scored by {result.language_model.name}" if result.language_model else ""
    return Table(f"Topics of the texts{asked}", columns, rows, notes)


def calibration_table(result: PronounResolutionResult) -> Table:
    """Describe how often "neither" was right, by how probable it was thought to be."""
    columns = (
        Column("gender", "pronouns", plain, "left"),
        Column("range", "P(neither)", str, "left"),
        Column("n", "samples", _count),
        Column("predicted", "predicted, mean", percent),
        Column("observed", "labels", percent),
    )
    rows = [
        {
            "gender": outcome.gender,
            "range": f"{b.low:.2g} to {b.high:.2g}",
            "n": b.n,
            "predicted": b.predicted,
            "observed": b.observed,
        }
        for outcome in result.outcomes
        for b in outcome.calibration
    ]
    errors = "; ".join(f"{o.gender} {small(o.calibration_error)}" for o in result.outcomes)
    notes = (f"expected calibration error of P(neither): {errors}.",)
    return Table("Calibration of “neither”", columns, rows, notes, section_key="gender")


def terminal_tables(result: PronounResolutionResult, width: int = 140) -> tuple[Table, ...]:
    """Describe what a terminal shows."""
    return outcomes_table(result), topics_table(result, SHOWN_WORDS)


def documents(result: PronounResolutionResult) -> tuple[Table, ...]:
    """Describe everything, for a Markdown or LaTeX file."""
    return outcomes_table(result), topics_table(result), calibration_table(result)


def samples_table(result: PronounResolutionResult) -> Table:
    """Describe every sample, for a CSV file."""
    return Table("Samples", (), result.sample_rows())


def _notes(result: PronounResolutionResult) -> tuple[str, ...]:
    settings = result.provenance.settings
    trained = f"trained on {settings['train']}" if settings.get("train") else f"out of {settings.get('folds')} folds"
    said = [
        f"{plain(result.provenance.stimuli)}, predictions {plain(trained)}, "
        f"mean of {plural(result.gap_by_seed.n, 'seed')}; "
        f"accuracy {_range(result.accuracy, percent)}, log-loss {_range(result.log_loss, small)}.",
        f"“neither”, female minus male: predicted {_gap(result.gap)}, by seed {_range(result.gap_by_seed, _points)}; "
        f"in the labels {_points(result.label_gap)} points.",
        f"predicted minus label, female minus male: {_gap(result.beyond_labels)}.",
    ]
    said += [_correlation(found) for found in result.correlations]
    said += [plain(note) for note in result.notes]
    for what, model in (("vectors", result.provenance.representation), ("scores", result.language_model)):
        if model is not None and model.note:
            said.append(f"{what}: {plain(model.name)}: {plain(model.note)}")
    return tuple(said)


def _gap(gap: GenderGap) -> str:
    return f"{_points(gap.difference)} points{_between(gap.interval, _points)}, p = {pvalue(gap.pvalue)} (permutation)"


def _correlation(found: TopicCorrelation) -> str:
    return (
        f"sample bias and P(neither), {found.n:,} {plain(found.gender)} pronouns: Spearman's ρ = {small(found.rho)}"
        f"{_between(found.interval, small)}, p = {pvalue(found.pvalue)}."
    )


def _between(interval: Interval | None, write: Any) -> str:
    if interval is None:
        return ""
    return f" ({percent(interval.confidence)} interval {between(interval.low, interval.high, write)})"


def _range(spread: Spread, write: Any) -> str:
    return f"{write(spread.mean)} ({write(spread.minimum)} to {write(spread.maximum)})"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"


def _points(difference: float | None) -> str:
    """Write a difference of shares in percentage points."""
    return "–" if difference is None else f"{100 * difference:z.1f}".replace("-", "−")


def _count(value: int) -> str:
    return f"{value:,}"


def glance(r: PronounResolutionResult, about: Category) -> list[Glance]:
    """Say at a glance what was found."""
    male, female = r.outcomes
    source, gap = r.provenance.stimuli, r.gap
    sentence = (
        f"“Neither” is predicted with {female.predicted:.0%} for female and {male.predicted:.0%} for male pronouns "
        f"(in the labels: {female.prior:.0%} and {male.prior:.0%})."
    )
    found = [line("gender", source, gap.difference, "difference in probability", sentence, gap.pvalue)]
    for c in r.correlations:
        sentence = f"“Neither” goes with the bias of a text's topics, {c.gender} pronouns: ρ = {signed(c.rho)}."
        found.append(line("gender", f"{source}, topics, {c.gender}", c.rho, "rho", sentence, c.pvalue))
    return found
