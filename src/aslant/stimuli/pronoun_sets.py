"""Sentences in which a pronoun is to be chosen: WinoBias (Zhao et al. 2018) and Winogender (Rudinger et al. 2018).

WinoBias has two files, pro- and anti-stereotyped, that differ in the pronouns' gender; Winogender three versions (he,
she, they). The published files are not quite as described: some lines differ in other words too, some name another
person, some lack brackets. Every such line is reported, and only those that cannot be compared are left out.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from aslant.errors import StimuliError
from aslant.io.reading import read_text
from aslant.stimuli.loading import load_set
from aslant.stimuli.schema import WordSet

#: The placeholders for pronouns and the occupation in a text.
PRONOUN, OCCUPATION = "[PRONOUN]", "[OCCUPATION]"
MALE, FEMALE = "male", "female"
#: Each pronoun and its counterparts of the other gender: "her" is that of "him" and of "his".
COUNTERPARTS: dict[str, tuple[str, ...]] = {
    "he": ("she",), "him": ("her",), "his": ("her", "hers"), "himself": ("herself",),
    "she": ("he",), "her": ("him", "his"), "hers": ("his",), "herself": ("himself",),
}  # fmt: skip
GENDERS = {word: MALE if word in ("he", "him", "his", "himself") else FEMALE for word in COUNTERPARTS}
#: Words other than pronouns that reveal a gender, as they occur in sentences of this kind.
GENDERED = {*COUNTERPARTS, "man", "men", "woman", "women", "boy", "girl", "husband", "wife", "mr", "mrs", "lady"}
MAX_BYTES = 16 << 20


@dataclass(frozen=True)
class PronounText:
    """A text with one [OCCUPATION] and one or two [PRONOUN] of the same person, and what may stand there.

    `male` and `female` are the wordings for each gender, each with one pronoun per placeholder; there are several
    where a file does not say which case "her" is. `neutral` is the neutral pronoun, if it fits the text unchanged.
    """

    text: str
    occupation: str
    male: tuple[tuple[str, ...], ...]
    female: tuple[tuple[str, ...], ...]
    neutral: str | None = None

    @property
    def shown(self) -> str:
        """The text as people read it, with the pronouns of both genders filled in."""
        shown = self.text.replace(OCCUPATION, self.occupation)
        for place in range(len(self.male[0])):
            words = [wording[place] for wording in (*self.male, *self.female)]
            shown = shown.replace(PRONOUN, f"[{'/'.join(dict.fromkeys(words))}]", 1)
        return shown


@dataclass(frozen=True)
class PronounItem:
    """One question to a model; `stereotype` is the gender associated with the occupation, None where there is none.

    `texts` has two entries where the sentences for the two genders differ in more than pronouns. `groups` names the
    parts of the set that it belongs to.
    """

    id: str
    groups: tuple[str, ...]
    occupation: str
    stereotype: str | None
    texts: tuple[PronounText, ...]


@dataclass(frozen=True)
class Remark:
    """Something about a sentence that a reader should know."""

    id: str
    reason: str


@dataclass(frozen=True)
class PronounSet:
    """A set of items, its groups in order (the first stands for all), and what is unusual in it.

    `shares` has the share of women by occupation, in per cent; `figure` says whose numbers these are. `left_out` are
    sentences that are not used, `odd` those that are, with something to say about them.
    """

    id: str
    title: str
    groups: tuple[str, ...]
    items: tuple[PronounItem, ...]
    shares: Mapping[str, float]
    figure: str
    left_out: tuple[Remark, ...]
    odd: tuple[Remark, ...]


def gender_of(pronouns: tuple[str, ...]) -> str | None:
    """Return the one gender of pronouns, or None where they have two, or where one of them is not a pronoun."""
    genders = {GENDERS.get(word) for word in pronouns}
    return genders.pop() if len(genders) == 1 else None


def gendered_words(text: str) -> list[str]:
    """Return the words of a text that reveal a gender."""
    return [word for word in re.findall(r"[a-z]+", text.lower()) if word in GENDERED]


def lines_of(path: Path) -> list[str]:
    """Return the lines of a small text file."""
    return read_text(path, StimuliError, most=MAX_BYTES).splitlines()


def _set(
    path: Path, name: str, title: str, groups: Iterable[str], items: list[PronounItem], shares: Mapping[str, float],
    years: str, left_out: list[Remark], odd: list[Remark],
) -> PronounSet:  # fmt: skip
    """Put a set together; a sentence that repeats an earlier one is kept, as published, with a remark."""
    if not items:
        raise StimuliError(f"'{path}' has no sentence that can be used; the first: {left_out[0].reason}.")
    first: dict[tuple[PronounText, ...], str] = {}
    odd += [
        Remark(item.id, f"the same sentence as {before}")
        for item in items
        if (before := first.setdefault(item.texts, item.id)) != item.id
    ]
    figure = f"share of women, per cent (US labour statistics of {years})"
    return PronounSet(name, title, tuple(groups), tuple(items), shares, figure, tuple(left_out), tuple(odd))


FILE = re.compile(r"(pro|anti)_stereotyped_type([12])\.txt\.(dev|test)")
SPLITS = ("dev", "test")
BOTH = "both types"
#: What the sentences call occupations that the table of shares lists under other names.
SPELLINGS = {
    "counselors": "counselor", "designers": "designer", "hairdressers": "hairdresser", "mechanician": "mechanic",
    "construction_worker": "construction worker", "sewer": "tailor",
}  # fmt: skip

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
        return str(gender_of(self.pronouns))

    @property
    def name(self) -> str:
        """The occupation as it is listed."""
        return self.occupation if self.occupation.isupper() else self.occupation.lower()

    @property
    def written(self) -> str:
        """The sentence as people read it."""
        text = self.text.replace(OCCUPATION, self.occupation)
        for pronoun in self.pronouns:
            text = text.replace(PRONOUN, f"[{pronoun}]", 1)
        return text


def parse_line(line: str) -> Line:
    """Read one line, such as '3 [The mechanic] gave the clerk a present because [he] won the lottery.'"""
    numbered = _NUMBERED.fullmatch(line.strip())
    if numbered is None:
        raise StimuliError("it does not begin with a number and a space")
    sentence = numbered[2]
    if re.search(r"[\[\]]", _BRACKETED.sub("", sentence)):
        raise StimuliError("a bracket is not closed or not opened")
    inside = [words.strip() for words in _BRACKETED.findall(sentence)]
    pronouns = tuple(words.lower() for words in inside if words.lower() in COUNTERPARTS)
    persons = [words for words in inside if words.lower() not in COUNTERPARTS]
    if len(persons) != 1 or not persons[0] or not 1 <= len(pronouns) <= 2:
        raise StimuliError(f"it has {len(persons)} persons and {len(pronouns)} pronouns in brackets, not 1 and 1 or 2")
    if gender_of(pronouns) is None:
        raise StimuliError(f"its pronouns ({', '.join(pronouns)}) are not of one gender")
    article, occupation = _ARTICLE.fullmatch(persons[0]).groups()  # type: ignore[union-attr]

    def place(found: re.Match[str]) -> str:
        if found[1].strip().lower() in COUNTERPARTS:
            return PRONOUN
        return f"{article} {OCCUPATION}" if article else OCCUPATION

    return Line(int(numbered[1]), _BRACKETED.sub(place, sentence), occupation, pronouns)


def read_winobias(path: Path, split: str | None = None) -> PronounSet:
    """Read a folder with WinoBias's files, or one file (with its counterpart, if that is in the same folder).

    A file without its counterpart is enough: the pronouns of the other gender follow, except for "her", to which both
    "him" and "his" correspond; their probabilities are then summed.
    """
    parts = _parts(path, split)
    items: list[PronounItem] = []
    left_out: list[Remark] = []
    odd: list[Remark] = []
    for (kind, part), files in parts.items():
        _read_part(f"type {kind}", part, files, items, left_out, odd)
    groups = list(dict.fromkeys(f"type {kind}" for kind, _ in parts))
    if len(groups) == 2:
        groups = [BOTH, *groups]
        items = [replace(item, groups=(BOTH, *item.groups)) for item in items]
    title = "WinoBias" + (f" ({split})" if split else "")
    return _set(path, "winobias", title, groups, items, shares_of_women(), "2017, from Zhao et al.", left_out, odd)


def shares_of_women() -> dict[str, float]:
    """Return the share of women by occupation, in per cent, under the names that the sentences use."""
    listed = load_set("occupations-share-of-women", WordSet).column("share_women")
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


def _read_part(
    group: str, part: str, files: dict[str, Path], items: list[PronounItem], left_out: list[Remark], odd: list[Remark]
) -> None:
    """Add the items of one type and split, the lines left out, and those that need a remark."""
    sides = {side: _lines(file, f"{group} {part}", left_out) for side, file in files.items()}
    found: Iterable[PronounItem | Remark]
    if len(sides) == 1:
        ((side, lines),) = sides.items()
        found = (_alone(line, side, group, part) for line in lines)
    else:
        found = (_pair(pro, anti, group, part) for pro, anti in _matched(sides["pro"], sides["anti"]))
    for item in found:
        if isinstance(item, Remark):
            left_out.append(item)
            continue
        items.append(item)
        if len(item.texts) == 2:
            odd.append(Remark(item.id, "the two sentences differ in more than pronouns; the mean of both is taken"))
        if words := gendered_words(item.texts[0].text):
            odd.append(Remark(item.id, f"'{' '.join(words)}' stays in the sentence and reveals a gender too"))
        if any(_TWICE.search(text.text) for text in item.texts):
            odd.append(Remark(item.id, "an article is repeated; kept as written"))


def _lines(file: Path, where: str, left_out: list[Remark]) -> list[Line]:
    lines, bad = [], []
    for place, text in enumerate(lines_of(file), start=1):
        if not text.strip():
            continue
        try:
            lines.append(parse_line(text))
        except StimuliError as error:
            bad.append(Remark(f"{where} {place}", f"{file.name}: {error}: '{text.strip()[:120]}'"))
    if not lines:
        raise StimuliError(
            f"no line of '{file}' is a sentence of WinoBias; " + (f"{bad[0].reason}." if bad else "it is empty.")
        )
    left_out += bad
    return lines


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
        there = "pro" if pro is not None else "anti"
        return Remark(here, f"only the {there}-stereotyped file has this sentence")
    said = f"'{pro.written}' and '{anti.written}'"
    if pro.occupation.lower() != anti.occupation.lower():
        return Remark(here, f"the two sentences are about different persons: {said}")
    if pro.gender == anti.gender:
        return Remark(here, f"the two sentences have pronouns of one gender: {said}")
    if len(pro.pronouns) != len(anti.pronouns):
        return Remark(here, f"the two sentences have different numbers of pronouns in brackets: {said}")
    if gendered_words(pro.text) != gendered_words(anti.text):
        return Remark(here, f"the two sentences differ in another word that reveals a gender: {said}")
    wordings = {line.gender: (line.pronouns,) for line in (pro, anti)}
    texts = [PronounText(line.text, line.occupation, wordings[MALE], wordings[FEMALE]) for line in (pro, anti)]
    return PronounItem(here, (group,), pro.name, pro.gender, tuple(dict.fromkeys(texts)))


def _alone(line: Line, side: str, group: str, part: str) -> PronounItem:
    """Return the item of a line whose counterpart is missing."""
    opposite = MALE if line.gender == FEMALE else FEMALE
    wordings = tuple(itertools.product(*(COUNTERPARTS[pronoun] for pronoun in line.pronouns)))
    by_gender = {line.gender: (line.pronouns,), opposite: wordings}
    text = PronounText(line.text, line.occupation, by_gender[MALE], by_gender[FEMALE])
    stereotype = line.gender if side == "pro" else opposite
    return PronounItem(f"{group} {part} {line.number}", (group,), line.name, stereotype, (text,))


SENTENCES, STATISTICS = "all_sentences.tsv", "occupations-stats.tsv"
SHARE = "bls_pct_female"
SOMEONE = "someone"
#: Whom the pronoun refers to, by the answer in a sentence's id.
ANSWERS = {"0": "occupation", "1": "participant"}
NAMED = "named"

_ID = re.compile(r"([^.]+)\.([^.]+)\.([01])\.(male|female|neutral)\.txt")
_WORD = re.compile(r"\w+")


def read_winogender(path: Path) -> PronounSet:
    """Read a folder with all_sentences.tsv and occupations-stats.tsv, or the first file with the second beside it."""
    folder = path if path.is_dir() else path.parent
    sentences = _versions(path / SENTENCES if path.is_dir() else path)
    shares = _shares(folder / STATISTICS)
    items: list[PronounItem] = []
    left_out: list[Remark] = []
    odd: list[Remark] = []
    for (occupation, other, answer), versions in sentences.items():
        here = f"{occupation}.{other}.{answer}"
        if occupation not in shares:
            left_out.append(Remark(here, f"'{occupation}' has no share of women in {STATISTICS}"))
            continue
        try:
            text = _placed(occupation, versions)
        except StimuliError as error:
            left_out.append(Remark(here, str(error)))
            continue
        if text.neutral is None:
            odd.append(Remark(here, "the neutral version differs in the verb too, so 'they' is not compared"))
        share, whom = shares[occupation], ANSWERS[answer]
        stereotype = None if share == 50 else FEMALE if share > 50 else MALE
        kind = f"{whom} ({SOMEONE if other == SOMEONE else NAMED})"
        items.append(PronounItem(here, (whom, kind), occupation, stereotype, (text,)))
    groups = tuple(name for whom in ANSWERS.values() for name in (whom, f"{whom} ({NAMED})", f"{whom} ({SOMEONE})"))
    present = {name for item in items for name in item.groups}
    named = [name for name in groups if name in present]
    years = "2015 and 2016, from Rudinger et al."
    return _set(path, "winogender", "Winogender", named, items, shares, years, left_out, odd)


def _table(path: Path, columns: tuple[str, ...]) -> list[list[str]]:
    """Return the requested columns of a tab-separated table, row by row; quotation marks are ordinary characters."""
    rows = [line.split("\t") for line in lines_of(path) if line.strip()]
    heads = [head.strip() for head in rows[0]] if rows else []
    if absent := [name for name in columns if name not in heads]:
        raise StimuliError(f"'{path}' has no column '{absent[0]}'; it has {', '.join(heads)[:120] or 'nothing'}.")
    for place, row in enumerate(rows, start=1):
        if len(row) != len(heads):
            raise StimuliError(f"row {place} of '{path}' has {len(row)} cells, and the first row {len(heads)}.")
    return [[row[heads.index(name)].strip() for name in columns] for row in rows[1:]]


def _versions(path: Path) -> dict[tuple[str, str, str], dict[str, str]]:
    found: dict[tuple[str, str, str], dict[str, str]] = {}
    for identity, sentence in _table(path, ("sentid", "sentence")):
        parsed = _ID.fullmatch(identity)
        if parsed is None:
            raise StimuliError(f"'{identity}' in '{path}' is not an id such as 'technician.customer.1.male.txt'.")
        occupation, other, answer, gender = parsed.groups()
        versions = found.setdefault((occupation, other, answer), {})
        if gender in versions:
            raise StimuliError(f"'{identity}' is in '{path}' twice.")
        versions[gender] = sentence
    if not found:
        raise StimuliError(f"'{path}' has no sentences.")
    return found


def _shares(path: Path) -> dict[str, float]:
    shares = {}
    for occupation, share in _table(path, ("occupation", SHARE)):
        try:
            shares[occupation] = float(share)
        except ValueError:
            raise StimuliError(f"the {SHARE} of '{occupation}' in '{path}' is not a number: '{share}'.") from None
        if not 0 <= shares[occupation] <= 100:
            raise StimuliError(f"the {SHARE} of '{occupation}' in '{path}' is not a percentage: {share}.")
    return shares


def _placed(occupation: str, versions: dict[str, str]) -> PronounText:
    """Find the pronoun, which is where the versions differ, and the occupation."""
    if absent := [gender for gender in (MALE, FEMALE) if gender not in versions]:
        raise StimuliError(f"there is no {absent[0]} version")
    if any(place in text for place in (PRONOUN, OCCUPATION) for text in versions.values()):
        raise StimuliError(f"it contains {PRONOUN} or {OCCUPATION}, which are placeholders here")
    template, male, female = _difference(versions[MALE], versions[FEMALE])
    if gender_of((male,)) != MALE or gender_of((female,)) != FEMALE:
        raise StimuliError(f"the versions differ in '{male}' and '{female}', which are not pronouns of either gender")
    written = re.findall(rf"\b{re.escape(occupation)}\b", template, flags=re.IGNORECASE)
    if len(written) != 1:
        raise StimuliError(f"'{occupation}' is {len(written)} times in '{template}', not once")
    placed = re.sub(rf"\b{re.escape(occupation)}\b", OCCUPATION, template, flags=re.IGNORECASE)
    before, after = template.split(PRONOUN)
    sentence = versions.get("neutral", "")
    middle = sentence[len(before) : len(sentence) - len(after)]
    neutral = middle.lower() if sentence == before + middle + after and _WORD.fullmatch(middle) else None
    return PronounText(placed, written[0], ((male,),), ((female,),), neutral)


def _difference(first: str, second: str) -> tuple[str, str, str]:
    """Return the text with a placeholder for the one word in which two sentences differ, and that word in each."""
    words = [list(_WORD.finditer(sentence)) for sentence in (first, second)]
    apart = [(a, b) for a, b in zip(*words, strict=False) if a[0] != b[0]]
    if len(words[0]) != len(words[1]) or len(apart) != 1:
        raise StimuliError(f"the versions do not differ in one word: '{first}' and '{second}'")
    ((a, b),) = apart
    template = first[: a.start()] + PRONOUN + first[a.end() :]
    if template != second[: b.start()] + PRONOUN + second[b.end() :]:
        raise StimuliError(f"the versions differ in more than words: '{first}' and '{second}'")
    return template, a[0].lower(), b[0].lower()
