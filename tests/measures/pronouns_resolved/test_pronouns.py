"""Gendered pronoun resolution: a planted gap is found, its absence is not, and nothing is lost when a run is killed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, log_loss

import aslant
from aslant.errors import MeasureError
from aslant.measures.pronouns_resolved import predictions, statistics
from aslant.measures.pronouns_resolved.gap_files import LABELS, GapSample
from aslant.measures.pronouns_resolved.predictions import features, plan
from aslant.measures.pronouns_resolved.result import PronounResolutionResult
from aslant.measures.pronouns_resolved.settings import PronounSettings
from aslant.measures.pronouns_resolved.statistics import Topics, by_gender, log_losses, topic_biases
from aslant.models.classifier import Classifier
from fake_encoder import FakeEncoder
from fake_lm import FakeMaskedLM
from gap_like import TABLE, TOPICS, as_tsv, encoder, gap_like

QUICK = Classifier(units=8, dropout=0.2, l2=0.01, learning_rate=0.01, epochs=15, patience=5)
UNEQUAL = {"male": 0.15, "female": 0.55}


def resolve(samples: Any, **settings: Any) -> PronounResolutionResult:
    chosen = {
        "classifier": QUICK, "seeds": 1, "topics": 3, "top_words": 3, "bootstrap": 200, "n_resamples": 999, **settings,
    }  # fmt: skip
    return aslant.pronoun_resolution(chosen.pop("encoder", encoder()), samples, **chosen)


@pytest.fixture(scope="module")
def planted() -> PronounResolutionResult:
    return resolve(gap_like(240, UNEQUAL), lm=FakeMaskedLM(TABLE), seeds=2)


def test_a_planted_gender_gap_is_found(planted: PronounResolutionResult) -> None:
    assert planted.label_gap > 0.25
    assert planted.gap.difference > 0.2
    assert planted.gap.pvalue < 0.01
    assert planted.gap.interval is not None
    assert planted.gap.interval.low > 0
    assert planted.gap_by_seed.minimum > 0.2
    assert planted.accuracy.mean > 0.8


@pytest.mark.parametrize("seed", range(2))
def test_no_gap_is_found_where_none_is_planted(seed: int) -> None:
    samples = gap_like(180, seed=seed)
    result = resolve(samples, rng=seed)
    assert result.gap.pvalue > 0.05
    assert result.beyond_labels.pvalue > 0.05
    assert result.gap.interval is not None
    assert result.gap.interval.low < 0 < result.gap.interval.high


def test_what_a_classifier_learnt_elsewhere_is_a_gap_beyond_the_labels() -> None:
    blind = FakeEncoder(16, noise=0.1)  # the pronoun is all that it tells
    unequal = gap_like(180, {"male": 0.0, "female": 0.9}, seed=1, prefix="t")
    result = resolve(gap_like(120), train=unequal, encoder=blind)
    assert abs(result.label_gap) < 0.01
    assert result.gap.difference > 0.2
    assert result.beyond_labels.difference == pytest.approx(result.gap.difference - result.label_gap)
    assert result.beyond_labels.pvalue < 0.01


def test_numbers_are_those_of_the_samples_that_are_listed(planted: PronounResolutionResult) -> None:
    for outcome in planted.outcomes:
        own = [s for s in planted.samples if s.gender == outcome.gender]
        p = np.array([(s.p_a, s.p_b, s.p_neither) for s in own])
        labels = [s.label for s in own]
        assert outcome.accuracy == accuracy_score(labels, np.array(LABELS)[p.argmax(axis=1)])
        assert outcome.log_loss == pytest.approx(log_loss(labels, p, labels=list(LABELS)))
        assert (outcome.n, outcome.neither) == (120, labels.count("neither"))
        assert outcome.predicted == pytest.approx(p[:, 2].mean())
        assert sum(b.n for b in outcome.calibration) == outcome.n
        assert 0 <= outcome.calibration_error < 0.2
    assert [row["id"] for row in planted.sample_rows()] == [f"s{n}" for n in range(240)]


def test_topics_that_lean_to_men_have_a_bias_above_zero(planted: PronounResolutionResult) -> None:
    by_words = {frozenset(word.word for word in topic.words): topic for topic in planted.topics}
    male, female, _ = (by_words[frozenset(words)] for words in TOPICS)
    assert male.bias is not None
    assert female.bias is not None
    assert male.bias > 0 > female.bias
    for topic in (male, female):
        assert topic.bias == pytest.approx(sum(w.weight * (w.score or 0) for w in topic.words))
        assert topic.mean_score == pytest.approx(topic.bias / sum(w.weight for w in topic.words))
    assert male.mean_score == pytest.approx(np.log(4), rel=1e-6)
    assert {s.bias > 0 for s in planted.samples if s.topic == male.number and s.bias is not None} == {True}


def test_a_planted_correlation_with_topics_is_found_for_the_gender_that_has_it() -> None:
    shares = {
        "male": (0.4, 0.4, 0.4),
        "female": (0.75, 0.05, 0.4),
    }  # women are "neither" where men's topics are talked about
    result = resolve(gap_like(240, by_topic=shares), lm=FakeMaskedLM(TABLE))
    found = {c.gender: c for c in result.correlations}
    assert found["female"].rho > 0.3
    assert found["female"].pvalue < 0.01
    assert found["female"].interval is not None
    assert found["female"].interval.low > 0
    assert abs(found["male"].rho) < found["female"].rho / 2


def test_without_a_language_model_topics_have_no_bias_and_the_reason_is_said() -> None:
    result = resolve(gap_like(60))
    assert (result.language_model, result.correlations) == (None, ())
    assert {topic.bias for topic in result.topics} == {None} == {sample.bias for sample in result.samples}
    assert result.without_bias == "no language model was given"
    assert {word for topic in result.topics for word in (w.word for w in topic.words)} == set(sum(TOPICS, ()))


class Choosy(FakeMaskedLM):
    def unplaceable(self, sentences: Sequence[Any]) -> dict[int, str]:
        return {i: f"'{s.attribute}' is unknown" for i, s in enumerate(sentences) if s.attribute in self.unknown}


def test_words_that_the_model_cannot_place_are_listed_and_add_nothing() -> None:
    result = resolve(gap_like(60), lm=Choosy(TABLE, unknown=["goals"]))
    assert result.missing == ("goals",)
    assert any("goals" in note for note in result.notes)
    words = {word.word: word for topic in result.topics for word in topic.words}
    assert words["goals"].score is None
    none = resolve(gap_like(60), lm=Choosy(TABLE, unknown=sum(TOPICS, ())))
    assert (none.correlations, none.topics[0].bias) == ((), None)
    assert "can place no word" in none.without_bias


def test_a_sample_without_a_finite_vector_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    samples, vectors = gap_like(60)[:3], np.zeros((9, 64), np.float32)
    monkeypatch.setattr(predictions, "vectors_of", lambda *given, **options: vectors)
    assert features(FakeEncoder(), samples, None, None).shape == (3, 192)
    for row, sample in ((0, samples[0]), (5, samples[1]), (6, samples[2])):
        vectors[:] = 0
        vectors[row, 7] = np.inf
        with pytest.raises(MeasureError, match=f"no finite vector for sample '{sample.id}'"):
            features(FakeEncoder(), samples, None, None)


def test_a_sample_that_several_classifiers_predict_has_the_mean_of_their_probabilities(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn = iter([0.0, 0.3, 0.6])
    monkeypatch.setattr(predictions, "class_probabilities", lambda *given, **options: np.full((4, 3), next(drawn)))
    rows, x = np.arange(2), np.zeros((2, 6), np.float32)
    fits = [predictions.Fit(0, rows, rows, rows, seed) for seed in range(3)]
    found = predictions.predictions(fits, x, x, rows, (1, 2), QUICK, None, None)
    for probabilities in found:
        np.testing.assert_allclose(probabilities, np.full((1, 2, 3), 0.3))


def test_folds_keep_pages_whole_and_never_train_or_stop_on_what_they_predict() -> None:
    random = np.random.default_rng(0)
    samples = [
        GapSample(s.id, s.text, s.pronoun, s.a, s.b, s.gender, s.label, f"page {random.integers(80)}")
        for s in gap_like(198)
    ]
    pages = np.array([s.page for s in samples])
    seen: list[int] = []
    for fit in plan(samples, (), 5, 1, 0):
        assert sorted(np.concatenate([fit.train, fit.held, fit.wanted])) == list(range(198))
        parts = [set(pages[rows]) for rows in (fit.train, fit.held, fit.wanted)]
        assert not parts[2] & (parts[0] | parts[1])
        assert not parts[0] & parts[1]
        assert 8 <= len(fit.held) <= 24
        seen += fit.wanted.tolist()
    assert sorted(seen) == list(range(198))


def test_pages_that_share_a_text_share_a_fold() -> None:
    samples = [
        GapSample(s.id, f"text {n % 59}", s.pronoun, s.a, s.b, s.gender, s.label, f"page {n // 2}")
        for n, s in enumerate(gap_like(60))
    ]  # the last text is also the first: pages 0 and 29 go together
    linked = {0, 1, 58, 59}
    for fit in plan(samples, (), 5, 1, 0):
        for rows in (fit.train, fit.held, fit.wanted):
            assert linked <= set(rows.tolist()) or not linked & set(rows.tolist())


def test_a_page_that_has_most_of_the_samples_is_told() -> None:
    samples = [
        GapSample(s.id, s.text, s.pronoun, s.a, s.b, s.gender, s.label, "large" if n < 41 else "")
        for n, s in enumerate(gap_like(60))
    ]
    with pytest.raises(MeasureError, match="1 pages are left to train on, and 10 are needed; use more folds"):
        plan(samples, (), 2, 1, 0)


def test_with_other_files_to_train_on_every_measured_sample_is_predicted_by_all() -> None:
    measured, train = gap_like(30), gap_like(102, seed=1, prefix="t")
    for fit in plan(measured, train, 4, 1, 0):
        assert fit.wanted.tolist() == list(range(30))
        assert sorted(np.concatenate([fit.train, fit.held])) == list(range(30, 132))


def test_texts_that_are_measured_are_not_trained_on() -> None:
    measured = gap_like(42)
    result = resolve(measured, train=[*gap_like(102, seed=1, prefix="t"), *measured[:2]])
    assert any("not trained on" in note and "s0, s1" in note for note in result.notes)
    with pytest.raises(MeasureError, match="every text of own is also measured"):
        resolve(measured, train=measured)


def test_a_killed_run_goes_on_where_it_was_and_ends_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from aslant.measures.pronouns_resolved import predictions as module

    samples, fits, real = gap_like(60), [], module.class_probabilities  # type: ignore[attr-defined]

    def counted(*arguments: Any, **settings: Any) -> Any:
        if len(fits) == 3 and "killed" not in fits:
            fits.append("killed")
            raise KeyboardInterrupt
        fits.append("fit")
        return real(*arguments, **settings)

    monkeypatch.setattr(module, "class_probabilities", counted)
    asked = encoder()
    with pytest.raises(KeyboardInterrupt):
        resolve(samples, journal=tmp_path, encoder=asked)
    result = resolve(samples, journal=tmp_path, encoder=asked)
    assert fits.count("fit") == 5
    assert asked.passes == 2 * len(samples)  # each text as it is, and with its pronouns swapped
    assert resolve(samples, journal=tmp_path) == result == resolve(samples)
    assert fits.count("fit") == 10  # the last one had no journal
    for kept in (tmp_path / "folds").iterdir():
        kept.write_bytes(b"damaged")
    assert resolve(samples, journal=tmp_path) == result


def test_a_journal_of_other_settings_is_not_used(tmp_path: Path) -> None:
    samples = gap_like(60)
    first = resolve(samples, journal=tmp_path)
    other = resolve(samples, journal=tmp_path, classifier=Classifier(units=4, epochs=5))
    assert first.samples[0].p_neither != other.samples[0].p_neither


def test_progress_tells_the_steps_apart() -> None:
    told: list[tuple[str, int, int]] = []
    resolve(gap_like(60), lm=FakeMaskedLM(), progress=lambda *step: told.append(step))
    last = {step: (done, total) for step, done, total in told}
    assert list(last) == ["words of topics", "texts", "texts, pronouns swapped", "classifiers"]
    assert all(done == total for done, total in last.values())
    assert last["classifiers"] == (5, 5)


def test_target_sets_of_ones_own_are_recorded_as_they_come_back() -> None:
    result = resolve(gap_like(60), lm=FakeMaskedLM(), targets=(("boys", "men"), ("girls",)))
    assert result.provenance.settings["targets"] == [["boys", "men"], ["girls"]]
    assert PronounResolutionResult.from_dict(result.to_dict()) == result


def test_the_seed_decides(planted: PronounResolutionResult) -> None:
    samples = gap_like(60)
    assert resolve(samples, rng=1) == resolve(samples, rng=1)
    assert resolve(samples, rng=1).samples != resolve(samples, rng=2).samples


def test_pvalues_are_even_where_genders_are_given_out_at_random() -> None:
    random = np.random.default_rng(0)
    found = []
    for _ in range(60):
        p = random.dirichlet((1, 1, 1), 80)
        genders = np.array(["male", "female"] * 40)
        found.append(
            by_gender(p, random.integers(0, 3, 80), genders, PronounSettings(bootstrap=0, n_resamples=199), 0)[1].pvalue
        )
    assert 0.02 < np.mean(np.array(found) <= 0.1) < 0.22
    assert min(found) > 0


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"folds": 1}, "folds is 1; give a whole number from 2"),
        ({"seeds": 0}, "seeds is 0"),
        ({"confidence": 1.5}, "confidence is 1.5"),
        ({"topics": 5000}, "topics is 5000"),
        ({"topics": 60}, "cannot give 60 topics; request fewer"),
        ({"encoder": 7}, "is not an encoder; open one with aslant.load_encoder"),
        ({"lm": 7}, "is not a language model; open one with aslant.load_lm"),
        ({"folds": 70}, "labelled 'A'|70 folds"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(MeasureError, match=said):
        resolve(gap_like(60), **settings)


def test_samples_of_one_gender_or_too_few_are_refused() -> None:
    with pytest.raises(MeasureError, match="0 samples with a female pronoun"):
        resolve([s for s in gap_like(80) if s.gender == "male"])
    with pytest.raises(MeasureError, match="cannot be trained on"):
        resolve(gap_like(12))


def test_the_development_file_has_the_published_counts_of_neither(real_data: Path) -> None:
    from aslant.measures.pronouns_resolved.gap_files import read_gap

    samples, source = read_gap(real_data / "gap")
    assert source == "gap-development.tsv"
    counts = {g: [s.label for s in samples if s.gender == g] for g in ("male", "female")}
    assert {g: (len(labels), labels.count("neither")) for g, labels in counts.items()} == {
        "male": (1000, 103), "female": (1000, 98),
    }  # fmt: skip


def test_several_files_are_put_together(tmp_path: Path) -> None:
    for name, prefix in (("a.tsv", "a"), ("b.tsv", "b")):
        (tmp_path / name).write_text(as_tsv(gap_like(42, prefix=prefix)), encoding="utf-8")
    result = resolve([tmp_path / "a.tsv", tmp_path / "b.tsv"])
    assert (len(result.samples), result.provenance.stimuli) == (84, "a.tsv + b.tsv")
    with pytest.raises(MeasureError, match="2 samples have the ID 'a0'"):
        resolve([tmp_path / "a.tsv", str(tmp_path / "a.tsv")])


def test_the_loss_of_a_sample_and_the_bias_of_a_topic_by_hand() -> None:
    losses = log_losses(np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([0, 0]))
    assert losses.round(4).tolist() == [0.6931, 0.0]
    topics = Topics(np.zeros((0, 1)), ((("war", 0.5), ("art", 0.25), ("x", 1.0)),), True)
    assert topic_biases(topics, {"war": 2.0, "art": -2.0}).tolist() == [0.5]


def test_calibration_correlation_and_topics_by_hand() -> None:
    bins, error = statistics.calibration(np.array([0.1, 0.3, 0.9, 0.9]), np.array([False, False, True, True]), 2)
    assert [(b.low, b.n, round(b.predicted, 2), b.observed) for b in bins] == [(0.0, 2, 0.2, 0.0), (0.5, 2, 0.9, 1.0)]
    assert round(error, 2) == 0.15
    how, random = PronounSettings(bootstrap=100, n_resamples=999), np.random.default_rng(0)
    found = statistics.topic_correlation("female", np.arange(9.0), np.arange(9.0) ** 2, how, random)
    assert found is not None
    assert found.rho == 1.0
    assert found.pvalue < 0.01
    texts = ["the cat and cat food", "cat food", "ships sail", "big ships sail far"]
    topics = statistics.find_topics(texts, 2, 2, 0)
    assert sorted(sorted(word for word, _ in words) for words in topics.words) == [["cat", "food"], ["sail", "ships"]]
