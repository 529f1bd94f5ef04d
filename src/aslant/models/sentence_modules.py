"""How a sentence encoder makes one vector of a text's token vectors: the modules of sentence-transformers, read here.

A folder of that library names its modules in modules.json; the common ones are read, from files or from a model in
memory, and give the same numbers. A module that is not read raises `UnreadModuleError`: the library has to run it.
"""

from __future__ import annotations

import hashlib
import json
import pickle
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any, TypeAlias

from aslant.errors import DataError
from aslant.io.reading import parse_json, read_text
from aslant.models.model_loading import quiet
from aslant.models.network import FEWEST

MODULES, SETTINGS = "modules.json", "config_sentence_transformers.json"
#: What `aslant.debias_encoder(…).save(…)` writes about what was done to a model.
DEBIASED = "aslant_debias.json"
#: Ways to pool, in the order in which older configurations concatenate them, with their keys there.
MODES = {
    "cls": "pooling_mode_cls_token",
    "max": "pooling_mode_max_tokens",
    "mean": "pooling_mode_mean_tokens",
    "mean_sqrt_len_tokens": "pooling_mode_mean_sqrt_len_tokens",
    "weightedmean": "pooling_mode_weightedmean_tokens",
    "lasttoken": "pooling_mode_lasttoken",
}
CALLED = {
    "cls": "first-token", "mean_sqrt_len_tokens": "mean-sqrt-length", "weightedmean": "weighted-mean",
    "lasttoken": "last-token",
}  # fmt: skip
#: Activations of dense layers, each as torch.nn has it by default.
ACTIVATIONS = (
    "Identity", "Tanh", "ReLU", "GELU", "Sigmoid", "SiLU", "ELU", "LeakyReLU", "Softplus", "Softsign", "Mish", "SELU",
)  # fmt: skip
#: Settings of the first module that change numbers and are not read here, unless they are empty or have this value.
UNREAD = {
    "transformer_task": "feature-extraction", "module_output_name": "token_embeddings",
    **dict.fromkeys(("query_expansion", "processing_kwargs", "model_args", "model_kwargs", "tokenizer_args",
                     "processor_kwargs", "config_args", "config_kwargs", "tokenizer_name_or_path")),
}  # fmt: skip
#: Names of the file with the first module's settings, in folders of any age.
FIRST = tuple(f"sentence_{of}_config.json" for of in ("bert", "roberta", "distilbert", "camembert", "albert",
                                                      "xlm-roberta", "xlnet"))  # fmt: skip
#: Endings of the classes of modules that have weights.
WEIGHTED = (".Dense", ".LayerNorm")
#: The weights of a module, by name.
Weights: TypeAlias = Mapping[str, Any]


class UnreadModuleError(DataError):
    """A sentence encoder with a module that is not read here; the library may be able to run it."""


@dataclass(frozen=True, eq=False)
class Step:
    """What is done to a sentence's vector after pooling: `kind` is "dense", "layer norm", "normalised" or "cut"."""

    kind: str
    weights: Weights = field(default_factory=dict)
    activation: str = "Identity"
    residual: bool = False
    size: int = 0  #: of "cut": the dimensions that are left

    def __call__(self, x: Any) -> Any:
        """Return vectors (n, d) after this step, torch tensors both."""
        from torch import nn
        from torch.nn import functional

        if self.kind == "normalised":
            return functional.normalize(x, p=2, dim=-1)
        if self.kind == "cut":
            return x[:, : self.size]
        w = {name: tensor.to(x.device, x.dtype) for name, tensor in self.weights.items()}
        if self.kind == "layer norm":
            return functional.layer_norm(x, w["norm.weight"].shape, w["norm.weight"], w["norm.bias"])
        made = getattr(nn, self.activation)()(functional.linear(x, w["linear.weight"], w.get("linear.bias")))
        if not self.residual:
            return made
        return made + (functional.linear(x, w["residual.weight"]) if "residual.weight" in w else x)

    def describe(self) -> str:
        """Say what it is, in a few words.

        >>> Step("normalised").describe(), Step("cut", size=64).describe()
        ('normalised', 'first 64 dimensions')
        """
        if self.kind == "dense":
            out, wide = self.weights["linear.weight"].shape
            return f"dense {wide}→{out}" + ("" if self.activation == "Identity" else f" ({self.activation})")
        return f"first {self.size} dimensions" if self.kind == "cut" else self.kind

    def redrawn(self) -> Step:
        """Return the step with weights as before training, by torch's random state."""
        import torch

        if self.kind == "layer norm":
            new = {name: torch.full_like(w, float(name == "norm.weight")) for name, w in self.weights.items()}
            return replace(self, weights=new)
        made: dict[str, Any] = {}
        for name, tensor in self.weights.items():  # as torch.nn.Linear draws weight and bias
            bound = int(self.weights[name.replace(".bias", ".weight")].shape[1]) ** -0.5
            made[name] = torch.empty_like(tensor).uniform_(-bound, bound)
        return replace(self, weights=made)


@dataclass(frozen=True, eq=False)
class Head:
    """All that stands between a text and its vector, except the transformer.

    `longest`: tokens of a text that are read (None: as many as the model takes). `prompt` stands before every text;
    `prompts` are all that the model has, by name. `with_prompt`: its tokens are pooled too.
    """

    modes: tuple[str, ...] = ("mean",)
    steps: tuple[Step, ...] = ()
    longest: int | None = None
    lower: bool = False
    prompt: str = ""
    prompts: Mapping[str, str] = field(default_factory=dict)
    with_prompt: bool = True

    def __call__(self, vectors: Any, lengths: Sequence[int], skip: int = 0) -> Any:
        """Return one vector for each text, from those of its tokens: (texts, tokens, d), padded on the right.

        The first `skip` tokens of each are left out.
        """
        import torch

        x = vectors.float()
        size, places = torch.tensor(lengths, device=x.device)[:, None], torch.arange(x.shape[1], device=x.device)
        mask = (places < size) & (places >= skip)  # (texts, tokens)
        x = torch.cat([_pooled(mode, x, mask) for mode in self.modes], dim=-1)
        few = len(x)  # as many rows as elsewhere, so that a text has the same numbers in any company
        x = torch.cat([x, x[-1:].expand(max(0, FEWEST - few), -1)])
        for step in self.steps:
            x = step(x)
        return x[:few]

    def describe(self) -> str:
        """Say how a text becomes a vector.

        >>> Head(steps=(Step("normalised"),), prompt="query: ").describe()
        "mean pooling, normalised, prompt 'query: '"
        """
        how = [f"{' + '.join(CALLED.get(mode, mode) for mode in self.modes)} pooling"]
        how += [step.describe() for step in self.steps]
        if self.prompt:
            how.append(f"prompt {self.prompt!r:.80}" + ("" if self.with_prompt else " not pooled"))
        return ", ".join(how)

    def chosen(self, prompt: str | None) -> Head:
        """Return the head with the prompt of that name, or with that text before every text; None: as it is.

        >>> Head(prompts={"query": "query: "}).chosen("query").prompt
        'query: '
        >>> Head(prompts={"query": "query: "}).chosen("document")
        Traceback (most recent call last):
        aslant.errors.DataError: there is no prompt 'document'; the model has: query; or give the text of one.
        """
        if prompt is None:
            return self
        if prompt not in self.prompts and re.fullmatch(r"[\w.-]+", prompt):
            has = ", ".join(self.prompts) or "none"
            raise DataError(f"there is no prompt '{prompt}'; the model has: {has}; or give the text of one.")
        return replace(self, prompt=self.prompts.get(prompt, prompt))

    def note(self) -> str:
        """Say what else decides its numbers."""
        unused = [name for name, text in self.prompts.items() if text and text != self.prompt]
        said = [f"a text is cut after {self.longest:,} tokens, as served"] if self.longest else []
        return "; ".join([*said, *([f"prompts not used: {', '.join(unused)}"] if unused else [])])

    def redrawn(self, seed: int) -> Head:
        """Return the head with the weights of its layers as before training."""
        import torch

        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            return replace(self, steps=tuple(step.redrawn() for step in self.steps))

    def fingerprint(self, of_network: str) -> str:
        """Return twelve hex digits from those of a network and from everything here."""
        settings = [self.modes, self.longest, self.lower, self.prompt, self.with_prompt]
        steps = [[step.kind, step.activation, step.residual, step.size] for step in self.steps]
        digest = hashlib.blake2b(json.dumps([of_network, settings, steps]).encode("utf-8", "surrogatepass"))
        for step in self.steps:
            for name, tensor in sorted(step.weights.items()):
                digest.update(name.encode())
                digest.update(tensor.detach().cpu().float().contiguous().numpy().tobytes())
        return digest.hexdigest()[:12]


def _pooled(mode: str, x: Any, mask: Any) -> Any:
    """Return (texts, d) from (texts, tokens, d) and the tokens that count (texts, tokens)."""
    import torch

    rows, weights = torch.arange(len(x), device=x.device), mask[:, :, None].float()
    if mode == "cls":
        return x[rows, mask.int().argmax(dim=1)]
    if mode == "lasttoken":
        return x[rows, x.shape[1] - 1 - mask.int().flip(1).argmax(dim=1)]
    if mode == "max":
        return x.masked_fill(~mask[:, :, None], float("-inf")).amax(dim=1)
    if mode == "weightedmean":
        weights = weights * torch.arange(1, x.shape[1] + 1, device=x.device)[:, None]
    total, size = (x * weights).sum(dim=1), weights.sum(dim=1).clamp(min=1e-9)
    return total / (size.sqrt() if mode == "mean_sqrt_len_tokens" else size)


def add_module(head: Head, kind: str, config: Mapping[str, Any], weights: Weights) -> Head:
    """Return a head with one more module: its class as modules.json names it, its settings and its weights.

    >>> add_module(Head(), "sentence_transformers.models.CNN", {}, {})
    Traceback (most recent call last):
    aslant.models.sentence_modules.UnreadModuleError: a module 'sentence_transformers.models.CNN'
    """
    library, name = kind.partition(".")[0], kind.rpartition(".")[2]
    reader = {"Pooling": _pooling, "Dense": _dense, "LayerNorm": _layer_norm, "Normalize": _normalise}.get(name)
    if library != "sentence_transformers" or (reader is None and name != "Dropout"):
        raise UnreadModuleError(f"a module '{kind:.80}'")
    where = config.get("module_input_name", "sentence_embedding")
    if where != "sentence_embedding" or config.get("module_output_name") not in (None, where):
        raise UnreadModuleError(f"a module '{name}' that reads '{where}' and writes elsewhere")
    return head if reader is None else reader(head, config, weights)


def _pooling(head: Head, config: Mapping[str, Any], _: Weights) -> Head:
    given = config.get("pooling_mode")
    if given is None:
        given = [mode for mode, key in MODES.items() if config.get(key)] or ["mean"]
    modes = ((given,) if isinstance(given, str) else tuple(given)) or ("nothing",)
    for mode in modes:
        if mode not in MODES:
            raise UnreadModuleError(f"a module 'Pooling' by '{mode!s:.40}'")
    return replace(head, modes=modes, with_prompt=bool(config.get("include_prompt", True)))


def _dense(head: Head, config: Mapping[str, Any], weights: Weights) -> Head:
    activation = str(config.get("activation_function", "torch.nn.modules.activation.Tanh"))
    name = activation.rpartition(".")[2]
    if not activation.startswith("torch."):  # in its place, the library would take another one
        raise DataError(
            f"a module 'Dense' has the activation '{activation:.80}', which is code of its own; it is not run."
        )
    if not activation.startswith("torch.nn.modules.") or name not in ACTIVATIONS:
        raise UnreadModuleError(f"a module 'Dense' with the activation '{activation:.80}'")
    kept = _named(weights, "linear.weight", "linear.bias", "residual.weight")
    wide = {int(w.shape[1]) for key, w in kept.items() if key.endswith("weight") and w.ndim == 2}
    if "linear.weight" not in kept or kept["linear.weight"].ndim != 2 or len(wide) != 1:
        raise DataError("the module 'Dense' has no weights of the right sizes; get the model again.")
    step = Step("dense", kept, name, residual=bool(config.get("use_residual")))
    return replace(head, steps=(*head.steps, step))


def _layer_norm(head: Head, config: Mapping[str, Any], weights: Weights) -> Head:
    kept = _named(weights, "norm.weight", "norm.bias")
    if len(kept) != 2:
        raise DataError("the module 'LayerNorm' has no weights; get the model again.")
    return replace(head, steps=(*head.steps, Step("layer norm", kept)))


def _normalise(head: Head, config: Mapping[str, Any], weights: Weights) -> Head:
    return replace(head, steps=(*head.steps, Step("normalised")))


def _named(weights: Weights, *names: str) -> dict[str, Any]:
    return {name: weights[name].detach().float() for name in names if name in weights}


def first_module(kind: str, config: Mapping[str, Any]) -> Head:
    """Return the head as the settings of the first module, the transformer, begin it.

    >>> first_module("sentence_transformers.models.Transformer", {"max_seq_length": 256}).longest
    256
    """
    library, name = kind.partition(".")[0], kind.rpartition(".")[2]
    if library != "sentence_transformers" or name != "Transformer":
        raise UnreadModuleError(f"a first module '{kind:.80}'")
    for key, usual in UNREAD.items():
        if config.get(key) and config[key] != usual:
            raise UnreadModuleError(f"a transformer with the setting '{key}'")
    if set(config.get("modality_config") or ("text",)) - {"text"}:
        raise UnreadModuleError("a transformer that takes more than text")
    longest = config.get("max_seq_length")
    if longest is not None and (not isinstance(longest, int) or longest < 1):
        raise DataError(f"max_seq_length is {longest!r:.40}; it must be a whole number from 1 up.")
    return Head(longest=longest, lower=bool(config.get("do_lower_case")))


def with_settings(head: Head, settings: Mapping[str, Any]) -> Head:
    """Return a head with the prompts and the dimensions that config_sentence_transformers.json asks for."""
    prompts = {str(name): str(text) for name, text in (settings.get("prompts") or {}).items() if text is not None}
    prompt = prompts.get(str(settings.get("default_prompt_name")), "")
    size = settings.get("truncate_dim")
    if size is not None and (not isinstance(size, int) or size < 1):
        raise DataError(f"truncate_dim is {size!r:.40}; it must be a whole number from 1 up.")
    steps = (*head.steps, Step("cut", size=size)) if size else head.steps
    return replace(head, prompts=prompts, prompt=prompt, steps=steps)


@dataclass(frozen=True)
class Listed:
    """A module as modules.json lists it: its class and the folder of its files, relative to that of the model."""

    kind: str
    path: str


def listed_modules(folder: Path) -> list[Listed]:
    """Return the modules of a sentence encoder's folder, in order; none where it is not one.

    >>> import tempfile
    >>> listed_modules(Path(tempfile.mkdtemp()))
    []
    """
    if not (folder / MODULES).is_file():
        return []
    wrong = f"'{folder / MODULES}' is not a list of modules; get the model again."
    try:
        found = [Listed(str(entry["type"]), str(entry["path"])) for entry in parse_json(_text(folder / MODULES))]
    except (ValueError, KeyError, TypeError):
        raise DataError(wrong) from None
    if not found:
        raise DataError(wrong)
    for module in found:
        path = PurePosixPath(module.path.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or ":" in module.path or not module.path.isprintable():
            raise DataError(f"'{folder / MODULES}' names files in '{module.path:.80}', outside its folder.")
    return found


def read_head(folder: Path, modules: Sequence[Listed]) -> Head:
    """Return how the sentence encoder in a folder makes one vector of a text."""
    try:
        return _read_head(folder, modules)
    except (TypeError, ValueError, AttributeError, LookupError, OverflowError, OSError) as error:
        why = str(error)[:80]
        raise DataError(f"the modules in '{folder}' have settings that make no sense ({why}); get it again.") from None


def _read_head(folder: Path, modules: Sequence[Listed]) -> Head:
    first, *rest = modules
    own = (folder / first.path / name for name in FIRST)
    head = first_module(first.kind, next((read_settings(path) for path in own if path.is_file()), {}))
    pooled = False
    for module in rest:
        where = folder / module.path
        config = read_settings(where / "config.json") if (where / "config.json").is_file() else {}
        head = add_module(head, module.kind, config, _weights(where) if module.kind.endswith(WEIGHTED) else {})
        pooled = pooled or module.kind.endswith(".Pooling")
        if not pooled:
            raise UnreadModuleError(f"a module '{module.kind:.80}' before its pooling")
    if not pooled:
        raise UnreadModuleError("no module that pools")
    return with_settings(head, read_settings(folder / SETTINGS) if (folder / SETTINGS).is_file() else {})


def head_of(model: Any) -> Head:
    """Return how a `sentence_transformers.SentenceTransformer` in memory makes one vector of a text."""
    first, *rest = list(model)
    if _kind(first).rpartition(".")[2] != "Transformer":
        raise UnreadModuleError(f"a first module '{_kind(first):.80}'")
    own = {"max_seq_length": first.max_seq_length, "do_lower_case": getattr(first, "do_lower_case", False)}
    head = first_module(_kind(first), {**own, **dict(_unread(first))})
    if not rest or not _kind(rest[0]).endswith(".Pooling"):
        raise UnreadModuleError("no module that pools after the transformer")
    for module in rest:
        head = add_module(head, _kind(module), module.get_config_dict(), module.state_dict())
    names = ("prompts", "default_prompt_name", "truncate_dim")
    return with_settings(head, {name: getattr(model, name, None) for name in names})


def _kind(module: Any) -> str:
    return f"{type(module).__module__}.{type(module).__name__}"


def _unread(first: Any) -> Iterator[tuple[str, Any]]:
    for name in ("transformer_task", "module_output_name", "query_expansion", "processing_kwargs", "modality_config"):
        if (value := getattr(first, name, None)) is not None:
            yield name, value


def _text(path: Path) -> str:
    return read_text(path, DataError, most=1 << 20)


def read_settings(path: Path) -> dict[str, Any]:
    """Return a JSON file of settings; one clear error for anything else."""
    try:
        found = parse_json(_text(path))
    except ValueError as error:
        raise DataError(f"'{path}' cannot be read ({error}); get the model again.") from None
    if not isinstance(found, dict):
        raise DataError(f"'{path}' is not a table of settings; get the model again.")
    return found


def _weights(folder: Path) -> Weights:
    """Return the weights of a module: numbers only, whichever of the two formats they are in."""
    import torch
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    safe, older = folder / "model.safetensors", folder / "pytorch_model.bin"
    try:
        with quiet():
            if safe.is_file():
                return dict(load_file(safe))
            return dict(torch.load(older, map_location="cpu", weights_only=True)) if older.is_file() else {}
    except pickle.UnpicklingError:
        raise DataError(f"the weights in '{folder}' hold more than numbers; get safetensors.") from None
    except (SafetensorError, OSError, RuntimeError, ValueError, TypeError, EOFError) as error:
        raise DataError(f"the weights in '{folder}' cannot be read ({str(error)[:80]}); get the model again.") from None
