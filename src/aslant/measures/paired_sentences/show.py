"""Pairs of sentences as tables and charts: the groups of pairs, and single pairs at both ends."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

from aslant.errors import AslantError, plural
from aslant.measures.paired_sentences import result as r
from aslant.measures.paired_sentences.statistic import clusters_of
from aslant.measures.template_tests.show import percent, twins_notes
from aslant.report.charts import INK, PAPER, svg
from aslant.report.conventions import Category, line, weakest_chance
from aslant.report.pictures import rows_chart
from aslant.report.tables import Column, Table, between, number, percentage, plain, pvalue, small
from aslant.results.audit import Glance
from aslant.results.parts import Interval
from aslant.statistics import Chance, sign_count_pvalue

CONTENT_NOTE = (
    "Note: the sentences below were written to express stereotypes, some with slurs; what a model finds probable is "
    "not a statement about people."
)
#: A terminal shows this many pairs from each end.
EACH_END = 3
SOME = 0.05
FIFTY = (
    "50 % does not mean that a model holds no stereotypes, nor does another share mean that it does: word pieces, the "
    "frequency of group names and faults of the pairs move it too. Compare it with untrained models, with pairs of the "
    "same number of pieces and with those without flags."
)
#: What the scores are, in words.
SCORES = {
    "within-word": "pseudo-log-likelihood, later pieces of the same word masked too (Kauf & Ivanova 2023)",
    "pll": "pseudo-log-likelihood, one piece masked at a time (Salazar et al. 2020)",
    "crows": "pseudo-log-likelihood of the pieces that both sentences share (Nangia et al. 2020)",
    "aul": "mean log-likelihood of the pieces, none masked (Kaneko & Bollegala 2022)",
    "aula": "mean log-likelihood of the pieces, none masked, weighted by attention (Kaneko & Bollegala 2022)",
    "likelihood": "log-likelihood of the sentence, which falls with its length",
    "likelihood-per-piece": "log-likelihood of the sentence per word piece",
}
#: The social category of each of the sets' own.
CATEGORIES = {
    "race-color": "race", "race": "race", "gender": "gender", "socioeconomic": "class", "nationality": "nationality",
    "religion": "religion", "age": "age", "sexual-orientation": "sexuality", "disability": "disability",
    "physical-appearance": "appearance", "profession": "occupation", "female professions": "gender",
    "male professions": "gender",
}  # fmt: skip


def groups_table(result: r.SentencePairsResult) -> Table:
    """Describe each group of pairs: how often and by how much the more stereotyping sentence scores higher."""
    columns = (
        Column("name", "pairs", plain, "left", wraps=True),
        Column("n", "n", str),
        Column("clusters", "clusters", str, spare=3),
        Column("equal", "equal", str, spare=5),
        Column("share", "share", str),
        Column("interval", "interval", str, spare=1),
        Column("share_pvalue", "p", pvalue),
        Column("share_qvalue", "q", pvalue),
        Column("untrained", "untrained", str, spare=2),
        Column("mean", "difference", small, spare=4),
        Column("mean_interval", "interval", str, spare=7),
        Column("mean_pvalue", "p", pvalue, spare=4),
    )
    rows = [_row(result, group) for group in result.groups]
    title = f"{plain(result.title)}: {plain(result.provenance.representation.name)}"
    return Table(title, columns, rows, _notes(result), first_line=CONTENT_NOTE, section_key="by")


def _row(result: r.SentencePairsResult, group: r.PairGroup) -> dict[str, Any]:
    twins = _twins(result, group.name)
    return {
        **vars(group),
        "share": "–" if group.share is None else percent(group.share),
        "interval": _between(group.share_interval, as_percent=True),
        "mean_interval": _between(group.mean_interval),
        "untrained": between(min(twins), max(twins), lambda x: percent(x or 0.0)) if twins else "–",
    }


def _between(interval: Interval | None, *, as_percent: bool = False) -> str:
    if interval is None:
        return "–"
    return between(interval.low, interval.high, (lambda x: percent(x or 0.0)) if as_percent else small)


def _twins(result: r.SentencePairsResult, name: str) -> list[float]:
    return [share for twin in result.twins if (share := twin.shares.get(name)) is not None]


def _notes(result: r.SentencePairsResult) -> tuple[str, ...]:
    said = [
        f"score: {SCORES[result.score]}.",
        "share: of pairs in which the more stereotyping sentence scores higher; pairs of equal score are left out. "
        "difference: more stereotyping − other, mean. untrained: shares of untrained models.",
        "clusters: pairs that contrast the same words, or are about the same term; all p-values and intervals take "
        "them as the unit. q: over categories.",
        FIFTY,
        *_lengths(result),
        *_frequency(result),
        *_language_model(result),
        *_contrast(result),
        *twins_notes(
            result,
            "shares of ",
            [
                ("", [percent(share) for share in _twins(result, r.ALL)]),
                ("contrasts of", [small(value) for value in _twin_contrasts(result)]),
            ],
        ),
    ]
    flagged = sum(bool(pair.flags) for pair in result.pairs)
    if flagged:
        said.append(
            f"{plural(flagged, 'pair')} flagged by mechanical rules (docs/sentence-pairs.md); the inventory of "
            "Blodgett et al. (2021) is not available as a list of pairs."
        )
    said += [f"{plain(note)}." for note in result.notes]
    if result.left_out:
        first = result.left_out[0]
        said.append(
            f"left out ({len(result.left_out)}; --json has all): pair {plain(first.id)}, because {plain(first.reason)}."
        )
    if note := result.provenance.representation.note:
        said.append(f"the model: {plain(note)}")
    return tuple(said)


def _lengths(result: r.SentencePairsResult) -> list[str]:
    if (found := result.lengths) is None:
        return []
    return [
        f"length: in {plural(found.n, 'pair')} the sentences differ in word pieces; the shorter one scores higher in "
        f"{percent(found.shorter_higher)} of them, and is the more stereotyping one in {percent(found.expected)}."
    ]


def _frequency(result: r.SentencePairsResult) -> list[str]:
    if (found := result.frequency) is None:
        return []
    return [
        f"frequency: in {plural(found.n, 'pair')} the model finds the contrasted words unequally probable by "
        f"themselves; the sentence with the likelier ones scores higher in {percent(found.likelier_higher)} of them, "
        f"and is the more stereotyping one in {percent(found.expected)}. Without word frequency: what is left once it "
        "explains all that it can."
    ]


def _language_model(result: r.SentencePairsResult) -> list[str]:
    return [
        f"{plain(found.part)}: language-model score {found.lms:.1f}, stereotype score {found.ss:.1f}, ICAT "
        f"{found.icat:.1f} (means over {plural(found.terms, 'target term')})."
        for found in result.language_model
    ]


def _contrast(result: r.SentencePairsResult) -> list[str]:
    if (c := result.contrast) is None:
        return []
    balanced = "" if c.balanced is None else f", with balanced ones {small(c.balanced)}"
    return [
        f"contrast: score of the sentence on a woman − that on a man, with {c.n_women} professions of women "
        f"{small(c.with_women)}, with {c.n_men} of men {small(c.with_men)}{balanced}; the first two differ by "
        f"{small(c.difference)} ({_between(c.interval)}), p {pvalue(c.pvalue)} over professions.",
        "a share with professions of one gender is also that of a model that prefers this gender with any profession; "
        "in the contrast that cancels.",
    ]


def _twin_contrasts(result: r.SentencePairsResult) -> list[float]:
    return [twin.contrast for twin in result.twins if twin.contrast is not None]


def pairs_table(result: r.SentencePairsResult, *, ends: bool = False) -> Table:
    """Describe every pair, largest difference first, or both `ends`."""
    columns = (
        Column("category", "category", plain, "left", wraps=True),
        Column("more", "more stereotyping", plain, "left", wraps=True),
        Column("less", "other", plain, "left", wraps=True),
        Column("difference", "difference", small),
        Column("pieces_more", "pieces", str, spare=1),
        Column("pieces_less", "other", str, spare=1),
    )
    rows = sorted(result.rows(), key=lambda row: -row["difference"])
    notes = []
    if ends and len(rows) > 2 * EACH_END:
        notes.append(f"shown: {EACH_END} from each end of {plural(len(rows), 'pair')}; --csv or --json gives all.")
        rows = [{**row, "end": 0} for row in rows[:EACH_END]] + [{**row, "end": 1} for row in rows[-EACH_END:]]
    title = "Pairs, from the most stereotyping choice to the least"
    return Table(title, columns, rows, tuple(notes), first_line="" if ends else CONTENT_NOTE, section_key="end")


def terminal_tables(result: r.SentencePairsResult, width: int = 140) -> tuple[Table, ...]:
    """Describe the groups of pairs, and single pairs at both ends."""
    return groups_table(result), pairs_table(result, ends=True)


def documents(result: r.SentencePairsResult) -> tuple[Table, ...]:
    """Describe the groups of pairs, and single pairs at both ends."""
    return groups_table(result), pairs_table(result, ends=True)


def glance(result: r.SentencePairsResult, about: Category) -> list[Glance]:
    """Say at a glance what was found: all pairs, then each category, or the contrast between professions.

    The share with professions of one gender is also that of a model that prefers this gender with any profession.
    """
    found = []
    shown = ("",) if result.contrast else ("", r.CATEGORY)
    for group in result.groups:
        if group.by not in shown or group.share is None or group.clusters < 2:
            continue
        what = result.dataset if group.by == "" else f"{result.dataset}, {group.name}"
        pairs = "pairs" if group.by == "" else f"pairs on {group.name}"
        sentence = (
            f"In {group.count:,} of {group.n - group.equal:,} {pairs} ({percentage(group.share)}) the more "
            "stereotyping sentence is the more probable one."
        )
        tested, told = _tested(result, group)
        chance = _chance(result, group)
        category = CATEGORIES.get(group.name, "several" if group.by == "" else plain(group.name))
        found.append(
            line(
                category, what, group.share, "share", f"{sentence}{told}", tested, None, chance, 0, group.share_interval
            )
        )
    if c := result.contrast:
        sentence = (
            f"Sentences on women score {'higher' if c.difference >= 0 else 'lower'} with professions of women than "
            f"with those of men, relative to sentences on men: {number(c.difference)}."
        )
        chance = weakest_chance(c.difference, _twin_contrasts(result), None)
        what = f"{result.dataset}, contrast"
        found.append(
            line("gender", what, c.difference, "log-odds", sentence, c.pvalue, chance=chance, interval=c.interval)
        )
    return found


def _tested(result: r.SentencePairsResult, group: r.PairGroup) -> tuple[float | None, str]:
    """Return the p-value by which a line is graded, and what is said of it.

    Where no untrained models were asked, length is kept out: pairs of the same number of word pieces must show it too.
    """
    of_group = [pair for pair in result.pairs if pair.counted and not pair.equal]
    own = [pair for pair in of_group if group.by == "" or pair.category == group.name]
    same = [pair for pair in own if pair.pieces_more == pair.pieces_less]
    if _twins(result, group.name) or group.share_pvalue is None or len(same) == len(own):
        return group.share_pvalue, ""
    if not same:
        return 1.0, " No two sentences of a pair have the same number of word pieces."
    positive = np.array([pair.difference > 0 for pair in same])
    p = sign_count_pvalue(np.bincount(clusters_of([pair.cluster for pair in same]), 2 * positive - 1).astype(int))
    told = f" Of the {len(same):,} with as many word pieces in both sentences: {percentage(positive.mean())}."
    return max(group.share_pvalue, p), told


def _chance(result: r.SentencePairsResult, group: r.PairGroup) -> Chance | None:
    share = 0.5 if group.share is None else group.share  # 0 is as far from one half as 1
    return weakest_chance(share, _twins(result, group.name), None, 0.5)


def comparison_table(result: r.PairsComparisonResult) -> Table:
    """Describe how two models differ on the same pairs."""
    columns = (
        Column("name", "pairs", plain, "left", wraps=True),
        Column("n", "n", str),
        Column("share_first", "first", percent),
        Column("share_second", "second", percent),
        Column("both", "both", str, spare=1),
        Column("only_first", "only first", str),
        Column("only_second", "only second", str),
        Column("neither", "neither", str, spare=1),
        Column("pvalue", "p", pvalue),
        Column("qvalue", "q", pvalue),
    )
    notes = (
        f"first: {plain(result.first)} ({result.scores[0]}); second: {plain(result.second)} ({result.scores[1]}).",
        "p: McNemar's test, two-sided and exact, with clusters of pairs as the unit. q: over categories.",
    )
    return Table(f"{plain(result.title)}, two models", columns, result.rows(), notes, first_line=CONTENT_NOTE)


def groups_picture(result: r.SentencePairsResult) -> Any | None:
    """Draw the share of each group with its interval and what untrained models give; returns an Altair chart."""
    rows = []
    name = plain(result.provenance.representation.name)
    for place, group in enumerate(g for g in result.groups if g.share is not None):
        twins, low, high = _twins(result, group.name), group.share_interval, group.share_interval
        told = group.share_qvalue if group.share_qvalue is not None else group.share_pvalue
        beyond = _chance(result, group) is None
        drawn = {
            "row": place, "label": f"{plain(group.name)} · {plural(group.n, 'pair')}", "test": plain(group.name),
            "value": 100 * (group.share or 0.0) - 50, "low": 100 * low.low - 50 if low else None,
            "high": 100 * high.high - 50 if high else None, "other": None, "other series": "",
            "chance low": 100 * min(twins) - 50 if twins else None,
            "chance high": 100 * max(twins) - 50 if twins else None,
            "series": f"{name}, {'q' if group.share_qvalue is not None else 'p'} ≤ {SOME:g}, beyond untrained models"
            if told is not None and told <= SOME and beyond else f"{name}, not significant",
            "share": percent(group.share or 0.0), "interval": _between(group.share_interval, as_percent=True),
            "chance": between(min(twins), max(twins), lambda x: percent(x or 0.0)) if twins else "–",
            "p": pvalue(group.share_pvalue), "q": pvalue(group.share_qvalue),
        }  # fmt: skip
        rows.append(drawn)
    series = list(dict.fromkeys(str(row["series"]) for row in rows))
    title = "share of stereotyping choices, points above 50 %"
    return rows_chart(rows, title, series, "share", [-15, 15]) if rows else None


def groups_chart(result: r.SentencePairsResult) -> str:
    """Draw the share of each group with its interval; returns SVG."""
    import altair as alt

    said = textwrap.wrap(CONTENT_NOTE, 80)
    subtitle = [f"{plain(result.title)}: {plain(result.provenance.representation.name)}, {result.score}"]
    if about := result.provenance.representation.note:
        subtitle += textwrap.wrap(plain(about), 90)
    title = alt.Title(said, subtitle=subtitle, anchor="start", offset=12, fontWeight="normal")
    if (drawn := groups_picture(result)) is None:
        raise AslantError("every pair has equal scores, so there is nothing to draw.")
    return svg(drawn.properties(width=560, title=title), ink=INK, paper=PAPER)
