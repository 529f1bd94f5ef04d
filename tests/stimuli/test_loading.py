"""Stimulus files: found by name or path, checked, and refused with one sentence."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aslant.errors import StimuliError
from aslant.stimuli import (
    KINDS,
    WeatTemplateSet,
    bundled_names,
    kind_of,
    load_set,
    names,
    parse_set,
    read_set,
    suite_sets,
    text_of,
)

VALID = """
kind = "weat"
title = "t"
category = "gender"
language = "en"
licence = "own"
citation = "c"
[[targets]]
name = "x"
words = ["a", "b"]
[[targets]]
name = "y"
words = ["c"]
[[attributes]]
name = "p"
words = ["d"]
[[attributes]]
name = "q"
words = ["e"]
"""


@pytest.mark.parametrize("name", names())
def test_every_shipped_set_loads_and_says_where_it_is_from(name: str) -> None:
    found = load_set(name)
    assert found.id == name
    assert found.words
    assert found.citation
    assert found.licence
    assert found.title != name
    assert found.category != "own"
    assert found.language != "und"
    assert kind_of(found) in KINDS


@pytest.mark.parametrize("name", names())
def test_every_shipped_set_is_also_a_users_file(name: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text_of(name), encoding="utf-8")
    assert load_set(path).words == load_set(name).words


def test_names_come_in_natural_order() -> None:
    weats = [found.id for found in suite_sets()]
    assert weats == [f"weat-{i}" for i in range(1, 11)]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("kind", "kinder"), "kind = None is not one of"),
        (('kind = "weat"', 'kind = "tea"'), "kind = 'tea' is not one of"),
        (("[[targets]]", "[[target]]"), "target"),
        (('language = "en"', 'language = "English!"'), "language"),
        (('licence = "own"', 'license = "own"'), "license"),
        (('["a", "b"]', '["a", "a"]'), "lists 'a' twice"),
        (('["a", "b"]', '["a", ""]'), "words"),
        (('["a", "b"]', "[1, 2]"), "Expected `str`, got `int`"),
        (('["a", "b"]', "[]"), "has no words"),
        (('words = ["c"]', 'words = ["a"]'), "is in both sets"),
        (('name = "q"', 'name = "q"\nnmae = "z"'), "nmae"),
        (('words = ["e"]', 'words = ["e"'), "not a usable word set"),
    ],
)
def test_a_fault_is_named_in_one_sentence(change: tuple[str, str], words: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(VALID.replace(*change, 1), encoding="utf-8")
    with pytest.raises(StimuliError) as caught:
        read_set(path)
    message = str(caught.value)
    assert words in message
    assert str(path) in message
    assert "\n" not in message


def test_the_valid_file_of_these_tests_is_valid() -> None:
    assert parse_set(VALID, "mine").words == ("a", "b", "c", "d", "e")


def test_a_private_set_needs_neither_licence_nor_citation() -> None:
    bare = "\n".join(line for line in VALID.splitlines() if not line.startswith(("licence", "citation", "title")))
    found = parse_set(bare, "mine")
    assert (found.licence, found.citation, found.title) == ("", "", "mine")


def test_all_faults_of_a_file_are_named_at_once() -> None:
    text = VALID.replace('["a", "b"]', '["a", 3, "", "b"]').replace("title = ", "titel = ")
    text = text.replace('name = "q"', 'name = "q"\nnmae = "z"')
    with pytest.raises(StimuliError) as caught:
        parse_set(text, "mine")
    for word in ("titel", "got `int`", "length >= 1", "nmae"):
        assert word in str(caught.value)


def test_mistakes_of_different_kinds_do_not_hide_one_another() -> None:
    text = VALID.replace('language = "en"', "language = 3").replace('["a", "b"]', '["a", "a", 3, ""]')
    text = text.replace('words = ["c"]', 'words = ["c", "c", "d"]').replace('name = "q"\n', "")
    with pytest.raises(StimuliError) as caught:
        parse_set(text, "mine")
    for told in (
        "got `int` - at `$.language`", "`$.targets[0].words[2]`", "length >= 1", "'x' lists 'a' twice",
        "'y' lists 'c' twice", "missing required field `name` - at `$.attributes[1]`",
    ):  # fmt: skip
        assert str(caught.value).count(told) >= 1, told
    assert "word set: Expected" in str(caught.value)
    assert "list 5" not in str(caught.value)


def test_a_list_too_few_does_not_hide_what_is_wrong_with_the_others() -> None:
    text = 'kind = "weat"\n' + "".join(
        f'[[{s}]]\nname = "x"\nwords = {w}\n' for s, w in (("targets", []), ("attributes", 3))
    )
    with pytest.raises(StimuliError) as caught:
        parse_set(text, "mine")
    for told in ("got 1 - at `$.targets`", "got 1 - at `$.attributes`", "got `int`", "targets: 'x' has no words"):
        assert told in str(caught.value)
    assert "same words" not in str(caught.value)


def test_a_class_without_words_is_refused() -> None:
    with pytest.raises(StimuliError, match="'young' has no words"):
        parse_set(
            'kind = "classes"\nclasses = [{name = "old", words = ["aged"]}, {name = "young", words = []}]', "mine"
        )


def test_what_was_taken_out_is_not_called_missing() -> None:
    with pytest.raises(StimuliError) as caught:
        parse_set(VALID.replace('name = "x"', "name = 3"), "mine")
    assert "missing" not in str(caught.value)


def test_a_template_needs_both_slots_and_known_targets() -> None:
    text = text_of("career-family")
    with pytest.raises(StimuliError, match="exactly once"):
        parse_set(text.replace("[TARGET] likes", "He likes", 1), "x")
    with pytest.raises(StimuliError, match="must be words of"):
        parse_set(text.replace('[["he"], ["she"]]', '[["it"], ["she"]]', 1), "x")


def test_templates_of_weat_sets_need_both_slots_and_name_each_set_once() -> None:
    text = text_of("kurita-table-1")
    with pytest.raises(StimuliError, match="exactly once"):
        parse_set(text.replace("[TARGET] are", "They are", 1), "x")
    with pytest.raises(StimuliError, match="lists 'weat-3' twice"):
        parse_set(text.replace('"weat-1"', '"weat-3"', 1), "x")
    found = parse_set(text, "x")
    assert isinstance(found, WeatTemplateSet)
    assert found.templates_of("weat-2") == ()


def test_columns_and_rows_must_fit() -> None:
    text = text_of("occupations-share-of-women")
    assert load_set("occupations-share-of-women").column("share_women")["carpenter"] == 2  # type: ignore[attr-defined]
    with pytest.raises(StimuliError, match="row 1 is"):
        parse_set(text.replace('["carpenter", ', '["carpenter", "two", ', 1), "x")


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"kind = \x80"])
def test_bytes_that_are_not_utf8_are_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(content)
    with pytest.raises(StimuliError, match="not UTF-8"):
        read_set(path)


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StimuliError, match="cannot open"):
        read_set(tmp_path / "nowhere.toml")
    with pytest.raises(StimuliError, match="cannot open"):
        read_set(tmp_path)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=200), st.integers(0, len(VALID)))
def test_no_text_does_anything_but_load_or_raise_our_error(noise: str, place: int) -> None:
    with contextlib.suppress(StimuliError):
        parse_set(VALID[:place] + noise + VALID[place:], "fuzz")


def test_the_name_table_is_sorted_and_its_shares_are_shares() -> None:
    table = bundled_names().facts.values()
    assert [row.bearers for row in table] == sorted((row.bearers for row in table), reverse=True)
    assert all(0 <= row.share_female <= 1 and 1938 <= row.mean_birth_year <= 2017 for row in table)
    known = [row.share_by_race for row in table if row.share_by_race]
    assert len(known) > 3000
    assert all(abs(sum(shares.values()) - 1) < 0.01 for shares in known)
