"""What is let in: this page, from this address, with its token, in small requests. Everything else is refused."""

from __future__ import annotations

import ipaddress
import secrets
from collections.abc import Callable, MutableMapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: Bytes of a request's body.
MOST = 256 << 10
TOO_LARGE = f"a request may have {MOST >> 10} KB; this one is larger."
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class TooLargeError(Exception):
    """A request's body is larger than any that the page sends."""


class Guard:
    """Stands before the application: checks address, origin, token, type and size, and adds the headers of safety.

    With the token, the path that the application sees is what comes after it.
    """

    def __init__(self, app: ASGIApp, token: str, host: str, port: Callable[[], int]) -> None:
        self.app, self.token, self.host, self.port = app, token, host, port

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # the server closes what is not answered; nothing here speaks WebSocket

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = {name.decode() for name, _ in message["headers"]}  # the report has a policy of its own
                added = [(name.encode(), value.encode()) for name, value in HEADERS.items() if name not in own]
                message["headers"] = [*message["headers"], *added]
            await send(message)

        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        path = self._path(scope)
        refused = self._refusal(scope["method"], headers, path)
        if refused is None:
            await self.app({**scope, "path": path, "root_path": ""}, _limited(receive), sent)
        else:
            await _answer(refused, sent)

    def _path(self, scope: MutableMapping[str, Any]) -> str | None:
        """Return what is asked for behind the token; None without the right one."""
        _, _, rest = scope["path"].partition("/")
        token, slash, asked = rest.partition("/")
        right = secrets.compare_digest(token.encode("utf-8", "surrogatepass"), self.token.encode())
        return f"/{asked}" if right and slash else None

    def _refusal(self, method: str, headers: dict[str, str], path: str | None) -> tuple[int, str] | None:
        host = headers.get("host", "")
        if not self._is_own(host):
            return 403, "this address is not the one that 'aslant explore' printed."
        if headers.get("origin", f"http://{host}") != f"http://{host}":
            return 403, "requests from other pages are refused."
        if path is None:
            return 404, "there is nothing here."
        visited = method == "GET" and path == "/" and headers.get("sec-fetch-mode") == "navigate"  # a link to the page
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none") and not visited:
            return 403, "requests from other pages are refused."
        if method == "POST":
            if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
                return 415, "a request must be JSON (application/json)."
            if headers.get("content-length", "").isdigit() and int(headers["content-length"]) > MOST:
                return 413, TOO_LARGE
        return None

    def _is_own(self, given: str) -> bool:
        """Tell whether a Host header names this server; a name that leads here by another's DNS does not."""
        host, _, port = given.lower().rpartition(":")
        if not host or port != str(self.port()):
            return False
        if host in (*LOOPBACK, self.host.lower(), f"[{self.host.lower()}]"):
            return True
        return self.host in ("0.0.0.0", "::") and _is_number(host.strip("[]"))


def is_loopback(host: str) -> bool:
    """Tell whether an address is reached from this machine only.

    >>> [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "192.168.1.2")]
    [True, True, True, False, False]
    """
    return host == "localhost" or (_is_number(host) and ipaddress.ip_address(host).is_loopback)


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _limited(receive: Receive) -> Receive:
    """Count the bytes of a body that does not say how long it is, or says so wrongly."""
    seen = 0

    async def counted() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > MOST:
            raise TooLargeError
        return message

    return counted


async def _answer(refused: tuple[int, str], send: Send) -> None:
    from starlette.responses import JSONResponse

    status, sentence = refused

    async def nothing() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    await JSONResponse({"error": sentence}, status)({"type": "http", "method": "GET"}, nothing, send)
