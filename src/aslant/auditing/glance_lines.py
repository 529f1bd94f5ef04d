"""What results say at a glance: numbers and one plain sentence for every set of stimuli, as each measure puts it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from aslant.catalogue import kinds
from aslant.measures.shared.association import AssociationTest
from aslant.results.audit import Glance
from aslant.results.codec import MeasuredResult
from aslant.statistics import benjamini_hochberg
from aslant.stimuli import load_set
from aslant.stimuli import names as set_names


def glances(measure: str, results: Sequence[MeasuredResult], own: Mapping[str, str] | None = None) -> list[Glance]:
    """Return the lines of one measure's results; `own` gives the social categories of a user's own stimuli.

    >>> import aslant
    >>> [line] = glances("weat", [aslant.weat(aslant.load(), "weat-6")])
    >>> line.category, line.strength, line.evidence
    ('gender', 'large', 'strong')
    >>> line.sentence
    'Male names with Career, Female names with Family: a large effect (d = 1.72), strong evidence.'
    """
    tests = [r for r in results if isinstance(r, AssociationTest)]
    judged: dict[int, float] = {}
    if len(tests) > 1:  # tests that come without a suite are judged together too
        judged = {id(r): float(q) for r, q in zip(tests, benjamini_hochberg([r.pvalue for r in tests]), strict=True)}
    results = sorted(results, key=lambda r: id(r) not in judged)
    return [replace(line, measure=measure) for r in results for line in _lines(r, judged.get(id(r)), own or {})]


def category_of(stimuli: str, own: Mapping[str, str]) -> str:
    """Return the social category of a set of stimuli: that of a user's own, or of one that ships; else "none".

    >>> category_of("weat-3", {}), category_of("mine", {"mine": "caste"})
    ('race', 'caste')
    """
    if stimuli in own:
        return own[stimuli]
    return load_set(stimuli).category if stimuli in set_names() else "none"


def _lines(result: MeasuredResult, qvalue: float | None, own: Mapping[str, str]) -> list[Glance]:
    kind = kinds().get(result.kind)
    if kind is None or not kind.glance:
        return []
    given = {} if qvalue is None else {"qvalue": qvalue}
    found: list[Glance] = kind.resolve(kind.glance)(result, lambda stimuli: category_of(stimuli, own), **given)
    return found
