"""What random attributes give a WEAT: the same as loops over the definition."""

from __future__ import annotations

import numpy as np
import pytest

import aslant
from aslant.errors import MeasureError
from aslant.measures.association import chance
from aslant.measures.association.show import weat_table
from aslant.measures.shared.chance import matched_words
from aslant.measures.shared.statistic import associations, effect_size
from aslant.measures.shared.wordsets import Found, find
from aslant.stimuli import WeatSet, load_set


@pytest.fixture
def found() -> list[Found]:
    v = aslant.load()
    return [find(v, group) for group in load_set("weat-3", WeatSet).groups]


def test_effect_sizes_with_random_attributes_are_those_of_the_definition(
    found: list[Found], monkeypatch: pytest.MonkeyPatch
) -> None:
    v, drawn = aslant.load(), []
    real = matched_words

    def kept(*given: object) -> object:
        drawn.append(real(*given))  # type: ignore[arg-type]
        return drawn[0]

    monkeypatch.setattr(chance, "matched_words", kept)
    values: list[np.ndarray] = []
    monkeypatch.setattr(chance, "against_chance", lambda observed, sizes, kind: values.append(sizes))
    chance.weat_chance(v, found, 0.8, 50, np.random.default_rng(5))
    X, Y = found[0].unit, found[1].unit
    (A, B), expected = drawn[0], []
    for a, b in zip(A, B, strict=True):
        units = [row / np.linalg.norm(row, axis=1, keepdims=True) for row in (v.matrix[a].astype(float), v.matrix[b])]
        scores = associations(np.concatenate([X, Y]), *units)
        expected.append(effect_size(scores[: len(X)], scores[len(X) :]))
    np.testing.assert_allclose(values[0], expected, atol=2e-5)


def test_without_draws_or_words_there_is_no_chance(found: list[Found]) -> None:
    assert chance.weat_chance(aslant.load(), found, 0.8, 0, np.random.default_rng(5)) is None


def test_targets_without_spread_have_no_effect() -> None:
    assert chance.effect_sizes(np.array([[1.0, 1.0, 1.0], [3.0, 0.0, 0.0]]), 1).tolist() == pytest.approx(
        [0, np.sqrt(3)]
    )


def test_coherent_words_are_an_option_that_the_table_names() -> None:
    v = aslant.load()
    one = aslant.weat(v, "weat-7", chance=40, chance_words="coherent")
    assert one.chance is not None
    assert (one.chance.kind, one.chance.draws) == ("coherent words", 40)
    assert any("sets of a random word and its nearest neighbours" in note for note in weat_table(one).notes)
    usual = aslant.weat(v, "weat-7", chance=40)
    assert (usual.effect_size, usual.pvalue, usual.interval) == (one.effect_size, one.pvalue, one.interval)
    with pytest.raises(MeasureError, match="chance_words is 'any'; choose one of matched, coherent"):
        aslant.weat(v, "weat-7", chance_words="any")
