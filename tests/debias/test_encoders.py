"""Claims about debiasing encoders of whole texts: what is removed is gone, and what is saved is what was measured."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aslant
from aslant.debias.encoder_check import encoder_check
from aslant.debias.swapped_sentences import DOES, FRAMES, HELD_OUT, OTHER_PAIRS, from_corpus, templated, word_pairs
from aslant.errors import DebiasError
from aslant.models import Encoder, SentenceEncoder
from fake_encoder import FakeEncoder
from tiny_sentence_transformers import NORMALISE, dense, pooling, write

PAIRS = [("woman", "man"), ("she", "he"), ("mother", "father")]
PLANTED = {"woman": 1.0, "she": 1.0, "mother": 1.0, "man": -1.0, "he": -1.0, "father": -1.0, "nurse": 0.5}
TEXTS = ["He is a doctor.", "The nurse said that she is here", "they", "the doctor and the electrician"]
METHODS = ("projection", "nullspace", "leace")


@pytest.fixture(autouse=True)
def no_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASLANT_OFFLINE", "1")


def toy() -> FakeEncoder:
    return FakeEncoder(16, PLANTED, noise=0.01)


@pytest.mark.parametrize("method", METHODS)
def test_each_method_removes_a_planted_direction_and_little_else(method: Any) -> None:
    encoder = toy()
    found = aslant.debias_encoder(encoder, method, pairs=PAIRS, iterations=1)
    before, after = (e.sentence_vectors(["a nurse here", "a thing here"]) for e in (encoder, found))
    planted = np.abs((before[0] - before[1]) @ encoder.direction)
    assert np.abs((after[0] - after[1]) @ encoder.direction) < 0.35 * planted
    other = np.random.default_rng(0).normal(size=16)
    other -= other @ encoder.direction * encoder.direction
    assert after @ other == pytest.approx(before @ other, abs=0.35 * np.abs(before @ other).max())
    assert isinstance(found, SentenceEncoder)
    assert not isinstance(found, Encoder)
    assert found.record()["treatments"][0]["settings"]["swaps"] == len(PAIRS) * len(DOES) * len(FRAMES)


def test_projection_is_the_first_component_of_the_differences_of_swapped_sentences() -> None:
    encoder = toy()
    found = aslant.debias_encoder(encoder, "projection", pairs=PAIRS)
    swaps = templated(PAIRS)
    first, second = (encoder.sentence_vectors([swap[side] for swap in swaps]) for side in (0, 1))
    direction = np.linalg.svd(first - second)[2][0].astype(np.float64)  # differences are not centred: pairs are
    expected = np.eye(16) - np.outer(direction, direction)
    np.testing.assert_allclose(found.change.weight, expected, atol=1e-5)


def test_after_leace_the_two_sides_have_the_same_mean() -> None:
    found = aslant.debias_encoder(toy(), "leace", pairs=PAIRS)
    swaps = templated(PAIRS)
    first, second = (found.sentence_vectors([swap[side] for swap in swaps]).mean(axis=0) for side in (0, 1))
    np.testing.assert_allclose(first, second, atol=1e-5)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("modules", [[pooling("mean"), NORMALISE], [pooling("cls"), dense(16, 8)]])
def test_the_saved_folder_gives_the_vectors_that_were_measured(method: Any, modules: Any, tmp_path: Path) -> None:
    folder = write(tmp_path / "model", modules)
    found = aslant.debias_encoder(aslant.load_encoder(folder), method, iterations=2)
    saved = found.save(tmp_path / "debiased")
    again = aslant.load_encoder(saved)
    np.testing.assert_allclose(again.sentence_vectors(TEXTS), found.sentence_vectors(TEXTS), rtol=0, atol=1e-5)
    kinds = [entry["type"].rpartition(".")[2] for entry in json.loads((saved / "modules.json").read_text())]
    assert kinds[-2:] == (["Dense", "Normalize"] if modules[-1] is NORMALISE else ["Dense", "Dense"])
    assert "debiased: " in again.record()["note"]
    assert list(tmp_path.glob(".*")) == []
    assert (folder / "modules.json").read_text() != (saved / "modules.json").read_text()


def test_the_library_serves_the_saved_folder_alike(tmp_path: Path) -> None:
    library = pytest.importorskip("sentence_transformers")
    folder = write(tmp_path / "model", [pooling("mean", "max"), dense(32, 12), NORMALISE])
    original, served = library.SentenceTransformer(str(folder), device="cpu"), aslant.load_encoder(folder)
    np.testing.assert_allclose(served.sentence_vectors(TEXTS), original.encode(TEXTS), rtol=0, atol=1e-5)
    np.testing.assert_allclose(
        aslant.load_encoder(original).sentence_vectors(TEXTS), original.encode(TEXTS), rtol=0, atol=1e-5
    )
    found = aslant.debias_encoder(served, "leace")
    saved = library.SentenceTransformer(str(found.save(tmp_path / "debiased")), device="cpu")
    np.testing.assert_allclose(saved.encode(TEXTS), found.sentence_vectors(TEXTS), rtol=0, atol=1e-5)


def test_swapped_sentences_are_balanced_and_a_corpus_swaps_every_word_of_the_pairs() -> None:
    swaps = templated(PAIRS)
    assert {first.replace("woman", "man") for first, _ in swaps if "woman" in first} <= {second for _, second in swaps}
    assert not set(DOES) & set(HELD_OUT)
    found = from_corpus(
        ["He met his mother.", "Nothing here.", "The woman left"], [*PAIRS, ("her", "his")], np.random.default_rng(0)
    )
    assert found == [("She met her father.", "He met his mother."), ("The woman left", "The man left")]


def test_a_corpus_and_own_templates_are_recorded() -> None:
    texts = [f"The {word} sees thing {n}." for n in range(40) for word in ("woman", "man")]
    found = aslant.debias_encoder(toy(), pairs=PAIRS, corpus=texts)
    assert found.treatment.settings["sentences"] == "own sentences"
    own = aslant.debias_encoder(toy(), pairs=PAIRS, templates=["{word} sings", "I saw {word}"])
    assert own.treatment.settings == {"sentences": "own templates", "swaps": 6, "components": 1}


def test_the_check_shows_what_is_told_and_what_is_damaged_beside_chance(tmp_path: Path) -> None:
    encoder = toy()
    found = aslant.debias_encoder(encoder, "projection")
    check = encoder_check(encoder, found, tests=["weat-6"])
    rows = {measure.family: measure for measure in check.measures}
    assert rows["quality"].before == 1
    assert rows["quality"].after is not None
    assert rows["quality"].after > 0.5
    assert rows["quality"].after_chance.n == 20
    assert 0.3 < rows["told apart"].after_chance.mean < 0.7
    assert rows["told apart"].before is not None
    assert any(measure.family == "SEAT" for measure in check.measures)
    assert "random directions" in " ".join(measure.measure for measure in check.measures)


class Gendered:
    """Every word has a vector of its own; women's and men's also lie on the two sides of one direction."""

    name, dimensions = "gendered", 64

    def __init__(self) -> None:
        pairs = (*OTHER_PAIRS, *word_pairs("definitional-pairs")[0])
        self.side = {pair[i].lower(): 2.0 - 4.0 * i for pair in pairs for i in (0, 1)}
        self.direction = np.full(64, 1 / 8)

    def record(self) -> dict[str, Any]:
        return {"name": self.name, "fingerprint": "0", "format": "toy", "words": 0, "dimensions": 64, "note": ""}

    def sentence_vectors(self, texts: Any, *, progress: Any = None) -> Any:
        return np.array([sum(map(self._word, text.lower().rstrip(".").split())) for text in texts], np.float32)

    def _word(self, word: str) -> Any:
        own = np.random.default_rng(zlib.crc32(word.encode())).normal(size=64) / 8
        return own + self.side.get(word, 0.0) * self.direction


def test_what_is_told_is_not_below_chance_because_the_pairs_were_learned_from() -> None:
    encoder = Gendered()
    check = encoder_check(encoder, aslant.debias_encoder(encoder), tests=["weat-6"])
    (told,) = [measure for measure in check.measures if measure.family == "told apart"]
    assert told.before == 1
    assert 0.35 < told.after < 1
    other = encoder_check(encoder, aslant.debias_encoder(encoder, pairs=[("rich", "poor"), ("wealthy", "needy")]))
    assert "is not gender" in other.not_run["told apart"]


def test_an_untrained_twin_is_debiased_in_the_same_way(tmp_path: Path) -> None:
    encoder = aslant.load_encoder(write(tmp_path, [pooling("mean"), NORMALISE]))
    twin = aslant.debias_encoder(encoder, "projection").untrained(3)
    assert twin is not None
    assert "untrained" in twin.name
    assert twin.change.removed == 1
    assert aslant.debias_encoder(toy(), pairs=PAIRS).untrained(3) is None


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: aslant.debias_encoder(toy(), "hard"),
            "method is 'hard'; for an encoder, choose one of projection",
        ),
        (lambda: aslant.debias_encoder(toy(), templates=["no word"]), r"must contain \{word\} exactly once"),
        (lambda: aslant.debias_encoder(toy(), corpus=["nothing"]), "the corpus has 0 sentences"),
        (lambda: aslant.debias_encoder(toy(), corpus=["he"], templates=["{word}"]), "give one of them"),
        (lambda: aslant.debias_encoder(toy(), "leace", templates=["{word}"], pairs=PAIRS), "6 sentences to learn from"),
        (lambda: aslant.debias_encoder(toy(), pairs=[("a", "b", "c")]), "more than two words"),
        (lambda: aslant.debias_encoder(toy(), components=0), "components=0"),
        (lambda: aslant.debias_encoder(toy(), "nullspace", iterations=0), "iterations=0"),
        (lambda: aslant.debias_encoder(toy()).save("x"), "was not loaded as it is served from a folder"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(call: Any, said: str) -> None:
    with pytest.raises(DebiasError, match=said):
        call()


def test_saving_refuses_what_would_not_be_served_alike(tmp_path: Path) -> None:
    settings = {"prompts": {"q": "he said: "}, "default_prompt_name": "q"}
    folder = write(tmp_path / "m", [pooling("mean")], settings=settings)
    with pytest.raises(DebiasError, match="which is not its default one"):
        aslant.debias_encoder(aslant.load_encoder(folder, prompt="other: ")).save(tmp_path / "a")
    with pytest.raises(DebiasError, match="already exists"):
        aslant.debias_encoder(aslant.load_encoder(folder)).save(folder)
    with pytest.raises(DebiasError, match="there is no folder"):
        aslant.debias_encoder(aslant.load_encoder(folder)).save(tmp_path / "no" / "b")
    with pytest.raises(DebiasError, match="was not loaded as it is served"):
        aslant.debias_encoder(aslant.load_encoder(folder, layer=0)).save(tmp_path / "c")


def test_an_encoder_is_debiased_by_its_path_too(tmp_path: Path) -> None:
    folder = write(tmp_path / "m", [pooling("mean")])
    named, opened = (aslant.debias_encoder(given) for given in (folder, aslant.load_encoder(folder)))
    np.testing.assert_array_equal(named.sentence_vectors(["He left."]), opened.sentence_vectors(["He left."]))
