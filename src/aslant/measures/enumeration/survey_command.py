"""`aslant enumerate survey`: ask people about the associations of an enumeration, and score their answers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from aslant.cli import options as o
from aslant.cli.shared import Output, command
from aslant.errors import plural

app = typer.Typer(
    help="Ask people about enumerated associations, and score their answers (Swinger et al. §4.1).",
    no_args_is_help=True,
)

#: Bytes of a result's JSON.
MAX_RESULT = 1 << 30
EXPORT_EXAMPLES = """
[bold]Examples[/bold]

aslant enumerate glove.txt --json result.json                then

aslant enumerate survey export result.json -o survey         exam, matching and key, in a new folder

aslant enumerate survey export result.json -o short --tests 6 --seed 1
"""
RATINGS_EXAMPLES = """
[bold]Examples[/bold]

aslant enumerate survey ratings answers/*.csv --survey survey/survey.json -o ratings
"""
SCORE_EXAMPLES = """
[bold]Examples[/bold]

aslant enumerate survey score answers.csv --survey survey/survey.json

aslant enumerate survey score answers/*.csv ratings/answers/*.csv --survey survey/survey.json --json scored.json

aslant enumerate survey score answers/*.csv --survey survey/survey.json --offensive-from 5
"""


AnswersArgument = Annotated[list[Path], typer.Argument(metavar="ANSWERS.csv...", help="Files of answers, one or more.")]
PlanOption = Annotated[Path, typer.Option("--survey", metavar="survey.json", help="The plan that the export wrote.")]


@app.callback()
def survey_command() -> None:
    """Ask people about enumerated associations, and score their answers (Swinger et al. §4.1)."""


@app.command("export", epilog=EXPORT_EXAMPLES)
def export_command(
    result: Annotated[Path, typer.Argument(metavar="RESULT.json", help="What 'aslant enumerate --json' wrote.")],
    folder: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="A new folder for the survey's files.")
    ],
    tests: Annotated[
        int, typer.Option("--tests", metavar="N", min=1, help="Ask about the first N tests with something to match.")
    ] = 12,
    names: Annotated[int, typer.Option("--names", metavar="N", min=1, help="Names that illustrate a group.")] = 5,
    exam_names: Annotated[
        int, typer.Option("--exam-names", metavar="N", min=0, help="Exam questions for each group; 0 for no exam.")
    ] = 3,
    seed: o.SeedOption = 0,
    quiet: o.QuietOption = False,
) -> None:
    """Write a qualification exam and a matching task as pages and tables, and the key to score them.

    What people matched is then rated: see [bold]aslant enumerate survey ratings[/bold].
    """
    from aslant.measures.enumeration.result import EnumerationResult
    from aslant.measures.enumeration.survey import make_survey
    from aslant.measures.enumeration.survey_pages import how_many, write_survey

    enumeration = _rebuilt(EnumerationResult, result)
    survey = make_survey(enumeration, tests=tests, names_per_group=names, exam_names=exam_names, rng=seed)
    written = write_survey(survey, folder)
    made = (
        f"{plural(len(survey.exam), 'exam question')}, {plural(len(survey.rating), 'word set')} of "
        f"{plural(len(survey.matching), 'test')} to match "
        f"(survey {survey.code})."
    )
    _say(quiet, made, written, [
        how_many(),
        "key.csv and survey.json hold the right answers: keep them from workers. When the matching is answered, "
        "'aslant enumerate survey ratings' makes the task in which what people matched is rated.",
    ])  # fmt: skip


@app.command("ratings", epilog=RATINGS_EXAMPLES)
def ratings_command(
    answers: AnswersArgument,
    survey: PlanOption,
    folder: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="A new folder for the rating task's files.")
    ],
    quiet: o.QuietOption = False,
) -> None:
    """Write the rating task, for the associations that people matched to the embedding's group, and no others."""
    from aslant.measures.enumeration.survey import questions_to_rate
    from aslant.measures.enumeration.survey_pages import how_many, write_ratings
    from aslant.measures.enumeration.survey_plan import Survey

    plan = _rebuilt(Survey, survey)
    questions = questions_to_rate(plan, answers)
    written = write_ratings(plan, questions, folder)
    made = f"{len(questions)} of {plural(len(plan.rating), 'word set')} matched, to be rated (survey {plan.code})."
    _say(quiet, made, written, [
        how_many(),
        "The rating task shows right answers of the matching: do not give it to anyone who has yet to match. Score its "
        "answers together with the others.",
    ])  # fmt: skip


def _say(quiet: bool, made: str, written: list[Path], advice: list[str]) -> None:
    """Say what was written, and what to do with it."""
    from aslant.measures.enumeration.result import CONTENT_NOTE

    if not quiet:
        print(CONTENT_NOTE, made, *written, *advice, sep="\n")


@app.command("score", epilog=SCORE_EXAMPLES)
@command
def score_command(
    answers: AnswersArgument,
    survey: PlanOption,
    offensive_from: Annotated[
        float,
        typer.Option("--offensive-from", metavar="RATING", help="The mean rating, 1 to 7, that counts as offensive."),
    ] = 4.0,
    confidence: o.ConfidenceOption = 0.95,
    quiet: o.QuietOption = False,
    *,
    output: Output,
) -> None:
    """Score answers: accuracy of the plurality, % offensive of what was matched, and the row of the paper's Table 3."""
    from aslant.cli.printing import deliver
    from aslant.measures.enumeration.survey import score_survey
    from aslant.measures.enumeration.survey_plan import Survey

    plan = _rebuilt(Survey, survey)
    deliver(score_survey(plan, answers, offensive_from=offensive_from, confidence=confidence), output, quiet=quiet)


def _rebuilt(kind: Any, path: Path) -> Any:
    """Read a result or a plan from JSON."""
    from aslant.errors import AslantError
    from aslant.io.reading import parse_json, read_bytes

    text = read_bytes(path, most=MAX_RESULT)
    try:
        content = parse_json(text.decode("utf-8-sig", "surrogatepass"))
    except ValueError:
        raise AslantError(f"'{path}' is not JSON; check which file it is.") from None
    try:
        return kind.from_dict(content)
    except AslantError as error:
        raise AslantError(f"'{path}': {error}") from None
