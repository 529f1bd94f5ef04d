"""A list of models says what it means, or is refused in one sentence before any work."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

import aslant
from aslant.auditing.model_list import AuditSettings, read_list
from aslant.errors import AslantError


@pytest.fixture
def folder(tmp_path: Path, tiny: aslant.WordVectors) -> Path:
    """Three files, and one in a folder."""
    for name in ("a.txt", "b.txt", "x=y.txt"):
        tiny.save(tmp_path / name)
    (tmp_path / "inner").mkdir()
    tiny.save(tmp_path / "inner" / "c.txt")
    return tmp_path


def listed(folder: Path, text: str, name: str = "models.txt") -> list[tuple[str, str]]:
    (folder / name).write_text(text, encoding="utf-8")
    return [(entry.label, entry.source) for entry in read_list(folder / name)]


def test_lines_are_models_with_or_without_a_label(folder: Path) -> None:
    text = "\ufeff# ours\n\n  a.txt  \r\nlast month = b.txt\nnew=inner/c.txt\nsample\nmlm = sample-mlm\n  # no more\n"
    assert listed(folder, text) == [
        ("a.txt", str(folder / "a.txt")),
        ("last month", str(folder / "b.txt")),
        ("new", str(folder / "inner" / "c.txt")),
        ("sample", "sample"),
        ("mlm", "sample-mlm"),
    ]


def test_paths_are_relative_to_the_list_and_not_to_where_one_stands(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder / "inner")
    assert listed(folder, "a.txt\n") == [("a.txt", str(folder / "a.txt"))]
    with pytest.raises(AslantError, match=r"'c\.txt' is not next to the list"):
        listed(folder, "c.txt\n")


def test_a_path_may_have_an_equals_sign(folder: Path) -> None:
    assert listed(folder, "x=y.txt\n") == [("x=y.txt", str(folder / "x=y.txt"))]
    assert listed(folder, "z = x=y.txt\n") == [("z", str(folder / "x=y.txt"))]


def test_standard_input_is_a_list(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"x = a.txt\n")))
    [entry] = read_list("-")
    assert (entry.label, entry.source) == ("x", str(folder / "a.txt"))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff")))
    with pytest.raises(AslantError, match="not UTF-8"):
        read_list("-")


TOML = """
[[model]]
source = "a.txt"

[[model]]
name = "small"
source = "inner/c.txt"
top = 3
seed = 5
profile = "full"
only = "weat"
skip = ["polarity", "geometry"]
words = ["weat-6", "mine.toml"]
"""


def test_toml_sets_what_is_asked_of_each_model_and_leaves_the_rest(folder: Path) -> None:
    (folder / "mine.toml").write_text("")
    (folder / "models.toml").write_text(TOML)
    first, second = read_list(folder / "models.toml", AuditSettings(seed=2, device="cpu", allow_pickle=True))
    assert (first.label, first.settings) == ("a.txt", AuditSettings(seed=2, device="cpu", allow_pickle=True))
    asked = second.settings
    assert (second.label, asked.top, asked.seed, asked.profile, asked.device) == ("small", 3, 5, "full", "cpu")
    assert (asked.only, asked.skip) == (("weat",), ("polarity", "geometry"))
    assert asked.words == ("weat-6", str(folder / "mine.toml"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "names no model"),
        ("# nothing\n", "names no model"),
        ("a.txt\nnowhere.txt\n", r"'nowhere\.txt' of the list: there is no file 'nowhere\.txt'"),
        ("x = /no/such/file.bin\n", "'x' of the list: there is no file"),
        ("gap\n", "is data of the kind 'benchmark'"),
        ("glove-6b-50\n", "did you mean glove-6b-50d"),
        ("a.txt\na.txt\n", "two models of the list are called 'a.txt'"),
        ("x = a.txt\nx = b.txt\n", "two models of the list are called 'x'"),
        ("= a.txt\n", r"line 1 of '.*' is '= a\.txt'"),
        ("x =\n", "line 1 of '.*' is 'x ='"),
        (f"{'x' * 201} = a.txt\n", "up to 200 visible characters"),
        ("x\x1b[2J = a.txt\n", "visible characters"),
    ],
)
def test_a_list_that_cannot_be_used_is_one_sentence(folder: Path, text: str, words: str) -> None:
    with pytest.raises(AslantError, match=words) as caught:
        listed(folder, text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "model = 3",
        "[[model]]\nname = 'x'",
        "[[model]]\nsource = ''",
        "[[model]]\nsource = 'a.txt'\nallow_pickle = true",
        "[[model]]\nsource = 'a.txt'\ncache = false",
        "[[model]]\nsource = 'a.txt'\nprofile = 'slow'",
        "[[model]]\nsource = 'a.txt'\ntop = 0",
        "[[model]]\nsource = 'a.txt'\nseed = -1",
        "[[models]]\nsource = 'a.txt'",
        "[[model]\n",
    ],
)
def test_toml_that_says_what_nobody_may_say_is_refused(folder: Path, text: str) -> None:
    with pytest.raises(AslantError, match="not a usable list of models"):
        listed(folder, text, "models.toml")


def test_what_is_no_path_and_no_name_is_refused_in_python(tiny: aslant.WordVectors) -> None:
    with pytest.raises(AslantError, match="names no model"):
        read_list({"ours": tiny})
    with pytest.raises(AslantError, match="names no model"):
        read_list([])
