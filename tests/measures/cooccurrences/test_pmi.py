"""Co-occurrence in a text: against a loop, on planted and on random text, and bad input."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aslant
from aslant.measures.cooccurrences import statistic
from aslant.results import result_from_dict
from command_line import Run

WORDS = [f"w{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(300)]


def random_text(rng: np.random.Generator, sentences: int = 2_000, planted: str = "") -> list[str]:
    """Make sentences of words in Zipf's proportions, each with he or she; a planted word prefers she."""
    share = 1 / np.arange(1, len(WORDS) + 1)
    text = []
    for _ in range(sentences):
        who = rng.choice(["he", "she"])
        drawn = list(rng.choice(WORDS, 8, p=share / share.sum()))
        if planted and rng.random() < (0.15 if who == "she" else 0.02):
            drawn[0] = planted
        text.append(" ".join([*drawn[:4], who, *drawn[4:]]) + ".")
    return text


def naive(
    text: list[str], word: str, contexts: tuple[list[str], list[str]], window: int
) -> tuple[list[int], list[int]]:
    near, pairs = [0, 0], [0, 0]
    for sentence in text:
        tokens = sentence.rstrip(".").lower().split()
        for i, token in enumerate(tokens):
            for side in (0, 1):
                if token in contexts[side]:
                    for j in range(max(0, i - window), min(len(tokens), i + window + 1)):
                        if j != i:
                            pairs[side] += 1
                            near[side] += tokens[j] == word
    return near, pairs


def test_counts_and_log_odds_are_those_of_a_plain_loop() -> None:
    text = random_text(np.random.default_rng(0), 400)
    r = aslant.pmi_bias(text, WORDS[:5], contexts=(["he"], ["she"]), window=3, min_near=1, chance=0)
    assert len(r.words) == 5
    for word in r.words:
        (a, c), (first, second) = naive(text, word.word, (["he"], ["she"]), 3)
        assert (word.near_first, word.near_second) == (a, c)
        assert r.pairs == (first, second)
        x, y = first / (first + second), second / (first + second)
        expected = math.log((a + x) / (first - a + x)) - math.log((c + y) / (second - c + y))
        assert word.log_odds == pytest.approx(expected)
        assert word.count == Counter(token for s in text for token in s.rstrip(".").split())[word.word]


def test_the_score_is_the_mean_size_of_the_log_odds() -> None:
    text = random_text(np.random.default_rng(0), 400)
    r = aslant.pmi_bias(text, WORDS[:5], contexts=(["he"], ["she"]), min_near=1, chance=0)
    assert r.score == pytest.approx(np.mean([abs(word.log_odds) for word in r.words]))
    assert r.interval is not None
    assert r.interval.low < r.score < r.interval.high


def test_large_counts_give_the_difference_of_two_mutual_informations() -> None:
    near, pairs = np.array([[300.0], [100.0]]), np.array([1e6, 1e6])
    ratio, error = statistic.log_odds(near, pairs)
    assert ratio[0] == pytest.approx(math.log(300 / 100), abs=0.01)
    assert error[0] == pytest.approx(math.sqrt(1 / 300 + 1 / 100), rel=0.01)


def test_a_word_near_neither_leans_to_neither_however_unequal_the_contexts_are() -> None:
    assert statistic.log_odds(np.zeros((2, 1)), np.array([9e5, 1e4]))[0][0] == pytest.approx(0, abs=1e-9)


def test_a_planted_word_is_found_and_stands_out_from_words_of_its_frequency() -> None:
    text = random_text(np.random.default_rng(1), planted="nurse")
    r = aslant.pmi_bias(text, ["nurse", *WORDS[40:60]], contexts=(["she"], ["he"]))
    nurse = r.words[0]
    assert nurse.log_odds > 1
    assert nurse.low > 0.5
    assert nurse.qvalue < 0.01
    assert nurse.chance_qvalue < 0.05
    assert sum(word.qvalue <= 0.05 for word in r.words[1:]) <= 1


def test_bursts_of_a_word_do_not_pass_for_evidence() -> None:
    """One story repeats a word; over single occurrences it would be certain, over parts of the text it is not."""
    text = random_text(np.random.default_rng(2), 1_000)
    text[100:100] = ["she saw the dragon"] * 30
    word = aslant.pmi_bias(text, ["dragon", *WORDS[:5]], contexts=(["she"], ["he"])).words[0]
    single = statistic.log_odds(np.array([[30.0], [0.0]]), np.array([8_120.0, 8_000.0]))
    assert word.high - word.low > 2 * 1.96 * single[1][0] * 0.99
    assert word.pvalue > math.erfc(abs(single[0][0] / single[1][0]) / math.sqrt(2))


def test_two_lists_are_contrasted_and_compared_with_random_words() -> None:
    text = random_text(np.random.default_rng(3))
    text += ["he likes war"] * 60 + ["she likes peace"] * 60
    own = aslant.stimuli.WeatSet(
        title="x", category="gender", language="en", licence="MIT", citation="mine", id="mine",
        targets=(aslant.stimuli.WordList("men", ("he",)), aslant.stimuli.WordList("women", ("she",))),
        attributes=(
            aslant.stimuli.WordList("a", ("war", *WORDS[0:4])), aslant.stimuli.WordList("b", ("peace", *WORDS[4:8]))
        ),
    )  # fmt: skip
    r = aslant.pmi_bias(text, test=own)
    a, b = ([w.log_odds for w in r.words if w.group == name] for name in "ab")
    assert r.contrast.value == pytest.approx(np.mean(a) - np.mean(b))
    assert 0 < r.contrast.pvalue < 0.5
    assert r.contrast.chance.draws == 2_000
    assert r.provenance.stimuli == "mine"


def test_parts_of_a_text_are_joined_so_that_few_are_kept_and_nothing_is_lost() -> None:
    counts = statistic.count((["she", "nurse"] for _ in range(1_001)), {"she": 0}, ["nurse"], 5)
    parts = counts.parts()
    assert len(parts) <= 2 * statistic.PARTS
    assert parts.sum(axis=0)[0].tolist() == [1_001, 1_001]


def test_no_word_of_a_random_text_stands_out_more_often_than_it_should() -> None:
    small = total = 0
    for seed in range(12):
        r = aslant.pmi_bias(random_text(np.random.default_rng(seed), 600), WORDS[:40], contexts=(["she"], ["he"]))
        small += sum(word.pvalue <= 0.05 for word in r.words)
        total += len(r.words)
    assert small / total < 0.08


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ({"words": ["nurse"], "contexts": (["she"], ["xyzzy"])}, "no word of 'contexts 2' is near another word"),
        ({"words": ["she"], "contexts": (["she"], ["he"])}, "'she' is both a word and a context"),
        ({"words": ["nurse"], "contexts": (["she", "They"], ["he", "they"])}, "'they' is in both sets of contexts"),
        ({"words": ["zebra"], "contexts": (["she"], ["he"])}, "no word of 'words' stands near the contexts 10 times"),
        ({"words": ["nurse"], "contexts": (["she"], ["he"]), "window": 0}, "window is 0"),
        ({"words": ["nurse"], "contexts": "gender-three"}, "3 word sets given; 2 are needed"),
    ],
)
def test_what_cannot_be_counted_is_refused(call: dict[str, Any], said: str) -> None:
    with pytest.raises(aslant.AslantError, match=said):
        aslant.pmi_bias(["she is a nurse", "he is here"], **call)


def test_words_that_are_one_token_count_once_and_a_missing_chance_level_is_told() -> None:
    text = ["She met a nurse.", "He met a nurse and a clerk.", "He met a zebra."] * 10
    r = aslant.pmi_bias(text, ["Nurse", "nurse", "clerk", "Zebra", "zebra"], contexts=(["she"], ["he"]), min_near=11)
    assert [(word.word, word.count) for word in r.words] == [("Nurse", 20)]
    assert (r.too_rare, r.missing) == (("clerk", "Zebra"), ())
    assert r.chance is None
    assert "there is no chance level" in str(r)
    assert "p (chance):" not in str(r)


def test_a_path_is_not_sentences() -> None:
    with pytest.raises(aslant.AslantError, match="is not a corpus"):
        aslant.pmi_bias("news.txt")


def test_the_command_reads_a_text_and_its_json_comes_back(run: Run, tmp_path: Path) -> None:
    text = random_text(np.random.default_rng(5), planted="nurse")
    (tmp_path / "text.txt").write_text("\n".join(text), encoding="utf-8")
    done = run("pmi", "--corpus", "text.txt", "--words", f"nurse,{','.join(WORDS[:6])}", "--json", "r.json")
    assert done.returncode == 0
    assert "nurse" in done.stdout
    assert "q (chance)" in " ".join(done.stdout.split())
    found = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert result_from_dict(found).to_dict() == found
    assert found["provenance"]["representation"]["fingerprint"]


def test_without_a_corpus_one_sentence_says_what_to_give(run: Run) -> None:
    done = run("pmi")
    assert done.returncode == 2
    assert "--corpus" in done.stderr


def test_contexts_are_a_test_two_classes_a_file_of_two_lists_or_two_lists(run: Run, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("\n".join(random_text(np.random.default_rng(0), 300)), encoding="utf-8")
    (tmp_path / "sides.csv").write_text("female,male\nshe,he\nwoman,man\n", encoding="utf-8")
    ways = (
        ["sides.csv"],
        ["female: she, woman", "male: he, man"],
        ["gender-pronouns"],
    )
    found = []
    for contexts in ways:
        given = [part for one in contexts for part in ("--contexts", one)]
        done = run(
            "pmi", "--corpus", "text.txt", "--words", ",".join(WORDS[:6]), *given, "--chance", "0", "--json", "-"
        )
        assert done.returncode == 0, done.stderr
        found.append([word["log_odds"] for word in json.loads(done.stdout)["words"]])
    assert found[0] == found[1] == found[2]
