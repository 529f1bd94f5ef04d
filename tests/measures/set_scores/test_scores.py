"""Scores of word sets: the papers' definitions, WEFE's numbers, what must hold of them, and bad input."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aslant
from aslant.errors import AslantError
from aslant.measures.set_scores import scoring
from aslant.measures.set_scores.draws import means_pvalue, seen_by, values_of
from aslant.measures.set_scores.kinds import SCORES
from aslant.measures.set_scores.sets import asked_of, look_up
from aslant.statistics import PermutationPvalue, unit_rows
from aslant.stimuli import WeatSet, load_set
from aslant.vectors import WordVectors
from slow_scores import SLOW

WEFE = json.loads((Path(__file__).parent / "wefe-1.0.1.json").read_text(encoding="utf-8"))["values"]
FUNCTIONS = {name: getattr(aslant, name.replace("-", "_")) for name in SCORES}
ONLY: dict[str, Any] = {"chance": 0, "bootstrap": 0, "n_resamples": 1}
each = pytest.mark.parametrize("name", SCORES)


def random_sets(seed: int, sizes: tuple[int, int, int, int] = (5, 5, 6, 4), d: int = 7) -> tuple[WordVectors, Any]:
    """Random vectors of random lengths, and four sets of their words."""
    random = np.random.default_rng(seed)
    words = [[f"{letter}{i}" for i in range(size)] for letter, size in zip("xyab", sizes, strict=True)]
    every = [word for group in words for word in group]
    matrix = random.normal(size=(len(every), d)) * random.uniform(0.3, 3, (len(every), 1)) + 0.4
    return WordVectors.from_arrays(every, matrix, name="random"), words


def arrays(v: WordVectors, words: Any) -> list[Any]:
    return [v.lookup(group).vectors.astype(np.float64) for group in words]


@each
@given(seed=st.integers(0, 10**6))
def test_a_score_is_that_of_its_paper(name: str, seed: int) -> None:
    v, words = random_sets(seed)
    found = FUNCTIONS[name](v, targets=words[:2], attributes=words[2:], **ONLY)
    assert found.value == pytest.approx(SLOW[name](*arrays(v, words)), abs=1e-6)


@pytest.mark.parametrize("name", ["relative-norm", "ripa", "rnsb", "ect"])
def test_vectors_may_be_taken_at_unit_length(name: str) -> None:
    v, words = random_sets(3)
    found = FUNCTIONS[name](v, targets=words[:2], attributes=words[2:], unit=True, **ONLY)
    units = [unit_rows(group) for group in arrays(v, words)]
    assert found.value == pytest.approx(SLOW[name](*units), abs=1e-6)
    assert found.value != pytest.approx(SLOW[name](*arrays(v, words)), abs=1e-6)


@pytest.fixture(scope="module")
def googlenews() -> WordVectors:
    folder = os.environ.get("ASLANT_TEST_PACKAGES", "")
    file = Path(folder) / "wefe" / "wefe" / "datasets" / "data" / "test_model.kv"
    if not folder or not file.is_file():
        pytest.skip("no wefe 1.0.1, unpacked, in ASLANT_TEST_PACKAGES")
    return aslant.load(file)


@pytest.mark.parametrize("test", WEFE)
def test_numbers_are_wefes(googlenews: WordVectors, test: str) -> None:
    v, printed, sets = googlenews, WEFE[test], load_set(test, WeatSet)
    for side, attributes in enumerate(sets.attributes):
        given: dict[str, Any] = {"targets": sets.targets, "attributes": attributes, **ONLY}
        assert aslant.relative_norm(v, **given).value == pytest.approx(printed["rnd"][side], abs=1e-6)
        assert aslant.relative_norm(v, **given, unit=True).value == pytest.approx(printed["rnd unit"][side], abs=1e-6)
        assert aslant.ect(v, **given).value == pytest.approx(printed["ect"][side], abs=1e-6)
        if "ripa" in printed and test != "weat-10":  # of which WEFE pairs what is left without "Billy"
            assert aslant.ripa(v, **given).value == pytest.approx(printed["ripa"][side], abs=1e-6)
    assert aslant.ect(v, test, **ONLY).value == pytest.approx(printed["ect both"], abs=1e-6)
    assert aslant.mac(v, test, **ONLY).value == pytest.approx(printed["mac"], abs=1e-6)
    first = aslant.mac(v, targets=sets.targets[0], attributes=sets.attributes, **ONLY)
    assert first.value == pytest.approx(printed["mac first"], abs=1e-6)
    assert aslant.rnsb(v, test, **ONLY).value == pytest.approx(printed["rnsb"], abs=1e-6)


@pytest.mark.parametrize("test", WEFE)
def test_rnsb_of_random_parts_of_the_attributes_spreads_as_wefes_does(googlenews: WordVectors, test: str) -> None:
    """WEFE trains on a random 80 % by default; 40 such parts give means within its own range over 40 seeds."""
    import dataclasses

    from sklearn.model_selection import train_test_split

    score = SCORES["rnsb"]
    batch = seen_by(score, look_up(googlenews, asked_of(load_set(test, WeatSet)), 0, unit=False).batch)
    labels = batch.attributes[0, 0]
    kept = np.zeros((40, *batch.attributes.shape[1:]))
    for seed in range(40):
        rows, _ = train_test_split(np.arange(len(labels)), test_size=0.2, stratify=labels, random_state=seed)
        kept[seed][:, rows] = batch.attributes[0][:, rows]
    low, high = WEFE[test]["rnsb seeds"]
    found = values_of(score, dataclasses.replace(batch, attributes=kept))
    assert low < found.mean() < high
    assert found.min() == pytest.approx(low, rel=0.02)
    assert found.max() == pytest.approx(high, rel=0.02)


def test_ml_eat_has_the_levels_of_the_authors_code() -> None:
    v, words = random_sets(4)
    found = aslant.ml_eat(v, targets=words[:2], attributes=words[2:], chance=0, bootstrap=0)
    X, Y, A, B = (unit_rows(group) for group in arrays(v, words))
    second, third = ([level for level in found.levels if level.level == number] for number in (2, 3))
    for level, group in zip(second, (X, Y), strict=True):
        a, b = (group @ A.T).mean(axis=0), (group @ B.T).mean(axis=0)
        assert level.value == pytest.approx((a.mean() - b.mean()) / np.std([*a, *b], ddof=1))
        assert level.pvalue == aslant.statistics.partition_pvalue(a, b, alternative="two-sided").pvalue
    blocks = [group @ side.T for group in (X, Y) for side in (A, B)]
    assert [(level.value, level.sd) for level in third] == [
        (pytest.approx(block.mean()), pytest.approx(block.std(ddof=1))) for block in blocks
    ]


def test_the_second_level_of_ml_eat_is_drawn_by_the_seed_where_it_is_not_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []

    def drawn(first: Any, second: Any, n: int, rng: np.random.Generator) -> PermutationPvalue:
        asked.append(float(rng.random()))
        return means_pvalue(first, second, n, rng)

    monkeypatch.setattr(scoring, "means_pvalue", drawn)
    for seed in (1, 1, 2):
        aslant.ml_eat(aslant.load(), "weat-7", chance=0, bootstrap=0, rng=seed)
    first, again, other = asked[:2], asked[2:4], asked[4:]
    assert first == again != other
    assert len({*first, *other}) == 4


def test_ml_eats_first_level_is_weat() -> None:
    v = aslant.load()
    for test in ("weat-6", "weat-1"):
        found, weat = aslant.ml_eat(v, test, chance=0, bootstrap=0), aslant.weat(v, test, alternative="two-sided")
        assert found.value == pytest.approx(weat.effect_size, abs=1e-9)
        assert found.pvalue == pytest.approx(weat.pvalue, rel=0.01)


@each
def test_what_words_add_makes_the_score(name: str) -> None:
    v, words = random_sets(8)
    r = FUNCTIONS[name](v, targets=words[:2], attributes=words[2:], **ONLY)
    by_set = [np.array([w.value for w in r.words if w.group == part.name]) for part in r.sets]
    assert [(p.mean, p.sd) for p in r.sets] == [(pytest.approx(b.mean()), pytest.approx(b.std())) for b in by_set]
    everyone = np.concatenate(by_set)
    gap = by_set[0].mean() - by_set[1].mean()
    made = {
        "relative-norm": lambda: gap,
        "ripa": lambda: gap,
        "mac": everyone.mean,
        "same": lambda: np.abs(everyone).mean(),
        "ect": lambda: 1 - 6 * (everyone**2).sum() / (10 * (10**2 - 1)),
        "rnsb": lambda: np.log(everyone / everyone.mean()) @ everyone / everyone.sum(),
        "ml-eat": lambda: gap / everyone.std(ddof=1),
    }
    assert r.value == pytest.approx(made[name]())


@given(seed=st.integers(0, 10**6))
def test_signed_scores_change_sign_when_targets_are_exchanged_and_the_others_do_not(seed: int) -> None:
    v, (x, y, a, b) = random_sets(seed)
    for name, score in SCORES.items():
        one = FUNCTIONS[name](v, targets=[x, y], attributes=[a, b], **ONLY).value
        other = FUNCTIONS[name](v, targets=[y, x], attributes=[a, b], **ONLY).value
        assert other == pytest.approx(-one if score.extreme == "both" else one, abs=1e-9)


@given(seed=st.integers(0, 10**6))
def test_no_score_changes_when_the_space_is_turned(seed: int) -> None:
    v, words = random_sets(seed)
    turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(7, 7)))[0]
    turned = WordVectors.from_arrays(v.words, v.matrix @ turn, name="turned")
    for measure in FUNCTIONS.values():
        values = [measure(each, targets=words[:2], attributes=words[2:], **ONLY).value for each in (v, turned)]
        assert values[0] == pytest.approx(values[1], abs=1e-5)


def test_one_attribute_set_gives_the_published_score_and_two_their_difference() -> None:
    v, (x, y, a, b) = random_sets(1)
    for measure in (aslant.relative_norm, aslant.ripa):
        one, other, both = (measure(v, targets=[x, y], attributes=s, **ONLY).value for s in (a, b, [a, b]))
        assert both == pytest.approx(one - other)
    together = aslant.ect(v, targets=[x, y], attributes=a + b, **ONLY).value
    assert aslant.ect(v, targets=[x, y], attributes=[a, b], **ONLY).value == pytest.approx(together)


def test_a_pair_without_its_counterpart_is_left_out_and_told() -> None:
    v, (x, y, a, _) = random_sets(1)
    r = aslant.ripa(v, targets=([*x, "x-less"], [y[0], "absent", *y[2:]]), attributes=a, **ONLY)
    assert r.targets[0].used == (x[0], *x[2:])
    assert r.targets[0].removed == (x[1],)
    assert r.missing == ("x-less", "absent")
    alone = aslant.ripa(v, targets=([x[0], *x[2:]], [y[0], *y[2:]]), attributes=a, **ONLY)
    assert r.value == alone.value


def test_sets_may_have_names_and_be_more_than_two() -> None:
    v, (x, y, a, b) = random_sets(2)
    r = aslant.rnsb(v, targets={"one": x[:2], "two": y, "three": x[2:]}, attributes={"good": a, "bad": b}, **ONLY)
    assert [part.name for part in r.sets] == ["one", "two", "three"]
    assert r.value == pytest.approx(aslant.rnsb(v, targets=x + y, attributes=[a, b], **ONLY).value)
    three = aslant.mac(v, targets=x, attributes=[a, b, y], **ONLY).value
    assert three == pytest.approx(np.mean([aslant.mac(v, targets=x, attributes=s, **ONLY).value for s in (a, b, y)]))


@each
def test_a_planted_lean_is_beyond_chance_and_beyond_its_own_test(name: str) -> None:
    random = np.random.default_rng(5)
    words = [[f"{letter}{chr(97 + i)}" for i in range(12)] for letter in ("xq", "yq", "aq", "bq")]
    others = [f"w{a}{b}{c}" for a in "abcdefghij" for b in "abcdefghij" for c in "abcd"]
    every = [word for group in words for word in group]
    matrix = random.normal(size=(len(every) + len(others), 30))
    signs = np.concatenate([np.tile(np.repeat([1.0, -1.0], 12), 2), np.zeros(len(others))])
    matrix[:, 0] += 5 * signs
    matrix[:24, 1] += 8 * (name == "ect")  # in common to both targets, so that ECT is near 1 for other attributes
    v = WordVectors.from_arrays([*every, *others], matrix, name="planted")
    # MAC does not tell sides apart: what it finds is that both targets are close to these attributes.
    sides = (words[:1], words[2:3]) if name == "mac" else (words[:2], words[2:])
    r = FUNCTIONS[name](v, targets=sides[0], attributes=sides[1], n_resamples=999, chance=400, bootstrap=0)
    assert r.chance is not None
    assert r.chance.pvalue < 0.01
    assert r.strength is not None
    assert r.strength > 1  # d cannot be far beyond chance, being 2 at most
    assert r.pvalue is None if name == "mac" else r.pvalue is not None and r.pvalue < 0.01


@each
def test_a_result_survives_json_and_its_numbers_depend_on_the_seed_alone(name: str) -> None:
    how: dict[str, Any] = {"chance": 30, "bootstrap": 30, "n_resamples": 50}
    one, again, other = (FUNCTIONS[name](aslant.load(), "weat-9", rng=seed, **how) for seed in (1, 1, 2))
    assert one == again == type(one).from_dict(json.loads(one.to_json()))
    assert one.value == other.value
    assert one.chance != other.chance
    assert one.provenance.settings["n_resamples"] == 50


def test_missing_words_are_told() -> None:
    r = aslant.same(aslant.load(), targets=["he", "xxqq"], attributes=(["good", "yyqq"], ["bad"]), **ONLY)
    assert r.missing == ("xxqq", "yyqq")
    assert r.interval is None


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("ect", {}, "give either the name of a test"),
        ("ect", {"test": "weat-6", "targets": ["he"], "attributes": ["war"]}, "give either the name of a test"),
        ("ect", {"targets": (["he"], ["she"])}, "targets and attributes are needed together"),
        ("ect", {"test": "weat-66"}, "weat-66"),
        ("ect", {"targets": ["he", "she"], "attributes": ["war"]}, "1 target set given; ECT takes 2"),
        ("rnsb", {"targets": ["he"], "attributes": ["war"]}, "1 attribute set given; RNSB takes 2"),
        ("relative-norm", {"targets": (["he"], ["she"]), "attributes": (["a"], ["b"], ["c"])}, "RND takes 1 or 2"),
        ("ect", {"targets": (["he"], ["she"]), "attributes": ["war", "love"]}, "fewer than 3 attribute words"),
        ("ripa", {"targets": (["he", "qqxx"], ["qqyy", "she"]), "attributes": ["war"]}, "RIPA needs pairs"),
        ("same", {"targets": ["he"], "attributes": (["war"], ["War"])}, "which is also in"),
        ("mac", {"targets": ["qqxx"], "attributes": ["war"]}, "0 of 1 word of 'targets'"),
        ("mac", {"targets": "he", "attributes": ["war"]}, "one string"),
        ("mac", {"targets": [3], "attributes": ["war"]}, ""),
        ("mac", {"targets": ["he"], "attributes": []}, ""),
        ("mac", {"test": "weat-6", "chance": -1}, "chance is -1"),
        ("mac", {"test": "weat-6", "n_resamples": 0}, "n_resamples is 0"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(name: str, given: dict[str, Any], said: str) -> None:
    with pytest.raises(AslantError) as refused:
        FUNCTIONS[name](aslant.load(), **given)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_what_is_not_vectors_is_refused() -> None:
    with pytest.raises(AslantError, match="open it with aslant"):
        aslant.mac(None, "weat-6")


def test_a_classifier_that_is_quite_sure_leaves_numbers_numbers() -> None:
    v, words = random_sets(1)
    far = WordVectors.from_arrays(v.words, np.repeat([1000.0, 1.0], 10)[:, None] * v.matrix, name="far")
    r = aslant.rnsb(far, targets=words[:2], attributes=words[2:], chance=0, bootstrap=20)
    assert 0 < r.value < np.inf
    assert min(word.value for word in r.words) < 1e-100


def test_scores_that_do_not_exist_are_refused() -> None:
    v = WordVectors.from_arrays(["x", "y", "a", "b", "c"], [[1, 0], [0, 1], [1, 1], [2, 2], [3, 3]], name="flat")
    with pytest.raises(AslantError, match=r"ECT of .* does not exist"):
        aslant.ect(v, targets=(["x"], ["y"]), attributes=["a", "b", "c"])
    with pytest.raises(AslantError, match=r"SAME of .* does not exist"):
        aslant.same(v, targets=["x"], attributes=(["a"], ["b"]))


def test_a_pair_of_one_vector_has_no_ripa_and_says_so() -> None:
    v = WordVectors.from_arrays(["a", "b", "c", "d", "e"], np.array([[1, 0], [1, 0], [0, 1], [2, 1], [1, 3]], float))
    with pytest.raises(AslantError, match=r"RIPA of 'own' does not exist: .* the same vector"):
        aslant.ripa(v, targets=(["a", "d"], ["b", "e"]), attributes=["c"], chance=0)
