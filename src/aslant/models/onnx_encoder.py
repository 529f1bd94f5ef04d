"""Encoders in ONNX files, run by onnxruntime: token vectors, and those of whole texts where the files say how.

The runtime takes no operators but its own, and no weights outside the folder of the file (it refuses both by itself).
"""

from __future__ import annotations

import hashlib
import mmap
import os
import re
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from aslant.errors import DataError
from aslant.models import model_loading
from aslant.models.encoder import PROBES, Forward, Pieces, Words
from aslant.models.network import ALONE, FEWEST, TOKENS
from aslant.models.plan import Ids
from aslant.models.sentence_modules import Head, listed_modules, read_head, read_settings
from aslant.models.sentence_transformers_encoder import SentenceTransformersEncoder, Served, lower
from aslant.models.spelling import Cut, Speller, cut_texts, written_out

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Inputs that are known, with how each is made of the mask (rows, tokens).
INPUTS = ("input_ids", "attention_mask", "token_type_ids", "position_ids")
#: Outputs that are the vectors of tokens, by preference.
OUTPUTS = ("last_hidden_state", "token_embeddings")
#: Largest difference between a text in a batch and alone, relative to the largest number.
TOLERANCE = 1e-4
NOT_SAID = "its files do not say how it is served, so a sentence is the mean of its words"
INSTALL = "pip install '.[lm,onnx]'"


@dataclass(eq=False)
class OnnxBody:
    """Sequences of tokens to vectors of the last layer; opened where it is used, so that it can be sent to workers."""

    path: Path
    one_by_one: bool = False
    _session: Any = field(default=None, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_session": None}

    @property
    def session(self) -> Any:
        """The open model, on one thread: batches run beside one another."""
        if self._session is None:
            import onnxruntime

            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = options.inter_op_num_threads = 1
            options.log_severity_level = 3
            self._session = onnxruntime.InferenceSession(
                str(self.path), sess_options=options, providers=["CPUExecutionProvider"]
            )
        return self._session

    def check(self, name: str) -> None:
        """Refuse a model that needs more than tokens, or gives no vectors of tokens."""
        unknown = [given.name for given in self.session.get_inputs() if given.name not in INPUTS]
        if unknown:
            raise DataError(f"'{name}' needs '{unknown[0]}' beside tokens; export the encoder alone.")
        if self._output() is None:
            gives = ", ".join(made.name for made in self.session.get_outputs())
            raise DataError(f"'{name}' gives {gives}, but no vectors of tokens; export it with its last hidden state.")

    def _output(self) -> str | None:
        found = {made.name: made for made in self.session.get_outputs()}
        three = [name for name, made in found.items() if len(made.shape or ()) == 3]
        return next((name for name in (*OUTPUTS, *three[:1]) if name in found), None)

    def __call__(self, sequences: Sequence[Ids], *, every: bool = False) -> Any:
        """Return (sequences, tokens, d), all of one length, as a tensor; the only layer there is for `every`."""
        import torch

        if self.one_by_one and len(sequences) > 1:
            made = torch.cat([self([ids]) for ids in sequences])
            return [made] if every else made
        fewest = 0 if self.one_by_one else -(-FEWEST // len(sequences[0]))  # some files take one text at a time
        ids = np.array([*sequences, *[sequences[-1]] * (fewest - len(sequences))])
        values = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
            "position_ids": np.broadcast_to(np.arange(ids.shape[1]), ids.shape),
        }
        wanted = {i.name: values[i.name].astype(np.int32 if "int32" in i.type else np.int64)
                  for i in self.session.get_inputs()}  # fmt: skip
        found = torch.from_numpy(self.session.run([self._output()], wanted)[0][: len(sequences)])
        return [found] if every else found


class OnnxEncoder(Served):
    """An encoder in an ONNX file, with the tokenizer beside it; sentences as served where modules.json says how."""

    depth = 1
    body: OnnxBody

    def __init__(
        self, path: Path, folder: Path, name: str, *, head: Head | None = None, pieces: Pieces = "mean",
        token_budget: int | None = None,
    ) -> None:  # fmt: skip
        with model_loading.quiet():
            tokenizer = model_loading.tokenizer_of(str(folder), only_local=True)
        if head is not None and head.lower:
            lower(tokenizer)
        config = _config(folder)
        limits = (config.get("max_position_embeddings"), tokenizer.model_max_length)
        self.sees = min((int(n) for n in limits if n and 0 < n < 10**9), default=None)
        self.speller = Speller(tokenizer, longest=self.sees)
        self.body = OnnxBody(path)
        with _readable(name):
            self.body.check(name)
            notes = self._try_out(name)
        super().__init__(
            name, "ONNX", self._fingerprint(), layer="last", pieces=pieces, words=len(tokenizer),
            note="; ".join(filter(None, [*notes, "" if head else NOT_SAID])), tokens=token_budget or TOKENS,
        )  # fmt: skip
        self.folder = folder
        self._has_head = head is not None
        if head is not None:
            self.serve(head)
        else:
            self.served_as = "mean"
            self.served_dimensions = self.dimensions

    def cut(self, texts: Sequence[str], words: Words = None) -> tuple[list[Cut], Forward]:
        """Return the tokenised texts, none truncated, and the network."""
        return cut_texts(self.speller.tokenizer, texts), self.body

    def sentence_vectors(self, texts: Sequence[str], *, pooling: Any = "served", progress: Any = None) -> Any:
        """Return one vector for each text, as served where the files say how, else the mean of its words."""
        pooling = pooling if self._has_head or pooling != "served" else "mean"
        return super().sentence_vectors(texts, pooling=pooling, progress=progress)

    def untrained(self, seed: int) -> SentenceTransformersEncoder | None:
        """Return the same architecture of transformers with weights drawn anew; None without its config.json."""
        import torch
        from transformers import AutoModel

        if not (self.folder and (self.folder / "config.json").is_file()):
            return None
        with model_loading.quiet(), torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model = AutoModel.from_config(model_loading.config_of(self.name, str(self.folder), only_local=True))
        from aslant.models.encoder import TransformersEncoder

        kind: Any = SentenceTransformersEncoder if self._has_head else TransformersEncoder
        options = {"head": self.head.redrawn(seed)} if self._has_head else {}
        twin: SentenceTransformersEncoder = kind(
            model, self.speller.tokenizer, f"{self.name} (untrained, seed {seed})", pieces=self.pieces, **options
        )
        return twin

    def _try_out(self, name: str) -> list[str]:
        """Compare texts in a batch with single ones, as numbers of a quantised model may differ; return notes."""
        sequences = [cut.ids for cut in cut_texts(self.speller.tokenizer, PROBES)]
        self.body.one_by_one = True
        alone = [self.body([ids])[0].numpy() for ids in sequences]
        self.body.one_by_one = False
        self.dimensions = int(alone[0].shape[-1])
        if not all(np.isfinite(states).all() for states in alone):
            raise DataError(f"'{name}' gives no numbers (NaN): its weights are damaged.")
        if not cut_texts(self.speller.tokenizer, PROBES[:1])[0].content.start:
            self.refuses_first = "it does not put a token before a sentence"
        try:
            self.body.one_by_one = not all(map(self._is_steady, sequences, alone))
        except Exception:  # the runtime's own: a model that was exported for one text at a time
            self.body.one_by_one = True
        return [ALONE] if self.body.one_by_one else []

    def _is_steady(self, ids: Ids, alone: Any) -> bool:
        """Tell whether a text has the same numbers at any place among others, and, but for rounding, by itself."""
        other = ids[1:2] * len(ids)
        found = self.body([other, ids, ids, *[other] * FEWEST, ids]).numpy()
        company = (self.body([ids])[0].numpy(), *found[1:3], found[-1])
        near = np.abs(company[0] - alone).max() <= TOLERANCE * max(1.0, float(np.abs(alone).max()))
        return bool(near) and all(np.array_equal(company[0], each) for each in company)

    def _fingerprint(self) -> str:
        digest = hashlib.blake2b()
        for path in (self.body.path, *outside(self.body.path)):
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "blake2b").digest())
        digest.update(f"{written_out(self.speller.tokenizer)}{self.sees}".encode())
        return digest.hexdigest()[:12]


def outside(path: Path) -> list[Path]:
    """Return the files of weights that an ONNX file names: its entries `location`, as protobuf writes them."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        found = re.finditer(rb"\n\x08location\x12([\x01-\x7f])", content, re.DOTALL)
        names = {os.fsdecode(content[place.end() : place.end() + place[1][0]]) for place in found}
    return [path.parent / name for name in sorted(names) if (path.parent / name).is_file()]


@contextmanager
def _readable(name: str) -> Iterator[None]:
    """Turn what the runtime raises, which has no common class, into one clear error."""
    try:
        yield
    except Exception as error:
        if not type(error).__module__.startswith("onnxruntime"):
            raise
        said = str(error).rpartition(" : ")[2].strip().split("\n")[0]
        raise DataError(f"'{name}' cannot be opened by onnxruntime: {said[:200].rstrip('.')}.") from None


def _config(folder: Path) -> dict[str, Any]:
    return read_settings(folder / "config.json") if (folder / "config.json").is_file() else {}


def load_onnx(
    path: Path, name: str, *, layer: Any, pieces: Pieces, prompt: str | None, token_budget: int | None
) -> OnnxEncoder:
    """Load an encoder from its ONNX file, with the tokenizer and the settings in its folder or in the one above."""
    if layer not in (None, "last", -1):
        raise DataError(f"'{name}' is an ONNX file, which gives its last layer only; layer is {layer!r}.")
    model_loading.need_extra("ONNX encoders", "torch", "transformers")
    model_loading.need_extra("ONNX encoders", "onnxruntime", install=INSTALL)
    folder = next((place for place in (path.parent, path.parent.parent) if (place / "tokenizer.json").is_file()), None)
    if folder is None:
        raise DataError(f"there is no tokenizer.json beside '{path}' or in the folder above; put it there.")
    modules = listed_modules(folder)
    head = read_head(folder, modules).chosen(prompt) if modules else None
    if head is None and prompt is not None:
        raise DataError(f"'{name}' does not say how it is served, so it takes no prompt; put it into the texts.")
    return OnnxEncoder(path, folder, name, head=head, pieces=pieces, token_budget=token_budget)
