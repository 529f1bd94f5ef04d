"""Winogender (Rudinger et al. 2018): sentences in three versions (he, she, they), about an occupation and another."""

from __future__ import annotations

import re
from pathlib import Path

from aslant.errors import StimuliError
from aslant.stimuli import pronoun_items as p
from aslant.stimuli.pronoun_items import OCCUPATION, PRONOUN, PronounItem, PronounSet, PronounText, Remark

SENTENCES, STATISTICS = "all_sentences.tsv", "occupations-stats.tsv"
SHARE = "bls_pct_female"
NEUTRAL = "neutral"
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
            text = _text(occupation, versions)
        except StimuliError as error:
            left_out.append(Remark(here, str(error)))
            continue
        if text.neutral is None:
            odd.append(Remark(here, "the neutral version differs in the verb too, so 'they' is not compared"))
        share, whom = shares[occupation], ANSWERS[answer]
        groups = (whom, f"{whom} ({SOMEONE if other == SOMEONE else NAMED})")
        stereotype = None if share == 50 else p.FEMALE if share > 50 else p.MALE
        items.append(PronounItem(here, groups, occupation, stereotype, (text,)))
    if not items:
        raise StimuliError(f"'{path}' has no sentence that can be used; the first: {left_out[0].reason}.")
    listed = [name for whom in ANSWERS.values() for name in (whom, f"{whom} ({NAMED})", f"{whom} ({SOMEONE})")]
    present = tuple(name for name in listed if any(name in item.groups for item in items))
    figure = "share of women, per cent (US labour statistics of 2015 and 2016, from Rudinger et al.)"
    odd += p.duplicates(items)
    return PronounSet("winogender", "Winogender", present, tuple(items), shares, figure, tuple(left_out), tuple(odd))


def _table(path: Path, columns: tuple[str, ...]) -> list[list[str]]:
    """Return the requested columns of a tab-separated table, row by row; quotation marks are ordinary characters."""
    rows = [line.split("\t") for line in p.lines_of(path) if line.strip()]
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


def _text(occupation: str, versions: dict[str, str]) -> PronounText:
    """Find the pronoun, which is where the versions differ, and the occupation."""
    if absent := [gender for gender in (p.MALE, p.FEMALE) if gender not in versions]:
        raise StimuliError(f"there is no {absent[0]} version")
    if any(place in text for place in (PRONOUN, OCCUPATION) for text in versions.values()):
        raise StimuliError(f"it contains {PRONOUN} or {OCCUPATION}, which are placeholders here")
    template, male, female = _difference(versions[p.MALE], versions[p.FEMALE])
    if p.gender_of((male,)) != p.MALE or p.gender_of((female,)) != p.FEMALE:
        raise StimuliError(f"the versions differ in '{male}' and '{female}', which are not pronouns of either gender")
    placed, times = re.subn(rf"\b{re.escape(occupation)}\b", OCCUPATION, template, flags=re.IGNORECASE)
    if times != 1:
        raise StimuliError(f"'{occupation}' is {times} times in '{template}', not once")
    written = re.search(rf"\b{re.escape(occupation)}\b", template, flags=re.IGNORECASE)
    before, after = template.split(PRONOUN)
    sentence = versions.get(NEUTRAL, "")
    middle = sentence[len(before) : len(sentence) - len(after)]
    neutral = middle.lower() if sentence == before + middle + after and _WORD.fullmatch(middle) else None
    return PronounText(placed, written[0], ((male,),), ((female,),), neutral)  # type: ignore[index]


def _difference(first: str, second: str) -> tuple[str, str, str]:
    """Return the text with a placeholder for the one word in which two sentences differ, and that word in each.

    >>> _difference("He said his name.", "He said her name.")
    ('He said [PRONOUN] name.', 'his', 'her')
    """
    words = [list(_WORD.finditer(sentence)) for sentence in (first, second)]
    apart = [(a, b) for a, b in zip(*words, strict=False) if a[0] != b[0]]
    if len(words[0]) != len(words[1]) or len(apart) != 1:
        raise StimuliError(f"the versions do not differ in one word: '{first}' and '{second}'")
    ((a, b),) = apart
    template = first[: a.start()] + PRONOUN + first[a.end() :]
    if template != second[: b.start()] + PRONOUN + second[b.end() :]:
        raise StimuliError(f"the versions differ in more than words: '{first}' and '{second}'")
    return template, a[0].lower(), b[0].lower()
