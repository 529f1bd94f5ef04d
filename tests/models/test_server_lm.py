"""A language model behind a server: the same numbers as on this machine, or one sentence that says why not."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="language models need torch: pip install '.[lm]'")

import aslant
import model_server
from aslant.errors import DataError, MeasureError
from aslant.models.language_models import TransformersCausalLM
from aslant.models.protocols import CausalLM, MaskedLM, ScoresTexts, Sentence
from aslant.models.server_answers import Echo, Forced, Told, aligned
from aslant.models.server_client import Client, KeyRefusedError, ServerError, _key_for, split_address
from aslant.models.server_lm import PROBES, ServerCausalLM
from model_server import TinyServer

Serve = Callable[..., TinyServer]
TEXTS = [
    "He is a doctor.",
    "I know that she is a good nurse.",
    "  The boys like – é 😀 the girls  ",
    "She can do poetry",
]
SENTENCES = [
    Sentence("[TARGET] is a [ATTRIBUTE].", target, attribute)
    for target in ("he", "she", "the nurse")
    for attribute in ("doctor", "chief medical examiner", "teacher")
] + [Sentence("The [ATTRIBUTE] said that [TARGET] was late.", "he", "nurse")]


def local(server: TinyServer) -> TransformersCausalLM:
    return TransformersCausalLM(server.model, server.tokenizer, "tiny")


def close(a: float | None, b: float | None) -> bool:
    return (a is None and b is None) or abs((a or 0) - (b or 0)) < 1e-5


@pytest.mark.parametrize(
    ("manner", "framed", "options"),
    [("echo", True, {}), ("echo", False, {"begin": "<s>"}), ("single", True, {}), ("llama-cpp-python", True, {}),
     ("llama.cpp", True, {}), ("llama.cpp", False, {})],
)  # fmt: skip
def test_scores_over_http_are_those_of_the_model_itself(
    serve: Serve, manner: str, framed: bool, options: dict[str, Any]
) -> None:
    server = serve(manner, framed=framed)
    lm, own = aslant.load_lm(server.address, model="tiny", **options), local(server)
    assert isinstance(lm, CausalLM)
    assert isinstance(lm, ScoresTexts)
    assert not isinstance(lm, MaskedLM)
    for there, here in zip(lm.text_scores(TEXTS), own.text_scores(TEXTS), strict=True):
        assert close(there.total, here.total)
        assert there.pieces == here.pieces
    pairs = [("The doctor", " said that she was late."), ("He likes", " science"), ("He l", "ikes art")]
    for there, here in zip(lm.continuation_scores(pairs), own.continuation_scores(pairs), strict=True):
        assert close(there.total, here.total)
        assert there.pieces == here.pieces
    for scored, own_score in zip(lm.causal_scores(SENTENCES), own.causal_scores(SENTENCES), strict=True):
        assert close(scored.sentence, own_score.sentence)
        assert close(scored.continuation, own_score.continuation)
        assert len(scored.pieces) == len(own_score.pieces)
        assert len(scored.attribute_pieces) == len(own_score.attribute_pieces)
        assert scored.unweighed == own_score.unweighed
    assert [lm.in_vocabulary(w) for w in ("doctor", "zebra")] == [own.in_vocabulary(w) for w in ("doctor", "zebra")]
    assert "begin with <s>" in lm.note
    assert "weights cannot be seen" in lm.note


def test_without_a_beginning_token_the_first_piece_is_not_counted_and_the_record_says_so(serve: Serve) -> None:
    server = serve(framed=False)
    lm = aslant.load_lm(server.address)
    assert "first piece has no probability" in lm.note
    (score,) = lm.causal_scores([Sentence("[TARGET] is a [ATTRIBUTE].", "he", "doctor")])
    assert score.unweighed
    assert "has no probability" in lm.unscorable(["a", "a nurse"])[0]


@pytest.mark.parametrize("manner", ["echo", "llama.cpp"])
def test_a_beginning_that_is_not_one_token_is_refused(serve: Serve, manner: str) -> None:
    with pytest.raises(ServerError, match=r"'Well then' as one token|no text can be scored"):
        aslant.load_lm(serve(manner, framed=False).address, begin="Well then")


def test_a_process_of_its_own_serves_the_same_model(serve: Serve) -> None:
    command = [sys.executable, model_server.__file__, "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            lm = aslant.load_lm(process.stdout.readline().strip() + "#tiny")
            own = local(serve())
            assert close(lm.text_scores(TEXTS)[1].total, own.text_scores(TEXTS)[1].total)
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("manner", "said"),
    [
        ("generated", "generated tokens only"),
        ("none", "returns no log-probabilities"),
        ("null", "no log-probabilities of the prompt"),
        ("zeros", "the same log-probability after any words"),
        ("by token", "the same log-probability after any words"),
        ("reversed", "do not give"),
        ("shifted", "another log-probability than when it is generated"),
        ("random", "differ by"),
        ("crowded", "from those that it has among others"),
    ],
)
def test_what_cannot_be_measured_is_refused_with_its_reason(serve: Serve, manner: str, said: str) -> None:
    with pytest.raises(ServerError, match=said) as told:
        aslant.load_lm(serve(manner).address, model="tiny")
    assert "vLLM" in str(told.value)


def test_a_forced_token_that_is_less_probable_than_a_free_one_is_refused(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Forced, "forced", lambda self, ids: -1.0)
    with pytest.raises(ServerError, match="generated tokens only"):
        aslant.load_lm(serve("llama.cpp").address)


def test_faults_that_pass_are_tried_again_and_change_nothing(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve()
    lm, own = ServerCausalLM(server.address, retries=3), local(server)
    waited: list[float] = []
    lm.client.sleep = waited.append
    server.faults = [(429, {"Retry-After": "7"}), 500, "cut"]
    found = lm.text_scores(TEXTS)
    assert close(found[0].total, own.text_scores(TEXTS)[0].total)
    assert waited[0] == 7
    assert len(waited) == 3
    assert not server.faults


def test_a_slow_server_is_given_up_after_the_time_that_was_allowed(serve: Serve) -> None:
    server = serve()
    lm = ServerCausalLM(server.address, retries=1)
    lm.client.timeout, server.faults = 0.2, ["slow", "slow"]
    with pytest.raises(ServerError, match=r"did not answer within 0.2 s after 2 attempts"):
        lm.text_scores(["He is a doctor."])
    server.faults = ["slow"]
    assert lm.text_scores(["He is a doctor."])[0].pieces > 1


def test_no_server_is_told_at_once() -> None:
    with pytest.raises(ServerError, match="cannot be reached"):
        aslant.load_lm("http://127.0.0.1:9/v1", model="x")


def test_several_texts_go_into_one_request_and_none_is_asked_for_twice(serve: Serve, tmp_path: Path) -> None:
    server = serve()
    lm = aslant.load_lm(server.address, journal=tmp_path)
    texts = [f"He is a doctor, number {i}." for i in range(40)]
    before = server.asked["/v1/completions"]
    lm.text_scores(texts + texts)
    assert server.asked["/v1/completions"] - before == 3
    lm.unscorable(texts), lm.text_scores(texts)
    assert server.asked["/v1/completions"] - before == 3
    again = aslant.load_lm(server.address, journal=tmp_path)
    probed = server.asked["/v1/completions"]
    assert again.text_scores(texts) == lm.text_scores(texts)
    assert server.asked["/v1/completions"] == probed
    assert again.fingerprint == lm.fingerprint


def test_a_run_that_was_cut_short_resumes_with_what_is_missing(serve: Serve, tmp_path: Path) -> None:
    server = serve()
    lm = ServerCausalLM(server.address, journal=tmp_path, at_once=1, retries=0)
    texts = [f"She is a nurse, number {i}." for i in range(48)]
    server.faults = [None, 500]
    with pytest.raises(ServerError, match="answers 500"):
        lm.text_scores(texts)
    answered = set(server.prompts) & set(texts)
    assert 16 <= len(answered) < 48
    again = ServerCausalLM(server.address, journal=tmp_path, at_once=1)
    assert len(again.text_scores(texts)) == 48
    assert sorted(set(server.prompts) & set(texts)) == sorted(text for text in server.prompts if text in texts)


def test_answers_are_kept_as_they_come_and_those_under_way_before_an_error() -> None:
    client, held = Client("http://127.0.0.1:9/v1", at_once=2), threading.Event()

    def ask(number: int) -> int:
        if number == 0:
            assert held.wait(60)
        if number == 4:
            raise ServerError("gone")
        return -number

    found = client.each(ask, range(100))
    first = [next(found) for _ in range(3)]  # while the answer to the first one is waited for
    held.set()
    assert sorted(first) == [(1, -1), (2, -2), (3, -3)]
    assert (0, 0) in list(until_error(found))


def until_error(found: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    with pytest.raises(ServerError, match="gone"):
        yield from found


@pytest.mark.parametrize("factor", [-1, 0.97])  # the latter is near enough for low precision, but without noise
def test_another_model_under_the_same_name_is_another_one(factor: float, serve: Serve, tmp_path: Path) -> None:
    server = serve()
    first = aslant.load_lm(server.address, journal=tmp_path)
    server.model.lm_head.weight.data.mul_(factor)
    second = aslant.load_lm(server.address, journal=tmp_path)
    server.model.lm_head.weight.data.div_(factor)
    assert first.fingerprint != second.fingerprint
    elsewhere = serve()
    assert aslant.load_lm(elsewhere.address).fingerprint == first.fingerprint


def test_a_key_that_would_travel_unencrypted_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASLANT_API_KEY", "sk-very-secret")
    with pytest.warns(UserWarning, match=r"the key goes to models.example unencrypted") as said:
        Client("http://models.example/v1")
    assert "secret" not in str(said[0].message)
    Client("https://models.example/v1")
    Client("http://127.0.0.1:1/v1")


def test_the_key_comes_from_the_environment_and_stays_out_of_everything(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve(key="sk-very-secret")
    with pytest.raises(KeyRefusedError, match="requires a key: put it into ASLANT_API_KEY"):
        aslant.load_lm(server.address)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")
    with pytest.raises(KeyRefusedError, match="requires a key: put it into ASLANT_API_KEY"):
        aslant.load_lm(server.address)
    assert set(server.seen) == {None}
    monkeypatch.setenv("ASLANT_API_KEY", "sk-wrong")
    with pytest.raises(KeyRefusedError, match="does not accept the key in ASLANT_API_KEY"):
        aslant.load_lm(server.address)
    monkeypatch.setenv("ASLANT_API_KEY", "sk-very-secret")
    lm = aslant.load_lm(server.address)
    assert "secret" not in str(lm.record()) + repr(vars(lm))
    server.faults = [422] * 40
    assert "secret" not in str(lm.unscorable(["He is."]))
    assert "fault" in str(lm.unscorable(["He is."]))


def test_openais_key_goes_to_openai_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")
    found = {host: _key_for(host)[1] for host in ("api.openai.com", "notopenai.com", "openai.com.example.org")}
    assert found == {"api.openai.com": "sk-of-openai", "notopenai.com": "", "openai.com.example.org": ""}


def test_a_redirect_is_not_followed_and_the_key_goes_nowhere_else(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, other = serve(), serve()
    monkeypatch.setenv("ASLANT_API_KEY", "sk-very-secret")
    first.faults = [(307, {"Location": f"{other.address}/models"})]
    with pytest.raises(ServerError, match=r"redirects to 127\.0\.0\.1, which is not followed"):
        aslant.load_lm(first.address)
    assert not other.seen


@pytest.mark.parametrize(
    "bad", ["http://", "http://me:key@h/v1", "http://h/v1?api_key=1", "http://h:port/v1", "http:// h"]
)
def test_addresses_that_are_none_or_hold_a_key_are_refused_without_repeating_it(bad: str) -> None:
    with pytest.raises(ServerError) as told:
        split_address(bad)
    assert "me:" not in str(told.value)
    assert "api_key=1" not in str(told.value)


def test_the_model_is_named_where_there_are_several(serve: Serve) -> None:
    server = serve("two")
    with pytest.raises(ServerError, match=r"serves 2 models \(tiny, other\); name one, as in .*#MODEL"):
        aslant.load_lm(server.address)
    assert aslant.load_lm(f"{server.address}#other").name == "other"
    with pytest.raises(ServerError, match="give one of them"):
        aslant.load_lm(f"{server.address}#other", model="tiny")


def test_a_name_that_the_server_does_not_list_is_noted(serve: Serve) -> None:
    server = serve()
    said = aslant.load_lm(f"{server.address}#nope").note
    assert said.startswith("the server lists tiny and not nope; the answers may be another model's; ")
    assert "lists" not in aslant.load_lm(f"{server.address}#tiny").note


def test_what_only_a_server_has_is_refused_for_other_models() -> None:
    with pytest.raises(DataError, match="is for a server's address"):
        aslant.load_lm("sample-mlm", model="tiny")


def test_offline_forbids_servers_elsewhere_but_not_on_this_machine(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASLANT_OFFLINE", "1")
    with pytest.raises(ServerError, match=r"ASLANT_OFFLINE forbids asking example\.org"):
        aslant.load_lm("https://example.org/v1")
    assert aslant.load_lm(serve().address).name == "tiny"


def test_a_text_that_the_server_refuses_is_left_out_with_its_reason(serve: Serve) -> None:
    lm = aslant.load_lm(serve().address)
    texts = ["He is.", "too long " * 40, " ", "She is."]
    reasons = lm.unscorable(texts)
    assert sorted(reasons) == [1, 2]
    assert "longer than the model's context" in reasons[1]
    with pytest.raises(MeasureError, match="leave such texts out"):
        lm.text_scores(texts)


def test_tokens_that_do_not_give_a_text_back_are_noticed() -> None:
    assert aligned("He is", ["He", " was"]) is None
    assert aligned("He is", ["He"]) is None
    assert aligned("He is", ["▁He", "▁is"]) == (0, [(0, 2), (2, 5)])
    assert aligned("He is", ["ĠHe", "Ġis", "Ġa"]) == (0, [(0, 2), (2, 5)])
    assert aligned("He is", ["<s>", "He", " is"], first=-1.0) is None  # what stands before a text has no probability
    assert aligned("é.", ["", "", "."]) == (0, [(0, 1), (0, 1), (1, 2)])
    assert Told(("<s>", "He", " is"), (None, -1.0, -2.0), 1).cut("He is").content == range(1, 3)


def test_answers_in_another_order_are_put_back(serve: Serve) -> None:
    server = serve()
    found = Echo(Client(server.address), "tiny").ask(PROBES)  # this server sends the last choice first
    assert all(isinstance(told, Told) for told in found)
