"""What people keep for a report, and the report: it opens with how many questions it was picked from."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from aslant.errors import AslantError, plural
from aslant.explore import asked as a
from aslant.explore import axes, bench, long_questions
from aslant.report.assembly import measures_of
from aslant.report.cited import references_of
from aslant.report.html import CONTENT, render_page
from aslant.report.tables import plain
from aslant.results.codec import Result

if TYPE_CHECKING:
    from aslant.explore.opened import Opened
    from aslant.explore.visit import Explorer, Visit

LONG: dict[str, Any] = {"enumeration": a.EnumerationRequest, "templates": a.TemplatesRequest, "pairs": a.PairsRequest}
POLICY = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]*)"')


def results_of(explorer: Explorer, asked: a.KeepRequest) -> list[tuple[str, Any]]:
    """Return the settled results of a request, each with its title; what takes long must have been answered."""
    body = bytes(asked.request)
    if asked.api == "bench":
        return _benched(explorer, a.read(body, a.BenchRequest))
    if asked.api == "axes":
        wanted = a.read(body, a.AxesRequest)
        wanted.draft = False
        opened = _model(explorer, wanted.model)
        return [(f"axis {axes.ends_of(r)} on {opened.name}", r) for r in axes.polarities(opened, wanted)]
    if asked.api == "trend":
        followed = a.read(body, a.TrendRequest)
        return [(f"trend of {axes.title_of(followed)}", axes.trend(explorer.models, followed))]
    long: Any = a.read(body, LONG[asked.api])
    question = long_questions.question(asked.api, long)
    models = _models(explorer, long)
    results = [explorer.found.get((opened.number, question.key)) for opened in models]
    if None in results:
        raise AslantError("this was not answered yet, or longer ago than is remembered; run it first.")
    return [(f"{question.title} on {m.name}", found) for m, found in zip(models, results, strict=True)]


def _benched(explorer: Explorer, asked: a.BenchRequest) -> list[tuple[str, Any]]:
    asked.draft = False
    question = bench.question_of(asked)
    return [(bench.title_of(opened, asked), question.result(opened)) for opened in _models(explorer, asked)]


def _models(explorer: Explorer, asked: Any) -> list[Opened]:
    """Return the model that was asked, and the second one beside it."""
    numbers = dict.fromkeys([asked.model, getattr(asked, "compare", None)])
    return [_model(explorer, number) for number in numbers if number is not None]


def _model(explorer: Explorer, number: int) -> Opened:
    from aslant.explore.answers import model_of

    return model_of(explorer, number)


def report(visit: Visit) -> str:
    """Return what a person has kept as one self-contained page."""
    results = [(number, title, result) for number, (title, result) in list(visit.kept.items())]
    measures = []
    for number, title, result in results:
        measures += measures_of(f"kept-{number}", (result,), f"{number}. {plain(title)}")
    tried, picked = len(visit.tries.asked), len(results)
    below = f"what is below ({plural(picked, 'result')}) was" if picked else "nothing was"
    were = "was" if tried == 1 else "were"
    said = (
        f"{plural(tried, 'question')} {were} tried on the page, and {below} picked from them by hand. Of many tries, "
        "some show something by chance; the p-values below are not corrected for the others."
        f"{_corrected(visit)} {CONTENT}"
    )
    cited = references_of(KeptResults(tuple(result for *_, result in results)))
    how: dict[str, Any] = {"title": "aslant: kept results", "provenance": None, "content": said, "cited": cited}
    return render_page("result.html.j2", measures, **how)


@dataclass(frozen=True)
class KeptResults(Result):
    """Results side by side, of which the references are found together."""

    kind: ClassVar[str] = "kept"

    results: tuple[Any, ...]


def _corrected(visit: Visit) -> str:
    """Say what remains after the correction for all tries."""
    rows = visit.tries.tested()
    if not rows:
        return ""
    left = sum(corrected <= 0.05 for corrected in rows)
    are = "is" if left == 1 else "are"
    return f" Corrected for all tries (Holm), {left} of {plural(len(rows), 'p-value')} {are} at 0.05 or below."


def policy_of(page: str) -> str:
    """Return the policy that a report names itself, as a header has it."""
    found = POLICY.search(page)
    return f"{html.unescape(found[1])}; frame-ancestors 'none'" if found else "default-src 'none'"
