"""Opening text of any kind: what is read, how it is split, what is recorded."""

from __future__ import annotations

import bz2
import csv
import gzip
import json
import lzma
import os
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from backports import zstd

import aslant
from aslant.corpus import Query, sample_contexts
from aslant.corpus.corpus import TextFile
from aslant.corpus.splitting import splitter
from aslant.errors import CorpusError
from aslant.io.packed_files import Location
from attacks import tar_of

LINES = ["A nurse slept.", "He is a clerk.", "Für “alle”!"]
TEXT = "\n".join(LINES) + "\n"


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
    return path


def test_a_file_of_lines_is_read_as_often_as_wanted(tmp_path: Path) -> None:
    corpus = aslant.load_corpus(written(tmp_path / "a.txt", TEXT))
    assert corpus.too_long is None
    assert list(corpus) == list(corpus) == LINES
    assert (corpus.name, corpus.kind, corpus.bytes, corpus.too_long) == ("a.txt", "text", len(TEXT.encode()), 0)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\n\n"])
def test_line_ends_of_every_kind_are_understood(tmp_path: Path, end: str) -> None:
    assert list(aslant.load_corpus(written(tmp_path / "a.txt", f"\ufeff{end.join(LINES)}"))) == LINES


def test_packed_files_are_read_through(tmp_path: Path) -> None:
    data = TEXT.encode()
    packed = {
        "a.txt.gz": gzip.compress(data),
        "a.txt.bz2": bz2.compress(data),
        "a.txt.xz": lzma.compress(data),
        "a.txt.zst": zstd.compress(data),
        "unknown": gzip.compress(data),
    }
    for name, content in packed.items():
        (tmp_path / name).write_bytes(content)
        assert list(aslant.load_corpus(tmp_path / name)) == LINES
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("one.txt", data)
        archive.writestr("two.txt", "Other.")
    assert list(aslant.load_corpus(tmp_path / "a.zip" / "one.txt")) == LINES


@pytest.mark.parametrize(("name", "mode"), [("a.tgz", "w:gz"), ("a.tar.xz", "w:xz"), ("a.tar", "w")])
def test_a_file_in_a_tar_archive_is_read_through(tmp_path: Path, name: str, mode: str) -> None:
    members = {"other.txt": b"Other." * 500, "./texts/one.en": TEXT.encode(), "last.txt": b"Last."}
    (tmp_path / name).write_bytes(tar_of(members, mode))
    corpus = aslant.load_corpus(tmp_path / name / "texts" / "one.en")
    assert list(corpus) == list(corpus) == LINES
    assert corpus.record()["files"][0]["file"] == "one.en"
    for source, problem in (
        (tmp_path / name, f"'{name}' is a tar archive; name one of its files, such as '{name}/other.txt'"),
        (tmp_path / name / "none.txt", f"'{name}' has no 'none.txt'; name one of its files"),
    ):
        with pytest.raises(CorpusError, match=problem):
            aslant.load_corpus(source)


def test_the_archive_of_wmt18_is_known_by_its_name(tmp_path: Path) -> None:
    folder = "training-parallel-nc-v13/news-commentary-v13"
    members = {f"{folder}.{pair}": b"Nicht dies.\n" for pair in ("cs-en.cs", "cs-en.en", "de-en.de")}
    archive = tmp_path / "training-parallel-nc-v13.tgz"
    archive.write_bytes(tar_of({**members, f"{folder}.de-en.en": TEXT.encode()}))
    corpus = aslant.load_corpus([str(archive)])
    assert list(corpus) == LINES
    assert (corpus.name, corpus.files[0].label) == (archive.name, "news-commentary-v13.de-en.en")
    assert aslant.load_corpus(archive).fingerprint == corpus.fingerprint


def test_other_encodings_are_read_when_named(tmp_path: Path) -> None:
    for encoding in ("latin-1", "utf-16"):
        (tmp_path / "a.txt").write_bytes("Für alle.\nÄrzte.".encode(encoding))
        assert list(aslant.load_corpus(tmp_path / "a.txt", encoding=encoding)) == ["Für alle.", "Ärzte."]


def test_a_folder_is_read_in_order_without_what_is_hidden_or_no_text(tmp_path: Path) -> None:
    for name in ("b.txt", "a/c.txt", "wiki_00", ".hidden.txt", ".git/d.txt", "LICENSE", "README.md", "photo.jpg"):
        written(tmp_path / name, f"This is {name}.")
    (tmp_path / "a" / "gz.txt.gz").write_bytes(gzip.compress(b"Packed text."))
    written(tmp_path / "a" / "empty.txt", "")
    corpus = aslant.load_corpus(tmp_path)
    assert list(corpus) == ["This is a/c.txt.", "Packed text.", "This is b.txt.", "This is wiki_00."]
    record = corpus.record()
    assert [file["file"] for file in record["files"]] == ["a/c.txt", "a/empty.txt", "a/gz.txt.gz", "b.txt", "wiki_00"]
    assert record["passed_over"] == ["LICENSE", "README.md", "photo.jpg"]


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_a_loop_of_links_ends(tmp_path: Path) -> None:
    written(tmp_path / "sub" / "a.txt", TEXT)
    (tmp_path / "sub" / "up").symlink_to(tmp_path)
    (tmp_path / "sub" / "nowhere.txt").symlink_to(tmp_path / "none")
    assert list(aslant.load_corpus(tmp_path)) == LINES


def test_running_text_is_split_and_lines_are_left_alone(tmp_path: Path) -> None:
    running = "Dr. Roe slept. She dreamt of St. Louis.\nHe left at 3.5 p.m. It was late.\n"
    path = written(tmp_path / "a.txt", running)
    corpus = aslant.load_corpus(path)
    split = ["Dr. Roe slept.", "She dreamt of St. Louis.", "He left at 3.5 p.m.", "It was late."]
    assert list(corpus) == split
    assert corpus.record()["files"][0]["split"] == "sentences"
    assert list(aslant.load_corpus(path, split="lines")) == running.splitlines()
    assert aslant.load_corpus(written(tmp_path / "b.txt", TEXT)).files[0].split == "lines"


def test_wrapped_text_is_joined_to_paragraphs(tmp_path: Path) -> None:
    paragraph = (
        "It was the best of times, it was the worst of times, it was\n"
        "the age of wisdom, it was the age of foolishness. It was the\n"
        "epoch of belief, it was the epoch of incredulity. The season\n"
        "of light came, and after it, as ever, the season of darkness\n"
        "fell.\n"
    )
    corpus = aslant.load_corpus(written(tmp_path / "a.txt", f"{paragraph}\n{paragraph}"))
    found = list(corpus)
    assert corpus.files[0].split == "paragraphs"
    assert len(found) == 6
    assert found[1] == "It was the epoch of belief, it was the epoch of incredulity."
    assert found[5].endswith("darkness fell.")


def test_lower_case_lines_without_stops_stay_lines(tmp_path: Path) -> None:
    lines = [
        "the cat sat",
        "a nurse works at the hospital in the middle of the town",
        "he left early",
        "they saw it all",
    ]
    assert list(aslant.load_corpus(written(tmp_path / "a.txt", "\n".join(lines * 20)))) == lines * 20
    alike = ["he was a good clerk in the town", "she was a fine nurse in the town"] * 400
    assert list(aslant.load_corpus(written(tmp_path / "b.txt", "\n".join(alike)))) == alike


def test_each_file_of_a_folder_is_looked_at_by_itself(tmp_path: Path) -> None:
    written(tmp_path / "lines.txt", TEXT)
    written(tmp_path / "running.txt", "One is here. Two is here. Three is here.")
    assert [file.split for file in aslant.load_corpus(tmp_path).files] == ["lines", "sentences"]


def test_columns_of_tables_are_found_or_named(tmp_path: Path) -> None:
    tsv = written(tmp_path / "a.tsv", 'ID\tText\tOther\r\n1\tA "nurse slept.\tx\r\n2\t"Say ""no"" now."\ty\r\n')
    assert list(aslant.load_corpus(tsv)) == ['A "nurse slept.', 'Say "no" now.']
    assert list(aslant.load_corpus(tsv, column="Other")) == ["x", "y"]
    with (tmp_path / "a.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["sentence", "n"], ["One, two.\nThree.", 1], ['Say "no".', 2]])
    assert list(aslant.load_corpus(tmp_path / "a.csv", split="lines")) == ["One, two. Three.", 'Say "no".']
    assert list(aslant.load_corpus(tmp_path / "a.csv", split="sentences")) == ["One, two.", "Three.", 'Say "no".']
    assert aslant.load_corpus(tmp_path / "a.csv").kind == "table"
    plain = written(tmp_path / "table.txt", "ID\tbody\n1\tA nurse.\n")
    assert list(aslant.load_corpus(plain, column="body")) == ["A nurse."]


def test_strings_in_json_are_found(tmp_path: Path) -> None:
    nested = {"jobs": {"nurse": ["A nurse slept.", "She left."], "clerk": [["He is a clerk."]]}, "n": 3, "none": None}
    bold = written(tmp_path / "bold.json", json.dumps(nested))
    assert list(aslant.load_corpus(bold)) == ["A nurse slept.", "She left.", "He is a clerk."]
    records = [{"id": "x1", "text": "A nurse."}, {"id": "x2", "text": ["He.", "She."], "tags": ["t"]}, {"text": None}]
    for name, content in (
        ("a.json", "\ufeff" + json.dumps(records)),
        ("a.jsonl", "\n".join(json.dumps(record) for record in records)),
    ):
        path = written(tmp_path / name, content)
        assert list(aslant.load_corpus(path)) == ["A nurse.", "He.", "She."]
        assert list(aslant.load_corpus(path, column="id")) == ["x1", "x2"]
    assert list(aslant.load_corpus(written(tmp_path / "s.jsonl", '"One."\n"Two \\u00fc."\n'))) == ["One.", "Two ü."]


def test_several_sources_are_one_corpus_and_a_column_is_used_where_there_is_one(tmp_path: Path) -> None:
    tsv = written(tmp_path / "gap.tsv", "ID\tText\n1\tA nurse.\n")
    bold = written(tmp_path / "bold.json", '{"a": {"b": ["He left."]}}')
    corpus = aslant.load_corpus([str(tsv), bold, aslant.load_corpus(["Mine."])], column="Text", name="both")
    assert list(corpus) == ["A nurse.", "He left.", "Mine."]
    assert (corpus.name, corpus.kind) == ("both", "mixed")


def test_sentences_that_a_user_has_are_taken() -> None:
    corpus = aslant.load_corpus(("A nurse slept.", "He left."))
    assert (list(corpus), corpus.kind, corpus.bytes) == (["A nurse slept.", "He left."], "given", 0)
    assert list(aslant.load_corpus({"Only one.": 1}.keys())) == ["Only one."]


def test_other_languages_are_split_by_plain_rules() -> None:
    german = ["Sie kam am 3. Mai. Er ging. War es spät? Ja!"] * 3
    assert list(aslant.load_corpus(german, language="de"))[:4] == [
        "Sie kam am 3. Mai.",
        "Er ging.",
        "War es spät?",
        "Ja!",
    ]
    assert list(aslant.load_corpus(["你好。世界。再见。"], language="zh")) == ["你好。", "世界。", "再见。"]


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        ("de", ["Er ging.", "Österreich ist schön.", "Ärzte kamen."]),
        ("de", ["J. Roe kam im Jahr 1990 an...", "Dann z. b. nicht mehr!", "Wirklich!!", "Ja."]),
        ("ru", ["Он ушёл.", "Она осталась.", "Было поздно."]),
        ("fr", ["Il part.", "Élise reste.", "“À demain!”", "Bien."]),
        ("es", ["Se fue.", "¿Quién?", "Él vino."]),
        ("hi", ["वह गया।", "वह आई।"]),
    ],
)
def test_a_sentence_may_begin_with_a_capital_of_any_alphabet(language: str, sentences: list[str]) -> None:
    assert list(aslant.load_corpus([" ".join(sentences)], language=language)) == sentences


@pytest.mark.parametrize(
    "odd", ["." * 300_000, "a" + "!" * 300_000 + "b", "Ende. " + " " * 300_000 + "a", ". " * 9_000]
)
def test_text_of_marks_and_spaces_is_split_in_no_time(odd: str) -> None:
    assert len(splitter("de")(odd)) <= 9_000  # hours, if every mark were tried with all that follow


def test_little_is_looked_at_to_find_out_how_long_lines_are_split(tmp_path: Path) -> None:
    path = written(tmp_path / "a.txt", ("One sentence. " * 30_000 + "\n") * 10)
    looked_at = TextFile(Location(path), "a.txt", "text", "utf-8").first_lines()
    assert len(looked_at) == 3


def test_long_sentences_are_left_out_and_counted(tmp_path: Path) -> None:
    long = "very " * 400 + "long."
    path = written(tmp_path / "a.txt", f"Short one.\n{long}\nAnother one.\n")
    corpus = aslant.load_corpus(path, longest=1000)
    assert list(corpus) == ["Short one.", "Another one."]
    assert corpus.too_long == corpus.record()["too_long"] == 1
    assert len(list(aslant.load_corpus(path))) == 3


@pytest.mark.parametrize("split", ["lines", "sentences", "paragraphs"])
def test_an_endless_line_takes_little_memory(tmp_path: Path, split: str) -> None:
    path = tmp_path / "a.txt.gz"
    endless = b"Before it.\n\n" + b"word " * 600_000 + b"end.\n\nAfter it.\n"
    path.write_bytes(gzip.compress(endless, 1))
    corpus = aslant.load_corpus(path, split=split)
    tracemalloc.start()
    assert list(corpus) == ["Before it.", "After it."]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert corpus.too_long == 1
    assert peak < (16e6 if split == "lines" else 60e6)


def test_running_text_in_one_long_line_loses_no_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = [f"This is sentence number {n} of them." for n in range(3000)]
    path = written(tmp_path / "a.txt", " ".join(expected))
    monkeypatch.setattr("aslant.corpus.reading.PIECE", 1000)
    monkeypatch.setattr("aslant.corpus.reading.BLOCK", 300)
    assert list(aslant.load_corpus(path)) == expected
    wrapped = written(tmp_path / "b.txt", " ".join(expected).replace(" of", "\nof"))
    monkeypatch.setattr("aslant.corpus.splitting.PIECE", 1000)
    assert list(aslant.load_corpus(wrapped, split="paragraphs")) == expected


def test_the_fingerprint_is_that_of_the_content(tmp_path: Path) -> None:
    one, same = written(tmp_path / "a.txt", TEXT), written(tmp_path / "b.txt", TEXT)
    other = written(tmp_path / "c.txt", TEXT.replace("nurse", "Nurse"))
    prints = [aslant.load_corpus(path).fingerprint for path in (one, same, other)]
    assert prints[0] == prints[1] != prints[2]
    assert aslant.load_corpus(["One.", "Two."]).fingerprint != aslant.load_corpus(["One.Two."]).fingerprint


def test_the_record_is_plain_data(tmp_path: Path) -> None:
    record = aslant.load_corpus(written(tmp_path / "a.txt", TEXT)).record()
    assert json.loads(json.dumps(record)) == record
    assert record["settings"] == {
        "column": None, "split": "auto", "language": "en", "longest": 10_000, "encoding": "utf-8"
    }  # fmt: skip


def test_data_are_found_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    registry = written(
        tmp_path / "registry" / "my-texts.toml",
        'title = "t"\nkind = "corpus"\nlicence = "l"\ncitation = "c"\n'
        '[[sources]]\nby_hand = "write it"\n[[sources.files]]\nname = "a.txt"\n',
    )
    monkeypatch.setenv("ASLANT_REGISTRY", str(registry.parent))
    monkeypatch.setenv("ASLANT_DATA", str(tmp_path / "data"))
    written(tmp_path / "data" / "my-texts" / "a.txt", TEXT)
    assert list(aslant.load_corpus("my-texts")) == LINES


@pytest.fixture
def two_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Data named "first-texts" and "second-texts", one sentence each."""
    entry = 'title = "t"\nkind = "corpus"\nlicence = "l"\ncitation = "c"\n[[sources]]\nby_hand = "write it"\n'
    for name in ("first", "second"):
        path = tmp_path / "registry" / f"{name}-texts.toml"
        written(path, f'{entry}[[sources.files]]\nname = "{name}.txt"\n')
        written(tmp_path / "data" / f"{name}-texts" / f"{name}.txt", f"The {name} slept.")
    monkeypatch.setenv("ASLANT_REGISTRY", str(tmp_path / "registry"))
    monkeypatch.setenv("ASLANT_DATA", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("two_names")
@pytest.mark.parametrize("items", ["auto", "names"])
def test_several_data_names_are_one_corpus_and_not_sentences(items: str, tmp_path: Path) -> None:
    written(tmp_path / "my news.txt", "It rained.")
    corpus = aslant.load_corpus(["first-texts", "my news.txt", "second-texts"], items=items)
    assert list(corpus) == ["The first slept.", "It rained.", "The second slept."]
    assert corpus.name == "first-texts + my news.txt + second-texts"
    assert list(aslant.load_corpus(("first-texts",), items=items)) == ["The first slept."]


@pytest.mark.usefixtures("two_names")
def test_a_word_among_sentences_is_a_sentence_unless_something_has_its_name() -> None:
    assert list(aslant.load_corpus(["Introduction", "A nurse slept."])) == ["Introduction", "A nurse slept."]
    texts = ["first-texts", "A nurse slept."]
    assert list(aslant.load_corpus(texts, items="texts")) == texts
    assert list(aslant.load_corpus(["Introduction", "Nurses"], items="texts")) == ["Introduction", "Nurses"]


def test_gap_is_read_by_its_header_and_split(real_data: Path) -> None:
    corpus = aslant.load_corpus(real_data / "gap")
    assert [(file.column, file.split) for file in corpus.files] == [("Text", "sentences")] * 3
    texts = aslant.load_corpus(real_data / "gap", split="lines")
    assert sum(1 for _ in texts) == 4454
    found = sample_contexts(corpus, {"q": Query(("she", "he", "zzzz"), 50)})
    assert 12_900 < found.sentences < 13_400
    assert found.contexts["q"].missing == ("zzzz",)
    assert {context.word.lower() for context in found.contexts["q"].by_word["she"]} == {"she"}


def test_bold_gives_every_string_of_its_lists(real_data: Path) -> None:
    corpus = aslant.load_corpus(real_data / "bold")
    assert len(corpus.files) == 5
    assert {file.split for file in corpus.files} == {"lines"}
    expected: list[str] = []
    for path in sorted((real_data / "bold").glob("*.json")):
        domains = json.loads(path.read_text(encoding="utf-8"))
        expected += [text for domain in domains.values() for texts in domain.values() for text in texts]
    assert len(expected) == 23_679
    assert list(corpus) == [" ".join(text.split("\n")).strip() for text in expected if text.strip()]
    both = aslant.load_corpus([real_data / "gap" / "gap-test.tsv", real_data / "bold"])
    assert both.kind == "mixed"
