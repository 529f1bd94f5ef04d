"""Pairs of a more and a less stereotyping sentence: CrowS-Pairs, StereoSet, BEC-Pro, and tables of one's own.

Pairs that differ in other ways than they should are flagged by the mechanical rules of `flags_of`; the inventory of
Blodgett et al. (2021) is not available as a list of pairs.
"""

from __future__ import annotations

import csv
import difflib
import io
import re
from collections.abc import Iterable, Sequence, Sized
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from aslant.errors import StimuliError
from aslant.io.reading import delimiter, parse_json, read_text

COLUMNS = ("sent_more", "sent_less", "bias_type")
DIRECTIONS = ("", "stereo", "antistereo")
BEC_COLUMNS = ("Sentence", "Template", "Gender", "Profession", "Prof_Gender")
#: Of BEC-Pro: the group of professions without a stereotype, whose pairs have no stereotyping sentence.
BALANCED = "balanced"
STEREOTYPE, OTHER, UNRELATED = "stereotype", "anti-stereotype", "unrelated"
#: The parts of StereoSet: a word in a sentence, and a sentence after another.
WITHIN, AFTER = "intrasentence", "intersentence"
#: A pair that differs in as many places, or shares less than this part of its words, is flagged.
MANY_PLACES, LEAST_SHARED = 3, 0.5
MAX_BYTES = 64 << 20
_WORD = re.compile(r"\w+(?:['’]\w+)*")


@dataclass(frozen=True)
class Pair:
    """A more and a less stereotyping sentence, both after the same `prompt`, if there is one.

    `cluster` says which pairs stand and fall together: they contrast the same words, or are about the same term.
    `unrelated` is a sentence that makes no sense there (StereoSet). `counted`: one of the two stereotypes.
    """

    id: str
    more: str
    less: str
    category: str
    cluster: str
    direction: str = ""
    part: str = ""
    prompt: str = ""
    unrelated: str | None = None
    flags: tuple[str, ...] = ()
    counted: bool = True


@dataclass(frozen=True)
class PairSet:
    """The pairs of one set."""

    id: str
    title: str
    pairs: tuple[Pair, ...]
    notes: tuple[str, ...] = ()


def changes(first: str, second: str) -> tuple[list[tuple[str, str]], float]:
    """Return what differs between two sentences, place by place, in words of lower case, and the share of equal words.

    >>> changes("He likes his car.", "She likes her car.")
    ([('he', 'she'), ('his', 'her')], 0.5)
    """
    words = [_WORD.findall(text.lower()) for text in (first, second)]
    matcher = difflib.SequenceMatcher(None, words[0], words[1], autojunk=False)
    found = [
        (" ".join(words[0][a:b]), " ".join(words[1][c:d])) for op, a, b, c, d in matcher.get_opcodes() if op != "equal"
    ]
    return found, matcher.ratio()


def contrasted(first: str, second: str) -> tuple[str, str]:
    """Return the words that only the first sentence has and those that only the second has, as they are written.

    >>> contrasted("He said that John likes his car.", "He said that Ana likes her car.")
    ('John his', 'Ana her')
    """
    words = [_WORD.findall(text) for text in (first, second)]
    lower = [[word.lower() for word in own] for own in words]
    places = difflib.SequenceMatcher(None, lower[0], lower[1], autojunk=False).get_opcodes()
    found = [(words[0][a:b], words[1][c:d]) for op, a, b, c, d in places if op != "equal"]
    return " ".join(word for own, _ in found for word in own), " ".join(word for _, own in found for word in own)


def contrast_of(first: str, second: str) -> str:
    """Name what two sentences contrast, whichever comes first: pairs with the same contrast stand and fall together.

    >>> contrast_of("White people are late.", "Black people are late.")
    'black / white'
    """
    found, _ = changes(first, second)
    return " / ".join(sorted(" … ".join(filter(None, side)) or "–" for side in zip(*found, strict=True))) or "–"


def flags_of(first: str, second: str) -> tuple[str, ...]:
    """Return why a pair may not measure what it should, by rules on its words alone.

    "same words": they differ in punctuation or case, or not at all; "one-sided": a place where one of them has words
    and the other none; "many places": three or more; "little in common": less than half of the words.

    >>> flags_of("He is late.", "he is late!"), flags_of("The poor man slept.", "The man slept.")
    (('same words',), ('one-sided',))
    """
    found, shared = changes(first, second)
    rules = {
        "same words": not found,
        "one-sided": any(not a or not b for a, b in found),
        "many places": len(found) >= MANY_PLACES,
        "little in common": shared < LEAST_SHARED,
    }
    return tuple(name for name, holds in rules.items() if holds)


def read_pairs(path: Path) -> PairSet:
    """Read CrowS-Pairs or a table in its format: columns sent_more, sent_less, bias_type, and stereo_antistereo or not.

    The columns are separated by commas or tabs. A first column without a name, as in CrowS-Pairs, has the ids.
    """
    rows = _table(path, COLUMNS)
    pairs = []
    for number, (line, row) in enumerate(rows):
        more, less, category = (row[name].strip() for name in COLUMNS)
        if not more or not less or not category:
            empty = next(name for name in COLUMNS if not row[name].strip())
            raise StimuliError(f"line {line} of '{path}' has nothing in the column '{empty}'; fill it in.")
        direction, own = ((row.get(name) or "").strip() for name in ("stereo_antistereo", ""))
        if direction not in DIRECTIONS:
            raise StimuliError(
                f"line {line} of '{path}' has stereo_antistereo '{direction}'; give stereo or antistereo."
            )
        pairs.append(
            Pair(
                id=own or str(number), more=more, less=less, category=category, cluster=contrast_of(more, less),
                direction=direction, flags=flags_of(more, less),
            )
        )  # fmt: skip
    return PairSet(path.stem, path.name, tuple(pairs))


def read_stereoset(path: Path) -> PairSet:
    """Read StereoSet's JSON: a stereotyping, another and an unrelated sentence or filled-in word for each context."""
    try:
        content = parse_json(read_text(path, StimuliError, most=MAX_BYTES))
        parts = {name: content["data"][name] for name in (WITHIN, AFTER)}
        pairs = [_stereoset(item, part) for part, items in parts.items() for item in items]
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise StimuliError(f"'{path}' is not StereoSet's JSON: {type(problem).__name__}, {problem}.") from None
    _some(path, pairs)
    return PairSet("stereoset", "StereoSet", tuple(pairs))


def _stereoset(item: dict[str, Any], part: str) -> Pair:
    texts = {str(each["gold_label"]): str(each["sentence"]).strip() for each in item["sentences"]}
    more, less, other = (texts[name] for name in (STEREOTYPE, OTHER, UNRELATED))
    if not more or not less or not other:
        raise ValueError(f"'{item['id']}' has an empty sentence")
    prompt = str(item["context"]).strip() if part == AFTER else ""
    return Pair(
        id=str(item["id"]), more=more, less=less, category=str(item["bias_type"]), part=part,
        cluster=str(item["target"]), prompt=prompt, unrelated=other,
        flags=("same words",) if not changes(more, less)[0] else (),
    )  # fmt: skip


def read_bec_pro(path: Path) -> PairSet:
    """Read BEC-Pro: sentences on a man and on a woman with the same profession and template, in English or German."""
    sides: dict[tuple[str, str, str], dict[str, list[str]]] = {}
    for line, row in _table(path, BEC_COLUMNS):
        gender = row["Gender"]
        if gender not in ("male", "female"):
            raise StimuliError(f"line {line} of '{path}' has the gender {gender!r:.40}; it is male or female.")
        template = row["Template"].replace(", der <", ", die <")
        key = (row["Prof_Gender"], row.get("Profession_EN") or row["Profession"], template)
        sides.setdefault(key, {"male": [], "female": []})[gender].append(row["Sentence"].strip())
    pairs = []
    for (group, profession, template), found in sides.items():
        if len(found["male"]) != len(found["female"]):
            raise StimuliError(f"'{path}' has not as many men as women for '{profession}' in '{template}'.")
        for place, (man, woman) in enumerate(zip(found["male"], found["female"], strict=True)):
            more, less = (man, woman) if group == "male" else (woman, man)
            pairs.append(Pair(
                id=f"{profession}, {template}, {place}", more=more, less=less, category=f"{group} professions",
                cluster=profession, counted=group != BALANCED,
            ))  # fmt: skip
    german = "Profession_EN" in next(iter(_table(path, BEC_COLUMNS)))[1]
    note = "German professions have another form for women, so the two sentences differ in more than the person"
    return PairSet("bec-pro", "BEC-Pro", tuple(pairs), (note,) if german else ())


def _table(path: Path, columns: Sequence[str]) -> list[tuple[int, dict[str, str]]]:
    """Return the rows of a table, each with its line; columns that are needed are there."""
    text = read_text(path, StimuliError, most=MAX_BYTES)
    mark = delimiter(text)
    marks = None if mark == "\t" and not _quoted(text) else '"'
    reader = csv.DictReader(
        io.StringIO(text),
        delimiter=mark,
        quotechar=marks,
        quoting=csv.QUOTE_MINIMAL if marks else csv.QUOTE_NONE,
    )
    try:
        named = [name or "" for name in reader.fieldnames or ()]
        if lacking := [name for name in columns if name not in named]:
            raise StimuliError(
                f"'{path}' has no column '{lacking[0]}'; a table of pairs has {', '.join(columns)} in its first line."
            )
        rows = [(reader.line_num, row) for row in reader if any(map(_filled, row.values()))]
    except csv.Error as problem:
        raise StimuliError(f"'{path}' is not a table: {problem}.") from None
    for line, row in rows:
        if any(row[name] is None for name in columns) or None in row:
            raise StimuliError(f"line {line} of '{path}' has not as many columns as the first line.")
    _some(path, rows)
    return rows


def _quoted(text: str) -> bool:
    """Tell whether quotation marks at both ends of a column are the table's, in all of them; else they are text."""
    cells = [cell for line in text.splitlines() for cell in line.split("\t") if cell.startswith('"')]
    return all(len(cell) > 1 and cell.endswith('"') and '"' not in cell[1:-1].replace('""', "") for cell in cells)


def _filled(value: Any) -> bool:
    return bool(value and str(value).strip())


def _some(path: Path, found: Sized) -> None:
    if not len(found):
        raise StimuliError(f"'{path}' has no pairs of sentences.")


def named_once(pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    """Return pairs whose ids differ: one that was used before gets a number."""
    seen: dict[str, int] = {}
    found = []
    for pair in pairs:
        seen[pair.id] = times = seen.get(pair.id, 0) + 1
        found.append(pair if times == 1 else replace(pair, id=f"{pair.id} ({times})"))
    return tuple(found)
