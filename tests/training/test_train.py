"""`aslant.train`: planted text, seeds and workers, periods, files, bootstraps, and what cannot be trained."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aslant
from aslant.errors import AslantError, CorpusError, MeasureError, MissingExtraError
from aslant.training import glove, running
from aslant.training.settings import FEWEST_TOKENS, TrainingSettings, chosen
from aslant.training.texts import Text, read_texts
from planted_sentences import FIRST, FIRST_NEAR, PAIRS, SECOND, SECOND_NEAR, planted_sentences

QUICK: dict[str, Any] = {"method": "glove", "epochs": 3, "dimensions": 20}
METHODS = {"word2vec": 10, "fasttext": 10, "glove": 15, "gn-glove": 15}


@pytest.fixture(scope="module")
def sentences() -> list[str]:
    return planted_sentences(2_000, gendered=True)


def association(sentences: list[str], method: str) -> Any:
    how: dict[str, Any] = {"pairs": PAIRS} if method == "gn-glove" else {}
    made = aslant.train(sentences, method=method, epochs=METHODS[method], dimensions=30, **how)
    test = {"targets": (FIRST, SECOND), "attributes": (FIRST_NEAR, SECOND_NEAR)}
    return aslant.weat(made.vectors, **test, chance=0, bootstrap=0)


@pytest.mark.parametrize("method", METHODS)
def test_a_planted_association_is_found_and_not_in_the_same_words_shuffled(sentences: list[str], method: str) -> None:
    planted = association(sentences, method)
    shuffled = [
        association(planted_sentences(2_000, seed=seed, gendered=True, shuffle=True), method) for seed in range(2)
    ]
    assert planted.effect_size > 1.4
    assert planted.pvalue < 0.001
    # The effect size is in units of its own spread, and may be large of almost nothing: the difference is not.
    assert planted.statistic > 5 * max(abs(result.statistic) for result in shuffled)
    assert max(result.pvalue for result in shuffled) > 0.05


@pytest.mark.parametrize("method", METHODS)
def test_a_seed_gives_the_same_vectors_however_many_work(sentences: list[str], method: str) -> None:
    how: dict[str, Any] = {"method": method, "epochs": 2, "dimensions": 10, "runs": 3}
    with aslant.use_workers(threads=1):
        one = aslant.train(sentences, **how, rng=3).by_period["all"]
    with aslant.use_workers(threads=3):
        three = aslant.train(sentences, **how, rng=3).by_period["all"]
    for a, b in zip(one, three, strict=True):
        assert a.words == b.words
        assert np.array_equal(a.matrix, b.matrix)
    assert not np.array_equal(one[0].matrix, one[1].matrix)
    assert not np.array_equal(one[0].matrix, aslant.train(sentences, **how | {"runs": 1}, rng=4).vectors.matrix)


def test_words_come_by_frequency_and_the_note_says_how_they_were_trained(sentences: list[str]) -> None:
    made = aslant.train(sentences, **QUICK, min_count=3)
    words = " ".join(sentences).replace(".", "").split()
    counts = [words.count(word) for word in made.vectors.words]
    assert counts == sorted(counts, reverse=True)
    assert min(counts) >= 3
    note = aslant.weat(made.vectors, targets=(FIRST, SECOND), attributes=(FIRST_NEAR, SECOND_NEAR))
    told = note.provenance.representation.note
    assert 'method "glove"' in told
    assert "dimensions 20" in told
    assert f"seed {made.result.periods[0].runs[0].seed}" in told


def test_settings_depend_on_the_amount_of_text() -> None:
    few, many = (chosen(TrainingSettings(), tokens) for tokens in (20_000, 200_000_000))
    assert few["dimensions"] < many["dimensions"]
    assert few["min_count"] < many["min_count"]
    assert few["epochs"] > many["epochs"]
    assert chosen(TrainingSettings(epochs=2, method="glove"), 20_000)["epochs"] == 2


def test_documents_are_drawn_whole_with_replacement() -> None:
    texts = [f"name{i} slept. name{i} woke." for i in range(40)]
    text = read_texts(aslant.load_corpus(texts), None).periods["all"]
    assert isinstance(text, Text)
    drawn = text.resampled(np.random.default_rng(0))
    assert drawn.documents == 40
    found = [" ".join(sentence) for sentence in drawn.sentences()]
    assert len(found) == 80
    whole = [(found[i].split()[0], found[i + 1].split()[0]) for i in range(0, 80, 2)]
    assert all(first == second for first, second in whole)
    assert 15 < len(set(whole)) < 35  # about 1 − 1/e of 40


def test_a_bootstrap_spreads_more_than_seeds_alone(sentences: list[str]) -> None:
    few = sentences[:1_500]
    seeds = aslant.train(few, **QUICK, runs=4).result.periods[0].agreement
    drawn = aslant.train(few, **QUICK, bootstrap=3).result.periods[0]
    assert [run.resampled for run in drawn.runs] == [False, True, True, True]
    assert seeds.chance < drawn.agreement.overlap < 1
    assert seeds.trainings == 4
    assert drawn.agreement.trainings == 3
    assert drawn.agreement.cosine_sd > seeds.cosine_sd


def write_csv(path: Path, sentences: list[str], header: str = "date,text") -> Path:
    rows = [f"{1900 + 10 * (i % 2)}-05-0{i % 9 + 1},{text}" for i, text in enumerate(sentences)]
    path.write_text("\n".join([header, *rows, f"n.d.,{sentences[0]}"]), encoding="utf-8")
    return path


def test_each_period_has_its_own_files_which_stay_when_a_run_is_added(sentences: list[str], tmp_path: Path) -> None:
    table = write_csv(tmp_path / "speeches.csv", [*sentences, *planted_sentences(1_000, seed=1)])
    out = tmp_path / "by-year"
    made = aslant.train(table, **QUICK, by="year", runs=2, output=out)
    names = [
        "1900.run-2.safetensors",
        "1900.safetensors",
        "1910.run-2.safetensors",
        "1910.safetensors",
        "training.json",
    ]
    assert sorted(path.name for path in out.iterdir()) == names
    record = json.loads((out / "training.json").read_text(encoding="utf-8"))
    assert [(p["period"], p["documents"], p["tokens"]) for p in record["periods"]] == [
        ("1900", 1_500, 15_000),
        ("1910", 1_500, 15_000),
    ]
    assert record["undated"] == made.result.undated == 1
    assert np.array_equal(aslant.load(out / "1910.run-2.safetensors").matrix, made.by_period["1910"][1].matrix)
    before = {path.name: path.stat().st_mtime_ns for path in out.glob("*.safetensors")}
    again = aslant.train(table, **QUICK, by="year", runs=3, output=out)
    assert [len(runs) for runs in again.by_period.values()] == [3, 3]
    after = {path.name: path.stat().st_mtime_ns for path in out.glob("*.safetensors")}
    assert {name: after[name] for name in before} == before
    with pytest.raises(AslantError, match="has vectors of another training"):
        aslant.train(table, **QUICK, by="year", runs=3, output=out, rng=1)


@pytest.mark.parametrize("kind", ["names", "folders", "jsonl", "column", "list"])
def test_periods_are_found_in_names_records_columns_and_lists(sentences: list[str], tmp_path: Path, kind: str) -> None:
    halves = {"1861": sentences[:1_000], "1912": sentences[1_000:]}
    by: Any = "decade"
    if kind in ("names", "folders"):
        for year, texts in halves.items():
            path = tmp_path / f"speech {year}.txt" if kind == "names" else tmp_path / year / "speech.txt"
            path.parent.mkdir(exist_ok=True)
            path.write_text("\n".join(texts), encoding="utf-8")
        source: Any = tmp_path
    elif kind == "jsonl":
        source = tmp_path / "speeches.jsonl"
        lines = [{"year": int(year), "text": text} for year, texts in halves.items() for text in texts]
        source.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    elif kind == "column":
        source, by = tmp_path / "speeches.tsv", "era"
        rows = [f"{year[:3]}0\t{text}" for year, texts in halves.items() for text in texts]
        source.write_text("\n".join(["era\ttext", *rows]), encoding="utf-8")
    else:
        source, by = sentences, ["1860"] * 1_000 + ["1910"] * 1_000
    made = aslant.train(source, **QUICK, by=by)
    assert list(made.by_period) == ["1860", "1910"]
    assert [period.tokens for period in made.result.periods] == [10_000, 10_000]


def test_files_are_documents_if_there_are_enough_of_them(sentences: list[str], tmp_path: Path) -> None:
    for number in range(12):
        (tmp_path / f"{number}.txt").write_text("\n".join(sentences[number::12]), encoding="utf-8")
    made = aslant.train(tmp_path, **QUICK)
    assert (made.result.unit, made.result.periods[0].documents) == ("file", 12)
    assert aslant.train([str(tmp_path / f"{n}.txt") for n in range(1, 9)], **QUICK).result.unit == "line"


def test_stopped_by_ctrl_c_what_is_finished_stays_and_the_rest_ends_soon(
    sentences: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setattr("aslant.training.glove.PIECE", 1_000)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where tests run in the background
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    out, real, begun = tmp_path / "runs", glove.train_glove, []

    def train_glove(*args: Any) -> Any:
        begun.append(1)
        if len(begun) == 2:  # the second one would take for ever
            threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
            args = (*args[:3], 10**9, *args[4:])
        return real(*args)

    monkeypatch.setattr(running, "train_glove", train_glove)
    with aslant.use_workers(threads=1 if sys.platform == "win32" else 2), pytest.raises(KeyboardInterrupt):
        aslant.train(sentences, **QUICK, runs=2, output=out)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    kept = [path.name for path in out.glob("*")]
    assert kept in (["all.safetensors"], ["all.run-2.safetensors"])
    monkeypatch.setattr(running, "train_glove", real)
    resumed = aslant.train(sentences, **QUICK, runs=2, output=out).by_period["all"]
    fresh = aslant.train(sentences, **QUICK, runs=2).by_period["all"]
    assert all(np.array_equal(a.matrix, b.matrix) for a, b in zip(resumed, fresh, strict=True))


def test_progress_runs_to_its_end(sentences: list[str], tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("\n".join(sentences), encoding="utf-8")
    told: dict[str, tuple[int, int]] = {}

    def progress(step: str, done: int, total: int) -> None:
        assert done >= told.get(step, (0, 0))[0]
        told[step] = done, total

    for method in ("word2vec", "glove"):
        told.pop("reading", None)
        aslant.train(path, method=method, epochs=2, dimensions=10, runs=2, progress=progress)
    assert len(told) == 3
    assert all(done == total > 0 for done, total in told.values())


def test_what_an_earlier_call_has_finished_is_no_work_by_which_the_time_left_is_told(
    sentences: list[str], tmp_path: Path
) -> None:
    told: list[tuple[str, int, int]] = []
    aslant.train(sentences, **QUICK, runs=2, output=tmp_path / "runs")
    aslant.train(sentences, **QUICK, runs=3, output=tmp_path / "runs", progress=lambda *step: told.append(step))
    _, done, total = next(step for step in told if step[0].startswith("glove"))
    assert done * 3 == total * 2


def test_what_cannot_be_trained_is_refused_in_one_sentence(
    sentences: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(MeasureError, match="has 4 tokens, too few to train on; give at least 10,000"):
        aslant.train(["They met in town."])
    with pytest.raises(MeasureError, match="runs and bootstrap were both given"):
        aslant.train(sentences, runs=2, bootstrap=2)
    with pytest.raises(MeasureError, match="method is 'lda'; choose one of"):
        aslant.train(sentences, method="lda")
    with pytest.raises(CorpusError, match="2 periods were given for 2,000 texts"):
        aslant.train(sentences, **QUICK, by=[1, 2])
    with pytest.raises(CorpusError, match="'a/b' cannot be the name of a file"):
        aslant.train(sentences, **QUICK, by=["a/b"] * 2_000)
    with pytest.raises(MeasureError, match="no pair of words"):
        aslant.train(sentences, **QUICK | {"method": "gn-glove"}, pairs=[("king", "queen")])
    with pytest.raises(AslantError, match="2 trainings cannot go to one file"):
        aslant.train(sentences, **QUICK, runs=2, output=tmp_path / "v.safetensors")
    with pytest.raises(AslantError, match="is a folder; for one training, name a file"):
        aslant.train(sentences, **QUICK, output=tmp_path)
    (tmp_path / "t.txt").write_text("\n".join(sentences), encoding="utf-8")
    with pytest.raises(CorpusError, match="plain text and has no column 'era'"):
        aslant.train(tmp_path / "t.txt", **QUICK, by="era")
    with pytest.raises(CorpusError, match=r"no document of 't\.txt' has a 'year'"):
        aslant.train(tmp_path / "t.txt", **QUICK, by="year")
    monkeypatch.setitem(sys.modules, "gensim.models", None)
    with pytest.raises(MissingExtraError, match=r"pip install '\.\[gensim\]'"):
        aslant.train(sentences)
    assert [path.name for path in tmp_path.iterdir()] == ["t.txt"]


def test_small_periods_are_left_out_and_named(sentences: list[str]) -> None:
    made = aslant.train(sentences, **QUICK, by=["1900"] * 1_990 + ["1910"] * 10)
    assert list(made.by_period) == ["1900"]
    assert made.result.too_small == {"1910": 100}
    assert "left out, with fewer than 10,000 tokens: 1910 (100)" in str(made)
    assert FEWEST_TOKENS == 10_000
