"""Results as self-contained pages: no external host, no script but ours, every token escaped."""

from __future__ import annotations

import base64
import hashlib
import json
import shlex
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from aslant.catalogue import kinds
from aslant.errors import plural
from aslant.report.assembly import Measure, measures_of, measures_of_audit, section_of
from aslant.report.cited import references_of
from aslant.report.glance import comparison_sentences, grid, sentences
from aslant.report.tables import number, plain, pvalue, small, stands_out
from aslant.results.audit import ON_REQUEST, AuditComparison, AuditResult
from aslant.results.codec import CONTENT_NOTE, Result
from aslant.results.provenance import Representation
from aslant.results.replication import ReplicationsResult

if TYPE_CHECKING:
    from jinja2 import Environment

CONTENT = (
    "These measures reproduce stereotypes about groups of people in order to measure them. An association found here "
    "is a property of the model and of the text it was trained on, not a fact about people."
)

#: How many missing words are named at the end of a report.
MOST_NAMED = 40


def page(result: Result) -> str:
    """Return any result as a separate page."""
    kind = kinds().get(result.kind)
    if kind and kind.page:
        made: str = kind.resolve(kind.page)(result)
        return made
    measures = measures_of(result.kind, (result,))
    provenance = getattr(result, "provenance", None)
    name = f": {plain(provenance.representation.name)}" if provenance else ""
    title, content = f"aslant: {measures[0].section.title}{name}", getattr(result, "first_line", "") or CONTENT
    cited = references_of(result)
    return render_page("result.html.j2", measures, title=title, provenance=provenance, content=content, cited=cited)


def audit_page(audit: AuditResult) -> str:
    """Return the report of an audit: what was found at a glance, then measure by measure."""
    return render_page(
        "report.html.j2",
        measures_of_audit(audit),
        title=f"aslant report: {plain(audit.representation.name)}",
        audit=audit,
        grid=grid(audit),
        sentences=sentences(audit),
        corpora=corpora_of(audit),
        command=plain(repeating(audit)),
        most_named=MOST_NAMED,
        cited=references_of(audit),
    )


def corpora_of(audit: AuditResult) -> list[str]:
    """Return the names of the texts that an audit read."""
    results = [one for part in audit.parts for found in part.results for one in getattr(found, "results", (found,))]
    return list(dict.fromkeys(result.corpus.name for result in results if hasattr(result, "corpus")))


def repeating(audit: AuditResult) -> str:
    """Return the command that measures the same; what a report does not know is shown as …."""
    name = audit.representation.name
    words = ["aslant audit", *([] if name == "sample" else [shlex.quote(name)])]
    words += [] if audit.profile == "standard" else [f"--{audit.profile}"]
    if ON_REQUEST in audit.not_run.values():
        words.append("--only " + shlex.quote(",".join([*(part.measure for part in audit.parts), *audit.failed])))
    words += ["--words …"] if audit.part("own words") else []
    words += ["--corpus …"] if corpora_of(audit) else []
    return " ".join([*words, f"--seed {audit.seed}"])


def comparison_page(result: AuditComparison) -> str:
    """Return audits of several models side by side, with the differences from the first."""
    return render_page(
        "comparison.html.j2",
        measures_of("differences", (result,)),
        title="aslant comparison: " + ", ".join(map(plain, result.names)),
        result=result,
        grids=[grid(audit) for audit in result.audits],
        sentences=comparison_sentences(result),
        cited=references_of(result),
    )


def replications_page(result: ReplicationsResult) -> str:
    """Return several papers as one page: what was met at a glance, then paper by paper with its figures."""
    measures = measures_of(result.kind, (result,))
    measures += [measure for paper in result.results for measure in measures_of(paper.paper, (paper,))]
    title, content = "aslant: published tables, recomputed", CONTENT_NOTE.removeprefix("Note: ").capitalize()
    said: dict[str, Any] = {"content": f"{CONTENT} {content}", "cited": references_of(result)}
    return render_page("result.html.j2", measures, title=title, provenance=None, **said)


def notebook_html(result: Result) -> str:
    """Return `result` for a notebook's output: the charts are pictures, and the style applies to this output only.

    An audit is shown whole: what was found, the grid at a glance, and each measure to unfold. No script is run.

    >>> import aslant
    >>> "weat-6" in notebook_html(aslant.weat(aslant.load(), "weat-6", bootstrap=0))
    True
    """
    from markupsafe import Markup

    said, template = section_of(result), environment().get_template("notebook.html.j2")
    style = Markup(asset("templates/notebook.css"))
    if said.fragment:
        fragment = Markup(said.resolve(said.fragment)(result, level=3))
        return template.render(fragment=fragment, style=style, plain=plain)
    how: dict[str, Any] = {"fragment": "", "style": style, "content": CONTENT, "plain": plain}
    if isinstance(result, AuditResult):
        shown = {"audit": result, "grid": grid(result), "sentences": sentences(result)}
        return template.render(**how, **shown, measures=measures_of_audit(result))
    return template.render(**how, audit=None, measure=measures_of(result.kind, (result,))[0])


def render_page(template: str, measures: Sequence[Measure], *, level: int = 2, **values: Any) -> str:
    """Fill a template that extends page.html.j2: one style, and scripts known by their hashes."""
    from markupsafe import Markup

    def fragment(measure: Measure) -> Any:
        drawn = [macros.module.figure(figure) for figure in measure.figures_first]  # type: ignore[attr-defined]
        make = measure.section.resolve(measure.section.fragment)
        return Markup(make(measure.own, level=level, figure="".join(drawn), styled=False, headed=level == 1))

    figures = [figure for measure in measures for figure in measure.figures]
    style = asset("templates/report.css") + asset("templates/enumeration.css")
    scripts = [asset("templates/report.js")]
    if figures:
        scripts = [asset("assets/vega.min.js"), asset("assets/vega-interpreter.js"), *scripts]
    macros = environment().get_template("macros.html.j2")
    known = " ".join(map(hashed, scripts))
    policy = f"default-src 'none'; style-src {hashed(style)}; script-src {known}; img-src data:; base-uri 'none'; "
    written = {"plain": plain, "number": number, "pvalue": pvalue, "small": small, "described": described}
    made = {
        "fragment": fragment,
        "measures": measures,
        "style": Markup(style),
        "scripts": [Markup(script) for script in scripts],
        "policy": policy + "form-action 'none'",
        "specifications": [(figure.id, script_json(figure.vega)) for figure in figures],
        "content": CONTENT,
    }
    return environment().get_template(template).render(made | written | values)


@cache
def environment() -> Environment:
    """Return the one environment of all templates."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    how: dict[str, Any] = {"autoescape": True, "undefined": StrictUndefined, "trim_blocks": True, "lstrip_blocks": True}
    made = Environment(loader=PackageLoader("aslant.report"), **how)
    made.filters["stands_out"] = stands_out
    return made


@cache
def asset(name: str) -> str:
    """Return a style or script that ships, such as "templates/report.css"."""
    return (files("aslant.report") / name).read_text(encoding="utf-8")


def hashed(text: str) -> str:
    """Return how a content-security policy names an inline style or script.

    >>> hashed("")
    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def script_json(content: Any) -> Any:
    """Return data for a script element: nothing in it can end the element or begin a comment.

    >>> str(script_json({"word": "</script>"}))
    '{"word":"\\\\u003c/script\\\\u003e"}'
    """
    from markupsafe import Markup

    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


def described(r: Representation) -> str:
    """Describe an embedding or a model in one line, as it is.

    >>> described(Representation("sample", "0a1b", "text", 20_000, 50))
    'sample (text), 20,000 words × 50 dimensions, fingerprint 0a1b'
    """
    size = f"{plural(r.words, 'word')} × {plural(r.dimensions, 'dimension')}"
    return f"{plain(r.name)} ({plain(r.format)}), {size}, fingerprint {plain(r.fingerprint)}"
