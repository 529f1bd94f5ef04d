"""Results made up to be shown: an enumeration of any size, an audit in which every word is out to do harm."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np

import aslant
from aslant.auditing.running import glances
from aslant.measures.enumeration.result import (
    Demographics,
    EnumeratedCell,
    EnumerationResult,
    IndirectBias,
    NameGroup,
    PotentialProxy,
    RotationsUsed,
    WordCategory,
)
from aslant.results.audit import AuditPart, AuditResult
from aslant.results.provenance import Provenance, Representation
from aslant.stimuli import WeatSet, WordList

NASTY = (
    "<script>alert(1)</script>", "a|b", "</script><b>x", "50%", "\x1b[31mred", "{{ 7*7 }}", "[bold]b[/bold]",
    "\"><img src=x onerror=alert(3)>", "\u202eevil", "a\u2028b", "<!--", "&lt;i&gt;",
)  # fmt: skip


def enumeration(
    groups: int = 2, categories: int = 3, *, significant: bool = True, own: bool = False, token: str = ""
) -> EnumerationResult:
    """A result whose cell (i, j) is without a test where i + j is a multiple of 5, else significant where even."""
    shares = {"white": 0.61, "black": 0.24, "api": 0.15}
    figures = None if own else Demographics(40, 0.987, 1971.6, 30, shares)
    named = tuple(
        NameGroup(
            f"{token}g{i}", 60 + i, tuple(f"{token}Name{i}{c}" for c in "abc"), (f"{token}Name{i}a",),
            figures, (f"{token}name{i}a",),
        )
        for i in range(groups)
    )  # fmt: skip
    found = tuple(
        WordCategory(f"category {j}", 500, tuple(f"{token}centre{j}{c}" for c in "abc"), ()) for j in range(categories)
    )
    cells = tuple(_cell(i, j, significant, token) for j in range(categories) for i in range(groups))
    settings = {
        "groups": groups,
        "categories": categories,
        "per_cell": 3,
        "alpha": 0.05,
        "left_out": None if own else 0.2,
        "drop_names": False,
        "voronoi": True,
        "vocabulary": "cased",
        "ordered_by": "given" if own else "share_female",
    }
    strong = [(a, b) for a in cells for b in cells if a.significant and b.significant]
    pairs = [(a, b) for a, b in strong if a.group < b.group and a.category == b.category]
    proxies = [
        PotentialProxy((a.group, b.group), (a.category, c.category), ((a.words, b.words), (c.words, d.words)), 0.25)
        for a, b in pairs for c, d in pairs
        if (a.group, b.group) == (c.group, d.group) and a.category < c.category
    ]  # fmt: skip
    indirect = IndirectBias(40, 31, tuple(proxies[:30]))
    vectors = Representation(f"{token}vectors", "0123456789ab", "text", 30_000, 100)
    return EnumerationResult(
        named, found, cells, tuple(reversed(range(categories))), indirect,
        ("Hope", "Faith"),
        RotationsUsed(10_000, 9_000, 0.25, 0.001), Provenance("names", vectors, ("Qiana",), 7, settings, "0"),
        0.01 if significant else None,
    )  # fmt: skip


def _cell(i: int, j: int, significant: bool, token: str) -> EnumeratedCell:
    if (i + j) % 5 == 4:
        return EnumeratedCell(i, j, (), 1, None, 1.0, 1.0, False, 0, 0)
    strong = significant and (i + j) % 2 == 0
    word = f"{token}{'sig' if strong else 'weak'}{i}x{j}"
    q = (0.0004, 0.004, 0.04)[(i + j) // 2 % 3] if strong else 0.6
    words = tuple(word + c for c in "abc")
    return EnumeratedCell(i, j, words, 9, 0.1 + i / 1000 + j / 100, q / 4, q, strong, 2, 9_000)


def nasty_audit(enumerated: EnumerationResult | None = None) -> AuditResult:
    """An audit in which every word, name and title is out to do harm."""
    matrix = np.random.default_rng(0).normal(size=(len(NASTY), 4))
    v = aslant.WordVectors.from_arrays(NASTY, matrix, name="<img src=x onerror=alert(2)>\x1b]0;t\x07</script>")
    w = [WordList(f"<b>{i}</b>", (*NASTY[3 * i : 3 * i + 3], f"<i>gone{i}</i>")) for i in range(4)]
    test = WeatSet(
        title="<u>title</u>: | & %", category="<s>own</s>", language="en", licence="own", citation="own", id="own<1>",
        targets=(w[0], w[1]), attributes=(w[2], w[3]),
    )  # fmt: skip
    suite = aslant.weat_suite(v, [test], min_found=0.1)
    leaning = aslant.polarity(v, {"<b>one</b>": [NASTY[0]], "</script>": [NASTY[2]]}, words=NASTY[3:])
    parts = [AuditPart("weat", "<u>WEAT</u>", (suite,), 0.1), AuditPart("polarity", "Polarity", (leaning,), 0.1)]
    if enumerated is not None:
        parts.append(AuditPart("enumeration", "Enumeration", (enumerated,), 0.1))
    lines = tuple(line for part in parts for line in glances(part.measure, part.results))
    not_run = {"<i>that</i>": "<b>no reason</b>"}
    return AuditResult(
        suite.provenance.representation, "standard", 0, tuple(parts), lines, not_run, {}, "2026-01-01T00:00:00+00:00",
        "0",
    )  # fmt: skip


class Text(HTMLParser):
    """What people read of a page (`main` begins where its main part does), and its tags with their attributes."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.text = self.main = ""
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.silent = False
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        self.silent = tag in ("style", "title", "script")
        if tag == "main":
            self.main = self.text = ""

    def handle_endtag(self, tag: str) -> None:
        self.silent = False

    def handle_data(self, data: str) -> None:
        self.text += "" if self.silent else data
        self.main = self.text
