"""Audits of encoders: what fits, with and without text; a language model read as one; benchmarks that are not here."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any, cast

import pytest

import aslant
import gap_like
from aslant.auditing import running
from aslant.auditing.running import STEPS
from aslant.auditing.subjects import kind_of, opened, subject_of
from aslant.errors import AslantError, MeasureError, MissingExtraError
from aslant.models.loading import NoHeadError
from aslant.stimuli import load_set
from fake_encoder import FakeEncoder
from fake_lm import FakeMaskedLM
from fake_pronouns import write_winobias, write_winogender

JOBS = ("nurse", "lawyer", "teacher", "writer", "artist", "actor", "officer")


@pytest.fixture(scope="module")
def text() -> list[str]:
    """Sentences with words that lean, definitional words, professions, and the words of one test."""
    found = [f"{who} met the {word} ." for word in aslant.load(top=600).words for who in ("She", "he")]
    found += [f"A {job} slept ." for job in JOBS]
    return found + [f"They {verb} of {word} ." for verb in ("spoke", "heard") for word in load_set("weat-7").words]


@pytest.fixture(scope="module")
def whole(text: list[str]) -> aslant.AuditResult:
    return aslant.audit(FakeEncoder(), corpus=text, profile="quick")


@pytest.fixture
def loading(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Models behind every name, and what was asked for."""
    asked: list[str] = []

    def encoder(source: Any, **_: Any) -> FakeEncoder:
        asked.append(f"encoder {source}")
        return FakeEncoder()

    def lm(source: Any, **_: Any) -> FakeMaskedLM:
        asked.append(f"lm {source}")
        if "headless" in str(source):
            raise NoHeadError(f"'{source}' is a BertModel, which does not predict words.")
        return FakeMaskedLM()

    monkeypatch.setattr("aslant.models.loading.load_encoder", encoder)
    monkeypatch.setattr("aslant.models.loading.load_lm", lm)
    return asked


def test_an_encoder_with_text_gets_every_measure_on_sentences_and_a_glance_of_each(whole: aslant.AuditResult) -> None:
    assert [part.measure for part in whole.parts] == ["seat", "ceat", "contextual"]
    assert {what.partition(", ")[0] for what in whole.not_run} == {"ceat", "pmi"}  # the text has words of one test only
    lines = {(line.measure, line.stimuli): line for line in whole.glance}
    assert len(lines) == len(whole.glance)
    seat, ceat = lines["seat", "weat-7"], lines["ceat", "weat-7"]
    for line in (seat, ceat):
        assert (line.category, line.effect_name) == ("gender", "d")
        assert line.qvalue is not None
        assert line.strength is not None
    leaning = lines["contextual", "neighbours"]
    assert (leaning.category, leaning.effect_name) == ("gender", "r")
    assert (lines["contextual", "direct bias"].strength, lines["contextual", "direct bias"].evidence) == (None, "none")
    assert lines["contextual", "direct bias"].chance is not None
    assert all(line.sentence.endswith(".") for line in whole.glance)
    assert aslant.AuditResult.from_dict(json.loads(whole.to_json())) == whole


def test_the_report_of_an_encoder_names_its_text_and_what_it_lacks(whole: aslant.AuditResult, tmp_path: Path) -> None:
    whole.save(tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    for said in ("SEAT", "CEAT", "Bias in context", "Without a sentence in the corpus", "<dt>Corpus</dt>", "--corpus"):
        assert said in page
    from aslant.report.audit import glance_table

    notes = glance_table(whole).notes
    assert any(note.startswith("ceat: not found:") and "more (--json lists all)" in note for note in notes)


def test_an_encoder_without_text_says_what_it_could_do_with_some() -> None:
    plan = running.Plan(subject_of(FakeEncoder()))
    assert [step.id for step in plan.steps] == ["seat", "seat-categories"]
    assert set(plan.left_out) == {"ceat", "contextual", "pmi"}
    assert all("--corpus" in why for why in plan.left_out.values())
    with pytest.raises(MeasureError, match="'ceat' needs text to draw sentences from; give a corpus"):
        aslant.audit(FakeEncoder(), only=["ceat"])


def test_a_corpus_that_nothing_can_read_is_refused() -> None:
    for model in (aslant.load(top=100), FakeMaskedLM()):
        with pytest.raises(MeasureError, match=r"a corpus was given, but a .* has no encoder that could read it"):
            aslant.audit(model, corpus=["A nurse slept."])
    with pytest.raises(MeasureError, match="the models have no encoder"):
        aslant.audit_models([aslant.load(top=100), FakeMaskedLM()], corpus=["A nurse slept."])


def test_a_language_model_by_name_is_an_encoder_too_where_there_is_text(loading: list[str], text: list[str]) -> None:
    alone = opened("some/model")
    assert sorted(alone.traits) == ["masked LM"]
    assert loading == ["lm some/model"]
    both = opened("some/model", corpus=text)
    assert sorted(both.traits) == ["encoder", "encoder + corpus", "masked LM"]
    assert loading[1:] == ["lm some/model", "encoder some/model"]
    steps = [step.id for step in running.Plan(both).steps]
    assert {"log-probability", "seat", "ceat", "contextual"} <= set(steps)


def test_a_hub_name_without_a_head_is_opened_as_an_encoder(loading: list[str]) -> None:
    assert sorted(opened("some/headless").traits) == ["encoder"]
    assert loading == ["lm some/headless", "encoder some/headless"]


def test_an_elmo_is_told_by_its_files(tmp_path: Path, loading: list[str]) -> None:
    (tmp_path / "options.json").write_text("{}")
    (tmp_path / "weights.hdf5").write_bytes(b"")
    assert kind_of(tmp_path) == kind_of(tmp_path / "options.json") == "encoder"
    assert "encoder" in opened(tmp_path).traits


def test_without_torch_an_encoder_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"architectures": ["BertModel"]}))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"encoders need torch: pip install '\.\[lm\]'"):
        aslant.audit(tmp_path)


def test_a_benchmark_that_is_not_here_is_not_fetched_and_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, settings = tmp_path / "run", {"only": ["attribute-lists", "pronoun-choice"], "profile": "standard"}
    monkeypatch.setattr("aslant.data.find", lambda name: None)
    audit = aslant.audit(FakeMaskedLM(), run_folder=folder, **settings)  # type: ignore[arg-type]
    assert audit.not_run["pronoun-choice, winogender"] == (
        "'winogender' is not on this machine, and an audit fetches nothing; get it with 'aslant data get winogender'."
    )
    here = {"winogender": write_winogender(tmp_path / "a"), "winobias": write_winobias(tmp_path / "b")}
    monkeypatch.setattr("aslant.data.find", here.get)
    again = aslant.audit(FakeMaskedLM(), run_folder=folder, **settings)  # type: ignore[arg-type]
    lines = {line.stimuli: line for line in again.glance if line.measure == "pronoun-choice"}
    assert {"winobias", "winobias, contrast", "winobias, share of women"} < set(lines)
    assert any(name.startswith("winogender") for name in lines)
    assert lines["winobias"].effect_name == "share"
    assert lines["winobias"].strength is not None
    assert lines["winobias, contrast"].strength is None
    assert all(line.pvalue is not None and line.category == "gender" for line in lines.values())


def test_pronouns_are_resolved_in_a_full_audit_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MeasureError, match="'pronoun-resolution' is part of the full profile only"):
        aslant.audit(FakeEncoder(), only=["pronoun-resolution"])
    file = tmp_path / "gap-development.tsv"
    file.write_text(gap_like.as_tsv(gap_like.gap_like(60, {"male": 0.2, "female": 0.6})), encoding="utf-8")
    monkeypatch.setattr("aslant.data.find", lambda name: tmp_path)
    quick = aslant.models.Classifier(units=4, epochs=3)
    monkeypatch.setattr("aslant.measures.pronouns_resolved.measure.Classifier", lambda: quick)
    audit = aslant.audit(gap_like.encoder(), only=["pronoun-resolution"], profile="full")
    [line] = audit.glance
    assert line.effect_name == "difference in probability"
    assert "“Neither” is predicted with" in line.sentence
    assert line.pvalue is None  # a p-value for the classifiers as trained is not evidence
    assert line.chance is not None
    assert line.chance.draws == 19
    monkeypatch.setattr("aslant.data.find", lambda name: None)
    with pytest.raises(MeasureError, match="nothing could be measured; pronoun-resolution: 'gap' is not on this"):
        aslant.audit(gap_like.encoder(), only=["pronoun-resolution"], profile="full")


def test_own_tests_of_words_go_to_sentences_in_an_encoder(text: list[str]) -> None:
    audit = aslant.audit(FakeEncoder(), corpus=text, only=["own words"], words=["weat-7", "gender-three"])
    assert [result.kind for result in audit.parts[0].results] == ["seat-suite", "ceat-suite"]
    assert [result.provenance.settings["twins"] for result in audit.parts[0].results] == [3, 3]
    assert "needs a static embedding or a masked language model" in audit.not_run["own words, gender-three"]


def test_the_command_takes_a_corpus_and_goes_on_with_it(
    run: Callable[..., CompletedProcess[str]], loading: list[str], text: list[str], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    from dataclasses import replace

    (tmp_path / "text.csv").write_text("body\n" + "\n".join(text) + "\ncaf\xe9\n", encoding="latin-1")
    (tmp_path / "config.json").write_text(json.dumps({"architectures": ["BertModel"]}))
    call = (
        "audit",
        ".",
        "--quick",
        "--only",
        "ceat",
        "--corpus",
        "text.csv",
        "--column",
        "body",
        "--encoding",
        "latin-1",
    )

    def stop(work: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as m:
        m.setattr(running, "STEPS", tuple(replace(s, run=cast("Any", stop)) if s.id == "ceat" else s for s in STEPS))
        assert run(*call, "--run-folder", "kept").returncode not in (0, 2)
    refused = run("audit", "--resume", "kept", "--corpus", "text.csv")
    assert (refused.returncode, "leave out --corpus" in refused.stderr) == (2, True)
    done = run("audit", "--resume", "kept")
    assert done.returncode == 0, done.stderr
    content = json.loads((tmp_path / "aslant-report.json").read_text(encoding="utf-8"))
    assert [part["measure"] for part in content["parts"]] == ["ceat"]
    assert content["parts"][0]["results"][0]["results"][0]["corpus"]["name"] == "text.csv"
    over = run(*call[:-6], "--corpus", "text.csv", "-o", "text")
    assert (over.returncode, "would be overwritten" in over.stderr) == (2, True)


def test_what_is_no_model_of_any_kind_is_refused() -> None:
    with pytest.raises(AslantError, match="give an embedding, a language model or an encoder"):
        subject_of(3)
