"""Axes, enumeration, templates and pairs, each used once as a person does."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

from explore_pages import PATIENCE, Served, Visit, settled

#: A search makes the other words of the chart pale.
PALE = """() => [...document.querySelectorAll('#panel-axes .plot .mark-text text')]
  .filter((text) => Number(text.getAttribute('opacity') ?? text.style.opacity) < 0.5).length > 20"""


def test_words_are_placed_between_axes_and_brushed_searched_and_looked_at(served: Served, visit: Visit) -> None:
    page = visit(served.address)
    page.get_by_role("tab", name="Axes").click()
    assert "random axes" in settled(page, "axes")
    plot = page.locator("#panel-axes .plot svg")
    plot.wait_for()
    page.wait_for_selector("#panel-axes [data-code=python]")
    plot.scroll_into_view_if_needed()
    at = plot.bounding_box()
    page.mouse.move(at["x"] + at["width"] * 0.3, at["y"] + at["height"] * 0.2)
    page.mouse.down()
    page.mouse.move(at["x"] + at["width"] * 0.9, at["y"] + at["height"] * 0.9, steps=8)
    page.mouse.up()
    page.locator(".brushed h3").wait_for()
    inside = page.locator(".brushed li").all_inner_texts()
    assert 1 < len(inside) < 39
    page.locator(".brushed li button").first.click()
    page.get_by_role("dialog").get_by_role("row").nth(2).wait_for()
    page.keyboard.press("Escape")
    page.get_by_label("Search the chart").fill("nurse")
    page.wait_for_function(PALE)
    page.get_by_role("button", name="Place only these").click()
    assert page.locator("#panel-axes .chip.struck").count() == 40 - len(inside)
    settled(page, "axes")
    page.locator("#panel-axes summary", has_text="The numbers").click()
    assert page.locator("#panel-axes .answer tbody tr").count() == len(inside)


def test_an_axis_is_followed_over_the_years(served: Served, visit: Visit) -> None:
    page = visit(
        served.address
        + "#axes?p=she:she,her&q=he:he,his&r=work:office,salary&s=home:home,family&w=jobs:doctor,teacher,lawyer,nurse"
    )
    settled(page, "axes")
    page.get_by_role("button", name="Follow the horizontal axis over the years").click()
    page.locator("#panel-axes .answer").nth(1).get_by_text("1900").first.wait_for()
    page.locator("#panel-axes .answer").nth(1).locator("svg").wait_for()


def test_an_enumeration_is_walked_through_and_offensive_words_are_covered(served: Served, visit: Visit) -> None:
    page = visit(served.address + "#enumeration?groups=6&categories=16&words=5000&rotations=500")
    assert page.locator("#panel-enumeration .note").is_visible()
    page.get_by_role("button", name="Enumerate").click()
    page.wait_for_selector(".cells .found", timeout=3 * PATIENCE)
    assert "random words" in settled(page, "enumeration")
    page.get_by_label(re.compile("in which nothing stands out")).check()
    assert page.locator(".cells tbody tr:visible").count() == 16
    for cell in page.locator(".cells button").all():
        cell.click()
        if unseen(page):
            break
    assert unseen(page) > 0
    page.get_by_label("Show words that may offend").first.check()
    assert unseen(page) == 0
    cell = page.locator(".cells .found").first
    cell.click()
    detail = page.get_by_role("region", name="The chosen cell")
    assert "Names of the group" in detail.inner_text()
    assert "p (chance)" in detail.inner_text()
    cell = page.locator(".cells button.chosen")
    at = cell.get_attribute("data-at")
    cell.focus()
    page.keyboard.press("ArrowDown")
    here = page.evaluate("() => document.activeElement.dataset.at")
    assert here != at
    page.keyboard.press("Enter")
    assert page.locator(".cells button.chosen").get_attribute("data-at") == here


def unseen(page: Any) -> int:
    return int(page.locator("#panel-enumeration .covered").count())


def test_a_long_job_can_be_stopped(served: Served, visit: Visit) -> None:
    page = visit(served.address + "#enumeration?rotations=50000")
    page.get_by_role("button", name="Enumerate").click()
    page.get_by_role("button", name="Stop").click()
    page.locator("#panel-enumeration .says", has_text="Stopped").wait_for()
    assert page.get_by_role("button", name="Enumerate").is_visible()


def test_templates_are_scored_batch_by_batch(served: Served, visit: Visit) -> None:
    page = visit(served.address)
    page.get_by_role("tab", name="Templates").click()
    page.get_by_role("button", name="Clear the first targets").click()
    page.get_by_role("button", name="Score", exact=True).click()
    page.locator("#panel-templates .says", has_text="at least one word").wait_for()
    templates = page.get_by_label("Templates, one a line")
    templates.fill("He works as a [ATTRIBUTE].")
    field = page.get_by_role("combobox", name="Add a word to the first targets")
    field.fill("he")
    field.press("Enter")
    page.get_by_role("button", name="Score", exact=True).click()
    page.locator("#panel-templates .says", has_text="must contain [TARGET] exactly once").wait_for(timeout=3 * PATIENCE)
    templates.fill("[TARGET] works as a [ATTRIBUTE].")
    templates.press("Control+Enter")
    page.wait_for_selector("#panel-templates .facts", timeout=3 * PATIENCE)
    assert "he" in settled(page, "templates")
    assert "Chance" in page.locator("#panel-templates .facts").inner_text()
    page.locator("#panel-templates summary", has_text="The numbers").click()
    assert page.locator("#panel-templates tbody tr").count() == 8
    assert "works%20as" in page.url


def test_pairs_that_are_not_on_the_machine_are_named_with_the_command(served: Served, visit: Visit) -> None:
    page = visit(served.address + "#pairs")
    page.locator("#panel-pairs .says", has_text="aslant data get crows-pairs").wait_for()


def test_pairs_of_sentences_show_by_category(browser: Any, visit: Visit, real_data: Path, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    shutil.copytree(real_data / "crows_pairs", tmp_path / "data" / "crows-pairs")
    server = Served(["sample-mlm"], tmp_path / "cache", tmp_path / "data")
    try:
        page = visit(server.address + "#pairs?sample=12&twins=1")
        page.get_by_role("button", name="Score the pairs").click()
        page.wait_for_selector(".sentences summary", timeout=3 * PATIENCE)
        assert "more probable" in settled(page, "pairs")
        page.locator(".sentences summary").first.click()
        assert page.locator(".sentences tbody tr").count() == 0  # they are read by those who ask for them
        page.locator(".sentences details button").first.click()
        assert page.locator(".sentences tbody tr").count() > 0
        page.get_by_role("tab", name="Bench").click()
        assert "none are open" in page.locator("#panel-bench").inner_text()
    finally:
        server.stop()
