"""Targets: stores of audits, their lines, and lists of models."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from fuzzing.mutation import as_json, as_toml, mutated_tree
from fuzzing.result_targets import trees
from fuzzing.small_file_targets import finite
from fuzzing.targets import Target, check_message, demand, kept, with_seals, written


def _record(label: str, seed: int, created: str) -> dict[str, Any]:
    audit = trees()["audit"] | {"created": created, "seed": seed}
    return {
        "label": label, "source": "m.txt", "state": "complete", "audited": created, "reason": "", "seconds": 1.5,
        "key": "k", "settings": {"profile": "quick", "words": ["mine"], "corpus": None}, "result": audit,
    }  # fmt: skip


def _failed() -> dict[str, Any]:
    return _record("bad", 0, "2026-01-03") | {"state": "failed", "result": None, "reason": "it is empty"}


@cache
def _bodies() -> tuple[dict[str, Any], ...]:
    """Return records; the first and last are those that every store of these targets has."""
    made = (_record("ours", seed, f"2026-01-0{seed + 1}T00:00:00+00:00") for seed in range(3))
    first, middle, last = made
    last["result"]["glance"] = [line | {"effect": -1e308} for line in last["result"]["glance"]]
    return first, middle, _failed(), last


def _line(body: bytes) -> bytes:
    """Return a line of an export with a checksum that fits."""
    return b'{"aslant-store":1,"sha256":"' + hashlib.sha256(body).hexdigest().encode() + b'","record":' + body + b"}"


def _asked(path: Path) -> tuple[Any, ...]:
    """Ask a store everything there is to ask; what comes must be sound, and survive being written."""
    from aslant.auditing.store import ResultsStore

    store = ResultsStore(path)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*skipped")
        found = store.audits(), store.figures(), store.figures(latest=True, since="2026-01-02"), store.history()
        named = list(dict.fromkeys(audit.label for audit in found[0].audits if audit.state != "failed"))
        changes = [store.compare(label, named[0]) for label in named[:2]]
    for result in (*found, *changes):
        demand(finite(result), "a number of a store is not finite")
        demand(type(result).from_dict(json.loads(result.to_json())) == result, "writing and reading changes a result")
        result.rows()
    return found[0].audits


def _stored_line(data: bytes, folder: Path) -> str:
    """Put a line between two sound ones: it is read, or costs itself and no other."""
    from aslant.auditing.store import ResultsStore

    first, last = (_line(as_json(_bodies()[at])) for at in (0, -1))
    lines = written(folder, "lines.jsonl", b"\n".join((first, kept(data, _line), last, b"")))
    (folder / "lines.db").unlink(missing_ok=True)
    store = ResultsStore(folder / "lines.db")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        added = store.add_lines(lines)
    for each in told:
        check_message(str(each.message))
    demand(len(added) + len(told) >= 2, "a line is lost")
    demand({"ours"} <= {audit.label for audit in _asked(store.path)}, "a line took another one along")
    for audit in added:
        demand(audit.state == "failed" or bool(store.audit(audit.id).parts is not None), "an audit is not there")
    return f"accepted ({len(added)} lines)"


def _store(data: bytes, folder: Path) -> str:
    """Read a whole file, and add to it: what could be read before is still there, and what was added."""
    from aslant.auditing.store import ResultsStore

    (folder / "store.db-journal").unlink(missing_ok=True)
    path = written(folder, "store.db", data)
    before = _asked(path)
    record = {name: value for name, value in _failed().items() if name != "result"}
    added = ResultsStore(path).append_record(record | {"reason": "added"}, None)
    after = {audit.id for audit in _asked(path)}
    demand({audit.id for audit in before} | {added.id} <= after, "adding an audit costs another one")
    return f"accepted ({min(len(before), 5)} audits)"


@cache
def _stores() -> list[bytes]:
    import tempfile

    from aslant.auditing.store import ResultsStore

    with tempfile.TemporaryDirectory() as place:
        lines = written(Path(place), "lines", b"\n".join(_line(as_json(body)) for body in _bodies()))
        ResultsStore(Path(place, "s.db")).add_lines(lines)
        return [Path(place, "s.db").read_bytes()]


def _made_body(chance: Random) -> bytes:
    return as_json(mutated_tree(chance.choice(_bodies()), chance))


TEXT = "# mine\nsample\nlast month = m.txt\n\nlm = sample-mlm\r\na=b.txt\nours = glove-6b-50d\nhub/x = gpt2\n"
MODELS: dict[str, Any] = {
    "model": [
        {"source": "sample"},
        {
            "source": "m.txt", "name": "ours", "profile": "quick", "seed": 3, "only": ["weat"], "skip": "polarity",
            "words": ["mine.toml"], "corpus": "text.txt", "device": "cpu", "top": 10, "case": "exact",
            "phrases": "mean", "subwords": False, "column": "text", "split": "lines", "encoding": "utf-8",
        },
    ]
}  # fmt: skip


def _listed(name: str) -> Any:
    def run(data: bytes, folder: Path) -> str:
        from aslant.auditing.model_list import MAX_LABEL, read_list
        from aslant.auditing.subjects import kind_of

        for there in ("m.txt", "a=b.txt"):
            written(folder, there, b"the 1 2\nof 2 1\n")
        entries = read_list(written(folder, name, data))
        labels = [entry.label for entry in entries]
        demand(len(set(labels)) == len(labels) > 0, "two models have one label")
        demand(all(label.isprintable() and 0 < len(label) <= MAX_LABEL for label in labels), "a label cannot be seen")
        demand(not any(entry.settings.allow_pickle for entry in entries), "a list opens pickles")
        demand(all("\n" not in entry.source for entry in entries), "a model of several lines")
        return f"accepted ({', '.join(sorted({kind_of(entry.source) for entry in entries}))})"

    return run


def targets() -> Sequence[Target]:
    """Return the targets of this file."""
    lists = "aslant.auditing.model_list"
    seeds, made = with_seals(lambda: [as_json(body) for body in _bodies()[1:3]], _made_body, _line)
    return (
        Target("line of an export", ("aslant.auditing.store",), seeds, _stored_line, made),
        Target("results store", ("aslant.auditing.store",), _stores, _store),
        Target(
            "list of models", (lists,), lambda: [TEXT.encode(), b"\xef\xbb\xbfsample"], _listed("models.txt"),
            tokens=(b"=", b" = ", b"sample", b"m.txt", b"a/b", b"~", b"/", b"..", b"hub/x", b"::", b"m.txt/x"),
        ),
        Target(
            "list of models .toml", (lists,), lambda: [as_toml(MODELS)], _listed("models.toml"),
            lambda c: as_toml(mutated_tree(MODELS, c)), tokens=(b"[[model]]", b"source = ", b"{", b"}"),
        ),
    )  # fmt: skip
