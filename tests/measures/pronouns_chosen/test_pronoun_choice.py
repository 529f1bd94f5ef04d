"""The choice of pronouns: planted stereotypes are found with the right sign, chance is not, and sums are as by hand."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy import stats

import aslant
from aslant.errors import AslantError, MeasureError, StimuliError
from aslant.measures.pronouns_chosen import measure
from aslant.measures.pronouns_chosen.measure import pronoun_set
from aslant.measures.pronouns_chosen.scoring import Drawing, contrast, logistic, preference, sentence_for
from aslant.measures.pronouns_chosen.settings import PronounChoiceSettings
from aslant.measures.pronouns_chosen.show import glance, groups_table
from aslant.models.protocols import MaskedScore, Sentence
from aslant.statistics import cluster_bootstrap_means, correlation_pvalue, rank_correlation_pvalue
from aslant.stimuli.pronoun_sets import PronounText
from fake_pronouns import MEN, WOMEN, CausalPronounLM, MaskedPronounLM, write_sets, write_winobias, write_winogender

FAST: dict[str, Any] = {"bootstrap": 200, "n_resamples": 999}


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return write_sets(tmp_path_factory.mktemp("sets"))


@pytest.mark.parametrize("lm", [MaskedPronounLM(planted=1.5), CausalPronounLM(planted=1.5)])
@pytest.mark.parametrize("which", [0, 1])
def test_a_planted_stereotype_is_preferred_in_every_sentence(sets: tuple[Path, Path], which: int, lm: Any) -> None:
    result = aslant.pronoun_choice(lm, sets[which], **FAST)
    group = result.groups[0]
    assert group.preference.share == 1
    assert group.preference.gap == pytest.approx(1.5)
    assert group.preference.pvalue <= 0.003
    assert all(g.preference.share == 1 for g in result.groups)
    assert group.contrast.difference > 2
    assert group.contrast.pvalue < 0.001
    assert group.correlation.pearson > 0.7
    assert group.correlation.pearson_pvalue <= 0.002


@pytest.mark.parametrize("value", [math.nan, -math.inf])
@pytest.mark.parametrize(
    ("kind", "hidden"), [(MaskedPronounLM, False), (MaskedPronounLM, True), (CausalPronounLM, False)]
)
def test_a_probability_of_nought_is_an_error_that_names_the_sentence(
    sets: tuple[Path, Path], kind: Any, hidden: bool, value: float
) -> None:
    lm = kind(planted=1.5)
    usual = lm.log_probability

    def one_is_not(sentence: Sentence, **given: bool) -> float:
        odd = given["hidden"] == hidden and (sentence.target, sentence.attribute) == ("she", "nurse")
        return value if odd else usual(sentence, **given)

    lm.log_probability = one_is_not
    with pytest.raises(MeasureError, match=r"no finite log-probability for '.*nurse"):
        aslant.pronoun_choice(lm, sets[0], **FAST)


class WithTwins(MaskedPronounLM):
    """A model of which the first untrained twin prefers “he” everywhere, and the second is as it is."""

    def untrained(self, seed: int) -> MaskedPronounLM:
        return (MaskedPronounLM(general=-2.0), MaskedPronounLM(planted=1.5))[seed]


def test_what_an_untrained_model_reaches_is_not_evidence(sets: tuple[Path, Path]) -> None:
    none, one, two = (aslant.pronoun_choice(WithTwins(planted=1.5), sets[0], twins=n, **FAST) for n in range(3))
    for n, result in enumerate((none, one, two)):
        alone = [aslant.pronoun_choice(WithTwins().untrained(i), sets[0], **FAST).groups[0] for i in range(n)]
        assert [(t.share, t.contrast) for t in result.twins] == [
            (g.preference.share, g.contrast.difference) for g in alone
        ]
        assert result.groups == none.groups
    graded = [[line.evidence for line in glance(result, lambda name: name)] for result in (none, one, two)]
    assert graded == [["strong"] * 3, ["strong"] * 3, ["none"] * 3]
    assert any("untrained models of the same" in note and "shares of" in note for note in groups_table(two).notes)
    unmade = aslant.pronoun_choice(MaskedPronounLM(), sets[0], twins=1, **FAST)
    assert any("cannot be rebuilt here." in note for note in groups_table(unmade).notes)


def test_the_opposite_of_a_stereotype_has_the_opposite_sign(sets: tuple[Path, Path]) -> None:
    result = aslant.pronoun_choice(MaskedPronounLM(planted=-1.5), sets[0], **FAST)
    assert result.groups[0].preference.share == 0
    assert result.groups[0].preference.gap == pytest.approx(-1.5)
    assert result.groups[0].correlation.pearson < -0.7


def test_pvalues_without_a_stereotype_are_spread_evenly() -> None:
    random, drawing = np.random.default_rng(5), Drawing(PronounChoiceSettings(bootstrap=0, n_resamples=199), 1)
    names = [(name, "male") for name in MEN] + [(name, "female") for name in WOMEN]
    found = []
    for _ in range(60):
        # Sentences of one occupation have much in common, so that a test over sentences would be wrong.
        scored = [(name, gender, own + random.normal()) for name, gender in names for own in [random.normal()] * 2]
        found.append((preference(scored, drawing).pvalue, contrast(scored, drawing).pvalue))
    for values in zip(*found, strict=True):
        assert stats.kstest(values, "uniform").pvalue > 0.001
        assert sum(value < 0.05 for value in values) <= 9


@pytest.mark.parametrize("general", [0.0, -2.0])
def test_a_model_that_knows_no_stereotype_shows_none(sets: tuple[Path, Path], general: float) -> None:
    for source in sets:
        for group in aslant.pronoun_choice(MaskedPronounLM(general=general), source, **FAST).groups:
            assert group.contrast.difference == pytest.approx(0)
            assert group.contrast.pvalue == 1
            assert group.corrected.pvalue == 1
            assert group.correlation is None
            assert group.preference.pvalue > 0.5


def test_what_a_model_prefers_everywhere_is_no_stereotype(sets: tuple[Path, Path]) -> None:
    always_he = aslant.pronoun_choice(MaskedPronounLM(general=-4.0, noise=0.5), sets[0], **FAST).groups[0]
    assert always_he.p_male > 0.95
    assert always_he.preference.share == 0.5
    assert always_he.gap_of_male == pytest.approx(4, abs=0.3)
    assert always_he.gap_of_female == pytest.approx(-4, abs=0.3)
    assert always_he.preference.pvalue > 0.5
    assert always_he.contrast.pvalue > 0.05
    both = aslant.pronoun_choice(MaskedPronounLM(general=-4.0, planted=0.5), sets[0], **FAST).groups[0]
    assert both.preference.pvalue > 0.5  # hidden behind “he” …
    assert both.contrast.difference == pytest.approx(1.0)  # … and seen without it
    assert both.contrast.pvalue < 0.001
    assert both.corrected.gap == pytest.approx(0.5)
    assert both.corrected.share == 1


class Spelt(MaskedPronounLM):
    """Probabilities by hand: P(word) at the mask, with the occupation shown and masked."""

    SHOWN: ClassVar = {"he": 0.2, "she": 0.3, "him": 0.1, "his": 0.05, "her": 0.6, "they": 0.25}
    HIDDEN: ClassVar = {"he": 0.4, "she": 0.1, "him": 0.2, "his": 0.2, "her": 0.1, "they": 0.1}

    def masked_scores(self, sentences, **options):  # type: ignore[no-untyped-def]
        self.asked += sentences
        return [
            MaskedScore(math.log(self.SHOWN[s.target]), math.log(self.HIDDEN[s.target]), (s.target,), (s.attribute,))
            for s in sentences
        ]


def test_scores_are_those_computed_by_hand(tmp_path: Path) -> None:
    lines = {
        "pro 1": ["[The cook] slept because [he] was ill.", "[The nurse] said that [she] lost [her] key."],
        "anti 1": ["[The cook] slept because [she] was ill.", "[The nurse] said that [he] lost [his] key."],
    }
    lm = Spelt()
    first, second = aslant.pronoun_choice(lm, write_winobias(tmp_path / "w", lines), bootstrap=0).scores
    assert first.log_odds == pytest.approx(math.log(0.3 / 0.2))
    assert first.gap == pytest.approx(-math.log(0.3 / 0.2))
    assert first.log_odds_corrected == pytest.approx(math.log(0.3 / 0.1) - math.log(0.2 / 0.4))
    assert first.p_male == pytest.approx(0.2 / 0.5)
    # Two pronouns: the second would tell the first, so both are masked, and that is the one score there is.
    assert second.log_odds == pytest.approx(math.log(0.1 / 0.4))
    assert second.log_odds_corrected is None
    assert Sentence("The nurse said that [TARGET] lost [ATTRIBUTE] key.", "she", "her") in lm.asked
    assert Sentence("The [ATTRIBUTE] slept because [TARGET] was ill.", "he", "cook") in lm.asked


def test_without_the_other_file_him_and_his_are_added_up(tmp_path: Path) -> None:
    folder = write_winobias(tmp_path / "w", {"pro 2": ["The cook met [the nurse] and thanked [her]."]})
    (score,) = aslant.pronoun_choice(Spelt(), folder, bootstrap=0).scores
    assert score.gap == pytest.approx(math.log(0.6 / 0.15))
    assert score.log_odds_corrected == pytest.approx(math.log(0.6 / 0.1) - math.log(0.15 / 0.4))


def test_they_is_the_share_of_three_and_absent_where_the_verb_changes(sets: tuple[Path, Path]) -> None:
    result = aslant.pronoun_choice(Spelt(), sets[1], bootstrap=0)
    assert result.group("occupation").p_neutral == pytest.approx(0.25 / 0.75)
    assert result.group("participant").p_neutral is None
    assert result.group("occupation (someone)").sentences == 18
    tailor = next(o for o in result.occupations if o.occupation == "tailor")
    assert (tailor.share_women, tailor.stereotype, tailor.gap) == (50, None, None)


def test_a_sentence_is_asked_once_however_often_it_stands_there(tmp_path: Path) -> None:
    lines = {
        "pro 1": ["[The cook] slept because [he] was ill."] * 3,
        "anti 1": ["[The cook] slept because [she] was ill."] * 3,
    }
    lm = MaskedPronounLM(planted=1)
    result = aslant.pronoun_choice(lm, write_winobias(tmp_path / "w", lines), bootstrap=0)
    assert len(lm.asked) == 2
    assert len(result.scores) == 3
    assert any("2 sentences twice" in note for note in result.notes)


def test_a_causal_model_compares_whole_sentences_with_every_pronoun_swapped(tmp_path: Path) -> None:
    lines = {"pro 1": ["[The nurse] said [she] lost [her] key."], "anti 1": ["[The nurse] said [he] lost [his] key."]}
    lm = CausalPronounLM(planted=1)
    result = aslant.pronoun_choice(lm, write_winobias(tmp_path / "w", lines), bootstrap=0)
    assert {s.text for s in lm.asked} == {"The nurse said she lost her key.", "The nurse said he lost his key."}
    assert result.method == "whole sentences"
    assert result.groups[0].corrected is None
    assert "causal model" in result.notes[0]


def test_sentences_that_a_model_cannot_place_are_left_out_and_listed(sets: tuple[Path, Path]) -> None:
    class Picky(MaskedPronounLM):
        def unplaceable(self, sentences):  # type: ignore[no-untyped-def]
            return {i: "too long" for i, s in enumerate(sentences) if s.attribute == "baker"}

    result = aslant.pronoun_choice(Picky(planted=1), sets[0], **FAST)
    assert {remark.id for remark in result.left_out} == {"type 1 dev 16", "type 2 dev 15"}
    assert set(result.missing) == {remark.id for remark in result.left_out}
    assert "baker" not in {o.occupation for o in result.occupations}
    assert len(result.scores) == 36 - 2


def test_the_unit_of_the_test_is_the_occupation() -> None:
    one = [("cook", "male", 1.0)] * 500
    assert preference(one, Drawing(PronounChoiceSettings(bootstrap=0, n_resamples=99), 0)).pvalue == 1
    eight = [(name, "male", 1.0 + place) for place, name in enumerate(MEN[:8])]
    assert preference(eight, Drawing(PronounChoiceSettings(bootstrap=0, n_resamples=99), 0)).pvalue == 2 / 2**8


def test_the_interval_draws_occupations_within_each_gender() -> None:
    sums, sizes, strata = np.array([8.0, 0.0, -4.0, -4.0]), np.array([2, 2, 2, 2]), ["m", "m", "f", "f"]
    means = cluster_bootstrap_means(sums, sizes, strata, 4000, np.random.default_rng(0))
    assert set(np.round(means, 6)) == {-1.0, 0.0, 1.0}  # the men's mean is 0, 2 or 4, the women's always −2
    assert np.mean(means == 0) == pytest.approx(0.5, abs=0.03)
    with pytest.raises(MeasureError, match="3 sums"):
        cluster_bootstrap_means([1, 2, 3], [1, 1], [0, 0], 10, np.random.default_rng(0))


def test_the_contrast_is_an_exact_permutation_of_occupations() -> None:
    odds = [(name, "female", 5.0 + k) for k, name in enumerate(WOMEN[:3])]
    odds += [(name, "male", 1.0 + k) for k, name in enumerate(MEN[:3])]
    found = contrast(odds, Drawing(PronounChoiceSettings(bootstrap=0, n_resamples=99), 0))
    assert found.difference == 4
    assert found.pvalue == pytest.approx(2 / 20)
    assert contrast(odds[:3], Drawing(PronounChoiceSettings(bootstrap=0, n_resamples=99), 0)) is None


def test_correlation_pvalues_agree_with_scipys_permutation_test() -> None:
    x, y = [1.0, 2.5, 3.0, 7.0, 4.0], [2.0, 1.0, 4.0, 9.0, 5.0]
    exact = stats.permutation_test(
        (y,), lambda z: stats.pearsonr(x, z).statistic, permutation_type="pairings", n_resamples=np.inf
    )
    two_sided = np.mean(np.abs(exact.null_distribution) >= abs(exact.statistic) - 1e-12)
    assert correlation_pvalue(x, y) == pytest.approx(two_sided)
    many = np.arange(30.0)
    assert correlation_pvalue(many, many, n_resamples=99) == 0.01
    assert rank_correlation_pvalue(many, many**2, n_resamples=99) == 0.01
    with pytest.raises(MeasureError, match="two of one length"):
        correlation_pvalue([1, 2], [1])


def test_the_model_is_given_the_journal_and_tells_how_far_it_is(sets: tuple[Path, Path], tmp_path: Path) -> None:
    lm, told = MaskedPronounLM(), []
    aslant.pronoun_choice(
        lm,
        sets[0],
        bootstrap=0,
        journal=tmp_path / "kept",
        progress=lambda *said: told.append(said[1:]),
    )
    assert [tables.folder for tables in lm.journals] == [tmp_path / "kept"]
    assert told == [(72, 72)]


def test_the_same_seed_gives_the_same_result(sets: tuple[Path, Path]) -> None:
    first, second, other = (
        aslant.pronoun_choice(MaskedPronounLM(noise=1), sets[0], rng=seed, **FAST) for seed in (3, 3, 4)
    )
    assert first == second
    assert first.groups[0].preference.gap == other.groups[0].preference.gap
    assert first.groups[0].preference.gap_interval != other.groups[0].preference.gap_interval


def test_published_sentences_go_through_with_a_planted_stereotype(real_data: Path) -> None:
    result = aslant.pronoun_choice(MaskedPronounLM(planted=1), real_data / "winobias", split="test", bootstrap=0)
    assert [group.sentences for group in result.groups] == [786, 392, 394]
    known = [s for s in result.scores if s.occupation in (*MEN, *WOMEN) and s.log_odds_corrected is not None]
    assert known
    assert all(score.gap > 0 for score in known)


def test_what_cannot_be_read_is_one_clear_error(tmp_path: Path, sets: tuple[Path, Path]) -> None:
    lm = MaskedPronounLM()
    (tmp_path / "empty").mkdir()
    both = write_winogender(write_winobias(tmp_path / "both"))
    (tmp_path / "notes.txt").write_text("x")
    cases: list[tuple[Any, dict[str, Any], str]] = [
        (tmp_path / "empty", {}, "is neither WinoBias"), (both, {}, "of WinoBias and of Winogender"),
        (tmp_path / "notes.txt", {}, "is neither WinoBias"), (sets[1], {"split": "dev"}, "is for WinoBias"),
        (sets[0], {"split": "train"}, "not one of dev, test"), (sets[0], {"split": "test"}, "has no file of WinoBias"),
        (sets[0], {"bootstrap": -1}, "bootstrap is -1"), (sets[0], {"confidence": 2}, "confidence is 2"),
        ("no-such-set", {}, "there is no 'no-such-set'"), ("glove-6b-50d", {}, "needed here: benchmark"),
    ]  # fmt: skip
    for source, options, message in cases:
        with pytest.raises(AslantError, match=message):
            aslant.pronoun_choice(lm, source, **options)
    with pytest.raises(MeasureError, match="not a language model"):
        aslant.pronoun_choice(7, sets[0])
    with pytest.raises(StimuliError, match="no line of"):
        pronoun_set(write_winobias(tmp_path / "bad", {"pro 1": ["no brackets"]}))


def test_the_logistic_function() -> None:
    assert (logistic(0.0), round(logistic(-2.0), 4)) == (0.5, 0.1192)


def test_a_second_pronoun_of_the_same_person_is_masked_too() -> None:
    text = PronounText("The [OCCUPATION] said [PRONOUN] lost [PRONOUN] key.", "cook", (("he", "his"),), ())
    masked, shown = (sentence_for(text, ("he", "his"), masked=masked).template for masked in (True, False))
    assert masked == "The cook said [TARGET] lost [ATTRIBUTE] key."
    assert shown == "The [ATTRIBUTE] said [TARGET] lost his key."


def test_a_folder_of_ones_own_comes_before_data_of_its_name(
    sets: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_data(*given: Any, **more: Any) -> Path:
        raise AssertionError("what is there is not looked for elsewhere")

    monkeypatch.setattr("aslant.data.fetching.resolve", no_data)
    monkeypatch.chdir(sets[1].parent)
    assert pronoun_set(sets[1].name).items == pronoun_set(sets[1]).items


@pytest.mark.parametrize(("pronouns", "noted"), [(("he", "his"), True), (("he",), False)])
def test_sentences_with_two_pronouns_of_one_person_are_counted(pronouns: tuple[str, ...], noted: bool) -> None:
    text = PronounText("The [OCCUPATION] said [PRONOUN] lost it.", "cook", (pronouns,), ())
    asked = SimpleNamespace(items=[SimpleNamespace(texts=[text])], odd=())
    said = [note for note in measure._notes(asked, "masked") if note.startswith("two pronouns of one person in 1")]  # type: ignore[arg-type]
    assert bool(said) is noted
