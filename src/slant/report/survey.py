"""A survey as files: pages that workers open, tables that crowd platforms take, and the key for scoring."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any

from slant.errors import SlantError
from slant.files import workplace, write_text
from slant.report.tables import FORMULA, plain
from slant.report.templating import environment
from slant.results.enumeration import CONTENT_NOTE
from slant.results.survey_plan import MOST_OFFENSIVE, RATING_ENDS, ShownGroup, Survey

TASKS = ("exam", "matching", "rating")
#: A cell that begins so would be taken for a formula by a spreadsheet.


def survey_files(survey: Survey) -> dict[str, str]:
    """Return every file of a survey, by name; an exam without questions has none.

    The pages and tables of the tasks hold nothing of the key; `key.csv` and `survey.json` do.
    """
    rows = {"exam": _exam_rows(survey), "matching": _matching_rows(survey), "rating": _rating_rows(survey)}
    tasks = [task for task in TASKS if rows[task]]
    made = {f"{task}.html": survey_page(survey, task) for task in tasks}
    made |= {f"{task}.csv": _csv(rows[task]) for task in tasks}
    return made | {"key.csv": _csv(_key_rows(survey)), "survey.json": survey.to_json() + "\n"}


def write_survey(survey: Survey, folder: str | Path) -> list[Path]:
    """Write a survey into a new folder, all of it or nothing; return the files."""
    target, made = Path(folder), survey_files(survey)
    if target.exists() or target.is_symlink():
        raise SlantError(f"'{target}' is already there; name a new folder, so that no two surveys are mixed up.")
    try:
        with workplace(target.parent, target.name) as around:
            whole = around / "survey"
            whole.mkdir()
            for name, text in made.items():
                write_text(whole / name, text)
            whole.rename(target)
    except OSError as error:
        raise SlantError(f"cannot write '{target}': {error.strerror or error}.") from None
    return [target / name for name in made]


def survey_page(survey: Survey, task: str) -> str:
    """Return the page of one task ("exam", "matching" or "rating"): no outside host, one script known by its hash."""
    from markupsafe import Markup

    style, script = _asset("survey.css"), _asset("survey.js")
    by_id = {group.id: group for group in survey.groups}
    return (
        environment()
        .get_template(f"survey_{task}.html.j2")
        .render(
            survey=survey,
            plain=plain,
            task=task,
            code=survey.code,
            content_note=CONTENT_NOTE,
            style=Markup(style),
            style_hash=_hash(style),
            script=Markup(script),
            script_hash=_hash(script),
            group_by_id=by_id,
            groups_of=lambda matching: [by_id[group] for group in matching.groups],
            most=MOST_OFFENSIVE,
            ends=RATING_ENDS,
        )
    )


def _asset(name: str) -> str:
    return (files("slant.report") / "templates" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def spreadsheet_safe(text: object) -> str:
    """Return `text` for a cell: control characters made visible, and what a spreadsheet would compute quoted.

    >>> spreadsheet_safe("=1+1"), spreadsheet_safe("tea")
    ("'=1+1", 'tea')
    """
    shown = plain(text)
    return "'" + shown if str(text).lstrip(" ").startswith(FORMULA) else shown


def _csv(rows: list[dict[str, Any]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=max(rows, key=len), restval="")
    writer.writeheader()
    writer.writerows({column: spreadsheet_safe(cell) for column, cell in row.items()} for row in rows)
    return out.getvalue()


def _offered(groups: Iterable[ShownGroup]) -> dict[str, str]:
    """Return the groups on offer as columns, in the order of the page."""
    numbered = list(enumerate(groups, 1))
    return {f"{what}_{i}": cell for i, g in numbered for what, cell in (("group", g.id), ("names", _names(g)))}


def _names(group: ShownGroup) -> str:
    return ", ".join(group.names)


def _exam_rows(survey: Survey) -> list[dict[str, Any]]:
    offered = _offered(survey.groups)
    return [{"task": "exam", "item": survey.public_id(q.id), "name": q.name, **offered} for q in survey.exam]


def _matching_rows(survey: Survey) -> list[dict[str, Any]]:
    by_id = {group.id: group for group in survey.groups}
    return [
        {
            "task": "matching", "item": survey.public_id(q.id), "test": task.id, "words": ", ".join(q.words),
            **_offered(by_id[group] for group in task.groups),
        }
        for task in survey.matching
        for q in task.questions
    ]  # fmt: skip


def _rating_rows(survey: Survey) -> list[dict[str, Any]]:
    names = {group.id: _names(group) for group in survey.groups}
    return [
        {
            "task": "rating", "item": survey.public_id(q.id), "words": ", ".join(q.words), "group": q.group,
            "names": names[q.group],
        }
        for q in survey.rating
    ]  # fmt: skip


def _key_rows(survey: Survey) -> list[dict[str, Any]]:
    """Return the right answers; for a rating, what it is about."""
    key = survey.key
    shown = [("exam", q.id, q.name, key.exam[q.id], "") for q in survey.exam]
    shown += [
        ("matching", q.id, ", ".join(q.words), key.matching[q.id], key.categories[task.id])
        for task in survey.matching
        for q in task.questions
    ]
    category = {question: where for _, question, _, _, where in shown}
    shown += [
        ("rating", q.id, ", ".join(q.words), q.group, category[key.rating[q.id]]) for q in survey.rating
    ]  # fmt: skip
    return [
        {
            "task": task, "item": survey.public_id(question), "shown": text, "group": group,
            "label": key.labels[group], "category": where,
        }
        for task, question, text, group, where in shown
    ]  # fmt: skip
