"""`aslant.load_lm` and `aslant.load_encoder`: from the name or path of a model to a loaded one.

See `model_loading` for how files of transformers are read, and `elmo_files` for those of ELMo: nothing but numbers.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from aslant.errors import DataError
from aslant.io.packed_files import path_of
from aslant.models import adapters, model_loading
from aslant.models.chat import message_of
from aslant.models.conversion import converted, gguf_in
from aslant.models.memory import memory_suffices_for
from aslant.models.rehearsing import refuse_in_rehearsal
from aslant.models.sample import ENCODER, NAME, NOTE, load_sample
from aslant.models.sentence_modules import (
    DEBIASED,
    MODULES,
    UnreadModuleError,
    listed_modules,
    read_head,
    read_settings,
)
from aslant.models.server_client import is_address

if TYPE_CHECKING:
    from aslant.models.elmo import ElmoEncoder
    from aslant.models.encoder import Layer, Pieces, TransformersEncoder
    from aslant.models.language_models import TransformersCausalLM, TransformersMaskedLM
    from aslant.models.onnx_encoder import OnnxEncoder
    from aslant.models.sentence_transformers_encoder import LibraryEncoder
    from aslant.models.server_encoder import ServerEncoder
    from aslant.models.server_lm import ServerCausalLM

#: A name or path; or a model of transformers and its tokenizer.
Source: TypeAlias = str | os.PathLike[str] | tuple[Any, Any] | None
#: Types of weights that every model can have.
PLAIN = ("float32", "bfloat16", "float16")
#: What is loaded by default, and what every output says about it.
DEFAULT = "smollm2-135m"
DEFAULT_NOTE = "SmolLM2-135M-Instruct: tuned to follow instructions, with weights rounded to 4 bits"
#: Endings of the names of architectures that predict masked, or next, tokens.
MASKED, CAUSAL = ("ForMaskedLM",), ("ForCausalLM", "LMHeadModel")
#: Architectures made for pre-training whose weights hold a masked-language head.
PRETRAINED = ("BertForPreTraining", "AlbertForPreTraining", "MobileBertForPreTraining")
NOT_SERVED = "an inner layer was requested, so sentences are the mean of their words, not as served"
NO_PROMPT = "'{}' is not read as a sentence encoder that is served, so it takes no prompt; put it into the texts."
EITHER = (
    "give the folder of a transformers model (config.json), of an ELMo (options.json and weights in .hdf5), or an ONNX "
    "file with tokenizer.json beside it"
)


class NoHeadError(DataError):
    """A model that does not predict words; it may be an encoder."""


def load_lm(
    source: Source = None,
    *,
    device: str | None = None,
    device_map: Any = None,
    token_budget: int | None = None,
    journal: Any = None,
    dtype: str = "float32",
    capitalise: bool = True,
    model: str | None = None,
    begin: str = "",
    chat: bool | str = False,
) -> TransformersMaskedLM | TransformersCausalLM | ServerCausalLM:
    """Load a language model, masked or causal: a folder, a GGUF file, an adapter, a name, an address, or nothing.

    Nothing is SmolLM2-135M-Instruct with weights of 4 bits; 'sample-mlm' is a small masked model for demonstrations.
    An adapter (LoRA) is merged into its base. A pair (model, tokenizer) of transformers is taken as it is, on its
    device. Hub names are looked up in the cache first; `ASLANT_OFFLINE` (or `HF_HUB_OFFLINE`) forbids anything else.
    `device`: 'cpu', 'cuda' or 'mps'; None takes the best one available. `device_map`: spread over devices, as
    transformers has it. `dtype`: 'float32', 'bfloat16', 'float16', 'auto' (as the files have it), '8bit' or '4bit'
    (bitsandbytes). `token_budget`: tokens that go through the model at once (None: 1,024 on a processor, 16,384
    elsewhere). `journal`: a `Journal` or a folder in which scores are kept, so that a killed run can resume.
    `capitalise`: a model that distinguishes capitals sees a capital at the beginning of a sentence. `chat`: sentences
    are answers in the model's own chat format, to "Write a sentence." or to a message of yours.

    A server's address, as in "http://127.0.0.1:8000/v1" with the name of its `model` (or "…/v1#NAME"), is one that
    speaks OpenAI's protocol and returns log-probabilities of prompts (docs/servers.md); a probe finds that out first.
    `begin` is a beginning token to put before each text, where the server does not, such as "<s>".

    >>> load_lm("no/such/folder/at/all")
    Traceback (most recent call last):
    aslant.errors.DataError: there is no folder 'no/such/folder/at/all', nor data or a hub model of that name; ...
    """
    if is_address(source):
        from aslant.models.server_lm import load_server_lm

        refuse_with_server(device=device, device_map=device_map, dtype=dtype, token_budget=token_budget, chat=chat)
        return load_server_lm(str(source), model, begin=begin, capitalise=capitalise, journal=journal)
    refuse_without_server(source, model=model, begin=begin)
    options = {"token_budget": token_budget, "journal": journal, "capitalise": capitalise, "chat": message_of(chat)}
    wanted = _Source.of(source, "language models", device, device_map, dtype, options, encoder=False)
    lm: TransformersMaskedLM | TransformersCausalLM = wanted.opened()
    return lm


def load_encoder(
    source: Any = None,
    *,
    layer: Layer | None = None,
    pieces: Pieces = "mean",
    prompt: str | None = None,
    device: str | None = None,
    device_map: Any = None,
    token_budget: int | None = None,
    dtype: str = "float32",
    model: str | None = None,
    journal: Any = None,
) -> TransformersEncoder | ElmoEncoder | OnnxEncoder | LibraryEncoder | ServerEncoder:
    """Load an encoder: a folder, an ONNX file, ELMo's options file, a name, an address, or nothing (all-MiniLM-L6-v2).

    A model of sentence-transformers (a folder with modules.json, or a `SentenceTransformer` in memory) gives the
    vectors of whole texts as it is served: its pooling, layers, prompt and length. `prompt`: the name of one of its
    prompts, or a text to put before every text; None: its default. A language model gives its encoder, and so does an
    encoder–decoder model such as T5. A pair (model, tokenizer) of transformers is taken as it is.
    `layer`: "last", "mean" of all (the embeddings are one of them), or a number: 0 is the embeddings, −1 the last one.
    None is "last"; for ELMo, "mean". `pieces`: a word of several pieces has the "mean" of their vectors, or that of the
    "first". Hub names are looked up in the cache first; `ASLANT_OFFLINE` (or `HF_HUB_OFFLINE`) forbids anything else.
    `device`, `device_map`, `dtype`: as for `load_lm`. `token_budget`: tokens that go through the network at once (None:
    1,024 on a processor, 16,384 elsewhere).

    A server's address, as in "http://127.0.0.1:8000/v1" with the name of its `model` (or "…/v1#NAME"), is one whose
    /embeddings give a vector for a whole text (docs/servers.md): `layer` and `pieces` are then not for us to choose.
    `journal`: a folder in which its vectors are kept, so that none is asked for twice.

    >>> load_encoder("no/such/folder/at/all")
    Traceback (most recent call last):
    aslant.errors.DataError: there is no folder 'no/such/folder/at/all', nor data or a hub model of that name; ...
    """
    if is_address(source):
        from aslant.models.server_encoder import load_server_encoder

        own = {"device": device, "device_map": device_map, "dtype": dtype, "layer": layer, "pieces": pieces}
        refuse_with_server(**own, prompt=prompt, token_budget=token_budget)
        return load_server_encoder(str(source), model, journal=journal)
    refuse_without_server(source, model=model)
    if source is not None and not isinstance(source, str | os.PathLike) and not is_pair(source):
        from aslant.models.sentence_transformers_encoder import in_memory

        return in_memory(source, prompt, pieces=pieces, token_budget=token_budget)
    options: dict[str, Any] = {"pieces": pieces, "token_budget": token_budget}
    wanted = _Source.of(source, "encoders", device, device_map, dtype, options, encoder=True)
    wanted.prompt, folder = prompt, wanted.folder
    if folder is not None and (found_file := onnx_file(folder)) is not None:
        from aslant.models.onnx_encoder import load_onnx

        return load_onnx(found_file, wanted.name, layer=layer, prompt=prompt, **options)
    known = (
        folder is None or adapters.is_adapter(folder) or any((folder / n).is_file() for n in ("config.json", MODULES))
    )
    if folder is not None and not known:
        from aslant.models.elmo import Elmo, ElmoEncoder
        from aslant.models.elmo_files import elmo_files

        if prompt is not None:
            raise DataError(NO_PROMPT.format(wanted.name))
        model_loading.need_extra("ELMo's weights", "h5py")
        if (found := elmo_files(folder)) is None:
            raise DataError(f"'{folder}' changed while it was being opened; {EITHER}.")
        if dtype not in PLAIN:
            raise DataError(f"dtype is {dtype!r}; choose one of {', '.join(PLAIN)} for an ELMo.")
        options["layer"] = "mean" if layer is None else layer
        encoder = ElmoEncoder(Elmo.read(*found, wanted.device, dtype), wanted.name, dtype=dtype, **options)
        encoder.folder = found[0].parent
        return encoder
    options["layer"] = "last" if layer is None else layer
    made: TransformersEncoder = wanted.opened()
    return made


def refuse_with_server(**given: Any) -> None:
    """Refuse what is for models on this machine: a server has its own device and precision, and vectors of its own.

    >>> refuse_with_server(device="cuda", dtype="float32")
    Traceback (most recent call last):
    aslant.errors.DataError: device is 'cuda', but a model behind a server runs as it is served; leave it out.
    """
    for name, value in given.items():
        if value is not None and value is not False and value not in ("float32", "mean"):  # a layer may be 0
            raise DataError(f"{name} is {value!r}, but a model behind a server runs as it is served; leave it out.")


def refuse_without_server(source: object, **given: str | None) -> None:
    """Refuse what only a server's model has, and a rehearsal of a model that is not behind one.

    >>> refuse_without_server("gpt2", model="gpt2")
    Traceback (most recent call last):
    aslant.errors.DataError: model='gpt2' is for a server's address, and 'gpt2' is not one; leave it out.
    """
    for name, value in given.items():
        if value:
            raise DataError(f"{name}={value!r} is for a server's address, and '{source}' is not one; leave it out.")
    refuse_in_rehearsal(source)


def is_pair(source: Any) -> bool:
    """Tell a pair (model, tokenizer) of transformers.

    >>> is_pair(("a", "b"))
    False
    """
    return (
        isinstance(source, tuple | list)
        and len(source) == 2
        and hasattr(source[0], "config")
        and hasattr(source[0], "parameters")
        and hasattr(source[1], "get_vocab")
    )


@dataclass
class _Source:
    """One model to be opened: from where, how, and what for."""

    name: str
    folder: Path | None
    pair: Any
    device: str
    device_map: Any
    dtype: str
    options: dict[str, Any]
    encoder: bool
    prompt: str | None = None

    @classmethod
    def of(
        cls, source: Any, what: str, device: str | None, device_map: Any, dtype: str, options: dict[str, Any], *,
        encoder: bool,
    ) -> _Source:  # fmt: skip
        """Check what was asked, and find the folder of it if there is one."""
        pair = source if is_pair(source) else None
        if pair is None and not (source is None or isinstance(source, str | os.PathLike)):
            raise DataError(f"{source!r:.60} is not a model; give a name, a path, or a pair (model, tokenizer).")
        model_loading.check_asked(None if pair else source, what, dtype)
        if device_map is not None:
            model_loading.need_package("device_map", "accelerate")
            if device is not None:
                raise DataError(
                    f"device={device!r} and device_map={device_map!r:.40} cannot both be given; choose one."
                )
        found = model_loading.device_of(device)
        if pair is not None:
            known = str(getattr(pair[0].config, "_name_or_path", "") or type(pair[0]).__name__)
            return cls(known, None, pair, found, device_map, dtype, options, encoder)
        name = (ENCODER if encoder else DEFAULT) if source is None else str(source)
        folder = _folder(source, name, dtype, encoder=encoder)
        return cls(name, folder, None, found, device_map, dtype, options, encoder)

    def opened(self) -> Any:
        """Return the model from the first of its places where it can be opened."""
        import torch

        if self.pair is not None:
            if self.prompt is not None:
                raise DataError(NO_PROMPT.format(self.name))
            return self._given()
        if self.name == NAME and self.folder is None:
            model, tokenizer = load_sample()
            kind = getattr(torch, self.dtype, torch.float32)
            moved = (model.base_model if self.encoder else model).to(self.device, kind)
            return self._wrapped(moved, tokenizer, masked=True, note=NOTE)
        if self.folder is not None and adapters.is_adapter(self.folder):
            return self._adapted(self.folder)
        note = DEFAULT_NOTE if self.name == DEFAULT and self.folder != path_of(self.name) else ""

        def finished(model: Any, tokenizer: Any, masked: bool, where: str) -> Any:
            rounded = getattr(model.config, "rounded_as", "")  # from a GGUF file
            said = note or (f"weights rounded in its GGUF file ({rounded})" if rounded else "")
            found = self._wrapped(model, tokenizer, masked=masked, note=said)
            found.folder = model_loading.folder_of(where)
            return found

        return self._from_files(finished, served=self.encoder)

    def _given(self) -> Any:
        """Return a model that was loaded elsewhere, on its own device."""
        model, tokenizer = self.pair
        both = getattr(model.config, "is_encoder_decoder", False)
        if self.encoder:
            body = model.get_encoder() if both else model.base_model
            return self._wrapped(body, tokenizer, masked=False)
        masked = is_masked(self.name, [type(model).__name__], model.config.model_type, decodes=both)
        return self._wrapped(model, tokenizer, masked=masked)

    def _adapted(self, folder: Path) -> Any:
        """Return the base of an adapter with the adapter merged into it; the adapter's own tokenizer, if it has one."""
        model_loading.need_package(f"'{folder}' is an adapter (LoRA), which", "peft")
        config = adapters.adapter_config(folder)
        base = adapters.base_of(folder, config)
        # An adapter of a language model does not fit its encoder alone.
        headless = self.encoder and adapters.is_of_encoder(folder)
        below = replace(self, name=base, folder=_folder(base, base, self.dtype, encoder=headless), encoder=headless)
        if below.folder is not None and adapters.is_adapter(below.folder):
            raise DataError(f"the base of the adapter '{folder}' is an adapter, too ('{base}'); merge them elsewhere.")
        note = f"an adapter ({config['peft_type']}) merged into {Path(base).name}"

        def finished(model: Any, tokenizer: Any, masked: bool, _: str) -> Any:
            if (folder / "tokenizer_config.json").is_file():
                with model_loading.quiet():
                    tokenizer = model_loading.tokenizer_of(str(folder), True)
            whole = adapters.merged(model, folder)
            body = whole.base_model if self.encoder and not headless else whole
            found = self._wrapped(body, tokenizer, masked=masked, note=note)
            found.folder = folder
            return found

        return below._from_files(finished)

    def _from_files(self, finished: Callable[[Any, Any, bool, str], Any], *, served: bool = False) -> Any:
        """Return what is made of model, tokenizer, whether it fills masks, and the place they come from.

        `served`: a folder that says how its vectors are served gives them so.
        """

        def opened(where: str, only_local: bool) -> Any:
            from transformers import AutoModel, AutoModelForCausalLM, AutoModelForMaskedLM

            if served and (whole := self._served(where, only_local)) is not None:
                return whole
            with model_loading.quiet():
                config = model_loading.config_of(self.name, where, only_local)
                auto, masked = AutoModel, False
                if not self.encoder:
                    decodes = bool(getattr(config, "is_encoder_decoder", False))
                    masked = is_masked(self.name, config.architectures, config.model_type, decodes=decodes)
                    auto = AutoModelForMaskedLM if masked else AutoModelForCausalLM
                model, tokenizer = self._read(where, only_local, config, auto)
            return finished(model, tokenizer, masked, where)

        return model_loading.first_that_opens(self.name, self.folder, opened)

    def _read(self, where: str, only_local: bool, config: Any, auto: Any) -> tuple[Any, Any]:
        """Return model and tokenizer, on the devices and in the type that were asked for, if there is memory."""
        packed = self.dtype in ("8bit", "4bit") or getattr(config, "quantization_config", None) is not None
        spread = self.device_map if self.device_map is not None else {"": self.device} if packed else None
        kept = model_loading.folder_of(where)
        saved = str(getattr(config, "dtype", None)).removeprefix("torch.")
        counted = saved if saved in PLAIN else "float32"
        if self.dtype != "auto":
            counted = "8bit" if packed and self.dtype in PLAIN else self.dtype
        with memory_suffices_for(self.name, None if spread == "auto" else kept, counted, self.device):
            model = _weights(self.name, where, config, auto, self.dtype, only_local, spread)
            tokenizer = model_loading.tokenizer_of(where, only_local)
            model = model if spread is not None else model.to(self.device)
        if any(weight.device.type == "meta" for weight in model.parameters()):
            raise DataError(f"device_map leaves part of '{self.name}' on disk; give devices with more memory.")
        return model, tokenizer

    def _served(self, where: str, only_local: bool) -> Any:
        """Return a sentence encoder as modules.json has it served; None where there is none, or for an inner layer."""
        from transformers import AutoModel

        from aslant.models.sentence_transformers_encoder import SentenceTransformersEncoder, by_library, module_files

        folder = module_files(self.name, where, only_local)
        if folder is None or self.options["layer"] not in ("last", -1):
            if self.prompt is not None:
                raise DataError(NO_PROMPT.format(self.name))
            if folder is not None:
                self.options["note"] = NOT_SERVED
            return None
        modules = listed_modules(folder)
        try:
            head = read_head(folder, modules).chosen(self.prompt)
        except UnreadModuleError as why:
            if self.dtype != "float32" or self.device_map is not None:
                said = f"'{self.name}' has {why}, so its library runs it: leave dtype and device_map out."
                raise DataError(said) from None
            return by_library(folder, modules, self.name, why, self.prompt, self.device)
        if (folder / DEBIASED).is_file():
            done = read_settings(folder / DEBIASED)
            self.options["note"] = f"debiased: {done.get('method')!s:.80}, as {DEBIASED} records"
        inner = str(folder / modules[0].path) if only_local else where
        with model_loading.quiet():
            config = model_loading.config_of(self.name, inner, only_local)
            model, tokenizer = self._read(inner, only_local, config, AutoModel)
        found = SentenceTransformersEncoder(model, tokenizer, self.name, head=head, **self.options)
        found.folder = folder
        return found

    def _wrapped(self, model: Any, tokenizer: Any, *, masked: bool, note: str = "") -> Any:
        from aslant.models.encoder import TransformersEncoder
        from aslant.models.language_models import TransformersCausalLM, TransformersMaskedLM

        kind: Any = TransformersEncoder if self.encoder else TransformersMaskedLM if masked else TransformersCausalLM
        notes = "; ".join(filter(None, [note, self.options.get("note", "")]))
        return kind(model, tokenizer, self.name, **{**self.options, "note": notes})


def _folder(source: object, name: str, dtype: str, *, encoder: bool) -> Path | None:
    """Return the folder of a model (or ELMo's options file) that is on disk or has a data name, or None."""
    from aslant.models.elmo_files import elmo_files

    def whole(place: Path) -> bool:
        if encoder and ((place / MODULES).is_file() or onnx_file(place) is not None):
            return True
        return (place / "config.json").is_file() or (encoder and elmo_files(place) is not None)

    path = path_of(name)
    if os.path.exists(path):  # noqa: PTH110 (a name too long for any file is not an error here)
        if whole(path) or adapters.is_adapter(path):
            return path
        if (file := gguf_in(path)) is not None:
            return converted(file, file.stem, dtype)
        if (path / "vocab" / "vectors").is_file():
            raise DataError(f"'{path}' holds spaCy's word vectors, a static embedding; {model_loading.STATIC}.")
        if not encoder and path.suffix == ".onnx":
            raise DataError(f"'{path}' is an ONNX file, which opens as an encoder only (load_encoder, aslant seat).")
        lacks = "has no model in it" if encoder else "has no config.json"
        wanted = EITHER if encoder else "give the folder of a transformers model (with config.json) or a GGUF file"
        raise DataError(f"'{path}' {lacks if path.is_dir() else 'is a file'}; {wanted}.")
    if name == NAME or not (source is None or isinstance(source, str)):
        return None
    kinds = ("encoder", "language model") if encoder else ("language model",)
    return model_loading.folder_by_data_name(name, kinds, whole, dtype)


def onnx_file(path: Path) -> Path | None:
    """Return the ONNX file that a path is or holds; None for a folder with weights for torch, or without any.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> onnx_file(folder) is None
    True
    """
    if path.is_file():
        return path if path.suffix == ".onnx" else None
    if not path.is_dir() or any(file.suffix in (".safetensors", ".bin", ".pt", ".gguf") for file in path.iterdir()):
        return None
    for place in (path, path / "onnx"):
        found = sorted(place.glob("*.onnx"))
        if (place / "model.onnx") in found:
            return place / "model.onnx"
        if len(found) > 1:
            names = ", ".join(file.name for file in found[:5])
            raise DataError(f"'{place}' has several models ({names}); give the path of one of them.")
        if found:
            return found[0]
    return None


def is_masked(name: str, architectures: list[str] | None, model_type: str, *, decodes: bool = False) -> bool:
    """Tell masked from causal language models by the architectures that a configuration names.

    `decodes`: it has an encoder and a decoder, and is neither.

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
    if decodes:
        built = ", ".join(architectures or ()) or model_type
        raise NoHeadError(
            f"'{name}' is an encoder–decoder model ({built}), which writes one text from another and "
            "gives a single sentence no probability; its encoder can be measured (load_encoder, SEAT, "
            "CEAT, aslant audit), or give a masked or a causal language model."
        )
    what = ", ".join(architectures or ()) or f"model of type '{model_type}'"
    raise NoHeadError(f"'{name}' is a {what}, which does not predict words; give a masked or a causal language model.")


def _weights(
    name: str, where: str, config: Any, auto: Any, dtype: str, only_local: bool, device_map: Any = None
) -> Any:
    """Return the model with all its weights; one whose head is not in the files would give random numbers.

    A pooler is never used and may be missing, and so may the decoder of an encoder.
    """
    headless = auto.__name__ == "AutoModel"
    missing: list[str] = []
    for legacy in (True, False) if config.model_type == "deberta-v2" and not headless else (None,):
        if legacy is not None:  # DeBERTa's head has two layouts, and nothing in its configuration tells them apart
            config.legacy = legacy
        model, info = model_loading.from_files(auto, where, config, dtype, only_local, device_map)
        both = headless and hasattr(model, "encoder") and hasattr(model, "decoder")
        unused = ("pooler", "decoder") if both else ("pooler",)
        missing = sorted(key for key in info["missing_keys"] if not any(part in key for part in unused))
        if not missing and not info["mismatched_keys"]:
            return model.encoder if both else model
    lacking = f"'{missing[0]}'" if missing else "weights of the right sizes"
    what = "vectors" if headless else "predictions"
    raise DataError(f"the files of '{name}' have no {lacking}, so its {what} would be random.")
