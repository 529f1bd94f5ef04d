"""Causal language models of transformers: log-likelihoods, shared beginnings run once (docs/definitions.md §7)."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from aslant.errors import DataError
from aslant.models.masked import PROBES, describe, longest, recorded
from aslant.models.network import MISFITS, Network, Reading, agree, memory_suffices, out_of_memory
from aslant.models.plan import Plan, Query, answered
from aslant.models.protocols import CausalScore, Progress, Sentence
from aslant.models.spelling import Speller, Spelling
from aslant.models.table import Ask, Ids, Values, table_in

#: A prefix is run once for all where at least this many sequences share it; fewer make batches too small.
SHARED_BY = 64


class Contexts:
    """The contexts of all tokens of `sequences` but their first ones, as a tree of which only the leaves are run.

    A sentence's last token is predicted but never read. `share`: let common beginnings be run once where it pays.

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


class CausalNetwork(Network):
    """A left-to-right network, which can continue from the cache of a prefix."""

    def continued(self, batch: Sequence[Query]) -> list[Values]:
        """Return the answers; distinct prefixes of `shared` tokens (the same in all queries) are run once each."""
        shared = batch[0].shared
        if not shared:
            return self.log_probabilities(batch)
        heads: dict[Ids, int] = {}
        head_of = [heads.setdefault(query.ids[:shared], len(heads)) for query in batch]
        early, late = Reading(), Reading()
        for row, query in enumerate(batch):
            for position, token in query.asks:
                if position < shared:
                    early.add(head_of[row], position, token)
                else:
                    late.add(row, position - shared, token)
        before, cache = self._begin(list(heads), early)
        after = self._go_on([query.ids[shared:] for query in batch], late, cache, head_of)
        return [
            tuple(next(before) if position < shared else next(after) for position, _ in query.asks) for query in batch
        ]

    def _begin(self, heads: list[Ids], reading: Reading) -> tuple[Iterator[float], Any]:
        """Run prefixes of one length; return the answers for them, and the cache."""
        ids, mask = self.padded(heads)
        logits, output = self.logits(reading.places, input_ids=ids, attention_mask=mask, use_cache=True)
        return reading.values(logits), output.past_key_values

    def _go_on(self, rests: list[Ids], reading: Reading, cache: Any, head_of: list[int]) -> Iterator[float]:
        """Run what follows the prefixes, each after its own."""
        import torch

        cache.batch_select_indices(torch.tensor(head_of, device=self.device))
        ids, mask = self.padded(rests)
        seen = mask.new_ones(len(rests), cache.get_seq_length())
        mask = torch.cat([seen, mask], dim=1)
        logits, _ = self.logits(
            reading.places, input_ids=ids, attention_mask=mask, past_key_values=cache, use_cache=True
        )
        return reading.values(logits)


class TransformersCausalLM:
    """A left-to-right model with its tokenizer; see `aslant.models.CausalLM` for its methods.

    `passes` counts the sequences run: a sentence's last piece needs no pass, nor does a prefix of another sentence.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        name: str,
        *,
        token_budget: int | None = None,
        capitalise: bool = True,
        journal: Any = None,
        note: str = "",
    ) -> None:
        self.name = name
        self.folder: Path | None = None  #: what it was loaded from, see `aslant.models.identity_of`
        self.network = CausalNetwork(model, int(tokenizer.pad_token_id or 0), token_budget)
        begin, beginning = beginning_of(tokenizer, self.network.vocabulary)
        self.speller = Speller(tokenizer, capitalise=capitalise, longest=longest(model, tokenizer), begin=begin)
        self.journal = journal
        with memory_suffices(name):
            checked = self._check()
        self.note = describe(note, *checked, beginning, self.speller)
        self.fingerprint = self.network.fingerprint(tokenizer.get_vocab())
        self._runner = self.network.runner(self.network.continued)

    def _check(self) -> list[str]:
        """Try the model out; return notes on it."""
        spelt = [found for found in self.speller.try_spell(PROBES) if isinstance(found, Spelling)]
        probes = [found.ids for found in spelt] or [(1, 2, 3), (1, 2, 3, 4, 5)]
        checked = self.network.check(probes)
        if self.network.looks_ahead(probes):
            raise DataError(
                f"'{self.name}' ({type(self.network.model).__name__}) looks at the words that follow, so it is not a "
                "causal language model; if it fills masks, let its config.json name an architecture in …ForMaskedLM."
            )
        self.shares = not self.network.one_by_one and self._sharing_agrees(probes)
        alone = "" if self.shares else "common prefixes are run each time: its cache does not give the same numbers"
        return [checked, alone]

    @property
    def passes(self) -> int:
        """How many sequences this model has been run on."""
        return self._runner.passes

    def record(self) -> dict[str, Any]:
        """Return the fields of `aslant.results.Representation`."""
        return recorded(self, self.network, "causal")

    def unplaceable(self, sentences: Sequence[Sentence]) -> dict[int, str]:
        """Return, for each sentence that cannot be scored, by its index, the reason."""
        return {i: found for i, found in enumerate(self.speller.try_spell(sentences)) if isinstance(found, str)}

    def causal_scores(
        self, sentences: Sequence[Sentence], *, journal: Any = None, progress: Progress | None = None
    ) -> list[CausalScore]:
        """Score sentences, in their order; common beginnings share one pass.

        A piece with nothing before it has no probability, so a sentence without a beginning token (the record
        says whether there is one) counts from its second piece; `unweighed` tells where that is the target's.
        """
        spelt = self.speller.spell(sentences)
        contexts = Contexts([found.ids[: found.content.stop] for found in spelt], share=self.shares)
        table = table_in(journal, self.network.table_name("causal", self.fingerprint), self.journal)
        answers = contexts.by_node(answered(contexts.queries(), self._runner, table, progress))
        return [self._score(found, answers) for found in spelt]

    def _score(self, found: Spelling, answers: dict[tuple[Ids, int], float]) -> CausalScore:
        values = {i: answers[found.ids[:i], found.ids[i]] for i in found.content if i > 0}
        follows = found.attribute.start > found.target.start
        return CausalScore(
            continuation=sum(v for i, v in values.items() if i >= found.target.stop) if follows else None,
            sentence=sum(values.values()),
            pieces=self.speller.pieces(found.ids[i] for i in found.target),
            attribute_pieces=self.speller.pieces(found.ids[i] for i in found.attribute),
            unweighed=found.target.start == 0,
        )

    def _sharing_agrees(self, probes: Sequence[Ids]) -> bool:
        """Tell whether continuing from a cache gives the same as whole sequences."""
        queries = [Query(ids, tuple((i, ids[i + 1]) for i in range(len(ids) - 1)), shared=2) for ids in probes]
        plain = sum(self.network.log_probabilities(queries), ())
        try:
            found = sum(self.network.continued(queries), ())
        except MISFITS as error:
            if out_of_memory(error):
                raise
            return False
        return agree(found, plain, self.network.tolerance)


def beginning_of(tokenizer: Any, vocabulary: int) -> tuple[int | None, str]:
    """Return the token to put before each sentence, if the tokenizer has one and does not do so, and a note."""
    ids = tokenizer("He is", return_special_tokens_mask=True)
    if ids["special_tokens_mask"][0]:
        return None, f"sentences begin with {tokenizer.convert_ids_to_tokens(ids['input_ids'][0])}"
    begin = tokenizer.bos_token_id
    if begin is not None and 0 <= begin < vocabulary:
        return int(begin), f"sentences begin with {tokenizer.bos_token}, which the tokenizer has but does not add"
    return None, "no beginning token, so a sentence's first piece has no probability"
