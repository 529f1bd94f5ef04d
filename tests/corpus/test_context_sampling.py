"""Drawing contexts: the same words as the slow way finds, drawn evenly, whatever the order or the seed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

import aslant
from aslant.corpus import Context, Query, sample_contexts
from aslant.corpus.matching import Finder
from aslant.errors import CorpusError
from slow_contexts import all_holders, spans

WORDS = ("he", "her", "nurse", "nurse practitioner", "New_York", "don", "don't", "mother-in-law", "t", "York's")
PIECES = ("he", "He", "HE'S", "she", "her", "nurse", "Nurse", "nurses", "practitioner", "new", "york", "New_York",
          "new_yorker", "don", "don't", "don'ts", "mother", "in", "law", "t", "-", "'", "'s", ".", "_")  # fmt: skip
sentence = st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from((" ", " ", "  ", "", "-", "_"))), max_size=12)
corpora = st.lists(sentence.map(lambda parts: "".join(a + b for a, b in parts)), max_size=30)
queries = st.dictionaries(
    st.sampled_from("abc"),
    st.builds(
        Query,
        st.lists(st.sampled_from(WORDS), min_size=1, unique=True).map(tuple),
        st.integers(1, 4),
        st.lists(st.sampled_from(WORDS), max_size=2).map(tuple),
    ),
    max_size=3,
)


@settings(max_examples=80, deadline=None)
@given(corpora, queries, st.integers(0, 5))
def test_counts_and_places_are_those_of_the_slow_way(corpus: list[str], asked: dict[str, Query], seed: int) -> None:
    found = sample_contexts(corpus, asked, rng=seed)
    expected = all_holders(corpus, asked)
    assert found.sentences == len(corpus)
    assert set(found.contexts) == set(asked)
    for name, query in asked.items():
        contexts = found.contexts[name]
        assert contexts.counts == {word: len(texts) for word, texts in expected[name].items()}
        assert contexts.missing == tuple(word for word in query.words if not expected[name][word])
        for word, drawn in contexts.by_word.items():
            assert len(drawn) == min(query.per_word, len(set(expected[name][word])))
            assert len({context.text for context in drawn}) == len(drawn)
            for context in drawn:
                assert (context.start, context.end) in spans(context.text, word)


TEXTS = [f"Sentence {n} has a nurse in it." for n in range(60)]


def drawn(texts: list[str], n: int, seed: int, word: str = "nurse") -> tuple[str, ...]:
    found = sample_contexts(texts, {"q": Query((word,), n)}, rng=seed)
    return tuple(context.text for context in found.contexts["q"].by_word[word])


def test_every_sentence_is_drawn_equally_often() -> None:
    times = Counter(text for seed in range(900) for text in drawn(TEXTS[:20], 5, seed))
    assert sum(times.values()) == 4500
    assert scipy.stats.chisquare([times[text] for text in TEXTS[:20]]).pvalue > 0.001


def test_every_sentence_comes_first_equally_often() -> None:
    times = Counter(drawn(TEXTS[:20], 5, seed)[0] for seed in range(1000))
    assert scipy.stats.chisquare([times[text] for text in TEXTS[:20]]).pvalue > 0.001


def test_each_of_several_places_in_a_sentence_is_drawn_equally_often() -> None:
    text = "A nurse met a nurse and another nurse."
    found = Counter(
        sample_contexts([text], {"q": Query(("nurse",), 1)}, rng=seed).contexts["q"].by_word["nurse"][0].start
        for seed in range(600)
    )
    assert set(found) == {2, 14, 32}
    assert scipy.stats.chisquare(list(found.values())).pvalue > 0.001


def test_draws_for_two_words_of_the_same_sentences_are_independent() -> None:
    texts = [f"Sentence {n}: a nurse and a clerk." for n in range(40)]
    shared = 0
    for seed in range(300):
        both = sample_contexts(texts, {"q": Query(("nurse", "clerk"), 10)}, rng=seed).contexts["q"].by_word
        shared += len({c.text for c in both["nurse"]} & {c.text for c in both["clerk"]})
    assert shared / 300 == pytest.approx(10 * 10 / 40, abs=0.3)


def test_the_first_of_a_larger_draw_are_the_smaller_draw() -> None:
    assert drawn(TEXTS, 20, 3)[:7] == drawn(TEXTS, 7, 3)


def test_the_order_of_the_corpus_does_not_matter() -> None:
    shuffled = [TEXTS[i] for i in np.random.default_rng(1).permutation(len(TEXTS))]
    assert drawn(TEXTS, 10, 3) == drawn(shuffled, 10, 3) == drawn(TEXTS[::-1], 10, 3)


def test_parts_of_a_corpus_can_be_read_apart() -> None:
    apart = {*drawn(TEXTS[:25], 10, 3), *drawn(TEXTS[25:], 10, 3)}
    assert drawn(TEXTS, 10, 3) == drawn(sorted(apart), 10, 3)


def test_how_a_file_is_cut_into_blocks_does_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "corpus.txt"
    path.write_text("\r\n".join(f"{text} Über all — ’tis “good”." for text in TEXTS), encoding="utf-8")
    asked = {"q": Query(("nurse", "über"), 5)}
    whole = sample_contexts(aslant.load_corpus(path), asked)
    for block in (1, 7, 64):
        monkeypatch.setattr("aslant.corpus.reading.BLOCK", block)
        assert sample_contexts(aslant.load_corpus(path), asked) == whole
    assert whole.sentences == len(TEXTS) * 2


def test_seeds_differ_and_the_same_seed_repeats() -> None:
    assert drawn(TEXTS, 10, 3) == drawn(TEXTS, 10, 3) != drawn(TEXTS, 10, 4)
    generators = [np.random.default_rng(5), np.random.default_rng(5)]
    first, second = (sample_contexts(TEXTS, {"q": Query(("nurse",), 3)}, rng=rng) for rng in generators)
    assert first == second
    sample_contexts(TEXTS, {"q": Query(("nurse",), 3)}, rng=None)


def test_a_text_that_is_repeated_is_drawn_once_but_counted() -> None:
    found = sample_contexts(["A nurse slept."] * 30 + ["He is a nurse."], {"q": Query(("nurse",), 10)}).contexts["q"]
    assert found.counts == {"nurse": 31}
    assert sorted(context.text for context in found.by_word["nurse"]) == ["A nurse slept.", "He is a nurse."]


def test_a_generator_of_sentences_is_read_once() -> None:
    found = sample_contexts((text for text in TEXTS), {"q": Query(("nurse",), 2), "r": Query(("it",), 3)})
    assert found.contexts["q"].counts["nurse"] == found.contexts["r"].counts["it"] == 60
    assert found.tokens == 60 * 7


@pytest.mark.parametrize(
    ("word", "text", "places"),
    [
        ("he", "He's here; the HE-goat, he.", ["He", "HE", "he"]),
        ("don", "Don't! I don’t know Don, DON'T", ["Don"]),
        ("don't", "I don’t; DON'T", ["don’t", "DON'T"]),
        ("STRASSE", "Die Straße, die STRASSE", ["Straße", "STRASSE"]),
        ("café", "cafe\u0301, Cafe\u0301s, CAFÉ cafe", ["cafe\u0301", "CAFÉ"]),
        ("istanbul", "İstanbul Istanbul", ["Istanbul"]),
        ("new york", "New\u00a0York, new_york, NEW \t YORK", ["New\u00a0York", "new_york", "NEW \t YORK"]),
        ("new york", "New-York, new_yorker, anew york", []),
        ("Straße_frei", "İ ʼN STRASSE  FREI ende", ["STRASSE  FREI"]),
        ("mother-in-law", "His Mother-in-law; mother in law, mother-in-laws", ["Mother-in-law"]),
        ("AT&T", "at&t, AT&TX, AT & T", ["at&t"]),
        ("c++", "C++ and c+++ or c", ["C++", "c++"]),
        ("हिन्दी", "यह हिन्दी है, हिन्द", ["हिन्दी"]),
        ("हिन्द", "यह हिन्दी है, हिन्द", ["हिन्द"]),
        ("++", "a ++ b", []),
        ("", "a  b", []),
        ("_", "a _ b", []),
    ],
)  # fmt: skip
def test_what_counts_as_a_word(word: str, text: str, places: list[str]) -> None:
    finder = Finder([word])
    found = finder.places(text, 0) if word.strip("_+") else []
    assert [text[start:end] for start, end in found] == places
    assert finder.held(text)[0] == ({0} if places else set())


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=20), st.text(max_size=4), st.text(max_size=20))
def test_a_word_that_is_held_is_also_placed(before: str, word: str, after: str) -> None:
    text = f"{before} {word} {after}"
    found = sample_contexts([text], {"q": Query((word, "a", "i"), 1)}).contexts["q"]
    for drawn_of_word, count in zip(found.by_word.values(), found.counts.values(), strict=True):
        assert len(drawn_of_word) == count


def test_words_as_written_are_drawn_from_all_that_are_written_so() -> None:
    texts = [f"The bill number {n} came." for n in range(200)] + [f"We met Bill {n} times." for n in range(5)]
    texts += ["Will the bill go to Bill?"] * 2
    found = sample_contexts(texts, {"q": Query(("Bill", "bill", "will"), 4, as_written=True)}).contexts["q"]
    assert found.counts == {"Bill": 7, "bill": 202, "will": 2}
    assert {word: len(drawn) for word, drawn in found.by_word.items()} == {"Bill": 4, "bill": 4, "will": 1}
    more = sample_contexts(texts, {"q": Query(("Bill", "bill"), 500, as_written=True)}).contexts["q"].by_word
    assert {word: {context.word for context in drawn} for word, drawn in more.items()} == {
        "Bill": {"Bill"},
        "bill": {"bill"},
    }


@pytest.mark.parametrize(
    ("word", "context", "counts"),
    [
        ("Bill", Context("Bill slept.", 0, 4), True),
        ("Bill", Context("The bill came.", 4, 8), False),
        ("bill", Context("“Bill 8 came.”", 1, 5), True),
        ("bill", Context("In 8 Bill came.", 5, 9), False),
        ("bill", Context("BILL came.", 0, 4), False),
        ("new york", Context("In new_york.", 3, 11), True),
        ("New_York", Context("In New  York.", 3, 12), True),
        ("don't", Context("I don’t.", 2, 7), True),
    ],
)
def test_a_word_as_written_may_have_a_capital_where_the_sentence_begins(
    word: str, context: Context, counts: bool
) -> None:
    assert context.has_written(word) is counts


def test_words_that_differ_in_case_only_have_the_same_counts() -> None:
    found = sample_contexts(["He met he.", "HE"], {"q": Query(("he", "He", "new_york", "New York"), 5)}).contexts["q"]
    assert found.counts == {"he": 2, "He": 2, "new_york": 0, "New York": 0}


def test_progress_ends_with_everything_read(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("A nurse slept.\n" * 1000)
    asked, calls = {"q": Query(("nurse",), 1)}, []
    sample_contexts(aslant.load_corpus([path, path]), asked, progress=lambda *call: calls.append(call))
    assert calls[-1] == ("sentences", 30_000, 30_000)
    assert {total for _, _, total in calls} == {30_000}
    sample_contexts(["A nurse."], asked, progress=lambda *call: calls.append(call))
    assert calls[-1] == ("sentences", 1, 1)


@pytest.mark.parametrize(
    ("sentences", "query", "rng", "problem"),
    [
        ("A nurse.", Query(("nurse",), 1), 0, "one string was given"),
        (["A nurse."], Query(("nurse",), 0), 0, "per_word is 0"),
        (["A nurse."], Query(("nurse",), 1), -1, "rng is -1"),
        (["A nurse."], Query(("nurse",), 1), "x", "rng is 'x'"),
        ([b"A nurse."], Query(("nurse",), 1), 0, "item 1 is a bytes"),
    ],
)
def test_questions_that_make_no_sense_are_refused(sentences: list[str], query: Query, rng: int, problem: str) -> None:
    with pytest.raises(CorpusError, match=problem):
        sample_contexts(sentences, {"q": query}, rng=rng)
