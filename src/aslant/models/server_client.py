"""Requests to a server that speaks OpenAI's protocol: addresses, keys, retries, time-outs, several at once.

The key comes from the environment (``ASLANT_API_KEY``, or for OpenAI itself ``OPENAI_API_KEY``) and goes to the
server's own address only: a redirect is never followed, and no message or result ever contains it.
"""

from __future__ import annotations

import ipaddress
import os
import re
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import islice
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit

from aslant.data.places import offline
from aslant.errors import DataError
from aslant.io.reading import parse_json

#: Where a key may be, the first one first; the second is for its owner's servers only, whoever else is asked.
KEYS = ("ASLANT_API_KEY", "OPENAI_API_KEY")
OWNER = "openai.com"
#: Answers that may be different the next time: too early, too many, or trouble at the other end.
AGAIN = (408, 425, 429, 500, 502, 503, 504)
#: Answers that blame what was sent: other texts may still be answered.
BLAMED = (400, 413, 422)
#: Answers that say that there is no such thing.
ABSENT = (404, 405, 501)
#: Seconds to wait before trying again: at first, doubled each time, and at most; and at most if the server says.
FIRST_WAIT, LONGEST_WAIT, LONGEST_SAID = 0.5, 30.0, 300.0
#: Seconds to wait for a connection; bytes of an answer.
CONNECT, MAX_ANSWER = 10.0, 1 << 28
_SCHEME = re.compile(r"https?://", re.IGNORECASE)
Item = TypeVar("Item")
Answer = TypeVar("Answer")


class ServerError(DataError):
    """A server that cannot be reached or used; the message says why, and what to do."""


class BlamedError(ServerError):
    """A server that blames what it was sent."""


class AbsentError(ServerError):
    """A server that does not have what it was asked for: an endpoint, or a model."""


class KeyRefusedError(ServerError):
    """A server that wants a key, or another one."""


def is_address(source: object) -> bool:
    """Tell whether a source is the address of a server.

    >>> is_address("http://127.0.0.1:8000/v1#gpt2"), is_address("openai-community/gpt2"), is_address(None)
    (True, False, False)
    """
    return isinstance(source, str) and _SCHEME.match(source) is not None


def split_address(source: str, model: str | None = None) -> tuple[str, str | None]:
    """Return the address of a server without a slash at its end, and the model that is named by it or beside it.

    >>> split_address("http://127.0.0.1:8000/v1/#org/name"), split_address("http://h/v1", "gpt2")
    (('http://127.0.0.1:8000/v1', 'org/name'), ('http://h/v1', 'gpt2'))
    >>> split_address("https://me:secret@h/v1")
    Traceback (most recent call last):
    aslant.models.server_client.ServerError: the address of h contains a name or a key; leave it out, and put ...
    """
    try:
        parts = urlsplit(source)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host or not source.isprintable() or " " in source:
        raise ServerError("the address of the server is not one; write it as in http://127.0.0.1:8000/v1#MODEL.")
    if parts.username or parts.password or parts.query:
        what = "a query" if parts.query else "a name or a key"
        raise ServerError(
            f"the address of {host} contains {what}; leave it out, and put the key into the environment as {KEYS[0]}."
        )
    named = unquote(parts.fragment) or None
    if named and model and named != model:
        raise ServerError(f"the address names the model '{named}', and model= is '{model}'; give one of them.")
    return source.partition("#")[0].rstrip("/"), model or named


class Client:
    """Requests to one server; `requests` counts those that were sent, `tokens` what the server says they were.

    `timeout`: seconds that one answer may take. `at_once`: requests under way at the same time. `retries`: how often a
    request is sent again that failed for a reason that may pass.
    """

    def __init__(self, address: str, *, timeout: float = 120.0, at_once: int = 4, retries: int = 6) -> None:
        import requests
        from requests.adapters import HTTPAdapter

        self.address, self.timeout, self.at_once, self.retries = address, timeout, at_once, retries
        self.host = urlsplit(address).hostname or ""
        if offline() and not _is_here(self.host):
            raise ServerError(
                f"ASLANT_OFFLINE forbids asking {self.host}; unset it, or serve the model on this machine."
            )
        self.requests = self.tokens = 0
        self.sleep: Callable[[float], object] = time.sleep
        self._key_from, self._key = _key_for(self.host)
        if not self._key.isascii() or not self._key.isprintable():
            raise ServerError("the key in the environment has characters that a key cannot have; set it again.")
        if self._key and urlsplit(address).scheme == "http" and not _is_here(self.host):
            warnings.warn(f"the key goes to {self.host} unencrypted; use https if the server has it.", stacklevel=2)
        self._session, self._lock = requests.Session(), threading.Lock()
        self.reached = False  #: whether it has ever answered
        self._session.trust_env = not _is_here(self.host)  # a proxy cannot reach a server on this machine
        self._session.auth = self._authorise  # also keeps .netrc out of it
        for scheme in ("http://", "https://"):
            self._session.mount(scheme, HTTPAdapter(pool_maxsize=at_once))

    @property
    def root(self) -> str:
        """The address without the version at its end, where servers have endpoints of their own."""
        return re.sub(r"/v\d+$", "", self.address)

    def _authorise(self, request: Any) -> Any:
        if self._key:
            request.headers["Authorization"] = f"Bearer {self._key}"
        return request

    def get(self, path: str, *, root: bool = False) -> Any:
        """Return the answer to a GET request, as JSON."""
        return self._ask("GET", (self.root if root else self.address) + path, None)

    def post(self, path: str, body: dict[str, Any], *, root: bool = False) -> Any:
        """Return the answer to a POST request, as JSON; `root`: outside of OpenAI's protocol."""
        return self._ask("POST", (self.root if root else self.address) + path, body)

    def each(self, ask: Callable[[Item], Answer], items: Iterable[Item]) -> Iterator[tuple[Item, Answer]]:
        """Yield each item with what `ask` returns for it, as answers come in, several under way at once.

        The first error ends it, after the answers that were under way, so that what was answered is never lost.
        """
        left, under_way, failed = iter(items), dict[Future[Answer], Item](), None
        with ThreadPoolExecutor(self.at_once) as pool:
            try:
                while under_way := under_way | {
                    pool.submit(ask, item): item for item in islice(left, 2 * self.at_once - len(under_way))
                }:
                    for done in wait_for(under_way, return_when=FIRST_COMPLETED).done:
                        item = under_way.pop(done)
                        if not (done.cancelled() or done.exception()):
                            yield item, done.result()
                        elif failed is None:
                            failed, left = done.exception(), iter(())
                            for other in under_way:
                                other.cancel()
            finally:
                for other in under_way:
                    other.cancel()
        if failed is not None:
            raise failed

    @contextmanager
    def tried_twice(self) -> Iterator[None]:
        """Send what fails once more only: some servers answer 500 to what they do not have, every time."""
        retries, self.retries = self.retries, min(1, self.retries)
        try:
            yield
        finally:
            self.retries = retries

    def _ask(self, method: str, url: str, body: dict[str, Any] | None) -> Any:
        import requests

        said = ""
        for attempt in range(self.retries + 1):
            wait = min(FIRST_WAIT * 2**attempt, LONGEST_WAIT)
            try:
                status, headers, content = self._once(method, url, body)
            except requests.Timeout:
                said = f"did not answer within {self.timeout:g} s"
            except (requests.ConnectionError, requests.exceptions.ChunkedEncodingError) as error:
                said = f"cannot be reached, or cut the connection ({_reason(error)})"
                if not self.reached:
                    break
            except requests.RequestException as error:
                said = f"cannot be asked ({_reason(error)})"
                break
            else:
                self.reached = True
                if status not in AGAIN:
                    return self._answer(status, headers, content, url)
                said = f"answers {status} ({self._told(content)})"
                wait = min(_said_to_wait(headers.get("Retry-After")) or wait, LONGEST_SAID)
            if attempt < self.retries:
                self.sleep(wait)
        tried = f" after {self.retries + 1} attempts" if self.reached and self.retries else ""
        raise ServerError(f"{self._where(url)} {said}{tried}; check that the server runs, and try again.")

    def _once(self, method: str, url: str, body: dict[str, Any] | None) -> tuple[int, Any, bytes]:
        """Send a request once, and read all of the answer, for no longer than the time-out."""
        import requests

        with self._lock:
            self.requests += 1
        ends = time.monotonic() + self.timeout
        waits = (min(CONNECT, self.timeout), self.timeout)
        with self._session.request(
            method, url, json=body, timeout=waits, allow_redirects=False, stream=True
        ) as found:  # fmt: skip
            content = bytearray()
            for part in found.iter_content(1 << 16):
                content += part
                if len(content) > MAX_ANSWER:
                    raise ServerError(f"{self._where(url)} sends more than {MAX_ANSWER >> 20} MB; it is not usable.")
                if time.monotonic() > ends:
                    raise requests.ReadTimeout
            return found.status_code, found.headers, bytes(content)

    def _answer(self, status: int, headers: Any, content: bytes, url: str) -> Any:
        where = self._where(url)
        if 300 <= status < 400:
            to = urlsplit(str(headers.get("Location", ""))).hostname or "another place"
            raise ServerError(f"{where} redirects to {to}, which is not followed; give the final address.")
        if status in (401, 403):
            name = self._key_from
            what = f"does not accept the key in {name}" if name else f"requires a key: put it into {KEYS[0]}"
            raise KeyRefusedError(f"{where} {what} ({status}).")
        if status != 200:
            kind = BlamedError if status in BLAMED else AbsentError if status in ABSENT else ServerError
            raise kind(f"{where} answers {status} ({self._told(content)}); check the address and the model's name.")
        try:
            found = parse_json(content.decode("utf-8"))
        except (ValueError, RecursionError):
            raise ServerError(f"{where} does not return JSON; check that it speaks OpenAI's protocol.") from None
        usage = found.get("usage") if isinstance(found, dict) else None
        if isinstance(usage, dict) and isinstance(usage.get("total_tokens"), int):
            with self._lock:
                self.tokens += usage["total_tokens"]
        return found

    def _where(self, url: str) -> str:
        return f"the server at {url}"

    def _told(self, content: bytes) -> str:
        """Return what an answer says went wrong, without the key, which some servers repeat."""
        text = content[:4096].decode("utf-8", "replace").strip()
        try:
            found = parse_json(text)
            while isinstance(found, dict):
                found = next((found[key] for key in ("error", "message", "detail") if found.get(key)), str(found))
            text = str(found)
        except ValueError:
            text = re.sub(r"<[^>]*>", " ", text)
        if self._key:
            text = text.replace(self._key, "…")
        text = re.sub(r"\bsk-[\w*.-]{6,}", "…", " ".join(text.split()))
        return f"{text[:200]}…" if len(text) > 200 else text or "no reason given"


def served_model(client: Client, model: str | None) -> tuple[str, dict[str, Any], str]:
    """Return the name of the model to ask, what the server says about it, and a note if it does not list that name.

    The only model of a server need not be named.
    """
    try:
        listed = client.get("/models")
    except KeyRefusedError:
        raise
    except ServerError:
        if model is None or not client.reached:
            raise
        return model, {}, ""
    rows = listed.get("data") if isinstance(listed, dict) else None
    found = {str(row["id"]): row for row in rows or () if isinstance(row, dict) and isinstance(row.get("id"), str)}
    some = ", ".join(list(found)[:5]) + (", …" if len(found) > 5 else "")
    if model is None:
        if len(found) != 1:
            has = f"serves {len(found)} models ({some})" if found else "does not say which models it serves"
            raise ServerError(f"the server at {client.address} {has}; name one, as in {client.address}#MODEL.")
        model = next(iter(found))
    about = found.get(model, {}).get("meta")
    unlisted = (
        f"the server lists {some} and not {model}; the answers may be another model's" if model not in found else ""
    )
    return model, about if isinstance(about, dict) else {}, unlisted if found else ""


def _key_for(host: str) -> tuple[str, str]:
    """Return the name and the content of the variable with the key for a host, or nothing."""
    for name in KEYS if host == OWNER or host.endswith(f".{OWNER}") else KEYS[:1]:
        if key := os.environ.get(name, "").strip():
            return name, key
    return "", ""


def _is_here(host: str) -> bool:
    """Tell whether a host is this machine."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _said_to_wait(said: str | None) -> float | None:
    """Return the seconds that a Retry-After header names: a number, or a date.

    >>> _said_to_wait("7"), _said_to_wait("Wed, 21 Oct 2015 07:28:00 GMT"), _said_to_wait("soon")
    (7.0, 0.0, None)
    """
    if said is None:
        return None
    if re.fullmatch(r"\d{1,9}(\.\d*)?", said.strip()):
        return float(said)
    try:
        return max(0.0, (parsedate_to_datetime(said) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None


def _reason(error: BaseException) -> str:
    """Return the innermost reason, without addresses of objects."""
    while (inner := error.__cause__ or error.__context__ or getattr(error, "reason", None)) is not None:
        if not isinstance(inner, BaseException):
            break
        error = inner
    return re.sub(r"<[^>]*>:? ?", "", str(error))[:120] or type(error).__name__
