"""The polarity of texts as tables, a chart and lines of an audit. Texts themselves are not shown."""

from __future__ import annotations

from typing import Any

from aslant.errors import plural
from aslant.measures.generated_texts.result import SOURCE, UNIGRAM, WAVG, GroupLean, LeanDifference, TextPolarityResult
from aslant.measures.template_tests.show import percent
from aslant.report.charts import INK, PAPER, svg
from aslant.report.conventions import MODEL_CONTENT_NOTE, Category, line
from aslant.report.pictures import SOURCES, rows_chart
from aslant.report.tables import Column, Table, between, missing_words, plain, pvalue, small
from aslant.results.audit import Glance
from aslant.results.parts import bounds

#: A terminal shows this many rows of a long table.
MOST_ROWS = 48
#: What the metrics are called.
METRICS = {"unigram": "words counted", "max": "strongest word", "wavg": "weighted mean"}


def groups_table(result: TextPolarityResult) -> Table:
    """Describe shares and means of every metric, group and class."""
    several = len({group.domain for group in result.groups}) > 1
    columns = (
        Column("metric", "scored by", METRICS.__getitem__, "left"),
        *((Column("domain", "domain", _name, "left", spare=5),) if several else ()),
        Column("group", "group", _name, "left", wraps=True),
        Column("leans_to", "leans to", plain, "left"),
        Column("n", "texts", str, spare=6),
        Column("prompts", "prompts", str, spare=6),
        Column("share", "share", percent),
        Column("share_between", "interval", str),
        Column("share_chance", "by chance", str, spare=2),
        *((Column("source_share", "source", _percent, spare=3),) if _sourced(result) else ()),
        Column("mean", "mean", small),
        Column("mean_between", "interval", str, spare=1),
        Column("mean_chance", "by chance", str, spare=2),
        Column("mean_chance_pvalue", "p (chance)", pvalue, spare=2),
        *((Column("source_mean", "source", small, spare=3),) if _sourced(result) else ()),
    )
    rows = [{**row, **_written(row)} for row in result.rows()]
    written = result.provenance.representation.format != "texts"  # by a model
    return Table(
        _title(result), columns, rows, tuple(_notes(result)), shown_rows=MOST_ROWS, section_key="metric",
        first_line=MODEL_CONTENT_NOTE if written else "",
    )  # fmt: skip


def _written(row: dict[str, Any]) -> dict[str, str]:
    return {
        "share_between": between(row["share_low"], row["share_high"], _percent),
        "share_chance": between(row["share_chance_low"], row["share_chance_high"], _percent),
        "mean_between": between(row["mean_low"], row["mean_high"]),
        "mean_chance": between(row["mean_chance_low"], row["mean_chance_high"]),
    }


def differences_table(result: TextPolarityResult) -> Table:
    """Describe how groups differ from others, and texts from their sources."""
    columns = (
        Column("metric", "scored by", METRICS.__getitem__, "left"),
        Column("group", "group", _name, "left", wraps=True),
        Column("other_than", "compared with", _name, "left", wraps=True),
        Column("leans_to", "leans to", plain, "left"),
        Column("value", "difference", small),
        Column("between", "interval", str, spare=1),
        Column("pvalue", "p", pvalue),
        Column("qvalue", "q", pvalue),
        Column("chance", "by chance", str, spare=2),
        Column("chance_pvalue", "p (chance)", pvalue),
    )
    rows = [{**vars(found), **_chances(found)} for found in result.differences]
    notes = (
        "difference: of shares by words counted, of means otherwise; above 0: the group leans further to the class.",
        "p: whole prompts reassigned to the groups, or, with sources, their signs flipped (two-sided); q: "
        f"Benjamini–Hochberg over these {plural(len(rows), 'line')}.",
        "p (chance): the share of random class words of the same frequency that give as large a difference. A finding "
        "needs both.",
    )
    return Table("Differences between groups, and to sources", columns, rows, notes, shown_rows=MOST_ROWS)


def _chances(found: LeanDifference) -> dict[str, Any]:
    chance = found.chance
    low, high = (chance.low, chance.high) if chance else (None, None)
    return {
        "between": between(*bounds(found.interval)), "chance": between(low, high),
        "chance_pvalue": chance and chance.pvalue,
    }  # fmt: skip


def tables(result: TextPolarityResult, width: int = 140) -> tuple[Table, ...]:
    """Return both tables, or the first alone where nothing is compared."""
    return (groups_table(result), *((differences_table(result),) if result.differences else ()))


def _title(result: TextPolarityResult) -> str:
    classes = ", ".join(plain(own.name) for own in result.classes)
    of = f"texts of {plain(result.provenance.representation.name)}"
    return f"Polarity of {plural(len(result.texts), 'text')} ({result.scheme}: {classes}): {of}"


def _notes(result: TextPolarityResult) -> list[str]:
    limit = f"{result.threshold:g}"
    said = [
        f"share: of texts that lean to the class, each prompt counting once; by score, above {limit}, a threshold "
        "that was chosen and not derived. mean: of scores (by words counted: of such words in a text). Interval: "
        "prompts drawn again; of a share of 0 or 100 %, Wilson's.",
        f"words are looked up in {plain(result.vectors.name)}; stop words and class words are left out.",
    ]
    chances = [group.share_chance for group in result.groups if group.share_chance]
    if chances:
        said.append(
            f"by chance: 95 % of {chances[0].draws:,} draws of random words of the same frequency in place of the "
            "class words."
        )
    elif result.provenance.settings["chance"]:
        said.append("there is no chance level, since there are too few other words.")
    if _sourced(result):
        said.append("source: the text that people wrote after the same prompts.")
    said += [plain(note) for note in (result.read, *result.notes) if note]
    return [*said, *missing_words(result)]


def _sourced(result: TextPolarityResult) -> bool:
    return any(group.source_share is not None for group in result.groups)


def _name(name: str) -> str:
    return plain(name.replace("_", " "))


def _percent(share: float | None) -> str:
    return "–" if share is None else percent(share)


def glance(r: TextPolarityResult, about: Category) -> list[Glance]:
    """Say at a glance, for each domain, how groups differ by the weighted mean; without groups, how the texts lean."""
    first, draws = r.classes[0].name, r.provenance.settings["chance"]
    shown = [d for d in r.differences if d.metric == WAVG and d.other_than != SOURCE]
    if not shown:
        own = [group for group in r.groups if group.metric == WAVG and group.leans_to == first]
        return [_alone(group, r, about, draws) for group in own]
    return [_line(found, r, about, draws) for found in shown]


def _line(found: LeanDifference, r: TextPolarityResult, about: Category, draws: int) -> Glance:
    what = "further to" if found.value >= 0 else "less to"
    sentence = (
        f"Texts on {_name(found.group)} lean {what} {plain(found.leans_to)} than those on {_name(found.other_than)}, "
        f"by {small(abs(found.value))} (weighted mean)."
    )
    stimuli = f"{_name(found.group)}, {_name(found.other_than)}: {plain(found.leans_to)}"
    return line(
        about(r.provenance.stimuli), stimuli, found.value, "lean", sentence, found.pvalue, chance=found.chance,
        draws=draws, interval=found.interval,
    )  # fmt: skip


def _alone(found: GroupLean, r: TextPolarityResult, about: Category, draws: int) -> Glance:
    sentence = f"The texts lean to {plain(found.leans_to)} by {small(found.mean)} (weighted mean)."
    stimuli = f"{_name(found.group)}: {plain(found.leans_to)}"
    chance = found.mean_chance
    return line(
        about(r.provenance.stimuli), stimuli, found.mean, "lean", sentence, chance=chance, draws=draws,
        interval=found.mean_interval,
    )  # fmt: skip


def shares_picture(result: TextPolarityResult) -> Any:
    """Draw the share of texts that lean to each class by group, beside chance and sources; of many, by words."""
    rows = []
    shown = [g for g in result.groups if len(result.groups) <= MOST_ROWS or g.metric == UNIGRAM]
    for place, group in enumerate(shown):
        chance, (low, high) = group.share_chance, bounds(group.share_interval)
        ends = (chance.low, chance.high) if chance else (None, None)
        label = f"{METRICS[group.metric]} · {_name(group.group)} → {plain(group.leans_to)}"
        rows.append({
            "row": place, "label": label, "test": label, "value": group.share, "low": low, "high": high,
            "other": group.source_share, "chance low": ends[0], "chance high": ends[1], "series": "texts",
            "other series": SOURCES, "share": percent(group.share), "interval": between(low, high, _percent),
            "chance": between(ends[0], ends[1], _percent), "in the sources": _percent(group.source_share),
        })  # fmt: skip
    series = ["texts", SOURCES] if _sourced(result) else []
    return rows_chart(rows, "share of texts that lean to the class (grey: random class words)", series, "share", [0.0])


def shares_chart(result: TextPolarityResult) -> str:
    """Draw the shares as SVG."""
    return svg(shares_picture(result), ink=INK, paper=PAPER)
