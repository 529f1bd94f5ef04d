"""Attacks by files that are read whole: word sets, policies, reports, names, answers, requests of runs."""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import aslant
from aslant.auditing.model_list import read_list
from aslant.auditing.policy import parse_policy, read_policy, read_report
from aslant.auditing.store import is_store
from aslant.data.registry import parse_entry
from aslant.errors import AslantError, StimuliError
from aslant.io.keeper import Keeper
from aslant.io.reading import read_bytes
from aslant.measures.descriptors.stimuli import holistic_set
from aslant.measures.enumeration.measure import name_table
from aslant.measures.generated_texts.writing import prompts_of
from aslant.measures.histories.sources import files_by_year
from aslant.measures.paired_sentences.measure import pair_set
from aslant.measures.pronouns_chosen.measure import pronoun_set
from aslant.measures.pronouns_resolved.gap_files import read_file as read_gap_file
from aslant.measures.questions.stimuli import bbq_set
from aslant.measures.similarities.measure import read_pairs
from aslant.measures.template_tests.stimuli import read_attributes
from aslant.stimuli import load_set
from aslant.stimuli.loading import parse_set
from aslant.stimuli.name_files import read_names
from aslant.stimuli.pronoun_sets import lines_of
from attacks import Runs, is_one_sentence

READERS: dict[str, Callable[[Path], Any]] = {
    "models.txt": read_list,
    "models.toml": read_list,
    "store.db": lambda path: aslant.ResultsStore(path).audits(),
    "store to add to.db": lambda path: aslant.ResultsStore(path).check_writable(),
    "word set.toml": load_set,
    "policy.toml": read_policy,
    "report.json": read_report,
    "names.txt": read_names,
    "names.csv": read_names,
    "attributes.txt": read_attributes,
    "gap.tsv": read_gap_file,
    "pairs.tsv": read_pairs,
    "sentences.txt": lines_of,
}
every_reader = pytest.mark.parametrize("name", READERS)


@every_reader
@pytest.mark.parametrize("kind", ["pipe", "endless device", "folder", "nowhere", "circle"])
def test_what_is_no_regular_file_is_one_sentence_at_once(name: str, kind: str, tmp_path: Path) -> None:
    path = tmp_path / name
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "endless device":
            path.symlink_to("/dev/zero")
        case "folder":
            path.mkdir()
        case "nowhere":
            path.symlink_to(tmp_path / "none")
        case _:
            path.symlink_to(path)
    with pytest.raises(AslantError) as caught:
        READERS[name](path)
    is_one_sentence(str(caught.value))


HOSTILE = {
    "nothing": b"",
    "zero bytes": b"\0" * 1000,
    "not UTF-8": b"\xff\xfe\xed\xa0\x80",
    "nested": b"[" * 200_000,
    "nested records": b'{"a":' * 200_000,
    "a long field": b'name,x\n"' + b"a" * 200_000 + b'",1\n',
    "a quote without end": b'name,x\n"' + b"a\n" * 100_000,
    "a huge number": b"x = " + b"9" * 5000,
    "a huge number in JSON": b"[" + b"9" * 5000 + b"]",
    "a line without end": b"a" * 1_000_000,
}


@every_reader
@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_hostile_content_is_one_sentence_or_read_as_words(name: str, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    said = ""
    try:
        READERS[name](path)
    except AslantError as error:
        said = str(error)
    assert "\n" not in said


def test_a_file_larger_than_its_kind_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "big.toml"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    for reader in READERS.values():
        with pytest.raises(AslantError, match=r"is larger than|is not a store of results"):
            reader(path)
    with pytest.raises(AslantError, match="is larger than 0 MB"):
        read_bytes(tmp_path / "big.toml", most=10)


KEYS = {
    "dotted": ".".join(["a"] * 500_000) + " = 1",
    "quoted": ".".join(['"a"'] * 200_000) + " = 1",
    "spaced": " . ".join(["a"] * 200_000) + " = 1",
    "a table's": "[" + ".".join(["a"] * 200_000) + "]",
    "many": "\n".join(".".join(["a"] * 60 + [f"b{i}"]) + " = 1" for i in range(20_000)),
}


@pytest.mark.parametrize("text", KEYS.values(), ids=KEYS)
def test_toml_made_to_take_for_ever_is_refused_at_once(text: str) -> None:
    for parse in (lambda: parse_set(text, "x"), lambda: parse_policy(text, "x"), lambda: parse_entry(text, "x")):
        with pytest.raises(AslantError, match="key of over 50 parts"):
            parse()


def test_toml_with_a_key_twice_is_refused() -> None:
    with pytest.raises(AslantError, match="not a usable policy"):
        parse_policy('name = "a"\nname = "b"\n', "x")


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    return aslant.audit(only=["weat"], profile="quick").to_dict()


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 400, "9" * 5000, '"1"', "[]"])
def test_a_report_with_numbers_that_are_none_is_refused(number: str, report: dict[str, Any], tmp_path: Path) -> None:
    text = json.dumps({**report, "glance": [{**report["glance"][0], "effect": "@@"}]}).replace('"@@"', number)
    (tmp_path / "r.json").write_text(text)
    with pytest.raises(AslantError) as caught:
        read_report(tmp_path / "r.json")
    is_one_sentence(str(caught.value))


def test_half_a_pair_in_a_report_comes_back_and_is_written_as_valid_json(report: dict[str, Any]) -> None:
    content = json.loads(json.dumps(report))
    content["representation"]["name"] = "a\ud800\x9b2J\u202e\x1b"
    text = aslant.AuditResult.from_dict(content).to_json()
    text.encode("utf-8")
    assert not any(character in text for character in "\ud800\x9b\u202e\x1b")
    assert json.loads(text)["representation"]["name"] == content["representation"]["name"]


def test_a_run_folder_cannot_have_pickles_opened(tmp_path: Path, run: Any) -> None:
    mark = tmp_path / "it-was-run"
    (tmp_path / "v.kv").write_bytes(pickle.dumps(Runs(mark)))
    (tmp_path / "folder").mkdir()
    request = {
        "models": [str(tmp_path / "v.kv")], "output": str(tmp_path / "out"),
        "settings": {"allow_pickle": True, "profile": "quick", "only": ["weat"]},
    }  # fmt: skip
    Keeper(tmp_path / "folder").keep({"request": json.dumps(request).encode()})
    answer = run("audit", "--resume", "folder")
    assert answer.returncode == 2
    assert "add --allow-pickle" in answer.stderr
    request["settings"] = {"seed": "no such"}
    Keeper(tmp_path / "folder").keep({"request": json.dumps(request).encode()})
    answer = run("audit", "--resume", "folder")
    assert (answer.returncode, answer.stderr.count("\n")) == (2, 1)
    assert not mark.exists()


def test_a_parquet_file_that_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    import polars as pl

    pl.DataFrame({"name": ["Ann"] * 50, "n": [2000] * 50}).write_parquet(tmp_path / "n.parquet")
    assert read_names(tmp_path / "n.parquet").names == ("Ann",)
    (tmp_path / "n.parquet").write_bytes(b"PAR1" + b"\xff" * 200 + b"\x64\0\0\0PAR1")
    with pytest.raises(AslantError, match="cannot be read"):
        read_names(tmp_path / "n.parquet")


@pytest.mark.parametrize("name", ["a" * 400, "~nobody-of-that-name/x"], ids=["too long", "no home"])
@pytest.mark.parametrize(
    "opened", [pair_set, pronoun_set, holistic_set, bbq_set, prompts_of, name_table], ids=lambda f: f.__name__
)
def test_what_cannot_be_a_path_is_not_there_and_no_traceback(opened: Callable[[str], Any], name: str) -> None:
    with pytest.raises(StimuliError, match=r"^there is no (file |folder )?'"):
        opened(name)


def test_nor_is_a_store_or_an_embedding_of_a_year_with_such_a_name() -> None:
    assert not is_store(Path("a" * 400))
    with pytest.raises(AslantError, match=r"^there is no file '"):
        files_by_year([Path("a" * 400)])
