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

from fuzzing.mutation import as_json, as_toml, mutated, mutated_tree
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
    """Return a line of a store with a checksum that fits."""
    from aslant.auditing.stored_lines import BEGINS

    return BEGINS + hashlib.sha256(body).hexdigest().encode() + b'","record":' + body + b"}"


def _asked(path: Path) -> tuple[Any, ...]:
    """Ask a store everything there is to ask; what comes must be sound, and survive being written."""
    from aslant.auditing.store import ResultsStore

    store = ResultsStore(path)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*(passed over|more lines)")
        found = store.audits(), store.figures(), store.figures(latest=True, since="2026-01-02"), store.history()
        named = list(dict.fromkeys(audit.label for audit in found[0].audits if audit.state != "failed"))
        changes = [store.compare(label, named[0]) for label in named[:2]]
    for result in (*found, *changes):
        demand(finite(result), "a number of a store is not finite")
        demand(type(result).from_dict(json.loads(result.to_json())) == result, "writing and reading changes a result")
        result.rows()
    return found[0].audits


def _whole(path: Path, label: str) -> str:
    """Open one audit in full, which may be refused, unlike what a query needs of it."""
    from aslant.auditing.store import ResultsStore
    from aslant.errors import AslantError

    try:
        ResultsStore(path).audit(label)
    except AslantError as error:
        check_message(str(error))
        return "not in full"
    return "in full"


def _stored_line(data: bytes, folder: Path) -> str:
    """Put a line between two sound ones: it is read, or costs itself and no other."""
    from aslant.auditing.stored_lines import decode

    first, last = (_line(as_json(_bodies()[at])) for at in (0, -1))
    line = kept(data, _line)
    path = written(folder, "store.jsonl", b"\n".join((first, line, last, b"")))
    ids = {audit.id for audit in _asked(path)}
    demand({decode(first).audit.id, decode(last).audit.id} <= ids, "a line took another one along")
    if b"\n" in line:
        return f"accepted ({len(ids) - 2} more)"
    try:
        held = decode(line)
    except ValueError as error:
        from aslant.errors import AslantError

        raise AslantError(f"a line is passed over: {error}.") from None
    demand(held.audit.id in ids, "a line is lost")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return f"accepted ({_whole(path, held.audit.id)})"


def _store(data: bytes, folder: Path) -> str:
    """Read a whole file, and add to it: what could be read before is still there, and what was added."""
    from aslant.auditing.store import ResultsStore

    path = written(folder, "store.jsonl", data)
    before = _asked(path)
    record = {name: value for name, value in _failed().items() if name != "result"}
    added = ResultsStore(path).append_record(record | {"reason": "added"}, None)
    after = {audit.id for audit in _asked(path)}
    demand({audit.id for audit in before} | {added.id} <= after, "adding an audit costs another one")
    return f"accepted ({min(len(before), 5)} lines)"


def _stores() -> list[bytes]:
    lines = [_line(as_json(body)) for body in _bodies()]
    return [b"\n".join((*lines, b"")), b"\r\n".join(lines), b"\n".join((*lines[:2], lines[2][:90])), lines[1]]


def _made_body(chance: Random) -> bytes:
    return as_json(mutated_tree(chance.choice(_bodies()), chance))


def _made_store(chance: Random) -> bytes:
    lines = [_line(_made_body(chance)) for _ in range(chance.randrange(1, 4))]
    lines += [mutated(line, chance) for line in lines if chance.random() < 0.2]
    return chance.choice((b"\n", b"\n", b"\r\n", b"\n\n")).join(lines) + chance.choice((b"\n", b"", lines[0][:200]))


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
        from aslant.auditing.model_list import MAX_LABEL, kinds_of, read_list

        for there in ("m.txt", "a=b.txt"):
            written(folder, there, b"the 1 2\nof 2 1\n")
        entries = read_list(written(folder, name, data))
        labels = [entry.label for entry in entries]
        demand(len(set(labels)) == len(labels) > 0, "two models have one label")
        demand(all(label.isprintable() and 0 < len(label) <= MAX_LABEL for label in labels), "a label cannot be seen")
        demand(not any(entry.settings.allow_pickle for entry in entries), "a list opens pickles")
        demand(all("\n" not in entry.source for entry in entries), "a model of several lines")
        return f"accepted ({', '.join(sorted(set(kinds_of(entries))))})"

    return run


def targets() -> Sequence[Target]:
    """Return the targets of this file."""
    lists = "aslant.auditing.model_list"
    seeds, made = with_seals(lambda: [as_json(body) for body in _bodies()[1:3]], _made_body, _line)
    return (
        Target("line of a results store", ("aslant.auditing.stored_lines",), seeds, _stored_line, made),
        Target("results store", ("aslant.auditing.store", "aslant.auditing.appending"), _stores, _store, _made_store),
        Target(
            "list of models", (lists,), lambda: [TEXT.encode(), b"\xef\xbb\xbfsample"], _listed("models.txt"),
            tokens=(b"=", b" = ", b"sample", b"m.txt", b"a/b", b"~", b"/", b"..", b"hub/x", b"::", b"m.txt/x"),
        ),
        Target(
            "list of models .toml", (lists,), lambda: [as_toml(MODELS)], _listed("models.toml"),
            lambda c: as_toml(mutated_tree(MODELS, c)), tokens=(b"[[model]]", b"source = ", b"{", b"}"),
        ),
    )  # fmt: skip
