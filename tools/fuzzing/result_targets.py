"""Targets: results of every kind, reports, run folders, journals, stores, surveys and their answers."""

from __future__ import annotations

import io
import json
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from aslant.io.digests import sealed, sealed_json
from fuzzing.made_up import made_up
from fuzzing.mutation import as_json, mutated, mutated_tree
from fuzzing.small_file_targets import finite
from fuzzing.targets import ABSENT, Seal, Target, demand, kept, with_seals, written


@cache
def trees() -> dict[str, Any]:
    """Return plain data of one result of every kind there is."""
    import aslant  # noqa: F401 (which defines them)
    from aslant.results.codec import kinds

    own = {kind: cls for kind, cls in kinds().items() if cls.__module__.startswith("aslant.")}
    return {kind: made_up(cls).to_dict() for kind, cls in own.items()}


def _result_seeds() -> list[bytes]:
    return [as_json(tree) for tree in trees().values()]


def _made_result(chance: Random) -> bytes:
    return as_json(mutated_tree(chance.choice(list(trees().values())), chance))


def _result(data: bytes, folder: Path) -> str:
    """Read any result, as the commands do that take one."""
    from aslant.measures.enumeration.survey_command import _rebuilt
    from aslant.results.codec import result_from_dict

    class AnyKind:
        from_dict = staticmethod(result_from_dict)

    found = _rebuilt(AnyKind, written(folder, "result.json", data))
    demand(finite(found), "a number of a result is not finite")
    text = found.to_json()
    demand(type(found).from_dict(json.loads(text)) == found, "writing and reading changes a result")
    return f"accepted ({found.kind})"


def _reports() -> list[bytes]:
    return [as_json(trees()[kind]) for kind in ("audit", "audit-comparison")]


def _made_report(chance: Random) -> bytes:
    return as_json(mutated_tree(trees()[chance.choice(("audit", "audit-comparison"))], chance))


def _report(data: bytes, folder: Path) -> str:
    """Do what `aslant check` does with a report."""
    from aslant.auditing.policy import check_policy, read_report
    from aslant.report import render
    from aslant.report.policy import junit

    report = read_report(written(folder, "report.json", data))
    check = check_policy(report)
    junit(check)
    render(check, ".csv")
    check.to_json()
    return f"accepted ({report.kind})"


@cache
def _survey() -> Any:
    from aslant.measures.enumeration.survey import make_survey
    from survey_examples import enumeration

    return make_survey(enumeration(groups=3, categories=2, names=4), exam_names=1)


@cache
def _enumerated() -> Any:
    from survey_examples import enumeration

    return enumeration(groups=3, categories=2, names=4).to_dict()


def _to_survey(data: bytes, folder: Path) -> str:
    """Do what `aslant enumerate survey export` does with a result."""
    from aslant.measures.enumeration.result import EnumerationResult
    from aslant.measures.enumeration.survey import make_survey
    from aslant.measures.enumeration.survey_command import _rebuilt
    from aslant.measures.enumeration.survey_plan import Survey

    survey = make_survey(_rebuilt(EnumerationResult, written(folder, "result.json", data)))
    demand(Survey.from_dict(json.loads(survey.to_json())) == survey, "writing and reading changes a plan")
    return "accepted"


@cache
def _plan_tree() -> Any:
    return json.loads(_survey().to_json())


def _plans() -> list[bytes]:
    return [as_json(_plan_tree())]


def _made_plan(chance: Random) -> bytes:
    """Change a plan, and set its fingerprint right again where that can be done."""
    import msgspec

    from aslant.measures.enumeration.survey_plan import Survey

    tree = mutated_tree(_plan_tree(), chance)
    try:
        plan = msgspec.convert({k: v for k, v in tree.items() if k != "kind"}, Survey)
        return plan.identified().to_json().encode()
    except Exception:  # it is no plan any more: as good an input
        return as_json(tree)


def _plan(data: bytes, folder: Path) -> str:
    """Do what `aslant enumerate survey score` does with a plan."""
    from aslant.measures.enumeration.survey import score_survey
    from aslant.measures.enumeration.survey_command import _rebuilt
    from aslant.measures.enumeration.survey_plan import Survey

    plan = _rebuilt(Survey, written(folder, "survey.json", data))
    rows = [{"worker": "w", "task": "exam", "item": plan.public_id(q.id), "answer": "G1"} for q in plan.exam]
    scored = score_survey(plan, rows)
    demand(finite(scored), "a score is not finite")
    return "accepted" if scored.to_json() else ""


def _answer_seeds() -> list[bytes]:
    from survey_examples import crowd

    rows = crowd(_survey(), 2, 0.8)
    long = "worker,task,item,answer\n" + "".join(f"{','.join(row.values())}\n" for row in rows)
    items = [row["item"] for row in rows if row["worker"] == "w0"]
    wide = f"WorkerId,{','.join(f'Answer.{item}' for item in items)}\nw,{','.join('G1' for _ in items)}\n"
    rated = "".join(f"w,rating,{_survey().public_id(q.id)},4\n" for q in _survey().rating)
    return [long.encode(), wide.encode(), b"\xef\xbb\xbf" + (long + rated).replace("\n", "\r\n").encode()]


def _answers(data: bytes, folder: Path) -> str:
    from aslant.measures.enumeration.survey import score_survey

    scored = score_survey(_survey(), written(folder, "answers.csv", data))
    demand(finite(scored), "a score is not finite")
    return "accepted" if scored.to_json() else ""


def _request() -> dict[str, Any]:
    return {
        "models": ["sample"], "output": "out",
        "settings": {
            "top": 100, "case": "exact", "profile": "quick", "seed": 0, "only": ["weat"], "skip": [],
            "words": ["mine.toml"], "device": None, "corpus": [], "column": "text",
        },
    }  # fmt: skip


def _resumed(data: bytes, folder: Path) -> str:
    """Do what `aslant audit --resume` does with a request, up to opening what it names."""
    from aslant.cli.audit_run import resumed

    written(folder, "request.json", kept(data, sealed_json))
    request, _ = resumed(folder)
    demand(len(request.key()) == 12, "a request has no key")
    return "accepted"


IDENTITY = {"seed": 0, "representation": {"name": "sample"}}


@cache
def _part() -> dict[str, Any]:
    from aslant.auditing.run_folder import _part_to_dict
    from aslant.results.audit import AuditPart

    return {"run": "", "part": _part_to_dict(made_up(AuditPart)), "not_run": {"weat-3": "too few words"}}


def _finished(tree: Any, folder: Path | None = None) -> bytes:
    """Write a step's file as a run of `IDENTITY` has it."""
    import hashlib

    from aslant.auditing.run_folder import FORMAT

    identity = json.dumps({"format": FORMAT, **IDENTITY}, sort_keys=True)
    if isinstance(tree, dict) and "run" in tree:
        tree["run"] = hashlib.sha256(identity.encode()).hexdigest()[:12]
    return as_json(tree)


def _recalled(data: bytes, folder: Path) -> str:
    from aslant.auditing.run_folder import RunFolder

    run = RunFolder(folder / "run", IDENTITY)
    written(run.folder, "weat.json", kept(data, sealed_json))
    found = run.recall("weat")
    if found is None:
        return ABSENT
    demand(finite(found.part), "a number of a step is not finite")
    return f"accepted ({found.part is None})"


def _identity(data: bytes, folder: Path) -> str:
    from aslant.auditing.run_folder import RunFolder

    (folder / "run").mkdir(exist_ok=True)
    written(folder / "run", "run.json", kept(data, sealed_json))
    RunFolder(folder / "run", IDENTITY)
    return "accepted"


def _arrays() -> list[bytes]:
    file = io.BytesIO()
    np.savez(file, x=np.arange(3), y=np.ones((2, 2), np.float32), name=np.array(["a"]))
    return [file.getvalue()]


def _made_arrays(chance: Random) -> bytes:
    from fuzzing.embedding_targets import _made_npy, _npy, _npz

    return _npz({"x.npy": _made_npy(chance), chance.choice(("y.npy", "y", "../y.npy", "x.npy/")): _npy()})


def _journal(data: bytes, folder: Path) -> str:
    from aslant.io.journal import Journal

    written(folder, "step.npz", kept(data, sealed))
    found = Journal(folder).recall("step")
    if found is None:
        return ABSENT
    demand(all(isinstance(array, np.ndarray | bytes) for array in found.values()), "something else than arrays")
    return "accepted"


ASKED = ((1, 2), ((0, 5), (1, 6)))


def _score_line() -> dict[str, Any]:
    from aslant.models.table import _key

    return {_key(*ASKED): [-0.5, -1.25], "0" * 32: [-3.0], "f" * 32: [0]}


def _scores(data: bytes, folder: Path) -> str:
    from aslant.models.table import ScoreTable

    table = b"\n".join(kept(line, sealed_json) for line in data.split(b"\n"))
    found = ScoreTable(written(folder, "scores.jsonl", table)).get(*ASKED)
    demand(found is None or finite(list(found)), "a log-probability is not finite")
    return ABSENT if found is None else "accepted"


def _sums() -> dict[str, Any]:
    from aslant.models.conversion import NEEDED

    return {name: [2, zlib.crc32(b"{}")] for name in NEEDED}


def _model(data: bytes, folder: Path) -> str:
    """Look whether a converted model is whole, as is done before each use."""
    from aslant.models.conversion import NEEDED, SUMS, _complete

    for name in NEEDED:
        written(folder, name, b"{}")
    written(folder, SUMS, kept(data, sealed_json))
    return "accepted" if _complete(folder) else ABSENT


KEYS = [b"k" * 16, b"l" * 16]


@cache
def _shard() -> bytes:
    from safetensors.numpy import save

    table = np.frombuffer(b"".join(KEYS), np.uint8).reshape(2, 16)
    return save({"keys": table, "vectors": np.ones((2, 3), np.float32)})


def _stored(data: bytes, folder: Path, manifest: bytes | None = None) -> str:
    """Put the input where a shard lies, listed under its own digest, or take it for the manifest."""
    from aslant.models.vector_store import VectorStore, _digest

    shard = _shard() if manifest is not None else data
    listed = as_json({"shard": _digest(b"".join(KEYS)), "digest": _digest(shard)})
    written(folder, "manifest.jsonl", listed if manifest is None else manifest)
    written(folder, f"{_digest(b''.join(KEYS))}.safetensors", shard)
    found = list(VectorStore(folder, 3).read(set(KEYS)))
    for keys, vectors in found:
        demand(vectors.shape == (len(keys), 3), "keys and vectors do not fit")
    return "accepted" if found else ABSENT


def _made_shard(chance: Random) -> bytes:
    whole = _shard()
    length = int.from_bytes(whole[:8], "little")
    header = as_json(mutated_tree(json.loads(whole[8 : 8 + length]), chance))
    return len(header).to_bytes(8, "little") + header + mutated(whole[8 + length :], chance)


def _manifests() -> list[bytes]:
    from aslant.models.vector_store import _digest

    line = as_json({"shard": _digest(b"".join(KEYS)), "digest": _digest(_shard())})
    return [b"\n" + line, b"\n" + line + b"\n" + line[:20] + b"\n" + line]


def json_target(
    name: str, covers: str, tree: Callable[[], Any], run: Callable[[bytes, Path], str], **more: Any
) -> Target:
    """Return a target whose input is JSON like `tree`."""
    made = lambda c: as_json(mutated_tree(tree(), c))  # noqa: E731
    return Target(name, ("aslant.io.reading", covers), lambda: [as_json(tree())], run, made, **more)


def sealed_target(target: Target, seal: Seal = sealed_json) -> Target:
    """Return a target whose files have seals."""
    assert target.made is not None
    seeds, made = with_seals(target.seeds, target.made, seal)
    return replace(target, covers=("aslant.io.digests", *target.covers), seeds=seeds, made=made)


def targets() -> Sequence[Target]:
    """Return the targets of this file."""
    codec, folder = "aslant.results.codec", "aslant.auditing.run_folder"
    survey, store = "aslant.measures.enumeration.survey_command", "aslant.models.vector_store"
    step = lambda: [_finished(dict(_part()))]  # noqa: E731
    made_step = lambda c: _finished(mutated_tree(_part(), c))  # noqa: E731
    identity = lambda: {"format": 1, **IDENTITY}  # noqa: E731
    quiet = {"never_refuses": True}
    return (
        Target(
            "results", (codec,), _result_seeds, _result, _made_result,
            tokens=(b'"kind"', b'"weat"', b'"provenance"', b'"missing"', b"null", b"[]"),
        ),
        Target("reports", ("aslant.auditing.policy",), _reports, _report, _made_report),
        json_target("result to survey", survey, _enumerated, _to_survey),
        Target("survey plan", (survey, "aslant.measures.enumeration.survey_plan"), _plans, _plan, _made_plan),
        Target(
            "survey answers", ("aslant.measures.enumeration.survey_answers",), _answer_seeds, _answers,
            tokens=(b",", b'"', b"G1", b"G9", b"4.0", b"worker", b"item"),
        ),
        sealed_target(json_target("request of a run", "aslant.cli.audit_run", _request, _resumed)),
        sealed_target(Target("step of a run", (folder,), step, _recalled, made_step, **quiet)),
        sealed_target(json_target("identity of a run", folder, identity, _identity)),
        sealed_target(Target("journal", ("aslant.io.journal",), _arrays, _journal, _made_arrays, **quiet), sealed),
        sealed_target(json_target("score table", "aslant.models.table", _score_line, _scores, **quiet)),
        sealed_target(json_target("sums of a model", "aslant.models.conversion", _sums, _model, **quiet)),
        Target("shard of a store", (store,), lambda: [_shard()], _stored, _made_shard, needs=("safetensors",), **quiet),
        Target(
            "manifest of a store", (store,), _manifests, lambda d, f: _stored(b"", f, d), needs=("safetensors",),
            **quiet,
        ),
    )  # fmt: skip
