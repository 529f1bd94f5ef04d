"""Pseudo-log-likelihoods of sentence pairs: ours, against one sentence at a time and against minicons' batches.

    python benchmarks/sentence_pairs.py                     # 24 pairs; the plan for all of the set
    python benchmarks/sentence_pairs.py --pairs 1508        # all of CrowS-Pairs

The work: CrowS-Pairs (by data name, or --set FILE) on a masked LM with random weights, which take as long as trained
ones; `--size base` is BERT-base's, `--size small` a quarter of it. Compared in one run, on the same model and pairs:

- one sentence at a time, one masked copy after the other with full logits, as circulating code works;
- minicons' `MaskedLMScorer` (within_word_l2r) in batches of sentences, if minicons is installed.

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
from transformers import BertConfig, BertForMaskedLM, BertTokenizerFast

from aslant.data import find
from aslant.measures.paired_sentences.measure import drawn_pairs, pair_set
from aslant.models.language_models import TransformersMaskedLM
from aslant.models.plan import batches, cost, merged
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


def plan(lm: TransformersMaskedLM, texts: Sequence[str]) -> str:
    """Say what would be run for texts: distinct sequences, batches, padding."""
    left_out = lm.unscorable(texts)
    cuts = lm._cuts([text for i, text in enumerate(texts) if i not in left_out])
    asked = [request for cut in cuts for request in lm._asked("within-word", cut, cut.content)]
    planned = list(batches(merged(asked), lm.network.limits))
    tokens, own = sum(map(cost, planned)), sum(len(query.ids) for batch in planned for query in batch)
    return (
        f"{len(texts):,} sentences, {len(asked):,} pieces, {sum(map(len, planned)):,} distinct sequences in "
        f"{len(planned):,} batches of at most {lm.network.limits.tokens:,} tokens; padding {1 - own / tokens:.1%}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=24)
    parser.add_argument("--set", default="crows-pairs")
    parser.add_argument("--size", choices=SIZES, default="base")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="cores that each way may use")
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
    times: dict[str, list[tuple[float, float]]] = {}
    found: dict[str, Any] = {}
    for _ in range(options.repeats):
        for name, run in runs.items():
            with use_workers(threads=options.threads):
                seconds, found[name] = timed(run)
            times.setdefault(name, []).append(seconds)
    middles = {name: [statistics.median(each) for each in zip(*values, strict=True)] for name, values in times.items()}
    for name, (clock, processor) in middles.items():
        if found[name] is None:
            print(f"{name:>14}: not installed")
            continue
        apart = max(abs(a - b) for a, b in zip(found[name], found["aslant"], strict=True))
        ratios = clock / middles["aslant"][0], processor / middles["aslant"][1]
        print(
            f"{name:>14}: {clock:7.2f} s ({ratios[0]:.2f} × ours), of the processor {processor:7.2f} s "
            f"({ratios[1]:.2f} ×); differs by at most {apart:.1e}"
        )


if __name__ == "__main__":
    main()
