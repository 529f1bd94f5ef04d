"""Claims about keeping vectors: each text encoded once, a killed run goes on to the last bit, damage is no harm."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from aslant.errors import MeasureError
from aslant.io.keeper import FILE, Keeper
from aslant.models import Passage, vector_store
from aslant.models.vector_store import vectors_of
from fake_encoder import FakeEncoder

WORDS = ("nurse", "doctor", "clerk", "poet")


def passages(n: int, first: int = 0) -> list[Passage]:
    texts = [f"The {WORDS[i % 4]} saw number {i}." for i in range(first, first + n)]
    return [Passage(text, ((4, 4 + len(WORDS[i % 4])),)) for i, text in enumerate(texts, first)]


class BatchDependent(FakeEncoder):
    """Its vectors depend a little on which texts are encoded together, as those of a network do by rounding."""

    dies_after: int | None = None

    def span_vectors(self, passages: Sequence[Passage], **options: Any) -> Iterator[NDArray[np.float32]]:
        if self.dies_after is not None and self.passes >= self.dies_after:
            raise KeyboardInterrupt
        shift = np.float32(len(passages) + len(passages[0].text + passages[-1].text)) * np.float32(1e-7)
        for vectors in super().span_vectors(passages, **options):
            yield vectors + shift


@pytest.fixture(autouse=True)
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_store, "SHARD", 4)


def kept(store: Path) -> int:
    return len(Keeper(store).under(""))


def test_each_distinct_text_is_encoded_once_and_rows_follow_the_passages() -> None:
    encoder = FakeEncoder()
    text = "a man or a nurse"
    asked = [Passage(text, ((2, 5),)), Passage("x y", ()), Passage(text, ((11, 16), (2, 5))), *passages(3)]
    found = vectors_of(encoder, asked)
    assert encoder.passes == 4  # nothing is asked of "x y"
    plain = FakeEncoder()
    expected = [row for passage in asked for row in next(plain.span_vectors([passage]))]
    np.testing.assert_array_equal(found, np.array(expected))
    assert vectors_of(encoder, []).shape == (0, 64)


def test_what_is_kept_is_not_encoded_again_and_other_words_are_added(tmp_path: Path) -> None:
    first, later = FakeEncoder(), FakeEncoder()
    expected = vectors_of(first, passages(10), store=tmp_path)
    assert kept(tmp_path) == 10
    np.testing.assert_array_equal(vectors_of(later, passages(10)[::-1], store=tmp_path), expected[::-1])
    assert later.passes == 0
    other = [Passage(passage.text, (*passage.spans, (0, 3))) for passage in passages(12)]
    found = vectors_of(later, other, store=tmp_path)
    np.testing.assert_array_equal(found, vectors_of(FakeEncoder(), other))
    np.testing.assert_array_equal(found[:20:2], expected)


def test_encoders_of_another_fingerprint_share_nothing(tmp_path: Path) -> None:
    vectors_of(FakeEncoder(seed=0), passages(5), store=tmp_path)
    other = FakeEncoder(seed=1)
    np.testing.assert_array_equal(
        vectors_of(other, passages(5), store=tmp_path), vectors_of(FakeEncoder(seed=1), passages(5))
    )
    assert other.passes == 5


@pytest.mark.parametrize("done", [4, 8, 12])
def test_a_run_that_was_stopped_goes_on_to_the_last_bit(done: int, tmp_path: Path) -> None:
    expected = vectors_of(BatchDependent(), passages(19))
    stopped = BatchDependent()
    stopped.dies_after = done
    with pytest.raises(KeyboardInterrupt):
        vectors_of(stopped, passages(19), store=tmp_path)
    assert kept(tmp_path) == done
    on = BatchDependent()
    found = vectors_of(on, passages(19), store=tmp_path)
    assert found.tobytes() == expected.tobytes()
    assert on.passes == 19 - done


SLOW = """
import os, signal, sys
sys.path[:0] = {path!r}
from test_vector_store import BatchDependent, passages
from aslant.models import vector_store

vector_store.SHARD = 4
class Dies(BatchDependent):
    def span_vectors(self, passages, **options):
        for i, vectors in enumerate(super().span_vectors(passages, **options)):
            if {dies} and self.passes > 9:
                os.kill(os.getpid(), signal.SIGKILL)
            yield vectors
vector_store.vectors_of(Dies(), passages(19), store={store!r})
"""


def script(store: Path, *, dies: bool) -> list[str]:
    text = SLOW.format(path=[str(Path(__file__).parent), *filter(None, sys.path)], store=str(store), dies=dies)
    return [sys.executable, "-c", textwrap.dedent(text)]


def test_a_killed_process_leaves_what_was_whole(tmp_path: Path) -> None:
    killed = subprocess.run(script(tmp_path, dies=True), check=False)
    assert killed.returncode == -signal.SIGKILL
    assert kept(tmp_path) == 8
    on = BatchDependent()
    assert (
        vectors_of(on, passages(19), store=tmp_path).tobytes() == vectors_of(BatchDependent(), passages(19)).tobytes()
    )
    assert on.passes == 11


def test_two_processes_share_a_store(tmp_path: Path) -> None:
    both = [subprocess.Popen(script(tmp_path, dies=False)) for _ in range(2)]
    assert [process.wait(60) for process in both] == [0, 0]
    encoder = BatchDependent()
    expected = vectors_of(BatchDependent(), passages(19))
    assert vectors_of(encoder, passages(19), store=tmp_path).tobytes() == expected.tobytes()
    assert encoder.passes == 0


def test_a_damaged_vector_counts_as_absent(tmp_path: Path) -> None:
    expected = vectors_of(FakeEncoder(), passages(12), store=tmp_path)
    connection = sqlite3.connect(tmp_path / FILE)
    connection.execute("UPDATE blocks SET content = zeroblob(256) WHERE rowid = 3")
    connection.commit()
    connection.close()
    for passes in (1, 0):
        on = FakeEncoder()
        assert vectors_of(on, passages(12), store=tmp_path).tobytes() == expected.tobytes()
        assert on.passes == passes


def test_a_folder_that_cannot_be_written_is_said_once_and_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "a file").write_text("")
    with pytest.warns(UserWarning, match="vectors are not kept, since .* cannot be written") as said:
        found = vectors_of(FakeEncoder(), passages(12), store=tmp_path / "a file")
    assert len(said) == 1
    np.testing.assert_array_equal(found, vectors_of(FakeEncoder(), passages(12)))


def test_an_encoder_without_a_fingerprint_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = {**FakeEncoder().record(), "fingerprint": ""}
    monkeypatch.setattr(FakeEncoder, "record", lambda self: record)
    with pytest.warns(UserWarning, match="has no fingerprint"):
        vectors_of(FakeEncoder(), passages(2), store=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_spans_of_a_text_not_seen_whole_are_kept_together(tmp_path: Path) -> None:
    encoder = FakeEncoder()
    encoder.sees = 20  # type: ignore[attr-defined]
    text = "a nurse and a doctor and a clerk"
    vectors_of(encoder, [Passage(text, ((2, 7),))], store=tmp_path)
    vectors_of(encoder, [Passage(text, ((2, 7), (14, 20)))], store=tmp_path)
    assert encoder.passes == 2
    vectors_of(encoder, [Passage(text, ((14, 20),)), Passage(text, ((2, 7),))], store=tmp_path)
    assert encoder.passes == 2


def test_progress_counts_the_texts_that_are_kept_as_done(tmp_path: Path) -> None:
    vectors_of(FakeEncoder(), passages(8), store=tmp_path)
    told: list[tuple[str, int, int]] = []
    vectors_of(FakeEncoder(), passages(14), store=tmp_path, progress=lambda *step: told.append(step))
    assert told[0] == ("sentences", 9, 14)
    assert told[-1] == ("sentences", 14, 14)


def test_an_encoder_that_gives_another_shape_is_one_error() -> None:
    class Wrong(FakeEncoder):
        def span_vectors(self, passages: Sequence[Passage], **_: Any) -> Iterator[NDArray[np.float32]]:
            yield from (np.zeros((2, 3), np.float32) for _ in passages)

    with pytest.raises(MeasureError, match=r"gives vectors of shape \(2, 3\) for 1 spans"):
        vectors_of(Wrong(), passages(1))


def test_a_network_that_was_stopped_goes_on_to_the_last_bit(tmp_path: Path) -> None:
    from aslant.models.encoder import TransformersEncoder
    from tiny_lms import masked

    model, tok = masked("bert")
    many = [Passage(p.text * (1 + i % 3), p.spans) for i, p in enumerate(passages(18))]

    def encoder() -> TransformersEncoder:
        return TransformersEncoder(model.bert, tok, "bert", token_budget=64)

    def stops(_: str, done: int, __: int) -> None:
        if done > 9:
            raise KeyboardInterrupt

    expected = vectors_of(encoder(), many)
    with pytest.raises(KeyboardInterrupt):
        vectors_of(encoder(), many, store=tmp_path, progress=stops)
    assert kept(tmp_path) == 8
    on = encoder()
    assert vectors_of(on, many, store=tmp_path).tobytes() == expected.tobytes()
    assert on.passes == 10
