"""Tests in other languages, and other published tests, by name: fetched if need be, and read into WEAT sets."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from aslant.errors import StimuliError
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
    from aslant.data import fetch
    from aslant.stimuli.loading import load_set

    if source == "xweat":
        table = fetch("xweat") / f"vocab_en_{language}.csv"
        if not table.is_file():
            raise StimuliError(f"XWEAT has no translations into '{language}'; it has de, es, hr, it, ru and tr.")
        return translated_tests(table, language, [load_set(f"weat-{number}", WeatSet) for number in TRANSLATED])
    files = sorted(fetch(f"weathub-{language}").rglob("weat*.json"))
    return natural([test for path in files for test in _usable(path, language)])


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
