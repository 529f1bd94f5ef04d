"""The page for everybody: keyboard, screen reader, phone, dark; and words that try to act."""

from __future__ import annotations

import re
import urllib.parse
from typing import Any

import pytest

from explore_pages import LOW_CONTRAST, Served, Visit, settled, unnamed, words_of

PANELS = ("Bench", "Axes", "Enumeration", "Templates", "Pairs")
HOSTILE = [
    '<img src=x onerror="alert(1)">', "\u202emoc.live\u202c", "</script><script>alert(2)</script>", "a\u200bb",
    "${alert(3)}", "{{4}}", "ש־שלום",
]  # fmt: skip
FOCUSED = "() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent"
READ_ALOUD = "() => document.getElementById('said').textContent === document.querySelector('.says').textContent"


def focused(page: Any) -> str:
    return str(page.evaluate(FOCUSED))


def open_panel(page: Any, panel: str) -> None:
    page.get_by_role("tab", name=panel).click()
    if panel in ("Bench", "Axes"):
        settled(page, panel.lower())


def test_a_test_is_made_and_read_with_the_keyboard_alone(served: Served, visit: Visit) -> None:
    page = visit(served.address)
    settled(page)
    page.keyboard.press("Tab")
    assert focused(page) == "Skip to the panel"
    page.keyboard.press("Enter")
    assert page.evaluate("() => document.activeElement.id") == "main"
    for _ in range(30):
        page.keyboard.press("Tab")
        if focused(page).startswith("John"):
            break
    page.keyboard.press("ArrowRight")
    assert focused(page).startswith("Paul, frequency rank")
    page.keyboard.press("Space")
    assert "Paul, struck out" in focused(page)
    page.keyboard.press("Space")
    page.keyboard.press("m")
    assert focused(page) == "Strike out"
    page.keyboard.press("ArrowDown")
    assert focused(page) == "Move to the second targets"
    page.keyboard.press("Enter")
    assert words_of(page, "Second targets")[-1] == "Paul"
    assert page.evaluate("() => document.activeElement !== document.body")
    page.keyboard.press("m")
    page.keyboard.press("Escape")
    page.keyboard.press("Delete")
    assert len(words_of(page, "First targets")) == 6
    page.keyboard.press("Tab")
    page.keyboard.type("georg")
    page.locator(".completions [role=option]:visible").first.wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert words_of(page, "First targets")[-1].lower().startswith("georg")
    assert settled(page)
    page.wait_for_function(READ_ALOUD)


def test_tabs_walk_by_arrows_and_settings_keep_the_focus(served: Served, visit: Visit) -> None:
    page = visit(served.address + "#enumeration?groups=6")
    page.get_by_role("tab", name="Enumeration").focus()
    page.keyboard.press("ArrowRight")
    assert focused(page) == "Templates"
    assert page.get_by_role("tabpanel", name="Templates").is_visible()
    page.keyboard.press("ArrowLeft")
    page.get_by_label("Groups of names").focus()
    page.keyboard.type("8")
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.name") == "categories"
    assert page.get_by_label("Groups of names").input_value() == "40"  # 68 is more than there may be


@pytest.mark.parametrize("panel", PANELS)
def test_every_control_has_a_name(served: Served, visit: Visit, panel: str) -> None:
    page = visit(served.address)
    open_panel(page, panel)
    assert unnamed(page) == []


def test_what_is_seen_is_what_is_heard(served: Served, visit: Visit) -> None:
    page = visit(served.address)
    settled(page)
    assert page.get_by_role("navigation").get_by_role("tab").count() == len(PANELS)
    heard = re.compile(r"^John\s*, frequency rank\s+267\s+of 44,437$")  # begins with what is seen
    page.get_by_role("button", name=heard).wait_for()
    page.locator("#panel-bench summary", has_text="Show the code").click()
    levels = page.locator("#panel-bench").locator("h2, h3, h4").evaluate_all("(all) => all.map((one) => one.localName)")
    assert "h4" not in levels
    chart = page.locator("#panel-bench .plot svg")
    assert chart.get_attribute("role") == "img"
    assert chart.locator("> *").evaluate_all("(all) => all.every((part) => part.ariaHidden === 'true')")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out(served: Served, visit: Visit, scheme: str) -> None:
    page = visit(served.address, scheme=scheme)
    for panel in PANELS:
        open_panel(page, panel)
        page.mouse.move(0, 0)
        page.wait_for_timeout(300)  # colours of buttons fade
        assert page.evaluate(LOW_CONTRAST) == [], panel
    for theme, colour in {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 30)"}.items():
        page.locator(f"#theme-{theme}").check()
        assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") == colour
    page.reload()
    page.wait_for_selector("[role=tab]")
    assert page.locator("#theme-dark").is_checked()


@pytest.mark.parametrize("panel", PANELS)
def test_nothing_runs_over_the_side_of_a_phone(served: Served, visit: Visit, panel: str) -> None:
    page = visit(served.address, width=390)
    open_panel(page, panel)
    if panel in ("Bench", "Axes"):
        page.locator(f"#panel-{panel.lower()} [data-code=python]").wait_for()
        page.evaluate("() => document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
    for tab in page.get_by_role("tab").all():
        at = tab.bounding_box()
        assert 0 <= at["x"] <= at["x"] + at["width"] <= 390
    if panel == "Bench":
        assert page.locator(".strip").is_visible()
        assert "Effect size d" in page.locator(".strip").inner_text()
        page.locator(".strip").click()
        page.locator(".strip").wait_for(state="hidden")


def test_no_word_can_act_or_disguise_itself(served: Served, visit: Visit) -> None:
    listed = ",".join(urllib.parse.quote(word, safe="") for word in HOSTILE)
    name = urllib.parse.quote('"><b onclick=alert(5)>x</b>', safe="")
    page = visit(f"{served.address}#bench?x={name}:{listed},he,his&y=she:she,her&a=a:office,salary&b=b:home,family")
    page.wait_for_function("() => document.querySelectorAll('.chip .gone').length >= 5")
    settled(page)
    assert page.locator("main img, main b[onclick], main script").count() == 0
    shown = words_of(page, "First targets")
    assert HOSTILE[0] in shown
    assert "\\u202emoc.live\\u202c" in shown
    assert "a\\u200bb" in shown
    assert "שלום" in shown[6]
    settled(page)
    page.get_by_role("button", name="Add to report").click()
    page.wait_for_function("() => document.querySelector('#kept b').textContent === '1'")
    page.locator("#kept").click()
    page.get_by_role("dialog").get_by_role("listitem").wait_for()
    assert page.locator("dialog b, dialog img").count() == 0


def test_the_page_cannot_evaluate_text_as_a_program(served: Served, visit: Visit) -> None:
    page = visit(served.address, quiet=False)
    attempt = "try { Function('return 1')(); done('it ran'); } catch (error) { done(error.name); }"
    assert page.evaluate(f"() => new Promise((done) => setTimeout(() => {{ {attempt} }}))") == "EvalError"


def test_words_that_may_offend_are_covered_in_completion_until_asked(served: Served, visit: Visit) -> None:
    page = visit(served.address)
    settled(page)
    field = page.get_by_role("combobox", name="Add a word to the first targets")
    field.press_sequentially("murder")
    page.locator(".completions .covered").first.wait_for()
    assert page.locator(".completions bdi", has_text=re.compile("^murder$")).count() == 0
    assert page.locator(".completions .covered").first.get_attribute("aria-label") == "covered word"
