"""Sentences of a left-to-right model as a tree: a common prefix is requested once, and run once where that pays.

The last token of a sentence is predicted but never read, and a context that begins another one needs no pass of its
own: only the leaves of the tree are run.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping

from aslant.models.plan import Plan, Query
from aslant.models.table import Ask, Ids

#: A prefix is run once for all where at least this many sequences share it; fewer make batches too small.
SHARED_BY = 64


class Contexts:
    """The contexts of all tokens of `sequences` but their first ones; `share`: run common prefixes once.

    >>> tree = Contexts([(1, 2, 3), (1, 2, 4), (1, 2, 4, 5)])
    >>> tree.queries()
    [Query(ids=(1, 2, 4), asks=((0, 2), (1, 3), (1, 4), (2, 5)), shared=0)]
    """

    def __init__(self, sequences: Iterable[Ids], *, share: bool = True) -> None:
        distinct = set(sequences)
        contexts = sorted({ids[:-1] for ids in distinct if len(ids) > 1})
        # In this order a context is followed at once by those that it begins.
        self.leaves = [
            ids for ids, follower in zip(contexts, [*contexts[1:], ()], strict=True) if follower[: len(ids)] != ids
        ]
        self._plan = Plan()
        for ids in distinct:
            for i in range(1, len(ids)):
                leaf = self.leaves[bisect_left(self.leaves, ids[:i])]
                self._plan.ask(leaf, i - 1, ids[i])
        self._share = share

    def queries(self) -> list[Query]:
        """Return one query for each leaf, with the length of the beginning that it shares with enough others."""
        if not self._share:
            return self._plan.queries()
        counts = Counter(leaf[:n] for leaf in self.leaves for n in range(1, len(leaf)))
        return [Query(query.ids, query.asks, _shared(query.ids, counts)) for query in self._plan.queries()]

    @staticmethod
    def by_node(answers: Mapping[tuple[Ids, Ask], float]) -> dict[tuple[Ids, int], float]:
        """Return answers by context and next token.

        >>> Contexts.by_node({((1, 2, 3), (1, 9)): -0.5})
        {((1, 2), 9): -0.5}
        """
        return {(ids[: position + 1], token): value for (ids, (position, token)), value in answers.items()}


def _shared(ids: Ids, counts: Counter[Ids]) -> int:
    return max((n for n in range(1, len(ids)) if counts[ids[:n]] >= SHARED_BY), default=0)
