"""The survey's files: safe for workers and spreadsheets, nothing of the key in them, and answers that lead back."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from aslant.errors import AslantError
from aslant.measures.enumeration.result import CONTENT_NOTE
from aslant.measures.enumeration.survey import Survey, make_survey
from aslant.measures.enumeration.survey_answers import questions_to_rate, score_survey
from aslant.measures.enumeration.survey_pages import (
    TASKS,
    percent,
    rating_files,
    spreadsheet_safe,
    survey_files,
    survey_page,
    survey_table,
    write_ratings,
    write_survey,
)
from aslant.report.tables import to_csv, to_latex, to_markdown
from survey_examples import crowd, enumeration, row

HOSTILE = [
    ("<script>alert(1)</script>", "</style>", "\x1b[31mred"),
    ('=cmd|"/c calc"!A0', "+1", "-2"),
    ("@SUM(1)", "{{ 7*7 }}", "a,b"),
    ("-3", "‮gnp", "x"),
    ("\t=1", "y", "z"),
]


class Page(HTMLParser):
    """What a browser would make of a page: its elements with their attributes, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def survey() -> Survey:
    return make_survey(enumeration())


@pytest.fixture(scope="module")
def hostile() -> Survey:
    return make_survey(enumeration(groups=5, significant=[5], words=HOSTILE, name="<b>x</b>\x1b"))


every_task = pytest.mark.parametrize("task", TASKS)


@every_task
def test_the_first_line_is_the_content_note(survey: Survey, task: str) -> None:
    page = survey_page(survey, task)
    assert re.match(rf'\s*<p[^>]*>{re.escape(CONTENT_NOTE)}</p>', page.partition("<body>")[2])  # fmt: skip


@every_task
def test_pages_reach_no_host_and_run_only_the_script_known_by_hash(survey: Survey, task: str) -> None:
    text = survey_page(survey, task)
    page = Page(text)
    policy = next(str(m["content"]) for m in page.all("meta") if "http-equiv" in m)
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert "form-action 'none'" in policy
    for tag, directive in (("script", "script-src"), ("style", "style-src")):
        (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}'" in policy
    attributes = {name for _, given in page.elements for name in given}
    assert not {name for name in attributes if name.startswith("on")} | {"style", "src", "action"} & attributes
    assert not re.search(r"https?://|url\(|@import", text)


@every_task
def test_every_control_has_a_label_and_every_question_is_named_once(survey: Survey, task: str) -> None:
    page = Page(survey_page(survey, task))
    controls = [a for tag in ("input", "select", "textarea") for a in page.all(tag)]
    ids = [a["id"] for _, a in page.elements if "id" in a]
    assert len(ids) == len(set(ids))
    assert {a["id"] for a in controls} == {a["for"] for a in page.all("label")}
    assert len(page.all("fieldset")) == len(page.all("legend"))
    assert ("lang", "en") in page.all("html")[0].items()
    items = [a["data-item"] for _, a in page.elements if "data-item" in a]
    asked = {"exam": survey.key.exam, "matching": survey.key.matching, "rating": survey.key.rating}[task]
    assert sorted(map(str, items)) == sorted(map(survey.public_id, asked))


def test_instructions_ask_for_stereotypes_of_society_and_let_one_stop(survey: Survey) -> None:
    for task in TASKS:
        assert "stop at any time" in Page(survey_page(survey, task)).text
        assert "may be offensive" in Page(survey_page(survey, task)).text
    assert "society stereotypically associates" in Page(survey_page(survey, "matching")).text
    rating = Page(survey_page(survey, "rating")).text
    assert "1: politically correct, inoffensive, or just random" in rating
    assert "7: politically incorrect, possibly very offensive" in rating


def test_workers_see_nothing_of_the_key() -> None:
    """Two surveys that differ in their key alone have the same exam and matching pages."""
    from dataclasses import replace

    plan = make_survey(enumeration(groups=3, significant=[3]))
    turned = {"G1": "G2", "G2": "G3", "G3": "G1"}
    key = replace(
        plan.key,
        exam={q: turned[g] for q, g in plan.key.exam.items()},
        matching={q: turned[g] for q, g in plan.key.matching.items()},
        labels=dict.fromkeys(plan.key.labels, "other"),
        categories=dict.fromkeys(plan.key.categories, "other"),
    )
    other = replace(plan, key=key)
    first, second = survey_files(plan), survey_files(other)
    seen = ["exam.html", "exam.csv", "matching.html", "matching.csv"]
    assert [first[name] == second[name] for name in seen] == [True] * 4
    assert first["key.csv"] != second["key.csv"]
    for name, text in (*((name, first[name]) for name in seen), *rating_files(plan, plan.rating).items()):
        assert "label 0" not in text, name
        assert "category" not in text, name


@every_task
def test_hostile_words_are_only_text(hostile: Survey, task: str) -> None:
    text = survey_page(hostile, task)
    page = Page(text)
    assert len(page.all("script")) == len(page.all("style")) == 1
    assert not page.all("b")
    assert "\x1b" not in text
    assert "\u202e" not in text
    if task != "exam":
        for shown in ("<script>alert(1)</script>", "</style>", "\\x1b[31mred", "{{ 7*7 }}", "\\u202egnp"):
            assert shown in page.text


def test_no_cell_is_a_formula_and_ids_stay_whole(hostile: Survey) -> None:
    made = {**survey_files(hostile), **rating_files(hostile, hostile.rating)}
    words = set()
    for name in ("exam.csv", "matching.csv", "rating.csv", "key.csv"):
        assert "\x1b" not in made[name]
        for line in csv.DictReader(io.StringIO(made[name])):
            assert not [cell for cell in line.values() if cell.lstrip().startswith(("=", "+", "-", "@", "\t"))]
            assert line["item"].startswith(hostile.code)
            words.add(line.get("words"))
    assert "'@SUM(1), {{ 7*7 }}, a,b" in words
    assert "'-3, \\u202egnp, x" in words
    result = score_survey(hostile, crowd(hostile, 2, 1.0))
    assert result.accuracy is not None
    assert (result.accuracy.count, result.accuracy.n) == (5, 5)
    assert {a.words for a in result.associations} == set(HOSTILE)


def test_tables_offer_each_item_the_groups_of_its_page(survey: Survey) -> None:
    made = survey_files(survey)
    lines = list(csv.DictReader(io.StringIO(made["matching.csv"])))
    by_test = {task.id: task for task in survey.matching}
    for line in lines:
        offered = [line[f"group_{i}"] for i in range(1, 7) if line[f"group_{i}"]]
        assert tuple(offered) == by_test[line["test"]].groups
    assert len(list(csv.DictReader(io.StringIO(made["exam.csv"])))) == 36
    key = {line["item"]: line["group"] for line in csv.DictReader(io.StringIO(made["key.csv"]))}
    assert all(key[survey.public_id(q)] == group for q, group in survey.key.matching.items())


def fill_in(page: Page, key: dict[str, str]) -> dict[str, str]:
    """Choose the right group on a page: by its control if that is on offer there, else fail."""
    radios = {(a["name"], a["value"]) for a in page.all("input") if a.get("type") == "radio"}
    options = {a["value"] for a in page.all("option")}
    items = [str(a["data-item"]) for _, a in page.elements if "data-item" in a]
    for item in items:
        assert (item, key[item]) in radios or key[item] in options
    return {item: key[item] for item in items}


def test_export_fill_in_and_score_is_a_round_trip(survey: Survey, tmp_path: Path) -> None:
    write_survey(survey, tmp_path / "s")
    keys = csv.DictReader(io.StringIO((tmp_path / "s" / "key.csv").read_text(encoding="utf-8")))
    key = {line["item"]: line["group"] for line in keys}
    plan = Survey.from_dict(json.loads((tmp_path / "s" / "survey.json").read_text(encoding="utf-8")))
    key |= {survey.public_id(q.id): "6" for q in plan.rating}
    answers: list[Path] = []
    for task in TASKS:
        if task == "rating":
            write_ratings(plan, questions_to_rate(plan, answers), tmp_path / "r")
        page = tmp_path / ("r" if task == "rating" else "s") / f"{task}.html"
        filled = fill_in(Page(page.read_text(encoding="utf-8")), key)
        path = tmp_path / f"{task}.csv"
        path.write_text(",".join(["worker", *filled]) + "\r\n" + ",".join(["w", *filled.values()]) + "\r\n")
        answers.append(path)
    result = score_survey(plan, answers)
    assert result.accuracy is not None
    assert (result.accuracy.share, result.mean_rating, result.workers_qualified) == (1.0, 6.0, 1)


STUB = """
const items = JSON.parse(process.argv[1]);
const element = (id) => ({ id, value: "", hidden: true, focus() { this.focused = true; } });
const parts = Object.fromEntries(["worker", "state", "answers", "download", "done"].map((id) => [id, element(id)]));
parts.survey = {
  dataset: { survey: "s1", task: "exam" },
  querySelectorAll: () => items.map(([item]) => ({ dataset: { item } })),
  addEventListener(_, handler) { this.submit = handler; },
  reportValidity: () => parts.worker.value !== "",
};
globalThis.document = { getElementById: (id) => parts[id] };
globalThis.location = { search: "?workerId=w-7" };
globalThis.FormData = class { get(name) { return new Map(items).get(name) ?? null; } };
URL.createObjectURL = () => "blob:x";
URL.revokeObjectURL = () => {};
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="no node to run the page's script with")
def test_what_the_page_s_script_writes_can_be_scored(survey: Survey, tmp_path: Path) -> None:
    (script,) = re.findall(r"<script>(.*?)</script>", survey_page(survey, "exam"), re.DOTALL)
    given = [(survey.public_id(q), group) for q, group in survey.key.exam.items()]
    given[0] = (given[0][0], "")
    after = """
parts.survey.submit({ preventDefault() {} });
process.stdout.write(JSON.stringify([parts.answers.value, parts.state.textContent, parts.download.download]));
"""
    done = subprocess.run(
        ["node", "-e", STUB + script + after, json.dumps(given)],
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )
    text, state, name = json.loads(done.stdout)
    path = tmp_path / "w.csv"
    path.write_text(text, encoding="utf-8", newline="")
    (worker,) = score_survey(survey, path).workers
    assert (worker.worker, worker.exam_right, worker.qualified) == ("w-7", 35, True)
    assert state.startswith("35 of 36 answered")
    assert name == "s1-exam-w-7.csv"


def test_the_rating_task_is_exported_for_what_was_matched_and_nothing_else(survey: Survey) -> None:
    assert not {name for name in survey_files(survey) if "rating" in name}
    asked = survey.rating[3:8]
    made = rating_files(survey, asked)
    page = Page(made["rating.html"])
    items = [a["data-item"] for _, a in page.elements if "data-item" in a]
    assert items == [survey.public_id(q.id) for q in asked]
    assert [line["item"] for line in csv.DictReader(io.StringIO(made["rating.csv"]))] == items


def test_the_instructions_say_how_many_people_to_ask_and_what_comes_next(survey: Survey) -> None:
    text = " ".join(survey_files(survey)["README.txt"].split())
    assert text.startswith(CONTENT_NOTE)
    assert "at least 18 people who passed" in text
    assert "13 to 15 people who passed" in text
    assert "aslant enumerate survey ratings ANSWERS.csv... --survey survey.json -o ratings" in text
    assert "keep them from workers" in text
    ratings = " ".join(rating_files(survey, survey.rating)["README.txt"].split())
    assert ratings.startswith(CONTENT_NOTE)
    assert "Ask 13 to 15 people" in ratings


def test_the_table_says_how_many_people_answered_beside_the_paper(survey: Survey) -> None:
    rows = crowd(survey, 3, 1.0) + [row(survey, "w0", "rating", q.id, 2) for q in survey.rating[1:]]
    notes = " ".join(survey_table(score_survey(survey, rows)).notes)
    assert "3 matched a word set (the paper: 18 or more)" in notes
    assert "0 to 1 rated an association that was matched (the paper: 13 to 15)" in notes


def test_a_survey_is_written_whole_into_a_new_folder_or_not_at_all(
    survey: Survey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from aslant.measures.enumeration import survey_pages as module

    written = write_survey(survey, tmp_path / "s")
    assert (
        sorted(path.name for path in written)
        == sorted(survey_files(survey))
        == sorted(path.name for path in (tmp_path / "s").iterdir())
    )
    assert len(written) == 7
    with pytest.raises(AslantError, match="already exists"):
        write_survey(survey, tmp_path / "s")
    with pytest.raises(AslantError, match="cannot write"):
        write_survey(survey, tmp_path / "no" / "s")
    calls = []

    def full(path: Path, text: str) -> None:
        calls.append(path)
        if len(calls) == 3:
            raise AslantError("cannot write: no space.")
        path.write_text(text, encoding="utf-8")

    monkeypatch.setattr(module, "write_text", full)
    with pytest.raises(AslantError, match="no space"):
        write_survey(survey, tmp_path / "t")
    assert [path.name for path in tmp_path.iterdir()] == ["s"]


def test_a_survey_without_an_exam_has_no_exam_page() -> None:
    plan = make_survey(enumeration(groups=3, significant=[2]), exam_names=0)
    assert "exam.html" not in survey_files(plan)
    assert "2 workers, without an exam" in survey_table(score_survey(plan, crowd(plan, 2, 1.0))).notes[3]
    assert "matching.html" in survey_files(plan)


def test_the_table_begins_with_the_note_and_gives_table_3_with_chance(survey: Survey) -> None:
    rows = crowd(survey, 3, 1.0) + [row(survey, "w0", "rating", q.id, 5) for q in survey.rating]
    table = survey_table(score_survey(survey, rows))
    assert table.first_line == CONTENT_NOTE
    assert (
        table.notes[0]
        == f"Table 3: tiny: {survey.significant} significant associations, 100.0 % accurate, 100.0 % offensive."
    )
    assert "Chance: 24.5 %, with 4.51 groups on offer on average" in table.notes[1]
    assert "4 or more" in table.notes[2]
    assert "3 of 3 workers" in table.notes[3]
    assert len(table.rows) == len(survey.rating)


def test_choices_are_listed_from_the_most_frequent() -> None:
    plan = make_survey(enumeration(groups=3, significant=[3]), exam_names=0)
    question, right = next(iter(plan.key.matching.items()))
    other = next(group for group in plan.matching[0].groups if group != right)
    given = [row(plan, f"w{i}", "matching", question, other if i else right) for i in range(3)]
    chosen = next(line["chosen"] for line in score_survey(plan, given).rows() if line["answers"])
    assert chosen == f"{plan.key.labels[other]}: 2; {plan.key.labels[right]}: 1"


def test_the_table_of_nothing_scored_shows_dashes_and_no_token_steers(hostile: Survey) -> None:
    empty = survey_table(score_survey(hostile, [row(hostile, "w", "exam", "e01", "G1")]))
    assert "No worker passed the exam" in empty.notes[0]
    assert "– accurate, – offensive" in empty.notes[1]
    table = survey_table(score_survey(hostile, crowd(hostile, 2, 1.0)))
    written = [column.write(line[column.key]) for line in table.rows for column in table.columns]
    assert "\x1b" not in "".join((*written, *table.notes))
    for render in (to_csv, to_markdown, to_latex):
        assert "yes" in render(table) or "True" in render(table)


def test_cells_are_safe_for_a_spreadsheet_and_shares_have_one_decimal() -> None:
    assert (spreadsheet_safe("=1+1"), spreadsheet_safe("tea")) == ("'=1+1", "tea")
    assert (percent(0.724), percent(None)) == ("72.4 %", "–")
