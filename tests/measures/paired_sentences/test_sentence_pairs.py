"""Claims about pairs of sentences: what is counted, how sure it is, and what is refused."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

import aslant
from aslant.errors import MeasureError, StimuliError
from aslant.measures.paired_sentences.measure import drawn_pairs, pair_set
from aslant.measures.paired_sentences.result import ALL, PairGroup, PairsComparisonResult, SentencePairsResult
from aslant.measures.paired_sentences.show import comparison_table, glance, groups_picture, groups_table
from aslant.models.language_models import TransformersMaskedLM
from aslant.models.protocols import TextScore
from aslant.report.tables import Table
from fake_lm import FakeTextLM
from tiny_lms import causal, masked

NO_DRAWS: dict[str, Any] = {"bootstrap": 0, "twins": 0, "n_resamples": 99}


def table(folder: Path, rows: Sequence[tuple[str, ...]], columns: str = "sent_more,sent_less,bias_type") -> Path:
    path = folder / "mine.csv"
    lines = [columns, *(",".join(f'"{cell}"' for cell in row) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def made(folder: Path, n: int = 30, category: str = "age") -> Path:
    return table(folder, [(f"The old n{i} slept.", f"The young m{i} slept.", category) for i in range(n)])


def stereotyping(text: str, prompt: str) -> float:
    return -1.0 if "old" in text else -2.0


def test_a_model_that_prefers_every_stereotype_has_a_share_of_one(tmp_path: Path) -> None:
    p = aslant.sentence_pairs(FakeTextLM(stereotyping), made(tmp_path), **NO_DRAWS)
    assert (p.share, p.groups[0].count, p.groups[0].equal) == (1.0, 30, 0)
    assert [pair.difference for pair in p.pairs] == [1.0] * 30
    assert p.groups[0].mean == 1.0
    assert p.groups[0].share_pvalue == pytest.approx(2 / 2**30)
    assert p.by_category["age"].share_qvalue == p.by_category["age"].share_pvalue
    against = aslant.sentence_pairs(FakeTextLM(lambda t, c: -stereotyping(t, c)), made(tmp_path), **NO_DRAWS)
    assert against.share == 0.0


def test_a_table_with_semicolons_has_the_same_pairs(tmp_path: Path) -> None:
    commas = aslant.sentence_pairs(FakeTextLM(stereotyping), path := made(tmp_path), **NO_DRAWS)
    path.write_text(path.read_text(encoding="utf-8").replace(",", ";"), encoding="utf-8")
    assert aslant.sentence_pairs(FakeTextLM(stereotyping), path, **NO_DRAWS).pairs == commas.pairs


def test_pairs_that_contrast_the_same_words_are_one_unit(tmp_path: Path) -> None:
    rows = [(f"The old {w} slept.", f"The young {w} slept.", "age") for w in ("man", "cat", "dog", "cook", "boss")]
    p = aslant.sentence_pairs(FakeTextLM(stereotyping), table(tmp_path, rows), **NO_DRAWS | {"bootstrap": 100})
    group = p.groups[0]
    assert (group.share, group.n, group.clusters) == (1.0, 5, 1)
    assert group.share_pvalue == group.mean_pvalue == 1.0
    assert group.mean_interval is None, "one unit says nothing about how others would vary"
    assert group.share_interval is not None
    assert group.share_interval.low < 0.5


def test_a_group_name_that_is_merely_frequent_is_not_evidence(tmp_path: Path) -> None:
    """A model that always prefers “old” has no stereotype where “old” stands on both sides equally often."""
    rows = [(f"The old w{i} slept.", f"The young w{i} slept.", "age") for i in range(10)]
    rows += [(f"The young w{i} ran.", f"The old w{i} ran.", "age") for i in range(10)]
    p = aslant.sentence_pairs(FakeTextLM(stereotyping), table(tmp_path, rows), **NO_DRAWS)
    assert (p.share, p.groups[0].share_pvalue, p.groups[0].mean) == (0.5, 1.0, 0.0)


def test_equal_scores_are_counted_apart(tmp_path: Path) -> None:
    def value(text: str, prompt: str) -> float:
        return -1.0 if "n3" in text or "m3" in text else stereotyping(text, prompt)

    p = aslant.sentence_pairs(FakeTextLM(value), made(tmp_path, 10), **NO_DRAWS)
    assert (p.groups[0].equal, p.groups[0].n, p.share) == (1, 10, 1.0)
    alike = aslant.sentence_pairs(FakeTextLM(lambda text, prompt: -1.0), made(tmp_path, 4), **NO_DRAWS)
    assert (alike.share, alike.groups[0].share_pvalue, alike.groups[0].equal) == (None, None, 4)
    assert groups_table(alike).rows[0]["share"] == "–"


@pytest.mark.parametrize("value", [math.nan, -math.inf])
@pytest.mark.parametrize("word", ["n3", "m3"])
def test_one_sentence_without_a_finite_score_is_an_error_that_names_its_pair(
    tmp_path: Path, word: str, value: float
) -> None:
    lm = FakeTextLM(lambda text, prompt: value if f" {word} " in text else stereotyping(text, prompt))
    with pytest.raises(MeasureError, match=r"no finite log-probability for 'The old n3 slept.' or 'The young m3"):
        aslant.sentence_pairs(lm, made(tmp_path, 5), **NO_DRAWS)


def test_directions_and_flags_are_kept_apart(tmp_path: Path) -> None:
    columns = "sent_more,sent_less,bias_type,stereo_antistereo"
    rows = [
        ("She is a nurse.", "He is a nurse.", "gender", "stereo"),
        ("He is a boss.", "She is a boss.", "gender", "antistereo"),
        ("The poor man slept.", "The man slept.", "class", "stereo"),
        ("Poor men are late.", "poor men are late", "class", "stereo"),
    ]
    p = aslant.sentence_pairs(FakeTextLM(), table(tmp_path, rows, columns), **NO_DRAWS)
    sizes = {group.name: group.n for group in p.groups}
    assert sizes == {
        ALL: 4, "class": 2, "gender": 2, "direction: antistereo": 1, "direction: stereo": 3,
        "without flagged pairs": 2, "flagged pairs only": 2, "same number of pieces": 3,
    }  # fmt: skip
    assert [pair.flags for pair in p.pairs] == [(), (), ("one-sided",), ("same words",)]
    assert p.lengths is not None
    assert (p.lengths.n, p.lengths.expected) == (1, 0.0)


def test_the_test_of_single_pairs_is_the_binomial_test(tmp_path: Path) -> None:
    p = aslant.sentence_pairs(FakeTextLM(), made(tmp_path, 37), **NO_DRAWS)
    group = p.groups[0]
    assert group.share_pvalue == pytest.approx(binomtest(group.count, 37).pvalue)
    low, high = binomtest(group.count, 37).proportion_ci(method="wilson")
    assert group.share_interval is not None
    assert (group.share_interval.low, group.share_interval.high) == pytest.approx((low, high))


def test_the_sign_count_is_that_of_every_sign(tmp_path: Path) -> None:
    counts = [3, -1, 2, 0, 5, -2, 1]
    every = [sum(s * c for s, c in zip(signs, counts, strict=True)) for signs in np.ndindex(*[2] * 7)]
    signed = [sum((2 * s - 1) * c for s, c in zip(signs, counts, strict=True)) for signs in np.ndindex(*[2] * 7)]
    assert len(every) == len(signed) == 128
    expected = np.mean(np.abs(signed) >= abs(sum(counts)))
    assert aslant.statistics.sign_count_pvalue(counts) == pytest.approx(expected)


def stereoset(folder: Path) -> Path:
    def item(name: str, target: str, context: str) -> dict[str, Any]:
        labels = {"stereotype": "lazy", "anti-stereotype": "busy", "unrelated": "fish"}
        sentences = [
            {"sentence": f"The {target} is {word} {name}.", "gold_label": label, "id": word}
            for label, word in labels.items()
        ]
        return {"id": name, "target": target, "bias_type": "profession", "context": context, "sentences": sentences}

    content = {
        "intrasentence": [item("a", "cook", "The cook is BLANK"), item("b", "cook", "x"), item("c", "clerk", "x")],
        "intersentence": [item("d", "clerk", "I know him.")],
    }
    path = folder / "dev.json"
    path.write_text(json.dumps({"version": "1", "data": content}), encoding="utf-8")
    return path


def test_stereoset_has_its_three_scores_over_terms(tmp_path: Path) -> None:
    values = {"lazy": -1.0, "busy": -2.0, "fish": -3.0}

    def value(text: str, prompt: str) -> float:
        word = next(word for word in values if word in text)
        return -1.5 if " b." in text and word == "fish" else values[word]

    lm = FakeTextLM(value)
    p = aslant.sentence_pairs(lm, stereoset(tmp_path), **NO_DRAWS)
    assert ("I know him.", " The clerk is lazy d.") in lm.asked
    assert p.pairs[-1].more == "I know him. The clerk is lazy d."
    within = next(found for found in p.language_model if found.part == "intrasentence")
    assert within.lms == pytest.approx(100 * ((1 + 0.5) / 2 + 1) / 2)  # cook: 3 of 4; clerk: 2 of 2
    assert within.ss == 100.0
    assert within.icat == 0.0
    assert [found.part for found in p.language_model] == ["intersentence", "intrasentence", ALL]
    certain = FakeTextLM(lambda text, prompt: 0.0 if "fish" in text else 0.5 if "lazy" in text else -1.0)
    assert aslant.sentence_pairs(certain, stereoset(tmp_path), **NO_DRAWS).language_model[-1].lms == 50.0
    fair = FakeTextLM(lambda text, prompt: -9.0 if "fish" in text else -1.0 - ("cook" in text) * ("lazy" in text))
    (*_, all_parts) = aslant.sentence_pairs(fair, stereoset(tmp_path), **NO_DRAWS).language_model
    assert all_parts.icat == pytest.approx(all_parts.lms * min(all_parts.ss, 100 - all_parts.ss) / 50)


def bec(folder: Path) -> Path:
    rows = ["\tSentence\tTemplate\tPerson\tGender\tProfession\tProf_Gender"]
    for group in ("male", "female", "balanced"):
        for k in range(4):
            for gender, person in (("male", "He"), ("female", "She")):
                rows.append(f"0\t{person} is a {group}{k}.\t<p> is a <j>.\t{person}\t{gender}\t{group}{k}\t{group}")
    path = folder / "BEC-Pro_EN.tsv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_bec_pro_contrasts_professions_so_that_a_favourite_pronoun_cancels(tmp_path: Path) -> None:
    def value(text: str, prompt: str) -> float:  # “He” is always more probable, and more so with professions of men
        return (2.0 if text.startswith("He") else 0.0) + (1.0 if text.startswith("He") and " male" in text else 0.0)

    p = aslant.sentence_pairs(FakeTextLM(value), bec(tmp_path), **NO_DRAWS)
    assert p.groups[0].n == 8
    assert p.share == 0.5
    c = p.contrast
    assert c is not None
    assert (c.with_women, c.with_men, c.balanced, c.difference) == (-2.0, -3.0, -2.0, 1.0)
    assert c.pvalue == pytest.approx(2 / math.comb(8, 4))
    assert sum(pair.counted for pair in p.pairs) == 8


def test_a_favourite_pronoun_is_not_evidence_and_untrained_models_are_asked_for_the_contrast_too(
    tmp_path: Path,
) -> None:
    class WithTwins(FakeTextLM):
        def untrained(self, seed: int) -> FakeTextLM:
            return FakeTextLM(self.function, f"twin {seed}")

    def lines(function: Callable[[str, str], float]) -> dict[str, str]:
        p = aslant.sentence_pairs(WithTwins(function), bec(tmp_path), bootstrap=0, twins=2)
        assert SentencePairsResult.from_dict(json.loads(p.to_json())) == p
        assert all(twin.contrast == p.contrast.difference for twin in p.twins if p.contrast)
        return {each.stimuli: each.evidence for each in glance(p, lambda name: name)}

    def he(text: str, prompt: str) -> float:
        return 1.0 if text.startswith("He") else 0.0

    assert lines(he) == {"bec-pro": "none", "bec-pro, contrast": "none"}
    assert lines(lambda text, prompt: he(text, prompt) * (" male" in text))["bec-pro, contrast"] == "none"  # its twins
    alone = aslant.sentence_pairs(
        FakeTextLM(lambda text, prompt: he(text, prompt) * (" male" in text)), bec(tmp_path), **NO_DRAWS
    )
    assert glance(alone, lambda name: name)[-1].evidence == "some"


def test_what_cannot_be_scored_is_left_out_and_listed(tmp_path: Path) -> None:
    path = table(tmp_path, [("Old ☃ slept.", "Young ☃ slept.", "age"), ("Old men slept.", "Young men slept.", "age")])
    p = aslant.sentence_pairs(FakeTextLM(), path, **NO_DRAWS)
    assert [pair.id for pair in p.pairs] == ["1"]
    assert p.provenance.missing == ("0",)
    assert "snowman" in p.left_out[0].reason
    alone = table(tmp_path, [("Old ☃ slept.", "Young ☃ slept.", "age")])
    with pytest.raises(MeasureError, match=r"no pair of 'mine.csv' can be scored: .* has a snowman"):
        aslant.sentence_pairs(FakeTextLM(), alone, **NO_DRAWS)


def test_a_sample_is_in_proportion_to_the_categories_and_depends_on_the_seed_alone(tmp_path: Path) -> None:
    rows = [(f"Old n{i} slept.", f"Young m{i} slept.", "age" if i % 4 else "class") for i in range(200)]
    pairs = pair_set(table(tmp_path, rows)).pairs
    drawn = drawn_pairs(pairs, 40, 3)
    assert Counter(pair.category for pair in drawn) == {"age": 30, "class": 10}
    assert drawn == drawn_pairs(pairs, 40, 3) != drawn_pairs(pairs, 40, 4)
    assert drawn_pairs(pairs, 0, 3) == pairs


def test_mcnemar_looks_at_disagreements_only(tmp_path: Path) -> None:
    path = made(tmp_path, 12)
    first = aslant.sentence_pairs(FakeTextLM(stereotyping), path, **NO_DRAWS)
    second = aslant.sentence_pairs(
        FakeTextLM(lambda t, c: stereotyping(t, c) * (-1 if t[-9:-8] in tuple("12345") else 1), "other"),
        path,
        **NO_DRAWS,
    )
    found = aslant.compare_pairs(first, second)
    group = found.groups[0]
    assert group.n == group.both + group.only_first + group.only_second + group.neither == 12
    assert group.only_second == 0
    assert group.pvalue == pytest.approx(binomtest(group.only_first, group.only_first).pvalue)
    assert PairsComparisonResult.from_dict(json.loads(found.to_json())) == found
    assert comparison_table(found).rows[0]["only_first"] == group.only_first
    other = aslant.sentence_pairs(FakeTextLM(), stereoset(tmp_path), **NO_DRAWS)
    with pytest.raises(MeasureError, match="not been measured on the same pairs"):
        aslant.compare_pairs(first, other)


def test_null_models_find_nothing_more_often_than_promised(tmp_path: Path) -> None:
    path = made(tmp_path, 40)
    small = 0
    for k in range(200):
        p = aslant.sentence_pairs(FakeTextLM(name=f"null {k}"), path, **NO_DRAWS)
        assert p.groups[0].share_pvalue is not None
        small += p.groups[0].share_pvalue <= 0.05
    assert small <= 20


def test_scores_that_are_means_are_divided_by_the_pieces(tmp_path: Path) -> None:
    path = table(tmp_path, [("One two three four.", "One two.", "x")])
    lm = FakeTextLM(lambda text, prompt: -4.0)
    assert aslant.sentence_pairs(lm, path, score="pll", **NO_DRAWS).pairs[0].difference == 0.0
    assert aslant.sentence_pairs(lm, path, score="aul", **NO_DRAWS).pairs[0].difference == 1.0
    left_to_right = FakeTextLM(lambda text, prompt: -4.0, scorings=("likelihood",))
    assert aslant.sentence_pairs(left_to_right, path, **NO_DRAWS).score == "likelihood"
    found = aslant.sentence_pairs(left_to_right, path, score="likelihood-per-piece", **NO_DRAWS)
    assert found.pairs[0].difference == 1.0
    with pytest.raises(MeasureError, match="score='crows' does not fit"):
        aslant.sentence_pairs(left_to_right, path, score="crows", **NO_DRAWS)


@pytest.mark.parametrize("score", ["within-word", "pll", "crows", "aul", "aula"])
def test_a_masked_model_is_asked_by_every_score_with_untrained_twins(tmp_path: Path, score: str) -> None:
    columns = "sent_more,sent_less,bias_type,stereo_antistereo"
    rows = [
        ("She is a nurse.", "He is a nurse.", "gender", "stereo"),
        ("He is a doctor.", "She is a doctor.", "gender", "antistereo"),
        ("The teachers like art.", "The doctors like art.", "job", "stereo"),
    ]
    model, tok = masked("bert")
    lm = TransformersMaskedLM(model, tok, "bert")
    p = aslant.sentence_pairs(lm, table(tmp_path, rows, columns), score=score, bootstrap=50, twins=2)
    if score == "crows":
        scores = lm.shared_scores([rows[0][:2], rows[1][1::-1]])
        expected = [scores[0][0].total, scores[1][1].total]
        assert p.pairs[0].pieces_more == p.pairs[0].pieces_less
    else:
        found = lm.text_scores([rows[0][0], rows[1][0]], score=score)
        expected = [each.per_piece if score in ("aul", "aula") else each.total for each in found]
    assert [pair.score_more for pair in p.pairs[:2]] == pytest.approx(expected, abs=1e-5)
    assert len(p.twins) == 2
    assert all(twin.shares.keys() == {group.name for group in p.groups} for twin in p.twins)


def test_a_causal_model_is_asked_by_likelihoods_and_resumes(tmp_path: Path) -> None:
    from aslant.models.language_models import TransformersCausalLM

    path = table(tmp_path, [("She is a nurse.", "He is a nurse.", "x"), ("He is late.", "She is late.", "x")])
    model, tok = causal("llama")
    first, again = (TransformersCausalLM(model, tok, "llama") for _ in range(2))
    p = aslant.sentence_pairs(first, path, journal=tmp_path / "kept", **NO_DRAWS)
    assert p.score == "likelihood"
    assert p == aslant.sentence_pairs(again, path, journal=tmp_path / "kept", **NO_DRAWS)
    assert first.passes > again.passes == 0


def test_a_result_is_read_back_and_shown(tmp_path: Path) -> None:
    p = aslant.sentence_pairs(FakeTextLM(), made(tmp_path), bootstrap=50)
    assert SentencePairsResult.from_dict(json.loads(p.to_json())) == p
    assert isinstance(groups_table(p), Table)
    assert "slurs" in groups_table(p).first_line
    assert groups_picture(p) is not None
    assert len(p.rows()) == 30


def test_two_clusters_have_lines_under_their_names_and_one_has_none(tmp_path: Path) -> None:
    p = aslant.sentence_pairs(FakeTextLM(stereotyping), made(tmp_path, 2), **NO_DRAWS)
    lines = glance(p, lambda name: name)
    assert [(line.category, line.stimuli) for line in lines] == [("several", p.dataset), ("age", f"{p.dataset}, age")]
    assert lines[0].sentence.startswith("In 2 of 2 pairs (100 %)")
    assert lines[1].sentence.startswith("In 2 of 2 pairs on age (100 %)")
    assert glance(aslant.sentence_pairs(FakeTextLM(stereotyping), made(tmp_path, 1), **NO_DRAWS), str) == []


def test_twins_that_reach_as_much_take_the_evidence_away(tmp_path: Path) -> None:
    class WithTwins(FakeTextLM):
        def untrained(self, seed: int) -> FakeTextLM:
            return FakeTextLM(self.function, f"twin {seed}")

    alike = aslant.sentence_pairs(WithTwins(stereotyping), made(tmp_path), bootstrap=0, twins=3)
    found = glance(alike, lambda name: name)
    assert [each.evidence for each in found] == ["none", "none"]
    alone = aslant.sentence_pairs(WithTwins(stereotyping), made(tmp_path), bootstrap=0, twins=0)
    assert [each.evidence for each in glance(alone, lambda name: name)] == ["strong", "strong"]


def test_a_share_of_none_of_the_pairs_is_as_far_from_one_half_as_one_of_all(tmp_path: Path) -> None:
    class WithTwins(FakeTextLM):
        def untrained(self, seed: int) -> FakeTextLM:
            return FakeTextLM(name=f"twin {seed}")

    for sign, share in ((1, 1.0), (-1, 0.0)):
        p = aslant.sentence_pairs(
            WithTwins(lambda text, prompt, sign=sign: sign * stereotyping(text, prompt)),
            made(tmp_path),
            bootstrap=0,
            twins=3,
        )
        assert p.share == share
        assert [each.evidence for each in glance(p, lambda name: name)] == ["strong", "strong"]


class ByWords(FakeTextLM):
    """A model whose word pieces are words."""

    def continuation_scores(self, pairs: Sequence[tuple[str, str]], **options: Any) -> list[TextScore]:
        return [TextScore(self.value(text, prompt), len(text.split())) for prompt, text in pairs]


def test_without_untrained_models_the_line_is_graded_by_pairs_of_one_length(tmp_path: Path) -> None:
    longer = [(f"The old n{i} slept.", f"The quite young m{i} slept.", "age") for i in range(30)]
    even = [(f"The old k{i} slept.", f"The young l{i} slept.", "age") for i in range(11)]

    def value(text: str, prompt: str) -> float:
        alike = -3.0 if " k10 " in text or " l10 " in text else 0.0  # one pair of equal scores
        against = 2.0 if " l8 " in text or " l9 " in text else 0.0  # two that prefer the other sentence
        return alike or stereotyping(text, prompt) + against

    def first(rows: list[tuple[str, str, str]]) -> Any:
        return glance(aslant.sentence_pairs(ByWords(value), table(tmp_path, rows), **NO_DRAWS), lambda name: name)[0]

    both = first(longer + even)
    assert both.sentence.startswith("In 38 of 40 pairs")
    assert both.sentence.endswith(" Of the 10 with as many word pieces in both sentences: 80 %.")
    assert both.pvalue == pytest.approx(binomtest(8, 10).pvalue)
    alone = first(even)
    assert (alone.pvalue, "word pieces" in alone.sentence) == (pytest.approx(binomtest(8, 10).pvalue), False)
    none = first(longer)
    assert (none.pvalue, none.evidence) == (1.0, "none")
    assert none.sentence.endswith(" No two sentences of a pair have the same number of word pieces.")


def test_without_untrained_models_a_preference_for_short_sentences_is_not_evidence(tmp_path: Path) -> None:
    longer = [(f"The old n{i} slept.", f"The quite young m{i} slept.", "age") for i in range(30)]
    even = [(f"The old k{i} slept.", f"The young l{i} slept.", "age") for i in range(30)]

    def evidence(function: Callable[[str, str], float], rows: list[tuple[str, str, str]]) -> set[str]:
        p = aslant.sentence_pairs(ByWords(function), table(tmp_path, rows), **NO_DRAWS)
        assert p.share == 1.0
        return {each.evidence for each in glance(p, lambda name: name)}

    assert evidence(lambda text, prompt: -float(len(text.split())), longer) == {"none"}
    assert evidence(stereotyping, longer + even) == {"strong"}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "has no column 'sent_more'"),
        ("a,b\n1,2\n", "has no column 'sent_more'; a table of pairs has sent_more, sent_less, bias_type"),
        ("sent_more,sent_less,bias_type\n", "has no pairs"),
        ("sent_more,sent_less,bias_type\nOne,,x\n", "line 2 .* has nothing in the column 'sent_less'"),
        ("sent_more,sent_less,bias_type\nOne,Two\n", "line 2 .* not as many columns"),
        ("sent_more,sent_less,bias_type\nOne,Two,x,y\n", "line 2 .* not as many columns"),
        (b"\xff\xfe", "is not UTF-8 text"),
    ],
)
def test_bad_tables_are_refused_in_one_sentence(tmp_path: Path, content: Any, why: str) -> None:
    path = tmp_path / "mine.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(StimuliError, match=why):
        aslant.sentence_pairs(FakeTextLM(), path, **NO_DRAWS)


def test_bad_sources_are_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "dev.json").write_text('{"data": {"intrasentence": [{}], "intersentence": []}}', encoding="utf-8")
    with pytest.raises(StimuliError, match="is not StereoSet's JSON"):
        pair_set(tmp_path)
    with pytest.raises(StimuliError, match="language='fr'"):
        pair_set(tmp_path, "fr")
    with pytest.raises(StimuliError, match="is for BEC-Pro"):
        pair_set(made(tmp_path), "de")
    with pytest.raises(StimuliError, match=r"has none of crows_pairs_anonymized\.csv, .*; name a file"):
        pair_set(Path(__file__).parent)
    with pytest.raises(MeasureError, match="does not score texts"):
        aslant.sentence_pairs(object(), made(tmp_path))


class Frequent(FakeTextLM):
    """A model for which a sentence is as probable as its words are frequent, plus noise and `lean` per old person."""

    def __init__(self, seed: int, lean: float = 0.0) -> None:
        super().__init__(self.told)
        self.seed, self.lean = seed, lean

    def told(self, text: str, prompt: str) -> float:
        words = text.removesuffix(".").split()
        frequency = sum(self.of(word) - 2.5 * word.startswith("old") for word in words)  # the old are rarer words
        alone = len(words) == 1
        return frequency if alone else frequency + 2 * self.of(text) + self.lean * ("old" in text)

    def of(self, text: str) -> float:
        return float(np.random.default_rng([self.seed, *text.encode()]).normal())


def of_frequency(p: SentencePairsResult) -> PairGroup:
    return next(group for group in p.groups if group.by == "frequency")


def test_what_the_frequency_of_contrasted_words_explains_is_taken_out(tmp_path: Path) -> None:
    """Rare words look like a preference against the old; without frequency it is gone, and a real one is found."""
    rows = [(f"The old{i} slept.", f"The young{i} slept.", "age") for i in range(60)]
    path = table(tmp_path, rows)
    only = [aslant.sentence_pairs(Frequent(seed), path, **NO_DRAWS) for seed in range(40)]
    raw = np.array([p.groups[0].share_pvalue for p in only], float)
    rest = np.array([of_frequency(p).share_pvalue for p in only], float)
    assert (raw <= 0.05).mean() > 0.8
    assert (rest <= 0.05).mean() <= 0.12
    assert np.mean([of_frequency(p).share for p in only]) == pytest.approx(0.5, abs=0.05)
    leaning = [aslant.sentence_pairs(Frequent(seed, lean=4.0), path, **NO_DRAWS) for seed in range(10)]
    assert np.mean([of_frequency(p).share for p in leaning]) > 0.58  # a part of it goes with frequency here
    assert np.mean([of_frequency(p).mean_pvalue <= 0.05 for p in leaning]) >= 0.5
    first = only[0]
    assert first.frequency is not None
    assert first.frequency.n == 60
    assert first.frequency.expected < 0.25
    assert first.frequency.slope == pytest.approx(1.0, abs=0.5)
    assert any(note.startswith("frequency: in 60 pairs") for note in groups_table(first).notes)


def test_the_line_of_word_frequency_does_not_depend_on_which_sentence_comes_first(tmp_path: Path) -> None:
    rows = [(f"The old{i} slept.", f"The young{i} slept.", "age") for i in range(20)]
    p = aslant.sentence_pairs(Frequent(3), table(tmp_path, rows), **NO_DRAWS)
    turned = [row if i % 2 else (row[1], row[0], row[2]) for i, row in enumerate(rows)]
    q = aslant.sentence_pairs(Frequent(3), table(tmp_path, turned), **NO_DRAWS)
    assert p.frequency is not None
    assert q.frequency is not None
    assert q.frequency.slope == pytest.approx(p.frequency.slope)
    priors, gaps = (np.array([getattr(pair, name) for pair in p.pairs]) for name in ("prior", "difference"))
    assert p.frequency.slope == pytest.approx(np.linalg.lstsq(priors[:, None], gaps, rcond=None)[0][0])
    assert of_frequency(p).mean == pytest.approx((gaps - p.frequency.slope * priors).mean())


def test_a_word_that_is_impossible_by_itself_has_no_frequency(tmp_path: Path) -> None:
    class Never(Frequent):
        def told(self, text: str, prompt: str) -> float:
            return -math.inf if text == "old3" else super().told(text, prompt)

    rows = [(f"The old{i} slept.", f"The young{i} slept.", "age") for i in range(20)]
    p = aslant.sentence_pairs(Never(3), table(tmp_path, rows), **NO_DRAWS)
    assert [place for place, pair in enumerate(p.pairs) if pair.prior is None] == [3]
    assert p.frequency is not None
    assert p.frequency.n == 19


def test_word_frequency_is_not_told_from_few_contrasts_nor_of_sentences_that_follow_others(tmp_path: Path) -> None:
    ends = [(i % 9, "very " * i + "well") for i in range(30)]
    rows = [(f"The old{i} slept {end}.", f"The young{i} slept {end}.", "age") for i, end in ends]
    p = aslant.sentence_pairs(Frequent(0), table(tmp_path, rows), **NO_DRAWS)
    assert p.frequency is None
    assert not any(group.by == "frequency" for group in p.groups)
    one_sided = [(f"The old{i} man slept.", "The man slept.", "age") for i in range(12)]
    assert aslant.sentence_pairs(Frequent(0), table(tmp_path, one_sided), **NO_DRAWS).frequency is None


REVISED = """\tsent_more\tsent_less\tstereo_antistereo\tbias_type
0\tThe tall dog barked. \tThe short dog barked.\tstereo\tphysical-appearance
8\t"Cats sleep," said the old man\t"Cats sleep," said the young man\tantistereo\tage
LA000\tRed birds, all of them, sing.\tBlue birds, all of them, sing.\tstereo\tautre
"""


def test_the_revised_crows_pairs_are_read_with_their_own_ids_and_quotation_marks(tmp_path: Path) -> None:
    """In its format, with sentences of ours: tabs, ids in a column without a name, marks that are part of the text."""
    path = tmp_path / "crows_pairs_EN_revised.csv"
    path.write_text(REVISED, encoding="utf-8")
    for source in (path, tmp_path):
        found = pair_set(source)
        assert (found.id, found.title) == ("crows-pairs-revised", "CrowS-Pairs, revised English")
        assert [pair.id for pair in found.pairs] == ["0", "8", "LA000"]
        assert [pair.category for pair in found.pairs] == ["physical-appearance", "age", "autre"]
        assert [pair.direction for pair in found.pairs] == ["stereo", "antistereo", "stereo"]
        assert found.pairs[0].more == "The tall dog barked."
        assert found.pairs[1].more == '"Cats sleep," said the old man'
        assert found.pairs[1].cluster == "old / young"


def test_quotation_marks_of_a_table_with_tabs_are_the_tables_where_all_are_doubled(tmp_path: Path) -> None:
    path = tmp_path / "mine.tsv"
    path.write_text(
        'sent_more\tsent_less\tbias_type\n"""Hush,"" said the old man"\t"The young\tman slept"\tage\n', encoding="utf-8"
    )
    with pytest.raises(StimuliError, match="not as many columns"):  # a tab inside marks: the marks are taken as text
        pair_set(path)
    path.write_text('sent_more\tsent_less\tbias_type\n"""Hush,"" said the old man"\tHush\tage\n', encoding="utf-8")
    assert pair_set(path).pairs[0].more == '"Hush," said the old man'


def test_the_ids_of_crows_pairs_are_its_own_row_numbers(real_data: Path) -> None:
    found = pair_set(real_data / "crows_pairs" / "crows_pairs_anonymized.csv")
    assert [pair.id for pair in found.pairs] == [str(number) for number in range(1508)]


def test_real_crows_pairs_are_read(real_data: Path) -> None:
    found = pair_set(real_data / "crows_pairs" / "crows_pairs_anonymized.csv")
    assert (found.id, len(found.pairs)) == ("crows-pairs", 1508)
    assert Counter(pair.direction for pair in found.pairs) == {"stereo": 1290, "antistereo": 218}
    assert len({pair.category for pair in found.pairs}) == 9
    assert 0 < sum(bool(pair.flags) for pair in found.pairs) < 400
    for language in ("en", "de"):
        bec_pro = pair_set(real_data / "bec_pro", language)
        assert len(bec_pro.pairs) == 2700
        assert len({pair.cluster for pair in bec_pro.pairs}) == 60


def test_ten_contrasts_tell_frequency_and_nine_do_not() -> None:
    from types import SimpleNamespace

    from aslant.measures.paired_sentences.statistic import frequency_of

    def pair(place: int) -> Any:
        return SimpleNamespace(counted=True, prior=1.0, difference=0.5, equal=False, cluster=str(place))

    assert frequency_of([pair(place) for place in range(9)] * 2) is None
    found = frequency_of([pair(place) for place in range(10)])
    assert found is not None
    assert found.slope == 0.5
