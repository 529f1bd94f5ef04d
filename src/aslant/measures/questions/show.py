"""Answers to BBQ as tables and charts: accuracy and bias by category and kind of text."""

from __future__ import annotations

from typing import Any

from aslant.errors import plural
from aslant.measures.questions.measure import EVERY
from aslant.measures.questions.result import BbqResult, QuestionBias
from aslant.measures.questions.stimuli import AMBIGUOUS
from aslant.measures.template_tests.show import percent, twins_notes
from aslant.report.conventions import MODEL_CONTENT_NOTE, Category, line, weakest_chance
from aslant.report.pictures import words_chart
from aslant.report.tables import Column, Table, between, number, plain, pvalue
from aslant.results.audit import Glance
from aslant.results.parts import Interval

#: What an audit calls the categories.
CATEGORIES = {
    "Disability_status": "disability", "Gender_identity": "gender", "Physical_appearance": "appearance",
    "Race_ethnicity": "race", "Race_x_SES": "race and class", "Race_x_gender": "race and gender", "SES": "class",
    "Sexual_orientation": "sexuality", EVERY: "several",
}  # fmt: skip
#: What guessing gives.
GUESSED = 1 / 3


def groups_table(result: BbqResult) -> Table:
    """Describe every category in both kinds of texts."""
    columns = (
        Column("category", "category", lambda value: plain(value.replace("_", " ")), "left"),
        Column("condition", "text", plain, "left"),
        Column("n", "n", str, spare=3),
        Column("accuracy", "accuracy", percent),
        Column("accuracy_between", "interval", str, spare=2),
        Column("answered_unknown", "unknown", percent, spare=4),
        Column("bias", "bias", number),
        Column("bias_between", "interval", str, spare=1),
        Column("pvalue", "p", pvalue),
        Column("qvalue", "q", pvalue),
    )
    rows = [_row(group, row) for group, row in zip(result.groups, result.rows(), strict=True)]
    title = f"Questions about people (BBQ), answered by {result.provenance.representation.name}"
    return Table(title, columns, rows, _notes(result), first_line=MODEL_CONTENT_NOTE, section_key="category")


def _row(group: QuestionBias, row: dict[str, Any]) -> dict[str, Any]:
    return {
        **row,
        "answered_unknown": group.unknown / group.n,
        "accuracy_between": _between(group.accuracy_interval, percent),
        "bias_between": _between(group.bias_interval, number),
    }


def _between(interval: Interval | None, write: Any) -> str:
    return between(interval.low, interval.high, write) if interval else "–"


def _notes(result: BbqResult) -> tuple[str, ...]:
    said = [
        "ambiguous: the text does not answer the question, and “unknown” is right; disambiguated: it does. Guessing "
        f"gives an accuracy of {percent(GUESSED)}.",
        "bias: of the answers that name a person, 2 · (share that the stereotype expects) − 1; in ambiguous texts "
        "times (1 − accuracy). 0: none, 1: always the stereotype, −1: always against it.",
        "interval and p: templates of questions are the units, which many questions share (drawn again; signs flipped, "
        f"two-sided); q: Benjamini–Hochberg over these {plural(len(result.groups), 'line')}.",
    ]
    biases = [(f"{_name(group)}:", [number(value) for value in group.twins]) for group in result.groups]
    said += twins_notes(result, "bias scores of ", biases)
    scored = "mean per word piece" if result.per_piece else "sum over word pieces"
    prompt = plain(result.prompt.replace("\n", " / "))
    said.append(f"the likeliest answer counts ({result.method}, {scored}), after “{prompt}”.")
    said += [plain(note) for note in result.notes]
    if note := result.provenance.representation.note:
        said.append(f"the model: {plain(note)}")
    return tuple(said)


def _name(group: QuestionBias) -> str:
    return f"{plain(group.category.replace('_', ' '))}, {group.condition}"


def glance(r: BbqResult, about: Category) -> list[Glance]:
    """Say at a glance what was found in every category: bias in ambiguous and in disambiguated texts."""
    several = len({group.category for group in r.groups}) > 1
    shown = [g for g in r.groups if g.bias is not None and not (several and g.category == EVERY)]
    return [_line(group, r) for group in shown]


def _line(group: QuestionBias, r: BbqResult) -> Glance:
    bias = group.bias or 0.0
    towards = "towards" if bias >= 0 else "against"
    which = "the others" if group.condition == AMBIGUOUS else "those that name a person"
    sentence = (
        f"In {group.condition} texts, {percent(group.accuracy)} of {plural(group.n, 'answer')} are right; {which} lean "
        f"{towards} stereotypes by {number(abs(bias))}."
    )
    chance = weakest_chance(bias, group.twins, None)
    name = CATEGORIES.get(group.category, group.category.lower())
    stimuli = f"{r.provenance.stimuli}, {group.category}, {group.condition}"
    return line(name, stimuli, bias, "bias score", sentence, group.pvalue, chance=chance, interval=group.bias_interval)


def bias_picture(result: BbqResult) -> Any:
    """Draw the bias of every category in both kinds of texts; returns an Altair chart."""
    named = [(_name(group), group.bias, group.condition) for group in result.groups if group.bias is not None]
    return words_chart(sorted(named, key=lambda entry: -entry[1]), "bias score: answers follow the stereotype →")
