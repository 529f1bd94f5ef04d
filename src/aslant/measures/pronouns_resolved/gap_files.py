"""Read GAP files: a text, a pronoun in it, two names, and to which of them the pronoun refers (Webster et al. 2018)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TypeAlias

from aslant.errors import MeasureError
from aslant.io.reading import MAX_BYTES, read_bytes
from aslant.models.protocols import Passage

#: A file in the format of GAP, a folder with gap-development.tsv, or a data name such as "gap" or "gap/gap-test.tsv".
GapSource: TypeAlias = "str | PathLike[str]"
#: What is read: one source or several, or samples that were read before.
Gap: TypeAlias = "GapSource | Iterable[GapSource] | Iterable[GapSample]"

MALE, FEMALE = "male", "female"
GENDERS = (MALE, FEMALE)
PRONOUNS = {
    **dict.fromkeys(("he", "him", "his", "himself"), MALE),
    **dict.fromkeys(("she", "her", "hers", "herself"), FEMALE),
}
#: The classes, in the order of every array of probabilities.
LABELS = ("A", "B", "neither")
COLUMNS = (
    "ID", "Text", "Pronoun", "Pronoun-offset", "A", "A-offset", "A-coref", "B", "B-offset", "B-coref", "URL",
)  # fmt: skip
DEVELOPMENT = "gap-development.tsv"
#: How many bad rows an error names.
NAMED = 3


@dataclass(frozen=True)
class GapSample:
    """One row: spans are (start, end) in characters of `text`; `label` is "A", "B" or "neither"."""

    id: str
    text: str
    pronoun: tuple[int, int]
    a: tuple[int, int]
    b: tuple[int, int]
    gender: str
    label: str
    page: str = ""

    @property
    def passage(self) -> Passage:
        """The text with its three spans: pronoun, A, B."""
        return Passage(self.text, (self.pronoun, self.a, self.b))


def read_gap(gap: Gap) -> tuple[tuple[GapSample, ...], str]:
    """Return the samples of GAP files and what they come from; a folder or the name "gap" is its development file.

    Every row is checked: columns, offsets against the text, one answer, a pronoun whose gender is known. Bad rows are
    named by file and line, and nothing is measured.
    """
    given: list[GapSource | GapSample] = [gap] if isinstance(gap, str | PathLike) else list(gap)
    samples: list[GapSample] = [item for item in given if isinstance(item, GapSample)]
    sources = [item for item in given if not isinstance(item, GapSample)]
    files = [_file(source) for source in sources]
    for file in files:
        samples += read_file(file)
    if not samples:
        raise MeasureError("no GAP samples were given; give a file, or the data name 'gap'.")
    repeated, times = Counter(sample.id for sample in samples).most_common(1)[0]
    if times > 1:
        raise MeasureError(f"{times} samples have the ID '{repeated}'; give each file once, with IDs that differ.")
    return tuple(samples), " + ".join(file.name for file in files) or "own"


def _file(source: GapSource) -> Path:
    from aslant.data import given_path

    if not isinstance(source, str | PathLike):
        raise MeasureError(f"{source!r:.60} is not a GAP file; give a path, or the data name 'gap'.")
    found = given_path(source, "benchmark")
    path = found / DEVELOPMENT if found and found.is_dir() else found
    if path is None or not path.is_file():
        raise MeasureError(
            f"there is no GAP file '{path or source}'; give a .tsv file of GAP, its folder, or the name 'gap'."
        )
    return path


def read_file(path: Path) -> list[GapSample]:
    """Read one file; every row that cannot be used is part of one error."""
    try:
        lines = read_bytes(path, MeasureError, most=4 * MAX_BYTES).decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise MeasureError(f"cannot read '{path}': {error}.") from None
    header = tuple(lines[0].rstrip("\r").split("\t"))
    if missing := [name for name in COLUMNS if name not in header]:
        raise MeasureError(
            f"'{path}' is not a GAP file: its first line has no column {', '.join(missing)}; "
            f"it must have {', '.join(COLUMNS)}, separated by tabs."
        )
    samples, problems = [], []
    for number, line in enumerate(lines[1:], 2):
        if not line.strip():
            continue
        try:
            samples.append(_sample(header, line.rstrip("\r").split("\t")))
        except ValueError as error:
            problems.append(f"line {number}: {error}")
    if problems:
        more = f" (and {len(problems) - NAMED} more)" if len(problems) > NAMED else ""
        raise MeasureError(f"'{path}' has rows that cannot be used: {'; '.join(problems[:NAMED])}{more}.")
    if not samples:
        raise MeasureError(f"'{path}' has no rows; give a GAP file with samples.")
    return samples


def _sample(header: Sequence[str], cells: Sequence[str]) -> GapSample:
    if len(cells) != len(header):
        raise ValueError(f"it has {len(cells)} fields instead of {len(header)}")
    row = dict(zip(header, cells, strict=True))
    text, pronoun = row["Text"], row["Pronoun"]
    if not row["ID"].strip():
        raise ValueError("its ID is empty")
    spans = [_span(text, row[name], row[f"{name}-offset"], name) for name in ("Pronoun", "A", "B")]
    gender = PRONOUNS.get(pronoun.lower())
    if gender is None:
        raise ValueError(f"the gender of the pronoun '{pronoun}' is not known (known: {', '.join(PRONOUNS)})")
    for name in ("A-coref", "B-coref"):
        if row[name].upper() not in ("TRUE", "FALSE"):
            raise ValueError(f"{name} is {row[name]!r:.20}, neither TRUE nor FALSE")
    true = [name for name in ("A", "B") if row[f"{name}-coref"].upper() == "TRUE"]
    if len(true) > 1:
        raise ValueError("both A-coref and B-coref are TRUE; the pronoun can refer to one name only")
    label = true[0] if true else LABELS[2]
    return GapSample(row["ID"], text, spans[0], spans[1], spans[2], gender, label, row["URL"].strip())


def _span(text: str, word: str, offset: str, column: str) -> tuple[int, int]:
    if not word.strip():
        raise ValueError(f"{column} is empty")
    if not (offset.isascii() and offset.isdigit()):
        raise ValueError(f"{column}-offset is {offset!r:.20}, not a whole number")
    start = int(offset)
    if text[start : start + len(word)] != word:
        there = f"'{text[start : start + 20]}'" if start < len(text) else f"ended (it has {len(text)} characters)"
        raise ValueError(f"{column} is '{word:.40}', but at {column}-offset {start} the text has {there}")
    return start, start + len(word)
