"""`slant enumerate survey`: ask people about the associations of an enumeration, and score their answers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from slant.cli import options as o
from slant.cli.shared import Output, command

app = typer.Typer(
    help="Ask people about enumerated associations, and score their answers (Swinger et al. §4.1).",
    no_args_is_help=True,
)

#: Bytes of a result's JSON.
MAX_RESULT = 1 << 30
EXPORT_EXAMPLES = """
[bold]Examples[/bold]

slant enumerate glove.txt --json result.json                then

slant enumerate survey export result.json -o survey         pages, tables and key, in a new folder

slant enumerate survey export result.json -o short --tests 6 --seed 1
"""
SCORE_EXAMPLES = """
[bold]Examples[/bold]

slant enumerate survey score answers.csv --survey survey/survey.json

slant enumerate survey score answers/*.csv --survey survey/survey.json --offensive-from 5 --json scored.json
"""


@app.callback()
def survey_command() -> None:
    """Ask people about enumerated associations, and score their answers (Swinger et al. §4.1)."""


@app.command("export", epilog=EXPORT_EXAMPLES)
def export_command(
    result: Annotated[Path, typer.Argument(metavar="RESULT.json", help="What 'slant enumerate --json' wrote.")],
    folder: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="A new folder for the survey's files.")
    ],
    tests: Annotated[
        int, typer.Option("--tests", metavar="N", min=1, help="Ask about the first N tests with something to match.")
    ] = 12,
    names: Annotated[int, typer.Option("--names", metavar="N", min=1, help="Names that illustrate a group.")] = 5,
    exam_names: Annotated[
        int, typer.Option("--exam-names", metavar="N", min=0, help="Exam questions for each group; 0: no exam.")
    ] = 3,
    seed: o.SeedOption = 0,
    quiet: o.QuietOption = False,
) -> None:
    """Write a qualification exam, a matching task and a rating task as pages and tables, and the key to score them."""
    from slant.measures.survey import make_survey
    from slant.report.survey import write_survey
    from slant.results import CONTENT_NOTE, EnumerationResult

    enumeration = _rebuilt(EnumerationResult, result)
    survey = make_survey(enumeration, tests=tests, names_per_group=names, exam_names=exam_names, rng=seed)
    written = write_survey(survey, folder)
    if quiet:
        return
    print(CONTENT_NOTE)
    print(
        f"{len(survey.exam)} exam questions, {len(survey.rating)} word sets of {len(survey.matching)} tests to match "
        f"and to rate (survey {survey.code})."
    )
    for path in written:
        print(path)
    print("key.csv and survey.json hold the right answers: keep them from workers. rating.html shows them as well:")
    print("give it to workers only after the matching, or to others who have passed the exam.")


@app.command("score", epilog=SCORE_EXAMPLES)
@command
def score_command(
    answers: Annotated[
        list[Path], typer.Argument(metavar="ANSWERS.csv...", help="Answers, in as many files as there are.")
    ],
    survey: Annotated[Path, typer.Option("--survey", metavar="survey.json", help="The plan that the export wrote.")],
    offensive_from: Annotated[
        float,
        typer.Option(
            "--offensive-from", metavar="RATING", help="A mean rating from 1 to 7 from which on it is offensive."
        ),
    ] = 4.0,
    confidence: o.ConfidenceOption = 0.95,
    quiet: o.QuietOption = False,
    *,
    output: Output,
) -> None:
    """Score answers: accuracy against the plurality, % offensive, and the row of the paper's Table 3."""
    from slant.cli.printing import deliver
    from slant.measures.survey import score_survey
    from slant.results.survey_plan import Survey

    plan = _rebuilt(Survey, survey)
    deliver(score_survey(plan, answers, offensive_from=offensive_from, confidence=confidence), output, quiet=quiet)


def _rebuilt(kind: Any, path: Path) -> Any:
    """Read a result or a plan from JSON."""
    from slant.errors import SlantError
    from slant.reading import parse_json, read_bytes

    text = read_bytes(path, most=MAX_RESULT)
    try:
        content = parse_json(text.decode("utf-8-sig", "surrogatepass"))
    except ValueError:
        raise SlantError(f"'{path}' is not JSON; check which file it is.") from None
    try:
        return kind.from_dict(content)
    except SlantError as error:
        raise SlantError(f"'{path}': {error}") from None
