"""`aslant.load_corpus`: from the name or path of some text to a `Corpus`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from aslant.corpus.corpus import ARCHIVES, KINDS, Corpus, GivenTexts, TextFile, Ways, checked, files_in, kind_of
from aslant.corpus.reading import check_encoding
from aslant.corpus.splitting import PIECE, WAYS, splitter
from aslant.data import could_be_name, did_you_mean, inside_of, names, resolve
from aslant.errors import CorpusError
from aslant.io.packed_files import Location, locate, path_of

#: Data that hold text.
KINDS_OF_DATA = ("corpus", "benchmark")
#: What the items of a list are: guessed from each, names of files, folders and data, or texts themselves.
ITEMS = ("auto", "names", "texts")
#: How a sentence ends, and what may follow that.
MARKS, CLOSING = ".!?…。！？।", "\"'”’»)]"

#: Sentences with more characters than this are left out (and counted) unless `longest` says otherwise.
LONGEST = 10_000
#: How many of the given texts are read to find out how they are split.
LOOKED_AT = 500


def load_corpus(
    source: Any,
    *,
    column: str | None = None,
    split: str = "auto",
    language: str = "en",
    longest: int | None = None,
    encoding: str = "utf-8",
    name: str | None = None,
    items: str = "auto",
) -> Corpus:
    """Open text to draw sentences from: a file, a folder, a data name, a list of these, or a list of sentences.

    Text files, tables (.tsv, .csv) and JSON (.json, .jsonl), packed or not (.gz .bz2 .xz .zst .zip .tar), are
    streamed; "news.tgz/a.txt" is a file in an archive.
    `column` is the column of a table, or the key in JSON, that holds the text; where it is called "text" or
    "sentence" it is found automatically, and JSON of nested lists of strings needs none. `split` says how text becomes
    sentences: "lines" (one in each line of a file, or cell of a column), "sentences" (a line is running text),
    "paragraphs" (running text that is wrapped, with blank lines between paragraphs) or "auto", which looks at each
    file. Sentences of more than `longest` characters (10,000) are left out and counted.

    An item of a list is a sentence if it holds white space or ends as a sentence does, and no file has that name;
    any other item names a file, a folder or data, and it is an error if there is none. `items="names"` takes all of
    them for names, `items="texts"` for sentences.

    >>> import aslant
    >>> corpus = aslant.load_corpus(["Dr. Roe slept. She dreamt.", "He left. It was late."])
    >>> list(corpus)
    ['Dr. Roe slept.', 'She dreamt.', 'He left.', 'It was late.']
    >>> aslant.load_corpus("no-such-file.txt")
    Traceback (most recent call last):
    aslant.errors.CorpusError: there is no file 'no-such-file.txt', nor data of that name; check the path ...
    """
    longest = LONGEST if longest is None else longest
    if isinstance(longest, bool) or not isinstance(longest, int) or not 1 <= longest <= PIECE:
        raise CorpusError(f"longest is {longest!r}; give a whole number of characters from 1 to {PIECE:,}.")
    if items not in ITEMS:
        raise CorpusError(f"items is {items!r}; give {', '.join(map(repr, ITEMS[:-1]))} or {ITEMS[-1]!r}.")
    if split not in ("auto", *WAYS):
        raise CorpusError(f"split is {split!r}; give 'auto', {', '.join(map(repr, WAYS))}.")
    if column is not None and (not isinstance(column, str) or not column):
        raise CorpusError(f"column is {column!r}; give the name of a column.")
    ways = Ways(column, split, check_encoding(encoding), splitter(language))
    settings = {"column": column, "split": split, "language": language, "longest": longest, "encoding": ways.encoding}
    passed_over: list[str] = []
    sources = _sources(source, items)
    parts = [part for each in sources or () for part in _parts(each, ways, passed_over)]
    if sources is None:
        if column is not None:
            raise CorpusError(f"column is '{column}', but given texts have no columns; leave it out.")
        parts.append(GivenTexts(source, ways.way_of(list(islice(checked(source), LOOKED_AT)), wrapped=False)))
    named = (each.name if isinstance(each, Corpus) else path_of(each).name or str(each) for each in sources or ())
    called = name or ("given" if sources is None else " + ".join(named))
    files = [part for part in parts if isinstance(part, TextFile)]
    if len(files) == len(parts) and all(file.empty for file in files):
        raise CorpusError(f"there is no text in '{called}'; give a file that holds some.")
    if not files and not any(text.strip() for part in parts for text in part.texts):  # type: ignore[union-attr]
        raise CorpusError("no text was given; give some sentences.")
    if column is not None and files and not any(file.column for file in files):
        raise CorpusError(f"'{called}' is plain text and has no column '{column}'; leave the column out.")
    return Corpus(called, tuple(parts), settings, tuple(passed_over))


def _sources(source: Any, items: str) -> list[Any] | None:
    """Return the named locations, all of which exist, or None where texts themselves are given."""
    if isinstance(source, str | os.PathLike | Corpus):
        if items == "texts":
            raise CorpusError(f"{source!r:.60} is not a list of texts; give a list, or leave out items='texts'.")
        named, hint = [source], ""
    else:
        if isinstance(source, bytes) or not isinstance(source, Iterable):
            kind = type(source).__name__
            raise CorpusError(f"cannot read text from a {kind}; give a path, a data name or sentences.")
        if isinstance(source, Iterator):
            raise CorpusError(
                f"a {type(source).__name__} can be read only once; give a list of sentences, or write them to a file."
            )
        if items == "texts" or (items == "auto" and not _are_names(source)):
            return None
        named, hint = list(source), "" if items == "names" else ", or say items='texts' if it is a text"
    for number, each in enumerate(named, 1):
        if not isinstance(each, str | os.PathLike | Corpus):
            raise CorpusError(f"item {number:,} is a {type(each).__name__}, not a name; give paths and data names.")
        if isinstance(each, str) and each:
            check_there(each, hint)
    return named


def _are_names(items: Iterable[Any]) -> bool:
    """Tell whether a list holds names of files, folders and data, or texts; refuse one that holds both."""
    if not isinstance(items, list | tuple):
        return False
    first = items[:LOOKED_AT]
    named = [item for item in first if _is_name(item)]
    if not named or len(named) == len(first):
        return bool(named)
    # Among sentences a word by itself, such as a headline, is a text, unless there is such a file.
    for certain in named:
        if not isinstance(certain, str) or _is_there(certain) or (Path(certain).suffix and kind_of(certain)):
            break
    else:
        return False
    other = next(item for item in first if not _is_name(item))
    raise CorpusError(
        f"some items are files or data ('{certain}'), others are not ({other!r:.60}); give only one kind, or "
        "say items='texts' if all are texts."
    )


def _is_name(item: Any) -> bool:
    """Tell whether an item of a list names a file, a folder or data rather than being a text."""
    if isinstance(item, os.PathLike | Corpus):
        return True
    if not isinstance(item, str) or not item.strip():
        return False
    return _is_there(item) or not (len(item.split()) > 1 or item.rstrip(CLOSING).endswith(tuple(MARKS)))


def _is_there(name: str) -> bool:
    """Tell whether there is a file or folder, a member of an archive, or data of that name; nothing is downloaded."""
    if could_be_name(name) and name.partition("/")[0] in names():
        return True
    try:
        return locate(name, CorpusError).path.exists()
    except (CorpusError, OSError, ValueError):  # a text may be too long for a path, or hold characters that no path can
        return False


def check_there(name: str, hint: str = "") -> None:
    """Refuse a name that no file, folder or data has, before anything is downloaded or read.

    >>> check_there("bold")
    """
    if not _is_there(name):
        raise _missing(name, hint)


def _missing(source: Any, hint: str = "") -> CorpusError:
    return CorpusError(
        f"there is no file '{source}', nor data of that name; {did_you_mean(str(source))}check the path "
        f"('aslant data list' shows the names){hint}."
    )


def _parts(source: Any, ways: Ways, passed_over: list[str]) -> Iterator[TextFile | GivenTexts]:
    if isinstance(source, Corpus):
        passed_over.extend(source.passed_over)
        yield from source.parts
        return
    if not str(source):
        raise CorpusError("the name of the corpus is empty; give a path, a data name or sentences.")
    path = None
    if isinstance(source, str) and could_be_name(source):
        path = resolve(source, kinds=KINDS_OF_DATA)
    path = path or path_of(source)
    try:
        if path.is_dir():
            yield from _folder(path, ways, passed_over)
            return
        try:
            location = locate(path, CorpusError)
        except CorpusError:
            raise _missing(source) from None
        if location.member is None and path.suffix in ARCHIVES:  # data by name: the right member
            location = replace(location, member=inside_of(path.name, KINDS_OF_DATA))
        if not location.path.is_file():
            raise CorpusError(f"'{path}' is not a regular file; give a text file.")
    except OSError as error:
        raise CorpusError(f"cannot open '{path}': {error.strerror}.") from None
    yield ways.examine(location, location.name)


def _folder(folder: Path, ways: Ways, passed_over: list[str]) -> Iterator[TextFile]:
    taken, others = files_in(folder)
    if not taken:
        known = ", ".join(filter(None, KINDS))
        raise CorpusError(f"'{folder}' holds no text files; they end in {known} (or have no suffix), packed or not.")
    passed_over.extend(path.relative_to(folder).as_posix() for path in others)
    for path in taken:
        yield ways.examine(Location(path, error=CorpusError), path.relative_to(folder).as_posix())
