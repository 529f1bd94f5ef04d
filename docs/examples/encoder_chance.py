"""What chance gives on encoders: all-MiniLM-L6-v2, and BERTs of its vocabulary whose weights are drawn at random.

python docs/examples/encoder_chance.py 6    # on this many BERTs with random weights; some minutes
"""

from __future__ import annotations

import sys

import torch
from transformers import BertConfig, BertModel

import aslant
from aslant.measures.sentence_tests.show import suite_glance
from aslant.models.encoder import TransformersEncoder
from aslant.report.conventions import judged
from aslant.report.tables import between, number


def measured(encoder: TransformersEncoder) -> list[tuple[bool, str]]:
    """Print every SEAT with what it is compared with; return whether q < 0.05, and how it is graded in an audit."""
    suite = aslant.seat_suite(encoder, twins=3, pooling="mean")
    lines = judged(suite_glance(suite, str))
    for r, q, line in zip(suite.results, suite.qvalues, lines, strict=True):
        numbers = map(
            number, (r.effect_size, r.effect_size_words, r.effect_size_one_piece, r.effect_size_without_pieces)
        )
        ranges = between(min(r.twins), max(r.twins), number), between(r.chance.low, r.chance.high, number)
        print(encoder.name, r.test, *numbers, *ranges, f"q {q:.2g}, p (chance) {r.chance.pvalue:.2g}", line.evidence)
    return [(q < 0.05, line.evidence) for q, line in zip(suite.qvalues, lines, strict=True)]


real = aslant.load_encoder()
measured(real)
tokenizer, found = real.speller.tokenizer, []
for seed in range(100, 100 + (int(sys.argv[1]) if len(sys.argv) > 1 else 3)):
    torch.manual_seed(seed)
    sizes = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128}
    model = BertModel(BertConfig(vocab_size=len(tokenizer), **sizes))
    found += measured(TransformersEncoder(model, tokenizer, f"random weights, seed {seed}"))
graded = sum(evidence in ("some", "strong") for _, evidence in found)
print(f"random weights: q < 0.05 in {sum(q for q, _ in found)} of {len(found)}, graded {graded}")
