"""An audit decides what fits, runs it, and one measure that breaks off does not sink the rest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from scipy.stats import false_discovery_control

import aslant
from aslant.auditing import running
from aslant.auditing.running import STEPS
from aslant.auditing.step_context import Work
from aslant.auditing.subjects import CALLED, kind_of, subject_of
from aslant.catalogue import Step, kinds
from aslant.errors import AslantError, DataError, MeasureError, MissingExtraError
from aslant.measures.polarities.result import PolarityResult
from aslant.results.audit import Profile
from aslant.results.codec import MeasuredResult
from aslant.statistics import benjamini_hochberg
from fake_lm import FakeCausalLM, FakeMaskedLM


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.id)
def test_every_step_has_a_title_settings_for_its_profiles_and_fits_something(step: Step) -> None:
    assert step.title
    assert step.fits <= set(CALLED)
    assert step.fits
    assert {"full"} <= set(step.profiles) <= set(get_args(Profile))


def test_the_guide_names_every_measure_of_an_audit() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "audit.md").read_text(encoding="utf-8")
    assert [step.id for step in STEPS if f"| `{step.id}`" not in guide] == []


def test_ids_of_steps_differ_and_a_full_run_draws_at_least_as_much_as_a_quick_one() -> None:
    assert len({step.id for step in STEPS}) == len(STEPS)
    for step in STEPS:
        quick, full = step.profiles.get("quick", {}), step.profiles["full"]
        for name in set(quick) & set(full):
            if isinstance(quick[name], int):
                assert quick[name] <= full[name]
    enumeration = next(step for step in STEPS if step.id == "enumeration")
    assert "precision" not in enumeration.profiles["full"]  # no early stopping


def test_a_static_embedding_gets_the_static_measures_and_a_glance_of_each(tiny_run: aslant.AuditResult) -> None:
    assert [part.measure for part in tiny_run.parts] == ["weat", "polarity", "geometry"]
    assert {line.measure for line in tiny_run.glance} == {"weat", "polarity", "geometry"}
    assert all(line.sentence.endswith(".") for line in tiny_run.glance)
    others = ("weat-categories", "word-set-scores", "intersectional", "residual", "enumeration")
    assert tiny_run.not_run == dict.fromkeys(others, "left out on request")
    keys = [(line.measure, line.stimuli, line.effect_name) for line in tiny_run.glance]
    assert len(set(keys)) == len(keys)
    by_test = {line.stimuli: line.category for line in tiny_run.glance}
    assert (by_test["weat-3"], by_test["weat-6"], by_test["weat-10"]) == ("race", "gender", "age")


@pytest.fixture(scope="module")
def tiny_run() -> aslant.AuditResult:
    return aslant.audit(only=["weat", "polarity", "geometry"], profile="quick")


@pytest.mark.parametrize(
    ("lm", "measures"),
    [
        (
            FakeMaskedLM(),
            [
                "log-probability",
                "attribute-lists",
                "template-weat",
                "pronoun-choice",
                "holistic-bias",
                "sentence-pairs",
            ],
        ),
        (FakeCausalLM(), ["log-probability", "attribute-lists", "pronoun-choice", "holistic-bias", "sentence-pairs"]),
    ],
)
def test_a_language_model_gets_the_measures_that_fit_its_kind(lm: FakeMaskedLM, measures: list[str]) -> None:
    subject = subject_of(lm)
    assert [step.id for step in running.Plan(subject).steps] == measures
    audit = aslant.audit(lm, only=["attribute-lists"], profile="quick")
    assert [(line.measure, line.stimuli, line.category) for line in audit.glance] == [
        ("attribute-lists", "occupations-share-of-women", "gender")
    ]
    assert audit.weat is None
    assert audit.polarity == ()
    assert aslant.AuditResult.from_dict(json.loads(audit.to_json())) == audit


def test_every_result_of_an_audit_has_a_line(tiny_run: aslant.AuditResult) -> None:
    for part in tiny_run.parts:
        assert all(kinds()[result.kind].glance for result in part.results)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"only": ["waet"]}, "did you mean weat"),
        ({"skip": ["nothing at all"]}, "is not a measure of an audit; these fit: weat"),
        ({"only": ["template-weat"]}, "'template-weat' does not fit a static embedding"),
        ({"only": ["own words"]}, "there are no words of your own"),
        ({"only": "weat", "skip": "weat"}, "nothing is left to measure"),
        ({"profile": "fast"}, "profile='fast' is not one of quick, standard, full"),
        ({"rng": None}, "rng=None is not a seed"),
        ({"words": "no-such-set"}, "there is no word set 'no-such-set'"),
    ],
)
def test_bad_settings_are_one_clear_error(settings: dict[str, object], words: str) -> None:
    with pytest.raises(AslantError, match=words):
        aslant.audit(aslant.load(top=100), **settings)  # type: ignore[arg-type]


def test_what_cannot_be_audited_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MeasureError, match="cannot be audited"):
        subject_of(3)
    with pytest.raises(AslantError, match="cannot load an int"):
        aslant.audit(3)
    with pytest.raises(DataError, match="'gap' is data of the kind 'benchmark'"):
        kind_of("gap")
    with pytest.raises(AslantError, match=r"there is no file 'nowhere\.txt'"):
        aslant.audit("nowhere.txt")
    with pytest.raises(AslantError, match="did you mean glove-6b-50d"):
        aslant.audit("glove-6b-5d")
    monkeypatch.setenv("ASLANT_OFFLINE", "1")
    with pytest.raises(AslantError, match="nor data or a hub model of that name"):
        aslant.audit("who/knows")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"no file 'whoknows'.*pip install '\.\[lm\]'"):
        aslant.audit("whoknows")


def test_a_folder_is_told_by_its_configuration(tmp_path: Path) -> None:
    for architectures, kind in (
        (["BertForMaskedLM"], "language model"),
        (["BertModel"], "encoder"),
        (None, "language model"),
    ):
        (tmp_path / "config.json").write_text(json.dumps({"architectures": architectures}))
        assert kind_of(tmp_path) == kind
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(DataError, match="cannot be read"):
        kind_of(tmp_path)
    (tmp_path / "config.json").unlink()
    assert kind_of(tmp_path) == "static"  # a folder of vectors, such as HistWords


def steps(*named: Step) -> tuple[Step, ...]:
    return named


def fake(name: str, run: object) -> Step:
    nothing: dict[str, dict[str, int]] = {"quick": {}, "standard": {}, "full": {}}
    return Step(id=name, title=name.title(), fits=frozenset({"static"}), run=run, profiles=nothing)  # type: ignore[arg-type]


def lean(work: Work) -> tuple[MeasuredResult, ...]:
    return (aslant.polarity(work.subject.opened, ["he", "she"], ["doctor", "nurse"], rng=work.seed, bootstrap=10),)


def breaks(work: Work) -> tuple[MeasuredResult, ...]:
    raise ZeroDivisionError("a fault\nof ours")


def lacks(work: Work) -> tuple[MeasuredResult, ...]:
    raise MeasureError("too few words.")


def test_one_measure_that_breaks_off_does_not_sink_the_rest(
    tiny: aslant.WordVectors, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(running, "STEPS", steps(fake("a", lean), fake("b", breaks), fake("c", lacks), fake("d", lean)))
    told: list[tuple[str, str]] = []
    audit = aslant.audit(tiny, run_folder=tmp_path / "run", on_failure=lambda name, trace: told.append((name, trace)))
    assert [part.measure for part in audit.parts] == ["a", "d"]
    assert audit.failed == {"b": "ZeroDivisionError: a fault of ours"}
    assert audit.not_run == {"c": "too few words."}
    assert told[0][0] == "b"
    assert "Traceback" in told[0][1]
    assert (tmp_path / "run" / "b-failed.txt").read_text() == told[0][1]
    with pytest.warns(UserWarning, match="the measure 'b' failed: of ours"):
        aslant.audit(tiny)


def test_nothing_measured_at_all_is_an_error_that_says_why(
    tiny: aslant.WordVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "STEPS", steps(fake("c", lacks)))
    with pytest.raises(MeasureError, match="nothing could be measured; c: too few words"):
        aslant.audit(tiny)


def test_the_seed_and_the_profile_reach_the_measures_and_the_result(tiny_run: aslant.AuditResult) -> None:
    again = aslant.audit(only=["polarity"], profile="quick", rng=7)
    assert (again.seed, again.profile) == (7, "quick")
    assert {r.provenance.seed for r in again.polarity} == {7}
    assert {r.interval.n_resamples for r in again.polarity if r.interval} == {500}
    assert tiny_run.seed == 0


OWN = {
    "mine-weat": 'kind = "weat"\ncategory = "caste"\n[[targets]]\nname = "X"\nwords = ["king", "lord", "duke"]\n'
    '[[targets]]\nname = "Y"\nwords = ["servant", "worker", "farmer"]\n[[attributes]]\nname = "A"\n'
    'words = ["good", "honest"]\n[[attributes]]\nname = "B"\nwords = ["bad", "liar"]\n',
    "mine-classes": 'kind = "classes"\ncategory = "age"\n[[classes]]\nname = "young"\nwords = ["young"]\n'
    '[[classes]]\nname = "old"\nwords = ["old"]\n[[classes]]\nname = "adult"\nwords = ["adult"]\n',
    "mine-pairs": 'kind = "pairs"\ncategory = "gender"\npoles = ["f", "m"]\n'
    'pairs = [["she", "he"], ["woman", "man"]]\n',
    "mine-words": 'kind = "words"\ncategory = "profession"\nwords = ["nurse", "engineer", "clerk"]\n',
    "mine-templates": 'kind = "templates"\ncategory = "religion"\n[[templates]]\ntext = "[TARGET] are [ATTRIBUTE]."\n'
    '[[targets]]\nname = "T"\nwords = ["nuns"]\n[[targets]]\nname = "U"\nwords = ["monks"]\n[[attributes]]\n'
    'name = "A"\nwords = ["good", "kind"]\n[[attributes]]\nname = "B"\nwords = ["bad", "cruel"]\n',
}


@pytest.fixture
def own(tmp_path: Path) -> list[Path]:
    head = 'title = "mine"\nlanguage = "en"\nlicence = "own"\ncitation = "own"\n'
    for name, text in OWN.items():
        kind, _, rest = text.partition("\n")
        (tmp_path / f"{name}.toml").write_text(f"{kind}\n{head}{rest}", encoding="utf-8")
    return [tmp_path / f"{name}.toml" for name in OWN]


def test_own_words_go_to_the_measure_that_fits_them_in_an_embedding(own: list[Path]) -> None:
    audit = aslant.audit(only=["own words"], words=own, profile="quick")
    assert {(line.stimuli, line.category) for line in audit.glance} == {
        ("mine-weat", "caste"),
        ("mine-classes, one-vs-one", "age"),
        ("mine-classes, one-vs-rest", "age"),
        ("mine-pairs, subspace", "gender"),
        ("gender-binary, binary, mine-words", "gender"),
    }
    needed = "a set of this kind needs a masked language model or a causal language model."
    assert audit.not_run["own words, mine-templates"] == needed


def test_own_words_go_to_the_measure_that_fits_them_in_a_language_model(own: list[Path]) -> None:
    audit = aslant.audit(FakeMaskedLM(), only=["own words"], words=own, profile="quick")
    assert {(line.stimuli, line.category, line.effect_name) for line in audit.glance} == {
        ("mine-templates", "religion", "d"),
        *((f"mine-classes, occupations-share-of-women, {name}", "age", "share") for name in ("young", "adult", "old")),
        ("mine-words", "gender", "share"),
    }
    assert {result.provenance.settings["twins"] for result in audit.parts[0].results} == {1}
    assert set(audit.not_run) >= {"own words, mine-weat", "own words, mine-pairs"}


def test_words_that_were_given_are_measured_whatever_else_is_chosen(own: list[Path]) -> None:
    assert [part.measure for part in aslant.audit(only=["polarity"], words=own, profile="quick").parts] == [
        "polarity",
        "own words",
    ]
    left_out = aslant.audit(only=["polarity"], skip=["own words"], words=own, profile="quick")
    assert [part.measure for part in left_out.parts] == ["polarity"]


def test_tests_without_a_suite_are_judged_together() -> None:
    lines = aslant.audit(FakeMaskedLM(), only=["template-weat"], profile="quick").glance
    pvalues = [line.pvalue for line in lines if line.pvalue is not None]
    assert len(pvalues) == len(lines) > 1
    assert [line.qvalue for line in lines] == pytest.approx(false_discovery_control(pvalues))


def test_two_own_sets_of_one_name_are_refused(own: list[Path], tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / own[0].name).write_bytes(own[0].read_bytes())
    with pytest.raises(AslantError, match="two sets of words are called 'mine-weat'"):
        aslant.audit(words=[own[0], tmp_path / "more" / own[0].name])


def test_tests_of_a_suite_that_cannot_be_run_are_listed_and_no_difference_of_them_is_missed() -> None:
    few = aslant.load(top=20_000)
    c = aslant.audit_models([few, few], only=["weat"], profile="quick")
    a = c.audits[0]
    assert a.weat is not None
    skipped = {f"weat, {test.test}": test.reason for test in a.weat.skipped}
    assert "weat, weat-3" in skipped
    assert skipped.items() <= a.not_run.items()
    assert not c.not_compared


def test_template_tests_look_both_ways_and_allow_for_their_number() -> None:
    a = aslant.audit(FakeMaskedLM(), only=["log-probability", "template-weat"])
    suite, tests = (part.results for part in a.parts)
    assert {r.alternative for r in (*suite[0].results, *tests)} == {"two-sided"}  # type: ignore[attr-defined]
    assert [line.qvalue for line in a.glance] == list(benjamini_hochberg([line.pvalue for line in a.glance]))  # type: ignore[arg-type]
    assert not any("against the direction" in line.sentence for line in a.glance)


def test_several_models_stand_side_by_side_with_paired_differences() -> None:
    v = aslant.load()
    keep = [i for i, w in enumerate(v.words) if w != "asian"]
    noisy = v.matrix[keep] + np.random.default_rng(0).normal(scale=0.3, size=(len(keep), v.dimensions))
    other = aslant.WordVectors.from_arrays([v.words[i] for i in keep], noisy, name="noisy")
    c = aslant.audit_models([v, other], only=["weat", "polarity", "geometry"], profile="quick")
    assert c.names == ("sample", "noisy")
    by_key = {(line.measure, line.stimuli): line for line in c.differences}
    weat = by_key["weat", "weat-6"].differences[0]
    paired = next(w for w in aslant.compare(v, other, bootstrap=500).weat if w.test == "weat-6")
    assert (weat.difference, weat.interval, weat.words) == (
        paired.difference.difference, paired.difference.interval, paired.words,
    )  # fmt: skip
    assert by_key["polarity", "gender-binary, binary"].differences[0].pvalue is not None
    lines = [next(line for line in audit.glance if line.stimuli == "weat-6") for audit in c.audits]
    assert by_key["weat", "weat-6"].standardised == tuple(
        (line.effect - line.chance.mean) / line.chance.sd for line in lines if line.effect and line.chance
    )
    row = next(row for row in c.rows() if row["stimuli"] == "weat-6")
    assert (row["first_standardised"], row["standardised"]) == by_key["weat", "weat-6"].standardised
    unpaired = by_key["geometry", "definitional-pairs, subspace"]
    first, second = unpaired.values
    assert first is not None
    assert second is not None
    assert unpaired.differences[0].difference == second - first
    assert unpaired.differences[0].interval is None
    lacking = by_key["polarity", "race-four, one-vs-one"]
    assert lacking.values[1] is None
    assert lacking.differences[0].difference is None
    assert any("race-four" in what for what in c.not_compared)
    assert not aslant.audit_models(
        [v, other], only=["geometry"], profile="quick"
    ).not_compared  # it is not about polarity


def test_an_embedding_and_a_language_model_can_stand_side_by_side() -> None:
    skip = ["weat", "weat-categories", "word-set-scores", "intersectional", "geometry", "residual", "enumeration"]
    skip += ["log-probability", "template-weat", "pronoun-choice"]
    c = aslant.audit_models([aslant.load(top=5000), FakeMaskedLM()], skip=skip, profile="quick")
    assert {line.measure for line in c.differences} == {"polarity", "attribute-lists"}
    assert all(None in line.values for line in c.differences)


def test_one_model_is_no_comparison() -> None:
    with pytest.raises(MeasureError, match="one model was given"):
        aslant.audit_models([aslant.load()])


def test_the_glance_of_an_effect_against_the_tests_direction_says_so() -> None:
    swapped = aslant.weat(
        aslant.load(), targets=(["she", "woman"], ["he", "man"]), attributes=(["war"], ["love"]), bootstrap=0,
        alternative="greater",
    )  # fmt: skip
    from aslant.auditing.running import glances

    [line] = glances("weat", [swapped])
    assert line.effect is not None
    assert line.effect < 0
    assert "against the direction that the test asks about" in line.sentence


def test_a_polarity_result_is_judged_by_chance_alone_and_has_no_strength(tiny_run: aslant.AuditResult) -> None:
    part = tiny_run.part("polarity")
    assert part is not None
    assert all(isinstance(result, PolarityResult) for result in part.results)
    lines = [line for line in tiny_run.glance if line.measure == "polarity"]
    assert {(line.strength, line.pvalue, line.evidence) for line in lines} == {(None, None, "none")}
    assert all(line.chance_qvalue is not None for line in lines)
