"""`aslant.load_lm`: from the name or path of a language model to a loaded one (see `opening` for how)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aslant.errors import DataError
from aslant.io.packed_files import path_of
from aslant.models.model_loading import (
    check_asked,
    config_of,
    device_of,
    first_that_opens,
    folder_by_data_name,
    folder_of,
    from_files,
    quiet,
    tokenizer_of,
)

if TYPE_CHECKING:
    from aslant.models.causal import TransformersCausalLM
    from aslant.models.masked import TransformersMaskedLM

#: What is loaded by default, and what every output says about it.
DEFAULT = "smollm2-135m"
DEFAULT_NOTE = "SmolLM2-135M-Instruct: tuned to follow instructions, with weights rounded to 4 bits"
SAMPLE = "sample-mlm"
#: Endings of the names of architectures that predict masked, or next, tokens.
MASKED, CAUSAL = ("ForMaskedLM",), ("ForCausalLM", "LMHeadModel")
#: Architectures made for pre-training whose weights hold a masked-language head.
PRETRAINED = ("BertForPreTraining", "AlbertForPreTraining", "MobileBertForPreTraining")


class NoHeadError(DataError):
    """A model that does not predict words; it may be an encoder."""


def load_lm(
    source: str | os.PathLike[str] | None = None,
    *,
    device: str | None = None,
    token_budget: int | None = None,
    journal: Any = None,
    dtype: str = "float32",
    capitalise: bool = True,
) -> TransformersMaskedLM | TransformersCausalLM:
    """Load a language model, masked or causal: a folder, a data name, a hub name, or nothing.

    Nothing is SmolLM2-135M-Instruct with weights of 4 bits; 'sample-mlm' is a small masked model for demonstrations.
    Hub names are looked up in the cache first; `ASLANT_OFFLINE` (or `HF_HUB_OFFLINE`) forbids anything else.
    `device`: 'cpu', 'cuda' or 'mps'; None takes the best one available. `token_budget`: tokens that go through
    the model at once (None: 2,048 on a processor, 16,384 elsewhere). `journal`: a `Journal` or a folder in which scores
    are kept, so that a killed run can resume. `capitalise`: a model that distinguishes capitals sees a capital
    at the beginning of a sentence.

    >>> load_lm("no/such/folder/at/all")
    Traceback (most recent call last):
    aslant.errors.DataError: there is no folder 'no/such/folder/at/all', nor data or a hub model of that name; ...
    """
    check_asked(source, "language models", dtype)
    chosen = device_of(device)
    options = {"token_budget": token_budget, "journal": journal, "capitalise": capitalise}
    if source == SAMPLE and not Path(SAMPLE).exists():
        return _sample(chosen, dtype, options)
    name = DEFAULT if source is None else str(source)
    folder = _folder(name, source is None or isinstance(source, str))
    if name == DEFAULT and folder != path_of(name):
        options["note"] = DEFAULT_NOTE
    return first_that_opens(
        name, folder, lambda where, only_local: _opened(name, where, only_local, chosen, dtype, options)
    )


def _sample(device: str, dtype: str, options: dict[str, Any]) -> TransformersMaskedLM:
    import torch

    from aslant.models.masked import TransformersMaskedLM
    from aslant.models.sample import NOTE, load_sample

    model, tokenizer = load_sample()
    return TransformersMaskedLM(model.to(device, getattr(torch, dtype)), tokenizer, SAMPLE, note=NOTE, **options)


def _folder(name: str, may_be_data: bool) -> Path | None:
    """Return the folder of a model that is on disk or has a data name, or None."""
    path = path_of(name)
    if os.path.isdir(path):  # noqa: PTH112 (a name too long for any file is not an error here)
        if not (path / "config.json").is_file():
            raise DataError(f"'{path}' has no config.json; give the folder of a transformers model.")
        return path
    if os.path.exists(path):  # noqa: PTH110
        raise DataError(f"'{path}' is a file; give the folder of a transformers model (with config.json).")
    if not may_be_data:
        return None
    return folder_by_data_name(name, ("language model",), lambda found: (found / "config.json").is_file())


def _opened(
    name: str, where: str, only_local: bool, device: str, dtype: str, options: dict[str, Any]
) -> TransformersMaskedLM | TransformersCausalLM:
    from aslant.models.causal import TransformersCausalLM
    from aslant.models.masked import TransformersMaskedLM

    with quiet():
        config = config_of(name, where, only_local)
        masked = is_masked(name, config.architectures, config.model_type)
        model = _weights(name, where, config, masked, dtype, only_local)
        tokenizer = tokenizer_of(where, only_local)
    wrapped = TransformersMaskedLM if masked else TransformersCausalLM
    opened = wrapped(model.to(device), tokenizer, name, **options)
    opened.folder = folder_of(where)
    return opened


def is_masked(name: str, architectures: list[str] | None, model_type: str) -> bool:
    """Tell masked from causal language models by the architectures that a configuration names.

    >>> is_masked("x", ["RobertaForMaskedLM"], "roberta"), is_masked("y", ["GPT2LMHeadModel"], "gpt2")
    (True, False)
    >>> is_masked("z", ["BertModel"], "bert")
    Traceback (most recent call last):
    aslant.models.loading.NoHeadError: 'z' is a BertModel, which does not predict words; give a masked or ...
    """
    if not architectures:  # as in the configuration of DeBERTa-v3
        from transformers.models.auto import modeling_auto

        if model_type in modeling_auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES:
            return True
    for architecture in architectures or ():
        if architecture.endswith(MASKED) or architecture in PRETRAINED:
            return True
        if architecture.endswith(CAUSAL):
            return False
    what = ", ".join(architectures or ()) or f"model of type '{model_type}'"
    raise NoHeadError(f"'{name}' is a {what}, which does not predict words; give a masked or a causal language model.")


def _weights(name: str, where: str, config: Any, masked: bool, dtype: str, only_local: bool) -> Any:
    """Return the model with all its weights; one whose head is not in the files would give random numbers."""
    from transformers import AutoModelForCausalLM, AutoModelForMaskedLM

    auto = AutoModelForMaskedLM if masked else AutoModelForCausalLM
    missing: list[str] = []
    for legacy in (True, False) if config.model_type == "deberta-v2" else (None,):
        if legacy is not None:  # DeBERTa's head has two layouts, and nothing in its configuration tells them apart
            config.legacy = legacy
        model, info = from_files(auto, where, config, dtype, only_local)
        missing = sorted(key for key in info["missing_keys"] if "pooler" not in key)
        if not missing and not info["mismatched_keys"]:
            return model
    lacking = f"'{missing[0]}'" if missing else "weights of the right sizes"
    raise DataError(f"the files of '{name}' have no {lacking}, so its predictions would be random.")
