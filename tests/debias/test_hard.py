"""Hard debiasing does what the paper says, to the last digit that float32 holds."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import aslant
from aslant.debias.hard import equalise, hard_debiased
from aslant.debias.words import find_sets, find_words, word_sets
from aslant.errors import DebiasError
from aslant.stimuli import PairSet, load_set
from planted import PAIRS, SPECIFIC, Planted

Vectors = dict[str, NDArray[np.float64]]


def literal(vectors: aslant.WordVectors, pairs: list, equal: list, specific: list) -> Vectors:  # type: ignore[type-arg]
    """Word by word, as the program of Bolukbasi et al. goes about it: unit length, neutralise, equalise."""
    v = {w: np.array(row, dtype=float) for w, row in zip(vectors.words, vectors.matrix, strict=True)}
    v = {w: row / np.linalg.norm(row) for w, row in v.items()}
    centred = []
    for a, b in pairs:
        middle = (v[a] + v[b]) / 2
        centred += [v[a] - middle, v[b] - middle]
    g = np.linalg.svd(np.array(centred))[2][0]
    kept = {*specific, *(word for pair in equal for word in pair)}
    for w in v:
        if w not in kept:
            v[w] = v[w] - g * (v[w] @ g)
            v[w] /= np.linalg.norm(v[w])
    for a, b in equal:
        mean = (v[a] + v[b]) / 2
        y = mean - g * (mean @ g)
        z = np.sqrt(1 - y @ y)
        if (v[a] - v[b]) @ g < 0:
            z = -z
        v[a], v[b] = z * g + y, -z * g + y
    return v


def test_every_word_is_where_the_papers_program_puts_it(planted: Planted) -> None:
    expected = literal(planted.vectors, PAIRS, PAIRS[:2], SPECIFIC)
    debiased = aslant.hard_debias(planted.vectors, pairs=PAIRS, equalise=PAIRS[:2], specific=SPECIFIC)
    assert np.abs(debiased.matrix - np.array([expected[w] for w in debiased.words])).max() < 1e-7


def test_on_real_vectors_every_word_is_where_the_papers_program_puts_it() -> None:
    v = aslant.load(top=3000)
    sets = [
        [pair for pair in load_set(name, PairSet).pairs if all(word in v for word in pair)]
        for name in ("definitional-pairs", "equalise-pairs")
    ]
    specific = [w for w in load_set("gender-specific-words").words if w in v]
    assert min(map(len, (*sets, specific))) > 5  # type: ignore[arg-type]
    expected = literal(v, *sets, specific)  # type: ignore[call-arg]
    debiased = aslant.hard_debias(v, pairs=sets[0], equalise=sets[1], specific=specific)
    assert np.abs(debiased.matrix - np.array([expected[w] for w in v.words])).max() < 1e-7


@pytest.fixture(scope="module")
def sample() -> aslant.WordVectors:
    return aslant.load()


@pytest.fixture(scope="module")
def debiased(sample: aslant.WordVectors) -> aslant.WordVectors:
    return aslant.hard_debias(sample)


def test_neutral_words_have_no_projection_on_the_direction(
    sample: aslant.WordVectors, debiased: aslant.WordVectors
) -> None:
    direction = _direction(sample)
    neutral = np.ones(len(sample), dtype=bool)
    neutral[find_words(sample, "gender-specific-words", "x")[0]] = False
    neutral[np.concatenate(find_sets(sample, "equalise-pairs", "x").rows)] = False
    assert neutral.sum() > 40_000
    assert np.abs(debiased.matrix[neutral].astype(float) @ direction).max() < 1e-6
    assert np.abs(debiased.matrix[~neutral].astype(float) @ direction).max() > 0.1


def _direction(v: aslant.WordVectors) -> NDArray[np.float64]:
    rows = [v.lookup(pair).vectors.astype(float) for pair in load_set("definitional-pairs", PairSet).pairs]
    rows = [pair / np.linalg.norm(pair, axis=1, keepdims=True) for pair in rows]
    return np.asarray(np.linalg.svd(np.concatenate([pair - pair.mean(axis=0) for pair in rows]))[2][0])


def test_equalised_pairs_are_equally_far_from_every_neutral_word(
    sample: aslant.WordVectors, debiased: aslant.WordVectors
) -> None:
    neutral = debiased.lookup(["nurse", "engineer", "table", "career", "family", "the", "ran"]).vectors.astype(float)
    sets = find_sets(sample, "equalise-pairs", "x").rows
    assert len(sets) > 40
    seen: set[int] = set()
    for pair in reversed(sets):
        if not seen.intersection(pair.tolist()):  # the last set that has a word is the one that holds
            a, b = debiased.matrix[pair].astype(float)
            gaps = np.linalg.norm(neutral - a, axis=1) - np.linalg.norm(neutral - b, axis=1)
            assert np.abs(gaps).max() < 1e-6
        seen.update(pair.tolist())


def test_vectors_have_unit_length_and_specific_words_keep_their_direction(
    sample: aslant.WordVectors, debiased: aslant.WordVectors
) -> None:
    assert np.abs(np.linalg.norm(debiased.matrix.astype(float), axis=1) - 1).max() < 1e-6
    rows = np.setdiff1d(
        find_words(sample, "gender-specific-words", "x")[0],
        np.concatenate(find_sets(sample, "equalise-pairs", "x").rows),
    )
    before = sample.matrix[rows].astype(float)
    assert np.allclose(debiased.matrix[rows], before / np.linalg.norm(before, axis=1, keepdims=True), atol=1e-7)


def test_polarity_of_professions_falls_and_the_record_says_what_was_done(
    sample: aslant.WordVectors, debiased: aslant.WordVectors
) -> None:
    before, after = (aslant.polarity(v, "gender-binary", bootstrap=0) for v in (sample, debiased))
    assert after.score < before.score / 20
    note = after.provenance.representation.note
    assert "hard debiasing (components=1); pairs: definitional-pairs, 20 of 20 words" in note
    assert "missing: " in note
    assert after.provenance.representation.name == "sample (hard debiasing)"
    taken = {words.role: words for words in debiased.treatments[0].words}
    assert taken["specific words"].found + len(taken["specific words"].missing) == 1441


def test_title_and_upper_case_are_equalised_where_both_words_are_there(planted: Planted) -> None:
    v = planted.vectors
    more = aslant.WordVectors.from_arrays(
        [*v.words, "She", "He", "SHE"], np.concatenate([v.matrix, v.matrix[:3] + 0.5])
    )
    w = aslant.hard_debias(more, pairs=PAIRS, equalise=PAIRS, specific=SPECIFIC)
    neutral = w.matrix[20].astype(float)
    she, he, upper = (w.matrix[more.index[word]].astype(float) for word in ("She", "He", "SHE"))
    assert abs(neutral @ she - neutral @ he) < 1e-6
    assert np.linalg.norm(she - he) > 0.5
    taken = {words.role: words for words in w.treatments[0].words}
    assert taken["equalised in Title or UPPER CASE"].found == 2  # SHE has no HE
    assert taken["equalised"].found == len(PAIRS) * 2
    assert abs(upper @ planted.direction) < 0.05  # has no counterpart, and is none of the specific words


def test_two_components_and_sets_of_three_keep_the_promise() -> None:
    random = np.random.default_rng(3)
    basis = np.linalg.qr(random.normal(size=(8, 2)))[0].T
    matrix = random.normal(size=(40, 8)).astype(np.float32)
    out = hard_debiased(matrix, basis, np.array([5]), [np.array([0, 1, 2])]).astype(float)
    neutral = np.delete(out, [0, 1, 2, 5], axis=0)
    assert np.abs(neutral @ basis.T).max() < 1e-7
    assert np.ptp(out[:3] @ neutral.T, axis=0).max() < 1e-6
    assert np.allclose(out[5], matrix[5] / np.linalg.norm(matrix[5]))


def test_sets_that_share_words_are_equalised_one_after_the_other() -> None:
    random = np.random.default_rng(4)
    g = np.eye(6)[:1]
    matrix = random.normal(size=(5, 6))
    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    first = equalise(unit[[0, 1]], g)
    second = equalise(np.array([first[1], unit[2]]), g)
    out = hard_debiased(matrix, g, np.empty(0, dtype=np.intp), [np.array([0, 1]), np.array([1, 2])])
    assert np.allclose(out[:3], [first[0], second[0], second[1]], atol=1e-7)


def test_the_original_is_left_alone(sample: aslant.WordVectors) -> None:
    small = aslant.WordVectors(sample.words[:20_000], np.array(sample.matrix[:20_000]))
    copy = small.matrix.copy()
    aslant.hard_debias(small)
    assert (small.matrix == copy).all()
    assert small.treatments == ()


def test_treatments_add_up_and_the_note_tells_both(planted: Planted) -> None:
    first = aslant.project_out(planted.vectors, pairs=PAIRS[:1])
    both = aslant.half_sibling_debias(first, specific=SPECIFIC)
    assert [t.method for t in both.treatments] == ["projection", "half-sibling regression"]
    assert both.note.index("projection") < both.note.index("half-sibling regression (ridge=2.0")
    assert both.name == "planted (projection) (half-sibling regression)"


def test_a_pair_with_a_missing_word_is_left_out_and_said(planted: Planted) -> None:
    found = find_sets(planted.vectors, [*PAIRS, ("lady", "king")], "pairs")
    assert len(found.rows) == 4
    assert (found.taken.missing, found.taken.alone) == (("lady",), ("king",))


def test_two_words_on_one_token_are_no_pair(planted: Planted) -> None:
    assert find_sets(planted.vectors, [("She", "she"), ("she", "he")], "pairs").words == (("she", "he"),)


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"pairs": [("lady", "lord")]}, "no set of 'own' has two words"),
        ({"pairs": "professions"}, "kind 'words'; one of kind 'pairs' or 'classes'"),
        ({"pairs": [("she",)]}, "fewer than two words"),
        ({"pairs": ["she", "he"]}, "'she' is one string; give a list of words"),
        ({"pairs": 3}, "3 are not sets of words"),
        ({"pairs": [("she", 4)]}, "the word 4 is not a word"),
        ({"pairs": PAIRS, "components": 0}, "components=0"),
        ({"pairs": PAIRS[:1], "components": 2}, "from 1 to 1"),
        ({"pairs": PAIRS, "components": True}, "components=True"),
        ({"pairs": PAIRS, "specific": 5}, "5 are not words"),
        ({"pairs": PAIRS, "specific": "no-such-set"}, "there is no word set"),
        ({"pairs": PAIRS, "equalise": [("she", "")]}, "is not a word"),
    ],
)
def test_bad_input_is_one_sentence(planted: Planted, settings: dict[str, object], fault: str) -> None:
    with pytest.raises(aslant.AslantError, match=fault) as caught:
        aslant.hard_debias(planted.vectors, **settings)
    assert "\n" not in str(caught.value)


def test_a_word_of_which_nothing_would_be_left_is_named() -> None:
    words, matrix = ["she", "he", "nothing", "table"], [[1, 0.5, 0], [-1, 0.5, 0], [2, 0, 0], [1, 1, 1]]
    v = aslant.WordVectors.from_arrays(words, matrix)  # type: ignore[arg-type]
    with pytest.raises(DebiasError, match="nothing is left of 'nothing'"):
        aslant.hard_debias(v, pairs=[("she", "he")], equalise=[], specific=["she", "he"])


def test_words_that_do_not_differ_in_the_subspace_cannot_be_equalised() -> None:
    with pytest.raises(DebiasError, match="do not differ in the subspace"):
        equalise(np.array([[0.0, 1.0], [0.0, 1.0]]), np.array([[1.0, 0.0]]))


def test_the_words_of_a_set_that_cannot_be_equalised_are_named() -> None:
    words, matrix = (
        ["she", "he", "left", "right", "table"],
        [[1, 0.5, 0], [-1, 0.5, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]],
    )
    v = aslant.WordVectors.from_arrays(words, matrix)  # type: ignore[arg-type]
    with pytest.raises(DebiasError, match=r"'left, right' do not differ in the subspace; leave that set out"):
        aslant.hard_debias(
            v, pairs=[("she", "he")], equalise=[("she", "he"), ("left", "right")], specific=["she", "he"]
        )


def test_class_sets_give_sets_across_their_classes() -> None:
    assert word_sets("definitional-pairs")[0][0] == ("woman", "man")
    assert len(word_sets("gender-five")[0][0]) == 5


def test_a_vector_put_together_from_parts_has_no_row_to_change(planted: Planted) -> None:
    v = planted.vectors.with_policy(aslant.LookupPolicy(phrases="mean"))
    assert v.lookup(["she queen"]).found == ("she queen",)
    rows, taken = find_words(v, ["she queen", "king"], "specific words")
    assert rows.tolist() == [v.index["king"]]
    assert taken.missing == ("she queen",)


def test_subwords_are_left_behind_and_said(planted: Planted) -> None:
    from dataclasses import replace

    class Never:
        def vector(self, word: str) -> None:
            return None

    w = aslant.project_out(replace(planted.vectors, subwords=Never()), pairs=PAIRS)
    assert w.subwords is None
    assert w.note.endswith("without sub-words")
