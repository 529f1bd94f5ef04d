"""`slant.load_lm`: from whatever names a language model to one that can be asked.

No code of a model is ever run (never `trust_remote_code`), and weights are read from safetensors, or by torch with
`weights_only`, which builds tensors and nothing else.
"""

from __future__ import annotations

import os
import pickle
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from slant.errors import DataError, MissingExtraError, SlantError
from slant.models.hub import HUB_NAME, only_in_cache, places, unknown

if TYPE_CHECKING:
    from slant.models.causal import TransformersCausalLM
    from slant.models.masked import TransformersMaskedLM

#: What is loaded when nothing is named, and what every output says of it.
DEFAULT = "smollm2-135m"
DEFAULT_NOTE = "SmolLM2-135M-Instruct: tuned to follow instructions, with weights rounded to 4 bits"
SAMPLE = "sample-mlm"
#: Endings of the names of architectures that predict masked, or next, tokens.
MASKED, CAUSAL = ("ForMaskedLM",), ("ForCausalLM", "LMHeadModel")
#: Architectures made for pre-training whose weights hold a masked-language head.
PRETRAINED = ("BertForPreTraining", "AlbertForPreTraining", "MobileBertForPreTraining")
DTYPES = ("float32", "bfloat16", "float16")
#: How attention is computed, by preference; never by what a configuration names, which may be code from the hub.
ATTENTION = ("sdpa", "eager")
NO_CONVERSION = "DISABLE_SAFETENSORS_CONVERSION"


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
    Hub names are looked up among what is cached first; `SLANT_OFFLINE` (or `HF_HUB_OFFLINE`) forbids anything else.
    `device`: 'cpu', 'cuda' or 'mps'; None takes the best there is. `token_budget`: tokens that go through
    the model at once (None: 2,048 on a processor, 16,384 elsewhere). `journal`: a `Journal` or a folder in which scores
    are kept, so that a killed run goes on. `capitalise`: a model that tells capitals from small letters sees a capital
    at the beginning of a sentence.

    >>> load_lm("no/such/folder/at/all")
    Traceback (most recent call last):
    slant.errors.DataError: there is no folder 'no/such/folder/at/all', nor data or a hub model of that name; ...
    """
    if isinstance(source, str) and not HUB_NAME.fullmatch(source) and not os.path.exists(_path(source)):  # noqa: PTH110
        raise DataError(unknown(source))
    _need_extra()
    if dtype not in DTYPES:
        raise DataError(f"dtype is {dtype!r}; choose one of {', '.join(DTYPES)}.")
    chosen = _device(device)
    options = {"token_budget": token_budget, "journal": journal, "capitalise": capitalise}
    if source == SAMPLE and not Path(SAMPLE).exists():
        return _sample(chosen, dtype, options)
    name = DEFAULT if source is None else str(source)
    folder = _folder(name, source is None or isinstance(source, str))
    if name == DEFAULT and folder != _path(name):
        options["note"] = DEFAULT_NOTE
    return _load(name, folder, chosen, dtype, options)


def _path(name: str) -> Path:
    """Return the path that a name may be; '~nobody' is no user's folder, and no error here."""
    try:
        return Path(name).expanduser()
    except RuntimeError:
        return Path(name)


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
    path = _path(name)
    if os.path.isdir(path):  # noqa: PTH112 (a name too long for any file is no error here)
        if not (path / "config.json").is_file():
            raise DataError(f"'{path}' has no config.json; give the folder of a transformers model.")
        return path
    if os.path.exists(path):  # noqa: PTH110
        raise DataError(f"'{path}' is a file; give the folder of a transformers model (with config.json).")
    from slant.data import could_be_name, resolve

    if not may_be_data or not could_be_name(name) or only_in_cache(name):
        return None
    found = resolve(name, kinds=("language model",))
    if found is None or (found / "config.json").is_file():
        return found
    from slant.models.conversion import prepared

    return Path(prepared(name))


def _load(
    name: str, folder: Path | None, device: str, dtype: str, options: dict[str, Any]
) -> TransformersMaskedLM | TransformersCausalLM:
    from safetensors import SafetensorError

    said: Exception | None = None
    for where, only_local in places(name, folder):
        try:
            return _opened(name, where, only_local, device, dtype, options)
        except SlantError:
            if said is None:
                raise
        except pickle.UnpicklingError:
            said = DataError("its weights hold more than numbers; get safetensors")
        except (OSError, ValueError, ImportError, RuntimeError, LookupError, TypeError, AttributeError) as error:
            said = error
        except SafetensorError as error:
            said = error
    if said is None:
        raise DataError(unknown(name))
    raise DataError(f"'{name}' cannot be loaded: {_first_sentence(said)}.")


def _opened(
    name: str, where: str, only_local: bool, device: str, dtype: str, options: dict[str, Any]
) -> TransformersMaskedLM | TransformersCausalLM:
    from slant.models.causal import TransformersCausalLM
    from slant.models.masked import TransformersMaskedLM

    with _quiet():
        config = _config(name, where, only_local)
        masked = is_masked(name, config.architectures, config.model_type)
        model = _weights(name, where, config, masked, dtype, only_local)
        tokenizer = _tokenizer(where, only_local)
    wrapped = TransformersMaskedLM if masked else TransformersCausalLM
    return wrapped(model.to(device), tokenizer, name, **options)


def _config(name: str, where: str, only_local: bool) -> Any:
    """Return a model's configuration, without the attention that it asks for."""
    from transformers import AutoConfig

    try:
        config = AutoConfig.from_pretrained(where, local_files_only=only_local, trust_remote_code=False)
    except (ValueError, KeyError, TypeError, AttributeError, OSError) as error:
        if not only_local and isinstance(error, OSError):
            raise DataError(unknown(name)) from None
        raise DataError(f"the config.json of '{name}' cannot be used: {_first_sentence(error)}.") from None
    config._attn_implementation = None
    return config


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
    missing: list[str] = []
    for legacy in (True, False) if config.model_type == "deberta-v2" else (None,):
        if legacy is not None:  # DeBERTa's head has two layouts, and nothing in its configuration tells them apart
            config.legacy = legacy
        model, info = _from_files(where, config, masked, dtype, only_local)
        missing = sorted(key for key in info["missing_keys"] if "pooler" not in key)
        if not missing and not info["mismatched_keys"]:
            return model
    lacking = f"'{missing[0]}'" if missing else "weights of the right sizes"
    raise DataError(f"the files of '{name}' lack {lacking}, so that what it predicts would be random.")


def _from_files(where: str, config: Any, masked: bool, dtype: str, only_local: bool) -> tuple[Any, dict[str, Any]]:
    import torch
    from transformers import AutoModelForCausalLM, AutoModelForMaskedLM

    auto = AutoModelForMaskedLM if masked else AutoModelForCausalLM
    said: ValueError | None = None
    for attention in ATTENTION:
        try:
            found: tuple[Any, dict[str, Any]] = auto.from_pretrained(
                where, config=config, dtype=getattr(torch, dtype), local_files_only=only_local, trust_remote_code=False,
                weights_only=True, output_loading_info=True, attn_implementation=attention,
            )  # fmt: skip
        except ValueError as error:  # not every architecture has the first
            said = error
        else:
            return found
    raise said or ValueError("there is no way to compute attention")


def _tokenizer(where: str, only_local: bool) -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(where, local_files_only=only_local, trust_remote_code=False)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep transformers from warning and drawing bars while it loads: what matters ends in our own errors."""
    from transformers.utils import logging

    before, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    converting = os.environ.get(NO_CONVERSION)
    os.environ[NO_CONVERSION] = "1"  # else older weights are sent for conversion, by the hub, behind our back
    logging.set_verbosity(logging.CRITICAL)
    logging.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        os.environ.pop(NO_CONVERSION)
        if converting is not None:
            os.environ[NO_CONVERSION] = converting
        logging.set_verbosity(before)
        if bars:
            logging.enable_progress_bar()


def _first_sentence(error: BaseException | None) -> str:
    return str(error).strip().split("\n", 1)[0].split(". ", 1)[0].rstrip(".") or type(error).__name__
