"""Tests in other languages, and other published tests, by name: fetched if need be, and read into WEAT sets."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from aslant.errors import DataError, StimuliError
from aslant.stimuli.published_tests import LANGUAGES, TRANSLATED, natural, read_tests, translated_tests
from aslant.stimuli.schema import WeatSet

#: A test by name: whose, in which language, which.
NAME = re.compile(r"(weathub|xweat)-([a-z]{2,3})-(weat[0-9]{1,2}b?)")


def language_tests(language: str | os.PathLike[str], wanted: Iterable[str] | None = None) -> list[WeatSet]:
    """Return the tests in a language, by its code or by the path of a file: all, or those that are `wanted`.

    WEATHub's (Mukherjee et al. 2023) where it has the language, else XWEAT's (Lauscher & Glavaš 2019); English are the
    ten WEATs that ship. They are fetched by data name if they are not on this machine (`weathub-de`).

    >>> language_tests("klingon")
    Traceback (most recent call last):
    aslant.errors.StimuliError: there are no tests in the language 'klingon'; there are some in ar (Arabic), ...
    """
    from aslant.stimuli.loading import suite_sets

    if Path(language).suffix in (".json", ".jsonl"):
        found = read_tests(Path(language))
    elif (code := str(language).lower()) not in LANGUAGES:
        known = ", ".join(f"{code} ({name})" for code, name in LANGUAGES.items())
        raise StimuliError(f"there are no tests in the language '{language}'; there are some in {known}.")
    else:
        found = list(suite_sets()) if code == "en" else collection("xweat" if code == "hr" else "weathub", code)
    return found if wanted is None else [_chosen(name, found, str(language)) for name in wanted]


def collection(source: str, language: str) -> list[WeatSet]:
    """Return all tests of WEATHub or XWEAT in a language."""
    from aslant.stimuli.loading import load_set

    if source == "xweat":
        table = _fetched("xweat", language) / f"vocab_en_{language}.csv"
        if not table.is_file():
            raise StimuliError(f"XWEAT has no translations into '{language}'; it has de, es, hr, it, ru and tr.")
        return translated_tests(table, language, [load_set(f"weat-{number}", WeatSet) for number in TRANSLATED])
    files = sorted(_fetched(f"weathub-{language}", language).rglob("weat*.json"))
    return natural([test for path in files for test in _usable(path, language)])


def _fetched(name: str, language: str) -> Path:
    """Return where tests are; where they cannot be had, a sentence that does not list all of their files says so."""
    from aslant.data import fetch, find
    from aslant.data.places import offline

    if (here := find(name)) is not None:  # an error where it is damaged
        return here
    try:
        return fetch(name)
    except DataError:
        why = "ASLANT_OFFLINE forbids downloading them" if offline() else "they could not be downloaded"
        raise DataError(
            f"the tests in {LANGUAGES[language]} are not on this machine, and {why}: 'aslant data get {name}' says how "
            "to get them by hand, and the path of a file of tests may be given as the language."
        ) from None


def _usable(path: Path, language: str) -> list[WeatSet]:
    """Return the test of a file, or none where both sides list the same words (Bengali 17 and 18)."""
    try:
        return read_tests(path, language)
    except StimuliError as error:
        if "has no words" in str(error):
            return []
        raise


def named_test(name: str) -> WeatSet | None:
    """Return the test of a name such as weathub-de-weat6 or xweat-hr-weat7; None where it is not such a name."""
    if not (match := NAME.fullmatch(name)) or match[2] not in LANGUAGES:
        return None
    return _chosen(name, collection(match[1], match[2]), match[2])


def _chosen(name: str, tests: Sequence[WeatSet], language: str) -> WeatSet:
    """Return the test that a name means: its id, or that of the English test (weat-6, weat6)."""
    for test in tests:
        if name in (test.id, test.id.rpartition("-")[2]) or name.replace("-", "") == test.id.rpartition("-")[2]:
            return test
    known = ", ".join(test.id.rpartition("-")[2] for test in tests)
    raise StimuliError(f"there is no test '{name}' in the language '{language}'; there are {known}.")
