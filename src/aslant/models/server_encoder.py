"""An encoder behind a server's /embeddings: one vector for a whole text, as it is served (docs/servers.md)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from aslant.io.keeper import Keeper, digest
from aslant.models.plan import Folder, Tables
from aslant.models.protocols import RECORDED, Progress
from aslant.models.rehearsing import rehearsed
from aslant.models.server_client import BlamedError, Client, ServerError, served_model, split_address
from aslant.models.spelling import LONE, UNREADABLE, shown

#: Texts in one request; a server that refuses so many gets fewer.
BATCH = 64
#: Characters of English text to a token, by rule of thumb: a server need not say.
CHARACTERS = 4.0
PROBES = ("This is a doctor.", "The train was late again.", "Flowers are pleasant.")
#: Vectors of one text, alone and in a batch, may differ by this share of their length: low precision, and padding.
NOISE = 0.01
#: Vectors of the probe that differ by less, another day, are those of the same model: rounding.
SLIGHT = 0.001


class ServerEncoder:
    """Vectors of whole texts from a server; see `aslant.models.SentenceEncoder` for its methods.

    Each distinct text is asked for once, and kept in memory and in a `journal`, if there is one.
    """

    def __init__(self, address: str, model: str | None = None, *, journal: Folder = None, **how: Any) -> None:
        place, model = split_address(address, model)
        self.client = Client(place, **how)
        self.model, _, unlisted = served_model(self.client, model)
        self.name = PurePath(self.model).name if PurePath(self.model).is_absolute() else self.model
        self.way: Any = self
        self.batch, self.journal = BATCH, journal
        self._known: dict[str, NDArray[np.float32]] = {}
        probed = self._probe()
        self.dimensions, self.words = probed.shape[1], 0
        folder = Tables(journal).folder
        self._keeper = None if folder is None else Keeper(folder)
        self.fingerprint = self._identity(probed)
        unit = np.allclose(np.linalg.norm(probed, axis=1), 1, atol=0.01)
        self.format = "served encoder (/embeddings)"
        self.note = "; ".join([
            *([unlisted] if unlisted else []),
            "served: its weights cannot be seen, and its identity is its name and its vectors of a few texts",
            "vectors as served" + (", of length 1" if unit else ""),
            *(["one text at a time: among others, it is refused, or gets another vector"] if self.batch == 1 else []),
            "a text longer than the model reads is cut or refused by the server",
        ])  # fmt: skip

    def record(self) -> dict[str, Any]:
        """Return the fields of `aslant.results.Representation`."""
        return {name: getattr(self, name) for name in RECORDED}

    def _probe(self) -> NDArray[np.float32]:
        """Refuse vectors that are not those of the texts; find out whether several texts go into one request.

        Servers put requests that come together into one batch, so where others change a text's vector, it goes alone.
        """
        where = f"the server at {self.client.address}"
        alone, again = (np.concatenate([self._ask([text]) for text in PROBES]) for _ in range(2))
        length = np.linalg.norm(alone, axis=1)
        self._noise = float(np.linalg.norm(alone - again) / np.linalg.norm(alone))
        if np.linalg.norm(alone - again, axis=1).max() > NOISE * length.max():
            raise ServerError(f"{where} gives a text a different vector each time, so they cannot be used.")
        try:
            with self.client.tried_twice():
                together = self._ask(PROBES)
        except ServerError:
            together = np.zeros_like(alone)
        if together.shape != alone.shape or np.linalg.norm(alone - together, axis=1).max() > NOISE * length.max():
            self.batch = self.client.at_once = 1
        if np.linalg.norm(alone[0] - alone[1:], axis=1).min() < 1e-6 * length.max():
            raise ServerError(f"{where} gives different texts the same vector, so nothing can be measured with them.")
        return alone

    def _identity(self, probed: NDArray[np.float32]) -> str:
        """Return the fingerprint: the one that the same vectors, up to the server's noise, got before, or a new one."""
        content = self.model.encode() + np.round(probed / np.linalg.norm(probed, axis=1).max(), 4).tobytes()
        found, key = hashlib.sha256(content).hexdigest()[:12], f"served-models/{digest(self.model.encode())}/"
        if self._keeper is not None:
            within = min(NOISE, max(SLIGHT, 2 * self._noise))
            for name, kept in self._keeper.under(key).items():
                before = np.frombuffer(kept, np.float32)
                if before.size == probed.size and (
                    np.linalg.norm(before.reshape(probed.shape) - probed) <= within * np.linalg.norm(probed)
                ):
                    return name.removeprefix(key)
            self._keeper.keep({key + found: probed.tobytes()})
        return found

    def sentence_vectors(self, texts: Sequence[str], *, progress: Progress | None = None) -> NDArray[np.float32]:
        """Return one vector for each text, as served: (texts, dimensions)."""
        wanted = list(dict.fromkeys(texts))
        self._recall([text for text in wanted if text not in self._known])
        asked = [text for text in wanted if text not in self._known]
        parts = [asked[start : start + self.batch] for start in range(0, len(asked), self.batch)]
        done = len(wanted) - len(asked)
        for part, found in self.client.each(self.way._ask, parts):
            if found.shape[1] != self.dimensions:
                raise ServerError(
                    f"the server at {self.client.address} gave {self.dimensions} dimensions, and now {found.shape[1]}; "
                    "it serves another model now: open it again."
                )
            self._known.update(zip(part, found, strict=True))
            if self._keeper is not None:
                self._keeper.keep({self._key(text): row.tobytes() for text, row in zip(part, found, strict=True)})
            done += len(part)
            if progress is not None:
                progress("sentences", done, len(wanted))
        rows = [self._known[text] for text in texts]
        return np.array(rows, np.float32).reshape(len(rows), self.dimensions)

    def _key(self, text: str) -> str:
        return f"served-{self.fingerprint}/{digest(text.encode('utf-8', 'surrogatepass'))}"

    def _recall(self, texts: Sequence[str]) -> None:
        if self._keeper is None:
            return
        keys = {self._key(text): text for text in texts}
        for key, block in self._keeper.among(keys).items():
            row = np.frombuffer(block, np.float32)
            if row.shape == (self.dimensions,) and np.isfinite(row).all():
                self._known[keys[key]] = row

    def _ask(self, texts: Sequence[str]) -> NDArray[np.float32]:
        where = f"the server at {self.client.address}"
        body = {"model": self.model, "input": [LONE.sub(UNREADABLE, text) for text in texts]}
        try:
            found = self.client.post("/embeddings", {**body, "encoding_format": "float"})
        except BlamedError:
            if len(texts) == 1:
                raise
            half = len(texts) // 2
            return np.concatenate([self._ask(texts[:half]), self._ask(texts[half:])])
        try:
            by_place = {int(row["index"]): row["embedding"] for row in found["data"]}
            vectors = np.array([by_place[i] for i in range(len(texts))], np.float32)
        except (KeyError, TypeError, ValueError):
            raise ServerError(
                f"{where} does not give a vector for each text; check that it serves an encoder."
            ) from None
        if vectors.ndim != 2 or not vectors.shape[1] or len(found["data"]) != len(texts):
            raise ServerError(f"{where} does not give one vector for each text, so its vectors cannot be used.")
        bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1) | ~vectors.any(axis=1))
        if len(bad):
            raise ServerError(f"{where} gives {shown(texts[bad[0]])} a vector of zeros or of no numbers.")
        return vectors

    def rehearsal(self) -> Self:
        """Return an encoder that counts the requests that this one would send, and makes the vectors up."""
        other = object.__new__(type(self))
        made: dict[str, Any] = {"way": _Rehearsal(self.dimensions), "_known": {}, "_keeper": None}
        vars(other).update(vars(self) | made)
        return other


class _Rehearsal:
    """Counts requests and tokens; what it answers is made up, and only good for being thrown away."""

    characters, source = CHARACTERS, "by rule of thumb"

    def __init__(self, dimensions: int) -> None:
        self.dimensions, self.requests, self.tokens = dimensions, 0, 0.0

    def _ask(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.requests += 1
        self.tokens += sum(len(text) / self.characters + 2 for text in texts)
        seeds = (int.from_bytes(hashlib.sha256(text.encode("utf-8", "replace")).digest()[:4], "big") for text in texts)
        return np.array([np.random.default_rng(seed).normal(size=self.dimensions) for seed in seeds], np.float32)


def load_server_encoder(source: str, model: str | None = None, **options: Any) -> ServerEncoder:
    """Open the encoder behind a server's address; while the work is only rehearsed, one that counts requests."""
    return rehearsed(ServerEncoder(source, model, **options))
