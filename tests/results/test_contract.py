"""Every result is frozen, carries its provenance, and survives JSON unchanged."""

from __future__ import annotations

import dataclasses
import json
import math
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import aslant
import gap_like
from aslant.auditing import fleet
from aslant.auditing.runs import Runs
from aslant.errors import AslantError
from aslant.report.assembly import pictures_of
from aslant.results.audit import AuditComparison, AuditDifference, ModelDifference
from aslant.results.citing import bibtex
from aslant.results.codec import Result, result_from_dict
from aslant.results.parts import Interval
from aslant.results.stored import WorseLine
from aslant.stimuli import load_set
from fake_encoder import FakeEncoder
from fake_lm import FakeMaskedLM
from fake_pronouns import write_pairs, write_winogender
from fake_texts import FakeTexts
from made_sets import write_bbq, write_holistic
from planted_sentences import planted_sentences
from planted_text import planted

NOT_A_NUMBER = re.compile(r"\bnan\b|Infinity")


def examples() -> dict[str, Result]:
    """One result of each kind, from the measure that makes it."""
    v, few = aslant.load(), aslant.load(top=6_000)  # what these hold is no matter here; their kind is
    lm = FakeMaskedLM(unknown=["algebra"])
    found = aslant.enumerate_biases(v, groups="religions-four", words=2000, categories=4, rotations=200, chance=1)
    plan = aslant.make_survey(found)
    answers = [{"worker": "w", "task": "exam", "item": plan.public_id("e01"), "answer": "G1"}]
    encoder = FakeEncoder()
    spoken = [f"They {verb} of {word}." for verb in ("spoke", "heard") for word in load_set("weat-7").words[1:]]
    audit = aslant.audit(v, only=["weat", "polarity", "geometry"], profile="quick")
    line = audit.glance[0]
    gap = ModelDifference("sample", 0.0, Interval(-0.1, 0.1, 0.95, 20), None, 30)
    row = AuditDifference(line.measure, line.stimuli, line.category, line.effect_name, (line.effect,) * 2, (gap,))
    text = planted(words=250)
    store = aslant.ResultsStore(Path(tempfile.mkdtemp()) / "results.jsonl")
    for created in ("2026-01-01T00:00:00+00:00", "2026-02-01T00:00:00+00:00"):
        store.append(dataclasses.replace(audit, created=created), "ours")
    Runs(store.opened).begin({"ours": "", "theirs": ""}, {}, name="march")
    grown = WorseLine("ours", "january", "march", store.compare("ours").figures[0], 0.02, 0.5, "worse")
    made = [
        found,
        aslant.compare_enumerations(found, v),
        audit,
        aslant.check_policy(audit),
        store.audits(),
        store.figures("weat"),
        store.history("weat"),
        store.compare("ours"),
        store.runs(),
        dataclasses.replace(fleet.worse(store), lines=(grown,)),
        fleet.not_measured(store),
        AuditComparison((audit, audit), (row,), {}, audit.created, audit.version),
        aslant.score_survey(plan, answers),
        aslant.weat(v, "weat-6"),
        aslant.weat_suite(v),
        aslant.wefat(v),
        aslant.generalised_weat(v, [["he"], ["she", "her"]], [["war"], ["love", "nowhere"]]),
        aslant.relative_norm(v, "weat-6", chance=20, bootstrap=20),
        aslant.ripa(v, "weat-6", chance=20, bootstrap=20),
        aslant.mac(v, "weat-6", chance=20, bootstrap=20),
        aslant.ect(v, "weat-6", chance=20, bootstrap=20),
        aslant.rnsb(v, "weat-6", chance=20, bootstrap=20),
        aslant.same(v, "weat-6", chance=20, bootstrap=20),
        aslant.ml_eat(v, "weat-6", chance=20, bootstrap=20),
        aslant.word_set_scores(v, ["weat-6", "weat-7"], chance=20, bootstrap=20, n_resamples=20),
        aslant.polarity(v, "gender-binary"),
        aslant.compare_polarity([v, v], "gender-binary", bootstrap=20),
        aslant.polarity_trend(dict.fromkeys((1900, 1910), v), "gender-binary", bootstrap=20),
        aslant.polarity_trends(dict.fromkeys((1900, 1910), v), 2, bootstrap=20),
        aslant.trend({1900: [v, v], 1910: v}, "weat", test="weat-6", chance=20),
        aslant.compare(v, v, bootstrap=20),
        aslant.gender_subspace(v, random_pairs=50),
        aslant.direct_bias(v),
        aslant.indirect_bias(v, "softball", "football"),
        aslant.residual_bias(few, few, seeds=1, top=100, classified=100, picture="pca", chance=0),
        aslant.geometry(few, few, seeds=1, classified=100, random_pairs=9),
        aslant.replicate_paper("lu"),
        aslant.replicate_all(["lu"]),
        aslant.word_similarity(v, [("king", "queen", 9), ("king", "cabbage", 1), ("car", "train", 6)], bootstrap=20),
        aslant.debias_check(few, aslant.hard_debias(few), similarity=(), seeds=1),
        aslant.log_probability_bias(lm, targets=["he", "she", "they"], attributes=["nurse", "engineer"]),
        aslant.log_probability_weat(lm, "career-family"),
        aslant.log_probability_suite(lm, ["career-family"]),
        aslant.template_weat(lm, "math-arts"),
        aslant.intersectional_bias(v, n_resamples=99, chance=20),
        aslant.pmi_bias(["She is a nurse.", "He is a clerk."] * 20, ["nurse", "clerk"], contexts=(["she"], ["he"])),
        aslant.train(aslant.load_corpus(planted_sentences(1_000), name="own texts"), method="glove", runs=2).result,
        aslant.masked_weat(lm, "weat-6", bootstrap=20),
        aslant.masked_weat_suite(lm, ["weat-6", "weat-7"], bootstrap=20),
        aslant.seat(encoder, "weat-7", bootstrap=20),
        aslant.seat_suite(encoder, ["weat-6", "weat-7"], bootstrap=20),
        aslant.ceat(encoder, spoken, "weat-7", samples=20),
        aslant.ceat_suite(encoder, spoken, ["weat-6", "weat-7"], samples=20),
        (pairs := aslant.sentence_pairs(lm, write_pairs(Path(tempfile.mkdtemp())), bootstrap=20)),
        aslant.compare_pairs(pairs, pairs),
        aslant.holistic_bias(FakeTexts(), write_holistic(Path(tempfile.mkdtemp())), chance=20, twins=1, nouns=4),
        aslant.bbq(FakeTexts(), write_bbq(Path(tempfile.mkdtemp())), sets=1, bootstrap=20, twins=1),
        aslant.text_polarity(v, {"a": ["She is a nurse."], "b": ["A river."]}, sources=["He", None], chance=20),
        aslant.pronoun_choice(lm, write_winogender(Path(tempfile.mkdtemp()) / "winogender"), bootstrap=20),
        aslant.pronoun_resolution(
            gap_like.encoder(),
            gap_like.gap_like(60),
            lm=lm,
            seeds=1,
            topics=2,
            bootstrap=20,
            n_resamples=99,
            classifier=aslant.models.Classifier(units=4, epochs=2),
        ),
        aslant.contextual_bias(
            text.encoder,
            text.corpus,
            original=text.original,
            repeats=2,
            swaps=4,
            random_pairs=20,
            chance=9,
            picture="pca",
            compare={"static": text.original},
        ),
    ]
    return {result.kind: result for result in made}


@pytest.fixture(scope="module")
def results() -> dict[str, Result]:
    return examples()


kinds = pytest.mark.parametrize("kind", sorted({cls.kind for cls in aslant.results.kinds().values()}))


@kinds
def test_every_kind_of_result_has_a_measure_that_makes_it(results: dict[str, Result], kind: str) -> None:
    assert kind in results


@kinds
def test_json_brings_the_same_result_back(results: dict[str, Result], kind: str) -> None:
    result = results[kind]
    assert type(result).from_dict(json.loads(result.to_json())) == result


@kinds
def test_results_are_frozen(results: dict[str, Result], kind: str) -> None:
    field = dataclasses.fields(results[kind])[0].name  # type: ignore[arg-type]
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(results[kind], field, None)


@kinds
def test_repr_is_one_line_and_a_frame_has_the_rows(results: dict[str, Result], kind: str) -> None:
    result = results[kind]
    line = repr(result)
    assert line.startswith(f"{type(result).__name__}(")
    assert "\n" not in line
    assert len(line) < 500
    rows = result.rows()  # type: ignore[attr-defined]
    assert len(result.to_frame()) == len(rows)
    cited_by = bibtex(result)
    assert cited_by.count("@") >= 1


@kinds
def test_a_chart_is_altairs_or_refused_in_one_sentence(results: dict[str, Result], kind: str) -> None:
    if pictures_of(results[kind]):
        assert "mark" in json.dumps(results[kind].chart().to_dict())
        with pytest.raises(AslantError, match="there is no chart 'nosuch'"):
            results[kind].chart("nosuch")
    else:
        with pytest.raises(AslantError, match="has no chart"):
            results[kind].chart()


def numbers(content: Any) -> Iterator[float]:
    if isinstance(content, dict):
        content = list(content.values())
    if isinstance(content, list):
        for item in content:
            yield from numbers(item)
    elif isinstance(content, float):
        yield content


@kinds
def test_no_nan_ever_appears(results: dict[str, Result], kind: str) -> None:
    assert all(math.isfinite(number) for number in numbers(results[kind].to_dict()))


@kinds
def test_provenance_says_what_was_measured_by_which_version(results: dict[str, Result], kind: str) -> None:
    content = results[kind].to_dict()
    of_a_store = (
        "stored-audits", "stored-figures", "figure-history", "audit-change", "stored-runs", "worse-figures",
        "not-measured",
    )  # fmt: skip
    if kind in (
        "replication",
        "policy-check",
        *of_a_store,
    ):  # their lines are about several representations and name them
        assert content["version"] == aslant.__version__
        return
    if kind == "replications":
        assert content["results"][0]["version"] == aslant.__version__
        return
    inner = {
        "polarity-comparison": lambda: content["results"][0],
        "polarity-trends": lambda: content["trends"]["ovo (r)"],
        "audit": lambda: content["parts"][0]["results"][0],
        "audit-comparison": lambda: content["audits"][0]["parts"][0]["results"][0],
    }.get(kind, lambda: content)()
    provenance = inner["provenance"]
    assert provenance["version"] == aslant.__version__
    assert provenance["representation"]["name"].startswith(
        ("sample", "fake masked", "toy", "own sentences", "own texts")
    )
    assert len(provenance["representation"]["fingerprint"]) == 12
    assert isinstance(provenance["missing"], list)
    assert isinstance(provenance["settings"], dict)


@kinds
@pytest.mark.parametrize("damage", ["kind", "other", "field", "list"])
def test_damaged_json_is_one_clear_error(results: dict[str, Result], kind: str, damage: str) -> None:
    content: Any = results[kind].to_dict()
    if damage == "list":
        content = [content]
    elif damage == "field":
        every: Any = dataclasses.fields(results[kind])  # type: ignore[arg-type]
        del content[[field.name for field in every if field.default is dataclasses.MISSING][-1]]
    else:
        content["kind"] = damage
    with pytest.raises(AslantError, match="this is not a"):
        type(results[kind]).from_dict(content)


@kinds
@pytest.mark.parametrize("suffix", [".json", ".csv", ".md", ".tex", ".html"])
def test_every_kind_renders_in_every_format(results: dict[str, Result], kind: str, suffix: str) -> None:
    from aslant.report import render

    assert len(render(results[kind], suffix)) > 20


@kinds
def test_columns_of_text_are_aligned_left(results: dict[str, Result], kind: str) -> None:
    from aslant.report.assembly import documents_of, table_of, tables_of

    result = results[kind]
    for table in (table_of(result), *tables_of(result), *documents_of(result)):
        for column in table.columns:
            written = [column.write(row[column.key]) for row in table.rows]
            numbers = [text for text in written if re.search(r"\d", text)]
            texts = [text for text in written if re.search(r"[^\W\d_]{2}", text)]
            assert column.justify == "left" or numbers or not texts, f"{table.title}: '{column.title}': {texts[:3]}"


@kinds
def test_str_is_the_table_and_repr_one_line(results: dict[str, Result], kind: str) -> None:
    assert len(str(results[kind]).splitlines()) > 2
    assert "\n" not in repr(results[kind])
    names = re.findall(r"(\w+)=", repr(results[kind]))
    assert len(names) == len(set(names))
    assert len(results[kind].to_frame()) == len(results[kind].rows())  # type: ignore[attr-defined]


def test_json_of_another_program_is_called_that() -> None:
    with pytest.raises(AslantError, match="not a result of aslant, since it does not say of which kind"):
        result_from_dict({"name": "another program"})


@kinds
def test_every_kind_shows_in_a_notebook_without_a_script(results: dict[str, Result], kind: str) -> None:
    shown = results[kind]._repr_html_()
    assert "<table" in shown
    assert "<script" not in shown
    assert not NOT_A_NUMBER.search(shown)


def test_a_result_among_results_of_any_kind_must_say_a_kind_that_exists(results: dict[str, Result]) -> None:
    for wrong in ("prophecy", "audit", "replication", None, ["weat"]):  # the middle ones are no measure's results
        content = results["audit"].to_dict()
        content["parts"][0]["results"][0]["kind"] = wrong
        with pytest.raises(AslantError, match=r"no measure's result of kind .*parts\[0\]\.results\[0\]"):
            aslant.AuditResult.from_dict(content)
    content = results["audit"].to_dict()
    del content["parts"][0]["results"][0]["qvalues"]
    with pytest.raises(AslantError, match=r"not a complete result of kind 'audit'.*'weat-suite'.*qvalues"):
        aslant.AuditResult.from_dict(content)


def test_a_file_of_another_version_that_cannot_be_read_names_that_version(results: dict[str, Result]) -> None:
    weat = results["weat"].to_dict()
    del weat["targets"]
    for version, said in ((aslant.__version__, ""), ("0.1.0", " (version 0.1.0 wrote it, and reads it)")):
        weat["provenance"]["version"] = version
        with pytest.raises(AslantError, match=re.escape(f"not a complete result of kind 'weat'{said}: ")):
            aslant.results.result_from_dict(weat)


@kinds
def test_a_result_is_found_by_the_kind_that_its_json_says(results: dict[str, Result], kind: str) -> None:
    from aslant.results.codec import result_from_dict

    assert result_from_dict(results[kind].to_dict()) == results[kind]
