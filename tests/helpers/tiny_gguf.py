"""A tiny Llama, and its GGUF file as llama.cpp would write it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="language models need the extra lm")
gguf = pytest.importorskip("gguf", reason="GGUF files need gguf")
pytest.importorskip("accelerate", reason="transformers reads GGUF files with accelerate")
pytest.importorskip("transformers", reason="language models need the extra lm")

TEXT = ["He is a doctor and she is a nurse.", "They were born in 1984, weren't they? It's naïve."]
CHAT = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
HEADS, KEY_HEADS, HIDDEN = 4, 2, 64


def bpe() -> Any:
    """A small tokenizer as SmolLM2's is made: special tokens first, digits apart, bytes."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    trainer = trainers.BpeTrainer(vocab_size=320, special_tokens=special, initial_alphabet=alphabet)
    tokenizer.train_from_iterator(TEXT * 5, trainer)
    return tokenizer


def llama(vocabulary: int) -> Any:
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=vocabulary, hidden_size=HIDDEN, intermediate_size=96, num_hidden_layers=2,
        num_attention_heads=HEADS, num_key_value_heads=KEY_HEADS, max_position_embeddings=128, rms_norm_eps=1e-5,
        tie_word_embeddings=True, initializer_range=0.2,
    )  # fmt: skip
    return LlamaForCausalLM(config).eval()


def as_gguf_has_it(name: str, array: np.ndarray) -> np.ndarray:
    """llama.cpp's convert_hf_to_gguf.py, `permute`."""
    heads = {"attn_q": HEADS, "attn_k": KEY_HEADS}.get(name.split(".")[-2])
    if heads is None:
        return array
    return array.reshape(heads, 2, array.shape[0] // heads // 2, array.shape[1]).swapaxes(1, 2).reshape(array.shape)


def write(
    path: Path,
    model: Any,
    tokenizer: Any,
    *,
    architecture: str = "llama",
    quantised: bool = False,
    splits: str = "smollm",
    add_bos: bool = False,
) -> None:
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_block_count(2)
    writer.add_context_length(128)
    writer.add_embedding_length(HIDDEN)
    writer.add_feed_forward_length(96)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KEY_HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10_000.0)
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    tokens = [tokenizer.id_to_token(number) for number in range(tokenizer.get_vocab_size())]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(splits)
    writer.add_token_list(tokens)
    writer.add_token_types([3 if number < 3 else 1 for number in range(len(tokens))])
    writer.add_token_merges([" ".join(pair) for pair in merges])
    writer.add_bos_token_id(1)
    writer.add_add_bos_token(add_bos)
    writer.add_chat_template(CHAT)
    writer.add_eos_token_id(2)
    writer.add_pad_token_id(2)
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, 2)
    for name, tensor in model.state_dict().items():
        if name == "lm_head.weight":
            continue
        theirs = names.get_name(name, try_suffixes=(".weight",))
        array = as_gguf_has_it(theirs, tensor.numpy())
        kind = gguf.GGMLQuantizationType.Q8_0 if quantised and array.ndim > 1 else gguf.GGMLQuantizationType.F32
        writer.add_tensor(theirs, gguf.quants.quantize(array, kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
