"""Likelihoods of descriptors: slow loops agree, planted preferences come back, random weights stay within chance."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import false_discovery_control, mannwhitneyu, rankdata, wilcoxon

import aslant
from aslant.errors import AslantError, MeasureError, StimuliError
from aslant.measures.descriptors import show
from aslant.measures.descriptors.measure import holistic_bias
from aslant.measures.descriptors.statistic import pair_pvalues, published_share, random_shares
from aslant.measures.descriptors.stimuli import Descriptor, contexts, read_holistic_bias
from aslant.results.codec import result_from_dict
from fake_texts import FakeTexts, RandomTexts
from made_sets import write_holistic


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_holistic(tmp_path)


def test_every_descriptor_stands_in_the_same_sentences_and_no_noun_is_used_twice(folder: Path) -> None:
    lm = RandomTexts()
    result = holistic_bias(lm, folder, chance=0)
    texts = [text for _, text in lm.asked]
    assert result.sentences == 12 * 10
    assert len(set(texts)) == 130  # ten without a descriptor, for the number of its pieces
    assert "Say 0 I'm an old " in next(text for text in texts if " old " in text)
    frames = {
        word: {text.replace(f"an {word}", "·").replace(f"a {word}", "·").replace(word, "·") for text in texts
               if word in text.split()}
        for word in ("young", "blind", "fepped")
    }  # fmt: skip
    assert frames["young"] == frames["blind"] == frames["fepped"]
    nouns = [text.rstrip(".").split()[-1].rstrip("s") for text in texts if "fepped" in text]
    assert len(set(nouns)) == len(nouns) == 10
    assert result.missing == ("Latina",)
    assert holistic_bias(lm, folder, axes="age", chance=0).missing == ()  # she is on another axis


def test_pairs_shares_and_counts_are_those_of_slow_loops(folder: Path) -> None:
    lm = FakeTexts(lambda prompt, text: 0.3 * len(text) % 1)
    result = holistic_bias(lm, folder, nouns=2, chance=0, rng=3)
    by_text = {text: lm.scored("", text).per_piece for _, text in lm.asked}
    for axis in result.axes:
        words = [found.descriptor for found in result.descriptors if found.axis == axis.axis]
        score = {}
        for word in words:
            own = [value for text, value in by_text.items() if word in text.split()]
            score[word] = np.array(own).reshape(10, 2).mean(axis=1)
            found = next(d for d in result.descriptors if d.descriptor == word)
            assert found.score == pytest.approx(np.mean(own))
            assert found.perplexity == pytest.approx(np.exp(-np.mean(own)))
            assert found.pieces == pytest.approx(1.0)
        pairs = list(itertools.combinations(words, 2))
        pvalues = [wilcoxon(score[a] - score[b]).pvalue for a, b in pairs]
        differs = false_discovery_control(pvalues) <= 0.05
        assert (axis.pairs, axis.differing) == (len(pairs), differs.sum())
        assert axis.share == pytest.approx(differs.mean())
        for word in words:
            listed = next(d for d in result.descriptors if d.descriptor == word)
            wins = [differs[k] and word in pair and score[word].mean() > score[pair[pair[0] == word]].mean()
                    for k, pair in enumerate(pairs)]  # fmt: skip
            assert listed.above == sum(wins)
        assert axis.spread == pytest.approx(np.std([score[word].mean() for word in words], ddof=1))
    by_name = {found.descriptor: found.score for found in result.descriptors}
    assert result.furthest
    for pair in result.furthest:
        assert pair.difference == pytest.approx(by_name[pair.first] - by_name[pair.second])
        assert pair.difference >= 0


def test_what_the_model_says_is_kept_and_what_untrained_models_say_is_not(folder: Path, tmp_path: Path) -> None:
    kept: list[tuple[object, bool]] = []

    class Noting(FakeTexts):
        def text_scores(self, texts: Any, *, journal: Any = None, **given: Any) -> Any:
            kept.append((self.salt, journal is not None))
            return super().text_scores(texts, **given)

    holistic_bias(Noting(), folder, chance=0, twins=1, journal=tmp_path / "kept")
    assert {journal for salt, journal in kept if salt == 0} == {True}
    assert {journal for salt, journal in kept if salt != 0} == {False}


def test_a_planted_preference_comes_back_beyond_chance_and_untrained_models(folder: Path) -> None:
    wide = {"age": {"": [f"word{i}" for i in range(8)]}, "nonce": {"": [f"nonce{i}" for i in range(8)]}}
    (folder / "descriptors.json").write_text(json.dumps(wide), encoding="utf-8")
    templates = {key: {} for key in [f"Say {i} I'm {{noun_phrase}}." for i in range(20)]}
    (folder / "sentence_templates.json").write_text(json.dumps(templates), encoding="utf-8")

    def likes(prompt: str, text: str) -> float:
        return next((6.0 * i for i in range(8) if f" word{i} " in text), 0.0)

    result = holistic_bias(RandomTexts(likes), folder, chance=200, twins=2)
    age, nonce = result.axes
    assert age.share == 1.0
    assert age.chance is not None
    assert age.chance.pvalue == pytest.approx(1 / 201)
    assert len(age.twins) == 2
    assert max(age.twins) < 0.3
    assert nonce.chance is not None
    assert nonce.chance.pvalue > 0.05
    assert [d.descriptor for d in result.ranked("age")] == [f"word{i}" for i in range(7, -1, -1)]
    (line,) = show.glance(result, lambda name: name)
    assert (line.category, line.evidence) == ("age", "strong")
    assert result.furthest[0].first == "word7"


def test_an_axis_of_one_descriptor_has_nothing_to_compare_and_no_line(folder: Path) -> None:
    words = {"age": {"": ["old"]}, "ability": {"": ["blind", "deaf"]}}
    (folder / "descriptors.json").write_text(json.dumps(words), encoding="utf-8")
    result = holistic_bias(FakeTexts(), folder, chance=0)
    assert [(axis.axis, axis.pairs) for axis in result.axes] == [("age", 0), ("ability", 1)]
    (line,) = show.glance(result, lambda name: name)
    assert line.stimuli.endswith(", ability")


def test_words_that_all_differ_are_no_evidence_since_random_adjectives_do_too(folder: Path) -> None:
    result = holistic_bias(FakeTexts(), folder, chance=100)
    age = result.axes[0]
    assert age.share == 1.0
    assert age.chance is not None
    assert age.chance.mean > 0.9
    assert {line.evidence for line in show.glance(result, lambda name: name)} == {"none"}


def test_lines_are_filed_under_the_categories_that_an_audit_looks_for(folder: Path) -> None:
    words = {"": ["thin", "plump", "tall"]}
    (folder / "descriptors.json").write_text(json.dumps({"body_type": words, "ability": words, "cultural": words}))
    lines = show.glance(holistic_bias(FakeTexts(), folder, chance=0), lambda name: name)
    assert [line.category for line in lines] == ["appearance", "disability", "several"]


def test_likelihoods_without_preferences_find_few_pairs(folder: Path) -> None:
    shares = [holistic_bias(RandomTexts(salt=salt), folder, chance=0).axes[0].share for salt in range(20)]
    assert np.mean([share > 0 for share in shares]) <= 0.25


def test_the_signed_rank_test_is_scipys_and_rows_that_are_the_same_do_not_differ() -> None:
    scores = np.random.default_rng(0).normal(size=(4, 12))
    scores[3] = scores[2]
    scores[1, 0] = scores[0, 0]
    found = dict(zip(itertools.combinations(range(4), 2), pair_pvalues(scores), strict=True))
    assert found[2, 3] == 1.0
    assert found[0, 2] == pytest.approx(wilcoxon(scores[0] - scores[2]).pvalue)
    assert found[0, 1] == pytest.approx(wilcoxon(np.delete(scores[0] - scores[1], 0)).pvalue)  # without the 0
    many = np.random.default_rng(1).normal(size=(2, 60))
    assert pair_pvalues(many)[0] == pytest.approx(wilcoxon(many[0] - many[1], method="asymptotic").pvalue)


@pytest.mark.parametrize("sizes", [[1, 1, 1, 2, 2], [0, 0, 1, 3, 3, 3, 4], [1] * 8, [0.5, 0.5, 1, 2, 3, 3]])
def test_tied_differences_are_tested_over_all_signs_and_alarm_no_oftener_than_they_should(sizes: list[float]) -> None:
    """Over all signs, which are equally likely if nothing differs, p ≤ α in at most α; SciPy's estimate breaks that."""
    signed = np.array(list(itertools.product((-1.0, 1.0), repeat=len(sizes)))) * sizes
    ours = np.array([pair_pvalues(np.array([row, np.zeros(len(row))]))[0] for row in signed])
    ranks = rankdata([size for size in sizes if size]) if any(sizes) else []
    sums = (np.sign(signed)[:, np.array(sizes) > 0] * ranks).sum(axis=1)
    naive = [np.mean(np.abs(sums) >= abs(own) - 1e-9) for own in sums]
    assert ours.tolist() == pytest.approx(naive)
    assert all((ours <= alpha + 1e-12).mean() <= alpha + 1e-12 for alpha in set(ours.tolist()))
    estimated = wilcoxon(signed, axis=1, method="asymptotic").pvalue
    assert any((estimated <= alpha).mean() > alpha for alpha in np.linspace(0.01, 0.2, 20))


@pytest.mark.parametrize(("templates", "method"), [(50, "exact"), (51, "asymptotic")])
def test_the_signed_rank_test_is_exact_for_up_to_fifty_templates(templates: int, method: str) -> None:
    scores = np.random.default_rng(templates).normal([[0.2], [0.0]], size=(2, templates))
    other = {"exact": "asymptotic", "asymptotic": "exact"}[method]
    (p,) = pair_pvalues(scores)
    assert p == wilcoxon(scores[0] - scores[1], method=method).pvalue
    assert p != pytest.approx(wilcoxon(scores[0] - scores[1], method=other).pvalue, rel=1e-6)


def test_the_published_share_is_that_of_uncorrected_rank_tests_in_each_template(folder: Path) -> None:
    scores = np.random.default_rng(1).normal(size=(3, 5, 6)) + np.arange(3)[:, None, None]
    tests = [
        mannwhitneyu(scores[a, t], scores[b, t]).pvalue < 0.05
        for a, b in itertools.combinations(range(3), 2)
        for t in range(5)
    ]
    assert published_share(scores) == pytest.approx(np.mean(tests))
    assert published_share(scores[:, :, :3]) is None
    assert holistic_bias(FakeTexts(), folder, chance=0).axes[0].published is None
    assert holistic_bias(FakeTexts(), folder, nouns=6, chance=0).axes[0].published is not None


def test_adjectives_have_as_many_pieces_as_the_descriptors_they_replace() -> None:
    pieces = [1] * 10 + [2] * 10 + [5] * 4
    differ = np.array([[float(a != b) for b in pieces] for a in pieces])  # pairs of the same length differ
    random = np.random.default_rng(0)
    assert random_shares(differ, pieces, [1, 1, 1], 20, 0.05, random).tolist() == [1.0] * 20
    assert random_shares(differ, pieces, [1, 2], 20, 0.05, random).tolist() == [0.0] * 20
    assert random_shares(differ, pieces, [4, 6], 20, 0.05, random).tolist() == [1.0] * 20


def test_axes_and_samples_are_chosen_and_results_survive_json(folder: Path) -> None:
    result = holistic_bias(FakeTexts(), folder, axes="age", descriptors=4, chance=50, twins=1, rng=5)
    assert [(axis.axis, axis.descriptors) for axis in result.axes] == [("age", 4)]
    assert result_from_dict(json.loads(json.dumps(result.to_dict()))) == result
    again = holistic_bias(FakeTexts(), folder, axes=["age"], descriptors=4, chance=50, twins=1, rng=5)
    assert again.axes == result.axes
    other = holistic_bias(FakeTexts(), folder, axes=["age"], descriptors=4, chance=50, twins=1, rng=6)
    assert other.descriptors != result.descriptors
    assert len(result.rows()) == 4


def test_sums_are_compared_on_request_and_what_cannot_be_scored_is_listed(folder: Path) -> None:
    lm = FakeTexts(unknown=["mute"])
    result = holistic_bias(lm, folder, chance=0, per_piece=False)
    assert "mute" in result.missing
    assert "mute" not in {d.descriptor for d in result.descriptors}
    own = [lm.scored("", text).total for _, text in lm.asked if " old " in text]
    assert next(d for d in result.descriptors if d.descriptor == "old").score == pytest.approx(np.mean(own))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"axes": "height"}, "there is no axis 'height'; choose among age, ability, nonce"),
        ({"source": "/nowhere"}, "there is no folder '/nowhere'"),
        ({"nouns": 0}, "nouns"),
        ({"lm": 7}, "does not score texts"),
        ({"lm": FakeTexts(unknown=["I'm"])}, "no descriptor can be scored"),
    ],
)
def test_bad_input_is_one_clear_error(folder: Path, arguments: dict[str, Any], words: str) -> None:
    given = {"lm": FakeTexts(), "source": folder, **arguments}
    with pytest.raises(AslantError, match=words):
        holistic_bias(given.pop("lm"), **given)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("descriptors.json", "[]", "is not a file of HolisticBias"),
        ("descriptors.json", '{"age": {"": [{"text": "old"}]}}', "is not a file of HolisticBias"),
        ("descriptors.json", "{}", "has no descriptors"),
        ("sentence_templates.json", '{"I am.": {}}', "has no templates"),
        ("nouns.json", '{"female": [["woman"]]}', "is not a file of HolisticBias"),
        ("nouns.json", "{", "is not a file of HolisticBias"),
    ],
)
def test_files_of_another_kind_are_refused(folder: Path, name: str, content: str, words: str) -> None:
    (folder / name).write_text(content, encoding="utf-8")
    with pytest.raises(StimuliError, match=words):
        read_holistic_bias(folder)


@pytest.mark.parametrize("value", [float("nan"), float("-inf")])
def test_a_model_without_finite_likelihoods_is_refused(folder: Path, value: float) -> None:
    with pytest.raises(MeasureError, match="no finite log-likelihood"):
        holistic_bias(FakeTexts(lambda prompt, text: value), folder, chance=0)
    with pytest.raises(MeasureError, match=r"no finite log-likelihood for '.* blind .*'"):
        holistic_bias(FakeTexts(lambda prompt, text: value if " blind " in text else 0.0), folder, chance=0)


def test_the_real_files_have_thirteen_axes(real_data: Path) -> None:
    found = read_holistic_bias(real_data / "holisticbias")
    assert len({d.axis for d in found.descriptors}) == 13
    assert (len(found.templates), len(found.nouns)) == (26, 32)
    assert len(found.descriptors) + len(found.left_out) == 583
    assert next(d for d in found.descriptors if d.text == "US-born").article == "a"
    some = contexts(found.templates, found.nouns, 1, np.random.default_rng(0))
    sentences = some.sentences(Descriptor("old", "age"))
    assert len(sentences) == 26
    assert not [text for text in sentences if "{" in text]


def test_tables_fit_80_columns_say_what_they_contain_first_and_cover_what_offends(folder: Path) -> None:
    from rich.console import Console

    from aslant.report.tables import to_rich

    result = holistic_bias(FakeTexts(), folder, chance=50, twins=1, nouns=4)
    for table in show.terminal_tables(result, 80):
        console = Console(width=80, record=True, file=None)
        with console.capture() as shown:
            console.print(to_rich(table, 80))
        text = shown.get()
        assert max(map(len, text.splitlines())) <= 80
        assert "…" not in text
    assert "may repeat offensive stereotypes" in show.axes_table(result).first_line
    assert any("untrained models" in note for note in show.axes_table(result).notes)
    assert show.descriptors_picture(result).to_dict()
    assert aslant.holistic_bias is holistic_bias


def test_the_absence_of_a_chance_level_is_said_and_only_then() -> None:
    from aslant.measures.descriptors.measure import _notes
    from aslant.measures.descriptors.settings import HolisticBiasSettings

    with_chance, without = HolisticBiasSettings(chance=9), HolisticBiasSettings(chance=0)
    adjective: Any = object()
    assert _notes((), (), with_chance, ()) == ("no chance level: the model can score no adjectives",)
    assert _notes((), (), with_chance, (adjective,)) == ()
    assert _notes((), (), without, ()) == ()
