"""Association tests on words in sentences as tables and charts: SEAT and CEAT, alone and in suites."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from aslant.errors import plural
from aslant.measures.association import show as shown
from aslant.measures.sentence_tests.chance import CONTEXTS, IN_CORPUS, POOL
from aslant.measures.sentence_tests.result import CeatResult, CeatSuiteResult, SeatResult, SeatSuiteResult
from aslant.measures.template_tests.show import model_chart
from aslant.report.charts import INK, MODEL_COLOUR, PEOPLE_COLOUR, chart_title, tips
from aslant.report.conventions import MODEL_CONTENT_NOTE, Category, strength_of, weakest_chance
from aslant.report.pictures import fluid, tests_picture, words_chart
from aslant.report.tables import Column, Table, between, number, percentage, plain, pvalue
from aslant.results.audit import Glance


def published(value: float | None) -> str:
    """Write a p-value of a normal tail, which may be smaller than a float can be.

    >>> published(0.0123), published(2.3e-308)
    ('0.012', '< 1e-300')
    """
    return "< 1e-300" if value is not None and value < 1e-300 else pvalue(value)


SEAT_COLUMNS = (
    *shown.opening_columns("d"),
    shown.INTERVAL,
    shown.PEOPLE,
    *shown.PVALUES,
    *shown.CHANCE,
    Column("sentences", "sentences", str, spare=3),
)
CEAT_COLUMNS = (
    *shown.opening_columns("CES"),
    Column("interval", "95 % of draws", str),
    Column("share_positive", "above 0", percentage, spare=5),
    shown.PEOPLE,
    *shown.PVALUES,
    Column("effect_size_words", "d, words", number),
    *shown.CHANCE,
    Column("published_pvalue", "p, published", published, spare=2),
)
#: How many words a note names at most.
NAMED = 12


def seat_table(result: SeatResult | SeatSuiteResult) -> Table:
    """Describe one SEAT, or a suite with the tests that were not run under it."""
    tests = shown.tests_of(result)
    over = (
        "over every re-partition of the target words, all sentences of a word together"
        if not tests or tests[0].unit == "word"
        else "over re-partitions of sentences, as published: too small, since sentences of a word are not independent"
    )
    notes = [
        f"d: WEAT's effect size over sentences, as published; above 0: {shown.SIGN}.",
        shown.pvalue_note(result, over),
    ]
    notes += [
        f"{plain(t.test)}: of no known kind, so put into sentences without an article: {_some(t.assumed)}"
        for t in tests
        if t.assumed
    ]
    if any(t.chance for t in tests):
        notes.append(
            f"random words: of {POOL} or more for each kind of attribute, of as few pieces as possible, each in all "
            "sentences of that kind (without the plural)."
        )
    notes += [*_twins_notes(tests, "d"), *pieces_notes(tests)]
    why_not = "its language is not English, or it has too many words for those that are drawn from"
    lacking = "left out, without a vector:"
    return shown.tests_table(
        "SEAT", result, SEAT_COLUMNS, notes, lacking, first_line=MODEL_CONTENT_NOTE, no_chance=why_not
    )


def _twins_notes(tests: Sequence[SeatResult | CeatResult], effect: str) -> list[str]:
    """Say which `effect` untrained models of the same architecture have, or why none was made."""
    if not any(test.provenance.settings.get("twins") for test in tests):
        return []
    if not any(test.twins for test in tests):
        return ["untrained models: none, since the architecture of this encoder cannot be rebuilt here."]
    given = [f"{plain(test.test)} {', '.join(map(number, test.twins))}" for test in tests]
    return [
        "untrained models of the same architecture and tokenizer, their weights drawn at random, give "
        f"{effect} = {'; '.join(given)}. A d that they reach comes from word pieces and positions, not from training."
    ]


def pieces_notes(tests: Sequence[SeatResult | CeatResult]) -> list[str]:
    """Say of tests whose target sets differ in word pieces how many they have, and what the effect is without."""
    said = []
    for test in tests:
        if test.pieces is None or round(test.pieces[0], 1) == round(test.pieces[1], 1):
            continue
        first, second = (
            f"'{plain(group.name)}' {mean:.1f}" for group, mean in zip(test.targets, test.pieces, strict=False)
        )
        one = test.effect_size_one_piece
        among = "" if one is None else f", {number(one)} among words of one piece"
        said.append(
            f"{plain(test.test)}: word pieces on average: {first}, {second}; d over words is "
            f"{number(test.effect_size_words)}{among}, {number(test.effect_size_without_pieces)} with the number of "
            "pieces regressed out."
        )
    return said


def glance(r: SeatResult | CeatResult, about: Category, qvalue: float | None = None) -> list[Glance]:
    """Say at a glance what a test found; chance is what speaks most against it: untrained models, or random words."""
    effect = r.effect_size if isinstance(r, SeatResult) else r.effect_size_words  # what chance is of
    (found,) = shown.glance(replace(r, chance=weakest_chance(effect, r.twins, r.chance), twins=()), about, qvalue)
    rest = r.effect_size_without_pieces
    if rest is None or strength_of(r.effect_size_words, "d") == "none" or rest / r.effect_size_words >= 0.5:
        return [found]
    said = f"Over words d is {number(r.effect_size_words)}, and {number(rest)} without the number of word pieces."
    return [replace(found, sentence=f"{found.sentence} {said}")]


def suite_glance(suite: Any, about: Category) -> list[Glance]:
    """Say at a glance what each test of a suite found, judged by its q-value."""
    pairs = zip(suite.results, suite.qvalues, strict=True)
    return [found for test, qvalue in pairs for found in glance(test, about, qvalue)]


def ceat_table(result: CeatResult | CeatSuiteResult) -> Table:
    """Describe one CEAT, or a suite with the tests that were not run under it."""
    tests = shown.tests_of(result)
    what = "effect sizes of draws of one context for each word, combined by random effects"
    notes = [f"CES: {what}; above 0: {shown.SIGN}."]
    for first in tests[:1]:
        notes += [
            shown.pvalue_note(result, "over every re-partition of the target words"),
            f"p, published: assumes that draws ({first.samples:,}) are independent, but they share words and "
            "contexts, so it goes to 0 as more are drawn; it is not evidence.",
            f"corpus: {plain(first.corpus.name)}, {plural(first.corpus.sentences, 'sentence')}; up to "
            f"{plural(first.contexts_per_word, 'context')} for each word.",
        ]
    for test in tests:
        if short := sorted(test.short_of_contexts, key=lambda word: word.contexts):
            counted = _some([f"{word.word} ({word.contexts:,})" for word in short])
            notes.append(f"{plain(test.test)}: fewer contexts than requested: {counted}")
    if any(test.chance for test in tests):
        notes.append(
            f"d, words: each word by the mean of its contexts; chance is of this d, with random words in up to "
            f"{CONTEXTS} contexts each, of {IN_CORPUS} that were looked for in the corpus."
        )
    notes += [*_twins_notes(tests, "d, words,"), *pieces_notes(tests)]
    lacking, why_not = "left out, without a context:", "the corpus has too few of the random words"
    return shown.tests_table(
        "CEAT", result, CEAT_COLUMNS, notes, lacking, first_line=MODEL_CONTENT_NOTE, no_chance=why_not
    )


def _some(words: Sequence[str]) -> str:
    more = f" and {len(words) - NAMED} more" if len(words) > NAMED else ""
    return plain(", ".join(words[:NAMED])) + more


def seat_chart(result: SeatResult | SeatSuiteResult) -> str:
    """Draw the effect size of each SEAT as a dot with its interval over words, and people's as a diamond; SVG."""
    said = f"SEAT on {plain(result.provenance.representation.name)}; lines: interval over the choice of words"
    return model_chart(tests_picture(result.rows(), "this encoder"), [said])


def ceat_chart(result: CeatResult | CeatSuiteResult) -> str:
    """Draw, for each CEAT, how the effect sizes of its draws are spread, with the combined one as a line; SVG."""
    import altair as alt

    panels = []
    for test in shown.tests_of(result):
        about = f"{plain(test.test)}: {plain(test.title)} (CES {number(test.effect_size)}, p {pvalue(test.pvalue)})"
        drawn = _draws(test, shown.tests_of(result), INK)
        panels.append(drawn.properties(width=520, height=130, title=chart_title(about)))
    said = f"CEAT on {plain(result.provenance.representation.name)}; line: combined effect size; p over target words"
    return model_chart(alt.vconcat(*panels), [said])


def draws_picture(result: CeatResult) -> Any:
    """Draw how the effect sizes of the draws are spread, with the combined one as a line; returns an Altair chart."""
    return fluid(_draws(result, (result,), "currentColor").properties(height=200))


def _draws(test: CeatResult, tests: Sequence[CeatResult], ink: str) -> Any:
    """Draw one test on the scale of all."""
    import altair as alt

    ends = [edge for one in tests for b in one.distribution.bins for edge in (b.low, b.high)]
    scale = alt.Scale(domain=[min(-0.5, *ends), max(0.5, *ends)])
    values = [
        {"low": b.low, "high": b.high, "count": b.count, "effect": between(b.low, b.high, number),
         "draws": f"{b.count:,}"}
        for b in test.distribution.bins
    ]  # fmt: skip
    bars = (
        alt.Chart(alt.InlineData(values=values))
        .mark_bar()
        .encode(
            x=alt.X("low:Q", title="effect size of a draw (0: no association)", bin="binned", scale=scale),
            x2="high:Q",
            y=alt.Y("count:Q", title="draws"),
            # Bins end at zero up to rounding.
            color=alt.condition(alt.datum.low > -1e-9, alt.value(MODEL_COLOUR), alt.value(PEOPLE_COLOUR)),
            tooltip=tips("effect size:effect", "draws"),
        )
    )
    rule = (
        alt.Chart(alt.InlineData(values=[{"ces": test.effect_size}]))
        .mark_rule(color=ink, strokeWidth=2)
        .encode(x=alt.X("ces:Q", scale=scale))
    )
    return alt.layer(bars, rule)


def contexts_picture(suite: CeatSuiteResult) -> Any:
    """Draw each test's combined effect size with 95 % of its draws; chance, of another effect size, has no band."""
    return tests_picture([{**row, "chance_low": None, "chance_high": None} for row in suite.rows()], "this model")


def words_picture(result: SeatResult) -> Any:
    """Draw how much closer the sentences of each target word are to the first attributes than to the second."""
    first, second = (plain(group.name) for group in result.attributes)
    named = [(w.word, w.association, plain(w.group)) for w in result.words if w.association is not None]
    return words_chart(named, f"← {second} · closer to · {first} →")
