"""Scores of language models as tables and charts: attributes ranked, target sets compared, tests in templates."""

from __future__ import annotations

import json
import math
import textwrap
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from aslant.errors import plural
from aslant.measures.association.show import CHANCE, PVALUES, SCALE, opening_columns, pvalue_note, tests_of, tests_table
from aslant.measures.shared.association import AssociationSuite, AssociationTest
from aslant.measures.template_tests.result import (
    REST,
    Contrast,
    LogProbabilityResult,
    LogProbabilityWeatResult,
    TemplateWeatResult,
)
from aslant.report.charts import INK, MODEL_COLOUR, PAPER, PEOPLE_COLOUR, svg
from aslant.report.conventions import DRAWN, MODEL_CONTENT_NOTE, Category, line, weakest_chance
from aslant.report.tables import Column, Table, bar, number, percentage, plain, pvalue, small
from aslant.results.audit import Glance
from aslant.statistics import Chance

#: A terminal shows this many attributes from each end of the ranking.
EACH_END = 10
#: Side by side, up to this many target sets have their own columns for probabilities.
MOST_SIDES = 3
TEST_COLUMNS = (*opening_columns("d"), *PVALUES, *CHANCE, Column("scores", "scores", str, spare=3))


def scores_table(result: LogProbabilityResult) -> Table:
    """Describe every attribute, largest score first."""
    columns = [
        Column("attribute", "attribute", plain, "left", wraps=True),
        Column("score", "score", small),
        Column("score", SCALE, bar, "left", terminal_only=True, spare=1),
        Column("leans_to", "leans to", plain, "left"),
    ]
    if result.scores and result.scores[0].sides[0].p_target is not None:
        for side in result.targets[:MOST_SIDES]:
            name = plain(side.name)
            columns += [
                Column(f"{side.name}: p_target", f"p {name}", probability, spare=2),
                Column(f"{side.name}: p_prior", f"prior {name}", probability, spare=2),
            ]
    rows = sorted(result.rows(), key=lambda row: -float(row["score"]))
    names = ", ".join(target.name for target in result.targets)
    title = f"Log-probability bias ({names}) in {result.provenance.representation.name}"
    return Table(title, tuple(columns), rows, _notes(result), first_line=MODEL_CONTENT_NOTE)


def terminal_tables(result: LogProbabilityResult, width: int = 140) -> tuple[Table, ...]:
    """Describe both ends of the ranking and, with more than two target sets, how each compares with the others."""
    whole = scores_table(result)
    rows, notes = whole.rows, whole.notes
    if len(rows) > 2 * EACH_END:
        rows = [{**row, "end": 0} for row in rows[:EACH_END]] + [{**row, "end": 1} for row in rows[-EACH_END:]]
        notes = (
            f"shown: {EACH_END} attributes from each end of {len(whole.rows):,}; --csv or --json gives all.",
            *notes,
        )
    ends = replace(whole, rows=rows, notes=notes, section_key="end")
    return (ends, contrasts_table(result)) if len(result.targets) > 2 else (ends,)


def contrasts_table(result: LogProbabilityResult) -> Table:
    """Describe every pair of target sets, and each against the rest."""
    columns = (
        Column("first", "target", plain, "left"),
        Column("second", "against", plain, "left"),
        Column("mean", "mean score", small),
        Column("share", "share ≥ 0", percent),
        Column("interval", "interval", str, spare=2),
        *PVALUES,
        *(CHANCE if any(c.chance for c in result.contrasts) else ()),
    )
    rows = [_contrast_row(c) for c in result.contrasts]
    notes = (
        f"over {plural(len(result.scores), 'attribute')}; one-vs-one {small(result.one_vs_one)} (mean absolute "
        f"difference of the pairs), one-vs-rest {small(result.one_vs_rest)} (mean of the largest difference from the "
        "others).",
        "p: of the mean score, two-sided, over the signs of the attributes' differences; q: Benjamini–Hochberg over "
        "these contrasts. A small p says that other attributes would lean the same way, not that these targets differ "
        "more than any two words do: that is what chance is for.",
        *_contrasts_chance(result),
    )
    return Table("Target sets compared", columns, rows, notes)


def _contrast_row(c: Contrast) -> dict[str, Any]:
    chance = c.chance
    return {
        **vars(c), "interval": f"{percent(c.low)} to {percent(c.high)}",
        "chance": f"{percent(chance.low)} to {percent(chance.high)}" if chance else "–",
        "chance_pvalue": chance.pvalue if chance else None,
        "twins": ", ".join(map(percent, c.twins)),
    }  # fmt: skip


def _contrasts_chance(result: LogProbabilityResult) -> list[str]:
    """Say what the columns on chance are, and what untrained models give."""
    twins = [(f"{plain(c.first)}, {plain(c.second)}:", [percent(share) for share in c.twins]) for c in result.contrasts]
    said = twins_notes(result, "shares of ", twins)
    if not any(c.chance for c in result.contrasts):
        return said
    return [
        "chance: 95 % of the shares with first names of one gender in place of the targets, a pair or one name "
        "against as many others; p (chance): how many of them are as far from one half.",
        *said,
    ]


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
            f"interval {percent(c.low)} to {percent(c.high)}) are associated with {first}; mean score "
            f"{small(c.mean)}{_own_pvalue(c)}.",
            *share_chance(result.chance, wanted=bool(result.provenance.settings.get("chance"))),
            *_scores_chance(result),
            *twins_notes(result, "a share of ", [("", [percent(share) for share in result.twins])]),
        ]
    else:
        said = ["score: the association with the class that the attribute leans to, minus the mean of the others."]
    said.append(f"compared: {result.method}, in {'; '.join(plain(text) for text in result.templates)}")
    said += [plain(note) for note in result.notes]
    return (*said, *_about(result))


def _own_pvalue(c: Contrast) -> str:
    return "" if c.pvalue is None else f" (p = {pvalue(c.pvalue)}, over the signs of the attributes' scores)"


def share_chance(chance: Chance | None, *, wanted: bool = False) -> list[str]:
    """Say what pairs of names give for a share, or, where it was `wanted`, that it is not known."""
    if chance is None:
        return ["chance: not known, since too few first names are one piece for this model."] if wanted else []
    return [
        f"chance: with {chance.draws} {DRAWN[chance.kind]} in place of the targets, 95 % of the shares are between "
        f"{percent(chance.low)} and {percent(chance.high)}; p (chance) = {pvalue(chance.pvalue)}. A share that such "
        "pairs reach does not show that these targets differ."
    ]


def _scores_chance(result: LogProbabilityResult) -> list[str]:
    """Say how far single attributes lean between two names of one gender, and how many lean further here."""
    if (reach := result.names_reach) is None:
        return []
    beyond = sum(abs(score.score) > reach for score in result.scores)
    return [
        f"single attributes: between two such names, 95 % of the scores are within ±{small(reach)}; {beyond:,} of "
        f"{plural(len(result.scores), 'attribute')} here {'is' if beyond == 1 else 'are'} beyond that."
    ]


def pieces_note(test: LogProbabilityWeatResult) -> list[str]:
    """Say of a test whose attribute sets differ in word pieces how many they have, and what the effect is without."""
    pieces = [f"{mean:.1f}" for mean in test.pieces]
    if pieces[0] == pieces[1]:
        return []
    first, second = (f"'{plain(g.name)}' {mean}" for g, mean in zip(test.attributes, pieces, strict=True))
    among = f"d among attributes of one piece is {number(test.effect_size_one_piece)}"
    return [f"{plain(test.test)}: word pieces on average: {first}, {second}; {among}."]


def twins_notes(
    result: Any, what: str, given: Sequence[tuple[str, Sequence[str]]], instead: str = ""
) -> list[str]:  # fmt: skip
    """Say what untrained models give, by test, or why there are none; nothing where they were not requested."""
    if not result.provenance.settings.get("twins"):
        return []
    said = "; ".join(f"{name} {', '.join(values)}".strip() for name, values in given if values)
    if not said:
        return [f"untrained models: none, since the architecture of this model cannot be rebuilt here{instead}."]
    return [
        f"untrained models of the same architecture and tokenizer, their weights drawn at random, give {what}{said}. "
        "What they reach needs no training."
    ]


def _about(result: Any) -> tuple[str, ...]:
    note = result.provenance.representation.note
    return (f"the model: {plain(note)}",) if note else ()


def tests_in_templates(result: AssociationTest | AssociationSuite) -> Table:
    """Describe one test on words in templates, by log-probabilities or by vectors, or a suite."""
    vectors, tests = isinstance(result, TemplateWeatResult), tests_of(result)
    twins = [(plain(test.test), [number(d) for d in getattr(test, "twins", ())]) for test in tests]
    unit = "template and attribute" if any(getattr(t, "as_published", False) for t in tests) else "attribute"
    notes = [
        "d > 0: the first of each pair in the title are associated, and so are the second; 0: no "
        "association; sets of equal size reach ±2.",
        pvalue_note(result, f"over re-partitions of one score per {unit}"),
        *twins_notes(result, "d = ", twins, "; random words of as many word pieces take their place"),
        *(note for test in tests if isinstance(test, LogProbabilityWeatResult) for note in pieces_note(test)),
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
    """Say at a glance what was found: of two target sets, or of each of several against the rest."""
    source, listed = r.provenance.stimuli, str(r.provenance.settings["attributes"])
    stimuli = listed if source == "own" else source if listed in ("own", source) else f"{source}, {listed}"
    gendered = {target.name.lower() for target in r.targets} <= GENDERED
    category = "gender" if gendered else about(source if source != "own" else listed)
    if len(r.targets) == 2:  # files of older versions have chance and twins of the share in the result only
        return [_glance(replace(r.share, chance=r.chance, twins=r.twins), category, stimuli)]
    return [_glance(c, category, f"{stimuli}, {c.first}") for c in r.contrasts[-len(r.targets) :]]


def _glance(c: Contrast, category: str, stimuli: str) -> Glance:
    second = c.second if c.second == REST else f"“{c.second}”"
    sentence = (
        f"{c.count:,} of {c.n:,} words go with “{c.first}” rather than {second} ({percentage(c.share)}, interval "
        f"{percentage(c.low)} to {percentage(c.high)})."
    )
    chance = weakest_chance(c.share, c.twins, c.chance, middle=0.5)
    # Without chance there is no grade: the test over attributes says nothing about these targets.
    return line(category, stimuli, c.share, "share", sentence, pvalue=c.pvalue if chance else None, chance=chance)


#: Bars are drawn for this many attributes, half of them from each end of the ranking.
MOST_BARS = 40
BINS = 40


def score_histogram(result: LogProbabilityResult) -> str:
    """Draw the distribution of all attributes' scores, coloured by the side of zero that they are on; returns SVG."""
    return model_chart(histogram_picture(result), _said(result))


def histogram_picture(result: LogProbabilityResult) -> Any:
    """Draw the distribution of all attributes' scores; returns an Altair chart."""
    import altair as alt

    # Counted here, so that a chart of 20,000 attributes stays small; bins have an edge at zero.
    values = _binned([score.score for score in result.scores])
    return (
        alt.Chart(alt.InlineData(values=values))
        .mark_bar()
        .encode(
            x=alt.X("low:Q", title=_axis(result), bin="binned"),
            x2="high:Q",
            y=alt.Y("count:Q", title="attributes"),
            color=alt.condition(alt.datum.low >= 0, alt.value(MODEL_COLOUR), alt.value(PEOPLE_COLOUR)),
        )
        .properties(width=520, height=240)
    )


def ranked_bars(result: LogProbabilityResult, *, most: int = MOST_BARS) -> str:
    """Draw the scores of the attributes at both ends of the ranking as bars, largest first; returns SVG."""
    shown = len(result.scores) if len(result.scores) <= most else most // 2 * 2
    return model_chart(bars_picture(result, most=most), _said(result, shown))


def bars_picture(result: LogProbabilityResult, *, most: int = MOST_BARS) -> Any:
    """Draw the scores of the attributes at both ends of the ranking as bars; returns an Altair chart."""
    import altair as alt

    ranked, half = result.ranked, most // 2
    shown = ranked if len(ranked) <= most else (*ranked[:half], *ranked[-half:])
    values = [{"place": place, "score": score.score} for place, score in enumerate(shown)]
    # Looked up by place, since two attributes may read the same once escaped.
    names = json.dumps({place: plain(score.attribute) for place, score in enumerate(shown)})
    axis = alt.Axis(labelExpr=f"{names}[datum.value]", labelLimit=320, ticks=False, domain=False)
    return (
        alt.Chart(alt.InlineData(values=values))
        .mark_bar(height=12)
        .encode(
            y=alt.Y("place:O", title=None, axis=axis),
            x=alt.X("score:Q", title=_axis(result)),
            color=alt.condition(alt.datum.score >= 0, alt.value(MODEL_COLOUR), alt.value(PEOPLE_COLOUR)),
        )
        .properties(width=420, height=alt.Step(18))
    )


def _binned(scores: list[float]) -> list[dict[str, Any]]:
    """Count scores in bins of a width from 1, 2, 5 times a power of ten, of which one begins at zero."""
    spread = max(max(scores) - min(scores), 1e-9)
    power = 10.0 ** math.floor(math.log10(spread / BINS))
    width = next(step * power for step in (1, 2, 5, 10) if spread / (step * power) <= BINS)
    counts = Counter(math.floor(score / width) for score in scores)
    return [{"low": k * width, "high": (k + 1) * width, "count": n} for k, n in sorted(counts.items())]


def _axis(result: LogProbabilityResult) -> str:
    names = [plain(target.name) for target in result.targets]
    if len(names) > 2:
        return "score against the mean of the other target sets"
    return f"← {names[1]}  ·  log-probability bias score  ·  {names[0]} →"


def _said(result: LogProbabilityResult, shown: int | None = None) -> list[str]:
    said = [f"{plain(result.provenance.representation.name)}: {'; '.join(plain(t) for t in result.templates)}"]
    if shown is not None and shown < len(result.scores):
        said.append(f"{shown} of {plural(len(result.scores), 'attribute')}, from both ends")
    if len(result.targets) == 2:
        c = result.share
        said.append(
            f"{percent(c.share)} of {plural(c.n, 'attribute')} score 0 or more ({percent(c.low)} to {percent(c.high)})"
            + (f"; by chance {percent(result.chance.low)} to {percent(result.chance.high)}" if result.chance else "")
        )
    if about := result.provenance.representation.note:
        said += textwrap.wrap(plain(about), 90)
    return said


def model_chart(chart: Any, said: list[str]) -> str:
    """Return a chart about a language model as SVG, with the note on its content and what is `said` of it."""
    import altair as alt

    note = textwrap.wrap(MODEL_CONTENT_NOTE, 80)
    title = alt.Title(note, subtitle=said, anchor="start", offset=12, fontWeight="normal")
    return svg(chart.properties(title=title), ink=INK, paper=PAPER)
