"""The server: listens, says where, opens the browser, and ends on Ctrl-C."""

from __future__ import annotations

import logging
import secrets
import socket
import threading
import webbrowser
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from aslant.errors import AslantError, MissingExtraError
from aslant.explore.opened import Opened
from aslant.explore.safety import Guard, is_loopback

#: Seconds that answers in hand have when the server ends.
GRACE = 1


def need_extra() -> None:
    """Refuse to begin without the packages that serve."""
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise MissingExtraError("the page needs starlette and uvicorn: pip install '.[explore]'")


def serve(
    models: Sequence[Opened], host: str = "127.0.0.1", port: int = 0, seed: int = 0, *, browser: bool = True
) -> None:
    """Serve the page until Ctrl-C; the first line on standard output is its address."""
    from threadpoolctl import threadpool_limits

    from aslant.cli.progress import say
    from aslant.explore.visit import Explorer

    listening = _listening(host, port)
    if not is_loopback(host):
        say(
            f"--host {host}: everyone who can reach this machine over the network and knows the address below can use "
            "the page, unencrypted; without --host, only this machine can."
        )
    token = secrets.token_urlsafe(24)
    address = f"http://{_written(host)}:{listening.getsockname()[1]}/{token}/"
    explorer = Explorer(tuple(models), seed)
    try:
        with threadpool_limits(1):  # as many questions at a time as cores: no library may start threads of its own
            _run(explorer, token, host, listening, lambda: _begun(explorer, address, browser))
    finally:
        explorer.close()


def _listening(host: str, port: int) -> socket.socket:
    """Return a socket that is bound to the address, or say why there is none."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # else asyncio lets answers wait 40 ms
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise AslantError(
            f"cannot listen on --host {host} --port {port}: {reason}; leave out --port for a port that is free."
        ) from None
    return made


def _written(host: str) -> str:
    return "127.0.0.1" if host == "0.0.0.0" else f"[{host}]" if ":" in host else host


def _run(explorer: Any, token: str, host: str, listening: socket.socket, begun: Any) -> None:
    import uvicorn

    from aslant.explore.application import application

    class Server(uvicorn.Server):
        """Says when it listens, and ends without a word."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            begun()

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
            await super().shutdown(sockets)

    port = listening.getsockname()[1]
    guarded: Any = Guard(application(explorer), token, host, lambda: port)
    Server(
        uvicorn.Config(
            guarded, log_config=None, log_level="warning", access_log=False, server_header=False, lifespan="off",
            proxy_headers=False, ws="none", http="h11", loop="asyncio", timeout_graceful_shutdown=GRACE,
            limit_concurrency=500,
        )
    ).run([listening])  # fmt: skip


def _begun(explorer: Any, address: str, browser: bool) -> None:
    """Print the address, open the browser, and get ready what the first question would otherwise wait for."""
    print(f"aslant explore: {address}", flush=True)
    threading.Thread(target=_warmed, args=(explorer,), daemon=True, name="aslant-warming").start()
    if browser:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True, name="aslant-browser").start()


def _warmed(explorer: Any) -> None:
    """Compile, import and index once what every question needs."""
    from aslant.explore.warming import warm

    for opened in explorer.models:
        warm(opened)
