"""A scored survey as a table: one row per association, the paper's Table 3 row and the workers under it."""

from __future__ import annotations

from aslant.errors import plural
from aslant.measures.enumeration.result import CONTENT_NOTE
from aslant.measures.enumeration.survey_plan import MATCHERS, MOST_OFFENSIVE, RATERS
from aslant.measures.enumeration.survey_result import Proportion, SurveyResult
from aslant.report.tables import Column, Table, number, plain


def survey_table(result: SurveyResult) -> Table:
    """Describe a scored survey."""
    columns = (
        Column("category", "category", plain, "left", wraps=True),
        Column("group", "embedding's group", plain, "left"),
        Column("names", "names", plain, "left", wraps=True, min_width=120),
        Column("words", "words", plain, "left", wraps=True),
        Column("chosen", "chosen", _or_dash, "left", wraps=True, min_width=100),
        Column("agrees", "people agree", _yes_no),
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


def _or_dash(text: object) -> str:
    return plain(text) if text else "–"


def _yes_no(agrees: bool | None) -> str:
    return "–" if agrees is None else "yes" if agrees else "no"
