"""Audits of several models side by side: the same line in each, and its difference from the first model's."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from aslant.auditing.running import now, one_line
from aslant.auditing.subjects import Subject
from aslant.errors import AslantError, plural
from aslant.measures.polarities.result import Difference
from aslant.measures.side_by_side.measure import compare
from aslant.results.audit import AuditComparison, AuditDifference, AuditResult, GlanceKey, ModelDifference
from aslant.version import __version__

#: The measures whose differences can be paired, word by word.
PAIRED = ("weat", "polarity")
BOOTSTRAP = {"quick": 500, "standard": 2_000, "full": 10_000}


def compare_audits(audits: Sequence[AuditResult], subjects: Sequence[Subject] = ()) -> AuditComparison:
    """Put audits side by side; with the `subjects` that they are of, differences of embeddings are paired.

    A paired difference uses only the words that both embeddings have (see `aslant.compare`).

    >>> import aslant
    >>> v = aslant.load()
    >>> a = aslant.audit(v, only=["weat"], profile="quick")
    >>> c = compare_audits([a, a])
    >>> [(line.stimuli, line.differences[0].difference) for line in c.differences][:2]
    [('weat-1', 0.0), ('weat-2', 0.0)]
    """
    if len(audits) < 2:
        raise AslantError(f"{plural(len(audits), 'audit')} given; a comparison needs two or more.")
    not_compared: dict[str, str] = {}
    paired = [_paired(audits, subjects, place, not_compared) for place in range(1, len(audits))]
    lines = [{line.key: line for line in audit.glance} for audit in audits]
    made = []
    for key in dict.fromkeys(key for found in lines for key in found):
        found = [by_key.get(key) for by_key in lines]
        first = next(line for line in found if line)
        values = tuple(line.effect if line else None for line in found)
        gaps = []
        for audit, value, pairs in zip(audits[1:], values[1:], paired, strict=True):
            name, pair = audit.representation.name, pairs.get(key)
            if values[0] is None or value is None:
                gaps.append(ModelDifference(name, None))
            elif pair is not None:
                gaps.append(ModelDifference(name, pair.difference, pair.interval, pair.pvalue, pair.n))
            else:
                gaps.append(ModelDifference(name, value - values[0]))
        made.append(
            AuditDifference(first.measure, first.stimuli, first.category, first.effect_name, values, tuple(gaps))
        )
    return AuditComparison(tuple(audits), tuple(made), not_compared, now(), __version__)


def _paired(
    audits: Sequence[AuditResult], subjects: Sequence[Subject], place: int, not_compared: dict[str, str]
) -> dict[GlanceKey, Difference]:
    """Return the paired differences between the first embedding and another, by line; none for language models."""
    pair = [audits[0], audits[place]]
    measured = [name for name in PAIRED if all(audit.part(name) for audit in pair)]
    if not measured or not subjects or not all("static" in subjects[at].traits for at in (0, place)):
        return {}
    first, other = subjects[0].opened, subjects[place].opened
    try:
        result = compare(first, other, bootstrap=BOOTSTRAP[audits[0].profile], rng=audits[0].seed)
    except AslantError as error:
        not_compared[f"{first.name} and {other.name}"] = str(error)
        return {}
    except Exception as error:  # an error of ours must not lose the audits, which are done
        not_compared[f"{first.name} and {other.name}"] = f"failed: {one_line(error)}"
        warnings.warn(f"no paired differences: {one_line(error)}", stacklevel=3)
        return {}
    for line in (line for audit in pair for line in audit.glance if line.measure in measured):
        classes, _, scheme = line.stimuli.partition(", ")
        what = line.stimuli if line.measure == "weat" else f"polarity {scheme}, {classes}"
        if what in result.not_compared:  # no difference is missing where neither audit has a value
            not_compared[f"{what}, {first.name} and {other.name}"] = result.not_compared[what]
    found = {("weat", test.test, "d"): test.difference for test in result.weat}
    for comparison in result.polarity:
        r = comparison.results[0]
        found["polarity", f"{r.provenance.stimuli}, {r.scheme}", "polarity"] = comparison.differences[0]
    return found
