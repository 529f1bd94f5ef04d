"""Every measure takes a path, a name or words in memory where it takes vectors, a language model or an encoder."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aslant
from aslant.catalogue import rooms
from aslant.debias import METHODS
from aslant.measures.shared.open_subject import opening, vectors_of

#: Annotations of parameters that are opened things.
OPENED = {"WordVectors", "Encoder", "SentenceEncoder", "MaskedLM", "CausalLM", "ScoresTexts", "MasksWords", "Model"}
NOWHERE = "no/such/thing.txt"


def functions() -> dict[str, Callable[..., Any]]:
    names = [function.partition(":")[2] for room in rooms() for function in room.functions]
    named = {name: getattr(aslant, name) for name in names}
    return {**named, **{f"debias {name}": method for name, method in METHODS.items()}, "check": aslant.debias_check}


def opened_by(function: Callable[..., Any]) -> list[str]:
    """Return the parameters that stand for something opened, by how they are annotated or called."""
    hints = {
        name: set(re.findall(r"\w+", str(hint))) for name, hint in inspect.unwrap(function).__annotations__.items()
    }
    return [name for name, parts in hints.items() if name != "return" and (name == "lm" or parts & OPENED)]


EVERY = {name: function for name, function in functions().items() if opened_by(function)}


def test_the_measures_are_found() -> None:
    assert len(EVERY) > 45
    assert {"weat", "polarity_trend", "log_probability_bias", "seat", "compare", "debias hard"} <= EVERY.keys()


@pytest.mark.parametrize("name", EVERY)
def test_a_measure_opens_whatever_it_measures(name: str) -> None:
    function = EVERY[name]
    assert sorted(function.opens) == sorted(opened_by(function))  # type: ignore[attr-defined]
    required = [
        p.name for p in inspect.signature(function).parameters.values()
        if p.default is p.empty
    ]  # fmt: skip
    for place in function.opens:  # type: ignore[attr-defined]
        given: Any = {1990: NOWHERE} if place in ("embeddings", "compare") else NOWHERE
        with pytest.raises(aslant.AslantError, match=f"there is no (file|folder) '{NOWHERE}'"):
            function(**{**dict.fromkeys(required), place: given})


def test_a_file_a_name_a_dict_and_a_list_give_what_vectors_give(tmp_path: Path) -> None:
    v = aslant.load(top=3000)
    v.save(tmp_path / "some.txt")
    given = {"targets": (["he", "man"], ["she", "woman"]), "attributes": (["war"], ["love"]), "chance": 0}
    same = aslant.weat(v, **given).effect_size
    for source in (
        tmp_path / "some.txt",
        str(tmp_path / "some.txt"),
        "sample",
        dict(zip(v.words, v.matrix, strict=True)),
    ):
        assert aslant.weat(source, **given).effect_size == pytest.approx(same, abs=1e-6)
    two = aslant.compare_polarity(["sample", (list(v.words), v.matrix)], ["she", "he"], ["king", "president"])
    assert two.differences[0].difference == pytest.approx(0, abs=1e-7)
    years = aslant.polarity_trend({1990: "sample", 2000: tmp_path / "some.txt"}, ["she", "he"], ["king"], chance=0)
    assert [point.year for point in years.points] == [1990, 2000]


def test_a_tuple_with_an_embedding_in_it_is_several_of_words_and_a_matrix_one() -> None:
    pair = (["he", "she"], np.eye(2))
    assert [len(v) for v in vectors_of(("sample", pair))] == [len(aslant.load()), 2]
    assert len(vectors_of(pair)) == 2


def test_wrong_arguments_are_told_before_anything_is_opened() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'tst'"):
        aslant.weat(NOWHERE, tst="weat-6")


def test_a_signature_stays_what_it_was() -> None:
    assert list(inspect.signature(aslant.weat).parameters)[:2] == ["vectors", "test"]
    assert "settings" not in inspect.signature(aslant.weat).parameters


def test_none_and_several_pass_through() -> None:
    @opening("vectors")
    def first(vectors: Any) -> Any:
        return vectors

    assert first(None) is None
    both = first((aslant.load(top=10), {"he": [1.0]}))
    assert [len(each) for each in both] == [10, 1]
    assert isinstance(first((["he"], np.ones((1, 2)))), aslant.WordVectors)
