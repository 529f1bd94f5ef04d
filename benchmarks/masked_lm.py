"""Log-probability scores of a masked LM of BERT-base's size: ours, against what the authors' code and a pipeline do.

    python benchmarks/masked_lm.py                                     # 2,000 generated job titles
    python benchmarks/masked_lm.py --titles job_titles_salary_2017.tsv # the paper's (first column, header)

The work: he and she with each job title in "[TARGET] is a [ATTRIBUTE]." and the paper's template sets (WEAT 1, 3, 6, 7,
8). Weights are random: they take as long as trained ones. The vocabulary is that of bert-base-uncased if the data name
all-minilm-l6-v2 is here, else one of the same size made from the words. Compared on this machine, one after the other:

- one sentence at a time with full logits, four passes for an attribute (two targets, each with the attribute shown and
  masked), as the authors' code works;
- transformers' `fill-mask` pipeline with `targets=` and the same batch size: each sentence as the user would write it
  (two for an attribute); and, to be fair, with distinct sentences only.

The slow ones are timed on a random sample of the requests and scaled. Times are of the processor, on one thread unless
told otherwise, so that what else this machine does counts little. Needs the `lm` extra.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import BertConfig, BertForMaskedLM, BertTokenizerFast, FillMaskPipeline
from transformers.utils import logging

from aslant.models import Sentence
from aslant.models.language_models import TransformersMaskedLM
from aslant.stimuli import TemplateSet, all_sets

RANKS = ("senior", "junior", "chief", "assistant", "deputy", "lead", "head", "principal", "associate", "acting")
FIELDS = (
    "medical",
    "legal",
    "software",
    "fire",
    "school",
    "police",
    "library",
    "data",
    "human resources",
    "public works",
)
ROLES = ("engineer", "officer", "manager", "clerk", "analyst", "technician", "director", "specialist", "coordinator", "inspector", "planner", "nurse", "aide", "teacher", "supervisor", "electrician", "custodian", "examiner", "counselor", "accountant")  # fmt: skip  # noqa: E501
TEMPLATE = "[TARGET] is a [ATTRIBUTE]."


def job_titles(path: Path | None, count: int) -> list[str]:
    if path is None:
        return [f"{rank} {field} {role}" for rank in RANKS for field in FIELDS for role in ROLES][:count]
    rows = path.read_text(encoding="utf-8").splitlines()[1:]
    return list(dict.fromkeys(title for row in rows if (title := row.split("\t")[0].strip())))[:count]


def requests(titles: Sequence[str]) -> list[tuple[Sentence, Sentence]]:
    """Pairs of sentences, one for each of two targets, that are compared."""
    pairs = [(Sentence(TEMPLATE, "he", title), Sentence(TEMPLATE, "she", title)) for title in titles]
    for found in all_sets():
        if not isinstance(found, TemplateSet):
            continue
        words = [word for group in found.attributes for word in group.words]
        for template in found.templates:
            first, second = (template.targets or tuple(g.words for g in found.targets))[:2]
            for a, b in zip(first, second, strict=False):
                pairs += [(Sentence(template.text, a, word), Sentence(template.text, b, word)) for word in words]
    return pairs


def tokenizer(words: Sequence[str]) -> Any:
    from aslant.data import find

    if folder := find("all-minilm-l6-v2"):
        return BertTokenizerFast.from_pretrained(folder)
    from tokenizers import BertWordPieceTokenizer

    core = BertWordPieceTokenizer()
    core.train_from_iterator(list(words), vocab_size=8000, show_progress=False, min_frequency=3)
    vocabulary = core.get_vocab()
    vocabulary |= {f"[unused{i}]": i for i in range(len(vocabulary), 30522)}
    return BertTokenizerFast(vocab=vocabulary)


def timed(call: Callable[[], Any], repeats: int = 1) -> float:
    times = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return statistics.median(times)


def masked_texts(sentence: Sentence, tok: Any) -> tuple[str, str]:
    shown = sentence.template.replace("[TARGET]", "[MASK]")
    masks = " ".join(["[MASK]"] * len(tok.tokenize(sentence.attribute)))
    return shown.replace("[ATTRIBUTE]", sentence.attribute), shown.replace("[ATTRIBUTE]", masks)


@torch.no_grad()
def as_the_authors(model: Any, tok: Any, pairs: Sequence[tuple[Sentence, Sentence]]) -> list[float]:
    found = []
    for pair in pairs:
        for sentence in pair:
            for text in masked_texts(sentence, tok):
                inputs = tok(text, return_tensors="pt")
                probabilities = torch.softmax(model(**inputs).logits[0], dim=-1)
                place = inputs["input_ids"][0].tolist().index(tok.mask_token_id)
                found.append(float(probabilities[place, tok.convert_tokens_to_ids(sentence.target)].log()))
    return found


def with_pipeline(pipe: Any, pairs: Sequence[tuple[Sentence, Sentence]], size: int, distinct: bool) -> None:
    by_targets: dict[tuple[str, str], list[str]] = {}
    for a, b in pairs:
        by_targets.setdefault((a.target, b.target), []).extend(masked_texts(a, pipe.tokenizer))
    for targets, texts in by_targets.items():
        pipe(list(dict.fromkeys(texts)) if distinct else texts, targets=list(targets), batch_size=size)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--titles", type=Path)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--sample", type=int, default=60, help="pairs that the slow ones are timed on")
    parser.add_argument("--budget", type=int, help="tokens at once; none: the default")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    logging.set_verbosity_error()
    torch.set_num_threads(options.threads)
    pairs = requests(job_titles(options.titles, options.count))
    tok = tokenizer([sentence.text for pair in pairs for sentence in pair])
    torch.manual_seed(0)
    model = BertForMaskedLM(BertConfig(vocab_size=len(tok))).eval()
    lm = TransformersMaskedLM(model, tok, "bert-base", token_budget=options.budget)
    sample = random.Random(0).sample(pairs, options.sample)
    scale = len(pairs) / len(sample)
    lm.masked_scores([sentence for pair in sample for sentence in pair])  # warm
    before, calls = lm.passes, []
    counting = model.register_forward_pre_hook(lambda _module, _inputs: calls.append(1))
    ours = timed(lambda: lm.masked_scores([sentence for pair in pairs for sentence in pair]))
    passes = lm.passes - before
    counting.remove()
    print(f"{len(pairs):,} pairs of sentences, {torch.get_num_threads()} threads, torch {torch.__version__}")
    print(f"ours: {ours:.1f} s for {passes:,} distinct masked sentences in {len(calls)} batches")

    one = timed(lambda: as_the_authors(model, tok, sample)) * scale
    theirs = as_the_authors(model, tok, sample[:5])
    mine = [value for s in lm.masked_scores([s for p in sample[:5] for s in p]) for value in (s.target, s.prior)]
    print(f"largest difference of a log-probability: {max(abs(a - b) for a, b in zip(theirs, mine, strict=True)):.1e}")
    print(f"one sentence at a time, full logits: {one:.1f} s (from {len(sample)} pairs): {one / ours:.1f}× (goal 8×)")

    size = round(passes / len(calls))
    pipe = FillMaskPipeline(model=model, tokenizer=tok, device="cpu")
    larger = random.Random(1).sample(pairs, min(len(pairs), 8 * options.sample))
    for distinct, what in ((False, "each sentence"), (True, "distinct sentences only")):
        slow = timed(lambda distinct=distinct: with_pipeline(pipe, larger, size, distinct)) * len(pairs) / len(larger)
        goal = "" if distinct else " (goal 2.5×)"
        print(f"fill-mask, batches of {size}, {what}: {slow:.1f} s (from {len(larger)}): {slow / ours:.1f}×{goal}")


if __name__ == "__main__":
    main()
