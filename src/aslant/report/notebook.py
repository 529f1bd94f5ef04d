"""Results in a notebook: a table and its charts, as HTML that runs no script and escapes every token."""

from __future__ import annotations

from aslant.report.assembly import measures_of
from aslant.report.sections import section_of
from aslant.report.tables import plain
from aslant.report.templating import asset, environment
from aslant.results.codec import Result


def notebook_html(result: Result) -> str:
    """Return `result` for a notebook's output: the charts are pictures, and the style applies to this output only.

    >>> import aslant
    >>> "weat-6" in notebook_html(aslant.weat(aslant.load(), "weat-6", bootstrap=0))
    True
    """
    from markupsafe import Markup

    said = section_of(result)
    if said.fragment:
        inner = Markup(said.load(said.fragment)(result, level=3))
        return environment().get_template("notebook.html.j2").render(fragment=inner, style=_style(), plain=plain)
    from aslant.report.html import CONTENT

    measure = measures_of(result.kind, (result,))[0]
    template = environment().get_template("notebook.html.j2")
    return template.render(fragment="", measure=measure, style=_style(), content=CONTENT, plain=plain)


def _style() -> object:
    from markupsafe import Markup

    return Markup(asset("templates/notebook.css"))
