"""Word lists as people keep them, in CSV, TSV, Excel, JSON or plain text, read as a set of the kind that is needed.

Which column holds what is guessed, and said in a warning, which commands show as a note.

- A *long* table has a column of words and one of groups: group, word. A column with "target" or "attribute" in it
  (role) tells the two sides of a test apart.
- A *wide* table has a column for each group; the first row names them. Of four, the first two are targets.
- Plain text has one word a line. A line such as "flowers: rose, tulip" is a group; a line such as "flowers:", or a
  blank line, begins one.
- JSON is {"flowers": ["rose", "tulip"], …}, two of those as "targets" and "attributes", or the rows of a table.
"""

from __future__ import annotations

import csv
import inspect
import math
import os
import warnings
import zipfile
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any, NamedTuple

from aslant.errors import MissingExtraError, StimuliError, plural
from aslant.io.reading import delimiter, parse_json, read_bytes, read_text
from aslant.stimuli.schema import ClassSet, DatedWords, PairSet, StimulusSet, WeatSet, WordList, WordSet, no_duplicates

TABLES, SPREADSHEETS = (".csv", ".tsv"), (".xlsx", ".xls", ".ods")
#: Endings of files that are read here; a .json may also be a test that others publish.
ENDINGS = (*TABLES, *SPREADSHEETS, ".txt", ".json")
#: Bytes of a file, and of a spreadsheet once unpacked.
MOST, MOST_UNPACKED = 16 << 20, 256 << 20
WORDS = ("word", "words", "term", "terms", "token", "item", "stimulus", "stimuli")
GROUPS = ("group", "groups", "set", "class", "category", "list", "label", "concept", "name")
ROLES = ("role", "side", "part", "type", "kind")
UNNAMED = "list {}"


class Lists(NamedTuple):
    """Named lists of words, in order; the side of a test that each is on, if the file says so; figures by column."""

    groups: dict[str, list[str]]
    said: str
    roles: dict[str, str] = {}  # noqa: RUF012 (a NamedTuple: never changed)
    figures: dict[str, list[float]] = {}  # noqa: RUF012


def is_lists(source: str | os.PathLike[str]) -> bool:
    """Tell whether a path is that of a file with lists of one's own, by its ending and, for JSON, what it holds."""
    path = Path(source)
    if path.suffix.lower() not in ENDINGS or not os.path.isfile(path):  # noqa: PTH113 (it may be too long a name)
        return False
    return path.suffix.lower() != ".json" or _own_json(path) is not None


def own_set(path: Path, kind: type[StimulusSet] = StimulusSet) -> StimulusSet:
    """Return the lists of a file as a set of a kind; of any kind: a test of four lists, classes of several, or words.

    >>> import tempfile
    >>> warnings.simplefilter("ignore")  # which say how the file was read
    >>> file = Path(tempfile.mkdtemp()) / "ages.csv"
    >>> _ = file.write_text("group,word\\nold,elderly\\nold,aged\\nyoung,teenage\\n")
    >>> [(group.name, group.words) for group in own_set(file, ClassSet).groups]
    [('old', ('elderly', 'aged')), ('young', ('teenage',))]
    """
    if kind is PairSet:
        return _pairs(path, _table(path))
    lists = _read(path)
    if kind is StimulusSet:
        kind = WeatSet if len(lists.groups) == 4 else ClassSet if len(lists.groups) > 1 else WordSet
    if kind not in MADE:
        raise StimuliError(f"'{path}' has lists of words; a set of this kind is a TOML file ('aslant words list').")
    found: StimulusSet = MADE[kind](path, lists)
    return found


def given_lists(given: Iterable[str | os.PathLike[str]]) -> dict[str, tuple[str, ...]]:
    """Return lists by name from files and from text: "old: elderly, aged", or "elderly,aged" without a name.

    >>> given_lists(["old: elderly, aged", "teenage,youthful,young"])
    {'old': ('elderly', 'aged'), 'teenage, youthful, …': ('teenage', 'youthful', 'young')}
    """
    found: dict[str, tuple[str, ...]] = {}
    for source in given:
        if is_lists(source):
            lists = _read(Path(source))
        elif Path(source).suffix.lower() in ENDINGS:
            raise StimuliError(f"there is no file '{source}'; give a file with lists, or words separated by commas.")
        else:
            name, colon, text = str(source).rpartition(":")
            words = _split(text)
            if not words or not (colon or "," in text):
                raise StimuliError(
                    f"{str(source)!r:.60} is not a list of words; separate them by commas, or give a file."
                )
            lists = Lists({name.strip() or ", ".join([*words[:2], *["…"] * (len(words) > 2)]): words}, "")
        for name, listed in lists.groups.items():
            if name in found:
                raise StimuliError(f"there are two lists called '{name}'; name each differently ('old: aged').")
            found[name] = tuple(listed)
    return found


def _read(path: Path) -> Lists:
    """Return the lists of a file, each word once in its list, and say how they were read."""
    rows = _table(path)
    lists, twice = _without_duplicates(_text_lists(path) if rows is None else _lists(rows, path))
    in_json = path.suffix.lower() == ".json" and not lists.figures  # which has no columns
    said = f"{'lists' if len(lists.groups) > 1 else 'list'} {_quoted(lists.groups)}" if in_json else lists.said
    warnings.warn(f"{path.name}: {said}{twice}.", stacklevel=_outside())
    return lists


def _outside() -> int:
    """Return how many calls up the first one outside of aslant is, so that a warning names the user's own line."""
    frame, level = inspect.currentframe(), 0
    while frame is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == "aslant":
        frame, level = frame.f_back, level + 1
    return level


def _known(path: Path) -> dict[str, Any]:
    return {"id": path.stem, "title": path.stem, "source": path.name}


def _pairs(path: Path, rows: list[list[str]] | None) -> PairSet:
    rows = [row for row in rows or [] if any(row)]
    wrong = [f"{n}" for n, row in enumerate(rows, 1) if len(row) != 2 or not all(row)]
    if len(rows) < 2 or wrong:
        where = f" in row {', '.join(wrong[:6])}{', …' * (len(wrong) > 6)}" if wrong else ""
        raise StimuliError(
            f"'{path}' is not a table of pairs: there are not two words{where}; the first row names the two sides."
        )
    poles, *pairs = ((row[0], row[1]) for row in rows)
    said = f"{plural(len(pairs), 'pair')}; the first row, '{poles[0]}' and '{poles[1]}', names the two sides"
    warnings.warn(f"{path.name}: {said}.", stacklevel=_outside())
    return PairSet(poles=poles, pairs=tuple(dict.fromkeys(pairs)), **_known(path))


def _test(path: Path, lists: Lists) -> WeatSet:
    named = [WordList(name, tuple(words)) for name, words in lists.groups.items()]
    sides = [[one for one in named if lists.roles.get(one.name) == role] for role in ("target", "attribute")]
    if not lists.roles and len(named) == 4:
        sides = [named[:2], named[2:]]
    (targets, attributes) = sides
    if len(targets) != 2 or len(attributes) != 2:
        raise StimuliError(
            f"'{path}' has {plural(len(named), 'list')} of words ({', '.join(list(lists.groups)[:6])}); a test needs "
            "two sets of targets and two of attributes: four lists in this order, or a column 'role' with target and "
            "attribute in it."
        )
    title = "{}, {}: {}, {}".format(*(one.name for one in (*targets, *attributes)))
    known = {**_known(path), "title": title}
    return WeatSet(targets=(targets[0], targets[1]), attributes=(attributes[0], attributes[1]), **known)


def _classes(path: Path, lists: Lists) -> ClassSet:
    if len(lists.groups) < 2:
        raise StimuliError(f"'{path}' has one list of words, but classes need two; add a column of groups.")
    return ClassSet(dated=tuple(DatedWords(name, tuple(words)) for name, words in lists.groups.items()), **_known(path))


def _words(path: Path, lists: Lists) -> WordSet:
    listed = [word for words in lists.groups.values() for word in words]
    if not lists.figures:
        return WordSet(listed=tuple(dict.fromkeys(listed)), **_known(path))
    rows = tuple(zip(listed, *lists.figures.values(), strict=True))
    return WordSet(columns=("word", *lists.figures), rows=rows, **_known(path))


MADE: dict[type[StimulusSet], Any] = {WeatSet: _test, ClassSet: _classes, WordSet: _words}


def _table(path: Path) -> list[list[str]] | None:
    """Return the rows of a table, the names of its columns first; None: the file is plain text."""
    ending = path.suffix.lower()
    if ending == ".txt":
        return None
    if ending == ".json":
        return _own_json(path)
    if ending in SPREADSHEETS:
        return _spreadsheet(path)
    text = read_text(path, StimuliError, most=MOST)
    mark = "\t" if ending == ".tsv" else delimiter(text)
    try:
        rows = [[cell.strip() for cell in row] for row in csv.reader(StringIO(text), delimiter=mark, strict=True)]
    except csv.Error as error:
        raise StimuliError(f"'{path}' is not a table: {error}; save it as CSV again.") from None
    return _whole(path, rows)


def _spreadsheet(path: Path) -> list[list[str]]:
    if find_spec("python_calamine") is None:
        raise MissingExtraError("spreadsheets need python-calamine: pip install '.[excel]', or save the sheet as CSV.")
    import python_calamine

    content = read_bytes(path, StimuliError, most=MOST)
    try:
        if zipfile.is_zipfile(BytesIO(content)):
            unpacked = sum(part.file_size for part in zipfile.ZipFile(BytesIO(content)).infolist())
            if unpacked > MOST_UNPACKED:
                raise StimuliError(f"'{path}' unpacks to {unpacked >> 20:,} MB; check which file it is.")
        book = python_calamine.load_workbook(BytesIO(content))
        rows = book.get_sheet_by_index(0).to_python()
    except (python_calamine.CalamineError, zipfile.BadZipFile) as error:
        reason = str(error).strip().partition("\n")[0]
        raise StimuliError(f"'{path}' is not a spreadsheet ({reason}); save it again, or as CSV.") from None
    if len(sheets := book.sheet_names) > 1:
        warnings.warn(
            f"{path.name}: only sheet '{sheets[0]}' is read, the first of {len(sheets)}.", stacklevel=_outside()
        )
    return _whole(path, [[_cell(cell) for cell in row] for row in rows])


def _cell(value: Any) -> str:
    """Write a cell as a spreadsheet shows it: whole numbers, which are floats there, without a point."""
    return f"{value:.15g}" if isinstance(value, float) else str(value).strip()


def _whole(path: Path, rows: list[list[str]]) -> list[list[str]]:
    """Return rows of one width, without empty ones and without columns that are empty throughout."""
    rows = [row for row in rows if any(row)]
    width = max(map(len, rows), default=0)
    rows = [[*row, *[""] * (width - len(row))] for row in rows]
    used = [at for at in range(width) if any(row[at] for row in rows)]
    if not used:
        raise StimuliError(f"'{path}' has no words; give a table with a column of words, or a column for each group.")
    return [[row[at] for at in used] for row in rows]


def _own_json(path: Path) -> list[list[str]] | None:
    """Return lists by name, or rows, as a table; None where a file holds something else."""
    try:
        content = parse_json(read_text(path, StimuliError, most=MOST))
    except ValueError as error:
        raise StimuliError(f"'{path}' is not JSON: {error}.") from None
    if isinstance(content, list) and content and all(isinstance(word, str) for word in content):
        return [["word"], *([word.strip()] for word in content)]
    if isinstance(content, list) and content and all(isinstance(row, dict) for row in content):
        names = list(dict.fromkeys(name for row in content for name in row))
        cells = [[row.get(name, "") for name in names] for row in content]
        plain = all(isinstance(cell, str | int | float) for row in cells for cell in row)
        return [names, *([str(cell).strip() for cell in row] for row in cells)] if plain else None
    if _is_lists(content):
        return [["group", "word"], *([name, word.strip()] for name, words in content.items() for word in words)]
    if isinstance(content, dict) and {*content} == {"targets", "attributes"} and all(map(_is_lists, content.values())):
        named = [(side, name, word) for side in content for name, words in content[side].items() for word in words]
        return [["role", "group", "word"], *([side, name, word.strip()] for side, name, word in named)]
    return None


def _is_lists(content: Any) -> bool:
    return isinstance(content, dict) and bool(content) and all(map(_is_words, content.values()))


def _is_words(words: Any) -> bool:
    return isinstance(words, list) and bool(words) and all(isinstance(word, str) for word in words)


def _text_lists(path: Path) -> Lists:
    """Read plain text: a word a line, lines that name a group, or groups with blank lines between them."""
    text = read_text(path, StimuliError, most=MOST)
    lines = [line.strip() for line in text.splitlines() if not line.lstrip().startswith("#")]
    named = [line.partition(":") for line in lines if line]
    if named and all(colon and name.strip() and words.strip() for name, colon, words in named):
        no_duplicates(path.name, tuple(name.strip() for name, _, _ in named))
        return Lists({name.strip(): _split(words) for name, _, words in named}, "each line names a list of words")
    lists: list[tuple[str, list[str]]] = [("", [])]
    for line in lines:
        if line.endswith(":"):
            lists.append((line[:-1].strip(), []))
        elif line:
            lists[-1][1].extend(_split(line))
        elif lists[-1][1]:
            lists.append(("", []))
    lists = [(name, words) for name, words in lists if name or words]
    empty = [name for name, words in lists if not words]
    if empty or not lists:
        what = f": no words follow {_quoted(empty)}" if empty else " has no words"
        raise StimuliError(f"'{path}'{what}; write one a line.")
    if len(lists) == 1:
        return Lists({lists[0][0] or path.stem: lists[0][1]}, f"one list of {plural(len(lists[0][1]), 'word')}")
    names = [name or UNNAMED.format(n) for n, (name, _) in enumerate(lists, 1)]
    no_duplicates(path.name, tuple(names))
    how = (
        "a line that ends in a colon begins a list" if any(name for name, _ in lists) else "blank lines separate lists"
    )
    return Lists({name: words for name, (_, words) in zip(names, lists, strict=True)}, f"{how} ({_quoted(names)})")


def _split(words: str) -> list[str]:
    return [word.strip() for word in words.split(",") if word.strip()]


def _lists(rows: Sequence[Sequence[str]], path: Path) -> Lists:
    """Read a table: long, a list of words with figures, or wide."""
    names, body = [name.strip() for name in rows[0]], rows[1:]
    word, group, role = (_named(names, known) for known in (WORDS, GROUPS, ROLES))
    if len(names) == 1:
        listed = [row[0] for row in (body if word is not None else rows)]  # a first word, where no name stands
        return Lists({path.stem: listed}, f"one list of {plural(len(listed), 'word')}")
    if word is None and len(names) == 2:
        word, group = _guessed(body)
        if group is not None and names[group] in {row[group] for row in body}:  # the first row is one like the others
            names, body = ["first", "second"], rows
    if (
        word is None
        and len(texts := [at for at in range(len(names)) if not all(_is_number(row[at]) for row in body)]) == 1
    ):
        word = texts[0]
    if word is not None and group is not None:
        return _long(names, body, word, group, role, path)
    if word is not None:
        body = [row for row in body if row[word]]
        others = [at for at in range(len(names)) if at != word]
        figures = {names[at]: _numbers(names[at], [row[at] for row in body], path) for at in others}
        said = f"words in column '{names[word]}', figures in {_quoted(figures)}"
        return Lists({path.stem: [row[word] for row in body]}, said, {}, figures)
    if any(_recurs([row[at] for row in body if row[at]]) for at in range(len(names))):
        raise StimuliError(
            f"'{path}' has columns in which values recur, so that they are not lists of words; call the column of "
            f"words 'word' and that of groups 'group' (the first row has {_quoted(names)})."
        )
    wide = {name: [row[at] for row in body if row[at]] for at, name in enumerate(names)}
    if len(wide) < len(names) or "" in wide:
        raise StimuliError(f"'{path}': the first row must name each column once; it has {_quoted(names)}.")
    return Lists({name: words for name, words in wide.items() if words}, f"a list in each column: {_quoted(wide)}")


def _named(names: Sequence[str], known: Iterable[str]) -> int | None:
    lower = [name.lower() for name in names]
    return next((lower.index(name) for name in known if name in lower), None)


def _guessed(body: Sequence[Sequence[str]]) -> tuple[int | None, int | None]:
    """Find the columns of words and of groups in a table of two, by how often their values recur."""
    for group, word in ((0, 1), (1, 0)):
        last = max((n for n, row in enumerate(body) if row[group]), default=0)
        merged = any(not row[group] for row in body[:last])  # not just the end of a shorter list
        values = [row[group] for row in (_filled(body, group) if merged else body)]
        words = {row[word] for row in body}
        if all(values) and all(words) and _recurs(values) and len(words) >= 2 * len({*values}):
            return word, group
    return None, None


def _recurs(values: Sequence[str]) -> bool:
    return len(values) > 3 and 2 * len({*values}) <= len(values)


def _filled(body: Sequence[Sequence[str]], at: int) -> list[list[str]]:
    """Return rows in which an empty cell of a column, as merged cells leave it, is like the one above."""
    filled, above = [], ""
    for row in body:
        above = row[at] or above
        filled.append([*row[:at], above, *row[at + 1 :]])
    return filled


def _long(
    names: Sequence[str], body: Sequence[Sequence[str]], word: int, group: int, role: int | None, path: Path
) -> Lists:
    groups: dict[str, list[str]] = {}
    roles: dict[str, str] = {}
    body = [row for row in body if row[word]]
    merged = not all(row[group] for row in body)
    for row in (body := _filled(body, group)):
        groups.setdefault(row[group] or "no group", []).append(row[word])
        side = row[role].lower().removesuffix("s") if role is not None else ""
        if side in ("target", "attribute"):
            roles.setdefault(row[group], side)
    if roles and (odd := [row[role or 0] for row in body if row[group] not in roles]):
        raise StimuliError(
            f"'{path}': column '{names[role or 0]}' has {_quoted(dict.fromkeys(odd))}; write target or attribute in it."
        )
    said = f"words in column '{names[word]}', groups in column '{names[group]}' ({_quoted(groups)})"
    said += ", an empty group is that above" * merged
    return Lists(groups, said + (f", sides in column '{names[role]}'" if roles and role is not None else ""), roles)


def _is_number(cell: str) -> bool:
    try:
        return math.isfinite(float(cell))
    except ValueError:
        return False


def _numbers(name: str, cells: Sequence[str], path: Path) -> list[float]:
    odd = [cell[:40] for cell in cells if not _is_number(cell)]
    if odd:
        what = "is not a number" if len(odd) == 1 else "are not numbers"
        raise StimuliError(
            f"'{path}': column '{name}' has {_quoted(odd)}, which {what}; name the column of groups 'group', or leave "
            "the column out."
        )
    return [float(cell) for cell in cells]


def _without_duplicates(lists: Lists) -> tuple[Lists, str]:
    """Count a word once in its list, and say how many were there more often; those with figures stay as they are."""
    if lists.figures:
        return lists, ""
    twice = sum(count - 1 for words in lists.groups.values() for count in Counter(words).values())
    once = {name: list(dict.fromkeys(words)) for name, words in lists.groups.items()}
    return lists._replace(groups=once), f"; {plural(twice, 'repeated word')} left out" if twice else ""


def _quoted(names: Iterable[str]) -> str:
    listed = list(names)
    return ", ".join(f"'{name}'" for name in listed[:6]) + (f" and {len(listed) - 6} more" if len(listed) > 6 else "")
