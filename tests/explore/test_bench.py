"""The bench gives the numbers of the public functions, and what is copied from it gives them again."""

from __future__ import annotations

import json
import shlex
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aslant
from aslant import WordVectors
from aslant.cli.app import app
from aslant.explore import bench
from aslant.explore.asked import BenchRequest, Group
from aslant.report.tables import small
from exploring import CAREER, GROUPS, HOME, MEN, WOMEN, Asker, sample

WORDS = ["nurse", "doctor", "engineer", "teacher", "soldier", "artist"]
CLASSES = [{"name": "she", "words": ["she"]}, {"name": "he", "words": ["he"]}]
TARGETS, ATTRIBUTES = {"men": MEN, "women": WOMEN}, {"career": CAREER, "home": HOME}
ASKED: dict[str, dict[str, Any]] = {
    "weat": GROUPS, "rnd": GROUPS, "wefat": {"words": WORDS, "attributes": GROUPS["attributes"]},
    "polarity": {"words": WORDS, "classes": CLASSES},
}  # fmt: skip


@pytest.fixture(scope="module")
def asker() -> Asker:
    return Asker()


def expected(panel: str) -> Any:
    vectors = sample().static()
    if panel == "weat":
        return aslant.weat(vectors, targets=TARGETS, attributes=ATTRIBUTES, alternative="two-sided")
    if panel == "rnd":
        return aslant.relative_norm(vectors, targets=TARGETS, attributes=ATTRIBUTES)
    if panel == "wefat":
        return aslant.wefat(vectors, WORDS, attributes=ATTRIBUTES)
    return aslant.polarity(vectors, ["she", "he"], WORDS)


def question(panel: str) -> bench.Question:
    groups = {name: [Group(**g) for g in given] for name, given in ASKED[panel].items() if name != "words"}
    made: Any = BenchRequest(panel=panel, model=0, words=ASKED[panel].get("words", []), **groups)  # type: ignore[arg-type]
    return bench.question_of(made)


def numbers(result: Any) -> dict[str, Any]:
    """Return a result without what says how it was asked for."""
    content = json.loads(json.dumps(result.to_dict()))
    for name in ("provenance", "test", "title", "category"):
        content.pop(name, None)
    return content


@pytest.mark.parametrize("panel", ASKED)
def test_the_numbers_are_those_of_the_public_function(panel: str) -> None:
    assert numbers(question(panel).result(sample())) == numbers(expected(panel))


@pytest.mark.parametrize("panel", ASKED)
def test_the_page_gets_words_facts_a_chart_and_tries(asker: Asker, panel: str) -> None:
    said = asker.bench(panel, **{"targets": [], "attributes": [], **ASKED[panel]})
    assert said["says"].endswith(".")
    assert all(isinstance(text, str) for fact in said["facts"] for text in fact.values())
    assert {row["word"] for row in said["rows"]} <= {*MEN, *WOMEN, *WORDS, *CAREER, *HOME}
    assert said["chart"]["$schema"].startswith("https://vega.github.io/schema/vega-lite")
    assert said["tries"]["count"] >= 1
    assert not said["draft"]


def test_own_test_and_chance_are_both_said(asker: Asker) -> None:
    said, result = asker.bench(), expected("weat")
    facts = {fact["label"]: fact for fact in said["facts"]}
    assert facts["p"]["value"] == f"{result.pvalue:.3f}"
    assert "exact" in facts["p"]["means"]
    assert facts["Chance"]["means"].endswith(
        f"p (chance) = {result.chance.pvalue:.3f}, the share of them as far from 0"
    )
    assert "random word sets of the same frequency" in said["says"].lower()


@pytest.mark.parametrize("panel", ASKED)
def test_copied_python_gives_the_same_numbers(panel: str) -> None:
    code = bench.code_of(sample(), question(panel))["python"]
    assert code is not None
    space: dict[str, Any] = {}
    exec(compile(code.replace("print(result)", ""), "copied", "exec"), space)
    assert numbers(space["result"]) == numbers(expected(panel))


@pytest.mark.parametrize("panel", ASKED)
def test_the_copied_command_gives_the_same_numbers(panel: str, tmp_path: Path) -> None:
    command = bench.code_of(sample(), question(panel))["command"]
    assert command is not None
    words = shlex.split(command)
    assert words[0] == "aslant"
    app([*words[1:], "--quiet", "--json", str(tmp_path / "r.json")], standalone_mode=False)
    content = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    found = numbers(aslant.read_result(tmp_path / "r.json")) if panel == "weat" else content
    for name, value in numbers(expected(panel)).items():
        if name in ("effect_size", "value", "score", "pvalue", "chance", "words", "by_word"):
            assert found[name] == value


@pytest.mark.parametrize(
    ("panel", "men", "attributes"),
    [("rnd", MEN, GROUPS["attributes"][:1]), ("weat", [MEN[0], "zzqqx", "zzqqy", "zzqqz"], GROUPS["attributes"])],
    ids=["one attribute set", "few words found"],
)
def test_the_command_takes_what_the_page_takes(panel: Any, men: list[str], attributes: Any, tmp_path: Path) -> None:
    targets = [Group("men", men), Group("women", WOMEN)]
    asked = BenchRequest(panel=panel, model=0, targets=targets, attributes=[Group(**g) for g in attributes])
    command = shlex.split(str(bench.code_of(sample(), bench.question_of(asked))["command"]))
    app([*command[1:], "--quiet", "--json", str(tmp_path / "r.json")], standalone_mode=False)
    found = aslant.read_result(tmp_path / "r.json")
    assert numbers(found) == numbers(bench.question_of(asked).result(sample()))


@pytest.mark.parametrize("panel", ["weat", "rnd"])
def test_copied_toml_gives_the_same_numbers(panel: str, tmp_path: Path) -> None:
    toml = bench.code_of(sample(), question(panel))["toml"]
    assert toml is not None
    (tmp_path / "own.toml").write_text(toml, encoding="utf-8")
    measure = aslant.weat if panel == "weat" else aslant.relative_norm
    assert numbers(measure(sample().static(), tmp_path / "own.toml")) == numbers(expected(panel))


@pytest.mark.parametrize(
    ("name", "given"), [("women", "'women: she,"), ("she, her", "'she, her: she,"), ("a; b", "own.toml")]
)
def test_classes_of_several_words_are_copied_in_the_command_or_as_a_file(asker: Asker, name: str, given: str) -> None:
    several = [{"name": name, "words": WOMEN}, {"name": "men", "words": MEN}]
    code = asker.bench("polarity", classes=several, words=WORDS)["code"]
    assert f"--classes {given}" in code["command"]
    assert [c["words"] for c in tomllib.loads(code["toml"])["classes"]] == [WOMEN, MEN]


HOSTILE = ["a'b", 'c"d', "$(reboot)", "`id`", "\\", "e;f", "--help", "{g}", "\u202eh"]


def test_hostile_words_are_quoted_in_what_is_copied() -> None:
    asked = BenchRequest(panel="weat", model=0, targets=[Group("x'; rm -rf /", [*MEN, *HOSTILE]), Group("y", WOMEN)],
                         attributes=[Group("a", CAREER), Group("b", HOME)])  # fmt: skip
    code = bench.code_of(sample(), bench.question_of(asked))
    space: dict[str, Any] = {}
    exec(compile(str(code["python"]).replace("print(result)", ""), "copied", "exec"), space)
    used = space["result"].targets[0]
    assert {*used.used, *used.missing} == {*MEN, *HOSTILE}
    listed = shlex.split(str(code["command"]))
    assert listed[listed.index("--targets") + 1] == "x'; rm -rf /: " + ",".join([*MEN, *HOSTILE])
    assert tomllib.loads(str(code["toml"]))["targets"][0]["words"] == [*MEN, *HOSTILE]


def test_words_with_commas_are_copied_as_a_file() -> None:
    asked = BenchRequest(panel="weat", model=0, targets=[Group("x", ["a, b"]), Group("y", WOMEN)],
                         attributes=[Group("a", CAREER), Group("b", HOME)])  # fmt: skip
    assert "--words own.toml" in str(bench.code_of(sample(), bench.question_of(asked))["command"])


def test_a_draft_of_many_words_has_a_bracket_that_holds_the_exact_p() -> None:
    words = [sample().static().words[int(row)] for row in sample().static().plain_words[0][100:200]]
    groups = [Group(str(n), words[25 * n : 25 * n + 25]) for n in range(4)]
    asked = BenchRequest(panel="weat", model=0, targets=groups[:2], attributes=groups[2:], draft=True)
    draft = bench.question_of(asked)
    asked.draft = False
    rough, exact = draft.result(sample()), bench.question_of(asked).result(sample())
    assert rough.pvalue_method == "dynamic programming"
    low, high = rough.pvalue_bounds
    assert low <= exact.pvalue <= high <= 1.02 * low
    assert rough.effect_size == exact.effect_size
    assert bench.BRACKET in bench.answer(sample(), draft)[1]["notes"]


def test_a_draft_of_few_words_has_the_exact_p_with_fewer_draws_and_says_so(asker: Asker) -> None:
    draft, settled = asker.bench(draft=True), asker.bench()
    values = [{fact["label"]: fact for fact in said["facts"]} for said in (draft, settled)]
    for label in ("Effect size d", "p", "Leaving one word out"):
        assert values[0][label] == values[1][label]
    assert "500 random word sets" in values[0]["Chance"]["means"]
    assert "2,000 random word sets" in values[1]["Chance"]["means"]
    assert bench.DRAFT in draft["notes"]
    assert bench.DRAFT not in settled["notes"]


@pytest.mark.parametrize(
    ("change", "said"),
    [({"targets": []}, "targets"), ({"targets": [GROUPS["targets"][0], {"name": "women", "words": []}]}, "'women'"),
     ({"attributes": []}, "attributes"), ({"panel": "polarity", "words": WORDS}, "classes"),
     ({"panel": "polarity", "classes": CLASSES}, "one word"), ({"panel": "wefat"}, "one word"),
     ({"targets": [{"name": "a", "words": ["zzqqx"]}, {"name": "b", "words": ["he"]}]}, "zzqqx"),
     ({"targets": [{"name": "a", "words": ["he"]}, {"name": "b", "words": ["He"]}]}, "only one of the two"),
     ({"panel": "polarity", "words": WORDS, "classes": [*CLASSES, {"name": "it", "words": ["it"]}]}, "exactly two")],
)  # fmt: skip
def test_what_cannot_be_computed_yet_is_one_sentence(asker: Asker, change: dict[str, Any], said: str) -> None:
    found = asker.bench(**change)
    assert list(found) == ["incomplete"]
    assert said in found["incomplete"]


@pytest.mark.parametrize("panel", ASKED)
def test_two_models_are_copied_together_with_their_difference(panel: str, tmp_path: Path) -> None:
    from aslant.cli.shared import Reading
    from aslant.explore.opened import open_models

    models = open_models([str(tmp_path / name) for name in noisy(tmp_path)], Reading())
    code = bench.code_of(models[0], question(panel), models[1])
    printed: list[Any] = []
    exec(compile(str(code["python"]), "copied", "exec"), {"print": printed.append})
    shown = [question(panel).result(model) for model in models]
    assert [numbers(result) for result in printed[:2]] == [numbers(result) for result in shown]
    commands = str(code["command"]).splitlines()
    assert [Path(shlex.split(line)[2]).name for line in commands[:2]] == ["one.txt", "two.txt"]
    said, _ = bench.difference(models[0], models[1], question(panel))
    assert (len(printed), len(commands)) == ((3, 3) if said else (2, 2))
    if not said:
        return
    app([*shlex.split(commands[2])[1:], "--quiet", "--json", str(tmp_path / "r.json")], standalone_mode=False)
    for result in (printed[2], aslant.read_result(tmp_path / "r.json")):
        found = result.weat[0].difference if panel == "weat" else result.differences[0]
        assert said["facts"][0]["value"] == small(found.difference) != "0.000"


def noisy(folder: Path) -> list[str]:
    """Write two embeddings of the words of the bench, and return their names."""
    words = [*MEN, *WOMEN, *CAREER, *HOME, *WORDS, *sample().static().words[:300]]
    words = list(dict.fromkeys(words))
    for seed, name in enumerate(("one.txt", "two.txt")):
        noise = np.random.default_rng(seed).normal(size=(len(words), 100))
        WordVectors.from_arrays(words, sample().static().lookup(words).vectors + noise).save(folder / name)
    return ["one.txt", "two.txt"]


def test_sets_of_one_name_stay_apart(asker: Asker) -> None:
    same = [{"name": "x", "words": MEN}, {"name": "x", "words": WOMEN}]
    assert {row["c1"] for row in asker.bench(targets=same)["rows"]} == {"x", "x (2)"}


def test_a_second_model_is_asked_the_same_with_the_difference_and_its_interval() -> None:
    from aslant.cli.shared import Reading
    from aslant.explore.opened import open_models

    both = Asker(*open_models(["sample", "sample"], Reading(top=8_000)))
    said = both.bench(compare=1)
    assert [fact["value"] for fact in said["other"]["facts"]] == [fact["value"] for fact in said["facts"]]
    assert said["other"]["difference"]["facts"][0]["value"] == "0.000"
    assert [part["tries"]["count"] for part in (said, said["other"])] == [2, 2]
    assert "difference" not in both.bench(compare=1, draft=True)["other"]
    said = both.bench("polarity", compare=1, words=WORDS, classes=CLASSES)
    assert said["other"]["difference"]["facts"][-1]["label"] == "p"
    assert "corrected for all tries" in said["other"]["difference"]["tries"]["this"]
    assert said["tries"]["count"] == 2 + 3  # a p that is shown is counted: both models' and that of their difference
    last = both.ask("tries")["tries"][-1]
    assert last["question"].startswith("difference of two models, polarity")
    assert last["pvalue"] == said["other"]["difference"]["facts"][-1]["value"]
