"""The bench as a person uses it: words typed, dragged and struck out, and numbers that follow."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import aslant
from aslant.report.tables import pvalue, small
from explore_pages import Served, Visit, fact, settled, words_of

OWN = (
    "#bench?x=old:elderly,retired,pensioner&y=young:teenager,youth,student"
    "&a=calm:quiet,slow,calm&b=lively:loud,fast,lively"
)


@pytest.fixture
def page(served: Served, visit: Visit) -> Any:
    opened = visit(served.address)
    settled(opened)
    return opened


def box(page: Any, name: str) -> Any:
    return page.get_by_role("group", name=name, exact=True)


def chip(page: Any, word: str) -> Any:
    return page.locator(f'.chip[data-word="{word}"]')


def test_it_opens_on_a_published_test_with_the_numbers_of_the_public_function(page: Any) -> None:
    result = aslant.weat(aslant.load(), "weat-6")
    assert "Male names with Career" in settled(page)
    assert "random word sets" in settled(page)
    assert fact(page, "Effect size") == small(result.effect_size)
    assert fact(page, "p") == pvalue(result.pvalue)
    assert result.chance is not None
    assert small(result.chance.low) in fact(page, "Chance")
    assert "first try" in page.locator(".tries").inner_text()
    assert page.locator("#tries b").inner_text() == "1"
    assert words_of(page, "First targets")[:2] == ["John", "Paul"]
    assert "frequency rank 267 of 44,437" in chip(page, "John").locator(".word").text_content()


def test_a_typed_word_is_completed_and_changes_the_numbers(page: Any) -> None:
    before = fact(page, "Effect size")
    field = page.get_by_role("combobox", name="Add a word to the first attributes")
    field.press_sequentially("engin")
    first = page.locator(".completions [role=option]:visible").first
    first.wait_for()
    options = page.locator(".completions [role=option]:visible").all_inner_texts()
    assert all(option.startswith("engin") for option in options)
    assert len(options) > 2
    field.press("ArrowDown")
    assert first.get_attribute("aria-selected") == "true"
    assert field.get_attribute("aria-activedescendant") == first.get_attribute("id")
    field.press("Enter")
    added = words_of(page, "First attributes")[-1]
    assert added.startswith("engin")
    page.wait_for_function("(old) => document.querySelector('.facts b').textContent !== old", arg=before)
    settled(page)
    page.wait_for_function("() => document.querySelector('#tries b').textContent === '2'")
    assert "tried 2 questions" in page.locator(".tries").inner_text()
    assert page.get_by_label("Direction").input_value() == "two-sided"  # the set stated one for its own words only


def test_a_struck_word_stays_but_does_not_count_and_comes_back_by_one_click(page: Any) -> None:
    chip(page, "John").locator(".word").click()
    assert chip(page, "John").locator(".word").get_attribute("aria-pressed") == "true"
    v, without = aslant.load(), aslant.stimuli.load_set("weat-6")
    sets = {group.name: list(group.words) for group in without.groups}
    sets["Male names"].remove("John")
    names = list(sets)
    expected = aslant.weat(
        v, targets={n: sets[n] for n in names[:2]}, attributes={n: sets[n] for n in names[2:]}, alternative="greater"
    )
    page.wait_for_function(
        "(d) => document.querySelector('.facts b').textContent === d", arg=small(expected.effect_size)
    )
    assert "!John" in page.url
    chip(page, "John").locator(".word").click()
    assert chip(page, "John").locator(".word").get_attribute("aria-pressed") == "false"
    settled(page)
    assert page.locator("#tries b").inner_text() in "12"  # the first question again is no new try


def test_words_are_dragged_and_moved_between_boxes_and_undo_brings_them_back(page: Any) -> None:
    chip(page, "John").drag_to(box(page, "Second targets"))
    assert "John" in words_of(page, "Second targets")
    assert "John" not in words_of(page, "First targets")
    chip(page, "Paul").get_by_role("button", name="More for Paul").click()
    page.get_by_role("menuitem", name="Move to the second targets").click()
    assert words_of(page, "Second targets")[-2:] == ["John", "Paul"]
    page.get_by_role("button", name="Undo").click()
    page.keyboard.press("Control+z")
    assert words_of(page, "First targets")[:2] == ["John", "Paul"]
    settled(page)


def test_a_missing_word_is_marked_and_a_suggestion_takes_its_place(page: Any) -> None:
    field = page.get_by_role("combobox", name="Add a word to the first attributes")
    field.fill("managment")
    field.press("Enter")
    chip(page, "managment").get_by_text("missing").wait_for()
    suggestion = page.get_by_role("button", name="Put management in place of managment")
    field.fill("busines")
    field.press("Enter")
    page.get_by_role("button", name="Put business in place of busines").wait_for()
    suggestion.click()
    assert "managment" not in words_of(page, "First attributes")
    settled(page)


def test_words_that_come_while_others_are_looked_up_are_looked_up_too(page: Any) -> None:
    asked: list[str] = []

    def late(route: Any) -> None:
        asked.append(route.request.post_data)
        if len(asked) == 1:  # while the first waits, another word is typed
            field.fill("teacher")
            field.press("Enter")
            chip(page, "teacher").wait_for()
            assert len(asked) == 1
        route.continue_()

    page.route("**/api/words", late)
    field = box(page, "First targets").locator(".type")
    field.fill("doctor")
    field.press("Enter")
    for word in ("doctor", "teacher"):
        chip(page, word).locator("small").wait_for()
    assert len(asked) == 2


def test_pasted_lists_are_words_and_a_word_counts_once(page: Any) -> None:
    field = page.get_by_role("combobox", name="Add a word to the first attributes")
    field.fill("salary, wage, profit,")
    assert words_of(page, "First attributes")[-2:] == ["wage", "profit"]
    assert words_of(page, "First attributes").count("salary") == 1
    assert "salary: already in this box" in page.locator("#said").inner_text()
    settled(page)


def test_boxes_are_filled_from_sets_and_from_a_file(page: Any, tmp_path: Path) -> None:
    page.get_by_label("Start from a set").select_option("weat-7")
    page.wait_for_function("() => document.querySelector('.box .name').value.startsWith('Math')")
    assert "math" in words_of(page, "First targets")
    page.get_by_role("button", name="Fill the second attributes").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("combobox", name="Set").select_option("weat-6")
    dialog.get_by_role("button", name="Put in Family").click()
    assert "cousins" in words_of(page, "Second attributes")
    path = tmp_path / "own.csv"
    groups = {"old": "elderly retired", "young": "teenager student", "calm": "quiet slow", "lively": "loud fast"}
    rows = [f"{group},{word}" for group, words in groups.items() for word in words.split()]
    path.write_text("group,word\n" + "\n".join(rows) + "\n")
    with page.expect_file_chooser() as chooser:
        page.get_by_text("Read a file …").first.click()
    chooser.value.set_files(path)
    page.wait_for_function("() => document.querySelector('.box .name').value === 'old'")
    assert words_of(page, "First targets") == ["elderly", "retired"]
    assert words_of(page, "Second attributes") == ["loud", "fast"]
    settled(page)


def test_a_file_that_cannot_be_read_is_one_sentence_and_changes_nothing(page: Any, tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text("this is = not [toml")
    with page.expect_file_chooser() as chooser:
        page.get_by_text("Read a file …").first.click()
    chooser.value.set_files(path)
    page.locator("#panel-bench .left > [role=status]", has_text="own.toml").wait_for()
    assert words_of(page, "First targets")[0] == "John"


def test_an_empty_box_says_what_is_needed_and_has_no_name(page: Any) -> None:
    page.get_by_role("button", name="Clear the first targets").click()
    assert page.get_by_label("Name of the first targets").input_value() == ""
    page.wait_for_function("() => document.querySelector('.says').textContent.includes('at least one word')")
    assert page.locator("#panel-bench .facts").count() == 0


@pytest.mark.parametrize("measure", ["RND", "WEFAT", "Polarity"])
def test_the_other_measures_answer_with_chance(served: Served, visit: Visit, measure: str) -> None:
    lists = "&w=words:nurse,engineer,teacher,carpenter&c1=female:she,woman&c2=male:he,man"
    page = visit(served.address + OWN + lists + f"&measure={measure.lower()}")
    assert settled(page)
    assert page.get_by_role("radio", name=measure).is_checked()
    assert "andom" in page.locator("#panel-bench .answer").inner_text()
    page.locator("#panel-bench summary", has_text="The numbers").click()
    assert page.locator("#panel-bench .answer tbody tr").count() > 0


def test_classes_are_added_and_removed(served: Served, visit: Visit) -> None:
    page = visit(served.address + "#bench?measure=polarity&c1=female:she&c2=male:he&w=jobs:nurse,engineer,teacher")
    settled(page)
    page.get_by_role("button", name="Add a class").click()
    field = page.get_by_role("combobox", name="Add a word to the class 3")
    field.fill("child")
    field.press("Enter")
    settled(page)
    assert page.get_by_label("Scheme").input_value() == "one-vs-rest"
    page.get_by_role("button", name="Remove the class 1").click()
    assert words_of(page, "Class 1") == ["he"]
    settled(page)


def test_copied_python_and_command_give_the_number_of_the_page(served: Served, visit: Visit, tmp_path: Path) -> None:
    page = visit(served.address + OWN)
    settled(page)
    shown = fact(page, "Effect size")
    page.wait_for_selector("[data-code=python]")
    copied = {}
    for kind in ("python", "command", "toml"):
        page.locator(f"[data-code={kind}]").click()
        page.wait_for_function("() => document.getElementById('said').textContent === 'Copied.'")
        assert page.locator(".notice").inner_text() == "Copied."
        copied[kind] = page.evaluate("navigator.clipboard.readText()")
        page.evaluate("document.getElementById('said').textContent = ''")
    (tmp_path / "copied.py").write_text(copied["python"] + "\nprint('d =', result.effect_size)\n")
    run = subprocess.run([sys.executable, "copied.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    found = re.search(r"d = (\S+)", run.stdout)
    assert found is not None
    assert small(float(found[1])) == shown
    assert "aslant weat" in copied["command"]
    assert "elderly" in copied["toml"]


def test_two_models_stand_side_by_side(served: Served, visit: Visit) -> None:
    page = visit(served.address + OWN)
    settled(page)
    page.get_by_label("Compare with").select_option(index=4)
    page.get_by_role("heading", name="Compared with").wait_for()
    settled(page)
    assert page.locator(".second .facts").count() >= 1
    assert "compare=3" in page.url


def test_single_words_of_two_models_are_said_without_leftovers(served: Served, visit: Visit) -> None:
    page = visit(served.address + OWN + "&w=words:nurse,engineer,teacher,carpenter&measure=wefat&compare=3")
    page.get_by_role("heading", name="Compared with").wait_for()
    settled(page)
    assert page.locator(".second").inner_text().endswith(".")
    page.locator("#panel-bench summary", has_text="How to read it").click()
    assert page.locator("#panel-bench .notes li").first.inner_text().startswith("d > 0")
    a, b = (page.get_by_role("group", name=f"{name} attributes").bounding_box() for name in ("First", "Second"))
    assert a["y"] == b["y"]


def test_a_model_is_not_offered_to_be_compared_with_itself(served: Served, visit: Visit) -> None:
    page = visit(served.address + OWN)
    settled(page)
    offered = page.get_by_label("Compare with").locator("option")
    disabled = "(all) => all.map((one) => one.disabled)"
    assert offered.evaluate_all(disabled) == [False, True, False, False, False]
    page.get_by_role("combobox", name="Model", exact=True).select_option(index=2)
    settled(page)
    assert offered.evaluate_all(disabled) == [False, False, False, True, False]


def test_neighbours_of_a_word_show_from_its_menu(page: Any) -> None:
    chip(page, "salary").get_by_role("button", name="More for salary").click()
    page.get_by_role("menuitem", name="Nearest words").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("row").nth(3).wait_for()
    assert (
        dialog.get_by_role("button", name="pay", exact=True).or_(dialog.get_by_role("button", name="salaries")).count()
    )
    page.keyboard.press("Escape")
    assert page.get_by_role("dialog").count() == 0
