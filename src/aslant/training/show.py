"""What was trained, as a table."""

from __future__ import annotations

from collections.abc import Iterator

from aslant.errors import plural
from aslant.report.tables import Column, Table, plain, small
from aslant.training.result import TrainingResult
from aslant.training.settings import FEWEST_TOKENS

#: With fewer documents than this, drawing them anew says little.
FEW_DOCUMENTS = 50
#: Settings that are worth a line, in the order of a sentence.
SHOWN = ("dimensions", "window", "min_count", "epochs", "x_max", "negative", "sample", "buckets")


def training_table(result: TrainingResult) -> Table:
    """Describe every period: how much text, how many words, and how far its trainings agree."""
    columns: tuple[Column, ...] = (
        Column("period", "period", plain, "left"),
        Column("documents", "documents", lambda n: f"{n:,}"),
        Column("tokens", "tokens", lambda n: f"{n:,}"),
        Column("words", "words", lambda n: f"{n:,}"),
        Column("trainings", "trainings", str),
        Column("overlap", "neighbours shared", small),
        Column("cosine_sd", "sd of a cosine", small),
    )
    rows = result.rows()
    if all(row["overlap"] is None for row in rows):
        columns = columns[:-2]
    title = f"Trained by {result.method} on {result.provenance.representation.name}"
    return Table(title, columns, rows, tuple(_remarks(result)))


def _remarks(result: TrainingResult) -> Iterator[str]:
    used = result.provenance.settings
    told = ", ".join(f"{name.replace('_', ' ')} {used[name]:g}" for name in SHOWN if name in used)
    yield f"{told}; seed {result.provenance.seed}; a document is a {result.unit}"
    if result.too_small:
        named = ", ".join(f"{name} ({size:,})" for name, size in list(result.too_small.items())[:12])
        yield f"left out, with fewer than {FEWEST_TOKENS:,} tokens: {named}"
    if result.undated:
        yield f"left out, without a period: {plural(result.undated, 'document')}"
    resampled = any(run.resampled for period in result.periods for run in period.runs)
    yield from _agreements(result, resampled=resampled)
    for period in result.periods:
        if resampled and period.documents < FEW_DOCUMENTS:
            few = plural(period.documents, "document")
            yield f"{period.period}: only {few} to draw from, which understates the spread"
    if all(period.agreement is None for period in result.periods):
        yield "one training is one draw: repeat it with several runs, or a bootstrap, before you rely on single words"


def _agreements(result: TrainingResult, *, resampled: bool) -> Iterator[str]:
    """Say how far trainings agree, once for all periods of which the same can be said."""
    whose = "trainings on documents drawn anew" if resampled else "trainings that differ in their seed only"
    found = [(period.period, period.agreement) for period in result.periods if period.agreement is not None]
    for means in dict.fromkeys(agreement.means() for _, agreement in found):
        same = [(name, agreement) for name, agreement in found if agreement.means() == means]
        near = same[0][1].neighbours
        shared = _between([agreement.overlap * near for _, agreement in same], ".1f")
        chance = _between([agreement.chance * near for _, agreement in same], ".2g")
        where = f"{', '.join(name for name, _ in same)}: " if len(found) > 1 else ""
        yield f"{where}two {whose} share {shared} of {near} nearest neighbours (chance: {chance}); {means}"


def _between(values: list[float], form: str) -> str:
    low, high = format(min(values), form), format(max(values), form)
    return low if low == high else f"{low} to {high}"
