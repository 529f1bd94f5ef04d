"""The page's server without a network: its application behind its guard, on a part of the bundled sample."""

from __future__ import annotations

import functools
import json
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the page needs starlette: pip install '.[explore]'")

from starlette.testclient import TestClient

from aslant.cli.shared import Reading
from aslant.explore.application import application
from aslant.explore.opened import Opened, open_models
from aslant.explore.safety import Guard
from aslant.explore.visit import Explorer

TOKEN, PORT = "a-token-of-tests", 8123
ADDRESS = f"http://127.0.0.1:{PORT}"
#: Words that the first 8,000 of the sample have, as a test of the bench.
MEN, WOMEN = ["he", "man", "boy", "father", "son"], ["she", "woman", "girl", "mother", "daughter"]
CAREER, HOME = ["business", "office", "career", "salary"], ["home", "family", "children", "marriage"]
GROUPS = {
    "targets": [{"name": "men", "words": MEN}, {"name": "women", "words": WOMEN}],
    "attributes": [{"name": "career", "words": CAREER}, {"name": "home", "words": HOME}],
}


@functools.cache
def sample(top: int = 8_000) -> Opened:
    """Return the bundled sample, opened as the page has it."""
    return open_models([], Reading(top=top))[0]


class Asker:
    """Somebody who uses the page."""

    def __init__(self, *models: Opened, host: str = "127.0.0.1") -> None:
        self.explorer = Explorer(models or (sample(),))
        self.guard = Guard(application(self.explorer), TOKEN, host, lambda: PORT)
        self.client = TestClient(self.guard, base_url=ADDRESS, raise_server_exceptions=False)

    def post(self, name: str, body: Any, person: str = "p", **headers: str) -> Any:
        """Send a request as the page does, and return the response."""
        sent = {"content-type": "application/json", "x-aslant-person": person, **headers}
        content = body if isinstance(body, bytes | str) else json.dumps(body)
        return self.client.post(f"/{TOKEN}/api/{name}", content=content, headers=sent)

    def ask(self, name: str, person: str = "p", /, **body: Any) -> Any:
        """Return the answer to a request that is in order."""
        response = self.post(name, body, person)
        assert response.status_code == 200, response.text
        return response.json()

    def bench(self, panel: str = "weat", person: str = "p", **more: Any) -> Any:
        """Ask the bench about men, women, career and home."""
        return self.ask("bench", person, panel=panel, **{"model": 0, **GROUPS, **more})

    def lines(self, name: str, /, **body: Any) -> list[Any]:
        """Return the lines of an answer that comes bit by bit."""
        return [json.loads(line) for line in self.post(name, body).text.splitlines()]
