"""Texts that a causal model writes: sampling that depends on a text's own seed, not on its neighbours.

Each text draws its own uniform numbers and picks tokens by inverting the cumulative distribution. Batches hold
beginnings of one length, so that nothing is padded, and always have the same number of rows: a text comes out the same
alone, in any batch and in any order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aslant.errors import MeasureError
from aslant.io.keeper import Keeper, digest
from aslant.models.network import Network, fitting, memory_suffices
from aslant.models.plan import Ids, Tables
from aslant.models.protocols import Progress
from aslant.models.spelling import Cut, Speller, shown
from aslant.parallel import one_thread_each, spread, workers_in_use

#: Beginnings of texts, each with its seed.
Starts: TypeAlias = Sequence[tuple[Ids, int]]
#: Rows of every batch; where there are fewer beginnings of a length, the last one stands in it several times.
ROWS = 16
#: With this, a model is asked whether it may keep what it has read.
PROBE = "I know that she is a good doctor"


@dataclass(frozen=True)
class Sampler:
    """Continues beginnings of one length by up to `max_tokens` tokens, or until one of `ends`.

    A token is drawn from softmax(logits / temperature), reduced to the likeliest tokens whose probabilities add up to
    `top_p` (Holtzman et al. 2020). `cached`: what was read before is not read again.
    """

    network: Network
    max_tokens: int
    temperature: float
    top_p: float
    ends: frozenset[int]
    cached: bool

    def run(self, starts: Starts) -> list[Ids]:
        """Return the tokens that continue each beginning, the end token left out."""
        import torch

        given = [*starts, *[starts[-1]] * (ROWS - len(starts) + self.network.spare)]
        uniform = np.stack([np.random.default_rng(seed).random(self.max_tokens) for _, seed in given])
        texts: list[list[int]] = [list(ids) for ids, _ in given]
        length, cache = len(texts[0]), None
        ended = np.zeros(len(given), dtype=bool)
        for step in range(self.max_tokens):
            fresh = [text[-1:] for text in texts] if cache is not None else texts
            ids = torch.tensor(fresh, device=self.network.device)
            mask = torch.ones((len(given), length + step), dtype=torch.long, device=self.network.device)
            more = {"past_key_values": cache, "use_cache": True} if self.cached else {"use_cache": False}
            places = [(row, ids.shape[1] - 1) for row in range(len(given))]
            logits, output = self.network.logits(places, input_ids=ids, attention_mask=mask, **more)
            cache = output.past_key_values if self.cached else None
            for row, values in enumerate(logits.double().cpu().numpy()):
                token = drawn(values / self.temperature, self.top_p, uniform[row, step])
                ended[row] |= token in self.ends
                texts[row].append(token)
            if ended.all():
                break
        return [self._until_end(text[length:]) for text in texts[: len(starts)]]

    def _until_end(self, tokens: list[int]) -> Ids:
        stop = next((place for place, token in enumerate(tokens) if token in self.ends), len(tokens))
        return tuple(tokens[:stop])


def drawn(logits: NDArray[np.float64], top_p: float, uniform: float) -> int:
    """Draw a token by a number between 0 and 1 from logits (vocabulary,), of which the likeliest `top_p` count.

    >>> logits = np.log([0.1, 0.6, 0.3])
    >>> [drawn(logits, 1.0, u) for u in (0.0, 0.59, 0.61, 0.95)], drawn(logits, 0.8, 0.95)
    ([1, 1, 2, 0], 2)
    """
    likely = np.exp(logits - logits.max())
    likely /= likely.sum()
    if not np.isfinite(likely).all():
        raise MeasureError("the model returns NaN: its weights are damaged, or their type is too small.")
    kept = np.flatnonzero(likely > (1 - top_p) / likely.size)  # all others together are less than 1 − top_p
    order = kept[np.argsort(-likely[kept], kind="stable")]
    sums = np.cumsum(likely[order])
    within = min(int(np.searchsorted(sums, top_p)), len(sums) - 1)
    return int(order[min(int(np.searchsorted(sums[: within + 1], uniform * sums[within], side="right")), within)])


class TextWriter:
    """What lets a causal model write texts; see `aslant.models.WritesTexts`."""

    name: str
    network: Network
    speller: Speller
    fingerprint: str
    journal: Any

    def _cuts(self, texts: Sequence[str]) -> list[Cut]:
        raise NotImplementedError

    def _reason(self, cut: Cut) -> str:
        raise NotImplementedError

    def unwritable(self, prompts: Sequence[str], max_tokens: int) -> dict[int, str]:
        """Return, for each prompt that cannot be continued by this many tokens, by its index, the reason."""
        cuts = self._cuts(prompts)
        return {place: reason for place, cut in enumerate(cuts) if (reason := self._refused(cut, max_tokens))}

    def _refused(self, cut: Cut, max_tokens: int) -> str:
        longest, pieces = self.speller.longest, cut.content.stop
        if longest is not None and pieces + max_tokens > longest:
            return f"{shown(cut.text)} and {max_tokens} tokens are more than the {longest} that '{self.name}' takes"
        return self._reason(cut)

    def continuations(
        self,
        prompts: Sequence[tuple[str, int]],
        *,
        max_tokens: int = 40,
        temperature: float = 1.0,
        top_p: float = 1.0,
        journal: Any = None,
        progress: Progress | None = None,
    ) -> list[str]:
        """Continue prompts, each with a seed of its own, in their order; what a journal has is not written again."""
        cuts = self._cuts([prompt for prompt, _ in prompts])
        if refused := next(filter(None, (self._refused(cut, max_tokens) for cut in cuts)), ""):
            raise MeasureError(f"{refused}; leave it out.")
        starts = [(cut.ids[: cut.content.stop], seed) for cut, (_, seed) in zip(cuts, prompts, strict=True)]
        sampler = Sampler(self.network, max_tokens, temperature, top_p, self._ends(), self.caches)
        found = self._written(sampler, list(dict.fromkeys(starts)), journal, progress)
        decode = self.speller.tokenizer.decode
        before = {ids: decode(ids, skip_special_tokens=True) for ids, _ in starts}
        # With what precedes them: by themselves, first tokens may lose their space.
        return [decode((*ids, *found[ids, seed]), skip_special_tokens=True)[len(before[ids]) :] for ids, seed in starts]

    @cached_property
    def caches(self) -> bool:
        """Whether the model gives the same numbers where what was read before is not read again."""
        ids = self._cuts([PROBE])[0].ids

        def compared() -> bool:
            plain = _last(self.network, ids, use_cache=False)[0]
            before = _last(self.network, ids[:-1], use_cache=True)[1].past_key_values
            again = _last(self.network, ids[-1:], len(ids), use_cache=True, past_key_values=before)[0]
            return self.network.agree(again, plain)

        return bool(fitting(compared))

    def _ends(self) -> frozenset[int]:
        ends = getattr(getattr(self.network.model, "generation_config", None), "eos_token_id", None)
        named = ends if isinstance(ends, list) else [ends]
        return frozenset(int(token) for token in (*named, self.speller.tokenizer.eos_token_id) if token is not None)

    def _written(
        self, sampler: Sampler, starts: list[tuple[Ids, int]], journal: Any, progress: Progress | None
    ) -> dict[tuple[Ids, int], Ids]:
        """Return the tokens that continue each beginning: those that were kept, and the others, kept batch by batch."""
        folder = (journal if isinstance(journal, Tables) else Tables(journal)).folder or Tables(self.journal).folder
        keeper = None if folder is None else Keeper(folder)
        how = (sampler.max_tokens, sampler.temperature, sampler.top_p, sorted(sampler.ends), str(self.network.dtype))
        keys = {start: f"written-{self.fingerprint}/{digest(repr((how, start)).encode())}" for start in starts}
        kept = keeper.among(keys.values()) if keeper else {}
        found = {start: _tokens(kept[key]) for start, key in keys.items() if key in kept}
        unknown = [start for start in starts if start not in found]
        here = 1 if self.network.alone and workers_in_use() is None else None
        plan = list(_of_one_length(unknown))
        answers = spread(Sampler.run, plan, sampler, here)
        with memory_suffices(self.name), one_thread_each(), closing(answers):
            for batch, texts in zip(plan, answers, strict=True):
                new = dict(zip(batch, texts, strict=True))
                found |= new
                if keeper:
                    keeper.keep({keys[start]: np.array(text, "<u4").tobytes() for start, text in new.items()})
                if progress is not None:
                    progress("texts", len(found), len(starts))
        return found


def _last(network: Network, ids: Ids, length: int = 0, **more: Any) -> tuple[Any, Any]:
    """Return log-probabilities after the last token, and all that the model returned; `length`: of all tokens."""
    import torch

    row = torch.tensor([ids], device=network.device)
    mask = torch.ones((1, length or len(ids)), dtype=torch.long, device=network.device)
    logits, output = network.logits([(0, len(ids) - 1)], input_ids=row, attention_mask=mask, **more)
    return torch.log_softmax(logits[0], dim=-1).cpu().numpy(), output


def _of_one_length(starts: Starts) -> Iterator[list[tuple[Ids, int]]]:
    """Yield batches of beginnings of one length."""
    for _, group in groupby(sorted(starts, key=lambda start: (len(start[0]), start)), key=lambda start: len(start[0])):
        alike = list(group)
        yield from (alike[at : at + ROWS] for at in range(0, len(alike), ROWS))


def _tokens(content: bytes) -> Ids:
    return tuple(np.frombuffer(content, "<u4").tolist())
