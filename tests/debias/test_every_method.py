"""Promises that every method keeps: new vectors, the old ones untouched, a record, the same answer to the same seed."""

from __future__ import annotations

import inspect
from mmap import mmap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aslant
from aslant.debias import METHODS
from aslant.errors import AslantError, DebiasError
from planted import PAIRS, SPECIFIC, Planted

#: Settings with which a method works on the planted bias.
SETTINGS: dict[str, dict[str, Any]] = {
    "hard": {"pairs": PAIRS, "equalise": PAIRS, "specific": SPECIFIC},
    "projection": {"pairs": PAIRS},
    "multiclass-hard": {"sets": PAIRS, "specific": SPECIFIC, "components": 1},
    "multiclass-soft": {"sets": PAIRS, "specific": SPECIFIC, "components": 1, "strength": 1.0},
    "double-hard": {"pairs": PAIRS, "equalise": PAIRS, "specific": SPECIFIC, "candidates": 4, "words": 300},
    "half-sibling": {"specific": SPECIFIC},
    "nullspace": {"specific": SPECIFIC, "words": 500},
    "leace": {"specific": SPECIFIC, "words": 500},
}
every_method = pytest.mark.parametrize("name", list(METHODS))


def lean(vectors: aslant.WordVectors, planted: Planted) -> float:
    """How far apart the two halves of the plain words lie along the planted direction, in unit vectors."""
    rows = vectors.matrix[len(SPECIFIC) :].astype(float)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    along = rows @ planted.direction
    return float(along[planted.labels == 1].mean() - along[planted.labels == 0].mean())


def test_each_method_has_settings_here() -> None:
    assert set(SETTINGS) == set(METHODS)


@every_method
def test_the_planted_bias_falls_and_the_rest_stays(planted: Planted, name: str) -> None:
    before = planted.vectors.matrix.copy()
    w = METHODS[name](planted.vectors, **SETTINGS[name])
    assert (planted.vectors.matrix == before).all()
    assert list(w.words) == list(planted.vectors.words)
    assert w.matrix.dtype == np.float32
    assert np.isfinite(w.matrix).all()
    assert lean(planted.vectors, planted) > 0.5
    # soft debiasing and regression shrink the bias, the others remove it
    most = 0.6 * lean(planted.vectors, planted) if name in ("multiclass-soft", "half-sibling") else 0.01
    assert lean(w, planted) < most
    # what is orthogonal to the bias goes on telling the words apart
    complement = np.linalg.svd(planted.direction[None])[2][1:]
    old, new = (v.matrix[len(SPECIFIC) :].astype(float) @ complement.T for v in (planted.vectors, w))
    apart = [np.linalg.norm(rows[:400] - rows[400:800], axis=1) for rows in (old, new)]
    assert np.corrcoef(*apart)[0, 1] > 0.5


@every_method
def test_the_record_is_in_the_provenance_of_any_later_measure(planted: Planted, name: str) -> None:
    w = METHODS[name](planted.vectors, **SETTINGS[name])
    (treatment,) = w.treatments
    measured = aslant.polarity(w, ["she", "he"], ["qaaa", "qaab"], bootstrap=0).provenance.representation
    assert treatment.describe() in measured.note
    assert treatment.method in measured.name
    assert all(taken.found or not taken.missing for taken in treatment.words)
    assert ("seed 0" in measured.note) == ("rng" in inspect.signature(METHODS[name]).parameters)
    assert treatment.version == aslant.__version__


@every_method
def test_the_same_seed_gives_the_same_vectors(planted: Planted, name: str) -> None:
    seeded = "rng" in inspect.signature(METHODS[name]).parameters
    more = {"rng": 3} if seeded else {}
    first, second = (METHODS[name](planted.vectors, **SETTINGS[name], **more) for _ in range(2))
    assert (first.matrix == second.matrix).all()
    assert first.treatments == second.treatments
    assert first.treatments[0].seed == (3 if seeded else None)


@every_method
def test_anything_but_vectors_is_refused(name: str) -> None:
    with pytest.raises(DebiasError, match=r"is not word vectors; open it with aslant\.load"):
        METHODS[name](None, **SETTINGS[name])
    with pytest.raises(AslantError, match="there is no file 'glove"):
        METHODS[name]("glove.txt", **SETTINGS[name])


@every_method
def test_words_that_are_not_there_are_one_clear_error(name: str) -> None:
    random = np.random.default_rng(0)
    v = aslant.WordVectors.from_arrays(["ein", "zwei", "drei"], random.normal(size=(3, 9)), name="other")
    with pytest.raises(DebiasError, match=r"'other'") as caught:
        METHODS[name](v, **SETTINGS[name])
    assert "\n" not in str(caught.value)


def mapped_from(array: Any) -> Any:
    """Return what holds the numbers of an array in the end."""
    while getattr(array, "base", None) is not None:
        array = array.base
    return array


@every_method
def test_a_mapped_embedding_works_and_its_file_stays(planted: Planted, name: str, tmp_path: Path) -> None:
    path = tmp_path / "v.safetensors"
    planted.vectors.save(path)
    content = path.read_bytes()
    mapped = aslant.load(path)
    assert isinstance(mapped_from(mapped.matrix), mmap)
    w = METHODS[name](mapped, **SETTINGS[name])
    assert (w.matrix == METHODS[name](planted.vectors, **SETTINGS[name]).matrix).all()
    w.save(path)  # over the file that the original is mapped from
    assert path.read_bytes() != content
    assert w.note in aslant.load(path).note


@every_method
def test_the_method_of_the_table_is_public(name: str) -> None:
    assert getattr(aslant, METHODS[name].__name__) is METHODS[name]
