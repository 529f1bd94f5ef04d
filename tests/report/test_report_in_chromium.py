"""The report in a real browser: it draws, answers pointer and keyboard, fits a phone, and nothing in it acts or leaves.

Skipped where Chromium (Debian's package `chromium`) or playwright is absent.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import aslant
from aslant.results.audit import AuditPart, AuditResult
from explore_pages import PATIENCE
from fake_lm import FakeMaskedLM
from report_examples import enumeration, nasty_audit

CHROMIUM = next((found for name in ("chromium", "chromium-browser") if (found := shutil.which(name))), None)
if CHROMIUM is None:
    pytest.skip("Chromium is not installed (apt-get install chromium)", allow_module_level=True)
sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (pip install playwright)")

#: The ratio of contrast of every text with what lies behind it, below what WCAG AA asks for.
LOW_CONTRAST = """() => {
  const channel = (v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
  const numbers = (c) => c.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const behind = (e) => { for (; e; e = e.parentElement) { const c = numbers(getComputedStyle(e).backgroundColor);
    if (c.length < 4 || c[3] > 0.9) return c; } return [255, 255, 255]; };
  const found = [];
  for (const e of document.querySelectorAll("body *:not(script):not(style)")) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.checkVisibility({ visibilityProperty: true })) continue;
    const style = getComputedStyle(e), svg = e.closest("svg");
    const [a, b] = [light(numbers(svg ? style.fill : style.color)), light(behind(svg || e))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) found.push([e.textContent.trim().slice(0, 30), Math.round(ratio * 100) / 100]);
  }
  return found;
}"""
Open = Callable[..., Any]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report with every kind of chart, and an enumeration as large as that of the sample."""
    v, lm = aslant.load(), FakeMaskedLM()
    audit = aslant.audit(v, only=["weat", "polarity"], profile="quick")
    spoken = aslant.log_probability_bias(lm, targets=["he", "she"], attributes=["nurse", "engineer"])
    parts = (
        *audit.parts,
        AuditPart("words", "Single tests", (audit.weat.results[0] if audit.weat else spoken, aslant.wefat(v)), 0.1),
        AuditPart(
            "geometry", "Geometry",
            (aslant.gender_subspace(v, random_pairs=20), aslant.direct_bias(v), aslant.compare(v, v, bootstrap=9)), 0.1,
        ),
        AuditPart("model", "Model", (spoken, aslant.log_probability_suite(lm, ["career-family"])), 0.1),
        AuditPart("enumeration", "Enumeration", (enumeration(12, 40, token="murder "),), 0.1),
    )  # fmt: skip
    fields = {**vars(audit), "parts": parts}
    path = tmp_path_factory.mktemp("report") / "report.html"
    AuditResult(**fields).save(path)
    return path


@pytest.fixture
def opened(browser: Any) -> Iterator[Open]:
    """Open a page; at the end, nothing may have been fetched, said on the console, or popped up."""
    contexts, heard = [], []

    def visit(
        path: Path, *, width: int = 1280, script: bool = True, scheme: str = "light", bare: bool = False,
        listened: bool = True,
    ) -> Any:  # fmt: skip
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, java_script_enabled=script
        )
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        if listened:
            page.on("console", lambda message: heard.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: heard.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (heard.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: None if request.url == path.as_uri() else heard.append(request.url))
        page.goto(path.as_uri())
        if script and not bare:
            unfold(page)
        return page

    yield visit
    for context in contexts:
        context.close()
    assert heard == []


def unfold(page: Any) -> None:
    """Open whatever folds, and pass every chart so that it is drawn."""
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    for figure in page.query_selector_all("figure.chart"):
        figure.scroll_into_view_if_needed()
    page.wait_for_function("() => document.querySelectorAll('.plot:not([data-drawn])').length === 0")
    page.evaluate("scrollTo(0, 0)")


def style(page: Any, selector: str, name: str) -> str:
    return str(page.eval_on_selector(selector, f"e => getComputedStyle(e)['{name}']"))


def test_every_chart_is_drawn_and_answers_the_pointer(report: Path, opened: Open) -> None:
    page = opened(report)
    assert page.locator(".plot[data-drawn] svg").count() == page.locator("figure.chart").count() >= 14
    for plot in page.locator(".plot svg").all():
        assert plot.bounding_box()["height"] > 50
    assert page.locator("#tip").is_hidden()
    plot = page.locator("#weat-1-effect-sizes svg")
    plot.scroll_into_view_if_needed()
    for step in range(60):  # a page that is still being laid out moves under the pointer
        box = plot.bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2 + step % 2, box["y"] + box["height"] / 2)
        if page.locator("#tip").is_visible():
            break
        page.wait_for_timeout(500)
    shown = page.locator("#tip dt").all_inner_texts()
    assert shown == ["test", "d", "interval", "chance", "p", "q", "q (chance)", "people"]
    page.keyboard.press("Escape")
    assert page.locator("#tip").is_hidden()


def test_cells_of_the_table_tell_their_numbers_and_covered_words_show_when_asked_for(
    report: Path, opened: Open
) -> None:
    page = opened(report)
    cell = page.locator("td.enum-strong").first
    cell.hover()
    assert page.locator("#tip").inner_text().count("score 0.") == 1
    assert "sig" not in cell.inner_text()
    assert "•" in cell.inner_text()
    page.locator(".enum-reveal").check()
    assert "murder sig" in cell.inner_text()
    page.locator(".enum-reveal").uncheck()
    assert "sig" not in cell.inner_text()
    assert "score" not in cell.inner_text()
    page.locator(".enum-numbers").check()
    assert "score 0." in cell.inner_text()


def test_the_page_cannot_evaluate_text_as_a_program(report: Path, opened: Open) -> None:
    page = opened(report, bare=True, listened=False)
    # Asked for from outside, it may; so the question is put to the page itself, a moment later.
    attempt = "try { Function('return 1')(); done('it ran'); } catch (error) { done(error.name); }"
    assert page.evaluate(f"() => new Promise((done) => setTimeout(() => {{ {attempt} }}))") == "EvalError"


def test_nothing_runs_over_the_side_of_a_phone(report: Path, opened: Open) -> None:
    page = opened(report, width=390)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert style(page, ".glance tbody tr", "display") == "block"
    drawn = page.locator("#weat-1-effect-sizes svg").bounding_box()
    assert 300 < drawn["width"] <= 390


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_follow_the_system_and_the_reader_and_every_text_stands_out(
    report: Path, opened: Open, scheme: str
) -> None:
    page = opened(report, scheme=scheme)
    backgrounds = {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 30)"}
    assert style(page, "body", "backgroundColor") == backgrounds[scheme]
    assert page.evaluate(LOW_CONTRAST) == []
    for theme, colour in backgrounds.items():
        page.locator(f"#theme-{theme}").check()
        assert style(page, "body", "backgroundColor") == colour
    page.emulate_media(media="print", color_scheme="dark")
    assert style(page, "body", "backgroundColor") == backgrounds["light"]
    assert style(page, ".enum-controls", "display") == "none"


def test_the_keyboard_reaches_every_switch(report: Path, opened: Open) -> None:
    page = opened(report, bare=True)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") == "theme"
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.id") == "theme-light"
    met = set()
    for _ in range(120):
        page.keyboard.press("Tab")
        met.add(page.evaluate("document.activeElement.className || document.activeElement.tagName"))
        if {"enum-reveal", "enum-numbers"} <= met:
            break
    assert {"scroll", "SUMMARY", "A", "enum-reveal", "enum-numbers"} <= met
    page.keyboard.press("Space")
    assert page.locator(".enum-numbers").is_checked()


def test_without_a_script_charts_are_pictures_and_switches_work(report: Path, opened: Open) -> None:
    page = opened(report, script=False)
    assert page.locator("#weat-1-effect-sizes svg").bounding_box()["height"] > 200
    page.locator(".enum-reveal").check()
    assert "murder sig" in page.locator("td.enum-strong").first.inner_text()


def test_no_word_name_or_title_can_act(opened: Open, tmp_path: Path) -> None:
    token = '<script>alert(1)</script>"><img src=x onerror=alert(2)>'
    nasty_audit(enumeration(3, 6, token=token)).save(tmp_path / "nasty.html")
    page = opened(tmp_path / "nasty.html")
    assert page.locator("img, main b, main i, main u, main s, main script").count() == 0
    text = page.locator("body").inner_text()
    for shown in ("<script>alert(1)</script>", "<u>title</u>", "</script><b>x", token + "sig", "\\x1b[31mred"):
        assert shown in text, shown
    for cell in page.locator("td.enum-strong, .glance td:not(.void)").all()[:4]:
        cell.hover()
        assert page.locator("#tip *").count() == 0
        assert page.locator("#tip").inner_text()
    plot = page.locator("#weat-1-effect-sizes svg")
    plot.scroll_into_view_if_needed()
    plot.hover()
    assert "<u>title</u>" in page.locator("#tip").inner_text()
    assert page.locator("#tip u").count() == 0


def test_in_a_notebook_text_stands_left_and_numbers_right(opened: Open, tmp_path: Path) -> None:
    """Jupyter's own style sets every cell to the right; its rules are those of JupyterLab 4."""
    rule = ":not(.jp-RenderedMarkdown).jp-RenderedHTMLCommon {} {{ text-align: right; }}"
    style = "".join(rule.format(kind) for kind in ("td", "th", "tr"))
    shown = aslant.audit(only=["weat"], profile="quick")._repr_html_()
    page = tmp_path / "cell.html"
    page.write_text(f'<style>{style}</style><body><div class="jp-RenderedHTMLCommon">{shown}</div>')
    sides = opened(page, bare=True).eval_on_selector_all(
        "td, th",
        "cells => cells.map(c => [c.closest('.right') !== null, getComputedStyle(c).textAlign])",
    )
    assert {tuple(side) for side in sides} == {(False, "left"), (True, "right")}
