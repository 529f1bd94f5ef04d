"""Linear debiasing of sentence encoders as they are served: a map that is learned from vectors of swapped sentences.

Projection is SentenceDebias (Liang, Li, Zheng, Lim, Salakhutdinov & Morency 2020): the first principal components of
the differences. Null-space projection and LEACE learn which side of a pair a sentence is on; every context is on both.
The map can be saved as a dense layer of the model, so that what is served is what was measured.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from aslant.debias.learned import leace, nullspace
from aslant.debias.swapped_sentences import swapped, word_pairs
from aslant.debias.words import FloatArray, Sets, first_components
from aslant.errors import DebiasError, plural
from aslant.measures.sentence_tests.clustered_words import check_sentence_encoder
from aslant.measures.shared.open_subject import opening
from aslant.models.protocols import Progress, SentenceEncoder
from aslant.models.sentence_modules import DEBIASED, MODULES, SETTINGS, listed_modules, read_settings
from aslant.models.twins import untrained
from aslant.statistics import generator, seed_of
from aslant.vectors.debiasing_record import Treatment, WordsTaken

EncoderMethod: TypeAlias = Literal["projection", "nullspace", "leace"]
NAMES = {"projection": "projection of sentences", "nullspace": "null-space projection", "leace": "LEACE"}
#: Variance, relative to the largest, that may be rounding: a layer norm leaves a direction without any.
ROUNDING = 1e-8
#: Lengths that differ by no more than this are the same.
UNIT = 1e-3


@dataclass(frozen=True, eq=False)
class LinearMap:
    """x ↦ weight · x + bias, (d, d) and (d,), at length one afterwards if `unit`; `removed` directions are gone."""

    weight: FloatArray
    bias: FloatArray
    unit: bool
    removed: int

    def __call__(self, x: NDArray[Any]) -> NDArray[np.float32]:
        """Return vectors (n, d) after the map."""
        made = x.astype(np.float64) @ self.weight.T + self.bias
        if self.unit:
            made /= np.maximum(np.linalg.norm(made, axis=1, keepdims=True), 1e-12)
        return made.astype(np.float32)


class DebiasedEncoder:
    """An encoder of whole texts whose vectors go through a map: what `aslant.debias_encoder` returns."""

    def __init__(
        self, base: SentenceEncoder, change: LinearMap, treatment: Treatment, pairs: Any, again: Any
    ) -> None:  # fmt: skip
        self.base, self.change, self.treatment, self._again = base, change, treatment, again
        self.learned: frozenset[str] = frozenset(word.lower() for pair in pairs for word in pair)
        self.name, self.dimensions = base.name, len(change.weight)
        if (speller := getattr(base, "speller", None)) is not None:
            self.speller = speller

    def record(self) -> dict[str, Any]:
        """Return the fields of `aslant.results.Representation`; `treatments` says what was done."""
        found = self.base.record()
        digest = hashlib.blake2b(f"{found['fingerprint']} {self.change.unit}".encode())
        for part in (self.change.weight, self.change.bias):
            digest.update(part.astype("<f4").tobytes())
        said = [found["note"], f"debiased: {self.treatment.describe()}"]
        changed = {"fingerprint": digest.hexdigest()[:12], "note": "; ".join(filter(None, said))}
        done = (*found.get("treatments", ()), self.treatment.to_dict())
        return {**found, **changed, "dimensions": self.dimensions, "treatments": done}

    def sentence_vectors(self, texts: Sequence[str], *, progress: Progress | None = None) -> NDArray[np.float32]:
        """Return one vector for each text, as served and then debiased: (texts, dimensions)."""
        return self.change(self.base.sentence_vectors(texts, progress=progress))

    def piece_counts(self, words: Sequence[str]) -> Any:
        """Return the numbers of pieces of words, where the encoder can tell."""
        counts = getattr(self.base, "piece_counts", None)
        return None if counts is None else counts(words)

    def untrained(self, seed: int) -> DebiasedEncoder | None:
        """Return an untrained twin that was debiased in the same way, from its own vectors."""
        twin = untrained(self.base, seed)
        return None if twin is None else self._again(twin)

    def save(self, folder: str | Path) -> Path:
        """Write a copy of the model's folder with the map as a dense layer at its end, completely or not at all.

        The model must have been loaded from a folder of sentence-transformers. What this library, or any server that
        reads such folders, gives for the copy is what was measured.
        """
        target, source = Path(folder).expanduser(), getattr(self.base, "folder", None)
        if source is None or not listed_modules(source) or getattr(self.base, "served_as", "served") != "served":
            raise DebiasError(
                f"'{self.name}' was not loaded as it is served from a folder with {MODULES}, so there is nowhere to "
                "put the layer; save it with sentence-transformers first, and load that folder."
            )
        settings = read_settings(source / SETTINGS) if (source / SETTINGS).is_file() else {}
        if settings.get("truncate_dim"):
            raise DebiasError(f"'{self.name}' cuts its vectors after its last layer (truncate_dim); remove that first.")
        prompt = (settings.get("prompts") or {}).get(settings.get("default_prompt_name")) or ""
        if (used := getattr(getattr(self.base, "head", self.base), "prompt", prompt)) != prompt:
            raise DebiasError(f"'{self.name}' was opened with the prompt {used!r:.40}, which is not its default one.")
        if target.exists():
            raise DebiasError(f"'{target}' already exists; name a new folder.")
        if not target.parent.is_dir():
            raise DebiasError(f"cannot write '{target}': there is no folder '{target.parent}'.")
        work = target.with_name(f".{target.name}.partial")
        shutil.rmtree(work, ignore_errors=True)
        try:
            shutil.copytree(source, work, ignore=shutil.ignore_patterns(".git", "*.partial"))
            self._add_modules(work)
            work.rename(target)
        except OSError as error:
            raise DebiasError(f"cannot write '{target}': {error.strerror or error}.") from None
        finally:
            shutil.rmtree(work, ignore_errors=True)
        return target

    def _add_modules(self, folder: Path) -> None:
        import torch
        from safetensors.torch import save_file

        listed = json.loads((folder / MODULES).read_text("utf-8"))
        parts = ["Dense", *(["Normalize"] if self.change.unit else [])]
        for number, kind in enumerate(parts, len(listed)):
            own = folder / f"{number}_{kind}"
            own.mkdir()
            entry = {
                "idx": number,
                "name": str(number),
                "path": own.name,
                "type": f"sentence_transformers.models.{kind}",
            }
            listed.append(entry)
            config: dict[str, Any] = {}
            if kind == "Dense":
                config = {
                    "in_features": self.dimensions, "out_features": self.dimensions, "bias": True,
                    "activation_function": "torch.nn.modules.linear.Identity",
                }  # fmt: skip
                tensors = {"linear.weight": self.change.weight, "linear.bias": self.change.bias}
                made = {name: torch.from_numpy(part.astype(np.float32)) for name, part in tensors.items()}
                save_file(made, own / "model.safetensors")
            (own / "config.json").write_text(json.dumps(config, indent=2), "utf-8")
        (folder / MODULES).write_text(json.dumps(listed, indent=2), "utf-8")
        (folder / DEBIASED).write_text(json.dumps(self.treatment.to_dict(), indent=2), "utf-8")


@opening("encoder")
def debias_encoder(
    encoder: Any,
    method: EncoderMethod = "projection",
    *,
    pairs: Sets = "definitional-pairs",
    templates: Iterable[str] | None = None,
    corpus: Any = None,
    components: int = 1,
    iterations: int = 35,
    rng: int | np.random.Generator | None = 0,
    progress: Progress | None = None,
) -> DebiasedEncoder:
    """Remove a concept from the vectors that an encoder of whole texts gives, and return it as an encoder.

    The map is learned from vectors of swapped sentences: each with a word of `pairs`, and with its counterpart. They
    are plain sentences in which every context occurs with both (default), `templates` with {word}, or those of a
    `corpus` that have such words. "projection": the first `components` of the differences (SentenceDebias);
    "nullspace": every direction by which up to `iterations` classifiers tell the two sides; "leace": the least change
    after which no linear classifier does. Vectors of length one have it again afterwards.

    >>> import aslant  # here, encoder is a small toy; aslant.load_encoder(…) opens real ones
    >>> fairer = aslant.debias_encoder(encoder, "projection")
    >>> aslant.seat(fairer, "weat-7", bootstrap=0, chance=0).provenance.representation.treatments[0]["method"]
    'projection of sentences'
    """
    encoder = check_sentence_encoder(encoder)
    if method not in get_args(EncoderMethod):
        raise DebiasError(f"method is {method!r:.40}; for an encoder, choose one of {', '.join(NAMES)}.")
    if isinstance(iterations, bool) or not isinstance(iterations, int) or iterations < 1:
        raise DebiasError(f"iterations={iterations!r} is not a number of classifiers; give a whole number from 1 up.")
    seed = seed_of(rng)
    found, stimuli = word_pairs(pairs)
    swaps, source = swapped(found, templates, corpus, generator(seed))
    words = WordsTaken("pairs", stimuli, len({word for pair in found for word in pair}))

    def made(base: SentenceEncoder, told: Progress | None = None) -> DebiasedEncoder:
        texts = list(dict.fromkeys(text for swap in swaps for text in swap))
        vectors = dict(zip(texts, base.sentence_vectors(texts, progress=told), strict=True))
        both = np.array([[vectors[first], vectors[second]] for first, second in swaps], np.float64)
        change, learned = _learned(both, method, components, iterations, generator(seed))
        settings = {"sentences": source, "swaps": len(swaps), **learned}
        drawn = seed if method == "nullspace" or corpus is not None else None
        return DebiasedEncoder(base, change, Treatment(NAMES[method], settings, (words,), drawn), found, made)

    return made(encoder, progress)


def _learned(
    both: FloatArray, method: str, components: int, iterations: int, random: np.random.Generator
) -> tuple[LinearMap, dict[str, Any]]:
    """Return the map that vectors of swapped sentences (swaps, 2, d) teach, and what to record about it."""
    if np.allclose(both[:, 0], both[:, 1], atol=1e-6):
        raise DebiasError("swapped sentences have the same vectors, so there is nothing to remove.")
    size = both.shape[-1]
    unit = bool(np.abs(np.linalg.norm(both, axis=-1) - 1).max() < UNIT)
    bias = np.zeros(size)
    if method == "projection":
        basis = first_components(list(both), components, "swapped sentences")
        return LinearMap(np.eye(size) - basis.T @ basis, bias, unit, len(basis)), {"components": components}
    rows, labels = both.reshape(-1, size), np.tile([0, 1], len(both))
    if method == "nullspace":
        basis, accuracies = nullspace(rows, labels, iterations, random)
        said = {"iterations": iterations, "removed": len(basis), "accuracies": tuple(round(a, 4) for a in accuracies)}
        return LinearMap(np.eye(size) - basis.T @ basis, bias, unit, len(basis)), said
    if len(rows) <= size:
        raise DebiasError(
            f"{plural(len(rows), 'sentence')} to learn from: too few for {size} dimensions; LEACE would erase "
            "something specific to these; give more pairs, templates or text."
        )
    eraser = leace(rows, labels, ROUNDING)
    weight = np.eye(size) - eraser.left @ eraser.right
    return LinearMap(weight, eraser.left @ (eraser.right @ eraser.mean), unit, len(eraser.right)), {
        "removed": len(eraser.right)
    }
