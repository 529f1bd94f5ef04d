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
from aslant.measures.paired_sentences.result import ALL, PairsComparisonResult, SentencePairsResult
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
    assert p.groups[0].share_pvalue == pytest.approx(2 / 2**30)
    assert p.by_category["age"].share_qvalue == p.by_category["age"].share_pvalue
    against = aslant.sentence_pairs(FakeTextLM(lambda t, c: -stereotyping(t, c)), made(tmp_path), **NO_DRAWS)
    assert against.share == 0.0


def test_pairs_that_contrast_the_same_words_are_one_unit(tmp_path: Path) -> None:
    rows = [(f"The old {w} slept.", f"The young {w} slept.", "age") for w in ("man", "cat", "dog", "cook", "boss")]
    p = aslant.sentence_pairs(FakeTextLM(stereotyping), table(tmp_path, rows), **NO_DRAWS)
    group = p.groups[0]
    assert (group.share, group.n, group.clusters) == (1.0, 5, 1)
    assert group.share_pvalue == group.mean_pvalue == 1.0
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
        FakeTextLM(lambda t, c: stereotyping(t, c) * (-1 if t[-9] in "12345" else 1), "other"), path, **NO_DRAWS
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


def test_twins_that_reach_as_much_take_the_evidence_away(tmp_path: Path) -> None:
    class WithTwins(FakeTextLM):
        def untrained(self, seed: int) -> FakeTextLM:
            return FakeTextLM(self.function, f"twin {seed}")

    alike = aslant.sentence_pairs(WithTwins(stereotyping), made(tmp_path), bootstrap=0, twins=3)
    found = glance(alike, lambda name: name)
    assert [each.evidence for each in found] == ["none", "none"]
    alone = aslant.sentence_pairs(WithTwins(stereotyping), made(tmp_path), bootstrap=0, twins=0)
    assert [each.evidence for each in glance(alone, lambda name: name)] == ["strong", "strong"]


def test_without_untrained_models_a_preference_for_short_sentences_is_not_evidence(tmp_path: Path) -> None:
    class ByWords(FakeTextLM):
        def continuation_scores(self, pairs: Sequence[tuple[str, str]], **options: Any) -> list[TextScore]:
            return [TextScore(self.value(text, prompt), len(text.split())) for prompt, text in pairs]

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
    with pytest.raises(StimuliError, match="name a file"):
        pair_set(Path(__file__).parent)
    with pytest.raises(MeasureError, match="does not score texts"):
        aslant.sentence_pairs(object(), made(tmp_path))


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
