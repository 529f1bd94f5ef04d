"""What else the page may ask: sets, files, completion, axes, neighbours, trends, kept results."""

from __future__ import annotations

import base64
import json
import re
import shlex
import warnings
import zipfile
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aslant
from aslant.cli.app import app
from aslant.cli.shared import Reading
from aslant.explore import answers, reading_files
from aslant.explore.asked import FileRequest
from aslant.explore.opened import Opened, open_models
from aslant.explore.reading_files import KNOWN
from aslant.stimuli import StimulusSet, load_set, names
from aslant.vectors import WordVectors
from exploring import GROUPS, MEN, TOKEN, WOMEN, Asker, sample

WORDS = ["nurse", "doctor", "engineer", "teacher", "soldier", "artist"]
X = {"name": "x", "first": ["she", "woman"], "second": ["he", "man"]}
Y = {"name": "y", "first": ["rich"], "second": ["poor"]}


@pytest.fixture(scope="module")
def asker() -> Asker:
    return Asker()


def test_about_says_what_there_is(asker: Asker) -> None:
    said = asker.client.get(f"/{TOKEN}/api/about").json()
    model = {"number": 0, "name": "sample", "kind": "vectors", "year": None, "words": 8_000, "dimensions": 100}
    assert said["models"] == [model]
    assert said["panels"] == ["bench", "axes", "enumeration"]
    assert str(Path.home()) not in str(said)


def test_every_set_that_is_offered_can_be_had_with_its_words(asker: Asker) -> None:
    offered = [found["id"] for found in asker.client.get(f"/{TOKEN}/api/about").json()["sets"]]
    assert {"weat-6", "first-names", "bold-professions"} <= set(offered)
    for name in offered:
        found = asker.ask("set", id=name)
        assert all(group["words"] for group in found["groups"])
        if name in names() and found["kind"] == "weat":
            assert [g["words"] for g in found["groups"]] == [list(g.words) for g in load_set(name).groups]
            assert [g["role"] for g in found["groups"]] == ["targets"] * 2 + ["attributes"] * 2


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "../sets/weat-6", "weat-6.toml", "seat/x.jsonl", "http://x", "weat-99"]
)
def test_no_path_is_a_set(asker: Asker, name: str) -> None:
    assert asker.post("set", {"id": name}).status_code == 400


def slow_completion(vectors: WordVectors, prefix: str, limit: int) -> list[str]:
    return [word for word in vectors.words if word.lower().startswith(prefix.lower())][:limit]


@pytest.mark.parametrize("prefix", ["nu", "NU", "t", "wo", "zzzz", "'", "1", "é"])
def test_completion_is_as_the_slow_obvious_version_says(asker: Asker, prefix: str) -> None:
    found = asker.ask("complete", model=0, prefix=prefix, limit=7)["words"]
    assert [entry["word"] for entry in found] == slow_completion(sample().static(), prefix, 7)
    assert all(sample().static().words[entry["rank"] - 1] == entry["word"] for entry in found)


def test_words_are_looked_up_with_rank_and_suggestions(asker: Asker) -> None:
    she, misspelt = asker.ask("words", model=0, words=["She", "terrribly"])["words"]
    assert (she["token"], she["rank"]) == ("she", sample().static().index["she"] + 1)
    assert (misspelt["token"], misspelt["rank"]) == (None, None)
    assert misspelt["suggestions"] == sample().static().similar_words("terrribly")


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def test_a_file_of_ones_own_is_read_and_what_was_guessed_is_said(asker: Asker) -> None:
    found = asker.ask("file", name="my ages.csv", content=encoded("group,word\nold,aged\nold,elderly\nyoung,teen\n"))
    assert [(g["name"], g["words"]) for g in found["groups"]] == [("old", ["aged", "elderly"]), ("young", ["teen"])]
    assert found["notes"] == ["my ages.csv: words in column 'word', groups in column 'group' ('old', 'young')."]
    own = asker.ask("file", name="a.toml", content=encoded('kind = "words"\nwords = ["tea", "milk"]'))
    assert own["groups"][0]["words"] == ["tea", "milk"]


@pytest.mark.parametrize("name", ["../../etc/passwd", "a.exe", "a", "..", "a.py", "x/../y.so"])
def test_only_lists_are_read_and_no_path_is_made_of_a_name(asker: Asker, name: str) -> None:
    assert f"give one of {', '.join(KNOWN)}" in asker.ask("file", name=name, content=encoded("a"))["incomplete"]


def test_a_file_name_with_folders_is_only_a_name(asker: Asker, tmp_path: Path) -> None:
    found = asker.ask("file", name=f"../..{tmp_path}/own.txt", content=encoded("tea\nmilk"))
    assert found["groups"][0]["words"] == ["tea", "milk"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "content"), [("a.toml", "kind = 1"), ("a.json", "{"), ("a.txt", ""), ("a.xlsx", "PK")]
)
def test_damaged_files_are_told_in_one_sentence_without_a_path(asker: Asker, name: str, content: str) -> None:
    said = asker.ask("file", name=name, content=encoded(content))["incomplete"]
    assert name in said
    assert "/tmp" not in said
    assert "own." not in said


def test_a_spreadsheet_that_unpacks_to_far_too_much_is_refused_before_it_is_read(asker: Asker) -> None:
    with zipfile.ZipFile(packed := BytesIO(), "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", bytes(40 << 20))
    content = base64.b64encode(packed.getvalue()).decode()
    assert "unpacks to 40 MB" in asker.ask("file", name="a.xlsx", content=content)["incomplete"]


def test_what_others_warn_of_meanwhile_is_not_said_of_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def reading(path: Path) -> StimulusSet:
        warnings.warn("a model that somebody else asks has few words", stacklevel=1)
        return load_set(path)

    monkeypatch.setattr(reading_files, "load_set", reading)
    found, said = reading_files.read_file(FileRequest(name="a.txt", content=encoded("tea\nmilk")))
    assert found.words == ("tea", "milk")
    assert len(said) == 1
    assert said[0].startswith("a.txt: ")


def test_words_that_do_not_stand_by_frequency_have_no_rank() -> None:
    listed = sorted(WORDS)
    vectors = WordVectors.from_arrays(listed, np.random.default_rng(0).normal(size=(len(listed), 5)))
    assert not vectors.by_frequency
    asker = Asker(replace(sample(), vectors=vectors))
    rows = [*asker.ask("words", model=0, words=listed)["words"], *asker.ask("complete", model=0, prefix="n")["words"]]
    near = asker.ask("neighbours", model=0, word="nurse", k=3)
    assert [row["rank"] for row in [*rows, *near["neighbours"]]] == [None] * (len(rows) + 3)
    assert "the 6 first words" in near["says"]


def test_no_word_that_may_offend_is_offered_for_a_missing_one(asker: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    def offered(word: str) -> list[str]:
        return list(asker.ask("words", model=0, words=[word])["words"][0]["suggestions"])

    assert "engineer" in offered("enginneer")
    monkeypatch.setattr(answers, "may_offend", lambda word: word == "engineer")
    assert "engineer" not in offered("enngineer")
    assert "engineer" in sample().static().similar_words("enngineer")


def test_words_whose_like_were_not_looked_for_are_not_said_to_have_none(asker: Asker) -> None:
    rows = asker.ask("words", model=0, words=[f"zqx{n}zqx" for n in range(10)])["words"]
    assert [row["suggestions"] is None for row in rows] == [False] * 8 + [True] * 2


def test_a_file_with_control_characters_is_refused(asker: Asker) -> None:
    said = asker.ask("file", name="a.csv", content=encoded("word\nte\x1b[2Ja\nmilk"))
    assert "control character" in said["incomplete"]


def test_content_that_is_not_base64_is_refused(asker: Asker) -> None:
    assert asker.post("file", {"name": "a.txt", "content": "ü!"}).status_code == 400


def test_axes_are_the_polarity_of_words_between_their_ends(asker: Asker) -> None:
    found = asker.ask("axes", model=0, x=X, y=Y, words=[*WORDS, "zzqqx"])
    x = aslant.polarity(sample().static(), {"she": X["first"], "he": X["second"]}, WORDS)
    assert [(p["word"], p["x"]) for p in found["points"]] == [(w.word, w.score) for w in x.by_word]
    assert found["notes"][-1] == "no vector for zzqqx"
    assert found["tries"]["count"] == 2
    assert {"brush", "search"} <= {param["name"] for param in found["chart"]["params"]}
    space: dict[str, Any] = {}
    exec(compile(found["code"]["python"].replace("print(result)", ""), "copied", "exec"), space)
    assert [w.score for w in space["result"].by_word] == [p["y"] for p in found["points"]]


def test_the_copied_commands_of_axes_give_the_same_numbers(asker: Asker, tmp_path: Path) -> None:
    found = asker.ask("axes", model=0, x=X, y=Y, words=WORDS)
    for axis, line in zip("xy", found["code"]["command"].splitlines(), strict=True):
        app([*shlex.split(line)[1:], "--quiet", "--json", str(tmp_path / "r.json")], standalone_mode=False)
        words = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["by_word"]
        assert [word["score"] for word in words] == [point[axis] for point in found["points"]]
    hard = asker.ask("axes", model=0, x={**X, "first": ["she", "a;b"]}, y=Y, words=WORDS)
    assert hard["code"]["command"] is None


@pytest.mark.parametrize(
    ("change", "said"),
    [({"x": {**X, "first": []}}, "each end"), ({"words": []}, "one word to place"), ({"words": ["zzqqx"]}, "none of"),
     ({"y": {**Y, "second": ["rich"]}}, "both ends")],
)  # fmt: skip
def test_axes_without_words_say_what_is_missing(asker: Asker, change: dict[str, Any], said: str) -> None:
    assert said in asker.ask("axes", **{"model": 0, "x": X, "y": Y, "words": WORDS, **change})["incomplete"]


def test_neighbours_are_the_nearest_by_cosine_but_not_the_word_itself(asker: Asker) -> None:
    vectors = sample().static()
    rows = vectors.matrix / (vectors.matrix**2).sum(axis=1, keepdims=True) ** 0.5
    own = vectors.index["nurse"]
    order = (-(rows @ rows[own])).argsort()
    expected = [vectors.words[row] for row in order.tolist() if row != own][:5]
    found = asker.ask("neighbours", model=0, word="Nurse", k=5)["neighbours"]
    assert [entry["word"] for entry in found] == expected
    assert "no vector" in asker.ask("neighbours", model=0, word="zzqqx")["incomplete"]


def test_a_trend_is_that_of_the_public_function() -> None:
    years = Asker(*open_models([f"{year}=sample" for year in (1900, 1950, 1990, 2000)], Reading(top=8_000)))
    asked = {"first": ["she"], "second": ["he"], "words": WORDS}
    found = years.ask("trend", **asked)
    vectors = sample().static()
    expected = aslant.trend(dict.fromkeys((1900, 1950, 1990, 2000), vectors), "polarity",
                            classes={"she": ["she"], "he": ["he"]}, words=WORDS)  # fmt: skip
    assert [row["c1"] for row in found["rows"]] == [f"{p.score:.3f}" for p in expected.points]
    space: dict[str, Any] = {}
    exec(compile(found["code"]["python"].replace("print(result)", ""), "copied", "exec"), space)
    assert [p.score for p in space["result"].points] == [p.score for p in expected.points]


def test_a_trend_needs_years(asker: Asker) -> None:
    assert "two years" in asker.ask("trend", first=["she"], second=["he"], words=WORDS)["incomplete"]


def test_kept_results_are_a_page_that_says_that_they_were_picked() -> None:
    asker = Asker()
    bench = {"panel": "weat", "model": 0, **GROUPS}
    asker.bench()
    asker.bench(alternative="greater")
    for _ in range(2):
        asker.ask("keep", api="bench", request={**bench, "draft": True})
    asker.ask("keep", api="axes", request={"model": 0, "x": X, "y": Y, "words": WORDS})
    kept = asker.ask("kept")["kept"]
    assert [entry["number"] for entry in kept] == [1, 2, 3, 4]
    assert asker.ask("kept/remove", number=2) == {"kept": 3}
    response = asker.client.get(f"/{TOKEN}/report.html?person=p")
    assert "2 questions were tried on the page, and what is below (3 results) was picked" in response.text
    assert response.text.count("<h2") >= 3
    assert not re.search(r'(src|href)="http', response.text)
    assert "script-src 'sha256-" in response.headers["content-security-policy"]
    assert "unsafe" not in response.headers["content-security-policy"]


def test_what_others_keep_and_what_nobody_kept_is_not_in_the_report() -> None:
    asker = Asker()
    asker.ask("keep", "somebody", api="bench", request={"panel": "weat", "model": 0, **GROUPS})
    assert asker.ask("kept")["kept"] == []
    assert "nothing was picked" in asker.client.get(f"/{TOKEN}/report.html?person=p").text


def test_hostile_names_are_escaped_in_the_report() -> None:
    asker, bad = Asker(), "<img src=x onerror=alert(1)>"
    groups = [{"name": bad, "words": [*MEN, "<b>"]}, {"name": "</script>", "words": WOMEN}]
    asker.ask("keep", api="bench", request={"panel": "weat", "model": 0, **GROUPS, "targets": groups})
    page = asker.client.get(f"/{TOKEN}/report.html?person=p").text
    assert bad not in page
    assert "<b>" not in page


def test_no_more_is_kept_than_a_report_has_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aslant.explore.visit.MOST_KEPT", 1)
    asker, asked = Asker(), {"api": "bench", "request": {"panel": "weat", "model": 0, **GROUPS}}
    asker.ask("keep", **asked)
    assert "room for 1" in asker.ask("keep", **asked)["incomplete"]


def test_whoever_has_not_asked_for_longest_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aslant.explore.visit.MOST_PEOPLE", 2)
    explorer = Asker().explorer
    for person in ("a", "b", "a", "c"):
        explorer.visit(person)
    assert list(explorer.visits) == ["a", "c"]


def test_an_encoder_is_refused_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"architectures": ["BertModel"]}', encoding="utf-8")
    with pytest.raises(aslant.AslantError, match="is an encoder"):
        open_models([str(tmp_path)], Reading())


def test_a_path_that_leads_nowhere_is_refused_at_once() -> None:
    with pytest.raises(aslant.AslantError, match=r"there is no folder '\./nowhere'"):
        open_models(["sample", "./nowhere"], Reading())


def test_a_language_model_is_not_opened_before_it_is_asked_and_has_no_words() -> None:
    found: tuple[Opened, ...] = open_models(["sample-mlm"], Reading())
    assert (found[0].kind, found[0].vectors) == ("language model", None)
    assert "choose an embedding" in Asker(*found).ask("words", model=0, words=["he"])["incomplete"]


def test_vectors_of_a_file_are_held_in_memory_and_are_the_same(tmp_path: Path) -> None:
    import numpy as np

    vectors = WordVectors.from_arrays([f"w{n}" for n in range(300)], np.random.default_rng(0).random((300, 20)))
    vectors.save(tmp_path / "v.safetensors")
    found = open_models([str(tmp_path / "v.safetensors")], Reading())[0].static()
    assert not isinstance(found.matrix, np.memmap)
    assert np.array_equal(found.matrix, vectors.matrix)
    assert found.fingerprint == vectors.fingerprint
