"""Vega-Lite and Vega, run by QuickJS, a small JavaScript engine: charts without a browser or a network.

A chart sees nothing of the machine: the engine has no files, no network and no clock of its own.
"""

from __future__ import annotations

import json
import threading
from functools import cache
from importlib.resources import files
from typing import Any

SCRIPTS = ("templates/drawing.js", "assets/vega.min.js", "assets/vega-lite.min.js")
_own = threading.local()


def vega_of(chart: dict[str, Any]) -> dict[str, Any]:
    """Return a Vega-Lite specification as one of Vega.

    >>> vega_of({"mark": "bar", "data": {"values": []}, "encoding": {}})["marks"][0]["type"]
    'rect'
    """
    made: dict[str, Any] = json.loads(_engine().get("compile")(json.dumps(chart, allow_nan=False)))
    return made


def svg_of(specification: dict[str, Any]) -> str:
    """Return a Vega specification as SVG.

    >>> svg_of({"width": 20, "height": 10, "marks": []})[:4]
    '<svg'
    """
    engine = _engine()
    engine.get("draw")(json.dumps(specification, allow_nan=False))
    while engine.execute_pending_job():
        pass
    drawn = json.loads(engine.get("picture")())
    if "error" in drawn:
        raise RuntimeError(f"Vega could not draw a chart: {drawn['error']}")
    return str(drawn["svg"])


def _engine() -> Any:
    """Return this thread's engine: one must not be shared, and is ready in a tenth of a second."""
    engine = getattr(_own, "engine", None)
    if engine is None:
        import quickjs

        engine = _own.engine = quickjs.Context()
        for name in SCRIPTS:
            engine.eval(_script(name))
    return engine


@cache
def _script(name: str) -> str:
    return (files("aslant.report") / name).read_text(encoding="utf-8")
