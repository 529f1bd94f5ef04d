"""Find a stimulus set by name or by path, and check it; which words count as words, and as plain ones."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar, overload

from aslant.errors import AslantError, StimuliError
from aslant.io.reading import parse_toml, read_text
from aslant.stimuli.descriptor_sets import descriptor_set, names_descriptors
from aslant.stimuli.mistakes import converted
from aslant.stimuli.own_lists import ENDINGS, is_lists, own_set
from aslant.stimuli.schema import ClassSet, PairSet, StimulusSet, TemplateSet, WeatSet, WeatTemplateSet, WordSet
from aslant.stimuli.sentences import SentenceSet

KINDS: dict[str, type[StimulusSet]] = {
    str(kind.__struct_config__.tag): kind
    for kind in (WeatSet, PairSet, WordSet, ClassSet, TemplateSet, WeatTemplateSet, SentenceSet)
}
#: A set of each kind that ships, to learn the layout from; of others it is weat-7.
EXAMPLES = {"pairs": "definitional-pairs", "words": "occupations-share-of-women", "classes": "gender-three"}
EXAMPLES |= {"templates": "career-family", "weat-templates": "kurita-table-1", "sentences": "seat-templates"}
#: The most bytes of a user's file: the largest set that ships has a thousandth of that.
MAX_BYTES = 16 << 20
#: The two words between which biased words lean, unless others are named.
DEFAULT_POLES = ("he", "she")
#: Biased words come from this many of the most frequent (Gonen & Goldberg 2019) ...
MOST_FREQUENT = 50_000
#: ... and are shorter than this.
LONGEST = 20

Kind = TypeVar("Kind", bound=StimulusSet)


@cache
def names() -> tuple[str, ...]:
    """Return the ids of every set that ships, in natural order.

    >>> "weat-7" in names()
    True
    """
    folder = files("aslant.stimuli").joinpath("sets")
    found = [entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml")]
    return tuple(sorted(found, key=lambda n: [(0, int(p), "") if p.isdigit() else (1, 0, p) for p in n.split("-")]))


@overload
def load_set(source: str | os.PathLike[str]) -> StimulusSet: ...
@overload
def load_set(source: str | os.PathLike[str], kind: type[Kind]) -> Kind: ...
def load_set(source: str | os.PathLike[str], kind: type[StimulusSet] = StimulusSet) -> StimulusSet:
    """Load a set that ships by its name, or your own by the path of its file.

    A file is TOML, or lists of words in CSV, Excel, JSON or plain text (docs/stimuli.md). A test that others publish is
    loaded in the same way: a JSON file of SEAT or WEATHub with one test, by path or data name
    (seat/angry_black_woman_stereotype.jsonl), or a name such as weathub-de-weat6 (docs/languages.md).

    >>> load_set("weat-7").title == load_set("WEAT7").title == load_set("7").title
    True
    >>> load_set("weat-77")
    Traceback (most recent call last):
    aslant.errors.StimuliError: there is no word set 'weat-77'; did you mean weat-7, ...
    """
    found: StimulusSet
    if (name := shipped_name(source)) is not None:
        found = _shipped(name)
    elif names_descriptors(source):
        found = descriptor_set(str(source))
    elif is_lists(source):
        found = own_set(Path(source), kind)
    elif (several := _published(source)) is not None:
        if len(several) > 1:
            raise StimuliError(
                f"'{source}' has {len(several)} tests, but one is needed here; name one, such as {several[0].id}."
            )
        [found] = several
    elif Path(source).suffix == ".toml" or _is_file(source):
        found = read_set(Path(source))
    elif Path(source).suffix.lower() in ENDINGS:
        raise StimuliError(f"there is no file '{source}'; check its name and folder.")
    else:
        near = difflib.get_close_matches(str(source).lower(), names(), n=3)
        hint = f"did you mean {', '.join(near)}? " if near else ""
        raise StimuliError(
            f"there is no word set '{source}'; {hint}'aslant words list' shows all; for your own, give a file."
        )
    if not isinstance(found, kind):
        wanted = next(name for name, cls in KINDS.items() if cls is kind)
        raise StimuliError(f"'{source}' is a set of kind '{kind_of(found)}'; one of kind '{wanted}' is needed here.")
    return found


def shipped_name(source: object) -> str | None:
    """Return the name of a set that ships, however it is spelled; None: there is none, or a file has that name.

    >>> shipped_name("WEAT-6"), shipped_name("weat 6"), shipped_name("6"), shipped_name("weat-66")
    ('weat-6', 'weat-6', 'weat-6', None)
    """
    if str(source) in names():
        return str(source)
    if not isinstance(source, str) or _is_file(source):
        return None
    spelled = "".join(filter(str.isalnum, source.lower()))
    spelled = f"weat{spelled}" if spelled.isdigit() else spelled
    return next((name for name in names() if name.replace("-", "") == spelled), None)


def load_sets(source: str | os.PathLike[str], kind: type[Kind]) -> list[Kind]:
    """Load every set that a name or file has: several tests of a JSON file, else one (see `load_set`)."""
    several = None if shipped_name(source) or names_descriptors(source) or is_lists(source) else _published(source)
    return [found for found in several if isinstance(found, kind)] if several else [load_set(source, kind)]


def _is_file(source: str | os.PathLike[str]) -> bool:
    return os.path.isfile(source)  # noqa: PTH113 (a name may be too long for a file)


def _published(source: str | os.PathLike[str]) -> list[WeatSet] | None:
    """Return tests that others publish, by the path of a JSON file, by data name, or by name; None: it is none."""
    from aslant.data import resolve
    from aslant.stimuli.languages import named_test
    from aslant.stimuli.published_tests import read_tests

    if (test := named_test(str(source))) is not None:
        return [test]
    if not str(source).endswith((".json", ".jsonl")):
        return None
    return read_tests(Path(source) if _is_file(source) else resolve(str(source), kinds=["words"]) or Path(source))


def cautions(*sources: object) -> list[str]:
    """Return what must stand beside a result of these sets, of those that ship.

    >>> cautions("gender-three", "own")
    ["gender-three: the classes are the paper's, not genders: gay names an orientation"]
    """
    found = [_shipped(name) for name in dict.fromkeys(map(str, sources)) if name in names()]
    return [f"{one.id}: {one.caution}" for one in found if one.caution]


def text_of(source: str | os.PathLike[str]) -> str:
    """Return the TOML text of a set that ships, of a user's file, or of a test that others publish."""
    if (name := shipped_name(source)) is not None:
        return files("aslant.stimuli").joinpath("sets", f"{name}.toml").read_text(encoding="utf-8")
    if (several := _published(source)) is not None:
        from aslant.stimuli.published_tests import as_toml

        return "\n".join(map(as_toml, several))
    return read_text(Path(source), StimuliError, most=MAX_BYTES)


@cache
def _shipped(name: str) -> StimulusSet:
    return parse_set(text_of(name), name)


@overload
def all_sets() -> Iterator[StimulusSet]: ...
@overload
def all_sets(kind: type[Kind]) -> Iterator[Kind]: ...
def all_sets(kind: type[StimulusSet] = StimulusSet) -> Iterator[StimulusSet]:
    """Yield every set that ships, or those of one kind."""
    for name in names():
        found = _shipped(name)
        if isinstance(found, kind):
            yield found


def suite_sets(suite: str = "weat") -> tuple[WeatSet, ...]:
    """Return the WEAT sets of a suite that ship: the ten of Caliskan et al., or "categories".

    >>> len(suite_sets()), [found.id for found in suite_sets("categories")][:2]
    (10, ['body-weight', 'disability'])
    """
    return tuple(found for found in all_sets(WeatSet) if found.suite == suite)


def read_set(path: Path) -> StimulusSet:
    """Read and check a user's file: TOML, or lists (see `own_lists`)."""
    if is_lists(path):
        return own_set(path)
    return parse_set(read_text(path, StimuliError, most=MAX_BYTES), path.stem, where=str(path))


def parse_set(text: str, name: str, *, where: str | None = None) -> StimulusSet:
    """Check the text of a stimulus file; `name` becomes its id."""
    kind: Any = None
    try:
        try:
            content = parse_toml(text)
        except ValueError as error:
            raise ValueError(f"it is not TOML ({error})") from None
        kind = content.get("kind")
        if not isinstance(kind, str) or kind not in KINDS:
            raise ValueError(f"kind = {kind!r:.60} is not one of {', '.join(KINDS)}.")  # noqa: TRY301
        return converted({"title": name, **content, "id": name}, KINDS[kind])
    except (ValueError, StimuliError, RecursionError) as error:
        problem, example = str(error).rstrip("."), EXAMPLES.get(str(kind), "weat-7")
        told = f"'{where or name}' is not a usable word set: {problem}. See 'aslant words show {example}'."
        raise StimuliError(told) from None


def kind_of(found: StimulusSet) -> str:
    """Return the kind of a set, as its file names it."""
    return next(name for name, cls in KINDS.items() if type(found) is cls)


def is_plain(word: str) -> bool:
    """Tell whether a word is lower-case, shorter than 20 characters, and made of letters and underscores only.

    >>> is_plain("registered_nurse"), is_plain("Paris"), is_plain("covid-19")
    (True, False, False)
    """
    return len(word) < LONGEST and word == word.lower() and word.replace("_", "").isalpha()


def listed_words(words: Any, error: type[AslantError]) -> tuple[str, ...]:
    """Return `words` as a tuple of strings that are not empty, or raise `error`, which says what is wrong with them.

    >>> listed_words(["she", "he"], AslantError)
    ('she', 'he')
    """
    if isinstance(words, str):
        raise error(f"{words!r:.60} is one string; give a list of words.")
    if not isinstance(words, Iterable):
        raise error(f"{words!r:.60} is not a list of words; give several words.")
    listed = tuple(words)
    for word in listed:
        if not isinstance(word, str) or not word.strip():
            raise error(f"the word {word!r:.60} is not a word; give strings that are not empty.")
    return listed
