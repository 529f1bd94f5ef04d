"""What a link, a second tab, a reload and a lost server do to the page; what is kept, and how tries are counted."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest

from explore_pages import Served, Visit, fact, settled, words_of

OWN = "#bench?x=old:elderly,retired,!pensioner&y=young:teenager,youth&a=calm:quiet,slow,calm&b=lively:loud,fast,lively"


def add(page: Any, box: str, word: str) -> None:
    field = page.get_by_role("combobox", name=f"Add a word to the {box}")
    field.fill(word)
    field.press("Enter")


def tries(page: Any, count: int) -> None:
    page.wait_for_function("(count) => document.querySelector('#tries b').textContent === count", arg=str(count))


def test_a_link_restores_every_word_and_setting_for_somebody_else(served: Served, visit: Visit) -> None:
    page = visit(served.address + OWN)
    settled(page)
    add(page, "first targets", "grandmother & co, größe")
    page.get_by_label("Direction").select_option("less")
    settled(page)
    page.get_by_role("button", name="Copy link").click()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == page.url
    assert "old:elderly,retired,!pensioner" in link  # which a person can read
    other = visit(link)
    settled(other)
    assert words_of(other, "First targets") == ["elderly", "retired", "pensioner", "grandmother & co", "größe"]
    assert other.locator(".chip.struck").all_inner_texts()[0].startswith("pensioner")
    assert other.get_by_label("Direction").input_value() == "less"
    assert fact(other, "Effect size") == fact(page, "Effect size")


def test_a_direction_of_a_set_does_not_outlast_a_reload_and_other_words(served: Served, visit: Visit) -> None:
    page = visit(served.address)
    settled(page)
    page.reload()
    settled(page)
    assert page.get_by_label("Direction").input_value() == "greater"
    add(page, "first targets", "Robert")
    assert page.get_by_label("Direction").input_value() == "two-sided"


def test_a_reload_keeps_all_panels_and_does_not_reset_the_tries(served: Served, visit: Visit) -> None:
    page = visit(served.address + OWN)
    settled(page)
    add(page, "first targets", "grandmother")
    settled(page)
    tries(page, 2)
    page.get_by_role("tab", name="Axes").click()
    settled(page, "axes")
    page.wait_for_function("() => Number(document.querySelector('#tries b').textContent) > 2")
    page.reload()
    settled(page, "axes")
    assert page.get_by_role("tab", name="Axes").get_attribute("aria-selected") == "true"
    assert int(page.locator("#tries b").inner_text()) > 2
    page.get_by_role("tab", name="Bench").click()
    settled(page)
    assert words_of(page, "First targets")[-1] == "grandmother"


def test_a_second_tab_counts_for_the_same_person_and_has_words_of_its_own(served: Served, visit: Visit) -> None:
    page = visit(served.address + OWN)
    settled(page)
    second = visit(served.address, context=page.context)
    settled(second)
    tries(second, 2)
    add(second, "first targets", "George")
    add(page, "first targets", "grandmother")
    settled(second)
    settled(page)
    assert words_of(page, "First targets")[-1] == "grandmother"
    assert words_of(second, "First targets")[-1] == "George"
    second.locator("#tries").click()
    rows = second.get_by_role("dialog").locator("tbody tr")
    rows.nth(3).wait_for()
    assert rows.count() == 4
    assert "corrected" in second.get_by_role("dialog").inner_text()


def test_back_and_forward_walk_through_the_panels(served: Served, visit: Visit) -> None:
    page = visit(served.address + OWN)
    settled(page)
    page.get_by_role("tab", name="Enumeration").click()
    assert "#enumeration" in page.url
    page.go_back()
    page.wait_for_function("() => location.hash.startsWith('#bench')")
    assert page.get_by_role("tab", name="Bench").get_attribute("aria-selected") == "true"
    assert words_of(page, "First targets")[0] == "elderly"


def test_kept_results_are_a_report_that_says_they_were_picked(served: Served, visit: Visit, tmp_path: Path) -> None:
    page = visit(served.address + OWN)
    settled(page)
    page.get_by_role("button", name="Add to report").click()
    page.wait_for_function("() => document.querySelector('#kept b').textContent === '1'")
    add(page, "first targets", "grandmother")
    settled(page)
    tries(page, 2)
    page.get_by_role("button", name="Add to report").click()
    page.wait_for_function("() => document.querySelector('#kept b').textContent === '2'")
    page.locator("#kept").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Remove").last.click()
    page.wait_for_function("() => document.querySelector('#kept b').textContent === '1'")
    with page.expect_popup() as popup:
        dialog.get_by_role("link", name="Open the report").click()
    report = popup.value
    report.wait_for_load_state()
    text = report.locator("body").inner_text()
    assert "2" in text
    assert "picked" in text or "chosen" in text
    assert "old" in text
    assert fact(page, "Effect size")


def test_a_server_that_is_gone_costs_nothing_and_is_found_again(browser: Any, visit: Visit, tmp_path: Path) -> None:
    server = Served(["sample", "--top", "8000"], tmp_path / "cache")
    try:
        page = visit(server.address, quiet=False)
        settled(page)
        server.stop(signal.SIGKILL)
        add(page, "first targets", "George")
        page.locator("#lost").get_by_text("does not answer").wait_for()
        assert words_of(page, "First targets")[-1] == "George"
        before = fact(page, "Effect size")  # what was there stays readable
        server.start()
        page.wait_for_selector("#lost", state="hidden")
        page.wait_for_function("(old) => document.querySelector('.facts b').textContent !== old", arg=before)
        assert words_of(page, "First targets")[-1] == "George"
    finally:
        server.stop()


def test_a_server_begun_anew_elsewhere_says_how_the_words_come_along(served: Served, visit: Visit) -> None:
    page = visit(served.address, quiet=False)
    settled(page)
    page.route("**/api/**", lambda route: route.fulfill(status=404, body="{}"))
    add(page, "first targets", "George")
    page.locator("#lost").get_by_text("restarted").wait_for()
    page.get_by_role("button", name="Copy the part behind #").click()
    assert "George" in page.evaluate("navigator.clipboard.readText()")


@pytest.mark.parametrize(
    "damaged", ["#nothing", "#bench?model=99", "#bench?x=%E0%A4%A", "#axes?p=&w=::,,!!,", "#bench?measure=constructor"]
)
def test_a_damaged_link_opens_a_page_that_works(served: Served, visit: Visit, damaged: str) -> None:
    page = visit(served.address + damaged)
    page.get_by_role("tab", name="Bench").click()
    page.get_by_label("Start from a set").select_option("weat-6")
    page.wait_for_function("() => document.querySelector('.box .name').value === 'Male names'")
    settled(page)
