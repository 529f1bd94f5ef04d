"""Bias in context for people: every measure with chance beside it, what is missing named, charts drawn."""

from __future__ import annotations

import dataclasses

import pytest

import slant
from planted_text import planted
from slant.errors import SlantError
from slant.report.charts import svg
from slant.report.contextual import contextual_table, contextual_tables
from slant.report.contextual_charts import contextual_chart, professions_picture
from slant.results import ContextualBiasResult


@pytest.fixture(scope="module")
def result() -> ContextualBiasResult:
    made = planted(leaning=1.5, words=250)
    return slant.contextual_bias(
        made.encoder, made.corpus, original=made.original, repeats=2, swaps=4, random_pairs=20, picture="pca",
        compare={"static": made.original},
    )  # fmt: skip


def test_the_notes_say_what_was_used_and_what_is_lacking(result: ContextualBiasResult) -> None:
    notes = "\n".join(contextual_table(result).notes)
    assert "(asked: 500) words a side" in notes
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
    from slant.report.tables import to_rich

    corpus = dataclasses.replace(result.corpus, name="text\x1b[31m")
    assert "\x1b" not in str(to_rich(contextual_table(dataclasses.replace(result, corpus=corpus))).title)


def test_charts_show_random_words_clusters_and_professions(result: ContextualBiasResult) -> None:
    drawn = contextual_chart(result)
    for text in ("random words", "cluster 2", "original bias", "56 professions (PCA)"):
        assert text in drawn
    strongest = max(result.picture.points, key=lambda point: abs(point.bias)) if result.picture else None
    assert strongest is not None
    assert strongest.word in svg(professions_picture(result))


def test_without_a_picture_the_bars_are_drawn_alone(result: ContextualBiasResult) -> None:
    bare = dataclasses.replace(result, clusters=None, picture=None)
    assert "random words" in contextual_chart(bare)
    with pytest.raises(SlantError, match="has no picture"):
        professions_picture(bare)
