"""WinoBias (Zhao et al. 2018): sentences in two files, pro- and anti-stereotyped, that differ in the pronouns' gender.

The published files are not quite as described: some lines differ in other words too, some name another
person, some lack brackets. Every such line is reported, and only those that cannot be compared are left out.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from aslant.errors import StimuliError
from aslant.stimuli import pronoun_items as p
from aslant.stimuli.loading import load_set
from aslant.stimuli.pronoun_items import OCCUPATION, PRONOUN, PronounItem, PronounSet, PronounText, Remark
from aslant.stimuli.schema import WordSet

FILE = re.compile(r"(pro|anti)_stereotyped_type([12])\.txt\.(dev|test)")
SPLITS = ("dev", "test")
BOTH = "both types"
SHARES = "occupations-share-of-women"
#: What the sentences call occupations that the table of shares lists under other names.
SPELLINGS = {
    "counselors": "counselor", "designers": "designer", "hairdressers": "hairdresser", "mechanician": "mechanic",
    "construction_worker": "construction worker", "sewer": "tailor",
}  # fmt: skip
MOST_PRONOUNS = 2

_NUMBERED = re.compile(r"([0-9]{1,9})\s+(.+)")
_BRACKETED = re.compile(r"\[([^\[\]]*)\]")
_TWICE = re.compile(rf"\bthe (the|an?) {re.escape(OCCUPATION)}", re.IGNORECASE)
_ARTICLE = re.compile(r"(?:(the|an?)\s+)?(.+)", re.IGNORECASE)


@dataclass(frozen=True)
class Line:
    """One sentence of a file: its text with placeholders for the occupation and the pronouns, and their words."""

    number: int
    text: str
    occupation: str
    pronouns: tuple[str, ...]

    @property
    def gender(self) -> str:
        """The gender of the pronouns."""
        return str(p.gender_of(self.pronouns))


def parse_line(line: str) -> Line:
    """Read one line, such as '3 [The mechanic] gave the clerk a present because [he] won the lottery.'

    >>> parse_line("3 [The mechanic] met the clerk because [he] was late.").text
    'The [OCCUPATION] met the clerk because [PRONOUN] was late.'
    """
    numbered = _NUMBERED.fullmatch(line.strip())
    if numbered is None:
        raise StimuliError("it does not begin with a number and a space")
    sentence = numbered[2]
    if re.search(r"[\[\]]", _BRACKETED.sub("", sentence)):
        raise StimuliError("a bracket is not closed or not opened")
    inside = [words.strip() for words in _BRACKETED.findall(sentence)]
    pronouns = tuple(words.lower() for words in inside if words.lower() in p.COUNTERPARTS)
    persons = [words for words in inside if words.lower() not in p.COUNTERPARTS]
    if len(persons) != 1 or not persons[0] or not 1 <= len(pronouns) <= MOST_PRONOUNS:
        raise StimuliError(f"it has {len(persons)} persons and {len(pronouns)} pronouns in brackets, not 1 and 1 or 2")
    if p.gender_of(pronouns) is None:
        raise StimuliError(f"its pronouns ({', '.join(pronouns)}) are not of one gender")
    article, occupation = _ARTICLE.fullmatch(persons[0]).groups()  # type: ignore[union-attr]

    def place(found: re.Match[str]) -> str:
        if found[1].strip().lower() in p.COUNTERPARTS:
            return PRONOUN
        return f"{article} {OCCUPATION}" if article else OCCUPATION

    return Line(int(numbered[1]), _BRACKETED.sub(place, sentence), occupation, pronouns)


def read_winobias(path: Path, split: str | None = None) -> PronounSet:
    """Read a folder with WinoBias's files, or one file (with its counterpart, if that is in the same folder).

    A file without its counterpart is enough: the pronouns of the other gender follow, except for "her", to which both
    "him" and "his" correspond; their probabilities are then summed.
    """
    parts = _parts(path, split)
    items, left_out, odd = [], [], []
    for (kind, part), files in parts.items():
        found = _paired(f"type {kind}", part, files)
        items += found[0]
        left_out += found[1]
        odd += found[2]
    if not items:
        raise StimuliError(f"'{path}' has no sentence that can be used; the first: {left_out[0].reason}.")
    groups = tuple(f"type {kind}" for kind in dict.fromkeys(kind for kind, _ in parts))
    if len(groups) == 2:
        groups = (BOTH, *groups)
        items = [replace(item, groups=(BOTH, *item.groups)) for item in items]
    title, odd = "WinoBias" + (f" ({split})" if split else ""), [*odd, *p.duplicates(items)]
    figure = "share of women, per cent (US labour statistics of 2017, from Zhao et al.)"
    return PronounSet("winobias", title, groups, tuple(items), shares_of_women(), figure, tuple(left_out), tuple(odd))


def shares_of_women() -> dict[str, float]:
    """Return the share of women by occupation, in per cent, under the names that the sentences use.

    >>> shares_of_women()["tailor"]
    80.0
    """
    listed = load_set(SHARES, WordSet).column("share_women")
    return {SPELLINGS.get(word, word): share for word, share in listed.items()}


def _parts(path: Path, split: str | None) -> dict[tuple[str, str], dict[str, Path]]:
    """Return the files by (type, split), and in each by "pro" or "anti"."""
    if split is not None and split not in SPLITS:
        raise StimuliError(f"split={split!r} is not one of {', '.join(SPLITS)}.")
    folder = path if path.is_dir() else path.parent
    try:
        there = sorted(file for file in folder.iterdir() if FILE.fullmatch(file.name))
    except OSError as error:
        raise StimuliError(f"cannot open '{folder}': {error.strerror}.") from None
    parts: dict[tuple[str, str], dict[str, Path]] = {}
    chosen = FILE.fullmatch(path.name)
    for file in there:
        side, kind, part = FILE.fullmatch(file.name).groups()  # type: ignore[union-attr]
        if (split in (None, part)) and (path.is_dir() or chosen is None or chosen.groups()[1:] == (kind, part)):
            parts.setdefault((kind, part), {})[side] = file
    if not parts:
        wanted = f"(pro|anti)_stereotyped_type(1|2).txt.{split or '(dev|test)'}"
        raise StimuliError(f"'{path}' has no file of WinoBias named {wanted}; see 'aslant data get winobias'.")
    return dict(sorted(parts.items()))


def _paired(
    group: str, part: str, files: dict[str, Path]
) -> tuple[list[PronounItem], list[Remark], list[Remark]]:  # fmt: skip
    """Return the items of one type and split, the lines left out, and those that need a remark."""
    left_out: list[Remark] = []
    sides: dict[str, list[Line]] = {}
    for side, file in files.items():
        sides[side], bad = _lines(file, f"{group} {part}")
        left_out += bad
    if len(sides) == 1:
        ((side, lines),) = sides.items()
        items = [_alone(line, side, group, part) for line in lines]
    else:
        found = [_pair(pro, anti, group, part) for pro, anti in _matched(sides["pro"], sides["anti"])]
        items = [item for item in found if isinstance(item, PronounItem)]
        left_out += [remark for remark in found if isinstance(remark, Remark)]
    return items, left_out, [Remark(item.id, told) for item in items for told in _oddities(item)]


def _oddities(item: PronounItem) -> Iterable[str]:
    """Yield what a reader should know about a sentence that is used."""
    if len(item.texts) == 2:
        yield "the two sentences differ in more than pronouns; the mean of both is taken"
    if words := p.gendered_words(item.texts[0].text):
        yield f"'{' '.join(words)}' stays in the sentence and reveals a gender too"
    if any(_TWICE.search(text.text) for text in item.texts):
        yield "an article is repeated; kept as written"


def _lines(file: Path, where: str) -> tuple[list[Line], list[Remark]]:
    lines, bad = [], []
    for place, text in enumerate(p.lines_of(file), start=1):
        if not text.strip():
            continue
        try:
            lines.append(parse_line(text))
        except StimuliError as error:
            bad.append(Remark(f"{where} {place}", f"{file.name}: {error}: '{text.strip()[:120]}'"))
    if not lines:
        why = f"{bad[0].reason}." if bad else "it is empty."
        raise StimuliError(f"no line of '{file}' is a sentence of WinoBias; {why}")
    return lines, bad


def _matched(pro: Sequence[Line], anti: Sequence[Line]) -> Iterable[tuple[Line | None, Line | None]]:
    """Yield the lines of two files in pairs: by text, in any order, then by number; None: no counterpart."""
    waiting: dict[str, list[Line]] = {}
    for line in anti:
        waiting.setdefault(line.text + line.occupation, []).append(line)
    pairs: list[tuple[Line | None, Line | None]] = []
    alone: list[Line] = []
    for line in pro:
        if others := waiting.get(line.text + line.occupation):
            pairs.append((line, others.pop(0)))
        else:
            alone.append(line)
    left = {line.number: line for lines in waiting.values() for line in lines}
    pairs += [(line, left.pop(line.number, None)) for line in alone]
    pairs += [(None, line) for line in left.values()]
    return sorted(pairs, key=lambda pair: (pair[0] or pair[1]).number)  # type: ignore[union-attr]


def _pair(pro: Line | None, anti: Line | None, group: str, part: str) -> PronounItem | Remark:
    here = f"{group} {part} {(pro or anti).number}"  # type: ignore[union-attr]
    if pro is None or anti is None:
        return Remark(here, f"only the {'anti' if pro is None else 'pro'}-stereotyped file has this sentence")
    problem = (
        "are about different persons" if pro.occupation.lower() != anti.occupation.lower()
        else "have pronouns of one gender" if pro.gender == anti.gender
        else "have different numbers of pronouns in brackets" if len(pro.pronouns) != len(anti.pronouns)
        else "differ in another word that reveals a gender"
        if p.gendered_words(pro.text) != p.gendered_words(anti.text) else ""
    )  # fmt: skip
    if problem:
        return Remark(here, f"the two sentences {problem}: '{_written(pro)}' and '{_written(anti)}'")
    by = {line.gender: (line.pronouns,) for line in (pro, anti)}
    texts = dict.fromkeys(PronounText(line.text, line.occupation, by[p.MALE], by[p.FEMALE]) for line in (pro, anti))
    return PronounItem(here, (group,), _name(pro), pro.gender, tuple(texts))


def _alone(line: Line, side: str, group: str, part: str) -> PronounItem:
    """Return the item of a line whose counterpart is missing."""
    opposite = p.MALE if line.gender == p.FEMALE else p.FEMALE
    wordings = tuple(itertools.product(*(p.COUNTERPARTS[pronoun] for pronoun in line.pronouns)))
    by_gender = {line.gender: (line.pronouns,), opposite: wordings}
    text = PronounText(line.text, line.occupation, by_gender[p.MALE], by_gender[p.FEMALE])
    stereotype = line.gender if side == "pro" else opposite
    return PronounItem(f"{group} {part} {line.number}", (group,), _name(line), stereotype, (text,))


def _name(line: Line) -> str:
    return line.occupation if line.occupation.isupper() else line.occupation.lower()


def _written(line: Line) -> str:
    text = line.text.replace(OCCUPATION, line.occupation)
    for pronoun in line.pronouns:
        text = text.replace(PRONOUN, f"[{pronoun}]", 1)
    return text
