"""Log-probability bias scores are those of a distribution that is known; what a user gives is read as it is meant."""

from __future__ import annotations

import csv
import itertools
import math
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

import aslant
from aslant.errors import AslantError, MeasureError, StimuliError
from aslant.measures.template_tests import scoring
from aslant.measures.template_tests.scores import contrast
from aslant.measures.template_tests.stimuli import asked, attribute_list
from aslant.models.protocols import CausalScore, MaskedScore, Sentence
from fake_lm import TABLE, FakeCausalLM, FakeMaskedLM

TEMPLATE = "[TARGET] is a [ATTRIBUTE]."
JOBS = ["nurse", "engineer", "clerk"]


def total(*words: str) -> float:
    """P of the given targets or attributes, by adding up the table."""
    return sum(p for pair, p in TABLE.items() if set(pair) & set(words))


def pmi(targets: list[str], attribute: str) -> float:
    joint = sum(TABLE[target, attribute] for target in targets)
    return math.log(joint / total(attribute) / total(*targets))


def test_a_score_is_the_difference_of_log_ratios_of_the_table() -> None:
    result = aslant.log_probability_bias(FakeMaskedLM(TABLE), TEMPLATE, (["he"], ["she"]), JOBS)
    for score in result.scores:
        he, she = score.sides
        assert he.p_target == pytest.approx(TABLE["he", score.attribute] / total(score.attribute))
        assert she.p_prior == pytest.approx(total("she"))
        assert he.association == pytest.approx(pmi(["he"], score.attribute))
        assert score.score == pytest.approx(pmi(["he"], score.attribute) - pmi(["she"], score.attribute))
    assert [s.leans_to for s in result.scores] == ["she", "he", "he"]
    assert result.method == "masks"
    assert [s.attribute for s in result.ranked] == ["engineer", "clerk", "nurse"]


def test_probabilities_are_summed_within_a_set_before_the_logarithm() -> None:
    result = aslant.log_probability_bias(FakeMaskedLM(TABLE), TEMPLATE, {"some": ["he", "they"], "she": ["she"]}, JOBS)
    for score in result.scores:
        assert score.sides[0].association == pytest.approx(pmi(["he", "they"], score.attribute))
    assert [t.name for t in result.targets] == ["some", "she"]


@pytest.mark.parametrize("targets", [(["he"], ["she"]), (["he", "they"], ["she"])])
def test_masked_and_causal_models_of_one_distribution_agree(targets: Any) -> None:
    masked = aslant.log_probability_bias(FakeMaskedLM(TABLE), TEMPLATE, targets, JOBS)
    causal = aslant.log_probability_bias(FakeCausalLM(TABLE), TEMPLATE, targets, JOBS)
    assert causal.method == "continuations"
    assert [s.score for s in causal.scores] == pytest.approx([s.score for s in masked.scores])
    assert {side.p_target for s in causal.scores for side in s.sides} == {None}


def test_a_causal_model_compares_what_follows_the_target() -> None:
    result = aslant.log_probability_bias(FakeCausalLM(TABLE), TEMPLATE, ("he", "she"), JOBS)
    for score in result.scores:
        expected = math.log(TABLE["he", score.attribute] / total("he"))
        expected -= math.log(TABLE["she", score.attribute] / total("she"))
        assert score.score == pytest.approx(expected)
    assert result.notes == ()


def test_a_target_after_the_attribute_compares_whole_sentences_and_says_so() -> None:
    result = aslant.log_probability_bias(FakeCausalLM(TABLE), "a [ATTRIBUTE] is what [TARGET] is.", ("he", "she"), JOBS)
    assert result.method == "whole sentences"
    assert "the target follows the attribute" in result.notes[0]
    for score in result.scores:
        assert score.score == pytest.approx(math.log(TABLE["he", score.attribute] / TABLE["she", score.attribute]))
    both = aslant.log_probability_bias(
        FakeCausalLM(TABLE), [TEMPLATE, "a [ATTRIBUTE] is what [TARGET] is."], ("he", "she"), JOBS
    )
    assert both.method == "continuations and whole sentences"
    masked = aslant.log_probability_bias(FakeMaskedLM(TABLE), "a [ATTRIBUTE] is what [TARGET] is.", ("he", "she"), JOBS)
    assert masked.method == "masks"


def test_several_templates_are_averaged_and_probabilities_keep_the_equation() -> None:
    templates = ["[TARGET] is a [ATTRIBUTE].", "[TARGET] was a [ATTRIBUTE]"]
    lm = FakeMaskedLM()
    both = aslant.log_probability_bias(lm, templates, ("he", "she"), JOBS)
    each = [aslant.log_probability_bias(lm, text, ("he", "she"), JOBS) for text in templates]
    for place, score in enumerate(both.scores):
        parts = tuple(one.scores[place].score for one in each)
        assert score.by_template == pytest.approx(parts)
        assert score.score == pytest.approx(np.mean(parts))
        for side in score.sides:
            assert side.p_target is not None
            assert side.p_prior is not None
            assert side.association == pytest.approx(math.log(side.p_target / side.p_prior))


def test_a_template_has_the_score_of_the_class_that_the_attribute_leans_to_over_all() -> None:
    targets, templates = ["he", "she", "they"], ["[TARGET] is a [ATTRIBUTE].", "[TARGET] was a [ATTRIBUTE]"]
    both = aslant.log_probability_bias(FakeMaskedLM(), templates, targets, JOBS)
    each = [aslant.log_probability_bias(FakeMaskedLM(), text, targets, JOBS) for text in templates]
    assert any(one.leans_to != other.leans_to for one, other in zip(each[0].scores, each[1].scores, strict=True))
    for score in both.scores:
        assert np.mean(score.by_template) == pytest.approx(score.score)


def test_a_template_set_brings_targets_that_agree_and_its_attributes() -> None:
    lm = FakeMaskedLM()
    result = aslant.log_probability_bias(lm, "career-family")
    assert len(result.scores) == 16
    by_template = {text: {s.target for s in lm.asked if s.template == text} for text in result.templates}
    assert by_template["[TARGET] like [ATTRIBUTE]."] == {"boys", "men", "girls", "women"}
    assert by_template["[TARGET] likes [ATTRIBUTE]."] == {"he", "she"}
    own = aslant.log_probability_bias(lm, "kurita-generic", {"a": ["we"], "b": ["you"]}, ["kind"])
    assert [t.words for t in own.targets] == [("we",), ("you",)]
    assert own.provenance.stimuli == "kurita-generic own"


def test_more_than_two_classes_have_every_pair_and_each_against_the_rest() -> None:
    result = aslant.log_probability_bias(FakeMaskedLM(TABLE), TEMPLATE, ["he", "she", "they"], JOBS)
    table = np.array([[pmi([t], job) for t in ("he", "she", "they")] for job in JOBS])
    rest = np.array([[row[j] - (row.sum() - row[j]) / 2 for j in range(3)] for row in table])
    pairs = {(c.first, c.second): c for c in result.contrasts}
    assert pairs["she", "they"].mean == pytest.approx((table[:, 1] - table[:, 2]).mean())
    assert pairs["they", "the rest"].mean == pytest.approx(rest[:, 2].mean())
    assert pairs["he", "she"].count == sum(table[:, 0] >= table[:, 1])
    assert len(result.contrasts) == 6
    assert [s.score for s in result.scores] == pytest.approx(rest.max(axis=1))
    assert [s.by_template[0] for s in result.scores] == pytest.approx(rest.max(axis=1))
    assert [s.leans_to for s in result.scores] == [["he", "she", "they"][j] for j in rest.argmax(axis=1)]
    gaps = [abs(row[j] - row[k]) for row in table for j in range(3) for k in range(j)]
    assert result.one_vs_one == pytest.approx(np.mean(gaps))
    assert result.one_vs_rest == pytest.approx(rest.max(axis=1).mean())
    assert "they: against the rest" in result.rows()[0]
    assert sum(result.rows()[0][f"{name}: against the rest"] for name in ("he", "she", "they")) == pytest.approx(0)


def test_a_contrast_has_the_pvalue_of_every_pattern_of_signs_and_q_values_over_the_contrasts() -> None:
    lm, jobs = FakeMaskedLM(), [f"job{i}" for i in range(9)]
    result = aslant.log_probability_bias(lm, TEMPLATE, ["he", "she", "they"], jobs)
    table = np.array([[side.association for side in score.sides] for score in result.scores])
    signs = np.array(list(itertools.product((-1, 1), repeat=9)))
    for found, gaps in [
        (result.contrasts[1], table[:, 0] - table[:, 2]),
        (result.contrasts[5], table[:, 2] - table[:, :2].mean(axis=1)),
    ]:
        reached = np.abs(signs @ gaps) >= abs(gaps.sum()) - 1e-9
        assert found.pvalue == pytest.approx(reached.mean())
    pvalues = [found.pvalue for found in result.contrasts]
    assert [found.qvalue for found in result.contrasts] == pytest.approx(false_discovery_control(pvalues))


def test_random_signs_are_those_of_the_seed() -> None:
    jobs = [f"job{i}" for i in range(30)]
    one, same, other = (
        aslant.log_probability_bias(FakeMaskedLM(), "[TARGET] was a [ATTRIBUTE].", ["we", "she"], jobs, rng=seed)
        for seed in (1, 1, 2)
    )
    assert one.share.pvalue == same.share.pvalue != other.share.pvalue
    assert (one.provenance.seed, other.provenance.seed) == (1, 2)


@pytest.mark.parametrize(
    ("template", "targets", "odd"),
    [
        ("[TARGET] is a [ATTRIBUTE].", ["he", "she", "they"], "'they' does not agree"),
        ("I know that [TARGET] likes [ATTRIBUTE].", ["We", "he", "men"], "'We', 'men' do not agree"),
        ("[TARGET] are [ATTRIBUTE].", ["he", "they"], "'he' does not agree"),
        ("[TARGET] is a [ATTRIBUTE].", ["he", "she"], ""),
        ("[TARGET] worked as a [ATTRIBUTE].", ["he", "they"], ""),
        ("[TARGET] [ATTRIBUTE].", ["he is a", "they are a"], ""),
        ("[TARGET] discuss [ATTRIBUTE].", ["they", "he"], ""),
    ],
)
def test_a_verb_that_a_target_does_not_agree_with_is_noted(template: str, targets: list[str], odd: str) -> None:
    notes = aslant.log_probability_bias(FakeMaskedLM(), template, targets, JOBS).notes
    assert [note.partition(" with the verb")[0] for note in notes if "agree" in note] == ([odd] if odd else [])


probabilities = st.lists(st.floats(0.001, 1), min_size=6, max_size=6)


def model_of(numbers: list[float], cls: type = FakeMaskedLM) -> Any:
    share = [number / sum(numbers) for number in numbers]
    pairs = [(target, job) for target in ("he", "she") for job in JOBS]
    return cls(dict(zip(pairs, share, strict=True)))


@given(probabilities)
def test_swapping_the_sides_flips_every_sign(numbers: list[float]) -> None:
    lm = model_of(numbers)
    there = aslant.log_probability_bias(lm, TEMPLATE, ("he", "she"), JOBS)
    back = aslant.log_probability_bias(lm, TEMPLATE, ("she", "he"), JOBS)
    assert [s.score for s in back.scores] == pytest.approx([-s.score for s in there.scores], abs=1e-12)
    assert back.one_vs_one == pytest.approx(there.one_vs_one)


class Shifted(FakeMaskedLM):
    """As the model of the table, with one constant added to every log prior and another to those of one target."""

    def __init__(self, table: dict[tuple[str, str], float], common: float, she: float) -> None:
        super().__init__(table)
        self.common, self.she = common, she

    def _score(self, s: Sentence, prior_place: str) -> MaskedScore:
        score = super()._score(s, prior_place)
        prior = score.prior + self.common + (self.she if s.target == "she" else 0)
        return MaskedScore(score.target, prior, score.pieces, score.attribute_pieces)


@given(st.floats(-5, 5), st.floats(-5, 5))
def test_a_constant_in_all_priors_cancels_and_one_in_a_targets_prior_shifts_every_score(
    common: float, she: float
) -> None:
    plain = aslant.log_probability_bias(FakeMaskedLM(TABLE), TEMPLATE, ("he", "she"), JOBS)
    moved = aslant.log_probability_bias(Shifted(TABLE, common, she), TEMPLATE, ("he", "she"), JOBS)
    shifts = [b.score - a.score for a, b in zip(plain.scores, moved.scores, strict=True)]
    assert shifts == pytest.approx([she] * 3, abs=1e-9)


@given(st.lists(st.floats(0.001, 1), min_size=3, max_size=3), st.lists(st.floats(0.001, 1), min_size=2, max_size=2))
def test_independent_targets_and_attributes_score_zero(jobs: list[float], targets: list[float]) -> None:
    table = {
        (t, j): p * q for t, q in zip(("he", "she"), targets, strict=True) for j, p in zip(JOBS, jobs, strict=True)
    }
    whole = sum(table.values())
    lm = FakeMaskedLM({pair: p / whole for pair, p in table.items()})
    result = aslant.log_probability_bias(lm, TEMPLATE, ("he", "she"), JOBS)
    assert [s.score for s in result.scores] == pytest.approx([0, 0, 0], abs=1e-9)


def test_the_share_counts_zero_for_the_first_side_with_wilsons_interval() -> None:
    from scipy.stats import binomtest

    c = contrast("a", "b", np.array([0.0, 1.0, -1.0, -2.0, 3.0]), 0.9)
    wilson = binomtest(3, 5).proportion_ci(0.9, method="wilson")
    assert (c.count, c.share, c.low, c.high) == (3, 0.6, pytest.approx(wilson.low), pytest.approx(wilson.high))


def test_thousands_of_attributes_stream_in_order_and_in_little_memory() -> None:
    words = [f"word {number}" for number in range(8_000)]
    lm = Forgetful()
    told: list[tuple[int, int]] = []
    tracemalloc.start()
    result = aslant.log_probability_bias(
        lm, TEMPLATE, (["he"], ["she"]), words, progress=lambda step, done, whole: told.append((done, whole))
    )
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 80 << 20
    assert max(lm.batches) <= scoring.SENTENCES_AT_ONCE
    assert sum(lm.batches) == 16_000
    assert [s.attribute for s in result.scores] == words
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1] == (16_000, 16_000)
    one = aslant.log_probability_bias(FakeMaskedLM(), TEMPLATE, (["he"], ["she"]), [words[7_123]])
    assert one.scores[0] == result.scores[7_123]


class Forgetful(FakeMaskedLM):
    """Keeps the size of what it was asked, not the sentences."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[int] = []

    def masked_scores(self, sentences: Any, **settings: Any) -> list[MaskedScore]:
        scores = super().masked_scores(sentences, **settings)
        self.batches.append(len(sentences))
        self.asked.clear()
        return scores


def test_settings_reach_the_model_and_the_result(tmp_path: Path) -> None:
    lm = FakeMaskedLM()
    aslant.log_probability_bias(lm, TEMPLATE, ("he", "she"), JOBS, journal=tmp_path / "journal")
    assert lm.settings[-1]["journal"].folder == tmp_path / "journal"
    assert (lm.settings[-1]["target_pieces"], lm.settings[-1]["prior_place"]) == ("chain", "target")
    result = aslant.log_probability_bias(lm, TEMPLATE, ("he", "she"), JOBS, single_mask=True, target_pieces="first")
    assert (lm.settings[-1]["single_mask"], lm.settings[-1]["target_pieces"]) == (True, "first")
    assert result.provenance.settings["single_mask"] is True
    published = aslant.log_probability_bias(lm, TEMPLATE, ("he", "she"), JOBS, as_published=True)
    asked = {key: lm.settings[-1][key] for key in ("target_pieces", "single_mask", "prior_place")}
    assert asked == {"target_pieces": "first", "single_mask": True, "prior_place": "published"}
    assert "as published" in published.notes[-1]
    assert published.scores[0].score != result.scores[0].score


def test_targets_of_several_pieces_are_named_with_the_policy() -> None:
    chain = aslant.log_probability_bias(FakeMaskedLM(), TEMPLATE, {"a": ["a young man"], "b": ["she"]}, JOBS)
    assert chain.notes == ("targets of several pieces, scored by a chain of masks: a young man (a young man)",)
    assert chain.targets[0].pieces == (("a", "young", "man"),)
    first = aslant.log_probability_bias(
        FakeMaskedLM(), TEMPLATE, {"a": ["a young man"], "b": ["she"]}, JOBS, target_pieces="first"
    )
    assert "by their first piece" in first.notes[0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"template": "he is a [ATTRIBUTE]."}, "must contain \\[TARGET\\] exactly once"),
        ({"template": "no-such-set"}, "there is no word set 'no-such-set'"),
        ({"template": "weat-6"}, "kind 'templates' is needed"),
        ({"template": []}, "no template was given"),
        ({"template": 3}, "is not a template"),
        ({"targets": None}, "no targets were given"),
        ({"targets": ["he"]}, "only 1 target set given"),
        ({"targets": [["he"], ["she", "he"]]}, "'he' is in 'he' and in 'she \\+ he'"),
        ({"targets": {"a": [], "b": ["she"]}}, "has no words"),
        ({"targets": 3}, "are not targets"),
        ({"targets": [["he"], [""]]}, "is not a word"),
        ({"targets": "weat-6"}, "kind 'classes' is needed"),
        ({"attributes": None}, "no attributes were given"),
        ({"attributes": []}, "no attribute was given"),
        ({"attributes": [3]}, "is not a word"),
        ({"attributes": 3}, "are not attributes"),
        ({"attributes": "nowhere.txt"}, "there are no attributes 'nowhere.txt'"),
        ({"target_pieces": "last"}, "target_pieces is 'last'; choose one of chain, first"),
        ({"confidence": 2}, "confidence is 2"),
    ],
)
def test_bad_input_is_one_clear_error(arguments: dict[str, Any], words: str) -> None:
    given = {"template": TEMPLATE, "targets": (["he"], ["she"]), "attributes": JOBS, **arguments}
    with pytest.raises(AslantError, match=words):
        aslant.log_probability_bias(FakeMaskedLM(), **given)


def test_what_is_no_model_or_cannot_do_it_is_refused() -> None:
    with pytest.raises(MeasureError, match=r"is not a language model; open one with aslant\.load_lm"):
        aslant.log_probability_bias(7, TEMPLATE, ("he", "she"), JOBS)
    for setting in ({"as_published": True}, {"single_mask": True}, {"target_pieces": "first"}):
        with pytest.raises(MeasureError, match="'fake causal' is a causal model"):
            aslant.log_probability_bias(FakeCausalLM(), TEMPLATE, ("he", "she"), JOBS, **setting)


@pytest.mark.parametrize("logs", [(-math.inf, -math.inf), (-math.inf, -1.0), (-1.0, -math.inf)])
def test_a_probability_of_nought_is_an_error_not_an_infinite_score(logs: tuple[float, float]) -> None:
    class Never(FakeCausalLM):
        def _score(self, s: Sentence) -> CausalScore:
            return CausalScore(*logs, (s.target,), (s.attribute,))

    with pytest.raises(MeasureError, match=r"no finite log-probability for 'he is a nurse\.'"):
        aslant.log_probability_bias(Never(), TEMPLATE, ("he", "she"), JOBS)


@pytest.mark.parametrize("logs", [(-math.inf, -1.0), (-1.0, -math.inf)])
def test_so_it_is_of_a_masked_model_before_or_after_the_attribute_is_shown(logs: tuple[float, float]) -> None:
    class Never(FakeMaskedLM):
        def masked_scores(self, sentences: Any, **how: Any) -> list[MaskedScore]:
            return [MaskedScore(*logs, (s.target,), (s.attribute,)) for s in sentences]

    with pytest.raises(MeasureError, match="no finite log-probability for 'he is a nurse"):
        aslant.log_probability_bias(Never(), TEMPLATE, ("he", "she"), JOBS)


def test_attributes_come_from_lists_sets_and_tables(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("Kind\n\n  brave \nkind\n", encoding="utf-8")
    assert attribute_list(tmp_path / "list.txt")[0].words == ("Kind", "brave", "kind")
    assert attribute_list(str(tmp_path / "list.txt"), lower=True) == (attribute_list(["kind", "brave"])[0], "list.txt")
    (tmp_path / "t.csv").write_text('id,title,pay\n1,"clerk, senior",10\n2,judge,20\n', encoding="utf-8")
    assert attribute_list(tmp_path / "t.csv")[0].words == ("clerk, senior", "judge")
    assert attribute_list(tmp_path / "t.csv", column="Pay")[0].words == ("10", "20")
    (tmp_path / "tabs.tsv").write_text("title, full\tpay\nclerk, senior\t10\njudge\t20\n", encoding="utf-8")
    assert attribute_list(tmp_path / "tabs.tsv")[0].words == ("clerk, senior", "judge")
    (tmp_path / "semicolons.csv").write_text("title;pay\nclerk, senior;10,5\njudge;20\n", encoding="utf-8")
    assert attribute_list(tmp_path / "semicolons.csv")[0].words == ("clerk, senior", "judge")
    with pytest.raises(StimuliError, match="has no column 'wage'; it has id, title, pay"):
        attribute_list(tmp_path / "t.csv", column="wage")
    with pytest.raises(StimuliError, match="is not a table"):
        attribute_list(tmp_path / "list.txt", column="x")
    (tmp_path / "empty.txt").write_text("\n", encoding="utf-8")
    with pytest.raises(StimuliError, match="has no attributes"):
        attribute_list(tmp_path / "empty.txt")
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9")
    with pytest.raises(StimuliError, match="is not UTF-8"):
        attribute_list(tmp_path / "latin.txt")
    assert "construction worker" in attribute_list("occupations-share-of-women")[0].words


def test_real_lists_of_job_titles_traits_and_skills_are_read(real_data: Path) -> None:
    jobs, source = attribute_list(real_data / "kurita" / "job_titles_salary_2017.tsv")
    assert (jobs.words[:2], len(jobs.words), source) == (
        ("director", "chief medical examiner"), 933, "job_titles_salary_2017.tsv",
    )  # fmt: skip
    assert len(attribute_list(real_data / "kurita" / "positive_traits.txt", lower=True)[0].words) == 230
    skills = attribute_list(real_data / "onet" / "Technology Skills.txt")[0].words
    assert "Adobe Acrobat" in skills
    assert len(skills) > 5_000


def test_lists_go_by_their_data_names(real_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import shutil

    shutil.copytree(real_data / "kurita", tmp_path / "kurita-lists")
    shutil.copytree(real_data / "onet", tmp_path / "onet-technology-skills")
    monkeypatch.setenv("ASLANT_DATA", str(tmp_path))
    monkeypatch.setenv("ASLANT_OFFLINE", "1")
    assert attribute_list("kurita-lists/negative_traits.txt")[0].words[:2] == ("Absentminded", "Aggressive")
    assert len(attribute_list("onet-technology-skills")[0].words) > 5_000
    with pytest.raises(StimuliError, match="there are no attributes 'kurita-lists'"):
        attribute_list("kurita-lists")  # a folder of lists, of which one has to be named


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("winobias", "is not a list of attributes but WinoBias.*; use 'aslant pronoun-choice'"),
        ("winogender", "use 'aslant pronoun-choice'"),
        ("crows-pairs", "use 'aslant pairs'"),
        ("stereoset", "use 'aslant pairs'"),
        ("bec-pro", "use 'aslant pairs'"),
        ("holisticbias", "use 'aslant holistic'"),
        ("bbq", "use 'aslant bbq'"),
        ("gap", "use 'aslant pronoun-resolution'"),
        ("winobias/pro_stereotyped_type1.txt.dev", "use 'aslant pronoun-choice'"),
        ("glove-6b-50d", "is not a list of attributes but GloVe 6B.*; give words"),
        ("bold", "is not a list of attributes but BOLD"),
    ],
)
def test_data_of_another_kind_are_refused_with_the_command_that_measures_them(name: str, words: str) -> None:
    with pytest.raises(StimuliError, match=words):
        attribute_list(name)


def test_no_registered_data_that_are_not_lists_are_taken_for_attributes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aslant.measures.template_tests.stimuli.resolve", lambda name: pytest.fail(f"{name} was read"))
    others = [entry.name for entry in aslant.data.entries() if entry.kind not in ("words", "names")]
    assert {"crows-pairs", "stereoset", "bec-pro", "bold", "gap", "simlex-999"} <= set(others)
    for name in others:
        with pytest.raises(StimuliError, match=f"'{name}' is not a list of attributes but "):
            attribute_list(name)


def test_a_file_of_such_data_and_a_column_of_numbers_are_refused(tmp_path: Path) -> None:
    pairs = tmp_path / "crows_pairs_anonymized.csv"
    pairs.write_text(",sent_more,sent_less\n0,a,b\n1,c,d\n", encoding="utf-8")
    with pytest.raises(StimuliError, match="is not a list of attributes but CrowS-Pairs"):
        attribute_list(pairs)
    renamed = pairs.rename(tmp_path / "mine.csv")
    with pytest.raises(
        StimuliError, match=r"column 1 of '.*mine\.csv' has numbers, not words; .* sent_more, sent_less"
    ):
        attribute_list(renamed)
    assert attribute_list(renamed, column="sent_less")[0].words == ("b", "d")
    own = tmp_path / "vocab.txt"  # as models have one, too
    own.write_text("nurse\nclerk\n", encoding="utf-8")
    assert attribute_list(own)[0].words == ("nurse", "clerk")


def test_the_published_shares_come_out_of_the_authors_scores(real_data: Path) -> None:
    with (real_data / "kurita" / "kurita_table5_scores.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    for name, percentage in (("positive_traits", 80.0), ("negative_traits", 78.9), ("job_titles", 88.5)):
        scores = [float(row["bias_prior_corrected_as_in_code"]) for row in rows if row["set"] == name]
        assert round(100 * contrast("he", "she", np.array(scores)).share, 1) == percentage


def test_a_template_without_its_slots_is_named() -> None:
    with pytest.raises(MeasureError, match=r"has no \[TARGET\] and \[ATTRIBUTE\]"):
        asked("no slots here", [["he"], ["she"]])


@pytest.mark.parametrize("template", ["[target] is a [ATTRIBUTE].", ["[TARGET] is a [Attribute]."]])
def test_small_letters_in_a_template_are_named(template: Any) -> None:
    told = r"has \[(target|Attribute)\]; write \[TARGET\] and \[ATTRIBUTE\] in capitals"
    with pytest.raises(AslantError, match=told):
        aslant.log_probability_bias(FakeMaskedLM(TABLE), template, (["he"], ["she"]), ["nurse"])


@pytest.mark.parametrize(("absent", "end"), [(10, "odd8, odd9; it is odd"), (11, "odd8, odd9 …; it is odd")])
def test_a_note_names_ten_of_the_attributes_that_cannot_be_placed(absent: int, end: str) -> None:
    class Picky(FakeMaskedLM):
        def unplaceable(self, sentences: Any) -> dict[int, str]:
            return {place: "it is odd" for place, s in enumerate(sentences) if s.attribute.startswith("odd")}

    words = [*JOBS, *(f"odd{number}" for number in range(absent))]
    notes = aslant.log_probability_bias(Picky(), TEMPLATE, (["he"], ["she"]), words, chance=0).notes
    assert [note for note in notes if f"left out ({absent}): odd0, " in note and note.endswith(end)]
