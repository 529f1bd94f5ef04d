"""Unsupervised bias enumeration: finds what was planted and only that, like the literal version, cell by cell."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aslant
import literal_enumeration as literal
from aslant.errors import AslantError, MeasureError, StimuliError
from aslant.io.journal import Journal
from aslant.io.keeper import Keeper
from aslant.measures.enumeration.steps import (
    MOST_PROXIES,
    choose_cells,
    cluster,
    frequent_words,
    illustrative,
    indirect_bias,
    keep_by_margin,
    margins,
)
from aslant.vectors import WordVectors
from planted_names import CATEGORIES, GROUPS, NAMES, SETTINGS, planted_vectors, unit


@pytest.fixture(scope="module")
def planted() -> WordVectors:
    return planted_vectors()


@pytest.fixture(scope="module")
def found(planted: WordVectors) -> Any:
    return aslant.enumerate_biases(planted, NAMES, **SETTINGS)


def test_planted_associations_come_back_and_only_they(found: Any) -> None:
    planted_words = {frozenset(f"word{k + 5 * i}" for i in range(5)): k for k in range(3)}
    assert len(found.significant) == 3
    for cell in found.significant:
        (k,) = [k for words, k in planted_words.items() if set(cell.words) <= words]
        numbers = {int(name[4:]) % GROUPS for name in found.groups[cell.group].names}
        assert numbers == {k}
        assert cell.pvalue == 1 / 500
    assert set(found.ordering[:3]) == {cell.category for cell in found.significant}
    assert found.indirect_bias.tuples == 0
    assert found.indirect_bias.share is None


def test_names_are_grouped_as_planted(found: Any) -> None:
    for group in found.groups:
        assert len({int(name[4:]) % GROUPS for name in group.names}) == 1
        assert set(group.illustrative) <= set(group.names)
        assert group.demographics is None
    assert len(found.left_out_names) == 40  # a fifth
    assert sum(group.size for group in found.groups) == 160


def test_cells_are_those_of_the_literal_version(planted: WordVectors, found: Any) -> None:
    """From the groups and categories of the result, everything is chosen and scored again with loops."""
    index = planted.index
    of = lambda names: unit(planted.matrix[[index[name] for name in names]].astype(np.float64))  # noqa: E731
    means = np.array([of(group.names).mean(axis=0) for group in found.groups])
    tokens = [word for word in planted.words if word.startswith("word")]
    words = of(tokens)
    centres = {}
    for number, category in enumerate(found.categories):
        centres[number] = int(category.centre_words[0][4:]) % CATEGORIES
    by_residue = {residue: number for number, residue in centres.items()}
    labels = np.array([by_residue[int(word[4:]) % CATEGORIES] for word in tokens])
    expected = literal.choose(words, labels, means, 3)
    tested = {(cell.category, cell.group): cell for cell in found.cells if cell.tested}
    assert set(tested) == set(expected)
    for key, (rows, score) in expected.items():
        assert tested[key].words == tuple(tokens[row] for row in rows)
        assert tested[key].score == pytest.approx(score, abs=1e-5)


@pytest.mark.parametrize("voronoi", [True, False])
@pytest.mark.parametrize(("m", "n", "d", "t"), [(4, 3, 10, 3), (1, 2, 2, 1), (9, 12, 20, 4), (30, 5, 7, 3)])
def test_choice_and_indirect_bias_agree_with_loops(m: int, n: int, d: int, t: int, voronoi: bool) -> None:
    rng = np.random.default_rng(m)
    words = unit(rng.standard_normal((300, d)))
    labels = np.sort(rng.integers(0, m, 300))
    starts = np.concatenate([[0], np.cumsum(np.bincount(labels, minlength=m))])
    means = 0.5 * rng.standard_normal(d) + rng.standard_normal((n, d))
    cells = choose_cells(words, starts, means, t, voronoi=voronoi)
    expected = literal.choose(words, labels, means, t, voronoi=voronoi)
    assert set(zip(*np.nonzero(~np.isnan(cells.scores)), strict=True)) == set(expected)
    for key, (rows, score) in expected.items():
        assert cells.words[key].tolist() == rows
        assert cells.scores[key] == pytest.approx(score, abs=1e-12)
    significant = ~np.isnan(cells.scores) & (rng.random((m, n)) < 0.7)
    chosen = {key: rows for key, (rows, _) in expected.items() if significant[key]}
    tokens = [f"w{row}" for row in range(len(words))]
    counted = indirect_bias(words, tokens, cells, significant)
    expected_tuples = literal.indirect(words, chosen)
    assert (counted.tuples, counted.aligned) == (len(expected_tuples), sum(v > 0 for v in expected_tuples.values()))
    listed = {(*p.groups, *p.categories): p for p in counted.strongest}
    strongest = sorted((v for v in expected_tuples.values() if v > 0), reverse=True)
    assert len(strongest) <= MOST_PROXIES
    assert [p.value for p in counted.strongest] == pytest.approx(strongest, abs=1e-12)
    for (a, b, c, d), proxy in listed.items():
        assert proxy.value == pytest.approx(expected_tuples[a, b, c, d], abs=1e-12)
        assert proxy.words[0][0] == tuple(tokens[row] for row in chosen[c, a])
        assert proxy.words[1][1] == tuple(tokens[row] for row in chosen[d, b])


def test_a_cell_with_too_few_words_has_no_test(planted: WordVectors) -> None:
    result = aslant.enumerate_biases(planted, NAMES, **{**SETTINGS, "rotations": 20}, per_cell=60)
    assert result.not_tested
    for cell in result.not_tested:
        assert (cell.words, cell.score, cell.pvalue, cell.significant) == ((), None, 1.0, False)
        assert cell.candidates < 60
    assert len(result.cells) == GROUPS * CATEGORIES


def test_scores_relate_to_the_multi_group_statistic(planted: WordVectors, found: Any) -> None:
    """Σ_i over the cells of one category, Σ_i (X̄_i − μ)·(Ā_i − 𝒜̄), is g (definitions.md §2; Σ_i (X̄_i − μ) = 0)."""
    category = next(c for c in found.ordering if all(cell.tested for cell in found.of_category(c)))
    cells = found.of_category(category)
    g = aslant.generalised_weat(
        planted, [list(group.names) for group in found.groups], [list(cell.words) for cell in cells]
    ).value
    assert sum(cell.score for cell in cells) == pytest.approx(g, abs=1e-6)


def test_the_result_does_not_depend_on_workers(planted: WordVectors, found: Any) -> None:
    for workers in (1, 2, 5):
        again = aslant.enumerate_biases(planted, NAMES, **SETTINGS, workers=workers)
        assert again.to_json() == found.to_json()


def test_another_seed_gives_other_rotations_and_the_seed_is_recorded(planted: WordVectors, found: Any) -> None:
    other = aslant.enumerate_biases(planted, NAMES, **{**SETTINGS, "rng": 4})
    assert [c.exceeding for c in other.cells] != [c.exceeding for c in found.cells]
    assert (other.provenance.seed, found.provenance.seed) == (4, 3)


def test_early_stopping_gives_the_same_verdicts_and_says_what_it_saved(planted: WordVectors) -> None:
    settings = {**SETTINGS, "rotations": 3000}
    full = aslant.enumerate_biases(planted, NAMES, **settings)
    early = aslant.enumerate_biases(planted, NAMES, **settings, precision=0.001)
    assert [c.significant for c in early.cells] == [c.significant for c in full.cells]
    assert [c.words for c in early.cells] == [c.words for c in full.cells]
    assert full.rotations.work == 1
    assert early.rotations.work < 0.8
    assert early.rotations.risk == 0.001
    assert all(0 < c.pvalue <= 1 for c in early.cells)


def test_own_groups_skip_the_clustering_of_names(planted: WordVectors) -> None:
    own = {f"planted {k}": [name for name in NAMES if int(name[4:]) % GROUPS == k] for k in range(GROUPS)}
    result = aslant.enumerate_biases(planted, groups=own, categories=CATEGORIES, rotations=499, chance=0)
    assert [group.label for group in result.groups] == list(own)
    assert [group.size for group in result.groups] == [50] * GROUPS
    assert result.left_out_names == ()
    assert sorted(result.groups[cell.group].label for cell in result.significant) == [
        "planted 0", "planted 1", "planted 2",
    ]  # fmt: skip


def test_provenance_has_the_share_of_names_left_out_only_where_names_were_clustered(
    planted: WordVectors, found: Any
) -> None:
    assert (found.own_groups, found.provenance.settings["left_out"]) == (False, 0.2)
    own = aslant.enumerate_biases(planted, groups={"a": NAMES[:3], "b": NAMES[3:6]}, categories=2, rotations=1)
    assert (own.own_groups, own.provenance.settings["left_out"]) == (True, None)


def test_settings_at_their_limits_are_accepted_and_put_on_record(planted: WordVectors) -> None:
    least: dict[str, Any] = {"categories": 1, "per_cell": 1, "rotations": 1, "words": 1, "left_out": 0}
    result = aslant.enumerate_biases(planted, NAMES, groups=2, alpha=0.999, precision=0.999, **least)
    assert {name: result.provenance.settings[name] for name in least} == least
    assert (result.provenance.settings["alpha"], result.provenance.settings["precision"]) == (0.999, 0.999)
    assert result.left_out_names == ()


def test_own_groups_by_the_name_of_a_class_set() -> None:
    result = aslant.enumerate_biases(
        aslant.load(), groups="religions-four", words=3000, categories=8, rotations=100, chance=0
    )
    assert [group.label for group in result.groups] == ["Christianity", "Islam", "Judaism", "Hinduism"]
    words = {word for cell in result.cells for word in cell.words}
    assert not words & {"christian", "muslim", "jewish", "hindu", "islam"}


def test_names_never_count_among_the_words() -> None:
    """In whatever case: a lower-cased vocabulary has names and words in one case, a cased one has both."""
    listed = ["the", "Grace", "grace", "GRACE", "mary", "new_york", "paris", "Of", ",", "1990s", "über", "北京"]
    kept = [listed[row] for row in frequent_words(listed, {"grace", "mary"}, 99)]
    assert kept == ["the", "new_york", "paris", "1990s", "über", "北京"]
    assert [listed[row] for row in frequent_words(listed, {"grace", "mary"}, 2)] == ["the", "new_york"]
    assert frequent_words(["the", "Ann", "ann", "Paris"], {"Ann"}, 10, lower_case=False) == [0, 2, 3]


def test_case_is_matched_to_the_vocabulary(planted: WordVectors) -> None:
    lower = WordVectors.from_arrays([word.lower() for word in planted.words], planted.matrix, name="planted")
    result = aslant.enumerate_biases(lower, NAMES, **SETTINGS)
    assert len(result.significant) == 3
    assert all(not word.startswith("name") for cell in result.cells for word in cell.words)
    assert result.groups[0].names[0].startswith("Name")  # as asked for


def test_multi_word_tokens_are_words(planted: WordVectors) -> None:
    joined = WordVectors.from_arrays([w.replace("word", "two_words_") for w in planted.words], planted.matrix)
    result = aslant.enumerate_biases(joined, NAMES, **SETTINGS)
    assert all(word.startswith("two_words_") for cell in result.cells for word in cell.words)


def test_missing_names_are_listed(planted: WordVectors) -> None:
    result = aslant.enumerate_biases(planted, [*NAMES, "Nobody"], **SETTINGS)
    assert result.missing == ("Nobody",)


def test_cleaning_drops_what_is_least_like_a_name() -> None:
    rng = np.random.default_rng(0)
    names = rng.standard_normal((50, 8)) * 0.1 + np.eye(8)[0]
    names[:10] = rng.standard_normal((10, 8)) * 0.1 + np.eye(8)[1]  # words in disguise
    others = rng.standard_normal((50, 8)) * 0.1 + np.eye(8)[1]
    kept = keep_by_margin(margins(names.astype(np.float32), others.astype(np.float32), 0), 0.2)
    assert kept.tolist() == [False] * 10 + [True] * 40


def test_illustrative_names_are_chosen_greedily() -> None:
    vectors = unit(np.random.default_rng(0).standard_normal((12, 4)) + 1)
    chosen: list[int] = []
    for _ in range(4):  # the definition, with loops

        def cosine(row: int) -> float:
            mean = vectors[[*chosen, row]].mean(axis=0)
            target = vectors.mean(axis=0)
            return float(mean @ target / np.linalg.norm(mean) / np.linalg.norm(target))

        chosen.append(max((row for row in range(12) if row not in chosen), key=cosine))
    assert illustrative(vectors, 4) == chosen


def test_clusters_are_numbered_by_size() -> None:
    rng = np.random.default_rng(0)
    points = unit(np.repeat(np.eye(3), [5, 20, 10], axis=0) + 0.05 * rng.standard_normal((35, 3))).astype(np.float32)
    labels = cluster(points, 3, seed=1, workers=2)
    assert labels.tolist() == [2] * 5 + [0] * 20 + [1] * 10


def test_demographics_come_from_the_name_tables() -> None:
    result = aslant.enumerate_biases(
        aslant.load(), ["Mary", "Patricia", "Linda", "James", "John", "Robert", "Xyzzy"],
        groups=2, categories=4, words=500, rotations=10, left_out=0, min_names=1, chance=0,
    )  # fmt: skip
    women, men = sorted(result.groups, key=lambda group: group.names[0], reverse=True)
    assert set(women.names) == {"Mary", "Patricia", "Linda"}
    assert women.demographics is not None
    assert men.demographics is not None
    assert women.demographics.share_female == pytest.approx(0.997, abs=0.003)
    assert men.demographics.share_female == pytest.approx(0.004, abs=0.003)
    assert 1940 < (men.demographics.mean_birth_year or 0) < 1980
    assert sum((men.demographics.share_by_race or {}).values()) == pytest.approx(1, abs=0.01)


def test_names_from_files(tmp_path: Path, planted: WordVectors) -> None:
    text, table = tmp_path / "names.txt", tmp_path / "names.csv"
    text.write_text("\n".join(NAMES) + "\n\n")
    table.write_text("rank,name\n" + "".join(f"{i},{name}\n" for i, name in enumerate(NAMES)))
    results = [aslant.enumerate_biases(planted, source, **SETTINGS) for source in (NAMES, text, str(table))]
    assert results[0].cells == results[1].cells == results[2].cells


def test_surnames_are_read_from_the_census_file(real_data: Path, tmp_path: Path) -> None:
    from aslant.stimuli import read_names

    (file,) = (real_data / "census").glob("*.csv")
    with pytest.raises(
        StimuliError, match="line 1024: no name, no count or shares"
    ):  # the copy there is cut in its last line
        read_names(file)
    whole = tmp_path / "surnames.csv"
    whole.write_text("\n".join(file.read_text().splitlines()[:1000]))
    table = read_names(whole)
    assert table.names[:2] == ("Smith", "Johnson")
    assert "McDonald" in table.names
    assert all(sum((f.share_by_race or {}).values()) == pytest.approx(1, abs=0.01) for f in table.facts.values())
    shares = table.facts["garcia"].share_by_race
    assert shares is not None
    assert shares["hispanic"] > 0.9


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"groups": 1}, "groups is 1; give a whole number from 2"),
        ({"groups": 500}, "500 groups need 6,000, 12 for each: request fewer groups"),
        ({"groups": 14}, "has 160 of 200 names that look like names; 14 groups need 168"),
        ({"min_found": 1.5}, "min_found is 1.5"),
        ({"min_names": 0}, "min_names is 0"),
        ({"chance": -1}, "chance is -1"),
        ({"categories": 0}, "categories is 0"),
        ({"categories": 401}, "401 categories need at least as many"),
        ({"per_cell": 0}, "per_cell is 0"),
        ({"rotations": 0}, "rotations is 0"),
        ({"alpha": 1.5}, "alpha is 1.5"),
        ({"left_out": 1.0}, "left_out is 1.0"),
        ({"precision": 0.0}, "precision is 0.0"),
        ({"alpha": "0.05"}, "alpha is '0.05'"),
        ({"left_out": None}, "left_out is None"),
        ({"workers": 0}, "workers is 0"),
        ({"words": True}, "words is True"),
        ({"groups": {"a": ["Name1"]}, "names": None}, "only 1 group given"),
        ({"groups": {"a": ["Name1"], "b": ["Name2"]}}, "both names and groups were given"),
        ({"groups": {"a": ["Name1"], "b": ["nowhere"]}, "names": None}, "0 words of 'b'"),
        ({"groups": {"a": ["Name1"], "b": ["Name1"]}, "names": None}, "must be in only one of the two sets"),
        ({"names": 3}, "names=3 are not names"),
        ({"names": [""]}, "is not a word"),
    ],
)
def test_bad_input_is_one_clear_sentence(planted: WordVectors, settings: dict[str, Any], message: str) -> None:
    given = {"names": NAMES, **SETTINGS, **settings}
    with pytest.raises(MeasureError, match=message):
        aslant.enumerate_biases(planted, given.pop("names"), **given)


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("Mary\nJohn\nAnn\n", ("Mary", "John", "Ann")),
        ("Name\nMary\n", ("Mary",)),
        ("n;name\n1;Mary\n2;Ann\n", ("Mary", "Ann")),
        ("\ufeffname,n\nMary,1\n", ("Mary",)),
    ],
)
def test_tables_of_names_lose_none(tmp_path: Path, content: str, names: tuple[str, ...]) -> None:
    from aslant.stimuli import read_names

    file = tmp_path / "names.csv"
    file.write_text(content, encoding="utf-8")
    assert read_names(file).names == names


def test_a_table_without_a_column_of_names_is_refused(tmp_path: Path) -> None:
    from aslant.stimuli import read_names

    file = tmp_path / "names.csv"
    file.write_text("id,first\n1,Mary\n")
    with pytest.raises(StimuliError, match="has no column 'name' but 'id', 'first'"):
        read_names(file)


def test_damaged_clusters_in_a_journal_are_made_anew(tmp_path: Path, planted: WordVectors, found: Any) -> None:
    aslant.enumerate_biases(planted, NAMES, **SETTINGS, journal=tmp_path)
    for file in tmp_path.iterdir():
        file.write_bytes(b"damaged")
    assert aslant.enumerate_biases(planted, NAMES, **SETTINGS, journal=tmp_path).cells == found.cells


def test_files_without_names_are_refused(tmp_path: Path, planted: WordVectors) -> None:
    empty, binary = tmp_path / "empty.txt", tmp_path / "binary.txt"
    empty.write_text("\n\n")
    binary.write_bytes(b"\xff\xfe\x00")
    for path, message in (
        (empty, "has no names"),
        (binary, "is not UTF-8 text"),
        (tmp_path / "no.txt", "there is no file"),
    ):
        with pytest.raises(StimuliError, match=message):
            aslant.enumerate_biases(planted, path, **SETTINGS)
    with pytest.raises(AslantError, match="needed here: names"):
        aslant.enumerate_biases(planted, "gap", **SETTINGS)


def test_a_journal_that_cannot_be_written_only_warns(tmp_path: Path, planted: WordVectors, found: Any) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.warns(UserWarning, match="finished work is not kept"):
        result = aslant.enumerate_biases(planted, NAMES, **SETTINGS, journal=blocked / "inside")
    assert result.cells == found.cells


def test_a_killed_command_resumes_and_ends_bit_identical(
    tmp_path: Path, run: Callable[..., subprocess.CompletedProcess[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """SIGKILL in the midst of the rotations, twice; then the result of one run that was left alone."""
    arguments = [
        "enumerate", "--groups", "gender-binary", "--words", "500", "--categories", "4", "--rotations", "4000", "-q",
    ]  # fmt: skip
    # It waits for the kill once a block is kept, so that this falls between two of them on any machine.
    code = (
        "import time; from aslant.cli import main; from aslant.statistics import rotation as r; "
        "r.SECONDS_BETWEEN_KEEPING = 0; keep = r._Run._keep; "
        "r._Run._keep = lambda self: (keep(self), time.sleep(600)); main()"
    )

    def left_alone(cache: str) -> Any:
        monkeypatch.setenv("ASLANT_CACHE", str(tmp_path / cache))
        assert run(*arguments, "--json", "result.json").returncode == 0
        return json.loads((tmp_path / "result.json").read_text())

    def blocks() -> int:
        folder = tmp_path / "killed" / "enumeration"
        keys = [name.partition("/")[0] for name in Keeper(folder).under("rotations-")] if folder.exists() else []
        kept = Journal(folder).recall(keys[0]) if keys else None
        return int(kept["blocks"]) if kept else 0

    monkeypatch.setenv("ASLANT_CACHE", str(tmp_path / "killed"))
    for _ in range(2):
        before = blocks()
        running = subprocess.Popen([sys.executable, "-c", code, *arguments, "--json", "result.json"], cwd=tmp_path)
        while blocks() <= before:
            assert running.poll() is None
            time.sleep(0.01)
        running.send_signal(signal.SIGKILL)
        running.wait()
        assert before < blocks() < 4000 // 192
    assert left_alone("killed") == left_alone("quiet")


def test_tests_are_ordered_by_the_total_score_of_their_significant_cells(planted: WordVectors) -> None:
    """Many cells that are not significant must not move a test up."""
    result = aslant.enumerate_biases(planted, NAMES, **{**SETTINGS, "per_cell": 1})
    totals = [sum(c.score for c in result.of_category(j) if c.significant) for j in result.ordering]
    assert totals == sorted(totals, reverse=True)
    of_all = [sum(c.score or 0 for c in result.of_category(j)) for j in result.ordering]
    assert of_all != sorted(of_all, reverse=True)  # the two orders differ here


def test_cleaning_tells_names_from_words_of_any_case(planted: WordVectors, monkeypatch: pytest.MonkeyPatch) -> None:
    from aslant.measures.enumeration import steps as enumeration_groups

    seen: list[int] = []
    real = enumeration_groups.margins

    def watched(names: Any, others: Any, seed: int, **settings: Any) -> Any:
        seen.append(len(others))
        return real(names, others, seed, **settings)

    monkeypatch.setattr(enumeration_groups, "margins", watched)
    few = [w.replace("word", "Word") if w.startswith("word") and int(w[4:]) >= 150 else w for w in planted.words]
    vectors = WordVectors.from_arrays(few, planted.matrix)
    aslant.enumerate_biases(vectors, NAMES, **{**SETTINGS, "rotations": 5})
    assert seen == [200]  # as many as names, though only 150 words are in lower case


def test_rows_give_every_cell_in_the_order_of_the_tests(found: Any) -> None:
    rows = found.rows()
    assert len(rows) == GROUPS * CATEGORIES
    assert [row["rank"] for row in rows] == sorted(row["rank"] for row in rows)
    assert rows[0]["category"] == found.categories[found.ordering[0]].label
