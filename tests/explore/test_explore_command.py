"""`aslant explore` as a process: its address, its end, and what it refuses."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the page needs starlette: pip install '.[explore]'")

LINE = re.compile(r"aslant explore: (http://127\.0\.0\.1:(\d+)/([A-Za-z0-9_-]{32})/)\n")


def listening_to_ctrl_c() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # tests may be run in the background


@contextmanager
def explore(*words: str) -> Iterator[Any]:
    command = [sys.executable, "-m", "aslant", "explore", "--no-browser", *words]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes, preexec_fn=listening_to_ctrl_c) as process:
        try:
            yield process
        finally:
            process.kill()


def refused(*words: str) -> str:
    command = [sys.executable, "-m", "aslant", "explore", "--no-browser", *words]
    found = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr.count("\n") == 1
    return found.stderr


def get(address: str, **headers: str) -> Any:
    with urllib.request.urlopen(urllib.request.Request(address, headers=headers)) as response:
        return response.status, response.read()


def asked(process: Any) -> str:
    """Return the address, which is the first line."""
    found = LINE.fullmatch(process.stdout.readline())
    assert found is not None
    return found[1]


@pytest.mark.skipif(os.name == "nt", reason="there are no such signals")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_also_with_a_connection_open_and_without_a_traceback(number: int, code: int) -> None:
    with explore("--top", "2000") as process:
        address = asked(process)
        host, port = re.fullmatch(r"http://([\d.]+):(\d+)/.*", address).groups()
        with socket.create_connection((host, int(port))) as open_still:
            open_still.sendall(b"POST / HTTP/1.1\r\n")  # and no more
            process.send_signal(number)
            assert process.wait(30) == code
        assert process.stderr.read() == ""


@pytest.mark.skipif(os.name == "nt", reason="there are no such signals")
def test_a_signal_ends_what_a_model_works_on_without_a_traceback() -> None:
    with explore("--top", "2000") as process:
        address, sent = asked(process), {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{address}api/enumeration", b'{"model": 0}', sent)
        with urllib.request.urlopen(request, timeout=60) as answer:
            assert b"opening the model" in answer.readline()
            process.send_signal(signal.SIGTERM)
            assert process.wait(30) == 143
        assert process.stderr.read() == ""


def test_the_address_is_served_when_it_is_printed_and_only_with_its_token() -> None:
    with explore("--top", "2000", "--seed", "7") as process:
        address = asked(process)
        assert json.loads(get(f"{address}api/ready")[1]) == {"ok": True}
        said = json.loads(get(f"{address}api/about")[1])
        assert (said["seed"], said["models"][0]["words"]) == (7, 2_000)
        assert b"<!doctype html>" in get(address)[1].lower()
        for other, headers in ((re.sub(r"/[^/]+/$", "/", address), {}), (address, {"Host": "evil.example"})):
            with pytest.raises(urllib.error.HTTPError, match=r"40[34]"):
                get(other, **headers)


def test_two_servers_have_two_tokens_and_ports() -> None:
    with explore("--top", "500") as first, explore("--top", "500") as second:
        one, other = (LINE.fullmatch(process.stdout.readline()) for process in (first, second))
        assert one is not None
        assert other is not None
        assert one[2] != other[2]
        assert one[3] != other[3]


def test_a_port_that_is_taken_is_one_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        said = refused("--top", "500", "--port", port)
    assert f"--port {port}" in said
    assert "leave out --port" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [(["/no/such/file.txt"], "/no/such/file.txt"), (["--port", "70000"], "--port"), (["--top", "0"], "--top"),
     (["--host", "no.such.host.invalid"], "--host no.such.host.invalid"), (["--seed", "x"], "--seed")],
)  # fmt: skip
def test_bad_options_are_one_sentence(words: list[str], said: str) -> None:
    assert said in refused(*words)


def test_another_host_is_served_with_a_warning() -> None:
    with explore("--top", "500", "--host", "0.0.0.0") as process:
        assert asked(process)
        process.kill()
        assert "everyone who can reach this machine" in process.stderr.read()


def test_without_the_extra_the_command_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    from aslant.errors import MissingExtraError
    from aslant.explore import server

    monkeypatch.setattr(server, "find_spec", lambda name: None if name == "uvicorn" else object())
    with pytest.raises(MissingExtraError, match=re.escape("pip install '.[explore]'")):
        server.need_extra()


def test_the_help_of_all_commands_imports_no_server() -> None:
    code = "import sys, aslant.cli.app as a\ntry: a.app(['--help'])\nexcept SystemExit: pass\n"
    code += "sys.exit(any(name in sys.modules for name in ('starlette', 'uvicorn', 'numpy')))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0
