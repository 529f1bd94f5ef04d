"""What loading a language model and loading an encoder have in common: locations, files, devices and errors.

No code of a model is ever run (never `trust_remote_code`), and weights are read from safetensors, or by torch with
`weights_only`, which builds tensors and nothing else.
"""

from __future__ import annotations

import os
import pickle
import re
import socket
import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from importlib import util
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit
from urllib.request import getproxies

from aslant.errors import AslantError, DataError, MissingExtraError
from aslant.io.packed_files import path_of
from aslant.io.reading import read_text
from aslant.models.model_files import MAX_CONFIG, check_config, check_folder, no_kernels

#: What a name on the hub looks like: at most one slash.
HUB_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")
DTYPES = ("float32", "bfloat16", "float16")
#: How attention is computed, by preference; never by what a configuration names, which may be code from the hub.
ATTENTION = ("sdpa", "eager")
#: How opening a model fails.
FAILURES = (OSError, ValueError, ImportError, RuntimeError, LookupError, TypeError, AttributeError)
NO_CONVERSION = "DISABLE_SAFETENSORS_CONVERSION"
Model = TypeVar("Model")


def check_asked(source: str | os.PathLike[str] | None, what: str, dtype: str) -> None:
    """Raise one clear error for a source that does not exist, an extra that is not installed, or an unknown type.

    >>> check_asked(None, "language models", "int8")
    Traceback (most recent call last):
    aslant.errors.DataError: dtype is 'int8'; choose one of float32, bfloat16, float16.
    """
    if isinstance(source, str) and not HUB_NAME.fullmatch(source) and not os.path.exists(path_of(source)):  # noqa: PTH110
        raise DataError(unknown(source))
    need_extra(what, "torch", "transformers")
    no_kernels()
    if dtype not in DTYPES:
        raise DataError(f"dtype is {dtype!r}; choose one of {', '.join(DTYPES)}.")


def need_extra(what: str, *modules: str) -> None:
    """Raise an error that gives the command, if one of the modules is not installed.

    >>> need_extra("encoders", "no_such_module")
    Traceback (most recent call last):
    aslant.errors.MissingExtraError: encoders need no_such_module: pip install '.[lm]'.
    """
    for module in modules:
        if util.find_spec(module) is None:
            raise MissingExtraError(f"{what} need {module}: pip install '.[lm]'.")


def device_of(asked: str | None) -> str:
    """Return the device to use: the requested one, if it is available, else the best one.

    >>> device_of("cpu")
    'cpu'
    """
    import torch

    there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if asked is None:
        return next(name for name in ("cuda", "mps", "cpu") if there[name])
    if not there.get(asked.partition(":")[0], False):
        usable = ", ".join(name for name, works in there.items() if works)
        raise DataError(f"device {asked!r} is not available; usable here: {usable}.")
    return asked


def folder_by_data_name(name: str, kinds: Collection[str], whole: Callable[[Path], bool]) -> Path | None:
    """Return the folder of a model that has a data name, or None; one that is not `whole` is converted first."""
    from aslant.data import could_be_name, names, resolve
    from aslant.data.fetching import present

    if not could_be_name(name):
        return None
    if name in names() and not present(name) and util.find_spec("huggingface_hub"):
        from huggingface_hub import try_to_load_from_cache

        if isinstance(try_to_load_from_cache(name, "config.json"), str):
            return None  # nothing to download
    found = resolve(name, kinds=kinds)
    if found is None or whole(found):
        return found
    from aslant.models.conversion import prepared

    return Path(prepared(name))


def places(name: str, folder: Path | None) -> Iterator[tuple[str, bool]]:
    """Yield the places a model may come from, and whether each must be complete: its folder, or the cache and the hub.

    What is cached is given as a folder, for which the hub is not contacted; files may be missing, so the hub is next.
    """
    if folder is not None:
        yield str(folder), True
        return
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        cached = try_to_load_from_cache(name, "config.json")
    except HFValidationError:
        return
    if isinstance(cached, str):
        yield str(Path(cached).parent), True
    if not no_hub():
        yield name, False


def unknown(name: str) -> str:
    """Return the message for a name that nothing has."""
    from aslant.data import did_you_mean

    why = no_hub() if HUB_NAME.fullmatch(name) else ""
    return (
        f"there is no folder '{name}', nor data or a hub model of that name{why and f' ({why})'}; {did_you_mean(name)}"
        "check the name, or download the model elsewhere and give its folder."
    )


def no_hub() -> str:
    """Return why the hub cannot be contacted, or nothing; its own library would try for half a minute."""
    from aslant.data.places import offline

    if offline():
        return "ASLANT_OFFLINE forbids contacting the hub"
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE or os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE"):
        return "HF_HUB_OFFLINE forbids contacting the hub"
    address = urlsplit(constants.ENDPOINT)
    if getproxies().keys() & {address.scheme, "all"}:  # a proxy may reach what a direct connection does not
        return ""
    try:
        socket.create_connection((address.hostname or "", address.port or 443), timeout=10).close()
    except OSError:
        return f"{address.hostname} cannot be reached"
    return ""


def first_that_opens(name: str, folder: Path | None, opened: Callable[[str, bool], Model]) -> Model:
    """Return the model from the first of its places (see `places`) where it can be opened, or raise one clear error."""
    from safetensors import SafetensorError

    said: Exception | None = None
    for where, only_local in places(name, folder):
        try:
            return opened(where, only_local)
        except AslantError:
            if said is None:
                raise
        except pickle.UnpicklingError:
            said = DataError("its weights hold more than numbers; get safetensors")
        except (*FAILURES, SafetensorError) as error:
            said = error
    if said is None:
        raise DataError(unknown(name))
    raise DataError(f"'{name}' cannot be loaded: {first_sentence(said)}.")


def folder_of(where: str) -> Path | None:
    """Return the folder that a model was loaded from: as it was given, or where the hub's cache keeps it."""
    if os.path.isdir(where):  # noqa: PTH112 (a name may be too long for a file)
        return Path(where)
    from huggingface_hub import try_to_load_from_cache

    cached = try_to_load_from_cache(where, "config.json")
    return Path(cached).parent if isinstance(cached, str) else None


def config_of(name: str, where: str, only_local: bool) -> Any:
    """Return a model's configuration, without the attention that it requests."""
    from huggingface_hub.errors import StrictDataclassError
    from transformers import AutoConfig, PretrainedConfig

    folder = Path(where) if os.path.isdir(where) else None  # noqa: PTH112 (a name may be too long for a file)
    if folder is not None:
        check_folder(folder)
        read_text(folder / "config.json", DataError, most=MAX_CONFIG)
    try:
        content, _ = PretrainedConfig.get_config_dict(where, local_files_only=only_local)
        check_config(content, name, folder)
        config = AutoConfig.from_pretrained(where, local_files_only=only_local, trust_remote_code=False)
    except (ValueError, KeyError, TypeError, AttributeError, OSError, RecursionError, StrictDataclassError) as error:
        if not only_local and isinstance(error, OSError):
            raise DataError(unknown(name)) from None
        raise DataError(f"the config.json of '{name}' cannot be used: {first_sentence(error)}.") from None
    config._attn_implementation = None
    return config


def from_files(auto: Any, where: str, config: Any, dtype: str, only_local: bool) -> tuple[Any, dict[str, Any]]:
    """Return a model loaded by a class of transformers, and which weights are missing."""
    import torch

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


def tokenizer_of(where: str, only_local: bool) -> Any:
    """Return a model's tokenizer; one made up because files are missing, which knows no words, is refused."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(where, local_files_only=only_local, trust_remote_code=False)
    if len(tokenizer) <= len(tokenizer.all_special_tokens):
        raise ValueError("there is no tokenizer with it (tokenizer.json, or the files of an older one)")
    return tokenizer


@contextmanager
def quiet() -> Iterator[None]:
    """Keep transformers from warning and drawing bars while it loads: what matters is in our own errors."""
    from transformers.utils import logging

    before, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    converting = os.environ.get(NO_CONVERSION)
    os.environ[NO_CONVERSION] = "1"  # otherwise the hub is asked, unnoticed, to convert older weights
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


def first_sentence(error: BaseException | None) -> str:
    """Return what an error says first.

    >>> first_sentence(ValueError("It broke. Call us."))
    'It broke'
    """
    return str(error).strip().split("\n", 1)[0].split(". ", 1)[0].rstrip(".") or type(error).__name__
