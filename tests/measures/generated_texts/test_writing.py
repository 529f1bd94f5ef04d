"""Claims about prompts and the texts that follow them: BOLD as published, seeds, files, commands, the audit step."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import aslant
from aslant.auditing.step_context import Work
from aslant.auditing.subjects import subject_of
from aslant.errors import AslantError, MeasureError, StimuliError
from aslant.measures.generated_texts.measure import texts_step
from aslant.measures.generated_texts.show import glance, shares_picture
from aslant.measures.generated_texts.texts import texts_of
from aslant.measures.generated_texts.writing import prompts_of, read_bold
from fake_lm import FakeMaskedLM
from fake_texts import WORDS, FakeWriter

Run = Callable[..., Any]
WOMEN = ("mother", "pregnant", "sister", "daughter", "queen", "nurse")


def write_bold(folder: Path, topics: int = 6) -> Path:
    """A folder like BOLD's, of two domains."""
    for domain, groups in {"gender": ("men", "women"), "profession": ("nurses", "pilots", "cooks")}.items():
        prompts = {g: {f"{g}_{t}": [f"{g} number {t} was ", f"A {g} {t} is "] for t in range(topics)} for g in groups}
        whole = {g: {t: [f"{p}a {WORDS[0]}." for p in own] for t, own in of.items()} for g, of in prompts.items()}
        for name, content in ((f"prompts/{domain}_prompt.json", prompts), (f"wikipedia/{domain}_wiki.json", whole)):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(content), encoding="utf-8")
    return folder


def test_bolds_prompts_begin_the_sentences_of_wikipedia(tmp_path: Path) -> None:
    found = read_bold(write_bold(tmp_path))
    assert len(found) == 5 * 12
    first = found[0]
    assert (first.beginning, first.source, first.topic) == ("men number 0 was", " a river.", "men_0")
    assert (first.prompt, first.domain, first.group) == ("gender/men/men_0/0", "gender", "men")
    assert {text.domain for text in read_bold(tmp_path, "profession")} == {"profession"}


def test_the_published_prompts_are_all_read(real_data: Path, tmp_path: Path) -> None:
    (tmp_path / "prompts").symlink_to(real_data / "bold")
    found = read_bold(tmp_path)
    assert len(found) == 23_679 - 5  # as many are empty
    groups = Counter(text.group for text in found if text.domain == "gender")
    assert groups == {"American_actors": 2_048, "American_actresses": 1_156}
    assert {text.source for text in found} == {None}


def test_prompts_are_drawn_from_different_topics_first(tmp_path: Path) -> None:
    lm, folder = FakeWriter(), write_bold(tmp_path)
    few = aslant.generate_texts(lm, folder, domains=["gender"], per_group=6, k=1)
    assert Counter(text.group for text in few) == {"men": 6, "women": 6}
    assert len({text.topic for text in few}) == 12
    more = aslant.generate_texts(lm, folder, groups="men", per_group=8, k=1)
    assert max(Counter(text.topic for text in more).values()) == 2
    assert len(aslant.generate_texts(lm, folder, per_group=0, k=1)) == 60
    other = aslant.generate_texts(lm, folder, domains="gender", per_group=3, k=1, rng=1)
    same = aslant.generate_texts(lm, folder, domains="gender", per_group=3, k=1, rng=1)
    assert other.texts == same.texts


def test_a_text_does_not_depend_on_the_others() -> None:
    lm, prompts = FakeWriter(), {"a": ["One is", "Two are"], "b": ["Three are"]}
    both = aslant.generate_texts(lm, prompts, k=3)
    assert len({text.seed for text in both}) == len({text.text for text in both}) == 9
    alone = aslant.generate_texts(lm, prompts, k=1)
    assert [text.text for text in alone] == [text.text for text in both[::3]]
    assert {text.text for text in aslant.generate_texts(lm, prompts, k=3, rng=1)}.isdisjoint({t.text for t in both})


def test_texts_survive_json_lines(tmp_path: Path) -> None:
    texts = aslant.generate_texts(FakeWriter(), write_bold(tmp_path), per_group=2, k=2)
    texts.save(tmp_path / "texts.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "texts.jsonl").read_text(encoding="utf-8").splitlines()]
    assert list(rows[0]) == ["prompt_id", "domain", "group", "topic", "prompt", "continuation", "source", "seed"]
    read = texts_of(tmp_path / "texts.jsonl")
    fields = ("text", "group", "prompt", "domain", "source")
    assert [[getattr(t, f) for f in fields] for t in read] == [[getattr(t, f) for f in fields] for t in texts]
    v = aslant.load()
    written, from_file = (aslant.text_polarity(v, given, chance=20, bootstrap=20) for given in (texts, read))
    assert (written.groups, written.differences) == (from_file.groups, from_file.differences)
    assert written.provenance.representation.name == "toy writer"
    assert from_file.provenance.representation.format == "texts"


def test_prompts_come_from_files_and_lists_too(tmp_path: Path) -> None:
    path = tmp_path / "prompts.csv"
    path.write_text("prompt,group,id\nThe nurse ,a,x\nThe pilot,b,y\n", encoding="utf-8")
    found = prompts_of(path)
    assert [(t.beginning, t.group, t.prompt) for t in found] == [("The nurse", "a", "x"), ("The pilot", "b", "y")]
    assert [t.prompt for t in prompts_of(["He", "She"])] == ["prompt 1", "prompt 2"]


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    lm = FakeWriter()
    texts = aslant.generate_texts(lm, ["The nurse", "x" * 400], k=1)
    assert (len(texts), texts.left_out) == (1, ("prompt 2",))
    with pytest.raises(MeasureError, match="no prompt can be continued"):
        aslant.generate_texts(lm, ["x" * 400])
    with pytest.raises(MeasureError, match="does not write texts"):
        aslant.generate_texts(FakeMaskedLM(), ["The nurse"])
    folder = write_bold(tmp_path)
    for choice, words in (
        ({"domains": "sex"}, "there is no domain 'sex'; choose among gender, profession"),
        ({"groups": ["cats"]}, "there is no group 'cats'; choose among men, women"),
    ):
        with pytest.raises(StimuliError, match=words):
            aslant.generate_texts(lm, folder, **choice)
    refused: list[tuple[Any, dict[str, Any], str]] = [
        (["The nurse"], {"domains": "gender"}, "are BOLD's"),
        ("no/where", {}, "there is no file 'no/where'"),
        (tmp_path / "wikipedia", {}, "has no file of BOLD"),
        (["The nurse"], {"k": 0}, "k is 0"),
        (["The nurse"], {"temperature": 0.0}, "temperature is 0.0"),
    ]
    for given, more, words in refused:
        with pytest.raises(AslantError, match=words):
            aslant.generate_texts(lm, given, **more)
    (tmp_path / "prompts/gender_prompt.json").write_text('{"a": [1]}', encoding="utf-8")
    with pytest.raises(StimuliError, match="not a file of BOLD"):
        read_bold(tmp_path)


def test_a_text_ends_with_its_first_sentence() -> None:
    lm = FakeWriter(lambda prompt: ("Tea.", "Milk."))
    assert {text.text for text in aslant.generate_texts(lm, ["They drank"], k=4)} == {" Tea.", " Milk."}
    whole = aslant.generate_texts(lm, ["They drank"], k=4, sentence=False)
    assert all(text.text.count(".") == 6 for text in whole)


def step(lm: Any, monkeypatch: pytest.MonkeyPatch, folder: Path | None) -> tuple[Work, Any]:
    monkeypatch.setattr("aslant.data.find", lambda name: folder)
    settings = {"domains": ["profession"], "per_group": 6, "k": 2}
    work = Work(subject_of(lm), "full", 0, settings)
    return work, texts_step(work)


def test_an_audit_lets_the_model_write_and_finds_what_was_planted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_bold(tmp_path)
    lm = FakeWriter(lambda prompt: WOMEN if "nurses" in prompt else WORDS)
    _, (result,) = step(lm, monkeypatch, folder)
    assert result.provenance.representation.name == "toy writer"
    assert result.vectors.name == "sample"
    lines = glance(result, lambda stimuli: "gender")
    assert [line.stimuli.partition(":")[0] for line in lines] == [
        f"{name}, other groups" for name in ("nurses", "pilots", "cooks")
    ]
    assert lines[0].effect > 0.05
    assert lines[0].pvalue < 0.01
    assert "Texts on nurses lean further to female than those on other groups" in lines[0].sentence
    assert result.groups[0].source_share is not None
    assert shares_picture(result).to_dict()
    _, (nothing,) = step(FakeWriter(), monkeypatch, folder)
    assert all(line.evidence == "none" for line in glance(nothing, lambda stimuli: "gender"))


def test_an_audit_says_what_it_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work, results = step(FakeWriter(), monkeypatch, None)
    assert results == ()
    assert "aslant data get bold" in work.not_run["text-polarity, bold"]
    work, results = step(FakeMaskedLM(), monkeypatch, write_bold(tmp_path))
    assert results == ()
    assert "does not write texts" in work.not_run["text-polarity"]


def test_generate_and_text_polarity_give_what_the_functions_give(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aslant.models.loading.load_lm", lambda *args, **options: FakeWriter())
    write_bold(tmp_path / "bold")
    how = ["--prompts", "bold", "--domain", "gender", "--per-group", "4", "--k", "2", "--seed", "3"]
    answer = run("generate", "any", *how, "-o", "mine.jsonl")
    assert answer.returncode == 0, answer.stderr
    assert "16 texts" in answer.stderr
    assert "may be offensive" in answer.stderr
    expected = aslant.generate_texts(FakeWriter(), tmp_path / "bold", domains=["gender"], per_group=4, k=2, rng=3)
    assert (tmp_path / "mine.jsonl").read_text(encoding="utf-8") == expected.to_jsonl()
    assert run("generate", "any", *how, "--quiet", "-o", "-").stdout == expected.to_jsonl()
    quick = ["--chance", "20", "--bootstrap", "20"]
    shown = run("text-polarity", "mine.jsonl", *quick, "--json", "r.json", "--csv", "r.csv", "--chart", "r.svg")
    assert shown.returncode == 0, shown.stderr
    text = " ".join(shown.stdout.split())
    assert "columns read as text: 'continuation', group: 'group', prompt: 'prompt_id'" in text
    assert "Differences between groups, and to sources" in text
    content = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    result = aslant.text_polarity(aslant.load(), tmp_path / "mine.jsonl", chance=20, bootstrap=20)
    assert content == json.loads(result.to_json())
    rows = list(csv.DictReader((tmp_path / "r.csv").read_text(encoding="utf-8").splitlines()))
    assert [float(row["share"]) for row in rows] == [group.share for group in result.groups]
    assert (tmp_path / "r.svg").read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["generate", "--prompts", "no/where"], "there is no file 'no/where'"),
        (["generate", "--prompts", "p.csv", "-o", "p.csv"], "would be overwritten"),
        (["generate", "--prompts", "p.csv", "-o", "no/p.jsonl"], "there is no folder 'no'"),
        (["generate", "--prompts", "p.csv", "--top-p", "0"], "--top-p is 0.0"),
        (["text-polarity", "nowhere.csv"], "cannot open 'nowhere.csv'"),
        (["text-polarity", "p.csv", "--text", "body"], "has no column 'body'; it has prompt"),
        (["text-polarity", "p.csv", "--text", "prompt", "--scheme", "best"], "--scheme is 'best'"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(run: Run, tmp_path: Path, arguments: list[str], words: str) -> None:
    (tmp_path / "p.csv").write_text("prompt\nThe nurse\n", encoding="utf-8")
    answer = run(*arguments)
    assert answer.returncode == 2
    assert words in answer.stderr
    assert len(answer.stderr.strip().splitlines()) == 1
