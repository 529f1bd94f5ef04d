"""Any measure over time: the numbers of the measure itself, planted trends, trainings, chance, and open word lists."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import aslant
from aslant.catalogue import histories
from aslant.errors import AslantError, MeasureError
from aslant.measures.histories.measure import another_training
from aslant.measures.histories.result import HistoryResult
from aslant.measures.histories.show import history_chart, history_table
from aslant.measures.histories.sources import dated, files_by_year
from aslant.report.tables import Table

X, Y = [f"x{c}" for c in "abcdef"], [f"y{c}" for c in "abcdef"]
A, B = [f"a{c}" for c in "abcdef"], [f"b{c}" for c in "abcdef"]
OTHERS = [f"w{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(300)]
SETS: dict[str, Any] = {"targets": {"X": X, "Y": Y}, "attributes": {"A": A, "B": B}}


def year(lean: float, seed: int, leave_out: Sequence[str] = ()) -> aslant.WordVectors:
    """X and A lean one way along the first axis, Y and B the other; the other words lean nowhere."""
    random = np.random.default_rng(seed)
    words = [*X, *Y, *A, *B, *OTHERS]
    matrix = random.normal(size=(len(words), 12))
    matrix[:24, 0] += lean * np.repeat([1, -1, 1, -1], 6)
    order = random.permutation(len(words)).tolist()
    kept = [row for row in order if words[row] not in leave_out]
    return aslant.WordVectors.from_arrays([words[row] for row in kept], matrix[kept], name=f"v{seed}")


def rising(runs: int = 3, years: int = 7, step: float = 0.5) -> dict[int, list[aslant.WordVectors]]:
    return {1900 + 10 * i: [year(step * i, 10 * i + r) for r in range(runs)] for i in range(years)}


def text_of(result: HistoryResult) -> str:
    table: Table = history_table(result)
    return "\n".join(table.notes)


ASKED: dict[str, dict[str, Any]] = {
    "weat": {"test": "weat-6"},
    "polarity": {"classes": "gender-binary", "words": "bold-professions"},
    "direct-bias": {},
}


@pytest.mark.parametrize("name", list(histories()))
def test_the_score_of_a_period_is_that_of_the_measure_itself(name: str) -> None:
    v = aslant.load(top=30_000)
    asked = ASKED.get(name, {"test": "weat-6"})
    t = aslant.trend({1990: v, 2000: v}, name, chance=20, **asked)
    alone = getattr(aslant, name.replace("-", "_"))(v, *asked.values(), chance=20)
    value = next(getattr(alone, field) for field in ("value", "score", "effect_size") if hasattr(alone, field))
    assert [p.score for p in t.points] == pytest.approx([value, value], rel=1e-5)


@pytest.mark.parametrize("name", ["weat", "relative-norm", "polarity", "direct-bias", "ect", "mac"])
def test_chance_of_a_period_agrees_with_that_of_the_measure(name: str) -> None:
    v = aslant.load(top=30_000)
    asked = ASKED.get(name, {"test": "weat-6"})
    point = aslant.trend({1990: v, 2000: v}, name, chance=800, **asked).points[0]
    alone = getattr(aslant, name.replace("-", "_"))(v, *asked.values(), chance=800)
    assert point.chance is not None
    assert point.chance.mean == pytest.approx(alone.chance.mean, abs=5 * alone.chance.sd / np.sqrt(800) * 1.5)
    assert point.chance.sd == pytest.approx(alone.chance.sd, rel=0.25)


def test_a_planted_trend_is_found_beyond_that_of_random_words() -> None:
    t = aslant.trend(rising(), "weat", chance=200, **SETS)
    assert t.test is not None
    scores = [p.score for p in t.points]
    assert scores == [pytest.approx(np.mean(p.trainings)) for p in t.points]
    peer = stats.kendalltau(range(7), scores, method="exact")
    assert (t.test.kendall, t.test.kendall_pvalue) == (pytest.approx(peer.statistic), pytest.approx(peer.pvalue))
    assert t.test.direction == "up"
    assert t.test.chance is not None
    assert t.test.chance.pvalue < 0.05
    assert t.points[-1].chance is not None
    assert t.points[-1].chance.pvalue < 0.05 < t.points[0].chance.pvalue
    assert t.tau_range is not None
    assert t.tau_range[0] <= t.test.kendall <= 1


def test_without_an_effect_trends_and_scores_are_rarely_beyond_chance() -> None:
    found, beyond = 0, 0
    for seed in range(40):
        series = {1900 + 10 * i: year(0.0, 1000 + 10 * seed + i) for i in range(6)}
        t = aslant.trend(series, "weat", chance=60, rng=seed, **SETS)
        assert t.test is not None
        assert t.test.chance is not None
        found += t.test.chance.pvalue <= 0.05
        beyond += sum(p.chance is not None and p.chance.pvalue <= 0.05 for p in t.points)
    assert found <= 7
    assert beyond <= 26  # of 240


def test_another_training_falls_into_the_interval_as_often_as_promised() -> None:
    random = np.random.default_rng(0)
    draws = random.normal(size=(2000, 5))
    inside = 0
    for row in draws:
        low, high = another_training(row[:4].tolist(), 0.95)
        assert low is not None
        assert high is not None
        inside += low <= row[4] <= high
    assert 0.93 <= inside / 2000 <= 0.97
    assert another_training([1.0], 0.95) == (None, None)


def test_one_training_is_said_to_be_one_draw() -> None:
    t = aslant.trend({y: runs[0] for y, runs in rising().items()}, "weat", chance=0, **SETS)
    assert {p.low for p in t.points} == {None}
    assert t.tau_range is None
    assert "one draw" in text_of(t)
    several = text_of(aslant.trend(rising(years=4), "weat", chance=50, **SETS))
    assert "another training" in several
    assert "p cannot be below" in several


def test_chance_of_a_trend_says_whether_the_last_vocabulary_is_in_order_of_frequency() -> None:
    series = {y: runs[0] for y, runs in rising(years=4).items()}
    v = series[1930]
    rows = sorted(range(len(v)), key=lambda row: v.words[row])
    ordered = aslant.WordVectors.from_arrays([v.words[row] for row in rows], v.matrix[rows])
    assert (v.by_frequency, ordered.by_frequency) == (True, False)
    for last, kind in ((v, "matched words"), (ordered, "matched words, any frequency")):
        t = aslant.trend({**series, 1930: last}, "weat", chance=50, **SETS)
        assert t.test is not None
        assert t.test.chance is not None
        assert t.test.chance.kind == kind


def test_words_that_are_found_in_another_spelling_have_the_same_chance_of_a_trend() -> None:
    series = {y: runs[0] for y, runs in rising(years=4).items()}
    attributes = {name: [word.title() for word in words] for name, words in SETS["attributes"].items()}
    written = {**SETS, "attributes": attributes}
    as_listed, capitals = (aslant.trend(series, "weat", chance=50, **sets) for sets in (SETS, written))
    assert as_listed.test is not None
    assert capitals.test is not None
    assert as_listed.test.chance == capitals.test.chance is not None


def test_words_are_those_that_every_year_has_unless_asked() -> None:
    series = {1900: year(1, 0, X[:2]), 1910: year(1, 1, A[:1]), 1920: year(1, 2)}
    t = aslant.trend(series, "weat", chance=20, **SETS)
    assert [p.words for p in t.points] == [21, 21, 21]
    assert [p.found for p in t.points] == [22, 23, 24]
    assert set(t.missing) == {*X[:2], A[0]}
    anyway = aslant.trend(series, "weat", chance=20, any_words=True, **SETS)
    assert [p.words for p in anyway.points] == [22, 23, 24]
    assert "differ from year to year" in text_of(anyway)
    last = aslant.trend({1900: series[1920], 1910: series[1910]}, "weat", chance=20, any_words=True, **SETS)
    assert [p.words for p in last.points] == [24, 23]
    # Pairs go together
    paired = aslant.trend(series, "ripa", chance=20, **SETS)
    assert [p.words for p in paired.points] == [19, 19, 19]


def test_a_year_without_a_set_is_left_out_and_bad_input_is_one_sentence() -> None:
    t = aslant.trend({1900: year(1, 0), 1910: year(1, 1, X), 1920: year(1, 2)}, "weat", chance=0, **SETS)
    assert t.years_left_out == {1910: "no word of 'X'"}
    with pytest.raises(MeasureError, match="two are needed"):
        aslant.trend({1900: year(1, 0)}, "weat", **SETS)
    with pytest.raises(MeasureError, match="choose one of polarity, weat"):
        aslant.trend({1900: year(1, 0)}, "wheat", **SETS)
    with pytest.raises(MeasureError, match="classes is not for the measure weat; it takes test, targets"):
        aslant.trend({1900: year(1, 0)}, "weat", classes="gender-binary")
    with pytest.raises(MeasureError, match="no words that every year has"):
        aslant.trend({1900: year(1, 0, X[:3]), 1910: year(1, 1, X[3:])}, "weat", **SETS)
    with pytest.raises(MeasureError, match="no year in its name"):
        aslant.trend({"early": year(1, 0)}, "weat", **SETS)
    with pytest.raises(MeasureError, match="not embeddings by year"):
        aslant.trend(5, "weat", **SETS)


def test_the_same_seed_gives_the_same_result_and_json_comes_back() -> None:
    series = rising(2, 4)
    first, again = (aslant.trend(series, "same", chance=30, rng=3, **SETS) for _ in range(2))
    assert first == again
    assert HistoryResult.from_dict(json.loads(first.to_json())) == first
    assert [row["trainings"] for row in first.rows()] == [2, 2, 2, 2]


def test_a_folder_is_read_by_year_and_training_with_its_tokens(tmp_path: Path) -> None:
    for y, runs in rising(2, 4).items():
        for number, v in enumerate(runs, 1):
            v.save(tmp_path / (f"{y}.safetensors" if number == 1 else f"{y}.run-{number}.safetensors"))
    record = {"periods": [{"period": str(y), "tokens": y} for y in range(1900, 1940, 10)]}
    (tmp_path / "training.json").write_text(json.dumps(record), encoding="utf-8")
    (tmp_path / "1900-notes.md").write_text("not vectors", encoding="utf-8")
    t = aslant.trend(tmp_path, "weat", chance=20, **SETS)
    assert [(p.year, len(p.trainings), p.tokens) for p in t.points] == [
        (1900, 2, 1900), (1910, 2, 1910), (1920, 2, 1920), (1930, 2, 1930)
    ]  # fmt: skip
    assert t.points[0].score == pytest.approx(aslant.trend(rising(2, 4), "weat", chance=0, **SETS).points[0].score)
    assert "<svg" in history_chart(t)
    (tmp_path / "copy-1900.safetensors").write_bytes((tmp_path / "1900.safetensors").read_bytes())
    with pytest.raises(AslantError, match=r"the year 1900 is in two names.*1900\.run-2"):
        files_by_year([tmp_path])


def test_broken_records_of_a_training_are_passed_over(tmp_path: Path) -> None:
    year(1, 0).save(tmp_path / "1900.safetensors")
    for content in ("{", "[]", '{"periods": 3}', '{"periods": [{"period": "1900"}]}'):
        (tmp_path / "training.json").write_text(content, encoding="utf-8")
        assert dated(tmp_path)[1900].tokens is None
