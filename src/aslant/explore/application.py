"""The application: which address answers what. Everything asked of it is a POST with JSON, but for `about`."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import msgspec

from aslant.errors import AslantError
from aslant.explore import answers, kept, long_questions
from aslant.explore.asked import EnumerationRequest, PairsRequest, RequestError, TemplatesRequest, read
from aslant.explore.safety import TOO_LARGE, TooLargeError
from aslant.explore.streams import lines
from aslant.explore.turns import BusyError, SupersededError

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

    from aslant.explore.visit import Explorer

PERSON = re.compile(r"[A-Za-z0-9_-]{1,64}")
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
ASSETS = ("vega.min.js", "vega-lite.min.js", "vega-interpreter.js")
LONG = {"enumeration": EnumerationRequest, "templates": TemplatesRequest, "pairs": PairsRequest}
BUSY = "too many people are asking at once; try again in a moment."


def application(explorer: Explorer) -> Starlette:
    """Return the application of one server."""
    from starlette.applications import Starlette
    from starlette.requests import ClientDisconnect
    from starlette.routing import Route

    asked = [
        Route(f"/api/{name}", _posted(explorer, name, answer), methods=["POST"])
        for name, answer in answers.ANSWERS.items()
    ]
    routes = [
        Route("/", _page),
        Route("/api/about", _about(explorer)),
        Route("/api/ready", _ready),
        *asked,
        *(Route(f"/api/{name}", _streamed(explorer, name, kind), methods=["POST"]) for name, kind in LONG.items()),
        Route("/report.html", _report(explorer)),
        Route("/assets/{name}", _asset),
        Route("/{name}", _page),
    ]
    handlers: Any = {500: _broken, 404: _absent, 405: _absent, TooLargeError: _too_large, ClientDisconnect: _unsaid}
    return Starlette(routes=routes, exception_handlers=handlers)


def json_of(content: Any, status: int = 200) -> Response:
    """Return an answer in JSON."""
    from starlette.responses import Response

    return Response(msgspec.json.encode(content), status, media_type="application/json")


def _about(explorer: Explorer) -> Callable[[Request], Awaitable[Response]]:
    async def about(request: Request) -> Response:
        return json_of(await asyncio.to_thread(answers.about, explorer))

    return about


def _posted(explorer: Explorer, name: str, answer: answers.Answer) -> Callable[[Request], Awaitable[Response]]:
    """Return what answers a POST: in a thread when its turn comes, the newest of a person, a tab and a panel only."""

    async def run(request: Request) -> Response:
        person, tab = (_id(request.headers.get(f"x-aslant-{what}", "")) for what in ("person", "tab"))
        try:
            body = await request.body()
            visit = explorer.visit(person)
            return json_of(await explorer.turns.take((person, tab, name), lambda: answer(explorer, visit, body)))
        except RequestError as error:
            return json_of({"error": str(error)}, 400)
        except SupersededError:
            return json_of({"error": "superseded"}, 409)
        except BusyError:
            return json_of({"error": BUSY}, 503)
        except AslantError as error:
            return json_of({"incomplete": str(error)})

    return run


def _streamed(explorer: Explorer, name: str, kind: Any) -> Callable[[Request], Awaitable[Response]]:
    """Return what answers a question that takes long: line by line."""

    async def run(request: Request) -> Response:
        from starlette.responses import StreamingResponse

        person, tab = (_id(request.headers.get(f"x-aslant-{what}", "")) for what in ("person", "tab"))
        try:
            asked = read(await request.body(), kind)
            numbers = dict.fromkeys(n for n in (asked.model, getattr(asked, "compare", None)) if n is not None)
            models = [answers.model_of(explorer, number) for number in numbers]
            for opened in models:
                long_questions.need_model(name, opened)
            question = long_questions.question(name, asked)
        except RequestError as error:
            return json_of({"error": str(error)}, 400)
        except AslantError as error:
            return json_of({"incomplete": str(error)})
        steps = lines(explorer, explorer.visit(person), (person, tab, name), models, question)
        return StreamingResponse(steps, media_type="application/x-ndjson")

    return run


def _report(explorer: Explorer) -> Callable[[Request], Awaitable[Response]]:
    """Return what a person has kept as one page, which may run the scripts that it names by their hashes."""

    async def run(request: Request) -> Response:
        from starlette.responses import HTMLResponse

        visit = explorer.visit(_id(request.query_params.get("person", "")))
        page = await asyncio.to_thread(kept.report, visit)
        return HTMLResponse(page, headers={"content-security-policy": kept.policy_of(page)})

    return run


def _id(given: str) -> str:
    return given if PERSON.fullmatch(given) else ""


async def _ready(request: Request) -> Response:
    return json_of({"ok": True})


async def _page(request: Request) -> Response:
    """Return a file of the page, by one of the names that the folder has."""
    return _file("aslant.explore", "page", request.path_params.get("name", "index.html"))


async def _asset(request: Request) -> Response:
    name = request.path_params["name"]
    return (
        _file("aslant.report", "assets", name) if name in ASSETS else json_of({"error": "there is no such file."}, 404)
    )


def _file(package: str, folder: str, name: str) -> Response:
    """Return a file whose name is among those of a folder: no path is ever made of what was asked."""
    from starlette.responses import Response

    for found in (files(package) / folder).iterdir():
        kind = TYPES.get(name[name.rfind(".") :])
        if found.name == name and kind and found.is_file():
            return Response(found.read_bytes(), media_type=kind)
    return json_of({"error": "there is no such file."}, 404)


async def _absent(request: Request, error: Exception) -> Response:
    return json_of({"error": "there is nothing here."}, getattr(error, "status_code", 404))


async def _too_large(request: Request, error: Exception) -> Response:
    return json_of({"error": TOO_LARGE}, 413)


async def _unsaid(request: Request, error: Exception) -> Response:
    return json_of({"error": "the request ended before all of it had arrived."}, 400)  # to nobody: a tab was closed


async def _broken(request: Request, error: Exception) -> Response:
    return json_of({"error": "aslant itself has failed; the terminal in which it runs says how."}, 500)
