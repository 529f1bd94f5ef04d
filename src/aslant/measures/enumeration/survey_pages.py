"""A survey as files (pages that workers open, tables for crowd platforms, the key), and scored as a table."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from aslant.errors import AslantError, plural
from aslant.io.files import workplace, write_text
from aslant.measures.enumeration import survey as plan
from aslant.measures.enumeration.result import CONTENT_NOTE
from aslant.measures.enumeration.survey import MATCHERS, MOST_OFFENSIVE, RATERS
from aslant.measures.enumeration.survey_result import Proportion, SurveyResult
from aslant.report.html import asset, environment, hashed
from aslant.report.tables import FORMULA, Column, Table, number, plain

TASKS = ("exam", "matching", "rating")
RATE = "aslant enumerate survey ratings ANSWERS.csv... --survey survey.json -o ratings"
SCORE = "aslant enumerate survey score ANSWERS.csv... --survey survey.json"
#: How many people the paper asked, for those who organise a survey.
HOW_MANY = (
    f"Swinger et al. had at least {MATCHERS} people match each test, and {RATERS[0]} to {RATERS[1]} "
    f"rate each association; 37 % of those who took the exam passed it."
)


def survey_files(survey: plan.Survey) -> dict[str, str]:
    """Return the files of exam (if any) and matching, by name; only `key.csv` and `survey.json` hold the key."""
    key, groups = survey.key, {group.id: group for group in survey.groups}
    asked = [(task, question) for task in survey.matching for question in task.questions]
    tables: dict[str, list[dict[str, Any]]] = {
        "exam": [{**_item(survey, "exam", q.id), "name": q.name, **_offered(survey.groups)} for q in survey.exam],
        "matching": [
            {**_item(survey, "matching", q.id), "test": task.id, "words": ", ".join(q.words)}
            | _offered(groups[group] for group in task.groups)
            for task, q in asked
        ],
    }
    # The right answers of exam and matching; those of a rating are what it shows.
    right = [("exam", q.id, q.name, key.exam[q.id], "") for q in survey.exam]
    right += [("matching", q.id, ", ".join(q.words), key.matching[q.id], key.categories[t.id]) for t, q in asked]
    keys = [
        {**_item(survey, task, q), "shown": text, "group": group, "label": key.labels[group], "category": category}
        for task, q, text, group, category in right
    ]
    made = {f"{task}.html": survey_page(survey, task) for task, rows in tables.items() if rows}
    made |= {f"{task}.csv": _csv(rows) for task, rows in tables.items() if rows}
    return made | {
        "key.csv": _csv(keys),
        "survey.json": survey.to_json() + "\n",
        "README.txt": _instructions(survey, len(asked)),
    }


def _item(survey: plan.Survey, task: str, question: str) -> dict[str, str]:
    return {"task": task, "item": survey.public_id(question)}


def _offered(groups: Iterable[plan.ShownGroup]) -> dict[str, str]:
    """Return the groups on offer as columns, in the order of the page."""
    pairs = [{f"group_{i}": g.id, f"names_{i}": ", ".join(g.names)} for i, g in enumerate(groups, 1)]
    return {column: cell for pair in pairs for column, cell in pair.items()}


def rating_files(survey: plan.Survey, questions: Sequence[plan.RatingQuestion]) -> dict[str, str]:
    """Return the files of the rating task for what people matched, by name."""
    names = {group.id: ", ".join(group.names) for group in survey.groups}
    rows = [
        {**_item(survey, "rating", q.id), "words": ", ".join(q.words), "group": q.group, "names": names[q.group]}
        for q in questions
    ]
    instructions = (
        f"{CONTENT_NOTE}\n\nSurvey {survey.code}: {plural(len(questions), 'association')} to rate, those that people "
        f"matched to the embedding's group. Ask {RATERS[0]} to {RATERS[1]} people who passed the exam. rating.html and "
        "rating.csv show right answers of the matching: do not give them to anyone who has yet to match. Then score "
        f"everything together:\n\n    {SCORE}\n"
    )
    page = survey_page(survey, "rating", questions)
    return {"rating.html": page, "rating.csv": _csv(rows), "README.txt": instructions}


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


def _instructions(survey: plan.Survey, words: int) -> str:
    exam = "more than half right qualifies" if survey.exam else "this survey has none"
    return "\n\n".join((
        CONTENT_NOTE,
        f"Survey {survey.code}: {plural(len(survey.exam), 'exam question')}, {plural(words, 'word set')} "
        f"of {plural(len(survey.matching), 'test')}.",
        f"1. Exam (exam.html, or exam.csv for a platform): {exam}.",
        f"2. Matching (matching.html, matching.csv): ask at least {MATCHERS} people who passed.",
        "3. Rating: only what people matched to the embedding's group is rated, so this task is made from the answers "
        f"to the first two:\n\n    {RATE}\n\n   Ask {RATERS[0]} to {RATERS[1]} people who passed the exam.",
        f"4. Score all answers together, those of the rating task too:\n\n    {SCORE}",
        HOW_MANY,
        "key.csv and survey.json hold the right answers: keep them from workers. Pages give the answers back as CSV; "
        "nothing leaves them unless a worker sends it.",
    )) + "\n"  # fmt: skip


def survey_page(survey: plan.Survey, task: str, questions: Sequence[plan.RatingQuestion] | None = None) -> str:
    """Return the page of one task, to rate `questions` or all: no outside host, one script allowed by its hash."""
    from markupsafe import Markup

    style, script = (asset(f"templates/survey.{kind}") for kind in ("css", "js"))
    by_id = {group.id: group for group in survey.groups}
    template = environment().get_template(f"survey_{task}.html.j2")
    return template.render(
        survey=survey,
        ratings=survey.rating if questions is None else questions,
        plain=plain,
        task=task,
        content_note=CONTENT_NOTE,
        style=Markup(style),
        script=Markup(script),
        hashes=(hashed(style), hashed(script)),
        group_by_id=by_id,
        groups_of=lambda matching: [by_id[group] for group in matching.groups],
        most=MOST_OFFENSIVE,
        ends=plan.RATING_ENDS,
    )


def spreadsheet_safe(text: object) -> str:
    """Return `text` for a cell: control characters made visible, and what a spreadsheet would compute quoted."""
    shown = plain(text)
    return "'" + shown if str(text).lstrip(" ").startswith(FORMULA) else shown


def _csv(rows: list[dict[str, Any]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=max(rows, key=len), restval="")
    writer.writeheader()
    writer.writerows({column: spreadsheet_safe(cell) for column, cell in row.items()} for row in rows)
    return out.getvalue()


def survey_table(result: SurveyResult) -> Table:
    """Describe a scored survey."""
    columns = (
        Column("category", "category", plain, "left", wraps=True),
        Column("group", "embedding's group", plain, "left"),
        Column("names", "names", plain, "left", wraps=True, spare=3),
        Column("words", "words", plain, "left", wraps=True),
        Column("chosen", "chosen", lambda text: plain(text) or "–", "left", wraps=True, spare=2),
        Column("agrees", "people agree", {None: "–", True: "yes", False: "no"}.__getitem__),
        Column("answers", "answers", str, spare=1),
        Column("mean_rating", "rating", number),
        Column("ratings", "ratings", str, spare=1),
    )
    title = f"Survey on {result.embedding}: do people know the same stereotypes?"
    return Table(title, columns, result.rows(), _notes(result), first_line=CONTENT_NOTE, section_key="test")


def percent(share: float | None) -> str:
    """Write a share in per cent."""
    return "–" if share is None else f"{100 * share:.1f} %"


def _notes(result: SurveyResult) -> tuple[str, ...]:
    accuracy, offensive = result.accuracy, result.offensive
    nobody = () if result.workers_qualified else ("No worker passed the exam, so nothing could be scored.",)
    exam = f"{plural(result.workers_given, 'worker')}, without an exam"
    if any(worker.exam_questions for worker in result.workers):
        passed = f"{result.workers_qualified} of {plural(result.workers_given, 'worker')}"
        exam = f"{passed} got more than half of the exam right (not taking it is failing), and only they count"
    agreement = [w.agreement for w in result.workers if w.qualified and w.agreement is not None]
    agreed = (
        f"agreement of a worker with the plurality of the others: {percent(fmean(agreement))} on average, "
        f"{percent(min(agreement))} to {percent(max(agreement))}; --json gives each worker's.",
    ) if agreement else ()  # fmt: skip
    return (
        *nobody,
        f"Table 3: {plain(result.embedding)}: {plural(result.significant, 'significant association')}, "
        f"{percent(accuracy.share if accuracy else None)} accurate, "
        f"{percent(offensive.share if offensive else None)} offensive.",
        f"accurate: people's most frequent choice is the embedding's group{_interval(accuracy)}; a tie counts as none. "
        f"Chance: {percent(result.chance)}, with {number(result.mean_groups)} groups on offer on average; single "
        f"answers: {percent(result.single_accuracy)}.",
        f"offensive: of the associations that people matched and rated, those with a mean rating of "
        f"{result.offensive_from:g} or more out of {MOST_OFFENSIVE} (aslant's threshold, not known to be the paper's)"
        f"{_interval(offensive)}; mean rating {number(result.mean_rating)}.",
        f"asked: {plural(len(result.associations), 'association')} of {plural(result.tests, 'test')}; {exam}.",
        f"people: {_span(a.answers for a in result.associations)} matched a word set (the paper: {MATCHERS} or more), "
        f"{_span(a.ratings for a in result.matched)} rated an association that was matched (the paper: {RATERS[0]} to "
        f"{RATERS[1]}).",
        *agreed,
    )


def _span(counts: Iterable[int]) -> str:
    low, *more = sorted(set(counts)) or [0]
    return f"{low} to {more[-1]}" if more else f"{low}"


def _interval(share: Proportion | None) -> str:
    if share is None:
        return ""
    interval = f"{100 * share.confidence:g} % interval {percent(share.low)} to {percent(share.high)}"
    return f" ({share.count} of {share.n}; {interval})"
