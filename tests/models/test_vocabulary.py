"""Vocabularies: read from whatever has one, lower-cased where no entry has a capital, never guessed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from aslant.errors import DataError
from aslant.models.vocabulary import open_vocabulary
from fake_lm import FakeMaskedLM


def written(folder: Path, *words: str, name: str = "vocab.txt") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("\n".join(words) + "\n", encoding="utf-8")
    return folder


def test_a_folder_with_a_vocab_txt_and_the_file_itself_are_the_same_vocabulary(tmp_path: Path) -> None:
    folder = written(tmp_path / "bert", "[UNK]", "[CLS]", "john", "nurse", "##se")
    for source in (folder, str(folder), folder / "vocab.txt"):
        known = open_vocabulary(source)
        assert [known.has(word) for word in ("John", "nurse", "se", "Mary", "UNK")] == [True, True, False, False, False]
    assert open_vocabulary(folder).fingerprint == open_vocabulary(folder / "vocab.txt").fingerprint


def test_capitals_count_where_an_entry_has_one(tmp_path: Path) -> None:
    known = open_vocabulary(written(tmp_path / "cased", "[UNK]", "John", "nurse"))
    assert [known.has(word) for word in ("John", "john", "nurse", "Nurse")] == [True, False, True, False]


def test_a_list_is_known_by_its_content(tmp_path: Path) -> None:
    file = written(tmp_path, "nurse", "", " clerk ", name="mine.txt") / "mine.txt"
    listed, given = open_vocabulary(file), open_vocabulary(["clerk", "nurse"])
    assert listed.fingerprint == given.fingerprint != open_vocabulary(["clerk"]).fingerprint
    assert listed.name == str(file)
    assert open_vocabulary(listed) is listed


def test_a_model_is_asked_itself() -> None:
    known = open_vocabulary(FakeMaskedLM(unknown=["aster"]))
    assert (known.has("aster"), known.has("rose"), known.name) == (False, True, "fake masked")


@pytest.mark.parametrize("kind", ["wordpiece-uncased", "wordpiece-cased", "byte-level", "unigram"])
def test_a_tokenizer_is_read_as_a_sentence_would_be(kind: str, tmp_path: Path) -> None:
    """A tokenizer.json alone: the words that the tokenizer itself leaves whole after another word."""
    pytest.importorskip("transformers")
    tiny_lms = pytest.importorskip("tiny_lms")
    tokenizer = tiny_lms.tokenizer(kind)
    tokenizer.save_pretrained(tmp_path / "model")
    known = open_vocabulary(tmp_path / "model" / "tokenizer.json")
    words = ["he", "He", "nurse", "doctor", "examiner", "Zebra", "ξ", "chief medical"]
    bare = {word: tokenizer.tokenize(f"is {word}")[len(tokenizer.tokenize("is")) :] for word in words}
    whole = {word: len(pieces) == 1 and tokenizer.unk_token not in pieces for word, pieces in bare.items()}
    assert {word: known.has(word) for word in words} == whole
    assert 1 < sum(whole.values()) < len(words)


@pytest.mark.parametrize(
    ("source", "words"),
    [([], "has no words"), (7, "has no vocabulary that can be read"), ("nowhere.txt", "there is no folder")],
)
def test_what_has_no_vocabulary_is_refused(source: object, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASLANT_OFFLINE", "1")
    with pytest.raises(DataError, match=words):
        open_vocabulary(source)


def test_a_vocab_txt_needs_neither_torch_nor_transformers(tmp_path: Path) -> None:
    folder = written(tmp_path / "bert", "[UNK]", "john")
    code = (
        "import sys\nfor name in ('torch', 'transformers', 'huggingface_hub'): sys.modules[name] = None\n"
        "from aslant.models.vocabulary import open_vocabulary\n"
        f"assert open_vocabulary({str(folder)!r}).has('John')"
    )
    run: Callable[..., subprocess.CompletedProcess[bytes]] = subprocess.run
    run([sys.executable, "-c", code], check=True)
