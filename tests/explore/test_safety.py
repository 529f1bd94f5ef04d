"""What is let in: this page, from this address, with its token, in small requests."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from aslant.explore import safety
from exploring import ADDRESS, PORT, TOKEN, Asker

ABOUT = f"/{TOKEN}/api/about"


@pytest.fixture(scope="module")
def asker() -> Asker:
    return Asker()


@pytest.mark.parametrize(
    "host",
    ["", "127.0.0.1", "evil.example", f"evil.example:{PORT}", f"127.0.0.1.evil.example:{PORT}", f"127.0.0.1:{PORT + 1}",
     f"user@127.0.0.1:{PORT}", f"0.0.0.0:{PORT}", f"[::2]:{PORT}", f":{PORT}"],
)  # fmt: skip
def test_another_name_for_this_address_is_refused(asker: Asker, host: str) -> None:
    assert asker.client.get(ABOUT, headers={"host": host}).status_code == 403


@pytest.mark.parametrize("host", [f"127.0.0.1:{PORT}", f"localhost:{PORT}", f"LOCALHOST:{PORT}", f"[::1]:{PORT}"])
def test_names_of_this_machine_are_let_in(asker: Asker, host: str) -> None:
    assert asker.client.get(ABOUT, headers={"host": host}).status_code == 200


def test_a_server_on_all_addresses_takes_numbers_but_no_names() -> None:
    client = Asker(host="0.0.0.0").client
    assert client.get(ABOUT, headers={"host": f"192.168.1.7:{PORT}"}).status_code == 200
    assert client.get(ABOUT, headers={"host": f"rebound.example:{PORT}"}).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [{"origin": "http://evil.example"}, {"origin": "null"}, {"origin": f"https://127.0.0.1:{PORT}"},
     {"origin": "http://127.0.0.1:1"}, {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"}],
)  # fmt: skip
def test_another_page_is_refused(asker: Asker, headers: dict[str, str]) -> None:
    assert asker.post("words", {"model": 0, "words": []}, **headers).status_code == 403
    assert asker.client.get(ABOUT, headers=headers).status_code == 403


def test_the_page_itself_is_let_in_and_so_is_a_link_to_it(asker: Asker) -> None:
    own = {"origin": ADDRESS, "sec-fetch-site": "same-origin"}
    assert asker.post("words", {"model": 0, "words": ["he"]}, **own).status_code == 200
    followed = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert asker.client.get(f"/{TOKEN}/", headers=followed).status_code == 200
    assert asker.client.get(ABOUT, headers=followed).status_code == 403


@pytest.mark.parametrize(
    "path",
    ["/", "/api/about", f"/{TOKEN}", f"/{TOKEN[:-1]}/api/about", f"/{TOKEN}x/api/about", f"//{TOKEN}/api/about",
     "/favicon.ico", "/%00/", "/ü/"],
)  # fmt: skip
def test_without_the_token_there_is_nothing(asker: Asker, path: str) -> None:
    response = asker.client.get(path)
    assert response.status_code == 404
    assert response.json() == {"error": "there is nothing here."}


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_only_json_is_taken(asker: Asker, kind: str) -> None:
    assert asker.post("words", {"model": 0, "words": []}, **{"content-type": kind}).status_code == 415


def test_a_body_that_is_too_large_is_refused_before_and_while_it_is_read(asker: Asker) -> None:
    large = b'{"model": 0, "words": ["' + b"a" * safety.MOST + b'"]}'
    assert asker.post("words", large).status_code == 413
    headers = {"content-type": "application/json"}
    parts = (large[start : start + 10_000] for start in range(0, len(large), 10_000))  # sent without its length
    response = asker.client.post(f"/{TOKEN}/api/words", content=parts, headers=headers)
    assert response.status_code == 413
    assert "256 KB" in response.json()["error"]


@pytest.mark.parametrize(
    "name",
    ["../server.py", "..%2fserver.py", "%2e%2e/server.py", "..\\server.py", "about.toml", "server.py", "page",
     "assets/..%2fhtml.py", "assets/possibly_offensive.txt", "assets/vega.min.js/..", "a.html%00.js", "/etc/passwd"],
)  # fmt: skip
def test_only_files_of_the_page_are_served(asker: Asker, name: str) -> None:
    assert asker.client.get(f"/{TOKEN}/{name}").status_code == 404


@pytest.mark.parametrize("name", ["", "index.html", "assets/vega.min.js", "assets/vega-lite.min.js"])
def test_files_of_the_page_are_served_with_the_headers_of_safety(asker: Asker, name: str) -> None:
    response = asker.client.get(f"/{TOKEN}/{name}")
    assert response.status_code == 200
    _is_safe(response)
    assert "unsafe" not in response.headers["content-security-policy"]


def test_refusals_and_errors_have_the_headers_of_safety_too(asker: Asker) -> None:
    for response in (asker.client.get("/"), asker.post("words", "{"), asker.client.put(f"/{TOKEN}/api/words")):
        assert response.status_code >= 400
        _is_safe(response)


def _is_safe(response: Any) -> None:
    expected = {"x-content-type-options": "nosniff", "referrer-policy": "no-referrer", "cache-control": "no-store"}
    assert {name: response.headers[name] for name in expected} == expected
    assert "frame-ancestors 'none'" in response.headers["content-security-policy"]
    assert "set-cookie" not in response.headers


@pytest.mark.parametrize("deep", ["[" * 100_000 + "]" * 100_000, "[" * 900 + "1" + "]" * 900])
def test_what_is_nested_deeply_is_refused_like_anything_else(asker: Asker, deep: str) -> None:
    response = asker.post("keep", f'{{"api": "bench", "request": {deep}}}')
    assert response.status_code == 400
    assert "not one that this page sends" in response.json()["error"]


@pytest.mark.parametrize(
    ("body", "said"),
    [("", "not one that this page sends"), ("[]", "not one"), ('{"model": 0}', "missing required"),
     ('{"model": 0, "words": "he"}', "Expected `array`"), ('{"model": true, "words": []}', "Expected `int`"),
     ('{"model": 7, "words": []}', "there is no model 7"), ('{"model": 0, "words": [], "x": 1}', "unknown field"),
     ('{"model": 0, "words": ["\\ud800"]}', "not one"), (b'{"model": 0, "words": ["\xff"]}', "not one"),
     ('{"model": 0, "words": [""]}', "length >= 1"), ("[" * 100_000, "not one")],
)  # fmt: skip
def test_requests_that_no_page_sends_get_one_sentence(asker: Asker, body: str | bytes, said: str) -> None:
    response = asker.post("words", body)
    assert response.status_code == 400
    assert said in response.json()["error"]


@pytest.mark.parametrize(
    ("words", "said"),
    [(["he"] * 2_001, "a list may have 2,000 entries"), (["x" * 101], "a word or sentence may have 100 characters"),
     (["a\0b"], "control"), (["\x1b[2J"], "control")],
)  # fmt: skip
def test_what_people_may_have_pasted_is_refused_in_plain_words(asker: Asker, words: list[str], said: str) -> None:
    assert said in asker.ask("words", model=0, words=words)["incomplete"]


def test_more_words_than_a_page_takes_are_refused(asker: Asker) -> None:
    many = [{"name": str(n), "words": [f"w{n}-{i}" for i in range(300)]} for n in range(12)]
    said = asker.ask("bench", panel="polarity", model=0, classes=many, words=["he"])
    assert "2,000 at a time" in said["incomplete"]


@pytest.mark.parametrize("name", ["file", "templates"])
def test_who_goes_away_in_the_middle_of_a_request_breaks_nothing(asker: Asker, name: str) -> None:
    headers = {"host": f"127.0.0.1:{PORT}", "content-type": "application/json", "content-length": "9"}
    scope = {"type": "http", "method": "POST", "path": f"/{TOKEN}/api/{name}", "query_string": b"", "headers": [
        (key.encode(), value.encode()) for key, value in headers.items()
    ]}  # fmt: skip

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        assert message.get("status", 400) == 400

    asyncio.run(asker.guard(scope, receive, send))


HOSTILE = [
    "</script><script>alert(1)</script>",
    "'; DROP TABLE",
    "$(reboot)",
    "`id`",
    '"""',
    "\\",
    "\u202eabc",
    "{{7*7}}",
]


def test_hostile_words_come_back_as_words(asker: Asker) -> None:
    found = asker.ask("words", model=0, words=HOSTILE)["words"]
    assert [word["word"] for word in found] == HOSTILE
    assert not found[0]["token"]
    assert asker.post("words", {"model": 0, "words": HOSTILE}).headers["content-type"] == "application/json"


def test_what_breaks_inside_is_said_in_one_sentence_without_its_traceback(
    asker: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*given: Any) -> Any:
        raise ZeroDivisionError("secret path /home/someone")

    monkeypatch.setattr("aslant.explore.bench.answer", broken)
    classes = [{"name": "a", "words": ["he"]}, {"name": "b", "words": ["she"]}]
    response = asker.post("bench", {"panel": "polarity", "model": 0, "words": ["he"], "classes": classes})
    assert response.status_code == 500
    assert "secret" not in response.text
    assert response.json()["error"].startswith("aslant itself has failed")
