"""From what a user gives (sentences, sets, words, files) to templates with the targets of each, and to attributes."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from aslant.catalogue import commands
from aslant.data import Entry, could_be_name, entries, resolve
from aslant.errors import MeasureError, StimuliError, plural
from aslant.io.reading import delimiter, read_text
from aslant.measures.shared.wordsets import checked_words
from aslant.models.protocols import ATTRIBUTE, TARGET
from aslant.stimuli import ClassSet, StimulusSet, Template, TemplateSet, WordList, load_set
from aslant.stimuli import names as set_names

#: A sentence with [TARGET] and [ATTRIBUTE], several, or a template set (its name, its TOML file, itself).
Templates: TypeAlias = str | PathLike[str] | Sequence[str] | TemplateSet
#: Target sets: words, lists of words, words by name, or the name of a class set.
Targets: TypeAlias = str | PathLike[str] | Mapping[str, Iterable[str]] | Sequence[Any]


#: Words, the name of a word set, a TOML file, a text file or table, or a data name.
Attributes: TypeAlias = str | PathLike[str] | Iterable[str]
#: A placeholder, also in small letters.
SLOT = re.compile(r"\[(?:target|attribute)\]", re.IGNORECASE)
#: Columns of a table that hold attributes, where none is named; otherwise the first one is taken.
COLUMNS = ("attribute", "word", "job_title", "title", "name", "skill", "trait", "example")
#: Kinds of data that are lists of words; others have a measure of their own.
LISTS = ("words", "names")


@dataclass(frozen=True)
class Prompt:
    """A template, and for each target set the words that go with it."""

    text: str
    targets: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Asked:
    """What a model is scored on except attributes: templates with their targets, target sets, their source."""

    prompts: tuple[Prompt, ...]
    targets: tuple[WordList, ...]
    source: str
    chosen: TemplateSet | None


def asked(template: Templates, targets: Targets | None) -> Asked:
    """Put templates and targets together; a template set brings its own targets, unless others are given.

    >>> a = asked("[TARGET] is a [ATTRIBUTE].", [["he"], ["she"]])
    >>> a.prompts[0].targets, [group.name for group in a.targets]
    ((('he',), ('she',)), ['he', 'she'])
    >>> asked("career-family", None).prompts[1].targets
    (('boys', 'men'), ('girls', 'women'))
    """
    for text in [template] if isinstance(template, str) else template if isinstance(template, list | tuple) else ():
        if isinstance(text, str) and (
            wrong := [slot for slot in SLOT.findall(text) if slot not in (TARGET, ATTRIBUTE)]
        ):
            raise MeasureError(f"the template {text!r} has {wrong[0]}; write [TARGET] and [ATTRIBUTE] in capitals.")
    if isinstance(template, str) and " " in template and "[" not in template:
        raise MeasureError(f"the template {template!r} has no [TARGET] and [ATTRIBUTE]; write both into the sentence.")
    chosen = template if isinstance(template, TemplateSet) else None
    if isinstance(template, PathLike) or (
        isinstance(template, str) and TARGET not in template and ATTRIBUTE not in template
    ):
        chosen = load_set(template, TemplateSet)
    templates = chosen.templates if chosen else _templates(template)
    if targets is None and chosen is None:
        raise MeasureError('no targets were given; give two sets of words, such as targets=(["he"], ["she"]).')
    lists, source = target_lists(targets) if targets is not None else ((), "")
    given = tuple(group.words for group in lists)
    if chosen is not None:
        source = f"{chosen.id} {source}".strip()
        lists = lists or chosen.targets
    whole = tuple(group.words for group in lists)
    filled = tuple(Prompt(t.text, given or t.targets or whole) for t in templates)
    for prompt in filled:
        if empty := [group.name for group, words in zip(lists, prompt.targets, strict=True) if not words]:
            raise MeasureError(f"the template {prompt.text!r} has no target word for '{empty[0]}'.")
    return Asked(filled, lists, source, chosen)


def _templates(template: Any) -> tuple[Template, ...]:
    texts = [template] if isinstance(template, str) else template
    if not isinstance(texts, Iterable):
        raise MeasureError(f"template={template!r:.60} is not a template; it needs [TARGET] and [ATTRIBUTE].")
    found = tuple(Template(text) for text in dict.fromkeys(checked_words(texts)))
    if not found:
        raise MeasureError("no template was given; give a sentence with [TARGET] and [ATTRIBUTE].")
    return found


def target_lists(targets: Targets) -> tuple[tuple[WordList, ...], str]:
    """Return two or more target sets, no word in two of them, and the id of what they come from.

    >>> [group.words for group in target_lists(["he", ["boys", "men"]])[0]]
    [('he',), ('boys', 'men')]
    >>> [group.name for group in target_lists("gender-three")[0]]
    ['male', 'female', 'gay']
    """
    if isinstance(targets, str | PathLike):
        chosen = load_set(targets, ClassSet)
        lists, source = chosen.classes, chosen.id
    elif isinstance(targets, Iterable):
        items = targets.items() if isinstance(targets, Mapping) else [(None, item) for item in targets]
        lists, source = tuple(starmap(_target_list, items)), "own"
    else:
        raise MeasureError(f"targets={targets!r:.60} are not targets; give two or more sets of words.")
    if len(lists) < 2:
        raise MeasureError(f"only {plural(len(lists), 'target set')} given; at least two are needed.")
    if len({group.name for group in lists}) < len(lists):
        raise MeasureError("two target sets have the same name; give each its own.")
    home: dict[str, str] = {}
    for group in lists:
        if not group.words:
            raise MeasureError(f"the target set '{group.name}' has no words; give at least one.")
        for word in group.words:
            if word in home:
                raise MeasureError(f"'{word}' is in '{home[word]}' and in '{group.name}'; it must be in one only.")
            home[word] = group.name
    return lists, source


def _target_list(name: str | None, item: Any) -> WordList:
    if isinstance(item, WordList):
        return item
    words = tuple(word.strip() for word in checked_words([item] if isinstance(item, str) else item))
    return WordList(name or " + ".join(words) or "empty", words)


def attribute_list(given: Attributes, *, column: str | None = None, lower: bool = False) -> tuple[WordList, str]:
    """Return the attributes, each once, and the id of what they come from ("own" if none).

    A file has one per line, or is a table (.csv, or tabs in its first line) of which `column` is taken; nothing:
    the first column with a usual name (such as "job_title"), or the first. Underscores of a word set read as spaces.

    >>> attribute_list(["Nurse", "clerk", "nurse"], lower=True)[0].words
    ('nurse', 'clerk')
    >>> len(attribute_list("bold-professions")[0].words)
    331
    """
    if isinstance(given, str | PathLike):
        words, source = _named(given, column)
    elif column is not None:
        raise MeasureError(f"column={column!r} makes no sense with words; give a table.")
    elif isinstance(given, Iterable):
        words, source = checked_words(given), "own"
    else:
        raise MeasureError(f"attributes={given!r:.60} are not attributes; give words, a word set or a file.")
    words = tuple(dict.fromkeys(word.strip().lower() if lower else word.strip() for word in words))
    if not words:
        raise MeasureError("no attribute was given; give at least one word.")
    return WordList("attributes", words), source


def _named(given: str | PathLike[str], column: str | None) -> tuple[tuple[str, ...], str]:
    path = Path(given)
    if str(given) in set_names() or path.suffix == ".toml":
        chosen = load_set(given, StimulusSet)
        return tuple(word.replace("_", " ") for word in chosen.words), chosen.id
    is_file = os.path.isfile(path)  # noqa: PTH113 (a name too long for any file is not an error here)
    _refuse_other_data(str(given), path.name if is_file else "")
    if not is_file:
        name = str(given)
        found = resolve(name) if could_be_name(name) else None
        if found is None or not found.is_file():
            raise StimuliError(
                f"there are no attributes '{name}'; give a word set ('aslant words list'), a file with one per line "
                "or a table, or words separated by commas (one word: 'nurse,')."
            )
        path = found
    return read_attributes(path, column), path.name


def _refuse_other_data(given: str, file_name: str) -> None:
    """Refuse data by name, or a file with the name of one of theirs, that has something else than attributes.

    A list inside a benchmark, such as winobias/male_occupations.txt, is one, and so is a file that happens to have the
    name of a model's vocab.txt.

    >>> _refuse_other_data("winobias", "")
    Traceback (most recent call last):
    aslant.errors.StimuliError: 'winobias' is not a list of attributes but WinoBias: ...; use 'aslant pronoun-choice'.
    """

    def is_meant(entry: Entry) -> bool:
        if entry.kind in LISTS or (entry.kind != "vectors" and given.endswith(".txt")):
            return False
        names = {Path(file.name).name for source in entry.sources for file in source.files}
        return file_name in names if file_name else entry.name == given.partition("/")[0]

    found = next(filter(is_meant, entries()), None)
    if found is not None:
        fitting = [command.id for command in commands().values() if found.name in command.data]
        use = f"use 'aslant {fitting[0]}'" if fitting else "give words, a word set or a file with one per line"
        raise StimuliError(f"'{given}' is not a list of attributes but {found.title}; {use}.")


def read_attributes(path: Path, column: str | None = None) -> tuple[str, ...]:
    """Read attributes from a file: one per line, or a column of a table.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "jobs.tsv"
    >>> _ = file.write_text("salary\\tjob_title\\n10\\tclerk\\n20\\tnurse\\n")
    >>> read_attributes(file)
    ('clerk', 'nurse')
    """
    lines = read_text(path, StimuliError).splitlines()
    table = path.suffix.lower() in (".csv", ".tsv") or (bool(lines) and "\t" in lines[0])
    found = _column(path, lines, column) if table else lines
    if column is not None and not table:
        raise StimuliError(f"'{path}' is not a table, so it has no column '{column}'; leave the column out.")
    words = tuple(word.strip() for word in found if word and word.strip())
    if not words:
        raise StimuliError(f"'{path}' has no attributes; give one per line, or a table.")
    return words


def _column(path: Path, lines: list[str], column: str | None) -> list[str]:
    try:
        rows = list(csv.reader(lines, delimiter=delimiter("".join(lines[:1]))))
    except csv.Error as error:
        raise StimuliError(f"'{path}' is not a table that can be read: {error}.") from None
    if not rows:
        return []
    heads = [head.strip().lower() for head in rows[0]]
    if column is not None and column.lower() not in heads:
        raise StimuliError(f"'{path}' has no column '{column}'; it has {', '.join(rows[0])}.")
    known = [heads.index(name) for name in COLUMNS if name in heads]
    place = heads.index(column.lower()) if column is not None else known[0] if known else 0
    found = [row[place] for row in rows[1:] if len(row) > place]
    if column is None and found and all(map(_is_number, found)):
        raise StimuliError(
            f"column {place + 1} of '{path}' has numbers, not words; name the column with the attributes "
            f"(column=…, --column), one of {', '.join(filter(None, rows[0]))}."
        )
    return found


def _is_number(text: str) -> bool:
    """Tell whether a cell has a number, or nothing."""
    try:
        float(text.replace(",", "") or 0)
    except ValueError:
        return False
    return True
