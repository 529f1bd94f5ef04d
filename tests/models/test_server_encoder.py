"""An encoder behind a server: the vectors that it serves, or one sentence that says why they cannot be used."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="language models need torch: pip install '.[lm]'")

import aslant
from aslant.errors import DataError
from aslant.models import SentenceEncoder
from aslant.models.encoder import TransformersEncoder
from aslant.models.server_client import ServerError
from tiny_lms import masked

TEXTS = ["This is a nurse.", "They are men.", "He likes science – é 😀", "This is a nurse."]


@pytest.fixture
def embeddings(serve: Callable[..., Any]) -> Callable[..., Any]:
    """Start a server with /embeddings."""

    def start(*given: Any) -> Any:
        server = serve(*given)
        model, tokenizer = masked("bert")
        server.encoder = TransformersEncoder(model.base_model, tokenizer, "tiny")
        return server

    return start


def opened(server: Any, **how: Any) -> Any:
    return aslant.load_encoder(server.address, model="tiny", **how)


def test_vectors_are_those_that_the_server_has(embeddings: Any) -> None:
    server = embeddings()
    encoder = opened(server)
    assert isinstance(encoder, SentenceEncoder)
    np.testing.assert_allclose(
        encoder.sentence_vectors(TEXTS), server.encoder.sentence_vectors(TEXTS), rtol=1e-5, atol=1e-6
    )
    assert encoder.sentence_vectors([]).shape == (0, encoder.dimensions)
    assert encoder.record()["dimensions"] == server.encoder.dimensions
    assert encoder.record()["note"].startswith("served: its weights cannot be seen")
    unlisted = aslant.load_encoder(server.address, model="nope")
    assert unlisted.note.startswith("the server lists tiny and not nope; the answers may be another model's; ")


@pytest.mark.parametrize(
    ("manner", "said"),
    [("one vector", "the same vector"), ("zeros", "a vector of zeros"), ("random", "a different vector each time")],
)
def test_vectors_that_cannot_be_used_are_refused(embeddings: Any, manner: str, said: str) -> None:
    with pytest.raises(ServerError, match=said):
        opened(embeddings(manner))


def test_where_others_change_a_texts_vector_it_is_asked_for_alone(embeddings: Any) -> None:
    server = embeddings("reversed")
    encoder = opened(server)
    found = encoder.sentence_vectors(TEXTS)
    np.testing.assert_allclose(found, server.encoder.sentence_vectors(TEXTS), rtol=1e-5, atol=1e-6)
    assert "one text at a time" in encoder.record()["note"]


def test_a_server_without_embeddings_is_told(serve: Any) -> None:
    with pytest.raises(ServerError, match=r"answers 400 \(this model has no embeddings\)"):
        opened(serve())


def test_a_server_that_takes_fewer_texts_gets_fewer(embeddings: Any) -> None:
    server = embeddings()
    encoder, texts = opened(server), [f"This is number {i}." for i in range(20)]
    server.most = 6
    assert encoder.sentence_vectors(texts).shape == (20, 16)
    assert len(set(server.prompts)) == 20 + 3


def test_no_text_is_asked_for_twice(embeddings: Any, tmp_path: Path) -> None:
    server = embeddings()
    first = opened(server, journal=tmp_path)
    found = first.sentence_vectors(TEXTS)
    server.prompts.clear()
    again = opened(server, journal=tmp_path)
    probed = len(server.prompts)
    np.testing.assert_array_equal(again.sentence_vectors(TEXTS[::-1]), found[::-1])
    assert len(server.prompts) == probed
    assert again.fingerprint == first.fingerprint


def test_a_model_that_is_changed_a_little_is_another_one(embeddings: Any, tmp_path: Path) -> None:
    server = embeddings()
    first = opened(server, journal=tmp_path)
    before = first.sentence_vectors(TEXTS)
    plain = server.encoder

    class Changed:
        def sentence_vectors(self, texts: Any) -> Any:
            found = plain.sentence_vectors(texts)
            found[:, 0] += 0.005 * np.linalg.norm(found, axis=1)  # as where one direction was taken out
            return found

    server.encoder = Changed()
    second = opened(server, journal=tmp_path)
    assert second.fingerprint != first.fingerprint
    assert not np.array_equal(second.sentence_vectors(TEXTS), before)


@pytest.mark.parametrize("layer", [0, 1])
def test_layers_and_pieces_are_the_servers_own(layer: int, serve: Any) -> None:
    with pytest.raises(DataError, match=f"layer is {layer}, but a model behind a server"):
        aslant.load_encoder(serve().address, layer=layer)
