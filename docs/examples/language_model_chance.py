"""What chance gives on language models: sample-mlm, and BERTs of its vocabulary whose weights are drawn at random.

python docs/examples/language_model_chance.py 8    # on this many BERTs with random weights; some minutes
"""

from __future__ import annotations

import sys

import torch
from transformers import BertConfig, BertForMaskedLM

import aslant
from aslant.models.language_models import TransformersMaskedLM

SHOWN = "{:28} {:26} {:6.2f} {:9} {:5.2f} to {:5.2f} {:9.3f}"


def measured(lm: TransformersMaskedLM) -> None:
    """Print the effect size, p, what chance gives and its p for the five tests; then the share of occupations."""
    for r in aslant.log_probability_suite(lm, alternative="two-sided").results:
        print(
            SHOWN.format(
                lm.name, r.test, r.effect_size, f"{r.pvalue:.2g}", r.chance.low, r.chance.high, r.chance.pvalue
            )
        )
    s = aslant.log_probability_bias(lm, targets=(["he"], ["she"]), attributes="professions")
    print(
        SHOWN.format(
            lm.name, "professions, share with he", s.share.share, "", s.chance.low, s.chance.high, s.chance.pvalue
        )
    )


sample = aslant.load_lm("sample-mlm")
measured(sample)
tokenizer = sample.speller.tokenizer
for seed in range(int(sys.argv[1]) if len(sys.argv) > 1 else 3):
    torch.manual_seed(seed)
    sizes = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 128}
    model = BertForMaskedLM(BertConfig(vocab_size=len(tokenizer), **sizes))
    measured(TransformersMaskedLM(model, tokenizer, f"random weights, seed {seed}"))
