"""Whole results are compared with those that were kept.

The numbers of each measure are checked elsewhere: against papers, peers or slow obvious versions. Here every field of
a result is kept, so that a change nobody meant is seen, wherever in a measure it is made. Numbers may differ by one
part in a million: other machines and versions of libraries round differently. After a change that was meant, look at
what differs, then write the files anew:

    ASLANT_WRITE_KEPT=1 python -m pytest -n 0 tests/measures/test_kept_results.py tests/statistics/test_kept_numbers.py
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import math
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aslant.auditing.running import glances

#: What depends on the version, the day or the bits of a float.
LEFT_OUT = {"version", "created", "seconds", "fingerprint"}


def plain(value: Any) -> Any:
    """Leave out what may differ, and write numbers with ten digits."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items() if key not in LEFT_OUT}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return float(f"{value:.10g}") if isinstance(value, float) else value


def differences(kept: Any, now: Any, where: str = "") -> list[str]:
    """Return every place where two results differ by more than rounding."""
    if isinstance(kept, dict) and isinstance(now, dict):
        gone = [f"{where}: {key!r} is only in one of them" for key in kept.keys() ^ now.keys()]
        both = [key for key in kept if key in now]
        return gone + [text for key in both for text in differences(kept[key], now[key], f"{where}.{key}")]
    if isinstance(kept, list) and isinstance(now, list):
        short = [f"{where}: {len(kept)} then, {len(now)} now"] if len(kept) != len(now) else []
        pairs = enumerate(zip(kept, now, strict=False))
        return short + [text for i, pair in pairs for text in differences(*pair, f"{where}[{i}]")]
    same = kept == now and type(kept) is type(now)
    if isinstance(kept, float) and isinstance(now, float):
        same = now == pytest.approx(kept, rel=1e-6, abs=1e-9)
    return [] if same else [f"{where}: {kept!r} then, {now!r} now"]


def derived(part: Any, where: str = "") -> dict[str, Any]:
    """Return the numbers that properties of a result and of its parts give, by place."""
    if isinstance(part, tuple | list):
        return {key: value for i, one in enumerate(part) for key, value in derived(one, f"{where}[{i}]").items()}
    if not dataclasses.is_dataclass(part):
        return {}
    properties = [name for name, kind in inspect.getmembers(type(part), lambda kind: isinstance(kind, property))]
    found = {f"{where}.{name}": getattr(part, name) for name in properties}
    found = {key: value for key, value in found.items() if isinstance(value, int | float | None)}
    for field in dataclasses.fields(part):
        found |= derived(getattr(part, field.name), f"{where}.{field.name}")
    return found


def bare(value: Any) -> Any:
    """Turn arrays and dataclasses into lists, and numbers that JSON does not know into words."""
    if dataclasses.is_dataclass(value):
        return [bare(getattr(value, field.name)) for field in dataclasses.fields(value)]
    if isinstance(value, dict):
        return {key: bare(part) for key, part in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return bare(value.tolist())
    if isinstance(value, list | tuple):
        return [bare(part) for part in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def facts(result: Any) -> Any:
    """Return a result's fields, what its properties say, an audit's lines and the numbers shown, but no wording."""
    if not hasattr(result, "to_dict"):
        return plain(json.loads(json.dumps(bare(result))))
    lines = [dataclasses.asdict(line) | {"sentence": ""} for line in glances("measure", [result])]
    shown = re.findall(r"(?<![\w.])[-−]?\d[\d.,]*", str(result))
    found = {"result": result.to_dict(), "properties": derived(result), "glance": lines, "shown": shown}
    return plain(json.loads(json.dumps(found)))


def compare(file: Path, name: str, result: Any) -> None:
    """Compare a result with the one of this name in a file, or write it there."""
    found = facts(result)
    kept = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    if os.environ.get("ASLANT_WRITE_KEPT"):
        file.parent.mkdir(exist_ok=True)
        text = json.dumps(kept | {name: found}, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        file.write_text(text.replace('},"', '},\n"') + "\n", encoding="utf-8")
        pytest.skip("written, not compared")
    assert not differences(kept[name], found)
