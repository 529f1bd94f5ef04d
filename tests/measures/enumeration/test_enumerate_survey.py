"""`aslant enumerate survey`: export and score by command, one sentence for bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from aslant.errors import AslantError
from aslant.measures.enumeration.command import survey_app as app
from aslant.measures.enumeration.result import CONTENT_NOTE
from aslant.measures.enumeration.survey import Survey
from aslant.measures.enumeration.survey_answers import questions_to_rate
from aslant.measures.enumeration.survey_result import SurveyResult
from survey_examples import crowd, enumeration, exam_answers, row


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an enumeration, and a survey of it."""
    monkeypatch.chdir(tmp_path)
    Path("result.json").write_text(enumeration().to_json(), encoding="utf-8")
    assert run("export", "result.json", "-o", "survey", "--quiet").stdout == ""
    return tmp_path


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(app, list(arguments))
    if isinstance(result.exception, AslantError):
        raise result.exception
    return result  # type: ignore[return-value]


def plan() -> Survey:
    return Survey.from_dict(json.loads(Path("survey/survey.json").read_text(encoding="utf-8")))


def answers(name: str, rows: list[dict[str, str]]) -> str:
    lines = ["worker,task,item,answer", *(",".join(r.values()) for r in rows)]
    Path(name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return name


@pytest.mark.parametrize("command", ["export", "ratings", "score"])
def test_help_gives_examples(command: str) -> None:
    shown = run(command, "--help")
    assert shown.exit_code == 0
    assert "Examples" in shown.stdout
    assert f"aslant enumerate survey {command}" in " ".join(shown.stdout.split())


def test_export_says_first_what_to_expect_and_what_to_keep_from_workers(folder: Path) -> None:
    shown = run("export", "result.json", "-o", "short", "--tests", "2", "--seed", "7")
    assert shown.exit_code == 0
    assert shown.stdout.splitlines()[0] == CONTENT_NOTE
    assert "of 2 tests" in shown.stdout
    assert "keep them from workers" in shown.stdout
    assert "at least 18 people match each test, and 13 to 15 rate" in shown.stdout
    assert len(list((folder / "short").iterdir())) == 7
    short = Survey.from_dict(json.loads((folder / "short/survey.json").read_text(encoding="utf-8")))
    assert (len(short.matching), short.seed) == (2, 7)


def test_score_takes_several_files_and_prints_table_3(folder: Path) -> None:
    survey = plan()
    rows = crowd(survey, 4, 1.0)
    half = len(rows) // 2
    ratings = [row(survey, "w0", "rating", q.id, 4) for q in survey.rating]
    files = [answers("a.csv", rows[:half]), answers("b.csv", rows[half:] + ratings)]
    shown = run("score", *files, "--survey", "survey/survey.json")
    assert shown.exit_code == 0
    assert shown.stdout.startswith(CONTENT_NOTE[:40])
    assert "100.0 % accurate, 100.0 % offensive" in " ".join(shown.stdout.split())
    shown = run("score", *files, "--survey", "survey/survey.json", "--offensive-from", "4.5", "--json", "-")
    result = SurveyResult.from_dict(json.loads(shown.stdout))
    assert result.offensive is not None
    assert (result.offensive.share, result.offensive_from, result.workers_qualified) == (0.0, 4.5, 4)


def test_ratings_writes_the_rating_task_for_what_was_matched(folder: Path) -> None:
    survey = plan()
    name = answers("a.csv", crowd(survey, 5, 0.5))
    shown = run("ratings", name, "--survey", "survey/survey.json", "-o", "ratings")
    assert shown.exit_code == 0
    assert shown.stdout.splitlines()[0] == CONTENT_NOTE
    matched = len(questions_to_rate(survey, name))
    assert 0 < matched < len(survey.rating)
    assert f"{matched} of {len(survey.rating)} word sets matched" in shown.stdout
    assert sorted(path.name for path in (folder / "ratings").iterdir()) == ["README.txt", "rating.csv", "rating.html"]
    assert (folder / "ratings" / "rating.html").read_text(encoding="utf-8").count("data-item=") == matched
    assert run("ratings", name, "--survey", "survey/survey.json", "-o", "again", "-q").stdout == ""


def test_every_format_is_written(folder: Path) -> None:
    name = answers("a.csv", crowd(plan(), 2, 1.0))
    outputs = ["--json", "o.json", "--csv", "o.csv", "--markdown", "o.md", "--latex", "o.tex"]
    assert run("score", name, "--survey", "survey/survey.json", "-q", *outputs).stdout == ""
    for output in outputs[1::2]:
        assert "category 13" in (folder / output).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["export", "nowhere.json", "-o", "new"], "cannot open 'nowhere.json'"),
        (["export", "bad.json", "-o", "new"], "'bad.json' is not JSON"),
        (["export", "survey/survey.json", "-o", "new"], "not a result of kind 'enumeration' but 'survey-plan'"),
        (["export", "result.json", "-o", "survey"], "'survey' already exists"),
        (["export", "result.json", "-o", "no/such"], "cannot write 'no/such'"),
        (["ratings", "bad.json", "--survey", "result.json", "-o", "new"], "not a survey's plan but 'enumeration'"),
        (["ratings", "wrong.csv", "--survey", "survey/survey.json", "-o", "new"], "there is nothing to rate"),
        (["score", "bad.json", "--survey", "result.json"], "not a survey's plan but 'enumeration'"),
        (["score", "bad.json", "--survey", "survey/survey.json"], "'bad.json', line 1: there is no column"),
        (["score", "bad.json", "--survey", "survey/survey.json", "--offensive-from", "9"], "offensive_from is 9.0"),
    ],
)
def test_bad_input_is_one_sentence_and_nothing_is_written(folder: Path, arguments: list[str], words: str) -> None:
    Path("bad.json").write_text("{", encoding="utf-8")
    answers("wrong.csv", exam_answers(plan(), "w", 0))
    before = sorted(folder.rglob("*"))
    with pytest.raises(AslantError) as raised:
        run(*arguments)
    assert words in str(raised.value)
    assert len(str(raised.value).splitlines()) == 1
    assert sorted(folder.rglob("*")) == before
