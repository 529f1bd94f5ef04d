"""The bias section of a model card, from an audit: what was measured, what chance gives, what was not measured.

Metadata is the front matter that the Hugging Face hub reads (YAML; every scalar is also JSON, which needs no library).
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from aslant.errors import AslantError, plural
from aslant.report.audit import glance_table
from aslant.report.conventions import listed
from aslant.report.glance import CATEGORIES, SURE, not_covered, sentences
from aslant.report.html import CONTENT, described, repeating
from aslant.report.tables import between, markdown_text, number, plain, pvalue, small, unsteered
from aslant.results.audit import NEEDS_TEXT, ON_REQUEST, AuditComparison, AuditResult
from aslant.results.citing import works

BEGIN, END = (
    "<!-- aslant card: begin (aslant card replaces what is between these marks) -->",
    "<!-- aslant card: end -->",
)
#: Also finds the marks of other versions, which may say something else in their brackets.
SECTION = re.compile(r"<!-- aslant card: begin\b.*?-->.*?<!-- aslant card: end -->", re.DOTALL)
LIMITS = (
    "A line without evidence is not evidence that there is no bias: it says that this test, with these words, cannot "
    "tell the model from chance.",
    "These tests look at associations inside the model. What an application does with it (who is ranked lower, what is "
    "written about whom) is not measured here; test that in the application itself.",
    "Most word sets come from studies in American English and from its social categories. Groups that no set names are "
    "not covered.",
    "A number says little by itself. Compare it with what chance gives, in the same row, and do not rank models of "
    "different size or training by raw values.",
)
CHANCE = (
    "“Chance gives” is the range of 95 % of what random words of the same frequency (or untrained copies of the model) "
    "give in place of the words that carry the meaning."
)
QUICK = "This was a quick audit, with fewer random draws: repeat it without --quick before anyone relies on it."
#: What stands beside a number in the metadata, so that it is not read without them.
ARGUMENTS = ("chance_low", "chance_high", "qvalue", "chance_qvalue", "evidence")
BEYOND = {
    "none": "not beyond chance", "some": "some evidence beyond chance", "strong": "strong evidence beyond chance",
    "not tested": "not tested against chance",
}  # fmt: skip
COLUMNS = ("what is compared", "about", "measure", "effect", "chance gives", "q", "q (chance)", "evidence")


def model_card(report: AuditResult | AuditComparison, model: str | None = None) -> str:
    """Return the front matter and the bias section of a model card; of a report on several models, that of `model`.

    >>> import aslant
    >>> card = model_card(aslant.audit(only=["weat"], profile="quick"))
    >>> [line for line in card.splitlines() if line.startswith("## ")]
    ['## Bias, risks and limitations']
    """
    audit = chosen_audit(report, model)
    return f"{front_matter(audit)}\n{section(audit)}"


def chosen_audit(report: AuditResult | AuditComparison, model: str | None) -> AuditResult:
    """Return the audit of one model of a report."""
    audits = report.audits if isinstance(report, AuditComparison) else (report,)
    found = [audit for audit in audits if model in (None, audit.representation.name)]
    if len(found) == 1:
        return found[0]
    names = listed([f"'{audit.representation.name}'" for audit in audits])
    if not found:
        raise AslantError(f"the report has no model '{model}'; it is about {names}.")
    raise AslantError(f"the report is about {names}, and a card is about one; choose it by its name.")


def with_section(card: str, audit: AuditResult) -> str:
    """Return an existing card with the section of an audit, in place of the one it had, or else at its end.

    >>> import aslant
    >>> audit = aslant.audit(only=["weat"], profile="quick")
    >>> once = with_section("# Ours", audit)
    >>> once.startswith("# Ours"), with_section(once, audit) == once
    (True, True)
    """
    made = section(audit).strip()
    found = SECTION.findall(card)
    if len(found) > 1:
        raise AslantError(f"the card has {len(found)} sections of aslant; delete all but one, then try again.")
    if "<!-- aslant card: begin" in card and not found:
        raise AslantError(
            "the card has the mark where aslant's section begins, but not where it ends; delete the mark."
        )
    return SECTION.sub(lambda _: made, card) if found else f"{card}{_gap(card)}{made}\n"


def _gap(card: str) -> str:
    """Return what makes a blank line after a card."""
    return "" if not card or card.endswith("\n\n") else "\n" if card.endswith("\n") else "\n\n"


def front_matter(audit: AuditResult) -> str:
    """Return the metadata of a card: every line of the audit that has a number, each with what chance gives."""
    results = [
        {
            "task": {"type": "bias-audit", "name": row["measure"]},
            "dataset": {"type": row["stimuli"], "name": row["compares"]},
            "metrics": [{
                "type": row["effect_name"], "value": row["effect"],
                "name": f"{row['effect_name']}; {BEYOND.get(row['evidence'], row['evidence'])}",
                "args": {name: row[name] for name in ARGUMENTS},
            }],
        }
        for row in glance_table(audit).rows
        if row["effect"] is not None
    ]  # fmt: skip
    index = [{"name": audit.representation.name, "results": results}]
    lines = _yaml({"tags": ["bias", "fairness", "aslant"], "model-index": index})
    return "\n".join(["---", *lines, "---", ""])


def _yaml(content: Any) -> list[str]:
    """Return plain data as YAML in blocks, every scalar as JSON; what is None is left out."""
    made: list[str] = []
    if isinstance(content, list):
        for item in content:
            first, *rest = _yaml(item) if isinstance(item, dict | list) else [_scalar(item)]
            made += [f"- {first}", *(f"  {line}" for line in rest)]
        return made
    for key, value in content.items():
        if isinstance(value, dict | list):
            made += [f"{key}:", *(f"  {line}" for line in _yaml(value))] if value else []
        elif value is not None:
            made.append(f"{key}: {_scalar(value)}")
    return made


def _scalar(value: Any) -> str:
    text = json.dumps(unsteered(value) if isinstance(value, str) else value, ensure_ascii=False, allow_nan=False)
    return text.replace("<!--", "\\u003c!--")  # the mark of the section


def section(audit: AuditResult) -> str:
    """Return the section between its marks."""
    said = dict(sentences(audit))
    rows = glance_table(audit).rows
    sure = [row for row in rows if row["evidence"] in SURE]
    found = ["Lines beyond chance:", "", *_table(sure)] if sure else ["No line is beyond chance."]
    every = ["<details><summary>Every line that was measured</summary>", "", *_table(rows), "", "</details>"]
    day, model = plain(audit.created[:10]), markdown_text(described(audit.representation))
    limits = [*LIMITS, *([QUICK] if audit.profile == "quick" else [])]
    parts = [
        BEGIN, "## Bias, risks and limitations", "", f"*{CONTENT}*", "",
        f"Audited on {day} with aslant {plain(audit.version)}, profile “{audit.profile}”: {model}.",
        *([f"Note: {markdown_text(plain(audit.representation.note))}"] if audit.representation.note else []), "",
        "### What was found", "", markdown_text(said["What was found"]), "", *found, "", *every, "",
        f"How sure that is: {markdown_text(said['How sure that is'])} {CHANCE}", "",
        "### What was not measured", "", *(f"- {text}" for text in _not_measured(audit)), "",
        "### Limits of use", "", *(f"- {text}" for text in limits), "",
        "### To reproduce", "",
        f"With aslant {plain(audit.version)}:", "", "```sh", _fenced(repeating(audit)), "```", "",
        f"The same numbers need the same content: fingerprint `{plain(audit.representation.fingerprint)}`. References: "
        f"{'; '.join(markdown_text(plain(_short(work))) for work in works(audit))}.",
        END,
    ]  # fmt: skip
    return "\n".join(parts) + "\n"


def _short(work: Any) -> str:
    """Name a work briefly: who, when, what."""
    first, *others = re.findall(r"[^,&]+, (?:[^\W\d_]\.[ -]?)+", work.authors) or [work.authors]
    people = first.partition(",")[0] + (" et al." if others or "et al" in work.authors else "")
    return f"{' '.join(f'{people} {work.year}'.split())}, {work.title.rstrip('.')}"


def _table(rows: Sequence[dict[str, Any]]) -> list[str]:
    made = ["| " + " | ".join(COLUMNS) + " |", "|---|---|---|---:|---:|---:|---:|---|"]
    for row in rows:
        write = number if row["effect_name"] == "d" else small
        effect = f"{write(row['effect'])} {plain(row['effect_name'])}"
        chance = between(row["chance_low"], row["chance_high"], write)
        texts = (
            f"{row['stimuli']}: {row['compares']}",
            CATEGORIES.get(row["category"], row["category"]),
            row["measure"],
            effect,
            chance,
        )
        cells = [*texts, pvalue(row["qvalue"]), pvalue(row["chance_qvalue"]), row["evidence"]]
        made.append("| " + " | ".join(markdown_text(plain(cell)) for cell in cells) + " |")
    return made


def _not_measured(audit: AuditResult) -> list[str]:
    """Say what a reader might take to be covered and is not."""
    left = [markdown_text(not_covered(audit))] if not_covered(audit) else []
    left = [text.replace("Not covered:", "Social categories that no line is about:") for text in left]
    for what, why in {**audit.not_run, **audit.failed}.items():
        told = "left out on request" if why == ON_REQUEST else "needs a text" if why.startswith(NEEDS_TEXT) else why
        left.append(markdown_text(f"{plain(what)}: {plain(told)}"))
    if audit.missing:
        some = ", ".join(audit.missing[:8]) + (" …" if len(audit.missing) > 8 else "")
        left.append(markdown_text(f"{plural(len(audit.missing), 'word')} that the model does not have: {plain(some)}"))
    untested = {line.untested for line in audit.glance if line.untested}
    left += [markdown_text(f"chance is not known for some lines: {plain(why)}") for why in sorted(untested)]
    return [*left, "Behaviour in any application, and any language or dialect other than that of the word sets."]


def _fenced(text: str) -> str:
    """Return text for a block of code, which it cannot end, nor the section around it."""
    return plain(text).replace("`", "'").replace("<!--", "<!…")
