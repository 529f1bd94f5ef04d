"""`aslant logprob`: what is typed reaches the measure, the content note comes first, and a run can be resumed."""

from __future__ import annotations

import csv
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import aslant
from aslant.measures.template_tests.command import asked_for
from aslant.report.conventions import MODEL_CONTENT_NOTE
from fake_lm import TABLE, FakeCausalLM, FakeMaskedLM, ListedLM

Run = Callable[..., "subprocess.CompletedProcess[str]"]
JOBS = ("--attributes", "nurse,engineer,clerk")


class Loading:
    """Stands for aslant.load_lm, and remembers what it was asked for."""

    def __init__(self) -> None:
        self.lm: Any = FakeMaskedLM(TABLE)
        self.calls: list[tuple[Any, dict[str, Any]]] = []

    def __call__(self, source: Any = None, **options: Any) -> Any:
        self.calls.append((source, options))
        return self.lm


@pytest.fixture
def loading(monkeypatch: pytest.MonkeyPatch) -> Loading:
    fake = Loading()
    monkeypatch.setattr("aslant.models.loading.load_lm", fake)
    return fake


def test_the_command_gives_what_the_function_gives(run: Run, loading: Loading) -> None:
    answer = run("logprob", "some-model", *JOBS, "--json", "-", "--no-cache")
    assert answer.returncode == 0, answer.stderr
    expected = aslant.log_probability_bias(
        FakeMaskedLM(TABLE), "[TARGET] is a [ATTRIBUTE].", (["he"], ["she"]), ["nurse", "engineer", "clerk"]
    )
    assert json.loads(answer.stdout) == json.loads(expected.to_json())
    assert loading.calls == [("some-model", {"chat": False, "device": None, "dtype": "float32", "capitalise": True})]


def test_without_a_model_the_default_one_is_loaded(run: Run, loading: Loading) -> None:
    loading.lm = FakeCausalLM()
    answer = run("logprob", "--no-capitalise", "--device", "cpu")
    assert answer.returncode == 0, answer.stderr
    assert loading.calls == [(None, {"chat": False, "device": "cpu", "dtype": "float32", "capitalise": False})]
    assert "of 40 attributes" in answer.stdout
    assert "shown: 10 attributes from each end of 40" in answer.stdout
    assert "the model: made for tests" in answer.stdout


def test_the_content_note_comes_first_in_everything_people_read(run: Run, loading: Loading, tmp_path: Path) -> None:
    shown = run("logprob", *JOBS, "--markdown", "a.md", "--latex", "a.tex", "--histogram", "h.svg", "--bars", "b.svg")
    assert " ".join(shown.stdout.split()).startswith(MODEL_CONTENT_NOTE)
    assert (tmp_path / "a.md").read_text(encoding="utf-8").startswith("Note: the associations below")
    assert "Note: the associations below" in (tmp_path / "a.tex").read_text(encoding="utf-8")
    for chart in ("h.svg", "b.svg"):
        assert "Note: the associations below" in (tmp_path / chart).read_text(encoding="utf-8")


def test_templates_targets_and_settings_reach_the_measure(run: Run, loading: Loading, cache: Path) -> None:
    loading.lm = FakeMaskedLM()
    answer = run(
        "logprob", "m", "--template", "[TARGET] like [ATTRIBUTE].", "--template", "[TARGET] love [ATTRIBUTE].",
        "--targets", "boys+men,girls+women", "--attributes", "Math,Art", "--lower", "--single-mask",
        "--target-pieces", "first", "--confidence", "0.5", "--json", "-",
    )  # fmt: skip
    content = json.loads(answer.stdout)
    assert content["templates"] == ["[TARGET] like [ATTRIBUTE].", "[TARGET] love [ATTRIBUTE]."]
    assert [t["words"] for t in content["targets"]] == [["boys", "men"], ["girls", "women"]]
    assert [s["attribute"] for s in content["scores"]] == ["math", "art"]
    asked = loading.lm.settings[-1]
    assert (asked["single_mask"], asked["target_pieces"]) == (True, "first")
    assert asked["journal"].folder == cache / "language-models"
    assert content["confidence"] == 0.5
    run("logprob", "m", *JOBS, "--as-published", "--no-cache", "--quiet")
    assert loading.lm.settings[-1]["prior_place"] == "published"
    assert loading.lm.settings[-1]["journal"].folder is None


def test_attributes_come_from_a_file_and_its_column(run: Run, loading: Loading, tmp_path: Path) -> None:
    loading.lm = FakeMaskedLM()
    (tmp_path / "a,b.csv").write_text("pay,post\n1,clerk\n2,judge\n", encoding="utf-8")
    content = json.loads(run("logprob", "--attributes", "a,b.csv", "--column", "post", "--json", "-").stdout)
    assert [s["attribute"] for s in content["scores"]] == ["clerk", "judge"]
    assert content["provenance"]["settings"]["attributes"] == "a,b.csv"


def test_a_template_set_brings_its_own_words() -> None:
    assert asked_for(["career-family"], None, None) == {
        "template": "career-family", "targets": None, "attributes": None,
    }  # fmt: skip
    assert asked_for(None, ["gender-three"], None)["targets"] == "gender-three"
    assert asked_for(None, None, None)["attributes"] == "occupations-share-of-women"


def test_target_sets_may_be_given_one_by_one_with_names_as_in_other_commands(run: Run, loading: Loading) -> None:
    assert asked_for(None, ["male: he, man", "she+woman"], ["jobs: nurse, clerk"]) == {
        "template": "[TARGET] is a [ATTRIBUTE].",
        "targets": {"male": ("he", "man"), "she, woman": ("she", "woman")},
        "attributes": ["nurse", "clerk"],
    }
    done = run("logprob", *JOBS, "--targets", "male: he", "--targets", "she", "--json", "-", "--no-cache")
    plain = run("logprob", *JOBS, "--targets", "he,she", "--json", "-", "--no-cache")
    scores = [[row["score"] for row in json.loads(each.stdout)["scores"]] for each in (done, plain)]
    assert scores[0] == scores[1]


def test_three_classes_have_a_table_of_contrasts(run: Run, loading: Loading) -> None:
    shown = run("logprob", *JOBS, "--targets", "he,she,they").stdout
    assert "Target sets compared" in shown
    assert "the rest" in shown
    assert "'they' does not agree with the verb" in " ".join(shown.split())


@pytest.mark.parametrize("width", [80, 140])
def test_the_table_of_contrasts_has_its_pvalues_at_every_width(
    run: Run, loading: Loading, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    loading.lm = ListedLM()
    shown = run("logprob", *JOBS, "--targets", "he,she,they", "--template", "[TARGET] worked as a [ATTRIBUTE].").stdout
    table = shown[shown.index("Target sets compared") :]
    assert max(map(len, table.splitlines())) <= width
    heading = set(table[: table.index("───")].split())
    assert {"mean", "score", "share", "p", "q", "(chance)"} <= heading
    assert "–" not in table[: table.index("over 3 attributes")]


def test_the_suite_shows_every_test_and_writes_it(run: Run, loading: Loading, tmp_path: Path) -> None:
    loading.lm = FakeMaskedLM()
    answer = run("logprob", "suite", "m", "--csv", "s.csv", "--seed", "3")
    assert answer.returncode == 0, answer.stderr
    rows = list(csv.DictReader((tmp_path / "s.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["test"] for row in rows] == [
        "career-family", "math-arts", "pleasant-flowers", "pleasant-names", "science-arts",
    ]  # fmt: skip
    assert " ".join(answer.stdout.split()).startswith(MODEL_CONTENT_NOTE)
    one = json.loads(run("logprob", "suite", "m", "--test", "math-arts", "--as-published", "--json", "-").stdout)
    assert one["results"][0]["as_published"] is True
    assert one["results"][0]["n_scores"] == 48
    settings = json.loads(
        run(
            "logprob", "suite", "--alternative", "less", "--method", "monte carlo", "--n-resamples", "99", "--json", "-"
        ).stdout
    )["results"][0]["provenance"]["settings"]
    assert (settings["alternative"], settings["method"], settings["n_resamples"]) == ("less", "monte carlo", 99)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--template", "he is a [ATTRIBUTE]."], "must contain [TARGET] exactly once"),
        (["--template", "nowhere"], "there is no word set 'nowhere'"),
        (["--targets", "he,"], "only 1 target set given"),
        (["--targets", "men: he, man"], "only 1 target set given"),
        (["--attributes", "nurse,clerk", "--attributes", "king,smith"], "--attributes is given more than once"),
        (["--attributes", "nowhere.txt"], "there are no attributes 'nowhere.txt'"),
        (["--attributes", "winobias"], "use 'aslant pronoun-choice'"),
        (["--attributes", "crows-pairs"], "'crows-pairs' is not a list of attributes but CrowS-Pairs"),
        (["--target-pieces", "last"], "--target-pieces is 'last'; choose one of"),
        (["--histogram", "h.docx"], "a chart cannot be written as '.docx'"),
        (["--bars", "no/folder/h.svg"], "there is no folder 'no/folder'"),
        (["--json", "no/folder/x.json"], "cannot write 'no/folder/x.json'"),
        (["suite", "--test", "nowhere"], "there is no word set 'nowhere'"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(
    run: Run, loading: Loading, arguments: list[str], words: str, tmp_path: Path
) -> None:
    answer = run("logprob", *arguments)
    assert answer.returncode == 2
    assert words in answer.stderr
    assert len(answer.stderr.strip().splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_quiet_prints_nothing(run: Run, loading: Loading) -> None:
    for command in (("logprob", *JOBS), ("logprob", "suite", "--test", "math-arts")):
        loading.lm = FakeMaskedLM()
        answer = run(*command, "--quiet")
        assert (answer.returncode, answer.stdout, answer.stderr) == (0, "", "")


@pytest.mark.parametrize("width", [60, 80, 140])
def test_no_number_is_cut_whatever_the_width(
    run: Run, loading: Loading, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    shown = run("logprob", *JOBS).stdout
    table = shown[shown.index("Log-probability bias") : shown.index("score > 0")]
    assert max(map(len, table.splitlines())) <= width
    assert "−1.792" in table
    assert "…" not in table


def test_words_on_the_command_line_may_be_many() -> None:
    words = [f"word number {i}" for i in range(100)]
    assert asked_for(None, None, [",".join(words)])["attributes"] == words
    assert asked_for(None, None, ["10:30,noon"])["attributes"] == ["10:30", "noon"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--histogram", "a.svg", "--bars", "./a.svg"], "the same file"),
        (["--histogram", "a.svg", "--json", "a.svg"], "the same file"),
        (["--attributes", "words.svg", "--bars", "words.svg"], "would be overwritten"),
        (["--bars", "a.gif"], "cannot be written as '.gif'"),
        (["--bars", "no/such/a.svg"], "there is no folder"),
    ],
)
def test_pictures_eat_no_input_and_no_other_output(
    run: Callable[..., Any], tmp_path: Path, arguments: list[str], words: str
) -> None:
    (tmp_path / "words.svg").write_text("nurse\nclerk\n")
    answer = run("logprob", *arguments)
    assert answer.returncode == 2
    assert words in answer.stderr
    assert (tmp_path / "words.svg").read_text() == "nurse\nclerk\n"


def test_a_mistake_in_a_template_is_told_before_a_model_is_loaded(run: Run, loading: Loading) -> None:
    answer = run("logprob", "--template", "[TARGET] is kind.")
    assert "must contain [ATTRIBUTE] exactly once" in answer.stderr
    assert loading.calls == []


def test_data_that_are_not_attributes_are_refused_before_a_model_is_loaded(run: Run, loading: Loading) -> None:
    answer = run("logprob", "--attributes", "crows-pairs")
    assert "use 'aslant pairs'" in answer.stderr
    assert loading.calls == []
