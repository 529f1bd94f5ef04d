"""A model's own process: its answers come bit by bit, and its death does no harm."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import aslant
from aslant.cli.shared import Reading
from aslant.errors import AslantError
from aslant.explore.opened import open_models
from aslant.explore.streams import LOST
from aslant.explore.worker import LostWorkerError, StoppedError, Worker
from aslant.report.tables import percentage
from exploring import TOKEN, Asker, sample

pytest.importorskip("torch", reason="language models need torch: pip install '.[lm]'")

ATTRIBUTES = ["nurse", "engineer", "doctor", "teacher", "lawyer", "cook", "singer", "farmer", "king", "writer"]
TEMPLATES: dict[str, Any] = {
    "model": 0, "templates": ["[TARGET] is a [ATTRIBUTE]."],
    "targets": [{"name": "he", "words": ["he"]}, {"name": "she", "words": ["she"]}],
    "attributes": [{"name": "jobs", "words": ATTRIBUTES}],
}  # fmt: skip
ENUMERATION = {"model": 0, "groups": 3, "categories": 4, "words": 500, "rotations": 100}


@pytest.fixture(scope="module")
def asker() -> Iterator[Asker]:
    made = Asker(*open_models(["sample-mlm"], Reading()))
    yield made
    made.explorer.close()


def test_scores_appear_batch_by_batch_and_end_with_those_of_the_public_function(asker: Asker) -> None:
    *steps, last = asker.lines("templates", **TEMPLATES)
    counts = [len(step["rows"]) for step in steps if "rows" in step]
    assert counts == [8, 10]
    lm = aslant.load_lm("sample-mlm")
    expected = aslant.log_probability_bias(lm, "[TARGET] is a [ATTRIBUTE].", {"he": ["he"], "she": ["she"]}, ATTRIBUTES)
    scores = {s.attribute: f"{s.score:.3f}".replace("-", "−") for s in expected.scores}
    assert {row["c0"]: row["c1"] for row in last["result"]["rows"]} == scores
    facts = {fact["label"]: fact for fact in last["result"]["facts"]}
    assert expected.contrasts[0].chance is not None
    assert f"p (chance) = {expected.contrasts[0].chance.pvalue:.3f}" in facts["Chance of the share"]["means"]
    assert facts["Chance of the share"]["means"].endswith("as far from 50 %")
    assert facts["Chance of the share"]["value"].count("%") == facts["Share"]["value"].count("%") + 1
    assert any(column["title"].startswith("prior") for column in last["result"]["columns"])
    assert last["result"]["tries"]["count"] == 1
    attributes = [{"name": "", "words": ATTRIBUTES[::-1]}]
    turned = {**TEMPLATES, "targets": TEMPLATES["targets"][::-1], "attributes": attributes, "seed": 1}
    assert asker.lines("templates", **turned)[-1]["result"]["tries"]["count"] == 1


def test_copied_python_of_templates_gives_the_same_numbers(asker: Asker) -> None:
    answer = asker.lines("templates", **TEMPLATES)[-1]["result"]
    space: dict[str, Any] = {}
    exec(compile(answer["code"]["python"].replace("print(result)", ""), "copied", "exec"), space)
    found = {s.attribute: f"{s.score:.3f}".replace("-", "−") for s in space["result"].scores}
    assert {row["c0"]: row["c1"] for row in answer["rows"]} == found
    assert "--targets he,she --attributes nurse,engineer" in answer["code"]["command"]


def test_two_language_models_are_copied_and_kept_together() -> None:
    both = Asker(*open_models(["sample-mlm", "sample-mlm"], Reading()))
    asked = {**TEMPLATES, "compare": 1}
    answer = both.lines("templates", **asked)[-1]["result"]
    assert answer["code"]["python"].count("aslant.load_lm('sample-mlm')") == 2
    assert answer["code"]["command"].count("aslant logprob sample-mlm") == 2
    assert both.ask("keep", api="templates", request=asked)["kept"] == 2
    both.explorer.close()


def test_what_was_answered_is_answered_at_once_and_can_be_kept(asker: Asker) -> None:
    assert len(asker.lines("templates", **TEMPLATES)) >= 1
    assert [list(line) for line in asker.lines("templates", **TEMPLATES)] == [["result"]]
    assert asker.ask("keep", api="templates", request=TEMPLATES)["kept"] == 1
    assert "not answered yet" in asker.ask("keep", api="templates", request={**TEMPLATES, "seed": 9})["incomplete"]


def test_a_killed_process_is_said_in_one_sentence_and_the_next_question_starts_a_new_one(asker: Asker) -> None:
    asker.lines("templates", **TEMPLATES)
    worker = asker.explorer.worker(asker.explorer.models[0])
    killed, first = threading.Event(), worker._process.pid

    def kill(line: Any) -> None:
        if not killed.is_set():
            killed.set()
            os.kill(first, signal.SIGKILL)

    arguments = {"template": "[TARGET] was a [ATTRIBUTE].", "targets": [["he"], ["she"]], "attributes": ATTRIBUTES}
    with pytest.raises(LostWorkerError):
        worker.ask("templates", arguments, kill, threading.Event())
    lines = asker.lines("templates", **{**TEMPLATES, "templates": ["[TARGET] was a [ATTRIBUTE]."]})
    assert lines[0]["progress"]["what"] == "opening the model"
    assert "result" in lines[-1]
    assert worker._process.pid != first


def test_a_process_that_died_while_nobody_asked_is_replaced_unseen(asker: Asker) -> None:
    asker.lines("templates", **TEMPLATES)
    worker = asker.explorer.worker(asker.explorer.models[0])
    os.kill(worker._process.pid, signal.SIGKILL)
    worker._process.join()
    assert "result" in asker.lines("templates", **{**TEMPLATES, "seed": 3})[-1]


def test_the_page_is_told_of_a_lost_process(asker: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*given: Any) -> Any:
        raise LostWorkerError

    monkeypatch.setattr(Worker, "ask", lost)
    assert asker.lines("templates", **{**TEMPLATES, "seed": 4}) == [{"error": LOST}]


def test_a_question_that_nobody_waits_for_is_stopped_and_the_process_lives_on(asker: Asker) -> None:
    asker.lines("templates", **TEMPLATES)
    worker, stopped = asker.explorer.worker(asker.explorer.models[0]), threading.Event()
    before = worker._process.pid
    many = [f"{word} number {n}" for word in ATTRIBUTES for n in range(40)]
    arguments = {"template": "[TARGET] is a [ATTRIBUTE].", "targets": [["he"], ["she"]], "attributes": many}
    with pytest.raises(StoppedError):
        worker.ask("templates", arguments, lambda line: stopped.set(), stopped)
    assert "result" in asker.lines("templates", **{**TEMPLATES, "seed": 5})[-1]
    assert worker._process.pid == before


@pytest.mark.parametrize("ending", ["toml", "json", "csv"])
def test_a_template_is_never_a_file_of_this_machine(asker: Asker, tmp_path: Path, ending: str) -> None:
    (secret := tmp_path / f"secret.{ending}").write_text("password = hunter2\n", encoding="utf-8")
    there, absent = (
        asker.lines("templates", **{**TEMPLATES, "templates": [str(path)]})[-1]["incomplete"].replace(str(path), "")
        for path in (secret, tmp_path / f"absent.{ending}")
    )
    assert there == absent
    assert "[TARGET]" in there


def test_an_error_of_the_system_in_a_job_is_shown_in_the_terminal(tmp_path: Path, capfd: Any) -> None:
    (folder := tmp_path / "taken").write_text("a file where the journal's folder is to be", encoding="utf-8")
    worker = Worker("sample-mlm", Reading(), True, str(folder))
    with pytest.raises(LostWorkerError):
        worker.ask("templates", {}, lambda line: None, threading.Event())
    worker.close()
    assert "FileExistsError" in capfd.readouterr().err


def test_what_the_measure_refuses_is_one_sentence(asker: Asker) -> None:
    last = asker.lines("templates", **{**TEMPLATES, "templates": ["[TARGET] is a nurse."]})[-1]
    assert "[ATTRIBUTE]" in last["incomplete"]


@pytest.mark.parametrize(
    ("change", "said"),
    [({"templates": []}, "Type a template"), ({"targets": []}, "two target boxes"),
     ({"attributes": [{"name": "a", "words": []}]}, "one attribute")],
)  # fmt: skip
def test_templates_without_words_say_what_is_missing(asker: Asker, change: dict[str, Any], said: str) -> None:
    assert said in asker.ask("templates", **{**TEMPLATES, **change})["incomplete"]


def test_pairs_that_are_not_on_this_machine_are_not_fetched(asker: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aslant.explore.long_questions.find", lambda name: None)
    said = asker.ask("pairs", model=0, set="crows-pairs")["incomplete"]
    assert said.endswith("aslant data get crows-pairs")


def test_pairs_appear_category_by_category(
    asker: Asker, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:  # fmt: skip
    rows = ["sent_more,sent_less,bias_type"]
    for n, job in enumerate(ATTRIBUTES):
        rows.append(f"He is a {job}.,She is a {job}.,{'gender' if n % 2 else 'work'}")
    file = tmp_path / "pairs.csv"
    file.write_text("\n".join(rows), encoding="utf-8")
    worker = asker.explorer.worker(asker.explorer.models[0])
    asked = {"source": str(file), "score": "auto", "sample": 0, "twins": 1, "rng": 0}
    steps: list[Any] = []
    result = worker.ask("pairs", asked, steps.append, threading.Event())
    assert [step["progress"]["done"] for step in steps if "rows" in step] == [5, 10]
    expected = aslant.sentence_pairs(aslant.load_lm("sample-mlm"), file, twins=1)
    assert [(g.name, g.n, g.count) for g in result.groups] == [(g.name, g.n, g.count) for g in expected.groups]
    assert [g.mean for g in result.groups] == pytest.approx([g.mean for g in expected.groups], abs=1e-4)
    assert len(result.twins) == 1


def test_an_embedding_is_not_asked_templates_nor_a_language_model_for_enumeration(asker: Asker) -> None:
    assert "choose an embedding" in asker.ask("enumeration", **ENUMERATION)["incomplete"]
    assert "need a language model" in Asker(sample()).ask("templates", **TEMPLATES)["incomplete"]


def test_an_enumeration_can_be_walked_through() -> None:
    asker = Asker(sample())
    try:
        *steps, last = asker.lines("enumeration", **ENUMERATION)
    finally:
        asker.explorer.close()
    expected = aslant.enumerate_biases(sample().static(), groups=3, categories=4, words=500, rotations=100)
    answer = last["result"]
    assert any(step["progress"]["total"] for step in steps)
    assert [cell["significant"] for cell in answer["cells"]] == [
        cell.significant for n in expected.ordering for cell in expected.of_category(n)
    ]
    assert [group["size"] for group in answer["groups"]] == [group.size for group in expected.groups]
    assert answer["facts"][1]["label"] == "Random words in place of the names"
    assert all("offensive" in word for cell in answer["cells"] for word in cell["words"])
    assert expected.share is not None
    assert answer["facts"][0]["value"] == percentage(expected.share)
    for cell, said in zip(
        [c for n in expected.ordering for c in expected.of_category(n)], answer["cells"], strict=True
    ):
        assert said["says"].startswith("Significant") == cell.significant
        reached = cell.significant and cell.chance_pvalue is not None and cell.chance_pvalue > 0.05
        assert ("no finding" in said["says"]) == said["reached"] == reached
    names = {n: words.centre_words[:3] for n, words in enumerate(expected.categories)}
    assert {c["number"]: tuple(w["word"] for w in c["centre"]) for c in answer["categories"]} == {
        n: names[n] for n in expected.ordering
    }
    assert answer["chart"] is None  # its words could not be covered
    assert answer["note"].startswith("These measures reproduce stereotypes")


def test_a_process_that_cannot_open_its_model_says_why(tmp_path: Path) -> None:
    worker = Worker(str(tmp_path / "nothing"), Reading(), is_lm=True, folder=str(tmp_path / "kept"))
    with pytest.raises(AslantError, match="nothing"):
        worker.ask("templates", {}, lambda line: None, threading.Event())
    worker.close()


def test_a_server_that_ends_kills_the_process_and_leaves_the_pipe_to_the_thread_that_reads_it(tmp_path: Path) -> None:
    explorer = Asker(sample()).explorer
    worker = explorer.workers[0] = Worker(
        str(tmp_path / "nothing"), Reading(), is_lm=True, folder=str(tmp_path / "kept")
    )
    with pytest.raises(AslantError, match="nothing"):
        worker.ask("templates", {}, lambda line: None, threading.Event())
    explorer.close()
    assert not worker._process.is_alive()
    assert worker._connection is not None
    assert not worker._connection.closed
    worker.close()


def test_a_page_that_is_closed_stops_what_it_asked() -> None:
    asker = Asker(sample())
    stopped = threading.Event()
    asker.explorer.replace("whose", stopped)
    asker.explorer.replace("whose", threading.Event())
    assert stopped.is_set()
    assert asker.client.get(f"/{TOKEN}/api/enumeration").status_code == 405
