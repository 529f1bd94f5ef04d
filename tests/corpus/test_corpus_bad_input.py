"""What is not text, or not the text that was meant, is refused in one sentence."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import aslant
from aslant.errors import CorpusError, DataError

LONG_TSV = "ID\tText\n1\t" + "x" * 3_000_000


def refused(source: Any, problem: str, **settings: Any) -> None:
    with pytest.raises(CorpusError, match=problem) as caught:
        for _ in aslant.load_corpus(source, **settings):
            pass
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "settings", "problem"),
    [
        ("a.txt", b"", {}, "there is no text"),
        ("a.txt", b" \n\n \t\n", {}, "there is no text"),
        ("a.tsv", b"", {}, "there is no text"),
        ("a.tsv", b"ID\tText\n", {}, "there is no text"),
        ("a.json", b"[1, 2, {}]", {}, "there is no text"),
        ("a.txt", b"fine\nalso f\xfcr\n", {}, r"not utf-8: byte 11 \(line 2\) is 0xfc; if it is text"),
        ("a.txt", b"\xef\xbb\xbfok\n\xff", {}, r"byte 6 \(line 2\) is 0xff"),
        ("a.txt", b"fine\n" * 100_000 + b"\xe4bc", {}, r"byte 500,000 \(line 100,001\) is 0xe4"),
        ("a.txt", b"cut off \xe2\x82", {}, r"byte 8 \(line 1\) is 0xe2"),
        ("a.txt", b"PNG\n\x00\x01\x02", {}, "is not text: line 2 holds a zero byte"),
        ("a.txt", "für".encode("utf-16"), {}, "is UTF-16"),
        ("a.txt", b"A nurse.", {"encoding": "no-such"}, "there is no encoding 'no-such'"),
        ("a.txt", b"A nurse.", {"encoding": "base64"}, "there is no encoding 'base64'"),
        ("a.txt", b"A nurse.", {"column": "Text"}, "'a.txt' is plain text and has no column 'Text'"),
        ("a.tsv", b"ID\tText\n1\tA.\n", {"column": "Txt"}, "no column 'Txt'; did you mean 'Text'. It has: ID, Text"),
        ("a.tsv", b"ID\tText\n1\tA.\n", {"column": "x"}, "no column 'x'; it has: ID, Text"),
        ("a.tsv", b"ID\tBody\n1\tA.\n", {}, "has the columns ID, Body; name the one"),
        ("a.tsv", b"ID\tText\n1\tA.\n2\n", {}, "row 2 of 'a.tsv' has 1 columns, its header 2"),
        ("a.tsv", LONG_TSV.encode(), {}, "is too long for a row"),
        ("a.csv", b'Text,n\n"open,1\nA.,2\n', {}, "is not a usable table: line 3"),
        ("a.csv", b'Text,n\n"' + b"x\n" * 100_000, {}, "is not a usable table: line"),
        ("a.json", b'{"a": ["x", ', {}, "is not valid JSON"),
        ("a.json", b"no json", {}, "is not valid JSON"),
        ("a.json", b'["f\xfcr"]', {}, "is not valid JSON"),
        ("a.json", b'[{"id": "x", "body": "A."}]', {}, "has the columns id, body; name the one"),
        ("a.jsonl", b'{"id": "x", "body": "A."}', {"column": "bodi"}, "no column 'bodi'; did you mean 'body'"),
        ("a.txt.gz", b"\x1f\x8b\x08\x00" + b"no gzip" * 99, {}, "cannot be unpacked as gzip"),
        ("a.txt.gz", gzip.compress(b"A nurse. " * 100_000)[:-20], {}, "ends in the middle of its gzip data"),
        ("a.txt", b"A nurse.", {"split": "words"}, "split is 'words'"),
        ("a.txt", b"A nurse.", {"longest": 0}, "longest is 0"),
        ("a.txt", b"A nurse.", {"longest": True}, "longest is True"),
        ("a.txt", b"A nurse.", {"language": "english"}, "language is 'english'"),
        ("a.txt", b"A nurse.", {"column": 2}, "column is 2"),
    ],
)  # fmt: skip
def test_bad_files_are_refused(
    tmp_path: Path, name: str, content: bytes, settings: dict[str, Any], problem: str
) -> None:
    (tmp_path / name).write_bytes(content)
    refused(tmp_path / name, problem, **settings)


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (42, "cannot read text from a int"),
        (b"bytes", "cannot read text from a bytes"),
        (None, "cannot read text from a NoneType"),
        ([], "no text was given"),
        (["", "  "], "no text was given"),
        (["A nurse.", 3], "item 2 is a int"),
        ((text for text in ["A."]), "a generator can be read only once"),
        ("no-such.txt", "there is no file 'no-such.txt'"),
        (["no-such.txt"], "there is no file 'no-such.txt'"),
        (["no-such.txt", "A sentence."], "some items are files"),
        ("bald", "did you mean bold"),
        (["gap", "bald"], "there is no file 'bald', nor data of that name; did you mean bold.* say items='texts'"),
        (["nurse", "clerk"], "there is no file 'nurse', nor data of that name"),
        (["gap", "A sentence."], r"some items are files or data \('gap'\), others are not \('A sentence.'\)"),
        (["gap", 3], r"some items are files or data \('gap'\), others are not \(3\)"),
    ],
)
def test_sources_that_are_none_are_refused(source: Any, problem: str) -> None:
    refused(source, problem)


@pytest.mark.parametrize(
    ("source", "items", "problem"),
    [
        (["no such file.txt", "nor this"], "names", r"there is no file 'no such file\.txt'.*shows the names\)\."),
        (["She slept."], "names", "there is no file 'She slept.'"),
        (["no-such.txt", 3], "names", "there is no file 'no-such.txt'"),
        ([3], "names", "item 1 is a int, not a name"),
        ("She slept.", "texts", "'She slept.' is not a list of texts"),
        (["She slept."], "words", "items is 'words'; give 'auto', 'names' or 'texts'."),
    ],
)  # fmt: skip
def test_what_the_items_of_a_list_are_can_be_said(source: Any, items: str, problem: str) -> None:
    refused(source, problem, items=items)


def test_nothing_is_fetched_where_one_of_several_names_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr("aslant.data.fetching.fetch", lambda name, **_: asked.append(name))
    refused(["gap", "no-such.txt"], "there is no file 'no-such.txt'")
    assert asked == []


def test_a_column_for_given_texts_is_refused() -> None:
    refused(["A nurse."], "have no columns", column="Text")


def test_a_folder_without_text_is_refused(tmp_path: Path) -> None:
    refused(tmp_path, "holds no text files")
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8")
    refused(tmp_path, "holds no text files")


def test_a_bad_file_in_a_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("A nurse.")
    (tmp_path / "b.txt").write_bytes(b"\x00\x01")
    refused(tmp_path, "'b.txt' is not text")


def test_data_of_another_kind_are_refused() -> None:
    with pytest.raises(DataError, match="is data of kind 'vectors'"):
        aslant.load_corpus("glove-6b-50d")


def test_json_that_is_deeply_nested_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[" * 50_000 + '"A nurse."' + "]" * 50_000)
    assert list(aslant.load_corpus(tmp_path / "a.json")) == ["A nurse."]


def test_a_fault_far_into_a_file_is_met_when_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("\n".join([json.dumps({"text": "A nurse."})] * 2000) + "\n{bad")
    corpus = aslant.load_corpus(tmp_path / "a.jsonl")
    with pytest.raises(CorpusError, match="is not valid JSON"):
        list(corpus)
    assert corpus.too_long is None


def test_a_file_that_has_gone_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("A nurse.")
    corpus = aslant.load_corpus(tmp_path / "a.txt")
    (tmp_path / "a.txt").unlink()
    with pytest.raises(CorpusError, match="cannot open"):
        list(corpus)
    with pytest.raises(CorpusError, match="cannot open"):
        corpus.record()


def test_an_empty_name_is_not_the_folder_one_is_in() -> None:
    refused("", "the name of the corpus is empty")


def test_a_file_that_cannot_be_read_is_one_error() -> None:
    memory = Path("/proc/self/mem")
    if not memory.is_file():
        pytest.skip("no file here that opens and cannot be read")
    refused(memory, "cannot open '/proc/self/mem': Input/output error")
