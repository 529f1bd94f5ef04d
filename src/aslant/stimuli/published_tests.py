"""WEATs that others publish as files: SEAT's and WEATHub's JSON, and WEAT by way of XWEAT's translations.

Their licences keep them out of the package; they are fetched by data name, or read from a file (docs/languages.md).
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from aslant.errors import StimuliError
from aslant.io.reading import parse_json, read_text
from aslant.stimuli.schema import ClassSet, Direction, Text, WeatSet, WordList, WordSet

#: The most bytes of such a file: the largest that is published has a hundredth of that.
MAX_BYTES = 16 << 20
#: The languages of the tests that can be had, and those whose nouns or adjectives have a grammatical gender.
LANGUAGES = {
    "ar": "Arabic", "bn": "Bengali", "ckb": "Central Kurdish", "da": "Danish", "de": "German", "el": "Greek",
    "en": "English", "es": "Spanish", "fa": "Persian", "fr": "French", "hi": "Hindi", "hr": "Croatian", "it": "Italian",
    "ja": "Japanese", "ko": "Korean", "ku": "Northern Kurdish", "mr": "Marathi", "pa": "Punjabi", "ru": "Russian",
    "te": "Telugu", "th": "Thai", "tl": "Filipino", "tr": "Turkish", "ur": "Urdu", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
GENDERED = frozenset({"ar", "de", "el", "es", "fr", "hi", "hr", "it", "ku", "mr", "pa", "ru", "te", "ur"})
#: What the numbered tests are about (to 10 of Caliskan et al., from 11 of WEATHub), and the direction expected.
NUMBERED: dict[int, tuple[str, Direction]] = {
    **dict.fromkeys((1, 2), ("none", "greater")), **dict.fromkeys((3, 4, 5), ("race", "greater")),
    **dict.fromkeys((6, 7, 8), ("gender", "greater")), 9: ("health", "greater"), 10: ("age", "greater"),
    11: ("gender", "two-sided"), 12: ("disability", "two-sided"), 13: ("sexuality", "two-sided"),
    14: ("class", "two-sided"), 15: ("nationality", "two-sided"),
    **dict.fromkeys(range(16, 21), ("gender", "two-sided")), **dict.fromkeys((21, 22, 26), ("caste", "two-sided")),
    **dict.fromkeys((23, 24, 25), ("religion", "two-sided")),
}  # fmt: skip
#: What SEAT's other tests are about, by a part of the file's name; one of them crosses two categories.
PROPER = frozenset({"African", "American", "Black", "European", "Hindu", "Islam", "Jewish", "Muslim", "White"})
NAMED = {"angry_black_woman": "several", "double_bind": "gender", "religion": "religion"}
#: The tests that XWEAT translates; the others have names of people, which are not translated.
TRANSLATED = (1, 2, 7, 8, 9)
SENTENCES = (
    "its items are sentences, several with the same word; p takes them for independent, as published, and is too small"
)


class Group(Struct, frozen=True):
    """A word set as SEAT and WEATHub write it."""

    category: Text
    examples: Annotated[tuple[str, ...], Meta(min_length=1)]


class PublishedTest(Struct, frozen=True):
    """A test as SEAT and WEATHub write it."""

    targ1: Group
    targ2: Group
    attr1: Group
    attr2: Group


def is_sentence(text: str) -> bool:
    """Tell whether a text is a sentence already: several words, and a full stop at the end.

    >>> is_sentence("This is a cross."), is_sentence("short-term"), is_sentence("St.")
    (True, False, False)
    """
    return text.rstrip().endswith(".") and " " in text.strip()


def gender_note(language: str) -> str:
    """Return what must stand beside a test about gender in a language with grammatical gender; else "".

    >>> gender_note("de")[:33], gender_note("tr")
    ('German nouns have a grammatical g', '')
    """
    if language not in GENDERED:
        return ""
    return (
        f"{LANGUAGES[language]} nouns have a grammatical gender, from which part of an association with words for men "
        "and women may come (docs/languages.md)"
    )


def read_tests(path: Path, language: str = "") -> list[WeatSet]:
    """Read SEAT's or WEATHub's JSON: one test, or several by name, without those whose two sides are the same.

    The language is `language`, or what the name of the file or folder says (de.json, de_human/weat6.json), or English.
    """
    text = read_text(path, StimuliError, most=MAX_BYTES)
    said = path.stem if path.stem in LANGUAGES else path.parent.name.partition("_")[0]
    return parse_tests(text, path.stem, language or (said if said in LANGUAGES else ""), where=str(path))


def parse_tests(text: str, name: str, language: str = "", *, where: str = "") -> list[WeatSet]:
    """Check the text of such a file; `name` becomes the id of a test that has none.

    >>> words = lambda name, *words: {"category": name, "examples": words}
    >>> one = {"targ1": words("MaleNames", "Jan"), "targ2": words("FemaleNames", "Eva")}
    >>> one |= {"attr1": words("Career", "Amt", "Heim"), "attr2": words("Family", "Heim", "Kind")}
    >>> [found] = parse_tests(json.dumps({"weat6": one}), "de", "de")
    >>> found.id, found.title, found.category, found.attributes[0].words
    ('weathub-de-weat6', 'Male names, female names: career, family', 'gender', ('Amt',))
    """
    try:
        content = parse_json(text)
        several = isinstance(content, dict) and "targ1" not in content
        tests = msgspec.convert(content if several else {name: content}, dict[Text, PublishedTest])
        if not tests:
            raise ValueError("it has no test")  # noqa: TRY301
        made = [_weat_set(key, test, language, _source(key, language)) for key, test in tests.items()]
        if not (usable := [found for found in made if isinstance(found, WeatSet)]):
            raise ValueError(str(made[0]).rstrip("."))  # noqa: TRY301
    except (ValueError, msgspec.ValidationError, RecursionError) as error:
        raise StimuliError(
            f"'{where or name}' has neither lists of words by name nor a test as SEAT or WEATHub write it (targ1, "
            f"targ2, attr1 and attr2, each with category and examples): {str(error).rstrip('.')}."
        ) from None
    return usable


def _source(key: str, language: str) -> str:
    """Return the data that a test is from, by its key; "" for one of the user's own."""
    if language:
        return f"weathub-{language}" if re.fullmatch("weat[0-9]{1,2}b?", key) and language != "hr" else ""
    return "seat" if _about(key)[0] != "own" else ""


def _weat_set(key: str, test: PublishedTest, language: str, source: str) -> WeatSet | StimuliError:
    """Return a test as a set, or why it cannot be one: both sides have the same words."""
    category, alternative = _about(key)
    x, y, dropped_targets = _apart(test.targ1, test.targ2)
    a, b, dropped_attributes = _apart(test.attr1, test.attr2)
    dropped = dropped_targets + dropped_attributes
    said = [f"left out, since both sides list it: {', '.join(dropped)}"] if dropped else []
    said += [note] if category == "gender" and (note := gender_note(language)) else []
    said += [SENTENCES] if any(map(is_sentence, test.targ1.examples)) else []
    licence, citation = origin(source)
    title = f"{x.name}, {_inside(y.name)}: {_inside(a.name)}, {_inside(b.name)}"
    try:
        return WeatSet(
            id=f"{source}-{key}" if source and language else key, title=title, category=category,
            alternative=alternative, language=language or "en", licence=licence, citation=citation,
            caution="\n".join(said), targets=(x, y), attributes=(a, b),
        )  # fmt: skip
    except StimuliError as error:
        return error


def origin(data: str) -> tuple[str, str]:
    """Return licence and citation of data, by name; of none, that they are the user's own."""
    from aslant.data import entry

    if not data:
        return "own", "own"
    found = entry(data)
    return found.licence, found.citation


def _about(key: str) -> tuple[str, Direction]:
    if number := re.match(r"(?:sent-)?weat([0-9]{1,2})b?$", key):
        return NUMBERED.get(int(number[1]), ("own", "two-sided"))
    return next((category for part, category in NAMED.items() if part in key), "own"), "two-sided"


def _apart(first: Group, second: Group) -> tuple[WordList, WordList, list[str]]:
    """Return two opposed sets, each word once and in one of them only, and the words that both have."""
    one, other = ({w.strip().casefold(): w.strip() for w in g.examples[::-1] if w.strip()} for g in (first, second))
    x, y = (tuple(w for k, w in reversed(a.items()) if k not in b) for a, b in ((one, other), (other, one)))
    both = [word for key, word in reversed(one.items()) if key in other]
    return WordList(_named(first.category), x), WordList(_named(second.category), y), both


def _named(category: str) -> str:
    """Write a name as words: MaleNames, Male names."""
    words = re.sub(r"(?<=[a-z+])(?=[A-Z])|(?<=[A-Za-z])(?=[0-9])", " ", " ".join(category.split())).split()
    return " ".join([words[0], *map(_inside, words[1:])])


def _inside(name: str) -> str:
    """Write a name as it stands inside a sentence; abbreviations and proper names stay."""
    return name if name[1:2].isupper() or name.partition(" ")[0] in PROPER else name[:1].lower() + name[1:]


def translated_tests(path: Path, language: str, tests: Iterable[WeatSet]) -> list[WeatSet]:
    """Put the words of tests into a language, by XWEAT's table: English, its translation, its feminine form."""
    rows = csv.reader(io.StringIO(read_text(path, StimuliError, most=MAX_BYTES)))
    try:
        table = {row[0].strip(): tuple(word for cell in row[1:] if (word := cell.strip())) for row in rows if row}
    except csv.Error as error:
        raise StimuliError(f"'{path}' is not a table of translations: {error}.") from None
    return [found for test in tests if (found := _translated(test, language, table)) is not None]


def _translated(test: WeatSet, language: str, table: dict[str, tuple[str, ...]]) -> WeatSet | None:
    groups = [Group(g.name, tuple(new for word in g.words for new in table.get(word, ()))) for g in test.groups]
    without = [word for word in test.words if not table.get(word)]
    if not all(group.examples for group in groups):
        return None
    made = _weat_set(test.id.replace("-", ""), PublishedTest(*groups), language, "xweat")
    if not isinstance(made, WeatSet):
        return None
    note = [f"not translated: {', '.join(without)}"] if without else []
    return msgspec.structs.replace(
        made, id=f"xweat-{language}-{test.id.replace('-', '')}", title=test.title,
        caution="\n".join([part for part in (made.caution, *note) if part]),
    )  # fmt: skip


def as_toml(found: WeatSet | ClassSet | WordSet) -> str:
    """Write a test, classes or words as the TOML of a set of one's own.

    >>> from aslant.stimuli import load_set, parse_set
    >>> parse_set(as_toml(load_set("weat-6", WeatSet)), "mine").words == load_set("weat-6").words
    True
    """
    fields = ("title", "category", "alternative", "language", "licence", "citation", "note", "caution")
    given = {"kind": found.__struct_config__.tag, **{name: getattr(found, name, "") for name in fields}}
    lines = [f"{name} = {_quoted(value)}" for name, value in given.items() if value]
    if isinstance(found, WordSet):
        return "\n".join([*lines, f"words = [{', '.join(map(_quoted, found.words))}]", ""])
    sides: dict[str, tuple[WordList, ...]] = {"classes": found.groups}
    if isinstance(found, WeatSet):
        sides = {"targets": found.targets, "attributes": found.attributes}
    for side, groups in sides.items():
        for group in groups:
            words = ", ".join(map(_quoted, group.words))
            lines += ["", f"[[{side}]]", f"name = {_quoted(group.name)}", f"words = [{words}]"]
    return "\n".join(lines) + "\n"


def _quoted(text: Any) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def natural(tests: Sequence[WeatSet]) -> list[WeatSet]:
    """Return tests in the order of their numbers."""
    number = re.compile(r"weat([0-9]+)(b?)$")
    keys = {test.id: number.search(test.id) for test in tests}
    return sorted(tests, key=lambda test: (int(found[1]), found[2]) if (found := keys[test.id]) else (0, test.id))
