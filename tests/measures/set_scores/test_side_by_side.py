"""Scores side by side: rows, q-values, agreement over sets and embeddings, categories, and the command."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import kendalltau, spearmanr

import aslant
from aslant.errors import AslantError
from aslant.measures.set_scores.kinds import SCORES
from aslant.measures.set_scores.result import WordSetScore, WordSetScoresResult
from aslant.measures.set_scores.show import glance, scores_picture, scores_tables
from aslant.vectors import WordVectors
from command_line import Run

TESTS = ["weat-5", "weat-6", "weat-7", "weat-8", "weat-9"]
QUICK: dict[str, Any] = {"chance": 60, "bootstrap": 0, "n_resamples": 60}


@pytest.fixture(scope="module")
def both() -> WordSetScoresResult:
    """Two embeddings: the sample, and the sample with noise."""
    v = aslant.load()
    noise = np.random.default_rng(0).normal(size=v.matrix.shape) * v.matrix.std()
    return aslant.word_set_scores([v, WordVectors.from_arrays(v.words, v.matrix + noise, name="noisy")], TESTS, **QUICK)


def strengths(found: WordSetScoresResult, kind: str, model: str) -> list[float]:
    scores: list[Any] = list(found.results)
    return [s.strength for s in scores if s.kind == kind and s.provenance.representation.name == model]


def test_every_score_of_every_set_of_every_embedding_has_a_row(both: WordSetScoresResult) -> None:
    rows = both.rows()
    assert len(rows) == 2 * len(TESTS) * len(SCORES)
    assert {(r["representation"], r["test"], r["measure"]) for r in rows} == {
        (model, test, score) for model in ("sample", "noisy") for test in TESTS for score in SCORES
    }
    assert WordSetScoresResult.from_dict(json.loads(both.to_json())) == both


def test_a_score_is_the_same_alone_and_beside_others(both: WordSetScoresResult) -> None:
    alone: WordSetScore = aslant.ect(aslant.load(), "weat-6", **QUICK, min_found=0.5)
    assert alone in both.results
    few = aslant.word_set_scores(aslant.load(), ["weat-6"], scores=["rnsb", "ect"], **QUICK)
    assert few.results[1] == alone


def test_q_values_are_over_all_scores_that_have_a_p_value(both: WordSetScoresResult) -> None:
    pvalues = [row["pvalue"] for row in both.rows()]
    assert both.qvalues == aslant.statistics.known_qvalues(pvalues)
    assert {row["measure"] for row in both.rows() if row["qvalue"] is None} == {"mac"}
    chances = [row["chance_pvalue"] for row in both.rows()]
    assert list(both.chance_qvalues) == aslant.statistics.benjamini_hochberg(chances).tolist()


def test_agreement_is_scipys_rank_correlation(both: WordSetScoresResult) -> None:
    assert len(both.agreement) == len(SCORES) * (len(SCORES) - 1) // 2
    for found in both.agreement:
        pairs = [(strengths(both, found.first, m), strengths(both, found.second, m)) for m in ("sample", "noisy")]
        assert found.rho == pytest.approx(np.mean([spearmanr(a, b).statistic for a, b in pairs]))
        (a, b), (c, d) = pairs
        taus = [kendalltau([x, z], [y, w]).statistic for x, y, z, w in zip(a, b, c, d, strict=True)]
        assert found.tau == pytest.approx(np.mean(taus))
        assert (found.n_sets, found.n_scored) == (5, 10)


def test_a_score_agrees_with_itself_on_a_scaled_embedding() -> None:
    v = aslant.load()
    double = WordVectors.from_arrays(v.words, 2 * v.matrix, name="double")
    found = aslant.word_set_scores([v, double], TESTS, scores=["same", "ml-eat"], **QUICK)
    assert strengths(found, "same", "double") == pytest.approx(strengths(found, "same", "sample"), abs=1e-4)


def test_few_sets_have_no_rank_correlation_and_one_embedding_no_order() -> None:
    found = aslant.word_set_scores(aslant.load(), ["weat-6", "weat-7"], scores=["same", "mac"], **QUICK)
    (only,) = found.agreement
    assert (only.rho, only.tau, only.n_sets) == (None, None, 2)


def test_a_category_is_the_mean_of_its_scores_beside_the_same_mean_with_random_attributes(
    both: WordSetScoresResult,
) -> None:
    gender = next(c for c in both.categories if (c.category, c.representation) == ("gender", "sample"))
    scores: list[Any] = [
        s
        for s in both.results
        if s.category == "gender" and s.provenance.representation.name == "sample"  # type: ignore[attr-defined]
    ]
    assert gender.tests == ("weat-6", "weat-7", "weat-8")
    assert gender.n_scores == len(scores) == 21
    assert gender.strength == pytest.approx(np.mean([s.strength for s in scores]))
    assert gender.chance.mean == pytest.approx(0, abs=1e-9)
    own = sorted(s.pvalue for s in scores if s.pvalue is not None)
    assert gender.pvalue == pytest.approx(min(p * len(own) / k for k, p in enumerate(own, 1)))
    assert 1 / np.sqrt(21) < gender.chance.sd < 1  # the scores share their draws, and are not the same


def test_an_audit_has_one_line_for_each_category(both: WordSetScoresResult) -> None:
    one = aslant.word_set_scores(aslant.load(), TESTS, **QUICK)
    lines = glance(one, str)
    assert [(found.category, found.effect_name) for found in lines] == [
        ("race", "sd of chance"), ("gender", "sd of chance"), ("health", "sd of chance")
    ]  # fmt: skip
    assert lines[1].sentence.startswith("7 scores of 3 word sets: ")
    for n, verb in ((0, "are"), (1, "is"), (2, "are")):
        changed = replace(one, categories=(replace(one.categories[0], n_beyond=n),))
        assert f": {n} of {one.categories[0].n_scores} {verb} beyond chance;" in glance(changed, str)[0].sentence
    assert lines[1].chance == one.categories[1].chance


def test_sets_with_too_few_words_are_listed_as_such() -> None:
    v = aslant.load()
    keep = [
        row
        for row, word in enumerate(v.words)
        if word.lower() not in ("math", "algebra", "geometry", "calculus", "equations")
    ]
    less = WordVectors.from_arrays([v.words[i] for i in keep], v.matrix[keep], name="less")
    found = aslant.word_set_scores(less, ["weat-6", "weat-7"], scores=["mac"], **QUICK)
    assert [skipped.test for skipped in found.skipped] == ["weat-7"]
    assert "3 of 8 words of 'Math'" in found.skipped[0].reason
    assert set(found.missing) >= {"math", "algebra"}
    assert any("weat-7 was not run" in note for note in scores_tables(found)[0].notes)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"scores": ["rmd"]}, "'rmd' does not name a score; choose from relative-norm, ripa"),
        ({"scores": []}, "no score was given"),
        ({"tests": "weat-6"}, "is one string"),
        ({"tests": []}, "no test was given"),
        ({"vectors": []}, "is not word vectors"),
        ({"vectors": ["glove.txt"]}, "there is no file 'glove.txt'"),
    ],
)
def test_bad_input_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(AslantError, match=said):
        aslant.word_set_scores(**{"vectors": aslant.load(), **QUICK, **given})


def test_tables_show_verdicts_and_agreement(both: WordSetScoresResult) -> None:
    first, over_sets, over_models = scores_tables(both)
    assert [column.title for column in first.columns][-7:] == [score.short for score in SCORES.values()]
    assert len(first.rows) == 10
    assert over_sets.rows[0]["ripa"].startswith(("0.", "1.", "−0."))
    assert over_sets.rows[1]["relative-norm"].endswith("/10")
    assert over_models.rows[1]["relative-norm"] == ""
    drawn = scores_picture(both).to_dict()
    values = next(iter(drawn["datasets"].values())) if "datasets" in drawn else drawn["data"]["values"]
    assert values[0]["set"] == "sample · weat-5"


def test_beyond_chance_means_the_same_in_tables_agreement_and_categories() -> None:
    """Neither random attributes nor, where it has one, a score's own test explain it (few draws leave p > .1)."""
    two = ["relative-norm", "mac"]
    found = aslant.word_set_scores(
        aslant.load(), ["weat-1", "weat-6"], scores=two, chance=200, bootstrap=0, n_resamples=5
    )
    assert [q is not None and q <= 0.05 for q in found.chance_qvalues] == [True] * 4
    assert found.beyond == (False, True, False, True)  # MAC has no test of its own
    first, over_sets = scores_tables(found)
    assert [[row[name].endswith("●") for name in two] for row in first.rows] == [[False, True]] * 2
    assert [category.n_beyond for category in found.categories] == [1, 1]
    assert over_sets.rows[1]["relative-norm"] == "0/2"


@pytest.mark.parametrize("name", SCORES)
def test_a_table_of_one_score_says_what_its_sign_means_with_one_test_and_with_several(name: str) -> None:
    how: dict[str, Any] = {"scores": [name], "chance": 0, "bootstrap": 0, "n_resamples": 20}
    several = scores_tables(aslant.word_set_scores(aslant.load(), ["weat-6", "weat-7"], **how))[0]
    one = scores_tables(aslant.word_set_scores(aslant.load(), ["weat-6"], **how))[0]
    assert several.notes[0].startswith(f"{SCORES[name].short}: ")
    assert several.notes[0].endswith("(aslant words show TEST).")
    assert "{" not in several.notes[0] + one.notes[0]
    assert ("Career" in one.notes[0] or "Male names" in one.notes[0]) == ("first" in several.notes[0])


def test_the_command_fits_a_narrow_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    done = run("scores", "--test", "weat-6", "--test", "weat-7", "--chance", "60", "--n-resamples", "60")
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    for score in SCORES.values():
        assert score.short in done.stdout
    assert "How far the scores agree" in done.stdout


@pytest.mark.parametrize("name", SCORES)
def test_every_score_has_a_command(name: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    how = ("--chance", "60", "--n-resamples", "60", "--bootstrap", "60")
    one = run(name, "--test", "weat-9", *how)
    assert one.returncode == 0, one.stderr
    assert max(map(len, one.stdout.splitlines())) <= 80
    assert f"{SCORES[name].short} on sample" in one.stdout
    content = json.loads(run(name, "--test", "weat-9", *how, "--json", "-").stdout)
    expected = getattr(aslant, name.replace("-", "_"))(
        aslant.load(), "weat-9", chance=60, n_resamples=60, bootstrap=60, min_found=0.5
    )
    assert content == json.loads(expected.to_json())
    several = run(name, "--test", "weat-9", "--test", "weat-10", *how, "--csv", "-")
    rows = list(csv.DictReader(io.StringIO(several.stdout)))
    assert [(row["test"], row["measure"]) for row in rows] == [("weat-9", name), ("weat-10", name)]


@pytest.mark.parametrize("name", ["relative-norm", "ripa", "ect", "mac"])
def test_lists_of_ones_own_are_as_many_as_the_score_takes(name: str, run: Run) -> None:
    men, women, children = ["he", "man"], ["she", "woman"], ["child", "baby"]
    targets = {"men": men, "women": women} | ({"children": children} if name == "mac" else {})
    given = [part for key, words in targets.items() for part in ("--targets", f"{key}: {', '.join(words)}")]
    how: dict[str, Any] = {"chance": 60, "n_resamples": 60, "bootstrap": 60, "min_found": 0.5}
    few = ("--chance", "60", "--n-resamples", "60", "--bootstrap", "60", "--json", "-")
    done = run(name, *given, "--attributes", "work: office, salary, job", *few)
    assert done.returncode == 0, done.stderr
    expected = getattr(aslant, name.replace("-", "_"))(
        aslant.load(), targets=targets, attributes={"work": ["office", "salary", "job"]}, **how
    )
    assert json.loads(done.stdout) == json.loads(expected.to_json())
    refused = run(name, *given)
    assert refused.returncode == 2
    assert "targets and attributes" in refused.stderr


def test_the_command_takes_several_embeddings_and_chosen_scores(run: Run) -> None:
    done = run("scores", "--score", "same, mac", "--test", "weat-9", "--chance", "60", "--json", "-")
    assert json.loads(done.stdout)["scores"] == ["same", "mac"]
    refused = run("scores", "--score", "same,mace")
    assert refused.returncode == 2
    assert "'mace' does not name a score" in refused.stderr
    assert run("scores", "--test", "weat-99").returncode == 2
    missing = run("scores", "nowhere.txt", "also-nowhere.txt")
    assert missing.returncode == 2
    assert "nowhere.txt" in missing.stderr


def test_embeddings_are_put_in_order_on_the_same_word_set_only() -> None:
    from aslant.measures.set_scores.side_by_side import _order

    both = {
        ("one", "a"): [(1.0, True), (1.0, True)],
        ("two", "a"): [(2.0, True), (2.0, True)],  # both scores put "two" higher on a
        ("one", "b"): [(1.0, True), (5.0, True)],
        ("two", "b"): [(2.0, True), (3.0, True)],  # and disagree on b
    }
    assert _order(both) == 0.0
    assert _order({key: both[key] for key in (("one", "a"), ("two", "a"))}) == 1.0
    assert _order({key: both[key] for key in (("one", "a"), ("one", "b"))}) is None
