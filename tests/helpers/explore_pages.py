"""`aslant explore` as a process with one address, and what a test asks of its page in Chromium."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

#: The command with a token that a second start has too, so that a page can find its server again.
START = "import secrets, sys; secrets.token_urlsafe = lambda n=0: 'page-test'; from aslant.cli import main; main()"
#: What a page may take on a busy machine; nothing here is a claim about speed.
PATIENCE = 120_000
Visit = Callable[..., Any]

#: Texts whose contrast with what lies behind them is below what WCAG AA asks for.
LOW_CONTRAST = """() => {
  const channel = (v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
  const numbers = (c) => c.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const behind = (e) => { for (; e; e = e.parentElement) { const c = numbers(getComputedStyle(e).backgroundColor);
    if (c.length < 4 || c[3] > 0.9) return c; } return [255, 255, 255]; };
  const found = [];
  for (const e of document.querySelectorAll("body *:not(script):not(style):not(option)")) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.checkVisibility({ visibilityProperty: true })) continue;
    const style = getComputedStyle(e), svg = e.closest("svg");
    const [a, b] = [light(numbers(svg ? style.fill : style.color)), light(behind(svg || e))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) found.push([e.textContent.trim().slice(0, 30), Math.round(ratio * 100) / 100]);
  }
  return found;
}"""
NAMED_ROLES = {
    "button", "checkbox", "combobox", "dialog", "grid", "img", "image", "link", "listbox", "menuitem", "option",
    "progressbar", "radio", "region", "searchbox", "spinbutton", "tab", "tablist", "tabpanel", "textbox",
}  # fmt: skip


class Served:
    """A server in a process of its own."""

    def __init__(self, arguments: Sequence[str], cache: Path, data: Path | None = None) -> None:
        self.arguments, self.port = arguments, "0"
        self.environment = {**os.environ, "ASLANT_CACHE": str(cache)} | ({"ASLANT_DATA": str(data)} if data else {})
        self.start()

    def start(self) -> None:
        """Start it, again at the same address, and wait until it listens."""
        command = [sys.executable, "-c", START, "explore", *self.arguments, "--no-browser", "--port", self.port]
        self.process = subprocess.Popen(command, env=self.environment, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().split()[-1]
        self.port = self.address.split(":")[2].split("/")[0]

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End it, and wait for that."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        self.process.wait(60)
        if self.process.stdout:
            self.process.stdout.close()


def settled(page: Any, panel: str = "bench") -> str:
    """Wait for the settled answer of a panel, and return its first sentence."""
    page.wait_for_function(
        "(panel) => { const answer = document.querySelector(`#panel-${panel} .answer`); return answer"
        " && answer.getAttribute('aria-busy') === 'false' && answer.querySelector('.says').textContent; }",
        arg=panel,
    )
    return str(page.locator(f"#panel-{panel} .answer .says").first.inner_text())


def fact(page: Any, label: str, panel: str = "bench") -> str:
    """Return the value of a number of an answer, by its label."""
    row = page.locator(f"#panel-{panel} .answer .facts > div").filter(has=page.locator("dt", has_text=label)).first
    return str(row.locator("b").inner_text())


def words_of(page: Any, box: str) -> list[str]:
    """Return the words of a box."""
    return [
        str(word) for word in page.get_by_role("group", name=box, exact=True).locator(".word bdi").all_inner_texts()
    ]


def unnamed(page: Any) -> list[str]:
    """Return the controls that a screen reader could not name."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    return [
        node["role"]["value"]
        for node in nodes
        if not node.get("ignored")
        and node.get("role", {}).get("value") in NAMED_ROLES
        and not node.get("name", {}).get("value", "").strip()
    ]
