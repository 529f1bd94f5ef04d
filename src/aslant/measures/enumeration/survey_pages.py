"""A survey as files (pages that workers open, tables for crowd platforms, the key), and scored as a table."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
from collections.abc import Iterable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from aslant.errors import AslantError, plural
from aslant.io.files import workplace, write_text
from aslant.measures.enumeration import survey_plan as plan
from aslant.measures.enumeration.result import CONTENT_NOTE
from aslant.measures.enumeration.survey_plan import MATCHERS, MOST_OFFENSIVE, RATERS
from aslant.measures.enumeration.survey_result import Proportion, SurveyResult
from aslant.report.html import environment
from aslant.report.tables import FORMULA, Column, Table, number, plain

TASKS = ("exam", "matching", "rating")
RATE = "aslant enumerate survey ratings ANSWERS.csv... --survey survey.json -o ratings"
SCORE = "aslant enumerate survey score ANSWERS.csv... --survey survey.json"


def survey_files(survey: plan.Survey) -> dict[str, str]:
    """Return the files of exam and matching, by name; an exam without questions has none.

    The pages and tables of the tasks hold nothing of the key; `key.csv` and `survey.json` do.
    """
    offered = _offered(survey.groups)
    exam = [{"task": "exam", "item": survey.public_id(q.id), "name": q.name, **offered} for q in survey.exam]
    rows = {"exam": exam, "matching": _matching_rows(survey)}
    tasks = [task for task, asked in rows.items() if asked]
    made = {f"{task}.html": survey_page(survey, task) for task in tasks}
    made |= {f"{task}.csv": _csv(rows[task]) for task in tasks}
    made |= {"key.csv": _csv(_key_rows(survey)), "survey.json": survey.to_json() + "\n"}
    return made | {"README.txt": _instructions(survey)}


def rating_files(survey: plan.Survey, questions: Sequence[plan.RatingQuestion]) -> dict[str, str]:
    """Return the files of the rating task for what people matched, by name."""
    instructions = "\n\n".join((CONTENT_NOTE, _rating_instructions(survey, len(questions))))
    return {
        "rating.html": survey_page(survey, "rating", questions),
        "rating.csv": _csv(_rating_rows(survey, questions)),
        "README.txt": instructions + "\n",
    }


def write_survey(survey: plan.Survey, folder: str | Path) -> list[Path]:
    """Write exam, matching and key into a new folder, all of it or nothing; return the files."""
    return _write(survey_files(survey), Path(folder))


def write_ratings(survey: plan.Survey, questions: Sequence[plan.RatingQuestion], folder: str | Path) -> list[Path]:
    """Write the rating task for what people matched into a new folder, all of it or nothing; return the files."""
    return _write(rating_files(survey, questions), Path(folder))


def _write(made: dict[str, str], target: Path) -> list[Path]:
    if target.exists() or target.is_symlink():
        raise AslantError(f"'{target}' already exists; name a new folder, so that no two surveys are mixed up.")
    try:
        with workplace(target.parent, target.name) as around:
            whole = around / "survey"
            whole.mkdir()
            for name, text in made.items():
                write_text(whole / name, text)
            whole.rename(target)
    except OSError as error:
        raise AslantError(f"cannot write '{target}': {error.strerror or error}.") from None
    return [target / name for name in made]


def how_many() -> str:
    """Say how many people the paper asked, for those who organise a survey."""
    return (
        f"Swinger et al. had at least {MATCHERS} people match each test, and {RATERS[0]} to {RATERS[1]} "
        f"rate each association; {100 * plan.PASSED_IN_PAPER:.0f} % of those who took the exam passed it."
    )


def _instructions(survey: plan.Survey) -> str:
    exam = "more than half right qualifies" if survey.exam else "this survey has none"
    words = sum(len(task.questions) for task in survey.matching)
    return "\n\n".join((
        CONTENT_NOTE,
        f"Survey {survey.code}: {plural(len(survey.exam), 'exam question')}, {plural(words, 'word set')} "
        f"of {plural(len(survey.matching), 'test')}.",
        f"1. Exam (exam.html, or exam.csv for a platform): {exam}.",
        f"2. Matching (matching.html, matching.csv): ask at least {MATCHERS} people who passed.",
        "3. Rating: only what people matched to the embedding's group is rated, so this task is made from the answers "
        f"to the first two:\n\n    {RATE}\n\n   Ask {RATERS[0]} to {RATERS[1]} people who passed the exam.",
        f"4. Score all answers together, those of the rating task too:\n\n    {SCORE}",
        how_many(),
        "key.csv and survey.json hold the right answers: keep them from workers. Pages give the answers back as CSV; "
        "nothing leaves them unless a worker sends it.",
    )) + "\n"  # fmt: skip


def _rating_instructions(survey: plan.Survey, questions: int) -> str:
    return (
        f"Survey {survey.code}: {plural(questions, 'association')} to rate, those that people matched to the "
        f"embedding's group. Ask {RATERS[0]} to {RATERS[1]} people who passed the exam. rating.html and "
        "rating.csv show right answers of "
        f"the matching: do not give them to anyone who has yet to match. Then score everything together:\n\n    {SCORE}"
    )


def survey_page(survey: plan.Survey, task: str, questions: Sequence[plan.RatingQuestion] | None = None) -> str:
    """Return the page of one task ("exam", "matching" or "rating"): no outside host, one script allowed by its hash.

    `questions` are those to rate; nothing: all.
    """
    from markupsafe import Markup

    style, script = _asset("survey.css"), _asset("survey.js")
    by_id = {group.id: group for group in survey.groups}
    return (
        environment()
        .get_template(f"survey_{task}.html.j2")
        .render(
            survey=survey,
            ratings=survey.rating if questions is None else questions,
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
            ends=plan.RATING_ENDS,
        )
    )


def _asset(name: str) -> str:
    return (files("aslant.report") / "templates" / name).read_text(encoding="utf-8")


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


def _offered(groups: Iterable[plan.ShownGroup]) -> dict[str, str]:
    """Return the groups on offer as columns, in the order of the page."""
    numbered = list(enumerate(groups, 1))
    return {f"{what}_{i}": cell for i, g in numbered for what, cell in (("group", g.id), ("names", _names(g)))}


def _names(group: plan.ShownGroup) -> str:
    return ", ".join(group.names)


def _matching_rows(survey: plan.Survey) -> list[dict[str, Any]]:
    by_id = {group.id: group for group in survey.groups}
    return [
        {
            "task": "matching", "item": survey.public_id(q.id), "test": task.id, "words": ", ".join(q.words),
            **_offered(by_id[group] for group in task.groups),
        }
        for task in survey.matching
        for q in task.questions
    ]  # fmt: skip


def _rating_rows(survey: plan.Survey, questions: Sequence[plan.RatingQuestion]) -> list[dict[str, Any]]:
    names = {group.id: _names(group) for group in survey.groups}
    return [
        {
            "task": "rating", "item": survey.public_id(q.id), "words": ", ".join(q.words), "group": q.group,
            "names": names[q.group],
        }
        for q in questions
    ]  # fmt: skip


def _key_rows(survey: plan.Survey) -> list[dict[str, Any]]:
    """Return the right answers of exam and matching; those of a rating are what it shows."""
    key = survey.key
    shown = [("exam", q.id, q.name, key.exam[q.id], "") for q in survey.exam]
    shown += [
        ("matching", q.id, ", ".join(q.words), key.matching[q.id], key.categories[task.id])
        for task in survey.matching
        for q in task.questions
    ]
    return [
        {
            "task": task, "item": survey.public_id(question), "shown": text, "group": group,
            "label": key.labels[group], "category": where,
        }
        for task, question, text, group, where in shown
    ]  # fmt: skip


def survey_table(result: SurveyResult) -> Table:
    """Describe a scored survey."""
    columns = (
        Column("category", "category", plain, "left", wraps=True),
        Column("group", "embedding's group", plain, "left"),
        Column("names", "names", plain, "left", wraps=True, min_width=120),
        Column("words", "words", plain, "left", wraps=True),
        Column("chosen", "chosen", lambda text: plain(text) or "–", "left", wraps=True, min_width=100),
        Column("agrees", "people agree", {None: "–", True: "yes", False: "no"}.__getitem__),
        Column("answers", "answers", str, min_width=90),
        Column("mean_rating", "rating", number),
        Column("ratings", "ratings", str, min_width=90),
    )
    title = f"Survey on {result.embedding}: do people know the same stereotypes?"
    return Table(title, columns, result.rows(), _notes(result), first_line=CONTENT_NOTE, section_key="test")


def percent(share: float | None) -> str:
    """Write a share in per cent.

    >>> percent(0.724), percent(None)
    ('72.4 %', '–')
    """
    return "–" if share is None else f"{100 * share:.1f} %"


def _notes(result: SurveyResult) -> tuple[str, ...]:
    accuracy, offensive = result.accuracy, result.offensive
    row = (
        f"Table 3: {plain(result.embedding)}: {plural(result.significant, 'significant association')}, "
        f"{percent(accuracy.share if accuracy else None)} accurate, "
        f"{percent(offensive.share if offensive else None)} offensive."
    )
    nobody = () if result.workers_qualified else ("No worker passed the exam, so nothing could be scored.",)
    return (
        *nobody,
        row,
        f"accurate: people's most frequent choice is the embedding's group{_interval(accuracy)}; a tie counts as none. "
        f"Chance: {percent(result.chance)}, with {number(result.mean_groups)} groups on offer on average; single "
        f"answers: {percent(result.single_accuracy)}.",
        f"offensive: of the associations that people matched and rated, those with a mean rating of "
        f"{result.offensive_from:g} or more out of {MOST_OFFENSIVE} (aslant's threshold, not known to be the paper's)"
        f"{_interval(offensive)}; mean rating {number(result.mean_rating)}.",
        f"asked: {plural(len(result.associations), 'association')} of {plural(result.tests, 'test')}; {_exam(result)}.",
        _how_many(result),
        *_workers(result),
    )


def _how_many(result: SurveyResult) -> str:
    """Compare the numbers of answers with those of the paper."""
    answers = _span([a.answers for a in result.associations])
    ratings = _span([a.ratings for a in result.matched])
    return (
        f"people: {answers} matched a word set (the paper: {MATCHERS} or more), {ratings} rated an association that "
        f"was matched (the paper: {RATERS[0]} to {RATERS[1]})."
    )


def _span(counts: list[int]) -> str:
    low, high = min(counts, default=0), max(counts, default=0)
    return f"{low}" if low == high else f"{low} to {high}"


def _exam(result: SurveyResult) -> str:
    if not any(worker.exam_questions for worker in result.workers):
        return f"{plural(result.workers_given, 'worker')}, without an exam"
    passed = f"{result.workers_qualified} of {plural(result.workers_given, 'worker')}"
    return f"{passed} got more than half of the exam right (not taking it is failing), and only they count"


def _interval(share: Proportion | None) -> str:
    if share is None:
        return ""
    interval = f"{100 * share.confidence:g} % interval {percent(share.low)} to {percent(share.high)}"
    return f" ({share.count} of {share.n}; {interval})"


def _workers(result: SurveyResult) -> tuple[str, ...]:
    agreement = [w.agreement for w in result.workers if w.qualified and w.agreement is not None]
    if not agreement:
        return ()
    low, mean, high = min(agreement), sum(agreement) / len(agreement), max(agreement)
    return (
        f"agreement of a worker with the plurality of the others: {percent(mean)} on average, {percent(low)} to "
        f"{percent(high)}; --json gives each worker's.",
    )
