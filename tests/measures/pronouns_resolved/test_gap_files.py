"""GAP files: every row is checked, and what is wrong is named by file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from aslant.errors import DataError, MeasureError
from aslant.measures.pronouns_resolved.gap_files import COLUMNS, read_gap
from gap_like import as_tsv, gap_like

ROW = {
    "ID": "1", "Text": "Ann met Eve; she left.", "Pronoun": "she", "Pronoun-offset": "13", "A": "Ann", "A-offset": "0",
    "A-coref": "TRUE", "B": "Eve", "B-offset": "8", "B-coref": "FALSE", "URL": "http://x",
}  # fmt: skip


def written(folder: Path, *rows: dict[str, str], end: str = "\n", columns: tuple[str, ...] = COLUMNS) -> Path:
    path = folder / "mine.tsv"
    lines = ["\t".join(columns), *("\t".join(row[c] for c in columns if c in row) for row in rows)]
    path.write_bytes((end.join(lines) + end).encode())
    return path


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_row_becomes_a_sample(tmp_path: Path, end: str) -> None:
    (sample,), source = read_gap(written(tmp_path, ROW, end=end))
    assert (sample.gender, sample.label, sample.page, source) == ("female", "A", "http://x", "mine.tsv")
    assert sample.passage.words == ("she", "Ann", "Eve")


def test_columns_may_stand_in_any_order_with_others_between(tmp_path: Path) -> None:
    columns = ("Extra", *reversed(COLUMNS))
    (sample,), _ = read_gap(written(tmp_path, {**ROW, "Extra": "x"}, columns=columns))
    assert sample.passage.words == ("she", "Ann", "Eve")


def test_offsets_count_characters_and_quotes_are_text(tmp_path: Path) -> None:
    text = 'Zoë "met\u2028🙂 Eve; she left.'
    row = {
        **ROW,
        "Text": text,
        "A": "Zoë",
        "B-offset": str(text.index("Eve")),
        "Pronoun-offset": str(text.index("she")),
    }
    (sample,), _ = read_gap(written(tmp_path, row))
    assert sample.passage.words == ("she", "Zoë", "Eve")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"Pronoun-offset": "14"}, "line 2: Pronoun is 'she', but at Pronoun-offset 14 the text has 'he left.'"),
        ({"B-offset": "900"}, "line 2: B is 'Eve', but at B-offset 900 the text has ended (it has 22 characters)"),
        ({"A-offset": "-1"}, "line 2: A-offset is '-1', not a whole number"),
        ({"A-offset": "²"}, "line 2: A-offset is '²', not a whole number"),
        ({"B-coref": "TRUE"}, "line 2: both A-coref and B-coref are TRUE"),
        ({"B-coref": "yes"}, "line 2: B-coref is 'yes', neither TRUE nor FALSE"),
        ({"Pronoun": ""}, "line 2: Pronoun is empty"),
        ({"B": " "}, "line 2: B is empty"),
        ({"ID": ""}, "line 2: its ID is empty"),
        ({"Pronoun": "Eve", "Pronoun-offset": "8"}, "line 2: the gender of the pronoun 'Eve' is not known"),
        ({"Text": "a\tb"}, "line 2: it has 12 fields instead of 11"),
    ],
)
def test_a_bad_row_is_named_by_file_and_line(tmp_path: Path, wrong: dict[str, str], said: str) -> None:
    path = written(tmp_path, {**ROW, **wrong}, {**ROW, "ID": "2"})
    with pytest.raises(MeasureError) as error:
        read_gap(path)
    assert said in str(error.value)
    assert str(path) in str(error.value)


def test_a_few_bad_rows_are_named_and_the_others_counted(tmp_path: Path) -> None:
    rows = [{**ROW, "ID": str(n), "A-offset": "3"} for n in range(9)]
    with pytest.raises(MeasureError, match=r"line 2: .*line 3: .*line 4: .*\(and 6 more\)\.$"):
        read_gap(written(tmp_path, *rows))


def test_what_is_no_gap_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MeasureError, match="its first line has no column Pronoun, A"):
        read_gap(written(tmp_path, columns=tuple(c for c in COLUMNS if c not in ("Pronoun", "A"))))
    with pytest.raises(MeasureError, match="has no rows"):
        read_gap(written(tmp_path))
    with pytest.raises(MeasureError, match=r"there is no GAP file '.*gap-development.tsv'"):
        read_gap(tmp_path)
    with pytest.raises(MeasureError, match="no GAP samples were given"):
        read_gap([])
    with pytest.raises(DataError, match="data of kind 'vectors'; needed here: benchmark"):
        read_gap("glove-6b-50d")
    (tmp_path / "x.tsv").write_bytes(b"\xff\xfe")
    with pytest.raises(MeasureError, match="cannot read"):
        read_gap(tmp_path / "x.tsv")


def test_every_row_of_the_real_files_is_taken(real_data: Path) -> None:
    counts = {name: len(read_gap(real_data / "gap" / f"gap-{name}.tsv")[0]) for name in ("test", "validation")}
    assert counts == {"test": 2000, "validation": 454}


def test_what_the_tests_write_is_read_back(tmp_path: Path) -> None:
    samples = gap_like(20)
    (tmp_path / "x.tsv").write_text(as_tsv(samples), encoding="utf-8")
    assert list(read_gap(tmp_path / "x.tsv")[0]) == samples
