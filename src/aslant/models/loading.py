"""`aslant.load_lm` and `aslant.load_encoder`: from the name or path of a model to a loaded one.

See `model_loading` for how files of transformers are read, and `elmo_files` for those of ELMo: nothing but numbers.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aslant.errors import DataError
from aslant.io.packed_files import path_of
from aslant.models import model_loading
from aslant.models.sample import ENCODER, NAME, NOTE, load_sample

if TYPE_CHECKING:
    from aslant.models.elmo import ElmoEncoder
    from aslant.models.encoder import Layer, Pieces, TransformersEncoder
    from aslant.models.language_models import TransformersCausalLM, TransformersMaskedLM

#: What is loaded by default, and what every output says about it.
DEFAULT = "smollm2-135m"
DEFAULT_NOTE = "SmolLM2-135M-Instruct: tuned to follow instructions, with weights rounded to 4 bits"
#: Endings of the names of architectures that predict masked, or next, tokens.
MASKED, CAUSAL = ("ForMaskedLM",), ("ForCausalLM", "LMHeadModel")
#: Architectures made for pre-training whose weights hold a masked-language head.
PRETRAINED = ("BertForPreTraining", "AlbertForPreTraining", "MobileBertForPreTraining")
EITHER = "give the folder of a transformers model (config.json), or of an ELMo (options.json and weights in .hdf5)"


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
    model_loading.check_asked(source, "language models", dtype)
    name = DEFAULT if source is None else str(source)
    options = {"token_budget": token_budget, "journal": journal, "capitalise": capitalise}
    folder = _folder(source, name, encoder=False)
    lm: TransformersMaskedLM | TransformersCausalLM
    lm = _opened(name, folder, model_loading.device_of(device), dtype, options, encoder=False)
    return lm


def load_encoder(
    source: str | os.PathLike[str] | None = None,
    *,
    layer: Layer | None = None,
    pieces: Pieces = "mean",
    device: str | None = None,
    token_budget: int | None = None,
    dtype: str = "float32",
) -> TransformersEncoder | ElmoEncoder:
    """Load an encoder: a folder, ELMo's options file, a data name, a hub name, or nothing (all-MiniLM-L6-v2).

    `layer`: "last", "mean" of all (the embeddings are one of them), or a number: 0 is the embeddings, −1 the last one.
    None is "last"; for ELMo, "mean". `pieces`: a word of several pieces has the "mean" of their vectors, or that of
    the "first". Hub names are looked up in the cache first; `ASLANT_OFFLINE` (or `HF_HUB_OFFLINE`) forbids
    anything else. `device`: 'cpu', 'cuda' or 'mps'; None takes the best one available. `token_budget`: tokens that go
    through the network at once (None: 2,048 on a processor, 16,384 elsewhere).

    >>> load_encoder("no/such/folder/at/all")
    Traceback (most recent call last):
    aslant.errors.DataError: there is no folder 'no/such/folder/at/all', nor data or a hub model of that name; ...
    """
    model_loading.check_asked(source, "encoders", dtype)
    device = model_loading.device_of(device)
    name = ENCODER if source is None else str(source)
    options: dict[str, Any] = {"pieces": pieces, "token_budget": token_budget}
    folder = _folder(source, name, encoder=True)
    encoder: TransformersEncoder | ElmoEncoder
    if folder is not None and not (folder / "config.json").is_file():
        from aslant.models.elmo import Elmo, ElmoEncoder
        from aslant.models.elmo_files import elmo_files

        model_loading.need_extra("ELMo's weights", "h5py")
        if (found := elmo_files(folder)) is None:
            raise DataError(f"'{folder}' changed while it was being opened; {EITHER}.")
        options["layer"] = "mean" if layer is None else layer
        encoder = ElmoEncoder(Elmo.read(*found, device, dtype), name, dtype=dtype, **options)
        encoder.folder = found[0].parent
        return encoder
    options["layer"] = "last" if layer is None else layer
    encoder = _opened(name, folder, device, dtype, options, encoder=True)
    return encoder


def _folder(source: object, name: str, *, encoder: bool) -> Path | None:
    """Return the folder of a model (or ELMo's options file) that is on disk or has a data name, or None."""
    from aslant.models.elmo_files import elmo_files

    def whole(place: Path) -> bool:
        return (place / "config.json").is_file() or (encoder and elmo_files(place) is not None)

    path = path_of(name)
    if os.path.exists(path):  # noqa: PTH110 (a name too long for any file is not an error here)
        if not whole(path):
            lacks = "has no model in it" if encoder else "has no config.json"
            wanted = EITHER if encoder else "give the folder of a transformers model (with config.json)"
            raise DataError(f"'{path}' {lacks if path.is_dir() else 'is a file'}; {wanted}.")
        return path
    if name == NAME or not (source is None or isinstance(source, str)):
        return None
    kinds = ("encoder", "language model") if encoder else ("language model",)
    return model_loading.folder_by_data_name(name, kinds, whole)


def _opened(name: str, folder: Path | None, device: str, dtype: str, options: dict[str, Any], *, encoder: bool) -> Any:
    """Return the model from the first of its places where it can be opened."""
    import torch
    from transformers import AutoModel, AutoModelForCausalLM, AutoModelForMaskedLM

    from aslant.models.encoder import TransformersEncoder
    from aslant.models.language_models import TransformersCausalLM, TransformersMaskedLM

    if name == NAME and folder is None:
        model, tokenizer = load_sample()
        moved = (model.base_model if encoder else model).to(device, getattr(torch, dtype))
        return (TransformersEncoder if encoder else TransformersMaskedLM)(moved, tokenizer, NAME, note=NOTE, **options)
    if name == DEFAULT and folder != path_of(name):
        options["note"] = DEFAULT_NOTE

    def opened(where: str, only_local: bool) -> Any:
        wrapped: Any
        with model_loading.quiet():
            config = model_loading.config_of(name, where, only_local)
            if encoder:
                auto, wrapped = AutoModel, TransformersEncoder
            elif is_masked(name, config.architectures, config.model_type):
                auto, wrapped = AutoModelForMaskedLM, TransformersMaskedLM
            else:
                auto, wrapped = AutoModelForCausalLM, TransformersCausalLM
            model = _weights(name, where, config, auto, dtype, only_local)
            tokenizer = model_loading.tokenizer_of(where, only_local)
        found = wrapped(model.to(device), tokenizer, name, **options)
        found.folder = model_loading.folder_of(where)
        return found

    return model_loading.first_that_opens(name, folder, opened)


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


def _weights(name: str, where: str, config: Any, auto: Any, dtype: str, only_local: bool) -> Any:
    """Return the model with all its weights; one whose head is not in the files would give random numbers.

    A pooler is never used and may be missing, and so may the decoder of an encoder.
    """
    headless = auto.__name__ == "AutoModel"
    missing: list[str] = []
    for legacy in (True, False) if config.model_type == "deberta-v2" and not headless else (None,):
        if legacy is not None:  # DeBERTa's head has two layouts, and nothing in its configuration tells them apart
            config.legacy = legacy
        model, info = model_loading.from_files(auto, where, config, dtype, only_local)
        both = headless and hasattr(model, "encoder") and hasattr(model, "decoder")
        unused = ("pooler", "decoder") if both else ("pooler",)
        missing = sorted(key for key in info["missing_keys"] if not any(part in key for part in unused))
        if not missing and not info["mismatched_keys"]:
            return model.encoder if both else model
    lacking = f"'{missing[0]}'" if missing else "weights of the right sizes"
    what = "vectors" if headless else "predictions"
    raise DataError(f"the files of '{name}' have no {lacking}, so its {what} would be random.")
