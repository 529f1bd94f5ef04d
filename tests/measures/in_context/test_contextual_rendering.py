"""Bias in context for people: every measure with chance beside it, what is missing named, charts drawn."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

import aslant
from aslant.errors import AslantError
from aslant.measures.in_context.result import ContextualBiasResult
from aslant.measures.in_context.show import (
    biased_picture,
    contextual_chart,
    contextual_table,
    contextual_tables,
    professions_picture,
    swapped_picture,
)
from aslant.report.charts import svg
from aslant.results.parts import Spread
from planted_text import planted


@pytest.fixture(scope="module")
def result() -> ContextualBiasResult:
    made = planted(leaning=1.5, words=250)
    return aslant.contextual_bias(
        made.encoder, made.corpus, original=made.original, repeats=2, swaps=4, random_pairs=20, chance=0, picture="pca",
        compare={"static": made.original},
    )  # fmt: skip


def test_the_notes_say_what_was_used_and_what_is_lacking(result: ContextualBiasResult) -> None:
    notes = "\n".join(contextual_table(result).notes)
    assert "(requested: 500) words per side" in notes
    assert "not in the corpus, 264 professions: " in notes
    assert "and 252 more (the JSON lists all)" in notes
    assert "most female: " in notes
    assert len(notes) < 3_000


def test_columns_of_spaces_stand_side_by_side_only_where_there_are_several(result: ContextualBiasResult) -> None:
    assert [column.title for column in contextual_tables(result)[1].columns] == ["measure", "static", "contextual"]
    alone = dataclasses.replace(result, compared=())
    assert len(contextual_tables(alone)) == 1
    assert "space" not in [column.key for column in contextual_table(alone).columns]
    assert len(alone.rows()) == 7


def test_an_escape_in_a_corpus_name_cannot_steer_a_terminal(result: ContextualBiasResult) -> None:
    from aslant.report.tables import to_rich

    corpus = dataclasses.replace(result.corpus, name="text\x1b[31m")
    assert "\x1b" not in str(to_rich(contextual_table(dataclasses.replace(result, corpus=corpus))).title)


def test_charts_show_random_words_clusters_and_professions(result: ContextualBiasResult) -> None:
    drawn = contextual_chart(result)
    for text in ("random words", "cluster 2", "original bias", "56 professions (PCA)"):
        assert text in drawn
    strongest = max(result.picture.points, key=lambda point: abs(point.bias)) if result.picture else None
    assert strongest is not None
    assert strongest.word in svg(professions_picture(result))


def bars(result: ContextualBiasResult) -> list[dict[str, Any]]:
    """Return what the chart of variance is drawn from."""
    drawn = swapped_picture(result).to_dict()
    (values,) = drawn["datasets"].values()
    return list(values)


def test_random_words_by_themselves_stand_beside_those_that_were_swapped(result: ContextualBiasResult) -> None:
    shares = (Spread(0.125, 0.1, 0.15, 2), Spread(0.05, 0.05, 0.05, 2))
    both = dataclasses.replace(result, subspace=dataclasses.replace(result.subspace, random_words=shares))
    values = bars(both)
    by_series = {name: [v["share"] for v in values if v["series"] == name] for name in {v["series"] for v in values}}
    assert set(by_series) == {"pairs", "random words, swapped", "random words"}
    assert by_series["random words"] == [0.125, 0.05]
    assert by_series["pairs"] == [spread.mean for spread in result.subspace.explained]
    assert "the first component has 0.125 of their variance (0.100 to 0.150)." in "\n".join(
        contextual_table(both).notes
    )
    alone = {v["series"] for v in bars(result)}
    assert alone == {"pairs", "random words"}


def test_the_notes_say_how_small_the_correlations_own_p_values_are(result: ContextualBiasResult) -> None:
    m = result.measures
    assert m.neighbours.largest_pvalue is not None
    assert m.neighbours_within.largest_pvalue is not None
    said = (
        f"at most {m.neighbours.largest_pvalue:.1e} (all neighbours), {m.neighbours_within.largest_pvalue:.1e} (among"
    )
    assert said in "\n".join(contextual_table(result).notes)


def test_without_a_picture_the_bars_are_drawn_alone(result: ContextualBiasResult) -> None:
    bare = dataclasses.replace(result, clusters=None, picture=None)
    assert "random words" in contextual_chart(bare)
    with pytest.raises(AslantError, match="has no picture"):
        biased_picture(bare)
    with pytest.raises(AslantError, match="has no picture"):
        professions_picture(bare)


def test_rows_say_how_many_repeats_there_were_and_extremes_lean_to_their_side(result: ContextualBiasResult) -> None:
    assert {row["repeats"] for row in result.rows() if row["space"] == "contextual"} == {2}
    first, second = result.extremes(3)
    assert len(first) == len(second) == 3
    for side, sign in zip(result.extremes(len(result.professions)), (1, -1), strict=True):  # nobody is on both
        assert all(sign * word.projection.mean > 0 for word in side)
    assert first[0].projection.mean == max(word.projection.mean for word in result.professions)
