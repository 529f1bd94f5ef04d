"""A model that changed is always opened again: nothing that it is made of changes behind an unchanged stamp."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from aslant.auditing.model_list import Entry
from aslant.auditing.stamps import stamp_of

#: A source, and another file that its numbers come from; both relative to one folder.
OF_SEVERAL_FILES = [
    ("v.npy", "v.vocab"),
    ("v.kv", "v.kv.vectors.npy"),
    ("v", "v/tokenizer.json"),
    ("linked", "elsewhere/model.safetensors"),
    ("e/onnx/model.onnx", "e/tokenizer.json"),
    ("e/model.onnx", "e/tokenizer.json"),
    ("e/model.onnx", "e/weights"),
    ("elmo/small_options.json", "elmo/small_weights.hdf5"),
    ("histwords/1990-w.npy", "histwords/1990-vocab.pkl"),
]


def put(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"")
    os.utime(path, (time.time() - 60,) * 2)  # as if nobody were writing to it


@pytest.mark.parametrize(("source", "other"), OF_SEVERAL_FILES)
def test_a_change_in_any_file_of_a_model_shows(source: str, other: str, tmp_path: Path) -> None:
    if source == "linked":
        (tmp_path / source).mkdir()
        (tmp_path / source / "0_Transformer").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    elif Path(source).suffix:
        put(tmp_path / source)
    put(tmp_path / other)
    before = stamp_of(Entry("m", str(tmp_path / source)))
    (tmp_path / other).unlink()
    put(tmp_path / other)  # of the same size
    assert not before or before != stamp_of(Entry("m", str(tmp_path / source)))


def test_a_file_that_was_replaced_by_one_of_the_same_size_and_time_shows(tmp_path: Path) -> None:
    (path := tmp_path / "v.txt").write_text("a 1.0\nb 2.0\n")
    os.utime(path, (when := time.time() - 60, when))
    before = stamp_of(Entry("m", str(path)))
    assert before == stamp_of(Entry("m", str(path)))
    time.sleep(0.01)
    path.write_text("a 1.0\nb 3.0\n")
    os.utime(path, (when, when))
    assert before != stamp_of(Entry("m", str(path)))
