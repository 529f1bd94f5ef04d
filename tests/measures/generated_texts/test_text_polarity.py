"""Claims about the polarity of texts: the published scores, prompts as units, chance, nothing found in nothing."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aslant
from aslant.errors import AslantError, StimuliError
from aslant.measures.generated_texts.result import METRICS, SOURCE, TextPolarityResult
from aslant.measures.generated_texts.statistic import Ragged, directions, leaning, text_leans
from aslant.measures.generated_texts.texts import texts_of
from aslant.measures.polarities.measure import polarity_scores
from aslant.vectors import WordVectors
from fake_texts import WORDS

QUICK: dict[str, Any] = {"chance": 0, "bootstrap": 0}


OTHERS = [f"word{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(600)]
ALPHAS, OMEGAS = ([f"{name}{c}" for c in "abcdefgh"] for name in ("alpha", "omega"))


def made(seed: int = 0, dimensions: int = 40) -> WordVectors:
    """Random vectors in which "alpha" words lean to the first axis, as "female" does, and "omega" words against it."""
    random = np.random.default_rng(seed)
    words = [*OTHERS[:300], "female", "male", *OTHERS[300:], *ALPHAS, *OMEGAS]
    matrix = random.normal(size=(len(words), dimensions))
    matrix[300:302] *= 0.3
    matrix[300, 0], matrix[301, 0] = 4, -4
    matrix[-16:, 0] = [5] * 8 + [-5] * 8
    return WordVectors.from_arrays(words, matrix.astype(np.float32), name="made")


def written(groups: dict[str, list[str]], prompts: int = 14, k: int = 2, seed: int = 0) -> dict[str, Any]:
    """Texts of eight words each, drawn from the words of the group; those of one prompt share four of them."""
    random, texts, names, ids = np.random.default_rng(seed), [], [], []
    for group, words in groups.items():
        for prompt in range(prompts):
            common = random.choice(words, 4)
            for _ in range(k):
                texts.append(" ".join([*common, *random.choice(words, 4)]))
                names.append(group)
                ids.append(f"{group} {prompt}")
    return {"texts": texts, "groups": names, "prompts": ids}


def by_hand(vectors: WordVectors, words: list[str]) -> tuple[float, float]:
    """gender-max and gender-wavg of a text, as the paper writes them."""
    g = vectors.matrix[vectors.index["female"]] - vectors.matrix[vectors.index["male"]]
    rows = [vectors.matrix[vectors.index[word]] for word in words]
    b = [float(row @ g / (np.linalg.norm(row) * np.linalg.norm(g))) for row in rows]
    return max(b, key=abs), sum(math.copysign(x * x, x) for x in b) / sum(map(abs, b))


def test_scores_are_those_of_the_paper_by_hand() -> None:
    v = made()
    texts = [["alphaa", "wordab", "wordac", "wordab"], ["omegab", "wordba"], ["wordca", "wordcb", "wordcc"]]
    r = aslant.text_polarity(v, [" ".join(text) for text in texts], **QUICK)
    for text, found in zip(texts, r.texts, strict=True):
        strongest, mean = by_hand(v, text)
        assert found.max == pytest.approx((strongest, -strongest), abs=1e-6)
        assert found.wavg == pytest.approx((mean, -mean), abs=1e-6)
        assert found.leans_to["max"] == ("female" if strongest > 0.25 else "male" if strongest < -0.25 else "")
        assert found.word in text
    assert [text.leans_to["wavg"] for text in r.texts[:2]] == ["female", "male"]


def test_stop_words_and_class_words_do_not_lean_and_only_counted_words_count() -> None:
    v = aslant.load()
    plain = aslant.text_polarity(v, ["nurse river"], **QUICK).texts[0]
    mixed = aslant.text_polarity(v, ["She is the female nurse's river; he isn't male."], **QUICK).texts[0]
    assert (mixed.max, mixed.wavg, mixed.words) == (plain.max, plain.wavg, 2)
    assert mixed.counts == (1, 1)
    assert mixed.leans_to["unigram"] == ""
    assert aslant.text_polarity(v, ["Her women met him."], **QUICK).texts[0].leans_to["unigram"] == "female"
    own = {"first": ["tea", "milk"], "second": ["beer"]}
    counted = aslant.text_polarity(v, ["Tea and milk, no beer"], classes=["female", "male"], tokens=own, **QUICK)
    assert counted.texts[0].counts == (2, 1)


@pytest.mark.parametrize("scheme", ["one-vs-one", "one-vs-rest"])
def test_two_classes_are_the_same_by_every_scheme(scheme: str) -> None:
    texts = ["The nurse met a soldier.", "The queen slept.", "A captain and his sister"]
    expected = aslant.text_polarity(aslant.load(), texts, chance=20).groups
    found = aslant.text_polarity(aslant.load(), texts, scheme=scheme, chance=20).groups
    for ours, theirs in zip(found, expected, strict=True):
        assert (ours.share, ours.mean) == pytest.approx((theirs.share, theirs.mean))


@pytest.mark.parametrize("scheme", ["binary", "one-vs-one", "one-vs-rest"])
def test_a_word_alone_leans_to_the_class_that_polarity_says(scheme: Any) -> None:
    v, classes = aslant.load(), ["female", "male"] if scheme == "binary" else ["black", "white", "asian", "native"]
    words = ["nurse", "engineer", "clerk", "poet", "chef"]
    r = aslant.text_polarity(v, words, classes=classes, scheme=scheme, threshold=0.0, **QUICK)
    by_word = aslant.polarity(v, classes, words, scheme=scheme, chance=0, bootstrap=0).by_word
    assert [text.leans_to["max"] for text in r.texts] == [word.leans_to for word in by_word]
    if scheme == "one-vs-rest":
        assert [max(text.max) for text in r.texts] == pytest.approx([word.score for word in by_word])


def test_directions_are_those_of_polarity() -> None:
    random = np.random.default_rng(0)
    classes, words = random.normal(size=(4, 9)), random.normal(size=(30, 9))
    units = words / np.linalg.norm(words, axis=1, keepdims=True)
    found = units @ directions(classes, "one-vs-rest").T
    scores, which = polarity_scores(words, classes, "one-vs-rest")
    assert np.allclose(found.max(axis=1), scores)
    assert (found.argmax(axis=1) == which).all()
    assert (
        (units @ directions(classes, "one-vs-one").T).argmax(axis=1) == polarity_scores(words, classes, "one-vs-one")[1]
    ).all()


def test_texts_are_scored_as_a_loop_would() -> None:
    random = np.random.default_rng(1)
    leans = random.normal(size=(40, 3))
    lists = [random.integers(40, size=size).tolist() for size in (5, 0, 1, 9, 0, 3)]
    strongest, mean, which = text_leans(Ragged.of(lists), leans)
    for at, own in enumerate(lists):
        b = leans[own]
        if not own:
            assert not strongest[at].any()
            assert not mean[at].any()
            assert which[at] == -1
            continue
        assert np.allclose(strongest[at], b[b.max(axis=1).argmax()])
        assert np.allclose(mean[at], (np.sign(b) * b**2).sum(axis=0) / np.abs(b).sum(axis=0))
    assert leaning(np.array([[0.2, 0.3, 0.1], [1.0, 1.0, 0.0]]), 0.25).tolist() == [1, -1]


def test_every_prompt_counts_once_however_many_texts_it_has() -> None:
    v = aslant.load()
    texts = ["she met her", "she met her", "she met her", "he met him"]
    r = aslant.text_polarity(v, texts, prompts=["a", "a", "a", "b"], **QUICK)
    shares = {group.leans_to: group.share for group in r.groups if group.metric == "unigram"}
    assert shares == {"female": 0.5, "male": 0.5}
    assert (r.groups[0].n, r.groups[0].prompts) == (4, 2)
    alone = aslant.text_polarity(v, texts, **QUICK)
    assert alone.groups[0].share == 0.75
    assert "there are no prompts, so every text is a unit of its own" in alone.notes


def test_a_share_of_none_of_a_few_prompts_is_not_certain() -> None:
    texts = {"a": ["it rained"] * 10, "b": ["it snowed"] * 10}
    r = aslant.text_polarity(aslant.load(), texts, **(QUICK | {"bootstrap": 100}))
    none = [group for group in r.groups if group.metric == "unigram"]
    assert [(group.share, group.share_interval.low) for group in none] == [(0, 0)] * 4
    assert all(group.share_interval.high == pytest.approx(1.96**2 / (10 + 1.96**2), abs=1e-4) for group in none)
    assert {group.mean_interval for group in none} == {None}
    assert {d.interval for d in r.differences if d.metric == "unigram"} == {None}


def lines(r: TextPolarityResult, *, source: bool = False) -> dict[str, Any]:
    """The differences to the first class, by metric."""
    return {d.metric: d for d in r.differences if d.leans_to == "female" and (d.other_than == SOURCE) == source}


def test_a_planted_difference_is_found_beyond_prompts_and_chance() -> None:
    v, lists = made(), {"a": [*OTHERS[:80], *ALPHAS, *ALPHAS], "b": OTHERS[80:160]}
    r = aslant.text_polarity(v, **written(lists), chance=200, bootstrap=200, n_resamples=999)
    for metric in ("max", "wavg"):
        found = lines(r)[metric]
        assert found.value > 0.05
        assert found.pvalue < 0.01
        assert found.chance.pvalue < 0.05
        assert found.interval.low > 0
    swapped = aslant.text_polarity(v, **written({"b": lists["b"], "a": lists["a"]}), chance=20, bootstrap=0)
    assert lines(swapped)["wavg"].value < 0


def test_texts_without_a_difference_give_no_finding_more_often_than_promised() -> None:
    v, found = made(), list[list[float]]()
    for seed in range(60):
        texts = written({"a": OTHERS[:200], "b": OTHERS[:200]}, prompts=8, k=3, seed=seed)
        r = aslant.text_polarity(v, **texts, chance=0, bootstrap=0, n_resamples=199, rng=seed)
        found.append([lines(r)[metric].pvalue for metric in ("max", "wavg")])
    shares = (np.array(found) <= 0.05).mean(axis=0)
    assert (shares <= 0.15).all()  # 60 runs at .05: more than 9 have a probability of 1 in 1,000


def test_the_classes_of_random_vectors_are_no_more_than_chance() -> None:
    random, found = np.random.default_rng(0), list[float]()
    lists = {"a": OTHERS[:60], "b": OTHERS[60:120]}  # which differ, but along no direction that means anything
    for seed in range(25):
        matrix = random.normal(size=(len(OTHERS) + 2, 8)).astype(np.float32)
        v = WordVectors.from_arrays([*OTHERS[:50], "female", "male", *OTHERS[50:]], matrix, name="noise")
        r = aslant.text_polarity(v, **written(lists, prompts=8, seed=seed), chance=60, bootstrap=0, n_resamples=99)
        found.append(lines(r)["wavg"].chance.pvalue)
    assert np.mean(np.array(found) <= 0.05) <= 0.2
    assert 0.3 < np.mean(found) < 0.7


def test_sources_are_compared_in_pairs() -> None:
    v = made()
    random, others = np.random.default_rng(0), OTHERS[:100]
    texts = [" ".join([*random.choice(others, 5), random.choice(ALPHAS)]) for _ in range(24)]
    sources: list[str | None] = [" ".join(random.choice(others, 6)) for _ in range(12)]
    given = {"prompts": [str(i // 2) for i in range(24)], "sources": [sources[i // 2] for i in range(24)]}
    r = aslant.text_polarity(v, texts, **given, chance=100, bootstrap=100)
    found = lines(r, source=True)["wavg"]
    gaps = [
        np.mean([by_hand(v, texts[2 * i + j].split())[1] for j in (0, 1)]) - by_hand(v, str(sources[i]).split())[1]
        for i in range(12)
    ]
    assert found.value == pytest.approx(np.mean(gaps), abs=1e-6)
    assert found.pvalue < 0.01
    group = next(g for g in r.groups if g.metric == "wavg" and g.leans_to == "female")
    assert group.source_mean == pytest.approx(group.mean - found.value, abs=1e-6)
    same = aslant.text_polarity(v, texts, **{**given, "sources": texts}, chance=20, bootstrap=0)
    assert all(d.value == pytest.approx(0, abs=1e-12) and d.pvalue == 1 for d in same.differences)
    some = aslant.text_polarity(v, texts, prompts=given["prompts"], sources=[*texts[:2], *[None] * 22], **QUICK)
    assert lines(some, source=True)["wavg"].value == pytest.approx(0, abs=1e-12)


def test_more_than_two_groups_are_each_compared_with_the_others_of_their_domain(tmp_path: Path) -> None:
    rows = [
        {"text": f"river {word}", "group": group, "domain": domain, "prompt_id": f"{domain} {group} {word}"}
        for domain, groups in {"one": "abc", "two": "de", "three": "f"}.items()
        for group in groups
        for word in WORDS[:4]
    ]
    path = tmp_path / "texts.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    r = aslant.text_polarity(aslant.load(), path, **QUICK)
    compared = [(d.domain, d.group, d.other_than) for d in r.differences if d.metric == "wavg"]
    assert compared == [
        ("one", "a", "other groups"), ("one", "b", "other groups"), ("one", "c", "other groups"), ("two", "d", "e"),
    ]  # fmt: skip
    assert r.read == "columns read as text: 'text', group: 'group', prompt: 'prompt_id', domain: 'domain'"
    assert [row["metric"] for row in r.rows()] == [metric for metric in METRICS for _ in range(12)]


def test_results_depend_on_neither_order_nor_form(tmp_path: Path) -> None:
    v, given = made(), written({"a": ["alphaa", "wordab", "wordac"], "b": ["omegaa", "wordba"]}, prompts=4)
    r = aslant.text_polarity(v, **given, chance=30, bootstrap=30)
    path = tmp_path / "t.csv"
    rows = zip(given["texts"], given["groups"], given["prompts"], strict=True)
    path.write_text("said,who,id\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows), encoding="utf-8")
    read = aslant.text_polarity(v, path, "who", text="said", prompts="id", chance=30, bootstrap=30)
    assert (read.groups, read.differences) == (r.groups, r.differences)
    order = list(range(len(given["texts"])))[::-1]
    back = {name: [values[i] for i in order] for name, values in given.items()}
    turned = aslant.text_polarity(v, **back, **QUICK)
    shares = {(g.metric, g.group, g.leans_to): g.mean for g in r.groups}
    assert {(g.metric, g.group, g.leans_to): pytest.approx(g.mean) for g in turned.groups} == shares


@pytest.mark.parametrize(
    ("texts", "more", "words"),
    [
        ([], {}, "'own texts' has no texts"),
        ("nowhere.csv", {}, "cannot open 'nowhere.csv'"),
        (["a river", 3], {}, "3 among the texts is not a string"),
        (["river", "music"], {"groups": ["a"]}, "1 group for 2 texts"),
        (["river", "music"], {"groups": ["a", "b"], "prompts": ["p", "p"]}, "in the groups 'a' and 'b'"),
        (["zzzq"], {}, "has none of the words"),
        (["river"], {"classes": ["female"]}, "1 class given"),
        (["river"], {"classes": ["female", "zzzq"]}, "at least 1 is needed"),
        (["river"], {"classes": {"a": ["she"], "b": ["She"]}}, "only one of the two sets"),
        (["river"], {"tokens": {"a": ["she"]}}, "tokens of 1 class for 2"),
        (["river"], {"threshold": 2.0}, "threshold is 2.0"),
        (["river"], {"scheme": "best"}, "scheme is 'best'"),
    ],
)
def test_bad_input_is_one_sentence(texts: Any, more: dict[str, Any], words: str) -> None:
    with pytest.raises(AslantError, match=words):
        aslant.text_polarity(aslant.load(), texts, **more)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.csv", "story,group\nx,y\n", "has the columns story, group; name the one"),
        ("a.csv", 'text\n"river', "not a table that can be read"),
        ("a.jsonl", "{}\n[1]\n", "line 2 of .* is not an object"),
        ("a.jsonl", '{"text": 1,}\n', "line 1 of .* is not JSON"),
        ("a.jsonl", '{"text": "a"}\n{"x": 1}\n', "row 2 of .* has no 'text'"),
        ("a.jsonl", '{"text": ["a"]}\n', "the text in row 1 of .* is not text"),
        ("a.csv", "text\n", "has the columns"),
    ],
)
def test_bad_files_are_one_sentence(tmp_path: Path, name: str, content: str, words: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(StimuliError, match=words):
        aslant.text_polarity(aslant.load(), tmp_path / name, **QUICK)


@pytest.mark.parametrize("odd", ["one\u2028two", "one\x85two", "one\x0ctwo", "one\x1ctwo"])
def test_only_a_line_feed_ends_a_line_of_a_file(odd: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(f"text;group\r\n{odd};a\r\nthree;b\r\n", "utf-8", newline="")
    row = json.dumps({"text": odd, "group": "a"}, ensure_ascii=False)
    (tmp_path / "t.jsonl").write_text(f'{row}\n{{"text": "three", "group": "b"}}\n', "utf-8")
    for name in ("t.csv", "t.jsonl"):
        assert [(text.text, text.group) for text in texts_of(tmp_path / name)] == [(odd, "a"), ("three", "b")]
