"""Two language models on the same pairs of sentences: McNemar's test, with clusters of pairs as the unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from aslant import statistics
from aslant.errors import MeasureError
from aslant.measures.paired_sentences.result import (
    ALL,
    PairsComparisonResult,
    PairScore,
    PairsDisagreement,
    SentencePairsResult,
)
from aslant.measures.paired_sentences.statistic import clusters_of


def compare_pairs(first: SentencePairsResult, second: SentencePairsResult) -> PairsComparisonResult:
    """Compare how often two models find the more stereotyping sentence of the same pairs more probable.

    Only pairs that both have scored, and neither as equal, are compared. The p-value is two-sided and exact.

    >>> import aslant, tempfile, pathlib  # here, any_lm is a small model; aslant.load_lm(…) opens real ones
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "mine.csv"
    >>> rows = ["sent_more,sent_less,bias_type", "She is a nurse.,He is a nurse.,gender"]
    >>> _ = file.write_text(chr(10).join(rows), encoding="utf-8")
    >>> p = aslant.sentence_pairs(any_lm, file, twins=0, bootstrap=0)
    >>> aslant.compare_pairs(p, p).groups[0].pvalue
    1.0
    """
    if not isinstance(first, SentencePairsResult) or not isinstance(second, SentencePairsResult):
        raise MeasureError("compare_pairs takes two results of aslant.sentence_pairs(…).")
    other = {pair.id: pair for pair in second.pairs}
    both = [
        (pair, other[pair.id])
        for pair in first.pairs
        if pair.id in other and pair.counted and not pair.equal and not other[pair.id].equal
    ]
    if first.dataset != second.dataset or not both or any(a.more != b.more or a.less != b.less for a, b in both):
        raise MeasureError(f"'{first.title}' and '{second.title}' have not been measured on the same pairs.")
    groups = [_group(ALL, both)]
    groups += [_group(name, [two for two in both if two[0].category == name]) for name in first.by_category]
    groups = [group for group in groups if group.n]
    known = statistics.known_qvalues([group.pvalue for group in groups[1:]])
    tested = [replace(group, qvalue=q) for group, q in zip(groups[1:], known, strict=True)]
    names = [each.provenance.representation.name for each in (first, second)]
    return PairsComparisonResult(
        first.dataset, first.title, names[0], names[1], (first.score, second.score), (groups[0], *tested),
        replace(first.provenance, settings={**first.provenance.settings, "against": second.provenance.settings}),
    )  # fmt: skip


def _group(name: str, both: Sequence[tuple[PairScore, PairScore]]) -> PairsDisagreement:
    ours = np.array([a.difference > 0 for a, _ in both], dtype=bool)
    theirs = np.array([b.difference > 0 for _, b in both], dtype=bool)
    signs = ours.astype(int) - theirs.astype(int)
    sums = np.bincount(clusters_of([a.cluster for a, _ in both]), signs).astype(int) if both else signs
    return PairsDisagreement(
        name, len(both), float(ours.mean()) if both else 0.0, float(theirs.mean()) if both else 0.0,
        int((ours & theirs).sum()), int((signs > 0).sum()), int((signs < 0).sum()), int((~ours & ~theirs).sum()),
        statistics.sign_count_pvalue(sums),
    )  # fmt: skip
