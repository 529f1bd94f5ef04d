"""Targets: results of every kind, reports, run folders, journals, stores, surveys and their answers."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from aslant.io.keeper import FILE, Keeper
from fuzzing.made_up import made_up
from fuzzing.mutation import as_json, mutated_tree
from fuzzing.small_file_targets import finite
from fuzzing.targets import ABSENT, Target, demand, written


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
    from aslant.measures.enumeration.command import _rebuilt
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
    from aslant.report.audit import junit

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
    from aslant.measures.enumeration.command import _rebuilt
    from aslant.measures.enumeration.result import EnumerationResult
    from aslant.measures.enumeration.survey import Survey, make_survey

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

    from aslant.measures.enumeration.survey import Survey

    tree = mutated_tree(_plan_tree(), chance)
    try:
        plan = msgspec.convert({k: v for k, v in tree.items() if k != "kind"}, Survey)
        return plan.identified().to_json().encode()
    except Exception:  # it is not a plan any more: as good an input
        return as_json(tree)


def _plan(data: bytes, folder: Path) -> str:
    """Do what `aslant enumerate survey score` does with a plan."""
    from aslant.measures.enumeration.command import _rebuilt
    from aslant.measures.enumeration.survey import Survey
    from aslant.measures.enumeration.survey_answers import score_survey

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
    from aslant.measures.enumeration.survey_answers import score_survey

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

    Keeper(folder).keep({"request": data})
    request, _ = resumed(folder)
    demand(len(request.key()) == 12, "a request has no key")
    return "accepted"


IDENTITY = {"seed": 0, "representation": {"name": "sample"}}


@cache
def _part() -> dict[str, Any]:
    from aslant.results.audit import AuditPart
    from aslant.results.codec import part_to_dict

    return {"part": part_to_dict(made_up(AuditPart)), "not_run": {"weat-3": "too few words"}}


def _recalled(data: bytes, folder: Path) -> str:
    from aslant.auditing.run_folder import RunFolder

    run = RunFolder(folder / "run", IDENTITY)
    Keeper(folder / "run").keep({run._key("weat"): data})
    found = run.recall("weat")
    if found is None:
        return ABSENT
    demand(finite(found.part), "a number of a step is not finite")
    return f"accepted ({found.part is None})"


def _arrays() -> list[bytes]:
    file = io.BytesIO()
    np.save(file, np.ones((2, 2), np.float32))
    return [file.getvalue()]


def _made_arrays(chance: Random) -> bytes:
    from fuzzing.embedding_targets import _made_npy

    return _made_npy(chance)


def _journal(data: bytes, folder: Path) -> str:
    from aslant.io.journal import Journal

    Keeper(folder).keep({"step/x": data})
    found = Journal(folder).recall("step")
    if found is None:
        return ABSENT
    demand(isinstance(found["x"], np.ndarray), "something else than arrays")
    return "accepted"


def _kept_files() -> list[bytes]:
    import tempfile

    with tempfile.TemporaryDirectory() as place:
        Keeper(place).keep(dict.fromkeys(("a", "b"), b"content"))
        return [Path(place, FILE).read_bytes()]


def _kept(data: bytes, folder: Path) -> str:
    """Read a file of a keeper, and write to it: what is read is what was kept."""
    Path(folder, f"{FILE}-journal").unlink(missing_ok=True)
    written(folder, FILE, data)
    found = Keeper(folder).under("")
    demand(set(found.values()) <= {b"content"}, "a block has other content")
    if Keeper(folder, what="").keep({"c": b"content"}):
        demand(Keeper(folder).get("c") == b"content", "what was kept is not there")
    return "accepted" if found else ABSENT


ASKED = ((1, 2), ((0, 5), (1, 6)))


def _score_line() -> dict[str, Any]:
    from aslant.models.plan import _key

    return {_key(*ASKED): [-0.5, -1.25], "0" * 32: [-3.0], "f" * 32: [0]}


def _scores(data: bytes, folder: Path) -> str:
    from aslant.models.plan import ScoreTable

    keeper = Keeper(folder)
    keeper.keep({"lm/1": data})
    found = ScoreTable(keeper, "lm").get(*ASKED)
    demand(found is None or finite(list(found)), "a log-probability is not finite")
    return ABSENT if found is None else "accepted"


def _sums() -> dict[str, Any]:
    from aslant.models.conversion import NEEDED

    return {name: {"size": 2, "mtime_ns": 0, "sha256": hashlib.sha256(b"{}").hexdigest()} for name in NEEDED}


def _model(data: bytes, folder: Path) -> str:
    """Look whether a converted model is whole, as is done before each use."""
    from aslant.data.verifying import STAMPS
    from aslant.models.conversion import NEEDED, _complete

    for name in NEEDED:
        written(folder, name, b"{}")
    written(folder, STAMPS, data)
    return "accepted" if _complete(folder) else ABSENT


def _vectors(data: bytes, folder: Path) -> str:
    from aslant.models.vector_store import KeptVectors

    keeper = Keeper(folder)
    keeper.keep({"encoder/a": data})
    found = KeptVectors(keeper, "encoder", 3).recall(["a"])
    demand(all(vector.shape == (3,) for vector in found.values()), "a vector has another shape")
    return "accepted" if found else ABSENT


def json_target(
    name: str, covers: str, tree: Callable[[], Any], run: Callable[[bytes, Path], str], **more: Any
) -> Target:
    """Return a target whose input is JSON like `tree`."""
    made = lambda c: as_json(mutated_tree(tree(), c))  # noqa: E731
    return Target(name, ("aslant.io.reading", covers), lambda: [as_json(tree())], run, made, **more)


def targets() -> Sequence[Target]:
    """Return the targets of this file."""
    codec, folder = "aslant.results.codec", "aslant.auditing.run_folder"
    survey = "aslant.measures.enumeration.command"
    quiet = {"never_refuses": True}
    return (
        Target(
            "results", (codec,), _result_seeds, _result, _made_result,
            tokens=(b'"kind"', b'"weat"', b'"provenance"', b'"missing"', b"null", b"[]"),
        ),
        Target("reports", ("aslant.auditing.policy",), _reports, _report, _made_report),
        json_target("result to survey", survey, _enumerated, _to_survey),
        Target("survey plan", (survey, "aslant.measures.enumeration.survey"), _plans, _plan, _made_plan),
        Target(
            "survey answers", ("aslant.measures.enumeration.survey_answers",), _answer_seeds, _answers,
            tokens=(b",", b'"', b"G1", b"G9", b"4.0", b"worker", b"item"),
        ),
        json_target("request of a run", "aslant.cli.audit_run", _request, _resumed),
        json_target("step of a run", folder, _part, _recalled, **quiet),
        Target("journal", ("aslant.io.journal",), _arrays, _journal, _made_arrays, **quiet),
        Target("kept file", ("aslant.io.keeper",), _kept_files, _kept, **quiet),
        json_target("score table", "aslant.models.plan", _score_line, _scores, **quiet),
        json_target("sums of a model", "aslant.models.conversion", _sums, _model, **quiet),
        Target("kept vector", ("aslant.models.vector_store",), lambda: [bytes(12)], _vectors, **quiet),
    )  # fmt: skip
