"""Kinds of models, batched against one by one: each row is a kind, with how long both ways take on the same work.

    python benchmarks/models.py                    # every kind that can be run here
    python benchmarks/models.py encoder --model ./all-MiniLM-L6-v2

A kind is a function in `KINDS` that returns rows; to add one, write it and name it there. Times are of the processor,
so that what else runs here counts little; the slow way is timed on a sample and scaled. Needs the `lm` extra.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

#: Sentences that the slow way is timed on.
SAMPLE = 200
FEW = 60


@dataclass(frozen=True)
class Row:
    """One comparison: what was done, how often, and the seconds of both ways."""

    kind: str
    work: str
    count: int
    slow: float
    fast: float


def seconds(work: Callable[[], Any]) -> float:
    """Return the processor's time for some work."""
    start = time.process_time()
    work()
    return time.process_time() - start


def encoder(model: str | None) -> list[Row]:
    """SEAT's sentences (ten tests, chance included) in batches, against one sentence at a time, as a loop would."""
    import aslant
    from aslant.measures.sentence_tests.chance import pools
    from aslant.stimuli import SentenceSet, load_set, suite_sets

    loaded = aslant.load_encoder(model)
    sentences, tests = load_set("seat-templates", SentenceSet), suite_sets("weat")
    own = {text for test in tests for word in test.words for text in sentences.sentences_of(word)}
    drawn = {text for texts in pools(loaded, sentences, 0).of(tests).values() for text in texts}
    texts = sorted(own | drawn)
    some = random.Random(0).sample(texts, SAMPLE)
    loaded.sentence_vectors(some[:20])
    fast = seconds(lambda: loaded.sentence_vectors(texts))
    slow = seconds(lambda: [loaded.sentence_vectors([text]) for text in some]) * len(texts) / SAMPLE
    rows = [Row(loaded.name, "SEAT sentences, one call for each here", len(texts), slow, fast)]
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError:
        return rows
    if getattr(loaded, "folder", None) is None:
        return rows
    library = SentenceTransformer(str(loaded.folder), device="cpu")
    library.encode(some[:20])
    slow = seconds(lambda: [library.encode(text) for text in some]) * len(texts) / SAMPLE
    whole = seconds(lambda: library.encode(texts, batch_size=32))
    return [
        *rows,
        Row(loaded.name, "SEAT sentences, a loop over the library's encode", len(texts), slow, fast),
        Row(loaded.name, "SEAT sentences, the library's encode in batches of 32", len(texts), whole, fast),
    ]


def language_model(model: str | None, default: str) -> list[Row]:
    """Log-probability scores of professions with he and she, all at once, against one sentence at a time."""
    import aslant
    from aslant.models.protocols import Sentence
    from aslant.stimuli import load_set

    lm: Any = aslant.load_lm(model or default)
    score = lm.masked_scores if hasattr(lm, "masked_scores") else lm.causal_scores
    jobs = [job.replace("_", " ") for job in load_set("professions").words]
    asked = [Sentence("[TARGET] is a [ATTRIBUTE].", who, job) for job in jobs for who in ("he", "she")]
    unplaceable = lm.unplaceable(asked)
    asked = [each for i, each in enumerate(asked) if i not in unplaceable]
    some = random.Random(0).sample(asked, FEW)
    score(some[:4])
    fast = seconds(lambda: score(asked))
    slow = seconds(lambda: [score([each]) for each in some]) * len(asked) / FEW
    return [Row(lm.name, "professions with he and she, one call for each here", len(asked), slow, fast)]


def served(_: str | None) -> list[Row]:
    """Texts over HTTP, against the same tiny model without a server; by the clock, as the server is another process."""
    import serving

    count = 192
    (_, own, _), *ways = serving.measured(count, None)
    return [Row("tiny, served", f"texts, {name}, against no server", count, took, own) for name, took, _ in ways]


#: Every kind, by the name on the command line.
KINDS: dict[str, Callable[[str | None], list[Row]]] = {
    "encoder": encoder,
    "masked": lambda model: language_model(model, "sample-mlm"),
    "causal": lambda model: language_model(model, "smollm2-135m"),
    "served": served,
}


def main() -> None:
    """Run the kinds that were named, or all, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="which kinds of models (default: all)")
    parser.add_argument("--model", help="a folder or a name (default: that of each kind)")
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    import torch

    torch.set_num_threads(given.threads)
    print(f"{'model':24} {'work':56} {'count':>7} {'slow':>8} {'here':>8} {'ratio':>6}")
    for kind in given.kinds or KINDS:
        for row in KINDS[kind](given.model):
            name, ratio = row.kind[-24:], row.slow / row.fast
            print(f"{name:24} {row.work:56} {row.count:7,} {row.slow:7.2f}s {row.fast:7.2f}s {ratio:5.1f}×")


if __name__ == "__main__":
    main()
