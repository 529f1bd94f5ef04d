"""What stands as printed is what the papers print: every cell is held to the paper's own text."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from aslant.replicate import paper
from aslant.replicate.framework import Cell, number_of, words_of
from aslant.replicate.framework import printed as tables


def text_of(papers: Path, name: str) -> str:
    (found,) = papers.glob(f"{name}*.txt")
    return found.read_text(encoding="utf-8")


def printed(name: str, table: str) -> list[Cell]:
    return [cell for cell in paper(name).cells if cell.printed and not cell.way and cell.table == table]


def html_rows(text: str, caption: str) -> list[list[str]]:
    """The rows of the table whose caption follows it."""
    table = text[: text.index(caption)].rsplit("<table", 1)[1]
    rows = re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)
    return [re.findall(r"<td>(.*?)</td>", row, re.DOTALL) for row in rows if "<td>" in row]


def counts(name: str) -> Counter[str]:
    return Counter(cell.table for cell in paper(name).cells if cell.printed and not cell.way)


# How many printed cells each paper has, table by table, counted in the papers.


def test_every_printed_number_has_one_cell() -> None:
    assert counts("lu") == {"Table 1": 12, "Figure 1": 4, "Figure 2": 2}
    assert counts("kurita") == {
        "Table 3": 15 * 2, "§3.3": 1, "Table 4": 4, "§4": 8, "Table 5": 4, "§5": 6, "Table 6": 20,
    }  # fmt: skip
    assert counts("swinger") == {
        "Table 1": 6, "§4": 1, "Table 2": 12 * 8, "Table 3": 9, "§4.2": 6, "§4.1": 3, "Table 4": 9, "Table 5": 85,
        "§5": 1,
    }  # fmt: skip
    assert counts("caliskan") == {"Table 1": 20, "supplementary": 20}
    assert counts("gonen") == {"§4": 6}
    assert counts("bolukbasi") == {"§5.2": 1, "Figure 3": 8}
    assert counts("basta") == {"§4": 2, "§5": 2 + 5 + 5 + 6}
    # These two papers are not at hand; what could be checked against another source is entered.
    assert counts("nangia") == {"Table 2": 12 + 1 + 1}
    within = "development set, intrasentence"
    assert counts("nadeem") == {
        "test set, both": 3 + 7, "development set, both": 11 * 3,
        **{f"{within}{domain}": 3 * 3 for domain in ("", ", gender", ", profession", ", race", ", religion")},
    }  # fmt: skip


# Lu


def test_lu_table_1(papers: Path) -> None:
    lines = [line.split("\t") for line in text_of(papers, "lu").splitlines() if "\t" in line]
    columns = lines[0][1:]
    for line in lines[1:3]:
        cells = {cell.column: cell.printed for cell in printed("lu", "Table 1") if cell.row == line[0]}
        assert cells == dict(zip(columns, line[1:], strict=True))


def test_lu_words_of_the_race_columns_are_printed(papers: Path) -> None:
    text = " ".join(text_of(papers, "lu").split())
    assert text.count("black, white, asian, native as categories") == 2
    assert "has a clear downwards trend over time" in text
    assert "There is not a clear trend for the g2 multiclass metric" in text
    assert "The one-vs-one metric shows a downward trend, but it is unclear" in text


# Kurita


def test_kurita_table_3_with_its_stars(papers: Path) -> None:
    rows = html_rows(text_of(papers, "kurita"), "Table 3: Effect sizes")
    columns = ("WEAT on GloVe", "WEAT on BERT", "log-probability score")
    found = {(cell.row, cell.column): cell.printed for cell in printed("kurita", "Table 3")}
    expected = {}
    for row, *values in rows:
        for column, value in zip(columns, values, strict=True):
            expected[row, column] = value.rstrip("*")
            expected[row, f"{column}, p < 0.01"] = "yes" if value.endswith("*") else "no"
    assert found == expected


def test_kurita_table_4_and_the_numbers_of_section_4(papers: Path) -> None:
    text = text_of(papers, "kurita")
    rows = html_rows(text, "Table 4: Probability")
    found = {(cell.row.partition(" ")[0], cell.column): cell.printed for cell in printed("kurita", "Table 4")}
    assert found == {
        (row[0].lower(), c): v for row in rows for c, v in zip(("prior", "predicted"), row[1:], strict=True)
    }
    flat = " ".join(text.split())
    assert "containing 8,908 human-labeled ambiguous pronoun-name pairs" in flat
    assert "1,000 male and female pronouns in the training set each, with 103 and 98 of them" in flat
    assert "p = 0.007" in flat
    assert "to be 0.207 (which is statistically significant with $p = 4e - 11$ )" in flat
    assert "only 5 of the African American names" in flat
    numbers = sorted(cell.printed for cell in printed("kurita", "§4"))
    assert numbers == sorted(["8908", "1000", "1000", "103", "98", "0.007", "0.207", "4e-11"])


def test_kurita_table_5_and_the_sizes_of_its_lists(papers: Path) -> None:
    text = text_of(papers, "kurita")
    rows = html_rows(text, "Table 5: Percentage")
    assert {cell.row: cell.printed for cell in printed("kurita", "Table 5")} == dict(rows)
    flat = " ".join(text.split())
    assert "Contains 6882 instances" in flat
    assert "take the first 1000 instances" in flat
    assert "a collection of 234 and 292 adjectives" in flat
    assert "17649 unique skills for 27660 jobs" in flat
    assert [cell.printed for cell in printed("kurita", "§5")] == ["6882", "1000", "234", "292", "17649", "27660"]


def test_kurita_table_6(papers: Path) -> None:
    rows = html_rows(text_of(papers, "kurita"), "Table 6: Extracted topics")
    assert [cell.printed for cell in printed("kurita", "Table 6")] == [words for _, words in rows]


# Basta: two columns of text, so that only numbers can be looked for


def test_every_number_of_basta_stands_in_its_text(papers: Path) -> None:
    text = text_of(papers, "basta")
    cells = [cell for cell in paper("basta").cells if cell.printed and number_of(cell.printed)]
    assert len(cells) == 20 + 5  # with its settings
    for cell in cells:
        number = cell.printed.lstrip("<").rstrip("%")
        unlike = {"464947": "464,947", "10046125": "1,004,6125", "1e-40": "1 × 10−40"}
        written = unlike.get(number, number)
        assert re.search(rf"(?<![\d.]){re.escape(written)}(?!\d)", text), cell


# Swinger


def test_swinger_table_1(papers: Path) -> None:
    text = text_of(papers, "swinger")
    for what, value in (("target groups", "12"), ("number of categories", "64"), ("words per WEAT", "3")):
        assert re.search(rf"{what}\t{value}\n", text)
    assert "number of frequent lower-case words\t30,000" in text
    assert "false discovery rate\t0.05" in text
    assert "R = 10,000" in text
    assert [cell.printed for cell in printed("swinger", "Table 1")] == ["12", "64", "30000", "3", "0.05", "10000"]


def test_swinger_table_2(papers: Path) -> None:
    lines = text_of(papers, "swinger").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("Amanda\t"))
    columns = list(zip(*(line.split("\t") for line in lines[start : start + 12]), strict=True))
    assert len(columns) == 12
    for column, group in zip(columns, tables("swinger")["groups"], strict=True):
        shares = [group[key] for key in ("female", "black", "hispanic", "asian", "white")]
        letters = ["F", "B", "H", "A", "W"]
        made = [f"{share} {letter}" for share, letter in zip(shares, letters, strict=True)]
        assert list(column) == [*group["names"], f"+{group['others']}", made[0], group["year"], *made[1:]]


def test_swinger_table_3_and_the_shares_of_section_4(papers: Path) -> None:
    text = text_of(papers, "swinger")
    found = {(cell.row, cell.column): cell.printed for cell in printed("swinger", "Table 3")}
    for name in ("w2v", "fast", "glove"):
        row = "\t".join(found[name, column] for column in ("significant", "accurate", "offensive"))
        assert f"{name}\t{row}\n" in text
    flat = " ".join(text.split())
    assert "99% of 2,713 significant fourtuples" in flat
    assert "98% of 1,125 fourtuples and 97% of 1,796 fourtuples for the fast and glove" in flat
    assert [cell.printed for cell in printed("swinger", "§4.2")] == ["99%", "2713", "98%", "1125", "97%", "1796"]
    assert "more than 99% of the data by population" in flat
    assert "the mean number of choices c was 8.1" in flat
    assert "agreed with the generated group 65% of the time" in flat
    assert "which happened 37% of the time" in flat
    assert "“Yu, Tamashiro, Heng, Feng, Nakamura, +393”" in flat


def test_swinger_table_4(papers: Path) -> None:
    lines = text_of(papers, "swinger").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("w2v F8\tw2v F11"))
    columns = list(zip(*(line.split("\t") for line in lines[start : start + 4]), strict=True))
    rows = tables("swinger")["offensive"]
    made = [(f"{row['embedding']} {row['group']}", *words_of(row["words"])) for row in rows]
    assert made == columns


def test_swinger_table_5(papers: Path) -> None:
    lines = text_of(papers, "swinger").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("\tcookbook"))
    labels = [name.removeprefix("w2v ") for name in lines[start - 1].split("\t")]
    for line, test in zip(lines[start : start + 12], tables("swinger")["tests"], strict=True):
        cells = {label: cell.strip() for label, cell in zip(labels, line.split("\t"), strict=True) if cell.strip()}
        # A hyphen with a space behind it is a word that the print breaks at the end of a line.
        assert {label: re.sub(r"- ", "", cell) for label, cell in cells.items()} == test
    assert len(printed("swinger", "Table 5")) == sum(map(len, tables("swinger")["tests"]))


# The other way round: no number in a paper's text is without a cell. Small whole numbers are those of sections, tables
# and references; years are those of citations.
NOT_RESULTS = {
    "lu": {"2.1", "2.2", "3.1", "3.2", "3.3", "4.1", "4.2", "4.3"},
    "kurita": {"3.1", "3.2", "3.3", "0.01", "23.2"},  # the level of the stars, the release of O*NET
    "basta": {"2.1", "2.2", "2.3", "11.5", "12.0", "12.5", "13.0", "40", "5000"},  # an axis; 1e-40; 2,500 of each side
    "swinger": {
        *("2.1", "3.1", "3.2", "3.3", "3.4", "4.1", "4.2", "22", "23", "28", "978"),
        *("100", "300", "600", "1000"),  # words in billions, dimensions; births of a name, which its cell is about
    },
}


@pytest.mark.parametrize("name", NOT_RESULTS)
def test_every_number_of_a_paper_has_a_cell_or_is_not_a_result(papers: Path, name: str) -> None:
    text, _, appendix = text_of(papers, name).partition("## Appendix")
    body = re.split("references\n", text, flags=re.IGNORECASE)[0] + appendix
    found = set(re.findall(r"(?<![\w.:/-])\d+(?:\.\d+)?(?![\w.]*\w)", re.sub(r"(?<=\d),(?=\d{3})", "", body)))
    in_cells = {float(n) for cell in paper(name).cells for n in re.findall(r"\d+(?:\.\d+)?(?:e-?\d+)?", cell.printed)}
    results = {n for n in found if "." in n or (int(n) > 20 and not 1800 <= int(n) <= 2021)}
    assert {n for n in results if float(n) not in in_cells} == NOT_RESULTS[name]


@pytest.mark.parametrize("name", ["lu", "kurita", "basta", "swinger"])
def test_no_printed_cell_is_without_a_number_or_words(name: str) -> None:
    for cell in paper(name).cells:
        assert not cell.printed or number_of(cell.printed) or words_of(cell.printed)
