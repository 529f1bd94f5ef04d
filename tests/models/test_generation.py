"""Claims about texts that a causal model writes: the same for a seed, alone or in a batch, resumed or not."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aslant.errors import MeasureError
from aslant.models import WritesTexts
from aslant.models.generation import ROWS, Sampler, drawn
from aslant.models.language_models import TransformersCausalLM
from aslant.models.network import Network
from tiny_lms import CAUSAL, causal, log_softmax

PROMPTS = ["He is a", "She is a good", "The nurse said that", "They are", "A chief medical examiner is"]
ASKED = [(prompt, 100 * place + number) for place, prompt in enumerate(PROMPTS) for number in range(5)]
HOW: dict[str, Any] = {"max_tokens": 8, "top_p": 0.9}


def writer(name: str = "llama", framed: bool = False) -> TransformersCausalLM:
    model, tok = causal(name, framed=framed)
    return TransformersCausalLM(model, tok, name)


@pytest.mark.parametrize("framed", [False, True])
@pytest.mark.parametrize("name", CAUSAL)
def test_a_text_is_the_same_alone_in_a_batch_and_in_another_order(name: str, framed: bool) -> None:
    lm = writer(name, framed)
    assert isinstance(lm, WritesTexts)
    together = lm.continuations(ASKED, **HOW)
    assert len(set(together)) > len(PROMPTS)
    assert lm.continuations(ASKED[::-1], **HOW)[::-1] == together
    assert [lm.continuations([asked], **HOW)[0] for asked in ASKED[::3]] == together[::3]


def test_what_was_read_before_changes_nothing() -> None:
    lm = writer()
    together = lm.continuations(ASKED, **HOW)
    assert lm.caches
    lm.caches = False
    assert lm.continuations(ASKED, **HOW) == together


def test_a_model_whose_cache_gives_other_numbers_reads_everything_again(monkeypatch: pytest.MonkeyPatch) -> None:
    together = writer().continuations(ASKED, **HOW)
    lm, logits = writer(), Network.logits

    def other(self: Network, places: Any, **inputs: Any) -> Any:
        found, output = logits(self, places, **inputs)
        return (found.flip(-1) if inputs.get("past_key_values") is not None else found), output

    monkeypatch.setattr(Network, "logits", other)
    assert not lm.caches
    assert lm.continuations(ASKED, **HOW) == together


def test_tokens_are_drawn_from_the_distribution_of_transformers_own_forward_pass() -> None:
    lm = writer()
    ids = tuple(lm._cuts([PROMPTS[0]])[0].ids)
    expected = np.exp(log_softmax(lm.network.model, list(ids))[-1].numpy())
    sampler = Sampler(lm.network, 1, 1.0, 1.0, frozenset(), True)
    starts = [(ids, seed) for seed in range(40 * ROWS)]
    found = Counter(token for at in range(0, len(starts), ROWS) for (token,) in sampler.run(starts[at : at + ROWS]))
    most, n = int(expected.argmax()), sum(found.values())
    share, spread = found[most] / n, float(np.sqrt(expected[most] * (1 - expected[most]) / n))
    assert abs(share - expected[most]) < 5 * spread


def test_temperature_and_top_p_leave_the_likeliest_token() -> None:
    logits = np.array([0.0, 2.0, 1.0])
    assert {drawn(logits / 0.01, 1.0, u) for u in np.linspace(0, 0.999, 50)} == {1}
    assert {drawn(logits, 1e-9, u) for u in np.linspace(0, 0.999, 50)} == {1}
    assert {drawn(logits, 1.0, u) for u in np.linspace(0, 0.999, 50)} == {0, 1, 2}
    shares = Counter(drawn(logits, 1.0, u) for u in (np.arange(10_000) + 0.5) / 10_000)
    assert np.allclose([shares[i] / 10_000 for i in range(3)], np.exp(logits) / np.exp(logits).sum(), atol=2e-4)


def test_an_end_token_ends_a_text() -> None:
    lm = writer()
    sampler = Sampler(lm.network, 8, 1.0, 1.0, frozenset(), True)
    start = (tuple(lm._cuts([PROMPTS[0]])[0].ids), 3)
    (whole,) = sampler.run([start])
    assert len(whole) == 8
    end = Sampler(lm.network, 8, 1.0, 1.0, frozenset({whole[4]}), True)
    assert end.run([start]) == [whole[: whole.index(whole[4])]]


def test_a_killed_run_resumes_and_gives_the_same_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lm = writer()
    expected = lm.continuations(ASKED, **HOW)

    def stopped(step: str, done: int, total: int) -> None:
        assert (step, total) == ("texts", len(ASKED))
        if done > 8:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lm.continuations(ASKED, **HOW, journal=tmp_path, progress=stopped)
    ran: list[int] = []
    run = Sampler.run
    monkeypatch.setattr(Sampler, "run", lambda self, starts: ran.append(len(starts)) or run(self, starts))
    assert lm.continuations(ASKED, **HOW, journal=tmp_path) == expected
    assert 0 < sum(ran) < len(ASKED)
    ran.clear()
    assert lm.continuations(ASKED, **HOW, journal=tmp_path) == expected
    assert not ran
    assert lm.continuations(ASKED, max_tokens=8, top_p=0.5, journal=tmp_path) != expected  # other settings, other texts


def test_prompts_that_leave_no_room_are_refused() -> None:
    lm = writer()
    long = "he " * 40
    assert list(lm.unwritable(["He is", long, ""], 30)) == [1, 2]
    with pytest.raises(MeasureError, match="30 tokens are more than the 60 that 'llama' takes; leave it out"):
        lm.continuations([(long, 0)], max_tokens=30)
