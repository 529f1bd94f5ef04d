"""Tiny language models with random weights and real tokenizers, trained here on a few sentences."""

from __future__ import annotations

import functools
import warnings
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="language models need torch: pip install '.[lm]'")
transformers = pytest.importorskip("transformers", reason="language models need transformers: pip install '.[lm]'")

from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors  # noqa: E402
from tokenizers.trainers import BpeTrainer, UnigramTrainer, WordPieceTrainer  # noqa: E402

torch.set_num_threads(1)  # such small models only lose by more, most of all on a busy machine

CORPUS = [
    "He is a doctor. She is a nurse. They are men and women; the boys like the girls.",
    "he likes science, she likes art. I know that she is a good nurse and that he is a good doctor.",
    "The nurse said that he was late. The doctor said that she was early. It is he or it is she.",
    "He can do mathematics. She can do poetry. A chief medical examiner is an engineer or a teacher.",
    "He he She she He he She she doctor nurse is a the and that good it or",
] * 3
SPECIAL = {
    "wordpiece": ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
    "byte-level": ("<pad>", "<unk>", "<s>", "</s>", "<mask>"),
    "unigram": ("<pad>", "<unk>", "<s>", "</s>", "<mask>"),
}


def _special(family: str) -> list[Any]:
    """Special tokens; a mask takes the space before it with it, as RoBERTa's and XLM-R's do."""
    return [*SPECIAL[family][:-1], AddedToken(SPECIAL[family][-1], lstrip=True, special=True)]


def _wordpiece(lower: bool) -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lower)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = WordPieceTrainer(vocab_size=150, special_tokens=list(SPECIAL["wordpiece"]), show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer


def _byte_level() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    special = _special("byte-level")
    trainer = BpeTrainer(vocab_size=400, special_tokens=special, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer


def _unigram(lower: bool) -> Tokenizer:
    tokenizer = Tokenizer(models.Unigram())
    if lower:
        tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    special = _special("unigram")
    trainer = UnigramTrainer(vocab_size=150, special_tokens=special, unk_token="<unk>", show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer


def tokenizer(kind: str, *, framed: bool = True) -> Any:
    """A tokenizer of transformers: wordpiece-(un)cased, byte-level, unigram or unigram-lower; `framed`: <s> … </s>."""
    family = "wordpiece" if kind.startswith("wordpiece") else "unigram" if kind.startswith("unigram") else kind
    core = {
        "wordpiece": lambda: _wordpiece(kind == "wordpiece-uncased"),
        "byte-level": _byte_level,
        "unigram": lambda: _unigram(kind == "unigram-lower"),
    }[family]()
    pad, unk, cls, sep, mask = SPECIAL[family]
    if framed:
        ends = [(cls, core.token_to_id(cls)), (sep, core.token_to_id(sep))]
        if family == "byte-level":
            core.post_processor = processors.RobertaProcessing(ends[1], ends[0], add_prefix_space=False)  # type: ignore[arg-type]
        else:
            core.post_processor = processors.TemplateProcessing(single=f"{cls} $A {sep}", special_tokens=ends)
    elif family == "byte-level":
        core.post_processor = processors.ByteLevel(trim_offsets=False)
    mask_token = mask if family == "wordpiece" else _special(family)[-1]
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=core, pad_token=pad, unk_token=unk, cls_token=cls, sep_token=sep, mask_token=mask_token,
        bos_token=cls, eos_token=sep, model_max_length=60,
    )  # fmt: skip


SMALL = {
    "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 24,
    "max_position_embeddings": 64,
}  # fmt: skip
#: By name: the class's stem, its tokenizer, and what its configuration needs besides.
MASKED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "bert": ("Bert", "wordpiece-uncased", SMALL),
    "bert-cased": ("Bert", "wordpiece-cased", SMALL),
    "distilbert": (
        "DistilBert",
        "wordpiece-cased",
        {"dim": 16, "n_layers": 2, "n_heads": 2, "hidden_dim": 24, "max_position_embeddings": 64},
    ),
    "roberta": ("Roberta", "byte-level", SMALL | {"max_position_embeddings": 80}),
    "xlm-roberta": ("XLMRoberta", "unigram", SMALL | {"max_position_embeddings": 80}),
    "albert": ("Albert", "unigram-lower", SMALL | {"embedding_size": 8}),
    "electra": ("Electra", "wordpiece-uncased", SMALL | {"embedding_size": 8}),
    "deberta-v2": (
        "DebertaV2",
        "unigram",
        SMALL | {"relative_attention": True, "pos_att_type": ["p2c", "c2p"], "type_vocab_size": 0, "legacy": True},
    ),
    "deberta-v3": (
        "DebertaV2",
        "unigram",
        SMALL | {"relative_attention": True, "pos_att_type": ["p2c", "c2p"], "share_att_key": True, "legacy": False},
    ),
    "mobilebert": (
        "MobileBert",
        "wordpiece-uncased",
        SMALL | {"intra_bottleneck_size": 8, "embedding_size": 8, "num_feedforward_networks": 1},
    ),
    "modernbert": ("ModernBert", "byte-level", SMALL | {"global_attn_every_n_layers": 2, "local_attention": 8}),
}
CAUSAL: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("LlamaForCausalLM", SMALL | {"num_key_value_heads": 1}),
    "gpt2": ("GPT2LMHeadModel", {"n_embd": 16, "n_layer": 2, "n_head": 2, "n_positions": 64}),
}


def _special_ids(tok: Any) -> dict[str, int]:
    return {"pad_token_id": tok.pad_token_id, "bos_token_id": tok.bos_token_id, "eos_token_id": tok.eos_token_id}


def _random(model: Any) -> Any:
    """Larger weights than a fresh model has, so that its probabilities are far from all alike."""
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.mul_(8)
    return model.eval()


@functools.cache
def masked(name: str) -> tuple[Any, Any]:
    """A masked model of that architecture, and its tokenizer; shared by tests, which must leave it as it is."""
    stem, kind, settings = MASKED[name]
    tok = tokenizer(kind)
    config = getattr(transformers, f"{stem}Config")(vocab_size=len(tok), **_special_ids(tok), **settings)
    torch.manual_seed(0)
    with warnings.catch_warnings():  # DeBERTa's module compiles functions in a way that torch no longer likes
        warnings.simplefilter("ignore", DeprecationWarning)
        architecture = getattr(transformers, f"{stem}ForMaskedLM")
    return _random(architecture(config)), tok


@functools.cache
def causal(name: str, *, framed: bool = False) -> tuple[Any, Any]:
    """A causal model of that architecture and its tokenizer; `framed`: with beginning and end tokens."""
    architecture, settings = CAUSAL[name]
    tok = tokenizer("byte-level", framed=framed)
    config_class = getattr(transformers, architecture).config_class
    torch.manual_seed(0)
    config = config_class(vocab_size=len(tok), **_special_ids(tok), **settings)
    return _random(getattr(transformers, architecture)(config)), tok


@torch.no_grad()
def log_softmax(model: Any, ids: list[int]) -> Any:
    """Transformers' own forward pass on one sequence: log-probabilities (tokens, vocabulary)."""
    return torch.log_softmax(model(input_ids=torch.tensor([ids])).logits[0].float(), dim=-1)
