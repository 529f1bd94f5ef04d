"""Sentences by kind of word: articles, plurals, and what happens to words that no kind lists."""

from __future__ import annotations

import pytest

from aslant.errors import StimuliError
from aslant.stimuli import SentenceSet, load_set, parse_set, suite_sets, text_of

SHIPPED = load_set("seat-templates", SentenceSet)


@pytest.mark.parametrize(
    ("word", "kind", "sentence", "n"),
    [
        ("Amy", "name", "The person's name is Amy.", 8),
        ("NASA", "proper name", "This is NASA.", 6),
        ("ant", "noun", "An ant is a thing.", 14),
        ("knife", "noun", "Knives are things.", 14),
        ("woman", "person", "The women are there.", 13),
        ("aunt", "person", "An aunt is a person.", 13),
        ("children", "people", "Children are people.", 6),
        ("equations", "plural", "The equations are here.", 6),
        ("math", "mass noun", "It is math.", 4),
        ("short-term", "adjective", "They are short-term.", 3),
        ("kill", "verb", "That may kill.", 8),
        ("she", "subject pronoun", "There she is.", 5),
        ("her", "object pronoun", "It is her.", 3),
        ("his", "possessive pronoun", "His is there.", 7),
    ],
)
def test_words_stand_in_sentences_of_their_kind(word: str, kind: str, sentence: str, n: int) -> None:
    found = SHIPPED.sentences_of(word)
    assert SHIPPED.kind_of(word)[0].name == kind
    assert sentence in found
    assert len(found) == n


def test_every_word_of_the_weat_sets_that_is_no_name_has_a_kind() -> None:
    unknown = {w for found in suite_sets() for w in found.words if not SHIPPED.kind_of(w)[1]}
    assert unknown
    assert all(word[0].isupper() for word in unknown)


def test_sentences_are_whole() -> None:
    for found in suite_sets():
        for word in found.words:
            for text in SHIPPED.sentences_of(word):
                assert "{" not in text
                assert "  " not in text
                assert text[0].isupper()
                assert text.endswith(".")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (('other = "mass noun"', 'other = "thing"'), "other = 'thing' is not one of the kinds"),
        (('capitalised = "name"', 'capitalised = "thing"'), "capitalised = 'thing' is not one of the kinds"),
        (('"This is {word}."', '"This is it."'), "exactly once"),
        (('"This is {word}."', '"{word} is {word}."'), "exactly once"),
        (('["accident", "accidents"]', '"accident"'), "Expected `array`"),
        (('"freedom"', '"ant"'), "lists 'ant' twice"),
        (("[article]", "[artcle]"), "artcle"),
    ],
)
def test_a_fault_is_named(change: tuple[str, str], words: str) -> None:
    with pytest.raises(StimuliError) as caught:
        parse_set(text_of("seat-templates").replace(*change, 1), "mine")
    assert words in str(caught.value)


def test_an_article_must_be_known_where_it_is_asked_for() -> None:
    text = text_of("seat-templates")
    start, end = text.index("[article]"), text.index("[[kinds]]")
    with pytest.raises(StimuliError, match=r"has no \[article\]"):
        parse_set(text[:start] + text[end:], "mine")
