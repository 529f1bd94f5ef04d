"""Word lists as people keep them: long and wide tables, spreadsheets, text, JSON; read as the kind that is needed."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

import aslant
from aslant.errors import StimuliError
from aslant.stimuli import ClassSet, PairSet, WeatSet, WordSet, load_set, names
from aslant.stimuli.own_lists import given_lists, is_lists

TEST = {"flowers": ["rose", "tulip"], "insects": ["ant", "bee"], "good": ["love", "peace"], "bad": ["war", "hatred"]}
ROLES = {"flowers": "target", "insects": "Targets", "good": "attribute", "bad": "attribute"}
SIDES = {"targets": ("flowers", "insects"), "attributes": ("good", "bad")}
pytestmark = pytest.mark.filterwarnings("ignore:.*(column|line|list):UserWarning")


def long(roles: bool = False, mark: str = ",") -> str:
    rows = [["group", "word", *["role"] * roles]]
    rows += [[name, word, *[ROLES[name]] * roles] for name, words in TEST.items() for word in words]
    return "\n".join(mark.join(row) for row in rows)


def wide(mark: str = ",") -> str:
    return "\n".join(mark.join(row) for row in (TEST, *zip(*TEST.values(), strict=True)))


def spreadsheet(path: Path, rows: list[list[str]], sheets: int = 1) -> None:
    """Write the least that counts as an Excel file; with several sheets, all hold the same."""
    kinds, relations = "http://schemas.openxmlformats.org/package/2006", "officeDocument/2006/relationships"
    cells = "".join(
        f'<row r="{i}">'
        + "".join(f'<c r="{chr(65 + j)}{i}" t="inlineStr"><is><t>{text}</t></is></c>' for j, text in enumerate(row))
        + "</row>"
        for i, row in enumerate(rows, 1)
    )
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    link = f"http://schemas.openxmlformats.org/{relations}"
    listed = "".join(f'<sheet name="{n}" sheetId="{n}" r:id="a"/>' for n in range(1, sheets + 1))
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{kinds}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{kinds}/relationships">'
        f'<Relationship Id="a" Type="{link}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{link}"><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{kinds}/relationships">'
        f'<Relationship Id="a" Type="{link}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{cells}</sheetData></worksheet>',
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("a.csv", long(roles=True)),
        ("a.csv", long()),
        ("a.csv", wide()),
        ("a.csv", wide(";")),
        ("a.tsv", wide("\t")),
        ("a.csv", "﻿" + long(mark=";")),
        ("a.txt", "\n".join(f"{name}: {', '.join(words)}" for name, words in TEST.items())),
        ("a.txt", "\n\n".join("\n".join([f"{name}:", *words]) for name, words in TEST.items())),
        ("a.txt", "\n".join("\n".join([f"{name}:", "", *words]) for name, words in TEST.items())),
        ("a.json", json.dumps(TEST)),
        ("a.json", json.dumps({side: {n: TEST[n] for n in ns} for side, ns in SIDES.items()})),
        ("a.json", json.dumps([{"group": n, "word": w} for n, words in TEST.items() for w in words])),
    ],
)
def test_a_test_is_the_same_in_any_layout(file: str, text: str, tmp_path: Path) -> None:
    (tmp_path / file).write_text(text, encoding="utf-8")
    found = load_set(tmp_path / file, WeatSet)
    assert {group.name: list(group.words) for group in found.groups} == TEST
    assert [group.name for group in found.targets] == ["flowers", "insects"]
    assert found.id == "a"


def test_a_spreadsheet_is_read_like_its_csv(tmp_path: Path) -> None:
    pytest.importorskip("python_calamine")
    spreadsheet(tmp_path / "a.xlsx", [row.split(",") for row in long(roles=True).splitlines()])
    (tmp_path / "b.csv").write_text(long(roles=True))
    assert load_set(tmp_path / "a.xlsx", WeatSet).groups == load_set(tmp_path / "b.csv", WeatSet).groups
    spreadsheet(tmp_path / "two.xlsx", [["word"], ["nurse"]], sheets=2)
    with pytest.warns(UserWarning, match=r"two.xlsx: only sheet '1' is read, the first of 2"):
        assert load_set(tmp_path / "two.xlsx", WordSet).words == ("nurse",)
    (tmp_path / "c.xlsx").write_bytes(b"not a spreadsheet")
    with pytest.raises(StimuliError, match="not a spreadsheet"):
        load_set(tmp_path / "c.xlsx")


def test_roles_tell_targets_from_attributes_in_any_order(tmp_path: Path) -> None:
    head, *rows = long(roles=True).splitlines()
    (tmp_path / "a.csv").write_text("\n".join([head, *reversed(rows)]))
    found = load_set(tmp_path / "a.csv", WeatSet)
    assert [group.name for group in (*found.targets, *found.attributes)] == ["insects", "flowers", "bad", "good"]


def test_how_a_file_was_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(long() + "\nflowers,rose")
    with pytest.warns(
        UserWarning, match=r"a.csv: words in column 'word', groups in column 'group'.*1 repeated word"
    ) as said:
        load_set(tmp_path / "a.csv")
    assert said[0].filename == __file__  # the line of whoever asked


def test_other_kinds_come_from_lists_too(tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").write_text("female,male\nshe,he\nwoman,man\n")
    with pytest.warns(UserWarning, match=r"2 pairs; the first row, 'female' and 'male', names the two sides\."):
        assert load_set(tmp_path / "pairs.csv", PairSet).pairs == (("she", "he"), ("woman", "man"))
    assert [group.words for group in load_set(tmp_path / "pairs.csv", ClassSet).groups] == [
        ("she", "woman"),
        ("he", "man"),
    ]
    (tmp_path / "jobs.csv").write_text("word,share\nnurse,0.9\nclerk,0.5\n")
    assert load_set(tmp_path / "jobs.csv", WordSet).column("share") == {"nurse": 0.9, "clerk": 0.5}
    for text in ("nurse\nclerk\n", "nurse, clerk\n"):
        (tmp_path / "jobs.txt").write_text(text)
        assert load_set(tmp_path / "jobs.txt", WordSet).words == ("nurse", "clerk")
    (tmp_path / "bare.csv").write_text("nurse\nclerk\n")  # no header: no word is lost
    assert load_set(tmp_path / "bare.csv", WordSet).words == ("nurse", "clerk")


def test_columns_without_usual_names_are_guessed_by_what_recurs(tmp_path: Path) -> None:
    rows = [f"{word},{name}" for name, words in TEST.items() for word in [*words, f"{name} more"]]
    (tmp_path / "a.csv").write_text("\n".join(["Wort,Liste", *rows]))
    assert list(load_set(tmp_path / "a.csv", WeatSet).targets[0].words) == ["rose", "tulip", "flowers more"]


def test_a_group_that_stands_once_above_its_words_is_that_of_all_of_them(tmp_path: Path) -> None:
    rows = [
        f"{name if first else ''},{word}"
        for name, words in TEST.items()
        for first, word in zip((True, False), words, strict=True)
    ]
    for head in ("group,word", "Liste,Wort"):
        (tmp_path / "a.csv").write_text("\n".join([head, *rows]))
        with pytest.warns(UserWarning, match="an empty group is that above"):
            assert {group.name: list(group.words) for group in load_set(tmp_path / "a.csv", WeatSet).groups} == TEST


def test_a_short_list_beside_a_long_one_is_not_a_group(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("female,male\nshe,he\nwoman,man\n,boy\n,father\n,son\n,uncle\n")
    assert [len(group.words) for group in load_set(tmp_path / "a.csv", ClassSet).groups] == [2, 6]


def test_a_table_of_three_columns_without_usual_names_is_not_taken_for_lists(tmp_path: Path) -> None:
    rows = [f"{name},{word},{'a' * (n % 2)}" for name, words in TEST.items() for n, word in enumerate(words)]
    (tmp_path / "a.csv").write_text("\n".join(["Liste,Wort,Notiz", *rows]))
    with pytest.raises(StimuliError, match=r"values recur.* call the column of words 'word'.*'Liste', 'Wort', 'Notiz'"):
        load_set(tmp_path / "a.csv", ClassSet)


def test_the_only_column_without_numbers_is_that_of_the_words(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("occupation,share\nnurse,0.9\nclerk,0.5\n")
    assert load_set(tmp_path / "a.csv", WordSet).column("share") == {"nurse": 0.9, "clerk": 0.5}


@pytest.mark.parametrize("first", ["", "group,Wort\n"])  # a table without names of columns, and with only one known
def test_no_word_is_lost_where_the_columns_have_no_usual_names(first: str, tmp_path: Path) -> None:
    rows = [f"{name},{word}" for name, words in TEST.items() for word in [*words, f"{name} more"]]
    (tmp_path / "a.csv").write_text(first + "\n".join(rows))
    found = load_set(tmp_path / "a.csv", WeatSet)
    assert {group.name: list(group.words) for group in found.groups} == {n: [*w, f"{n} more"] for n, w in TEST.items()}


def test_the_two_lists_of_a_file_are_attributes_of_single_words(tmp_path: Path) -> None:
    (tmp_path / "sides.csv").write_text("women,men\nshe,he\nwoman,man\n")
    own: Any = {"chance": 0, "words": ["nurse", "engineer"]}
    a = aslant.wefat(aslant.load(), attributes=tmp_path / "sides.csv", **own)
    assert a.words == aslant.wefat(aslant.load(), attributes=(["she", "woman"], ["he", "man"]), **own).words
    assert [group.name for group in a.attributes] == ["women", "men"]


@pytest.mark.parametrize(
    ("file", "text", "kind", "said"),
    [
        ("a.csv", "", WordSet, "has no words"),
        ("a.txt", "# only a remark\n", WordSet, "has no words"),
        ("a.txt", "old:\nyoung:\ngirl\n", ClassSet, "no words follow 'old'; write one a line"),
        ("a.csv", "x,y\na,b\n", WeatSet, "a test needs two sets of targets and two of attributes"),
        ("a.csv", "word\nnurse\n", ClassSet, "classes need two"),
        ("a.csv", "word,share\nnurse,much\n", WordSet, "column 'share' has 'much', which is not a number"),
        ("a.csv", "word,share\na,x\nb,1\nc,y\n", WordSet, "column 'share' has 'x', 'y', which are not numbers"),
        ("a.csv", "female,male\nshe\na,b\n,he\n", PairSet, "there are not two words in row 2, 4"),
        ("a.csv", "x,x\na,b\n", ClassSet, "must name each column once"),
        ("a.csv", "female,male\nshe\n", PairSet, "there are not two words in row 2"),
        ("a.csv", 'a,b\n"unclosed', ClassSet, "is not a table"),
        ("a.json", "{", WordSet, "is not JSON"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_sentence(
    file: str, text: str, kind: type, said: str, tmp_path: Path
) -> None:
    (tmp_path / file).write_text(text)
    with pytest.raises(StimuliError, match=said):
        load_set(tmp_path / file, kind)


def test_measures_take_files_and_lists(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("flowers,insects\nrose,ant\ntulip,bee\nlily,wasp\n")
    v = aslant.load()
    a = aslant.weat(v, targets=tmp_path / "t.csv", attributes=["love,peace", "war,hatred"], bootstrap=0, chance=0)
    b = aslant.weat(
        v,
        targets=(["rose", "tulip", "lily"], ["ant", "bee", "wasp"]),
        attributes=(["love", "peace"], ["war", "hatred"]),
        bootstrap=0,
        chance=0,
    )
    assert a.effect_size == b.effect_size
    (tmp_path / "a.csv").write_text("good,bad\nlove,war\npeace,hatred\n")
    sets: Any = {"targets": (["rose", "tulip", "lily"], ["ant", "bee", "wasp"])}
    sets |= {"attributes": (["love", "peace"], ["war", "hatred"]), "chance": 0}
    files: Any = {"targets": str(tmp_path / "t.csv"), "attributes": tmp_path / "a.csv", "chance": 0}
    assert aslant.mac(v, **files).value == aslant.mac(v, **sets).value


def test_two_lists_of_one_name_and_files_that_are_missing_are_refused() -> None:
    with pytest.raises(StimuliError, match="two lists called 'old'"):
        given_lists(["old: aged", "old: elderly"])
    with pytest.raises(StimuliError, match=r"there is no file 'lists.csv'"):
        given_lists(["lists.csv"])


def test_json_of_a_published_test_is_left_to_its_own_reader(tmp_path: Path) -> None:
    groups = {k: {"category": k, "examples": ["a", "b"]} for k in ("targ1", "targ2", "attr1", "attr2")}
    (tmp_path / "t.json").write_text(json.dumps(groups))
    assert not is_lists(tmp_path / "t.json")


def test_spellings_of_a_name_mean_the_set_that_ships() -> None:
    for name in names():
        assert load_set(name.upper().replace("-", " ")) == load_set(name)


def test_a_role_that_is_neither_target_nor_attribute_is_named(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("group,word,role\na,x,target\nb,y,targets\nc,z,atribute\nd,w,attribute\n")
    with pytest.raises(StimuliError, match="column 'role' has 'atribute'; write target or attribute"):
        load_set(file, WeatSet)
