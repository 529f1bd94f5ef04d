"""Pseudo-log-likelihoods of sentence pairs: ours, against one sentence at a time and against minicons' batches.

    python benchmarks/sentence_pairs.py                     # 24 pairs; the plan for all of the set
    python benchmarks/sentence_pairs.py --pairs 1508        # all of CrowS-Pairs
    python benchmarks/sentence_pairs.py --dtype bfloat16    # ours also with numbers of 16 bits

The work: CrowS-Pairs (by data name, or --set FILE) on a masked LM with random weights, which take as long as trained
ones; `--size base` is BERT-base's, `--size small` a quarter of it. Compared in one run, on the same model and pairs:

- one sentence at a time, one masked copy after the other with full logits, as circulating code works;
- minicons' `MaskedLMScorer` (within_word_l2r) in batches of sentences, if minicons is installed.

With `--dtype`, the same weights rounded to that type are a further row: how much faster, how far its scores are from
those in float32, and how many pairs change sides. The last line says how near ours in float32 is to what this processor
can do at all: multiplications that the encoder's layers need (2 × their weights × tokens, without padding; those of the
last layer that are not needed count, too) in a second of the processor, as a share of what one large product of
matrices reaches in the same run, by the same library.

Both the clock and the processor are read: each way may use every core (torch's own threads, or our batches side by
side), so on a quiet machine the clock tells how long one waits; the processor's time, with `--threads 1`, how much
work it is, whatever else the machine does. Needs the `lm` extra.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import torch
from torch.nn.functional import linear
from transformers import BertConfig, BertForMaskedLM, BertTokenizerFast

from aslant.data import find
from aslant.measures.paired_sentences.measure import drawn_pairs, pair_set
from aslant.models.language_models import TransformersMaskedLM
from aslant.models.plan import Query, batches, cost, merged
from aslant.models.products import inference
from aslant.parallel import use_workers

SIZES = {"base": (768, 12, 12, 3072), "small": (384, 6, 12, 1536)}


def model_of(size: str, tokenizer: Any) -> Any:
    width, layers, heads, inner = SIZES[size]
    torch.manual_seed(0)
    shape = {"hidden_size": width, "num_hidden_layers": layers, "num_attention_heads": heads}
    return BertForMaskedLM(BertConfig(vocab_size=len(tokenizer), intermediate_size=inner, **shape)).eval()


@torch.no_grad()
def one_at_a_time(model: Any, tokenizer: Any, texts: Sequence[str]) -> list[float]:
    """Mask one piece (and the later ones of its word) after the other, and run the whole model for each."""
    found = []
    for text in texts:
        encoded = tokenizer(text)
        ids, words, total = encoded["input_ids"], encoded.word_ids(), 0.0
        for i, word in enumerate(words):
            if word is None:
                continue
            given = [tokenizer.mask_token_id if w == word and j >= i else t for j, (t, w) in enumerate(zip(ids, words, strict=True))]  # fmt: skip  # noqa: E501
            logits = model(input_ids=torch.tensor([given])).logits[0]
            total += float(torch.log_softmax(logits, dim=-1)[i, ids[i]])
        found.append(total)
    return found


def by_minicons(model: Any, tokenizer: Any, texts: Sequence[str], size: int) -> list[float] | None:
    if find_spec("minicons") is None:
        return None
    scorer = import_module("minicons.scorer").MaskedLMScorer(model, "cpu", tokenizer=tokenizer)
    if not hasattr(tokenizer, "batch_encode_plus"):  # which transformers 5 no longer has, and minicons 0.3 calls
        scorer.tokenizer.batch_encode_plus = tokenizer.__call__
    found: list[float] = []
    for start in range(0, len(texts), size):
        part = list(texts[start : start + size])
        found += scorer.sequence_score(part, reduction=lambda x: x.sum(0).item(), PLL_metric="within_word_l2r")
    return found


def timed(run: Callable[[], Any]) -> tuple[tuple[float, float], Any]:
    """Return seconds of the clock and of the processor, and what was found."""
    clock, processor = time.perf_counter(), time.process_time()
    found = run()
    return (time.perf_counter() - clock, time.process_time() - processor), found


def planned(lm: TransformersMaskedLM, texts: Sequence[str]) -> tuple[list[list[Query]], int]:
    """Return what would be run for texts, in batches, and for how many pieces."""
    left_out = lm.unscorable(texts)
    cuts = lm._cuts([text for i, text in enumerate(texts) if i not in left_out])
    asked = [request for cut in cuts for request in lm._asked("within-word", cut, cut.content)]
    return list(batches(merged(asked), lm.network.limits)), len(asked)


def own_tokens(found: Sequence[Sequence[Query]]) -> int:
    """Return how many tokens batches are without padding."""
    return sum(len(query.ids) for batch in found for query in batch)


def plan(lm: TransformersMaskedLM, texts: Sequence[str]) -> str:
    """Say what would be run for texts: distinct sequences, batches, padding."""
    found, pieces = planned(lm, texts)
    tokens, own = sum(map(cost, found)), own_tokens(found)
    return (
        f"{len(texts):,} sentences, {pieces:,} pieces, {sum(map(len, found)):,} distinct sequences in "
        f"{len(found):,} batches of at most {lm.network.limits.tokens:,} tokens; padding {1 - own / tokens:.1%}"
    )


def peak(size: int = 2048, repeats: int = 5) -> float:
    """Return operations in a second of the processor that a large product of float32 matrices reaches, at best."""
    first, second = torch.randn(size, size), torch.randn(size, size)
    with inference(fast=True):
        return max(2 * size**3 / timed(lambda: linear(first, second))[0][1] for _ in range(repeats))


def told(name: str, middles: dict[str, list[float]], found: dict[str, Any]) -> str:
    """Say how long one way took, beside the others, and how far its scores are from ours."""
    if found[name] is None:
        return f"{name:>16}: not installed"
    (clock, processor), ours = middles[name], found["aslant"]
    pairs = [(a - b, c - d) for a, b, c, d in zip(found[name][::2], found[name][1::2], ours[::2], ours[1::2], strict=True)]  # fmt: skip  # noqa: E501
    apart = max(abs(a - b) for a, b in zip(found[name], ours, strict=True))
    ratios = clock / middles["aslant"][0], processor / middles["aslant"][1]
    sides = sum((own > 0) != (other > 0) for own, other in pairs)
    return (
        f"{name:>16}: {clock:7.2f} s ({ratios[0]:.2f} × ours), of the processor {processor:7.2f} s "
        f"({ratios[1]:.2f} ×); differs by at most {apart:.1e}; {sides} of {len(pairs)} pairs change sides"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=24)
    parser.add_argument("--set", default="crows-pairs")
    parser.add_argument("--size", choices=SIZES, default="base")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="cores that each way may use")
    parser.add_argument("--dtype", choices=["bfloat16", "float16"], help="ours also with weights rounded to this type")
    parser.add_argument("--batch", type=int, default=10, help="sentences in a batch of minicons'")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    folder = find("all-minilm-l6-v2")
    if folder is None:
        parser.error("get the vocabulary first: aslant data get all-minilm-l6-v2")
    tokenizer = BertTokenizerFast.from_pretrained(folder)
    model = model_of(options.size, tokenizer)
    lm = TransformersMaskedLM(model, tokenizer, options.size)
    every = pair_set(options.set).pairs
    print("plan for the whole set:", plan(lm, [text for pair in every for text in (pair.more, pair.less)]))
    texts = [text for pair in drawn_pairs(every, options.pairs, 0) for text in (pair.more, pair.less)]
    runs: dict[str, Callable[[], Any]] = {
        "aslant": lambda: [score.total for score in lm.text_scores(texts)],
        "minicons": lambda: by_minicons(model, tokenizer, texts, options.batch),
        "one at a time": lambda: one_at_a_time(model, tokenizer, texts),
    }
    if options.dtype:
        small = model_of(options.size, tokenizer).to(getattr(torch, options.dtype))  # the same seed
        short = TransformersMaskedLM(small, tokenizer, options.dtype)
        runs[f"aslant, {options.dtype}"] = lambda: [score.total for score in short.text_scores(texts)]
    times: dict[str, list[tuple[float, float]]] = {}
    found: dict[str, Any] = {}
    for _ in range(options.repeats):
        for name, run in runs.items():
            with use_workers(threads=options.threads):
                seconds, found[name] = timed(run)
            times.setdefault(name, []).append(seconds)
    middles = {name: [statistics.median(each) for each in zip(*values, strict=True)] for name, values in times.items()}
    for name in middles:
        print(told(name, middles, found))
    layers = sum(weight.numel() for weight in model.base_model.encoder.parameters())
    reached, most = 2 * layers * own_tokens(planned(lm, texts)[0]) / middles["aslant"][1], peak()
    print(
        f"layers: {reached / 1e9:.0f} billion operations in a second of the processor, {reached / most:.0%} of the "
        f"{most / 1e9:.0f} that a product of two large float32 matrices reaches"
    )


if __name__ == "__main__":
    main()
