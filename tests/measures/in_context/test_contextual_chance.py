"""What chance gives bias in context: random poles find what the poles find, unless the encoder knows the poles only."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import aslant
from aslant.measures.in_context.chance import Leans, beside_poles, sampled
from aslant.measures.in_context.result import RepeatedMeasure, SpaceMeasures
from aslant.measures.in_context.show import contextual_table, glance, measures_picture
from aslant.measures.residuals.separation import classification_accuracy
from aslant.statistics import clustering_accuracy, two_clusters, unit_rows
from planted_text import planted

EMPTY = SpaceMeasures(*[RepeatedMeasure(None, (), None, None)] * 7)
N, JOBS, DRAWS = 100, 20, 19


def beside(strength: float) -> tuple[SpaceMeasures, Leans, np.ndarray, np.ndarray]:
    """Measure made-up words that lean along the poles in context, with a strength, and along nothing else."""
    random = np.random.default_rng(3)
    leans = Leans(random.normal(size=(N, DRAWS + 1)), random.normal(size=(JOBS, DRAWS + 1)))
    words, jobs = (
        unit_rows(random.normal(size=(len(own), 12)) + strength * np.outer(own[:, 0], np.eye(12)[0]))
        for own in (leans.words, leans.professions)
    )
    own = np.full(JOBS, -1, dtype=np.intp)
    found = beside_poles(EMPTY, leans, words, jobs, own, 10, "scale", np.random.default_rng(0))
    return found, leans, words, jobs


def test_poles_that_an_encoder_knows_stand_out_from_random_poles_and_others_do_not() -> None:
    known, unknown = beside(4.0)[0], beside(0.0)[0]
    for name in ("clustering", "classification", "neighbours"):
        there, absent = getattr(known, name), getattr(unknown, name)
        assert there.beside.pvalue == pytest.approx(1 / (DRAWS + 1)), name
        assert there.sampled > there.beside.high
        assert absent.beside.pvalue > 0.05, name
    assert known.share_of_variance is EMPTY.share_of_variance


def test_each_draw_is_what_a_slow_loop_gives_for_its_poles() -> None:
    found, leans, words, jobs = beside(1.0)
    seeds = np.random.default_rng(0).integers(2**63, size=DRAWS + 1)
    clusters, classes, correlations = [], [], []
    for draw in range(DRAWS + 1):
        order = sorted(range(N), key=lambda i: -leans.words[i, draw])
        rows, labels = words[order[:10] + order[-10:][::-1]], np.repeat([True, False], 10)
        clusters.append(clustering_accuracy(two_clusters(rows, np.random.default_rng(seeds[draw])), labels))
        classes.append(classification_accuracy(rows, labels, 4, np.random.default_rng(seeds[draw])))
        shares = [
            np.mean([i in order[: N // 2] for i in sorted(range(N), key=lambda i: -words[i] @ job)[:10]])
            for job in jobs
        ]
        correlations.append(np.corrcoef(shares, leans.professions[:, draw])[0, 1])
    for measure, values in zip(
        (found.clustering, found.classification, found.neighbours), (clusters, classes, correlations), strict=True
    ):
        assert measure.beside is not None
        assert measure.sampled == pytest.approx(values[0])
        assert measure.beside.mean == pytest.approx(np.mean(values[1:]))
        assert measure.beside.pvalue == (1 + sum(v >= values[0] - 1e-9 for v in values[1:])) / (DRAWS + 1)


def test_a_sample_is_all_of_few_candidates_and_nothing_without_draws() -> None:
    random = np.random.default_rng(0)
    assert sampled(30, 9, random) == list(range(30))
    assert len(set(sampled(5_000, 9, random))) == 1_000
    assert sampled(30, 0, random) == []


def test_an_audit_grades_by_chance_and_every_form_has_it() -> None:
    made = planted(leaning=1.5, words=250)
    r = aslant.contextual_bias(
        made.encoder, made.corpus, original=made.original, repeats=2, swaps=4, random_pairs=40, picture="none",
        chance=9, top=25, classified=25,
    )  # fmt: skip
    lines = {line.stimuli: line for line in glance(r, lambda name: "gender")}
    assert all("(by chance: " in line.sentence for line in lines.values())
    bare = replace(r, measures=replace(r.measures, clustering=replace(r.measures.clustering, chance=None)))
    without = {line.stimuli: line.sentence for line in glance(bare, lambda name: "gender")}
    assert [name for name, sentence in without.items() if "by chance" not in sentence] == ["clustering"]
    none = replace(r, measures=replace(r.measures, direct_bias=replace(r.measures.direct_bias, over=None)))
    left = [line.stimuli for line in glance(none, lambda name: "gender")]
    assert left == ["share of variance", "clustering", "classification", "neighbours"]
    assert [name for name, line in lines.items() if line.chance is None] == []
    assert lines["share of variance"].evidence == "some"
    assert r.measures.clustering.pvalue == 1 / 1000  # sides are not exchangeable, yet random poles do as well:
    assert lines["clustering"].evidence == "none"
    assert any(note.startswith("p (chance): ") and "9 draws" in note for note in contextual_table(r).notes)
    assert r.rows()[2]["random_pvalue"] == r.measures.clustering.beside.pvalue
    drawn = measures_picture(r).to_dict()["datasets"].values()
    banded = [row["label"] for rows in drawn for row in rows if row.get("chance low") is not None]
    assert len(banded) == 5
    assert "clustering, accuracy (random words of the corpus)" in banded
    assert type(r).from_dict(r.to_dict()) == r
