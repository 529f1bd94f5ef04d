"""A model's choice between pronouns as tables and charts: the groups of sentences, and the occupations."""

from __future__ import annotations

import textwrap
from typing import Any

from aslant.errors import AslantError, plural
from aslant.measures.pronouns_chosen.result import PronounChoiceResult, PronounGroup
from aslant.measures.template_tests.show import percent, twins_notes
from aslant.report.charts import INK, MODEL_COLOUR, PAPER, PEOPLE_COLOUR, svg, tips
from aslant.report.conventions import MODEL_CONTENT_NOTE, Category, line, weakest_chance
from aslant.report.pictures import fluid, words_chart
from aslant.report.tables import Column, Table, between, number, percentage, plain, pvalue, small
from aslant.results.audit import Glance
from aslant.results.parts import Correlation, Interval
from aslant.statistics import Chance

#: A terminal shows this many occupations from each end of the ranking.
EACH_END = 8
#: How many of the sentences left out a terminal names; the result has all of them.
NAMED = 10
NO_DECISION = (
    "preferring a pronoun is not a coreference decision: it does not say whom the model takes a pronoun to mean."
)


def groups_table(result: PronounChoiceResult) -> Table:
    """Describe each group of sentences: how often and how strongly the stereotype's pronoun is preferred."""
    columns = (
        Column("group", "sentences", plain, "left"),
        Column("n", "n", str),
        Column("share", "share", str),
        Column("share_interval", "interval", str, spare=6),
        Column("gap", "gap", small),
        Column("gap_interval", "interval", str, spare=2),
        Column("gap_pvalue", "p", pvalue),
        Column("corrected", "corrected", small, spare=4),
        Column("corrected_pvalue", "p", pvalue, spare=4),
        Column("contrast", "contrast", small),
        Column("contrast_pvalue", "p", pvalue),
        Column("r", "r", number, spare=3),
        Column("r_pvalue", "p", pvalue, spare=5),
        Column("p_male", "P(he)", number, spare=7),
        Column("p_neutral", "P(they)", number, spare=8),
    )
    rows = [group_row(group) for group in result.groups]
    title = f"Pronouns chosen in {result.title} by {result.provenance.representation.name}"
    return Table(title, columns, rows, _group_notes(result), first_line=MODEL_CONTENT_NOTE)


def group_row(group: PronounGroup) -> dict[str, Any]:
    """Return a group as one row."""
    plain_gap, corrected, contrast, r = group.preference, group.corrected, group.contrast, group.correlation
    return {
        "group": group.name,
        "n": group.sentences,
        "share": percent(plain_gap.share) if plain_gap else "–",
        "share_interval": _between(plain_gap.share_interval if plain_gap else None, as_percent=True),
        "gap": plain_gap.gap if plain_gap else None,
        "gap_interval": _between(plain_gap.gap_interval if plain_gap else None),
        "gap_pvalue": plain_gap.pvalue if plain_gap else None,
        "corrected": corrected.gap if corrected else None,
        "corrected_pvalue": corrected.pvalue if corrected else None,
        "contrast": contrast.difference if contrast else None,
        "contrast_pvalue": contrast.pvalue if contrast else None,
        "r": r.pearson if r else None,
        "r_pvalue": r.pearson_pvalue if r else None,
        "p_male": group.p_male,
        "p_neutral": group.p_neutral,
    }


def _between(interval: Interval | None, *, as_percent: bool = False) -> str:
    if interval is None:
        return "–"
    return between(interval.low, interval.high, (lambda x: percent(x or 0.0)) if as_percent else small)


def _group_notes(result: PronounChoiceResult) -> tuple[str, ...]:
    said = [
        "share: of sentences in which the pronoun that the occupation's stereotype expects is the more "
        "probable one; gap: log P(that one) − log P(the other), mean; 0: neither.",
        "corrected: the same with log(P / P with the occupation masked too), which removes what the model prefers "
        "regardless of the occupation.",
        "contrast: log-odds of “she”, occupations with a female stereotype minus those with a male one; what the model "
        "prefers in all sentences cancels. r: Pearson's, log-odds and share of women, over occupations.",
        "p: two-sided, with the occupation as the unit (signs flipped; re-partitioned; shuffled). Other splits of the "
        "occupations are what chance gives here: each word that carries a stereotype is replaced by another such word.",
        *_untrained(result),
        f"compared: {result.method}. {NO_DECISION}",
    ]
    group = result.groups[0]
    if r := group.correlation:
        said.append(f"{plain(group.name)}: {_correlations(r)} with the {plain(r.figure)}, over {r.n} occupations.")
    they = "" if group.p_neutral is None else f"; P(they) of the three: {percent(group.p_neutral)}"
    said.append(f"{plain(group.name)}: P(he) of “he” and “she” is {percent(group.p_male)} on average{they}.")
    said += [plain(note) for note in result.notes]
    if result.left_out:
        named = "; ".join(plain(remark.id) for remark in result.left_out[:NAMED])
        more = f" and {len(result.left_out) - NAMED} more" if len(result.left_out) > NAMED else ""
        said.append(f"left out ({len(result.left_out)}; --json has the reasons): {named}{more}.")
    if result.odd:
        said.append(f"{plural(len(result.odd), 'sentence')} used with a remark (see --json).")
    if note := result.provenance.representation.note:
        said.append(f"the model: {plain(note)}")
    return tuple(said)


def _untrained(result: PronounChoiceResult) -> list[str]:
    """Say what untrained models give, or why there are none; nothing where they were not requested."""
    given = {"shares of": [], "contrasts of": [], "r of": []}  # type: dict[str, list[str]]
    for twin in result.twins:
        for said, value in zip(given.values(), (twin.share, twin.contrast, twin.correlation), strict=True):
            said += [] if value is None else [number(value)]
    return twins_notes(result, "", list(given.items()))


def _correlations(r: Correlation) -> str:
    spearman = f"Spearman {number(r.spearman)} (p {pvalue(r.spearman_pvalue)})"
    return f"Pearson {number(r.pearson)} (p {pvalue(r.pearson_pvalue)}), {spearman}"


def occupations_table(result: PronounChoiceResult, *, ends: bool = False) -> Table:
    """Describe every occupation, largest gap first, or both `ends` of the ranking."""
    columns = (
        Column("occupation", "occupation", plain, "left", wraps=True),
        Column("stereotype", "stereotype", lambda value: plain(value) if value else "–", "left"),
        Column("share_women", "women, %", lambda value: "–" if value is None else f"{value:.0f}"),
        Column("sentences", "n", str),
        Column("stereotyped", "stereotyped", str),
        Column("gap", "gap", small),
        Column("gap_corrected", "corrected", small),
        Column("log_odds", "log-odds she", small),
    )
    rows = sorted(result.rows(), key=lambda row: (row["gap"] is None, -(row["gap"] or 0.0), row["occupation"]))
    notes = [f"over the sentences of “{plain(result.groups[0].name)}”; stereotyped: in how many of n."]
    if ends and len(rows) > 2 * EACH_END:
        notes.append(f"shown: {EACH_END} from each end of {len(rows)} occupations; --csv or --json gives all.")
        rows = [{**row, "end": 0} for row in rows[:EACH_END]] + [{**row, "end": 1} for row in rows[-EACH_END:]]
    title = "Occupations, from the most stereotyped choice of pronouns to the least"
    return Table(title, columns, rows, tuple(notes), first_line="" if ends else MODEL_CONTENT_NOTE, section_key="end")


def glance(r: PronounChoiceResult, about: Category) -> list[Glance]:
    """Say at a glance what was found."""
    group, found = r.groups[0], []
    if p := group.preference:
        sentence = (
            f"In {p.count:,} of {p.n:,} sentences ({percentage(p.share)}) the pronoun that the occupation's stereotype "
            "expects is the more probable one."
        )
        found.append(
            line(
                "gender",
                r.dataset,
                p.share,
                "share",
                sentence,
                p.pvalue,
                chance=_weakest(r, "share", p.share),
                interval=p.share_interval,
            )
        )
    if c := group.contrast:
        sentence = (
            f"“She” is {'more' if c.difference >= 0 else 'less'} probable with occupations of a female stereotype than "
            f"with those of a male one: {number(c.difference)} in log-odds."
        )
        chance = _weakest(r, "contrast", c.difference)
        found.append(
            line(
                "gender",
                f"{r.dataset}, contrast",
                c.difference,
                "log-odds",
                sentence,
                c.pvalue,
                None,
                chance,
                interval=c.interval,
            )
        )
    if k := group.correlation:
        sentence = f"“She” goes with the share of women in {k.n} occupations: r = {number(k.pearson)}."
        chance = _weakest(r, "correlation", k.pearson)
        what = f"{r.dataset}, share of women"
        found.append(line("gender", what, k.pearson, "r", sentence, k.pearson_pvalue, chance=chance))
    return found


def _weakest(result: PronounChoiceResult, name: str, value: float) -> Chance | None:
    """Return the comparison with untrained models where one of them reaches as much."""
    given = [getattr(twin, name) for twin in result.twins]
    return weakest_chance(value, [own for own in given if own is not None], None, 0.5 if name == "share" else 0.0)


def terminal_tables(result: PronounChoiceResult, width: int = 140) -> tuple[Table, ...]:
    """Describe the groups of sentences, and the occupations at both ends."""
    return groups_table(result), occupations_table(result, ends=True)


def documents(result: PronounChoiceResult) -> tuple[Table, ...]:
    """Describe the groups of sentences, and every occupation."""
    return groups_table(result), occupations_table(result)


#: Names are drawn for this many occupations, those furthest from the line.
MOST_NAMES = 24
NO_STEREOTYPE_COLOUR = "#9aa3af"


def occupation_chart(result: PronounChoiceResult) -> str:
    """Draw the log-odds of the female pronoun over the share of women, one point per occupation; returns SVG."""
    import altair as alt

    if not _points(result):
        raise AslantError("no occupation of this result has a share of women, so there is nothing to draw.")
    base, layers = _layers(result)
    names = base.transform_filter("datum.named").mark_text(align="left", dx=6, fontSize=9).encode(text="name:N")
    chart = alt.layer(*layers, names).properties(width=560, height=360, title=_title(result))
    return svg(chart, ink=INK, paper=PAPER)


def occupations_picture(result: PronounChoiceResult) -> Any | None:
    """Draw the log-odds of the female pronoun over the share of women; returns an Altair chart, if there is any."""
    import altair as alt

    return fluid(alt.layer(*_layers(result)[1]).properties(height=320)) if _points(result) else None


def gaps_picture(result: PronounChoiceResult) -> Any | None:
    """Draw the occupations at both ends by their gap; returns an Altair chart, if there is any."""
    named = [(o.occupation, o.gap, o.stereotype or "none") for o in result.ranked if o.gap is not None]
    return words_chart(named, "gap: prefers the pronoun that the stereotype expects →") if named else None


def _layers(result: PronounChoiceResult) -> tuple[Any, list[Any]]:
    """Return what all layers have in common, and those of the line and the points."""
    import altair as alt

    values = _points(result)
    colours = alt.Scale(domain=["female", "male", "none"], range=[PEOPLE_COLOUR, MODEL_COLOUR, NO_STEREOTYPE_COLOUR])
    title = textwrap.wrap(plain(result.figure), 44)  # so that it fits a phone
    base = alt.Chart(alt.InlineData(values=values)).encode(
        x=alt.X("women:Q", title=title, scale=alt.Scale(domain=[0, 108]), axis=alt.Axis(tickCount=6)),
        y=alt.Y("odds:Q", title="log-odds of “she” against “he”", scale=alt.Scale(zero=False)),
    )
    points = base.mark_circle(size=40, opacity=0.9).encode(
        color=alt.Color("stereotype:N", scale=colours, legend=alt.Legend(title="stereotype", orient="top")),
        tooltip=tips("occupation:name", "women, %:share", "log-odds of she:written"),
    )
    line = base.transform_regression("women", "odds").mark_line(color="#888", strokeDash=[4, 3])
    return base, [line, points]


def _points(result: PronounChoiceResult) -> list[dict[str, Any]]:
    known = [o for o in result.occupations if o.share_women is not None]
    middle = sum(o.log_odds for o in known) / max(len(known), 1)
    named = sorted(known, key=lambda o: -abs(o.log_odds - middle))[:MOST_NAMES]
    return [
        {
            "name": plain(o.occupation), "women": o.share_women, "odds": o.log_odds,
            "stereotype": o.stereotype or "none", "named": o in named, "written": small(o.log_odds),
            "share": "–" if o.share_women is None else f"{o.share_women:.0f}",
        }
        for o in known
    ]  # fmt: skip


def _title(result: PronounChoiceResult) -> Any:
    import altair as alt

    group = result.groups[0]
    said = [
        f"{plain(result.provenance.representation.name)}, {plain(result.title)}: {plain(group.name)}, "
        f"{plural(group.sentences, 'sentence')}, {result.method}"
    ]
    if r := group.correlation:
        said.append(f"{_correlations(r)}, {plural(r.n, 'occupation')}")
    said += textwrap.wrap(NO_DECISION, 90)
    if about := result.provenance.representation.note:
        said += textwrap.wrap(plain(about), 90)
    note = textwrap.wrap(MODEL_CONTENT_NOTE, 80)
    return alt.Title(note, subtitle=said, anchor="start", offset=12, fontWeight="normal")
