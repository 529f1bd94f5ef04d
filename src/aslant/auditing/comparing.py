"""Audits of several models side by side: the same line in each, and its difference from the first model's."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from datetime import UTC, datetime

from aslant.auditing.subjects import Subject
from aslant.errors import AslantError, plural
from aslant.measures.polarities.result import Difference
from aslant.measures.side_by_side.measure import compare
from aslant.results.audit import AuditComparison, AuditDifference, AuditResult, Glance, ModelDifference
from aslant.version import __version__

#: What makes two lines of different audits the same line.
Key = tuple[str, str, str]
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
    lines = [{_key(line): line for line in audit.glance} for audit in audits]
    keys = list(dict.fromkeys(key for found in lines for key in found))
    return AuditComparison(
        audits=tuple(audits),
        differences=tuple(_difference(key, lines, audits, paired) for key in keys),
        not_compared=not_compared,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        version=__version__,
    )


def _key(line: Glance) -> Key:
    return line.measure, line.stimuli, line.effect_name


def _difference(
    key: Key, lines: Sequence[dict[Key, Glance]], audits: Sequence[AuditResult], paired: Sequence[dict[Key, Difference]]
) -> AuditDifference:
    found = [by_key.get(key) for by_key in lines]
    values = tuple(line.effect if line else None for line in found)
    first = next(line for line in found if line)
    gaps = [
        _gap(audit.representation.name, values[0], value, pairs.get(key))
        for audit, value, pairs in zip(audits[1:], values[1:], paired, strict=True)
    ]
    return AuditDifference(first.measure, first.stimuli, first.category, first.effect_name, values, tuple(gaps))


def _gap(name: str, first: float | None, other: float | None, paired: Difference | None) -> ModelDifference:
    if first is None or other is None:
        return ModelDifference(name, None)
    if paired is not None:
        return ModelDifference(name, paired.difference, paired.interval, paired.pvalue, paired.n)
    return ModelDifference(name, other - first)


def _paired(
    audits: Sequence[AuditResult], subjects: Sequence[Subject], place: int, not_compared: dict[str, str]
) -> dict[Key, Difference]:
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
        not_compared[f"{first.name} and {other.name}"] = f"failed: {type(error).__name__}: {error}"
        warnings.warn(f"no paired differences: {type(error).__name__}: {error}", stacklevel=4)
        return {}
    lines = {_as_compared(line) for audit in pair for line in audit.glance if line.measure in measured}
    for what, why in result.not_compared.items():
        if what in lines:  # no difference is missing where neither audit has a value
            not_compared[f"{what}, {first.name} and {other.name}"] = why
    found = {("weat", test.test, "d"): test.difference for test in result.weat}
    for comparison in result.polarity:
        r = comparison.results[0]
        found["polarity", f"{r.provenance.stimuli}, {r.scheme}", "polarity"] = comparison.differences[0]
    return found


def _as_compared(line: Glance) -> str:
    """Return a line's name in a comparison: "weat-3", "polarity binary, gender-binary"."""
    classes, _, scheme = line.stimuli.partition(", ")
    return line.stimuli if line.measure == "weat" else f"polarity {scheme}, {classes}"
