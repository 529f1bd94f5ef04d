"""`slant.load_lm`: from whatever names a language model to one that can be asked.

No code of a model is ever run (never `trust_remote_code`), and weights are read from safetensors, or by torch with
`weights_only`, which builds tensors and nothing else.
"""

from __future__ import annotations

import os
import pickle
import re
import socket
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies

from slant.errors import DataError, MissingExtraError

if TYPE_CHECKING:
    from slant.models.causal import TransformersCausalLM
    from slant.models.masked import TransformersMaskedLM

#: What is loaded when nothing is named.
DEFAULT = "smollm2-135m"
SAMPLE = "sample-mlm"
#: Endings of the names of architectures that predict masked, or next, tokens.
MASKED, CAUSAL = ("ForMaskedLM",), ("ForCausalLM", "LMHeadModel")
#: Architectures made for pre-training whose weights hold a masked-language head.
PRETRAINED = ("BertForPreTraining", "AlbertForPreTraining", "MobileBertForPreTraining")
#: What a name on the hub looks like: at most one slash.
HUB_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")
DTYPES = ("float32", "bfloat16", "float16")


def load_lm(
    source: str | os.PathLike[str] | None = None,
    *,
    device: str | None = None,
    token_budget: int | None = None,
    journal: Any = None,
    dtype: str = "float32",
    capitalise: bool = True,
) -> TransformersMaskedLM | TransformersCausalLM:
    """Load a language model, masked or causal: a folder, a data name, a hub name, or nothing (SmolLM2-135M).

    'sample-mlm' is a small masked model for demonstrations. Hub names are looked up among what is cached first;
    `SLANT_OFFLINE` forbids anything else. `device`: 'cpu', 'cuda' or 'mps'; None takes the best there is.
    `token_budget`: tokens that go through the model at once (None: 2,048 on a processor, 16,384 elsewhere). `journal`:
    a `Journal` or a folder in which scores are kept, so that a killed run goes on. `capitalise`: a model that
    tells capitals from small letters sees a capital at the beginning of a sentence.

    >>> load_lm("no/such/folder/at/all")
    Traceback (most recent call last):
    slant.errors.DataError: there is no folder 'no/such/folder/at/all', nor data or a hub model of that name; ...
    """
    if isinstance(source, str) and not HUB_NAME.fullmatch(source) and not Path(source).expanduser().exists():
        raise DataError(_unknown(source))
    _need_extra()
    if dtype not in DTYPES:
        raise DataError(f"dtype is {dtype!r}; choose one of {', '.join(DTYPES)}.")
    chosen = _device(device)
    options = {"token_budget": token_budget, "journal": journal, "capitalise": capitalise}
    if source == SAMPLE and not Path(SAMPLE).exists():
        return _sample(chosen, dtype, options)
    name = DEFAULT if source is None else str(source)
    folder = _folder(name, source is None or isinstance(source, str))
    return _load(name, str(folder or name), chosen, dtype, options, local=folder is not None)


def _need_extra() -> None:
    from importlib.util import find_spec

    for module in ("torch", "transformers"):
        if find_spec(module) is None:
            raise MissingExtraError(f"language models need {module}: pip install 'slant[lm]'.")


def _device(asked: str | None) -> str:
    import torch

    there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if asked is None:
        return next(name for name in ("cuda", "mps", "cpu") if there[name])
    if not there.get(asked.partition(":")[0], False):
        usable = ", ".join(name for name, works in there.items() if works)
        raise DataError(f"device {asked!r} is not there; usable here: {usable}.")
    return asked


def _sample(device: str, dtype: str, options: dict[str, Any]) -> TransformersMaskedLM:
    import torch

    from slant.models.masked import TransformersMaskedLM
    from slant.models.sample import NOTE, load_sample

    model, tokenizer = load_sample()
    return TransformersMaskedLM(model.to(device, getattr(torch, dtype)), tokenizer, SAMPLE, note=NOTE, **options)


def _folder(name: str, may_be_data: bool) -> Path | None:
    """Return the folder of a model that lies on disk or has a data name, or None."""
    path = Path(name).expanduser()
    if path.is_dir():
        if not (path / "config.json").is_file():
            raise DataError(f"'{path}' has no config.json; give the folder of a transformers model.")
        return path
    if path.exists():
        raise DataError(f"'{path}' is a file; give the folder of a transformers model (with config.json).")
    from slant.data import could_be_name, resolve

    if not may_be_data or not could_be_name(name) or _only_in_hub_cache(name):
        return None
    found = resolve(name, kinds=("language model",))
    if found is None or (found / "config.json").is_file():
        return found
    from slant.models.conversion import prepared

    return Path(prepared(name))


def _only_in_hub_cache(name: str) -> bool:
    """Tell whether data of that name are not here, while the hub's cache has a model of that name: no need to fetch."""
    from huggingface_hub import try_to_load_from_cache

    from slant.data import names
    from slant.data.fetching import present

    if name not in names() or present(name):
        return False
    return isinstance(try_to_load_from_cache(name, "config.json"), str)


def _load(
    name: str, where: str, device: str, dtype: str, options: dict[str, Any], *, local: bool
) -> TransformersMaskedLM | TransformersCausalLM:
    from safetensors import SafetensorError

    from slant.models.causal import TransformersCausalLM
    from slant.models.masked import TransformersMaskedLM

    config, only_local = _config(name, where, local)
    masked = is_masked(name, config.architectures, config.model_type)
    try:
        with _quiet():
            model = _weights(name, where, config, masked, dtype, only_local)
            tokenizer = _tokenizer(where, only_local)
    except pickle.UnpicklingError:
        raise DataError(f"'{name}' cannot be loaded: its weights hold more than numbers; get safetensors.") from None
    except (OSError, ValueError, ImportError, RuntimeError, KeyError, SafetensorError) as error:
        raise DataError(f"'{name}' cannot be loaded: {_first_sentence(error)}.") from None
    wrapped = TransformersMaskedLM if masked else TransformersCausalLM
    return wrapped(model.to(device), tokenizer, name, **options)


def _config(name: str, where: str, local: bool) -> tuple[Any, bool]:
    """Return a model's configuration, and whether all has to come from this machine: what is cached comes first."""
    from transformers import AutoConfig

    said: Exception | None = None
    for only_local in (True, False):
        if not only_local and (local or _no_hub()):
            break
        try:
            return AutoConfig.from_pretrained(where, local_files_only=only_local, trust_remote_code=False), only_local
        except (OSError, ValueError, KeyError) as error:
            said = error
    if local:
        raise DataError(f"the config.json of '{name}' cannot be used: {_first_sentence(said)}.")
    raise DataError(_unknown(name))


def _unknown(name: str) -> str:
    from slant.data import did_you_mean

    why = _no_hub() if HUB_NAME.fullmatch(name) else ""
    return (
        f"there is no folder '{name}', nor data or a hub model of that name{why and f' ({why})'}; {did_you_mean(name)}"
        "check the name, or download the model elsewhere and give its folder."
    )


def _no_hub() -> str:
    """Return why the hub cannot be asked, or nothing; its own library would try for half a minute."""
    from slant.data.places import offline

    if offline():
        return "SLANT_OFFLINE forbids to ask the hub"
    from huggingface_hub import constants

    address = urlsplit(constants.ENDPOINT)
    if getproxies():  # a proxy may lead where no direct way does
        return ""
    try:
        socket.create_connection((address.hostname or "", address.port or 443), timeout=10).close()
    except OSError:
        return f"{address.hostname} cannot be reached"
    return ""


def is_masked(name: str, architectures: list[str] | None, model_type: str) -> bool:
    """Tell masked from causal language models by the architectures that a configuration names.

    >>> is_masked("x", ["RobertaForMaskedLM"], "roberta"), is_masked("y", ["GPT2LMHeadModel"], "gpt2")
    (True, False)
    >>> is_masked("z", ["BertModel"], "bert")
    Traceback (most recent call last):
    slant.errors.DataError: 'z' is a BertModel, which predicts no words; give a masked or a causal language model.
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
    raise DataError(f"'{name}' is a {what}, which predicts no words; give a masked or a causal language model.")


def _weights(name: str, where: str, config: Any, masked: bool, dtype: str, only_local: bool) -> Any:
    """Return the model with all its weights; one whose head is not in the files would give random numbers."""
    import torch
    from transformers import AutoModelForCausalLM, AutoModelForMaskedLM

    auto = AutoModelForMaskedLM if masked else AutoModelForCausalLM
    missing: list[str] = []
    for legacy in (True, False) if config.model_type == "deberta-v2" else (None,):
        if legacy is not None:  # DeBERTa's head has two layouts, and nothing in its configuration tells them apart
            config.legacy = legacy
        model, info = auto.from_pretrained(
            where, config=config, dtype=getattr(torch, dtype), local_files_only=only_local, trust_remote_code=False,
            weights_only=True, output_loading_info=True,
        )  # fmt: skip
        missing = sorted(key for key in info["missing_keys"] if "pooler" not in key)
        if not missing and not info["mismatched_keys"]:
            return model
    lacking = f"'{missing[0]}'" if missing else "weights of the right sizes"
    raise DataError(f"the files of '{name}' lack {lacking}, so that what it predicts would be random.")


def _tokenizer(where: str, only_local: bool) -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(where, local_files_only=only_local, trust_remote_code=False)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep transformers from warning and drawing bars while it loads: what matters ends in our own errors."""
    from transformers.utils import logging

    before, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity(logging.CRITICAL)
    logging.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.set_verbosity(before)
        if bars:
            logging.enable_progress_bar()


def _first_sentence(error: BaseException | None) -> str:
    return str(error).strip().split("\n", 1)[0].split(". ", 1)[0].rstrip(".") or type(error).__name__
