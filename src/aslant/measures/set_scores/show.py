"""Scores of word sets as tables and charts: one by one, and side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aslant.errors import plural
from aslant.measures.association.show import caution_notes
from aslant.measures.set_scores.kinds import SCORES
from aslant.measures.set_scores.result import BEYOND, MlEatResult, WordSetScore, WordSetScoresResult
from aslant.report.charts import MODEL_COLOUR, tips
from aslant.report.conventions import Category, chance_note, line
from aslant.report.pictures import fluid, words_chart
from aslant.report.tables import Column, Table, between, first_of, missing_words, number, plain, pvalue, small
from aslant.results.audit import Glance

#: What a value of each score says, where X and Y are the targets and A and B the attributes.
SAYS = {
    "relative-norm": "below 0: '{A}' nearer to '{X}' than to '{Y}'",
    "ripa": "above 0: '{A}' leaning to '{X}' rather than '{Y}'",
    "mac": "1: at right angles; the lower, the closer the targets are to the attributes",
    "ect": "1: both target sets rank the attributes alike; the lower, the more they differ",
    "rnsb": "0: all targets equally likely to be taken for '{B}' rather than '{A}'",
    "same": "0: no target word leans to '{A}' or '{B}'",
    "ml-eat": "above 0: '{X}' with '{A}' and '{Y}' with '{B}'; sets of equal size reach ±2",
}
#: What the means of sets are of.
MEANS = {
    "relative-norm": "mean by attribute set", "ripa": "mean by attribute set", "mac": "mean distance by target set",
    "ect": "mean gain in rank towards '{X}', by attribute set", "rnsb": "mean probability '{B}' by target set",
    "same": "mean cosine by target set, above 0: to '{A}'", "ml-eat": "mean association by target set",
}  # fmt: skip
#: The same of the words in a chart.
AXIS = {
    "relative-norm": "← nearer to {X} · distance · nearer to {Y} →", "ripa": "← {Y} · inner product · {X} →",
    "mac": "cosine distance", "ect": "← {Y} · gain in rank · {X} →", "rnsb": "probability “{B}”",
    "same": "← {B} · cosine · {A} →", "ml-eat": "← {B} · closer to · {A} →",
}  # fmt: skip
#: What is done with the words that could change places.
DEALT = {
    "targets": "reassign the targets", "means": "reassign the targets",
    "attributes": "reassign the attributes", "pairs": "turn pairs around",
}  # fmt: skip
STRENGTH = "standard deviations beyond the mean of chance; more is more bias, whatever the sign of the score"
COLUMNS = (
    Column("test", "test", plain, "left"),
    Column("title", "what is compared", plain, "left", wraps=True, spare=3, least=20),
    Column("measure", "score", lambda name: SCORES[name].short, "left"),
    Column("value", "value", small),
    Column("interval", "interval", str, note="interval: over the choice of words.", spare=2),
    Column("pvalue", "p", pvalue), Column("qvalue", "q", pvalue),
    Column("chance", "chance", str, spare=1), Column("chance_pvalue", "p (chance)", pvalue),
    Column("chance_qvalue", "q (chance)", pvalue),
)  # fmt: skip


def letters(score: WordSetScore) -> dict[str, str]:
    """Return the names of the sets by the letters that stand for them."""
    x, y = ([plain(group.name) for group in sets] for sets in (score.targets, score.attributes))
    return {"X": x[0], "Y": x[-1], "A": y[0], "B": y[-1]}


def _row(row: dict[str, Any]) -> dict[str, Any]:
    chance = between(row["chance_low"], row["chance_high"], small)
    return {**row, "interval": between(row["low"], row["high"], small), "chance": chance}


def score_table(result: WordSetScore) -> Table:
    """Describe one score of word sets."""
    score, names = SCORES[result.kind], letters(result)
    several = " '{A}' minus '{B}';".format(**names) if score.attributes == (1, 2) and len(result.attributes) > 1 else ""
    together = " both attribute sets together;" if result.kind == "ect" and several else ""
    notes = [f"{score.short}:{together or several} {SAYS[result.kind].format(**names)}."]
    parts = "; ".join(f"{plain(part.name)} {small(part.mean)}" for part in result.sets)
    notes.append(f"{MEANS[result.kind].format(**names)}: {parts}.")
    notes += [*_own_test(result), *chance_note(result.chance, "the attributes")]
    if result.provenance.settings["chance"] and result.chance is None:
        notes.append("there is no chance level, since the vocabulary has too few other words.")
    if result.kind == "ripa":
        notes.append(
            f"pairs: words at the same place of both lists, such as {_pairs(result)}; of names, they are arbitrary."
        )
        alone = [word for group in result.targets for word in group.removed]
        notes += [f"left out, since their counterpart is missing: {first_of(alone)}"] if alone else []
    notes += caution_notes([result])
    shown = [column for column in COLUMNS if column.key not in ("measure", "qvalue", "chance_qvalue")]
    title = f"{score.short} on {result.provenance.representation.name}"
    return Table(title, tuple(shown), [_row(row) for row in result.rows()], (*notes, *missing_words(result)))


def _own_test(result: WordSetScore) -> list[str]:
    if result.pvalue is None or result.n_partitions is None:
        return [f"{SCORES[result.kind].short} has no test of its own: no words could change places."]
    which, exact = "all", "exact"
    if result.pvalue_method == "monte carlo":
        which, exact = "random ones of the", "estimated"
    if result.pvalue_method == "dynamic programming":
        exact = "at most 1 % too large"
    return [f"p: over {which} {result.n_partitions:,} ways to {DEALT[SCORES[result.kind].dealt]} ({exact})."]


def _pairs(result: WordSetScore) -> str:
    first, second = (group.used for group in result.targets)
    return ", ".join(f"{plain(x)}–{plain(y)}" for x, y in list(zip(first, second, strict=True))[:2])


def level_tables(result: MlEatResult, width: int = 140) -> tuple[Table, ...]:
    """Describe ML-EAT: the first level, and those that it is made of."""
    columns = (
        Column("level", "level", str), Column("targets", "targets", plain, "left", wraps=True),
        Column("attributes", "attributes", plain, "left", wraps=True), Column("value", "value", small),
        Column("sd", "sd", small), Column("pvalue", "p", pvalue),
    )  # fmt: skip
    rows = [vars(level) for level in result.levels]
    notes = (
        "level 2: d of a target set between both attributes, above 0: closer to the first; p reassigns the "
        "attributes. Level 3: mean cosine.",
    )
    return score_table(result), Table("What it is made of", columns, rows, notes)


def scores_table(result: WordSetScoresResult) -> Table:
    """Describe every score of every word set, one by one."""
    rows = [_row(row) for row in result.rows()]
    shown = [c for c in COLUMNS if c.key != "measure" or len(result.scores) > 1]
    models = dict.fromkeys(row["representation"] for row in rows)
    if len(models) > 1:
        shown.insert(0, Column("representation", "embedding", plain, "left", wraps=True))
    notes = [
        *(_legend(result, name) for name in result.scores),
        "p: over ways to reassign words; q: Benjamini–Hochberg over all of these scores; chance: what 95 % of "
        "random attributes of the same frequency give.",
        *caution_notes(list({score.test: score for score in _scores(result)}.values())),
        *(f"{plain(s.test)} was not run: {plain(s.reason)}." for s in result.skipped),
    ]
    title = f"{'Scores of word sets' if len(result.scores) > 1 else SCORES[result.scores[0]].short} on "
    return Table(title + ", ".join(models), tuple(shown), rows, (*notes, *missing_words(result)))


def _legend(result: WordSetScoresResult, name: str) -> str:
    """Say what the sign of a score means, by the names of the sets where there is one test, else by their places."""
    scores, tests = [score for score in _scores(result) if score.kind == name], {s.test for s in _scores(result)}
    if len(tests) == 1 and scores:
        return f"{SCORES[name].short}: {SAYS[name].format(**letters(scores[0]))}."
    places = {"X": "the first targets", "Y": "the second", "A": "the first attributes", "B": "the second attributes"}
    return f"{SCORES[name].short}: {SAYS[name].replace(chr(39), '').format(**places)} (aslant words show TEST)."


def scores_tables(result: WordSetScoresResult, width: int = 140) -> tuple[Table, ...]:
    """Describe scores side by side: how far beyond chance each is, then how far they agree."""
    if len(result.scores) < 2:
        return (scores_table(result),)
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for row, sure in zip(result.rows(), result.beyond, strict=True):
        model = row["representation"]
        first = {"representation": model, "test": row["test"], "title": row["title"]}
        mark = "" if row["strength"] is None else f"{number(row['strength'])}{'●' if sure else '○'}"
        rows.setdefault((model, row["test"]), first)[row["measure"]] = mark or "–"
    models = dict.fromkeys(model for model, _ in rows)
    columns = [Column("representation", "embedding", plain, "left", wraps=True)] if len(models) > 1 else []
    columns += [
        Column("test", "test", plain, "left"),
        Column("title", "what is compared", plain, "left", wraps=True, spare=2, least=20),
        *(Column(name, SCORES[name].short, str) for name in result.scores),
    ]
    detail = scores_table(result)
    notes = (
        f"{STRENGTH}. ● beyond chance: neither random attributes nor, where a score has one, its own test explain it "
        f"(q up to {BEYOND:g}, over all scores); ○ not.",
        "the values themselves, intervals and p-values: --csv, --json, or the command of each score.",
        *detail.notes[1 + len(result.scores) :],
    )
    given = f"Scores of word sets on {', '.join(models)}"
    return (Table(given, tuple(columns), list(rows.values()), notes), *agreement_tables(result, len(models)))


def agreement_tables(result: WordSetScoresResult, models: int) -> tuple[Table, ...]:
    """Describe how far each two scores agree: on word sets, and on embeddings where there are several."""
    pairs = {(a.first, a.second): a for a in result.agreement}
    above = {key: number(a.rho) for key, a in pairs.items()}
    below = {(b, a): f"{found.same_verdict}/{found.n_scored}" for (a, b), found in pairs.items()}
    notes = (
        "above the diagonal: Spearman's rho, over the word sets, of how far beyond chance two scores are (1: the same "
        "order of sets); below it: on how many sets both, or neither, are beyond chance (●).",
    )
    made = [_matrix("How far the scores agree", result.scores, above | below, notes)]
    if models > 1:
        tau = {key: number(a.tau) for key, a in pairs.items()}
        said = ("how often two scores put two embeddings in the same order on a word set, minus how often not.",)
        made.append(_matrix("How far they agree on the order of embeddings", result.scores, tau, said))
    return tuple(made)


def _matrix(title: str, names: Sequence[str], cells: dict[tuple[str, str], str], notes: tuple[str, ...]) -> Table:
    rows = [{"score": SCORES[a].short, **{b: cells.get((a, b), "") for b in names}} for a in names]
    columns = (Column("score", "score", str, "left"), *(Column(b, SCORES[b].short, str) for b in names))
    return Table(title, columns, rows, notes)


def glance(result: WordSetScoresResult, about: Category) -> list[Glance]:
    """Say at a glance what the scores of the word sets of each category show together."""
    made = []
    for found in result.categories:
        sets = plural(len(found.tests), "word set")
        beyond = "is" if found.n_beyond == 1 else "are"
        sentence = (
            f"{plural(len(result.scores), 'score')} of {sets}: {found.n_beyond} of {found.n_scores} {beyond} beyond "
            f"chance; on average {number(found.strength)} standard deviations beyond the mean of chance."
        )
        stimuli, draws = " ".join(found.tests), result.provenance.settings["chance"]
        name = "sd of chance"
        made.append(
            line(found.category, stimuli, found.strength, name, sentence, found.pvalue, None, found.chance, draws)
        )
    return made


def score_glance(result: WordSetScore, about: Category) -> list[Glance]:
    """Say at a glance what one score shows."""
    score = SCORES[result.kind]
    sentence = f"{score.short} = {small(result.value)} ({SAYS[result.kind].format(**letters(result))})."
    draws = result.provenance.settings["chance"]
    return [
        line(
            result.category,
            result.test,
            result.value,
            score.short,
            sentence,
            result.pvalue,
            None,
            result.chance,
            draws,
            result.interval,
        )
    ]


def words_picture(result: WordSetScore) -> Any:
    """Draw what each word adds to a score."""
    named = [(word.word, word.value, plain(word.group)) for word in result.words]
    return words_chart(named, AXIS[result.kind].format(**letters(result)))


def scores_picture(result: WordSetScoresResult) -> Any:
    """Draw how far beyond chance each score of each word set is."""
    import altair as alt

    rows = _dots(result)
    base = alt.Chart(alt.InlineData(values=rows))
    shorts = [SCORES[name].short for name in result.scores]
    where: dict[str, Any] = {
        "x": alt.X("score:N", sort=shorts, title=None, axis=alt.Axis(orient="top", labelAngle=0, ticks=False)),
        "y": alt.Y("set:N", sort=None, title=None, axis=alt.Axis(ticks=False, labelLimit=150)),
    }
    known = ["beyond chance", "not"]
    fill = alt.Scale(domain=known, range=[MODEL_COLOUR, "white"])
    dots = base.mark_circle(stroke=MODEL_COLOUR, strokeWidth=1.5, opacity=1).encode(
        **where,
        size=alt.Size("size:Q", scale=alt.Scale(domain=[0, 6], range=[10, 420], clamp=True), legend=None),
        fill=alt.Fill("verdict:N", scale=fill, legend=alt.Legend(title=None, orient="top", symbolStrokeColor="#888")),
        tooltip=tips("set", "score", "value", "beyond chance:strength", "q", "q (chance)"),
    )
    return fluid(dots.properties(height=alt.Step(30)))


def _dots(result: WordSetScoresResult) -> Sequence[dict[str, Any]]:
    """Return what is drawn and told of each score."""
    several = len({score.provenance.representation.name for score in _scores(result)}) > 1
    made = []
    for row, sure in zip(result.rows(), result.beyond, strict=True):
        name = f"{row['representation']} · {row['test']}" if several else row["test"]
        told = {"value": small(row["value"]), "strength": number(row["strength"]), "q": pvalue(row["qvalue"])}
        drawn = {"set": plain(name), "score": SCORES[row["measure"]].short, "size": max(row["strength"] or 0.0, 0.0)}
        verdict = {"verdict": "beyond chance" if sure else "not", "q (chance)": pvalue(row["chance_qvalue"])}
        made.append({**drawn, **told, **verdict})
    return made


def _scores(result: WordSetScoresResult) -> list[Any]:
    return list(result.results)
