"""Claims about spelling: words are found as the model sees them at their place, or named as unplaceable."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest

from aslant.errors import MeasureError
from aslant.models import Sentence
from aslant.models.spelling import Speller, written
from tiny_lms import tokenizer

START, INSIDE = "[TARGET] is a [ATTRIBUTE].", "I know that [TARGET] is [ATTRIBUTE]."
KINDS = ("wordpiece-uncased", "wordpiece-cased", "byte-level", "unigram", "unigram-lower")


def pieces(speller: Speller, template: str, target: str = "he", attribute: str = "nurse") -> Any:
    (found,) = speller.spell([Sentence(template, target, attribute)])
    return tuple(speller.pieces(found, place) for place in (found.target, found.attribute))


@pytest.mark.parametrize(
    ("kind", "start", "inside", "attribute"),
    [
        ("wordpiece-uncased", "he", "he", "nurse"),
        ("wordpiece-cased", "He", "he", "nurse"),
        ("byte-level", "He", "Ġhe", "Ġnurse"),
    ],
)
def test_case_and_space_are_those_of_the_place(kind: str, start: str, inside: str, attribute: str) -> None:
    speller = Speller(tokenizer(kind))
    assert pieces(speller, START) == ((start,), (attribute,))
    assert pieces(speller, INSIDE) == ((inside,), (attribute,))


@pytest.mark.parametrize(("kind", "letter"), [("unigram", "H"), ("unigram-lower", "h")])
def test_sentencepiece_words_take_their_space_with_them(kind: str, letter: str) -> None:
    speller = Speller(tokenizer(kind))
    for template, first in ((START, letter), (INSIDE, "h")):
        target, attribute = pieces(speller, template)
        assert "".join(target) == f"▁{first}e"
        assert "".join(attribute) == "▁nurse"


def test_a_space_in_a_piece_of_its_own_belongs_to_the_word() -> None:
    speller = Speller(tokenizer("unigram"))
    target, _ = pieces(speller, INSIDE, "HH")
    assert target == ("▁", "H", "H")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("framed", [True, False])
def test_pieces_are_those_words_and_nothing_else(kind: str, framed: bool) -> None:
    tok = tokenizer(kind, framed=framed)
    speller = Speller(tok)
    templates = (START, INSIDE, "The [ATTRIBUTE] said:  [TARGET]", "[TARGET], [ATTRIBUTE]; he")
    attributes = ("nurse", "chief medical examiner", "electrician", "nurses, doctors")
    for template, attribute in itertools.product(templates, attributes):
        sentence = Sentence(template, "she", attribute)
        (found,) = speller.spell([sentence])
        assert list(found.ids) == tok(written(sentence, capital=speller.capital)[0])["input_ids"]
        for place, word in ((found.target, "she"), (found.attribute, attribute)):
            read = re.sub("##|[▁Ġ ]", "", "".join(speller.pieces(found, place)))
            assert read.lower() == word.replace(" ", "")


@pytest.mark.parametrize("kind", KINDS)
def test_masks_leave_every_other_token_as_it_was(kind: str) -> None:
    speller = Speller(tokenizer(kind))
    mask = speller.tokenizer.mask_token_id
    for template in (START, "The [ATTRIBUTE] said that [TARGET] was late"):
        for single in (True, False):
            (found,) = speller.spell([Sentence(template, "teachers", "electrician")])
            n = 1 if single else len(found.attribute)
            ids, target, attribute = found.masked(mask, target=len(found.target), attribute=n)
            rest = [token for i, token in enumerate(found.ids) if i not in found.target and i not in found.attribute]
            assert [token for token in ids if token != mask] == rest
            assert ids[target : target + len(found.target)] == (mask,) * len(found.target)
            assert ids[attribute : attribute + n] == (mask,) * n
            assert len(ids) == len(rest) + len(found.target) + n


def test_capitals_can_be_left_as_written() -> None:
    speller = Speller(tokenizer("wordpiece-cased"), capitalise=False)
    assert pieces(speller, START)[0] == ("he",)
    assert pieces(speller, START, "She")[0] == ("She",)


def test_a_sentence_that_begins_with_other_words_begins_with_a_capital_too() -> None:
    sentence = Sentence("the [ATTRIBUTE] is [TARGET]", "ßa", "Élan")
    assert written(sentence, capital=True)[0] == "The Élan is ßa"
    assert written(Sentence("[TARGET] is [ATTRIBUTE]", "ßa", "x"), capital=True)[0] == "ßa is x"


@pytest.mark.parametrize(
    ("template", "target", "attribute", "reason"),
    [
        ("[TARGET] is a [ATTRIBUTE]ing.", "he", "nurs", "'nurs' in 'He is a nursing.' shares a piece"),
        (START, "", "nurse", "is empty or has spaces around it"),
        (START, "he", " nurse", "is empty or has spaces around it"),
        (START, "\u4f60", "nurse", "is unknown to the model's tokenizer"),
        (START, "he", "nurse " * 70 + "nurse", "pieces, but the model takes at most 60"),
    ],
)
def test_a_word_that_cannot_be_placed_is_named(template: str, target: str, attribute: str, reason: str) -> None:
    core = tokenizer("wordpiece-cased")
    core.add_tokens(["nursing"])
    speller = Speller(core, longest=60)
    with pytest.raises(MeasureError, match=reason):
        speller.spell([Sentence(template, target, attribute)])
    spelt = speller.try_spell([Sentence(START, "he", "nurse"), Sentence(template, target, attribute)])
    assert not isinstance(spelt[0], str)
    assert reason in str(spelt[1])


@pytest.mark.parametrize("template", ["[TARGET] is.", "[TARGET] and [TARGET] are [ATTRIBUTE].", ""])
def test_a_template_holds_each_word_once(template: str) -> None:
    with pytest.raises(MeasureError, match="exactly once"):
        Speller(tokenizer("wordpiece-cased")).spell([Sentence(template, "he", "nurse")])


def test_many_unplaceable_words_make_one_short_error() -> None:
    speller = Speller(tokenizer("wordpiece-cased"))
    with pytest.raises(MeasureError, match=r"\(and 2 more\); leave such words out"):
        speller.spell([Sentence(START, "he", chr(0x4F60 + i)) for i in range(5)])


def test_a_slow_tokenizer_is_refused() -> None:
    class Slow:
        is_fast = False

    with pytest.raises(MeasureError, match="fast tokenizer"):
        Speller(Slow())
