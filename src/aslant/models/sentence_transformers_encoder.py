"""Sentence encoders as they are served: a transformer, and what its files say about pooling, layers and prompts.

`SentenceTransformersEncoder` runs the modules that `sentence_modules` reads; `LibraryEncoder` asks the library
sentence-transformers itself, for models with other modules. Words in sentences have the vectors of the transformer.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aslant.errors import DataError, MeasureError
from aslant.models.encoder import Asked, ContextEncoder, Forward, Pooled, TransformersEncoder
from aslant.models.network import stored
from aslant.models.plan import Ids, Query
from aslant.models.protocols import RECORDED, Pooling, Progress
from aslant.models.sentence_modules import MODULES, Head, Listed, UnreadModuleError, head_of
from aslant.models.spelling import Cut, Speller, cut_texts, shown, written_out
from aslant.models.twins import fresh
from aslant.parallel import one_thread_each

#: Texts that go to the library at once, between two reports of progress.
CHUNK = 512
#: From this version on, the library does not import what the parts of a module name, unless it is told to.
SAFE = 6
INSTALL = f"pip install 'sentence-transformers>={SAFE}'"
WORDS = "words in sentences have the transformer's own vectors"


class Served(ContextEncoder):
    """An encoder over tokens that also gives vectors of whole texts as they are served, by its `head`."""

    speller: Speller
    served_as = "served"
    head: Head

    def serve(self, head: Head) -> None:
        """Give vectors of texts by `head` from now on; what the encoder says about itself follows."""
        limits = [n for n in (head.longest, self.sees) if n is not None]
        self.head = replace(head, longest=min(limits, default=None))
        tokens = self._cut(head.prompt) if head.prompt and not head.with_prompt else None
        skip = 0 if tokens is None else len(tokens.ids) - (tokens.ids[-1] in self.speller.special)
        assert self.body is not None
        self._served = Pooled(ServedBody(self.body, self.head, skip), self._pooled.limits)
        self.fingerprint = head.fingerprint(self.fingerprint)
        how, words = self.head.describe(), self.format.partition("(")[2].rstrip(")")
        kind, _, chosen = words.partition("; ")
        self.format = f"sentence encoder ({kind}; {how}; words: {chosen})"
        self.note = "; ".join(filter(None, [self.note, self.head.note(), WORDS]))
        probe: Any = self._served.body
        self.served_dimensions = int(probe([self._cut("He is a doctor.").ids]).shape[-1])

    def record(self) -> dict[str, Any]:
        """Return the fields of `aslant.results.Representation`; its dimensions are those of vectors as served."""
        return {**super().record(), "dimensions": self.served_dimensions}

    def sentence_vectors(
        self, texts: Sequence[str], *, pooling: Pooling = "served", progress: Progress | None = None
    ) -> NDArray[np.float32]:
        """Return one vector for each text, as served; or from its tokens by another pooling, without prompt or layers.

        As served, a text is cut where the model stops reading.
        """
        if pooling != "served":
            return super().sentence_vectors(texts, pooling=pooling, progress=progress)
        found = np.empty((len(texts), self.served_dimensions), np.float32)
        prepared = [self.head.prompt + text for text in texts]
        for number, wanted, answers in self._read(prepared, self._as_served, progress, self._cuts, self._served):
            found[number] = answers[wanted[0][0]][0]
        return found

    def _cuts(self, texts: Sequence[str]) -> tuple[list[Cut], Forward]:
        body = self._served.body
        assert body is not None
        return cut_texts(self.speller.tokenizer, texts), body

    def _cut(self, text: str) -> Cut:
        return cut_texts(self.speller.tokenizer, [text])[0]

    def _as_served(self, cut: Cut, _: int) -> list[Asked]:
        room = cut.room(self.head.longest)
        start = cut.content.stop - room if self.speller.tokenizer.truncation_side == "left" else cut.content.start
        ids = cut.through(range(start, start + room)) if cut.content else cut.ids
        if not ids:
            raise MeasureError(f"{shown(cut.text)} has no words that the model reads; leave it out.")
        return [(Query(ids, ((0, 0),)), (0,))]


@dataclass(eq=False)
class ServedBody:
    """Sequences of tokens to one vector each; it can be sent to workers. The first `skip` tokens are not pooled."""

    body: Forward
    head: Head
    skip: int = 0

    def __call__(self, sequences: Sequence[Ids], *, every: bool = False) -> Any:
        """Return (sequences, 1, d)."""
        import torch

        with torch.inference_mode():
            return self.head(self.body(sequences), [len(ids) for ids in sequences], self.skip)[:, None]


class SentenceTransformersEncoder(Served, TransformersEncoder):
    """A model of sentence-transformers, run here: its transformer, and the modules after it as its `head`."""

    def __init__(self, model: Any, tokenizer: Any, name: str, *, head: Head, **options: Any) -> None:
        if head.lower:
            lower(tokenizer)
        super().__init__(model, tokenizer, name, **options)
        self.serve(head)

    def untrained(self, seed: int) -> SentenceTransformersEncoder:
        """Return the same encoder with the weights of all its layers as before training."""
        return SentenceTransformersEncoder(
            fresh(self.network.model, seed), self.speller.tokenizer, f"{self.name} (untrained, seed {seed})",
            head=self.head.redrawn(seed), pieces=self.pieces, token_budget=self.network.limits.tokens,
        )  # fmt: skip


def lower(tokenizer: Any) -> None:
    """Make a tokenizer lower-case its texts first, as the library does."""
    from tokenizers import normalizers

    backend = tokenizer.backend_tokenizer
    if _lowers(json.loads(backend.to_str())["normalizer"]):
        return
    own = [] if backend.normalizer is None else [backend.normalizer]
    backend.normalizer = normalizers.Sequence([normalizers.Lowercase(), *own])


def _lowers(normaliser: dict[str, Any] | None) -> bool:
    """Tell whether a tokenizer's normaliser, or one of its parts, lower-cases.

    >>> _lowers({"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "BertNormalizer", "lowercase": True}]})
    True
    """
    own = normaliser or {}
    return own.get("type") == "Lowercase" or bool(own.get("lowercase")) or any(map(_lowers, own.get("normalizers", ())))


class LibraryEncoder:
    """A `SentenceTransformer` of the library with modules that are not read here: vectors of whole texts only."""

    def __init__(self, model: Any, name: str, *, prompt: str | None = None) -> None:
        settings = {text: part or "" for text, part in (getattr(model, "prompts", None) or {}).items()}
        default = settings.get(getattr(model, "default_prompt_name", None) or "", "")
        head = Head(prompt=default, prompts=settings).chosen(prompt)
        self.model, self.name, self.prompt = model.eval(), name, head.prompt
        self.folder: Path | None = None
        self.dimensions = int(self._encoded(["He is a doctor."]).shape[1])
        how = ", ".join(type(module).__name__ for module in model)
        self.format = (
            f"sentence encoder (sentence-transformers: {how}{self.prompt and f'; prompt {self.prompt!r:.80}'})"
        )
        limit = getattr(model, "max_seq_length", None)
        self.note = replace(head, longest=limit if limit and limit < 10**6 else None).note()
        self.words = 0
        if getattr(model.tokenizer, "is_fast", False):
            self.speller = Speller(model.tokenizer)
            self.words = len(model.tokenizer)
        self.fingerprint = self._fingerprint()

    def record(self) -> dict[str, Any]:
        """Return the fields of `aslant.results.Representation`."""
        return {name: getattr(self, name) for name in RECORDED}

    def sentence_vectors(self, texts: Sequence[str], *, progress: Progress | None = None) -> NDArray[np.float32]:
        """Return one vector for each text, as the library gives it: (texts, dimensions)."""
        found = [np.empty((0, self.dimensions), np.float32)]
        for start in range(0, len(texts), CHUNK):
            part = list(texts[start : start + CHUNK])
            found.append(self._encoded(part))
            if progress is not None:
                progress("sentences", start + len(part), len(texts))
        return np.concatenate(found)

    def _encoded(self, texts: list[str]) -> NDArray[np.float32]:
        how: dict[str, Any] = {"prompt": self.prompt or None, "show_progress_bar": False, "convert_to_numpy": True}
        with one_thread_each():  # one at a time: the library pads, and then numbers depend on the other texts
            return np.asarray(self.model.encode(texts, batch_size=1, **how), np.float32)

    def _fingerprint(self) -> str:
        spelt = written_out(self.model.tokenizer) if self.words else ""
        # The format shows the beginning of a prompt only.
        how = (self.format, self.note, self.prompt, self.dimensions, spelt)
        digest = hashlib.blake2b(repr(how).encode("utf-8", "surrogatepass"))
        for name, weight in sorted(stored(self.model).items()):
            digest.update(name.encode())
            digest.update(weight.detach().cpu().float().contiguous().numpy().tobytes())
        return digest.hexdigest()[:12]


def is_library_model(thing: Any) -> bool:
    """Tell whether something is a `SentenceTransformer` of the library; nothing is imported for it.

    >>> is_library_model("all-MiniLM-L6-v2")
    False
    """
    library = sys.modules.get("sentence_transformers")
    return library is not None and isinstance(thing, library.SentenceTransformer)


def in_memory(model: Any, prompt: str | None = None, **options: Any) -> SentenceTransformersEncoder | LibraryEncoder:
    """Return a `SentenceTransformer` in memory as an encoder: run here if its modules are read, else by the library.

    >>> in_memory(["a", "b"])
    Traceback (most recent call last):
    aslant.errors.DataError: ['a', 'b'] is not an encoder; give a folder, a name, or a SentenceTransformer.
    """
    if not is_library_model(model):
        raise DataError(f"{model!r:.60} is not an encoder; give a folder, a name, or a SentenceTransformer.")
    card = getattr(model, "model_card_data", None)
    first = model[0]
    network = getattr(first, "auto_model", None) or getattr(first, "model", None)
    opened = getattr(getattr(network, "config", None), "_name_or_path", None)  # the name or folder it was opened by
    name = str(getattr(card, "base_model", None) or opened or "a SentenceTransformer in memory")
    try:
        head = head_of(model).chosen(prompt)
    except UnreadModuleError:
        return LibraryEncoder(model, name, prompt=prompt)
    return SentenceTransformersEncoder(network, first.tokenizer, name, head=head, **options)


def by_library(
    folder: Path, modules: Sequence[Listed], name: str, why: UnreadModuleError, prompt: str | None, device: str
) -> LibraryEncoder:
    """Return a model that is not read here, run by the library; an error that says what to install where it is not."""
    from importlib.metadata import version
    from importlib.util import find_spec

    foreign = [module.kind for module in modules if not module.kind.startswith("sentence_transformers.")]
    if foreign:  # older versions of the library import whatever is named there
        raise DataError(f"'{name}' has a module '{foreign[0]:.80}', which is code of its own; it is not run.")
    if find_spec("sentence_transformers") is None:
        raise DataError(f"'{name}' has {why}, which only its own library runs: {INSTALL}.")
    if int(version("sentence-transformers").partition(".")[0]) < SAFE:
        raise DataError(
            f"'{name}' has {why}, which older versions of its library run with the folder's code: {INSTALL}."
        )
    from sentence_transformers import SentenceTransformer

    try:
        model = SentenceTransformer(str(folder), device=device, trust_remote_code=False, local_files_only=True)
    except Exception as error:  # whatever a module raises
        raise DataError(f"'{name}' has {why}, and sentence-transformers cannot open it: {str(error)[:200]}.") from None
    found = LibraryEncoder(model, name, prompt=prompt)
    found.folder = folder
    return found


def module_files(name: str, where: str, only_local: bool) -> Path | None:
    """Return the folder of a model with modules.json, fetched from the hub if need be; None for any other model."""
    if only_local:
        return Path(where) if (Path(where) / MODULES).is_file() else None
    from huggingface_hub import file_exists, snapshot_download

    if not file_exists(name, MODULES):
        return None
    wanted = ["*.json", "*/config.json", "*_Dense*/*", "*_LayerNorm*/*"]
    return Path(snapshot_download(name, allow_patterns=wanted))
