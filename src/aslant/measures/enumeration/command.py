"""`aslant enumerate`: biases that nobody named in advance, and what people say about them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from aslant.cli import options as o
from aslant.cli.default_command import DEFAULT, DefaultCommand, DefaultCommandGroup
from aslant.cli.shared import Output, Reading, RunningOnCores, command
from aslant.errors import plural
from aslant.measures.enumeration.settings import EnumerationSettings

EXAMPLES = """
aslant enumerate                                       first names, on the bundled sample
aslant enumerate glove.6B.300d.txt --json found.json   your embedding, with everything kept for later
aslant enumerate vectors.bin --names surnames --precision 0.001
aslant enumerate --groups religions-four --html found.html --heatmap found.svg
aslant enumerate GoogleNews.bin --names embedding      names that the vocabulary itself holds
aslant enumerate glove.txt --against debiased.txt      which associations debiasing leaves
aslant enumerate survey export found.json -o survey    ask people about the result
"""

app = typer.Typer(
    cls=DefaultCommandGroup, no_args_is_help=False, context_settings={"help_option_names": ["-h", "--help"]}
)


@dataclass(frozen=True)
class EnumerationOutput(Output):
    """Where an enumeration is written: also as a page, and as a picture."""

    PICTURES = ("heatmap",)

    html: Annotated[Path | None, o.option("Write a page with all tables.", "FILE")] = None
    heatmap: Annotated[Path | None, o.option("Draw groups × categories (.svg, .png, .html).", "FILE")] = None


@app.command(DEFAULT, epilog=o.examples(*EXAMPLES.splitlines()), cls=DefaultCommand)
@command
def enumerate_command(
    model: o.ModelArgument = None,
    names: Annotated[
        str | None,
        o.option(
            "Names to cluster: a file (one per line, or a column 'name'), a data name, 'surnames' (downloaded at "
            "first use), or 'embedding' (those in a cased vocabulary); default: the bundled first names.",
            "FILE|DATA",
        ),
    ] = None,
    groups: Annotated[str, o.option("How many groups to find, or your own class set.", "N|SET|FILE")] = "12",
    against: Annotated[str | None, o.option("The same embedding after debiasing: what is left there?", "MODEL")] = None,
    *,
    settings: EnumerationSettings,
    reading: Reading,
    running: RunningOnCores,
    output: EnumerationOutput,
) -> Any:
    """Find associations between groups of names and words, none of them specified in advance (Swinger et al. 2019).

    The output may be offensive: it is what the embedding holds. A run that was stopped resumes when the same
    command is given again (unless --no-cache).

    [bold]aslant enumerate survey[/bold] export|ratings|score: a crowd survey on what was found.
    """
    from aslant.cli.printing import STANDARD_OUTPUT
    from aslant.data import cache_folder
    from aslant.errors import AslantError
    from aslant.io.files import write_text
    from aslant.measures.enumeration.measure import compare_enumerations, enumerate_biases
    from aslant.measures.enumeration.page import enumeration_heatmap
    from aslant.report import render

    if output.html == STANDARD_OUTPUT:
        raise AslantError("a page cannot go to standard output; name a file with --html.")
    if against is not None and output.heatmap is not None:
        raise AslantError("--heatmap draws one embedding; leave out --against, or draw each by itself.")
    vectors = reading.open(model, quiet=running.quiet)
    other = None if against is None else reading.open(against, quiet=running.quiet)
    journal = None if reading.no_cache else cache_folder() / "enumeration"
    again: dict[str, Any] = {"workers": running.workers, "journal": journal}
    with running.watched(kept=not reading.no_cache) as progress:
        found = enumerate_biases(
            vectors, names, int(groups) if re.fullmatch(r"-?[0-9]+", groups) else groups, **vars(settings),
            rng=running.seed, progress=progress, **again,
        )  # fmt: skip
        result = found if other is None else compare_enumerations(found, other, progress=progress, **again)
    if output.html is not None:
        write_text(output.html, render(result, ".html"))
    output.draw(found, heatmap=partial(enumeration_heatmap, standalone=True))
    return result


survey_app = typer.Typer(
    help="Ask people about enumerated associations, and score their answers (Swinger et al. §4.1).",
    no_args_is_help=True,
)
app.add_typer(survey_app, name="survey")

#: Bytes of a result's JSON.
MAX_RESULT = 1 << 30
EXPORT_EXAMPLES = """
aslant enumerate glove.txt --json result.json                then
aslant enumerate survey export result.json -o survey         exam, matching and key, in a new folder
aslant enumerate survey export result.json -o short --tests 6 --seed 1
"""
RATINGS_EXAMPLES = """
aslant enumerate survey ratings answers/*.csv --survey survey/survey.json -o ratings
"""
SCORE_EXAMPLES = """
aslant enumerate survey score answers.csv --survey survey/survey.json
aslant enumerate survey score answers/*.csv ratings/answers/*.csv --survey survey/survey.json --json scored.json
aslant enumerate survey score answers/*.csv --survey survey/survey.json --offensive-from 5
"""


AnswersArgument = Annotated[list[Path], o.argument("Files of answers, one or more.", "ANSWERS.csv...")]
PlanOption = Annotated[Path, o.option("The plan that the export wrote.", "survey.json", "--survey")]


@survey_app.command("export", epilog=o.examples(*EXPORT_EXAMPLES.splitlines()))
def export_command(
    result: Annotated[str, o.argument("What 'aslant enumerate --json' wrote ('-': standard input).", "RESULT.json")],
    folder: Annotated[Path, o.option("A new folder for the survey's files.", "FOLDER", "--output", "-o")],
    tests: Annotated[int, o.option("Ask about the first N tests with something to match.", "N", min=1)] = 12,
    names: Annotated[int, o.option("Names that illustrate a group.", "N", min=1)] = 5,
    exam_names: Annotated[int, o.option("Exam questions for each group; 0 for no exam.", "N", min=0)] = 3,
    seed: o.SeedOption = 0,
    quiet: o.QuietOption = False,
) -> None:
    """Write a qualification exam and a matching task as pages and tables, and the key to score them.

    What people matched is then rated: see [bold]aslant enumerate survey ratings[/bold].
    """
    from aslant.measures.enumeration.result import CONTENT_NOTE, EnumerationResult
    from aslant.measures.enumeration.survey import make_survey
    from aslant.measures.enumeration.survey_pages import HOW_MANY, write_survey

    enumeration = _rebuilt(EnumerationResult, Path(result))
    survey = make_survey(enumeration, tests=tests, names_per_group=names, exam_names=exam_names, rng=seed)
    written = write_survey(survey, folder)
    sets = f"{plural(len(survey.rating), 'word set')} of {plural(len(survey.matching), 'test')}"
    made = f"{plural(len(survey.exam), 'exam question')}, {sets} to match (survey {survey.code})."
    advice = (
        "key.csv and survey.json hold the right answers: keep them from workers. When the matching is answered, "
        "'aslant enumerate survey ratings' makes the task in which what people matched is rated."
    )
    if not quiet:
        print(CONTENT_NOTE, made, *(f"written: {path}" for path in written), HOW_MANY, advice, sep="\n")


@survey_app.command("ratings", epilog=o.examples(*RATINGS_EXAMPLES.splitlines()))
def ratings_command(
    answers: AnswersArgument,
    survey: PlanOption,
    folder: Annotated[Path, o.option("A new folder for the rating task's files.", "FOLDER", "--output", "-o")],
    quiet: o.QuietOption = False,
) -> None:
    """Write the rating task, for the associations that people matched to the embedding's group, and no others."""
    from aslant.measures.enumeration.result import CONTENT_NOTE
    from aslant.measures.enumeration.survey import Survey
    from aslant.measures.enumeration.survey_answers import questions_to_rate
    from aslant.measures.enumeration.survey_pages import HOW_MANY, write_ratings

    plan = _rebuilt(Survey, survey)
    questions = questions_to_rate(plan, answers)
    written = write_ratings(plan, questions, folder)
    made = f"{len(questions)} of {plural(len(plan.rating), 'word set')} matched, to be rated (survey {plan.code})."
    advice = (
        "The rating task shows right answers of the matching: do not give it to anyone who has yet to match. Score its "
        "answers together with the others."
    )
    if not quiet:
        print(CONTENT_NOTE, made, *(f"written: {path}" for path in written), HOW_MANY, advice, sep="\n")


@survey_app.command("score", epilog=o.examples(*SCORE_EXAMPLES.splitlines()))
@command
def score_command(
    answers: AnswersArgument,
    survey: PlanOption,
    offensive_from: Annotated[float, o.option("The mean rating, 1 to 7, that counts as offensive.", "RATING")] = 4.0,
    confidence: o.ConfidenceOption = 0.95,
    quiet: o.QuietOption = False,
    *,
    output: Output,
) -> Any:
    """Score answers: accuracy of the plurality, % offensive of what was matched, and the row of the paper's Table 3."""
    from aslant.measures.enumeration.survey import Survey
    from aslant.measures.enumeration.survey_answers import score_survey

    plan = _rebuilt(Survey, survey)
    return score_survey(plan, answers, offensive_from=offensive_from, confidence=confidence)


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
