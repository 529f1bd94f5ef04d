"""What loading a language model and loading an encoder have in common: locations, files, devices and errors.

No code of a model is ever run (never `trust_remote_code`), and weights are read from safetensors, or by torch with
`weights_only`, which builds tensors and nothing else. A few bytes of config.json can request a trillion labels, a
thousand layers of any width, weights in another folder, or kernels that are downloaded and run: what files may request
is checked before transformers opens them, and limited to what the weights in the folder can fill.
"""

from __future__ import annotations

import logging
import os
import pickle
import re
import socket
import stat
import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from importlib import util
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit
from urllib.request import getproxies

from aslant.data import could_be_name, did_you_mean, names, resolve
from aslant.data.fetching import present
from aslant.data.places import offline
from aslant.errors import AslantError, DataError, MissingExtraError
from aslant.io.packed_files import path_of
from aslant.io.reading import parse_json, read_text
from aslant.models.conversion import prepared

#: What a name on the hub looks like: at most one slash.
HUB_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")
DTYPES = ("float32", "bfloat16", "float16", "auto", "8bit", "4bit")
#: How attention is computed, by preference; never by what a configuration names, which may be code from the hub.
ATTENTION = ("sdpa", "eager")
#: How opening a model fails.
FAILURES = (OSError, ValueError, ImportError, RuntimeError, LookupError, TypeError, AttributeError, AssertionError)
#: Bytes of config.json and of an index of weights.
MAX_CONFIG, MAX_INDEX = 16 << 20, 64 << 20
#: No model has more layers, nor a larger size of any other kind.
MAX_LAYERS, MAX_SIZE = 1_000, 10**7
#: Weights in a byte of the files, at most: two where they have four bits, and some are used several times.
WEIGHTS_PER_BYTE = 8
#: This many weights (400 MB) do no harm, regardless of the files.
FREE_WEIGHTS = 10**8
#: Ways to pack weights that are read without code from elsewhere; others may fetch kernels and run them.
PACKED_BY = ("bitsandbytes", "bitsandbytes_4bit", "bitsandbytes_8bit")
#: What to do with a static embedding that was given as a model.
STATIC = "measure it with the measures of vectors, such as aslant weat, or with aslant audit"
_LAYERS = re.compile(r"(^|_)layers?$")
_SIZES = re.compile(
    r"(size|dim|d_model|d_ff|d_kv|n_embd|n_inner|heads?|labels|experts|positions|embeddings|channels|width|groups)$"
)
_WEIGHTS = (".gguf", ".safetensors", ".bin", ".pt", ".pth", ".h5", ".msgpack")
NO_CONVERSION = "DISABLE_SAFETENSORS_CONVERSION"
Model = TypeVar("Model")


def check_asked(source: str | os.PathLike[str] | None, what: str, dtype: str) -> None:
    """Raise one clear error for a source that does not exist, an extra that is not installed, or an unknown type.

    >>> check_asked(None, "language models", "int8")
    Traceback (most recent call last):
    aslant.errors.DataError: dtype is 'int8'; choose one of float32, bfloat16, float16, auto, 8bit, 4bit.
    """
    if isinstance(source, str) and not HUB_NAME.fullmatch(source) and not os.path.exists(path_of(source)):  # noqa: PTH110
        raise DataError(unknown(source))
    need_extra(what, "torch", "transformers")
    os.environ.setdefault("USE_HUB_KERNELS", "0")  # transformers downloads no kernels (compiled code) to run them
    if dtype not in DTYPES:
        raise DataError(f"dtype is {dtype!r}; choose one of {', '.join(DTYPES)}.")
    if dtype in ("8bit", "4bit"):
        need_package(f"dtype {dtype}", "bitsandbytes")
        need_package(f"dtype {dtype}", "accelerate")


def need_package(what: str, package: str) -> None:
    """Raise an error that gives the command, if a package that only some need is not installed.

    >>> need_package("device_map", "no_such_package")
    Traceback (most recent call last):
    aslant.errors.MissingExtraError: device_map needs no_such_package: pip install 'no_such_package'.
    """
    if util.find_spec(package) is None:
        raise MissingExtraError(f"{what} needs {package}: pip install '{package}'.")


def need_extra(what: str, *modules: str, install: str = "pip install '.[lm]'") -> None:
    """Raise an error that gives the command, if one of the modules is not installed.

    >>> need_extra("encoders", "no_such_module")
    Traceback (most recent call last):
    aslant.errors.MissingExtraError: encoders need no_such_module: pip install '.[lm]'.
    """
    for module in modules:
        if util.find_spec(module) is None:
            raise MissingExtraError(f"{what} need {module}: {install}.")


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


def folder_by_data_name(
    name: str, kinds: Collection[str], whole: Callable[[Path], bool], dtype: str = "float32"
) -> Path | None:
    """Return the folder of a model that has a data name, or None; one that is not `whole` is converted first."""
    if not could_be_name(name) or (name in names() and not present(name) and _cached(name)):
        return None  # or there is nothing to download
    found = resolve(name, kinds=kinds)
    return found if found is None or whole(found) else prepared(name, dtype)


def _cached(name: str) -> Path | None:
    """Return the folder in which the hub's cache keeps a model."""
    if not util.find_spec("huggingface_hub"):
        return None
    from huggingface_hub import try_to_load_from_cache

    found = try_to_load_from_cache(name, "config.json")
    return Path(found).parent if isinstance(found, str) else None


def places(name: str, folder: Path | None) -> Iterator[tuple[str, bool]]:
    """Yield the places a model may come from, and whether each must be complete: its folder, or the cache and the hub.

    What is cached is given as a folder, for which the hub is not contacted; files may be missing, so the hub is next.
    """
    if folder is not None:
        yield str(folder), True
        return
    from huggingface_hub.errors import HFValidationError

    try:
        cached = _cached(name)
    except HFValidationError:
        return
    if cached is not None:
        yield str(cached), True
    if not no_hub():
        yield name, False


def unknown(name: str) -> str:
    """Return the message for a name that nothing has."""
    why = no_hub() if HUB_NAME.fullmatch(name) else ""
    return (
        f"there is no folder '{name}', nor data or a hub model of that name{why and f' ({why})'}; {did_you_mean(name)}"
        "check the name, or download the model elsewhere and give its folder."
    )


def no_hub() -> str:
    """Return why the hub cannot be contacted, or nothing; its own library would try for half a minute."""
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
    return Path(where) if os.path.isdir(where) else _cached(where)  # noqa: PTH112 (a name may be too long for a file)


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
        if content.get("model_type") == "model2vec":
            raise DataError(f"'{name}' is a Model2Vec model, a static embedding; {STATIC}.")
        check_config(content, name, folder)
        config = AutoConfig.from_pretrained(where, local_files_only=only_local, trust_remote_code=False)
    except (ValueError, KeyError, TypeError, AttributeError, OSError, RecursionError, StrictDataclassError) as error:
        if not only_local and isinstance(error, OSError):
            raise DataError(unknown(name)) from None
        raise DataError(f"the config.json of '{name}' cannot be used: {first_sentence(error)}.") from None
    config._attn_implementation = None
    return config


def from_files(
    auto: Any, where: str, config: Any, dtype: str, only_local: bool, device_map: Any = None
) -> tuple[Any, dict[str, Any]]:
    """Return a model loaded by a class of transformers, and which weights are missing."""
    import torch

    said: ValueError | None = None
    more: dict[str, Any] = {} if device_map is None else {"device_map": device_map}
    if dtype in ("8bit", "4bit"):
        from transformers import BitsAndBytesConfig

        logging.getLogger("bitsandbytes").setLevel(logging.ERROR)  # it would say at every layer that it rounds
        packed = {"load_in_8bit": True} if dtype == "8bit" else {"load_in_4bit": True, "bnb_4bit_quant_type": "nf4"}
        more["quantization_config"] = BitsAndBytesConfig(**packed)
    kind = "auto" if dtype == "auto" else getattr(torch, dtype, torch.float32)
    for attention in ATTENTION:
        try:
            found: tuple[Any, dict[str, Any]] = auto.from_pretrained(
                where, config=config, dtype=kind, local_files_only=only_local, trust_remote_code=False,
                weights_only=True, output_loading_info=True, attn_implementation=attention, **more,
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
        os.environ.pop(NO_CONVERSION, None)
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


def check_folder(folder: Path) -> None:
    """Refuse a folder that is more than files of a model: pipes and devices, adapters, weights that lie elsewhere.

    Links to files are followed, wherever they lead: the hub's own cache is made of them, and what is read is numbers.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "model.safetensors.index.json").write_text('{"weight_map": {"a": "../../secret"}}')
    >>> check_folder(folder)
    Traceback (most recent call last):
    aslant.errors.DataError: '...index.json' names weights in '../../secret', outside its folder; get the model again.
    """
    for path in sorted(folder.iterdir()):
        try:
            mode = path.stat().st_mode
        except OSError:  # a link to nowhere: as good as absent
            continue
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise DataError(f"'{path}' is not a regular file; remove it from the model's folder.")
        if path.name == "adapter_config.json":
            raise DataError(f"'{folder}' holds a model and an adapter to another model; give each its own folder.")
        if not path.name.endswith(".index.json"):
            continue
        try:
            content = parse_json(read_text(path, DataError, most=MAX_INDEX))
            names = set(content["weight_map"].values())
        except (ValueError, KeyError, TypeError, AttributeError):
            raise DataError(f"'{path}' is not an index of weights; get the model again.") from None
        for name in names:
            if not isinstance(name, str) or Path(name).name != name or name in ("", "..") or not name.isprintable():
                raise DataError(f"'{path}' names weights in '{name!s:.80}', outside its folder; get the model again.")


def check_config(content: dict[str, Any], name: str, folder: Path | None) -> None:
    """Refuse a configuration whose sizes are absurd, or more than the weights in its folder can fill.

    >>> check_config({"num_labels": 10**11}, "m", None)
    Traceback (most recent call last):
    aslant.errors.DataError: the config.json of 'm' cannot be used: num_labels is 100,000,000,000 (at most 10,000,000).
    """
    problem = _problem(content, folder)
    if problem:
        raise DataError(f"the config.json of '{name}' cannot be used: {problem}.")


def _problem(content: dict[str, Any], folder: Path | None) -> str | None:
    for key, value in numbers(content):
        most = MAX_LAYERS if _LAYERS.search(key) else MAX_SIZE if _SIZES.search(key) else None
        if most is not None and value > most:
            return f"{key} is {value:,} (at most {most:,})"
    packed = content.get("quantization_config")
    method = packed.get("quant_method") if isinstance(packed, dict) else packed
    if packed and method not in PACKED_BY:
        return f"its weights are packed by {method!r:.40}, which may run code from elsewhere; give plain weights"
    if folder is None:
        return None
    # The sizes of the large matrices are compared with the files, as far as they matter.
    there = sum(path.stat().st_size for path in folder.iterdir() if path.suffix in _WEIGHTS and path.is_file())
    sizes = dict(numbers(content))
    width = max(sizes.get(key, 0) for key in ("hidden_size", "n_embd", "d_model", "dim"))
    layers = max((value for key, value in sizes.items() if _LAYERS.search(key)), default=1)
    inner = max(sizes.get(key, 0) for key in ("intermediate_size", "n_inner", "d_ff", "hidden_dim"))
    asked = width * max(sizes.get("vocab_size", 0), layers * width, inner)
    much = asked > max(FREE_WEIGHTS, WEIGHTS_PER_BYTE * there)
    return f"it requires {asked:,} weights, but the files have {there:,} bytes" if much else None


def numbers(content: Any, depth: int = 0) -> Iterator[tuple[str, int]]:
    """Yield every whole number with its key, those of parts (such as text_config) too."""
    if isinstance(content, dict) and depth < 10:
        for key, value in content.items():
            if isinstance(value, int) and not isinstance(value, bool):
                yield str(key), value
            else:
                yield from numbers(value, depth + 1)
